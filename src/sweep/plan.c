// SPDX-License-Identifier: MIT

// From texts such as `L = 0.1 .. 1 count 50` to inputs, and from the number of a run to their
// values.
//
// Values are expressions of numbers, parameters, pi and deg, which the reader of start values
// knows: it is asked to set the time to each.

#include "sweep/plan.h"

#include "sweep/random.h"
#include "sweep/sobol.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    TEXT_SIZE = 1000, // of a value, and of a name
    PLACE_SIZE = 32   // of what messages call a text
};

static const char SPACE[] = " \t\r\n";

// The uses of random numbers.
enum {
    USE_SAMPLE, // within the part of an axis that a design gives
    USE_ORDER,  // of these parts
    USE_SHIFT   // of all points of a design
};

// A part of a text.
typedef struct Piece {
    const char *text;
    size_t length;
} Piece;

static Piece trim(Piece piece)
{
    while (piece.length > 0 && strchr(SPACE, piece.text[0])) {
        piece.text++;
        piece.length--;
    }
    while (piece.length > 0 && strchr(SPACE, piece.text[piece.length - 1])) {
        piece.length--;
    }
    return piece;
}

// From a place in a piece to its end.
static Piece rest(Piece piece, size_t from)
{
    assert(from <= piece.length);
    return (Piece){piece.text + from, piece.length - from};
}

// Where a word is in a piece; its length if nowhere.
static size_t find(Piece piece, const char *word)
{
    assert(word && word[0] != '\0');
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= piece.length; i++) {
        if (memcmp(piece.text + i, word, length) == 0) {
            return i;
        }
    }
    return piece.length;
}

char *kal_plan_copy(KalArena *arena, const char *text, size_t length)
{
    assert(arena && text);
    char *copy = (char *)kal_arena_alloc(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

// Part of a plan on its way.
typedef struct Reading {
    const KalSweepReader *reader;
    const char *option; // the word of the option, for messages
    const char *text;   // its value
    size_t number;      // which of several values, from 1; 0 if there is no other
    KalSweepInput *input;
} Reading;

static KalStatus fail(const Reading *r, const char *expected)
{
    assert(expected);
    return kal_fail(r->reader->ctx, KAL_ERR_USAGE, "option '%s' takes %s, not '%.200s'",
                    r->option, expected, r->text);
}

static KalStatus fail_vary(const Reading *r)
{
    return fail(r, "a name and its values, such as \"L = 0.1 .. 1 count 50\" or "
                   "\"L = 1, 2, 5\"");
}

static KalStatus fail_random(const Reading *r)
{
    return fail(r, "a name and its distribution, such as \"k = normal(100, 5)\", "
                   "\"k = uniform(90, 110)\" or \"k = loguniform(1, 1000)\"");
}

// Characters before a piece.
static uint32_t count_columns(const Reading *r, Piece piece)
{
    assert(piece.text >= r->text);
    uint32_t columns = 0;
    for (const char *c = r->text; c < piece.text; c++) {
        columns += ((unsigned char)*c & 0xC0U) != 0x80U;
    }
    return columns;
}

// Read once more what could not be read, for a message that points into the whole text.
// Places are not counted before, for lists may be long.
static KalStatus fail_value(const Reading *r, Piece piece, const char *value,
                            const char *unit)
{
    char place[PLACE_SIZE];
    double unused = 0.0;
    if (r->number > 0) {
        (void)snprintf(place, sizeof place, "%s %zu", r->option, r->number);
    } else {
        (void)snprintf(place, sizeof place, "%s", r->option);
    }
    return kal_instant_read_value(r->reader->instant, place, value,
                                  count_columns(r, piece), unit, &unused);
}

// The number that a piece of the text stands for, of something that has a unit.  Of an input
// in degrees a number is in degrees, but what is made of pi or deg is an angle, as in the
// model.
static KalStatus read_number(const Reading *r, Piece piece, const char *unit,
                             double *out_value)
{
    assert(r->reader->instant && out_value);
    char text[TEXT_SIZE];
    piece = trim(piece);
    if (piece.length == 0 || piece.length >= TEXT_SIZE) {
        return kal_fail(r->reader->ctx, KAL_ERR_USAGE,
                        "option '%s': a value is missing in '%.200s'", r->option,
                        r->text);
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)piece.length, piece.text);
    if (strpbrk(text, ",;=")) {
        return kal_fail(r->reader->ctx, KAL_ERR_USAGE,
                        "option '%s': '%.200s' is no value", r->option, text);
    }
    const KalStatus status =
        kal_instant_read_value(r->reader->instant, r->option, text, 0, unit, out_value);
    return status == KAL_ERR_SYNTAX ? fail_value(r, piece, text, unit) : status;
}

// A value of the input.
static KalStatus read_value(const Reading *r, Piece piece, double *out_value)
{
    return read_number(r, piece, r->input->unit, out_value);
}

int kal_plan_place(const KalSystem *system, const char *name)
{
    assert(system && name);
    const char *const *names = kal_system_coordinate_names(system);
    const size_t length = strlen(name);
    const bool velocity = length > 0 && name[length - 1] == '\'';
    for (int i = 0; i < system->n; i++) {
        if (strncmp(names[i], name, length - velocity) == 0
            && names[i][length - velocity] == '\0') {
            return velocity ? system->n + i : i;
        }
    }
    const size_t n_dynamic = (size_t)system->n_states + (size_t)system->n_holds;
    const char *const *dynamic =
        kal_system_state_names(system); // those of holds follow
    for (size_t i = 0; i < n_dynamic; i++) {
        if (strcmp(dynamic[i], name) == 0) {
            return 2 * system->n + (int)i;
        }
    }
    return -1;
}

static const KalParameter *find_parameter(const KalModel *model, const char *name)
{
    for (size_t i = 0; i < model->n_parameters; i++) {
        if (strcmp(model->parameters[i].name, name) == 0) {
            return &model->parameters[i];
        }
    }
    return NULL;
}

static KalStatus fail_unknown(const Reading *r)
{
    const KalSystem *system = r->reader->instant->system;
    const char *name = r->input->name;
    const char *near =
        kal_word_find_near(name, kal_system_coordinate_names(system), system->n);
    for (size_t i = 0; i < system->model->n_parameters && !near; i++) {
        near = kal_word_find_near(name, &system->model->parameters[i].name, 1);
    }
    return kal_fail(r->reader->ctx, KAL_ERR_USAGE,
                    "option '%s': the model has no parameter, coordinate, velocity, "
                    "state or hold '%.200s'%s%s%s",
                    r->option, name, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

// What the unit of a start value is: that of its coordinate, each second.
static KalStatus read_start_unit(const Reading *r, int place)
{
    assert(place >= 0 && place < 2 * r->reader->instant->system->n);
    const KalSystem *system = r->reader->instant->system;
    const KalModel *model = system->model;
    const int dynamic = place - 2 * system->n;
    const char *unit = dynamic < 0 ? model->coordinates[place % system->n].unit
                       : dynamic < system->n_states
                           ? model->states[dynamic].unit
                           : model->holds[dynamic - system->n_states].unit;
    char text[TEXT_SIZE];
    r->input->unit = unit ? unit : "";
    if (!unit || place < system->n || dynamic >= 0) {
        return KAL_OK;
    }
    const bool product = strpbrk(unit, "*/^") != NULL;
    (void)snprintf(text, sizeof text, product ? "(%s)/s" : "%s/s", unit);
    r->input->unit = kal_plan_copy(r->reader->arena, text, strlen(text));
    return r->input->unit ? KAL_OK : kal_no_memory(r->reader->ctx, "for inputs");
}

// Find what a name means.  It may be a coordinate of another structure of the model.
static KalStatus read_target(const Reading *r)
{
    const KalSystem *system = r->reader->instant->system;
    const KalParameter *p = find_parameter(system->model, r->input->name);
    const int place = kal_plan_place(system, r->input->name);
    if (p) {
        r->input->unit = p->degrees ? "deg" : p->unit ? p->unit : "";
        r->input->degrees = p->degrees;
        r->input->fixed = p->structural || p->decided;
        return KAL_OK;
    }
    if (place < 0) {
        return fail_unknown(r);
    }
    r->input->start = true;
    return read_start_unit(r, place);
}

// Read the name before '='; `out_rest` is what comes after.
static KalStatus read_name(const Reading *r, Piece *out_rest)
{
    const Piece all = {r->text, strlen(r->text)};
    const size_t equals = find(all, "=");
    const Piece name = trim((Piece){r->text, equals});
    if (equals == all.length || name.length == 0 || name.length >= TEXT_SIZE) {
        return strcmp(r->option, "--vary") == 0 ? fail_vary(r) : fail_random(r);
    }
    r->input->name = kal_plan_copy(r->reader->arena, name.text, name.length);
    if (!r->input->name) {
        return kal_no_memory(r->reader->ctx, "for inputs");
    }
    *out_rest = trim(rest(all, equals + 1));
    return read_target(r);
}

static bool is_whole(double value)
{
    return value == floor(value) && fabs(value) < 0x1p53;
}

static KalStatus fail_many(KalContext *ctx)
{
    return kal_fail(ctx, KAL_ERR_LIMIT, "more than %.0e runs are too many for a sweep",
                    (double)KAL_SWEEP_RUN_LIMIT);
}

// a .. b count n, or a .. b in steps of 1.
static KalStatus read_range(const Reading *r, Piece piece, size_t dots)
{
    assert(dots + 2 <= piece.length);
    KalSweepInput *input = r->input;
    const Piece after = rest(piece, dots + 2);
    const size_t word = find(after, "count");
    double count = 0.0;
    if (find(after, " step ") < after.length || find(after, " every ") < after.length) {
        return fail(r, "the number of values, not their distance, as in \"L = 0.1 .. 1 "
                       "count 50\"");
    }
    KAL_TRY(read_value(r, (Piece){piece.text, dots}, &input->a));
    KAL_TRY(read_value(r, (Piece){after.text, word}, &input->b));
    if (word < after.length) {
        KAL_TRY(read_number(r, rest(after, word + strlen("count")), "1", &count));
    } else if (is_whole(input->a) && is_whole(input->b) && input->a <= input->b) {
        count = input->b - input->a + 1.0;
    } else {
        return fail(r, "with '..' also the number of values, as in \"L = 0.1 .. 1 "
                       "count 50\"");
    }
    if (count > (double)KAL_SWEEP_RUN_LIMIT) {
        return fail_many(r->reader->ctx);
    }
    if (!is_whole(count) || count < 1.0) {
        return fail(r, "a whole number of values, 1 or more");
    }
    input->kind = KAL_INPUT_RANGE;
    input->count = (uint64_t)count;
    return KAL_OK;
}

// Values with commas between them.
static KalStatus read_list(const Reading *r, Piece piece)
{
    assert(piece.length > 0);
    KalSweepInput *input = r->input;
    input->kind = KAL_INPUT_LIST;
    input->count = 1;
    for (size_t i = 0; i < piece.length; i++) {
        input->count += piece.text[i] == ',';
    }
    input->values =
        (double *)kal_arena_alloc(r->reader->arena, input->count, sizeof(double));
    if (!input->values) {
        return kal_no_memory(r->reader->ctx, "for inputs");
    }
    for (uint64_t k = 0; k < input->count; k++) {
        const size_t comma = find(piece, ",");
        KAL_TRY(read_value(r, (Piece){piece.text, comma}, &input->values[k]));
        piece = comma < piece.length ? rest(piece, comma + 1) : rest(piece, comma);
    }
    return KAL_OK;
}

static KalStatus read_vary(const Reading *r)
{
    Piece piece = {"", 0};
    KAL_TRY(read_name(r, &piece));
    if (piece.length == 0) {
        return fail_vary(r);
    }
    const size_t dots = find(piece, "..");
    return dots < piece.length ? read_range(r, piece, dots) : read_list(r, piece);
}

static KalStatus check_distribution(const Reading *r)
{
    const KalSweepInput *input = r->input;
    if (input->kind == KAL_INPUT_NORMAL) {
        return input->b >= 0.0 ? KAL_OK
                               : fail(r, "a standard deviation that is not negative");
    }
    if (input->kind == KAL_INPUT_LOGUNIFORM && !(input->a > 0.0)) {
        return fail(r, "positive numbers for loguniform");
    }
    return input->a < input->b ? KAL_OK : fail(r, "the smaller number first");
}

// normal(100, 5)
static KalStatus read_random(const Reading *r)
{
    static const char *const words[] = {"uniform(", "loguniform(", "normal("};
    static const KalSweepInputKind kinds[] = {KAL_INPUT_UNIFORM, KAL_INPUT_LOGUNIFORM,
                                              KAL_INPUT_NORMAL};
    Piece piece = {"", 0};
    int kind = 0;
    KAL_TRY(read_name(r, &piece));
    while (kind < 3
           && (piece.length < strlen(words[kind]) || find(piece, words[kind]) > 0)) {
        kind++;
    }
    if (kind == 3 || piece.text[piece.length - 1] != ')') {
        return fail_random(r);
    }
    if (r->input->fixed) {
        return kal_fail(r->reader->ctx, KAL_ERR_FORMULATION,
                        "option '--random': '%s' changes the structure of the model; "
                        "give its values by '--vary'",
                        r->input->name);
    }
    const Piece inside = {piece.text + strlen(words[kind]),
                          piece.length - strlen(words[kind]) - 1};
    const size_t comma = find(inside, ",");
    if (comma == inside.length) {
        return fail_random(r);
    }
    r->input->kind = kinds[kind];
    KAL_TRY(read_value(r, (Piece){inside.text, comma}, &r->input->a));
    KAL_TRY(read_value(r, rest(inside, comma + 1), &r->input->b));
    return check_distribution(r);
}

static KalStatus check_twice(const KalSweepPlan *plan, const Reading *r)
{
    assert(r->input >= plan->inputs);
    for (const KalSweepInput *other = plan->inputs; other < r->input; other++) {
        if (strcmp(other->name, r->input->name) == 0) {
            return kal_fail(r->reader->ctx, KAL_ERR_USAGE,
                            "option '%s': '%s' is an input twice", r->option,
                            other->name);
        }
    }
    return KAL_OK;
}

static KalStatus read_inputs(KalSweepPlan *plan, const KalSweepReader *reader,
                             const KalSweepOptions *options)
{
    assert(plan->n_grid <= plan->n_inputs);
    for (size_t i = 0; i < plan->n_inputs; i++) {
        const bool grid = i < plan->n_grid;
        const size_t n = grid ? plan->n_grid : plan->n_inputs - plan->n_grid;
        const size_t place = grid ? i : i - plan->n_grid;
        const Reading r = {.reader = reader,
                           .option = grid ? "--vary" : "--random",
                           .text = grid ? options->vary[place] : options->random[place],
                           .number = n > 1 ? place + 1 : 0,
                           .input = &plan->inputs[i]};
        KAL_NEED(reader->ctx, r.text);
        KAL_TRY(grid ? read_vary(&r) : read_random(&r));
        KAL_TRY(check_twice(plan, &r));
    }
    return KAL_OK;
}

static KalStatus check_design(const KalSweepPlan *plan, KalContext *ctx)
{
    const size_t n = plan->n_inputs - plan->n_grid;
    if (!kal_sweep_design_word(plan->design)) {
        return kal_fail(ctx, KAL_ERR_USAGE, "there is no such design of a sweep");
    }
    if ((n > 0) != (plan->samples > 0)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        n > 0
                            ? "how many samples? '--random' needs '--count N'"
                            : "'--count' is for random inputs, which '--random' names");
    }
    if (plan->design == KAL_SWEEP_SOBOL && n > KAL_SOBOL_AXES) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "points of Sobol are for up to %d random inputs, not %zu; take "
                        "'--design latin'",
                        (int)KAL_SOBOL_AXES, n);
    }
    return KAL_OK;
}

// Counted in floating point, which does not overflow, before it is trusted as an
// integer.
static KalStatus count_runs(KalSweepPlan *plan, KalContext *ctx)
{
    const double most = (double)KAL_SWEEP_RUN_LIMIT;
    double runs = plan->samples > 0 ? (double)plan->samples : 1.0;
    plan->points = 1;
    assert(plan->n_grid <= plan->n_inputs);
    plan->samples = plan->samples > 0 ? plan->samples : 1;
    for (size_t i = 0; i < plan->n_grid && runs <= most; i++) {
        runs *= (double)plan->inputs[i].count;
        plan->points *= plan->inputs[i].count;
    }
    return runs <= most ? KAL_OK : fail_many(ctx);
}

KalStatus kal_plan_read(KalSweepPlan *plan, const KalSweepReader *reader,
                        const KalSweepOptions *options)
{
    assert(plan && reader->ctx && reader->arena && reader->instant);
    *plan = (KalSweepPlan){.n_inputs = options->n_vary + options->n_random,
                           .n_grid = options->n_vary,
                           .samples = options->count,
                           .seed = options->seed,
                           .design = options->design};
    if (plan->n_inputs > KAL_SWEEP_INPUT_LIMIT) {
        return kal_fail(reader->ctx, KAL_ERR_LIMIT, "a sweep has up to %d inputs",
                        (int)KAL_SWEEP_INPUT_LIMIT);
    }
    plan->inputs = (KalSweepInput *)kal_arena_alloc(reader->arena, plan->n_inputs,
                                                    sizeof *plan->inputs);
    if (!plan->inputs) {
        return kal_no_memory(reader->ctx, "for inputs");
    }
    KAL_TRY(check_design(plan, reader->ctx));
    KAL_TRY(read_inputs(plan, reader, options));
    return count_runs(plan, reader->ctx);
}

// A part of the way from a to b, whose distance may be more than a number can be.
static double between(double a, double b, double part)
{
    const double width = b - a;
    return isfinite(width) ? a + part * width : (1.0 - part) * a + part * b;
}

// The last value is the given end to the bit, whatever rounding does to the others.
double kal_input_value(const KalSweepInput *input, uint64_t i)
{
    assert(i < input->count);
    if (input->kind == KAL_INPUT_LIST) {
        return input->values[i];
    }
    const double part = input->count > 1 ? (double)i / (double)(input->count - 1) : 0.0;
    return i > 0 && i == input->count - 1 ? input->b
                                          : between(input->a, input->b, part);
}

double kal_input_base(const KalSweepInput *input, double value)
{
    return input->degrees ? kal_radians(value) : value;
}

// Which part of its distribution random input `axis` of a run is at.
static double part_of(const KalSweepPlan *plan, uint64_t run, uint32_t axis)
{
    assert(plan->samples > 0);
    const uint64_t sample = run % plan->samples;
    const KalDraw own = {plan->seed, run, axis, USE_SAMPLE};
    const KalDraw order = {plan->seed, run / plan->samples, axis, USE_ORDER};
    const KalDraw shift = {plan->seed, run / plan->samples, axis, USE_SHIFT};
    switch (plan->design) {
    case KAL_SWEEP_LATIN:
        return kal_draw_within(kal_draw_shuffle(order, sample, plan->samples),
                               kal_draw_part(kal_draw_bits(own)), plan->samples);
    case KAL_SWEEP_SOBOL:
        return kal_draw_part(kal_sobol_bits(sample, (int)axis) ^ kal_draw_bits(shift));
    case KAL_SWEEP_RANDOM: break;
    }
    return kal_draw_part(kal_draw_bits(own));
}

// Between a and b, whatever rounding does: of logarithms it may be more than their distance.
static double random_value(const KalSweepInput *input, double part)
{
    assert(part > 0.0 && part < 1.0);
    const double a = input->a;
    const double b = input->b;
    switch (input->kind) {
    case KAL_INPUT_LOGUNIFORM:
        return fmin(fmax(exp(log(a) + part * (log(b) - log(a))), a), b);
    case KAL_INPUT_NORMAL: return a + b * kal_normal_quantile(part);
    case KAL_INPUT_UNIFORM:
    case KAL_INPUT_LIST:
    case KAL_INPUT_RANGE: break;
    }
    return fmin(between(a, b, part), b);
}

// The run counts through the grid with its last axis fastest, and within a point of the
// grid through the samples.
void kal_plan_inputs(const KalSweepPlan *plan, uint64_t run, double *out_inputs)
{
    assert(plan->samples > 0 && (out_inputs || plan->n_inputs == 0));
    uint64_t point = run / plan->samples;
    for (size_t i = plan->n_grid; i-- > 0;) {
        const KalSweepInput *input = &plan->inputs[i];
        out_inputs[i] = kal_input_value(input, point % input->count);
        point /= input->count;
    }
    for (size_t i = plan->n_grid; i < plan->n_inputs; i++) {
        const double part = part_of(plan, run, (uint32_t)(i - plan->n_grid));
        out_inputs[i] = random_value(&plan->inputs[i], part);
    }
}

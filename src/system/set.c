// SPDX-License-Identifier: MIT

// Values for a state as a text, `x = 1 [m], a' = 2*deg`: parsed as an `init` statement of the
// language is, but only with numbers, parameters, arithmetic, and units that must fit.

#include "base/block.h"
#include "lang/parser.h"
#include "system/instant.h"
#include "system/measure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A text of values on its way into a state.
typedef struct Setting {
    KalInstant *instant;
    KalDiagnostics *diagnostics;
    const char *time_unit; // of what the name t stands for
    bool *set;             // kal_system_targets(): what was named
    uint32_t columns;      // before the text
} Setting;

static double fail(Setting *s, const KalNode *node, const char *what)
{
    kal_diagnostics_add(s->diagnostics, KAL_SEVERITY_ERROR, node->span, "%s", what);
    return NAN;
}

// The name that a target or parameter is written as, without spaces and primes.
static void spell(const KalNode *node, char *text, size_t size)
{
    assert(size > 0);
    size_t used = 0;
    for (uint32_t i = node->span.begin; i < node->span.end && used + 1 < size; i++) {
        const char c = node->span.source->text[i];
        if (c != ' ' && c != '\t' && c != '\'') {
            text[used++] = c;
        }
    }
    text[used] = '\0';
}

static double evaluate(Setting *s, const KalNode *node);

static double evaluate_name(Setting *s, const KalNode *node)
{
    const KalModel *model = s->instant->system->model;
    char name[512];
    spell(node, name, sizeof name);
    if (strcmp(name, "pi") == 0) {
        return acos(-1.0);
    }
    if (strcmp(name, "deg") == 0) {
        return acos(-1.0) / 180.0;
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        if (strcmp(model->parameters[i].name, name) == 0) {
            return s->instant->settings.parameters[i];
        }
    }
    return fail(s, node,
                "this is no parameter of the model; values are numbers, "
                "parameters, pi and deg with + - * / ^");
}

static double join(Setting *s, const KalNode *first) // NOLINT(misc-no-recursion)
{
    assert(first);
    double value = evaluate(s, first);
    for (const KalNode *node = first->next; node; node = node->next) {
        const double next = evaluate(s, node);
        switch (node->join) {
        case KAL_JOIN_PLUS: value += next; break;
        case KAL_JOIN_MINUS: value -= next; break;
        case KAL_JOIN_TIMES: value *= next; break;
        case KAL_JOIN_OVER: value /= next; break;
        case KAL_JOIN_NONE: break; // the first has none
        }
    }
    return value;
}

// As deep as the tree, which has a limit.
static double evaluate(Setting *s, const KalNode *node) // NOLINT(misc-no-recursion)
{
    assert(node);
    const KalNodeKind kind = node->kind;
    if (kind == KAL_NODE_NUMBER) {
        return node->of.number.value;
    }
    if (kind == KAL_NODE_NEGATE) {
        return -evaluate(s, node->of.unary.operand);
    }
    if (kind == KAL_NODE_POWER) {
        return pow(evaluate(s, node->of.binary.left),
                   evaluate(s, node->of.binary.right));
    }
    if (kind == KAL_NODE_ADD || kind == KAL_NODE_MULTIPLY) {
        return join(s, node->of.list.items);
    }
    if (kind == KAL_NODE_NAME || kind == KAL_NODE_MEMBER || kind == KAL_NODE_INDEX) {
        return evaluate_name(s, node);
    }
    return fail(s, node,
                "values are numbers, parameters, pi and deg with "
                "+ - * / ^");
}

// The place of a state or a hold; −1 if none has the name.
static int64_t find_dynamic(const KalSystem *system, const char *name)
{
    const KalModel *model = system->model;
    for (size_t i = 0; i < model->n_states; i++) {
        if (strcmp(model->states[i].name, name) == 0) {
            return (int64_t)(system->layout.states + i);
        }
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        if (strcmp(model->holds[i].name, name) == 0) {
            return (int64_t)(system->layout.holds + i);
        }
    }
    return -1;
}

// The place in the state that a target names, −1 if none; 0 is the time.
static int64_t find_target(const Setting *s, const KalNode *target)
{
    assert(target);
    const KalSystem *system = s->instant->system;
    const bool velocity = target->kind == KAL_NODE_PRIME;
    char name[512];
    spell(target, name, sizeof name);
    if (strcmp(name, "t") == 0 && !velocity) {
        return 0;
    }
    for (int i = 0; i < system->n && !(velocity && target->op != 1); i++) {
        if (strcmp(kal_system_coordinate_names(system)[i], name) == 0) {
            return (int64_t)(velocity ? system->layout.qd : system->layout.q) + i;
        }
    }
    return velocity ? -1 : find_dynamic(system, name);
}

static void complain(Setting *s, const KalNode *target)
{
    const KalSystem *system = s->instant->system;
    char name[512];
    spell(target, name, sizeof name);
    if (target->kind == KAL_NODE_PRIME && target->op > 1) {
        fail(s, target,
             "expected a coordinate or velocity; accelerations follow from the "
             "equations");
        return;
    }
    const char *near =
        kal_word_find_near(name, kal_system_coordinate_names(system), system->n);
    kal_diagnostics_add(s->diagnostics, KAL_SEVERITY_ERROR, target->span,
                        "the model has no coordinate, velocity, state or hold "
                        "'%.200s'%s%s%s",
                        name, near ? "; did you mean '" : "", near ? near : "",
                        near ? "'?" : "");
}

// The unit of a place in the state; `*out_rate`: each second.
static const char *unit_of(const Setting *s, int64_t place, bool *out_rate)
{
    assert(place >= 0);
    const KalSystem *system = s->instant->system;
    const KalModel *model = system->model;
    const int64_t motion = place - (int64_t)system->layout.q;
    const int64_t state = place - (int64_t)system->layout.states;
    const int64_t hold = place - (int64_t)system->layout.holds;
    *out_rate = motion >= system->n && motion < 2 * (int64_t)system->n;
    if (place == 0) {
        return s->time_unit;
    }
    if (motion >= 0 && motion < 2 * (int64_t)system->n) {
        return model->coordinates[motion % system->n].unit;
    }
    return state >= 0 && state < (int64_t)model->n_states ? model->states[state].unit
           : hold >= 0 && hold < (int64_t)model->n_holds  ? model->holds[hold].unit
                                                          : NULL;
}

// What a value comes to in the unit of its place.
static KalStatus measure(Setting *s, const KalNode *start, int64_t place,
                         double *number)
{
    bool rate = false;
    KalUnit unit;
    KalUnit second;
    KAL_TRY(kal_measure_read(s->instant->ctx, unit_of(s, place, &rate), &unit));
    if (rate) {
        KAL_TRY(kal_measure_read(s->instant->ctx, "s", &second));
        unit = kal_unit_divide(unit, second);
    }
    *number = kal_measure_apply(start, *number, unit, s->diagnostics);
    return KAL_OK;
}

static KalStatus set(Setting *s, const KalNode *start)
{
    const KalNode *target = start->of.declaration.target;
    const int64_t place = find_target(s, target);
    if (place < 0) {
        complain(s, target);
        return KAL_OK;
    }
    if (place > 0 && s->set[place - 1]) {
        fail(s, target, "this value is given twice");
        return KAL_OK;
    }
    double value = evaluate(s, start->of.declaration.value);
    if (!isfinite(value)) {
        fail(s, start->of.declaration.value, "this is no finite number");
        return KAL_OK;
    }
    if (start->of.declaration.unit
        || place == 0) { // t may stand for an input in degrees
        KAL_TRY(measure(s, start, place, &value));
    }
    assert((size_t)place < s->instant->system->layout.active);
    s->instant->variables[place] = value;
    if (place > 0) {
        s->set[place - 1] = true;
    }
    return KAL_OK;
}

static KalStatus set_all(Setting *s, const KalSource *source)
{
    assert(source);
    KalTree *tree = NULL;
    KAL_TRY(kal_parse(s->instant->ctx, source, s->diagnostics, &tree));
    KalStatus status = KAL_OK;
    const KalNode *statement = kal_tree_first(tree);
    if (!statement || statement->next) {
        kal_diagnostics_add(s->diagnostics, KAL_SEVERITY_ERROR,
                            (KalSpan){source, 0, source->length},
                            "expected values such as x = 1, y' = 2");
    } else {
        for (const KalNode *start = statement->of.list.items; start && status == KAL_OK;
             start = start->next) {
            status = set(s, start);
        }
    }
    kal_tree_destroy(tree);
    KAL_TRY(status);
    return kal_diagnostics_count(s->diagnostics, KAL_SEVERITY_ERROR) > 0
               ? kal_diagnostics_fail(s->diagnostics, KAL_ERR_SYNTAX)
               : KAL_OK;
}

// The text as the end of an `init` statement, which is parsed as in a model.
static KalStatus make_source(KalContext *ctx, const char *name, const char *word,
                             const char *text, KalSource **out_source)
{
    assert(name && word && text && out_source);
    const size_t length = strlen(word);
    KalBlock block = {.data = NULL};
    KalStatus status = kal_block_add(ctx, &block, word, length);
    if (status == KAL_OK) {
        status = kal_block_add(ctx, &block, text, strlen(text));
    }
    if (status == KAL_OK) {
        status = kal_source_create(ctx, name, (const char *)block.data, block.size,
                                   out_source);
    }
    if (status == KAL_OK) {
        (*out_source)->prefix = (uint32_t)length;
    }
    kal_block_clear(ctx, &block);
    return status;
}

// Read a text, after a word, into the state.  The diagnostics of the setting are made here.
static KalStatus read_text(Setting s, const char *name, const char *word,
                           const char *text)
{
    assert(s.instant && name && text);
    KalContext *ctx = s.instant->ctx;
    KalSource *source = NULL;
    s.instant->contacts.stale = s.instant->system->model->n_contacts > 0;
    KalStatus status = kal_diagnostics_create(ctx, &s.diagnostics);
    if (status == KAL_OK) {
        status = make_source(ctx, name, word, text, &source);
    }
    if (status == KAL_OK) {
        source->columns = s.columns;
        status = set_all(&s, source);
    }
    kal_diagnostics_destroy(s.diagnostics);
    kal_source_destroy(ctx, source);
    return status;
}

KalStatus kal_instant_set_named(KalInstant *instant, const char *name, const char *text,
                                bool *out_set)
{
    return read_text((Setting){.instant = instant, .time_unit = "s", .set = out_set},
                     name, "init ", text);
}

// A value is read as one for t, which stands for what has the unit.
KalStatus kal_instant_read_value(KalInstant *instant, const char *name,
                                 const char *text, uint32_t columns, const char *unit,
                                 double *out_value)
{
    assert(instant && out_value);
    const Setting setting = {.instant = instant, .time_unit = unit, .columns = columns};
    const double t = *kal_instant_t(instant);
    const KalStatus status = read_text(setting, name, "init t = ", text);
    *out_value = *kal_instant_t(instant);
    instant->variables[0] = t;
    return status;
}

static bool all_set(const bool *set, int count)
{
    assert(count >= 0);
    for (int i = 0; i < count; i++) {
        if (!set[i]) {
            return false;
        }
    }
    return true;
}

KalStatus kal_instant_set(KalInstant *instant, const char *text, bool *out_complete)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && text);
    const int motion = 2 * instant->system->n;
    const size_t count = kal_system_targets(instant->system);
    bool *set = (bool *)kal_alloc(instant->ctx, count, sizeof *set);
    if (!set) {
        return kal_no_memory(instant->ctx, "for values");
    }
    const KalStatus status = kal_instant_set_named(instant, "--at", text, set);
    if (status == KAL_OK && out_complete) {
        *out_complete = all_set(set, motion);
    }
    kal_free(instant->ctx, set, count * sizeof *set);
    return status;
}

// SPDX-License-Identifier: MIT

// A table of a run: which columns there are, and their values in the run's present state.
//
// All facts about a kind of column stand in one row of columns.def, which this file
// expands three times: to the kinds, to functions that take a value, and to the table of
// kinds.  A new column is a new row there.
//
// Invariant: `columns` says what each column of the table holds, in its order.

#include "sim/record.h"

#include "base/block.h"
#include "base/texts.h"
#include "sim/run_impl.h"
#include "system/draft.h"
#include "table/row.h"

#include <kalaba/text.h>
#include <kalaba/version.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Bytes that a table may take: most computers have as many.
#define MOST_BYTES ((size_t)2 << 30)

enum {
    NAME_SIZE = KAL_TABLE_LABEL_LIMIT,
    LIST_SIZE = 1000
};

// What a column holds: the rows of columns.def.
typedef enum Kind {
#define KAL_COLUMN(name, word, sight, of, pattern, unit, value) name,
#include "sim/columns.def"
#undef KAL_COLUMN
} Kind;

typedef struct Column {
    Kind kind;
    int index;
    bool doubt; // a value in it was not unique
} Column;

// Formulas that are no outputs, and their values in the present state.
typedef struct Formulas {
    KalProgram *program; // NULL without any
    double *values;      // then the work memory of the program, then `prepared`
    size_t size;
    double *work;
    double *prepared; // parameters that the program is prepared for
    bool is_prepared;
} Formulas;

struct KalRecord {
    KalContext *ctx;
    const KalSystem *system;
    KalTable *table;
    KalBlock columns; // Column
    int number;       // of the run
    bool has_works;   // there are columns of powers or works
    bool plain;       // columns are the time, the state and outputs, in this order
    double *row;
    size_t row_size;
    Formulas formulas; // of curves and drawings
    KalDoubts formula_doubts;
    KalDoubter doubter; // of these formulas
    Formulas laws;      // control and demand of each; forces, so none is in doubt
};

// The name of a column, and its unit.
typedef struct Label {
    char name[NAME_SIZE];
    char unit[NAME_SIZE];
} Label;

// When a record has the columns of a kind.
typedef enum Sight {
    ALWAYS,
    ASKED,   // a pattern fits
    BY_NAME, // asked for by its whole name, or by whom it is made for
} Sight;

// What there is a column for each of.
typedef enum Owner {
    NOBODY, // there is one column
    COORDINATES,
    STATES,
    HOLDS,
    OUTPUTS,
    CONSTRAINTS,
    ACTUATORS, // that servos use
    LAWS,
    WORKS,
    FORMULAS,
} Owner;

static int count_of(const KalSystem *system, Owner owner)
{
    switch (owner) {
    case NOBODY: return 1;
    case COORDINATES: return system->n;
    case STATES: return system->n_states;
    case HOLDS: return system->n_holds;
    case OUTPUTS: return system->n_outputs;
    case CONSTRAINTS: return system->m;
    case ACTUATORS: return system->n_actuators;
    case LAWS: return (int)system->model->n_laws;
    case WORKS: return (int)system->balance.n_workers;
    case FORMULAS: return 0; // until there are some
    }
    assert(false && "not an owner");
    return 0;
}

// The name of one of them, and its unit if it has one.
static KalQuantity owner_of(const KalSystem *system, Owner owner, int i)
{
    assert(i >= 0 && (owner == FORMULAS || i < count_of(system, owner)));
    const KalModel *model = system->model;
    switch (owner) {
    case COORDINATES:
        return (KalQuantity){.name = model->coordinates[i].name,
                             .unit = model->coordinates[i].unit};
    case STATES:
        return (KalQuantity){.name = model->states[i].name,
                             .unit = model->states[i].unit};
    case HOLDS:
        return (KalQuantity){.name = model->holds[i].name,
                             .unit = model->holds[i].unit};
    case OUTPUTS:
        return (KalQuantity){.name = model->outputs[i].name,
                             .unit = model->outputs[i].unit};
    case CONSTRAINTS: return (KalQuantity){.name = model->constraints[i].name};
    case ACTUATORS: return (KalQuantity){.name = model->actuators[i].name};
    case LAWS: return (KalQuantity){.name = model->laws[i].name};
    case WORKS: return (KalQuantity){.name = system->balance.workers[i].name};
    case NOBODY:
    case FORMULAS: break;
    }
    return (KalQuantity){.name = ""};
}

// Where values come from.
typedef struct Sample {
    const KalRun *run;
    const KalInstant *instant;
    const KalLayout *layout;
    const double *variables;
    const double *outputs;
    const double *formulas;
    const double *laws; // control and demand of each
    const KalWork *works;
    int number; // of the run
} Sample;

static double total_force(const Sample *s, size_t i)
{
    const KalMotionAnswer *answer = &s->instant->answer;
    return answer->force_ideal[i] + answer->force_nonideal[i];
}

static double demand(const Sample *s, size_t i)
{
    const KalInstant *instant = s->instant;
    return instant->control ? kal_control_get(instant->control).demanded[i] : 0.0;
}

#define KAL_COLUMN(name, word, sight, of, pattern, unit, value) \
    static double value_of_##name(const Sample *s, size_t i)    \
    {                                                           \
        (void)i;                                                \
        return value;                                           \
    }
#include "sim/columns.def"
#undef KAL_COLUMN

// Facts about kinds of columns.
typedef struct KindRow {
    const char *word;
    Sight sight;
    Owner owner;
    const char *pattern; // of names, with %s for that of the owner
    const char *unit;    // with %s for that of the owner, which then has to have one
    double (*value)(const Sample *s, size_t i);
} KindRow;

static const KindRow kinds[] = {
#define KAL_COLUMN(name, word, sight, of, pattern, unit, value) \
    [name] = {word, sight, of, pattern, unit, value_of_##name},
#include "sim/columns.def"
#undef KAL_COLUMN
};

enum {
    KIND_COUNT = sizeof kinds / sizeof kinds[0]
};

// Write a pattern with a text in place of %s; what is too long for a name is cut.
static void fill(const char *pattern, const char *text, char *out)
{
    assert(pattern && text && out);
    const char *gap = strstr(pattern, "%s");
    const size_t before = gap ? (size_t)(gap - pattern) : strlen(pattern);
    int used = snprintf(out, NAME_SIZE, "%.*s", (int)before, pattern);
    if (gap) {
        used += snprintf(out + used, NAME_SIZE - (size_t)used, "%s", text);
    }
    if (gap && used < NAME_SIZE) {
        (void)snprintf(out + used, NAME_SIZE - (size_t)used, "%s", gap + 2);
    }
}

// The unit of an owner in that of a column: none without, in brackets if it is a product.
static void fill_unit(const char *pattern, const char *unit, char *out)
{
    assert(pattern && out);
    char bracketed[NAME_SIZE];
    const bool product =
        unit && strcmp(pattern, "%s") != 0 && strpbrk(unit, "*/^") != NULL;
    (void)snprintf(bracketed, NAME_SIZE, product ? "(%s)" : "%s", unit ? unit : "");
    fill(*bracketed || !strstr(pattern, "%s") ? pattern : "", bracketed, out);
}

static void label_column(const KalSystem *system, Column column, Label *label)
{
    const KindRow *kind = &kinds[column.kind];
    const KalQuantity owner = owner_of(system, kind->owner, column.index);
    char number[NAME_SIZE];
    (void)snprintf(number, NAME_SIZE, "%d", column.index + 1);
    const bool driven = column.kind == REACTION
                        && system->model->constraints[column.index].driven
                               != KAL_NOT_DRIVEN; // then the name is drive(x)
    fill(driven ? "%s" : kind->pattern, kind->owner == FORMULAS ? number : owner.name,
         label->name);
    fill_unit(kind->unit, owner.unit, label->unit);
}

// Room for the values of a program and what it takes to find them.
static KalStatus make_room(KalRecord *record, Formulas *f, size_t count)
{
    assert(f->program && !f->values);
    const size_t work = kal_program_work(f->program);
    const size_t numbers = count + work + record->system->model->n_parameters + 1;
    f->values = (double *)kal_alloc(record->ctx, numbers, sizeof(double));
    if (!f->values) {
        return kal_no_memory(record->ctx, "for a record");
    }
    f->size = numbers * sizeof(double);
    f->work = f->values + count;
    f->prepared = f->work + work;
    return KAL_OK;
}

static void clear_formulas(KalRecord *record, Formulas *f)
{
    kal_program_destroy(f->program);
    kal_free(record->ctx, f->values, f->size);
}

// The formulas of all laws, when the first column of one is asked for.
static KalStatus compile_laws(KalRecord *record)
{
    const KalModel *model = record->system->model;
    const size_t count = 2 * model->n_laws;
    if (record->laws.program) {
        return KAL_OK;
    }
    KalExpr *list = (KalExpr *)kal_alloc(record->ctx, count, sizeof *list);
    if (!list) {
        return kal_no_memory(record->ctx, "for a record");
    }
    for (size_t i = 0; i < model->n_laws; i++) {
        list[2 * i] = model->laws[i].control;
        list[2 * i + 1] = model->laws[i].demand;
    }
    KalDraft draft;
    KalStatus status = kal_draft_init(&draft, record->ctx, record->system);
    if (status == KAL_OK) {
        status = kal_system_compile(&draft.system, list, count, &record->laws.program);
    }
    kal_draft_clear(&draft);
    kal_free(record->ctx, list, count * sizeof *list);
    return status == KAL_OK ? make_room(record, &record->laws, count) : status;
}

static KalStatus add_column(KalRecord *record, Column column)
{
    assert((size_t)column.kind < sizeof kinds / sizeof kinds[0]);
    Label label;
    label_column(record->system, column, &label);
    if (kal_table_find_column(record->table, label.name)
        < kal_table_columns(record->table)) {
        return KAL_OK; // an output may be called so
    }
    record->has_works =
        record->has_works || column.kind == POWER || column.kind == WORK;
    KAL_TRY(kinds[column.kind].owner == LAWS ? compile_laws(record) : KAL_OK);
    KAL_TRY(kal_table_add_column(
        record->table, (KalQuantity){.name = label.name, .unit = label.unit}));
    return kal_block_add(record->ctx, &record->columns, &column, sizeof column);
}

static KalStatus add_kind(KalRecord *record, Kind kind)
{
    assert((int)kind < KIND_COUNT);
    for (int i = 0; i < count_of(record->system, kinds[kind].owner); i++) {
        KAL_TRY(add_column(record, (Column){.kind = kind, .index = i}));
    }
    return KAL_OK;
}

// Add the columns of a kind that fit a pattern.
static KalStatus add_fitting(KalRecord *record, Kind kind, const char *pattern,
                             bool *found)
{
    assert(pattern && found);
    for (int i = 0; i < count_of(record->system, kinds[kind].owner); i++) {
        const Column column = {.kind = kind, .index = i};
        Label label;
        label_column(record->system, column, &label);
        const bool exists =
            kind != POWER || record->system->balance.workers[i].kind != KAL_WORK_TIME;
        const bool wanted = exists && kal_word_fits(pattern, label.name);
        *found = *found || wanted;
        KAL_TRY(wanted ? add_column(record, column) : KAL_OK);
    }
    return KAL_OK;
}

// Names of all columns that can be asked for, with letters for those that they are of.
static void list_patterns(char *out, size_t size)
{
    assert(size > 0);
    static const char *const letters[] = {
        [NOBODY] = "",  [COORDINATES] = "x", [STATES] = "",     [HOLDS] = "",
        [OUTPUTS] = "", [CONSTRAINTS] = "c", [ACTUATORS] = "u", [LAWS] = NULL,
        [WORKS] = "w",  [FORMULAS] = "none"};
    size_t used = 0;
    *out = '\0';
    for (int kind = 0; kind < KIND_COUNT && used < size; kind++) {
        char name[NAME_SIZE];
        const char *letter = letters[kinds[kind].owner];
        fill(kinds[kind].pattern, letter ? letter : "", name);
        if (kinds[kind].sight != BY_NAME && letter && *name) {
            used += (size_t)snprintf(out + used, size - used, "%s, ", name);
        }
    }
}

// Columns that a pattern fits; `run` goes by its whole name only.
static KalStatus add_pattern(KalRecord *record, const char *pattern)
{
    assert(pattern);
    bool found = false;
    char list[LIST_SIZE];
    if (strcmp(pattern, kinds[RUN].pattern) == 0) {
        return add_column(record, (Column){.kind = RUN});
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        KAL_TRY(kinds[kind].sight == BY_NAME
                    ? KAL_OK
                    : add_fitting(record, (Kind)kind, pattern, &found));
    }
    if (found) {
        return KAL_OK;
    }
    list_patterns(list, sizeof list);
    return kal_fail(record->ctx, KAL_ERR_USAGE,
                    "no column is called '%s'; there are %sfor every coordinate x, "
                    "constraint c, actuator u and all w that does work, and the "
                    "states, holds and outputs",
                    pattern, list);
}

// Whether columns are the time, positions, velocities and outputs, all of them and no others.
static bool is_plain(const KalRecord *record)
{
    const Column *columns = (const Column *)record->columns.data;
    const size_t count = record->columns.size / sizeof *columns;
    bool plain =
        count == 1 + 2 * (size_t)record->system->n + (size_t)record->system->n_outputs;
    for (size_t i = 0; i < count; i++) {
        const Kind kind = columns[i].kind;
        plain =
            plain
            && (kind == TIME || kind == POSITION || kind == VELOCITY || kind == OUTPUT);
    }
    return plain;
}

// Make room for a row of all columns.
static KalStatus widen(KalRecord *record)
{
    const size_t size = kal_table_columns(record->table) * sizeof(double);
    record->plain = is_plain(record);
    double *row =
        (double *)kal_resize(record->ctx, record->row, record->row_size, size);
    if (!row) {
        return kal_no_memory(record->ctx, "for a record");
    }
    record->row = row;
    record->row_size = size;
    return KAL_OK;
}

static KalStatus init(KalRecord *record, const char *const *patterns, size_t count)
{
    KAL_TRY(kal_table_create(record->ctx, MOST_BYTES, &record->table));
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        KAL_TRY(kinds[kind].sight == ALWAYS ? add_kind(record, (Kind)kind) : KAL_OK);
    }
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(add_pattern(record, patterns[i]));
    }
    return widen(record);
}

KalStatus kal_record_create(KalContext *ctx, const KalSystem *system,
                            const char *const *patterns, size_t count,
                            KalRecord **out_record)
{
    KAL_NEED(ctx, ctx && system && kal_has_texts(patterns, count) && out_record);
    KalRecord *record = KAL_NEW(ctx, KalRecord);
    if (!record) {
        return kal_no_memory(ctx, "for a record");
    }
    record->ctx = ctx;
    record->system = system;
    record->number = 1;
    const KalStatus status = init(record, patterns, count);
    if (status != KAL_OK) {
        kal_record_destroy(record);
        return status;
    }
    *out_record = record;
    return KAL_OK;
}

KalStatus kal_record_add_errors(KalRecord *record)
{
    KAL_TRY(add_column(record, (Column){.kind = POSITION_ERROR}));
    KAL_TRY(add_column(record, (Column){.kind = VELOCITY_ERROR}));
    return widen(record);
}

// Programs and doubts of formulas; they need no graph once they are made.
static KalStatus compile_formulas(KalRecord *record, const KalExpr *formulas,
                                  size_t count)
{
    assert(formulas || count == 0);
    KalDraft draft;
    KalStatus status = kal_draft_init(&draft, record->ctx, record->system);
    if (status == KAL_OK) {
        status = kal_system_compile(&draft.system, formulas, count,
                                    &record->formulas.program);
    }
    if (status == KAL_OK) {
        status =
            kal_doubts_init(&record->formula_doubts, &draft.system, formulas, count);
    }
    kal_draft_clear(&draft);
    return status;
}

KalStatus kal_record_add_formulas(KalRecord *record, const KalExpr *formulas,
                                  size_t count)
{
    KAL_TRY(compile_formulas(record, formulas, count));
    KAL_TRY(make_room(record, &record->formulas, count));
    KAL_TRY(kal_doubter_init(&record->doubter, record->ctx, &record->formula_doubts,
                             record->system, true));
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(add_column(record, (Column){.kind = FORMULA, .index = (int)i}));
    }
    return widen(record);
}

void kal_record_destroy(KalRecord *record)
{
    if (record) {
        kal_doubter_clear(&record->doubter, record->system);
        kal_doubts_clear(&record->formula_doubts);
        clear_formulas(record, &record->formulas);
        clear_formulas(record, &record->laws);
        kal_free(record->ctx, record->row, record->row_size);
        kal_block_clear(record->ctx, &record->columns);
        kal_table_destroy(record->table);
        kal_free(record->ctx, record, sizeof *record);
    }
}

// Whether some event may end a run early.
static bool may_stop(const KalModel *model)
{
    for (size_t i = 0; i < model->n_events; i++) {
        for (size_t k = 0; k < model->events[i].n_actions; k++) {
            if (model->events[i].actions[k].kind == KAL_ACTION_STOP) {
                return true;
            }
        }
    }
    return false;
}

// Told before a run begins, not when memory ends; unless an event may end the run early.
KalStatus kal_record_foresee(const KalRecord *record, const KalRunOptions *options)
{
    KAL_NEED(record ? record->ctx : NULL, record && options);
    const double rows = floor((options->until - options->from) / options->every) + 2.0;
    const double columns = (double)kal_table_columns(record->table);
    const double bytes = rows * columns * sizeof(double);
    if (bytes <= (double)MOST_BYTES || may_stop(record->system->model)) {
        return KAL_OK;
    }
    return kal_fail(record->ctx, KAL_ERR_LIMIT,
                    "a table of %.3g samples with %zu columns takes %.3g bytes, more "
                    "than the %.3g allowed: take samples further apart, fewer columns "
                    "or a shorter time",
                    rows, kal_table_columns(record->table), bytes, (double)MOST_BYTES);
}

KalTable *kal_record_table(KalRecord *record)
{
    if (!record) {
        return NULL;
    }
    return record->table;
}

const char *kal_record_kind(const KalRecord *record, size_t column)
{
    assert(column < kal_table_columns(record->table));
    return kinds[((const Column *)record->columns.data)[column].kind].word;
}

// Whether the reaction of a constraint depends on how it shares a force with others.
static bool is_shared(const KalInstant *instant, int constraint)
{
    assert(constraint >= 0 && constraint < instant->system->m);
    double factor = 1.0;
    bool shared = kal_contacts_is_shared(
        instant, kal_contacts_normal_of(instant, constraint, &factor));
    for (int k = 0; k < instant->n_active; k++) {
        shared = shared
                 || (instant->rows[k] == constraint
                     && instant->answer.dependent_set[k] >= 0);
    }
    return shared;
}

// Whether a work is one of a drive that shares its force.
static bool is_shared_work(const KalInstant *instant, const KalWorker *work)
{
    const KalModel *model = instant->system->model;
    bool shared = false;
    for (int i = 0; work->kind == KAL_WORK_DRIVE && i < instant->system->m; i++) {
        shared = shared
                 || (strcmp(model->constraints[i].name, work->name) == 0
                     && is_shared(instant, i));
    }
    return shared;
}

// Kinds of columns whose values may depend on how dependent constraints share a force,
// theory (2.9).
static bool is_doubtful(const KalRecord *record, KalInstant *instant, Column column)
{
    switch (column.kind) {
    case OUTPUT: return instant->doubter.marks[column.index];
    case FORMULA: return record->doubter.marks[column.index];
    case REACTION: return is_shared(instant, column.index);
    case POWER:
    case WORK:
        return is_shared_work(instant, &instant->system->balance.workers[column.index]);
    case TIME:
    case POSITION:
    case VELOCITY:
    case STATE:
    case HOLD:
    case ACCELERATION:
    case FORCE:
    case CONTROL:
    case DEMAND:
    case LAW_CONTROL:
    case LAW_DEMAND:
    case ENERGY:
    case POSITION_ERROR:
    case VELOCITY_ERROR:
    case RUN: break;
    }
    return false;
}

bool kal_record_has_doubts(KalRecord *record, KalRun *run)
{
    assert(record && run);
    KalInstant *instant = run->instant;
    if (kal_run_sample_values(run)) {
        return false; // rows are independent where it waits
    }
    if (instant->answer.n_dependent_sets == 0 && !instant->contacts.sharing.doubtful) {
        return false;
    }
    (void)kal_instant_doubts(instant);
    if (record->formulas.program) {
        (void)kal_doubter_judge(&record->doubter, instant);
    }
    return true;
}

bool kal_record_doubts(const KalRecord *record, KalRun *run, size_t column)
{
    assert(column < record->columns.size / sizeof(Column));
    return is_doubtful(record, run->instant,
                       ((const Column *)record->columns.data)[column]);
}

// Describe a column when the first value that is not unique is in it.
static KalStatus describe(KalRecord *record, KalRun *run, size_t i)
{
    Column *column = (Column *)record->columns.data + i;
    if (column->doubt || !kal_record_doubts(record, run, i)) {
        return KAL_OK;
    }
    KAL_TRY(kal_table_set_description(record->table, i, KAL_TABLE_NOT_UNIQUE));
    column->doubt = true;
    return KAL_OK;
}

// Note which columns have values that hang on how constraints share a force.
static KalStatus note_doubts(KalRecord *record, KalRun *run)
{
    const size_t n =
        kal_record_has_doubts(record, run) ? kal_table_columns(record->table) : 0;
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(describe(record, run, i));
    }
    return KAL_OK;
}

void kal_record_set_run(KalRecord *record, int number)
{
    if (!record) {
        return;
    }
    record->number = number;
}

// Find the values of formulas where `sample` has its variables.  Runs may have parameters of
// their own: true if these are new.
static bool find_values(const KalRecord *record, const Sample *sample, Formulas *f)
{
    assert(f->program);
    const double *parameters = sample->instant->settings.parameters;
    const size_t size = record->system->model->n_parameters * sizeof(double);
    const bool is_new = !f->is_prepared || memcmp(f->prepared, parameters, size) != 0;
    if (is_new) {
        memcpy(f->prepared, parameters, size);
        kal_program_prepare(f->program, parameters, f->work);
        f->is_prepared = true;
    }
    kal_program_eval(f->program, sample->variables, f->work, f->values);
    return is_new;
}

// The row of a sample that the instant was not asked for yet; false: it has to be, for there
// are other columns or an output that is not finite.
static bool look_at_sample(const KalRecord *record, const KalRun *run, double *row)
{
    const double *x = kal_run_sample_values(run);
    const KalSystem *system = record->system;
    const size_t n_state = 2 * (size_t)system->n;
    const size_t n_outputs = (size_t)system->n_outputs;
    if (!x || !record->plain || (n_outputs > 0 && !run->stock.places.has_outputs)) {
        return false;
    }
    double sum = 0.0; // NaN where one is not finite
    row[0] = run->t;
    for (size_t i = 0; i < n_state; i++) {
        row[1 + i] = x[KAL_LANES * i];
    }
    x += KAL_LANES * run->stock.places.outputs;
    for (size_t i = 0; i < n_outputs; i++) {
        row[1 + n_state + i] = x[KAL_LANES * i];
        sum += 0.0 * x[KAL_LANES * i];
    }
    return sum == 0.0;
}

static Sample begin_sample(const KalRecord *record, const KalRun *run,
                           const double *variables)
{
    return (Sample){.run = run,
                    .instant = run->instant,
                    .layout = &record->system->layout,
                    .variables = variables,
                    .formulas = record->formulas.values,
                    .laws = record->laws.values,
                    .number = record->number};
}

// Whether the time, positions, velocities and states are all that a kind of column takes.
static bool is_of_state(Kind kind)
{
    return kind == TIME || kind == POSITION || kind == VELOCITY || kind == STATE
           || kind == HOLD || kind == FORMULA || kind == RUN;
}

// The values of all columns; those that ask for a motion are NaN without one.
static void take_values(const KalRecord *record, const Sample *sample, bool moves)
{
    const Column *columns = (const Column *)record->columns.data;
    for (size_t i = 0; i < record->columns.size / sizeof *columns; i++) {
        const Column column = columns[i];
        record->row[i] = moves || is_of_state(column.kind)
                             ? kinds[column.kind].value(sample, (size_t)column.index)
                             : NAN;
    }
}

// Everything that columns may ask for is computed first; then each kind takes its value
// (columns.def). A sample that is known ahead has its row already.
KalStatus kal_record_look(KalRecord *record, KalRun *run, const double **out_values)
{
    assert(record && run && out_values);
    KAL_TRY(kal_run_check_user(run, record->ctx, record->system));
    *out_values = record->row;
    if (look_at_sample(record, run, record->row)) {
        return KAL_OK;
    }
    kal_run_settle(run);
    Sample sample = begin_sample(record, run, run->instant->variables);
    assert(record->columns.size == kal_table_columns(record->table) * sizeof(Column));
    if (record->has_works) {
        kal_run_works(run, &sample.works);
    }
    KAL_TRY(kal_instant_outputs(run->instant, &sample.outputs));
    if (record->formulas.program && find_values(record, &sample, &record->formulas)) {
        kal_doubter_prepare(&record->doubter, run->instant->settings.parameters);
    }
    if (record->laws.program) {
        (void)find_values(record, &sample, &record->laws);
    }
    take_values(record, &sample, true);
    return KAL_OK;
}

KalStatus kal_record_take(KalRecord *record, KalRun *run)
{
    KAL_NEED(record ? record->ctx : NULL, record && run);
    const double *row = NULL;
    if (run->stock.away && run->system == record->system) {
        double *next = NULL;
        KAL_TRY(kal_table_open_row(record->table, &next));
        if (look_at_sample(record, run, next)) {
            kal_table_keep_row(record->table);
            return KAL_OK;
        }
    }
    KAL_TRY(kal_record_look(record, run, &row));
    const KalRunOptions *o = &run->options;
    KAL_TRY(kal_table_expect_rows(record->table, (o->until - o->from) / o->every));
    KAL_TRY(note_doubts(record, run));
    return kal_table_add_row(record->table, row);
}

// Formulas of what the state does not determine come out as NaN, for these are NaN.
KalStatus kal_record_take_start(KalRecord *record, KalRun *run)
{
    KAL_NEED(record ? record->ctx : NULL, record && run);
    KAL_TRY(kal_run_check_placed(run, record->ctx, record->system));
    const KalLayout *layout = &record->system->layout;
    const size_t size = layout->count * sizeof(double);
    double *variables = (double *)kal_alloc(record->ctx, 1, size);
    if (!variables) {
        return kal_no_memory(record->ctx, "for the start of a run");
    }
    memcpy(variables, run->instant->variables, size);
    for (size_t i = layout->qdd; i < layout->count; i++) {
        variables[i] = NAN;
    }
    const Sample sample = begin_sample(record, run, variables);
    if (record->formulas.program) {
        (void)find_values(record, &sample, &record->formulas);
    }
    take_values(record, &sample, false);
    kal_free(record->ctx, variables, size);
    return kal_table_add_row(record->table, record->row);
}

KalStatus kal_record_finish(KalRecord *record, const KalRun *run)
{
    KAL_NEED(record ? record->ctx : NULL, record && run);
    KAL_TRY(kal_run_check_user(run, record->ctx, record->system));
    return kal_run_note(run, record->table);
}

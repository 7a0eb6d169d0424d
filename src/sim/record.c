// SPDX-License-Identifier: MIT

#include "sim/record.h"

#include "base/block.h"
#include "sim/draft.h"
#include "sim/run.h"

#include <kalaba/text.h>
#include <kalaba/version.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

// Bytes that a table may take: most computers have as many.
#define MOST_BYTES ((size_t)2 << 30)

enum {
    NAME_SIZE = KAL_TABLE_LABEL_LIMIT
};

// What a column holds.
typedef enum Kind {
    TIME,
    POSITION,
    VELOCITY,
    OUTPUT,
    ACCELERATION,
    FORCE,
    REACTION,
    CONTROL,
    DEMAND,
    POWER,
    WORK,
    ENERGY,
    POSITION_ERROR,
    VELOCITY_ERROR,
    FORMULA,
    RUN, // asked for by its name only
} Kind;

typedef struct Column {
    Kind kind;
    int index;
    bool doubt; // a value in it was not unique
} Column;

struct KalRecord {
    KalContext *ctx;
    const KalSystem *system;
    KalTable *table;
    KalBlock columns; // Column
    int number;       // of the run
    bool has_works;   // there are columns of powers or works
    double *row;
    size_t row_size;
    KalDoubts formula_doubts;
    KalDoubter doubter;  // of the formulas
    KalProgram *program; // of the formulas; NULL without
    double *formulas;    // their values, then the work memory of the program
    size_t formulas_size;
    double *prepared; // parameters that the programs of formulas are prepared for
    bool is_prepared;
    double *work;
};

// The name of a column, and its unit.
typedef struct Label {
    char name[NAME_SIZE];
    char unit[NAME_SIZE];
} Label;

static void label_rate(Label *label, const KalCoordinate *c, int order)
{
    const char *unit = c->unit ? c->unit : "";
    const char *per = order == 1 ? "/s" : "/s^2";
    const bool product = strpbrk(unit, "*/^") != NULL;
    (void)snprintf(label->name, NAME_SIZE, "%s%s", c->name, order == 1 ? "'" : "''");
    (void)snprintf(label->unit, NAME_SIZE, "%s%s%s%s", product ? "(" : "",
                   *unit ? unit : "", product ? ")" : "", *unit ? per : "");
}

static void label_reaction(Label *label, const KalConstraint *c)
{
    const bool driven = c->driven != KAL_NOT_DRIVEN; // then the name is drive(x)
    (void)snprintf(label->name, NAME_SIZE, driven ? "%s" : "reaction(%s)", c->name);
}

static void label_column(const KalSystem *system, Column column, Label *label)
{
    const KalModel *model = system->model;
    const int i = column.index;
    const char *unit = "";
    label->unit[0] = '\0';
    switch (column.kind) {
    case TIME:
        (void)snprintf(label->name, NAME_SIZE, "t");
        unit = "s";
        break;
    case POSITION:
        (void)snprintf(label->name, NAME_SIZE, "%s", model->coordinates[i].name);
        unit = model->coordinates[i].unit;
        break;
    case VELOCITY: label_rate(label, &model->coordinates[i], 1); return;
    case ACCELERATION: label_rate(label, &model->coordinates[i], 2); return;
    case OUTPUT:
        (void)snprintf(label->name, NAME_SIZE, "%s", model->outputs[i].name);
        unit = model->outputs[i].unit;
        break;
    case FORCE:
        (void)snprintf(label->name, NAME_SIZE, "cforce(%s)",
                       model->coordinates[i].name);
        break;
    case REACTION: label_reaction(label, &model->constraints[i]); break;
    case CONTROL:
        (void)snprintf(label->name, NAME_SIZE, "control(%s)", model->actuators[i].name);
        break;
    case DEMAND:
        (void)snprintf(label->name, NAME_SIZE, "demand(%s)", model->actuators[i].name);
        break;
    case POWER:
        (void)snprintf(label->name, NAME_SIZE, "power(%s)", system->works[i].name);
        unit = "W";
        break;
    case WORK:
        (void)snprintf(label->name, NAME_SIZE, "work(%s)", system->works[i].name);
        unit = "J";
        break;
    case ENERGY:
        (void)snprintf(label->name, NAME_SIZE, "energy()");
        unit = "J";
        break;
    case POSITION_ERROR:
        (void)snprintf(label->name, NAME_SIZE, "error(position)");
        break;
    case VELOCITY_ERROR:
        (void)snprintf(label->name, NAME_SIZE, "error(velocity)");
        break;
    case FORMULA: (void)snprintf(label->name, NAME_SIZE, "#%d", i + 1); break;
    case RUN: (void)snprintf(label->name, NAME_SIZE, "run"); break;
    }
    (void)snprintf(label->unit, NAME_SIZE, "%s", unit ? unit : "");
}

static int count_of(const KalSystem *system, Kind kind)
{
    switch (kind) {
    case POSITION:
    case VELOCITY:
    case ACCELERATION:
    case FORCE: return system->n;
    case OUTPUT: return system->n_outputs;
    case REACTION: return system->m;
    case CONTROL:
    case DEMAND: return system->n_actuators;
    case POWER:
    case WORK: return (int)system->n_works;
    case TIME:
    case ENERGY:
    case POSITION_ERROR:
    case VELOCITY_ERROR:
    case FORMULA:
    case RUN: break;
    }
    return 1;
}

static KalStatus add_column(KalRecord *record, Column column)
{
    Label label;
    label_column(record->system, column, &label);
    if (kal_table_find_column(record->table, label.name)
        < kal_table_columns(record->table)) {
        return KAL_OK; // an output may be called so
    }
    record->has_works =
        record->has_works || column.kind == POWER || column.kind == WORK;
    KAL_TRY(kal_table_add_column(
        record->table, (KalQuantity){.name = label.name, .unit = label.unit}));
    return kal_block_add(record->ctx, &record->columns, &column, sizeof column);
}

static KalStatus add_kind(KalRecord *record, Kind kind)
{
    for (int i = 0; i < count_of(record->system, kind); i++) {
        KAL_TRY(add_column(record, (Column){.kind = kind, .index = i}));
    }
    return KAL_OK;
}

// Add the columns of a kind that fit a pattern.
static KalStatus add_fitting(KalRecord *record, Kind kind, const char *pattern,
                             bool *found)
{
    for (int i = 0; i < count_of(record->system, kind); i++) {
        const Column column = {.kind = kind, .index = i};
        Label label;
        label_column(record->system, column, &label);
        const bool exists =
            kind != POWER || record->system->works[i].kind != KAL_WORK_TIME;
        const bool wanted = exists && kal_word_fits(pattern, label.name);
        *found = *found || wanted;
        KAL_TRY(wanted ? add_column(record, column) : KAL_OK);
    }
    return KAL_OK;
}

static KalStatus add_pattern(KalRecord *record, const char *pattern)
{
    bool found = false;
    if (strcmp(pattern, "run") == 0) {
        return add_column(record, (Column){.kind = RUN});
    }
    for (int kind = TIME; kind <= ENERGY; kind++) {
        KAL_TRY(add_fitting(record, (Kind)kind, pattern, &found));
    }
    return found
               ? KAL_OK
               : kal_fail(
                   record->ctx, KAL_ERR_USAGE,
                   "no column is called '%s'; there are x, x', x'', cforce(x) "
                   "for every coordinate x, reaction(c) for constraints, "
                   "control(u), demand(u) for actuators, power(w) and work(w) for all "
                   "that does work, energy() and the outputs",
                   pattern);
}

// Make room for a row of all columns.
static KalStatus widen(KalRecord *record)
{
    const size_t size = kal_table_columns(record->table) * sizeof(double);
    double *row =
        (double *)kal_resize(record->ctx, record->row, record->row_size, size);
    if (!row) {
        return kal_fail(record->ctx, KAL_ERR_NOMEM, "no memory for a record");
    }
    record->row = row;
    record->row_size = size;
    return KAL_OK;
}

static KalStatus init(KalRecord *record, const char *const *patterns, size_t count)
{
    KAL_TRY(kal_table_create(record->ctx, MOST_BYTES, &record->table));
    for (int kind = TIME; kind <= OUTPUT; kind++) {
        KAL_TRY(add_kind(record, (Kind)kind));
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
    KAL_NEED(ctx, ctx && system && (patterns || count == 0) && out_record);
    KalRecord *record = KAL_NEW(ctx, KalRecord);
    if (!record) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for a record");
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
    KalDraft draft;
    KalStatus status = kal_draft_init(&draft, record->ctx, record->system);
    if (status == KAL_OK) {
        status = kal_system_compile(&draft.system, formulas, count, &record->program);
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
    const size_t work = kal_program_work(record->program);
    const size_t numbers = count + work + record->system->model->n_parameters;
    record->formulas = (double *)kal_alloc(record->ctx, numbers + 1, sizeof(double));
    if (!record->formulas) {
        return kal_fail(record->ctx, KAL_ERR_NOMEM, "no memory for a record");
    }
    record->formulas_size = (numbers + 1) * sizeof(double);
    record->work = record->formulas + count;
    record->prepared = record->work + work;
    KAL_TRY(kal_doubter_init(&record->doubter, record->ctx, &record->formula_doubts,
                             record->system));
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
        kal_program_destroy(record->program);
        kal_free(record->ctx, record->formulas, record->formulas_size);
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

// Where values come from.
typedef struct Sample {
    const KalRun *run;
    const KalInstant *instant;
    const double *outputs;
    const double *formulas;
    const KalWork *works;
    int number; // of the run
} Sample;

static double value_of(const Sample *sample, Column column)
{
    const KalInstant *instant = sample->instant;
    const KalLayout *layout = &instant->system->layout;
    const double *v = instant->variables;
    const size_t i = (size_t)column.index;
    switch (column.kind) {
    case TIME: return v[0];
    case POSITION: return v[layout->q + i];
    case VELOCITY: return v[layout->qd + i];
    case ACCELERATION: return v[layout->qdd + i];
    case OUTPUT: return sample->outputs[i];
    case FORCE:
        return instant->answer.force_ideal[i] + instant->answer.force_nonideal[i];
    case REACTION: return v[layout->reactions + i];
    case CONTROL: return v[layout->controls + i];
    case DEMAND:
        return instant->control ? kal_control_get(instant->control).demanded[i] : 0.0;
    case POWER: return sample->works[i].power;
    case WORK: return sample->works[i].work;
    case POSITION_ERROR: return sample->run->residual_q;
    case VELOCITY_ERROR: return sample->run->residual_qd;
    case FORMULA: return sample->formulas[i];
    case RUN: return sample->number;
    case ENERGY: break;
    }
    return v[layout->energy];
}

static bool is_shared(const KalInstant *instant, int constraint)
{
    bool shared = false;
    for (int k = 0; k < instant->n_active; k++) {
        shared = shared
                 || (instant->rows[k] == constraint
                     && instant->answer.dependent_set[k] >= 0);
    }
    return shared;
}

// Whether a work is one of a drive that shares its force.
static bool is_shared_work(const KalInstant *instant, const KalWork *work)
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

static bool is_doubtful(const KalRecord *record, KalInstant *instant, Column column)
{
    switch (column.kind) {
    case OUTPUT: return instant->doubter.marks[column.index];
    case FORMULA: return record->doubter.marks[column.index];
    case REACTION: return is_shared(instant, column.index);
    case POWER:
    case WORK: return is_shared_work(instant, &instant->system->works[column.index]);
    case TIME:
    case POSITION:
    case VELOCITY:
    case ACCELERATION:
    case FORCE:
    case CONTROL:
    case DEMAND:
    case ENERGY:
    case POSITION_ERROR:
    case VELOCITY_ERROR:
    case RUN: break;
    }
    return false;
}

// Describe a column when the first value that is not unique is in it.
static KalStatus describe(KalRecord *record, KalInstant *instant, size_t i)
{
    Column *column = (Column *)record->columns.data + i;
    if (column->doubt || !is_doubtful(record, instant, *column)) {
        return KAL_OK;
    }
    KAL_TRY(kal_table_set_description(record->table, i, KAL_TABLE_NOT_UNIQUE));
    column->doubt = true;
    return KAL_OK;
}

// Note which columns have values that hang on how constraints share a force.
static KalStatus note_doubts(KalRecord *record, KalInstant *instant)
{
    KalStatus status = KAL_OK;
    if (instant->answer.n_dependent_sets == 0) {
        return KAL_OK;
    }
    (void)kal_instant_doubts(instant);
    if (record->program) {
        (void)kal_doubter_judge(&record->doubter, instant);
    }
    for (size_t i = 0; i < kal_table_columns(record->table) && status == KAL_OK; i++) {
        status = describe(record, instant, i);
    }
    return status;
}

void kal_record_set_run(KalRecord *record, int number)
{
    if (!record) {
        return;
    }
    record->number = number;
}

// Runs may have parameters of their own.
static void prepare_formulas(KalRecord *record, const KalInstant *instant)
{
    const double *parameters = instant->settings.parameters;
    const size_t size = record->system->model->n_parameters * sizeof(double);
    if (!record->is_prepared || memcmp(record->prepared, parameters, size) != 0) {
        memcpy(record->prepared, parameters, size);
        kal_program_prepare(record->program, parameters, record->work);
        kal_doubter_prepare(&record->doubter, parameters);
        record->is_prepared = true;
    }
}

KalStatus kal_record_take(KalRecord *record, KalRun *run)
{
    KAL_NEED(record ? record->ctx : NULL, record && run);
    KAL_TRY(kal_run_check_user(run, record->ctx, record->system));
    Sample sample = {.run = run,
                     .instant = run->instant,
                     .formulas = record->formulas,
                     .number = record->number};
    const Column *columns = (const Column *)record->columns.data;
    if (record->has_works) {
        kal_run_works(run, &sample.works);
    }
    KAL_TRY(kal_instant_outputs(run->instant, &sample.outputs));
    if (record->program) {
        prepare_formulas(record, run->instant);
        kal_program_eval(record->program, run->instant->variables, record->work,
                         record->formulas);
    }
    for (size_t i = 0; i < kal_table_columns(record->table); i++) {
        record->row[i] = value_of(&sample, columns[i]);
    }
    KAL_TRY(note_doubts(record, run->instant));
    return kal_table_add_row(record->table, record->row);
}

static KalStatus note_parameters(KalRecord *record, const KalInstant *instant)
{
    const KalModel *model = record->system->model;
    for (size_t i = 0; i < model->n_parameters; i++) {
        const KalParameter *p = &model->parameters[i];
        const KalQuantity quantity = {.name = p->name, .unit = p->unit};
        KAL_TRY(kal_table_set_parameter(record->table, quantity,
                                        instant->settings.parameters[i]));
    }
    return KAL_OK;
}

static KalStatus note_options(KalRecord *record, const KalRunOptions *options)
{
    KalTable *table = record->table;
    KAL_TRY(kal_table_set_text(table, "method", kal_method_word(options->method)));
    KAL_TRY(kal_table_set_text(table, "drift", kal_drift_word(options->drift)));
    KAL_TRY(kal_table_set_number(table, "rtol", options->rtol));
    return kal_table_set_number(table, "atol", options->atol);
}

static KalStatus note_statistics(KalRecord *record, const KalRunStatistics *s)
{
    const struct {
        const char *key;
        double value;
    } notes[] = {
        {"steps",          (double)s->steps      },
        {"rejected_steps", (double)s->rejected   },
        {"evaluations",    (double)s->evaluations},
        {"position_error", s->position_error     },
        {"velocity_error", s->velocity_error     },
        {"energy_initial", s->energy_initial     },
        {"energy_final",   s->energy_final       },
        {"energy_drift",   s->energy_drift       },
        {"energy_balance", s->energy_balance     },
        {"events",         s->events             },
        {"passages",       s->passages           },
    };

    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        KAL_TRY(kal_table_set_number(record->table, notes[i].key, notes[i].value));
    }
    return KAL_OK;
}

KalStatus kal_record_finish(KalRecord *record, const KalRun *run)
{
    KAL_NEED(record ? record->ctx : NULL, record && run);
    KAL_TRY(kal_run_check_user(run, record->ctx, record->system));
    KalTable *table = record->table;
    KAL_TRY(kal_table_set_text(table, "model", kal_system_title(record->system)));
    KAL_TRY(kal_table_set_text(table, "model_text", record->system->source->text));
    KAL_TRY(kal_table_set_text(table, "kalaba", kal_version()));
    KAL_TRY(note_parameters(record, run->instant));
    KAL_TRY(note_options(record, &run->options));
    KAL_TRY(note_statistics(record, &run->statistics));
    if (run->stopped_by) {
        KAL_TRY(kal_table_set_text(table, "stopped_by", run->stopped_by));
    }
    kal_table_set_incomplete(table, !run->over);
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// A sweep that is made, before any run: its plan, what is kept, and its structures.
//
// Most inputs are set in a system that is loaded once.  Those that change the structure
// of a model need a system for each combination of their values, a structure; the runs
// of a structure share it.  Structures may differ in their columns: the values of the
// sweep are the union of theirs, and a run has NaN in those that its structure lacks.

#include "sweep/sweep.h"

#include "base/texts.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBER_SIZE = 32
};

// Bytes that a sweep may take, but for its systems.
#define MOST_BYTES ((size_t)1 << 30)

const char *kal_sweep_design_word(KalSweepDesign design)
{
    switch (design) {
#define CASE(name, word, meaning) \
    case name: return word;
        KAL_SWEEP_DESIGN_LIST(CASE)
#undef CASE
    }
    return NULL; // a number from elsewhere
}

// Which of the structures a run has: the inputs that change it count as the grid does.
static size_t structure_of(const KalSweep *sweep, uint64_t run)
{
    const KalSweepPlan *plan = &sweep->plan;
    uint64_t point = run / plan->samples;
    size_t index = 0;
    size_t scale = 1;
    for (size_t i = plan->n_grid; i-- > 0;) {
        const KalSweepInput *input = &plan->inputs[i];
        if (input->fixed) {
            index += scale * (size_t)(point % input->count);
            scale *= (size_t)input->count;
        }
        point /= input->count;
    }
    assert(index < sweep->n_structures);
    return index;
}

const KalStructure *kal_sweep_structure(const KalSweep *sweep, uint64_t run)
{
    assert(run < kal_sweep_runs(sweep));
    return &sweep->structures[structure_of(sweep, run)];
}

static KalStatus no_memory(const KalSweep *sweep)
{
    return kal_no_memory(sweep->ctx, "for a sweep");
}

static char *copy(const KalSweep *sweep, const char *text)
{
    assert(text);
    return kal_plan_copy(sweep->arena, text, strlen(text));
}

// What is kept of runs.
static KalStatus read_keeps(KalSweep *sweep, const KalSweepOptions *options)
{
    assert(sweep->arena);
    const KalKeepReader reader = {.ctx = sweep->ctx, .arena = sweep->arena};
    if (options->trajectories ? options->keep != NULL : options->n_columns > 0) {
        return kal_fail(sweep->ctx, KAL_ERR_USAGE,
                        "a sweep keeps values of its runs, or all samples of columns "
                        "as trajectories: not values with trajectories, nor columns "
                        "without");
    }
    return options->trajectories
               ? kal_keep_columns(&reader, options->columns, options->n_columns,
                                  &sweep->asks, &sweep->n_asks)
               : kal_keep_read(&reader, options->keep ? options->keep : "final(*)",
                               &sweep->asks, &sweep->n_asks);
}

// With trajectories the name of a start value is that of a column.
static KalStatus label_inputs(KalSweep *sweep)
{
    for (size_t i = 0; i < sweep->plan.n_inputs; i++) {
        KalSweepInput *input = &sweep->plan.inputs[i];
        char label[KAL_TABLE_LABEL_LIMIT];
        if (!sweep->trajectories || !input->start) {
            continue;
        }
        (void)snprintf(label, sizeof label, "start(%s)", input->name);
        input->label = copy(sweep, label);
        if (!input->label) {
            return no_memory(sweep);
        }
    }
    return KAL_OK;
}

// Read the texts of the options.
static KalStatus read_options(KalSweep *sweep, const KalSystem *system,
                              const KalSweepOptions *options)
{
    KalSweepReader reader = {.ctx = sweep->ctx, .arena = sweep->arena};
    KAL_TRY(read_keeps(sweep, options));
    KAL_TRY(kal_instant_create(sweep->ctx, system, &reader.instant));
    const KalStatus status = kal_plan_read(&sweep->plan, &reader, options);
    kal_instant_destroy(reader.instant);
    return status == KAL_OK ? label_inputs(sweep) : status;
}

// Inputs that change the structure of the model need a system for each combination of
// their values.
static KalStatus count_structures(KalSweep *sweep, const KalSweepOptions *options)
{
    assert(!sweep->structures);
    double count = 1.0;
    for (size_t i = 0; i < sweep->plan.n_grid; i++) {
        const KalSweepInput *input = &sweep->plan.inputs[i];
        count *= input->fixed ? (double)input->count : 1.0;
        if (input->fixed && !options->load) {
            return kal_fail(sweep->ctx, KAL_ERR_FORMULATION,
                            "'%s' changes the structure of the model, which then has "
                            "to be loaded for each of its values",
                            input->name);
        }
    }
    if (count > KAL_SWEEP_BUILD_LIMIT) {
        return kal_fail(sweep->ctx, KAL_ERR_LIMIT,
                        "inputs that change the structure of the model have up to %d "
                        "combinations of values, not %.0f",
                        (int)KAL_SWEEP_BUILD_LIMIT, count);
    }
    sweep->structures = (KalStructure *)kal_arena_alloc(sweep->arena, (size_t)count,
                                                        sizeof *sweep->structures);
    sweep->n_structures = sweep->structures ? (size_t)count : 0;
    return sweep->structures ? KAL_OK : no_memory(sweep);
}

// The values of inputs for structure k, as overrides of the model.  The digits of k in
// the mixed base of the counts of inputs that change the structure, as in
// structure_of().
static KalStatus list_overrides(const KalSweep *sweep, size_t k, KalOverride *out_list,
                                size_t *out_count)
{
    assert(k < sweep->n_structures);
    size_t n = 0;
    for (size_t i = sweep->plan.n_grid; i-- > 0;) {
        const KalSweepInput *input = &sweep->plan.inputs[i];
        if (!input->fixed) {
            continue;
        }
        char text[NUMBER_SIZE];
        (void)snprintf(text, sizeof text, "%.17g",
                       kal_input_value(input, k % (size_t)input->count));
        k /= (size_t)input->count;
        out_list[n] = (KalOverride){.name = input->name, .value = copy(sweep, text)};
        if (!out_list[n++].value) {
            return no_memory(sweep);
        }
    }
    *out_count = n;
    return KAL_OK;
}

static KalStatus load(KalSweep *sweep, size_t k, const KalSystem *given,
                      const KalSweepOptions *options)
{
    assert(k < sweep->n_structures && given);
    KalStructure *s = &sweep->structures[k];
    size_t count = 0;
    KalOverride *list = (KalOverride *)kal_arena_alloc(
        sweep->arena, sweep->plan.n_grid + 1, sizeof *list);
    if (!list) {
        return no_memory(sweep);
    }
    KAL_TRY(list_overrides(sweep, k, list, &count));
    if (count > 0) {
        KAL_TRY(options->load(options->user, list, count, &s->own));
    }
    s->system = count > 0 ? s->own : given;
    return KAL_OK;
}

// Where start values are in the state of a structure.
static KalStatus find_places(const KalSweep *sweep, KalStructure *s)
{
    assert(s->system && !s->places);
    const size_t n = sweep->plan.n_inputs;
    s->places = (int *)kal_arena_alloc(sweep->arena, n + 1, sizeof *s->places);
    if (!s->places) {
        return no_memory(sweep);
    }
    for (size_t i = 0; i < n; i++) {
        s->places[i] = kal_plan_place(s->system, sweep->plan.inputs[i].name);
    }
    return KAL_OK;
}

// What is kept of the runs of a structure, on its way.
typedef struct Listing {
    KalSweep *sweep;
    KalBlock keeps; // KalKeep
} Listing;

// The number of a value of the sweep, which may be new.
static KalStatus find_value(KalSweep *sweep, KalQuantity quantity, size_t *out_number)
{
    assert(quantity.name);
    const KalQuantity *values = (const KalQuantity *)sweep->values.data;
    const size_t count = sweep->values.size / sizeof *values;
    size_t i = 0;
    while (i < count && strcmp(values[i].name, quantity.name) != 0) {
        i++;
    }
    *out_number = i;
    if (i < count) {
        return KAL_OK;
    }
    const KalQuantity own = {
        .name = copy(sweep, quantity.name),
        .unit = copy(sweep, quantity.unit ? quantity.unit : ""),
        .description = copy(sweep, quantity.description ? quantity.description : "")};
    if (!own.name || !own.unit || !own.description) {
        return no_memory(sweep);
    }
    return kal_block_add(sweep->ctx, &sweep->values, &own, sizeof own);
}

static KalStatus add_keep(void *user, KalKeep keep, KalQuantity quantity)
{
    Listing *listing = (Listing *)user;
    KAL_TRY(find_value(listing->sweep, quantity, &keep.value));
    const KalKeep *keeps = (const KalKeep *)listing->keeps.data;
    for (size_t i = 0; i < listing->keeps.size / sizeof keep; i++) {
        if (keeps[i].value == keep.value) {
            return KAL_OK; // asked for twice
        }
    }
    return kal_block_add(listing->sweep->ctx, &listing->keeps, &keep, sizeof keep);
}

static KalStatus list_keeps(Listing *listing, KalStructure *s)
{
    assert(s->system && !s->keeps);
    KalSweep *sweep = listing->sweep;
    const KalKeepList list = {s->asks, s->n_asks, sweep->trajectories, add_keep,
                              listing};
    KalRecord *record = NULL;
    KAL_TRY(kal_keep_record(sweep->ctx, s->system, s->asks, s->n_asks, &record));
    KalStatus status = kal_keep_list(sweep->ctx, record, s->system, &list);
    kal_record_destroy(record);
    const size_t size = listing->keeps.size;
    if (status == KAL_OK) {
        s->keeps = (KalKeep *)kal_arena_alloc(sweep->arena, size + 1, 1);
        s->n_keeps = size / sizeof(KalKeep);
        status = s->keeps ? KAL_OK : no_memory(sweep);
    }
    if (s->keeps && size > 0) {
        memcpy(s->keeps, listing->keeps.data, size);
    }
    return status;
}

// A listing that takes nothing in.
static KalStatus pass_over(void *user, KalKeep keep, KalQuantity quantity)
{
    (void)user;
    (void)keep;
    (void)quantity;
    return KAL_OK;
}

// Whether a structure has what is asked for.
static KalStatus find_ask(KalSweep *sweep, const KalStructure *s, const KalKeepAsk *ask)
{
    const KalKeepList list = {ask, 1, sweep->trajectories, pass_over, NULL};
    KalRecord *record = NULL;
    KAL_TRY(kal_keep_record(sweep->ctx, s->system, ask, 1, &record));
    const KalStatus status = kal_keep_list(sweep->ctx, record, s->system, &list);
    kal_record_destroy(record);
    return status;
}

// What is asked for and is there; a structure alone has to have all.
static KalStatus choose_asks(KalSweep *sweep, KalStructure *s, bool *found)
{
    assert(s->n_asks == 0);
    s->asks =
        (KalKeepAsk *)kal_arena_alloc(sweep->arena, sweep->n_asks, sizeof *s->asks);
    if (!s->asks) {
        return no_memory(sweep);
    }
    for (size_t i = 0; i < sweep->n_asks; i++) {
        const KalStatus status = find_ask(sweep, s, &sweep->asks[i]);
        if (status == KAL_OK) {
            s->asks[s->n_asks++] = sweep->asks[i];
            found[i] = true;
        } else if (status != KAL_ERR_USAGE || sweep->n_structures == 1) {
            return status;
        }
    }
    return KAL_OK;
}

static KalStatus prepare(KalSweep *sweep, KalStructure *s, bool *found)
{
    assert(s->system);
    Listing listing = {.sweep = sweep};
    s->options = kal_run_options(s->system);
    if (sweep->adjust) {
        sweep->adjust(sweep->user, &s->options);
    }
    KAL_TRY(find_places(sweep, s));
    KAL_TRY(choose_asks(sweep, s, found));
    const KalStatus status = list_keeps(&listing, s);
    kal_block_clear(sweep->ctx, &listing.keeps);
    return status;
}

// A structure that cannot be loaded makes its runs fail, unless there is no other.
static KalStatus make_structure(KalSweep *sweep, size_t k, const KalSystem *given,
                                const KalSweepOptions *options)
{
    assert(k < sweep->n_structures);
    KalStructure *s = &sweep->structures[k];
    s->status = load(sweep, k, given, options);
    if (s->status == KAL_OK || s->status == KAL_ERR_NOMEM || sweep->n_structures == 1) {
        return s->status;
    }
    s->reason = copy(sweep, kal_context_message(sweep->ctx));
    return s->reason ? KAL_OK : no_memory(sweep);
}

static KalStatus check_found(KalSweep *sweep, const bool *found)
{
    assert(sweep->n_structures > 0);
    size_t loaded = 0;
    const KalStructure *last = &sweep->structures[sweep->n_structures - 1];
    for (size_t k = 0; k < sweep->n_structures; k++) {
        loaded += sweep->structures[k].system != NULL;
    }
    if (loaded == 0) {
        return kal_fail(sweep->ctx, last->status, "%s", last->reason);
    }
    for (size_t i = 0; i < sweep->n_asks; i++) {
        if (!found[i]) {
            return kal_fail(sweep->ctx, KAL_ERR_USAGE,
                            "no structure of the model has '%.200s' to keep",
                            sweep->asks[i].pattern);
        }
    }
    return KAL_OK;
}

static KalStatus init(KalSweep *sweep, const KalSystem *system,
                      const KalSweepOptions *options)
{
    assert(sweep->ctx && !sweep->arena);
    KAL_TRY(kal_arena_create(sweep->ctx, MOST_BYTES, &sweep->arena));
    KAL_TRY(read_options(sweep, system, options));
    KAL_TRY(count_structures(sweep, options));
    bool *found = (bool *)kal_arena_alloc(sweep->arena, sweep->n_asks, sizeof *found);
    if (!found) {
        return no_memory(sweep);
    }
    for (size_t k = 0; k < sweep->n_structures; k++) {
        const KalStructure *s = &sweep->structures[k];
        KAL_TRY(make_structure(sweep, k, system, options));
        KAL_TRY(s->system ? prepare(sweep, &sweep->structures[k], found) : KAL_OK);
    }
    return check_found(sweep, found);
}

KalStatus kal_sweep_create(KalContext *ctx, const KalSystem *system,
                           const KalSweepOptions *options, KalSweep **out_sweep)
{
    KAL_NEED(ctx, ctx && system && options && out_sweep);
    KAL_NEED(ctx, kal_has_texts(options->vary, options->n_vary)
                      && kal_has_texts(options->random, options->n_random)
                      && kal_has_texts(options->columns, options->n_columns));
    KalSweep *sweep = KAL_NEW(ctx, KalSweep);
    if (!sweep) {
        return kal_no_memory(ctx, "for a sweep");
    }
    sweep->ctx = ctx;
    sweep->given = system;
    sweep->trajectories = options->trajectories;
    sweep->adjust = options->adjust;
    sweep->user = options->user;
    const KalStatus status = init(sweep, system, options);
    if (status != KAL_OK) {
        kal_sweep_destroy(sweep);
        return status;
    }
    *out_sweep = sweep;
    return KAL_OK;
}

void kal_sweep_destroy(KalSweep *sweep)
{
    if (!sweep) {
        return;
    }
    for (size_t k = 0; k < sweep->n_structures; k++) {
        kal_system_destroy(sweep->structures[k].own);
    }
    kal_block_clear(sweep->ctx, &sweep->values);
    kal_arena_destroy(sweep->arena);
    kal_free(sweep->ctx, sweep, sizeof *sweep);
}

uint64_t kal_sweep_runs(const KalSweep *sweep)
{
    return sweep ? sweep->plan.points * sweep->plan.samples : 0;
}

const KalSystem *kal_sweep_system(const KalSweep *sweep)
{
    return sweep ? sweep->given : NULL;
}

size_t kal_sweep_inputs(const KalSweep *sweep)
{
    return sweep ? sweep->plan.n_inputs : 0;
}

size_t kal_sweep_kept(const KalSweep *sweep)
{
    return sweep ? sweep->values.size / sizeof(KalQuantity) : 0;
}

KalQuantity kal_sweep_input(const KalSweep *sweep, size_t i)
{
    if (i >= kal_sweep_inputs(sweep)) {
        return (KalQuantity){.name = "", .unit = "", .description = ""};
    }
    const KalSweepInput *input = &sweep->plan.inputs[i];
    return (KalQuantity){.name = input->label ? input->label : input->name,
                         .unit = input->unit,
                         .description = ""};
}

KalQuantity kal_sweep_value(const KalSweep *sweep, size_t i)
{
    if (i >= kal_sweep_kept(sweep)) {
        return (KalQuantity){.name = "", .unit = "", .description = ""};
    }
    return ((const KalQuantity *)sweep->values.data)[i];
}

KalStatus kal_sweep_find_inputs(const KalSweep *sweep, uint64_t run, double *out_inputs)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && out_inputs);
    if (run < 1 || run > kal_sweep_runs(sweep)) {
        return kal_fail(sweep->ctx, KAL_ERR_USAGE,
                        "there is no run %llu: runs count from 1 to %llu",
                        (unsigned long long)run,
                        (unsigned long long)kal_sweep_runs(sweep));
    }
    kal_plan_inputs(&sweep->plan, run - 1, out_inputs);
    return KAL_OK;
}

void kal_sweep_fill_row(const KalSweep *sweep, uint64_t run, const double *values,
                        double *out_row)
{
    double *place = out_row + 1 + kal_sweep_inputs(sweep);
    out_row[0] = (double)(run + 1);
    kal_plan_inputs(&sweep->plan, run, out_row + 1);
    for (size_t k = 0; k < kal_sweep_kept(sweep); k++) {
        place[k] = values ? values[k] : NAN;
    }
}

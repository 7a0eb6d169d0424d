// SPDX-License-Identifier: MIT

// A check of a model: what its structure tells, and what its start tells.
//
// Failures of the start are findings, not failures of the check: the message is kept, whom it
// blames is noted, and the examination goes on with what can be said without a start.

#include "system/examine.h"

#include "expr/eval.h"
#include "system/contact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to examine the model";

enum {
    ALL_ROWS = -1 // no constraint is given for accelerations
};

// Keep the context's message before the next failure replaces it.
static KalStatus keep_reason(KalCheck *check)
{
    const char *message = kal_context_message(check->ctx);
    const size_t size = strlen(message) + 1;
    char *copy = (char *)kal_alloc(check->ctx, size, 1);
    if (!copy) {
        return kal_no_memory(check->ctx, PURPOSE);
    }
    memcpy(copy, message, size);
    check->reason = copy;
    check->reason_size = size;
    return KAL_OK;
}

// How many can be blamed at most.
static size_t count_names(const KalSystem *system)
{
    return (size_t)system->n + (size_t)system->m + (size_t)system->n_servos;
}

static void blame(KalCheck *check, const char *const *names, const int *indices,
                  int count)
{
    for (int i = 0; i < count; i++) {
        assert((size_t)check->n_at_fault < count_names(check->system));
        check->at_fault[check->n_at_fault++] = names[indices[i]];
    }
}

// Ranks and verdicts do not depend on forces and right-hand sides; without them no
// acceleration can be missing.
static KalStatus find_verdicts(KalCheck *check)
{
    assert(check->instant);
    KalInstant *instant = check->instant;
    const size_t count = (size_t)check->system->n + (size_t)check->system->m;
    if (instant->large.solver) {
        const KalStatus status = kal_large_instant_judge(instant);
        check->answer = instant->answer;
        return status;
    }
    double *zeros = (double *)kal_alloc(check->ctx, count, sizeof *zeros);
    if (!zeros) {
        return kal_no_memory(check->ctx, PURPOSE);
    }
    KalMotionProblem problem = kal_instant_problem(instant);
    problem.Q = zeros;
    problem.b = zeros;
    problem.C = NULL;
    const KalStatus status =
        kal_motion_solve(instant->motion, &problem, &check->answer);
    kal_free(check->ctx, zeros, count * sizeof *zeros);
    return status;
}

// The constraints that act, but for those that are given for accelerations; false if there
// are none of these.
static bool leave_accelerations(const KalInstant *instant, bool *active)
{
    const KalModel *model = instant->system->model;
    bool left = false;
    for (int i = 0; i < instant->system->m; i++) {
        const bool given = model->constraints[i].level == KAL_LEVEL_ACCELERATION;
        active[i] = instant->active[i] && !given;
        left = left || (instant->active[i] && given);
    }
    return left;
}

// Constraints on accelerations leave velocities free: the rank of the others, in the present
// state.  The verdicts of all constraints are found later.
static KalStatus examine_velocities(KalCheck *check)
{
    KalInstant *instant = check->instant;
    const size_t m = (size_t)check->system->m;
    KalStatus status = KAL_OK;
    check->velocity_rank = ALL_ROWS;
    bool *all = (bool *)kal_alloc(check->ctx, 2 * m + 1, sizeof *all);
    if (!all) {
        return kal_no_memory(check->ctx, PURPOSE);
    }
    memcpy(all, instant->active, m * sizeof *all);
    if (leave_accelerations(instant, all + m)) {
        kal_instant_activate(instant, all + m);
        status = kal_instant_givens(instant);
        status = status == KAL_OK ? find_verdicts(check) : status;
        check->velocity_rank = check->answer.rank_A;
        kal_instant_activate(instant, all);
    }
    kal_free(check->ctx, all, (2 * m + 1) * sizeof *all);
    return status;
}

static bool is_finding(KalStatus status)
{
    return status == KAL_ERR_CONTRADICTION || status == KAL_ERR_NO_ACCELERATION
           || status == KAL_ERR_FORMULATION;
}

// Find a start and solve there; what goes wrong is a finding.
static KalStatus examine_start(KalCheck *check)
{
    KalInstant *instant = check->instant;
    KalStatus status = kal_instant_start(instant, &check->start);
    check->start_consistent = status == KAL_OK;
    if (status == KAL_OK) {
        KAL_TRY(examine_velocities(check));
        status = kal_instant_solve(instant, &check->answer);
    } else if (is_finding(status)) {
        blame(check, kal_system_constraint_names(check->system), check->start.failed,
              check->start.n_failed);
        KAL_TRY(keep_reason(check));
        KAL_TRY(examine_velocities(check));
        KAL_TRY(kal_instant_givens(instant));
        return find_verdicts(check);
    }
    check->consistent = status == KAL_OK;
    if (!is_finding(status)) {
        return status;
    }
    const char *const *names = NULL;
    const size_t count = kal_instant_fault_names(instant, &names);
    for (size_t i = 0; i < count; i++) {
        check->at_fault[check->n_at_fault++] = names[i];
    }
    KAL_TRY(keep_reason(check));
    return find_verdicts(check);
}

static void fill_values(const KalCheck *check, double *values)
{
    assert(values);
    const KalModel *model = check->system->model;
    for (size_t id = 0; id < model->n_symbols; id++) {
        const KalSymbol *symbol = &model->symbols[id];
        switch (symbol->kind) {
        case KAL_SYMBOL_TIME: values[id] = *kal_instant_t(check->instant); break;
        case KAL_SYMBOL_PARAMETER:
            values[id] = check->instant->settings.parameters[symbol->index];
            break;
        case KAL_SYMBOL_COORDINATE:
            values[id] = kal_instant_q(check->instant)[symbol->index];
            break;
        case KAL_SYMBOL_VELOCITY:
            values[id] = kal_instant_qd(check->instant)[symbol->index];
            break;
        case KAL_SYMBOL_ACCELERATION: // answers, which no constraint of positions has
        case KAL_SYMBOL_REACTION:
        case KAL_SYMBOL_COORDINATE_FORCE:
        case KAL_SYMBOL_CONTROL:
        case KAL_SYMBOL_ENERGY:
        case KAL_SYMBOL_ACTIVE:
        case KAL_SYMBOL_STATE:
        case KAL_SYMBOL_HOLD:
        case KAL_SYMBOL_PROMISE: break;
        }
    }
}

// Values of the rows that restrict positions, in the state of the start.  False where
// combinations have none, as in special states.
static KalStatus evaluate_rows(KalCheck *check, const KalSparse *rows, double *values,
                               double *entries, bool *out_finite)
{
    assert(rows->start && out_finite);
    const size_t count = kal_sparse_entries(rows);
    fill_values(check, values);
    KAL_TRY(kal_eval(check->draft.model->graph, rows->value, count, values, entries));
    *out_finite = true;
    for (size_t k = 0; k < count; k++) {
        *out_finite = *out_finite && isfinite(entries[k]);
    }
    return KAL_OK;
}

// The rank of rows that restrict positions: a motion without force, whose mass matrix is 1,
// finds it.
static KalStatus find_rank(KalCheck *check, const KalSparse *rows, double *numbers)
{
    const size_t n = rows->columns;
    const size_t m = rows->rows;
    assert(n == (size_t)check->system->n);
    double *values = numbers;
    double *entries = values + check->system->model->n_symbols;
    double *A = entries + rows->start[m];
    double *M = A + m * n;
    double *zeros = M + n * n;
    bool finite = false;
    KAL_TRY(evaluate_rows(check, rows, values, entries, &finite));
    if (!finite) {
        check->configuration_rank = (int)check->classification->rank;
        return KAL_OK;
    }
    kal_scatter(rows, entries, A);
    for (size_t i = 0; i < n; i++) {
        M[i * n + i] = 1.0;
    }
    const KalMotionProblem problem = {
        .n = (int)n, .m = (int)m, .M = M, .Q = zeros, .A = A, .b = zeros};
    KalMotion *motion = NULL;
    KalMotionAnswer answer = {.rank_A = 0};
    KAL_TRY(kal_motion_create(check->ctx, NULL, (int)n, (int)m, &motion));
    const KalStatus status = kal_motion_solve(motion, &problem, &answer);
    check->configuration_rank = answer.rank_A;
    kal_motion_destroy(motion);
    return status;
}

// The same without dense arrays.  Arrays of the sparse problem, one after the other.
typedef struct Unit {
    KalWorkspace workspace;
    const KalSparse *rows;
    size_t n_symbols;
    int64_t *start;  // n + 1
    int64_t *column; // n
    double *ones;    // n
    double *zeros;   // n + m
    double *values;  // n_symbols
    double *entries;
    bool *active;       // m
    const char **names; // n + m
} Unit;

static void lay_out_unit(KalCarver *carver, void *owner)
{
    Unit *unit = owner;
    const size_t n = unit->rows->columns;
    const size_t m = unit->rows->rows;
    unit->start = kal_carve(carver, n + 1, sizeof *unit->start);
    unit->column = kal_carve(carver, n, sizeof *unit->column);
    unit->ones = kal_carve_doubles(carver, n, 1);
    unit->zeros = kal_carve_doubles(carver, n + m, 1);
    unit->values = kal_carve_doubles(carver, unit->n_symbols, 1);
    unit->entries = kal_carve_doubles(carver, (size_t)unit->rows->start[m], 1);
    unit->active = kal_carve_bools(carver, m);
    unit->names = kal_carve_names(carver, n + m);
}

static void fill_unit(Unit *unit)
{
    const size_t n = unit->rows->columns;
    const size_t m = unit->rows->rows;
    for (size_t i = 0; i < n; i++) {
        unit->start[i + 1] = (int64_t)i + 1;
        unit->column[i] = (int64_t)i;
        unit->ones[i] = 1.0;
    }
    for (size_t i = 0; i < m; i++) {
        unit->active[i] = true;
    }
    for (size_t i = 0; i < n + m; i++) {
        unit->names[i] = "";
    }
}

// The rank of rows alone: a problem with the unit matrix for masses and no forces.
static KalStatus solve_unit(KalContext *ctx, const Unit *unit, KalMotionAnswer *answer)
{
    assert(unit->rows->rows > 0);
    const KalSparse *rows = unit->rows;
    const int n = (int)rows->columns;
    const int m = (int)rows->rows;
    const KalLargeShape shape = {
        .n = n,
        .m = m,
        .M = {n, unit->start, unit->column},
        .A = {m, rows->start, rows->column},
        .coordinates = unit->names,
        .constraints = unit->names + n
    };
    const KalLargeProblem problem = {.M = unit->ones,
                                     .Q = unit->zeros,
                                     .A = unit->entries,
                                     .b = unit->zeros,
                                     .b_size = unit->zeros,
                                     .active = unit->active};
    KalLarge *large = NULL;
    KAL_TRY(kal_large_create(ctx, &shape, &large));
    const KalStatus status = kal_large_solve(large, &problem, answer);
    kal_large_destroy(large);
    return status;
}

static KalStatus examine_many_positions(KalCheck *check, const KalSparse *rows)
{
    Unit unit = {.rows = rows, .n_symbols = check->system->model->n_symbols};
    KalMotionAnswer answer = {.rank_A = (int)check->classification->rank};
    bool finite = false;
    KAL_TRY(kal_workspace_make(check->ctx, "to examine the model", lay_out_unit, &unit,
                               &unit.workspace));
    fill_unit(&unit);
    KalStatus status = evaluate_rows(check, rows, unit.values, unit.entries, &finite);
    if (status == KAL_OK && finite) {
        status = solve_unit(check->ctx, &unit, &answer);
    }
    check->configuration_rank = answer.rank_A;
    kal_workspace_clear(check->ctx, &unit.workspace);
    return status;
}

// The rows that restrict positions are combinations of those of velocities that can be
// integrated: their rank in the state of the start is how much freedom the
// configuration loses.
static KalStatus examine_positions(KalCheck *check)
{
    const KalSparse *rows = &check->classification->integrals;
    const size_t n = rows->columns;
    const size_t m = rows->rows;
    if (m == 0) {
        return KAL_OK;
    }
    if (check->instant->large.solver) {
        return examine_many_positions(check, rows);
    }
    const size_t count = check->system->model->n_symbols + (size_t)rows->start[m]
                         + m * n + n * n + n + m;
    double *numbers = (double *)kal_alloc(check->ctx, count, sizeof *numbers);
    if (!numbers) {
        return kal_no_memory(check->ctx, PURPOSE);
    }
    const KalStatus status = find_rank(check, rows, numbers);
    kal_free(check->ctx, numbers, count * sizeof *numbers);
    return status;
}

// First what formulas tell, then what the state of the start does.
static KalStatus examine(KalCheck *check)
{
    assert(!check->at_fault);
    const KalSystem *system = check->system;
    check->at_fault = (const char **)kal_alloc(check->ctx, count_names(system),
                                               sizeof *check->at_fault);
    if (!check->at_fault) {
        return kal_no_memory(check->ctx, PURPOSE);
    }
    KAL_TRY(kal_draft_init(&check->draft, check->ctx, system));
    KAL_TRY(kal_classify(&check->draft.equations, &check->classification));
    KAL_TRY(kal_conserve(&check->draft.equations, &check->conserved));
    KAL_TRY(kal_instant_create(check->ctx, system, &check->instant));
    KAL_TRY(examine_start(check));
    if (check->velocity_rank == ALL_ROWS) {
        check->velocity_rank = check->answer.rank_A;
    }
    KAL_TRY(examine_positions(check));
    check->configuration_rank += kal_contacts_count_gaps(check->instant);
    return KAL_OK;
}

KalStatus kal_check_create(KalContext *ctx, const KalSystem *system,
                           KalCheck **out_check)
{
    KAL_NEED(ctx, ctx && system && out_check);
    KalCheck *check = KAL_NEW(ctx, KalCheck);
    if (!check) {
        return kal_no_memory(ctx, PURPOSE);
    }
    check->ctx = ctx;
    check->system = system;
    const KalStatus status = examine(check);
    if (status != KAL_OK) {
        kal_check_destroy(check);
        return status;
    }
    *out_check = check;
    return KAL_OK;
}

void kal_check_destroy(KalCheck *check)
{
    if (!check) {
        return;
    }
    kal_instant_destroy(check->instant);
    kal_conservation_destroy(check->conserved);
    kal_classification_destroy(check->classification);
    kal_draft_clear(&check->draft);
    kal_free(check->ctx, check->at_fault,
             count_names(check->system) * sizeof *check->at_fault);
    kal_free(check->ctx, check->reason, check->reason_size);
    kal_free(check->ctx, check, sizeof *check);
}

bool kal_check_is_consistent(const KalCheck *check)
{
    if (!check) {
        return false;
    }
    return check->consistent;
}

const char *kal_check_reason(const KalCheck *check)
{
    if (!check) {
        return "";
    }
    return check->reason ? check->reason : "";
}

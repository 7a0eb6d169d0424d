// SPDX-License-Identifier: MIT

// The sparse side of an instant of a large system: entries of M and A as the programs
// give them, without a dense matrix.  All rows stay in their places, and `acts` says
// which take part: so that the structure of the factors stays the same whatever events
// do.

#include "system/large_instant.h"

#include "large/pass.h"
#include "system/dust.h"
#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static KalRowPattern shape_of(const KalSparse *matrix)
{
    return (KalRowPattern){(int)matrix->rows, matrix->start, matrix->column};
}

KalLargeShape kal_large_shape(const KalSystem *system)
{
    return (KalLargeShape){.n = system->n,
                           .m = system->m,
                           .M = shape_of(&system->equations->M),
                           .A = shape_of(&system->equations->A),
                           .coordinates = kal_system_coordinate_names(system),
                           .constraints = kal_system_constraint_names(system)};
}

static void place_givens(KalLargeInstant *large, const KalEquations *e)
{
    large->M = large->given;
    large->A = large->given + (e->M.start[e->n] + (int64_t)e->n);
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalInstant *instant = owner;
    KalLargeInstant *large = &instant->large;
    const KalEquations *e = instant->system->equations;
    large->given =
        kal_carve_doubles(carver, kal_system_most_results(instant->system), 1);
    large->b = kal_carve_doubles(carver, e->m, 1);
    large->b_size = kal_carve_doubles(carver, e->m, 1);
    large->masses = kal_carve_doubles(carver, e->n, 2);
    large->acts = kal_carve_bools(carver, e->m);
    large->place = kal_carve_ints(carver, e->m);
    large->fault = kal_carve_ints(carver, e->n + e->m);
}

KalStatus kal_large_instant_init(KalInstant *instant)
{
    assert(!instant->large.solver);
    const KalSystem *system = instant->system;
    const KalLargeShape shape = kal_large_shape(system);
    KAL_TRY(kal_workspace_make(instant->ctx, "for an instant", lay_out, instant,
                               &instant->large.workspace));
    place_givens(&instant->large, system->equations);
    return kal_large_create(instant->ctx, &shape, &instant->large.solver);
}

void kal_large_instant_clear(KalInstant *instant)
{
    kal_large_destroy(instant->large.solver);
    kal_workspace_clear(instant->ctx, &instant->large.workspace);
}

void kal_large_instant_take(KalInstant *instant)
{
    assert(instant->large.solver);
    const KalEquations *e = instant->system->equations;
    KalLargeInstant *large = &instant->large;
    double *results = instant->results;
    instant->results = large->given;
    large->given = results;
    place_givens(large, e);
    kal_clear_traces_of_masses(&e->M, &instant->usual, large->M, large->masses);
}

void kal_large_instant_take_rows(KalInstant *instant, const double *entries)
{
    const KalEquations *e = instant->system->equations;
    memcpy(instant->large.A, entries, (size_t)e->A.start[e->m] * sizeof *entries);
}

void kal_large_instant_clear_row(KalInstant *instant, size_t i)
{
    assert(i < (size_t)instant->system->m);
    const KalSparse *A = &instant->system->equations->A;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        instant->large.A[k] = 0.0;
    }
}

// What each velocity counts as.
static void find_speeds(const KalInstant *instant, const KalBSize *measure,
                        double *restrict out_speeds)
{
    const double *restrict v = instant->variables + instant->system->layout.qd;
    for (int j = 0; j < instant->system->n; j++) {
        out_speeds[j] = kal_b_size_of_term(measure, 1.0, v[j]);
    }
}

void kal_large_instant_measure(KalInstant *instant)
{
    assert(instant->large.b && instant->large.b_size);
    const int m = instant->system->m;
    memcpy(instant->large.b, instant->b, (size_t)m * sizeof *instant->b);
    for (int k = 0; k < instant->n_active && instant->n_active < m; k++) {
        instant->b[k] = instant->large.b[instant->rows[k]];
    }
    instant->large.sized = false;
}

// The size of terms in b, when a solve asks for it.
static void measure_b(void *owner)
{
    KalInstant *instant = owner;
    const KalSparse *A = &instant->system->equations->A;
    KalLargeInstant *large = &instant->large;
    if (large->sized) {
        return;
    }
    const KalBSize measure = kal_b_size(instant);
    const KalRowPass pass = {
        .m = (int)A->rows, .start = A->start, .column = A->column, .A = large->A};
    find_speeds(instant, &measure, large->masses);
    kal_passes()->speeds(&pass, large->masses, large->b_size);
    for (size_t i = 0; i < A->rows; i++) {
        large->b_size[i] = fabs(large->b[i]) + measure.trace * large->b_size[i];
    }
    large->sized = true;
}

KalLargeProblem kal_large_instant_problem(const KalInstant *instant, const double *C)
{
    const KalLargeInstant *large = &instant->large;
    return (KalLargeProblem){.M = large->M,
                             .Q = instant->Q,
                             .A = large->A,
                             .b = large->b,
                             .C = C,
                             .b_size = large->b_size,
                             .active = large->acts};
}

// The same for a solve, which may ask for sizes.
static KalLargeProblem problem_of(KalInstant *instant, const double *C)
{
    KalLargeProblem problem = kal_large_instant_problem(instant, C);
    problem.measure = measure_b;
    problem.owner = instant;
    return problem;
}

// The answer of active constraints alone.  What a solve of all of them found about sets of
// dependent ones holds for solves of a few.
static void keep(KalInstant *instant, KalMotionAnswer answer, bool few)
{
    assert(answer.m == instant->system->m);
    for (int k = 0; k < instant->n_active; k++) {
        instant->multipliers[k] = answer.multipliers[instant->rows[k]];
        if (!few) {
            instant->ranks.sets[k] = answer.dependent_set[instant->rows[k]];
        }
    }
    instant->ranks.n_sets = few ? instant->ranks.n_sets : answer.n_dependent_sets;
    instant->ranks.rank_M = answer.rank_M;
    answer.m = instant->n_active;
    answer.multipliers = instant->multipliers;
    answer.dependent_set = instant->ranks.sets;
    answer.n_dependent_sets = instant->ranks.n_sets;
    instant->answer = answer;
}

static void find_places(KalInstant *instant)
{
    KalLargeInstant *large = &instant->large;
    for (int i = 0; i < instant->system->m; i++) {
        large->place[i] = -1;
    }
    for (int k = 0; k < instant->n_active; k++) {
        large->place[instant->rows[k]] = k;
    }
}

// Indices of the fault among what is active.
static void keep_fault(KalInstant *instant)
{
    KalLargeInstant *large = &instant->large;
    const KalMotionFault fault = kal_large_fault(large->solver);
    if (fault.constraints) {
        find_places(instant);
    }
    large->fault_count = fault.count;
    assert(fault.count >= 0);
    for (int k = 0; k < fault.count; k++) {
        large->fault[k] =
            fault.constraints ? large->place[fault.indices[k]] : fault.indices[k];
    }
}

KalMotionFault kal_large_instant_fault(const KalInstant *instant)
{
    KalMotionFault fault = kal_large_fault(instant->large.solver);
    fault.count = instant->large.fault_count;
    fault.indices = instant->large.fault;
    return fault;
}

static KalStatus solve(KalInstant *instant, const KalLargeProblem *problem, bool few)
{
    KalMotionAnswer answer;
    const KalStatus status = kal_large_solve(instant->large.solver, problem, &answer);
    keep_fault(instant);
    if (status == KAL_OK) {
        keep(instant, answer, few);
    }
    return status;
}

// A contradiction that rounding explains, theory (9.25): the row that wavers most is left
// out, one after the other, until the rest agrees.
static KalStatus settle(KalInstant *instant, const KalLargeProblem *problem)
{
    KalStatus status = KAL_ERR_CONTRADICTION;
    if (kal_waver_measure(&instant->waver, instant) != KAL_OK) {
        return solve(instant, problem, false); // nothing is known: the same once more
    }
    for (int k = 0; k < instant->n_active && status == KAL_ERR_CONTRADICTION; k++) {
        const KalMotionFault fault = kal_large_instant_fault(instant);
        const int row = kal_waver_most_unsure(instant, &fault);
        if (row < 0) {
            return solve(instant, problem, false);
        }
        instant->large.acts[instant->rows[row]] = false;
        status = solve(instant, problem, false);
    }
    return status;
}

// Let the rows act that are known to be independent.
static void choose_few(KalInstant *instant)
{
    bool *acts = instant->large.acts;
    memset(acts, 0, (size_t)instant->system->m * sizeof *acts);
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        acts[instant->rows[instant->ranks.independent[k]]] = true;
    }
}

static KalStatus solve_few(KalInstant *instant, const KalLargeProblem *problem)
{
    choose_few(instant);
    return solve(instant, problem, true);
}

KalStatus kal_large_instant_solve(KalInstant *instant, const double *Q, const double *C)
{
    assert(instant->large.solver);
    KalLargeProblem problem = problem_of(instant, C);
    problem.Q = Q;
    if (instant->few.used && solve_few(instant, &problem) == KAL_OK) {
        return KAL_OK;
    }
    memcpy(instant->large.acts, instant->active,
           (size_t)instant->system->m * sizeof(bool));
    const KalStatus status = solve(instant, &problem, false);
    return status == KAL_ERR_CONTRADICTION ? settle(instant, &problem) : status;
}

KalStatus kal_large_instant_respond(KalInstant *instant, const double *Q,
                                    const double *zeros, KalMotionAnswer *out_answer)
{
    KalLargeProblem problem = kal_large_instant_problem(instant, NULL);
    problem.Q = Q;
    problem.b = zeros;
    problem.b_size = zeros;
    return kal_large_solve(instant->large.solver, &problem, out_answer);
}

void kal_mass_times(const KalSparse *M, const double *entries, const double *x,
                    double *out)
{
    memset(out, 0, M->rows * sizeof *out);
    for (size_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const size_t j = (size_t)M->column[k];
            out[i] += entries[k] * x[j];
            out[j] += i == j ? 0.0 : entries[k] * x[i];
        }
    }
}

// Ranks do not depend on forces and right-hand sides: with zeros for them nothing
// contradicts.
KalStatus kal_large_instant_judge(KalInstant *instant)
{
    assert(instant->large.solver);
    KalLargeInstant *large = &instant->large;
    KalLargeProblem problem = problem_of(instant, NULL);
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    double *zeros = (double *)kal_alloc(instant->ctx, n + m + 1, sizeof *zeros);
    if (!zeros) {
        return kal_no_memory(instant->ctx, "to judge constraints");
    }
    problem.Q = zeros;
    problem.b = zeros;
    memcpy(large->acts, instant->active, m * sizeof(bool));
    const KalStatus status = solve(instant, &problem, false);
    kal_free(instant->ctx, zeros, (n + m + 1) * sizeof *zeros);
    return status;
}

int kal_large_instant_independent(const KalInstant *instant, int *out_rows)
{
    const KalLargeProblem problem = kal_large_instant_problem(instant, NULL);
    int count = 0;
    for (int k = 0; k < instant->n_active; k++) {
        const int i = instant->rows[k];
        if (instant->large.acts[i]
            && !kal_large_leaves_out(instant->large.solver, &problem, i)) {
            out_rows[count++] = k;
        }
    }
    return count;
}

int kal_large_instant_partners(KalInstant *instant, int k, int *out_rows)
{
    KalLargeInstant *large = &instant->large;
    const int count = kal_large_partners(large->solver, instant->rows[k], out_rows);
    find_places(instant);
    for (int i = 0; i < count; i++) {
        out_rows[i] = large->place[out_rows[i]];
    }
    return count;
}

double kal_large_instant_rest(KalInstant *instant, int k, double *out_rest)
{
    const KalLargeProblem problem = kal_large_instant_problem(instant, NULL);
    return kal_large_rest(instant->large.solver, &problem, instant->rows[k], out_rest);
}

void kal_large_instant_sines(const KalInstant *instant, double *out_sines)
{
    const KalLargeProblem problem = kal_large_instant_problem(instant, NULL);
    for (int k = 0; k < instant->n_active; k++) {
        out_sines[k] =
            kal_large_sine(instant->large.solver, &problem, instant->rows[k]);
    }
}

KalStatus kal_large_instant_factor(KalInstant *instant)
{
    const KalLargeProblem problem = kal_large_instant_problem(instant, NULL);
    choose_few(instant);
    return kal_large_factor_rows(instant->large.solver, &problem);
}

double kal_large_instant_beyond(KalInstant *instant, const double *row)
{
    return kal_large_beyond(instant->large.solver, row);
}

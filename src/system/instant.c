// SPDX-License-Identifier: MIT

// An instant: programs give the numbers of the equations in a state, `motion` solves them.
//
// A solve goes through stages, each for what the one before cannot do: the fast road,
// where a run has one; the rows that are known to be independent; all rows; and where
// these contradict each other by rounding alone, fewer of them (reconcile(),
// system/waver.h).
//
// The matrix A has two layouts.  kal_instant_givens() leaves the rows of active constraints
// only, row k being that of constraint rows[k].  kal_instant_residuals() leaves row i to
// constraint i, with zeros where it is not active or has no such level.

#include "system/instant.h"

#include "large/pass.h"
#include "motion/again.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t kal_system_most_results(const KalSystem *system)
{
    size_t largest = 1;
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        if (system->n_results[id] > largest) {
            largest = system->n_results[id];
        }
    }
    return largest;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalInstant *instant = owner;
    const KalSystem *system = instant->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t servos = (size_t)system->n_servos;
    const size_t settings = kal_settings_count(system);
    kal_settings_place(&instant->settings, system,
                       kal_carve_doubles(carver, settings, 1));
    kal_settings_place(&instant->trial.settings, system,
                       kal_carve_doubles(carver, settings, 1));
    instant->trial.variables = kal_carve_doubles(carver, system->layout.count, 1);
    instant->trial.held = kal_carve_bools(carver, system->model->n_parameters);
    instant->variables = kal_carve_doubles(carver, system->layout.count, 1);
    kal_usual_lay_out(&instant->usual, carver, system->equations);
    instant->Q = kal_carve_doubles(carver, n, 1);
    instant->b = kal_carve_doubles(carver, m, 1);
    instant->C = kal_carve_doubles(carver, n, 1);
    instant->multipliers = kal_carve_doubles(carver, m, 1);
    instant->residuals = kal_carve_doubles(carver, m, 1);
    instant->moved = kal_carve_doubles(carver, n, 2);
    instant->outputs = kal_carve_doubles(carver, (size_t)system->n_outputs, 1);
    instant->results = kal_carve_doubles(carver, kal_system_most_results(system), 1);
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        const size_t work = kal_program_work(system->programs[id]);
        instant->work[id] = kal_carve_doubles(carver, work, 1);
    }
    instant->failed = kal_carve_ints(carver, m);
    instant->active = kal_carve_bools(carver, m);
    instant->rows = kal_carve_ints(carver, m);
    instant->ranks.independent = kal_carve_ints(carver, m);
    instant->ranks.sets = kal_carve_ints(carver, m);
    instant->row_names = kal_carve_names(carver, m);
    instant->blamed = kal_carve_names(carver, n + m + servos);
}

static void lay_out_dense(KalCarver *carver, void *owner)
{
    KalInstant *instant = owner;
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    lay_out(carver, owner);
    instant->b_size = kal_carve_doubles(carver, m, 1);
    instant->few.b = kal_carve_doubles(carver, m, 1);
    instant->few.size = kal_carve_doubles(carver, m, 1);
    instant->ranks.weights = kal_carve_doubles(carver, m, 1);
    instant->few.Q = kal_carve_doubles(carver, n, 1);
    instant->few.names = kal_carve_names(carver, m);
    instant->M = kal_carve_doubles(carver, n, n);
    instant->A = kal_carve_doubles(carver, m, n);
    instant->few.A = kal_carve_doubles(carver, m, n);
    instant->few.M = kal_carve_doubles(carver, n, n);
}

// The way to answers: dense, or sparse.
static KalStatus init_solver(KalInstant *instant, bool dense)
{
    const KalSystem *system = instant->system;
    KAL_TRY(kal_workspace_make(instant->ctx, "for an instant",
                               dense ? lay_out_dense : lay_out, instant,
                               &instant->workspace));
    KAL_TRY(dense ? kal_motion_create(instant->ctx, NULL, system->n, system->m,
                                      &instant->motion)
                  : kal_large_instant_init(instant));
    return system->n_servos > 0
               ? kal_control_create(instant->ctx, system, !dense, &instant->control)
               : KAL_OK;
}

static KalStatus init(KalInstant *instant, bool dense)
{
    const KalSystem *system = instant->system;
    KAL_TRY(init_solver(instant, dense));
    KAL_TRY(kal_doubter_init(&instant->doubter, instant->ctx, &system->doubts, system,
                             dense));
    KAL_TRY(kal_contacts_init(&instant->contacts, instant));
    KAL_TRY(kal_waver_init(&instant->waver, instant->ctx, system, dense));
    KAL_TRY(kal_road_init(&instant->road, instant));
    kal_instant_apply_settings(instant, &system->settings);
    return KAL_OK;
}

static KalStatus create(KalContext *ctx, const KalSystem *system, bool dense,
                        KalInstant **out_instant)
{
    KalInstant *instant = KAL_NEW(ctx, KalInstant);
    if (!instant) {
        return kal_no_memory(ctx, "for an instant");
    }
    instant->ctx = ctx;
    instant->system = system;
    const KalStatus status = init(instant, dense);
    if (status != KAL_OK) {
        kal_instant_destroy(instant);
        return status;
    }
    *out_instant = instant;
    return KAL_OK;
}

KalStatus kal_instant_create(KalContext *ctx, const KalSystem *system,
                             KalInstant **out_instant)
{
    KAL_NEED(ctx, ctx && system && out_instant);
    const bool small =
        system->n <= KAL_DENSE_COORDINATES && system->m <= KAL_DENSE_CONSTRAINTS;
    if (system->model->n_contacts > 0) { // on dense matrices
        return kal_instant_create_dense(ctx, system, "a model with contacts",
                                        out_instant);
    }
    return create(ctx, system, small, out_instant);
}

KalStatus kal_instant_create_dense(KalContext *ctx, const KalSystem *system,
                                   const char *purpose, KalInstant **out_instant)
{
    if (system->n > KAL_DENSE_LIMIT || system->m > KAL_DENSE_LIMIT) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "the model has %d coordinates and %d constraints; %d of each "
                        "are the most for %s",
                        system->n, system->m, KAL_DENSE_LIMIT, purpose);
    }
    return create(ctx, system, true, out_instant);
}

void kal_instant_destroy(KalInstant *instant)
{
    if (!instant) {
        return;
    }
    kal_road_clear(&instant->road);
    kal_contacts_clear(&instant->contacts, instant->ctx);
    kal_waver_clear(&instant->waver, instant->ctx);
    kal_doubter_clear(&instant->doubter, instant->system);
    kal_control_destroy(instant->control);
    kal_motion_destroy(instant->motion);
    kal_large_instant_clear(instant);
    kal_workspace_clear(instant->ctx, &instant->workspace);
    kal_free(instant->ctx, instant, sizeof *instant);
}

double *kal_instant_t(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables;
}

double *kal_instant_q(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables + instant->system->layout.q;
}

double *kal_instant_qd(KalInstant *instant)
{
    if (!instant) {
        return NULL;
    }
    return instant->variables + instant->system->layout.qd;
}

// List the constraints that act.
static void list_rows(KalInstant *instant)
{
    const char *const *names = kal_system_constraint_names(instant->system);
    instant->road.fits = false; // until rows are chosen again
    instant->n_active = 0;
    for (int k = 0; k < instant->system->m; k++) {
        if (instant->active[k]) {
            instant->row_names[instant->n_active] = names[k];
            instant->rows[instant->n_active++] = k;
            assert(instant->n_active <= instant->system->m);
        }
    }
    double *active = instant->variables + instant->system->layout.active;
    for (size_t i = 0; i < instant->system->n_actives; i++) {
        active[i] =
            kal_contacts_in_force(instant, instant->system->actives[i]) ? 1.0 : 0.0;
    }
}

void kal_instant_set_active(KalInstant *instant, int i, bool active)
{
    assert(i >= 0 && i < instant->system->m);
    instant->active[i] = active;
    list_rows(instant);
}

void kal_instant_activate(KalInstant *instant, const bool *active)
{
    memmove(instant->active, active, (size_t)instant->system->m * sizeof *active);
    list_rows(instant);
}

const double *kal_scatter(const KalSparse *matrix, const double *values, double *dense)
{
    assert(matrix->start && (values || matrix->rows == 0));
    memset(dense, 0, matrix->rows * matrix->columns * sizeof *dense);
    for (size_t row = 0; row < matrix->rows; row++) {
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            assert((size_t)matrix->column[k] < matrix->columns);
            dense[row * matrix->columns + (size_t)matrix->column[k]] = values[k];
        }
    }
    return values + kal_sparse_entries(matrix);
}

// Programs compute the lower triangle of M only.
static void mirror(int n, double *M)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            M[j * n + i] = M[i * n + j];
        }
    }
}

// Rows of active constraints move to the front; what is left behind is zero.
static void compact(KalInstant *instant)
{
    const size_t n = (size_t)instant->system->n;
    for (int k = 0; k < instant->n_active; k++) {
        const int i = instant->rows[k];
        assert(i >= k); // rows rise, so nothing is overwritten that is still needed
        if (i > k) {
            memcpy(instant->A + (size_t)k * n, instant->A + (size_t)i * n,
                   n * sizeof(double));
            instant->b[k] = instant->b[i];
        }
    }
    const size_t left = (size_t)(instant->system->m - instant->n_active);
    memset(instant->A + (size_t)instant->n_active * n, 0, left * n * sizeof(double));
}

// Terms of b are products of two velocities and the derivatives of a row, and often cancel
// to next to nothing.  So a trace of their size counts besides |b|, where velocities count
// as where a start meets constraints: at least a little of the largest, or of 1.
KalBSize kal_b_size(const KalInstant *instant)
{
    const double little = 1e-4;
    const double dust = 1e-12;
    const double *v = instant->variables + instant->system->layout.qd;
    const double most = kal_passes()->extent(v, (size_t)instant->system->n).most;
    const double largest = most > 1.0 ? most : 1.0;
    return (KalBSize){.least = little * largest, .trace = dust * largest};
}

static void measure_b(KalInstant *instant)
{
    const int n = instant->system->n;
    const double *v = kal_instant_qd(instant);
    const KalBSize measure = kal_b_size(instant);
    for (int k = 0; k < instant->n_active; k++) {
        const double *row = instant->A + (size_t)k * (size_t)n;
        double size = 0.0;
        for (int j = 0; j < n; j++) {
            size += kal_b_size_of_term(&measure, row[j], v[j]);
        }
        instant->b_size[k] = fabs(instant->b[k]) + measure.trace * size;
    }
}

// Terms in b that let residuals decay, theory (15.3).
static KalStatus stabilize(KalInstant *instant)
{
    assert(instant->stabilize > 0.0);
    const KalEquations *equations = instant->system->equations;
    const double k = instant->stabilize;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_POSITION));
    for (size_t i = 0; i < equations->m; i++) {
        instant->b[i] -= k * k * instant->results[i];
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (size_t i = 0; i < equations->m; i++) {
        const bool position = equations->phi[i].index != KAL_NO_EXPR.index;
        instant->b[i] -= (position ? 2.0 : 1.0) * k * instant->results[i];
    }
    return KAL_OK;
}

// M and A of the first program, whose results these are, as dense matrices.
static void scatter_givens(KalInstant *instant, const double *rows)
{
    const KalEquations *equations = instant->system->equations;
    kal_scatter(&equations->M, instant->results, instant->M);
    mirror(instant->system->n, instant->M);
    kal_clear_traces_of_mass(instant->system->n, &instant->usual, instant->M);
    kal_scatter(&equations->A, rows, instant->A);
}

// Numbers of the equations from one program; traces of cancellation are cleared, controls
// added, and rows that do not act left out. Whoever reads M, Q, A or b of an instant
// relies on this call.
KalStatus kal_instant_givens(KalInstant *instant)
{
    assert(instant->system->programs[KAL_PROGRAM_GIVENS]);
    const KalEquations *equations = instant->system->equations;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_GIVENS));
    const double *Q = instant->results + equations->M.start[equations->n];
    double *rows = instant->results + equations->M.start[equations->n] + equations->n;
    const double *b = rows + equations->A.start[equations->m];
    kal_clear_traces_in_rows(&equations->A, &instant->usual, rows);
    memcpy(instant->Q, Q, equations->n * sizeof *Q);
    memcpy(instant->b, b, equations->m * sizeof *b);
    if (instant->large.solver) {
        kal_large_instant_take(instant);
    } else {
        scatter_givens(instant, rows);
    }
    if (instant->control) {
        kal_control_read(instant->control, b + equations->m);
    } else if (equations->B.columns > 0) {
        KAL_TRY(kal_instant_push(instant, b + equations->m));
    }
    if (instant->stabilize > 0.0) {
        KAL_TRY(stabilize(instant));
    }
    if (instant->large.solver) {
        kal_large_instant_measure(instant);
    } else {
        kal_contacts_take(instant);
        compact(instant);
        measure_b(instant);
    }
    instant->bare = false;
    instant->entries = NULL;
    return KAL_OK;
}

KalStatus kal_instant_nonideal(KalInstant *instant)
{
    assert(instant->system->equations->has_C);
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_NONIDEAL));
    memcpy(instant->C, instant->results,
           (size_t)instant->system->n * sizeof *instant->C);
    return KAL_OK;
}

KalStatus kal_instant_need_givens(KalInstant *instant)
{
    if (!instant->bare) {
        return KAL_OK;
    }
    KAL_TRY(kal_instant_givens(instant));
    return instant->system->equations->has_C ? kal_instant_nonideal(instant) : KAL_OK;
}

static void clear_row(KalInstant *instant, size_t i)
{
    assert(i < (size_t)instant->system->m);
    const size_t n = (size_t)instant->system->n;
    if (instant->large.solver) {
        kal_large_instant_clear_row(instant, i);
    } else {
        memset(instant->A + i * n, 0, n * sizeof(double));
    }
}

// φ and its rows, or ψ and its rows; what does not act or has no such level is zero.
KalStatus kal_instant_residuals(KalInstant *instant, KalProgramId level)
{
    assert(level == KAL_PROGRAM_POSITION || level == KAL_PROGRAM_VELOCITY);
    const KalEquations *equations = instant->system->equations;
    const KalExpr *exists =
        level == KAL_PROGRAM_POSITION ? equations->phi : equations->psi;
    KAL_TRY(kal_instant_evaluate(instant, level));
    memcpy(instant->residuals, instant->results, equations->m * sizeof(double));
    double *rows = instant->results + equations->m;
    kal_clear_traces_in_rows(&equations->A, &instant->usual, rows);
    if (instant->large.solver) {
        kal_large_instant_take_rows(instant, rows);
    } else {
        kal_scatter(&equations->A, rows, instant->A);
    }
    for (size_t i = 0; i < equations->m; i++) {
        if (exists[i].index == KAL_NO_EXPR.index || !instant->active[i]) {
            instant->residuals[i] = 0.0;
            clear_row(instant, i);
        }
    }
    return KAL_OK;
}

KalMotionProblem kal_instant_problem(KalInstant *instant)
{
    if (!instant || kal_instant_need_givens(instant) != KAL_OK) {
        return (KalMotionProblem){.n = 0};
    }
    const KalSystem *system = instant->system;
    return (KalMotionProblem){
        .n = system->n,
        .m = instant->n_active,
        .M = instant->M,
        .Q = instant->Q,
        .A = instant->A,
        .b = instant->b,
        .C = system->equations->has_C ? instant->C : NULL,
        .coordinates = kal_system_coordinate_names(system),
        .constraints = instant->row_names,
        .b_size = instant->large.solver ? NULL : instant->b_size,
    };
}

// Non-ideal forces may depend on a reaction only where that is unique.
static KalStatus check_reactions(const KalInstant *instant)
{
    assert(instant->answer.m == instant->n_active);
    const KalSystem *system = instant->system;
    for (int k = 0; k < instant->n_active; k++) {
        const int i = instant->rows[k];
        if (system->reaction_used[i] && instant->answer.dependent_set[k] >= 0) {
            return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                            "a non-ideal force depends on reaction(%s), which is not "
                            "unique here: the motion would depend on an arbitrary "
                            "choice; remove the constraints that repeat it",
                            kal_system_constraint_names(system)[i]);
        }
    }
    return KAL_OK;
}

// Reactions of all constraints from the multipliers of the active ones.
static void keep_reactions(KalInstant *instant)
{
    assert(instant->answer.m == instant->n_active);
    const KalSystem *system = instant->system;
    double *reactions = instant->variables + system->layout.reactions;
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int k = 0; k < instant->n_active; k++) {
        reactions[instant->rows[k]] = instant->answer.multipliers[k];
    }
    kal_contacts_keep(instant, reactions);
}

// Whether accelerations satisfy all rows but for what rounding can explain.
static bool satisfies(const KalInstant *instant, const double *qdd)
{
    const double rounding = 1e-6;
    const int n = instant->system->n;
    for (int k = 0; k < instant->n_active; k++) {
        const double *row = instant->A + (size_t)k * (size_t)n;
        double sum = -instant->b[k];
        double size = fabs(instant->b[k]);
        for (int j = 0; j < n; j++) {
            sum += row[j] * qdd[j];
            size += fabs(row[j] * qdd[j]);
        }
        if (!(fabs(sum) <= rounding * size)) {
            return false;
        }
    }
    return true;
}

// Redundant constraints of which all of b is rounding, the difference of terms that
// cancel, seem to contradict each other.  Where it is known which rows are independent,
// these decide, and the others say nothing for once.
static KalStatus reconcile(KalInstant *instant, const KalMotionProblem *problem)
{
    assert(instant->ranks.n_independent <= instant->n_active);
    const size_t n = (size_t)instant->system->n;
    const size_t size = n * sizeof(double);
    KalMotionProblem few = *problem;
    KalMotionAnswer answer;
    memset(instant->few.A, 0, (size_t)instant->n_active * size);
    memset(instant->few.b, 0, (size_t)instant->n_active * sizeof(double));
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        const size_t row = (size_t)instant->ranks.independent[k];
        memcpy(instant->few.A + row * n, instant->A + row * n, size);
        instant->few.b[row] = instant->b[row];
    }
    few.A = instant->few.A;
    few.b = instant->few.b;
    KAL_TRY(kal_motion_solve(instant->motion, &few, &answer));
    if (satisfies(instant, answer.qdd)) {
        memcpy(instant->A, instant->few.A, (size_t)instant->n_active * size);
        memcpy(instant->b, instant->few.b, (size_t)instant->n_active * sizeof(double));
    }
    return KAL_OK;
}

// The row behind row k of the problem that pick_rows() makes.
static int picked(const KalInstant *instant, int k)
{
    assert(k >= 0 && k < instant->ranks.n_independent);
    return instant->ranks.n_independent < instant->n_active
               ? instant->ranks.independent[k]
               : k;
}

// The rows that are known to be independent, one after the other.
static KalMotionProblem pick_rows(KalInstant *instant, const KalMotionProblem *problem)
{
    assert(instant->ranks.n_independent <= instant->n_active);
    const size_t n = (size_t)instant->system->n;
    KalMotionProblem few = *problem;
    if (instant->ranks.n_independent == instant->n_active) {
        return few;
    }
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        const size_t row = (size_t)instant->ranks.independent[k];
        memcpy(instant->few.A + (size_t)k * n, instant->A + row * n,
               n * sizeof(double));
        instant->few.b[k] = problem->b[row];
        instant->few.size[k] =
            problem->b_size ? problem->b_size[row] : fabs(problem->b[row]);
        instant->few.names[k] = instant->row_names[row];
    }
    few.m = instant->ranks.n_independent;
    few.A = instant->few.A;
    few.b = instant->few.b;
    few.b_size = instant->few.size;
    few.constraints = instant->few.names;
    return few;
}

// Add w a aᵀ to the symmetric matrix M, for a row a.  Both halves get the same numbers.
static void add_square(size_t n, double w, const double *restrict a, double *restrict M)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] == 0.0) {
            continue;
        }
        double *restrict row = M + i * n;
        for (size_t j = 0; j < n; j++) {
            row[j] += w * (a[i] * a[j]);
        }
    }
}

// The same accelerations and multipliers with a regular M: M + AᵀWA and Q + AᵀWb.
static void lend_weights(KalInstant *instant, KalMotionProblem *few)
{
    assert(instant->ranks.lends && few->m == instant->ranks.n_independent && few->M
           && few->Q);
    const size_t n = (size_t)instant->system->n;
    memcpy(instant->few.M, few->M, n * n * sizeof(double));
    memcpy(instant->few.Q, few->Q, n * sizeof(double));
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        const double *a = few->A + (size_t)k * n;
        const double w = instant->ranks.weights[picked(instant, k)];
        add_square(n, w, a, instant->few.M);
        for (size_t j = 0; j < n; j++) {
            instant->few.Q[j] += w * few->b[k] * a[j];
        }
    }
    few->M = instant->few.M;
    few->Q = instant->few.Q;
}

static KalStatus solve_motion(KalInstant *instant, const KalMotionProblem *problem,
                              bool again, KalMotionAnswer *out_answer)
{
    return again ? kal_motion_solve_again(instant->motion, problem, out_answer)
                 : kal_motion_solve(instant->motion, problem, out_answer);
}

// The answer for these rows as one for all.
static KalStatus solve_few(KalInstant *instant, const KalMotionProblem *problem,
                           bool again)
{
    KalMotionProblem few = pick_rows(instant, problem);
    KalMotionAnswer *answer = &instant->answer;
    if (instant->ranks.lends) {
        lend_weights(instant, &few);
    }
    KAL_TRY(solve_motion(instant, &few, again, answer));
    memset(instant->multipliers, 0, (size_t)instant->n_active * sizeof(double));
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        instant->multipliers[picked(instant, k)] = answer->multipliers[k];
    }
    answer->m = instant->n_active;
    answer->multipliers = instant->multipliers;
    answer->dependent_set = instant->ranks.sets;
    answer->n_dependent_sets = instant->ranks.n_sets;
    answer->rank_M = instant->ranks.rank_M;
    return KAL_OK;
}

// The stages of a solve after the fast road.  What whole solves find about dependent rows
// is kept for those that leave rows out.
static KalStatus solve(KalInstant *instant, const KalMotionProblem *problem, bool again)
{
    assert(problem->n == instant->system->n);
    if (instant->large.solver) {
        return kal_large_instant_solve(instant, problem->Q, problem->C);
    }
    if (instant->few.used && solve_few(instant, problem, again) == KAL_OK) {
        return KAL_OK;
    }
    KalStatus status = solve_motion(instant, problem, again, &instant->answer);
    if (status == KAL_ERR_CONTRADICTION && instant->ranks.n_independent > 0
        && instant->ranks.n_independent < instant->n_active) {
        KAL_TRY(reconcile(instant, problem));
        status = kal_motion_solve(instant->motion, problem, &instant->answer);
    }
    if (status == KAL_ERR_CONTRADICTION) {
        KAL_TRY(kal_waver_settle(instant, problem));
        status = kal_motion_solve(instant->motion, problem, &instant->answer);
    }
    if (status == KAL_OK) {
        instant->ranks.n_sets = instant->answer.n_dependent_sets;
        instant->ranks.rank_M = instant->answer.rank_M;
        memcpy(instant->ranks.sets, instant->answer.dependent_set,
               (size_t)instant->n_active * sizeof(int));
    }
    return status;
}

// The multipliers of the ideal part do not depend on C (theory (2.7)), so one solve
// without it gives the reactions that C is a function of.
static KalStatus find_nonideal(KalInstant *instant)
{
    assert(instant->system->equations->has_C);
    const KalSystem *system = instant->system;
    if (system->equations->has_reactions) {
        KalMotionProblem ideal = kal_instant_problem(instant);
        ideal.C = NULL;
        KAL_TRY(solve(instant, &ideal, false));
        KAL_TRY(check_reactions(instant));
        keep_reactions(instant);
    }
    return kal_instant_nonideal(instant);
}

// Give outputs their variables.
static void keep_answer(KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const KalLayout *layout = &system->layout;
    const KalMotionAnswer *answer = &instant->answer;
    double *v = instant->variables;
    assert(answer->n == system->n && answer->m == instant->n_active);
    memcpy(v + layout->qdd, answer->qdd, (size_t)system->n * sizeof *v);
    keep_reactions(instant);
    for (size_t i = 0; i < system->n_forces; i++) {
        const uint32_t k = system->forces[i];
        v[layout->forces + i] = answer->force_ideal[k] + answer->force_nonideal[k];
    }
}

// Each part needs what came before: numbers, non-ideal forces, the solve, control.
KalStatus kal_instant_ask(const KalInstant *instant)
{
    return instant->system->n > KAL_DENSE_COORDINATES ? kal_ask(instant->ctx) : KAL_OK;
}

KalStatus kal_instant_solve(KalInstant *instant, KalMotionAnswer *out_answer)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_answer);
    KAL_TRY(kal_instant_ask(instant));
    KAL_TRY(instant->contacts.stale ? kal_contacts_settle(instant) : KAL_OK);
    KAL_TRY(kal_instant_givens(instant));
    if (instant->system->equations->has_C) {
        KAL_TRY(find_nonideal(instant));
    }
    const KalMotionProblem problem = kal_instant_problem(instant);
    KAL_TRY(kal_contacts_solve(instant, &problem, solve));
    if (instant->control) {
        KAL_TRY(kal_control_solve(instant->control, instant, solve));
    }
    keep_answer(instant);
    if (instant->contacts.sharing.whole) {
        KAL_TRY(kal_contacts_share(instant));
        KAL_TRY(kal_contacts_check_limits(instant));
    }
    *out_answer = instant->answer;
    return KAL_OK;
}

KalStatus kal_instant_accelerate(KalInstant *instant, KalMotionAnswer *out_answer)
{
    instant->few.used = true;
    const KalStatus status = kal_instant_solve(instant, out_answer);
    instant->few.used = false;
    return status;
}

void kal_instant_publish(KalInstant *instant, KalMotionAnswer *out_answer)
{
    kal_road_publish(&instant->road, &instant->answer);
    keep_answer(instant);
    *out_answer = instant->answer;
}

void kal_instant_take_answer(KalInstant *instant, const KalMotionAnswer *answer)
{
    instant->answer = *answer;
    keep_answer(instant);
}

KalStatus kal_instant_energy(KalInstant *instant, double *out_kinetic,
                             double *out_stored)
{
    const double *known = kal_return_energy(&instant->road);
    if (!known || !isfinite(known[0] + known[1])) {
        KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
        known = instant->results;
    }
    *out_kinetic = known[0];
    *out_stored = known[1];
    instant->variables[instant->system->layout.energy] = known[0] + known[1];
    return KAL_OK;
}

// Energy and outputs that the return to the present state has found, if all are finite.
static bool take_outputs(KalInstant *instant)
{
    const double *known = kal_return_outputs(&instant->road);
    if (!known) {
        return false;
    }
    const double energy = known[-2] + known[-1];
    double sum = 0.0 * energy; // NaN where one is not finite
    for (int i = 0; i < instant->system->n_outputs; i++) {
        instant->outputs[i] = known[i];
        sum += 0.0 * known[i];
    }
    instant->variables[instant->system->layout.energy] = energy;
    return sum == 0.0;
}

// Outputs may have the energy in them, so it comes first.
KalStatus kal_instant_outputs(KalInstant *instant, const double **out_values)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_values);
    const KalSystem *system = instant->system;
    double kinetic = 0.0;
    double stored = 0.0;
    if (instant->answer.n == 0) {
        return kal_fail(instant->ctx, KAL_ERR_USAGE, "outputs come after a solve");
    }
    KAL_TRY(kal_contacts_share(instant));
    if (instant->contacts.sharing.doubtful || !take_outputs(instant)) {
        KAL_TRY(kal_instant_energy(instant, &kinetic, &stored));
        KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_OUTPUTS));
        memcpy(instant->outputs, instant->results,
               (size_t)system->n_outputs * sizeof *instant->outputs);
    }
    *out_values = instant->outputs;
    return KAL_OK;
}

const bool *kal_instant_doubts(KalInstant *instant)
{
    if (!instant || kal_instant_need_givens(instant) != KAL_OK) {
        return NULL; // never for an instant: the state was solved
    }
    if (kal_contacts_share(instant) != KAL_OK) {
        return NULL;
    }
    return kal_doubter_judge(&instant->doubter, instant);
}

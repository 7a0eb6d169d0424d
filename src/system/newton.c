// SPDX-License-Identifier: MIT

// The linear equations of implicit methods with the multipliers as unknowns, theory (15.35).
//
// Of (1 − γ ∂f/∂y)(Δq, Δv, Δs) = (r, u, w) the first part says Δq = r + γ Δv, and Δv = u + γ Δa
// with Δa from R = 0 and S = 0, differentiated.  What remains for Δv, μ = γ Δλ and Δs is one
// sparse system with n, m and n_states equations: order of unknowns and of equations.

#include "system/newton.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ENTRIES = 1 << 27, // of factors
    FEW = 10                // coordinates: for fewer a dense Jacobian takes less time
};

// A column of which no more is left depends on others.
static const double LEAST = 1e-15;

static void lay_out(KalCarver *carver, void *owner)
{
    KalNewton *newton = owner;
    const KalSystem *system = newton->instant->system;
    const KalEquations *e = system->equations;
    const KalSystemTangent *tangent = &system->tangent;
    const size_t size = e->n + e->m + (size_t)system->n_states;
    newton->rows = kal_carve_ints(carver, e->m);
    newton->places = kal_carve_ints(carver, e->m);
    newton->M = kal_carve_doubles(carver, kal_sparse_entries(&e->M), 1);
    newton->A = kal_carve_doubles(carver, kal_sparse_entries(&e->A), 1);
    newton->R = kal_carve_doubles(carver, kal_sparse_entries(&tangent->R), 1);
    newton->S = kal_carve_doubles(carver, kal_sparse_entries(&tangent->S), 1);
    newton->F = kal_carve_doubles(carver, kal_sparse_entries(&tangent->F), 1);
    newton->kept = kal_carve_doubles(carver, e->n, 1);
    newton->b = kal_carve_doubles(carver, size, 1);
    newton->x = kal_carve_doubles(carver, size, 1);
}

bool kal_newton_serves(const KalInstant *instant)
{
    const KalSystem *system = instant->system;
    return instant->large.solver || (system->n >= FEW && !system->equations->has_C);
}

KalStatus kal_newton_init(KalNewton *newton, KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const KalSystemTangent *tangent = &system->tangent;
    assert(kal_newton_serves(instant) && tangent->derived);
    const int size = system->n + system->m + system->n_states;
    const size_t room = 2 * kal_sparse_entries(&system->equations->M)
                        + 2 * kal_sparse_entries(&system->equations->A)
                        + kal_sparse_entries(&tangent->R)
                        + kal_sparse_entries(&tangent->S)
                        + kal_sparse_entries(&tangent->F) + (size_t)system->n_states;
    *newton = (KalNewton){.instant = instant};
    KAL_TRY(kal_gather_init(&newton->gather, instant->ctx, size, (int64_t)room));
    return kal_workspace_make_raw(instant->ctx, "for an implicit method", lay_out,
                                  newton, &newton->workspace);
}

void kal_newton_clear(KalNewton *newton)
{
    if (newton->instant) {
        kal_sparse_lu_clear(&newton->lu);
        kal_gather_clear(&newton->gather);
        kal_workspace_clear(newton->instant->ctx, &newton->workspace);
    }
    *newton = (KalNewton){.instant = NULL};
}

// Reactions to all forces, C among them, for the formulas: those of the solve are of the ideal
// part alone.
static KalStatus react_to_all(KalNewton *newton)
{
    KalInstant *instant = newton->instant;
    const size_t n = (size_t)instant->system->n;
    memcpy(newton->kept, instant->Q, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        instant->Q[i] += instant->C[i];
    }
    instant->few.used = instant->ranks.n_independent > 0;
    const KalStatus status = kal_large_instant_solve(instant, instant->Q, NULL);
    instant->few.used = false;
    memcpy(instant->Q, newton->kept, n * sizeof(double));
    return status;
}

// The rows that are independent, of others all that act.
static void choose_rows(KalNewton *newton)
{
    const KalInstant *instant = newton->instant;
    const bool ranked = instant->ranks.n_independent > 0;
    if (instant->large.solver) {
        newton->n_rows = kal_large_instant_independent(instant, newton->places);
    } else {
        newton->n_rows = ranked ? instant->ranks.n_independent : instant->n_active;
    }
    for (int k = 0; k < newton->n_rows && !instant->large.solver; k++) {
        newton->places[k] = ranked ? instant->ranks.independent[k] : k;
    }
    for (int k = 0; k < newton->n_rows; k++) {
        newton->rows[k] = instant->rows[newton->places[k]];
    }
}

// Accelerations and reactions are variables of the formulas.
static void set_motion(const KalNewton *newton, const KalMotionAnswer *answer)
{
    const KalInstant *instant = newton->instant;
    const KalSystem *system = instant->system;
    double *reactions = instant->variables + system->layout.reactions;
    memcpy(instant->variables + system->layout.qdd, answer->qdd,
           (size_t)system->n * sizeof(double));
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int k = 0; k < instant->n_active; k++) {
        reactions[instant->rows[k]] = answer->multipliers[k];
    }
}

// M and the rows that count of A, which are dense, by their entries.
static void pick_entries(KalNewton *newton)
{
    const KalInstant *instant = newton->instant;
    const KalSparse *M = &instant->system->equations->M;
    const KalSparse *A = &instant->system->equations->A;
    const size_t n = M->rows;
    for (size_t i = 0; i < n; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            newton->M[k] = instant->M[i * n + (size_t)M->column[k]];
        }
    }
    for (int r = 0; r < newton->n_rows; r++) {
        const double *row = instant->A + (size_t)newton->places[r] * n;
        const int i = newton->rows[r];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            newton->A[k] = row[A->column[k]];
        }
    }
}

// M, A and the derivatives of the residuals at the instant.
static KalStatus take_numbers(KalNewton *newton)
{
    KalInstant *instant = newton->instant;
    const KalEquations *e = instant->system->equations;
    const KalSystemTangent *tangent = &instant->system->tangent;
    if (instant->large.solver) {
        memcpy(newton->M, instant->large.M, kal_sparse_entries(&e->M) * sizeof(double));
        memcpy(newton->A, instant->large.A, kal_sparse_entries(&e->A) * sizeof(double));
    } else {
        pick_entries(newton);
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_TANGENT));
    const double *next = instant->results;
    double *const to[] = {newton->R, newton->S, newton->F};
    const KalSparse *const of[] = {&tangent->R, &tangent->S, &tangent->F};
    for (int i = 0; i < 3; i++) {
        const size_t count = kal_sparse_entries(of[i]);
        memcpy(to[i], next, count * sizeof *next);
        next += count;
    }
    return KAL_OK;
}

static void put(KalNewton *newton, int row, int64_t column, double value)
{
    kal_gather_put(&newton->gather, row, (int)column, value);
}

static void put_masses(KalNewton *newton)
{
    const KalSparse *M = &newton->instant->system->equations->M;
    for (int i = 0; i < (int)M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            put(newton, i, M->column[k], newton->M[k]);
            if (M->column[k] != i) {
                put(newton, (int)M->column[k], i, newton->M[k]);
            }
        }
    }
}

// Derivatives by (q, v, s) of some equations, which have this factor.
typedef struct Slopes {
    const KalSparse *at;
    const double *values;
    double factor;
} Slopes;

// Row i of them into an equation: Δq = r + γ Δv.
static void put_slopes(KalNewton *newton, const Slopes *slopes, size_t i, int equation)
{
    const int64_t n = newton->instant->system->n;
    for (int64_t k = slopes->at->start[i]; k < slopes->at->start[i + 1]; k++) {
        const int64_t j = slopes->at->column[k];
        const double value = slopes->factor * slopes->values[k];
        if (j < n) {
            put(newton, equation, j, newton->factor * value);
        } else {
            put(newton, equation, j < 2 * n ? j - n : j - n + newton->n_rows, value);
        }
    }
}

static void put_motion(KalNewton *newton)
{
    const KalSparse *R = &newton->instant->system->tangent.R;
    const Slopes slopes = {R, newton->R, newton->factor};
    put_masses(newton);
    for (size_t i = 0; i < R->rows; i++) {
        put_slopes(newton, &slopes, i, (int)i);
    }
}

// The equations of independent constraints, and their forces.
static void put_rows(KalNewton *newton)
{
    const KalSystem *system = newton->instant->system;
    const KalSparse *A = &system->equations->A;
    const Slopes slopes = {&system->tangent.S, newton->S, newton->factor};
    for (int r = 0; r < newton->n_rows; r++) {
        const int i = newton->rows[r];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            put(newton, system->n + r, A->column[k], newton->A[k]);
            put(newton, (int)A->column[k], system->n + r, -newton->A[k]);
        }
        put_slopes(newton, &slopes, (size_t)i, system->n + r);
    }
}

static void put_states(KalNewton *newton)
{
    const KalSystem *system = newton->instant->system;
    const Slopes slopes = {&system->tangent.F, newton->F, -newton->factor};
    const int first = system->n + newton->n_rows;
    for (int i = 0; i < system->n_states; i++) {
        put(newton, first + i, first + i, 1.0);
        put_slopes(newton, &slopes, (size_t)i, first + i);
    }
}

KalStatus kal_newton_factor(KalNewton *newton, const KalMotionAnswer *answer,
                            double factor)
{
    KalInstant *instant = newton->instant;
    const KalSystem *system = instant->system;
    const KalSparseLuOptions options = {.least = LEAST, .most = MOST_ENTRIES};
    if (system->equations->has_C) {
        KAL_TRY(react_to_all(newton));
    }
    choose_rows(newton);
    set_motion(newton, system->equations->has_C ? &instant->answer : answer);
    KAL_TRY(take_numbers(newton));
    newton->factor = factor;
    kal_gather_begin(&newton->gather);
    put_motion(newton);
    put_rows(newton);
    put_states(newton);
    const int size = system->n + newton->n_rows + system->n_states;
    const KalColumns matrix = kal_gather_columns(&newton->gather, size);
    KAL_TRY(kal_sparse_lu_factor(&newton->lu, instant->ctx, &matrix, &options));
    return newton->lu.rank == size
               ? KAL_OK
               : kal_fail(instant->ctx, KAL_ERR_NUMBER,
                          "the equations of an implicit step are singular at t = %.9g",
                          instant->variables[0]);
}

// Σ of row i over the positions' columns.
static double by_positions(const KalSparse *slopes, const double *values, size_t i,
                           int64_t n, const double *r)
{
    double sum = 0.0;
    for (int64_t k = slopes->start[i]; k < slopes->start[i + 1]; k++) {
        sum += slopes->column[k] < n ? values[k] * r[slopes->column[k]] : 0.0;
    }
    return sum;
}

// The right-hand sides, of r, u and w behind each other.
static void fill_sides(KalNewton *newton, const double *r)
{
    const KalSystem *system = newton->instant->system;
    const KalSparse *A = &system->equations->A;
    const KalSystemTangent *tangent = &system->tangent;
    const int n = system->n;
    const double *u = r + n;
    const double *w = u + n;
    const double factor = newton->factor;
    double *b = newton->b;
    kal_mass_times(&newton->instant->system->equations->M, newton->M, u, b);
    for (int i = 0; i < n; i++) {
        b[i] -= factor * by_positions(&tangent->R, newton->R, (size_t)i, n, r);
    }
    b += n;
    for (int k = 0; k < newton->n_rows; k++) {
        const size_t i = (size_t)newton->rows[k];
        b[k] = by_positions(A, newton->A, i, n, u)
               - factor * by_positions(&tangent->S, newton->S, i, n, r);
    }
    b += newton->n_rows;
    for (int i = 0; i < system->n_states; i++) {
        b[i] = w[i] + factor * by_positions(&tangent->F, newton->F, (size_t)i, n, r);
    }
}

void kal_newton_solve(KalNewton *newton, double *x)
{
    const KalSystem *system = newton->instant->system;
    const int n = system->n;
    fill_sides(newton, x);
    kal_sparse_lu_solve(&newton->lu, newton->b, newton->x);
    for (int i = 0; i < n; i++) {
        x[n + i] = newton->x[i];
        x[i] += newton->factor * newton->x[i];
    }
    memcpy(x + 2 * (size_t)n, newton->x + n + newton->n_rows,
           (size_t)system->n_states * sizeof *x);
}

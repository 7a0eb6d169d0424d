// SPDX-License-Identifier: MIT

// The equations of motion once more, by a road that shares nothing with `motion`: rows are
// chosen by Gram and Schmidt's orthogonalization with pivoting, and Lagrange's matrix of
// those (theory, section 19) is balanced and solved by Gaussian elimination.
//
// Choosing.  Rows are scaled by masses and to length 1.  `span` holds what is left of each
// without its parts along those taken; the longest is taken next, of position level first,
// then of velocity level, then of acceleration level, so that what a level implies for the
// next is not taken twice.  Short rests are rounding.
//
// Solving.  K = [M A^T; A 0] is symmetric and scaled symmetrically, in the manner of Ruiz
// (A scaling algorithm to equilibrate both rows and columns norms in matrices, 2001), until
// the largest entry of each row is about 1: then its pivots say something about its rank.
// That has many answers, those too in which masses are nothing beside the rows of A; so it
// begins with units in which masses are about 1.

#include "linalg/lu.h"
#include "verify/elimination_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Masses are not taken, where Lagrange's matrix is scaled, for less than these parts of their usual
// size and of the largest.
static const double UNUSUAL = 0x1p-10;
static const double LIGHTEST = 0x1p-50;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalElimination *e = owner;
    const KalSystem *system = e->instant->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t s = (size_t)system->n_servos;
    const size_t u = (size_t)system->n_actuators;
    const size_t size = larger(n + m, u) + s;
    e->b = kal_carve_doubles(carver, m + s, 1);
    e->force = kal_carve_doubles(carver, n, 1);
    e->C = kal_carve_doubles(carver, n, 1);
    e->qdd = kal_carve_doubles(carver, n, 1);
    e->cforce = kal_carve_doubles(carver, n, 1);
    e->control = kal_carve_doubles(carver, n, 1);
    e->lambda = kal_carve_doubles(carver, m, 1);
    e->scale = kal_carve_doubles(carver, size, 1);
    e->x = kal_carve_doubles(carver, size, 1);
    e->work = kal_carve_doubles(carver, size, 1);
    e->zero = kal_carve_doubles(carver, size, 1);
    e->rows = kal_carve_ints(carver, m);
    e->places = kal_carve_ints(carver, m);
    if (kal_elimination_is_sparse(e)) {
        kal_elimination_lay_out_sparse(e, carver);
        return;
    }
    e->M = kal_carve_doubles(carver, n, n);
    e->A = kal_carve_doubles(carver, m + s, n);
    e->servo_A = kal_carve_doubles(carver, s, n);
    e->servo_b = kal_carve_doubles(carver, s, 1);
    e->B = kal_carve_doubles(carver, n, u);
    e->gap = kal_carve_doubles(carver, m + s, 1);
    e->effect = kal_carve_doubles(carver, s, u);
    e->weights = kal_carve_doubles(carver, u, u);
    e->K = kal_carve_doubles(carver, size, size);
    e->span = kal_carve_doubles(carver, m, n);
    e->perm = kal_carve_ints(carver, size);
    e->taken = kal_carve_bools(carver, m);
}

KalStatus kal_elimination_init(KalElimination *e, KalInstant *instant)
{
    assert(instant && instant->system->n >= 0);
    *e = (KalElimination){.instant = instant, .n = instant->system->n};
    if (kal_elimination_is_sparse(e)) {
        KAL_TRY(kal_elimination_init_sparse(e));
    }
    return kal_workspace_make(instant->ctx, "to verify a run", lay_out, e,
                              &e->workspace);
}

void kal_elimination_clear(KalElimination *e)
{
    if (e->instant) {
        kal_elimination_clear_sparse(e);
        kal_workspace_clear(e->instant->ctx, &e->workspace);
    }
}

// The inner product; nothing of linalg is used but the elimination itself.
static double dot(const double *x, const double *y, int n)
{
    assert(n >= 0);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// Row k of the instant's A in units in which masses are about 1, of length 1 unless it is
// zero.  Masses may vanish for a moment, so that none counts as less than a little.
static void normalize_row(const KalElimination *e, int k, double *out_row)
{
    assert(k >= 0 && k < e->instant->n_active);
    const int n = e->n;
    const double *row = e->instant->A + (size_t)k * (size_t)n;
    double sum = 0.0;
    for (int j = 0; j < n; j++) {
        sum += e->instant->M[j * n + j];
    }
    const double least = sum > 0.0 ? KAL_ELIMINATION_LIGHT * sum / n : 1.0;
    for (int j = 0; j < n; j++) {
        out_row[j] = row[j] / sqrt(e->instant->M[j * n + j] + least);
    }
    const double length = sqrt(dot(out_row, out_row, n));
    for (int j = 0; j < n && length > 0.0; j++) {
        out_row[j] /= length;
    }
}

// Take the part along a row of length 1 out of another.
static void subtract_part(int n, const double *unit, double *row)
{
    const double part = dot(unit, row, n);
    assert(unit != row);
    for (int j = 0; j < n; j++) {
        row[j] -= part * unit[j];
    }
}

int kal_elimination_level(const KalElimination *e, int k)
{
    assert(k >= 0 && k < e->instant->n_active);
    const KalEquations *equations = e->instant->system->equations;
    const int i = e->instant->rows[k];
    if (equations->phi[i].index != KAL_NO_EXPR.index) {
        return 0;
    }
    return equations->psi[i].index != KAL_NO_EXPR.index ? 1 : 2;
}

// The row of a level that is furthest from the span of those taken; -1 when all depend.
static int find_next(const KalElimination *e, int level)
{
    assert(level >= 0 && level < 3);
    const int n = e->n;
    int best = -1;
    double longest = KAL_ELIMINATION_DEPENDENT;
    for (int k = 0; k < e->instant->n_active; k++) {
        const double *row = e->span + (size_t)k * (size_t)n;
        const double length = sqrt(dot(row, row, n));
        if (!e->taken[k] && kal_elimination_level(e, k) == level && length > longest) {
            longest = length;
            best = k;
        }
    }
    return best;
}

// Gram–Schmidt: the row that is farthest from those taken joins them, and the others lose
// their part along it.
static void take_row(KalElimination *e, int best)
{
    const int n = e->n;
    assert(best >= 0 && best < e->instant->n_active && !e->taken[best]);
    double *unit = e->span + (size_t)best * (size_t)n;
    const double length = sqrt(dot(unit, unit, n));
    assert(length > KAL_ELIMINATION_DEPENDENT);
    e->least = fmin(e->least, length);
    for (int j = 0; j < n; j++) {
        unit[j] /= length;
    }
    for (int k = 0; k < e->instant->n_active; k++) {
        if (k != best && !e->taken[k]) {
            subtract_part(n, unit, e->span + (size_t)k * (size_t)n);
        }
    }
    e->taken[best] = true;
    e->places[e->rank] = best;
    e->rows[e->rank++] = e->instant->rows[best];
    assert(e->rank <= e->instant->n_active);
}

// Constraints of position level first, then of velocity, then of acceleration level: rows
// that repeat others are those of the lower importance.
KalStatus kal_elimination_choose(KalElimination *e)
{
    if (kal_elimination_is_sparse(e)) {
        return kal_elimination_choose_sparse(e);
    }
    KAL_TRY(kal_instant_givens(e->instant));
    e->rank = 0;
    for (int k = 0; k < e->instant->n_active; k++) {
        e->taken[k] = false;
        normalize_row(e, k, e->span + (size_t)k * (size_t)e->n);
    }
    e->least = 1.0;
    for (int level = 0; level < 3; level++) {
        for (int k = find_next(e, level); k >= 0; k = find_next(e, level)) {
            take_row(e, k);
        }
        e->positions = level == 0 ? e->rank : e->positions;
    }
    assert(e->positions <= e->rank && e->rank <= e->n);
    return KAL_OK;
}

// How nearly dependent the chosen rows have become since they were chosen.
KalStatus kal_elimination_measure(KalElimination *e, double *out_sine)
{
    if (kal_elimination_is_sparse(e)) {
        return kal_elimination_measure_sparse(e, out_sine);
    }
    const int n = e->n;
    double least = 1.0;
    KAL_TRY(kal_instant_givens(e->instant));
    for (int k = 0; k < e->rank; k++) {
        double *row = e->span + (size_t)k * (size_t)n;
        normalize_row(e, e->places[k], row);
        for (int i = 0; i < k; i++) {
            subtract_part(n, e->span + (size_t)i * (size_t)n, row);
        }
        const double length = sqrt(dot(row, row, n));
        least = fmin(least, length);
        for (int j = 0; j < n && length > 0.0; j++) {
            row[j] /= length;
        }
    }
    *out_sine = least;
    return KAL_OK;
}

// Begin with coordinates of mass 1, and rows whose largest entries are 1 then.
static void begin_scale(KalElimination *e, int n, int size)
{
    assert(n <= size);
    const double *usual = n == e->n ? e->instant->usual.masses : NULL;
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, e->K[i * size + i]);
    }
    for (int i = 0; i < n; i++) {
        const double rather = usual && isfinite(usual[i]) ? UNUSUAL * usual[i] : 0.0;
        const double mass = fmax(fmax(e->K[i * size + i], rather), LIGHTEST * most);
        e->scale[i] = mass > 0.0 ? 1.0 / sqrt(mass) : 1.0;
    }
    for (int k = n; k < size; k++) {
        double largest = 0.0;
        for (int j = 0; j < n; j++) {
            largest = fmax(largest, fabs(e->K[k * size + j]) * e->scale[j]);
        }
        e->scale[k] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
}

// Scale rows and columns alike until their largest entries are about 1.
static void balance(KalElimination *e, int n, int size)
{
    assert(size >= 0);
    double *K = e->K;
    begin_scale(e, n, size);
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < size; i++) {
            double largest = 0.0;
            for (int j = 0; j < size; j++) {
                largest =
                    fmax(largest, fabs(K[i * size + j]) * e->scale[i] * e->scale[j]);
            }
            e->scale[i] /= largest > 0.0 ? sqrt(largest) : 1.0;
        }
    }
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            K[i * size + j] *= e->scale[i] * e->scale[j];
        }
    }
}

// Factor Lagrange's matrix of a metric and rows, theory (19.1).
static KalStatus factor(KalElimination *e, int n, const double *M, int rows,
                        const double *A)
{
    const int size = n + rows;
    assert(n >= 0 && rows >= 0);
    memset(e->K, 0, (size_t)size * (size_t)size * sizeof(double));
    for (int i = 0; i < n; i++) {
        memcpy(e->K + (size_t)i * (size_t)size, M + (size_t)i * (size_t)n,
               (size_t)n * sizeof(double));
    }
    for (int k = 0; k < rows; k++) {
        for (int j = 0; j < n; j++) {
            e->K[(n + k) * size + j] = A[k * n + j];
            e->K[j * size + n + k] = A[k * n + j];
        }
    }
    balance(e, n, size);
    if (!kal_lu_factor(size, e->K, e->perm)) {
        return kal_fail(e->instant->ctx, KAL_ERR_CONTRADICTION,
                        "Lagrange's matrix is singular at t = %g",
                        e->instant->variables[0]);
    }
    return KAL_OK;
}

// Solve with the factors: the unknowns and the negative multipliers come to e->x.
static void solve(KalElimination *e, int n, const double *top, int rows,
                  const double *bottom)
{
    assert(n >= 0 && rows >= 0);
    const int size = n + rows;
    for (int i = 0; i < size; i++) {
        e->x[i] = e->scale[i] * (i < n ? top[i] : bottom[i - n]);
    }
    kal_lu_solve(size, e->K, e->perm, e->work, e->x);
    for (int i = 0; i < size; i++) {
        e->x[i] *= e->scale[i];
    }
}

// Accelerations without control and multipliers by Lagrange's matrix of the rows chosen.
static KalStatus solve_lagrange(KalElimination *e)
{
    if (kal_elimination_is_sparse(e)) {
        KAL_TRY(kal_elimination_factor_sparse(e));
        kal_elimination_solve_sparse(e, e->force, e->b);
        return KAL_OK;
    }
    KAL_TRY(factor(e, e->n, e->M, e->rank, e->A));
    solve(e, e->n, e->force, e->rank, e->b);
    return KAL_OK;
}

// Copy what the instant's formulas gave, as far as rows are chosen.
static void copy_givens(KalElimination *e)
{
    const KalInstant *instant = e->instant;
    const KalEquations *equations = instant->system->equations;
    const size_t n = (size_t)e->n;
    memcpy(e->force, instant->Q, n * sizeof(double));
    for (int k = 0; k < e->rank; k++) {
        assert(e->places[k] >= 0 && e->places[k] < instant->n_active);
        e->b[k] = instant->b[e->places[k]];
    }
    if (kal_elimination_is_sparse(e)) {
        return; // M and A are where they are
    }
    memcpy(e->M, instant->M, n * n * sizeof(double));
    for (int k = 0; k < e->rank; k++) {
        memcpy(e->A + (size_t)k * n, instant->A + (size_t)e->places[k] * n,
               n * sizeof(double));
    }
    const double *next = instant->results + equations->M.start[equations->n]
                         + equations->n + equations->A.start[equations->m]
                         + equations->m;
    next = kal_scatter(&equations->servo_A, next, e->servo_A);
    memcpy(e->servo_b, next, equations->n_servos * sizeof(double));
    kal_scatter(&equations->B, next + equations->n_servos, e->B);
}

// C, for which the reactions of the ideal part are needed if it depends on them.
static KalStatus add_nonideal(KalElimination *e)
{
    KalInstant *instant = e->instant;
    const KalSystem *system = instant->system;
    double *reactions = instant->variables + system->layout.reactions;
    if (system->equations->has_reactions) {
        KAL_TRY(solve_lagrange(e));
        memset(reactions, 0, (size_t)system->m * sizeof(double));
        for (int k = 0; k < e->rank; k++) {
            reactions[e->rows[k]] = -e->x[e->n + k];
        }
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_NONIDEAL));
    memcpy(e->C, instant->results, (size_t)e->n * sizeof(double));
    for (int i = 0; i < e->n; i++) {
        e->force[i] += e->C[i];
    }
    return KAL_OK;
}

// What servos lack when nature is left alone, whose acceleration is in e->qdd.
static void find_lack(KalElimination *e, double *out_lack)
{
    for (int i = 0; i < e->instant->system->n_servos; i++) {
        out_lack[i] =
            e->servo_b[i] - dot(e->servo_A + (size_t)i * (size_t)e->n, e->qdd, e->n);
    }
}

// Any force that meets the servos, of least Gauss norm, theory (14.2).
static KalStatus control_freely(KalElimination *e)
{
    assert(e->instant->system->n_servos > 0);
    const size_t n = (size_t)e->n;
    const int rows = e->rank + e->instant->system->n_servos;
    memcpy(e->A + (size_t)e->rank * n, e->servo_A,
           (size_t)(rows - e->rank) * n * sizeof(double));
    memset(e->gap, 0, (size_t)e->rank * sizeof(double));
    find_lack(e, e->gap + e->rank);
    KAL_TRY(factor(e, e->n, e->M, rows, e->A));
    solve(e, e->n, e->zero, rows, e->gap);
    for (size_t i = 0; i < n; i++) {
        e->control[i] = dot(e->M + i * n, e->x, e->n);
    }
    return KAL_OK;
}

// Inputs of least weighted norm, cut at their limits, theory (14.3) and (14.4).
static KalStatus control_by_actuators(KalElimination *e)
{
    assert(e->instant->system->n_actuators > 0);
    const KalSystem *system = e->instant->system;
    const int n = e->n;
    const int u = system->n_actuators;
    const int s = system->n_servos;
    for (int j = 0; j < u; j++) {
        for (int i = 0; i < n; i++) {
            e->control[i] = e->B[i * u + j];
        }
        solve(e, n, e->control, e->rank, e->zero);
        for (int i = 0; i < s; i++) {
            e->effect[i * u + j] = dot(e->servo_A + (size_t)i * (size_t)n, e->x, n);
        }
    }
    find_lack(e, e->gap);
    for (int j = 0; j < u; j++) {
        e->weights[j * u + j] = e->instant->settings.actuator_weights[j];
    }
    KAL_TRY(factor(e, u, e->weights, s, e->effect));
    solve(e, u, e->zero, s, e->gap);
    for (int j = 0; j < u; j++) {
        const double limit = e->instant->settings.actuator_limits[j];
        e->x[j] = fmax(-limit, fmin(limit, e->x[j]));
    }
    for (int i = 0; i < n; i++) {
        e->control[i] = dot(e->B + (size_t)i * (size_t)u, e->x, u);
    }
    return KAL_OK;
}

// Control acts on what servos lack without it.
static KalStatus add_control(KalElimination *e)
{
    KAL_TRY(solve_lagrange(e));
    memcpy(e->qdd, e->x, (size_t)e->n * sizeof(double));
    KAL_TRY(e->instant->system->n_actuators > 0 ? control_by_actuators(e)
                                                : control_freely(e));
    for (int i = 0; i < e->n; i++) {
        e->force[i] += e->control[i];
    }
    return KAL_OK;
}

KalStatus kal_elimination_givens(KalElimination *e)
{
    const KalSystem *system = e->instant->system;
    KAL_TRY(kal_instant_givens(e->instant));
    copy_givens(e);
    if (system->equations->has_C) {
        KAL_TRY(add_nonideal(e));
    }
    return system->n_servos > 0 ? add_control(e) : KAL_OK;
}

// The linear system of accelerations and multipliers as a textbook has it, by LU factors:
// nothing in common with `motion`.
KalStatus kal_elimination_solve(KalElimination *e)
{
    const size_t n = (size_t)e->n;
    KAL_TRY(kal_elimination_givens(e));
    KAL_TRY(solve_lagrange(e));
    memcpy(e->qdd, e->x, n * sizeof(double));
    for (int k = 0; k < e->rank; k++) {
        e->lambda[k] = -e->x[e->n + k];
    }
    memset(e->cforce, 0, n * sizeof(double));
    kal_elimination_add_mass(e, e->qdd, e->cforce);
    for (size_t i = 0; i < n; i++) {
        e->cforce[i] -= e->instant->Q[i];
        e->cforce[i] -= e->instant->system->n_servos > 0 ? e->control[i] : 0.0;
    }
    return KAL_OK;
}

void kal_elimination_add_mass(const KalElimination *e, const double *x, double *out)
{
    const KalSparse *M = &e->instant->system->equations->M;
    const size_t n = (size_t)e->n;
    for (size_t i = 0; i < n && e->M; i++) {
        out[i] += dot(e->M + i * n, x, e->n);
    }
    for (size_t i = 0; i < n && !e->M; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const size_t j = (size_t)M->column[k];
            out[i] += e->instant->large.M[k] * x[j];
            out[j] += i == j ? 0.0 : e->instant->large.M[k] * x[i];
        }
    }
}

void kal_elimination_add_rows(const KalElimination *e, int count, double factor,
                              const double *x, double *out)
{
    const KalSparse *A = &e->instant->system->equations->A;
    assert(count <= e->rank);
    for (int r = 0; r < count; r++) {
        const double by = factor * x[r];
        for (int j = 0; j < e->n && e->A; j++) {
            out[j] += by * e->A[r * e->n + j];
        }
        const int64_t end = e->A ? 0 : A->start[e->rows[r] + 1];
        for (int64_t k = A->start[e->rows[r]]; k < end; k++) {
            out[A->column[k]] += by * e->instant->large.A[k];
        }
    }
}

double kal_elimination_row_times(const KalElimination *e, int k, const double *x)
{
    const KalSparse *A = &e->instant->system->equations->A;
    double sum = 0.0;
    if (e->A) {
        return dot(e->A + (size_t)k * (size_t)e->n, x, e->n);
    }
    for (int64_t at = A->start[e->rows[k]]; at < A->start[e->rows[k] + 1]; at++) {
        sum += e->instant->large.A[at] * x[A->column[at]];
    }
    return sum;
}

// SPDX-License-Identifier: MIT

// The reduced form of a run: theory section 20.
//
// Speeds are the velocities of k coordinates.  QR factors with pivoting of the rows of
// constraints, scaled by masses, tell which rows count; Gauss's elimination of these with the
// largest of all entries that are left as pivots (complete pivoting), or one half as large that
// leaves more zeros, tells which velocities follow: those of its columns, in its order.  They
// follow by Newton's method on ψ(q, q') = 0, theory (20.7); where constraints are linear in the
// velocities its first step is exact.
//
// Invariant: rank + k = n.

#include "sim/form.h"

#include "base/four.h"
#include "linalg/kernels.h"
#include "linalg/lu.h"
#include "linalg/span.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 12 // of Newton's method, at most
};

// A row nearer than this to the span of others depends on them.
static const double DEPENDENT = 1e-6;
// Velocities are found when they change by no more than this part of them; it has to do
// when they are found to the other.
static const double ENOUGH = 1e-14;
static const double AT_LEAST = 1e-10;
static const double NEARLY = 1e-6;
// Velocities below this are as good as none.
static const double AT_REST = 1e-3;
// A pivot may be smaller than the largest entry by this factor.
static const double PIVOT = 0.5;
// Speeds are chosen anew when velocities follow so much faster, and so much faster than where
// they were chosen, theory (20.9).
static const double STEEP = 4.0;
static const double STEEPER = 2.0;

static void lay_out(KalCarver *carver, void *owner)
{
    KalReducedForm *form = owner;
    const size_t n = (size_t)form->n;
    const size_t m = (size_t)form->instant->system->m;
    form->K = kal_carve_doubles(carver, n, n);
    form->scale = kal_carve_doubles(carver, n, 1);
    form->unscale = kal_carve_doubles(carver, n, 1);
    form->x = kal_carve_doubles(carver, n, 1);
    form->work = kal_carve_doubles(carver, n, 1);
    form->guess = kal_carve_doubles(carver, n, 1);
    form->known = kal_carve_doubles(carver, n, 2);
    form->is = kal_carve_doubles(carver, n, 2);
    form->y = kal_carve_doubles(carver, 2 * n + (size_t)form->integrals, 1);
    form->z = kal_carve_doubles(carver, 2 * n + (size_t)form->integrals, 1);
    form->qr.W = kal_carve_doubles(carver, m, n);
    form->qr.tau = kal_carve_doubles(carver, m, 1);
    form->qr.norms = kal_carve_doubles(carver, m, 2);
    form->perm = kal_carve_ints(carver, n);
    form->columns = kal_carve_ints(carver, n);
    form->rows = kal_carve_ints(carver, m);
    form->qr.perm = kal_carve_ints(carver, m);
}

KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant, int integrals)
{
    assert(form && instant && integrals >= 0);
    const KalSystem *system = instant->system;
    *form = (KalReducedForm){.instant = instant,
                             .n = system->n,
                             .integrals = integrals,
                             .t = NAN,
                             .slope_t = NAN};
    instant->road.whole = integrals > 0;
    KAL_TRY(kal_projector_init(&form->projector, instant, NULL));
    return kal_workspace_make(instant->ctx, "for the reduced form", lay_out, form,
                              &form->workspace);
}

void kal_form_clear(KalReducedForm *form)
{
    if (form->instant) {
        kal_projector_clear(&form->projector);
        kal_workspace_clear(form->instant->ctx, &form->workspace);
    }
}

static void put(const KalReducedForm *form, double t, const double *q,
                const double *velocity)
{
    assert(q && velocity);
    const size_t size = (size_t)form->n * sizeof(double);
    form->instant->variables[0] = t;
    memcpy(kal_instant_q(form->instant), q, size);
    memcpy(kal_instant_qd(form->instant), velocity, size);
}

// The roots of masses, about 1.
static void find_scale(KalReducedForm *form)
{
    const double *masses = form->projector.masses;
    double mean = 0.0;
    kal_projector_set_weights(&form->projector);
    for (int j = 0; j < form->n; j++) {
        assert(masses[j] > 0.0);
        mean += masses[j] / form->n;
    }
    for (int j = 0; j < form->n; j++) {
        form->scale[j] = sqrt(masses[j] / mean);
        form->unscale[j] = 1.0 / form->scale[j];
    }
}

// Factor the rows of constraints in the present state, scaled to length 1.  Rows of zeros,
// such as those without a velocity level, are far from nothing and never taken.
static KalStatus factor_rows(KalReducedForm *form)
{
    assert(form->n > 0);
    const int n = form->n;
    const KalInstant *instant = form->instant;
    KAL_TRY(kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY));
    form->qr.rows = n;
    form->qr.columns = instant->system->m;
    for (int i = 0; i < instant->system->m; i++) {
        double *column = form->qr.W + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            column[j] = instant->A[i * n + j] / form->scale[j];
        }
        const double length = kal_length(n, column);
        for (int j = 0; j < n && length > 0.0; j++) {
            column[j] /= length;
        }
    }
    kal_qr_factor(&form->qr, DEPENDENT, 0);
    return KAL_OK;
}

// Row i of those that count, of length 1, in units in which masses are about 1.
static void take_row(const KalReducedForm *form, int constraint, double *row)
{
    const int n = form->n;
    const double *A = form->instant->A + (size_t)constraint * (size_t)n;
    for (int j = 0; j < n; j++) {
        row[j] = A[j] * form->unscale[j];
    }
    const double length = kal_length(n, row);
    const double factor = length > 0.0 ? 1.0 / length : 0.0;
    for (int j = 0; j < n; j++) {
        row[j] *= factor;
    }
}

// A place in what is left of the rows.
typedef struct Place {
    int row;
    int column;
} Place;

// How many entries elimination by a pivot may fill in.
static int fill_of(const KalReducedForm *form, int step, Place at)
{
    const int n = form->n;
    int in_row = 0;
    int in_column = 0;
    for (int j = step; j < n; j++) {
        in_row += form->K[at.row * n + j] != 0.0;
    }
    for (int i = step; i < form->rank; i++) {
        in_column += form->K[i * n + at.column] != 0.0;
    }
    return (in_row - 1) * (in_column - 1);
}

static double size_at(const KalReducedForm *form, Place at)
{
    return fabs(form->K[at.row * form->n + at.column]);
}

// The pivot of a step: of the entries that are large enough that which fills in least.
static Place find_pivot(const KalReducedForm *form, int step)
{
    double largest = 0.0;
    int least = form->n * form->n;
    Place best = {step, step};
    for (int i = step; i < form->rank; i++) {
        for (int j = step; j < form->n; j++) {
            largest = fmax(largest, size_at(form, (Place){i, j}));
        }
    }
    for (int i = step; i < form->rank; i++) {
        for (int j = step; j < form->n; j++) {
            const Place at = {i, j};
            const bool large = size_at(form, at) >= PIVOT * largest && largest > 0.0;
            const int filled = large ? fill_of(form, step, at) : least;
            if (filled < least) {
                least = filled;
                best = at;
            }
        }
    }
    return best;
}

static void swap_ints(int *list, int i, int j)
{
    const int kept = list[i];
    list[i] = list[j];
    list[j] = kept;
}

static void swap_numbers(double *x, double *y)
{
    const double kept = *x;
    *x = *y;
    *y = kept;
}

// Bring a pivot to its place.
static void bring(KalReducedForm *form, int step, Place at)
{
    const int n = form->n;
    for (int j = 0; j < n; j++) {
        swap_numbers(&form->K[step * n + j], &form->K[at.row * n + j]);
    }
    for (int i = 0; i < form->rank; i++) {
        swap_numbers(&form->K[i * n + step], &form->K[i * n + at.column]);
    }
    swap_ints(form->rows, step, at.row);
    swap_ints(form->columns, step, at.column);
}

// Take from the rows below what a pivot has in them.
static void eliminate(KalReducedForm *form, int step)
{
    const int n = form->n;
    const double *row = form->K + (size_t)step * (size_t)n;
    for (int i = step + 1; i < form->rank; i++) {
        double *below = form->K + (size_t)i * (size_t)n;
        const double factor = below[step] != 0.0 ? below[step] / row[step] : 0.0;
        below[step] = 0.0;
        for (int j = step + 1; j < n && factor != 0.0; j++) {
            below[j] -= factor * row[j];
        }
    }
}

// Choose the order of rows and columns.
static void order(KalReducedForm *form)
{
    const int n = form->n;
    for (int j = 0; j < n; j++) {
        form->columns[j] = j;
    }
    for (int i = 0; i < form->rank; i++) {
        take_row(form, form->rows[i], form->K + (size_t)i * (size_t)n);
    }
    for (int step = 0; step < form->rank; step++) {
        bring(form, step, find_pivot(form, step));
        eliminate(form, step);
    }
    for (int i = form->rank; i < n; i++) { // the others in the order of the model
        for (int j = i; j > form->rank && form->columns[j] < form->columns[j - 1];
             j--) {
            swap_ints(form->columns, j, j - 1);
        }
    }
}

// The factors of the columns whose velocities follow, scaled; false: they are singular.
static bool factor_columns(KalReducedForm *form)
{
    const int rank = form->rank;
    for (int i = 0; i < rank; i++) {
        take_row(form, form->rows[i], form->work);
        for (int j = 0; j < rank; j++) {
            form->K[i * rank + j] = form->work[form->columns[j]];
        }
    }
    return kal_lu_factor(rank, form->K, form->perm);
}

// The largest slope of velocities that follow, in the present state; infinite where they do not.
static double find_slope(KalReducedForm *form)
{
    double most = 0.0;
    if (!factor_columns(form)) {
        return INFINITY;
    }
    for (int l = form->rank; l < form->n; l++) {
        for (int i = 0; i < form->rank; i++) {
            take_row(form, form->rows[i], form->work);
            form->x[i] = form->work[form->columns[l]];
        }
        kal_lu_solve(form->rank, form->K, form->perm, form->work, form->x);
        for (int i = 0; i < form->rank; i++) {
            most = fabs(form->x[i]) <= most ? most : fabs(form->x[i]);
        }
    }
    return most;
}

KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y)
{
    assert(form->n > 0 && y);
    const int n = form->n;
    put(form, t, y, y + n);
    KAL_TRY(kal_instant_givens(form->instant));
    find_scale(form);
    KAL_TRY(factor_rows(form));
    form->rank = form->qr.rank;
    form->k = n - form->rank;
    assert(form->rank >= 0 && form->k >= 0);
    memcpy(form->rows, form->qr.perm, (size_t)form->rank * sizeof(int));
    memcpy(form->guess, y + n, (size_t)n * sizeof(double));
    order(form);
    form->steep = fmax(STEEP, STEEPER * find_slope(form));
    form->t = NAN;
    form->slope_t = NAN;
    form->instant->road.choice = NULL;
    return KAL_OK;
}

// The road forgets choices with its rows.
void kal_form_make(KalReducedForm *form)
{
    KalRoad *road = &form->instant->road;
    if (!road->choice) {
        kal_speeds_choose(road, form->rank, form->rows, form->columns);
    }
    kal_speeds_make(road);
}

// By the slopes of the step's end, where a program has found them; else by the rows there.
KalStatus kal_form_is_worn(KalReducedForm *form, double t, const double *y,
                           bool *out_worn)
{
    assert(out_worn && form->k >= 0 && form->k <= form->n);
    if (form->slope_t == t && kal_speeds_lead(&form->instant->road)) {
        *out_worn = !(form->slope <= form->steep);
        return KAL_OK;
    }
    put(form, t, y, y + form->n);
    KAL_TRY(factor_rows(form));
    *out_worn = form->qr.rank != form->rank || !(find_slope(form) <= form->steep);
    return KAL_OK;
}

void kal_form_apply(const KalReducedForm *form, const double *x, double *out_v)
{
    assert(x && out_v);
    for (int l = 0; l < form->n; l++) {
        out_v[l] = l < form->k ? x[form->columns[form->rank + l]] : 0.0;
    }
}

void kal_form_contract(const KalReducedForm *form, const double *y, double *out_z)
{
    memcpy(out_z, y, (size_t)form->n * sizeof(double));
    kal_form_apply(form, y + form->n, out_z + form->n);
}

void kal_form_know(KalReducedForm *form, double t, const double *y, const double *z)
{
    const size_t n = (size_t)form->n;
    form->t = t;
    kal_copy_numbers(form->is, y, 2 * n);
    kal_copy_numbers(form->known, z, n + (size_t)form->k);
}

const double *kal_form_recall(const KalReducedForm *form, double t, const double *z)
{
    const size_t n = (size_t)form->n;
    return form->t == t && kal_same_numbers(form->known, z, n + (size_t)form->k)
               ? form->is
               : NULL;
}

bool kal_form_leap(KalReducedForm *form, double t, const double *z, double *out_y)
{
    const size_t n = (size_t)form->n;
    const double *known = kal_form_recall(form, t, z);
    if (known) {
        kal_copy_numbers(out_y, known, 2 * n);
        return true;
    }
    KalRoad *road = &form->instant->road;
    if (!kal_speeds_find(road, t, z, form->x)) {
        return false;
    }
    if (!(t < form->slope_t)) { // it is the end of a step that counts
        form->slope = kal_speeds_steepness(road, form->scale);
        form->slope_t = t;
    }
    kal_copy_numbers(out_y, z, n);
    kal_copy_numbers(out_y + n, form->x, n);
    return true;
}

// What velocities that follow lack, scaled: ψ of rows of length 1.
static void take_residuals(KalReducedForm *form)
{
    const int n = form->n;
    for (int i = 0; i < form->rank; i++) {
        const double *A = form->instant->A + (size_t)form->rows[i] * (size_t)n;
        double square = 0.0;
        for (int j = 0; j < n; j++) {
            const double a = A[j] * form->unscale[j];
            square += a * a;
        }
        form->x[i] = square > 0.0
                         ? -form->instant->residuals[form->rows[i]] / sqrt(square)
                         : 0.0;
    }
}

// One step of Newton's method towards the velocities, and its relative size.  What a small step
// leaves is found with the same factors.
static KalStatus improve(KalReducedForm *form, double *change_of_last)
{
    assert(change_of_last);
    const bool factored = *change_of_last < NEARLY;
    double *velocity = kal_instant_qd(form->instant);
    double size = AT_REST;
    double change = 0.0;
    KAL_TRY(kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY));
    if (!factored && !factor_columns(form)) {
        return kal_fail(form->instant->ctx, KAL_ERR_CONTRADICTION,
                        "the speeds do not determine the velocities at t = %g",
                        form->instant->variables[0]);
    }
    take_residuals(form);
    kal_lu_solve(form->rank, form->K, form->perm, form->work, form->x);
    for (int i = 0; i < form->rank; i++) {
        const int j = form->columns[i];
        velocity[j] += form->x[i] / form->scale[j];
        change = fmax(change, fabs(form->x[i] / form->scale[j]));
    }
    for (int j = 0; j < form->n; j++) {
        size = fmax(size, fabs(velocity[j]));
    }
    *change_of_last = change / size;
    return KAL_OK;
}

KalStatus kal_form_expand(KalReducedForm *form, double t, const double *z,
                          double *out_y)
{
    assert(z && out_y);
    const size_t n = (size_t)form->n;
    double change = 1.0;
    put(form, t, z, form->guess);
    for (int l = 0; l < form->k; l++) {
        kal_instant_qd(form->instant)[form->columns[form->rank + l]] = z[n + (size_t)l];
    }
    for (int round = 0; round < ROUNDS && change > ENOUGH; round++) {
        KAL_TRY(improve(form, &change));
    }
    // Rounding may keep the last digits from settling, so less than ENOUGH has to do.
    if (!(change <= AT_LEAST)) {
        return kal_fail(form->instant->ctx, KAL_ERR_CONTRADICTION,
                        "no velocities satisfy the constraints at t = %g", t);
    }
    memcpy(form->guess, kal_instant_qd(form->instant), n * sizeof(double));
    memcpy(out_y, kal_instant_q(form->instant), 2 * n * sizeof(double));
    return KAL_OK;
}

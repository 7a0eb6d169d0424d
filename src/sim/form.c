// SPDX-License-Identifier: MIT

// The reduced form of a run: theory section 20.
//
// Speeds are the velocities of k coordinates.  QR factors with pivoting of the rows of
// constraints, scaled by masses, tell which rows count; Gauss's elimination of these with the
// largest of all entries that are left as pivots (complete pivoting), or one half as large that
// leaves more zeros, tells which velocities follow: those of its columns.  The way back to the
// constraints keeps the speeds and finds what follows (system/return.h); where there is no program
// of it, Newton's method on ψ(q, q') = 0 does, theory (20.7), whose first step is exact where
// constraints are linear in the velocities.
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
// Speeds are worn where numbers that follow are moved by so many tolerances, theory (20.9); what
// rounding may be, in parts of the largest number, is none of it.
static const double MOVED_Q = 0.25;
static const double MOVED_QD = 8.0;
static const double ROUNDING = 1e-13;

enum {
    PATIENCE = 16 // steps until a choice that has led to the same speeds is made again
};

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
    form->lengths = kal_carve_doubles(carver, n, 1);
    form->kept = kal_carve_doubles(carver, n, 2);
    form->is = kal_carve_doubles(carver, n, 1);
    form->entries = kal_carve_ints(carver, n);
    form->qr.W = kal_carve_doubles(carver, m, n);
    form->qr.tau = kal_carve_doubles(carver, m, 1);
    form->qr.norms = kal_carve_doubles(carver, m, 2);
    form->perm = kal_carve_ints(carver, n);
    form->columns = kal_carve_ints(carver, n);
    form->once = kal_carve_ints(carver, n);
    form->in_row = kal_carve_ints(carver, n);
    form->in_column = kal_carve_ints(carver, n);
    form->rows = kal_carve_ints(carver, m);
    form->qr.perm = kal_carve_ints(carver, m);
}

KalStatus kal_form_init(KalReducedForm *form, KalInstant *instant, double rtol,
                        double atol)
{
    assert(form && instant);
    const KalSystem *system = instant->system;
    *form = (KalReducedForm){
        .instant = instant, .n = system->n, .rtol = rtol, .atol = atol};
    KAL_TRY(kal_return_keep_speeds(&instant->road));
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

// The length of the row of a constraint, in units in which masses are about 1.
static double length_of_row(const KalReducedForm *form, int constraint)
{
    const double *A = form->instant->A + (size_t)constraint * (size_t)form->n;
    double square = 0.0;
    for (int j = 0; j < form->n; j++) {
        const double a = A[j] * form->unscale[j];
        square += a * a;
    }
    return sqrt(square);
}

// The row of a constraint, of length 1 in these units.
static void take_row(const KalReducedForm *form, int constraint, double *row)
{
    const double *A = form->instant->A + (size_t)constraint * (size_t)form->n;
    const double length = length_of_row(form, constraint);
    const double factor = length > 0.0 ? 1.0 / length : 0.0;
    for (int j = 0; j < form->n; j++) {
        row[j] = A[j] * form->unscale[j] * factor;
    }
}

// A place in what is left of the rows.
typedef struct Place {
    int row;
    int column;
} Place;

// How many entries rows and columns have in what is left.
static void count_entries(KalReducedForm *form, int step)
{
    const int n = form->n;
    memset(form->in_row, 0, (size_t)n * sizeof(int));
    memset(form->in_column, 0, (size_t)n * sizeof(int));
    for (int i = step; i < form->rank; i++) {
        for (int j = step; j < n; j++) {
            const int counts = form->K[i * n + j] != 0.0;
            form->in_row[i] += counts;
            form->in_column[j] += counts;
        }
    }
}

// How many entries elimination by a pivot may fill in.
static int fill_of(const KalReducedForm *form, Place at)
{
    return (form->in_row[at.row] - 1) * (form->in_column[at.column] - 1);
}

static double size_at(const KalReducedForm *form, Place at)
{
    return fabs(form->K[at.row * form->n + at.column]);
}

// The pivot of a step: of the entries that are large enough that which fills in least.
static Place find_pivot(KalReducedForm *form, int step)
{
    count_entries(form, step);
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
            const int filled = large ? fill_of(form, at) : least;
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

// Entry j of row i of those that count, in units in which masses are about 1 and its length is 1.
static double entry_of(const KalReducedForm *form, int i, int j)
{
    const double a = form->instant->A[form->rows[i] * form->n + j];
    return a * form->unscale[j] * form->lengths[i];
}

// The factors of the columns whose velocities follow, scaled; false: they are singular.
static bool factor_columns(KalReducedForm *form)
{
    const int rank = form->rank;
    for (int i = 0; i < rank; i++) {
        const double length = length_of_row(form, form->rows[i]);
        form->lengths[i] = length > 0.0 ? 1.0 / length : 0.0;
        for (int j = 0; j < rank; j++) {
            form->K[i * rank + j] = entry_of(form, i, form->columns[j]);
        }
    }
    return kal_lu_factor(rank, form->K, form->perm);
}

// Whether the last choice was the same.
static bool choose_columns(KalReducedForm *form)
{
    const size_t n = (size_t)form->n;
    const int rank = form->rank;
    form->rank = form->qr.rank;
    form->k = form->n - form->rank;
    assert(form->rank >= 0 && form->k >= 0);
    memcpy(form->rows, form->qr.perm, (size_t)form->rank * sizeof(int));
    memcpy(form->once, form->columns, n * sizeof(int));
    order(form);
    return form->rank == rank
           && memcmp(form->once, form->columns, n * sizeof(int)) == 0;
}

KalStatus kal_form_choose(KalReducedForm *form, double t, const double *y)
{
    assert(form->n > 0 && y);
    KAL_TRY(kal_instant_ask(form->instant));
    put(form, t, y, y + form->n);
    KAL_TRY(kal_instant_givens(form->instant));
    find_scale(form);
    KAL_TRY(factor_rows(form));
    form->patience = choose_columns(form) ? PATIENCE : 0;
    form->worn = false;
    for (int i = 0; i < form->rank; i++) {
        form->entries[i] = form->n + form->columns[i];
    }
    kal_return_follow(&form->instant->road, form->projector.masses, form->columns,
                      form->rank);
    return KAL_OK;
}

bool kal_form_is_worn(KalReducedForm *form)
{
    form->patience -= form->patience > 0;
    return form->worn && form->patience == 0 && form->rank > 0;
}

void kal_form_keep(KalReducedForm *form)
{
    kal_copy_numbers(form->kept, kal_instant_q(form->instant), 2 * (size_t)form->n);
}

// Whether the numbers that follow, of n, are farther from those that were kept than so many
// tolerances.
static bool has_moved(const KalReducedForm *form, const double *x, const double *kept,
                      double most)
{
    double largest = 0.0;
    bool moved = false;
    for (int j = 0; j < form->n; j++) {
        largest = fabs(x[j]) > largest ? fabs(x[j]) : largest;
    }
    for (int i = 0; i < form->rank && !moved; i++) {
        const int j = form->columns[i];
        const double allowed = most * (form->atol + form->rtol * fabs(x[j]));
        moved = !(fabs(x[j] - kept[j]) <= allowed + ROUNDING * largest);
    }
    return moved;
}

void kal_form_compare(KalReducedForm *form)
{
    const double *q = kal_instant_q(form->instant);
    const size_t n = (size_t)form->n;
    form->worn = form->worn || has_moved(form, q, form->kept, MOVED_Q)
                 || has_moved(form, q + n, form->kept + n, MOVED_QD);
}

// What velocities that follow lack, scaled: ψ of rows of length 1.
static void take_residuals(KalReducedForm *form)
{
    for (int i = 0; i < form->rank; i++) {
        form->x[i] = -form->instant->residuals[form->rows[i]] * form->lengths[i];
    }
}

// One step of Newton's method towards the velocities, and its relative size; infinite where the
// speeds do not determine them.  What a small step leaves is found with the same factors.
static KalStatus improve(KalReducedForm *form, double *change_of_last)
{
    assert(change_of_last);
    const bool factored = *change_of_last < NEARLY;
    double *velocity = kal_instant_qd(form->instant);
    double size = AT_REST;
    double change = 0.0;
    KAL_TRY(kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY));
    if (!factored && !factor_columns(form)) {
        *change_of_last = INFINITY;
        return KAL_OK;
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

// Rounding may keep the last digits from settling, so less than ENOUGH has to do.
KalStatus kal_form_follow(KalReducedForm *form)
{
    const size_t n = (size_t)form->n;
    double *velocity = kal_instant_qd(form->instant);
    const double *kept = form->kept + n;
    double change = 1.0;
    memcpy(form->is, velocity, n * sizeof(double));
    for (int l = form->rank; l < form->n; l++) {
        velocity[form->columns[l]] = kept[form->columns[l]];
    }
    for (int round = 0; round < ROUNDS && change > ENOUGH && change < INFINITY;
         round++) {
        KAL_TRY(improve(form, &change));
    }
    if (!(change <= AT_LEAST)) {
        form->worn = true;
        memcpy(velocity, form->is, n * sizeof(double));
    }
    return kal_instant_residuals(form->instant, KAL_PROGRAM_VELOCITY);
}

// SPDX-License-Identifier: MIT

// Steps onto the constraints: Gauss–Newton with the damping of Levenberg and Marquardt, in
// the metric of the kinetic energy.  Theory (13.1), (13.2), (13.5); ranks and sines (15.4),
// (15.5).
//
// Work goes on in coordinates y = Lᵀx in which the metric M_A = L Lᵀ is 1, with rows
// G = S A L⁻ᵀ scaled to length 1.  So the cosines of angles between constraints are the
// products of rows of G, and a step is one of least length in y.  Held coordinates have no
// column.
//
// Order of calls: weights, metric (L), rows (G, S), then factor and step, or rank and
// split.

#include "system/projector.h"

#include "linalg/cholesky.h"
#include "linalg/kernels.h"
#include "linalg/triangular.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// A residual is met when it is this small, relative to the terms in it.
static const double MET = 1e-10;
// Squares between this and its reciprocal have lost nothing to under- or overflow.
static const double SQUARE_SAFE = 1e-200;
// Coordinates count at least this much, relative to the largest, or to 1.
static const double SMALL = 1e-4;

// What numbers count at least in the terms of a residual.
static double least_number(int n, const double *x)
{
    assert(n >= 0);
    double largest = 1.0;
    for (int j = 0; j < n; j++) {
        largest = fmax(largest, fabs(x[j]));
    }
    return SMALL * largest;
}

// Up to what residual i is rounding, theory (13.3), where numbers count at least `least`.
static double allowed(const KalInstant *instant, int i, const double *x, double least)
{
    assert(i >= 0 && i < instant->system->m);
    const KalSparse *A = &instant->system->equations->A;
    double size = 0.0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        const int64_t j = A->column[k];
        const double entry = instant->large.solver
                                 ? instant->large.A[k]
                                 : instant->A[(int64_t)i * instant->system->n + j];
        size += fabs(entry) * fmax(fabs(x[j]), least);
    }
    return MET * size;
}

int kal_residuals_unmet(const KalInstant *instant, const double *x, double part,
                        int *out_rows)
{
    assert(instant && x && part > 0.0);
    const double least = least_number(instant->system->n, x);
    int count = 0;
    for (int i = 0; i < instant->system->m; i++) {
        const bool met =
            fabs(instant->residuals[i]) <= part * allowed(instant, i, x, least);
        if (!met && out_rows) {
            out_rows[count] = i;
        }
        count += !met;
    }
    return count;
}

// Residuals up to this, relative to the terms in them, are rounding.
static const double ROUNDING = 2.0 * DBL_EPSILON;

bool kal_residuals_are_rounding(const KalInstant *instant, const double *x)
{
    for (int i = 0; i < instant->system->m; i++) {
        const KalConstraintRow row = kal_instant_level_row(instant, i);
        double size = 0.0;
        for (int k = 0; k < row.count; k++) {
            size += fabs(kal_row_entry(&row, k) * x[row.column[k]]);
        }
        if (!(fabs(instant->residuals[i]) <= ROUNDING * size)) {
            return false;
        }
    }
    return true;
}

// What has no inertia counts this part of what it is tied to, where moves are compared.
static const double LITTLE = 1e-6;

static void lay_out_sparse(KalCarver *carver, KalProjector *p)
{
    const KalEquations *e = p->instant->system->equations;
    p->entries_of_M = kal_carve_doubles(carver, (size_t)e->M.start[e->n], 1);
    p->entries_of_A = kal_carve_doubles(carver, (size_t)e->A.start[e->m], 1);
    p->used = kal_carve_bools(carver, e->m);
}

static void lay_out_dense(KalCarver *carver, KalProjector *p)
{
    const size_t n = (size_t)p->n;
    const size_t m = (size_t)p->m;
    p->L = kal_carve_doubles(carver, n, n);
    p->G = kal_carve_doubles(carver, m, n);
    p->H = kal_carve_doubles(carver, m, m);
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalProjector *p = owner;
    const size_t n = (size_t)p->n;
    const size_t m = (size_t)p->m;
    if (p->instant->large.solver) {
        lay_out_sparse(carver, p);
    } else {
        lay_out_dense(carver, p);
    }
    p->inverse = kal_carve_doubles(carver, n, 1);
    p->y = kal_carve_doubles(carver, n, 1);
    p->S = kal_carve_doubles(carver, m, 1);
    p->pivots = kal_carve_doubles(carver, m, 1);
    p->z = kal_carve_doubles(carver, m, 1);
    p->weights = kal_carve_doubles(carver, m, 1);
    p->own = kal_carve_doubles(carver, n, 1);
    p->masses = kal_carve_doubles(carver, n, 1);
    p->columns = kal_carve_ints(carver, n);
    p->order = kal_carve_ints(carver, m);
    p->counted = kal_carve_ints(carver, m);
    p->ranked = kal_carve_ints(carver, m);
}

KalStatus kal_projector_init(KalProjector *p, KalInstant *instant, const bool *held)
{
    assert(p && instant);
    *p = (KalProjector){.instant = instant,
                        .n = instant->system->n,
                        .m = instant->system->m,
                        .held = held};
    KAL_TRY(kal_workspace_make(instant->ctx, "to meet constraints", lay_out, p,
                               &p->workspace));
    for (int i = 0; i < p->n; i++) {
        if (!held || !held[i]) {
            p->columns[p->free++] = i;
        }
    }
    return KAL_OK;
}

void kal_projector_clear(KalProjector *p)
{
    if (p->instant) {
        kal_workspace_clear(p->instant->ctx, &p->workspace);
    }
}

// Inertia that is this part of what a coordinate is tied to, or of all there is, is none.
static const double NO_INERTIA = 0x1p-30;
// Without inertia and without ties a coordinate counts as having this part of all there is.
static const double UNTIED = 0x1p-10;
// A mass that is this part of its usual size is none to measure by.
static const double UNUSUAL = 0x1p-10;

// The diagonal of M, or what is usual where that is far more, theory (13.5).
static void find_own_masses(KalProjector *p)
{
    assert(p->instant->M);
    const double *usual = p->instant->usual.masses;
    for (int j = 0; j < p->n; j++) {
        const double mass = p->instant->M[(size_t)j * (size_t)(p->n + 1)];
        const bool unusual = mass < UNUSUAL * usual[j] && isfinite(usual[j]);
        p->own[j] = unusual ? usual[j] : mass;
    }
}

// The mean mass that meets in a row, by the squares of its entries, as seen from the row.
static double mass_in_row(const KalProjector *p, const double *row)
{
    assert(row);
    double squares = 0.0;
    double moment = 0.0;
    for (int j = 0; j < p->n; j++) {
        squares += row[j] * row[j];
        moment += row[j] * row[j] * p->own[j];
    }
    return squares > 0.0 ? moment / squares / squares : 0.0;
}

// What coordinates have of their own or, without inertia, by what they are tied to.
static void find_masses(KalProjector *p)
{
    const int n = p->n;
    double most = 0.0;
    find_own_masses(p);
    memset(p->masses, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < p->m; i++) {
        const double *row = p->instant->A + (size_t)i * (size_t)n;
        const double mass = mass_in_row(p, row);
        for (int j = 0; j < n; j++) {
            const double tied = mass * row[j] * row[j];
            p->masses[j] = tied > p->masses[j] ? tied : p->masses[j];
        }
    }
    for (int j = 0; j < n; j++) {
        most = fmax(most, p->own[j]);
    }
    most = most > 0.0 ? most : 1.0;
    for (int j = 0; j < n; j++) {
        // Of the lightest masses such a part is zero.
        const double tied = fmax(p->masses[j], fmax(UNTIED * most, DBL_MIN));
        p->masses[j] =
            p->own[j] > NO_INERTIA * fmax(p->masses[j], most) ? p->own[j] : tied;
    }
}

// The weight of a row is the mass that resists it, theory (13.5).
void kal_projector_set_weights(KalProjector *p)
{
    assert(p->instant->A);
    double *lightness = p->y;
    find_masses(p);
    for (int j = 0; j < p->n; j++) {
        lightness[j] = 1.0 / p->masses[j];
    }
    for (int i = 0; i < p->m; i++) {
        const double *row = p->instant->A + (size_t)i * (size_t)p->n;
        double sum = 0.0;
        for (int j = 0; j < p->n; j++) {
            sum += row[j] * row[j] * lightness[j];
        }
        p->weights[i] = sum > 0.0 && isfinite(1.0 / sum)
                            ? fmax(1.0 / sum, mass_in_row(p, row))
                            : 0.0;
    }
}

// M + AᵀWA of the free coordinates, lower triangle, theory (13.1); `extra` parts of its
// diagonal are added, and 1 where that is zero.
static void fill_metric(KalProjector *p, double extra)
{
    assert(extra >= 0.0);
    const double *M = p->instant->M;
    const int f = p->free;
    for (int j = 0; j < f; j++) {
        const double *row = M + (size_t)p->columns[j] * (size_t)p->n;
        for (int i = j; i < f; i++) {
            p->L[j * f + i] = row[p->columns[i]];
        }
    }
    for (int k = 0; k < p->m; k++) {
        const double *a = p->instant->A + (size_t)k * (size_t)p->n;
        for (int j = 0; j < f; j++) {
            const double factor = p->weights[k] * a[p->columns[j]];
            for (int i = j; i < f && factor != 0.0; i++) {
                p->L[j * f + i] += factor * a[p->columns[i]];
            }
        }
    }
    for (int j = 0; j < f && extra > 0.0; j++) {
        double *diagonal = &p->L[j * f + j];
        *diagonal = *diagonal > 0.0 ? (1.0 + extra) * *diagonal : 1.0;
    }
}

// The diagonal of M, and what has none counts as a mass of 1: lengths are compared only.
static void take_sparse_metric(KalProjector *p)
{
    assert(p->instant->large.solver);
    const KalSparse *M = &p->instant->system->equations->M;
    memcpy(p->entries_of_M, p->instant->large.M,
           (size_t)M->start[M->rows] * sizeof(double));
    for (int64_t j = 0; j < p->n; j++) {
        const int64_t last = M->start[j + 1] - 1;
        const bool any = last >= M->start[j] && M->column[last] == j;
        p->masses[j] = any && p->entries_of_M[last] > 0.0 ? p->entries_of_M[last] : 1.0;
    }
}

// M_A is singular where a coordinate has neither mass nor ties; a little of its diagonal
// then makes it regular.  Any metric leads to the constraints.
void kal_projector_set_metric(KalProjector *p)
{
    const double singular = 1e-10; // pivots, relative to the diagonal
    if (p->instant->large.solver) {
        take_sparse_metric(p);
        return;
    }
    kal_projector_set_weights(p);
    fill_metric(p, 0.0);
    if (kal_cholesky(p->free, p->L, p->inverse) > singular) {
        return;
    }
    fill_metric(p, 1e-6);
    (void)kal_cholesky(p->free, p->L, p->inverse);
}

// The length of a vector, whatever the size of its entries.  Squares of very large or
// small numbers would overflow or vanish: there the length is gathered entry by entry.
static double length_of(int n, const double *x)
{
    assert(n >= 0);
    const double square = kal_dot(n, x, x);
    double length = 0.0;
    if (square > SQUARE_SAFE && square < 1.0 / SQUARE_SAFE) {
        return sqrt(square);
    }
    for (int i = 0; i < n; i++) {
        length = hypot(length, x[i]);
    }
    return length;
}

// G = S A L⁻ᵀ.
static void set_sparse_rows(KalProjector *p, const bool *used)
{
    assert(p->instant->large.solver);
    const KalEquations *e = p->instant->system->equations;
    memcpy(p->entries_of_A, p->instant->large.A,
           (size_t)e->A.start[e->m] * sizeof(double));
    for (int i = 0; i < p->m; i++) {
        p->used[i] = p->instant->active[i] && (!used || used[i]);
    }
}

static bool is_zero(int n, const double *x)
{
    int i = 0;
    while (i < n && x[i] == 0.0) {
        i++;
    }
    return i == n;
}

// G ← G L⁻ᵀ, row upon row; rows of zeros, of what does not act, stay so.
static void solve_rows(KalProjector *p)
{
    const int f = p->free;
    for (int i = 0; i < p->m;) {
        double *first = p->G + (size_t)i * (size_t)f;
        int count = 0;
        while (i + count < p->m && !is_zero(f, first + (size_t)count * (size_t)f)) {
            count++;
        }
        kal_solve_lower(f, p->L, p->inverse, count, first);
        i += count + 1;
    }
}

void kal_projector_set_rows(KalProjector *p, const bool *used)
{
    const int f = p->free;
    if (p->instant->large.solver) {
        set_sparse_rows(p, used);
        return;
    }
    for (int i = 0; i < p->m; i++) {
        double *g = p->G + (size_t)i * (size_t)f;
        const double *a = p->instant->A + (size_t)i * (size_t)p->n;
        const double counts = !used || used[i] ? 1.0 : 0.0;
        for (int j = 0; j < f; j++) {
            g[j] = counts * a[p->columns[j]];
        }
    }
    solve_rows(p);
    p->n_counted = 0;
    for (int i = 0; i < p->m; i++) {
        double *g = p->G + (size_t)i * (size_t)f;
        p->S[i] = 0.0;
        if (is_zero(f, g)) { // as most rows of contacts are
            continue;
        }
        const double length = length_of(f, g);
        p->S[i] = length > 0.0 ? 1.0 / length : 0.0;
        for (int j = 0; j < f; j++) {
            g[j] *= p->S[i];
        }
        if (length > 0.0) {
            p->counted[p->n_counted++] = i;
        }
    }
}

static const double *row_of(const KalProjector *p, int i)
{
    return p->G + (size_t)i * (size_t)p->free;
}

// The lengths of rows are known once there are factors.
static bool factor_sparse(KalProjector *p, double damping)
{
    assert(damping > 0.0);
    const KalLargeProblem problem = {
        .M = p->entries_of_M, .A = p->entries_of_A, .active = p->used};
    KalLarge *large = p->instant->large.solver;
    p->failure = kal_large_prepare(large, &problem, p->held, damping);
    if (p->failure != KAL_OK) {
        return false;
    }
    for (int i = 0; i < p->m; i++) {
        const double length = kal_large_lengths(large)[i];
        p->S[i] = length > 0.0 ? 1.0 / length : 0.0;
    }
    return true;
}

// H = G Gᵀ + μ 1 in the rows that count, theory (13.2); definite for any μ > 0 that is
// not lost in rounding.
bool kal_projector_factor(KalProjector *p, double damping)
{
    assert(damping > 0.0);
    const int f = p->free;
    const int m = p->n_counted;
    if (p->instant->large.solver) {
        return factor_sparse(p, damping);
    }
    for (int i = 0; i < m; i++) {
        const double *row = row_of(p, p->counted[i]);
        for (int j = 0; j <= i; j++) {
            p->H[j * m + i] = kal_dot(f, row, row_of(p, p->counted[j]));
        }
        p->H[i * m + i] += damping;
    }
    return kal_cholesky(m, p->H, p->pivots) > 0.0;
}

// What a step leaves of a number; where it takes it to zero, damping and rounding leave
// dust, which is none of the answer.  If it was, the next step brings it back.
static double moved(double x, double by)
{
    const double dust = 4.0 * KAL_LEAST_DAMPING;
    return fabs(x + by) > dust * fabs(x) ? x + by : 0.0;
}

// y = −Gᵀ (G Gᵀ + μ)⁻¹ S φ, theory (13.2).
static void find_step(KalProjector *p)
{
    assert(p->free >= 0 && p->free <= p->n);
    const int f = p->free;
    const int m = p->n_counted;
    for (int i = 0; i < m; i++) {
        p->z[i] = -p->S[p->counted[i]] * p->instant->residuals[p->counted[i]];
    }
    kal_solve_lower(m, p->H, p->pivots, 1, p->z);
    kal_solve_lower_transposed(m, p->H, p->pivots, p->z);
    memset(p->y, 0, (size_t)f * sizeof(double));
    for (int i = 0; i < m; i++) {
        kal_axpy(f, p->z[i], row_of(p, p->counted[i]), p->y);
    }
    kal_solve_lower_transposed(f, p->L, p->inverse, p->y);
}

void kal_projector_step(KalProjector *p, const double *x, double *out_x)
{
    assert(x && out_x);
    KalLarge *large = p->instant->large.solver;
    if (large) {
        kal_large_step(large, p->instant->residuals, p->y);
    } else {
        find_step(p);
    }
    memcpy(out_x, x, (size_t)p->n * sizeof(double));
    for (int k = 0; k < p->free; k++) {
        double *entry = &out_x[p->columns[k]];
        *entry = moved(*entry, p->y[large ? p->columns[k] : k]);
    }
}

// The rows that are not zero first, as a ranking of `count` of them has them, then the others.
static void keep_order(KalProjector *p, int count)
{
    int next = count;
    for (int k = 0; k < count; k++) {
        p->order[k] = p->counted[p->ranked[k]];
    }
    for (int i = 0, k = 0; i < p->m; i++) {
        if (k < count && p->counted[k] == i) {
            k++;
        } else {
            p->order[next++] = i;
        }
    }
}

// Pivoted Cholesky of G Gᵀ, theory (15.4).  Rows have length 1, so a pivot is the sine of the
// angle between its row and the span of those before it.  Most rows of contacts do not act.
void kal_projector_rank(KalProjector *p, double *out_sines)
{
    assert(out_sines || p->m == 0);
    const double least = 1e-30; // any pivot counts that is a number at all
    const int m = p->n_counted;
    for (int i = 0; i < m; i++) {
        const double *row = row_of(p, p->counted[i]);
        for (int j = 0; j <= i; j++) {
            const double product = kal_dot(p->free, row, row_of(p, p->counted[j]));
            p->H[j * m + i] = product;
            p->H[i * m + j] = product;
        }
    }
    const int rank = kal_cholesky_pivoted(m, p->H, least, p->ranked);
    keep_order(p, m);
    for (int i = 0; i < p->m; i++) {
        out_sines[i] = i < rank ? fabs(p->H[i * m + i]) : 0.0;
    }
}

// Take from `rest` what it has along each of `count` rests that are orthogonal.
static void take_out(const KalProjector *p, int count, const double *rests,
                     const double *sines, double *rest)
{
    assert(count >= 0 && count <= p->m);
    const int f = p->free;
    for (int j = 0; j < count; j++) {
        const double *other = rests + (size_t)j * (size_t)f;
        const double square = sines[j] * sines[j];
        const double part = square > 0.0 ? kal_dot(f, rest, other) / square : 0.0;
        for (int k = 0; k < f; k++) {
            rest[k] -= part * other[k];
        }
    }
}

// Gram and Schmidt; twice where little is left, for that has lost digits.
void kal_projector_split(const KalProjector *p, int rank, double *out_rests,
                         double *out_sines)
{
    assert(rank >= 0 && rank <= p->m);
    const double little = 0.1;
    const int f = p->free;
    for (int i = 0; i < rank; i++) {
        double *rest = out_rests + (size_t)i * (size_t)f;
        memcpy(rest, row_of(p, p->order[i]), (size_t)f * sizeof(double));
        take_out(p, i, out_rests, out_sines, rest);
        out_sines[i] = length_of(f, rest);
        if (out_sines[i] < little) {
            take_out(p, i, out_rests, out_sines, rest);
            out_sines[i] = length_of(f, rest);
        }
    }
}

// From y back to rows that do not depend on the metric, x = L y, in place: entry j needs
// those up to j, so the last comes first.
void kal_projector_lift(const KalProjector *p, int rank, double *rests)
{
    assert(rank >= 0 && rank <= p->m);
    const int f = p->free;
    for (int i = 0; i < rank; i++) {
        double *x = rests + (size_t)i * (size_t)f;
        for (int j = f - 1; j >= 0; j--) {
            double sum = 0.0;
            for (int k = 0; k <= j; k++) {
                sum += p->L[k * f + j] * x[k];
            }
            x[j] = sum;
        }
    }
}

// A row whose rest points against what it was has passed through zero: its sine gets a
// minus.
double kal_projector_compare(KalProjector *p, int rank, double *lifted,
                             const double *rests, double *sines)
{
    assert(rank >= 0 && rank <= p->m);
    const size_t f = (size_t)p->free;
    double least = 1.0;
    kal_solve_lower(p->free, p->L, p->inverse, rank, lifted);
    for (size_t i = 0; i < (size_t)rank; i++) {
        const double product = kal_dot(p->free, lifted + i * f, rests + i * f);
        const double size = length_of(p->free, lifted + i * f) * sines[i];
        least = size > 0.0 ? fmin(least, fabs(product) / size) : least;
        sines[i] = product < 0.0 ? -sines[i] : sines[i];
    }
    return least;
}

// The row is Σ c (rows of the first rank) but for what it has of its own: L₁₁ᵀ c = l.
bool kal_projector_takes_part(KalProjector *p, int rank, int row, int other)
{
    assert(rank <= row && row < p->m && other >= 0 && other < rank);
    const double counts = 1e-3;
    const int m = p->m;
    for (int i = 0; i < rank; i++) {
        p->z[i] = p->H[i * m + row];
    }
    for (int i = rank - 1; i >= 0; i--) {
        for (int k = i + 1; k < rank; k++) {
            p->z[i] -= p->H[i * m + k] * p->z[k];
        }
        p->z[i] = p->H[i * m + i] > 0.0 ? p->z[i] / p->H[i * m + i] : 0.0;
    }
    return fabs(p->z[other]) > counts;
}

// The largest residual, each relative to its row.
double kal_projector_measure(const KalProjector *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->m; i++) {
        const double scale = p->S[i] > 0.0 ? p->S[i] : 1.0;
        const double size = fabs(scale * p->instant->residuals[i]);
        sum = size > sum ? size : sum;
    }
    return sum;
}

// √(dᵀ(M + diag)d) with d = to − from, from the triangle of M that is kept; the little
// diagonal gives coordinates without mass a length.
static double sparse_distance(const KalProjector *p, const double *from,
                              const double *to)
{
    assert(from && to);
    const KalSparse *M = &p->instant->system->equations->M;
    double sum = 0.0;
    for (int64_t i = 0; i < p->n; i++) {
        const double move = to[i] - from[i];
        sum += LITTLE * p->masses[i] * move * move;
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const int64_t j = M->column[k];
            const double twice = j == i ? 1.0 : 2.0;
            sum += twice * move * p->entries_of_M[k] * (to[j] - from[j]);
        }
    }
    return sqrt(fmax(sum, 0.0));
}

// √(Δᵀ M Δ), with a little of the masses for coordinates of which M knows nothing.
double kal_projector_distance(const KalProjector *p, const double *from,
                              const double *to)
{
    assert(from && to);
    double sum = 0.0;
    if (p->instant->large.solver) {
        return sparse_distance(p, from, to);
    }
    for (int i = 0; i < p->n; i++) {
        const double *row = p->instant->M + (size_t)i * (size_t)p->n;
        const double move = to[i] - from[i];
        double entry = LITTLE * p->masses[i] * move;
        for (int j = 0; j < p->n; j++) {
            entry += row[j] * (to[j] - from[j]);
        }
        sum += move * entry;
    }
    return sqrt(fmax(sum, 0.0));
}

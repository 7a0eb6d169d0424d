// SPDX-License-Identifier: MIT

// Constraints that depend on each other.
//
// The factored rows W P = U T say it all: with T = [T₁ T₂] after the first k = rank
// columns, column c of T₁⁻¹T₂ expresses a dependent row by the independent ones, see
// theory (6.1).  Two constraints belong to the same set when one needs the other somewhere in
// there, directly or through others: the connected components of the graph of nonzero
// coefficients, which do not depend on which rows were taken as independent (theory (6.2)).

#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Coefficients belong to rows of length 1; below this they are rounding.
static double coefficient_tolerance(const KalMotion *s)
{
    return 16.0 * DBL_EPSILON * (s->given.n + s->given.m) / s->rows.smallest;
}

// X = T₁⁻¹T₂, column after column, without what is rounding (theory (6.1)).
static void find_coefficients(KalMotion *s)
{
    assert(s->rows.rank >= 0 && s->rows.rank <= s->rows.columns);
    const KalQr *rows = &s->rows;
    const int k = rows->rank;
    const double tolerance = coefficient_tolerance(s);
    for (int c = 0; c < rows->columns - k; c++) {
        double *x = kal_column(s->dependence.coefficients, k, c);
        memcpy(x, kal_column(rows->W, rows->rows, k + c), (size_t)k * sizeof *x);
        kal_solve_upper(k, rows->W, rows->rows, x);
        for (int i = 0; i < k; i++) {
            x[i] = fabs(x[i]) > tolerance ? x[i] : 0.0;
        }
    }
}

// The representative of i's set; paths are halved on the way.
static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        assert(parent[i] < i); // the smaller index represents, so this ends
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Join i and j; the smaller index represents the set.
static void join(int *parent, int i, int j)
{
    const int a = root_of(parent, i);
    const int b = root_of(parent, j);
    assert(parent[a] == a && parent[b] == b);
    if (a < b) {
        parent[b] = a;
    } else {
        parent[a] = b;
    }
}

// Number the sets by their first members; a constraint that nobody needs has none.
static void number_sets(KalMotion *s, int *parent, const bool *needed)
{
    for (int i = 0; i < s->given.m; i++) {
        const int root = root_of(parent, i);
        if (!needed[i]) {
            s->found.dependent_set[i] = -1;
        } else if (root == i) {
            s->found.dependent_set[i] = s->found.n_sets++;
        } else {
            assert(root < i);
            s->found.dependent_set[i] = s->found.dependent_set[root];
        }
    }
}

void kal_dependence_find(KalMotion *s)
{
    assert(s->rows.rank >= 0 && s->rows.rank <= s->given.m);
    const KalQr *rows = &s->rows;
    const int k = rows->rank;
    int *parent = s->fault_indices; // free until something is at fault
    bool *needed = (bool *)s->scratch[4];
    s->found.marks_clear = false;
    s->found.n_sets = 0;
    find_coefficients(s);
    for (int i = 0; i < rows->columns; i++) {
        parent[i] = i;
        needed[i] = false;
    }
    for (int c = 0; c < rows->columns - k; c++) {
        const double *x = kal_column(s->dependence.coefficients, k, c);
        const int dependent = rows->perm[k + c];
        needed[dependent] = true;
        for (int i = 0; i < k; i++) {
            if (x[i] != 0.0) {
                needed[rows->perm[i]] = true;
                join(parent, dependent, rows->perm[i]);
            }
        }
    }
    number_sets(s, parent, needed);
}

// The largest acceleration of a coordinate that constraint i contains, in natural units:
// what a small error in its coefficients would act on.
static double fastest_in_row(const KalMotion *s, int i, const double *q)
{
    assert(i >= 0 && i < s->given.m);
    const double *row = s->given.A + (size_t)i * (size_t)s->given.n;
    double fastest = 0.0;
    for (int j = 0; j < s->given.n; j++) {
        fastest = row[j] != 0.0 ? fmax(fastest, fabs(q[j] / s->metric.d[j])) : fastest;
    }
    return fastest;
}

// What the right-hand side of row i may be wrong by: its own error, and that of a row
// which counts as dependent, for accelerations as large as they are (theory (6.3)).
static double allowed_error(const KalMotion *s, int i, const double *q)
{
    const double b = s->b_size ? s->b_size[i] : fabs(s->given.b[i]);
    return s->options.consistency_tolerance * s->metric.r[i] * b
           + 4.0 * s->rank_tolerance * fastest_in_row(s, i, q);
}

// Join coordinates that constraints or masses couple.
static void find_coupled(const KalMotion *s, int *parent)
{
    const int n = s->given.n;
    for (int j = 0; j < n; j++) {
        parent[j] = j;
    }
    for (int i = 0; i < s->given.m + n; i++) {
        const double *row = i < n ? s->given.M + (size_t)i * (size_t)n
                                  : s->given.A + (size_t)(i - n) * (size_t)n;
        int first = -1;
        for (int j = 0; j < n; j++) {
            if (row[j] != 0.0) {
                first = first < 0 ? j : first;
                join(parent, first, j);
            }
        }
    }
}

// fastest (m) = the largest acceleration, in natural units, of all coordinates that are
// coupled to those in a row, over any number of others.
static void find_fastest_coupled(KalMotion *s, const double *q, double *fastest)
{
    const int n = s->given.n;
    int *parent = s->verdict.perm; // free by now
    double *most = s->scratch[0];
    find_coupled(s, parent);
    memset(most, 0, (size_t)n * sizeof *most);
    for (int j = 0; j < n; j++) {
        const int root = root_of(parent, j);
        most[root] = fmax(most[root], fabs(q[j] / s->metric.d[j]));
    }
    for (int i = 0; i < s->given.m; i++) {
        const double *row = s->given.A + (size_t)i * (size_t)n;
        fastest[i] = 0.0;
        for (int j = 0; j < n && fastest[i] == 0.0; j++) {
            fastest[i] = row[j] != 0.0 ? most[root_of(parent, j)] : 0.0;
        }
    }
}

// What dependent row c misses, from what its rows are allowed to be wrong by: 0 when that
// explains it, and no number where overflow leaves nothing to compare with.  A row that has no
// share in c has none in its errors either, even if they are infinite.
static double find_mismatch(const KalMotion *s, int c, const double *allowed)
{
    const KalQr *rows = &s->rows;
    const int k = rows->rank;
    const double *x = kal_const_column(s->dependence.coefficients, k, c);
    const int dependent = rows->perm[k + c];
    double missing = s->metric.r[dependent] * s->given.b[dependent];
    double limit = allowed[k + c];
    for (int i = 0; i < k; i++) {
        if (x[i] != 0.0) {
            missing -= x[i] * s->metric.r[rows->perm[i]] * s->given.b[rows->perm[i]];
            limit += fabs(x[i]) * allowed[i];
        }
    }
    if (missing == 0.0 || fabs(missing) <= limit) {
        return 0.0;
    }
    return isnan(limit) ? limit : missing;
}

// A dependent row c says b_c = Σ x_i b_i.  What is missing must be within what the rows
// concerned may be wrong by.
bool kal_dependence_agrees(KalMotion *s, const double *q)
{
    const double rounding = 16.0 * DBL_EPSILON * (s->given.n + s->given.m);
    double *fastest = s->scratch[5];
    find_fastest_coupled(s, q, fastest);
    const KalQr *rows = &s->rows;
    assert(q != fastest && q != s->scratch[4] && q != s->scratch[0]);
    double *allowed = s->scratch[4];
    bool agrees = true;
    for (int j = 0; j < rows->columns; j++) {
        const int i = rows->perm[j];
        assert(i >= 0 && i < s->given.m);
        allowed[j] = allowed_error(s, i, q) + rounding * fastest[i];
    }
    for (int c = 0; c < rows->columns - rows->rank; c++) {
        s->dependence.mismatch[c] = find_mismatch(s, c, allowed);
        agrees &= s->dependence.mismatch[c] == 0.0;
    }
    return agrees;
}

// What refinement leaves of the largest acceleration of all, in natural units, in a
// coordinate that is held: its own terms are no more than that.  Those asked for count: the
// change of velocities that satisfied the constraints before an impact is all rounding.
static double left_at_rest(const KalMotion *s)
{
    return 0x1p-18 * kal_motion_largest_acceleration(s);
}

// What b of row i may be off by, because terms in it cancel (theory (5.5)), in natural
// units.
static double trace_of_b(const KalMotion *s, int i)
{
    const KalMotionProblem *p = &s->given;
    return p->b_size ? s->metric.r[i] * fmax(0.0, p->b_size[i] - fabs(p->b[i])) : 0.0;
}

// Whether a dependent row follows from the others in given units too.  Units made of masses
// are so large for a light coordinate that next to it all others may seem to be rounding
// (theory (6.6)).
static bool follows_as_given(const KalMotion *s, int c)
{
    assert(c >= 0 && s->rows.rank + c < s->given.m);
    const double near = 1e-8;
    const KalQr *rows = &s->rows;
    const double *x = kal_const_column(s->dependence.coefficients, rows->rank, c);
    const int i = rows->perm[rows->rank + c];
    const size_t n = (size_t)s->given.n;
    double missing = 0.0;
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double entry = s->metric.r[i] * s->given.A[(size_t)i * n + j];
        double rest = entry;
        for (int l = 0; l < rows->rank; l++) {
            const int other = rows->perm[l];
            rest -= x[l] * s->metric.r[other] * s->given.A[(size_t)other * n + j];
        }
        missing = fmax(missing, fabs(rest));
        largest = fmax(largest, fabs(entry));
    }
    return missing <= near * largest;
}

// How much of what a row misses is rounding: its terms are, those of the rows that it
// depends on, as they enter it, if it depends on them in all units, and the accelerations of
// all that it is coupled to, through which the solve went.
int kal_dependence_find_violated(KalMotion *s)
{
    const KalQr *rows = &s->rows;
    const int k = rows->rank;
    const double rounding = 16.0 * DBL_EPSILON * (s->given.n + s->given.m);
    const double rest = left_at_rest(s);
    double *terms = s->scratch[4];
    double *fastest = s->scratch[5];
    double sum;
    find_fastest_coupled(s, s->found.qdd, fastest);
    for (int j = 0; j < k; j++) {
        const int i = rows->perm[j];
        terms[j] = s->metric.r[i] * kal_motion_term_size(s, i, s->found.qdd, &sum);
    }
    for (int c = 0; c < rows->columns - k; c++) {
        const double *x = kal_const_column(s->dependence.coefficients, k, c);
        const int i = rows->perm[k + c];
        double slack = rest + fastest[i];
        double trace = trace_of_b(s, i);
        for (int j = 0; j < k; j++) {
            slack += fabs(x[j]) * terms[j];
            trace += fabs(x[j]) * trace_of_b(s, rows->perm[j]);
        }
        const double size = kal_motion_term_size(s, i, s->found.qdd, &sum);
        const double beyond = fabs(sum - s->given.b[i]) - 1e-6 * size;
        if (beyond > (rounding * slack + trace) / s->metric.r[i]
            || (beyond > 0.0 && !follows_as_given(s, c))) {
            return i;
        }
    }
    return -1;
}

// All multipliers that give the same force are λ + R N z with N = [−X; I]; the least is
// found by least squares over z (theory (6.4)).
static void fill_least_squares(KalMotion *s)
{
    const KalQr *rows = &s->rows;
    KalQr *least = &s->dependence.least;
    const int k = rows->rank;
    assert(k < rows->columns); // without dependent rows there is nothing to choose
    least->rows = rows->columns;
    least->columns = rows->columns - k;
    double *rhs = kal_column(least->W, least->rows, least->columns);
    for (int c = 0; c < least->columns; c++) {
        const double *x = kal_column(s->dependence.coefficients, k, c);
        double *column = kal_column(least->W, least->rows, c);
        memset(column, 0, (size_t)least->rows * sizeof *column);
        for (int i = 0; i < k; i++) {
            column[i] = -s->metric.r[rows->perm[i]] * x[i];
        }
        column[k + c] = s->metric.r[rows->perm[k + c]];
    }
    for (int j = 0; j < rows->columns; j++) {
        rhs[j] = s->found.dependent_set[rows->perm[j]] >= 0
                     ? s->found.lambda[rows->perm[j]]
                     : 0.0;
    }
}

void kal_dependence_least_norm(KalMotion *s, double *lambda_total)
{
    const KalQr *rows = &s->rows;
    KalQr *least = &s->dependence.least;
    fill_least_squares(s);
    kal_qr_factor_to_rank(least, least->columns, 1);
    assert(least->rank <= least->columns && least->rank <= least->rows);

    // The part of λ outside the range of R N is what remains of the right-hand side.
    double *rest = kal_column(least->W, least->rows, least->columns);
    memset(rest, 0, (size_t)least->rank * sizeof *rest);
    kal_qr_apply(least, rest);
    for (int j = 0; j < rows->columns; j++) {
        const int i = rows->perm[j];
        if (s->found.dependent_set[i] >= 0) {
            const double change = rest[j] - s->found.lambda[i];
            if (lambda_total != s->found.lambda) {
                lambda_total[i] += change;
            }
            s->found.lambda[i] = rest[j];
        }
    }
}

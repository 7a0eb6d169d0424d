// SPDX-License-Identifier: MIT

// The metric that stands for M, and the rank of M where the fast road went without
// factoring it.
//
// Elimination with pivots, the largest first, measured by the mass that coordinates have in
// the metric (theory (3.9)); columns of zeros cost nothing, and M has many.  What is left
// must be rounding in these units, or else the general road shall judge.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"
#include "motion/weights.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool kal_motion_find_weights(KalMotion *s)
{
    const KalMotionProblem *p = &s->given;
    KalMetric metric = {s->metric.mass, s->metric.weights, s->scratch[1],
                        s->fault_indices};
    return kal_metric_weights(p->n, p->m, p->M, p->A, &metric);
}

// In given units masses hardly differ by more.  If those of the metric do, natural units
// made of them say little about what is large and small, and residuals in them vouch for
// nothing.
static const double WIDEST = 0x1p30;

bool kal_motion_metric_is_sane(const KalMotion *s)
{
    double least = INFINITY;
    double most = 0.0;
    for (int j = 0; j < s->given.n; j++) {
        least = fmin(least, s->metric.mass[j]);
        most = fmax(most, s->metric.mass[j]);
    }
    return most <= WIDEST * least;
}

double kal_mass_tolerance(int n)
{
    return 0x1p-46 * (n > 8 ? n / 8.0 : 1.0);
}

bool kal_mass_is_isolated(int n, const double *M, int j)
{
    assert(j >= 0 && j < n);
    const double *column = M + (size_t)j * (size_t)n;
    for (int i = 0; i < n; i++) {
        if (i != j && column[i] != 0.0) {
            return false;
        }
    }
    return true;
}

// The column that is left with the largest part of its unit, or -1.
static int largest_left(int n, const double *a, const double *unit, const bool *taken)
{
    assert(n >= 1);
    int best = -1;
    double most = kal_mass_tolerance(n);
    for (int j = 0; j < n; j++) {
        const double part = a[(size_t)j * (size_t)(n + 1)] * unit[j] * unit[j];
        if (!taken[j] && part > most) {
            best = j;
            most = part;
        }
    }
    return best;
}

// Subtract what the pivot p explains from all columns that are left.
static void eliminate(int n, double *a, int p, const bool *taken)
{
    const double *pivot = kal_const_column(a, n, p);
    assert(taken[p] && pivot[p] > 0.0);
    for (int j = 0; j < n; j++) {
        if (!taken[j] && pivot[j] != 0.0) {
            kal_axpy(n, -pivot[j] / pivot[p], pivot, kal_column(a, n, j));
        }
    }
}

// Masses below this part of their units are not even looked at.
static const double DUST = 0x1p-100;

// Whether column j of what is left is rounding in units, and beside the mass of j as well.
static bool is_rounding(const KalMotion *s, const double *a, const double *unit,
                        const bool *taken, int j)
{
    assert(j >= 0 && j < s->given.n);
    const int n = s->given.n;
    const double mass = s->given.M[(size_t)j * (size_t)(n + 1)];
    const double tolerance = kal_mass_tolerance(n);
    const double *column = kal_const_column(a, n, j);
    bool small = mass * unit[j] * unit[j] <= DUST || column[j] <= tolerance * mass;
    for (int i = 0; i < n; i++) {
        const double part = fabs(column[i]) * unit[i] * unit[j];
        small &= taken[i] || part <= (i == j ? 1.0 : 4.0) * tolerance;
    }
    return small;
}

// Coordinates that nothing is coupled to have exactly the mass they have, however small:
// -1 when that is negative.
static int rank_alone(const KalMotion *s, int j)
{
    assert(j >= 0 && j < s->given.n);
    const int n = s->given.n;
    const double mass = s->given.M[(size_t)j * (size_t)(n + 1)];
    if (mass == 0.0 || !kal_mass_is_isolated(n, s->given.M, j)) {
        return 0;
    }
    return mass > 0.0 ? 1 : -1;
}

// Gaussian elimination of the symmetric matrix with diagonal pivots. What is left of a
// coordinate without a pivot must be rounding; but one that nothing is coupled to has
// exactly the mass it has, and counts by itself, however light (rank_alone). Where
// neither can be shown this function does not decide.
bool kal_mass_find_rank(const KalMotion *s, int *out_rank)
{
    const int n = s->given.n;
    double *a = s->verdict.mass;
    double *unit = s->scratch[0];
    bool *taken = (bool *)s->scratch[1];
    int rank = 0;
    memcpy(a, s->given.M, (size_t)n * (size_t)n * sizeof *a);
    memset(taken, 0, (size_t)n * sizeof *taken);
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0 / sqrt(s->metric.mass[j]);
    }
    for (int p; (p = largest_left(n, a, unit, taken)) >= 0; rank++) {
        assert(!taken[p]);
        taken[p] = true;
        eliminate(n, a, p, taken);
    }
    for (int j = 0; j < n; j++) {
        const int alone = taken[j] ? 0 : rank_alone(s, j);
        if (alone < 0
            || (!taken[j] && alone == 0 && !is_rounding(s, a, unit, taken, j))) {
            return false;
        }
        rank += alone;
    }
    assert(rank >= 0 && rank <= n);
    *out_rank = rank;
    return true;
}

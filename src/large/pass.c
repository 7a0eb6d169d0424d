// SPDX-License-Identifier: MIT

// Each pass reads its arrays once, in order, and does all that is to be done with an entry while
// it is at hand: on systems of 10⁵ bodies memory is what takes the time.  Tests for numbers that
// are not finite go without branches: 0 × x is 0 or NaN, and a NaN stays in a sum.

#include "large/pass.h"

#include "base/four.h"

#include <assert.h>

#ifndef KAL_PASSES
#define KAL_PASSES kal_passes_plain
#endif

enum {
    FOUR = 4 // numbers at once
};

KAL_INLINE KalFour load(const double *x)
{
    return *(const KalFourLoose *)(const void *)x;
}

// 0 × x is 0, or NaN if x is not finite; a sum with a NaN is one.
static bool finite(const double *x, size_t n)
{
    KalFour sums = kal_all(0.0);
    double sum = 0.0;
    size_t i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        sums += load(x + i) * 0.0;
    }
    for (; i < n; i++) {
        sum += x[i] * 0.0;
    }
    return sum + ((sums[0] + sums[1]) + (sums[2] + sums[3])) == 0.0;
}

// The least and the greatest size of entries; four at a time, then the rest.
static KalExtent extent(const double *x, size_t n)
{
    KalFour least = kal_all(INFINITY);
    KalFour most = kal_all(0.0);
    size_t i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        const KalFour size = kal_four_absolute(load(x + i));
        least = kal_four_smaller(size, least);
        most = kal_four_larger(size, most);
    }
    KalExtent all = {INFINITY, 0.0};
    for (int lane = 0; lane < FOUR; lane++) {
        all.least = least[lane] < all.least ? least[lane] : all.least;
        all.most = most[lane] > all.most ? most[lane] : all.most;
    }
    for (; i < n; i++) {
        const double size = fabs(x[i]);
        all.least = size < all.least ? size : all.least;
        all.most = size > all.most ? size : all.most;
    }
    return all;
}

// The force of all rows on a coordinate, and the sizes of its terms with that of Q.
typedef struct Pull {
    double force;
    double size;
} Pull;

// The column of coordinate j, whose entries begin at *k; that of the next begins at its end.
KAL_INLINE Pull pull_on(const KalForcePass *p, const double *restrict A,
                        const double *restrict lambda, int j, int *k)
{
    Pull sum = {.force = 0.0, .size = fabs(p->Q[j])};
    for (const int end = p->start[j + 1]; *k < end; (*k)++) {
        const double pull = A[p->entry[*k]] * lambda[p->row[*k]];
        sum.force += pull;
        sum.size += fabs(pull);
    }
    return sum;
}

static void forces(const KalForcePass *pass)
{
    assert(pass->n >= 0 && pass->start);
    const KalForcePass p = *pass;
    const double *restrict A = p.A;
    const double *restrict lambda = p.lambda;
    for (int j = 0, k = 0; j < p.n; j++) {
        const Pull pull = pull_on(&p, A, lambda, j, &k);
        const double all = p.Q[j] + pull.force;
        const double qdd = p.whole ? all * p.inverse[j] : p.qdd[j];
        const double term = p.mass[j] * qdd;
        p.qdd[j] = qdd;
        p.force[j] = pull.force;
        p.missing[j] = all - term;
        p.size[j] = pull.size + fabs(term);
    }
}

// The larger of two relative errors; a NaN wins and stays.
KAL_INLINE double worse(double worst, double error, double size)
{
    return error <= worst * size || isnan(worst) ? worst : error / size;
}

static double move(const KalForcePass *pass)
{
    assert(pass->n >= 0 && pass->whole);
    const KalForcePass p = *pass;
    const double *restrict A = p.A;
    const double *restrict lambda = p.lambda;
    double most = 0.0;
    for (int j = 0, k = 0; j < p.n; j++) {
        const Pull pull = pull_on(&p, A, lambda, j, &k);
        const double all = p.Q[j] + pull.force;
        const double qdd = all * p.inverse[j];
        const double term = p.mass[j] * qdd;
        p.qdd[j] = qdd;
        p.force[j] = pull.force;
        most = worse(most, fabs(all - term), pull.size + fabs(term));
    }
    return most;
}

// The worst row of A q'' = b in parts of the sizes of its terms. Where a row seems to be
// off, the rounding that its terms came with (`from`) is counted too, which costs a root
// only then.
static double check(const KalRowCheck *rows)
{
    assert(rows->m >= 0 && rows->start);
    const KalRowCheck p = *rows;
    double most = 0.0;
    for (int i = 0; i < p.m; i++) {
        double sum = p.b ? p.b[i] : 0.0;
        double size = fabs(sum);
        for (int64_t k = p.start[i]; k < p.start[i + 1]; k++) {
            const double term = p.A[k] * p.qdd[p.column[k]];
            sum -= term;
            size += fabs(term);
        }
        if (p.active && !p.active[i]) {
            continue;
        }
        if (fabs(sum) > p.enough * size) {
            size += p.floor * sqrt(p.from[p.place[i]]);
        }
        most = worse(most, fabs(sum), size);
    }
    return most;
}

// What each row misses, b − A q'', and the sizes of its terms, from which its rounding is
// known.
static void rows(const KalRowPass *pass)
{
    assert(pass->m >= 0 && pass->start);
    const KalRowPass p = *pass;
    const double *restrict A = p.A;
    const double *restrict qdd = p.qdd;
    int64_t k = 0;
    for (int i = 0; i < p.m; i++) {
        double sum = p.b ? p.b[i] : 0.0;
        double size = p.b ? p.b_size[i] : 0.0;
        for (const int64_t end = p.start[i + 1]; k < end; k++) {
            const double term = A[k] * qdd[p.column[k]];
            sum -= term;
            size += fabs(term);
        }
        p.missing[i] = sum;
        p.size[i] = size;
    }
}

static void speeds(const KalRowPass *pass, const double *restrict speed,
                   double *restrict out_sums)
{
    const KalRowPass p = *pass;
    int64_t k = 0;
    for (int i = 0; i < p.m; i++) {
        double sum = 0.0;
        for (const int64_t end = p.start[i + 1]; k < end; k++) {
            sum += fabs(p.A[k]) * speed[p.column[k]];
        }
        out_sums[i] = sum;
    }
}

static double largest(const double *x, const double *factor, size_t n, double most)
{
    KalFour all = kal_all(most);
    size_t i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        all = kal_four_larger(kal_four_absolute(load(x + i)) * load(factor + i), all);
    }
    for (int lane = 0; lane < FOUR; lane++) {
        most = all[lane] > most ? all[lane] : most;
    }
    for (; i < n; i++) {
        most = fabs(x[i]) * factor[i] > most ? fabs(x[i]) * factor[i] : most;
    }
    return most;
}

// Four at a time are compared with what is the worst so far; that changes a few times only.
static double worst(const double *missing, const double *size, double floor,
                    const double *unit, size_t n)
{
    double most = 0.0;
    size_t i = 0;
    while (i < n) {
        for (; i + FOUR <= n; i += FOUR) {
            const KalFour error = kal_four_absolute(load(missing + i));
            const KalFour whole = load(size + i) + floor * load(unit + i);
            if (kal_any(~(error <= most * whole))) {
                break;
            }
        }
        const size_t end = i + FOUR < n ? i + FOUR : n;
        for (; i < end; i++) {
            most = worse(most, fabs(missing[i]), size[i] + floor * unit[i]);
        }
        if (isnan(most)) {
            return most;
        }
    }
    return most;
}

const KalPasses KAL_PASSES = {finite, extent,  forces, rows,  move,
                              check,  largest, worst,  speeds};

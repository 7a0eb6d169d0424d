// SPDX-License-Identifier: MIT

// Which constraints contradict each other.
//
// A contradiction is a combination γ of rows with γᵀA = 0 but γᵀb ≠ 0; the rows it uses
// cannot hold together.  Each dependent row gives one such γ, from its coefficients.  To
// find a smaller one, two or three of them are combined so that one or two independent
// rows cancel.  A set of p rows holds at most p dependent ones, so the result is the
// smallest possible whenever it has four rows or fewer and all combinations were tried;
// in any case none of its rows can be spared (theory (6.5)).

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Combinations are tried only if that takes no more steps than this: the search must end
// soon.  Pairs of parallel rows are found in any case.
static const double MOST_STEPS = 4e7;

typedef struct Combination {
    int dependent[3]; // numbers of dependent rows
    double factor[3];
    int count;
} Combination;

typedef struct Search {
    const KalMotion *s;
    Combination best;
    int size; // rows that the best uses
} Search;

// How much of independent row `row` a dependent row needs, both in the order of the
// factorization.
static double coefficient(const KalMotion *s, int row, int dependent)
{
    assert(row >= 0 && row < s->rows.rank);
    assert(dependent >= 0 && dependent < s->rows.columns - s->rows.rank);
    return kal_column(s->dependence.coefficients, s->rows.rank, dependent)[row];
}

// Entry j of γ, in the order of the factored rows; tiny remainders of cancellation are
// zero.
static double entry(const KalMotion *s, const Combination *c, int j)
{
    const int k = s->rows.rank;
    double sum = 0.0;
    double size = 0.0;
    for (int i = 0; i < c->count; i++) {
        const double term = j < k ? -coefficient(s, j, c->dependent[i]) * c->factor[i]
                            : j - k == c->dependent[i] ? c->factor[i]
                                                       : 0.0;
        sum += term;
        size += fabs(term);
    }
    return fabs(sum) > 1e-9 * size ? sum : 0.0;
}

// γᵀb, zero when it is only rounding.
static double missing(const KalMotion *s, const Combination *c)
{
    double sum = 0.0;
    double size = 0.0;
    for (int i = 0; i < c->count; i++) {
        sum += c->factor[i] * s->dependence.mismatch[c->dependent[i]];
        size += fabs(c->factor[i] * s->dependence.mismatch[c->dependent[i]]);
    }
    return fabs(sum) > 1e-6 * size ? sum : 0.0;
}

// Take the combination if it is a contradiction and uses fewer rows than the best so far.
static void consider(Search *search, Combination c)
{
    assert(c.count >= 1 && c.count <= 3);
    if (missing(search->s, &c) == 0.0) {
        return;
    }
    int size = 0;
    for (int j = 0; j < search->s->rows.columns && size < search->size; j++) {
        size += entry(search->s, &c, j) != 0.0;
    }
    if (size < search->size) {
        search->size = size;
        search->best = c;
    }
}

// Combine dependents a and b so that an independent row cancels, for each such row.
static void try_pair(Search *search, int a, int b)
{
    assert(a < b); // each pair once
    const KalMotion *s = search->s;
    for (int i = 0; i < s->rows.rank; i++) {
        const double x = coefficient(s, i, a);
        const double y = coefficient(s, i, b);
        if (x != 0.0 && y != 0.0) {
            consider(search, (Combination){
                                 {a, b,  0  },
                                 {y, -x, 0.0},
                                 2
            });
        }
    }
}

// x y − z w, zero when that is rounding.
static double cross(double x, double y, double z, double w)
{
    const double difference = x * y - z * w;
    return fabs(difference) > 1e-9 * (fabs(x * y) + fabs(z * w)) ? difference : 0.0;
}

// The combination of dependents a and b if all independent rows cancel at once: then the
// two are parallel.
static void try_parallel(Search *search, int a, int b)
{
    assert(a >= 0 && b >= 0 && a != b);
    const KalMotion *s = search->s;
    double x = 0.0;
    double y = 0.0;
    for (int i = 0; i < s->rows.rank; i++) {
        const double next_x = coefficient(s, i, a);
        const double next_y = coefficient(s, i, b);
        if (x == 0.0 && y == 0.0) {
            x = next_x;
            y = next_y;
        }
        if (fabs(x * next_y - y * next_x)
            > 1e-9 * (fabs(x * next_y) + fabs(y * next_x))) {
            return;
        }
    }
    if (x != 0.0 && y != 0.0) {
        consider(search, (Combination){
                             {a, b,  0  },
                             {y, -x, 0.0},
                             2
        });
    }
}

// Cost: each pair is combined once for every independent row, and each combination looks at
// all rows.  Where that is too much only parallel rows are found, once for each pair.
static void try_pairs(Search *search, int dependents)
{
    assert(dependents >= 0);
    const double k = search->s->rows.rank;
    const double pairs = (double)dependents * dependents / 2.0;
    const bool all = pairs * k * (k + dependents) <= MOST_STEPS;
    for (int a = 0; a < dependents; a++) {
        for (int b = a + 1; b < dependents; b++) {
            if (all) {
                try_pair(search, a, b);
            } else {
                try_parallel(search, a, b);
            }
        }
    }
}

// The combination of dependents a that cancels rows i and j: a cross product.
static void try_cancel(Search *search, const int a[3], int i, int j)
{
    const KalMotion *s = search->s;
    double x[3];
    double y[3];
    for (int k = 0; k < 3; k++) {
        x[k] = coefficient(s, i, a[k]);
        y[k] = coefficient(s, j, a[k]);
    }
    const Combination c = {
        {a[0],  a[1], a[2] },
        { cross(x[1], y[2], x[2], y[1]), cross(x[2], y[0], x[0], y[2]),
         cross(x[0], y[1], x[1], y[0])},
        3
    };
    if (c.factor[0] != 0.0 && c.factor[1] != 0.0 && c.factor[2] != 0.0) {
        consider(search, c);
    }
}

// Three dependents, for each pair of independent rows.
static void try_triple(Search *search, const int a[3])
{
    assert(a[0] < a[1] && a[1] < a[2]);
    const int k = search->s->rows.rank;
    for (int i = 0; i < k; i++) {
        for (int j = i + 1; j < k; j++) {
            try_cancel(search, a, i, j);
        }
    }
}

// The steps grow with the fifth power of the size: tried for small problems only.
static void try_triples(Search *search, int dependents)
{
    assert(dependents >= 0);
    const double k = search->s->rows.rank;
    const double triples = (double)dependents * dependents * dependents / 6.0;
    if (triples * k * k / 2.0 * (k + dependents) > MOST_STEPS) {
        return;
    }
    for (int a = 0; a < dependents; a++) {
        for (int b = a + 1; b < dependents; b++) {
            for (int c = b + 1; c < dependents; c++) {
                try_triple(search, (int[]){a, b, c});
            }
        }
    }
}

// Where a value belongs among rising indices.
static int place_of(const int *indices, int count, int value)
{
    assert(count >= 0);
    int at = 0;
    while (at < count && indices[at] < value) {
        at++;
    }
    return at;
}

// Fill the fault from the best combination, indices rising.
static void blame(KalMotion *s, const Combination *c)
{
    double square = 0.0;
    int count = 0;
    for (int j = 0; j < s->rows.columns; j++) {
        const double gamma = entry(s, c, j);
        if (gamma != 0.0) {
            const int i = s->rows.perm[j];
            const int at = place_of(s->fault_indices, count, i);
            assert(at == count || s->fault_indices[at] > i); // each row once
            memmove(s->fault_indices + at + 1, s->fault_indices + at,
                    (size_t)(count - at) * sizeof *s->fault_indices);
            s->fault_indices[at] = i;
            count++;
            square += gamma * s->metric.r[i] * gamma * s->metric.r[i];
        }
    }
    assert(count > 0 && count <= s->given.m);
    const double size = fabs(missing(s, c)) / sqrt(square);
    s->fault = (KalMotionFault){count, s->fault_indices, true, size};
}

// Overflow is no contradiction: what a dependent row misses must be a number.
static KalStatus check_mismatch(KalMotion *s, int dependents)
{
    for (int a = 0; a < dependents; a++) {
        if (!isfinite(s->dependence.mismatch[a])) {
            const int i = s->rows.perm[s->rows.rank + a];
            const KalNames name = kal_motion_names(s, true, &i, 1);
            return kal_fail(s->ctx, KAL_ERR_NUMBER,
                            "what constraint %s and those that it depends on demand is "
                            "too large to compute with; choose other units",
                            name.text);
        }
    }
    return KAL_OK;
}

KalStatus kal_conflict_fail(KalMotion *s)
{
    const int dependents = s->rows.columns - s->rows.rank;
    assert(dependents > 0); // independent rows never contradict each other
    KAL_TRY(check_mismatch(s, dependents));
    Search search = {.s = s, .size = s->rows.columns + 1};
    for (int a = 0; a < dependents; a++) {
        consider(&search, (Combination){
                              {a,   0,   0  },
                              {1.0, 0.0, 0.0},
                              1
        });
    }
    if (search.size > 2) {
        try_pairs(&search, dependents);
    }
    if (search.size > 3) {
        try_triples(&search, dependents);
    }
    assert(search.size <= s->rows.columns); // b disagrees, so some combination shows it
    blame(s, &search.best);
    const KalMotionFault *fault = &s->fault;
    const KalNames names = kal_motion_names(s, true, fault->indices, fault->count);
    if (fault->count == 1) {
        return kal_fail(s->ctx, KAL_ERR_CONTRADICTION,
                        "constraint %s cannot hold: it has no acceleration in it but "
                        "demands %.6g; correct or remove it",
                        names.text, fault->size);
    }
    return kal_fail(
        s->ctx, KAL_ERR_CONTRADICTION,
        "constraints %s contradict each other: no acceleration satisfies all "
        "of them, they miss each other by %.6g; correct or remove one of them",
        names.text, fault->size);
}

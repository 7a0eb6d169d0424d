// SPDX-License-Identifier: MIT

// Constraints that depend on each other, and contradictions.
//
// A row whose pivot may be rounding was left out of the factors.  What is claimed of it is
// shown: the combination of other rows that it is (theory (6.1)) is found from the factors,
// and the difference is computed from the given numbers.  Its length, not its square, is
// compared with the length of the row; so the digits that the factors have lost do not
// matter.  The combinations also say which constraints form a set (6.2), and which
// contradict each other (6.3).

#include "large/large_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROJECTIONS = 3 // corrections of one combination
};

// A row depends on others when this part of its length is left, or less.
static const double DEPENDENT = 0x1p-36;
// Factors of rows of length 1 below this are rounding.
static const double NO_FACTOR = 1e-10;
// And below this, they may be what the factors have lost.
static const double DOUBTFUL = 1e-5;
// Above this, a row takes part in what another nearly depends on.
static const double TAKES_PART = 1e-3;
// Right-hand sides may miss each other by this part of their size.
static const double CONSISTENT = 1e-9;
// And by this part of the terms that meet in them.
static const double ROUNDING = 1e-12;

// The representative of i's set; paths are halved on the way.
static int root_of(int *parent, int i)
{
    assert(i >= 0);
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// The smaller index becomes the representative, so that sets come in the order of their
// first constraints.
static void join(int *parent, int i, int j)
{
    const int a = root_of(parent, i);
    const int b = root_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

// rest += factor × row i.
static void add_row(const KalLarge *l, const KalLargeProblem *p, int i, double factor)
{
    const KalRowPattern *A = &l->shape.A;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        l->sets.rest[A->column[k]] += factor * p->A[k];
    }
}

// Sum of squares of the rest along row i, in units of masses, and clear it.
static double take_square(const KalLarge *l, int i)
{
    assert(i >= 0 && i < l->m);
    const KalRowPattern *A = &l->shape.A;
    double sum = 0.0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        double *rest = &l->sets.rest[A->column[k]];
        sum += *rest * *rest / l->metric.mass[A->column[k]];
        *rest = 0.0;
    }
    return sum;
}

// How much of row c is not the combination of `count` ties, as a part of its length, or of
// the longest row that takes part in it.
static double rest_of(const KalLarge *l, const KalLargeProblem *p, int c, int count)
{
    assert(count >= 0 && count <= l->m);
    add_row(l, p, c, 1.0);
    for (int k = 0; k < count; k++) {
        add_row(l, p, l->sets.ties[k] - l->factors.first_tie,
                -l->sets.factors[l->sets.ties[k]]);
    }
    double square = take_square(l, c);
    double longest = l->metric.length[c];
    for (int k = 0; k < count; k++) {
        const int i = l->sets.ties[k] - l->factors.first_tie;
        square += take_square(l, i);
        longest =
            fmax(longest, fabs(l->sets.factors[l->sets.ties[k]]) * l->metric.length[i]);
    }
    return longest > 0.0 ? sqrt(square) / longest : 0.0;
}

// Ties with factors, of all rows.
static int list_ties(const KalLarge *l, int c)
{
    assert(c >= 0 && c < l->m);
    int count = 0;
    for (int i = 0; i < l->m; i++) {
        if (fabs(l->sets.factors[l->factors.first_tie + i]) * l->metric.length[i]
            > NO_FACTOR * l->metric.length[c]) {
            l->sets.ties[count++] = l->factors.first_tie + i;
        }
    }
    return count;
}

// Correct a combination by projecting what it leaves: K [u; ν] = [rest; 0].
static int project(KalLarge *l, const KalLargeProblem *p, int c, int count)
{
    add_row(l, p, c, 1.0);
    for (int k = 0; k < count; k++) {
        add_row(l, p, l->sets.ties[k] - l->factors.first_tie,
                -l->sets.factors[l->sets.ties[k]]);
    }
    memcpy(l->x, l->sets.rest, (size_t)l->n * sizeof *l->x);
    memset(l->x + l->n, 0, (size_t)l->m * sizeof *l->x);
    memset(l->sets.rest, 0, (size_t)l->n * sizeof *l->sets.rest);
    kal_large_solve_factors(l, l->x);
    for (int i = 0; i < l->m; i++) {
        l->sets.factors[l->factors.first_tie + i] += l->x[l->n + i];
    }
    return list_ties(l, c);
}

// Whether factors are so small that they may be rounding of the factors.
static bool is_doubtful(const KalLarge *l, int c, int count)
{
    for (int k = 0; k < count; k++) {
        const double part = fabs(l->sets.factors[l->sets.ties[k]])
                            * l->metric.length[l->sets.ties[k] - l->factors.first_tie];
        if (part < DOUBTFUL * l->metric.length[c]) {
            return true;
        }
    }
    return false;
}

// The combination of other rows that row c is; *out_rest is what it leaves.  Its factors
// are zero again once forget() was called.
static int combine(KalLarge *l, const KalLargeProblem *p, int c, double *out_rest,
                   bool *out_projected)
{
    int count = kal_ldl_combine(&l->factors.ldl, l->factors.first_tie + c, NO_FACTOR,
                                l->sets.ties, l->sets.factors);
    *out_rest = rest_of(l, p, c, count);
    bool again = *out_rest > DEPENDENT || is_doubtful(l, c, count);
    *out_projected = again;
    for (int k = 0; k < PROJECTIONS && again; k++) {
        count = project(l, p, c, count);
        *out_rest = rest_of(l, p, c, count);
        again = *out_rest > DEPENDENT;
    }
    return count;
}

static void forget(KalLarge *l, bool projected, int count)
{
    assert(count >= 0 && count <= l->m);
    for (int k = 0; k < count; k++) {
        l->sets.factors[l->sets.ties[k]] = 0.0;
    }
    if (projected) { // factors that count for nothing are not listed
        memset(l->sets.factors, 0, (size_t)(l->n + l->m) * sizeof *l->sets.factors);
    }
}

static KalStatus fail_near(KalLarge *l, int c, double rest)
{
    assert(rest > DEPENDENT || rest != rest);
    const KalLargeNames name = kal_large_names(l, true, &c, 1);
    l->blamed[0] = c;
    l->fault = (KalMotionFault){.count = 1, .indices = l->blamed, .constraints = true};
    return kal_fail(
        l->ctx, KAL_ERR_NUMBER,
        "constraint %s is too near to depending on others (%.2g of its "
        "length is not theirs) for a system of this size, where it can be "
        "neither told from them nor left out; remove it, or move the system "
        "away from this configuration",
        name.text, rest);
}

// By how much row c, with its combination, is contradicted, and what would be rounding.
typedef struct Conflict {
    double miss;
    double allowed;
    double square; // of the factors
} Conflict;

// A combination of rows must have the same combination on the right-hand sides: b_c = Σ
// f_i b_i.  What they may miss by is rounding of the numbers given and of the terms
// that meet in each row.
static Conflict examine(const KalLarge *l, const KalLargeProblem *p, const double *qdd,
                        int c, int count)
{
    assert(c >= 0 && c < l->m);
    const KalRowPattern *A = &l->shape.A;
    Conflict conflict = {p->b[c], CONSISTENT * p->b_size[c], 1.0};
    for (int64_t k = A->start[c]; k < A->start[c + 1]; k++) {
        conflict.allowed += ROUNDING * fabs(p->A[k] * qdd[A->column[k]]);
    }
    for (int t = 0; t < count; t++) {
        const int i = l->sets.ties[t] - l->factors.first_tie;
        const double factor = l->sets.factors[l->sets.ties[t]];
        double terms = CONSISTENT * p->b_size[i];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            terms += ROUNDING * fabs(p->A[k] * qdd[A->column[k]]);
        }
        conflict.miss -= factor * p->b[i];
        conflict.allowed += fabs(factor) * terms;
        conflict.square += factor * factor;
    }
    return conflict;
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a;
    const int y = *(const int *)b;
    return (x > y) - (x < y);
}

// The row c and those that it combines are to blame, by number; how far they miss each
// other is told in the length of the combination.
static KalStatus fail_conflict(KalLarge *l, int c, int count, const Conflict *conflict)
{
    assert(count >= 0 && count < l->m);
    l->blamed[0] = c;
    for (int k = 0; k < count; k++) {
        l->blamed[k + 1] = l->sets.ties[k] - l->factors.first_tie;
    }
    qsort(l->blamed, (size_t)count + 1, sizeof *l->blamed, compare_ints);
    l->fault = (KalMotionFault){.count = count + 1,
                                .indices = l->blamed,
                                .constraints = true,
                                .size = fabs(conflict->miss) / sqrt(conflict->square)};
    const KalLargeNames names = kal_large_names(l, true, l->blamed, count + 1);
    if (count == 0) {
        return kal_fail(l->ctx, KAL_ERR_CONTRADICTION,
                        "constraint %s cannot hold: it has no acceleration in it but "
                        "demands %.6g; correct or remove it",
                        names.text, l->fault.size);
    }
    return kal_fail(
        l->ctx, KAL_ERR_CONTRADICTION,
        "constraints %s contradict each other: no acceleration satisfies all "
        "of them, they miss each other by %.6g; correct or remove one of "
        "them",
        names.text, l->fault.size);
}

// Look at one row that was left out.
static KalStatus judge_row(KalLarge *l, const KalLargeProblem *p, const double *qdd,
                           int c, bool *out_again)
{
    assert(kal_left_out(l, p, c));
    double rest = 0.0;
    bool projected = false;
    const int count = combine(l, p, c, &rest, &projected);
    const Conflict conflict = examine(l, p, qdd, c, count);
    KalStatus status = KAL_OK;
    if (!(rest <= DEPENDENT)) {
        status = kal_large_trust(l, c) ? KAL_OK : fail_near(l, c, rest);
        *out_again = true;
    } else if (!(fabs(conflict.miss) <= conflict.allowed)) {
        status = fail_conflict(l, c, count, &conflict);
    }
    for (int k = 0; k < count && rest <= DEPENDENT; k++) {
        join(l->sets.parent, c, l->sets.ties[k] - l->factors.first_tie);
    }
    forget(l, projected, count);
    return status;
}

// Number the sets in the order of their first constraints; a zero row is one by itself.
static void number_sets(KalLarge *l, const KalLargeProblem *p)
{
    l->found.n_sets = 0;
    for (int i = 0; i < l->m; i++) {
        l->found.set[i] = kal_left_out(l, p, i) ? 0 : -1;
    }
    for (int i = 0; i < l->m; i++) {
        const int root = root_of(l->sets.parent, i);
        l->found.set[root] = l->found.set[i] == 0 || root != i ? 0 : l->found.set[root];
    }
    for (int i = 0; i < l->m; i++) {
        const int root = root_of(l->sets.parent, i);
        if (root == i) {
            l->found.set[i] = l->found.set[i] == 0 ? l->found.n_sets++ : -1;
        } else {
            l->found.set[i] = l->found.set[root];
        }
    }
}

// All rows that were left out.
static KalStatus judge_rows(KalLarge *l, const KalLargeProblem *p, const double *qdd,
                            bool *out_again)
{
    KalStatus status = KAL_OK;
    for (int i = 0; i < l->m; i++) {
        l->sets.parent[i] = i;
    }
    for (int i = 0; i < l->m && status == KAL_OK; i++) {
        status = kal_left_out(l, p, i) ? judge_row(l, p, qdd, i, out_again) : KAL_OK;
    }
    return status;
}

// Rows that were left out of the factors are counted, and only where there are some,
// judged and gathered into sets: the usual system costs a loop over its rows.
KalStatus kal_large_judge(KalLarge *l, const KalLargeProblem *p, const double *qdd,
                          KalMotionAnswer *answer, bool *out_again)
{
    int left_out = 0;
    int active = l->all_act ? l->m : 0;
    for (int i = 0; i < l->m && !l->all_act; i++) {
        active += p->active[i];
    }
    for (int i = 0; i < l->m && l->factors.n_left_out > 0; i++) {
        left_out += kal_left_out(l, p, i);
    }
    for (int i = 0; i < l->m && !l->found.no_sets; i++) {
        l->found.set[i] = -1;
    }
    l->found.no_sets = left_out == 0;
    l->found.n_sets = 0;
    if (left_out > 0) {
        kal_large_need_lengths(l, p->active);
        if (p->measure) {
            p->measure(p->owner);
        }
        KAL_TRY(judge_rows(l, p, qdd, out_again));
        number_sets(l, p);
    }
    assert(left_out <= active);
    answer->rank_A = active - left_out;
    answer->dependent_set = l->found.set;
    answer->n_dependent_sets = l->found.n_sets;
    return KAL_OK;
}

int kal_large_partners(KalLarge *l, int constraint, int *out_constraints)
{
    const int count =
        kal_ldl_combine(&l->factors.ldl, l->factors.first_tie + constraint, TAKES_PART,
                        l->sets.ties, l->sets.factors);
    out_constraints[0] = constraint;
    for (int k = 0; k < count; k++) {
        out_constraints[k + 1] = l->sets.ties[k] - l->factors.first_tie;
    }
    forget(l, false, count);
    return count + 1;
}

double kal_large_sine(const KalLarge *l, const KalLargeProblem *p, int constraint)
{
    return p->active[constraint] && !kal_left_out(l, p, constraint)
               ? sqrt(kal_ldl_ratio(&l->factors.ldl, l->factors.first_tie + constraint))
               : 1.0;
}

// The square of the length of n numbers, in units of masses.
static double square_of(const KalLarge *l, const double *x)
{
    double sum = 0.0;
    for (int j = 0; j < l->n; j++) {
        sum += x[j] * x[j] / l->metric.mass[j];
    }
    return sum;
}

// What is left of a row when the combination of independent rows nearest to it is taken
// off, and its length in parts of the row's own: the sine of the angle between the row
// and the others.
double kal_large_rest(KalLarge *l, const KalLargeProblem *p, int constraint,
                      double *out_rest)
{
    const int count =
        kal_ldl_combine(&l->factors.ldl, l->factors.first_tie + constraint, NO_FACTOR,
                        l->sets.ties, l->sets.factors);
    add_row(l, p, constraint, 1.0);
    const double whole = square_of(l, l->sets.rest);
    for (int k = 0; k < count; k++) {
        add_row(l, p, l->sets.ties[k] - l->factors.first_tie,
                -l->sets.factors[l->sets.ties[k]]);
    }
    forget(l, false, count);
    memcpy(out_rest, l->sets.rest, (size_t)l->n * sizeof *out_rest);
    memset(l->sets.rest, 0, (size_t)l->n * sizeof *l->sets.rest);
    return whole > 0.0 ? sqrt(square_of(l, out_rest) / whole) : 0.0;
}

KalStatus kal_large_factor_rows(KalLarge *l, const KalLargeProblem *p)
{
    kal_large_suspect_all(l);
    return kal_large_factor(l, p, NULL, 0.0);
}

void kal_large_each_dependency(KalLarge *l, const KalLargeProblem *p,
                               KalDependencyFn call, void *user)
{
    kal_large_need_lengths(l, p->active);
    for (int i = 0; i < l->m; i++) {
        if (kal_left_out(l, p, i)) {
            double rest = 0.0;
            bool projected = false;
            const int count = combine(l, p, i, &rest, &projected);
            for (int k = 0; k < count; k++) { // as indices of constraints, in a row
                l->missing[k] = l->sets.factors[l->sets.ties[k]];
                l->blamed[k] = l->sets.ties[k] - l->factors.first_tie;
            }
            call(user, i, l->blamed, l->missing, count);
            forget(l, projected, count);
        }
    }
}

// SPDX-License-Identifier: MIT

// Factors column by column, and solutions with them.
//
// A column that has KAL_SHORT_COLUMN entries or fewer, as all have in chains and trees,
// changes the entries below and to the right of it at once: where they are was found by the
// analysis, so that this is a list of products without a search.  The places of longer ones
// would take too much room.  They wait, and a column that is reached takes what they have for
// it, from all rows of it at once.  The lengths that chains and trees have are known to the
// compiler, so that their loops are none.

#include "base/four.h"
#include "sparse/ldl_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Rounding of a few operations, relative to what takes part in them.
static const double ROUNDING = 64.0 * DBL_EPSILON;

// Pivots above this, relative to what they came from, are no rounding: rows of which a
// combination could make it so much would fill the equations with theirs.
static const double CLEAR = 0x1p-10;
// A growth that no product with zero makes a NaN of.
static const double NO_END = 1e300;

// `call` with a length of 0 … 6 that the compiler knows, or with any other.
#define WITH_LENGTH(length, call) \
    switch (length) {             \
    case 0: break;                \
    case 1: call(1); break;       \
    case 2: call(2); break;       \
    case 3: call(3); break;       \
    case 4: call(4); break;       \
    case 5: call(5); break;       \
    case 6: call(6); break;       \
    default: call(length); break; \
    }

void kal_ldl_begin(KalLdl *ldl)
{
    assert(ldl->ctx);
    const size_t count = (size_t)ldl->start[ldl->n] + (size_t)ldl->n;
    memset(ldl->value, 0, count * sizeof *ldl->value);
}

// Entries that were given more than once share a slot, in which their values add up.
static void set_values(KalLdl *ldl, const double *values)
{
    const int *restrict slot = ldl->slot;
    double *restrict value = ldl->value;
    kal_ldl_begin(ldl);
    for (size_t e = 0; e < ldl->n_entries; e++) {
        value[slot[e]] += values[e];
    }
}

// A column at work.
typedef struct Column {
    int length;
    const int *row;
    double *value; // unscaled until its pivot is known
    double *diagonal;
} Column;

static inline Column column_of(const KalLdl *ldl, int k)
{
    const int begin = ldl->start[k];
    return (Column){ldl->start[k + 1] - begin, ldl->row + begin, ldl->value + begin,
                    ldl->value + ldl->start[ldl->n] + k};
}

// Take from the long columns before column k what they have for it.  Those that have an
// entry in row k are on its way; `next` says where in them row k is.  Returns what masses
// among them take from the diagonal.
static double pull(KalLdl *ldl, int k)
{
    assert(ldl->pulls[k]);
    double *restrict y = ldl->work;
    const Column c = column_of(ldl, k);
    double by_masses = 0.0;
    for (int p = 0; p < c.length; p++) {
        y[c.row[p]] = c.value[p];
    }
    for (int p = ldl->row_start[k]; p < ldl->row_start[k + 1]; p++) {
        const int i = ldl->row_column[p];
        const Column before = column_of(ldl, i);
        if (before.length <= KAL_SHORT_COLUMN) {
            continue;
        }
        const int at = ldl->next[i]++ - ldl->start[i];
        assert(before.row[at] == k);
        const double entry = before.value[at];
        const double whole = entry != 0.0 ? entry * *before.diagonal : 0.0;
        for (int q = at + 1; q < before.length; q++) {
            y[before.row[q]] -= before.value[q] * whole;
        }
        *c.diagonal -= entry * whole;
        by_masses += i < ldl->masses ? entry * whole : 0.0;
    }
    for (int p = 0; p < c.length; p++) {
        c.value[p] = y[c.row[p]];
        y[c.row[p]] = 0.0;
    }
    return by_masses;
}

// Divide a short column by its pivot, and change what is below and to the right of it: the
// product of each two of its entries goes to its target.
static inline void spread_column(double *restrict all, int begin,
                                 const int *restrict target, double inverse, int length)
{
    double whole[KAL_SHORT_COLUMN];
    double scaled[KAL_SHORT_COLUMN];
    for (int p = 0; p < length; p++) {
        whole[p] = all[begin + p];
        scaled[p] = whole[p] * inverse;
        all[begin + p] = scaled[p];
    }
    for (int r = 0, t = 0; r < length; r++) {
        for (int s = 0; s <= r; s++, t++) {
            all[target[t]] -= scaled[r] * whole[s];
        }
    }
}

// Rounding of a tie grows in the rows that it is in.
static inline void spread_doubt(double *restrict reaches, const int *restrict row,
                                const double *restrict value, double reach, int length)
{
    for (int p = 0; p < length; p++) {
        reaches[row[p]] += value[p] * value[p] * reach;
    }
}

// Be done with the column at place k; `reach` is of ties, of masses 0.  Returns where the
// targets of the next column are.
KAL_INLINE const int *finish_column(const KalLdl *ldl, int k, double inverse,
                                    double reach, const int *target)
{
    double *all = ldl->value;
    const int begin = ldl->start[k];
    const int length = ldl->start[k + 1] - begin;
    const int *row = ldl->row + begin;
    if (length > KAL_SHORT_COLUMN) {
        for (int p = 0; p < length; p++) {
            all[begin + p] *= inverse;
        }
        spread_doubt(ldl->reach, row, all + begin, reach, length);
        return target;
    }
#define SPREAD(known)                                             \
    do {                                                          \
        spread_column(all, begin, target, inverse, known);        \
        spread_doubt(ldl->reach, row, all + begin, reach, known); \
    } while (0)
    WITH_LENGTH(length, SPREAD)
#undef SPREAD
    return target + length * (length + 1) / 2;
}

// Whether the pivot of a tie, of which so much is left, is more than what rounding can have
// made of it.  The growth from row to row, `reach` so far, is found at no cost but counts
// terms that cancel; where it says no, the combination itself tells, and what that gives is
// known to the rows below.
static bool is_sound(KalLdl *ldl, int k, double left)
{
    if (left > ROUNDING * ldl->reach[k]) {
        return true;
    }
    const double doubt = ldl->from[k] + kal_ldl_doubt(ldl, ldl->order[k]);
    ldl->reach[k] = fmin(ldl->reach[k], doubt);
    return left > ROUNDING * ldl->reach[k];
}

// A pivot counts if it has the sign of its kind, is not small relative to what it came
// from and, for a tie, is not the rounding of the ties before it.  With the inverse 0
// for pivots that do not count, an unknown that is left out changes no row below.
static int eliminate_masses(KalLdl *ldl, const double *least, const int **out_target)
{
    const double *diagonal = ldl->value + ldl->start[ldl->n];
    const int *target = ldl->target;
    int left_out = 0;
    memcpy(ldl->from, diagonal, (size_t)ldl->masses * sizeof *diagonal);
    for (int k = 0; k < ldl->masses; k++) {
        const double from = ldl->from[k];
        if (ldl->pulls[k]) {
            pull(ldl, k);
        }
        const double pivot = diagonal[k];
        const double ratio = !(from > 0.0) ? 0.0 : pivot == from ? 1.0 : pivot / from;
        const bool counts = ratio > fabs(least[ldl->order[k]]);
        ldl->ratio[k] = ratio;
        ldl->inverse[k] = counts ? 1.0 / pivot : 0.0;
        left_out += !counts;
        target = finish_column(ldl, k, ldl->inverse[k], 0.0, target);
    }
    *out_target = target;
    return left_out;
}

// What ties come from: all that masses have given them.
static void begin_ties(KalLdl *ldl)
{
    const double *restrict diagonal = ldl->value + ldl->start[ldl->n];
    double *restrict from = ldl->from;
    double *restrict reach = ldl->reach;
    for (int k = ldl->masses; k < ldl->n; k++) {
        from[k] = -diagonal[k];
        reach[k] = -diagonal[k];
    }
}

// Long columns among masses give theirs when a tie is reached.
static void pull_tie(KalLdl *ldl, int k)
{
    const double by_masses = pull(ldl, k);
    ldl->from[k] += by_masses;
    ldl->reach[k] += by_masses;
}

// The same for ties.
static int eliminate_ties(KalLdl *ldl, const double *restrict least, const int *target)
{
    const int n = ldl->n;
    const int *order = ldl->order;
    const bool *pulls = ldl->pulls;
    const double *diagonal = ldl->value + ldl->start[n];
    const double *froms = ldl->from;
    double *ratios = ldl->ratio;
    double *inverses = ldl->inverse;
    int left_out = 0;
    begin_ties(ldl);
    for (int k = ldl->masses; k < n; k++) {
        if (pulls[k]) {
            pull_tie(ldl, k);
        }
        const double from = froms[k];
        const double pivot = diagonal[k];
        const double ratio = from > 0.0 ? -pivot / from : 0.0;
        const double low = least[order[k]];
        double inverse = 1.0 / pivot;
        if (!(ratio > fabs(low)
              && (ratio > CLEAR || low < 0.0 || is_sound(ldl, k, -pivot)))) {
            inverse = 0.0;
            left_out++;
        }
        const double grown = ldl->reach[k];
        const double reach = grown < NO_END ? grown : NO_END;
        ratios[k] = ratio;
        inverses[k] = inverse;
        target = finish_column(ldl, k, inverse, reach, target);
    }
    return left_out;
}

int kal_ldl_eliminate(KalLdl *ldl, const double *least)
{
    assert(ldl->ctx && ldl->n >= ldl->masses);
    if (ldl->n_targets < ldl->operations) {
        memcpy(ldl->next, ldl->start, (size_t)ldl->n * sizeof *ldl->next);
    }
    const int *target = NULL;
    const int masses = eliminate_masses(ldl, least, &target);
    return masses + eliminate_ties(ldl, least, target);
}

int kal_ldl_factor(KalLdl *ldl, const double *values, const double *least)
{
    assert(values || ldl->n_entries == 0);
    set_values(ldl, values);
    return kal_ldl_eliminate(ldl, least);
}

// y −= column × yk, of a length that may be known.
static inline void go_down(double *restrict y, const int *restrict row,
                           const double *restrict value, double yk, int length)
{
    for (int p = 0; p < length; p++) {
        y[row[p]] -= value[p] * yk;
    }
}

// What the rows below leave of a number.
static inline double come_up(const double *restrict y, const int *restrict row,
                             const double *restrict value, double sum, int length)
{
    for (int p = length; p-- > 0;) {
        sum -= value[p] * y[row[p]];
    }
    return sum;
}

// L y = x, then D, then Lᵀ, in the order of elimination.  Unknowns that are left out have
// columns of zeros, and are zero in the end.
void kal_ldl_solve(KalLdl *ldl, double *x)
{
    assert(ldl->ctx && x);
    assert(x != ldl->solution);
    double *restrict y = ldl->solution;
    const int *restrict start = ldl->start;
    const double *restrict inverse = ldl->inverse;
    const int n = ldl->n;
    for (int k = 0; k < n; k++) {
        y[k] = x[ldl->order[k]];
    }
    for (int k = 0; k < n; k++) {
        const int p = start[k];
        const double yk = inverse[k] != 0.0 ? y[k] : 0.0;
#define DOWN(known) go_down(y, ldl->row + p, ldl->value + p, yk, known)
        WITH_LENGTH(start[k + 1] - p, DOWN)
#undef DOWN
        y[k] = yk * inverse[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        const int p = start[k];
        double sum = y[k];
#define UP(known) sum = come_up(y, ldl->row + p, ldl->value + p, sum, known)
        WITH_LENGTH(start[k + 1] - p, UP)
#undef UP
        y[k] = inverse[k] != 0.0 ? sum : 0.0;
        x[ldl->order[k]] = y[k];
    }
}

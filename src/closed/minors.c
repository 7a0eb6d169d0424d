// SPDX-License-Identifier: MIT

// Cramer's rule: all minors by Laplace's expansion, a row at a time, theory (11.7) and
// (11.8).
//
// The determinant of the first k rows and a set of k columns follows from those of k − 1
// rows. That takes 2^(N + 1) minors, each made once, without any division; polynomials
// stay as short as they can be, where elimination would make intermediate fractions.

#include "closed/minors.h"

#include <assert.h>

// Minors by their set of columns, bit by bit; a set of k columns belongs to the first k
// rows in the order in which they are taken.
typedef struct Minors {
    KalField *field;
    KalRing *ring;
    const KalPoly *K;
    int N;
    uint32_t sets;
    KalPoly *of;   // sets: zero where there is none
    KalPoly *kept; // sets: scratch
} Minors;

static int count_bits(uint32_t set)
{
    int count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

// Add the row's contribution to all minors that have one column more than `set`.
static void expand_set(Minors *w, int row, uint32_t set)
{
    assert(row >= 0 && row < w->N && set < w->sets);
    for (int c = 0; c <= w->N; c++) {
        const KalPoly entry = w->K[row * (w->N + 1) + c];
        const uint32_t more = set | UINT32_C(1) << c;
        if (more == set || kal_poly_is_zero(w->ring, entry)) {
            continue;
        }
        const KalPoly term = kal_poly_mul(w->ring, entry, w->of[set]);
        const bool minus = count_bits(set >> c) % 2 != 0;
        w->of[more] = minus ? kal_poly_sub(w->ring, w->of[more], term)
                            : kal_poly_add(w->ring, w->of[more], term);
    }
}

// From the minors of k rows to those of k + 1: theory (11.7).
static void expand_row(Minors *w, int row, int k)
{
    assert(k >= 0 && k < w->N);
    const uint32_t mark = kal_ring_mark(w->ring);
    int n = 0;
    for (uint32_t set = 0; set < w->sets && kal_ring_is_sound(w->ring); set++) {
        if (count_bits(set) == k && !kal_poly_is_zero(w->ring, w->of[set])) {
            expand_set(w, row, set);
        }
    }
    for (uint32_t set = 0; set < w->sets; set++) {
        if (count_bits(set) == k + 1) {
            w->kept[n++] = kal_field_reduce(w->field, w->of[set]);
        }
    }
    kal_ring_release(w->ring, mark, w->kept, n);
    n = 0;
    for (uint32_t set = 0; set < w->sets; set++) {
        if (count_bits(set) == k + 1) {
            w->of[set] = w->kept[n++];
        }
    }
}

static int entries_in(const Minors *w, int row)
{
    assert(row >= 0 && row < w->N);
    int count = 0;
    for (int c = 0; c <= w->N; c++) {
        count += !kal_poly_is_zero(w->ring, w->K[row * (w->N + 1) + c]);
    }
    return count;
}

// Rows with few entries go first: they leave fewer minors that are not zero.  The order
// changes the sign of all determinants alike.
static void expand(Minors *w)
{
    assert(w->N >= 0 && w->N <= KAL_UNKNOWNS);
    int order[KAL_UNKNOWNS] = {0};
    for (int i = 0; i < w->N; i++) {
        int at = i;
        while (at > 0 && entries_in(w, order[at - 1]) > entries_in(w, i)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    w->of[0] = kal_poly_int(w->ring, 1);
    for (int k = 0; k < w->N && kal_ring_is_sound(w->ring); k++) {
        expand_row(w, order[k], k);
    }
}

// theory (11.8)
static void read_off(const Minors *w, KalFraction *out_z, bool *out_regular)
{
    assert(out_regular && (out_z || w->N == 0));
    const uint32_t all = w->sets - 1;
    const KalPoly D = w->of[all ^ UINT32_C(1) << w->N];
    *out_regular = !kal_poly_is_zero(w->ring, D);
    for (int j = 0; j < w->N && *out_regular; j++) {
        const KalPoly minor = w->of[all ^ UINT32_C(1) << j];
        const bool minus = (w->N - 1 - j) % 2 != 0;
        out_z[j] = kal_fraction_cancel(
            w->field, (KalFraction){minus ? kal_poly_neg(w->ring, minor) : minor, D});
    }
}

// Minors of the first k rows are kept by the set of their columns, as a bit mask.
KalStatus kal_minors_solve(KalField *field, const KalPoly *K, int N, KalFraction *out_z,
                           bool *out_regular)
{
    assert(field && (K || N == 0) && out_regular);
    assert(N >= 0);
    assert(N <= KAL_UNKNOWNS);
    KalRing *ring = kal_field_ring(field);
    KalContext *ctx = kal_ring_context(ring);
    Minors w = {.field = field, .ring = ring, .K = K, .N = N};
    w.sets = UINT32_C(1) << (N + 1);
    w.of = (KalPoly *)kal_alloc(ctx, w.sets, sizeof *w.of);
    w.kept = (KalPoly *)kal_alloc(ctx, w.sets, sizeof *w.kept);
    KalStatus status = KAL_OK;
    if (w.of && w.kept) {
        expand(&w);
        read_off(&w, out_z, out_regular);
    } else {
        status = kal_no_memory(ctx, "to solve formulas");
    }
    kal_free(ctx, w.kept, w.sets * sizeof *w.kept);
    kal_free(ctx, w.of, w.sets * sizeof *w.of);
    return status;
}

// SPDX-License-Identifier: MIT

// The rank of a sparse matrix of formulas, by elimination at random points.
//
// Rows are taken one by one: each loses what it has in the pivots of the rows kept before it,
// and is kept if anything is left.  Rows that are kept are divided by their pivot and are not
// changed again, so what a row kept has in pivots is in those of later ones: rows are taken off
// in the order in which they were kept, and each is needed once.  The pivot is an entry that
// the fewest of the rows to come have, as H. M. Markowitz chooses (The elimination form of the
// inverse, Management Science 3 (1957)), among those that are no worse divisors than others.
// So of chains, trees and loops hardly any entries arise, and the work goes with the rows.

#include "base/block.h"
#include "base/workspace.h"
#include "zero/identity_impl.h"

#include <assert.h>

static const char PURPOSE[] = "to find a rank";

// Products that may be made for each entry that rows kept may have.
static const int64_t PRODUCTS = 1024;

// A divisor may be worse than the best one by this.
static const double NO_WORSE = 0.125;

enum {
    NONE = -1
};

typedef struct Entry {
    size_t column;
    KalScalar value;
} Entry;

// A row that was kept, without its pivot.
typedef struct Kept {
    size_t pivot;
    size_t begin; // of its entries
    size_t end;
} Kept;

typedef struct Elimination {
    KalContext *ctx;
    KalArithmetic field;
    size_t n;
    KalWorkspace workspace;
    KalScalar *row; // n: the row at work, where it is listed
    bool *listed;   // n
    size_t *list;   // n: columns in which it has entries
    size_t n_list;
    int *to_come;     // n: rows to come that have an entry in the column
    int64_t *kept_by; // n: the row whose pivot the column is; NONE
    int64_t *heap;    // n: rows kept that are to be taken off, the first of them on top
    size_t n_heap;
    KalBlock entries; // Entry
    KalBlock rows;    // Kept
    size_t rank;
    int64_t products;
    int64_t most; // entries of rows kept
} Elimination;

static void lay_out(KalCarver *carver, void *owner)
{
    Elimination *e = owner;
    e->row = kal_carve(carver, e->n, sizeof *e->row);
    e->listed = kal_carve_bools(carver, e->n);
    e->list = kal_carve(carver, e->n, sizeof *e->list);
    e->to_come = kal_carve_ints(carver, e->n);
    e->kept_by = kal_carve(carver, e->n, sizeof *e->kept_by);
    e->heap = kal_carve(carver, e->n, sizeof *e->heap);
}

// A binary heap (Knuth, The Art of Computer Programming 3, 5.2.3).
static void push(Elimination *e, int64_t kept)
{
    assert(e->n_heap < e->n);
    size_t at = e->n_heap++;
    for (; at > 0 && e->heap[(at - 1) / 2] > kept; at = (at - 1) / 2) {
        e->heap[at] = e->heap[(at - 1) / 2];
    }
    e->heap[at] = kept;
}

// The least of a binary heap.
static int64_t pop(Elimination *e)
{
    assert(e->n_heap > 0);
    const int64_t first = e->heap[0];
    const int64_t last = e->heap[--e->n_heap];
    size_t at = 0;
    for (size_t child = 1; child < e->n_heap; child = 2 * at + 1) {
        child += child + 1 < e->n_heap && e->heap[child + 1] < e->heap[child];
        if (e->heap[child] >= last) {
            break;
        }
        e->heap[at] = e->heap[child];
        at = child;
    }
    e->heap[at] = last;
    return first;
}

// Give the row at work an entry in a column.
static void list(Elimination *e, size_t column, KalScalar value)
{
    assert(!e->listed[column]);
    e->listed[column] = true;
    e->row[column] = value;
    e->list[e->n_list++] = column;
    if (e->kept_by[column] != NONE) {
        push(e, e->kept_by[column]);
    }
}

// Take off what the row at work has in the pivot of a row kept.
static void take_off(Elimination *e, const Kept *kept)
{
    const Entry *entries = e->entries.data;
    const KalScalar none = kal_scalar_of(e->field, kal_rational(0, 1));
    const KalScalar factor = e->row[kept->pivot];
    e->row[kept->pivot] = none;
    if (kal_scalar_is_zero(e->field, factor)) {
        return;
    }
    for (size_t k = kept->begin; k < kept->end; k++) {
        const size_t column = entries[k].column;
        if (!e->listed[column]) {
            list(e, column, none);
        }
        const KalScalar part = kal_scalar_mul(e->field, factor, entries[k].value);
        e->row[column] = kal_scalar_sub(e->field, e->row[column], part);
    }
    e->products += (int64_t)(kept->end - kept->begin);
}

// The column to divide the row at work by; n if nothing of it is left.
static size_t find_pivot(const Elimination *e)
{
    size_t best = e->n;
    double most = 0.0;
    for (size_t k = 0; k < e->n_list; k++) {
        const double weight = kal_scalar_weight(e->field, e->row[e->list[k]]);
        most = weight > most ? weight : most;
    }
    for (size_t k = 0; k < e->n_list && most > 0.0; k++) {
        const size_t j = e->list[k];
        const bool suits = kal_scalar_weight(e->field, e->row[j]) >= NO_WORSE * most;
        if (suits && (best == e->n || e->to_come[j] < e->to_come[best])) {
            best = j;
        }
    }
    return best;
}

// Whether an entry may as well not be there.
static bool is_nothing(KalArithmetic field, KalScalar a)
{
    return field == KAL_ARITHMETIC_RESIDUES
               ? a.residue == 0
               : a.real.value == 0.0 && a.real.error == 0.0;
}

// A row divided by its pivot; what is nothing is not stored.
static KalStatus keep(Elimination *e, size_t pivot)
{
    const KalScalar one = kal_scalar_of(e->field, kal_rational(1, 1));
    const KalScalar by = kal_scalar_div(e->field, one, e->row[pivot]);
    Kept kept = {.pivot = pivot, .begin = e->entries.size / sizeof(Entry)};
    KalStatus status = KAL_OK;
    for (size_t k = 0; k < e->n_list && status == KAL_OK; k++) {
        const size_t j = e->list[k];
        const Entry entry = {j, kal_scalar_mul(e->field, e->row[j], by)};
        if (j != pivot && !is_nothing(e->field, entry.value)) {
            status = kal_block_add(e->ctx, &e->entries, &entry, sizeof entry);
        }
    }
    kept.end = e->entries.size / sizeof(Entry);
    e->kept_by[pivot] = (int64_t)e->rank++;
    return status == KAL_OK ? kal_block_add(e->ctx, &e->rows, &kept, sizeof kept)
                            : status;
}

// Reduce the row at work, keep what is left, and be done with it.
static KalStatus add_row(Elimination *e)
{
    while (e->n_heap > 0) {
        const int64_t first = pop(e);
        take_off(e, (const Kept *)e->rows.data + first);
    }
    const size_t pivot = find_pivot(e);
    const KalStatus status = pivot < e->n ? keep(e, pivot) : KAL_OK;
    for (size_t k = 0; k < e->n_list; k++) {
        e->listed[e->list[k]] = false;
    }
    e->n_list = 0;
    return status;
}

// Up to the last row, or up to a limit.
static KalStatus add_rows(Elimination *e, const KalProbe *probe,
                          const KalSparse *matrix, int point, bool *out_known)
{
    KalStatus status = KAL_OK;
    bool fits = true;
    for (size_t j = 0; j < e->n; j++) {
        e->kept_by[j] = NONE;
    }
    for (size_t k = 0; k < kal_sparse_entries(matrix); k++) {
        e->to_come[matrix->column[k]]++;
    }
    for (size_t i = 0; i < matrix->rows && status == KAL_OK && fits; i++) {
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            const size_t column = (size_t)matrix->column[k];
            list(e, column, kal_probe_value(probe, matrix->value[k], e->field, point));
            e->to_come[column]--;
        }
        status = add_row(e);
        fits = e->entries.size / sizeof(Entry) <= (size_t)e->most
               && e->products <= PRODUCTS * e->most;
    }
    *out_known = fits;
    return status;
}

// What is asked for.
typedef struct Question {
    const KalProbe *probe;
    const KalSparse *matrix;
    int64_t most; // entries
} Question;

static KalStatus rank_at(const Question *q, KalArithmetic field, int point,
                         size_t *out_rank, bool *out_known)
{
    assert(point >= 0);
    const KalSparse *matrix = q->matrix;
    Elimination e = {
        .ctx = q->probe->ctx, .field = field, .n = matrix->columns, .most = q->most};
    KAL_TRY(kal_workspace_make(e.ctx, PURPOSE, lay_out, &e, &e.workspace));
    const KalStatus status = add_rows(&e, q->probe, matrix, point, out_known);
    assert(e.rank <= matrix->rows && e.rank <= e.n);
    *out_rank = e.rank;
    kal_block_clear(e.ctx, &e.rows);
    kal_block_clear(e.ctx, &e.entries);
    kal_workspace_clear(e.ctx, &e.workspace);
    return status;
}

// The largest rank at the points of a field.  The rank can only be too small at a
// point, never too large: the largest of all points is the best bound, and what cannot be
// larger need not be looked for.
static KalStatus rank_in(const Question *q, KalArithmetic field, size_t *out_rank,
                         bool *out_known)
{
    const KalSparse *matrix = q->matrix;
    assert(matrix->start);
    const size_t count = kal_sparse_entries(matrix);
    const size_t full = matrix->rows < matrix->columns ? matrix->rows : matrix->columns;
    size_t most = 0;
    bool known = true;
    for (int point = 0; (point == 0 || most < full) && known; point++) {
        point = kal_probe_find_point(q->probe, matrix->value, count, field, point);
        if (point < 0) {
            break;
        }
        size_t rank = 0;
        KAL_TRY(rank_at(q, field, point, &rank, &known));
        most = rank > most ? rank : most;
    }
    *out_rank = most;
    *out_known = known;
    return KAL_OK;
}

// By residues; where these are not exact a double vouches for the least rank and residues
// for the greatest.
KalStatus kal_probe_rank(KalProbe *probe, const KalSparse *matrix, int64_t most,
                         KalRank *out_rank)
{
    const Question q = {probe, matrix, most};
    assert(matrix->start && out_rank);
    const size_t count = kal_sparse_entries(matrix);
    KalPurity purity = {.exact = false};
    KalRank rank = {.least = 0};
    KAL_TRY(kal_probe_prepare(probe, matrix->value, count, KAL_ARITHMETIC_RESIDUES,
                              &purity));
    KAL_TRY(rank_in(&q, KAL_ARITHMETIC_RESIDUES, &rank.most, &rank.known));
    rank.least = rank.most;
    rank.exact = purity.exact;
    rank.piecewise = purity.piecewise;
    if (!purity.exact && rank.known) {
        KAL_TRY(kal_probe_prepare(probe, matrix->value, count, KAL_ARITHMETIC_REALS,
                                  &purity));
        KAL_TRY(rank_in(&q, KAL_ARITHMETIC_REALS, &rank.least, &rank.known));
        rank.most = rank.most < rank.least ? rank.least : rank.most;
    }
    *out_rank = rank;
    return KAL_OK;
}

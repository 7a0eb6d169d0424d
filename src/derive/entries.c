// SPDX-License-Identifier: MIT

// A list of triplets that becomes a matrix by rows (the coordinate and the compressed row
// format of Saad, Iterative Methods for Sparse Linear Systems, 3.4).
//
// Sorted by row, column and arrival: terms of a sum stand in the order in which they were
// added, so that the same model gives the same formulas, to the node.

#include "derive/entries.h"

#include <assert.h>
#include <stdlib.h>

typedef struct Entry {
    uint32_t row;
    uint32_t column;
    uint32_t order; // of arrival: sums are built as they were written
    KalExpr value;
} Entry;

static size_t count_of(const KalEntries *entries)
{
    return entries->block.size / sizeof(Entry);
}

KalStatus kal_entries_add(KalGraph *g, KalEntries *entries, size_t row, size_t column,
                          KalExpr value)
{
    assert(row <= UINT32_MAX && column <= UINT32_MAX);
    const Entry entry = {(uint32_t)row, (uint32_t)column, (uint32_t)count_of(entries),
                         value};
    return kal_block_add(kal_graph_context(g), &entries->block, &entry, sizeof entry);
}

KalStatus kal_entries_add_row(KalGraph *g, KalEntries *entries, size_t row,
                              const KalSparse *from, size_t from_row)
{
    assert(from_row < from->rows);
    for (int64_t k = from->start[from_row]; k < from->start[from_row + 1]; k++) {
        KAL_TRY(
            kal_entries_add(g, entries, row, (size_t)from->column[k], from->value[k]));
    }
    return KAL_OK;
}

// By place, then by arrival; no two are equal, so that the order is one whatever qsort does.
static int compare(const void *a, const void *b)
{
    const Entry *x = a;
    const Entry *y = b;
    if (x->row != y->row) {
        return x->row < y->row ? -1 : 1;
    }
    if (x->column != y->column) {
        return x->column < y->column ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

// Sort, add up what shares a place, drop zeros.  Returns how many are left.
static size_t merge(KalGraph *g, Entry *list, size_t n)
{
    if (n > 0) {
        qsort(list, n, sizeof *list, compare);
    }
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        Entry sum = list[i++];
        while (i < n && list[i].row == sum.row && list[i].column == sum.column) {
            sum.value = kal_add(g, sum.value, list[i++].value);
        }
        assert(used < i);
        if (sum.value.index != 0 && !kal_is_zero(g, sum.value)) {
            list[used++] = sum;
        }
    }
    return used;
}

// Counts of rows become the places where they start, by running sums.
static KalStatus fill(KalContext *ctx, const Entry *list, size_t n, size_t rows,
                      KalSparse *matrix)
{
    matrix->start = kal_alloc(ctx, rows + 1, sizeof *matrix->start);
    matrix->column = kal_alloc(ctx, n, sizeof *matrix->column);
    matrix->value = kal_alloc(ctx, n, sizeof *matrix->value);
    if (!matrix->start || (n > 0 && (!matrix->column || !matrix->value))) {
        kal_free(ctx, matrix->column, n * sizeof *matrix->column);
        kal_free(ctx, matrix->value, n * sizeof *matrix->value);
        kal_free(ctx, matrix->start, (rows + 1) * sizeof *matrix->start);
        return kal_no_memory(ctx, "for a matrix of formulas");
    }
    for (size_t i = 0; i < n; i++) {
        matrix->start[list[i].row + 1]++;
        assert(list[i].row < rows && list[i].column < matrix->columns);
        matrix->column[i] = list[i].column;
        matrix->value[i] = list[i].value;
    }
    for (size_t r = 0; r < rows; r++) {
        matrix->start[r + 1] += matrix->start[r];
    }
    assert(matrix->start[0] == 0 && matrix->start[rows] == (int64_t)n);
    return KAL_OK;
}

KalStatus kal_entries_finish(KalGraph *g, KalEntries *entries, size_t rows,
                             size_t columns, KalSparse *out_matrix)
{
    assert(rows < UINT32_MAX && columns < UINT32_MAX);
    KalContext *ctx = kal_graph_context(g);
    KalSparse matrix = {.ctx = ctx, .rows = rows, .columns = columns};
    const size_t n = merge(g, entries->block.data, count_of(entries));
    KalStatus status = kal_graph_status(g);
    if (status == KAL_OK) {
        status = fill(ctx, entries->block.data, n, rows, &matrix);
    }
    if (status == KAL_OK) {
        *out_matrix = matrix;
    }
    kal_entries_clear(g, entries);
    return status;
}

void kal_entries_clear(KalGraph *g, KalEntries *entries)
{
    kal_block_clear(kal_graph_context(g), &entries->block);
}

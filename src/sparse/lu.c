// SPDX-License-Identifier: MIT

// Sparse L U, column by column.  The idea and its reference stand in lu.h.
//
// What holds between columns: x is zero; L has the columns of all places before, with rows
// of A that are not pivots of earlier places; U has, for each, the places before it.

#include "sparse/lu.h"

#include "sparse/degree.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    NONE = -1,
    COLUMNS_BETWEEN = 64 // two questions whether to go on
};

// A row is no pivot if another has an entry that is this many times as large.
static const double THRESHOLD = 10.0;

// What memory is for.
static const char PURPOSE[] = "for sparse factors";

static void lay_out(KalCarver *carver, void *owner)
{
    KalSparseLu *lu = owner;
    const size_t rows = (size_t)lu->rows;
    const size_t columns = (size_t)lu->columns;
    lu->order = kal_carve_ints(carver, columns);
    lu->pivot = kal_carve_ints(carver, columns);
    lu->place = kal_carve_ints(carver, rows);
    lu->start = kal_carve(carver, columns + 1, sizeof *lu->start);
    lu->ustart = kal_carve(carver, columns + 1, sizeof *lu->ustart);
    lu->inverse = kal_carve_doubles(carver, columns, 1);
    lu->x = kal_carve_doubles(carver, rows, 1);
    lu->scale = kal_carve_doubles(carver, rows, 1);
    lu->count = kal_carve_ints(carver, rows);
    lu->mark = kal_carve_ints(carver, rows);
    lu->reach = kal_carve_ints(carver, rows);
    lu->stack = kal_carve_ints(carver, rows);
    lu->next = kal_carve(carver, rows, sizeof *lu->next);
}

// The order of columns.

// The same matrix by rows, and the couplings of its columns.
typedef struct Pairs {
    const KalColumns *matrix;
    KalWorkspace workspace;
    int64_t *row_start; // rows + 1
    int *column;        // of each entry, row after row
    int *mark;          // columns
    int longest;        // rows of more entries couple nothing
    KalCouplings couplings;
    int64_t room;
} Pairs;

static void lay_out_rows(KalCarver *carver, void *owner)
{
    Pairs *pairs = owner;
    const KalColumns *matrix = pairs->matrix;
    pairs->row_start =
        kal_carve(carver, (size_t)matrix->rows + 2, sizeof *pairs->row_start);
    pairs->column = kal_carve_ints(carver, (size_t)matrix->start[matrix->columns]);
    pairs->mark = kal_carve_ints(carver, (size_t)matrix->columns);
    pairs->couplings.start =
        kal_carve(carver, (size_t)matrix->columns + 1, sizeof(int64_t));
}

static void sort_by_rows(Pairs *pairs)
{
    const KalColumns *matrix = pairs->matrix;
    int64_t *start = pairs->row_start + 1;
    for (int64_t k = 0; k < matrix->start[matrix->columns]; k++) {
        start[matrix->row[k] + 1]++;
    }
    for (int i = 0; i < matrix->rows; i++) {
        start[i + 1] += start[i];
    }
    // Each start moves to the end of its row, which is where the next begins.
    for (int j = 0; j < matrix->columns; j++) {
        for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
            pairs->column[start[matrix->row[k]]++] = j;
        }
    }
}

// Mark the columns of row i that have another mark; those go to `out` unless that is NULL.
static int64_t mark_row(Pairs *pairs, int i, int stamp, int *out)
{
    int64_t count = 0;
    for (int64_t p = pairs->row_start[i]; p < pairs->row_start[i + 1]; p++) {
        const int other = pairs->column[p];
        if (pairs->mark[other] == stamp) {
            continue;
        }
        pairs->mark[other] = stamp;
        if (out) {
            out[count] = other;
        }
        count++;
    }
    return count;
}

// The columns that share a row with column j; to `out` unless that is NULL.
static int64_t list_couplings(Pairs *pairs, int j, int *out)
{
    const KalColumns *matrix = pairs->matrix;
    int64_t count = 0;
    const int stamp = out ? -1 - j : j + 1;
    pairs->mark[j] = stamp;
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        const int i = matrix->row[k];
        if (pairs->row_start[i + 1] - pairs->row_start[i] <= pairs->longest) {
            count += mark_row(pairs, i, stamp, out ? out + count : NULL);
        }
    }
    return count;
}

// The order of columns is that of least degree of AᵀA, in which two columns are coupled
// if a row has both. Rows are exchanged later, for the sake of rounding, and the fill of
// L and U stays within that of the Cholesky factor of AᵀA whichever rows are taken
// (George and Ng, SIAM J. Sci. Stat. Comput. 6, 1985).
static KalStatus find_order(KalSparseLu *lu, Pairs *pairs)
{
    KalCouplings *couplings = &pairs->couplings;
    for (int j = 0; j < lu->columns; j++) {
        couplings->start[j + 1] = couplings->start[j] + list_couplings(pairs, j, NULL);
    }
    pairs->room = couplings->start[lu->columns] + 1;
    couplings->other =
        (int *)kal_alloc(lu->ctx, (size_t)pairs->room, sizeof *couplings->other);
    if (!couplings->other) {
        return kal_no_memory(lu->ctx, PURPOSE);
    }
    for (int j = 0; j < lu->columns; j++) {
        (void)list_couplings(pairs, j, couplings->other + couplings->start[j]);
    }
    const KalStatus status =
        kal_minimum_degree(lu->ctx, couplings, lu->first, lu->order);
    kal_free(lu->ctx, couplings->other, (size_t)pairs->room * sizeof *couplings->other);
    return status;
}

static KalStatus order_columns(KalSparseLu *lu, const KalColumns *matrix)
{
    Pairs pairs = {.matrix = matrix,
                   .longest = 16 + (int)(10.0 * sqrt((double)matrix->columns)),
                   .couplings = {.n = matrix->columns}};
    KAL_TRY(
        kal_workspace_make(lu->ctx, PURPOSE, lay_out_rows, &pairs, &pairs.workspace));
    sort_by_rows(&pairs);
    for (int i = 0; i < lu->rows; i++) {
        lu->count[i] = (int)(pairs.row_start[i + 1] - pairs.row_start[i]);
    }
    const KalStatus status = find_order(lu, &pairs);
    kal_workspace_clear(lu->ctx, &pairs.workspace);
    return status;
}

// One column.

static const KalSparseLuEntry *entries(const KalBlock *block)
{
    return (const KalSparseLuEntry *)block->data;
}

// All rows that are met from row i through columns of L, behind all that they lead to: to
// the end of `reach`, which is filled from its end.  Returns its new beginning.
static int walk(KalSparseLu *lu, int i, int stamp, int top)
{
    int depth = 0;
    lu->stack[0] = i;
    lu->mark[i] = stamp;
    lu->next[i] = lu->place[i] == NONE ? 0 : lu->start[lu->place[i]];
    while (depth >= 0) {
        const int row = lu->stack[depth];
        const int place = lu->place[row];
        const int64_t end = place == NONE ? 0 : lu->start[place + 1];
        int64_t k = lu->next[row];
        while (k < end && lu->mark[entries(&lu->L)[k].row] == stamp) {
            k++;
        }
        lu->next[row] = k + 1;
        if (k < end) {
            const int met = entries(&lu->L)[k].row;
            lu->mark[met] = stamp;
            lu->next[met] = lu->place[met] == NONE ? 0 : lu->start[lu->place[met]];
            lu->stack[++depth] = met;
        } else {
            lu->reach[--top] = row;
            depth--;
        }
    }
    return top;
}

// Column j, less the columns of L that it meets: its entries of U and what is left of it
// are in x.  Returns where its rows begin in `reach`.
static int eliminate(KalSparseLu *lu, const KalColumns *matrix, int j, int stamp)
{
    int top = lu->rows;
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        if (lu->mark[matrix->row[k]] != stamp) {
            top = walk(lu, matrix->row[k], stamp, top);
        }
    }
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        lu->x[matrix->row[k]] = matrix->value[k];
    }
    for (int r = top; r < lu->rows; r++) {
        const int place = lu->place[lu->reach[r]];
        const double x = lu->x[lu->reach[r]];
        if (place == NONE || x == 0.0) {
            continue;
        }
        for (int64_t k = lu->start[place]; k < lu->start[place + 1]; k++) {
            lu->x[entries(&lu->L)[k].row] -= entries(&lu->L)[k].value * x;
        }
    }
    return top;
}

// The row of the pivot among those that are left, or NONE.
static int choose(const KalSparseLu *lu, int top, bool weighted, double least)
{
    double largest = least;
    int best = NONE;
    for (int r = top; r < lu->rows; r++) {
        const int i = lu->reach[r];
        const double size = fabs(lu->x[i]) * lu->scale[i];
        if (lu->place[i] == NONE && size > largest) {
            largest = size;
            best = i;
        }
    }
    for (int r = top; r < lu->rows && best != NONE && !weighted; r++) {
        const int i = lu->reach[r];
        if (lu->place[i] == NONE && lu->count[i] < lu->count[best]
            && fabs(lu->x[i]) * lu->scale[i] * THRESHOLD > largest) {
            best = i;
        }
    }
    return best;
}

// Put the column away and clear x.
static KalStatus store(KalSparseLu *lu, int top, int pivot)
{
    KalStatus status = KAL_OK;
    const double inverse = pivot == NONE ? 0.0 : 1.0 / lu->x[pivot];
    for (int r = top; r < lu->rows; r++) {
        const int i = lu->reach[r];
        const int place = lu->place[i];
        const double x = lu->x[i];
        lu->x[i] = 0.0;
        if (pivot == NONE || i == pivot || x == 0.0 || status != KAL_OK) {
            continue;
        }
        const KalSparseLuEntry entry = {place == NONE ? i : place,
                                        place == NONE ? x * inverse : x};
        status = kal_block_add(lu->ctx, place == NONE ? &lu->L : &lu->U, &entry,
                               sizeof entry);
    }
    return status;
}

// The size of column j as pivots are measured.
static double size_of(const KalSparseLu *lu, const KalColumns *matrix, int j)
{
    double size = 0.0;
    for (int64_t k = matrix->start[j]; k < matrix->start[j + 1]; k++) {
        size = fmax(size, fabs(matrix->value[k]) * lu->scale[matrix->row[k]]);
    }
    return size;
}

// Left-looking: the column of the matrix loses its parts in the columns of L that stand
// before it, a pivot is chosen among rows that have none, and what is left of the column,
// divided by the pivot, is the next one of L.
static KalStatus factor_column(KalSparseLu *lu, const KalColumns *matrix,
                               const KalSparseLuOptions *options, int at)
{
    const int j = lu->order[at];
    const int top = eliminate(lu, matrix, j, at + 1);
    const double size = size_of(lu, matrix, j);
    const int pivot = choose(lu, top, options->weights != NULL, options->least * size);
    lu->pivot[j] = pivot;
    lu->inverse[at] = pivot == NONE ? 0.0 : 1.0 / lu->x[pivot];
    if (pivot != NONE) {
        lu->left = fmin(lu->left, fabs(lu->x[pivot]) * lu->scale[pivot] / size);
    }
    KAL_TRY(store(lu, top, pivot));
    if (pivot != NONE) {
        lu->place[pivot] = at;
        lu->rank++;
    }
    lu->start[at + 1] = (int64_t)(lu->L.size / sizeof(KalSparseLuEntry));
    lu->ustart[at + 1] = (int64_t)(lu->U.size / sizeof(KalSparseLuEntry));
    if (lu->start[at + 1] + lu->ustart[at + 1] > options->most) {
        return kal_fail(
            lu->ctx, KAL_ERR_LIMIT,
            "the factors of a sparse matrix of %d rows would have more than "
            "%lld entries: too many bodies hang together",
            lu->rows, (long long)options->most);
    }
    return KAL_OK;
}

// Weights as given, or such that the largest entry of each row counts as 1.
static void find_scales(KalSparseLu *lu, const KalColumns *matrix,
                        const double *weights)
{
    for (int64_t k = 0; k < matrix->start[matrix->columns] && !weights; k++) {
        double *scale = &lu->scale[matrix->row[k]];
        *scale = fmax(*scale, fabs(matrix->value[k]));
    }
    for (int i = 0; i < lu->rows; i++) {
        lu->scale[i] = weights              ? weights[i]
                       : lu->scale[i] > 0.0 ? 1.0 / lu->scale[i]
                                            : 0.0;
        lu->place[i] = NONE;
    }
}

// Begin with factors of nothing: in the order that there is, if it was made for a matrix like
// this with the same columns first, else in a new one.
static KalStatus begin(KalSparseLu *lu, KalContext *ctx, const KalColumns *matrix,
                       int first)
{
    const int64_t entries_given = matrix->start[matrix->columns];
    if (lu->workspace.block && lu->rows == matrix->rows
        && lu->columns == matrix->columns && lu->first == first
        && entries_given <= lu->ordered) {
        memset(lu->mark, 0, (size_t)lu->rows * sizeof *lu->mark);
        memset(lu->scale, 0, (size_t)lu->rows * sizeof *lu->scale);
        lu->rank = 0;
        lu->L.size = 0;
        lu->U.size = 0;
        return KAL_OK;
    }
    kal_sparse_lu_clear(lu);
    *lu = (KalSparseLu){
        .ctx = ctx, .rows = matrix->rows, .columns = matrix->columns, .first = first};
    KAL_TRY(kal_workspace_make(ctx, PURPOSE, lay_out, lu, &lu->workspace));
    KAL_TRY(order_columns(lu, matrix));
    lu->ordered = entries_given;
    return KAL_OK;
}

KalStatus kal_sparse_lu_factor(KalSparseLu *lu, KalContext *ctx,
                               const KalColumns *matrix,
                               const KalSparseLuOptions *options)
{
    assert(matrix->rows >= 0 && matrix->columns >= 0 && options->most > 0);
    KAL_TRY(begin(lu, ctx, matrix, options->first));
    lu->left = 1.0;
    find_scales(lu, matrix, options->weights);
    for (int at = 0; at < lu->columns; at++) {
        KAL_TRY(at % COLUMNS_BETWEEN == 0 ? kal_ask(ctx) : KAL_OK);
        KAL_TRY(factor_column(lu, matrix, options, at));
    }
    assert(lu->rank <= lu->columns && lu->rank <= lu->rows);
    return KAL_OK;
}

void kal_sparse_lu_clear(KalSparseLu *lu)
{
    if (!lu->ctx) {
        return;
    }
    kal_block_clear(lu->ctx, &lu->L);
    kal_block_clear(lu->ctx, &lu->U);
    kal_workspace_clear(lu->ctx, &lu->workspace);
    *lu = (KalSparseLu){.ctx = NULL};
}

// Forward with L column by column, the right-hand side being worked on in place, then
// backward with U. Zeros are skipped, so that a sparse right-hand side costs as much as
// what it reaches.
void kal_sparse_lu_solve(KalSparseLu *lu, double *b, double *out_x)
{
    assert(lu->rows == lu->columns && lu->rank == lu->columns);
    for (int at = 0; at < lu->columns; at++) {
        const double y = b[lu->pivot[lu->order[at]]];
        for (int64_t k = lu->start[at]; k < lu->start[at + 1] && y != 0.0; k++) {
            b[entries(&lu->L)[k].row] -= entries(&lu->L)[k].value * y;
        }
        lu->x[at] = y;
    }
    for (int at = lu->columns - 1; at >= 0; at--) {
        const double x = lu->x[at] * lu->inverse[at];
        for (int64_t k = lu->ustart[at]; k < lu->ustart[at + 1] && x != 0.0; k++) {
            lu->x[entries(&lu->U)[k].row] -= entries(&lu->U)[k].value * x;
        }
        out_x[lu->order[at]] = x;
        lu->x[at] = 0.0;
    }
}

// SPDX-License-Identifier: MIT

// Gauss–Jordan elimination, a row at a time: a new row loses what it has in the pivots there
// are, is divided by a pivot of its own and taken from the rows before it.
//
// What holds between rows: each row has 1 in its own pivot and 0 in those of all
// others, so that the rows are the reduced echelon form of what was added, up to their
// order; rank is their number.  Pivots are taken among the first `preferred` columns as
// long as one there is not zero.

#include "zero/basis.h"

#include <assert.h>
#include <string.h>

KalStatus kal_basis_init(KalContext *ctx, KalArithmetic field, size_t n,
                         size_t preferred, KalBasis *out_basis)
{
    assert(ctx && preferred <= n);
    KalScalar *work = kal_alloc(ctx, n + 1, sizeof *work);
    if (!work) {
        return kal_no_memory(ctx, "to find a rank");
    }
    *out_basis = (KalBasis){
        .ctx = ctx, .field = field, .n = n, .preferred = preferred, .work = work};
    return KAL_OK;
}

void kal_basis_clear(KalBasis *basis)
{
    if (basis->ctx) {
        kal_block_clear(basis->ctx, &basis->rows);
        kal_block_clear(basis->ctx, &basis->pivots);
        kal_free(basis->ctx, basis->work, (basis->n + 1) * sizeof *basis->work);
    }
    *basis = (KalBasis){.ctx = NULL};
}

static KalScalar *row_at(const KalBasis *basis, size_t i)
{
    assert(i < basis->rank);
    return (KalScalar *)basis->rows.data + i * basis->n;
}

const KalScalar *kal_basis_row(const KalBasis *basis, size_t i)
{
    return row_at(basis, i);
}

size_t kal_basis_pivot(const KalBasis *basis, size_t i)
{
    assert(i < basis->rank);
    return ((const size_t *)basis->pivots.data)[i];
}

// row −= factor × by, where factor is the entry that is to vanish.
static void eliminate(const KalBasis *basis, KalScalar *row, const KalScalar *by,
                      size_t pivot)
{
    assert(pivot < basis->n);
    const KalScalar factor = row[pivot];
    if (kal_scalar_is_zero(basis->field, factor)) {
        row[pivot] = kal_scalar_of(basis->field, kal_rational(0, 1));
        return;
    }
    for (size_t j = 0; j < basis->n; j++) {
        const KalScalar part = kal_scalar_mul(basis->field, factor, by[j]);
        row[j] = kal_scalar_sub(basis->field, row[j], part);
    }
    row[pivot] = kal_scalar_of(basis->field, kal_rational(0, 1));
}

// The best divisor of a row, n if there is none.
static size_t find_pivot(const KalBasis *basis, const KalScalar *row)
{
    size_t best = basis->n;
    double most = 0.0;
    for (size_t j = 0; j < basis->n; j++) {
        const double weight = kal_scalar_weight(basis->field, row[j]);
        if (weight > most && (j < basis->preferred || best == basis->n)) {
            best = j;
            most = weight;
        }
    }
    return best;
}

// What is left of a row in `work`, and its best divisor, n if nothing is left.
static size_t reduce(KalBasis *basis, const KalScalar *row)
{
    memcpy(basis->work, row, basis->n * sizeof *row);
    for (size_t i = 0; i < basis->rank; i++) {
        eliminate(basis, basis->work, row_at(basis, i), kal_basis_pivot(basis, i));
    }
    return find_pivot(basis, basis->work);
}

bool kal_basis_spans(KalBasis *basis, const KalScalar *row)
{
    return reduce(basis, row) == basis->n;
}

// Keep what is left of a row in `work`.
static KalStatus keep(KalBasis *basis, size_t pivot)
{
    assert(pivot < basis->n
           && kal_scalar_weight(basis->field, basis->work[pivot]) > 0.0);
    assert(basis->rank < basis->n);
    KalScalar *work = basis->work;
    const KalScalar one = kal_scalar_of(basis->field, kal_rational(1, 1));
    const KalScalar by = kal_scalar_div(basis->field, one, work[pivot]);
    for (size_t j = 0; j < basis->n; j++) {
        work[j] = kal_scalar_mul(basis->field, work[j], by);
    }
    work[pivot] = one;
    for (size_t i = 0; i < basis->rank; i++) {
        eliminate(basis, row_at(basis, i), work, pivot);
    }
    KAL_TRY(kal_block_add(basis->ctx, &basis->rows, work, basis->n * sizeof *work));
    KAL_TRY(kal_block_add(basis->ctx, &basis->pivots, &pivot, sizeof pivot));
    basis->rank++;
    return KAL_OK;
}

KalStatus kal_basis_add(KalBasis *basis, const KalScalar *row, bool *out_added)
{
    assert(row && out_added);
    const size_t pivot = reduce(basis, row);
    *out_added = pivot < basis->n;
    return *out_added ? keep(basis, pivot) : KAL_OK;
}

KalStatus kal_basis_add_at(KalBasis *basis, const KalScalar *row, size_t pivot,
                           bool *out_added)
{
    assert(pivot < basis->n);
    (void)reduce(basis, row);
    *out_added = kal_scalar_weight(basis->field, basis->work[pivot]) > 0.0;
    return *out_added ? keep(basis, pivot) : KAL_OK;
}

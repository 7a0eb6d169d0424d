// SPDX-License-Identifier: MIT

// Plain elimination in sparse instants: the same choice of rows, and the same matrix, by sparse
// factors L U with partial pivoting (sparse/lu.h), which have nothing in common with the factors
// that `large` takes.
//
// Choosing.  Rows in units of mass are the columns of a matrix, level after level; a column of
// which hardly anything is left depends on others.  What is left of the least of the
// others, relative to its size, says how independent they are.

#include "verify/elimination_impl.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ENTRIES = 1 << 27 // of factors
};

// Of a column of Lagrange's matrix less than this is nothing.
static const double NOTHING = 0x1p-100;

static const KalEquations *equations_of(const KalElimination *e)
{
    return e->instant->system->equations;
}

KalStatus kal_elimination_init_sparse(KalElimination *e)
{
    const KalEquations *equations = equations_of(e);
    const size_t m = equations->m;
    const int64_t room =
        2 * equations->M.start[equations->n] + 2 * equations->A.start[m];
    assert(e->instant->system->n_servos == 0);
    return kal_gather_init(&e->sparse.gather, e->instant->ctx, (int)(equations->n + m),
                           room);
}

void kal_elimination_lay_out_sparse(KalElimination *e, KalCarver *carver)
{
    const KalEquations *equations = equations_of(e);
    const size_t entries = (size_t)equations->A.start[equations->m];
    KalSparseElimination *s = &e->sparse;
    s->start = kal_carve(carver, equations->m + 1, sizeof *s->start);
    s->column = kal_carve_ints(carver, entries);
    s->value = kal_carve_doubles(carver, entries, 1);
    s->mass = kal_carve_doubles(carver, equations->n, 1);
    s->ones = kal_carve_doubles(carver, equations->n, 1);
    s->order = kal_carve_ints(carver, equations->m);
}

void kal_elimination_clear_sparse(KalElimination *e)
{
    kal_sparse_lu_clear(&e->sparse.factors);
    kal_sparse_lu_clear(&e->sparse.span);
    kal_gather_clear(&e->sparse.gather);
}

// Roots of the masses on the diagonal, none of which counts as less than a little.
static void find_masses(KalElimination *e)
{
    const KalSparse *M = &equations_of(e)->M;
    double *mass = e->sparse.mass;
    double sum = 0.0;
    for (int j = 0; j < e->n; j++) {
        mass[j] = 0.0;
        for (int64_t k = M->start[j]; k < M->start[j + 1]; k++) {
            mass[j] = M->column[k] == j ? e->instant->large.M[k] : mass[j];
        }
        sum += mass[j];
        e->sparse.ones[j] = 1.0;
    }
    const double least = sum > 0.0 ? KAL_ELIMINATION_LIGHT * sum / e->n : 1.0;
    for (int j = 0; j < e->n; j++) {
        mass[j] = sqrt(mass[j] + least);
    }
}

// Factor `count` rows of active constraints, in units of mass; the first ones go first.
static KalStatus factor_rows(KalElimination *e, const int *places, int count, int first)
{
    const KalSparse *A = &equations_of(e)->A;
    KalSparseElimination *s = &e->sparse;
    find_masses(e);
    s->start[0] = 0;
    for (int c = 0; c < count; c++) {
        const int i = e->instant->rows[places[c]];
        int64_t at = s->start[c];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            s->column[at] = (int)A->column[k];
            s->value[at++] = e->instant->large.A[k] / s->mass[A->column[k]];
        }
        s->start[c + 1] = at;
    }
    const KalColumns rows = {e->n, count, s->start, s->column, s->value};
    const KalSparseLuOptions options = {.weights = s->ones,
                                        .least = KAL_ELIMINATION_DEPENDENT,
                                        .most = MOST_ENTRIES,
                                        .first = first};
    return kal_sparse_lu_factor(&s->span, e->instant->ctx, &rows, &options);
}

// Add the active constraints of a level to those chosen, as far as they do not depend on others:
// these go first, and so keep their places.
static KalStatus choose_of_level(KalElimination *e, int level)
{
    int count = e->rank;
    const int chosen = e->rank;
    for (int k = 0; k < e->instant->n_active; k++) {
        if (kal_elimination_level(e, k) == level) {
            e->sparse.order[count++] = k;
        }
    }
    if (count == chosen) {
        return KAL_OK;
    }
    KAL_TRY(factor_rows(e, e->sparse.order, count, chosen));
    e->rank = 0;
    for (int c = 0; c < count; c++) {
        if (e->sparse.span.pivot[c] >= 0) {
            e->sparse.order[e->rank++] = e->sparse.order[c];
        }
    }
    return KAL_OK;
}

KalStatus kal_elimination_choose_sparse(KalElimination *e)
{
    KAL_TRY(kal_instant_givens(e->instant));
    e->rank = 0;
    for (int level = 0; level < 3; level++) {
        KAL_TRY(choose_of_level(e, level));
        e->positions = level == 0 ? e->rank : e->positions;
    }
    for (int r = 0; r < e->rank; r++) {
        e->places[r] = e->sparse.order[r];
        e->rows[r] = e->instant->rows[e->sparse.order[r]];
    }
    return kal_elimination_measure_sparse(e, &e->least);
}

KalStatus kal_elimination_measure_sparse(KalElimination *e, double *out_sine)
{
    KAL_TRY(kal_instant_givens(e->instant));
    KAL_TRY(factor_rows(e, e->places, e->rank, e->positions));
    *out_sine = e->sparse.span.rank == e->rank ? e->sparse.span.left : 0.0;
    return KAL_OK;
}

// Units in which masses, and the largest entries of rows, are about 1.
static void find_scale(KalElimination *e)
{
    const KalSparse *A = &equations_of(e)->A;
    find_masses(e);
    for (int i = 0; i < e->n; i++) {
        e->scale[i] = 1.0 / e->sparse.mass[i];
    }
    for (int r = 0; r < e->rank; r++) {
        double largest = 0.0;
        for (int64_t k = A->start[e->rows[r]]; k < A->start[e->rows[r] + 1]; k++) {
            largest =
                fmax(largest, fabs(e->instant->large.A[k]) * e->scale[A->column[k]]);
        }
        e->scale[e->n + r] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
}

// An entry of the matrix and, unless it is on the diagonal, its twin.
static void put(KalElimination *e, int row, int64_t column, double value)
{
    const double scaled = value * e->scale[row] * e->scale[column];
    kal_gather_put(&e->sparse.gather, row, (int)column, scaled);
    if (row != column) {
        kal_gather_put(&e->sparse.gather, (int)column, row, scaled);
    }
}

KalStatus kal_elimination_factor_sparse(KalElimination *e)
{
    const KalSparse *M = &equations_of(e)->M;
    const KalSparse *A = &equations_of(e)->A;
    const KalSparseLuOptions options = {.least = NOTHING, .most = MOST_ENTRIES};
    find_scale(e);
    kal_gather_begin(&e->sparse.gather);
    for (int i = 0; i < e->n; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            put(e, i, M->column[k], e->instant->large.M[k]);
        }
    }
    for (int r = 0; r < e->rank; r++) {
        for (int64_t k = A->start[e->rows[r]]; k < A->start[e->rows[r] + 1]; k++) {
            put(e, e->n + r, A->column[k], e->instant->large.A[k]);
        }
    }
    const int size = e->n + e->rank;
    const KalColumns matrix = kal_gather_columns(&e->sparse.gather, size);
    KAL_TRY(
        kal_sparse_lu_factor(&e->sparse.factors, e->instant->ctx, &matrix, &options));
    return e->sparse.factors.rank == size
               ? KAL_OK
               : kal_fail(e->instant->ctx, KAL_ERR_CONTRADICTION,
                          "Lagrange's matrix is singular at t = %g",
                          e->instant->variables[0]);
}

void kal_elimination_solve_sparse(KalElimination *e, const double *top,
                                  const double *bottom)
{
    const int size = e->n + e->rank;
    for (int i = 0; i < size; i++) {
        e->work[i] = e->scale[i] * (i < e->n ? top[i] : bottom[i - e->n]);
    }
    kal_sparse_lu_solve(&e->sparse.factors, e->work, e->x);
    for (int i = 0; i < size; i++) {
        e->x[i] *= e->scale[i];
    }
}

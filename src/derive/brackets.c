// SPDX-License-Identifier: MIT

// Brackets at a point.  The forms are solved for pivot variables; every other variable f
// gives a direction X_f that all forms allow.  What form i says of the bracket of X_f and
// X_g is its differential, dω_i(X_f, X_g): theory (10.9).

#include "derive/closure_impl.h"

#include <assert.h>

// What memory is for.
static const char PURPOSE[] = "to classify constraints";

// A look at one point.
typedef struct Look {
    KalPfaffSystem *system;
    KalArithmetic field;
    int point;
    KalBasis rows;     // of the forms' values
    KalBasis brackets; // of vectors (dω_i(X_f, X_g))_i
    size_t *form;      // rows.rank: where each row comes from
    size_t *place;     // r: 1 + place of a form among the independent ones, or 0
    size_t *free;      // n_free: variables that are no pivots
    size_t n_free;
    KalScalar *slopes; // n_slopes
    KalScalar *X;      // n: the direction X_g
    KalScalar *y;      // rank × n: dω_i(·, X_g)
    KalScalar *beta;   // rank
    KalFreePair *pairs;
    bool finished;
} Look;

// A whole number in the field of the look.
static KalScalar number(const Look *look, int64_t value)
{
    return kal_scalar_of(look->field, kal_rational(value, 1));
}

// A formula at the point; KAL_NO_EXPR is zero.
static KalScalar value_of(const Look *look, KalExpr e)
{
    return e.index == 0
               ? number(look, 0)
               : kal_probe_value(look->system->probe, e, look->field, look->point);
}

// Which forms are independent, solved for their pivots.
static KalStatus reduce_forms(Look *look)
{
    const KalPfaffForms *forms = &look->system->forms;
    for (size_t i = 0; i < forms->r; i++) {
        bool added = false;
        for (size_t j = 0; j < forms->n; j++) {
            look->X[j] = value_of(look, forms->W[i * forms->n + j]);
        }
        const size_t *pivot = look->system->pivot;
        KAL_TRY(pivot ? kal_basis_add_at(&look->rows, look->X, pivot[i], &added)
                      : kal_basis_add(&look->rows, look->X, &added));
        assert(look->rows.rank <= forms->r && look->rows.rank <= forms->n);
        if (added) {
            look->form[look->rows.rank - 1] = i;
            look->place[i] = look->rows.rank;
        }
    }
    return KAL_OK;
}

// The variables that are no pivots: each is free to move.
static void list_free(Look *look)
{
    for (size_t j = 0; j < look->system->forms.n; j++) {
        bool pivot = false;
        for (size_t k = 0; k < look->rows.rank && !pivot; k++) {
            pivot = kal_basis_pivot(&look->rows, k) == j;
        }
        look->free[look->n_free] = j;
        look->n_free += !pivot;
        assert(look->n_free <= look->system->forms.n);
    }
}

// X_g: one step in variable g, and in the pivots what the forms ask for.
static void fill_direction(Look *look, size_t g)
{
    assert(g < look->system->forms.n);
    for (size_t j = 0; j < look->system->forms.n; j++) {
        look->X[j] = number(look, j == g);
    }
    for (size_t k = 0; k < look->rows.rank; k++) {
        look->X[kal_basis_pivot(&look->rows, k)] = kal_scalar_sub(
            look->field, number(look, 0), kal_basis_row(&look->rows, k)[g]);
    }
}

// y_i = dω_i(·, X_g), with dω_i = Σ slope dz_j ∧ dz_k.
static void fill_differentials(Look *look)
{
    const KalPfaffSystem *system = look->system;
    const size_t n = system->forms.n;
    for (size_t i = 0; i < look->rows.rank * n; i++) {
        look->y[i] = number(look, 0);
    }
    for (size_t s = 0; s < system->n_slopes; s++) {
        const KalSlope *slope = &system->slopes[s];
        const size_t place = look->place[slope->form];
        assert(place <= look->rows.rank && slope->j < n && slope->k < n
               && slope->j != slope->k);
        if (place == 0) {
            continue;
        }
        KalScalar *y = look->y + (place - 1) * n;
        const KalScalar plus =
            kal_scalar_mul(look->field, look->slopes[s], look->X[slope->k]);
        const KalScalar minus =
            kal_scalar_mul(look->field, look->slopes[s], look->X[slope->j]);
        y[slope->j] = kal_scalar_add(look->field, y[slope->j], plus);
        y[slope->k] = kal_scalar_sub(look->field, y[slope->k], minus);
    }
}

// β_i = dω_i(X_f, X_g).
static void fill_bracket(Look *look, size_t f)
{
    assert(f < look->system->forms.n);
    const size_t n = look->system->forms.n;
    const size_t rank = look->rows.rank;
    for (size_t i = 0; i < rank; i++) {
        const KalScalar *y = look->y + i * n;
        look->beta[i] = y[f];
        for (size_t k = 0; k < rank; k++) {
            const KalScalar part =
                kal_scalar_mul(look->field, kal_basis_row(&look->rows, k)[f],
                               y[kal_basis_pivot(&look->rows, k)]);
            look->beta[i] = kal_scalar_sub(look->field, look->beta[i], part);
        }
    }
}

// The brackets of X_g with the directions before it.
static KalStatus add_brackets(Look *look, size_t g)
{
    assert(g < look->n_free);
    for (size_t f = 0; f < g && look->brackets.rank < look->rows.rank; f++) {
        bool added = false;
        fill_bracket(look, look->free[f]);
        KAL_TRY(kal_basis_add(&look->brackets, look->beta, &added));
        if (added) {
            look->pairs[look->brackets.rank - 1] =
                (KalFreePair){look->free[f], look->free[g]};
        }
    }
    return KAL_OK;
}

// All pairs of free directions until every form is excluded or the work is used up; then
// `finished` stays false.  The work is counted in multiplications of scalars.
static KalStatus add_all_brackets(Look *look)
{
    KalPfaffSystem *system = look->system;
    const double rank = (double)look->rows.rank;
    for (size_t g = 1; g < look->n_free && look->brackets.rank < look->rows.rank; g++) {
        system->work -= 2.0 * (double)system->n_slopes + rank * (double)system->forms.n
                        + (double)g * rank * (rank + (double)look->brackets.rank);
        if (system->work < 0.0) {
            return KAL_OK;
        }
        fill_direction(look, look->free[g]);
        fill_differentials(look);
        KAL_TRY(add_brackets(look, g));
    }
    look->finished = true;
    assert(look->brackets.rank <= look->rows.rank);
    return KAL_OK;
}

// Scratch of which nothing outlives the look.
static KalStatus init_look(Look *look, KalArena *scratch)
{
    const KalPfaffSystem *system = look->system;
    const size_t n = system->forms.n;
    const size_t r = system->forms.r;
    look->free = kal_arena_alloc(scratch, n + 1, sizeof *look->free);
    look->slopes = kal_arena_alloc(scratch, system->n_slopes, sizeof *look->slopes);
    look->X = kal_arena_alloc(scratch, n, sizeof *look->X);
    look->y = kal_arena_alloc(scratch, r * n, sizeof *look->y);
    look->beta = kal_arena_alloc(scratch, r, sizeof *look->beta);
    look->place = kal_arena_alloc(system->arena, r, sizeof *look->place);
    look->form = kal_arena_alloc(system->arena, r, sizeof *look->form);
    look->pairs = kal_arena_alloc(system->arena, r, sizeof *look->pairs);
    if (!look->place || !look->free || !look->slopes || !look->X || !look->y
        || !look->beta || !look->form || !look->pairs) {
        return kal_no_memory(system->ctx, PURPOSE);
    }
    for (size_t s = 0; s < system->n_slopes; s++) {
        look->slopes[s] = value_of(look, system->slopes[s].value);
    }
    return kal_basis_init(system->ctx, look->field, n, system->forms.preferred,
                          &look->rows);
}

// First the forms, then, in as many dimensions as there are independent ones, brackets.
static KalStatus run(Look *look)
{
    const KalPfaffSystem *system = look->system;
    KAL_TRY(reduce_forms(look));
    list_free(look);
    KAL_TRY(kal_basis_init(system->ctx, look->field, look->rows.rank, look->rows.rank,
                           &look->brackets));
    return add_all_brackets(look);
}

// Results in the arena of the system, which outlives the look.
static KalStatus give_out(const Look *look, KalBrackets *out_brackets)
{
    assert(look->brackets.rank <= look->rows.rank);
    const size_t rank = look->rows.rank;
    KalBrackets found = {.field = look->field,
                         .rank = rank,
                         .form = look->form,
                         .place = look->place,
                         .n_pairs = look->brackets.rank,
                         .pairs = look->pairs,
                         .finished = look->finished};
    found.pivot = kal_arena_alloc(look->system->arena, rank, sizeof *found.pivot);
    found.lost = kal_arena_alloc(look->system->arena, rank, sizeof *found.lost);
    found.solved = kal_arena_alloc(look->system->arena, look->system->forms.n,
                                   sizeof *found.solved);
    if (!found.pivot || !found.lost || !found.solved) {
        return kal_no_memory(look->system->ctx, PURPOSE);
    }
    for (size_t k = 0; k < rank; k++) {
        found.pivot[k] = kal_basis_pivot(&look->rows, k);
        found.solved[found.pivot[k]] = k + 1;
    }
    for (size_t k = 0; k < found.n_pairs; k++) {
        found.lost[k] = kal_basis_pivot(&look->brackets, k);
    }
    *out_brackets = found;
    return KAL_OK;
}

KalStatus kal_brackets_find(KalPfaffSystem *system, KalArithmetic field, int point,
                            KalBrackets *out_brackets)
{
    assert(system->probe && point >= 0);
    Look look = {.system = system, .field = field, .point = point};
    KalArena *scratch = NULL;
    KAL_TRY(kal_arena_create(system->ctx, SIZE_MAX / 2, &scratch));
    KalStatus status = init_look(&look, scratch);
    if (status == KAL_OK) {
        status = run(&look);
    }
    if (status == KAL_OK) {
        status = give_out(&look, out_brackets);
    }
    kal_basis_clear(&look.rows);
    kal_basis_clear(&look.brackets);
    kal_arena_destroy(scratch);
    return status;
}

// SPDX-License-Identifier: MIT

// Multipliers of constraints that depend on each other: those of least norm, theory (11.10)
// and (11.11).
//
// With A = B R, R the independent rows, the multipliers λ_R of R alone give the same
// force, and λ = B (BᵀB)⁻¹ λ_R is the shortest of all with Bᵀλ = λ_R: that of the
// pseudoinverse.

#include "closed/minors.h"
#include "closed/solver_impl.h"

#include <assert.h>

enum {
    ROWS_MAX = 4 // independent rows of a system whose multipliers are looked for
};

// Columns of A in which its independent rows are regular, by trying sets of columns.
static KalStatus combine(const KalSolver *s, size_t row, const size_t *columns,
                         KalFraction *out_B, bool *out_regular)
{
    assert(s->rank <= ROWS_MAX && row < s->m);
    KalPoly K[ROWS_MAX * (ROWS_MAX + 1)];
    const size_t r = s->rank;
    for (size_t c = 0; c < r; c++) { // one equation for each column
        KalFraction entry[ROWS_MAX + 1];
        KalPoly below = kal_poly_int(s->ring, 1);
        for (size_t k = 0; k <= r; k++) {
            const size_t i = k < r ? s->rows[k] : row;
            entry[k] = s->A[i * s->n + columns[c]];
            below = kal_poly_mul(s->ring, below, entry[k].below);
        }
        for (size_t k = 0; k <= r; k++) {
            const KalFraction whole = {below, kal_poly_int(s->ring, 1)};
            K[c * (r + 1) + k] = kal_fraction_mul(s->field, entry[k], whole).above;
        }
    }
    return kal_minors_solve(s->field, K, (int)r, out_B, out_regular);
}

// The next set of r columns out of n, in lexical order; false after the last.
static bool next_columns(size_t *columns, size_t r, size_t n)
{
    assert(r <= n);
    for (size_t c = r; c-- > 0;) {
        if (columns[c] < n - r + c) {
            columns[c]++;
            for (size_t d = c + 1; d < r; d++) {
                columns[d] = columns[d - 1] + 1;
            }
            return true;
        }
    }
    return false;
}

// Row i of B: theory (11.10).
static KalStatus row_of_B(const KalSolver *s, size_t row, KalFraction *out_B,
                          bool *out_found)
{
    assert(s->rank <= ROWS_MAX && s->rank <= s->n);
    size_t columns[ROWS_MAX];
    for (size_t c = 0; c < s->rank; c++) {
        columns[c] = c;
    }
    *out_found = false;
    bool more = true;
    while (more && !*out_found && kal_ring_is_sound(s->ring)) {
        KAL_TRY(combine(s, row, columns, out_B, out_found));
        more = next_columns(columns, s->rank, s->n);
    }
    for (size_t k = 0; k < s->rank && *out_found; k++) {
        out_B[k] = kal_field_shorten(s->field, out_B[k]);
    }
    return KAL_OK;
}

// (BᵀB) y = λ_R
static KalStatus solve_normal(const KalSolver *s, const KalFraction *B,
                              KalFraction *out_y, bool *out_regular)
{
    assert(s->rank <= ROWS_MAX);
    KalPoly K[ROWS_MAX * (ROWS_MAX + 1)];
    const size_t r = s->rank;
    for (size_t i = 0; i < r; i++) {
        KalFraction entry[ROWS_MAX + 1];
        KalPoly below = kal_poly_int(s->ring, 1);
        for (size_t j = 0; j <= r; j++) {
            entry[j] = j < r ? kal_fraction_int(s->field, 0) : s->l[s->rows[i]];
            for (size_t k = 0; k < s->m && j < r; k++) {
                const KalFraction product =
                    kal_fraction_mul(s->field, B[k * r + i], B[k * r + j]);
                entry[j] = kal_fraction_add(s->field, entry[j], product);
            }
            below = kal_poly_mul(s->ring, below, entry[j].below);
        }
        for (size_t j = 0; j <= r; j++) {
            const KalFraction whole = {below, kal_poly_int(s->ring, 1)};
            K[i * (r + 1) + j] = kal_fraction_mul(s->field, entry[j], whole).above;
        }
    }
    return kal_minors_solve(s->field, K, (int)r, out_y, out_regular);
}

static KalStatus least_norm(KalSolver *s, KalFraction *B, bool *out_found)
{
    assert(s->rank <= s->m);
    KalFraction y[ROWS_MAX];
    const size_t r = s->rank;
    *out_found = true;
    for (size_t i = 0; i < s->m && *out_found; i++) {
        KAL_TRY(row_of_B(s, i, &B[i * r], out_found));
    }
    if (*out_found) {
        KAL_TRY(solve_normal(s, B, y, out_found));
    }
    for (size_t i = 0; i < s->m && *out_found; i++) { // theory (11.11)
        KalFraction sum = kal_fraction_int(s->field, 0);
        for (size_t k = 0; k < r; k++) {
            sum = kal_fraction_add(s->field, sum,
                                   kal_fraction_mul(s->field, B[i * r + k], y[k]));
        }
        s->l[i] = kal_field_shorten(s->field, sum);
    }
    return KAL_OK;
}

KalStatus kal_solver_least_norm(KalSolver *s, bool *out_found)
{
    const size_t size = s->m * s->rank;
    *out_found = false;
    if (s->rank > ROWS_MAX) {
        return KAL_OK;
    }
    KalFraction *B = (KalFraction *)kal_alloc(s->ctx, size + 1, sizeof *B);
    if (!B) {
        return kal_no_memory(s->ctx, "to solve formulas");
    }
    const KalStatus status = least_norm(s, B, out_found);
    kal_free(s->ctx, B, (size + 1) * sizeof *B);
    return status;
}

// SPDX-License-Identifier: MIT

#include "fault.h"
#include "rng.h"
#include "tap.h"
#include "zero/basis.h"

enum {
    N = 6
};

// Rows made from `rank` random ones by random combinations.
static void fill(Rng *rng, KalArithmetic field, int rank, KalScalar rows[][N], int m)
{
    int64_t base[N][N];
    for (int i = 0; i < rank; i++) {
        for (int j = 0; j < N; j++) {
            base[i][j] = rng_int(rng, -50, 50);
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < N; j++) {
            rows[i][j] = kal_scalar_of(field, kal_rational(0, 1));
        }
        for (int k = 0; k < rank; k++) {
            const int64_t factor = rng_int(rng, -9, 9);
            for (int j = 0; j < N; j++) {
                const KalScalar part =
                    kal_scalar_of(field, kal_rational(factor * base[k][j], 7));
                rows[i][j] = kal_scalar_add(field, rows[i][j], part);
            }
        }
    }
}

static KalStatus run(Fault *fault, KalArithmetic field, uint64_t seed)
{
    Rng rng = {seed};
    const int rank = rng_int(&rng, 0, 4);
    KalScalar rows[9][N];
    KalContext *ctx = NULL;
    KalBasis basis = {.ctx = NULL};
    fill(&rng, field, rank, rows, 9);
    KAL_TRY(kal_context_create(fault_alloc, fault, &ctx));
    KalStatus status = kal_basis_init(ctx, field, N, N - 1, &basis);
    for (int i = 0; i < 9 && status == KAL_OK; i++) {
        bool added = false;
        const bool spanned = kal_basis_spans(&basis, rows[i]);
        status = kal_basis_add(&basis, rows[i], &added);
        ok(status != KAL_OK || (added != spanned && kal_basis_spans(&basis, rows[i])));
    }
    if (status == KAL_OK) {
        ok(basis.rank == (size_t)rank);
    }
    for (size_t i = 0; i < basis.rank && status == KAL_OK; i++) {
        for (size_t k = 0; k < basis.rank; k++) {
            const KalScalar at = kal_basis_row(&basis, k)[kal_basis_pivot(&basis, i)];
            ok(kal_scalar_is_zero(field, at) == (i != k));
        }
        ok(kal_basis_pivot(&basis, i) < N - 1); // where that is possible
    }
    kal_basis_clear(&basis);
    kal_context_destroy(ctx);
    ok(fault->live_bytes == 0);
    return status;
}

static void ranks_are_found_in_both_fields(void)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        Fault fault = {.calls_left = -1};
        ok(run(&fault, (KalArithmetic)(seed % 2), seed) == KAL_OK);
    }
}

static void pivots_may_be_given(void)
{
    const KalArithmetic field = KAL_ARITHMETIC_RESIDUES;
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalBasis basis = {.ctx = NULL};
    KalScalar row[N];
    bool added = false;
    for (int j = 0; j < N; j++) {
        row[j] = kal_scalar_of(field, kal_rational(j, 1));
    }
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_basis_init(ctx, field, N, N, &basis) == KAL_OK);
    ok(kal_basis_add_at(&basis, row, 0, &added) == KAL_OK && !added);
    ok(kal_basis_add_at(&basis, row, 3, &added) == KAL_OK && added);
    ok(kal_basis_pivot(&basis, 0) == 3 && kal_basis_row(&basis, 0)[3].residue == 1);
    kal_basis_clear(&basis);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status != KAL_OK && n < 100; n++) {
        Fault fault = {.calls_left = n};
        status = run(&fault, KAL_ARITHMETIC_RESIDUES, 5);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
    }
    ok(status == KAL_OK && n > 2);
}

TAP_RUN(TAP_CASE(ranks_are_found_in_both_fields), TAP_CASE(pivots_may_be_given),
        TAP_CASE(every_allocation_may_fail))

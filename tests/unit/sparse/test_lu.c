// SPDX-License-Identifier: MIT

#include "fault.h"
#include "rng.h"
#include "sparse/lu.h"
#include "tap.h"

enum {
    MOST = 60,
    FAR = 2000 // unknowns of a long band
};

// A matrix by its entries, row after row, and by columns.
typedef struct Lab {
    int rows;
    int columns;
    double dense[MOST][MOST];
    int64_t start[MOST + 1];
    int row[MOST * MOST];
    double value[MOST * MOST];
    KalContext *ctx;
    KalSparseLu lu;
} Lab;

static Lab lab;

static KalColumns list_columns(void)
{
    int64_t count = 0;
    for (int j = 0; j < lab.columns; j++) {
        lab.start[j] = count;
        for (int i = 0; i < lab.rows; i++) {
            if (lab.dense[i][j] != 0.0) {
                lab.row[count] = i;
                lab.value[count++] = lab.dense[i][j];
            }
        }
    }
    lab.start[lab.columns] = count;
    return (KalColumns){lab.rows, lab.columns, lab.start, lab.row, lab.value};
}

static KalStatus factor(Fault *fault, const double *weights, int64_t most)
{
    const KalColumns matrix = list_columns();
    if (kal_context_create(fault_alloc, fault, &lab.ctx) != KAL_OK) {
        lab.ctx = NULL;
        return KAL_ERR_NOMEM;
    }
    const KalSparseLuOptions options = {
        .weights = weights, .least = 1e-10, .most = most};
    return kal_sparse_lu_factor(&lab.lu, lab.ctx, &matrix, &options);
}

static void end(void)
{
    if (lab.ctx) {
        kal_sparse_lu_clear(&lab.lu);
        kal_context_destroy(lab.ctx);
    }
    lab.ctx = NULL;
}

// Some entries in each column, of very different size by rows.
static void fill(Rng *rng, int rows, int columns)
{
    memset(&lab, 0, sizeof lab);
    lab.rows = rows;
    lab.columns = columns;
    for (int k = 0; k < 4 * columns; k++) {
        const int i = rng_int(rng, 0, rows - 1);
        lab.dense[i][rng_int(rng, 0, columns - 1)] = ldexp(rng_entry(rng), 7 * (i % 5));
    }
}

static void solutions_solve(void)
{
    for (int round = 0; round < 200; round++) {
        Rng rng = {(uint64_t)round};
        Fault fault = {.calls_left = -1};
        const int n = rng_int(&rng, 1, MOST);
        double b[MOST];
        double given[MOST];
        double x[MOST];
        fill(&rng, n, n);
        for (int i = 0; i < n; i++) { // a permutation makes it regular as a rule
            lab.dense[(i * 7 + 3) % n][i] +=
                n % 7 == 0 ? 0.0 : ldexp(3.0, 7 * ((i * 7 + 3) % n % 5));
            lab.dense[i][i] += n % 7 == 0 ? ldexp(3.0, 7 * (i % 5)) : 0.0;
            given[i] = b[i] = ldexp(rng_entry(&rng), 7 * (i % 5));
        }
        if (!ok(factor(&fault, NULL, 1 << 20) == KAL_OK)) {
            return;
        }
        ok(lab.lu.rank == n);
        kal_sparse_lu_solve(&lab.lu, b, x);
        for (int i = 0; i < n; i++) {
            double sum = -given[i];
            double size = fabs(given[i]);
            for (int j = 0; j < n; j++) {
                sum += lab.dense[i][j] * x[j];
                size += fabs(lab.dense[i][j] * x[j]);
            }
            ok(fabs(sum) <= 1e-11 * size);
        }
        end();
        ok(fault.live_bytes == 0);
    }
}

// Columns that are combinations of others have no pivots, wherever they stand.
static void ranks_are_found(void)
{
    for (int round = 0; round < 100; round++) {
        Rng rng = {(uint64_t)round};
        Fault fault = {.calls_left = -1};
        const int rows = rng_int(&rng, 20, MOST);
        const int rank = rng_int(&rng, 2, 15);
        double weights[MOST];
        fill(&rng, rows, rank);
        for (int j = 0; j < rank; j++) {
            lab.dense[j][j] +=
                ldexp(20.0, 7 * (j % 5)); // each row is led by one column
        }
        for (int i = 0; i < rows; i++) {
            weights[i] = ldexp(1.0, -7 * (i % 5));
            for (int k = 0; k < 3; k++) {
                lab.dense[i][rank + k] =
                    2.0 * lab.dense[i][k % rank] - lab.dense[i][(k + 1) % rank];
            }
        }
        lab.columns = rank + 3;
        ok(factor(&fault, weights, 1 << 20) == KAL_OK);
        int free_columns = 0;
        for (int j = 0; j < lab.columns; j++) {
            free_columns += lab.lu.pivot[j] < 0;
        }
        // Combinations of two columns span no more than these; of few columns fewer.
        ok(lab.lu.rank == rank);
        ok(free_columns == 3);
        end();
        ok(fault.live_bytes == 0);
    }
}

// Columns that are to go first do not depend on others, whatever went first before in the same
// memory.
static void what_goes_first_depends_on_nothing_behind(void)
{
    for (int round = 0; round < 50; round++) {
        Rng rng = {(uint64_t)round};
        Fault fault = {.calls_left = -1};
        const int rank = rng_int(&rng, 2, 15);
        double weights[MOST];
        fill(&rng, MOST, 0);
        for (int i = 0; i < MOST; i++) { // sums of columns, and these columns
            weights[i] = 1.0;
            lab.dense[i][rank + i % rank] = rng_entry(&rng);
            for (int j = i % rank; j < rank; j++) {
                lab.dense[i][j] = lab.dense[i][rank + i % rank];
            }
        }
        lab.columns = 2 * rank;
        ok(factor(&fault, weights, 1 << 20) == KAL_OK && lab.lu.rank == rank);
        for (int first = rank; first > 0; first--) {
            const KalColumns matrix = list_columns();
            const KalSparseLuOptions options = {
                .weights = weights, .least = 1e-10, .most = 1 << 20, .first = first};
            ok(kal_sparse_lu_factor(&lab.lu, lab.ctx, &matrix, &options) == KAL_OK);
            ok(lab.lu.rank == rank);
            for (int j = 0; j < first; j++) {
                ok(lab.lu.pivot[j] >= 0);
            }
        }
        end();
        ok(fault.live_bytes == 0);
    }
}

// The factors of a band have as many entries as the band.
static void long_bands_stay_sparse(void)
{
    static int64_t start[FAR + 1];
    static int row[3 * FAR];
    static double value[3 * FAR];
    static double b[FAR];
    static double x[FAR];
    int64_t count = 0;
    for (int j = 0; j < FAR; j++) {
        start[j] = count;
        for (int i = j - 1; i <= j + 1; i++) {
            if (i >= 0 && i < FAR) {
                row[count] = i;
                value[count++] = i == j ? 2.0 : -1.0;
            }
        }
    }
    start[FAR] = count;
    for (int i = 0; i < FAR; i++) {
        b[i] = 1.0;
    }
    const KalColumns matrix = {FAR, FAR, start, row, value};
    const KalSparseLuOptions options = {.least = 1e-10, .most = 8 * FAR};
    Fault fault = {.calls_left = -1};
    KalSparseLu lu = {.ctx = NULL};
    KalContext *ctx = NULL;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    const size_t before = fault.live_bytes;
    for (int again = 0; again < 3; again++) { // in the same memory
        const size_t held = fault.live_bytes;
        if (!ok(kal_sparse_lu_factor(&lu, ctx, &matrix, &options) == KAL_OK)) {
            break;
        }
        ok(fault.live_bytes > before && (again == 0 || fault.live_bytes == held));
        for (int i = 0; i < FAR; i++) {
            b[i] = 1.0;
        }
        kal_sparse_lu_solve(&lu, b, x);
        for (int i = 0; i < FAR; i++) { // −x'' = 1 between two walls
            const double exact = 0.5 * (i + 1.0) * (FAR - i);
            ok(fabs(x[i] - exact) <= 1e-9 * exact);
        }
    }
    kal_sparse_lu_clear(&lu);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void too_many_entries_are_refused(void)
{
    Rng rng = {1};
    Fault fault = {.calls_left = -1};
    fill(&rng, 50, 50);
    for (int i = 0; i < 50; i++) {
        lab.dense[i][i] = 1.0;
        lab.dense[0][i] = 1.0;
    }
    ok(factor(&fault, NULL, 20) == KAL_ERR_LIMIT);
    end();
    ok(fault.live_bytes == 0);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 0; status != KAL_OK && calls < 200; calls = fault_next(calls)) {
        Rng rng = {5};
        Fault fault = {.calls_left = calls};
        fill(&rng, 40, 40);
        for (int i = 0; i < 40; i++) {
            lab.dense[i][i] += 4.0;
        }
        status = factor(&fault, NULL, 1 << 20);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        end();
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(solutions_solve), TAP_CASE(ranks_are_found),
        TAP_CASE(what_goes_first_depends_on_nothing_behind),
        TAP_CASE(long_bands_stay_sparse), TAP_CASE(too_many_entries_are_refused),
        TAP_CASE(every_allocation_may_fail))

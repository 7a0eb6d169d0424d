// SPDX-License-Identifier: MIT

#include "fault.h"
#include "rng.h"
#include "sparse/degree.h"
#include "tap.h"

enum {
    MOST = 400,
    MOST_COUPLINGS = 40000
};

typedef struct Lab {
    int64_t start[MOST + 1];
    int other[MOST_COUPLINGS];
    bool coupled[MOST][MOST];
    int order[MOST];
    int n;
} Lab;

static Lab lab;

static void couple(int i, int j)
{
    lab.coupled[i][j] = i != j;
    lab.coupled[j][i] = i != j;
}

static void begin(int n)
{
    memset(&lab, 0, sizeof lab);
    lab.n = n;
}

static KalStatus find_order(Fault *fault, int first)
{
    int64_t count = 0;
    for (int i = 0; i < lab.n; i++) {
        lab.start[i] = count;
        for (int j = 0; j < lab.n; j++) {
            if (lab.coupled[i][j]) {
                lab.other[count++] = j;
            }
        }
    }
    lab.start[lab.n] = count;
    KalContext *ctx = NULL;
    if (kal_context_create(fault_alloc, fault, &ctx) != KAL_OK) {
        return KAL_ERR_NOMEM;
    }
    KalCouplings couplings = {lab.n, lab.start, lab.other};
    const KalStatus status = kal_minimum_degree(ctx, &couplings, first, lab.order);
    kal_context_destroy(ctx);
    return status;
}

// Entries below the diagonal of the factor, by elimination on pairs.
static int count_fill(void)
{
    static bool pairs[MOST][MOST];
    static bool gone[MOST];
    int fill = 0;
    memcpy(pairs, lab.coupled, sizeof pairs);
    memset(gone, 0, sizeof gone);
    for (int k = 0; k < lab.n; k++) {
        const int p = lab.order[k];
        gone[p] = true;
        for (int i = 0; i < lab.n; i++) {
            if (!pairs[p][i] || gone[i]) {
                continue;
            }
            fill++;
            for (int j = 0; j < lab.n; j++) {
                pairs[i][j] = pairs[i][j] || (pairs[p][j] && !gone[j] && i != j);
            }
        }
    }
    return fill;
}

static void check_order(int first)
{
    bool seen[MOST] = {false};
    for (int k = 0; k < lab.n; k++) {
        const int i = lab.order[k];
        if (ok(i >= 0 && i < lab.n)) {
            ok(!seen[i]);
            ok((k < first) == (i < first));
            seen[i] = true;
        }
    }
}

static void orders_are_permutations_in_stages(void)
{
    for (int round = 0; round < 60; round++) {
        Rng rng = {(uint64_t)round};
        Fault fault = {.calls_left = -1};
        const int n = rng_int(&rng, 1, 60);
        const int first = rng_int(&rng, 0, n);
        begin(n);
        for (int k = 0; k < n * (round % 5); k++) {
            couple(rng_int(&rng, 0, n - 1), rng_int(&rng, 0, n - 1));
        }
        ok(find_order(&fault, first) == KAL_OK);
        check_order(first);
        ok(fault.live_bytes == 0);
    }
}

// A tree has an order without fill, and minimum degree finds it: leaves go first.
static void trees_do_not_fill(void)
{
    for (int round = 0; round < 20; round++) {
        Rng rng = {(uint64_t)round};
        Fault fault = {.calls_left = -1};
        begin(300);
        for (int i = 1; i < lab.n; i++) {
            couple(i, rng_int(&rng, 0, i - 1));
        }
        ok(find_order(&fault, 0) == KAL_OK);
        ok(count_fill() == lab.n - 1);
    }
}

// Of a net of 20 × 20 the natural order would leave 20 entries in every column.
static void nets_fill_less_than_bands(void)
{
    const int side = 20;
    Fault fault = {.calls_left = -1};
    begin(side * side);
    for (int i = 0; i < lab.n; i++) {
        couple(i, i % side + 1 < side ? i + 1 : i);
        couple(i, i + side < lab.n ? i + side : i);
    }
    ok(find_order(&fault, 0) == KAL_OK);
    ok(count_fill() < lab.n * side / 2);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    begin(40);
    for (int i = 0; i + 7 < lab.n; i++) {
        couple(i, i + 1);
        couple(i, i + 7);
    }
    for (long calls = 0; status != KAL_OK && calls < 100; calls = fault_next(calls)) {
        Fault fault = {.calls_left = calls};
        status = find_order(&fault, 10);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(orders_are_permutations_in_stages), TAP_CASE(trees_do_not_fill),
        TAP_CASE(nets_fill_less_than_bands), TAP_CASE(every_allocation_may_fail))

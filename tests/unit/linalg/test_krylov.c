// SPDX-License-Identifier: MIT

// Eigenvalues of large operators that are known in closed form.

#include "allocations.h"
#include "fault.h"
#include "linalg/krylov.h"
#include "tap.h"

enum {
    SIZE = 900
};

// Blocks: a diagonal of 1, 1/2, 1/3, … of which each number stands there `copies` times.
typedef struct Diagonal {
    int copies;
    int calls;
} Diagonal;

static KalStatus scale(void *user, const double *x, double *out_y)
{
    Diagonal *d = (Diagonal *)user;
    d->calls++;
    for (int i = 0; i < SIZE; i++) {
        out_y[i] = x[i] / (double)(1 + i / d->copies);
    }
    return KAL_OK;
}

// Turns in planes by i radians, with a length of 1/i: eigenvalues e^(±i√−1)/i.
static KalStatus turn(void *user, const double *x, double *out_y)
{
    (void)user;
    for (int i = 0; i < SIZE; i += 2) {
        const double k = 1.0 + i / 2;
        out_y[i] = (cos(k) * x[i] - sin(k) * x[i + 1]) / k;
        out_y[i + 1] = (sin(k) * x[i] + cos(k) * x[i + 1]) / k;
    }
    return KAL_OK;
}

static KalStatus overflow(void *user, const double *x, double *out_y)
{
    (void)user;
    for (int i = 0; i < SIZE; i++) {
        out_y[i] = x[i] * INFINITY;
    }
    return KAL_OK;
}

static KalStatus vanish(void *user, const double *x, double *out_y)
{
    (void)user;
    (void)x;
    memset(out_y, 0, SIZE * sizeof *out_y);
    return KAL_OK;
}

static KalKrylovOptions options_of(KalOperatorFn apply, void *user)
{
    return (KalKrylovOptions){.n = SIZE,
                              .apply = apply,
                              .user = user,
                              .wanted = 12,
                              .most = 200,
                              .tolerance = 1e-10,
                              .seed = 3};
}

static void eigenvalues_that_coincide_are_all_found(void)
{
    for (int copies = 1; copies <= KAL_KRYLOV_STARTS; copies += 2) {
        Diagonal d = {copies, 0};
        Fault fault = {.calls_left = -1};
        KalContext *ctx = NULL;
        KalKrylov found;
        const KalKrylovOptions options = options_of(scale, &d);
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        if (!ok(kal_krylov_search(&found, ctx, &options) == KAL_OK)) {
            printf("# %s\n", kal_context_message(ctx));
        }
        ok(found.complete && found.n_values == 12);
        for (int k = 0; k < found.n_values; k++) {
            const double exact = 1.0 / (1 + k / copies);
            near(creal(found.values[k]), exact, 1e-10 * exact);
            near(cimag(found.values[k]), 0.0, 1e-12);
            ok(cabs(found.values[k] - exact) <= found.errors[k] + 1e-15);
            const double complex *x = found.vectors + (size_t)k * SIZE;
            for (int i = 0; i < SIZE; i++) {
                const bool own = i / copies == k / copies;
                ok(own || cabs(x[i]) < 1e-4); // as exact as the root of the value
            }
        }
        kal_krylov_clear(&found);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
}

static void conjugates_are_neighbors(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalKrylov found;
    const KalKrylovOptions options = options_of(turn, NULL);
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_krylov_search(&found, ctx, &options) == KAL_OK);
    ok(found.complete && found.n_values == 12);
    for (int k = 0; k < found.n_values; k += 2) {
        const double size = 1.0 + k / 2;
        near(cabs(found.values[k]), 1.0 / size, 1e-10);
        near(creal(found.values[k]), cos(size) / size, 1e-10);
        near(fabs(cimag(found.values[k])), fabs(sin(size)) / size, 1e-10);
        ok(found.values[k + 1] == conj(found.values[k]));
        ok(cimag(found.values[k]) > 0.0);
    }
    kal_krylov_clear(&found);
    kal_context_destroy(ctx);
}

static void what_is_no_number_is_told(void)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalKrylov found;
    KalKrylovOptions options = options_of(overflow, NULL);
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_krylov_search(&found, ctx, &options) == KAL_ERR_NUMBER);
    kal_krylov_clear(&found);
    options = options_of(vanish, NULL);
    ok(kal_krylov_search(&found, ctx, &options) == KAL_OK);
    ok(found.n_values == 0 && found.complete);
    kal_krylov_clear(&found);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// Few vectors do not suffice: what is exact is there, and that it is not all.
static void an_end_is_told(void)
{
    Diagonal d = {1, 0};
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalKrylov found;
    KalKrylovOptions options = options_of(scale, &d);
    options.most = 24;
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_krylov_search(&found, ctx, &options) == KAL_OK);
    ok(!found.complete && found.n_values < 12 && found.steps == 24);
    kal_krylov_clear(&found);
    kal_context_destroy(ctx);
}

static KalStatus search_and_clear(KalContext *ctx)
{
    Diagonal d = {2, 0};
    KalKrylov found = {.ctx = NULL};
    const KalKrylovOptions options = options_of(scale, &d);
    const KalStatus status = kal_krylov_search(&found, ctx, &options);
    kal_krylov_clear(&found);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(search_and_clear);
}

TAP_RUN(TAP_CASE(eigenvalues_that_coincide_are_all_found),
        TAP_CASE(conjugates_are_neighbors), TAP_CASE(what_is_no_number_is_told),
        TAP_CASE(an_end_is_told), TAP_CASE(every_allocation_may_fail))

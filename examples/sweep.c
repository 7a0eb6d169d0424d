// SPDX-License-Identifier: MIT

// A thousand runs of one model on all cores: a sweep gives each its inputs and keeps what is
// asked for.
//
//     cc sweep.c $(pkg-config --cflags --libs kalaba) -lm && ./a.out

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "model \"Spring\"\n"
                           "param m = 2, k = 8\n"
                           "coord x\n"
                           "kinetic 1/2*m*x'^2\n"
                           "potential 1/2*k*x^2\n"
                           "init x = 1\n"
                           "simulate 0 .. 5 every 5\n";

typedef struct Result {
    long runs;
    double largest; // error
} Result;

// Rows come one at a time.  The book has cos(√(k/m) t).
static KalStatus take(void *user, const KalSweepRow *row)
{
    Result *result = (Result *)user;
    const double book = cos(5.0 * sqrt(row->inputs[0] / row->inputs[1]));
    result->runs++;
    result->largest = fmax(result->largest, fabs(row->values[0] - book));
    return row->status;
}

static KalStatus sweep_all(KalContext *ctx, const KalSystem *spring, Result *result)
{
    static const char *const grid[] = {"k = 1 .. 21 count 100"};
    static const char *const random[] = {"m = normal(2, 0.1)"};
    const KalSweepOptions options = {.vary = grid,
                                     .n_vary = 1,
                                     .random = random,
                                     .n_random = 1,
                                     .count = 10,
                                     .keep = "final(x)"};
    KalSweep *sweep = NULL;
    KalStatus status = kal_sweep_create(ctx, spring, &options, &sweep);
    if (status == KAL_OK) {
        status = kal_sweep_go(sweep, &(KalSweepJob){.take = take, .user = result});
    }
    kal_sweep_destroy(sweep);
    return status;
}

int main(void)
{
    KalContext *ctx = NULL;
    KalSystem *spring = NULL;
    Result result = {.runs = 0};
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return 1;
    }
    KalStatus status =
        kal_system_load(ctx, "spring", text, strlen(text), NULL, &spring);
    if (status == KAL_OK) {
        status = sweep_all(ctx, spring, &result);
    }
    if (status == KAL_OK) {
        printf("%ld runs, off by at most %.1g\n", result.runs, result.largest);
    } else {
        printf("%s\n", kal_context_message(ctx));
    }
    kal_system_destroy(spring);
    kal_context_destroy(ctx);
    return status == KAL_OK && result.runs == 1000 && result.largest < 1e-7 ? 0 : 1;
}

// SPDX-License-Identifier: MIT

/// @file
/// What benchmarks share: processor time, failures, and loading a model.

#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <kalaba/kalaba.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    BENCH_TEXT = 1 << 16 ///< bytes of the longest model
};

/// Processor time of this program, in seconds.
static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void bench_check(const KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        fprintf(stderr, "failed: %s\n", ctx ? kal_context_message(ctx) : "no context");
        exit(1);
    }
}

/// A context, and the system of a model's file in it.
static inline void bench_load(const char *path, KalContext **out_ctx,
                              KalSystem **out_system)
{
    static char text[BENCH_TEXT];
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (length == 0 || length == sizeof text) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    bench_check(NULL, kal_context_create(NULL, NULL, out_ctx));
    bench_check(*out_ctx,
                kal_system_load(*out_ctx, path, text, length, NULL, out_system));
}

#endif

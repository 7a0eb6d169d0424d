// SPDX-License-Identifier: MIT

// Models run to their end, with their samples, in processor time.  Includes nothing but
// public headers: compare_times.py builds it with other versions of the library too.
//
//     bench_times MODEL…

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REPEATS = 9, // of which the fastest was disturbed least
    TEXT = 1 << 16
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(const KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        fprintf(stderr, "failed: %s\n", ctx ? kal_context_message(ctx) : "no context");
        exit(1);
    }
}

static void read_text(const char *path, char *text)
{
    FILE *file = fopen(path, "rb");
    const size_t length = file ? fread(text, 1, TEXT - 1, file) : 0;
    if (length == 0 || length == TEXT - 1) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    text[length] = '\0';
    fclose(file);
}

// One run from the start on; answers how long it took.
static double go(KalContext *ctx, const KalSystem *system, KalRunStatistics *out)
{
    const KalRunOptions options = kal_run_options(system);
    const long samples = lround((options.until - options.from) / options.every);
    KalRun *run = NULL;
    KalStartReport report;
    check(ctx, kal_run_create(ctx, system, &options, &run));
    check(ctx, kal_run_start(run, &report));
    const double begin = now();
    for (long k = 1; k <= samples; k++) {
        check(ctx, kal_run_advance(run, options.from + options.every * (double)k));
    }
    const double end = now();
    *out = kal_run_statistics(run);
    kal_run_destroy(run);
    return end - begin;
}

static void measure(const char *path, bool last)
{
    static char text[TEXT];
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRunStatistics s;
    double best = INFINITY;
    read_text(path, text);
    check(NULL, kal_context_create(NULL, NULL, &ctx));
    check(ctx, kal_system_load(ctx, path, text, strlen(text), NULL, &system));
    for (int i = 0; i < REPEATS; i++) {
        best = fmin(best, go(ctx, system, &s));
    }
    printf("\"%s\": {\"seconds\": %.9f, \"steps\": %ld, \"evaluations\": %ld}%s\n",
           path, best, (long)s.steps, (long)s.evaluations, last ? "" : ",");
    kal_system_destroy(system);
    kal_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    printf("{");
    for (int i = 1; i < argc; i++) {
        measure(argv[i], i + 1 == argc);
    }
    printf("}\n");
    return 0;
}

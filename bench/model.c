// SPDX-License-Identifier: MIT

// From the text of a model to ready programs, in processor time: the planar pendulum of N
// links in absolute angles, N = 5 to 200.  For each N the time of kal_system_load(), the
// memory that the system holds, and how the time grows from one N to the next as a power
// of N; then the time from text to the first acceleration of the models named as further
// arguments.
//
//     bench_model examples/pendulum_chain.kal examples/slider_crank.kal

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    REPEATS = 7
};

typedef struct Text {
    char *data;
    size_t length;
} Text;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Text read_text(const char *path)
{
    Text text = {NULL, 0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    text.length = (size_t)ftell(file);
    rewind(file);
    text.data = malloc(text.length + 1);
    if (!text.data || fread(text.data, 1, text.length, file) != text.length) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static void check(KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        printf("failed: %s\n", kal_context_message(ctx));
        exit(1);
    }
}

// The shortest of some loads, and the bytes that the system holds.
static double time_load(Text text, const KalLoadOptions *options, size_t *out_bytes)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        const double begin = now();
        if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
            exit(1);
        }
        check(ctx, kal_system_load(ctx, "model.kal", text.data, text.length, options,
                                   &system));
        best = fmin(best, now() - begin);
        *out_bytes = kal_context_bytes(ctx);
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
    return best;
}

static void show_growth(Text text)
{
    static const int sizes[] = {5, 10, 20, 50, 100, 200};
    double before = 0.0;
    printf("    N   text to program    memory    growth as N^p\n");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char value[16];
        size_t bytes = 0;
        (void)snprintf(value, sizeof value, "%d", sizes[i]);
        const KalOverride override = {"N", value};
        const KalLoadOptions options = {.overrides = &override, .n_overrides = 1};
        const double seconds = time_load(text, &options, &bytes);
        printf("  %3d   %10.3f ms   %7.2f MB", sizes[i], 1e3 * seconds,
               1e-6 * (double)bytes);
        if (i > 0) {
            printf("   %10.2f", log(seconds / before)
                                    / log((double)sizes[i] / (double)sizes[i - 1]));
        }
        printf("\n");
        before = seconds;
    }
}

// From text to the first acceleration, everything made anew.
static double time_first(Text text)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        KalInstant *instant = NULL;
        KalStartReport report;
        KalMotionAnswer answer;
        const double begin = now();
        if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
            exit(1);
        }
        check(ctx,
              kal_system_load(ctx, "model.kal", text.data, text.length, NULL, &system));
        check(ctx, kal_instant_create(ctx, system, &instant));
        check(ctx, kal_instant_start(instant, &report));
        check(ctx, kal_instant_solve(instant, &answer));
        best = fmin(best, now() - begin);
        kal_instant_destroy(instant);
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
    return best;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: bench_model N_LINK_PENDULUM MODEL...\n");
        return 2;
    }
    const Text pendulum = read_text(argv[1]);
    show_growth(pendulum);
    free(pendulum.data);
    for (int i = 2; i < argc; i++) {
        const Text text = read_text(argv[i]);
        printf("%s: text to first acceleration %.3f ms\n", argv[i],
               1e3 * time_first(text));
        free(text.data);
    }
    return 0;
}

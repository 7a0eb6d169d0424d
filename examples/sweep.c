// SPDX-License-Identifier: MIT

// A thousand runs of one model in four threads: load it once, set a parameter for each run.
//
//     cc sweep.c $(pkg-config --cflags --libs kalaba) -pthread -lm && ./a.out

#include <kalaba/kalaba.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    THREADS = 4,
    RUNS = 1000
};

static const char text[] = "model \"Spring\"\n"
                           "param m = 2, k = 8\n"
                           "coord x\n"
                           "kinetic 1/2*m*x'^2\n"
                           "potential 1/2*k*x^2\n"
                           "init x = 1\n"
                           "simulate 0 .. 5 every 5\n";

static KalSystem *spring; // shared: it never changes
static double reached[RUNS];

static double stiffness(int i)
{
    return 1.0 + 0.02 * i;
}

// One run; everything but the system is the thread's own.
static bool run_with(KalRun *run, int i)
{
    const KalSetting setting = {.name = "k", .value = stiffness(i)};
    KalStartReport report;
    if (kal_run_set_parameters(run, &setting, 1) != KAL_OK
        || kal_run_start(run, &report) != KAL_OK
        || kal_run_advance(run, 5.0) != KAL_OK) {
        return false;
    }
    reached[i] = kal_instant_q(kal_run_instant(run))[0];
    return true;
}

static void *work(void *user)
{
    const int first = *(const int *)user;
    KalContext *ctx = NULL;
    KalRun *run = NULL;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return NULL;
    }
    bool right = kal_run_create(ctx, spring, NULL, &run) == KAL_OK;
    for (int i = first; right && i < RUNS; i += THREADS) {
        right = run_with(run, i);
    }
    if (!right) {
        printf("%s\n", kal_context_message(ctx));
    }
    kal_run_destroy(run);
    kal_context_destroy(ctx);
    return NULL;
}

static void run_all(void)
{
    pthread_t threads[THREADS];
    bool started[THREADS];
    int firsts[THREADS];
    for (int i = 0; i < THREADS; i++) {
        firsts[i] = i;
        started[i] = pthread_create(&threads[i], NULL, work, &firsts[i]) == 0;
    }
    for (int i = 0; i < THREADS; i++) {
        if (started[i]) {
            (void)pthread_join(threads[i], NULL);
        }
    }
}

// The book has cos(√(k/m) t).
static double largest_error(void)
{
    double largest = 0.0;
    for (int i = 0; i < RUNS; i++) {
        const double book = cos(5.0 * sqrt(stiffness(i) / 2.0));
        largest = fmax(largest, fabs(reached[i] - book));
    }
    return largest;
}

int main(void)
{
    KalContext *ctx = NULL;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return 1;
    }
    bool right = false;
    if (kal_system_load(ctx, "spring", text, strlen(text), NULL, &spring) == KAL_OK) {
        run_all();
        const double error = largest_error();
        printf("%d runs, off by at most %.1g\n", RUNS, error);
        right = error < 1e-7;
    } else {
        printf("%s\n", kal_context_message(ctx));
    }
    kal_system_destroy(spring);
    kal_context_destroy(ctx);
    return right ? 0 : 1;
}

// SPDX-License-Identifier: MIT

// Runs of one system in several threads: the same bits as one run alone.

#include "run_lab.h"

#include <pthread.h>
#include <stdint.h>

enum {
    THREADS = 8,
    SAMPLES = 60
};

// A mechanism that loses rank, with an event, redundancy and friction on its way.
static const char text[] =
    "coord x[3], y[3]\n"
    "kinetic sum(i in 1..3 : 1/2*(x[i]'^2 + y[i]'^2))\n"
    "potential 9.81*sum(i in 1..3 : y[i])\ndissipation 0.001*x[1]'^2\n"
    "for i in 1..3 { constraint crank[i]: (x[i] - i)^2 + y[i]^2 = 1 }\n"
    "for i in 1..2 { constraint bar[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1 }\n"
    "constraint twice: 3*(x[3] - 3)^2 + 3*y[3]^2 = 3\n"
    "for i in 1..3 { init x[i] ~ i, y[i] ~ 1, x[i]' ~ 1 }\n"
    "event low: x[1] - 1 falling set x[1]' = 0.9*x[1]'\n"
    "output pull = reaction(bar[1])\nsimulate 0 .. 3 every 0.05\n";

typedef struct Job {
    const KalSystem *system;
    KalMethod method;
    bool done;
    uint64_t bits; // of all that was seen
    long steps;
    int passages;
    int events;
} Job;

static void add_bits(Job *job, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        job->bits = (job->bits ^ bits) * UINT64_C(0x100000001b3);
    }
}

static bool follow(Job *job, KalRun *run)
{
    KalStartReport report;
    KalStatus status = kal_run_start(run, &report);
    for (int k = 1; k <= SAMPLES && status == KAL_OK; k++) {
        const double *outputs = NULL;
        status = kal_run_advance(run, 0.05 * k);
        if (status == KAL_OK) {
            status = kal_instant_outputs(kal_run_instant(run), &outputs);
        }
        if (status == KAL_OK) {
            add_bits(job, kal_instant_q(kal_run_instant(run)), 12);
            add_bits(job, outputs, 1);
        }
    }
    const KalRunStatistics s = kal_run_statistics(run);
    job->steps = s.steps;
    job->passages = s.passages;
    job->events = s.events;
    return status == KAL_OK && kal_run_is_over(run);
}

static void *work(void *user)
{
    Job *job = user;
    KalContext *ctx = NULL;
    KalRun *run = NULL;
    KalRunOptions options = kal_run_options(job->system);
    options.method = job->method;
    job->bits = UINT64_C(0xcbf29ce484222325);
    if (kal_context_create(NULL, NULL, &ctx) == KAL_OK
        && kal_run_create(ctx, job->system, &options, &run) == KAL_OK) {
        job->done = follow(job, run);
    }
    kal_run_destroy(run);
    kal_context_destroy(ctx);
    return NULL;
}

static void compare(const KalSystem *system, KalMethod method)
{
    pthread_t threads[THREADS];
    bool started[THREADS];
    Job jobs[THREADS];
    Job alone = {.system = system, .method = method};
    work(&alone);
    ok(alone.done && alone.passages > 2 && alone.events > 0);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (Job){.system = system, .method = method};
        started[i] = ok(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ok(started[i] && pthread_join(threads[i], NULL) == 0);
        ok(jobs[i].done && jobs[i].bits == alone.bits && jobs[i].steps == alone.steps);
        ok(jobs[i].passages == alone.passages && jobs[i].events == alone.events);
    }
}

static void threads_share_a_system(void)
{
    Lab lab;
    if (lab_load(&lab, text)) {
        compare(lab.system, KAL_METHOD_DOP853);
        compare(lab.system, KAL_METHOD_BDF);
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(threads_share_a_system))

// SPDX-License-Identifier: MIT

// A line of progress on terminals, ten times a second at most, elsewhere a line after ten seconds,
// a hundred and so on; and the end of a run by Ctrl-C: the first asks the run to stop, which
// keeps what there is; a second ends the program, as the handler is for one signal only.

#include "progress.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static const double PATIENCE = 10.0; // seconds until something is told, and its growth

// A handler may do nothing but set a flag.
static void note_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

double kal_clock(void)
{
    struct timespec time = {.tv_sec = 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static KalPatience be_patient(double now, bool never)
{
    return (KalPatience){.until = never ? (double)INFINITY : now + PATIENCE,
                         .factor = PATIENCE,
                         .looked = now,
                         .stride = 1,
                         .left = 1};
}

// Whether it is time to tell, once the time passes `until`.  The clock is looked at some hundred
// times a second, however often this is asked.
static bool is_over(KalPatience *patience, double began)
{
    const double often = 0.005; // seconds
    const long most = 1 << 20;
    if (isinf(patience->until) || --patience->left > 0) {
        return false;
    }
    const double now = kal_clock();
    const bool early = now - patience->looked < often;
    patience->stride = early && patience->stride < most ? 2 * patience->stride
                       : patience->stride > 1           ? patience->stride / 2
                                                        : 1;
    patience->left = patience->stride;
    patience->looked = now;
    if (now < patience->until) {
        return false;
    }
    patience->until = began + patience->factor * (patience->until - began);
    return true;
}

KalProgress kal_progress(const KalRunOptions *options, bool quiet)
{
    assert(options);
    struct sigaction action = {.sa_handler = note_interrupt,
                               .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    const double began = kal_clock();
    const bool shown = !quiet && isatty(STDERR_FILENO);
    return (KalProgress){.shown = shown,
                         .from = options->from,
                         .until = options->until,
                         .began = began,
                         .last = began,
                         .t = options->from,
                         .patience = be_patient(began, quiet || shown)};
}

bool kal_progress_is_interrupted(void)
{
    return interrupted != 0;
}

// Seconds that are left if the run goes on as it did.
static double foretell(const KalProgress *progress, const KalRun *run, double seconds)
{
    const double part =
        (kal_run_time(run) - progress->from) / (progress->until - progress->from);
    return part > 0.0 ? seconds * (1.0 - part) / part : (double)INFINITY;
}

// For whoever looks into a log, or waits for a script.
static void tell(const KalProgress *progress, const KalRun *run)
{
    const KalRunStatistics s = kal_run_statistics(run);
    const double seconds = progress->patience.looked - progress->began;
    fprintf(
        stderr,
        "kalaba: the run is at t = %.6g of %.6g after %.0f s and %ld steps; as it goes "
        "it "
        "takes another %.2g s; an interrupt (Ctrl-C) ends it and keeps what there is\n",
        kal_run_time(run), progress->until, seconds, s.steps,
        foretell(progress, run, seconds));
}

// Where the run is, how it goes, and how long it may take.
static void draw(KalProgress *progress, const KalRun *run, double seconds)
{
    assert(progress->shown);
    const KalRunStatistics s = kal_run_statistics(run);
    const double error =
        s.position_error > s.velocity_error ? s.position_error : s.velocity_error;
    fprintf(stderr, "\r\x1b[Kt = %.6g of %.6g  step %.2g  error %.1g  %.0f s left",
            kal_run_time(run), progress->until, s.step, error,
            foretell(progress, run, seconds));
    fflush(stderr);
    progress->drawn = true;
}

bool kal_progress_watch(void *progress, const KalRun *run)
{
    assert(progress && run);
    KalProgress *p = (KalProgress *)progress;
    const double between = 0.1; // seconds
    p->t = kal_run_time(run);
    if (p->shown) {
        const double time = kal_clock();
        if (time - p->last > between) {
            p->last = time;
            draw(p, run, time - p->began);
        }
    } else if (is_over(&p->patience, p->began)) {
        tell(p, run);
    }
    return interrupted == 0;
}

// Between two steps, or in a sample.
static bool watch_between(void *progress)
{
    KalProgress *p = (KalProgress *)progress;
    const double between = 1.0; // seconds
    const double now = p->shown ? kal_clock() : 0.0;
    if (p->shown && now - p->last > between) {
        fprintf(stderr, "\r\x1b[Kt = %.6g of %.6g  %.0f s so far", p->t, p->until,
                now - p->began);
        fflush(stderr);
        p->drawn = true;
        p->last = now;
    } else if (!p->shown && is_over(&p->patience, p->began)) {
        fprintf(stderr, "kalaba: the run is at t = %.6g of %.6g after %.0f s\n", p->t,
                p->until, p->patience.looked - p->began);
    }
    return interrupted == 0;
}

void kal_progress_heed(KalProgress *progress, KalContext *ctx)
{
    kal_context_set_watch(ctx, watch_between, progress);
}

double kal_progress_end(KalProgress *progress)
{
    if (progress->drawn) {
        fputs("\r\x1b[K", stderr);
        progress->drawn = false;
    }
    return kal_clock() - progress->began;
}

static bool watch_stage(void *user)
{
    KalStage *stage = (KalStage *)user;
    const double patience = 1.0; // seconds
    const double between = 0.2;
    const double now = stage->shown ? kal_clock() : 0.0;
    if (stage->shown && now - stage->began > patience && now - stage->last > between) {
        fprintf(stderr, "\r\x1b[K%s  %.0f s", stage->text, now - stage->began);
        fflush(stderr);
        stage->drawn = true;
        stage->last = now;
    } else if (!stage->shown && is_over(&stage->patience, stage->began)) {
        fprintf(stderr, "kalaba: %s: %.0f s so far\n", stage->text,
                stage->patience.looked - stage->began);
    }
    return interrupted == 0;
}

void kal_stage_begin(KalStage *stage, KalContext *ctx, const char *text, bool quiet)
{
    const bool shown = !quiet && isatty(STDERR_FILENO);
    const double began = kal_clock();
    *stage = (KalStage){.text = text,
                        .shown = shown,
                        .began = began,
                        .patience = be_patient(began, quiet || shown)};
    kal_context_set_watch(ctx, watch_stage, stage);
}

void kal_stage_end(KalStage *stage, KalContext *ctx)
{
    if (stage->drawn) {
        fputs("\r\x1b[K", stderr);
        stage->drawn = false;
    }
    kal_context_set_watch(ctx, NULL, NULL);
}

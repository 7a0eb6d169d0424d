// SPDX-License-Identifier: MIT

// A line of progress on terminals, ten times a second at most, and the end of a run by
// Ctrl-C: the first asks the run to stop, which keeps what there is; a second ends the
// program, as the handler is for one signal only.

#include "progress.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

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

KalProgress kal_progress(const KalRunOptions *options, bool quiet)
{
    assert(options);
    struct sigaction action = {.sa_handler = note_interrupt,
                               .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    const double began = kal_clock();
    return (KalProgress){.shown = !quiet && isatty(STDERR_FILENO),
                         .from = options->from,
                         .until = options->until,
                         .began = began,
                         .last = began};
}

bool kal_progress_is_interrupted(void)
{
    return interrupted != 0;
}

// Where the run is, how it goes, and how long it may take.
static void draw(KalProgress *progress, const KalRun *run, double seconds)
{
    assert(progress->shown);
    const KalRunStatistics s = kal_run_statistics(run);
    const double error =
        s.position_error > s.velocity_error ? s.position_error : s.velocity_error;
    const double part =
        (kal_run_time(run) - progress->from) / (progress->until - progress->from);
    const double left = part > 0.0 ? seconds * (1.0 - part) / part : 0.0;
    fprintf(stderr, "\r\x1b[Kt = %.6g of %.6g  step %.2g  error %.1g  %.0f s left",
            kal_run_time(run), progress->until, s.step, error, left);
    fflush(stderr);
    progress->drawn = true;
}

bool kal_progress_watch(void *progress, const KalRun *run)
{
    assert(progress && run);
    KalProgress *p = (KalProgress *)progress;
    const double between = 0.1; // seconds
    if (p->shown) {
        const double time = kal_clock();
        if (time - p->last > between) {
            p->last = time;
            draw(p, run, time - p->began);
        }
    }
    return interrupted == 0;
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
    }
    return interrupted == 0;
}

void kal_stage_begin(KalStage *stage, KalContext *ctx, const char *text, bool quiet)
{
    *stage = (KalStage){
        .text = text, .shown = !quiet && isatty(STDERR_FILENO), .began = kal_clock()};
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

// SPDX-License-Identifier: MIT

/// @file
/// What someone sees of a run while it goes on, at a terminal or in a log, and how to interrupt
/// it.

#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <kalaba/kalaba.h>

#include <stdbool.h>

/// When what takes long is told where no terminal shows it: after ten seconds, a hundred, and so
/// on.
typedef struct KalPatience {
    double until;  ///< seconds of the clock; infinite: never
    double factor; ///< from one time to the next
    double looked; ///< when the clock was last looked at
    long stride;   ///< calls from one look to the next: looking takes time, too
    long left;     ///< of them
} KalPatience;

typedef struct KalProgress {
    bool shown; ///< there is a terminal to show it on
    bool drawn; ///< there is something to wipe off
    double from;
    double until;
    double began; ///< seconds of the clock
    double last;
    double t; ///< where the run was when that was last seen
    KalPatience patience;
} KalProgress;

/// Seconds of a clock that only goes forward.
double kal_clock(void);

/// Begin to watch a run; Ctrl-C then interrupts it.  A second one ends the program.
KalProgress kal_progress(const KalRunOptions *options, bool quiet);

/// For KalRunOptions.watch, with the progress as the user.
bool kal_progress_watch(void *progress, const KalRun *run);

/// Have the context ask, too, whether to go on: steps of a large model may take long.
void kal_progress_heed(KalProgress *progress, KalContext *ctx);

/// What is shown of a part of the work that has no measure, once it takes long: what it is,
/// and the seconds that it takes so far.
typedef struct KalStage {
    const char *text;
    bool shown;   ///< there is a terminal to show it on
    bool drawn;   ///< there is something to wipe off
    double began; ///< seconds of the clock
    double last;
    KalPatience patience;
} KalStage;

/// Begin, in a context that asks this stage whether to go on: yes until Ctrl-C was pressed,
/// where kal_progress() heeds it.
void kal_stage_begin(KalStage *stage, KalContext *ctx, const char *text, bool quiet);

/// Wipe off what is shown; the context asks no more.
void kal_stage_end(KalStage *stage, KalContext *ctx);

/// Whether Ctrl-C was pressed.
bool kal_progress_is_interrupted(void);

/// Wipe off what is shown; returns the seconds that passed.
double kal_progress_end(KalProgress *progress);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What the files that work on a text share.

#ifndef STUDIO_EVALUATE_IMPL_H
#define STUDIO_EVALUATE_IMPL_H

#include "base/context.h"
#include "json/member.h"
#include "studio/evaluate.h"

#include <kalaba/run.h>

/// A text that is being worked on.
typedef struct KalStudy {
    const KalAssignment *evaluation;
    KalContext *ctx;
    KalJsonWriter writer;
    KalSystem *system;
} KalStudy;

/// Begin a line with its key.
void kal_study_begin(KalStudy *study, const char *key);

/// Write a value that is JSON already, without its line ends, which no string of JSON has.
void kal_study_put(KalStudy *study, const char *json);

/// End a line, and let it go.
void kal_study_end(KalStudy *study);

/// Tell why a task failed: the context knows.
void kal_study_fail(KalStudy *study, const char *task, const char *const *names,
                    int n_names);

/// Write `"parameters": […], "start": […]` of the system: names, units, values.
void kal_study_describe(KalStudy *study);

/// Simulate; the run is told as it goes on, or, `page`, as a report in the end.
void kal_study_run(KalStudy *study, bool page);

/// Start a run as the request says.
KAL_CHECKED KalStatus kal_study_start(KalStudy *study, KalRun *run);

/// Make the file that a task of KAL_TASKS_WITH_FILES asks for, and tell it.
void kal_study_deliver(KalStudy *study, KalTask task);

/// Answer what the editor asks about the text.
void kal_study_question(KalStudy *study);

/// Move the start of a run so that a point of the picture comes as near as it can to where it
/// is dragged, and the constraints hold.  The run has been started.  KAL_ERR_USAGE when there is
/// no such point or there are too many coordinates; failures of kal_run_start_here().
KAL_CHECKED KalStatus kal_study_drag(KalStudy *study, KalRun *run, const KalDrag *drag);

/// Modes about the state that the request names.
void kal_study_modes(KalStudy *study);

/// All equilibria.
void kal_study_equilibria(KalStudy *study);

#endif

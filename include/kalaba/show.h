// SPDX-License-Identifier: MIT

/// @file
/// Results as text: for people in UTF-8, for scripts as JSON.

#ifndef KALABA_SHOW_H
#define KALABA_SHOW_H

#include <kalaba/analysis.h>
#include <kalaba/examine.h>
#include <kalaba/leeway.h>
#include <kalaba/run.h>
#include <kalaba/sweep.h>
#include <kalaba/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What results are written as.
typedef enum KalShowFormat {
    KAL_SHOW_TEXT,     ///< for a terminal, UTF-8
    KAL_SHOW_JSON,     ///< one object on one line
    KAL_SHOW_LATEX,    ///< a whole document for pdflatex; of equations only
    KAL_SHOW_MARKDOWN, ///< with mathematics between $$; of equations only
    KAL_SHOW_HTML, ///< a piece of HTML with MathML; of equations only, no closed form
} KalShowFormat;

/// How to show.
typedef struct KalShowOptions {
    KalShowFormat format;
    bool color;              ///< with terminal colors, in text
    bool names_only;         ///< files without their folders, of examinations
    bool closed_form;        ///< with the solution as formulas, of equations
    int width;               ///< columns of a terminal; 0 for 100
    const KalVerify *verify; ///< second opinion to show with a run, or NULL
    double verify_seconds;   ///< and the time that it took
    const KalTable
        *table; ///< of a run: its columns that are not unique are listed, or NULL
} KalShowOptions;

/// Show the equations of a model as formulas: M, Q, A, b, C.  Nothing is written on
/// failure, which `ctx` explains: KAL_ERR_NOMEM, KAL_ERR_LIMIT when there is too much to
/// show.
KAL_API KAL_CHECKED KalStatus kal_show_system(KalContext *ctx, const KalSystem *system,
                                              const KalShowOptions *options,
                                              KalSink sink);

/// Show what an examination found, as text or JSON.
KAL_API void kal_show_check(const KalCheck *check, const KalShowOptions *options,
                            KalSink sink);

/// Show a solved instant with its outputs, as text or JSON.  KAL_ERR_NUMBER when an output
/// has no value.
KAL_API KAL_CHECKED KalStatus kal_show_instant(KalInstant *instant,
                                               const KalMotionAnswer *answer,
                                               const KalShowOptions *options,
                                               KalSink sink);

/// The parts of a run whose time is taken: name, what is done in it.
#define KAL_RUN_PHASE_LIST(X)                                 \
    X(reading, "the text of the model is read")               \
    X(deriving, "its equations are derived")                  \
    X(compiling, "they become programs")                      \
    X(starting, "a consistent start is found")                \
    X(integrating, "the motion goes on, sample after sample") \
    X(recording, "samples go into the table")                 \
    X(writing, "the table goes into a file")

/// The seconds that a run took, and what its phases took.
typedef struct KalRunTimes {
    double total; ///< from the start on
#define KAL_RUN_PHASE_MEMBER(name, meaning) double name;
    KAL_RUN_PHASE_LIST(KAL_RUN_PHASE_MEMBER)
#undef KAL_RUN_PHASE_MEMBER
} KalRunTimes;

/// Show where a run ended and what it did, as text or JSON.  KAL_ERR_NUMBER when an output
/// has no value.
KAL_API KAL_CHECKED KalStatus kal_show_run(KalRun *run, const KalRunTimes *times,
                                           const KalShowOptions *options, KalSink sink);

/// What is to be told of a sweep.
typedef struct KalSweepFacts {
    const char *file;       ///< that was written, or NULL
    double seconds;         ///< that it took, or will take
    double bytes;           ///< of the file, about; for plans
    const bool *not_unique; ///< of kal_sweep_write(); NULL: all values are unique
} KalSweepFacts;

/// Show what a sweep came to, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_sweep(const KalSweep *sweep,
                                             const KalSweepSummary *summary,
                                             const KalSweepFacts *facts,
                                             const KalShowOptions *options,
                                             KalSink sink);

/// Show what a sweep is going to be.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_sweep_plan(const KalSweep *sweep,
                                                  const KalSweepFacts *facts,
                                                  const KalShowOptions *options,
                                                  KalSink sink);

/// One of several runs of a system.
typedef struct KalMember {
    const char *start; ///< what it began with, other than the model says
    size_t index;      ///< from 0
    size_t count;      ///< of all
} KalMember;

/// Show one run of a family as kal_show_run().  What is written for all members, in the
/// order of their indices, is one whole: as JSON, one object with the list `family`.
KAL_API KAL_CHECKED KalStatus kal_show_member(KalRun *run, const KalMember *member,
                                              const KalRunTimes *times,
                                              const KalShowOptions *options,
                                              KalSink sink);

/// Show a linearization about the present state, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus
kal_show_linearization(KalAnalysis *analysis, const KalLinearization *linearization,
                       const KalShowOptions *options, KalSink sink);

/// Show the modes about the present state, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_modes(KalAnalysis *analysis,
                                             const KalModes *modes,
                                             const KalShowOptions *options,
                                             KalSink sink);

/// Show the equilibria that a search found, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_equilibria(KalAnalysis *analysis,
                                                  const KalEquilibria *equilibria,
                                                  const KalShowOptions *options,
                                                  KalSink sink);

/// Show ranges of states of rest, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_leeway(KalContext *ctx, const KalSystem *system,
                                              const KalLeeway *leeway,
                                              const KalShowOptions *options,
                                              KalSink sink);

/// What a sweep is about.
typedef struct KalLocusTitle {
    const char *model;
    const char *parameter;
} KalLocusTitle;

/// Show the modes of a sweep and its critical values, as text or JSON.  KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_show_locus(KalContext *ctx, const KalLocus *locus,
                                             const KalLocusTitle *title,
                                             const KalShowOptions *options,
                                             KalSink sink);

/// Write a failure as JSON: the message and the names of those at fault.
KAL_API void kal_show_error_json(const char *message, const char *const *names,
                                 int n_names, KalSink sink);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Results as text: for people in UTF-8, for scripts as JSON.

#ifndef KALABA_SHOW_H
#define KALABA_SHOW_H

#include <kalaba/analysis.h>
#include <kalaba/examine.h>
#include <kalaba/run.h>
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
    bool closed_form;        ///< with the solution as formulas, of equations
    int width;               ///< columns of a terminal; 0 for 100
    const KalVerify *verify; ///< second opinion to show with a run, or NULL
    double verify_seconds;   ///< and the time that it took
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

/// The seconds that a run took, and what its parts took.
typedef struct KalRunTimes {
    double total;       ///< from the start on
    double reading;     ///< the text
    double deriving;    ///< equations
    double compiling;   ///< them
    double starting;    ///< finding a consistent start
    double integrating; ///< with samples
    double recording;   ///< samples
    double writing;     ///< the table
} KalRunTimes;

/// Show where a run ended and what it did, as text or JSON.  KAL_ERR_NUMBER when an output
/// has no value.
KAL_API KAL_CHECKED KalStatus kal_show_run(KalRun *run, const KalRunTimes *times,
                                           const KalShowOptions *options, KalSink sink);

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

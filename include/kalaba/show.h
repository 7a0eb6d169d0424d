// SPDX-License-Identifier: MIT

/// @file
/// Results as text: for people in UTF-8, for scripts as JSON.

#ifndef KALABA_SHOW_H
#define KALABA_SHOW_H

#include <kalaba/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How to show.
typedef struct KalShowOptions {
    bool json;  ///< one JSON object on one line
    bool color; ///< with terminal colors
} KalShowOptions;

/// Show a solved instant with its outputs.  KAL_ERR_NUMBER when an output has no value.
KAL_API KAL_CHECKED KalStatus kal_show_instant(KalInstant *instant,
                                               const KalMotionAnswer *answer,
                                               const KalShowOptions *options,
                                               KalSink sink);

/// Write a failure as JSON: the message and the names of those at fault.
KAL_API void kal_show_error_json(const char *message, const char *const *names,
                                 int n_names, KalSink sink);

#ifdef __cplusplus
}
#endif

#endif

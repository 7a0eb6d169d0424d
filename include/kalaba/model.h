// SPDX-License-Identifier: MIT

/// @file
/// What a model's text may depend on, values given from outside and files that it uses,
/// and the words that it shares with options.

#ifndef KALABA_MODEL_H
#define KALABA_MODEL_H

#include <kalaba/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter and the value that takes the place of its own, as the model language
/// writes them.
typedef struct KalOverride {
    const char *name;  ///< `m`, `m[2]`, `link[2].k`
    const char *value; ///< `2`, `30*deg`, `[1, 2]`
} KalOverride;

/// Reads a file that a model uses: writes its text to the sink and returns NULL, or
/// returns why it cannot be read.  The path does not lead out of the folder of the model by
/// its text, but a link may; kal_file_open() of kalaba/files.h follows none that does.
typedef const char *(*KalReadText)(void *user, const char *path, KalSink text);

/// The integrators: name, word in models and options, what it is.
#define KAL_METHOD_LIST(X)                                                      \
    X(KAL_METHOD_AUTO, "auto", "dop853, and bdf where the system proves stiff") \
    X(KAL_METHOD_DOP853, "dop853", "explicit Runge-Kutta of order 8")           \
    X(KAL_METHOD_BDF, "bdf", "backward differentiation, for stiff systems")

/// How drift off the constraints is kept small: name, word, what it is.
#define KAL_DRIFT_LIST(X)                                                     \
    X(KAL_DRIFT_PROJECT, "project", "back onto the constraints at all times") \
    X(KAL_DRIFT_STABILIZE, "stabilize(k)", "errors decay at the rate k")      \
    X(KAL_DRIFT_NONE, "none", "not at all")

/// An integrator.
typedef enum KalMethod {
#define KAL_METHOD_ENUM(name, word, meaning) name,
    KAL_METHOD_LIST(KAL_METHOD_ENUM)
#undef KAL_METHOD_ENUM
} KalMethod;

/// A treatment of drift.
typedef enum KalDrift {
#define KAL_DRIFT_ENUM(name, word, meaning) name,
    KAL_DRIFT_LIST(KAL_DRIFT_ENUM)
#undef KAL_DRIFT_ENUM
} KalDrift;

/// The word of an integrator in models and options; NULL for a number that is none.
KAL_API const char *kal_method_word(KalMethod method);

/// The word of a treatment of drift; NULL for a number that is none.
KAL_API const char *kal_drift_word(KalDrift drift);

#ifdef __cplusplus
}
#endif

#endif

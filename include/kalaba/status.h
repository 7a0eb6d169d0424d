// SPDX-License-Identifier: MIT

/// @file
/// What a call of the library can answer, and the marks that its declarations carry.
///
/// There is one error convention.  A call that can fail returns a KalStatus and is
/// marked KAL_CHECKED, so that the compiler objects when the answer is dropped.
/// Results go through parameters named `out_…`, which a failing call leaves as they
/// were.  The explanation for people is kept by the context (kalaba/context.h).  The
/// library never prints, exits or aborts.
///
/// Nor does it take an argument on trust.  A pointer that is NULL where that is not allowed,
/// a value outside of its enum, an index beyond the end or a call before its time is
/// KAL_ERR_USAGE, or KAL_ERR_SHAPE or KAL_ERR_NUMBER for arrays and numbers; calls that
/// return no status answer 0, false, "" or NULL.  Only what a pointer leads to is taken on
/// trust: objects that are alive, arrays and texts of the length that goes with them.

#ifndef KALABA_STATUS_H
#define KALABA_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KAL_API                 __attribute__((visibility("default")))
#define KAL_CHECKED             __attribute__((warn_unused_result))
#define KAL_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define KAL_API
#define KAL_CHECKED
#define KAL_PRINTF(text, first)
#endif

/// Every status with the phrase that kal_status_text() gives for it.
#define KAL_STATUS_LIST(X)                                                     \
    X(KAL_OK, "done")                                                          \
    X(KAL_ERR_NOMEM, "out of memory")                                          \
    X(KAL_ERR_LIMIT, "too large")                                              \
    X(KAL_ERR_USAGE, "wrong use")                                              \
    X(KAL_ERR_FILE, "cannot read or write")                                    \
    X(KAL_ERR_SYNTAX, "malformed text")                                        \
    X(KAL_ERR_SHAPE, "sizes do not match")                                     \
    X(KAL_ERR_NUMBER, "a number is not usable")                                \
    X(KAL_ERR_MASS, "the mass matrix is not symmetric positive semi-definite") \
    X(KAL_ERR_CONTRADICTION, "the constraints contradict each other")          \
    X(KAL_ERR_NO_ACCELERATION, "a force acts along a massless free direction") \
    X(KAL_ERR_FORMULATION, "the chosen formulation does not apply")            \
    X(KAL_ERR_STEP, "the step size of the integration collapsed")              \
    X(KAL_ERR_NOT_UNIQUE, "the acceleration is not unique")                    \
    X(KAL_ERR_CHATTER, "events follow each other without end")                 \
    X(KAL_ERR_INTERRUPTED, "interrupted")

/// What a call returns; KAL_OK is 0.
typedef enum KalStatus {
#define KAL_STATUS_ENUM(name, phrase) name,
    KAL_STATUS_LIST(KAL_STATUS_ENUM)
#undef KAL_STATUS_ENUM
} KalStatus;

/// The phrase that belongs to a status; never NULL.
KAL_API const char *kal_status_text(KalStatus status);

#ifdef __cplusplus
}
#endif

#endif

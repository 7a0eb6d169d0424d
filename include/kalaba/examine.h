// SPDX-License-Identifier: MIT

/// @file
/// What a model is like: kinds of constraints, freedom, redundancy, uniqueness, what is
/// conserved, and whether its start satisfies its constraints.

#ifndef KALABA_EXAMINE_H
#define KALABA_EXAMINE_H

#include <kalaba/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What an examination found; kal_show_check() writes it.
typedef struct KalCheck KalCheck;

/// Examine a system.  The caller owns the result and keeps the system longer.  A model
/// without a consistent start, or without an acceleration there, is a result, not a failure.
KAL_API KAL_CHECKED KalStatus kal_check_create(KalContext *ctx, const KalSystem *system,
                                               KalCheck **out_check);

/// Free a result.  NULL is allowed.
KAL_API void kal_check_destroy(KalCheck *check);

/// Whether the start satisfies the constraints and there is an acceleration.
KAL_API bool kal_check_is_consistent(const KalCheck *check);

/// Why not; "" if it is consistent.
KAL_API const char *kal_check_reason(const KalCheck *check);

#ifdef __cplusplus
}
#endif

#endif

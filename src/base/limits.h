// SPDX-License-Identifier: MIT

/// @file
/// Smaller limits, for tests of what lies beyond them.
///
/// The usual limits of models (kal_usual_times()) take seconds to reach, and minutes under
/// sanitizers.  What happens there does not depend on how large they are.

#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <kalaba/context.h>

#include <stddef.h>

/// Divide the limits of models in a context, and in those made like it, by a number.
void kal_context_divide_limits(KalContext *ctx, size_t divisor);

#endif

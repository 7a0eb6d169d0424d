// SPDX-License-Identifier: MIT

/// @file
/// Many right-hand sides with the same masses and constraints: contacts ask for the response
/// to a force along each of their rows, theory (21.2).

#ifndef MOTION_AGAIN_H
#define MOTION_AGAIN_H

#include "base/context.h"

#include <kalaba/motion.h>

/// kal_motion_solve() of a problem whose M and A are the arrays of the last solve of this
/// workspace, with the same numbers in them; Q and b may be others.  What was factored serves
/// again, where the last solve vouched for it: then it takes the time of a product with M and
/// one with A.  Other arrays, or C, make it a usual solve.
KAL_CHECKED KalStatus kal_motion_solve_again(KalMotion *motion,
                                             const KalMotionProblem *problem,
                                             KalMotionAnswer *out_answer);

#endif

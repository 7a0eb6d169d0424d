// SPDX-License-Identifier: MIT

/// @file
/// DOP853 in lanes inside: what is done for all lanes at once (dop853_course.c), and lane by
/// lane (dop853_lanes.c).
///
/// Of lanes that coast everything is here, their step control too; their integrators know
/// nothing of the steps before they are told (dop853_lanes.c).  What stands here of other
/// lanes does no harm and means nothing.

#ifndef ODE_DOP853_LANES_IMPL_H
#define ODE_DOP853_LANES_IMPL_H

#include "base/workspace.h"
#include "ode/dop853_impl.h"
#include "ode/dop853_lanes.h"

/// The step control of lanes that coast, as KalDop853 and its KalIntegrator have it.
typedef struct KalPace {
    KalEightBits trying;   ///< lanes in which a step was begun
    KalEightBits wanted;   ///< and those that go on with it now
    KalEightBits coasting; ///< lanes whose steps nobody looks at
    KalEight rtol;
    KalEight t;
    KalEight t_end;
    KalEight direction;
    KalEight h;            ///< size to try next
    KalEight longest;      ///< no step is longer; infinity: any may be
    KalEight old_log;      ///< logarithm of the error of the last step
    KalEightBits rejected; ///< lanes whose attempt before failed
    KalEightBits attempts; ///< at the present step
    KalEightBits stiff;
    KalEightBits calm;
    KalEightBits left;  ///< steps that they may take, at most, before somebody looks
    KalEightBits steps; ///< steps that were taken since lanes began to coast
    KalEightBits projections; ///< ends that were brought to the manifold since then
    KalEightBits rejections;  ///< attempts that failed since then
} KalPace;

/// What is true of lanes in an attempt.
typedef struct KalCourse {
    KalEight h;
    KalEight t;
    KalEight t_new;
    KalEight rtol;
    KalEight error;
    KalEight change;      ///< of KalDop853Edge, where the end was reached
    KalEight distance;    ///< likewise
    KalEightBits tried;   ///< in this attempt
    KalEightBits alone;   ///< lanes for which no attempt was planned with the others
    KalEightBits fixed;   ///< whatever their error
    KalEightBits good;    ///< stages are vouched for, and the end is finite
    KalEightBits ended;   ///< accurate enough to be brought to the manifold
    KalEightBits settled; ///< so vouched for are the return and the rate at the end
    KalEightBits taken;   ///< accurate to the end
    KalEightBits
        collapsed;       ///< no attempt can be planned, or lanes that coast would fail
    KalEightBits smooth; ///< lanes that coast and of which all is known
    KalEightBits others; ///< those that were tried
    KalEightBits quiet; ///< lanes that coast and have taken a step that nobody looks at
    bool any_alone;     ///< of these lanes
    bool any_others;    ///< likewise
    bool any_smooth;    ///< likewise
} KalCourse;

typedef struct KalCourseMath {
    /// Plan attempts of lanes that coast.
    void (*plan)(KalOdeLanes *l, KalCourse *c);
    /// All stages and ends, and which were accurate.
    void (*attempt)(KalOdeLanes *l, KalCourse *c);
    /// Judge attempts of lanes that coast.
    void (*judge)(KalOdeLanes *l, KalCourse *c);
    /// Lanes coast on, with a next step that is no longer than `longest`, if that is not 0.
    void (*go_on)(KalOdeLanes *l, const KalEightBits *on, const KalEight *longest);
} KalCourseMath;

/// Compiled for every processor and for those with wide registers (base/eight.h).
extern const KalCourseMath kal_course_math;
extern const KalCourseMath kal_course_math_wide;   ///< x86-64 only
extern const KalCourseMath kal_course_math_widest; ///< likewise

enum {
    KAL_ATTEMPT_RATES = KAL_DOP853_END + 1 ///< stages that an attempt has
};

struct KalOdeLanes {
    KalPace *pace;
    KalContext *ctx;
    KalLaneSystem system;
    const KalDop853Sums *sums;
    const KalCourseMath *math;
    int ld; ///< numbers of a state in all lanes
    KalDop853 *of[KAL_LANES];
    bool over;     ///< the step of a lane ended in this attempt
    double *times; ///< of the rates
    double *begin; ///< beginnings of steps: time, y, h, end, k[0], one behind the other
    double *y;
    double *h;
    double *y_end;
    double *atol;
    double *at;  ///< time and state of a stage
    double *end; ///< and of the ends
    double *k
        [KAL_ATTEMPT_RATES]; ///< n groups each; what `rate` writes behind them is overwritten
                             ///< by the next, but for the last
    KalWorkspace workspace;
};

#endif

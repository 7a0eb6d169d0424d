// SPDX-License-Identifier: MIT

// Four instants at a time, one in each lane, without branches: a lane that fails a test loses its
// bit in `good` and goes on with numbers that nobody will use, since all lanes take the same
// way through the code.  Comparisons are written so that NaN fails them.

#include "system/lanes_math.h"

#include "motion/trust.h"
#include "system/return_impl.h"

#include <float.h>

#ifndef KAL_LANE_MATH
#define KAL_LANE_MATH kal_lane_math
#endif

// NaN fails all comparisons.
static void pivots(const double *growth, KalEightBits *good)
{
    const KalEight *x = kal_const_eight(growth);
    *good &= (x[0] <= KAL_SAFE_GROWTH) & (x[1] >= KAL_LEAST_GROWTH)
             & (x[2] <= KAL_SAFE_GROWTH) & (x[3] >= KAL_LEAST_GROWTH);
}

static void judge(const KalEliminated *where, const double *results, KalEightBits *good)
{
    *good &= kal_const_eight(results)[where->excess] <= 0.0;
    pivots(results + KAL_LANES * where->most_growth, good);
}

static void rush(const KalLaneRush *rush, const double *restrict at,
                 double *restrict out_rates, KalEightBits *good)
{
    const size_t count = KAL_LANES * rush->n;
    const double *velocities = at + KAL_LANES + count;
    double *results = out_rates + count;
    for (size_t i = 0; i < count; i += KAL_LANES) {
        __asm__("" : "+r"(i)); // or the compiler makes a call of it
        *kal_eight(out_rates + i) = *kal_const_eight(velocities + i);
    }
    kal_program_eval_lanes(rush->program, at, rush->work, results);
    KalEight sum = kal_eight_all(0.0); // NaN where an acceleration is not finite
    for (size_t i = 0; i < rush->n; i++) {
        sum += 0.0 * kal_const_eight(results)[i];
    }
    *good &= kal_const_eight(results)[rush->excess] + sum <= 0.0; // NaN is not
}

// A step that leads to no numbers is lost.
static void step(const KalLaneReturn *step)
{
    const KalEight *x = kal_const_eight(step->results);
    KalEight *state = kal_eight(step->state);
    const KalEight position = x[step->position];
    const KalEight velocity = x[step->velocity];
    KalEightBits on = *step->on;
    const KalEightBits lost = ~(kal_eight_absolute(velocity) <= DBL_MAX);
    *step->good &= ~(on & lost);
    on &= ~lost;
    for (size_t i = 0; i < step->count; i++) {
        state[i] = kal_eight_pick(on, x[i], state[i]);
    }
    *step->on = on & ~((position <= 0.0) & (velocity <= 0.0));
}

static void merge(const KalEightBits *where, size_t count, const double *others,
                  double *groups)
{
    const KalEightBits bits = *where;
    KalEight *to = kal_eight(groups);
    for (size_t i = 0; i < count; i++) {
        to[i] = kal_eight_pick(bits, kal_const_eight(others)[i], to[i]);
    }
}

static void bound(const double *two, KalEightBits *good)
{
    const KalEight *x = kal_const_eight(two);
    *good &= kal_eight_absolute(x[0] + x[1]) <= DBL_MAX;
}

const KalLaneMath KAL_LANE_MATH = {rush, pivots, judge, step, merge, bound};

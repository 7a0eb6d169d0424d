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
static void pivots(const double *growth, KalFourBits *good)
{
    const KalFour *x = kal_const_four(growth);
    *good &= (x[0] <= KAL_SAFE_GROWTH) & (x[1] >= KAL_LEAST_GROWTH)
             & (x[2] <= KAL_SAFE_GROWTH) & (x[3] >= KAL_LEAST_GROWTH);
}

static void judge(const KalEliminated *where, const double *results, KalFourBits *good)
{
    *good &= kal_const_four(results)[where->excess] <= 0.0;
    pivots(results + KAL_LANES * where->most_growth, good);
}

static void rush(const KalLaneRush *rush, const double *restrict at,
                 double *restrict out_rates, KalFourBits *good)
{
    const size_t count = KAL_LANES * rush->n;
    const double *velocities = at + KAL_LANES + count;
    double *results = out_rates + count;
    for (size_t i = 0; i < count; i += KAL_LANES) {
        __asm__("" : "+r"(i)); // or the compiler makes a call of it
        *kal_four(out_rates + i) = *kal_const_four(velocities + i);
    }
    kal_program_eval_lanes(rush->program, at, rush->work, results);
    *good &= kal_const_four(results)[rush->excess] <= 0.0; // NaN is not
}

// A step that has left dust where it led to zero is lost.
static void step(const KalLaneReturn *step)
{
    const KalFour *x = kal_const_four(step->results);
    KalFour *state = kal_four(step->state);
    const KalFour position = x[step->position];
    const KalFour velocity = x[step->velocity];
    KalFourBits on = *step->on;
    KalFourBits lost = ~(kal_four_absolute(velocity) <= DBL_MAX);
    for (size_t i = 0; i < step->count; i++) {
        const KalFour part = KAL_RETURN_DUST * kal_four_absolute(state[i]);
        lost |= (kal_four_absolute(x[i]) <= part) & (x[i] != 0.0);
    }
    *step->good &= ~(on & lost);
    on &= ~lost;
    for (size_t i = 0; i < step->count; i++) {
        state[i] = kal_pick(on, x[i], state[i]);
    }
    *step->on = on & ~((position <= 0.0) & (velocity <= 0.0));
}

static void merge(const KalFourBits *where, size_t count, const double *others,
                  double *groups)
{
    const KalFourBits bits = *where;
    KalFour *to = kal_four(groups);
    for (size_t i = 0; i < count; i++) {
        to[i] = kal_pick(bits, kal_const_four(others)[i], to[i]);
    }
}

static void bound(const double *two, KalFourBits *good)
{
    const KalFour *x = kal_const_four(two);
    *good &= kal_four_absolute(x[0] + x[1]) <= DBL_MAX;
}

const KalLaneMath KAL_LANE_MATH = {rush, pivots, judge, step, merge, bound};

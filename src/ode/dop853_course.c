// SPDX-License-Identifier: MIT

// What attempts of DOP853 do for all lanes at once (dop853_lanes_impl.h).  Plans and verdicts
// of lanes that coast are those of dop853.c, operation by operation.

#include "ode/dop853_lanes_impl.h"
#include "ode/dop853_pace.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifndef KAL_COURSE_MATH
#define KAL_COURSE_MATH kal_course_math
#endif

// Not beyond the end, and not so near to it that a tiny step remains.
static void plan(KalOdeLanes *l, KalCourse *c)
{
    KalPace *p = l->pace;
    const KalEight rest = p->t_end - p->t;
    const KalEight left = kal_eight_absolute(rest);
    const KalEightBits last = left <= p->h;
    const KalEight size = kal_eight_pick(left < 2.0 * p->h, 0.5 * left, p->h);
    const KalEight h = p->direction * size;
    c->t = p->t;
    c->h = kal_eight_pick(last, rest, h);
    c->t_new = kal_eight_pick(last, p->t_end, p->t + h);
    c->rtol = p->rtol;
    c->fixed = (KalEightBits){0};
    c->taken = (KalEightBits){0};
    c->collapsed =
        p->coasting & ((c->t_new == p->t) | (p->attempts >= KAL_DOP853_MOST_ATTEMPTS));
    const KalEightBits wanted = p->trying & p->wanted;
    c->tried = wanted & p->coasting & ~c->collapsed;
    c->alone = wanted & ~c->tried;
    c->any_alone = kal_eight_any(c->alone);
    c->h = kal_eight_pick(wanted, c->h, kal_eight_all(0.0)); // others stand still
    p->attempts += 1;
}

// When stages take place.
static void find_times(const KalOdeLanes *l, const KalCourse *c)
{
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        const double node = kal_dop853_nodes[stage];
        const KalEight within = c->t + node * c->h;
        kal_eight(l->times)[stage - 1] =
            kal_eight_pick(kal_eight_all(node) < 1.0, within, c->t_new);
    }
}

// All stages, theory (12.1); returns where the state of the last is.
static const double *take_stages(KalOdeLanes *l, KalCourse *c)
{
    find_times(l, c);
    *kal_eight(l->begin) = c->t;
    *kal_eight(l->h) = c->h;
    *kal_eight(l->h + KAL_LANES) = c->t_new;
    if (l->system.stages
        && l->system.stages(l->system.user, l->begin, l->k[1], &c->good)) {
        return l->k[KAL_DOP853_END - 1] + l->ld;
    }
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        *kal_eight(l->at) = kal_eight(l->times)[stage - 1];
        l->sums->add(&kal_dop853_rows[stage], l->k, l->ld, l->y, &c->h,
                     l->at + KAL_LANES);
        l->system.rate(l->system.user, stage - 1, l->at, l->k[stage], &c->good);
    }
    return l->at + KAL_LANES;
}

// As kal_dop853_error() finds them, theory (12.5).
static KalEight find_errors(const KalCourse *c, const KalDop853End *end)
{
    const KalEight third = 0.1 * end->most3;
    const KalEight square = end->most5 * end->most5 + third * third;
    const KalEightBits usual = (square > 1e-200) & (square < 1e200);
    const KalEight both = kal_eight_root(square);
    KalEight error = kal_eight_absolute(c->h) * end->most5 * (end->most5 / both);
    error = kal_eight_pick(error <= DBL_MAX, error, kal_eight_all(DBL_MAX));
    if (kal_eight_any(c->tried & c->good & ~usual)) {
        for (int lane = 0; lane < KAL_LANES; lane++) {
            error[lane] =
                kal_dop853_error(c->h[lane], end->most5[lane], end->most3[lane]);
        }
    }
    return error;
}

// The ends, theory (12.2), and their errors.
static void finish(KalOdeLanes *l, KalCourse *c)
{
    KalDop853End end;
    end.y = l->y;
    end.y_end = l->y_end;
    end.atol = l->atol;
    end.rtol = c->rtol;
    end.h = c->h;
    l->sums->finish(l->k, l->ld, &end);
    c->good &= end.finite == 0.0;
    c->error = find_errors(c, &end);
    c->ended = c->tried & c->good & (c->fixed | (c->error <= 1.0));
}

// The ends are brought to the manifold, if there is one, and the rates there are taken.
static void settle(KalOdeLanes *l, KalCourse *c, const double *stage)
{
    double *const y_next = l->end + KAL_LANES;
    KalDop853Settled settled = {.atol = l->atol,
                                .y_end = l->y_end,
                                .y_next = y_next,
                                .stage = stage,
                                .k_before = l->k[KAL_DOP853_END - 1],
                                .rtol = c->rtol,
                                .t = c->t_new};
    kal_eight(l->times)[KAL_DOP853_END - 1] = c->t_new;
    *kal_eight(l->end) = c->t_new;
    for (int i = 0; i < l->ld; i += KAL_LANES) {
        *kal_eight(y_next + i) = *kal_eight(l->y_end + i);
    }
    c->settled = c->ended; // the others need not get there
    if (l->system.project) {
        l->system.project(l->system.user, l->end, &c->settled);
        l->sums->settle(l->ld, &settled);
        c->error = kal_eight_pick(c->ended, kal_eight_larger(c->error, settled.shift),
                                  c->error);
    }
    settled.k_end = l->k[KAL_DOP853_END];
    KalEightBits last = c->settled;
    l->system.rate(l->system.user, KAL_DOP853_END - 1, l->end, l->k[KAL_DOP853_END],
                   &last);
    l->sums->settle(l->ld, &settled);
    c->taken = c->ended & (c->fixed | (c->error <= 1.0));
    c->settled = (c->taken & last) | (~c->taken & c->settled);
    c->change = settled.change;
    c->distance = settled.distance;
}

static void attempt(KalOdeLanes *l, KalCourse *c)
{
    c->good = kal_eight_everywhere();
    const double *last = take_stages(l, c);
    finish(l, c);
    if (kal_eight_any(c->ended)) {
        settle(l, c, last);
    }
}

// Whether steps are held at the edge of stability, theory (12.8).
static void watch_stiffness(KalPace *p, const KalCourse *c, KalEightBits taken)
{
    const KalEightBits edge =
        c->h * c->h * c->change > KAL_DOP853_STABLE * KAL_DOP853_STABLE * c->distance;
    const KalEightBits calm = (p->calm + 1) & ~edge;
    const KalEightBits stiff =
        (p->stiff - edge) & (edge | (calm != KAL_DOP853_CALM_AFTER));
    p->calm = (calm & taken) | (p->calm & ~taken);
    p->stiff = (stiff & taken) | (p->stiff & ~taken);
}

// The rule of step sizes, for half the lanes at a time.
static KalEight scale(KalEight error, KalEightBits rejected, KalEight *log)
{
    const KalEight bits = (KalEight)rejected;
    KalFour low = kal_eight_half(log, 0);
    KalFour high = kal_eight_half(log, 1);
    const KalFour first = kal_dop853_scale(kal_eight_half(&error, 0),
                                           (KalFourBits)kal_eight_half(&bits, 0), &low);
    const KalFour second = kal_dop853_scale(
        kal_eight_half(&error, 1), (KalFourBits)kal_eight_half(&bits, 1), &high);
    *log = kal_eight_join(low, high);
    return kal_eight_join(first, second);
}

static void judge(KalOdeLanes *l, KalCourse *c)
{
    KalPace *p = l->pace;
    const KalEight size = kal_eight_absolute(c->h);
    KalEight log = p->old_log;
    const KalEight next = size * scale(c->error, p->rejected, &log);
    const KalEight least =
        16.0 * DBL_EPSILON * kal_eight_absolute(p->t) + 16.0 * DBL_MIN;
    const KalEightBits vouched = (c->ended & c->settled) | (~c->ended & c->good);
    const KalEightBits known = c->tried & p->coasting & vouched;
    c->collapsed = known & ~c->taken & ~(next > least);
    c->smooth = known & ~c->collapsed;
    const KalEightBits taken = c->smooth & c->taken;
    const KalEightBits refused = c->smooth & ~c->taken;
    // A step cut short by the end says little about the size of the next.
    const KalEightBits cut = (size < p->h) & (next > size);
    const KalEight longer = kal_eight_smaller(
        kal_eight_pick(cut, kal_eight_larger(next, p->h), next), p->longest);
    watch_stiffness(p, c, taken);
    p->h = kal_eight_pick(taken, longer, kal_eight_pick(refused, next, p->h));
    p->t = kal_eight_pick(taken, c->t_new, p->t);
    p->old_log = kal_eight_pick(taken, log, p->old_log);
    p->rejected = (p->rejected | refused) & ~taken;
    p->left += taken;
    p->steps -= taken;
    p->rejections -= refused;
    p->projections -= c->smooth & c->ended;
    c->quiet = taken & (p->left != 0) & (p->t != p->t_end)
               & (p->stiff < KAL_DOP853_STIFF_AFTER);
    c->others = c->tried & ~c->smooth;
    c->any_others = kal_eight_any(c->others);
    c->any_smooth = kal_eight_any(c->smooth);
}

static void go_on(KalOdeLanes *l, const KalEightBits *on, const KalEight *longest)
{
    KalPace *p = l->pace;
    const KalEightBits bits = *on;
    const KalEight most =
        kal_eight_pick(*longest > 0.0, *longest, kal_eight_all(INFINITY));
    for (int i = 0; i < l->ld; i += KAL_LANES) {
        KalEight *const y = kal_eight(l->y + i);
        KalEight *const k = kal_eight(l->k[0] + i);
        *y = kal_eight_pick(bits, *kal_eight(l->end + KAL_LANES + i), *y);
        *k = kal_eight_pick(bits, *kal_eight(l->k[KAL_DOP853_END] + i), *k);
    }
    p->longest = kal_eight_pick(bits, most, p->longest);
    p->h = kal_eight_pick(bits, kal_eight_smaller(p->h, most), p->h);
    p->attempts &= ~bits;
}

const KalCourseMath KAL_COURSE_MATH = {plan, attempt, judge, go_on};

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
    const KalFour rest = p->t_end - p->t;
    const KalFour left = kal_four_absolute(rest);
    const KalFourBits last = left <= p->h;
    const KalFour size = kal_pick(left < 2.0 * p->h, 0.5 * left, p->h);
    const KalFour h = p->direction * size;
    c->t = p->t;
    c->h = kal_pick(last, rest, h);
    c->t_new = kal_pick(last, p->t_end, p->t + h);
    c->rtol = p->rtol;
    c->tried = (KalFourBits){0};
    c->fixed = (KalFourBits){0};
    c->taken = (KalFourBits){0};
    c->collapsed =
        p->coasting & ((c->t_new == p->t) | (p->attempts >= KAL_DOP853_MOST_ATTEMPTS));
    p->attempts += 1;
}

// When stages take place.
static void find_times(const KalOdeLanes *l, const KalCourse *c)
{
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        const double node = kal_dop853_nodes[stage];
        const KalFour within = c->t + node * c->h;
        kal_four(l->times)[stage - 1] = kal_pick(kal_all(node) < 1.0, within, c->t_new);
    }
}

// All stages, theory (12.1); answers where the state of the last is.
static const double *take_stages(KalOdeLanes *l, KalCourse *c)
{
    find_times(l, c);
    *kal_four(l->begin) = c->t;
    *kal_four(l->h) = c->h;
    *kal_four(l->h + KAL_LANES) = c->t_new;
    if (l->system.stages
        && l->system.stages(l->system.user, l->begin, l->k[1], &c->good)) {
        return l->k[KAL_DOP853_END - 1] + l->ld;
    }
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        *kal_four(l->at) = kal_four(l->times)[stage - 1];
        l->sums->add(&kal_dop853_rows[stage], l->k, l->ld, l->y, &c->h,
                     l->at + KAL_LANES);
        l->system.rate(l->system.user, stage - 1, l->at, l->k[stage], &c->good);
    }
    return l->at + KAL_LANES;
}

// As kal_dop853_error() finds them, theory (12.5).
static KalFour find_errors(const KalCourse *c, const KalDop853End *end)
{
    const KalFour third = 0.1 * end->most3;
    const KalFour square = end->most5 * end->most5 + third * third;
    const KalFourBits usual = (square > 1e-200) & (square < 1e200);
    const KalFour both = kal_four_root(square);
    KalFour error = kal_four_absolute(c->h) * end->most5 * (end->most5 / both);
    error = kal_pick(error <= DBL_MAX, error, kal_all(DBL_MAX));
    if (kal_any(c->tried & c->good & ~usual)) {
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
    KalDop853End end = {
        .y = l->y, .y_end = l->y_end, .atol = l->atol, .rtol = c->rtol, .h = c->h};
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
    kal_four(l->times)[KAL_DOP853_END - 1] = c->t_new;
    *kal_four(l->end) = c->t_new;
    for (int i = 0; i < l->ld; i += KAL_LANES) {
        *kal_four(y_next + i) = *kal_four(l->y_end + i);
    }
    c->settled = c->good;
    if (l->system.project) {
        l->system.project(l->system.user, l->end, &c->settled);
        l->sums->settle(l->ld, &settled);
        c->error =
            kal_pick(c->ended, kal_four_larger(c->error, settled.shift), c->error);
    }
    settled.k_end = l->k[KAL_DOP853_END];
    KalFourBits last = c->settled;
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
    c->good = (KalFourBits){-1, -1, -1, -1};
    const double *last = take_stages(l, c);
    finish(l, c);
    if (kal_any(c->ended)) {
        settle(l, c, last);
    }
}

// Whether steps are held at the edge of stability, theory (12.8).
static void watch_stiffness(KalPace *p, const KalCourse *c, KalFourBits taken)
{
    const KalFourBits edge =
        c->h * c->h * c->change > KAL_DOP853_STABLE * KAL_DOP853_STABLE * c->distance;
    const KalFourBits calm = (p->calm + 1) & ~edge;
    const KalFourBits stiff =
        (p->stiff - edge) & (edge | (calm != KAL_DOP853_CALM_AFTER));
    p->calm = (calm & taken) | (p->calm & ~taken);
    p->stiff = (stiff & taken) | (p->stiff & ~taken);
}

static void judge(KalOdeLanes *l, KalCourse *c)
{
    KalPace *p = l->pace;
    const KalFour size = kal_four_absolute(c->h);
    KalFour log = p->old_log;
    const KalFour next = size * kal_dop853_scale(c->error, p->rejected, &log);
    const KalFour least = 16.0 * DBL_EPSILON * kal_four_absolute(p->t) + 16.0 * DBL_MIN;
    const KalFourBits vouched = (c->ended & c->settled) | (~c->ended & c->good);
    const KalFourBits known = c->tried & p->coasting & vouched;
    c->collapsed = known & ~c->taken & ~(next > least);
    c->smooth = known & ~c->collapsed;
    const KalFourBits taken = c->smooth & c->taken;
    const KalFourBits refused = c->smooth & ~c->taken;
    // A step cut short by the end says little about the size of the next.
    const KalFourBits cut = (size < p->h) & (next > size);
    const KalFour longer =
        kal_four_smaller(kal_pick(cut, kal_four_larger(next, p->h), next), p->longest);
    watch_stiffness(p, c, taken);
    p->h = kal_pick(taken, longer, kal_pick(refused, next, p->h));
    p->t = kal_pick(taken, c->t_new, p->t);
    p->old_log = kal_pick(taken, log, p->old_log);
    p->rejected = (p->rejected | refused) & ~taken;
    p->left += taken;
    p->steps -= taken;
    p->rejections -= refused;
    p->projections -= c->smooth & c->ended;
}

static void go_on(KalOdeLanes *l, const KalFourBits *on, const KalFour *longest)
{
    KalPace *p = l->pace;
    const KalFourBits bits = *on;
    const KalFour most = kal_pick(*longest > 0.0, *longest, kal_all(INFINITY));
    for (int i = 0; i < l->ld; i += KAL_LANES) {
        KalFour *const y = kal_four(l->y + i);
        KalFour *const k = kal_four(l->k[0] + i);
        *y = kal_pick(bits, *kal_four(l->end + KAL_LANES + i), *y);
        *k = kal_pick(bits, *kal_four(l->k[KAL_DOP853_END] + i), *k);
    }
    p->longest = kal_pick(bits, most, p->longest);
    p->h = kal_pick(bits, kal_four_smaller(p->h, most), p->h);
    p->attempts &= ~bits;
}

const KalCourseMath KAL_COURSE_MATH = {plan, attempt, judge, go_on};

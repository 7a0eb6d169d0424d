// SPDX-License-Identifier: MIT

// Attempts of DOP853 in lanes (dop853_lanes.h).
//
// The present states and rates of lanes stand side by side, in groups of four.  An attempt
// takes all stages of all lanes, their ends and errors; brings the ends to the manifold; and
// takes the rates there.  Then each lane is judged, alone.  The numbers of a lane that are not
// vouched for, or not finite, are thrown away, and its integrator tries the same attempt
// by itself: this alone decides on failures.
//
// While a lane coasts its state and rates are here alone; its integrator counts, and has the
// sizes of steps.  When it leaves they become the integrator's again.
//
// Invariants: `y` and k[0] of a lane that has begun a step are its integrator's present state
// and rate.  After a step was taken, k and y_end of a lane are those of the step until the
// next attempt of any lane; the integrator knows by `away` that they are here.

#include "ode/dop853_lanes.h"

#include "ode/dop853_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    RATES = KAL_DOP853_END + 1 // stages that an attempt has
};

struct KalOdeLanes {
    KalContext *ctx;
    KalLaneSystem system;
    const KalDop853Sums *sums;
    int ld; // numbers of a state in all lanes
    KalDop853 *of[KAL_LANES];
    bool trying[KAL_LANES];   // a step was begun
    bool coasting[KAL_LANES]; // nobody looks at its steps
    long coasts[KAL_LANES];   // at so many of them, at most
    KalDop853Attempt attempts[KAL_LANES];
    KalDop853Edge edges[KAL_LANES];
    double *times; // of the rates
    double *y;
    double *y_end;
    double *atol;
    double *at;       // time and state of a stage
    double *end;      // and of the ends
    double *k[RATES]; // n_rates groups each
    void *block;
    size_t block_size;
};

// What is true of lanes in an attempt.
typedef struct Course {
    KalFour h;
    KalFour t;
    KalFour t_new;
    KalFour rtol;
    KalFourBits good;      // stages are vouched for, and the end is finite
    KalFourBits settled;   // so are the return and the rate at the end
    bool tried[KAL_LANES]; // in this attempt
    bool ended[KAL_LANES]; // it was accurate enough to be brought to the manifold
} Course;

static void lay_out(KalOdeLanes *l, double *block)
{
    const size_t n = (size_t)l->ld;
    l->y = block;
    l->y_end = l->y + n;
    l->atol = l->y_end + n;
    l->at = l->atol + n;
    l->end = l->at + KAL_LANES + n;
    l->times = l->end + KAL_LANES + n;
    block = l->times + (size_t)KAL_LANES * RATES;
    for (int i = 0; i < RATES; i++) {
        l->k[i] = block;
        block += KAL_LANES * (size_t)l->system.n_rates;
    }
}

KalStatus kal_ode_lanes_create(KalContext *ctx, const KalLaneSystem *system,
                               KalOdeLanes **out_lanes)
{
    enum {
        ALIGNMENT = 64
    };

    assert(system->n_rates >= system->n && system->n > 0);
    KalOdeLanes *l = (KalOdeLanes *)kal_alloc(ctx, 1, sizeof *l);
    if (!l) {
        return kal_no_memory(ctx, "for lanes");
    }
    const size_t groups =
        5 * (size_t)system->n + 2 + RATES * ((size_t)system->n_rates + 1);
    l->ctx = ctx;
    l->system = *system;
    l->sums = kal_dop853_choose_sums();
    l->ld = KAL_LANES * system->n;
    l->block_size = groups * sizeof(KalFour) + ALIGNMENT;
    l->block = kal_alloc(ctx, 1, l->block_size);
    if (!l->block) {
        kal_ode_lanes_destroy(l);
        return kal_no_memory(ctx, "for lanes");
    }
    const size_t off = (uintptr_t)l->block % ALIGNMENT;
    lay_out(l, (double *)(void *)((char *)l->block + (ALIGNMENT - off) % ALIGNMENT));
    *out_lanes = l;
    return KAL_OK;
}

void kal_ode_lanes_destroy(KalOdeLanes *lanes)
{
    if (lanes) {
        kal_free(lanes->ctx, lanes->block, lanes->block ? lanes->block_size : 0);
        kal_free(lanes->ctx, lanes, sizeof *lanes);
    }
}

// Let n numbers be those of a lane.
static void put(double *lanes, int lane, const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        lanes[i * KAL_LANES + lane] = x[i];
    }
}

// Take the n numbers of a lane.
static void take(const double *lanes, int lane, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = lanes[i * KAL_LANES + lane];
    }
}

void kal_ode_lanes_fetch(const KalOdeLanes *lanes, int lane, double *const *k,
                         double *y_end)
{
    for (int i = 0; i < RATES; i++) {
        take(lanes->k[i], lane, k[i], lanes->system.n);
    }
    take(lanes->y_end, lane, y_end, lanes->system.n);
}

// Begin where the last step ended, whose rate there is in the lane already.
static void go_on(KalOdeLanes *l, int lane, KalDop853 *s)
{
    for (int i = lane; i < l->ld; i += KAL_LANES) {
        l->k[0][i] = l->k[KAL_DOP853_END][i];
    }
    s->taken = false;
    s->attempts = 0;
    s->retries = 0;
}

KalStatus kal_ode_lanes_begin(KalOdeLanes *lanes, int lane, KalIntegrator *integrator,
                              long coasts)
{
    KalOdeLanes *l = lanes;
    KalDop853 *s = (KalDop853 *)integrator;
    const int n = l->system.n;
    assert(kal_integrator_name(integrator) == KAL_INTEGRATOR_DOP853);
    assert(integrator->system.n == n && integrator->system.n_integrals == 0);
    assert(!integrator->options.project_stages);
    KAL_TRY(kal_integrator_begin_step(integrator));
    if (s->away == l && s->lane == lane && s->taken) {
        go_on(l, lane, s);
    } else {
        kal_dop853_begin(s);
        put(l->k[0], lane, s->k[0], n);
        put(l->atol, lane, s->atol, n);
        s->away = l;
        s->lane = lane;
    }
    put(l->y, lane, s->y, n);
    l->of[lane] = s;
    l->trying[lane] = true;
    l->coasting[lane] = coasts > 0;
    l->coasts[lane] = coasts;
    return KAL_OK;
}

// All stages, theory (12.1).
static void take_stages(KalOdeLanes *l, Course *c)
{
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        const double node = kal_dop853_nodes[stage];
        KalFour t = c->t_new;
        if (node < 1.0) {
            t = c->t + node * c->h;
        }
        kal_four(l->times)[stage - 1] = t;
        *kal_four(l->at) = t;
        l->sums->add(&kal_dop853_rows[stage], l->k, l->ld, l->y, &c->h,
                     l->at + KAL_LANES);
        l->system.rate(l->system.user, stage - 1, l->at, l->k[stage], &c->good);
    }
}

// The ends, theory (12.2), and their errors; answers whether any is accurate.
static bool finish(KalOdeLanes *l, Course *c)
{
    bool any = false;
    KalDop853End end = {
        .y = l->y, .y_end = l->y_end, .atol = l->atol, .rtol = c->rtol, .h = c->h};
    l->sums->finish(l->k, l->ld, &end);
    c->good &= end.finite == 0.0;
    for (int lane = 0; lane < KAL_LANES; lane++) {
        KalDop853Attempt *attempt = &l->attempts[lane];
        if (c->tried[lane] && c->good[lane] != 0) {
            attempt->error =
                kal_dop853_error(attempt->h, end.most5[lane], end.most3[lane]);
            c->ended[lane] = kal_dop853_is_accurate(l->of[lane], attempt);
            any = any || c->ended[lane];
        }
    }
    return any;
}

// The ends are brought to the manifold, if there is one, and the rates there are taken.
static void settle(KalOdeLanes *l, Course *c)
{
    double *const y_next = l->end + KAL_LANES;
    KalDop853Settled settled = {.atol = l->atol,
                                .y_end = l->y_end,
                                .y_next = y_next,
                                .stage = l->at + KAL_LANES,
                                .k_before = l->k[KAL_DOP853_END - 1],
                                .rtol = c->rtol,
                                .t = c->t_new};
    kal_four(l->times)[KAL_DOP853_END - 1] = c->t_new;
    *kal_four(l->end) = c->t_new;
    memcpy(y_next, l->y_end, (size_t)l->ld * sizeof(double));
    c->settled = c->good;
    if (l->system.project) {
        l->system.project(l->system.user, l->end, &c->settled);
        l->sums->settle(l->ld, &settled);
    }
    settled.k_end = l->k[KAL_DOP853_END];
    KalFourBits last = c->settled;
    l->system.rate(l->system.user, KAL_DOP853_END - 1, l->end, l->k[KAL_DOP853_END],
                   &last);
    l->sums->settle(l->ld, &settled);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        KalDop853Attempt *attempt = &l->attempts[lane];
        if (l->system.project && c->ended[lane]) {
            attempt->error = fmax(attempt->error, settled.shift[lane]);
        }
        if (c->ended[lane] && kal_dop853_is_accurate(l->of[lane], attempt)) {
            c->settled[lane] = last[lane];
        }
        l->edges[lane] = (KalDop853Edge){settled.change[lane], settled.distance[lane]};
    }
}

// Whether the attempt of a lane was accurate to its end.
static bool is_taken(const KalOdeLanes *l, const Course *c, int lane)
{
    return c->ended[lane] && kal_dop853_is_accurate(l->of[lane], &l->attempts[lane]);
}

// What the attempt of a lane took.
static void count(const KalOdeLanes *l, const Course *c, int lane)
{
    KalOdeCounts *counts = &l->of[lane]->base.counts;
    counts->evaluations += KAL_DOP853_END - (is_taken(l, c, lane) ? 0 : 1);
    counts->projections += c->ended[lane] && l->system.project;
}

// Tell the system what the attempt of a lane was.
static void note(const KalOdeLanes *l, const Course *c, int lane)
{
    const bool taken = is_taken(l, c, lane);
    const KalLaneWork work = {.lane = lane,
                              .evaluations = KAL_DOP853_END - (taken ? 0 : 1),
                              .times = l->times,
                              .projected = c->ended[lane] && l->system.project,
                              .taken = taken,
                              .end = l->end,
                              .end_rates = l->k[KAL_DOP853_END]};
    l->system.note(l->system.user, &work);
}

// The lane coasts no more; `y` gets the state at t, where the present step begins.
static void leave(KalOdeLanes *l, int lane, double t, double *y)
{
    take(l->y, lane, y, l->system.n);
    l->coasting[lane] = false;
    l->system.leave(l->system.user, lane, t);
}

// The integrator takes the step by itself, beginning with the attempt that was planned: what
// it learns on the way may forbid lanes.
static KalDop853Verdict step_alone(KalOdeLanes *l, int lane, KalStatus *out_status)
{
    KalDop853 *s = l->of[lane];
    KalDop853Verdict verdict = KAL_DOP853_AGAIN;
    if (l->coasting[lane]) {
        leave(l, lane, s->base.t, s->y);
    }
    take(l->k[0], lane, s->k[0], l->system.n);
    s->away = NULL;
    *out_status = KAL_OK;
    while (verdict == KAL_DOP853_AGAIN) {
        *out_status = kal_dop853_try(s, &l->attempts[lane], &l->edges[lane]);
        verdict = kal_dop853_judge(s, &l->attempts[lane], &l->edges[lane], out_status);
        if (verdict == KAL_DOP853_AGAIN) {
            *out_status = kal_dop853_plan(s, &l->attempts[lane]);
            verdict = *out_status == KAL_OK ? verdict : KAL_DOP853_FAILED;
        }
    }
    return verdict;
}

// The step of a lane is over.
static void end_step(KalOdeLanes *l, int lane, KalStatus status, KalLaneStep *out_step)
{
    l->trying[lane] = false;
    *out_step = (KalLaneStep){.over = true, .status = status};
    if (status == KAL_OK) {
        kal_integrator_end_step(&l->of[lane]->base, &out_step->step);
    }
}

// The lanes that took a step and coast, among all.
typedef struct Coasting {
    KalLaneNotes notes;
    bool any;
} Coasting;

// A lane that coasts has taken a step, of which the integrator has no state yet, or an attempt
// was rejected.
static void coast(KalOdeLanes *l, Coasting *coasting, int lane, bool taken)
{
    KalDop853 *s = l->of[lane];
    coasting->any = true;
    if (taken) {
        KalOdeStep step;
        kal_integrator_end_step(&s->base, &step);
        l->coasts[lane] -= 1;
        coasting->notes.taken[lane] = -1;
    } else {
        coasting->notes.rejected[lane] = -1;
    }
}

// What becomes of the attempt of a lane.
static void judge(KalOdeLanes *l, const Course *c, int lane, Coasting *coasting,
                  KalLaneStep *out_step)
{
    KalDop853 *s = l->of[lane];
    KalStatus status = KAL_OK;
    KalDop853Verdict verdict = KAL_DOP853_AGAIN;
    const bool coasts = l->coasting[lane];
    const bool taken = is_taken(l, c, lane);
    if (c->ended[lane] ? c->settled[lane] == 0 : c->good[lane] == 0) {
        verdict = step_alone(l, lane, &status);
    } else {
        count(l, c, lane);
        if (!coasts) {
            note(l, c, lane);
        }
        if (taken && !coasts) {
            take(l->end + KAL_LANES, lane, s->y_next, l->system.n);
        }
        verdict = kal_dop853_judge(s, &l->attempts[lane], &l->edges[lane], &status);
        if (coasts && verdict == KAL_DOP853_FAILED) {
            leave(l, lane, s->base.t, s->y);
            note(l, c, lane);
        } else if (coasts) {
            coast(l, coasting, lane, taken);
            return;
        }
    }
    if (verdict != KAL_DOP853_AGAIN) {
        end_step(l, lane, status, out_step);
    }
}

// Plan the attempts of all lanes that are wanted; lanes that are not stand still.
static bool plan(KalOdeLanes *l, const bool *wanted, Course *c, KalLaneStep *out_steps)
{
    bool any = false;
    for (int lane = 0; lane < KAL_LANES; lane++) {
        KalDop853 *s = l->of[lane];
        KalDop853Attempt *attempt = &l->attempts[lane];
        out_steps[lane] = (KalLaneStep){.over = false};
        if (!wanted[lane] || !l->trying[lane]) {
            continue;
        }
        const KalStatus status = kal_dop853_plan(s, attempt);
        if (status != KAL_OK) {
            if (l->coasting[lane]) {
                leave(l, lane, s->base.t, s->y);
            }
            end_step(l, lane, status, &out_steps[lane]);
            continue;
        }
        c->tried[lane] = true;
        c->h[lane] = attempt->h;
        c->t[lane] = s->base.t;
        c->t_new[lane] = attempt->t_new;
        c->rtol[lane] = s->base.options.rtol;
        any = true;
    }
    return any;
}

// Where lanes coast on, their next step begins where the last has ended.
static void begin_next(KalOdeLanes *l, KalFourBits on)
{
    for (int i = 0; i < l->ld; i += KAL_LANES) {
        KalFour *const y = kal_four(l->y + i);
        KalFour *const k = kal_four(l->k[0] + i);
        *y = kal_pick(on, kal_four(l->end + KAL_LANES)[i / KAL_LANES], *y);
        *k = kal_pick(on, *kal_four(l->k[KAL_DOP853_END] + i), *k);
    }
}

// A lane coasts on.
static void go_on_alone(KalDop853 *s, double longest)
{
    kal_integrator_set_max_step(&s->base, longest);
    s->base.last = kal_ode_no_step(s->base.t, s->y);
    s->taken = false;
    s->attempts = 0;
    s->retries = 0;
}

// A lane that has taken a step coasts no more: somebody has to look at it.
static void end_coasting(KalOdeLanes *l, const Course *c, int lane,
                         KalLaneStep *out_step)
{
    KalDop853 *s = l->of[lane];
    leave(l, lane, s->base.last.t_old, s->y_old);
    take(l->end + KAL_LANES, lane, s->y, l->system.n);
    note(l, c, lane);
    l->trying[lane] = false;
    *out_step = (KalLaneStep){.over = true, .status = KAL_OK, .step = s->base.last};
}

// Lanes that coast go on, or leave.
static void follow(KalOdeLanes *l, const Course *c, Coasting *coasting,
                   KalLaneStep *out_steps)
{
    KalFour longest = kal_all(0.0);
    KalFourBits on = {0};
    KalLaneNotes *notes = &coasting->notes;
    const KalFourBits taken = notes->taken;
    for (int lane = 0; lane < KAL_LANES; lane++) {
        const KalDop853 *s = l->of[lane];
        if (taken[lane] != 0
            && (l->coasts[lane] == 0 || s->base.last.finished || s->base.last.stiff)) {
            notes->taken[lane] = 0;
        }
    }
    notes->t = c->t;
    notes->t_new = c->t_new;
    notes->times = l->times;
    notes->end = l->end;
    notes->end_rates = l->k[KAL_DOP853_END];
    l->system.coast(l->system.user, notes, &on, &longest);
    for (int lane = 0; lane < KAL_LANES; lane++) {
        if (taken[lane] != 0 && on[lane] != 0) {
            go_on_alone(l->of[lane], longest[lane]);
        } else if (taken[lane] != 0) {
            end_coasting(l, c, lane, &out_steps[lane]);
        }
    }
    begin_next(l, on);
}

// An attempt; answers whether any lane is waited for by somebody.
static bool try_once(KalOdeLanes *l, const bool *wanted, KalLaneStep *out_steps)
{
    Course c = {
        .good = {-1, -1, -1, -1}
    };
    Coasting coasting = {.any = false};
    bool over = !plan(l, wanted, &c, out_steps);
    if (over) {
        return true;
    }
    take_stages(l, &c);
    if (finish(l, &c)) {
        settle(l, &c);
    }
    for (int lane = 0; lane < KAL_LANES; lane++) {
        if (c.tried[lane]) {
            judge(l, &c, lane, &coasting, &out_steps[lane]);
        }
    }
    if (coasting.any) {
        follow(l, &c, &coasting, out_steps);
    }
    for (int lane = 0; lane < KAL_LANES; lane++) {
        over = over || out_steps[lane].over;
    }
    return over;
}

void kal_ode_lanes_try(KalOdeLanes *lanes, const bool *wanted, KalLaneStep *out_steps)
{
    while (!try_once(lanes, wanted, out_steps)) {
    }
}

// SPDX-License-Identifier: MIT

// Accelerations of many states at once.
//
// The first state is solved by itself.  If M is regular and all rows are independent there,
// the fast road (system/road.h) is made for them, and the other states go through it in
// lanes (system/lanes.h), eight at a time.  A state that the road does not vouch for is solved
// by itself, and so are all where there is no road: each answer, and each refusal, is one
// that kal_instant_solve() gives, but for rounding.

#include "base/workspace.h"
#include "system/lanes.h"

#include <assert.h>

enum {
    FEW = 64,   // states, for which it does not pay to make a program
    OFTEN = 64, // the watch of the context is asked once in so many
};

// A pass over all states.
typedef struct Pass {
    KalInstant *instant;
    const KalManyStates *states;
    KalRoadLanes lanes;
    KalWorkspace workspace;
    double *at;    // 1 + 2 n groups: times and states of the lanes
    double *rates; // groups: velocities, then what the road finds
} Pass;

static void put_state(const Pass *p, size_t j, double *out_variables, size_t stride)
{
    const KalManyStates *s = p->states;
    const size_t n = (size_t)p->instant->system->n;
    out_variables[0] = s->t[s->one_time ? 0 : j];
    for (size_t i = 0; i < n; i++) {
        out_variables[(1 + i) * stride] = s->q[i * s->count + j];
        out_variables[(1 + n + i) * stride] = s->qd[i * s->count + j];
    }
}

static void put_inputs(const Pass *p, size_t j)
{
    double *inputs = kal_instant_inputs(p->instant);
    const int count = kal_system_inputs(p->instant->system);
    for (size_t i = 0; p->states->inputs && i < (size_t)count; i++) {
        inputs[i] = p->states->inputs[i * p->states->count + j];
    }
}

// State j by itself.
static KalStatus solve_one(const Pass *p, size_t j, KalMotionAnswer *out_answer)
{
    KalInstant *instant = p->instant;
    const KalManyStates *s = p->states;
    const size_t n = (size_t)instant->system->n;
    assert(instant->system->layout.q == 1);
    put_state(p, j, instant->variables, 1);
    put_inputs(p, j);
    KAL_TRY(kal_instant_solve(instant, out_answer));
    for (size_t i = 0; i < n; i++) {
        s->out_qdd[i * s->count + j] = out_answer->qdd[i];
    }
    return KAL_OK;
}

// The road knows of no inputs.
static bool is_pushed(const Pass *p)
{
    const double *inputs = kal_instant_inputs(p->instant);
    bool pushed = p->states->inputs != NULL;
    for (int i = 0; i < kal_system_inputs(p->instant->system); i++) {
        pushed = pushed || inputs[i] != 0.0;
    }
    return pushed;
}

// Open the fast road for the rows of the last solve, if all of them are independent.
static bool open_road(KalInstant *instant, const KalMotionAnswer *answer, size_t count)
{
    KalRoad *road = &instant->road;
    if (answer->rank_M < instant->system->n || answer->rank_A < instant->n_active
        || instant->large.solver) {
        return false;
    }
    for (int k = 0; k < instant->n_active; k++) {
        instant->ranks.independent[k] = k;
    }
    instant->ranks.n_independent = instant->n_active;
    road->lanes = true;
    kal_road_begin(road, (double)count);
    kal_road_choose(road);
    kal_road_make(road, true);
    instant->ranks.n_independent = 0;
    return kal_road_has_lanes(road, false);
}

static void lay_out(KalCarver *carver, void *owner)
{
    Pass *p = (Pass *)owner;
    const size_t n = (size_t)p->instant->system->n;
    p->at = kal_carve_doubles(carver, 1 + 2 * n, KAL_LANES);
    p->rates = kal_carve_doubles(carver, n + p->lanes.n_results, KAL_LANES);
}

static bool make_room(Pass *p)
{
    return kal_workspace_make(p->instant->ctx, "for lanes", lay_out, p, &p->workspace)
           == KAL_OK;
}

// Lanes pay for a few states only, and need the road that the first answer has opened.
static bool make_lanes(Pass *p, const KalMotionAnswer *answer)
{
    assert(p->instant && answer);
    p->lanes.ctx = p->instant->ctx;
    if (p->states->count < FEW || is_pushed(p)
        || !open_road(p->instant, answer, p->states->count)) {
        return false;
    }
    kal_road_lanes_make(&p->lanes, &p->instant->road, false);
    if (!p->lanes.system || !make_room(p)) {
        return false;
    }
    for (int lane = 0; lane < KAL_LANES; lane++) {
        kal_road_lanes_enter(&p->lanes, lane, &p->instant->road);
    }
    return true;
}

// What the lanes have found for state j; a lane that is not good is solved by itself.
static KalStatus take_lane(const Pass *p, size_t j, size_t lane, bool good)
{
    const KalManyStates *s = p->states;
    KalMotionAnswer answer;
    if (!good) {
        return solve_one(p, j, &answer);
    }
    const size_t n = (size_t)p->instant->system->n;
    for (size_t i = 0; i < n; i++) {
        s->out_qdd[i * s->count + j] = p->rates[(n + i) * KAL_LANES + lane];
    }
    return KAL_OK;
}

// States j, j + 1, … of all lanes.
static KalStatus solve_lanes(const Pass *p, size_t j)
{
    KalEightBits good = kal_eight_everywhere();
    KalStatus status = KAL_OK;
    for (size_t lane = 0; lane < KAL_LANES; lane++) {
        put_state(p, j + lane, p->at + lane, KAL_LANES);
    }
    kal_road_lanes_take(&p->lanes, p->at, p->rates, &good);
    for (size_t lane = 0; lane < KAL_LANES && status == KAL_OK; lane++) {
        status = take_lane(p, j + lane, lane, good[lane] != 0);
    }
    return status;
}

// All states but the first.
static KalStatus solve_rest(Pass *p, const KalMotionAnswer *first)
{
    const size_t count = p->states->count;
    const size_t width = make_lanes(p, first) ? KAL_LANES : 1;
    KalMotionAnswer answer;
    KalStatus status = KAL_OK;
    for (size_t j = 1; j < count && status == KAL_OK;) {
        const size_t step = count - j < width ? 1 : width;
        status = step > 1 ? solve_lanes(p, j) : solve_one(p, j, &answer);
        j += step;
        if (status == KAL_OK && j % OFTEN < step) {
            status = kal_ask(p->instant->ctx);
        }
    }
    return status;
}

KalStatus kal_instant_solve_many(KalInstant *instant, const KalManyStates *states)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && states && states->t && states->q
                                                && states->qd && states->out_qdd);
    Pass pass = {.instant = instant, .states = states};
    KalMotionAnswer first;
    if (states->count == 0) {
        return KAL_OK;
    }
    KAL_TRY(solve_one(&pass, 0, &first));
    const KalStatus status = solve_rest(&pass, &first);
    kal_road_lanes_clear(&pass.lanes);
    kal_workspace_clear(instant->ctx, &pass.workspace);
    return status;
}

// SPDX-License-Identifier: MIT

// Programs of the fast road in lanes (system/lanes.h).
//
// Work memory of lanes is filled lane by lane from that of the roads, whose first tapes have
// run.  The way back takes up to three steps, as that of one instant does; lanes that are there
// stay as they are while others go on.

#include "system/lanes.h"

#include "motion/trust.h"
#include "system/return_impl.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// Weights that rows lend M, pieces of formulas, and control are known to instants alone.
bool kal_road_has_lanes(const KalRoad *road, bool returns)
{
    const KalInstant *instant = road->instant;
    const KalSystem *system = instant->system;
    return kal_road_may_lead(road) && !road->lends && system->n_switches == 0
           && system->model->n_contacts == 0
           && system->layout.qdd == 1 + 2 * (size_t)system->n
           && (!returns || kal_return_may_lead(road));
}

bool kal_road_lanes_fit(const KalRoadLanes *lanes, const KalRoad *road, bool returns)
{
    const size_t m = (size_t)road->instant->system->m;
    return lanes->system == road->instant->system && lanes->returns == returns
           && lanes->stabilize == road->stabilize
           && memcmp(lanes->rows, road->rows, m * sizeof(bool)) == 0
           && memcmp(lanes->active, road->active, m * sizeof(bool)) == 0;
}

void kal_road_lanes_clear(KalRoadLanes *lanes)
{
    if (lanes->system) {
        kal_free(lanes->ctx, lanes->block, lanes->block_size);
        kal_free(lanes->ctx, lanes->flags, 2 * ((size_t)lanes->system->m + 1));
    }
    *lanes = (KalRoadLanes){.ctx = lanes->ctx};
}

// Numbers for both programs.
static bool make_room(KalRoadLanes *lanes, const KalRoad *road)
{
    enum {
        ALIGNMENT = 64
    };

    const KalSystem *system = road->instant->system;
    const size_t work = kal_program_work(road->program);
    const size_t back = lanes->returns ? kal_program_work(road->back.program) : 0;
    const size_t results = lanes->n_returns;
    const size_t groups = work + back + 2 * results;
    lanes->block_size = groups * sizeof(KalFour) + ALIGNMENT;
    lanes->block = kal_alloc(lanes->ctx, 1, lanes->block_size);
    lanes->flags = kal_alloc(lanes->ctx, 2, (size_t)system->m + 1);
    if (!lanes->block || !lanes->flags) {
        return false;
    }
    const size_t off = (uintptr_t)lanes->block % ALIGNMENT;
    lanes->work =
        (double *)(void *)((char *)lanes->block + (ALIGNMENT - off) % ALIGNMENT);
    lanes->back_work = lanes->work + KAL_LANES * work;
    lanes->back = lanes->back_work + KAL_LANES * back;
    lanes->again = lanes->back + KAL_LANES * results;
    lanes->rows = (bool *)lanes->flags;
    lanes->active = lanes->rows + system->m + 1;
    return true;
}

void kal_road_lanes_make(KalRoadLanes *lanes, const KalRoad *road, bool returns)
{
    const KalSystem *system = road->instant->system;
    const size_t m = (size_t)system->m;
    kal_road_lanes_clear(lanes);
    lanes->system = system;
    lanes->returns = returns;
    lanes->stabilize = road->stabilize;
    lanes->n_results = road->at.count;
    lanes->n_returns = returns ? kal_return_count(road) : 0;
    if (!make_room(lanes, road)) {
        kal_road_lanes_clear(lanes);
        return;
    }
    memcpy(lanes->rows, road->rows, m * sizeof(bool));
    memcpy(lanes->active, road->active, m * sizeof(bool));
    for (int lane = 0; lane < KAL_LANES; lane++) { // numbers for those that stand still
        kal_road_lanes_enter(lanes, lane, road);
        lanes->prepared[lane] = false;
    }
}

void kal_road_lanes_enter(KalRoadLanes *lanes, int lane, const KalRoad *road)
{
    lanes->lead = road;
    if (lanes->prepared[lane]) {
        return;
    }
    kal_program_put_lane(road->program, road->work, lane, lanes->work);
    if (lanes->returns) {
        kal_program_put_lane(road->back.program, road->back.work, lane,
                             lanes->back_work);
    }
    lanes->prepared[lane] = true;
}

// Lanes whose results are not sound are not good, as kal_eliminated_is_sound() has it: NaN
// fails all comparisons.
static void judge(const KalRoadLanes *lanes, const double *results, KalFourBits *good)
{
    const KalEliminated *where = &lanes->lead->at;
    const KalFour *x = kal_const_four(results);
    *good &= (x[where->excess] <= 0.0) & (x[where->most_growth] <= KAL_SAFE_GROWTH)
             & (x[where->most_gram] <= KAL_SAFE_GROWTH)
             & (x[where->least_growth] >= 0.5) & (x[where->least_gram] >= 0.5);
}

void kal_road_lanes_take(const KalRoadLanes *lanes, const double *at,
                         double *out_results, KalFourBits *good)
{
    kal_program_eval_lanes(lanes->lead->program, at, lanes->work, out_results);
    judge(lanes, out_results, good);
}

void kal_return_lanes_find(const KalRoadLanes *lanes, double *out_results,
                           KalFourBits *good)
{
    memcpy(out_results, lanes->back + KAL_LANES * kal_return_answer(lanes->lead),
           lanes->n_results * sizeof(KalFour));
    judge(lanes, out_results, good);
}

size_t kal_road_lanes_sine(const KalRoadLanes *lanes)
{
    return lanes->lead->at.sine;
}

static bool is_any(KalFourBits bits)
{
    return (bits[0] | bits[1] | bits[2] | bits[3]) != 0;
}

// Lanes in which a step has left dust where it led to zero.
static KalFourBits find_dust(size_t count, const KalFour *from, const KalFour *to)
{
    KalFourBits dust = {0};
    for (size_t i = 0; i < count; i++) {
        dust |=
            (kal_four_absolute(to[i]) <= KAL_RETURN_DUST * kal_four_absolute(from[i]))
            & (to[i] != 0.0);
    }
    return dust;
}

// One step of the lanes that are on their way; those that are done, or lost, are so no more.
static void step(const KalRoadLanes *lanes, double *at, KalFourBits *on,
                 KalFourBits *good)
{
    const KalSystem *system = lanes->system;
    const size_t n = (size_t)system->n;
    const KalFour *x = kal_const_four(lanes->back);
    KalFour *state = kal_four(at + KAL_LANES);
    const KalFour position =
        x[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LEFT)];
    const KalFour velocity =
        x[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LEFT)];
    const KalFourBits lost =
        ~(kal_four_absolute(velocity) <= DBL_MAX) | find_dust(2 * n, state, x);
    *good &= ~(*on & lost);
    *on &= ~lost;
    for (size_t i = 0; i < 2 * n; i++) {
        state[i] = kal_pick(*on, x[i], state[i]);
    }
    *on &= ~((position <= 0.0) & (velocity <= 0.0));
}

// Results of lanes that went on once more.
static void take_again(const KalRoadLanes *lanes, KalFourBits on)
{
    KalFour *back = kal_four(lanes->back);
    for (size_t i = 0; i < lanes->n_returns; i++) {
        back[i] = kal_pick(on, kal_const_four(lanes->again)[i], back[i]);
    }
}

void kal_return_lanes_take(const KalRoadLanes *lanes, double *at, KalFourBits *good)
{
    const KalProgram *program = lanes->lead->back.program;
    KalFourBits on = *good; // those on their way
    for (int k = 0; k < KAL_RETURN_STEPS && is_any(on); k++) {
        kal_program_eval_lanes(program, at, lanes->back_work,
                               k == 0 ? lanes->back : lanes->again);
        if (k > 0) {
            take_again(lanes, on);
        }
        step(lanes, at, &on, good);
    }
    *good &= ~on;
}

// The numbers of a lane.
static void take_lane(const double *lanes, int lane, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = lanes[i * KAL_LANES + (size_t)lane];
    }
}

void kal_road_lanes_leave(const KalRoadLanes *lanes, int lane, KalRoad *road,
                          const double *at, const double *results)
{
    KalInstant *instant = road->instant;
    assert(instant->system->layout.q == 1 && road->at.count == lanes->n_results);
    take_lane(at, lane, 1 + 2 * (size_t)instant->system->n, instant->variables);
    if (lanes->returns) {
        take_lane(lanes->back, lane, lanes->n_returns, road->back.results);
        kal_return_adopt(road);
    } else {
        take_lane(results, lane, lanes->n_results, road->results);
        road->found = road->results;
    }
    instant->bare = true;
}

void kal_return_lanes_leave(const KalRoadLanes *lanes, int lane, double *out_position,
                            double *out_velocity)
{
    const KalSystem *system = lanes->system;
    const KalFour *x = kal_const_four(lanes->back);
    *out_position =
        x[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LARGEST)][lane];
    *out_velocity =
        x[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LARGEST)][lane];
}

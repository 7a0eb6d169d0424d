// SPDX-License-Identifier: MIT

// Programs of the fast road in lanes (system/lanes.h).
//
// Work memory of lanes is filled lane by lane from that of the roads, whose first tapes have
// run.  The way back takes up to three steps, as that of one instant does; lanes that are there
// stay as they are while others go on.

#include "system/lanes.h"

#include "system/return_impl.h"

#include <assert.h>
#include <string.h>

// Weights that rows lend M, pieces of formulas, and control are known to instants alone.
bool kal_road_has_lanes(const KalRoad *road, bool returns)
{
    const KalInstant *instant = road->instant;
    const KalSystem *system = instant->system;
    return kal_road_may_lead(road) && !road->lends && system->pieces.n_switches == 0
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
        kal_workspace_clear(lanes->ctx, &lanes->workspace);
    }
    *lanes = (KalRoadLanes){.ctx = lanes->ctx};
}

// Lanes and the road that they are made for.
typedef struct Room {
    KalRoadLanes *lanes;
    const KalRoad *road;
} Room;

// Numbers of each program, lane by lane.
static void lay_out(KalCarver *carver, void *owner)
{
    const Room *room = (const Room *)owner;
    KalRoadLanes *lanes = room->lanes;
    const KalRoad *road = room->road;
    const size_t m = (size_t)lanes->system->m;
    const size_t back = lanes->returns ? kal_program_work(road->back.program) : 0;
    const size_t energy = road->energy ? kal_program_work(road->energy) : 0;
    lanes->work = kal_carve_doubles(carver, kal_program_work(road->program), KAL_LANES);
    lanes->back_work = kal_carve_doubles(carver, back, KAL_LANES);
    lanes->back = kal_carve_doubles(carver, lanes->n_returns, KAL_LANES);
    lanes->again = kal_carve_doubles(carver, lanes->n_returns, KAL_LANES);
    lanes->energy = kal_carve_doubles(carver, 2, KAL_LANES);
    lanes->energy_work = kal_carve_doubles(carver, energy, KAL_LANES);
    lanes->brief_work =
        kal_carve_doubles(carver, kal_program_work(road->brief.program), KAL_LANES);
    lanes->rows = kal_carve_bools(carver, m + 1);
    lanes->active = kal_carve_bools(carver, m + 1);
}

// What suits the processor.
static const KalLaneMath *choose_math(void)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        return kal_has_widest() ? &kal_lane_math_widest : &kal_lane_math_wide;
    }
#endif
    return &kal_lane_math;
}

void kal_road_lanes_make(KalRoadLanes *lanes, const KalRoad *road, bool returns)
{
    const KalSystem *system = road->instant->system;
    const size_t m = (size_t)system->m;
    kal_road_lanes_clear(lanes);
    lanes->system = system;
    lanes->returns = returns;
    lanes->stabilize = road->stabilize;
    lanes->math = choose_math();
    lanes->n_results = road->at.count;
    lanes->n_returns = returns ? kal_return_count(road) : 0;
    Room room = {lanes, road};
    if (kal_workspace_make(lanes->ctx, "for lanes", lay_out, &room, &lanes->workspace)
        != KAL_OK) {
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
    assert(0 <= lane && lane < KAL_LANES && road->program);
    lanes->lead = road;
    lanes->rush = (KalLaneRush){.program = road->brief.program,
                                .excess = road->brief.excess,
                                .n = (size_t)lanes->system->n,
                                .work = lanes->brief_work};
    if (lanes->prepared[lane]) {
        return;
    }
    kal_program_put_lane(road->program, road->work, lane, lanes->work);
    kal_program_put_lane(road->brief.program, road->brief.work, lane,
                         lanes->brief_work);
    if (lanes->returns) {
        kal_program_put_lane(road->back.program, road->back.work, lane,
                             lanes->back_work);
    }
    if (road->energy) {
        kal_program_put_lane(road->energy, road->energy_work, lane, lanes->energy_work);
    }
    lanes->prepared[lane] = true;
}

void kal_road_lanes_take(const KalRoadLanes *lanes, const double *at, double *out_rates,
                         KalEightBits *good)
{
    const size_t n = (size_t)lanes->system->n;
    double *results = out_rates + KAL_LANES * n;
    memcpy(out_rates, at + KAL_LANES * (1 + n), n * sizeof(KalEight));
    kal_program_eval_lanes(lanes->lead->program, at, lanes->work, results);
    lanes->math->judge(&lanes->lead->at, results, good);
}

void kal_road_lanes_rush(const KalRoadLanes *lanes, const double *at, double *out_rates,
                         KalEightBits *good)
{
    lanes->math->rush(&lanes->rush, at, out_rates, good);
}

void kal_return_lanes_judge(const KalRoadLanes *lanes, KalEightBits *good)
{
    lanes->math->judge(&lanes->lead->at,
                       lanes->back + KAL_LANES * kal_return_answer(lanes->lead), good);
}

const double *kal_return_lanes_find(const KalRoadLanes *lanes, const double *at,
                                    double *out_rates, KalEightBits *good)
{
    const size_t n = (size_t)lanes->system->n;
    const double *results = lanes->back + KAL_LANES * kal_return_answer(lanes->lead);
    memcpy(out_rates, at + KAL_LANES * (1 + n), n * sizeof(KalEight));
    memcpy(out_rates + KAL_LANES * n, results + KAL_LANES * lanes->lead->at.qdd,
           n * sizeof(KalEight));
    lanes->math->judge(&lanes->lead->at, results, good);
    return results;
}

void kal_road_lanes_energy(const KalRoadLanes *lanes, const double *at,
                           KalEightBits *good)
{
    const KalRoad *road = lanes->lead;
    const double *energy = lanes->energy;
    if (lanes->returns) {
        energy = lanes->back + KAL_LANES * kal_return_energies(road);
    } else {
        assert(road->energy);
        kal_program_eval_lanes(road->energy, at, lanes->energy_work, lanes->energy);
    }
    lanes->math->bound(energy, good);
}

void kal_return_lanes_take(const KalRoadLanes *lanes, double *at, KalEightBits *good)
{
    const KalSystem *system = lanes->system;
    const KalProgram *program = lanes->lead->back.program;
    KalEightBits on = *good; // those on their way
    const KalLaneReturn step = {
        .count = 2 * (size_t)system->n,
        .results = lanes->back,
        .position = kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LEFT),
        .velocity = kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LEFT),
        .state = at + KAL_LANES,
        .on = &on,
        .good = good};
    for (int k = 0; k < KAL_RETURN_STEPS && kal_eight_any(on); k++) {
        kal_program_eval_lanes(program, at, lanes->back_work,
                               k == 0 ? lanes->back : lanes->again);
        if (k > 0) {
            lanes->math->merge(&on, lanes->n_returns, lanes->again, lanes->back);
        }
        lanes->math->step(&step);
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

const double *kal_return_lanes_rows(const KalRoadLanes *lanes)
{
    return lanes->back + KAL_LANES * kal_return_A(lanes->system);
}

void kal_return_lanes_leave(const KalRoadLanes *lanes, int lane, double *out_position,
                            double *out_velocity)
{
    const KalSystem *system = lanes->system;
    const KalEight *x = kal_const_eight(lanes->back);
    *out_position =
        x[kal_return_word(system, KAL_RETURN_POSITION, KAL_WORD_LARGEST)][lane];
    *out_velocity =
        x[kal_return_word(system, KAL_RETURN_VELOCITY, KAL_WORD_LARGEST)][lane];
}

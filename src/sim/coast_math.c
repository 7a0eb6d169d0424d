// SPDX-License-Identifier: MIT

// What kal_run_watch_rank() asks of a step, theory (15.4), asked of lanes.  Numbers that the run
// goes on with, how fast rows turn and how large their entries were, are computed as there,
// operation by operation.  What only decides is bounded instead, with a margin: sines are
// compared in the order of the nodes of DOP853, and where others come in between, of attempts
// that were rejected, with all of them.

#include "ode/dop853_pace.h"
#include "sim/coast.h"
#include "system/dust.h"

#include <math.h>

#ifndef KAL_COAST_WATCH
#define KAL_COAST_WATCH kal_coast_watch
#endif

enum {
    END = KAL_COAST_RATES - 1
};

// Comparisons of numbers that are found in another order leave this much room.
static const double MARGIN = 1.001;

// A loss of rank that is so many steps away bounds no step to come, however it grows.
static const double ROOM_STEPS = KAL_DOP853_MOST_GROWTH / KAL_ROOM;

// Rates of an attempt in the order of time, after the beginning of the step: those of stage
// k + 1, and the end; and the distance of each from the one before, but no less than 0.1.
static const int order[KAL_COAST_RATES] = {0, 1, 2, 5, 3, 6, 4, 8, 7, 9, 10, END};
static const double apart[KAL_COAST_RATES] = {0.1, 0.1,    0.1, 0.1315, 0.1,   0.1,
                                              0.1, 0.2666, 0.1, 0.2058, 0.142, 0.1};
static const double LONGEST = 0.2667; // of these distances
static const double LAST = 0.142;     // from the rate before the last to the end

// The sines of attempts become the past: the last four of each.
static void remember(KalCoastLanes *of, const KalLaneNotes *notes, KalFourBits taken)
{
    const KalFour *times = kal_const_four(notes->times);
    const KalFourBits both = taken | notes->rejected;
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const int last = KAL_COAST_RATES - KAL_COAST_PAST + i;
        const KalFour t = kal_pick(taken, times[last], times[last - 1]);
        const KalFour sine = kal_pick(taken, of->sines[last], of->sines[last - 1]);
        of->past_t[i] = kal_pick(both, t, of->past_t[i]);
        of->past[i] = kal_pick(both, sine, of->past[i]);
    }
    of->mixed = (of->mixed | notes->rejected) & ~taken;
    of->strange &= ~taken;
}

// The sines of a stretch of time in lanes; slopes are those of a step of length 1.
typedef struct Sines {
    KalFour low;
    KalFour steep;
    KalFour slope; // at the end
} Sines;

// Sines of attempts before, among those of the step: whoever stands next to whom, no slope is
// larger than that between any two.
static void mix_past(const KalCoastLanes *of, const KalLaneNotes *notes, Sines *x)
{
    const KalFour *times = kal_const_four(notes->times);
    const KalFour tenth = 0.1 * (notes->t_new - notes->t);
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const KalFour t = of->past_t[i];
        const KalFourBits there = of->mixed & (t >= notes->t) & (t <= notes->t_new);
        KalFour steep = kal_all(0.0);
        for (int k = 0; k < KAL_COAST_RATES; k++) {
            const KalFour dt = kal_four_larger(kal_four_absolute(t - times[k]), tenth);
            steep = kal_four_larger(kal_four_absolute(of->past[i] - of->sines[k]) / dt,
                                    steep);
        }
        for (int k = 0; k < i; k++) {
            const KalFour dt =
                kal_four_larger(kal_four_absolute(t - of->past_t[k]), tenth);
            steep = kal_four_larger(kal_four_absolute(of->past[i] - of->past[k]) / dt,
                                    steep);
        }
        steep = kal_pick(there, steep * (notes->t_new - notes->t), kal_all(0.0));
        x->steep = kal_four_larger(steep, x->steep);
        x->slope = kal_four_larger(steep, x->slope);
        x->low = kal_four_smaller(kal_pick(there, of->past[i], x->low), x->low);
    }
}

// The sines of the step, from the end of the step before on where nothing came in between.
static Sines follow_sines(const KalCoastLanes *of)
{
    const KalFour *sines = of->sines;
    const KalFour begin = of->past[KAL_COAST_PAST - 1];
    const KalFour last = of->past[KAL_COAST_PAST - 2]; // stage, at the same time
    KalFour before = kal_pick(of->mixed, sines[0], begin);
    Sines x = {.low = before, .steep = kal_four_absolute(begin - last) * (1.0 / 0.1)};
    x.steep = kal_pick(of->mixed, kal_all(0.0), x.steep);
    for (int i = 0; i < KAL_COAST_RATES; i++) {
        const KalFour sine = sines[order[i]];
        x.steep = kal_four_larger(kal_four_absolute(sine - before) * (1.0 / apart[i]),
                                  x.steep);
        x.low = kal_four_smaller(sine, x.low);
        before = sine;
    }
    x.slope = kal_four_absolute(sines[END] - sines[order[END - 2]]) * (1.0 / LAST);
    return x;
}

// Lanes in which sines lead nowhere near zero, whatever a run would make of them, and of rows
// that have changed by as much as `most`.
static KalFourBits lead_nowhere(const KalCoastLanes *of, const KalLaneNotes *notes,
                                KalFour most)
{
    Sines x = follow_sines(of);
    if (kal_any(of->mixed & notes->taken)) {
        mix_past(of, notes, &x);
    }
    return (x.low > KAL_LOW_SINE) & (notes->t_new > notes->t)
           & (x.low > MARGIN * 0.5 * KAL_STEEPER * LONGEST * x.steep)
           & (x.low > MARGIN * 0.5 * KAL_ROW_STEEPER * LONGEST * most)
           & (of->sines[END] > MARGIN * KAL_NEAR_STEPS * x.slope)
           & (~of->strange | (of->sines[END] > MARGIN * ROOM_STEPS * x.slope));
}

// How far steps may go towards a loss of rank, as kal_run_room() has it where nothing came in
// between: the slope is that of the last two sines that are far enough from each other.  After
// attempts that were rejected the next step is no longer than this one, which is near: there it
// bounds nothing.
static KalFour find_room(const KalCoastLanes *of, const KalLaneNotes *notes)
{
    const int before = order[END - 2];
    const KalFour sine = of->sines[END];
    const KalFour slope = (sine - of->sines[before])
                          / (notes->t_new - kal_const_four(notes->times)[before]);
    const KalFour distance = 2.0 * sine / (kal_four_root(slope * slope) - slope);
    return kal_pick(slope < 0.0, KAL_ROOM * distance, kal_all(INFINITY));
}

// What lanes find about their rows.
typedef struct Rows {
    const KalFour *entries; // of A, now
    KalFour largest;
    KalFour change; // largest square
    KalFourBits stay;
} Rows;

// Note the entries of a row, without those that rounding left.
static void note_row(const KalCoast *coast, int row, const KalSparse *A, Rows *x)
{
    const int i = coast->active[row];
    KalFour longest = kal_all(0.0);
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        longest = kal_four_larger(kal_four_absolute(x->entries[e]), longest);
    }
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        x->stay &= (kal_four_absolute(x->entries[e]) > KAL_TRACE * longest)
                   | (x->entries[e] == 0.0);
    }
    x->largest =
        kal_four_larger(kal_four_larger(longest, coast->longest[row]), x->largest);
}

// How much is left of a row, and how it has changed, as kal_rows_stay() has them.
static void follow_row(const KalCoast *coast, int row, const KalSparse *A, Rows *x)
{
    const int i = coast->active[row];
    KalFour change = kal_all(0.0);
    KalFour now = kal_all(0.0);
    KalFour old = kal_all(0.0);
    KalFour longest = coast->longest[row];
    KalFourBits left = {0};
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        longest = kal_four_larger(kal_four_absolute(x->entries[e]), longest);
    }
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        const KalFour entry = x->entries[e];
        const KalFour size = kal_four_absolute(entry);
        const KalFour once = kal_four_larger(size, coast->once[e]);
        const KalFour turn = entry - coast->rows[e];
        change += turn * turn;
        now += entry * entry;
        old += coast->rows[e] * coast->rows[e];
        left |= (size > MARGIN * KAL_ROW_SHORT * once)
                & (once > MARGIN * KAL_ENTRY_NOISE * longest);
    }
    const KalFour square = kal_pick(now > old, now, old);
    x->stay &= left & (longest > MARGIN * KAL_ROW_ROUNDING * x->largest);
    x->change = kal_four_larger(kal_pick(square > 0.0, change / square, kal_all(0.0)),
                                x->change);
}

// Lanes take what they have found of their rows.
static void keep_rows(KalCoast *coast, const KalSparse *A, const Rows *x,
                      KalFourBits quiet)
{
    for (int row = 0; row < coast->n_rows; row++) {
        const int i = coast->active[row];
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const KalFour size = kal_four_absolute(x->entries[e]);
            coast->once[e] =
                kal_pick(quiet, kal_four_larger(size, coast->once[e]), coast->once[e]);
            coast->rows[e] = kal_pick(quiet, x->entries[e], coast->rows[e]);
            coast->longest[row] = kal_pick(
                quiet, kal_four_larger(size, coast->longest[row]), coast->longest[row]);
        }
    }
    coast->of->largest = kal_pick(quiet, x->largest, coast->of->largest);
}

// Lanes whose rows stay what they are; they turn by no more than *out_turning.
static Rows look_at_rows(const KalCoast *coast, const KalSparse *A)
{
    const KalRoadLanes *road = coast->road;
    Rows x = {
        .entries = kal_const_four(kal_return_lanes_rows(road)),
        .largest = coast->of->largest,
        .stay = {-1, -1, -1, -1}
    };
    for (int row = 0; row < coast->n_rows; row++) {
        note_row(coast, row, A, &x);
    }
    for (int row = 0; row < coast->n_rows; row++) {
        follow_row(coast, row, A, &x);
    }
    return x;
}

void KAL_COAST_WATCH(KalCoast *coast, const KalLaneNotes *notes, KalFourBits *out_quiet,
                     KalFour *out_longest)
{
    const KalSparse *A = &coast->road->system->equations->A;
    const Rows rows = look_at_rows(coast, A);
    const KalFour h = notes->t_new - notes->t;
    const KalFour most = kal_four_root(rows.change);
    const KalFour turning =
        kal_four_larger(KAL_TURN_PAST * coast->of->turning, most / h);
    const KalFourBits quiet = notes->taken & lead_nowhere(coast->of, notes, most)
                              & rows.stay & (most < KAL_ROW_TURNED);
    const KalFour room = find_room(coast->of, notes);
    const KalFour turn = kal_pick(turning > 0.0, KAL_TURN / turning, kal_all(INFINITY));
    const KalFour longest =
        kal_four_smaller(turn, kal_pick(coast->of->mixed, kal_all(INFINITY), room));
    *out_longest = kal_pick(longest < INFINITY, longest, kal_all(0.0));
    coast->of->turning = kal_pick(quiet, turning, coast->of->turning);
    keep_rows(coast, A, &rows, quiet);
    remember(coast->of, notes, quiet);
    *out_quiet = quiet;
}

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

#ifndef KAL_COAST_LOOK
#define KAL_COAST_LOOK kal_coast_look
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
static void remember(KalCoastLanes *of, const KalLaneNotes *notes, KalEightBits taken)
{
    const KalEight *times = kal_const_eight(notes->times);
    const KalEightBits both = taken | notes->rejected;
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const int last = KAL_COAST_RATES - KAL_COAST_PAST + i;
        const KalEight t = kal_eight_pick(taken, times[last], times[last - 1]);
        const KalEight sine =
            kal_eight_pick(taken, of->sines[last], of->sines[last - 1]);
        of->past_t[i] = kal_eight_pick(both, t, of->past_t[i]);
        of->past[i] = kal_eight_pick(both, sine, of->past[i]);
    }
    of->mixed = (of->mixed | notes->rejected) & ~taken;
    of->strange &= ~taken;
}

// The sines of a stretch of time in lanes; slopes are those of a step of length 1.
typedef struct Sines {
    KalEight low;
    KalEight high;
    KalEight steep;
    KalEight slope; // at the end
} Sines;

// The largest of fractions, over and under a line: divisions take longer than all else.
typedef struct Fraction {
    KalEight over;
    KalEight under; // > 0 where a step is tried
} Fraction;

static Fraction larger_fraction(Fraction x, KalEight over, KalEight under)
{
    const KalEightBits larger = over * x.under > x.over * under;
    return (Fraction){kal_eight_pick(larger, over, x.over),
                      kal_eight_pick(larger, under, x.under)};
}

// The sines of the step, from the end of the step before on where nothing came in between.
static Sines follow_sines(const KalCoastLanes *of)
{
    const KalEight *sines = of->sines;
    const KalEight begin = of->past[KAL_COAST_PAST - 1];
    const KalEight last = of->past[KAL_COAST_PAST - 2]; // stage, at the same time
    KalEight before = kal_eight_pick(of->mixed, sines[0], begin);
    Sines x = {.low = before,
               .high = before,
               .steep = kal_eight_absolute(begin - last) * (1.0 / 0.1)};
    x.steep = kal_eight_pick(of->mixed, kal_eight_all(0.0), x.steep);
    for (int i = 0; i < KAL_COAST_RATES; i++) {
        const KalEight sine = sines[order[i]];
        x.steep = kal_eight_larger(kal_eight_absolute(sine - before) * (1.0 / apart[i]),
                                   x.steep);
        x.low = kal_eight_smaller(sine, x.low);
        x.high = kal_eight_larger(sine, x.high);
        before = sine;
    }
    x.slope = kal_eight_absolute(sines[END] - sines[order[END - 2]]) * (1.0 / LAST);
    return x;
}

// Where a sine of an attempt before is one of the stretch.
static KalEightBits is_there(const KalCoastLanes *of, const KalLaneNotes *notes, int i)
{
    const KalEight t = of->past_t[i];
    return of->mixed & (t >= notes->t) & (t <= notes->t_new);
}

// Sines of attempts before, among those of the step: the slope at the end is that from any of
// them to the last sine, if not from one of the step.
static void join_past(const KalCoastLanes *of, const KalLaneNotes *notes, Sines *x)
{
    const KalEight h = notes->t_new - notes->t;
    const KalEight tenth = 0.1 * h;
    const KalEight end = of->sines[END];
    Fraction slope = {kal_eight_all(0.0), h};
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const KalEight sine = kal_eight_pick(is_there(of, notes, i), of->past[i], end);
        const KalEight dt = kal_eight_larger(notes->t_new - of->past_t[i], tenth);
        slope = larger_fraction(slope, kal_eight_absolute(sine - end), dt);
        x->low = kal_eight_smaller(sine, x->low);
        x->high = kal_eight_larger(sine, x->high);
    }
    x->slope = kal_eight_larger(slope.over / slope.under * h, x->slope);
}

// Whoever stands next to whom, no slope is larger than that between any two.
static void mix_past(const KalCoastLanes *of, const KalLaneNotes *notes, Sines *x)
{
    const KalEight *times = kal_const_eight(notes->times);
    const KalEight h = notes->t_new - notes->t;
    const KalEight tenth = 0.1 * h;
    for (int i = 0; i < KAL_COAST_PAST; i++) {
        const KalEight t = of->past_t[i];
        Fraction slope = {kal_eight_all(0.0), h};
        for (int k = 0; k < KAL_COAST_RATES + i; k++) {
            const bool now = k < KAL_COAST_RATES;
            const KalEight when = now ? times[k] : of->past_t[k - KAL_COAST_RATES];
            const KalEight sine = now ? of->sines[k] : of->past[k - KAL_COAST_RATES];
            const KalEight dt = kal_eight_larger(kal_eight_absolute(t - when), tenth);
            slope = larger_fraction(slope, kal_eight_absolute(of->past[i] - sine), dt);
        }
        const KalEight steep = kal_eight_pick(
            is_there(of, notes, i), slope.over / slope.under * h, kal_eight_all(0.0));
        x->steep = kal_eight_larger(steep, x->steep);
    }
}

// Lanes in which these sines lead nowhere near zero, with slopes of `steep` at most, and of rows
// that have changed by as much as `most`.
static KalEightBits are_far(const KalCoastLanes *of, const Sines *x, KalEight steep,
                            KalEight most)
{
    const KalEight fall =
        MARGIN * kal_eight_larger(KAL_STEEPER * steep, KAL_ROW_STEEPER * most);
    return KAL_LEADS_NOWHERE(x->low, fall, LONGEST, of->sines[END],
                             MARGIN * KAL_NEAR_STEPS * x->slope)
           & (~of->strange | (of->sines[END] > MARGIN * ROOM_STEPS * x->slope));
}

// Those of `taken` in which sines lead nowhere near zero, whatever a run would make of them.
// Where others come in between, no two differ by more than the highest and the lowest, in no
// less than a tenth of the step; which pairs there are is asked only where that is too much.
static KalEightBits lead_nowhere(const KalCoastLanes *of, const KalLaneNotes *notes,
                                 KalEightBits taken, KalEight most)
{
    Sines x = follow_sines(of);
    if (!kal_eight_any(of->mixed & taken)) {
        return taken & are_far(of, &x, x.steep, most);
    }
    join_past(of, notes, &x);
    const KalEight bound =
        kal_eight_pick(of->mixed, (x.high - x.low) * (1.0 / 0.1), x.steep);
    KalEightBits far = are_far(of, &x, bound, most);
    if (kal_eight_any(of->mixed & taken & ~far)) {
        mix_past(of, notes, &x);
        far |= are_far(of, &x, x.steep, most);
    }
    return taken & far;
}

// How far steps may go towards a loss of rank: kal_run_room() where nothing came in between.  The
// slope is that of the last two sines that are far enough from each other.  After attempts that
// were rejected the next step is no longer than this one, which is near: there it bounds nothing.
static KalEight find_room(const KalCoastLanes *of, const KalLaneNotes *notes)
{
    const int before = order[END - 2];
    const KalEight sine = of->sines[END];
    const KalEight slope = (sine - of->sines[before])
                           / (notes->t_new - kal_const_eight(notes->times)[before]);
    const KalEight distance =
        KAL_DISTANCE_TO_ZERO(sine, slope, kal_eight_root(slope * slope));
    return kal_eight_pick(slope < 0.0, KAL_ROOM * distance, kal_eight_all(INFINITY));
}

// What lanes find about their rows.
typedef struct Rows {
    const KalEight *entries; // of A, now
    KalEight largest;
    KalEight change; // largest square
    KalEightBits stay;
} Rows;

// Note the entries of a row, without those that rounding left.
static void note_row(const KalCoast *coast, int row, const KalSparse *A, Rows *x)
{
    const int i = coast->active[row];
    KalEight longest = kal_eight_all(0.0);
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        longest = kal_eight_larger(kal_eight_absolute(x->entries[e]), longest);
    }
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        x->stay &= (kal_eight_absolute(x->entries[e]) > KAL_TRACE * longest)
                   | (x->entries[e] == 0.0);
    }
    x->largest =
        kal_eight_larger(kal_eight_larger(longest, coast->longest[row]), x->largest);
}

// How much is left of a row, and how it has changed, as kal_rows_stay() has them.
static void follow_row(const KalCoast *coast, int row, const KalSparse *A, Rows *x)
{
    const int i = coast->active[row];
    KalEight change = kal_eight_all(0.0);
    KalEight now = kal_eight_all(0.0);
    KalEight old = kal_eight_all(0.0);
    KalEight longest = coast->longest[row];
    KalEightBits left = {0};
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        longest = kal_eight_larger(kal_eight_absolute(x->entries[e]), longest);
    }
    for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
        const KalEight entry = x->entries[e];
        const KalEight size = kal_eight_absolute(entry);
        const KalEight once = kal_eight_larger(size, coast->once[e]);
        const KalEight turn = entry - coast->rows[e];
        change += turn * turn;
        now += entry * entry;
        old += coast->rows[e] * coast->rows[e];
        left |= (size > MARGIN * KAL_ROW_SHORT * once)
                & (once > MARGIN * KAL_ENTRY_NOISE * longest);
    }
    const KalEight square = kal_eight_pick(now > old, now, old);
    x->stay &= left & (longest > MARGIN * KAL_ROW_ROUNDING * x->largest);
    x->change = kal_eight_larger(
        kal_eight_pick(square > 0.0, change / square, kal_eight_all(0.0)), x->change);
}

// Lanes take what they have found of their rows.
static void keep_rows(KalCoast *coast, const KalSparse *A, const Rows *x,
                      KalEightBits quiet)
{
    for (int row = 0; row < coast->n_rows; row++) {
        const int i = coast->active[row];
        for (int64_t e = A->start[i]; e < A->start[i + 1]; e++) {
            const KalEight size = kal_eight_absolute(x->entries[e]);
            coast->once[e] = kal_eight_pick(
                quiet, kal_eight_larger(size, coast->once[e]), coast->once[e]);
            coast->rows[e] = kal_eight_pick(quiet, x->entries[e], coast->rows[e]);
            coast->longest[row] =
                kal_eight_pick(quiet, kal_eight_larger(size, coast->longest[row]),
                               coast->longest[row]);
        }
    }
    coast->of->largest = kal_eight_pick(quiet, x->largest, coast->of->largest);
}

// Lanes whose rows stay what they are; they turn by no more than *out_turning.
static Rows look_at_rows(const KalCoast *coast, const KalSparse *A)
{
    const KalRoadLanes *road = coast->road;
    Rows x = {.entries = kal_const_eight(kal_return_lanes_rows(road)),
              .largest = coast->of->largest,
              .stay = kal_eight_everywhere()};
    for (int row = 0; row < coast->n_rows; row++) {
        note_row(coast, row, A, &x);
    }
    for (int row = 0; row < coast->n_rows; row++) {
        follow_row(coast, row, A, &x);
    }
    return x;
}

// The watch over ranks of nearness.c and rank.c for all lanes at once: how rows change,
// how fast they turn, whether sines lead anywhere, and how long the next step may be.
// What is not quiet is remembered by nobody: the run of that lane looks itself.
static void watch(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *quiet_lanes,
                  KalEight *out_longest)
{
    const KalSparse *A = &coast->road->system->equations->A;
    const Rows rows = look_at_rows(coast, A);
    const KalEight h = notes->t_new - notes->t;
    const KalEight most = kal_eight_root(rows.change);
    const KalEight turning =
        kal_eight_larger(KAL_TURN_PAST * coast->of->turning, most / h);
    const KalEightBits taken = *quiet_lanes & (notes->t_new > notes->t);
    const KalEightBits quiet = lead_nowhere(coast->of, notes, taken, most) & rows.stay
                               & (most < KAL_ROW_TURNED);
    const KalEight room = find_room(coast->of, notes);
    const KalEight turn =
        kal_eight_pick(turning > 0.0, KAL_TURN / turning, kal_eight_all(INFINITY));
    const KalEight longest = kal_eight_smaller(
        turn, kal_eight_pick(coast->of->mixed, kal_eight_all(INFINITY), room));
    *out_longest = kal_eight_pick(longest < INFINITY, longest, kal_eight_all(0.0));
    coast->of->turning = kal_eight_pick(quiet, turning, coast->of->turning);
    keep_rows(coast, A, &rows, quiet);
    remember(coast->of, notes, quiet);
    *quiet_lanes = quiet;
}

// Count attempts, and steps of which runs need not know.
static void count(KalCoast *coast, const KalLaneNotes *notes, KalEightBits quiet)
{
    KalCoastLanes *of = coast->of;
    const KalEightBits due = quiet & (of->alike == 0);
    const KalEightBits alike = quiet & ~due;
    of->evaluations +=
        (quiet & KAL_COAST_RATES) + (notes->rejected & (KAL_COAST_RATES - 1));
    of->steps -= alike;
    of->alike += alike;
    of->due = due;
    coast->any_due = kal_eight_any(due);
}

void KAL_COAST_LOOK(KalCoast *coast, const KalLaneNotes *notes, KalEightBits *quiet,
                    KalEight *out_longest)
{
    *out_longest = kal_eight_all(0.0);
    if (coast->watches) {
        watch(coast, notes, quiet, out_longest);
    }
    count(coast, notes, *quiet);
}

// SPDX-License-Identifier: MIT

// Velocities at the border of pieces, theory (13.7).
//
// At x = 0 the rate of |x| is that of the piece which x' leads to.  Pieces and velocities
// depend on each other, so they are found in turn, until they stay.

#include "system/border.h"

#include "system/switch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 4 // of pieces and velocities
};

// Switching functions smaller than this part of the absolute tolerance are zero.
static const double ZERO = 0.01;
// What differs by less, relative to its size, does not.
static const double SAME = 1e-12;
// How far ahead, in parts of a run, it is seen where the motion goes.
static const double AHEAD = 1e-7;
// How far beside a state, in parts of its numbers, of each another part so that none cancel.
static const double BESIDE = 1e-9;
static const double GOLDEN = 0.6180339887498949;

typedef struct Border {
    KalInstant *instant;
    size_t count;     // switches
    double *modes;    // pieces that velocities lead to; NaN: none, or not at the border
    double *before;   // in the round before
    double *levels;   // at the border; NaN elsewhere
    double *given;    // n: velocities as they were
    double *position; // n
    double *beside;   // sizes of functions beside the state
    double *kept;     // a state
    double *block;    // all of them
    size_t size;
} Border;

static KalStatus init(Border *b, KalInstant *instant)
{
    assert(instant->system->n > 0);
    const size_t n = (size_t)instant->system->n;
    *b = (Border){.instant = instant, .count = instant->system->pieces.n_switches};
    const size_t state = kal_system_state_size(instant->system);
    b->size = 4 * b->count + 2 * n + state;
    b->block = (double *)kal_alloc(instant->ctx, b->size, sizeof *b->block);
    if (!b->block) {
        return kal_no_memory(instant->ctx, "to find a start");
    }
    b->modes = b->block;
    b->before = b->modes + b->count;
    b->levels = b->before + b->count;
    b->given = b->levels + b->count;
    b->position = b->given + n;
    b->beside = b->position + n;
    b->kept = b->beside + b->count;
    memcpy(b->given, kal_instant_qd(instant), n * sizeof(double));
    memcpy(b->position, kal_instant_q(instant), n * sizeof(double));
    return KAL_OK;
}

static void clear(Border *b)
{
    kal_free(b->instant->ctx, b->block, b->size * sizeof *b->block);
}

static double band(const Border *b)
{
    return ZERO * b->instant->settings.asked.atol;
}

// Which functions are zero in the instant's state; true if one is.
static KalStatus find_border(Border *b, bool *out_any)
{
    KalInstant *instant = b->instant;
    assert(b->levels && b->modes);
    *out_any = false;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_SWITCHES));
    for (size_t i = 0; i < b->count; i++) {
        const bool zero = instant->system->pieces.switches[i].bounded
                          && fabs(instant->results[i]) <= band(b);
        b->levels[i] = zero ? instant->results[b->count + i] : (double)NAN;
        b->modes[i] = NAN;
        *out_any = *out_any || zero;
    }
    return KAL_OK;
}

// The switching functions a little later, as the velocities go.
static KalStatus evaluate_ahead(const Border *b)
{
    KalInstant *instant = b->instant;
    const KalAsked *asked = &instant->settings.asked;
    const int n = instant->system->n;
    const double step = AHEAD * (asked->until - asked->from);
    const double t = *kal_instant_t(instant);
    *kal_instant_t(instant) = t + step;
    for (int i = 0; i < n; i++) {
        kal_instant_q(instant)[i] += step * kal_instant_qd(instant)[i];
    }
    instant->modes = NULL;
    const KalStatus status = kal_instant_evaluate(instant, KAL_PROGRAM_SWITCHES);
    *kal_instant_t(instant) = t;
    memcpy(kal_instant_q(instant), b->position, (size_t)n * sizeof(double));
    return status;
}

// The pieces that the velocities lead to; whether they are others than before.  Velocities
// that stay at the border are on the piece that they were found on.
static KalStatus choose_pieces(Border *b, bool *out_changed)
{
    memcpy(b->before, b->modes, b->count * sizeof(double));
    *out_changed = false;
    KAL_TRY(evaluate_ahead(b));
    for (size_t i = 0; i < b->count; i++) {
        const KalSwitchSides sides =
            kal_switch_sides(&b->instant->system->pieces.switches[i], b->levels[i]);
        const double side = sides.slope * b->instant->results[i];
        const bool leaves = !isnan(b->levels[i]) && fabs(side) > band(b);
        const double mode = side > 0.0 ? sides.above : sides.below;
        b->modes[i] = leaves ? mode : b->before[i];
        *out_changed = *out_changed || (leaves && mode != b->before[i]);
    }
    return KAL_OK;
}

static void restore(const Border *b)
{
    memcpy(kal_instant_qd(b->instant), b->given,
           (size_t)b->instant->system->n * sizeof(double));
    b->instant->modes = NULL;
}

// Pieces and velocities in turn; false if they do not come to stay, or there are none.
static bool settle(Border *b, KalFindRates find, const bool *held)
{
    bool changed = false;
    int failed = 0;
    if (choose_pieces(b, &changed) != KAL_OK || !changed) {
        return false;
    }
    for (int k = 0; k < ROUNDS; k++) {
        restore(b);
        b->instant->modes = b->modes;
        const bool found = find(b->instant, held, &failed) == KAL_OK;
        b->instant->modes = NULL;
        if (!found || choose_pieces(b, &changed) != KAL_OK || !changed) {
            return found && !changed;
        }
    }
    return false;
}

// Where no switching function is zero at the start this is `find` alone. Otherwise pieces
// are chosen by the velocities, velocities found on these pieces, and so on; where that
// does not settle the start is that of the pieces as they are.
KalStatus kal_border_find_rates(KalInstant *instant, KalFindRates find,
                                const bool *held, int *out_failed)
{
    assert(find && held && out_failed && !instant->modes);
    Border b;
    bool any = false;
    if (instant->system->pieces.n_switches == 0) {
        return find(instant, held, out_failed);
    }
    KAL_TRY(init(&b, instant));
    any = find_border(&b, &any) == KAL_OK && any;
    if (any) {
        any = settle(&b, find, held);
    }
    if (!any) {
        restore(&b);
    }
    clear(&b);
    return any ? KAL_OK : find(instant, held, out_failed);
}

KalStatus kal_border_choose(KalInstant *instant, double *out_modes)
{
    assert(out_modes);
    Border b;
    bool any = false;
    KAL_TRY(init(&b, instant));
    instant->modes = NULL;
    KalStatus status = find_border(&b, &any);
    if (status == KAL_OK && any) {
        status = choose_pieces(&b, &any);
    }
    memcpy(out_modes, b.modes, status == KAL_OK ? b.count * sizeof(double) : 0);
    clear(&b);
    return status;
}

// M, Q, A and b on a piece of switch i.
static KalStatus evaluate_on(Border *b, size_t i, double mode)
{
    for (size_t k = 0; k < b->count; k++) {
        b->modes[k] = k == i ? mode : (double)NAN;
    }
    b->instant->modes = b->modes;
    const KalStatus status = kal_instant_evaluate(b->instant, KAL_PROGRAM_GIVENS);
    b->instant->modes = NULL;
    return status;
}

// Whether M, Q, A or b are others on the two sides of switch i; `other` has room for them.
// Where they have no value on a side they are.
static bool parts(Border *b, size_t i, double *other)
{
    const KalInstant *instant = b->instant;
    const KalSwitchSides sides =
        kal_switch_sides(&instant->system->pieces.switches[i], b->levels[i]);
    const size_t count = instant->system->n_results[KAL_PROGRAM_GIVENS];
    bool differ = evaluate_on(b, i, sides.below) != KAL_OK;
    memcpy(other, instant->results, count * sizeof *other);
    differ = differ || evaluate_on(b, i, sides.above) != KAL_OK;
    for (size_t k = 0; !differ && k < count; k++) {
        const double size = fabs(other[k]) + fabs(instant->results[k]);
        differ = fabs(other[k] - instant->results[k]) > SAME * size;
    }
    return differ;
}

// Let the instant be a little beside the state that is kept, to one side of it.
static void step_aside(const Border *b, double t, double side)
{
    KalInstant *instant = b->instant;
    double *y = kal_instant_q(instant); // velocities and states follow
    instant->variables[0] = t + side * BESIDE * fmax(1.0, fabs(t));
    for (size_t j = 0; j < kal_system_state_size(instant->system); j++) {
        const double part = 0.5 + fmod(GOLDEN * (double)(j + 1), 1.0);
        y[j] = b->kept[j] + side * BESIDE * part * fmax(1.0, fabs(b->kept[j]));
    }
}

// Leave out the functions that are zero beside the state, too: floor(x) - 3 is so for a while,
// and parts nothing there.
static void leave_out_resting(Border *b)
{
    KalInstant *instant = b->instant;
    double *y = kal_instant_q(instant);
    const double t = instant->variables[0];
    const size_t size = kal_system_state_size(instant->system) * sizeof *y;
    memset(b->beside, 0, b->count * sizeof *b->beside);
    memcpy(b->kept, y, size);
    for (int side = -1; side <= 1; side += 2) {
        step_aside(b, t, side);
        const bool known =
            kal_instant_evaluate(instant, KAL_PROGRAM_SWITCHES) == KAL_OK;
        for (size_t i = 0; i < b->count; i++) {
            const double value = known ? fabs(instant->results[i]) : INFINITY;
            b->beside[i] = fmax(b->beside[i], value);
        }
    }
    memcpy(y, b->kept, size);
    instant->variables[0] = t;
    for (size_t i = 0; i < b->count; i++) {
        b->levels[i] = b->beside[i] > 0.0 ? b->levels[i] : (double)NAN;
    }
}

// The first switch that parts the equations in the instant's state; the number of switches if
// there is none.
static size_t find_kink(Border *b, double *other)
{
    size_t i = 0;
    leave_out_resting(b);
    while (i < b->count && (isnan(b->levels[i]) || !parts(b, i, other))) {
        i++;
    }
    return i;
}

// The kink of a state of a system that has switches.
static KalStatus look(KalInstant *instant, double *other, KalSeam *out_seam)
{
    Border b;
    bool any = false;
    KAL_TRY(init(&b, instant));
    const size_t i =
        find_border(&b, &any) == KAL_OK && any ? find_kink(&b, other) : b.count;
    out_seam->found = i < b.count;
    if (out_seam->found) {
        kal_switch_describe(instant->system, i, out_seam->where, sizeof out_seam->where,
                            out_seam->quote);
    }
    clear(&b);
    return KAL_OK;
}

KalStatus kal_instant_seam(KalInstant *instant, KalSeam *out_seam)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_seam);
    const size_t count = instant->system->n_results[KAL_PROGRAM_GIVENS];
    KalSeam seam = {.found = false};
    if (instant->system->pieces.n_switches > 0) {
        double *other = (double *)kal_alloc(instant->ctx, count, sizeof *other);
        const KalStatus status = other ? look(instant, other, &seam)
                                       : kal_no_memory(instant->ctx, "for a state");
        kal_free(instant->ctx, other, count * sizeof *other);
        KAL_TRY(status);
    }
    *out_seam = seam;
    return KAL_OK;
}

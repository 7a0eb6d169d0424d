// SPDX-License-Identifier: MIT

// Where the motion leads from the border of two pieces: theory (15.13) and (15.34).
//
// A switching function may have any unit and any size, and pieces may be short.  So what counts
// as zero follows from how far states are known, and the motion is followed from the border in
// steps that grow, until the function has clearly left zero: no further, for another border may
// be next.

#include "sim/outlook.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PATTERNS = 3 // of changes of a state, from which bands follow
};

// A state is known to this part of the absolute tolerance, and to so many roundings.
static const double KNOWN = 0.01;
static const double ROUNDINGS = 4.0 * DBL_EPSILON;
// What rounding leaves of a function that is zero, in parts of what meets there.
static const double DUST = 32.0 * DBL_EPSILON;
// How far ahead it is looked, in parts of a run: first; at most; and where nothing moves but by its
// acceleration.
static const double NEXT = 1e-15;
static const double AHEAD = 1e-7;
static const double FAR = 1e-4;
// Each look is so many times as far as the one before.
static const double FARTHER = 8.0;
// A function has left zero that is so many bands away, and so many times what it was.
static const double CLEAR = 4.0;
static const double AWAY = 2.0;

KalStatus kal_outlook_evaluate(KalRun *run)
{
    KalInstant *instant = run->instant;
    const KalProgramId id = KAL_PROGRAM_SWITCHES;
    bool bounded = true;
    for (size_t i = 0; i < run->system->pieces.n_switches; i++) {
        bounded = bounded && run->system->pieces.switches[i].bounded;
    }
    if (!bounded && !kal_run_is_solved(run)) {
        KAL_TRY(kal_run_solve(run));
    }
    return kal_instant_evaluate(instant, id);
}

// Keep the state, and come back to it.
static void keep(KalRun *run)
{
    memcpy(run->modes.kept, kal_instant_q(run->instant),
           kal_system_state_size(run->system) * sizeof(double));
}

static void come_back(KalRun *run, double t)
{
    run->instant->variables[0] = t;
    memcpy(kal_instant_q(run->instant), run->modes.kept,
           kal_system_state_size(run->system) * sizeof(double));
    run->solved = false;
}

// A number between ½ and 1 with either sign, another one for each place and pattern, so that no
// sum or difference of coordinates stays as it is.
static double weight(size_t j, int pattern)
{
    const double golden = 0.61803398874989485;
    const double part = fmod(golden * (double)(j + 1), 1.0);
    const bool minus = pattern > 0 && (j >> (pattern - 1)) % 2 == 1;
    return (0.5 + 0.5 * part) * (minus ? -1.0 : 1.0);
}

// Change the state by what it is known to.
static void blur(KalRun *run, double t, int pattern)
{
    double *y = kal_instant_q(run->instant); // velocities and states follow
    const double *kept = run->modes.kept;
    for (size_t j = 0; j < kal_system_state_size(run->system); j++) {
        y[j] = kept[j]
               + weight(j, pattern)
                     * (KNOWN * run->options.atol + ROUNDINGS * fabs(kept[j]));
    }
    run->instant->variables[0] =
        t + (pattern % 2 == 0 ? 1.0 : -1.0) * ROUNDINGS * fabs(t);
    run->solved = false;
}

// What is no larger than rounding of a function that does not move with the state: one of what
// others have chosen, such as mod(floor(x), 2), may rest at a border.
static double find_dust(const KalRun *run, size_t i)
{
    const KalModeWatch *watch = &run->modes;
    return run->system->pieces.switches[i].steps
               ? DUST * fmax(1.0, fabs(watch->levels[i]))
               : DUST * watch->most[i];
}

// The largest change of each function by what the state is known to, on the present pieces; NaN
// where it has no value.
static void find_changes(KalRun *run, double *out)
{
    const size_t count = run->system->pieces.n_switches;
    const double t = run->instant->variables[0];
    keep(run);
    for (int k = 0; k <= PATTERNS; k++) {
        if (k > 0) {
            blur(run, t, k - 1);
        }
        const bool known = kal_outlook_evaluate(run) == KAL_OK;
        const double *values = run->instant->results;
        for (size_t i = 0; i < count; i++) {
            const double change = known ? fabs(values[i] - run->modes.here[i]) : NAN;
            if (k == 0) {
                run->modes.here[i] = known ? values[i] : NAN;
                out[i] = 0.0;
            } else if (!(change <= out[i])) {
                out[i] = change;
            }
        }
    }
    come_back(run, t);
}

// Where a function has no value beside the state its band is that of a coordinate.
void kal_outlook_find_bands(KalRun *run)
{
    KalModeWatch *watch = &run->modes;
    find_changes(run, watch->bands);
    for (size_t i = 0; i < run->system->pieces.n_switches; i++) {
        const double change = watch->bands[i];
        const bool moves = change > 0.0 && !run->system->pieces.switches[i].steps;
        watch->most[i] = fmax(watch->most[i], fabs(watch->values[i]));
        watch->bands[i] = !isfinite(change) ? KNOWN * run->options.atol
                          : moves           ? change
                                            : fmax(change, find_dust(run, i));
    }
}

double kal_outlook_clear(const KalRun *run, size_t i)
{
    assert(i < run->system->pieces.n_switches);
    return AWAY * fabs(run->modes.values[i]) + CLEAR * run->modes.bands[i];
}

// The rates of all numbers of the state with the present modes; false where there are none.
static bool find_rates(KalRun *run)
{
    KalInstant *instant = run->instant;
    double *rates = run->modes.rates;
    const size_t n = (size_t)run->system->n;
    run->solved = false;
    if (kal_run_solve(run) != KAL_OK
        || kal_instant_rates(instant, rates + 2 * n) != KAL_OK) {
        return false;
    }
    memcpy(rates, kal_instant_qd(instant), n * sizeof *rates);
    memcpy(rates + n, run->answer.qdd, n * sizeof *rates);
    return true;
}

// Function i a step later, as rates go; NaN where it has no value.  Theory (15.13).
static double look_ahead(KalRun *run, size_t i, double t, double step)
{
    assert(i < run->system->pieces.n_switches);
    const size_t n = (size_t)run->system->n;
    const double *rates = run->modes.rates;
    double *y = kal_instant_q(run->instant);
    memcpy(y, run->modes.kept, kal_system_state_size(run->system) * sizeof *y);
    for (size_t j = 0; j < kal_system_state_size(run->system); j++) {
        y[j] += step * (rates[j] + (j < n ? 0.5 * step * rates[n + j] : 0.0));
    }
    run->instant->variables[0] = t + step;
    run->solved = false;
    return kal_outlook_evaluate(run) == KAL_OK ? run->instant->results[i] : NAN;
}

// The side that function i comes to from its value in the instant, on the piece `mode`: 1, −1 or
// 0 where it stays at zero.  One that is away from zero, set so by an event, is on its side.
static int lead(KalRun *run, size_t i, double mode)
{
    const double span = run->options.until - run->options.from;
    const double t = run->instant->variables[0];
    const double off = fabs(run->modes.values[i]);
    const double clear = kal_outlook_clear(run, i);
    const double far = off > CLEAR * run->modes.bands[i] ? AHEAD : FAR;
    const double least = 64.0 * (nextafter(fabs(t), INFINITY) - fabs(t));
    double value = 0.0;
    run->modes.modes[i] = mode;
    keep(run);
    double step = fmax(least, NEXT * span);
    bool more = find_rates(run);
    while (more) {
        value = look_ahead(run, i, t, fmin(step, far * span));
        more = !(fabs(value) > clear) && step < far * span;
        step *= FARTHER;
    }
    come_back(run, t);
    const double last = fabs(value) > CLEAR * run->modes.bands[i] ? value : 0.0;
    return (last > 0.0) - (last < 0.0);
}

KalOutlook kal_outlook_find(KalRun *run, size_t i, KalSwitchSides sides)
{
    assert(i < run->system->pieces.n_switches);
    const int slope = sides.slope > 0.0 ? 1 : -1;
    const KalOutlook to = {.above = slope * lead(run, i, sides.above),
                           .below = slope * lead(run, i, sides.below)};
    run->modes.modes[i] = NAN;
    return to;
}

bool kal_outlook_rests(KalRun *run, size_t i)
{
    return lead(run, i, NAN) == 0;
}

// A function of time at t; NaN where it has no value.
static double value_at(KalRun *run, size_t i, double t)
{
    assert(i < run->system->pieces.n_switches);
    KalInstant *instant = run->instant;
    const double now = instant->variables[0];
    instant->variables[0] = t;
    const bool known = kal_instant_evaluate(instant, KAL_PROGRAM_SWITCHES) == KAL_OK;
    instant->variables[0] = now;
    return known ? instant->results[i] : NAN;
}

// Rounding does not keep its sign from one place to the next.
void kal_outlook_decide_timed(KalRun *run, size_t i, KalSwitchSides sides)
{
    assert(i < run->system->pieces.n_switches);
    const double band = run->modes.bands[i];
    const double t = run->instant->variables[0];
    const double far = AHEAD * (run->options.until - run->options.from);
    const double least = 64.0 * (nextafter(fabs(t), INFINITY) - fabs(t));
    double step = fmax(least, far * DBL_EPSILON);
    bool found = false;
    while (!found && step <= far) {
        const double near = value_at(run, i, t + step);
        const double next = value_at(run, i, t + 1.5 * step);
        found = fabs(near) > band && fabs(next) > band && near * next > 0.0;
        if (found) {
            run->modes.modes[i] = sides.slope * near > 0.0 ? sides.above : sides.below;
        }
        step *= 2.0;
    }
}

// SPDX-License-Identifier: MIT

// Narrow pulses and poles that the motion meets: theory (15.32).
//
// A pulse between the stages of a step leaves no trace in it, and its place is known only when
// the step is.  So steps are looked at when they were taken: where a function of system/pulse.h
// is zero, or least, within a step, the rate of its interpolation is compared with that of the
// equations.  If they differ by more than errors do, the step is taken back, and the next one
// ends there at the latest, as one in time does at the peak of a pulse: its last stage is on the
// pulse, and the error is seen.
//
// Invariant: `values` are of the state at `t`, from which the next step begins; NaN: of none.

#include "sim/bracket.h"
#include "sim/run_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_TRIES = 100, // of a search for a zero
    LOOKS = 8         // at functions that wind, in a step
};

// Rates may differ by this many times what steps may be off by in a step's length.
static const double ALLOWED = 1e4;
// In parts of a step: how closely zeros are found; nearer to its ends stages are near enough;
// half of the length that the rate of the interpolation is found by; and how far from a pole
// rates are compared, for the pole may be no more than one of the formula.
static const double FINE = 1e-12;
static const double MARGIN = 1e-6;
static const double SHORT = 1e-5;
#define BESIDE 1e-4

// A dip that leaves more than this part of what is beside it is as wide as what lies between.
static const double SHALLOW = 0.5;

// A velocity between the ends of a step is off from its parabola by less than these parts of how
// far that bends and of speeds, theory (15.36).
static const double OF_BEND = 0.25;
static const double OF_SPEED = 1.0 / 16.0;
// Ranges are found for this many steps that may follow, too, if that has served.
static const double AHEAD = 2.0;

// The part of the golden section, by which numbers are spread.
static const double GOLDEN = 0.6180339887498949;

// In parts of the time: steps are longer than this.
static const double ROUNDING = 1e4 * DBL_EPSILON;

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = (KalRun *)owner;
    KalPulseWatch *watch = &run->pulses;
    const size_t n = run->system->pieces.n_pulses;
    const size_t size = kal_system_state_size(run->system);
    watch->values = kal_carve_doubles(carver, n, 2);
    watch->ahead = kal_carve_doubles(carver, n, 2);
    watch->blurred = kal_carve_doubles(carver, n, 1);
    watch->rates = kal_carve_doubles(carver, size, 1);
    watch->found = kal_carve_doubles(carver, (size_t)run->system->n_states, 1);
    watch->early = kal_carve_doubles(carver, n, 2);
    watch->late = kal_carve_doubles(carver, n, 2);
    watch->watched = kal_carve(carver, n, sizeof *watch->watched);
    watch->begin = kal_carve_doubles(carver, (size_t)run->system->n, 2);
    watch->box = kal_carve(carver, run->system->layout.count, sizeof(KalRange));
    watch->known = kal_carve(carver, run->system->layout.count, sizeof(KalRange));
    watch->ranges = kal_carve(carver, 2 * n, sizeof(KalRange));
    watch->work =
        kal_carve(carver, kal_program_work(run->system->programs[KAL_PROGRAM_PULSES]),
                  sizeof(KalRange));
}

KalStatus kal_run_pulses_init(KalRun *run)
{
    KalPulseWatch *watch = &run->pulses;
    watch->t = NAN;
    if (run->system->pieces.n_pulses == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_workspace_make(run->ctx, "for a run", lay_out, run, &watch->workspace));
    for (size_t i = 0; i < run->system->layout.count; i++) {
        watch->known[i] = (KalRange){-INFINITY, INFINITY};
    }
    return KAL_OK;
}

void kal_run_pulses_clear(KalRun *run)
{
    kal_workspace_clear(run->ctx, &run->pulses.workspace);
}

// Let the instant have the state at a time of the last step.
static KalStatus go_to(KalRun *run, double t)
{
    KAL_TRY(kal_run_interpolate(run, t, run->state));
    if (!kal_run_is_at(run, t, run->state)) {
        kal_run_put(run, t, run->state);
    }
    return KAL_OK;
}

// All functions and slopes at a time of the last step; what has no value is not finite.
static KalStatus evaluate(KalRun *run, double t)
{
    KAL_TRY(go_to(run, t));
    (void)kal_instant_try(run->instant, KAL_PROGRAM_PULSES);
    return KAL_OK;
}

// The zero of result i from a to b, at which it has different signs.
static KalStatus find_zero(KalRun *run, size_t i, KalBracket x, double *out_t)
{
    const double fine = FINE * (run->step.t_new - run->step.t_old);
    const double sign = x.at_a > 0.0 ? 1.0 : -1.0;
    double last = x.a;
    double t = x.b;
    x.at_a *= sign;
    x.at_b *= sign;
    for (int k = 0; k < MOST_TRIES && fabs(t - last) > fine; k++) {
        const double next = kal_bracket_guess(&x);
        if (!(next > x.a && next < x.b)) {
            break;
        }
        last = t;
        t = next;
        KAL_TRY(evaluate(run, t));
        kal_bracket_narrow(&x, t, sign * run->instant->results[i]);
    }
    *out_t = t;
    return KAL_OK;
}

// All functions beside the end of the last step, as far as errors of the state reach; of every
// number another part of its error, so that none cancel.  The instant stays as it is.
static KalStatus blur(KalRun *run)
{
    double *y = kal_instant_q(run->instant); // velocities and states follow
    const size_t size = kal_system_state_size(run->system);
    double part = 0.5;
    KAL_TRY(go_to(run, run->step.t_new));
    for (size_t j = 0; j < size; j++) {
        const double error =
            run->options.atol + run->options.rtol * fabs(run->state[j]);
        part = fmod(part + GOLDEN, 1.0);
        y[j] += (j % 2 == 0 ? 1.0 + part : -1.0 - part) * error;
    }
    (void)kal_instant_try(run->instant, KAL_PROGRAM_PULSES);
    memcpy(run->pulses.blurred, run->instant->results,
           run->system->pieces.n_pulses * sizeof(double));
    memcpy(y, run->state, size * sizeof *y);
    run->pulses.is_blurred = true;
    return KAL_OK;
}

// Whether function i, by its values and slopes at both ends of the last step, moves by less in it
// than errors of the state: what signs it has is rounding then.
static KalStatus rests(KalRun *run, size_t i, bool *out_rests)
{
    const KalPulseWatch *watch = &run->pulses;
    const size_t slope = run->system->pieces.n_pulses + i;
    const double h = run->step.t_new - run->step.t_old;
    const double fastest = fmax(fabs(watch->values[slope]), fabs(watch->ahead[slope]));
    const double moved = fmax(fabs(watch->ahead[i] - watch->values[i]), h * fastest);
    KAL_TRY(watch->is_blurred ? KAL_OK : blur(run));
    *out_rests = moved <= fabs(watch->blurred[i] - watch->ahead[i]);
    return KAL_OK;
}

// When function i is zero within the last step or, between turning points, least; NaN: it is
// neither.
static KalStatus find_extreme(KalRun *run, size_t i, double *out_t)
{
    const KalPulseWatch *watch = &run->pulses;
    const size_t n = run->system->pieces.n_pulses;
    const bool pole = i >= n - run->system->pieces.n_poles;
    const double before = watch->values[i];
    const double ahead = watch->ahead[i];
    KalBracket x = {run->step.t_old, run->step.t_new, before, ahead, 0};
    const bool crosses = before * ahead < 0.0;
    const bool turns = !crosses && !pole && before * watch->values[n + i] < 0.0
                       && ahead * watch->ahead[n + i] > 0.0;
    bool at_rest = false;
    *out_t = NAN;
    KAL_TRY(crosses || turns ? rests(run, i, &at_rest) : KAL_OK);
    if (at_rest || !(crosses || turns)) {
        return KAL_OK;
    }
    if (crosses) {
        return find_zero(run, i, x, out_t);
    }
    x.at_a = watch->values[n + i];
    x.at_b = watch->ahead[n + i];
    KAL_TRY(find_zero(run, n + i, x, out_t));
    KAL_TRY(evaluate(run, *out_t));
    x = (KalBracket){run->step.t_old, *out_t, before, run->instant->results[i], 0};
    return x.at_a * x.at_b < 0.0 ? find_zero(run, i, x, out_t) : KAL_OK;
}

// Rates of the interpolated motion at t, of velocities and of states.
static KalStatus find_rates(KalRun *run, double t)
{
    const KalOdeStep *step = &run->step;
    const size_t n = (size_t)run->system->n;
    const size_t size = kal_system_state_size(run->system);
    const double room = fmin(t - step->t_old, step->t_new - t);
    const double d = fmin(SHORT * (step->t_new - step->t_old), room);
    double *rates = run->pulses.rates;
    KAL_TRY(kal_run_interpolate(run, t - d, run->state));
    memcpy(rates, run->state, size * sizeof *rates);
    KAL_TRY(kal_run_interpolate(run, t + d, run->state));
    for (size_t j = n; j < size; j++) {
        rates[j] = (run->state[j] - rates[j]) / (2.0 * d);
    }
    return KAL_OK;
}

// Whether the rates of the motion at t and those of the equations there differ by more than
// errors do.  Where the equations have none nothing is known.
static KalStatus differs(KalRun *run, double t, bool *out_differs)
{
    const KalPulseWatch *watch = &run->pulses;
    const size_t n = (size_t)run->system->n;
    const size_t size = kal_system_state_size(run->system);
    const double h = run->step.t_new - run->step.t_old;
    KAL_TRY(find_rates(run, t));
    run->rank.blind = true; // inside of a step nothing decides
    KalStatus status = kal_run_look(run, t);
    run->rank.blind = false;
    if (status == KAL_OK && size > 2 * n) {
        status = kal_instant_rates(run->instant, watch->found);
    }
    *out_differs = false;
    for (size_t j = n; j < size && status == KAL_OK; j++) {
        const double rate =
            j < 2 * n ? run->answer.qdd[j - n] : watch->found[j - 2 * n];
        const double error =
            run->options.atol + run->options.rtol * fabs(run->state[j]);
        *out_differs =
            *out_differs || fabs(rate - watch->rates[j]) * h > ALLOWED * error;
    }
    return status == KAL_ERR_NOMEM ? status : KAL_OK;
}

// The place, at t or beside it, that the last step has passed over; infinite: none.  A force that
// is odd about its middle is zero there, and its width is not known.
static KalStatus find_place(KalRun *run, double t, bool pole, double *out_place)
{
    static const double at[] = {0.0, -1e-9, -1e-7, -1e-5, -1e-3};
    static const double beside[] = {-BESIDE, BESIDE};
    const KalOdeStep *step = &run->step;
    const double h = step->t_new - step->t_old;
    const double rounding = ROUNDING * fmax(fabs(step->t_old), fabs(step->t_new));
    const double first = step->t_old + fmax(MARGIN * h, rounding);
    const double last = step->t_new - MARGIN * h;
    const double *places = pole ? beside : at;
    const int count = pole ? 2 : 5;
    *out_place = INFINITY;
    for (int k = 0; t > first && t < last && k < count && isinf(*out_place); k++) {
        const double place = fmin(fmax(t + places[k] * h, first), last);
        bool missed = false;
        KAL_TRY(differs(run, place, &missed));
        *out_place = missed ? place : INFINITY;
    }
    return KAL_OK;
}

static KalRange enclose(const double *numbers, size_t count, double margin)
{
    double low = numbers[0];
    double high = numbers[0];
    for (size_t k = 1; k < count; k++) {
        low = numbers[k] < low ? numbers[k] : low;
        high = numbers[k] > high ? numbers[k] : high;
    }
    return (KalRange){low - margin, high + margin};
}

// Where a coordinate and its velocity are in the last step, by what they are at its ends.
static void bound_coordinate(KalRun *run, size_t j)
{
    const KalPulseWatch *watch = &run->pulses;
    const KalLayout *layout = &run->system->layout;
    const size_t n = (size_t)run->system->n;
    const double h = run->step.t_new - run->step.t_old;
    const double q[] = {watch->begin[j], run->state[j]};
    const double v[] = {watch->begin[n + j], run->state[n + j]};
    const double bulge = 3.0 * (q[1] - q[0]) / h - v[0] - v[1];
    const double bend = fabs(v[1] - v[0]) + fabs(bulge - 0.5 * (v[0] + v[1]));
    const double fastest = fabs(v[0]) + fabs(v[1]) + fabs(bulge);
    const double farthest = fabs(q[0]) + fabs(q[1]);
    const double margin = OF_BEND * bend + OF_SPEED * fastest;
    const double atol = run->options.atol;
    const double rtol = run->options.rtol;
    const double path[] = {q[0], q[0] + h * v[0] / 3.0, q[1] - h * v[1] / 3.0, q[1]};
    const double speeds[] = {v[0], bulge, v[1]};
    watch->box[layout->q + j] =
        enclose(path, 4, 0.5 * h * margin + atol + rtol * farthest);
    watch->box[layout->qd + j] = enclose(speeds, 3, margin + atol + rtol * fastest);
}

// Where time, positions and velocities are in the last step.  No more is asked of its integrator
// than both ends.
static KalStatus bound_step(KalRun *run)
{
    const KalPulseWatch *watch = &run->pulses;
    const size_t n = (size_t)run->system->n;
    KAL_TRY(kal_run_interpolate(run, run->step.t_old, run->state));
    memcpy(watch->begin, run->state, 2 * n * sizeof(double));
    KAL_TRY(kal_run_interpolate(run, run->step.t_new, run->state));
    watch->box[0] = (KalRange){run->step.t_old, run->step.t_new};
    for (size_t j = 0; j < n; j++) {
        bound_coordinate(run, j);
    }
    return KAL_OK;
}

// A range and, to the side where it leads, some of its widths.
static KalRange extend(KalRange range, bool up, double widths)
{
    const double more = widths * (range.high - range.low);
    return up ? (KalRange){range.low, range.high + more}
              : (KalRange){range.low - more, range.high};
}

// Find ranges of functions and slopes for the last step and so many that may follow.
static void know_ranges(KalRun *run, double steps)
{
    const KalSystem *system = run->system;
    const KalPulseWatch *watch = &run->pulses;
    const KalLayout *layout = &system->layout;
    const size_t n = (size_t)system->n;
    watch->known[0] = extend(watch->box[0], true, steps);
    for (size_t j = 0; j < n; j++) {
        const size_t q = layout->q + j;
        const size_t v = layout->qd + j;
        const double now = run->state[n + j];
        watch->known[q] = extend(watch->box[q], now > 0.0, steps);
        watch->known[v] = extend(watch->box[v], now > watch->begin[n + j], steps);
    }
    kal_program_bound(system->programs[KAL_PROGRAM_PULSES], watch->known,
                      run->instant->work[KAL_PROGRAM_PULSES], watch->work,
                      watch->ranges);
}

static bool lies_in(KalRange part, KalRange whole)
{
    return part.low >= whole.low && part.high <= whole.high;
}

// Whether the ranges that are known hold for the last step.
static bool knows_ranges(const KalRun *run)
{
    const KalPulseWatch *watch = &run->pulses;
    const KalLayout *layout = &run->system->layout;
    bool knows = lies_in(watch->box[0], watch->known[0]);
    for (size_t i = layout->q; i < layout->qd + (size_t)run->system->n && knows; i++) {
        knows = lies_in(watch->box[i], watch->known[i]);
    }
    return knows;
}

// The range of function i once more, by its values at both ends and the range of its slope.
static KalRange sharpen(const KalRun *run, size_t i)
{
    const KalPulseWatch *watch = &run->pulses;
    const KalRange range = watch->ranges[i];
    const KalRange slope = watch->ranges[run->system->pieces.n_pulses + i];
    const double h = run->step.t_new - run->step.t_old;
    const double mean = 0.5 * (watch->values[i] + watch->ahead[i]);
    const double reach = 0.5 * h * fmax(fabs(slope.low), fabs(slope.high));
    const KalRange sharp = {fmax(range.low, mean - reach),
                            fmin(range.high, mean + reach)};
    return sharp;
}

// Whether function i has neither zeros nor dips that count in the last step, for certain: it rises
// or falls all the way, or is nowhere less than a part of what it is elsewhere.
static bool is_quiet(const KalRun *run, size_t i)
{
    const KalPulseWatch *watch = &run->pulses;
    const KalRange slope = watch->ranges[run->system->pieces.n_pulses + i];
    const KalRange range = sharpen(run, i);
    const bool one_way = slope.low > 0.0 || slope.high < 0.0;
    return (one_way && watch->values[i] * watch->ahead[i] > 0.0)
           || (range.low > 0.0 && range.low > SHALLOW * range.high)
           || (range.high < 0.0 && range.high < SHALLOW * range.low);
}

static bool are_quiet(const KalRun *run)
{
    const KalPieces *pieces = &run->system->pieces;
    bool quiet = true;
    for (size_t i = 0; i < pieces->n_pulses && quiet; i++) {
        quiet = !pieces->winding[i] || is_quiet(run, i);
    }
    return quiet;
}

// Whether all functions that wind are quiet: by ranges that hold for several steps, if that does,
// else by those of the last step alone.
static KalStatus look_for_quiet(KalRun *run, bool *out_quiet)
{
    KalPulseWatch *watch = &run->pulses;
    KAL_TRY(bound_step(run));
    const bool knew = knows_ranges(run);
    const bool widely = knew || watch->wide;
    if (!knew) {
        know_ranges(run, widely ? AHEAD : 0.0);
    }
    *out_quiet = are_quiet(run);
    watch->wide = *out_quiet;
    if (!*out_quiet && widely) {
        know_ranges(run, 0.0);
        *out_quiet = are_quiet(run);
    }
    return KAL_OK;
}

// The functions that wind, but for those that are quiet or rest.
static KalStatus watch_winding(KalRun *run, bool *out_any)
{
    const KalPieces *pieces = &run->system->pieces;
    bool quiet = false;
    KAL_TRY(look_for_quiet(run, &quiet));
    *out_any = false;
    for (size_t i = 0; i < pieces->n_pulses && !quiet; i++) {
        bool at_rest = true;
        KAL_TRY(pieces->winding[i] && !is_quiet(run, i) ? rests(run, i, &at_rest)
                                                        : KAL_OK);
        run->pulses.watched[i] = !at_rest;
        *out_any = *out_any || !at_rest;
    }
    return KAL_OK;
}

// The place that the last step has passed over where function i is zero or, between turning
// points, least, in a part of it from a to b; infinite: none.
static KalStatus find_missed_by(KalRun *run, size_t i, double a, double b,
                                double *out_place)
{
    const KalPulseWatch *watch = &run->pulses;
    const size_t n = run->system->pieces.n_pulses;
    const bool pole = i >= n - run->system->pieces.n_poles;
    const bool crosses = watch->early[i] * watch->late[i] < 0.0;
    const bool dips = !crosses && watch->early[i] * watch->early[n + i] < 0.0
                      && watch->late[i] * watch->late[n + i] > 0.0;
    const size_t k = crosses ? i : n + i;
    const KalBracket x = {a, b, watch->early[k], watch->late[k], 0};
    double t = NAN;
    *out_place = INFINITY;
    if (!crosses && !dips) {
        return KAL_OK;
    }
    KAL_TRY(find_zero(run, k, x, &t));
    KAL_TRY(dips ? evaluate(run, t) : KAL_OK);
    const double bottom = dips ? fabs(run->instant->results[i]) : 0.0;
    const bool wide =
        bottom > SHALLOW * fmin(fabs(watch->early[i]), fabs(watch->late[i]));
    return wide ? KAL_OK : find_place(run, t, pole && crosses, out_place);
}

// The first place that the last step has passed over where functions that wind show something in
// a part of it; infinite: none.
static KalStatus find_missed_in(KalRun *run, double a, double b, double *out_place)
{
    *out_place = INFINITY;
    for (size_t i = 0; i < run->system->pieces.n_pulses; i++) {
        double place = INFINITY;
        KAL_TRY(run->pulses.watched[i] ? find_missed_by(run, i, a, b, &place) : KAL_OK);
        *out_place = fmin(*out_place, place);
    }
    return KAL_OK;
}

// Functions that wind may have several zeros in a step, at whose ends none shows: they are looked
// at between, unless what the step shows at its ends tells that there is none.  Where one is missed
// the step becomes shorter, and is looked at more closely.
static KalStatus find_missed_by_winding(KalRun *run, double *out_t)
{
    static const double looks[LOOKS] = {0.11, 0.27, 0.39, 0.54, 0.63, 0.78, 0.91, 1.0};
    KalPulseWatch *watch = &run->pulses;
    const size_t size = 2 * run->system->pieces.n_pulses * sizeof(double);
    const double h = run->step.t_new - run->step.t_old;
    double a = run->step.t_old;
    double place = INFINITY;
    bool any = false;
    KAL_TRY(run->system->pieces.any_winding ? watch_winding(run, &any) : KAL_OK);
    if (!any) {
        return KAL_OK;
    }
    memcpy(watch->early, watch->values, size);
    for (int k = 0; k < LOOKS && isinf(place) && a < *out_t; k++) {
        const double b =
            k < LOOKS - 1 ? run->step.t_old + looks[k] * h : run->step.t_new;
        KAL_TRY(evaluate(run, b));
        memcpy(watch->late, run->instant->results, size);
        KAL_TRY(find_missed_in(run, a, b, &place));
        memcpy(watch->early, watch->late, size);
        a = b;
    }
    *out_t = fmin(*out_t, place);
    return KAL_OK;
}

// The first place that the last step has passed over; infinite: none.
static KalStatus find_missed(KalRun *run, double *out_t)
{
    const KalSystem *system = run->system;
    *out_t = INFINITY;
    for (size_t i = 0; i < system->pieces.n_pulses; i++) {
        const bool pole = i >= system->pieces.n_pulses - system->pieces.n_poles;
        double t = NAN;
        double place = INFINITY;
        KAL_TRY(system->pieces.winding[i] ? KAL_OK : find_extreme(run, i, &t));
        KAL_TRY(t < *out_t ? find_place(run, t, pole, &place) : KAL_OK);
        *out_t = fmin(*out_t, place);
    }
    return find_missed_by_winding(run, out_t);
}

// The functions at the ends of the last step.
static KalStatus learn_step(KalRun *run)
{
    KalPulseWatch *watch = &run->pulses;
    const size_t size = 2 * run->system->pieces.n_pulses * sizeof(double);
    watch->is_blurred = false;
    if (watch->t != run->step.t_old) {
        KAL_TRY(evaluate(run, run->step.t_old));
        memcpy(watch->values, run->instant->results, size);
        watch->t = run->step.t_old;
        watch->known[0] = (KalRange){NAN, NAN}; // the model may have changed
        watch->wide = false;
    }
    KAL_TRY(evaluate(run, run->step.t_new));
    memcpy(watch->ahead, run->instant->results, size);
    return KAL_OK;
}

// Take the last step back, and another that ends at t at the latest.
static KalStatus step_again(KalRun *run, double t)
{
    const double from = run->step.t_old;
    KAL_TRY(kal_run_interpolate(run, from, run->state));
    run->integration.pulse = t;
    KAL_TRY(kal_run_integrate_start(run, from, run->state));
    return kal_run_integrate_step(run, true);
}

// A step in which an operand of a pulse passed zero unseen is taken again, with its end
// there, until none has: the last stage of the new step lies on the pulse.
KalStatus kal_run_heed_pulses(KalRun *run)
{
    assert(run->step.t_new > run->step.t_old);
    KalPulseWatch *watch = &run->pulses;
    if (run->system->pieces.n_pulses == 0 || run->options.fixed_step > 0.0
        || run->integration.crossed) {
        watch->t = NAN;
        return KAL_OK;
    }
    double t = INFINITY;
    KAL_TRY(learn_step(run));
    KAL_TRY(find_missed(run, &t));
    while (t < INFINITY) {
        KAL_TRY(step_again(run, t));
        KAL_TRY(learn_step(run));
        KAL_TRY(find_missed(run, &t));
    }
    memcpy(watch->values, watch->ahead,
           2 * run->system->pieces.n_pulses * sizeof(double));
    watch->t = run->step.t_new;
    return KAL_OK;
}

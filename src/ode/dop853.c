// SPDX-License-Identifier: MIT

// DOP853: the explicit Runge–Kutta method of order 8 of Dormand and Prince, with error
// control and dense output of order 7; for problems that are not stiff
// (docs/theory/integration.md; Hairer, Nørsett, Wanner, Solving Ordinary Differential
// Equations I, sections II.4, II.5 and II.10).
//
// A step is tried in twelve stages, its error estimated from formulas of orders 5 and 3
// over the same stages, and tried again, shorter, until the error is within the
// tolerances.  Then its end is projected, if the system has a projection; the way to
// there counts as an error too, so that a step which is moved by more than the tolerances
// is rejected.  The next step begins with the projected state and its rate, which is its
// first stage.  The polynomial of dense output is that of the step as the method took it;
// it is made when it is first asked for, with three more rates.
//
// Invariants: k[0] is the rate at the present state, or, while `taken` holds, k[END] is;
// y_end and the rates belong to the last step until the next one begins.

#include "base/eight.h"
#include "base/workspace.h"
#include "linalg/padded.h"
#include "ode/dop853_impl.h"
#include "ode/dop853_lanes.h"
#include "ode/dop853_pace.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_RETRIES = 30 // of one step, each a quarter as long
};

static const double ORDER = 8.0;
static const double SLIGHT = 1e3; // states of fewer tolerances tell no time

// All arrays have ld entries; pieces of a workspace are aligned for vectors.
static void lay_out(KalCarver *carver, void *owner)
{
    KalDop853 *s = (KalDop853 *)owner;
    double **const single[] = {&s->y,     &s->y_old, &s->y_next, &s->y_end,
                               &s->stage, &s->begun, &s->rate,   &s->atol};
    const size_t ld = (size_t)s->ld;
    s->begin = kal_carve_doubles(carver, 3 + 2 * (size_t)s->base.system.n, 1);
    static_assert(KAL_PIECE_ALIGNMENT % 64 == 0, "for eight doubles at once");
    assert(s->ld % KAL_DOP853_GROUP == 0);
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++) {
        *single[i] = kal_carve_doubles(carver, ld, 1);
    }
    for (int i = 0; i < KAL_DOP853_STAGES; i++) {
        s->k[i] = kal_carve_doubles(carver, ld, 1);
    }
    for (int i = 0; i < KAL_DOP853_COEFFICIENTS; i++) {
        s->dense_of[i] = kal_carve_doubles(carver, ld, 1);
    }
}

static void set_tolerances(KalDop853 *s)
{
    for (int i = 0; i < s->ld; i++) {
        const double given = s->base.options.atols && i < s->base.system.n
                                 ? s->base.options.atols[i]
                                 : s->base.options.atol;
        s->atol[i] = i < s->base.system.n ? given : 1.0;
        if (i < s->base.system.n
            && i >= s->base.system.n - s->base.system.n_integrals) {
            s->atol[i] = INFINITY; // until more is known
        }
    }
}

const KalDop853Sums *kal_dop853_choose_sums(void)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        return kal_has_widest() ? &kal_dop853_sums_widest : &kal_dop853_sums_wide;
    }
#endif
    return &kal_dop853_sums;
}

static KalStatus init(KalIntegrator *base)
{
    KalDop853 *s = (KalDop853 *)base;
    s->sums = kal_dop853_choose_sums();
    s->ld =
        (base->system.n + KAL_DOP853_GROUP - 1) / KAL_DOP853_GROUP * KAL_DOP853_GROUP;
    KAL_TRY(
        kal_workspace_make(base->ctx, "for an integrator", lay_out, s, &s->workspace));
    set_tolerances(s);
    return KAL_OK;
}

static void clear(KalIntegrator *base)
{
    KalDop853 *s = (KalDop853 *)base;
    kal_workspace_clear(base->ctx, &s->workspace);
}

// Counted, like rates: what a step costs is counted where it is done.
static KalStatus project(KalDop853 *s, double t, double *y)
{
    s->base.counts.projections++;
    return s->base.system.project(s->base.system.user, t, y);
}

static KalStatus evaluate(KalDop853 *s, double t, const double *y, double *out_rate)
{
    const KalOdeSystem *system = &s->base.system;
    s->base.counts.evaluations++;
    KAL_TRY(system->rate(system->user, t, y, s->rate));
    return s->sums->take(s->ld, s->rate, out_rate) == 0.0
               ? KAL_OK
               : kal_ode_fail_rate(s->base.ctx, system->n, t, s->rate);
}

// The rate at the state in `stage`.
static KalStatus evaluate_trial(KalDop853 *s, double t, double *out_rate)
{
    if (s->base.options.project_stages && s->base.system.project) {
        KAL_TRY(project(s, t, s->stage));
    }
    return evaluate(s, t, s->stage, out_rate);
}

// Find the rate of a stage, whose state is in `stage`, and then, if there is one, the state of
// the next, theory (12.1).  All that does not wait for the rate is done before.
static KalStatus pass_stage(KalDop853 *s, const KalDop853Attempt *attempt, int stage)
{
    const KalOdeSystem *system = &s->base.system;
    const double c = kal_dop853_nodes[stage];
    const double t = c < 1.0 ? s->base.t + c * attempt->h : attempt->t_new;
    if (stage + 1 == KAL_DOP853_END) {
        return evaluate_trial(s, t, s->k[stage]);
    }
    const KalDop853Row *row = &kal_dop853_rows[stage + 1];
    const KalDop853Next next = {.state = s->stage,
                                .from = s->y,
                                .begun = s->begun,
                                .weight = row->term[row->count - 1].weight,
                                .h = attempt->h};
    assert(row->term[row->count - 1].stage == stage);
    s->sums->begin(row, s->k, s->ld, s->begun);
    if (s->base.options.project_stages && system->project) {
        KAL_TRY(project(s, t, s->stage));
    }
    s->base.counts.evaluations++;
    KAL_TRY(system->rate(system->user, t, s->stage, s->rate));
    return s->sums->go_on(s->ld, s->rate, s->k[stage], &next) == 0.0
               ? KAL_OK
               : kal_ode_fail_rate(s->base.ctx, system->n, t, s->rate);
}

// All stages at once, if the system can; those that are not finite are taken one by one, which
// tells why.
static bool take_stages(KalDop853 *s, const KalDop853Attempt *attempt)
{
    const KalOdeSystem *system = &s->base.system;
    const size_t n = (size_t)system->n;
    double *begin = s->begin;
    if (!system->stages || s->base.options.project_stages) {
        return false;
    }
    begin[0] = s->base.t;
    kal_copy_numbers(begin + 1, s->y, n);
    begin[1 + n] = attempt->h;
    begin[2 + n] = attempt->t_new;
    kal_copy_numbers(begin + 3 + n, s->k[0], n);
    const double *found = system->stages(system->user, begin);
    for (int stage = 1; found && stage < KAL_DOP853_END; stage++, found += n) {
        kal_copy_numbers(s->k[stage], found, n);
    }
    if (found) {
        kal_copy_numbers(s->stage, found, n);
        s->base.counts.evaluations += KAL_DOP853_END - 1;
    }
    return found != NULL;
}

// The rates of the stages one by one.
static KalStatus pass_stages(KalDop853 *s, const KalDop853Attempt *attempt)
{
    const KalEight h = kal_eight_all(attempt->h);
    s->sums->add(&kal_dop853_rows[1], s->k, s->ld, s->y, &h, s->stage);
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        KAL_TRY(pass_stage(s, attempt, stage));
    }
    return KAL_OK;
}

// The rate of a stage, theory (12.1), from the state `from`.
static KalStatus evaluate_stage(KalDop853 *s, const double *from, double h, double t,
                                int stage)
{
    const KalDop853Row *row = &kal_dop853_rows[stage];
    const KalEight same = kal_eight_all(h);
    s->sums->add(row, s->k, s->ld, from, &same, s->stage);
    return evaluate_trial(s, t, s->k[stage]);
}

// √(x² + y²); squares of usual numbers neither over- nor underflow.
static double length_of(double x, double y)
{
    const double square = x * x + y * y;
    return square > 1e-200 && square < 1e200 ? sqrt(square) : hypot(x, y);
}

double kal_dop853_error(double h, double most5, double most3)
{
    const double both = length_of(most5, 0.1 * most3);
    const double error = both > 0.0 ? fabs(h) * most5 * (most5 / both) : 0.0;
    return isfinite(error) ? error : DBL_MAX;
}

// Of numbers; calls of fmax() and fmin() take longer.
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double largest(KalEight x)
{
    double most = x[0];
    for (int i = 1; i < KAL_DOP853_GROUP; i++) {
        most = larger(most, x[i]);
    }
    return most;
}

// The end of the step, theory (12.2), and its error, theory (12.3) to (12.5).
static KalStatus finish(KalDop853 *s, KalDop853Attempt *attempt)
{
    KalDop853End end;
    end.y = s->y;
    end.y_end = s->y_end;
    end.atol = s->atol;
    end.rtol = kal_eight_all(s->base.options.rtol);
    end.h = kal_eight_all(attempt->h);
    s->sums->finish(s->k, s->ld, &end);
    if (kal_eight_any(end.finite != 0.0)) {
        return kal_fail(s->base.ctx, KAL_ERR_NUMBER,
                        "the state overflows after t = %.17g", s->base.t);
    }
    attempt->error =
        kal_dop853_error(attempt->h, largest(end.most5), largest(end.most3));
    return KAL_OK;
}

static bool is_fixed(const KalDop853 *s)
{
    return s->base.options.fixed_step > 0.0;
}

// Fixed steps are taken whatever their error.
bool kal_dop853_is_accurate(const KalDop853 *s, const KalDop853Attempt *attempt)
{
    return is_fixed(s) || attempt->error <= 1.0;
}

// Where the next step begins: projected, if the way there is small enough, with its rate.
static KalStatus settle(KalDop853 *s, KalDop853Attempt *attempt)
{
    memcpy(s->y_next, s->y_end, (size_t)s->ld * sizeof(double));
    if (s->base.system.project) {
        KAL_TRY(project(s, attempt->t_new, s->y_next));
        const int n = s->base.system.n - s->base.system.n_integrals;
        assert(n >= 0 && n <= s->base.system.n);
        const KalOdeAllowed allowed = {.rtol = s->base.options.rtol,
                                       .atol = s->atol,
                                       .own = s->base.options.atol,
                                       .rate = s->k[KAL_DOP853_END - 1],
                                       .t = attempt->t_new};
        const double shift = kal_ode_shift(n, &allowed, s->y_end, s->y_next);
        attempt->error = larger(attempt->error, shift);
    }
    return kal_dop853_is_accurate(s, attempt)
               ? evaluate(s, attempt->t_new, s->y_next, s->k[KAL_DOP853_END])
               : KAL_OK;
}

// k(y_next) − k(stage) over y_next − stage estimates the largest eigenvalue of the Jacobian:
// both are states at the end of the step, of different stages.
static KalDop853Edge find_edge(const KalDop853 *s)
{
    const double *k_end = s->k[KAL_DOP853_END];
    const double *k_before = s->k[KAL_DOP853_END - 1];
    KalDop853Edge edge = {0.0, 0.0};
    for (int i = 0; i < s->base.system.n - s->base.system.n_integrals; i++) {
        const double dk = k_end[i] - k_before[i];
        const double dy = s->y_next[i] - s->stage[i];
        edge.change += dk * dk;
        edge.distance += dy * dy;
    }
    return edge;
}

// All stages, and the end if its error is small enough.
KalStatus kal_dop853_try(KalDop853 *s, KalDop853Attempt *attempt,
                         KalDop853Edge *out_edge)
{
    KAL_TRY(take_stages(s, attempt) ? KAL_OK : pass_stages(s, attempt));
    KAL_TRY(finish(s, attempt));
    if (!kal_dop853_is_accurate(s, attempt)) {
        return KAL_OK;
    }
    KAL_TRY(settle(s, attempt));
    if (kal_dop853_is_accurate(s, attempt)) {
        *out_edge = find_edge(s);
    }
    return KAL_OK;
}

// The largest of |x| in units of what is allowed for y.
static double size_of(const KalDop853 *s, const double *y, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < s->base.system.n - s->base.system.n_integrals; i++) {
        const double e = fabs(x[i]) / (s->atol[i] + s->base.options.rtol * fabs(y[i]));
        most = e > most ? e : most;
    }
    return most;
}

// A size that neither the longest step nor the end of the integration forbids.
static double bounded(const KalDop853 *s, double h)
{
    assert(h >= 0.0 || isnan(h));
    const double longest =
        s->base.options.max_step > 0.0 ? s->base.options.max_step : INFINITY;
    return fmin(h, fmin(longest, fabs(s->base.t_end - s->base.t)));
}

// The rate an explicit Euler step ahead, in place of that of stage 1; shorter where the
// rate cannot be had.
static KalStatus look_ahead(KalDop853 *s, double *h)
{
    KalStatus status = KAL_OK;
    for (int retry = 0; retry <= MOST_RETRIES; retry++) {
        const double step = s->base.direction * *h;
        for (int i = 0; i < s->ld; i++) {
            s->stage[i] = s->y[i] + step * s->k[0][i];
        }
        status = evaluate_trial(s, s->base.t + step, s->k[1]);
        if (status == KAL_OK || !kal_ode_may_retry(&s->base.system, status)) {
            return status;
        }
        s->base.counts.retries++;
        *h *= 0.25;
    }
    return status;
}

// Size of the first step, theory (12.7).
static KalStatus guess_step(KalDop853 *s, double *out_h)
{
    const double span = fabs(s->base.t_end - s->base.t);
    const double tiny = 1e-6 * (isfinite(span) ? span : 1.0);
    const double d0 = size_of(s, s->y, s->y);
    const double d1 = size_of(s, s->y, s->k[0]);
    const bool at_rest = d0 < SLIGHT || d1 * tiny < 1e-11;
    double h = bounded(s, at_rest ? tiny : 0.01 * (d0 / d1));
    KAL_TRY(look_ahead(s, &h));
    for (int i = 0; i < s->ld; i++) {
        s->stage[i] = s->k[1][i] - s->k[0][i];
    }
    const double d2 = size_of(s, s->y, s->stage) / h;
    const double amplitude = fmax(d0, h * d1);
    const double frequency = fmax(d1 / amplitude, sqrt(d2 / amplitude));
    const double accurate = pow(0.01 / amplitude, 1.0 / ORDER) / frequency;
    // Where there is neither state nor rate the quotients are not numbers.
    *out_h = bounded(s, accurate > 0.0 ? fmin(100.0 * h, accurate) : 100.0 * h);
    return KAL_OK;
}

static KalStatus start(KalIntegrator *base, const double *y)
{
    KalDop853 *s = (KalDop853 *)base;
    s->taken = false;
    s->rejected = false;
    s->old_log = 0.0;
    s->stiff = 0;
    s->calm = 0;
    s->away = NULL;
    memcpy(s->y, y, (size_t)base->system.n * sizeof(double));
    base->last = kal_ode_no_step(base->t, s->y);
    KAL_TRY(evaluate(s, base->t, s->y, s->k[0]));
    if (is_fixed(s)) {
        s->h = base->options.fixed_step;
    } else if (base->options.first_step > 0.0) {
        s->h = bounded(s, base->options.first_step);
    } else {
        KAL_TRY(guess_step(s, &s->h));
    }
    assert(s->h >= 0.0); // 0 where rates are so large that no step is short enough
    return KAL_OK;
}

// A size that was chosen before the bound has to keep it as well.
static void set_max_step(KalIntegrator *base)
{
    KalDop853 *s = (KalDop853 *)base;
    const double longest = base->options.max_step;
    if (longest > 0.0 && !is_fixed(s)) {
        s->h = smaller(s->h, longest);
    }
}

// Not beyond the end, and not so near to it that a tiny step remains.
static KalDop853Attempt plan(const KalDop853 *s)
{
    const double left = fabs(s->base.t_end - s->base.t);
    assert(left > 0.0 && s->h >= 0.0);
    const double slack = is_fixed(s) ? 1e-9 * s->h : 0.0;
    if (left <= s->h + slack) {
        return (KalDop853Attempt){.h = s->base.t_end - s->base.t,
                                  .t_new = s->base.t_end};
    }
    const double size = !is_fixed(s) && left < 2.0 * s->h ? 0.5 * left : s->h;
    const double h = s->base.direction * size;
    return (KalDop853Attempt){.h = h, .t_new = s->base.t + h};
}

// Size of the step after one of the size `h` with an error, theory (12.6); that of a step
// that counts is remembered.
static double next_size(KalDop853 *s, double h, double error)
{
    if (is_fixed(s)) {
        return s->h;
    }
    KalFour log = kal_all(s->old_log);
    const KalFourBits rejected = s->rejected ? ~(KalFourBits){0} : (KalFourBits){0};
    const double factor = kal_dop853_scale(kal_all(error), rejected, &log)[0];
    assert(h > 0.0 && factor > 0.0);
    if (error <= 1.0) {
        s->old_log = log[0];
    }
    return factor * h;
}

// Whether steps are held at the edge of stability, theory (12.8).
static void watch_stiffness(KalDop853 *s, double h, const KalDop853Edge *edge)
{
    if (h * h * edge->change > KAL_DOP853_STABLE * KAL_DOP853_STABLE * edge->distance) {
        s->calm = 0;
        s->stiff++;
    } else if (++s->calm == KAL_DOP853_CALM_AFTER) {
        s->stiff = 0;
    }
}

static void accept(KalDop853 *s, const KalDop853Attempt *attempt,
                   const KalDop853Edge *edge)
{
    assert(kal_dop853_is_accurate(s, attempt) && attempt->t_new != s->base.t);
    assert(s->y != s->y_next && s->y != s->y_old && s->y_next != s->y_old);
    double *const free_array = s->y_old;
    watch_stiffness(s, attempt->h, edge);
    // Three arrays take turns: the end becomes the present, the present the past.
    s->y_old = s->y;
    s->y = s->y_next;
    s->y_next = free_array;
    s->base.last = (KalOdeStep){.t_old = s->base.t,
                                .t_new = attempt->t_new,
                                .y_old = s->y_old,
                                .y_new = s->y,
                                .stiff = s->stiff >= KAL_DOP853_STIFF_AFTER};
    const double size = fabs(attempt->h);
    const double next = next_size(s, size, attempt->error);
    // A step cut short by the end says little about the size of the next.
    s->h = size < s->h && next > size ? larger(next, s->h) : next;
    if (s->base.options.max_step > 0.0) {
        s->h = smaller(s->h, s->base.options.max_step);
    }
    s->h_last = attempt->h;
    s->rejected = false;
    s->taken = true;
    s->dense = false;
}

static void allow_integrals(KalIntegrator *base, double error)
{
    KalDop853 *s = (KalDop853 *)base;
    for (int i = base->system.n - base->system.n_integrals; i < base->system.n; i++) {
        s->atol[i] = error > 0.0 ? error : INFINITY;
    }
}

static void neglect(KalIntegrator *base, const int *entries, int count)
{
    KalDop853 *s = (KalDop853 *)base;
    for (int i = 0; i < base->system.n - base->system.n_integrals; i++) {
        s->atol[i] = base->options.atol;
    }
    for (int k = 0; k < count; k++) {
        assert(entries[k] >= 0 && entries[k] < base->system.n);
        s->atol[entries[k]] = INFINITY;
    }
}

// The attempt failed, with a status or for its error: a smaller one, or none.
static KalStatus shrink(KalDop853 *s, const KalDop853Attempt *attempt, KalStatus status)
{
    const double size = fabs(attempt->h);
    assert(size > 0.0 && s->retries <= MOST_RETRIES);
    double next = 0.0;
    if (status == KAL_OK) {
        next = next_size(s, size, attempt->error);
        s->base.counts.rejected++;
    } else {
        if (is_fixed(s) || !kal_ode_may_retry(&s->base.system, status)
            || ++s->retries > MOST_RETRIES) {
            return status;
        }
        next = 0.25 * size;
        s->base.counts.retries++;
    }
    s->rejected = true;
    s->h = next;
    if (next > kal_ode_least_step(s->base.t)) {
        return KAL_OK;
    }
    return status != KAL_OK ? status : kal_ode_collapse(s->base.ctx, s->base.t, next);
}

// What lanes have of the last step comes here.
static void fetch(KalDop853 *s)
{
    if (s->away) {
        kal_ode_lanes_fetch(s->away, s->lane, s->k, s->y_end);
        s->away = NULL;
    }
}

void kal_ode_lanes_release(KalIntegrator *integrator)
{
    assert(kal_integrator_name(integrator) == KAL_INTEGRATOR_DOP853);
    fetch((KalDop853 *)integrator);
}

void kal_dop853_begin(KalDop853 *s)
{
    fetch(s);
    if (s->taken) {
        double *const end = s->k[KAL_DOP853_END];
        s->k[KAL_DOP853_END] = s->k[0];
        s->k[0] = end;
        s->taken = false;
    }
    s->attempts = 0;
    s->retries = 0;
    assert(s->base.last.y_new == s->y);
}

// The number of attempts is bounded: each shrinks the step by a tenth at least, 500 of them
// by a factor of 1e-23.
KalStatus kal_dop853_plan(KalDop853 *s, KalDop853Attempt *out_attempt)
{
    *out_attempt = plan(s);
    // Where the rate is too large for any time to pass there is no step either.
    return s->attempts++ < KAL_DOP853_MOST_ATTEMPTS && out_attempt->t_new != s->base.t
               ? KAL_OK
               : kal_ode_collapse(s->base.ctx, s->base.t, s->h);
}

KalDop853Verdict kal_dop853_judge(KalDop853 *s, const KalDop853Attempt *attempt,
                                  const KalDop853Edge *edge, KalStatus *status)
{
    if (*status == KAL_OK && kal_dop853_is_accurate(s, attempt)) {
        accept(s, attempt, edge);
        return KAL_DOP853_TAKEN;
    }
    *status = shrink(s, attempt, *status);
    return *status == KAL_OK ? KAL_DOP853_AGAIN : KAL_DOP853_FAILED;
}

// Tries until a step is accurate.
static KalStatus step(KalIntegrator *base)
{
    KalDop853 *s = (KalDop853 *)base;
    KalDop853Verdict verdict = KAL_DOP853_AGAIN;
    KalStatus status = KAL_OK;
    kal_dop853_begin(s);
    while (verdict == KAL_DOP853_AGAIN) {
        KalDop853Attempt attempt;
        KalDop853Edge edge = {0.0, 0.0};
        KAL_TRY(kal_dop853_plan(s, &attempt));
        status = kal_dop853_try(s, &attempt, &edge);
        verdict = kal_dop853_judge(s, &attempt, &edge, &status);
    }
    return status;
}

// The polynomial of the last step, theory (12.9).
static KalStatus make_dense(KalDop853 *s)
{
    assert(s->taken && !s->dense && s->h_last != 0.0);
    const double h = s->h_last;
    const KalEight same = kal_eight_all(h);
    fetch(s);
    for (int stage = KAL_DOP853_END + 1; stage < KAL_DOP853_STAGES; stage++) {
        const double t = s->base.last.t_old + kal_dop853_nodes[stage] * h;
        KAL_TRY(evaluate_stage(s, s->y_old, h, t, stage));
    }
    s->sums->dense(s->k, s->ld, s->y_old, s->y_end, &same, s->dense_of);
    s->dense = true;
    return KAL_OK;
}

static KalStatus interpolate(KalIntegrator *base, double t, double *out_y)
{
    KalDop853 *s = (KalDop853 *)base;
    const KalOdeStep *last = &base->last;
    assert(s->taken && last->y_old == s->y_old);
    if (!s->dense) {
        KAL_TRY(make_dense(s));
    }
    const double a = (t - last->t_old) / (last->t_new - last->t_old);
    assert(a >= 0.0 && a <= 1.0);
    s->sums->interpolate(s->dense_of, s->ld, s->y_old, a, s->rate);
    kal_copy_numbers(out_y, s->rate, (size_t)base->system.n);
    return KAL_OK;
}

static KalStatus interpolate_lanes(KalIntegrator *base, const double *times, int first,
                                   double *out_groups)
{
    KalDop853 *s = (KalDop853 *)base;
    const KalOdeStep *last = &base->last;
    assert(s->taken && last->y_old == s->y_old);
    if (!s->dense) {
        KAL_TRY(make_dense(s));
    }
    KalEight a;
    memcpy(&a, times, sizeof a);
    a = (a - last->t_old) / (last->t_new - last->t_old);
    s->sums->interpolate_lanes(s->dense_of, base->system.n, s->y_old, &a, first,
                               out_groups);
    return KAL_OK;
}

static int order(const KalIntegrator *base)
{
    (void)base;
    return (int)ORDER;
}

const KalIntegratorKind kal_dop853 = {
    .traits = {.word = "dop853",
               .most_states = KAL_ODE_LIMIT,
               .takes_integrals = true,
               .takes_fixed_step = true},
    .size = sizeof(KalDop853),
    .init = init,
    .clear = clear,
    .start = start,
    .step = step,
    .interpolate = interpolate,
    .interpolate_lanes = interpolate_lanes,
    .order = order,
    .max_step_set = set_max_step,
    .allow_integrals = allow_integrals,
    .neglect = neglect,
};

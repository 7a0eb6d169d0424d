// SPDX-License-Identifier: MIT

#include "ode/dop853.h"

#include "linalg/padded.h"
#include "ode/dop853_table.h"
#include "ode/ode_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST_RETRIES = 30,   // of one step, each a quarter as long
    MOST_ATTEMPTS = 500, // at one step; none shrinks it by less than a tenth
    STIFF_AFTER = 15,    // steps at the edge of stability
    CALM_AFTER = 6,      // steps away from it
    COEFFICIENTS = 7,    // of dense output, besides the state at its beginning
};

// Step size control, theory (12.6).
static const double SAFETY = 0.9;
static const double MOST_SHRINK = 1.0 / 3.0;
static const double MOST_GROWTH = 6.0;
static const double ORDER = 8.0;
static const double PRESENT = 0.117;     // exponent of the error of this step
static const double BEFORE = 0.04;       // and of the one before
static const double LEAST_ERROR = 1e-10; // smaller ones are rounding

// Where the region of stability ends on the negative real axis, theory (12.8).
static const double STABLE = 6.1;

// Arrays are padded to `ld` entries with zeros, which every operation keeps; where the
// sums of rates divide, the padding of `atol` is 1.
struct KalDop853 {
    KalContext *ctx;
    KalOdeSystem system;
    KalOdeOptions options;
    int ld;
    bool started;
    bool taken;    // a step was, and its rates still are those of its stages
    bool dense;    // its polynomial was made
    bool rejected; // the attempt before failed: do not grow at once
    double t;
    double t_end;
    double direction;
    double h;         // size to try next, positive
    double h_last;    // size of the last accepted step, signed
    double old_error; // and its error
    int stiff;        // steps at the edge of stability
    int calm;         // steps away from it since
    KalOdeStep last;
    KalOdeCounts counts;
    double *y;      // present state
    double *y_old;  // state before the last step
    double *y_next; // projected end of the attempt
    double *y_end;  // end of the attempt, then of the last step, as the method took it
    double *stage;  // state of the stage at hand
    double *atol;
    double *k[KAL_DOP853_STAGES];
    double *dense_of[COEFFICIENTS];
    void *block;
    size_t block_size;
};

// A step to try.
typedef struct Attempt {
    double h; // signed
    double t_new;
    double error;
} Attempt;

static void lay_out(KalDop853 *s, double *block)
{
    double **const single[] = {&s->y,     &s->y_old, &s->y_next,
                               &s->y_end, &s->stage, &s->atol};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++, block += s->ld) {
        *single[i] = block;
    }
    for (int i = 0; i < KAL_DOP853_STAGES; i++, block += s->ld) {
        s->k[i] = block;
    }
    for (int i = 0; i < COEFFICIENTS; i++, block += s->ld) {
        s->dense_of[i] = block;
    }
}

static void set_tolerances(KalDop853 *s)
{
    for (int i = 0; i < s->ld; i++) {
        const double given =
            s->options.atols && i < s->system.n ? s->options.atols[i] : s->options.atol;
        s->atol[i] = i < s->system.n ? given : 1.0;
        if (i < s->system.n && i >= s->system.n - s->system.n_integrals) {
            s->atol[i] = INFINITY; // no error of an integral counts
        }
    }
    s->options.atols = NULL; // borrowed for this call only
}

KalStatus kal_dop853_create(KalContext *ctx, const KalOdeSystem *system,
                            const KalOdeOptions *options, KalDop853 **out_solver)
{
    enum {
        ARRAYS = 6 + KAL_DOP853_STAGES + COEFFICIENTS,
        ALIGNMENT = 64
    };

    const KalOdeOptions chosen = options ? *options : kal_ode_options();
    KAL_TRY(kal_ode_check(ctx, system, &chosen));
    KalDop853 *s = KAL_NEW(ctx, KalDop853);
    if (!s) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for an integrator");
    }
    s->ctx = ctx;
    s->system = *system;
    s->options = chosen;
    s->ld = kal_padded(system->n);
    s->block_size = ARRAYS * (size_t)s->ld * sizeof(double) + ALIGNMENT;
    s->block = kal_alloc(ctx, 1, s->block_size);
    if (!s->block) {
        kal_dop853_destroy(s);
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for an integrator of %d states",
                        system->n);
    }
    const size_t off = (uintptr_t)s->block % ALIGNMENT;
    lay_out(s, (double *)(void *)((char *)s->block + (ALIGNMENT - off) % ALIGNMENT));
    set_tolerances(s);
    *out_solver = s;
    return KAL_OK;
}

void kal_dop853_destroy(KalDop853 *solver)
{
    if (solver) {
        kal_free(solver->ctx, solver->block, solver->block_size);
        kal_free(solver->ctx, solver, sizeof *solver);
    }
}

KalOdeCounts kal_dop853_counts(const KalDop853 *solver)
{
    return solver->counts;
}

static KalStatus project(KalDop853 *s, double t, double *y)
{
    s->counts.projections++;
    return s->system.project(s->system.user, t, y);
}

static KalStatus evaluate(KalDop853 *s, double t, const double *y, double *out_rate)
{
    s->counts.evaluations++;
    return kal_ode_rate(s->ctx, &s->system, t, y, out_rate);
}

// Sum of rates, for the entries i..i+3.
static inline KalFour sum_of(const KalDop853 *s, const KalDop853Row *row, int i)
{
    KalFour sum = {0.0, 0.0, 0.0, 0.0};
    for (int j = 0; j < row->count; j++) {
        const double *k = s->k[row->term[j].stage];
        sum += row->term[j].weight * *kal_const_four(k + i);
    }
    return sum;
}

// The rate at the state in `stage`.
static KalStatus evaluate_trial(KalDop853 *s, double t, double *out_rate)
{
    if (s->options.project_stages && s->system.project) {
        KAL_TRY(project(s, t, s->stage));
    }
    return evaluate(s, t, s->stage, out_rate);
}

// The rate of a stage, theory (12.1), from the state `from`.
static KalStatus evaluate_stage(KalDop853 *s, const double *from, double h, double t,
                                int stage)
{
    const KalDop853Row *row = &kal_dop853_rows[stage];
    for (int i = 0; i < s->ld; i += 4) {
        *kal_four(s->stage + i) = *kal_const_four(from + i) + h * sum_of(s, row, i);
    }
    return evaluate_trial(s, t, s->k[stage]);
}

// How both error estimates and the state itself are measured: the largest of the
// components in units of what is allowed for them.
typedef struct Norm {
    double most5;
    double most3;
    double finite; // 0, or NaN when the state is not
} Norm;

static void measure(const KalDop853 *s, int i, KalFour error5, KalFour error3,
                    Norm *norm)
{
    for (int lane = 0; lane < 4; lane++) {
        const double before = fabs(s->y[i + lane]);
        const double after = fabs(s->y_end[i + lane]);
        const double allowed =
            s->atol[i + lane] + s->options.rtol * (before > after ? before : after);
        const double e5 = fabs(error5[lane]) / allowed;
        const double e3 = fabs(error3[lane]) / allowed;
        norm->most5 = e5 > norm->most5 ? e5 : norm->most5;
        norm->most3 = e3 > norm->most3 ? e3 : norm->most3;
        norm->finite += 0.0 * after;
    }
}

// The end of the step, theory (12.2), and its error, theory (12.3) to (12.5).
static KalStatus finish(KalDop853 *s, Attempt *attempt)
{
    const double h = attempt->h;
    Norm norm = {0.0, 0.0, 0.0};
    for (int i = 0; i < s->ld; i += 4) {
        KalFour sum = {0.0, 0.0, 0.0, 0.0};
        KalFour error5 = {0.0, 0.0, 0.0, 0.0};
        KalFour error3 = {0.0, 0.0, 0.0, 0.0};
        for (int j = 0; j < KAL_DOP853_LAST; j++) {
            const KalDop853Last *last = &kal_dop853_last[j];
            const KalFour k = *kal_const_four(s->k[last->stage] + i);
            sum += last->b * k;
            error5 += last->error5 * k;
            error3 += last->error3 * k;
        }
        *kal_four(s->y_end + i) = *kal_const_four(s->y + i) + h * sum;
        measure(s, i, error5, error3, &norm);
    }
    if (norm.finite != 0.0) {
        return kal_fail(s->ctx, KAL_ERR_NUMBER, "the state overflows after t = %.17g",
                        s->t);
    }
    const double both = hypot(norm.most5, 0.1 * norm.most3);
    const double error = both > 0.0 ? fabs(h) * norm.most5 * (norm.most5 / both) : 0.0;
    attempt->error = isfinite(error) ? error : DBL_MAX;
    return KAL_OK;
}

static bool is_fixed(const KalDop853 *s)
{
    return s->options.fixed_step > 0.0;
}

static bool is_accurate(const KalDop853 *s, const Attempt *attempt)
{
    return is_fixed(s) || attempt->error <= 1.0;
}

// Where the next step begins: projected, if the way there is small enough, with its rate.
static KalStatus settle(KalDop853 *s, Attempt *attempt)
{
    memcpy(s->y_next, s->y_end, (size_t)s->ld * sizeof(double));
    if (s->system.project) {
        KAL_TRY(project(s, attempt->t_new, s->y_next));
        const int n = s->system.n - s->system.n_integrals;
        const double shift =
            kal_ode_shift(n, s->options.rtol, s->atol, s->y_end, s->y_next);
        attempt->error = fmax(attempt->error, shift);
    }
    return is_accurate(s, attempt)
               ? evaluate(s, attempt->t_new, s->y_next, s->k[KAL_DOP853_END])
               : KAL_OK;
}

// All stages, and the end if its error is small enough.
static KalStatus try_attempt(KalDop853 *s, Attempt *attempt)
{
    for (int stage = 1; stage < KAL_DOP853_END; stage++) {
        const double c = kal_dop853_nodes[stage];
        const double t = c < 1.0 ? s->t + c * attempt->h : attempt->t_new;
        KAL_TRY(evaluate_stage(s, s->y, attempt->h, t, stage));
    }
    KAL_TRY(finish(s, attempt));
    return is_accurate(s, attempt) ? settle(s, attempt) : KAL_OK;
}

// The largest of |x| in units of what is allowed for y.
static double size_of(const KalDop853 *s, const double *y, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < s->system.n; i++) {
        const double e = fabs(x[i]) / (s->atol[i] + s->options.rtol * fabs(y[i]));
        most = e > most ? e : most;
    }
    return most;
}

static double bounded(const KalDop853 *s, double h)
{
    const double longest = s->options.max_step > 0.0 ? s->options.max_step : INFINITY;
    return fmin(h, fmin(longest, fabs(s->t_end - s->t)));
}

// The rate an explicit Euler step ahead, in place of that of stage 1; shorter where the
// rate cannot be had.
static KalStatus look_ahead(KalDop853 *s, double *h)
{
    KalStatus status = KAL_OK;
    for (int retry = 0; retry <= MOST_RETRIES; retry++) {
        const double step = s->direction * *h;
        for (int i = 0; i < s->ld; i++) {
            s->stage[i] = s->y[i] + step * s->k[0][i];
        }
        status = evaluate_trial(s, s->t + step, s->k[1]);
        if (status == KAL_OK || !kal_ode_may_retry(&s->system, status)) {
            return status;
        }
        s->counts.retries++;
        *h *= 0.25;
    }
    return status;
}

// Size of the first step, theory (12.7).
static KalStatus guess_step(KalDop853 *s, double *out_h)
{
    const double span = fabs(s->t_end - s->t);
    const double tiny = 1e-6 * (isfinite(span) ? span : 1.0);
    const double d0 = size_of(s, s->y, s->y);
    const double d1 = size_of(s, s->y, s->k[0]);
    const bool at_rest = d0 < 1e-5 || d1 * tiny < 1e-11;
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

KalStatus kal_dop853_start(KalDop853 *solver, double t, const double *y, double t_end)
{
    KalDop853 *s = solver;
    KAL_TRY(kal_ode_check_start(s->ctx, s->system.n, t, y, t_end));
    s->started = false;
    s->taken = false;
    s->rejected = false;
    s->t = t;
    s->t_end = t_end;
    s->direction = t_end > t ? 1.0 : -1.0;
    s->old_error = 1.0;
    s->stiff = 0;
    s->calm = 0;
    memcpy(s->y, y, (size_t)s->system.n * sizeof(double));
    s->last = kal_ode_no_step(t, s->y);
    KAL_TRY(evaluate(s, t, s->y, s->k[0]));
    if (is_fixed(s)) {
        s->h = s->options.fixed_step;
    } else if (s->options.first_step > 0.0) {
        s->h = bounded(s, s->options.first_step);
    } else {
        KAL_TRY(guess_step(s, &s->h));
    }
    s->started = true;
    return KAL_OK;
}

KalStatus kal_dop853_set_end(KalDop853 *solver, double t_end)
{
    KalDop853 *s = solver;
    if (!s->started || !(s->direction * (t_end - s->t) >= 0.0)) {
        return kal_fail(s->ctx, KAL_ERR_USAGE,
                        "the end, t = %.17g, lies behind the present time, %.17g",
                        t_end, s->t);
    }
    s->t_end = t_end;
    return KAL_OK;
}

void kal_dop853_set_max_step(KalDop853 *solver, double longest)
{
    solver->options.max_step = longest;
    if (longest > 0.0 && !is_fixed(solver)) {
        solver->h = fmin(solver->h, longest);
    }
}

// Not beyond the end, and not so near to it that a tiny step remains.
static Attempt plan(const KalDop853 *s)
{
    const double left = fabs(s->t_end - s->t);
    const double slack = is_fixed(s) ? 1e-9 * s->h : 0.0;
    if (left <= s->h + slack) {
        return (Attempt){.h = s->t_end - s->t, .t_new = s->t_end};
    }
    const double size = !is_fixed(s) && left < 2.0 * s->h ? 0.5 * left : s->h;
    const double h = s->direction * size;
    return (Attempt){.h = h, .t_new = s->t + h};
}

// Size of the step after one of the size `h` with an error, theory (12.6).
static double next_size(const KalDop853 *s, double h, double error)
{
    if (is_fixed(s)) {
        return s->h;
    }
    const double e = fmax(error, LEAST_ERROR);
    double factor = error > 1.0 ? SAFETY * pow(e, -1.0 / ORDER)
                                : SAFETY * pow(e, -PRESENT) * pow(s->old_error, BEFORE);
    factor = fmin(fmax(factor, MOST_SHRINK), s->rejected ? 1.0 : MOST_GROWTH);
    return factor * h;
}

// Whether steps are held at the edge of stability, theory (12.8).
static void watch_stiffness(KalDop853 *s, double h)
{
    const double *k_end = s->k[KAL_DOP853_END];
    const double *k_before = s->k[KAL_DOP853_END - 1];
    double change = 0.0;
    double distance = 0.0;
    for (int i = 0; i < s->system.n - s->system.n_integrals; i++) {
        const double dk = k_end[i] - k_before[i];
        const double dy = s->y_next[i] - s->stage[i];
        change += dk * dk;
        distance += dy * dy;
    }
    if (h * h * change > STABLE * STABLE * distance) {
        s->calm = 0;
        s->stiff++;
    } else if (++s->calm == CALM_AFTER) {
        s->stiff = 0;
    }
}

static void accept(KalDop853 *s, const Attempt *attempt)
{
    double *const free_array = s->y_old;
    watch_stiffness(s, attempt->h);
    s->y_old = s->y;
    s->y = s->y_next;
    s->y_next = free_array;
    s->last = (KalOdeStep){.t_old = s->t,
                           .t_new = attempt->t_new,
                           .y_old = s->y_old,
                           .y_new = s->y,
                           .finished = attempt->t_new == s->t_end,
                           .stiff = s->stiff >= STIFF_AFTER};
    const double size = fabs(attempt->h);
    const double next = next_size(s, size, attempt->error);
    // A step cut short by the end says little about the size of the next.
    s->h = size < s->h && next > size ? fmax(next, s->h) : next;
    if (s->options.max_step > 0.0) {
        s->h = fmin(s->h, s->options.max_step);
    }
    s->h_last = attempt->h;
    s->old_error = fmax(attempt->error, 1e-4);
    s->t = attempt->t_new;
    s->rejected = false;
    s->taken = true;
    s->dense = false;
    s->counts.steps++;
}

// The attempt failed, with a status or for its error: a smaller one, or none.
static KalStatus shrink(KalDop853 *s, const Attempt *attempt, KalStatus status,
                        int *retries)
{
    const double size = fabs(attempt->h);
    double next = 0.0;
    if (status == KAL_OK) {
        next = next_size(s, size, attempt->error);
        s->counts.rejected++;
    } else {
        if (is_fixed(s) || !kal_ode_may_retry(&s->system, status)
            || ++*retries > MOST_RETRIES) {
            return status;
        }
        next = 0.25 * size;
        s->counts.retries++;
    }
    s->rejected = true;
    s->h = next;
    if (next > kal_ode_least_step(s->t)) {
        return KAL_OK;
    }
    return status != KAL_OK ? status : kal_ode_collapse(s->ctx, s->t, next);
}

// The rate at the end of the last step is that of stage 0.
static void begin_step(KalDop853 *s)
{
    if (s->taken) {
        double *const end = s->k[KAL_DOP853_END];
        s->k[KAL_DOP853_END] = s->k[0];
        s->k[0] = end;
        s->taken = false;
    }
    s->last = kal_ode_no_step(s->t, s->y);
}

KalStatus kal_dop853_step(KalDop853 *solver, KalOdeStep *out_step)
{
    KalDop853 *s = solver;
    if (!s->started || s->t == s->t_end) {
        return kal_fail(s->ctx, KAL_ERR_USAGE, "there is no step to take");
    }
    begin_step(s);
    int retries = 0;
    for (int attempts = 0; attempts < MOST_ATTEMPTS; attempts++) {
        Attempt attempt = plan(s);
        if (attempt.t_new == s->t) { // the rate is too large for any time to pass
            break;
        }
        const KalStatus status = try_attempt(s, &attempt);
        if (status == KAL_OK && is_accurate(s, &attempt)) {
            accept(s, &attempt);
            *out_step = s->last;
            return KAL_OK;
        }
        KAL_TRY(shrink(s, &attempt, status, &retries));
    }
    return kal_ode_collapse(s->ctx, s->t, s->h);
}

// The polynomial of the last step, theory (12.9).
static KalStatus make_dense(KalDop853 *s)
{
    const double h = s->h_last;
    double **d = s->dense_of;
    for (int stage = KAL_DOP853_END + 1; stage < KAL_DOP853_STAGES; stage++) {
        const double t = s->last.t_old + kal_dop853_nodes[stage] * h;
        KAL_TRY(evaluate_stage(s, s->y_old, h, t, stage));
    }
    for (int i = 0; i < s->ld; i++) {
        d[0][i] = s->y_end[i] - s->y_old[i];
        d[1][i] = h * s->k[0][i] - d[0][i];
        d[2][i] = d[0][i] - h * s->k[KAL_DOP853_END][i] - d[1][i];
    }
    for (int row = 0; row < KAL_DOP853_DENSE; row++) {
        for (int i = 0; i < s->ld; i += 4) {
            *kal_four(d[3 + row] + i) = h * sum_of(s, &kal_dop853_dense[row], i);
        }
    }
    s->dense = true;
    return KAL_OK;
}

KalStatus kal_dop853_interpolate(KalDop853 *solver, double t, double *out_y)
{
    KalDop853 *s = solver;
    const KalOdeStep *last = &s->last;
    KAL_TRY(kal_ode_check_inside(s->ctx, last, t));
    if (t == last->t_old || t == last->t_new) {
        const double *y = t == last->t_old ? last->y_old : last->y_new;
        memcpy(out_y, y, (size_t)s->system.n * sizeof(double));
        return KAL_OK;
    }
    if (!s->dense) {
        KAL_TRY(make_dense(s));
    }
    const double a = (t - last->t_old) / (last->t_new - last->t_old);
    const double b = 1.0 - a;
    double *const *d = s->dense_of;
    for (int i = 0; i < s->system.n; i++) {
        const double inner = d[3][i] + a * (d[4][i] + b * (d[5][i] + a * d[6][i]));
        out_y[i] =
            s->y_old[i] + a * (d[0][i] + b * (d[1][i] + a * (d[2][i] + b * inner)));
    }
    return KAL_OK;
}

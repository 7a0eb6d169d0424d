// SPDX-License-Identifier: MIT

// DOP853 step by step: callbacks that fail or ask for smaller steps, ends, restarts,
// stiffness, memory.

#include "fault.h"
#include "ode/integrator.h"
#include "problems.h"
#include "tap.h"

static KalContext *ctx;
static Fault fault;

static void begin(void)
{
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
}

static void end(void)
{
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static KalIntegrator *make(const KalOdeSystem *system, const KalOdeOptions *options)
{
    KalIntegrator *solver = NULL;
    if (!ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, system, options, &solver)
            == KAL_OK)) {
        exit(1);
    }
    return solver;
}

// A pendulum whose callbacks fail at a certain call.
typedef struct Trap {
    long calls;
    long fail_at; // counted over rates and projections; 0: never
    KalStatus status;
} Trap;

static KalStatus spring(Trap *trap)
{
    trap->calls++;
    return trap->calls == trap->fail_at
               ? kal_fail(ctx, trap->status, "trap %ld sprung", trap->fail_at)
               : KAL_OK;
}

static KalStatus trapped_rate(void *user, double t, const double *y, double *f)
{
    KAL_TRY(spring(user));
    return pendulum_rate(NULL, t, y, f);
}

static KalStatus trapped_project(void *user, double t, double *y)
{
    KAL_TRY(spring(user));
    return pendulum_project(NULL, t, y);
}

// What a run to t = 3 comes to; calls that fail are made again.
typedef struct Outcome {
    double y[4];
    double middle[4];
    int failures;
    KalOdeCounts counts;
} Outcome;

static KalStatus insist(KalStatus status, Outcome *outcome)
{
    if (status != KAL_OK) {
        outcome->failures++;
        ok(strstr(kal_context_message(ctx), "sprung") != NULL);
    }
    return status;
}

static Outcome run_trapped(Trap *trap, bool project_stages)
{
    const KalOdeSystem system = {
        .n = 4, .user = trap, .rate = trapped_rate, .project = trapped_project};
    KalOdeOptions options = kal_ode_options();
    options.rtol = 1e-6;
    options.atol = 1e-6;
    options.project_stages = project_stages;
    KalIntegrator *solver = make(&system, &options);
    Outcome outcome = {.failures = 0};
    KalOdeStep step = {.finished = false};
    double y[4];
    pendulum_release(2.0, y);
    while (insist(kal_integrator_start(solver, 0.0, y, 3.0), &outcome) != KAL_OK) {
        ok(kal_integrator_step(solver, &step) == KAL_ERR_USAGE);
    }
    while (!step.finished && outcome.failures < 5) {
        const KalOdeStep before = step;
        if (insist(kal_integrator_step(solver, &step), &outcome) != KAL_OK) {
            ok(kal_integrator_interpolate(solver, step.t_new, y) == KAL_OK);
            ok(!before.y_new || distance(4, y, before.y_new) == 0.0);
            ok(step.t_new == before.t_new && step.y_new == before.y_new);
            continue;
        }
        const double t = 0.5 * (step.t_old + step.t_new);
        while (insist(kal_integrator_interpolate(solver, t, outcome.middle), &outcome)
               != KAL_OK) {
        }
    }
    ok(step.t_new == 3.0);
    memcpy(outcome.y, step.y_new, sizeof outcome.y);
    outcome.counts = kal_integrator_counts(solver);
    kal_integrator_destroy(solver);
    return outcome;
}

// Whichever call fails, the explanation comes through, the state stays, and going on leads
// where it would have led.
static void every_call_may_fail(void)
{
    begin();
    for (int stages = 0; stages <= 1; stages++) {
        Trap none = {.status = KAL_OK};
        const Outcome want = run_trapped(&none, stages == 1);
        ok(want.failures == 0 && none.calls > 100);
        for (long at = 1; at <= none.calls; at++) {
            Trap trap = {.fail_at = at, .status = KAL_ERR_CONTRADICTION};
            const Outcome got = run_trapped(&trap, stages == 1);
            ok(got.failures == 1);
            ok(distance(4, got.y, want.y) == 0.0);
            ok(distance(4, got.middle, want.middle) == 0.0);
        }
    }
    end();
}

// Where the failing call asks for a smaller step, it is not even seen, but for the very
// first rate and dense output, which have no step to make smaller.
static void every_call_may_ask_for_a_smaller_step(void)
{
    begin();
    Trap none = {.status = KAL_OK};
    const Outcome want = run_trapped(&none, true);
    int seen = 0;
    for (long at = 1; at <= none.calls; at++) {
        Trap trap = {.fail_at = at, .status = KAL_ERR_NUMBER};
        const Outcome got = run_trapped(&trap, true);
        seen += got.failures;
        ok(got.counts.retries == 1 - got.failures);
        near(distance(4, got.y, want.y), 0.0, 1e-4);
    }
    ok(seen == 1 + 6 * want.counts.steps);
    end();
}

static bool retry_contradictions(KalStatus status)
{
    return status == KAL_ERR_CONTRADICTION;
}

static bool never_retry(KalStatus status)
{
    (void)status;
    return false;
}

// y' = -1 - sqrt(y) has no rate below 0, where the solution arrives at full speed.
static KalStatus edge_rate(void *user, double t, const double *y, double *f)
{
    const KalStatus *status = user;
    (void)t;
    if (y[0] < 0.0) {
        return kal_fail(ctx, *status, "no root of %g", y[0]);
    }
    f[0] = -1.0 - sqrt(y[0]);
    return KAL_OK;
}

static KalStatus nan_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = -1.0 - sqrt(y[0]);
    return KAL_OK;
}

// When the solution that starts with 1 comes to y.
static double edge_time(double y)
{
    const double u = sqrt(y);
    return 2.0 * (1.0 - u) - 2.0 * log(2.0 / (1.0 + u));
}

// Near the edge steps are made smaller until they stay inside; without leave to retry the
// first one that does not stops the run.
static void steps_keep_to_the_domain(void)
{
    static const struct {
        KalRateFn rate;
        KalStatus status;
        bool (*may_retry)(KalStatus status);
    } ways[] = {
        {edge_rate, KAL_ERR_NUMBER,        NULL                },
        {nan_rate,  KAL_ERR_NUMBER,        NULL                },
        {edge_rate, KAL_ERR_CONTRADICTION, retry_contradictions},
        {edge_rate, KAL_ERR_CONTRADICTION, NULL                },
        {nan_rate,  KAL_ERR_NUMBER,        never_retry         },
    };

    begin();
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        KalStatus status = ways[i].status;
        const KalOdeSystem system = {.n = 1,
                                     .user = &status,
                                     .rate = ways[i].rate,
                                     .may_retry = ways[i].may_retry};
        KalOdeOptions options = kal_ode_options();
        options.first_step = 10.0;
        KalIntegrator *solver = make(&system, &options);
        KalOdeStep step = {.finished = false};
        const double y[1] = {1.0};
        ok(kal_integrator_start(solver, 0.0, y, edge_time(1e-4)) == KAL_OK);
        if (i >= 3) {
            ok(kal_integrator_step(solver, &step) == ways[i].status);
            ok(kal_integrator_counts(solver).evaluations <= 12);
            ok(kal_integrator_counts(solver).retries == 0);
        } else {
            while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            }
            near(step.y_new[0], 1e-4, 1e-8);
            ok(kal_integrator_counts(solver).retries > 0);
        }
        kal_integrator_destroy(solver);
    }
    end();
}

// A solution that runs out of its domain at full speed.
static void domain_ends_with_the_last_failure(void)
{
    begin();
    const KalOdeSystem system = {.n = 1, .rate = nan_rate};
    KalIntegrator *solver = make(&system, NULL);
    KalOdeStep step = {.t_new = 0.0};
    const double y[1] = {1.0};
    ok(kal_integrator_start(solver, 0.0, y, 3.0) == KAL_OK);
    KalStatus status = KAL_OK;
    while (status == KAL_OK) {
        status = kal_integrator_step(solver, &step);
    }
    ok(status == KAL_ERR_NUMBER);
    has_text(kal_context_message(ctx), "rate of state 0 is not a number at t = 0.6137");
    near(step.t_new, edge_time(0.0), 1e-9);
    ok(step.y_new[0] >= 0.0 && step.y_new[0] < 1e-8);
    ok(kal_integrator_counts(solver).evaluations < 20000);
    kal_integrator_destroy(solver);
    end();
}

static KalStatus square_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = y[0] * y[0];
    return KAL_OK;
}

// 1/(1 - t) goes to infinity.
static void collapse_of_the_step_is_an_error(void)
{
    begin();
    const KalOdeSystem system = {.n = 1, .rate = square_rate};
    KalIntegrator *solver = make(&system, NULL);
    KalOdeStep step = {.t_new = 0.0};
    const double y[1] = {1.0};
    ok(kal_integrator_start(solver, 0.0, y, 2.0) == KAL_OK);
    KalStatus status = KAL_OK;
    while (status == KAL_OK) {
        status = kal_integrator_step(solver, &step);
    }
    ok(status == KAL_ERR_STEP);
    has_text(kal_context_message(ctx), "step size fell to");
    near(step.t_new, 1.0, 1e-8);
    ok(step.y_new[0] > 1e7);
    ok(kal_integrator_counts(solver).steps < 2000);
    kal_integrator_destroy(solver);
    end();
}

static KalStatus jump_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)y;
    f[0] = t < 1.0 ? 0.0 : 1.0;
    return KAL_OK;
}

// A jump in the rate takes small steps, but not the run.
static void jumps_in_the_rate_are_survived(void)
{
    begin();
    const KalOdeSystem system = {.n = 1, .rate = jump_rate};
    KalOdeOptions options = kal_ode_options();
    options.max_step = 0.3; // or nothing would be noticed
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    const double y[1] = {0.0};
    ok(kal_integrator_start(solver, 0.0, y, 3.0) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        ok(step.t_new - step.t_old <= 0.3 + 1e-15);
    }
    near(step.y_new[0], 2.0, 1e-8);
    ok(kal_integrator_counts(solver).rejected > 0);
    kal_integrator_destroy(solver);
    end();
}

static KalStatus huge_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    (void)y;
    f[0] = 1e300;
    return KAL_OK;
}

static void overflow_is_an_error(void)
{
    begin();
    const KalOdeSystem system = {.n = 1, .rate = huge_rate};
    KalOdeOptions options = kal_ode_options();
    options.fixed_step = 1e9;
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step;
    const double y[1] = {0.0};
    ok(kal_integrator_start(solver, 0.0, y, 2e9) == KAL_OK);
    ok(kal_integrator_step(solver, &step) == KAL_ERR_NUMBER);
    has_text(kal_context_message(ctx), "overflows");
    kal_integrator_destroy(solver);
    end();
}

// An end may be moved while running; what was learned about steps is kept.
static void end_may_be_moved(void)
{
    begin();
    const KalOdeSystem system = {.n = 2, .rate = oscillator_rate};
    KalIntegrator *solver = make(&system, NULL);
    KalOdeStep step = {.finished = false};
    double longest = 0.0;
    const double y[2] = {0.0, 1.0};
    ok(kal_integrator_set_end(solver, 1.0) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 0.0, y, 5.0) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        longest = larger(longest, step.t_new - step.t_old);
    }
    ok(kal_integrator_step(solver, &step) == KAL_ERR_USAGE);
    for (int i = 1; i <= 3; i++) {
        const double t_end = 5.0 + 1e-6 * i;
        ok(kal_integrator_set_end(solver, t_end) == KAL_OK);
        ok(kal_integrator_step(solver, &step) == KAL_OK);
        ok(step.finished && step.t_new == t_end);
        near(step.y_new[0], sin(t_end), 1e-8);
    }
    ok(kal_integrator_set_end(solver, 4.0) == KAL_ERR_USAGE);
    ok(kal_integrator_set_end(solver, NAN) == KAL_ERR_USAGE);
    ok(kal_integrator_set_end(solver, INFINITY) == KAL_OK);
    ok(kal_integrator_step(solver, &step) == KAL_OK);
    ok(!step.finished && step.t_new - step.t_old > 0.5 * longest);
    kal_integrator_destroy(solver);
    end();
}

// A start anew forgets all: the same bits as in an integrator just made.
static void start_forgets_all(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 4, .rate = kepler_rate, .project = kepler_project};
    KalIntegrator *used = make(&system, NULL);
    KalIntegrator *fresh = make(&system, NULL);
    KalOdeStep a;
    KalOdeStep b;
    double y[4];
    kepler_state(0.9, 1.0, y);
    ok(kal_integrator_start(used, 0.0, y, -50.0) == KAL_OK);
    for (int i = 0; i < 40; i++) {
        ok(kal_integrator_step(used, &a) == KAL_OK);
    }
    kepler_state(0.3, 0.0, y);
    ok(kal_integrator_start(used, 0.0, y, 10.0) == KAL_OK);
    ok(kal_integrator_start(fresh, 0.0, y, 10.0) == KAL_OK);
    ok(kal_integrator_interpolate(used, -1e-3, y) == KAL_ERR_USAGE);
    do {
        ok(kal_integrator_step(used, &a) == KAL_OK);
        ok(kal_integrator_step(fresh, &b) == KAL_OK);
        ok(a.t_new == b.t_new && distance(4, a.y_new, b.y_new) == 0.0);
    } while (!a.finished && !b.finished);
    ok(a.finished && b.finished);
    ok(kal_integrator_counts(used).steps == kal_integrator_counts(fresh).steps + 40);
    kal_integrator_destroy(used);
    kal_integrator_destroy(fresh);
    end();
}

static KalStatus drag_rate(void *user, double t, const double *y, double *f)
{
    f[0] = -*(const double *)user * (y[0] - cos(t));
    f[1] = -y[1];
    return KAL_OK;
}

static bool seems_stiff(const KalOdeSystem *system, const double *y, double t_end,
                        double tolerance)
{
    KalOdeOptions options = kal_ode_options();
    options.rtol = tolerance;
    options.atol = tolerance;
    KalIntegrator *solver = make(system, &options);
    KalOdeStep step = {.finished = false};
    bool stiff = false;
    ok(kal_integrator_start(solver, 0.0, y, t_end) == KAL_OK);
    while (!step.finished && !stiff
           && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        stiff = step.stiff;
    }
    kal_integrator_destroy(solver);
    return stiff;
}

static void stiffness_is_noticed(void)
{
    begin();
    double rate = 1e5;
    const KalOdeSystem stiff = {.n = 2, .user = &rate, .rate = drag_rate};
    const double y[2] = {1.0, 1.0};
    double orbit[4];
    kepler_state(0.9, 0.0, orbit);
    const KalOdeSystem oscillator = {.n = 2, .rate = oscillator_rate};
    const KalOdeSystem kepler = {.n = 4, .rate = kepler_rate};
    for (int digits = 3; digits <= 9; digits += 3) {
        const double tolerance = pow(10.0, -digits);
        ok(seems_stiff(&stiff, y, 1.0, tolerance));
        ok(!seems_stiff(&oscillator, y, 100.0, tolerance));
        ok(!seems_stiff(&kepler, orbit, 20.0, tolerance));
    }
    end();
}

// With projected stages the rate is asked on the manifold and nowhere else.
static KalStatus strict_rate(void *user, double t, const double *y, double *f)
{
    double *worst = user;
    *worst = larger(*worst, pendulum_residual(y));
    return pendulum_rate(NULL, t, y, f);
}

static void projected_stages_lie_on_the_manifold(void)
{
    begin();
    for (int stages = 0; stages <= 1; stages++) {
        double worst = 0.0;
        const KalOdeSystem system = {
            .n = 4, .user = &worst, .rate = strict_rate, .project = pendulum_project};
        KalOdeOptions options = kal_ode_options();
        options.project_stages = stages == 1;
        KalIntegrator *solver = make(&system, &options);
        KalOdeStep step = {.finished = false};
        double y[4];
        pendulum_release(2.0, y);
        ok(kal_integrator_start(solver, 0.0, y, 10.0) == KAL_OK);
        while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
            ok(kal_integrator_interpolate(solver, 0.5 * (step.t_old + step.t_new), y)
               == KAL_OK);
        }
        ok(stages == 1 ? worst < 1e-15 : worst > 1e-6);
        kal_integrator_destroy(solver);
    }
    end();
}

// More states than usual are not too many for who trusts a model: tolerances are looked at.
static void huge_models_have_more_states(void)
{
    begin();
    const KalOdeSystem system = {.n = KAL_ODE_LIMIT + 1, .rate = oscillator_rate};
    const KalOdeOptions wrong = {.rtol = -1.0, .atol = 1e-9};
    KalIntegrator *solver = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, &wrong, &solver)
       == KAL_ERR_LIMIT);
    kal_context_set_huge(ctx, true);
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, &wrong, &solver)
       == KAL_ERR_USAGE);
    end();
}

static void wrong_use_is_refused(void)
{
    begin();
    const KalOdeSystem good = {.n = 2, .rate = oscillator_rate};
    KalIntegrator *solver = NULL;
    KalOdeSystem system = good;
    system.n = 0;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &solver)
       == KAL_ERR_USAGE);
    system.n = KAL_ODE_LIMIT + 1;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &solver)
       == KAL_ERR_LIMIT);
    system = good;
    system.rate = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &solver)
       == KAL_ERR_USAGE);
    const double wrong[2] = {1e-9, 0.0};
    const KalOdeOptions options[] = {
        {.rtol = -1e-9, .atol = 1e-9},
        {.rtol = NAN,   .atol = 1e-9},
        {.rtol = 1.0,   .atol = 1e-9},
        {.rtol = 1e-9,  .atol = 0.0 },
        {.rtol = 1e-9,  .atol = NAN },
        {.rtol = 1e-9,  .atol = 1e-9, .atols = wrong},
        {.atol = 1e-9,             .first_step = -1.0             },
        {.atol = 1e-9,             .max_step = NAN},
        {.atol = 1e-9,             .fixed_step = INFINITY             },
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &good, &options[i],
                                 &solver)
           == KAL_ERR_USAGE);
    }
    ok(solver == NULL);
    solver = make(&good, NULL);
    KalOdeStep step = {.t_new = 7.0};
    double y[2] = {1.0, 0.0};
    ok(kal_integrator_step(solver, &step) == KAL_ERR_USAGE && step.t_new == 7.0);
    ok(kal_integrator_interpolate(solver, 0.0, y) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 0.0, y, 0.0) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, NAN, y, 1.0) == KAL_ERR_USAGE);
    ok(kal_integrator_start(solver, 0.0, y, NAN) == KAL_ERR_USAGE);
    const double bad[2] = {1.0, INFINITY};
    ok(kal_integrator_start(solver, 0.0, bad, 1.0) == KAL_ERR_NUMBER);
    has_text(kal_context_message(ctx), "state 1");
    ok(kal_integrator_start(solver, 0.0, y, INFINITY) == KAL_OK);
    ok(kal_integrator_interpolate(solver, 1e-300, y) == KAL_ERR_USAGE);
    y[0] = 0.0;
    ok(kal_integrator_interpolate(solver, 0.0, y) == KAL_OK && y[0] == 1.0);
    ok(kal_integrator_step(solver, &step) == KAL_OK);
    ok(kal_integrator_interpolate(solver, -1e-9, y) == KAL_ERR_USAGE);
    ok(kal_integrator_interpolate(solver, 2.0 * step.t_new, y) == KAL_ERR_USAGE);
    ok(kal_integrator_interpolate(solver, NAN, y) == KAL_ERR_USAGE);
    kal_integrator_destroy(solver);
    kal_integrator_destroy(NULL);
    end();
}

static void every_allocation_may_fail(void)
{
    const KalOdeSystem system = {.n = 5, .rate = oscillator_rate};
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 10; n = fault_next(n)) {
        fault = (Fault){.calls_left = n + 1};
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        KalIntegrator *solver = NULL;
        status =
            kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &solver);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok((status == KAL_OK) == (solver != NULL));
        ok(status == KAL_OK || strstr(kal_context_message(ctx), "memory") != NULL);
        kal_integrator_destroy(solver);
        end();
    }
    ok(status == KAL_OK);
}

static void steps_allocate_nothing(void)
{
    begin();
    const KalOdeSystem system = {
        .n = 4, .rate = kepler_rate, .project = kepler_project};
    KalIntegrator *solver = make(&system, NULL);
    const size_t blocks = kal_context_allocations(ctx);
    fault.calls_left = 0;
    KalOdeStep step = {.finished = false};
    double y[4];
    kepler_state(0.5, 0.0, y);
    ok(kal_integrator_start(solver, 0.0, y, 20.0) == KAL_OK);
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        ok(kal_integrator_interpolate(solver, 0.3 * step.t_old + 0.7 * step.t_new, y)
           == KAL_OK);
    }
    ok(kal_context_allocations(ctx) == blocks);
    kal_integrator_destroy(solver);
    end();
}

// At rest, but for the manifold, which moves by 1 within 0.01 of t = 0.5.
static KalStatus rest_rate(void *user, double t, const double *y, double *out_rate)
{
    (void)user;
    (void)t;
    (void)y;
    out_rate[0] = 0.0;
    return KAL_OK;
}

static KalStatus ramp_project(void *user, double t, double *y)
{
    (void)user;
    y[0] = fmin(fmax(100.0 * (t - 0.5), 0.0), 1.0);
    return KAL_OK;
}

// The longest way of a step over the ramp.
static double climb(bool neglect)
{
    const KalOdeSystem system = {.n = 1, .rate = rest_rate, .project = ramp_project};
    KalOdeOptions options = kal_ode_options();
    options.rtol = options.atol = 1e-3;
    KalIntegrator *solver = make(&system, &options);
    KalOdeStep step = {.finished = false};
    const double y = 0.0;
    const int entry = 0;
    kal_integrator_neglect(solver, &entry, neglect ? 1 : 0);
    ok(kal_integrator_start(solver, 0.0, &y, 1.0) == KAL_OK);
    double longest = 0.0;
    while (!step.finished && ok(kal_integrator_step(solver, &step) == KAL_OK)) {
        longest = fmax(longest, fabs(step.y_new[0] - step.y_old[0]));
    }
    near(step.y_new[0], 1.0, 0.0);
    kal_integrator_destroy(solver);
    return longest;
}

// Rates that see nothing of it leave the step size to the projection; numbers whose errors do not
// count may be moved further.
static void a_projection_that_moves_far_shortens_steps(void)
{
    begin();
    ok(climb(false) <= 2.1e-3);
    const double longest = climb(true);
    ok(longest > 4.2e-3 && longest <= 16.0 * 2.1e-3);
    end();
}

// Two oscillators, one of them thirty times as fast.
static KalStatus two_rate(void *user, double t, const double *y, double *out_rate)
{
    (void)user;
    (void)t;
    out_rate[0] = y[1];
    out_rate[1] = -y[0];
    out_rate[2] = 30.0 * y[3];
    out_rate[3] = -30.0 * y[2];
    return KAL_OK;
}

static long count_steps(int neglected, double *out_y)
{
    const KalOdeSystem system = {.n = 4, .rate = two_rate};
    KalOdeOptions options = kal_ode_options();
    options.rtol = options.atol = 1e-9;
    KalIntegrator *solver = make(&system, &options);
    const double y[4] = {1.0, 0.0, 1.0, 0.0};
    const int entries[] = {3, 2};
    kal_integrator_neglect(solver, entries, 1); // counts again
    kal_integrator_neglect(solver, entries, neglected);
    ok(kal_integrator_start(solver, 0.0, y, 3.0) == KAL_OK);
    ok(kal_integrator_advance(solver, 3.0, out_y) == KAL_OK);
    const long steps = kal_integrator_counts(solver).steps;
    kal_integrator_destroy(solver);
    return steps;
}

// Errors that do not count leave steps as long as those that do let them be.
static void neglected_errors_do_not_shorten_steps(void)
{
    begin();
    double y[4];
    const long all = count_steps(0, y);
    near(y[2], cos(90.0), 1e-7);
    const long half = count_steps(2, y);
    ok(half * 3 < all);
    near(y[0], cos(3.0), 1e-7);
    ok(fabs(y[2] - cos(90.0)) > 1e-7);
    end();
}

TAP_RUN(TAP_CASE(every_call_may_fail), TAP_CASE(every_call_may_ask_for_a_smaller_step),
        TAP_CASE(steps_keep_to_the_domain), TAP_CASE(domain_ends_with_the_last_failure),
        TAP_CASE(collapse_of_the_step_is_an_error),
        TAP_CASE(jumps_in_the_rate_are_survived), TAP_CASE(overflow_is_an_error),
        TAP_CASE(end_may_be_moved), TAP_CASE(start_forgets_all),
        TAP_CASE(a_projection_that_moves_far_shortens_steps),
        TAP_CASE(neglected_errors_do_not_shorten_steps), TAP_CASE(stiffness_is_noticed),
        TAP_CASE(projected_stages_lie_on_the_manifold),
        TAP_CASE(huge_models_have_more_states), TAP_CASE(wrong_use_is_refused),
        TAP_CASE(every_allocation_may_fail), TAP_CASE(steps_allocate_nothing))

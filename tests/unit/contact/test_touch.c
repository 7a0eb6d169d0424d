// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "contact/touch.h"
#include "tap.h"

enum {
    TOUCHES = 3,
    ROWS = 9
};

static KalContext *ctx;
static KalTouchSolver *solver;
static KalTouchAnswer answer;

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_touch_create(ctx, TOUCHES, ROWS, &solver) == KAL_OK);
}

static void end(void)
{
    kal_touch_destroy(solver);
    kal_context_destroy(ctx);
}

static KalTouchEnd solve(int n, const KalTouchLaw *laws, int rows, const double *G,
                         const double *free)
{
    const KalTouchProblem problem = {
        .n = n, .laws = laws, .rows = rows, .G = G, .free = free};
    return kal_touch_solve(solver, &problem, &answer);
}

// A block of mass 2 on a slope: gap and slip do not know each other.
static KalTouchEnd block(double mu, double hold, double normal, double along)
{
    const KalTouchLaw law = {
        .gap = 0, .n_slips = 1, .slip = {1}, .slope = mu, .slope_hold = hold};
    const double G[] = {0.5, 0.0, 0.0, 0.5};
    const double free[] = {normal, along};
    return solve(1, &law, 2, G, free);
}

static void a_block_holds_up_to_its_limit(void)
{
    begin();
    ok(block(0.5, 0.5, -10.0, 4.0) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_HOLD && !answer.touches[0].slips);
    near(answer.forces[0], 20.0, 1e-12);
    near(answer.forces[1], -8.0, 1e-12);
    near(answer.rates[1], 0.0, 1e-12);
    end();
}

static void a_block_slides_beyond_it(void)
{
    begin();
    for (int sign = -1; sign <= 1; sign += 2) {
        ok(block(0.5, 0.5, -10.0, 6.0 * sign) == KAL_TOUCH_FOUND);
        ok(answer.touches[0].mode == KAL_TOUCH_SLIDE && answer.touches[0].slips);
        near(answer.touches[0].direction[0], sign, 0.0);
        near(answer.forces[1], -10.0 * sign, 1e-12);
        near(answer.rates[1], sign, 1e-12);
    }
    end();
}

// Between the limits it holds; above the static one it slides at the other.
static void what_breaks_away_slides_with_less(void)
{
    begin();
    ok(block(0.2, 0.5, -10.0, 4.0) == KAL_TOUCH_FOUND);
    near(answer.rates[1], 0.0, 1e-12);
    ok(block(0.2, 0.5, -10.0, 6.0) == KAL_TOUCH_FOUND);
    near(answer.rates[1], 4.0, 1e-12);
    end();
}

static void what_is_lifted_leaves(void)
{
    begin();
    ok(block(0.5, 0.5, 3.0, 4.0) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_OPEN && answer.touches[0].leaves);
    near(answer.forces[0], 0.0, 0.0);
    near(answer.rates[1], 4.0, 1e-12);
    end();
}

// A block that nothing presses yet stays closed, and rubs as soon as something does.
static void what_nothing_presses_yet_is_about_to_rub(void)
{
    begin();
    ok(block(0.5, 0.5, 0.0, 4.0) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_SLIDE && answer.touches[0].slips);
    ok(!answer.touches[0].pushes && !answer.touches[0].leaves);
    near(answer.touches[0].direction[0], 1.0, 0.0);
    near(answer.forces[1], 0.0, 0.0);
    near(answer.rates[1], 4.0, 1e-12);
    ok(block(0.5, 0.5, 0.0, 0.0) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_HOLD && !answer.touches[0].slips);
    ok(!answer.touches[0].pushes && !answer.touches[0].grips);
    end();
}

// A weight in a corner of two walls at right angles, and one that three feet of a line
// carry, of which two are enough.
static void redundant_feet_share(void)
{
    const KalTouchLaw laws[] = {{.gap = 0}, {.gap = 1}, {.gap = 2}};
    double G[9];
    const double x[] = {-1.0, 0.0, 1.0};
    const double free[] = {-10.0, -10.0, -10.0};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            G[3 * i + k] = 1.0 + x[i] * x[k];
        }
    }
    begin();
    ok(solve(3, laws, 3, G, free) == KAL_TOUCH_FOUND);
    near(answer.forces[0] + answer.forces[1] + answer.forces[2], 10.0, 1e-12);
    near(answer.forces[2] - answer.forces[0], 0.0, 1e-12);
    for (int i = 0; i < 3; i++) {
        ok(answer.forces[i] >= 0.0 && !answer.touches[i].leaves);
        near(answer.rates[i], 0.0, 1e-12);
    }
    end();
}

// A ball that two walls squeeze together.
static void a_contradiction_is_told(void)
{
    const KalTouchLaw laws[] = {{.gap = 0}, {.gap = 1}};
    const double G[] = {1.0, -1.0, -1.0, 1.0};
    const double free[] = {-1.0, -1.0};
    begin();
    ok(solve(2, laws, 2, G, free) == KAL_TOUCH_NONE);
    ok(answer.blamed[0] && answer.blamed[1]);
    end();
}

// Painlevé's rod of mass 1 and length 2: for sin θ cos θ ≥ (1 + 3 cos²θ)/(3 μ) its normal
// response to sliding friction is negative.
static KalTouchEnd rod(double mu, double sine, double load)
{
    const double cosine = sqrt(1.0 - sine * sine);
    const KalTouchLaw law = {.gap = 0,
                             .n_slips = 1,
                             .slip = {1},
                             .slope = mu,
                             .slope_hold = mu,
                             .moves = true,
                             .direction = {1.0}};
    const double G[] = {1.0 + 3.0 * cosine * cosine, 3.0 * sine * cosine,
                        3.0 * sine * cosine, 1.0 + 3.0 * sine * sine};
    const double free[] = {load, 0.0};
    return solve(1, &law, 2, G, free);
}

static void painleve_rod_has_none_or_two(void)
{
    begin();
    ok(rod(1.0, 0.8, -9.81) == KAL_TOUCH_FOUND);
    ok(rod(2.0, 0.8, -9.81) == KAL_TOUCH_NONE);
    ok(answer.blamed[0]);
    ok(rod(2.0, 0.8, 9.81) == KAL_TOUCH_SEVERAL);
    ok(answer.blamed[0]);
    end();
}

// A body of mass 1 on a plane, pulled sideways: holds, or slides along the pull.
static void friction_in_space_opposes_the_pull(void)
{
    const KalTouchLaw law = {
        .gap = 0, .n_slips = 2, .slip = {1, 2},
                .slope = 0.5, .slope_hold = 0.5
    };
    const double G[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double weak[] = {-10.0, 2.4, 3.2};
    const double strong[] = {-10.0, 4.8, 6.4};
    begin();
    ok(solve(1, &law, 3, G, weak) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_HOLD);
    near(answer.forces[1], -2.4, 1e-12);
    near(answer.forces[2], -3.2, 1e-12);
    ok(solve(1, &law, 3, G, strong) == KAL_TOUCH_FOUND);
    ok(answer.touches[0].mode == KAL_TOUCH_SLIDE);
    near(answer.touches[0].direction[0], 0.6, 1e-12);
    near(answer.forces[1], -3.0, 1e-12);
    near(answer.rates[2], 2.4, 1e-12);
    end();
}

// A friction without a gap: a clutch.
static void a_clutch_has_a_torque(void)
{
    const KalTouchLaw law = {
        .gap = KAL_NO_ROW, .n_slips = 1, .slip = {0}, .force = 3.0, .force_hold = 5.0};
    const double G[] = {2.0};
    const double weak[] = {9.0};
    const double strong[] = {11.0};
    begin();
    ok(solve(1, &law, 1, G, weak) == KAL_TOUCH_FOUND);
    near(answer.forces[0], -4.5, 1e-12);
    ok(solve(1, &law, 1, G, strong) == KAL_TOUCH_FOUND);
    near(answer.forces[0], -3.0, 1e-12);
    near(answer.rates[0], 5.0, 1e-12);
    end();
}

// A gap between rows that are held, whose rate is theirs but for some rounding.
static KalTouchEnd between(double off, double dust)
{
    const KalTouchLaw laws[] = {
        {.gap = KAL_NO_ROW, .n_slips = 1, .slip = {0}, .bound = true},
        {.gap = KAL_NO_ROW,      .n_slips = 1, .slip = {1}, .bound = true},
        {.gap = 2                }
    };
    const double G[] = {1.0, 0.0, 0.6, 0.0, 1.0, 0.8, 0.6, 0.8, 1.0};
    const double free[] = {0.4, -0.3, off};
    const KalTouchProblem problem = {
        .n = 3, .laws = laws, .rows = 3, .G = G, .free = free, .dust = dust};
    return kal_touch_solve(solver, &problem, &answer);
}

static void what_depends_on_held_rows_is_off_by_rounding(void)
{
    begin();
    const double given[][2] = {
        {0.0,    0.0 },
        {-1e-12, 0.0 },
        {1e-12,  0.0 },
        {-1e-6,  1e-8},
    };
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        ok(between(given[i][0], given[i][1]) == KAL_TOUCH_FOUND);
        near(answer.forces[0], -0.4, 1e-5);
        near(answer.forces[1], 0.3, 1e-5);
        near(answer.rates[2], 0.0, 1e-5);
    }
    ok(between(-1e-6, 0.0) == KAL_TOUCH_NONE); // no rounding: it is entered
    ok(between(-1e-3, 1e-8) == KAL_TOUCH_NONE);
    end();
}

static KalStatus make_and_free(KalContext *own)
{
    KalTouchSolver *made = NULL;
    const KalStatus status = kal_touch_create(own, TOUCHES, ROWS, &made);
    ok(status == KAL_OK || !made);
    kal_touch_destroy(made);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_free);
}

TAP_RUN(TAP_CASE(a_block_holds_up_to_its_limit), TAP_CASE(a_block_slides_beyond_it),
        TAP_CASE(what_breaks_away_slides_with_less), TAP_CASE(what_is_lifted_leaves),
        TAP_CASE(what_nothing_presses_yet_is_about_to_rub),
        TAP_CASE(redundant_feet_share), TAP_CASE(a_contradiction_is_told),
        TAP_CASE(painleve_rod_has_none_or_two),
        TAP_CASE(friction_in_space_opposes_the_pull), TAP_CASE(a_clutch_has_a_torque),
        TAP_CASE(what_depends_on_held_rows_is_off_by_rounding),
        TAP_CASE(every_allocation_may_fail))

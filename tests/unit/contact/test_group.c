// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "contact/group.h"
#include "tap.h"

enum {
    ROWS = 5
};

static KalContext *ctx;
static KalGroups *groups;
static KalTouchAnswer answer;

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_groups_create(ctx, ROWS, ROWS, &groups) == KAL_OK);
}

static void end(void)
{
    kal_groups_destroy(groups);
    kal_context_destroy(ctx);
}

// Two feet of one body, a block that slides, and one law that cannot be met: rows of feet are
// 0 and 4, of the block 1 (gap) and 2 (slip), and row 3 is a gap that nothing moves.
static KalTouchEnd solve(double stuck)
{
    const KalTouchLaw laws[] = {
        {.gap = 0          },
        {.gap = 1,           .n_slips = 1, .slip = {2}, .slope = 0.5, .slope_hold = 0.5},
        {.gap = 3      },
        {.gap = 4}
    };
    const double G[ROWS * ROWS] = {2.0, 0.0, 0.0,  0.0, -1.0, 0.0, 1.0, 0.0, 0.0,
                                   0.0, 0.0, 0.0,  1.0, 0.0,  0.0, 0.0, 0.0, 0.0,
                                   0.0, 0.0, -1.0, 0.0, 0.0,  0.0, 2.0};
    const double free[] = {-3.0, -10.0, 7.0, stuck, -3.0};
    const KalTouchProblem problem = {
        .n = 4, .laws = laws, .rows = ROWS, .G = G, .free = free};
    return kal_groups_solve(groups, &problem, &answer);
}

static void groups_are_solved_by_themselves(void)
{
    begin();
    ok(solve(1.0) == KAL_TOUCH_FOUND);
    near(answer.forces[0], 3.0, 1e-12);
    near(answer.forces[4], 3.0, 1e-12);
    near(answer.forces[1], 10.0, 1e-12);
    near(answer.forces[2], -5.0, 1e-12);
    near(answer.rates[2], 2.0, 1e-12);
    near(answer.forces[3], 0.0, 0.0);
    ok(answer.touches[1].mode == KAL_TOUCH_SLIDE && answer.touches[2].leaves);
    end();
}

static void only_the_group_at_fault_is_blamed(void)
{
    begin();
    ok(solve(-1.0) == KAL_TOUCH_NONE);
    ok(answer.blamed[2] && !answer.blamed[0] && !answer.blamed[1] && !answer.blamed[3]);
    end();
}

// A row that is bound has a force to either side; rows that repeat it change nothing.
static void what_is_bound_is_held_by_any_force(void)
{
    const KalTouchLaw laws[] = {
        {.gap = KAL_NO_ROW, .n_slips = 1, .slip = {0}, .bound = true},
        {.gap = 1         },
        {.gap = KAL_NO_ROW,    .n_slips = 1,             .slip = {2},        .bound = true     }
    };
    const double G[] = {2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 1.0, 2.0};
    const double free[] = {4.0, 1.0, 4.0};
    const KalTouchProblem problem = {
        .n = 3, .laws = laws, .rows = 3, .G = G, .free = free};
    begin();
    ok(kal_groups_solve(groups, &problem, &answer) == KAL_TOUCH_FOUND);
    near(answer.rates[0], 0.0, 1e-12);
    near(answer.rates[1], 0.0, 1e-12); // entered by the pull of the other, it pushes
    near(answer.forces[0] + answer.forces[2], -3.0, 1e-12);
    near(answer.forces[1], 2.0, 1e-12);
    end();
}

static KalStatus make_and_free(KalContext *own)
{
    KalGroups *made = NULL;
    const KalStatus status = kal_groups_create(own, ROWS, ROWS, &made);
    ok(status == KAL_OK || !made);
    kal_groups_destroy(made);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_free);
}

TAP_RUN(TAP_CASE(groups_are_solved_by_themselves),
        TAP_CASE(only_the_group_at_fault_is_blamed),
        TAP_CASE(what_is_bound_is_held_by_any_force),
        TAP_CASE(every_allocation_may_fail))

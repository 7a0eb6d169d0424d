// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "contact/share.h"
#include "tap.h"

enum {
    MOST = 12
};

static KalContext *ctx;
static KalLcp *lcp;
static KalShare *share;

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_lcp_create(ctx, MOST, &lcp) == KAL_OK);
    ok(kal_share_create(ctx, MOST, 2, MOST, &share) == KAL_OK);
}

static void end(void)
{
    kal_share_destroy(share);
    kal_lcp_destroy(lcp);
    kal_context_destroy(ctx);
}

static const KalShareLimit pushes[] = {
    {.force = {0, -1, -1}, .factor = {1.0, 0.0}},
    {.force = {1, -1, -1}, .factor = {1.0, 0.0}},
    {.force = {2, -1, -1}, .factor = {1.0, 0.0}},
    {.force = {3, -1, -1}, .factor = {1.0, 0.0}},
};

// A beam on supports at −1, 0, 1 and 3 with a load of 6 at 0: rows are lift and moment.
static const double beam[] = {1.0, -1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 3.0};

// Without limits in reach the forces are a + b x, by Lagrange: Σ = 6, Σ x = 0 over x give
// 4a + 3b = 6, 3a + 11b = 0.
static void a_beam_shares_its_load_linearly(void)
{
    double forces[] = {0.0, 6.0, 0.0, 0.0};
    bool shared[4];
    const double a = 66.0 / 35.0;
    const double b = -18.0 / 35.0;
    begin();
    ok(kal_share_find(share, 4, 2, beam, shared) == 2);
    ok(shared[0] && shared[1] && shared[2] && shared[3]);
    ok(kal_share_solve(share, lcp, pushes, 4, NULL, forces));
    near(forces[0], a - b, 1e-13);
    near(forces[1], a, 1e-13);
    near(forces[2], a + b, 1e-13);
    near(forces[3], a + 3.0 * b, 1e-13);
    end();
}

// The load at −1/2: the last support would pull, a + 3b < 0, so it has no share and the others
// have a + b x with 3a = 6, 2b = −3.
static void what_would_pull_has_no_share(void)
{
    double forces[] = {3.0, 3.0, 0.0, 0.0};
    bool shared[4];
    begin();
    ok(kal_share_find(share, 4, 2, beam, shared) == 2);
    ok(kal_share_solve(share, lcp, pushes, 4, NULL, forces));
    near(forces[0], 3.5, 1e-13);
    near(forces[1], 2.0, 1e-13);
    near(forces[2], 0.5, 1e-13);
    near(forces[3], 0.0, 1e-13);
    end();
}

// Two supports at one place, and a friction of at most half of the first: a share of it may not
// fall below twice that.
static void frictions_stay_within_their_limits(void)
{
    const double rows[] = {1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const KalShareLimit limits[] = {
        pushes[0],
        pushes[1],
        {.force = {0, 2, -1}, .factor = {0.5, -1.0}},
    };
    double forces[] = {6.0, 0.0, 2.5};
    bool shared[3];
    begin();
    ok(kal_share_find(share, 3, 2, rows, shared) == 1);
    ok(shared[0] && shared[1] && !shared[2]);
    ok(kal_share_solve(share, lcp, limits, 3, NULL, forces));
    near(forces[0], 5.0, 1e-13);
    near(forces[1], 1.0, 1e-13);
    near(forces[2], 2.5, 1e-13);
    end();
}

static void targets_lead_to_either_end(void)
{
    const double rows[] = {1.0, 1.0, 1.0, 1.0};
    const double left[] = {100.0, 0.0};
    const double right[] = {0.0, 100.0};
    double forces[] = {1.0, 2.0};
    bool shared[2];
    begin();
    ok(kal_share_find(share, 2, 2, rows, shared) == 1);
    ok(kal_share_solve(share, lcp, pushes, 2, left, forces));
    near(forces[0], 3.0, 1e-12);
    near(forces[1], 0.0, 1e-12);
    ok(kal_share_solve(share, lcp, pushes, 2, right, forces));
    near(forces[0], 0.0, 1e-12);
    near(forces[1], 3.0, 1e-12);
    end();
}

// A load of (4, 3) on a wall that bears x, and on a friction of at most 3.2: without a cone each
// bears 2 of x, with it the friction bears as much as is left, √(3.2² − 3²).
static void cones_are_obeyed(void)
{
    const double rows[] = {1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const KalShareCone cone = {
        .slip = {1, 2},
          .normal = -1, .force = 3.2
    };
    KalShareLimit list[1 + KAL_SHARE_CUTS] = {pushes[0]};
    const KalShareLimits limits = {.list = list, .n = 1, .cones = &cone, .n_cones = 1};
    double forces[] = {0.0, 4.0, 3.0};
    bool shared[3];
    begin();
    ok(kal_share_find(share, 3, 2, rows, shared) == 1);
    ok(kal_share_solve_cones(share, lcp, &limits, forces));
    near(forces[0], 4.0 - sqrt(3.2 * 3.2 - 9.0), 1e-8);
    near(forces[1], sqrt(3.2 * 3.2 - 9.0), 1e-8);
    near(forces[2], 3.0, 1e-12);
    end();
}

// N bears 6 together with another, and its friction, part of which is fixed, needs 5 of them.
static void cones_grow_with_their_normal_force(void)
{
    const double rows[] = {1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const KalShareCone cone = {
        .slip = {2,   -1 },
          .fixed = {0.0, 2.0},
          .normal = 0, .slope = 0.5
    };
    KalShareLimit list[2 + KAL_SHARE_CUTS] = {pushes[0], pushes[1]};
    const KalShareLimits limits = {.list = list, .n = 2, .cones = &cone, .n_cones = 1};
    double forces[] = {0.0, 6.0, 1.5};
    bool shared[3];
    begin();
    ok(kal_share_find(share, 3, 2, rows, shared) == 1);
    ok(kal_share_solve_cones(share, lcp, &limits, forces));
    near(forces[0], 5.0, 1e-8);
    near(forces[1], 1.0, 1e-8);
    end();
}

// The friction alone needs more than the cone has.
static void what_no_share_bears_is_told(void)
{
    const double rows[] = {1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const KalShareCone cone = {
        .slip = {1, 2},
          .normal = -1, .force = 2.9
    };
    KalShareLimit list[1 + KAL_SHARE_CUTS] = {pushes[0]};
    const KalShareLimits limits = {.list = list, .n = 1, .cones = &cone, .n_cones = 1};
    double forces[] = {0.0, 4.0, 3.0};
    bool shared[3];
    begin();
    ok(kal_share_find(share, 3, 2, rows, shared) == 1);
    ok(!kal_share_solve_cones(share, lcp, &limits, forces));
    near(forces[1], 4.0, 0.0);
    end();
}

static void independent_rows_share_nothing(void)
{
    const double rows[] = {1.0, 2.0, 1.0, -1.0};
    bool shared[2] = {true, true};
    begin();
    ok(kal_share_find(share, 2, 2, rows, shared) == 0);
    ok(!shared[0] && !shared[1]);
    end();
}

static KalStatus make_and_free(KalContext *own)
{
    KalShare *made = NULL;
    const KalStatus status = kal_share_create(own, MOST, 2, MOST, &made);
    ok(status == KAL_OK || !made);
    kal_share_destroy(made);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_free);
}

TAP_RUN(TAP_CASE(a_beam_shares_its_load_linearly),
        TAP_CASE(what_would_pull_has_no_share),
        TAP_CASE(frictions_stay_within_their_limits),
        TAP_CASE(targets_lead_to_either_end), TAP_CASE(cones_are_obeyed),
        TAP_CASE(cones_grow_with_their_normal_force),
        TAP_CASE(what_no_share_bears_is_told), TAP_CASE(independent_rows_share_nothing),
        TAP_CASE(every_allocation_may_fail))

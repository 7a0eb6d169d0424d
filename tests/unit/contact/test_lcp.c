// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "contact/lcp.h"
#include "tap.h"

enum {
    MOST = 4
};

static KalContext *ctx;
static KalLcp *lcp;

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_lcp_create(ctx, MOST, &lcp) == KAL_OK);
}

static void end(void)
{
    kal_lcp_destroy(lcp);
    kal_context_destroy(ctx);
}

static void nothing_to_do_is_done(void)
{
    const double M[] = {2.0, 1.0, 1.0, 2.0};
    const double q[] = {0.0, 3.0};
    double z[2] = {7.0, 7.0};
    bool basic[2];
    begin();
    ok(kal_lcp_solve(lcp, 2, M, q, z, basic) == KAL_LCP_SOLVED);
    ok(z[0] == 0.0 && z[1] == 0.0 && !basic[0] && !basic[1]);
    ok(kal_lcp_solve(lcp, 0, M, q, z, basic) == KAL_LCP_SOLVED);
    end();
}

// The example of Cottle, Pang and Stone whose path has all variables in turn: M of three
// unknowns with ones and twos below its diagonal.
static void a_path_leads_to_the_solution(void)
{
    const double M[] = {1.0, 2.0, 2.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.0};
    const double q[] = {-1.0, -1.0, -1.0};
    double z[3];
    bool basic[3];
    begin();
    ok(kal_lcp_solve(lcp, 3, M, q, z, basic) == KAL_LCP_SOLVED);
    near(z[0], 0.0, 1e-14);
    near(z[1], 0.0, 1e-14);
    near(z[2], 1.0, 1e-14);
    end();
}

// w = −z − 1 has no solution; w = 0 z − 1 neither, though M is semi-definite.
static void what_has_no_solution_ends_in_a_ray(void)
{
    const double M[] = {-1.0};
    const double zero[] = {0.0};
    const double q[] = {-1.0};
    double z[1];
    bool basic[1];
    begin();
    ok(kal_lcp_solve(lcp, 1, M, q, z, basic) == KAL_LCP_RAY);
    ok(kal_lcp_solve(lcp, 1, zero, q, z, basic) == KAL_LCP_RAY);
    end();
}

// w = 1 − z ≥ 0 ⟂ z ≥ 0 has two: z = 0 and z = 1.  M = 0 has no basis of z.
static void bases_are_tried(void)
{
    const double M[] = {-1.0};
    const double zero[] = {0.0};
    const double q[] = {1.0};
    const bool with[] = {true};
    const bool without[] = {false};
    double z[1] = {7.0};
    begin();
    ok(!kal_lcp_try(lcp, 1, zero, q, with, z));
    ok(z[0] == 7.0);
    ok(kal_lcp_try(lcp, 1, M, q, without, z));
    near(z[0], 0.0, 0.0);
    ok(kal_lcp_try(lcp, 1, M, q, with, z));
    near(z[0], 1.0, 1e-15);
    end();
}

static KalStatus make_and_free(KalContext *own)
{
    KalLcp *made = NULL;
    const KalStatus status = kal_lcp_create(own, MOST, &made);
    ok(status == KAL_OK || !made);
    kal_lcp_destroy(made);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_free);
}

TAP_RUN(TAP_CASE(nothing_to_do_is_done), TAP_CASE(a_path_leads_to_the_solution),
        TAP_CASE(what_has_no_solution_ends_in_a_ray), TAP_CASE(bases_are_tried),
        TAP_CASE(every_allocation_may_fail))

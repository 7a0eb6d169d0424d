// SPDX-License-Identifier: MIT

// Contradictions that rounding explains are none, and others stay.

#include "fault.h"
#include "tap.h"

#include <kalaba/kalaba.h>

static KalContext *ctx;
static Fault fault;

static KalStatus evaluate(const char *text, KalMotionAnswer *answer, double *qdd)
{
    KalSystem *system = NULL;
    KalInstant *instant = NULL;
    KalStartReport report;
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_system_load(ctx, "test.kal", text, strlen(text), NULL, &system) == KAL_OK);
    ok(kal_instant_create(ctx, system, &instant) == KAL_OK);
    ok(kal_instant_start(instant, &report) == KAL_OK);
    const double t = *kal_instant_t(instant);
    const double y = kal_instant_q(instant)[1];
    const KalStatus status = kal_instant_solve(instant, answer);
    ok(*kal_instant_t(instant) == t && kal_instant_q(instant)[1] == y);
    for (int i = 0; i < 2 && status == KAL_OK; i++) {
        qdd[i] = answer->qdd[i];
    }
    kal_instant_destroy(instant);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
    return status;
}

// ψ = 0 and (1 + y²) ψ = 0: right-hand sides are 0 and −2 y y' ψ.
static void multiples_agree_for_all_numbers(void)
{
    for (int k = 0; k < 60; k++) {
        char text[512];
        KalMotionAnswer answer;
        double qdd[2] = {NAN, NAN};
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential x + 0.3*y\n"
                 "constraint a: x'^2 + x' = %.2f\n"
                 "constraint b: (1 + y^2)*(x'^2 + x') = (1 + y^2)*%.2f\n"
                 "init x = 0, y = 0.7, x' ~ 1, y' = 1.3\n",
                 1.0 + 0.04 * k, 1.0 + 0.04 * k);
        if (!ok(evaluate(text, &answer, qdd) == KAL_OK)) {
            continue;
        }
        near(qdd[0], 0.0, 1e-14);
        near(qdd[1], -0.3, 1e-14);
        ok(answer.rank_A == 1 && answer.unique && answer.n_dependent_sets == 1);
    }
}

// Two pairs at once, and a position constraint among them.
static void several_pairs_agree(void)
{
    KalMotionAnswer answer;
    double qdd[2] = {NAN, NAN};
    ok(evaluate("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                "constraint a: x'^2 + x' = 2.6\n"
                "constraint b: exp(x)*(x'^2 + x') = 2.6*exp(x)\n"
                "constraint c: y'^3 + y' = 0.7\n"
                "constraint d: (2 + sin(x))*(y'^3 + y') = 0.7*(2 + sin(x))\n"
                "init x = 0.3, y = 0.7, x' ~ 1, y' ~ 0.5\n",
                &answer, qdd)
       == KAL_OK);
    near(qdd[0], 0.0, 1e-13);
    near(qdd[1], 0.0, 1e-13);
    ok(answer.n_dependent_sets == 2);
}

static void others_stay(void)
{
    static const char *const texts[] = {
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x' = 2*t\n"
        "constraint b: x'' = 2.0001\n",
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x'' = 0\n"
        "constraint b: x'' = 1e-20*y'\ninit y' = 1\n", // small, but not by cancelling
    };
    for (size_t k = 0; k < 2; k++) {
        KalMotionAnswer answer;
        double qdd[2];
        ok(evaluate(texts[k], &answer, qdd) == KAL_ERR_CONTRADICTION);
    }
}

TAP_RUN(TAP_CASE(multiples_agree_for_all_numbers), TAP_CASE(several_pairs_agree),
        TAP_CASE(others_stay))

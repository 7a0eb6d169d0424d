// SPDX-License-Identifier: MIT

// One instant of models against closed forms.

#include "instant_lab.h"

static bool solve(Lab *lab, KalMotionAnswer *answer)
{
    const KalStatus status = kal_instant_solve(lab->instant, answer);
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return status == KAL_OK;
}

static const char sleigh[] =
    "param m = 2, I = 0.3, b = 0.7\ncoord x, y, theta\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
    "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
    "output u = x'*cos(theta) + y'*sin(theta)\noutput side = reaction(skid)\n"
    "output fx = cforce(x), E = energy(), a = theta''\n";

// λ = (m I/(m b² + I)) θ' u for the row (−sin θ, cos θ, −b), and θ'' = −(b/I) λ.
static void a_sleigh(void)
{
    Lab lab;
    KalMotionAnswer answer;
    const double *outputs = NULL;
    if (!lab_expect(&lab, sleigh)) {
        return;
    }
    const double th = 0.4;
    const double w = 1.3;
    const double u = 0.9;
    double *q = kal_instant_q(lab.instant);
    double *v = kal_instant_qd(lab.instant);
    q[2] = th;
    v[0] = u * cos(th) - 0.7 * w * sin(th);
    v[1] = u * sin(th) + 0.7 * w * cos(th);
    v[2] = w;
    const double lambda = 2.0 * 0.3 / (2.0 * 0.49 + 0.3) * w * u;
    if (solve(&lab, &answer)
        && ok(kal_instant_outputs(lab.instant, &outputs) == KAL_OK)) {
        near(answer.multipliers[0], lambda, 1e-15);
        near(answer.qdd[2], -0.7 / 0.3 * lambda, 1e-14);
        near(outputs[0], u, 1e-15);
        near(outputs[1], lambda, 1e-15);
        near(outputs[2], -sin(th) * lambda, 1e-15);
        near(outputs[3], 0.5 * 2.0 * (v[0] * v[0] + v[1] * v[1]) + 0.15 * w * w, 1e-14);
        near(outputs[4], answer.qdd[2], 0.0);
    }
    lab_close(&lab);
}

// A block slides on a slope with friction μN against its motion; C is a function of the
// reaction of the slope, whose row is not of length 1.
static void friction_from_the_reaction(void)
{
    Lab lab;
    KalMotionAnswer answer;
    if (!lab_expect(&lab, "param m = 2, g = 9.81, al = 0.5, mu = 0.3\ncoord x, y\n"
                          "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
                          "constraint slope: 3*y*cos(al) = 3*x*sin(al)\n"
                          "let N = 3*abs(reaction(slope))\n"
                          "nonideal x = -mu*N*cos(al)*sign(y')\n"
                          "nonideal y = -mu*N*sin(al)*sign(y')\n")) {
        return;
    }
    double *v = kal_instant_qd(lab.instant);
    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? 1.0 : -1.0;
        v[0] = sign * cos(0.5);
        v[1] = sign * sin(0.5);
        if (solve(&lab, &answer)) {
            const double a = -9.81 * (sin(0.5) + sign * 0.3 * cos(0.5));
            near(answer.qdd[0], a * cos(0.5), 1e-13);
            near(answer.qdd[1], a * sin(0.5), 1e-13);
        }
    }
    lab_close(&lab);
}

static void a_reaction_that_is_not_unique_is_refused(void)
{
    Lab lab;
    KalMotionAnswer answer;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                         "constraint floor: y = 0\nconstraint again: 2*y = 0\n"
                         "nonideal x = -0.1*reaction(floor)\n")) {
        ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(lab.ctx), "reaction(floor)");
        lab_close(&lab);
    }
}

static void a_drive(void)
{
    Lab lab;
    KalMotionAnswer answer;
    const double *outputs = NULL;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(2*x'^2 + 3*y'^2)\n"
                         "potential 1/2*(y - x)^2\nprescribe x = sin(2*t)\n"
                         "output f = drive(x)\n")) {
        *kal_instant_t(lab.instant) = 0.3;
        KalStartReport report;
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        *kal_instant_t(lab.instant) = 0.3;
        kal_instant_q(lab.instant)[0] = sin(0.6);
        kal_instant_qd(lab.instant)[0] = 2.0 * cos(0.6);
        kal_instant_q(lab.instant)[1] = 0.2;
        if (solve(&lab, &answer)
            && ok(kal_instant_outputs(lab.instant, &outputs) == KAL_OK)) {
            const double a = -4.0 * sin(0.6);
            near(answer.qdd[0], a, 1e-15);
            near(outputs[0], 2.0 * a - (0.2 - sin(0.6)), 1e-14);
            same_text(kal_system_constraint_names(lab.system)[0], "drive(x)");
        }
        lab_close(&lab);
    }
}

static void formulas_without_value_are_named(void)
{
    Lab lab;
    KalMotionAnswer answer;
    if (lab_expect(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = 3*sqrt(x - 1)\n"
                         "output y = log(x)\n")) {
        const double *outputs = NULL;
        ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_NUMBER);
        has_text(kal_context_message(lab.ctx), "test.kal:3:");
        has_text(kal_context_message(lab.ctx), "sqrt(x - 1)");
        kal_instant_q(lab.instant)[0] = 1.0;
        ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
        kal_instant_q(lab.instant)[0] = -1.0;
        ok(kal_instant_outputs(lab.instant, &outputs) == KAL_ERR_NUMBER);
        has_text(kal_context_message(lab.ctx), "log(x)");
        lab_close(&lab);
    }
}

// A part of the equations that has no value is told by what it is and whose.
typedef struct Gap {
    const char *text; // of a model whose part has no value at x = 0, x' = 1
    const char *part;
} Gap;

static const Gap gaps[] = {
    {"coord x\nkinetic x'^2/(2*x)\n",                                            "the mass of x"           },
    {"coord x\nkinetic x'^2/2\npotential log(x)\n",                              "the force on x"          },
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: log(x) + y = 0\n",
     "the derivative of constraint c"                                                                      },
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^1.5 + y = 0\n",
     "the second derivative of constraint c"                                                               },
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x + y = 0\n"
     "nonideal x = 1/x\n",                                                  "the non-ideal force on x"},
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nservo s: log(x) + y = 0, rate = 2\n",
     "the equation of servo s"                                                                             },
};

static void gaps_in_the_equations_are_told(void)
{
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        Lab lab;
        KalMotionAnswer answer;
        if (lab_expect(&lab, gaps[i].text)) {
            kal_instant_q(lab.instant)[0] = 0.0;
            kal_instant_qd(lab.instant)[0] = 1.0;
            ok(kal_instant_solve(lab.instant, &answer) == KAL_ERR_NUMBER);
            has_text(kal_context_message(lab.ctx), gaps[i].part);
            has_text(kal_context_message(lab.ctx),
                     " has no finite value in this state");
            kal_instant_q(lab.instant)[0] = 1.0;
            ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
            lab_close(&lab);
        }
    }
}

static void solving_allocates_nothing(void)
{
    Lab lab;
    KalMotionAnswer answer;
    if (lab_expect(&lab, sleigh)) {
        const size_t before = kal_context_allocations(lab.ctx);
        const double *outputs = NULL;
        for (int i = 0; i < 10; i++) {
            kal_instant_qd(lab.instant)[0] = 0.1 * i;
            ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
            ok(kal_instant_outputs(lab.instant, &outputs) == KAL_OK);
        }
        ok(kal_context_allocations(lab.ctx) == before);
        lab_close(&lab);
    }
}

static void values_are_set_by_name(void)
{
    Lab lab;
    bool complete = true;
    if (!lab_expect(&lab, "param L = 2\ncoord x[2], y\n"
                          "kinetic 1/2*(x[1]'^2 + x[2]'^2 + y'^2)\n")) {
        return;
    }
    ok(kal_instant_set(lab.instant, "x[2] = 3*L, y' = -1e-3, t = 2^3", &complete)
       == KAL_OK);
    ok(!complete);
    ok(kal_instant_q(lab.instant)[1] == 6.0);
    ok(kal_instant_qd(lab.instant)[2] == -1e-3);
    ok(*kal_instant_t(lab.instant) == 8.0);
    ok(kal_instant_set(lab.instant,
                       "x[1]=1, x[2]=2, y=90*deg, x[1]'=4, x[2]'=5, y'=6/4 - 1",
                       &complete)
       == KAL_OK);
    ok(complete);
    near(kal_instant_q(lab.instant)[2], asin(1.0), 1e-16);
    ok(kal_instant_qd(lab.instant)[2] == 0.5);

    static const char *const wrong[] = {"z = 1", "x[3] = 1", "x = 1", "y'' = 1",
                                        "y = q", "y = 1/0",  "y = ",  "y = 1, y = 2",
                                        "",      "y"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (!ok(kal_instant_set(lab.instant, wrong[i], NULL) == KAL_ERR_SYNTAX)) {
            printf("# %s\n", wrong[i]);
        }
    }
    lab_close(&lab);
}

// Every allocation of loading a model fails once.
static void memory_may_fail(void)
{
    bool done = false;
    long limit = 0;
    for (; limit < 20000 && !done; limit++) {
        Fault fault = {.calls_left = limit};
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        KalInstant *instant = NULL;
        KalStatus status = kal_context_create(fault_alloc, &fault, &ctx);
        if (status == KAL_OK) {
            status =
                kal_system_load(ctx, "s.kal", sleigh, strlen(sleigh), NULL, &system);
        }
        if (status == KAL_OK) {
            status = kal_instant_create(ctx, system, &instant);
        }
        done = status == KAL_OK;
        if (!ok(done || status == KAL_ERR_NOMEM)) {
            printf("# allocation %ld: %s\n", limit, kal_context_message(ctx));
        }
        kal_instant_destroy(instant);
        kal_system_destroy(system);
        kal_context_destroy(ctx);
        if (!ok(fault.live_bytes == 0)) {
            printf("# allocation %ld leaves %zu bytes\n", limit, fault.live_bytes);
        }
    }
    ok(done && limit > 10);
}

TAP_RUN(TAP_CASE(a_sleigh), TAP_CASE(friction_from_the_reaction),
        TAP_CASE(a_reaction_that_is_not_unique_is_refused), TAP_CASE(a_drive),
        TAP_CASE(formulas_without_value_are_named),
        TAP_CASE(gaps_in_the_equations_are_told), TAP_CASE(solving_allocates_nothing),
        TAP_CASE(values_are_set_by_name), TAP_CASE(memory_may_fail))

// SPDX-License-Identifier: MIT

// Plain elimination and the Udwadia-Kalaba equation answer alike.

#include "instant_lab.h"
#include "verify/elimination.h"

#include <math.h>

// Points that nothing moves: with them instants are sparse.
#define POINTS "coord u[210]\nkinetic sum(i in 1..210 : u[i]'^2/2)\n"

static const char *const models[] = {
    // redundant rows of position level, a singular mass matrix
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z^2\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
    "constraint slave: z = x*y\nconstraint more: 2*z = 2*x*y\n"
    "init x = 0.6, y ~ 0.8, x' = 1\n",
    // every level, and time
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2)\nforce x = sin(t) - x\n"
    "constraint c: y' = z*x' + t\nconstraint d: z'' = x*x'' + y'\n"
    "init x = 1, x' = 1, z = 0.3, z' = 0.2\n",
    // non-ideal forces that depend on a reaction
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    "constraint plane: y = x/2\nlet N = reaction(plane)*sqrt(5)/2\n"
    "nonideal x = -0.1*abs(N)*sign(x')*2/sqrt(5)\n"
    "nonideal y = -0.1*abs(N)*sign(x')/sqrt(5)\ninit x' = 1\n",
    // servos met by any force
    "coord x, y\nkinetic 1/2*(x'^2 + 2*y'^2) + x'*y'/2\npotential x^2 + y^2/2\n"
    "servo line: x = y + 1, rate = 3\ninit x = 1, y = 0.5, x' = 1\n",
    // and by actuators, one of them at its limit
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2)\npotential x^2 + y^2/2\n"
    "constraint tie: x + y + z = 0\n"
    "actuator u: x', limit = 1\nactuator w: y' - x'\n"
    "servo s: x' = sin(t) + 1, rate = 2\ninit x = 1, y = 0.5, z ~ 0, y' = 2, z' ~ 0\n",
    // in sparse instants
    POINTS "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z^2\n"
           "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"
           "constraint slave: z = x*y\nconstraint more: 2*z = 2*x*y\n"
           "init x = 0.6, y ~ 0.8, x' = 1\n",
    POINTS "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + 3*z'^2)\nforce x = sin(t) - x\n"
           "constraint c: y' = z*x' + t\nconstraint d: z'' = x*x'' + y'\n"
           "init x = 1, x' = 1, z = 0.3, z' = 0.2\n",
    POINTS "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
           "constraint plane: y = x/2\nlet N = reaction(plane)*sqrt(5)/2\n"
           "nonideal x = -0.1*abs(N)*sign(x')*2/sqrt(5)\n"
           "nonideal y = -0.1*abs(N)*sign(x')/sqrt(5)\ninit x' = 1\n",
};

static void both_ways_answer_alike(void)
{
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        Lab lab;
        if (!lab_expect(&lab, models[k])) {
            continue;
        }
        KalElimination e;
        KalStartReport report;
        KalMotionAnswer answer;
        ok(kal_instant_start(lab.instant, &report) == KAL_OK);
        ok(kal_instant_solve(lab.instant, &answer) == KAL_OK);
        const int rank = answer.rank_A;
        double qdd[213] = {0.0};
        double force[213] = {0.0};
        for (int i = 0; i < answer.n; i++) {
            qdd[i] = answer.qdd[i];
            force[i] = answer.force_ideal[i] + answer.force_nonideal[i];
        }
        ok(kal_elimination_init(&e, lab.instant) == KAL_OK);
        ok(kal_elimination_choose(&e) == KAL_OK);
        ok(e.rank == rank);
        ok(kal_elimination_solve(&e) == KAL_OK);
        for (int i = 0; i < e.n; i++) {
            near(e.qdd[i], qdd[i], 1e-11 * (1.0 + fabs(qdd[i])));
            near(e.cforce[i], force[i], 1e-11 * (1.0 + fabs(force[i])));
        }
        kal_elimination_clear(&e);
        lab_close(&lab);
    }
}

// Positions come first, and what repeats them is left out, whatever its level.
static void try_levels(const char *text)
{
    Lab lab;
    KalElimination e;
    KalStartReport report;
    if (!lab_expect(&lab, text)) {
        return;
    }
    ok(kal_instant_start(lab.instant, &report) == KAL_OK);
    ok(kal_elimination_init(&e, lab.instant) == KAL_OK);
    ok(kal_elimination_choose(&e) == KAL_OK);
    ok(e.rank == 1 && e.positions == 1 && e.rows[0] == 2);
    near(e.least, 1.0, 1e-15);
    kal_elimination_clear(&e);
    lab_close(&lab);
}

#define LEVELS                                                             \
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint a: x'' + y'' = 0\n" \
    "constraint v: x' + y' = 0\nconstraint p: x + y = 0\n"

static void rows_of_low_level_are_preferred(void)
{
    try_levels(LEVELS);
    try_levels(POINTS LEVELS);
}

static void independence_is_measured(void)
{
    Lab lab;
    KalElimination e;
    KalStartReport report;
    double sine = 0.0;
    if (!lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                          "constraint a: x' = 0\nconstraint b: x'*cos(t) + y'*sin(t) = "
                          "0\nsimulate 1 .. 2 every 0.1\n")) {
        return;
    }
    ok(kal_instant_start(lab.instant, &report) == KAL_OK);
    ok(kal_elimination_init(&e, lab.instant) == KAL_OK);
    ok(kal_elimination_choose(&e) == KAL_OK);
    ok(e.rank == 2 && e.positions == 0);
    *kal_instant_t(lab.instant) = 0.01;
    ok(kal_elimination_measure(&e, &sine) == KAL_OK);
    near(sine, sin(0.01), 1e-12);
    *kal_instant_t(lab.instant) = 0.0;
    ok(kal_elimination_solve(&e) == KAL_ERR_CONTRADICTION);
    has_text(kal_context_message(lab.ctx), "singular");
    kal_elimination_clear(&e);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(both_ways_answer_alike), TAP_CASE(rows_of_low_level_are_preferred),
        TAP_CASE(independence_is_measured))

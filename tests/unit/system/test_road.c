// SPDX-License-Identifier: MIT

// The fast road of runs against the others.

#include "run_lab.h"
#include "system/instant.h"

static const char crank[] =
    "coord a, b, x\nkinetic 1/2*(a'^2 + 0.5*b'^2 + 0.8*x'^2)\npotential 3*sin(a)\n"
    "constraint loop: [cos(a) + 2*cos(b) - x, sin(a) + 2*sin(b)] = [0, 0]\n"
    "init a = 0.5, b ~ -0.2, x ~ 2.8, a' = 2\nsimulate 0 .. 5 every 0.1\n";

// A row that says what another does.
static const char redundant[] =
    "coord x, y\nkinetic 1/2*(x'^2 + 2*y'^2)\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
    "init x = 1, y ~ 0\nsimulate 0 .. 5 every 0.1\n";

// M is singular: z has no mass.
static const char massless[] =
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint tie: z = 2*y + x\n"
    "init x = 1, y ~ 0, z ~ 0\nsimulate 0 .. 5 every 0.1\n";

static const char unconstrained[] =
    "coord a, b\nkinetic 1/2*(a'^2 + b'^2 + a'*b'*cos(a - b))\n"
    "potential -3*cos(a) - 2*cos(b)\ninit a = 1, b = 0.3\nsimulate 0 .. 5 every 0.1\n";

// abs: the equations are made of pieces.
static const char pieces[] =
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + abs(x - 0.2)\n"
    "constraint rod: x^2 + y^2 = 1\ninit x = 1, y ~ 0\nsimulate 0 .. 5 every 0.1\n";

static void near_all(const double *got, const double *want, int n)
{
    double size = 1.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(want[i]));
    }
    for (int i = 0; i < n; i++) {
        near(got[i], want[i], 1e-11 * size);
    }
}

// At many moments of a run both answers are the same.
static void compare(const char *text, bool whole)
{
    Lab lab;
    if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
        KalInstant *instant = kal_run_instant(lab.run);
        const int n = lab.system->n;
        int taken = 0;
        for (int k = 1; k <= 100; k++) {
            KalMotionAnswer fast;
            KalMotionAnswer slow;
            double q[8];
            double force[8];
            ok(kal_run_advance(lab.run, 0.05 * k) == KAL_OK);
            if (!kal_instant_hurry(instant, &fast)) {
                continue;
            }
            taken++;
            memcpy(q, fast.qdd, (size_t)n * sizeof *q);
            memcpy(force, fast.force_ideal, (size_t)n * sizeof *force);
            ok(kal_instant_solve(instant, &slow) == KAL_OK);
            near_all(q, slow.qdd, n);
            near_all(force, slow.force_ideal, n);
            ok(fast.unique && fast.rank_A == slow.rank_A && fast.rank_M == slow.rank_M);
            if (whole) {
                near_all(fast.multipliers, slow.multipliers, slow.m);
            }
        }
        ok(taken > 50);
    }
    lab_close(&lab);
}

static void both_roads_answer_alike(void)
{
    compare(crank, true);
    compare(unconstrained, true);
    compare(redundant, false); // the other road shares reactions
    compare(massless, true);
    compare(pieces, true);
}

// Where memory is short there is no road, and the run goes on without.
static void a_run_needs_no_road(void)
{
    Lab lab;
    if (lab_load(&lab, crank) && ok(lab_start(&lab) == KAL_OK)) {
        KalRoad *road = &kal_run_instant(lab.run)->road;
        ok(road->program != NULL);
        road->fits = false; // as if other rows were wanted
        KalMotionAnswer answer;
        ok(!kal_instant_hurry(kal_run_instant(lab.run), &answer) && road->misses == 1);
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(both_roads_answer_alike), TAP_CASE(a_run_needs_no_road))

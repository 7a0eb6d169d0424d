// SPDX-License-Identifier: MIT

// Plastic impacts against numbers found by hand: constraints A q' = b imposed at once.

#include "instant.h"
#include "lab.h"

#include <float.h>

static Lab lab;

static void check_impact(const KalMotionProblem *problem, const double *before,
                         const double *after, const double *lambda)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        if (!ok(kal_motion_impact(lab.solver[f], problem, before, &a) == KAL_OK)) {
            printf("# %s: %s\n", kal_formulation_word((KalFormulation)f),
                   kal_context_message(lab.ctx));
            continue;
        }
        near(lab_error(a.qdd, after, problem->n), 0.0, 1e-13);
        near(lab_error(a.multipliers, lambda, problem->m), 0.0, 1e-13);
        for (int j = 0; j < problem->n; j++) { // the impulse is what the rows carry
            double impulse = 0.0;
            for (int i = 0; i < problem->m; i++) {
                impulse += problem->A[i * problem->n + j] * lambda[i];
            }
            near(a.force_ideal[j], impulse, 1e-13 * (1.0 + fabs(impulse)));
        }
    }
}

// Two balls on a line that stick together: the common velocity is that of the center of
// mass, (2·3 + 1·(−3))/3 = 1, and the impulse 2·(1 − 3) = −4.
static void two_balls_that_stick(void)
{
    const double masses[] = {2.0, 0.0, 0.0, 1.0};
    const double Q[] = {0.0, 0.0};
    const double A[] = {1.0, -1.0};
    const double b[] = {0.0};
    const KalMotionProblem problem = {
        .n = 2, .m = 1, .M = masses, .Q = Q, .A = A, .b = b};
    check_impact(&problem, (double[]){3.0, -3.0}, (double[]){1.0, 1.0},
                 (double[]){-4.0});
}

// A rod with masses m₁, m₂ at its ends, along (c, s), falls with speed v and strikes the
// floor with the first: rows (−c, −s, c, s) for the rod, (0, 1, 0, 0) for the floor.
// Δ₁ = (−cρ, −sρ + φ)/m₁, Δ₂ = (cρ, sρ)/m₂ with impulses ρ of the rod, φ of the floor;
// y₁' = 0 gives φ = m₁v + sρ, the rod ρ(1/m₁ + 1/m₂) = sφ/m₁; so
// ρ = s v m₁m₂/(m₁ + c²m₂).
static void a_rod_that_strikes_the_floor(void)
{
    const double slopes[][2] = {
        {0.6, 0.8 },
        {0.8, -0.6},
        {1.0, 0.0 },
        {0.0, 1.0 }
    };
    for (int k = 0; k < 4; k++) {
        const double c = slopes[k][0];
        const double s = slopes[k][1];
        const double m1 = 1.0 + k;
        const double m2 = 3.0;
        const double v = 2.0;
        const double rho = s * v * m1 * m2 / (m1 + c * c * m2);
        const double phi = m1 * v + s * rho;
        const double masses[16] = {[0] = m1, [5] = m1, [10] = m2, [15] = m2};
        const double Q[4] = {0.0};
        const double A[] = {-c, -s, c, s, 0.0, 1.0, 0.0, 0.0};
        const double b[] = {0.0, 0.0};
        const KalMotionProblem problem = {
            .n = 4, .m = 2, .M = masses, .Q = Q, .A = A, .b = b};
        const double before[] = {0.0, -v, 0.0, -v};
        const double after[] = {-c * rho / m1, 0.0, c * rho / m2, s * rho / m2 - v};
        check_impact(&problem, before, after, (double[]){rho, phi});
        // A floor that is named twice shares its impulse.
        const double A3[] = {-c, -s, c, s, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
        const double b3[] = {0.0, 0.0, 0.0};
        const KalMotionProblem twice = {
            .n = 4, .m = 3, .M = masses, .Q = Q, .A = A3, .b = b3};
        check_impact(&twice, before, after, (double[]){rho, 0.5 * phi, 0.5 * phi});
    }
}

// A wall that moves with speed 2 takes the ball along; restitution is none.
static void a_moving_wall_takes_the_ball_along(void)
{
    const double masses[] = {3.0, 0.0, 0.0, 3.0};
    const double Q[] = {0.0, 0.0};
    const double A[] = {1.0, 0.0};
    const double b[] = {2.0};
    const KalMotionProblem problem = {
        .n = 2, .m = 1, .M = masses, .Q = Q, .A = A, .b = b};
    check_impact(&problem, (double[]){-5.0, 1.5}, (double[]){2.0, 1.5},
                 (double[]){21.0});
}

// An impressed impulse Q and a prescribed one C: a puck of mass 2 is hit by (4, −6) while
// the rail y = 0 holds it, and friction takes 1 of its momentum along the rail.
static void impulses_may_be_impressed(void)
{
    const double masses[] = {2.0, 0.0, 0.0, 2.0};
    const double Q[] = {4.0, -6.0};
    const double A[] = {0.0, 1.0};
    const double b[] = {0.0};
    const double C[] = {-1.0, 0.0};
    const KalMotionProblem problem = {
        .n = 2, .m = 1, .M = masses, .Q = Q, .A = A, .b = b, .C = C};
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        ok(kal_motion_impact(lab.solver[f], &problem, (double[]){1.0, -0.5}, &a)
           == KAL_OK);
        near(a.qdd[0], 1.0 + (4.0 - 1.0) / 2.0, 1e-14);
        near(a.qdd[1], 0.0, 1e-14);
        near(a.multipliers[0], 6.0 + 1.0, 1e-14); // stops −6 and the momentum −1
        near(a.force_nonideal[0], -1.0, 1e-14);
        near(a.force_nonideal[1], 0.0, 1e-14);
    }
}

// A coordinate without mass follows what holds it; one that nothing holds keeps its
// velocity, as the least change, and is marked.
static void massless_coordinates_follow_or_stay(void)
{
    const double masses[9] = {[0] = 2.0};
    const double Q[3] = {0.0};
    const double A[] = {1.0, -1.0, 0.0};
    const double b[] = {0.5};
    const KalMotionProblem problem = {
        .n = 3, .m = 1, .M = masses, .Q = Q, .A = A, .b = b};
    const double before[] = {3.0, 8.0, -7.0};
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        const KalStatus status = kal_motion_impact(lab.solver[f], &problem, before, &a);
        if (!lab_applies((KalFormulation)f, 3, 1, 2)) {
            ok(status == KAL_ERR_FORMULATION);
            continue;
        }
        ok(status == KAL_OK);
        near(a.qdd[0], 3.0, 1e-14); // nothing massless can push it
        near(a.qdd[1], 2.5, 1e-14);
        near(a.qdd[2], -7.0, 0.0);
        ok(!a.unique && !a.indeterminate[0] && !a.indeterminate[1]
           && a.indeterminate[2]);
        near(lab_size(a.multipliers, 1), 0.0, 1e-14);
    }
}

static double energy_of(const Instant *p, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            sum += 0.5 * v[i] * p->M[i * p->n + j] * v[j];
        }
    }
    return sum;
}

// Constraints at rest take energy and give none: T₋ − T₊ = T(Δ) (Carnot), so energy never
// grows; and a second impact finds nothing left to do.
static void energy_never_grows(void)
{
    static Instant p;
    for (uint64_t number = 1; number <= 300; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 1, 12);
        instant_make(&p, &rng, n, rng_int(&rng, 0, 14), number % 2 == 0, 0.0);
        memset(p.b, 0, sizeof p.b);
        memset(p.Q, 0, sizeof p.Q);
        p.has_C = false;
        const KalMotionProblem problem = instant_problem(&p);
        double after[INSTANT_N];
        double change[INSTANT_N];
        KalMotionAnswer a;
        KalMotion *solver = lab.solver[number % 3 ? 0 : KAL_FORMULATION_LAGRANGE];
        ok(kal_motion_impact(solver, &problem, p.qdd, &a) == KAL_OK);
        for (int j = 0; j < n; j++) {
            after[j] = a.qdd[j];
            change[j] = after[j] - p.qdd[j];
        }
        const double had = energy_of(&p, p.qdd);
        const double lost = had - energy_of(&p, after);
        near(lost, energy_of(&p, change), 1e-11 * (1.0 + had));
        ok(lost >= -1e-12 * (1.0 + had));
        ok(kal_motion_impact(solver, &problem, after, &a) == KAL_OK);
        for (int j = 0; j < n; j++) {
            near(a.qdd[j], after[j], 1e-11 * (1.0 + lab_size(p.qdd, n)));
        }
    }
}

// A wall as fast as numbers go and a coordinate that moves with it already: nothing changes,
// though the sizes of both add up to more than any number.  Dependent rows, without mass.
static void speeds_as_large_as_numbers_go(void)
{
    const double most = 0.9 * DBL_MAX;
    const double masses[9] = {0.0};
    const double Q[3] = {0.0};
    const double A[] = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double b[] = {0.0, 0.0, 0.0, most};
    const double before[] = {0.0, 0.0, most};
    const KalMotionProblem problem = {
        .n = 3, .m = 4, .M = masses, .Q = Q, .A = A, .b = b};
    KalMotionAnswer a;
    ok(kal_motion_impact(lab.solver[KAL_FORMULATION_DEFAULT], &problem, before, &a)
       == KAL_OK);
    ok(a.qdd[2] == most && a.qdd[0] == 0.0 && a.qdd[1] == 0.0);
}

static void open_workspaces(void)
{
    lab_open(&lab, 20, 20);
}

static void close_workspaces(void)
{
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(open_workspaces), TAP_CASE(two_balls_that_stick),
        TAP_CASE(a_rod_that_strikes_the_floor),
        TAP_CASE(a_moving_wall_takes_the_ball_along),
        TAP_CASE(impulses_may_be_impressed),
        TAP_CASE(massless_coordinates_follow_or_stay), TAP_CASE(energy_never_grows),
        TAP_CASE(speeds_as_large_as_numbers_go), TAP_CASE(close_workspaces))

// SPDX-License-Identifier: MIT

// Eigenvalues and verdicts against closed forms.

#include "lab.h"

static const char pendulum[] = "param g = 9.81, L = 2, m = 3\ncoord x, y\n"
                               "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\n"
                               "constraint rod: x^2 + y^2 = L^2\ninit x = 0, y ~ -1\n";

static void a_pendulum_in_redundant_coordinates_swings(void)
{
    const double w = sqrt(9.81 / 2.0);
    Lab lab;
    KalModes modes = lab_modes(&lab, pendulum, NULL);
    ok(modes.n == 2 && modes.linearization.at_rest && !modes.linearization.note);
    near(modes.modes[0].re, 0.0, 1e-15);
    near(modes.modes[0].im, w, 1e-14);
    near(modes.modes[1].im, -w, 1e-14);
    near(modes.modes[0].frequency, w / (2.0 * acos(-1.0)), 1e-14);
    near(modes.modes[0].damping, 0.0, 1e-15);
    near(modes.modes[0].shape[0], 1.0, 0.0);   // x
    near(modes.modes[0].shape[1], 0.0, 1e-15); // y
    ok(modes.stability == KAL_STABILITY_STABLE && !modes.decays && modes.family == 0);
    lab_close(&lab);
    modes = lab_modes(&lab, pendulum, "y = 2");
    near(lab_distance(&modes, w, 0.0), 0.0, 1e-14);
    near(lab_distance(&modes, -w, 0.0), 0.0, 1e-14);
    ok(modes.n == 2 && modes.stability == KAL_STABILITY_UNSTABLE);
    same_text(kal_stability_word(modes.stability), "unstable");
    lab_close(&lab);
}

// m1 = m2 and equal lengths: w² = (2 ± √2) g/L.
static void a_double_pendulum_has_two_frequencies(void)
{
    static const char plain[] =
        "param g = 9.81, L = 0.7\ncoord x1, y1, x2, y2\n"
        "kinetic 1/2*(x1'^2 + y1'^2 + x2'^2 + y2'^2)\npotential g*(y1 + y2)\n"
        "constraint a: x1^2 + y1^2 = L^2\n"
        "constraint b: (x2 - x1)^2 + (y2 - y1)^2 = L^2\n"
        "init y1 ~ -1, y2 ~ -2\n";
    static const char repeated[] =
        "constraint c: 5*(x1^2 + y1^2 - L^2) + (x2 - x1)^2 + (y2 - y1)^2 = L^2\n"
        "constraint d: x1*x1' + y1*y1' = 0\n";
    const double g = 9.81 / 0.7;
    for (int redundant = 0; redundant < 2; redundant++) {
        char text[1000];
        Lab lab;
        snprintf(text, sizeof text, "%s%s", plain, redundant ? repeated : "");
        const KalModes modes = lab_modes(&lab, text, NULL);
        ok(modes.n == 4 && modes.stability == KAL_STABILITY_STABLE);
        near(modes.modes[0].im, sqrt((2.0 + sqrt(2.0)) * g), 1e-13);
        near(modes.modes[2].im, sqrt((2.0 - sqrt(2.0)) * g), 1e-13);
        near(modes.modes[0].shape[0] / modes.modes[0].shape[2], 1.0 / (1.0 - sqrt(2.0)),
             1e-12);
        near(modes.modes[2].shape[0] / modes.modes[2].shape[2], 1.0 / (1.0 + sqrt(2.0)),
             1e-12);
        lab_close(&lab);
    }
}

static void damping_is_that_of_an_oscillator(void)
{
    Lab lab;
    KalModes modes = lab_modes(&lab,
                               "param m = 2, c = 0.5, k = 8\ncoord x\n"
                               "kinetic 1/2*m*x'^2\npotential 1/2*k*x^2\n"
                               "dissipation 1/2*c*x'^2\n",
                               NULL);
    near(modes.modes[0].damping, 0.5 / (2.0 * sqrt(16.0)), 1e-15);
    near(modes.modes[0].frequency, 2.0 / (2.0 * acos(-1.0)), 1e-15);
    near(modes.modes[0].re, -0.125, 1e-15);
    ok(modes.stability == KAL_STABILITY_STABLE && modes.decays);
    has_text(modes.reason, "decay");
    lab_close(&lab);
}

static const char sleigh[] =
    "param m = 1, I = 0.2, b = 0.3\ncoord x, y, theta\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
    "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n";

static void a_sleigh_is_stable_forwards_only(void)
{
    const double rate = 0.3 / (0.09 + 0.2);
    // 1.5 in the direction of 0.5 radians
    static const char turned[] = "theta = 0.5, x' = 1.5*0.87758256189037276, "
                                 "y' = 1.5*0.47942553860420301, theta' = 0";
    static const char *const states[] = {"x' = 1.5, y' = 0, theta' = 0", turned,
                                         "x' = -1.5, y' = 0, theta' = 0"};
    for (int k = 0; k < 3; k++) {
        Lab lab;
        const KalModes modes = lab_modes(&lab, sleigh, states[k]);
        const bool forward = k < 2;
        ok(modes.n == 5 && modes.linearization.steady && !modes.linearization.at_rest);
        near(lab_distance(&modes, forward ? -1.5 * rate : 1.5 * rate, 0.0), 0.0, 1e-13);
        ok(lab_count(&modes, 0.0, 0.0, 1e-6) == 4);
        ok(modes.stability
           == (forward ? KAL_STABILITY_STABLE : KAL_STABILITY_UNSTABLE));
        ok(modes.family == 1); // the line of steady motions
        lab_close(&lab);
    }
    Lab lab;
    const KalModes modes = lab_modes(&lab, sleigh, "x' = 0, y' = 0, theta' = 0");
    ok(modes.linearization.at_rest && modes.family == 3);
    ok(modes.stability == KAL_STABILITY_MARGINAL); // a push makes it drift
    has_text(modes.reason, "drift");
    lab_close(&lab);
}

// Cardan angles, regular when upright: stable iff (C w)² > 4 A m g h.
static void a_sleeping_top_needs_speed(void)
{
    static const char top[] =
        "param A = 2e-3, C = 4e-4, mgh = 0.3, w = 150\n"
        "coord a [rad], b [rad], c [rad]\n"
        "kinetic 1/2*A*(a'^2*cos(b)^2 + b'^2) + 1/2*C*(c' + a'*sin(b))^2\n"
        "potential mgh*cos(a)*cos(b)\n";
    const double critical = sqrt(4.0 * 2e-3 * 0.3) / 4e-4;
    for (int fast = 0; fast < 2; fast++) {
        char state[80];
        Lab lab;
        const double w = critical * (fast ? 1.001 : 0.999);
        snprintf(state, sizeof state, "c' = %.17g", w);
        const KalModes modes = lab_modes(&lab, top, state);
        ok(modes.n == 6 && modes.linearization.steady);
        ok(modes.stability == (fast ? KAL_STABILITY_STABLE : KAL_STABILITY_UNSTABLE));
        // A s² − i C w s − m g h = 0 for s = a + i b
        const double half = 4e-4 * w / (2.0 * 2e-3);
        const double root = 0.3 / 2e-3 - half * half;
        near(lab_distance(&modes, root > 0.0 ? sqrt(root) : 0.0,
                          root > 0.0 ? half : half + sqrt(-root)),
             0.0, 1e-9);
        lab_close(&lab);
    }
}

static const char disc[] =
    "param m = 1, R = 0.3, g = 9.81\nparam Ia = m*R^2/2, Id = m*R^2/4\n"
    "coord x [m], y [m], psi [rad], theta [rad], phi [rad]\n"
    "let center = [x, y, 0] + R*[sin(theta)*sin(psi), -sin(theta)*cos(psi), "
    "cos(theta)]\n"
    "kinetic 1/2*m*dot(center', center')\n"
    "kinetic 1/2*Id*(theta'^2 + psi'^2*cos(theta)^2) + "
    "1/2*Ia*(phi' + psi'*sin(theta))^2\n"
    "potential m*g*center.z\nconstraint roll: [x', y'] = R*phi'*[cos(psi), sin(psi)]\n";

// Upright and straight: (Id + m R²) Id s² = m g R Id − (Ia + m R²) Ia w², so s² = 0 at
// w² = g/(3 R) for a thin disc.
static void a_disc_that_rolls_upright_needs_speed(void)
{
    const double I = 0.09 / 4.0;
    for (int k = -2; k <= 2; k++) {
        char state[80];
        Lab lab;
        const double w = sqrt(9.81 / 0.9) * (1.0 + 0.05 * k);
        snprintf(state, sizeof state, "phi' = %.17g, x' = %.17g", w, 0.3 * w);
        const KalModes modes = lab_modes(&lab, disc, state);
        const double s2 = (9.81 * 0.3 * I - 6.0 * I * 2.0 * I * w * w) / (5.0 * I * I);
        ok(modes.n == 8 && modes.linearization.steady);
        near(modes.modes[0].re * modes.modes[0].re
                 - modes.modes[0].im * modes.modes[0].im,
             k == 0 ? 0.0 : s2, 1e-10);
        if (k != 0) {
            ok(modes.stability
               == (k > 0 ? KAL_STABILITY_STABLE : KAL_STABILITY_UNSTABLE));
        } else {
            ok(modes.stability != KAL_STABILITY_UNSTABLE);
        }
        lab_close(&lab);
    }
}

// In a steady circle all of x', y' and the heading change, and still it is steady.
static void a_steady_circle_is_as_good_as_rest(void)
{
    Lab lab;
    KalModes modes =
        lab_modes(&lab, disc, "theta = 0.1, psi' = -2, theta' = 0, phi' = 6.75");
    ok(!modes.linearization.steady);
    has_text(modes.linearization.note, "not an equilibrium");
    lab_close(&lab);
    // (Ia + m R²) w psi' cos + m g R sin − Id psi'² sin cos = 0 gives the spin
    const double tilt = 0.1;
    const double turn = -2.0;
    const double w =
        (0.0225 * turn * turn * cos(tilt) - 9.81 * 0.3) * tan(tilt) / (0.135 * turn);
    char state[120];
    snprintf(state, sizeof state,
             "theta = %.17g, psi' = %.17g, theta' = 0, phi' = %.17g", tilt, turn,
             w - turn * sin(tilt));
    modes = lab_modes(&lab, disc, state);
    ok(modes.linearization.steady && !modes.linearization.at_rest);
    ok(!modes.linearization.note && modes.n == 8);
    lab_close(&lab);
}

static void a_free_particle_drifts(void)
{
    Lab lab;
    const KalModes modes = lab_modes(&lab, "coord x\nkinetic 1/2*x'^2\n", NULL);
    ok(modes.n == 2 && modes.family == 1);
    ok(modes.stability == KAL_STABILITY_MARGINAL);
    lab_close(&lab);
}

// Two equal oscillators without coupling share a frequency and are stable all the same; a
// follower of one of them with the same frequency grows.
static void equal_frequencies_are_harmless_unless_one_feeds_the_other(void)
{
    Lab lab;
    KalModes modes = lab_modes(&lab,
                               "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "potential 2*(x^2 + y^2)\n",
                               NULL);
    ok(modes.stability == KAL_STABILITY_STABLE);
    lab_close(&lab);
    modes = lab_modes(&lab,
                      "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                      "potential 2*(x^2 + y^2)\nforce y = x\n",
                      NULL);
    ok(modes.stability == KAL_STABILITY_MARGINAL);
    has_text(modes.reason, "slowly");
    lab_close(&lab);
}

// Units of coordinates change neither eigenvalues nor verdicts.
static void units_do_not_matter(void)
{
    Lab lab;
    KalModes modes =
        lab_modes(&lab,
                  "coord x, y\nkinetic 1/2*((1e-6*x')^2 + (1e6*y')^2)\n"
                  "potential 9.81*1e6*y\nconstraint rod: (1e-6*x)^2 + (1e6*y)^2 = 4\n"
                  "init x = 0, y ~ -2e-6\n",
                  NULL);
    ok(modes.n == 2);
    near(modes.modes[0].im, sqrt(9.81 / 2.0), 1e-12);
    lab_close(&lab);
}

static void states_without_freedom_have_no_modes(void)
{
    Lab lab;
    const KalModes modes =
        lab_modes(&lab, "coord x\nkinetic 1/2*x'^2\nconstraint c: x = 1\n", NULL);
    ok(modes.n == 0 && modes.linearization.at_rest);
    ok(modes.stability == KAL_STABILITY_STABLE);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(a_pendulum_in_redundant_coordinates_swings),
        TAP_CASE(a_double_pendulum_has_two_frequencies),
        TAP_CASE(damping_is_that_of_an_oscillator),
        TAP_CASE(a_sleigh_is_stable_forwards_only),
        TAP_CASE(a_sleeping_top_needs_speed),
        TAP_CASE(a_disc_that_rolls_upright_needs_speed),
        TAP_CASE(a_steady_circle_is_as_good_as_rest), TAP_CASE(a_free_particle_drifts),
        TAP_CASE(equal_frequencies_are_harmless_unless_one_feeds_the_other),
        TAP_CASE(units_do_not_matter), TAP_CASE(states_without_freedom_have_no_modes))

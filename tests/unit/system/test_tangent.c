// SPDX-License-Identifier: MIT

// Derivatives of accelerations against differences, and the method that uses them.

#include "run_lab.h"
#include "system/tangent.h"

enum {
    MOST = 16
};

static void accelerations(Lab *lab, KalInstant *instant, double *out)
{
    KalMotionAnswer answer = {.qdd = NULL};
    if (ok(kal_instant_solve(instant, &answer) == KAL_OK)) {
        memcpy(out, answer.qdd, (size_t)answer.n * sizeof *out);
    } else {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
}

// Fourth-order central differences at a given state; a state off the constraints will do.
static void compare(const char *text, const int *rows, int count, double tolerance)
{
    Lab lab;
    KalInstant *instant = NULL;
    KalTangent tangent;
    double J[MOST * MOST] = {0.0};
    if (!lab_load(&lab, text)
        || !ok(kal_instant_create(lab.ctx, lab.system, &instant) == KAL_OK)) {
        return;
    }
    const int n = kal_system_coordinates(lab.system);
    double *y = kal_instant_q(instant); // velocities follow
    KalStartReport report;
    double a[MOST];
    ok(kal_instant_start(instant, &report) == KAL_OK);
    ok(kal_tangent_init(&tangent, lab.ctx, lab.system) == KAL_OK);
    accelerations(&lab, instant, a);
    ok(kal_tangent_fill(&tangent, instant, rows, count, J) == KAL_OK);
    for (int j = 0; j < 2 * n; j++) {
        const double keep = y[j];
        const double h = 1e-3;
        double f[4][MOST];
        for (int k = 0; k < 4; k++) {
            y[j] = keep + h * (k < 2 ? k - 2 : k - 1);
            accelerations(&lab, instant, f[k]);
        }
        y[j] = keep;
        for (int i = 0; i < n; i++) {
            const double slope =
                (f[0][i] - 8.0 * f[1][i] + 8.0 * f[2][i] - f[3][i]) / (12.0 * h);
            near(J[j * 2 * n + n + i], slope, tolerance * fmax(1.0, fabs(slope)));
            near(J[j * 2 * n + i], j == n + i ? 1.0 : 0.0, 0.0);
        }
    }
    kal_tangent_clear(&tangent, lab.ctx);
    kal_instant_destroy(instant);
    lab_close(&lab);
}

static void derivatives_are_those_of_accelerations(void)
{
    static const int rows[] = {0, 1, 2};
    compare("coord x\nkinetic 1/2*(1 + x^2)*x'^2\npotential cos(x)*x\n"
            "dissipation 1/2*x'^2*exp(x)\ninit x = 0.7, x' = 1.3\n",
            rows, 0, 1e-9);
    compare("param g = 9.81\ncoord x, y\nkinetic 1/2*(x'^2 + 2*y'^2)\npotential g*y*x\n"
            "constraint rod: x^2 + 2*y^2 + sin(t) = 1\n"
            "init x = 0.6, y ~ 0.5, y' = 0.9\n",
            rows, 1, 1e-8);
    compare("coord x, y, th\nkinetic 1/2*(x'^2 + y'^2 + 0.3*th'^2)\n"
            "constraint skid: -x'*sin(th) + y'*cos(th) - 0.2*th' = 0\n"
            "power -0.3*abs(x') along x'\ninit th = 0.4, x' = 1, th' = 2\n",
            rows, 1, 1e-8);
    // Non-ideal forces, a mass matrix that is singular, and a drive.
    compare("coord x, y, z\nkinetic 1/2*(x' + y')^2 + 1/2*(1 + x^2)*z'^2\n"
            "potential x^2*y + z^3\nconstraint c: x*y + z = 1\n"
            "nonideal x = -0.4*x'*y\nprescribe z = 0.5 + sin(t)\n"
            "init x = 0.8, y ~ 0.6, x' = 1.1\n",
            rows, 2, 1e-7);
}

// Two masses with a stiff spring and a strong damper between them, one of them a pendulum.
static const char stiff[] =
    "param k = 1e6, c = 2e4\ncoord x, y, z\n"
    "kinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
    "potential 9.81*y + 1/2*k*(z - x)^2\ndissipation 1/2*c*(z' - x')^2\n"
    "constraint rod: x^2 + y^2 = 1\ninit x = 0.6, y ~ -0.8, z = 0.6\n"
    "simulate 0 .. 2 every 0.1\n";

static void methods_agree_on_a_stiff_system(void)
{
    Lab lab;
    double q[3][3];
    long evaluations[3];
    if (!lab_load(&lab, stiff)) {
        return;
    }
    for (int method = KAL_METHOD_AUTO; method <= KAL_METHOD_BDF; method++) {
        lab.options.method = (KalMethod)method;
        if (!ok(lab_go(&lab) == KAL_OK)) {
            printf("# %s\n", kal_context_message(lab.ctx));
        }
        for (int i = 0; i < 3; i++) {
            q[method][i] = lab_q(&lab, i);
        }
        const KalRunStatistics s = kal_run_statistics(lab.run);
        evaluations[method] = s.evaluations;
        ok(s.stiff == (method != KAL_METHOD_DOP853));
        ok(s.position_error < 1e-14 && s.velocity_error < 1e-13);
        if (method == KAL_METHOD_AUTO) {
            has_text(lab_incident(&lab, 0), "stiff");
        }
        lab_again(&lab);
    }
    for (int i = 0; i < 3; i++) {
        near(q[KAL_METHOD_AUTO][i], q[KAL_METHOD_DOP853][i], 3e-7);
        near(q[KAL_METHOD_BDF][i], q[KAL_METHOD_DOP853][i], 3e-7);
    }
    ok(evaluations[KAL_METHOD_AUTO] < evaluations[KAL_METHOD_DOP853] / 4);
    lab_close(&lab);
}

// Where steps are as small for the sake of accuracy nothing is gained, nor changed.
static void systems_that_are_not_stiff_keep_their_method(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\npotential 50*x^2\ninit x = 1\n"
                      "simulate 0 .. 20 every 0.1\n")) {
        ok(!kal_run_statistics(lab.run).stiff);
        ok(kal_run_statistics(lab.run).changes == 0);
        near(lab_q(&lab, 0), cos(200.0), 1e-6);
    }
    lab_close(&lab);
}

static void the_method_needs_its_derivatives(void)
{
    Lab lab;
    static const char servo[] = "coord x\nkinetic 1/2*x'^2\nservo go: x = 1, rate = 2\n"
                                "simulate 0 .. 1 every 1, method = bdf\n";
    if (lab_load(&lab, servo)) {
        ok(lab_go(&lab) == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.ctx), "servo");
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(derivatives_are_those_of_accelerations),
        TAP_CASE(methods_agree_on_a_stiff_system),
        TAP_CASE(systems_that_are_not_stiff_keep_their_method),
        TAP_CASE(the_method_needs_its_derivatives))

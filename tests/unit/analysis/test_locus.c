// SPDX-License-Identifier: MIT

// Critical values against closed forms, from systems and from spectra made up for it.

#include "lab.h"

typedef struct Family {
    const char *text;
    const char *parameter;
    Lab lab;
    int calls;
} Family;

// Load the model anew for every value.
static KalStatus modes_of(void *user, double value, KalModes *out_modes)
{
    Family *family = user;
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    const KalOverride override = {family->parameter, text};
    if (family->calls++ > 0) {
        lab_close(&family->lab);
    }
    if (!lab_open_with(&family->lab, family->text, "", &override, 1)) {
        return KAL_ERR_USAGE;
    }
    const KalStatus status = kal_analysis_place(family->lab.analysis, NULL, NULL);
    return status == KAL_OK ? kal_analysis_modes(family->lab.analysis, out_modes)
                            : status;
}

// The only critical value of a system in a range.
static KalCritical critical_of(const char *text, const char *parameter,
                               KalLocusRange range)
{
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalLocus *locus = NULL;
    KalCritical critical = {.value = NAN};
    Family family = {.text = text, .parameter = parameter};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    if (ok(kal_locus_create(ctx, &range, modes_of, &family, &locus) == KAL_OK)) {
        const KalCritical *list = NULL;
        const KalLocusPoint *points = NULL;
        ok(kal_locus_points(locus, &points) == range.points);
        near(points[range.points - 1].value, range.high, 0.0);
        if (ok(kal_locus_criticals(locus, &list) == 1)) {
            critical = list[0];
        }
    }
    lab_close(&family.lab);
    kal_locus_destroy(locus);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
    return critical;
}

// Zeros meet zeros: a thin disc that rolls upright, w² = g/(3 R).
static void a_rolling_disc_has_a_critical_speed(void)
{
    const KalCritical c = critical_of(
        "param m = 1, R = 0.3, g = 9.81, w = 3\nparam Ia = m*R^2/2, Id = m*R^2/4\n"
        "coord x [m], y [m], psi [rad], theta [rad], phi [rad]\n"
        "let center = [x, y, 0] + R*[sin(theta)*sin(psi), -sin(theta)*cos(psi), "
        "cos(theta)]\nkinetic 1/2*m*dot(center', center')\n"
        "kinetic 1/2*Id*(theta'^2 + psi'^2*cos(theta)^2) + "
        "1/2*Ia*(phi' + psi'*sin(theta))^2\npotential m*g*center.z\n"
        "constraint roll: [x', y'] = R*phi'*[cos(psi), sin(psi)]\ninit phi' = w\n",
        "w", (KalLocusRange){2.0, 5.0, 8});
    near(c.value, sqrt(9.81 / 0.9), 1e-13);
    ok(c.below == 1 && c.above == 0 && c.frequency == 0.0);
}

// Frequencies meet: a sleeping top, (C w)² = 4 A m g h.
static void a_sleeping_top_has_a_critical_speed(void)
{
    const KalCritical c =
        critical_of("param A = 2e-3, C = 4e-4, mgh = 0.3, w = 150\n"
                    "coord a [rad], b [rad], c [rad]\n"
                    "kinetic 1/2*A*(a'^2*cos(b)^2 + b'^2) + 1/2*C*(c' + a'*sin(b))^2\n"
                    "potential mgh*cos(a)*cos(b)\ninit c' = w\n",
                    "w", (KalLocusRange){50.0, 200.0, 16});
    const double w = sqrt(4.0 * 2e-3 * 0.3) / 4e-4;
    near(c.value, w, 1e-10 * w);
    ok(c.below == 2 && c.above == 0);
    near(c.frequency, 4e-4 * w / (2.0 * 2e-3) / (2.0 * acos(-1.0)), 1e-6);
}

// A pair passes through the axis, beside zeros of a coordinate that is free.
static void damping_changes_its_sign(void)
{
    const KalCritical c = critical_of("param c = 1\ncoord x, y\n"
                                      "kinetic 1/2*(x'^2 + y'^2)\npotential 2*x^2\n"
                                      "force x = -(c^3 - 0.3)*x'\n",
                                      "c", (KalLocusRange){0.0, 1.0, 4});
    near(c.value, cbrt(0.3), 1e-14);
    ok(c.below == 2 && c.above == 0);
    near(c.frequency, 2.0 / (2.0 * acos(-1.0)), 1e-9);
}

// A real eigenvalue passes through zero, with damping and without.
static void stiffness_changes_its_sign(void)
{
    KalCritical c = critical_of("param k = 1\ncoord x\nkinetic 1/2*x'^2\n"
                                "potential 1/2*(0.7 - k^2)*x^2\ndissipation x'^2\n",
                                "k", (KalLocusRange){0.0, 1.0, 4});
    near(c.value, sqrt(0.7), 1e-14);
    ok(c.below == 0 && c.above == 1 && c.frequency == 0.0);
    c = critical_of("param k = 1\ncoord x\nkinetic 1/2*x'^2\n"
                    "potential 1/2*(0.7 - k^2)*x^2\n",
                    "k", (KalLocusRange){0.0, 1.0, 4});
    near(c.value, sqrt(0.7), 1e-13);
    ok(c.below == 0 && c.above == 1 && c.frequency == 0.0);
}

// Values without an answer are gaps.
static void gaps_are_told(void)
{
    KalContext *ctx = NULL;
    KalLocus *locus = NULL;
    Family family = {.text = "param L = 1\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                             "potential y\nconstraint rod: x^2 + y^2 = L\n"
                             "init x = 0.5, y ~ 1\n",
                     .parameter = "L"};
    const KalLocusRange range = {-1.0, 1.0, 5};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    if (ok(kal_locus_create(ctx, &range, modes_of, &family, &locus) == KAL_OK)) {
        const KalLocusPoint *points = NULL;
        ok(kal_locus_points(locus, &points) == 5);
        ok(points[0].failed && points[0].n == 0);
        ok(!points[4].failed && points[4].n == 2);
    }
    kal_locus_destroy(locus);
    const KalLocusRange wrong[] = {
        {1.0, 0.0,      5      },
        {0.0, 1.0,      1      },
        {0.0, INFINITY, 5      },
        {0.0, 1.0,      1000000}
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        ok(kal_locus_create(ctx, &wrong[k], modes_of, &family, &locus)
           == KAL_ERR_USAGE);
    }
    lab_close(&family.lab);
    kal_context_destroy(ctx);
}

// Eigenvalues from a formula: a pair that crosses at value 1.
static KalStatus made_up(void *user, double value, KalModes *out_modes)
{
    static KalMode modes[2];
    static KalEigenvalue inner[2];
    (void)user;
    for (int k = 0; k < 2; k++) {
        modes[k] = (KalMode){.re = value - 1.0, .im = k == 0 ? 2.0 : -2.0};
        inner[k] = (KalEigenvalue){modes[k].re, modes[k].im, 1e-15};
    }
    *out_modes = (KalModes){.n = 2, .modes = modes, .n_inner = 2, .inner = inner};
    return KAL_OK;
}

static void all_allocations_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long calls = 1; status == KAL_ERR_NOMEM && calls < 1000; calls++) {
        Fault fault = {.calls_left = calls};
        KalContext *ctx = NULL;
        KalLocus *locus = NULL;
        const KalLocusRange range = {0.0, 3.0, 300};
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        status = kal_locus_create(ctx, &range, made_up, NULL, &locus);
        kal_locus_destroy(locus);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(a_rolling_disc_has_a_critical_speed),
        TAP_CASE(a_sleeping_top_has_a_critical_speed),
        TAP_CASE(damping_changes_its_sign), TAP_CASE(stiffness_changes_its_sign),
        TAP_CASE(gaps_are_told), TAP_CASE(all_allocations_may_fail))

// SPDX-License-Identifier: MIT

// Consistent starts against what geometry says.

#include "instant_lab.h"

static bool start(Lab *lab, KalStartReport *report)
{
    const KalStatus status = kal_instant_start(lab->instant, report);
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
    return status == KAL_OK;
}

// The nearest point of a circle lies on the ray through the guess when both coordinates
// have the same mass.
static void a_bead_goes_to_its_circle(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "param m = 3\ncoord x, y\nkinetic 1/2*m*(x'^2 + y'^2)\n"
                         "constraint ring: x^2 + y^2 = 25\n"
                         "init x ~ 30, y ~ 40, x' ~ 1, y' ~ 2\n")) {
        if (start(&lab, &report)) {
            const double *q = kal_instant_q(lab.instant);
            const double *v = kal_instant_qd(lab.instant);
            ok(report.moved);
            near(q[0], 3.0, 1e-14);
            near(q[1], 4.0, 1e-14);
            // The tangent (−4, 3)/5 keeps ((1, 2)·t) t = 2/5 (−4, 3)/5.
            near(v[0], -0.32, 1e-15);
            near(v[1], 0.24, 1e-15);
            near(report.moved_q[0], -27.0, 1e-12);
            near(report.moved_qd[1], 0.24 - 2.0, 1e-14);
        }
        lab_close(&lab);
    }
}

// x + y = 1 from rest at 0: shares go with 1/mass.
static void light_ones_move_more(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(1*x'^2 + 4*y'^2)\n"
                         "constraint c: x + y = 1\nconstraint d: x' + y' = 0\n"
                         "init x' ~ 1\n")) {
        if (start(&lab, &report)) {
            near(kal_instant_q(lab.instant)[0], 0.8, 1e-15);
            near(kal_instant_q(lab.instant)[1], 0.2, 1e-15);
            // x' + y' = 0 nearest to (1, 0): Δ = −(4, 1)/5.
            near(kal_instant_qd(lab.instant)[0], 0.2, 1e-15);
            near(kal_instant_qd(lab.instant)[1], -0.2, 1e-15);
        }
        lab_close(&lab);
    }
}

static void what_has_no_mass_moves_first(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*x'^2\nconstraint c: x + y = 1\n")) {
        if (start(&lab, &report)) {
            near(kal_instant_q(lab.instant)[0], 0.0, 1e-5);
            near(kal_instant_q(lab.instant)[0] + kal_instant_q(lab.instant)[1], 1.0,
                 1e-15);
        }
        lab_close(&lab);
    }
}

static void held_values_do_not_move(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint ring: x^2 + y^2 = 1\n"
                         "init x = 0.28, y ~ -0.5, x' = 0.7\n")) {
        if (start(&lab, &report)) {
            const double *q = kal_instant_q(lab.instant);
            const double *v = kal_instant_qd(lab.instant);
            ok(q[0] == 0.28);
            ok(v[0] == 0.7);
            near(q[1], -0.96, 1e-15);
            near(v[1], 0.7 * 0.28 / 0.96, 1e-15);
            ok(report.moved_q[0] == 0.0 && report.moved_qd[0] == 0.0);
        }
        lab_close(&lab);
    }
}

static void values_that_fit_stay(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint ring: x^2 + y^2 = 25\n"
                         "init x ~ 3, y ~ 4, x' ~ -4, y' ~ 3\n")) {
        if (start(&lab, &report)) {
            ok(!report.moved);
            ok(kal_instant_q(lab.instant)[0] == 3.0);
            ok(kal_instant_qd(lab.instant)[1] == 3.0);
        }
        lab_close(&lab);
    }
}

// At the center the ring has no gradient: only other starts can find it.
static void a_guess_without_a_way_out(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint ring: x^2 + y^2 = 4\n")) {
        if (start(&lab, &report)) {
            const double *q = kal_instant_q(lab.instant);
            near(hypot(q[0], q[1]), 2.0, 1e-15);
        }
        lab_close(&lab);
    }
}

// A speed that is prescribed at rest: no direction is better than another.
static void a_speed_from_rest(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint speed: x'^2 + y'^2 = 9\ninit x = 1\n")) {
        if (start(&lab, &report)) {
            const double *v = kal_instant_qd(lab.instant);
            near(hypot(v[0], v[1]), 3.0, 1e-14);
        }
        lab_close(&lab);
    }
}

static void redundant_constraints_do_no_harm(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                         "constraint a: x^2 + y^2 = 1\nconstraint b: z = x + y\n"
                         "constraint c: 2*x^2 + 2*y^2 + 3*z = 2 + 3*x + 3*y\n"
                         "constraint d: x' + y' - z' = 0\ninit x ~ 2, x' ~ 1\n")) {
        if (start(&lab, &report)) {
            const double *q = kal_instant_q(lab.instant);
            const double *v = kal_instant_qd(lab.instant);
            near(hypot(q[0], q[1]), 1.0, 1e-14);
            near(q[2], q[0] + q[1], 1e-14);
            near(q[0] * v[0] + q[1] * v[1], 0.0, 1e-15);
            near(v[2], v[0] + v[1], 1e-14);
        }
        lab_close(&lab);
    }
}

// A slider-crank from a guess that is far off.
static void a_loop_closes(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(
            &lab,
            "coord a, b, x\nkinetic 1/2*(a'^2 + b'^2 + x'^2)\n"
            "constraint loop: [cos(a) + 3*cos(b) - x, sin(a) + 3*sin(b)] = [0, 0]\n"
            "init a = 1, b ~ 2, x ~ -5, a' = 2\n")) {
        if (start(&lab, &report)) {
            const double *q = kal_instant_q(lab.instant);
            const double *v = kal_instant_qd(lab.instant);
            near(cos(q[0]) + 3.0 * cos(q[1]), q[2], 1e-14);
            near(sin(q[0]) + 3.0 * sin(q[1]), 0.0, 1e-14);
            near(cos(q[0]) * v[0] + 3.0 * cos(q[1]) * v[1], 0.0, 1e-14);
            ok(q[0] == 1.0 && v[0] == 2.0);
        }
        lab_close(&lab);
    }
}

// Velocities that are given by positions follow these to where they are found.
static void velocities_may_be_given_by_positions(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "param w = 2\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint ring: x^2 + y^2 = 25\n"
                         "init x ~ 30, y ~ 40, x' = -w*y, y' ~ w*x\n")) {
        if (start(&lab, &report)) {
            near(kal_instant_qd(lab.instant)[0], -8.0, 1e-13);
            near(kal_instant_qd(lab.instant)[1], 6.0, 1e-13);
            near(report.moved_qd[0], 0.0, 0.0);
            near(report.moved_qd[1], 0.0, 0.0);
        }
        ok(kal_instant_start_from(lab.instant, "x = 4, y = 3", &report) == KAL_OK);
        near(kal_instant_qd(lab.instant)[0], -6.0, 1e-13);
        ok(kal_instant_start_from(lab.instant, "x = 4, x' = 3", &report) == KAL_OK);
        near(kal_instant_qd(lab.instant)[0], 3.0, 0.0);
        near(kal_instant_qd(lab.instant)[1], -4.0, 1e-13);
        lab_close(&lab);
    }
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "init x = 3, y = 4, x' = y^2\n")) {
        if (start(&lab, &report)) {
            near(kal_instant_qd(lab.instant)[0], 16.0, 0.0);
        }
        ok(kal_instant_start_from(lab.instant, "y = 5", &report) == KAL_OK);
        near(kal_instant_qd(lab.instant)[0], 25.0, 0.0);
        lab_close(&lab);
    }
}

static void contradictions_are_named(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                         "constraint good: z = 1\nconstraint bad: x + y = 3\n"
                         "init x = 1, y = 1\n")) {
        ok(kal_instant_start(lab.instant, &report) == KAL_ERR_CONTRADICTION);
        ok(report.n_failed == 1 && report.failed[0] == 1 && !report.velocity);
        has_text(kal_context_message(lab.ctx), "bad");
        has_text(kal_context_message(lab.ctx),
                 "together with the values that are held");
        lab_close(&lab);
    }
    if (lab_expect(&lab, "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                         "constraint good: z' = 1\nconstraint bad: x' + y' = 3\n"
                         "init x' = 1, y' = 1\n")) {
        ok(kal_instant_start(lab.instant, &report) == KAL_ERR_CONTRADICTION);
        ok(report.n_failed == 1 && report.failed[0] == 1 && report.velocity);
        has_text(kal_context_message(lab.ctx), "bad");
        lab_close(&lab);
    }
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint out: x^2 + y^2 = -1\n")) {
        ok(kal_instant_start(lab.instant, &report) == KAL_ERR_CONTRADICTION);
        ok(report.n_failed == 1 && report.failed[0] == 0);
        has_text(kal_context_message(lab.ctx),
                 "no positions were found that satisfy the constraints: out");
        has_text(kal_context_message(lab.ctx), "contradict each other");
        lab_close(&lab);
    }
    // Whom to blame and by how much are of one state: nobody is off by 0.
    if (lab_expect(&lab, "coord x\nkinetic 1/2*x'^2\nconstraint a: x'^2 + x' = 2\n"
                         "constraint b: 2*x'^2 + 2*x' = 4 + 1e-8\ninit x' ~ 1\n")) {
        ok(kal_instant_start(lab.instant, &report) == KAL_ERR_CONTRADICTION);
        has_text(kal_context_message(lab.ctx), "a (off by 2.5e-09), b (off by -5e-09)");
        ok(strstr(kal_context_message(lab.ctx), "(off by 0)") == NULL);
        lab_close(&lab);
    }
}

// A length has no derivative at 0, where positions begin that nobody gave.
static void what_to_do_at_a_pole_is_told(void)
{
    Lab lab;
    KalStartReport report;
    if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                         "constraint rod: sqrt(x^2 + y^2) = 1\n")) {
        ok(kal_instant_start(lab.instant, &report) == KAL_ERR_NUMBER);
        has_text(kal_context_message(lab.ctx),
                 "has no finite value in this state, at t = 0");
        has_text(kal_context_message(lab.ctx), "; init can begin in another one");
        lab_close(&lab);
    }
}

// All that contradict each other are named, and by how much they miss each other: residuals
// where they do so least.
static void contradictions_have_their_size(void)
{
    static const double misses[] = {1.0, 1e-3, 1e-8};
    static const char *const pairs[] = {
        "constraint one: x' = 1\nconstraint two: x' = 1 + d\n",
        "constraint one: x'^2 + x' = 2.6\nconstraint two: (1 + y^2)*(x'^2 + x') = "
        "2.6*(1 + y^2) + d\n",
        "constraint one: x = 1\nconstraint two: x = 1 + d\n",
        "constraint one: x^2 + y^2 = 1\nconstraint two: x^2 + y^2 = 1 + d\n"
        "init x ~ 1\n"};
    for (size_t i = 0; i < 12; i++) {
        Lab lab;
        KalStartReport report;
        char text[500];
        char half[50];
        (void)snprintf(text, sizeof text,
                       "param d = %.17g\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n%s",
                       misses[i / 4], pairs[i % 4]);
        if (lab_expect(&lab, text)) {
            const KalStatus status = kal_instant_start(lab.instant, &report);
            ok(status == KAL_ERR_CONTRADICTION && report.n_failed == 2);
            (void)snprintf(half, sizeof half, "one (off by %.3g)", 0.5 * misses[i / 4]);
            has_text(kal_context_message(lab.ctx), half);
            (void)snprintf(half, sizeof half, "two (off by %.3g)",
                           -0.5 * misses[i / 4]);
            has_text(kal_context_message(lab.ctx), half);
            lab_close(&lab);
        }
    }
}

// A contradiction is one from what rounding explains on, at both levels alike and by the names of
// both; far away, where numbers are larger, it is none the less.  What rounding explains is met
// where the guess is nearest.
static void small_contradictions_are_named_too(void)
{
    static const double misses[] = {1e-8, 1e-9, 3e-10, 1e-10, 1e-11, 1e-15};
    static const char *const rates[] = {"", "'"};
    for (int k = 0; k < 12; k++) {
        const double miss = misses[k / 2];
        const char *rate = rates[k % 2];
        char text[400];
        Lab lab;
        KalStartReport report;
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                       "constraint one: x%s + y%s = 1\n"
                       "constraint other: x%s + y%s = 1 + %g\n",
                       rate, rate, rate, rate, miss);
        if (lab_expect(&lab, text)) {
            const KalStatus status = kal_instant_start(lab.instant, &report);
            ok(status == (miss > 2e-10 ? KAL_ERR_CONTRADICTION : KAL_OK));
            if (status == KAL_OK) {
                const double *x = k % 2 == 0 ? kal_instant_q(lab.instant)
                                             : kal_instant_qd(lab.instant);
                near(x[0], 0.5, 1e-9);
                near(x[1], 0.5, 1e-9);
            } else {
                has_text(kal_context_message(lab.ctx), "one (off by");
                has_text(kal_context_message(lab.ctx), "other (off by");
            }
            lab_close(&lab);
        }
    }
}

static void memory_may_fail(void)
{
    static const char text[] = "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "constraint ring: x^2 + y^2 = 4\n"
                               "constraint speed: x'^2 + y'^2 = 1\n";
    Lab lab;
    if (!lab_expect(&lab, text)) {
        return;
    }
    bool done = false;
    for (long limit = 0; limit < 100 && !done; limit++) {
        KalStartReport report;
        lab.fault.calls_left = limit;
        const KalStatus status = kal_instant_start(lab.instant, &report);
        done = status == KAL_OK;
        ok(done || status == KAL_ERR_NOMEM);
    }
    ok(done);
    lab.fault.calls_left = -1;
    lab_close(&lab);
}

// Values that a text names take the place of the model's and are held.
static void a_start_may_have_other_values(void)
{
    Lab lab;
    KalStartReport report;
    if (!lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                          "constraint c: x^2 + y^2 = 25\n"
                          "init x = 3, y ~ 4, x' = 1, y' ~ 0\n")) {
        return;
    }
    ok(kal_instant_start_from(lab.instant, "x = -4, y' = 2*2", &report)
       == KAL_ERR_CONTRADICTION); // both velocities are held
    ok(kal_instant_start_from(lab.instant, "x = -4, x' = 3", &report) == KAL_OK);
    ok(kal_instant_q(lab.instant)[0] == -4.0 && kal_instant_qd(lab.instant)[0] == 3.0);
    near(kal_instant_q(lab.instant)[1], 3.0, 1e-14);
    near(kal_instant_qd(lab.instant)[1], 4.0, 1e-14);
    ok(kal_instant_start_from(lab.instant, "z = 1", &report) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(lab.ctx), "start:1:1"); // where z is in what was given
    ok(kal_instant_start_from(lab.instant, "t = 1", &report) == KAL_ERR_USAGE);
    ok(kal_instant_start(lab.instant, &report) == KAL_OK);
    ok(kal_instant_q(lab.instant)[0] == 3.0);
    lab_close(&lab);
}

// At the corner of |x| the rate of y is that of the piece that x' leads to.
static void rates_at_a_corner_are_those_ahead(void)
{
    static const char *const held[] = {"x' = 2", "x' = 2, y' = 2", "x' = -2, y' = 2"};
    for (size_t i = 0; i < sizeof held / sizeof held[0]; i++) {
        Lab lab;
        KalStartReport report;
        if (lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                             "constraint c: y = abs(x)\ninit x = 0\n")) {
            ok(kal_instant_start_from(lab.instant, held[i], &report) == KAL_OK);
            near(kal_instant_qd(lab.instant)[1], 2.0, 1e-14);
            ok(kal_instant_start_from(lab.instant, "x' = 1, y' = -1", &report)
               == KAL_ERR_CONTRADICTION);
        }
        lab_close(&lab);
    }
}

// The state is where the equations are others on both sides.
static void is_seam(const char *formulas, const char *quote)
{
    Lab lab;
    KalSeam seam = {.found = false};
    char text[300];
    snprintf(text, sizeof text, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n%s\n",
             formulas);
    if (lab_expect(&lab, text)) {
        ok(kal_instant_seam(lab.instant, &seam) == KAL_OK);
        ok(seam.found == (quote != NULL));
        same_text(seam.quote, quote ? quote : "");
    }
    lab_close(&lab);
}

static void seams_of_equations_are_told(void)
{
    is_seam("constraint c: y = abs(x)", "abs(x)");
    is_seam("force x = -sign(x')", "sign(x')");
    is_seam("force x = if(y > 0, 1, 2)", "y > 0");
    is_seam("force x = if(y > 0, y, 0)", NULL); // a force with a kink has one value
    is_seam("force x = -x'*abs(x')", NULL);
    is_seam("potential if(x > 1, 3*x, 0)", NULL);
    is_seam("potential max(x, 2*x)", "max(x, 2*x)");
}

TAP_RUN(TAP_CASE(rates_at_a_corner_are_those_ahead),
        TAP_CASE(seams_of_equations_are_told),
        TAP_CASE(velocities_may_be_given_by_positions),
        TAP_CASE(a_bead_goes_to_its_circle), TAP_CASE(light_ones_move_more),
        TAP_CASE(what_has_no_mass_moves_first), TAP_CASE(held_values_do_not_move),
        TAP_CASE(values_that_fit_stay), TAP_CASE(a_guess_without_a_way_out),
        TAP_CASE(a_speed_from_rest), TAP_CASE(redundant_constraints_do_no_harm),
        TAP_CASE(a_loop_closes), TAP_CASE(contradictions_are_named),
        TAP_CASE(what_to_do_at_a_pole_is_told),
        TAP_CASE(contradictions_have_their_size),
        TAP_CASE(small_contradictions_are_named_too),
        TAP_CASE(a_start_may_have_other_values), TAP_CASE(memory_may_fail))

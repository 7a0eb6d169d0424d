// SPDX-License-Identifier: MIT

// Runs of large systems, whose instants are sparse, against closed forms and small models.

#include "run_lab.h"
#include "sim/run_impl.h"

#define LINKS                                                                  \
    "component Link() {\n coord x, y, a\n kinetic (x'^2 + y'^2)/2 + a'^2/24\n" \
    " potential 9.81*y\n}\npart link[i in 1..N] = Link()\n"

#define PINS                                                                  \
    "constraint hang: [link[1].x - cos(link[1].a)/2,"                         \
    " link[1].y - sin(link[1].a)/2] = [0, 0]\n"                               \
    "for i in 2..N {\n constraint pin[i]: [link[i].x - cos(link[i].a)/2,"     \
    " link[i].y - sin(link[i].a)/2] = [link[i-1].x + cos(link[i-1].a)/2,"     \
    " link[i-1].y + sin(link[i-1].a)/2]\n}\n"                                 \
    "for i in 1..N {\n init link[i].a ~ 0, link[i].x ~ i - 0.5, link[i].y ~ " \
    "0\n}\n"

// Links that keep their angles to each other; some constraints say so twice.
static const char rod[] =
    "param N = 80\n" LINKS PINS
    "for i in 2..N { constraint lock[i]: link[i].a = link[i-1].a }\n"
    "for i in 1..N/10 { constraint twin[i]: 3*link[10*i].a = 3*link[10*i-1].a }\n"
    "simulate 0 .. 6 every 0.5\n";

// The same as one body: a rod of length 80 on a hinge.
static const char alone[] = "coord a\nkinetic 1/2*80^3/3*a'^2\n"
                            "potential 9.81*80*40*sin(a)\ninit a = 0\n"
                            "simulate 0 .. 6 every 0.5\n";

static double end_alone(const char *text)
{
    Lab lab;
    double q = NAN;
    if (lab_load(&lab, text)) {
        lab.options.rtol = 1e-12;
        lab.options.atol = 1e-12;
        ok(lab_go(&lab) == KAL_OK);
        q = lab_q(&lab, 0);
    }
    lab_close(&lab);
    return q;
}

static void links_that_are_locked_swing_as_one_rod(void)
{
    Lab lab;
    const double angle = end_alone(alone);
    ok(angle < -2.0); // it has gone through most of a swing
    if (lab_run(&lab, rod)) {
        const KalRunStatistics s = kal_run_statistics(lab.run);
        const KalInstant *instant = kal_run_instant(lab.run);
        ok(instant->large.solver && !instant->A);
        ok(instant->n_active == 247 && instant->ranks.n_independent == 239);
        for (int i = 0; i < 80; i++) {
            near(lab_q(&lab, 3 * i + 2), angle, 1e-6);
            near(lab_q(&lab, 3 * i), (i + 0.5) * cos(angle), 1e-4);
        }
        ok(s.position_error < 1e-12 && s.velocity_error < 1e-12);
        ok(s.passages == 0);
    }
    lab_close(&lab);
}

// Quaternions, for which M is singular, with entries of A that begin as rounding and grow.
// Points of mass that nothing moves make the instants sparse.
#define BODIES(points)                                                              \
    "use spatial\nparam N = 24, K = " points "\n"                                   \
    "part b[i in 1..N] = Body(m = 1, I = [0.01, 1/12, 1/12],"                       \
    " spin = [0, 0, 0.3*sin(i)])\npart top = Ball(b = b[1], at_b = [-0.5, 0, 0])\n" \
    "part joint[i in 2..N] = Ball(a = b[i-1], b = b[i], at_a = [0.5, 0, 0],"        \
    " at_b = [-0.5, 0, 0])\nfor i in 1..N { init b[i].x ~ i - 0.5 }\n"              \
    "coord u[K]\nfor i in 1..K { kinetic u[i]'^2 }\n"                               \
    "simulate 0 .. 0.5 every 0.5, rtol = 1e-10, atol = 1e-10\n"

static void bodies_in_space_move_as_by_dense_matrices(void)
{
    Lab few;
    Lab many;
    const bool ran = lab_run(&few, BODIES("1"));
    if (lab_run(&many, BODIES("50")) && ran) {
        ok(kal_run_instant(few.run)->A && !kal_run_instant(many.run)->A);
        for (int i = 0; i < 7 * 24; i++) {
            near(lab_q(&many, i), lab_q(&few, i), 1e-8);
        }
        ok(kal_run_statistics(many.run).position_error < 1e-12);
    }
    lab_close(&few);
    lab_close(&many);
}

// N four-bars in a row, all parallelograms: every point is on a circle and swings like a
// pendulum; where they are level, N constraints depend on the others at once.
static const char windows[] =
    "param N = 120, th = -1.2, w = 6\ncoord x[121], y[121]\n"
    "kinetic sum(i in 1..N+1 : 1/2*(x[i]'^2 + y[i]'^2))\n"
    "potential 9.81*sum(i in 1..N+1 : y[i])\n"
    "for i in 1..N+1 { constraint crank[i]: (x[i] - i)^2 + y[i]^2 = 1 }\n"
    "for i in 1..N { constraint bar[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1 }\n"
    "for i in 1..N+1 { init x[i] ~ i + cos(th), y[i] ~ sin(th) }\n"
    "for i in 1..N+1 { init x[i]' ~ -w*sin(th), y[i]' ~ w*cos(th) }\n"
    "simulate 0 .. 2 every 0.05\n";

static const char pendulum[] = "coord a\nkinetic 1/2*a'^2\npotential 9.81*sin(a)\n"
                               "init a = -1.2, a' = 6\nsimulate 0 .. 2 every 0.05\n";

static void losses_of_rank_are_found_and_passed(void)
{
    Lab lab;
    const double angle = end_alone(pendulum);
    if (lab_run(&lab, windows)) {
        const KalIncident *incidents = NULL;
        ok(kal_run_statistics(lab.run).passages == 2); // up through level, and down
        if (ok(kal_run_incidents(lab.run, &incidents) == 2)) {
            ok(incidents[0].kind == KAL_INCIDENT_PASSAGE);
            has_text(incidents[0].text, "become dependent for an instant");
            has_text(incidents[0].text, "bar[");
        }
        for (int i = 0; i <= 120; i++) {
            near(lab_q(&lab, i), i + 1 + cos(angle), 1e-6);
            near(lab_q(&lab, 121 + i), sin(angle), 1e-6);
        }
    }
    lab_close(&lab);
}

// A chain falls for half a second, then breaks: from then on the mass center
// of the lower part falls freely.
static void a_chain_that_breaks_falls_freely(void)
{
    static const char text[] =
        "param N = 70\n" LINKS PINS "event cut: t - 0.5 rising release pin[6]\n"
        "output fall = sum(i in 6..N : link[i].y'')/65\n"
        "output drift = sum(i in 6..N : link[i].x'')/65\n"
        "simulate 0 .. 1 every 0.25\n";
    Lab lab;
    if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
        const double *outputs = NULL;
        ok(kal_run_advance(lab.run, 0.4) == KAL_OK);
        ok(kal_instant_outputs(kal_run_instant(lab.run), &outputs) == KAL_OK);
        ok(fabs(outputs[0] + 9.81) > 1e-6); // the upper part pulls
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_instant_outputs(kal_run_instant(lab.run), &outputs) == KAL_OK);
        near(outputs[0], -9.81, 1e-11);
        near(outputs[1], 0.0, 1e-11);
        ok(kal_run_statistics(lab.run).energy_drift < 1e-5);
    }
    lab_close(&lab);
}

// Weights on springs of their own, the first of which meets a stop that holds it from then
// on: the gap rests at zero, and rounding of it is no event.
static void a_gap_that_is_held_is_no_event(void)
{
    static const char text[] =
        "param N = 210\ncoord x[210]\nkinetic sum(i in 1..N : x[i]'^2/2)\n"
        "potential sum(i in 1..N : x[i]^2/2)\n"
        "constraint stop: x[1] + x[2] = 1, off\n"
        "for i in 1..N { init x[i] = 0.1, x[i]' = 1 }\n"
        "event meet: x[1] + x[2] - 1 rising engage stop\nsimulate 0 .. 9 every 1\n";
    Lab lab;
    if (lab_run(&lab, text)) {
        ok(kal_run_statistics(lab.run).events == 1);
        near(lab_q(&lab, 0), 0.5, 1e-9);
        near(lab_q(&lab, 2), 0.1 * cos(9.0) + sin(9.0), 1e-7);
    }
    lab_close(&lab);
}

// N particles of mass 1 at distances of 1 on rods, in a line from a wall, pulled by a force at
// the far end: those that are pushed aside a little swing as the modes of a string with knots
// do, with the square of the frequency 2 F (1 - cos k) for the wave sin(k i), k = (2 p - 1)
// pi/(2 N + 1), whose slope is zero beyond the end.
static void a_wave_on_a_chain_of_ten_thousand_rods(void)
{
    enum {
        N = 10000
    };

    const double height = 1e-7;
    const double k = (2.0 * 4000.0 - 1.0) * 3.14159265358979323846 / (2.0 * N + 1.0);
    const double frequency = sqrt(2.0 * (1.0 - cos(k)));
    char text[1000];
    Lab lab;
    snprintf(text, sizeof text,
             "param N = %d, h = %g, k = %.17g\ncoord x[N], y[N]\n"
             "kinetic sum(i in 1..N : (x[i]'^2 + y[i]'^2)/2)\nforce x[N] = 1\n"
             "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
             "for i in 2..N {\n"
             " constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n"
             "for i in 1..N { init y[i] = h*sin(k*i), x[i] ~ i }\n"
             "simulate 0 .. 5 every 5\n",
             N, height, k);
    if (lab_load_with(&lab, text, (KalLoadOptions){.more = NULL})) {
        lab.options.rtol = 1e-9;
        lab.options.atol = 1e-14;
        ok(lab_go(&lab) == KAL_OK);
        double worst = 0.0;
        for (int i = 0; i < N; i++) {
            const double want = height * sin(k * (i + 1)) * cos(5.0 * frequency);
            worst = fmax(worst, fabs(lab_q(&lab, N + i) - want));
        }
        ok(worst < 1e-6 * height);
        ok(kal_run_statistics(lab.run).position_error < 1e-9);
    }
    lab_close(&lab);
}

// What is made of dense matrices is made of them up to a size, and says so beyond.
static void dense_ways_have_their_limit(void)
{
    static const char particles[] =
        "component P() {\n coord x, y, z\n kinetic (x'^2 + y'^2 + z'^2)/2\n}\n"
        "part p[i in 1..%d] = P()\nsimulate 0 .. 1 every 1\n";
    char text[300];
    Lab lab;
    snprintf(text, sizeof text, particles, 1400);
    if (lab_load_with(&lab, text, (KalLoadOptions){.more = NULL})) {
        ok(lab_go(&lab) == KAL_OK);
        lab_again(&lab);
        lab.options.form = KAL_RUN_FORM_REDUCED;
        ok(lab_start(&lab) == KAL_ERR_LIMIT);
        has_text(kal_context_message(lab.ctx),
                 "4096 of each are the most for a run in the reduced form");
    }
    lab_close(&lab);
}

static size_t count_dense(Lab *lab)
{
    const KalIncident *incidents = NULL;
    size_t found = 0;
    const size_t n = kal_run_incidents(lab->run, &incidents);
    for (size_t i = 0; i < n; i++) {
        found += incidents[i].kind == KAL_INCIDENT_METHOD
                 && strstr(incidents[i].text, "dense matrices") != NULL;
    }
    return found;
}

// Below that size they say what they cost, once, where a run without them would not.
static void dense_ways_are_told(void)
{
    static const char particles[] = "coord x[N]\nkinetic sum(i in 1..N : x[i]'^2/2)\n"
                                    "init x[1]' = 1\nsimulate 0 .. 1 every 1\n";
    char text[300];
    for (int n = 200; n <= 201; n++) {
        Lab lab;
        (void)snprintf(text, sizeof text, "param N = %d\n%s", n, particles);
        if (lab_load(&lab, text)) {
            ok(lab_go(&lab) == KAL_OK && count_dense(&lab) == 0);
            lab_again(&lab);
            lab.options.form = KAL_RUN_FORM_REDUCED;
            ok(lab_go(&lab) == KAL_OK && count_dense(&lab) == (n > 200));
        }
        lab_close(&lab);
    }
}

static bool count_down(void *user)
{
    return --*(int *)user > 0;
}

// Between two steps, too, a run of a large model ends where its context says so.
static void the_context_may_end_a_run(void)
{
    static const KalRunForm forms[] = {KAL_RUN_FORM_FULL, KAL_RUN_FORM_REDUCED};
    static const int counts[] = {1, 2, 5, 20, 60};
    Lab lab;
    if (lab_load(&lab, rod)) {
        for (size_t k = 0; k < 10; k++) {
            int left = counts[k / 2];
            lab_again(&lab);
            lab.options.form = forms[k % 2];
            kal_context_set_watch(lab.ctx, count_down, &left);
            ok(lab_go(&lab) == KAL_ERR_INTERRUPTED && left <= 0);
            kal_context_set_watch(lab.ctx, NULL, NULL);
            has_text(kal_context_message(lab.ctx), "interrupted");
        }
    }
    lab_close(&lab);
}

#define DAMPED                                         \
    "coord x[N]\nkinetic sum(i in 1..N : x[i]'^2/2)\n" \
    "force x[1] = -1000*x[1]'\ninit x[1]' = 1\n"       \
    "simulate 0 .. 10 every 1\n"

// A strong damper in a large system: the method for it is chosen, and its matrices are sparse.
static void stiff_systems_change_their_method(void)
{
    Lab lab;
    if (lab_run(&lab, "param N = 210\n" DAMPED)) {
        has_text(lab_incident(&lab, 0), "changed to method bdf");
        ok(kal_run_statistics(lab.run).stiff && kal_run_instant(lab.run)->large.solver);
        near(lab_q(&lab, 0), 1e-3, 1e-8);
    }
    lab_close(&lab);
}

// A run that could not change its method for want of memory is started again until it can, and
// holds nothing twice.
static void a_change_of_method_that_fails_is_made_again(void)
{
    static const char *const sizes[] = {"param N = 2\n", "param N = 210\n"};
    for (int i = 0; i < 2; i++) {
        Lab lab;
        char text[300];
        KalStatus status = KAL_ERR_NOMEM;
        int failures = 0;
        (void)snprintf(text, sizeof text, "%s%s", sizes[i], DAMPED);
        if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
            for (long calls = 0; status != KAL_OK && calls < 300; calls++) {
                KalStartReport report;
                lab.fault.calls_left = calls;
                status = kal_run_start(lab.run, &report);
                status = status == KAL_OK ? kal_run_advance(lab.run, 10.0) : status;
                failures += status == KAL_ERR_NOMEM;
                ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            }
            lab.fault.calls_left = -1;
            ok(status == KAL_OK && failures > 5);
            ok(kal_run_statistics(lab.run).stiff);
        }
        lab_close(&lab);
    }
}

// By backward differentiation, with rows that depend on others.
static void locked_links_swing_as_one_rod_by_bdf(void)
{
    Lab lab;
    const double angle = end_alone(alone);
    if (lab_load(&lab, rod)) {
        lab.options.method = KAL_METHOD_BDF;
        ok(lab_go(&lab) == KAL_OK && kal_run_instant(lab.run)->large.solver);
        for (int i = 0; i < 80; i++) {
            near(lab_q(&lab, 3 * i + 2), angle, 1e-5);
        }
        ok(kal_run_statistics(lab.run).position_error < 1e-12);
    }
    lab_close(&lab);
}

static void every_allocation_may_fail(void)
{
    Lab lab;
    KalStatus status = KAL_ERR_NOMEM;
    if (lab_load(&lab, rod)) {
        const size_t held = lab.fault.live_bytes;
        for (long calls = 0; status != KAL_OK && calls < 300;
             calls = fault_next(calls)) {
            lab.fault.calls_left = calls;
            status = lab_start(&lab);
            status = status == KAL_OK ? kal_run_step(lab.run) : status;
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            lab_again(&lab);
            ok(lab.fault.live_bytes == held);
        }
        ok(status == KAL_OK);
        lab.fault.calls_left = -1;
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(links_that_are_locked_swing_as_one_rod),
        TAP_CASE(bodies_in_space_move_as_by_dense_matrices),
        TAP_CASE(losses_of_rank_are_found_and_passed),
        TAP_CASE(a_chain_that_breaks_falls_freely),
        TAP_CASE(a_wave_on_a_chain_of_ten_thousand_rods),
        TAP_CASE(a_gap_that_is_held_is_no_event), TAP_CASE(dense_ways_have_their_limit),
        TAP_CASE(dense_ways_are_told), TAP_CASE(the_context_may_end_a_run),
        TAP_CASE(stiff_systems_change_their_method),
        TAP_CASE(a_change_of_method_that_fails_is_made_again),
        TAP_CASE(locked_links_swing_as_one_rod_by_bdf),
        TAP_CASE(every_allocation_may_fail))

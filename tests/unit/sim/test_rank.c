// SPDX-License-Identifier: MIT

// Through configurations in which constraints become dependent.

#include "rng.h"
#include "run_lab.h"

// A parallelogram of two cranks of length 1, mass 1 at each end of the coupler: both
// angles are that of a pendulum of length 1 and g = 9.81, which here swings right round.
// Level cranks lie on a line with the coupler.
static const char parallelogram[] =
    "coord a, b, c\n"
    "let A = [cos(a), sin(a)], B = A + 2*[cos(c), sin(c)]\n"
    "kinetic 1/2*(dot(A', A') + dot(B', B'))\npotential 9.81*(A.y + B.y)\n"
    "constraint loop: B - [2 + cos(b), sin(b)] = [0, 0]\n"
    "%s"
    "init a = -90*deg, b ~ -90*deg, c ~ 0, a' = 9, b' ~ 9\n"
    "simulate 0 .. 25 every 0.05\n";

// The same, alone.
static const char alone[] = "coord a\nkinetic 1/2*a'^2\npotential 9.81*sin(a)\n"
                            "init a = -90*deg, a' = 9\nsimulate 0 .. 25 every 0.05\n";

static double angle_alone(void)
{
    Lab lab;
    double angle = NAN;
    if (lab_load(&lab, alone)) {
        lab.options.rtol = 1e-12;
        ok(lab_go(&lab) == KAL_OK);
        angle = lab_q(&lab, 0);
        lab_close(&lab);
    }
    return angle;
}

static void a_parallelogram_passes_fifty_times(void)
{
    // Alone, and with a constraint that keeps the rank where the others lose it.
    static const char *const more[] = {"", "constraint over: sin(a - b) = 0\n"};
    const double angle = angle_alone();
    ok(angle > 2.0 * 3.15 * 25.0); // right round more than 25 times
    for (int k = 0; k < 2; k++) {
        Lab lab;
        char text[1000];
        snprintf(text, sizeof text, parallelogram, more[k]);
        if (lab_run(&lab, text)) {
            const KalRunStatistics s = kal_run_statistics(lab.run);
            // Level twice in a turn.
            const int passed =
                (int)floor((angle + 3.14159265358979) / 3.14159265358979);
            ok(passed >= 50);
            ok(s.passages == (k == 0 ? passed : 0));
            near(lab_q(&lab, 0), angle, 1e-4);
            near(lab_q(&lab, 1), lab_q(&lab, 0), 1e-6); // the branch of the start
            ok(fabs(sin(lab_q(&lab, 2))) < 1e-6);
            ok(s.position_error < 1e-12 && s.velocity_error < 1e-11);
            ok(s.energy_drift < 1e-6);
            has_text(lab_incident(&lab, 0), k == 0 ? "loop" : "");
        }
        lab_close(&lab);
    }
}

// However near to it somebody looks, where rounding is magnified by the cube of one over the
// distance: a'' = -9.81 cos a, and both cranks turn alike.
static void accelerations_beside_a_passage_are_those_of_the_motion(void)
{
    const KalIncident *incidents = NULL;
    char text[1000];
    Lab lab;
    snprintf(text, sizeof text, parallelogram,
             "output off = a'' + 9.81*cos(a), even = a' - b', alike = a'' - b''\n");
    if (lab_run(&lab, text) && ok(kal_run_incidents(lab.run, &incidents) > 3)) {
        const double passed = incidents[3].t;
        for (double d = 1e-3; d > 1e-12; d *= 0.3) {
            for (int side = -1; side <= 1; side += 2) {
                const double *off = NULL;
                lab_again(&lab);
                ok(lab_start(&lab) == KAL_OK
                   && kal_run_advance(lab.run, passed + side * d) == KAL_OK
                   && kal_instant_outputs(kal_run_instant(lab.run), &off) == KAL_OK);
                for (int i = 0; i < 3; i++) {
                    near(off[i], 0.0, 1e-5);
                }
                near(lab_q(&lab, 0), lab_q(&lab, 1), 1e-9);
            }
        }
        ok(kal_run_statistics(lab.run).velocity_error < 1e-11);
    }
    lab_close(&lab);
}

// N four-bars in a row, all parallelograms: every point is on a circle and swings like a
// pendulum; where they are level, N constraints depend on the others at once.
static const char windows[] =
    "coord x[%d], y[%d]\nparam N = %d, th = %.17g, w = %.17g\n"
    "kinetic sum(i in 1..N+1 : 1/2*(x[i]'^2 + y[i]'^2))\n"
    "potential 9.81*sum(i in 1..N+1 : y[i])\n"
    "for i in 1..N+1 { constraint crank[i]: (x[i] - i)^2 + y[i]^2 = 1 }\n"
    "for i in 1..N { constraint bar[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1 }\n"
    "%s\n"
    "for i in 1..N+1 { init x[i] ~ i + cos(th), y[i] ~ sin(th) }\n"
    "for i in 1..N+1 { init x[i]' ~ -w*sin(th), y[i]' ~ w*cos(th) }\n"
    "simulate 0 .. %g every 0.05\n";

// The angle at the end and how often it was level on the way.
static void swing(double th, double w, double until, double *out_angle, int *out_level)
{
    Lab lab;
    char text[500];
    snprintf(text, sizeof text,
             "coord a\nkinetic 1/2*a'^2\npotential 9.81*sin(a)\n"
             "init a = %.17g, a' = %.17g\nevent level: sin(a) set a = a\n"
             "simulate 0 .. %g every 0.05\n",
             th, w, until);
    if (lab_load(&lab, text)) {
        lab.options.rtol = 1e-12;
        ok(lab_go(&lab) == KAL_OK);
        *out_angle = lab_q(&lab, 0);
        *out_level = kal_run_statistics(lab.run).events;
    }
    lab_close(&lab);
}

// Run windows and compare with the pendulum.
static void compare_windows(int n, double th, double w, double until, double tolerance)
{
    static const char *const more[] = {
        "", "for i in 1..N { constraint again[i]: 2*(x[i+1] - x[i])^2 + 2*(y[i+1] - "
            "y[i])^2 = 2 }"};
    double angle = 0.0;
    int level = -1;
    swing(th, w, until, &angle, &level);
    for (int k = 0; k < 2; k++) {
        Lab lab;
        char text[1500];
        snprintf(text, sizeof text, windows, n + 1, n + 1, n, th, w, more[k], until);
        if (lab_load(&lab, text)) {
            lab.options.rtol = tolerance;
            lab.options.atol = 1e-3 * tolerance;
            if (!ok(lab_go(&lab) == KAL_OK)) {
                printf("# N = %d, angle %g: %s\n", n, th, kal_context_message(lab.ctx));
            }
            const KalRunStatistics s = kal_run_statistics(lab.run);
            ok(s.passages == level);
            for (int i = 0; i <= n; i++) {
                near(lab_q(&lab, i), i + 1 + cos(angle), 1e-4);
                near(lab_q(&lab, n + 1 + i), sin(angle), 1e-4);
                near(lab_q(&lab, i) - i, lab_q(&lab, 0), 1e-9); // the branch
            }
            ok(s.position_error < 1e-12 && s.velocity_error < 1e-11);
            ok(s.energy_drift < 1e-5);
        }
        lab_close(&lab);
    }
}

static void many_four_bars_pass_together(void)
{
    for (int n = 1; n <= 5; n++) {
        compare_windows(n, 1.5707963267948966, -1.0, 4.0, 1e-9);
    }
    compare_windows(2, -1.5707963267948966, 9.0, 25.0, 1e-9); // 58 passages
    compare_windows(1, 2.5, 6.0, 10.0, 1e-7);
    compare_windows(3, 0.3, -2.0, 10.0, 1e-11);
}

// Just before the loss of rank, at it and behind it.
static void a_run_may_start_near_a_loss_of_rank(void)
{
    compare_windows(1, -0.1, 3.0, 1.0, 1e-9);
    compare_windows(2, -1e-2, 3.0, 1.0, 1e-9);
    compare_windows(3, -1e-3, 3.0, 1.0, 1e-11);
    compare_windows(1, -1e-4, 3.0, 1.0, 1e-9);
    compare_windows(2, 0.0, 3.0, 0.5, 1e-9);
    compare_windows(2, 1e-5, 3.0, 0.5, 1e-9);
}

// Every passage is noticed however long the steps are: cranks are level at a = 0, π, 2π, …
static void no_passage_is_overlooked(void)
{
    static const double tolerances[] = {1e-8, 1e-9, 1e-10, 1e-12};
    char text[1000];
    snprintf(text, sizeof text, parallelogram, "");
    for (size_t k = 0; k < sizeof tolerances / sizeof tolerances[0]; k++) {
        Lab lab;
        if (lab_load(&lab, text)) {
            lab.options.rtol = tolerances[k];
            lab.options.atol = tolerances[k];
            ok(lab_go(&lab) == KAL_OK);
            ok(kal_run_statistics(lab.run).passages
               == (int)floor(lab_q(&lab, 0) / acos(-1.0)) + 1);
            lab_close(&lab);
        }
    }
}

// With equal lengths the slider comes to the centre, where the rows vanish: x = 2 cos a,
// b = -a; then T = a'²/2 (1 + 0.5 + 0.8·4 sin² a) is constant.
static void a_slider_crank_of_equal_lengths_passes(void)
{
    Lab lab;
    if (lab_run(&lab,
                "coord a, b, x\nkinetic 1/2*(a'^2 + 0.5*b'^2 + 0.8*x'^2)\n"
                "constraint loop: [cos(a) + cos(b) - x, sin(a) + sin(b)] = [0, 0]\n"
                "init a = 0.5, b ~ -0.5, x ~ 1.7, a' = 2\n"
                "simulate 0 .. 50 every 0.1\n")) {
        const KalRunStatistics s = kal_run_statistics(lab.run);
        const double a = lab_q(&lab, 0);
        const double start = 4.0 * (1.5 + 3.2 * sin(0.5) * sin(0.5));
        ok(a > 30.0);
        near(lab_q(&lab, 1), -a, 1e-9);
        near(lab_q(&lab, 2), 2.0 * cos(a), 1e-9);
        near(lab_qd(&lab, 0), sqrt(start / (1.5 + 3.2 * sin(a) * sin(a))), 1e-7);
        // Once for each half turn, where x = 0.
        ok(s.passages == (int)floor((a + 1.57079632679) / 3.14159265359));
        has_text(lab_incident(&lab, 0), "loop");
        lab_close(&lab);
    }
}

// A chain of two links is pulled straight at t = 5 and can go no further.
static void a_mechanism_that_locks_says_so(void)
{
    Lab lab;
    if (lab_load(&lab,
                 "coord a, b, x\nkinetic 1/2*(a'^2 + b'^2 + x'^2)\n"
                 "constraint loop: [cos(a) + cos(b) - x, sin(a) + sin(b)] = [0, 0]\n"
                 "prescribe x = 1.5 + 0.1*t\ninit a ~ 0.7, b ~ -0.7\n"
                 "simulate 0 .. 10 every 0.1\n")) {
        ok(lab_go(&lab) == KAL_ERR_STEP);
        near(kal_run_time(lab.run), 5.0, 1e-6);
        has_text(kal_context_message(lab.ctx), "locks");
        has_text(kal_context_message(lab.ctx), "loop");
        near(lab_q(&lab, 2), 2.0, 1e-6);
        lab_close(&lab);
    }
}

// A four-bar with bars a, b, c and the ground d, whose crank a is driven to where coupler
// and rocker lie on a line.
typedef struct FourBar {
    double a, b, c, d;
    double from; // angle of the crank
    double dead; // where it cannot go on: a² + d² − 2 a d cos θ = (b + c)²
    double rate;
} FourBar;

static FourBar random_four_bar(Rng *rng)
{
    FourBar bar = {.a = 0.5 + rng_unit(rng), .d = 1.0 + rng_unit(rng)};
    const double least = fabs(bar.a - bar.d);
    const double reach = least + (0.2 + 0.6 * rng_unit(rng)) * (bar.a + bar.d - least);
    bar.b = (0.4 + 0.2 * rng_unit(rng)) * reach;
    bar.c = reach - bar.b;
    bar.dead =
        acos((bar.a * bar.a + bar.d * bar.d - reach * reach) / (2.0 * bar.a * bar.d));
    bar.from = fmax(bar.dead - 0.5, 0.5 * bar.dead);
    bar.rate = 0.3 + 2.0 * rng_unit(rng);
    return bar;
}

static void write_four_bar(const FourBar *bar, char *text, size_t size)
{
    const double x = bar->a * cos(bar->from) - bar->d; // of the crank's end, from the
    const double y = bar->a * sin(bar->from);          // rocker's pivot
    const double angle = acos((bar->c * bar->c + x * x + y * y - bar->b * bar->b)
                              / (2.0 * bar->c * hypot(x, y)));
    const double rocker = atan2(y, x) - angle;
    const double coupler = atan2(bar->c * sin(rocker) - y, bar->c * cos(rocker) - x);
    snprintf(text, size,
             "coord p, q, r\nparam a = %.17g, b = %.17g, c = %.17g, d = %.17g\n"
             "kinetic 1/2*(p'^2 + 0.3*q'^2 + 5*r'^2)\n"
             "constraint loop: [a*cos(p) + b*cos(q) - c*cos(r) - d, a*sin(p) + "
             "b*sin(q) - c*sin(r)] = [0, 0]\n"
             "constraint drive: p' = %.17g\n"
             "init p = %.17g, q ~ %.17g, r ~ %.17g\nsimulate 0 .. 10 every 0.1\n",
             bar->a, bar->b, bar->c, bar->d, bar->rate, bar->from, coupler, rocker);
}

static void a_driven_four_bar_locks_at_its_dead_point(void)
{
    Rng rng = {11};
    for (int k = 0; k < 60; k++) {
        const FourBar bar = random_four_bar(&rng);
        char text[1000];
        Lab lab;
        write_four_bar(&bar, text, sizeof text);
        if (lab_load(&lab, text)) {
            ok(lab_go(&lab) == KAL_ERR_STEP);
            near(kal_run_time(lab.run), (bar.dead - bar.from) / bar.rate, 1e-8);
            has_text(kal_context_message(lab.ctx), "locks");
            has_text(kal_context_message(lab.ctx), "drive");
            ok(kal_run_statistics(lab.run).evaluations < 30000);
        }
        lab_close(&lab);
    }
}

// A parallelogram that hardly comes over its level and soon falls back: in between it never
// leaves the neighbourhood of the loss of rank, and no step may come upon it by accident.
static void a_slow_second_passage_is_passed(void)
{
    static const char text[] =
        "coord a, b, c\n"
        "kinetic 1/2*4.830530215917013*(a'^2*0.7291508556069233^2 + "
        "b'^2*0.7291508556069233^2 + c'^2)\n"
        "constraint u: 0.7291508556069233*cos(a) + 3.4265699362791056*cos(c) = "
        "3.4265699362791056 + 0.7291508556069233*cos(b)\n"
        "constraint v: 0.7291508556069233*sin(a) + 3.4265699362791056*sin(c) = "
        "0.7291508556069233*sin(b)\n"
        "potential 9.81*4.830530215917013*0.7291508556069233*(sin(a) + sin(b))\n"
        "init a = 3.4553130509809824, b ~ 3.4553130509809824, c ~ 0\n"
        "init a' = 2.893065590480002, b' ~ 2.893065590480002\n"
        "simulate 0 .. 5 every 0.5\n";
    for (int k = 0; k <= 48; k++) {
        Lab lab;
        if (lab_load(&lab, text)) {
            lab.options.rtol = pow(10.0, -6.0 - 0.125 * k);
            lab.options.atol = 1e-3 * lab.options.rtol;
            ok(lab_go(&lab) == KAL_OK);
            near(lab_q(&lab, 1), lab_q(&lab, 0), 1e-6);
            ok(kal_run_statistics(lab.run).energy_drift < 1e-3);
            ok(kal_run_statistics(lab.run).passages == 10);
        }
        lab_close(&lab);
    }
}

// A parallelogram that begins close to its level, and fast: the first steps, of which none tells
// how long the next may be, do not go across it unseen.
static void a_passage_right_behind_the_start_is_told(void)
{
    static const char text[] = "param r = 0.8, d = 2\ncoord a, b, c\n"
                               "kinetic r^2*a'^2 + r^2*b'^2 + c'^2\n"
                               "constraint u: r*cos(a) + d*cos(c) = d + r*cos(b)\n"
                               "constraint v: r*sin(a) + d*sin(c) = r*sin(b)\n"
                               "init a = 0.0557, b ~ 0.0557, a' = -3.5, b' ~ "
                               "-3.5\nsimulate 0 .. 0.5 every 0.1\n";
    for (int k = 0; k <= 24; k++) {
        Lab lab;
        if (lab_load(&lab, text)) {
            lab.options.rtol = pow(10.0, -6.0 - 0.25 * k);
            lab.options.atol = lab.options.rtol;
            ok(lab_go(&lab) == KAL_OK);
            ok(kal_run_statistics(lab.run).passages == 1);
            near(lab_q(&lab, 0), 0.0557 - 1.75, 1e-4);
        }
        lab_close(&lab);
    }
}

// One that is let go of close to its level: the row that vanishes there is short from the start,
// and entries that errors of steps leave in it do not count as what is left of it.
static void a_passage_after_a_rest_near_it_is_told(void)
{
    static const double tolerances[] = {2e-7, 1e-7, 8e-8, 5e-8, 1.1e-8, 1.2e-11};
    static const double starts[] = {0.0384, 0.0393, 0.0395, 0.0396, 0.04, 0.0135};
    for (int k = 0; k < 36; k++) {
        char text[600];
        Lab lab;
        snprintf(text, sizeof text,
                 "param r = 0.73, d = 3.43\ncoord a, b, c\n"
                 "kinetic r^2*a'^2 + r^2*b'^2 + c'^2\n"
                 "constraint u: r*cos(a) + d*cos(c) = d + r*cos(b)\n"
                 "constraint v: r*sin(a) + d*sin(c) = r*sin(b)\n"
                 "potential 2*9.81*r*(sin(a) + sin(b))\n"
                 "init a = %.17g, b ~ %.17g\nsimulate 0 .. 0.4 every 0.4\n",
                 starts[k / 6], starts[k / 6]);
        if (lab_load(&lab, text)) {
            lab.options.rtol = tolerances[k % 6];
            lab.options.atol = lab.options.rtol;
            ok(lab_go(&lab) == KAL_OK);
            ok(kal_run_statistics(lab.run).passages == 1);
            near(lab_q(&lab, 1), lab_q(&lab, 0), 1e-5);
        }
        lab_close(&lab);
    }
}

// Peaucellier's linkage of point masses without weight, with OA = OB = 1, CA = CB = PA = PB =
// 0.6 and C on a circle of diameter 1 through O: P is on the line x = 0.64.
static const char peaucellier[] =
    "coord ax, ay, bx, by, cx, cy, px, py\n"
    "let A = [ax, ay], B = [bx, by], C = [cx, cy], P = [px, py]\n"
    "kinetic 1/2*(dot(A', A') + dot(B', B') + dot(C', C') + dot(P', P'))\n"
    "constraint OA: dot(A, A) = 1\nconstraint OB: dot(B, B) = 1\n"
    "constraint CA: dot(C - A, C - A) = 0.36\nconstraint CB: dot(C - B, C - B) = 0.36\n"
    "constraint PA: dot(P - A, P - A) = 0.36\nconstraint PB: dot(P - B, P - B) = 0.36\n"
    "constraint circle: dot(C - [0.5, 0], C - [0.5, 0]) = 0.25\n"
    "let r = cos(0.3), h = (0.64 + r^2)/(2*r), u = [cos(0.3), sin(0.3)]\n"
    "let k = sqrt(1 - h^2)\n"
    "init cx = r*u.x, cy = r*u.y, ax ~ h*u.x - k*u.y, ay ~ h*u.y + k*u.x\n"
    "init bx ~ h*u.x + k*u.y, by ~ h*u.y - k*u.x, px ~ (2*h - r)*u.x, py ~ (2*h - "
    "r)*u.y\n"
    "init cx' ~ -sin(0.6), cy' ~ cos(0.6)\n"
    "simulate 0 .. 6 every 0.05\n";

// Its configuration where OC = r and A is at the angle `a` from the line OCP.
static void place_linkage(double r, double a, double x[8])
{
    const double u[2] = {r, sqrt(1.0 - r * r)};
    for (int i = 0; i < 2; i++) {
        const double n = i == 0 ? -u[1] : u[0];
        x[i] = cos(a) * u[i] + sin(a) * n;
        x[2 + i] = cos(a) * u[i] - sin(a) * n;
        x[4 + i] = r * u[i];
        x[6 + i] = 0.64 / r * u[i];
    }
}

// How far its points go, together, from OC = r to where it folds with C at P, and from there
// to where A is at B.
static double length_to_fold(double from, double to)
{
    enum {
        PARTS = 20000
    };

    double length = 0.0;
    double before[8];
    double x[8];
    for (int k = 0; k <= PARTS; k++) {
        const double r = from + (to - from) * sin(0.5 * acos(-1.0) * k / PARTS);
        place_linkage(r, acos(fmin(0.5 * (r + 0.64 / r), 1.0)), x);
        double square = 0.0;
        for (int i = 0; i < 8; i++) {
            square += k == 0 ? 0.0 : (x[i] - before[i]) * (x[i] - before[i]);
            before[i] = x[i];
        }
        length += sqrt(square);
    }
    return length;
}

// It moves at constant speed in the space of its coordinates, through two places where it
// folds; at the second, rank falls by two.
static void a_peaucellier_folds(void)
{
    Lab lab;
    if (!lab_load(&lab, peaucellier)) {
        return;
    }
    ok(lab_go(&lab) == KAL_OK);
    const KalIncident *incidents = NULL;
    const KalRunStatistics s = kal_run_statistics(lab.run);
    const double first = length_to_fold(cos(0.3), 0.8);
    const double speed = sqrt(2.0 * s.energy_initial);
    ok(s.passages == 2);
    if (ok(kal_run_incidents(lab.run, &incidents) == 2)) {
        near(incidents[0].t, first / speed, 1e-7);
        near(incidents[1].t, (first + length_to_fold(0.8, 0.4)) / speed, 1e-6);
        same_text(incidents[0].name, "CA, CB, PA, PB");
        same_text(incidents[1].name, "OA, OB, CA, CB, PA, PB");
    }
    near(lab_q(&lab, 6), 0.64, 1e-12);
    ok(lab_q(&lab, 1) < lab_q(&lab, 3)); // A and B have changed sides
    ok(s.energy_drift < 1e-9);
    lab_close(&lab);
}

// The angle between the rows of a four-bar that is no parallelogram stays away from zero.
static void nothing_is_reported_without_reason(void)
{
    Lab lab;
    if (lab_run(&lab, "coord a, b, c\nkinetic 1/2*(a'^2 + b'^2 + c'^2)\n"
                      "constraint loop: [cos(a) + 3*cos(c) - 2*cos(b) - 3, sin(a) + "
                      "3*sin(c) - 2*sin(b)] = [0, 0]\n"
                      "init a = 1, b ~ 1.2, c ~ 0.3, a' = 3\n"
                      "simulate 0 .. 20 every 0.1\n")) {
        ok(kal_run_statistics(lab.run).passages == 0);
        ok(kal_run_statistics(lab.run).energy_drift < 1e-7);
    }
    lab_close(&lab);
}

// A constraint alone loses its rank where its row vanishes: a bead on the lemniscate of length
// 4K, K = 1.3110…, is in the crossing of its branches at the times K, 3K, 5K …, and goes on along
// the branch it came on.
static void a_bead_passes_the_crossing_of_its_wire(void)
{
    static const double quarter = 1.31102877714605990523;
    for (int k = 0; k <= 12; k++) {
        Lab lab;
        if (lab_load(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                           "constraint wire: (x^2 + y^2)^2 = x^2 - y^2\n"
                           "init x = 1, y = 0, x' = 0, y' = 1\n"
                           "simulate 0 .. 20.97646043433695848368 every 1\n")) {
            lab.options.rtol = pow(10.0, -5.0 - 0.5 * k);
            lab.options.atol = lab.options.rtol;
            const KalIncident *incidents = NULL;
            ok(lab_go(&lab) == KAL_OK);
            ok(kal_run_statistics(lab.run).passages == 8);
            const size_t count = kal_run_incidents(lab.run, &incidents);
            ok(count == 8);
            for (size_t i = 0; i < count; i++) {
                near(incidents[i].t, (2.0 * (double)i + 1.0) * quarter, 1e-3);
                has_text(incidents[i].text, "wire has no effect for an instant");
            }
            near(lab_q(&lab, 0), 1.0, 1e-4); // 16 quarters: where it began
            near(lab_qd(&lab, 1), 1.0, 1e-4);
        }
        lab_close(&lab);
    }
}

// A row that vanishes with the velocity: n z' = |v| holds Appell's and Hamel's mass to a cone of
// velocities; thrown up it passes the tip, where z'' = -g/(1 + n²) has used z' up.
static void a_velocity_passes_the_tip_of_its_cone(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                      "potential 9.81*z\nconstraint cone: x'^2 + y'^2 = 4*z'^2\n"
                      "init x' = 1, y' = 0, z' = 0.5\nsimulate 0 .. 3 every 1\n")) {
        const KalIncident *incidents = NULL;
        if (ok(kal_run_incidents(lab.run, &incidents) == 1)) {
            near(incidents[0].t, 0.5 * 5.0 / 9.81, 1e-9);
        }
        near(lab_qd(&lab, 2), 0.5 - 3.0 * 9.81 / 5.0, 1e-8);
    }
    lab_close(&lab);
}

// A speed that is to be |1 - t| has its row vanish at t = 1 and goes on smoothly, x' = 1 - t; where
// the formula is a square of time, that is the instant of its peak, in which steps would end.
static void a_speed_passes_through_nought(void)
{
    static const char *const texts[] = {
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\ninit x' = 1, y' = 0\n"
        "constraint c: x'^2 + y'^2 = 1 - 2*t + t^2\nsimulate 0 .. 3 every 0.5\n",
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\ninit x' = 1, y' = 0\n"
        "constraint c: x'^2 + y'^2 = (1 - t)^2\nsimulate 0 .. 3 every 0.5\n",
    };
    for (int k = 0; k < 34; k++) {
        Lab lab;
        if (lab_load(&lab, texts[k % 2])) {
            lab.options.rtol = pow(10.0, -5.0 - 0.5 * (k / 2));
            lab.options.atol = lab.options.rtol;
            const KalIncident *incidents = NULL;
            ok(lab_go(&lab) == KAL_OK);
            if (ok(kal_run_incidents(lab.run, &incidents) == 1)) {
                near(incidents[0].t, 1.0, 1e-9);
            }
            near(lab_q(&lab, 0), -1.5, 1e-9);
            near(lab_qd(&lab, 0), -2.0, 1e-12);
        }
        lab_close(&lab);
    }
}

// The same where values are renewed, or an event happens, in that very instant: the run would
// begin anew with a row of rounding, and go any way.
static void a_speed_interrupted_at_nought_is_refused(void)
{
    static const char *const interruptions[] = {"hold s every 0.5: x\n",
                                                "event e: t - 1 rising set x = x\n"};
    for (int k = 0; k < 10; k++) {
        char text[400];
        Lab lab;
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                       "init x' = 0.6, y' = 0.8\n%s"
                       "constraint c: x'^2 + y'^2 = 1 - 2*t + t^2\n"
                       "simulate 0 .. 3 every 0.5\n",
                       interruptions[k % 2]);
        if (lab_load(&lab, text)) {
            lab.options.rtol = pow(10.0, -5.0 - 2.0 * (k / 2));
            lab.options.atol = lab.options.rtol;
            ok(lab_go(&lab) == KAL_ERR_NOT_UNIQUE);
            has_text(kal_context_message(lab.ctx), "at t = 1, in the very instant");
            has_text(kal_context_message(lab.ctx), "row of A of c vanishes");
        }
        lab_close(&lab);
    }
}

// A row that becomes small little by little acts as before, and nothing is told: its force is
// along x, so that y = cos t and x = sin t.
static void a_row_that_fades_acts(void)
{
    static const double rates[] = {1.0, 3.0, 7.0};
    for (int k = 0; k < 3; k++) {
        char text[300];
        Lab lab;
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 1/2*y^2\n"
                       "constraint c: exp(-%g*t)*(x' - y) = 0\ninit y = 1\n"
                       "simulate 0 .. 50 every 10\n",
                       rates[k]);
        if (lab_run(&lab, text)) {
            const KalIncident *incidents = NULL;
            ok(kal_run_incidents(lab.run, &incidents) == 0);
            near(lab_q(&lab, 0), sin(50.0), 1e-6);
            near(lab_q(&lab, 1), cos(50.0), 1e-6);
        }
        lab_close(&lab);
    }
}

// Where rank is lost from the start, and any branch would do: refused, by the names of what would
// break; where a velocity or symmetry chooses the way, it is gone.
static void a_start_that_leads_off_is_refused(void)
{
#define WIRE(weight, vx, vy)                                          \
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential " weight "*y\n" \
    "constraint wire: (x^2 + y^2)^2 = x^2 - y^2\n"                    \
    "init x = 0, y = 0, x' = " vx ", y' = " vy "\nsimulate 0 .. 1 every 1\n"
#define FLAT(mass)                                                                   \
    "coord a, b, c\nlet A = [cos(a), sin(a)], B = A + 2*[cos(c), sin(c)]\n"          \
    "kinetic 1/2*(dot(A', A') + dot(B', B'))\npotential 9.81*(A.y + " mass "*B.y)\n" \
    "constraint loop: B - [2 + cos(b), sin(b)] = [0, 0]\n"                           \
    "init a = 0, b = 0, c = 0\nsimulate 0 .. 1 every 1\n"

    static const struct {
        const char *text;
        const char *broken; // "": nothing is
    } cases[] = {
        {WIRE("9.81",  "0",            "0"), "wire"},
        {WIRE("9.81",      "0.7",                    "0.7"), ""},
        {WIRE("0",  "0","0"), ""},
        {FLAT("3"),            "loop"                  },
        {FLAT("1.01"),        "loop"                             },
        {FLAT("1"),    ""},
        {"coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n"
         "constraint cone: x'^2 + y'^2 = 4*z'^2\nsimulate 0 .. 1 every 1\n", "cone" },
    };

#undef WIRE
#undef FLAT
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Lab lab;
        if (lab_load(&lab, cases[k].text)) {
            const bool breaks = cases[k].broken[0] != '\0';
            ok(lab_go(&lab) == (breaks ? KAL_ERR_NOT_UNIQUE : KAL_OK));
            has_text(breaks ? kal_context_message(lab.ctx) : "", cases[k].broken);
        }
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(a_parallelogram_passes_fifty_times),
        TAP_CASE(accelerations_beside_a_passage_are_those_of_the_motion),
        TAP_CASE(a_speed_passes_through_nought),
        TAP_CASE(a_speed_interrupted_at_nought_is_refused),
        TAP_CASE(a_row_that_fades_acts), TAP_CASE(a_start_that_leads_off_is_refused),
        TAP_CASE(a_bead_passes_the_crossing_of_its_wire),
        TAP_CASE(a_velocity_passes_the_tip_of_its_cone),
        TAP_CASE(many_four_bars_pass_together),
        TAP_CASE(a_run_may_start_near_a_loss_of_rank),
        TAP_CASE(no_passage_is_overlooked),
        TAP_CASE(a_slider_crank_of_equal_lengths_passes),
        TAP_CASE(a_mechanism_that_locks_says_so),
        TAP_CASE(a_driven_four_bar_locks_at_its_dead_point),
        TAP_CASE(a_slow_second_passage_is_passed),
        TAP_CASE(a_passage_after_a_rest_near_it_is_told),
        TAP_CASE(a_passage_right_behind_the_start_is_told),
        TAP_CASE(a_peaucellier_folds), TAP_CASE(nothing_is_reported_without_reason))

// SPDX-License-Identifier: MIT

// Narrow pulses that the motion meets, against what follows from their integrals.

#include "allocations.h"
#include "run_lab.h"

#include <math.h>

// Through the brake k exp(−((x − 3)/w)²) x' the velocity falls by k w √π.
#define BRAKE                                     \
    "coord x\n"                                   \
    "kinetic 1/2*x'^2\n"                          \
    "force x = -2000*exp(-((x - 3)/1e-4)^2)*x'\n" \
    "init x = 0, x' = 1\n"                        \
    "simulate 0 .. 20 every 1\n"

static const double BEHIND = 1.0 - 0.2 * 1.7724538509055160273; // √π

// Once, at every tolerance, and as often as it is met.
static void brakes_brake(void)
{
    Lab lab;
    if (!lab_load(&lab, BRAKE)) {
        return;
    }
    for (double tolerance = 1e-5; tolerance > 1e-13; tolerance *= 0.1) {
        lab.options.rtol = tolerance;
        lab.options.atol = tolerance;
        ok(lab_go(&lab) == KAL_OK);
        near(lab_qd(&lab, 0), BEHIND, 1e3 * tolerance);
        ok(kal_run_statistics(lab.run).steps < 1000);
        lab_again(&lab);
    }
    lab_close(&lab);
    if (lab_run(&lab, "coord x\n"
                      "kinetic 1/2*x'^2\n"
                      "force x = -100*exp(-((mod(x, 2) - 1)/1e-4)^2)*x'\n"
                      "init x = 0, x' = 1\n"
                      "simulate 0 .. 10 every 1\n")) {
        const double passed = floor(0.5 * (lab_q(&lab, 0) + 1.0));
        near(lab_qd(&lab, 0), 1.0 - passed * 0.01 * 1.7724538509055160273, 1e-7);
    }
    lab_close(&lab);
}

// However many others there are: the last of 1101, through which z' gains w √π.
static void many_pulses_are_looked_at(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x, y[1100], z\n"
                      "kinetic 1/2*(x'^2 + z'^2 + sum(k in 1..1100 : y[k]'^2))\n"
                      "for k in 1..1100 { force y[k] = exp(-((x - 100 - k)/1e-4)^2) }\n"
                      "force z = exp(-((x - 5.037)/1e-4)^2)\n"
                      "init x = 0, x' = 1\n"
                      "simulate 0 .. 10 every 10\n")) {
        near(lab_qd(&lab, 1101), 1e-4 * 1.7724538509055160273, 1e-12);
        near(lab_qd(&lab, 1100), 0.0, 0.0);
    }
    lab_close(&lab);
}

// A spike of work 1 between points of a smooth table that lie close together, or one point of many,
// in time and in the state; also where the table repeats itself.
static void tables_have_pulses(void)
{
#define THIN                                                                   \
    "table f = [-1, 5, 5.000001, 5.000002, 100], [0, 0, 1e6, 0, 0], method = " \
    "monotone\n"
#define TURN                                                                          \
    "table f = [0, 5, 5.000001, 5.000002, 7], [0, 0, 1e6, 0, 0], method = monotone, " \
    "outside = repeat\n"
#define DOT "coord x\nkinetic 1/2*x'^2\ninit x' = 1\nsimulate 0 .. 10 every 1\n"
    static const char *const texts[] = {
        THIN DOT "force x = f(x)\n",       TURN DOT "force x = f(x + 7)\n",
        TURN DOT "force x = f(x - 700)\n", THIN DOT "force x = f(t)\n",
        TURN DOT "force x = f(t + 7)\n",
    };
    const double ends[] = {sqrt(3.0), sqrt(5.0), sqrt(5.0), 2.0,
                           2.0}; // two are met twice
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Lab lab;
        if (lab_run(&lab, texts[i])) {
            near(lab_qd(&lab, 0), ends[i], 1e-6);
            ok(kal_run_statistics(lab.run).steps < 300);
        }
        lab_close(&lab);
    }
}

// Pulses whose functions are zero, or turn, several times within a step, in time and in the
// state, as squares and written out: each gives its integral.
static void trains_of_pulses_are_met(void)
{
#define ROOT_PI 1.7724538509055160273

    static const struct {
        const char *force;
        double gain;
        double least; // width, narrower than which rounding makes the force ragged
    } trains[] = {
  // 15 zeros and half of the pulse at the start, of the slope 5
        {"0.1*exp(-(sin(5*t)/w)^2)/w",             15.5 * 0.1 * ROOT_PI / 5.0, 0.0 },
        {"0.1*exp(-((t^2 - 10*t + 24)/w)^2)/w",    0.1 * ROOT_PI,              0.0 },
        {"0.1/w/cosh((t^2 - 10*t + 24)/w)^2",      0.2,                        0.0 },
        {"0.1*exp(-(t^2 - 10*t + 25)/w^2)/w",      0.1 * ROOT_PI,              1e-3},
        {"0.1*exp((10*t - t^2 - 25)/w^2)/w",       0.1 * ROOT_PI,              1e-3},
        {"0.1/w/(1 + (t^2 - 10*t + 25)/w^2)",      0.1 * 3.14159265358979,     1e-3},
 // per length, so that it does not matter how fast each is passed
        {"0.1*exp(-((x^2 - 10*x + 24)/w)^2)/w*x'", 0.1 * ROOT_PI,              0.0 },
        {"0.1*exp(-(x^2 - 6*x + 9)/w^2)/w*x'",     0.1 * ROOT_PI,              1e-3},
        {"0.1*exp(-(cos(x)/w)^2)/w*x'",            3.0 * 0.1 * ROOT_PI,        0.0 }
    };

    static const double widths[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    for (size_t i = 0; i < sizeof trains / sizeof *trains; i++) {
        for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
            char text[300];
            Lab lab;
            if (widths[k] < trains[i].least) {
                continue;
            }
            snprintf(text, sizeof text,
                     "param w = %g\ncoord x\nkinetic 1/2*x'^2\nforce x = %s\n"
                     "init x = 0, x' = 1\nsimulate 0 .. %s every 1\n",
                     widths[k], trains[i].force, i < 8 ? "10" : "7.9");
            if (lab_run(&lab, text)) {
                // edges of pulses, and slopes that change within one
                near(lab_qd(&lab, 0), 1.0 + trains[i].gain, 2.0 * widths[k] + 1e-6);
                ok(kal_run_statistics(lab.run).steps < 3000);
            }
            lab_close(&lab);
        }
    }
}

// A pulse that is met again where the motion turns within a step, beside one with the same in
// an `if` about it.
static void turning_points_are_looked_at(void)
{
#define SWING(force)                  \
    "coord x\n"                       \
    "kinetic 1/2*x'^2\n"              \
    "potential 1/2*x^2\n"             \
    "force x = " force "\n"           \
    "init x = 0.5, x' = sqrt(0.75)\n" \
    "simulate 0 .. 20 every 1\n"
    Lab narrow;
    Lab piece;
    if (lab_run(&narrow, SWING("-5*exp(-((x - 1)/1e-3)^2)*x'"))
        && lab_run(&piece,
                   SWING("if(abs(x - 1) < 0.01, -5*exp(-((x - 1)/1e-3)^2)*x', 0)"))) {
        near(lab_q(&narrow, 0), lab_q(&piece, 0), 1e-8);
        lab_close(&piece);
    }
    lab_close(&narrow);
}

// A number that changes its sign by rounding in every step is none that pulses wait for: a mass
// on a spring that lies along one axis takes as many evaluations as without the other.
static void what_rests_is_not_looked_at(void)
{
#define SPRING(y)                                          \
    "coord x, y\n"                                         \
    "kinetic 1/2*(x'^2 + y'^2)\n"                          \
    "potential 9*(sqrt((x - 2)^2 + y^2) - 1)^2 + 50*y^2\n" \
    "init x = 0.5, y = " y "\n"                            \
    "simulate 0 .. 20 every 1\n"
    Lab still;
    Lab rounded;
    if (lab_run(&still, SPRING("0")) && lab_run(&rounded, SPRING("1e-17"))) {
        ok(lab_q(&rounded, 1) != 0.0);
        near((double)kal_run_statistics(rounded.run).evaluations,
             (double)kal_run_statistics(still.run).evaluations, 0.0);
        lab_close(&rounded);
    }
    lab_close(&still);
}

// Functions that wind far from zero, or pass by it all one way, ask for no accelerations between
// the ends of steps: 12 for each step are all.
static void what_stays_away_from_zero_is_not_looked_at(void)
{
    static const char *const texts[] = {
        "coord x\nkinetic 1/2*x'^2\npotential 1/(4 + cos(x))\n"
        "init x' = 3\nsimulate 0 .. 20 every 20\n",
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
        "potential 1/sqrt((x - 2)^2 + y^2 + 0.1)\n"
        "init x = 2.1, x' = 1, y' = 0.5\nsimulate 0 .. 20 every 20\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Lab lab;
        if (lab_run(&lab, texts[i])) {
            const KalRunStatistics s = kal_run_statistics(lab.run);
            ok(s.steps > 10);
            ok(s.evaluations < 12 * (s.steps + s.rejected) + 2 * s.steps);
        }
        lab_close(&lab);
    }
}

static void steps_allocate_nothing(void)
{
    static const char *const texts[] = {BRAKE,
                                        BRAKE "force x = exp(-(sin(5*x)/1e-4)^2)\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Lab lab;
        if (!lab_load(&lab, texts[i])) {
            return;
        }
        ok(lab_start(&lab) == KAL_OK);
        lab.fault.calls_left = 0;
        ok(kal_run_advance(lab.run, 20.0) == KAL_OK);
        lab.fault.calls_left = -1;
        lab_close(&lab);
    }
}

static KalStatus make_and_free(KalContext *ctx)
{
    KalSystem *system = NULL;
    KalRun *run = NULL;
    KalStatus status =
        kal_system_load(ctx, "test.kal", BRAKE, strlen(BRAKE), NULL, &system);
    if (status == KAL_OK) {
        const KalRunOptions options = kal_run_options(system);
        status = kal_run_create(ctx, system, &options, &run);
    }
    kal_run_destroy(run);
    kal_system_destroy(system);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_free);
}

TAP_RUN(TAP_CASE(brakes_brake), TAP_CASE(many_pulses_are_looked_at),
        TAP_CASE(tables_have_pulses), TAP_CASE(trains_of_pulses_are_met),
        TAP_CASE(turning_points_are_looked_at), TAP_CASE(what_rests_is_not_looked_at),
        TAP_CASE(what_stays_away_from_zero_is_not_looked_at),
        TAP_CASE(steps_allocate_nothing), TAP_CASE(every_allocation_may_fail))

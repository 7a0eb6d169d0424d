// SPDX-License-Identifier: MIT

// What does work, against closed forms; and that nothing else depends on it.

#include "run_lab.h"

static double work_of(Lab *lab, const char *name)
{
    const KalWork *works = NULL;
    const size_t count = kal_run_works(lab->run, &works);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(works[i].name, name) == 0) {
            return works[i].work;
        }
    }
    printf("# no %s\n", name);
    return NAN;
}

static double power_of(Lab *lab, const char *name)
{
    const KalWork *works = NULL;
    const size_t count = kal_run_works(lab->run, &works);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(works[i].name, name) == 0) {
            return works[i].power;
        }
    }
    return NAN;
}

static void balanced(Lab *lab, double tolerance)
{
    const KalRunStatistics s = kal_run_statistics(lab->run);
    near(s.energy_balance, 0.0, tolerance);
    ok(s.energy_balance > 0.0);
}

// x = e^(−ct) (cos wt + (c/w) sin wt), with any method.
static void damping_takes_what_is_missing(void)
{
    static const KalMethod methods[] = {KAL_METHOD_DOP853, KAL_METHOD_BDF};
    const double c = 0.3;
    const double w = sqrt(4.0 - c * c);
    for (int k = 0; k < 2; k++) {
        Lab lab;
        if (!lab_load(&lab,
                      "param c = 0.3\ncoord x\nkinetic 1/2*x'^2\npotential 2*x^2\n"
                      "dissipation c*x'^2\ninit x = 1\nsimulate 0 .. 3 every 0.1\n")) {
            continue;
        }
        lab.options.method = methods[k];
        ok(lab_start(&lab) == KAL_OK);
        for (int i = 1; i <= 30; i++) { // samples inside of steps
            const double t = 0.1 * i;
            ok(kal_run_advance(lab.run, t) == KAL_OK);
            const double x = exp(-c * t) * (cos(w * t) + c / w * sin(w * t));
            const double v = -exp(-c * t) * 4.0 / w * sin(w * t);
            const double lost = 0.5 * v * v + 2.0 * x * x - 2.0;
            near(work_of(&lab, "dissipation"), lost, k == 0 ? 3e-9 : 1e-7);
            near(power_of(&lab, "dissipation"), -2.0 * c * v * v, k == 0 ? 3e-9 : 1e-7);
        }
        balanced(&lab, k == 0 ? 1e-8 : 3e-7);
        lab_close(&lab);
    }
}

static double drift_of(Lab *lab, const char *name)
{
    const KalConstant *constants = NULL;
    const size_t count = kal_run_constants(lab->run, &constants);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(constants[i].name, name) == 0) {
            return constants[i].drift;
        }
    }
    return NAN;
}

// V = −q v·A: a circle, at the cyclotron frequency q B/m, in any gauge; plus a field along
// y, in which the centre drifts along x.
static void a_charge_goes_round_in_a_magnetic_field(void)
{
    static const char *gauges[] = {"-B*x*y'", "B*y*x'", "-B*(x*y' - y*x')/2"};
    static const KalMethod methods[] = {KAL_METHOD_DOP853, KAL_METHOD_BDF};
    const double w = 3.0 * 0.8 / 2.0;
    const double drift = 0.4 / 0.8;
    for (int k = 0; k < 6; k++) {
        char text[400];
        Lab lab;
        snprintf(text, sizeof text,
                 "param m = 2, q = 3, B = 0.8, E = 0.4\ncoord x, y\n"
                 "kinetic 1/2*m*(x'^2 + y'^2)\npotential q*(%s)\npotential -q*E*y\n"
                 "init x = 0, y = 0, x' = 1\nsimulate 0 .. 7 every 0.5\n",
                 gauges[k % 3]);
        if (!lab_load(&lab, text)) {
            continue;
        }
        lab.options.method = methods[k / 3];
        ok(lab_start(&lab) == KAL_OK && kal_run_advance(lab.run, 7.0) == KAL_OK);
        const double tolerance = k < 3 ? 1e-8 : 1e-6;
        const double u = 1.0 - drift; // relative to the centre
        near(lab_q(&lab, 0), drift * 7.0 + u * sin(w * 7.0) / w, tolerance);
        near(lab_q(&lab, 1), u * (cos(w * 7.0) - 1.0) / w, tolerance);
        near(lab_qd(&lab, 1), -u * sin(w * 7.0), tolerance);
        near(kal_run_statistics(lab.run).energy_initial, 1.0, 1e-15);
        near(drift_of(&lab, "energy"), 0.0, tolerance);
        lab_close(&lab);
    }
}

// Foucault's pendulum in the frame of the turning ground, theory (16.2), (10.13): its
// energy is not constant, T2 - T0 + V is; in the frame at rest it is an ellipse.
static void jacobi_is_kept_in_a_turning_frame(void)
{
    Lab lab;
    if (lab_run(&lab, "param w = 0.3, k = 4\ncoord x, y\n"
                      "kinetic 1/2*((x' - w*y)^2 + (y' + w*x)^2)\n"
                      "potential k*(x^2 + y^2)/2\ninit x = 1, y = 0, x' = 0, y' = 0.2\n"
                      "simulate 0 .. 6 every 0.5\n")) {
        const double X = cos(12.0);
        const double Y = (0.2 + 0.3) / 2.0 * sin(12.0);
        near(lab_q(&lab, 0), cos(1.8) * X + sin(1.8) * Y, 1e-8);
        near(lab_q(&lab, 1), -sin(1.8) * X + cos(1.8) * Y, 1e-8);
        near(drift_of(&lab, "jacobi"), 0.0, 1e-8);
        ok(isnan(drift_of(&lab, "energy")));
        lab_close(&lab);
    }
}

// Hyperbolic motion: x = c²/a (sqrt(1 + (a t/c)²) − 1); γ m c² + V is constant.
static void a_fast_particle_keeps_its_energy_function(void)
{
    Lab lab;
    if (lab_run(&lab, "param m = 2, c = 3, F = 4\ncoord x\n"
                      "kinetic -m*c^2*sqrt(1 - x'^2/c^2)\npotential -F*x\n"
                      "init x = 0, x' = 0\nsimulate 0 .. 5 every 0.5\n")) {
        near(lab_q(&lab, 0), 9.0 / 2.0 * (sqrt(1.0 + 100.0 / 9.0) - 1.0), 1e-7);
        near(drift_of(&lab, "jacobi"), 0.0, 1e-7);
        lab_close(&lab);
    }
}

// A pendulum swung by a drive: T + V is a function of time.
static void a_drive_gives_what_the_energy_gains(void)
{
    Lab lab;
    if (lab_run(&lab, "param m = 2, L = 0.7, g = 9.81\ncoord th\n"
                      "kinetic 1/2*m*L^2*th'^2\npotential -m*g*L*cos(th)\n"
                      "prescribe th = 0.8*sin(3*t)\nsimulate 0 .. 2 every 0.1\n")) {
        const double th = 0.8 * sin(6.0);
        const double v = 2.4 * cos(6.0);
        const double a = -7.2 * sin(6.0);
        const double gain = 0.49 * (v * v - 2.4 * 2.4) + 13.734 * (1.0 - cos(th));
        near(work_of(&lab, "drive(th)"), gain, 1e-8);
        near(power_of(&lab, "drive(th)"), (0.98 * a + 13.734 * sin(th)) * v, 1e-8);
        balanced(&lab, 3e-8);
    }
    lab_close(&lab);
}

// A pendulum on a pivot that moves: by a constraint, by a frame, by a drive.
static void a_moving_pivot_works_in_three_ways(void)
{
    static const struct {
        const char *text;
        const char *name;
    } ways[] = {
        {"coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
         "constraint rod: (x - 0.3*sin(4*t))^2 + y^2 = 1\n"
         "init x = sin(0.5), y = -cos(0.5), x' ~ 1.2*sin(0.5)^2,"
         " y' ~ -1.2*sin(0.5)*cos(0.5)\n"
         "simulate 0 .. 3 every 0.1\n",                                     "constraints"},
        {"coord th\nlet p = [0.3*sin(4*t) + sin(th), -cos(th)]\n"
         "kinetic 1/2*dot(p', p')\npotential 9.81*p.y\n"
         "init th = 0.5, th' = -1.2*cos(0.5)\nsimulate 0 .. 3 every 0.1\n", "time"       },
        {"coord s, th\nlet p = [s + sin(th), -cos(th)]\n"
         "kinetic 1/2*dot(p', p')\npotential 9.81*p.y\nprescribe s = 0.3*sin(4*t)\n"
         "init th = 0.5, th' = -1.2*cos(0.5)\nsimulate 0 .. 3 every 0.1\n", "drive(s)"   },
    };

    double works[3] = {0.0, 1.0, 2.0};
    for (int k = 0; k < 3; k++) {
        Lab lab;
        if (lab_run(&lab, ways[k].text)) {
            const KalRunStatistics s = kal_run_statistics(lab.run);
            works[k] = work_of(&lab, ways[k].name);
            near(works[k], s.energy_final - s.energy_initial, 1e-7);
            ok(fabs(works[k]) > 0.1);
            balanced(&lab, 1e-7);
        }
        lab_close(&lab);
    }
    near(works[1], works[0], 1e-6);
    near(works[2], works[0], 1e-6);
}

// A bead on a wire that turns: r = cosh 2t, T = (r'² + 4 r²)/2, all of it by the frame;
// and a potential that is pulled up.
static void frames_and_explicit_time_work(void)
{
    Lab lab;
    if (lab_run(&lab, "coord r\nkinetic 1/2*(r'^2 + 4*r^2)\ninit r = 1\n"
                      "simulate 0 .. 1 every 0.1\n")) {
        near(work_of(&lab, "time"), 4.0 * (pow(cosh(2.0), 2) - 1.0), 1e-7);
        balanced(&lab, 1e-7);
    }
    lab_close(&lab);
    // x'' = −3 t: x = −t³/2; V_t = 3 x.
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\npotential 3*t*x\n"
                      "simulate 0 .. 2 every 0.1\n")) {
        near(work_of(&lab, "time"), -3.0 / 8.0 * 16.0, 1e-9);
        near(kal_run_statistics(lab.run).energy_balance, 0.0, 1e-11);
    }
    lab_close(&lab);
}

// T has nothing of a mass that is given directly: what the force gives goes there.
static void given_masses_take_energy(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nmass[x, x] = 2\nforce x = 6\n"
                      "simulate 0 .. 2 every 0.1\n")) {
        near(work_of(&lab, "forces"), 36.0, 1e-9);
        near(work_of(&lab, "masses"), -36.0, 1e-9);
        near(kal_run_statistics(lab.run).energy_balance, 0.0, 1e-11);
    }
    lab_close(&lab);
}

static void friction_and_control_work(void)
{
    Lab lab;
    // It slides for 3/(0.2·10) seconds and 2.25 meters.
    if (lab_run(&lab, "coord x, y\nkinetic x'^2 + y'^2\npotential 20*y\n"
                      "constraint floor: y = 0\n"
                      "nonideal x = -0.2*reaction(floor)*sign(x')\ninit x' = 3\n"
                      "event rest: x' falling stop\nsimulate 0 .. 5 every 0.1\n")) {
        near(work_of(&lab, "nonideal"), -9.0, 1e-9);
        near(kal_run_statistics(lab.run).energy_balance, 0.0, 1e-9);
    }
    lab_close(&lab);
    // x'' = −2 x', by an input of mass times that.
    if (lab_run(&lab, "coord x\nkinetic 3/2*x'^2\nactuator u: 2*x'\n"
                      "servo s: x' = 0, rate = 2\ninit x' = 4\n"
                      "simulate 0 .. 1 every 0.1\n")) {
        near(work_of(&lab, "control(u)"), 24.0 * (exp(-4.0) - 1.0), 1e-8);
        near(power_of(&lab, "control(u)"), -96.0 * exp(-4.0), 1e-8);
        balanced(&lab, 1e-8);
    }
    lab_close(&lab);
    if (lab_run(&lab, "coord x\nkinetic 3/2*x'^2\nservo s: x' = 0, rate = 2\n"
                      "init x' = 4\nsimulate 0 .. 1 every 0.1\n")) {
        near(work_of(&lab, "servos"), 24.0 * (exp(-4.0) - 1.0), 1e-8);
    }
    lab_close(&lab);
}

// Two laws and a force on a mass of 1 from rest: x'' = 3 − 1 − 1, where the law of the brake is cut
// at its limit; x = 2, x' = 2 at the end.  What they act on is their own, not the force's.
static void laws_work_by_their_names(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\nforce x = -1\n"
                      "actuator push: 2*x', law = 3/2\n"
                      "actuator brake: x', law = -5, limit = 1\n"
                      "simulate 0 .. 2 every 0.1\n")) {
        near(work_of(&lab, "control(push)"), 6.0, 1e-9);
        near(work_of(&lab, "control(brake)"), -2.0, 1e-9);
        near(work_of(&lab, "forces"), -2.0, 1e-9);
        near(power_of(&lab, "control(push)"), 6.0, 1e-9);
        balanced(&lab, 1e-9);
    }
    lab_close(&lab);
}

static void events_change_energy_without_work(void)
{
    Lab lab;
    // A frame that turns has G = r² w²; the event changes it too.
    if (lab_run(&lab, "coord r\nkinetic 1/2*(r'^2 + 4*r^2)\ninit r = 1\n"
                      "event far: r - 2 rising set r = 1, set r' = 0\n"
                      "simulate 0 .. 2 every 0.1\n")) {
        const KalRunStatistics s = kal_run_statistics(lab.run);
        ok(s.events >= 2);
        near(s.energy_events, -12.0 * s.events,
             1e-7); // from 4 r² − 2 at r = 2 to r = 1
        balanced(&lab, 1e-7);
    }
    lab_close(&lab);
    // A plastic impact takes half of the energy.
    if (lab_run(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                      "constraint hook: x = y + 1\n"
                      "init x = 0, y = 0, x' = 2, y' = 0\n"
                      "event hit: x - y - 1 rising engage hook\n"
                      "simulate 0 .. 2 every 0.1\n")) {
        const KalRunStatistics s = kal_run_statistics(lab.run);
        near(s.energy_lost, 1.0, 1e-12);
        near(s.energy_events, -1.0, 1e-12);
        near(s.energy_balance, 0.0, 1e-12);
    }
    lab_close(&lab);
}

// Off the constraints they do work, and the balance knows.
static void drift_is_work_of_constraints(void)
{
    for (int drift = KAL_DRIFT_STABILIZE; drift <= KAL_DRIFT_NONE; drift++) {
        Lab lab;
        if (!lab_load(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                            "constraint rod: x^2 + y^2 = 1\nforce x = 0.01*x'\n"
                            "init x = 1, y = 0\nsimulate 0 .. 10 every 0.1\n")) {
            continue;
        }
        lab.options.drift = (KalDrift)drift;
        lab.options.stabilize = 2.0;
        lab.options.rtol = 1e-6;
        lab.options.atol = 1e-6;
        ok(lab_go(&lab) == KAL_OK);
        const double work = work_of(&lab, "constraints");
        ok(fabs(work) > 1e-7);
        balanced(&lab, 1e-4);
        lab_close(&lab);
    }
}

// A power without a value is told as such, and stops nothing.
static void a_power_may_have_no_value(void)
{
    Lab lab;
    if (lab_run(&lab, "coord x\nkinetic 1/2*x'^2\npotential sqrt(t)*x\ninit x = 1\n"
                      "simulate 0 .. 1 every 0.1\n")) {
        near(lab_qd(&lab, 0), -2.0 / 3.0, 1e-6);
        ok(isnan(kal_run_statistics(lab.run).energy_balance));
    }
    lab_close(&lab);
}

static void constants_are_followed(void)
{
    Lab lab;
    const KalConstant *constants = NULL;
    if (lab_run(&lab, "coord r, th\nkinetic 1/2*(r'^2 + r^2*th'^2)\npotential -1/r\n"
                      "init r = 1, th' = 1.2\nsimulate 0 .. 10 every 0.1\n")
        && ok(kal_run_constants(lab.run, &constants) == 2)) {
        same_text(constants[0].name, "energy");
        near(constants[0].initial, 0.72 - 1.0, 1e-15);
        near(constants[0].drift, kal_run_statistics(lab.run).energy_drift, 0.0);
        same_text(constants[1].name, "momentum(th)");
        near(constants[1].initial, 1.2, 1e-15);
        ok(constants[1].drift > 0.0 && constants[1].drift < 1e-8);
    }
    lab_close(&lab);
}

// Across a loss of rank, with damping.
static const char parallelogram[] =
    "coord a, b, c, d\nkinetic 1/2*(a'^2 + b'^2 + c'^2 + d'^2)\n"
    "potential 3*sin(a)\ndissipation 0.02*a'^2\nprescribe d = 0.1*t^2\n"
    "constraint loop: [cos(a) + 2*cos(b) - cos(c), sin(a) + 2*sin(b) - sin(c)] ="
    " [2, 0]\n"
    "init a = 1, a' = 4, b ~ 0, c ~ 1\nsimulate 0 .. 6 every 0.05\n";

static void steps_across_count_too(void)
{
    Lab lab;
    if (lab_run(&lab, parallelogram)) {
        ok(kal_run_statistics(lab.run).crossings > 0);
        balanced(&lab, 1e-6);
    }
    lab_close(&lab);
}

// The motion is the same with and without the balance, but for its errors: those of works
// choose steps too.
static void the_balance_does_not_change_the_motion(void)
{
    static const char *const models[] = {
        parallelogram,
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 5e4*(x - y)^2 + y^2\n"
        "dissipation 2e3*(x' - y')^2\nforce y = cos(t)\ninit x = 1, y = 0.9\n"
        "simulate 0 .. 5 every 0.01\n",
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
        "constraint rod: (x - 0.3*sin(4*t))^2 + y^2 = 1\nforce x = -0.1*x'\n"
        "init x = 1, y = 0\nevent low: y + 0.5 falling set x' = 0.5*x'\n"
        "simulate 0 .. 5 every 0.1\n",
    };

    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        double end[2][10] = {{0.0}, {0.0}};
        KalRunStatistics s[2] = {{.steps = 0}, {.steps = 1}};
        for (int balance = 0; balance < 2; balance++) {
            Lab lab;
            if (!lab_load_with(
                    &lab, models[k],
                    (KalLoadOptions){.stiff = true, .balance = balance == 1})) {
                continue;
            }
            ok(lab_start(&lab) == KAL_OK);
            while (!kal_run_is_over(lab.run)) {
                ok(kal_run_advance(lab.run, kal_run_time(lab.run) + 0.05) == KAL_OK);
            }
            const size_t n = (size_t)kal_system_coordinates(lab.system);
            memcpy(end[balance], kal_instant_q(kal_run_instant(lab.run)),
                   2 * n * sizeof(double));
            s[balance] = kal_run_statistics(lab.run);
            lab_close(&lab);
        }
        for (int i = 0; i < 10; i++) {
            near(end[0][i], end[1][i], 1e-6 * (1.0 + fabs(end[1][i])));
        }
        // The orders that the stiff method chooses hang on rounding, and steps on them.
        ok((double)s[0].steps <= 1.1 * (double)s[1].steps);
        ok(k != 1 || s[1].changes > 0); // the method for stiff systems had its turn
    }
}

// A mass that is shaken over a time as short as one wants: in the end it rests again, and
// its drive has done what the damper took, ∫ c x'² = c A² w π/2 with x = A sin² w t.
static void works_of_short_drives(void)
{
    const double pi = acos(-1.0);
    for (int k = 0; k < 24; k++) {
        const double tolerance = pow(10.0, -6.0 - k % 6);
        const double w = pow(10.0, 1 + k / 6);
        const double A = 3.0 / w;
        const double c = 1e-5 * w; // it takes little of what goes to and fro
        const double taken = c * A * A * w * pi / 2.0;
        char text[500];
        Lab lab;
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential 2*y^2\n"
                 "dissipation 1/2*%.17g*x'^2\ninit y = 1e-3\n"
                 "prescribe x = if(t < 1, 0, if(t < 1 + pi/%.17g, "
                 "%.17g*sin(%.17g*(t - 1))^2, 0))\nsimulate 0 .. 5 every 1\n",
                 c, w, A, w);
        if (lab_load(&lab, text)) {
            lab.options.rtol = tolerance;
            if (!ok(lab_go(&lab) == KAL_OK)) {
                printf("# %g, %g: %s\n", w, tolerance, kal_context_message(lab.ctx));
            }
            const double exchanged = 0.5 * A * A * w * w;
            near(work_of(&lab, "dissipation"), -taken, 30.0 * tolerance * exchanged);
            near(work_of(&lab, "drive(x)"), taken, 30.0 * tolerance * exchanged);
        }
        lab_close(&lab);
    }
}

// A force that turns too fast for the steps of the motion, on a coordinate that is led: the
// drive takes what it gives, so that no balance would tell.  Samples lie inside of steps.
static void fast_powers_are_followed_by_all_methods(void)
{
    static const KalMethod methods[] = {KAL_METHOD_DOP853, KAL_METHOD_BDF};
    for (int k = 0; k < 2; k++) {
        Lab lab;
        if (!lab_load(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                            "potential 1/2*x^2\nforce y = 100*sin(60*t)\n"
                            "prescribe y = t/2\ninit x = 1\n"
                            "simulate 0 .. 3 every 0.1\n")) {
            continue;
        }
        lab.options.method = methods[k];
        lab.options.rtol = 1e-6;
        lab.options.atol = 1e-9;
        ok(lab_start(&lab) == KAL_OK);
        for (int i = 1; i <= 30; i++) {
            const double t = 0.1 * i;
            ok(kal_run_advance(lab.run, t) == KAL_OK);
            near(work_of(&lab, "forces"), 5.0 / 6.0 * (1.0 - cos(60.0 * t)), 3e-5);
        }
        lab_close(&lab);
    }
}

// Samples change no bit, though the scale of works is found on the way.
static void samples_change_no_bit(void)
{
    double end[2][16] = {{0.0}, {0.0}};
    for (int often = 0; often < 2; often++) {
        Lab lab;
        if (lab_load(&lab, parallelogram) && ok(lab_start(&lab) == KAL_OK)) {
            for (int i = 1; i <= 60 && often; i++) {
                ok(kal_run_advance(lab.run, 0.1 * i) == KAL_OK);
            }
            ok(kal_run_advance(lab.run, 6.0) == KAL_OK);
            memcpy(end[often], kal_instant_q(kal_run_instant(lab.run)),
                   2 * (size_t)kal_system_coordinates(lab.system) * sizeof(double));
        }
        lab_close(&lab);
    }
    ok(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

static void every_allocation_may_fail(void)
{
    static const char text[] =
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\ndissipation x'^2\nprescribe y = t^2\n"
        "simulate 0 .. 1 every 0.1\n";
    for (long calls = 0; calls < 100000; calls++) {
        Lab lab = {.fault = {.calls_left = -1}};
        const KalLoadOptions options = {.balance = true};
        ok(kal_context_create(fault_alloc, &lab.fault, &lab.ctx) == KAL_OK);
        lab.fault.calls_left = calls;
        KalStatus status = kal_system_load(lab.ctx, "test.kal", text, strlen(text),
                                           &options, &lab.system);
        if (status == KAL_OK) {
            lab.options = kal_run_options(lab.system);
            status = lab_go(&lab);
        }
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        lab_close(&lab);
        if (status == KAL_OK) {
            ok(calls > 100);
            return;
        }
    }
}

TAP_RUN(TAP_CASE(damping_takes_what_is_missing),
        TAP_CASE(a_charge_goes_round_in_a_magnetic_field),
        TAP_CASE(jacobi_is_kept_in_a_turning_frame),
        TAP_CASE(a_fast_particle_keeps_its_energy_function),
        TAP_CASE(a_drive_gives_what_the_energy_gains),
        TAP_CASE(a_moving_pivot_works_in_three_ways),
        TAP_CASE(frames_and_explicit_time_work), TAP_CASE(given_masses_take_energy),
        TAP_CASE(friction_and_control_work), TAP_CASE(laws_work_by_their_names),
        TAP_CASE(events_change_energy_without_work),
        TAP_CASE(drift_is_work_of_constraints), TAP_CASE(a_power_may_have_no_value),
        TAP_CASE(constants_are_followed), TAP_CASE(steps_across_count_too),
        TAP_CASE(the_balance_does_not_change_the_motion),
        TAP_CASE(works_of_short_drives),
        TAP_CASE(fast_powers_are_followed_by_all_methods),
        TAP_CASE(samples_change_no_bit), TAP_CASE(every_allocation_may_fail))

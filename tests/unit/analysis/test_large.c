// SPDX-License-Identifier: MIT

// Analyses of systems with more coordinates than dense matrices are made for, against
// closed forms.

#include "lab.h"

#define PARTICLES                                      \
    "let r = L/N\ncoord x[N], y[N]\n"                  \
    "kinetic m/2*sum(i in 1..N : x[i]'^2 + y[i]'^2)\n" \
    "potential m*g*sum(i in 1..N : y[i])\n"

#define RODS                                                                       \
    "for i in 2..N {\n constraint rod[i]: (x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 = r^2" \
    "\n}\n"

static const char VERTICAL[] =
    "param N = 300, L = 1, g = 9.81, m = 0.01\n" PARTICLES
    "constraint top: x[1]^2 + y[1]^2 = r^2\n" RODS
    "for i in 1..N {\n init x[i] = 0, y[i] = -i*r\n}\noutput tip = x[N]\n";

// L_n(x), relative to the size of its terms: Laguerre's polynomial by its recurrence.
static double laguerre(int n, double x)
{
    double before = 1.0;
    double value = 1.0 - x;
    for (int k = 1; k < n; k++) {
        const double next = ((2.0 * k + 1.0 - x) * value - k * before) / (k + 1.0);
        before = value;
        value = next;
    }
    return value;
}

// Small swings of n equal masses on equal rods in line have the frequencies ω² = x g/r, with
// L_n(x) = 0.
static void a_hanging_chain_swings_with_the_zeros_of_laguerre(void)
{
    Lab lab;
    const KalModes modes = lab_modes(&lab, VERTICAL, NULL);
    const double unit = 9.81 * 300.0;
    ok(modes.n >= 20 && modes.n <= 22);
    ok(modes.linearization.n_states == 600 && modes.linearization.at_rest);
    ok(modes.stability == KAL_STABILITY_STABLE);
    for (int k = 0; k + 1 < modes.n; k += 2) {
        const KalMode *mode = &modes.modes[k];
        const double x = mode->im * mode->im / unit;
        near(mode->re, 0.0, 1e-8 * mode->im);
        ok(mode->im > 0.0 && modes.modes[k + 1].im == -mode->im);
        ok(laguerre(300, x * (1.0 - 1e-8)) * laguerre(300, x * (1.0 + 1e-8)) < 0.0);
        ok(mode->uncertainty < 1e-6 * mode->im);
        near(mode->shape[299], mode->shape[299] > 0.0 ? 1.0 : -1.0, 1e-9); // the tip
    }
    // The slowest of all is among them: there is no zero below it.
    const double slowest = modes.modes[modes.n - 2].im * modes.modes[modes.n - 2].im;
    for (int k = 1; k < 100; k++) {
        ok(laguerre(300, slowest / unit * k / 100.0) > 0.0);
    }
    lab_close(&lab);
}

// The same upside down: every swing is a fall, at the same rates.
static void a_standing_chain_falls(void)
{
    static const char standing[] =
        "param N = 300, L = 1, g = -9.81, m = 0.01\n" PARTICLES
        "constraint top: x[1]^2 + y[1]^2 = r^2\n" RODS
        "for i in 1..N {\n init x[i] = 0, y[i] = -i*r\n}\n";
    Lab lab;
    const KalModes modes = lab_modes(&lab, standing, NULL);
    const double unit = 9.81 * 300.0;
    ok(modes.n >= 20 && modes.stability == KAL_STABILITY_UNSTABLE);
    for (int k = 0; k < modes.n; k++) {
        const double x = modes.modes[k].re * modes.modes[k].re / unit;
        near(modes.modes[k].im, 0.0, 1e-9 * fabs(modes.modes[k].re));
        ok(laguerre(300, x * (1.0 - 1e-7)) * laguerre(300, x * (1.0 + 1e-7)) < 0.0);
    }
    lab_close(&lab);
}

// Between two nails slopes of rods grow by equal amounts: by m g over the pull to the side.
static void a_chain_between_nails_finds_its_catenary(void)
{
    static const char text[] =
        "param N = 400, L = 2, w = 1.2, g = 9.81, m = 0.01\n" PARTICLES
        "constraint left: [x[1], y[1]] = [0, 0]\n"
        "constraint right: [x[N], y[N]] = [w, 0.1]\n" RODS
        "for i in 1..N {\n init x[i] ~ w*(i-1)/(N-1), y[i] ~ -0.7*sin(pi*(i-1)/(N-1))"
        "\n}\n";
    Lab lab;
    KalEquilibria found = {.count = 0};
    if (!ok(lab_open(&lab, text, ""))
        || !lab_good(&lab,
                     kal_analysis_equilibria(
                         lab.analysis, &(KalEquilibriumOptions){.starts = 0}, &found))
        || !ok(found.count == 1)) {
        lab_close(&lab);
        return;
    }
    const KalEquilibrium *e = &found.list[0];
    const double *x = e->q;
    const double *y = e->q + 400;
    const double first = (y[1] - y[0]) / (x[1] - x[0]);
    const double last = (y[399] - y[398]) / (x[399] - x[398]);
    ok(found.starts == 1 && found.arrived == 1);
    ok(e->stability == KAL_STABILITY_STABLE);
    near(x[399], 1.2, 1e-10);
    near(y[399], 0.1, 1e-10);
    ok(first < -1.0 && last > 1.0);
    for (int i = 1; i < 400; i++) {
        const double slope = (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
        near(slope, first + (last - first) * (i - 1) / 398.0, 1e-8);
        near(hypot(y[i] - y[i - 1], x[i] - x[i - 1]), 2.0 / 400.0, 1e-12);
    }
    lab_close(&lab);
}

// Pendulums by themselves, of lengths 1, 2, …: x̂'' = −g/l x̂ + u/m, and one output.
static void linearizations_are_those_of_their_parts(void)
{
    static const char text[] =
        "param N = 260, g = 9.81\ncoord x[N], y[N]\nactuator push: x[3]'\n"
        "kinetic sum(i in 1..N : x[i]'^2 + y[i]'^2)\n"
        "potential 2*g*sum(i in 1..N : y[i])\n"
        "for i in 1..N {\n constraint rod[i]: x[i]^2 + y[i]^2 = i^2\n"
        " init x[i] = 0, y[i] ~ -i\n}\n"
        "output pull = reaction(rod[2])\noutput sum5 = x[5] + 3*x[6]'\n";
    Lab lab;
    KalLinearization l = {.n_states = 0};
    if (lab_at(&lab, text, NULL, NULL)
        && lab_good(&lab, kal_analysis_linearize(lab.analysis, &l))) {
        ok(l.n_states == 520 && l.n_positions == 260 && l.n_inputs == 1
           && l.n_outputs == 2);
        ok(l.at_rest && l.steady && !l.note);
        for (int k = 0; k < 260; k++) {
            for (int i = 0; i < 260; i++) {
                const double *row = l.A + (size_t)(260 + i) * 520;
                near(row[k], i == k ? -9.81 / (1 + i) : 0.0, 1e-13);
                near(row[260 + k], 0.0, 0.0);
                near(l.A[i * 520 + 260 + k], i == k ? 1.0 : 0.0, 1e-13);
                near(l.A[i * 520 + k], 0.0, 0.0);
            }
            near(l.B[260 + k], k == 2 ? 0.5 : 0.0, 1e-13);
        }
        same_text(l.states[0], "x[1]");
        same_text(l.states[261], "x[2]'");
        near(l.C[520 + 4], 1.0, 1e-14);
        near(l.C[520 + 260 + 5], 3.0, 1e-14);
        near(l.C[1], 0.0, 1e-12); // pulls grow with squares
    }
    lab_close(&lab);
}

// Two equal chains of springs: every frequency twice, ω = 2 √k sin(j π/(2 (n + 1))).
static void what_is_there_twice_is_found_twice(void)
{
    static const char text[] =
        "param N = 280, k = 50\ncoord a[N], b[N]\n"
        "kinetic sum(i in 1..N : a[i]'^2 + b[i]'^2)/2\n"
        "potential k/2*(a[1]^2 + a[N]^2 + b[1]^2 + b[N]^2"
        " + sum(i in 2..N : (a[i]-a[i-1])^2 + (b[i]-b[i-1])^2))\n";
    Lab lab;
    const KalModes modes = lab_modes(&lab, text, NULL);
    const double pi = acos(-1.0);
    ok(modes.n == 20 && modes.stability == KAL_STABILITY_STABLE);
    for (int j = 1; j <= 5 && modes.n == 20; j++) {
        const double w = 2.0 * sqrt(50.0) * sin(j * pi / (2.0 * 281.0));
        for (int k = 0; k < 4; k++) {
            near(fabs(modes.modes[20 - 4 * j + k].im), w, 1e-9 * w);
        }
    }
    lab_close(&lab);
}

// Bodies on ball joints that hang in a line may each spin about it: as many modes of rate 0, too
// many to be found.  That is rest all the same.
static void rest_is_listed_without_its_modes(void)
{
    static const char text[] =
        "use spatial\nparam N = 80\n"
        "part b[i in 1..N] = Body(m = 1, I = [0.01, 0.09, 0.09])\n"
        "part top = Ball(b = b[1], at_b = [-0.5, 0, 0])\n"
        "part joint[i in 2..N] = Ball(a = b[i-1], b = b[i], at_a = [0.5, 0, 0],"
        " at_b = [-0.5, 0, 0])\nfor i in 1..N {\n"
        " init b[i].x ~ 0.02*i, b[i].y ~ 0, b[i].z ~ 0.5 - i, b[i].e0 ~ sqrt(0.5),"
        " b[i].e1 ~ 0, b[i].e2 ~ sqrt(0.5), b[i].e3 ~ 0\n}\n";
    Lab lab;
    KalEquilibria found = {.count = 0};
    if (!ok(lab_open(&lab, text, ""))
        || !lab_good(&lab,
                     kal_analysis_equilibria(
                         lab.analysis, &(KalEquilibriumOptions){.starts = 0}, &found))
        || !ok(found.count == 1)) {
        lab_close(&lab);
        return;
    }
    const KalEquilibrium *e = &found.list[0];
    ok(e->stability == KAL_STABILITY_UNDECIDED && strstr(e->reason, "not"));
    for (int i = 0; i < 80; i++) {
        near(e->q[7 * i], 0.0, 1e-8);
        near(e->q[7 * i + 2], -0.5 - i, 1e-8);
    }
    lab_close(&lab);
}

static void what_is_not_done_is_told(void)
{
    static const char rolling[] = "param N = 600\ncoord x[N]\n"
                                  "kinetic sum(i in 1..N : x[i]'^2)\n"
                                  "constraint roll: x[1]' = x[2]*x[3]'\n";
    static const char falling[] = "param N = 600\ncoord x[N]\n"
                                  "kinetic sum(i in 1..N : x[i]'^2)\n"
                                  "potential sum(i in 1..N : x[i])\n";
    Lab lab;
    KalModes modes;
    KalEquilibria found;
    ok(!lab_open(&lab, rolling, ""));
    ok(strstr(kal_context_message(lab.ctx), "roll is not") != NULL);
    lab_close(&lab);
    ok(lab_open(&lab, falling, ""));
    ok(kal_analysis_modes(lab.analysis, &modes) == KAL_ERR_USAGE);
    ok(strstr(kal_context_message(lab.ctx), "about rest") != NULL);
    ok(kal_analysis_equilibria(lab.analysis, &(KalEquilibriumOptions){.steady = true},
                               &found)
       == KAL_ERR_LIMIT);
    ok(kal_analysis_equilibria(lab.analysis, &(KalEquilibriumOptions){.starts = 0},
                               &found)
       == KAL_OK);
    ok(found.starts == 1 && found.count == 0); // it falls and falls
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(a_hanging_chain_swings_with_the_zeros_of_laguerre),
        TAP_CASE(a_standing_chain_falls),
        TAP_CASE(a_chain_between_nails_finds_its_catenary),
        TAP_CASE(linearizations_are_those_of_their_parts),
        TAP_CASE(what_is_there_twice_is_found_twice),
        TAP_CASE(rest_is_listed_without_its_modes), TAP_CASE(what_is_not_done_is_told))

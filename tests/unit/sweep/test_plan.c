// SPDX-License-Identifier: MIT

// Inputs: what texts mean, and which values runs have.

#include "sweep_lab.h"

#include <math.h>
#include <string.h>

static const char spring[] = "param m = 2 [kg], k = 8 [N/m], a = 30 [deg], n = 2\n"
                             "coord x [m], y[n]\n"
                             "kinetic 1/2*m*x'^2 + sum(i in 1..n : 1/2*m*y[i]'^2)\n"
                             "potential 1/2*k*x^2*cos(a)\n"
                             "init x = 1\n"
                             "simulate 0 .. 1 every 1\n";

// Plan n inputs of a grid and one at random.
static KalStatus plan(SweepLab *lab, const char *const *vary, size_t n,
                      const char *const *random, uint64_t count)
{
    return sweep_lab_plan(lab, (KalSweepOptions){.vary = vary,
                                                 .n_vary = n,
                                                 .random = random,
                                                 .n_random = random != NULL,
                                                 .count = count,
                                                 .seed = 5});
}

static double input(const SweepLab *lab, uint64_t run, size_t i)
{
    double inputs[LAB_NUMBERS] = {NAN};
    ok(kal_sweep_find_inputs(lab->sweep, run, inputs) == KAL_OK);
    return inputs[i];
}

static void the_last_of_a_grid_is_fastest(void)
{
    static const char *const vary[] = {"m = 1, 2, 5", "x' = -1 .. 1 count 5"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    ok(plan(&lab, vary, 2, NULL, 0) == KAL_OK);
    ok(kal_sweep_runs(lab.sweep) == 15 && kal_sweep_inputs(lab.sweep) == 2);
    const double masses[] = {1.0, 2.0, 5.0};
    for (uint64_t run = 1; run <= 15; run++) {
        near(input(&lab, run, 0), masses[(run - 1) / 5], 0.0);
        near(input(&lab, run, 1), -1.0 + 0.5 * (double)((run - 1) % 5), 1e-15);
    }
    ok(strcmp(kal_sweep_input(lab.sweep, 0).unit, "kg") == 0);
    ok(strcmp(kal_sweep_input(lab.sweep, 1).name, "x'") == 0);
    ok(strcmp(kal_sweep_input(lab.sweep, 1).unit, "m/s") == 0);
    double none[2];
    ok(kal_sweep_find_inputs(lab.sweep, 0, none) == KAL_ERR_USAGE);
    ok(kal_sweep_find_inputs(lab.sweep, 16, none) == KAL_ERR_USAGE);
    sweep_lab_close(&lab);
}

static void values_are_expressions(void)
{
    static const char *const vary[] = {"x = -pi/2, 2*m, 90*deg", "a = 10, pi/4"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    ok(plan(&lab, vary, 2, NULL, 0) == KAL_OK);
    near(input(&lab, 1, 0), -0.5 * acos(-1.0), 1e-15);
    near(input(&lab, 3, 0), 4.0, 0.0);
    near(input(&lab, 5, 0), 0.5 * acos(-1.0), 1e-15);
    near(input(&lab, 1, 1), 10.0, 0.0); // of a parameter in degrees
    near(input(&lab, 2, 1), 45.0, 1e-13);
    ok(strcmp(kal_sweep_input(lab.sweep, 1).unit, "deg") == 0);
    sweep_lab_close(&lab);
}

static void whole_numbers_need_no_count(void)
{
    static const char *const vary[] = {"n = 2 .. 4"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    ok(plan(&lab, vary, 1, NULL, 0) == KAL_OK);
    ok(kal_sweep_runs(lab.sweep) == 3);
    near(input(&lab, 3, 0), 4.0, 0.0);
    sweep_lab_close(&lab);
}

static void ranges_may_be_as_wide_as_numbers_are(void)
{
    static const char *const vary[] = {"m = -1.7e308 .. 1.7e308 count 5"};
    static const char *const random[] = {"x = uniform(-1.5e308, 1.5e308)"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    ok(plan(&lab, vary, 1, random, 20) == KAL_OK);
    for (uint64_t run = 1; run <= kal_sweep_runs(lab.sweep); run++) {
        const double m = -1.7 + 0.85 * (double)((run - 1) / 20);
        near(input(&lab, run, 0) * 1e-308, m, 1e-15);
        ok(fabs(input(&lab, run, 1)) <= 1.5e308);
    }
    sweep_lab_close(&lab);
}

// Each point of the grid gets its samples, and all differ.
static void random_inputs_follow_the_grid(void)
{
    static const char *const vary[] = {"m = 1, 2"};
    static const char *const random[] = {"k = uniform(3, 4)"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    for (int design = 0; design <= KAL_SWEEP_SOBOL; design++) {
        ok(sweep_lab_plan(&lab, (KalSweepOptions){.vary = vary,
                                                  .n_vary = 1,
                                                  .random = random,
                                                  .n_random = 1,
                                                  .count = 100,
                                                  .design = (KalSweepDesign)design})
           == KAL_OK);
        ok(kal_sweep_runs(lab.sweep) == 200);
        int parts[2][64] = {{0}};
        for (uint64_t run = 1; run <= 200; run++) {
            const double k = input(&lab, run, 1);
            near(input(&lab, run, 0), run <= 100 ? 1.0 : 2.0, 0.0);
            ok(k > 3.0 && k < 4.0);
            const int half = run > 100;
            if (design == KAL_SWEEP_LATIN) { // one in each hundredth
                parts[half][(int)(100.0 * (k - 3.0)) % 64]++;
            } else if (design == KAL_SWEEP_SOBOL && (run - 1) % 100 < 64) {
                parts[half][(int)(64.0 * (k - 3.0))]++;
            }
        }
        for (int i = 0; i < 64 && design == KAL_SWEEP_SOBOL; i++) {
            ok(parts[0][i] == 1 && parts[1][i] == 1);
        }
        for (int i = 0; i < 64 && design == KAL_SWEEP_LATIN; i++) {
            ok(parts[0][i] == (i < 36 ? 2 : 1) && parts[1][i] == (i < 36 ? 2 : 1));
        }
    }
    sweep_lab_close(&lab);
}

// Where the bounds are as near to each other as logarithms are to their rounding.
static void random_values_are_between_their_bounds(void)
{
    static const char *const texts[] = {"k = loguniform(1e300, 1.0000000000001e300)",
                                        "k = loguniform(1e-300, 1.0000000000001e-300)",
                                        "k = uniform(0.1, 0.1000000000000001)"};
    static const double bounds[][2] = {
        {1e300,  1.0000000000001e300 },
        {1e-300, 1.0000000000001e-300},
        {0.1,    0.1000000000000001  }
    };
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    for (int i = 0; i < 3; i++) {
        ok(plan(&lab, NULL, 0, &texts[i], 1000) == KAL_OK);
        for (uint64_t run = 1; run <= 1000; run++) {
            const double k = input(&lab, run, 0);
            ok(k >= bounds[i][0] && k <= bounds[i][1]);
        }
    }
    sweep_lab_close(&lab);
}

static void distributions_have_their_moments(void)
{
    static const char *const texts[] = {"k = normal(10, 2)", "k = loguniform(1, 100)",
                                        "k = uniform(-1, 3)"};
    const double means[] = {10.0, 99.0 / log(100.0), 1.0};
    const double deviations[] = {
        2.0, sqrt(0.5 * 9999.0 / log(100.0) - pow(99.0 / log(100.0), 2)),
        4.0 / sqrt(12.0)};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    for (int i = 0; i < 3; i++) {
        const int n = 20000;
        double sum = 0.0;
        double squares = 0.0;
        ok(plan(&lab, NULL, 0, &texts[i], (uint64_t)n) == KAL_OK);
        for (int run = 1; run <= n; run++) {
            const double k = input(&lab, (uint64_t)run, 0);
            sum += k;
            squares += k * k;
        }
        const double mean = sum / n;
        near(mean, means[i], 4.0 * deviations[i] / sqrt(n));
        near(sqrt(squares / n - mean * mean), deviations[i], 0.05 * deviations[i]);
    }
    sweep_lab_close(&lab);
}

static void wrong_texts_are_refused(void)
{
    static const char *const varied[] = {"",
                                         "m",
                                         "m =",
                                         "= 2",
                                         "m = 1 .. 2.5",
                                         "q = 1",
                                         "m = 1,,2",
                                         "m = x",
                                         "m = 1 2",
                                         "m = 1 .. 2 count 0",
                                         "m = 1/0",
                                         "m = 2; k = 3",
                                         "m = 1 .. 2 count 1.5",
                                         "x'' = 1",
                                         "m = 0, x = 2 .. 1 count 2"};
    static const char *const random[] = {"k",
                                         "k = 3",
                                         "k = normal(3)",
                                         "k = normal(3, -1)",
                                         "k = uniform(2, 1)",
                                         "k = loguniform(0, 1)",
                                         "k = gamma(1, 2)",
                                         "k = normal(1, 2",
                                         "n = uniform(1, 2)"};
    static const char *const twice[] = {"m = 1, 2", "m = 3"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    for (size_t i = 0; i < sizeof varied / sizeof varied[0]; i++) {
        const KalStatus status = plan(&lab, &varied[i], 1, NULL, 0);
        if (!ok(status == KAL_ERR_USAGE || status == KAL_ERR_SYNTAX)) {
            printf("# '%s'\n", varied[i]);
        }
    }
    for (size_t i = 0; i < sizeof random / sizeof random[0]; i++) {
        const KalStatus status = plan(&lab, NULL, 0, &random[i], 10);
        ok(status == KAL_ERR_USAGE || status == KAL_ERR_FORMULATION);
    }
    ok(plan(&lab, twice, 2, NULL, 0) == KAL_ERR_USAGE);
    ok(plan(&lab, twice, 1, NULL, 3) == KAL_ERR_USAGE); // a count of nothing
    ok(plan(&lab, NULL, 0, &random[3], 0) == KAL_ERR_USAGE);
    ok(!lab.sweep);
    sweep_lab_close(&lab);
}

// Columns are those of the text as it was given, and of several texts it is told which.
static void places_are_those_of_the_whole_text(void)
{
    static const char *const one[] = {"m = 1 .. 2 cunt 5"};
    static const char *const two[] = {"k = 1", "m = 1, 2, 3 + * 5"};
    static const char *const random[] = {"k = normal(1, 2 + )"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    ok(plan(&lab, one, 1, NULL, 0) == KAL_ERR_SYNTAX);
    ok(strstr(kal_context_message(lab.ctx), "--vary:1:12: expected an operator")
       == kal_context_message(lab.ctx));
    ok(plan(&lab, two, 2, NULL, 0) == KAL_ERR_SYNTAX);
    ok(strstr(kal_context_message(lab.ctx), "--vary 2:1:15: expected an expression")
       == kal_context_message(lab.ctx));
    ok(plan(&lab, NULL, 0, random, 10) == KAL_ERR_SYNTAX);
    ok(strstr(kal_context_message(lab.ctx), "--random:1:18: expected an expression")
       == kal_context_message(lab.ctx));
    sweep_lab_close(&lab);
}

static void too_many_runs_are_refused(void)
{
    static const char *const vary[] = {"m = 1 .. 2 count 10000000",
                                       "k = 1 .. 2 count 10000000"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, spring, -1) == KAL_OK);
    static const char *const more[] = {"k = 1 .. 2 count 1e18",
                                       "k = 1 .. 2 count 1e300", "k = 0 .. 9e15"};
    ok(plan(&lab, vary, 2, NULL, 0) == KAL_ERR_LIMIT);
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        ok(plan(&lab, &more[i], 1, NULL, 0) == KAL_ERR_LIMIT);
    }
    sweep_lab_close(&lab);
}

TAP_RUN(TAP_CASE(the_last_of_a_grid_is_fastest), TAP_CASE(values_are_expressions),
        TAP_CASE(whole_numbers_need_no_count),
        TAP_CASE(ranges_may_be_as_wide_as_numbers_are),
        TAP_CASE(random_inputs_follow_the_grid),
        TAP_CASE(random_values_are_between_their_bounds),
        TAP_CASE(distributions_have_their_moments), TAP_CASE(wrong_texts_are_refused),
        TAP_CASE(places_are_those_of_the_whole_text),
        TAP_CASE(too_many_runs_are_refused))

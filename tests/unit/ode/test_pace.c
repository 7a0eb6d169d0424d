// SPDX-License-Identifier: MIT

// The rule of step sizes of DOP853, theory (12.6), and the powers that it takes.

#include "ode/dop853_pace.h"
#include "tap.h"

#include <float.h>
#include <math.h>

static void logarithms_are_right(void)
{
    double worst = 0.0;
    for (double x = 1e-10; x < 1e307; x *= 1.0137) {
        const double found = kal_four_log2(kal_all(x))[0];
        worst = fmax(worst, fabs(found - log2(x)));
    }
    near(worst, 0.0, 1e-12);
    near(kal_four_log2(kal_all(1.0))[0], 0.0, 0.0);
    near(kal_four_log2(kal_all(DBL_MAX))[0], 1024.0, 1e-12);
    near(KAL_DOP853_LEAST_LOG, log2(1e-4), 1e-14);
}

static void powers_of_two_are_right(void)
{
    double worst = 0.0;
    for (double x = -130.0; x < 130.0; x += 0.0137) {
        const double found = kal_four_exp2(kal_all(x))[0];
        worst = fmax(worst, fabs(found / exp2(x) - 1.0));
    }
    near(worst, 0.0, 2e-11);
    near(kal_four_exp2(kal_all(0.0))[0], 1.0, 0.0);
}

// By pow() of the C library.
static double scale_of(double error, double before, bool rejected)
{
    const double e = fmax(error, 1e-10);
    const double factor = error > 1.0 ? 0.9 * pow(e, -1.0 / 8.0)
                                      : 0.9 * pow(e, -0.117) * pow(before, 0.04);
    return fmin(fmax(factor, 1.0 / 3.0), rejected ? 1.0 : 6.0);
}

static void sizes_follow_the_rule(void)
{
    const double errors[] = {0.0, 1e-300, 1e-12, 1e-7, 1e-3, 0.2,
                             0.9, 1.0,    1.1,   50.0, 1e9,  DBL_MAX};
    const size_t count = sizeof errors / sizeof errors[0];
    for (size_t i = 0; i < count; i++) {
        for (int rejected = 0; rejected < 2; rejected++) {
            const double before = 0.03;
            const KalFourBits bits =
                rejected != 0 ? (KalFourBits){-1, -1, -1, -1} : (KalFourBits){0};
            KalFour log = kal_all(log2(before));
            const KalFour found = kal_dop853_scale(kal_all(errors[i]), bits, &log);
            near(found[0], scale_of(errors[i], before, rejected != 0), 1e-10);
            near(log[0], log2(fmax(errors[i], 1e-4)), 1e-11);
        }
    }
}

// What lanes have beside them changes nothing.
static void lanes_are_alone(void)
{
    const KalFour error = {0.3, 7.0, 1e-9, 0.999};
    const KalFourBits rejected = {0, -1, 0, -1};
    KalFour logs = {-1.0, -2.0, -3.0, -4.0};
    const KalFour before = logs;
    const KalFour all = kal_dop853_scale(error, rejected, &logs);
    for (int lane = 0; lane < 4; lane++) {
        KalFour log = kal_all(before[lane]);
        const KalFourBits bits = {rejected[lane]};
        const KalFour one = kal_dop853_scale(kal_all(error[lane]), bits, &log);
        near(one[0], all[lane], 0.0);
        near(log[0], logs[lane], 0.0);
    }
}

TAP_RUN(TAP_CASE(logarithms_are_right), TAP_CASE(powers_of_two_are_right),
        TAP_CASE(sizes_follow_the_rule), TAP_CASE(lanes_are_alone))

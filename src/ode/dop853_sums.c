// SPDX-License-Identifier: MIT

#include "ode/dop853_sums.h"

#include "base/four.h"

#include <stddef.h>

#ifndef KAL_DOP853_SUMS
#define KAL_DOP853_SUMS kal_dop853_sums
#endif

static void add(const KalDop853Row *row, double *const *k, int ld, const double *from,
                double h, double *out)
{
    for (int i = 0; i < ld; i += 4) {
        const KalFour start = from ? *kal_const_four(from + i) : kal_all(0.0);
        KalFour sum = kal_all(0.0);
        for (int j = 0; j < row->count; j++) {
            sum += row->term[j].weight * *kal_const_four(k[row->term[j].stage] + i);
        }
        *kal_four(out + i) = start + h * sum;
    }
}

// A number, read alone.
static double read_alone(const double *x)
{
    double value = *x;
    __asm__("" : "+x"(value));
    return value;
}

static double take(int ld, const double *rate, double *out)
{
    KalFour sum = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        const KalFour four = {read_alone(rate + i), read_alone(rate + i + 1),
                              read_alone(rate + i + 2), read_alone(rate + i + 3)};
        *kal_four(out + i) = four;
        sum += 0.0 * four;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static KalFour larger(KalFour a, KalFour b)
{
    return kal_pick(a > b, a, b);
}

static double largest(KalFour x)
{
    const double a = x[0] > x[1] ? x[0] : x[1];
    const double b = x[2] > x[3] ? x[2] : x[3];
    return a > b ? a : b;
}

static void finish(double *const *k, int ld, KalDop853End *end)
{
    KalFour most5 = kal_all(0.0);
    KalFour most3 = kal_all(0.0);
    KalFour finite = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        KalFour sum = kal_all(0.0);
        KalFour error5 = kal_all(0.0);
        KalFour error3 = kal_all(0.0);
        for (int j = 0; j < KAL_DOP853_LAST; j++) {
            const KalDop853Last *last = &kal_dop853_last[j];
            const KalFour rate = *kal_const_four(k[last->stage] + i);
            sum += last->b * rate;
            error5 += last->error5 * rate;
            error3 += last->error3 * rate;
        }
        const KalFour y = *kal_const_four(end->y + i);
        const KalFour y_end = y + end->h * sum;
        const KalFour size = larger(kal_four_absolute(y), kal_four_absolute(y_end));
        const KalFour allowed = *kal_const_four(end->atol + i) + end->rtol * size;
        *kal_four(end->y_end + i) = y_end;
        most5 = larger(kal_four_absolute(error5) / allowed, most5);
        most3 = larger(kal_four_absolute(error3) / allowed, most3);
        finite += 0.0 * y_end;
    }
    end->most5 = largest(most5);
    end->most3 = largest(most3);
    end->finite = (finite[0] + finite[1]) + (finite[2] + finite[3]);
}

static void interpolate(double *const *d, int ld, const double *y, double a,
                        double *out)
{
    const double b = 1.0 - a;
    for (int i = 0; i < ld; i += 4) {
        const KalFour inner =
            *kal_const_four(d[3] + i)
            + a
                  * (*kal_const_four(d[4] + i)
                     + b * (*kal_const_four(d[5] + i) + a * *kal_const_four(d[6] + i)));
        *kal_four(out + i) =
            *kal_const_four(y + i)
            + a
                  * (*kal_const_four(d[0] + i)
                     + b
                           * (*kal_const_four(d[1] + i)
                              + a * (*kal_const_four(d[2] + i) + b * inner)));
    }
}

const KalDop853Sums KAL_DOP853_SUMS = {add, take, finish, interpolate};

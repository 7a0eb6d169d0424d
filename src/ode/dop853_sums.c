// SPDX-License-Identifier: MIT

// The sums y + h Σ a k of the stages, of the two error estimates and of dense output,
// theory (12.1), (12.2), four entries at a time.  Sums are taken in the order of the table,
// from −0, whatever the number of entries or the registers, so that a system gives the same bits
// alone and in lanes.  Of many entries blocks of 32 are summed over all terms before the next
// block: their partial sums stay in registers, and each rate is read once.

#include "ode/dop853_sums.h"

#include "ode/ode_impl.h"

#include <float.h>
#include <stddef.h>

#ifndef KAL_DOP853_SUMS
#define KAL_DOP853_SUMS kal_dop853_sums
#endif

enum {
    BLOCK = 8 // groups of four entries whose sums are taken at once, of many
};

static int add_most(const KalDop853Row *row, double *const *k, int ld,
                    const double *from, KalFour h, double *out)
{
    int i = 0;
    for (; i + 4 * BLOCK <= ld; i += 4 * BLOCK) {
        KalFour sum[BLOCK];
        for (int g = 0; g < BLOCK; g++) {
            sum[g] = kal_all(-0.0);
        }
        for (int j = 0; j < row->count; j++) {
            const KalFour *rate = kal_const_four(k[row->term[j].stage] + i);
            const KalFour weight = kal_all(row->term[j].weight);
            for (int g = 0; g < BLOCK; g++) {
                sum[g] += weight * rate[g];
            }
        }
        for (int g = 0; g < BLOCK; g++) {
            kal_four(out + i)[g] = kal_const_four(from + i)[g] + h * sum[g];
        }
    }
    return i;
}

// The first terms of a row, of four entries.  −0 changes nothing that is added to it, so that the
// sum is that of its terms alone.
KAL_INLINE KalFour sum_of(const KalDop853Row *row, int count, double *const *k, int i)
{
    KalFour sum = kal_all(-0.0);
    for (int j = 0; j < count; j++) {
        sum += row->term[j].weight * *kal_const_four(k[row->term[j].stage] + i);
    }
    return sum;
}

static void add(const KalDop853Row *row, double *const *k, int ld, const double *from,
                const KalFour *h, double *out)
{
    const KalFour size = *h;
    for (int i = from ? add_most(row, k, ld, from, size, out) : 0; i < ld; i += 4) {
        const KalFour start = from ? *kal_const_four(from + i) : kal_all(0.0);
        *kal_four(out + i) = start + size * sum_of(row, row->count, k, i);
    }
}

// A number, read alone.
KAL_INLINE double read_alone(const double *x)
{
    double value = *x;
    __asm__("" : "+x"(value));
    return value;
}

// Four numbers that were written one by one.
KAL_INLINE KalFour read_four(const double *x)
{
    return (KalFour){read_alone(x), read_alone(x + 1), read_alone(x + 2),
                     read_alone(x + 3)};
}

static double take(int ld, const double *rate, double *out)
{
    KalFour sum = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        const KalFour four = read_four(rate + i);
        *kal_four(out + i) = four;
        sum += 0.0 * four;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void begin(const KalDop853Row *row, double *const *k, int ld, double *out)
{
    for (int i = 0; i < ld; i += 4) {
        *kal_four(out + i) = sum_of(row, row->count - 1, k, i);
    }
}

static double go_on(int ld, const double *rate, double *out, const KalDop853Next *next)
{
    KalFour sum = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        const KalFour four = read_four(rate + i);
        const KalFour whole = *kal_const_four(next->begun + i) + next->weight * four;
        *kal_four(next->state + i) = *kal_const_four(next->from + i) + next->h * whole;
        *kal_four(out + i) = four;
        sum += 0.0 * four;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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
        const KalFour size =
            kal_four_larger(kal_four_absolute(y), kal_four_absolute(y_end));
        const KalFour allowed = *kal_const_four(end->atol + i) + end->rtol * size;
        *kal_four(end->y_end + i) = y_end;
        most5 = kal_four_larger(kal_four_absolute(error5) / allowed, most5);
        most3 = kal_four_larger(kal_four_absolute(error3) / allowed, most3);
        finite += 0.0 * y_end;
    }
    end->most5 = most5;
    end->most3 = most3;
    end->finite = finite;
}

// Theory (12.19), as kal_ode_shift() has it.
static void find_shift(int ld, KalDop853Settled *s)
{
    const KalFour late = 4.0 * DBL_EPSILON * kal_four_absolute(s->t);
    KalFour size = kal_all(0.0);
    s->shift = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        size = kal_four_larger(kal_four_absolute(*kal_const_four(s->y_next + i)), size);
    }
    for (int i = 0; i < ld; i += 4) {
        const KalFour to = *kal_const_four(s->y_next + i);
        const KalFour rate = kal_four_absolute(*kal_const_four(s->k_before + i));
        const KalFour allowed = *kal_const_four(s->atol + i)
                                + s->rtol * kal_four_absolute(to)
                                + KAL_ODE_SHIFT_ROUNDING * size + late * rate;
        const KalFour moved = kal_four_absolute(to - *kal_const_four(s->y_end + i));
        s->shift = kal_four_larger(moved / allowed, s->shift);
    }
}

static void settle(int ld, KalDop853Settled *s)
{
    if (!s->k_end) {
        find_shift(ld, s);
        return;
    }
    s->change = kal_all(0.0);
    s->distance = kal_all(0.0);
    for (int i = 0; i < ld; i += 4) {
        const KalFour dk =
            *kal_const_four(s->k_end + i) - *kal_const_four(s->k_before + i);
        const KalFour dy =
            *kal_const_four(s->y_next + i) - *kal_const_four(s->stage + i);
        s->change += dk * dk;
        s->distance += dy * dy;
    }
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

const KalDop853Sums KAL_DOP853_SUMS = {add,    take,   begin,      go_on,
                                       finish, settle, interpolate};

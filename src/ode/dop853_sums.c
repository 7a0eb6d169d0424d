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
    GROUP = KAL_DOP853_GROUP,
    BLOCK = 4 // groups of entries whose sums are taken at once, of many
};

// Blocks of 32 states: their sums stay in registers while all stages are added.
static int add_most(const KalDop853Row *row, double *const *k, int ld,
                    const double *from, KalEight h, double *out)
{
    int i = 0;
    for (; i + GROUP * BLOCK <= ld; i += GROUP * BLOCK) {
        KalEight sum[BLOCK];
        for (int g = 0; g < BLOCK; g++) {
            sum[g] = kal_eight_all(-0.0);
        }
        for (int j = 0; j < row->count; j++) {
            const KalEight *rate = kal_const_eight(k[row->term[j].stage] + i);
            const KalEight weight = kal_eight_all(row->term[j].weight);
            for (int g = 0; g < BLOCK; g++) {
                sum[g] += weight * rate[g];
            }
        }
        for (int g = 0; g < BLOCK; g++) {
            kal_eight(out + i)[g] = kal_const_eight(from + i)[g] + h * sum[g];
        }
    }
    return i;
}

// The first terms of a row, of a group of entries.  −0 changes nothing that is added to it, so
// that the sum is that of its terms alone.
KAL_INLINE KalEight sum_of(const KalDop853Row *row, int count, double *const *k, int i)
{
    KalEight sum = kal_eight_all(-0.0);
    for (int j = 0; j < count; j++) {
        sum += row->term[j].weight * *kal_const_eight(k[row->term[j].stage] + i);
    }
    return sum;
}

static void add(const KalDop853Row *row, double *const *k, int ld, const double *from,
                const KalEight *h, double *out)
{
    const KalEight size = *h;
    for (int i = add_most(row, k, ld, from, size, out); i < ld; i += GROUP) {
        *kal_eight(out + i) =
            *kal_const_eight(from + i) + size * sum_of(row, row->count, k, i);
    }
}

// A number, read alone.
KAL_INLINE double read_alone(const double *x)
{
    double value = *x;
    __asm__("" : "+x"(value));
    return value;
}

// Numbers that were written one by one.
KAL_INLINE KalEight read_group(const double *x)
{
    return (KalEight){read_alone(x),     read_alone(x + 1), read_alone(x + 2),
                      read_alone(x + 3), read_alone(x + 4), read_alone(x + 5),
                      read_alone(x + 6), read_alone(x + 7)};
}

// The sum of a group, which is 0 or NaN.
KAL_INLINE double sum_up(KalEight x)
{
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static double take(int ld, const double *rate, double *out)
{
    KalEight sum = kal_eight_all(0.0);
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight group = read_group(rate + i);
        *kal_eight(out + i) = group;
        sum += 0.0 * group;
    }
    return sum_up(sum);
}

static void begin(const KalDop853Row *row, double *const *k, int ld, double *out)
{
    for (int i = 0; i < ld; i += GROUP) {
        *kal_eight(out + i) = sum_of(row, row->count - 1, k, i);
    }
}

static double go_on(int ld, const double *rate, double *out, const KalDop853Next *next)
{
    KalEight sum = kal_eight_all(0.0);
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight group = read_group(rate + i);
        const KalEight whole = *kal_const_eight(next->begun + i) + next->weight * group;
        *kal_eight(next->state + i) =
            *kal_const_eight(next->from + i) + next->h * whole;
        *kal_eight(out + i) = group;
        sum += 0.0 * group;
    }
    return sum_up(sum);
}

// The end of the step and both estimates of the error, theory (12.2) and the maxima of
// (12.4), in one pass over the rates. A state that is not finite shows in `finite`, for 0
// × x is then NaN.
static void finish(double *const *k, int ld, KalDop853End *end)
{
    KalEight most5 = kal_eight_all(0.0);
    KalEight most3 = kal_eight_all(0.0);
    KalEight finite = kal_eight_all(0.0);
    for (int i = 0; i < ld; i += GROUP) {
        KalEight sum = kal_eight_all(0.0);
        KalEight error5 = kal_eight_all(0.0);
        KalEight error3 = kal_eight_all(0.0);
        for (int j = 0; j < KAL_DOP853_LAST; j++) {
            const KalDop853Last *last = &kal_dop853_last[j];
            const KalEight rate = *kal_const_eight(k[last->stage] + i);
            sum += last->b * rate;
            error5 += last->error5 * rate;
            error3 += last->error3 * rate;
        }
        const KalEight y = *kal_const_eight(end->y + i);
        const KalEight y_end = y + end->h * sum;
        const KalEight size =
            kal_eight_larger(kal_eight_absolute(y), kal_eight_absolute(y_end));
        const KalEight allowed = *kal_const_eight(end->atol + i) + end->rtol * size;
        *kal_eight(end->y_end + i) = y_end;
        most5 = kal_eight_larger(kal_eight_absolute(error5) / allowed, most5);
        most3 = kal_eight_larger(kal_eight_absolute(error3) / allowed, most3);
        finite += 0.0 * y_end;
    }
    end->most5 = most5;
    end->most3 = most3;
    end->finite = finite;
}

// Theory (12.19), as kal_ode_shift() has it.
static void find_shift(int ld, KalDop853Settled *s)
{
    const KalEight late = 4.0 * DBL_EPSILON * kal_eight_absolute(s->t);
    KalEight size = kal_eight_all(0.0);
    s->shift = kal_eight_all(0.0);
    for (int i = 0; i < ld; i += GROUP) {
        size =
            kal_eight_larger(kal_eight_absolute(*kal_const_eight(s->y_next + i)), size);
    }
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight to = *kal_const_eight(s->y_next + i);
        const KalEight rate = kal_eight_absolute(*kal_const_eight(s->k_before + i));
        const KalEight allowed = *kal_const_eight(s->atol + i)
                                 + s->rtol * kal_eight_absolute(to)
                                 + KAL_ODE_SHIFT_ROUNDING * size + late * rate;
        const KalEight moved = kal_eight_absolute(to - *kal_const_eight(s->y_end + i));
        s->shift = kal_eight_larger(moved / allowed, s->shift);
    }
}

static void settle(int ld, KalDop853Settled *s)
{
    if (!s->k_end) {
        find_shift(ld, s);
        return;
    }
    s->change = kal_eight_all(0.0);
    s->distance = kal_eight_all(0.0);
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight dk =
            *kal_const_eight(s->k_end + i) - *kal_const_eight(s->k_before + i);
        const KalEight dy =
            *kal_const_eight(s->y_next + i) - *kal_const_eight(s->stage + i);
        s->change += dk * dk;
        s->distance += dy * dy;
    }
}

// Coefficients of the polynomial of dense output, theory (12.9), as its nested form takes
// them.
static void dense(double *const *k, int ld, const double *y, const double *y_end,
                  const KalEight *h, double *const *out_d)
{
    const KalEight size = *h;
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight way = *kal_const_eight(y_end + i) - *kal_const_eight(y + i);
        const KalEight first = size * *kal_const_eight(k[0] + i);
        const KalEight last = size * *kal_const_eight(k[KAL_DOP853_END] + i);
        *kal_eight(out_d[0] + i) = way;
        *kal_eight(out_d[1] + i) = first - way;
        *kal_eight(out_d[2] + i) = way - last - (first - way);
        for (int row = 0; row < KAL_DOP853_DENSE; row++) {
            const KalDop853Row *terms = &kal_dop853_dense[row];
            *kal_eight(out_d[3 + row] + i) =
                kal_eight_all(0.0) + size * sum_of(terms, terms->count, k, i);
        }
    }
}

// The nested form y + x (d₀ + (1 − x) (d₁ + x (d₂ + …))) with x and 1 − x by turns.
static void interpolate(double *const *d, int ld, const double *y, double a,
                        double *out)
{
    const double b = 1.0 - a;
    for (int i = 0; i < ld; i += GROUP) {
        const KalEight inner = *kal_const_eight(d[3] + i)
                               + a
                                     * (*kal_const_eight(d[4] + i)
                                        + b
                                              * (*kal_const_eight(d[5] + i)
                                                 + a * *kal_const_eight(d[6] + i)));
        *kal_eight(out + i) =
            *kal_const_eight(y + i)
            + a
                  * (*kal_const_eight(d[0] + i)
                     + b
                           * (*kal_const_eight(d[1] + i)
                              + a * (*kal_const_eight(d[2] + i) + b * inner)));
    }
}

static void interpolate_lanes(double *const *d, int n, const double *y,
                              const KalEight *parts, int first, double *out)
{
    const KalEightBits number = {0, 1, 2, 3, 4, 5, 6, 7};
    const KalEightBits wanted = number >= first;
    const KalEight a = *parts;
    const KalEight b = 1.0 - a;
    for (int i = 0; i < n; i++) {
        const KalEight inner = d[3][i] + a * (d[4][i] + b * (d[5][i] + a * d[6][i]));
        const KalEight now =
            y[i] + a * (d[0][i] + b * (d[1][i] + a * (d[2][i] + b * inner)));
        kal_eight(out)[i] = kal_eight_pick(wanted, now, kal_eight(out)[i]);
    }
}

const KalDop853Sums KAL_DOP853_SUMS = {
    add, take, begin, go_on, finish, settle, dense, interpolate, interpolate_lanes};

// SPDX-License-Identifier: MIT

/// @file
/// Sine and cosine of our own: the same bits wherever and however many at a time.
///
/// Cody and Waite's reduction: x = k π/2 + r + rest, with π/2 in four pieces of which three
/// are so short that their products with k are exact; then polynomials for |r| ≤ π/4 (W. J.
/// Cody, W. Waite, Software Manual for the Elementary Functions, 1980, chapter 8), with
/// least error relative to the value by Remez' exchange: 2^-56.5 and 2^-59.4.  All of it
/// is sums, products and choices, each rounded alike by every processor; the error stays
/// below 0.87 units in the last place.  Arguments beyond KAL_WAVE_LIMIT, which few have, are
/// the C library's.

#ifndef EXPR_WAVE_H
#define EXPR_WAVE_H

#include "base/four.h"

#include <math.h>
#include <stdbool.h>

/// Up to here k, rounded to a whole number, has at most 20 bits.
#define KAL_WAVE_LIMIT 0x1.8p20

/// The sine and cosine of a number.
double kal_sine(double x);
double kal_cosine(double x);

/// Quarter turns: which one, and what is left of the argument, in two numbers.
typedef struct KalQuarter {
    KalFour r;
    KalFour rest;
    KalFourBits k; ///< its last two bits count
} KalQuarter;

KAL_INLINE KalQuarter kal_wave_reduce(KalFour x)
{
    const double magic = 0x1.8p52; // rounds to whole numbers when added
    const KalFour shifted = x * 0x1.45f306dc9c883p-1 + magic;
    const KalFour k = shifted - magic;
    const KalFour first = x - k * 0x1.921fb544p+0; // exact
    const KalFour second = k * 0x1.0b4611a6p-34;
    const KalFour third = k * 0x1.3198a2ep-69;
    const KalFour last = k * 0x1.b839a252049c1p-104;
    const KalFour sum = first - second;
    const KalFour lost = (first - sum) - second;
    const KalFour r = sum - third;
    return (KalQuarter){r, ((sum - r) - third) + (lost - last), (KalFourBits)shifted};
}

/// sin(r + rest).
KAL_INLINE KalFour kal_wave_odd(KalFour r, KalFour rest)
{
    const KalFour z = r * r;
    const KalFour w = z * z;
    const KalFour low = -0x1.5555555555548p-3 + z * 0x1.111111110f7bp-7;
    const KalFour middle = -0x1.a01a019bf9b5cp-13 + z * 0x1.71de356408573p-19;
    const KalFour high = -0x1.ae5e5780daf29p-26 + z * 0x1.5d8ee781bf798p-33;
    const KalFour s = low + w * (middle + w * high);
    return r + (z * r * s + (rest - 0.5 * z * rest));
}

/// cos(r + rest).
KAL_INLINE KalFour kal_wave_even(KalFour r, KalFour rest)
{
    const KalFour z = r * r;
    const KalFour w = z * z;
    const KalFour low = 0x1.555555555554bp-5 + z * -0x1.6c16c16c14f6cp-10;
    const KalFour middle = 0x1.a01a019c8096cp-16 + z * -0x1.27e4f7e802bb6p-22;
    const KalFour high = 0x1.1ee9d5c94891ep-29 + z * -0x1.8fa3959fd0343p-37;
    const KalFour c = low + w * (middle + w * high);
    const KalFour half = 0.5 * z;
    const KalFour top = 1.0 - half;
    return top + (((1.0 - top) - half) + (w * c - r * rest));
}

/// Whether any of four arguments is not one for the polynomials.
KAL_INLINE bool kal_wave_is_far(KalFour x)
{
    const KalFourBits near = kal_four_absolute(x) <= KAL_WAVE_LIMIT;
    return kal_any(~near);
}

/// The sines and cosines of four numbers.
KAL_INLINE void kal_wave_four(KalFour x, KalFour *out_sine, KalFour *out_cosine)
{
    const KalQuarter q = kal_wave_reduce(x);
    const KalFour odd = kal_wave_odd(q.r, q.rest);
    const KalFour even = kal_wave_even(q.r, q.rest);
    const KalFourBits swap = -(q.k & 1);
    const KalFourBits sine_sign = (q.k & 2) << 62;
    const KalFourBits cosine_sign = ((q.k ^ ((q.k & 1) << 1)) & 2) << 62; // of k + 1
    const KalFour sine = kal_pick(swap, even, odd);
    const KalFour cosine = kal_pick(swap, odd, even);
    *out_sine = (KalFour)((KalFourBits)sine ^ sine_sign);
    *out_cosine = (KalFour)((KalFourBits)cosine ^ cosine_sign);
    if (__builtin_expect(kal_wave_is_far(x), 0)) {
        double waves[2][4]; // copies, so that otherwise all stays in registers
        for (int i = 0; i < 4; i++) {
            const bool far = !(fabs(x[i]) <= KAL_WAVE_LIMIT);
            waves[0][i] = far ? sin(x[i]) : (*out_sine)[i];
            waves[1][i] = far ? cos(x[i]) : (*out_cosine)[i];
        }
        *out_sine = *(const KalFourLoose *)(const void *)waves[0];
        *out_cosine = *(const KalFourLoose *)(const void *)waves[1];
    }
}

#endif

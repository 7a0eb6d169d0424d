// SPDX-License-Identifier: MIT

/// @file
/// The rule of step sizes of DOP853, theory (12.6), for four steps at once; one alone is the
/// first of four.
///
/// Powers are taken by sums and products only, so that they have the same bits on every
/// processor, alone and in lanes.  They are right to about 1e-11, more than a rule of thumb
/// can use.

#ifndef ODE_DOP853_PACE_H
#define ODE_DOP853_PACE_H

#include "base/four.h"

#define KAL_DOP853_MOST_GROWTH 6.0                   ///< of a step over the one before
#define KAL_DOP853_LEAST_ERROR 1e-10                 ///< smaller ones are rounding
#define KAL_DOP853_LEAST_LOG   (-13.287712379549449) ///< that of 1e-4, to base 2

/// The logarithm to base 2 of normal positive numbers: x = 2^k m with m between √½ and √2, and
/// log m = 2 artanh((m − 1)/(m + 1)), as a series.
KAL_INLINE KalFour kal_four_log2(KalFour x)
{
    const int64_t half_root = INT64_C(0x3fe6a09e667f3bcd); // the bits of √½
    const int64_t one = INT64_C(0x3ff0000000000000);
    const int64_t fraction = INT64_C(0x000fffffffffffff);
    const double whole = 0x1p52; // a number below it in the bits of whole + number
    const KalFourBits moved = (KalFourBits)x + (one - half_root);
    const KalFourBits exponent =
        (KalFourBits)((KalFourWords)moved >> 52) | INT64_C(0x4330000000000000);
    const KalFour k = (KalFour)exponent - (whole + 1023.0);
    const KalFour m = (KalFour)((moved & fraction) + half_root);
    const KalFour s = (m - 1.0) / (m + 1.0);
    const KalFour z = s * s;
    KalFour sum = 1.0 / 11.0 + z * (1.0 / 13.0);
    sum = 1.0 / 7.0 + z * (1.0 / 9.0 + z * sum);
    sum = 1.0 + z * (1.0 / 3.0 + z * (1.0 / 5.0 + z * sum));
    return k + 2.8853900817779268 * s * sum; // 2 / log 2
}

/// 2^x, |x| < 1000: a power of two by its bits, and the series of the rest, within ±½.
KAL_INLINE KalFour kal_four_exp2(KalFour x)
{
    const KalFour shift = kal_all(0x1.8p52); // sums with it are whole numbers
    const KalFour shifted = x + shift;
    const KalFour u = 0.69314718055994531 * (x - (shifted - shift));
    KalFour sum = 1.0 / 40320.0 + u * (1.0 / 362880.0);
    sum = 1.0 / 720.0 + u * (1.0 / 5040.0 + u * sum);
    sum = 1.0 / 24.0 + u * (1.0 / 120.0 + u * sum);
    sum = 1.0 / 2.0 + u * (1.0 / 6.0 + u * sum);
    sum = 1.0 + u * (1.0 + u * sum);
    const KalFourBits whole = (KalFourBits)shifted - (KalFourBits)shift;
    return (KalFour)((KalFourBits)sum + (whole << 52));
}

/// By how much the next size differs from that of a step with this error; *log is the
/// logarithm of the error before, and becomes that of this one.  Where attempts were
/// `rejected` before, it does not grow.
KAL_INLINE KalFour kal_dop853_scale(KalFour error, KalFourBits rejected, KalFour *log)
{
    const double safety = 0.9;
    const double most_shrink = 1.0 / 3.0;
    const double present = 0.117; // exponent of the error of this step
    const double before = 0.04;   // and of the one before
    const KalFour least = kal_all(KAL_DOP853_LEAST_ERROR);
    const KalFour now = kal_four_log2(kal_four_larger(error, least));
    const KalFour power =
        kal_pick(error > 1.0, -0.125 * now, before * *log - present * now);
    KalFour factor = safety * kal_four_exp2(power);
    const KalFour most =
        kal_pick(rejected, kal_all(1.0), kal_all(KAL_DOP853_MOST_GROWTH));
    factor = kal_four_larger(factor, kal_all(most_shrink));
    *log = kal_four_larger(now, kal_all(KAL_DOP853_LEAST_LOG));
    return kal_four_smaller(factor, most);
}

#endif

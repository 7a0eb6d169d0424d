// SPDX-License-Identifier: MIT

/// @file
/// Where an axis has its ticks, and what is written at them.
///
/// Ticks are multiples of 1, 2 or 5 times a power of ten.  A text is made from the whole
/// number of which it is a multiple, so it is exact: no 0.30000000000000004.  Numbers that
/// are large or small share a power of ten; those that differ only in their last digits
/// share an offset:
///
///     value = text * 10^exponent + offset

#ifndef FIGURE_TICKS_H
#define FIGURE_TICKS_H

#include <stdbool.h>

enum {
    KAL_TICKS_LIMIT = 24,  ///< with a text
    KAL_MINOR_LIMIT = 256, ///< without
    KAL_TICK_SIZE = 40,    ///< bytes of a text with its end
};

typedef struct KalTicks {
    int count;
    double at[KAL_TICKS_LIMIT]; ///< ascending
    char text[KAL_TICKS_LIMIT][KAL_TICK_SIZE];
    int n_minor;
    double minor[KAL_MINOR_LIMIT]; ///< ascending, between the others
    int exponent;
    char offset[KAL_TICK_SIZE]; ///< "+9.81", "" for none
    bool powers;                ///< at is 10^text; there is neither exponent nor offset
} KalTicks;

/// Find at least 2 and at most `wanted` ticks, or 5 if that is more, from low to high.
/// Magnitudes are at most 1e300 and low and high differ by more than 1e-11 of the larger
/// one.  On a logarithmic axis, where low is positive, powers of ten if there are two.
void kal_ticks_find(double low, double high, bool logarithmic, int wanted,
                    KalTicks *out_ticks);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The numbers in formulas: exact fractions as long as they fit, rounded ones after that.
///
/// A number is exact when its denominator is positive: then it is num/den in lowest
/// terms, both at most INT64_MAX in size, and `value` is the double nearest to it.  When
/// the result of an operation does not fit, or an operand is rounded, the result is
/// rounded: the denominator is 0 and `value` is all there is.  A rounded result that is
/// infinite or zero came from overflow or underflow: then it is not usable.

#ifndef EXPR_RATIONAL_H
#define EXPR_RATIONAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct KalRational {
    int64_t num;
    int64_t den; ///< 0: rounded
    double value;
} KalRational;

/// The fraction num/den, den not 0, in lowest terms.
KalRational kal_rational(int64_t num, int64_t den);

/// A double: exact if it is a multiple of 1/1024 of at most 2^53/1024 in size, else
/// rounded, for its digits mean nothing.
KalRational kal_rational_of(double value);

/// A decimal number as the model language and JSON write it, such as 0.1 or 2.5e-3:
/// exact if it fits.
KalRational kal_rational_parse(const char *text, size_t length);

KalRational kal_rational_neg(KalRational x);
KalRational kal_rational_add(KalRational x, KalRational y);
KalRational kal_rational_mul(KalRational x, KalRational y);

/// y is not zero.
KalRational kal_rational_div(KalRational x, KalRational y);

/// x to a whole power; x is not zero if n is negative.
KalRational kal_rational_pow(KalRational x, int64_t n);

/// Whether x is the exact square of an exact number, and of which one ≥ 0.
bool kal_rational_find_sqrt(KalRational x, KalRational *out_root);

/// −1, 0 or 1 as x is less than, equal to or greater than y.
int kal_rational_compare(KalRational x, KalRational y);

/// The same number and both exact, or both rounded.
bool kal_rational_same(KalRational x, KalRational y);

/// Not the result of overflow or underflow.
bool kal_rational_usable(KalRational x);

/// Exactly the whole number n.
static inline bool kal_rational_is(KalRational x, int64_t n)
{
    return x.num == n && x.den == 1;
}

#endif

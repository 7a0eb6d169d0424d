// SPDX-License-Identifier: MIT

/// @file
/// Numbers of two kinds that formulas are tried out with: residues modulo a prime, which
/// are exact, and doubles that know their own error.
///
/// A residue stands for a number that is known exactly, so arithmetic that comes to zero
/// means something.  A double carries a bound on what rounding did to it, so it is zero
/// when the bound covers it: nothing depends on a tolerance chosen for all formulas alike.
///
/// Operations without a result (division by zero, a root that is not there) give a scalar
/// that is not valid, and so does every operation on one.

#ifndef ZERO_ARITHMETIC_H
#define ZERO_ARITHMETIC_H

#include "expr/rational.h"

#include <math.h>

/// A prime below 2^61.  KAL_PRIME − 1 is divisible by 2^8 3^3 5^3 7, so that the field
/// has the roots of unity that cosines of common fractions of π are made of.
#define KAL_PRIME UINT64_C(0x1fffffffffb74701)

typedef enum KalArithmetic {
    KAL_ARITHMETIC_RESIDUES,
    KAL_ARITHMETIC_REALS,
} KalArithmetic;

/// A number of either kind.
typedef union KalScalar {
    uint64_t residue; ///< below KAL_PRIME, or KAL_NO_RESIDUE

    struct {
        double value; ///< NaN when not valid
        double error; ///< at least |value − true value|, to first order; its sign is
                      ///< set where something that is not zero went under in rounding
    } real;
} KalScalar;

#define KAL_NO_RESIDUE UINT64_MAX

/// @name Residues
/// @{
uint64_t kal_residue_mul(uint64_t a, uint64_t b);
uint64_t kal_residue_pow(uint64_t a, uint64_t n);

/// a is not 0.
uint64_t kal_residue_inverse(uint64_t a);

/// A root of a, or KAL_NO_RESIDUE when there is none.
uint64_t kal_residue_sqrt(uint64_t a);

/// e^(iπ num/den), or KAL_NO_RESIDUE when the field has no such root; den > 0.
uint64_t kal_residue_unity(int64_t num, int64_t den);

/// A whole number.
uint64_t kal_residue_of(int64_t value);

/// A residue that is not 0, as random as the two numbers are different.
uint64_t kal_residue_random(uint64_t seed, uint64_t what);

/// @}

/// @name Scalars
/// @{

/// The bound on the error of a double.
static inline double kal_real_error(KalScalar a)
{
    return fabs(a.real.error);
}

/// Whether something that is not zero went under in a double.
static inline bool kal_real_lost(KalScalar a)
{
    return signbit(a.real.error);
}

/// A double that lost something, if it did.
static inline KalScalar kal_real_mark(KalScalar a, bool lost)
{
    a.real.error = lost ? -fabs(a.real.error) : a.real.error;
    return a;
}

KalScalar kal_scalar_none(KalArithmetic field);
KalScalar kal_scalar_of(KalArithmetic field, KalRational value);
KalScalar kal_scalar_add(KalArithmetic field, KalScalar a, KalScalar b);
KalScalar kal_scalar_sub(KalArithmetic field, KalScalar a, KalScalar b);
KalScalar kal_scalar_mul(KalArithmetic field, KalScalar a, KalScalar b);
KalScalar kal_scalar_div(KalArithmetic field, KalScalar a, KalScalar b);
bool kal_scalar_is_valid(KalArithmetic field, KalScalar a);

/// Whether a valid scalar is zero, for a double: within a small multiple of its error.  A
/// double that lost something may be called zero for that reason alone.
bool kal_scalar_is_zero(KalArithmetic field, KalScalar a);

/// How good a divisor: 0 for zero and what is not valid.
double kal_scalar_weight(KalArithmetic field, KalScalar a);
/// @}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Units: exponents of the SI base units, and a scale.
///
/// A unit is a value, copied freely; nothing here allocates.  Exponents are fractions, so
/// that roots have units too.  Angles have no dimension: rad is 1, deg is pi/180.
///
/// A unit may be *any*: that of numbers and of names declared without one, which match
/// every other.  What is made with one that is any is any, and so is a result whose
/// exponents or scale would not fit: nothing is then known, and nothing refused.

#ifndef MODEL_UNIT_H
#define MODEL_UNIT_H

#include "lang/tree.h"

enum {
    KAL_DIMENSIONS = 7,            ///< m, kg, s, A, K, mol, cd
    KAL_UNIT_EXPONENT_LIMIT = 999, ///< of the numerator's size and of the denominator
    KAL_UNIT_NAME_SIZE = 8,        ///< the longest name with its prefix, and its end
    KAL_UNIT_NAMES = 256,          ///< with all prefixes, at most
    KAL_UNIT_SIZE = 128,           ///< room for any unit as text, with its end
};

/// A fraction in lowest terms, den > 0.
typedef struct KalUnitExponent {
    int16_t num;
    int16_t den;
} KalUnitExponent;

/// A unit: scale × Π base^exponent, the scale positive and finite.
typedef struct KalUnit {
    bool any; ///< then the rest means nothing
    KalUnitExponent exponent[KAL_DIMENSIONS];
    double scale; ///< SI units that make one of this
} KalUnit;

/// What matches everything.
KalUnit kal_unit_any(void);

/// The unit 1, of plain ratios and angles in radians.
KalUnit kal_unit_one(void);

/// The unit that a syntax tree says; NULL is any.  What is wrong is added to the
/// diagnostics, and the answer is then any.
KalUnit kal_unit_read(const KalNode *node, KalDiagnostics *diagnostics);

KalUnit kal_unit_multiply(KalUnit a, KalUnit b);

KalUnit kal_unit_divide(KalUnit a, KalUnit b);

/// The unit to the power num/den, den not 0: (1, 2) is the square root.
KalUnit kal_unit_power(KalUnit unit, int64_t num, int64_t den);

/// Whether two units measure the same thing: both may stand in one sum.
bool kal_unit_same_dimension(KalUnit a, KalUnit b);

/// Whether two units are the same number of SI units, but for rounding.
bool kal_unit_same_scale(KalUnit a, KalUnit b);

/// Whether a unit has no dimension, as what functions such as sin and exp take, or is any.
bool kal_unit_is_plain(KalUnit unit);

/// Whether a unit is the degree; one that is any is not.
bool kal_unit_is_degree(KalUnit unit);

/// The power of the radian in a unit that was read without fault: 1 of rad and rad/s, 0 of
/// m and, because what has it is a number of degrees, of deg/s.  NAN where angles are
/// measured in something else, such as rev or mrad.
double kal_unit_radians(const KalNode *node);

/// Print a unit for a message in base units, "kg*m^2/s^2", after its scale if that is not
/// 1: "0.001*m".
void kal_unit_print(KalUnit unit, char out_text[KAL_UNIT_SIZE]);

/// A name of a unit, with its prefix.
typedef struct KalUnitName {
    char text[KAL_UNIT_NAME_SIZE];
} KalUnitName;

/// All names of units, each with all prefixes that it takes; returns how many there are.
int kal_unit_names(KalUnitName out_names[KAL_UNIT_NAMES]);

#endif

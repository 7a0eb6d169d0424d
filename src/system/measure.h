// SPDX-License-Identifier: MIT

/// @file
/// Units of values that options give: `x = 1 [m], a = 30 [deg]`.
///
/// The rules are those of `init` in a model: a unit that is not that of the place, or is it in
/// another size, is an error, and nothing is converted but degrees.  A number with [deg] is
/// one of degrees; what is made of pi or deg is an angle already.

#ifndef SYSTEM_MEASURE_H
#define SYSTEM_MEASURE_H

#include "lang/tree.h"
#include "model/unit.h"

/// The unit that a text says, such as "m/s"; NULL and "" are any.
KAL_CHECKED KalStatus kal_measure_read(KalContext *ctx, const char *text,
                                       KalUnit *out_unit);

/// The power of angles in a value of numbers, names, + - * / ^: 1 of 2*pi, 0 of numbers and
/// of parameters.  NAN where a sum mixes both.
double kal_measure_angle(const KalNode *value);

/// The number for a place of unit `place`, where a declaration has a value, which comes to
/// `number`, and perhaps a unit.  What is wrong is added to the diagnostics.
double kal_measure_apply(const KalNode *declaration, double number, KalUnit place,
                         KalDiagnostics *diagnostics);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The points of Sobol: any 2ᵐ of them in turn, from a multiple of 2ᵐ on, have one in each of
/// the 2ᵐ equal parts of every axis, and pairs of axes are filled nearly as evenly.

#ifndef SWEEP_SOBOL_H
#define SWEEP_SOBOL_H

#include <stdint.h>

enum {
    KAL_SOBOL_AXES = 21, ///< that there are numbers for
    KAL_SOBOL_BITS = 53  ///< of a coordinate
};

/// A coordinate of point `index`, which is below 2⁵³, as a fraction of 2⁶⁴; axes count
/// from 0.
uint64_t kal_sobol_bits(uint64_t index, int axis);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What fast ways ask of an answer before they vouch for it (docs/theory, section 5).

#ifndef MOTION_TRUST_H
#define MOTION_TRUST_H

/// Residuals, relative to the size of their terms, that are rounding.
#define KAL_SAFE_RESIDUAL 1e-13

/// Where the terms of an equation of motion are but rounding: the fraction that they count
/// as of the largest size that terms have anywhere, in natural units (theory (5.2)).
#define KAL_RESIDUAL_FLOOR 0x1p-4

/// The same for constraints (theory (5.1)).  Forces have no say in what is led: the rounding
/// of M⁻¹Q has to be refined away, and this is what is left then.
#define KAL_RESIDUAL_TRACE 0x1p-40

/// How much larger than its pivot a diagonal entry may be, of M or of A M⁻¹Aᵀ, for an
/// answer that is not refined.
#define KAL_SAFE_GROWTH 1e2

/// And how much smaller: but for rounding it is not, unless the pivot is negative.
#define KAL_LEAST_GROWTH 0.5

#endif

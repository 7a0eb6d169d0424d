// SPDX-License-Identifier: MIT

/// @file
/// What fast ways ask of an answer before they vouch for it (docs/theory, section 5).

#ifndef MOTION_TRUST_H
#define MOTION_TRUST_H

/// Residuals, relative to the size of their terms, that are rounding.
#define KAL_SAFE_RESIDUAL 1e-13

/// Where terms are but rounding: the fraction of the largest size that terms have anywhere,
/// in natural units, that they count as (theory (5.1), (5.2)).
#define KAL_RESIDUAL_FLOOR 0x1p-4

/// How much larger than its pivot a diagonal entry may be, of M or of A M⁻¹Aᵀ, for an
/// answer that is not refined.
#define KAL_SAFE_GROWTH 1e2

#endif

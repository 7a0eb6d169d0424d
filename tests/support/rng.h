// SPDX-License-Identifier: MIT

/// @file
/// Seeded random numbers for tests: the same everywhere, independent of the C library.

#ifndef SUPPORT_RNG_H
#define SUPPORT_RNG_H

#include <math.h>
#include <stdint.h>

typedef struct Rng {
    uint64_t state;
} Rng;

// SplitMix64: any seed is a good one.
static inline uint64_t rng_next(Rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = rng->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in [0, 1).
static inline double rng_unit(Rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

// A whole number from low to high, both included.
static inline int rng_int(Rng *rng, int low, int high)
{
    return low + (int)(rng_next(rng) % (uint64_t)(high - low + 1));
}

// Uniform in [-1, 1) but not near 0, so that products stay well away from rounding.
static inline double rng_entry(Rng *rng)
{
    const double size = 0.1 + 0.9 * rng_unit(rng);
    return rng_next(rng) & 1U ? size : -size;
}

// 10^u with u uniform in [-decades, decades].
static inline double rng_scale(Rng *rng, double decades)
{
    return pow(10.0, decades * (2.0 * rng_unit(rng) - 1.0));
}

#endif

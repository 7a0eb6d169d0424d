// SPDX-License-Identifier: MIT

/// @file
/// Random numbers that are functions: of a seed, a run and an input, and of nothing that was
/// drawn before.  So run k of a sweep has the same inputs wherever and whenever it runs.

#ifndef SWEEP_RANDOM_H
#define SWEEP_RANDOM_H

#include <stdint.h>

/// Which of the numbers of a seed is meant.
typedef struct KalDraw {
    uint64_t seed;
    uint64_t place; ///< a run, or what else is counted
    uint32_t input; ///< below 2²⁴
    uint32_t use;   ///< numbers for different uses are independent; below 2⁸
} KalDraw;

/// 64 random bits: Philox 4×32 with ten rounds.
uint64_t kal_draw_bits(KalDraw draw);

/// A number between 0 and 1, neither of them, from bits: the middle of one of 2⁵² parts.
double kal_draw_part(uint64_t bits);

/// The number in place `place` of n equal parts of the unit interval that is as far within it as
/// `own`, between 0 and 1, is in the whole; neither 0 nor 1, whatever rounding does.
double kal_draw_within(uint64_t place, double own, uint64_t n);

/// Where a random order of 0 … n − 1, one of those that a draw names, puts i.
uint64_t kal_draw_shuffle(KalDraw draw, uint64_t i, uint64_t n);

/// The number that a part p, 0 < p < 1, of a normal distribution of mean 0 and deviation 1
/// is below.
double kal_normal_quantile(double p);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Ranges of polynomials over a part of their stretch, several at a time (sim/scan.h).

#ifndef SIM_SCAN_MATH_H
#define SIM_SCAN_MATH_H

#include "prog/program.h"

#include <stddef.h>

enum {
    KAL_SCAN_NODES = 9, ///< states that a step is known by: one more than its degree
    KAL_SCAN_GROUP = 4  ///< polynomials that are cut at once
};

/// Polynomials in Bernstein's basis, and a part of the stretch from 0 to 1 that they are given on.
typedef struct KalScanPart {
    const double *coefficients; ///< nodes × ld: those of one number below each other
    size_t ld;                  ///< whole groups
    size_t count;               ///< polynomials, ld or fewer
    double begin;
    double end;
} KalScanPart;

/// Their ranges over it, theory (15.12).
void kal_scan_ranges(const KalScanPart *part, KalRange *out_ranges);

/// The same in wide registers, to the same bits.
void kal_scan_ranges_wide(const KalScanPart *part, KalRange *out_ranges);

#endif

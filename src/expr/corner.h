// SPDX-License-Identifier: MIT

/// @file
/// Where a function from data turns sharply.
///
/// A table may have a feature that is narrower than any step: a spike of one point among
/// thousands, or a few points that lie close together.  Its corners are where: the points at which
/// the straight lines on both sides differ by most, weighed by the shorter of the two, so that the
/// measure is about the height of what begins, peaks or ends there.

#ifndef EXPR_CORNER_H
#define EXPR_CORNER_H

#include "expr/spline.h"

enum {
    KAL_SPLINE_CORNERS = 64 ///< that are found, at most
};

/// The arguments of the sharpest points of a spline that are no less sharp than their neighbors;
/// returns how many.
size_t kal_spline_find_corners(const KalSpline *spline, double out[KAL_SPLINE_CORNERS]);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// An axis: the values that it shows and where they are on it.

#ifndef FIGURE_AXIS_H
#define FIGURE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

/// The least and the largest of some values.
typedef struct KalAxisRange {
    double low;
    double high;
    size_t count; ///< of values; 0: there are none, and low and high mean nothing
} KalAxisRange;

/// From low to high.  Low is less than high by more than rounding, and positive if the
/// axis is logarithmic.
typedef struct KalAxis {
    double low;
    double high;
    bool logarithmic;
} KalAxis;

/// Whether a value has a place on an axis of the kind: its magnitude is at most 1e300; on a
/// logarithmic one it is positive, from 1e-150 to 1e150.
bool kal_axis_takes(bool logarithmic, double value);

/// Take a value into a range if an axis of the kind takes it.
void kal_range_add(KalAxisRange *range, bool logarithmic, double value);

/// Take all of another range in.
void kal_range_join(KalAxisRange *range, const KalAxisRange *other);

/// An axis that shows a range and a margin on both sides, as a part of its length.  One
/// value is in the middle; no value gives an axis all the same.
KalAxis kal_axis_fit(const KalAxisRange *range, bool logarithmic, double margin);

/// Where on the axis a value is that it takes: low at 0, high at 1.
double kal_axis_place(const KalAxis *axis, double value);

/// Widen linear axes so that a length on the page is as much on x, of length `width`, as
/// on each of n axes y, of length `height`.
void kal_axes_make_equal(KalAxis *x, double width, KalAxis *y, size_t n, double height);

#endif

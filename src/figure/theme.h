// SPDX-License-Identifier: MIT

/// @file
/// Colors and strokes of figures.
///
/// Every color has a form for light and one for dark pages.  Those of curves differ for
/// people who do not see red or green and keep a contrast of 3 with the page; the
/// strokes differ too, for print without color.

#ifndef FIGURE_THEME_H
#define FIGURE_THEME_H

#include <kalaba/figure.h>

#include <stdbool.h>
#include <stdint.h>

/// What has a color.  Curves follow each other: KAL_INK_CURVE + i.
typedef enum KalInk {
    KAL_INK_PAGE,
    KAL_INK_TEXT, ///< and the frame with its ticks
    KAL_INK_GRID,
    KAL_INK_CURVE, ///< the first of KAL_INK_CURVES
} KalInk;

enum {
    KAL_INK_CURVES = 6,
    KAL_INKS = KAL_INK_CURVE + KAL_INK_CURVES,
    KAL_DASH_LIMIT = 4,
};

/// The ink of the i-th curve of a panel.
KalInk kal_ink_of_curve(size_t i);

/// Red, green and blue, as 0xRRGGBB.
uint32_t kal_ink_color(KalInk ink, bool dark);

/// The dashes of the i-th curve of a panel, in points: how long it is on, off, on, off.
/// Returns how many there are; 0 for a line without gaps.
int kal_dashes_get(size_t i, double out_dashes[KAL_DASH_LIMIT]);

#endif

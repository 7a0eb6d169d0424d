// SPDX-License-Identifier: MIT

/// @file
/// Maps: a color for each cell of a plane of two columns.
///
/// The table of a map has a row for each cell, those of one value of y after each other, with
/// x ascending, then y.  Cells end half way to their neighbors.

#ifndef FIGURE_PLANE_H
#define FIGURE_PLANE_H

#include "figure/figure_impl.h"

#include <stdint.h>

/// The picture of a map: colors as 0xAARRGGBB, row by row from the top; alpha is 0 where
/// there is no value and 255 elsewhere.
typedef struct KalPlaneImage {
    uint32_t *pixels; ///< NULL: not made
    size_t width;
    size_t height;
} KalPlaneImage;

/// Find the y axis of a figure whose options say that it is a map, and how many cells there
/// are.  KAL_ERR_USAGE when the table is not that of a map.
KAL_CHECKED KalStatus kal_plane_check(KalFigure *figure);

/// What the cells of a map cover along x, or along y.
KalAxis kal_plane_axis(const KalFigure *figure, bool up);

/// The axis of the colors of a panel.
KalAxis kal_plane_colors(const KalFigure *figure, size_t panel);

/// The color at a place of that axis, from 0 to 1, as 0xRRGGBB.
uint32_t kal_plane_color(double place);

/// The value of the cell at a place of what all cells cover, from 0 to 1 along x and along y;
/// NaN for none.
double kal_plane_value(const KalFigure *figure, size_t panel, KalSpot place);

/// Paint a panel, with a pixel or more for each cell.  The caller gives the memory of the
/// image back by kal_plane_clear().  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_plane_paint(const KalFigure *figure, size_t panel,
                                      KalPlaneImage *out_image);

/// Give the memory of an image back.
void kal_plane_clear(const KalFigure *figure, KalPlaneImage *image);

#endif

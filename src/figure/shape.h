// SPDX-License-Identifier: MIT

/// @file
/// What panels show in place of a line from row to row: dots, bands, stairs.

#ifndef FIGURE_SHAPE_H
#define FIGURE_SHAPE_H

#include "figure/figure_impl.h"

/// A curve of a figure and the frame that it is drawn in.
typedef struct KalShapePlace {
    const KalFigure *figure;
    const KalAxes *axes;
    size_t panel;
    size_t curve;
    KalBox frame;
} KalShapePlace;

/// A dot for each row, but only one for each cell of a grid of that size, to the end of a block
/// of KalSpot, which the caller clears in any case.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_shape_dots(KalShapePlace place, double cell,
                                     KalBlock *points);

/// The outline of the area that holds half of the rows, if `inner`, or nine tenths, around a
/// median; stretches are set apart by NaN.  None where there are no quantiles.  As above.
KAL_CHECKED KalStatus kal_shape_band(KalShapePlace place, bool inner, KalBlock *points);

/// The outline of a histogram, from its foot and back to it.  As above.
KAL_CHECKED KalStatus kal_shape_stairs(KalShapePlace place, KalBlock *points);

#endif

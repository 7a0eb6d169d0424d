// SPDX-License-Identifier: MIT

/// @file
/// Curves that go over the same places again and again, drawn once.
///
/// An orbit of a thousand turns is one line on the page.  A line of a curve is left out when
/// every cell of a grid that it passes was passed before, so what is left is no more than
/// the page can hold.  With cells smaller than the pen nothing changes for the eye.

#ifndef FIGURE_COVER_H
#define FIGURE_COVER_H

#include "figure/figure_impl.h"

/// Leave out what was drawn before from points within a frame, a block as
/// kal_thin_finish() leaves it.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_cover_remove(KalContext *ctx, KalBox frame, double cell,
                                       KalBlock *points);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What cairo's SVG lacks: a title, and other colors on dark pages.

#ifndef FIGURE_SVG_H
#define FIGURE_SVG_H

#include "base/block.h"

#include <kalaba/text.h>

#include <stdbool.h>

/// Write an SVG as cairo made it, with a title and, if `follow` is set, with rules by which
/// browsers on dark pages show the dark form of every color of the theme.  Other readers of
/// SVG do not heed the rules and see the colors as they are.  KAL_ERR_FILE when it is not
/// an SVG; KAL_ERR_NOMEM.  A NUL is added to the block.
KAL_CHECKED KalStatus kal_svg_write(KalContext *ctx, KalBlock *svg, bool follow,
                                    const char *title, KalSink sink);

#endif

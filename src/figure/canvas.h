// SPDX-License-Identifier: MIT

/// @file
/// A sheet to draw on, which becomes an SVG, PDF or PNG file.
///
/// Lengths are in points, 1/72 inch; x grows to the right, y downwards.  Drawing cannot
/// fail visibly: cairo keeps the first failure, and finishing tells.

#ifndef FIGURE_CANVAS_H
#define FIGURE_CANVAS_H

#include "figure/theme.h"
#include "figure/thin.h"

#include <kalaba/text.h>

typedef enum KalCanvasKind {
    KAL_CANVAS_SVG,
    KAL_CANVAS_PDF,
    KAL_CANVAS_PNG,
} KalCanvasKind;

/// What to draw on.
typedef struct KalSheetSize {
    double width;
    double height;
    double dots; ///< of a PNG, per point
} KalSheetSize;

typedef struct KalCanvas KalCanvas;

/// Make a canvas.  The caller owns it.  KAL_ERR_FILE when cairo is not there,
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_canvas_create(KalContext *ctx, KalCanvasKind kind,
                                        KalSheetSize size, KalFigureTheme theme,
                                        KalCanvas **out_canvas);

/// Free a canvas.  NULL is allowed.
void kal_canvas_destroy(KalCanvas *canvas);

/// How wide a styled text is in a size of letters.
double kal_canvas_measure(KalCanvas *canvas, const char *styled, double size);

/// Where a text goes.
typedef struct KalTextPlace {
    double x;
    double y;     ///< of the line on which letters stand
    double size;  ///< of the letters
    double align; ///< the part of the text that is before x: 0, 0.5, 1
    bool upward;  ///< turned by a right angle, to be read from below
} KalTextPlace;

/// Draw a styled text.
void kal_canvas_text(KalCanvas *canvas, const char *styled, KalInk ink,
                     KalTextPlace place);

/// How a line is drawn.
typedef struct KalPen {
    KalInk ink;
    double width;
    double dashes[KAL_DASH_LIMIT];
    int n_dashes;
} KalPen;

/// Draw lines through points; one that is NaN lifts the pen.  A point with none beside it
/// becomes a dot.
void kal_canvas_lines(KalCanvas *canvas, const KalSpot *points, size_t count,
                      const KalPen *pen);

/// Draw a filled circle.
void kal_canvas_dot(KalCanvas *canvas, KalSpot at, double radius, KalInk ink);

/// Draw filled circles.
void kal_canvas_dots(KalCanvas *canvas, const KalSpot *points, size_t count,
                     double radius, KalInk ink);

/// Fill areas, as dark as `opacity` says, from 0 to 1; points that are NaN set them apart.
void kal_canvas_areas(KalCanvas *canvas, const KalSpot *points, size_t count,
                      KalInk ink, double opacity);

/// A picture: 0xAARRGGBB, row by row from the top, with alpha 0 or 255.
typedef struct KalPixels {
    const uint32_t *colors;
    size_t width;
    size_t height;
} KalPixels;

/// Draw a picture in a box.
void kal_canvas_picture(KalCanvas *canvas, const KalPixels *picture, KalSpot corner,
                        KalSpot size);

/// Finish the drawing and write the file.  `title` is for those who list or read aloud.
/// KAL_ERR_NOMEM, KAL_ERR_FILE with the words of cairo.
KAL_CHECKED KalStatus kal_canvas_finish(KalCanvas *canvas, const char *title,
                                        KalSink sink);

#endif

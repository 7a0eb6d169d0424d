// SPDX-License-Identifier: MIT

/// @file
/// Where everything of a figure goes on a sheet.
///
/// Panels lie below each other and have the same width, so that one x axis serves all.
/// Margins are as wide as the texts in them.  Names of curves stand to the right of their
/// panel, near the ends of the curves, where they cover nothing.

#ifndef FIGURE_PLAN_H
#define FIGURE_PLAN_H

#include "figure/figure_impl.h"
#include "figure/ticks.h"

/// Tells how wide a styled text is in a size of letters.
typedef struct KalMeasure {
    double (*width)(void *user, const char *styled, double size);
    void *user;
} KalMeasure;

typedef struct KalPanelPlan {
    KalBox frame;
    KalTicks ticks; ///< of the y axis
    double label_size;
    KalAxis colors; ///< of a map
    KalTicks color_ticks;
    double color_size;                     ///< of the letters at the colors
    double name_y[KAL_FIGURE_CURVE_LIMIT]; ///< the middle of the name of each curve
} KalPanelPlan;

typedef struct KalPlan {
    double width; ///< of the sheet, in points
    double height;
    double scale; ///< of texts and lines; less than 1 on a small sheet
    KalAxes axes;
    KalTicks x_ticks;
    double title_y;
    double name_x; ///< where the samples before names of curves begin, or colors
    double name_size;
    KalPanelPlan panels[KAL_FIGURE_PANEL_LIMIT];
} KalPlan;

/// Sizes of letters and lengths, in points, before scaling.
#define KAL_PLAN_TEXT   8.5
#define KAL_PLAN_TICK   8.0
#define KAL_PLAN_TITLE  10.0
#define KAL_PLAN_MARGIN 4.0  ///< around everything
#define KAL_PLAN_SPACE  3.5  ///< between a text and what it belongs to
#define KAL_PLAN_SAMPLE 16.0 ///< the line before the name of a curve
#define KAL_PLAN_BAR    8.0  ///< the width of the bar of colors beside a map

/// Whether the curves of a panel have their names beside it.
bool kal_panel_is_named(const KalPanel *panel);

/// The text at the x axis.
void kal_plan_x_label(const KalFigure *figure, KalStyled *out_text);

/// The text at the y axis of a panel; may be "".
void kal_plan_y_label(const KalFigure *figure, size_t panel, KalStyled *out_text);

/// The text at the colors of a map.
void kal_plan_color_label(const KalFigure *figure, size_t panel, KalStyled *out_text);

/// The name of a curve beside its panel.
void kal_plan_name(const KalFigure *figure, size_t panel, size_t curve,
                   KalStyled *out_text);

/// The power of ten and the offset of an axis; "" for none.
void kal_plan_factor(const KalTicks *ticks, KalStyled *out_text);

/// How wide and high the sheet is, in points.
KalSpot kal_plan_size(const KalFigure *figure);

/// Make the plan of a figure that has panels.
void kal_plan_make(const KalFigure *figure, KalMeasure measure, KalPlan *out_plan);

#endif

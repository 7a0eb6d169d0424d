// SPDX-License-Identifier: MIT

/// @file
/// What a figure holds, and what the back ends share.

#ifndef FIGURE_FIGURE_IMPL_H
#define FIGURE_FIGURE_IMPL_H

#include "figure/axis.h"
#include "figure/styled.h"
#include "figure/thin.h"

#include <kalaba/figure.h>

/// What the description of a column says that is a quantile of the one before.
#define KAL_FIGURE_QUANTILE "quantile"

/// The column of a histogram that counts rows.
#define KAL_FIGURE_COUNT "runs"

typedef struct KalPanelCurve {
    size_t column;
    KalAxisRange range; ///< of the values that are shown
} KalPanelCurve;

typedef struct KalPanel {
    KalPanelCurve curves[KAL_FIGURE_CURVE_LIMIT];
    size_t count;
    KalAxisRange marks; ///< values of marks
} KalPanel;

struct KalFigure {
    KalContext *ctx;
    const KalTable *table;
    KalFigureOptions options; ///< without texts
    char title[2048];         ///< "" for none
    size_t clock;             ///< the column that decides which rows are shown
    size_t x;                 ///< the column of the axis
    size_t run;               ///< the column that counts runs; none: how many there are
    size_t time;              ///< the column of times; none: how many there are
    size_t y;                 ///< the column of the y axis of a map
    size_t across;            ///< rows of a map that share a value of y
    bool x_ascends;           ///< no value is less than the one before in its run
    KalAxisRange x_range;
    const KalTable *marks; ///< NULL: none
    KalAxisRange marks_x;
    KalPanel panels[KAL_FIGURE_PANEL_LIMIT];
    size_t n_panels;
};

/// The x axis and one y axis for each panel.
typedef struct KalAxes {
    KalAxis x;
    KalAxis y[KAL_FIGURE_PANEL_LIMIT];
} KalAxes;

/// Whether a row is to be shown: it is not left out and has a place on the x axis.
bool kal_figure_shows(const KalFigure *figure, const double *row);

/// Whether row i is the first of another run than the row before.
bool kal_figure_begins_run(const KalFigure *figure, size_t i);

/// Whether row i is behind a jump: it has the time of the row before.
bool kal_figure_jumps(const KalFigure *figure, size_t i);

/// Axes that fit the curves.
KalAxes kal_figure_axes(const KalFigure *figure);

/// A mark on a page.
typedef struct KalMark {
    double x; ///< values, not places
    double y;
    double stability;
} KalMark;

/// Mark i of a curve, in the order of their table; false when it has no place on the axes.
bool kal_figure_mark(const KalFigure *figure, size_t panel, size_t curve, size_t i,
                     KalMark *out_mark);

/// Where on the page a panel is: x = left at the low end of its axis, and so on.
typedef struct KalBox {
    double left;
    double top;
    double width;
    double height;
} KalBox;

/// Add the points of a curve to `thin`, in the unit of the frame.
void kal_figure_trace(const KalFigure *figure, const KalAxes *axes, size_t panel,
                      size_t curve, KalBox frame, KalThin *thin);

/// The name of a column and its unit.
KalQuantity kal_figure_quantity(const KalFigure *figure, size_t column);

/// Whether a column is a quantile of one before it; none is behind the last.
bool kal_figure_is_quantile(const KalFigure *figure, size_t column);

/// Whether the curves of a panel have the same unit.
bool kal_panel_has_one_unit(const KalFigure *figure, const KalPanel *panel);

/// Where at the right of a panel the name of a curve should be: the place of its last value
/// on the y axis, 0 to 1.  Names of curves that do not end at the right are lined up from
/// the top.
double kal_figure_name_place(const KalFigure *figure, const KalAxes *axes, size_t panel,
                             size_t curve);

/// Move `count` places, which need not be in order, as little as possible, by the sum of
/// squares, so that each is `gap` away from the others and none is out of low … high; if
/// there is no room, they come to lie evenly.
void kal_places_spread(double *places, size_t count, double gap, double low,
                       double high);

/// Fail unless a figure has panels.
KAL_CHECKED KalStatus kal_figure_check(const KalFigure *figure);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Figures: curves, dots, bands, histograms and maps of a table's columns, for papers, pages
/// and terminals.
///
///     KalFigureOptions options = kal_figure_options();
///     kal_figure_create(ctx, table, &options, &figure);
///     kal_figure_add_panel(figure, (const char *[]){"x", "y"}, 2);
///     kal_figure_write(figure, "motion.svg");
///
/// A figure has one x axis and one or more panels below each other, each with its curves.
/// Axes fit what they show; values that are not finite, or not positive on a logarithmic
/// axis, leave gaps.  The table must outlive the figure and not change.

#ifndef KALABA_FIGURE_H
#define KALABA_FIGURE_H

#include <kalaba/context.h>
#include <kalaba/table.h>
#include <kalaba/text.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The column of a table of marks that says how each is drawn: filled where it is
/// positive, open where it is negative, open with a dot where it is 0.
#define KAL_FIGURE_STABILITY "stability"

/// Panels with curves.
typedef struct KalFigure KalFigure;

/// Bounds that every figure keeps.
enum {
    KAL_FIGURE_PANEL_LIMIT = 12, ///< panels
    KAL_FIGURE_CURVE_LIMIT = 24, ///< curves of a panel
};

/// What page a figure is for.
typedef enum KalFigureTheme {
    KAL_FIGURE_AUTO,  ///< an SVG follows the page, others are for light ones
    KAL_FIGURE_LIGHT, ///< black on white
    KAL_FIGURE_DARK,  ///< light on dark
} KalFigureTheme;

/// How rows become a picture.  Bands, histograms and maps are drawn of tables that
/// kal_figure_condense() makes.
typedef enum KalFigureKind {
    KAL_FIGURE_LINES,   ///< curves from row to row
    KAL_FIGURE_SCATTER, ///< a dot for each row
    KAL_FIGURE_BANDS, ///< medians over x, with bands that hold half and 90 % of the rows
    KAL_FIGURE_HISTOGRAM, ///< how many rows have which values
    KAL_FIGURE_MAP,       ///< a color for each place on the plane of two columns
} KalFigureKind;

/// How to draw.  Start with kal_figure_options().
typedef struct KalFigureOptions {
    KalFigureKind kind;
    const char *x;        ///< a column; NULL: `t` or, failing that, the first
    const char *y;        ///< the column of the y axis of a map; ignored by other kinds
    const char *title;    ///< NULL: none
    double from;          ///< rows whose `t`, or first column, is less are left out
    double until;         ///< and those whose is more
    double width;         ///< in mm, 20 to 2000
    double height;        ///< in mm, 20 to 2000; 0: as many panels need
    double dots_per_inch; ///< of a PNG, which has at most 100 million dots
    bool log_x;           ///< logarithmic axes
    bool log_y;
    bool log_z; ///< the colors of a map
    bool equal; ///< a length means the same along all axes; not with log
    KalFigureTheme theme;
} KalFigureOptions;

/// What is to be known of a curve.
typedef struct KalFigureCurve {
    size_t panel;
    size_t column; ///< of the table
    size_t points; ///< rows that have a place on the axes
} KalFigureCurve;

/// A terminal.
typedef struct KalTerminal {
    int columns;
    int rows;     ///< 0: as many as the panels need
    bool unicode; ///< it shows more than ASCII
    bool color;
} KalTerminal;

/// The usual options: all rows, 120 mm wide, linear axes, 300 dots per inch.
KAL_API KalFigureOptions kal_figure_options(void);

/// Make a figure without panels.  Texts are copied.  The caller owns it.  KAL_ERR_USAGE
/// when an option is out of its bounds, x is no column, or no row is left;
/// KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_create(KalContext *ctx, const KalTable *table,
                                                const KalFigureOptions *options,
                                                KalFigure **out_figure);

/// Free a figure.  NULL is allowed.
KAL_API void kal_figure_destroy(KalFigure *figure);

/// Add a panel with the columns that fit any of `count` patterns, `*` for any text, `?`
/// for any character, but for the one of the x axis unless it is named in full.
/// KAL_ERR_USAGE when a pattern fits nothing, with a column that may have been meant;
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_add_panel(KalFigure *figure,
                                                   const char *const *patterns,
                                                   size_t count);

/// Add panels for what the table has: columns of the same unit and order of derivative
/// share one, up to six columns in each of four panels; `*out_omitted` are left out.
/// KAL_ERR_USAGE when there is only the column of the x axis; KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_add_usual_panels(KalFigure *figure,
                                                          size_t *out_omitted);

/// Which columns of a table are condensed.
typedef struct KalFigureColumns {
    const char *const *patterns; ///< as for kal_figure_add_panel()
    size_t count;   ///< 0: results that differ from row to row, all of them
                    ///< for bands, otherwise the first
    size_t omitted; ///< is set: how many of them were left out
} KalFigureColumns;

/// Whether a table is that of a sweep with a row for each run: its columns are `run`, inputs,
/// and values such as `final(x)` (docs/sweeping.md).  `*out_inputs`, unless NULL, is how many
/// inputs there are; they follow the first column.
KAL_API bool kal_figure_is_sweep(const KalTable *table, size_t *out_inputs);

/// Choose how to show the table of a sweep: a map of the first two inputs that have values
/// several times, bands over the only such input or the only input, a histogram otherwise.
/// Sets the kind and, where they are NULL, x and y, which are borrowed from the table.
/// KAL_ERR_USAGE when the table is no such; KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_suggest(KalContext *ctx, const KalTable *table,
                                                 KalFigureOptions *options);

/// Make the table that bands, a histogram or a map is drawn of, by the kind, the columns,
/// the logarithmic axes and the rows that `options` name.  The caller owns the table; its size
/// depends on what can be shown, not on the rows.
///
///  - Bands: x, then of each column the median and the quantiles of 5, 25, 75 and 95 % of the
///    rows with that x; the median alone where no x has several rows.  More than 2000
///    values of x are counted in 100 bins.
///  - Histogram: the edges of the bins, then for each column how many rows are in each.
///  - Map: x, y, then the mean of each column, for all combinations of x and y, x fastest;
///    NaN where there is no row.  More than 2000 values are counted in 200 bins.
///
/// KAL_ERR_USAGE when a column is missing or nothing can be shown; KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_condense(KalContext *ctx,
                                                  const KalTable *table,
                                                  const KalFigureOptions *options,
                                                  KalFigureColumns *columns,
                                                  KalTable **out_table);

/// Mark places on all panels: rows of another table that has columns of the names of the x
/// axis and of curves, and one that says how they are drawn, KAL_FIGURE_STABILITY.  Axes
/// widen to show them; terminals do not.  After all panels; the table must outlive the
/// figure.  KAL_ERR_USAGE when columns are missing.
KAL_API KAL_CHECKED KalStatus kal_figure_set_marks(KalFigure *figure,
                                                   const KalTable *marks);

/// How many curves there are, in all panels.
KAL_API size_t kal_figure_curves(const KalFigure *figure);

/// A curve, counted from 0.
KAL_API KalFigureCurve kal_figure_curve(const KalFigure *figure, size_t i);

/// Write a file: .svg, .pdf or .png.  It appears under its name only when it is whole.
/// KAL_ERR_USAGE for another ending or when there are no panels; KAL_ERR_FILE (no
/// permission, no cairo); KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_write(const KalFigure *figure,
                                               const char *path);

/// Write the figure in characters.  KAL_ERR_USAGE when there are no panels or the terminal
/// is too small; KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_figure_print(const KalFigure *figure,
                                               const KalTerminal *terminal,
                                               KalSink sink);

#ifdef __cplusplus
}
#endif

#endif

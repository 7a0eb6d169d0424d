// SPDX-License-Identifier: MIT

/// @file
/// Columns of a table that a figure shows, and the values that occur in them.

#ifndef FIGURE_CHOOSE_H
#define FIGURE_CHOOSE_H

#include "figure/axis.h"

#include <kalaba/figure.h>

enum {
    KAL_RULER_MOST = 2000 ///< different values that are told apart
};

/// Values of a column, for counting rows by them: those that occur, or where they are too
/// many, the middles of bins of equal width, on a logarithmic axis of equal ratio.
typedef struct KalRuler {
    bool logarithmic;
    bool full;      ///< more different values than are told apart: `values` are not all
    bool bins;      ///< `values` are middles of bins
    double *values; ///< ascending
    size_t count;
    size_t capacity;
    KalAxisRange range; ///< of the values that were noted
} KalRuler;

/// Note a value that occurs; one that the axis does not take is passed over.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_ruler_note(KalContext *ctx, KalRuler *ruler, double value);

/// Put `count` bins in place of the values.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_ruler_set_bins(KalContext *ctx, KalRuler *ruler,
                                         size_t count);

/// The place of a value among those of the ruler; `count` for one that has none.
size_t kal_ruler_find(const KalRuler *ruler, double value);

/// Where bin i begins, or the last one ends.
double kal_ruler_edge(const KalRuler *ruler, size_t i);

/// Give the memory back.
void kal_ruler_clear(KalContext *ctx, KalRuler *ruler);

/// Fail because there is no such column, with what may have been meant.
KAL_CHECKED KalStatus kal_figure_fail_of_column(KalContext *ctx, const KalTable *table,
                                                const char *name);

/// Whether a column has two different values.
bool kal_figure_varies(const KalTable *table, size_t column);

#endif

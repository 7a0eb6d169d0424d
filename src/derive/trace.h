// SPDX-License-Identifier: MIT

/// @file
/// Whether formulas depend on the coordinates of a model, their velocities or their
/// accelerations.

#ifndef DERIVE_TRACE_H
#define DERIVE_TRACE_H

#include "model/model.h"

/// What formulas depend on.
typedef struct KalTrace {
    bool found;        ///< they do, or it is not decided whether they do
    bool open;         ///< not decided
    size_t formula;    ///< the first formula that does
    size_t coordinate; ///< and the coordinate that is meant
} KalTrace;

/// Find out whether `count` formulas depend on symbols of a kind: COORDINATE, VELOCITY or
/// ACCELERATION.  If they only seem to, by form but not by value, they are changed to ones
/// that do not.  They do not only if that is proven: no slope, and no jump either.
KAL_CHECKED KalStatus kal_trace_find(const KalModel *model, KalSymbolKind kind,
                                     KalExpr *e, size_t count, KalTrace *out_trace);

/// Whether a formula is linear in all symbols of a kind as it stands, up to a term without them:
/// sums of products with factors, and choices by conditions, that have none of them.
KAL_CHECKED KalStatus kal_trace_is_linear(const KalModel *model, KalSymbolKind kind,
                                          KalExpr e, bool *out_linear);

/// The formulas where all symbols of the kind are zero; they stay as they are, and
/// *out_defined is false, if one has no value there.
KAL_CHECKED KalStatus kal_trace_remove(const KalModel *model, KalSymbolKind kind,
                                       KalExpr *e, size_t count, bool *out_defined);

#endif

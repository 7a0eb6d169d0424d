// SPDX-License-Identifier: MIT

/// @file
/// Formulas with values in the place of symbols.

#ifndef DERIVE_VALUES_H
#define DERIVE_VALUES_H

#include "expr/substitute.h"
#include "model/model.h"

/// Replace in n formulas.  If a division by zero comes of it they stay as they are, and
/// *out_done is false.
KAL_CHECKED KalStatus kal_values_replace(KalGraph *g, KalExpr *e, size_t n,
                                         const KalReplacements *replacements,
                                         bool *out_done);

/// Replace parameters by their values wherever these are known exactly; others stand for
/// any value.
KAL_CHECKED KalStatus kal_values_insert(const KalModel *model, KalExpr *e, size_t n);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The names that a text declares, as its words stand, whether it is right or not: an editor
/// asks while a statement is half written.

#ifndef LSP_NAMES_H
#define LSP_NAMES_H

#include "base/block.h"
#include "base/diagnostic.h"

/// A name where it is declared.
typedef struct KalLspName {
    const char *kind; ///< the word of its statement: `param`, `coord`, …
    uint32_t begin;   ///< of the name, in bytes
    uint32_t end;
    uint32_t unit_begin; ///< of the unit, without its brackets; both 0 when it has none
    uint32_t unit_end;
} KalLspName;

/// Find all names that a text of UTF-8 declares, in their order.  Adds KalLspName to the block,
/// which the caller clears in any case.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_lsp_names(KalContext *ctx, const KalSource *source,
                                    KalBlock *names);

/// The word, of letters, digits and underscores, at or just before a byte; false when there is
/// none.
bool kal_lsp_word_at(const KalSource *source, uint32_t at, KalSpan *out_word);

#endif

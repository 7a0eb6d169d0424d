// SPDX-License-Identifier: MIT

/// @file
/// The names that a text declares, as its words stand, whether it is right or not: an editor
/// asks while a statement is half written.

#ifndef LANG_DECLARED_H
#define LANG_DECLARED_H

#include "base/block.h"
#include "lang/lexer.h"

/// A name where it is declared.
typedef struct KalDeclared {
    const char *kind; ///< the word of its statement: `param`, `coord`, …
    uint32_t begin;   ///< of the name, in bytes
    uint32_t end;
    uint32_t unit_begin; ///< of the unit, without its brackets; both 0 when it has none
    uint32_t unit_end;
} KalDeclared;

/// Find all names that a text of UTF-8 declares, in their order.  Adds KalDeclared to the block,
/// which the caller clears in any case.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_declared_find(KalContext *ctx, const KalSource *source,
                                        KalBlock *names);

/// Whether a bracket [ begins a unit: it stands behind a space, after a name or the end of a
/// value, whose last token is `before`.  After a sign it begins a vector.
bool kal_unit_begins(const KalToken *bracket, KalTokenKind before);

/// The word, of letters, digits and underscores, at or just before a byte; false when there is
/// none.
bool kal_declared_word_at(const KalSource *source, uint32_t at, KalSpan *out_word);

#endif

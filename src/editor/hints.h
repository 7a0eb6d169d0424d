// SPDX-License-Identifier: MIT

/// @file
/// What an editor may complete, and what it can tell of a word: the names that a text declares,
/// as its tokens stand, the parts of libraries that it uses, and the words of the language.

#ifndef EDITOR_HINTS_H
#define EDITOR_HINTS_H

#include "base/diagnostic.h"

/// A word with what it is.  Texts are not ended by a NUL.
typedef struct KalHint {
    const char *kind; ///< word of the statement that declares it, or `statement`,
                      ///< `function`, `unit`; ends with a NUL
    const char *name;
    size_t length;
    const char *unit; ///< `unit_length` bytes, 0: it has none
    size_t unit_length;
    const char *library; ///< that it is from, with a NUL; NULL: from the text itself
    const char *meaning; ///< of a statement's word, in a line; NULL: it has none
    uint32_t at;         ///< where the text declares it, in bytes
} KalHint;

/// Takes a hint, which holds for the length of the call.
typedef void (*KalHintFn)(void *user, const KalHint *hint);

/// All names of a text, in their order, and after them the parts of libraries.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_hints_of_text(KalContext *ctx, const KalSource *source,
                                        KalHintFn take, void *user);

/// All words of the language: statements, functions, units.
void kal_hints_of_language(KalHintFn take, void *user);

#endif

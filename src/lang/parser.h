// SPDX-License-Identifier: MIT

/// @file
/// From the text of a model to its syntax tree.
///
/// The parser knows the form of statements and expressions, not the meaning of names.
/// docs/language/grammar.md has the grammar.  After an error it goes on with the next
/// statement, so that all statements of a text that are wrong are told of at once, each
/// with its first error.
///
/// A text is untrusted.  Whatever it holds, parsing takes time in proportion to its
/// length, and memory at most KAL_PARSE_BYTES for each byte of it beyond a constant.

#ifndef LANG_PARSER_H
#define LANG_PARSER_H

#include "lang/source.h"
#include "lang/tree.h"

enum {
    KAL_PARSE_DEPTH = 200,     ///< brackets, signs, powers and so on in each other
    KAL_BLOCK_DEPTH = 32,      ///< blocks in each other
    KAL_TOKEN_LIMIT = 2000000, ///< words and signs of one text
    KAL_PARSE_BYTES = 80,      ///< memory for each byte of text, at most
};

/// Parse a text.  The caller owns the tree and keeps the source as long as it.  What is
/// wrong is added to the diagnostics; the answer is then KAL_ERR_SYNTAX, or KAL_ERR_LIMIT
/// when the text has more than KAL_TOKEN_LIMIT tokens, and the context has the first
/// error.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_parse(KalContext *ctx, const KalSource *source,
                                KalDiagnostics *diagnostics, KalTree **out_tree);

#endif

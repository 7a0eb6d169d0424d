// SPDX-License-Identifier: MIT

/// @file
/// The text of a model, with the name that messages give to it.

#ifndef LANG_SOURCE_H
#define LANG_SOURCE_H

#include "base/diagnostic.h"

enum {
    KAL_SOURCE_LIMIT = 1 << 22, ///< bytes of one text
};

/// Copy `length` bytes of text, and the name.  The caller owns the result and keeps it as
/// long as trees and diagnostics that point into it.  KAL_ERR_LIMIT when the text is
/// longer than KAL_SOURCE_LIMIT, KAL_ERR_NOMEM.  What the text holds is not looked at.
KAL_CHECKED KalStatus kal_source_create(KalContext *ctx, const char *name,
                                        const char *text, size_t length,
                                        KalSource **out_source);

/// Free a source made in the context.  NULL is allowed.
void kal_source_destroy(KalContext *ctx, KalSource *source);

/// Where the first byte is that is not UTF-8; the length of the text when all are.
uint32_t kal_source_find_fault(const KalSource *source);

#endif

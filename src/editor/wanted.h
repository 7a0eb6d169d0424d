// SPDX-License-Identifier: MIT

/// @file
/// What may be completed at a place of a text, by the tokens before it: the text need not be
/// right, and is not when somebody types.

#ifndef EDITOR_WANTED_H
#define EDITOR_WANTED_H

#include "base/diagnostic.h"

/// Kinds of words, as bits.
typedef enum KalWanted {
    KAL_WANTED_NOTHING = 0, ///< in comments and in texts in quotes
    KAL_WANTED_STATEMENTS = 1,
    KAL_WANTED_NAMES = 2, ///< of the text, and functions
    KAL_WANTED_UNITS = 4,
} KalWanted;

/// Find what may begin at a byte.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_wanted_find(KalContext *ctx, const KalSource *source,
                                      uint32_t at, unsigned *out_wanted);

#endif

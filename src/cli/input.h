// SPDX-License-Identifier: MIT

/// @file
/// A whole file in memory.

#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "ledger.h"

#include <stdbool.h>
#include <stddef.h>

/// The most bytes a file may have.
#define KAL_INPUT_LIMIT ((size_t)256 << 20)

enum {
    KAL_INPUT_MESSAGE_SIZE = 1024
};

typedef struct KalInputText {
    const char *name; ///< for messages
    char *text;
    size_t length;
    char message[KAL_INPUT_MESSAGE_SIZE]; ///< why it could not be read
} KalInputText;

/// Where a file comes from.
typedef struct KalInputOrigin {
    KalContext *ctx;
    KalLedger *ledger;
    const char *role;   ///< for the ledger
    const char *path;   ///< "-": standard input
    const char *folder; ///< where it must be, or below; NULL: anywhere
} KalInputOrigin;

/// Read a file, which must be a regular one, or standard input.  False: see the message.
/// The caller clears the input in both cases.
bool kal_input_init(KalInputText *input, const KalInputOrigin *origin);

void kal_input_clear(KalInputText *input);

#endif

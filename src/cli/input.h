// SPDX-License-Identifier: MIT

/// @file
/// A whole file in memory.

#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/// The most bytes a file may have.
#define KAL_INPUT_LIMIT ((size_t)256 << 20)

enum {
    KAL_INPUT_MESSAGE_SIZE = 1024
};

typedef struct KalInput {
    const char *name; ///< for messages
    char *text;
    size_t length;
    char message[KAL_INPUT_MESSAGE_SIZE]; ///< why it could not be read
} KalInput;

/// Read the file of a path, or standard input for "-".  False: see the message.  The
/// caller clears the input in both cases.
bool kal_input_init(KalInput *input, const char *path);

void kal_input_clear(KalInput *input);

#endif

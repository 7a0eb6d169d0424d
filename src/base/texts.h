// SPDX-License-Identifier: MIT

/// @file
/// Lists of texts that callers of the library give.

#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

/// Whether a list is there, and each of its texts; a list of none may be NULL.
bool kal_has_texts(const char *const *texts, size_t count);

#endif

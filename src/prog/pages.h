// SPDX-License-Identifier: MIT

/// @file
/// Pages that the processor may execute.
///
/// They are written first and executed then, never both at a time: a page that is both is
/// what intruders look for.  They come from the system, not through the context, which
/// knows nothing of pages.

#ifndef PROG_PAGES_H
#define PROG_PAGES_H

#include <stddef.h>

/// A copy of `count` bytes of code in pages that may be executed, and not be written; NULL
/// where the system does not allow it.  *out_size are the bytes to give back.
void *kal_pages_make(const void *code, size_t count, size_t *out_size);

/// Give pages back.  NULL is allowed.
void kal_pages_free(void *pages, size_t size);

#endif

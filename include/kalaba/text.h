// SPDX-License-Identifier: MIT

/// @file
/// Small things that have to do with text for people.

#ifndef KALABA_TEXT_H
#define KALABA_TEXT_H

#include <kalaba/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Takes the pieces of a text as they are written.
typedef struct KalSink {
    void (*write)(void *user, const char *text, size_t length);
    void *user;
} KalSink;

/// The one of `count` words that a mistyped word probably means: what it begins, or what
/// differs in few letters; NULL when none is near.
KAL_API const char *kal_word_find_near(const char *word, const char *const *words,
                                       int count);

/// Whether a word fits a pattern: `*` stands for any text, `?` for any byte, all else for
/// itself.
KAL_API bool kal_word_fits(const char *pattern, const char *word);

/// The number that a text is, such as `-1.5e-3`, in any locale; false when it is none or is
/// too large for a double.
KAL_API bool kal_number_read(const char *text, double *out_number);

#ifdef __cplusplus
}
#endif

#endif

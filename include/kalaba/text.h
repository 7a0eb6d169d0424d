// SPDX-License-Identifier: MIT

/// @file
/// Small things that have to do with text for people.

#ifndef KALABA_TEXT_H
#define KALABA_TEXT_H

#include <kalaba/status.h>

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

#ifdef __cplusplus
}
#endif

#endif

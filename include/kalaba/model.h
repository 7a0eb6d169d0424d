// SPDX-License-Identifier: MIT

/// @file
/// What a model's text may depend on: values given from outside and files that it uses.

#ifndef KALABA_MODEL_H
#define KALABA_MODEL_H

#include <kalaba/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parameter and the value that takes the place of its own, as the model language
/// writes them.
typedef struct KalOverride {
    const char *name;  ///< `m`, `m[2]`, `link[2].k`
    const char *value; ///< `2`, `30*deg`, `[1, 2]`
} KalOverride;

/// Reads a file that a model uses: writes its text to the sink and answers NULL, or
/// answers why it cannot be read.
typedef const char *(*KalReadText)(void *user, const char *path, KalSink text);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The functions that expressions may call, for editors and for names that are misspelt.

#ifndef MODEL_VOCABULARY_H
#define MODEL_VOCABULARY_H

enum {
    KAL_FUNCTIONS_LIMIT = 128 ///< at most
};

/// Their names; returns how many there are.
int kal_function_names(const char *out_names[KAL_FUNCTIONS_LIMIT]);

#endif

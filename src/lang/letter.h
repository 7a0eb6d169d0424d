// SPDX-License-Identifier: MIT

/// @file
/// Which characters names are made of, and what was meant by some that have no place in a
/// model.

#ifndef LANG_LETTER_H
#define LANG_LETTER_H

#include <stdbool.h>
#include <stdint.h>

/// Whether a character is a Latin or Greek letter or `_`, which a name may begin with.
bool kal_letter_is(uint32_t code);

/// What to write instead of a character that looks like, or does in other languages, what
/// ours spells otherwise: "write - for a minus sign"; NULL when nothing is known.
const char *kal_letter_advice(uint32_t code);

#endif

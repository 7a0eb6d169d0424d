// SPDX-License-Identifier: MIT

/// @file
/// Numbers as text, the same in every locale.

#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

enum {
    KAL_NUMBER_SIZE = 32 ///< room for any number printed here, with its end
};

/// The double nearest to a decimal number of `length` characters, which must have the
/// form that JSON gives to numbers; `.5`, `5.` and `007` are read too.  Exactly rounded,
/// whatever the number of digits; infinite when the number is too large for a double.
double kal_number_parse(const char *text, size_t length);

/// Print with at most `digits` significant digits, 1 to 17, as %g does.
void kal_number_print(double value, int digits, char out_text[KAL_NUMBER_SIZE]);

/// Print with the fewest of 15, 16 or 17 digits that read back as the same value.
void kal_number_print_exact(double value, char out_text[KAL_NUMBER_SIZE]);

#endif

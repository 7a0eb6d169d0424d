// SPDX-License-Identifier: MIT

/// @file
/// The options --family and --grid: several starts of one model.

#ifndef CLI_FAMILY_H
#define CLI_FAMILY_H

#include "command.h"

enum {
    KAL_FAMILY_LIMIT = 10000 ///< starts at most
};

/// The starts, as texts for kal_run_start_from() and kal_analysis_place().
typedef struct KalFamily {
    size_t n;
    char **starts; ///< n
} KalFamily;

/// Read `x' = -2, -1, 1, 2`, or `x = -1 .. 1 count 9` with all numbers from end to end;
/// with `;` between several such lists every value of one meets every value of the others.
/// `others`, or NULL, are values that all of them have.  False after a message.  The caller
/// clears the family in any case.
bool kal_family_init(KalFamily *family, const char *others, const char *text);

void kal_family_clear(KalFamily *family);

#endif

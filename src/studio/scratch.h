// SPDX-License-Identifier: MIT

/// @file
/// A folder for the files of one request, made by the server and removed by it with all that
/// is in it, so that a worker may end at any moment.

#ifndef STUDIO_SCRATCH_H
#define STUDIO_SCRATCH_H

#include <stdbool.h>

enum {
    KAL_SCRATCH_SIZE = 64
};

/// The folder; "" : there is none.
typedef struct KalScratch {
    char path[KAL_SCRATCH_SIZE];
} KalScratch;

/// Make one that nobody else may look into, named after this process; false, with errno, when
/// it cannot be made.
bool kal_scratch_make(KalScratch *scratch);

/// Remove it, if there is one.  Links are removed, not followed.
void kal_scratch_clear(KalScratch *scratch);

#endif

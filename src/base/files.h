// SPDX-License-Identifier: MIT

/// @file
/// How failures with files are told.

#ifndef BASE_FILES_H
#define BASE_FILES_H

#include "base/context.h"

#include <kalaba/files.h>

/// Fail with KAL_ERR_FILE: `cannot ACT PATH: REASON`, the reason in words for a number of
/// <errno.h>.
KalStatus kal_file_fail(KalContext *ctx, const char *act, const char *path, int error);

/// Open the folder at a path, which after all links is `folder` or below it; nothing that
/// becomes a link meanwhile is followed.  The caller closes the descriptor.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_file_open_folder(KalContext *ctx, const char *path,
                                           const char *folder, int *out_descriptor);

/// As much of the end of a path as fits into a message.
const char *kal_file_shown(const char *path);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Files that are read and written: opened without waiting, and told apart by what they
/// are, whatever they are called.

#ifndef KALABA_FILES_H
#define KALABA_FILES_H

#include <kalaba/context.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of a name in a folder, with its end.
enum {
    KAL_FILE_NAME_SIZE = 256
};

/// What a path leads to.  A file that is there is its device and its number on it, so
/// that links and other spellings of a path make no difference; one that is not there yet
/// is the folder that it would be in, and its name.
typedef struct KalFileId {
    uint64_t device;
    uint64_t number;
    char name[KAL_FILE_NAME_SIZE]; ///< "" for a file that is there
} KalFileId;

/// Find out what a path leads to; links are followed, also those that lead to nothing yet.
/// KAL_ERR_FILE when there is no such folder.
KAL_API KAL_CHECKED KalStatus kal_file_identify(KalContext *ctx, const char *path,
                                                KalFileId *out_id);

/// What an open descriptor reads or writes.  False when it is closed or no regular file,
/// so that nothing can be lost by writing to it twice.
KAL_API bool kal_file_identify_open(int descriptor, KalFileId *out_id);

/// Whether two are the same file.
KAL_API bool kal_file_is_same(const KalFileId *a, const KalFileId *b);

/// Open a regular file to read it.  Anything else (a folder, a pipe, a device) is refused,
/// without waiting for what it may have to say.  `folder`, unless NULL, is where the file
/// must be, or below, after all links; a link that is changed meanwhile does not lead
/// elsewhere.  The caller closes the descriptor.  KAL_ERR_FILE with the path and the reason.
KAL_API KAL_CHECKED KalStatus kal_file_open(KalContext *ctx, const char *path,
                                            const char *folder, int *out_descriptor);

/// Write a file, or write one anew: at any time it is the old one or all of the new one,
/// whatever happens.  It keeps its permissions, and a link to it is followed.  KAL_ERR_FILE
/// with the path and the reason, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_file_replace(KalContext *ctx, const char *path,
                                               const char *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The models of a folder: listed, read and saved by name.
///
/// Names are those that kal_guard_name() allows, from the folder on; for reading those that
/// kal_guard_file() allows.  After all links a file
/// is in the folder or it is not read; one that is a link is not written.  A file that is
/// saved is at any time the old one or all of the new one.

#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include "base/block.h"
#include "json/writer.h"

enum {
    KAL_TAG_SIZE = 64 ///< bytes of a version of a file
};

/// A version of a file: its time and size; "" for a file that is not there.
typedef struct KalTag {
    char text[KAL_TAG_SIZE];
} KalTag;

/// A model in a folder.
typedef struct KalFolderFile {
    const char *root; ///< an absolute path without links
    const char *name;
} KalFolderFile;

/// Write the names of all models in a folder and in folders of it, as an array of strings;
/// of very many, and without memory, only some.
void kal_folder_list(KalContext *ctx, const char *root, KalJsonWriter *writer);

/// Read a model, or a file that one uses, behind what the block holds.  KAL_ERR_FILE,
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_folder_read(KalContext *ctx, const KalFolderFile *file,
                                      KalBlock *text, KalTag *out_tag);

/// Read a file that a model uses; NULL, or why it cannot be read, which the context keeps.
const char *kal_folder_read_used(KalContext *ctx, const KalFolderFile *file,
                                 KalSink text);

/// Save a model.  `seen` is the version that the user has seen: when the file has another
/// by now, KAL_ERR_CONTRADICTION, and nothing is written.  NULL: whatever it is.
/// KAL_ERR_FILE, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_folder_save(KalContext *ctx, const KalFolderFile *file,
                                      const char *text, const char *seen,
                                      KalTag *out_tag);

#endif

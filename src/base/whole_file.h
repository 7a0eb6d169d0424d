// SPDX-License-Identifier: MIT

/// @file
/// Files that are whole or not there.
///
/// A file is written under a temporary name in its folder, `NAME.k3x9qz.part`, brought to
/// the disk, and then renamed.  So a file of the wanted name is at any time the old one or
/// all of the new one, whatever happens: a full disk, a signal, a loss of power.  A process
/// that is killed leaves at most the temporary file, whose ending no reader takes.
///
/// A new file gets the permissions that the umask leaves; one that replaces another gets
/// those of the other.  A symbolic link is followed.  Where the user may not write to the
/// existing file, it is not replaced, even if the folder would allow it.
///
/// Writing cannot fail visibly: the first failure is kept, what follows is dropped, and
/// closing tells.

#ifndef BASE_WHOLE_FILE_H
#define BASE_WHOLE_FILE_H

#include "base/block.h"
#include "base/files.h"

#include <kalaba/text.h>

/// A file that is being written.
typedef struct KalFile KalFile;

/// Begin to write a file.  The caller owns it; the path is borrowed until it is destroyed.
/// KAL_ERR_FILE with the path and the reason; KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_file_create(KalContext *ctx, const char *path,
                                      KalFile **out_file);

/// Forget a file.  Unless it was finished, all that was written is removed and the file
/// of that name, if there is one, stays as it was.  NULL is allowed.
void kal_file_destroy(KalFile *file);

/// Where to write: to the end of the file, which must not be closed.
KalSink kal_file_sink(KalFile *file);

/// The temporary name, for libraries that open files themselves; they close it again before
/// the file is closed.
const char *kal_file_temporary(const KalFile *file);

/// Bring what was written to the disk and close the file; it still has its temporary
/// name.  KAL_ERR_FILE with the path and the reason of the first failure.
KAL_CHECKED KalStatus kal_file_close(KalFile *file);

/// Give a closed file its name.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_file_finish(KalFile *file);

/// Write a file of an open folder at once, as kal_file_replace() does.  No link is followed:
/// what is called `name` in the folder is a regular file, or there is none.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_file_replace_in(KalContext *ctx, int folder, const char *name,
                                          const char *text, size_t length);

/// Read a file whole, behind what the block holds.  KAL_ERR_FILE; KAL_ERR_LIMIT when it
/// has more than `limit` bytes; KAL_ERR_NOMEM.  The caller clears the block in any case.
KAL_CHECKED KalStatus kal_file_read(KalContext *ctx, const char *path, size_t limit,
                                    KalBlock *block);

#endif

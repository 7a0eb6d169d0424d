// SPDX-License-Identifier: MIT

// A folder for the files of one request, removed with all that is in it, links not followed.

#include "studio/scratch.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEPTH = 4 // of folders in it: those of exports are not deeper
};

bool kal_scratch_make(KalScratch *scratch)
{
    assert(scratch->path[0] == '\0');
    (void)snprintf(scratch->path, sizeof scratch->path, "/tmp/kalaba-studio.%ld.XXXXXX",
                   (long)getpid());
    if (!mkdtemp(scratch->path)) {
        scratch->path[0] = '\0';
        return false;
    }
    return true;
}

// All that is in a folder.
// NOLINTNEXTLINE(misc-no-recursion): not deeper than DEPTH
static void empty(int parent, const char *name, int depth)
{
    assert(name && depth >= 0);
    const int folder =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = folder >= 0 ? fdopendir(folder) : NULL;
    const struct dirent *entry = NULL;
    while (list && (entry = readdir(list))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        if (unlinkat(folder, entry->d_name, 0) != 0 && depth < DEPTH) {
            empty(folder, entry->d_name, depth + 1);
            (void)unlinkat(folder, entry->d_name, AT_REMOVEDIR);
        }
    }
    if (list) {
        (void)closedir(list);
    } else if (folder >= 0) {
        (void)close(folder);
    }
}

void kal_scratch_clear(KalScratch *scratch)
{
    if (scratch->path[0] != '\0') {
        empty(AT_FDCWD, scratch->path, 0);
        (void)rmdir(scratch->path);
        scratch->path[0] = '\0';
    }
}

// SPDX-License-Identifier: MIT

// Files without a name: the name is removed as soon as there is a file (base/spool.h).

#include "base/spool.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

// A process that is killed between two calls leaves an empty file of such a name.
static const char SUFFIX[] = ".XXXXXX";

bool kal_spool_open(KalContext *ctx, const char *path, KalSpool *out_spool)
{
    const size_t size = strlen(path) + sizeof SUFFIX;
    char *name = (char *)kal_alloc(ctx, size, 1);
    if (!name) {
        return false;
    }
    (void)snprintf(name, size, "%s%s", path, SUFFIX);
    const int descriptor = mkstemp(name);
    if (descriptor >= 0) {
        (void)unlink(name);
        *out_spool = (KalSpool){.open = true, .descriptor = descriptor};
    }
    kal_free(ctx, name, size);
    return descriptor >= 0;
}

void kal_spool_close(KalSpool *spool)
{
    if (spool && spool->open) {
        close(spool->descriptor);
        *spool = (KalSpool){.open = false};
    }
}

uint64_t kal_spool_room(const KalSpool *spool)
{
    assert(spool->open);
    struct statvfs disk;
    return fstatvfs(spool->descriptor, &disk) == 0
               ? (uint64_t)disk.f_bavail * (uint64_t)disk.f_frsize
               : UINT64_MAX;
}

bool kal_spool_add(KalSpool *spool, const void *bytes, size_t size)
{
    assert(spool->open);
    const char *rest = (const char *)bytes;
    while (size > 0) {
        const ssize_t done = pwrite(spool->descriptor, rest, size, (off_t)spool->size);
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return false;
        }
        const size_t part = done > 0 ? (size_t)done : 0;
        rest += part;
        size -= part;
        spool->size += part;
    }
    return true;
}

bool kal_spool_get(const KalSpool *spool, uint64_t place, void *out_bytes, size_t size)
{
    assert(spool->open && place + size <= spool->size);
    char *rest = (char *)out_bytes;
    while (size > 0) {
        const ssize_t done = pread(spool->descriptor, rest, size, (off_t)place);
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return false;
        }
        const size_t part = done > 0 ? (size_t)done : 0;
        rest += part;
        size -= part;
        place += part;
    }
    return true;
}

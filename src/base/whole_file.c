// SPDX-License-Identifier: MIT

// glibc keeps realpath, which POSIX has since 2008, for those who ask for XSI.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
#define _XOPEN_SOURCE 700

// Files that are whole or not there: what is written goes into a file of another name in the
// same folder, which takes the place of the other only when all of it is on the disk (rename
// is atomic).  A link is followed first, so that what it leads to is replaced and the link
// stays.

#include "base/whole_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFER_SIZE = 1 << 16,
    NAME_SIZE = 255, // bytes of a name that common file systems take
    SUFFIX_LETTERS = 6,
    SUFFIX_SIZE = SUFFIX_LETTERS + 7, // ".k3x9qz.part" and the end
    ATTEMPTS = 100,
    PERMISSIONS = 0777
};

struct KalFile {
    KalContext *ctx;
    const char *path;   // as it was given, for messages
    int folder;         // that what follows begins at: AT_FDCWD, or one that is lent
    char *target;       // the same with links followed
    char *temporary;    // target with a suffix
    size_t target_size; // bytes of both, with the end
    size_t temporary_size;
    int descriptor; // -1 when closed
    bool created;   // there is a temporary file to remove
    int error;      // of the first failure, 0 for none
    size_t used;
    char buffer[BUFFER_SIZE];
};

static KalStatus fail(const KalFile *file, int error)
{
    return kal_file_fail(file->ctx, "write", file->path, error);
}

// Keep the first failure: those after it are its consequences.
static void note(KalFile *file, int error)
{
    if (file->error == 0) {
        file->error = error;
    }
}

static char *copy_text(KalContext *ctx, const char *text, size_t room)
{
    char *copy = kal_alloc(ctx, strlen(text) + room, 1);
    if (copy) {
        memcpy(copy, text, strlen(text) + 1);
    }
    return copy;
}

// Keep what is to be replaced.
static KalStatus set_target(KalFile *file, const char *target)
{
    file->target_size = strlen(target) + 1;
    file->target = copy_text(file->ctx, target, 1);
    file->temporary_size = file->target_size + SUFFIX_SIZE;
    file->temporary = copy_text(file->ctx, target, 1 + SUFFIX_SIZE);
    if (!file->target || !file->temporary) {
        return kal_no_memory(file->ctx, "to write a file");
    }
    return KAL_OK;
}

// What to replace: the file at the end of all links, or the path itself when there is
// none yet.  A missing folder shows when the temporary file is made.
static KalStatus find_target(KalFile *file)
{
    char resolved[PATH_MAX];
    const char *target = realpath(file->path, resolved);
    if (!target && errno != ENOENT) {
        return fail(file, errno);
    }
    return set_target(file, target ? target : file->path);
}

// The permissions that the temporary file begins with; what it replaces must be ours to
// write.
static KalStatus check_target(const KalFile *file, mode_t *out_old, bool *out_exists)
{
    struct stat old;
    const int how = file->folder == AT_FDCWD ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(file->folder, file->target, &old, how) != 0) {
        *out_exists = false;
        return KAL_OK;
    }
    if (S_ISDIR(old.st_mode)) {
        return fail(file, EISDIR);
    }
    if (!S_ISREG(old.st_mode)) {
        return kal_fail(file->ctx, KAL_ERR_FILE,
                        "cannot write %s: it is not a file but a device or the like",
                        kal_file_shown(file->path));
    }
    if (faccessat(file->folder, file->target, W_OK, 0) != 0) {
        return fail(file, errno);
    }
    *out_old = old.st_mode & PERMISSIONS;
    *out_exists = true;
    return KAL_OK;
}

// Letters that another process hardly uses at the same time; if it does, we try again.
static void print_suffix(const KalFile *file, uint64_t attempt, char *out_text)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    struct timespec now = {.tv_sec = 0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mix = (uint64_t)now.tv_sec * UINT64_C(1000000007) + (uint64_t)now.tv_nsec;
    mix ^= (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)file;
    mix = (mix + attempt) * UINT64_C(0x9e3779b97f4a7c15);
    mix ^= mix >> 29;
    *out_text++ = '.';
    for (int i = 0; i < SUFFIX_LETTERS; i++, mix /= 36) {
        *out_text++ = letters[mix % 36];
    }
    memcpy(out_text, ".part", 6);
}

// Where in the temporary path the suffix goes: at its end, or earlier when the name would
// become too long.
static char *suffix_place(const KalFile *file)
{
    char *slash = strrchr(file->temporary, '/');
    char *name = slash ? slash + 1 : file->temporary;
    const size_t length = strlen(name);
    const size_t longest = NAME_SIZE - (SUFFIX_SIZE - 1);
    return name + (length < longest ? length : longest);
}

// A new name in the same folder, with the rights of the file that it will replace.
static KalStatus open_temporary(KalFile *file)
{
    mode_t old = 0;
    bool exists = false;
    KAL_TRY(check_target(file, &old, &exists));
    const mode_t mode = exists
                            ? S_IRUSR | S_IWUSR
                            : S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
    char *suffix = suffix_place(file);
    int error = EEXIST;
    for (uint64_t i = 0; i < ATTEMPTS && error == EEXIST; i++) {
        print_suffix(file, i, suffix);
        file->descriptor = openat(file->folder, file->temporary,
                                  O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        error = file->descriptor < 0 ? errno : 0;
    }
    if (error == ENOENT) {
        return kal_fail(file->ctx, KAL_ERR_FILE,
                        "cannot write %s: the folder does not exist",
                        kal_file_shown(file->path));
    }
    if (error != 0) {
        return fail(file, error);
    }
    file->created = true;
    if (exists && fchmod(file->descriptor, old) != 0) {
        return fail(file, errno);
    }
    return KAL_OK;
}

// Begin to write a file; `folder` is AT_FDCWD, and links are followed, or the open folder
// that it is in, and they are not.
static KalStatus create_at(KalContext *ctx, int folder, const char *path,
                           KalFile **out_file)
{
    KalFile *file = KAL_NEW(ctx, KalFile);
    if (!file) {
        return kal_no_memory(ctx, "to write a file");
    }
    file->ctx = ctx;
    file->path = path;
    file->folder = folder;
    file->descriptor = -1;
    KalStatus status = folder == AT_FDCWD ? find_target(file) : set_target(file, path);
    if (status == KAL_OK) {
        status = open_temporary(file);
    }
    if (status != KAL_OK) {
        kal_file_destroy(file);
        return status;
    }
    *out_file = file;
    return KAL_OK;
}

KalStatus kal_file_create(KalContext *ctx, const char *path, KalFile **out_file)
{
    return create_at(ctx, AT_FDCWD, path, out_file);
}

void kal_file_destroy(KalFile *file)
{
    if (!file) {
        return;
    }
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    if (file->created) {
        (void)unlinkat(file->folder, file->temporary, 0);
    }
    kal_free(file->ctx, file->target, file->target_size);
    kal_free(file->ctx, file->temporary, file->temporary_size);
    kal_free(file->ctx, file, sizeof *file);
}

static void write_out(KalFile *file, const char *bytes, size_t size)
{
    while (size > 0 && file->error == 0) {
        const ssize_t done = write(file->descriptor, bytes, size);
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        } else if (done == 0 || errno != EINTR) {
            note(file, done == 0 ? ENOSPC : errno);
        }
    }
}

static void flush(KalFile *file)
{
    write_out(file, file->buffer, file->used);
    file->used = 0;
}

static void add(void *user, const char *bytes, size_t size)
{
    KalFile *file = user;
    assert(file && file->descriptor >= 0);
    if (size > BUFFER_SIZE - file->used) {
        flush(file);
    }
    if (size > BUFFER_SIZE) {
        write_out(file, bytes, size);
    } else {
        memcpy(file->buffer + file->used, bytes, size);
        file->used += size;
    }
}

KalSink kal_file_sink(KalFile *file)
{
    return (KalSink){.write = add, .user = file};
}

const char *kal_file_temporary(const KalFile *file)
{
    return file->temporary;
}

KalStatus kal_file_close(KalFile *file)
{
    assert(file->descriptor >= 0);
    flush(file);
    if (file->error == 0 && fsync(file->descriptor) != 0) {
        note(file, errno);
    }
    const int descriptor = file->descriptor;
    file->descriptor = -1;
    // Interrupted, it is closed all the same.
    if (close(descriptor) != 0 && errno != EINTR) {
        note(file, errno);
    }
    return file->error == 0 ? KAL_OK : fail(file, file->error);
}

// Bring the new name to the disk.  Some systems cannot, and the file is whole in any case.
static void sync_folder(const KalFile *file)
{
    if (file->folder != AT_FDCWD) {
        (void)fsync(file->folder);
        return;
    }
    char *slash = strrchr(file->target, '/');
    if (slash) {
        slash[slash == file->target] = '\0';
    }
    const int folder =
        open(slash ? file->target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

KalStatus kal_file_finish(KalFile *file)
{
    assert(file->descriptor < 0 && file->error == 0);
    if (renameat(file->folder, file->temporary, file->folder, file->target) != 0) {
        return fail(file, errno);
    }
    file->created = false;
    sync_folder(file);
    return KAL_OK;
}

static KalStatus read_all(KalContext *ctx, const char *path, int descriptor,
                          size_t limit, KalBlock *block)
{
    char buffer[BUFFER_SIZE];
    size_t left = limit;
    ssize_t got = 0;
    do {
        got = read(descriptor, buffer, sizeof buffer);
        if (got < 0 && errno != EINTR) {
            return kal_file_fail(ctx, "read", path, errno);
        }
        const size_t size = got > 0 ? (size_t)got : 0;
        if (size > left) {
            return kal_fail(ctx, KAL_ERR_LIMIT,
                            "cannot read %s: it has more than the %zu bytes allowed",
                            kal_file_shown(path), limit);
        }
        left -= size;
        KAL_TRY(kal_block_add(ctx, block, buffer, size));
    } while (got != 0);
    return KAL_OK;
}

KalStatus kal_file_read(KalContext *ctx, const char *path, size_t limit,
                        KalBlock *block)
{
    int descriptor = -1;
    KAL_TRY(kal_file_open(ctx, path, NULL, &descriptor));
    const KalStatus status = read_all(ctx, path, descriptor, limit, block);
    close(descriptor);
    return status;
}

// Fill a file that was begun, give it its name and destroy it.
static KalStatus fill(KalFile *file, const char *text, size_t length)
{
    assert(file);
    const KalSink sink = kal_file_sink(file);
    sink.write(sink.user, text, length);
    KalStatus status = kal_file_close(file);
    if (status == KAL_OK) {
        status = kal_file_finish(file);
    }
    kal_file_destroy(file);
    return status;
}

KalStatus kal_file_replace(KalContext *ctx, const char *path, const char *text,
                           size_t length)
{
    KAL_NEED(ctx, ctx && path && (text || length == 0));
    KalFile *file = NULL;
    KAL_TRY(create_at(ctx, AT_FDCWD, path, &file));
    return fill(file, text, length);
}

KalStatus kal_file_replace_in(KalContext *ctx, int folder, const char *name,
                              const char *text, size_t length)
{
    KAL_NEED(ctx, ctx && folder >= 0 && name && !strchr(name, '/'));
    KAL_NEED(ctx, text || length == 0);
    KalFile *file = NULL;
    KAL_TRY(create_at(ctx, folder, name, &file));
    return fill(file, text, length);
}

// SPDX-License-Identifier: MIT

// Files by what they are, not by what they are called: two paths may lead to one file, by
// links or by way of another folder, and a file that is not there yet is its folder and name.
// What is below a folder is opened part by part without following links, so that nothing can
// be swapped for a link in between (the classic race between check and use).

// glibc keeps realpath, which POSIX has since 2008, for those who ask for XSI.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
#define _XOPEN_SOURCE 700

#include "base/files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATH_SHOWN = 512, // bytes of a path that leave room for the rest of a message
    REASON_SIZE = 256,
    LINKS = 40, // as many as common systems follow
};

// Reading never waits, and a terminal that is opened does not become ours.
static const int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
static const int folder_flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

const char *kal_file_shown(const char *path)
{
    const size_t length = strlen(path);
    return path + (length > PATH_SHOWN ? length - PATH_SHOWN : 0);
}

// What people call it; NULL when the C library's words must do.
static const char *reason_of(int error)
{
    switch (error) {
    case ENOSPC: return "the disk is full";
    case EDQUOT: return "the quota of the disk is used up";
    case EFBIG: return "the file would be larger than is allowed here";
    case EACCES:
    case EPERM: return "no permission";
    case EROFS: return "the file system can only be read";
    case ENOENT: return "there is no such file or folder";
    case ENOTDIR: return "a part of the path is not a folder";
    case EISDIR: return "it is a folder";
    case ENAMETOOLONG: return "the name is too long";
    case ENXIO: return "it is no regular file, but a pipe, a device or the like";
    default: return NULL;
    }
}

KalStatus kal_file_fail(KalContext *ctx, const char *act, const char *path, int error)
{
    assert(ctx && act && path);
    char words[REASON_SIZE];
    const char *reason = reason_of(error);
    if (!reason) {
        reason = strerror_r(error, words, sizeof words) == 0 ? words : "unknown error";
    }
    return kal_fail(ctx, KAL_ERR_FILE, "cannot %s %s: %s", act, kal_file_shown(path),
                    reason);
}

// A file is its device and number there.
static void identify(const struct stat *status, KalFileId *out_id)
{
    *out_id = (KalFileId){.device = (uint64_t)status->st_dev,
                          .number = (uint64_t)status->st_ino};
}

bool kal_file_identify_open(int descriptor, KalFileId *out_id)
{
    struct stat status;
    if (!out_id || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
        return false;
    }
    identify(&status, out_id);
    return true;
}

bool kal_file_is_same(const KalFileId *a, const KalFileId *b)
{
    if (!(a && b)) {
        return false;
    }
    return a->device == b->device && a->number == b->number
           && strcmp(a->name, b->name) == 0;
}

// The folder of a path and the name in it; cuts the path in two.
static void split(char *path, const char **out_folder, const char **out_name)
{
    char *slash = strrchr(path, '/');
    *out_name = slash ? slash + 1 : path;
    *out_folder = !slash ? "." : slash == path ? "/" : path;
    if (slash) {
        *slash = '\0';
    }
}

// Put in place of a path what the link at its end says; 0, or a number of <errno.h>.
// Zero without a change: it is no link.
static int follow(char path[PATH_MAX], bool *out_followed)
{
    char target[PATH_MAX];
    assert(strlen(path) < PATH_MAX);
    const ssize_t length = readlink(path, target, sizeof target - 1);
    *out_followed = length >= 0;
    if (length < 0) {
        return 0;
    }
    target[length] = '\0';
    const char *slash = strrchr(path, '/');
    const size_t kept = target[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    if (kept + (size_t)length >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(path + kept, target, (size_t)length + 1);
    return 0;
}

// A file that is not there yet, by its folder and name.
static int identify_absent(char path[PATH_MAX], KalFileId *out_id)
{
    struct stat status;
    const char *folder = NULL;
    const char *name = NULL;
    bool followed = true;
    for (int i = 0; followed; i++) {
        const int error = i < LINKS ? follow(path, &followed) : ELOOP;
        if (error != 0) {
            return error;
        }
    }
    split(path, &folder, &name);
    if (stat(folder, &status) != 0) {
        return errno;
    }
    if (strlen(name) >= KAL_FILE_NAME_SIZE) {
        return ENAMETOOLONG;
    }
    identify(&status, out_id);
    memcpy(out_id->name, name, strlen(name) + 1);
    return 0;
}

// A file that is there is known by device and inode, one that is not by those of its
// folder, and its name.
KalStatus kal_file_identify(KalContext *ctx, const char *path, KalFileId *out_id)
{
    KAL_NEED(ctx, ctx && path && out_id);
    struct stat status;
    char copy[PATH_MAX];
    KalFileId id;
    int error = 0;
    if (stat(path, &status) == 0) {
        identify(&status, out_id);
        return KAL_OK;
    }
    if (errno == ENOENT && *path != '\0' && strlen(path) < sizeof copy) {
        memcpy(copy, path, strlen(path) + 1);
        error = identify_absent(copy, &id);
    } else {
        error = errno;
    }
    if (error == ENOENT) {
        return kal_fail(ctx, KAL_ERR_FILE, "cannot write %s: the folder does not exist",
                        kal_file_shown(path));
    }
    if (error != 0) {
        return kal_file_fail(ctx, "write", path, error);
    }
    *out_id = id;
    return KAL_OK;
}

// Where in a path what is below a folder begins, both without links: at its end if it is the
// folder itself; NULL: elsewhere.
static const char *find_below(const char *folder, const char *path)
{
    assert(folder && path);
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    const char *rest = path + length;
    if (strncmp(path, folder, length) != 0 || (*rest != '/' && *rest != '\0')) {
        return NULL;
    }
    return *rest == '/' ? rest + 1 : rest;
}

// Open a path that has no links, part by part from a folder, so that none is followed; the
// last part with the flags given.  The path is cut at its slashes.  A descriptor, or -1 with
// errno.
static int open_parts(const char *folder, char *path, int flags)
{
    int at = open(folder, folder_flags);
    for (char *part = *path ? path : NULL; part && at >= 0;) {
        char *slash = strchr(part, '/');
        if (slash) {
            *slash = '\0';
        }
        const int next = openat(at, part, (slash ? folder_flags : flags) | O_NOFOLLOW);
        const int error = errno;
        close(at);
        errno = error;
        at = next;
        part = slash ? slash + 1 : NULL;
    }
    return at;
}

// What is to be done with what is opened.
typedef struct Purpose {
    const char *act; // as kal_file_fail() tells it
    int flags;
} Purpose;

// The path with its links resolved has to be below the folder, resolved as well.
static KalStatus open_below(KalContext *ctx, const char *path, const char *folder,
                            const Purpose *purpose, int *out_descriptor)
{
    char top[PATH_MAX];
    char file[PATH_MAX];
    if (!realpath(folder, top) || !realpath(path, file)) {
        return kal_file_fail(ctx, purpose->act, path, errno);
    }
    const char *below = find_below(top, file);
    if (!below) {
        return kal_fail(ctx, KAL_ERR_FILE,
                        "cannot %s %s: a symbolic link leads out of the folder",
                        purpose->act, kal_file_shown(path));
    }
    assert(below > file && below <= file + strlen(file));
    const int descriptor = open_parts(top, file + (below - file), purpose->flags);
    if (descriptor < 0) {
        return kal_file_fail(ctx, purpose->act, path, errno);
    }
    *out_descriptor = descriptor;
    return KAL_OK;
}

KalStatus kal_file_open_folder(KalContext *ctx, const char *path, const char *folder,
                               int *out_descriptor)
{
    KAL_NEED(ctx, ctx && path && folder && out_descriptor);
    return open_below(ctx, path, folder, &(Purpose){"open", folder_flags},
                      out_descriptor);
}

KalStatus kal_file_open(KalContext *ctx, const char *path, const char *folder,
                        int *out_descriptor)
{
    KAL_NEED(ctx, ctx && path && out_descriptor);
    struct stat status;
    int descriptor = -1;
    assert(descriptor < 0);
    if (folder) {
        KAL_TRY(
            open_below(ctx, path, folder, &(Purpose){"read", read_flags}, &descriptor));
    } else {
        descriptor = open(path, read_flags);
    }
    if (descriptor < 0) {
        return kal_file_fail(ctx, "read", path, errno);
    }
    const int error = fstat(descriptor, &status) != 0 ? errno
                      : S_ISREG(status.st_mode)       ? 0
                      : S_ISDIR(status.st_mode)       ? EISDIR
                                                      : ENXIO;
    if (error != 0) {
        close(descriptor);
        return kal_file_fail(ctx, "read", path, error);
    }
    *out_descriptor = descriptor;
    return KAL_OK;
}

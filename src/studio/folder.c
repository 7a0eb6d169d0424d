// SPDX-License-Identifier: MIT

// Folders are walked with a list of those still to be looked at, so that none is too deep
// for the stack, and links to folders are not followed, so that none is seen twice.

// glibc keeps realpath, which POSIX has since 2008, for those who ask for XSI.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
#define _XOPEN_SOURCE 700

#include "studio/folder.h"

#include "base/whole_file.h"
#include "studio/guard.h"

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_LIMIT = 1000,
    FOLDERS_LIMIT = 200,
    TEXT_LIMIT = 16 << 20
};

// Names found so far, of files and of folders to look at.
typedef struct Walk {
    const char *root;
    char files[FILES_LIMIT][KAL_GUARD_NAME + 1];
    int n_files;
    char folders[FOLDERS_LIMIT][KAL_GUARD_NAME + 1];
    int n_folders;
} Walk;

static int compare(const void *a, const void *b)
{
    return strcmp((const char *)a, (const char *)b);
}

static void keep(Walk *walk, const char *name, mode_t mode)
{
    assert(name);
    const size_t length = strlen(name) + 1;
    if (S_ISDIR(mode) && walk->n_folders < FOLDERS_LIMIT) {
        memcpy(walk->folders[walk->n_folders++], name, length);
    } else if (S_ISREG(mode) && kal_guard_name(name) && walk->n_files < FILES_LIMIT) {
        memcpy(walk->files[walk->n_files++], name, length);
    }
}

// One folder: its models, and its folders for later.
static void look(Walk *walk, const char *folder)
{
    char path[PATH_MAX];
    char name[KAL_GUARD_NAME + 1];
    struct stat status;
    (void)snprintf(path, sizeof path, "%s/%s", walk->root, folder);
    DIR *stream = opendir(path);
    const struct dirent *entry = stream ? readdir(stream) : NULL;
    for (; entry; entry = readdir(stream)) {
        const int length = snprintf(name, sizeof name, "%s%s%s", folder,
                                    *folder ? "/" : "", entry->d_name);
        const int whole = snprintf(path, sizeof path, "%s/%s", walk->root, name);
        if (entry->d_name[0] != '.' && length < (int)sizeof name
            && whole < (int)sizeof path && lstat(path, &status) == 0) {
            keep(walk, name, status.st_mode);
        }
    }
    if (stream) {
        (void)closedir(stream);
    }
}

void kal_folder_list(KalContext *ctx, const char *root, KalJsonWriter *writer)
{
    Walk *walk = KAL_NEW(ctx, Walk);
    kal_json_write_begin(writer, '[');
    if (walk) {
        walk->root = root;
        look(walk, "");
        for (int i = 0; i < walk->n_folders; i++) {
            look(walk, walk->folders[i]);
        }
        qsort(walk->files, (size_t)walk->n_files, sizeof walk->files[0], compare);
        for (int i = 0; i < walk->n_files; i++) {
            kal_json_write_string(writer, walk->files[i]);
        }
    }
    kal_json_write_end(writer, ']');
    kal_free(ctx, walk, sizeof *walk);
}

static void make_tag(const struct stat *status, KalTag *out_tag)
{
    (void)snprintf(out_tag->text, sizeof out_tag->text, "%lld.%09ld-%lld",
                   (long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
                   (long long)status->st_size);
}

// Models are written; what they use is only read, whatever it is called.
static KalStatus find_path(KalContext *ctx, const KalFolderFile *file, bool model,
                           char out_path[PATH_MAX])
{
    const int length = snprintf(out_path, PATH_MAX, "%s/%s", file->root, file->name);
    const bool allowed =
        model ? kal_guard_name(file->name) : kal_guard_file(file->name);
    return allowed && length < PATH_MAX
               ? KAL_OK
               : kal_fail(
                   ctx, KAL_ERR_FILE,
                   "'%s' is not the name of a %s in this folder: %sno part of it "
                   "begins with a dot",
                   file->name, model ? "model" : "file",
                   model ? "it ends with .kal, and " : "");
}

static KalStatus read_all(KalContext *ctx, int descriptor, const char *name,
                          KalBlock *text)
{
    char bytes[16384];
    for (;;) {
        const ssize_t got = read(descriptor, bytes, sizeof bytes);
        if (got == 0) {
            return KAL_OK;
        }
        if (got < 0 || text->size + (size_t)got > TEXT_LIMIT) {
            return kal_fail(ctx, got < 0 ? KAL_ERR_FILE : KAL_ERR_LIMIT,
                            got < 0 ? "cannot read %s" : "%s is too long", name);
        }
        KAL_TRY(kal_block_add(ctx, text, bytes, (size_t)got));
    }
}

KalStatus kal_folder_read(KalContext *ctx, const KalFolderFile *file, KalBlock *text,
                          KalTag *out_tag)
{
    assert(file->root && file->name && text);
    assert(file && text && out_tag);
    char path[PATH_MAX];
    struct stat status;
    int descriptor = -1;
    KAL_TRY(find_path(ctx, file, false, path));
    KAL_TRY(kal_file_open(ctx, path, file->root, &descriptor));
    const bool known = fstat(descriptor, &status) == 0;
    const KalStatus result = read_all(ctx, descriptor, file->name, text);
    (void)close(descriptor);
    KAL_TRY(result);
    *out_tag = (KalTag){.text = ""};
    if (known) {
        make_tag(&status, out_tag);
    }
    return KAL_OK;
}

// The folder that a file is to be in is ours after all links, and the file is none.
static KalStatus check_place(KalContext *ctx, const KalFolderFile *file,
                             const char *path, KalTag *out_tag)
{
    char parent[PATH_MAX];
    char real[PATH_MAX];
    struct stat status;
    const size_t length = strlen(file->root);
    const char *slash = strrchr(path, '/');
    assert(slash);
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    const bool inside = realpath(parent, real) && strncmp(real, file->root, length) == 0
                        && (real[length] == '/' || real[length] == '\0');
    *out_tag = (KalTag){.text = ""};
    if (!inside) {
        return kal_fail(ctx, KAL_ERR_FILE, "%s is not in this folder", file->name);
    }
    if (lstat(path, &status) != 0) {
        return KAL_OK;
    }
    make_tag(&status, out_tag);
    return S_ISREG(status.st_mode)
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_FILE,
                          "%s is a link or no file; it is not written", file->name);
}

KalStatus kal_folder_save(KalContext *ctx, const KalFolderFile *file, const char *text,
                          const char *seen, KalTag *out_tag)
{
    assert(file && text && out_tag);
    assert(file->root && file->name);
    char path[PATH_MAX];
    KalTag now;
    struct stat status;
    KAL_TRY(find_path(ctx, file, true, path));
    KAL_TRY(check_place(ctx, file, path, &now));
    if (seen && strcmp(seen, now.text) != 0) {
        return kal_fail(ctx, KAL_ERR_CONTRADICTION, "%s has changed on the disk",
                        file->name);
    }
    KAL_TRY(kal_file_replace(ctx, path, text, strlen(text)));
    *out_tag = (KalTag){.text = ""};
    if (lstat(path, &status) == 0) {
        make_tag(&status, out_tag);
    }
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// Folders are walked with a list of those still to be looked at, so that none is too deep
// for the stack, and links to folders are not followed, so that none is seen twice.  A folder
// is opened once and then known by its descriptor: what its name leads to may change at any
// moment, by somebody who wants to be led out of it.

#include "studio/folder.h"

#include "base/files.h"
#include "base/whole_file.h"
#include "studio/guard.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
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

// Open a folder of ours by its name, "" for all of it.
static KalStatus open_folder(KalContext *ctx, const char *root, const char *name,
                             int *out_descriptor)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", root, name);
    return length < (int)sizeof path
               ? kal_file_open_folder(ctx, path, root, out_descriptor)
               : kal_fail(ctx, KAL_ERR_FILE, "the name of a folder is too long");
}

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

// An entry of an open folder, whose own name is given.
static void meet(Walk *walk, int descriptor, const char *folder, const char *entry)
{
    char name[KAL_GUARD_NAME + 1];
    struct stat status;
    const int length =
        snprintf(name, sizeof name, "%s%s%s", folder, *folder ? "/" : "", entry);
    if (entry[0] != '.' && length < (int)sizeof name
        && fstatat(descriptor, entry, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        keep(walk, name, status.st_mode);
    }
}

// One folder: its models, and its folders for later.
static void look(KalContext *ctx, Walk *walk, const char *folder)
{
    int descriptor = -1;
    if (open_folder(ctx, walk->root, folder, &descriptor) != KAL_OK) {
        return; // it is gone, or not ours to read
    }
    DIR *stream = fdopendir(descriptor);
    if (!stream) {
        (void)close(descriptor);
        return;
    }
    const struct dirent *entry = readdir(stream);
    for (; entry; entry = readdir(stream)) {
        meet(walk, descriptor, folder, entry->d_name);
    }
    (void)closedir(stream);
}

void kal_folder_list(KalContext *ctx, const char *root, KalJsonWriter *writer)
{
    Walk *walk = KAL_NEW(ctx, Walk);
    kal_json_write_begin(writer, '[');
    if (walk) {
        walk->root = root;
        look(ctx, walk, "");
        for (int i = 0; i < walk->n_folders; i++) {
            look(ctx, walk, walk->folders[i]);
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
static KalStatus check_name(KalContext *ctx, const char *name, bool model)
{
    const bool allowed = model ? kal_guard_name(name) : kal_guard_file(name);
    return allowed ? KAL_OK
                   : kal_fail(ctx, KAL_ERR_FILE,
                              "'%s' is not the name of a %s in this folder: %sno part "
                              "of it begins with a dot",
                              name, model ? "model" : "file",
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
    KAL_TRY(check_name(ctx, file->name, false));
    if (snprintf(path, sizeof path, "%s/%s", file->root, file->name) >= PATH_MAX) {
        return kal_fail(ctx, KAL_ERR_FILE, "the name of a file is too long");
    }
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

const char *kal_folder_read_used(KalContext *ctx, const KalFolderFile *file,
                                 KalSink text)
{
    KalBlock block = {.data = NULL};
    KalTag tag;
    const KalStatus status = kal_folder_read(ctx, file, &block, &tag);
    if (status == KAL_OK && block.size > 0) {
        text.write(text.user, (const char *)block.data, block.size);
    }
    kal_block_clear(ctx, &block);
    return status == KAL_OK ? NULL : kal_context_message(ctx);
}

// The place where a model is to be written: a folder, which is ours after all links, and
// stays the same one whatever becomes of its name, and the name in it.
typedef struct Place {
    int folder;
    const char *name;
} Place;

static KalStatus open_place(KalContext *ctx, const KalFolderFile *file,
                            Place *out_place)
{
    char parent[KAL_GUARD_NAME + 1];
    const char *slash = strrchr(file->name, '/');
    const int length = slash ? (int)(slash - file->name) : 0;
    assert(length < (int)sizeof parent);
    (void)snprintf(parent, sizeof parent, "%.*s", length, file->name);
    out_place->name = slash ? slash + 1 : file->name;
    return open_folder(ctx, file->root, parent, &out_place->folder);
}

// The version of what is there, which must not be a link.
static KalStatus find_version(KalContext *ctx, const KalFolderFile *file,
                              const Place *place, KalTag *out_tag)
{
    struct stat status;
    *out_tag = (KalTag){.text = ""};
    if (fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return KAL_OK;
    }
    make_tag(&status, out_tag);
    return S_ISREG(status.st_mode)
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_FILE,
                          "%s is a link or no file; it is not written", file->name);
}

// Write the text unless the user has seen another version.
static KalStatus save_at(KalContext *ctx, const KalFolderFile *file, const Place *place,
                         const char *text, const char *seen)
{
    KalTag now;
    KAL_TRY(find_version(ctx, file, place, &now));
    if (seen && strcmp(seen, now.text) != 0) {
        return kal_fail(ctx, KAL_ERR_CONTRADICTION, "%s has changed on the disk",
                        file->name);
    }
    return kal_file_replace_in(ctx, place->folder, place->name, text, strlen(text));
}

KalStatus kal_folder_save(KalContext *ctx, const KalFolderFile *file, const char *text,
                          const char *seen, KalTag *out_tag)
{
    assert(file && text && out_tag);
    assert(file->root && file->name);
    Place place = {.folder = -1};
    KalTag tag;
    KAL_TRY(check_name(ctx, file->name, true));
    KAL_TRY(open_place(ctx, file, &place));
    KalStatus result = save_at(ctx, file, &place, text, seen);
    if (result == KAL_OK) {
        result = find_version(ctx, file, &place, &tag);
    }
    (void)close(place.folder);
    KAL_TRY(result);
    *out_tag = tag;
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// A ZIP archive by libzip, which is loaded when it is needed.  It is made in memory and then
// written like any file of ours (base/whole_file.h).  All entries have the same time, so that
// the same model gives the same archive.

#include "base/foreign.h"
#include "base/whole_file.h"
#include "export/fmu.h"

#include <assert.h>
#include <zip.h>

#define FUNCTIONS(X)                    \
    X(zip_source_buffer_create)         \
    X(zip_source_buffer)                \
    X(zip_source_keep)                  \
    X(zip_source_free)                  \
    X(zip_source_open)                  \
    X(zip_source_read)                  \
    X(zip_source_close)                 \
    X(zip_open_from_source)             \
    X(zip_file_add)                     \
    X(zip_file_set_external_attributes) \
    X(zip_file_set_mtime)               \
    X(zip_close)                        \
    X(zip_discard)

// Members have the names of the functions.
typedef struct Zip {
#define MEMBER(name) __typeof__(name) *(name);
    FUNCTIONS(MEMBER)
#undef MEMBER
} Zip;

enum {
    READABLE = 0100644,        // a file that all may read
    FIRST_OF_1990 = 631152000, // seconds since 1970: the time of all entries
    PIECE = 1 << 16
};

static KalStatus open_library(KalContext *ctx, Zip *zip)
{
    static const char *const names[] = {"libzip.so.4", "libzip.so.5", NULL};
    static const KalForeignSymbol symbols[] = {
#define SYMBOL(name) {#name, offsetof(Zip, name)},
        FUNCTIONS(SYMBOL)
#undef SYMBOL
    };
    const KalForeign library = {.purpose = "FMUs",
                                .title = "libzip",
                                .package = "libzip4",
                                .names = names,
                                .room = (size_t)1 << 20};
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    return kal_foreign_bind(ctx, &library, handle, symbols,
                            sizeof symbols / sizeof symbols[0], zip);
}

static KalStatus fail(KalContext *ctx, const char *path)
{
    return kal_fail(ctx, KAL_ERR_FILE, "cannot make the archive %s: libzip failed",
                    kal_file_shown(path));
}

// Add a file, whose data stay where they are until the archive is closed.
static bool add(const Zip *zip, zip_t *archive, const KalFmuFile *file)
{
    zip_source_t *source = zip->zip_source_buffer(archive, file->data.data,
                                                  (zip_uint64_t)file->data.size, 0);
    if (!source) {
        return false;
    }
    const zip_int64_t place =
        zip->zip_file_add(archive, file->name, source, ZIP_FL_ENC_UTF_8);
    if (place < 0) {
        zip->zip_source_free(source);
        return false;
    }
    const zip_uint64_t at = (zip_uint64_t)place;
    return zip->zip_file_set_mtime(archive, at, FIRST_OF_1990, 0) == 0
           && zip->zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX,
                                                    (zip_uint32_t)READABLE << 16)
                  == 0;
}

// Put all files into an archive in memory.
static bool fill(const Zip *zip, zip_source_t *memory, const KalFmuFile *files,
                 size_t n_files)
{
    zip_t *archive = zip->zip_open_from_source(memory, ZIP_TRUNCATE, NULL);
    bool good = archive != NULL;
    for (size_t i = 0; i < n_files && good; i++) {
        good = add(zip, archive, &files[i]);
    }
    if (good && zip->zip_close(archive) == 0) {
        return true;
    }
    if (archive) {
        zip->zip_discard(archive);
    }
    return false;
}

// The archive lies in memory in pieces; they go into a file that gets its name when it is
// whole.
static KalStatus copy(KalContext *ctx, const Zip *zip, zip_source_t *memory,
                      const char *path)
{
    assert(zip && memory && path);
    KalFile *file = NULL;
    KAL_TRY(kal_file_create(ctx, path, &file));
    const KalSink sink = kal_file_sink(file);
    char piece[PIECE];
    zip_int64_t length = zip->zip_source_open(memory) == 0 ? 1 : -1;
    const bool opened = length > 0;
    while (length > 0) {
        length = zip->zip_source_read(memory, piece, sizeof piece);
        if (length > 0) {
            sink.write(sink.user, piece, (size_t)length);
        }
    }
    if (opened) {
        (void)zip->zip_source_close(memory);
    }
    KalStatus status = length == 0 ? kal_file_close(file) : fail(ctx, path);
    if (status == KAL_OK) {
        status = kal_file_finish(file);
    }
    kal_file_destroy(file);
    return status;
}

KalStatus kal_fmu_pack(KalContext *ctx, const char *path, const KalFmuFile *files,
                       size_t n_files)
{
    assert(ctx && path && files);
    Zip zip;
    KAL_TRY(open_library(ctx, &zip));
    zip_source_t *memory = zip.zip_source_buffer_create(NULL, 0, 0, NULL);
    if (!memory) {
        return fail(ctx, path);
    }
    zip.zip_source_keep(memory); // closing the archive gives one hold of it back
    const bool filled = fill(&zip, memory, files, n_files);
    const KalStatus status = filled ? copy(ctx, &zip, memory, path) : fail(ctx, path);
    zip.zip_source_free(memory);
    return status;
}

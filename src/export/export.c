// SPDX-License-Identifier: MIT

// The files of an export.  All are written under temporary names before the first gets its own
// (base/whole_file.h), so that a failure leaves what was there.  A file of the same name that
// has not our mark in its first line is somebody's own, and stays.

#include "base/whole_file.h"
#include "export/write.h"

#include <kalaba/export.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLDER_PERMISSIONS = 0777,
    MOST_FILE = 1 << 28 // bytes of a file that may be ours
};

// What is written, by the texts that it is made from.
static const struct {
    const char *text;
    const char *name; // NULL: that of the model
    const char *ending;
} FILES[KAL_EXPORT_FILES] = {
    {"header", NULL,             ".h"},
    {"source", NULL,             ".c"},
    {"main",   "main.c",         ""  },
    {"cmake",  "CMakeLists.txt", ""  },
    {"meson",  "meson.build",    ""  },
};

typedef struct Export {
    KalContext *ctx;
    KalArena *arena; // of paths
    const char *paths[KAL_EXPORT_FILES];
    KalFile *files[KAL_EXPORT_FILES];
    KalExportReport report;
} Export;

static KalStatus find_paths(Export *e, const char *folder, const char *name)
{
    for (int i = 0; i < KAL_EXPORT_FILES; i++) {
        const char *stem = FILES[i].name ? FILES[i].name : name;
        const size_t size = strlen(folder) + strlen(stem) + 8;
        char *path = kal_arena_alloc(e->arena, size, 1);
        if (!path) {
            return kal_no_memory(e->ctx, "for an export");
        }
        (void)snprintf(path, size, "%s/%s%s", folder, stem, FILES[i].ending);
        e->paths[i] = path;
    }
    return KAL_OK;
}

// Fail if there is a file that we did not write.
static KalStatus check_own(Export *e, const char *path)
{
    KalBlock block = {.data = NULL};
    struct stat found;
    if (stat(path, &found) != 0) {
        return KAL_OK; // what else is wrong shows when it is written
    }
    KalStatus status = kal_file_read(e->ctx, path, MOST_FILE, &block);
    if (status == KAL_OK) {
        const size_t mark = strlen(KAL_EXPORT_MARK);
        const char *text = (const char *)block.data;
        bool own = block.size == 0;
        for (size_t at = 0; at < 4 && at + mark <= block.size && !own; at++) {
            own = memcmp(text + at, KAL_EXPORT_MARK, mark) == 0;
        }
        if (!own) {
            status = kal_fail(e->ctx, KAL_ERR_FILE,
                              "%s is there, and was not written by 'export': choose "
                              "another folder, or move it away",
                              kal_file_shown(path));
        }
    }
    kal_block_clear(e->ctx, &block);
    return status;
}

static KalStatus write_file(Export *e, const KalExportPlan *plan, int i)
{
    KalPage page = kal_page(e->ctx);
    kal_export_write_file(plan, FILES[i].text, &page);
    KalStatus status = page.status;
    if (status == KAL_OK) {
        status = kal_file_create(e->ctx, e->paths[i], &e->files[i]);
    }
    if (status == KAL_OK) {
        const KalSink sink = kal_file_sink(e->files[i]);
        sink.write(sink.user, (const char *)page.block.data, page.block.size);
        e->report.bytes += i < 2 ? page.block.size : 0;
        status = kal_file_close(e->files[i]);
    }
    kal_page_clear(&page);
    return status;
}

static KalStatus write_all(Export *e, const KalExportPlan *plan)
{
    for (int i = 0; i < KAL_EXPORT_FILES; i++) {
        KAL_TRY(check_own(e, e->paths[i]));
    }
    for (int i = 0; i < KAL_EXPORT_FILES; i++) {
        KAL_TRY(write_file(e, plan, i));
    }
    for (int i = 0; i < KAL_EXPORT_FILES; i++) {
        KAL_TRY(kal_file_finish(e->files[i]));
    }
    return KAL_OK;
}

static void fill_report(Export *e, const KalExportPlan *plan)
{
    KalExportReport *r = &e->report;
    (void)snprintf(r->name, sizeof r->name, "%s", plan->name);
    r->work_bytes = kal_export_work_bytes(plan);
    r->operations = kal_export_operations(plan);
    r->at_most = kal_export_most_operations(plan);
    r->redundant = kal_export_is_redundant(plan);
}

// A folder that was made for nothing goes again.
static KalStatus export_to(Export *e, const KalExportPlan *plan, const char *folder)
{
    KAL_TRY(kal_arena_create(e->ctx, (size_t)1 << 20, &e->arena));
    KAL_TRY(find_paths(e, folder, plan->name));
    const bool made = mkdir(folder, FOLDER_PERMISSIONS) == 0;
    if (!made && errno != EEXIST) {
        return kal_file_fail(e->ctx, "make the folder", folder, errno);
    }
    const KalStatus status = write_all(e, plan);
    for (int i = 0; i < KAL_EXPORT_FILES; i++) {
        kal_file_destroy(e->files[i]);
    }
    if (status != KAL_OK && made) {
        (void)rmdir(folder);
    }
    return status;
}

// A plan is made, files are written from it, and the report says what they are.
KalStatus kal_export_c(KalContext *ctx, const KalSystem *system,
                       const KalExportOptions *options, const char *folder,
                       KalExportReport *out_report)
{
    KAL_NEED(ctx, ctx && system && folder && out_report);
    static const KalExportOptions none = {.name = NULL};
    Export e = {.ctx = ctx};
    KalExportPlan plan;
    KalStatus status =
        kal_export_plan_init(&plan, ctx, system, options ? options : &none, false);
    if (status == KAL_OK) {
        status = export_to(&e, &plan, folder);
    }
    if (status == KAL_OK) {
        fill_report(&e, &plan);
        *out_report = e.report;
    }
    kal_arena_destroy(e.arena);
    kal_export_plan_clear(&plan);
    return status;
}

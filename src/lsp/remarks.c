// SPDX-License-Identifier: MIT

#include "lsp/remarks.h"

#include "editor/answer.h"
#include "editor/place.h"
#include "json/member.h"
#include "studio/folder.h"

#include <kalaba/system.h>

#include <assert.h>
#include <limits.h>
#include <poll.h>
#include <string.h>

enum {
    TICK = 200 // milliseconds after which the clock is looked at
};

void kal_lsp_put_reason(KalJsonWriter *writer, const char *reason)
{
    static const KalSource nothing = {.name = "", .text = ""};
    kal_json_write_begin(writer, '{');
    kal_editor_put_range(writer, &nothing, 0, 0);
    kal_json_put_number(writer, "severity", 1);
    kal_json_put_text(writer, "source", "kalaba");
    kal_json_put_text(writer, "message", reason);
    kal_json_write_end(writer, '}');
}

typedef struct Remarks {
    KalJsonWriter *json;
    const KalSource *source;
} Remarks;

static void put_remark(void *user, const KalRemark *remark)
{
    const Remarks *remarks = (const Remarks *)user;
    const KalSource *source = remarks->source;
    KalJsonWriter *w = remarks->json;
    if (!remark->file || strcmp(remark->file, source->name) != 0) {
        return; // of another file, or of none
    }
    kal_json_write_begin(w, '{');
    kal_editor_put_range(
        w, source, kal_editor_remark_byte(source, remark->line, remark->column),
        kal_editor_remark_byte(source, remark->end_line, remark->end_column));
    kal_json_put_number(w, "severity",
                        strcmp(remark->kind, "error") == 0     ? 1
                        : strcmp(remark->kind, "warning") == 0 ? 2
                                                               : 3);
    kal_json_put_text(w, "source", "kalaba");
    kal_json_put_text(w, "message", remark->message);
    kal_json_write_end(w, '}');
}

// A file that a model uses: one of its folder.
typedef struct Use {
    KalContext *ctx;
    char folder[PATH_MAX];
} Use;

static const char *read_used(void *user, const char *path, KalSink text)
{
    const Use *use = (const Use *)user;
    const size_t length = strlen(use->folder);
    const bool inside = strncmp(path, use->folder, length) == 0 && path[length] == '/';
    const KalFolderFile file = {.root = use->folder,
                                .name = inside ? path + length + 1 : path};
    return kal_folder_read_used(use->ctx, &file, text);
}

// That a text cannot be loaded is what there is to tell.
static KalStatus load(KalContext *ctx, const KalSource *source, KalJsonWriter *writer)
{
    KalSystem *system = NULL;
    Remarks remarks = {.json = writer, .source = source};
    Use use = {.ctx = ctx};
    const char *slash = strrchr(source->name, '/');
    const size_t length = slash ? (size_t)(slash - source->name) : 0;
    memcpy(use.folder, source->name, length);
    const KalLoadOptions options = {.read = slash ? read_used : NULL,
                                    .user = &use,
                                    .remark = put_remark,
                                    .remark_user = &remarks};
    const KalStatus status = kal_system_load(ctx, source->name, source->text,
                                             source->length, &options, &system);
    kal_system_destroy(system);
    return status == KAL_ERR_NOMEM ? status : KAL_OK;
}

// What a child does.
typedef struct Task {
    KalContext *ctx;
    const KalSource *source;
} Task;

static void load_apart(void *user, KalSink sink)
{
    const Task *task = (const Task *)user;
    KalJsonWriter writer = {.sink = sink};
    if (load(task->ctx, task->source, &writer) != KAL_OK) {
        kal_lsp_put_reason(&writer, kal_context_message(task->ctx));
    }
}

// Until the child has ended, by itself or at its limits.
static void collect(KalChild *child, KalPage *list)
{
    char bytes[4096];
    while (!child->over) {
        struct pollfd wait = {.fd = child->pipe, .events = POLLIN};
        if (poll(&wait, 1, TICK) > 0) {
            kal_worker_read(child);
        }
        kal_worker_watch(child, kal_worker_clock());
        for (size_t n = 1; n > 0;) {
            n = kal_worker_take(child, bytes, sizeof bytes);
            kal_page_write(list, bytes, n);
        }
    }
}

KalStatus kal_lsp_find_remarks(const KalSource *source, const KalChildLimits *limits,
                               KalPage *list, const char **out_fate)
{
    assert(source && limits && list && out_fate);
    KalContext *ctx = list->ctx;
    if (limits->seconds == 0) {
        KalJsonWriter writer = {.sink = kal_page_sink(list)};
        return load(ctx, source, &writer);
    }
    KalChild child = {.pid = 0};
    Task task = {.ctx = ctx, .source = source};
    KAL_TRY(kal_worker_begin(&child, ctx, limits, load_apart, &task));
    collect(&child, list);
    *out_fate = child.fate;
    kal_worker_clear(&child);
    return KAL_OK;
}

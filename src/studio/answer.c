// SPDX-License-Identifier: MIT

// What a studio answers.  Every answer forbids what browsers might do with it beyond what
// the page of the studio does: to guess its type, to show it in a frame, to keep it, to tell
// its address, which holds the token, to others.

#include "json/member.h"
#include "show/page.h"
#include "studio/evaluate.h"
#include "studio/folder.h"
#include "studio/studio_impl.h"

#include <kalaba/version.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char JSON[] = "application/json; charset=utf-8";

static enum MHD_Result queue(KalStudioCall *call, unsigned status, const char *type,
                             struct MHD_Response *response)
{
    assert(status >= 100 && type);
    const KalHttpLibrary *http = &call->studio->http;
    const char *const headers[][2] = {
        {"Content-Type",                 type                                       },
        {"Content-Security-Policy",      "frame-ancestors 'none'; object-src 'none'"},
        {"X-Frame-Options",              "DENY"                                     },
        {"X-Content-Type-Options",       "nosniff"                                  },
        {"Referrer-Policy",              "no-referrer"                              },
        {"Cross-Origin-Resource-Policy", "same-origin"                              },
        {"Cross-Origin-Opener-Policy",   "same-origin"                              },
        {"Cache-Control",                "no-store"                                 },
    };
    if (!response) {
        return MHD_NO;
    }
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        (void)http->MHD_add_response_header(response, headers[i][0], headers[i][1]);
    }
    const enum MHD_Result result =
        http->MHD_queue_response(call->connection, status, response);
    http->MHD_destroy_response(response);
    return result;
}

enum MHD_Result kal_studio_reply(KalStudioCall *call, unsigned status, const char *type,
                                 const char *text, size_t length)
{
    return queue(call, status, type,
                 call->studio->http.MHD_create_response_from_buffer(
                     length, (void *)text, MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result reply_page(KalStudioCall *call, unsigned status, KalPage *page)
{
    const char *text = kal_page_text(page);
    const enum MHD_Result result =
        page->status == KAL_OK
            ? kal_studio_reply(call, status, JSON, text, strlen(text))
            : MHD_NO;
    kal_page_clear(page);
    return result;
}

enum MHD_Result kal_studio_refuse(KalStudioCall *call, unsigned status,
                                  const char *message)
{
    KalPage page = kal_page(call->studio->ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    kal_json_write_begin(&writer, '{');
    kal_json_put_text(&writer, "message", message);
    kal_json_write_end(&writer, '}');
    return reply_page(call, status, &page);
}

// The page has one gap, for the word by which its policy knows the styles that it makes.
static enum MHD_Result answer_page(KalStudioCall *call)
{
    static const char gap[] = "<!--kalaba:nonce-->";
    size_t length = 0;
    const char *text = kal_studio_page(&length);
    KalPage page = kal_page(call->studio->ctx);
    assert(text);
    for (const char *at = strstr(text, gap); at; at = strstr(text, gap)) {
        kal_page_write(&page, text, (size_t)(at - text));
        kal_page_string(&page, call->studio->nonce);
        text = at + sizeof gap - 1;
    }
    kal_page_string(&page, text);
    const char *whole = kal_page_text(&page);
    const enum MHD_Result result =
        page.status == KAL_OK ? kal_studio_reply(
            call, MHD_HTTP_OK, "text/html; charset=utf-8", whole, strlen(whole))
                              : MHD_NO;
    kal_page_clear(&page);
    return result;
}

static enum MHD_Result answer_files(KalStudioCall *call)
{
    const KalStudio *studio = call->studio;
    const char *slash = strrchr(studio->root, '/');
    KalPage page = kal_page(studio->ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    kal_json_write_begin(&writer, '{');
    kal_json_put_text(&writer, "version", kal_version());
    kal_json_put_text(&writer, "folder", slash && slash[1] ? slash + 1 : studio->root);
    kal_json_put_text(&writer, "first", studio->first);
    kal_json_write_key(&writer, "files");
    kal_folder_list(studio->ctx, studio->root, &writer);
    kal_json_write_end(&writer, '}');
    return reply_page(call, MHD_HTTP_OK, &page);
}

static enum MHD_Result answer_examples(KalStudioCall *call)
{
    int count = 0;
    const KalLibraryModel *table = kal_example_table(&count);
    KalPage page = kal_page(call->studio->ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    kal_json_write_begin(&writer, '[');
    for (int i = 0; i < count; i++) {
        kal_json_write_begin(&writer, '{');
        kal_json_put_text(&writer, "name", table[i].name);
        kal_json_put_text(&writer, "text", table[i].text);
        kal_json_write_end(&writer, '}');
    }
    kal_json_write_end(&writer, ']');
    return reply_page(call, MHD_HTTP_OK, &page);
}

// A failure with a file: not there, not allowed, changed meanwhile.
static enum MHD_Result refuse_file(KalStudioCall *call, KalStatus status)
{
    return kal_studio_refuse(
        call, status == KAL_ERR_CONTRADICTION ? MHD_HTTP_CONFLICT : MHD_HTTP_NOT_FOUND,
        kal_context_message(call->studio->ctx));
}

static enum MHD_Result answer_file(KalStudioCall *call)
{
    KalStudio *studio = call->studio;
    const char *name = NULL;
    size_t length = 0;
    const bool given = studio->http.MHD_lookup_connection_value_n(
                           call->connection, MHD_GET_ARGUMENT_KIND, "name", 4, &name,
                           &length)
                           == MHD_YES
                       && name && strlen(name) == length // no NUL within
                       && kal_guard_name(name);
    if (!given) {
        return kal_studio_refuse(
            call, MHD_HTTP_NOT_FOUND,
            "this is not the name of a model in this folder: it ends with "
            ".kal, and no part of it begins with a dot");
    }
    const KalFolderFile file = {.root = studio->root, .name = name};
    KalBlock text = {.data = NULL};
    KalTag tag;
    KalStatus status = kal_folder_read(studio->ctx, &file, &text, &tag);
    status = status == KAL_OK ? kal_block_add(studio->ctx, &text, "", 1) : status;
    if (status != KAL_OK) {
        kal_block_clear(studio->ctx, &text);
        return refuse_file(call, status);
    }
    KalPage page = kal_page(studio->ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    kal_json_write_begin(&writer, '{');
    kal_json_put_text(&writer, "name", file.name);
    kal_json_put_text(&writer, "text", (const char *)text.data);
    kal_json_put_text(&writer, "tag", tag.text);
    kal_json_write_end(&writer, '}');
    kal_block_clear(studio->ctx, &text);
    return reply_page(call, MHD_HTTP_OK, &page);
}

static enum MHD_Result answer_save(KalStudioCall *call)
{
    KalStudio *studio = call->studio;
    const KalStudioRequest *request = &call->request;
    const KalFolderFile file = {.root = studio->root, .name = request->name};
    KalTag tag;
    if (!file.name) {
        return kal_studio_refuse(call, MHD_HTTP_BAD_REQUEST, "no name of a model");
    }
    const KalStatus status =
        kal_folder_save(studio->ctx, &file, request->text, request->seen, &tag);
    if (status != KAL_OK) {
        return refuse_file(call, status);
    }
    KalPage page = kal_page(studio->ctx);
    KalJsonWriter writer = {.sink = kal_page_sink(&page)};
    kal_json_write_begin(&writer, '{');
    kal_json_put_text(&writer, "tag", tag.text);
    kal_json_write_end(&writer, '}');
    return reply_page(call, MHD_HTTP_OK, &page);
}

// Read the body of a POST; false after an answer.
static bool read_request(KalStudioCall *call, enum MHD_Result *out_result)
{
    KalContext *ctx = call->studio->ctx;
    const KalStatus status = kal_studio_request_init(
        &call->request, ctx, (const char *)call->body.data, call->body.size);
    if (status != KAL_OK) {
        *out_result =
            kal_studio_refuse(call, MHD_HTTP_BAD_REQUEST, kal_context_message(ctx));
    }
    return status == KAL_OK;
}

enum MHD_Result kal_studio_answer(KalStudioCall *call, const char *method)
{
    static const struct {
        const char *method;
        const char *route;
        enum MHD_Result (*answer)(KalStudioCall *call);
    } routes[] = {
        {"GET",  "",         answer_page        },
        {"GET",  "files",    answer_files       },
        {"GET",  "file",     answer_file        },
        {"GET",  "examples", answer_examples    },
        {"POST", "save",     answer_save        },
        {"POST", "evaluate", kal_studio_evaluate},
    };
    enum MHD_Result result = MHD_NO;
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (strcmp(method, routes[i].method) == 0
            && strcmp(call->route, routes[i].route) == 0) {
            const bool posted = method[0] == 'P';
            return posted && !read_request(call, &result) ? result
                                                          : routes[i].answer(call);
        }
    }
    return kal_studio_refuse(call, MHD_HTTP_NOT_FOUND, "there is nothing here");
}

// Work.

// Hands on what the worker has written; waits where it has written nothing.
static ssize_t read_work(void *user, uint64_t position, char *bytes, size_t most)
{
    assert(bytes && most > 0);
    KalStudioCall *call = (KalStudioCall *)user;
    (void)position; // answers are read from their beginning on
    const size_t n = kal_worker_take(&call->worker, bytes, most);
    if (n > 0) {
        return (ssize_t)n;
    }
    if (!call->worker.over) {
        call->waits = true;
        call->studio->http.MHD_suspend_connection(call->connection);
        return 0;
    }
    if (call->worker.fate && !call->fated) {
        call->fated = true;
        const int length =
            snprintf(bytes, most,
                     "\n{\"error\":{\"task\":\"limit\",\"message\":\"%s\","
                     "\"names\":[]}}\n",
                     call->worker.fate);
        return length > 0 && (size_t)length < most ? length : 0;
    }
    return MHD_CONTENT_READER_END_OF_STREAM;
}

// A page has one computation at a time: a new one ends that before.
static int end_others(const KalStudioCall *call)
{
    int at_work = 0;
    for (KalStudioCall *other = call->studio->calls; other; other = other->next) {
        if (other != call && other->worker.pid > 0
            && strcmp(other->request.client, call->request.client) == 0) {
            kal_worker_end(&other->worker, "cancelled");
        }
        at_work += other->worker.pid > 0;
    }
    return at_work;
}

enum MHD_Result kal_studio_evaluate(KalStudioCall *call)
{
    KalStudio *studio = call->studio;
    KalAssignment evaluation = {.request = &call->request, .root = studio->root};
    const KalChildLimits limits = {.seconds = studio->options.seconds,
                                   .megabytes = studio->options.megabytes};
    call->request.name = call->request.name ? call->request.name : "model.kal";
    if (!kal_guard_name(call->request.name)) {
        return kal_studio_refuse(call, MHD_HTTP_BAD_REQUEST, "no name of a model");
    }
    if ((call->request.tasks & KAL_TASKS_WITH_FILES) != 0) {
        if (!kal_scratch_make(&call->scratch)) {
            return kal_studio_refuse(call, MHD_HTTP_SERVICE_UNAVAILABLE,
                                     "cannot make a folder in /tmp for the file");
        }
        evaluation.scratch = call->scratch.path;
    }
    if (end_others(call) >= KAL_STUDIO_WORKERS) {
        return kal_studio_refuse(call, MHD_HTTP_SERVICE_UNAVAILABLE,
                                 "too much is being computed already");
    }
    if (kal_worker_begin(&call->worker, studio->ctx, &limits, kal_evaluate, &evaluation)
        != KAL_OK) {
        return kal_studio_refuse(call, MHD_HTTP_SERVICE_UNAVAILABLE,
                                 kal_context_message(studio->ctx));
    }
    return queue(call, MHD_HTTP_OK, "application/x-ndjson; charset=utf-8",
                 studio->http.MHD_create_response_from_callback(
                     MHD_SIZE_UNKNOWN, 1 << 16, read_work, call, NULL));
}

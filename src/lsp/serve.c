// SPDX-License-Identifier: MIT

// The server: reads messages one after the other, keeps the texts that are open, and answers.
//
// Diagnostics are sent whenever a text is opened or changed.

#include "editor/answer.h"
#include "json/member.h"
#include "lang/source.h"
#include "lsp/input.h"
#include "lsp/remarks.h"

#include <kalaba/lsp.h>
#include <kalaba/version.h>

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum {
    TEXTS_LIMIT = 64 // open at a time; of more the oldest is forgotten
};

// A text that is open.
typedef struct Text {
    char *uri; // NULL: none
    KalSource *source;
} Text;

typedef struct Server {
    KalContext *ctx;
    KalSink out;
    KalChildLimits limits; // of the work on one text
    Text texts[TEXTS_LIMIT];
    int next;    // the one that is forgotten when another comes
    bool closed; // shutdown was said
    bool ended;  // exit was said
} Server;

// Documents.

static void forget(Server *server, Text *text)
{
    if (text->uri) {
        kal_free(server->ctx, text->uri, strlen(text->uri) + 1);
    }
    kal_source_destroy(server->ctx, text->source);
    *text = (Text){.uri = NULL};
}

static Text *find_text(Server *server, const char *uri)
{
    for (int i = 0; uri && i < TEXTS_LIMIT; i++) {
        Text *text = &server->texts[i];
        if (text->uri && strcmp(text->uri, uri) == 0) {
            return text;
        }
    }
    return NULL;
}

static unsigned digit_of(char c)
{
    return isdigit((unsigned char)c) ? (unsigned)(c - '0')
                                     : (unsigned)(tolower((unsigned char)c) - 'a') + 10;
}

// The path of a file that an address names, which messages and `use` need; "model" for other
// addresses, and for those that are too long.
static void find_path(const char *uri, char out_path[PATH_MAX])
{
    static const char scheme[] = "file://";
    size_t length = 0;
    unsigned byte = 0;
    const bool file = strncmp(uri, scheme, sizeof scheme - 1) == 0;
    for (const char *c = uri + (file ? sizeof scheme - 1 : 0);
         file && *c && length < PATH_MAX - 1; c++) {
        const bool coded = c[0] == '%' && isxdigit((unsigned char)c[1])
                           && isxdigit((unsigned char)c[2]);
        byte = coded ? 16 * digit_of(c[1]) + digit_of(c[2]) : (unsigned char)*c;
        c += coded ? 2 : 0;
        out_path[length++] = (char)byte;
    }
    out_path[length] = '\0';
    if (out_path[0] != '/' || strlen(out_path) != length) {
        memcpy(out_path, "model", sizeof "model");
    }
}

// Where a text is kept or will be: in its place, in one that is free, in that of the oldest.
static Text *find_place(Server *server, const char *uri)
{
    Text *text = find_text(server, uri);
    for (int i = 0; !text && i < TEXTS_LIMIT; i++) {
        text = server->texts[i].uri ? NULL : &server->texts[i];
    }
    if (!text) {
        text = &server->texts[server->next];
        server->next = (server->next + 1) % TEXTS_LIMIT;
    }
    return text;
}

// A text that cannot be kept is one that is not open, whatever was known of it.
static KalStatus keep_text(Server *server, const KalEditorMessage *message,
                           Text **out_text)
{
    char path[PATH_MAX];
    const char *uri = message->uri;
    Text *text = find_place(server, uri);
    Text news = {.uri = (char *)kal_alloc(server->ctx, strlen(uri) + 1, 1)};
    forget(server, text);
    if (!news.uri) {
        return kal_no_memory(server->ctx, "for a text");
    }
    memcpy(news.uri, uri, strlen(uri) + 1);
    find_path(uri, path);
    const KalStatus status = kal_source_create(server->ctx, path, message->text,
                                               message->text_length, &news.source);
    if (status != KAL_OK) {
        forget(server, &news);
        return status;
    }
    *out_text = text;
    *text = news;
    return KAL_OK;
}

// Answers.

// A message is put together on a page, for its length comes first.
typedef struct Letter {
    KalPage page;
    KalJsonWriter json;
} Letter;

static void begin_letter(const Server *server, Letter *letter)
{
    letter->page = kal_page(server->ctx);
    letter->json = (KalJsonWriter){.sink = kal_page_sink(&letter->page)};
    kal_json_write_begin(&letter->json, '{');
    kal_json_put_text(&letter->json, "jsonrpc", "2.0");
}

static KalStatus send(const Server *server, Letter *letter)
{
    kal_json_write_end(&letter->json, '}');
    const KalStatus status = letter->page.status;
    if (status == KAL_OK) {
        const char *body = kal_page_text(&letter->page);
        KalPage whole = kal_page(server->ctx);
        kal_page_format(&whole, "Content-Length: %zu\r\n\r\n", strlen(body));
        kal_page_string(&whole, body);
        kal_page_clear(&letter->page);
        return kal_page_finish(&whole, server->out);
    }
    kal_page_clear(&letter->page);
    return status;
}

// The beginning of an answer, up to its result.
static void begin_answer(const Server *server, const KalEditorMessage *message,
                         Letter *letter)
{
    begin_letter(server, letter);
    kal_json_write_key(&letter->json, "id");
    kal_page_string(&letter->page, message->id ? message->id : "null");
    letter->json.comma = true;
}

static KalStatus answer_error(Server *server, const KalEditorMessage *message, int code,
                              const char *words)
{
    Letter letter;
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "error");
    kal_json_write_begin(&letter.json, '{');
    kal_json_put_number(&letter.json, "code", code);
    kal_json_put_text(&letter.json, "message", words);
    kal_json_write_end(&letter.json, '}');
    return send(server, &letter);
}

static KalStatus answer_null(Server *server, const KalEditorMessage *message)
{
    Letter letter;
    begin_answer(server, message, &letter);
    kal_json_put_text(&letter.json, "result", NULL);
    return send(server, &letter);
}

static KalStatus answer_initialize(Server *server, const KalEditorMessage *message)
{
    Letter letter;
    KalJsonWriter *w = &letter.json;
    begin_answer(server, message, &letter);
    kal_json_write_key(w, "result");
    kal_json_write_begin(w, '{');
    kal_json_write_key(w, "capabilities");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "textDocumentSync", 1);
    kal_json_write_key(w, "completionProvider");
    kal_json_write_begin(w, '{');
    kal_json_write_end(w, '}');
    kal_json_put_bool(w, "hoverProvider", true);
    kal_json_put_bool(w, "definitionProvider", true);
    kal_json_put_bool(w, "documentFormattingProvider", true);
    kal_json_write_end(w, '}');
    kal_json_write_key(w, "serverInfo");
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "name", "kalaba");
    kal_json_put_text(w, "version", kal_version());
    kal_json_write_end(w, '}');
    kal_json_write_end(w, '}');
    return send(server, &letter);
}

// Diagnostics.

// The beginning of diagnostics of a text, up to their list.
static void begin_remarks(const Server *server, const char *uri, Letter *letter)
{
    begin_letter(server, letter);
    kal_json_put_text(&letter->json, "method", "textDocument/publishDiagnostics");
    kal_json_write_key(&letter->json, "params");
    kal_json_write_begin(&letter->json, '{');
    kal_json_put_text(&letter->json, "uri", uri);
    kal_json_write_key(&letter->json, "diagnostics");
    kal_json_write_begin(&letter->json, '[');
}

static KalStatus send_remarks(const Server *server, Letter *letter)
{
    kal_json_write_end(&letter->json, ']');
    kal_json_write_end(&letter->json, '}');
    return send(server, letter);
}

// Of a text that is not open: nothing, so that no mark stays, or why it is not.
static KalStatus publish_reason(const Server *server, const char *uri,
                                const char *reason)
{
    Letter letter;
    begin_remarks(server, uri, &letter);
    if (reason) {
        kal_lsp_put_reason(&letter.json, reason);
    }
    return send_remarks(server, &letter);
}

static KalStatus publish_list(const Server *server, const Text *text, KalPage *list)
{
    Letter letter;
    KAL_TRY(list->status);
    begin_remarks(server, text->uri, &letter);
    kal_page_string(&letter.page, kal_page_text(list));
    return send_remarks(server, &letter);
}

static KalStatus publish(const Server *server, const Text *text)
{
    KalPage list = kal_page(server->ctx);
    const char *fate = NULL;
    KalStatus status =
        kal_lsp_find_remarks(text->source, &server->limits, &list, &fate);
    if (status == KAL_OK) {
        status = fate ? publish_reason(server, text->uri, fate)
                      : publish_list(server, text, &list);
    }
    kal_page_clear(&list);
    return status;
}

static KalStatus take_text(Server *server, const KalEditorMessage *message)
{
    Text *text = NULL;
    if (!message->uri || !message->text) {
        return KAL_OK;
    }
    const KalStatus status = keep_text(server, message, &text);
    if (status == KAL_ERR_LIMIT) {
        return publish_reason(server, message->uri, kal_context_message(server->ctx));
    }
    return text ? publish(server, text) : status;
}

// Questions about a place.

static KalStatus answer_question(Server *server, const KalEditorMessage *message)
{
    const Text *text = find_text(server, message->uri);
    Letter letter;
    if (!text) {
        return answer_error(server, message, -32602, "this text is not open");
    }
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "result");
    const KalStatus status =
        kal_editor_answer(server->ctx, text->source, message, &letter.json);
    if (status != KAL_OK) {
        kal_page_clear(&letter.page);
        return status;
    }
    return send(server, &letter);
}

// Serving.

static KalStatus handle_note(Server *server, const KalEditorMessage *message)
{
    const char *method = message->method;
    if (strcmp(method, "exit") == 0) {
        server->ended = true;
    } else if (strcmp(method, "textDocument/didOpen") == 0
               || strcmp(method, "textDocument/didChange") == 0) {
        return take_text(server, message);
    } else if (strcmp(method, "textDocument/didClose") == 0) {
        Text *text = find_text(server, message->uri);
        if (text) {
            forget(server, text);
            return publish_reason(server, message->uri, NULL);
        }
    }
    return KAL_OK;
}

static KalStatus handle(Server *server, const KalEditorMessage *message)
{
    if (!message->method) {
        return KAL_OK; // an answer to something that we did not ask
    }
    if (!message->id) {
        return handle_note(server, message);
    }
    if (strcmp(message->method, "initialize") == 0) {
        return answer_initialize(server, message);
    }
    if (strcmp(message->method, "shutdown") == 0) {
        server->closed = true;
        return answer_null(server, message);
    }
    return kal_editor_knows(message->method)
               ? answer_question(server, message)
               : answer_error(server, message, -32601, "there is no such method here");
}

// What is no JSON, or too much for a message, is answered; the next message is another one.
static KalStatus handle_bytes(Server *server, const KalBlock *body)
{
    KalEditorMessage message;
    KalStatus status = kal_editor_message_init(&message, server->ctx,
                                               (const char *)body->data, body->size);
    if (status == KAL_OK) {
        status = handle(server, &message);
    } else if (status != KAL_ERR_NOMEM) {
        message.id = NULL;
        status =
            answer_error(server, &message, -32700, kal_context_message(server->ctx));
    }
    kal_editor_message_clear(&message);
    return status;
}

static KalStatus serve(Server *server, KalLspInput *input, KalBlock *body)
{
    bool there = true;
    while (!server->ended) {
        KAL_TRY(kal_lsp_read(input, body, &there));
        if (!there) {
            break;
        }
        KAL_TRY(handle_bytes(server, body));
    }
    return server->closed ? KAL_OK
                          : kal_fail(server->ctx, KAL_ERR_USAGE,
                                     "the editor ended without a shutdown");
}

KalStatus kal_lsp_serve(KalContext *ctx, const KalLspChannel *channel)
{
    KAL_NEED(ctx, ctx && channel && channel->read && channel->write.write);
    Server *server = KAL_NEW(ctx, Server);
    KalBlock body = {.data = NULL};
    if (!server) {
        return kal_no_memory(ctx, "for a server");
    }
    server->ctx = ctx;
    server->out = channel->write;
    server->limits =
        (KalChildLimits){.seconds = channel->seconds, .megabytes = channel->megabytes};
    KalLspInput input = {.ctx = ctx, .channel = channel};
    const KalStatus status = serve(server, &input, &body);
    for (int i = 0; i < TEXTS_LIMIT; i++) {
        forget(server, &server->texts[i]);
    }
    kal_block_clear(ctx, &body);
    kal_free(ctx, server, sizeof *server);
    return status;
}

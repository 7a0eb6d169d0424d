// SPDX-License-Identifier: MIT

// The server: reads messages one after the other, keeps the texts that are open, and answers.
//
// Diagnostics are those of loading the model, from text to programs; they are sent whenever a
// text is opened or changed.  Names, their kinds and units come from the tokens of the text, so
// that there is an answer while a statement is half written.

#include "json/member.h"
#include "lang/declared.h"
#include "lang/lexer.h"
#include "lang/source.h"
#include "lsp/message.h"
#include "lsp/place.h"
#include "show/page.h"
#include "studio/folder.h"
#include "studio/hints.h"

#include <kalaba/format.h>
#include <kalaba/lsp.h>
#include <kalaba/system.h>
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

static KalStatus keep_text(Server *server, const char *uri, const char *words,
                           Text **out_text)
{
    char path[PATH_MAX];
    Text *text = find_text(server, uri);
    text = text ? text : &server->texts[server->next++ % TEXTS_LIMIT];
    forget(server, text);
    text->uri = (char *)kal_alloc(server->ctx, strlen(uri) + 1, 1);
    if (!text->uri) {
        return kal_no_memory(server->ctx, "for a text");
    }
    memcpy(text->uri, uri, strlen(uri) + 1);
    find_path(uri, path);
    KAL_TRY(kal_source_create(server->ctx, path, words, strlen(words), &text->source));
    *out_text = text;
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
static void begin_answer(const Server *server, const KalLspMessage *message,
                         Letter *letter)
{
    begin_letter(server, letter);
    kal_json_write_key(&letter->json, "id");
    kal_page_string(&letter->page, message->id ? message->id : "null");
    letter->json.comma = true;
}

static void put_place(KalJsonWriter *w, const char *key, KalLspPlace place)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "line", place.line);
    kal_json_put_number(w, "character", place.character);
    kal_json_write_end(w, '}');
}

static void put_range(KalJsonWriter *w, const KalSource *source, uint32_t begin,
                      uint32_t end)
{
    kal_json_write_key(w, "range");
    kal_json_write_begin(w, '{');
    put_place(w, "start", kal_lsp_place(source, begin));
    put_place(w, "end", kal_lsp_place(source, end));
    kal_json_write_end(w, '}');
}

static KalStatus answer_error(Server *server, const KalLspMessage *message, int code,
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

static KalStatus answer_null(Server *server, const KalLspMessage *message)
{
    Letter letter;
    begin_answer(server, message, &letter);
    kal_json_put_text(&letter.json, "result", NULL);
    return send(server, &letter);
}

static KalStatus answer_initialize(Server *server, const KalLspMessage *message)
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
    put_range(w, source, kal_lsp_remark_byte(source, remark->line, remark->column),
              kal_lsp_remark_byte(source, remark->end_line, remark->end_column));
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
    KalBlock block = {.data = NULL};
    KalTag tag;
    const KalStatus status = kal_folder_read(use->ctx, &file, &block, &tag);
    if (status == KAL_OK && block.size > 0) {
        text.write(text.user, (const char *)block.data, block.size);
    }
    kal_block_clear(use->ctx, &block);
    return status == KAL_OK ? NULL : kal_context_message(use->ctx);
}

// That a text cannot be loaded is what there is to tell.
static KalStatus publish(Server *server, const Text *text)
{
    Letter letter;
    KalSystem *system = NULL;
    begin_letter(server, &letter);
    kal_json_put_text(&letter.json, "method", "textDocument/publishDiagnostics");
    kal_json_write_key(&letter.json, "params");
    kal_json_write_begin(&letter.json, '{');
    kal_json_put_text(&letter.json, "uri", text->uri);
    kal_json_write_key(&letter.json, "diagnostics");
    kal_json_write_begin(&letter.json, '[');
    Remarks remarks = {.json = &letter.json, .source = text->source};
    Use use = {.ctx = server->ctx};
    const char *slash = strrchr(text->source->name, '/');
    const size_t length = slash ? (size_t)(slash - text->source->name) : 0;
    memcpy(use.folder, text->source->name, length);
    const KalLoadOptions options = {.read = slash ? read_used : NULL,
                                    .user = &use,
                                    .remark = put_remark,
                                    .remark_user = &remarks};
    const KalStatus status =
        kal_system_load(server->ctx, text->source->name, text->source->text,
                        text->source->length, &options, &system);
    kal_system_destroy(system);
    kal_json_write_end(&letter.json, ']');
    kal_json_write_end(&letter.json, '}');
    const KalStatus sent = send(server, &letter);
    return status == KAL_ERR_NOMEM ? status : sent;
}

static KalStatus take_text(Server *server, const KalLspMessage *message)
{
    Text *text = NULL;
    if (!message->uri || !message->text) {
        return KAL_OK;
    }
    const KalStatus status = keep_text(server, message->uri, message->text, &text);
    if (status == KAL_ERR_SYNTAX || status == KAL_ERR_LIMIT) {
        return KAL_OK; // not UTF-8, or too long: there is nothing to point at
    }
    KAL_TRY(status);
    return publish(server, text);
}

// Questions about a place.

// What a request asks about: its text with the names in it, and the word at its place.
typedef struct Question {
    const KalSource *source;
    KalBlock names;
    KalSpan word; // empty when there is none
    const KalDeclared *known;
} Question;

static void find_known(Question *question)
{
    const KalDeclared *names = (const KalDeclared *)question->names.data;
    const KalSpan word = question->word;
    const char *text = question->source->text;
    for (size_t i = 0; i < question->names.size / sizeof *names && !question->known;
         i++) {
        const uint32_t length = names[i].end - names[i].begin;
        if (word.end - word.begin == length
            && memcmp(text + word.begin, text + names[i].begin, length) == 0) {
            question->known = &names[i];
        }
    }
}

static KalStatus ask(Server *server, const KalLspMessage *message,
                     Question *out_question)
{
    const Text *text = find_text(server, message->uri);
    *out_question = (Question){.source = text ? text->source : NULL};
    if (!text) {
        return KAL_OK;
    }
    const double most = 1e9;
    const double line =
        message->line >= 0.0 && message->line < most ? message->line : 0.0;
    const double at = message->character >= 0.0 && message->character < most
                          ? message->character
                          : 0.0;
    const KalLspPlace place = {(uint32_t)line, (uint32_t)at};
    KAL_TRY(kal_declared_find(server->ctx, text->source, &out_question->names));
    if (!kal_declared_word_at(text->source, kal_lsp_byte(text->source, place),
                              &out_question->word)) {
        out_question->word.end = out_question->word.begin;
    }
    find_known(out_question);
    return KAL_OK;
}

// The kinds of the protocol: variable, function, unit, class, keyword.
static int item_kind(const KalHint *hint)
{
    static const struct {
        const char *kind;
        int number;
    } kinds[] = {
        {"statement", 14},
        {"function",  3 },
        {"fn",        3 },
        {"unit",      11},
        {"component", 7 },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(hint->kind, kinds[i].kind) == 0) {
            return kinds[i].number;
        }
    }
    return 6;
}

static void put_item(void *user, const KalHint *hint)
{
    char name[KAL_NAME_LIMIT + 1];
    KalJsonWriter *w = (KalJsonWriter *)user;
    const size_t n = hint->length < sizeof name - 1 ? hint->length : sizeof name - 1;
    memcpy(name, hint->name, n);
    name[n] = '\0';
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "label", name);
    kal_json_put_number(w, "kind", item_kind(hint));
    kal_json_put_text(w, "detail", hint->library ? hint->library : hint->kind);
    kal_json_write_end(w, '}');
}

static KalStatus answer_completion(Server *server, const KalLspMessage *message,
                                   const Question *question)
{
    Letter letter;
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "result");
    kal_json_write_begin(&letter.json, '[');
    const KalStatus status =
        kal_hints_of_text(server->ctx, question->source, put_item, &letter.json);
    kal_hints_of_language(put_item, &letter.json);
    kal_json_write_end(&letter.json, ']');
    if (status != KAL_OK) {
        kal_page_clear(&letter.page);
        return status;
    }
    return send(server, &letter);
}

static KalStatus answer_hover(Server *server, const KalLspMessage *message,
                              const Question *question)
{
    const KalDeclared *known = question->known;
    Letter letter;
    if (!known) {
        return answer_null(server, message);
    }
    const char *text = question->source->text;
    KalPage words = kal_page(server->ctx);
    kal_page_format(&words, "%s ", known->kind);
    kal_page_write(&words, text + known->begin, known->end - known->begin);
    if (known->unit_end > known->unit_begin) {
        kal_page_string(&words, " [");
        kal_page_write(&words, text + known->unit_begin,
                       known->unit_end - known->unit_begin);
        kal_page_string(&words, "]");
    }
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "result");
    kal_json_write_begin(&letter.json, '{');
    kal_json_put_text(&letter.json, "contents", kal_page_text(&words));
    put_range(&letter.json, question->source, question->word.begin, question->word.end);
    kal_json_write_end(&letter.json, '}');
    kal_page_clear(&words);
    return send(server, &letter);
}

static KalStatus answer_definition(Server *server, const KalLspMessage *message,
                                   const Question *question)
{
    Letter letter;
    if (!question->known) {
        return answer_null(server, message);
    }
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "result");
    kal_json_write_begin(&letter.json, '{');
    kal_json_put_text(&letter.json, "uri", message->uri);
    put_range(&letter.json, question->source, question->known->begin,
              question->known->end);
    kal_json_write_end(&letter.json, '}');
    return send(server, &letter);
}

// A text that is none keeps its form: there is nothing to change.
static KalStatus answer_formatting(Server *server, const KalLspMessage *message,
                                   const Question *question)
{
    const KalSource *source = question->source;
    KalPage form = kal_page(server->ctx);
    Letter letter;
    KalStatus status =
        kal_model_format(server->ctx, source->name, source->text, source->length,
                         (KalSink){.write = NULL}, kal_page_sink(&form));
    status = status == KAL_OK ? form.status : status;
    if (status != KAL_OK) {
        kal_page_clear(&form);
        return status == KAL_ERR_NOMEM ? status : answer_null(server, message);
    }
    begin_answer(server, message, &letter);
    kal_json_write_key(&letter.json, "result");
    kal_json_write_begin(&letter.json, '[');
    kal_json_write_begin(&letter.json, '{');
    put_range(&letter.json, source, 0, source->length);
    kal_json_put_text(&letter.json, "newText", kal_page_text(&form));
    kal_json_write_end(&letter.json, '}');
    kal_json_write_end(&letter.json, ']');
    kal_page_clear(&form);
    return send(server, &letter);
}

static KalStatus answer_question(Server *server, const KalLspMessage *message,
                                 KalStatus (*answer)(Server *server,
                                                     const KalLspMessage *message,
                                                     const Question *question))
{
    Question question;
    KalStatus status = ask(server, message, &question);
    if (status == KAL_OK) {
        status = question.source
                     ? answer(server, message, &question)
                     : answer_error(server, message, -32602, "this text is not open");
    }
    kal_block_clear(server->ctx, &question.names);
    return status;
}

// Serving.

static KalStatus handle_note(Server *server, const KalLspMessage *message)
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
        }
    }
    return KAL_OK;
}

static KalStatus handle(Server *server, const KalLspMessage *message)
{
    static const struct {
        const char *method;
        KalStatus (*answer)(Server *server, const KalLspMessage *message,
                            const Question *question);
    } questions[] = {
        {"textDocument/completion", answer_completion},
        {"textDocument/hover",      answer_hover     },
        {"textDocument/definition", answer_definition},
        {"textDocument/formatting", answer_formatting},
    };

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
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        if (strcmp(message->method, questions[i].method) == 0) {
            return answer_question(server, message, questions[i].answer);
        }
    }
    return answer_error(server, message, -32601, "there is no such method here");
}

static KalStatus serve(Server *server, KalLspInput *input, KalBlock *body)
{
    bool there = true;
    while (!server->ended) {
        KalLspMessage message;
        KAL_TRY(kal_lsp_read(input, body, &there));
        if (!there) {
            break;
        }
        KalStatus status = kal_lsp_message_init(&message, server->ctx,
                                                (const char *)body->data, body->size);
        status = status == KAL_OK ? handle(server, &message) : status;
        kal_lsp_message_clear(&message);
        KAL_TRY(status);
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
    KalLspInput input = {.ctx = ctx, .channel = channel};
    const KalStatus status = serve(server, &input, &body);
    for (int i = 0; i < TEXTS_LIMIT; i++) {
        forget(server, &server->texts[i]);
    }
    kal_block_clear(ctx, &body);
    kal_free(ctx, server, sizeof *server);
    return status;
}

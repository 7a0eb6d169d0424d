// SPDX-License-Identifier: MIT

// Names, their kinds and units come from the tokens of the text, so that there is an answer while
// a statement is half written.

#include "editor/answer.h"

#include "editor/hints.h"
#include "editor/place.h"
#include "editor/wanted.h"
#include "json/member.h"
#include "lang/declared.h"
#include "show/page.h"

#include <kalaba/format.h>

#include <assert.h>
#include <string.h>

// What is asked: a text, and the word at or before a place in it.
typedef struct Question {
    KalContext *ctx;
    const KalSource *source;
    const KalEditorMessage *message;
    KalSpan word; // empty where there is none
} Question;

static void put_place(KalJsonWriter *w, const char *key, KalEditorPlace place)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "line", place.line);
    kal_json_put_number(w, "character", place.character);
    kal_json_write_end(w, '}');
}

void kal_editor_put_range(KalJsonWriter *writer, const KalSource *source,
                          uint32_t begin, uint32_t end)
{
    kal_json_write_key(writer, "range");
    kal_json_write_begin(writer, '{');
    put_place(writer, "start", kal_editor_place(source, begin));
    put_place(writer, "end", kal_editor_place(source, end));
    kal_json_write_end(writer, '}');
}

// Completion.

// Where hints become items.
typedef struct Items {
    KalContext *ctx;
    KalJsonWriter *json;
    unsigned wanted;
    KalStatus status;
} Items;

static unsigned nature_of(const KalHint *hint)
{
    return strcmp(hint->kind, "statement") == 0 ? KAL_WANTED_STATEMENTS
           : strcmp(hint->kind, "unit") == 0    ? KAL_WANTED_UNITS
           : strcmp(hint->kind, "use") == 0     ? KAL_WANTED_NOTHING
                                                : KAL_WANTED_NAMES;
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
        {"table",     3 },
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

// `param [m]`; of a part the library that has it.
static void print_detail(KalPage *page, const KalHint *hint)
{
    kal_page_string(page, hint->library ? hint->library : hint->kind);
    if (hint->unit_length > 0) {
        kal_page_string(page, " [");
        kal_page_write(page, hint->unit, hint->unit_length);
        kal_page_string(page, "]");
    }
}

static void put_item(void *user, const KalHint *hint)
{
    Items *items = (Items *)user;
    KalJsonWriter *w = items->json;
    KalPage name = kal_page(items->ctx);
    KalPage detail = kal_page(items->ctx);
    if ((items->wanted & nature_of(hint)) == 0 || items->status != KAL_OK) {
        return;
    }
    kal_page_write(&name, hint->name, hint->length);
    print_detail(&detail, hint);
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "label", kal_page_text(&name));
    kal_json_put_number(w, "kind", item_kind(hint));
    kal_json_put_text(w, "detail", kal_page_text(&detail));
    if (hint->meaning) {
        kal_json_put_text(w, "documentation", hint->meaning);
    }
    kal_json_write_end(w, '}');
    items->status = name.status == KAL_OK ? detail.status : name.status;
    kal_page_clear(&name);
    kal_page_clear(&detail);
}

static KalStatus complete(const Question *question, KalJsonWriter *w)
{
    Items items = {.ctx = question->ctx, .json = w};
    KAL_TRY(kal_wanted_find(question->ctx, question->source, question->word.begin,
                            &items.wanted));
    kal_json_write_begin(w, '[');
    KAL_TRY(kal_hints_of_text(question->ctx, question->source, put_item, &items));
    kal_hints_of_language(put_item, &items);
    kal_json_write_end(w, ']');
    return items.status;
}

// What a word is.

// A search for the hint of a word, and what is told of it.
typedef struct Search {
    const Question *question;
    bool found;
    bool here;   // the text declares it
    uint32_t at; // there
    KalPage words;
} Search;

static void describe(Search *search, const KalHint *hint)
{
    if (hint->meaning) {
        kal_page_string(&search->words, hint->meaning);
        return;
    }
    kal_page_format(&search->words, "%s ", hint->kind);
    kal_page_write(&search->words, hint->name, hint->length);
    if (hint->unit_length > 0) {
        kal_page_string(&search->words, " [");
        kal_page_write(&search->words, hint->unit, hint->unit_length);
        kal_page_string(&search->words, "]");
    }
    if (hint->library) {
        kal_page_format(&search->words, ", of %s", hint->library);
    } else if (search->here) {
        const KalPlace place = kal_source_place(search->question->source, hint->at);
        kal_page_format(&search->words, ", line %zu", place.line);
    }
}

static void compare(void *user, const KalHint *hint)
{
    Search *search = (Search *)user;
    const Question *question = search->question;
    const KalSpan word = question->word;
    if (!search->found && hint->length == word.end - word.begin
        && memcmp(hint->name, question->source->text + word.begin, hint->length) == 0) {
        search->found = true;
        search->here = search->here && !hint->library;
        search->at = hint->at;
        describe(search, hint);
    }
}

// Names of the text come before words of the language.
static KalStatus find(const Question *question, Search *search)
{
    *search =
        (Search){.question = question, .here = true, .words = kal_page(question->ctx)};
    if (question->word.begin == question->word.end) {
        return KAL_OK;
    }
    KAL_TRY(kal_hints_of_text(question->ctx, question->source, compare, search));
    if (!search->found) {
        search->here = false;
        kal_hints_of_language(compare, search);
    }
    return search->words.status;
}

static KalStatus explain(const Question *question, KalJsonWriter *w)
{
    Search search;
    const KalStatus status = find(question, &search);
    if (status == KAL_OK && search.found) {
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "contents", kal_page_text(&search.words));
        kal_editor_put_range(w, question->source, question->word.begin,
                             question->word.end);
        kal_json_write_end(w, '}');
    } else if (status == KAL_OK) {
        kal_json_write_null(w);
    }
    kal_page_clear(&search.words);
    return status;
}

static KalStatus locate(const Question *question, KalJsonWriter *w)
{
    Search search;
    const KalStatus status = find(question, &search);
    if (status == KAL_OK && search.found && search.here) {
        const uint32_t length = question->word.end - question->word.begin;
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "uri", question->message->uri);
        kal_editor_put_range(w, question->source, search.at, search.at + length);
        kal_json_write_end(w, '}');
    } else if (status == KAL_OK) {
        kal_json_write_null(w);
    }
    kal_page_clear(&search.words);
    return status;
}

// A text that is none keeps its form: there is nothing to change.
static KalStatus format(const Question *question, KalJsonWriter *w)
{
    const KalSource *source = question->source;
    KalPage form = kal_page(question->ctx);
    KalStatus status =
        kal_model_format(question->ctx, source->name, source->text, source->length,
                         (KalSink){.write = NULL}, kal_page_sink(&form));
    status = status == KAL_OK ? form.status : status;
    if (status == KAL_OK) {
        kal_json_write_begin(w, '[');
        kal_json_write_begin(w, '{');
        kal_editor_put_range(w, source, 0, source->length);
        kal_json_put_text(w, "newText", kal_page_text(&form));
        kal_json_write_end(w, '}');
        kal_json_write_end(w, ']');
    } else if (status != KAL_ERR_NOMEM) {
        kal_json_write_null(w);
        status = KAL_OK;
    }
    kal_page_clear(&form);
    return status;
}

// Methods.

typedef KalStatus (*AnswerFn)(const Question *question, KalJsonWriter *w);

static AnswerFn find_answer(const char *method)
{
    static const struct {
        const char *method;
        AnswerFn answer;
    } methods[] = {
        {"textDocument/completion", complete},
        {"textDocument/hover",      explain },
        {"textDocument/definition", locate  },
        {"textDocument/formatting", format  },
    };

    for (size_t i = 0; method && i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(method, methods[i].method) == 0) {
            return methods[i].answer;
        }
    }
    return NULL;
}

bool kal_editor_knows(const char *method)
{
    return find_answer(method) != NULL;
}

static uint32_t count_of(double number)
{
    const double most = 1e9;
    return number >= 0.0 && number < most ? (uint32_t)number : 0;
}

KalStatus kal_editor_answer(KalContext *ctx, const KalSource *source,
                            const KalEditorMessage *message, KalJsonWriter *writer)
{
    const AnswerFn answer = find_answer(message->method);
    const KalEditorPlace place = {count_of(message->line),
                                  count_of(message->character)};
    Question question = {.ctx = ctx, .source = source, .message = message};
    assert(answer && message->uri);
    const uint32_t at = kal_editor_byte(source, place);
    if (!kal_declared_word_at(source, at, &question.word)) {
        question.word = (KalSpan){source, at, at};
    }
    return answer(&question, writer);
}

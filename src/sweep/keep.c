// SPDX-License-Identifier: MIT

// From `final(x), max(reaction(*)), when(hit)` to values of the runs of a system.
//
// A text is read once into what is asked for, patterns and all; what fits a pattern is
// found for each structure of the model, since its columns may differ.

#include "sweep/keep.h"

#include "sweep/plan.h"

#include <kalaba/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = KAL_TABLE_LABEL_LIMIT,
    ASK_LIMIT = 1000 // things that a text asks for
};

static const char *const words[] = {
#define KAL_KEEP_WORD(name, word, meaning) word,
    KAL_SWEEP_KEEP_LIST(KAL_KEEP_WORD)
#undef KAL_KEEP_WORD
};

enum {
    KINDS = sizeof words / sizeof words[0]
};

static KalStatus fail(const KalKeepReader *reader, const char *at)
{
    return kal_fail(reader->ctx, KAL_ERR_USAGE,
                    "what to keep is a list of final(x), max(x), min(x), mean(x), "
                    "rms(x) of columns and when(e) of events, not '%.200s'",
                    at);
}

// The end of what a bracket opens: where it is closed, or the end of the text.
static const char *find_close(const char *open)
{
    assert(*open == '(');
    int depth = 0;
    const char *at = open;
    for (; *at != '\0'; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0) {
            break;
        }
    }
    return at;
}

static const char *skip_spaces(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

// Read one thing; `*at` moves behind it.
static KalStatus read_one(const KalKeepReader *reader, const char **at, KalKeepAsk *ask)
{
    assert(*at);
    const char *word = skip_spaces(*at);
    const char *open = word + strcspn(word, "(");
    const char *close = *open == '(' ? find_close(open) : open;
    size_t kind = 0;
    while (kind < KINDS
           && (strlen(words[kind]) != (size_t)(open - word)
               || strncmp(words[kind], word, (size_t)(open - word)) != 0)) {
        kind++;
    }
    const char *begin = skip_spaces(open + (*open == '('));
    const char *end = close;
    while (end > begin && strchr(" \t\r\n", end[-1])) {
        end--;
    }
    if (kind == KINDS || *close != ')' || end <= begin
        || end - begin >= NAME_SIZE - 16) {
        return fail(reader, word);
    }
    ask->kind = (KalKeepKind)kind;
    ask->pattern = kal_plan_copy(reader->arena, begin, (size_t)(end - begin));
    *at = skip_spaces(close + 1);
    return ask->pattern ? KAL_OK : kal_no_memory(reader->ctx, "for what to keep");
}

KalStatus kal_keep_read(const KalKeepReader *reader, const char *text,
                        KalKeepAsk **out_asks, size_t *out_count)
{
    assert(reader && text && out_asks && out_count);
    size_t count = 0;
    const char *at = text;
    KalKeepAsk *asks =
        (KalKeepAsk *)kal_arena_alloc(reader->arena, ASK_LIMIT, sizeof *asks);
    if (!asks) {
        return kal_no_memory(reader->ctx, "for what to keep");
    }
    do {
        at += count > 0; // the comma
        if (count == ASK_LIMIT) {
            return kal_fail(reader->ctx, KAL_ERR_LIMIT,
                            "more than %d things are too many to keep", (int)ASK_LIMIT);
        }
        KAL_TRY(read_one(reader, &at, &asks[count++]));
    } while (*at == ',');
    if (*at != '\0') {
        return fail(reader, at);
    }
    *out_asks = asks;
    *out_count = count;
    return KAL_OK;
}

KalStatus kal_keep_columns(const KalKeepReader *reader, const char *const *patterns,
                           size_t n, KalKeepAsk **out_asks, size_t *out_count)
{
    assert(reader && out_asks && out_count);
    if (n >= ASK_LIMIT) {
        return kal_fail(reader->ctx, KAL_ERR_LIMIT,
                        "more than %d things are too many to keep", (int)ASK_LIMIT);
    }
    KalKeepAsk *asks =
        (KalKeepAsk *)kal_arena_alloc(reader->arena, n + 1, sizeof *asks);
    bool copied = asks != NULL;
    for (size_t i = 0; copied && i <= n; i++) {
        // Here `*` alone is a pattern as any other: `**` fits the same.
        const char *text = i == 0                              ? "*"
                           : strcmp(patterns[i - 1], "*") == 0 ? "**"
                                                               : patterns[i - 1];
        asks[i] = (KalKeepAsk){KAL_SWEEP_FINAL,
                               kal_plan_copy(reader->arena, text, strlen(text))};
        copied = asks[i].pattern != NULL;
    }
    *out_asks = asks;
    *out_count = n + 1;
    return copied ? KAL_OK : kal_no_memory(reader->ctx, "for what to keep");
}

// Whether something is asked of columns that a record has only if it is told.
static bool is_column(const KalKeepAsk *ask)
{
    return ask->kind != KAL_SWEEP_WHEN && strcmp(ask->pattern, "*") != 0;
}

KalStatus kal_keep_record(KalContext *ctx, const KalSystem *system,
                          const KalKeepAsk *asks, size_t count, KalRecord **out_record)
{
    const char *patterns[ASK_LIMIT];
    size_t n = 0;
    assert(count <= ASK_LIMIT);
    for (size_t i = 0; i < count; i++) {
        if (is_column(&asks[i])) {
            patterns[n++] = asks[i].pattern;
        }
    }
    return kal_record_create(ctx, system, patterns, n, out_record);
}

// Values of a listing on its way.
typedef struct Listing {
    const KalKeepAsk *ask;
    bool plain;
    KalKeepAdd add;
    void *user;
} Listing;

// Add something if its name fits; `found` is then true.
static KalStatus add_fitting(const Listing *l, size_t place, KalQuantity quantity,
                             bool *found)
{
    assert((size_t)l->ask->kind < KINDS);
    char text[NAME_SIZE + 16];
    if (!kal_word_fits(l->ask->pattern, quantity.name)) {
        return KAL_OK;
    }
    *found = true;
    (void)snprintf(text, sizeof text, "%s(%s)", words[l->ask->kind], quantity.name);
    const KalKeep keep = {.kind = l->ask->kind, .place = place};
    quantity.name = l->plain ? quantity.name : text;
    return l->add(l->user, keep, quantity);
}

// Patterns fit columns, or the record would not have been made.
static KalStatus list_columns(const Listing *l, const KalTable *table, size_t always)
{
    assert(always <= kal_table_columns(table));
    const bool all = strcmp(l->ask->pattern, "*") == 0;
    const size_t count = all ? always : kal_table_columns(table);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        KAL_TRY(add_fitting(l, i, kal_table_column(table, i), &found));
    }
    assert(found);
    return KAL_OK;
}

static KalStatus list_events(const Listing *l, KalContext *ctx, const KalModel *model)
{
    bool found = false;
    for (size_t i = 0; i < model->n_events; i++) {
        const KalQuantity event = {.name = model->events[i].name, .unit = "s"};
        KAL_TRY(add_fitting(l, i, event, &found));
    }
    return found ? KAL_OK
                 : kal_fail(ctx, KAL_ERR_USAGE, "the model has no event '%.200s'",
                            l->ask->pattern);
}

KalStatus kal_keep_list(KalContext *ctx, KalRecord *record, const KalSystem *system,
                        const KalKeepList *list)
{
    assert(record && system && list->add);
    const size_t always = 1 + 2 * (size_t)system->n + (size_t)system->n_states
                          + (size_t)system->n_holds + (size_t)system->n_outputs;
    for (size_t i = 0; i < list->count; i++) {
        const Listing l = {&list->asks[i], list->plain, list->add, list->user};
        KAL_TRY(l.ask->kind == KAL_SWEEP_WHEN
                    ? list_events(&l, ctx, system->model)
                    : list_columns(&l, kal_record_table(record), always));
    }
    return KAL_OK;
}

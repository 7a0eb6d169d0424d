// SPDX-License-Identifier: MIT

// Lists of names: bytes in one block, which may move while it grows, so that names are known
// by their offsets until all are there.  An order by name is kept beside, for finding a name
// that comes twice by bisection whatever names a document has.

#include "base/utf8.h"
#include "problem/problem_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *name_at(const KalNameList *list, size_t i)
{
    assert(i < list->count);
    const KalNameSpan *spans = list->spans.data;
    return (const char *)list->bytes.data + spans[i].name;
}

// Where a name belongs in the order; *out_known: it is there already.
static size_t find_rank(const KalNameList *list, const char *name, bool *out_known)
{
    assert(list->order.size == list->count * sizeof(size_t));
    const size_t *order = list->order.data;
    size_t low = 0;
    size_t high = list->count;
    *out_known = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        assert(middle < list->count);
        const int sign = strcmp(name, name_at(list, order[middle]));
        if (sign == 0) {
            *out_known = true;
            return middle;
        }
        if (sign < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static KalStatus add_order(KalContext *ctx, KalNameList *list, size_t rank)
{
    KAL_TRY(kal_block_add(ctx, &list->order, &list->count, sizeof list->count));
    size_t *order = list->order.data;
    assert(rank <= list->count);
    memmove(order + rank + 1, order + rank, (list->count - rank) * sizeof *order);
    order[rank] = list->count;
    return KAL_OK;
}

// The name, and a label fit to be shown if that is another text.
static KalStatus add_name(KalContext *ctx, KalNameList *list, const char *name,
                          size_t rank)
{
    assert(name[0] != '\0');
    const size_t length = strlen(name);
    char label[KAL_PRINTABLE_SIZE];
    kal_printable_print(name, length, label);

    KalNameSpan span = {.name = list->bytes.size, .label = list->bytes.size};
    KAL_TRY(kal_block_add(ctx, &list->bytes, name, length + 1));
    if (strcmp(name, label) != 0) {
        span.label = list->bytes.size;
        KAL_TRY(kal_block_add(ctx, &list->bytes, label, strlen(label) + 1));
    }
    KAL_TRY(kal_block_add(ctx, &list->spans, &span, sizeof span));
    KAL_TRY(add_order(ctx, list, rank));
    list->count++;
    return KAL_OK;
}

// Names must stay where they are from here on.
static KalStatus set_pointers(KalContext *ctx, KalNameList *list)
{
    assert(!list->names);
    if (list->count == 0) {
        return KAL_OK;
    }
    list->names = kal_alloc(ctx, 2 * list->count, sizeof *list->names);
    if (!list->names) {
        return kal_no_memory(ctx, "for %zu names", list->count);
    }
    list->labels = list->names + list->count;
    const KalNameSpan *spans = list->spans.data;
    for (size_t i = 0; i < list->count; i++) {
        list->names[i] = (const char *)list->bytes.data + spans[i].name;
        list->labels[i] = (const char *)list->bytes.data + spans[i].label;
    }
    return KAL_OK;
}

// An entry of an array of names.
static KalStatus parse_name(KalJsonReader *r, const char *key, KalNameList *list)
{
    assert(list->count <= KAL_PROBLEM_LIMIT);
    const size_t entry = list->count + 1;
    if (r->event != KAL_JSON_STRING) {
        return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                             "%s, entry %zu is %s; expected a name in double quotes",
                             key, entry, kal_json_event_text(r->event));
    }
    if (list->count == KAL_PROBLEM_LIMIT) {
        return kal_json_fail(r, list->at, KAL_ERR_LIMIT,
                             "%s has too many names; expected at most %d", key,
                             KAL_PROBLEM_LIMIT);
    }
    const char *name = r->bytes.data;
    if (r->bytes.size == 0 || memchr(name, '\0', r->bytes.size)) {
        return kal_json_fail(r, r->at, KAL_ERR_SYNTAX, "%s, entry %zu %s", key, entry,
                             r->bytes.size == 0
                                 ? "is empty; expected a name"
                                 : "contains \\u0000; expected a name without");
    }
    bool known;
    const size_t rank = find_rank(list, name, &known);
    if (known) {
        char label[KAL_PRINTABLE_SIZE];
        kal_printable_print(name, r->bytes.size, label);
        return kal_json_fail(
            r, r->at, KAL_ERR_SYNTAX,
            "%s, entry %zu is \"%s\" again; expected names that differ", key, entry,
            label);
    }
    return add_name(r->ctx, list, name, rank);
}

KalStatus kal_name_list_parse(KalJsonReader *r, const char *key, KalNameList *out_list)
{
    assert(out_list->count == 0);
    out_list->at = r->at;
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_ARRAY) {
        return kal_document_fail_type(r, key, "an array of names");
    }
    out_list->present = true;
    KAL_TRY(kal_json_step(r));
    while (r->event != KAL_JSON_ARRAY_END) {
        KAL_TRY(parse_name(r, key, out_list));
        KAL_TRY(kal_json_step(r));
    }
    return set_pointers(r->ctx, out_list);
}

KalStatus kal_name_list_set_default(KalContext *ctx, char letter, size_t count,
                                    KalNameList *out_list)
{
    assert(out_list->count == 0);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        bool known;
        snprintf(name, sizeof name, "%c[%zu]", letter, i + 1);
        KAL_TRY(add_name(ctx, out_list, name, find_rank(out_list, name, &known)));
    }
    return set_pointers(ctx, out_list);
}

void kal_name_list_clear(KalContext *ctx, KalNameList *list)
{
    kal_free(ctx, list->names, 2 * list->count * sizeof *list->names);
    kal_block_clear(ctx, &list->bytes);
    kal_block_clear(ctx, &list->spans);
    kal_block_clear(ctx, &list->order);
}

// SPDX-License-Identifier: MIT

// Arrays of numbers and of rows of numbers, as they stand in a document.  Where each begins
// is kept for messages: what is wrong with their shapes is known only at the end.

#include "problem/problem_impl.h"

#include <assert.h>
#include <stdio.h>

enum {
    LABEL_SIZE = 64 // room for a key and the number of a row
};

// The numbers of an array that has just begun, up to its end.
static KalStatus parse_array(KalJsonReader *r, const char *label, KalBlock *values,
                             size_t *out_count)
{
    assert(r->event == KAL_JSON_ARRAY);
    const size_t at = r->at;
    size_t count = 0;

    KAL_TRY(kal_json_step(r));
    while (r->event != KAL_JSON_ARRAY_END) {
        if (r->event != KAL_JSON_NUMBER) {
            return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                                 "%s, entry %zu is %s; expected a number", label,
                                 count + 1, kal_json_event_text(r->event));
        }
        if (count == KAL_PROBLEM_LIMIT) {
            return kal_json_fail(r, at, KAL_ERR_LIMIT,
                                 "%s has too many numbers; expected at most %d", label,
                                 KAL_PROBLEM_LIMIT);
        }
        KAL_TRY(kal_block_add(r->ctx, values, &r->number, sizeof r->number));
        count++;
        KAL_TRY(kal_json_step(r));
    }
    *out_count = count;
    return KAL_OK;
}

KalStatus kal_numbers_parse(KalJsonReader *r, const char *key, KalNumberList *out_list)
{
    assert(out_list->count == 0);
    out_list->at = r->at;
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_ARRAY) {
        return kal_document_fail_type(r, key, "an array of numbers");
    }
    out_list->present = true;
    return parse_array(r, key, &out_list->values, &out_list->count);
}

// One row, of any length: lengths are compared later.
static KalStatus parse_row(KalJsonReader *r, const char *key, KalNumberRows *rows)
{
    char label[LABEL_SIZE];
    snprintf(label, sizeof label, "%s, row %zu", key, rows->count + 1);
    if (r->event != KAL_JSON_ARRAY) {
        return kal_document_fail_type(r, label, "an array of numbers");
    }
    if (rows->count == KAL_PROBLEM_LIMIT) {
        return kal_json_fail(r, rows->at, KAL_ERR_LIMIT,
                             "%s has too many rows; expected at most %d", key,
                             KAL_PROBLEM_LIMIT);
    }
    KalNumberRow row = {.at = r->at};
    KAL_TRY(parse_array(r, label, &rows->values, &row.count));
    KAL_TRY(kal_block_add(r->ctx, &rows->rows, &row, sizeof row));
    rows->count++;
    return KAL_OK;
}

KalStatus kal_number_rows_parse(KalJsonReader *r, const char *key,
                                KalNumberRows *out_rows)
{
    assert(out_rows->count == 0);
    out_rows->at = r->at;
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_ARRAY) {
        return kal_document_fail_type(r, key, "an array of rows of numbers");
    }
    out_rows->present = true;
    KAL_TRY(kal_json_step(r));
    while (r->event != KAL_JSON_ARRAY_END) {
        KAL_TRY(parse_row(r, key, out_rows));
        KAL_TRY(kal_json_step(r));
    }
    return KAL_OK;
}

void kal_numbers_clear(KalContext *ctx, KalNumberList *list)
{
    kal_block_clear(ctx, &list->values);
}

void kal_number_rows_clear(KalContext *ctx, KalNumberRows *rows)
{
    kal_block_clear(ctx, &rows->rows);
    kal_block_clear(ctx, &rows->values);
}

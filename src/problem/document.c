// SPDX-License-Identifier: MIT

// A problem is read by its fields, which a table lists: key, kind, and where in KalProblem
// it goes.  Unknown keys, keys that come twice and values of another kind are errors with
// their place.
//
// Shapes are checked when all is read, since the keys of an object come in any order:
// which of two arrays of different length is wrong cannot be known before.

#include "base/utf8.h"
#include "problem/problem_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    LABEL_SIZE = 64,
    WORDS_SIZE = 256, // room for a list of all keys or formulations
    HINT_SIZE = 64,
};

typedef enum FieldKind {
    FIELD_ROWS,
    FIELD_LIST,
    FIELD_NAMES,
    FIELD_TITLE,
    FIELD_TIME,
    FIELD_FORMULATION,
} FieldKind;

typedef struct Field {
    const char *key;
    FieldKind kind;
    size_t offset; // in KalProblem
} Field;

static const Field fields[] = {
    {"M",           FIELD_ROWS,        offsetof(KalProblem, M)          },
    {"Q",           FIELD_LIST,        offsetof(KalProblem, Q)          },
    {"A",           FIELD_ROWS,        offsetof(KalProblem, A)          },
    {"b",           FIELD_LIST,        offsetof(KalProblem, b)          },
    {"C",           FIELD_LIST,        offsetof(KalProblem, C)          },
    {"coordinates", FIELD_NAMES,       offsetof(KalProblem, coordinates)},
    {"constraints", FIELD_NAMES,       offsetof(KalProblem, constraints)},
    {"formulation", FIELD_FORMULATION, offsetof(KalProblem, formulation)},
    {"model",       FIELD_TITLE,       offsetof(KalProblem, model)      },
    {"t",           FIELD_TIME,        offsetof(KalProblem, t)          },
    {"q",           FIELD_LIST,        offsetof(KalProblem, q)          },
    {"qd",          FIELD_LIST,        offsetof(KalProblem, qd)         },
};

#define FORMULATION_WORD(name, word, meaning) word,
static const char *const formulations[] = {KAL_FORMULATION_LIST(FORMULATION_WORD)};
#undef FORMULATION_WORD

enum {
    N_FIELDS = sizeof fields / sizeof fields[0],
    N_FORMULATIONS = sizeof formulations / sizeof formulations[0],
};

KalStatus kal_document_fail_type(const KalJsonReader *r, const char *key,
                                 const char *expected)
{
    assert(r && key && expected);
    return kal_json_fail(r, r->at, KAL_ERR_SYNTAX, "%s is %s; expected %s", key,
                         kal_json_event_text(r->event), expected);
}

// The string just read is none of the words that may stand here.
static KalStatus fail_word(const KalJsonReader *r, const char *what,
                           const char *const *words, int count)
{
    assert(count > 0 && r->bytes.data);
    char found[KAL_PRINTABLE_SIZE];
    char all[WORDS_SIZE] = "";
    char hint[HINT_SIZE] = "";
    size_t used = 0;

    kal_printable_print(r->bytes.data, r->bytes.size, found);
    for (int i = 0; i < count && used < sizeof all; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i > 0 ? ", " : "", words[i]);
    }
    const char *near = kal_word_find_near(r->bytes.data, words, count);
    if (near) {
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", near);
    }
    return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                         "unknown %s \"%s\"; expected one of %s%s", what, found, all,
                         hint);
}

// Whether the string just read is this word; it may hold NULs.
static bool is_word(const KalJsonReader *r, const char *word)
{
    assert(r->bytes.data);
    return r->bytes.size == strlen(word) && strcmp(r->bytes.data, word) == 0;
}

// A text without NUL, which C could not hold.
static KalStatus parse_title(KalJsonReader *r, const char *key, KalBlock *out_title)
{
    assert(!out_title->data);
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_STRING) {
        return kal_document_fail_type(r, key, "a title in double quotes");
    }
    if (memchr(r->bytes.data, '\0', r->bytes.size)) {
        return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                             "%s contains \\u0000; expected a title without", key);
    }
    return kal_block_add(r->ctx, out_title, r->bytes.data, r->bytes.size + 1);
}

static KalStatus parse_time(KalJsonReader *r, const char *key, KalProblem *p)
{
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_NUMBER) {
        return kal_document_fail_type(r, key, "a number");
    }
    p->has_t = true;
    p->t = r->number;
    return KAL_OK;
}

static KalStatus parse_formulation(KalJsonReader *r, const char *key,
                                   KalFormulation *out_formulation)
{
    if (r->event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    if (r->event != KAL_JSON_STRING) {
        return kal_document_fail_type(r, key, "a word in double quotes");
    }
    KalFormulation found;
    if (!kal_formulation_find(r->bytes.data, &found)
        || !is_word(r, kal_formulation_word(found))) {
        return fail_word(r, key, formulations, N_FORMULATIONS);
    }
    *out_formulation = found;
    return KAL_OK;
}

// The value that follows the key.
static KalStatus parse_field(KalJsonReader *r, const Field *field, KalProblem *p)
{
    assert(field->offset < sizeof(KalProblem));
    void *target = (char *)p + field->offset;
    KAL_TRY(kal_json_step(r));
    switch (field->kind) {
    case FIELD_ROWS: return kal_number_rows_parse(r, field->key, target);
    case FIELD_LIST: return kal_numbers_parse(r, field->key, target);
    case FIELD_NAMES: return kal_name_list_parse(r, field->key, target);
    case FIELD_TITLE: return parse_title(r, field->key, target);
    case FIELD_TIME: return parse_time(r, field->key, p);
    case FIELD_FORMULATION: return parse_formulation(r, field->key, target);
    }
    return KAL_OK;
}

// The field that the key just read names.
static KalStatus find_field(const KalJsonReader *r, size_t *out_index)
{
    const char *keys[N_FIELDS];
    assert(r->event == KAL_JSON_KEY);
    for (size_t i = 0; i < N_FIELDS; i++) {
        keys[i] = fields[i].key;
        if (is_word(r, fields[i].key)) {
            *out_index = i;
            return KAL_OK;
        }
    }
    return fail_word(r, "key", keys, N_FIELDS);
}

// A key just read, and its value.
static KalStatus parse_member(KalJsonReader *r, bool *seen, KalProblem *p)
{
    assert(r->event == KAL_JSON_KEY);
    size_t i = 0;
    KAL_TRY(find_field(r, &i));
    if (seen[i]) {
        return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                             "%s is given twice; expected each key once",
                             fields[i].key);
    }
    seen[i] = true;
    return parse_field(r, &fields[i], p);
}

static KalStatus parse_members(KalJsonReader *r, KalProblem *p)
{
    bool seen[N_FIELDS] = {false};

    KAL_TRY(kal_json_step(r));
    if (r->event != KAL_JSON_OBJECT) {
        return kal_document_fail_type(r, "the document", "an object, {\"M\": ...}");
    }
    KAL_TRY(kal_json_step(r));
    while (r->event != KAL_JSON_OBJECT_END) {
        KAL_TRY(parse_member(r, seen, p));
        KAL_TRY(kal_json_step(r));
    }
    return kal_json_step(r);
}

// A count that must be another: `each` says what there should be one for.
static KalStatus check_count(const KalJsonReader *r, size_t at, const char *what,
                             size_t count, size_t expected, const char *each)
{
    assert(at <= r->length);
    if (count == expected) {
        return KAL_OK;
    }
    return kal_json_fail(r, at, KAL_ERR_SHAPE, "%s has length %zu; expected %zu, %s",
                         what, count, expected, each);
}

// Every row of a matrix has as many numbers.
static KalStatus check_rows(const KalJsonReader *r, const char *key,
                            const KalNumberRows *rows, size_t expected,
                            const char *each)
{
    assert(key && each);
    const KalNumberRow *row = rows->rows.data;
    for (size_t i = 0; i < rows->count; i++) {
        char label[LABEL_SIZE];
        snprintf(label, sizeof label, "%s, row %zu", key, i + 1);
        KAL_TRY(check_count(r, row[i].at, label, row[i].count, expected, each));
    }
    return KAL_OK;
}

static KalStatus check_list(const KalJsonReader *r, const char *key,
                            const KalNumberList *list, size_t expected,
                            const char *each)
{
    return list->present ? check_count(r, list->at, key, list->count, expected, each)
                         : KAL_OK;
}

static KalStatus check_names(const KalJsonReader *r, const char *key,
                             const KalNameList *list, size_t expected, const char *each)
{
    return list->present ? check_count(r, list->at, key, list->count, expected, each)
                         : KAL_OK;
}

// What must be there.  `at` is where to complain of what is not.
static KalStatus check_presence(const KalJsonReader *r, const KalProblem *p, size_t at)
{
    if (!p->M.present) {
        return kal_json_fail(r, at, KAL_ERR_SHAPE,
                             "M is missing; expected \"M\": the mass matrix, n rows of "
                             "n numbers");
    }
    if (p->M.count == 0) {
        return kal_json_fail(r, p->M.at, KAL_ERR_SHAPE,
                             "M is empty; expected at least one coordinate");
    }
    if (!p->Q.present) {
        return kal_json_fail(r, at, KAL_ERR_SHAPE,
                             "Q is missing; expected \"Q\": the impressed force, one "
                             "number for each row of M");
    }
    if (p->A.present != p->b.present) {
        return kal_json_fail(r, p->A.present ? p->A.at : p->b.at, KAL_ERR_SHAPE,
                             "%s; expected both or neither",
                             p->A.present ? "A without b" : "b without A");
    }
    return KAL_OK;
}

// What there is one of for each coordinate.
static KalStatus check_coordinates(const KalJsonReader *r, const KalProblem *p)
{
    const char *each = "one for each coordinate (row of M)";
    const size_t n = p->M.count;
    KAL_TRY(check_rows(r, "M", &p->M, n, "as many as M has rows"));
    KAL_TRY(check_list(r, "Q", &p->Q, n, each));
    KAL_TRY(check_rows(r, "A", &p->A, n, each));
    KAL_TRY(check_list(r, "C", &p->C, n, each));
    KAL_TRY(check_list(r, "q", &p->q, n, each));
    KAL_TRY(check_list(r, "qd", &p->qd, n, each));
    return check_names(r, "coordinates", &p->coordinates, n, each);
}

// And for each constraint.
static KalStatus check_constraints(const KalJsonReader *r, const KalProblem *p)
{
    assert(p->A.present == p->b.present);
    const char *each = "one for each constraint (row of A)";
    KAL_TRY(check_list(r, "b", &p->b, p->A.count, each));
    return check_names(r, "constraints", &p->constraints, p->A.count, each);
}

KalStatus kal_document_parse(KalJsonReader *r, KalProblem *out_problem)
{
    assert(r && out_problem);
    KalProblem *p = out_problem;
    KAL_TRY(parse_members(r, p));
    // It is there: reading came to its end.
    const char *brace = memchr(r->text, '{', r->length);
    assert(brace);
    KAL_TRY(check_presence(r, p, (size_t)(brace - r->text)));
    KAL_TRY(check_coordinates(r, p));
    KAL_TRY(check_constraints(r, p));

    if (!p->coordinates.present) {
        KAL_TRY(kal_name_list_set_default(r->ctx, 'q', p->M.count, &p->coordinates));
    }
    if (!p->constraints.present) {
        KAL_TRY(kal_name_list_set_default(r->ctx, 'c', p->A.count, &p->constraints));
    }
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// Requests are JSON, read by a pull parser into an arena.  A key that is unknown or a value
// of another kind is refused: the page that sends them is ours.

#include "studio/request.h"

#include "base/number.h"
#include "json/reader.h"

#include <assert.h>
#include <string.h>

enum {
    ARENA_LIMIT = 32 << 20
};

// A reading on its way.
typedef struct Reading {
    KalContext *ctx;
    KalStudioRequest *request;
    KalJsonReader json;
} Reading;

static KalStatus complain(const Reading *reading, const char *what)
{
    return kal_json_fail(&reading->json, reading->json.at, KAL_ERR_SYNTAX, "%s", what);
}

// Texts end where C ends them: a NUL within would hide what follows.
static KalStatus copy(Reading *reading, const char **out_text)
{
    assert(out_text);
    const KalBlock *bytes = &reading->json.bytes;
    if (bytes->size > 0 && memchr(bytes->data, '\0', bytes->size)) {
        return complain(reading, "a text with a NUL");
    }
    char *text = (char *)kal_arena_alloc(reading->request->arena, bytes->size + 1, 1);
    if (!text) {
        return kal_no_memory(reading->ctx, "for a request");
    }
    if (bytes->size > 0) {
        memcpy(text, bytes->data, bytes->size);
    }
    *out_text = text;
    return KAL_OK;
}

static KalStatus read_text(Reading *reading, const char **out_text)
{
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event == KAL_JSON_NULL) {
        return KAL_OK;
    }
    return reading->json.event == KAL_JSON_STRING
               ? copy(reading, out_text)
               : complain(reading, "expected a string");
}

// A number as the model language writes it, or a text of it.
static KalStatus read_value(Reading *reading, const char **out_text)
{
    char text[KAL_NUMBER_SIZE];
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event == KAL_JSON_STRING) {
        return copy(reading, out_text);
    }
    if (reading->json.event != KAL_JSON_NUMBER) {
        return complain(reading, "expected a number or a string");
    }
    kal_number_print(reading->json.number, 17, text);
    char *kept = (char *)kal_arena_alloc(reading->request->arena, sizeof text, 1);
    if (!kept) {
        return kal_no_memory(reading->ctx, "for a request");
    }
    memcpy(kept, text, strlen(text) + 1);
    *out_text = kept;
    return KAL_OK;
}

static KalStatus read_settings(Reading *reading)
{
    KalStudioRequest *request = reading->request;
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event != KAL_JSON_OBJECT) {
        return complain(reading, "expected an object");
    }
    for (;;) {
        KAL_TRY(kal_json_step(&reading->json));
        if (reading->json.event == KAL_JSON_OBJECT_END) {
            return KAL_OK;
        }
        if (request->n_set == KAL_REQUEST_SETTINGS) {
            return complain(reading, "too many parameters are set");
        }
        KalOverride *setting = &request->set[request->n_set++];
        KAL_TRY(copy(reading, &setting->name));
        KAL_TRY(read_value(reading, &setting->value));
    }
}

// An array of two or three numbers.
static KalStatus read_numbers(Reading *reading, double out_numbers[3], int *out_count)
{
    assert(out_numbers && out_count);
    int n = 0;
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event != KAL_JSON_ARRAY) {
        return complain(reading, "expected an array");
    }
    for (;;) {
        KAL_TRY(kal_json_step(&reading->json));
        if (reading->json.event == KAL_JSON_ARRAY_END && n >= 2) {
            *out_count = n;
            return KAL_OK;
        }
        if (reading->json.event != KAL_JSON_NUMBER || n == 3) {
            return complain(reading, "expected two or three numbers");
        }
        out_numbers[n++] = reading->json.number;
    }
}

static KalStatus read_drag(Reading *reading)
{
    KalDrag *drag = &reading->request->drag;
    int columns = 0;
    int to = 0;
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event != KAL_JSON_OBJECT) {
        return complain(reading, "expected an object");
    }
    for (;;) {
        const char *key = "";
        KAL_TRY(kal_json_step(&reading->json));
        if (reading->json.event == KAL_JSON_OBJECT_END) {
            drag->n = columns;
            return columns == to ? KAL_OK
                                 : complain(reading, "a drag has columns and as many "
                                                     "numbers");
        }
        KAL_TRY(copy(reading, &key));
        const bool first = strcmp(key, "columns") == 0;
        if (!first && strcmp(key, "to") != 0) {
            return complain(reading, "unknown member");
        }
        KAL_TRY(read_numbers(reading, first ? drag->columns : drag->to,
                             first ? &columns : &to));
    }
}

static KalStatus find_task(Reading *reading)
{
#define KAL_TASK_WORD(name, word) word,
    static const char *const words[] = {KAL_TASK_LIST(KAL_TASK_WORD)};
#undef KAL_TASK_WORD
    const KalBlock *bytes = &reading->json.bytes;
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == bytes->size
            && memcmp(words[i], bytes->data, bytes->size) == 0) {
            reading->request->tasks |= 1u << i;
            return KAL_OK;
        }
    }
    return complain(reading, "unknown task");
}

static KalStatus read_tasks(Reading *reading)
{
    KAL_TRY(kal_json_step(&reading->json));
    if (reading->json.event != KAL_JSON_ARRAY) {
        return complain(reading, "expected an array");
    }
    for (;;) {
        KAL_TRY(kal_json_step(&reading->json));
        if (reading->json.event == KAL_JSON_ARRAY_END) {
            return KAL_OK;
        }
        if (reading->json.event != KAL_JSON_STRING) {
            return complain(reading, "expected a task");
        }
        KAL_TRY(find_task(reading));
    }
}

static KalStatus read_member(Reading *reading)
{
    KalStudioRequest *request = reading->request;

    const struct {
        const char *key;
        const char **text;
    } texts[] = {
        {"client",   &request->client  },
        {"name",     &request->name    },
        {"text",     &request->text    },
        {"start",    &request->start   },
        {"near",     &request->near    },
        {"at",       &request->at      },
        {"seen",     &request->seen    },
        {"question", &request->question},
    };

    const char *key = "";
    KAL_TRY(copy(reading, &key));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(key, texts[i].key) == 0) {
            return read_text(reading, texts[i].text);
        }
    }
    if (strcmp(key, "tasks") == 0) {
        return read_tasks(reading);
    }
    if (strcmp(key, "drag") == 0) {
        return read_drag(reading);
    }
    return strcmp(key, "set") == 0 ? read_settings(reading)
                                   : complain(reading, "unknown member");
}

static KalStatus read_members(Reading *reading)
{
    KalJsonReader *json = &reading->json;
    KAL_TRY(kal_json_step(json));
    if (json->event != KAL_JSON_OBJECT) {
        return complain(reading, "expected an object");
    }
    for (;;) {
        KAL_TRY(kal_json_step(json));
        if (json->event == KAL_JSON_OBJECT_END) {
            return kal_json_step(json); // the end of the document
        }
        KAL_TRY(read_member(reading));
    }
}

static KalStatus read_all(Reading *reading)
{
    KAL_TRY(read_members(reading));
    return reading->request->text ? KAL_OK : complain(reading, "expected a text");
}

KalStatus kal_studio_request_init(KalStudioRequest *request, KalContext *ctx,
                                  const char *text, size_t length)
{
    assert(request && ctx && (text || length == 0));
    *request = (KalStudioRequest){.client = ""};
    KAL_TRY(kal_arena_create(ctx, ARENA_LIMIT, &request->arena));
    Reading reading = {.ctx = ctx, .request = request};
    kal_json_reader_init(&reading.json, ctx, "request", text ? text : "", length);
    const KalStatus status = read_all(&reading);
    kal_json_reader_clear(&reading.json);
    return status;
}

void kal_studio_request_clear(KalStudioRequest *request)
{
    kal_arena_destroy(request->arena);
    request->arena = NULL;
}

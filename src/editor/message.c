// SPDX-License-Identifier: MIT

// A message is walked through once, with the path of keys that leads to where the reader is:
// `params.textDocument.uri`.  Arrays do not count in paths.

#include "editor/message.h"

#include "base/block.h"
#include "base/number.h"
#include "json/reader.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    ARENA_LIMIT = 64 << 20,
    PATH_SIZE = 100
};

typedef struct Reading {
    KalContext *ctx;
    KalEditorMessage *message;
    KalJsonReader json;
    char path[PATH_SIZE];
    size_t lengths[KAL_JSON_DEPTH + 2]; // of the path, by depth
    int depth;
} Reading;

static KalStatus copy(Reading *reading, const char **out_text)
{
    const KalBlock *bytes = &reading->json.bytes;
    char *text = (char *)kal_arena_alloc(reading->message->arena, bytes->size + 1, 1);
    if (!text) {
        return kal_no_memory(reading->ctx, "for a message");
    }
    if (bytes->size > 0) {
        memcpy(text, bytes->data, bytes->size);
    }
    *out_text = text;
    return KAL_OK;
}

// An id goes back as it came: a string in quotes, whose contents are kept simple, or a number.
static KalStatus copy_id(Reading *reading)
{
    enum {
        ID_SIZE = 300
    };

    const KalBlock *bytes = &reading->json.bytes;
    char *text = (char *)kal_arena_alloc(reading->message->arena, ID_SIZE, 1);
    if (!text) {
        return kal_no_memory(reading->ctx, "for a message");
    }
    if (reading->json.event == KAL_JSON_NUMBER) {
        kal_number_print_exact(reading->json.number, text);
    } else {
        const char *plain = bytes->size > 0 ? (const char *)bytes->data : "";
        if (bytes->size > ID_SIZE - 3 || strcspn(plain, "\"\\") != bytes->size) {
            return kal_json_fail(&reading->json, reading->json.at, KAL_ERR_SYNTAX,
                                 "an id that is too long or not plain");
        }
        (void)snprintf(text, ID_SIZE, "\"%s\"", plain);
    }
    reading->message->id = text;
    return KAL_OK;
}

static KalStatus take_string(Reading *reading)
{
    KalEditorMessage *m = reading->message;
    const char *path = reading->path;
    if (strcmp(path, ".method") == 0) {
        return copy(reading, &m->method);
    }
    if (strcmp(path, ".id") == 0) {
        return copy_id(reading);
    }
    if (strcmp(path, ".params.textDocument.uri") == 0) {
        return copy(reading, &m->uri);
    }
    if (strcmp(path, ".params.textDocument.text") == 0
        || strcmp(path, ".params.contentChanges.text") == 0) {
        m->text_length = reading->json.bytes.size;
        return copy(reading, &m->text);
    }
    return KAL_OK;
}

static KalStatus take_number(Reading *reading)
{
    KalEditorMessage *m = reading->message;
    const char *path = reading->path;
    if (strcmp(path, ".id") == 0) {
        return copy_id(reading);
    }
    if (strcmp(path, ".params.position.line") == 0) {
        m->line = reading->json.number;
    } else if (strcmp(path, ".params.position.character") == 0) {
        m->character = reading->json.number;
    } else if (strcmp(path, ".params.textDocument.version") == 0) {
        m->version = reading->json.number;
    }
    return KAL_OK;
}

// A key that is too long for a path is none that we look for: the path becomes one that fits
// nothing.
static void enter_key(Reading *reading)
{
    const size_t length = reading->lengths[reading->depth];
    const KalBlock *key = &reading->json.bytes;
    const bool fits = length + key->size + 2 <= PATH_SIZE;
    (void)snprintf(reading->path + length, PATH_SIZE - length, ".%.*s",
                   fits ? (int)key->size : 0,
                   key->size > 0 ? (const char *)key->data : "");
}

static KalStatus take(Reading *reading)
{
    switch (reading->json.event) {
    case KAL_JSON_KEY: enter_key(reading); return KAL_OK;
    case KAL_JSON_STRING: return take_string(reading);
    case KAL_JSON_NUMBER: return take_number(reading);
    case KAL_JSON_ARRAY:
    case KAL_JSON_OBJECT:
        reading->lengths[++reading->depth] = strlen(reading->path);
        return KAL_OK;
    case KAL_JSON_ARRAY_END:
    case KAL_JSON_OBJECT_END:
        reading->path[reading->lengths[reading->depth--]] = '\0';
        return KAL_OK;
    case KAL_JSON_NULL:
    case KAL_JSON_BOOL:
    case KAL_JSON_END: return KAL_OK;
    }
    return KAL_OK;
}

KalStatus kal_editor_message_init(KalEditorMessage *message, KalContext *ctx,
                                  const char *text, size_t length)
{
    assert(message && ctx && (text || length == 0));
    *message = (KalEditorMessage){.arena = NULL};
    KAL_TRY(kal_arena_create(ctx, ARENA_LIMIT, &message->arena));
    Reading reading = {.ctx = ctx, .message = message};
    kal_json_reader_init(&reading.json, ctx, "message", text ? text : "", length);
    KalStatus status = KAL_OK;
    do {
        status = kal_json_step(&reading.json);
        status = status == KAL_OK ? take(&reading) : status;
    } while (status == KAL_OK && reading.json.event != KAL_JSON_END);
    kal_json_reader_clear(&reading.json);
    return status;
}

void kal_editor_message_clear(KalEditorMessage *message)
{
    kal_arena_destroy(message->arena);
    message->arena = NULL;
}

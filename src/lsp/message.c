// SPDX-License-Identifier: MIT

// A message is walked through once, with the path of keys that leads to where the reader is:
// `params.textDocument.uri`.  Arrays do not count in paths.

#include "lsp/message.h"

#include "base/number.h"
#include "json/reader.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARENA_LIMIT = 64 << 20,
    HEADER_LIMIT = 200, // bytes of a line
    PATH_SIZE = 100
};

// The header.

static bool next_byte(KalLspInput *input, char *out_byte)
{
    if (input->used == input->count) {
        const KalLspChannel *channel = input->channel;
        input->used = 0;
        input->count = channel->read(channel->user, input->bytes, sizeof input->bytes);
        assert(input->count <= sizeof input->bytes);
    }
    if (input->count == 0) {
        return false;
    }
    *out_byte = input->bytes[input->used++];
    return true;
}

// A line without its end; false at the end of the input.
static bool read_line(KalLspInput *input, char line[HEADER_LIMIT])
{
    size_t length = 0;
    char byte = '\0';
    while (next_byte(input, &byte)) {
        if (byte == '\n') {
            line[length > 0 && line[length - 1] == '\r' ? length - 1 : length] = '\0';
            return true;
        }
        if (length < HEADER_LIMIT - 1) {
            line[length++] = byte;
        }
    }
    return false;
}

// The length that a header gives; other headers do not matter.
static bool find_length(const char *line, double *length)
{
    static const char name[] = "Content-Length:";
    if (strncmp(line, name, sizeof name - 1) != 0) {
        return true;
    }
    const char *digits = line + sizeof name - 1;
    digits += strspn(digits, " ");
    return kal_number_read(digits, length)
           && strspn(digits, "0123456789") == strlen(digits);
}

KalStatus kal_lsp_read(KalLspInput *input, KalBlock *body, bool *out_there)
{
    char line[HEADER_LIMIT];
    double length = -1.0;
    char byte = '\0';
    body->size = 0;
    do {
        *out_there = read_line(input, line);
        if (*out_there && !find_length(line, &length)) {
            return kal_fail(input->ctx, KAL_ERR_SYNTAX, "no length: '%.60s'", line);
        }
    } while (*out_there && line[0] != '\0');
    if (!*out_there) {
        return KAL_OK;
    }
    if (length < 0.0) {
        return kal_fail(input->ctx, KAL_ERR_SYNTAX, "a message without Content-Length");
    }
    if (length > KAL_LSP_MESSAGE_LIMIT) {
        return kal_fail(input->ctx, KAL_ERR_LIMIT, "a message of %.0f bytes", length);
    }
    while ((double)body->size < length && next_byte(input, &byte)) {
        KAL_TRY(kal_block_add(input->ctx, body, &byte, 1));
    }
    *out_there = (double)body->size == length;
    return KAL_OK;
}

// The body.

typedef struct Reading {
    KalContext *ctx;
    KalLspMessage *message;
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
    KalLspMessage *m = reading->message;
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
        return copy(reading, &m->text);
    }
    return KAL_OK;
}

static KalStatus take_number(Reading *reading)
{
    KalLspMessage *m = reading->message;
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

KalStatus kal_lsp_message_init(KalLspMessage *message, KalContext *ctx,
                               const char *text, size_t length)
{
    assert(message && ctx && (text || length == 0));
    *message = (KalLspMessage){.arena = NULL};
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

void kal_lsp_message_clear(KalLspMessage *message)
{
    kal_arena_destroy(message->arena);
    message->arena = NULL;
}

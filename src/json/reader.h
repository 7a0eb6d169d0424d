// SPDX-License-Identifier: MIT

/// @file
/// A reader of JSON text (RFC 8259) that builds nothing.
///
/// Each step finds the next event: a value, a key, or the beginning or end of an array
/// or object.  The reader sees to the grammar, so that its user meets events only in
/// the order that it allows: after a key comes its value, every beginning has its end.
/// What the events mean, and whether keys repeat, is the user's business.
///
/// A place in the text is its offset in bytes; line and column are counted only when
/// something is wrong there.  So a user may keep places of what it has read and
/// complain about them later with kal_json_fail().
///
/// Strict: text is valid UTF-8 without a byte order mark, no comments, no trailing
/// commas, no lone surrogates.  Numbers are read in any locale alike and rounded
/// exactly; one that no double can hold is an error.

#ifndef JSON_READER_H
#define JSON_READER_H

#include "base/block.h"

#include <stdbool.h>

enum {
    KAL_JSON_DEPTH = 64 ///< arrays and objects within each other
};

typedef enum KalJsonEvent {
    KAL_JSON_NULL,
    KAL_JSON_BOOL,
    KAL_JSON_NUMBER,
    KAL_JSON_STRING,
    KAL_JSON_ARRAY,
    KAL_JSON_OBJECT,
    KAL_JSON_KEY,
    KAL_JSON_ARRAY_END,
    KAL_JSON_OBJECT_END,
    KAL_JSON_END, ///< of the document
} KalJsonEvent;

/// What the grammar allows next.
typedef enum KalJsonExpected {
    KAL_JSON_EXPECT_VALUE,
    KAL_JSON_EXPECT_VALUE_OR_END, ///< just after "["
    KAL_JSON_EXPECT_KEY_OR_END,   ///< just after "{"
    KAL_JSON_EXPECT_COMMA_OR_END,
    KAL_JSON_EXPECT_NOTHING,
} KalJsonExpected;

typedef struct KalJsonReader {
    // found by kal_json_step
    KalJsonEvent event;
    size_t at;      ///< where the event begins
    double number;  ///< of a NUMBER
    bool truth;     ///< of a BOOL
    KalBlock bytes; ///< of a STRING or KEY, decoded, a NUL after them not counted

    // fixed by kal_json_reader_init
    KalContext *ctx;
    const char *name;
    const char *text;
    size_t length;

    // how far reading has come
    size_t offset;
    KalJsonExpected expected;
    int depth;
    bool in_object[KAL_JSON_DEPTH + 1]; // by depth, the document itself at 0
} KalJsonReader;

/// Begin to read `length` bytes; `name` stands for them in messages.  Both are borrowed
/// until kal_json_reader_clear().
void kal_json_reader_init(KalJsonReader *reader, KalContext *ctx, const char *name,
                          const char *text, size_t length);

/// Give back the reader's memory.
void kal_json_reader_clear(KalJsonReader *reader);

/// Find the next event.  KAL_ERR_SYNTAX, KAL_ERR_NUMBER (no double can hold it),
/// KAL_ERR_LIMIT (too deep) or KAL_ERR_NOMEM; after a failure the reader is only good
/// for clearing and kal_json_fail().
KAL_CHECKED KalStatus kal_json_step(KalJsonReader *reader);

/// Fail with `name:line:column: ` of the place before the message.
KalStatus kal_json_fail(const KalJsonReader *reader, size_t at, KalStatus status,
                        const char *format, ...) KAL_PRINTF(4, 5);

/// What an event is called in messages: "a number", "an array".
const char *kal_json_event_text(KalJsonEvent event);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// A writer of JSON text.
///
/// The caller writes beginnings, keys, values and ends in an order that makes sense;
/// the writer adds commas and quotes and sees to it that every piece is valid JSON in
/// valid UTF-8.  It allocates nothing and cannot fail: what becomes of the text is
/// the caller's business.

#ifndef JSON_WRITER_H
#define JSON_WRITER_H

#include <kalaba/text.h>

#include <stdbool.h>

/// Start with the sink set: where the text goes, piece by piece.
typedef struct KalJsonWriter {
    KalSink sink;
    bool comma; ///< a value came before on this level
} KalJsonWriter;

/// Begin an array, '[', or an object, '{'.
void kal_json_write_begin(KalJsonWriter *writer, char bracket);

/// End it: ']' or '}'.
void kal_json_write_end(KalJsonWriter *writer, char bracket);

void kal_json_write_key(KalJsonWriter *writer, const char *key);

/// Bytes that are not UTF-8 become U+FFFD.
void kal_json_write_string(KalJsonWriter *writer, const char *text);

/// With the fewest digits that read back equal; null when it is not finite.
void kal_json_write_number(KalJsonWriter *writer, double value);

void kal_json_write_bool(KalJsonWriter *writer, bool value);

void kal_json_write_null(KalJsonWriter *writer);

#endif

// SPDX-License-Identifier: MIT

// Members of objects, key and value in one call.  What a reader of JSON gets is decided
// here once: a missing text is null, a number that is not finite is null, and a matrix
// is an array of its rows.

#include "json/member.h"

#include <assert.h>
#include <stddef.h>

void kal_json_put_number(KalJsonWriter *writer, const char *key, double value)
{
    kal_json_write_key(writer, key);
    kal_json_write_number(writer, value);
}

void kal_json_put_bool(KalJsonWriter *writer, const char *key, bool value)
{
    kal_json_write_key(writer, key);
    kal_json_write_bool(writer, value);
}

void kal_json_put_text(KalJsonWriter *writer, const char *key, const char *text)
{
    assert(writer && key);
    kal_json_write_key(writer, key);
    if (text) {
        kal_json_write_string(writer, text);
    } else {
        kal_json_write_null(writer);
    }
}

void kal_json_put_names(KalJsonWriter *writer, const char *key,
                        const char *const *names, int count)
{
    assert(writer && key);
    assert(count >= 0 && (names || count == 0));
    kal_json_write_key(writer, key);
    kal_json_write_begin(writer, '[');
    for (int i = 0; i < count; i++) {
        kal_json_write_string(writer, names[i]);
    }
    kal_json_write_end(writer, ']');
}

void kal_json_put_values(KalJsonWriter *writer, const char *key,
                         const char *const *names, const double *values, int count)
{
    assert(writer && key && count >= 0);
    kal_json_write_key(writer, key);
    kal_json_write_begin(writer, '{');
    for (int i = 0; i < count; i++) {
        kal_json_put_number(writer, names[i], values[i]);
    }
    kal_json_write_end(writer, '}');
}

void kal_json_put_matrix(KalJsonWriter *writer, const char *key, const double *matrix,
                         int rows, int columns)
{
    assert(writer && key);
    assert(rows >= 0 && columns >= 0);
    kal_json_write_key(writer, key);
    kal_json_write_begin(writer, '[');
    for (int i = 0; i < rows; i++) {
        kal_json_write_begin(writer, '[');
        for (int j = 0; j < columns; j++) {
            kal_json_write_number(writer,
                                  matrix[(size_t)i * (size_t)columns + (size_t)j]);
        }
        kal_json_write_end(writer, ']');
    }
    kal_json_write_end(writer, ']');
}

// SPDX-License-Identifier: MIT

// JSON written as it comes, with nothing kept but whether a comma is due.  A number is
// written in the fewest digits that read back as the same double, one that is not finite as
// null.  Bytes that are not UTF-8 become U+FFFD, so that whatever is written can be read.

#include "json/writer.h"

#include "base/number.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(const KalJsonWriter *w, const char *text)
{
    assert(w->sink.write);
    w->sink.write(w->sink.user, text, strlen(text));
}

// Before every value but the first of its array or object, and not after a key.
static void put_comma(const KalJsonWriter *w)
{
    if (w->comma) {
        put(w, ", ");
    }
}

static void put_value(KalJsonWriter *w, const char *text)
{
    assert(text && text[0] != '\0');
    put_comma(w);
    put(w, text);
    w->comma = true;
}

void kal_json_write_begin(KalJsonWriter *w, char bracket)
{
    assert(bracket == '[' || bracket == '{');
    put_value(w, (const char[]){bracket, '\0'});
    w->comma = false;
}

void kal_json_write_end(KalJsonWriter *w, char bracket)
{
    assert(bracket == ']' || bracket == '}');
    w->comma = false;
    put_value(w, (const char[]){bracket, '\0'});
}

// \" and \\, and \u with four digits for control characters.
static void put_escaped(const KalJsonWriter *w, uint32_t code)
{
    assert(code <= 0xffff);
    char escape[8];
    if (code == '"' || code == '\\') {
        snprintf(escape, sizeof escape, "\\%c", (char)code);
    } else {
        snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(code & 0xffff));
    }
    put(w, escape);
}

// Texts come from anywhere: what is not UTF-8 is replaced.
static void put_string(const KalJsonWriter *w, const char *text)
{
    const size_t length = strlen(text);
    size_t taken;

    put(w, "\"");
    for (size_t i = 0; i < length; i += taken) {
        uint32_t code = 0;
        taken = kal_utf8_parse(text + i, length - i, &code);
        if (taken == 0) {
            put_escaped(w, 0xfffd);
            taken = 1;
        } else if (code < 0x20 || code == 0x7f || code == '"' || code == '\\') {
            put_escaped(w, code);
        } else {
            w->sink.write(w->sink.user, text + i, taken);
        }
    }
    put(w, "\"");
}

void kal_json_write_key(KalJsonWriter *w, const char *key)
{
    assert(key);
    put_comma(w);
    put_string(w, key);
    put(w, ": ");
    w->comma = false;
}

void kal_json_write_string(KalJsonWriter *w, const char *text)
{
    assert(text);
    put_comma(w);
    put_string(w, text);
    w->comma = true;
}

void kal_json_write_number(KalJsonWriter *w, double value)
{
    char text[KAL_NUMBER_SIZE];
    if (!isfinite(value)) {
        kal_json_write_null(w);
        return;
    }
    kal_number_print_exact(value, text);
    put_value(w, text);
}

void kal_json_write_bool(KalJsonWriter *w, bool value)
{
    put_value(w, value ? "true" : "false");
}

void kal_json_write_null(KalJsonWriter *w)
{
    put_value(w, "null");
}

// SPDX-License-Identifier: MIT

// A pull parser after RFC 8259: each step gives one event, a value, a key or the end of an
// array or object.  What may come next is one of five expectations, and which kind of nest
// it is in a bit for each level, so that it takes constant memory, no recursion, and time in
// proportion to the text.  The place of each event is kept for messages.

#include "json/reader.h"

#include "base/number.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    DETAIL_SIZE = 2048,
    NAME_SHOWN = 512, // bytes of a name that leave room for the rest of the message
    WORD_SHOWN = 16,
};

void kal_json_reader_init(KalJsonReader *reader, KalContext *ctx, const char *name,
                          const char *text, size_t length)
{
    assert(reader && ctx && name);
    assert(text || length == 0);
    *reader = (KalJsonReader){.ctx = ctx,
                              .name = name,
                              .text = text,
                              .length = length,
                              .expected = KAL_JSON_EXPECT_VALUE};
}

void kal_json_reader_clear(KalJsonReader *reader)
{
    kal_block_clear(reader->ctx, &reader->bytes);
}

const char *kal_json_event_text(KalJsonEvent event)
{
    switch (event) {
    case KAL_JSON_NULL: return "null";
    case KAL_JSON_BOOL: return "true or false";
    case KAL_JSON_NUMBER: return "a number";
    case KAL_JSON_STRING: return "a string";
    case KAL_JSON_ARRAY: return "an array";
    case KAL_JSON_OBJECT: return "an object";
    case KAL_JSON_KEY: return "a key";
    case KAL_JSON_ARRAY_END: return "the end of an array";
    case KAL_JSON_OBJECT_END: return "the end of an object";
    case KAL_JSON_END: return "the end of the text";
    }
    return "unknown";
}

// Columns count characters from 1: every byte but those that continue one.
KalStatus kal_json_fail(const KalJsonReader *reader, size_t at, KalStatus status,
                        const char *format, ...)
{
    size_t line = 1;
    size_t column = 1;
    for (size_t i = 0; i < at; i++) {
        const unsigned char c = (unsigned char)reader->text[i];
        line += c == '\n';
        column = c == '\n' ? 1 : column + ((c & 0xc0) != 0x80);
    }
    char detail[DETAIL_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);

    const size_t length = strlen(reader->name);
    const char *name = reader->name + (length > NAME_SHOWN ? length - NAME_SHOWN : 0);
    return kal_fail(reader->ctx, status, "%s:%zu:%zu: %s", name, line, column, detail);
}

static bool is_at_end(const KalJsonReader *r)
{
    return r->offset >= r->length;
}

// The next byte; NUL, which no rule accepts, at the end of the text.
static char next_byte(const KalJsonReader *r)
{
    assert(r->offset <= r->length);
    if (is_at_end(r)) {
        return '\0';
    }
    return r->text[r->offset];
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The letters, digits and underscores from here on.  JSON has only three words, but a
// message that quotes a wrong one should quote all of it.
static size_t word_length(const KalJsonReader *r)
{
    size_t length = 0;
    while (r->offset + length < r->length
           && is_word_byte(r->text[r->offset + length])) {
        length++;
    }
    return length;
}

// Say what stands at the offset, a whole word if there is one, and what should.
static KalStatus fail_expecting(const KalJsonReader *r, const char *expected)
{
    if (is_at_end(r)) {
        return kal_json_fail(r, r->offset, KAL_ERR_SYNTAX,
                             "the text ends here; expected %s", expected);
    }
    size_t length = word_length(r);
    length = length < WORD_SHOWN ? length : WORD_SHOWN;
    uint32_t code;
    if (length == 0) {
        length = kal_utf8_parse(r->text + r->offset, r->length - r->offset, &code);
    }
    if (length == 0) {
        return kal_json_fail(r, r->offset, KAL_ERR_SYNTAX,
                             "byte 0x%02x is not UTF-8; expected %s",
                             (unsigned)(unsigned char)next_byte(r), expected);
    }
    char found[KAL_PRINTABLE_SIZE];
    kal_printable_print(r->text + r->offset, length, found);
    return kal_json_fail(r, r->offset, KAL_ERR_SYNTAX, "'%s' found; expected %s", found,
                         expected);
}

static void skip_space(KalJsonReader *r)
{
    char c = next_byte(r);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        r->offset++;
        c = next_byte(r);
    }
}

// After a value: what the array, object or document around it allows.
static void close_value(KalJsonReader *r)
{
    r->expected = r->depth > 0 ? KAL_JSON_EXPECT_COMMA_OR_END : KAL_JSON_EXPECT_NOTHING;
}

static KalStatus add_character(KalJsonReader *r, uint32_t code)
{
    assert(code <= 0x10ffff);
    char bytes[4];
    const size_t length = kal_utf8_print(code, bytes);
    return kal_block_add(r->ctx, &r->bytes, bytes, length);
}

// Four hexadecimal digits at the offset.
static KalStatus parse_hex(KalJsonReader *r, uint32_t *out_code)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; i++, r->offset++) {
        const char c = next_byte(r);
        const char *digits = "0123456789abcdef0123456789ABCDEF";
        const char *digit = c != '\0' ? strchr(digits, c) : NULL;
        if (!digit) {
            return fail_expecting(r, "four hexadecimal digits after \\u");
        }
        code = code << 4 | (uint32_t)(digit - digits) % 16;
    }
    *out_code = code;
    return KAL_OK;
}

// After "\u": one escape, or the two of a surrogate pair.
static KalStatus parse_unicode_escape(KalJsonReader *r)
{
    const size_t at = r->offset - 2;
    uint32_t code = 0;
    KAL_TRY(parse_hex(r, &code));
    if (code < 0xd800 || code > 0xdfff) {
        return add_character(r, code);
    }
    uint32_t low = 0;
    const bool paired = code < 0xdc00 && r->length - r->offset >= 2
                        && memcmp(r->text + r->offset, "\\u", 2) == 0;
    if (paired) {
        r->offset += 2;
        KAL_TRY(parse_hex(r, &low));
    }
    if (low < 0xdc00 || low > 0xdfff) {
        return kal_json_fail(r, at, KAL_ERR_SYNTAX,
                             "half of a surrogate pair; expected both halves, \\ud800 "
                             "to \\udbff and then \\udc00 to \\udfff");
    }
    return add_character(r, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
}

// An escape other than \u is one letter; the two strings below list the letters and
// what they stand for in the same order.
static KalStatus parse_escape(KalJsonReader *r)
{
    assert(next_byte(r) == '\\');
    const char *letters = "\"\\/bfnrt";
    const char *meanings = "\"\\/\b\f\n\r\t";
    r->offset++;
    const char c = next_byte(r);
    if (c == 'u') {
        r->offset++;
        return parse_unicode_escape(r);
    }
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    if (!letter) {
        return fail_expecting(r, "one of \" \\ / b f n r t u after \\");
    }
    r->offset++;
    return add_character(r, (unsigned char)meanings[letter - letters]);
}

// Characters that stand for themselves, up to a quote, an escape or the end.
static KalStatus parse_plain(KalJsonReader *r)
{
    const size_t begin = r->offset;
    while (!is_at_end(r) && next_byte(r) != '"' && next_byte(r) != '\\') {
        uint32_t code = 0;
        const size_t size =
            kal_utf8_parse(r->text + r->offset, r->length - r->offset, &code);
        if (size == 0 || code < 0x20) {
            return fail_expecting(r, size == 0 ? "valid UTF-8 text"
                                               : "\\n, \\t or \\u00.. for a control "
                                                 "character in a string");
        }
        r->offset += size;
    }
    return kal_block_add(r->ctx, &r->bytes, r->text + begin, r->offset - begin);
}

// The text is collected in `bytes`, which keeps its memory from string to string.  It
// ends with a NUL that does not count, so that it can be used as a C string unless it
// contains \u0000.
static KalStatus parse_string(KalJsonReader *r)
{
    assert(next_byte(r) == '"');
    r->bytes.size = 0;
    r->offset++;
    while (next_byte(r) != '"') {
        if (is_at_end(r)) {
            return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                                 "a string without an end; expected a closing \"");
        }
        KAL_TRY(next_byte(r) == '\\' ? parse_escape(r) : parse_plain(r));
    }
    r->offset++;
    KAL_TRY(kal_block_add(r->ctx, &r->bytes, "", 1));
    r->bytes.size--;
    return KAL_OK;
}

static KalStatus skip_digits(KalJsonReader *r, const char *expected)
{
    assert(expected);
    if (!is_digit(next_byte(r))) {
        return fail_expecting(r, expected);
    }
    while (is_digit(next_byte(r))) {
        r->offset++;
    }
    return KAL_OK;
}

// Follows the grammar of RFC 8259, section 6, because the conversion below accepts more
// than that: hexadecimal digits, a leading plus, a bare point.
static KalStatus skip_number(KalJsonReader *r)
{
    r->offset += next_byte(r) == '-';
    const bool zero = next_byte(r) == '0';
    const size_t first = r->offset;
    KAL_TRY(skip_digits(r, "a digit"));
    if (zero && r->offset > first + 1) {
        return kal_json_fail(r, r->at, KAL_ERR_SYNTAX,
                             "a number begins with a needless 0; expected it without");
    }
    if (next_byte(r) == '.') {
        r->offset++;
        KAL_TRY(skip_digits(r, "a digit after the decimal point"));
    }
    if (next_byte(r) == 'e' || next_byte(r) == 'E') {
        r->offset++;
        r->offset += next_byte(r) == '+' || next_byte(r) == '-';
        KAL_TRY(skip_digits(r, "a digit in the exponent"));
    }
    return KAL_OK;
}

// Only the range is checked here; that the text is a number of JSON was checked by
// skipping it.
static KalStatus parse_number(KalJsonReader *r)
{
    assert(next_byte(r) == '-' || is_digit(next_byte(r)));
    assert(r->offset == r->at);
    KAL_TRY(skip_number(r));
    const size_t length = r->offset - r->at;
    assert(length > 0);
    const double number = kal_number_parse(r->text + r->at, length);
    if (!isfinite(number)) {
        char found[KAL_PRINTABLE_SIZE];
        kal_printable_print(r->text + r->at, length, found);
        return kal_json_fail(
            r, r->at, KAL_ERR_NUMBER,
            "the number %s is too large; expected less than 1.8e308 in "
            "magnitude",
            found);
    }
    r->event = KAL_JSON_NUMBER;
    r->number = number;
    close_value(r);
    return KAL_OK;
}

// The depth is limited so that the state of the reader has a fixed size.
static KalStatus open_nest(KalJsonReader *r, bool object)
{
    assert(next_byte(r) == '[' || next_byte(r) == '{');
    if (r->depth == KAL_JSON_DEPTH) {
        return kal_json_fail(r, r->at, KAL_ERR_LIMIT,
                             "arrays and objects too deep in each other; expected at "
                             "most %d levels",
                             KAL_JSON_DEPTH);
    }
    r->offset++;
    assert(r->depth < KAL_JSON_DEPTH);
    r->in_object[++r->depth] = object;
    r->event = object ? KAL_JSON_OBJECT : KAL_JSON_ARRAY;
    r->expected = object ? KAL_JSON_EXPECT_KEY_OR_END : KAL_JSON_EXPECT_VALUE_OR_END;
    return KAL_OK;
}

static KalStatus close_nest(KalJsonReader *r)
{
    assert(next_byte(r) == ']' || next_byte(r) == '}');
    r->offset++;
    assert(r->depth > 0);
    r->event = r->in_object[r->depth] ? KAL_JSON_OBJECT_END : KAL_JSON_ARRAY_END;
    r->depth--;
    close_value(r);
    return KAL_OK;
}

static bool is_word(const KalJsonReader *r, const char *word)
{
    assert(word);
    return word_length(r) == strlen(word)
           && memcmp(r->text + r->offset, word, strlen(word)) == 0;
}

static KalStatus parse_word(KalJsonReader *r)
{
    const bool is_true = is_word(r, "true");
    const bool is_null = is_word(r, "null");
    if (!is_true && !is_null && !is_word(r, "false")) {
        return fail_expecting(r, "a number, a string, an array, an object, true, false "
                                 "or null");
    }
    r->offset += word_length(r);
    r->event = is_null ? KAL_JSON_NULL : KAL_JSON_BOOL;
    r->truth = is_true;
    close_value(r);
    return KAL_OK;
}

// The first character alone decides what kind of value follows.
static KalStatus step_value(KalJsonReader *r)
{
    assert(r->expected != KAL_JSON_EXPECT_NOTHING);
    const char c = next_byte(r);
    r->at = r->offset;
    if (c == '[' || c == '{') {
        return open_nest(r, c == '{');
    }
    if (c == '-' || is_digit(c)) {
        return parse_number(r);
    }
    if (c != '"') {
        return parse_word(r);
    }
    KAL_TRY(parse_string(r));
    r->event = KAL_JSON_STRING;
    close_value(r);
    return KAL_OK;
}

static KalStatus step_key(KalJsonReader *r)
{
    assert(r->depth > 0 && r->in_object[r->depth]);
    r->at = r->offset;
    if (next_byte(r) != '"') {
        return fail_expecting(r, "a key in double quotes");
    }
    KAL_TRY(parse_string(r));
    skip_space(r);
    if (next_byte(r) != ':') {
        return fail_expecting(r, "':' after the key");
    }
    r->offset++;
    r->event = KAL_JSON_KEY;
    r->expected = KAL_JSON_EXPECT_VALUE;
    return KAL_OK;
}

// A comma must be followed by a member or an element: JSON has no trailing commas.
static KalStatus step_after_value(KalJsonReader *r)
{
    assert(r->depth > 0);
    const bool object = r->in_object[r->depth];
    if (next_byte(r) == (object ? '}' : ']')) {
        return close_nest(r);
    }
    if (next_byte(r) != ',') {
        return fail_expecting(r, object ? "',' or '}'" : "',' or ']'");
    }
    r->offset++;
    skip_space(r);
    return object ? step_key(r) : step_value(r);
}

static KalStatus step_end(KalJsonReader *r)
{
    assert(r->depth == 0);
    if (!is_at_end(r)) {
        return fail_expecting(r, "nothing after the end of the document");
    }
    r->event = KAL_JSON_END;
    return KAL_OK;
}

KalStatus kal_json_step(KalJsonReader *r)
{
    assert(r->depth >= 0 && r->depth <= KAL_JSON_DEPTH);
    skip_space(r);
    assert(r->offset <= r->length);
    r->at = r->offset;
    switch (r->expected) {
    case KAL_JSON_EXPECT_VALUE: break;
    case KAL_JSON_EXPECT_VALUE_OR_END:
        return next_byte(r) == ']' ? close_nest(r) : step_value(r);
    case KAL_JSON_EXPECT_KEY_OR_END:
        return next_byte(r) == '}' ? close_nest(r) : step_key(r);
    case KAL_JSON_EXPECT_COMMA_OR_END: return step_after_value(r);
    case KAL_JSON_EXPECT_NOTHING: return step_end(r);
    }
    return step_value(r);
}

// SPDX-License-Identifier: MIT

#include "json/member.h"
#include "tap.h"

typedef struct Text {
    char bytes[1024];
    size_t length;
} Text;

static void keep(void *user, const char *bytes, size_t length)
{
    Text *text = user;
    if (ok(text->length + length < sizeof text->bytes)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
    }
}

static void commas_come_by_themselves(void)
{
    Text text = {.length = 0};
    KalJsonWriter w = {
        .sink = {keep, &text}
    };
    kal_json_write_begin(&w, '{');
    kal_json_write_key(&w, "a");
    kal_json_write_begin(&w, '[');
    kal_json_write_number(&w, 1.0);
    kal_json_write_bool(&w, true);
    kal_json_write_begin(&w, '[');
    kal_json_write_end(&w, ']');
    kal_json_write_null(&w);
    kal_json_write_end(&w, ']');
    kal_json_write_key(&w, "b");
    kal_json_write_begin(&w, '{');
    kal_json_write_end(&w, '}');
    kal_json_write_key(&w, "c");
    kal_json_write_bool(&w, false);
    kal_json_write_end(&w, '}');
    same_text(text.bytes, "{\"a\": [1, true, [], null], \"b\": {}, \"c\": false}");
}

static void members_have_a_key_and_a_value(void)
{
    static const char *const names[] = {"x", "y"};
    static const double numbers[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    Text text = {.length = 0};
    KalJsonWriter w = {
        .sink = {keep, &text}
    };
    kal_json_write_begin(&w, '{');
    kal_json_put_number(&w, "n", 0.5);
    kal_json_put_bool(&w, "b", true);
    kal_json_put_text(&w, "s", "t");
    kal_json_put_text(&w, "none", NULL);
    kal_json_put_names(&w, "names", names, 2);
    kal_json_put_values(&w, "values", names, numbers, 2);
    kal_json_put_matrix(&w, "A", numbers, 2, 3);
    kal_json_put_matrix(&w, "empty", NULL, 0, 3);
    kal_json_write_end(&w, '}');
    same_text(text.bytes,
              "{\"n\": 0.5, \"b\": true, \"s\": \"t\", \"none\": null, "
              "\"names\": [\"x\", \"y\"], \"values\": {\"x\": 1, \"y\": 2}, "
              "\"A\": [[1, 2, 3], [4, 5, 6]], \"empty\": []}");
}

static void writes_string(const char *string, const char *want)
{
    Text text = {.length = 0};
    KalJsonWriter w = {
        .sink = {keep, &text}
    };
    kal_json_write_string(&w, string);
    same_text(text.bytes, want);
}

static void strings_are_valid_whatever_they_hold(void)
{
    writes_string("", "\"\"");
    writes_string("a \"b\" \\c", "\"a \\\"b\\\" \\\\c\"");
    writes_string("\n\t\x1b\x7f", "\"\\u000a\\u0009\\u001b\\u007f\"");
    writes_string("θ €", "\"θ €\"");
    writes_string("a\xff\xc3", "\"a\\ufffd\\ufffd\"");
}

static void numbers_are_valid_whatever_they_are(void)
{
    Text text = {.length = 0};
    KalJsonWriter w = {
        .sink = {keep, &text}
    };
    kal_json_write_begin(&w, '[');
    kal_json_write_number(&w, 0.1);
    kal_json_write_number(&w, NAN);
    kal_json_write_number(&w, INFINITY);
    kal_json_write_number(&w, -1e-300);
    kal_json_write_end(&w, ']');
    same_text(text.bytes, "[0.1, null, null, -1e-300]");
}

TAP_RUN(TAP_CASE(commas_come_by_themselves), TAP_CASE(members_have_a_key_and_a_value),
        TAP_CASE(strings_are_valid_whatever_they_hold),
        TAP_CASE(numbers_are_valid_whatever_they_are))

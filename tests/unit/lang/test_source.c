// SPDX-License-Identifier: MIT

#include "lab.h"

static void text_and_name_are_copied(void)
{
    char name[] = "name";
    char text[] = "text";
    KalContext *ctx = NULL;
    KalSource *source = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_source_create(ctx, name, text, 4, &source) == KAL_OK);
    name[0] = text[0] = '!';
    same_text(source->name, "name");
    same_text(source->text, "text");
    ok(source->length == 4);
    kal_source_destroy(ctx, source);
    kal_source_destroy(ctx, NULL);
    ok(kal_source_create(ctx, "", NULL, 0, &source) == KAL_OK);
    same_text(source->text, "");
    kal_source_destroy(ctx, source);
    kal_context_destroy(ctx);
}

static void too_long_a_text_is_refused(void)
{
    KalContext *ctx = NULL;
    KalSource *source = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const size_t before = kal_context_bytes(ctx);
    ok(kal_source_create(ctx, "long", "", KAL_SOURCE_LIMIT + 1, &source)
       == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "long: a text of 4194305 bytes is too long");
    ok(!source && kal_context_bytes(ctx) == before);
    kal_context_destroy(ctx);
}

static void places_count_lines_and_characters(void)
{
    const KalSource source = {.name = "m", .text = "aθ\n\r\nb", .length = 7};

    static const struct {
        uint32_t at;
        size_t line;
        size_t column;
    } places[] = {
        {0, 1, 1},
        {1, 1, 2},
        {3, 1, 3},
        {4, 2, 1},
        {6, 3, 1},
        {7, 3, 2}
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const KalPlace place = kal_source_place(&source, places[i].at);
        ok(place.line == places[i].line && place.column == places[i].column);
    }
}

static void bytes_that_are_not_utf8_are_found(void)
{
    refuses("let a = 1\nlet \xc3( = 2", "m:2:5: error: byte 0xc3 is not UTF-8");
    refuses("# \xff", "m:1:3: error: byte 0xff is not UTF-8; a model is a UTF-8 text");
    refuses("let \xed\xa0\x80 = 1", "m:1:5: error: byte 0xed is not UTF-8");
}

static void a_byte_of_zero_is_no_end(void)
{
    Lab lab;
    lab_open_with(&lab, "let a = 1\0 + 2", 14, -1);
    ok(lab.status == KAL_ERR_SYNTAX);
    has_text(lab_errors(&lab), "m:1:10: error: '\\u{0}' has no meaning in a model");
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(text_and_name_are_copied), TAP_CASE(too_long_a_text_is_refused),
        TAP_CASE(places_count_lines_and_characters),
        TAP_CASE(bytes_that_are_not_utf8_are_found), TAP_CASE(a_byte_of_zero_is_no_end))

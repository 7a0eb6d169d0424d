// SPDX-License-Identifier: MIT

#include "base/utf8.h"
#include "tap.h"

static void every_character_reads_back(void)
{
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code == 0xd800) {
            code = 0xe000;
        }
        char bytes[4];
        uint32_t got = 0xffffffff;
        const size_t length = kal_utf8_print(code, bytes);
        ok(kal_utf8_parse(bytes, length, &got) == length && got == code);
        ok(kal_utf8_parse(bytes, length - 1, &got) == 0);
    }
}

static void invalid_bytes_are_refused(void)
{
    const char *bad[] = {
        "\x80",             // continues nothing
        "\xc0\x80",         // overlong
        "\xc1\xbf",         // overlong
        "\xe0\x9f\xbf",     // overlong
        "\xf0\x8f\xbf\xbf", // overlong
        "\xed\xa0\x80",     // surrogate
        "\xf4\x90\x80\x80", // beyond the last character
        "\xf5\x80\x80\x80", // no first byte
        "\xff",             // no first byte
        "\xe2\x28\xa1",     // second byte does not continue
        "\xc3",             // cut
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t code = 42;
        ok(kal_utf8_parse(bad[i], strlen(bad[i]), &code) == 0);
        ok(code == 42);
    }
    uint32_t code = 42;
    ok(kal_utf8_parse("", 0, &code) == 0);
}

static void shows(const char *text, size_t length, const char *want)
{
    char got[KAL_PRINTABLE_SIZE];
    kal_printable_print(text, length, got);
    same_text(got, want);
}

static void harmless_text_is_shown_as_it_is(void)
{
    shows("", 0, "");
    shows("link[3].a'", 10, "link[3].a'");
    shows("θ̇", strlen("θ̇"), "θ̇");
}

static void harmful_text_is_escaped(void)
{
    shows("a\nb\x1b[31m", 8, "a\\u{a}b\\u{1b}[31m");
    shows("a\0b", 3, "a\\u{0}b");
    shows("\x7f", 1, "\\u{7f}");
    shows("\xc2\x9b", 2, "\\u{9b}");
    shows("\xe2\x80\xae", 3, "\\u{202e}");
    shows("\xf3\xa0\x81\x81", 4, "\\u{e0041}");
    shows("a\xff", 2, "a\\u{fffd}");
}

static void long_text_loses_its_middle(void)
{
    shows("0123456789012345678901234567890123456789", 40,
          "0123456789012345678901234567890123456789");
    shows("01234567890123456789012345678901234567890", 41,
          "01234567890123456789012345678…1234567890");
    char worst[1000];
    memset(worst, 0x1b, sizeof worst);
    char got[KAL_PRINTABLE_SIZE];
    kal_printable_print(worst, sizeof worst, got);
    ok(strlen(got) == 39 * strlen("\\u{1b}") + strlen("…"));
}

static void any_bytes_can_be_read(void)
{
    uint32_t code = 0;
    ok(kal_utf8_parse_any("\xce\xb8", 2, &code) == 2 && code == 0x3b8);
    ok(kal_utf8_parse_any("\xce", 1, &code) == 1 && code == 0xfffd);
    ok(kal_utf8_parse_any("\xffz", 2, &code) == 1 && code == 0xfffd);
    ok(kal_utf8_parse_any("", 1, &code) == 1 && code == 0);
}

static void one_character_is_printed_safely(void)
{
    char text[KAL_ESCAPE_SIZE];
    ok(kal_printable_print_character('a', text) == 1);
    same_text(text, "a");
    ok(kal_printable_print_character(0x3b8, text) == 2);
    same_text(text, "\xce\xb8");
    ok(kal_printable_print_character(0x1b, text) == 6);
    same_text(text, "\\u{1b}");
    ok(kal_printable_print_character(0xe0fff, text) == 9);
    same_text(text, "\\u{e0fff}");
}

static void append(void *user, const char *text, size_t length)
{
    strncat((char *)user, text, length);
}

static void text_is_written_up_to_a_limit(void)
{
    char text[64] = "";
    const KalSink sink = {append, text};
    kal_printable_write(sink,
                        "a\x1b"
                        "b",
                        3);
    same_text(text, "a\\u{1b}b");
    text[0] = '\0';
    kal_printable_write(sink, "\xce\xb8 abc", 2);
    same_text(text, "\xce\xb8 …");
}

TAP_RUN(TAP_CASE(text_is_written_up_to_a_limit), TAP_CASE(any_bytes_can_be_read),
        TAP_CASE(one_character_is_printed_safely), TAP_CASE(every_character_reads_back),
        TAP_CASE(invalid_bytes_are_refused), TAP_CASE(harmless_text_is_shown_as_it_is),
        TAP_CASE(harmful_text_is_escaped), TAP_CASE(long_text_loses_its_middle))

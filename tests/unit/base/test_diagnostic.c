// SPDX-License-Identifier: MIT

#include "base/diagnostic.h"
#include "fault.h"
#include "tap.h"

enum {
    SHOWN_SIZE = 1 << 18
};

static char shown[SHOWN_SIZE];
static size_t shown_length;

static void keep(void *user, const char *text, size_t length)
{
    (void)user;
    if (shown_length + length < SHOWN_SIZE) {
        memcpy(shown + shown_length, text, length);
        shown_length += length;
    }
    shown[shown_length] = '\0';
}

static const char *show(const KalDiagnostics *list)
{
    shown_length = 0;
    shown[0] = '\0';
    kal_diagnostics_write(list, (KalSink){.write = keep});
    return shown;
}

static KalSource source_of(const char *text)
{
    return (KalSource){.name = "m.kal", .text = text, .length = (uint32_t)strlen(text)};
}

// One error, from byte `begin` to byte `end`, looks like this.
static void shows(const char *text, uint32_t begin, uint32_t end, const char *want)
{
    const KalSource source = source_of(text);
    KalContext *ctx = NULL;
    KalDiagnostics *list = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, (KalSpan){&source, begin, end},
                        "bad");
    same_text(show(list), want);
    kal_diagnostics_destroy(list);
    kal_context_destroy(ctx);
}

static void the_line_and_a_mark_are_shown(void)
{
    shows("kinetic 1 + )\n", 12, 13,
          "m.kal:1:13: error: bad\n    kinetic 1 + )\n                ^\n");
    shows("a\nlet bad = 1\nc", 6, 9,
          "m.kal:2:5: error: bad\n    let bad = 1\n        ^~~\n");
    shows("a\r\nbb\r\n", 3, 5, "m.kal:2:1: error: bad\n    bb\n    ^~\n");
    shows("", 0, 0, "m.kal:1:1: error: bad\n    \n    ^\n");
    shows("abc", 3, 3, "m.kal:1:4: error: bad\n    abc\n       ^\n");
    shows("abc\n", 3, 4, "m.kal:1:4: error: bad\n    abc\n       ^\n");
    shows("abc\n", 4, 4, "m.kal:2:1: error: bad\n    \n    ^\n");
    shows("ab\ncd", 1, 5, "m.kal:1:2: error: bad\n    ab\n     ^\n");
}

static void columns_count_characters_and_marks_stand_below(void)
{
    shows("θθ = x", 7, 8, "m.kal:1:6: error: bad\n    θθ = x\n         ^\n");
    shows("\tθ\tx", 4, 5, "m.kal:1:4: error: bad\n        θ    x\n             ^\n");
    shows("# 日本 x", 9, 10, "m.kal:1:6: error: bad\n    # 日本 x\n           ^\n");
    shows("e\xcc\x81 x", 4, 5, "m.kal:1:4: error: bad\n    e\xcc\x81 x\n      ^\n");
}

static void what_a_terminal_obeys_is_escaped(void)
{
    shows("a\x1b[31m x", 7, 8,
          "m.kal:1:8: error: bad\n    a\\u{1b}[31m x\n                ^\n");
    shows("\xff x", 2, 3, "m.kal:1:3: error: bad\n    \\u{fffd} x\n             ^\n");
    shows("\xe2\x80\xae x", 4, 5,
          "m.kal:1:3: error: bad\n    \\u{202e} x\n             ^\n");

    const KalSource source = {.name = "\x1b"
                                      "c",
                              .text = "a",
                              .length = 1};
    KalContext *ctx = NULL;
    KalDiagnostics *list = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    kal_diagnostics_add(list, KAL_SEVERITY_WARNING, (KalSpan){&source, 0, 1}, "%s",
                        "\a!\n");
    same_text(show(list), "\\u{1b}c:1:1: warning: \\u{7}!\\u{a}\n    a\n    ^\n");
    kal_diagnostics_destroy(list);
    kal_context_destroy(ctx);
}

static void of_long_lines_the_part_near_the_mark_is_shown(void)
{
    static char text[1001];
    memset(text, 'a', sizeof text - 1);
    text[500] = 'X';
    shows(text, 500, 503,
          "m.kal:1:501: error: bad\n"
          "    "
          "…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaXaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaa…\n"
          "                                                                 ^~~\n");
    text[500] = 'a';
    shows(text, 0, 1000,
          "m.kal:1:1: error: bad\n"
          "    "
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaa…\n"
          "    "
          "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~"
          "~~~~~~~~~~~~~\n");
    shows(text, 1000, 1000,
          "m.kal:1:1001: error: bad\n"
          "    …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"
          "                                                                 ^\n");
}

// Whatever the line holds and wherever the mark is, no line shown is wider than the
// window and its border.
static void any_line_can_be_shown(void)
{
    static const char *const pieces[] = {"a", "θ", "日", "\t", "\x1b", "\xff", " "};
    static char text[4000];
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (unsigned seed = 0; seed < 300; seed++) {
        text[0] = '\0';
        unsigned state = seed;
        for (unsigned i = 0; i < seed * 7 % 1000; i++) {
            state = state * 1103515245U + 12345U;
            strcat(text, pieces[(state >> 16) % 7]);
        }
        const KalSource source = source_of(text);
        KalDiagnostics *list = NULL;
        ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
        const uint32_t begin = source.length > 0 ? state % source.length : 0;
        kal_diagnostics_add(list, KAL_SEVERITY_ERROR,
                            (KalSpan){&source, begin, source.length}, "bad");
        const char *mark = strrchr(show(list), '^');
        ok(mark && strlen(mark) < 100);
        kal_diagnostics_destroy(list);
    }
    kal_context_destroy(ctx);
}

static void the_list_has_a_limit(void)
{
    const KalSource source = source_of("abc");
    const KalSpan span = {&source, 1, 2};
    KalContext *ctx = NULL;
    KalDiagnostics *list = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    for (int i = 0; i < 3 * KAL_DIAGNOSTIC_LIMIT; i++) {
        kal_diagnostics_add(list, KAL_SEVERITY_WARNING, span, "warning %d", i);
    }
    kal_diagnostics_add(list, KAL_SEVERITY_NOTE, span, "of a warning that is not kept");
    const size_t bytes = kal_context_bytes(ctx);
    kal_diagnostics_add(list, KAL_SEVERITY_WARNING, span, "not kept");
    ok(kal_context_bytes(ctx) == bytes);
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, span, "one error");
    kal_diagnostics_add(list, KAL_SEVERITY_NOTE, span, "of an error");
    ok(kal_diagnostics_status(list) == KAL_OK);
    ok(kal_diagnostics_count(list, KAL_SEVERITY_WARNING)
       == 3 * KAL_DIAGNOSTIC_LIMIT + 1);
    ok(kal_diagnostics_count(list, KAL_SEVERITY_ERROR) == 1);
    int kept = 0;
    for (const KalDiagnostic *d = kal_diagnostics_first(list); d; d = d->next) {
        kept++;
    }
    ok(kept == KAL_DIAGNOSTIC_LIMIT + 2);
    has_text(show(list), "warning 99\n");
    ok(!strstr(shown, "warning 100"));
    ok(!strstr(shown, "not kept"));
    has_text(shown, "error: one error\n");
    has_text(shown, "note: of an error\n");
    has_text(shown, "and 201 more warnings\n");
    ok(!strstr(shown, "more error"));
    kal_diagnostics_destroy(list);
    kal_diagnostics_destroy(NULL);
    kal_context_destroy(ctx);
}

// Room for as much as the limits allow, with the longest messages.
static void long_messages_fit_and_are_cut_between_characters(void)
{
    static char message[4001];
    for (int i = 0; i < 4000; i += 2) {
        memcpy(message + i, "θ", 2);
    }
    KalContext *ctx = NULL;
    KalDiagnostics *list = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    for (int i = 0; i < 2 * KAL_DIAGNOSTIC_LIMIT; i++) {
        const KalSpan nowhere = {NULL, 0, 0};
        kal_diagnostics_add(list, KAL_SEVERITY_ERROR, nowhere, ".%s", message);
        kal_diagnostics_add(list, KAL_SEVERITY_WARNING, nowhere, "%s", message);
        kal_diagnostics_add(list, KAL_SEVERITY_NOTE, nowhere, "%s", message);
    }
    ok(kal_diagnostics_status(list) == KAL_OK);
    const KalDiagnostic *first = kal_diagnostics_first(list);
    ok(strlen(first->message) == 999 && first->message[998] == '\xb8');
    ok(strlen(first->next->message) == 1000);
    ok(strncmp(show(list), "error: .θ", 10) == 0);
    kal_diagnostics_destroy(list);
    kal_context_destroy(ctx);
}

static void the_first_error_explains_a_failure(void)
{
    static char name[2000];
    memset(name, 'n', sizeof name - 1);
    const KalSource source = {.name = name, .text = "a\nb", .length = 3};
    const KalSpan span = {&source, 2, 3};
    KalContext *ctx = NULL;
    KalDiagnostics *list = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    kal_diagnostics_add(list, KAL_SEVERITY_WARNING, span, "a warning");
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, span, "the first");
    ok(kal_diagnostics_fail(list, KAL_ERR_SYNTAX) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "nnn:2:1: the first");
    ok(!strstr(kal_context_message(ctx), "more"));
    ok(strlen(kal_context_message(ctx)) < 600);
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, span, "the second");
    ok(kal_diagnostics_fail(list, KAL_ERR_LIMIT) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "the first (and 1 more error)");
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, span, "the third");
    ok(kal_diagnostics_fail(list, KAL_ERR_LIMIT) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "the first (and 2 more errors)");
    kal_diagnostics_destroy(list);

    ok(kal_diagnostics_create(ctx, &list) == KAL_OK);
    kal_diagnostics_add(list, KAL_SEVERITY_ERROR, (KalSpan){NULL, 0, 0}, "nowhere");
    ok(kal_diagnostics_fail(list, KAL_ERR_SYNTAX) == KAL_ERR_SYNTAX);
    same_text(kal_context_message(ctx), "nowhere");
    kal_diagnostics_destroy(list);
    kal_context_destroy(ctx);
}

// Without memory a list still counts, and says that something is missing.
static void every_allocation_may_fail(void)
{
    const KalSource source = source_of("abc");
    bool whole = false;
    for (long n = 0; !whole && n < 100; n++) {
        Fault fault = {.calls_left = n};
        KalContext *ctx = NULL;
        KalDiagnostics *list = NULL;
        if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
            continue;
        }
        if (kal_diagnostics_create(ctx, &list) == KAL_OK) {
            for (int i = 0; i < 120; i++) {
                kal_diagnostics_add(list, KAL_SEVERITY_ERROR, (KalSpan){&source, 0, 1},
                                    "error %0100d", i);
            }
            ok(kal_diagnostics_count(list, KAL_SEVERITY_ERROR) == 120);
            whole = kal_diagnostics_status(list) == KAL_OK;
            ok(whole || kal_diagnostics_status(list) == KAL_ERR_NOMEM);
            has_text(show(list), whole ? "and 20 more errors" : "more errors");
            const KalStatus status = kal_diagnostics_fail(list, KAL_ERR_SYNTAX);
            ok(status
               == (kal_diagnostics_first(list) ? KAL_ERR_SYNTAX : KAL_ERR_NOMEM));
        }
        kal_diagnostics_destroy(list);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(whole);
}

TAP_RUN(TAP_CASE(the_line_and_a_mark_are_shown),
        TAP_CASE(columns_count_characters_and_marks_stand_below),
        TAP_CASE(what_a_terminal_obeys_is_escaped),
        TAP_CASE(of_long_lines_the_part_near_the_mark_is_shown),
        TAP_CASE(any_line_can_be_shown), TAP_CASE(the_list_has_a_limit),
        TAP_CASE(long_messages_fit_and_are_cut_between_characters),
        TAP_CASE(the_first_error_explains_a_failure),
        TAP_CASE(every_allocation_may_fail))

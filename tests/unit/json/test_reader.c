// SPDX-License-Identifier: MIT

#include "fault.h"
#include "json/reader.h"
#include "tap.h"

enum {
    TRACE_SIZE = 4096
};

static void add_event(const KalJsonReader *r, char *trace)
{
    const size_t used = strlen(trace);
    char *end = trace + used;
    const size_t left = TRACE_SIZE - used;
    const char *string = r->bytes.data;
    switch (r->event) {
    case KAL_JSON_NULL: snprintf(end, left, "null "); break;
    case KAL_JSON_BOOL: snprintf(end, left, r->truth ? "true " : "false "); break;
    case KAL_JSON_NUMBER: snprintf(end, left, "%g ", r->number); break;
    case KAL_JSON_STRING: snprintf(end, left, "'%s' ", string); break;
    case KAL_JSON_ARRAY: snprintf(end, left, "[ "); break;
    case KAL_JSON_OBJECT: snprintf(end, left, "{ "); break;
    case KAL_JSON_KEY: snprintf(end, left, "%s: ", string); break;
    case KAL_JSON_ARRAY_END: snprintf(end, left, "] "); break;
    case KAL_JSON_OBJECT_END: snprintf(end, left, "} "); break;
    case KAL_JSON_END: snprintf(end, left, "."); break;
    }
}

// Read a text to its end or its first error; the trace holds the events or the message.
static KalStatus trace_text(Fault *fault, const char *text, size_t length, char *trace)
{
    KalContext *ctx = NULL;
    KalStatus status = kal_context_create(fault_alloc, fault, &ctx);
    if (status != KAL_OK) {
        return status;
    }
    // A copy without a NUL shows reading beyond the end to the sanitizer.
    char *exact = malloc(length > 0 ? length : 1);
    if (!exact) {
        abort();
    }
    memcpy(exact, text, length);

    KalJsonReader r;
    kal_json_reader_init(&r, ctx, "t", exact, length);
    trace[0] = '\0';
    do {
        status = kal_json_step(&r);
        if (status == KAL_OK) {
            add_event(&r, trace);
        }
    } while (status == KAL_OK && r.event != KAL_JSON_END);
    if (status != KAL_OK) {
        snprintf(trace, TRACE_SIZE, "%s", kal_context_message(ctx));
    }
    kal_json_reader_clear(&r);
    kal_context_destroy(ctx);
    free(exact);
    return status;
}

static void reads(const char *text, const char *want)
{
    Fault fault = {.calls_left = -1};
    char trace[TRACE_SIZE];
    ok(trace_text(&fault, text, strlen(text), trace) == KAL_OK);
    same_text(trace, want);
    ok(fault.live_bytes == 0);
}

static void refuses(const char *text, KalStatus status, const char *want)
{
    Fault fault = {.calls_left = -1};
    char trace[TRACE_SIZE];
    ok(trace_text(&fault, text, strlen(text), trace) == status);
    has_text(trace, want);
    ok(fault.live_bytes == 0);
}

static void values_become_events(void)
{
    reads("null", "null .");
    reads(" \t\r\n true ", "true .");
    reads("[]", "[ ] .");
    reads("{}", "{ } .");
    reads("[1,-2.5e1,false]", "[ 1 -25 false ] .");
    reads("{\"a\" : [ {} , \"b\" ], \"c\":null}", "{ a: [ { } 'b' ] c: null } .");
    reads("[0, -0, 0.5, 1E2, 1e+2, 1e-2]", "[ 0 -0 0.5 100 100 0.01 ] .");
}

static void escapes_are_decoded(void)
{
    reads("\"\\\"\\\\\\/\"", "'\"\\/' .");
    reads("\"\\b\\f\\n\\r\\t\"", "'\b\f\n\r\t' .");
    reads("\"\\u00e9\\u03B8\"", "'éθ' .");
    reads("\"\\ud834\\udd1e\"", "'\xf0\x9d\x84\x9e' .");
    reads("\"é€\xf0\x9d\x84\x9e\"", "'é€\xf0\x9d\x84\x9e' .");
    reads("\"\"", "'' .");
}

static void bad_grammar_is_refused_with_its_place(void)
{
    refuses("", KAL_ERR_SYNTAX, "t:1:1: the text ends here; expected a number");
    refuses("[1,]", KAL_ERR_SYNTAX, "t:1:4: ']' found; expected a number");
    refuses("[1 2]", KAL_ERR_SYNTAX, "t:1:4: '2' found; expected ',' or ']'");
    refuses("[1\n,\n 2}", KAL_ERR_SYNTAX, "t:3:3: '}' found; expected ',' or ']'");
    refuses("{\"a\":1,}", KAL_ERR_SYNTAX, "t:1:8: '}' found; expected a key");
    refuses("{a:1}", KAL_ERR_SYNTAX, "t:1:2: 'a' found; expected a key");
    refuses("{\"a\" 1}", KAL_ERR_SYNTAX, "t:1:6: '1' found; expected ':'");
    refuses("{\"a\":1 \"b\"", KAL_ERR_SYNTAX, "t:1:8: '\"' found; expected ',' or '}'");
    refuses("[1] []", KAL_ERR_SYNTAX, "t:1:5: '[' found; expected nothing");
    refuses("[", KAL_ERR_SYNTAX, "t:1:2: the text ends here");
    refuses("]", KAL_ERR_SYNTAX, "t:1:1: ']' found");
    refuses("// x\n1", KAL_ERR_SYNTAX, "t:1:1: '/' found");
    refuses("'a'", KAL_ERR_SYNTAX, "t:1:1: ''' found");
    refuses("\xef\xbb\xbf{}", KAL_ERR_SYNTAX, "t:1:1: '\\u{feff}' found");
    refuses("nul", KAL_ERR_SYNTAX, "t:1:1: 'nul' found");
    refuses("nulls", KAL_ERR_SYNTAX, "t:1:1: 'nulls' found");
    refuses("[NaN]", KAL_ERR_SYNTAX, "t:1:2: 'NaN' found");
    refuses("[-Infinity]", KAL_ERR_SYNTAX, "t:1:3: 'Infinity' found; expected a digit");
    refuses("[\x80]", KAL_ERR_SYNTAX, "t:1:2: byte 0x80 is not UTF-8");
}

static void columns_count_characters(void)
{
    refuses("[\"é\", \"θθ\", x]", KAL_ERR_SYNTAX, "t:1:13: 'x' found");
    refuses("[\r\n\r\n  x]", KAL_ERR_SYNTAX, "t:3:3: 'x' found");
}

static void bad_numbers_are_refused(void)
{
    refuses("01", KAL_ERR_SYNTAX, "t:1:1: a number begins with a needless 0");
    refuses("-", KAL_ERR_SYNTAX, "t:1:2: the text ends here; expected a digit");
    refuses("+1", KAL_ERR_SYNTAX, "t:1:1: '+' found");
    refuses(".5", KAL_ERR_SYNTAX, "t:1:1: '.' found");
    refuses("1.", KAL_ERR_SYNTAX, "t:1:3: the text ends here; expected a digit");
    refuses("1e", KAL_ERR_SYNTAX, "t:1:3: the text ends here; expected a digit");
    refuses("1e+", KAL_ERR_SYNTAX, "t:1:4: the text ends here; expected a digit");
    refuses("0x10", KAL_ERR_SYNTAX, "t:1:2: 'x10' found");
    refuses("[1e999]", KAL_ERR_NUMBER, "t:1:2: the number 1e999 is too large");
}

static void bad_strings_are_refused(void)
{
    refuses("\"abc", KAL_ERR_SYNTAX, "t:1:1: a string without an end");
    refuses("\"abc\\", KAL_ERR_SYNTAX, "t:1:6: the text ends here; expected one of");
    refuses("\"\\x\"", KAL_ERR_SYNTAX, "t:1:3: 'x' found; expected one of");
    refuses("\"\\u12g4\"", KAL_ERR_SYNTAX, "t:1:6: 'g4' found; expected four hexa");
    refuses("\"\\u12", KAL_ERR_SYNTAX, "t:1:6: the text ends here; expected four hexa");
    refuses("\"\\ud800\"", KAL_ERR_SYNTAX, "t:1:2: half of a surrogate pair");
    refuses("\"\\udc00\"", KAL_ERR_SYNTAX, "t:1:2: half of a surrogate pair");
    refuses("\"\\ud800\\u0041\"", KAL_ERR_SYNTAX, "t:1:2: half of a surrogate pair");
    refuses("\"\\ud800\\n\"", KAL_ERR_SYNTAX, "t:1:2: half of a surrogate pair");
    refuses("\"a\nb\"", KAL_ERR_SYNTAX, "t:1:3: '\\u{a}' found; expected \\n, \\t");
    refuses("\"a\xc3(\"", KAL_ERR_SYNTAX, "t:1:3: byte 0xc3 is not UTF-8");
}

static void bytes_of_zero_are_like_any_other(void)
{
    Fault fault = {.calls_left = -1};
    char trace[TRACE_SIZE];
    ok(trace_text(&fault, "[1\0]", 4, trace) == KAL_ERR_SYNTAX);
    has_text(trace, "t:1:3: '\\u{0}' found");
    ok(trace_text(&fault, "\"\0\"", 3, trace) == KAL_ERR_SYNTAX);
    has_text(trace, "t:1:2: '\\u{0}' found");
    ok(trace_text(&fault, "\0", 1, trace) == KAL_ERR_SYNTAX);
}

static void depth_has_a_limit(void)
{
    char text[2 * KAL_JSON_DEPTH + 3];
    memset(text, '[', KAL_JSON_DEPTH);
    memset(text + KAL_JSON_DEPTH, ']', KAL_JSON_DEPTH);
    Fault fault = {.calls_left = -1};
    char trace[TRACE_SIZE];
    ok(trace_text(&fault, text, 2 * KAL_JSON_DEPTH, trace) == KAL_OK);
    memset(text, '[', KAL_JSON_DEPTH + 1);
    ok(trace_text(&fault, text, KAL_JSON_DEPTH + 1, trace) == KAL_ERR_LIMIT);
    has_text(trace, "t:1:65: arrays and objects too deep");
}

static void long_names_leave_room_for_the_message(void)
{
    char name[8000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalJsonReader r;
    kal_json_reader_init(&r, ctx, name, "x", 1);
    ok(kal_json_step(&r) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "n:1:1: 'x' found; expected");
    kal_json_reader_clear(&r);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    const char *text = "{\"a\": \"0123456789012345678901234567890123456789012345678901"
                       "234567890123456789\\n\", \"b\": [1, \"c\"]}";
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 100; n = fault_next(n)) {
        Fault fault = {.calls_left = n};
        char trace[TRACE_SIZE];
        status = trace_text(&fault, text, strlen(text), trace);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

TAP_RUN(TAP_CASE(values_become_events), TAP_CASE(escapes_are_decoded),
        TAP_CASE(bad_grammar_is_refused_with_its_place),
        TAP_CASE(columns_count_characters), TAP_CASE(bad_numbers_are_refused),
        TAP_CASE(bad_strings_are_refused), TAP_CASE(bytes_of_zero_are_like_any_other),
        TAP_CASE(depth_has_a_limit), TAP_CASE(long_names_leave_room_for_the_message),
        TAP_CASE(every_allocation_may_fail))

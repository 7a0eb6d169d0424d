// SPDX-License-Identifier: MIT

#include "lab.h"
#include "lang/letter.h"
#include "lang/lexer.h"

// The tokens of a text: what each is called, or its text; a space before is shown as _.
static const char *tokens_of(const char *text)
{
    static Shown shown;
    KalContext *ctx = NULL;
    KalSource *source = NULL;
    KalDiagnostics *diagnostics = NULL;
    KalLexer lexer;
    KalToken token;
    shown_sink(&shown);
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_source_create(ctx, "m", text, strlen(text), &source) == KAL_OK);
    ok(kal_diagnostics_create(ctx, &diagnostics) == KAL_OK);
    kal_lexer_init(&lexer, source, diagnostics);
    do {
        token = kal_lexer_step(&lexer);
        put_text(&shown, token.first_in_line ? "|" : "");
        put_text(&shown, token.space_before ? "_" : "");
        if (token.kind == KAL_TOKEN_END || token.kind == KAL_TOKEN_EOF) {
            put_text(&shown, token.kind == KAL_TOKEN_END ? "END" : "EOF");
        } else {
            shown_write(&shown, text + token.begin, token.end - token.begin);
        }
        put_text(&shown, token.kind == KAL_TOKEN_WORD    ? "(word) "
                         : token.kind == KAL_TOKEN_FAULT ? "(fault) "
                                                         : " ");
    } while (token.kind != KAL_TOKEN_EOF);
    ok(kal_lexer_step(&lexer).kind == KAL_TOKEN_EOF);
    kal_diagnostics_write(diagnostics, (KalSink){.write = shown_write, .user = &shown});
    kal_diagnostics_destroy(diagnostics);
    kal_source_destroy(ctx, source);
    kal_context_destroy(ctx);
    return shown.text;
}

static void words_signs_and_numbers_are_told_apart(void)
{
    same_text(tokens_of("coord x [m]"), "|coord(word) _x _[ m ] EOF ");
    same_text(tokens_of("a<=b>=c==d!=e<f>g"), "|a <= b >= c == d != e < f > g EOF ");
    same_text(tokens_of("p->q-1"), "|p -> q - 1 EOF ");
    same_text(tokens_of("1..5 0..x 1.5..2"), "|1 .. 5 _0 .. x _1.5 .. 2 EOF ");
    same_text(tokens_of("1e-3 2E+4 5e6 1.25"), "|1e-3 _2E+4 _5e6 _1.25 EOF ");
    same_text(tokens_of("x''.y[3]'"), "|x ' ' . y [ 3 ] ' EOF ");
    same_text(tokens_of("and or not nota orb"), "|and _or _not _nota _orb EOF ");
    same_text(tokens_of("\"a # b\" # c"), "|\"a # b\" _EOF ");
    same_text(tokens_of("θ_1 é Ωmega"), "|θ_1 _é _Ωmega EOF ");
    same_text(tokens_of("forces for"), "|forces _for(word) EOF ");
}

static void lines_end_statements_but_not_everywhere(void)
{
    same_text(tokens_of("a\n\n\nb\n"), "|a END |_b END |EOF ");
    same_text(tokens_of("a;\n;b"), "|a END |_END b EOF ");
    same_text(tokens_of("a +\n # c\n b"), "|a _+ |_b EOF ");
    same_text(tokens_of("(a\nb [c\n]\n)\nd"), "|( a |_b _[ c |_] |_) END |d EOF ");
    same_text(tokens_of("{\na\n}\n"), "|{ END |a END |} END |EOF ");
    same_text(tokens_of(")\na"), "|) END |a EOF ");
    same_text(tokens_of("a # c\r\nb"), "|a _END |b EOF ");
    same_text(tokens_of("a' \nb"), "|a ' _END |b EOF ");
}

static void what_is_no_token_is_a_fault(void)
{
    has_text(tokens_of("2x"),
             "m:1:1: error: '2x' is neither a number nor a name; a prod");
    has_text(tokens_of("1e"), "error: '1e' is neither a number nor a name");
    has_text(tokens_of("1.5e+x"), "error: '1.5e' is neither a number nor a name");
    has_text(tokens_of("1.x"),
             "m:1:1: error: a digit is missing after the decimal point");
    has_text(tokens_of(".5"),
             "m:1:1: error: a digit is missing before the decimal point");
    has_text(tokens_of("a**b"),
             "m:1:2: error: '**' is no operator; write ^ for a power");
    has_text(tokens_of("// a"),
             "m:1:1: error: '//' is no operator; a comment begins with");
    has_text(tokens_of("a && b"),
             "m:1:3: error: '&' has no meaning in a model; write and");
    has_text(tokens_of("% a"),
             "m:1:1: error: '%' has no meaning in a model; a comment");
    has_text(tokens_of("a ?"),
             "m:1:3: error: '?' has no meaning in a model; a value chosen");
    has_text(tokens_of("x\xe2\x80\xb2"),
             "m:1:2: error: '′' (U+2032) has no meaning in a model; write");
    has_text(tokens_of("\x01"), "m:1:1: error: '\\u{1}' has no meaning in a model");
    has_text(tokens_of("\xc2\xa0"),
             "error: '\xc2\xa0' (U+00A0) has no meaning in a model; this is a");
}

static void texts_end_in_their_lines(void)
{
    has_text(tokens_of("\"a"), "m:1:1: error: a text in quotes has to end, with \"");
    has_text(tokens_of("x \"a\nb\""), "m:1:3: error: a text in quotes has to end");
    has_text(tokens_of("\"a\\"), "m:1:1: error: in a text, \\ stands before");
    has_text(tokens_of("\"a\\n\""), "m:1:1: error: in a text, \\ stands before");
    has_text(tokens_of("\"a\x7f\""),
             "m:1:1: error: a text in quotes may not have control");
    same_text(tokens_of("\"\\\"\\\\\t\""), "|\"\\\"\\\\\t\" EOF ");
}

static void lengths_have_limits(void)
{
    static char text[2 * KAL_STRING_LIMIT];
    memset(text, 'a', KAL_NAME_LIMIT);
    text[KAL_NAME_LIMIT] = '\0';
    ok(!strstr(tokens_of(text), "fault"));
    text[KAL_NAME_LIMIT] = 'a';
    has_text(tokens_of(text), "m:1:1: error: a name of more than 255 bytes");

    memset(text, 0, sizeof text);
    memset(text, '1', KAL_NUMBER_LIMIT);
    ok(!strstr(tokens_of(text), "fault"));
    text[KAL_NUMBER_LIMIT] = '1';
    has_text(tokens_of(text), "m:1:1: error: a number of more than 255 characters");

    memset(text, 0, sizeof text);
    memset(text, '"', KAL_STRING_LIMIT);
    memset(text + 1, 'x', KAL_STRING_LIMIT - 2);
    ok(!strstr(tokens_of(text), "fault"));
    text[KAL_STRING_LIMIT - 1] = 'x';
    text[KAL_STRING_LIMIT] = '"';
    has_text(tokens_of(text), "m:1:1: error: a text of more than 1023 bytes");
}

static void letters_are_latin_and_greek(void)
{
    static const uint32_t letters[] = {'a',   'Z',   '_',   0xe9,   0xdf,  0x17f,
                                       0x3b8, 0x3a9, 0x3d5, 0x1e8b, 0x1f00};
    static const uint32_t others[] = {'0',    '$',    0xd7,   0xf7,    0xb5,
                                      0x2019, 0x37e,  0x387,  0x384,   0x410,
                                      0x5d0,  0x2207, 0x4e00, 0x1d6fc, 0x3f6};
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        ok(kal_letter_is(letters[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        ok(!kal_letter_is(others[i]));
    }
    ok(!kal_letter_advice('\\'));
    ok(kal_letter_advice(0x2212));
}

// Every character that has advice is no letter and no sign of ours.
static void advice_is_for_strangers(void)
{
    for (uint32_t code = 1; code < 0x3000; code++) {
        if (kal_letter_advice(code)) {
            ok(!kal_letter_is(code));
            ok(code > 0x7f
               || !strchr("'()[]{},:.=~+-*/^<>;#\" \t\r\n0123456789", (int)code));
        }
    }
}

TAP_RUN(TAP_CASE(words_signs_and_numbers_are_told_apart),
        TAP_CASE(lines_end_statements_but_not_everywhere),
        TAP_CASE(what_is_no_token_is_a_fault), TAP_CASE(texts_end_in_their_lines),
        TAP_CASE(lengths_have_limits), TAP_CASE(letters_are_latin_and_greek),
        TAP_CASE(advice_is_for_strangers))

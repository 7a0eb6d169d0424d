// SPDX-License-Identifier: MIT

// Names and places in a text, as editors ask for them.

#include "context.h"
#include "editor/place.h"
#include "lang/declared.h"
#include "lang/source.h"
#include "tap.h"

#include <stdio.h>
#include <string.h>

static KalSource *new_source(KalContext *ctx, const char *text)
{
    KalSource *source = NULL;
    ok(kal_source_create(ctx, "m.kal", text, strlen(text), &source) == KAL_OK);
    return source;
}

// All names as `kind name [unit]; …`.
static void describe(const char *text, char out_words[500])
{
    KalContext *ctx = new_context();
    KalSource *source = new_source(ctx, text);
    KalBlock block = {.data = NULL};
    size_t used = 0;
    out_words[0] = '\0';
    ok(kal_declared_find(ctx, source, &block) == KAL_OK);
    const KalDeclared *names = (const KalDeclared *)block.data;
    for (size_t i = 0; i < block.size / sizeof *names; i++) {
        const KalDeclared *n = &names[i];
        used +=
            (size_t)snprintf(out_words + used, 500 - used, "%s %.*s[%.*s];", n->kind,
                             (int)(n->end - n->begin), text + n->begin,
                             (int)(n->unit_end - n->unit_begin), text + n->unit_begin);
    }
    kal_block_clear(ctx, &block);
    kal_source_destroy(ctx, source);
    kal_context_destroy(ctx);
}

static void statements_declare(void)
{
    char words[500];
    describe("param m = 1 [kg], P = [1, 2], k[3] = 2 [N/m]; coord x [m], y\n"
             "let v = f(a, b), w = 2\nfn f(a, b) = a*b\n",
             words);
    same_text(words, "param m[kg];param P[];param k[N/m];coord x[m];coord y[];let "
                     "v[];let w[];fn f[];");
    describe("constraint rod: x^2 + y^2 = 1, off\nstate i [A]: i' = 1\n"
             "for k in 1..3 { part a = B(c = 1), d = E }\nhold u every 1: x\n",
             words);
    same_text(words, "constraint rod[];state i[A];for k[];part a[];part d[];hold u[];");
}

static void broken_texts_have_names(void)
{
    char words[500];
    describe("coord x, \nkinetic (\nparam m = ", words);
    same_text(words, "coord x[];param m[];");
    describe("\"\" ][ )( coord\nlet", words);
    describe("", words);
    same_text(words, "");
}

static void words_are_found(void)
{
    KalContext *ctx = new_context();
    KalSource *source = new_source(ctx, "a_1 + θ2*3x");
    KalSpan word;
    ok(kal_declared_word_at(source, 0, &word) && word.begin == 0 && word.end == 3);
    ok(kal_declared_word_at(source, 3, &word) && word.end == 3);
    ok(!kal_declared_word_at(source, 5, &word));
    ok(kal_declared_word_at(source, 8, &word) && word.begin == 6 && word.end == 9);
    ok(!kal_declared_word_at(source, 11, &word)); // it begins with a digit
    ok(!kal_declared_word_at(source, 999, &word));
    kal_source_destroy(ctx, source);
    kal_context_destroy(ctx);
}

// Characters of one, two, three and four bytes; the last has two units.
static void places_go_there_and_back(void)
{
    static const char text[] = "aθ€𝜃b\n\nxy";
    KalContext *ctx = new_context();
    KalSource *source = new_source(ctx, text);
    for (uint32_t at = 0; at <= source->length; at++) {
        const KalEditorPlace place = kal_editor_place(source, at);
        const uint32_t back = kal_editor_byte(source, place);
        const bool whole =
            at == source->length || ((unsigned char)text[at] & 0xc0) != 0x80;
        ok(!whole || back == at);
    }
    const KalEditorPlace b = kal_editor_place(source, 10);
    ok(b.line == 0 && b.character == 5);
    ok(kal_editor_byte(source, (KalEditorPlace){0, 99}) == 11);
    ok(kal_editor_byte(source, (KalEditorPlace){99, 0}) == source->length);
    ok(kal_editor_remark_byte(source, 1, 5) == 10);
    ok(kal_editor_remark_byte(source, 3, 2) == 14);
    ok(kal_editor_remark_byte(source, 0, 0) == 0);
    kal_source_destroy(ctx, source);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(statements_declare), TAP_CASE(broken_texts_have_names),
        TAP_CASE(words_are_found), TAP_CASE(places_go_there_and_back))

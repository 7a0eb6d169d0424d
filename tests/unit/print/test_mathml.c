// SPDX-License-Identifier: MIT

#include "graph.h"
#include "markup.h"

static const char *mathml(const char *text)
{
    return formula_print(g, f(text), KAL_FORMAT_MATHML);
}

static void is_mathml(const char *formula, const char *want)
{
    same_text(mathml(formula), want);
}

static void names_the_symbol(const char *name, const char *want)
{
    const KalExpr symbol = kal_symbol(g, formula_id(name, strlen(name)));
    same_text(formula_print(g, symbol, KAL_FORMAT_MATHML), want);
}

#define DOT  "<mo stretchy=\"false\">˙</mo>"
#define ROOM "<mspace width=\"0.14em\"/>"
#define DOTS "<mo stretchy=\"false\">¨</mo>"

static void names_become_letters_with_marks(void)
{
    begin();
    is_mathml("x", "<mi>x</mi>");
    is_mathml("theta", "<mi>θ</mi>");
    is_mathml("θ", "<mi>θ</mi>");
    is_mathml("theta'", "<mover accent=\"true\"><mi>θ</mi>" DOT "</mover>");
    is_mathml("x[3]", "<msub><mi>x</mi><mrow><mn>3</mn></mrow></msub>");
    is_mathml("x[3]''", "<msub><mover accent=\"true\"><mi>x</mi>" DOTS
                        "</mover><mrow><mn>3</mn></mrow></msub>");
    is_mathml("m_rod", "<msub><mi>m</mi><mrow><mi>rod</mi></mrow></msub>");
    is_mathml("mass", "<mrow>" ROOM "<mi>mass</mi>" ROOM "</mrow>");
    is_mathml("link[2].a", "<msub><mi>a</mi><mrow><mi>link</mi><mo>,</mo><mn>2</mn>"
                           "</mrow></msub>");
    names_the_symbol("reaction(rod)", "<msub><mi>λ</mi><mi>rod</mi></msub>");
    end();
}

static void formulas_are_set_as_in_books(void)
{
    begin();
    is_mathml("x + 1", "<mi>x</mi>" KAL_MATHML_PLUS "<mn>1</mn>");
    is_mathml("x - y", "<mi>x</mi>" KAL_MATHML_MINUS "<mi>y</mi>");
    is_mathml("-x", "<mo>−</mo><mi>x</mi>");
    is_mathml("x/y", "<mfrac><mrow><mi>x</mi></mrow><mrow><mi>y</mi></mrow></mfrac>");
    is_mathml("1/2", "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>");
    is_mathml("x^2", "<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>");
    is_mathml("sqrt(x)", "<msqrt><mi>x</mi></msqrt>");
    is_mathml("x*y", "<mi>x</mi><mo>\u2062</mo><mi>y</mi>");
    is_mathml("abs(x)", "<mrow><mo>|</mo><mi>x</mi><mo>|</mo></mrow>");
    has_text(mathml("if(x < 1, x, y)"), "<mi>x</mi><mo>&lt;</mo><mn>1</mn>");
    same_text(formula_print(g, kal_const(g, 1.5e-7), KAL_FORMAT_MATHML),
              "<mn>1.5</mn><mo>·</mo><msup><mn>10</mn><mn>−7</mn></msup>");
    end();
}

static void elements_are_balanced(void)
{
    static const char *const formulas[] = {
        "sin(x)^2/(cos(y) + 3)^(1/3)*if(x < y, x/y, min(x, max(y, 2)))",
        "hypot(x, y)/atan2(-x, a[2].b_c')*abs(x/y)^y - x^(-y)",
        "-(x + y)^z/sqrt(1 - x^2) + tanh(1/x) + x^(-3)",
        "if(x < 1 or (y > 2 and not (x < y)), 1/x, 2^x)/3",
    };
    begin();
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        ok(markup_is_balanced(mathml(formulas[i])));
    }
    ok(!markup_is_balanced("<mi>x</mo>"));
    ok(!markup_is_balanced("<mi>x"));
    ok(!markup_is_balanced("a < b"));
    end();
}

// The language has no such names, but those who make models by hand may.
static void names_are_not_markup(void)
{
    begin();
    names_the_symbol("a<script>&",
                     "<mrow>" ROOM "<mi>a&lt;script&gt;&amp;</mi>" ROOM "</mrow>");
    names_the_symbol("reaction(<b>)", "<msub><mi>λ</mi><mi>&lt;b&gt;</mi></msub>");
    end();
}

TAP_RUN(TAP_CASE(names_become_letters_with_marks),
        TAP_CASE(formulas_are_set_as_in_books), TAP_CASE(elements_are_balanced),
        TAP_CASE(names_are_not_markup))

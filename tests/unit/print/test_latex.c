// SPDX-License-Identifier: MIT

#include "graph.h"

static const char *latex(const char *text)
{
    return formula_print(g, f(text), KAL_FORMAT_LATEX);
}

#define is_latex(formula, want) same_text(latex(formula), want)

// For names that no formula has.
static void names_the_symbol(const char *name, const char *want)
{
    const KalExpr symbol = kal_symbol(g, formula_id(name, strlen(name)));
    same_text(formula_print(g, symbol, KAL_FORMAT_LATEX), want);
}

static void names_become_letters_with_marks(void)
{
    begin();
    is_latex("x", "x");
    is_latex("theta", "\\theta");
    is_latex("\u03b8", "\\theta");
    is_latex("Omega", "\\Omega");
    is_latex("\u03a9", "\\Omega");
    is_latex("theta'", "\\dot{\\theta}");
    is_latex("x''", "\\ddot{x}");
    is_latex("x[3]", "x_{3}");
    is_latex("x[3]'", "\\dot{x}_{3}");
    is_latex("theta1", "\\theta_{1}");
    is_latex("m_rod", "m_{\\mathrm{rod}}");
    is_latex("mass", "\\mathrm{mass}");
    is_latex("L2", "L_{2}");
    is_latex("x_1_2", "x_{\\mathrm{1\\_2}}");
    is_latex("link[2].a", "a_{\\mathrm{link},2}");
    is_latex("link[2].a[3]''", "\\ddot{a}_{3,\\mathrm{link},2}");
    is_latex("car.wheel[1].phi'", "\\dot{\\phi}_{\\mathrm{car},\\mathrm{wheel},1}");
    is_latex("Alpha", "\\mathrm{Alpha}");
    is_latex("\u00e9", "\\mathrm{\\text{\u00e9}}");
    is_latex("\u0391", "A"); // capital alpha
    is_latex("\u0394x", "\\mathrm{\\Delta{}x}");
    is_latex("\u1ea1", "\\mathrm{?}"); // not in every font
    names_the_symbol("reaction(pin.x)", "\\lambda_{\\mathrm{pin.x}}");
    names_the_symbol("control(u)", "u_{\\mathrm{u}}");
    end();
}

static void formulas_are_set_as_in_books(void)
{
    begin();
    is_latex("1/2*m*x'^2", "\\frac{1}{2} m \\dot{x}^{2}");
    is_latex("x/(y + 1)", "\\frac{x}{y + 1}");
    is_latex("3*x/(4*y)", "\\frac{3 x}{4 y}");
    is_latex("1/x", "\\frac{1}{x}");
    is_latex("-1/(2*x)", "-\\frac{1}{2 x}");
    is_latex("2*(x + y)/(3*(x - y))",
             "\\frac{2 \\left(x + y\\right)}{3 \\left(x - y\\right)}");
    is_latex("sqrt(x^2 + y^2)", "\\sqrt{x^{2} + y^{2}}");
    is_latex("sin(x)^2", "\\sin^{2}\\left(x\\right)");
    is_latex("exp(x)^2", "\\left(\\exp\\left(x\\right)\\right)^{2}");
    is_latex("abs(x)*sign(y)", "\\left|x\\right| \\operatorname{sgn}\\left(y\\right)");
    is_latex("x^(1/3)", "x^{\\frac{1}{3}}");
    is_latex("(x/y)^z", "\\left(\\frac{x}{y}\\right)^{z}");
    is_latex("3*2^x", "3 \\cdot 2^{x}");
    is_latex("pi*x", "\\pi x");
    is_latex("asin(x) + log(y)", "\\arcsin\\left(x\\right) + \\ln\\left(y\\right)");
    is_latex("if(x <= 1 and not (y == 2), x, -y)",
             "\\begin{cases} x & \\text{if } x \\le 1 \\land y \\ne 2 \\\\ "
             "-y & \\text{otherwise} \\end{cases}");
    is_latex("2*if(x < 1, x, y)", "2 \\left(\\begin{cases} x & \\text{if } x < 1 \\\\ "
                                  "y & \\text{otherwise} \\end{cases}\\right)");
    same_text(formula_print(g, kal_const(g, 1.5e-7), KAL_FORMAT_LATEX),
              "1.5 \\cdot 10^{-7}");
    same_text(formula_print(g, kal_const(g, 0.1), KAL_FORMAT_LATEX), "0.1");
    end();
}

// Braces, \left and \right, \begin and \end come in pairs, whatever the formula.
static void brackets_balance(void)
{
    static const char *const formulas[] = {
        "sin(x)^2/(cos(y) + 3)^(1/3)*if(x < y, x/y, min(x, max(y, 2)))",
        "hypot(x, y)/atan2(-x, a[2].b_c')*abs(x/y)^y - x^(-y)",
        "-(x + y)^z/sqrt(1 - x^2) + tanh(1/x)",
        "if(x < 1 or (y > 2 and not (x < y)), 1/x, 2^x)/3",
    };
    begin();
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        const char *text = latex(formulas[i]);
        int braces = 0;
        int sides = 0;
        int begins = 0;
        for (const char *c = text; *c != '\0'; c++) {
            braces += (*c == '{') - (*c == '}');
            sides += (strncmp(c, "\\left", 5) == 0) - (strncmp(c, "\\right", 6) == 0);
            begins += (strncmp(c, "\\begin", 6) == 0) - (strncmp(c, "\\end", 4) == 0);
            ok(braces >= 0 && sides >= 0 && begins >= 0);
        }
        ok(braces == 0 && sides == 0 && begins == 0);
    }
    end();
}

TAP_RUN(TAP_CASE(names_become_letters_with_marks),
        TAP_CASE(formulas_are_set_as_in_books), TAP_CASE(brackets_balance))

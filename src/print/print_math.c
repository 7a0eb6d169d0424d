// SPDX-License-Identifier: MIT

// Formulas as mathematics: in LaTeX and in MathML, which differ in their marks alone.
//
// What is the same in both stands once, in functions that push the marks of a Notation;
// a new notation is one more table.  Multiplication is a space, or a dot before a
// digit; powers of functions such as sin² stand at the name; a number times a fraction
// goes above and below its line.

#include "base/number.h"
#include "expr/node.h"
#include "print/print_impl.h"

#include <assert.h>
#include <string.h>

// The marks of a notation.
typedef struct Notation {
    const char *number_begin;
    const char *number_end;
    const char *parentheses_begin;
    const char *parentheses_end;
    const char *fraction_begin;
    const char *fraction_middle;
    const char *fraction_end;
    const char *power_begin;
    const char *power_middle;
    const char *power_end;
    const char *root_begin;
    const char *root_end;
    const char *bars_begin;
    const char *bars_end;
    const char *floor_begin;
    const char *floor_end;
    const char *ceiling_begin;
    const char *ceiling_end;
    const char *word_begin; // around a function that has no mark of its own
    const char *word_end;
    const char *part_begin; // around the prefix and the number of a part
    const char *part_middle;
    const char *part_end;
    const char *times;     // where nothing needs to be seen
    const char *dot;       // between numbers
    const char *ten;       // before the exponent of ten
    const char *minus_ten; // the same with a minus
    const char *ten_end;
    const char *comma;       // between arguments
    const char *cases_begin; // before the first value
    const char *cases_if;    // before its condition
    const char *cases_next;
    const char *cases_end;
    const char *not_zero; // after a number where a condition is expected
    const char *negation; // before parentheses
    const char *less;
    const char *at_most;
    const char *equal;
    const char *unequal;
    const char *conjunction;
    const char *disjunction;
    const char *prime; // of a function
    const char *pi;
} Notation;

static const Notation LATEX = {
    .number_begin = "",
    .number_end = "",
    .parentheses_begin = "\\left(",
    .parentheses_end = "\\right)",
    .fraction_begin = "\\frac{",
    .fraction_middle = "}{",
    .fraction_end = "}",
    .power_begin = "",
    .power_middle = "^{",
    .power_end = "}",
    .root_begin = "\\sqrt{",
    .root_end = "}",
    .bars_begin = "\\left|",
    .bars_end = "\\right|",
    .floor_begin = "\\left\\lfloor ",
    .floor_end = "\\right\\rfloor",
    .ceiling_begin = "\\left\\lceil ",
    .ceiling_end = "\\right\\rceil",
    .word_begin = "\\operatorname{",
    .word_end = "}",
    .part_begin = "",
    .part_middle = "_{",
    .part_end = "}",
    .times = " ",
    .dot = " \\cdot ",
    .ten = " \\cdot 10^{",
    .minus_ten = " \\cdot 10^{-",
    .ten_end = "}",
    .comma = ", ",
    .cases_begin = "\\begin{cases} ",
    .cases_if = " & \\text{if } ",
    .cases_next = " \\\\ ",
    .cases_end = " & \\text{otherwise} \\end{cases}",
    .not_zero = " \\ne 0",
    .negation = "\\lnot ",
    .less = " < ",
    .at_most = " \\le ",
    .equal = " = ",
    .unequal = " \\ne ",
    .conjunction = " \\land ",
    .disjunction = " \\lor ",
    .prime = "'",
    .pi = "\\pi",
};

static const Notation MATHML = {
    .number_begin = "<mn>",
    .number_end = "</mn>",
    .parentheses_begin = "<mrow>" KAL_MATHML_OPEN,
    .parentheses_end = KAL_MATHML_CLOSE "</mrow>",
    .fraction_begin = "<mfrac><mrow>",
    .fraction_middle = "</mrow><mrow>",
    .fraction_end = "</mrow></mfrac>",
    .power_begin = "<msup><mrow>",
    .power_middle = "</mrow><mrow>",
    .power_end = "</mrow></msup>",
    .root_begin = "<msqrt>",
    .root_end = "</msqrt>",
    .bars_begin = "<mrow><mo>|</mo>",
    .bars_end = "<mo>|</mo></mrow>",
    .floor_begin = "<mrow><mo>⌊</mo>",
    .floor_end = "<mo>⌋</mo></mrow>",
    .ceiling_begin = "<mrow><mo>⌈</mo>",
    .ceiling_end = "<mo>⌉</mo></mrow>",
    .word_begin = "<mspace width=\"0.16em\"/><mi>",
    .word_end = "</mi>",
    .part_begin = "<msub><mi>",
    .part_middle = "</mi><mn>",
    .part_end = "</mn></msub>",
    .times = "<mo>\u2062</mo>",
    .dot = "<mo>·</mo>",
    .ten = "</mn><mo>·</mo><msup><mn>10</mn><mn>",
    .minus_ten = "</mn><mo>·</mo><msup><mn>10</mn><mn>−",
    .ten_end = "</mn></msup>",
    .comma = "<mo>,</mo>",
    .cases_begin = "<mrow><mo>{</mo><mtable><mtr><mtd>",
    .cases_if = "</mtd><mtd><mtext>if\u00a0</mtext>",
    .cases_next = "</mtd></mtr><mtr><mtd>",
    .cases_end = "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow>",
    .not_zero = "<mo>≠</mo><mn>0</mn>",
    .negation = "<mo>¬</mo>",
    .less = "<mo>&lt;</mo>",
    .at_most = "<mo>≤</mo>",
    .equal = "<mo>=</mo>",
    .unequal = "<mo>≠</mo>",
    .conjunction = "<mo>∧</mo>",
    .disjunction = "<mo>∨</mo>",
    .prime = "<mo>′</mo>",
    .pi = "<mi>π</mi>",
};

static const Notation *notation_of(const KalPrinter *p)
{
    assert(p->options->format == KAL_FORMAT_LATEX
           || p->options->format == KAL_FORMAT_MATHML);
    return p->options->format == KAL_FORMAT_LATEX ? &LATEX : &MATHML;
}

static bool has_powers_at_name(KalOp op)
{
    return kal_op_math(op) == KAL_MATH_POWERED;
}

// The name of a function, as a command where LaTeX has one.
static void push_function(KalPrinter *p, KalOp op)
{
    const Notation *math = notation_of(p);
    const bool command = math == &LATEX && kal_op_math(op) != KAL_MATH_NAME;
    kal_push_text(p, command ? "\\" : math->word_begin);
    kal_push_text(p, kal_op_name(op));
    kal_push_text(p, command ? "" : math->word_end);
}

// What stands around the operand of a function, or between those of a condition.
typedef struct Marks {
    const char *begin;
    const char *end;
} Marks;

// Those of an operator; without an end they stand between operands or in front.
static Marks marks_of(const KalPrinter *p, KalOp op)
{
    assert(op < KAL_OP_COUNT);
    const Notation *math = notation_of(p);
    switch (kal_op_math(op)) {
    case KAL_MATH_ROOT: return (Marks){math->root_begin, math->root_end};
    case KAL_MATH_BARS: return (Marks){math->bars_begin, math->bars_end};
    case KAL_MATH_FLOOR: return (Marks){math->floor_begin, math->floor_end};
    case KAL_MATH_CEILING: return (Marks){math->ceiling_begin, math->ceiling_end};
    case KAL_MATH_LESS: return (Marks){math->less, NULL};
    case KAL_MATH_AT_MOST: return (Marks){math->at_most, NULL};
    case KAL_MATH_EQUAL: return (Marks){math->equal, NULL};
    case KAL_MATH_UNEQUAL: return (Marks){math->unequal, NULL};
    case KAL_MATH_AND: return (Marks){math->conjunction, NULL};
    case KAL_MATH_OR: return (Marks){math->disjunction, NULL};
    case KAL_MATH_NOT: return (Marks){math->negation, NULL};
    case KAL_MATH_OPERATOR:
    case KAL_MATH_NAME:
    case KAL_MATH_COMMAND:
    case KAL_MATH_POWERED: break;
    }
    return (Marks){NULL, NULL};
}

static int64_t size_of(int64_t x)
{
    assert(x > INT64_MIN);
    return x < 0 ? -x : x;
}

// 1.5e-7 is 1.5 · 10⁻⁷.
static void print_decimal(KalPrinter *p, double value)
{
    assert(value >= 0.0);
    const Notation *math = notation_of(p);
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(value, text);
    const char *exponent = strchr(text, 'e');
    kal_print_string(p, math->number_begin);
    kal_print_write(p, text, exponent ? (size_t)(exponent - text) : strlen(text));
    if (exponent) {
        kal_print_string(p, exponent[1] == '-' ? math->minus_ten : math->ten);
        kal_print_string(p, exponent + strspn(exponent, "e+-0"));
        kal_print_string(p, math->ten_end);
    } else {
        kal_print_string(p, math->number_end);
    }
}

static void print_natural(KalPrinter *p, int64_t value)
{
    assert(value >= 0);
    const Notation *math = notation_of(p);
    kal_print_string(p, math->number_begin);
    kal_print_integer(p, value);
    kal_print_string(p, math->number_end);
}

// The sign of a number was written with its term.
static void print_number(KalPrinter *p, KalRational k)
{
    const Notation *math = notation_of(p);
    if (k.den == 0) {
        print_decimal(p, k.value < 0.0 ? -k.value : k.value);
        return;
    }
    kal_print_string(p, k.den == 1 ? "" : math->fraction_begin);
    print_natural(p, size_of(k.num));
    if (k.den != 1) {
        kal_print_string(p, math->fraction_middle);
        print_natural(p, k.den);
        kal_print_string(p, math->fraction_end);
    }
}

void kal_print_part_name(KalPrinter *p, uint32_t part)
{
    assert(part > 0);
    const Notation *math = notation_of(p);
    kal_print_string(p, math->part_begin);
    kal_print_string(p, p->options->prefix ? p->options->prefix : "v");
    kal_print_string(p, math->part_middle);
    kal_print_integer(p, part);
    kal_print_string(p, math->part_end);
}

static void print_leaf(KalPrinter *p, KalExpr e, uint32_t part)
{
    if (part != 0) {
        kal_print_part_name(p, part);
    } else if (kal_is_op(p->g, e, KAL_OP_CONST)) {
        print_number(p, kal_graph_number(p->g, e));
    } else if (kal_is_op(p->g, e, KAL_OP_SYMBOL)) {
        const KalPrintOptions *o = p->options;
        const uint32_t id = kal_node(p->g, e)->arg[0].index;
        kal_math_name(p, kal_print_name(p, e), o->literal && o->literal(o->user, id));
    } else {
        kal_print_string(p, notation_of(p)->pi);
    }
}

static void push_natural(KalPrinter *p, int64_t value)
{
    const Notation *math = notation_of(p);
    const bool negative = value < 0; // an exponent
    kal_push_text(p, negative ? kal_print_signs(p).first_minus : "");
    kal_push_text(p, math->number_begin);
    kal_push_integer(p, negative ? -value : value);
    kal_push_text(p, math->number_end);
}

// Functions other than roots and bars need parentheses as bases, and choices everywhere.
static KalLevel level_of(const KalPrinter *p, KalExpr e)
{
    const KalExprNode *n = kal_node(p->g, e);
    const KalLevel level = kal_print_level(p, e);
    if (level != KAL_LEVEL_ATOM || kal_print_part(p, e) != 0) {
        return level;
    }
    const KalKind kind = kal_op_kind((KalOp)n->op);
    if (kind >= KAL_KIND_SELECT) {
        return KAL_LEVEL_SUM;
    }
    if (n->op == KAL_OP_CONST && kal_graph_number(p->g, e).den == 0) {
        return KAL_LEVEL_PRODUCT; // it may have a power of ten
    }
    return kind == KAL_KIND_CALL && !marks_of(p, (KalOp)n->op).end ? KAL_LEVEL_POWER
                                                                   : KAL_LEVEL_ATOM;
}

// A product in a product needs no parentheses.
static void push_factor(KalPrinter *p, KalExpr e)
{
    if (level_of(p, e) == KAL_LEVEL_PRODUCT) {
        kal_push_product(p, e);
    } else {
        kal_push_node(p, e, KAL_LEVEL_PRODUCT);
    }
}

// Whether what is printed for a factor begins with a digit.
static bool begins_with_digit(const KalPrinter *p, KalExpr e)
{
    const KalExprNode *n = kal_node(p->g, e);
    if (kal_print_part(p, e) != 0) {
        return false;
    }
    return n->op == KAL_OP_CONST
           || (kal_op_kind((KalOp)n->op) == KAL_KIND_POWER
               && kal_is_op(p->g, n->arg[0], KAL_OP_CONST));
}

static void push_times(KalPrinter *p, KalExpr next)
{
    const Notation *math = notation_of(p);
    kal_push_text(p, begins_with_digit(p, next) ? math->dot : math->times);
}

// number × e, without the number if it is 1.
static void push_multiple(KalPrinter *p, int64_t number, KalExpr e)
{
    assert(number > 0);
    if (number == 1) {
        kal_push_node(p, e, KAL_LEVEL_SUM);
    } else if (kal_is_int(p->g, e, 1)) {
        push_natural(p, number);
    } else {
        push_natural(p, number);
        push_times(p, e);
        push_factor(p, e);
    }
}

// A fraction with a number as factor has the number's parts above and below.
static void push_fraction(KalPrinter *p, KalRational k, const KalExprNode *n)
{
    assert(n->op == KAL_OP_DIV && k.den > 0);
    const Notation *math = notation_of(p);
    kal_push_text(p, math->fraction_begin);
    push_multiple(p, size_of(k.num), n->arg[0]);
    kal_push_text(p, math->fraction_middle);
    push_multiple(p, k.den, n->arg[1]);
    kal_push_text(p, math->fraction_end);
}

// A number before a fraction goes into it: 3·(a/b) is shown as 3a/b.
static void expand_product(KalPrinter *p, KalExpr e)
{
    const KalExprNode n = *kal_node(p->g, e);
    const uint32_t part = kal_print_part(p, e);
    if (part != 0 || n.op == KAL_OP_CONST) {
        print_leaf(p, e, part);
    } else if (n.op == KAL_OP_DIV) {
        push_fraction(p, kal_rational(1, 1), &n);
    } else if (n.op != KAL_OP_MUL) {
        kal_push_node(p, e, KAL_LEVEL_PRODUCT);
    } else {
        const KalExprNode rest = *kal_node(p->g, n.arg[1]);
        const bool number = kal_is_op(p->g, n.arg[0], KAL_OP_CONST);
        if (number && rest.op == KAL_OP_DIV && kal_print_part(p, n.arg[1]) == 0
            && kal_graph_number(p->g, n.arg[0]).den != 0) {
            push_fraction(p, kal_graph_number(p->g, n.arg[0]), &rest);
            return;
        }
        if (number) {
            kal_push_product(p, n.arg[0]);
        } else {
            push_factor(p, n.arg[0]);
        }
        push_times(p, n.arg[1]);
        push_factor(p, n.arg[1]);
    }
}

static void push_arguments(KalPrinter *p, const KalExprNode *n)
{
    assert(kal_op_arity((KalOp)n->op) > 0);
    const Notation *math = notation_of(p);
    kal_push_text(p, math->parentheses_begin);
    for (int i = 0; i < kal_op_arity((KalOp)n->op); i++) {
        kal_push_text(p, i == 0 ? "" : math->comma);
        kal_push_node(p, n->arg[i], KAL_LEVEL_SUM);
    }
    kal_push_text(p, math->parentheses_end);
}

// Powers of sines and the like stand at the name, as in sin²(x), unless the exponent is
// negative, which would be read as the inverse function.
static void expand_power(KalPrinter *p, const KalExprNode *n)
{
    assert(n->op == KAL_OP_POWI || n->op == KAL_OP_POW);
    const KalExprNode base = *kal_node(p->g, n->arg[0]);
    const bool at_name = n->op == KAL_OP_POWI && has_powers_at_name((KalOp)base.op)
                         && kal_node_exponent(n) > 0
                         && kal_print_part(p, n->arg[0]) == 0;
    const Notation *math = notation_of(p);
    kal_push_text(p, math->power_begin);
    if (at_name) {
        push_function(p, (KalOp)base.op);
    } else {
        kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
    }
    kal_push_text(p, math->power_middle);
    if (n->op == KAL_OP_POWI) {
        push_natural(p, kal_node_exponent(n));
    } else {
        kal_push_node(p, n->arg[1], KAL_LEVEL_SUM);
    }
    kal_push_text(p, math->power_end);
    if (at_name) {
        push_arguments(p, &base);
    }
}

// Logic inside of logic is always in parentheses, as few know what binds tighter.  A
// number in the place of a condition means that it is not zero.
static void expand_condition(KalPrinter *p, KalExpr e, bool inner)
{
    const KalExprNode n = *kal_node(p->g, e);
    const KalKind kind = kal_op_kind((KalOp)n.op);
    const bool parentheses = inner && kind == KAL_KIND_LOGIC;
    const Notation *math = notation_of(p);
    kal_push_text(p, parentheses ? math->parentheses_begin : "");
    if (n.op == KAL_OP_NOT) {
        kal_push_text(p, marks_of(p, KAL_OP_NOT).begin);
        kal_push_text(p, math->parentheses_begin);
        kal_push_condition(p, n.arg[0], false);
        kal_push_text(p, math->parentheses_end);
    } else if (kind == KAL_KIND_LOGIC) {
        kal_push_condition(p, n.arg[0], true);
        kal_push_text(p, marks_of(p, (KalOp)n.op).begin);
        kal_push_condition(p, n.arg[1], true);
    } else if (kind == KAL_KIND_RELATION) {
        kal_push_node(p, n.arg[0], KAL_LEVEL_SUM);
        kal_push_text(p, marks_of(p, (KalOp)n.op).begin);
        kal_push_node(p, n.arg[1], KAL_LEVEL_SUM);
    } else {
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, math->not_zero);
    }
    kal_push_text(p, parentheses ? math->parentheses_end : "");
}

// A condition in the place of a number is 1 or 0.
static void expand_cases(KalPrinter *p, const KalExprNode *n, KalExpr condition)
{
    assert(n->op == KAL_OP_SELECT || kal_is_condition(p->g, condition));
    const Notation *math = notation_of(p);
    kal_push_text(p, math->cases_begin);
    if (n->op == KAL_OP_SELECT) {
        kal_push_node(p, n->arg[1], KAL_LEVEL_SUM);
    } else {
        push_natural(p, 1);
    }
    kal_push_text(p, math->cases_if);
    kal_push_condition(p, condition, false);
    kal_push_text(p, math->cases_next);
    if (n->op == KAL_OP_SELECT) {
        kal_push_node(p, n->arg[2], KAL_LEVEL_SUM);
    } else {
        push_natural(p, 0);
    }
    kal_push_text(p, math->cases_end);
}

// Between marks, such as bars, or as a name with its arguments.
static void expand_call(KalPrinter *p, const KalExprNode *n)
{
    assert(kal_op_kind((KalOp)n->op) == KAL_KIND_CALL);
    const Marks marks = marks_of(p, (KalOp)n->op);
    if (marks.end) {
        kal_push_text(p, marks.begin);
        kal_push_node(p, n->arg[0], KAL_LEVEL_SUM);
        kal_push_text(p, marks.end);
        return;
    }
    const KalSplineFunction *f = kal_print_spline(n);
    if (f) {
        kal_math_name(p, f->spline->name, false);
        for (int i = 0; i < kal_print_primes(f); i++) {
            kal_push_text(p, notation_of(p)->prime);
        }
    } else {
        push_function(p, (KalOp)n->op);
    }
    push_arguments(p, n);
}

// Into pieces for mathematics; a guard shows only what it guards.
static void expand_node(KalPrinter *p, KalExpr e, KalLevel level)
{
    const KalExprNode n = *kal_node(p->g, e);
    const KalKind kind = kal_op_kind((KalOp)n.op);
    const uint32_t part = kal_print_part(p, e);
    const KalLevel own = level_of(p, e);
    if (n.op == KAL_OP_WHERE && part == 0) {
        kal_push_node(p, n.arg[0], level);
    } else if (own < level) {
        kal_push_text(p, notation_of(p)->parentheses_begin);
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, notation_of(p)->parentheses_end);
    } else if (part != 0 || (kind == KAL_KIND_LEAF && own == KAL_LEVEL_ATOM)) {
        print_leaf(p, e, part);
    } else if (kind >= KAL_KIND_SELECT) {
        expand_cases(p, &n, kind == KAL_KIND_SELECT ? n.arg[0] : e);
    } else if (own == KAL_LEVEL_SUM) {
        kal_push(p, (KalPiece){.kind = KAL_PIECE_TERM, .first = true, .e = e});
    } else if (own == KAL_LEVEL_PRODUCT) {
        kal_push_product(p, e);
    } else if (kind == KAL_KIND_POWER) {
        expand_power(p, &n);
    } else {
        expand_call(p, &n);
    }
}

void kal_expand_math(KalPrinter *p, const KalPiece *piece)
{
    switch ((KalPieceKind)piece->kind) {
    case KAL_PIECE_NODE: expand_node(p, piece->e, (KalLevel)piece->level); break;
    case KAL_PIECE_TERM: kal_expand_term(p, piece); break;
    case KAL_PIECE_PRODUCT: expand_product(p, piece->e); break;
    case KAL_PIECE_CONDITION: expand_condition(p, piece->e, piece->level != 0); break;
    case KAL_PIECE_TEXT:
    case KAL_PIECE_INTEGER: break;
    }
}

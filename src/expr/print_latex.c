// SPDX-License-Identifier: MIT

// Formulas in LaTeX.

#include "base/number.h"
#include "expr/graph_impl.h"
#include "expr/print_impl.h"

#include <string.h>

// The name of a function, and whether its powers are written at the name: sin²x.
typedef struct Function {
    const char *command;
    bool power_at_name;
} Function;

static Function function_of(KalOp op)
{
    switch (op) {
    case KAL_OP_SIN: return (Function){"\\sin", true};
    case KAL_OP_COS: return (Function){"\\cos", true};
    case KAL_OP_TAN: return (Function){"\\tan", true};
    case KAL_OP_SINH: return (Function){"\\sinh", true};
    case KAL_OP_COSH: return (Function){"\\cosh", true};
    case KAL_OP_TANH: return (Function){"\\tanh", true};
    case KAL_OP_ASIN: return (Function){"\\arcsin", false};
    case KAL_OP_ACOS: return (Function){"\\arccos", false};
    case KAL_OP_ATAN: return (Function){"\\arctan", false};
    case KAL_OP_ATAN2: return (Function){"\\operatorname{atan2}", false};
    case KAL_OP_EXP: return (Function){"\\exp", false};
    case KAL_OP_LOG: return (Function){"\\ln", false};
    case KAL_OP_SIGN: return (Function){"\\operatorname{sgn}", false};
    case KAL_OP_MIN: return (Function){"\\min", false};
    case KAL_OP_MAX: return (Function){"\\max", false};
    case KAL_OP_HYPOT: return (Function){"\\operatorname{hypot}", false};
    default: return (Function){"", false};
    }
}

static const char *relation_of(KalOp op)
{
    switch (op) {
    case KAL_OP_LT: return " < ";
    case KAL_OP_LE: return " \\le ";
    case KAL_OP_EQ: return " = ";
    case KAL_OP_NE: return " \\ne ";
    case KAL_OP_AND: return " \\land ";
    case KAL_OP_OR: return " \\lor ";
    default: return "";
    }
}

static int64_t size_of(int64_t x)
{
    return x < 0 ? -x : x;
}

// 1.5e-7 is 1.5 \cdot 10^{-7}.
static void print_decimal(KalPrinter *p, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(value, text);
    const char *exponent = strchr(text, 'e');
    if (!exponent) {
        kal_print_string(p, text);
        return;
    }
    kal_print_write(p, text, (size_t)(exponent - text));
    kal_print_string(p, exponent[1] == '-' ? " \\cdot 10^{-" : " \\cdot 10^{");
    kal_print_string(p, exponent + strspn(exponent, "e+-0"));
    kal_print_string(p, "}");
}

static void print_number(KalPrinter *p, KalRational k)
{
    if (k.den == 0) {
        print_decimal(p, k.value < 0.0 ? -k.value : k.value);
        return;
    }
    kal_print_string(p, k.den == 1 ? "" : "\\frac{");
    kal_print_integer(p, size_of(k.num));
    if (k.den != 1) {
        kal_print_string(p, "}{");
        kal_print_integer(p, k.den);
        kal_print_string(p, "}");
    }
}

static void print_leaf(KalPrinter *p, KalExpr e, uint32_t part)
{
    if (part != 0) {
        kal_print_string(p, p->options->prefix ? p->options->prefix : "v");
        kal_print_string(p, "_{");
        kal_print_integer(p, part);
        kal_print_string(p, "}");
    } else if (kal_is_op(p->g, e, KAL_OP_CONST)) {
        print_number(p, kal_graph_number(p->g, e));
    } else if (kal_is_op(p->g, e, KAL_OP_SYMBOL)) {
        kal_latex_name(p, kal_print_name(p, e));
    } else {
        kal_print_string(p, "\\pi");
    }
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
    return kind == KAL_KIND_CALL && n->op != KAL_OP_SQRT && n->op != KAL_OP_ABS
               ? KAL_LEVEL_POWER
               : KAL_LEVEL_ATOM;
}

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
    kal_push_text(p, begins_with_digit(p, next) ? " \\cdot " : " ");
}

// number × e, without the number if it is 1.
static void push_multiple(KalPrinter *p, int64_t number, KalExpr e)
{
    if (number == 1) {
        kal_push_node(p, e, KAL_LEVEL_SUM);
    } else if (kal_is_int(p->g, e, 1)) {
        kal_push_integer(p, number);
    } else {
        kal_push_integer(p, number);
        push_times(p, e);
        push_factor(p, e);
    }
}

static void push_fraction(KalPrinter *p, KalRational k, const KalExprNode *n)
{
    kal_push_text(p, "\\frac{");
    push_multiple(p, size_of(k.num), n->arg[0]);
    kal_push_text(p, "}{");
    push_multiple(p, k.den, n->arg[1]);
    kal_push_text(p, "}");
}

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
    kal_push_text(p, "\\left(");
    for (int i = 0; i < kal_op_arity((KalOp)n->op); i++) {
        kal_push_text(p, i == 0 ? "" : ", ");
        kal_push_node(p, n->arg[i], KAL_LEVEL_SUM);
    }
    kal_push_text(p, "\\right)");
}

static void expand_power(KalPrinter *p, const KalExprNode *n)
{
    const KalExprNode base = *kal_node(p->g, n->arg[0]);
    const Function f = function_of((KalOp)base.op);
    const bool at_name = n->op == KAL_OP_POWI && f.power_at_name
                         && kal_node_exponent(n) > 0
                         && kal_print_part(p, n->arg[0]) == 0;
    if (at_name) {
        kal_push_text(p, f.command);
    } else {
        kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
    }
    kal_push_text(p, "^{");
    if (n->op == KAL_OP_POWI) {
        kal_push_integer(p, kal_node_exponent(n));
    } else {
        kal_push_node(p, n->arg[1], KAL_LEVEL_SUM);
    }
    kal_push_text(p, "}");
    if (at_name) {
        push_arguments(p, &base);
    }
}

static void expand_condition(KalPrinter *p, KalExpr e, bool inner)
{
    const KalExprNode n = *kal_node(p->g, e);
    const KalKind kind = kal_op_kind((KalOp)n.op);
    const bool parentheses = inner && kind == KAL_KIND_LOGIC;
    kal_push_text(p, parentheses ? "\\left(" : "");
    if (n.op == KAL_OP_NOT) {
        kal_push_text(p, "\\lnot \\left(");
        kal_push_condition(p, n.arg[0], false);
        kal_push_text(p, "\\right)");
    } else if (kind == KAL_KIND_LOGIC) {
        kal_push_condition(p, n.arg[0], true);
        kal_push_text(p, relation_of((KalOp)n.op));
        kal_push_condition(p, n.arg[1], true);
    } else if (kind == KAL_KIND_RELATION) {
        kal_push_node(p, n.arg[0], KAL_LEVEL_SUM);
        kal_push_text(p, relation_of((KalOp)n.op));
        kal_push_node(p, n.arg[1], KAL_LEVEL_SUM);
    } else {
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, " \\ne 0");
    }
    kal_push_text(p, parentheses ? "\\right)" : "");
}

static void expand_cases(KalPrinter *p, const KalExprNode *n, KalExpr condition)
{
    kal_push_text(p, "\\begin{cases} ");
    if (n->op == KAL_OP_SELECT) {
        kal_push_node(p, n->arg[1], KAL_LEVEL_SUM);
    } else {
        kal_push_text(p, "1");
    }
    kal_push_text(p, " & \\text{if } ");
    kal_push_condition(p, condition, false);
    kal_push_text(p, " \\\\ ");
    if (n->op == KAL_OP_SELECT) {
        kal_push_node(p, n->arg[2], KAL_LEVEL_SUM);
    } else {
        kal_push_text(p, "0");
    }
    kal_push_text(p, " & \\text{otherwise} \\end{cases}");
}

static void expand_call(KalPrinter *p, const KalExprNode *n)
{
    if (n->op == KAL_OP_SQRT || n->op == KAL_OP_ABS) {
        kal_push_text(p, n->op == KAL_OP_SQRT ? "\\sqrt{" : "\\left|");
        kal_push_node(p, n->arg[0], KAL_LEVEL_SUM);
        kal_push_text(p, n->op == KAL_OP_SQRT ? "}" : "\\right|");
        return;
    }
    kal_push_text(p, function_of((KalOp)n->op).command);
    push_arguments(p, n);
}

static void expand_node(KalPrinter *p, KalExpr e, KalLevel level)
{
    const KalExprNode n = *kal_node(p->g, e);
    const KalKind kind = kal_op_kind((KalOp)n.op);
    const uint32_t part = kal_print_part(p, e);
    const KalLevel own = level_of(p, e);
    if (own < level) {
        kal_push_text(p, "\\left(");
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, "\\right)");
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

void kal_expand_latex(KalPrinter *p, const KalPiece *piece)
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

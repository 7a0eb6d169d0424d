// SPDX-License-Identifier: MIT

// Formulas in C, grouped exactly as the graph is, so that compiled code rounds as
// evaluation does.  What is neither sum nor product is spelled as in ops.def.

#include "base/number.h"
#include "expr/node.h"
#include "print/print_impl.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// Whoever compiles the text has the sine and cosine of the C library.
static const char *value_text(KalOp op)
{
    assert(op < KAL_OP_COUNT);
    if (op == KAL_OP_SIN || op == KAL_OP_COS) {
        return op == KAL_OP_SIN ? "sin(a)" : "cos(a)";
    }
    switch (op) {
#define KAL_OP(name, arity, kind, commutes, word, value, ...) \
    case KAL_OP_##name:                                       \
        return #value;
#include "expr/ops.def"
#undef KAL_OP
    case KAL_OP_COUNT: break;
    }
    return "";
}

// Whether the letter at `at` stands for an operand, and for which one.
static int operand_at(const char *text, size_t at)
{
    assert(text[at] != '\0');
    const char c = text[at];
    const bool alone = (at == 0 || (!isalnum((unsigned char)text[at - 1])))
                       && !isalnum((unsigned char)text[at + 1]);
    return alone && c >= 'a' && c <= 'c' ? c - 'a' : -1;
}

int kal_c_uses(const KalExprNode *n, int k)
{
    assert(k >= 0 && k < kal_op_arity((KalOp)n->op));
    if (n->op == KAL_OP_POWI) {
        const int32_t power = kal_node_exponent(n);
        return power == 2 || power == 3 ? power : 1;
    }
    const char *text = value_text((KalOp)n->op);
    int uses = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        uses += operand_at(text, i) == k;
    }
    return uses;
}

// A whole number gets a point, or C would divide integers.
static void print_number(KalPrinter *p, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(value, text);
    kal_print_string(p, text);
    kal_print_string(p, strpbrk(text, ".e") ? "" : ".0");
}

// What has to be in parentheses in C: sums, products and negative numbers; all else is
// an atom, as calls and choices are written with parentheses of their own.
static KalLevel level_of(const KalPrinter *p, KalExpr e)
{
    const KalExprNode *n = kal_node(p->g, e);
    if (kal_print_part(p, e) != 0) {
        return KAL_LEVEL_ATOM;
    }
    if (n->op == KAL_OP_CONST) {
        return kal_graph_number(p->g, e).value < 0.0 ? KAL_LEVEL_SUM : KAL_LEVEL_ATOM;
    }
    switch (kal_op_kind((KalOp)n->op)) {
    case KAL_KIND_SUM: return KAL_LEVEL_SUM;
    case KAL_KIND_PRODUCT: return KAL_LEVEL_PRODUCT;
    case KAL_KIND_LEAF:
    case KAL_KIND_POWER:
    case KAL_KIND_CALL:
    case KAL_KIND_GUARD:
    case KAL_KIND_SELECT:
    case KAL_KIND_RELATION:
    case KAL_KIND_LOGIC: break;
    }
    return KAL_LEVEL_ATOM;
}

static bool is_short(const KalPrinter *p, KalExpr e)
{
    return kal_print_part(p, e) != 0
           || kal_op_kind((KalOp)kal_node(p->g, e)->op) == KAL_KIND_LEAF;
}

// x*x and x*(x*x) for short x, as evaluation has it; pow for the rest.
static void expand_whole_power(KalPrinter *p, const KalExprNode *n)
{
    assert(n->op == KAL_OP_POWI);
    const int32_t power = kal_node_exponent(n);
    if ((power == 2 || power == 3) && is_short(p, n->arg[0])) {
        kal_push_text(p, "(");
        kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
        kal_push_text(p, power == 2 ? "*" : "*(");
        kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
        if (power == 3) {
            kal_push_text(p, "*");
            kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
            kal_push_text(p, ")");
        }
        kal_push_text(p, ")");
        return;
    }
    kal_push_text(p, "pow(");
    kal_push_node(p, n->arg[0], KAL_LEVEL_SUM);
    kal_push_text(p, ", ");
    kal_push_integer(p, power);
    kal_push_text(p, ".0)");
}

// f(x), f_1(x), f_2(x), f_3(x): whoever compiles the text has the tables as functions.  A
// name in C has no points or brackets.
static void expand_table(KalPrinter *p, const KalExprNode *n)
{
    const KalSplineFunction *f = kal_print_spline(n);
    assert(f);
    for (const char *c = f->spline->name; *c != '\0'; c++) {
        const bool plain = isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80;
        kal_print_write(p, plain ? c : "_", 1);
    }
    if (kal_print_primes(f) > 0) {
        kal_push_text(p, "_");
        kal_push_integer(p, kal_print_primes(f));
    }
    kal_push_text(p, "(");
    kal_push_node(p, n->arg[0], KAL_LEVEL_SUM);
    kal_push_text(p, ")");
}

static void push_piece(KalPrinter *p, const char *text, size_t length)
{
    assert(text);
    if (length > 0) {
        kal_push(p, (KalPiece){.kind = KAL_PIECE_TEXT, .text = text, .length = length});
    }
}

// The text of ops.def with operands in place of a, b and c.
static void expand_by_list(KalPrinter *p, const KalExprNode *n)
{
    assert(kal_op_arity((KalOp)n->op) > 0);
    const char *text = value_text((KalOp)n->op);
    const size_t length = strlen(text);
    const size_t word = strcspn(text, " (");
    const bool call =
        word > 1 && word < length && text[word] == '(' && text[length - 1] == ')';
    size_t done = 0;
    kal_push_text(p, call ? "" : "(");
    for (size_t i = 0; i < length; i++) {
        const int k = operand_at(text, i);
        if (k >= 0) {
            push_piece(p, text + done, i - done);
            kal_push_node(p, n->arg[k], call ? KAL_LEVEL_SUM : KAL_LEVEL_ATOM);
            done = i + 1;
        }
    }
    push_piece(p, text + done, length - done);
    kal_push_text(p, call ? "" : ")");
}

static void print_leaf(KalPrinter *p, KalExpr e)
{
    const uint32_t part = kal_print_part(p, e);
    if (part != 0) {
        kal_print_string(p, p->options->prefix ? p->options->prefix : "v");
        kal_print_integer(p, part);
    } else if (kal_is_op(p->g, e, KAL_OP_CONST)) {
        print_number(p, kal_graph_number(p->g, e).value);
    } else if (kal_is_op(p->g, e, KAL_OP_SYMBOL)) {
        kal_print_string(p, kal_print_name(p, e));
    } else {
        kal_print_string(p, value_text(KAL_OP_PI));
    }
}

// The right operand of a difference or quotient needs parentheses if it is of the same
// level, since both group from the left.
static void expand_infix(KalPrinter *p, const KalExprNode *n, KalLevel own)
{
    assert(kal_op_arity((KalOp)n->op) <= 2);
    if (n->op == KAL_OP_NEG) {
        kal_push_text(p, "-");
        kal_push_node(p, n->arg[0], KAL_LEVEL_POWER);
        return;
    }
    kal_push_node(p, n->arg[0], own);
    kal_push_text(p, own == KAL_LEVEL_SUM ? " " : "");
    kal_push_text(p, kal_op_word((KalOp)n->op));
    kal_push_text(p, own == KAL_LEVEL_SUM ? " " : "");
    kal_push_node(p, n->arg[1], own + 1);
}

// Into pieces for C: parentheses where the grammar of C needs them, operators by their
// kind, functions by ops.def.
void kal_expand_c(KalPrinter *p, const KalPiece *piece)
{
    assert(piece->kind == KAL_PIECE_NODE);
    const KalExprNode n = *kal_node(p->g, piece->e);
    const KalLevel own = level_of(p, piece->e);
    if (own < (KalLevel)piece->level) {
        kal_push_text(p, "(");
        kal_push_node(p, piece->e, KAL_LEVEL_SUM);
        kal_push_text(p, ")");
    } else if (is_short(p, piece->e)) {
        print_leaf(p, piece->e);
    } else if (own < KAL_LEVEL_ATOM) {
        expand_infix(p, &n, own);
    } else if (n.op == KAL_OP_POWI) {
        expand_whole_power(p, &n);
    } else if (kal_op_is_spline((KalOp)n.op)) {
        expand_table(p, &n);
    } else {
        expand_by_list(p, &n);
    }
}

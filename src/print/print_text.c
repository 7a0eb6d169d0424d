// SPDX-License-Identifier: MIT

// Formulas in the model language, such that reading them gives the same formula again.
// Parentheses stand where the grammar needs them and nowhere else; a condition that is
// used as a number is if(c, 1, 0), and `where` guards, which the language has no word
// for, are left out.

#include "expr/node.h"
#include "print/print_impl.h"

#include <assert.h>

// The sign of a number was written with its term.
static void print_number(KalPrinter *p, KalRational k)
{
    if (k.den == 0) {
        kal_print_double(p, k.value < 0.0 ? -k.value : k.value);
        return;
    }
    kal_print_integer(p, k.num < 0 ? -k.num : k.num);
    if (k.den != 1) {
        kal_print_string(p, "/");
        kal_print_integer(p, k.den);
    }
}

static void print_leaf(KalPrinter *p, KalExpr e, uint32_t part)
{
    if (part != 0) {
        kal_print_string(p, p->options->prefix ? p->options->prefix : "v");
        kal_print_integer(p, part);
    } else if (kal_is_op(p->g, e, KAL_OP_CONST)) {
        print_number(p, kal_graph_number(p->g, e));
    } else if (kal_is_op(p->g, e, KAL_OP_SYMBOL)) {
        kal_print_string(p, kal_print_name(p, e));
    } else {
        kal_print_string(p, kal_op_word((KalOp)kal_node(p->g, e)->op));
    }
}

// A factor needs parentheses only if it is a sum.
static void push_factor(KalPrinter *p, KalExpr e)
{
    if (kal_print_level(p, e) == KAL_LEVEL_PRODUCT) {
        kal_push_product(p, e);
    } else {
        kal_push_node(p, e, KAL_LEVEL_PRODUCT);
    }
}

// k/below as p/(q*below).
static void push_inverse(KalPrinter *p, KalRational k, KalExpr below)
{
    assert(k.den > 0);
    kal_push_integer(p, k.num < 0 ? -k.num : k.num);
    if (k.den == 1) {
        kal_push_text(p, "/");
        kal_push_node(p, below, KAL_LEVEL_POWER);
        return;
    }
    kal_push_text(p, "/(");
    kal_push_integer(p, k.den);
    kal_push_text(p, "*");
    push_factor(p, below);
    kal_push_text(p, ")");
}

static void expand_product(KalPrinter *p, KalExpr e)
{
    const KalExprNode n = *kal_node(p->g, e);
    const uint32_t part = kal_print_part(p, e);
    KalRational k;
    KalExpr below;
    if (part != 0 || n.op == KAL_OP_CONST) {
        print_leaf(p, e, part);
    } else if (n.op == KAL_OP_MUL && kal_print_is_inverse(p, e, &k, &below)) {
        push_inverse(p, k, below);
    } else if (n.op == KAL_OP_MUL && kal_is_op(p->g, n.arg[0], KAL_OP_CONST)) {
        kal_push_product(p, n.arg[0]); // its sign was written
        kal_push_text(p, "*");
        push_factor(p, n.arg[1]);
    } else if (n.op == KAL_OP_MUL) {
        push_factor(p, n.arg[0]);
        kal_push_text(p, "*");
        push_factor(p, n.arg[1]);
    } else if (n.op == KAL_OP_DIV) {
        push_factor(p, n.arg[0]);
        kal_push_text(p, "/");
        kal_push_node(p, n.arg[1], KAL_LEVEL_POWER);
    } else {
        kal_push_node(p, e, KAL_LEVEL_PRODUCT);
    }
}

// Bases and exponents are atoms or in parentheses: x^y^z is x^(y^z), which is more than
// readers need to know.
static void expand_power(KalPrinter *p, const KalExprNode *n)
{
    assert(n->op == KAL_OP_POWI || n->op == KAL_OP_POW);
    kal_push_node(p, n->arg[0], KAL_LEVEL_ATOM);
    if (n->op == KAL_OP_POW) {
        kal_push_text(p, "^");
        kal_push_node(p, n->arg[1], KAL_LEVEL_ATOM);
        return;
    }
    const int32_t power = kal_node_exponent(n);
    kal_push_text(p, power < 0 ? "^(" : "^");
    kal_push_integer(p, power);
    kal_push_text(p, power < 0 ? ")" : "");
}

// if(…) has a condition for its first argument, which is written in words.
static void expand_call(KalPrinter *p, const KalExprNode *n)
{
    assert(kal_op_arity((KalOp)n->op) > 0);
    const int arity = kal_op_arity((KalOp)n->op);
    const KalSplineFunction *f = kal_print_spline(n);
    kal_push_text(p, f ? f->spline->name : kal_op_word((KalOp)n->op));
    for (int i = 0; f && i < kal_print_primes(f); i++) {
        kal_push_text(p, "'");
    }
    for (int i = 0; i < arity; i++) {
        kal_push_text(p, i == 0 ? "(" : ", ");
        if (n->op == KAL_OP_SELECT && i == 0) {
            kal_push_condition(p, n->arg[0], false);
        } else {
            kal_push_node(p, n->arg[i], KAL_LEVEL_SUM);
        }
    }
    kal_push_text(p, ")");
}

static void push_word(KalPrinter *p, KalOp op)
{
    assert(op < KAL_OP_COUNT);
    kal_push_text(p, " ");
    kal_push_text(p, kal_op_word(op));
    kal_push_text(p, " ");
}

// `not` and what is within `and` and `or` get parentheses, so that ranks need not be
// known to readers.
static void expand_condition(KalPrinter *p, KalExpr e, bool inner)
{
    const KalExprNode n = *kal_node(p->g, e);
    const KalOp op = (KalOp)n.op;
    const KalKind kind = kal_op_kind(op);
    const bool parentheses = inner && kind == KAL_KIND_LOGIC;
    kal_push_text(p, parentheses ? "(" : "");
    if (op == KAL_OP_NOT) {
        kal_push_text(p, "not (");
        kal_push_condition(p, n.arg[0], false);
        kal_push_text(p, ")");
    } else if (kind == KAL_KIND_LOGIC) {
        kal_push_condition(p, n.arg[0], true);
        push_word(p, op);
        kal_push_condition(p, n.arg[1], true);
    } else if (kind == KAL_KIND_RELATION) {
        kal_push_node(p, n.arg[0], KAL_LEVEL_SUM);
        push_word(p, op);
        kal_push_node(p, n.arg[1], KAL_LEVEL_SUM);
    } else {
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, " != 0");
    }
    kal_push_text(p, parentheses ? ")" : "");
}

// Into pieces for the model language; a condition as a number is if(c, 1, 0).
static void expand_node(KalPrinter *p, KalExpr e, KalLevel level)
{
    const KalExprNode n = *kal_node(p->g, e);
    const uint32_t part = kal_print_part(p, e);
    const KalLevel own = kal_print_level(p, e);
    if (n.op == KAL_OP_WHERE && part == 0) {
        kal_push_node(p, n.arg[0], level);
    } else if (own < level) {
        kal_push_text(p, "(");
        kal_push_node(p, e, KAL_LEVEL_SUM);
        kal_push_text(p, ")");
    } else if (own == KAL_LEVEL_SUM) {
        kal_push(p, (KalPiece){.kind = KAL_PIECE_TERM, .first = true, .e = e});
    } else if (own == KAL_LEVEL_PRODUCT) {
        kal_push_product(p, e);
    } else if (part != 0 || kal_op_kind((KalOp)n.op) == KAL_KIND_LEAF) {
        print_leaf(p, e, part);
    } else if (own == KAL_LEVEL_POWER) {
        expand_power(p, &n);
    } else if (kal_op_kind((KalOp)n.op) >= KAL_KIND_RELATION) {
        kal_push_text(p, "if(");
        kal_push_condition(p, e, false);
        kal_push_text(p, ", 1, 0)");
    } else {
        expand_call(p, &n);
    }
}

void kal_expand_text(KalPrinter *p, const KalPiece *piece)
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

// SPDX-License-Identifier: MIT

// Formulas as text, without recursion.
//
// What is still to be printed is a stack of pieces, the next one on top.  A piece is either
// text, which is written, or a formula, for which the format's `expand` pushes the pieces that
// it consists of, in reading order.  So any depth of formulas is printed, and the length has a
// limit: graphs share parts, and written out they may be longer than any memory.
//
// Levels say how strongly a piece holds together: one that is weaker than its place asks for
// gets parentheses.

#include "print/print.h"

#include "base/block.h"
#include "base/number.h"
#include "expr/node.h"
#include "expr/order.h"
#include "print/print_impl.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_LIMIT = 1000000,
    FIRST_TEXT = 1024,
    FIRST_PIECES = 64
};

// The first failure counts; nothing is written after it.
static void fail(KalPrinter *p, KalStatus status)
{
    assert(status != KAL_OK);
    if (p->status == KAL_OK) {
        p->status = status;
    }
}

void kal_print_write(KalPrinter *p, const char *text, size_t length)
{
    if (p->status != KAL_OK || length == 0) {
        return;
    }
    assert(p->length <= p->limit && p->length <= p->capacity);
    if (length > p->limit - p->length) {
        fail(p, KAL_ERR_LIMIT);
        return;
    }
    if (length > p->capacity - p->length) {
        char *grown =
            kal_grow(p->ctx, p->text, 1, p->length + length + FIRST_TEXT, &p->capacity);
        if (!grown) {
            fail(p, KAL_ERR_NOMEM);
            return;
        }
        p->text = grown;
    }
    memcpy(p->text + p->length, text, length);
    p->length += length;
}

void kal_print_string(KalPrinter *p, const char *text)
{
    assert(text);
    kal_print_write(p, text, strlen(text));
}

void kal_print_integer(KalPrinter *p, int64_t value)
{
    char text[KAL_NUMBER_SIZE];
    snprintf(text, sizeof text, "%" PRId64, value);
    kal_print_string(p, text);
}

void kal_print_double(KalPrinter *p, double value)
{
    char text[KAL_NUMBER_SIZE];
    kal_number_print_exact(value, text);
    const char *plus = strchr(text, '+');
    const size_t head = plus ? (size_t)(plus - text) : strlen(text);
    kal_print_write(p, text, head);
    kal_print_string(p, plus ? plus + 1 : "");
}

void kal_push(KalPrinter *p, KalPiece piece)
{
    if (p->status != KAL_OK) {
        return;
    }
    assert(p->depth <= p->stack_capacity);
    if (p->depth == p->stack_capacity) {
        KalPiece *stack = kal_grow(p->ctx, p->stack, sizeof *stack,
                                   p->depth + FIRST_PIECES, &p->stack_capacity);
        if (!stack) {
            fail(p, KAL_ERR_NOMEM);
            return;
        }
        p->stack = stack;
    }
    p->stack[p->depth++] = piece;
}

void kal_push_text(KalPrinter *p, const char *text)
{
    kal_push(p,
             (KalPiece){.kind = KAL_PIECE_TEXT, .text = text, .length = strlen(text)});
}

void kal_push_integer(KalPrinter *p, int64_t value)
{
    kal_push(p, (KalPiece){.kind = KAL_PIECE_INTEGER, .integer = value});
}

void kal_push_node(KalPrinter *p, KalExpr e, KalLevel level)
{
    kal_push(p, (KalPiece){.kind = KAL_PIECE_NODE, .level = (uint8_t)level, .e = e});
}

void kal_push_condition(KalPrinter *p, KalExpr e, bool inner)
{
    kal_push(p, (KalPiece){.kind = KAL_PIECE_CONDITION, .level = inner, .e = e});
}

void kal_push_product(KalPrinter *p, KalExpr e)
{
    kal_push(p, (KalPiece){.kind = KAL_PIECE_PRODUCT, .e = e});
}

// The number of the part that a formula is, 0 if it is none or is being defined.
uint32_t kal_print_part(const KalPrinter *p, KalExpr e)
{
    const int64_t place = kal_same(e, p->defining) ? -1 : kal_seeds_find(&p->parts, e);
    return (uint32_t)(place + 1);
}

const char *kal_print_name(const KalPrinter *p, KalExpr symbol)
{
    assert(kal_is_op(p->g, symbol, KAL_OP_SYMBOL));
    return p->options->name(p->options->user, kal_node(p->g, symbol)->arg[0].index);
}

// How strongly a formula holds together when it is printed: a negative number in front
// makes a sum of it, a fraction a product.
KalLevel kal_print_level(const KalPrinter *p, KalExpr e)
{
    if (kal_print_part(p, e) != 0) {
        return KAL_LEVEL_ATOM;
    }
    const KalTerm t = kal_split(p->g, e);
    if (t.k.value < 0.0) {
        return KAL_LEVEL_SUM;
    }
    switch (kal_op_kind((KalOp)kal_node(p->g, e)->op)) {
    case KAL_KIND_SUM: return KAL_LEVEL_SUM;
    case KAL_KIND_PRODUCT: return KAL_LEVEL_PRODUCT;
    case KAL_KIND_POWER: return KAL_LEVEL_POWER;
    case KAL_KIND_LEAF:
        return kal_is_op(p->g, e, KAL_OP_CONST) && t.k.den > 1 ? KAL_LEVEL_PRODUCT
                                                               : KAL_LEVEL_ATOM;
    case KAL_KIND_CALL:
    case KAL_KIND_GUARD:
    case KAL_KIND_SELECT:
    case KAL_KIND_RELATION:
    case KAL_KIND_LOGIC: break;
    }
    return KAL_LEVEL_ATOM;
}

bool kal_print_is_inverse(const KalPrinter *p, KalExpr e, KalRational *out_k,
                          KalExpr *out_below)
{
    assert(out_k && out_below);
    const KalTerm t = kal_split(p->g, e);
    if (t.rest.index == 0 || kal_same(t.rest, e) || t.k.den == 0
        || kal_print_part(p, t.rest) != 0) {
        return false;
    }
    const KalExprNode *n = kal_node(p->g, t.rest);
    *out_k = t.k;
    *out_below = n->arg[1];
    return n->op == KAL_OP_DIV && kal_is_int(p->g, n->arg[0], 1);
}

static void push_term(KalPrinter *p, KalExpr e, bool negative, bool first)
{
    kal_push(p,
             (KalPiece){
                 .kind = KAL_PIECE_TERM, .negative = negative, .first = first, .e = e});
}

KalSigns kal_print_signs(const KalPrinter *p)
{
    return p->options->format == KAL_FORMAT_MATHML
               ? (KalSigns){"<mo>−</mo>", KAL_MATHML_MINUS, KAL_MATHML_PLUS}
               : (KalSigns){"-", " - ", " + "};
}

// Sums are written term by term, the sign in front: a − (b − c) comes out as a - b + c.
void kal_expand_term(KalPrinter *p, const KalPiece *piece)
{
    assert(piece->kind == KAL_PIECE_TERM);
    const KalExprNode *n = kal_node(p->g, piece->e);
    const bool part = kal_print_part(p, piece->e) != 0;
    bool negative = piece->negative;
    if (!part && (n->op == KAL_OP_ADD || n->op == KAL_OP_SUB)) {
        push_term(p, n->arg[0], negative, piece->first);
        push_term(p, n->arg[1], negative != (n->op == KAL_OP_SUB), false);
        return;
    }
    if (!part && n->op == KAL_OP_NEG) {
        push_term(p, n->arg[0], !negative, piece->first);
        return;
    }
    if (!part) {
        negative = negative != (kal_split(p->g, piece->e).k.value < 0.0);
    }
    const KalSigns signs = kal_print_signs(p);
    if (piece->first) {
        kal_push_text(p, negative ? signs.first_minus : "");
    } else {
        kal_push_text(p, negative ? signs.minus : signs.plus);
    }
    kal_push_product(p, piece->e);
}

// The pieces that an expansion pushed stand in reading order; the stack wants the first
// of them on top.
static void reverse(KalPrinter *p, size_t begin)
{
    assert(begin <= p->depth);
    for (size_t i = begin, j = p->depth; i + 1 < j; i++) {
        j--;
        const KalPiece swap = p->stack[i];
        p->stack[i] = p->stack[j];
        p->stack[j] = swap;
    }
}

// Print what is on the stack, which was pushed in reading order.
static void run(KalPrinter *p)
{
    reverse(p, 0);
    while (p->depth > 0 && p->status == KAL_OK) {
        const KalPiece piece = p->stack[--p->depth];
        const size_t begin = p->depth;
        if (piece.kind == KAL_PIECE_TEXT) {
            kal_print_write(p, piece.text, piece.length);
        } else if (piece.kind == KAL_PIECE_INTEGER) {
            kal_print_integer(p, piece.integer);
        } else {
            p->expand(p, &piece);
            reverse(p, begin);
        }
    }
}

static KalPrinter printer_of(KalGraph *g, const KalPrintOptions *options)
{
    KalPrinter p = {.g = g, .ctx = kal_graph_context(g), .options = options};
    p.limit = options->limit == 0 ? DEFAULT_LIMIT : options->limit;
    switch (options->format) {
    case KAL_FORMAT_TEXT: p.expand = kal_expand_text; break;
    case KAL_FORMAT_LATEX:
    case KAL_FORMAT_MATHML: p.expand = kal_expand_math; break;
    case KAL_FORMAT_C: p.expand = kal_expand_c; break;
    }
    assert(p.expand);
    return p;
}

// Hand the text over, or say why there is none.
static KalStatus finish(KalPrinter *p, KalSink sink)
{
    assert(sink.write);
    KalStatus status = p->status;
    if (status == KAL_OK && p->length > 0) {
        sink.write(sink.user, p->text, p->length);
    } else if (status == KAL_ERR_LIMIT) {
        kal_fail(p->ctx, status, "the formula is longer than %zu characters", p->limit);
    } else if (status == KAL_ERR_NOMEM) {
        kal_fail(p->ctx, status, "no memory to print a formula");
    }
    kal_free(p->ctx, p->text, p->capacity);
    kal_free(p->ctx, p->stack, p->stack_capacity * sizeof *p->stack);
    return status;
}

KalStatus kal_print(KalGraph *g, KalExpr e, const KalPrintOptions *options,
                    KalSink sink)
{
    assert(g && options && sink.write);
    KAL_TRY(kal_graph_status(g));
    KalPrinter p = printer_of(g, options);
    kal_push_node(&p, e, KAL_LEVEL_SUM);
    run(&p);
    return finish(&p, sink);
}

// Whether a node that is used more than once is worth a name.  A leaf, or a number
// times one, is as short as a name would be.  Conditions have no value that could be
// named.
static bool deserves_name(const KalGraph *g, KalExpr e)
{
    const KalTerm t = kal_split(g, e);
    const KalExpr rest = t.rest.index == 0 ? e : t.rest;
    return kal_op_kind((KalOp)kal_node(g, rest)->op) != KAL_KIND_LEAF
           && !kal_is_condition(g, e);
}

// How often each step is used; in C a part that is written twice is used twice.
static uint32_t *count_uses(const KalPrinter *p, const KalOrder *order)
{
    uint32_t *uses = kal_alloc(p->ctx, order->count + 1, sizeof *uses);
    for (uint32_t i = 0; i < order->count && uses; i++) {
        const KalStep *step = &order->steps[i];
        const KalExprNode *n = kal_node(p->g, step->node);
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            const int times = p->options->format == KAL_FORMAT_C ? kal_c_uses(n, k) : 1;
            uses[step->arg[k]] += (uint32_t)times;
        }
    }
    for (size_t r = 0; r < order->n_roots && uses; r++) {
        uses[order->roots[r]]++;
    }
    return uses;
}

// List the parts, operands first.  The list is as long as the order.
static size_t list_parts(const KalPrinter *p, const KalOrder *order,
                         const uint32_t *uses, KalExpr *out_parts)
{
    size_t n = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        if (uses[i] > 1 && deserves_name(p->g, order->steps[i].node)) {
            out_parts[n++] = order->steps[i].node;
        }
    }
    assert(n <= order->count);
    return n;
}

// The name of a part that is printed by itself, as each format writes a definition.
static void print_left_side(KalPrinter *p, const char *name, uint32_t part)
{
    assert(name || part > 0);
    const KalFormat format = p->options->format;
    const bool math = format == KAL_FORMAT_LATEX || format == KAL_FORMAT_MATHML;
    if (math && name) {
        kal_math_name(p, name, false);
    } else if (math) {
        kal_print_part_name(p, part);
    } else if (name) {
        kal_print_string(p, format == KAL_FORMAT_TEXT ? "let " : "");
        kal_print_string(p, name);
    } else {
        kal_print_string(p, format == KAL_FORMAT_TEXT ? "let " : "const double ");
        kal_print_string(p, p->options->prefix ? p->options->prefix : "v");
        kal_print_integer(p, part);
    }
    kal_print_string(p, " = ");
}

static void print_line(KalPrinter *p, const char *name, uint32_t part, KalExpr e)
{
    print_left_side(p, name, part);
    p->defining = name ? KAL_NO_EXPR : e;
    kal_push_node(p, e, KAL_LEVEL_SUM);
    run(p);
    kal_print_string(p, p->options->format == KAL_FORMAT_C ? ";\n" : "\n");
}

// Parts come before what uses them, for the order lists operands first.
static void print_lines(KalPrinter *p, const KalOrder *order, const KalExpr *parts,
                        size_t n_parts, const char *const *names)
{
    assert(names || order->n_roots == 0);
    for (size_t i = 0; i < n_parts; i++) {
        print_line(p, NULL, (uint32_t)(i + 1), parts[i]);
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        print_line(p, names[r], 0, order->steps[order->roots[r]].node);
    }
}

// First the parts that occur often and get names, then line by line in an order in
// which each name is defined before it is used.
static void print_in_order(KalPrinter *p, const KalOrder *order,
                           const char *const *names)
{
    const size_t size = (order->count + 1) * sizeof(KalExpr);
    uint32_t *uses = count_uses(p, order);
    KalExpr *parts = kal_alloc(p->ctx, order->count + 1, sizeof *parts);
    if (uses && parts) {
        const size_t n_parts = list_parts(p, order, uses, parts);
        if (kal_seeds_init(p->ctx, parts, n_parts, &p->parts) == KAL_OK) {
            print_lines(p, order, parts, n_parts, names);
            kal_seeds_clear(&p->parts);
        } else {
            fail(p, KAL_ERR_NOMEM);
        }
    } else {
        fail(p, KAL_ERR_NOMEM);
    }
    kal_free(p->ctx, parts, size);
    kal_free(p->ctx, uses, (order->count + 1) * sizeof *uses);
}

KalStatus kal_print_parts(KalGraph *g, const KalExpr *e, const char *const *names,
                          size_t n, const KalPrintOptions *options, KalSink sink)
{
    assert(g && options && sink.write);
    KalOrder order = {0};
    KAL_TRY(kal_order_init(g, e, n, &order));
    KalPrinter p = printer_of(g, options);
    print_in_order(&p, &order, names);
    kal_order_clear(&order);
    return finish(&p, sink);
}

const KalSplineFunction *kal_print_spline(const KalExprNode *n)
{
    return kal_op_is_spline((KalOp)n->op) ? kal_node_spline(n) : NULL;
}

int kal_print_primes(const KalSplineFunction *f)
{
    return f->kind <= KAL_SPLINE_THIRD ? (int)f->kind : 0;
}

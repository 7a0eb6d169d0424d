// SPDX-License-Identifier: MIT

/// @file
/// Formulas from text and back, for tests of expressions.
///
/// A small recursive reader of the model language's expressions that builds just what it
/// reads, call by call.  Names are symbols, numbered as they first appear.  Texts are
/// short: formula_depth bounds the recursion.

#ifndef SUPPORT_FORMULA_H
#define SUPPORT_FORMULA_H

#include "expr/graph.h"
#include "print/print.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    FORMULA_NAMES = 64,
    FORMULA_NAME_SIZE = 32,
    FORMULA_TEXT_SIZE = 1 << 20,
    FORMULA_DEPTH = 2000
};

static char formula_names[FORMULA_NAMES][FORMULA_NAME_SIZE];
static uint32_t formula_n_names;

typedef struct Formula {
    KalGraph *g;
    const char *at;
    int depth;
    bool wrong; ///< the text is not an expression
} Formula;

static inline const char *formula_name(void *user, uint32_t id)
{
    (void)user;
    return formula_names[id];
}

static inline uint32_t formula_id(const char *name, size_t length)
{
    for (uint32_t i = 0; i < formula_n_names; i++) {
        if (strlen(formula_names[i]) == length
            && memcmp(formula_names[i], name, length) == 0) {
            return i;
        }
    }
    snprintf(formula_names[formula_n_names], FORMULA_NAME_SIZE, "%.*s", (int)length,
             name);
    return formula_n_names++;
}

static inline void formula_space(Formula *f)
{
    while (*f->at == ' ' || *f->at == '\n') {
        f->at++;
    }
}

static inline bool formula_take(Formula *f, const char *token)
{
    formula_space(f);
    const size_t length = strlen(token);
    const bool word = isalpha((unsigned char)token[0]) != 0;
    if (strncmp(f->at, token, length) != 0
        || (word && isalnum((unsigned char)f->at[length]))) {
        return false;
    }
    f->at += length;
    return true;
}

static KalExpr formula_sum(Formula *f);
static KalExpr formula_or(Formula *f);

static inline void formula_expect(Formula *f, const char *token)
{
    f->wrong = f->wrong || !formula_take(f, token);
}

static inline KalExpr formula_number(Formula *f)
{
    const char *end = f->at;
    while (isdigit((unsigned char)*end) || *end == '.') {
        end++;
    }
    if (*end == 'e') {
        end += end[1] == '-' ? 2 : 1;
        while (isdigit((unsigned char)*end)) {
            end++;
        }
    }
    const KalRational value = kal_rational_parse(f->at, (size_t)(end - f->at));
    f->at = end;
    return kal_number(f->g, value);
}

static inline KalExpr formula_select(Formula *f)
{
    formula_expect(f, "(");
    const KalExpr condition = formula_or(f);
    formula_expect(f, ",");
    const KalExpr a = formula_sum(f);
    formula_expect(f, ",");
    const KalExpr b = formula_sum(f);
    formula_expect(f, ")");
    return kal_select(f->g, condition, a, b);
}

static inline KalExpr formula_call(Formula *f, KalOp op)
{
    KalExpr arg[3] = {KAL_NO_EXPR, KAL_NO_EXPR, KAL_NO_EXPR};
    for (int i = 0; i < kal_op_arity(op); i++) {
        formula_expect(f, i == 0 ? "(" : ",");
        arg[i] = formula_sum(f);
    }
    formula_expect(f, ")");
    return kal_build(f->g, op, arg);
}

static inline KalExpr formula_word(Formula *f)
{
    const char *begin = f->at;
    while (isalnum((unsigned char)*f->at) || *f->at == '_' || *f->at == '\''
           || *f->at == '.' || *f->at == '[' || *f->at == ']'
           || (unsigned char)*f->at >= 0x80) {
        f->at++;
    }
    const size_t length = (size_t)(f->at - begin);
    const KalOp op = kal_op_find_function(begin, length);
    if (*f->at == '(' && op != KAL_OP_COUNT) {
        return formula_call(f, op);
    }
    if (length == 2 && memcmp(begin, "if", 2) == 0) {
        return formula_select(f);
    }
    if (length == 2 && memcmp(begin, "pi", 2) == 0) {
        return kal_pi(f->g);
    }
    return kal_symbol(f->g, formula_id(begin, length));
}

static inline KalExpr formula_atom(Formula *f)
{
    formula_space(f);
    if (f->wrong || f->depth > FORMULA_DEPTH) {
        f->wrong = true;
        return KAL_NO_EXPR;
    }
    if (formula_take(f, "(")) {
        const KalExpr inner = formula_sum(f);
        formula_expect(f, ")");
        return inner;
    }
    if (isdigit((unsigned char)*f->at)) {
        return formula_number(f);
    }
    if (isalpha((unsigned char)*f->at) || (unsigned char)*f->at >= 0x80) {
        return formula_word(f);
    }
    f->wrong = true;
    return KAL_NO_EXPR;
}

static inline KalExpr formula_power(Formula *f)
{
    f->depth++;
    const KalExpr base = formula_atom(f);
    KalExpr power = base;
    if (formula_take(f, "^")) {
        const bool minus = formula_take(f, "-");
        const KalExpr exponent = formula_power(f);
        power = kal_pow(f->g, base, minus ? kal_neg(f->g, exponent) : exponent);
    }
    f->depth--;
    return power;
}

static inline KalExpr formula_factor(Formula *f)
{
    bool minus = false;
    while (formula_take(f, "-")) {
        minus = !minus;
    }
    const KalExpr power = formula_power(f);
    return minus ? kal_neg(f->g, power) : power;
}

static inline KalExpr formula_product(Formula *f)
{
    const bool minus = formula_take(f, "-");
    KalExpr product = formula_factor(f);
    for (bool more = true; more;) {
        more = false;
        if (formula_take(f, "*")) {
            product = kal_mul(f->g, product, formula_factor(f));
            more = true;
        } else if (formula_take(f, "/")) {
            product = kal_div(f->g, product, formula_factor(f));
            more = true;
        }
    }
    return minus ? kal_neg(f->g, product) : product;
}

static KalExpr formula_sum(Formula *f)
{
    f->depth++;
    KalExpr sum = formula_product(f);
    for (bool more = true; more;) {
        more = false;
        if (formula_take(f, "+")) {
            sum = kal_add(f->g, sum, formula_product(f));
            more = true;
        } else if (formula_take(f, "-")) {
            sum = kal_sub(f->g, sum, formula_product(f));
            more = true;
        }
    }
    f->depth--;
    return sum;
}

// Parentheses may hold a condition or begin a sum: try the condition first.
static inline KalExpr formula_relation(Formula *f)
{
    const Formula before = *f;
    if (formula_take(f, "(")) {
        const KalExpr inner = formula_or(f);
        formula_space(f);
        const bool whole = !f->wrong && formula_take(f, ")");
        formula_space(f);
        if (whole && kal_is_condition(f->g, inner) && !strchr("<>=!+-*/^", *f->at)) {
            return inner;
        }
        *f = before;
    }
    const KalExpr a = formula_sum(f);
    const bool equal = formula_take(f, "==");
    if (equal || formula_take(f, "!=")) {
        return kal_binary(f->g, equal ? KAL_OP_EQ : KAL_OP_NE, a, formula_sum(f));
    }
    const bool le = formula_take(f, "<=");
    if (le || formula_take(f, "<")) {
        return kal_binary(f->g, le ? KAL_OP_LE : KAL_OP_LT, a, formula_sum(f));
    }
    const bool ge = formula_take(f, ">=");
    if (ge || formula_take(f, ">")) {
        const KalExpr b = formula_sum(f);
        return kal_binary(f->g, ge ? KAL_OP_LE : KAL_OP_LT, b, a);
    }
    return a;
}

static inline KalExpr formula_not(Formula *f)
{
    f->depth++;
    const KalExpr e = formula_take(f, "not")
                          ? kal_unary(f->g, KAL_OP_NOT, formula_relation(f))
                          : formula_relation(f);
    f->depth--;
    return e;
}

static inline KalExpr formula_and(Formula *f)
{
    KalExpr e = formula_not(f);
    while (formula_take(f, "and")) {
        e = kal_binary(f->g, KAL_OP_AND, e, formula_not(f));
    }
    return e;
}

static KalExpr formula_or(Formula *f)
{
    KalExpr e = formula_and(f);
    while (formula_take(f, "or")) {
        e = kal_binary(f->g, KAL_OP_OR, e, formula_and(f));
    }
    return e;
}

/// Build what the text says; KAL_NO_EXPR when it is not an expression.
static inline KalExpr formula_parse(KalGraph *g, const char *text)
{
    Formula f = {.g = g, .at = text};
    const KalExpr e = formula_or(&f);
    formula_space(&f);
    return f.wrong || *f.at != '\0' ? KAL_NO_EXPR : e;
}

static char formula_text[FORMULA_TEXT_SIZE];

static inline void formula_keep(void *user, const char *text, size_t length)
{
    (void)user;
    const size_t room = FORMULA_TEXT_SIZE - 1;
    length = length < room ? length : room;
    memcpy(formula_text, text, length);
    formula_text[length] = '\0';
}

/// An expression as text, until the next call.
static inline const char *formula_print(KalGraph *g, KalExpr e, KalFormat format)
{
    const KalPrintOptions options = {.format = format, .name = formula_name};
    const KalSink sink = {formula_keep, NULL};
    if (e.index == 0 || kal_print(g, e, &options, sink) != KAL_OK) {
        return "(none)";
    }
    return formula_text;
}

#endif

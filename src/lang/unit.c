// SPDX-License-Identifier: MIT

// Units in brackets: products, quotients and powers of names.  No word is reserved in them.
//
// Recursion in this file ends at KAL_PARSE_DEPTH.

#include "lang/parser_impl.h"

#include <assert.h>

static KalNode *parse_product(KalParser *p);

// Brackets around a product.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_parenthesis(KalParser *p)
{
    assert(kal_parser_is(p, KAL_TOKEN_LEFT_PAREN));
    const KalToken open = p->token;
    kal_parser_advance(p);
    if (!kal_parser_enter(p)) {
        return NULL;
    }
    KalNode *node = parse_product(p);
    kal_parser_leave(p);
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return node;
}

// A name, the number 1 as in 1/s, or brackets.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_primary(KalParser *p)
{
    const bool one = kal_parser_is(p, KAL_TOKEN_NUMBER)
                     && p->token.end == p->token.begin + 1
                     && p->lexer.source->text[p->token.begin] == '1';
    if (one) {
        return kal_parse_number(p);
    }
    if (kal_parser_is(p, KAL_TOKEN_NAME) || kal_parser_is(p, KAL_TOKEN_WORD)) {
        return kal_parse_any_name(p); // no word is reserved here
    }
    if (kal_parser_is(p, KAL_TOKEN_LEFT_PAREN)) {
        return parse_parenthesis(p);
    }
    kal_parser_fail_expected(p, "a unit, such as kg, m/s^2 or 1");
    return NULL;
}

// With or without a minus.
static bool is_number(const KalNode *node)
{
    return node->kind == KAL_NODE_NUMBER
           || (node->kind == KAL_NODE_NEGATE
               && node->of.unary.operand->kind == KAL_NODE_NUMBER);
}

// A number, or a quotient of two.
static bool is_exponent(const KalNode *node)
{
    assert(node);
    if (node->kind != KAL_NODE_MULTIPLY) {
        return is_number(node);
    }
    const KalNode *first = node->of.list.items;
    const KalNode *second = first->next;
    return is_number(first) && second->kind == KAL_NODE_NUMBER
           && second->join == KAL_JOIN_OVER && !second->next;
}

// m^2, s^-1, m^(1/2)
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_power(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *base = parse_primary(p);
    if (!kal_parser_accept(p, KAL_TOKEN_CARET)) {
        return base;
    }
    const uint32_t at = p->token.begin;
    KalNode *exponent = kal_parse_sign(p);
    if (exponent && !is_exponent(exponent)) {
        kal_parser_fail(p, at, p->end,
                        "the exponent of a unit is a number, as in s^2, s^-1, m^(1/2)");
    }
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_POWER, .of.binary = {base, exponent}
    });
}

// From left to right, as in m/s/s.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_product(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalChain chain = {.first = NULL};
    kal_chain_add(&chain, parse_power(p));
    if (!kal_parser_is(p, KAL_TOKEN_STAR) && !kal_parser_is(p, KAL_TOKEN_SLASH)) {
        return chain.first;
    }
    while (kal_parser_is(p, KAL_TOKEN_STAR) || kal_parser_is(p, KAL_TOKEN_SLASH)) {
        const bool times = kal_parser_is(p, KAL_TOKEN_STAR);
        kal_parser_advance(p);
        KalNode *factor = parse_power(p);
        if (factor) {
            factor->join = times ? KAL_JOIN_TIMES : KAL_JOIN_OVER;
        }
        kal_chain_add(&chain, factor);
    }
    return kal_parser_add(
        p, begin, (KalNode){.kind = KAL_NODE_MULTIPLY, .of.list = {chain.first}});
}

KalNode *kal_parse_unit(KalParser *p)
{
    if (!kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET) || !p->token.space_before) {
        return NULL;
    }
    const KalToken open = p->token;
    kal_parser_advance(p);
    KalNode *unit = parse_product(p);
    p->operator_fits = false;
    if (unit && kal_parser_is(p, KAL_TOKEN_NAME)) {
        kal_parser_fail_expected(p, "']', or * or / between the factors of a unit");
        return NULL;
    }
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    return unit;
}

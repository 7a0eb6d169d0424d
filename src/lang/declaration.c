// SPDX-License-Identifier: MIT

// What there is: names, energies and forces.  Each function parses what follows its word in
// words.def; the grammar is docs/language/grammar.md.

#include "lang/parser_impl.h"

#include <assert.h>
#include <stdio.h>

KalNode *kal_parse_other_unit(KalParser *p, KalNode *first)
{
    const KalToken open = p->token;
    KalNode *unit = kal_parse_unit(p);
    if (unit && first) {
        kal_parser_fail(p, open.begin, p->end,
                        "the unit is already given after the name");
    }
    return unit ? unit : first;
}

// `name [unit] = value [unit]`, with one of the units or none; `equals` is what a message asks for
// in place of the sign, NULL: the sign.
static KalNode *parse_declaration(KalParser *p, const char *what, const char *equals)
{
    assert(what);
    const uint32_t begin = p->token.begin;
    KalNode *target = kal_parse_target(p, KAL_TARGET_NEW, what);
    KalNode *unit = kal_parse_unit(p);
    kal_parser_expect(p, KAL_TOKEN_EQUALS, equals);
    KalNode *value = kal_parse_value(p);
    unit = kal_parse_other_unit(p, unit);
    return kal_parser_add_declaration(p, KAL_NODE_DECLARATION, begin, target, value,
                                      unit);
}

// One or more, with commas.
static KalNode *parse_declarations(KalParser *p, KalNodeKind kind, uint32_t begin,
                                   const char *what, const char *equals)
{
    KalChain items = {.first = NULL};
    do {
        kal_chain_add(&items, parse_declaration(p, what, equals));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add_list(p, kind, begin, items);
}

KalNode *kal_parse_param(KalParser *p, uint32_t begin)
{
    return parse_declarations(p, KAL_NODE_PARAM, begin, "the name of a parameter",
                              NULL);
}

KalNode *kal_parse_let(KalParser *p, uint32_t begin)
{
    return parse_declarations(p, KAL_NODE_LET, begin, "a name for an expression", NULL);
}

KalNode *kal_parse_output(KalParser *p, uint32_t begin)
{
    return parse_declarations(p, KAL_NODE_OUTPUT, begin, "the name of an output",
                              "'=' and a value, as in output h = y (coordinates are "
                              "results without an output)");
}

// `name [unit]`; a value here is a frequent slip.
static KalNode *parse_coordinate(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *target = kal_parse_target(p, KAL_TARGET_NEW, "the name of a coordinate");
    KalNode *unit = kal_parse_unit(p);
    if (kal_parser_is(p, KAL_TOKEN_LEFT_PAREN)) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "every coordinate depends on the time; it is declared by its "
                        "name alone");
    }
    if (kal_parser_is(p, KAL_TOKEN_EQUALS)) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "a coordinate is declared without a value; init says where it "
                        "starts");
    }
    return kal_parser_add_declaration(p, KAL_NODE_DECLARATION, begin, target, NULL,
                                      unit);
}

KalNode *kal_parse_coord(KalParser *p, uint32_t begin)
{
    KalChain items = {.first = NULL};
    do {
        kal_chain_add(&items, parse_coordinate(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add_list(p, KAL_NODE_COORD, begin, items);
}

// Energies and forces.

// The value of a statement that is nothing but its value.
static KalNode *parse_stated(KalParser *p, KalNodeKind kind, uint32_t begin)
{
    if (kal_parser_is(p, KAL_TOKEN_EQUALS) || kal_parser_is(p, KAL_TOKEN_COLON)) {
        char want[64];
        snprintf(want, sizeof want, "an expression right after the word, without %s",
                 kal_token_text(p->token.kind));
        kal_parser_fail_expected(p, want);
    }
    return kal_parser_add_unary(p, kind, begin, kal_parse_value(p));
}

KalNode *kal_parse_kinetic(KalParser *p, uint32_t begin)
{
    return parse_stated(p, KAL_NODE_KINETIC, begin);
}

KalNode *kal_parse_potential(KalParser *p, uint32_t begin)
{
    return parse_stated(p, KAL_NODE_POTENTIAL, begin);
}

KalNode *kal_parse_dissipation(KalParser *p, uint32_t begin)
{
    return parse_stated(p, KAL_NODE_DISSIPATION, begin);
}

// `power value` and `power force along velocity`
static KalNode *parse_power(KalParser *p, KalNodeKind whole, KalNodeKind along,
                            uint32_t begin)
{
    assert(whole != along);
    KalNode *value = kal_parse_value(p);
    if (!kal_parser_accept_word(p, "along")) {
        return kal_parser_add_unary(p, whole, begin, value);
    }
    KalNode *velocity = kal_parse_value(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = along, .of.binary = {value, velocity}
    });
}

KalNode *kal_parse_power(KalParser *p, uint32_t begin)
{
    return parse_power(p, KAL_NODE_EXTERNAL_POWER, KAL_NODE_POWER_ALONG, begin);
}

// `coordinate = value, …`
static KalNode *parse_assignments(KalParser *p, KalNodeKind kind, uint32_t begin)
{
    KalChain items = {.first = NULL};
    do {
        const uint32_t at = p->token.begin;
        KalNode *target =
            kal_parse_target(p, KAL_TARGET_OLD, "a coordinate, as in x = …");
        kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
        KalNode *value = kal_parse_value(p);
        kal_chain_add(&items, kal_parser_add_declaration(p, KAL_NODE_ASSIGNMENT, at,
                                                         target, value, NULL));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add_list(p, kind, begin, items);
}

KalNode *kal_parse_force(KalParser *p, uint32_t begin)
{
    return parse_assignments(p, KAL_NODE_FORCE, begin);
}

KalNode *kal_parse_prescribe(KalParser *p, uint32_t begin)
{
    return parse_assignments(p, KAL_NODE_PRESCRIBE, begin);
}

KalNode *kal_parse_nonideal(KalParser *p, uint32_t begin)
{
    const bool power =
        kal_parser_is(p, KAL_TOKEN_WORD) && p->token.word == KAL_WORD_POWER;
    if (!power) {
        return parse_assignments(p, KAL_NODE_NONIDEAL, begin);
    }
    kal_parser_advance(p);
    return parse_power(p, KAL_NODE_NONIDEAL_POWER, KAL_NODE_NONIDEAL_ALONG, begin);
}

KalNode *kal_parse_mass(KalParser *p, uint32_t begin)
{
    const KalToken open = p->token;
    kal_parser_expect(p, KAL_TOKEN_LEFT_BRACKET, "'[', as in mass[x, y] = …");
    KalNode *row = kal_parse_target(p, KAL_TARGET_OLD, "a coordinate");
    kal_parser_expect(p, KAL_TOKEN_COMMA, NULL);
    KalNode *column = kal_parse_target(p, KAL_TARGET_OLD, "a coordinate");
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *value = kal_parse_value(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_MASS, .of.mass = {row, column, value}
    });
}

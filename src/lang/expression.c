// SPDX-License-Identifier: MIT

// Expressions by recursive descent; binary operators by precedence climbing, a rank at a
// time, with the ranks of lang/tokens.def.  Recursion in this file ends at KAL_PARSE_DEPTH:
// every way around passes kal_parser_enter().

#include "lang/parser_impl.h"

#include <assert.h>
#include <math.h>

// Operators by rank, those that bind least first.
typedef enum Rank {
    RANK_OR,
    RANK_AND,
    RANK_NOT,
    RANK_COMPARE,
    RANK_ADD,
    RANK_MULTIPLY,
    RANK_SIGN,
} Rank;

static KalNode *parse_rank(KalParser *p, Rank rank);

// A binary operator; RANK_SIGN for what is none.
static Rank rank_of(KalTokenKind kind)
{
    switch (kind) {
#define KAL_TOKEN(name, text, rank) \
    case KAL_TOKEN_##name:          \
        return RANK_##rank;
#include "lang/tokens.def"
#undef KAL_TOKEN
    }
    return RANK_SIGN;
}

// A comparison, which has RANK_COMPARE.
static KalCompare compare_of(KalTokenKind kind)
{
    const KalTokenKind tokens[] = {
        [KAL_COMPARE_LESS] = KAL_TOKEN_LESS,
        [KAL_COMPARE_LESS_EQUAL] = KAL_TOKEN_LESS_EQUAL,
        [KAL_COMPARE_GREATER] = KAL_TOKEN_GREATER,
        [KAL_COMPARE_GREATER_EQUAL] = KAL_TOKEN_GREATER_EQUAL,
        [KAL_COMPARE_EQUAL] = KAL_TOKEN_EQUAL,
        [KAL_COMPARE_NOT_EQUAL] = KAL_TOKEN_NOT_EQUAL,
    };
    KalCompare compare = KAL_COMPARE_LESS;
    while (tokens[compare] != kind) {
        assert(compare < KAL_COMPARE_NOT_EQUAL);
        compare++;
    }
    return compare;
}

static KalJoin join_of(KalTokenKind kind)
{
    return kind == KAL_TOKEN_PLUS    ? KAL_JOIN_PLUS
           : kind == KAL_TOKEN_MINUS ? KAL_JOIN_MINUS
           : kind == KAL_TOKEN_STAR  ? KAL_JOIN_TIMES
           : kind == KAL_TOKEN_SLASH ? KAL_JOIN_OVER
                                     : KAL_JOIN_NONE;
}

// Numbers and conditions do not take each other's places.
static void demand_value(KalParser *p, const KalNode *node)
{
    if (node && kal_node_is_condition(node)) {
        kal_parser_fail(p, node->span.begin, node->span.end,
                        "a condition has no value; conditions stand in "
                        "if(condition, a, b) and after the range of a sum");
    }
}

static void demand_condition(KalParser *p, const KalNode *node)
{
    if (node && kal_parser_is(p, KAL_TOKEN_EQUALS)) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "equality is asked with ==, as in a == b");
    }
    if (node && !kal_node_is_condition(node)) {
        kal_parser_fail(p, node->span.begin, node->span.end,
                        "expected a condition, such as x > 0, not a value");
    }
}

// A number that is too large or too small for a double would silently be another one.
KalNode *kal_parse_number(KalParser *p)
{
    assert(kal_parser_is(p, KAL_TOKEN_NUMBER));
    const KalToken token = p->token;
    const char *text = p->lexer.source->text + token.begin;
    const KalSpan span = {p->lexer.source, token.begin, token.end};
    KalNode *node = kal_tree_add_number(p->tree, span, text, token.end - token.begin);
    if (!node) {
        kal_parser_give_up(p);
        return NULL;
    }
    if (isinf(node->of.number.value)) {
        kal_parser_fail(p, token.begin, token.end,
                        "this number is too large; at most 1.79e308 is possible");
    } else if (node->of.number.value == 0.0 && node->of.number.n_digits > 0) {
        kal_parser_fail(p, token.begin, token.end,
                        "this number is too small; 4.95e-324 is the least above 0");
    }
    kal_parser_advance(p);
    return node;
}

KalNode *kal_parse_any_name(KalParser *p)
{
    const KalToken token = p->token;
    kal_parser_advance(p);
    const char *text = p->lexer.source->text + token.begin;
    return kal_parser_add(
        p, token.begin,
        (KalNode){
            .kind = KAL_NODE_NAME, .of.text = {text, token.end - token.begin}
    });
}

// Names with a meaning of their own.
static bool is_reserved(const KalParser *p)
{
    return kal_parser_is_word(p, "t") || kal_parser_is_word(p, "pi")
           || kal_parser_is_word(p, "deg");
}

// Whether the next token is a name.  A statement word is one where a name or an expression is
// expected, unless what follows shows that a statement begins here: `force x` does, `force =`
// and `force*x` do not.
static bool is_name(const KalParser *p)
{
    if (!kal_parser_is(p, KAL_TOKEN_WORD)) {
        return kal_parser_is(p, KAL_TOKEN_NAME);
    }
    const KalTokenKind next = kal_parser_peek(p, 1);
    return next != KAL_TOKEN_NAME && next != KAL_TOKEN_NUMBER
           && next != KAL_TOKEN_STRING && next != KAL_TOKEN_WORD;
}

KalNode *kal_parse_new_name(KalParser *p, const char *what)
{
    assert(what);
    if (is_reserved(p)) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "t (time), pi and deg have their own meaning and cannot be "
                        "declared; expected %s",
                        what);
    }
    if (!is_name(p)) {
        kal_parser_fail_expected(p, what);
        return NULL;
    }
    return kal_parse_any_name(p);
}

// Values with commas between them.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_values(KalParser *p)
{
    KalChain chain = {.first = NULL};
    do {
        kal_chain_add(&chain, kal_parse_value(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return chain.first;
}

// `[a, b]`
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_vector(KalParser *p)
{
    assert(kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET));
    const KalToken open = p->token;
    kal_parser_advance(p);
    KalNode *items = parse_values(p);
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    return kal_parser_add(p, open.begin,
                          (KalNode){.kind = KAL_NODE_VECTOR, .of.list = {items}});
}

// `(a)`: leaves no trace in the tree; printing puts parentheses where they are needed.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_parenthesis(KalParser *p)
{
    assert(kal_parser_is(p, KAL_TOKEN_LEFT_PAREN));
    const KalToken open = p->token;
    kal_parser_advance(p);
    KalNode *node = parse_rank(p, RANK_OR);
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return node;
}

// `if(condition, a, b)`
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_if(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    kal_parser_advance(p);
    const KalToken open = p->token;
    kal_parser_advance(p);
    const char *comma = "',' (an if has three parts: if(condition, a, b))";
    KalNode *condition = kal_parse_condition(p);
    kal_parser_expect(p, KAL_TOKEN_COMMA, comma);
    KalNode *yes = kal_parse_value(p);
    kal_parser_expect(p, KAL_TOKEN_COMMA, comma);
    KalNode *no = kal_parse_value(p);
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_IF, .of.choice = {condition, yes, no}
    });
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_range(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *first = kal_parse_value(p);
    kal_parser_expect(p, KAL_TOKEN_RANGE, "'..' and the end of the range");
    KalNode *last = kal_parse_value(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_RANGE, .of.binary = {first, last}
    });
}

// NOLINTNEXTLINE(misc-no-recursion)
void kal_parse_iterator(KalParser *p, KalNode **out_index, KalNode **out_range)
{
    assert(out_index && out_range);
    *out_index = kal_parse_new_name(p, "an index name");
    if (!kal_parser_accept_word(p, "in")) {
        kal_parser_fail_expected(p, "'in' and a range, as in i in 1..3");
    }
    *out_range = kal_parse_range(p);
}

// `sum(i in 1..n, condition : a)`
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_sum(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *index;
    KalNode *range;
    KalNode *filter = NULL;
    kal_parser_advance(p);
    const KalToken open = p->token;
    kal_parser_advance(p);
    kal_parse_iterator(p, &index, &range);
    if (kal_parser_accept(p, KAL_TOKEN_COMMA)) {
        filter = kal_parse_condition(p);
    }
    if (!kal_parser_accept(p, KAL_TOKEN_COLON)) {
        kal_parser_fail_after(p, "':' and what is summed");
    }
    KalNode *body = kal_parse_value(p);
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_SUM, .of.sum = {index, range, filter, body}
    });
}

// Built-in functions may be names too, so these two are only what they look like.
static bool is_sum(const KalParser *p)
{
    return kal_parser_is_word(p, "sum") && kal_parser_peek(p, 1) == KAL_TOKEN_LEFT_PAREN
           && kal_parser_peek(p, 2) == KAL_TOKEN_NAME
           && kal_parser_peek_word(p, 3, "in");
}

static bool is_if(const KalParser *p)
{
    return kal_parser_is_word(p, "if") && kal_parser_peek(p, 1) == KAL_TOKEN_LEFT_PAREN;
}

// What no operator joins: numbers, names, brackets, if and sum.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_primary(KalParser *p)
{
    if (is_if(p)) {
        return parse_if(p);
    }
    if (is_sum(p)) {
        return parse_sum(p);
    }
    if (kal_parser_is(p, KAL_TOKEN_NUMBER)) {
        return kal_parse_number(p);
    }
    if (is_name(p)) {
        return kal_parse_any_name(p);
    }
    if (kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET)) {
        return parse_vector(p);
    }
    if (kal_parser_is(p, KAL_TOKEN_LEFT_PAREN)) {
        return parse_parenthesis(p);
    }
    kal_parser_fail_expected(p, "an expression");
    return NULL;
}

// Each of the following continues what it is given, which began at `begin`.

// `a''`: all primes together are one node with their number.
static KalNode *parse_prime(KalParser *p, uint32_t begin, KalNode *base)
{
    const bool again = base && base->kind == KAL_NODE_PRIME;
    unsigned order = again ? base->op : 0;
    assert(order <= KAL_PRIME_LIMIT);
    while (kal_parser_accept(p, KAL_TOKEN_PRIME)) {
        order++;
    }
    if (order > KAL_PRIME_LIMIT) {
        kal_parser_fail(p, begin, p->end,
                        "too many primes: derivatives go to the order %d",
                        KAL_PRIME_LIMIT);
    }
    KalNode *operand = again ? base->of.unary.operand : base;
    return kal_parser_add(p, begin,
                          (KalNode){.kind = KAL_NODE_PRIME,
                                    .op = (unsigned char)order,
                                    .of.unary = {operand}});
}

// `a.b`
static KalNode *parse_member(KalParser *p, uint32_t begin, KalNode *base)
{
    assert(kal_parser_is(p, KAL_TOKEN_DOT));
    kal_parser_advance(p);
    KalNode *name = kal_parse_new_name(p, "the name of a member");
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_MEMBER, .of.binary = {base, name}
    });
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_index(KalParser *p, uint32_t begin, KalNode *base)
{
    assert(kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET));
    const KalToken open = p->token;
    kal_parser_advance(p);
    KalNode *index = kal_parse_value(p);
    if (kal_parser_is(p, KAL_TOKEN_COMMA)) {
        kal_parser_fail_expected(p,
                                 "']', for each index has brackets of its own, as in "
                                 "R[1][2]");
    }
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_INDEX, .of.binary = {base, index}
    });
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_call(KalParser *p, uint32_t begin, KalNode *callee)
{
    assert(kal_parser_is(p, KAL_TOKEN_LEFT_PAREN));
    const KalToken open = p->token;
    KalNode *arguments = NULL;
    kal_parser_advance(p);
    if (!kal_parser_is(p, KAL_TOKEN_RIGHT_PAREN)) {
        arguments = parse_values(p);
    }
    const bool sum = callee->kind == KAL_NODE_NAME && kal_node_is_text(callee, "sum");
    if (sum && !kal_parser_is(p, KAL_TOKEN_RIGHT_PAREN)) {
        kal_parser_fail_expected(p, "a sum like sum(i in 1..N : x[i])");
    }
    kal_parser_expect_close(p, KAL_TOKEN_RIGHT_PAREN, open);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_CALL, .of.call = {callee, arguments}
    });
}

static bool is_index(const KalParser *p)
{
    return kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET) && !p->token.space_before;
}

// A name or member that is not in parentheses, or the derivative of a table.
static bool is_callable(const KalParser *p, const KalNode *node)
{
    node = node->kind == KAL_NODE_PRIME ? node->of.unary.operand : node;
    return (node->kind == KAL_NODE_NAME || node->kind == KAL_NODE_MEMBER)
           && p->lexer.source->text[p->end - 1] != ')';
}

// Whether what comes continues an operand; sees to it that it may.
static bool can_continue(KalParser *p, const KalNode *node, bool number)
{
    const bool call = kal_parser_is(p, KAL_TOKEN_LEFT_PAREN);
    if (!call && !is_index(p) && !kal_parser_is(p, KAL_TOKEN_PRIME)
        && !kal_parser_is(p, KAL_TOKEN_DOT)) {
        return false;
    }
    if (call && !is_callable(p, node)) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "expected an operator; a product is written with *");
    } else if (number) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        is_index(p) ? "a number has no index; a space stands before a "
                                      "unit, as in 1 [kg]"
                                    : "a number has neither a derivative nor members");
    } else {
        demand_value(p, node);
    }
    return !kal_parser_is_stuck(p);
}

// What binds most: primes, members, indices and arguments, in any order.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_postfix(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    const bool number = kal_parser_is(p, KAL_TOKEN_NUMBER);
    KalNode *node = parse_primary(p);
    while (node && can_continue(p, node, number)) {
        if (kal_parser_is(p, KAL_TOKEN_PRIME)) {
            node = parse_prime(p, begin, node);
        } else if (kal_parser_is(p, KAL_TOKEN_DOT)) {
            node = parse_member(p, begin, node);
        } else if (kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET)) {
            node = parse_index(p, begin, node);
        } else {
            node = parse_call(p, begin, node);
        }
    }
    return node;
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_power(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *base = parse_postfix(p);
    if (!kal_parser_is(p, KAL_TOKEN_CARET)) {
        return base;
    }
    demand_value(p, base);
    kal_parser_advance(p);
    KalNode *exponent = kal_parse_sign(p);
    demand_value(p, exponent);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_POWER, .of.binary = {base, exponent}
    });
}

// A plus sign says nothing.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_signed(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    const bool plus = kal_parser_accept(p, KAL_TOKEN_PLUS);
    if (!plus && !kal_parser_accept(p, KAL_TOKEN_MINUS)) {
        return parse_power(p);
    }
    KalNode *operand = kal_parse_sign(p);
    demand_value(p, operand);
    return plus
               ? operand
               : kal_parser_add(
                   p, begin, (KalNode){.kind = KAL_NODE_NEGATE, .of.unary = {operand}});
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_sign(KalParser *p)
{
    if (!kal_parser_enter(p)) {
        return NULL;
    }
    KalNode *node = parse_signed(p);
    kal_parser_leave(p);
    p->operator_fits = true;
    return node;
}

// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_not(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    kal_parser_advance(p);
    if (!kal_parser_enter(p)) {
        return NULL;
    }
    KalNode *operand = parse_rank(p, RANK_NOT);
    kal_parser_leave(p);
    demand_condition(p, operand);
    return kal_parser_add(p, begin,
                          (KalNode){.kind = KAL_NODE_NOT, .of.unary = {operand}});
}

// `a < b`; one comparison, not a chain.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_compare(KalParser *p, uint32_t begin, KalNode *left)
{
    const KalCompare op = compare_of(p->token.kind);
    demand_value(p, left);
    kal_parser_advance(p);
    KalNode *right = parse_rank(p, RANK_ADD);
    demand_value(p, right);
    if (rank_of(p->token.kind) == RANK_COMPARE) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "comparisons do not chain; write a < b and b < c");
    }
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_COMPARE,
                              .op = (unsigned char)op,
                              .of.binary = {left, right}
    });
}

// The node of a chain of operands.
static KalNodeKind kind_of(Rank rank)
{
    switch (rank) {
    case RANK_OR: return KAL_NODE_OR;
    case RANK_AND: return KAL_NODE_AND;
    case RANK_ADD: return KAL_NODE_ADD;
    case RANK_MULTIPLY: return KAL_NODE_MULTIPLY;
    case RANK_NOT: // no chains
    case RANK_COMPARE:
    case RANK_SIGN: break;
    }
    assert(false && "no chain");
    return KAL_NODE_MULTIPLY;
}

// Conditions join conditions, all other operators numbers.
static void demand_operand(KalParser *p, Rank rank, const KalNode *operand)
{
    if (rank == RANK_OR || rank == RANK_AND) {
        demand_condition(p, operand);
    } else {
        demand_value(p, operand);
    }
}

// Operands of one rank are one chain, so a long sum is not a deep tree.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_operands(KalParser *p, Rank rank, uint32_t begin, KalNode *first)
{
    assert(rank == RANK_OR || rank == RANK_AND || rank == RANK_ADD
           || rank == RANK_MULTIPLY);
    KalChain chain = {.first = NULL};
    demand_operand(p, rank, first);
    kal_chain_add(&chain, first);
    while (rank_of(p->token.kind) == rank) {
        const KalJoin join = join_of(p->token.kind);
        kal_parser_advance(p);
        KalNode *operand = parse_rank(p, (Rank)(rank + 1));
        demand_operand(p, rank, operand);
        if (operand) {
            operand->join = join;
        }
        kal_chain_add(&chain, operand);
    }
    return kal_parser_add(p, begin,
                          (KalNode){.kind = kind_of(rank), .of.list = {chain.first}});
}

// What binds at least as strongly as a rank: operands of the next rank, and operators of
// this one between them.
// NOLINTNEXTLINE(misc-no-recursion)
static KalNode *parse_rank(KalParser *p, Rank rank)
{
    if (rank == RANK_SIGN) {
        return kal_parse_sign(p);
    }
    if (rank == RANK_NOT && kal_parser_is(p, KAL_TOKEN_NOT)) {
        return parse_not(p);
    }
    const uint32_t begin = p->token.begin;
    assert(rank < RANK_SIGN);
    KalNode *first = parse_rank(p, (Rank)(rank + 1));
    if (rank_of(p->token.kind) != rank) {
        return first;
    }
    return rank == RANK_COMPARE ? parse_compare(p, begin, first)
                                : parse_operands(p, rank, begin, first);
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_value(KalParser *p)
{
    KalNode *node = parse_rank(p, RANK_OR);
    demand_value(p, node);
    return node;
}

KalNode *kal_parse_side(KalParser *p)
{
    KalNode *node = parse_rank(p, RANK_OR);
    if (node && kal_node_is_condition(node)) {
        kal_parser_fail(
            p, node->span.begin, node->span.end,
            "this is a condition where an equation is expected, with one = as in x = "
            "0; "
            "what acts from one side only is a contact, as in contact floor: "
            "y >= 0");
    }
    return node;
}

KalNode *kal_parse_crossing(KalParser *p)
{
    KalNode *node = parse_rank(p, RANK_OR);
    if (node && kal_node_is_condition(node)) {
        kal_parser_fail(p, node->span.begin, node->span.end,
                        "an event happens where a value crosses zero: write x - 1 "
                        "rising for x > 1");
    }
    return node;
}

KalNode *kal_parse_gap(KalParser *p)
{
    KalNode *node = parse_rank(p, RANK_OR);
    if (node
        && !(node->kind == KAL_NODE_COMPARE && node->op == KAL_COMPARE_GREATER_EQUAL)) {
        kal_parser_fail(p, node->span.begin, node->span.end,
                        "a contact keeps a gap from becoming negative, as in y >= 0");
    }
    return node;
}

// NOLINTNEXTLINE(misc-no-recursion)
KalNode *kal_parse_condition(KalParser *p)
{
    KalNode *node = parse_rank(p, RANK_OR);
    demand_condition(p, node);
    return node;
}

// A name with indices, members and primes, as far as the place allows them.
KalNode *kal_parse_target(KalParser *p, KalTargetParts parts, const char *what)
{
    assert(what);
    const uint32_t begin = p->token.begin;
    KalNode *node = NULL;
    if (parts == KAL_TARGET_NEW || !kal_parser_is(p, KAL_TOKEN_NAME)) {
        node = kal_parse_new_name(p, what);
    } else {
        node = kal_parse_any_name(p);
    }
    for (;;) {
        if (is_index(p)) {
            node = parse_index(p, begin, node);
        } else if (kal_parser_is(p, KAL_TOKEN_DOT) && parts != KAL_TARGET_NEW) {
            node = parse_member(p, begin, node);
        } else {
            break;
        }
    }
    if (kal_parser_is(p, KAL_TOKEN_PRIME) && parts == KAL_TARGET_DERIVED) {
        node = parse_prime(p, begin, node);
    }
    return node;
}

// SPDX-License-Identifier: MIT

// What is demanded and what happens: constraints, servos, starts, runs, events.

#include "lang/parser_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Constraints and control.

typedef struct OptionRow {
    const char *word;
    KalNodeKind statement;
} OptionRow;

static const OptionRow OPTION_ROWS[] = {
#define KAL_OPTION_ROW(name, word, statement) {word, KAL_NODE_##statement},
    KAL_OPTION_LIST(KAL_OPTION_ROW)
#undef KAL_OPTION_ROW
};

// "rtol, atol or drift": what a kind of statement takes.
static void print_options(KalNodeKind kind, char *out_text, size_t size)
{
    assert(size > 0);
    int left = 0;
    size_t length = 0;
    for (int i = 0; i < KAL_OPTIONS; i++) {
        left += OPTION_ROWS[i].statement == kind;
    }
    for (int i = 0; i < KAL_OPTIONS; i++) {
        if (OPTION_ROWS[i].statement == kind) {
            const char *end = left > 2 ? ", " : left == 2 ? " or " : "";
            length += (size_t)snprintf(out_text + length, size - length, "%s%s",
                                       OPTION_ROWS[i].word, end);
            left--;
        }
    }
}

// `what` is expected, and one of the options.
static void fail_option(KalParser *p, KalNodeKind kind, const char *what)
{
    char expected[128];
    const size_t used = (size_t)snprintf(expected, sizeof expected, "%s", what);
    print_options(kind, expected + used, sizeof expected - used);
    kal_parser_fail_expected(p, expected);
}

// The option that the next token names; KAL_OPTIONS when there is none.
static KalOption find_option(const KalParser *p, KalNodeKind kind)
{
    KalOption option = 0;
    static_assert(sizeof OPTION_ROWS / sizeof OPTION_ROWS[0] == KAL_OPTIONS,
                  "a row for each option");
    while (option < KAL_OPTIONS
           && !(OPTION_ROWS[option].statement == kind
                && kal_parser_is_word(p, OPTION_ROWS[option].word))) {
        option++;
    }
    return option;
}

// The name of a column; what is no name of the language stands in quotes.
static KalNode *parse_column(KalParser *p)
{
    if (kal_parser_is(p, KAL_TOKEN_STRING)) {
        return kal_parse_string(p);
    }
    if (!kal_parser_is(p, KAL_TOKEN_NAME) && !kal_parser_is(p, KAL_TOKEN_WORD)) {
        kal_parser_fail_expected(p, "the name of a column");
        return NULL;
    }
    return kal_parse_any_name(p);
}

// `option = value`, or a word alone; an option is given once.
static KalNode *parse_option(KalParser *p, KalNodeKind kind, const KalNode *earlier)
{
    const KalToken token = p->token;
    const KalOption option = find_option(p, kind);
    if (option == KAL_OPTIONS) {
        fail_option(p, kind, "an option, ");
    }
    for (const KalNode *other = earlier; other; other = other->next) {
        if (other->op == option) {
            kal_parser_fail(p, token.begin, token.end, "the option %s is given twice",
                            OPTION_ROWS[option].word);
        }
    }
    kal_parser_advance(p);
    KalNode *value = NULL;
    if (option != KAL_OPTION_OFF) {
        kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
        const bool column =
            option == KAL_OPTION_COLUMN_X || option == KAL_OPTION_COLUMN_Y;
        value = column ? parse_column(p) : kal_parse_value(p);
    }
    return kal_parser_add(p, token.begin,
                          (KalNode){.kind = KAL_NODE_OPTION,
                                    .op = (unsigned char)option,
                                    .of.option = {value}});
}

// `, option = value` for what the kind of statement takes.
static KalNode *parse_options(KalParser *p, KalNodeKind kind)
{
    KalChain options = {.first = NULL};
    while (kal_parser_accept(p, KAL_TOKEN_COMMA)) {
        kal_chain_add(&options, parse_option(p, kind, options.first));
    }
    if (find_option(p, kind) != KAL_OPTIONS) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "a comma stands before an option");
    }
    if (kal_parser_is(p, KAL_TOKEN_NAME) || kal_parser_is(p, KAL_TOKEN_WORD)) {
        fail_option(p, kind, "a comma and an option, ");
    }
    return options.first;
}

// `name:` of what is declared.
static KalNode *parse_named(KalParser *p, const char *what)
{
    assert(what);
    KalNode *target = kal_parse_target(p, KAL_TARGET_NEW, what);
    if (kal_parser_is(p, KAL_TOKEN_LEFT_BRACKET)) {
        kal_parser_fail_expected(
            p, "':', for the unit follows from what stands behind it");
    }
    char colon[96];
    snprintf(colon, sizeof colon, "':' after %s, which comes first, as in c: x = 0",
             what);
    kal_parser_expect(p, KAL_TOKEN_COLON, colon);
    return target;
}

// `name: left = right`, with options.
static KalNode *parse_equation(KalParser *p, KalNodeKind kind, uint32_t begin,
                               const char *what)
{
    KalNode *target = parse_named(p, what);
    KalNode *left = kal_parse_side(p);
    if (!kal_parser_accept(p, KAL_TOKEN_EQUALS)) {
        kal_parser_fail_after(p, "'=' and the other side");
    }
    KalNode *right = kal_parse_value(p);
    KalNode *options = parse_options(p, kind);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = kind, .of.equation = {target, left, right, options}
    });
}

KalNode *kal_parse_constraint(KalParser *p, uint32_t begin)
{
    return parse_equation(p, KAL_NODE_CONSTRAINT, begin, "the name of the constraint");
}

KalNode *kal_parse_servo(KalParser *p, uint32_t begin)
{
    return parse_equation(p, KAL_NODE_SERVO, begin, "the name of the servo");
}

// `name: value` with options.
static KalNode *parse_valued(KalParser *p, KalNodeKind kind, uint32_t begin,
                             const char *what)
{
    KalNode *target = parse_named(p, what);
    KalNode *value = kal_parse_value(p);
    KalNode *options = parse_options(p, kind);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = kind, .of.actuator = {target, value, options}
    });
}

KalNode *kal_parse_actuator(KalParser *p, uint32_t begin)
{
    return parse_valued(p, KAL_NODE_ACTUATOR, begin, "the name of the input");
}

KalNode *kal_parse_friction(KalParser *p, uint32_t begin)
{
    return parse_valued(p, KAL_NODE_FRICTION, begin, "the name of the friction");
}

// `name: gap >= 0`: a comparison whose sides are kept.
KalNode *kal_parse_contact(KalParser *p, uint32_t begin)
{
    KalNode *target = parse_named(p, "the name of the contact");
    const KalNode *gap = kal_parse_gap(p);
    KalNode *options = parse_options(p, KAL_NODE_CONTACT);
    if (!gap || kal_parser_is_stuck(p)) {
        return NULL;
    }
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_CONTACT,
                              .of.equation = {target, gap->of.binary.left,
                                              gap->of.binary.right, options}
    });
}

// Dynamics beside the mechanics.

// `name [unit]` of what is declared.
static KalNode *parse_quantity(KalParser *p, const char *what, KalNode **out_unit)
{
    KalNode *target = kal_parse_target(p, KAL_TARGET_NEW, what);
    *out_unit = kal_parse_unit(p);
    return target;
}

// Whether a node is the first derivative of a target, or of the whole array that it is.
static bool is_derivative(const KalNode *node, const KalNode *target)
{
    if (!node || !target || node->kind != KAL_NODE_PRIME || node->op != 1) {
        return false;
    }
    const KalNode *root = target;
    while (root->kind == KAL_NODE_INDEX) {
        root = root->of.binary.left;
    }
    const KalNode *operand = node->of.unary.operand;
    return kal_node_equal(operand, target) || kal_node_equal(operand, root);
}

// state x: x' = …: the left side is parsed as any target, and has to be the derivative of
// the name.
KalNode *kal_parse_state(KalParser *p, uint32_t begin)
{
    KalNode *unit = NULL;
    KalNode *target = parse_quantity(p, "the name of the state", &unit);
    kal_parser_expect(p, KAL_TOKEN_COLON,
                      "':' and the derivative of the state, as in state i: i' = -i");
    const uint32_t first = p->token.begin;
    KalNode *left = kal_parse_target(p, KAL_TARGET_DERIVED, "its derivative");
    if (!kal_parser_is_stuck(p) && !is_derivative(left, target)) {
        kal_parser_fail(p, first, p->end,
                        "a state says what its derivative is, as in state i: i' = -i");
    }
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *value = kal_parse_value(p);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_STATE, .of.dynamic = {target, unit, left, value}
    });
}

KalNode *kal_parse_hold(KalParser *p, uint32_t begin)
{
    KalNode *unit = NULL;
    KalNode *target = parse_quantity(p, "the name of the value that is held", &unit);
    if (!kal_parser_is_word(p, "every")) {
        kal_parser_fail_after(
            p, "'every' and the time between renewals, as in hold u every 0.01: -x");
    }
    kal_parser_advance(p);
    KalNode *period = kal_parse_value(p);
    kal_parser_expect(p, KAL_TOKEN_COLON, "':' and what it is renewed with");
    KalNode *value = kal_parse_value(p);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_HOLD, .of.dynamic = {target, unit, period, value}
    });
}

// `"file.csv"`, or arguments and values.
static KalNode *parse_data(KalParser *p)
{
    if (kal_parser_is(p, KAL_TOKEN_STRING)) {
        return kal_parse_string(p);
    }
    KalChain data = {.first = NULL};
    kal_chain_add(&data, kal_parse_value(p));
    kal_parser_expect(p, KAL_TOKEN_COMMA,
                      "',' and the values, as in table f = [0, 1, 2], [0, 5, 3]");
    kal_chain_add(&data, kal_parse_value(p));
    return data.first;
}

KalNode *kal_parse_table(KalParser *p, uint32_t begin)
{
    KalNode *name = kal_parse_new_name(p, "the name of the table");
    KalNode *unit = kal_parse_unit(p);
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *data = parse_data(p);
    KalNode *options = parse_options(p, KAL_NODE_TABLE);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_TABLE, .of.table = {name, unit, data, options}
    });
}

// Motion.

// `q = 1`, `q' = 0 [m/s]` or `q ~ 1`.
static KalNode *parse_start(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    KalNode *target =
        kal_parse_target(p, KAL_TARGET_DERIVED, "a coordinate or its derivative");
    const bool guess = kal_parser_accept(p, KAL_TOKEN_TILDE);
    if (!guess) {
        kal_parser_expect(p, KAL_TOKEN_EQUALS,
                          kal_parser_is(p, KAL_TOKEN_LEFT_PAREN)
                              ? "'=' or '~', for the time is that of the start"
                              : "'=' or '~'");
    }
    KalNode *value = kal_parse_value(p);
    KalNode *unit = kal_parse_unit(p);
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_START,
                              .op = guess ? KAL_START_GUESS : KAL_START_EXACT,
                              .of.declaration = {target, value, unit}
    });
}

KalNode *kal_parse_init(KalParser *p, uint32_t begin)
{
    KalChain items = {.first = NULL};
    do {
        kal_chain_add(&items, parse_start(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add_list(p, KAL_NODE_INIT, begin, items);
}

// Each part is asked for in words that show the whole statement, for few know it by
// heart.
KalNode *kal_parse_simulate(KalParser *p, uint32_t begin)
{
    KalNode *from = kal_parse_value(p);
    if (!kal_parser_accept(p, KAL_TOKEN_RANGE)) {
        kal_parser_fail_after(p,
                              "'..' and the time of the end, as in 0 .. 10 every 0.01");
    }
    KalNode *to = kal_parse_value(p);
    if (!kal_parser_is_word(p, "every")) {
        kal_parser_fail_after(
            p, "'every' and the time between samples, as in 0 .. 10 every 0.01, all in "
               "seconds");
    }
    kal_parser_advance(p);
    KalNode *every = kal_parse_value(p);
    KalNode *options = parse_options(p, KAL_NODE_SIMULATE);
    return kal_parser_add(
        p, begin,
        (KalNode){
            .kind = KAL_NODE_SIMULATE, .of.simulate = {from, to, every, options}
    });
}

// Events.

// One word, or 0.
static unsigned parse_direction(KalParser *p)
{
    if (kal_parser_accept_word(p, "rising")) {
        return KAL_DIRECTION_RISING;
    }
    if (kal_parser_accept_word(p, "falling")) {
        return KAL_DIRECTION_FALLING;
    }
    return 0;
}

// `rising`, `falling`, or both with a comma, in brackets or without.
static unsigned parse_directions(KalParser *p)
{
    const KalToken open = p->token;
    const bool brackets = kal_parser_accept(p, KAL_TOKEN_LEFT_BRACKET);
    unsigned directions = parse_direction(p);
    if (brackets && directions == 0) {
        kal_parser_fail_expected(p, "rising or falling");
    }
    while (directions != 0 && kal_parser_accept(p, KAL_TOKEN_COMMA)) {
        const unsigned other = parse_direction(p);
        if (other == 0 || (directions & other) != 0) {
            kal_parser_fail_expected(p, directions == KAL_DIRECTION_RISING ? "falling"
                                                                           : "rising");
        }
        directions |= other;
    }
    if (brackets) {
        kal_parser_expect_close(p, KAL_TOKEN_RIGHT_BRACKET, open);
    }
    return directions;
}

// What stands where an action should: perhaps one that is misspelt.
static void fail_action(KalParser *p)
{
    static const char *const words[] = {"stop",   "set",    "release",
                                        "engage", "rising", "falling"};
    char word[KAL_NAME_LIMIT + 1];
    kal_parser_print_name(p, word);
    const char *near = kal_word_find_near(word, words, sizeof words / sizeof words[0]);
    if (near && strcmp(near, word) != 0) {
        kal_parser_fail(p, p->token.begin, p->token.end,
                        "unknown action '%s'; did you mean '%s'?", word, near);
    }
    p->word_fits = NULL;
    kal_parser_fail_after(p, kal_parser_is(p, KAL_TOKEN_EQUALS)
                                 ? "an action, for an event is where its expression "
                                   "crosses zero (x - 1, not x = 1)"
                                 : "an action: stop, set, release or engage");
}

// `set q' = value`
static KalNode *parse_set(KalParser *p, uint32_t begin)
{
    KalNode *target =
        kal_parse_target(p, KAL_TARGET_DERIVED, "a coordinate or its derivative");
    kal_parser_expect(p, KAL_TOKEN_EQUALS, NULL);
    KalNode *value = kal_parse_value(p);
    return kal_parser_add_declaration(p, KAL_NODE_SET, begin, target, value, NULL);
}

// One action of an event.
static KalNode *parse_action(KalParser *p)
{
    const uint32_t begin = p->token.begin;
    const char *what = "the name of a constraint";
    if (kal_parser_is_word(p, "stop")) {
        kal_parser_advance(p);
        return kal_parser_add_list(p, KAL_NODE_STOP, begin, (KalChain){.first = NULL});
    }
    if (kal_parser_is_word(p, "set")) {
        kal_parser_advance(p);
        return parse_set(p, begin);
    }
    const bool release = kal_parser_is_word(p, "release");
    if (!release && !kal_parser_is_word(p, "engage")) {
        fail_action(p);
        return NULL;
    }
    kal_parser_advance(p);
    return kal_parser_add_unary(p, release ? KAL_NODE_RELEASE : KAL_NODE_ENGAGE, begin,
                                kal_parse_target(p, KAL_TARGET_OLD, what));
}

KalNode *kal_parse_event(KalParser *p, uint32_t begin)
{
    KalNode *target = kal_parse_target(p, KAL_TARGET_NEW, "the name of the event");
    kal_parser_expect(p, KAL_TOKEN_COLON, "':' after the name of the event");
    KalNode *value = kal_parse_crossing(p);
    const unsigned directions = parse_directions(p);
    KalChain actions = {.first = NULL};
    do {
        kal_chain_add(&actions, parse_action(p));
    } while (kal_parser_accept(p, KAL_TOKEN_COMMA));
    return kal_parser_add(p, begin,
                          (KalNode){
                              .kind = KAL_NODE_EVENT,
                              .op = (unsigned char)directions,
                              .of.event = {target, value, actions.first}
    });
}

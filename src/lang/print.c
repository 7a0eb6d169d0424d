// SPDX-License-Identifier: MIT

// The tree as text.  Every function that prints a kind of node is named in nodes.def.
//
// Parentheses stand where the tree could not be read back without them, or where a sign
// would follow an operator: an operand that holds together less than its place demands gets
// some.  Parsing what was printed gives an equal tree (tests/property/lang.c).

// Recursion in this file ends at KAL_TREE_DEPTH.
// NOLINTBEGIN(misc-no-recursion)

#include "lang/print.h"

#include <assert.h>
#include <string.h>

// How strongly the parts of an expression hold together.
typedef enum Rank {
    RANK_OR,
    RANK_AND,
    RANK_NOT,
    RANK_COMPARE,
    RANK_ADD,
    RANK_MULTIPLY,
    RANK_NEGATE,
    RANK_POWER,
    RANK_NUMBER,
    RANK_POSTFIX,
} Rank;

static void print_ranked(const KalNode *node, Rank least, KalSink sink);

// A text that ends with NUL.
static void put(KalSink sink, const char *text)
{
    sink.write(sink.user, text, strlen(text));
}

// By the table of nodes.
static Rank rank_of(const KalNode *node)
{
    static const Rank ranks[] = {
#define KAL_EXPRESSION(name, member, rank, printer, evaluator) RANK_##rank,
#include "lang/nodes.def"
    };
    assert((size_t)node->kind < sizeof ranks / sizeof *ranks && "not an expression");
    return ranks[node->kind];
}

static const char *join_text(KalJoin join)
{
    switch (join) {
    case KAL_JOIN_NONE: return "";
    case KAL_JOIN_PLUS: return " + ";
    case KAL_JOIN_MINUS: return " - ";
    case KAL_JOIN_TIMES: return "*";
    case KAL_JOIN_OVER: return "/";
    }
    return "";
}

static const char *compare_text(unsigned compare)
{
    switch ((KalCompare)compare) {
    case KAL_COMPARE_LESS: return " < ";
    case KAL_COMPARE_LESS_EQUAL: return " <= ";
    case KAL_COMPARE_GREATER: return " > ";
    case KAL_COMPARE_GREATER_EQUAL: return " >= ";
    case KAL_COMPARE_EQUAL: return " == ";
    case KAL_COMPARE_NOT_EQUAL: return " != ";
    }
    return "";
}

// Expressions with a text between them.
static void print_list(const KalNode *first, const char *between, KalSink sink)
{
    assert(between);
    for (const KalNode *item = first; item; item = item->next) {
        kal_expression_print(item, sink);
        put(sink, item->next ? between : "");
    }
}

// Whether an operand would put a minus behind an operator.
static bool begins_with_sign(const KalNode *node)
{
    return node->kind == KAL_NODE_NEGATE
           || (node->kind == KAL_NODE_MULTIPLY
               && node->of.list.items->kind == KAL_NODE_NEGATE);
}

// Terms or factors.  A sign after an operator gets parentheses, for the reader.
static void print_operands(const KalNode *node, Rank least, KalSink sink)
{
    const KalNode *first = node->of.list.items;
    for (const KalNode *item = first; item; item = item->next) {
        put(sink, item == first ? "" : join_text(item->join));
        print_ranked(
            item, item != first && begins_with_sign(item) ? RANK_POSTFIX : least, sink);
    }
}

// Conditions joined by a word.
static void print_conditions(const KalNode *node, const char *word, Rank least,
                             KalSink sink)
{
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        print_ranked(item, least, sink);
        put(sink, item->next ? word : "");
    }
}

static void print_binary(const KalNode *node, Rank least, const char *between,
                         KalSink sink)
{
    print_ranked(node->of.binary.left, least, sink);
    put(sink, between);
    print_ranked(node->of.binary.right, least, sink);
}

// x^-2 needs no parentheses, x^(-y^2) does: a sign binds less than a power.
static void print_power(const KalNode *node, KalSink sink)
{
    assert(node->kind == KAL_NODE_POWER);
    const KalNode *exponent = node->of.binary.right;
    const bool plain = exponent->kind == KAL_NODE_NEGATE
                       && rank_of(exponent->of.unary.operand) >= RANK_NUMBER;
    print_ranked(node->of.binary.left, RANK_NUMBER, sink);
    put(sink, "^");
    print_ranked(exponent, plain ? RANK_NEGATE : RANK_POWER, sink);
}

static void print_prime(const KalNode *node, KalSink sink)
{
    print_ranked(node->of.unary.operand, RANK_POSTFIX, sink);
    for (unsigned i = 0; i < node->op; i++) {
        put(sink, "'");
    }
}

static void print_member(const KalNode *node, KalSink sink)
{
    print_ranked(node->of.binary.left, RANK_POSTFIX, sink);
    put(sink, ".");
    kal_expression_print(node->of.binary.right, sink);
}

static void print_index(const KalNode *node, KalSink sink)
{
    print_ranked(node->of.binary.left, RANK_POSTFIX, sink);
    put(sink, "[");
    kal_expression_print(node->of.binary.right, sink);
    put(sink, "]");
}

static void print_vector(const KalNode *node, KalSink sink)
{
    put(sink, "[");
    print_list(node->of.list.items, ", ", sink);
    put(sink, "]");
}

static void print_call(const KalNode *node, KalSink sink)
{
    print_ranked(node->of.call.callee, RANK_POSTFIX, sink);
    put(sink, "(");
    print_list(node->of.call.arguments, ", ", sink);
    put(sink, ")");
}

static void print_if(const KalNode *node, KalSink sink)
{
    assert(node->kind == KAL_NODE_IF);
    put(sink, "if(");
    kal_expression_print(node->of.choice.condition, sink);
    put(sink, ", ");
    kal_expression_print(node->of.choice.yes, sink);
    put(sink, ", ");
    kal_expression_print(node->of.choice.no, sink);
    put(sink, ")");
}

static void print_iterator(const KalNode *index, const KalNode *range, KalSink sink)
{
    kal_expression_print(index, sink);
    put(sink, " in ");
    kal_expression_print(range, sink);
}

static void print_sigma(const KalNode *node, KalSink sink)
{
    assert(node->kind == KAL_NODE_SUM);
    put(sink, "sum(");
    print_iterator(node->of.sum.index, node->of.sum.range, sink);
    if (node->of.sum.filter) {
        put(sink, ", ");
        kal_expression_print(node->of.sum.filter, sink);
    }
    put(sink, " : ");
    kal_expression_print(node->of.sum.body, sink);
    put(sink, ")");
}

static void print_name(const KalNode *node, KalSink sink)
{
    sink.write(sink.user, node->of.text.data, node->of.text.length);
}

static void print_number(const KalNode *node, KalSink sink)
{
    sink.write(sink.user, node->of.number.text, node->of.number.length);
}

static void print_negation(const KalNode *node, KalSink sink)
{
    put(sink, "-");
    print_ranked(node->of.unary.operand, RANK_POWER, sink);
}

static void print_product(const KalNode *node, KalSink sink)
{
    print_operands(node, RANK_NEGATE, sink);
}

static void print_sum(const KalNode *node, KalSink sink)
{
    print_operands(node, RANK_MULTIPLY, sink);
}

static void print_range(const KalNode *node, KalSink sink)
{
    print_binary(node, RANK_ADD, "..", sink);
}

static void print_compare(const KalNode *node, KalSink sink)
{
    print_binary(node, RANK_ADD, compare_text(node->op), sink);
}

static void print_not(const KalNode *node, KalSink sink)
{
    put(sink, "not ");
    print_ranked(node->of.unary.operand, RANK_NOT, sink);
}

static void print_and(const KalNode *node, KalSink sink)
{
    print_conditions(node, " and ", RANK_NOT, sink);
}

static void print_or(const KalNode *node, KalSink sink)
{
    print_conditions(node, " or ", RANK_AND, sink);
}

void kal_expression_print(const KalNode *node, KalSink sink)
{
    switch (node->kind) {
#define KAL_EXPRESSION(name, member, rank, printer, evaluator) \
    case KAL_NODE_##name:                                      \
        print_##printer(node, sink);                           \
        return;
#define KAL_NODE(name, member) case KAL_NODE_##name:
#include "lang/nodes.def"
        break;
    }
    assert(false && "not an expression");
}

// In parentheses if it holds together less than what it is part of.
static void print_ranked(const KalNode *node, Rank least, KalSink sink)
{
    assert(node);
    const bool parentheses = rank_of(node) < least;
    put(sink, parentheses ? "(" : "");
    kal_expression_print(node, sink);
    put(sink, parentheses ? ")" : "");
}

// Statements.

// In quotes, with a backslash before quotes and backslashes.
static void print_string(const KalNode *node, KalSink sink)
{
    assert(node->kind == KAL_NODE_STRING);
    put(sink, "\"");
    for (uint32_t i = 0; i < node->of.text.length; i++) {
        const char *c = node->of.text.data + i;
        put(sink, *c == '"' || *c == '\\' ? "\\" : "");
        sink.write(sink.user, c, 1);
    }
    put(sink, "\"");
}

// What a word introduces, if it is there.
static void print_after(const char *word, const KalNode *node, KalSink sink)
{
    if (node) {
        put(sink, word);
        kal_expression_print(node, sink);
    }
}

// DECLARATION, ASSIGNMENT, START, PARAMETER, ARGUMENT: `target = value [unit]`.
static void print_declaration(const KalNode *node, KalSink sink)
{
    const KalNode *value = node->of.declaration.value;
    if (node->of.declaration.target) {
        const bool may_guess = node->kind == KAL_NODE_START
                               || node->kind == KAL_NODE_PARAMETER
                               || node->kind == KAL_NODE_ARGUMENT;
        const bool guess = may_guess && node->op == KAL_START_GUESS;
        kal_expression_print(node->of.declaration.target, sink);
        print_after(guess ? " ~ " : " = ", value, sink);
    } else {
        print_after("", value, sink);
    }
    if (node->of.declaration.unit) {
        print_after(" [", node->of.declaration.unit, sink);
        put(sink, "]");
    }
}

static void print_declarations(const char *before, const KalNode *first, KalSink sink)
{
    put(sink, before);
    for (const KalNode *item = first; item; item = item->next) {
        print_declaration(item, sink);
        put(sink, item->next ? ", " : "");
    }
}

// `, option = value`, or `, option`
static void print_options(const KalNode *first, KalSink sink)
{
    static const char *const words[] = {
#define KAL_OPTION_WORD(name, word, statement) word,
        KAL_OPTION_LIST(KAL_OPTION_WORD)
#undef KAL_OPTION_WORD
    };
    for (const KalNode *option = first; option; option = option->next) {
        put(sink, ", ");
        assert((size_t)option->op < sizeof words / sizeof words[0]);
        put(sink, words[option->op]);
        const KalNode *value = option->of.option.value;
        if (value && value->kind == KAL_NODE_STRING) {
            put(sink, " = ");
            print_string(value, sink);
        } else {
            print_after(" = ", value, sink);
        }
    }
}

static void print_equation(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.equation.target, sink);
    print_after(": ", node->of.equation.left, sink);
    print_after(" = ", node->of.equation.right, sink);
    print_options(node->of.equation.options, sink);
}

// A target with its unit.
static void print_quantity(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.dynamic.target, sink);
    if (node->of.dynamic.unit) {
        print_after(" [", node->of.dynamic.unit, sink);
        put(sink, "]");
    }
}

static void print_table(const char *word, const KalNode *node, KalSink sink)
{
    const KalNode *data = node->of.table.data;
    print_after(word, node->of.table.name, sink);
    if (node->of.table.unit) {
        print_after(" [", node->of.table.unit, sink);
        put(sink, "]");
    }
    put(sink, " = ");
    if (data->kind == KAL_NODE_STRING) {
        print_string(data, sink);
    } else {
        print_list(data, ", ", sink);
    }
    print_options(node->of.table.options, sink);
}

static void print_state(const char *word, const KalNode *node, KalSink sink)
{
    print_quantity(word, node, sink);
    print_after(": ", node->of.dynamic.left, sink);
    print_after(" = ", node->of.dynamic.value, sink);
}

static void print_hold(const char *word, const KalNode *node, KalSink sink)
{
    print_quantity(word, node, sink);
    print_after(" every ", node->of.dynamic.left, sink);
    print_after(": ", node->of.dynamic.value, sink);
}

static void print_contact(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.equation.target, sink);
    print_after(": ", node->of.equation.left, sink);
    print_after(" >= ", node->of.equation.right, sink);
    print_options(node->of.equation.options, sink);
}

static void print_actuator(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.actuator.target, sink);
    print_after(": ", node->of.actuator.power, sink);
    print_options(node->of.actuator.options, sink);
}

static void print_mass(const char *word, const KalNode *node, KalSink sink)
{
    sink.write(sink.user, word, strlen(word) - 1); // no space before an index
    print_after("[", node->of.mass.row, sink);
    print_after(", ", node->of.mass.column, sink);
    print_after("] = ", node->of.mass.value, sink);
}

static void print_simulate(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.simulate.from, sink);
    print_after(" .. ", node->of.simulate.to, sink);
    print_after(" every ", node->of.simulate.every, sink);
    print_options(node->of.simulate.options, sink);
}

static void print_action(const KalNode *node, KalSink sink)
{
    if (node->kind == KAL_NODE_STOP) {
        put(sink, "stop");
    } else if (node->kind == KAL_NODE_SET) {
        put(sink, "set ");
        print_declaration(node, sink);
    } else {
        assert(node->kind == KAL_NODE_RELEASE || node->kind == KAL_NODE_ENGAGE);
        print_after(node->kind == KAL_NODE_RELEASE ? "release " : "engage ",
                    node->of.unary.operand, sink);
    }
}

static void print_event(const char *word, const KalNode *node, KalSink sink)
{
    assert(node->op < 4);
    static const char *const directions[] = {" ", " [rising] ", " [falling] ",
                                             " [rising, falling] "};
    print_after(word, node->of.event.target, sink);
    print_after(": ", node->of.event.value, sink);
    put(sink, directions[node->op]);
    for (const KalNode *action = node->of.event.actions; action;
         action = action->next) {
        print_action(action, sink);
        put(sink, action->next ? ", " : "");
    }
}

static void print_plot(const char *word, const KalNode *node, KalSink sink)
{
    put(sink, word);
    print_list(node->of.plot.curves, ", ", sink);
    print_after(" against ", node->of.plot.against, sink);
}

static void print_draw(const char *word, const KalNode *node, KalSink sink)
{
    static const char *const shapes[] = {
#define KAL_SHAPE_WORD(name, shape) shape " ",
        KAL_SHAPE_LIST(KAL_SHAPE_WORD)
#undef KAL_SHAPE_WORD
    };
    put(sink, word);
    assert((size_t)node->op < sizeof shapes / sizeof shapes[0]);
    put(sink, shapes[node->op]);
    print_list(node->of.draw.points, " -> ", sink);
    print_after(node->op == KAL_SHAPE_CIRCLE ? " radius " : " size ",
                node->of.draw.size, sink);
    print_after(" angle ", node->of.draw.angle, sink);
}

static void print_instance(const KalNode *node, KalSink sink)
{
    assert(node->kind == KAL_NODE_INSTANCE);
    const KalNode *call = node->of.instance.call;
    kal_expression_print(node->of.instance.name, sink);
    if (node->of.instance.index) {
        put(sink, "[");
        print_iterator(node->of.instance.index, node->of.instance.range, sink);
        put(sink, "]");
    }
    print_after(" = ", call->of.call.callee, sink);
    print_declarations("(", call->of.call.arguments, sink);
    put(sink, ")");
}

static void print_part(const char *word, const KalNode *node, KalSink sink)
{
    put(sink, word);
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        print_instance(item, sink);
        put(sink, item->next ? ", " : "");
    }
}

static void print_text(const char *word, const KalNode *node, KalSink sink)
{
    const KalNode *text = node->of.unary.operand;
    put(sink, word);
    if (text->kind == KAL_NODE_STRING) {
        print_string(text, sink);
    } else {
        kal_expression_print(text, sink);
    }
}

static void print_function(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.definition.name, sink);
    print_declarations("(", node->of.definition.parameters, sink);
    print_after(") = ", node->of.definition.body, sink);
}

static void print_component(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.definition.name, sink);
    print_declarations("(", node->of.definition.parameters, sink);
    put(sink, ")");
}

static void print_items(const char *word, const KalNode *node, KalSink sink)
{
    print_declarations(word, node->of.list.items, sink);
}

static void print_operand(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.unary.operand, sink);
}

static void print_along(const char *word, const KalNode *node, KalSink sink)
{
    print_after(word, node->of.binary.left, sink);
    print_after(" along ", node->of.binary.right, sink);
}

static void print_loop(const char *word, const KalNode *node, KalSink sink)
{
    put(sink, word);
    print_iterator(node->of.loop.index, node->of.loop.range, sink);
}

void kal_statement_print(const KalNode *node, KalSink sink)
{
    switch (node->kind) {
#define KAL_STATEMENT(name, member, word, printer, builder, declares) \
    case KAL_NODE_##name:                                             \
        print_##printer(word " ", node, sink);                        \
        return;
#define KAL_NODE(name, member) case KAL_NODE_##name:
#include "lang/nodes.def"
        break;
    }
    assert(false && "not a statement");
}

static void print_indent(int level, KalSink sink)
{
    for (int i = 0; i < level; i++) {
        put(sink, "    ");
    }
}

// Blocks are indented by four columns.
static void print_statements(const KalNode *first, int level, KalSink sink)
{
    assert(level >= 0);
    for (const KalNode *node = first; node; node = node->next) {
        const bool loop = node->kind == KAL_NODE_FOR;
        print_indent(level, sink);
        kal_statement_print(node, sink);
        if (loop || node->kind == KAL_NODE_COMPONENT) {
            put(sink, " {\n");
            print_statements(loop ? node->of.loop.body : node->of.definition.body,
                             level + 1, sink);
            print_indent(level, sink);
            put(sink, "}");
        }
        put(sink, "\n");
    }
}

void kal_statements_print(const KalNode *first, KalSink sink)
{
    print_statements(first, 0, sink);
}

// NOLINTEND(misc-no-recursion)

// SPDX-License-Identifier: MIT

// Recursion in this file ends at KAL_TREE_DEPTH.

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

static void put(KalSink sink, const char *text)
{
    sink.write(sink.user, text, strlen(text));
}

static Rank rank_of(const KalNode *node)
{
    switch (node->kind) {
    case KAL_NODE_OR: return RANK_OR;
    case KAL_NODE_AND: return RANK_AND;
    case KAL_NODE_NOT: return RANK_NOT;
    case KAL_NODE_COMPARE: return RANK_COMPARE;
    case KAL_NODE_ADD: return RANK_ADD;
    case KAL_NODE_MULTIPLY: return RANK_MULTIPLY;
    case KAL_NODE_NEGATE: return RANK_NEGATE;
    case KAL_NODE_POWER: return RANK_POWER;
    case KAL_NODE_NUMBER: return RANK_NUMBER;
    default: return RANK_POSTFIX;
    }
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

// NOLINTNEXTLINE(misc-no-recursion)
static void print_list(const KalNode *first, const char *between, KalSink sink)
{
    for (const KalNode *item = first; item; item = item->next) {
        kal_expression_print(item, sink);
        put(sink, item->next ? between : "");
    }
}

static bool begins_with_sign(const KalNode *node)
{
    return node->kind == KAL_NODE_NEGATE
           || (node->kind == KAL_NODE_MULTIPLY
               && node->of.list.items->kind == KAL_NODE_NEGATE);
}

// Terms or factors.  A sign after an operator gets parentheses, for the reader.
// NOLINTNEXTLINE(misc-no-recursion)
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
// NOLINTNEXTLINE(misc-no-recursion)
static void print_conditions(const KalNode *node, const char *word, Rank least,
                             KalSink sink)
{
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        print_ranked(item, least, sink);
        put(sink, item->next ? word : "");
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_binary(const KalNode *node, Rank least, const char *between,
                         KalSink sink)
{
    print_ranked(node->of.binary.left, least, sink);
    put(sink, between);
    print_ranked(node->of.binary.right, least, sink);
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_power(const KalNode *node, KalSink sink)
{
    const KalNode *exponent = node->of.binary.right;
    const bool plain = exponent->kind == KAL_NODE_NEGATE
                       && rank_of(exponent->of.unary.operand) >= RANK_NUMBER;
    print_ranked(node->of.binary.left, RANK_NUMBER, sink);
    put(sink, "^");
    print_ranked(exponent, plain ? RANK_NEGATE : RANK_POWER, sink);
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_access(const KalNode *node, KalSink sink)
{
    print_ranked(node->of.slot[0], RANK_POSTFIX, sink);
    if (node->kind == KAL_NODE_PRIME) {
        for (unsigned i = 0; i < node->op; i++) {
            put(sink, "'");
        }
        return;
    }
    const bool index = node->kind == KAL_NODE_INDEX;
    put(sink, index ? "[" : ".");
    kal_expression_print(node->of.binary.right, sink);
    put(sink, index ? "]" : "");
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_brackets(const KalNode *node, KalSink sink)
{
    if (node->kind == KAL_NODE_VECTOR) {
        put(sink, "[");
        print_list(node->of.list.items, ", ", sink);
        put(sink, "]");
        return;
    }
    if (node->kind == KAL_NODE_CALL) {
        print_ranked(node->of.call.callee, RANK_POSTFIX, sink);
        put(sink, "(");
        print_list(node->of.call.arguments, ", ", sink);
        put(sink, ")");
        return;
    }
    put(sink, "if(");
    kal_expression_print(node->of.choice.condition, sink);
    put(sink, ", ");
    kal_expression_print(node->of.choice.yes, sink);
    put(sink, ", ");
    kal_expression_print(node->of.choice.no, sink);
    put(sink, ")");
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_iterator(const KalNode *index, const KalNode *range, KalSink sink)
{
    kal_expression_print(index, sink);
    put(sink, " in ");
    kal_expression_print(range, sink);
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_sum(const KalNode *node, KalSink sink)
{
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

// NOLINTNEXTLINE(misc-no-recursion)
static void print_operation(const KalNode *node, KalSink sink)
{
    switch (node->kind) {
    case KAL_NODE_OR: print_conditions(node, " or ", RANK_AND, sink); break;
    case KAL_NODE_AND: print_conditions(node, " and ", RANK_NOT, sink); break;
    case KAL_NODE_NOT:
        put(sink, "not ");
        print_ranked(node->of.unary.operand, RANK_NOT, sink);
        break;
    case KAL_NODE_COMPARE:
        print_binary(node, RANK_ADD, compare_text(node->op), sink);
        break;
    case KAL_NODE_ADD: print_operands(node, RANK_MULTIPLY, sink); break;
    case KAL_NODE_MULTIPLY: print_operands(node, RANK_NEGATE, sink); break;
    case KAL_NODE_NEGATE:
        put(sink, "-");
        print_ranked(node->of.unary.operand, RANK_POWER, sink);
        break;
    case KAL_NODE_POWER: print_power(node, sink); break;
    default: print_binary(node, RANK_ADD, "..", sink); break; // a range
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
void kal_expression_print(const KalNode *node, KalSink sink)
{
    switch (node->kind) {
    case KAL_NODE_NAME:
        sink.write(sink.user, node->of.text.data, node->of.text.length);
        break;
    case KAL_NODE_NUMBER:
        sink.write(sink.user, node->of.number.text, node->of.number.length);
        break;
    case KAL_NODE_PRIME:
    case KAL_NODE_INDEX:
    case KAL_NODE_MEMBER: print_access(node, sink); break;
    case KAL_NODE_VECTOR:
    case KAL_NODE_CALL:
    case KAL_NODE_IF: print_brackets(node, sink); break;
    case KAL_NODE_SUM: print_sum(node, sink); break;
    default: print_operation(node, sink); break;
    }
}

// In parentheses if it holds together less than what it is part of.
// NOLINTNEXTLINE(misc-no-recursion)
static void print_ranked(const KalNode *node, Rank least, KalSink sink)
{
    const bool parentheses = rank_of(node) < least;
    put(sink, parentheses ? "(" : "");
    kal_expression_print(node, sink);
    put(sink, parentheses ? ")" : "");
}

// Statements.

static void print_string(const KalNode *node, KalSink sink)
{
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
        const bool guess = node->kind == KAL_NODE_START && node->op == KAL_START_GUESS;
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

static void print_options(const KalNode *first, KalSink sink)
{
    static const char *const words[] = {
#define KAL_OPTION_WORD(name, word, statement) word,
        KAL_OPTION_LIST(KAL_OPTION_WORD)
#undef KAL_OPTION_WORD
    };
    for (const KalNode *option = first; option; option = option->next) {
        put(sink, ", ");
        put(sink, words[option->op]);
        print_after(" = ", option->of.option.value, sink);
    }
}

static void print_equation(const char *before, const KalNode *node, KalSink sink)
{
    print_after(before, node->of.equation.target, sink);
    print_after(": ", node->of.equation.left, sink);
    print_after(" = ", node->of.equation.right, sink);
    print_options(node->of.equation.options, sink);
}

static void print_actuator(const KalNode *node, KalSink sink)
{
    print_after("actuator ", node->of.actuator.target, sink);
    print_after(": ", node->of.actuator.power, sink);
    print_options(node->of.actuator.options, sink);
}

static void print_mass(const KalNode *node, KalSink sink)
{
    print_after("mass[", node->of.mass.row, sink);
    print_after(", ", node->of.mass.column, sink);
    print_after("] = ", node->of.mass.value, sink);
}

static void print_simulate(const KalNode *node, KalSink sink)
{
    print_after("simulate ", node->of.simulate.from, sink);
    print_after(" .. ", node->of.simulate.to, sink);
    print_after(" every ", node->of.simulate.every, sink);
    print_options(node->of.simulate.options, sink);
}

static void print_action(const KalNode *node, KalSink sink)
{
    switch (node->kind) {
    case KAL_NODE_SET:
        put(sink, "set ");
        print_declaration(node, sink);
        break;
    case KAL_NODE_RELEASE: print_after("release ", node->of.unary.operand, sink); break;
    case KAL_NODE_ENGAGE: print_after("engage ", node->of.unary.operand, sink); break;
    default: put(sink, "stop"); break;
    }
}

static void print_event(const KalNode *node, KalSink sink)
{
    static const char *const directions[] = {" ", " [rising] ", " [falling] ",
                                             " [rising, falling] "};
    print_after("event ", node->of.event.target, sink);
    print_after(": ", node->of.event.value, sink);
    put(sink, directions[node->op]);
    for (const KalNode *action = node->of.event.actions; action;
         action = action->next) {
        print_action(action, sink);
        put(sink, action->next ? ", " : "");
    }
}

static void print_plot(const KalNode *node, KalSink sink)
{
    put(sink, "plot ");
    print_list(node->of.plot.curves, ", ", sink);
    print_after(" against ", node->of.plot.against, sink);
}

static void print_draw(const KalNode *node, KalSink sink)
{
    static const char *const words[] = {
#define KAL_SHAPE_WORD(name, word) "draw " word " ",
        KAL_SHAPE_LIST(KAL_SHAPE_WORD)
#undef KAL_SHAPE_WORD
    };
    put(sink, words[node->op]);
    print_list(node->of.draw.points, " -> ", sink);
    print_after(node->op == KAL_SHAPE_CIRCLE ? " radius " : " size ",
                node->of.draw.size, sink);
    print_after(" angle ", node->of.draw.angle, sink);
}

static void print_instance(const KalNode *node, KalSink sink)
{
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

static void print_part(const KalNode *node, KalSink sink)
{
    put(sink, "part ");
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        print_instance(item, sink);
        put(sink, item->next ? ", " : "");
    }
}

static void print_text_statement(const KalNode *node, KalSink sink)
{
    const KalNode *text = node->of.unary.operand;
    put(sink, node->kind == KAL_NODE_MODEL ? "model " : "use ");
    if (text->kind == KAL_NODE_STRING) {
        print_string(text, sink);
    } else {
        kal_expression_print(text, sink);
    }
}

static void print_function(const KalNode *node, KalSink sink)
{
    print_after("fn ", node->of.definition.name, sink);
    print_declarations("(", node->of.definition.parameters, sink);
    print_after(") = ", node->of.definition.body, sink);
}

static void print_component(const KalNode *node, KalSink sink)
{
    print_after("component ", node->of.definition.name, sink);
    print_declarations("(", node->of.definition.parameters, sink);
    put(sink, ")");
}

static void print_loop(const KalNode *node, KalSink sink)
{
    put(sink, "for ");
    print_iterator(node->of.loop.index, node->of.loop.range, sink);
}

// A statement in one line; of one with a block, what comes before the brace.
static void print_statement(const KalNode *node, KalSink sink)
{
    const KalNode *items = node->of.list.items;
    const KalNode *operand = node->of.unary.operand;
    switch (node->kind) {
    case KAL_NODE_MODEL:
    case KAL_NODE_USE: print_text_statement(node, sink); break;
    case KAL_NODE_PARAM: print_declarations("param ", items, sink); break;
    case KAL_NODE_COORD: print_declarations("coord ", items, sink); break;
    case KAL_NODE_LET: print_declarations("let ", items, sink); break;
    case KAL_NODE_KINETIC: print_after("kinetic ", operand, sink); break;
    case KAL_NODE_POTENTIAL: print_after("potential ", operand, sink); break;
    case KAL_NODE_DISSIPATION: print_after("dissipation ", operand, sink); break;
    case KAL_NODE_EXTERNAL_POWER: print_after("power ", operand, sink); break;
    case KAL_NODE_FORCE: print_declarations("force ", items, sink); break;
    case KAL_NODE_MASS: print_mass(node, sink); break;
    case KAL_NODE_CONSTRAINT: print_equation("constraint ", node, sink); break;
    case KAL_NODE_NONIDEAL: print_declarations("nonideal ", items, sink); break;
    case KAL_NODE_NONIDEAL_POWER: print_after("nonideal power ", operand, sink); break;
    case KAL_NODE_PRESCRIBE: print_declarations("prescribe ", items, sink); break;
    case KAL_NODE_ACTUATOR: print_actuator(node, sink); break;
    case KAL_NODE_SERVO: print_equation("servo ", node, sink); break;
    case KAL_NODE_INIT: print_declarations("init ", items, sink); break;
    case KAL_NODE_SIMULATE: print_simulate(node, sink); break;
    case KAL_NODE_OUTPUT: print_declarations("output ", items, sink); break;
    case KAL_NODE_EVENT: print_event(node, sink); break;
    case KAL_NODE_PLOT: print_plot(node, sink); break;
    case KAL_NODE_DRAW: print_draw(node, sink); break;
    case KAL_NODE_FOR: print_loop(node, sink); break;
    case KAL_NODE_COMPONENT: print_component(node, sink); break;
    case KAL_NODE_PART: print_part(node, sink); break;
    case KAL_NODE_FN: print_function(node, sink); break;
    default: assert(false && "not a statement");
    }
}

static void print_indent(int level, KalSink sink)
{
    for (int i = 0; i < level; i++) {
        put(sink, "    ");
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
static void print_statements(const KalNode *first, int level, KalSink sink)
{
    for (const KalNode *node = first; node; node = node->next) {
        const bool loop = node->kind == KAL_NODE_FOR;
        print_indent(level, sink);
        print_statement(node, sink);
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

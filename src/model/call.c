// SPDX-License-Identifier: MIT

// Calls: functions of numbers and vectors, functions of the model.
//
// Functions of numbers are operators of formulas (expr/ops.def), with their rules for units
// there; special ones stand in a table at the end.  A function of the model is evaluated
// anew in each call: its arguments become names in a frame, and its body sees these and the
// scope in which it was defined, not that of the caller.

// Recursion by way of expressions ends there.

#include "model/build_impl.h"
#include "model/call_impl.h"
#include "model/vocabulary.h"

#include <kalaba/text.h>

#include <assert.h>
#include <string.h>

static uint32_t count_arguments(const KalNode *node)
{
    assert(node->kind == KAL_NODE_CALL);
    uint32_t n = 0;
    for (const KalNode *a = node->of.call.arguments; a; a = a->next) {
        n++;
    }
    return n;
}

bool kal_build_demand_arguments(KalBuild *b, const KalNode *node, uint32_t wanted)
{
    assert(node->kind == KAL_NODE_CALL);
    const uint32_t n = count_arguments(node);
    const KalSpan span = node->of.call.callee->span;
    if (n != wanted) {
        const bool dot = n == 1 && kal_node_is_text(node->of.call.callee, "dot");
        kal_build_error(b, node->span, "%.*s takes %u argument%s, not %u%s",
                        (int)(span.end - span.begin), span.source->text + span.begin,
                        wanted, wanted == 1 ? "" : "s", n,
                        dot ? "; a time derivative is written with a prime: x'" : "");
    }
    return n == wanted;
}

// Functions of numbers.

// The unit of the result; what the function does not take is an error.
static KalUnitId function_unit(KalBuild *b, KalOp op, KalValue a,
                               const KalNode *argument)
{
    const bool open = a.unit == KAL_UNIT_ANY || a.unit == KAL_UNIT_NUMBER;
    const KalUnitId plain = open ? a.unit : KAL_UNIT_ONE;
    switch (kal_op_units(op)) {
    case KAL_UNITS_ROOT: return kal_build_unit_power(b, a.unit, 1, 2);
    case KAL_UNITS_SAME: return a.unit;
    case KAL_UNITS_SIGN:
    case KAL_UNITS_DIRECTION: return plain;
    case KAL_UNITS_PLAIN:
    case KAL_UNITS_ANGLE:
        kal_build_demand_plain(b, a, argument->span, kal_op_word(op));
        return plain;
    case KAL_UNITS_LEAF: // those of operators stand in expression.c
    case KAL_UNITS_PRODUCT:
    case KAL_UNITS_QUOTIENT:
    case KAL_UNITS_POWER:
    case KAL_UNITS_GUARD:
    case KAL_UNITS_CHOICE:
    case KAL_UNITS_CONDITION: break;
    }
    assert(false && "no function");
    return KAL_UNIT_ANY;
}

// An argument that has to be a number; abs of a vector is a frequent slip.
static KalValue number_argument(KalBuild *b, const KalNode *node, const char *word)
{
    const KalValue value = kal_build_eval(b, node);
    if (value.kind == KAL_VALUE_ARRAY) {
        return kal_build_bad(b, node->span, "%s takes numbers, not %s%s", word,
                             kal_build_describe(value).text,
                             strcmp(word, "abs") == 0 ? "; its length is norm(v)" : "");
    }
    return kal_build_demand_scalar(b, value, node);
}

// A function of one number.
static KalValue apply_one(KalBuild *b, KalOp op, const KalNode *node)
{
    const KalNode *argument = node->of.call.arguments;
    assert(argument && !argument->next);
    const KalValue a = number_argument(b, argument, kal_op_word(op));
    if (a.kind == KAL_VALUE_BAD) {
        return a;
    }
    const KalUnitId unit = function_unit(b, op, a, argument);
    const uint32_t before = kal_graph_count(b->graph);
    KalExpr e = kal_unary(b->graph, op, a.of.expr);
    kal_build_origin(b, before, node->span);
    e = kal_build_domain(b, e, a.of.expr, KAL_NO_EXPR, node->span);
    return kal_build_scalar_of(b, e, a.marks, unit, node);
}

// min and max of two or more, hypot, atan2 and mod of two.
static KalValue apply_more(KalBuild *b, KalOp op, const KalNode *node)
{
    const KalNode *argument = node->of.call.arguments;
    assert(argument && argument->next);
    KalValue result = number_argument(b, argument, kal_op_word(op));
    for (argument = argument->next; argument; argument = argument->next) {
        const KalValue c = number_argument(b, argument, kal_op_word(op));
        if (result.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD) {
            result = KAL_BAD_VALUE;
            continue;
        }
        result.unit = kal_build_agree(b, c.unit, result.unit, argument->span, "this",
                                      "what is before it");
        const KalUnitId unit = function_unit(b, op, result, argument);
        if (kal_op_domain(op) == KAL_DOMAIN_DIVISOR
            && kal_is_zero(b->graph, c.of.expr)) {
            return kal_build_bad(b, argument->span, "this divides by zero");
        }
        const uint32_t before = kal_graph_count(b->graph);
        const KalExpr e = kal_binary(b->graph, op, result.of.expr, c.of.expr);
        kal_build_origin(b, before, node->span);
        result = kal_build_scalar_of(b, e, result.marks | c.marks, unit, node);
    }
    return result;
}

// By the number of operands; min and max take any number from two on.
static KalValue call_function(KalBuild *b, KalOp op, const KalNode *node)
{
    assert(op < KAL_OP_COUNT && kal_op_kind(op) == KAL_KIND_CALL);
    const uint32_t n = count_arguments(node);
    const bool many = op == KAL_OP_MIN || op == KAL_OP_MAX;
    if (many && n >= 2) {
        return apply_more(b, op, node);
    }
    if (many) {
        return kal_build_bad(b, node->span, "%s takes two or more arguments",
                             kal_op_word(op));
    }
    if (!kal_build_demand_arguments(b, node, (uint32_t)kal_op_arity(op))) {
        return KAL_BAD_VALUE;
    }
    return n == 1 ? apply_one(b, op, node) : apply_more(b, op, node);
}

// Functions of vectors.

// A vector of numbers with at least one.
static KalValue vector_argument(KalBuild *b, const KalNode *node, const char *word)
{
    const KalValue value = kal_build_eval(b, node);
    if (value.kind == KAL_VALUE_BAD
        || (value.kind == KAL_VALUE_ARRAY && value.of.array->depth == 1
            && value.of.array->n > 0
            && value.of.array->items[0].kind == KAL_VALUE_SCALAR)) {
        return value;
    }
    return kal_build_bad(b, node->span, "%s takes vectors, not %s", word,
                         kal_build_describe(value).text);
}

static KalValue dot(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_ARRAY && c.kind == KAL_VALUE_ARRAY);
    if (a.of.array->n != c.of.array->n) {
        return kal_build_bad(b, node->span,
                             "dot takes vectors of one length, not %u and %u",
                             a.of.array->n, c.of.array->n);
    }
    KalValue sum = KAL_BAD_VALUE;
    assert(a.of.array->n > 0);
    const bool good = kal_build_step(b, node->span, a.of.array->n);
    for (uint32_t i = 0; good && i < a.of.array->n; i++) {
        const KalValue product =
            kal_build_times(b, a.of.array->items[i], c.of.array->items[i], node);
        sum = i == 0 ? product : kal_build_add(b, sum, product, node);
    }
    return sum;
}

static KalValue call_dot(KalBuild *b, const KalNode *node)
{
    if (!kal_build_demand_arguments(b, node, 2)) {
        return KAL_BAD_VALUE;
    }
    const KalValue a = vector_argument(b, node->of.call.arguments, "dot");
    const KalValue c = vector_argument(b, node->of.call.arguments->next, "dot");
    return a.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD ? KAL_BAD_VALUE
                                                              : dot(b, a, c, node);
}

// a[i] c[j] − a[j] c[i]
static KalValue minor(KalBuild *b, const KalArray *a, const KalArray *c, uint32_t i,
                      uint32_t j, const KalNode *node)
{
    assert(i < a->n && j < a->n && i < c->n && j < c->n);
    return kal_build_subtract(b, kal_build_times(b, a->items[i], c->items[j], node),
                              kal_build_times(b, a->items[j], c->items[i], node), node);
}

// In space a vector; in the plane the number that is its third component.
static KalValue call_cross(KalBuild *b, const KalNode *node)
{
    if (!kal_build_demand_arguments(b, node, 2)) {
        return KAL_BAD_VALUE;
    }
    const KalValue a = vector_argument(b, node->of.call.arguments, "cross");
    const KalValue c = vector_argument(b, node->of.call.arguments->next, "cross");
    if (a.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    const KalArray *left = a.of.array;
    const KalArray *right = c.of.array;
    if (left->n == 2 && right->n == 2) {
        return minor(b, left, right, 0, 1, node);
    }
    if (left->n != 3 || right->n != 3) {
        return kal_build_bad(
            b, node->span,
            "cross takes two vectors of 3 elements, or two of 2, not of "
            "%u and %u",
            left->n, right->n);
    }
    KalArray *result = kal_build_array(b, 3);
    for (uint32_t k = 0; result && k < 3; k++) {
        result->items[k] = minor(b, left, right, (k + 1) % 3, (k + 2) % 3, node);
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// The root of the sum of squares, not hypot: derivatives of sums are simpler.
static KalValue call_norm(KalBuild *b, const KalNode *node)
{
    if (!kal_build_demand_arguments(b, node, 1)) {
        return KAL_BAD_VALUE;
    }
    const KalValue a = vector_argument(b, node->of.call.arguments, "norm");
    const KalValue square = a.kind == KAL_VALUE_BAD ? a : dot(b, a, a, node);
    if (square.kind == KAL_VALUE_BAD) {
        return square;
    }
    const uint32_t before = kal_graph_count(b->graph);
    const KalExpr e = kal_sqrt(b->graph, square.of.expr);
    kal_build_origin(b, before, node->span);
    return kal_build_scalar_of(b, e, square.marks,
                               kal_build_unit_power(b, square.unit, 1, 2), node);
}

// Rows have one length; the elements of a matrix may be anything.
static KalValue call_transpose(KalBuild *b, const KalNode *node)
{
    if (!kal_build_demand_arguments(b, node, 1)) {
        return KAL_BAD_VALUE;
    }
    const KalValue a = kal_build_eval(b, node->of.call.arguments);
    if (a.kind == KAL_VALUE_BAD) {
        return a;
    }
    const bool matrix = a.kind == KAL_VALUE_ARRAY && a.of.array->depth == 2;
    const KalArray *rows = matrix ? a.of.array : NULL;
    const uint32_t n = matrix ? rows->items[0].of.array->n : 0;
    for (uint32_t i = 0; matrix && i < rows->n; i++) {
        if (rows->items[i].kind != KAL_VALUE_ARRAY || rows->items[i].of.array->n != n) {
            return kal_build_bad(b, node->span, "the rows of a matrix have one length");
        }
    }
    if (!matrix) {
        return kal_build_bad(b, node->span, "transpose takes a matrix, not %s",
                             kal_build_describe(a).text);
    }
    KalArray *result = kal_build_step(b, node->span, (size_t)n * rows->n)
                           ? kal_build_array(b, n)
                           : NULL;
    for (uint32_t j = 0; result && j < n; j++) {
        KalArray *row = kal_build_array(b, rows->n);
        for (uint32_t i = 0; row && i < rows->n; i++) {
            row->items[i] = rows->items[i].of.array->items[j];
        }
        result->items[j] = row ? kal_build_finish(b, row, node->span) : KAL_BAD_VALUE;
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// Functions of the model.

// The frame has no outer one: a function does not see the names of who calls it.
static KalValue call_body(KalBuild *b, KalEntry *entry, KalBinding *bindings, size_t n)
{
    const KalFrame frame = {NULL, bindings, n};
    const KalEnvironment names = b->names;
    const KalUsage usage = b->eval.usage;
    b->names = (KalEnvironment){&frame, entry->scope};
    b->eval.usage.allowed = KAL_MARKS_ALL; // the call is what is judged
    b->eval.calls++;
    assert(!entry->active && b->eval.calls <= KAL_BUILD_CALL_DEPTH);
    entry->active = true;
    const KalValue value = kal_build_eval(b, entry->node->of.definition.body);
    entry->active = false;
    b->eval.calls--;
    assert(b->eval.calls < KAL_BUILD_CALL_DEPTH);
    b->eval.usage = usage;
    b->names = names;
    return value;
}

// Arguments are evaluated in the names of the caller.
static bool bind_arguments(KalBuild *b, const KalEntry *entry, const KalNode *node,
                           KalBinding *bindings)
{
    assert(entry->node && entry->node->kind == KAL_NODE_FN);
    const KalNode *argument = node->of.call.arguments;
    const KalUsage usage = b->eval.usage;
    bool good = true;
    b->eval.usage.allowed = KAL_MARKS_ALL;
    size_t i = 0;
    for (const KalNode *p = entry->node->of.definition.parameters; p; p = p->next) {
        bindings[i] = (KalBinding){
            .atom = kal_build_atom_of(b, p->of.declaration.target),
            .value = kal_build_named(b, kal_build_eval(b, argument), argument)};
        good &= bindings[i].value.kind != KAL_VALUE_BAD;
        argument = argument->next;
        i++;
    }
    b->eval.usage = usage;
    return good;
}

// Neither recursion nor too deep a chain: functions are formulas, and formulas end.
static KalValue call_model(KalBuild *b, KalEntry *entry, const KalNode *node)
{
    assert(entry->kind == KAL_ENTRY_FUNCTION && entry->node);
    uint32_t n = 0;
    entry->site->used = true;
    for (const KalNode *p = entry->node->of.definition.parameters; p; p = p->next) {
        n++;
    }
    if (!kal_build_demand_arguments(b, node, n)) {
        return KAL_BAD_VALUE;
    }
    if (entry->active) {
        return kal_build_bad(b, node->span, "the function '%s' calls itself",
                             kal_build_atom_text(b, entry->atom));
    }
    if (b->eval.calls == KAL_BUILD_CALL_DEPTH) {
        return kal_build_bad(b, node->span,
                             "functions may call each other %d levels deep",
                             KAL_BUILD_CALL_DEPTH);
    }
    KalBinding *bindings =
        (KalBinding *)kal_pool_alloc(&b->pool, (n + 1) * sizeof *bindings);
    if (!bindings) {
        kal_build_no_memory(b);
        return KAL_BAD_VALUE;
    }
    return bind_arguments(b, entry, node, bindings) ? call_body(b, entry, bindings, n)
                                                    : KAL_BAD_VALUE;
}

// All of them.

typedef struct SpecialRow {
    const char *word;
    KalValue (*call)(KalBuild *b, const KalNode *node);
} SpecialRow;

static const SpecialRow SPECIALS[] = {
    {"dot",       call_dot               },
    {"cross",     call_cross             },
    {"norm",      call_norm              },
    {"transpose", call_transpose         },
    {"reaction",  kal_build_call_reaction},
    {"gap",       kal_build_call_gap     },
    {"friction",  kal_build_call_friction},
    {"sticks",    kal_build_call_sticks  },
    {"cforce",    kal_build_call_cforce  },
    {"drive",     kal_build_call_drive   },
    {"control",   kal_build_call_control },
    {"energy",    kal_build_call_energy  },
    {"active",    kal_build_call_active  },
    {"demand",    kal_build_call_demand  },
};

enum {
    SPECIALS_COUNT = sizeof SPECIALS / sizeof SPECIALS[0]
};

static_assert(KAL_OP_COUNT + SPECIALS_COUNT + 2 <= KAL_FUNCTIONS_LIMIT, "room");

int kal_function_names(const char *out_names[KAL_FUNCTIONS_LIMIT])
{
    int count = 0;
    for (KalOp op = 0; op < KAL_OP_COUNT; op++) {
        if (kal_op_kind(op) == KAL_KIND_CALL && !kal_op_is_spline(op)) {
            out_names[count++] = kal_op_word(op);
        }
    }
    for (int i = 0; i < SPECIALS_COUNT; i++) {
        out_names[count++] = SPECIALS[i].word;
    }
    out_names[count++] = "sum";
    out_names[count++] = "if";
    return count;
}

static const char *near_function(const char *name)
{
    const char *words[KAL_FUNCTIONS_LIMIT];
    const int count = kal_function_names(words);
    return kal_word_find_near(name, words, count);
}

// What is wrong: a product without a sign, a misspelt function, a name declared later.
static KalValue unknown_function(KalBuild *b, const KalNode *callee)
{
    assert(callee->kind == KAL_NODE_NAME);
    const KalAtom atom = kal_build_atom_of(b, callee);
    const char *name = kal_build_atom_text(b, atom);
    KalFound found = {NULL, NULL};
    if (atom <= KAL_ATOM_DEG || kal_build_find(b, atom, KAL_SPACE_VALUE, &found)) {
        return kal_build_bad(b, callee->span,
                             "'%s' is not a function; a product is written with *",
                             name);
    }
    const char *near = kal_build_find_foreign(name) ? NULL : near_function(name);
    return near ? kal_build_bad(b, callee->span,
                                "unknown function '%s'; did you mean '%s'?", name, near)
                : kal_build_unknown(b, callee, KAL_SPACE_VALUE, NULL);
}

// The function of a name: the number of its operator, or KAL_OP_COUNT and the place of a
// special one; more when there is none.
static uint64_t find_function(KalBuild *b, const KalNode *callee, KalAtom atom)
{
    uint64_t found;
    if (kal_map_find(&b->words.functions, atom, &found)) {
        return found;
    }
    found = kal_op_find_function(callee->of.text.data, callee->of.text.length);
    if (found == KAL_OP_COUNT) {
        uint64_t i = 0;
        while (i < SPECIALS_COUNT && !kal_node_is_text(callee, SPECIALS[i].word)) {
            i++;
        }
        found += i;
    }
    kal_build_check(b, kal_map_set(b->ctx, &b->words.functions, atom, found));
    return found;
}

static bool is_callable(const KalEntry *entry)
{
    return entry->kind == KAL_ENTRY_FUNCTION || entry->kind == KAL_ENTRY_TABLE;
}

// A function of the model or a table; only tables have derivatives by what they are called
// with.
static KalValue call_entry(KalBuild *b, KalEntry *entry, unsigned primes,
                           const KalNode *node)
{
    assert(is_callable(entry));
    if (entry->kind == KAL_ENTRY_TABLE) {
        entry->site->used = true;
        return kal_build_demand_arguments(b, node, 1)
                   ? kal_build_look_up(b, entry, primes, node)
                   : KAL_BAD_VALUE;
    }
    return primes == 0
               ? call_model(b, entry, node)
               : kal_build_bad(b, node->of.call.callee->span,
                               "a function has no derivative by its argument; the one "
                               "by time is %s(…)'",
                               kal_build_atom_text(b, entry->atom));
}

// Functions of the model come first: they may be called like a built-in one.
static KalValue call_name(KalBuild *b, const KalNode *node)
{
    const KalNode *callee = node->of.call.callee;
    const KalAtom atom = kal_build_atom_of(b, callee);
    KalFound found = {NULL, NULL};
    if (b->status != KAL_OK) {
        return KAL_BAD_VALUE;
    }
    if (kal_build_find(b, atom, KAL_SPACE_VALUE, &found) && found.entry
        && is_callable(found.entry)) {
        return call_entry(b, found.entry, 0, node);
    }
    const uint64_t function = find_function(b, callee, atom);
    if (function < KAL_OP_COUNT) {
        return call_function(b, (KalOp)function, node);
    }
    if (function < KAL_OP_COUNT + SPECIALS_COUNT) {
        return SPECIALS[function - KAL_OP_COUNT].call(b, node);
    }
    return unknown_function(b, callee);
}

// f'(x), which tables alone have.
static KalValue call_derivative(KalBuild *b, const KalNode *name, unsigned primes,
                                const KalNode *node)
{
    const KalAtom atom = kal_build_atom_of(b, name);
    KalFound found = {NULL, NULL};
    if (b->status != KAL_OK) {
        return KAL_BAD_VALUE;
    }
    if (kal_build_find(b, atom, KAL_SPACE_VALUE, &found) && found.entry
        && is_callable(found.entry)) {
        return call_entry(b, found.entry, primes, node);
    }
    return kal_build_bad(b, node->span,
                         "'%s' is not a table, whose derivatives are called like this; "
                         "a product is written with *",
                         kal_build_atom_text(b, atom));
}

KalValue kal_build_call(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_CALL);
    const KalNode *callee = node->of.call.callee;
    const unsigned primes = callee->kind == KAL_NODE_PRIME ? callee->op : 0;
    callee = primes > 0 ? callee->of.unary.operand : callee;
    if (callee->kind == KAL_NODE_NAME) {
        return primes > 0 ? call_derivative(b, callee, primes, node)
                          : call_name(b, node);
    }
    const KalNode *name = callee->of.binary.right;
    const KalValue part = kal_build_path(b, callee->of.binary.left, KAL_SPACE_VALUE);
    if (part.kind == KAL_VALUE_BAD) {
        return part;
    }
    if (part.kind != KAL_VALUE_PART) {
        return kal_build_bad(b, callee->span, "%s has no functions",
                             kal_build_describe(part).text);
    }
    KalEntry *entry =
        kal_build_find_in(b, part.of.part, kal_build_atom_of(b, name), KAL_SPACE_VALUE);
    if (!entry) {
        return kal_build_unknown(b, name, KAL_SPACE_VALUE, part.of.part);
    }
    return is_callable(entry)
               ? call_entry(b, entry, primes, node)
               : kal_build_bad(
                   b, name->span,
                   "'%s' is %s, not a function; a product is written with *",
                   kal_build_atom_text(b, entry->atom),
                   kal_build_kind_text(entry->kind));
}

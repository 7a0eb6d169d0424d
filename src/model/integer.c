// SPDX-License-Identifier: MIT

// Numbers that are known before anything moves: sizes, indices, ranges, filters.
//
// Parameters that such a number is made of determine the structure of the model: they are
// marked, and setting them needs another load.  The usual expressions, sums and products of
// numbers, names and indices, are computed as fractions without building formulas, since
// loops evaluate them in every pass.

#include "expr/eval.h"
#include "model/build_impl.h"

#include <assert.h>
#include <math.h>

enum {
    LARGEST_POWER = 1000
};

static const double NEARLY_WHOLE = 1e-12; // relative; rounding of decimal fractions

// The parameter that a formula is, or NULL.
static KalParameter *parameter_of(const KalBuild *b, KalExpr e)
{
    const KalExprNode node = kal_graph_node(b->graph, e);
    if (node.op != KAL_OP_SYMBOL) {
        return NULL;
    }
    const KalSymbol *symbol = &b->model->symbols[node.arg[0].index];
    assert(node.arg[0].index < b->model->n_symbols);
    return symbol->kind == KAL_SYMBOL_PARAMETER ? &b->model->parameters[symbol->index]
                                                : NULL;
}

// The values of all symbols, as far as parameters have set them.
static double *symbol_values(KalBuild *b)
{
    static const double none = 0.0;
    while (b->formulas.numbers.size < b->model->n_symbols * sizeof(double)) {
        if (!kal_build_check(
                b, kal_block_add(b->ctx, &b->formulas.numbers, &none, sizeof none))) {
            return NULL;
        }
    }
    assert(b->formulas.numbers.size % sizeof(double) == 0);
    return (double *)b->formulas.numbers.data;
}

// The value of a formula of parameters: at once for one parameter or number, else by
// evaluation.
bool kal_build_number(KalBuild *b, KalExpr e, double *out_number)
{
    const KalParameter *parameter = parameter_of(b, e);
    if (parameter) {
        *out_number = parameter->number;
        return true;
    }
    if (kal_graph_node(b->graph, e).op == KAL_OP_CONST) {
        *out_number = kal_graph_number(b->graph, e).value;
        return true;
    }
    KalOrder order = {.ctx = NULL};
    const double *values = symbol_values(b);
    if (!values || !kal_build_check(b, kal_order_init(b->graph, &e, 1, &order))) {
        return false;
    }
    double *work = (double *)kal_alloc(b->ctx, order.count, sizeof *work);
    const bool good = work && kal_build_step(b, b->statement, order.count);
    if (good) {
        kal_order_eval(b->graph, &order, values, work, out_number);
    } else if (!work) {
        kal_build_no_memory(b);
    }
    kal_free(b->ctx, work, order.count * sizeof *work);
    kal_order_clear(&order);
    return good;
}

void kal_build_set_number(KalBuild *b, KalExpr symbol, double number)
{
    double *values = symbol_values(b);
    assert(kal_graph_node(b->graph, symbol).op == KAL_OP_SYMBOL);
    if (values) {
        values[kal_graph_node(b->graph, symbol).arg[0].index] = number;
    }
}

// What the value of a parameter was used for.
typedef enum Use {
    STRUCTURE,
    DECISION
} Use;

// Structural is the stronger: it changes how many equations there are.
static void mark_one(KalParameter *parameter, Use use)
{
    parameter->structural = parameter->structural || use == STRUCTURE;
    parameter->decided = parameter->decided || use == DECISION;
}

// Mark all parameters of a formula.
static void mark(KalBuild *b, KalExpr e, Use use)
{
    KalParameter *parameter = parameter_of(b, e);
    if (parameter) {
        mark_one(parameter, use);
        return;
    }
    KalOrder order = {.ctx = NULL};
    if (!kal_build_check(b, kal_order_init(b->graph, &e, 1, &order))) {
        return;
    }
    const bool good = kal_build_step(b, b->statement, order.count);
    for (uint32_t i = 0; good && i < order.count; i++) {
        parameter = parameter_of(b, order.steps[i].node);
        if (parameter) {
            mark_one(parameter, use);
        }
    }
    kal_order_clear(&order);
}

void kal_build_mark_structural(KalBuild *b, KalExpr e)
{
    mark(b, e, STRUCTURE);
}

void kal_build_mark_decided(KalBuild *b, KalExpr e)
{
    mark(b, e, DECISION);
}

bool kal_build_is_structural(KalBuild *b, KalValue value)
{
    KalOrder order = {.ctx = NULL};
    if (value.kind != KAL_VALUE_SCALAR || value.marks != KAL_MARKS_CONSTANT
        || !kal_build_check(b, kal_order_init(b->graph, &value.of.expr, 1, &order))) {
        return false;
    }
    bool all = kal_build_step(b, b->statement, order.count);
    for (uint32_t i = 0; all && i < order.count; i++) {
        const KalParameter *parameter = parameter_of(b, order.steps[i].node);
        all = !parameter || parameter->structural;
    }
    kal_order_clear(&order);
    return all;
}

// A whole number, if rounding of decimal fractions is all that is missing.
static KalRational nearest(double number)
{
    const double whole = nearbyint(number);
    const double size = fabs(number) > 1.0 ? fabs(number) : 1.0;
    return kal_rational_of(fabs(number - whole) <= NEARLY_WHOLE * size ? whole
                                                                       : number);
}

// A formula of numbers and parameters, which then determine the structure.
static bool known_number(KalBuild *b, KalValue value, KalRational *out_value)
{
    if (value.kind != KAL_VALUE_SCALAR
        || (value.marks & ~(unsigned)KAL_MARKS_CONSTANT) != 0) {
        return false;
    }
    if (kal_graph_node(b->graph, value.of.expr).op == KAL_OP_CONST) {
        *out_value = kal_graph_number(b->graph, value.of.expr);
        return true;
    }
    double number;
    if (!kal_build_number(b, value.of.expr, &number)) {
        return false;
    }
    kal_build_mark_structural(b, value.of.expr);
    *out_value = nearest(number);
    return true;
}

// Recursion ends where the tree does.
// NOLINTBEGIN(misc-no-recursion)

static bool quick(KalBuild *b, const KalNode *node, KalRational *out_value);

// A name of an index or number, without the detour over a formula.
static bool quick_name(KalBuild *b, const KalNode *node, KalRational *out_value)
{
    assert(node->kind == KAL_NODE_NAME);
    const KalAtom atom = kal_build_atom_of(b, node);
    KalFound found = {NULL, NULL};
    if (atom <= KAL_ATOM_DEG || !kal_build_find(b, atom, KAL_SPACE_VALUE, &found)) {
        return false;
    }
    if (found.binding && found.binding->is_index) {
        b->eval.index_read = true;
        *out_value =
            (KalRational){found.binding->number, 1, (double)found.binding->number};
        return true;
    }
    if (found.binding) {
        return known_number(b, found.binding->value, out_value);
    }
    found.entry->site->used |= found.entry->value.kind == KAL_VALUE_SCALAR;
    return known_number(b, found.entry->value, out_value);
}

// Sums and products.
static bool quick_list(KalBuild *b, const KalNode *node, KalRational *out_value)
{
    assert(node->kind == KAL_NODE_ADD || node->kind == KAL_NODE_MULTIPLY);
    const KalNode *item = node->of.list.items;
    assert(item && item->join == KAL_JOIN_NONE);
    KalRational total;
    if (!quick(b, item, &total)) {
        return false;
    }
    for (item = item->next; item; item = item->next) {
        KalRational value;
        if (!quick(b, item, &value)) {
            return false;
        }
        switch (item->join) {
        case KAL_JOIN_PLUS: total = kal_rational_add(total, value); break;
        case KAL_JOIN_MINUS:
            total = kal_rational_add(total, kal_rational_neg(value));
            break;
        case KAL_JOIN_TIMES: total = kal_rational_mul(total, value); break;
        case KAL_JOIN_OVER:
            if (value.value == 0.0) {
                return false;
            }
            total = kal_rational_div(total, value);
            break;
        case KAL_JOIN_NONE: assert(false && "only the first joins nothing"); break;
        }
    }
    *out_value = total;
    return true;
}

static bool quick_power(KalBuild *b, const KalNode *node, KalRational *out_value)
{
    assert(node->kind == KAL_NODE_POWER);
    KalRational base;
    KalRational exponent;
    if (!quick(b, node->of.binary.left, &base)
        || !quick(b, node->of.binary.right, &exponent) || exponent.den != 1
        || exponent.num < 0 || exponent.num > LARGEST_POWER) {
        return false;
    }
    *out_value = kal_rational_pow(base, exponent.num);
    return true;
}

// The usual integer expressions; false for what takes the long way.
static bool quick(KalBuild *b, const KalNode *node, KalRational *out_value)
{
    if (!kal_build_step(b, node->span, 1)) {
        return false;
    }
    KalRational value;
    if (node->kind == KAL_NODE_NUMBER) {
        *out_value = kal_rational_parse(node->of.number.text, node->of.number.length);
        return true;
    }
    if (node->kind == KAL_NODE_NAME) {
        return quick_name(b, node, out_value);
    }
    if (node->kind == KAL_NODE_ADD || node->kind == KAL_NODE_MULTIPLY) {
        return quick_list(b, node, out_value);
    }
    if (node->kind == KAL_NODE_POWER) {
        return quick_power(b, node, out_value);
    }
    if (node->kind != KAL_NODE_NEGATE || !quick(b, node->of.unary.operand, &value)) {
        return false;
    }
    *out_value = kal_rational_neg(value);
    return true;
}

// NOLINTEND(misc-no-recursion)

// Whole numbers are expected exactly; a parameter that was computed in doubles is one
// when it is the nearest.
bool kal_build_integer(KalBuild *b, const KalNode *node, int64_t *out_value)
{
    KalRational number;
    if (!quick(b, node, &number)) {
        const KalUsage usage = {KAL_MARKS_CONSTANT,
                                "an index, size or range, which is known before "
                                "anything moves"};
        const KalValue value = kal_build_scalar_for(b, node, usage);
        if (value.kind == KAL_VALUE_BAD || !known_number(b, value, &number)) {
            return false;
        }
    }
    if (number.den == 0) {
        number = nearest(number.value);
    }
    if (number.den != 1) {
        kal_build_error(b, node->span, "expected a whole number, but this is %.9g",
                        number.value);
        return false;
    }
    *out_value = number.num;
    return true;
}

bool kal_build_range(KalBuild *b, const KalNode *range, int64_t *out_first,
                     int64_t *out_last)
{
    int64_t first;
    int64_t last;
    assert(range->kind == KAL_NODE_RANGE);
    if (!kal_build_integer(b, range->of.binary.left, &first)
        || !kal_build_integer(b, range->of.binary.right, &last)) {
        return false;
    }
    if (last == INT64_MAX
        || (last >= first && (uint64_t)last - (uint64_t)first >= KAL_BUILD_PASSES)) {
        kal_build_limit(b, range->span, "this range is too large: at most %d passes",
                        KAL_BUILD_PASSES);
        return false;
    }
    *out_first = first;
    assert(last < INT64_MAX);
    *out_last = last;
    return true;
}

bool kal_build_filter(KalBuild *b, const KalNode *node)
{
    const KalUsage usage = {KAL_MARKS_CONSTANT,
                            "the condition of a sum, which is known before anything "
                            "moves; if(…) decides while things move"};
    const KalValue value = kal_build_scalar_for(b, node, usage);
    KalRational number;
    return value.kind != KAL_VALUE_BAD && known_number(b, value, &number)
           && number.value != 0.0;
}

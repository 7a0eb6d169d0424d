// SPDX-License-Identifier: MIT

// Expressions become values: formulas with units, and vectors of them.
//
// Evaluation is by recursion over the tree, with one function for each kind of node, as
// nodes.def lists them.  Everywhere the same three rules: a bad value makes a bad value and
// no second message; units are checked where values meet; and what simplification takes away
// from the domain of a formula is put back (domain.c).

#include "model/build_impl.h"

#include <assert.h>
#include <string.h>

enum {
    EVAL_DEPTH = 1000 // nodes in each other, functions that are called included
};

// Recursion ends at EVAL_DEPTH; that over vectors at KAL_BUILD_VECTOR_DEPTH.
// NOLINTBEGIN(misc-no-recursion)

// A constant: no parameter, no symbol.
static bool is_number(const KalBuild *b, KalExpr e)
{
    return kal_graph_node(b->graph, e).op == KAL_OP_CONST;
}

// Sums.

// Terms have one unit.
static KalValue add_scalars(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR);
    const KalUnitId unit =
        kal_build_agree(b, c.unit, a.unit, node->span, "this", "what is before it");
    const KalExpr e = kal_add(b->graph, a.of.expr, c.of.expr);
    return kal_build_scalar_of(b,
                               kal_build_domain(b, e, a.of.expr, c.of.expr, node->span),
                               a.marks | c.marks, unit, node);
}

static KalValue subtract_scalars(KalBuild *b, KalValue a, KalValue c,
                                 const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR);
    const KalUnitId unit =
        kal_build_agree(b, c.unit, a.unit, node->span, "this", "what is before it");
    const KalExpr e = kal_sub(b->graph, a.of.expr, c.of.expr);
    return kal_build_scalar_of(b,
                               kal_build_domain(b, e, a.of.expr, c.of.expr, node->span),
                               a.marks | c.marks, unit, node);
}

KalValue kal_build_add(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    return kal_build_zip(b, add_scalars, a, c, node);
}

KalValue kal_build_subtract(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    return kal_build_zip(b, subtract_scalars, a, c, node);
}

static KalValue negate_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    (void)c;
    return kal_build_scalar_of(b, kal_neg(b->graph, a.of.expr), a.marks, a.unit, node);
}

KalValue kal_build_negate(KalBuild *b, KalValue a, const KalNode *node)
{
    return kal_build_each(b, negate_scalar, a, (KalValue){.kind = KAL_VALUE_NONE},
                          node);
}

// From left to right, as it is written.
static KalValue eval_sum(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_ADD);
    const KalNode *term = node->of.list.items;
    assert(term && term->join == KAL_JOIN_NONE);
    KalValue sum = kal_build_eval(b, term);
    for (term = term->next; term; term = term->next) {
        const KalValue value = kal_build_eval(b, term);
        sum = term->join == KAL_JOIN_MINUS ? kal_build_subtract(b, sum, value, term)
                                           : kal_build_add(b, sum, value, term);
    }
    return sum;
}

// Products.

KalValue kal_build_times(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR);
    const KalExpr e = kal_mul(b->graph, a.of.expr, c.of.expr);
    return kal_build_scalar_of(
        b, kal_build_domain(b, e, a.of.expr, c.of.expr, node->span), a.marks | c.marks,
        kal_build_unit_times(b, a.unit, c.unit), node);
}

KalValue kal_build_over(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR);
    if (kal_is_zero(b->graph, c.of.expr)) {
        return kal_build_bad(b, node->span, "this divides by zero");
    }
    const uint32_t before = kal_graph_count(b->graph);
    KalExpr e = kal_div(b->graph, a.of.expr, c.of.expr);
    kal_build_origin(b, before, node->span);
    e = kal_build_domain_over(b, e, a.of.expr, c.of.expr, -1, node->span);
    return kal_build_scalar_of(b, e, a.marks | c.marks,
                               kal_build_unit_over(b, a.unit, c.unit), node);
}

static bool is_vector(KalValue v)
{
    return v.kind == KAL_VALUE_ARRAY && v.of.array->depth == 1;
}

static bool is_matrix(KalValue v)
{
    return v.kind == KAL_VALUE_ARRAY && v.of.array->depth == 2;
}

// Row i of a matrix with a vector, or with column j of a matrix.
static KalValue row_times(KalBuild *b, const KalArray *row, const KalArray *other,
                          int64_t j, const KalNode *node)
{
    assert(row->n > 0 && row->n == other->n);
    KalValue sum = KAL_BAD_VALUE;
    for (uint32_t k = 0; k < row->n; k++) {
        const KalValue factor =
            j < 0 ? other->items[k] : other->items[k].of.array->items[j];
        if (row->items[k].kind != KAL_VALUE_SCALAR || factor.kind != KAL_VALUE_SCALAR) {
            return kal_build_bad(b, node->span, "expected a matrix of numbers");
        }
        const KalValue product = kal_build_times(b, row->items[k], factor, node);
        sum = k == 0 ? product : kal_build_add(b, sum, product, node);
    }
    return sum;
}

// Whether the rows of a matrix have one length, which is not 0.
static bool is_regular(KalBuild *b, KalValue matrix, const KalNode *node)
{
    const KalArray *rows = matrix.of.array;
    const KalArray *first = rows->n > 0 ? rows->items[0].of.array : NULL;
    if (!kal_build_step(b, node->span, rows->n)) {
        return false;
    }
    for (uint32_t i = 0; i < rows->n; i++) {
        if (rows->items[i].kind != KAL_VALUE_ARRAY
            || rows->items[i].of.array->n != first->n || first->n == 0) {
            kal_build_error(b, node->span, "the rows of a matrix have one length");
            return false;
        }
    }
    return rows->n > 0;
}

// The usual product; both are regular.
static KalValue matrix_times(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    assert(a.kind == KAL_VALUE_ARRAY && c.kind == KAL_VALUE_ARRAY);
    if (!is_regular(b, a, node) || (is_matrix(c) && !is_regular(b, c, node))) {
        return KAL_BAD_VALUE;
    }
    const KalArray *rows = a.of.array;
    const KalArray *other = c.of.array;
    const uint32_t columns = is_matrix(c) ? other->items[0].of.array->n : 1;
    if (rows->items[0].of.array->n != other->n) {
        return kal_build_bad(b, node->span, "%s cannot be multiplied with %s",
                             kal_build_describe(a).text, kal_build_describe(c).text);
    }
    if (!kal_build_step(b, node->span, (size_t)rows->n * other->n * columns)) {
        return KAL_BAD_VALUE;
    }
    KalArray *result = kal_build_array(b, rows->n);
    for (uint32_t i = 0; result && i < rows->n; i++) {
        const KalArray *row = rows->items[i].of.array;
        if (is_vector(c)) {
            result->items[i] = row_times(b, row, other, -1, node);
            continue;
        }
        KalArray *line = kal_build_array(b, columns);
        for (uint32_t j = 0; line && j < columns; j++) {
            line->items[j] = row_times(b, row, other, j, node);
        }
        result->items[i] = line ? kal_build_finish(b, line, node->span) : KAL_BAD_VALUE;
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// Products of numbers with anything, of matrices with vectors and matrices; a product of
// vectors is spelled dot or cross.
KalValue kal_build_multiply(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    if (a.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    if (c.kind == KAL_VALUE_SCALAR) {
        return kal_build_each(b, kal_build_times, a, c, node);
    }
    if (a.kind == KAL_VALUE_SCALAR) {
        return kal_build_each(b, kal_build_times, c, a, node);
    }
    if (is_matrix(a) && (is_vector(c) || is_matrix(c))) {
        return matrix_times(b, a, c, node);
    }
    if (is_vector(a) && is_vector(c)) {
        return kal_build_bad(b, node->span,
                             "vectors are multiplied by dot(a, b) or cross(a, b)");
    }
    if (is_vector(a) && is_matrix(c)) {
        return kal_build_bad(b, node->span,
                             "a vector stands after a matrix: R*v, or transpose(R)*v");
    }
    return kal_build_bad(b, node->span, "%s cannot be multiplied with %s",
                         kal_build_describe(a).text, kal_build_describe(c).text);
}

// Vectors can be divided by numbers.
static KalValue divide(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    if (c.kind != KAL_VALUE_SCALAR && c.kind != KAL_VALUE_BAD) {
        return kal_build_bad(b, node->span, "only a number can divide, not %s",
                             kal_build_describe(c).text);
    }
    return kal_build_each(b, kal_build_over, a, c, node);
}

// Whether a factor is a number 0 that was typed.  A name that stands for 0 leaves its term out,
// as a component does with a part of it that is not wanted; so do zeros in vectors.
static bool is_typed_zero(const KalBuild *b, KalValue value, const KalNode *node)
{
    while (node->kind == KAL_NODE_NEGATE) {
        node = node->of.unary.operand;
    }
    return value.kind == KAL_VALUE_SCALAR && kal_is_zero(b->graph, value.of.expr)
           && (node->kind == KAL_NODE_NUMBER || value.unit == KAL_UNIT_NUMBER);
}

// One factor more, of which a typed 0 is watched: `zero` says that the product so far is one.
static KalValue take_factor(KalBuild *b, KalValue product, const KalNode *factor,
                            bool *zero)
{
    const KalValue value = kal_build_eval(b, factor);
    const bool over = factor->join == KAL_JOIN_OVER;
    const bool later = !over && is_typed_zero(b, value, factor);
    KalValue next = over ? divide(b, product, value, factor)
                         : kal_build_multiply(b, product, value, factor);
    if (*zero || later) {
        next = kal_build_domain_of_zero(b, next, *zero ? value : product, factor);
        *zero = next.kind == KAL_VALUE_SCALAR && kal_is_zero(b->graph, next.of.expr);
    }
    return next;
}

// From left to right: a/b*c is (a/b)*c.
static KalValue eval_product(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_MULTIPLY);
    const KalNode *factor = node->of.list.items;
    assert(factor && factor->join == KAL_JOIN_NONE);
    KalValue product = kal_build_eval(b, factor);
    bool zero = is_typed_zero(b, product, factor);
    for (factor = factor->next; factor; factor = factor->next) {
        product = take_factor(b, product, factor, &zero);
    }
    return product;
}

// The unit of a power; an exponent that is no exact number needs a base without unit.
static KalUnitId power_unit(KalBuild *b, KalValue base, KalValue exponent,
                            const KalNode *node)
{
    if (base.unit == KAL_UNIT_ANY || base.unit == KAL_UNIT_ONE) {
        return base.unit;
    }
    if (base.unit == KAL_UNIT_NUMBER) {
        const bool open =
            exponent.unit == KAL_UNIT_ANY || exponent.unit == KAL_UNIT_NUMBER;
        return open ? exponent.unit : KAL_UNIT_ONE; // 2^x as exp(x)
    }
    const KalRational power = is_number(b, exponent.of.expr)
                                  ? kal_graph_number(b->graph, exponent.of.expr)
                                  : (KalRational){.den = 0};
    if (power.den > 0) {
        return kal_build_unit_power(b, base.unit, power.num, power.den);
    }
    kal_build_demand_plain(b, base, node->of.binary.left->span,
                           "a power whose exponent is no plain number");
    return KAL_UNIT_ANY;
}

// Exponents have no unit; bases may.
static KalValue eval_power(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_POWER);
    const KalValue base = kal_build_eval(b, node->of.binary.left);
    const KalValue exponent = kal_build_scalar(b, node->of.binary.right);
    if (base.kind == KAL_VALUE_ARRAY) {
        return kal_build_bad(b, node->of.binary.left->span,
                             "expected a number, found %s; the square of a vector is "
                             "dot(v, v)",
                             kal_build_describe(base).text);
    }
    if (kal_build_demand_scalar(b, base, node->of.binary.left).kind == KAL_VALUE_BAD
        || exponent.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    kal_build_demand_plain(b, exponent, node->of.binary.right->span, "an exponent");
    const KalUnitId unit = power_unit(b, base, exponent, node);
    const uint32_t before = kal_graph_count(b->graph);
    KalExpr e = kal_pow(b->graph, base.of.expr, exponent.of.expr);
    kal_build_origin(b, before, node->span);
    e = kal_build_domain_power(b, e, base.of.expr, exponent.of.expr, node->span);
    return kal_build_scalar_of(b, e, base.marks | exponent.marks, unit, node);
}

// Vectors.

// Elements are alike: all numbers, or all vectors of one length.
static KalValue eval_vector(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_VECTOR);
    uint32_t n = 0;
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        n++;
    }
    KalArray *array = kal_build_array(b, n);
    if (!array) {
        return KAL_BAD_VALUE;
    }
    uint32_t i = 0;
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        const KalValue value = kal_build_eval(b, item);
        array->items[i] = value;
        const KalValue first = array->items[0];
        const bool alike = value.kind == first.kind
                           && (value.kind != KAL_VALUE_ARRAY
                               || value.of.array->n == first.of.array->n);
        if (!alike && value.kind != KAL_VALUE_BAD && first.kind != KAL_VALUE_BAD) {
            return kal_build_bad(b, item->span,
                                 "the elements of a vector are alike: this is %s, the "
                                 "first %s",
                                 kal_build_describe(value).text,
                                 kal_build_describe(first).text);
        }
        i++;
    }
    return kal_build_finish(b, array, node->span);
}

// Conditions.

// There are two operators for four signs: a > b is b < a.
static KalOp compare_op(KalCompare compare, bool *out_exchange)
{
    *out_exchange =
        compare == KAL_COMPARE_GREATER || compare == KAL_COMPARE_GREATER_EQUAL;
    switch (compare) {
    case KAL_COMPARE_LESS:
    case KAL_COMPARE_GREATER: return KAL_OP_LT;
    case KAL_COMPARE_LESS_EQUAL:
    case KAL_COMPARE_GREATER_EQUAL: return KAL_OP_LE;
    case KAL_COMPARE_EQUAL: return KAL_OP_EQ;
    case KAL_COMPARE_NOT_EQUAL: return KAL_OP_NE;
    }
    return KAL_OP_EQ;
}

// A comparison with an index, or of what determines the structure, is decided now: it
// chooses among elements that may not be there.
static KalValue decide(KalBuild *b, KalValue condition, const KalNode *node)
{
    double number = 0.0;
    if (condition.kind != KAL_VALUE_SCALAR
        || (condition.marks & ~(KAL_MARKS_CONSTANT | (unsigned)KAL_MARK_GUESS)) != 0
        || !kal_build_number(b, condition.of.expr, &number)) {
        return condition;
    }
    kal_build_mark_structural(b, condition.of.expr);
    return kal_build_scalar_of(b, kal_int(b->graph, number != 0.0), 0, KAL_UNIT_ANY,
                               node);
}

// Both sides have one unit; the result is 0 or 1.
static KalValue eval_compare(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_COMPARE);
    const bool before = b->eval.index_read;
    b->eval.index_read = false;
    const KalValue left = kal_build_scalar(b, node->of.binary.left);
    const KalValue right = kal_build_scalar(b, node->of.binary.right);
    const bool index = b->eval.index_read;
    b->eval.index_read = before;
    if (left.kind == KAL_VALUE_BAD || right.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    (void)kal_build_agree(b, right.unit, left.unit, node->of.binary.right->span, "this",
                          "the other side");
    bool exchange;
    const KalOp op = compare_op((KalCompare)node->op, &exchange);
    const uint32_t count = kal_graph_count(b->graph);
    const KalExpr e = exchange ? kal_binary(b->graph, op, right.of.expr, left.of.expr)
                               : kal_binary(b->graph, op, left.of.expr, right.of.expr);
    kal_build_origin(b, count, node->span);
    const KalValue result =
        kal_build_scalar_of(b, e, left.marks | right.marks, KAL_UNIT_ANY, node);
    return index || kal_build_is_structural(b, result) ? decide(b, result, node)
                                                       : result;
}

static KalValue eval_not(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_NOT);
    const KalValue value = kal_build_eval(b, node->of.unary.operand);
    assert(value.kind == KAL_VALUE_SCALAR || value.kind == KAL_VALUE_BAD);
    if (value.kind == KAL_VALUE_BAD) {
        return value;
    }
    return kal_build_scalar_of(b, kal_unary(b->graph, KAL_OP_NOT, value.of.expr),
                               value.marks, KAL_UNIT_ANY, node);
}

// and, or: what follows an operand that decides is not looked at.
static KalValue eval_logic(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_AND || node->kind == KAL_NODE_OR);
    const KalOp op = node->kind == KAL_NODE_AND ? KAL_OP_AND : KAL_OP_OR;
    const int64_t decisive = op == KAL_OP_AND ? 0 : 1;
    KalValue result = {.kind = KAL_VALUE_NONE};
    for (const KalNode *item = node->of.list.items; item; item = item->next) {
        const KalValue value = kal_build_eval(b, item);
        // The parser lets only conditions pass here, and these are numbers.
        assert(value.kind == KAL_VALUE_SCALAR || value.kind == KAL_VALUE_BAD);
        if (value.kind == KAL_VALUE_BAD) {
            return value;
        }
        if (kal_is_int(b->graph, value.of.expr, decisive)) {
            return value;
        }
        result = result.kind == KAL_VALUE_NONE
                     ? value
                     : kal_build_scalar_of(
                         b, kal_binary(b->graph, op, result.of.expr, value.of.expr),
                         result.marks | value.marks, KAL_UNIT_ANY, node);
        if (result.kind == KAL_VALUE_BAD) {
            return result;
        }
    }
    return result;
}

// One of two values of one shape.
static KalValue choose(KalBuild *b, KalValue condition, KalValue yes, KalValue no,
                       const KalNode *node)
{
    assert(condition.kind == KAL_VALUE_SCALAR || condition.kind == KAL_VALUE_BAD);
    if (yes.kind == KAL_VALUE_BAD || no.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    if (yes.kind == KAL_VALUE_SCALAR && no.kind == KAL_VALUE_SCALAR) {
        const KalUnitId unit =
            kal_build_agree(b, no.unit, yes.unit, node->of.choice.no->span,
                            "the second choice", "the first");
        KalExpr e = kal_select(b->graph, condition.of.expr, yes.of.expr, no.of.expr);
        e = kal_build_domain_choice(b, e, condition.of.expr, node->span);
        return kal_build_scalar_of(b, e, condition.marks | yes.marks | no.marks, unit,
                                   node);
    }
    const bool arrays = yes.kind == KAL_VALUE_ARRAY && no.kind == KAL_VALUE_ARRAY;
    if (!arrays || yes.of.array->n != no.of.array->n) {
        return kal_build_bad(b, node->span,
                             "the choices of an if are alike: not %s or %s",
                             kal_build_describe(yes).text, kal_build_describe(no).text);
    }
    const uint32_t n = yes.of.array->n;
    KalArray *result = kal_build_step(b, node->span, n) ? kal_build_array(b, n) : NULL;
    for (uint32_t i = 0; result && i < n; i++) {
        result->items[i] =
            choose(b, condition, yes.of.array->items[i], no.of.array->items[i], node);
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// A condition that is known chooses now: what is not chosen need not even be there.
static KalValue eval_if(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_IF);
    const KalValue condition = kal_build_eval(b, node->of.choice.condition);
    assert(condition.kind == KAL_VALUE_SCALAR || condition.kind == KAL_VALUE_BAD);
    if (condition.kind == KAL_VALUE_BAD) {
        return condition;
    }
    if (is_number(b, condition.of.expr)) {
        const bool yes = !kal_is_zero(b->graph, condition.of.expr);
        return kal_build_eval(b, yes ? node->of.choice.yes : node->of.choice.no);
    }
    const KalValue yes = kal_build_eval(b, node->of.choice.yes);
    const KalValue no = kal_build_eval(b, node->of.choice.no);
    return choose(b, condition, yes, no, node);
}

// sum(i in 1..n : …)

// An array of one's own, to add to.
static KalValue copy_array(KalBuild *b, KalValue value)
{
    if (value.kind != KAL_VALUE_ARRAY) {
        return value;
    }
    KalArray *array = kal_build_step(b, b->statement, value.of.array->n)
                          ? kal_build_array(b, value.of.array->n)
                          : NULL;
    if (!array) {
        return KAL_BAD_VALUE;
    }
    KalValue *items = array->items;
    *array = *value.of.array;
    array->items = items;
    array->kept = false;
    for (uint32_t i = 0; i < array->n; i++) {
        items[i] = copy_array(b, value.of.array->items[i]);
    }
    value.of.array = array;
    return value;
}

// Adds to a scalar, or to the elements of an array of one's own.
static void add_to(KalBuild *b, KalValue *sum, KalValue term, const KalNode *node)
{
    assert(sum->kind != KAL_VALUE_NONE && term.kind != KAL_VALUE_NONE);
    const bool arrays = sum->kind == KAL_VALUE_ARRAY && term.kind == KAL_VALUE_ARRAY
                        && sum->of.array->n == term.of.array->n;
    if (!arrays) {
        *sum = kal_build_add(b, *sum, term, node);
        return;
    }
    if (!kal_build_step(b, node->span, term.of.array->n)) {
        *sum = KAL_BAD_VALUE;
        return;
    }
    sum->marks |= term.marks;
    for (uint32_t i = 0; i < term.of.array->n; i++) {
        KalValue *element = &sum->of.array->items[i];
        add_to(b, element, term.of.array->items[i], node);
        if (element->kind == KAL_VALUE_BAD) {
            *sum = KAL_BAD_VALUE;
            return;
        }
    }
}

// A term of a sum; none when the filter leaves it out.
static KalValue sum_term(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_SUM);
    if (node->of.sum.filter && !kal_build_filter(b, node->of.sum.filter)) {
        return (KalValue){.kind = KAL_VALUE_NONE};
    }
    return kal_build_eval(b, node->of.sum.body);
}

// What a pass leaves in the pool is released, but for the first, whose array is the sum.
static KalValue sum_terms(KalBuild *b, const KalNode *node, KalBinding *index,
                          int64_t last)
{
    assert(index->is_index);
    KalValue sum = {.kind = KAL_VALUE_NONE};
    for (; index->number <= last && kal_build_pass(b, node->span); index->number++) {
        const KalPoolMark mark = kal_pool_mark(&b->pool);
        index->value = kal_build_index(b, index->number, node);
        const KalValue term = sum_term(b, node);
        if (term.kind == KAL_VALUE_NONE) {
            continue;
        }
        if (term.kind == KAL_VALUE_BAD) {
            return term;
        }
        if (sum.kind == KAL_VALUE_NONE) {
            sum = copy_array(b, term);
            continue;
        }
        add_to(b, &sum, term, node->of.sum.body);
        if (sum.kind == KAL_VALUE_BAD) {
            return sum;
        }
        kal_pool_release(&b->pool, mark);
    }
    return sum;
}

// An empty sum is 0.
static KalValue eval_sigma(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_SUM);
    int64_t first;
    int64_t last;
    const bool before = b->eval.index_read;
    if (!kal_build_range(b, node->of.sum.range, &first, &last)) {
        return KAL_BAD_VALUE;
    }
    KalBinding index = {.atom = kal_build_atom_of(b, node->of.sum.index),
                        .is_index = true,
                        .number = first};
    const KalFrame frame = {b->names.frame, &index, 1};
    b->names.frame = &frame;
    const KalValue sum = sum_terms(b, node, &index, last);
    b->names.frame = frame.outer;
    b->eval.index_read = before;
    return sum.kind == KAL_VALUE_NONE ? kal_build_index(b, 0, node) : sum;
}

// All of it.

// The first of some kinds of symbols, in words.
static const char *kind_phrase(unsigned marks)
{
    assert((marks & ~(unsigned)KAL_MARKS_NOTES) != 0);
    static const char *const phrases[] = {
        [KAL_SYMBOL_TIME] = "the time t",
        [KAL_SYMBOL_PARAMETER] = "parameters",
        [KAL_SYMBOL_COORDINATE] = "coordinates",
        [KAL_SYMBOL_VELOCITY] = "velocities",
        [KAL_SYMBOL_ACCELERATION] = "accelerations",
        [KAL_SYMBOL_REACTION] = "reactions of constraints",
        [KAL_SYMBOL_COORDINATE_FORCE] = "constraint forces",
        [KAL_SYMBOL_CONTROL] = "inputs of actuators",
        [KAL_SYMBOL_ENERGY] = "energy()",
        [KAL_SYMBOL_ACTIVE] = "active(…)",
        [KAL_SYMBOL_STATE] = "states",
        [KAL_SYMBOL_HOLD] = "values that are held",
        [KAL_SYMBOL_PROMISE] = "inputs of actuators and derivatives of states",
    };
    unsigned kind = 0;
    while (((marks >> kind) & 1U) == 0) {
        kind++;
    }
    return phrases[kind];
}

// What says instead what was probably meant, where that is known.
static const char *way_out(unsigned refused, const char *where)
{
    const bool force = strcmp(where, "a force") == 0 || strcmp(where, "a power") == 0;
    const bool energy = strcmp(where, "an energy") == 0;
    if (force && (refused & KAL_MARK(REACTION)) != 0) {
        return "; friction by reactions is 'friction', 'contact' or 'nonideal'";
    }
    if (force && (refused & KAL_MARK(ACCELERATION)) != 0) {
        return "; what resists accelerations is mass, in 'kinetic' or 'mass[x, x]'";
    }
    return energy && (refused & (KAL_MARK(STATE) | KAL_MARK(HOLD))) != 0
               ? "; a force may use them, as in force x = …"
               : "";
}

// Whether what a statement may use is all that is used: a force has no accelerations in it.
static KalValue check_usage(KalBuild *b, KalValue value, const KalNode *node)
{
    const unsigned refused = value.marks & ~(b->eval.usage.allowed | KAL_MARKS_NOTES);
    if (refused == 0 || value.kind == KAL_VALUE_BAD) {
        return value;
    }
    return kal_build_bad(b, node->span, "%s cannot be used in %s%s",
                         kind_phrase(refused), b->eval.usage.where,
                         way_out(refused, b->eval.usage.where));
}

// Whether a number is written without a point or an exponent.
static bool is_written_whole(const KalNode *node)
{
    for (uint16_t i = 0; i < node->of.number.length; i++) {
        if (node->of.number.text[i] < '0' || node->of.number.text[i] > '9') {
            return false;
        }
    }
    return true;
}

// Whole numbers are pure; other literals match any unit, and so does 0.
static KalValue eval_number(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_NUMBER);
    const KalRational value =
        kal_rational_parse(node->of.number.text, node->of.number.length);
    const bool whole = value.den == 1 && value.num != 0 && is_written_whole(node);
    return kal_build_scalar_of(b, kal_number(b->graph, value), 0,
                               whole ? KAL_UNIT_NUMBER : KAL_UNIT_ANY, node);
}

static KalValue eval_path(KalBuild *b, const KalNode *node)
{
    const KalValue value = kal_build_path(b, node, KAL_SPACE_VALUE);
    return check_usage(b, kal_build_snapshot(b, value, node), node);
}

// x' may stand where x may not: what counts is the derivative.
static KalValue eval_prime(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_PRIME && node->op > 0);
    const KalUsage usage = b->eval.usage;
    b->eval.usage.allowed = KAL_MARKS_ALL; // the derivative is what counts
    KalValue value = kal_build_eval(b, node->of.unary.operand);
    b->eval.usage = usage;
    for (unsigned i = 0; i < node->op; i++) {
        value = kal_build_rate(b, value, node);
    }
    return check_usage(b, value, node);
}

static KalValue eval_call(KalBuild *b, const KalNode *node)
{
    return check_usage(b, kal_build_snapshot(b, kal_build_call(b, node), node), node);
}

static KalValue eval_negation(KalBuild *b, const KalNode *node)
{
    return kal_build_negate(b, kal_build_eval(b, node->of.unary.operand), node);
}

static KalValue eval_range(KalBuild *b, const KalNode *node)
{
    return kal_build_bad(b, node->span, "expected an expression");
}

static KalValue eval_node(KalBuild *b, const KalNode *node)
{
    switch (node->kind) {
#define KAL_EXPRESSION(name, member, rank, printer, evaluator) \
    case KAL_NODE_##name:                                      \
        return eval_##evaluator(b, node);
#define KAL_NODE(name, member) case KAL_NODE_##name:
#include "lang/nodes.def"
        break;
    }
    assert(false && "not an expression");
    return KAL_BAD_VALUE;
}

// Recursion goes through here, so that depth and steps are bounded here.
KalValue kal_build_eval(KalBuild *b, const KalNode *node)
{
    if (!kal_build_step(b, node->span, 1)) {
        return KAL_BAD_VALUE;
    }
    if (b->eval.depth == EVAL_DEPTH) {
        return kal_build_bad(
            b, node->span,
            "nested too deeply: expressions and the functions they call "
            "may be in each other %d times",
            EVAL_DEPTH);
    }
    b->eval.depth++;
    assert(b->eval.depth <= EVAL_DEPTH);
    const KalValue value = eval_node(b, node);
    b->eval.depth--;
    return value;
}

KalValue kal_build_demand_scalar(KalBuild *b, KalValue value, const KalNode *node)
{
    if (value.kind == KAL_VALUE_SCALAR || value.kind == KAL_VALUE_BAD) {
        return value;
    }
    return kal_build_bad(b, node->span, "expected a number, found %s",
                         kal_build_describe(value).text);
}

KalValue kal_build_scalar(KalBuild *b, const KalNode *node)
{
    return kal_build_demand_scalar(b, kal_build_eval(b, node), node);
}

KalValue kal_build_eval_for(KalBuild *b, const KalNode *node, KalUsage usage)
{
    assert(usage.where);
    const KalUsage before = b->eval.usage;
    b->eval.usage = usage;
    const KalValue value = kal_build_eval(b, node);
    b->eval.usage = before;
    return value;
}

KalValue kal_build_scalar_for(KalBuild *b, const KalNode *node, KalUsage usage)
{
    return kal_build_demand_scalar(b, kal_build_eval_for(b, node, usage), node);
}

// NOLINTEND(misc-no-recursion)

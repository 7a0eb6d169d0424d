// SPDX-License-Identifier: MIT

// Formulas as they are written keep their domain: what simplification forgets of it is put
// back as a condition.  x/x is 1 only where x is not zero, and sqrt(x)² is x only where
// x ≥ 0; the guards say so (expr/domain.h, theory (8.10)).
//
// Needs of parameters alone are decided now by their values, and noted, so that setting a
// parameter to a value that decides otherwise asks for another load.

#include "expr/domain.h"

#include "expr/node.h"
#include "expr/order.h"
#include "model/build_impl.h"

#include <assert.h>

// Remember that formulas hold for parameters that meet a need, or do not.  The key has
// two bits for the kind of need, of which there are no more than four.
static void note_decision(KalBuild *b, KalNeed need, bool met)
{
    const uint64_t key = (uint64_t)need.of.index << 2U | (uint64_t)need.kind;
    uint64_t seen = 0;
    if (kal_map_find(&b->formulas.needs, key, &seen)) {
        return;
    }
    if (!kal_build_check(b, kal_map_set(b->ctx, &b->formulas.needs, key, 1))) {
        return;
    }
    assert(need.of.index != 0);
    if (met) {
        (void)kal_build_check(b, kal_model_add_condition(b->model, need));
    } else {
        kal_build_mark_decided(b, need.of);
    }
}

// Whether a need is one of parameters alone, and met by their values.
static bool is_met(KalBuild *b, KalNeed need)
{
    uint64_t kinds = 0;
    double number = 0.0;
    if (!kal_build_check(b, kal_model_kinds_in(b->model, need.of, &kinds))
        || (kinds & ~(uint64_t)KAL_MARKS_CONSTANT) != 0
        || !kal_build_number(b, need.of, &number)) {
        return false;
    }
    const bool met = kal_need_is_met(need.kind, number);
    if (kinds != 0) {
        note_decision(b, need, met);
    }
    return met;
}

// Guard what needs something that does not show in it.
static KalExpr guard(KalBuild *b, KalExpr e, const KalNeeds *needs, KalSpan span)
{
    const uint32_t before = kal_graph_count(b->graph);
    assert(needs->n >= 0);
    for (int i = 0; i < needs->n; i++) {
        if (!kal_need_shows(b->graph, e, needs->list[i])
            && !is_met(b, needs->list[i])) {
            e = kal_need_guard(b->graph, needs->list[i], e);
        }
    }
    kal_build_origin(b, before, span);
    return e;
}

KalValue kal_build_domain_of_zero(KalBuild *b, KalValue product, KalValue other,
                                  const KalNode *factor)
{
    if (product.kind != KAL_VALUE_SCALAR || other.kind != KAL_VALUE_SCALAR) {
        return product;
    }
    const uint32_t before = kal_graph_count(b->graph);
    const KalExpr of = factor->join == KAL_JOIN_OVER
                           ? kal_div(b->graph, kal_int(b->graph, 1), other.of.expr)
                           : other.of.expr;
    if (of.index != 0 && kal_may_lack_value(b->graph, of)) {
        product.of.expr = kal_where(b->graph, product.of.expr, of);
        kal_build_origin(b, before, factor->span);
    }
    return product;
}

KalExpr kal_build_domain_power(KalBuild *b, KalExpr e, KalExpr base, KalExpr exponent,
                               KalSpan span)
{
    KalNeeds needs = {.n = 0};
    kal_needs_add_power(b->graph, base, exponent, &needs);
    e = kal_build_domain(
        b, e, base, kal_is_zero(b->graph, exponent) ? KAL_NO_EXPR : exponent, span);
    return e.index != 0 ? guard(b, e, &needs, span) : e;
}

KalExpr kal_build_domain(KalBuild *b, KalExpr e, KalExpr a, KalExpr c, KalSpan span)
{
    return kal_build_domain_over(b, e, a, c, 1, span);
}

// What parameters alone decide is known, or told, by their values.
static bool is_variable(void *user, KalExpr part)
{
    KalBuild *b = (KalBuild *)user;
    uint64_t kinds = 0;
    return kal_build_check(b, kal_model_kinds_in(b->model, part, &kinds))
           && (kinds & ~(uint64_t)KAL_MARKS_CONSTANT) != 0;
}

// Keep what an operation has forgotten of an operand as a whole.
static KalExpr keep(KalBuild *b, KalExpr e, KalExpr operand, KalSpan span)
{
    const uint32_t before = kal_graph_count(b->graph);
    if (e.index != 0 && operand.index != 0 && operand.index != e.index
        && !kal_is_op(b->graph, operand, KAL_OP_CONST)) {
        e = kal_keep_parts(b->graph, e, operand, is_variable, b);
    }
    kal_build_origin(b, before, span);
    return e;
}

KalExpr kal_build_domain_over(KalBuild *b, KalExpr e, KalExpr a, KalExpr c,
                              int32_t power, KalSpan span)
{
    KalNeeds needs = {.n = 0};
    const bool zero = kal_is_zero(b->graph, a) || kal_is_zero(b->graph, c);
    if (e.index == 0 || zero) { // see kal_build_domain_of_zero()
        return e;
    }
    kal_needs_add(b->graph, a, 1, &needs);
    kal_needs_add(b->graph, c, 1, &needs);
    if (power < 0) {
        kal_needs_add(b->graph, c, power, &needs);
    }
    // sin(1/x) − sin(1/x) is 0: a number, or what was there before its operands, was not made of
    // both.
    const bool forgets = kal_is_op(b->graph, e, KAL_OP_CONST) || e.index <= a.index
                         || e.index <= c.index;
    e = guard(b, e, &needs, span);
    e = forgets ? keep(b, e, a, span) : e;
    return forgets ? keep(b, e, c, span) : e;
}

KalExpr kal_build_domain_choice(KalBuild *b, KalExpr e, KalExpr condition, KalSpan span)
{
    return e.index == 0 || kal_is_op(b->graph, e, KAL_OP_SELECT)
               ? e
               : keep(b, e, condition, span);
}

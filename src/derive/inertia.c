// SPDX-License-Identifier: MIT

// Inertial forces by way of speeds.  A kinetic energy is mostly written with velocities u
// of points, which are linear in the q'.  In theory (9.23) what such a u contributes to
// ∂T/∂q cancels against a part of the momenta's rates; taken apart at the us, formulas do
// not have these parts in the first place.  T is here all of the Lagrangian that has
// velocities in it, theory (9.24).

#include "derive/derive_impl.h"
#include "expr/order.h"
#include "expr/substitute.h"
#include "zero/identity.h"

#include <assert.h>

// What memory is for.
static const char PURPOSE[] = "for equations of motion";

// How a node depends on the velocities.
typedef enum Degree {
    CONSTANT,
    LINEAR, // with or without other terms
    OTHER
} Degree;

// The speeds of T, and what belongs to them.
typedef struct Speeds {
    size_t n;       // how many
    KalExpr *u;     // n: the largest linear parts of T
    KalExpr *s;     // n: symbols that stand for them
    KalExpr *slope; // n: λ = ∂T/∂u, then its rate
} Speeds;

// The degree of a step from those of its operands.  A product adds degrees, a sum takes the
// largest; a choice or quotient is as its first operand if the second is free of velocities.
static uint8_t degree_of(const KalDerivation *d, const KalStep *step,
                         const uint8_t *degree)
{
    const int arity = kal_op_arity((KalOp)step->op);
    uint8_t most = CONSTANT;
    unsigned sum = 0;
    if (step->op == KAL_OP_SYMBOL) {
        return d->model->symbols[step->arg[0]].kind == KAL_SYMBOL_VELOCITY ? LINEAR
                                                                           : CONSTANT;
    }
    for (int k = 0; k < arity; k++) {
        const uint8_t of = degree[step->arg[k]];
        assert(of <= OTHER);
        most = of > most ? of : most;
        sum += of;
    }
    if (kal_op_kind((KalOp)step->op) == KAL_KIND_SUM) {
        return most;
    }
    if (step->op == KAL_OP_MUL) {
        return sum < OTHER ? (uint8_t)sum : OTHER;
    }
    if (step->op == KAL_OP_WHERE || step->op == KAL_OP_DIV) {
        return degree[step->arg[1]] == CONSTANT ? most : OTHER;
    }
    return most == CONSTANT ? CONSTANT : OTHER;
}

// Mark the linear steps that something not linear is made of.
static void mark_speeds(const KalDerivation *d, const KalOrder *order, uint8_t *degree,
                        bool *speed)
{
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        degree[i] = degree_of(d, step, degree);
        const int arity = degree[i] == OTHER ? kal_op_arity((KalOp)step->op) : 0;
        for (int k = 0; k < arity; k++) {
            speed[step->arg[k]] = degree[step->arg[k]] == LINEAR;
        }
    }
    const uint32_t root = order->roots[0];
    speed[root] = degree[root] == LINEAR;
}

// A symbol for each speed, with numbers behind those of the model: they are gone before
// anybody else sees the formulas.
static KalStatus list_speeds(const KalDerivation *d, const KalOrder *order,
                             Speeds *out_speeds)
{
    Speeds speeds = {.n = 0};
    uint8_t *degree = kal_arena_alloc(d->scratch, order->count, sizeof *degree);
    bool *speed = kal_arena_alloc(d->scratch, order->count, sizeof *speed);
    speeds.u = kal_arena_alloc(d->scratch, order->count, sizeof *speeds.u);
    speeds.s = kal_arena_alloc(d->scratch, order->count, sizeof *speeds.s);
    speeds.slope = kal_arena_alloc(d->scratch, order->count, sizeof *speeds.slope);
    if (!degree || !speed || !speeds.u || !speeds.s || !speeds.slope) {
        return kal_no_memory(d->ctx, PURPOSE);
    }
    mark_speeds(d, order, degree, speed);
    assert(order->count >= 1);
    for (uint32_t i = 0; i < order->count; i++) {
        if (speed[i]) {
            const uint32_t id = (uint32_t)(d->model->n_symbols + speeds.n);
            speeds.u[speeds.n] = order->steps[i].node;
            speeds.s[speeds.n++] = kal_symbol(d->g, id);
        }
    }
    *out_speeds = speeds;
    return kal_graph_status(d->g);
}

// The parts of the motive energy that are linear in the velocities.
static KalStatus find_speeds(const KalDerivation *d, Speeds *out_speeds)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(d->g, &d->motive, 1, &order));
    const KalStatus status = list_speeds(d, &order, out_speeds);
    kal_order_clear(&order);
    return status;
}

// Put values in the place of the symbols.
static KalStatus put(const KalDerivation *d, const Speeds *speeds,
                     const KalExpr *values, KalExpr *e, size_t n)
{
    const KalReplacements replacements = {speeds->s, values, speeds->n};
    return kal_substitute(d->g, e, n, &replacements, e);
}

// λ = ∂T/∂u, and what is left of ∂T/∂q where the u are held.
static KalStatus derive_slopes(const KalDerivation *d, Speeds *speeds, KalExpr *T_q)
{
    const KalReplacements replacements = {speeds->u, speeds->s, speeds->n};
    KalExpr T = d->motive;
    KAL_TRY(kal_substitute(d->g, &T, 1, &replacements, &T));
    KAL_TRY(kal_gradient(d->g, T, speeds->s, speeds->n, speeds->slope));
    KAL_TRY(kal_gradient(d->g, T, d->q, d->eq->n, T_q));
    KAL_TRY(put(d, speeds, speeds->u, speeds->slope, speeds->n));
    return put(d, speeds, speeds->u, T_q, d->eq->n);
}

// Forget formulas that are zero in disguise.
static KalStatus drop_zeros(const KalDerivation *d, KalExpr *e, size_t n)
{
    KalVerdict *verdicts = kal_arena_alloc(d->scratch, n, sizeof *verdicts);
    bool shown = true;
    if (!verdicts) {
        return kal_no_memory(d->ctx, PURPOSE);
    }
    for (size_t i = 0; i < n; i++) {
        shown = shown && kal_is_zero(d->g, e[i]);
    }
    if (shown) {
        return KAL_OK;
    }
    KAL_TRY(kal_identities(d->g, e, n, verdicts));
    for (size_t i = 0; i < n; i++) {
        e[i] = verdicts[i].zero ? kal_int(d->g, 0) : e[i];
    }
    return kal_graph_status(d->g);
}

// With Σ = Σ s u: S_v = ∂Σ/∂q', and twist = ∂Σ/∂q − S_v°, which is zero for speeds that
// are rates of positions.
static KalStatus derive_sum(const KalDerivation *d, const Speeds *speeds, KalExpr *S_v,
                            KalExpr *twist)
{
    const size_t n = d->eq->n;
    KalExpr *rates = NULL;
    KalExpr sum = kal_int(d->g, 0);
    KAL_TRY(kal_derivation_scratch(d, n, &rates));
    for (size_t k = 0; k < speeds->n; k++) {
        sum = kal_add(d->g, sum, kal_mul(d->g, speeds->s[k], speeds->u[k]));
    }
    KAL_TRY(kal_gradient(d->g, sum, d->v, n, S_v));
    KAL_TRY(kal_gradient(d->g, sum, d->q, n, twist));
    KAL_TRY(kal_derivation_drift(d, S_v, n, rates));
    for (size_t i = 0; i < n; i++) {
        twist[i] = kal_sub(d->g, twist[i], rates[i]);
    }
    KAL_TRY(kal_graph_status(d->g));
    return drop_zeros(d, twist, n);
}

// ∂K/∂q − p° = T_q + twist(λ) − Σ λ° ∂u/∂q': theory (9.23), with T_q the slopes where the
// speeds are held and λ = ∂T/∂u.
KalStatus kal_inertia_derive(const KalDerivation *d, KalExpr *out_inertia)
{
    const size_t n = d->eq->n;
    Speeds speeds = {.n = 0};
    KalExpr *T_q = NULL;
    KalExpr *S_v = NULL;
    KalExpr *twist = NULL;
    KAL_TRY(kal_derivation_scratch(d, n, &T_q));
    KAL_TRY(kal_derivation_scratch(d, n, &S_v));
    KAL_TRY(kal_derivation_scratch(d, n, &twist));
    KAL_TRY(find_speeds(d, &speeds));
    KAL_TRY(derive_slopes(d, &speeds, T_q));
    KAL_TRY(derive_sum(d, &speeds, S_v, twist));
    KAL_TRY(put(d, &speeds, speeds.slope, twist, n));
    KAL_TRY(kal_derivation_drift(d, speeds.slope, speeds.n, speeds.slope));
    KAL_TRY(put(d, &speeds, speeds.slope, S_v, n));
    for (size_t i = 0; i < n; i++) {
        const KalExpr held = kal_add(d->g, T_q[i], twist[i]);
        out_inertia[i] = kal_sub(d->g, held, S_v[i]);
    }
    return kal_graph_status(d->g);
}

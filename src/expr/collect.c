// SPDX-License-Identifier: MIT

#include "expr/collect.h"

#include "expr/field.h"
#include "expr/graph_impl.h"
#include "expr/order.h"

enum {
    LENGTH_MAX = 20000, // characters of a formula that is worked on
    WORK_MAX = 1 << 21  // for one formula, in terms touched
};

typedef struct Collector {
    KalContext *ctx;
    KalGraph *g;
    KalFieldOptions options;
} Collector;

static void count_text(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

// The characters of a formula; LENGTH_MAX + 1 when there are more.
static KalStatus measure(const Collector *c, KalExpr e, size_t *out_length)
{
    size_t length = 0;
    const KalSink sink = {count_text, &length};
    const KalStatus status = kal_print(c->g, e, &c->options.print, sink);
    *out_length = status == KAL_ERR_LIMIT ? LENGTH_MAX + 1 : length;
    return status == KAL_ERR_LIMIT ? KAL_OK : status;
}

static bool is_simple(const Collector *c, KalExpr e)
{
    const KalExprNode *n = kal_node(c->g, e);
    return kal_op_kind((KalOp)n->op) > KAL_KIND_POWER
           || kal_op_kind((KalOp)n->op) == KAL_KIND_LEAF;
}

static KalStatus rewrite(KalField *field, KalExpr e, KalExpr *out_e)
{
    KalFraction fraction;
    KAL_TRY(kal_field_read(field, e, &fraction));
    return kal_field_write(field, kal_field_shorten(field, fraction), out_e);
}

// A shorter form of one formula of the graph, or itself.
static KalStatus shorten(const Collector *c, KalExpr e, KalExpr *out_e)
{
    KalField *field = NULL;
    KalExpr other = e;
    size_t before = 0;
    size_t after = 0;
    *out_e = e;
    if (is_simple(c, e)) {
        return KAL_OK;
    }
    KAL_TRY(measure(c, e, &before));
    if (before > LENGTH_MAX) {
        return KAL_OK;
    }
    KalStatus status = kal_field_create(c->g, &e, 1, &c->options, &field);
    if (status == KAL_OK) {
        status = rewrite(field, e, &other);
        kal_field_destroy(field);
    }
    if (status == KAL_ERR_LIMIT || status == KAL_ERR_NUMBER) {
        return kal_graph_status(c->g);
    }
    KAL_TRY(status);
    KAL_TRY(measure(c, other, &after));
    *out_e = after < before ? other : e;
    return KAL_OK;
}

// The operands of a step in the new graph; those of functions are shortened first.
static KalStatus copy_operands(const Collector *c, const KalStep *step,
                               const KalExpr *image, KalExpr arg[3])
{
    const KalOp op = (KalOp)step->op;
    for (int k = 0; k < kal_op_arity(op); k++) {
        arg[k] = image[step->arg[k]];
        KAL_TRY(kal_op_kind(op) > KAL_KIND_POWER ? shorten(c, arg[k], &arg[k])
                                                 : KAL_OK);
    }
    return KAL_OK;
}

static KalStatus copy_step(const Collector *c, const KalGraph *from,
                           const KalStep *step, const KalExpr *image, KalExpr *out_e)
{
    const KalOp op = (KalOp)step->op;
    KalExpr arg[3] = {{step->arg[0]}, {step->arg[1]}, {step->arg[2]}};
    KAL_TRY(copy_operands(c, step, image, arg));
    switch (op) {
    case KAL_OP_CONST:
        *out_e = kal_number(c->g, kal_graph_number(from, step->node));
        break;
    case KAL_OP_PI: *out_e = kal_pi(c->g); break;
    case KAL_OP_SYMBOL: *out_e = kal_symbol(c->g, step->arg[0]); break;
    default: *out_e = kal_build(c->g, op, arg); break;
    }
    return kal_graph_status(c->g);
}

static KalStatus collect(const Collector *c, const KalGraph *from,
                         const KalOrder *order, KalExpr *image, KalExpr *out_e)
{
    for (uint32_t i = 0; i < order->count; i++) {
        KAL_TRY(copy_step(c, from, &order->steps[i], image, &image[i]));
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        KAL_TRY(shorten(c, image[order->roots[r]], &out_e[r]));
    }
    return KAL_OK;
}

KalStatus kal_collect(KalGraph *from, const KalExpr *e, size_t n,
                      const KalPrintOptions *options, KalGraph *to, KalExpr *out_e)
{
    KalOrder order = {.ctx = NULL};
    Collector c = {.ctx = kal_graph_context(to), .g = to};
    c.options.print = *options;
    c.options.print.format = KAL_FORMAT_TEXT;
    c.options.print.limit = LENGTH_MAX;
    c.options.work = WORK_MAX;
    KAL_TRY(kal_order_init(from, e, n, &order));
    KalExpr *image = (KalExpr *)kal_alloc(c.ctx, order.count, sizeof *image);
    KalStatus status = KAL_OK;
    if (order.count > 0 && !image) {
        status = kal_fail(c.ctx, KAL_ERR_NOMEM, "no memory to collect formulas");
    } else {
        status = collect(&c, from, &order, image, out_e);
    }
    kal_free(c.ctx, image, order.count * sizeof *image);
    kal_order_clear(&order);
    return status;
}

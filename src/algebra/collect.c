// SPDX-License-Identifier: MIT

// Shorter formulas: each is read as a fraction of polynomials (algebra/field.h), shortened
// and written again, operands of functions before what is made of them.  A form with more
// characters is dropped, so that the result is never longer than what was given.

#include "algebra/collect.h"

#include "algebra/field.h"
#include "expr/copy.h"
#include "expr/node.h"
#include "expr/order.h"

#include <assert.h>

enum {
    LENGTH_MAX = 20000, // characters of a formula that is worked on
    WORK_MAX = 1 << 20, // for one formula, in terms touched
    WORK_ALL = 1 << 24  // for all of a call
};

// Formulas are copied to a graph of the work's own first, where functions get shortened
// arguments, and then written to the new graph: so that sums which are only looked at do
// not decide the order of terms there.
typedef struct Collector {
    KalContext *ctx;
    KalGraph *g;  // of the work
    KalGraph *to; // the new one
    KalFieldOptions options;
    int64_t left; // work
} Collector;

static void count_text(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

// The characters of a formula; LENGTH_MAX + 1 when there are more.
static KalStatus measure(const Collector *c, KalGraph *g, KalExpr e, size_t *out_length)
{
    assert(out_length);
    size_t length = 0;
    const KalSink sink = {count_text, &length};
    const KalStatus status = kal_print(g, e, &c->options.print, sink);
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

// The shortest form of a formula of the work's graph in the graph `to`, if it is as short
// as given; else KAL_NO_EXPR.
static KalStatus find_short(Collector *c, KalExpr e, KalGraph *to, KalExpr *out_e)
{
    assert(e.index != 0);
    KalField *field = NULL;
    KalExpr other = KAL_NO_EXPR;
    KalFieldOptions options = c->options;
    size_t before = 0;
    size_t after = 0;
    *out_e = KAL_NO_EXPR;
    KAL_TRY(kal_ask(c->ctx));
    KAL_TRY(measure(c, c->g, e, &before));
    if (before > LENGTH_MAX || c->left <= 0) {
        return KAL_OK;
    }
    options.out = to;
    options.work = c->left < WORK_MAX ? c->left : WORK_MAX;
    KalStatus status = kal_field_create(c->g, &e, 1, &options, &field);
    if (status == KAL_OK) {
        status = rewrite(field, e, &other);
        c->left -= options.work - kal_ring_work(kal_field_ring(field));
        assert(kal_ring_work(kal_field_ring(field)) <= options.work);
        kal_field_destroy(field);
    }
    if (status == KAL_ERR_LIMIT || status == KAL_ERR_NUMBER) {
        KAL_TRY(kal_graph_status(c->g));
        return kal_graph_status(to);
    }
    KAL_TRY(status);
    KAL_TRY(measure(c, to, other, &after));
    *out_e = after <= before ? other : KAL_NO_EXPR;
    return KAL_OK;
}

// Within the work's graph.
static KalStatus shorten_argument(Collector *c, KalExpr e, KalExpr *out_e)
{
    KalExpr other = KAL_NO_EXPR;
    if (!is_simple(c, e)) {
        KAL_TRY(find_short(c, e, c->g, &other));
    }
    *out_e = other.index != 0 ? other : e;
    return KAL_OK;
}

// The root `given` of another graph, which is e in the work's graph, in the new one: the
// shortest form that was found, or as it was given.
static KalStatus shorten_root(Collector *c, KalGraph *from, KalExpr given, KalExpr e,
                              KalExpr *out_e)
{
    assert(given.index != 0 && e.index != 0);
    KalExpr other = KAL_NO_EXPR;
    size_t before = 0;
    size_t after = 0;
    KAL_TRY(measure(c, from, given, &before));
    KAL_TRY(measure(c, c->g, e, &after));
    if (before <= LENGTH_MAX && !is_simple(c, e)) {
        KAL_TRY(find_short(c, e, c->to, &other));
    }
    if (other.index != 0) {
        KAL_TRY(measure(c, c->to, other, &after));
    }
    if (after > before) {
        return kal_copy(from, &given, 1, c->to, out_e);
    }
    if (other.index == 0) {
        return kal_copy(c->g, &e, 1, c->to, out_e);
    }
    *out_e = other;
    return KAL_OK;
}

// What a step became in the work's graph, and whether it is more than a copy.
typedef struct Image {
    KalExpr e;
    bool changed;
} Image;

// A step in the work's graph; operands of functions are shortened first.
static KalStatus copy_step(Collector *c, const KalGraph *from, const KalStep *step,
                           const Image *image, Image *out)
{
    assert(out);
    KalExpr arg[3] = {{step->arg[0]}, {step->arg[1]}, {step->arg[2]}};
    const KalOp op = (KalOp)step->op;
    const bool function = kal_op_kind(op) > KAL_KIND_POWER;
    out->changed = false;
    for (int k = 0; k < kal_op_arity(op); k++) {
        const Image *operand = &image[step->arg[k]];
        arg[k] = operand->e;
        KAL_TRY(function ? shorten_argument(c, operand->e, &arg[k]) : KAL_OK);
        out->changed =
            out->changed || operand->changed || !kal_same(arg[k], operand->e);
    }
    out->e =
        out->changed ? kal_build(c->g, op, arg) : kal_copy_step(from, step, arg, c->g);
    return kal_graph_status(c->g);
}

static KalStatus collect(Collector *c, KalGraph *from, const KalOrder *order,
                         Image *image, KalExpr *out_e)
{
    for (uint32_t i = 0; i < order->count; i++) {
        KAL_TRY(copy_step(c, from, &order->steps[i], image, &image[i]));
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        const uint32_t root = order->roots[r];
        KAL_TRY(
            shorten_root(c, from, order->steps[root].node, image[root].e, &out_e[r]));
    }
    return KAL_OK;
}

static KalStatus collect_all(Collector *c, KalGraph *from, const KalExpr *e, size_t n,
                             KalExpr *out_e)
{
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(from, e, n, &order));
    Image *image = (Image *)kal_alloc(c->ctx, order.count + 1, sizeof *image);
    const KalStatus status = image ? collect(c, from, &order, image, out_e)
                                   : kal_no_memory(c->ctx, "to collect formulas");
    kal_free(c->ctx, image, (order.count + 1) * sizeof *image);
    kal_order_clear(&order);
    return status;
}

KalStatus kal_collect(KalGraph *from, const KalExpr *e, size_t n,
                      const KalPrintOptions *options, KalGraph *to, KalExpr *out_e)
{
    assert(from && to && options && (out_e || n == 0));
    Collector c = {.ctx = kal_graph_context(to), .to = to, .left = WORK_ALL};
    c.options.print = *options;
    c.options.print.format = KAL_FORMAT_TEXT;
    c.options.print.limit = LENGTH_MAX;
    KAL_TRY(kal_graph_create(c.ctx, &c.g));
    const KalStatus status = collect_all(&c, from, e, n, out_e);
    kal_graph_destroy(c.g);
    return status;
}

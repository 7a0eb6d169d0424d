// SPDX-License-Identifier: MIT

// The field of fractions of polynomials in atoms: theory (11.1).
//
// Atoms are symbols and functions, which arithmetic does not look into; they are the
// variables of a ring of polynomials.  A formula is read step by step into numerator and
// denominator, without common factor, the leading coefficient of the denominator positive.
// Two fractions are equal if and only if they are the same, but for relations between
// atoms such as sin² + cos² = 1 (relation.c).

#include "algebra/field.h"

#include "algebra/field_impl.h"
#include "expr/copy.h"
#include "expr/order.h"

#include <assert.h>
#include <stdlib.h>

// Numbers that are not exact are atoms: what they mean is not known.
static bool is_arithmetic(const KalGraph *g, const KalStep *step)
{
    const KalOp op = (KalOp)step->op;
    if (op == KAL_OP_CONST) {
        return kal_graph_number(g, step->node).den > 0;
    }
    return kal_op_nature(op) == KAL_NATURE_RATIONAL && kal_op_arity(op) > 0
           && op != KAL_OP_WHERE;
}

// Functions whose square is a polynomial in their operands.
static bool has_square(KalOp op)
{
    return op == KAL_OP_SQRT || op == KAL_OP_HYPOT || op == KAL_OP_ABS;
}

int kal_field_find(const KalField *field, KalExpr atom)
{
    for (int v = 0; v < field->n_atoms; v++) {
        if (kal_same(field->atom[v], atom)) {
            return v;
        }
    }
    return -1;
}

// Before there is a ring: atoms and their partners, in any order.
static bool list_atom(KalField *field, KalExpr atom)
{
    assert(atom.index != 0);
    const KalExprNode n = *kal_node(field->g, atom);
    const KalOp partner = kal_op_partner((KalOp)n.op);
    const bool fits = field->n_atoms + 2 <= KAL_FIELD_ATOMS;
    if (!fits || kal_field_find(field, atom) >= 0) {
        return fits;
    }
    field->atom[field->n_atoms++] = atom;
    if (partner != KAL_OP_CONST) {
        const KalExpr other =
            kal_cons(field->g, partner, n.arg[0], KAL_NO_EXPR, KAL_NO_EXPR);
        if (other.index != 0 && kal_field_find(field, other) < 0) {
            field->atom[field->n_atoms++] = other;
        }
    }
    return true;
}

static bool is_tangent(const KalField *field, KalOp op)
{
    return op == KAL_OP_TAN && field->options.tangents;
}

// List a step that arithmetic does not look into, and mark what it is related to.
static bool list_step(KalField *field, const KalStep *step, bool *needed)
{
    assert(!is_arithmetic(field->g, step));
    const KalOp op = (KalOp)step->op;
    if (is_tangent(field, op)) {
        const KalExpr u = kal_graph_node(field->g, step->node).arg[0];
        const KalExpr s = kal_cons(field->g, KAL_OP_SIN, u, KAL_NO_EXPR, KAL_NO_EXPR);
        return s.index == 0 || list_atom(field, s);
    }
    for (int k = 0; k < kal_op_arity(op) && has_square(op); k++) {
        needed[step->arg[k]] = true;
    }
    return list_atom(field, step->node);
}

// Users come after operands, so one pass from the end finds all that is needed.
static KalStatus list_atoms(KalField *field, const KalOrder *order)
{
    bool fits = true;
    bool *needed = (bool *)kal_alloc(field->ctx, order->count, sizeof *needed);
    if (order->count > 0 && !needed) {
        return kal_no_memory(field->ctx, "for exact algebra");
    }
    for (size_t r = 0; r < order->n_roots; r++) {
        needed[order->roots[r]] = true;
    }
    for (uint32_t i = order->count; i-- > 0 && fits;) {
        const KalStep *step = &order->steps[i];
        if (!needed[i]) {
            continue;
        }
        if (!is_arithmetic(field->g, step)) {
            fits = list_step(field, step, needed);
            continue;
        }
        for (int k = 0; k < kal_op_arity((KalOp)step->op); k++) {
            needed[step->arg[k]] = true;
        }
    }
    kal_free(field->ctx, needed, order->count * sizeof *needed);
    return fits ? kal_graph_status(field->g)
                : kal_fail(field->ctx, KAL_ERR_LIMIT,
                           "the formulas have more than %d variables and functions",
                           KAL_FIELD_ATOMS);
}

// By insertion, in the order in which factors of a product are shown.
static void sort_atoms(KalField *field)
{
    assert(field->n_atoms >= 0 && field->n_atoms <= KAL_FIELD_ATOMS);
    for (int i = 1; i < field->n_atoms; i++) {
        const KalExpr atom = field->atom[i];
        const uint64_t key = kal_factor_key(field->g, atom);
        int at = i;
        while (at > 0 && kal_factor_key(field->g, field->atom[at - 1]) > key) {
            field->atom[at] = field->atom[at - 1];
            at--;
        }
        field->atom[at] = atom;
    }
}

static void count_text(void *user, const char *text, size_t length)
{
    (void)text;
    *(size_t *)user += length;
}

size_t kal_field_measure(KalField *field, KalExpr e)
{
    size_t length = 0;
    const KalSink sink = {count_text, &length};
    const KalStatus status = kal_print(field->out, e, &field->options.print, sink);
    kal_field_note(field, status);
    return status == KAL_OK ? length : SIZE_MAX;
}

void kal_field_note(KalField *field, KalStatus status)
{
    if (status == KAL_ERR_NOMEM) {
        field->status = status;
    }
}

void kal_field_rename(KalField *field, int v, KalExpr shown)
{
    const size_t width = shown.index == 0 ? 0 : kal_field_measure(field, shown);
    assert(v >= 0 && v < KAL_RING_VARIABLES);
    field->shown[v] = shown;
    field->width[v] = width > 1000 ? 1000 : (int)width;
}

// Show an atom as what it is.
static void show_atom(KalField *field, int v)
{
    assert(v >= 0 && v <= field->n_atoms);
    KalExpr shown = field->atom[v];
    if (field->out != field->g) {
        shown = KAL_NO_EXPR;
        kal_field_note(field,
                       kal_copy(field->g, &field->atom[v], 1, field->out, &shown));
    }
    kal_field_rename(field, v, shown);
}

int kal_field_add(KalField *field, KalExpr atom)
{
    const int v = kal_field_find(field, atom);
    if (v >= 0 || atom.index == 0
        || field->n_atoms == kal_ring_variables(field->ring)) {
        return v;
    }
    field->atom[field->n_atoms] = atom;
    show_atom(field, field->n_atoms);
    return field->n_atoms++;
}

KalStatus kal_field_status(const KalField *field)
{
    return field->status == KAL_OK
               ? KAL_OK
               : kal_fail(field->ctx, field->status, "no memory for exact algebra");
}

// Variables for what writing adds: sines and cosines of the sum and the difference of each
// two angles.  Algebra is the slower the more there are.
static int spare_for(const KalField *field)
{
    int angles = 0;
    for (int v = 0; v < field->n_atoms; v++) {
        angles += kal_is_op(field->g, field->atom[v], KAL_OP_SIN);
    }
    const int spare = 2 * angles * (angles - 1);
    return spare < KAL_FIELD_SPARE ? spare : KAL_FIELD_SPARE;
}

// Atoms first, for they are the variables of the ring; relations between them are
// polynomials of the ring.
static KalStatus init(KalField *field, const KalExpr *e, size_t n)
{
    KalOrder order = {.ctx = NULL};
    KAL_TRY(kal_order_init(field->g, e, n, &order));
    const KalStatus status = list_atoms(field, &order);
    kal_order_clear(&order);
    KAL_TRY(status);
    sort_atoms(field);
    KAL_TRY(
        kal_ring_create(field->ctx, field->n_atoms + spare_for(field), &field->ring));
    assert(field->n_atoms <= kal_ring_variables(field->ring));
    if (field->options.work > 0) {
        kal_ring_set_work(field->ring, field->options.work);
    }
    for (int v = 0; v < field->n_atoms; v++) {
        show_atom(field, v);
    }
    kal_field_relate(field);
    KAL_TRY(kal_field_status(field));
    return kal_ring_status(field->ring);
}

KalStatus kal_field_create(KalGraph *g, const KalExpr *e, size_t n,
                           const KalFieldOptions *options, KalField **out_field)
{
    assert(options && out_field && (e || n == 0));
    KalContext *ctx = kal_graph_context(g);
    KAL_TRY(kal_graph_status(g));
    KalField *field = KAL_NEW(ctx, KalField);
    if (!field) {
        return kal_no_memory(ctx, "for exact algebra");
    }
    field->ctx = ctx;
    field->g = g;
    field->options = *options;
    field->out = options->out ? options->out : g;
    const KalStatus status = init(field, e, n);
    if (status != KAL_OK) {
        kal_field_destroy(field);
        return status;
    }
    *out_field = field;
    return KAL_OK;
}

void kal_field_destroy(KalField *field)
{
    if (field) {
        kal_ring_destroy(field->ring);
        kal_free(field->ctx, field, sizeof *field);
    }
}

KalRing *kal_field_ring(KalField *field)
{
    return field->ring;
}

bool kal_field_name_factor(KalField *field, KalPoly factor, KalExpr shown)
{
    if (field->n_named == KAL_FIELD_NAMES) {
        return false;
    }
    field->named[field->n_named] = factor;
    field->name[field->n_named++] = shown;
    return true;
}

int kal_field_atoms(const KalField *field)
{
    return field->n_atoms;
}

KalExpr kal_field_atom(const KalField *field, int v)
{
    assert(v >= 0 && v < field->n_atoms);
    return field->atom[v];
}

// Free what was made since the mark but for the result.
static KalFraction keep(KalField *field, uint32_t mark, KalFraction a)
{
    assert(mark >= 1);
    KalPoly kept[2] = {a.above, a.below};
    kal_ring_release(field->ring, mark, kept, 2);
    return (KalFraction){kept[0], kept[1]};
}

KalFraction kal_fraction_int(KalField *field, int64_t value)
{
    const KalPoly above = kal_poly_int(field->ring, value);
    return (KalFraction){above, kal_poly_int(field->ring, 1)};
}

bool kal_fraction_is_sound(const KalField *field, KalFraction a)
{
    return kal_ring_is_sound(field->ring) && !kal_poly_is_zero(field->ring, a.below);
}

// The normal form: the greatest common divisor is taken out, and the leading coefficient
// of the denominator is positive.
KalFraction kal_fraction_cancel(KalField *field, KalFraction a)
{
    KalRing *ring = field->ring;
    const uint32_t mark = kal_ring_mark(ring);
    if (kal_poly_is_zero(ring, a.below)) {
        return a;
    }
    if (!kal_poly_is_one(ring, a.below)) {
        const KalPoly common = kal_poly_gcd(ring, a.above, a.below);
        KalFraction b;
        if (!kal_poly_is_one(ring, common)
            && kal_poly_divide(ring, a.above, common, &b.above)
            && kal_poly_divide(ring, a.below, common, &b.below)) {
            a = b;
        }
    }
    if (kal_poly_sign(ring, a.below) < 0) {
        a.above = kal_poly_neg(ring, a.above);
        a.below = kal_poly_neg(ring, a.below);
    }
    return keep(field, mark, a);
}

// a + b or a − b over the least common multiple of the denominators.
static KalFraction combine(KalField *field, KalFraction a, KalFraction b, bool minus)
{
    KalRing *ring = field->ring;
    const uint32_t mark = kal_ring_mark(ring);
    KalFraction sum = {a.above, a.below};
    KalPoly other = b.above;
    if (!kal_poly_same(ring, a.below, b.below)) {
        const KalPoly common = kal_poly_gcd(ring, a.below, b.below);
        KalPoly a_only = a.below;
        KalPoly b_only = b.below;
        (void)(kal_poly_divide(ring, a.below, common, &a_only)
               && kal_poly_divide(ring, b.below, common, &b_only));
        sum.above = kal_poly_mul(ring, a.above, b_only);
        sum.below = kal_poly_mul(ring, a.below, b_only);
        other = kal_poly_mul(ring, b.above, a_only);
    }
    sum.above = minus ? kal_poly_sub(ring, sum.above, other)
                      : kal_poly_add(ring, sum.above, other);
    return keep(field, mark, kal_fraction_cancel(field, sum));
}

KalFraction kal_fraction_add(KalField *field, KalFraction a, KalFraction b)
{
    return combine(field, a, b, false);
}

KalFraction kal_fraction_sub(KalField *field, KalFraction a, KalFraction b)
{
    return combine(field, a, b, true);
}

// Cancelling across first keeps the product in lowest terms, with smaller polynomials.
KalFraction kal_fraction_mul(KalField *field, KalFraction a, KalFraction b)
{
    KalRing *ring = field->ring;
    const uint32_t mark = kal_ring_mark(ring);
    const KalFraction left =
        kal_fraction_cancel(field, (KalFraction){a.above, b.below});
    const KalFraction right =
        kal_fraction_cancel(field, (KalFraction){b.above, a.below});
    const KalFraction product = {kal_poly_mul(ring, left.above, right.above),
                                 kal_poly_mul(ring, left.below, right.below)};
    return keep(field, mark, product);
}

KalFraction kal_fraction_div(KalField *field, KalFraction a, KalFraction b)
{
    return kal_fraction_mul(field, a, (KalFraction){b.below, b.above});
}

static KalFraction power(KalField *field, KalFraction a, int32_t n)
{
    assert(n > INT32_MIN);
    const KalFraction base = n < 0 ? (KalFraction){a.below, a.above} : a;
    const int32_t size = n < 0 ? -n : n;
    return (KalFraction){kal_poly_pow(field->ring, base.above, size),
                         kal_poly_pow(field->ring, base.below, size)};
}

static KalFraction atom_fraction(KalField *field, KalExpr atom)
{
    const int v = kal_field_find(field, atom);
    if (v < 0) { // it is no part of what the field was made for
        return (KalFraction){KAL_NO_POLY, KAL_NO_POLY};
    }
    return (KalFraction){kal_poly_variable(field->ring, v),
                         kal_poly_int(field->ring, 1)};
}

// tan u is sin u / cos u where both are atoms, so that one relation serves.
static KalFraction read_leaf(KalField *field, const KalStep *step)
{
    assert(step->node.index != 0);
    if (step->op == KAL_OP_CONST && is_arithmetic(field->g, step)) {
        const KalRational k = kal_graph_number(field->g, step->node);
        return (KalFraction){kal_poly_int(field->ring, k.num),
                             kal_poly_int(field->ring, k.den)};
    }
    if (is_tangent(field, (KalOp)step->op)) {
        const KalExpr u = kal_graph_node(field->g, step->node).arg[0];
        const KalExpr s = kal_find(field->g, KAL_OP_SIN, u, KAL_NO_EXPR);
        const KalExpr c = kal_find(field->g, KAL_OP_COS, u, KAL_NO_EXPR);
        return kal_fraction_div(field, atom_fraction(field, s),
                                atom_fraction(field, c));
    }
    return atom_fraction(field, step->node);
}

// Arithmetic is done in the field; everything else is an atom.
static KalFraction read_step(KalField *field, const KalStep *step,
                             const KalFraction *image)
{
    const KalFraction a = image[kal_op_arity((KalOp)step->op) > 0 ? step->arg[0] : 0];
    const KalFraction b = image[kal_op_arity((KalOp)step->op) > 1 ? step->arg[1] : 0];
    const KalOp op = (KalOp)step->op;
    if (op == KAL_OP_ADD || op == KAL_OP_SUB) {
        return combine(field, a, b, op == KAL_OP_SUB);
    }
    if (op == KAL_OP_MUL) {
        return kal_fraction_mul(field, a, b);
    }
    if (op == KAL_OP_DIV) {
        return kal_fraction_div(field, a, b);
    }
    if (op == KAL_OP_NEG) {
        return (KalFraction){kal_poly_neg(field->ring, a.above), a.below};
    }
    return op == KAL_OP_POWI ? power(field, a, (int32_t)step->arg[1])
                             : read_leaf(field, step);
}

static KalStatus read_order(KalField *field, const KalOrder *order,
                            KalFraction *out_fraction)
{
    KalFraction *image =
        (KalFraction *)kal_alloc(field->ctx, order->count, sizeof *image);
    if (!image) {
        return kal_no_memory(field->ctx, "for exact algebra");
    }
    assert(order->n_roots == 1 && order->roots[0] < order->count);
    for (uint32_t i = 0; i < order->count && kal_ring_is_sound(field->ring); i++) {
        image[i] = read_step(field, &order->steps[i], image);
    }
    *out_fraction = kal_fraction_cancel(field, image[order->roots[0]]);
    kal_free(field->ctx, image, order->count * sizeof *image);
    return kal_ring_status(field->ring);
}

KalStatus kal_field_read(KalField *field, KalExpr e, KalFraction *out_fraction)
{
    assert(e.index != 0 && out_fraction);
    KalOrder order = {.ctx = NULL};
    KalFraction fraction = {KAL_NO_POLY, KAL_NO_POLY};
    const uint32_t mark = kal_ring_mark(field->ring);
    KAL_TRY(kal_order_init(field->g, &e, 1, &order));
    const KalStatus status = read_order(field, &order, &fraction);
    kal_order_clear(&order);
    KAL_TRY(status);
    fraction = keep(field, mark, fraction);
    if (kal_field_is_zero(field, fraction.below)) {
        return kal_fail(field->ctx, KAL_ERR_NUMBER, "division by zero");
    }
    *out_fraction = fraction;
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// plot and draw.

#include "model/build_impl.h"
#include "model/statement_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    LABEL_SIZE = 200 // bytes, about
};

void *kal_build_keep_list(KalBuild *b, const void *data, size_t size)
{
    assert(data || size == 0);
    void *copy = kal_arena_alloc(b->model->arena, size > 0 ? size : 1, 1);
    if (!copy) {
        kal_build_no_memory(b);
        return NULL;
    }
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

// Curves.

// What lines and columns of a text are set apart by.
static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Whether a byte is the first of a UTF-8 character.
static bool begins_character(char c)
{
    return ((unsigned char)c & 0xC0U) != 0x80U;
}

// The text of an expression in one line, after the part that it belongs to; a long one
// loses its end.
static KalNameText label_of(const KalBuild *b, const KalNode *node)
{
    KalNameText label;
    const char *text = node->span.source->text;
    assert(node->span.begin <= node->span.end);
    const int length = snprintf(label.text, LABEL_SIZE, "%s", b->names.scope->prefix);
    label.length = (size_t)length < LABEL_SIZE ? (size_t)length : LABEL_SIZE - 1;
    for (uint32_t i = node->span.begin; i < node->span.end; i++) {
        if (label.length >= LABEL_SIZE && begins_character(text[i])) {
            break;
        }
        const bool blank = is_blank(text[i]);
        if (!blank || label.length == 0 || label.text[label.length - 1] != ' ') {
            label.text[label.length++] = blank ? ' ' : text[i];
        }
    }
    assert(label.length < sizeof label.text);
    label.text[label.length] = '\0';
    return label;
}

typedef struct Curves {
    KalBlock list;       // of KalCurve
    size_t label_length; // of the expression
} Curves;

// The unit of a value as text; NULL when it is not known, or that of a plain number.
static const char *unit_text(KalBuild *b, KalValue value)
{
    const KalUnit unit = kal_build_unit(b, value.unit);
    KalNameText text;
    if (unit.any || kal_unit_is_plain(unit)) {
        return NULL;
    }
    kal_unit_print(unit, text.text);
    text.length = strlen(text.text);
    return kal_build_keep_name(b, &text);
}

// In a loop, and in a vector, the name of a symbol says more than the text.
static KalValue curve_leaf(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    assert(value.kind == KAL_VALUE_SCALAR);
    Curves *curves = (Curves *)leaves->user;
    const KalExprNode node = kal_graph_node(b->graph, value.of.expr);
    const bool named =
        node.op == KAL_OP_SYMBOL
        && (b->names.frame || leaves->name.length > curves->label_length);
    const KalCurve curve = {.label = named ? b->model->symbols[node.arg[0].index].name
                                           : kal_build_keep_name(b, &leaves->name),
                            .unit = unit_text(b, value),
                            .value = value.of.expr};
    if (curve.label && kal_build_count(b, leaves->node->span, 1)) {
        kal_build_check(b, kal_block_add(b->ctx, &curves->list, &curve, sizeof curve));
    }
    return value;
}

// A curve for each number of a value.
static bool add_curves(KalBuild *b, Curves *curves, const KalNode *node)
{
    static const KalUsage usage = {KAL_MARKS_ALL, "a plot"};
    KalLeaves leaves = {.letters = true,
                        .name = label_of(b, node),
                        .node = node,
                        .leaf = curve_leaf,
                        .user = curves};
    curves->label_length = leaves.name.length;
    const KalValue value = kal_build_eval_for(b, node, usage);
    return kal_build_leaves(b, &leaves, value).kind != KAL_VALUE_BAD;
}

// What is plotted against: one curve.
static bool read_against(KalBuild *b, const KalNode *node, KalCurve *out_curve)
{
    Curves one = {.list.data = NULL};
    bool good = add_curves(b, &one, node) && b->status == KAL_OK;
    if (good && one.list.size != sizeof(KalCurve)) {
        kal_build_error(b, node->span, "curves are plotted against a number");
        good = false;
    }
    if (good) {
        memcpy(out_curve, one.list.data, sizeof *out_curve);
    }
    kal_block_clear(b->ctx, &one.list);
    return good;
}

// All curves are read before the plot is kept, so that all errors are told.
void kal_build_plot(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_PLOT);
    Curves curves = {.list.data = NULL};
    KalPlot plot = {.span = node->span};
    bool good = true;
    for (const KalNode *c = node->of.plot.curves; c; c = c->next) {
        good &= add_curves(b, &curves, c);
    }
    if (node->of.plot.against) {
        good &= read_against(b, node->of.plot.against, &plot.against);
    }
    if (good) {
        plot.n_curves = curves.list.size / sizeof *plot.curves;
        assert(curves.list.size % sizeof *plot.curves == 0);
        plot.curves =
            (KalCurve *)kal_build_keep_list(b, curves.list.data, curves.list.size);
        if (plot.curves) {
            kal_build_check(b, kal_model_add_plot(b->model, plot));
        }
    }
    kal_block_clear(b->ctx, &curves.list);
}

// Drawings.

static const KalUsage DRAW_USAGE = {KAL_MARKS_FORCE, "a drawing"};

// A vector of two or three numbers.
static bool is_point(KalValue value)
{
    return value.kind == KAL_VALUE_ARRAY && value.of.array->depth == 1
           && (value.of.array->n == 2 || value.of.array->n == 3)
           && value.of.array->items[0].kind == KAL_VALUE_SCALAR;
}

// z is KAL_NO_EXPR in the plane.
static KalPoint point_of(KalValue value)
{
    assert(is_point(value));
    const KalValue *items = value.of.array->items;
    return (KalPoint){.x = items[0].of.expr,
                      .y = items[1].of.expr,
                      .z = value.of.array->n == 3 ? items[2].of.expr : KAL_NO_EXPR};
}

typedef struct Points {
    KalBlock list; // of KalPoint
    bool lists_allowed;
} Points;

// Points are all in the plane, or all in space.
static bool add_point(KalBuild *b, Points *points, KalValue value, const KalNode *node)
{
    const KalPoint *list = (const KalPoint *)points->list.data;
    if (!is_point(value)) {
        if (value.kind != KAL_VALUE_BAD) {
            kal_build_error(
                b, node->span, "expected a point, [x, y] or [x, y, z], found %s%s",
                kal_build_describe(value).text,
                value.kind == KAL_VALUE_PART ? "; a body has points, as b.point([0, 0])"
                                             : "");
        }
        return false;
    }
    const KalPoint point = point_of(value);
    if (points->list.size > 0 && (list[0].z.index == 0) != (point.z.index == 0)) {
        kal_build_error(b, node->span,
                        "the points of a drawing are all in the plane, or "
                        "all in space");
        return false;
    }
    return kal_build_count(b, node->span, 1)
           && kal_build_check(
               b, kal_block_add(b->ctx, &points->list, &point, sizeof point));
}

// A point, or where a line is drawn an array of points.
static bool add_points(KalBuild *b, Points *points, const KalNode *node)
{
    const KalValue value = kal_build_eval_for(b, node, DRAW_USAGE);
    const bool many = points->lists_allowed && value.kind == KAL_VALUE_ARRAY
                      && value.of.array->depth == 2;
    bool good = many || add_point(b, points, value, node);
    for (uint32_t i = 0; many && good && i < value.of.array->n; i++) {
        good = add_point(b, points, value.of.array->items[i], node);
    }
    return good;
}

// The size of a box, or the radius of a circle.
static bool read_size(KalBuild *b, const KalNode *node, KalDrawing *drawing)
{
    assert(node->kind == KAL_NODE_DRAW);
    const KalNode *size = node->of.draw.size;
    if (!size) {
        return true;
    }
    const KalValue value = kal_build_eval_for(b, size, DRAW_USAGE);
    if (drawing->kind == KAL_DRAW_CIRCLE) {
        const KalValue radius = kal_build_demand_scalar(b, value, size);
        drawing->size.x = radius.of.expr;
        return radius.kind != KAL_VALUE_BAD;
    }
    if (!is_point(value)) {
        if (value.kind != KAL_VALUE_BAD) {
            kal_build_error(b, size->span,
                            "a box has a size [w, h] or [w, h, d], not %s",
                            kal_build_describe(value).text);
        }
        return false;
    }
    drawing->size = point_of(value);
    return true;
}

// The angle of a box, in radians.
static bool read_angle(KalBuild *b, const KalNode *node, KalDrawing *drawing)
{
    assert(node->kind == KAL_NODE_DRAW);
    if (!node->of.draw.angle) {
        return true;
    }
    const KalValue angle = kal_build_scalar_for(b, node->of.draw.angle, DRAW_USAGE);
    kal_build_demand_plain(b, angle, node->of.draw.angle->span, "an angle");
    drawing->angle = angle.of.expr;
    return angle.kind != KAL_VALUE_BAD;
}

// Points, sizes and angle are formulas; a list of points is as good as points one by one.
void kal_build_draw(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_DRAW);
    KalDrawing drawing = {.kind = (KalDrawKind)node->op, .span = node->span};
    Points points = {.lists_allowed = drawing.kind == KAL_DRAW_LINE};
    bool good = true;
    for (const KalNode *p = node->of.draw.points; p; p = p->next) {
        good &= add_points(b, &points, p);
    }
    good &= read_size(b, node, &drawing);
    good &= read_angle(b, node, &drawing);
    if (good) {
        drawing.n_points = points.list.size / sizeof *drawing.points;
        assert(points.list.size % sizeof *drawing.points == 0);
        drawing.points =
            (KalPoint *)kal_build_keep_list(b, points.list.data, points.list.size);
        if (drawing.points) {
            kal_build_check(b, kal_model_add_drawing(b->model, drawing));
        }
    }
    kal_block_clear(b->ctx, &points.list);
}

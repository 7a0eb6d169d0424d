// SPDX-License-Identifier: MIT

// What the model asks to see, as JSON that refers to columns by their numbers.

#include "report/report_impl.h"

#include <assert.h>
#include <stdio.h>

enum {
    ARROWS_LIMIT = 400,
    NAME_SIZE = 512
};

// Plots.

static const char *output_unit(const KalModel *model, KalExpr e)
{
    for (size_t i = 0; i < model->n_outputs; i++) {
        if (model->outputs[i].value.index == e.index && model->outputs[i].unit) {
            return model->outputs[i].unit;
        }
    }
    return NULL;
}

// The unit as the model writes it, if it does.
static const char *unit_of(const KalReport *report, const KalCurve *curve)
{
    assert(curve->value.index != 0);
    const KalModel *model = report->system->model;
    const size_t column = kal_report_column(report, curve->value);
    const char *unit = output_unit(model, curve->value);
    if (unit) {
        return unit;
    }
    if (column < report->first_formula) {
        return kal_table_column(report->table, column).unit;
    }
    if (curve->value.index == model->energy.index) {
        return "J";
    }
    return curve->unit ? curve->unit : "";
}

static void write_curve(const KalReport *report, KalJsonWriter *w,
                        const KalCurve *curve)
{
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "label", curve->label);
    kal_json_put_text(w, "unit", unit_of(report, curve));
    kal_json_put_number(w, "column", (double)kal_report_column(report, curve->value));
    kal_json_write_end(w, '}');
}

static void write_plot(const KalReport *report, KalJsonWriter *w, const KalPlot *plot)
{
    kal_json_write_begin(w, '{');
    kal_json_write_key(w, "curves");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < plot->n_curves; i++) {
        write_curve(report, w, &plot->curves[i]);
    }
    kal_json_write_end(w, ']');
    if (plot->against.value.index != KAL_NO_EXPR.index) {
        kal_json_write_key(w, "against");
        write_curve(report, w, &plot->against);
    }
    kal_json_write_end(w, '}');
}

// Drawings.

static void write_reference(const KalReport *report, KalJsonWriter *w, KalExpr e)
{
    kal_json_write_number(w, (double)kal_report_column(report, e));
}

static void write_point(const KalReport *report, KalJsonWriter *w, KalPoint point)
{
    const KalExpr list[] = {point.x, point.y, point.z};
    kal_json_write_begin(w, '[');
    for (int i = 0; i < 3; i++) {
        if (list[i].index != KAL_NO_EXPR.index) {
            write_reference(report, w, list[i]);
        }
    }
    kal_json_write_end(w, ']');
}

static const char *shape_of(KalDrawKind kind)
{
    switch (kind) {
    case KAL_DRAW_LINE: return "line";
    case KAL_DRAW_CIRCLE: return "circle";
    case KAL_DRAW_BOX: return "box";
    case KAL_DRAW_SPRING: return "spring";
    case KAL_DRAW_PATH: return "path";
    }
    return "";
}

static void write_drawing(const KalReport *report, KalJsonWriter *w,
                          const KalDrawing *drawing)
{
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "shape", shape_of(drawing->kind));
    kal_json_write_key(w, "own"); // not of a library
    kal_json_write_bool(w, drawing->span.source == report->system->source);
    kal_json_write_key(w, "points");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < drawing->n_points; i++) {
        write_point(report, w, drawing->points[i]);
    }
    kal_json_write_end(w, ']');
    if (drawing->size.x.index != KAL_NO_EXPR.index) {
        kal_json_write_key(w, "size");
        write_point(report, w, drawing->size);
    }
    if (drawing->angle.index != KAL_NO_EXPR.index) {
        kal_json_write_key(w, "angle");
        write_reference(report, w, drawing->angle);
    }
    kal_json_write_end(w, '}');
}

// Forces.

// A point that is drawn where coordinates are, so that forces on these act there.
typedef struct Arrow {
    KalPoint at;
    size_t force[3]; // columns; 0 along axes that no coordinate is of
} Arrow;

// The column of the constraint force on what a component of a point is; 0 without one.
static size_t force_column(const KalReport *report, KalExpr e)
{
    const KalModel *model = report->system->model;
    if (e.index == KAL_NO_EXPR.index
        || kal_graph_node(model->graph, e).op != KAL_OP_SYMBOL) {
        return 0;
    }
    const KalSymbol *symbol =
        &model->symbols[kal_graph_node(model->graph, e).arg[0].index];
    if (symbol->kind != KAL_SYMBOL_COORDINATE) {
        return 0;
    }
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "cforce(%s)", symbol->name);
    const size_t column = kal_table_find_column(report->table, name);
    return column < kal_table_columns(report->table) ? column : 0;
}

static bool is_number(const KalReport *report, KalExpr e)
{
    return e.index == KAL_NO_EXPR.index
           || kal_graph_node(report->system->model->graph, e).op == KAL_OP_CONST;
}

// Whether forces can be shown at a point: each component is a coordinate or a number.
static bool find_arrow(const KalReport *report, KalPoint point, Arrow *out_arrow)
{
    assert(out_arrow);
    const KalExpr list[] = {point.x, point.y, point.z};
    bool any = false;
    out_arrow->at = point;
    for (int i = 0; i < 3; i++) {
        out_arrow->force[i] = force_column(report, list[i]);
        any = any || out_arrow->force[i] != 0;
        if (out_arrow->force[i] == 0 && !is_number(report, list[i])) {
            return false;
        }
    }
    return any;
}

// Formulas are equal if their nodes are: arrows at one point would lie upon each other.
static bool is_listed(const Arrow *arrows, size_t count, const Arrow *arrow)
{
    for (size_t i = 0; i < count; i++) {
        if (arrows[i].at.x.index == arrow->at.x.index
            && arrows[i].at.y.index == arrow->at.y.index
            && arrows[i].at.z.index == arrow->at.z.index) {
            return true;
        }
    }
    return false;
}

// Column 0 is the time, so that 0 stands for a component that has no force.
static void write_arrow(const KalReport *report, KalJsonWriter *w, const Arrow *arrow)
{
    kal_json_write_begin(w, '{');
    kal_json_write_key(w, "at");
    write_point(report, w, arrow->at);
    kal_json_write_key(w, "force");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < 3; i++) {
        if (arrow->force[i] != 0) {
            kal_json_write_number(w, (double)arrow->force[i]);
        } else {
            kal_json_write_null(w);
        }
    }
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
}

static void write_arrows(const KalReport *report, KalJsonWriter *w)
{
    const KalModel *model = report->system->model;
    Arrow arrows[ARROWS_LIMIT];
    size_t count = 0;
    assert(report->record);
    for (size_t d = 0; d < report->n_drawings; d++) {
        const KalDrawing *drawing = &model->drawings[d];
        for (size_t i = 0; i < drawing->n_points && count < ARROWS_LIMIT; i++) {
            Arrow *arrow = &arrows[count];
            if (find_arrow(report, drawing->points[i], arrow)
                && !is_listed(arrows, count, arrow)) {
                write_arrow(report, w, arrow);
                count++;
            }
        }
    }
}

void kal_report_write_pictures(const KalReportData *data, KalJsonWriter *w)
{
    const KalReport *report = data->report;
    const KalModel *model = report->system->model;
    kal_json_write_key(w, "plots");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < report->n_plots; i++) {
        write_plot(report, w, &model->plots[i]);
    }
    kal_json_write_end(w, ']');
    kal_json_write_key(w, "drawings");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < report->n_drawings; i++) {
        write_drawing(report, w, &model->drawings[i]);
    }
    kal_json_write_end(w, ']');
    kal_json_write_key(w, "forces");
    kal_json_write_begin(w, '[');
    write_arrows(report, w);
    kal_json_write_end(w, ']');
}

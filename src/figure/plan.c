// SPDX-License-Identifier: MIT

// The layout of a sheet.  Margins depend on the texts of ticks, these on the frames, and the
// frames on the margins: three passes settle that.  Where there is no room left the frame
// keeps a smallest size, and letters shrink.

#include "figure/plan.h"

#include "figure/plane.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES_AT_AXIS = 3, // more names than this are not repeated at the y axis
    PASSES = 3,        // of texts that need room, which changes the texts
    X_TICKS = 11,
    Y_TICKS = 9,
};

static const double points_per_mm = 72.0 / 25.4;
static const double line_height = 1.35; // in sizes of letters
static const double smallest_frame = 5.0;
static const double names_part = 0.4; // of the width that names may take

// The room around the panels, and within.
typedef struct Margins {
    double left;
    double right;
    double top;
    double bottom;
    double between; // two panels
} Margins;

bool kal_panel_is_named(const KalPanel *panel)
{
    return panel->count > 1;
}

// In brackets.
static void add_unit(KalStyled *text, const char *unit)
{
    assert(unit);
    if (*unit) {
        kal_styled_add(text, text->length > 0 ? " [" : "[");
        kal_styled_add_unit(text, unit);
        kal_styled_add(text, "]");
    }
}

// A name, with a word for values that are not unique.
static void add_name(KalStyled *text, KalQuantity quantity)
{
    kal_styled_add_name(text, quantity.name);
    if (!kal_quantity_is_unique(quantity)) {
        kal_styled_add(text, " (" KAL_TABLE_NOT_UNIQUE ")");
    }
}

void kal_plan_x_label(const KalFigure *figure, KalStyled *out_text)
{
    const KalQuantity x = kal_figure_quantity(figure, figure->x);
    *out_text = (KalStyled){.length = 0};
    add_name(out_text, x);
    add_unit(out_text, x.unit);
}

static bool is_map(const KalFigure *figure)
{
    return figure->options.kind == KAL_FIGURE_MAP;
}

// The names of the curves of a panel, if they are few, and their unit, if they share one.
static void add_curves(const KalFigure *figure, const KalPanel *p, KalStyled *out_text)
{
    if (!kal_panel_has_one_unit(figure, p)) {
        return;
    }
    for (size_t i = 0; i < p->count && p->count <= NAMES_AT_AXIS; i++) {
        kal_styled_add(out_text, i > 0 ? ", " : "");
        add_name(out_text, kal_figure_quantity(figure, p->curves[i].column));
    }
    add_unit(out_text, kal_figure_quantity(figure, p->curves[0].column).unit);
}

void kal_plan_y_label(const KalFigure *figure, size_t panel, KalStyled *out_text)
{
    assert(panel < figure->n_panels);
    *out_text = (KalStyled){.length = 0};
    if (is_map(figure)) {
        const KalQuantity y = kal_figure_quantity(figure, figure->y);
        add_name(out_text, y);
        add_unit(out_text, y.unit);
    } else if (figure->options.kind == KAL_FIGURE_HISTOGRAM) {
        kal_styled_add(out_text, KAL_FIGURE_COUNT);
    } else {
        add_curves(figure, &figure->panels[panel], out_text);
    }
}

void kal_plan_color_label(const KalFigure *figure, size_t panel, KalStyled *out_text)
{
    assert(panel < figure->n_panels && is_map(figure));
    *out_text = (KalStyled){.length = 0};
    add_curves(figure, &figure->panels[panel], out_text);
}

void kal_plan_name(const KalFigure *figure, size_t panel, size_t curve,
                   KalStyled *out_text)
{
    assert(panel < figure->n_panels && curve < figure->panels[panel].count);
    const KalPanel *p = &figure->panels[panel];
    const KalQuantity quantity = kal_figure_quantity(figure, p->curves[curve].column);
    *out_text = (KalStyled){.length = 0};
    add_name(out_text, quantity);
    if (!kal_panel_has_one_unit(figure, p)) {
        add_unit(out_text, quantity.unit);
    }
}

// As the exponent of ten.
static void add_integer(KalStyled *text, int n)
{
    char digits[16];
    (void)snprintf(digits, sizeof digits, "%d", n);
    kal_styled_add_tick(text, digits, true);
}

void kal_plan_factor(const KalTicks *ticks, KalStyled *out_text)
{
    *out_text = (KalStyled){.length = 0};
    if (ticks->exponent != 0) {
        kal_styled_add(out_text, "×");
        add_integer(out_text, ticks->exponent);
    }
    if (ticks->offset[0]) {
        const bool negative = ticks->offset[0] == '-';
        kal_styled_add(out_text, negative ? " − " : " + ");
        kal_styled_add(out_text, ticks->offset + 1);
    }
}

KalSpot kal_plan_size(const KalFigure *figure)
{
    const KalFigureOptions *o = &figure->options;
    const double n = (double)figure->n_panels;
    const double each = is_map(figure) ? 72.0 : 36.0;
    const double one = is_map(figure) ? 95.0 : 75.0;
    const double usual = n > 1.0 ? 22.0 + each * n : one;
    const double height = o->height > 0.0 ? o->height : usual;
    return (KalSpot){o->width * points_per_mm, height * points_per_mm};
}

static double width_of(KalMeasure measure, const KalStyled *text, double size)
{
    return measure.width(measure.user, text->text, size);
}

// The room that numbers at an axis take.
static double widest_tick(const KalTicks *ticks, KalMeasure measure, double size)
{
    assert(size > 0.0);
    double widest = 0.0;
    for (int i = 0; i < ticks->count; i++) {
        KalStyled text = {.length = 0};
        kal_styled_add_tick(&text, ticks->text[i], ticks->powers);
        widest = fmax(widest, width_of(measure, &text, size));
    }
    return widest;
}

// As many ticks as have room side by side.
static void find_x_ticks(KalPlan *plan, KalMeasure measure, double width)
{
    assert(width > 0.0);
    const KalAxis *x = &plan->axes.x;
    const double size = KAL_PLAN_TICK * plan->scale;
    double needed = INFINITY;
    for (int wanted = X_TICKS; wanted > 2 && needed > width; wanted--) {
        kal_ticks_find(x->low, x->high, x->logarithmic, wanted, &plan->x_ticks);
        needed = plan->x_ticks.count
                 * (widest_tick(&plan->x_ticks, measure, size) + 1.6 * size);
    }
}

// As many as have room above each other.
static void find_y_ticks(const KalFigure *figure, KalPlan *plan, double height)
{
    assert(height > 0.0);
    const int room = (int)(height / (2.4 * KAL_PLAN_TICK * plan->scale)) + 1;
    for (size_t i = 0; i < figure->n_panels; i++) {
        const KalAxis *y = &plan->axes.y[i];
        kal_ticks_find(y->low, y->high, y->logarithmic, room < Y_TICKS ? room : Y_TICKS,
                       &plan->panels[i].ticks);
        if (is_map(figure)) {
            KalPanelPlan *p = &plan->panels[i];
            p->colors = kal_plane_colors(figure, i);
            kal_ticks_find(p->colors.low, p->colors.high, p->colors.logarithmic,
                           room < Y_TICKS ? room : Y_TICKS, &p->color_ticks);
        }
    }
}

// Room for the names of curves; their letters shrink if they would take too much.
static double name_room(const KalFigure *figure, KalPlan *plan, KalMeasure measure)
{
    const double size = KAL_PLAN_TEXT * plan->scale;
    double widest = 0.0;
    for (size_t i = 0; i < figure->n_panels; i++) {
        const KalPanel *panel = &figure->panels[i];
        for (size_t k = 0; kal_panel_is_named(panel) && k < panel->count; k++) {
            KalStyled text;
            kal_plan_name(figure, i, k, &text);
            widest = fmax(widest, width_of(measure, &text, size));
        }
    }
    const double room = names_part * plan->width;
    plan->name_size = widest > room ? size * room / widest : size;
    if (widest == 0.0) {
        return 0.0;
    }
    return fmin(widest, room) + (KAL_PLAN_SAMPLE + 2.0 * KAL_PLAN_SPACE) * plan->scale;
}

// Room for the colors of maps, their numbers and names.
static double color_room(const KalFigure *figure, const KalPlan *plan,
                         KalMeasure measure)
{
    const double s = plan->scale;
    double widest = 0.0;
    for (size_t i = 0; i < figure->n_panels; i++) {
        widest = fmax(widest, widest_tick(&plan->panels[i].color_ticks, measure,
                                          KAL_PLAN_TICK * s));
    }
    return (KAL_PLAN_BAR + 4.0 * KAL_PLAN_SPACE + KAL_PLAN_TEXT * line_height) * s
           + widest;
}

// Whether a line above the panel says by what numbers are multiplied.
static bool has_factor(const KalTicks *ticks)
{
    return ticks->exponent != 0 || ticks->offset[0] != '\0';
}

// The room for titles, ticks, labels and names.
static Margins find_margins(const KalFigure *figure, KalPlan *plan, KalMeasure measure)
{
    const double s = plan->scale;
    const double tick = KAL_PLAN_TICK * s;
    const double text = KAL_PLAN_TEXT * s;
    const double around = KAL_PLAN_MARGIN * s;
    const double title = figure->title[0] ? KAL_PLAN_TITLE * s * line_height : 0.0;
    double widest = 0.0;
    bool factor = false;
    for (size_t i = 0; i < figure->n_panels; i++) {
        widest = fmax(widest, widest_tick(&plan->panels[i].ticks, measure, tick));
        factor = factor || has_factor(&plan->panels[i].ticks)
                 || has_factor(&plan->panels[i].color_ticks);
    }
    const double beside = is_map(figure) ? color_room(figure, plan, measure)
                                         : name_room(figure, plan, measure);
    const double above = factor ? tick * line_height : 0.4 * tick;
    const double last_tick = 0.5 * widest_tick(&plan->x_ticks, measure, tick);
    return (Margins){
        .left = around + text * line_height + widest + 2.0 * KAL_PLAN_SPACE * s,
        .right = around + fmax(last_tick, beside),
        .top = around + title + above,
        .bottom = around + 1.2 * (text + tick) + KAL_PLAN_SPACE * s,
        .between = above + KAL_PLAN_SPACE * s,
    };
}

// Equal heights.
static void set_frames(const KalFigure *figure, const Margins *m, KalPlan *plan)
{
    const double n = (double)figure->n_panels;
    const double width = fmax(plan->width - m->left - m->right, smallest_frame);
    const double all = plan->height - m->top - m->bottom - (n - 1.0) * m->between;
    const double height = fmax(all / n, smallest_frame);
    assert(width > 0.0 && height > 0.0);
    for (size_t i = 0; i < figure->n_panels; i++) {
        plan->panels[i].frame = (KalBox){
            m->left, m->top + (double)i * (height + m->between), width, height};
    }
}

// Equal axes depend on the frame.
static void set_axes(const KalFigure *figure, const KalAxes *axes, KalPlan *plan)
{
    assert(figure->n_panels > 0);
    const KalBox *frame = &plan->panels[0].frame;
    plan->axes = *axes;
    if (figure->options.equal) {
        kal_axes_make_equal(&plan->axes.x, frame->width, plan->axes.y, figure->n_panels,
                            frame->height);
    }
}

// Near the end of each curve.
static void place_names(const KalFigure *figure, KalPlan *plan, size_t panel)
{
    assert(panel < figure->n_panels);
    KalPanelPlan *p = &plan->panels[panel];
    const size_t count = figure->panels[panel].count;
    const double half = 0.5 * plan->name_size;
    for (size_t k = 0; k < count; k++) {
        const double place = kal_figure_name_place(figure, &plan->axes, panel, k);
        p->name_y[k] = p->frame.top + (1.0 - place) * p->frame.height;
    }
    kal_places_spread(p->name_y, count, line_height * plan->name_size,
                      p->frame.top + half, p->frame.top + p->frame.height - half);
}

// A text along the side of a panel shrinks until it is no longer than that.
static double fit_label(const KalPlan *plan, size_t panel, KalMeasure measure,
                        const KalStyled *text)
{
    const double size = KAL_PLAN_TEXT * plan->scale;
    const double room = plan->panels[panel].frame.height;
    const double width = width_of(measure, text, size);
    return width > room ? size * room / width : size;
}

static void size_labels(const KalFigure *figure, KalPlan *plan, size_t panel,
                        KalMeasure measure)
{
    assert(panel < figure->n_panels);
    KalStyled text;
    kal_plan_y_label(figure, panel, &text);
    plan->panels[panel].label_size = fit_label(plan, panel, measure, &text);
    if (is_map(figure)) {
        kal_plan_color_label(figure, panel, &text);
        plan->panels[panel].color_size = fit_label(plan, panel, measure, &text);
    }
}

// A sheet too small for letters of the usual size has smaller ones.
static double find_scale(const KalFigure *figure, KalSpot size)
{
    const double narrow = size.x / 170.0;
    const double low = size.y / (50.0 + 50.0 * (double)figure->n_panels);
    assert(figure->n_panels > 0);
    return fmin(1.0, fmin(narrow, low));
}

void kal_plan_make(const KalFigure *figure, KalMeasure measure, KalPlan *out_plan)
{
    assert(figure->n_panels > 0 && out_plan);
    const KalAxes axes = kal_figure_axes(figure);
    const KalSpot size = kal_plan_size(figure);
    KalPlan *plan = out_plan;
    Margins margins = {20.0, 20.0, 20.0, 20.0, 10.0};
    memset(plan, 0, sizeof *plan);
    plan->width = size.x;
    plan->height = size.y;
    plan->scale = find_scale(figure, size);
    for (int i = 0; i < PASSES; i++) {
        set_frames(figure, &margins, plan);
        set_axes(figure, &axes, plan);
        find_x_ticks(plan, measure, plan->panels[0].frame.width);
        find_y_ticks(figure, plan, plan->panels[0].frame.height);
        margins = find_margins(figure, plan, measure);
    }
    // The last pass widened the axes for frames that the margins have changed.
    set_frames(figure, &margins, plan);
    set_axes(figure, &axes, plan);
    find_x_ticks(plan, measure, plan->panels[0].frame.width);
    find_y_ticks(figure, plan, plan->panels[0].frame.height);

    plan->title_y = (KAL_PLAN_MARGIN + 0.8 * KAL_PLAN_TITLE) * plan->scale;
    plan->name_x =
        margins.left + plan->panels[0].frame.width + KAL_PLAN_SPACE * plan->scale;
    for (size_t i = 0; i < figure->n_panels; i++) {
        place_names(figure, plan, i);
        size_labels(figure, plan, i, measure);
    }
}

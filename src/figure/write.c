// SPDX-License-Identifier: MIT

// Figures as files.

#include "base/whole_file.h"
#include "figure/canvas.h"
#include "figure/cover.h"
#include "figure/plan.h"
#include "figure/plane.h"
#include "figure/shape.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <strings.h>

enum {
    BAR_STEPS = 256, // of colors
    DOT_SIDE = 3,    // pixels of a dot in a picture
    DOT_PIXELS = DOT_SIDE * DOT_SIDE
};

static const double thin_column = 0.2;     // points
static const double thin_tolerance = 0.04; // points
static const double curve_width = 1.1;
static const double mark_radius = 2.4;
static const double frame_width = 0.6;
static const double grid_width = 0.5;
static const double tick_length = 3.2;
static const double minor_length = 1.8;
static const double largest_image = 1e8;    // dots
static const double largest_side = 32000.0; // dots, of which cairo takes 32767
static const double middle = 0.36;          // of a letter, above its line, in sizes

// A curve that is longer than this many times the border of its panel winds so much that
// dashes would only blur it, and that a thinner line shows more.
static const double winding = 5.0;
static const double winding_width = 0.6;

// A curve with more points than this may have been drawn in the same places before.
static const size_t many_points = 2000;
static const double cover_cell = 0.3; // points

static const double dot_radius = 0.75;
static const double dot_cell = 0.5; // of a grid in which a dot hides the next
static const double fine_radius = 0.35;
static const size_t many_dots = 4000;         // are drawn smaller
static const size_t too_many_dots = 20000;    // are drawn as a picture
static const double dots_per_point = 4.0;     // of such a picture
static const double largest_picture = 2000.0; // points
static const double outer_opacity = 0.16;
static const double inner_opacity = 0.22; // on top of the other

// A drawing on its way.
typedef struct Drawing {
    const KalFigure *figure;
    KalCanvas *canvas;
    KalPlan *plan;
} Drawing;

typedef struct Ending {
    const char *ending;
    KalCanvasKind kind;
} Ending;

static const Ending endings[] = {
    {".svg", KAL_CANVAS_SVG},
    {".pdf", KAL_CANVAS_PDF},
    {".png", KAL_CANVAS_PNG},
};

// By the ending of the path.
static KalStatus find_kind(KalContext *ctx, const char *path, KalCanvasKind *out_kind)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (dot > path && dot[-1] != '/' && strcasecmp(dot, endings[i].ending) == 0) {
            *out_kind = endings[i].kind;
            return KAL_OK;
        }
    }
    return kal_fail(ctx, KAL_ERR_USAGE,
                    "cannot write a figure to %s: expected a name that ends with .svg, "
                    ".pdf or .png",
                    kal_file_shown(path));
}

// An image that memory and cairo can hold.
static KalStatus check_image(const KalFigure *figure, KalSheetSize size)
{
    const double across = size.width * size.dots;
    const double down = size.height * size.dots;
    if (across * down > largest_image || fmax(across, down) > largest_side) {
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "an image of %.0f x %.0f dots is too large: expected at most "
                        "%.0f million dots and %.0f on a side",
                        across, down, largest_image * 1e-6, largest_side);
    }
    return KAL_OK;
}

static double measure(void *user, const char *styled, double size)
{
    return kal_canvas_measure((KalCanvas *)user, styled, size);
}

// Lines of one kind, drawn together.
typedef struct Lines {
    KalSpot points[3 * (KAL_TICKS_LIMIT + KAL_MINOR_LIMIT) * 2];
    size_t count;
} Lines;

static void add_line(Lines *lines, KalSpot from, KalSpot to)
{
    assert(lines->count + 3 <= sizeof lines->points / sizeof lines->points[0]);
    const KalSpot gap = {NAN, NAN};
    lines->points[lines->count++] = from;
    lines->points[lines->count++] = to;
    lines->points[lines->count++] = gap;
}

static void draw_lines(const Drawing *d, const Lines *lines, KalInk ink, double width)
{
    const KalPen pen = {.ink = ink, .width = width * d->plan->scale};
    kal_canvas_lines(d->canvas, lines->points, lines->count, &pen);
}

static double place_x(const Drawing *d, const KalBox *frame, double value)
{
    return frame->left + frame->width * kal_axis_place(&d->plan->axes.x, value);
}

static double place_y(const Drawing *d, size_t panel, double value)
{
    const KalBox *frame = &d->plan->panels[panel].frame;
    const double place = kal_axis_place(&d->plan->axes.y[panel], value);
    return frame->top + frame->height * (1.0 - place);
}

// Lines at all ticks, below everything else.
static void draw_grid(const Drawing *d, size_t panel)
{
    const KalPanelPlan *p = &d->plan->panels[panel];
    const KalBox *f = &p->frame;
    Lines lines = {.count = 0};
    for (int i = 0; i < d->plan->x_ticks.count; i++) {
        const double x = place_x(d, f, d->plan->x_ticks.at[i]);
        add_line(&lines, (KalSpot){x, f->top}, (KalSpot){x, f->top + f->height});
    }
    for (int i = 0; i < p->ticks.count; i++) {
        const double y = place_y(d, panel, p->ticks.at[i]);
        add_line(&lines, (KalSpot){f->left, y}, (KalSpot){f->left + f->width, y});
    }
    draw_lines(d, &lines, KAL_INK_GRID, grid_width);
}

// Ticks point inwards from both ends of a frame.
static void add_x_tick(const Drawing *d, const KalBox *f, double value, double length,
                       Lines *lines)
{
    const double x = place_x(d, f, value);
    const double bottom = f->top + f->height;
    length *= d->plan->scale;
    add_line(lines, (KalSpot){x, bottom}, (KalSpot){x, bottom - length});
    add_line(lines, (KalSpot){x, f->top}, (KalSpot){x, f->top + length});
}

static void add_y_tick(const Drawing *d, size_t panel, double value, double length,
                       Lines *lines)
{
    const KalBox *f = &d->plan->panels[panel].frame;
    const double y = place_y(d, panel, value);
    const double right = f->left + f->width;
    length *= d->plan->scale;
    add_line(lines, (KalSpot){f->left, y}, (KalSpot){f->left + length, y});
    add_line(lines, (KalSpot){right, y}, (KalSpot){right - length, y});
}

static void draw_x_ticks(const Drawing *d, const KalBox *f)
{
    const KalTicks *ticks = &d->plan->x_ticks;
    Lines lines = {.count = 0};
    for (int i = 0; i < ticks->count; i++) {
        add_x_tick(d, f, ticks->at[i], tick_length, &lines);
    }
    for (int i = 0; i < ticks->n_minor; i++) {
        add_x_tick(d, f, ticks->minor[i], minor_length, &lines);
    }
    draw_lines(d, &lines, KAL_INK_TEXT, frame_width);
}

static void draw_y_ticks(const Drawing *d, size_t panel)
{
    const KalTicks *ticks = &d->plan->panels[panel].ticks;
    Lines lines = {.count = 0};
    for (int i = 0; i < ticks->count; i++) {
        add_y_tick(d, panel, ticks->at[i], tick_length, &lines);
    }
    for (int i = 0; i < ticks->n_minor; i++) {
        add_y_tick(d, panel, ticks->minor[i], minor_length, &lines);
    }
    draw_lines(d, &lines, KAL_INK_TEXT, frame_width);
}

static void draw_frame(const Drawing *d, size_t panel)
{
    const KalBox f = d->plan->panels[panel].frame;
    const KalSpot corners[] = {
        {f.left,           f.top           },
        {f.left + f.width, f.top           },
        {f.left + f.width, f.top + f.height},
        {f.left,           f.top + f.height},
        {f.left,           f.top           },
        {f.left + f.width, f.top           }, // once more, for the corner
    };
    const KalPen pen = {.ink = KAL_INK_TEXT, .width = frame_width * d->plan->scale};
    kal_canvas_lines(d->canvas, corners, sizeof corners / sizeof corners[0], &pen);
    draw_x_ticks(d, &f);
    draw_y_ticks(d, panel);
}

static double length_of(const KalSpot *points, size_t count)
{
    double length = 0.0;
    for (size_t i = 1; i < count; i++) {
        const double step =
            hypot(points[i].x - points[i - 1].x, points[i].y - points[i - 1].y);
        length += isnan(step) ? 0.0 : step;
    }
    return length;
}

static KalPen pen_of(const Drawing *d, size_t curve)
{
    const double scale = d->plan->scale;
    KalPen pen = {.ink = kal_ink_of_curve(curve), .width = curve_width * scale};
    pen.n_dashes = kal_dashes_get(curve, pen.dashes);
    for (int i = 0; i < pen.n_dashes; i++) {
        pen.dashes[i] *= scale;
    }
    return pen;
}

// Whether a curve may pass the same places again: what ascends does not, but the next run may.
static bool may_return(const KalFigure *figure)
{
    return !figure->x_ascends || figure->run < kal_table_columns(figure->table);
}

// The points of a curve that are worth drawing.
static KalStatus trace(const Drawing *d, size_t panel, size_t curve,
                       KalBlock *out_points)
{
    const KalBox frame = d->plan->panels[panel].frame;
    KalThin thin = kal_thin(d->figure->ctx, thin_column, thin_tolerance);
    kal_figure_trace(d->figure, &d->plan->axes, panel, curve, frame, &thin);
    KalStatus status = kal_thin_finish(&thin);
    if (status == KAL_OK && may_return(d->figure)
        && thin.points.size > many_points * sizeof(KalSpot)) {
        const double cell = fmax(cover_cell, fmax(frame.width, frame.height) / 4000.0);
        status = kal_cover_remove(d->figure->ctx, frame, cell, &thin.points);
    }
    if (status != KAL_OK) {
        kal_block_clear(d->figure->ctx, &thin.points);
        return status;
    }
    *out_points = thin.points;
    return KAL_OK;
}

// Where a value is on the bar of colors.
static double color_y(const KalPanelPlan *p, double value)
{
    return p->frame.top + p->frame.height * (1.0 - kal_axis_place(&p->colors, value));
}

// Where the bar of colors beside a map begins.
static double bar_left(const Drawing *d)
{
    return d->plan->name_x + KAL_PLAN_SPACE * d->plan->scale;
}

static void draw_bar_frame(const Drawing *d, size_t panel)
{
    const KalPanelPlan *p = &d->plan->panels[panel];
    const double left = bar_left(d);
    const double right = left + KAL_PLAN_BAR * d->plan->scale;
    const double bottom = p->frame.top + p->frame.height;
    Lines lines = {.count = 0};
    add_line(&lines, (KalSpot){left, p->frame.top}, (KalSpot){right, p->frame.top});
    add_line(&lines, (KalSpot){right, p->frame.top}, (KalSpot){right, bottom});
    add_line(&lines, (KalSpot){right, bottom}, (KalSpot){left, bottom});
    add_line(&lines, (KalSpot){left, bottom}, (KalSpot){left, p->frame.top});
    for (int i = 0; i < p->color_ticks.count; i++) {
        const double y = color_y(p, p->color_ticks.at[i]);
        add_line(&lines, (KalSpot){right, y},
                 (KalSpot){right - minor_length * d->plan->scale, y});
    }
    draw_lines(d, &lines, KAL_INK_TEXT, frame_width);
}

static void draw_bar_texts(const Drawing *d, size_t panel)
{
    const KalPanelPlan *p = &d->plan->panels[panel];
    const double scale = d->plan->scale;
    const double size = KAL_PLAN_TICK * scale;
    const double left = bar_left(d) + (KAL_PLAN_BAR + KAL_PLAN_SPACE) * scale;
    KalStyled text;
    for (int i = 0; i < p->color_ticks.count; i++) {
        text = (KalStyled){.length = 0};
        kal_styled_add_tick(&text, p->color_ticks.text[i], p->color_ticks.powers);
        kal_canvas_text(
            d->canvas, text.text, KAL_INK_TEXT,
            (KalTextPlace){.x = left,
                           .y = color_y(p, p->color_ticks.at[i]) + middle * size,
                           .size = size});
    }
    kal_plan_factor(&p->color_ticks, &text);
    kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                    (KalTextPlace){.x = bar_left(d),
                                   .y = p->frame.top - 0.35 * size,
                                   .size = size});
    kal_plan_color_label(d->figure, panel, &text);
    kal_canvas_text(
        d->canvas, text.text, KAL_INK_TEXT,
        (KalTextPlace){.x = d->plan->width - (KAL_PLAN_MARGIN + 2.0) * scale,
                       .y = p->frame.top + 0.5 * p->frame.height,
                       .size = p->color_size,
                       .align = 0.5,
                       .upward = true});
}

// The cells of a map, where they are on the axes, and the colors beside it.
static KalStatus draw_map(const Drawing *d, size_t panel)
{
    const KalPanelPlan *p = &d->plan->panels[panel];
    const KalBox *f = &p->frame;
    const KalAxis x = kal_plane_axis(d->figure, false);
    const KalAxis y = kal_plane_axis(d->figure, true);
    const KalSpot corner = {place_x(d, f, x.low), place_y(d, panel, y.high)};
    const KalSpot size = {place_x(d, f, x.high) - corner.x,
                          place_y(d, panel, y.low) - corner.y};
    KalPlaneImage image = {.pixels = NULL};
    KAL_TRY(kal_plane_paint(d->figure, panel, &image));
    kal_canvas_picture(d->canvas, &(KalPixels){image.pixels, image.width, image.height},
                       corner, size);
    kal_plane_clear(d->figure, &image);

    uint32_t bar[BAR_STEPS];
    for (int i = 0; i < BAR_STEPS; i++) {
        bar[i] = 0xff000000U | kal_plane_color(1.0 - (i + 0.5) / BAR_STEPS);
    }
    kal_canvas_picture(d->canvas, &(KalPixels){bar, 1, BAR_STEPS},
                       (KalSpot){bar_left(d), f->top},
                       (KalSpot){KAL_PLAN_BAR * d->plan->scale, f->height});
    draw_bar_frame(d, panel);
    draw_bar_texts(d, panel);
    return KAL_OK;
}

static KalStatus draw_line(const Drawing *d, size_t panel, size_t curve,
                           KalPen *out_pen)
{
    const KalBox frame = d->plan->panels[panel].frame;
    KalBlock block = {.data = NULL};
    KalPen pen = pen_of(d, curve);
    KAL_TRY(trace(d, panel, curve, &block));
    const KalSpot *points = (const KalSpot *)block.data;
    const size_t count = block.size / sizeof *points;
    if (length_of(points, count) > winding * 2.0 * (frame.width + frame.height)) {
        pen.n_dashes = 0;
        pen.width *= winding_width;
    }
    kal_canvas_lines(d->canvas, points, count, &pen);
    kal_block_clear(d->figure->ctx, &block);
    *out_pen = pen;
    return KAL_OK;
}

static KalShapePlace place_of(const Drawing *d, size_t panel, size_t curve)
{
    return (KalShapePlace){d->figure, &d->plan->axes, panel, curve,
                           d->plan->panels[panel].frame};
}

// Dots as a picture, each of them a square of its pixels.
static void paint_dots(const KalBox *f, const KalBlock *block, uint32_t color,
                       const KalPixels *size, uint32_t *out_colors)
{
    const KalSpot *points = (const KalSpot *)block->data;
    for (size_t i = 0; i < block->size / sizeof *points; i++) {
        const long left = lround((points[i].x - f->left) * dots_per_point);
        const long top = lround((points[i].y - f->top) * dots_per_point);
        for (long k = 0; k < DOT_PIXELS; k++) {
            const long x = left + k % DOT_SIDE - 1;
            const long y = top + k / DOT_SIDE - 1;
            if (x >= 0 && y >= 0 && x < (long)size->width && y < (long)size->height) {
                out_colors[(size_t)y * size->width + (size_t)x] = 0xff000000U | color;
            }
        }
    }
}

// So many dots that a file of them would be large.
static KalStatus draw_picture_of_dots(const Drawing *d, const KalBox *f, size_t curve,
                                      const KalBlock *block)
{
    KalContext *ctx = d->figure->ctx;
    KalPixels picture = {.width = (size_t)(f->width * dots_per_point) + 1,
                         .height = (size_t)(f->height * dots_per_point) + 1};
    const size_t count = picture.width * picture.height;
    uint32_t *colors = (uint32_t *)kal_alloc(ctx, count, sizeof *colors);
    if (!colors) {
        return kal_no_memory(ctx, "for a figure");
    }
    const bool dark = d->figure->options.theme == KAL_FIGURE_DARK;
    paint_dots(f, block, kal_ink_color(kal_ink_of_curve(curve), dark), &picture,
               colors);
    picture.colors = colors;
    kal_canvas_picture(d->canvas, &picture, (KalSpot){f->left, f->top},
                       (KalSpot){(double)picture.width / dots_per_point,
                                 (double)picture.height / dots_per_point});
    kal_free(ctx, colors, count * sizeof *colors);
    return KAL_OK;
}

static KalStatus draw_dots(const Drawing *d, size_t panel, size_t curve)
{
    const KalBox *frame = &d->plan->panels[panel].frame;
    const double scale = d->plan->scale;
    const double cell =
        fmax(dot_cell * scale, fmax(frame->width, frame->height) / 4000.0);
    KalBlock block = {.data = NULL};
    KalStatus status = kal_shape_dots(place_of(d, panel, curve), cell, &block);
    const size_t count = status == KAL_OK ? block.size / sizeof(KalSpot) : 0;
    if (count > too_many_dots && fmax(frame->width, frame->height) < largest_picture) {
        status = draw_picture_of_dots(d, frame, curve, &block);
    } else {
        kal_canvas_dots(d->canvas, (const KalSpot *)block.data, count,
                        (count > many_dots ? fine_radius : dot_radius) * scale,
                        kal_ink_of_curve(curve));
    }
    kal_block_clear(d->figure->ctx, &block);
    return status;
}

static void fill(const Drawing *d, const KalBlock *block, size_t curve, double opacity)
{
    kal_canvas_areas(d->canvas, (const KalSpot *)block->data,
                     block->size / sizeof(KalSpot), kal_ink_of_curve(curve), opacity);
}

// The bands around a median, the narrow one on the wide one.
static KalStatus draw_bands(const Drawing *d, size_t panel, size_t curve)
{
    KalStatus status = KAL_OK;
    for (int i = 0; i < 2 && status == KAL_OK; i++) {
        KalBlock block = {.data = NULL};
        status = kal_shape_band(place_of(d, panel, curve), i == 1, &block);
        fill(d, &block, curve, i == 1 ? inner_opacity : outer_opacity);
        kal_block_clear(d->figure->ctx, &block);
    }
    return status;
}

static KalStatus draw_stairs(const Drawing *d, size_t panel, size_t curve)
{
    KalBlock block = {.data = NULL};
    const KalPen pen = pen_of(d, curve);
    const KalStatus status = kal_shape_stairs(place_of(d, panel, curve), &block);
    fill(d, &block, curve, inner_opacity);
    kal_canvas_lines(d->canvas, (const KalSpot *)block.data,
                     block.size / sizeof(KalSpot), &pen);
    kal_block_clear(d->figure->ctx, &block);
    return status;
}

static KalStatus draw_curve(const Drawing *d, size_t panel, size_t curve,
                            KalPen *out_pen)
{
    *out_pen = pen_of(d, curve);
    switch (d->figure->options.kind) {
    case KAL_FIGURE_LINES: return draw_line(d, panel, curve, out_pen);
    case KAL_FIGURE_SCATTER:
        *out_pen = (KalPen){.ink = out_pen->ink, .width = out_pen->width};
        return draw_dots(d, panel, curve);
    case KAL_FIGURE_BANDS:
        KAL_TRY(draw_bands(d, panel, curve));
        return draw_line(d, panel, curve, out_pen);
    case KAL_FIGURE_HISTOGRAM: return draw_stairs(d, panel, curve);
    case KAL_FIGURE_MAP: break;
    }
    return draw_map(d, panel);
}

// The name of a curve behind a sample of its line.
static void draw_name(const Drawing *d, size_t panel, size_t curve, const KalPen *pen)
{
    const KalPlan *plan = d->plan;
    const double y = plan->panels[panel].name_y[curve];
    const double end = plan->name_x + KAL_PLAN_SAMPLE * plan->scale;
    const KalSpot sample[] = {
        {plan->name_x, y},
        {end,          y},
    };
    KalStyled text;
    kal_plan_name(d->figure, panel, curve, &text);
    const bool dots = d->figure->options.kind == KAL_FIGURE_SCATTER;
    if (dots) {
        kal_canvas_dot(d->canvas, (KalSpot){0.5 * (plan->name_x + end), y},
                       2.0 * dot_radius * plan->scale, pen->ink);
    } else {
        kal_canvas_lines(d->canvas, sample, 2, pen);
    }
    kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                    (KalTextPlace){.x = end + KAL_PLAN_SPACE * plan->scale,
                                   .y = y + middle * plan->name_size,
                                   .size = plan->name_size});
}

static void draw_y_texts(const Drawing *d, size_t panel)
{
    const KalPanelPlan *p = &d->plan->panels[panel];
    const double scale = d->plan->scale;
    const double size = KAL_PLAN_TICK * scale;
    const double right = p->frame.left - KAL_PLAN_SPACE * scale;
    for (int i = 0; i < p->ticks.count; i++) {
        KalStyled text = {.length = 0};
        kal_styled_add_tick(&text, p->ticks.text[i], p->ticks.powers);
        kal_canvas_text(
            d->canvas, text.text, KAL_INK_TEXT,
            (KalTextPlace){.x = right,
                           .y = place_y(d, panel, p->ticks.at[i]) + middle * size,
                           .size = size,
                           .align = 1.0});
    }
    KalStyled text;
    kal_plan_factor(&p->ticks, &text);
    kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                    (KalTextPlace){.x = p->frame.left,
                                   .y = p->frame.top - 0.35 * size,
                                   .size = size});
    kal_plan_y_label(d->figure, panel, &text);
    kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                    (KalTextPlace){.x = (KAL_PLAN_MARGIN + 0.8 * KAL_PLAN_TEXT) * scale,
                                   .y = p->frame.top + 0.5 * p->frame.height,
                                   .size = p->label_size,
                                   .align = 0.5,
                                   .upward = true});
}

// Below the last panel.
static void draw_x_texts(const Drawing *d)
{
    const KalPlan *plan = d->plan;
    const KalBox *f = &plan->panels[d->figure->n_panels - 1].frame;
    const double size = KAL_PLAN_TICK * plan->scale;
    const double tick_y =
        f->top + f->height + KAL_PLAN_SPACE * plan->scale + 0.78 * size;
    const double label_y = plan->height - (KAL_PLAN_MARGIN + 2.0) * plan->scale;
    for (int i = 0; i < plan->x_ticks.count; i++) {
        KalStyled text = {.length = 0};
        kal_styled_add_tick(&text, plan->x_ticks.text[i], plan->x_ticks.powers);
        kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                        (KalTextPlace){.x = place_x(d, f, plan->x_ticks.at[i]),
                                       .y = tick_y,
                                       .size = size,
                                       .align = 0.5});
    }
    KalStyled text;
    kal_plan_x_label(d->figure, &text);
    kal_canvas_text(d->canvas, text.text, KAL_INK_TEXT,
                    (KalTextPlace){.x = f->left + 0.5 * f->width,
                                   .y = label_y,
                                   .size = KAL_PLAN_TEXT * plan->scale,
                                   .align = 0.5});
    kal_plan_factor(&plan->x_ticks, &text);
    kal_canvas_text(
        d->canvas, text.text, KAL_INK_TEXT,
        (KalTextPlace){
            .x = f->left + f->width, .y = label_y, .size = size, .align = 1.0});
}

// Filled for stable, open for unstable, with a dot for what is between.
static void draw_mark(const Drawing *d, KalSpot at, double stability)
{
    enum {
        CORNERS = 24
    };

    const double radius = mark_radius * d->plan->scale;
    const KalPen pen = {.ink = KAL_INK_TEXT, .width = curve_width * d->plan->scale};
    if (stability <= 0.0) {
        KalSpot ring[CORNERS + 2]; // once more, for the corner
        for (int i = 0; i < CORNERS + 2; i++) {
            const double angle = 2.0 * acos(-1.0) * i / CORNERS;
            ring[i] = (KalSpot){at.x + radius * cos(angle), at.y + radius * sin(angle)};
        }
        kal_canvas_lines(d->canvas, ring, CORNERS + 2, &pen);
    }
    if (stability >= 0.0) {
        kal_canvas_dot(d->canvas, at, (stability > 0.0 ? 1.2 : 0.4) * radius,
                       KAL_INK_TEXT);
    }
}

static void draw_marks(const Drawing *d, size_t panel)
{
    const KalFigure *figure = d->figure;
    const size_t count = figure->marks ? kal_table_rows(figure->marks) : 0;
    for (size_t k = 0; k < figure->panels[panel].count; k++) {
        for (size_t i = 0; i < count; i++) {
            KalMark mark;
            if (kal_figure_mark(figure, panel, k, i, &mark)) {
                const KalSpot at = {place_x(d, &d->plan->panels[panel].frame, mark.x),
                                    place_y(d, panel, mark.y)};
                draw_mark(d, at, mark.stability);
            }
        }
    }
}

static KalStatus draw_panel(const Drawing *d, size_t panel)
{
    const KalPanel *p = &d->figure->panels[panel];
    if (d->figure->options.kind != KAL_FIGURE_MAP) {
        draw_grid(d, panel);
    }
    for (size_t i = 0; i < p->count; i++) {
        KalPen pen;
        KAL_TRY(draw_curve(d, panel, i, &pen));
        if (kal_panel_is_named(p)) {
            draw_name(d, panel, i, &pen);
        }
    }
    draw_frame(d, panel);
    draw_marks(d, panel);
    draw_y_texts(d, panel);
    return KAL_OK;
}

static KalStatus draw(const Drawing *d)
{
    const KalPlan *plan = d->plan;
    kal_plan_make(d->figure, (KalMeasure){measure, d->canvas}, d->plan);
    for (size_t i = 0; i < d->figure->n_panels; i++) {
        KAL_TRY(draw_panel(d, i));
    }
    draw_x_texts(d);
    kal_canvas_text(d->canvas, d->figure->title, KAL_INK_TEXT,
                    (KalTextPlace){.x = plan->panels[0].frame.left
                                        + 0.5 * plan->panels[0].frame.width,
                                   .y = plan->title_y,
                                   .size = KAL_PLAN_TITLE * plan->scale,
                                   .align = 0.5});
    return KAL_OK;
}

static KalStatus write_canvas(const Drawing *d, const char *path)
{
    KalFile *file = NULL;
    KAL_TRY(kal_file_create(d->figure->ctx, path, &file));
    KalStatus status =
        kal_canvas_finish(d->canvas, d->figure->title, kal_file_sink(file));
    if (status == KAL_OK) {
        status = kal_file_close(file);
    }
    if (status == KAL_OK) {
        status = kal_file_finish(file);
    }
    kal_file_destroy(file);
    return status;
}

KalStatus kal_figure_write(const KalFigure *figure, const char *path)
{
    KAL_NEED(figure ? figure->ctx : NULL, figure && path);
    KalCanvasKind kind = KAL_CANVAS_SVG;
    const KalSpot size = kal_plan_size(figure);
    const KalSheetSize sheet = {size.x, size.y, figure->options.dots_per_inch / 72.0};
    Drawing d = {.figure = figure};
    KAL_TRY(kal_figure_check(figure));
    KAL_TRY(find_kind(figure->ctx, path, &kind));
    if (kind == KAL_CANVAS_PNG) {
        KAL_TRY(check_image(figure, sheet));
    }
    KAL_TRY(
        kal_canvas_create(figure->ctx, kind, sheet, figure->options.theme, &d.canvas));
    d.plan = KAL_NEW(figure->ctx, KalPlan);
    KalStatus status = d.plan ? draw(&d) : kal_no_memory(figure->ctx, "for a figure");
    if (status == KAL_OK) {
        status = write_canvas(&d, path);
    }
    kal_free(figure->ctx, d.plan, sizeof *d.plan);
    kal_canvas_destroy(d.canvas);
    return status;
}

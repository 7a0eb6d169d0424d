// SPDX-License-Identifier: MIT

// The plan of a sheet, with letters that are all as wide as half their size.

#include "figure/plan.h"
#include "rng.h"
#include "tables.h"
#include "tap.h"

static double measure(void *user, const char *styled, double size)
{
    const char *rest = styled;
    KalLetters letters = {.length = 0};
    double width = 0.0;
    (void)user;
    while (kal_styled_next(&rest, &letters)) {
        width += 0.5 * size * (double)letters.length;
    }
    return width;
}

static const KalMeasure half = {measure, NULL};

static KalContext *ctx;
static KalTable *table;

static void make(const KalFigureOptions *options, const char *const *panels, int count,
                 KalPlan *out_plan, KalFigure **out_figure)
{
    KalFigure *figure = NULL;
    ok(kal_figure_create(ctx, table, options, &figure) == KAL_OK);
    for (int i = 0; i < count; i++) {
        ok(kal_figure_add_panel(figure, &panels[i], 1) == KAL_OK);
    }
    kal_plan_make(figure, half, out_plan);
    *out_figure = figure;
}

static bool is_on_sheet(const KalPlan *plan, const KalBox *frame)
{
    return frame->left >= 0.0 && frame->top >= 0.0 && frame->width > 0.0
           && frame->height > 0.0 && frame->left + frame->width <= plan->width
           && frame->top + frame->height <= plan->height;
}

static void check_panel(const KalFigure *figure, const KalPlan *plan, size_t i)
{
    const KalPanelPlan *p = &plan->panels[i];
    const KalBox *frame = &p->frame;
    ok(is_on_sheet(plan, frame));
    near(frame->left, plan->panels[0].frame.left, 0.0);
    near(frame->width, plan->panels[0].frame.width, 0.0);
    if (i > 0) {
        const KalBox *above = &plan->panels[i - 1].frame;
        ok(frame->top > above->top + above->height);
    }
    for (size_t k = 0; k < figure->panels[i].count; k++) {
        ok(p->name_y[k] >= frame->top && p->name_y[k] <= frame->top + frame->height);
    }
    ok(p->ticks.count >= 2);
    for (int k = 0; k < p->ticks.count; k++) {
        const double place = kal_axis_place(&plan->axes.y[i], p->ticks.at[k]);
        ok(place >= -1e-9 && place <= 1.0 + 1e-9);
    }
}

// The texts of ticks stand side by side.
static void check_x_ticks(const KalPlan *plan)
{
    const KalTicks *ticks = &plan->x_ticks;
    const KalBox *frame = &plan->panels[0].frame;
    double end = -INFINITY;
    for (int i = 0; i < ticks->count; i++) {
        KalStyled text = {.length = 0};
        kal_styled_add_tick(&text, ticks->text[i], ticks->powers);
        const double width = measure(NULL, text.text, KAL_PLAN_TICK * plan->scale);
        const double x =
            frame->left + frame->width * kal_axis_place(&plan->axes.x, ticks->at[i]);
        ok(x - 0.5 * width > end);
        end = x + 0.5 * width;
    }
    ok(end <= plan->width);
}

static void panels_lie_on_the_sheet(void)
{
    static const char *const panels[] = {"x", "*", "theta", "x*", "y", "x'"};
    Rng rng = {.state = 1};
    for (int i = 0; i < 500; i++) {
        KalPlan plan;
        KalFigure *figure = NULL;
        KalFigureOptions options = kal_figure_options();
        options.width = 60.0 * pow(30.0, rng_unit(&rng));
        options.height = rng_int(&rng, 0, 3) == 0 ? 0.0 : 60.0 + 300.0 * rng_unit(&rng);
        options.title = rng_int(&rng, 0, 1) == 0 ? "title" : NULL;
        options.equal = rng_int(&rng, 0, 3) == 0;
        options.log_x = !options.equal && rng_int(&rng, 0, 3) == 0;
        options.x = rng_int(&rng, 0, 1) == 0 ? "t" : "x";
        const int count = rng_int(&rng, 1, 6);
        make(&options, panels, count, &plan, &figure);
        for (int k = 0; k < count; k++) {
            check_panel(figure, &plan, (size_t)k);
        }
        check_x_ticks(&plan);
        kal_figure_destroy(figure);
    }
}

static void a_tiny_sheet_has_panels_too(void)
{
    static const char *const panels[] = {"*", "x", "y"};
    KalPlan plan;
    KalFigure *figure = NULL;
    KalFigureOptions options = kal_figure_options();
    options.width = options.height = 20.0;
    make(&options, panels, 3, &plan, &figure);
    ok(plan.scale < 0.4);
    for (size_t i = 0; i < 3; i++) {
        check_panel(figure, &plan, i);
    }
    kal_figure_destroy(figure);
}

static void equal_axes_have_equal_lengths(void)
{
    static const char *const panels[] = {"y"};
    KalPlan plan;
    KalFigure *figure = NULL;
    KalFigureOptions options = kal_figure_options();
    options.equal = true;
    options.x = "x";
    make(&options, panels, 1, &plan, &figure);
    const KalBox *frame = &plan.panels[0].frame;
    const KalAxes *axes = &plan.axes;
    near((axes->x.high - axes->x.low) / frame->width
             / ((axes->y[0].high - axes->y[0].low) / frame->height),
         1.0, 1e-12);
    kal_figure_destroy(figure);
}

static void time_fills_the_axis(void)
{
    static const char *const panels[] = {"y"};
    KalPlan plan;
    KalFigure *figure = NULL;
    const KalFigureOptions options = kal_figure_options();
    make(&options, panels, 1, &plan, &figure);
    near(plan.axes.x.low, 0.0, 0.0);
    near(plan.axes.x.high, 4.0 * acos(-1.0), 1e-12);
    kal_figure_destroy(figure);
}

static void names_keep_their_distance(void)
{
    Rng rng = {.state = 3};
    for (int i = 0; i < 2000; i++) {
        double places[KAL_FIGURE_CURVE_LIMIT];
        double before[KAL_FIGURE_CURVE_LIMIT];
        const size_t count = (size_t)rng_int(&rng, 1, KAL_FIGURE_CURVE_LIMIT);
        const double gap = 20.0 * rng_unit(&rng);
        for (size_t k = 0; k < count; k++) {
            places[k] = 10.0 + 100.0 * rng_unit(&rng);
            before[k] = places[k];
        }
        kal_places_spread(places, count, gap, 10.0, 110.0);
        const double kept = count > 1 ? fmin(gap, 100.0 / (double)(count - 1)) : 0.0;
        for (size_t k = 0; k < count; k++) {
            ok(places[k] >= 10.0 - 1e-9 && places[k] <= 110.0 + 1e-9);
            for (size_t j = 0; j < k; j++) {
                ok(fabs(places[k] - places[j]) >= kept - 1e-9);
                ok((places[k] > places[j]) == (before[k] >= before[j]));
            }
        }
    }
    double near_by[] = {50.0, 49.0, 51.0};
    kal_places_spread(near_by, 3, 10.0, 0.0, 100.0);
    near(near_by[0], 50.0, 1e-12); // around their mean
    near(near_by[1], 40.0, 1e-12);
    near(near_by[2], 60.0, 1e-12);
    double apart[] = {50.0, 20.0, 80.0};
    kal_places_spread(apart, 3, 10.0, 0.0, 100.0);
    ok(apart[0] == 50.0 && apart[1] == 20.0 && apart[2] == 80.0);
}

static void label_is(size_t panel, const char *const *panels, int count,
                     const char *want)
{
    KalFigure *figure = NULL;
    KalPlan plan;
    KalStyled text;
    char got[256] = "";
    const KalFigureOptions options = kal_figure_options();
    make(&options, panels, count, &plan, &figure);
    kal_plan_y_label(figure, panel, &text);
    const char *rest = text.text;
    KalLetters letters = {.length = 0};
    while (kal_styled_next(&rest, &letters)) {
        (void)snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s",
                       (int)letters.length, letters.text);
    }
    same_text(got, want);
    kal_figure_destroy(figure);
}

static void axes_say_what_they_show(void)
{
    static const char *const panels[] = {"x", "theta", "*", "?"};
    label_is(0, panels, 4, "x [m]");
    label_is(1, panels, 4, "θ [rad]");
    label_is(2, panels, 4, ""); // of several units: names have them
    label_is(3, panels, 4, "x, y [m]");
}

static void factors_are_written(void)
{
    KalTicks ticks;
    KalStyled text;
    kal_ticks_find(9.81, 9.810004, false, 5, &ticks);
    kal_plan_factor(&ticks, &text);
    same_text(text.text, "×10" KAL_STYLE_UPPER "−6" KAL_STYLE_LINE " + 9.81");
    kal_ticks_find(0.0, 1.0, false, 5, &ticks);
    kal_plan_factor(&ticks, &text);
    same_text(text.text, "");
}

int main(void)
{
    const TapCase cases[] = {TAP_CASE(panels_lie_on_the_sheet),
                             TAP_CASE(a_tiny_sheet_has_panels_too),
                             TAP_CASE(equal_axes_have_equal_lengths),
                             TAP_CASE(time_fills_the_axis),
                             TAP_CASE(names_keep_their_distance),
                             TAP_CASE(axes_say_what_they_show),
                             TAP_CASE(factors_are_written)};
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK
        || table_create(ctx, &table) != KAL_OK) {
        return 1;
    }
    const int status = tap_run(cases, (int)(sizeof cases / sizeof cases[0]));
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    return status;
}

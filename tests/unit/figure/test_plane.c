// SPDX-License-Identifier: MIT

// Maps: where cells end, which color they have, and that colors are in order.

#include "figure/plane.h"
#include "tables.h"
#include "tap.h"

typedef struct Lab {
    KalContext *ctx;
    KalTable *table;
    KalFigure *figure;
} Lab;

// Values of z = 10 y + x for x = 1, 2, 4 and y = 1, 100; one cell has none.
static void open_lab(Lab *lab, bool log_y)
{
    static const char *const names[] = {"x", "y", "z"};
    static const double numbers[] = {1, 1,   11,   2, 1,   12,  4, 1,   14,
                                     1, 100, 1001, 2, 100, NAN, 4, 100, 1004};
    const char *z = "z";
    KalFigureOptions o = kal_figure_options();
    o.kind = KAL_FIGURE_MAP;
    o.x = "x";
    o.y = "y";
    o.log_y = log_y;
    *lab = (Lab){.ctx = NULL};
    ok(kal_context_create(NULL, NULL, &lab->ctx) == KAL_OK);
    lab->table = table_of(lab->ctx, names, 3, numbers, 6);
    ok(kal_figure_create(lab->ctx, lab->table, &o, &lab->figure) == KAL_OK);
    ok(kal_figure_add_panel(lab->figure, &z, 1) == KAL_OK);
}

static void close_lab(Lab *lab)
{
    kal_figure_destroy(lab->figure);
    kal_table_destroy(lab->table);
    kal_context_destroy(lab->ctx);
}

static void cells_end_half_way(void)
{
    Lab lab;
    open_lab(&lab, false);
    const KalAxis x = kal_plane_axis(lab.figure, false);
    near(x.low, 0.5, 1e-12); // half way to 2, outwards
    near(x.high, 5.0, 1e-12);
    near(kal_plane_axis(lab.figure, true).low, -48.5, 1e-12);
    // Edges at 1.5 and 3 of 0.5 … 5.
    near(kal_plane_value(lab.figure, 0, (KalSpot){0.99 / 4.5, 0.1}), 11.0, 0.0);
    near(kal_plane_value(lab.figure, 0, (KalSpot){1.01 / 4.5, 0.1}), 12.0, 0.0);
    near(kal_plane_value(lab.figure, 0, (KalSpot){2.51 / 4.5, 0.9}), 1004.0, 0.0);
    ok(isnan(kal_plane_value(lab.figure, 0, (KalSpot){2.0 / 4.5, 0.9})));
    close_lab(&lab);
    open_lab(&lab, true);
    near(kal_plane_axis(lab.figure, true).low, 0.1, 1e-12);
    near(kal_plane_axis(lab.figure, true).high, 1000.0, 1e-9);
    close_lab(&lab);
}

static void pictures_have_the_colors_of_values(void)
{
    Lab lab;
    KalPlaneImage image = {.pixels = NULL};
    open_lab(&lab, true);
    ok(kal_plane_paint(lab.figure, 0, &image) == KAL_OK);
    const KalAxis colors = kal_plane_colors(lab.figure, 0);
    near(colors.low, 11.0, 0.0);
    near(colors.high, 1004.0, 0.0);
    const size_t bottom = (image.height - 1) * image.width;
    ok(image.pixels[bottom] == (0xff000000U | kal_plane_color(0.0)));
    ok(image.pixels[image.width - 1] == (0xff000000U | kal_plane_color(1.0)));
    ok(image.pixels[image.width / 2] == 0); // no value, no color
    kal_plane_clear(lab.figure, &image);
    close_lab(&lab);
}

// The part of light that a color gives, by ITU-R BT.709.
static double light_of(uint32_t color)
{
    static const double weights[] = {0.0722, 0.7152, 0.2126};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double part = (double)(color >> 8 * i & 0xff) / 255.0;
        sum += weights[i]
               * (part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static void colors_become_lighter(void)
{
    double before = -1.0;
    for (int i = 0; i <= 64; i++) {
        const double light = light_of(kal_plane_color(i / 64.0));
        ok(light > before);
        before = light;
    }
    ok(before > 0.7 && light_of(kal_plane_color(0.0)) < 0.03);
    ok(kal_plane_color(-1.0) == kal_plane_color(0.0));
    ok(kal_plane_color(2.0) == kal_plane_color(1.0));
}

TAP_RUN(TAP_CASE(cells_end_half_way), TAP_CASE(pictures_have_the_colors_of_values),
        TAP_CASE(colors_become_lighter))

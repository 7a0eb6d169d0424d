// SPDX-License-Identifier: MIT

// Maps as pictures.
//
// Where the cells are of equal size on the axes, as those of a grid are, a pixel, or a square
// of a few so that viewers that smooth pictures leave edges sharp, is a cell; otherwise the
// picture is fine enough that it makes no difference, and each pixel has the color of the cell
// below its middle.
//
// Colors go from dark blue to light yellow.  They are even in the space Oklab (B. Ottosson, A
// perceptual color space for image processing, 2020): lightness grows in proportion, so that
// equal steps look equal, and stay in order in print without color and for eyes of any kind.

#include "figure/plane.h"

#include <assert.h>
#include <math.h>

enum {
    FINE = 1200,   // pixels along a side whose cells differ in size
    ENOUGH = 600,  // pixels along a side, at least
    CHANNEL = 255, // the most of a color
};

// The value of an axis of row or column i.
static double value_of(const KalFigure *figure, bool up, size_t i)
{
    return up ? kal_table_row(figure->table, i * figure->across)[figure->y]
              : kal_table_row(figure->table, i)[figure->x];
}

static size_t count_of(const KalFigure *figure, bool up)
{
    return up ? kal_table_rows(figure->table) / figure->across : figure->across;
}

// Whether all rows are where a map has them.
static bool is_map(const KalFigure *figure)
{
    const size_t rows = kal_table_rows(figure->table);
    bool right = rows % figure->across == 0;
    for (size_t i = 0; i < rows && right; i++) {
        const double *row = kal_table_row(figure->table, i);
        const size_t x = i % figure->across;
        const size_t y = i / figure->across;
        right = kal_axis_takes(figure->options.log_x, row[figure->x])
                && kal_axis_takes(figure->options.log_y, row[figure->y])
                && row[figure->x] == value_of(figure, false, x)
                && row[figure->y] == value_of(figure, true, y)
                && (x == 0 || row[figure->x] > value_of(figure, false, x - 1))
                && (y == 0 || row[figure->y] > value_of(figure, true, y - 1));
    }
    return right;
}

// A map is a full grid with x running fastest: `across` is how many rows go by until y
// changes.
KalStatus kal_plane_check(KalFigure *figure)
{
    const KalTable *table = figure->table;
    const size_t rows = kal_table_rows(table);
    const char *name = figure->options.y;
    figure->y = name ? kal_table_find_column(table, name) : kal_table_columns(table);
    size_t across = 1;
    while (figure->y < kal_table_columns(table) && across < rows
           && kal_table_row(table, across)[figure->y]
                  == kal_table_row(table, 0)[figure->y]) {
        across++;
    }
    figure->across = across;
    if (figure->y == kal_table_columns(table) || !is_map(figure)) {
        return kal_fail(figure->ctx, KAL_ERR_USAGE,
                        "a map needs columns x and y and a row for each of their "
                        "combinations, x fastest, as kal_figure_condense() makes");
    }
    return KAL_OK;
}

static bool is_logarithmic(const KalFigure *figure, bool up)
{
    return up ? figure->options.log_y : figure->options.log_x;
}

// Where two cells meet; for the outer ones as far outside as the next edge is inside.
static double between(double a, double b, bool logarithmic)
{
    return logarithmic ? sqrt(a) * sqrt(b) : 0.5 * (a + b);
}

// Edge i of the cells, from 0 to their count.
static double edge(const KalFigure *figure, bool up, size_t i)
{
    const size_t count = count_of(figure, up);
    const bool log = is_logarithmic(figure, up);
    assert(count > 1 && i <= count);
    if (i > 0 && i < count) {
        return between(value_of(figure, up, i - 1), value_of(figure, up, i), log);
    }
    const double own = value_of(figure, up, i == 0 ? 0 : count - 1);
    const double next = value_of(figure, up, i == 0 ? 1 : count - 2);
    const double inner = between(own, next, log);
    return log ? own * (own / inner) : own + (own - inner);
}

KalAxis kal_plane_axis(const KalFigure *figure, bool up)
{
    const size_t count = count_of(figure, up);
    const bool log = is_logarithmic(figure, up);
    if (count > 1) {
        return (KalAxis){edge(figure, up, 0), edge(figure, up, count), log};
    }
    KalAxisRange one = {.count = 0};
    kal_range_add(&one, log, value_of(figure, up, 0));
    return kal_axis_fit(&one, log, 0.0);
}

KalAxis kal_plane_colors(const KalFigure *figure, size_t panel)
{
    assert(panel < figure->n_panels && figure->panels[panel].count == 1);
    return kal_axis_fit(&figure->panels[panel].curves[0].range, figure->options.log_z,
                        0.0);
}

// A part of a channel as sRGB has it.
static uint32_t channel(double linear)
{
    const double part = fmin(fmax(linear, 0.0), 1.0);
    const double shown =
        part <= 0.0031308 ? 12.92 * part : 1.055 * pow(part, 1.0 / 2.4) - 0.055;
    return (uint32_t)lround(CHANNEL * shown);
}

uint32_t kal_plane_color(double place)
{
    const double p = fmin(fmax(place, 0.0), 1.0);
    const double pi = acos(-1.0);
    const double lightness = 0.25 + 0.67 * p;
    const double hue = (290.0 - 185.0 * p) * pi / 180.0;
    const double chroma = 0.088 + 0.28 * (p - 0.4) * (p - 0.4); // within sRGB
    const double a = chroma * cos(hue);
    const double b = chroma * sin(hue);
    const double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3.0);
    const double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3.0);
    const double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3.0);
    const uint32_t red =
        channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    const uint32_t green =
        channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    const uint32_t blue =
        channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return red << 16 | green << 8 | blue;
}

// The cell at a place on an axis: the last whose lower edge is not above.
static size_t cell_at(const KalFigure *figure, const KalAxis *axis, bool up,
                      double place)
{
    size_t low = 0;
    size_t high = count_of(figure, up);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (kal_axis_place(axis, edge(figure, up, middle)) <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static double value_in(const KalFigure *figure, size_t panel, size_t x, size_t y)
{
    const size_t column = figure->panels[panel].curves[0].column;
    const double value = kal_table_row(figure->table, y * figure->across + x)[column];
    return kal_axis_takes(figure->options.log_z, value) ? value : NAN;
}

double kal_plane_value(const KalFigure *figure, size_t panel, KalSpot place)
{
    const KalAxis across = kal_plane_axis(figure, false);
    const KalAxis up = kal_plane_axis(figure, true);
    return value_in(figure, panel, cell_at(figure, &across, false, place.x),
                    cell_at(figure, &up, true, place.y));
}

// Whether all cells have the same size on their axis.
static bool is_even(const KalFigure *figure, const KalAxis *axis, bool up)
{
    const size_t count = count_of(figure, up);
    bool even = true;
    for (size_t i = 0; count > 1 && i <= count && even; i++) {
        const double at = kal_axis_place(axis, edge(figure, up, i)) * (double)count;
        even = fabs(at - (double)i) < 0.05;
    }
    return even;
}

static size_t pixels_along(const KalFigure *figure, const KalAxis *axis, bool up)
{
    const size_t count = count_of(figure, up);
    if (!is_even(figure, axis, up)) {
        return FINE;
    }
    return count >= ENOUGH ? count : (ENOUGH + count - 1) / count * count;
}

// Which cell each pixel along a side shows.
static void find_cells(const KalFigure *figure, const KalAxis *axis, bool up,
                       size_t count, size_t *out_cells)
{
    for (size_t i = 0; i < count; i++) {
        out_cells[i] = cell_at(figure, axis, up, ((double)i + 0.5) / (double)count);
    }
}

static void fill(const KalFigure *figure, size_t panel, const size_t *cells,
                 const KalPlaneImage *image)
{
    const KalAxis colors = kal_plane_colors(figure, panel);
    for (size_t y = 0; y < image->height; y++) {
        uint32_t *row = image->pixels + (image->height - 1 - y) * image->width;
        const size_t *up = cells + image->width;
        for (size_t x = 0; x < image->width; x++) {
            const double value = value_in(figure, panel, cells[x], up[y]);
            row[x] =
                isnan(value)
                    ? 0
                    : 0xff000000U | kal_plane_color(kal_axis_place(&colors, value));
        }
    }
}

// For each row and each column of pixels the cell below its middle is found once.
KalStatus kal_plane_paint(const KalFigure *figure, size_t panel,
                          KalPlaneImage *out_image)
{
    const KalAxis across = kal_plane_axis(figure, false);
    const KalAxis up = kal_plane_axis(figure, true);
    KalPlaneImage image = {.width = pixels_along(figure, &across, false),
                           .height = pixels_along(figure, &up, true)};
    const size_t sides = image.width + image.height;
    size_t *cells = (size_t *)kal_alloc(figure->ctx, sides, sizeof *cells);
    image.pixels = (uint32_t *)kal_alloc(figure->ctx, image.width * image.height,
                                         sizeof *image.pixels);
    if (!cells || !image.pixels) {
        kal_free(figure->ctx, cells, cells ? sides * sizeof *cells : 0);
        kal_plane_clear(figure, &image);
        return kal_no_memory(figure->ctx, "for a map");
    }
    find_cells(figure, &across, false, image.width, cells);
    find_cells(figure, &up, true, image.height, cells + image.width);
    fill(figure, panel, cells, &image);
    kal_free(figure->ctx, cells, sides * sizeof *cells);
    *out_image = image;
    return KAL_OK;
}

void kal_plane_clear(const KalFigure *figure, KalPlaneImage *image)
{
    kal_free(figure->ctx, image->pixels,
             image->pixels ? image->width * image->height * sizeof *image->pixels : 0);
    *image = (KalPlaneImage){.pixels = NULL};
}

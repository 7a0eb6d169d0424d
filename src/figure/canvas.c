// SPDX-License-Identifier: MIT

// All that the project knows of cairo.
//
// Letters are those of the font that the system calls sans-serif.  In an SVG they are
// outlines, so that it looks the same everywhere; in a PDF they are text.

#include "figure/canvas.h"

#include "figure/cairo_library.h"
#include "figure/styled.h"
#include "figure/svg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const char *const library_names[] = {"libcairo.so.2", "libcairo.so", NULL};

// In parts of the size of letters.
static const double script_size = 0.72;
static const double script_down = 0.18;
static const double script_up = 0.36;
static const double dot_radius = 0.06;
static const double dot_distance = 0.22;
static const double dot_height = 0.14; // above the letter
static const double bytes_per_dot = 4.0;
static const double slant = 0.06; // of the top of an italic letter, to the right

struct KalCanvas {
    KalContext *ctx;
    KalCairoLibrary lib;
    KalCanvasKind kind;
    KalFigureTheme theme;
    KalBlock bytes;   // of the file
    KalStatus status; // of taking them
    cairo_surface_t *surface;
    cairo_t *cr;
};

// cairo hands over bytes as they come; after a failure none are kept.
static cairo_status_t take(void *user, const unsigned char *data, unsigned int length)
{
    assert(data || length == 0);
    KalCanvas *canvas = (KalCanvas *)user;
    if (canvas->status == KAL_OK) {
        canvas->status = kal_block_add(canvas->ctx, &canvas->bytes, data, length);
    }
    return canvas->status == KAL_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

// A color of the theme.
static void set_ink(KalCanvas *canvas, KalInk ink)
{
    assert(canvas->cr);
    const uint32_t color = kal_ink_color(ink, canvas->theme == KAL_FIGURE_DARK);
    canvas->lib.cairo_set_source_rgb(canvas->cr, (double)(color >> 16 & 0xff) / 255.0,
                                     (double)(color >> 8 & 0xff) / 255.0,
                                     (double)(color & 0xff) / 255.0);
}

// Files are made in memory and written when they are whole.
static cairo_surface_t *create_surface(KalCanvas *canvas, KalSheetSize size)
{
    assert(size.width > 0.0 && size.height > 0.0);
    const KalCairoLibrary *lib = &canvas->lib;
    switch (canvas->kind) {
    case KAL_CANVAS_SVG:
        return lib->cairo_svg_surface_create_for_stream(take, canvas, size.width,
                                                        size.height);
    case KAL_CANVAS_PDF:
        return lib->cairo_pdf_surface_create_for_stream(take, canvas, size.width,
                                                        size.height);
    case KAL_CANVAS_PNG: break;
    }
    return lib->cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                           (int)lround(size.width * size.dots),
                                           (int)lround(size.height * size.dots));
}

// Letters keep their true widths: a figure is not laid out for the dots of a screen.
static void set_font_options(KalCanvas *canvas)
{
    const KalCairoLibrary *lib = &canvas->lib;
    cairo_font_options_t *options = lib->cairo_font_options_create();
    lib->cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    lib->cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    lib->cairo_set_font_options(canvas->cr, options);
    lib->cairo_font_options_destroy(options);
}

// A page of its own color unless the page on which the figure will be has one.
static void paint_page(KalCanvas *canvas)
{
    if (canvas->theme != KAL_FIGURE_AUTO || canvas->kind == KAL_CANVAS_PNG) {
        set_ink(canvas, KAL_INK_PAGE);
        canvas->lib.cairo_paint(canvas->cr);
    }
}

// In our words what cairo reported.
static KalStatus check(const KalCanvas *canvas, cairo_status_t status)
{
    if (canvas->status != KAL_OK) {
        return canvas->status;
    }
    if (status == CAIRO_STATUS_SUCCESS) {
        return KAL_OK;
    }
    return kal_fail(
        canvas->ctx, status == CAIRO_STATUS_NO_MEMORY ? KAL_ERR_NOMEM : KAL_ERR_FILE,
        "cairo cannot draw the figure: %s", canvas->lib.cairo_status_to_string(status));
}

static KalStatus init(KalCanvas *canvas, KalSheetSize size)
{
    const KalCairoLibrary *lib = &canvas->lib;
    const double dots = size.width * size.dots * size.height * size.dots;
    KAL_TRY(kal_cairo_library_open(canvas->ctx, library_names, &canvas->lib));
    if (canvas->kind == KAL_CANVAS_PNG // which is there twice while it is written
        && !kal_memory_is_there((size_t)(2.0 * bytes_per_dot * dots) + 1)) {
        return kal_no_memory(canvas->ctx, "for an image");
    }
    canvas->surface = create_surface(canvas, size);
    canvas->cr = lib->cairo_create(canvas->surface);
    if (canvas->kind == KAL_CANVAS_PNG) {
        lib->cairo_scale(canvas->cr, size.dots, size.dots);
    }
    set_font_options(canvas);
    paint_page(canvas);
    return check(canvas, lib->cairo_status(canvas->cr));
}

KalStatus kal_canvas_create(KalContext *ctx, KalCanvasKind kind, KalSheetSize size,
                            KalFigureTheme theme, KalCanvas **out_canvas)
{
    KalCanvas *canvas = KAL_NEW(ctx, KalCanvas);
    if (!canvas) {
        return kal_no_memory(ctx, "for a figure");
    }
    canvas->ctx = ctx;
    canvas->kind = kind;
    canvas->theme = theme;
    const KalStatus status = init(canvas, size);
    if (status != KAL_OK) {
        kal_canvas_destroy(canvas);
        return status;
    }
    *out_canvas = canvas;
    return KAL_OK;
}

// A surface may still write when it is destroyed, so the block goes last.
void kal_canvas_destroy(KalCanvas *canvas)
{
    if (canvas) {
        if (canvas->surface) {
            canvas->lib.cairo_destroy(canvas->cr);
            canvas->lib.cairo_surface_destroy(canvas->surface);
        }
        kal_block_clear(canvas->ctx, &canvas->bytes);
        kal_free(canvas->ctx, canvas, sizeof *canvas);
    }
}

static void set_font(KalCanvas *canvas, const KalLetters *letters, double size)
{
    assert(size > 0.0);
    canvas->lib.cairo_select_font_face(canvas->cr, "sans-serif",
                                       letters->italic ? CAIRO_FONT_SLANT_OBLIQUE
                                                       : CAIRO_FONT_SLANT_NORMAL,
                                       CAIRO_FONT_WEIGHT_NORMAL);
    canvas->lib.cairo_set_font_size(canvas->cr,
                                    letters->level == 0 ? size : script_size * size);
}

// Letters of one style as a text that ends.
static void copy_letters(const KalLetters *letters, char *out_text, size_t size)
{
    assert(size > 0);
    const size_t length = letters->length < size ? letters->length : size - 1;
    memcpy(out_text, letters->text, length);
    out_text[length] = '\0';
}

static void draw_dots(KalCanvas *canvas, int count, KalSpot middle, double size)
{
    assert(count >= 0);
    const KalCairoLibrary *lib = &canvas->lib;
    for (int i = 0; i < count; i++) {
        const double shift = (i - 0.5 * (count - 1)) * dot_distance * size;
        lib->cairo_arc(canvas->cr, middle.x + shift, middle.y, dot_radius * size, 0.0,
                       2.0 * acos(-1.0));
        lib->cairo_fill(canvas->cr);
    }
}

// Draw letters at a place, or only measure them; returns how far they move on.
static double set_letters(KalCanvas *canvas, const KalLetters *letters, double size,
                          const KalSpot *at)
{
    static const double shifts[] = {script_down, 0.0, -script_up};
    const KalCairoLibrary *lib = &canvas->lib;
    char text[sizeof((KalStyled *)0)->text];
    cairo_text_extents_t extents;
    copy_letters(letters, text, sizeof text);
    set_font(canvas, letters, size);
    lib->cairo_text_extents(canvas->cr, text, &extents);
    if (at) {
        assert(letters->level >= -1 && letters->level <= 1);
        const double y = at->y + shifts[letters->level + 1] * size;
        lib->cairo_move_to(canvas->cr, at->x, y);
        lib->cairo_show_text(canvas->cr, text);
        const KalSpot middle = {at->x + extents.x_bearing + 0.5 * extents.width
                                    + slant * size,
                                y + extents.y_bearing - dot_height * size};
        draw_dots(canvas, letters->dots, middle, size);
    }
    return extents.x_advance;
}

// Stretch after stretch of one style; returns the width of all.
static double set_text(KalCanvas *canvas, const char *styled, double size,
                       const KalSpot *at)
{
    const char *rest = styled;
    KalLetters letters = {.length = 0};
    double width = 0.0;
    while (kal_styled_next(&rest, &letters)) {
        const KalSpot place = {at ? at->x + width : 0.0, at ? at->y : 0.0};
        width += set_letters(canvas, &letters, size, at ? &place : NULL);
    }
    return width;
}

double kal_canvas_measure(KalCanvas *canvas, const char *styled, double size)
{
    return set_text(canvas, styled, size, NULL);
}

void kal_canvas_text(KalCanvas *canvas, const char *styled, KalInk ink,
                     KalTextPlace place)
{
    assert(styled);
    const KalCairoLibrary *lib = &canvas->lib;
    const double width = kal_canvas_measure(canvas, styled, place.size);
    const KalSpot origin = {-place.align * width, 0.0};
    lib->cairo_save(canvas->cr);
    set_ink(canvas, ink);
    lib->cairo_translate(canvas->cr, place.x, place.y);
    if (place.upward) {
        lib->cairo_rotate(canvas->cr, -0.5 * acos(-1.0));
    }
    set_text(canvas, styled, place.size, &origin);
    lib->cairo_restore(canvas->cr);
}

// Curves are broken where points are NaN, and end behind the last.
static bool is_gap(const KalSpot *points, size_t count, size_t i)
{
    return i >= count || isnan(points[i].x);
}

static void draw_dot(KalCanvas *canvas, KalSpot at, double radius)
{
    canvas->lib.cairo_arc(canvas->cr, at.x, at.y, radius, 0.0, 2.0 * acos(-1.0));
    canvas->lib.cairo_fill(canvas->cr);
}

void kal_canvas_dot(KalCanvas *canvas, KalSpot at, double radius, KalInk ink)
{
    set_ink(canvas, ink);
    draw_dot(canvas, at, radius);
}

void kal_canvas_lines(KalCanvas *canvas, const KalSpot *points, size_t count,
                      const KalPen *pen)
{
    assert(points || count == 0);
    const KalCairoLibrary *lib = &canvas->lib;
    cairo_t *cr = canvas->cr;
    const bool round = pen->ink >= KAL_INK_CURVE && pen->n_dashes == 0;
    set_ink(canvas, pen->ink);
    // Dots first: filling would take the lines along.
    for (size_t i = 0; i < count; i++) {
        const bool before = i > 0 && !is_gap(points, count, i - 1);
        if (!is_gap(points, count, i) && !before && is_gap(points, count, i + 1)) {
            draw_dot(canvas, points[i], 1.4 * pen->width);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_gap(points, count, i)) {
            continue;
        }
        if (i > 0 && !is_gap(points, count, i - 1)) {
            lib->cairo_line_to(cr, points[i].x, points[i].y);
        } else if (!is_gap(points, count, i + 1)) {
            lib->cairo_move_to(cr, points[i].x, points[i].y);
        }
    }
    lib->cairo_set_line_width(cr, pen->width);
    lib->cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    lib->cairo_set_line_cap(cr, round ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
    lib->cairo_set_dash(cr, pen->dashes, pen->n_dashes, 0.0);
    lib->cairo_stroke(cr);
}

// Lines of no length with round ends: shorter in a file than circles.
void kal_canvas_dots(KalCanvas *canvas, const KalSpot *points, size_t count,
                     double radius, KalInk ink)
{
    assert(points || count == 0);
    const KalCairoLibrary *lib = &canvas->lib;
    set_ink(canvas, ink);
    for (size_t i = 0; i < count; i++) {
        lib->cairo_move_to(canvas->cr, points[i].x, points[i].y);
        lib->cairo_line_to(canvas->cr, points[i].x, points[i].y);
    }
    lib->cairo_set_line_width(canvas->cr, 2.0 * radius);
    lib->cairo_set_line_cap(canvas->cr, CAIRO_LINE_CAP_ROUND);
    lib->cairo_set_dash(canvas->cr, NULL, 0, 0.0);
    lib->cairo_stroke(canvas->cr);
}

// A point that is not a number parts two areas.
void kal_canvas_areas(KalCanvas *canvas, const KalSpot *points, size_t count,
                      KalInk ink, double opacity)
{
    assert(points || count == 0);
    const KalCairoLibrary *lib = &canvas->lib;
    const uint32_t color = kal_ink_color(ink, canvas->theme == KAL_FIGURE_DARK);
    lib->cairo_set_source_rgba(canvas->cr, (double)(color >> 16 & 0xff) / 255.0,
                               (double)(color >> 8 & 0xff) / 255.0,
                               (double)(color & 0xff) / 255.0, opacity);
    for (size_t i = 0; i < count; i++) {
        if (isnan(points[i].x)) {
            continue;
        }
        if (i == 0 || isnan(points[i - 1].x)) {
            lib->cairo_move_to(canvas->cr, points[i].x, points[i].y);
        } else {
            lib->cairo_line_to(canvas->cr, points[i].x, points[i].y);
        }
    }
    lib->cairo_fill(canvas->cr);
}

// Copy a picture into a surface, whose rows may be longer.
static void copy_pixels(const KalCairoLibrary *lib, const KalPixels *picture,
                        cairo_surface_t *surface)
{
    unsigned char *data = lib->cairo_image_surface_get_data(surface);
    const int stride = lib->cairo_image_surface_get_stride(surface);
    lib->cairo_surface_flush(surface);
    for (size_t y = 0; data && y < picture->height; y++) {
        memcpy(data + y * (size_t)stride, picture->colors + y * picture->width,
               picture->width * sizeof *picture->colors);
    }
    lib->cairo_surface_mark_dirty(surface);
}

void kal_canvas_picture(KalCanvas *canvas, const KalPixels *picture, KalSpot corner,
                        KalSpot size)
{
    assert(picture->width > 0 && picture->height > 0);
    const KalCairoLibrary *lib = &canvas->lib;
    cairo_surface_t *surface = lib->cairo_image_surface_create(
        CAIRO_FORMAT_ARGB32, (int)picture->width, (int)picture->height);
    copy_pixels(lib, picture, surface);
    lib->cairo_save(canvas->cr);
    lib->cairo_translate(canvas->cr, corner.x, corner.y);
    lib->cairo_scale(canvas->cr, size.x / (double)picture->width,
                     size.y / (double)picture->height);
    lib->cairo_set_source_surface(canvas->cr, surface, 0.0, 0.0);
    lib->cairo_pattern_set_filter(lib->cairo_get_source(canvas->cr),
                                  CAIRO_FILTER_NEAREST);
    lib->cairo_paint(canvas->cr);
    lib->cairo_restore(canvas->cr);
    lib->cairo_surface_destroy(surface);
}

// A date would make every file of the same figure another one.
static void set_metadata(KalCanvas *canvas, const char *title)
{
    assert(title);
    const KalCairoLibrary *lib = &canvas->lib;
    if (canvas->kind == KAL_CANVAS_PDF) {
        lib->cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_TITLE,
                                            *title ? title : NULL);
        lib->cairo_pdf_surface_set_metadata(
            canvas->surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
    }
}

// PNG and PDF are written as cairo makes them; SVG is read once more for colors of dark
// pages.
KalStatus kal_canvas_finish(KalCanvas *canvas, const char *title, KalSink sink)
{
    assert(canvas->cr && sink.write);
    const KalCairoLibrary *lib = &canvas->lib;
    cairo_status_t status = lib->cairo_status(canvas->cr);
    KAL_TRY(check(canvas, status));
    set_metadata(canvas, title);
    if (canvas->kind == KAL_CANVAS_PNG) {
        status = lib->cairo_surface_write_to_png_stream(canvas->surface, take, canvas);
        KAL_TRY(check(canvas, status));
    }
    lib->cairo_surface_finish(canvas->surface);
    KAL_TRY(check(canvas, lib->cairo_surface_status(canvas->surface)));
    if (canvas->kind == KAL_CANVAS_SVG) {
        return kal_svg_write(canvas->ctx, &canvas->bytes,
                             canvas->theme == KAL_FIGURE_AUTO, title, sink);
    }
    sink.write(sink.user, canvas->bytes.data, canvas->bytes.size);
    return KAL_OK;
}

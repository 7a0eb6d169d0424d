// SPDX-License-Identifier: MIT

/// @file
/// The cairo library, loaded when a figure needs it and not with the program.
///
/// cairo.h is there for types and constants; nothing links against the library.  Functions
/// are called through the members of KalCairoLibrary that bear their names.

#ifndef FIGURE_CAIRO_LIBRARY_H
#define FIGURE_CAIRO_LIBRARY_H

#include "base/context.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

/// The functions that we call.
#define KAL_CAIRO_FUNCTIONS(X)             \
    X(cairo_arc)                           \
    X(cairo_create)                        \
    X(cairo_destroy)                       \
    X(cairo_fill)                          \
    X(cairo_font_options_create)           \
    X(cairo_font_options_destroy)          \
    X(cairo_font_options_set_hint_metrics) \
    X(cairo_font_options_set_hint_style)   \
    X(cairo_get_source)                    \
    X(cairo_image_surface_create)          \
    X(cairo_image_surface_get_data)        \
    X(cairo_image_surface_get_stride)      \
    X(cairo_line_to)                       \
    X(cairo_move_to)                       \
    X(cairo_paint)                         \
    X(cairo_pattern_set_filter)            \
    X(cairo_pdf_surface_create_for_stream) \
    X(cairo_pdf_surface_set_metadata)      \
    X(cairo_restore)                       \
    X(cairo_rotate)                        \
    X(cairo_save)                          \
    X(cairo_scale)                         \
    X(cairo_select_font_face)              \
    X(cairo_set_dash)                      \
    X(cairo_set_font_options)              \
    X(cairo_set_font_size)                 \
    X(cairo_set_line_cap)                  \
    X(cairo_set_line_join)                 \
    X(cairo_set_line_width)                \
    X(cairo_set_source_rgb)                \
    X(cairo_set_source_rgba)               \
    X(cairo_set_source_surface)            \
    X(cairo_show_text)                     \
    X(cairo_status)                        \
    X(cairo_status_to_string)              \
    X(cairo_stroke)                        \
    X(cairo_surface_destroy)               \
    X(cairo_surface_finish)                \
    X(cairo_surface_flush)                 \
    X(cairo_surface_mark_dirty)            \
    X(cairo_surface_status)                \
    X(cairo_surface_write_to_png_stream)   \
    X(cairo_svg_surface_create_for_stream) \
    X(cairo_text_extents)                  \
    X(cairo_translate)

#define KAL_CAIRO_MEMBER(name) __typeof__(name) *(name);

/// An open library.
typedef struct KalCairoLibrary {
    KAL_CAIRO_FUNCTIONS(KAL_CAIRO_MEMBER)
} KalCairoLibrary;

/// Open the first of `names`, which end with NULL, that is there; again costs next to
/// nothing.  KAL_ERR_FILE, with what to install, when none is there or it is not one that
/// we know.
KAL_CHECKED KalStatus kal_cairo_library_open(KalContext *ctx, const char *const *names,
                                             KalCairoLibrary *out_lib);

#endif

// SPDX-License-Identifier: MIT

// How cairo comes into the program: not before it is needed, and with an explanation when
// it does not.  This program is not linked with it.

#include "context.h"
#include "figure/cairo_library.h"
#include "folder.h"
#include "loaded.h"
#include "tables.h"
#include "tap.h"

#include <kalaba/figure.h>

static const char debian_name[] = "libcairo.so.2";

static void a_missing_library_is_named(void)
{
    KalContext *ctx = new_context();
    KalCairoLibrary lib = {.cairo_arc = NULL};
    const char *const names[] = {"libkalaba-none.so.1", NULL};
    ok(kal_cairo_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    ok(!lib.cairo_arc);
    same_text(kal_context_message(ctx),
              "figures need the cairo library, which cannot be loaded "
              "(libkalaba-none.so.1: cannot open shared object file: No such file or "
              "directory): install libcairo2");
    kal_context_destroy(ctx);
}

static void another_library_is_refused(void)
{
    KalContext *ctx = new_context();
    KalCairoLibrary lib;
    const char *const names[] = {"libkalaba-none.so", "libm.so.6", NULL};
    ok(kal_cairo_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "undefined symbol: cairo_arc)");
    kal_context_destroy(ctx);
}

static void drop(void *user, const char *text, size_t length)
{
    (void)user;
    ok(length == 0 || text != NULL);
}

static void the_library_is_loaded_when_needed(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    KalFigure *figure = NULL;
    const KalFigureOptions options = kal_figure_options();
    const KalTerminal terminal = {.columns = 80};
    const char *y = "y";
    ok(folder_open(&folder) && table_create(ctx, &table) == KAL_OK);
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_OK);
    ok(kal_figure_add_panel(figure, &y, 1) == KAL_OK);
    ok(kal_figure_print(figure, &terminal, (KalSink){drop, NULL}) == KAL_OK);
    ok(!is_loaded(debian_name));
    ok(kal_figure_write(figure, folder_file(&folder, "a.svg")) == KAL_OK);
    ok(is_loaded(debian_name));
    kal_figure_destroy(figure);
    kal_table_destroy(table);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_missing_library_is_named), TAP_CASE(another_library_is_refused),
        TAP_CASE(the_library_is_loaded_when_needed))

// SPDX-License-Identifier: MIT

// Figures in characters: their shape, and that nothing in them is obeyed by a terminal.

#include "tables.h"
#include "tap.h"

#include <kalaba/figure.h>

enum {
    LINES_LIMIT = 200
};

typedef struct Page {
    char text[1 << 16];
    size_t length;
    char *lines[LINES_LIMIT];
    int count;
} Page;

static void take(void *user, const char *text, size_t length)
{
    Page *page = (Page *)user;
    if (length < sizeof page->text - page->length) {
        memcpy(page->text + page->length, text, length);
        page->length += length;
        page->text[page->length] = '\0';
    }
}

static void cut(Page *page)
{
    char *rest = NULL;
    for (char *line = strtok_r(page->text, "\n", &rest);
         line && page->count < LINES_LIMIT; line = strtok_r(NULL, "\n", &rest)) {
        page->lines[page->count++] = line;
    }
}

static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xC0U) != 0x80U;
    }
    return width;
}

// Draw panels of a table over its column x, NULL for the usual one.
static KalStatus draw(const KalTable *table, const KalFigureOptions *options,
                      const char *const *panels, int count, KalTerminal terminal,
                      Page *page)
{
    KalContext *ctx = NULL;
    KalFigure *figure = NULL;
    *page = (Page){.length = 0};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalStatus status = kal_figure_create(ctx, table, options, &figure);
    for (int i = 0; i < count && status == KAL_OK; i++) {
        status = kal_figure_add_panel(figure, &panels[i], 1);
    }
    if (status == KAL_OK) {
        status = kal_figure_print(figure, &terminal, (KalSink){take, page});
    }
    kal_figure_destroy(figure);
    kal_context_destroy(ctx);
    return status;
}

static Page page;

static void a_line_goes_from_corner_to_corner(void)
{
    static const char *const names[] = {"t", "x"};
    static const double rows[] = {0.0, 0.0, 10.0, 10.0};
    static const char *const panels[] = {"x"};
    KalContext *ctx = NULL;
    const KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 2, rows, 2);
    const KalTerminal terminal = {.columns = 40, .rows = 24};
    ok(draw(table, &options, panels, 1, terminal, &page) == KAL_OK);
    cut(&page);
    ok(page.count <= 24);
    same_text(page.lines[0], "   x");
    const int last = page.count - 3; // above the texts of x
    int before = 1000;
    for (int i = 1; i < last; i++) {
        const char *mark = strchr(page.lines[i], '*');
        const int column = mark ? (int)(mark - page.lines[i]) : -1;
        ok(column > 2 && column < before && width_of(page.lines[i]) <= 40);
        before = column;
    }
    has_text(page.lines[last], "++---");
    has_text(page.lines[last + 1], " 0 ");
    has_text(page.lines[last + 1], "10");
    same_text(page.lines[last + 2] + strspn(page.lines[last + 2], " "), "t");
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void check_lines(const KalTerminal *terminal)
{
    for (int i = 0; i < page.count; i++) {
        ok(width_of(page.lines[i]) <= terminal->columns);
        for (const char *c = page.lines[i]; *c; c++) {
            ok((unsigned char)*c >= 0x20 && *c != 0x7f);
            ok(terminal->unicode || (unsigned char)*c < 0x80);
        }
    }
}

static void any_terminal_is_kept(void)
{
    static const char *const panels[] = {"*", "x", "theta"};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(table_create(ctx, &table) == KAL_OK);
    for (int i = 0; i < 400; i++) {
        KalFigureOptions options = kal_figure_options();
        const KalTerminal terminal = {.columns = 30 + i / 3,
                                      .rows = i % 2 == 0 ? 0 : 20 + i / 4,
                                      .unicode = i % 4 < 2};
        options.title = "größe \x1b]0;x\x07";
        options.equal = i % 5 == 0;
        options.x = i % 7 == 0 ? "y" : NULL;
        ok(draw(table, &options, panels, 1 + i % 3, terminal, &page) == KAL_OK);
        cut(&page);
        ok(page.count >= 8);
        ok(terminal.rows < 30 || page.count <= terminal.rows);
        check_lines(&terminal);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void colors_are_ours_alone(void)
{
    static const char *const names[] = {"t", "a\302\23331m", "b"};
    static const double rows[] = {0.0, 1.0, 2.0, 1.0, 2.0, 3.0};
    static const char *const panels[] = {"*"};
    KalContext *ctx = NULL;
    const KalFigureOptions options = kal_figure_options();
    const KalTerminal terminal = {.columns = 80, .unicode = true, .color = true};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 3, rows, 2);
    ok(draw(table, &options, panels, 1, terminal, &page) == KAL_OK);
    int colors = 0;
    for (const char *c = strchr(page.text, 0x1b); c; c = strchr(c + 1, 0x1b)) {
        ok(c[1] == '['
           && (strncmp(c + 2, "0m", 2) == 0 || (c[2] == '3' && c[4] == 'm')));
        colors++;
    }
    ok(colors > 4);
    ok(!strstr(page.text, "\xc2\x9b"));
    has_text(page.text, "a\\u{9b}31m");
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void curves_without_color_have_marks(void)
{
    static const char *const panels[] = {"?"};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    const KalFigureOptions options = kal_figure_options();
    const KalTerminal terminal = {.columns = 80, .unicode = true};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(table_create(ctx, &table) == KAL_OK);
    ok(draw(table, &options, panels, 1, terminal, &page) == KAL_OK);
    has_text(page.text, " * x");
    has_text(page.text, " + y");
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void numbers_share_a_power_of_ten(void)
{
    static const char *const names[] = {"t", "x"};
    static const double rows[] = {0.0, 0.0, 1e-9, 3e7};
    static const char *const panels[] = {"x"};
    KalContext *ctx = NULL;
    KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    KalTable *table = table_of(ctx, names, 2, rows, 2);
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 60, .unicode = true},
            &page)
       == KAL_OK);
    has_text(page.text, "x ×10⁶");
    has_text(page.text, "t ×10⁻⁹");
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 60}, &page) == KAL_OK);
    has_text(page.text, "x x1e6");
    options.log_y = true;
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 60}, &page) == KAL_OK);
    kal_table_destroy(table);

    static const double powers[] = {0.0, 1e-3, 1.0, 1e3};
    table = table_of(ctx, names, 2, powers, 2);
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 60}, &page) == KAL_OK);
    has_text(page.text, "1e-1 +");
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 60, .unicode = true},
            &page)
       == KAL_OK);
    has_text(page.text, "10⁻¹ ┤");
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void a_narrow_terminal_is_refused(void)
{
    static const char *const panels[] = {"x"};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    const KalFigureOptions options = kal_figure_options();
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(table_create(ctx, &table) == KAL_OK);
    ok(draw(table, &options, panels, 1, (KalTerminal){.columns = 29}, &page)
       == KAL_ERR_USAGE);
    ok(draw(table, &options, panels, 0, (KalTerminal){.columns = 80}, &page)
       == KAL_ERR_USAGE);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_line_goes_from_corner_to_corner), TAP_CASE(any_terminal_is_kept),
        TAP_CASE(colors_are_ours_alone), TAP_CASE(curves_without_color_have_marks),
        TAP_CASE(numbers_share_a_power_of_ten), TAP_CASE(a_narrow_terminal_is_refused))

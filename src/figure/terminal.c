// SPDX-License-Identifier: MIT

// Figures in characters.
//
// A character of the braille alphabet has two columns of four dots, which makes a small
// picture of every cell.  Where there is only ASCII, or where several curves could not be
// told apart without color, each curve has a character of its own.

#include "base/utf8.h"
#include "figure/figure_impl.h"
#include "figure/plane.h"
#include "figure/shape.h"
#include "figure/ticks.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
    BRAILLE = 0x2800,
    NO_CURVE = 0xff,
    COLUMNS_LEAST = 30,
    COLUMNS_MOST = 1000,
    ROWS_LEAST = 4, // of a panel
    ROWS_MOST = 200,
    NAME_SIZE = 1024,
    LABEL_SIZE = 4 * NAME_SIZE,
};

typedef struct Cell {
    uint8_t dots; // of a braille character
    uint8_t curve;
} Cell;

// A picture on its way.
typedef struct Screen {
    const KalFigure *figure;
    KalTerminal terminal;
    KalSink sink;
    KalAxes axes;
    KalTicks x_ticks;
    KalTicks y_ticks[KAL_FIGURE_PANEL_LIMIT];
    int left;    // characters before the frame
    int width;   // of the frame
    int height;  // of the frame of one panel
    int names;   // characters behind the frame
    Cell *cells; // of one panel, row by row
    size_t cells_size;
} Screen;

static void put(const Screen *s, const char *text)
{
    s->sink.write(s->sink.user, text, strlen(text));
}

// The same text several times.
static void put_times(const Screen *s, const char *text, int times)
{
    for (int i = 0; i < times; i++) {
        put(s, text);
    }
}

// One of two forms of a text.
static const char *either(const Screen *s, const char *unicode, const char *ascii)
{
    return s->terminal.unicode ? unicode : ascii;
}

static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xC0U) != 0x80U;
    }
    return width;
}

// At most `width` characters of a text.
static void put_cut(const Screen *s, const char *text, int width)
{
    size_t length = 0;
    for (int i = 0; i <= width && text[length]; length++) {
        i += ((unsigned char)text[length + 1] & 0xC0U) != 0x80U;
        if (i == width) {
            length++;
            break;
        }
    }
    s->sink.write(s->sink.user, text, length);
}

// Curves have six colors in turn; NO_CURVE ends them.
static void set_color(const Screen *s, uint8_t curve)
{
    static const char *const colors[] = {"\x1b[36m", "\x1b[31m", "\x1b[32m",
                                         "\x1b[35m", "\x1b[33m", "\x1b[34m"};
    if (s->terminal.color) {
        const size_t count = sizeof colors / sizeof colors[0];
        put(s, curve == NO_CURVE ? "\x1b[0m" : colors[curve % count]);
    }
}

static bool is_map(const Screen *s)
{
    return s->figure->options.kind == KAL_FIGURE_MAP;
}

// Whether a panel is drawn in dots of braille.
static bool is_fine(const Screen *s, const KalPanel *panel)
{
    return s->terminal.unicode && (s->terminal.color || panel->count == 1);
}

// The character of a curve where there is no color.
static char mark_of(size_t curve)
{
    static const char marks[] = "*+ox#@%&=~^$";
    return marks[curve % (sizeof marks - 1)];
}

// ---- texts

static void add_text(char *text, const char *more)
{
    const size_t length = strlen(text);
    (void)snprintf(text + length, LABEL_SIZE - length, "%s", more);
}

static void add_name(const Screen *s, size_t column, char *text)
{
    char name[NAME_SIZE];
    const KalQuantity quantity = kal_figure_quantity(s->figure, column);
    kal_plain_name(quantity.name, s->terminal.unicode, name, sizeof name);
    add_text(text, name);
    if (!kal_quantity_is_unique(quantity)) {
        add_text(text, " (" KAL_TABLE_NOT_UNIQUE ")");
    }
}

static void add_unit(const Screen *s, size_t column, char *text)
{
    char unit[NAME_SIZE];
    const char *given = kal_figure_quantity(s->figure, column).unit;
    if (*given) {
        char shown[KAL_PRINTABLE_SIZE];
        kal_printable_print(given, strlen(given), shown);
        (void)snprintf(unit, sizeof unit, " [%s]", shown);
        add_text(text, unit);
    }
}

// A power of ten: 10⁻³ or 1e-3.
static void add_power(const Screen *s, int power, char *text)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴",
                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    (void)snprintf(plain, sizeof plain, "%d", power);
    add_text(text, either(s, "10", "1e"));
    if (!s->terminal.unicode) {
        add_text(text, plain);
        return;
    }
    for (const char *c = plain; *c; c++) {
        add_text(text, *c == '-' ? "⁻" : digits[*c - '0']);
    }
}

static void add_factor(const Screen *s, const KalTicks *ticks, char *text)
{
    if (ticks->exponent != 0) {
        add_text(text, either(s, " ×", " x"));
        add_power(s, ticks->exponent, text);
    }
    if (ticks->offset[0]) {
        add_text(text, " ");
        add_text(text, ticks->offset);
    }
}

static void print_tick(const Screen *s, const KalTicks *ticks, int i,
                       char out_text[LABEL_SIZE])
{
    assert(i >= 0 && i < ticks->count);
    out_text[0] = '\0';
    if (ticks->powers) {
        add_power(s, (int)lround(log10(ticks->at[i])), out_text);
    } else {
        add_text(out_text, ticks->text[i]);
    }
}

static int widest_tick(const Screen *s, const KalTicks *ticks)
{
    char text[LABEL_SIZE];
    int widest = 0;
    for (int i = 0; i < ticks->count; i++) {
        print_tick(s, ticks, i, text);
        widest = width_of(text) > widest ? width_of(text) : widest;
    }
    return widest;
}

static void print_name(const Screen *s, size_t panel, size_t curve,
                       char out_text[LABEL_SIZE])
{
    assert(panel < s->figure->n_panels && curve < s->figure->panels[panel].count);
    const KalPanel *p = &s->figure->panels[panel];
    const size_t column = p->curves[curve].column;
    out_text[0] = '\0';
    if (!is_fine(s, p)) {
        const char mark[] = {mark_of(curve), ' ', '\0'};
        add_text(out_text, mark);
    }
    add_name(s, column, out_text);
    if (!kal_panel_has_one_unit(s->figure, p)) {
        add_unit(s, column, out_text);
    }
}

// ---- layout

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void find_names(Screen *s)
{
    char text[LABEL_SIZE];
    s->names = 0;
    for (size_t i = 0; i < s->figure->n_panels; i++) {
        const KalPanel *panel = &s->figure->panels[i];
        for (size_t k = 0; panel->count > 1 && k < panel->count; k++) {
            print_name(s, i, k, text);
            s->names = most(s->names, width_of(text) + 1);
        }
    }
    s->names = least(s->names, s->terminal.columns / 3);
}

// Rows beside the frames: the line above each, the one below, and the texts of x.
static void find_height(Screen *s)
{
    const int n = (int)s->figure->n_panels;
    assert(n > 0);
    const int beside = 2 * n + 2 + (s->figure->title[0] != '\0');
    const int usual = n == 1 ? 16 : n == 2 ? 10 : 8;
    const int room = (s->terminal.rows - beside) / n;
    s->height = s->terminal.rows > 0 ? least(room, usual + 4) : usual;
    s->height = least(most(s->height, ROWS_LEAST), ROWS_MOST);
}

static void find_x_ticks(Screen *s)
{
    const KalAxis *x = &s->axes.x;
    int needed = s->width + 1;
    for (int wanted = 9; wanted > 2 && needed > s->width; wanted--) {
        kal_ticks_find(x->low, x->high, x->logarithmic, wanted, &s->x_ticks);
        needed = s->x_ticks.count * (widest_tick(s, &s->x_ticks) + 4);
    }
}

static void find_y_ticks(Screen *s)
{
    s->left = 0;
    for (size_t i = 0; i < s->figure->n_panels; i++) {
        const KalAxis *y = &s->axes.y[i];
        kal_ticks_find(y->low, y->high, y->logarithmic, most(s->height / 3, 3),
                       &s->y_ticks[i]);
        s->left = most(s->left, widest_tick(s, &s->y_ticks[i]) + 2);
    }
    s->left = least(s->left, s->terminal.columns / 2);
}

// A cell is about twice as high as wide.
static void find_axes(Screen *s)
{
    s->axes = kal_figure_axes(s->figure);
    if (s->figure->options.equal && !is_map(s)) {
        kal_axes_make_equal(&s->axes.x, s->width, s->axes.y, s->figure->n_panels,
                            2.0 * s->height);
    }
}

// Ticks of equal axes depend on the width, and the width on the ticks.
static KalStatus lay_out(Screen *s)
{
    if (s->terminal.columns < COLUMNS_LEAST) {
        return kal_fail(s->figure->ctx, KAL_ERR_USAGE,
                        "a figure needs a terminal of at least %d columns, not %d",
                        (int)COLUMNS_LEAST, s->terminal.columns);
    }
    s->terminal.columns = least(s->terminal.columns, COLUMNS_MOST);
    find_height(s);
    find_names(s);
    s->width = s->terminal.columns / 2;
    for (int pass = 0; pass < 3; pass++) {
        find_axes(s);
        find_y_ticks(s);
        s->width = most(s->terminal.columns - s->left - s->names, 4);
    }
    find_axes(s);
    find_y_ticks(s);
    s->width = most(s->terminal.columns - s->left - s->names, 4);
    find_x_ticks(s);
    s->cells_size = (size_t)s->width * (size_t)s->height * sizeof(Cell);
    s->cells = (Cell *)kal_alloc(s->figure->ctx, s->cells_size, 1);
    return s->cells ? KAL_OK : kal_no_memory(s->figure->ctx, "for a figure");
}

// ---- drawing

// Set a dot, of a cell or of a part of it.
static void set_dot(Screen *s, bool fine, int x, int y, uint8_t curve)
{
    static const uint8_t bits[4][2] = {
        {0x01, 0x08},
        {0x02, 0x10},
        {0x04, 0x20},
        {0x40, 0x80},
    };
    const int across = fine ? 2 : 1;
    const int down = fine ? 4 : 1;
    assert(s->width > 0 && s->height > 0);
    x = most(0, least(x, s->width * across - 1));
    y = most(0, least(y, s->height * down - 1));
    Cell *cell =
        &s->cells[(size_t)(y / down) * (size_t)s->width + (size_t)(x / across)];
    cell->dots |= fine ? bits[y % 4][x % 2] : 1;
    cell->curve = curve;
}

// From cell to cell, a step for each.
static void draw_line(Screen *s, bool fine, KalSpot a, KalSpot b, uint8_t curve)
{
    const int steps = (int)ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y)));
    for (int i = 0; i <= steps; i++) {
        const double part = steps > 0 ? (double)i / steps : 0.0;
        set_dot(s, fine, (int)floor(a.x + part * (b.x - a.x)),
                (int)floor(a.y + part * (b.y - a.y)), curve);
    }
}

// Lines through points, which are broken where one is NaN.
static void draw_lines(Screen *s, bool fine, const KalBlock *block, uint8_t curve)
{
    const KalSpot *points = (const KalSpot *)block->data;
    const size_t count = block->size / sizeof *points;
    for (size_t i = 0; i < count; i++) {
        const KalSpot before = i > 0 ? points[i - 1] : points[i];
        if (!isnan(points[i].x)) {
            draw_line(s, fine, isnan(before.x) ? points[i] : before, points[i], curve);
        }
    }
}

// Dots, without the lines between them.
static void draw_dots(Screen *s, bool fine, const KalBlock *block, uint8_t curve)
{
    const KalSpot *points = (const KalSpot *)block->data;
    for (size_t i = 0; i < block->size / sizeof *points; i++) {
        set_dot(s, fine, (int)floor(points[i].x), (int)floor(points[i].y), curve);
    }
}

static KalStatus trace(const Screen *s, KalShapePlace place, KalBlock *out_points)
{
    KalThin thin = kal_thin(s->figure->ctx, 0.5, 0.1);
    kal_figure_trace(s->figure, &s->axes, place.panel, place.curve, place.frame, &thin);
    const KalStatus status = kal_thin_finish(&thin);
    *out_points = thin.points;
    return status;
}

// Curves as dots of braille where there are such, eight in a cell; else a character in
// each cell that they pass.
static KalStatus draw_curve(Screen *s, size_t panel, size_t curve)
{
    assert(panel < s->figure->n_panels);
    const bool fine = is_fine(s, &s->figure->panels[panel]);
    const KalFigureKind kind = s->figure->options.kind;
    const KalBox frame = {.width = s->width * (fine ? 2.0 : 1.0),
                          .height = s->height * (fine ? 4.0 : 1.0)};
    const KalShapePlace place = {s->figure, &s->axes, panel, curve, frame};
    KalBlock points = {.data = NULL};
    KalStatus status = KAL_OK;
    if (kind == KAL_FIGURE_SCATTER) {
        status = kal_shape_dots(place, 1.0, &points);
        draw_dots(s, fine, &points, (uint8_t)curve);
    } else {
        status = kind == KAL_FIGURE_HISTOGRAM ? kal_shape_stairs(place, &points)
                                              : trace(s, place, &points);
        draw_lines(s, fine, &points, (uint8_t)curve);
    }
    kal_block_clear(s->figure->ctx, &points);
    return status;
}

// ---- maps: a character for a value, from light to dark

static const char *shade(const Screen *s, double place)
{
    static const char *const fine[] = {"·", "░", "▒", "▓", "█"};
    static const char *const plain[] = {".", ":", "=", "*", "#"};
    const int level = most(0, least((int)floor(place * 5.0), 4));
    return s->terminal.unicode ? fine[level] : plain[level];
}

static void put_map_cells(const Screen *s, size_t panel, int row)
{
    const KalAxis colors = kal_plane_colors(s->figure, panel);
    for (int i = 0; i < s->width; i++) {
        const KalSpot place = {(i + 0.5) / s->width, 1.0 - (row + 0.5) / s->height};
        const double value = kal_plane_value(s->figure, panel, place);
        put(s, isnan(value) ? " " : shade(s, kal_axis_place(&colors, value)));
    }
}

// What the characters mean: the range of each.
static void put_key(const Screen *s, size_t panel)
{
    const KalAxis colors = kal_plane_colors(s->figure, panel);
    char text[LABEL_SIZE] = "";
    char numbers[64];
    add_name(s, s->figure->panels[panel].curves[0].column, text);
    add_unit(s, s->figure->panels[panel].curves[0].column, text);
    (void)snprintf(numbers, sizeof numbers, ": %.4g ", colors.low);
    add_text(text, numbers);
    for (int i = 0; i < 5; i++) {
        add_text(text, shade(s, (i + 0.5) / 5.0));
    }
    (void)snprintf(numbers, sizeof numbers, " %.4g", colors.high);
    add_text(text, numbers);
    put_times(s, " ", s->left);
    put_cut(s, text, s->terminal.columns - s->left);
    put(s, "\n");
}

// A braille character, the mark of a curve, or a space.
static void put_cell(const Screen *s, bool fine, Cell cell)
{
    char text[5] = " ";
    if (cell.curve != NO_CURVE && fine) {
        text[kal_utf8_print(BRAILLE + (uint32_t)cell.dots, text)] = '\0';
    } else if (cell.curve != NO_CURVE) {
        text[0] = mark_of(cell.curve);
    }
    put(s, text);
}

// The row of a place on the y axis, from the top.
static int row_of(const Screen *s, double place)
{
    return most(0, least((int)floor((1.0 - place) * s->height), s->height - 1));
}

// The number at a row of the y axis, and the axis.
static void put_axis(const Screen *s, size_t panel, int row)
{
    const KalTicks *ticks = &s->y_ticks[panel];
    char text[LABEL_SIZE] = "";
    bool tick = false;
    for (int i = 0; i < ticks->count; i++) {
        if (row_of(s, kal_axis_place(&s->axes.y[panel], ticks->at[i])) == row) {
            print_tick(s, ticks, i, text);
            tick = true;
        }
    }
    assert(row >= 0 && row < s->height);
    put_times(s, " ", most(s->left - 2 - width_of(text), 0));
    put_cut(s, text, s->left - 2);
    put(s, tick ? either(s, " ┤", " +") : either(s, " │", " |"));
}

// The curve whose name is due in a row; NO_CURVE for none.
static uint8_t name_at(const KalPanel *panel, const double *places, int row)
{
    for (size_t i = 0; panel->count > 1 && i < panel->count; i++) {
        if ((int)lround(places[i]) == row) {
            return (uint8_t)i;
        }
    }
    return NO_CURVE;
}

static void put_name(const Screen *s, size_t panel, uint8_t curve)
{
    char text[LABEL_SIZE];
    print_name(s, panel, curve, text);
    set_color(s, curve);
    put(s, " ");
    put_cut(s, text, s->names - 1);
    set_color(s, NO_CURVE);
}

// Cells up to the last that is not empty, or all of them.
static void put_cells(const Screen *s, bool fine, const Cell *cells, bool all)
{
    assert(cells);
    uint8_t color = NO_CURVE;
    int count = s->width;
    while (!all && count > 0 && cells[count - 1].curve == NO_CURVE) {
        count--;
    }
    for (int i = 0; i < count; i++) {
        if (cells[i].curve != color) {
            color = cells[i].curve;
            set_color(s, color);
        }
        put_cell(s, fine, cells[i]);
    }
    if (color != NO_CURVE) {
        set_color(s, NO_CURVE);
    }
}

// Names of curves stand beside the row in which the curve ends, moved apart where they
// would meet.
static void put_rows(const Screen *s, size_t panel)
{
    assert(panel < s->figure->n_panels);
    const KalPanel *p = &s->figure->panels[panel];
    const bool fine = is_fine(s, p);
    double places[KAL_FIGURE_CURVE_LIMIT];
    for (size_t i = 0; i < p->count; i++) {
        places[i] = row_of(s, kal_figure_name_place(s->figure, &s->axes, panel, i));
    }
    kal_places_spread(places, p->count, 1.0, 0.0, s->height - 1.0);
    for (int row = 0; row < s->height; row++) {
        const uint8_t named = name_at(p, places, row);
        put_axis(s, panel, row);
        if (is_map(s)) {
            put_map_cells(s, panel, row);
        } else {
            put_cells(s, fine, s->cells + (size_t)row * (size_t)s->width,
                      named != NO_CURVE);
        }
        if (named != NO_CURVE) {
            put_name(s, panel, named);
        }
        put(s, "\n");
    }
}

static int column_of(const Screen *s, double value)
{
    const double place = kal_axis_place(&s->axes.x, value);
    return most(0, least((int)floor(place * s->width), s->width - 1));
}

// The line below a panel.
static void put_x_axis(const Screen *s)
{
    put_times(s, " ", s->left - 1);
    put(s, either(s, "└", "+"));
    for (int i = 0; i < s->width; i++) {
        bool tick = false;
        for (int k = 0; k < s->x_ticks.count; k++) {
            tick = tick || column_of(s, s->x_ticks.at[k]) == i;
        }
        put(s, tick ? either(s, "┬", "+") : either(s, "─", "-"));
    }
    put(s, "\n");
}

// Texts that would touch the one before are left out.
static void put_x_ticks(const Screen *s)
{
    int at = 0;
    char text[LABEL_SIZE];
    for (int k = 0; k < s->x_ticks.count; k++) {
        print_tick(s, &s->x_ticks, k, text);
        const int width = width_of(text);
        const int middle = s->left + column_of(s, s->x_ticks.at[k]);
        const int begin = least(middle - width / 2, s->terminal.columns - width);
        if (begin > at || (k == 0 && begin >= 0)) {
            put_times(s, " ", begin - at);
            put(s, text);
            at = begin + width;
        }
    }
    put(s, "\n");
}

static void put_centered(const Screen *s, const char *text)
{
    const int room = s->terminal.columns - s->left;
    put_times(s, " ", s->left + most((s->width - width_of(text)) / 2, 0));
    put_cut(s, text, room);
    put(s, "\n");
}

// The name of the only curve of a panel, and the unit of all.
static void add_curves(const Screen *s, const KalPanel *p, char *text)
{
    if (p->count == 1) {
        add_name(s, p->curves[0].column, text);
    }
    if (kal_panel_has_one_unit(s->figure, p)) {
        add_unit(s, p->curves[0].column, text);
    }
}

// What the y axis of a panel shows.
static void put_label(const Screen *s, size_t panel)
{
    assert(panel < s->figure->n_panels);
    const KalPanel *p = &s->figure->panels[panel];
    char text[LABEL_SIZE] = "";
    if (is_map(s)) {
        add_name(s, s->figure->y, text);
        add_unit(s, s->figure->y, text);
    } else if (s->figure->options.kind == KAL_FIGURE_HISTOGRAM) {
        add_text(text, KAL_FIGURE_COUNT);
    } else {
        add_curves(s, p, text);
    }
    add_factor(s, &s->y_ticks[panel], text);
    const char *shown = text + (text[0] == ' ');
    put_times(s, " ", most(s->left - width_of(shown), 0));
    put_cut(s, shown, s->terminal.columns);
    put(s, "\n");
}

static KalStatus put_panel(Screen *s, size_t panel)
{
    for (size_t i = 0; i < s->cells_size / sizeof(Cell); i++) {
        s->cells[i] = (Cell){0, NO_CURVE};
    }
    for (size_t i = 0; !is_map(s) && i < s->figure->panels[panel].count; i++) {
        KAL_TRY(draw_curve(s, panel, i));
    }
    if (is_map(s)) {
        put_key(s, panel);
    }
    put_label(s, panel);
    put_rows(s, panel);
    put_x_axis(s);
    return KAL_OK;
}

static KalStatus put_figure(Screen *s)
{
    char label[LABEL_SIZE] = "";
    if (s->figure->title[0]) {
        char title[LABEL_SIZE];
        (void)snprintf(title, sizeof title, "%s", s->figure->title);
        for (char *c = title; *c && !s->terminal.unicode; c++) {
            *c = (unsigned char)*c < 0x80 ? *c : '?';
        }
        put_centered(s, title);
    }
    for (size_t i = 0; i < s->figure->n_panels; i++) {
        KAL_TRY(put_panel(s, i));
    }
    put_x_ticks(s);
    add_name(s, s->figure->x, label);
    add_unit(s, s->figure->x, label);
    add_factor(s, &s->x_ticks, label);
    put_centered(s, label);
    return KAL_OK;
}

KalStatus kal_figure_print(const KalFigure *figure, const KalTerminal *terminal,
                           KalSink sink)
{
    KAL_NEED(figure ? figure->ctx : NULL, figure && terminal && sink.write);
    KAL_TRY(kal_figure_check(figure));
    Screen *s = KAL_NEW(figure->ctx, Screen);
    if (!s) {
        return kal_no_memory(figure->ctx, "for a figure");
    }
    s->figure = figure;
    s->terminal = *terminal;
    s->sink = sink;
    KalStatus status = lay_out(s);
    if (status == KAL_OK) {
        status = put_figure(s);
    }
    kal_free(figure->ctx, s->cells, s->cells_size);
    kal_free(figure->ctx, s, sizeof *s);
    return status;
}

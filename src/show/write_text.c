// SPDX-License-Identifier: MIT

// Equations for a terminal, in its width.  A matrix is drawn with brackets if it fits,
// and otherwise listed by its entries; a formula that is too long goes on in the next
// line before a sign (show/page.c).

#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

enum {
    DEFAULT_WIDTH = 100,
    INDENT = 2,
    GAP = 2 // between columns
};

static size_t width_of(const KalShown *shown)
{
    assert(shown->options);
    return shown->options->width > 0 ? (size_t)shown->options->width : DEFAULT_WIDTH;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// A text to the right or left of a column.
static void put_cell(KalPage *page, const char *text, size_t width, bool right)
{
    assert(text);
    const size_t own = kal_text_width(text);
    const size_t pad = width > own ? width - own : 0;
    kal_page_repeat(page, ' ', right ? pad : 0);
    kal_page_safe(page, text);
    kal_page_repeat(page, ' ', right ? 0 : pad);
}

static void put_heading(KalPage *page, const char *text)
{
    kal_page_string(page, "\n");
    kal_page_string(page, text);
    kal_page_string(page, "\n");
}

// A formula that begins at a column; lines that follow are indented further.
static void put_wrapped(const KalShown *shown, KalPage *page, const char *text,
                        size_t length, size_t column)
{
    kal_page_wrapped(page, text, length, column, width_of(shown));
}

static void put_line(const KalShown *shown, KalPage *page, const char *name,
                     const char *equals, const char *formula)
{
    assert(name && equals && formula);
    kal_page_repeat(page, ' ', INDENT);
    kal_page_safe(page, name);
    kal_page_string(page, equals);
    const size_t column = INDENT + kal_text_width(name) + strlen(equals);
    put_wrapped(shown, page, formula, strlen(formula), column);
}

static void put_coordinates(const KalShown *shown, KalPage *page)
{
    const KalModel *model = shown->sheet.eq->model;
    size_t width = 0;
    for (size_t i = 0; i < model->n_coordinates; i++) {
        width = most(width, kal_text_width(model->coordinates[i].name));
    }
    put_heading(page, "Coordinates");
    for (size_t i = 0; i < model->n_coordinates; i++) {
        const KalCoordinate *c = &model->coordinates[i];
        kal_page_repeat(page, ' ', INDENT);
        if (model->n_coordinates > KAL_SHEET_SMALL) {
            kal_page_format(page, "%4zu  ", i + 1);
        }
        put_cell(page, c->name, c->unit ? width : 0, false);
        if (c->unit) {
            kal_page_string(page, "  [");
            kal_page_safe(page, c->unit);
            kal_page_string(page, "]");
        }
        kal_page_string(page, "\n");
    }
}

static void put_energies(const KalShown *shown, KalPage *page)
{
    KalTexts texts;
    page->status = kal_texts_init(&shown->sheet, shown->sheet.energies, 2,
                                  KAL_FORMAT_TEXT, &texts);
    if (page->status != KAL_OK) {
        return;
    }
    put_heading(page, "Energies");
    put_line(shown, page, "T", " = ", kal_texts_get(&texts, 0));
    put_line(shown, page, "V", " = ", kal_texts_get(&texts, 1));
    kal_texts_clear(&texts);
}

// A matrix with the texts of its entries, as the pattern lists them.
typedef struct Grid {
    const KalShownMatrix *matrix;
    const KalTexts *texts;
    const KalModel *model;
    size_t label; // width of the names of rows
} Grid;

// Entries below the diagonal of a symmetric matrix are said to be mirror images.
static const char *cell_text(const Grid *grid, size_t i, size_t j)
{
    assert(i < grid->matrix->pattern->rows && j < grid->matrix->pattern->columns);
    const KalShownMatrix *m = grid->matrix;
    const bool mirror = m->symmetric && i < j;
    const size_t row = mirror ? j : i;
    const size_t column = mirror ? i : j;
    for (int64_t k = m->pattern->start[row]; k < m->pattern->start[row + 1]; k++) {
        if ((size_t)m->pattern->column[k] == column) {
            return m->symmetric && i > j ? "sym."
                                         : kal_texts_get(grid->texts, (size_t)k);
        }
    }
    return "0";
}

static size_t column_width(const Grid *grid, size_t j)
{
    assert(j < grid->matrix->pattern->columns);
    size_t width = kal_text_width(grid->matrix->column(grid->model, j));
    for (size_t i = 0; i < grid->matrix->pattern->rows; i++) {
        width = most(width, kal_text_width(cell_text(grid, i, j)));
    }
    return width;
}

// The width of a row with its label, brackets and gaps.
static size_t grid_width(const Grid *grid)
{
    size_t width = grid->label + INDENT + (size_t)2 * GAP + 2;
    for (size_t j = 0; j < grid->matrix->pattern->columns; j++) {
        width += column_width(grid, j) + GAP;
    }
    return width;
}

// The bracket at the left or right of row i of n.
static const char *bracket(size_t i, size_t n, bool left)
{
    assert(i < n);
    if (n == 1) {
        return left ? "[" : "]";
    }
    if (i == 0) {
        return left ? "⎡" : "⎤";
    }
    return i + 1 == n ? (left ? "⎣" : "⎦") : (left ? "⎢" : "⎥");
}

// Headings are right above their columns; the last of them is not padded, for nothing
// follows it in its line.
static void put_grid(KalPage *page, const Grid *grid)
{
    const KalSparse *p = grid->matrix->pattern;
    kal_page_string(page, "\n");
    kal_page_string(page, grid->matrix->name);
    const size_t used = strlen(grid->matrix->name);
    const size_t indent = INDENT + grid->label + 1;
    kal_page_repeat(page, ' ', indent > used ? indent - used : 1);
    for (size_t j = 0; j < p->columns; j++) {
        kal_page_repeat(page, ' ', GAP);
        const size_t width = j + 1 < p->columns ? column_width(grid, j) : 0;
        put_cell(page, grid->matrix->column(grid->model, j), width, false);
    }
    kal_page_string(page, "\n");
    for (size_t i = 0; i < p->rows; i++) {
        kal_page_repeat(page, ' ', INDENT);
        put_cell(page, grid->matrix->row(grid->model, i), grid->label, true);
        kal_page_string(page, " ");
        kal_page_string(page, bracket(i, p->rows, true));
        for (size_t j = 0; j < p->columns; j++) {
            kal_page_repeat(page, ' ', j == 0 ? 1 : GAP);
            put_cell(page, cell_text(grid, i, j), column_width(grid, j), false);
        }
        kal_page_string(page, " ");
        kal_page_string(page, bracket(i, p->rows, false));
        kal_page_string(page, "\n");
    }
}

// Entries that are not zero, one after the other.
static void put_entries(const KalShown *shown, KalPage *page, const Grid *grid)
{
    const KalShownMatrix *m = grid->matrix;
    kal_page_string(page, "\n");
    kal_page_string(page, m->name);
    kal_page_string(page, m->symmetric
                              ? ", each entry with its mirror image; the others are 0\n"
                              : "; entries that are not listed are 0\n");
    for (size_t i = 0; i < m->pattern->rows; i++) {
        for (size_t j = m->symmetric ? i : 0; j < m->pattern->columns; j++) {
            if (kal_shown_entry(m, i, j).index != 0) {
                kal_page_repeat(page, ' ', INDENT);
                kal_page_format(page, "%s[%zu,%zu] = ", m->name, i + 1, j + 1);
                const char *text = cell_text(grid, i, j);
                const size_t column = INDENT + strlen(m->name) + 8;
                put_wrapped(shown, page, text, strlen(text), column);
            }
        }
    }
}

// A matrix is a grid where that is small and fits the page, else a list of its entries.
static void put_matrix(const KalShown *shown, KalPage *page, const KalShownMatrix *m)
{
    const KalModel *model = shown->sheet.eq->model;
    KalTexts texts;
    const size_t n = kal_sparse_entries(m->pattern);
    if (page->status != KAL_OK) {
        return;
    }
    page->status = kal_texts_init(&shown->sheet, m->values, n, KAL_FORMAT_TEXT, &texts);
    if (page->status != KAL_OK) {
        return;
    }
    Grid grid = {m, &texts, model, 0};
    for (size_t i = 0; i < m->pattern->rows; i++) {
        grid.label = most(grid.label, kal_text_width(m->row(model, i)));
    }
    if (m->pattern->columns <= KAL_SHEET_SMALL
        && grid_width(&grid) <= width_of(shown)) {
        put_grid(page, &grid);
    } else {
        put_entries(shown, page, &grid);
    }
    kal_texts_clear(&texts);
}

static void put_vector(const KalShown *shown, KalPage *page, const KalShownVector *v)
{
    assert(v->row);
    const KalModel *model = shown->sheet.eq->model;
    KalTexts texts;
    size_t label = 0;
    if (page->status != KAL_OK) {
        return;
    }
    page->status =
        kal_texts_init(&shown->sheet, v->values, v->n, KAL_FORMAT_TEXT, &texts);
    if (page->status != KAL_OK) {
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        label = most(label, kal_text_width(v->row(model, i)));
    }
    put_heading(page, v->name);
    for (size_t i = 0; i < v->n; i++) {
        const char *text = kal_texts_get(&texts, i);
        kal_page_repeat(page, ' ', INDENT);
        put_cell(page, v->row(model, i), label, true);
        kal_page_string(page, "  ");
        put_wrapped(shown, page, text, strlen(text), INDENT + label + 2);
    }
    kal_texts_clear(&texts);
}

static void put_long_form(const KalShown *shown, KalPage *page)
{
    KalPage lines = kal_page(page->ctx);
    KalShownLine line;
    put_heading(page,
                "Formulas: parts that occur often have names; M is symmetric; what "
                "is not listed is 0");
    kal_shown_long_form(shown, KAL_FORMAT_TEXT, &lines);
    const char *text = kal_page_text(&lines);
    while (kal_shown_next_line(&text, &line)) {
        kal_page_repeat(page, ' ', INDENT);
        kal_page_write(page, line.name, line.name_length);
        kal_page_string(page, " = ");
        put_wrapped(shown, page, line.formula, line.length,
                    INDENT + line.name_length + 3);
    }
    page->status = page->status == KAL_OK ? lines.status : page->status;
    kal_page_clear(&lines);
}

static void put_equations(const KalShown *shown, KalPage *page)
{
    KalShownMatrix matrices[KAL_SHOWN_MATRICES];
    KalShownVector vectors[KAL_SHOWN_VECTORS];
    const int n_matrices = kal_shown_matrices(shown, matrices);
    const int n_vectors = kal_shown_vectors(shown, vectors);
    for (int i = 0; i < n_matrices; i++) {
        put_matrix(shown, page, &matrices[i]);
    }
    for (int i = 0; i < n_vectors; i++) {
        put_vector(shown, page, &vectors[i]);
    }
}

// The left side of a result.  The constraint of a prescribed coordinate is named by the
// call that has its multiplier, drive(x).
static void put_result_name(const KalShown *shown, const KalResult *r, KalPage *page)
{
    const KalModel *model = shown->sheet.eq->model;
    static const char *const calls[] = {"", "reaction(", "cforce(", "nonideal("};
    assert((size_t)r->kind < sizeof calls / sizeof calls[0]);
    const bool parts = r->kind == KAL_RESULT_FORCE && shown->sheet.eq->has_C;
    if (r->kind == KAL_RESULT_REACTION
        && model->constraints[r->index].driven != KAL_NOT_DRIVEN) {
        kal_page_string(page, model->constraints[r->index].name);
        return;
    }
    kal_page_string(page, parts ? "ideal(" : calls[r->kind]);
    kal_page_string(page, r->kind == KAL_RESULT_REACTION
                              ? model->constraints[r->index].name
                              : model->coordinates[r->index].name);
    kal_page_string(page, r->kind == KAL_RESULT_ACCELERATION ? "''" : ")");
}

// The widest left side of all results.
static size_t result_width(const KalShown *shown, KalPage *page)
{
    size_t width = 0;
    for (size_t i = 0; i < shown->closed.n_results; i++) {
        KalPage name = kal_page(page->ctx);
        put_result_name(shown, &shown->closed.results[i], &name);
        width = most(width, kal_text_width(kal_page_text(&name)));
        page->status = page->status == KAL_OK ? name.status : page->status;
        kal_page_clear(&name);
    }
    return width;
}

static void put_result(const KalShown *shown, KalPage *page, const KalResult *r,
                       KalExpr value, size_t width)
{
    KalPage name = kal_page(page->ctx);
    KalPage formula = kal_page(page->ctx);
    put_result_name(shown, r, &name);
    const size_t own = kal_text_width(kal_page_text(&name));
    kal_page_repeat(&name, ' ', width > own ? width - own : 0);
    kal_page_formula(&formula, &shown->sheet, value, KAL_FORMAT_TEXT);
    put_line(shown, page, kal_page_text(&name), " = ", kal_page_text(&formula));
    page->status = page->status == KAL_OK ? name.status : page->status;
    page->status = page->status == KAL_OK ? formula.status : page->status;
    kal_page_clear(&formula);
    kal_page_clear(&name);
}

static void put_named(const KalShown *shown, KalPage *page)
{
    for (int i = 0; i < shown->sheet.n_named; i++) {
        KalPage formula = kal_page(page->ctx);
        kal_page_formula(&formula, &shown->sheet, shown->sheet.named[i].value,
                         KAL_FORMAT_TEXT);
        put_line(shown, page, shown->sheet.named[i].name, " = ",
                 kal_page_text(&formula));
        page->status = page->status == KAL_OK ? formula.status : page->status;
        kal_page_clear(&formula);
    }
}

// What holds on the constraints comes apart and last: it may differ from the general
// result and must not be taken for it.
static void put_closed(const KalShown *shown, KalPage *page)
{
    assert(shown->has_closed);
    const KalClosed *closed = &shown->closed;
    bool on = false;
    put_heading(page, "Closed form");
    if (closed->verdict != KAL_CLOSED_DONE) {
        kal_page_format(page, "  %s\n", kal_shown_refusal(shown));
        return;
    }
    put_named(shown, page);
    const size_t width = result_width(shown, page);
    for (size_t i = 0; i < closed->n_results; i++) {
        put_result(shown, page, &closed->results[i], closed->results[i].value, width);
        on = on || closed->results[i].on.index != 0;
    }
    if (closed->dependent) {
        kal_page_string(page, closed->has_reactions
                                  ? "  The constraints depend on each other: of all "
                                    "multipliers these are the least.\n"
                                  : "  The constraints depend on each other: their "
                                    "multipliers are not unique.\n");
    }
    if (on) {
        put_heading(page, "On the constraints, that is for states that satisfy them");
    }
    for (size_t i = 0; i < closed->n_results; i++) {
        if (closed->results[i].on.index != 0) {
            put_result(shown, page, &closed->results[i], closed->results[i].on, width);
        }
    }
}

static void put_idle(const KalShown *shown, KalPage *page)
{
    char text[KAL_SHOWN_IDLE];
    if (kal_shown_idle(shown, text)) {
        kal_page_format(page, "  %s\n", text);
    }
}

void kal_show_text(const KalShown *shown, KalPage *page)
{
    const char *title = kal_shown_title(shown);
    kal_page_safe(page, title);
    kal_page_string(page, "\n");
    kal_page_repeat(page, '=', kal_text_width(title));
    kal_page_string(page, "\n");
    put_coordinates(shown, page);
    if (!shown->long_form) {
        put_energies(shown, page);
    }
    put_heading(page, kal_shown_equation(shown, false));
    put_idle(shown, page);
    if (shown->long_form) {
        put_long_form(shown, page);
    } else {
        put_equations(shown, page);
    }
    if (shown->has_closed) {
        put_closed(shown, page);
    }
}

// SPDX-License-Identifier: MIT

// Equations in LaTeX: a document of its own, or mathematics within Markdown.
//
// A display is a list of aligned lines; Markdown puts it between $$, where names of the
// model need the escapes of LaTeX, and outside of it those of Markdown.  `in_math` says
// which.

#include "show/math.h"
#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

enum {
    ROOM = 68,       // letters of a line
    MATRIX_ROOM = 70 // letters of a matrix
};

typedef struct Out {
    const KalShown *shown;
    const KalSheet *sheet;
    const KalModel *model;
    KalPage *page;
    bool markdown;
    bool in_math;
    bool first; // of the lines of a display
} Out;

static void put(const Out *o, const char *text)
{
    kal_page_string(o->page, text);
}

static void put_user(const Out *o, const char *text)
{
    kal_math_text(o->page, text, o->markdown && !o->in_math);
}

static void put_heading(const Out *o, const char *text)
{
    put(o, o->markdown ? "\n## " : "\n\\section*{");
    put(o, text);
    put(o, o->markdown ? "\n" : "}\n");
}

static void put_sentence(const Out *o, const char *text)
{
    put(o, "\n");
    put_user(o, text);
    put(o, "\n");
}

static void begin_display(Out *o)
{
    assert(!o->in_math);
    put(o, o->markdown ? "\n$$\n\\begin{aligned}\n" : "\\begin{align*}\n");
    o->in_math = true;
    o->first = true;
}

static void end_display(Out *o)
{
    assert(o->in_math);
    put(o, o->markdown ? "\n\\end{aligned}\n$$\n" : "\n\\end{align*}\n");
    o->in_math = false;
}

static void next_line(Out *o)
{
    assert(o->in_math);
    put(o, o->first ? "" : " \\\\\n");
    o->first = false;
}

static void put_symbol(const Out *o, KalExpr symbol)
{
    const KalPrintOptions options = kal_sheet_options(o->sheet, KAL_FORMAT_LATEX);
    if (o->page->status == KAL_OK) {
        const KalStatus status =
            kal_print(o->model->graph, symbol, &options, kal_page_sink(o->page));
        o->page->status = o->page->status == KAL_OK ? status : o->page->status;
    }
}

// The right side of an equation.
static void put_formula(const Out *o, KalExpr e)
{
    KalPage formula = kal_page(o->page->ctx);
    kal_page_formula(&formula, o->sheet, e, KAL_FORMAT_LATEX);
    const char *text = kal_page_text(&formula);
    kal_math_lines(o->page, text, strlen(text), ROOM);
    o->page->status = o->page->status == KAL_OK ? formula.status : o->page->status;
    kal_page_clear(&formula);
}

static void put_preamble(const Out *o)
{
    if (o->markdown) {
        put(o, "# ");
        put_user(o, kal_shown_title(o->shown));
        put(o, "\n");
        return;
    }
    kal_math_preamble(o->page);
    put(o, "\\title{");
    put_user(o, kal_shown_title(o->shown));
    put(o, "}\n\\author{}\n\\date{}\n\\begin{document}\n\\maketitle\n");
}

static void put_coordinates(Out *o)
{
    put_heading(o, "Coordinates");
    put(o, o->markdown ? "\n" : "\n{\\raggedright\n");
    for (size_t i = 0; i < o->model->n_coordinates; i++) {
        const KalCoordinate *c = &o->model->coordinates[i];
        put(o, i == 0 ? "$" : ", $");
        put_symbol(o, c->q);
        if (c->unit) {
            put(o, "\\ [");
            kal_math_unit(o->page, c->unit);
            put(o, "]");
        }
        put(o, "$");
        put(o, (i + 1) % 8 == 0 ? "\n" : "");
    }
    put(o, o->markdown ? "\n" : "\\par}\n");
}

static void put_energies(Out *o)
{
    put_heading(o, "Energies");
    begin_display(o);
    next_line(o);
    put(o, "T &= ");
    put_formula(o, o->sheet->energies[0]);
    next_line(o);
    put(o, "V &= ");
    put_formula(o, o->sheet->energies[1]);
    end_display(o);
}

static const char *math_name(const char *name)
{
    assert(name && name[0] != '\0');
    if (strcmp(name, "A_servo") == 0) {
        return "A_{\\mathrm{servo}}";
    }
    return strcmp(name, "b_servo") == 0 ? "b_{\\mathrm{servo}}" : name;
}

// As it will look, not as it is written: commands count as the marks that they make
// (kal_math_width()).
static size_t entry_width(const Out *o, KalExpr e)
{
    KalPage text = kal_page(o->page->ctx);
    kal_page_formula(&text, o->sheet, e, KAL_FORMAT_LATEX);
    const char *formula = kal_page_text(&text);
    const size_t width = kal_math_width(formula, strlen(formula));
    o->page->status = o->page->status == KAL_OK ? text.status : o->page->status;
    kal_page_clear(&text);
    return width;
}

// A matrix is written as one if all of its columns fit on a line, each as wide as its
// widest entry.
static bool fits(const Out *o, const KalShownMatrix *m)
{
    assert(m->pattern);
    size_t width = 8;
    if (m->pattern->columns > KAL_SHEET_SMALL) {
        return false;
    }
    for (size_t j = 0; j < m->pattern->columns; j++) {
        size_t widest = 1;
        for (size_t i = 0; i < m->pattern->rows; i++) {
            const size_t own = entry_width(o, kal_shown_entry(m, i, j));
            widest = own > widest ? own : widest;
        }
        width += widest + 2;
    }
    return width <= MATRIX_ROOM;
}

// Below the diagonal of a symmetric matrix nothing is repeated.
static void put_matrix(Out *o, const KalShownMatrix *m)
{
    assert(m->pattern->rows > 0);
    const KalSparse *p = m->pattern;
    next_line(o);
    kal_page_format(o->page, "%s &= \\begin{bmatrix}\n", math_name(m->name));
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t j = 0; j < p->columns; j++) {
            const KalExpr e = kal_shown_entry(m, i, j);
            put(o, j == 0 ? "" : " & ");
            if (m->symmetric && i > j && e.index != 0) {
                put(o, "\\text{sym.}");
            } else {
                kal_page_formula(o->page, o->sheet, e, KAL_FORMAT_LATEX);
            }
        }
        put(o, i + 1 < p->rows ? " \\\\\n" : "\n");
    }
    put(o, "\\end{bmatrix}");
    if (!m->symmetric) {
        put(o, "\\quad \\begin{matrix} ");
        for (size_t i = 0; i < p->rows; i++) {
            put(o, i == 0 ? "\\text{" : " \\\\ \\text{");
            put_user(o, m->row(o->model, i));
            put(o, "}");
        }
        put(o, " \\end{matrix}");
    }
}

static void put_entry(Out *o, const KalShownMatrix *m, size_t i, size_t j)
{
    assert(i < m->pattern->rows && j < m->pattern->columns);
    const KalExpr e = kal_shown_entry(m, i, j);
    if (e.index == 0) {
        return;
    }
    next_line(o);
    kal_page_format(o->page, "%.1s_{%zu,%zu} &= ", m->name, i + 1, j + 1);
    if (m->symmetric && i != j) {
        kal_page_format(o->page, "%.1s_{%zu,%zu} = ", m->name, j + 1, i + 1);
    }
    put_formula(o, e);
}

static void put_entries(Out *o, const KalShownMatrix *m)
{
    const KalSparse *p = m->pattern;
    for (size_t i = 0; i < p->rows; i++) {
        for (size_t j = m->symmetric ? i : 0; j < p->columns; j++) {
            put_entry(o, m, i, j);
        }
    }
}

static void put_matrices(Out *o)
{
    KalShownMatrix matrices[KAL_SHOWN_MATRICES];
    const int n = kal_shown_matrices(o->shown, matrices);
    for (int i = 0; i < n; i++) {
        const KalShownMatrix *m = &matrices[i];
        const bool as_matrix = fits(o, m);
        if (!as_matrix) {
            put_sentence(o,
                         m->symmetric
                             ? "Entries of M, with their mirror images; others are 0:"
                             : "Entries that are not zero:");
        }
        begin_display(o);
        if (as_matrix) {
            put_matrix(o, m);
        } else {
            put_entries(o, m);
        }
        end_display(o);
    }
}

// A coordinate as its symbol, others as text.
static void put_subscript(const Out *o, const KalShownVector *v, size_t i)
{
    assert(i < v->n);
    if (v->name[0] != 'b') {
        put_symbol(o, v->name[0] == 'S' ? o->model->states[i].symbol
                                        : o->model->coordinates[i].q);
    } else {
        put(o, "\\text{");
        put_user(o, v->row(o->model, i));
        put(o, "}");
    }
}

static void put_vectors(Out *o)
{
    KalShownVector vectors[KAL_SHOWN_VECTORS];
    const int n = kal_shown_vectors(o->shown, vectors);
    for (int k = 0; k < n; k++) {
        begin_display(o);
        for (size_t i = 0; i < vectors[k].n; i++) {
            next_line(o);
            kal_page_format(o->page, "%.1s_{", vectors[k].name);
            put_subscript(o, &vectors[k], i);
            put(o, "} &= ");
            put_formula(o, vectors[k].values[i]);
        }
        end_display(o);
    }
}

static void put_long_form(Out *o)
{
    assert(o->shown->long_form);
    KalPage lines = kal_page(o->page->ctx);
    KalShownLine line;
    put_sentence(o, "Parts that occur often have names; M is symmetric; what is not "
                    "listed is 0.");
    kal_shown_long_form(o->shown, KAL_FORMAT_LATEX, &lines);
    const char *text = kal_page_text(&lines);
    begin_display(o);
    while (kal_shown_next_line(&text, &line)) {
        next_line(o);
        kal_page_write(o->page, line.name, line.name_length);
        put(o, " &= ");
        kal_math_lines(o->page, line.formula, line.length, ROOM);
    }
    end_display(o);
    o->page->status = o->page->status == KAL_OK ? lines.status : o->page->status;
    kal_page_clear(&lines);
}

// Q^c is the force of ideal constraints where there are no others; else both forces say
// which they are.
static void put_result_name(const Out *o, const KalResult *r)
{
    const KalCoordinate *c = &o->model->coordinates[r->index];
    switch (r->kind) {
    case KAL_RESULT_ACCELERATION: put_symbol(o, c->a); return;
    case KAL_RESULT_REACTION:
        put(o, "\\lambda_{\\text{");
        put_user(o, o->model->constraints[r->index].name);
        put(o, "}}");
        return;
    case KAL_RESULT_FORCE:
        put(o, o->sheet->eq->has_C ? "Q^{\\text{ideal}}_{" : "Q^{c}_{");
        break;
    case KAL_RESULT_NONIDEAL: put(o, "Q^{\\text{non-ideal}}_{"); break;
    }
    put_symbol(o, c->q);
    put(o, "}");
}

static void put_named(Out *o)
{
    if (o->sheet->n_named == 0) {
        return;
    }
    put_sentence(o, "With");
    begin_display(o);
    for (int i = 0; i < o->sheet->n_named; i++) {
        next_line(o);
        kal_page_formula(o->page, o->sheet, o->sheet->named[i].symbol,
                         KAL_FORMAT_LATEX);
        put(o, " &= ");
        put_formula(o, o->sheet->named[i].value);
    }
    end_display(o);
}

// Results, or those that are shorter on the constraints.
static void put_results(Out *o, bool on)
{
    assert(o->shown->closed.verdict == KAL_CLOSED_DONE);
    const KalClosed *closed = &o->shown->closed;
    begin_display(o);
    for (size_t i = 0; i < closed->n_results; i++) {
        const KalResult *r = &closed->results[i];
        if (!on || r->on.index != 0) {
            next_line(o);
            put_result_name(o, r);
            put(o, " &= ");
            put_formula(o, on ? r->on : r->value);
        }
    }
    end_display(o);
}

// What holds on the constraints comes apart and last: it may differ from the general
// result and must not be taken for it.
static void put_closed(Out *o)
{
    assert(o->shown->has_closed);
    const KalClosed *closed = &o->shown->closed;
    bool on = false;
    put_heading(o, "Closed form");
    if (closed->verdict != KAL_CLOSED_DONE) {
        put_sentence(o, kal_shown_refusal(o->shown));
        return;
    }
    for (size_t i = 0; i < closed->n_results; i++) {
        on = on || closed->results[i].on.index != 0;
    }
    put_named(o);
    put_results(o, false);
    if (closed->dependent) {
        put_sentence(o,
                     closed->has_reactions
                         ? "The constraints depend on each other: of all multipliers "
                           "these are the least."
                         : "The constraints depend on each other: their multipliers "
                           "are not unique.");
    }
    if (on) {
        put_sentence(o, "On the constraints, that is for states that satisfy them:");
        put_results(o, true);
    }
}

void kal_show_latex(const KalShown *shown, KalPage *page)
{
    char idle[KAL_SHOWN_IDLE];
    Out o = {.shown = shown,
             .sheet = &shown->sheet,
             .model = shown->sheet.eq->model,
             .page = page,
             .markdown = shown->options->format == KAL_SHOW_MARKDOWN};
    put_preamble(&o);
    put_coordinates(&o);
    if (!shown->long_form) {
        put_energies(&o);
    }
    put_heading(&o, "Equations");
    begin_display(&o);
    put(&o, kal_shown_equation(shown, true));
    end_display(&o);
    if (kal_shown_idle(shown, idle)) {
        put_sentence(&o, idle);
    }
    if (shown->long_form) {
        put_long_form(&o);
    } else {
        put_matrices(&o);
        put_vectors(&o);
    }
    if (shown->has_closed) {
        put_closed(&o);
    }
    put(&o, o.markdown ? "" : "\\end{document}\n");
}

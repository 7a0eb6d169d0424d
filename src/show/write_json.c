// SPDX-License-Identifier: MIT

// Equations for scripts: formulas in the model language, and the same in LaTeX. A zero
// entry is written as "0" and no matrix is symmetric by convention, so that a script
// needs to know no rule.

#include "json/member.h"
#include "show/show_impl.h"

#include <assert.h>
#include <string.h>

typedef struct Out {
    const KalShown *shown;
    const KalSheet *sheet;
    KalJsonWriter *writer;
    KalPage *page;
    KalFormat format;
} Out;

static void put_formula(const Out *o, KalExpr e)
{
    assert(o->format == KAL_FORMAT_TEXT || o->format == KAL_FORMAT_LATEX);
    KalPage text = kal_page(o->page->ctx);
    kal_page_formula(&text, o->sheet, e, o->format);
    kal_json_write_string(o->writer, kal_page_text(&text));
    o->page->status = o->page->status == KAL_OK ? text.status : o->page->status;
    kal_page_clear(&text);
}

static void put_names(const Out *o, const char *key, size_t n,
                      const char *(*name)(const KalModel *, size_t))
{
    assert(name);
    kal_json_write_key(o->writer, key);
    kal_json_write_begin(o->writer, '[');
    for (size_t i = 0; i < n; i++) {
        kal_json_write_string(o->writer, name(o->sheet->eq->model, i));
    }
    kal_json_write_end(o->writer, ']');
}

static void put_matrix(const Out *o, const KalShownMatrix *m)
{
    assert(m->pattern);
    kal_json_write_key(o->writer, m->name);
    kal_json_write_begin(o->writer, '[');
    for (size_t i = 0; i < m->pattern->rows; i++) {
        kal_json_write_begin(o->writer, '[');
        for (size_t j = 0; j < m->pattern->columns; j++) {
            put_formula(o, kal_shown_entry(m, i, j));
        }
        kal_json_write_end(o->writer, ']');
    }
    kal_json_write_end(o->writer, ']');
}

static void put_vector(const Out *o, const KalShownVector *v)
{
    kal_json_write_key(o->writer, v->name);
    kal_json_write_begin(o->writer, '[');
    for (size_t i = 0; i < v->n; i++) {
        put_formula(o, v->values[i]);
    }
    kal_json_write_end(o->writer, ']');
}

// One line of the long form as a member.  The name and the formula share one page: the
// formula begins where the name ends.
static void put_line(const Out *o, const KalShownLine *line)
{
    assert(line->name && line->formula);
    KalPage text = kal_page(o->page->ctx);
    kal_page_write(&text, line->name, line->name_length);
    kal_json_write_key(o->writer, kal_page_text(&text));
    const size_t begin = text.block.size;
    kal_page_write(&text, line->formula, line->length);
    kal_json_write_string(o->writer,
                          kal_page_text(&text) + (text.status == KAL_OK ? begin : 0));
    o->page->status = o->page->status == KAL_OK ? text.status : o->page->status;
    kal_page_clear(&text);
}

// Long formulas share parts: an object of lines, in an order in which they can be read.
static void put_long_form(const Out *o)
{
    KalPage lines = kal_page(o->page->ctx);
    KalShownLine line;
    kal_shown_long_form(o->shown, o->format, &lines);
    const char *text = kal_page_text(&lines);
    kal_json_write_key(o->writer, "parts");
    kal_json_write_begin(o->writer, '{');
    while (kal_shown_next_line(&text, &line)) {
        put_line(o, &line);
    }
    kal_json_write_end(o->writer, '}');
    o->page->status = o->page->status == KAL_OK ? lines.status : o->page->status;
    kal_page_clear(&lines);
}

// Results of a kind as an array, or as an object by constraint.
static void put_results(const Out *o, const char *key, KalResultKind kind, bool on)
{
    assert(o->shown->has_closed);
    const KalClosed *closed = &o->shown->closed;
    const bool by_name = kind == KAL_RESULT_REACTION;
    kal_json_write_key(o->writer, key);
    kal_json_write_begin(o->writer, by_name ? '{' : '[');
    for (size_t i = 0; i < closed->n_results; i++) {
        const KalResult *r = &closed->results[i];
        if (r->kind != kind) {
            continue;
        }
        if (by_name) {
            kal_json_write_key(o->writer,
                               o->sheet->eq->model->constraints[r->index].name);
        }
        put_formula(o, on && r->on.index != 0 ? r->on : r->value);
    }
    kal_json_write_end(o->writer, by_name ? '}' : ']');
}

static void put_all_results(const Out *o, bool on)
{
    put_results(o, "qdd", KAL_RESULT_ACCELERATION, on);
    put_results(o, "multipliers", KAL_RESULT_REACTION, on);
    kal_json_write_key(o->writer, "force");
    kal_json_write_begin(o->writer, '{');
    put_results(o, "ideal", KAL_RESULT_FORCE, on);
    put_results(o, "nonideal", KAL_RESULT_NONIDEAL, on);
    kal_json_write_end(o->writer, '}');
}

// The same for states on the constraints; null when that is nothing new.
static void put_on_constraints(const Out *o)
{
    const KalClosed *closed = &o->shown->closed;
    bool on = false;
    for (size_t i = 0; i < closed->n_results; i++) {
        on = on || closed->results[i].on.index != 0;
    }
    kal_json_write_key(o->writer, "on_constraints");
    if (on) {
        kal_json_write_begin(o->writer, '{');
        put_all_results(o, true);
        kal_json_write_end(o->writer, '}');
    } else {
        kal_json_write_null(o->writer);
    }
}

static void put_closed(const Out *o)
{
    assert(o->shown->has_closed);
    const KalClosed *closed = &o->shown->closed;
    kal_json_write_key(o->writer, "closed_form");
    kal_json_write_begin(o->writer, '{');
    if (closed->verdict != KAL_CLOSED_DONE) {
        kal_json_put_text(o->writer, "refused", kal_shown_refusal(o->shown));
    } else {
        put_all_results(o, false);
        kal_json_put_bool(o->writer, "unique_multipliers", !closed->dependent);
        put_on_constraints(o);
    }
    kal_json_write_end(o->writer, '}');
}

static void put_formulas(const Out *o)
{
    KalShownMatrix matrices[KAL_SHOWN_MATRICES];
    KalShownVector vectors[KAL_SHOWN_VECTORS];
    if (o->shown->long_form) {
        put_long_form(o);
    } else {
        const int n_matrices = kal_shown_matrices(o->shown, matrices);
        const int n_vectors = kal_shown_vectors(o->shown, vectors);
        kal_json_write_key(o->writer, "kinetic");
        put_formula(o, o->sheet->energies[0]);
        kal_json_write_key(o->writer, "potential");
        put_formula(o, o->sheet->energies[1]);
        for (int i = 0; i < n_matrices; i++) {
            put_matrix(o, &matrices[i]);
        }
        for (int i = 0; i < n_vectors; i++) {
            put_vector(o, &vectors[i]);
        }
    }
    if (o->shown->has_closed) {
        put_closed(o);
    }
}

static const char *coordinate_name(const KalModel *model, size_t i)
{
    return model->coordinates[i].name;
}

static const char *constraint_name(const KalModel *model, size_t i)
{
    return model->constraints[i].name;
}

void kal_show_json(const KalShown *shown, KalPage *page)
{
    const KalModel *model = shown->sheet.eq->model;
    KalJsonWriter writer = {.sink = kal_page_sink(page)};
    Out o = {shown, &shown->sheet, &writer, page, KAL_FORMAT_TEXT};
    kal_json_write_begin(&writer, '{');
    kal_json_put_text(&writer, "model", model->title);
    put_names(&o, "coordinates", model->n_coordinates, coordinate_name);
    put_names(&o, "constraints", model->n_constraints, constraint_name);
    kal_json_write_key(&writer, "acts_at_start");
    kal_json_write_begin(&writer, '[');
    for (size_t i = 0; i < model->n_constraints; i++) {
        kal_json_write_bool(&writer, o.shown->sheet.eq->acts[i]);
    }
    kal_json_write_end(&writer, ']');
    put_formulas(&o);
    kal_json_write_key(&writer, "latex");
    kal_json_write_begin(&writer, '{');
    o.format = KAL_FORMAT_LATEX;
    put_formulas(&o);
    kal_json_write_end(&writer, '}');
    kal_json_write_end(&writer, '}');
    kal_page_string(page, "\n");
}

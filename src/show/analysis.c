// SPDX-License-Identifier: MIT

// What `linearize`, `modes` and `equilibria` show.
//
// JSON has every number as it was computed.  Text is for people: six digits, parts of
// eigenvalues that are smaller than their own uncertainty as 0, a conjugate pair in one
// line, and of a long list only its beginning, with how many more there are.

#include "analysis/view.h"
#include "base/number.h"
#include "json/member.h"
#include "show/page.h"

#include <kalaba/show.h>

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    DIGITS = 6,
    COLUMNS_SHOWN = 14, // of a matrix; larger ones are lists
    ROWS_SHOWN = 60,
    EIGENVALUES_SHOWN = 6, // of a point of a sweep
    PARTS_SHOWN = 12,      // of a shape in many coordinates
    ENTRIES_SHOWN = 2000,  // of a large matrix
    CELL = 13,
    IMAGINARY = 13 // parts of a point of a sweep
};

// JSON.

// The state about which all else holds; it begins every object, so that a result can be
// told from another of the same model.
static void write_state(KalJsonWriter *w, const KalAnalysisView *a)
{
    assert(w && a->system && a->instant);
    const int n = a->system->n;
    kal_json_put_text(w, "model", kal_system_title(a->system));
    kal_json_put_number(w, "t", *kal_instant_t(a->instant));
    kal_json_put_values(w, "q", a->names, kal_instant_q(a->instant), n);
    kal_json_put_values(w, "qd", a->names, kal_instant_qd(a->instant), n);
}

static void write_kind(KalJsonWriter *w, const KalAnalysisView *a,
                       const KalLinearization *l)
{
    kal_json_put_bool(w, "equilibrium", l->at_rest);
    kal_json_put_bool(w, "steady", l->steady);
    kal_json_put_bool(w, "singular", l->singular);
    kal_json_put_text(w, "note", l->note);
    kal_json_put_text(w, "kink", a->kink);
}

static void write_linearization(const KalAnalysisView *a, const KalLinearization *l,
                                KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    write_state(&w, a);
    kal_json_put_names(&w, "states", l->states, l->n_states);
    kal_json_put_names(&w, "inputs", l->inputs, l->n_inputs);
    kal_json_put_names(&w, "outputs", l->outputs, l->n_outputs);
    kal_json_put_matrix(&w, "A", l->A, l->n_states, l->n_states);
    kal_json_put_matrix(&w, "B", l->B, l->n_states, l->n_inputs);
    kal_json_put_matrix(&w, "C", l->C, l->n_outputs, l->n_states);
    kal_json_put_matrix(&w, "D", l->D, l->n_outputs, l->n_inputs);
    write_kind(&w, a, l);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// A complex number.
static void write_pair(KalJsonWriter *w, double re, double im)
{
    kal_json_write_begin(w, '[');
    kal_json_write_number(w, re);
    kal_json_write_number(w, im);
    kal_json_write_end(w, ']');
}

static void write_mode(KalJsonWriter *w, const KalAnalysisView *a, const KalMode *mode)
{
    assert(mode->shape);
    const int n = a->system->n;
    kal_json_write_begin(w, '{');
    kal_json_write_key(w, "eigenvalue");
    write_pair(w, mode->re, mode->im);
    kal_json_put_number(w, "frequency", mode->frequency);
    kal_json_put_number(w, "damping", mode->damping);
    kal_json_put_number(w, "uncertainty", mode->uncertainty);
    kal_json_write_key(w, "shape");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < n; i++) {
        kal_json_write_key(w, a->names[i]);
        write_pair(w, mode->shape[i], mode->shape[n + i]);
    }
    kal_json_write_end(w, '}');
    kal_json_write_end(w, '}');
}

static void write_modes(const KalAnalysisView *a, const KalModes *modes, KalSink sink)
{
    const KalLinearization *l = &modes->linearization;
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    write_state(&w, a);
    kal_json_put_names(&w, "states", l->states, l->states ? l->n_states : 0);
    kal_json_write_key(&w, "eigenvalues");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < modes->n; k++) {
        write_pair(&w, modes->modes[k].re, modes->modes[k].im);
    }
    kal_json_write_end(&w, ']');
    kal_json_put_text(&w, "stability", kal_stability_word(modes->stability));
    kal_json_put_text(&w, "reason", modes->reason);
    kal_json_put_bool(&w, "decays", modes->decays);
    kal_json_put_number(&w, "family_dimension", modes->family);
    write_kind(&w, a, l);
    kal_json_write_key(&w, "modes");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < modes->n; k++) {
        write_mode(&w, a, &modes->modes[k]);
    }
    kal_json_write_end(&w, ']');
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// Whether a constraint is the equation of a state, which has no reaction.
static bool is_of_state(const KalAnalysisView *a, int i)
{
    assert(i >= 0 && i < a->system->m);
    return a->system->model->constraints[i].state > 0;
}

// The reactions of constraints, and whether they are unique.
static void write_reactions(KalJsonWriter *w, const KalAnalysisView *a,
                            const KalEquilibrium *e)
{
    const char *const *names = kal_system_constraint_names(a->system);
    kal_json_write_key(w, "multipliers");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < a->system->m; i++) {
        if (!is_of_state(a, i)) {
            kal_json_put_number(w, names[i], e->multipliers[i]);
        }
    }
    kal_json_write_end(w, '}');
    kal_json_write_key(w, "unique_reaction");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < a->system->m; i++) {
        if (!is_of_state(a, i)) {
            kal_json_put_bool(w, names[i], !e->shared[i]);
        }
    }
    kal_json_write_end(w, '}');
}

static void write_equilibrium(KalJsonWriter *w, const KalAnalysisView *a,
                              const KalEquilibrium *e)
{
    assert(e->q && e->qd);
    const int n = a->system->n;
    kal_json_write_begin(w, '{');
    kal_json_put_values(w, "q", a->names, e->q, n);
    kal_json_put_values(w, "qd", a->names, e->qd, n);
    kal_json_put_text(w, "stability", kal_stability_word(e->stability));
    kal_json_put_text(w, "reason", e->reason);
    kal_json_put_bool(w, "decays", e->decays);
    kal_json_put_number(w, "family_dimension", e->family);
    kal_json_put_number(w, "potential", e->potential);
    write_reactions(w, a, e);
    kal_json_put_values(w, "force", a->names, e->force, n);
    kal_json_write_end(w, '}');
}

static void write_equilibria(const KalAnalysisView *a, const KalEquilibria *equilibria,
                             KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(a->system));
    kal_json_write_key(&w, "equilibria");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < equilibria->count; k++) {
        write_equilibrium(&w, a, &equilibria->list[k]);
    }
    kal_json_write_end(&w, ']');
    kal_json_put_number(&w, "starts", equilibria->starts);
    kal_json_put_number(&w, "arrived", equilibria->arrived);
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// A value for which no modes were found has no stability: null, not a word.
static void write_point(KalJsonWriter *w, const KalLocusPoint *point)
{
    assert(point->n >= 0);
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "value", point->value);
    kal_json_put_text(w, "stability",
                      point->failed ? NULL : kal_stability_word(point->stability));
    kal_json_write_key(w, "eigenvalues");
    kal_json_write_begin(w, '[');
    for (int k = 0; k < point->n; k++) {
        write_pair(w, point->re[k], point->im[k]);
    }
    kal_json_write_end(w, ']');
    kal_json_put_number(w, "growing", point->growing);
    kal_json_write_end(w, '}');
}

static void write_critical(KalJsonWriter *w, const KalCritical *critical)
{
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "value", critical->value);
    kal_json_put_number(w, "frequency", critical->frequency);
    kal_json_put_number(w, "growing_below", critical->below);
    kal_json_put_number(w, "growing_above", critical->above);
    kal_json_write_end(w, '}');
}

static void write_locus(const KalLocus *locus, const KalLocusTitle *title, KalSink sink)
{
    const KalLocusPoint *points = NULL;
    const KalCritical *criticals = NULL;
    const int n_points = kal_locus_points(locus, &points);
    const int n_criticals = kal_locus_criticals(locus, &criticals);
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", title->model);
    kal_json_put_text(&w, "parameter", title->parameter);
    kal_json_write_key(&w, "critical");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < n_criticals; k++) {
        write_critical(&w, &criticals[k]);
    }
    kal_json_write_end(&w, ']');
    kal_json_write_key(&w, "points");
    kal_json_write_begin(&w, '[');
    for (int k = 0; k < n_points; k++) {
        write_point(&w, &points[k]);
    }
    kal_json_write_end(&w, ']');
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// Text.

// 0 never shows as -0, and what is not known as ?.
static void put_number(KalPage *page, double value, int width)
{
    assert(width >= 0);
    char text[KAL_NUMBER_SIZE];
    kal_number_print(kal_reader_number(value), DIGITS, text);
    kal_page_format(page, "%*s", width, isnan(value) ? "?" : text);
}

static void put_name(KalPage *page, const char *name, size_t width)
{
    const size_t used = kal_text_width(name);
    kal_page_safe(page, name);
    kal_page_repeat(page, ' ', width > used ? width - used : 0);
}

static size_t widest(const char *const *names, int count)
{
    assert(count >= 0);
    size_t width = 1;
    for (int i = 0; i < count; i++) {
        const size_t used = kal_text_width(names[i]);
        width = used > width ? used : width;
    }
    return width;
}

// Long lists are cut, as a reader of a terminal wants the modes that follow them.
static void put_state(KalPage *page, const KalAnalysisView *a)
{
    const int n = a->system->n;
    const size_t width = widest(a->names, n);
    kal_page_safe(page, kal_system_title(a->system));
    kal_page_string(page, "\nt = ");
    put_number(page, *kal_instant_t(a->instant), 0);
    kal_page_string(page, "\n\nAbout: position and velocity\n");
    for (int i = 0; i < n && i < ROWS_SHOWN; i++) {
        kal_page_string(page, "  ");
        put_name(page, a->names[i], width);
        put_number(page, kal_instant_q(a->instant)[i], CELL);
        put_number(page, kal_instant_qd(a->instant)[i], CELL);
        kal_page_string(page, "\n");
    }
    if (n > ROWS_SHOWN) {
        kal_page_format(page, "  … and %d more\n", n - ROWS_SHOWN);
    }
}

// A matrix with the names of its rows and columns.
typedef struct Table {
    const char *name;
    const double *values;
    const char *const *rows;
    int n_rows;
    const char *const *columns;
    int n_columns;
} Table;

// Names that are wider than a column push the others to the right, but never touch
// them.
static void put_heads(KalPage *page, const Table *t, size_t width)
{
    assert(t->n_columns > 0);
    put_name(page, t->name, width + 4);
    for (int j = 0; j < t->n_columns; j++) {
        const size_t used = kal_text_width(t->columns[j]);
        kal_page_repeat(page, ' ', used < CELL ? CELL - used : 1);
        kal_page_safe(page, t->columns[j]);
    }
    kal_page_string(page, "\n");
}

// A column is as wide as its name, so that numbers stand under it.
static void put_table(KalPage *page, const Table *t)
{
    assert(t->n_rows >= 0 && t->n_columns >= 0);
    const size_t width = widest(t->rows, t->n_rows);
    if (t->n_rows == 0 || t->n_columns == 0) {
        return;
    }
    kal_page_string(page, "\n");
    put_heads(page, t, width);
    for (int i = 0; i < t->n_rows; i++) {
        kal_page_string(page, "    ");
        put_name(page, t->rows[i], width);
        for (int j = 0; j < t->n_columns; j++) {
            const size_t used = kal_text_width(t->columns[j]);
            put_number(page, t->values[i * t->n_columns + j],
                       used < CELL ? CELL : (int)used + 1);
        }
        kal_page_string(page, "\n");
    }
}

// Entries that are not zero.  Matrices of many columns are mostly zeros: their other
// entries are easier to read as a list.
static void put_list(KalPage *page, const Table *t)
{
    assert(t->n_columns > 0);
    const size_t rows = widest(t->rows, t->n_rows);
    const size_t columns = widest(t->columns, t->n_columns);
    kal_page_format(page, "\n%s: %d × %d, entries that are not 0\n", t->name, t->n_rows,
                    t->n_columns);
    int entries = 0;
    for (int k = 0; k < t->n_rows * t->n_columns; k++) {
        entries += t->values[k] != 0.0;
        if (t->values[k] != 0.0 && entries <= ENTRIES_SHOWN) {
            kal_page_string(page, "    ");
            put_name(page, t->rows[k / t->n_columns], rows + 2);
            put_name(page, t->columns[k % t->n_columns], columns);
            put_number(page, t->values[k], CELL);
            kal_page_string(page, "\n");
        }
    }
    if (entries > ENTRIES_SHOWN) {
        kal_page_format(page, "    … and %d more, which --json has\n",
                        entries - ENTRIES_SHOWN);
    }
}

static void put_matrix(KalPage *page, Table t)
{
    if (t.n_columns > COLUMNS_SHOWN) {
        put_list(page, &t);
    } else {
        put_table(page, &t);
    }
}

static void put_linearization(KalPage *page, const KalAnalysisView *a,
                              const KalLinearization *l)
{
    assert(l->n_positions <= l->n_states);
    put_state(page, a);
    kal_page_format(page, "\n%d states: %d of the configuration, %d of the velocity\n",
                    l->n_states, l->n_positions, l->n_states - l->n_positions);
    put_matrix(page,
               (Table){"A", l->A, l->states, l->n_states, l->states, l->n_states});
    put_matrix(page,
               (Table){"B", l->B, l->states, l->n_states, l->inputs, l->n_inputs});
    put_matrix(page,
               (Table){"C", l->C, l->outputs, l->n_outputs, l->states, l->n_states});
    put_matrix(page,
               (Table){"D", l->D, l->outputs, l->n_outputs, l->inputs, l->n_inputs});
}

// What is rounding is shown as 0.
static double cleaned(double part, double uncertainty)
{
    assert(!(uncertainty < 0.0));
    return fabs(part) <= uncertainty ? 0.0 : part;
}

// Of a shape in many coordinates every so many that the parts are few.
static int stride_of(int n)
{
    return n > ROWS_SHOWN ? (n + PARTS_SHOWN - 1) / PARTS_SHOWN : 1;
}

// The largest part of a shape is 1: those below a millionth of it are left out.
static void put_shape(KalPage *page, const KalAnalysisView *a, const KalMode *mode)
{
    assert(mode->shape);
    const int n = a->system->n;
    const double visible = 1e-6;
    const int stride = stride_of(n);
    for (int i = 0, shown = 0; i < n; i++) {
        const double re = mode->shape[i];
        const double im = mode->shape[n + i];
        if (hypot(re, im) < visible || i % stride != 0) {
            continue;
        }
        kal_page_string(page, shown++ > 0 ? ", " : "");
        kal_page_safe(page, a->names[i]);
        kal_page_string(page, " ");
        put_number(page, fabs(re) < visible ? 0.0 : re, 0);
        if (fabs(im) >= visible) {
            kal_page_string(page, im < 0.0 ? " - " : " + ");
            put_number(page, fabs(im), 0);
            kal_page_string(page, "i");
        }
    }
}

static void put_modes(KalPage *page, const KalAnalysisView *a, const KalModes *modes)
{
    assert(modes->n >= 0);
    put_state(page, a);
    kal_page_format(page, "\n%d modes: eigenvalue, frequency [Hz], damping, shape\n",
                    modes->n);
    if (modes->n < modes->linearization.n_states) {
        kal_page_format(page, "(the slowest of %d; --json has them whole)\n",
                        modes->linearization.n_states);
    }
    for (int k = 0; k < modes->n; k++) {
        const KalMode *mode = &modes->modes[k];
        const bool pair = mode->im > 0.0;
        const double re = cleaned(mode->re, mode->uncertainty);
        const double im = cleaned(mode->im, mode->uncertainty);
        put_number(page, re, CELL);
        kal_page_string(page, pair && im != 0.0 ? " ±" : "  ");
        put_number(page, fabs(im), CELL - 2);
        kal_page_string(page, im != 0.0 ? "i" : " ");
        put_number(page, re == 0.0 && im == 0.0 ? 0.0 : mode->frequency, CELL);
        put_number(page, re == 0.0 ? 0.0 : mode->damping, CELL);
        kal_page_string(page, "   ");
        put_shape(page, a, mode);
        kal_page_string(page, "\n");
        k += pair && im != 0.0; // its conjugate is told with it
    }
    kal_page_format(page, "\n%s: %s\n", kal_stability_word(modes->stability),
                    modes->reason);
    if (modes->family > 0) {
        kal_page_format(page, "one of a family of %d dimension%s\n", modes->family,
                        modes->family > 1 ? "s" : "");
    }
}

static void put_equilibrium(KalPage *page, const KalAnalysisView *a,
                            const KalEquilibrium *e, int number)
{
    const KalSystem *system = a->system;
    const int n = system->n;
    const size_t width = widest(a->names, n);
    const char *const *constraints = kal_system_constraint_names(system);
    kal_page_format(page, "\n%d. %s: %s\n", number, kal_stability_word(e->stability),
                    e->reason);
    if (e->family > 0) {
        kal_page_format(page, "   one of a family of %d dimension%s\n", e->family,
                        e->family > 1 ? "s" : "");
    }
    for (int i = 0; i < n && i < ROWS_SHOWN; i++) {
        kal_page_string(page, "     ");
        put_name(page, a->names[i], width);
        put_number(page, e->q[i], CELL);
        if (e->qd[i] != 0.0) {
            kal_page_string(page, "   moving at");
            put_number(page, e->qd[i], CELL);
        }
        kal_page_string(page, "\n");
    }
    for (int i = 0; i < system->m && i < ROWS_SHOWN; i++) {
        if (is_of_state(a, i)) {
            continue;
        }
        kal_page_string(page, "     reaction(");
        kal_page_safe(page, constraints[i]);
        kal_page_string(page, ") = ");
        put_number(page, e->multipliers[i], 0);
        kal_page_string(page, e->shared[i] ? "   not unique\n" : "\n");
    }
}

static void put_equilibria(KalPage *page, const KalAnalysisView *a,
                           const KalEquilibria *equilibria)
{
    assert(equilibria->count >= 0 && equilibria->arrived <= equilibria->starts);
    kal_page_safe(page, kal_system_title(a->system));
    kal_page_format(page, "\n%d found from %d starts, %d of which arrived\n",
                    equilibria->count, equilibria->starts, equilibria->arrived);
    for (int k = 0; k < equilibria->count; k++) {
        put_equilibrium(page, a, &equilibria->list[k], k + 1);
    }
}

// An eigenvalue, or two that are conjugate; returns the spaces that fill up its column.
static size_t put_eigenvalue(KalPage *page, double re, double im)
{
    char text[KAL_NUMBER_SIZE];
    put_number(page, re, CELL);
    kal_number_print(fabs(im), DIGITS, text);
    if (im == 0.0) {
        return IMAGINARY;
    }
    kal_page_format(page, " ±%si", text);
    const size_t used = strlen(text) + 3;
    return used < IMAGINARY ? IMAGINARY - used : 0;
}

// A row of a sweep, without `skipped` eigenvalues that are 0.
static void put_point(KalPage *page, const KalLocusPoint *point, int skipped)
{
    put_number(page, point->value, CELL);
    kal_page_format(page, "  %-10s",
                    point->failed ? "no answer" : kal_stability_word(point->stability));
    int shown = 0;
    size_t gap = 0;
    for (int k = 0; k < point->n && shown < EIGENVALUES_SHOWN; k++) {
        if (skipped > 0 && point->re[k] == 0.0 && point->im[k] == 0.0) {
            skipped--;
            continue;
        }
        kal_page_repeat(page, ' ', gap);
        gap = put_eigenvalue(page, point->re[k], point->im[k]);
        k += point->im[k] != 0.0 && k + 1 < point->n; // its conjugate is told with it
        shown++;
    }
    kal_page_string(page, "\n");
}

static void put_critical(KalPage *page, const KalCritical *critical)
{
    char value[KAL_NUMBER_SIZE];
    kal_number_print(critical->value, 12, value);
    kal_page_format(page, "  %s: %d mode%s below, %d above", value, critical->below,
                    critical->below == 1 ? " grows" : "s grow", critical->above);
    if (critical->frequency > 0.0) {
        kal_page_string(page, "; crossing with frequency ");
        put_number(page, critical->frequency, 0);
    }
    kal_page_string(page, "\n");
}

static void put_locus(KalPage *page, const KalLocus *locus, const KalLocusTitle *title)
{
    assert(title->model && title->parameter);
    const KalLocusPoint *points = NULL;
    const KalCritical *criticals = NULL;
    const int n_points = kal_locus_points(locus, &points);
    const int n_criticals = kal_locus_criticals(locus, &criticals);
    kal_page_safe(page, title->model);
    kal_page_string(page, "\n\n");
    kal_page_repeat(page, ' ',
                    CELL > kal_text_width(title->parameter)
                        ? CELL - kal_text_width(title->parameter)
                        : 0);
    kal_page_safe(page, title->parameter);
    kal_page_string(page, "  stability   eigenvalues, those that grow most first\n");
    const int zeros = kal_locus_zeros(locus);
    for (int k = 0; k < n_points; k++) {
        put_point(page, &points[k], zeros);
    }
    if (zeros > 0) {
        kal_page_format(page, "\n%d eigenvalue%s 0 throughout, and not shown\n", zeros,
                        zeros > 1 ? "s are" : " is");
    }
    kal_page_string(page,
                    n_criticals > 0 ? "\nCritical values\n" : "\nNo critical values\n");
    for (int k = 0; k < n_criticals; k++) {
        put_critical(page, &criticals[k]);
    }
}

KalStatus kal_show_linearization(KalAnalysis *analysis,
                                 const KalLinearization *linearization,
                                 const KalShowOptions *options, KalSink sink)
{
    const KalAnalysisView view = kal_analysis_view(analysis);
    KAL_NEED(view.ctx, analysis && linearization && options && sink.write
                           && (unsigned)options->format <= KAL_SHOW_HTML);
    if (options->format == KAL_SHOW_JSON) {
        write_linearization(&view, linearization, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(view.ctx);
    put_linearization(&page, &view, linearization);
    return kal_page_finish(&page, sink);
}

KalStatus kal_show_modes(KalAnalysis *analysis, const KalModes *modes,
                         const KalShowOptions *options, KalSink sink)
{
    const KalAnalysisView view = kal_analysis_view(analysis);
    KAL_NEED(view.ctx, analysis && modes && options && sink.write
                           && (unsigned)options->format <= KAL_SHOW_HTML);
    if (options->format == KAL_SHOW_JSON) {
        write_modes(&view, modes, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(view.ctx);
    put_modes(&page, &view, modes);
    return kal_page_finish(&page, sink);
}

KalStatus kal_show_equilibria(KalAnalysis *analysis, const KalEquilibria *equilibria,
                              const KalShowOptions *options, KalSink sink)
{
    const KalAnalysisView view = kal_analysis_view(analysis);
    KAL_NEED(view.ctx, analysis && equilibria && options && sink.write
                           && (unsigned)options->format <= KAL_SHOW_HTML);
    if (options->format == KAL_SHOW_JSON) {
        write_equilibria(&view, equilibria, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(view.ctx);
    put_equilibria(&page, &view, equilibria);
    return kal_page_finish(&page, sink);
}

KalStatus kal_show_locus(KalContext *ctx, const KalLocus *locus,
                         const KalLocusTitle *title, const KalShowOptions *options,
                         KalSink sink)
{
    KAL_NEED(ctx, ctx && locus && title && options && sink.write
                      && (unsigned)options->format <= KAL_SHOW_HTML);
    if (options->format == KAL_SHOW_JSON) {
        write_locus(locus, title, sink);
        return KAL_OK;
    }
    KalPage page = kal_page(ctx);
    put_locus(&page, locus, title);
    return kal_page_finish(&page, sink);
}

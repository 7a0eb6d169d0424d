// SPDX-License-Identifier: MIT

// Equations of a system for readers: one list of matrices and vectors that all formats write,
// the long form, in which shared parts have names, and closed forms.

#include "show/show.h"

#include "show/show_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_SIZE = 48 // room for `A_servo[12,34]`
};

static const char *coordinate_name(const KalModel *model, size_t i)
{
    return model->coordinates[i].name;
}

static const char *constraint_name(const KalModel *model, size_t i)
{
    return model->constraints[i].name;
}

static const char *actuator_name(const KalModel *model, size_t i)
{
    return model->actuators[i].name;
}

static const char *state_name(const KalModel *model, size_t i)
{
    return model->states[i].name;
}

static const char *servo_name(const KalModel *model, size_t i)
{
    return model->servos[i].name;
}

int kal_shown_matrices(const KalShown *shown, KalShownMatrix out[KAL_SHOWN_MATRICES])
{
    const KalSheet *sheet = &shown->sheet;
    const KalEquations *eq = sheet->eq;
    int n = 0;
    out[n++] =
        (KalShownMatrix){"M", &eq->M, sheet->M, true, coordinate_name, coordinate_name};
    if (eq->m > 0) {
        out[n++] = (KalShownMatrix){"A",   &eq->A,          sheet->A,
                                    false, constraint_name, coordinate_name};
    }
    if (eq->model->n_actuators > 0) {
        out[n++] = (KalShownMatrix){"B",   &eq->B,          sheet->B,
                                    false, coordinate_name, actuator_name};
    }
    if (eq->n_servos > 0) {
        out[n++] = (KalShownMatrix){"A_servo", &eq->servo_A, sheet->servo_A,
                                    false,     servo_name,   coordinate_name};
    }
    assert(n <= KAL_SHOWN_MATRICES);
    return n;
}

int kal_shown_vectors(const KalShown *shown, KalShownVector out[KAL_SHOWN_VECTORS])
{
    const KalSheet *sheet = &shown->sheet;
    const KalEquations *eq = sheet->eq;
    int n = 0;
    out[n++] = (KalShownVector){"Q", sheet->Q, eq->n, coordinate_name};
    if (eq->has_C) {
        out[n++] = (KalShownVector){"C", sheet->C, eq->n, coordinate_name};
    }
    if (eq->m > 0) {
        out[n++] = (KalShownVector){"b", sheet->b, eq->m, constraint_name};
    }
    if (eq->n_servos > 0) {
        out[n++] =
            (KalShownVector){"b_servo", sheet->servo_b, eq->n_servos, servo_name};
    }
    if (eq->model->n_states > 0) {
        out[n++] = (KalShownVector){"S", sheet->rates, eq->model->n_states, state_name};
    }
    assert(n <= KAL_SHOWN_VECTORS);
    return n;
}

KalExpr kal_shown_entry(const KalShownMatrix *matrix, size_t row, size_t column)
{
    assert(row < matrix->pattern->rows && column < matrix->pattern->columns);
    const bool mirror = matrix->symmetric && row < column;
    return kal_sheet_entry(matrix->pattern, matrix->values, mirror ? column : row,
                           mirror ? row : column);
}

bool kal_shown_idle(const KalShown *shown, char out_text[KAL_SHOWN_IDLE])
{
    const KalEquations *eq = shown->sheet.eq;
    size_t used = 0;
    size_t idle = 0;
    size_t named = 0;
    for (size_t i = 0; i < eq->m; i++) {
        idle += !eq->acts[i];
        if (!eq->acts[i] && used < KAL_SHOWN_IDLE / 2) {
            used += (size_t)snprintf(
                out_text + used, KAL_SHOWN_IDLE - used, "%s%.200s",
                used > 0 ? ", " : "These rows of A do not act at the start: ",
                constraint_name(eq->model, i));
            named++;
        }
    }
    if (idle > named) {
        (void)snprintf(out_text + used, KAL_SHOWN_IDLE - used, " and %zu more",
                       idle - named);
    }
    return idle > 0;
}

const char *kal_shown_title(const KalShown *shown)
{
    assert(shown->sheet.eq);
    const char *title = shown->sheet.eq->model->title;
    return title[0] != '\0' ? title : "Equations of motion";
}

const char *kal_shown_equation(const KalShown *shown, bool latex)
{
    static const char *const text[4] = {
        "M q'' = Q",
        "M q'' = Q + C",
        "M q'' = Q + Aᵀλ,   A q'' = b",
        "M q'' = Q + Qᶜ,   A q'' = b,   Qᶜ = Aᵀλ + what C adds along free directions",
    };
    static const char *const math[4] = {
        "M \\ddot{q} = Q",
        "M \\ddot{q} = Q + C",
        "M \\ddot{q} = Q + A^{\\mathsf{T}} \\lambda, \\qquad A \\ddot{q} = b",
        "M \\ddot{q} = Q + Q^{c}, \\qquad A \\ddot{q} = b",
    };
    const KalEquations *eq = shown->sheet.eq;
    const int which = (eq->m > 0 ? 2 : 0) + (eq->has_C ? 1 : 0);
    return latex ? math[which] : text[which];
}

const char *kal_shown_refusal(const KalShown *shown)
{
    switch (shown->closed.verdict) {
    case KAL_CLOSED_TOO_LARGE:
        return "The closed form is too large to be of use. For numbers at a state, use "
               "kalaba eval.";
    case KAL_CLOSED_NOT_UNIQUE:
        return "There is no closed form, because the accelerations are not unique. For "
               "the coordinates concerned, use kalaba check.";
    case KAL_CLOSED_BRANCHES:
        return "There is no closed form for all states: the constraints have branches "
               "(if, min, max, abs, …) in which more of them may be independent. For "
               "numbers at a state, use kalaba eval.";
    case KAL_CLOSED_WAITING:
        return "There is no one closed form: a constraint does not act at the start. "
               "Remove it, or let it act from the start on, for the form of either.";
    case KAL_CLOSED_SERVOS:
        return "There is no closed form of the motion under servos. For that without "
               "them remove these; for numbers at a state, use kalaba eval.";
    case KAL_CLOSED_UNCHECKED:
        return "No closed form is shown, because none held at the states that were "
               "tried. For numbers at a state, use kalaba eval.";
    case KAL_CLOSED_CONTACTS:
        return "There is no closed form for all states: it changes with what contacts "
               "and frictions do. For numbers at a state, use kalaba eval.";
    case KAL_CLOSED_DONE: break;
    }
    return "";
}

static void name_entry(char *name, const char *matrix, size_t row, size_t column)
{
    assert(name && matrix);
    snprintf(name, NAME_SIZE, "%s[%zu,%zu]", matrix, row + 1, column + 1);
}

// Characters of the long form: parts that occur often have names, so it grows with the number
// of its lines.
enum {
    LEAST_LONG = 1000000,
    LONG_LINE = 1000
};

// Formulas of the long form and their names; memory for `most` of each.
typedef struct Long {
    KalExpr *e;
    char (*names)[NAME_SIZE];
    const char **pointers;
    size_t n;
    size_t most;
} Long;

static char *add_long(Long *list, KalExpr e)
{
    assert(e.index != 0);
    assert(list->n < list->most);
    list->e[list->n] = e;
    list->pointers[list->n] = list->names[list->n];
    return list->names[list->n++];
}

// Everything that is not zero.
static void list_long(const KalShown *shown, Long *list)
{
    const KalSheet *sheet = &shown->sheet;
    KalShownMatrix matrices[KAL_SHOWN_MATRICES];
    KalShownVector vectors[KAL_SHOWN_VECTORS];
    snprintf(add_long(list, sheet->energies[0]), NAME_SIZE, "T");
    snprintf(add_long(list, sheet->energies[1]), NAME_SIZE, "V");
    const int n_matrices = kal_shown_matrices(shown, matrices);
    for (int k = 0; k < n_matrices; k++) {
        const KalSparse *p = matrices[k].pattern;
        for (size_t i = 0; i < p->rows; i++) {
            for (int64_t at = p->start[i]; at < p->start[i + 1]; at++) {
                const size_t j = (size_t)p->column[at];
                char *name = add_long(list, matrices[k].values[at]);
                name_entry(name, matrices[k].name, matrices[k].symmetric ? j : i,
                           matrices[k].symmetric ? i : j);
            }
        }
    }
    const int n_vectors = kal_shown_vectors(shown, vectors);
    for (int k = 0; k < n_vectors; k++) {
        for (size_t i = 0; i < vectors[k].n; i++) {
            if (!kal_is_zero(sheet->g, vectors[k].values[i])) {
                snprintf(add_long(list, vectors[k].values[i]), NAME_SIZE, "%s[%zu]",
                         vectors[k].name, i + 1);
            }
        }
    }
}

void kal_shown_long_form(const KalShown *shown, KalFormat format, KalPage *page)
{
    const KalSheet *sheet = &shown->sheet;
    const size_t most = sheet->n_all;
    Long list = {.most = most};
    list.e = (KalExpr *)kal_alloc(sheet->ctx, most, sizeof *list.e);
    list.names = (char(*)[NAME_SIZE])kal_alloc(sheet->ctx, most, sizeof *list.names);
    list.pointers = (const char **)kal_alloc(sheet->ctx, most, sizeof *list.pointers);
    if (list.e && list.names && list.pointers) {
        KalPrintOptions options = kal_sheet_options(sheet, format);
        options.prefix = shown->prefix;
        list_long(shown, &list);
        options.limit = LEAST_LONG + LONG_LINE * list.n;
        const KalStatus status = kal_print_parts(sheet->g, list.e, list.pointers,
                                                 list.n, &options, kal_page_sink(page));
        page->status = page->status == KAL_OK ? status : page->status;
    } else {
        page->status = kal_no_memory(sheet->ctx, "to show equations");
    }
    kal_free(sheet->ctx, (void *)list.pointers, most * sizeof *list.pointers);
    kal_free(sheet->ctx, list.names, most * sizeof *list.names);
    kal_free(sheet->ctx, list.e, most * sizeof *list.e);
}

// Lines of the long form are `[let ]name = formula`.
bool kal_shown_next_line(const char **text, KalShownLine *out_line)
{
    assert(text && *text && out_line);
    const char *line = *text;
    const char *end = strchr(line, '\n');
    const char *equals = strstr(line, " = ");
    if (!end || !equals || equals > end) {
        return false;
    }
    line += strncmp(line, "let ", 4) == 0 ? 4 : 0;
    out_line->name = line;
    out_line->name_length = (size_t)(equals - line);
    out_line->formula = equals + 3;
    out_line->length = (size_t)(end - out_line->formula);
    *text = end + 1;
    return true;
}

// Parts are called v1, v2, … unless the model has such names.
static void choose_prefix(KalShown *shown)
{
    static_assert(sizeof shown->prefix >= sizeof "part_", "room for the longest");
    const KalModel *model = shown->sheet.eq->model;
    static const char *const letters[] = {"v", "w", "z", "u", "part_"};
    for (size_t k = 0; k < sizeof letters / sizeof letters[0]; k++) {
        bool taken = false;
        const size_t length = strlen(letters[k]);
        for (size_t i = 0; i < model->n_symbols; i++) {
            const char *name = model->symbols[i].name;
            taken = taken
                    || (strncmp(name, letters[k], length) == 0 && name[length] >= '0'
                        && name[length] <= '9');
        }
        snprintf(shown->prefix, sizeof shown->prefix, "%s", letters[k]);
        if (!taken) {
            return;
        }
    }
}

// What is half made can be cleared: the caller clears it in any case.
static KalStatus prepare(const KalEquations *eq, const KalShowOptions *options,
                         KalShown *shown)
{
    assert(eq && options);
    *shown = (KalShown){.options = options};
    shown->closed.ctx = eq->model->ctx;
    KAL_TRY(kal_sheet_init(&shown->sheet, eq));
    shown->long_form = shown->sheet.large;
    choose_prefix(shown);
    if (options->closed_form) {
        KAL_TRY(kal_closed_solve(&shown->sheet, options->format != KAL_SHOW_JSON,
                                 &shown->closed));
        shown->has_closed = true;
    }
    return KAL_OK;
}

static KalStatus show(const KalShown *shown, KalSink sink)
{
    KalPage page = kal_page(shown->sheet.ctx);
    switch (shown->options->format) {
    case KAL_SHOW_TEXT: kal_show_text(shown, &page); break;
    case KAL_SHOW_LATEX:
    case KAL_SHOW_MARKDOWN: kal_show_latex(shown, &page); break;
    case KAL_SHOW_HTML: kal_show_html(shown, &page); break;
    case KAL_SHOW_JSON: kal_show_json(shown, &page); break;
    }
    const char *text = kal_page_text(&page);
    const KalStatus status = page.status;
    if (status == KAL_OK) {
        sink.write(sink.user, text, page.block.size);
    }
    kal_page_clear(&page);
    return status;
}

KalStatus kal_show_equations(const KalEquations *equations,
                             const KalShowOptions *options, KalSink sink)
{
    assert(equations && options && sink.write);
    KalShown shown;
    KalStatus status = prepare(equations, options, &shown);
    if (status == KAL_OK) {
        status = show(&shown, sink);
    }
    kal_closed_clear(&shown.closed);
    kal_sheet_clear(&shown.sheet);
    return status;
}

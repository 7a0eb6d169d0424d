// SPDX-License-Identifier: MIT

// Reduced equations as text, LaTeX, Markdown and JSON. What is shown is four groups of
// lines, `name = formula`, each a function that gives line i: the formats go through
// the groups and know nothing of what is in them.  Lines that say nothing new, x' = x'
// or an inertia of 0, are left out for people and written for scripts.

#include "json/member.h"
#include "reduce/reduction.h"
#include "show/math.h"
#include "show/page.h"
#include "system/draft.h"

#include <kalaba/reduce.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_WIDTH = 100,
    ROOM = 68, // letters of a line of LaTeX
    NAME_SIZE = 48
};

typedef struct Out {
    const KalReduction *r;
    KalShowFormat format;
    size_t width;
    KalPage *page;
    bool first; // of the lines of a display
} Out;

// A formula with what stands on its left: a symbol, or a name if there is none.
typedef struct Line {
    KalExpr symbol;
    char name[NAME_SIZE];
    KalExpr value; // KAL_NO_EXPR: nothing stands on the right
} Line;

// A function that gives line i of a group; false when there are no more.
typedef bool (*LineFn)(const KalReduction *r, size_t i, Line *out);

static bool speed_line(const KalReduction *r, size_t i, Line *out)
{
    *out = (Line){.symbol = KAL_NO_EXPR};
    if (i >= r->k) {
        return false;
    }
    out->symbol = r->speeds[i].symbol;
    out->value = r->speeds[i].value;
    return true;
}

static bool velocity_line(const KalReduction *r, size_t i, Line *out)
{
    *out = (Line){.symbol = KAL_NO_EXPR};
    if (i >= r->n) {
        return false;
    }
    out->symbol = kal_reduction_copy(r, r->eq->model->coordinates[i].v);
    out->value = r->velocity[i];
    return true;
}

static bool rate_line(const KalReduction *r, size_t i, Line *out)
{
    *out = (Line){.symbol = KAL_NO_EXPR};
    if (i >= r->k) {
        return false;
    }
    out->symbol = r->speeds[i].rate;
    out->value = r->speeds[i].equation;
    return true;
}

// The upper triangle of the inertia, then the forces.
static bool inertia_line(const KalReduction *r, size_t i, Line *out)
{
    *out = (Line){.symbol = KAL_NO_EXPR};
    size_t at = 0;
    for (size_t row = 0; row < r->k; row++) {
        for (size_t column = row; column < r->k; column++) {
            if (at++ == i) {
                (void)snprintf(out->name, NAME_SIZE, "M[%zu,%zu]", row + 1, column + 1);
                out->value = r->M[row * r->k + column];
                return true;
            }
        }
    }
    if (i - at >= r->k) {
        return false;
    }
    (void)snprintf(out->name, NAME_SIZE, "F[%zu]", i - at + 1);
    out->value = r->F[i - at];
    return true;
}

// Groups of lines, and when they are shown.
typedef struct Group {
    const char *title;
    LineFn line;
} Group;

static const Group SPEEDS = {"Speeds", speed_line};
static const Group VELOCITIES = {"Velocities", velocity_line};
static const Group RATES = {"Equations of motion", rate_line};
static const char WITH[] = "The velocities in these formulas are those above.";
static const Group INERTIA = {
    "Inertia and force of the speeds, M v' = F with M symmetric", inertia_line};

// Whether a line says more than x' = x', or that inertia is zero.
static bool is_news(const KalReduction *r, const Line *line)
{
    if (line->symbol.index == 0) {
        return line->name[0] == 'F' || !kal_is_zero(r->g, line->value);
    }
    return line->symbol.index != line->value.index;
}

// Whether a group has anything to say.
static bool has_news(const KalReduction *r, const Group *group)
{
    Line line;
    bool news = false;
    for (size_t i = 0; group->line(r, i, &line); i++) {
        news = news || is_news(r, &line);
    }
    return news;
}

static const char *title_of(const KalReduction *r)
{
    const char *title = r->eq->model->title;
    return title[0] != '\0' ? title : "Reduced equations of motion";
}

// Text.

static void print_name(const Out *o, const Line *line, KalPage *page)
{
    if (line->symbol.index != 0) {
        kal_page_formula(page, &o->r->sheet, line->symbol, KAL_FORMAT_TEXT);
    } else {
        kal_page_string(page, line->name);
    }
}

static size_t name_width(const Out *o, const Line *line)
{
    assert(line);
    KalPage name = kal_page(o->r->ctx);
    print_name(o, line, &name);
    const size_t width = kal_text_width(kal_page_text(&name));
    kal_page_clear(&name);
    return width;
}

static void put_text_line(const Out *o, const Line *line, size_t width)
{
    assert(o->width > 0);
    KalPage formula = kal_page(o->r->ctx);
    kal_page_string(o->page, "  ");
    print_name(o, line, o->page);
    if (line->value.index != 0) {
        kal_page_repeat(o->page, ' ', width - name_width(o, line));
        kal_page_string(o->page, " = ");
        kal_page_formula(&formula, &o->r->sheet, line->value, KAL_FORMAT_TEXT);
        const char *text = kal_page_text(&formula);
        kal_page_wrapped(o->page, text, strlen(text), width + 5, o->width);
    } else {
        kal_page_string(o->page, "\n");
    }
    o->page->status = o->page->status == KAL_OK ? formula.status : o->page->status;
    kal_page_clear(&formula);
}

static void put_text_group(const Out *o, const Group *group)
{
    assert(group->line && group->title);
    Line line;
    size_t width = 0;
    for (size_t i = 0; group->line(o->r, i, &line); i++) {
        const size_t own = is_news(o->r, &line) ? name_width(o, &line) : 0;
        width = own > width ? own : width;
    }
    kal_page_format(o->page, "\n%s\n", group->title);
    for (size_t i = 0; group->line(o->r, i, &line); i++) {
        if (is_news(o->r, &line)) {
            put_text_line(o, &line, width);
        }
    }
}

// LaTeX and Markdown.

static void put_math_name(const Out *o, const Line *line)
{
    assert(line->symbol.index != 0 || line->name[0] == 'M' || line->name[0] == 'F');
    if (line->symbol.index != 0) {
        kal_page_formula(o->page, &o->r->sheet, line->symbol, KAL_FORMAT_LATEX);
    } else {
        const char *indices = line->name + 2; // of M[1,2]
        kal_page_format(o->page, "%c_{%.*s}", line->name[0], (int)strcspn(indices, "]"),
                        indices);
    }
}

static void put_math_line(Out *o, const Line *line)
{
    KalPage formula = kal_page(o->r->ctx);
    kal_page_string(o->page, o->first ? "" : " \\\\\n");
    o->first = false;
    put_math_name(o, line);
    if (line->value.index != 0) {
        kal_page_string(o->page, " &= ");
        kal_page_formula(&formula, &o->r->sheet, line->value, KAL_FORMAT_LATEX);
        const char *text = kal_page_text(&formula);
        kal_math_lines(o->page, text, strlen(text), ROOM);
    }
    o->page->status = o->page->status == KAL_OK ? formula.status : o->page->status;
    kal_page_clear(&formula);
}

static void put_math_group(Out *o, const Group *group)
{
    const bool markdown = o->format == KAL_SHOW_MARKDOWN;
    Line line;
    kal_page_string(o->page, markdown ? "\n## " : "\n\\section*{");
    kal_math_text(o->page, group->title, markdown);
    kal_page_string(o->page,
                    markdown ? "\n\n$$\n\\begin{aligned}\n" : "}\n\\begin{align*}\n");
    o->first = true;
    for (size_t i = 0; group->line(o->r, i, &line); i++) {
        if (is_news(o->r, &line)) {
            put_math_line(o, &line);
        }
    }
    kal_page_string(o->page, markdown ? "\n\\end{aligned}\n$$\n" : "\n\\end{align*}\n");
}

static void put_math_title(const Out *o)
{
    const bool markdown = o->format == KAL_SHOW_MARKDOWN;
    if (!markdown) {
        kal_math_preamble(o->page);
    }
    kal_page_string(o->page, markdown ? "# " : "\\title{");
    kal_math_text(o->page, title_of(o->r), markdown);
    kal_page_string(o->page, markdown ? "\n"
                                      : "}\n\\author{}\n\\date{}\n\\begin{document}\n"
                                        "\\maketitle\n");
}

// A symbol in running text.
static void put_named(const Out *o, KalExpr symbol)
{
    const bool text = o->format == KAL_SHOW_TEXT;
    kal_page_string(o->page, text ? "" : "$");
    kal_page_formula(o->page, &o->r->sheet, symbol,
                     text ? KAL_FORMAT_TEXT : KAL_FORMAT_LATEX);
    kal_page_string(o->page, text ? "" : "$");
}

// What has no value at the start, by name.
static void put_startless(const Out *o, const char *before, const char *between,
                          const char *after)
{
    const KalStartless *start = &o->r->start;
    const char *next = before;
    for (size_t i = 0; i < o->r->n; i++) {
        if (start->lost[i]) {
            kal_page_string(o->page, next);
            put_named(o, kal_reduction_copy(o->r, o->r->eq->model->coordinates[i].v));
            next = between;
        }
    }
    if (start->lost_motion) {
        kal_page_format(o->page, "%sthe equations of motion", next);
        next = between;
    }
    if (next == between) {
        kal_page_string(o->page, after);
    }
}

// Whatever is shown to people.
static void put_page(Out *o)
{
    const KalReduction *r = o->r;
    const bool text = o->format == KAL_SHOW_TEXT;
    const Group *const groups[] = {&SPEEDS, &VELOCITIES,
                                   r->explicit_form ? &RATES : NULL, &INERTIA};
    if (text) {
        kal_page_safe(o->page, title_of(r));
        kal_page_string(o->page, "\n");
        kal_page_repeat(o->page, '=', kal_text_width(title_of(r)));
        kal_page_string(o->page, "\n");
    } else {
        put_math_title(o);
    }
    for (size_t i = r->k > 0 ? 0 : 1; i < (r->k > 0 ? 4U : 2U); i++) {
        if (!groups[i] || !has_news(r, groups[i])) {
            continue;
        }
        if (text) {
            put_text_group(o, groups[i]);
        } else {
            put_math_group(o, groups[i]);
        }
    }
    if (r->with_velocities) {
        kal_page_format(o->page, text ? "  %s\n" : "\n%s\n", WITH);
    }
    put_startless(o, "\nWithout a value at the start of the model: ", ", ",
                  ".\nAnother choice of speeds may have one there.\n");
    if (o->format == KAL_SHOW_LATEX) {
        kal_page_string(o->page, "\\end{document}\n");
    }
}

// JSON.

static void put_string(const Out *o, KalJsonWriter *w, KalExpr e, KalFormat format,
                       bool key)
{
    KalPage text = kal_page(o->r->ctx);
    kal_page_formula(&text, &o->r->sheet, e, format);
    if (key) {
        kal_json_write_key(w, kal_page_text(&text));
    } else {
        kal_json_write_string(w, kal_page_text(&text));
    }
    o->page->status = o->page->status == KAL_OK ? text.status : o->page->status;
    kal_page_clear(&text);
}

// A group as an object, keys as in the model language.
static void put_object(const Out *o, KalJsonWriter *w, const char *key,
                       const Group *group, KalFormat format)
{
    assert(key && group->line);
    Line line;
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '{');
    for (size_t i = 0; group->line(o->r, i, &line); i++) {
        put_string(o, w, line.symbol, KAL_FORMAT_TEXT, true);
        put_string(o, w, line.value.index != 0 ? line.value : line.symbol, format,
                   false);
    }
    kal_json_write_end(w, '}');
}

static void put_array(const Out *o, KalJsonWriter *w, const KalExpr *e, size_t n,
                      KalFormat format)
{
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < n; i++) {
        put_string(o, w, e[i], format, false);
    }
    kal_json_write_end(w, ']');
}

static void put_matrix(const Out *o, KalJsonWriter *w, const KalExpr *e, size_t rows,
                       KalFormat format)
{
    assert(e || rows == 0);
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < rows; i++) {
        put_array(o, w, e + i * o->r->k, o->r->k, format);
    }
    kal_json_write_end(w, ']');
}

static void put_formulas(const Out *o, KalJsonWriter *w, KalFormat format)
{
    const KalReduction *r = o->r;
    put_object(o, w, "speeds", &SPEEDS, format);
    put_object(o, w, "velocities", &VELOCITIES, format);
    kal_json_write_key(w, "S");
    put_matrix(o, w, r->S, r->n, format);
    kal_json_write_key(w, "s");
    put_array(o, w, r->s, r->n, format);
    kal_json_write_key(w, "M");
    put_matrix(o, w, r->M, r->k, format);
    kal_json_write_key(w, "F");
    put_array(o, w, r->F, r->k, format);
    if (r->explicit_form || r->k == 0) {
        put_object(o, w, "rates", &RATES, format);
    } else {
        kal_json_write_key(w, "rates");
        kal_json_write_null(w);
    }
}

static void put_startless_json(const Out *o, KalJsonWriter *w)
{
    const KalReduction *r = o->r;
    kal_json_write_key(w, "no_value_at_start");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < r->n; i++) {
        if (r->start.lost[i]) {
            put_string(o, w, kal_reduction_copy(r, r->eq->model->coordinates[i].v),
                       KAL_FORMAT_TEXT, false);
        }
    }
    for (size_t i = 0; i < r->k && r->start.lost_motion; i++) {
        put_string(o, w, r->speeds[i].rate, KAL_FORMAT_TEXT, false);
    }
    kal_json_write_end(w, ']');
}

static void put_json(const Out *o)
{
    const KalReduction *r = o->r;
    const KalModel *model = r->eq->model;
    KalJsonWriter w = {.sink = kal_page_sink(o->page)};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", model->title);
    kal_json_write_key(&w, "coordinates");
    kal_json_write_begin(&w, '[');
    for (size_t i = 0; i < r->n; i++) {
        kal_json_write_string(&w, model->coordinates[i].name);
    }
    kal_json_write_end(&w, ']');
    kal_json_write_key(&w, "constraints");
    kal_json_write_begin(&w, '[');
    for (size_t i = 0; i < r->rank; i++) {
        kal_json_write_string(&w, model->constraints[r->rows[i]].name);
    }
    kal_json_write_end(&w, ']');
    kal_json_put_number(&w, "freedom", (double)r->k);
    put_formulas(o, &w, KAL_FORMAT_TEXT);
    put_startless_json(o, &w);
    kal_json_write_key(&w, "latex");
    kal_json_write_begin(&w, '{');
    put_formulas(o, &w, KAL_FORMAT_LATEX);
    kal_json_write_end(&w, '}');
    kal_json_write_end(&w, '}');
    kal_page_string(o->page, "\n");
}

static KalStatus show(const KalReduction *r, const KalShowOptions *options,
                      KalSink sink)
{
    KalPage page = kal_page(r->ctx);
    Out o = {.r = r,
             .format = options->format,
             .width = options->width > 0 ? (size_t)options->width : DEFAULT_WIDTH,
             .page = &page};
    if (options->format == KAL_SHOW_JSON) {
        put_json(&o);
    } else {
        put_page(&o);
    }
    const char *text = kal_page_text(&page);
    const KalStatus status = page.status;
    if (status == KAL_OK) {
        sink.write(sink.user, text, page.block.size);
    }
    kal_page_clear(&page);
    return status;
}

// The formula of the output of a name.
static KalStatus find_speed(const KalSystem *system, const char *name, KalExpr *out)
{
    assert(name && out);
    const KalModel *model = system->model;
    for (size_t i = 0; i < model->n_outputs; i++) {
        if (strcmp(model->outputs[i].name, name) == 0) {
            *out = model->outputs[i].value;
            return KAL_OK;
        }
    }
    return kal_fail(system->ctx, KAL_ERR_USAGE,
                    "the model has no output '%s' to be a speed", name);
}

static bool is_symbol(const KalModel *model, const char *name)
{
    for (size_t i = 0; i < model->n_symbols; i++) {
        if (strcmp(model->symbols[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Find the outputs that are to be the speeds, and show the equations in them.
// `whole` is the system that `system` is a draft of.
static KalStatus show_in(const KalSystem *whole, const KalSystem *system,
                         const KalSpeedChoice *speeds, size_t n,
                         const KalShowOptions *options, KalSink sink)
{
    assert(n <= KAL_REDUCTION_MOST);
    KalExpr values[KAL_REDUCTION_MOST];
    const char *called[KAL_REDUCTION_MOST];
    KalReduction r;
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(find_speed(system, speeds[i].output, &values[i]));
        called[i] = speeds[i].name;
        if (is_symbol(system->model, called[i])) {
            return kal_fail(system->ctx, KAL_ERR_USAGE,
                            "'%s' is a name of the model; call the speed otherwise",
                            called[i]);
        }
    }
    const KalSpeedNames names = {called, values, n};
    KalStatus status = kal_reduction_init(&r, system->equations, &names);
    if (status == KAL_OK) {
        status = kal_reduction_note_start(&r, whole);
    }
    if (status == KAL_OK) {
        status = show(&r, options, sink);
    }
    kal_reduction_clear(&r);
    return status;
}

KalStatus kal_show_reduced(KalContext *ctx, const KalSystem *system,
                           const KalSpeedChoice *speeds, size_t n,
                           const KalShowOptions *options, KalSink sink)
{
    KAL_NEED(ctx, ctx && system && (speeds || n == 0) && options && sink.write
                      && (unsigned)options->format <= KAL_SHOW_HTML);
    if (n > KAL_REDUCTION_MOST) {
        return kal_fail(ctx, KAL_ERR_LIMIT, "at most %d speeds can be given",
                        KAL_REDUCTION_MOST);
    }
    KalDraft draft;
    KalStatus status = kal_draft_init(&draft, ctx, system);
    if (status == KAL_OK) {
        status = show_in(system, &draft.system, speeds, n, options, sink);
    }
    kal_draft_clear(&draft);
    return status;
}

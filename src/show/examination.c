// SPDX-License-Identifier: MIT

// What `check` shows: of each constraint its kind, then freedom, uniqueness, the start
// and what is conserved.
//
// Both formats are written from the same KalCheck and decide nothing.  What the check
// could not decide is said as such, never left out: in text beside the line concerned,
// in JSON as a warning.

#include "base/number.h"
#include "base/utf8.h"
#include "json/member.h"
#include "problem/view.h"
#include "system/examine.h"

#include <kalaba/show.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    PLACE_SIZE = 600,
    LINE_SIZE = 2048,
    ROWS_SHOWN = 60, // of a list, for people
};

#define BOLD   "\x1b[1m"
#define YELLOW "\x1b[33m"
#define PLAIN  "\x1b[0m"

// `file:line:column` of a span; the name of the file is made fit to be shown.
static void print_place(KalSpan span, bool names_only, char place[PLACE_SIZE])
{
    place[0] = '\0';
    if (span.source) {
        const KalPlace at = kal_source_place(span.source, span.begin);
        const char *slash = names_only ? strrchr(span.source->name, '/') : NULL;
        (void)snprintf(place, PLACE_SIZE, "%.500s:%zu:%zu",
                       slash ? slash + 1 : span.source->name, at.line, at.column);
    }
}

static int configuration_freedom(const KalCheck *check)
{
    assert(check->configuration_rank >= 0
           && check->configuration_rank <= check->system->n);
    return check->system->n - check->configuration_rank;
}

// Constraints of the model, and rows of contacts and frictions that act at the start.
static int count_constraints(const KalCheck *check)
{
    const KalInstant *instant = check->instant;
    int count = 0;
    for (int i = 0; i < check->system->m; i++) {
        const bool usual = check->system->model->constraints[i].role == KAL_ROLE_USUAL;
        count += usual || instant->active[i];
    }
    return count;
}

static int velocity_freedom(const KalCheck *check)
{
    assert(check->velocity_rank >= 0 && check->velocity_rank <= check->answer.rank_A);
    return check->system->n - check->velocity_rank;
}

static int acceleration_freedom(const KalCheck *check)
{
    assert(check->answer.rank_A >= 0 && check->answer.rank_A <= check->system->n);
    return check->system->n - check->answer.rank_A;
}

// Whether events or contacts release or engage constraints, so that counts are those of the
// start.
static bool has_phases(const KalModel *model)
{
    for (size_t i = 0; i < model->n_events; i++) {
        const KalEvent *event = &model->events[i];
        for (size_t k = 0; k < event->n_actions; k++) {
            const KalActionKind kind = event->actions[k].kind;
            if (kind == KAL_ACTION_RELEASE || kind == KAL_ACTION_ENGAGE) {
                return true;
            }
        }
    }
    return model->n_contacts > 0;
}

// JSON.

static const char *decision_word(KalDecision decision)
{
    switch (decision) {
    case KAL_DECISION_FORM: return "form";
    case KAL_DECISION_EXACT: return "exact";
    case KAL_DECISION_NUMERIC: return "numeric";
    case KAL_DECISION_NONE: return "undecided";
    }
    return "undecided";
}

static void write_constraints(KalJsonWriter *w, const KalCheck *check, bool names_only)
{
    const KalModel *model = check->system->model;
    kal_json_write_key(w, "constraints");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < model->n_constraints; i++) {
        const KalConstraintClass *class = &check->classification->classes[i];
        char place[PLACE_SIZE];
        print_place(model->constraints[i].span, names_only, place);
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", model->constraints[i].name);
        kal_json_put_text(w, "at", place);
        kal_json_put_text(w, "level", kal_level_word(class->level));
        kal_json_put_text(w, "kind", kal_constraint_kind_word(class->kind));
        kal_json_put_bool(w, "time_dependent", class->time_dependent);
        kal_json_put_bool(w, "linear_in_velocity", class->linear_in_velocity);
        kal_json_put_text(w, "decided_by", decision_word(class->decision));
        kal_json_put_bool(w, "acts_at_start", check->system->starts_active[i]);
        kal_json_write_end(w, '}');
    }
    kal_json_write_end(w, ']');
}

static void write_counts(KalJsonWriter *w, const KalCheck *check)
{
    assert(check->system->n >= 0 && check->system->m >= 0);
    kal_json_write_key(w, "counts");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "coordinates", check->system->n);
    kal_json_put_number(w, "constraints", count_constraints(check));
    kal_json_put_number(w, "rank", check->answer.rank_A);
    kal_json_put_number(w, "configuration_freedom", configuration_freedom(check));
    kal_json_put_number(w, "velocity_freedom", velocity_freedom(check));
    kal_json_write_end(w, '}');
    kal_json_put_bool(w, "phases", has_phases(check->system->model));
}

// Symbols of velocities have names with primes.
static const char *velocity_name(const KalCheck *check, int i)
{
    assert(i >= 0 && i < check->system->n);
    const KalModel *model = check->system->model;
    const KalExpr v = model->coordinates[i].v;
    return model->symbols[kal_graph_node(model->graph, v).arg[0].index].name;
}

// Only coordinates that had to move are listed under `moved`.
static void write_start(KalJsonWriter *w, const KalCheck *check)
{
    const char *const *names = kal_system_coordinate_names(check->system);
    const int n = check->system->n;
    kal_json_write_key(w, "start");
    kal_json_write_begin(w, '{');
    kal_json_put_bool(w, "consistent", check->consistent);
    if (!check->consistent) {
        kal_json_put_text(w, "reason", kal_check_reason(check));
    }
    kal_json_write_key(w, "moved");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < n; i++) {
        if (check->start.moved_q[i] != 0.0) {
            kal_json_put_number(w, names[i], check->start.moved_q[i]);
        }
        if (check->start.moved_qd[i] != 0.0) {
            kal_json_put_number(w, velocity_name(check, i), check->start.moved_qd[i]);
        }
    }
    kal_json_write_end(w, '}');
    kal_json_put_values(w, "q", names, kal_instant_q(check->instant), n);
    kal_json_put_values(w, "qd", names, kal_instant_qd(check->instant), n);
    kal_json_put_values(w, "states", kal_system_state_names(check->system),
                        kal_instant_states(check->instant), check->system->n_states);
    kal_json_put_values(w, "holds", kal_system_hold_names(check->system),
                        kal_instant_holds(check->instant), check->system->n_holds);
    kal_json_write_end(w, '}');
}

static void write_conserved(KalJsonWriter *w, const KalCheck *check)
{
    kal_json_write_key(w, "conserved");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < check->conserved->n; i++) {
        kal_json_write_string(w, check->conserved->list[i].name);
    }
    kal_json_write_end(w, ']');
}

// What is neither proven nor refuted, as warnings.
static void write_undecided(KalJsonWriter *w, const KalCheck *check)
{
    const KalConservation *conserved = check->conserved;
    char text[LINE_SIZE];
    if (check->classification->reason) {
        (void)snprintf(text, sizeof text,
                       "what kind all constraints are is not decided: %s",
                       check->classification->reason);
        kal_json_write_string(w, text);
    }
    if (conserved->energy_open) {
        (void)snprintf(text, sizeof text,
                       "whether the energy is conserved is not decided: %s",
                       conserved->reason);
        kal_json_write_string(w, text);
    }
    for (size_t i = 0; i < conserved->n_open; i++) {
        (void)snprintf(text, sizeof text, "whether %s is conserved is not decided",
                       conserved->open[i]);
        kal_json_write_string(w, text);
    }
}

static void write_warnings(KalJsonWriter *w, const KalCheck *check, bool names_only)
{
    kal_json_write_key(w, "warnings");
    kal_json_write_begin(w, '[');
    for (const KalDiagnostic *d = kal_diagnostics_first(check->system->diagnostics); d;
         d = d->next) {
        if (d->severity == KAL_SEVERITY_WARNING) {
            char place[PLACE_SIZE];
            char text[PLACE_SIZE + 1200];
            print_place(d->span, names_only, place);
            (void)snprintf(text, sizeof text, "%s%s%s", place, *place ? ": " : "",
                           d->message);
            kal_json_write_string(w, text);
        }
    }
    write_undecided(w, check);
    kal_json_write_end(w, ']');
}

static void write_error(KalJsonWriter *w, const KalCheck *check)
{
    kal_json_write_key(w, "error");
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "message", kal_check_reason(check));
    kal_json_write_key(w, "names");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < check->n_at_fault; i++) {
        kal_json_write_string(w, check->at_fault[i]);
    }
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
}

static void write_json(const KalCheck *check, bool names_only, KalSink sink)
{
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    kal_json_put_text(&w, "model", kal_system_title(check->system));
    kal_json_write_key(&w, "coordinates");
    kal_json_write_begin(&w, '[');
    for (int i = 0; i < check->system->n; i++) {
        kal_json_write_string(&w, kal_system_coordinate_names(check->system)[i]);
    }
    kal_json_write_end(&w, ']');
    write_constraints(&w, check, names_only);
    write_counts(&w, check);
    kal_view_write_verdicts_json(&w, &check->answer,
                                 kal_system_coordinate_names(check->system),
                                 check->instant->row_names);
    kal_view_write_reactions_json(&w, &check->answer, check->instant->row_names);
    write_start(&w, check);
    write_conserved(&w, check);
    write_warnings(&w, check, names_only);
    if (!check->consistent) {
        write_error(&w, check);
    }
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

// For people.

typedef struct Page {
    KalSink sink;
    bool color;
    const KalCheck *check;
} Page;

KAL_PRINTF(2, 3) static void print(const Page *page, const char *format, ...)
{
    assert(page->sink.write);
    char line[LINE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    page->sink.write(page->sink.user, line, strlen(line));
}

static void print_heading(const Page *page, const char *text)
{
    print(page, "\n%s%s%s\n", page->color ? BOLD : "", text, page->color ? PLAIN : "");
}

// A list that was cut says so.
static void print_rest(const Page *page, size_t count)
{
    if (count > ROWS_SHOWN) {
        print(page, "  … %zu more (use --json for all)\n", count - ROWS_SHOWN);
    }
}

static const char *plural(int count)
{
    assert(count >= 0);
    return count == 1 ? "" : "s";
}

static void print_summary(const Page *page)
{
    const KalCheck *check = page->check;
    const KalSystem *system = check->system;
    print(page, "%s", page->color ? BOLD : "");
    kal_printable_write(page->sink, kal_system_title(system), KAL_TITLE_WIDTH);
    print(page, "%s\n", page->color ? PLAIN : "");
    print(page, "%d coordinate%s, ", system->n, plural(system->n));
    const int constraints = count_constraints(check);
    const int contacts = (int)system->model->n_contacts;
    if (constraints == 0) {
        print(page, "no constraints%s; ", contacts > 0 ? " act at the start" : "");
    } else {
        print(page, "%d constraint%s of rank %d; ", constraints, plural(constraints),
              check->answer.rank_A);
    }
    const int q = configuration_freedom(check);
    const int v = velocity_freedom(check);
    const char *end = contacts > 0
                          ? " at the start; contacts change which constraints act"
                      : has_phases(system->model)
                          ? " at the start; events change which constraints act"
                          : "";
    const int a = acceleration_freedom(check);
    if (a != v) {
        print(page,
              "%d degree%s of freedom of the configuration, %d of the velocity, %d of "
              "the acceleration%s.\n",
              q, plural(q), v, a, end);
    } else if (q == v) {
        print(page, "%d degree%s of freedom%s.\n", q, plural(q), end);
    } else {
        print(page,
              "%d degree%s of freedom of the configuration, %d of the velocity%s.\n", q,
              plural(q), v, end);
    }
}

// The kind of a constraint in words.
static void describe(const KalConstraintClass *class, char text[LINE_SIZE])
{
    assert(class);
    const char *kind = kal_constraint_kind_word(class->kind);
    const char *time = class->time_dependent ? "rheonomic" : "scleronomic";
    switch (class->kind) {
    case KAL_CONSTRAINT_HOLONOMIC:
        (void)snprintf(text, LINE_SIZE, "%s, %s", kind, time);
        break;
    case KAL_CONSTRAINT_INTEGRABLE:
        (void)snprintf(text, LINE_SIZE,
                       "integrable: a %s holonomic constraint in "
                       "disguise",
                       time);
        break;
    case KAL_CONSTRAINT_NONHOLONOMIC:
        (void)snprintf(text, LINE_SIZE, "nonholonomic, %s in velocity%s",
                       class->linear_in_velocity ? "linear" : "nonlinear",
                       class->time_dependent ? ", with explicit time" : "");
        break;
    case KAL_CONSTRAINT_ACCELERATION:
        (void)snprintf(text, LINE_SIZE, "given at acceleration level");
        break;
    case KAL_CONSTRAINT_CONTACT:
        (void)snprintf(text, LINE_SIZE, "contact: acts while it is closed");
        break;
    case KAL_CONSTRAINT_FRICTION:
        (void)snprintf(text, LINE_SIZE, "friction: acts while it holds");
        break;
    }
    const size_t length = strlen(text);
    if (class->decision == KAL_DECISION_NUMERIC) {
        (void)snprintf(text + length, LINE_SIZE - length, " (found numerically)");

    } else if (class->decision == KAL_DECISION_NONE) {
        (void)snprintf(text + length, LINE_SIZE - length, " (not decided)");
    }
}

// Characters, not bytes: those that continue a character of UTF-8 do not count.
static size_t text_width(const char *text)
{
    assert(text);
    size_t width = 0;
    for (; *text; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

static void print_padded(const Page *page, const char *text, size_t width)
{
    const size_t used = text_width(text);
    print(page, "%s%*s", text, used < width ? (int)(width - used) : 0, "");
}

static void print_constraints(const Page *page)
{
    const KalModel *model = page->check->system->model;
    const char *const *names = kal_system_constraint_names(page->check->system);
    size_t width = 0;
    if (model->n_constraints == 0) {
        return;
    }
    for (size_t i = 0; i < model->n_constraints && i < ROWS_SHOWN; i++) {
        const size_t used = text_width(names[i]);
        width = used > width ? used : width;
    }
    print_heading(page, "Constraints");
    for (size_t i = 0; i < model->n_constraints && i < ROWS_SHOWN; i++) {
        char text[LINE_SIZE];
        char place[PLACE_SIZE];
        describe(&page->check->classification->classes[i], text);
        const bool acts = page->check->instant->active[i];
        print_place(model->constraints[i].span, false, place);
        print(page, "  ");
        print_padded(page, names[i], width);
        print(page, "  %s%s  [%s]\n", text, acts ? "" : "; does not act at the start",
              place);
    }
    print_rest(page, model->n_constraints);
    if (page->check->classification->reason) {
        print(page, "  not decided: %s\n", page->check->classification->reason);
    }
}

// A set of one constraint is a row that is zero in this state.
static void print_sets(const Page *page)
{
    const KalMotionAnswer *answer = &page->check->answer;
    const char *const *names = page->check->instant->row_names;
    for (int set = 0; set < answer->n_dependent_sets && set < ROWS_SHOWN; set++) {
        int count = 0;
        print(page, "  ");
        for (int i = 0; i < answer->m; i++) {
            if (answer->dependent_set[i] == set) {
                print(page, "%s%s", count++ > 0 ? ", " : "", names[i]);
            }
        }
        print(page, count == 1 ? ": its row is zero here\n" : "\n");
    }
    print_rest(page, (size_t)answer->n_dependent_sets);
}

static void print_marked(const Page *page, const char *text)
{
    print(page, "  %s%s%s", page->color ? YELLOW : "", text, page->color ? PLAIN : "");
}

static void print_indeterminate(const Page *page)
{
    const char *const *names = kal_system_coordinate_names(page->check->system);
    int count = 0;
    print_marked(page, "the acceleration is not unique");
    print(page, "; indeterminate: ");
    for (int i = 0; i < page->check->answer.n; i++) {
        if (page->check->answer.indeterminate[i] && count++ < ROWS_SHOWN) {
            print(page, "%s%s", count > 1 ? ", " : "", names[i]);
        }
    }
    print(page, "\n");
}

static void print_uniqueness(const Page *page)
{
    const KalMotionAnswer *answer = &page->check->answer;
    print_heading(page, "Uniqueness");
    if (answer->unique) {
        print(page, "  the acceleration is unique\n");
    } else {
        print_indeterminate(page);
    }
    if (answer->n_dependent_sets > 0) {
        print_marked(page, "reactions are not unique");
        print(page, " in these sets of dependent constraints:\n");
        print_sets(page);
    } else if (answer->m > 0) {
        print(page, "  all reactions are unique\n");
    }
}

static void print_move(const Page *page, const char *name, double now, double move)
{
    assert(name);
    if (move != 0.0) {
        char value[KAL_NUMBER_SIZE];
        char by[KAL_NUMBER_SIZE];
        kal_number_print(now, 8, value);
        kal_number_print(move, 4, by);
        print(page, "    %s = %s, moved by %s\n", name, value, by);
    }
}

static void print_start(const Page *page)
{
    assert(page->check->instant);
    const KalCheck *check = page->check;
    print_heading(page, "Start");
    if (!check->consistent) {
        print_marked(page, "not consistent");
        print(page, ": %s\n", kal_check_reason(check));
        return;
    }
    if (!check->start.moved) {
        print(page, "  the start values satisfy the constraints as they are\n");
        return;
    }
    print(page, "  moved onto the constraints:\n");
    for (int i = 0; i < check->system->n && i < ROWS_SHOWN; i++) {
        print_move(page, kal_system_coordinate_names(check->system)[i],
                   kal_instant_q(check->instant)[i], check->start.moved_q[i]);
        print_move(page, velocity_name(check, i), kal_instant_qd(check->instant)[i],
                   check->start.moved_qd[i]);
    }
    print_rest(page, (size_t)check->system->n);
}

static void print_conserved(const Page *page)
{
    const KalConservation *conserved = page->check->conserved;
    print_heading(page, "Conserved");
    for (size_t i = 0; i < conserved->n && i < ROWS_SHOWN; i++) {
        const char *name = conserved->list[i].name;
        const bool jacobi = strcmp(name, "jacobi") == 0;
        print(page, "  %s%s\n", name,
              jacobi ? ", Jacobi's integral q'·∂L/∂q' − L with L = T − V" : "");
    }
    print_rest(page, conserved->n);
    for (size_t i = 0; i < conserved->n_open && i < ROWS_SHOWN; i++) {
        print(page, "  not decided: %s\n", conserved->open[i]);
    }
    print_rest(page, conserved->n_open);
    if (conserved->reason) {
        print(page, "  not the energy: %s\n", conserved->reason);
    }
}

void kal_show_check(const KalCheck *check, const KalShowOptions *options, KalSink sink)
{
    if (!(check && options && sink.write
          && (unsigned)options->format <= KAL_SHOW_HTML)) {
        return;
    }
    const Page page = {.sink = sink, .color = options->color, .check = check};
    if (options->format == KAL_SHOW_JSON) {
        write_json(check, options->names_only, sink);
        return;
    }
    print_summary(&page);
    print_constraints(&page);
    print_uniqueness(&page);
    print_start(&page);
    print_conserved(&page);
}

// SPDX-License-Identifier: MIT

// The parts of exported sources that are made for the model, by their keys (export/template.h).
//
// Programs are written before the operators that they need, though they stand behind them: a
// part that others depend on is kept on a page of its own.

#include "base/number.h"
#include "export/operators.h"
#include "export/sparse.h"

#include <kalaba/version.h>

#include <assert.h>
#include <string.h>

enum {
    NUMBER_TEXT = KAL_NUMBER_SIZE + 4,
    MOST_FORMULA = 2000,  // characters of a formula in a remark
    PART = 200,           // values of a part of a program
    FRICTION_ROUNDS = 200 // at most (text/contact.c.in)
};

void kal_export_remark(KalPage *page, const char *text)
{
    char last = '\0';
    for (const char *c = text; *c != '\0'; c++) {
        const bool sign = (last == '*' && *c == '/') || (last == '/' && *c == '*')
                          || (last == '?' && *c == '?');
        kal_page_string(page, sign ? " " : "");
        const char shown = (unsigned char)*c < ' ' || *c == '\\' ? ' ' : *c;
        kal_page_write(page, &shown, 1);
        last = *c;
    }
}

void kal_export_number(KalPage *page, const KalExportPlan *plan, double value)
{
    char text[NUMBER_TEXT];
    kal_c_number(value, plan->single, text);
    kal_page_string(page, text);
}

// A formula within a remark; one that is too long is left out.
static void formula(const KalExportWriting *w, KalPage *page, KalExpr e)
{
    KalModel *model = w->plan->draft.model;
    const KalPrintOptions options = {.format = KAL_FORMAT_TEXT,
                                     .name = kal_model_symbol_name,
                                     .user = model,
                                     .limit = MOST_FORMULA};
    KalPage text = kal_page(page->ctx);
    const KalStatus status = kal_print(model->graph, e, &options, kal_page_sink(&text));
    if (status == KAL_OK) {
        kal_export_remark(page, kal_page_text(&text));
    } else if (status == KAL_ERR_LIMIT) {
        kal_page_string(page, "(too long to show)");
    } else if (page->status == KAL_OK) {
        page->status = status;
    }
    kal_page_clear(&text);
}

static void write_mark(const KalExportWriting *w, KalPage *page, const char *begin)
{
    kal_page_format(page, "%s" KAL_EXPORT_MARK " %s", begin, kal_version());
    kal_page_string(page, ": ");
    kal_export_remark(page, w->plan->system->title);
}

// What the model says, in the words of the model.
static void write_banner(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalEquations *e = &plan->draft.equations;
    write_mark(w, page, "/* ");
    kal_page_string(page, ".\n\n   Kinetic energy    ");
    formula(w, page, e->kinetic);
    kal_page_string(page, "\n   Potential energy  ");
    formula(w, page, e->potential);
    for (size_t i = 0; i < plan->names.constraints.count; i++) {
        kal_page_string(page, "\n   Constraint ");
        kal_export_remark(page, plan->names.constraints.typed[i]);
        kal_page_string(page, ": ");
        formula(w, page, plan->draft.model->constraints[i].residual);
        kal_page_string(page, " = 0");
        kal_page_string(page, !plan->fast || plan->rows[i] ? "" : " (repeats others)");
    }
    kal_page_format(
        page,
        "\n\n   An acceleration takes %zu operations, %zu at most; the work "
        "memory has %zu bytes.\n   How to use this: docs/export.md of "
        "Kalaba. */\n\n",
        kal_export_operations(plan), kal_export_most_operations(plan),
        kal_export_work_bytes(plan));
}

static void write_source_banner(KalExportWriting *w, KalPage *page)
{
    write_mark(w, page, "/* ");
    kal_page_format(page,
                    ".\n\n   Formulas are grouped as Kalaba computes them: compiled "
                    "without contraction of sums\n   and products (-ffp-contract=off) "
                    "they give the same bits. */\n\n");
}

static void write_main_banner(KalExportWriting *w, KalPage *page)
{
    write_mark(w, page, "/* ");
    kal_page_string(page, ", an example. */\n\n");
}

static void write_build_banner(KalExportWriting *w, KalPage *page)
{
    write_mark(w, page, "# ");
    kal_page_string(page, ".\n");
}

static void write_sizes(KalExportWriting *w, KalPage *page)
{
    assert(w->plan->name);
    const KalExportPlan *plan = w->plan;

    const struct {
        const char *letter;
        size_t count;
        const char *what;
    } rows[] = {
        {"N", plan->names.coordinates.count, "coordinates"         },
        {"M", plan->names.constraints.count, "constraints"         },
        {"S", plan->names.states.count,      "first-order states"  },
        {"H", plan->names.holds.count,       "values that are held"},
        {"O", plan->names.outputs.count,     "outputs"             },
        {"E", plan->names.events.count,      "events"              },
        {"U", plan->names.inputs.count,      "inputs"              },
        {"K", plan->names.contacts.count,    "contacts, frictions" },
        {"R", plan->names.servos.count,      "servos"              },
        {"C", plan->names.controls.count,    "actuators of servos" },
        {"P", plan->names.parameters.count,  "parameters"          },
    };

    const size_t n = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < n; i++) {
        kal_page_format(page, "    %s_%s = %zu%s /* %s */\n", plan->name,
                        rows[i].letter, rows[i].count, i + 1 < n ? "," : "",
                        rows[i].what);
    }
}

static void write_unit(KalPage *page, const char *unit, const char *name,
                       const char *own)
{
    const bool renamed = strcmp(name, own) != 0;
    if (!unit && !renamed) {
        return;
    }
    kal_page_string(page, " /* ");
    kal_export_remark(page, renamed ? name : "");
    kal_page_string(page, renamed && unit ? " " : "");
    if (unit) {
        kal_page_string(page, "[");
        kal_export_remark(page, unit);
        kal_page_string(page, "]");
    }
    kal_page_string(page, " */");
}

// Parameters; those that the structure depends on are no members.
static void write_params(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalExportNames *names = &plan->names.parameters;
    size_t members = 0;
    kal_page_format(page,
                    "/* Parameters, with their units. */\ntypedef struct %s_params {\n",
                    plan->name);
    for (size_t i = 0; i < names->count; i++) {
        const bool is_free = kal_export_is_free(plan, i);
        kal_page_format(page, is_free ? "    %s %s;" : "    /* fixed: %s %s = ",
                        kal_export_type(plan), names->own[i]);
        if (is_free) {
            write_unit(page, names->units[i], names->typed[i], names->own[i]);
            members++;
        } else {
            kal_export_number(page, plan, plan->system->settings.parameters[i]);
            kal_page_string(page, " */");
        }
        kal_page_string(page, "\n");
    }
    kal_page_string(page, members == 0 ? "    int none;\n" : "");
    kal_page_format(page, "} %s_params;\n\n", plan->name);
}

static void write_places_of(KalExportWriting *w, KalPage *page,
                            const KalExportNames *names, const char *letter,
                            const char *what)
{
    if (names->count == 0) {
        return;
    }
    kal_page_format(page, "/* Places of %s. */\nenum {\n", what);
    for (size_t i = 0; i < names->count; i++) {
        kal_page_format(page, "    %s_%s_%s = %zu%s", w->plan->name, letter,
                        names->own[i], i, i + 1 < names->count ? "," : "");
        write_unit(page, names->units[i], names->typed[i], names->own[i]);
        kal_page_string(page, "\n");
    }
    kal_page_string(page, "};\n\n");
}

static void write_places(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    write_places_of(w, page, &plan->names.coordinates, "q",
                    "coordinates and velocities");
    write_places_of(w, page, &plan->names.constraints, "c", "constraints");
    write_places_of(w, page, &plan->names.states, "s", "first-order states");
    write_places_of(w, page, &plan->names.holds, "h", "values that are held");
    write_places_of(w, page, &plan->names.inputs, "u", "inputs");
    write_places_of(w, page, &plan->names.controls, "u", "actuators of servos");
    write_places_of(w, page, &plan->names.outputs, "o", "outputs");
    write_places_of(w, page, &plan->names.events, "e", "events");
    write_places_of(w, page, &plan->names.contacts, "k", "contacts and frictions");
}

// The most results that a program has.
static size_t count_results(const KalExportPlan *plan)
{
    size_t most = 1;
    for (int i = 0; i < KAL_EXPORT_PROGRAMS; i++) {
        if (plan->programs[i].program) {
            const size_t n = kal_program_listing(plan->programs[i].program).n_outputs;
            most = n > most ? n : most;
        }
    }
    return most;
}

static void write_prepared(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    for (int i = 0; i < KAL_EXPORT_PROGRAMS; i++) {
        if (plan->prepared[i] > 0) {
            kal_page_format(page, "    %s %s[%zu];\n", kal_export_type(plan),
                            plan->programs[i].name, plan->prepared[i]);
        }
    }
    kal_page_format(page, "    %s out[%zu];\n", kal_export_type(plan),
                    count_results(plan));
    if (plan->tangent) {
        kal_page_format(page,
                        "    %s along[%zu]; /* a direction: parts of variables */\n",
                        kal_export_type(plan), plan->system->layout.count);
    }
}

static void write_limits(KalExportWriting *w, KalPage *page)
{
    if (w->plan->settings.limits.n_chosen > 0) {
        kal_page_format(page, "    %s limit[%zu]; /* of inputs */\n",
                        kal_export_type(w->plan), w->plan->settings.limits.n_chosen);
    }
}

// Rows that the general solution may have; arrays have a place at least.
static size_t count_rows(const KalExportPlan *plan)
{
    const size_t m = plan->names.constraints.count + plan->names.servos.count;
    return m > 0 ? m : 1;
}

// Arrays of the general solution; each has a place at least.
static void write_row_arrays(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const char *type = kal_export_type(plan);
    const size_t n = plan->names.coordinates.count;
    const size_t m = count_rows(plan);
    const size_t less = n < m ? n : m;
    kal_page_format(page, "    %s A[%zu];\n    %s W[%zu];\n    %s B[%zu];\n", type,
                    m * n, type, m * n, type, m * less);
    static const char *const rows[] = {"b",  "b_size", "row_unit",    "tau",
                                       "rb", "lambda", "lambda_step", "u"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kal_page_format(page, "    %s %s[%zu];\n", type, rows[i], m);
    }
    kal_page_format(page, "    %s tau2[%zu];\n    int order2[%zu];\n", type, less,
                    less);
    kal_page_format(page, "    int order[%zu];\n    int row[%zu];\n", m, m);
    if (plan->programs[KAL_EXPORT_NONIDEAL].program) {
        kal_page_format(page, "    %s C[%zu];\n", type, n);
    }
}

// What depends on parameters alone in a program.
static void write_prepare(KalExportWriting *w, int i)
{
    const KalCProgram *p = &w->plan->programs[i];
    KalPage *page = &w->prepare;
    kal_page_format(page, "static void prepare_%s(const %s_params *params, %s *c)\n{\n",
                    p->name, w->plan->name, kal_export_type(w->plan));
    kal_export_note(page, kal_c_program_write_prepare(p, page, &w->used));
    kal_page_string(page, "    (void)params;\n}\n\n");
}

// The head of the function that evaluates a program, or a part of it, from 1.
static void write_head(KalExportWriting *w, int i, size_t part)
{
    const KalExportPlan *plan = w->plan;
    KalPage *page = &w->programs;
    kal_page_format(page, "static void eval_%s", plan->programs[i].name);
    if (part > 0) {
        kal_page_format(page, "_%zu", part);
    }
    kal_page_format(
        page,
        "(const %s_work *work, const %s_state *state,\n                const "
        "%s_answer *answer, %s *out)\n{\n",
        plan->name, plan->name, plan->name, kal_export_type(plan));
}

// A function for results from *next on; returns whether some are left.
static bool write_part(KalExportWriting *w, int i, size_t most, size_t *next,
                       size_t part)
{
    const KalExportPlan *plan = w->plan;
    const KalCProgram *p = &plan->programs[i];
    KalPage *page = &w->programs;
    bool more = false;
    write_head(w, i, part);
    if (plan->prepared[i] > 0) {
        kal_page_format(page, "    const %s *const c = work->%s;\n",
                        kal_export_type(plan), p->name);
        kal_page_string(page, part > 0 ? "    (void)c;\n" : "");
    }
    kal_page_format(page, "    const %s_params *const params = &work->params;\n",
                    plan->name);
    kal_page_string(page, "    (void)params;\n    (void)state;\n    (void)answer;\n");
    kal_export_note(page,
                    kal_c_program_write_part(p, most, page, &w->used, next, &more));
    kal_page_string(page, "}\n\n");
    return more;
}

static void call_parts(KalExportWriting *w, int i, size_t parts)
{
    const char *name = w->plan->programs[i].name;
    write_head(w, i, 0);
    for (size_t k = 1; k <= parts; k++) {
        kal_page_format(&w->programs, "    eval_%s_%zu(work, state, answer, out);\n",
                        name, k);
    }
    kal_page_string(&w->programs, "}\n\n");
}

// One program as a function, and what it prepares.  That of a system of many coordinates is
// made of parts: compilers take a time for a function that grows faster than its length.
static void write_program(KalExportWriting *w, int i)
{
    static const char *const what[KAL_EXPORT_PROGRAMS] = {
        [KAL_EXPORT_ACCELERATION] = "Accelerations, forces, multipliers, and vouchers.",
        [KAL_EXPORT_GIVENS] = "M (lower triangle), Q, A and b.",
        [KAL_EXPORT_NONIDEAL] = "Forces of constraints that are not ideal.",
        [KAL_EXPORT_POSITION] = "Residuals of positions, and A.",
        [KAL_EXPORT_VELOCITY] = "Residuals of velocities, and A.",
        [KAL_EXPORT_ENERGY] = "Kinetic and potential energy.",
        [KAL_EXPORT_OUTPUTS] = "Outputs of the model.",
        [KAL_EXPORT_RATES] = "Rates of first-order states.",
        [KAL_EXPORT_EVENTS] = "Functions whose zeros are events.",
        [KAL_EXPORT_ACTIONS] = "Values that events set.",
        [KAL_EXPORT_HOLDS] = "Values that holds are renewed with.",
        [KAL_EXPORT_CONTACTS] = "Gaps, slips and coefficients of contacts.",
        [KAL_EXPORT_RETURN] =
            "A state on the constraints, and what is left of residuals.",
        [KAL_EXPORT_TANGENT] = "How equations and results change along a direction.",
        [KAL_EXPORT_BORDERS] = "Functions whose zeros part pieces of the equations.",
        [KAL_EXPORT_TIMERS] = "The same of the time alone.",
    };
    const KalExportPlan *plan = w->plan;
    const size_t most =
        plan->names.coordinates.count > KAL_DENSE_COORDINATES ? PART : 0;
    size_t next = 0;
    size_t parts = 0;
    bool more = true;
    kal_page_format(&w->programs, "/* %s */\n", what[i]);
    while (more) {
        more = write_part(w, i, most, &next, most > 0 ? ++parts : 0);
    }
    if (plan->prepared[i] > 0) {
        write_prepare(w, i);
    }
    if (parts > 0) {
        call_parts(w, i, parts);
    }
}

static void write_near_wave(KalExportWriting *w, KalPage *page)
{
    kal_export_write_text(page, &w->words, "near_wave");
}

static void write_operators(KalExportWriting *w, KalPage *page)
{
    if (w->used.op[KAL_OP_SIN]) {
        kal_export_write_text(page, &w->words,
                              w->plan->single ? "wave_single" : "wave");
    }
    if (w->used.op[KAL_OP_SPLINE]) {
        kal_export_write_text(page, &w->words, "table");
    }
    kal_export_write_text(page, &w->words, "operators");
}

static void write_table_numbers(KalExportWriting *w, KalPage *page)
{
    kal_export_write_tables(page, w->plan);
}

static void insert_settings(KalExportWriting *w, KalPage *page)
{
    kal_page_string(page, kal_page_text(&w->settings));
}

static void insert_programs(KalExportWriting *w, KalPage *page)
{
    kal_page_string(page, kal_page_text(&w->programs));
}

// Set a number of the state; coordinates and velocities stay so while others move.
static const char *write_set(const KalExportPlan *plan, KalPage *page,
                             const KalAction *action, size_t place)
{
    const size_t i = action->target;
    const bool moves = action->what == KAL_SYMBOL_COORDINATE;
    const char *array = action->what == KAL_SYMBOL_STATE  ? "s"
                        : action->what == KAL_SYMBOL_HOLD ? "h"
                        : action->order == 1              ? "qd"
                                                          : "q";
    kal_page_format(page, "        state->%s[%zu] = values[%zu];\n", array, i, place);
    if (moves) {
        kal_page_format(page, "        held[%zu] = 1;\n",
                        i + (action->order == 1 ? plan->names.coordinates.count : 0));
    }
    return moves ? "SETS" : "0";
}

// What one action does, and its flag; values that are set stand one after the other.
static const char *write_action(const KalExportPlan *plan, KalPage *page,
                                const KalAction *action, size_t *place)
{
    const size_t i = action->target;
    switch (action->kind) {
    case KAL_ACTION_STOP: return "STOPS";
    case KAL_ACTION_SET: return write_set(plan, page, action, (*place)++);
    case KAL_ACTION_RELEASE:
        kal_page_format(page, "        state->active[%zu] = 0;\n", i);
        return "0";
    case KAL_ACTION_ENGAGE:
        kal_page_format(page, "        state->active[%zu] = 1;\n", i);
        return "ENGAGES";
    }
    return "0";
}

// One case for each event; what several events have in common is not shared, for each
// sees the state that the ones before have left.
static void write_actions(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalModel *model = plan->system->model;
    size_t place = 0;
    kal_page_format(
        page,
        "/* Let event i happen; returns what it did. */\nstatic int act(int i, "
        "const %s *values, %s_state *state, unsigned char *held)\n{\n    int "
        "what = 0;\n    (void)values;\n    (void)state;\n    (void)held;\n    "
        "switch (i) {\n",
        kal_export_type(plan), plan->name);
    for (size_t i = 0; i < model->n_events; i++) {
        kal_page_format(page, "    case %zu: /* ", i);
        kal_export_remark(page, model->events[i].name);
        kal_page_string(page, " */\n");
        for (size_t k = 0; k < model->events[i].n_actions; k++) {
            const char *flag =
                write_action(plan, page, &model->events[i].actions[k], &place);
            kal_page_format(page, "        what |= %s;\n", flag);
        }
        kal_page_string(page, "        break;\n");
    }
    kal_page_string(page, "    default: break;\n    }\n    return what;\n}\n\n");
}

static void write_motion(KalExportWriting *w, KalPage *page)
{
    kal_export_write_text(page, &w->words, "motion");
}

static void write_tangent(KalExportWriting *w, KalPage *page)
{
    if (w->plan->tangent) {
        kal_export_write_text(page, &w->words, "tangent");
    }
}

static void write_tangent_servo(KalExportWriting *w, KalPage *page)
{
    kal_export_write_text(page, &w->words, "tangent_servo");
}

static void write_tangent_slide(KalExportWriting *w, KalPage *page)
{
    kal_export_write_text(page, &w->words, "tangent_slide");
}

static void write_control(KalExportWriting *w, KalPage *page)
{
    if (w->plan->names.servos.count > 0) {
        kal_export_write_text(page, &w->words, "control");
    }
}

static void write_contact(KalExportWriting *w, KalPage *page)
{
    if (w->plan->names.contacts.count > 0) {
        kal_export_write_text(page, &w->words, "touch");
        kal_export_write_text(page, &w->words, "contact");
    }
}

static void write_sparse(KalExportWriting *w, KalPage *page)
{
    if (w->plan->sparse) {
        kal_export_write_text(page, &w->words, "sparse");
    }
}

static void write_decide(KalExportWriting *w, KalPage *page)
{
    if (w->plan->names.contacts.count > 0) {
        kal_export_write_text(page, &w->words, "decide");
    }
}

static void write_tolerance(KalExportWriting *w, KalPage *page)
{
    kal_page_format(page, "#define %s_ATOL (", w->plan->name);
    kal_export_number(page, w->plan, kal_run_options(w->plan->system).atol);
    kal_page_string(page, ")\n");
}

static void write_dense(KalExportWriting *w, KalPage *page)
{
    kal_export_write_text(page, &w->words, "dense");
}

typedef struct Part {
    const char *key;
    void (*write)(KalExportWriting *w, KalPage *page);
} Part;

static const Part PARTS[] = {
    {"banner",         write_banner                   },
    {"source_banner",  write_source_banner            },
    {"main_banner",    write_main_banner              },
    {"build_banner",   write_build_banner             },
    {"sizes",          write_sizes                    },
    {"params",         write_params                   },
    {"places",         write_places                   },
    {"prepared",       write_prepared                 },
    {"row_arrays",     write_row_arrays               },
    {"limits",         write_limits                   },
    {"tables",         kal_export_write_layout        },
    {"table_numbers",  write_table_numbers            },
    {"operators",      write_operators                },
    {"near_wave",      write_near_wave                },
    {"programs",       insert_programs                },
    {"dense",          write_dense                    },
    {"contact",        write_contact                  },
    {"decide",         write_decide                   },
    {"sparse",         write_sparse                   },
    {"sparse_arrays",  kal_export_write_sparse_arrays },
    {"tolerance",      write_tolerance                },
    {"contact_arrays", kal_export_write_contact_arrays},
    {"control",        write_control                  },
    {"motion",         write_motion                   },
    {"actions",        write_actions                  },
    {"tangent",        write_tangent                  },
    {"tangent_servo",  write_tangent_servo            },
    {"tangent_slide",  write_tangent_slide            },
    {"settings",       insert_settings                },
};

static void insert(void *user, const char *key, KalPage *page)
{
    size_t i = 0;
    while (i < sizeof PARTS / sizeof PARTS[0] && strcmp(PARTS[i].key, key) != 0) {
        i++;
    }
    assert(i < sizeof PARTS / sizeof PARTS[0]);
    PARTS[i].write((KalExportWriting *)user, page);
}

// Programs and settings are written first, on pages of their own, for only they know
// which operators they need; then the text, which takes them in.
void kal_export_write_file(const KalExportPlan *plan, const char *text, KalPage *page)
{
    assert(plan->name && text && page);
    KalExportWriting w = {
        .plan = plan,
        .words = {.name = plan->name,
                  .single = plan->single,
                  .has = kal_export_has,
                  .insert = insert},
        .programs = kal_page(plan->ctx),
        .prepare = kal_page(plan->ctx),
        .settings = kal_page(plan->ctx)
    };
    w.words.user = &w;
    for (int i = 0; i < KAL_EXPORT_PROGRAMS; i++) {
        if (plan->programs[i].program) {
            write_program(&w, i);
        }
    }
    kal_export_write_settings(&w);
    kal_export_write_text(page, &w.words, text);
    kal_export_note(page, w.programs.status);
    kal_export_note(page, w.prepare.status);
    kal_export_note(page, w.settings.status);
    kal_page_clear(&w.programs);
    kal_page_clear(&w.prepare);
    kal_page_clear(&w.settings);
}

size_t kal_export_work_bytes(const KalExportPlan *plan)
{
    const size_t number_size = plan->single ? 4 : 8;
    const size_t n = plan->names.coordinates.count;
    const size_t m = count_rows(plan);
    const size_t less = n < m ? n : m;
    size_t numbers = 3 * n * n + 8 * n + 2 * m * n + m * less + 8 * m + less;
    const size_t state = 2 * n + 1 + plan->names.states.count
                         + 2 * plan->names.holds.count + plan->names.inputs.count;
    numbers += plan->settings.limits.n_chosen + plan->names.parameters.count
               + count_results(plan) + 4 * (2 * n + plan->names.states.count);
    numbers += (plan->names.events.count > 0 ? 4 : 2) * state + 2 * n + m + 2;
    for (int i = 0; i < KAL_EXPORT_PROGRAMS; i++) {
        numbers += plan->prepared[i];
    }
    const size_t servos = plan->names.servos.count;
    const size_t controls = plan->names.controls.count;
    const size_t events = plan->names.events.count;
    const size_t copies = events > 0 ? 4 : 2;
    const size_t flags = (plan->changes ? plan->names.constraints.count : 0) + events;
    numbers += servos * (n + 1) + controls * (2 * n + servos + 3) + 2 * servos;
    numbers += 2 * events + (flags > 0 ? copies : 0); // and what flags are padded with
    const size_t times =
        plan->system->model->n_events > 0 ? events : 0; // are kept of each
    numbers += copies * 3 * times + 1;
    return numbers * number_size
           + (2 * m + less + servos + 1 + copies * times) * sizeof(int) + copies * flags
           + 2 * (n + events) + kal_export_contact_bytes(plan)
           + kal_export_sparse_bytes(plan);
}

size_t kal_export_operations(const KalExportPlan *plan)
{
    return plan->fast     ? kal_program_operations(plan->fast)
           : plan->sparse ? kal_export_sparse_operations(plan)
                          : 0;
}

// Sums and products of the general solution: two factorizations of rows, U'M U, Cholesky's
// factors, two solves and residuals.
static size_t count_solve(size_t n, size_t m)
{
    const size_t r = n < m ? n : m;
    return 8 * n * m * (r + 1) + 8 * n * n * (r + 1) + n * n * n
           + 2 * (8 * n * r + 6 * n * n + 4 * m * r * r + 8 * n * m);
}

// Those of control and of friction beside nature: responses to each actuator or friction, frictions
// in as many rounds as there may be, and nature once more.
static size_t count_besides(const KalExportPlan *plan)
{
    const size_t n = plan->names.coordinates.count;
    const size_t m = plan->names.constraints.count;
    const size_t k = plan->names.contacts.count;
    const size_t inputs = plan->names.controls.count;
    const size_t servos = plan->names.servos.count;
    const KalProgram *contacts = plan->programs[KAL_EXPORT_CONTACTS].program;
    const size_t rounds = k > 0 ? FRICTION_ROUNDS : 0;
    size_t sum = (inputs + k) * (12 * n * m + 8 * n * n);
    sum += servos * inputs * (2 * n + 4 * servos);
    sum += rounds * (k * k * k + 2 * k * m);
    sum += contacts ? (rounds + 1) * kal_program_operations(contacts) : 0;
    sum += k > 0 || servos > 0 ? count_solve(n, m + (inputs > 0 ? 0 : servos)) : 0;
    return sum;
}

// And the programs that it evaluates.
size_t kal_export_most_operations(const KalExportPlan *plan)
{
    const size_t solves = plan->system->equations->has_C ? 2 : 1;
    size_t sum =
        solves
            * count_solve(plan->names.coordinates.count, plan->names.constraints.count)
        + count_besides(plan);
    for (int i = 0; i <= KAL_EXPORT_VELOCITY; i++) {
        const KalProgram *program = plan->programs[i].program;
        sum += program ? kal_program_operations(program) : 0;
    }
    return sum;
}

// SPDX-License-Identifier: MIT

// The sources of an FMU besides the exported ones: the glue, and the formulas of start values.
// These stand in a file of their own, with the operators that they need.

#include "base/number.h"
#include "export/border.h"
#include "export/fmu.h"
#include "export/operators.h"
#include "export/template.h"
#include "export/write_impl.h"

#include <kalaba/version.h>

#include <assert.h>
#include <string.h>

enum {
    NUMBER_TEXT = KAL_NUMBER_SIZE + 4
};

typedef struct Glue {
    const KalFmu *fmu;
    KalExportWords words;
    KalUsedOperators used;
    KalPage formulas;
} Glue;

static void note(KalPage *page, KalStatus status)
{
    if (page->status == KAL_OK) {
        page->status = status;
    }
}

static void write_banner(Glue *g, KalPage *page)
{
    kal_page_format(page, "/* " KAL_EXPORT_MARK " %s: %s.c as an FMU of FMI %d. */\n\n",
                    kal_version(), g->fmu->plan->name, g->fmu->version);
}

// A text as a string of C; what is not plain ASCII as numbers.
static void write_string(KalPage *page, const char *text)
{
    kal_page_string(page, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        const bool plain = byte >= ' ' && byte < 0x7F && !strchr("\"\\?", *c);
        if (plain) {
            kal_page_write(page, c, 1);
        } else {
            kal_page_format(page, "\\%03o", byte);
        }
    }
    kal_page_string(page, "\"");
}

static void begin_table(KalPage *page, const char *type, const char *name, size_t count)
{
    kal_page_format(page, "static const %s %s[%zu] = {", type, name,
                    count > 0 ? count : 1);
}

static void write_names(const KalFmu *fmu, KalPage *page)
{
    assert(fmu->n_variables > 0);
    const KalExportNames *constraints = &fmu->plan->names.constraints;
    begin_table(page, "char *const", "VARIABLE", fmu->n_variables);
    for (size_t i = 0; i < fmu->n_variables; i++) {
        kal_page_string(page, i > 0 ? ",\n    " : "\n    ");
        write_string(page, fmu->variables[i].name);
    }
    kal_page_string(page, "\n};\n\n");
    if (constraints->count == 0) {
        return;
    }
    begin_table(page, "char *const", "CONSTRAINT", constraints->count);
    for (size_t i = 0; i < constraints->count; i++) {
        kal_page_string(page, i > 0 ? ",\n    " : "\n    ");
        write_string(page, constraints->typed[i]);
    }
    kal_page_string(page, "\n};\n\n");
}

// A table of small numbers; one without any has a 0.
typedef int (*KalEntryOf)(const KalFmu *fmu, size_t i);

static void write_table(const KalFmu *fmu, KalPage *page, const char *name,
                        size_t count, KalEntryOf entry_of)
{
    begin_table(page, "unsigned char", name, count);
    for (size_t i = 0; i < count; i++) {
        kal_page_format(page, "%s%d", i > 0 ? ", " : "", entry_of(fmu, i));
    }
    kal_page_string(page, count > 0 ? "};\n" : "0};\n");
}

static int kind_of_parameter(const KalFmu *fmu, size_t i)
{
    return (int)fmu->parameters[i];
}

static int is_exact(const KalFmu *fmu, size_t i)
{
    return fmu->variables[fmu->at_x + i].initial == KAL_FMU_EXACT;
}

static int is_position_free(const KalFmu *fmu, size_t i)
{
    return fmu->plan->system->model->coordinates[i].start_q.kind != KAL_START_HELD;
}

static int is_velocity_free(const KalFmu *fmu, size_t i)
{
    return fmu->plan->system->model->coordinates[i].start_v.kind != KAL_START_HELD;
}

static int level_of(const KalFmu *fmu, size_t i)
{
    return (int)fmu->plan->system->model->constraints[i].level;
}

static int uses_reactions(const KalFmu *fmu, size_t i)
{
    return fmu->plan->reactions_in[i];
}

static int timer_steps(const KalFmu *fmu, size_t i)
{
    return kal_export_timer_steps(fmu->plan, i);
}

static void write_double(KalPage *page, const char *before, double value,
                         const char *after)
{
    char text[NUMBER_TEXT];
    kal_c_number(value, false, text);
    kal_page_format(page, "%s%s%s", before, text, after);
}

static void write_tables(Glue *g, KalPage *page)
{
    const KalFmu *fmu = g->fmu;
    const KalExportPlan *plan = fmu->plan;
    const size_t n = plan->names.coordinates.count;
    write_names(fmu, page);
    kal_page_string(page, "/* How parameters can be used. */\n");
    write_table(fmu, page, "PARAMETER", plan->names.parameters.count,
                kind_of_parameter);
    kal_page_string(page, "\n/* States whose start values are exact. */\n");
    write_table(fmu, page, "IS_EXACT", fmu->n_x, is_exact);
    if (plan->names.constraints.count > 0) {
        kal_page_string(page, "\n/* Start values that may move. */\n");
        write_table(fmu, page, "Q_IS_FREE", n, is_position_free);
        write_table(fmu, page, "QD_IS_FREE", n, is_velocity_free);
        kal_page_string(page,
                        "\n/* What constraints are of: 0 positions, 1 velocities, 2 "
                        "accelerations. */\n");
        write_table(fmu, page, "LEVEL", plan->names.constraints.count, level_of);
    }
    if (plan->tangent && kal_export_is_redundant(plan)) {
        kal_page_string(page, "\n/* Outputs that depend on reactions. */\n");
        write_table(fmu, page, "USES_REACTIONS", plan->names.outputs.count,
                    uses_reactions);
    }
    if (plan->borders.n_timed > 0) {
        kal_page_string(
            page,
            "\n/* Functions of time that have a border at each whole number. */\n");
        write_table(fmu, page, "STEPS", plan->borders.n_timed, timer_steps);
    }
    kal_page_string(page, "\n/* Sizes of states. */\n");
    begin_table(page, "double", "NOMINAL", fmu->n_x);
    for (size_t i = 0; i < fmu->n_x; i++) {
        write_double(page, i > 0 ? ", " : "", fmu->variables[fmu->at_x + i].nominal,
                     "");
    }
    kal_page_string(page, "};\n\n");
    kal_page_format(page, "#define TOKEN \"%s\"\n", fmu->token);
    write_double(page, "#define TOLERANCE ", fmu->experiment.rtol, "\n");
    write_double(
        page, "#define SMALL ", fmu->experiment.atol / fmu->experiment.rtol,
        " /* values below count as this when errors are compared with them */\n");
    write_double(page, "#define EXPERIMENT_FROM ", fmu->experiment.from, "\n\n");
}

static void write_counts(Glue *g, KalPage *page)
{
    const KalExportBorders *b = &g->fmu->plan->borders;
    kal_page_format(page, "enum {\n    BORDERS = %zu,\n    TIMERS = %zu\n};\n\n",
                    b->n_led, b->n_timed);
}

static void write_types(Glue *g, KalPage *page)
{
    kal_export_write_text(page, &g->words,
                          g->fmu->version == 3 ? "fmi3_types" : "fmi2_types");
}

static void write_interface(Glue *g, KalPage *page)
{
    kal_export_write_text(page, &g->words, g->fmu->version == 3 ? "fmi3" : "fmi2");
}

static void write_formulas(Glue *g, KalPage *page)
{
    kal_page_string(page, kal_page_text(&g->formulas));
}

static void write_near_wave(Glue *g, KalPage *page)
{
    kal_export_write_text(page, &g->words, "near_wave");
}

static void write_operators(Glue *g, KalPage *page)
{
    if (g->used.op[KAL_OP_SIN]) {
        kal_export_write_text(page, &g->words, "wave");
    }
    if (g->used.op[KAL_OP_SPLINE]) {
        kal_export_write_text(page, &g->words, "table");
    }
    kal_export_write_text(page, &g->words, "operators");
}

static void write_table_numbers(Glue *g, KalPage *page)
{
    kal_export_write_tables(page, g->fmu->plan);
}

// Parts of the text that are made for the model, by their keys in it.
static void insert(void *user, const char *key, KalPage *page)
{
    static const struct {
        const char *key;
        void (*write)(Glue *g, KalPage *page);
    } parts[] = {
        {"fmu_banner",    write_banner       },
        {"fmu_counts",    write_counts       },
        {"fmu_tables",    write_tables       },
        {"fmu_types",     write_types        },
        {"fmu_interface", write_interface    },
        {"fmu_operators", write_operators    },
        {"near_wave",     write_near_wave    },
        {"fmu_formulas",  write_formulas     },
        {"table_numbers", write_table_numbers},
    };

    size_t i = 0;
    while (i < sizeof parts / sizeof parts[0] && strcmp(parts[i].key, key) != 0) {
        i++;
    }
    assert(i < sizeof parts / sizeof parts[0]);
    parts[i].write((Glue *)user, page);
}

static bool starts_velocities(const KalFmu *fmu)
{
    return fmu->plan->system->n_results[KAL_PROGRAM_START] > 0;
}

// Conditions of the text, by the words that it has for them; operators have flags of
// their own.
static bool has(void *user, const char *flag)
{
    const Glue *g = (const Glue *)user;
    const KalExportPlan *plan = g->fmu->plan;
    const KalOp op = kal_c_operator_of_flag(flag);
    if (op < KAL_OP_COUNT) {
        return g->used.op[op];
    }

    const struct {
        const char *name;
        bool set;
    } flags[] = {
        {"ROWS",         plan->names.constraints.count > 0                 },
        {"REDUNDANT",    kal_export_is_redundant(plan)                     },
        {"INPUTS",       plan->names.inputs.count > 0                      },
        {"CONTACTS",     plan->names.contacts.count > 0                    },
        {"TANGENT",      plan->tangent != NULL                             },
        {"SLIDES",       kal_export_has_friction(plan)                     },
        {"EVENTS",       plan->names.events.count > 0                      },
        {"MODEL_EVENTS", plan->system->model->n_events > 0                 },
        {"BORDERS",      plan->borders.n_led > 0                           },
        {"SOLVES",       plan->borders.solves                              },
        {"WATCHES",      plan->names.events.count + plan->borders.n_led > 0},
        {"TIMERS",       plan->borders.n_timed > 0                         },
        {"HOLDS",        plan->names.holds.count > 0                       },
        {"STATES",       plan->names.states.count > 0                      },
        {"OUTPUTS",      plan->names.outputs.count > 0                     },
        {"VELOCITIES",   starts_velocities(g->fmu)                         },
        {"WAVES",        g->used.waves                                     },
        {"LEVELS",       g->used.levels                                    },
        {"LARGER",       false                                             },
        {"SMALLER",      false                                             },
        {"SINGLE",       false                                             },
    };

    size_t i = 0;
    while (i < sizeof flags / sizeof flags[0] && strcmp(flags[i].name, flag) != 0) {
        i++;
    }
    assert(i < sizeof flags / sizeof flags[0]);
    return flags[i].set;
}

static void write_glue(const KalFmu *fmu, const char *text, KalPage *page,
                       void (*collect)(Glue *g))
{
    Glue g = {
        .fmu = fmu,
        .words = {.name = fmu->plan->name, .has = has, .insert = insert},
        .formulas = kal_page(page->ctx)
    };
    g.words.user = &g;
    if (collect) {
        collect(&g);
    }
    kal_export_write_text(page, &g.words, text);
    note(page, g.formulas.status);
    kal_page_clear(&g.formulas);
}

void kal_fmu_write_source(const KalFmu *fmu, KalPage *page)
{
    write_glue(fmu, "fmu", page, NULL);
}

// A function of parameters, and of a state where the program needs one.
static void write_function(Glue *g, const KalCProgram *p, bool of_state)
{
    const char *name = g->fmu->plan->name;
    KalPage *page = &g->formulas;
    size_t prepared = 0;
    note(page, kal_c_program_prepared(page->ctx, p, &prepared));
    kal_page_format(page, "void %s_%s(const %s_params *params, ", name, p->name, name);
    if (of_state) {
        kal_page_format(page, "const %s_state *state, ", name);
    }
    kal_page_string(page, "double *out)\n{\n");
    if (prepared > 0) {
        kal_page_format(page, "    double c[%zu];\n", prepared);
    }
    kal_page_string(page, "    (void)params;\n");
    kal_page_string(page, of_state ? "    (void)state;\n" : "");
    note(page, kal_c_program_write_prepare(p, page, &g->used));
    note(page, kal_c_program_write_body(p, page, &g->used));
    kal_page_string(page, "}\n");
}

// Among the results of the program of settings start values follow the parameters.
static void collect_begin(Glue *g)
{
    const KalFmu *fmu = g->fmu;
    const KalExportPlan *plan = fmu->plan;
    size_t *chosen = kal_arena_alloc(
        plan->arena, fmu->n_x + plan->names.holds.count + 1, sizeof *chosen);
    if (!chosen) {
        note(&g->formulas, kal_no_memory(plan->ctx, "for an export"));
        return;
    }
    const size_t count =
        fmu->n_x + plan->names.holds.count; // in the order of the settings
    for (size_t i = 0; i < count; i++) {
        chosen[i] = plan->names.parameters.count + i;
    }
    KalCProgram p = {.program = plan->system->programs[KAL_PROGRAM_SETTINGS],
                     .name = "find_start",
                     .parameters = plan->texts.parameters,
                     .variables = plan->texts.variables,
                     .locals = plan->texts.locals,
                     .tables = plan->tables,
                     .n_tables = plan->n_tables,
                     .chosen = chosen,
                     .n_chosen = count};
    kal_page_string(&g->formulas, "/* Start values as the model writes them: q, q', "
                                  "states, holds. */\n");
    write_function(g, &p, starts_velocities(fmu));
    if (starts_velocities(fmu)) {
        p.program = plan->system->programs[KAL_PROGRAM_START];
        p.name = "find_start_velocities";
        p.chosen = NULL;
        p.n_chosen = 0;
        kal_page_string(&g->formulas, "\n/* Those of velocities, of positions. */\n");
        write_function(g, &p, true);
    }
}

void kal_fmu_write_begin(const KalFmu *fmu, KalPage *page)
{
    write_glue(fmu, "fmu_begin", page, collect_begin);
}

// SPDX-License-Identifier: MIT

// equilibria: states of rest and steady motions, listed and perhaps written to a table.

#include "analysis.h"
#include "family.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_AT = KAL_MODEL_OPTION_COUNT,
    OPTION_STARTS,
    OPTION_SEED,
    OPTION_WHERE,
    OPTION_GRID,
    OPTION_EACH,
    OPTION_STEADY,
    OPTION_FILE
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_AT] = {"--at",     "VALUES",
                   "begin here only, near values such as \"x=1, y=2\"",                        false},
    [OPTION_STARTS] = {"--starts", "N",
                   "begin at N places, the start among them; 31, or 1",                        false},
    [OPTION_SEED] = {"--seed",   "S",      "of the random places; 0",                            false},
    [OPTION_WHERE] = {"--where",  "BOUNDS", "such as \"theta=-pi..pi, x=0..1\"",                  false},
    [OPTION_GRID] = {"--grid",   "STARTS",
                   "begin at each, as in \"x = -1 .. 1 count 9; y = 0, 2\"",                   false},
    [OPTION_EACH] = {"--each",   NULL,     "list every member of a family that is found",
                   false                                                                            },
    [OPTION_FILE] = {"-o",       "FILE",   "write a table of them: .csv, .h5, .mat, .json, …",
                   false                                                                            },
    [OPTION_STEADY] = {"--steady", NULL,     "steady motions instead of rest",                     false},
};

// A column with the unit that it has in the record of a run.
static KalStatus add_column(KalTable *table, const KalTable *record, const char *name)
{
    const size_t place = kal_table_find_column(record, name);
    const char *unit =
        place < kal_table_columns(record) ? kal_table_column(record, place).unit : "";
    return kal_table_add_column(table, (KalQuantity){name, unit, ""});
}

// Columns for all coordinates, velocities and outputs, and for the stability.
static KalStatus add_columns(const KalSystem *system, const KalTable *record,
                             KalTable *table)
{
    assert(table && kal_table_columns(table) == 0);
    const char *const *names = kal_system_coordinate_names(system);
    const int n = kal_system_coordinates(system);
    KalStatus status = KAL_OK;
    for (int i = 0; i < 2 * n && status == KAL_OK; i++) {
        char name[KAL_TABLE_LABEL_LIMIT];
        (void)snprintf(name, sizeof name, "%s%s", names[i % n], i < n ? "" : "'");
        status = add_column(table, record, name);
    }
    for (int i = 0; i < kal_system_outputs(system) && status == KAL_OK; i++) {
        status = add_column(table, record, kal_system_output_names(system)[i]);
    }
    const KalQuantity stability = {KAL_FIGURE_STABILITY, "",
                                   "1 stable, 0 marginal, -1 unstable"};
    return status == KAL_OK ? kal_table_add_column(table, stability) : status;
}

// The row of equilibrium k, from 0.  The analysis is taken to the equilibrium to solve
// there, since outputs may contain accelerations and forces.  An output that is not
// unique in one row is marked so for its whole column.
static KalStatus add_row(KalAnalysis *analysis, const KalEquilibria *equilibria, int k,
                         const KalSystem *system, double *row, KalTable *table)
{
    assert(k >= 0 && k < equilibria->count);
    const KalEquilibrium *e = &equilibria->list[k];
    const size_t n = (size_t)kal_system_coordinates(system);
    const size_t outputs = (size_t)kal_system_outputs(system);
    KalInstant *instant = kal_analysis_instant(analysis);
    const double *values = NULL;
    KalMotionAnswer answer;
    KalStatus status = kal_analysis_go(analysis, k + 1);
    status = status == KAL_OK ? kal_instant_solve(instant, &answer) : status;
    status = status == KAL_OK ? kal_instant_outputs(instant, &values) : status;
    if (status != KAL_OK) {
        return status;
    }
    memcpy(row, e->q, n * sizeof *row);
    memcpy(row + n, e->qd, n * sizeof *row);
    memcpy(row + 2 * n, values, outputs * sizeof *row);
    row[2 * n + outputs] = kal_stability_number(e->stability);
    const bool *doubts = kal_instant_doubts(instant);
    for (size_t i = 0; i < outputs && status == KAL_OK; i++) {
        status = doubts[i]
                     ? kal_table_set_description(table, 2 * n + i, KAL_TABLE_NOT_UNIQUE)
                     : KAL_OK;
    }
    return status == KAL_OK ? kal_table_add_row(table, row) : status;
}

// A row for each equilibrium, with its outputs there.
static KalStatus fill(KalAnalysis *analysis, const KalEquilibria *equilibria,
                      const KalModelJob *job, KalTable *table)
{
    assert(equilibria->count >= 0);
    const KalSystem *system = job->system;
    KalRecord *record = NULL;
    KalStatus status = kal_record_create(job->ctx, system, NULL, 0, &record);
    if (status == KAL_OK) {
        status = add_columns(system, kal_record_table(record), table);
    }
    kal_record_destroy(record);
    double *row = malloc((kal_table_columns(table) + 1) * sizeof *row);
    status = row ? status : KAL_ERR_NOMEM;
    for (int k = 0; k < equilibria->count && status == KAL_OK; k++) {
        status = add_row(analysis, equilibria, k, system, row, table);
    }
    free(row);
    return status;
}

static KalStatus write(const KalModelJob *job, KalAnalysis *analysis,
                       const KalEquilibria *equilibria)
{
    const char *file = job->arguments->options[OPTION_FILE];
    const KalTableWriteOptions units = {.csv_units = kal_is_standard_output(file)
                                                         ? KAL_TABLE_UNITS_NONE
                                                         : KAL_TABLE_UNITS_FILE};
    KalTable *table = NULL;
    if (!file) {
        return KAL_OK;
    }
    KalStatus status = kal_table_create(job->ctx, 0, &table);
    if (status == KAL_OK) {
        status = fill(analysis, equilibria, job, table);
    }
    if (status == KAL_OK) {
        status = kal_table_deliver(table, file, &units);
    }
    kal_table_destroy(table);
    return status;
}

// The table is written before anything is shown: a result that is on the screen is in
// the file as well.
static KalExit search(KalModelJob *job, KalAnalysis *analysis,
                      const KalEquilibriumOptions *how)
{
    assert(analysis && how);
    KalEquilibria equilibria;
    const KalShowOptions show = kal_analysis_show_options(job);
    KalStage stage;
    kal_stage_begin(&stage, job->ctx, "looking for equilibria", job->quiet);
    const KalStatus status = kal_analysis_equilibria(analysis, how, &equilibria);
    kal_stage_end(&stage, job->ctx);
    if (status != KAL_OK || write(job, analysis, &equilibria) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const char *const *given = job->arguments->options;
    if (!kal_is_standard_output(given[OPTION_FILE])
        && kal_show_equilibria(analysis, &equilibria, &show, kal_standard_output)
               != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (given[OPTION_AT] && equilibria.starts == 0) {
        return kal_model_job_fail(
            job, "no state on the constraints was found near the values of --at", NULL,
            0);
    }
    if (equilibria.count == KAL_EQUILIBRIA_LIMIT && !job->quiet) {
        kal_message_print("warning: the search ended at %d equilibria",
                          KAL_EQUILIBRIA_LIMIT);
    }
    return KAL_EXIT_DONE;
}

// Of models with contacts: ranges of rest from the start, or from the values of --at.
static KalExit show_leeway(KalModelJob *job)
{
    const char *const *given = job->arguments->options;
    const KalShowOptions show = kal_analysis_show_options(job);
    KalLeeway *leeway = NULL;
    if (given[OPTION_GRID] || given[OPTION_WHERE] || given[OPTION_STARTS]
        || given[OPTION_STEADY] || given[OPTION_FILE]) {
        kal_message_print("with contacts or friction, equilibria takes no option but "
                          "'--at' and those of all commands");
        return KAL_EXIT_USAGE;
    }
    KalStatus status =
        kal_leeway_find(job->ctx, job->system, given[OPTION_AT], &leeway);
    if (status == KAL_OK) {
        status =
            kal_show_leeway(job->ctx, job->system, leeway, &show, kal_standard_output);
    }
    kal_leeway_destroy(leeway);
    return status == KAL_OK ? KAL_EXIT_DONE : kal_model_job_fail_plain(job);
}

// Options are read and files claimed before the search, which may take long.
static KalExit equilibria(KalModelJob *job)
{
    const char *const *given = job->arguments->options;
    double starts = 0.0;
    double seed = 0.0;
    if (!kal_option_count(job, OPTION_STARTS, "--starts", 1e6, &starts)
        || !kal_option_count(job, OPTION_SEED, "--seed", 9e15, &seed)
        || !kal_standard_output_is_free(given[OPTION_FILE], job->json)) {
        return KAL_EXIT_USAGE;
    }
    if (kal_leeway_applies(job->system)) {
        return show_leeway(job);
    }
    KalFamily grid = {.n = 0};
    if (given[OPTION_GRID]
        && !kal_family_init(&grid, given[OPTION_AT], given[OPTION_GRID])) {
        kal_family_clear(&grid);
        return KAL_EXIT_USAGE;
    }
    const bool here = given[OPTION_AT] && !given[OPTION_GRID];
    const KalEquilibriumOptions how = {.starts = (int)starts,
                                       .seed = (uint64_t)seed,
                                       .where = given[OPTION_WHERE],
                                       .grid = here ? &given[OPTION_AT]
                                                    : (const char *const *)grid.starts,
                                       .n_grid = here ? 1 : grid.n,
                                       .each = given[OPTION_EACH] != NULL,
                                       .steady = given[OPTION_STEADY] != NULL};
    if (given[OPTION_FILE]
        && !kal_ledger_write_table(job->ledger, job->ctx, given[OPTION_FILE],
                                   &(KalTableWriteOptions){KAL_TABLE_UNITS_FILE})) {
        kal_family_clear(&grid);
        return kal_model_job_fail(job, job->ledger->message, NULL, 0);
    }
    KalAnalysis *analysis = NULL;
    const KalExit status =
        kal_analysis_create(job->ctx, job->system, "", &analysis) == KAL_OK
            ? search(job, analysis, &how)
            : kal_model_job_fail_plain(job);
    kal_analysis_destroy(analysis);
    kal_family_clear(&grid);
    return status;
}

static KalExit run_equilibria(const KalArguments *arguments)
{
    return kal_model_job_analyze(arguments, equilibria);
}

static void print_details(void)
{
    fputs("\nLooks for states of rest on the constraints, from the model's start and "
          "from "
          "random\nplaces, and lists those that differ with the forces of the "
          "constraints "
          "and their\nstability; a family of equilibria is listed once, with its "
          "dimension.\nWith --steady coordinates that nothing depends on may move: "
          "steady turning, rolling\nor spinning, with the speeds of the start if "
          "possible.\n"
          "With contacts or dry friction it gives ranges of rest along the one way to "
          "move that\nclosed contacts leave.\n"
          "With -o the states go to a table, with their outputs and a column "
          "'stability'\n(1 stable, 0 marginal, -1 unstable), for kalaba plot --marks.\n"
          "\nExamples:\n"
          "  kalaba equilibria double_pendulum.kal\n"
          "  kalaba equilibria linkage.kal --where \"theta=-pi..pi\" --starts 200\n"
          "  kalaba equilibria four_bar.kal --at \"a = 30 [deg]\"\n"
          "  kalaba equilibria rolling_disc.kal --steady --starts 1\n"
          "  kalaba equilibria sleigh.kal --steady --each --grid \"x' = -2 .. 2 count "
          "9\" -o rest.csv\n"
          "\nExit status: 0 done, whether or not one was found, 1 the model or its "
          "numbers are\nat fault, 2 wrong usage.\n",
          stdout);
}

const KalCommand kal_command_equilibria = {
    .name = "equilibria",
    .operands = "MODEL|-",
    .purpose = "states of rest and steady motions, families, stability",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_equilibria,
};

// SPDX-License-Identifier: MIT

// modes: eigenvalues about a state, or along a parameter.
//
// A sweep sets the parameter in one analysis, which takes microseconds; only where the
// structure depends on it is the model loaded again for every value.

#include "analysis.h"
#include "output.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_SWEEP = KAL_STATE_OPTION_COUNT,
    OPTION_POINTS,
    OPTION_FILE,
    NAME_SIZE = 200,
    TEXT_SIZE = NAME_SIZE + 40
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    KAL_STATE_OPTIONS,
    [OPTION_SWEEP] = {"--sweep",  "NAME=A..B",
                      "as functions of a parameter, with critical values",                 false},
    [OPTION_POINTS] = {"--points", "N",         "values of a sweep; 41",                    false},
    [OPTION_FILE] =
        {"-o",       "FILE",
                      "write a table of them: .csv, .h5, .mat, .json; - is CSV to stdout", false},
};

static const char *file_of(const KalModelJob *job)
{
    return job->arguments->options[OPTION_FILE];
}

// What is shown besides the table, if one goes to standard output: nothing.
static bool shows(const KalModelJob *job)
{
    return !kal_is_standard_output(file_of(job));
}

// Write and destroy a table that was filled if `status` is KAL_OK.
static KalStatus deliver(const KalModelJob *job, KalStatus status, KalTable *table)
{
    const KalTableWriteOptions units = {.csv_units = shows(job) ? KAL_TABLE_UNITS_FILE
                                                                : KAL_TABLE_UNITS_NONE};
    if (status == KAL_OK) {
        status = kal_table_deliver(table, file_of(job), &units);
    }
    kal_table_destroy(table);
    return status;
}

static KalStatus add_columns(KalTable *table, const KalQuantity *columns, size_t n)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < n && status == KAL_OK; i++) {
        status = kal_table_add_column(table, columns[i]);
    }
    return status;
}

// A row for each mode.
static KalStatus write_modes(const KalModelJob *job, const KalModes *modes)
{
    static const KalQuantity columns[] = {
        {"re",        "1/s", "real part of the eigenvalue"     },
        {"im",        "1/s", "imaginary part of the eigenvalue"},
        {"frequency", "Hz",  ""                                },
        {"damping",   "1",   "damping ratio"                   },
    };
    KalTable *table = NULL;
    if (!file_of(job)) {
        return KAL_OK;
    }
    KalStatus status = kal_table_create(job->ctx, 0, &table);
    if (status == KAL_OK) {
        status = add_columns(table, columns, sizeof columns / sizeof columns[0]);
    }
    for (int k = 0; k < modes->n && status == KAL_OK; k++) {
        const KalMode *mode = &modes->modes[k];
        status = kal_table_add_row(
            table, (double[]){mode->re, mode->im, mode->frequency, mode->damping});
    }
    return deliver(job, status, table);
}

static KalExit show(KalModelJob *job, KalAnalysis *analysis)
{
    KalModes modes;
    const KalShowOptions how = kal_analysis_show_options(job);
    KalStage stage;
    kal_stage_begin(&stage, job->ctx, "looking for modes", job->quiet);
    const KalStatus status = kal_analysis_modes(analysis, &modes);
    kal_stage_end(&stage, job->ctx);
    if (status != KAL_OK || write_modes(job, &modes) != KAL_OK
        || (shows(job)
            && kal_show_modes(analysis, &modes, &how, kal_standard_output) != KAL_OK)) {
        return kal_model_job_fail_plain(job);
    }
    kal_analysis_warn(job, &modes.linearization);
    return KAL_EXIT_DONE;
}

static KalExit show_one(KalModelJob *job)
{
    KalAnalysis *analysis = NULL;
    KalExit status = kal_analysis_open(job, "", &analysis);
    if (status == KAL_EXIT_DONE) {
        status = show(job, analysis);
    }
    kal_analysis_destroy(analysis);
    return status;
}

// A sweep on its way.
typedef struct Sweep {
    KalModelJob *job;
    KalAnalysis *analysis;
    char name[NAME_SIZE];
    KalLocusRange range;
    bool settable; // the parameter can be set, without loading the model again
    bool unsteady; // a state was not an equilibrium
} Sweep;

// The model with another value of the parameter.
static KalExit load(const Sweep *sweep, double value)
{
    char text[TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%s=%.17g", sweep->name, value);
    return kal_model_job_reload(sweep->job, text);
}

// Load the model with a value of the range, and see whether others can be set: that is so
// unless the structure depends on the parameter, or values count in a unit of their own.
static KalExit load_first(Sweep *sweep)
{
    assert(!sweep->settable);
    const double value = sweep->range.low != 0.0 ? sweep->range.low : sweep->range.high;
    const KalExit loaded = load(sweep, value); // a wrong name is told here
    const KalSystem *system = sweep->job->system;
    for (int i = 0; loaded == KAL_EXIT_DONE && i < kal_system_parameters(system); i++) {
        const KalParameterInfo p = kal_system_parameter(system, i);
        sweep->settable =
            sweep->settable
            || (strcmp(p.name, sweep->name) == 0 && !p.fixed && p.value == value);
    }
    return loaded;
}

// Go to another value in the analysis that there is.
static bool set(Sweep *sweep, double value)
{
    assert(sweep->settable);
    const KalSetting setting = {sweep->name, value};
    KalModelJob *job = sweep->job;
    if (!sweep->analysis
        && kal_analysis_create(job->ctx, job->system, "", &sweep->analysis) != KAL_OK) {
        return false;
    }
    const KalStatus status = kal_analysis_set_parameters(sweep->analysis, &setting, 1);
    sweep->settable = status != KAL_ERR_FORMULATION;
    return status == KAL_OK
           && kal_analysis_go_to_state(job, sweep->analysis) == KAL_EXIT_DONE;
}

// The same with a model that is loaded again.
static bool reload(Sweep *sweep, double value)
{
    kal_analysis_destroy(sweep->analysis);
    sweep->analysis = NULL;
    return load(sweep, value) == KAL_EXIT_DONE
           && kal_analysis_open(sweep->job, "", &sweep->analysis) == KAL_EXIT_DONE;
}

// Modes for one value; the analysis stays until the next.
static KalStatus find_modes(void *user, double value, KalModes *out_modes)
{
    assert(user && out_modes);
    Sweep *sweep = (Sweep *)user;
    bool there = sweep->settable && set(sweep, value);
    if (!sweep->settable) {
        there = reload(sweep, value);
    }
    const KalStatus status =
        there ? kal_analysis_modes(sweep->analysis, out_modes) : KAL_ERR_USAGE;
    sweep->unsteady =
        sweep->unsteady || (status == KAL_OK && out_modes->linearization.note);
    return status;
}

// Take NAME=A..B apart, with spaces where they please.
static bool read_parts(Sweep *sweep, char *text)
{
    char *equals = strchr(text, '=');
    char *dots = strstr(text, "..");
    if (!equals || !dots || dots < equals) {
        return false;
    }
    *equals = '\0';
    *dots = '\0';
    const char *name = kal_option_trim(text);
    (void)snprintf(sweep->name, sizeof sweep->name, "%s", name);
    return *name != '\0' && strlen(name) < NAME_SIZE
           && kal_number_read(kal_option_trim(equals + 1), &sweep->range.low)
           && kal_number_read(kal_option_trim(dots + 2), &sweep->range.high)
           && sweep->range.low < sweep->range.high;
}

static bool read_sweep(const KalModelJob *job, Sweep *sweep)
{
    const char *given = job->arguments->options[OPTION_SWEEP];
    char text[TEXT_SIZE + NAME_SIZE];
    double points = 41.0;
    const int length = snprintf(text, sizeof text, "%s", given);
    if (length >= (int)sizeof text || !read_parts(sweep, text)) {
        kal_message_print(
            "option '--sweep' takes NAME=A..B with numbers A below B, not "
            "'%s'",
            given);
        return false;
    }
    if (!kal_option_count(job, OPTION_POINTS, "--points", 1e5, &points)) {
        return false;
    }
    sweep->range.points = points < 2.0 ? 2 : (int)points;
    return true;
}

// Trace the eigenvalues; values that have no answer are not worth a message each.
static KalStatus trace(KalModelJob *job, Sweep *sweep, KalLocus **out_locus)
{
    assert(!job->silent);
    const bool quiet = job->quiet;
    job->silent = true;
    job->quiet = true;
    const KalStatus status =
        kal_locus_create(job->ctx, &sweep->range, find_modes, sweep, out_locus);
    job->silent = false;
    job->quiet = quiet;
    return status;
}

// Whether any value has eigenvalues.
static bool has_answer(const KalLocus *locus)
{
    const KalLocusPoint *points = NULL;
    const int count = kal_locus_points(locus, &points);
    for (int k = 0; k < count; k++) {
        if (!points[k].failed) {
            return true;
        }
    }
    return false;
}

// The unit that a parameter is declared in.
static const char *unit_of(const KalSystem *system, const char *name)
{
    for (int i = 0; i < kal_system_parameters(system); i++) {
        const KalParameterInfo p = kal_system_parameter(system, i);
        if (strcmp(p.name, name) == 0 && p.unit) {
            return p.unit;
        }
    }
    return "";
}

// Columns of a sweep: the parameter, the stability, `most` eigenvalues.
static KalStatus add_sweep_columns(const Sweep *sweep, int most, KalTable *table)
{
    const char *unit = unit_of(sweep->job->system, sweep->name);
    KalStatus status = add_columns(
        table,
        (KalQuantity[]){
            {sweep->name,          unit, ""                                 },
            {KAL_FIGURE_STABILITY, "",   "1 stable, 0 marginal, -1 unstable"}
    },
        2);
    for (int k = 0; k < 2 * most && status == KAL_OK; k++) {
        char name[NAME_SIZE];
        (void)snprintf(name, sizeof name, k % 2 == 0 ? "re[%d]" : "im[%d]", k / 2 + 1);
        status = kal_table_add_column(table, (KalQuantity){name, "1/s", ""});
    }
    return status;
}

// The row of a value, without `skipped` eigenvalues that are 0; what has no answer, or fewer
// eigenvalues, is NaN there.
static KalStatus add_point(const KalLocusPoint *point, int skipped, double *row,
                           size_t width, KalTable *table)
{
    size_t place = 2;
    for (size_t i = 0; i < width; i++) {
        row[i] = NAN;
    }
    row[0] = point->value;
    if (!point->failed) {
        row[1] = kal_stability_number(point->stability);
    }
    for (int k = 0; k < point->n && !point->failed; k++) {
        if (skipped > 0 && point->re[k] == 0.0 && point->im[k] == 0.0) {
            skipped--;
            continue;
        }
        assert(place + 2 <= width);
        row[place++] = point->re[k];
        row[place++] = point->im[k];
    }
    return kal_table_add_row(table, row);
}

// A row for each value.  Eigenvalues that are 0 throughout are left out, as in the text.
static KalStatus write_locus(const Sweep *sweep, const KalLocus *locus)
{
    const KalLocusPoint *points = NULL;
    const int count = kal_locus_points(locus, &points);
    KalTable *table = NULL;
    int most = 0;
    for (int k = 0; k < count; k++) {
        most = !points[k].failed && points[k].n > most ? points[k].n : most;
    }
    if (!file_of(sweep->job)) {
        return KAL_OK;
    }
    const int zeros = kal_locus_zeros(locus);
    most -= zeros < most ? zeros : most;
    const size_t width = 2 + 2 * (size_t)most;
    double *row = malloc(width * sizeof *row);
    KalStatus status = kal_table_create(sweep->job->ctx, 0, &table);
    if (status == KAL_OK) {
        status = row ? add_sweep_columns(sweep, most, table) : KAL_ERR_NOMEM;
    }
    for (int k = 0; k < count && status == KAL_OK; k++) {
        status = add_point(&points[k], zeros, row, width, table);
    }
    free(row);
    return deliver(sweep->job, status, table);
}

static KalExit show_sweep(KalModelJob *job, Sweep *sweep)
{
    assert(sweep->range.low < sweep->range.high && sweep->range.points >= 2);
    const KalShowOptions how = kal_analysis_show_options(job);
    KalLocus *locus = NULL;
    const KalExit loaded = load_first(sweep);
    if (loaded != KAL_EXIT_DONE) {
        return loaded;
    }
    if (trace(job, sweep, &locus) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const KalLocusTitle title = {kal_system_title(job->system), sweep->name};
    const bool shown =
        has_answer(locus) && write_locus(sweep, locus) == KAL_OK
        && (!shows(job)
            || kal_show_locus(job->ctx, locus, &title, &how, kal_standard_output)
                   == KAL_OK);
    kal_locus_destroy(locus);
    if (shown && sweep->unsteady && !job->quiet) {
        kal_message_print("warning: states of the sweep are not an equilibrium, nor a "
                          "steady motion");
    }
    return shown ? KAL_EXIT_DONE : kal_model_job_fail_plain(job);
}

static KalExit modes(KalModelJob *job)
{
    if (!kal_standard_output_is_free(file_of(job), job->json)) {
        return KAL_EXIT_USAGE;
    }
    if (file_of(job)
        && !kal_ledger_write_table(job->ledger, job->ctx, file_of(job),
                                   &(KalTableWriteOptions){KAL_TABLE_UNITS_FILE})) {
        return kal_model_job_fail(job, job->ledger->message, NULL, 0);
    }
    if (!job->arguments->options[OPTION_SWEEP]) {
        return show_one(job);
    }
    Sweep sweep = {.job = job};
    if (!read_sweep(job, &sweep)) {
        return KAL_EXIT_USAGE;
    }
    const KalExit status = show_sweep(job, &sweep);
    kal_analysis_destroy(sweep.analysis);
    return status;
}

static KalExit run_modes(const KalArguments *arguments)
{
    return kal_model_job_analyze(arguments, modes);
}

static void print_details(void)
{
    fputs(
        "\nPrints eigenvalues, frequencies, damping and shapes of small motions "
        "about a "
        "state,\nas many as there are states on the constraints, and whether it is "
        "stable, unstable\nor marginal.  The state is the model's start unless --at "
        "says otherwise; a steady\nmotion is as good as rest.  A table has a row for "
        "each mode: re, im, frequency, damping;\nthat of a sweep one for each value: "
        "the parameter, stability (1 stable, 0 marginal,\n-1 unstable), re[1], im[1], "
        "re[2], and so on.\n"
        "\nExamples:\n"
        "  kalaba modes pendulum.kal --at \"x=0, y=-1\"\n"
        "  kalaba modes sleigh.kal --at \"x'=1, y'=0, theta'=0\" --json\n"
        "  kalaba modes top.kal --sweep w=50..200\n"
        "  kalaba modes top.kal --sweep w=50..200 -o modes.csv\n"
        "\nExit status: 0 done (with a warning when the state is not an equilibrium),"
        "\n1 the model or its numbers are at fault, 2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_modes = {
    .name = "modes",
    .operands = "MODEL|-",
    .purpose = "eigenvalues, frequencies, damping, mode shapes, stability",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_modes,
};

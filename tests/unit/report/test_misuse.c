// SPDX-License-Identifier: MIT

// Every public function with what it must not be given: nothing, values outside of their
// enums, numbers that are none, calls before their time.  Each answers in the way that
// kalaba/status.h says, and none ends the program.

#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <string.h>

static KalContext *ctx;
static KalSystem *rod;    // one constraint
static KalSystem *spring; // none

static const char rod_text[] = "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "potential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                               "init x = 1, y = 0\nsimulate 0 .. 1 every 0.5\n"
                               "output h = y\n";
static const char spring_text[] = "coord u\nkinetic u'^2\npotential u^2\ninit u = 1\n";

static void ignore(void *user, const char *text, size_t length)
{
    (void)user;
    (void)text;
    (void)length;
}

static const char *const no_text[] = {NULL}; // a list of one text that is none
static const KalSink sink = {.write = ignore};
static const KalSink no_sink = {.write = NULL};

static KalSystem *load(const char *text)
{
    KalSystem *system = NULL;
    ok(kal_system_load(ctx, "model.kal", text, strlen(text), NULL, &system) == KAL_OK);
    return system;
}

static void the_stage_is_set(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    rod = load(rod_text);
    spring = load(spring_text);
}

static void the_stage_is_cleared(void)
{
    kal_system_destroy(rod);
    kal_system_destroy(spring);
    kal_context_destroy(ctx);
}

// Wrong use, told in the context.
static void refused(KalStatus status, const char *function)
{
    ok(status == KAL_ERR_USAGE);
    has_text(kal_context_message(ctx), function);
}

// Wrong use without a context to tell it in.
static void refused_mutely(KalStatus status)
{
    ok(status == KAL_ERR_USAGE);
}

static void nothing_is_no_context(void)
{
    KalTable *table = NULL;
    KalSystem *system = NULL;
    refused_mutely(kal_context_create(NULL, NULL, NULL));
    refused_mutely(kal_table_create(NULL, 0, &table));
    refused_mutely(kal_system_load(NULL, "a", "", 0, NULL, &system));
    same_text(kal_context_message(NULL), "");
    ok(kal_context_bytes(NULL) == 0 && kal_context_allocations(NULL) == 0);
    kal_context_destroy(NULL);
}

// A list that is said to be longer than it is, or has an empty place.
static void overrides_that_are_none(void)
{
    KalSystem *system = NULL;
    const KalOverride empty[] = {
        {NULL, NULL},
        {"m",  NULL},
        {NULL, "1" }
    };
    for (size_t k = 0; k < 4; k++) {
        const KalLoadOptions options = {.overrides = k < 3 ? &empty[k] : NULL,
                                        .n_overrides = 1};
        refused(kal_system_load(ctx, "a", "", 0, &options, &system), "kal_system_load");
    }
}

static void systems_and_instants(void)
{
    KalSystem *system = NULL;
    KalInstant *instant = NULL;
    KalMotionAnswer answer;
    KalStartReport report;
    KalMisfit misfit;
    KalSeam seam;
    const double *values = NULL;
    const char *const *names = NULL;
    const KalSetting nameless = {.name = NULL};
    refused(kal_system_load(ctx, NULL, "", 0, NULL, &system), "kal_system_load");
    refused(kal_system_load(ctx, "a", NULL, 3, NULL, &system), "kal_system_load");
    refused(kal_system_load(ctx, "a", "", 0, NULL, NULL), "kal_system_load");
    ok(kal_system_coordinates(NULL) == 0 && kal_system_constraints(NULL) == 0);
    ok(kal_system_outputs(NULL) == 0 && !kal_system_coordinate_names(NULL));
    ok(!kal_system_constraint_names(NULL) && !kal_system_output_names(NULL));
    same_text(kal_system_title(NULL), "");
    ok(kal_system_write_warnings(NULL, sink) == 0);
    ok(kal_system_write_warnings(rod, no_sink) == 0);
    refused(kal_instant_create(ctx, NULL, &instant), "kal_instant_create");
    refused(kal_instant_create(ctx, rod, NULL), "kal_instant_create");
    ok(!kal_instant_t(NULL) && !kal_instant_q(NULL) && !kal_instant_qd(NULL));
    refused_mutely(kal_instant_set(NULL, "x = 1", NULL));
    refused_mutely(kal_instant_start(NULL, &report));
    refused_mutely(kal_instant_solve(NULL, &answer));
    refused_mutely(kal_instant_outputs(NULL, &values));
    ok(kal_instant_problem(NULL).n == 0 && kal_instant_fault(NULL).count == 0);
    ok(kal_instant_fault_names(NULL, &names) == 0);
    ok(kal_instant_create(ctx, rod, &instant) == KAL_OK);
    refused(kal_instant_set(instant, NULL, NULL), "kal_instant_set");
    refused(kal_instant_start(instant, NULL), "kal_instant_start");
    refused(kal_instant_start_from(instant, "x = 1", NULL), "kal_instant_start_from");
    refused(kal_instant_solve(instant, NULL), "kal_instant_solve");
    refused(kal_instant_outputs(instant, &values), "after a solve");
    refused(kal_instant_outputs(instant, NULL), "kal_instant_outputs");
    ok(kal_instant_fault_names(instant, NULL) == 0);
    refused(kal_instant_misfit(instant, NULL), "kal_instant_misfit");
    refused_mutely(kal_instant_misfit(NULL, &misfit));
    ok(!kal_instant_doubts(NULL));
    refused(kal_instant_seam(instant, NULL), "kal_instant_seam");
    refused_mutely(kal_instant_seam(NULL, &seam));
    ok(kal_system_parameters(NULL) == 0);
    same_text(kal_system_parameter(NULL, 0).name, "");
    same_text(kal_system_parameter(rod, -1).name, "");
    same_text(kal_system_parameter(rod, 99).name, "");
    ok(!kal_instant_parameters(NULL) && kal_instant_run_options(NULL).until == 0.0);
    refused_mutely(kal_instant_set_parameters(NULL, NULL, 0));
    refused_mutely(kal_run_set_parameters(NULL, NULL, 0));
    refused_mutely(kal_analysis_set_parameters(NULL, NULL, 0));
    refused(kal_instant_set_parameters(instant, NULL, 1), "kal_instant_set_parameters");
    refused(kal_instant_set_parameters(instant, &nameless, 1), "argument is NULL");
    kal_instant_q(instant)[0] = NAN;
    ok(kal_instant_solve(instant, &answer) == KAL_ERR_NUMBER);
    kal_instant_destroy(instant);
}

static void options_of_runs(void)
{
    KalRun *run = NULL;
    KalRunOptions bad[12];
    for (int i = 0; i < 12; i++) {
        bad[i] = kal_run_options(rod);
    }
    bad[0].method = (KalMethod)99;
    bad[1].drift = (KalDrift)99;
    bad[2].form = (KalRunForm)99;
    bad[3].until = NAN;
    bad[4].from = INFINITY;
    bad[5].every = NAN;
    bad[6].rtol = NAN;
    bad[7].atol = -1.0;
    bad[8].fixed_step = NAN;
    bad[9].fixed_step = INFINITY;
    bad[10].drift = KAL_DRIFT_STABILIZE;
    bad[10].stabilize = NAN;
    bad[11].method = (KalMethod)-1;
    for (int i = 0; i < 12; i++) {
        ok(kal_run_create(ctx, rod, &bad[i], &run) == KAL_ERR_USAGE && !run);
    }
    refused(kal_run_create(ctx, NULL, NULL, &run), "kal_run_create");
    refused(kal_run_create(ctx, rod, NULL, NULL), "kal_run_create");
    ok(kal_run_options(NULL).rtol == 0.0);
}

static void runs_that_are_none(void)
{
    KalStartReport report;
    const char *const *names = NULL;
    const KalWork *works = NULL;
    const KalConstant *constants = NULL;
    const KalEffort *efforts = NULL;
    const KalIncident *incidents = NULL;
    refused_mutely(kal_run_start(NULL, &report));
    refused_mutely(kal_run_start_from(NULL, NULL, &report));
    refused_mutely(kal_run_start_here(NULL));
    refused_mutely(kal_run_advance(NULL, 1.0));
    refused_mutely(kal_run_step(NULL));
    refused_mutely(kal_run_sample(NULL, NULL, NULL));
    kal_run_describe(NULL, NULL);
    ok(!kal_incident_word((KalIncidentKind)99));
    ok(!kal_method_word((KalMethod)99) && !kal_drift_word((KalDrift)99));
    ok(!kal_run_instant(NULL) && kal_run_time(NULL) == 0.0 && !kal_run_is_over(NULL));
    ok(kal_run_get_options(NULL).rtol == 0.0 && !kal_run_stopped_by(NULL));
    ok(kal_run_fault(NULL, &names) == 0 && kal_run_statistics(NULL).steps == 0);
    ok(kal_run_works(NULL, &works) == 0 && kal_run_constants(NULL, &constants) == 0);
    ok(kal_run_efforts(NULL, &efforts) == 0);
    ok(kal_run_incidents(NULL, &incidents) == 0);
    ok(kal_run_warnings(NULL, &names) == 0);
    same_text(kal_work_kind_word((KalWorkKind)99), "unknown");
}

static KalStatus nothing(void *user, KalRun *run)
{
    (void)user;
    (void)run;
    return KAL_OK;
}

static void runs_before_their_start(void)
{
    KalRun *run = NULL;
    KalRecord *record = NULL;
    KalVerify *verify = NULL;
    KalStartReport report;
    const KalRunTimes times = {.total = 0.0};
    const KalShowOptions text = {.format = KAL_SHOW_TEXT};
    ok(kal_run_create(ctx, rod, NULL, &run) == KAL_OK);
    refused(kal_record_create(ctx, rod, no_text, 1, &record), "kal_record_create");
    ok(kal_record_create(ctx, rod, NULL, 0, &record) == KAL_OK);
    ok(kal_verify_create(ctx, rod, &verify) == KAL_OK);
    refused(kal_run_advance(run, 1.0), "not started");
    refused(kal_run_step(run), "not started");
    refused(kal_run_sample(run, nothing, NULL), "not started");
    refused(kal_run_sample(run, NULL, NULL), "kal_run_sample");
    refused(kal_record_take(record, run), "not started");
    refused(kal_record_finish(record, run), "not started");
    refused(kal_verify_take(verify, run), "not started");
    refused(kal_show_run(run, &times, &text, sink), "after a solve");
    refused(kal_show_member(run, &(KalMember){"x = 1", 0, 1}, &times, &text, sink),
            "after a solve");
    refused(kal_show_member(run, &(KalMember){"x = 1", 1, 1}, &times, &text, sink),
            "kal_show_member");
    refused(kal_run_start(run, NULL), "kal_run_start");
    ok(kal_table_rows(kal_record_table(record)) == 0);
    ok(kal_run_start(run, &report) == KAL_OK);
    refused(kal_run_advance(run, NAN), "NaN");
    ok(kal_run_time(run) == 0.0);
    ok(kal_record_take(record, run) == KAL_OK);
    ok(kal_run_advance(run, INFINITY) == KAL_OK && kal_run_is_over(run));
    kal_verify_destroy(verify);
    kal_record_destroy(record);
    kal_run_destroy(run);
}

static void runs_of_others(void)
{
    KalRun *run = NULL;
    KalRecord *record = NULL;
    KalVerify *verify = NULL;
    KalStartReport report;
    ok(kal_run_create(ctx, rod, NULL, &run) == KAL_OK);
    ok(kal_run_start(run, &report) == KAL_OK);
    ok(kal_record_create(ctx, spring, NULL, 0, &record) == KAL_OK);
    ok(kal_verify_create(ctx, spring, &verify) == KAL_OK);
    refused(kal_record_take(record, run), "another system");
    refused(kal_record_finish(record, run), "another system");
    refused(kal_verify_take(verify, run), "another system");
    kal_verify_destroy(verify);
    kal_record_destroy(record);
    kal_run_destroy(run);
}

// A state on the rod begins as it is; one far from it is moved, and that is told.
static void starts_off_the_constraints_are_told(void)
{
    KalRun *run = NULL;
    const KalIncident *incidents = NULL;
    ok(kal_run_create(ctx, rod, NULL, &run) == KAL_OK);
    double *q = kal_instant_q(kal_run_instant(run));
    q[0] = 0.6;
    q[1] = -0.8;
    ok(kal_run_start_here(run) == KAL_OK);
    ok(kal_run_incidents(run, &incidents) == 0);
    q[0] = 3.0;
    q[1] = -4.0;
    ok(kal_run_start_here(run) == KAL_OK);
    ok(kal_run_incidents(run, &incidents) == 1);
    has_text(incidents[0].text, "does not satisfy the constraints");
    same_text(kal_incident_word(incidents[0].kind), "start");
    ok(!incidents[0].name);
    near(hypot(q[0], q[1]), 1.0, 1e-9);
    kal_run_destroy(run);
}

static void tables(void)
{
    KalTable *table = NULL;
    const double row[] = {1.0};
    KalTableWriteOptions options = kal_table_write_options();
    refused(kal_table_create(ctx, 0, NULL), "kal_table_create");
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){NULL, NULL, NULL}) == KAL_ERR_USAGE);
    ok(kal_table_add_column(table, (KalQuantity){"x", NULL, NULL}) == KAL_OK);
    ok(kal_table_add_row(table, row) == KAL_OK);
    refused(kal_table_add_row(table, NULL), "kal_table_add_row");
    refused(kal_table_set_description(table, 0, NULL), "kal_table_set_description");
    refused(kal_table_set_description(table, 99, "a"), "kal_table_set_description");
    refused_mutely(kal_table_set_description(NULL, 0, "a"));
    refused(kal_table_set_text(table, NULL, "a"), "kal_table_set_text");
    refused(kal_table_set_text(table, "a", NULL), "kal_table_set_text");
    refused(kal_table_set_number(table, NULL, 1.0), "kal_table_set_number");
    same_text(kal_table_column(table, 1).name, "");
    ok(!kal_table_row(table, 1) && kal_table_row(table, 0)[0] == 1.0);
    same_text(kal_table_parameter(table, 0).quantity.name, "");
    same_text(kal_table_note(table, (size_t)-1).key, "");
    ok(kal_table_find_column(table, NULL) == 1);
    options.csv_units = (KalTableUnits)99;
    refused(kal_table_write(table, "/nowhere/x.csv", &options), "units");
    refused(kal_table_write(table, NULL, NULL), "kal_table_write");
    refused(kal_table_check_path(ctx, NULL), "kal_table_check_path");
    refused(kal_table_read(ctx, NULL, 0, &table), "kal_table_read");
    refused(kal_table_read(ctx, "a.csv", 0, NULL), "kal_table_read");
    ok(!kal_table_units_path(NULL, NULL, 0));
    kal_table_destroy(table);
    refused_mutely(kal_table_add_row(NULL, row));
    refused_mutely(kal_table_write(NULL, "a.csv", NULL));
    ok(kal_table_columns(NULL) == 0 && kal_table_rows(NULL) == 0);
    ok(kal_table_parameters(NULL) == 0 && kal_table_notes(NULL) == 0);
    ok(!kal_table_row(NULL, 0) && !kal_table_is_incomplete(NULL));
    kal_table_set_incomplete(NULL, true);
}

static void figures(void)
{
    KalTable *table = NULL;
    KalFigure *figure = NULL;
    KalFigureOptions options = kal_figure_options();
    const KalTerminal terminal = {.columns = 80};
    const double row[] = {1.0, 2.0};
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){"t", "", ""}) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){"x", "", ""}) == KAL_OK);
    ok(kal_table_add_row(table, row) == KAL_OK);
    refused(kal_figure_create(ctx, NULL, &options, &figure), "kal_figure_create");
    refused(kal_figure_create(ctx, table, NULL, &figure), "kal_figure_create");
    refused(kal_figure_create(ctx, table, &options, NULL), "kal_figure_create");
    options.theme = (KalFigureTheme)99;
    refused(kal_figure_create(ctx, table, &options, &figure), "theme");
    options = kal_figure_options();
    options.width = NAN;
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_ERR_USAGE);
    options = kal_figure_options();
    ok(kal_figure_create(ctx, table, &options, &figure) == KAL_OK);
    refused(kal_figure_add_panel(figure, NULL, 2), "kal_figure_add_panel");
    refused(kal_figure_add_panel(figure, NULL, 0), "kal_figure_add_panel");
    refused(kal_figure_add_panel(figure, no_text, 1), "kal_figure_add_panel");
    refused(kal_figure_add_usual_panels(figure, NULL), "kal_figure_add_usual_panels");
    refused(kal_figure_set_marks(figure, NULL), "kal_figure_set_marks");
    refused(kal_figure_write(figure, NULL), "kal_figure_write");
    refused(kal_figure_print(figure, NULL, sink), "kal_figure_print");
    refused(kal_figure_print(figure, &terminal, no_sink), "kal_figure_print");
    ok(kal_figure_curve(figure, 7).points == 0 && kal_figure_curves(NULL) == 0);
    kal_figure_destroy(figure);
    kal_table_destroy(table);
}

static void motions_and_problems(void)
{
    KalMotion *motion = NULL;
    KalMotionAnswer answer;
    KalProblem *problem = NULL;
    KalFormulation found;
    KalMotionOptions options = kal_motion_options();
    const KalMotionProblem empty = {.n = 1};
    options.formulation = (KalFormulation)99;
    ok(kal_motion_create(ctx, &options, 1, 0, &motion) != KAL_OK && !motion);
    ok(kal_motion_create(ctx, NULL, 0, 0, &motion) == KAL_ERR_SHAPE);
    ok(kal_motion_create(ctx, NULL, 1, -1, &motion) == KAL_ERR_SHAPE);
    refused(kal_motion_create(ctx, NULL, 1, 0, NULL), "kal_motion_create");
    ok(kal_motion_create(ctx, NULL, 1, 0, &motion) == KAL_OK);
    ok(kal_motion_solve(motion, &empty, &answer) == KAL_ERR_SHAPE);
    refused(kal_motion_solve(motion, NULL, &answer), "kal_motion_solve");
    refused(kal_motion_solve(motion, &empty, NULL), "kal_motion_solve");
    refused(kal_motion_impact(motion, NULL, NULL, &answer), "kal_motion_impact");
    refused_mutely(kal_motion_solve(NULL, &empty, &answer));
    ok(kal_motion_fault(NULL).count == 0);
    ok(!kal_formulation_find(NULL, &found) && !kal_formulation_find("default", NULL));
    same_text(kal_formulation_word((KalFormulation)99), "unknown");
    kal_motion_destroy(motion);
    refused(kal_problem_parse(ctx, NULL, "", 0, &problem), "kal_problem_parse");
    refused(kal_problem_parse(ctx, "a", NULL, 2, &problem), "kal_problem_parse");
    const char *text = "{\"M\": [[1]], \"Q\": [1]}";
    ok(kal_problem_parse(ctx, "a", text, strlen(text), &problem) == KAL_OK);
    kal_problem_set_formulation(problem, (KalFormulation)99);
    ok(kal_problem_formulation(problem) == KAL_FORMULATION_DEFAULT);
    kal_problem_write_json(problem, NULL, sink);
    kal_problem_write_text(problem, NULL, false, sink);
    kal_problem_write_error_json(NULL, NULL, NULL, sink);
    kal_problem_destroy(problem);
    ok(kal_problem_get(NULL).n == 0);
    kal_problem_set_formulation(NULL, KAL_FORMULATION_DEFAULT);
}

static void analyses(void)
{
    KalAnalysis *analysis = NULL;
    KalLinearization linearization;
    KalModes modes;
    KalEquilibria equilibria;
    KalLocus *locus = NULL;
    const KalLocusPoint *points = NULL;
    const KalCritical *criticals = NULL;
    const char *text = NULL;
    const KalEquilibriumOptions negative = {.starts = -5};
    refused(kal_analysis_create(ctx, NULL, NULL, &analysis), "kal_analysis_create");
    refused_mutely(kal_analysis_linearize(NULL, &linearization));
    refused_mutely(kal_analysis_modes(NULL, &modes));
    refused_mutely(kal_analysis_place(NULL, NULL, NULL));
    ok(!kal_analysis_instant(NULL));
    ok(kal_analysis_create(ctx, rod, NULL, &analysis) == KAL_OK);
    refused(kal_analysis_linearize(analysis, NULL), "kal_analysis_linearize");
    refused(kal_analysis_kinks(analysis, NULL), "kal_analysis_kinks");
    refused_mutely(kal_analysis_kinks(NULL, &text));
    refused(kal_analysis_modes(analysis, NULL), "kal_analysis_modes");
    const KalEquilibriumOptions nowhere = {.grid = no_text, .n_grid = 1};
    refused(kal_analysis_equilibria(analysis, NULL, &equilibria), "equilibria");
    refused(kal_analysis_equilibria(analysis, &nowhere, &equilibria), "equilibria");
    ok(kal_analysis_equilibria(analysis, &negative, &equilibria) == KAL_ERR_USAGE);
    ok(kal_analysis_go(analysis, 1) == KAL_ERR_USAGE);
    ok(kal_analysis_go(analysis, -1) == KAL_ERR_USAGE);
    kal_analysis_destroy(analysis);
    refused(kal_locus_create(ctx, NULL, NULL, NULL, &locus), "kal_locus_create");
    ok(kal_locus_points(NULL, &points) == 0
       && kal_locus_criticals(NULL, &criticals) == 0);
    same_text(kal_stability_word((KalStability)99), "unknown");
    same_text(kal_status_text((KalStatus)99), "unknown status");
}

static void showing(void)
{
    KalCheck *check = NULL;
    KalReport *report = NULL;
    KalStudio *studio = NULL;
    const KalShowOptions strange = {.format = (KalShowFormat)99};
    const KalShowOptions text = {.format = KAL_SHOW_TEXT};
    refused(kal_show_system(ctx, rod, &strange, sink), "kal_show_system");
    refused(kal_show_system(ctx, rod, NULL, sink), "kal_show_system");
    refused(kal_show_system(ctx, NULL, &text, sink), "kal_show_system");
    refused(kal_show_system(ctx, rod, &text, no_sink), "kal_show_system");
    refused(kal_show_reduced(ctx, rod, NULL, 1, &text, sink), "kal_show_reduced");
    refused(kal_check_create(ctx, NULL, &check), "kal_check_create");
    kal_show_check(NULL, &text, sink);
    kal_show_error_json(NULL, NULL, 0, sink);
    ok(!kal_check_is_consistent(NULL));
    same_text(kal_check_reason(NULL), "");
    refused(kal_report_create(ctx, NULL, &report), "kal_report_create");
    refused(kal_report_check_path(ctx, NULL), "kal_report_check_path");
    refused_mutely(kal_report_take(NULL, NULL));
    refused_mutely(kal_report_print(NULL, NULL, NULL, KAL_REPORT_DATA, sink));
    ok(!kal_report_table(NULL));
    refused(kal_studio_create(ctx, NULL, &studio), "kal_studio_create");
    refused_mutely(kal_studio_serve(NULL, NULL, NULL));
    same_text(kal_studio_address(NULL), "");
    kal_studio_destroy(NULL);
    refused(kal_lsp_serve(ctx, NULL), "kal_lsp_serve");
    ok(kal_verify_report(NULL).samples == 0 && !kal_record_table(NULL));
    kal_record_set_run(NULL, 1);
}

static void texts_and_files(void)
{
    double number = 0.0;
    KalFileId id;
    int descriptor = -1;
    ok(!kal_word_find_near(NULL, NULL, 0) && !kal_word_fits(NULL, "a"));
    ok(!kal_number_read(NULL, &number) && !kal_number_read("1", NULL));
    refused(kal_file_identify(ctx, NULL, &id), "kal_file_identify");
    refused(kal_file_open(ctx, NULL, NULL, &descriptor), "kal_file_open");
    ok(!kal_file_identify_open(0, NULL) && !kal_file_identify_open(-1, &id));
    ok(!kal_file_is_same(NULL, NULL));
}

TAP_RUN(TAP_CASE(the_stage_is_set), TAP_CASE(nothing_is_no_context),
        TAP_CASE(overrides_that_are_none), TAP_CASE(systems_and_instants),
        TAP_CASE(options_of_runs), TAP_CASE(runs_that_are_none),
        TAP_CASE(runs_before_their_start), TAP_CASE(runs_of_others),
        TAP_CASE(starts_off_the_constraints_are_told), TAP_CASE(tables),
        TAP_CASE(figures), TAP_CASE(motions_and_problems), TAP_CASE(analyses),
        TAP_CASE(showing), TAP_CASE(texts_and_files), TAP_CASE(the_stage_is_cleared))

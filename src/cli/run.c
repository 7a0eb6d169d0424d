// SPDX-License-Identifier: MIT

// run: simulate a model, show how it ended, and write what was recorded.
//
// A job goes through options, files, runs and results, in this order: a wrong option or
// a file that cannot be written is told before any time is spent.  A run that fails
// half way still leaves its table and report, marked as incomplete.  The runs of a
// family share one table, with a column that numbers them, and are shown together in
// the end.

#include "family.h"
#include "model.h"
#include "names.h"
#include "output.h"
#include "progress.h"
#include "wishes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_AT = KAL_MODEL_OPTION_COUNT,
    OPTION_FILE,
    OPTION_COLUMNS,
    OPTION_UNITS,
    OPTION_UNTIL,
    OPTION_TOLERANCE,
    OPTION_METHOD,
    OPTION_DRIFT,
    OPTION_FORM,
    OPTION_FAMILY,
    OPTION_VERIFY,
    OPTION_REPORT,
    OPTION_MAX_STEPS,
};

#define WORD(name, word, meaning)   word,
#define LISTED(name, word, meaning) word ", "

static const char *const forms[] = {KAL_RUN_FORM_LIST(WORD)};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_AT] = {"--at",        "VALUES",
                   "begin here, such as \"x=1, y'=2\"; others follow the constraints",    false},
    [OPTION_FILE] = {"-o",          "FILE",
                   "write a table: .csv, .h5, .mat, .json; - is CSV to stdout",           false},
    [OPTION_COLUMNS] = {"--columns",   "NAMES",
                   "more columns, such as \"x'', reaction(*), work(*)\"",                 false},
    [OPTION_UNITS] = {"--units",     "WHERE",
                   "units of a CSV: none, comment or, if not said, file",                 false},
    [OPTION_UNTIL] = {"--until",     "T",      "the last time",                              false},
    [OPTION_TOLERANCE] = {"--tolerance", "T",      "error of a step, for rtol and atol",
                   false                                                                       },
    [OPTION_METHOD] = {"--method",    "METHOD",
                   KAL_METHOD_LIST(LISTED) "by which it is integrated",                   false},
    [OPTION_DRIFT] = {"--drift",     "DRIFT",  "project, stabilize(k) or none",              false},
    [OPTION_FORM] = {"--form",      "FORM",   KAL_RUN_FORM_LIST(LISTED) "of the equations",
                   false                                                                       },
    [OPTION_FAMILY] = {"--family",    "STARTS",
                   "several runs, such as \"x' = -2, -1, 1, 2\"",                         false},
    [OPTION_VERIFY] = {"--verify",    NULL,
                   "compute the motion by a second way and compare",                      false},
    [OPTION_REPORT] = {"--report",    "FILE",
                   "write a page with plots and a moving picture: .html",                 false},
    [OPTION_MAX_STEPS] = {"--max-steps", "N",      "no more steps than this; 0: any number",
                   false                                                                       },
};

// A run on its way.
typedef struct Job {
    KalModelJob *model;
    KalRunOptions options;
    KalTableWriteOptions write;
    KalProgress progress;
    KalRun *run;
    KalVerify *verify; // NULL unless asked for
    double verify_seconds;
    KalRecord *record;
    KalReport *report;
    KalNameOption columns;
    KalFamily family; // no starts: one run, as the model says
    char *shown;      // what is to be printed in the end, of a family
    size_t shown_size;
    bool started; // the present run
    bool failed;  // and there is no other
    KalRunTimes times;
} Job;

static const char *option(const Job *job, int row)
{
    return job->model->arguments->options[row];
}

static bool read_form(Job *job)
{
    const char *text = option(job, OPTION_FORM);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!text || strcmp(text, forms[i]) == 0) {
            job->options.form = (KalRunForm)i;
            return true;
        }
    }
    kal_message_print("option '--form' takes " KAL_RUN_FORM_LIST(LISTED) "not '%s'",
                      text);
    return false;
}

static bool read_units(Job *job)
{
    static const char *const words[] = {"none", "comment", "file"};
    const char *text = option(job, OPTION_UNITS);
    const bool standard = kal_is_standard_output(option(job, OPTION_FILE));
    if (!text) {
        job->write.csv_units = standard ? KAL_TABLE_UNITS_NONE : KAL_TABLE_UNITS_FILE;
        return true;
    }
    if (standard && strcmp(text, "file") == 0) {
        kal_message_print("option '--units': standard output has no second file; it "
                          "takes none or comment");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, words[i]) == 0) {
            job->write.csv_units = (KalTableUnits)i;
            return true;
        }
    }
    kal_message_print("option '--units' takes none, comment or file, not '%s'", text);
    return false;
}

static bool read_columns(Job *job)
{
    assert(job->columns.count == 0);
    const char *text = option(job, OPTION_COLUMNS);
    if (!text) {
        return true;
    }
    if (!option(job, OPTION_FILE)) {
        kal_message_print("option '--columns' is for a table, which '-o' names");
        return false;
    }
    return kal_name_option_read("--columns", text, &job->columns);
}

// The table of a family says which run a row is of.
static bool read_family(Job *job)
{
    assert(job->family.n == 0);
    const char *text = option(job, OPTION_FAMILY);
    if (!text) {
        return true;
    }
    if (option(job, OPTION_REPORT)) {
        kal_message_print("option '--report' is for one run, not for a family");
        return false;
    }
    if (job->columns.count < KAL_NAME_OPTION_LIMIT) {
        job->columns.names[job->columns.count++] = "run";
    }
    return kal_family_init(&job->family, option(job, OPTION_AT), text);
}

static bool read_options(Job *job)
{
    const KalRunWishes wishes = {.until = option(job, OPTION_UNTIL),
                                 .tolerance = option(job, OPTION_TOLERANCE),
                                 .method = option(job, OPTION_METHOD),
                                 .drift = option(job, OPTION_DRIFT),
                                 .max_steps = option(job, OPTION_MAX_STEPS)};
    return kal_run_wishes_apply(&wishes, &job->options) && read_form(job)
           && kal_standard_output_is_free(option(job, OPTION_FILE), job->model->json)
           && read_units(job) && read_columns(job) && read_family(job);
}

// The time of recording is kept apart from that of integrating, which the statistics
// show.
static KalStatus record(Job *job)
{
    assert(job->record || job->report);
    const double began = kal_clock();
    KalStatus status = job->record ? kal_record_take(job->record, job->run) : KAL_OK;
    if (status == KAL_OK && job->report) {
        status = kal_report_take(job->report, job->run);
    }
    job->times.recording += kal_clock() - began;
    return status;
}

// The second opinion takes its own time, which is shown apart.
static KalStatus verify(Job *job)
{
    assert(job->verify);
    const double began = kal_clock();
    const KalStatus status = kal_verify_take(job->verify, job->run);
    job->verify_seconds += kal_clock() - began;
    return status;
}

// What happens with each sample.
static KalStatus take(void *user, KalRun *run)
{
    Job *job = (Job *)user;
    (void)run; // the job's
    KalStatus status = job->record || job->report ? record(job) : KAL_OK;
    return status == KAL_OK && job->verify ? verify(job) : status;
}

// A CSV has no place for marks, unless it has a second file: say which columns lack theirs.
static void warn_unmarked(const Job *job)
{
    char path[4096];
    char names[600] = "";
    size_t used = 0;
    const KalTable *table = kal_record_table(job->record);
    const char *file = option(job, OPTION_FILE);
    if (job->model->quiet || job->write.csv_units == KAL_TABLE_UNITS_FILE
        || (!kal_is_standard_output(file)
            && !kal_table_units_path(file, path, sizeof path))) {
        return;
    }
    for (size_t i = 0; i < kal_table_columns(table) && used < sizeof names; i++) {
        const KalQuantity column = kal_table_column(table, i);
        if (!kal_quantity_is_unique(column)) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     used > 0 ? ", " : "", column.name);
        }
    }
    if (used > 0) {
        kal_message_print(
            "warning: not unique, and not marked in %s: %s%s; with --units "
            "file, or in other formats, they are marked",
            kal_is_standard_output(file) ? "the table" : file, names,
            used < sizeof names ? "" : "…");
    }
}

// After the last run; a run that failed has written what there is.
static KalStatus write_table(Job *job)
{
    assert(!job->record || option(job, OPTION_FILE));
    if (!job->record) {
        return KAL_OK;
    }
    const double began = kal_clock();
    KalStatus status = kal_record_finish(job->record, job->run);
    if (status == KAL_OK) {
        status = kal_table_deliver(kal_record_table(job->record),
                                   option(job, OPTION_FILE), &job->write);
    }
    if (status == KAL_OK) {
        warn_unmarked(job);
    }
    job->times.writing = kal_clock() - began;
    return status;
}

static KalStatus write_report(Job *job, const char *failure)
{
    const KalReportFacts facts = {.seconds = job->times.total, .failure = failure};
    if (!job->report) {
        return KAL_OK;
    }
    const double began = kal_clock();
    const KalStatus status =
        kal_report_write(job->report, job->run, &facts, option(job, OPTION_REPORT));
    job->times.writing += kal_clock() - began;
    return status;
}

static KalExit fail(Job *job)
{
    const char *const *names = NULL;
    job->failed = true;
    const size_t count = job->run ? kal_run_fault(job->run, &names) : 0;
    const KalExit status = kal_model_job_fail(
        job->model, kal_context_message(job->model->ctx), names, (int)count);
    return kal_progress_is_interrupted() ? KAL_EXIT_INTERRUPTED : status;
}

// The run failed: what there is goes to the files, marked as incomplete.
static KalExit keep(Job *job)
{
    char why[4096];
    job->failed = true;
    (void)snprintf(why, sizeof why, "%s", kal_context_message(job->model->ctx));
    const char *const *names = NULL;
    const size_t count = kal_run_fault(job->run, &names);
    const bool late = (job->record || job->report) && job->started
                      && kal_run_time(job->run) > job->options.from
                      && record(job) != KAL_OK;
    (void)late; // the last state is worth a row, but need not have one
    const KalExit status = kal_model_job_fail(job->model, why, names, (int)count);
    if (write_table(job) != KAL_OK) {
        kal_message_print("%s", kal_context_message(job->model->ctx));
    }
    if (write_report(job, why) != KAL_OK) {
        kal_message_print("%s", kal_context_message(job->model->ctx));
    }
    return kal_progress_is_interrupted() ? KAL_EXIT_INTERRUPTED : status;
}

// Warnings of the run; where it is to be verified they are faults.
static KalExit warn(const Job *job)
{
    const char *const *texts = NULL;
    const size_t count = kal_run_warnings(job->run, &texts);
    for (size_t i = 0; i < count && (job->verify || !job->model->quiet); i++) {
        kal_message_print("%s%s", job->verify ? "" : "warning: ", texts[i]);
    }
    return job->verify && count > 0 ? KAL_EXIT_FAULT : KAL_EXIT_DONE;
}

// The second opinion has a say in the exit status.
static KalExit judge(const Job *job)
{
    assert(job->run);
    const KalVerifyReport report = job->verify ? kal_verify_report(job->verify)
                                               : (KalVerifyReport){.passed = true};
    const KalExit status = warn(job);
    if (report.passed) {
        return status;
    }
    if (report.time == 0.0 && report.ratio <= report.allowed) {
        kal_message_print("nothing could be verified: %s",
                          report.n_gaps > 0 ? report.gaps[0].reason
                                            : "the run took no time");
    } else {
        kal_message_print("a second computation disagrees, by %.2g times the expected "
                          "difference at t = %g%s",
                          report.ratio, report.at,
                          status == KAL_EXIT_DONE ? ": try a smaller --tolerance" : "");
    }
    return KAL_EXIT_FAULT;
}

// Keep text for the end; what does not fit into memory is missing there.
static void keep_text(void *user, const char *text, size_t length)
{
    assert(text || length == 0);
    Job *job = (Job *)user;
    char *more = realloc(job->shown, job->shown_size + length + 1);
    if (more) {
        memcpy(more + job->shown_size, text, length);
        job->shown = more;
        job->shown_size += length;
        more[job->shown_size] = '\0';
    }
}

// Results of one run; those of a family are shown together, after the last.
static KalExit show(Job *job, size_t member)
{
    assert(member < job->family.n || job->family.n == 0);
    const KalModelJob *model = job->model;
    const bool family = job->family.n > 0;
    const KalShowOptions how = {.format = model->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                                .color = !model->json && kal_wants_color(),
                                .verify = job->verify,
                                .verify_seconds = job->verify_seconds,
                                .table = kal_record_table(job->record)};
    const bool quiet = model->quiet && (job->record || job->report) && !model->json;
    if (quiet || kal_is_standard_output(option(job, OPTION_FILE))) {
        return judge(job);
    }
    const KalMember one = {.start = family ? job->family.starts[member] : NULL,
                           .index = member,
                           .count = job->family.n};
    const KalStatus status =
        family ? kal_show_member(job->run, &one, &job->times, &how,
                                 (KalSink){keep_text, job})
               : kal_show_run(job->run, &job->times, &how, kal_standard_output);
    return status == KAL_OK ? judge(job) : fail(job);
}

static KalStatus make_record(Job *job)
{
    assert(!job->record);
    const KalStatus status =
        kal_record_create(job->model->ctx, job->model->system, job->columns.names,
                          job->columns.count, &job->record);
    return status == KAL_OK ? kal_record_foresee(job->record, &job->options) : status;
}

static KalStatus make_report(Job *job)
{
    assert(!job->report);
    const KalStatus status =
        kal_report_create(job->model->ctx, job->model->system, &job->report);
    return status == KAL_OK ? kal_report_foresee(job->report, &job->options) : status;
}

// Whether what is written has files of its own.
static bool claim_files(const Job *job)
{
    const KalModelJob *model = job->model;
    const char *file = option(job, OPTION_FILE);
    const char *report = option(job, OPTION_REPORT);
    return (!file
            || kal_ledger_write_table(model->ledger, model->ctx, file, &job->write))
           && (!report
               || kal_ledger_write(model->ledger, model->ctx, "option '--report'",
                                   report));
}

// Make what records the run, after a look at where it is to go.
static KalStatus open_files(Job *job)
{
    KalContext *ctx = job->model->ctx;
    const char *file = option(job, OPTION_FILE);
    const char *report = option(job, OPTION_REPORT);
    const bool checked = file && !kal_is_standard_output(file);
    KalStatus status = checked ? kal_table_check_path(ctx, file) : KAL_OK;
    if (status == KAL_OK && report) {
        status = kal_report_check_path(ctx, report);
    }
    if (status == KAL_OK && file) {
        status = make_record(job);
    }
    if (status == KAL_OK && report) {
        status = make_report(job);
    }
    return status;
}

// One run, as the model says or from a start of the family.
static KalStatus simulate(Job *job, size_t member)
{
    assert(member < job->family.n || job->family.n == 0);
    KalContext *ctx = job->model->ctx;
    const KalSystem *system = job->model->system;
    const char *start =
        job->family.n > 0 ? job->family.starts[member] : option(job, OPTION_AT);
    KalStartReport report;
    const double began = kal_clock();
    kal_run_destroy(job->run);
    kal_verify_destroy(job->verify);
    job->run = NULL;
    job->verify = NULL;
    job->started = false;
    job->verify_seconds = 0.0;
    job->times.recording = 0.0;
    KalStatus status = kal_run_create(ctx, system, &job->options, &job->run);
    if (status == KAL_OK && option(job, OPTION_VERIFY)) {
        status = kal_verify_create(ctx, system, &job->verify);
    }
    if (status == KAL_OK) {
        KalStage stage;
        kal_stage_begin(&stage, ctx, "looking for a consistent start",
                        job->model->quiet);
        status = kal_run_start_from(job->run, start, &report);
        kal_stage_end(&stage, ctx);
    }
    if (status == KAL_OK) {
        job->started = true;
        job->times.starting = kal_clock() - began;
        kal_progress_heed(&job->progress, ctx);
        status = kal_run_sample(job->run, take, job);
        kal_context_set_watch(ctx, NULL, NULL);
    }
    (void)kal_progress_end(&job->progress);
    job->times.total = kal_clock() - began - job->verify_seconds;
    job->times.integrating =
        job->times.total - job->times.starting - job->times.recording;
    return status;
}

// A run with all that follows it; the table is written after the last.
static KalExit go_one(Job *job, size_t member, bool last)
{
    assert(!job->failed);
    if (job->record) {
        kal_record_set_run(job->record, (int)member + 1);
    }
    if (simulate(job, member) != KAL_OK) {
        return job->started || member > 0 ? keep(job) : fail(job);
    }
    const bool written =
        !last || (write_table(job) == KAL_OK && write_report(job, NULL) == KAL_OK);
    return written ? show(job, member) : fail(job);
}

// All runs; the exit status is that of the last that went wrong.
static KalExit go(Job *job)
{
    const size_t last = job->family.n > 0 ? job->family.n - 1 : 0;
    KalExit worst = KAL_EXIT_DONE;
    if (!claim_files(job)) {
        return kal_model_job_fail(job->model, job->model->ledger->message, NULL, 0);
    }
    if (open_files(job) != KAL_OK) {
        return fail(job);
    }
    for (size_t i = 0; i <= last && !job->failed; i++) {
        const KalExit status = go_one(job, i, i == last);
        worst = status == KAL_EXIT_DONE ? worst : status;
    }
    if (job->shown && !job->failed) {
        fputs(job->shown, stdout);
    }
    return worst;
}

// All that go() makes is destroyed here, whether it succeeded or not: each destroys
// nothing for NULL.
static KalExit run(KalModelJob *model)
{
    Job job = {
        .model = model,
        .options = kal_run_options(model->system),
        .times = {.reading = model->seconds[KAL_LOAD_READ],
                  .deriving = model->seconds[KAL_LOAD_DERIVE],
                  .compiling = model->seconds[KAL_LOAD_COMPILE]}
    };
    job.write = kal_table_write_options();
    KalExit status = KAL_EXIT_USAGE;
    if (read_options(&job)) {
        job.progress = kal_progress(&job.options, model->quiet);
        job.options.watch = kal_progress_watch;
        job.options.user = &job.progress;
        status = go(&job);
    }
    kal_report_destroy(job.report);
    kal_record_destroy(job.record);
    kal_verify_destroy(job.verify);
    kal_run_destroy(job.run);
    kal_name_option_clear(&job.columns);
    kal_family_clear(&job.family);
    free(job.shown);
    return status;
}

static KalExit run_run(const KalArguments *arguments)
{
    const bool stiff = kal_run_wishes_stiff(arguments->options[OPTION_METHOD])
                       || arguments->options[OPTION_VERIFY];
    return kal_model_job_simulate(arguments, stiff, run);
}

static void print_details(void)
{
    fputs(
        "\nSimulates the model as its 'simulate' says and shows where it ended.  It "
        "begins "
        "at the\nmodel's start; values of --at hold exactly, and others move onto the "
        "constraints.\nWith -o the samples go to a file: t, coordinates, velocities "
        "(x') and outputs, and\nwhat --columns asks for, with * for any text and ? for "
        "any character.  The units of\nout.csv are in out.units.csv.  With --report "
        "the "
        "run becomes a page for any browser,\nin one file.\n"
        "\nExamples:\n"
        "  kalaba run sleigh.kal\n"
        "  kalaba run sleigh.kal -o out.csv --columns \"*'', reaction(*)\"\n"
        "  kalaba run sleigh.kal --report sleigh.html\n"
        "  kalaba run sleigh.kal -p b=0.5 --until 100 --tolerance 1e-11 --json\n"
        "  kalaba run sleigh.kal --at \"theta'=3\" -o - | head\n"
        "  kalaba run sleigh.kal --verify\n"
        "  kalaba run sleigh.kal --family \"theta' = -2 .. 2 count 9\" -o phase.csv\n"
        "\nExit status: 0 done, 1 the model or its numbers are at fault (what was\n"
        "computed is in the files, marked as incomplete) or --verify disagrees, 2 "
        "wrong usage, 130 "
        "interrupted.\n",
        stdout);
}

const KalCommand kal_command_run = {
    .name = "run",
    .operands = "MODEL|-",
    .purpose = "motion in time: simulate a model, keep its constraints, record",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_run,
};

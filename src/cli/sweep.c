// SPDX-License-Identifier: MIT

// sweep: many runs of one model into a file.
//
// The options say what varies and what is kept; the library plans, runs and writes
// (kalaba/sweep.h).  Here are their reading, the line of progress, and what `--dry-run`
// tells: it does runs from everywhere for a second and scales up.

#include "model.h"
#include "names.h"
#include "output.h"
#include "progress.h"
#include "wishes.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_FILE = KAL_MODEL_OPTION_COUNT,
    OPTION_VARY,
    OPTION_RANDOM,
    OPTION_COUNT,
    OPTION_SEED,
    OPTION_DESIGN,
    OPTION_KEEP,
    OPTION_TRAJECTORIES,
    OPTION_COLUMNS,
    OPTION_UNTIL,
    OPTION_TOLERANCE,
    OPTION_METHOD,
    OPTION_DRIFT,
    OPTION_MAX_STEPS,
    OPTION_THREADS,
    OPTION_SHARD,
    OPTION_MERGE,
    OPTION_RESUME,
    OPTION_DRY_RUN,
    OPTION_REPORT,
    OPTION_RUN,
};

enum {
    PROBE_LANES = 8 // runs that a thread has under way
};

#define LISTED(name, word, meaning) word ", "

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_FILE] = {"-o",             "FILE",   "the table of runs: .csv, .h5 or .hdf5",   false},
    [OPTION_VARY] = {"--vary",         "VALUES",
                     "such as \"L = 0.1 .. 1 count 50\" or \"L = 1, 2, 5\"",                true },
    [OPTION_RANDOM] = {"--random",       "VALUES", "such as \"k = normal(100, 5)\"",          true },
    [OPTION_COUNT] = {"--count",        "N",      "random samples at each point",            false},
    [OPTION_SEED] = {"--seed",         "S",      "of random samples; 0",                    false},
    [OPTION_DESIGN] = {"--design",       "DESIGN",
                     KAL_SWEEP_DESIGN_LIST(LISTED) "of random samples",                     false},
    [OPTION_KEEP] = {"--keep",         "VALUES",
                     "such as \"final(x), max(x), when(event)\"; final(*)",                 false},
    [OPTION_TRAJECTORIES] = {"--trajectories", NULL,
                     "keep all samples of each run instead",                                false},
    [OPTION_COLUMNS] = {"--columns",      "NAMES",
                     "more columns of samples, such as \"x'', reaction(*)\"",               false},
    [OPTION_UNTIL] = {"--until",        "T",      "the last time",                           false},
    [OPTION_TOLERANCE] = {"--tolerance",    "T",      "error of a step, for rtol and atol",
                     false                                                                       },
    [OPTION_METHOD] = {"--method",       "METHOD",
                     KAL_METHOD_LIST(LISTED) "by which it is integrated",                   false},
    [OPTION_DRIFT] = {"--drift",        "DRIFT",  "project, stabilize(k) or none",           false},
    [OPTION_MAX_STEPS] = {"--max-steps",    "N",      "of a run; 0: any number",                 false},
    [OPTION_THREADS] = {"--threads",      "N",      "all cores unless said otherwise",         false},
    [OPTION_SHARD] = {"--shard",        "K/N",    "the runs K, K + N, K + 2 N, ... only",    false},
    [OPTION_MERGE] = {"--merge",        NULL,     "put the work of all shards together",     false},
    [OPTION_RESUME] = {"--resume",       NULL,     "go on with work that was interrupted",    false},
    [OPTION_DRY_RUN] = {"--dry-run",      NULL,     "tell how many runs, how large, how long",
                     false                                                                       },
    [OPTION_REPORT] = {"--report",       "FILE",   "a page of HTML that shows the runs",      false},
    [OPTION_RUN] = {"--run",          "K",      "do run K alone, for its own --report",    false},
};

// A sweep on its way.
typedef struct Job {
    KalModelJob *model;
    KalRunWishes wishes;
    const char *vary[KAL_REPEATS_LIMIT];
    const char *random[KAL_REPEATS_LIMIT];
    KalNameOption columns;
    KalSweepOptions plan;
    KalSweepFileOptions file;
    KalSweep *sweep;
    KalSweepReport *report;
    bool *not_unique; // for each of the kept values
    uint64_t run;     // that is done alone; 0: all are done
    char *command;
    char *told; // to readers of the report
    double began;
    double last; // when progress was shown
    bool terminal;
    bool drawn;
    uint64_t probed; // runs
    uint64_t rows;   // of the table that they would have
    uint64_t asked;  // runs that the probe has begun
    uint64_t place;  // of the last of them, counted from 0
    uint64_t stride; // to the next
} Job;

static const char *option(const Job *job, int row)
{
    return job->model->arguments->options[row];
}

// @{ Options

static bool read_design(Job *job)
{
    const char *text = option(job, OPTION_DESIGN);
    KalSweepDesign design = KAL_SWEEP_RANDOM;
    while (text && kal_sweep_design_word(design)
           && strcmp(text, kal_sweep_design_word(design)) != 0) {
        design = (KalSweepDesign)(design + 1);
    }
    if (!kal_sweep_design_word(design)) {
        kal_message_print(
            "option '--design' takes " KAL_SWEEP_DESIGN_LIST(LISTED) "not '%s'", text);
        return false;
    }
    job->plan.design = design;
    return true;
}

// K/N
static bool read_shard(Job *job)
{
    assert(job->model);
    const char *text = option(job, OPTION_SHARD);
    const char *slash = text ? strchr(text, '/') : NULL;
    char first[32];
    double k = 0.0;
    double n = 0.0;
    if (!text) {
        return true;
    }
    if (!slash || slash - text >= (long)sizeof first) {
        kal_message_print("option '--shard' takes K/N, such as 1/8, not '%s'", text);
        return false;
    }
    (void)snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
    if (!kal_option_whole("--shard", first, 1.0, &k)
        || !kal_option_whole("--shard", slash + 1, 1.0, &n)) {
        return false;
    }
    job->file.shard = (uint64_t)k;
    job->file.shards = (uint64_t)n;
    return true;
}

static bool read_numbers(Job *job)
{
    assert(job->file.threads == 0);
    double count = 0.0;
    double seed = 0.0;
    const char *lanes = getenv("KALABA_LANES"); // changes no digit
    double threads = 0.0;
    double run = 0.0;
    if (!kal_option_whole("--run", option(job, OPTION_RUN), 1.0, &run)
        || !kal_option_whole("--count", option(job, OPTION_COUNT), 1.0, &count)
        || !kal_option_whole("--seed", option(job, OPTION_SEED), 0.0, &seed)
        || !kal_option_whole("--threads", option(job, OPTION_THREADS), 1.0, &threads)) {
        return false;
    }
    job->run = (uint64_t)run;
    job->plan.count = (uint64_t)count;
    job->plan.seed = (uint64_t)seed;
    job->file.threads = threads > 1024.0 ? 1024 : (int)threads;
    job->file.alone = lanes && strcmp(lanes, "0") == 0;
    return true;
}

// What is kept: values, or samples.
static bool read_keeps(Job *job)
{
    assert(job->columns.count == 0);
    const char *columns = option(job, OPTION_COLUMNS);
    job->plan.keep = option(job, OPTION_KEEP);
    job->plan.trajectories = option(job, OPTION_TRAJECTORIES) != NULL;
    if (job->plan.trajectories && job->plan.keep) {
        kal_message_print("options '--keep' and '--trajectories' exclude each other: "
                          "a table has values of runs or their samples");
        return false;
    }
    if (columns && !job->plan.trajectories) {
        kal_message_print("option '--columns' is for samples, which '--trajectories' "
                          "keeps");
        return false;
    }
    if (columns && !kal_name_option_read("--columns", columns, &job->columns)) {
        return false;
    }
    job->plan.columns = job->columns.names;
    job->plan.n_columns = job->columns.count;
    return true;
}

// Which files go with what is to be done.
static bool check_files(const Job *job)
{
    const bool file = option(job, OPTION_FILE) != NULL;
    const bool report = option(job, OPTION_REPORT) != NULL;
    const char *fault = NULL;
    if (option(job, OPTION_RUN) && (file || !report)) {
        fault = "option '--run' takes '--report FILE', and no '-o'";
    } else if (!option(job, OPTION_RUN) && !file && !option(job, OPTION_DRY_RUN)) {
        fault = "a sweep needs a file for its table: '-o FILE'";
    } else if (report && option(job, OPTION_TRAJECTORIES)) {
        fault = "option '--report' is for values of runs, not for '--trajectories'";
    } else if (report && option(job, OPTION_SHARD)) {
        fault = "option '--report' goes with '--merge', not with a shard";
    }
    if (fault) {
        kal_message_print("%s", fault);
    }
    return !fault;
}

static bool read_options(Job *job)
{
    KalRunOptions trial = kal_run_options(job->model->system);
    const KalArguments *arguments = job->model->arguments;
    job->plan.n_vary = (size_t)kal_arguments_list(arguments, OPTION_VARY, job->vary);
    job->plan.n_random =
        (size_t)kal_arguments_list(arguments, OPTION_RANDOM, job->random);
    job->plan.vary = job->vary;
    job->plan.random = job->random;
    job->file.merge = option(job, OPTION_MERGE) != NULL;
    job->file.resume = option(job, OPTION_RESUME) != NULL;
    job->file.command = job->command;
    job->wishes = (KalRunWishes){.until = option(job, OPTION_UNTIL),
                                 .tolerance = option(job, OPTION_TOLERANCE),
                                 .method = option(job, OPTION_METHOD),
                                 .drift = option(job, OPTION_DRIFT),
                                 .max_steps = option(job, OPTION_MAX_STEPS)};
    return check_files(job) && read_keeps(job) && read_numbers(job) && read_design(job)
           && read_shard(job) && kal_run_wishes_apply(&job->wishes, &trial);
}

// Whether an option has a say in what rows hold, and not only in how they are made.
static bool is_noted(int row)
{
    return row == KAL_OPTION_OUTSIDE || (row >= OPTION_VARY && row <= OPTION_MAX_STEPS);
}

// A page is for others, to whom the folders of this machine mean nothing.
static const char *path_for_others(const char *path)
{
    return path && path[0] == '/' ? strrchr(path, '/') + 1 : path;
}

// The command as one might type it, for the file: what is the same for any number of
// threads, any shards and any interruption.  The caller frees it.
static char *print_command(const KalArguments *arguments, const char *model)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out, "kalaba sweep %s", model);
    for (int i = 0; i < (int)(sizeof options / sizeof options[0]); i++) {
        const char *value = arguments->options[i];
        if (value && is_noted(i) && !options[i].repeatable) {
            fprintf(out, *value ? " %s \"%s\"" : " %s", options[i].word, value);
        }
    }
    for (int i = 0; i < arguments->n_repeats; i++) {
        fprintf(out, " %s \"%s\"", options[arguments->repeat_rows[i]].word,
                arguments->repeats[i]);
    }
    (void)fclose(out);
    return text;
}

// @}
// @{ Callbacks of the sweep

static bool watch_run(void *user, const KalRun *run)
{
    (void)user;
    (void)run;
    return !kal_progress_is_interrupted();
}

static KalStatus take_row(void *user, const KalSweepRow *row)
{
    const Job *job = (const Job *)user;
    return job->report ? kal_sweep_report_take(job->report, row) : KAL_OK;
}

static void adjust(void *user, KalRunOptions *run)
{
    assert(user && run);
    const Job *job = (const Job *)user;
    (void)kal_run_wishes_apply(&job->wishes, run); // was tried before
    if (job->run > 0) {
        run->watch = watch_run;
    }
}

static KalStatus load(void *user, const KalOverride *overrides, size_t n,
                      KalSystem **out_system)
{
    const Job *job = (const Job *)user;
    return kal_model_job_load_with(job->model, overrides, n, out_system);
}

static bool watch(void *user)
{
    (void)user;
    return !kal_progress_is_interrupted();
}

// The time that is left is estimated from the runs of this call alone, not from those
// that a resumed file had before.
static void draw(const Job *job, const KalSweepProgress *p, double now)
{
    assert(p->before <= p->done && p->done <= p->runs);
    const double seconds = now - job->began;
    const double done = (double)(p->done - p->before);
    const double left = done > 0.0 ? seconds * (double)(p->runs - p->done) / done : 0.0;
    fprintf(stderr, "%s%llu of %llu runs  %.0f a second  %llu failed  %.0f s left%s",
            job->terminal ? "\r\x1b[K" : "kalaba: ", (unsigned long long)p->done,
            (unsigned long long)p->runs, seconds > 0.0 ? done / seconds : 0.0,
            (unsigned long long)p->failed, left, job->terminal ? "" : "\n");
    fflush(stderr);
}

// At a terminal ten times a second, in a log every minute.
static void tell(void *user, const KalSweepProgress *progress)
{
    Job *job = (Job *)user;
    const double now = kal_clock();
    if (!job->model->quiet && now - job->last > (job->terminal ? 0.1 : 60.0)) {
        job->last = now;
        job->drawn = job->terminal;
        draw(job, progress, now);
    }
}

// @}

static KalExit fail(const Job *job, KalStatus status)
{
    assert(status != KAL_OK);
    const KalExit shown = kal_model_job_fail_plain(job->model);
    return status == KAL_ERR_INTERRUPTED ? KAL_EXIT_INTERRUPTED
           : status == KAL_ERR_USAGE     ? KAL_EXIT_USAGE
                                         : shown;
}

static KalShowOptions how(const Job *job)
{
    return (KalShowOptions){.format = job->model->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                            .color = !job->model->json && kal_wants_color()};
}

// Runs that a probe takes at least, unless they take long: as many as are under way at a time,
// which end together.
static uint64_t least_probe(const Job *job)
{
    const int threads = job->file.threads;
    const long cores = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? PROBE_LANES * (uint64_t)cores : PROBE_LANES;
}

// A second of runs, or ten where they take long.
static KalStatus take_probe(void *user, const KalSweepRow *row)
{
    Job *job = (Job *)user;
    const double seconds = kal_clock() - job->began;
    job->probed++;
    job->rows += row->n_samples + !row->n_samples;
    return seconds > 10.0 || (seconds > 1.0 && job->probed >= least_probe(job))
               ? KAL_ERR_INTERRUPTED
               : KAL_OK;
}

// From everywhere: steps of a stride that has no part in common with their number meet each run
// once.
static bool next_probe(void *user, uint64_t *out_run)
{
    Job *job = (Job *)user;
    const uint64_t runs = kal_sweep_runs(job->sweep);
    if (job->asked == runs) {
        return false;
    }
    *out_run = job->place + 1;
    job->place = (job->place + job->stride) % runs;
    job->asked++;
    return true;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// By the golden section, which spreads any number of runs evenly.
static uint64_t find_stride(uint64_t runs)
{
    uint64_t stride = (uint64_t)(0.6180339887498949 * (double)runs) + 1;
    while (common_divisor(stride, runs) > 1) {
        stride++;
    }
    return stride;
}

// Runs from everywhere tell how long all will take and how large the table will be.
static KalExit tell_plan(Job *job)
{
    assert(job->sweep && job->probed == 0);
    const uint64_t runs = kal_sweep_runs(job->sweep);
    const char *file = option(job, OPTION_FILE);
    const char *ending = file ? strrchr(file, '.') : NULL;
    const bool csv = ending && strcmp(ending, ".csv") == 0;
    const double columns =
        1.0 + (double)(kal_sweep_inputs(job->sweep) + kal_sweep_kept(job->sweep));
    const KalSweepJob probe = {.threads = job->file.threads,
                               .alone = job->file.alone,
                               .next = next_probe,
                               .watch = watch,
                               .take = take_probe,
                               .user = job};
    job->stride = find_stride(runs);
    job->began = kal_clock();
    KalStatus status = kal_sweep_go(job->sweep, &probe);
    if (status != KAL_OK
        && (status != KAL_ERR_INTERRUPTED || kal_progress_is_interrupted())) {
        return fail(job, status);
    }
    const double scale = (double)runs / (double)(job->probed + !job->probed);
    const KalSweepFacts facts = {.seconds = (kal_clock() - job->began) * scale,
                                 .bytes = (double)job->rows * scale
                                          * (columns * (csv ? 20.0 : 8.0) + 4.0)};
    const KalShowOptions show = how(job);
    status = kal_show_sweep_plan(job->sweep, &facts, &show, kal_standard_output);
    return status == KAL_OK ? KAL_EXIT_DONE : fail(job, status);
}

// Whether mpirun, or another that speaks PMIx as Open MPI does, has started this process beside
// others.
static bool has_ranks(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK");
}

// Whether this is one of several processes, and not the first.
static bool is_helper(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMIX_RANK");
    return rank && strcmp(rank, "0") != 0;
}

// @{ One run

static KalStatus take_sample(void *user, KalRun *run)
{
    return kal_report_take((KalReport *)user, run);
}

// The report of a run, of which the last sample is missing if it failed.
static KalStatus write_run(const Job *job, KalRun *run, KalReport *report)
{
    const double began = kal_clock();
    const KalRunOptions made = kal_run_get_options(run);
    KalReportFacts facts = {.failure = NULL};
    char why[4096];
    KalStatus status = kal_report_foresee(report, &made);
    if (status != KAL_OK) {
        return status;
    }
    const KalStatus ended = kal_run_sample(run, take_sample, report);
    if (ended == KAL_ERR_INTERRUPTED) {
        return ended;
    }
    if (ended != KAL_OK) {
        (void)snprintf(why, sizeof why, "%s", kal_context_message(job->model->ctx));
        facts.failure = why;
    }
    facts.seconds = kal_clock() - began;
    status = kal_report_write(report, run, &facts, option(job, OPTION_REPORT));
    if (facts.failure && status == KAL_OK) {
        kal_message_print("run %llu failed: %s", (unsigned long long)job->run, why);
    }
    return status;
}

static KalExit report_run(const Job *job)
{
    KalContext *ctx = job->model->ctx;
    KalRun *run = NULL;
    KalReport *report = NULL;
    const KalSystem *system = NULL;
    KalStatus status = kal_report_check_path(ctx, option(job, OPTION_REPORT));
    if (status == KAL_OK) {
        status = kal_sweep_start(job->sweep, job->run, &run, &system);
    }
    if (status == KAL_OK) {
        status = kal_report_create(ctx, system, &report);
    }
    if (status == KAL_OK) {
        status = write_run(job, run, report);
    }
    kal_report_destroy(report);
    kal_run_destroy(run);
    return status == KAL_OK ? KAL_EXIT_DONE : fail(job, status);
}

// @}

// Claim the files of this command.
static bool claim_files(const Job *job)
{
    KalModelJob *model = job->model;
    const char *path = option(job, OPTION_FILE);
    const char *report = option(job, OPTION_REPORT);
    return is_helper()
           || ((!path
                || kal_ledger_write(model->ledger, model->ctx, "option '-o'", path))
               && (!report
                   || kal_ledger_write(model->ledger, model->ctx, "option '--report'",
                                       report)));
}

static KalStatus write_report(const Job *job)
{
    const KalSweepReportFacts facts = {
        .command = job->told, .table = path_for_others(option(job, OPTION_FILE))};
    return job->report
               ? kal_sweep_report_write(job->report, &facts, option(job, OPTION_REPORT))
               : KAL_OK;
}

static KalStatus make_report(Job *job)
{
    const char *path = option(job, OPTION_REPORT);
    if (!path || is_helper()) {
        return KAL_OK;
    }
    const KalStatus status = kal_report_check_path(job->model->ctx, path);
    return status == KAL_OK
               ? kal_sweep_report_create(job->model->ctx, job->sweep, &job->report)
               : status;
}

// An interrupted sweep keeps what it has: messages say how to go on with it.
static KalExit write_table(Job *job)
{
    assert(job->sweep && option(job, OPTION_FILE));
    KalModelJob *model = job->model;
    const char *path = option(job, OPTION_FILE);
    KalSweepSummary summary;
    job->file.ranks = has_ranks() && !job->file.merge;
    job->file.row = option(job, OPTION_REPORT) ? take_row : NULL;
    job->file.tell = tell;
    job->file.watch = watch;
    job->file.user = job;
    job->began = kal_clock();
    job->last = job->began;
    KalStatus status = make_report(job);
    job->not_unique = calloc(kal_sweep_kept(job->sweep) + 1, sizeof *job->not_unique);
    job->file.not_unique = job->not_unique;
    if (status == KAL_OK) {
        status = kal_sweep_write(job->sweep, path, &job->file, &summary);
    }
    if (status == KAL_OK) {
        status = write_report(job);
    }
    if (job->drawn) {
        fputs("\r\x1b[K", stderr);
    }
    if (is_helper()) {
        return KAL_EXIT_DONE; // rank 0 tells
    }
    if (status == KAL_ERR_INTERRUPTED && !model->json) {
        kal_message_print("interrupted: the same command with --resume goes on");
        return KAL_EXIT_INTERRUPTED;
    }
    if (status != KAL_OK) {
        return fail(job, status);
    }
    const KalSweepFacts facts = {.file = job->file.shards > 0 ? NULL : path,
                                 .seconds = kal_clock() - job->began,
                                 .not_unique = job->not_unique};
    const KalShowOptions show = how(job);
    if (!model->quiet || model->json) {
        status =
            kal_show_sweep(job->sweep, &summary, &facts, &show, kal_standard_output);
    }
    return status == KAL_OK ? KAL_EXIT_DONE : fail(job, status);
}

// An input has no other value besides.
static bool check_overrides(const Job *job)
{
    assert(job->sweep);
    const char *texts[KAL_REPEATS_LIMIT];
    const int n =
        kal_arguments_list(job->model->arguments, KAL_OPTION_PARAMETER, texts);
    for (size_t i = 0; i < kal_sweep_inputs(job->sweep); i++) {
        const char *name = kal_sweep_input(job->sweep, i).name;
        for (int k = 0; k < n; k++) {
            const size_t length = strcspn(texts[k], "= ");
            if (strlen(name) == length && strncmp(name, texts[k], length) == 0) {
                kal_message_print("'%s' is an input of the sweep: option '-p' cannot "
                                  "give it a value",
                                  name);
                return false;
            }
        }
    }
    return true;
}

static KalExit go(Job *job)
{
    assert(!job->sweep);
    if (is_helper() && (job->file.merge || option(job, OPTION_DRY_RUN))) {
        return KAL_EXIT_DONE; // work of one
    }
    const KalRunOptions any = kal_run_options(job->model->system);
    job->plan.adjust = adjust;
    job->plan.load = load;
    job->plan.user = job;
    (void)kal_progress(&any, job->model->quiet); // Ctrl-C interrupts
    const KalStatus status =
        kal_sweep_create(job->model->ctx, job->model->system, &job->plan, &job->sweep);
    if (status != KAL_OK) {
        return fail(job, status);
    }
    if (!check_overrides(job)) {
        return KAL_EXIT_USAGE;
    }
    if (option(job, OPTION_DRY_RUN)) {
        return tell_plan(job);
    }
    if (!claim_files(job)) {
        return kal_model_job_fail(job->model, job->model->ledger->message, NULL, 0);
    }
    return job->run > 0 ? report_run(job) : write_table(job);
}

static KalExit sweep(KalModelJob *model)
{
    assert(model->arguments->n_operands > 0);
    const char *path = model->arguments->operands[0];
    Job *job = calloc(1, sizeof *job);
    char *command = print_command(model->arguments, path);
    char *told = print_command(model->arguments, path_for_others(path));
    KalExit status = KAL_EXIT_FAULT;
    if (job && command && told) {
        *job = (Job){.model = model,
                     .command = command,
                     .told = told,
                     .terminal = isatty(STDERR_FILENO)};
        status = read_options(job) ? go(job) : KAL_EXIT_USAGE;
        kal_sweep_report_destroy(job->report);
        kal_sweep_destroy(job->sweep);
        free(job->not_unique);
        kal_name_option_clear(&job->columns);
    } else {
        kal_message_print("out of memory");
    }
    free(told);
    free(command);
    free(job);
    return status;
}

static KalExit run_sweep(const KalArguments *arguments)
{
    const bool stiff = kal_run_wishes_stiff(arguments->options[OPTION_METHOD]);
    const char *keep = arguments->options[OPTION_KEEP];
    // Samples are those of `run`, which follows works: their errors have a say in steps.
    const bool works = arguments->options[OPTION_TRAJECTORIES]
                       || arguments->options[OPTION_RUN]
                       || (keep && (strstr(keep, "work(") || strstr(keep, "power(")));
    return works ? kal_model_job_simulate(arguments, stiff, sweep)
                 : kal_model_job_repeat(arguments, stiff, sweep);
}

static void print_details(void)
{
    fputs(
        "\nRuns the model many times with other parameters and start values, and "
        "writes "
        "a\nrow for each run: run, inputs, values kept, status (\"ok\" or why it "
        "failed).  "
        "Several\n--vary make all combinations, the last one fastest; with --random "
        "each "
        "gets --count\nsamples.  Kept are final, max, min, mean, rms of any column and "
        "when(event), with *\nfor any text; with --trajectories each sample has a row. "
        " The same bits for any\nnumber of threads, interrupted or not.\n"
        "\nExamples:\n"
        "  kalaba sweep pendulum.kal -o L.csv --vary \"L = 0.1 .. 1 count 50\"\n"
        "  kalaba sweep sleigh.kal -o map.h5 --vary \"b = 0.1 .. 1 count 100\" \\\n"
        "    --vary \"theta' = -2 .. 2 count 100\" --keep \"final(x), max(u1)\"\n"
        "  kalaba sweep four_bar.kal -o mc.h5 --random \"a = normal(1, 0.01)\" \\\n"
        "    --count 10000 --design latin --seed 7 --keep \"max(reaction(*))\"\n"
        "  kalaba sweep pendulum.kal -o all.h5 --vary \"L = 1, 2\" --trajectories\n"
        "  kalaba sweep pendulum.kal -o L.csv --vary \"L = 1 .. 9\" --report L.html\n"
        "  kalaba sweep pendulum.kal --vary \"L = 1 .. 9\" --run 3 --report L-3.html\n"
        "  mpirun -n 64 kalaba sweep big.kal -o big.h5 --vary \"k = 1 .. 9\"\n"
        "  kalaba sweep big.kal -o big.h5 --vary \"k = 1 .. 9\" --shard 3/8\n"
        "  kalaba sweep big.kal -o big.h5 --vary \"k = 1 .. 9\" --merge\n"
        "\nExit status: 0 done, though runs may have failed; 1 the model or a file is "
        "at "
        "fault,\n2 wrong usage, 130 interrupted: --resume goes on.\n",
        stdout);
}

const KalCommand kal_command_sweep = {
    .name = "sweep",
    .operands = "MODEL|-",
    .purpose = "many runs: grids and random samples, on all cores",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_sweep,
};

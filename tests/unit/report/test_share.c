// SPDX-License-Identifier: MIT

// One system in eight threads at once, in every public call that takes one: each thread
// gets what a thread alone gets.  Under the thread sanitizer this also shows that no call
// writes where another one reads.

#include "folder.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <pthread.h>
#include <string.h>

enum {
    THREADS = 8
};

// A constraint of each level, a piece, an event, redundancy, a warning, plots, drawings.
static const char text[] =
    "model \"Shared\"\nparam m = 2, L = 1, c = 0.05, k = 2*m\n"
    "coord x, y, s\nkinetic 1/2*m*(x'^2 + y'^2) + 1/2*k*s'^2\npotential 9.81*m*y\n"
    "dissipation 1/2*c*(x'^2 + y'^2)\nforce s = -0.3*max(s, 0)\n"
    "constraint rod: x^2 + y^2 = L^2\nconstraint twice: 2*x^2 + 2*y^2 = 2*L^2\n"
    "constraint roll: s' = 1/2*x'\ninit x = 0.6, y ~ -0.8, s' ~ 0\n"
    "event low: x falling set s = 0.9*s\n"
    "output pull = reaction(rod)\noutput along = x*y' - y*x'\n"
    "plot x, pull\nplot y against x\ndraw line [0, 0] -> [x, y]\n"
    "simulate 0 .. 1 every 0.125\n";

// What a thread saw, as a hash.
typedef struct Seen {
    uint64_t bits;
    size_t calls; // that did what they should
} Seen;

typedef struct Job {
    const KalSystem *system;
    const char *path; // of a report
    KalContext *ctx;
    Seen seen;
} Job;

static void add_bytes(Seen *seen, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        seen->bits = (seen->bits ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static void see(void *user, const char *shown, size_t length)
{
    add_bytes(user, shown, length);
}

static KalSink sink_of(Job *job)
{
    return (KalSink){.write = see, .user = &job->seen};
}

static bool done(Job *job, KalStatus status)
{
    job->seen.calls += status == KAL_OK;
    return status == KAL_OK;
}

static void look(Job *job)
{
    const KalSystem *system = job->system;
    const int n = kal_system_coordinates(system);
    const int m = kal_system_constraints(system);
    see(&job->seen, kal_system_title(system), strlen(kal_system_title(system)));
    for (int i = 0; i < n; i++) {
        const char *name = kal_system_coordinate_names(system)[i];
        see(&job->seen, name, strlen(name));
    }
    for (int i = 0; i < m; i++) {
        const char *name = kal_system_constraint_names(system)[i];
        see(&job->seen, name, strlen(name));
    }
    for (int i = 0; i < kal_system_outputs(system); i++) {
        const char *name = kal_system_output_names(system)[i];
        see(&job->seen, name, strlen(name));
    }
    for (int i = 0; i < kal_system_parameters(system); i++) {
        const KalParameterInfo p = kal_system_parameter(system, i);
        see(&job->seen, p.name, strlen(p.name));
        add_bytes(&job->seen, &p.value, sizeof p.value);
    }
    job->seen.calls += kal_system_write_warnings(system, sink_of(job));
}

static void solve(Job *job)
{
    KalInstant *instant = NULL;
    KalStartReport report;
    KalMotionAnswer answer;
    KalMisfit misfit;
    const KalShowOptions show = {.format = KAL_SHOW_JSON};
    if (done(job, kal_instant_create(job->ctx, job->system, &instant))
        && done(job, kal_instant_set(instant, "x = L/2, y' = 1", NULL))
        && done(job, kal_instant_start(instant, &report))
        && done(job, kal_instant_misfit(instant, &misfit))
        && done(job, kal_instant_solve(instant, &answer))) {
        (void)done(job, kal_show_instant(instant, &answer, &show, sink_of(job)));
    }
    kal_instant_destroy(instant);
}

static void show(Job *job)
{
    static const KalSpeedChoice speed = {.name = "v", .output = "along"};
    for (int format = KAL_SHOW_TEXT; format <= KAL_SHOW_HTML; format++) {
        const KalShowOptions options = {.format = (KalShowFormat)format,
                                        .closed_form = format != KAL_SHOW_HTML};
        (void)done(job, kal_show_system(job->ctx, job->system, &options, sink_of(job)));
        (void)done(job, kal_show_reduced(job->ctx, job->system, &speed, 1, &options,
                                         sink_of(job)));
    }
    // a failure is told where it happened
    const KalSpeedChoice wrong = {.name = "m", .output = "along"};
    const KalShowOptions options = {.format = KAL_SHOW_TEXT};
    job->seen.calls +=
        kal_show_reduced(job->ctx, job->system, &wrong, 1, &options, sink_of(job))
        == KAL_ERR_USAGE;
    see(&job->seen, kal_context_message(job->ctx),
        strlen(kal_context_message(job->ctx)));
}

static void check(Job *job)
{
    KalCheck *check = NULL;
    const KalShowOptions options = {.format = KAL_SHOW_TEXT};
    if (done(job, kal_check_create(job->ctx, job->system, &check))) {
        kal_show_check(check, &options, sink_of(job));
    }
    kal_check_destroy(check);
}

static void analyze(Job *job)
{
    KalAnalysis *analysis = NULL;
    KalLinearization linear;
    KalModes modes;
    KalEquilibria found;
    const char *kinks = NULL;
    const KalEquilibriumOptions search = {.starts = 3, .seed = 1};
    const KalShowOptions options = {.format = KAL_SHOW_JSON};
    if (done(job, kal_analysis_create(job->ctx, job->system, "m, L", &analysis))
        && done(job, kal_analysis_place(analysis, "x = 0, y = -1, s = -1", NULL))
        && done(job, kal_analysis_linearize(analysis, &linear))
        && done(job, kal_show_linearization(analysis, &linear, &options, sink_of(job)))
        && done(job, kal_analysis_modes(analysis, &modes))
        && done(job, kal_show_modes(analysis, &modes, &options, sink_of(job)))
        && done(job, kal_analysis_kinks(analysis, &kinks))
        && done(job, kal_analysis_equilibria(analysis, &search, &found))) {
        (void)done(job, kal_show_equilibria(analysis, &found, &options, sink_of(job)));
    }
    kal_analysis_destroy(analysis);
}

// A run with all that watches one.
typedef struct Watched {
    KalRun *run;
    KalRecord *record;
    KalVerify *verify;
    KalReport *report;
} Watched;

static bool start(Job *job, Watched *w, KalMethod method)
{
    static const char *const columns[] = {"reaction(*)", "energy()"};
    static const KalSetting heavy = {"m", 2.5};
    KalStartReport report;
    KalRunOptions options = kal_run_options(job->system);
    options.method = method;
    return done(job, kal_run_create(job->ctx, job->system, &options, &w->run))
           && done(job,
                   kal_record_create(job->ctx, job->system, columns, 2, &w->record))
           && done(job, kal_verify_create(job->ctx, job->system, &w->verify))
           && done(job, kal_report_create(job->ctx, job->system, &w->report))
           && done(job, kal_run_set_parameters(w->run, &heavy, 1))
           && done(job, kal_run_start(w->run, &report));
}

static bool take(Job *job, Watched *w)
{
    return done(job, kal_record_take(w->record, w->run))
           && done(job, kal_verify_take(w->verify, w->run))
           && done(job, kal_report_take(w->report, w->run));
}

static void finish(Job *job, Watched *w)
{
    const KalReportFacts facts = {.seconds = 1.0};
    const KalTable *table = kal_record_table(w->record);
    (void)done(job, kal_record_finish(w->record, w->run));
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        add_bytes(&job->seen, kal_table_row(table, i),
                  kal_table_columns(table) * sizeof(double));
    }
    job->seen.calls += kal_verify_report(w->verify).passed;
    // without its web parts the library refuses to write one
    const KalStatus written = kal_report_write(w->report, w->run, &facts, job->path);
    job->seen.calls += written == KAL_OK || written == KAL_ERR_USAGE;
}

static void run(Job *job, KalMethod method)
{
    Watched w = {.run = NULL};
    bool goes = start(job, &w, method) && take(job, &w);
    for (int k = 1; goes && !kal_run_is_over(w.run); k++) {
        goes = done(job, kal_run_advance(w.run, 0.125 * k)) && take(job, &w);
    }
    if (goes) {
        finish(job, &w);
    }
    kal_report_destroy(w.report);
    kal_verify_destroy(w.verify);
    kal_record_destroy(w.record);
    kal_run_destroy(w.run);
}

static void *work(void *user)
{
    Job *job = user;
    if (kal_context_create(NULL, NULL, &job->ctx) == KAL_OK) {
        look(job);
        solve(job);
        show(job);
        check(job);
        analyze(job);
        run(job, KAL_METHOD_DOP853);
        run(job, KAL_METHOD_BDF);
    }
    kal_context_destroy(job->ctx);
    return NULL;
}

static void compare(const KalSystem *system, Folder *folder)
{
    static const char *const names[THREADS] = {"0.html", "1.html", "2.html", "3.html",
                                               "4.html", "5.html", "6.html", "7.html"};
    pthread_t threads[THREADS];
    bool started[THREADS];
    Job jobs[THREADS];
    char paths[THREADS][2 * FOLDER_SIZE];
    Job alone = {.system = system, .path = folder_file(folder, "alone.html")};
    work(&alone);
    ok(alone.seen.calls > 90);
    printf("# %zu calls\n", alone.seen.calls);
    for (int i = 0; i < THREADS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s", folder_file(folder, names[i]));
        jobs[i] = (Job){.system = system, .path = paths[i]};
        started[i] = ok(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ok(started[i] && pthread_join(threads[i], NULL) == 0);
        ok(jobs[i].seen.calls == alone.seen.calls);
        ok(jobs[i].seen.bits == alone.seen.bits);
    }
}

static void threads_share_a_system_in_every_call(void)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    Folder folder;
    const KalLoadOptions options = {.stiff = true, .balance = true};
    if (ok(folder_open(&folder)) && ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK)
        && ok(kal_system_load(ctx, "shared.kal", text, strlen(text), &options, &system)
              == KAL_OK)) {
        const size_t bytes = kal_context_bytes(ctx);
        const size_t allocations = kal_context_allocations(ctx);
        compare(system, &folder);
        ok(kal_context_bytes(ctx) == bytes); // the system has not changed
        ok(kal_context_allocations(ctx) == allocations);
    }
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(threads_share_a_system_in_every_call))

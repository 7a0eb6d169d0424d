// SPDX-License-Identifier: MIT

// All runs of a sweep: threads, shards, failures, structures, memory.

#include "sweep_lab.h"

#include <math.h>

// A pendulum in Cartesian coordinates; a long one falls from the side, events end some runs
// early, and for e < 0 the root has no value when x becomes small.
static const char pendulum[] = "param L = 1, e = 1, g = 9.81\n"
                               "coord x, y\n"
                               "kinetic 1/2*(x'^2 + y'^2)\n"
                               "potential g*y + 1e-9*sqrt(e + x + 1)\n"
                               "constraint rod: x^2 + y^2 = L^2\n"
                               "init x = L, y = 0\n"
                               "event low: x falling stop\n"
                               "simulate 0 .. 1 every 0.1, rtol = 1e-6\n";

static const char *const lengths[] = {"L = 0.5 .. 2 count 20", "e = -1.9, 0, 3"};
static const char *const gravity[] = {"g = uniform(9, 10)"};

static const KalSweepOptions wide = {.vary = lengths,
                                     .n_vary = 2,
                                     .random = gravity,
                                     .n_random = 1,
                                     .count = 3,
                                     .keep = "final(*), max(reaction(rod)), when(low)"};

static bool is_same(const LabRow *a, const LabRow *b)
{
    return a->status == b->status && strcmp(a->reason, b->reason) == 0
           && memcmp(a->inputs, b->inputs, sizeof a->inputs) == 0
           && memcmp(a->values, b->values, sizeof a->values) == 0;
}

// Long enough for lanes to take all stages of a step by one program; time, parameters, sines and
// an inertia that changes have a part in it.
static const char driven[] = "param L = 1, w = 2\n"
                             "coord x, y, a\n"
                             "kinetic 1/2*(x'^2 + y'^2) + 1/2*(1 + L*cos(a)^2)*a'^2\n"
                             "potential 9.81*y - x*sin(w*t) + 0.1*a*x\n"
                             "constraint rod: x^2 + y^2 = L^2\n"
                             "constraint turn: a' = y*x'\n"
                             "init x = L, y = 0\n"
                             "simulate 0 .. 20 every 20, rtol = 1e-6\n";

static const char *const speeds[] = {"L = 0.5 .. 2 count 10", "w = 1 .. 3 count 4"};

static bool open_wide(SweepLab *lab)
{
    return ok(sweep_lab_open(lab, pendulum, -1) == KAL_OK
              && sweep_lab_plan(lab, wide) == KAL_OK);
}

// Threads, shards and the order of runs make no difference, to any bit.
static void rows_depend_on_their_numbers_alone(void)
{
    static LabRow alone[LAB_ROWS];
    SweepLab lab;
    int failed = 0;
    if (!open_wide(&lab)) {
        return;
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    memcpy(alone, lab.rows, sizeof alone);
    ok(kal_sweep_runs(lab.sweep) == 180);
    for (int threads = 2; threads <= 8; threads *= 2) {
        ok(sweep_lab_go(&lab, (KalSweepJob){.threads = threads}) == KAL_OK);
        for (int i = 0; i < 180; i++) {
            ok(lab.rows[i].times == 1 && is_same(&lab.rows[i], &alone[i]));
        }
    }
    for (uint64_t shard = 1; shard <= 7; shard++) {
        ok(sweep_lab_go(&lab, (KalSweepJob){.shard = shard, .shards = 7}) == KAL_OK);
        for (uint64_t i = 0; i < 180; i++) {
            const bool own = i % 7 == shard - 1;
            ok(own ? is_same(&lab.rows[i], &alone[i]) : lab.rows[i].times == 0);
        }
    }
    for (int i = 0; i < 180; i++) {
        failed += alone[i].status != KAL_OK;
    }
    ok(failed > 20 && failed < 100);
    sweep_lab_close(&lab);
}

// Nor do lanes, in which attempts at steps become programs on the way.
static void lanes_change_no_bit(void)
{
    static LabRow alone[LAB_ROWS];
    const KalSweepOptions options = {.vary = speeds, .n_vary = 2, .keep = "final(*)"};
    SweepLab lab;
    if (!ok(sweep_lab_open(&lab, driven, -1) == KAL_OK
            && sweep_lab_plan(&lab, options) == KAL_OK)) {
        return;
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1, .alone = true}) == KAL_OK);
    memcpy(alone, lab.rows, sizeof alone);
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    for (int i = 0; i < 40; i++) {
        ok(alone[i].status == KAL_OK && is_same(&lab.rows[i], &alone[i]));
    }
    sweep_lab_close(&lab);
}

// A run after any others is what a run alone is.
static void rows_are_what_runs_are(void)
{
    SweepLab lab;
    if (!open_wide(&lab)) {
        return;
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    for (int i = 0; i < 180; i++) {
        const LabRow *row = &lab.rows[i];
        const KalSetting settings[] = {
            {"L", row->inputs[0]},
            {"e", row->inputs[1]},
            {"g", row->inputs[2]}
        };
        KalRun *run = NULL;
        KalStartReport report;
        ok(kal_run_create(lab.ctx, lab.system, NULL, &run) == KAL_OK);
        KalStatus status = kal_run_set_parameters(run, settings, 3);
        status = status == KAL_OK ? kal_run_start(run, &report) : status;
        status = status == KAL_OK ? kal_run_advance(run, 1.0) : status;
        ok(status == row->status);
        const double *q = kal_instant_q(kal_run_instant(run));
        ok(status == KAL_OK ? memcmp(q, row->values + 1, 4 * sizeof(double)) == 0
                            : strlen(row->reason) > 10);
        ok(status != KAL_OK || row->values[0] == kal_run_time(run));
        kal_run_destroy(run);
    }
    sweep_lab_close(&lab);
}

static void a_failed_run_has_a_reason_and_no_values(void)
{
    SweepLab lab;
    if (!open_wide(&lab)) {
        return;
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 2}) == KAL_OK);
    for (int i = 0; i < 180; i++) {
        const LabRow *row = &lab.rows[i];
        const bool fine = row->status == KAL_OK;
        ok(fine == (strcmp(row->reason, "ok") == 0));
        for (int k = 0; k < 6; k++) {
            ok(isnan(row->values[k]) == !fine);
        }
    }
    sweep_lab_close(&lab);
}

// Rows of a sweep of chains of n links: three of them are closed forms.
static void check_chains(const SweepLab *lab)
{
    for (int run = 0; run < 16; run++) {
        const LabRow *row = &lab->rows[run];
        const int n = run / 2 % 4;
        ok((row->status == KAL_OK) == (n >= 2));
        for (size_t i = 0; i < 3 && n >= 2; i++) {
            const char *name = kal_sweep_value(lab->sweep, i).name;
            const int index = name[8] - '0';
            const double w = sqrt(row->inputs[0]) * index;
            const double start = index == 2 ? row->inputs[2] : 1.0;
            ok(index <= n || isnan(row->values[i]));
            if (index <= n) {
                near(row->values[i], start * cos(w), 1e-7);
            }
        }
    }
}

// Runs of different structures meet in the lanes of one thread.
static void structures_are_built_for_each_value(void)
{
    static const char chain[] = "param n = 1, k = 1\n"
                                "coord x[n]\n"
                                "kinetic sum(i in 1..n : 1/2*x[i]'^2)\n"
                                "potential sum(i in 1..n : 1/2*k*i^2*x[i]^2)\n"
                                "for i in 1..n { init x[i] = 1 }\n"
                                "simulate 0 .. 1 every 1\n";
    static const char *const vary[] = {"k = 1, 4", "n = 0 .. 3", "x[2] = 1, 2"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, chain, -1) == KAL_OK);
    ok(sweep_lab_plan(&lab, (KalSweepOptions){.vary = vary, .n_vary = 3})
       == KAL_ERR_USAGE); // n is 1: there is no x[2] in the model as it is
    sweep_lab_close(&lab);
    char text[sizeof chain];
    memcpy(text, chain, sizeof chain);
    text[10] = '2'; // param n = 2
    ok(sweep_lab_open(&lab, text, -1) == KAL_OK);
    ok(sweep_lab_plan(
           &lab, (KalSweepOptions){.vary = vary, .n_vary = 3, .keep = "final(x[*])"})
       == KAL_OK);
    ok(kal_sweep_runs(lab.sweep) == 16 && kal_sweep_kept(lab.sweep) == 3);
    for (int threads = 1; threads <= 2; threads++) {
        ok(sweep_lab_go(&lab, (KalSweepJob){.threads = threads}) == KAL_OK);
        check_chains(&lab);
    }
    sweep_lab_close(&lab);
}

// Where `simulate` depends on an input each run has its own end.
static void times_may_be_inputs(void)
{
    static const char text[] = "param T = 1, v = 1\ncoord x\nkinetic 1/2*x'^2\n"
                               "init x' = v\nsimulate 0 .. T*v every 1\n";
    static const char *const vary[] = {"T = 1, 3, 2, 1", "v = 1, 2"};
    SweepLab lab;
    ok(sweep_lab_open(&lab, text, -1) == KAL_OK);
    ok(sweep_lab_plan(
           &lab,
           (KalSweepOptions){.vary = vary, .n_vary = 2, .keep = "final(t), final(x)"})
       == KAL_OK);
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    for (int i = 0; i < 8; i++) {
        const double *in = lab.rows[i].inputs;
        near(lab.rows[i].values[0], in[0] * in[1], 1e-14);
        near(lab.rows[i].values[1], in[0] * in[1] * in[1], 1e-9);
    }
    sweep_lab_close(&lab);
}

static void shorten(void *user, KalRunOptions *options)
{
    (void)user;
    options->until = 0.25;
}

static void options_can_be_adjusted(void)
{
    SweepLab lab;
    KalSweepOptions options = wide;
    options.adjust = shorten;
    ok(sweep_lab_open(&lab, pendulum, -1) == KAL_OK);
    ok(sweep_lab_plan(&lab, options) == KAL_OK);
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    ok(lab.rows[2 * 3].status == KAL_OK);
    near(lab.rows[2 * 3].values[0], 0.25, 1e-14);
    sweep_lab_close(&lab);
}

static KalStatus take_three(void *user, const KalSweepRow *row)
{
    int *left = (int *)user;
    (void)row;
    return (*left)-- > 0 ? KAL_OK : KAL_ERR_LIMIT;
}

static bool watch_never(void *user)
{
    (void)user;
    return false;
}

static bool skip_odd(void *user, uint64_t run)
{
    (void)user;
    return run % 2 == 1;
}

static void a_sweep_can_be_ended(void)
{
    SweepLab lab;
    if (!open_wide(&lab)) {
        return;
    }
    for (int threads = 1; threads <= 4; threads++) {
        int left = 3;
        const KalSweepJob job = {.threads = threads, .take = take_three, .user = &left};
        ok(kal_sweep_go(lab.sweep, &job) == KAL_ERR_LIMIT && left == -1);
        ok(sweep_lab_go(&lab, (KalSweepJob){.threads = threads, .watch = watch_never})
           == KAL_ERR_INTERRUPTED);
        ok(lab.rows[170].times == 0);
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 2, .skip = skip_odd}) == KAL_OK);
    for (int i = 0; i < 180; i++) {
        ok(lab.rows[i].times == i % 2);
    }
    sweep_lab_close(&lab);
}

// Runs that there are none of: 0, and one far beyond the last, by turns.
static bool beyond_the_last(void *user, uint64_t *out_run)
{
    static uint64_t runs;
    (void)user;
    *out_run = runs;
    runs = runs == 0 ? UINT64_MAX : 0;
    return true;
}

static void wrong_use_is_refused(void)
{
    SweepLab lab;
    if (!open_wide(&lab)) {
        return;
    }
    KalSweep *sweep = NULL;
    ok(kal_sweep_create(lab.ctx, NULL, &wide, &sweep) == KAL_ERR_USAGE);
    ok(kal_sweep_create(lab.ctx, lab.system, NULL, &sweep) == KAL_ERR_USAGE);
    ok(kal_sweep_create(lab.ctx, lab.system, &wide, NULL) == KAL_ERR_USAGE);
    ok(kal_sweep_create(lab.ctx, lab.system, &(KalSweepOptions){.n_vary = 1}, &sweep)
       == KAL_ERR_USAGE);
    ok(kal_sweep_create(lab.ctx, lab.system,
                        &(KalSweepOptions){.design = (KalSweepDesign)9}, &sweep)
       == KAL_ERR_USAGE);
    ok(kal_sweep_go(NULL, NULL) == KAL_ERR_USAGE);
    ok(kal_sweep_go(lab.sweep, &(KalSweepJob){.threads = 1}) == KAL_ERR_USAGE);
    ok(sweep_lab_go(&lab, (KalSweepJob){.shard = 3, .shards = 2}) == KAL_ERR_USAGE);
    ok(sweep_lab_go(&lab, (KalSweepJob){.shards = 2}) == KAL_ERR_USAGE);
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = -1}) == KAL_ERR_USAGE);
    ok(sweep_lab_go(&lab, (KalSweepJob){.next = beyond_the_last}) == KAL_ERR_USAGE);
    ok(sweep_lab_go(&lab, (KalSweepJob){.next = beyond_the_last}) == KAL_ERR_USAGE);
    ok(kal_sweep_runs(NULL) == 0 && kal_sweep_inputs(NULL) == 0
       && kal_sweep_kept(NULL) == 0 && !kal_sweep_design_word((KalSweepDesign)9));
    ok(kal_sweep_value(lab.sweep, 99).name[0] == '\0'
       && kal_sweep_input(lab.sweep, 99).name[0] == '\0');
    kal_sweep_destroy(NULL);
    sweep_lab_close(&lab);
}

// Whichever allocation fails, the call says so, and nothing leaks.
static void every_allocation_may_fail(void)
{
    static const char text[] = "param n = 1\ncoord x[n]\n"
                               "kinetic sum(i in 1..n : 1/2*x[i]'^2)\n"
                               "simulate 0 .. 1 every 1\n";
    static const char *const vary[] = {"n = 1, 2", "x[1]' = 1, 2"};
    static const char *const random[] = {"x[1] = uniform(0, 1)"};
    const KalSweepOptions options = {.vary = vary,
                                     .n_vary = 2,
                                     .random = random,
                                     .n_random = 1,
                                     .count = 1,
                                     .keep = "max(x[1]), final(*)"};
    KalStatus status = KAL_ERR_NOMEM;
    long n = 0;
    for (; status == KAL_ERR_NOMEM && n < 20000; n += 1 + n / 100) {
        SweepLab lab;
        status = sweep_lab_open(&lab, text, n);
        status = status == KAL_OK ? sweep_lab_plan(&lab, options) : status;
        status =
            status == KAL_OK ? sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) : status;
        sweep_lab_close(&lab);
    }
    ok(status == KAL_OK && n > 100);
}

// One run, made by itself, has the inputs and comes to the end of its row.
static void one_run_can_be_had(void)
{
    SweepLab lab;
    KalRun *run = NULL;
    const KalSystem *system = NULL;
    if (!open_wide(&lab)) {
        return;
    }
    ok(sweep_lab_go(&lab, (KalSweepJob){.threads = 1}) == KAL_OK);
    ok(kal_sweep_start(lab.sweep, 0, &run, &system) == KAL_ERR_USAGE);
    ok(kal_sweep_start(lab.sweep, 181, &run, &system) == KAL_ERR_USAGE && !run);
    for (uint64_t i = 0; i < 180; i += 7) {
        const LabRow *row = &lab.rows[i];
        KalStatus status = kal_sweep_start(lab.sweep, i + 1, &run, &system);
        ok((status == KAL_OK) == (run != NULL));
        if (run) {
            ok(system == kal_sweep_system(lab.sweep));
            status = kal_run_advance(run, INFINITY);
        }
        ok(status == row->status);
        if (row->status == KAL_OK) {
            const double *q = kal_instant_q(kal_run_instant(run));
            ok(row->values[0] == kal_run_time(run));
            ok(memcmp(q, row->values + 1, 4 * sizeof(double)) == 0);
        }
        kal_run_destroy(run);
        run = NULL;
    }
    sweep_lab_close(&lab);
}

TAP_RUN(TAP_CASE(one_run_can_be_had), TAP_CASE(rows_depend_on_their_numbers_alone),
        TAP_CASE(lanes_change_no_bit), TAP_CASE(rows_are_what_runs_are),
        TAP_CASE(a_failed_run_has_a_reason_and_no_values),
        TAP_CASE(structures_are_built_for_each_value), TAP_CASE(times_may_be_inputs),
        TAP_CASE(options_can_be_adjusted), TAP_CASE(a_sweep_can_be_ended),
        TAP_CASE(wrong_use_is_refused), TAP_CASE(every_allocation_may_fail))

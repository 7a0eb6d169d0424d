// SPDX-License-Identifier: MIT

// Runs on all cores.
//
// Threads take the next run that nobody has taken, so that long ones hold up nobody.  A thread
// has several runs under way, one in each of its lanes: steps of these are taken together
// (sim/lanes.h), and as soon as one run ends its lane takes the next.  Each lane has its own
// context, and in it a run, a record and a follower for every structure that it met; the
// systems are shared.  Samples of a run wait in its memory for the end of the run.  Rows go
// out under the lock under which runs are taken.
//
// Invariants: what a row holds depends on its number alone, for a run forgets all that was
// before when its parameters are set and it is started, and lanes change no bit of it; only the
// lock's owner reads or writes what a pool has but for `stop`.

#include "sim/lanes.h"
#include "sweep/sweep.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_THREADS = 1024,
    MOST_IN_LANES = 100 // coordinates
};

// Bytes that the samples of a run may take.
#define MOST_BYTES ((size_t)1 << 30)

// What the threads of a sweep share.
typedef struct Pool {
    const KalSweep *sweep;
    const KalSweepJob *job;
    pthread_mutex_t lock;
    uint64_t next; // run, counted from 0
    uint64_t step; // to the one after it
    atomic_bool stop;
    KalStatus status; // why, if it is a failure
    char reason[KAL_SWEEP_REASON_SIZE];
} Pool;

// A system at work in one thread.
typedef struct Bench {
    KalRun *run;
    KalRecord *record;
    KalFollower follower;
    KalInstant *instant; // for options, where `simulate` depends on inputs
    bool fresh;          // it does: each run is made anew
} Bench;

// One of the runs that a thread has under way.
typedef struct Lane {
    Pool *pool;
    KalContext *ctx;
    bool shares;     // steps are taken with others
    bool gives;      // its run is for somebody else
    bool busy;       // there is a run
    uint64_t number; // of it, counted from 0
    Bench *bench;    // and what it is made on
    KalWorkspace workspace;
    Bench *benches; // structures
    double *inputs;
    double *values;
    double *found; // what the follower finds
    bool *doubts;  // values that are not unique in the present run
    bool *found_doubts;
    KalBlock samples; // of the present run: rows of values
    KalSetting *settings;
    int *places;
    double *starts;
    char reason[KAL_SWEEP_REASON_SIZE];
} Lane;

static void lay_out(KalCarver *carver, void *owner)
{
    Lane *lane = (Lane *)owner;
    const KalSweep *sweep = lane->pool->sweep;
    const size_t inputs = kal_sweep_inputs(sweep);
    const size_t values = kal_sweep_kept(sweep);
    lane->benches =
        (Bench *)kal_carve(carver, sweep->n_structures, sizeof *lane->benches);
    lane->inputs = kal_carve_doubles(carver, inputs, 1);
    lane->values = kal_carve_doubles(carver, values, 1);
    lane->found = kal_carve_doubles(carver, values, 1);
    lane->doubts = (bool *)kal_carve(carver, values, sizeof *lane->doubts);
    lane->found_doubts = (bool *)kal_carve(carver, values, sizeof *lane->found_doubts);
    lane->settings = (KalSetting *)kal_carve(carver, inputs, sizeof *lane->settings);
    lane->places = kal_carve_ints(carver, inputs);
    lane->starts = kal_carve_doubles(carver, inputs, 1);
}

static bool is_watched(void *user, const KalRun *run)
{
    const Pool *pool = ((const Lane *)user)->pool;
    (void)run;
    return !atomic_load_explicit(&pool->stop, memory_order_relaxed)
           && (!pool->job->watch || pool->job->watch(pool->job->user));
}

static KalStatus make_run(Lane *lane, Bench *bench, const KalStructure *s,
                          KalRunOptions options)
{
    assert(s->system);
    if (!lane->gives) {
        options.watch = is_watched;
        options.user = lane;
    }
    kal_run_destroy(bench->run);
    bench->run = NULL;
    KAL_TRY(kal_run_create(lane->ctx, s->system, &options, &bench->run));
    if (lane->shares) {
        kal_run_prefer_lanes(bench->run);
    }
    return KAL_OK;
}

static KalStatus make_bench(Lane *lane, Bench *bench, const KalStructure *s)
{
    assert(s->system);
    if (!bench->record) {
        KAL_TRY(
            kal_keep_record(lane->ctx, s->system, s->asks, s->n_asks, &bench->record));
    }
    if (!bench->follower.ctx) {
        KAL_TRY(kal_follower_init(&bench->follower, lane->ctx, s->keeps, s->n_keeps));
    }
    return bench->run ? KAL_OK : make_run(lane, bench, s, s->options);
}

static void clear_bench(Bench *bench)
{
    kal_follower_clear(&bench->follower);
    kal_record_destroy(bench->record);
    kal_run_destroy(bench->run);
    kal_instant_destroy(bench->instant);
}

// Make a run with the options that its parameters give `simulate`.
static KalStatus make_fresh(Lane *lane, Bench *bench, const KalStructure *s, size_t n)
{
    assert(bench->record);
    const KalSweep *sweep = lane->pool->sweep;
    if (!bench->instant) {
        KAL_TRY(kal_instant_create(lane->ctx, s->system, &bench->instant));
    }
    KAL_TRY(kal_instant_set_parameters(bench->instant, lane->settings, n));
    KalRunOptions options = kal_instant_run_options(bench->instant);
    if (sweep->adjust) {
        sweep->adjust(sweep->user, &options);
    }
    KAL_TRY(make_run(lane, bench, s, options));
    return kal_run_set_parameters(bench->run, lane->settings, n);
}

// Parameters are set in the run at hand; where that will not do, for options depend on
// them, the run is made anew for each.
static KalStatus set_parameters(Lane *lane, Bench *bench, const KalStructure *s)
{
    assert(bench->run);
    const KalSweepPlan *plan = &lane->pool->sweep->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_inputs; i++) {
        const KalSweepInput *input = &plan->inputs[i];
        if (!input->start && !input->fixed) {
            lane->settings[n++] =
                (KalSetting){input->name, kal_input_base(input, lane->inputs[i])};
        }
    }
    KalStatus status = bench->fresh
                           ? KAL_ERR_FORMULATION
                           : kal_run_set_parameters(bench->run, lane->settings, n);
    if (status == KAL_ERR_FORMULATION) {
        status = make_fresh(lane, bench, s, n);
        bench->fresh = bench->fresh || status == KAL_OK;
    }
    return status;
}

static KalStatus start(Lane *lane, const Bench *bench, const KalStructure *s)
{
    assert(bench->run && s->places);
    const KalSweepPlan *plan = &lane->pool->sweep->plan;
    KalStartPoint point = {.places = lane->places, .values = lane->starts};
    KalStartReport report;
    for (size_t i = 0; i < plan->n_inputs; i++) {
        if (plan->inputs[i].start && s->places[i] < 0) {
            return kal_fail(lane->ctx, KAL_ERR_USAGE,
                            "the model has no coordinate or velocity '%.200s' with "
                            "this structure",
                            plan->inputs[i].name);
        }
        if (plan->inputs[i].start) {
            lane->places[point.n] = s->places[i];
            lane->starts[point.n++] = lane->inputs[i];
        }
    }
    return point.n > 0 ? kal_run_start_at(bench->run, &point, &report)
                       : kal_run_start(bench->run, &report);
}

// A message in one line, cut where a character ends.
static void copy_reason(const char *message, char out_reason[KAL_SWEEP_REASON_SIZE])
{
    assert(message && message != out_reason);
    size_t n = 0;
    while (message[n] != '\0' && n < KAL_SWEEP_REASON_SIZE - 1) {
        out_reason[n] = message[n];
        if ((unsigned char)message[n] < ' ') {
            out_reason[n] = ' ';
        }
        n++;
    }
    while (message[n] != '\0' && n > 0 && ((unsigned char)message[n] & 0xC0U) == 0x80) {
        n--; // in the middle of a character
    }
    out_reason[n] = '\0';
}

// What takes the samples of a run.
typedef struct Sampler {
    Lane *lane;
    KalRecord *record;
    const KalStructure *structure;
} Sampler;

// A column is not unique if it is so in any sample.
static void note_doubts(const Sampler *sampler, KalRun *run)
{
    const KalStructure *s = sampler->structure;
    bool *doubts = sampler->lane->doubts;
    const size_t n = kal_record_has_doubts(sampler->record, run) ? s->n_keeps : 0;
    for (size_t i = 0; i < n; i++) {
        const KalKeep *keep = &s->keeps[i];
        doubts[keep->value] =
            doubts[keep->value] || kal_record_doubts(sampler->record, run, keep->place);
    }
}

// Add a sample; columns that the structure does not have stay NaN.
static KalStatus take_sample(void *user, KalRun *run)
{
    const Sampler *sampler = (const Sampler *)user;
    assert(run && sampler->record);
    const KalStructure *s = sampler->structure;
    Lane *lane = sampler->lane;
    const size_t size = kal_sweep_kept(lane->pool->sweep) * sizeof(double);
    const double *row = NULL;
    if (lane->samples.size + size > MOST_BYTES) {
        return kal_fail(lane->ctx, KAL_ERR_LIMIT,
                        "the samples of a run take more than the %.3g bytes allowed: "
                        "take them further apart, fewer columns or a shorter time",
                        (double)MOST_BYTES);
    }
    KAL_TRY(kal_record_look(sampler->record, run, &row));
    for (size_t i = 0; i < s->n_keeps; i++) {
        lane->values[s->keeps[i].value] = row[s->keeps[i].place];
    }
    note_doubts(sampler, run);
    return kal_block_add(lane->ctx, &lane->samples, lane->values, size);
}

// All samples of a run, with the last state before a failure, as `kalaba run` writes them.
static KalStatus sample(Lane *lane, const Bench *bench, const KalStructure *s)
{
    assert(bench->run && lane->samples.size == 0);
    Sampler sampler = {lane, bench->record, s};
    KalRun *run = bench->run;
    const KalStatus status = kal_run_sample(run, take_sample, &sampler);
    if (status == KAL_OK || lane->samples.size == 0) {
        return status;
    }
    copy_reason(kal_context_message(lane->ctx), lane->reason);
    const bool late = kal_run_time(run) > kal_run_get_options(run).from
                      && take_sample(&sampler, run) != KAL_OK;
    (void)late; // the last state is worth a row, but need not have one
    return kal_fail(lane->ctx, status, "%s", lane->reason);
}

// What is kept of a run that has ended.
static KalStatus end_following(Lane *lane)
{
    Bench *bench = lane->bench;
    const KalStructure *s = kal_sweep_structure(lane->pool->sweep, lane->number);
    KAL_TRY(kal_follower_end(&bench->follower, lane->found, lane->found_doubts));
    for (size_t i = 0; i < s->n_keeps; i++) {
        lane->values[s->keeps[i].value] = lane->found[i];
        lane->doubts[s->keeps[i].value] = lane->found_doubts[i];
    }
    return KAL_OK;
}

// Start the lane's run.
static KalStatus start_run(Lane *lane)
{
    assert(lane->number < kal_sweep_runs(lane->pool->sweep));
    const KalSweep *sweep = lane->pool->sweep;
    const KalStructure *s = kal_sweep_structure(sweep, lane->number);
    Bench *bench = &lane->benches[s - sweep->structures];
    if (!s->system) {
        return kal_fail(lane->ctx, s->status, "%s", s->reason);
    }
    lane->bench = bench;
    KAL_TRY(make_bench(lane, bench, s));
    KAL_TRY(set_parameters(lane, bench, s));
    return start(lane, bench, s);
}

// And begin to follow it, or take all of its samples at once.
static KalStatus begin_run(Lane *lane)
{
    KAL_TRY(start_run(lane));
    Bench *bench = lane->bench;
    if (lane->pool->sweep->trajectories) {
        return sample(lane, bench,
                      kal_sweep_structure(lane->pool->sweep, lane->number));
    }
    kal_follower_begin(&bench->follower, bench->run, bench->record);
    return KAL_OK;
}

static void forget_values(Lane *lane)
{
    for (size_t i = 0; i < kal_sweep_kept(lane->pool->sweep); i++) {
        lane->values[i] = NAN;
    }
}

static void forget_doubts(Lane *lane)
{
    memset(lane->doubts, 0, kal_sweep_kept(lane->pool->sweep) * sizeof *lane->doubts);
}

static bool has_doubts(const Lane *lane)
{
    bool any = false;
    for (size_t i = 0; i < kal_sweep_kept(lane->pool->sweep); i++) {
        any = any || lane->doubts[i];
    }
    return any;
}

// The row of a run that has ended with a status; one that failed has no values, but samples.
static KalSweepRow make_row(Lane *lane, KalStatus status)
{
    const KalSweep *sweep = lane->pool->sweep;
    if (status != KAL_OK) {
        forget_values(lane);
    }
    if (status != KAL_OK && !sweep->trajectories) {
        forget_doubts(lane);
    }
    copy_reason(status == KAL_OK ? "ok" : kal_context_message(lane->ctx), lane->reason);
    return (KalSweepRow){.run = lane->number + 1,
                         .inputs = lane->inputs,
                         .values = lane->values,
                         .samples = (const double *)lane->samples.data,
                         .n_samples = lane->samples.size
                                      / (kal_sweep_kept(sweep) * sizeof(double)),
                         .not_unique = has_doubts(lane) ? lane->doubts : NULL,
                         .status = status,
                         .reason = lane->reason};
}

// End the sweep; the first failure counts.
static void stop(Pool *pool, KalStatus status, const char *reason)
{
    assert(status != KAL_OK);
    if (pool->status == KAL_OK) {
        pool->status = status;
        copy_reason(reason, pool->reason);
    }
    atomic_store(&pool->stop, true);
}

// Give a row away, under the lock.  What is no fault of the run ends the sweep, and after that
// there are no rows.
static void give(Pool *pool, const KalSweepRow *row)
{
    if (atomic_load(&pool->stop)) {
        return;
    }
    if (row->status == KAL_ERR_INTERRUPTED || row->status == KAL_ERR_NOMEM) {
        stop(pool, row->status, row->reason);
        return;
    }
    const KalStatus status = pool->job->take(pool->job->user, row);
    if (status != KAL_OK) {
        stop(pool, status, "");
    }
}

static void tell_no_run(const KalSweep *sweep, uint64_t run,
                        char out_reason[KAL_SWEEP_REASON_SIZE])
{
    (void)snprintf(out_reason, KAL_SWEEP_REASON_SIZE,
                   "there is no run %llu: the sweep has %llu", (unsigned long long)run,
                   (unsigned long long)kal_sweep_runs(sweep));
}

// The run that somebody else says is next, who counts from 1.
static bool take_told(Pool *pool, uint64_t *out_run)
{
    const uint64_t runs = kal_sweep_runs(pool->sweep);
    uint64_t run = 0;
    char reason[KAL_SWEEP_REASON_SIZE];
    if (atomic_load(&pool->stop) || !pool->job->next(pool->job->user, &run)) {
        return false;
    }
    *out_run = run - 1;
    if (run >= 1 && run <= runs) {
        return true;
    }
    tell_no_run(pool->sweep, run, reason);
    stop(pool, KAL_ERR_USAGE, reason);
    return false;
}

// The next run, under the lock; false when there is none.
static bool take_next(Pool *pool, uint64_t *out_run)
{
    assert(pool->step > 0);
    const KalSweepJob *job = pool->job;
    const uint64_t runs = kal_sweep_runs(pool->sweep);
    if (job->next) {
        return take_told(pool, out_run);
    }
    while (pool->next < runs && job->skip && job->skip(job->user, pool->next + 1)) {
        pool->next += pool->step;
    }
    if (pool->next >= runs || atomic_load(&pool->stop)) {
        return false;
    }
    *out_run = pool->next;
    pool->next += pool->step;
    return true;
}

// Whether nothing is left to do for the lane's run.
static bool is_over(const Lane *lane)
{
    return lane->pool->sweep->trajectories || kal_run_is_over(lane->bench->run);
}

// Let the lane take the next run, once `row`, unless NULL, is given away, and start it.  Runs
// that end at once are followed by others; without any the lane is not busy.
static void take_on(Lane *lane, const KalSweepRow *row)
{
    Pool *pool = lane->pool;
    KalSweepRow next;
    lane->busy = true;
    for (bool ended = true; ended && lane->busy;) {
        pthread_mutex_lock(&pool->lock);
        if (row) {
            give(pool, row);
        }
        lane->busy = take_next(pool, &lane->number);
        pthread_mutex_unlock(&pool->lock);
        if (row && pool->job->after) {
            pool->job->after(pool->job->user);
        }
        if (lane->busy) {
            kal_plan_inputs(&pool->sweep->plan, lane->number, lane->inputs);
            forget_values(lane);
            forget_doubts(lane);
            lane->samples.size = 0;
            KalStatus status = begin_run(lane);
            ended = status != KAL_OK || is_over(lane);
            if (status == KAL_OK && ended && !pool->sweep->trajectories) {
                status = end_following(lane);
            }
            if (ended) {
                next = make_row(lane, status);
                row = &next;
            }
        }
    }
}

// The motion of the lane's run is known for another step, or why it cannot be: follow it, and
// take the next run where this one ends.
static void go_on(Lane *lane, KalStatus status)
{
    if (status == KAL_OK) {
        status = kal_follower_step(&lane->bench->follower);
    }
    if (status == KAL_OK && !is_over(lane)) {
        return;
    }
    if (status == KAL_OK) {
        status = end_following(lane);
    }
    const KalSweepRow row = make_row(lane, status);
    take_on(lane, &row);
}

// What a thread has.
typedef struct Worker {
    Lane lanes[KAL_LANES];
    int n_lanes;
    KalTeam *team; // of more than one
} Worker;

// Let the team have the run of a lane as it is now.
static void join(const Worker *w, int k)
{
    if (w->team) {
        const Lane *lane = &w->lanes[k];
        kal_team_join(w->team, k, lane->busy ? lane->bench->run : NULL,
                      lane->busy && !lane->bench->follower.path
                          && !lane->bench->follower.heeds);
    }
}

static bool is_busy(const Worker *w)
{
    bool busy = false;
    for (int k = 0; k < w->n_lanes; k++) {
        busy = busy || w->lanes[k].busy;
    }
    return busy;
}

// A step, or an attempt at one, of each lane.
static void step(Worker *w)
{
    KalLaneNews news[KAL_LANES] = {{.known = true}};
    if (w->team) {
        kal_team_go(w->team, news);
    } else {
        news[0].status = kal_run_foreknow(w->lanes[0].bench->run);
    }
    for (int k = 0; k < w->n_lanes; k++) {
        const uint64_t number = w->lanes[k].number;
        if (news[k].known) {
            go_on(&w->lanes[k], news[k].status);
        }
        if (number != w->lanes[k].number || !w->lanes[k].busy) {
            join(w, k);
        }
    }
}

static void work(Worker *w)
{
    for (int k = 0; k < w->n_lanes; k++) {
        take_on(&w->lanes[k], NULL);
        join(w, k);
    }
    while (is_busy(w)) {
        step(w);
    }
}

static KalStatus init_lane(Lane *lane, Pool *pool, bool shares)
{
    lane->pool = pool;
    lane->shares = shares;
    KAL_TRY(kal_context_create_like(pool->sweep->ctx, &lane->ctx));
    return kal_workspace_make(lane->ctx, "for a sweep", lay_out, lane,
                              &lane->workspace);
}

static void clear_benches(const Lane *lane)
{
    for (size_t k = 0; lane->benches && k < lane->pool->sweep->n_structures; k++) {
        clear_bench(&lane->benches[k]);
    }
}

static void clear_lane(Lane *lane)
{
    clear_benches(lane);
    if (lane->ctx) {
        kal_block_clear(lane->ctx, &lane->samples);
        kal_workspace_clear(lane->ctx, &lane->workspace);
    }
    kal_context_destroy(lane->ctx);
}

// Lanes are for small systems, which are done before a thread could take up another.
static int choose_lanes(const Pool *pool)
{
    const KalSweep *sweep = pool->sweep;
    bool small = !sweep->trajectories && !pool->job->alone;
    for (size_t k = 0; k < sweep->n_structures && small; k++) {
        const KalSystem *system = sweep->structures[k].system;
        small = !system || kal_system_coordinates(system) <= MOST_IN_LANES;
    }
    return small ? KAL_LANES : 1;
}

static KalStatus init_worker(Worker *w, Pool *pool)
{
    w->n_lanes = choose_lanes(pool);
    for (int k = 0; k < w->n_lanes; k++) {
        KAL_TRY(init_lane(&w->lanes[k], pool, w->n_lanes > 1));
    }
    return w->n_lanes > 1 ? kal_team_create(w->lanes[0].ctx, &w->team) : KAL_OK;
}

// A thread of the sweep, from its contexts to its end.
static void *attend(void *user)
{
    Pool *pool = (Pool *)user;
    Worker w = {.team = NULL};
    const KalStatus status = init_worker(&w, pool);
    if (status == KAL_OK) {
        work(&w);
    } else {
        pthread_mutex_lock(&pool->lock);
        stop(pool, status, "no memory for a sweep");
        pthread_mutex_unlock(&pool->lock);
    }
    kal_team_destroy(w.team);
    for (int k = 0; k < w.n_lanes; k++) {
        clear_lane(&w.lanes[k]);
    }
    return NULL;
}

KalStatus kal_sweep_check_threads(KalContext *ctx, int threads)
{
    return threads >= 0
               ? KAL_OK
               : kal_fail(ctx, KAL_ERR_USAGE,
                          "a sweep has 1 thread or more, or 0 for as many as there "
                          "are cores, not %d",
                          threads);
}

size_t kal_sweep_threads(int threads)
{
    assert(threads >= 0);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long wanted = threads > 0 ? threads : cores;
    return wanted < 1 ? 1 : wanted > MOST_THREADS ? MOST_THREADS : (size_t)wanted;
}

// The calling thread is one of them; where the system has no more to give, they are fewer.
static void go_on_all(Pool *pool)
{
    pthread_t threads[MOST_THREADS];
    const size_t wanted = kal_sweep_threads(pool->job->threads) - 1;
    size_t count = 0;
    while (count < wanted && pthread_create(&threads[count], NULL, attend, pool) == 0) {
        count++;
    }
    attend(pool);
    while (count > 0) {
        (void)pthread_join(threads[--count], NULL);
    }
}

// All threads take numbers of runs from one pool, and the first failure that is not that
// of a run stops them all.
KalStatus kal_sweep_go(const KalSweep *sweep, const KalSweepJob *job)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && job && job->take);
    KAL_TRY(kal_sweep_check_threads(sweep->ctx, job->threads));
    if (job->shard > job->shards || (job->shard == 0) != (job->shards == 0)) {
        return kal_fail(sweep->ctx, KAL_ERR_USAGE, "a sweep has no shard %llu of %llu",
                        (unsigned long long)job->shard,
                        (unsigned long long)job->shards);
    }
    Pool pool = {.sweep = sweep,
                 .job = job,
                 .next = job->shard > 0 ? job->shard - 1 : 0,
                 .step = job->shards > 0 ? job->shards : 1};
    if (pthread_mutex_init(&pool.lock, NULL) != 0) {
        return kal_no_memory(sweep->ctx, "for a sweep");
    }
    go_on_all(&pool);
    pthread_mutex_destroy(&pool.lock);
    return pool.status == KAL_OK || pool.reason[0] == '\0'
               ? pool.status
               : kal_fail(sweep->ctx, pool.status, "%s", pool.reason);
}

KalStatus kal_sweep_start(const KalSweep *sweep, uint64_t run, KalRun **out_run,
                          const KalSystem **out_system)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && out_run && out_system);
    const KalSweepJob job = {.threads = 1};
    Pool pool = {.sweep = sweep, .job = &job};
    Lane lane = {.pool = &pool, .ctx = sweep->ctx, .gives = true, .number = run - 1};
    if (run == 0 || run > kal_sweep_runs(sweep)) {
        tell_no_run(sweep, run, lane.reason);
        return kal_fail(sweep->ctx, KAL_ERR_USAGE, "%s", lane.reason);
    }
    KAL_TRY(
        kal_workspace_make(lane.ctx, "for a sweep", lay_out, &lane, &lane.workspace));
    kal_plan_inputs(&sweep->plan, lane.number, lane.inputs);
    const KalStatus status = start_run(&lane);
    if (status == KAL_OK) {
        *out_run = lane.bench->run;
        *out_system = kal_sweep_structure(sweep, lane.number)->system;
        lane.bench->run = NULL;
    }
    clear_benches(&lane);
    kal_workspace_clear(lane.ctx, &lane.workspace);
    return status;
}

// SPDX-License-Identifier: MIT

// Runs on all cores.
//
// Threads take the next run that nobody has taken, one at a time, so that long ones hold up
// nobody.  Each has its own context, and in it a run, a record and a follower for every
// structure that it met; the systems are shared.  Samples of a run wait in its memory for the
// end of the run.  Rows go out under the lock under which runs
// are taken.
//
// Invariants: what a row holds depends on its number alone, for a run forgets all that was
// before when its parameters are set and it is started; only the lock's owner reads or writes
// what a pool has but for `stop`.

#include "sweep/sweep.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_THREADS = 1024
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

// A thread's own.
typedef struct Worker {
    Pool *pool;
    KalContext *ctx;
    KalWorkspace workspace;
    Bench *benches; // structures
    double *inputs;
    double *values;
    double *found;    // what the follower finds
    KalBlock samples; // of the present run: rows of values
    KalSetting *settings;
    int *places;
    double *starts;
    char reason[KAL_SWEEP_REASON_SIZE];
} Worker;

static void lay_out(KalCarver *carver, void *owner)
{
    Worker *w = (Worker *)owner;
    const KalSweep *sweep = w->pool->sweep;
    const size_t inputs = kal_sweep_inputs(sweep);
    const size_t values = kal_sweep_kept(sweep);
    w->benches = (Bench *)kal_carve(carver, sweep->n_structures, sizeof *w->benches);
    w->inputs = kal_carve_doubles(carver, inputs, 1);
    w->values = kal_carve_doubles(carver, values, 1);
    w->found = kal_carve_doubles(carver, values, 1);
    w->settings = (KalSetting *)kal_carve(carver, inputs, sizeof *w->settings);
    w->places = kal_carve_ints(carver, inputs);
    w->starts = kal_carve_doubles(carver, inputs, 1);
}

static bool is_watched(void *user, const KalRun *run)
{
    const Pool *pool = ((const Worker *)user)->pool;
    (void)run;
    return !atomic_load_explicit(&pool->stop, memory_order_relaxed)
           && (!pool->job->watch || pool->job->watch(pool->job->user));
}

static KalStatus make_run(Worker *w, Bench *bench, const KalStructure *s,
                          KalRunOptions options)
{
    assert(s->system);
    options.watch = is_watched;
    options.user = w;
    kal_run_destroy(bench->run);
    bench->run = NULL;
    return kal_run_create(w->ctx, s->system, &options, &bench->run);
}

static KalStatus make_bench(Worker *w, Bench *bench, const KalStructure *s)
{
    assert(s->system);
    if (!bench->record) {
        KAL_TRY(kal_keep_record(w->ctx, s->system, s->asks, s->n_asks, &bench->record));
    }
    if (!bench->follower.ctx) {
        KAL_TRY(kal_follower_init(&bench->follower, w->ctx, s->keeps, s->n_keeps));
    }
    return bench->run ? KAL_OK : make_run(w, bench, s, s->options);
}

static void clear_bench(Bench *bench)
{
    kal_follower_clear(&bench->follower);
    kal_record_destroy(bench->record);
    kal_run_destroy(bench->run);
    kal_instant_destroy(bench->instant);
}

// Make a run with the options that its parameters give `simulate`.
static KalStatus make_fresh(Worker *w, Bench *bench, const KalStructure *s, size_t n)
{
    assert(bench->record);
    const KalSweep *sweep = w->pool->sweep;
    if (!bench->instant) {
        KAL_TRY(kal_instant_create(w->ctx, s->system, &bench->instant));
    }
    KAL_TRY(kal_instant_set_parameters(bench->instant, w->settings, n));
    KalRunOptions options = kal_instant_run_options(bench->instant);
    if (sweep->adjust) {
        sweep->adjust(sweep->user, &options);
    }
    KAL_TRY(make_run(w, bench, s, options));
    return kal_run_set_parameters(bench->run, w->settings, n);
}

static KalStatus set_parameters(Worker *w, Bench *bench, const KalStructure *s)
{
    assert(bench->run);
    const KalSweepPlan *plan = &w->pool->sweep->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->n_inputs; i++) {
        const KalSweepInput *input = &plan->inputs[i];
        if (!input->start && !input->fixed) {
            w->settings[n++] =
                (KalSetting){input->name, kal_input_base(input, w->inputs[i])};
        }
    }
    KalStatus status = bench->fresh
                           ? KAL_ERR_FORMULATION
                           : kal_run_set_parameters(bench->run, w->settings, n);
    if (status == KAL_ERR_FORMULATION) {
        status = make_fresh(w, bench, s, n);
        bench->fresh = bench->fresh || status == KAL_OK;
    }
    return status;
}

static KalStatus start(Worker *w, const Bench *bench, const KalStructure *s)
{
    assert(bench->run && s->places);
    const KalSweepPlan *plan = &w->pool->sweep->plan;
    KalStartPoint point = {.places = w->places, .values = w->starts};
    KalStartReport report;
    for (size_t i = 0; i < plan->n_inputs; i++) {
        if (plan->inputs[i].start && s->places[i] < 0) {
            return kal_fail(w->ctx, KAL_ERR_USAGE,
                            "the model has no coordinate or velocity '%.200s' with "
                            "this structure",
                            plan->inputs[i].name);
        }
        if (plan->inputs[i].start) {
            w->places[point.n] = s->places[i];
            w->starts[point.n++] = w->inputs[i];
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
    Worker *worker;
    KalRecord *record;
    const KalStructure *structure;
} Sampler;

// Add a sample; columns that the structure does not have stay NaN.
static KalStatus take_sample(void *user, KalRun *run)
{
    const Sampler *sampler = (const Sampler *)user;
    assert(run && sampler->record);
    const KalStructure *s = sampler->structure;
    Worker *w = sampler->worker;
    const size_t size = kal_sweep_kept(w->pool->sweep) * sizeof(double);
    const double *row = NULL;
    if (w->samples.size + size > MOST_BYTES) {
        return kal_fail(w->ctx, KAL_ERR_LIMIT,
                        "the samples of a run take more than the %.3g bytes allowed: "
                        "take them further apart, fewer columns or a shorter time",
                        (double)MOST_BYTES);
    }
    KAL_TRY(kal_record_look(sampler->record, run, &row));
    for (size_t i = 0; i < s->n_keeps; i++) {
        w->values[s->keeps[i].value] = row[s->keeps[i].place];
    }
    return kal_block_add(w->ctx, &w->samples, w->values, size);
}

// All samples of a run, with the last state before a failure, as `kalaba run` writes them.
static KalStatus sample(Worker *w, const Bench *bench, const KalStructure *s)
{
    assert(bench->run && w->samples.size == 0);
    Sampler sampler = {w, bench->record, s};
    KalRun *run = bench->run;
    const KalStatus status = kal_run_sample(run, take_sample, &sampler);
    if (status == KAL_OK || w->samples.size == 0) {
        return status;
    }
    copy_reason(kal_context_message(w->ctx), w->reason);
    const bool late = kal_run_time(run) > kal_run_get_options(run).from
                      && take_sample(&sampler, run) != KAL_OK;
    (void)late; // the last state is worth a row, but need not have one
    return kal_fail(w->ctx, status, "%s", w->reason);
}

static KalStatus follow(Worker *w, Bench *bench, const KalStructure *s)
{
    KAL_TRY(kal_follower_go(&bench->follower, bench->run, bench->record, w->found));
    for (size_t i = 0; i < s->n_keeps; i++) {
        w->values[s->keeps[i].value] = w->found[i];
    }
    return KAL_OK;
}

static KalStatus go(Worker *w, uint64_t run)
{
    assert(run < kal_sweep_runs(w->pool->sweep));
    const KalSweep *sweep = w->pool->sweep;
    const KalStructure *s = kal_sweep_structure(sweep, run);
    Bench *bench = &w->benches[s - sweep->structures];
    if (!s->system) {
        return kal_fail(w->ctx, s->status, "%s", s->reason);
    }
    KAL_TRY(make_bench(w, bench, s));
    KAL_TRY(set_parameters(w, bench, s));
    KAL_TRY(start(w, bench, s));
    return sweep->trajectories ? sample(w, bench, s) : follow(w, bench, s);
}

static void forget_values(Worker *w)
{
    for (size_t i = 0; i < kal_sweep_kept(w->pool->sweep); i++) {
        w->values[i] = NAN;
    }
}

// What a run leaves in the worker is forgotten first, and again after a failure: a row
// of a run that failed has no values.
static KalSweepRow do_run(Worker *w, uint64_t run)
{
    const KalSweep *sweep = w->pool->sweep;
    kal_plan_inputs(&sweep->plan, run, w->inputs);
    forget_values(w);
    w->samples.size = 0;
    const KalStatus status = go(w, run);
    if (status != KAL_OK) {
        forget_values(w);
    }
    copy_reason(status == KAL_OK ? "ok" : kal_context_message(w->ctx), w->reason);
    return (KalSweepRow){.run = run + 1,
                         .inputs = w->inputs,
                         .values = w->values,
                         .samples = (const double *)w->samples.data,
                         .n_samples =
                             w->samples.size / (kal_sweep_kept(sweep) * sizeof(double)),
                         .status = status,
                         .reason = w->reason};
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

// Give a row away, under the lock.  What is no fault of the run ends the sweep.
static void give(Pool *pool, const KalSweepRow *row)
{
    if (row->status == KAL_ERR_INTERRUPTED || row->status == KAL_ERR_NOMEM) {
        stop(pool, row->status, row->reason);
        return;
    }
    const KalStatus status = pool->job->take(pool->job->user, row);
    if (status != KAL_OK) {
        stop(pool, status, "");
    }
}

// The next run, under the lock; false when there is none.
static bool take_next(Pool *pool, uint64_t *out_run)
{
    assert(pool->step > 0);
    const KalSweepJob *job = pool->job;
    const uint64_t runs = kal_sweep_runs(pool->sweep);
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

static void work(Worker *w)
{
    Pool *pool = w->pool;
    uint64_t run = 0;
    pthread_mutex_lock(&pool->lock);
    while (take_next(pool, &run)) {
        pthread_mutex_unlock(&pool->lock);
        const KalSweepRow row = do_run(w, run);
        pthread_mutex_lock(&pool->lock);
        give(pool, &row);
    }
    pthread_mutex_unlock(&pool->lock);
}

// A thread of the sweep, from its context to its end.
static void *attend(void *user)
{
    Pool *pool = (Pool *)user;
    Worker w = {.pool = pool};
    KalStatus status = kal_context_create_like(pool->sweep->ctx, &w.ctx);
    if (status == KAL_OK) {
        status = kal_workspace_make(w.ctx, "for a sweep", lay_out, &w, &w.workspace);
    }
    if (status == KAL_OK) {
        work(&w);
    } else {
        pthread_mutex_lock(&pool->lock);
        stop(pool, status, "no memory for a sweep");
        pthread_mutex_unlock(&pool->lock);
    }
    for (size_t k = 0; w.benches && k < pool->sweep->n_structures; k++) {
        clear_bench(&w.benches[k]);
    }
    if (w.ctx) {
        kal_block_clear(w.ctx, &w.samples);
        kal_workspace_clear(w.ctx, &w.workspace);
    }
    kal_context_destroy(w.ctx);
    return NULL;
}

static size_t choose_threads(const KalSweepJob *job)
{
    assert(job->threads >= 0);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const long wanted = job->threads > 0 ? job->threads : cores;
    return wanted < 1 ? 1 : wanted > MOST_THREADS ? MOST_THREADS : (size_t)wanted;
}

// The calling thread is one of them; where the system has no more to give, they are fewer.
static void go_on_all(Pool *pool)
{
    pthread_t threads[MOST_THREADS];
    const size_t wanted = choose_threads(pool->job) - 1;
    size_t count = 0;
    while (count < wanted && pthread_create(&threads[count], NULL, attend, pool) == 0) {
        count++;
    }
    attend(pool);
    while (count > 0) {
        (void)pthread_join(threads[--count], NULL);
    }
}

KalStatus kal_sweep_go(const KalSweep *sweep, const KalSweepJob *job)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && job && job->take);
    if (job->shard > job->shards || (job->shard == 0) != (job->shards == 0)
        || job->threads < 0) {
        return kal_fail(sweep->ctx, KAL_ERR_USAGE,
                        "a sweep has no shard %llu of %llu, and not fewer threads "
                        "than 1",
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

// SPDX-License-Identifier: MIT

// A sweep into a file.
//
// First all runs go to a store beside the file (sweep/store.h), in the order in which they
// end; then the rows go from there to the file, in the order of their numbers.  Neither takes
// memory that grows with the runs.  The store knows what it is the work of by its identity: a
// text with all that rows depend on.

#include "base/files.h"
#include "base/whole_file.h"
#include "sweep/ahead.h"
#include "sweep/ranks.h"
#include "sweep/store.h"
#include "sweep/sweep.h"
#include "table/stream.h"

#include <kalaba/version.h>

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_SHARDS = 900, // whose files are open at a time when they are merged
    LINE_SIZE = 1000,
    SUFFIX_SIZE = 64,
    TEXTS = 2 // at the end of a row: marks, if there are any, and the status
};

// The columns that begin and end a row.
static const char RUN[] = KAL_TABLE_RUN_COLUMN;
static const char STATUS[] = KAL_TABLE_STATUS_COLUMN;
static const char MARKS[] = KAL_TABLE_MARKS_COLUMN; // if there are any

// A sweep on its way into a file.
typedef struct Work {
    const KalSweep *sweep;
    const char *path;
    const KalSweepFileOptions *options;
    KalRanks *ranks; // NULL: this process is alone
    KalBlock identity;
    KalStore **stores; // one, or all shards
    size_t n_stores;
    KalAhead *ahead; // rows of the table that are ready before all are there
    char *name;      // of the store that is being opened
    size_t name_size;
    KalSweepProgress progress;
    KalSweepSummary summary;
    uint64_t rows;  // of the table
    size_t longest; // reason
    bool *marks;    // values that are not unique in any run
    bool has_marks; // there are any
    char *marked;   // their names in a row
    size_t marked_size;
} Work;

static KalContext *context(const Work *w)
{
    return w->sweep->ctx;
}

// @{ Identity

typedef struct Text {
    Work *work;
    KalStatus status;
} Text;

static void write_text(void *user, const char *bytes, size_t size)
{
    Text *text = (Text *)user;
    assert(text->work);
    if (text->status == KAL_OK) {
        text->status =
            kal_block_add(context(text->work), &text->work->identity, bytes, size);
    }
}

static void write_line(Text *text, const char *line)
{
    write_text(text, line, strlen(line));
    write_text(text, "\n", 1);
}

// Numbers are written in hexadecimal, to the bit: a store is continued only by the same
// sweep.
static void identify_inputs(Text *text, const KalSweepPlan *plan)
{
    assert(plan->inputs || plan->n_inputs == 0);
    char line[LINE_SIZE];
    for (size_t i = 0; i < plan->n_inputs; i++) {
        const KalSweepInput *input = &plan->inputs[i];
        (void)snprintf(line, sizeof line, "input %d %a %a %llu %.500s",
                       (int)input->kind, input->a, input->b,
                       (unsigned long long)input->count, input->name);
        write_line(text, line);
        for (uint64_t k = 0; input->values && k < input->count; k++) {
            (void)snprintf(line, sizeof line, "%a", input->values[k]);
            write_line(text, line);
        }
    }
    (void)snprintf(line, sizeof line, "samples %llu seed %llu design %d",
                   (unsigned long long)plan->samples, (unsigned long long)plan->seed,
                   (int)plan->design);
    write_line(text, line);
}

static void identify_runs(Text *text, const KalRunOptions *o)
{
    assert(o);
    char line[LINE_SIZE];
    (void)snprintf(line, sizeof line,
                   "run %a %a %a rtol %a atol %a method %d drift %d %a form %d step %a "
                   "most %ld",
                   o->from, o->until, o->every, o->rtol, o->atol, (int)o->method,
                   (int)o->drift, o->stabilize, (int)o->form, o->fixed_step,
                   o->max_steps);
    write_line(text, line);
}

// What is asked of runs whose `simulate` depends on their inputs: `adjust` is shown options that
// differ from those of the model in all fields, so that what it sets is told from what it leaves.
static void identify_wishes(Text *text, const KalSweep *sweep)
{
    KalRunOptions o = kal_run_options(sweep->given);
    o.from -= 1.0;
    o.until += 1.0;
    o.every *= 2.0;
    o.rtol *= 2.0;
    o.atol *= 2.0;
    o.method = o.method == KAL_METHOD_BDF ? KAL_METHOD_AUTO : KAL_METHOD_BDF;
    o.drift = o.drift == KAL_DRIFT_NONE ? KAL_DRIFT_PROJECT : KAL_DRIFT_NONE;
    o.stabilize += 1.0;
    o.max_steps += 1;
    if (sweep->adjust) {
        sweep->adjust(sweep->user, &o);
    }
    identify_runs(text, &o);
}

// All that rows depend on, as a text.
static KalStatus identify(Work *w)
{
    const KalSweep *sweep = w->sweep;
    Text text = {.work = w};
    write_line(&text, kal_version());
    kal_system_write_texts(sweep->given, (KalSink){write_text, &text});
    identify_inputs(&text, &sweep->plan);
    for (size_t i = 0; i < kal_sweep_kept(sweep); i++) {
        write_line(&text, kal_sweep_value(sweep, i).name);
    }
    for (size_t k = 0; k < sweep->n_structures; k++) {
        identify_runs(&text, &sweep->structures[k].options);
    }
    identify_wishes(&text, sweep);
    return text.status;
}

// @}
// @{ The stores

// How many runs shard k of n has.  Shard k of n has the runs k, k + n, k + 2 n, …
static uint64_t runs_of(const Work *w, uint64_t shard, uint64_t shards)
{
    assert(shards == 0 || (shard >= 1 && shard <= shards));
    const uint64_t runs = kal_sweep_runs(w->sweep);
    return shards == 0 ? runs : (runs + shards - shard) / shards;
}

static void print_name(Work *w, uint64_t shard, uint64_t shards)
{
    assert(w->name && w->name_size > strlen(w->path) + SUFFIX_SIZE);
    char suffix[SUFFIX_SIZE];
    (void)snprintf(suffix, sizeof suffix, ".%llu-of-%llu", (unsigned long long)shard,
                   (unsigned long long)shards);
    (void)snprintf(w->name, w->name_size, "%s%s.sweep", w->path,
                   shards > 0 ? suffix : "");
}

static KalStoreSpec spec_of(const Work *w, uint64_t shard, uint64_t shards)
{
    return (KalStoreSpec){.path = w->name,
                          .identity = (const char *)w->identity.data,
                          .identity_size = w->identity.size,
                          .slots = runs_of(w, shard, shards),
                          .values = kal_sweep_kept(w->sweep),
                          .samples = w->sweep->trajectories};
}

// Work that is there and not to be gone on with is not lost: it is moved.
static KalStatus create_own(Work *w, KalStoreSpec spec)
{
    assert(w->name);
    char *aside = (char *)kal_alloc(context(w), w->name_size + SUFFIX_SIZE, 1);
    if (!aside) {
        return kal_no_memory(context(w), "for a sweep");
    }
    (void)snprintf(aside, w->name_size + SUFFIX_SIZE, "%s.old", w->name);
    spec.aside = aside;
    const KalStatus status = kal_store_create(context(w), &spec, &w->stores[0]);
    kal_free(context(w), aside, w->name_size + SUFFIX_SIZE);
    return status;
}

static KalStatus open_own(Work *w)
{
    assert(w->stores && w->n_stores == 0);
    const KalSweepFileOptions *o = w->options;
    print_name(w, o->shard, o->shards);
    const KalStoreSpec spec = spec_of(w, o->shard, o->shards);
    w->n_stores = 1;
    return o->resume && access(w->name, F_OK) == 0
               ? kal_store_open(context(w), &spec, &w->stores[0])
               : create_own(w, spec);
}

// In how many shards the work beside the file is; 0 if in none.
static uint64_t find_shards(Work *w)
{
    for (uint64_t n = 1; n <= MOST_SHARDS; n++) {
        print_name(w, 1, n);
        if (access(w->name, F_OK) == 0) {
            return n;
        }
    }
    return 0;
}

static KalStatus open_shards(Work *w)
{
    assert(w->stores && w->n_stores == 0);
    const uint64_t shards = find_shards(w);
    if (shards == 0) {
        return kal_fail(context(w), KAL_ERR_USAGE,
                        "there is no work of shards beside %s to merge: no file "
                        "NAME.1-of-N.sweep",
                        kal_file_shown(w->path));
    }
    w->n_stores = (size_t)shards;
    for (uint64_t k = 1; k <= shards; k++) {
        print_name(w, k, shards);
        const KalStoreSpec spec = spec_of(w, k, shards);
        KAL_TRY(kal_store_open(context(w), &spec, &w->stores[k - 1]));
        const uint64_t missing = spec.slots - kal_store_filled(w->stores[k - 1]);
        if (missing > 0) {
            return kal_fail(context(w), KAL_ERR_USAGE,
                            "shard %llu of %llu lacks %llu of its runs: go on with it "
                            "by --resume",
                            (unsigned long long)k, (unsigned long long)shards,
                            (unsigned long long)missing);
        }
    }
    return KAL_OK;
}

// Row of a run, counted from 0 among those that the stores have.
static KalStatus get(const Work *w, uint64_t run, KalStoreRow *out_row)
{
    assert(w->n_stores > 0);
    return kal_store_get(w->stores[run % w->n_stores], run / w->n_stores, out_row);
}

// @}
// @{ The runs

// The slot of a run, counted from 1.
static uint64_t slot_of(const Work *w, uint64_t run)
{
    assert(run >= 1);
    return w->options->shards > 0 ? (run - 1) / w->options->shards : run - 1;
}

static bool skip(void *user, uint64_t run)
{
    const Work *w = (const Work *)user;
    return kal_store_has(w->stores[0], slot_of(w, run));
}

static bool watch(void *user)
{
    const KalSweepFileOptions *o = ((const Work *)user)->options;
    return !o->watch || o->watch(o->user);
}

static KalStatus take(void *user, const KalSweepRow *row)
{
    assert(row->run >= 1);
    Work *w = (Work *)user;
    KAL_TRY(kal_store_put(w->stores[0], slot_of(w, row->run), row));
    kal_ahead_note(w->ahead, row->run - 1);
    w->progress.done++;
    w->progress.failed += row->status != KAL_OK;
    if (w->options->tell) {
        w->options->tell(w->options->user, &w->progress);
    }
    return KAL_OK;
}

static void after(void *user)
{
    kal_ahead_work(((const Work *)user)->ahead);
}

// mpirun has a process for each core, or as many as are wanted.
static int threads_of(const Work *w)
{
    return w->ranks && w->options->threads == 0 ? 1 : w->options->threads;
}

// What ranks have to have in common.
static KalRanksWork ranks_work(const Work *w, const KalSweepJob *job)
{
    return (KalRanksWork){.key = kal_store_digest(w->identity.data, w->identity.size),
                          .values = kal_sweep_kept(w->sweep),
                          .samples = w->sweep->trajectories,
                          .runs = kal_sweep_runs(w->sweep),
                          .job = *job};
}

// The table of a shard comes with the merge, and how many rows samples make shows in the end.
static void make_ahead(Work *w)
{
    const KalSweep *sweep = w->sweep;
    const KalStreamSpec spec = {.path = w->path,
                                .n_columns =
                                    1 + kal_sweep_inputs(sweep) + kal_sweep_kept(sweep),
                                .n_texts = 1};
    if (w->options->shards == 0 && !sweep->trajectories) {
        w->ahead = kal_ahead_create(sweep, w->stores[0], &spec);
    }
}

// Runs that are in the store already are passed over; what is done is on disk after the
// flush, whatever becomes of the rest.
static KalStatus do_runs(Work *w)
{
    assert(w->n_stores == 1);
    const KalSweepFileOptions *o = w->options;
    const uint64_t before = kal_store_filled(w->stores[0]);
    const KalSweepJob job = {.threads = threads_of(w),
                             .alone = o->alone,
                             .shard = o->shard,
                             .shards = o->shards,
                             .skip = before > 0 ? skip : NULL,
                             .watch = watch,
                             .take = take,
                             .after = after,
                             .user = w};
    w->progress = (KalSweepProgress){
        .runs = runs_of(w, o->shard, o->shards), .done = before, .before = before};
    w->summary.before = before;
    make_ahead(w);
    if (o->tell) {
        o->tell(o->user, &w->progress);
    }
    const KalRanksWork work = ranks_work(w, &job);
    const KalStatus status = w->ranks ? kal_ranks_lead(w->ranks, w->sweep, &work)
                                      : kal_sweep_go(w->sweep, &job);
    const KalStatus flushed = kal_store_flush(w->stores[0]);
    return status == KAL_OK ? flushed : status;
}

// Runs for rank 0, which has the store.
static KalStatus help(Work *w)
{
    const KalSweepJob job = {.threads = threads_of(w),
                             .alone = w->options->alone,
                             .watch = watch,
                             .user = w};
    const KalRanksWork work = ranks_work(w, &job);
    return kal_ranks_follow(w->ranks, w->sweep, &work);
}

// @}
// @{ The file

static void add_marks(Work *w, const bool *marks)
{
    for (size_t i = 0; marks && i < kal_sweep_kept(w->sweep); i++) {
        w->marks[i] = w->marks[i] || marks[i];
        w->has_marks = w->has_marks || marks[i];
    }
}

// Count what became of the runs; all of them have a row.
static KalStatus summarize(Work *w)
{
    assert(w->n_stores > 0);
    const KalSweepFileOptions *o = w->options;
    const uint64_t runs = runs_of(w, o->shard, o->shards);
    uint64_t there = 0;
    w->longest = strlen("ok");
    w->summary.runs = runs;
    for (uint64_t run = 0; run < runs; run++) {
        KalStoreRow row;
        KAL_TRY(get(w, run, &row));
        if (row.there && (unsigned)row.status < KAL_SWEEP_STATUSES) {
            const size_t length = strlen(row.reason);
            w->summary.statuses[row.status]++;
            w->rows += row.n_samples > 0 ? row.n_samples : 1;
            w->longest = length > w->longest ? length : w->longest;
            add_marks(w, row.not_unique);
            there++;
        }
    }
    return there == runs
               ? KAL_OK
               : kal_fail(context(w), KAL_ERR_FILE,
                          "the work of the sweep lacks %llu of %llu rows: go "
                          "on with it by --resume",
                          (unsigned long long)(runs - there), (unsigned long long)runs);
}

// Let somebody see a row that was written.
static KalStatus show_row(const Work *w, uint64_t run, const KalStoreRow *kept,
                          const double *row)
{
    const KalSweepRow shown = {.run = run + 1,
                               .inputs = row + 1,
                               .values = row + 1 + kal_sweep_inputs(w->sweep),
                               .not_unique = kept->not_unique,
                               .status = kept->status,
                               .reason = kept->reason};
    return w->options->row ? w->options->row(w->options->user, &shown) : KAL_OK;
}

// The names of values that are not unique in a row.
static void print_marked(const Work *w, const bool *marks)
{
    size_t used = 0;
    w->marked[0] = '\0';
    for (size_t i = 0; marks && i < kal_sweep_kept(w->sweep); i++) {
        if (marks[i]) {
            used += (size_t)snprintf(w->marked + used, w->marked_size - used, "%s%s",
                                     used > 0 ? KAL_TABLE_MARKS_BETWEEN : "",
                                     kal_sweep_value(w->sweep, i).name);
            assert(used < w->marked_size);
        }
    }
}

// Texts of a row.
static size_t texts_of(const Work *w)
{
    return w->has_marks ? TEXTS : 1;
}

// Add a row with its texts.
static KalStatus add_row(const Work *w, KalStream *stream, const double *row,
                         const char *reason)
{
    const char *texts[TEXTS] = {w->marked, reason};
    return kal_stream_add(stream, row, w->has_marks ? texts : texts + 1);
}

// The row of a run that has no samples; its numbers may be in a stretch that is ready.
static KalStatus write_row(const Work *w, uint64_t run, const KalStoreRow *kept,
                           KalStream *stream, double *row, bool ready)
{
    if (!ready || w->options->row) {
        kal_sweep_fill_row(w->sweep, run, kept->values, row);
    }
    KAL_TRY(add_row(w, stream, ready ? NULL : row, kept->reason));
    return show_row(w, run, kept, row);
}

static KalStatus write_samples(const Work *w, uint64_t run, const KalStoreRow *kept,
                               KalStream *stream, double *row)
{
    double *values = row + 1 + kal_sweep_inputs(w->sweep);
    kal_sweep_fill_row(w->sweep, run, NULL, row);
    for (uint64_t i = 0; i < kept->n_samples; i++) {
        KAL_TRY(kal_store_get_sample(w->stores[run % w->n_stores], kept, i, values));
        KAL_TRY(add_row(w, stream, row, kept->reason));
    }
    return KAL_OK;
}

// The rows of a run.
static KalStatus write_run(const Work *w, uint64_t run, KalStream *stream, double *row,
                           bool ready)
{
    assert(w->n_stores > 0 && row);
    KalStoreRow kept;
    KAL_TRY(get(w, run, &kept));
    assert(kept.there);
    print_marked(w, kept.not_unique);
    return kept.n_samples == 0 ? write_row(w, run, &kept, stream, row, ready)
                               : write_samples(w, run, &kept, stream, row);
}

// Let the stream have the stretch that begins with a run, if it is ready; *end is then that of
// its rows.
static KalStatus use_stretch(const Work *w, uint64_t run, KalStream *stream,
                             uint64_t *end)
{
    const void *bytes = NULL;
    size_t size = 0;
    if (run % KAL_STRETCH_ROWS != 0
        || !kal_ahead_get(w->ahead, run / KAL_STRETCH_ROWS, texts_of(w), &bytes,
                          &size)) {
        return KAL_OK;
    }
    *end = run + KAL_STRETCH_ROWS;
    return kal_stream_use(stream, bytes, size);
}

static KalStatus write_rows(const Work *w, KalStream *stream, double *row)
{
    uint64_t end = 0; // of rows that are ready
    for (uint64_t run = 0; run < w->summary.runs; run++) {
        KAL_TRY(use_stretch(w, run, stream, &end));
        KAL_TRY(write_run(w, run, stream, row, run < end));
    }
    return kal_stream_finish(stream);
}

// What is to be known about the table.
static size_t list_notes(const Work *w, KalTableNote out_notes[8])
{
    const KalSystem *system = w->sweep->given;
    const KalSweepPlan *plan = &w->sweep->plan;
    size_t n = 0;
    out_notes[n++] = (KalTableNote){.key = "kind", .text = "sweep"};
    out_notes[n++] = (KalTableNote){.key = "model", .text = kal_system_title(system)};
    out_notes[n++] = (KalTableNote){.key = "model_text", .text = system->source->text};
    out_notes[n++] = (KalTableNote){.key = "kalaba", .text = kal_version()};
    if (w->options->command) {
        out_notes[n++] = (KalTableNote){.key = "command", .text = w->options->command};
    }
    if (plan->n_inputs > plan->n_grid) {
        out_notes[n++] = (KalTableNote){.key = "seed", .number = (double)plan->seed};
        out_notes[n++] = (KalTableNote){.key = "design",
                                        .text = kal_sweep_design_word(plan->design)};
    }
    assert(n <= 8);
    return n;
}

static void list_columns(const Work *w, KalQuantity *out_columns)
{
    assert(out_columns);
    const size_t inputs = kal_sweep_inputs(w->sweep);
    *out_columns++ = (KalQuantity){.name = RUN, .unit = "", .description = ""};
    for (size_t i = 0; i < inputs; i++) {
        *out_columns++ = kal_sweep_input(w->sweep, i);
    }
    for (size_t i = 0; i < kal_sweep_kept(w->sweep); i++) {
        *out_columns = kal_sweep_value(w->sweep, i);
        out_columns++->description = w->marks[i] ? KAL_TABLE_NOT_UNIQUE : "";
    }
}

static KalStatus write_with(const Work *w, KalQuantity *columns, double *row, size_t n)
{
    assert(n == 1 + kal_sweep_inputs(w->sweep) + kal_sweep_kept(w->sweep));
    KalTableNote notes[8];
    KalStream *stream = NULL;
    const KalStreamText texts[TEXTS] = {
        {MARKS,  w->marked_size},
        {STATUS, w->longest + 1}
    };
    list_columns(w, columns);
    const KalStreamSpec spec = {.path = w->path,
                                .columns = columns,
                                .n_columns = n,
                                .texts = w->has_marks ? texts : texts + 1,
                                .n_texts = texts_of(w),
                                .rows = w->rows,
                                .notes = notes,
                                .n_notes = list_notes(w, notes),
                                .threads = (int)kal_sweep_threads(threads_of(w))};
    KAL_TRY(kal_stream_create(context(w), &spec, &stream));
    const KalStatus status = write_rows(w, stream, row);
    kal_stream_destroy(stream);
    return status;
}

static KalStatus write_file(const Work *w)
{
    const size_t n = 1 + kal_sweep_inputs(w->sweep) + kal_sweep_kept(w->sweep);
    KalContext *ctx = context(w);
    KalQuantity *columns = (KalQuantity *)kal_alloc(ctx, n, sizeof *columns);
    double *row = (double *)kal_alloc(ctx, n, sizeof *row);
    const KalStatus status = columns && row ? write_with(w, columns, row, n)
                                            : kal_no_memory(ctx, "to write a sweep");
    kal_free(ctx, columns, columns ? n * sizeof *columns : 0);
    kal_free(ctx, row, row ? n * sizeof *row : 0);
    return status;
}

// The table is whole: the work is not needed any more.
static void remove_work(Work *w)
{
    const uint64_t shards = w->options->merge ? w->n_stores : 0;
    for (uint64_t k = 1; k <= w->n_stores; k++) {
        print_name(w, k, shards);
        (void)unlink(w->name);
    }
}

// @}

// All columns have names of their own; those of kept values differ from each other.
static KalStatus check_names(const Work *w)
{
    const size_t inputs = kal_sweep_inputs(w->sweep);
    const size_t values = kal_sweep_kept(w->sweep);
    for (size_t i = 0; i < inputs + values; i++) {
        const char *name = i < inputs ? kal_sweep_input(w->sweep, i).name
                                      : kal_sweep_value(w->sweep, i - inputs).name;
        bool taken = strcmp(name, RUN) == 0 || strcmp(name, STATUS) == 0
                     || strcmp(name, MARKS) == 0;
        for (size_t k = 0; i >= inputs && k < inputs; k++) {
            taken = taken || strcmp(name, kal_sweep_input(w->sweep, k).name) == 0;
        }
        if (taken) {
            return kal_fail(context(w), KAL_ERR_USAGE,
                            "the table of the sweep would have two columns '%.200s': "
                            "give it another name in the model",
                            name);
        }
    }
    return KAL_OK;
}

static KalStatus check(const Work *w)
{
    const KalSweepFileOptions *o = w->options;
    if (o->merge && (o->shards > 0 || o->resume)) {
        return kal_fail(
            context(w), KAL_ERR_USAGE,
            "what is merged has been done: neither a shard nor a resumption "
            "goes with it");
    }
    if (o->shards > MOST_SHARDS || o->shard > o->shards
        || (o->shard == 0) != (o->shards == 0)) {
        return kal_fail(context(w), KAL_ERR_USAGE,
                        "shards are k of n, with k from 1 to n and n up to %d",
                        (int)MOST_SHARDS);
    }
    if (o->ranks && (o->shards > 0 || o->merge)) {
        return kal_fail(context(w), KAL_ERR_USAGE,
                        "ranks share the runs among them: neither a shard nor a merge "
                        "goes with them");
    }
    KAL_TRY(kal_sweep_check_threads(context(w), o->threads));
    KAL_TRY(check_names(w));
    if (w->ranks && kal_ranks_own(w->ranks) > 0) {
        return KAL_OK; // rank 0 has the file
    }
    KAL_TRY(kal_stream_check(context(w), w->path));
    return kal_table_check_path(context(w), w->path);
}

// A shard leaves its store for the merge; otherwise the table is the only thing that
// stays.
static KalStatus finish(Work *w)
{
    kal_ahead_rest(w->ahead);
    KAL_TRY(summarize(w));
    if (w->options->not_unique) {
        memcpy(w->options->not_unique, w->marks,
               kal_sweep_kept(w->sweep) * sizeof *w->marks);
    }
    if (w->options->shards > 0) {
        return KAL_OK; // merging will write
    }
    KAL_TRY(write_file(w));
    remove_work(w);
    return KAL_OK;
}

// Bytes of the names of all values, as they stand in a row, with their end.
static size_t names_size(const Work *w)
{
    size_t size = 1;
    for (size_t i = 0; i < kal_sweep_kept(w->sweep); i++) {
        size +=
            strlen(KAL_TABLE_MARKS_BETWEEN) + strlen(kal_sweep_value(w->sweep, i).name);
    }
    return size;
}

// Merging reads all shards and does no runs; a rank other than the first helps and writes
// nothing; everybody else runs and writes.
static KalStatus go(Work *w)
{
    KAL_TRY(check(w));
    KAL_TRY(identify(w));
    w->name_size = strlen(w->path) + (size_t)2 * SUFFIX_SIZE;
    w->name = (char *)kal_alloc(context(w), w->name_size, 1);
    w->stores = (KalStore **)kal_alloc(context(w), MOST_SHARDS, sizeof(KalStore *));
    w->marked_size = names_size(w);
    w->marked = (char *)kal_alloc(context(w), w->marked_size, 1);
    w->marks =
        (bool *)kal_alloc(context(w), kal_sweep_kept(w->sweep) + 1, sizeof *w->marks);
    if (!w->name || !w->stores || !w->marked || !w->marks) {
        return kal_no_memory(context(w), "for a sweep");
    }
    if (w->options->merge) {
        KAL_TRY(open_shards(w));
        return finish(w);
    }
    if (w->ranks && kal_ranks_own(w->ranks) > 0) {
        return help(w);
    }
    KAL_TRY(open_own(w));
    const KalStatus status = do_runs(w);
    if (status != KAL_OK) {
        w->summary.runs = w->progress.runs;
        return status;
    }
    return finish(w);
}

KalStatus kal_sweep_write(const KalSweep *sweep, const char *path,
                          const KalSweepFileOptions *options,
                          KalSweepSummary *out_summary)
{
    KAL_NEED(sweep ? sweep->ctx : NULL, sweep && path && options && out_summary);
    Work w = {.sweep = sweep, .path = path, .options = options};
    if (options->ranks) {
        KAL_TRY(kal_ranks_join(sweep->ctx, &w.ranks));
        w.summary.rank = kal_ranks_own(w.ranks);
    }
    const KalStatus status = go(&w);
    if (status != KAL_OK) {
        kal_ranks_give_up(w.ranks, status);
    }
    kal_ahead_destroy(w.ahead);
    for (size_t i = 0; w.stores && i < w.n_stores; i++) {
        kal_store_destroy(w.stores[i]);
    }
    kal_free(sweep->ctx, w.stores,
             w.stores ? (size_t)MOST_SHARDS * sizeof(KalStore *) : 0);
    kal_free(sweep->ctx, w.name, w.name ? w.name_size : 0);
    kal_free(sweep->ctx, w.marked, w.marked ? w.marked_size : 0);
    kal_free(sweep->ctx, w.marks,
             w.marks ? (kal_sweep_kept(sweep) + 1) * sizeof *w.marks : 0);
    kal_block_clear(sweep->ctx, &w.identity);
    kal_ranks_leave(w.ranks);
    *out_summary = w.summary;
    return status;
}

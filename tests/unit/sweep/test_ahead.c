// SPDX-License-Identifier: MIT

// Tables that are made ready while runs are under way are those that are written in the end: the
// ones that shards are merged into, of which nothing is made ready.

#include "base/spool.h"
#include "base/whole_file.h"
#include "folder.h"
#include "sweep/ahead.h"
#include "sweep_lab.h"

#include <stdatomic.h>

enum {
    RUNS = 2 * KAL_STRETCH_ROWS + 116,
    MOST = 1 << 23, // bytes of a table
    NAME = 2 * FOLDER_SIZE
};

// Some fail at the start, which takes them out of their order; values beside.
static const char spring[] = "param k = 1, m = 1\ncoord x\nkinetic 1/2*m*x'^2\n"
                             "potential 1/2*k*x^2\ninit x = 1/sqrt(k)\n"
                             "simulate 0 .. 0.01 every 0.01\n";
static const char *const few[] = {"k = -0.01 .. 1.6399 count 16500"};

// Values of the last runs alone are not unique.
static const char twins[] = "param T = 1\ncoord x\nkinetic 1/2*x'^2\n"
                            "constraint one: x = 0\nconstraint twin: 2*x = 0, off\n"
                            "event join: t - T engage twin\n"
                            "output pull = reaction(one)\ninit x = 0\n"
                            "simulate 0 .. 0.01 every 0.01\n";
static const char *const late[] = {"T = 0.1654 .. 0.0005 count 16500"};

typedef struct Lab {
    SweepLab sweep;
    Folder folder;
    char path[NAME];
    char whole[NAME]; // the table that shards have been merged into
    atomic_long left; // runs until it is interrupted
} Lab;

static Lab lab; // large

static KalStatus write_file(const char *path, KalSweepFileOptions how)
{
    KalSweepSummary summary;
    return kal_sweep_write(lab.sweep.sweep, path, &how, &summary);
}

static bool write_shards(void)
{
    bool good = true;
    for (uint64_t k = 1; k <= 2; k++) {
        const KalSweepFileOptions how = {.shard = k, .shards = 2};
        good = write_file(lab.whole, how) == KAL_OK && good;
    }
    return write_file(lab.whole, (KalSweepFileOptions){.merge = true}) == KAL_OK
           && good;
}

static bool open_lab(const char *text, const char *const *vary, const char *keep,
                     const char *ending)
{
    const KalSweepOptions options = {.vary = vary, .n_vary = 1, .keep = keep};
    const bool opened = folder_open(&lab.folder)
                        && sweep_lab_open(&lab.sweep, text, -1) == KAL_OK
                        && sweep_lab_plan(&lab.sweep, options) == KAL_OK
                        && kal_sweep_runs(lab.sweep.sweep) == RUNS;
    if (!ok(opened)) {
        printf("# %s\n", kal_context_message(lab.sweep.ctx));
        return false;
    }
    snprintf(lab.path, sizeof lab.path, "%s/a%s", lab.folder.path, ending);
    snprintf(lab.whole, sizeof lab.whole, "%s/b%s", lab.folder.path, ending);
    return ok(write_shards());
}

static void close_lab(void)
{
    sweep_lab_close(&lab.sweep);
    folder_close(&lab.folder);
}

static bool is_same_file(void)
{
    KalContext *ctx = NULL;
    KalBlock a = {.size = 0};
    KalBlock b = {.size = 0};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    const bool same = kal_file_read(ctx, lab.path, MOST, &a) == KAL_OK
                      && kal_file_read(ctx, lab.whole, MOST, &b) == KAL_OK
                      && a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
    kal_block_clear(ctx, &a);
    kal_block_clear(ctx, &b);
    kal_context_destroy(ctx);
    return same;
}

static bool watch(void *user)
{
    (void)user;
    return lab.left > 0;
}

static void tell(void *user, const KalSweepProgress *progress)
{
    (void)user;
    lab.left -= progress->done > progress->before;
}

static void go_on_often(int threads)
{
    KalStatus status = KAL_ERR_INTERRUPTED;
    int rounds = 0;
    while (status == KAL_ERR_INTERRUPTED && rounds < 100) {
        const KalSweepFileOptions how = {
            .threads = threads, .resume = true, .watch = watch, .tell = tell};
        lab.left = 3000 + 700 * rounds;
        status = write_file(lab.path, how);
        rounds++;
    }
    ok(status == KAL_OK && rounds > 2);
}

static void try_table(const char *text, const char *const *vary, const char *keep,
                      const char *ending, int most_threads)
{
    if (!open_lab(text, vary, keep, ending)) {
        return;
    }
    for (int threads = 1; threads <= most_threads; threads += 2) {
        ok(write_file(lab.path, (KalSweepFileOptions){.threads = threads}) == KAL_OK);
        ok(is_same_file());
        remove(lab.path);
        go_on_often(threads);
        ok(is_same_file());
    }
    ok(folder_count(&lab.folder, "") == 2); // nothing is left beside them
    close_lab();
}

static void tables_are_those_that_are_written_in_the_end(void)
{
    try_table(spring, few, "final(x), final(x')", ".csv", 3);
    try_table(spring, few, "final(x), final(x')", ".h5", 3);
}

static void values_that_are_not_unique_in_late_runs_are_marked(void)
{
    try_table(twins, late, "final(pull), when(join)", ".csv", 1);
    try_table(twins, late, "final(pull), when(join)", ".h5", 1);
}

// A store with the rows of all runs, numbers that have no end.
static KalStore *make_store(void)
{
    KalStore *store = NULL;
    const KalStoreSpec spec = {.path = lab.path,
                               .identity = "a",
                               .identity_size = 1,
                               .slots = RUNS,
                               .values = 2};
    ok(kal_store_create(lab.sweep.ctx, &spec, &store) == KAL_OK);
    for (uint64_t run = 0; run < RUNS && store; run++) {
        const double values[2] = {1.0 / (double)(run + 3), (double)run};
        const KalSweepRow row = {.run = run + 1, .values = values, .reason = "ok"};
        ok(kal_store_put(store, run, &row) == KAL_OK);
    }
    return store;
}

static KalAhead *make_ahead(KalStore *store)
{
    const KalStreamSpec spec = {.path = lab.whole, .n_columns = 4, .n_texts = 1};
    return kal_ahead_create(lab.sweep.sweep, store, &spec);
}

// Stretches are there once all of their rows are, whatever came first.
static void stretches_are_ready_when_their_rows_are_there(void)
{
    const void *bytes = NULL;
    size_t size = 0;
    if (!open_lab(spring, few, "final(x), final(x')", ".csv")) {
        return;
    }
    KalStore *store = make_store();
    KalAhead *ahead = make_ahead(store);
    if (!ok(ahead != NULL)) {
        return;
    }
    for (uint64_t run = RUNS; run-- > 1;) {
        kal_ahead_note(ahead, run);
        kal_ahead_work(ahead);
    }
    kal_ahead_rest(ahead);
    ok(!kal_ahead_get(ahead, 0, 1, &bytes, &size)); // a row is missing
    ok(!kal_ahead_get(ahead, 1, 2, &bytes, &size)); // lines have other texts
    ok(!kal_ahead_get(ahead, 2, 1, &bytes, &size)); // fewer rows
    if (ok(kal_ahead_get(ahead, 1, 1, &bytes, &size))) {
        double row[4];
        char *rest = (char *)bytes;
        for (int i = 0; i < 4; i++) {
            row[i] = strtod(rest, &rest);
            rest += *rest == ',';
        }
        ok(row[0] == 8193.0 && row[2] == 1.0 / 8195.0 && row[3] == 8192.0);
        ok(strncmp(rest, "ok\n", 3) == 0);
        ok(size > 0 && ((const char *)bytes)[size - 1] == '\n');
    }
    kal_ahead_destroy(ahead);
    kal_store_destroy(store);
    close_lab();
}

// Without memory there is nothing ahead, and nothing is lost or left.
static void without_memory_nothing_is_ready(void)
{
    const KalSweepOptions options = {.vary = few, .n_vary = 1, .keep = "final(x)"};
    int made = 0;
    for (long calls = 0; made == 0 && calls < 100; calls = fault_next(calls)) {
        KalStore *store = NULL;
        ok(folder_open(&lab.folder));
        snprintf(lab.path, sizeof lab.path, "%s/a.h5.sweep", lab.folder.path);
        snprintf(lab.whole, sizeof lab.whole, "%s/a.h5", lab.folder.path);
        const KalStoreSpec spec = {.path = lab.path,
                                   .identity = "a",
                                   .identity_size = 1,
                                   .slots = RUNS,
                                   .values = 1};
        ok(sweep_lab_open(&lab.sweep, spring, 1000000) == KAL_OK
           && sweep_lab_plan(&lab.sweep, options) == KAL_OK
           && kal_store_create(lab.sweep.ctx, &spec, &store) == KAL_OK);
        lab.sweep.fault.calls_left = calls;
        KalAhead *ahead = make_ahead(store);
        lab.sweep.fault.calls_left = -1;
        made += ahead != NULL;
        ok(folder_count(&lab.folder, "") == 1);
        kal_ahead_destroy(ahead);
        kal_store_destroy(store);
        close_lab();
    }
    ok(made == 1);
}

static void none_is_nothing(void)
{
    const void *bytes = NULL;
    size_t size = 0;
    kal_ahead_note(NULL, 1);
    kal_ahead_work(NULL);
    kal_ahead_rest(NULL);
    ok(!kal_ahead_get(NULL, 0, 1, &bytes, &size));
    kal_ahead_destroy(NULL);
}

TAP_RUN(TAP_CASE(tables_are_those_that_are_written_in_the_end),
        TAP_CASE(values_that_are_not_unique_in_late_runs_are_marked),
        TAP_CASE(stretches_are_ready_when_their_rows_are_there),
        TAP_CASE(without_memory_nothing_is_ready), TAP_CASE(none_is_nothing))

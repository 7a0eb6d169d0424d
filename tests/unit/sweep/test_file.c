// SPDX-License-Identifier: MIT

// Sweeps into files: shards, interruptions, resumption, what is left beside them.

#include "folder.h"
#include "sweep_lab.h"

static const char spring[] = "param k = 1, m = 1\ncoord x\nkinetic 1/2*m*x'^2\n"
                             "potential 1/2*k*x^2\ninit x = 1\n"
                             "simulate 0 .. 1/sqrt(m - 0.1) every 1\n";
static const char *const vary[] = {"k = 1 .. 3 count 11", "m = 0, 1, 2"};
static const char *const random[] = {"x' = normal(0, 1)"};
static const KalSweepOptions options = {.vary = vary,
                                        .n_vary = 2,
                                        .random = random,
                                        .n_random = 1,
                                        .count = 2,
                                        .keep = "final(x), max(x)"};

enum {
    RUNS = 66,
    FILE_SIZE = 1 << 16
};

typedef struct Lab {
    SweepLab sweep;
    Folder folder;
    char path[2 * FOLDER_SIZE];
    char whole[FILE_SIZE]; // the file of an uninterrupted sweep in one thread
    long left;             // runs until it is interrupted
} Lab;

static Lab lab; // large

static KalStatus write_file(KalSweepFileOptions how, KalSweepSummary *summary)
{
    return kal_sweep_write(lab.sweep.sweep, lab.path, &how, summary);
}

static bool is_same_file(void)
{
    static char text[FILE_SIZE];
    folder_read(&lab.folder, "a.csv", text, sizeof text);
    return strcmp(text, lab.whole) == 0;
}

static bool open_lab(void)
{
    KalSweepSummary summary;
    const bool opened = folder_open(&lab.folder)
                        && sweep_lab_open(&lab.sweep, spring, -1) == KAL_OK
                        && sweep_lab_plan(&lab.sweep, options) == KAL_OK;
    if (!ok(opened)) {
        return false;
    }
    snprintf(lab.path, sizeof lab.path, "%s", folder_file(&lab.folder, "a.csv"));
    ok(write_file((KalSweepFileOptions){.threads = 1}, &summary) == KAL_OK);
    folder_read(&lab.folder, "a.csv", lab.whole, sizeof lab.whole);
    ok(summary.runs == RUNS && summary.before == 0 && summary.statuses[KAL_OK] == 44
       && summary.statuses[KAL_ERR_NUMBER] == 22);
    ok(folder_count(&lab.folder, "") == 1); // nothing is left beside it
    return true;
}

static void close_lab(void)
{
    sweep_lab_close(&lab.sweep);
    folder_close(&lab.folder);
}

static void files_have_a_row_for_each_run(void)
{
    int lines = 0;
    if (!open_lab()) {
        return;
    }
    ok(strstr(lab.whole, "run,k,m,x',final(x),max(x),status\n1,1,0,") == lab.whole);
    for (const char *c = lab.whole; *c; c++) {
        lines += *c == '\n';
    }
    ok(lines == RUNS + 1);
    has_text(lab.whole, ",ok\n");
    has_text(lab.whole, ",nan,nan,");
    close_lab();
}

static void threads_make_no_difference(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    for (int threads = 2; threads < 6; threads++) {
        ok(write_file((KalSweepFileOptions){.threads = threads}, &summary) == KAL_OK);
        ok(is_same_file());
    }
    close_lab();
}

static void shards_are_merged(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    for (uint64_t n = 1; n < 8; n += 3) {
        remove(lab.path);
        ok(write_file((KalSweepFileOptions){.merge = true}, &summary) == KAL_ERR_USAGE);
        for (uint64_t k = n; k >= 1; k--) {
            const KalSweepFileOptions how = {.shard = k, .shards = n, .threads = 1};
            ok(write_file(how, &summary) == KAL_OK);
            ok(summary.runs == (RUNS + n - k) / n);
            ok(access(lab.path, F_OK) != 0);
        }
        ok(folder_count(&lab.folder, ".sweep") == (int)n);
        ok(write_file((KalSweepFileOptions){.merge = true}, &summary) == KAL_OK);
        ok(is_same_file() && folder_count(&lab.folder, "") == 1);
    }
    close_lab();
}

static void lacking_shards_are_named(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    ok(write_file((KalSweepFileOptions){.shard = 1, .shards = 2}, &summary) == KAL_OK);
    ok(write_file((KalSweepFileOptions){.merge = true}, &summary) == KAL_ERR_FILE);
    has_text(kal_context_message(lab.sweep.ctx), "2-of-2.sweep");
    close_lab();
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
    ok(progress->runs == RUNS && progress->done <= RUNS);
}

// Ended again and again, and gone on with, it comes to the same file.
static void interruptions_make_no_difference(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    for (int threads = 1; threads <= 3; threads++) {
        KalStatus status = KAL_ERR_INTERRUPTED;
        int rounds = 0;
        remove(lab.path);
        while (status == KAL_ERR_INTERRUPTED && rounds < 100) {
            const KalSweepFileOptions how = {
                .threads = threads, .resume = true, .watch = watch, .tell = tell};
            lab.left = 5 + rounds % 3;
            status = write_file(how, &summary);
            ok(status == KAL_OK || access(lab.path, F_OK) != 0);
            rounds++;
        }
        ok(status == KAL_OK && rounds > 3 && summary.before > 40);
        ok(is_same_file() && folder_count(&lab.folder, "") == 1);
    }
    close_lab();
}

static KalStatus interrupt(bool resume)
{
    KalSweepSummary summary;
    lab.left = 5;
    return write_file(
        (KalSweepFileOptions){
            .threads = 1, .resume = resume, .watch = watch, .tell = tell},
        &summary);
}

static void other_sweeps_do_not_go_on(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    KalSweepOptions others[4] = {options, options, options, options};
    others[0].seed = 1;
    others[1].keep = "final(x), min(x)";
    others[2].design = KAL_SWEEP_LATIN;
    others[3].n_vary = 1;
    ok(interrupt(false) == KAL_ERR_INTERRUPTED);
    for (int i = 0; i < 4; i++) {
        ok(sweep_lab_plan(&lab.sweep, others[i]) == KAL_OK);
        ok(write_file((KalSweepFileOptions){.resume = true}, &summary)
           == KAL_ERR_USAGE);
        has_text(kal_context_message(lab.sweep.ctx), "another sweep");
    }
    ok(sweep_lab_plan(&lab.sweep, options) == KAL_OK);
    ok(write_file((KalSweepFileOptions){.resume = true}, &summary) == KAL_OK);
    ok(is_same_file() && summary.before > 0);
    close_lab();
}

// Work that nobody goes on with is not lost.
static void work_is_put_aside(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    ok(interrupt(false) == KAL_ERR_INTERRUPTED);
    ok(write_file((KalSweepFileOptions){.threads = 1}, &summary) == KAL_OK);
    ok(is_same_file() && summary.before == 0);
    ok(folder_count(&lab.folder, ".sweep.old") == 1
       && folder_count(&lab.folder, "") == 2);
    close_lab();
}

static void wrong_use_is_refused(void)
{
    KalSweepSummary summary;
    if (!open_lab()) {
        return;
    }
    const KalSweepFileOptions none = {.threads = 1};
    const KalSweep *sweep = lab.sweep.sweep;
    ok(kal_sweep_write(NULL, lab.path, &none, &summary) == KAL_ERR_USAGE);
    ok(kal_sweep_write(sweep, NULL, &none, &summary) == KAL_ERR_USAGE);
    ok(kal_sweep_write(sweep, lab.path, NULL, &summary) == KAL_ERR_USAGE);
    ok(kal_sweep_write(sweep, lab.path, &none, NULL) == KAL_ERR_USAGE);
    ok(kal_sweep_write(sweep, "a.mat", &none, &summary) == KAL_ERR_USAGE);
    ok(kal_sweep_write(sweep, "/nowhere/a.csv", &none, &summary) == KAL_ERR_FILE);
    ok(write_file((KalSweepFileOptions){.shard = 3, .shards = 2}, &summary)
       == KAL_ERR_USAGE);
    ok(write_file((KalSweepFileOptions){.merge = true, .resume = true}, &summary)
       == KAL_ERR_USAGE);
    ok(write_file((KalSweepFileOptions){.threads = -3}, &summary) == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.sweep.ctx), "not -3");
    ok(write_file((KalSweepFileOptions){.threads = -3, .merge = true}, &summary)
       == KAL_ERR_USAGE);
    has_text(kal_context_message(lab.sweep.ctx), "not -3");
    close_lab();
}

TAP_RUN(TAP_CASE(files_have_a_row_for_each_run), TAP_CASE(threads_make_no_difference),
        TAP_CASE(shards_are_merged), TAP_CASE(lacking_shards_are_named),
        TAP_CASE(interruptions_make_no_difference), TAP_CASE(other_sweeps_do_not_go_on),
        TAP_CASE(work_is_put_aside), TAP_CASE(wrong_use_is_refused))

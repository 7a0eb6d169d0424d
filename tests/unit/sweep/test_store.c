// SPDX-License-Identifier: MIT

// Work in progress: what was written is there again, and nothing else is taken for it.

#include "fault.h"
#include "folder.h"
#include "sweep/store.h"
#include "tap.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    VALUES = 3,
    SLOT_SIZE = 48 + 8 * VALUES, // in the file
    MOST_SAMPLES = 12000,
    SLOTS = 5000
};

static const char identity[] = "what is to be done";

static KalStoreSpec spec_of(Folder *folder)
{
    return (KalStoreSpec){.path = folder_file(folder, "a.sweep"),
                          .identity = identity,
                          .identity_size = sizeof identity,
                          .slots = SLOTS,
                          .values = VALUES};
}

static bool fails(uint64_t slot)
{
    return slot % 7 == 3;
}

static KalStatus put(KalStore *store, uint64_t slot)
{
    char reason[64] = "ok";
    const double values[VALUES] = {(double)slot, -1.0 / (double)(slot + 1), NAN};
    if (fails(slot)) {
        snprintf(reason, sizeof reason, "reason %d", (int)slot);
    }
    const bool marks[VALUES] = {false, true, false};
    const KalSweepRow row = {.values = values,
                             .not_unique = slot % 5 == 2 ? marks : NULL,
                             .status = fails(slot) ? KAL_ERR_STEP : KAL_OK,
                             .reason = reason};
    return kal_store_put(store, slot, &row);
}

static bool is_whole(KalStore *store, uint64_t slot)
{
    char reason[64] = "ok";
    KalStoreRow row = {.there = false};
    if (fails(slot)) {
        snprintf(reason, sizeof reason, "reason %d", (int)slot);
    }
    return kal_store_get(store, slot, &row) == KAL_OK && row.there
           && row.status == (fails(slot) ? KAL_ERR_STEP : KAL_OK)
           && row.values[0] == (double)slot
           && row.values[1] == -1.0 / (double)(slot + 1) && isnan(row.values[2])
           && (slot % 5 == 2 ? row.not_unique && !row.not_unique[0] && row.not_unique[1]
                                   && !row.not_unique[2]
                             : !row.not_unique)
           && strcmp(row.reason, reason) == 0;
}

static bool is_empty(KalStore *store, uint64_t slot)
{
    KalStoreRow row = {.there = true};
    return kal_store_get(store, slot, &row) == KAL_OK && !row.there;
}

// A folder with a store in it.
typedef struct Lab {
    Folder folder;
    KalContext *ctx;
    KalStore *store;
    KalStoreSpec spec;
} Lab;

static bool open_lab(Lab *lab)
{
    *lab = (Lab){.ctx = NULL};
    if (!ok(folder_open(&lab->folder)
            && kal_context_create(NULL, NULL, &lab->ctx) == KAL_OK)) {
        return false;
    }
    lab->spec = spec_of(&lab->folder);
    return true;
}

static void close_lab(Lab *lab)
{
    kal_store_destroy(lab->store);
    kal_context_destroy(lab->ctx);
    folder_close(&lab->folder);
}

// In any order, in several sittings.
static void rows_are_there_again(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK
       && kal_store_filled(lab.store) == 0);
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < SLOTS / 5; i++) {
            ok(put(lab.store, (i * 5 + round) * 1999 % SLOTS) == KAL_OK);
        }
        ok(kal_store_flush(lab.store) == KAL_OK);
        kal_store_destroy(lab.store);
        lab.store = NULL;
        ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
        ok(kal_store_filled(lab.store) == (round + 1) * SLOTS / 5);
    }
    for (uint64_t i = 0; i < SLOTS; i++) {
        const uint64_t slot = i * 1999 % SLOTS;
        ok(kal_store_has(lab.store, slot) == (i % 5 < 3));
        ok(i % 5 < 3 ? is_whole(lab.store, slot) : is_empty(lab.store, slot));
    }
    close_lab(&lab);
}

static double seconds_now(void)
{
    struct timespec time = {.tv_sec = 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Rows that were not written are lost, and no others.
static void a_process_that_ends_loses_little(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    const double began = seconds_now();
    ok(put(lab.store, 0) == KAL_OK && kal_store_flush(lab.store) == KAL_OK);
    ok(put(lab.store, 1) == KAL_OK);
    const bool waits = seconds_now() - began < 0.2; // it may not on a busy machine
    kal_store_destroy(lab.store);                   // as if killed
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    ok(kal_store_has(lab.store, 0) && !(waits && kal_store_has(lab.store, 1)));
    close_lab(&lab);
}

// A row does not wait for the next one, which may take long.
static void rows_are_written_in_time(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    ok(put(lab.store, 2) == KAL_OK && kal_store_flush(lab.store) == KAL_OK);
    ok(put(lab.store, 3) == KAL_OK && put(lab.store, 7) == KAL_OK);
    bool there = false;
    for (int i = 0; i < 100 && !there;
         i++) { // a quarter of a second, or a busy machine
        KalStore *other = NULL;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        ok(kal_store_open(lab.ctx, &lab.spec, &other) == KAL_OK);
        there = kal_store_filled(other) == 3;
        kal_store_destroy(other);
    }
    ok(there);
    close_lab(&lab);
}

// Which of four slots a byte of the file, counted from the first slot, belongs to: behind them
// are the marks of one and the reason of another.
static uint64_t owner_of(long at)
{
    return at < 4 * SLOT_SIZE            ? (uint64_t)at / SLOT_SIZE
           : at < 4 * SLOT_SIZE + VALUES ? 2
                                         : 3;
}

static void flip(FILE *file, long at)
{
    fseek(file, at, SEEK_SET);
    const int old = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(old ^ 0x10, file);
    fflush(file);
}

// Whatever byte of the rows is changed or cut off, no wrong row comes out.
static void what_is_damaged_is_empty(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    lab.spec.slots = 4;
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    for (uint64_t i = 0; i < 4; i++) {
        ok(put(lab.store, i) == KAL_OK);
    }
    ok(kal_store_flush(lab.store) == KAL_OK);
    kal_store_destroy(lab.store);
    FILE *file = fopen(lab.spec.path, "r+b");
    const long size = 4 * SLOT_SIZE + VALUES + (long)strlen("reason 3");
    ok(file && fseek(file, 0, SEEK_END) == 0 && ftell(file) == 64 + size);
    for (long at = 0; file && at < size; at++) {
        flip(file, 64 + at);
        ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
        for (uint64_t slot = 0; slot < 4; slot++) {
            ok(slot == owner_of(at)
                   ? !kal_store_has(lab.store, slot)
                   : kal_store_has(lab.store, slot) && is_whole(lab.store, slot));
        }
        kal_store_destroy(lab.store);
        flip(file, 64 + at);
    }
    ok(file && fclose(file) == 0);
    ok(truncate(lab.spec.path, 64 + SLOT_SIZE + 20) == 0);
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    ok(is_whole(lab.store, 0) && is_empty(lab.store, 1) && is_empty(lab.store, 3));
    close_lab(&lab);
}

static KalStatus put_samples(KalStore *store, uint64_t slot, size_t n)
{
    static double samples[MOST_SAMPLES * VALUES];
    for (size_t i = 0; i < n * VALUES; i++) {
        samples[i] = (double)(slot * MOST_SAMPLES + i);
    }
    const KalSweepRow row = {.values = samples,
                             .samples = samples,
                             .n_samples = n,
                             .status = fails(slot) ? KAL_ERR_STEP : KAL_OK,
                             .reason = fails(slot) ? "late" : "ok"};
    return kal_store_put(store, slot, &row);
}

static bool has_samples(KalStore *store, uint64_t slot, size_t n)
{
    KalStoreRow row = {.there = false};
    double values[VALUES];
    bool same = kal_store_get(store, slot, &row) == KAL_OK && row.there && !row.values
                && row.n_samples == n
                && strcmp(row.reason, fails(slot) ? "late" : "ok") == 0;
    for (size_t i = 0; same && i < n; i++) {
        same = kal_store_get_sample(store, &row, i, values) == KAL_OK
               && values[0] == (double)(slot * MOST_SAMPLES + i * VALUES)
               && values[2] == values[0] + 2.0;
    }
    return same;
}

// Any number of samples, from none to more than a buffer; those that were cut off are missed.
static void samples_are_there_again(void)
{
    static const size_t counts[4] = {1, 0, MOST_SAMPLES, 3};
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    lab.spec.slots = 4;
    lab.spec.samples = true;
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    for (uint64_t i = 4; i-- > 0;) {
        ok(put_samples(lab.store, i, counts[i]) == KAL_OK);
    }
    ok(kal_store_flush(lab.store) == KAL_OK);
    kal_store_destroy(lab.store);
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK
       && kal_store_filled(lab.store) == 4);
    for (uint64_t i = 0; i < 4; i++) {
        ok(has_samples(lab.store, i, counts[i]));
    }
    kal_store_destroy(lab.store);
    ok(truncate(lab.spec.path, 200000) == 0);
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK
       && kal_store_filled(lab.store) == 2);
    ok(!kal_store_has(lab.store, 0) && kal_store_has(lab.store, 1)
       && !kal_store_has(lab.store, 2) && kal_store_has(lab.store, 3));
    close_lab(&lab);
}

static void other_work_is_refused(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_FILE); // there is none
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    kal_store_destroy(lab.store);
    lab.store = NULL;
    lab.spec.identity = "what is to be dome";
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_USAGE);
    lab.spec.identity_size--;
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_USAGE);
    ok(folder_write(&lab.folder, "a.sweep", "a text of someone"));
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_USAGE && !lab.store);
    lab.spec.path = "/nowhere/a.sweep";
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_FILE && !lab.store);
    close_lab(&lab);
}

// Whether a file of so many bytes is taken up as one without rows, and rows are there again.
static bool is_taken_up(Lab *lab, const char *bytes, size_t size)
{
    FILE *file = fopen(lab->spec.path, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    good = file && fclose(file) == 0 && good
           && kal_store_open(lab->ctx, &lab->spec, &lab->store) == KAL_OK
           && kal_store_filled(lab->store) == 0 && put(lab->store, 2) == KAL_OK
           && kal_store_flush(lab->store) == KAL_OK;
    kal_store_destroy(lab->store);
    lab->store = NULL;
    good = good && kal_store_open(lab->ctx, &lab->spec, &lab->store) == KAL_OK
           && kal_store_filled(lab->store) == 1 && is_whole(lab->store, 2);
    kal_store_destroy(lab->store);
    lab->store = NULL;
    return good;
}

// The head of a file ends with its first word: who is killed at any moment before it is there, or
// finds no room for it, has done nothing, whatever it was to be the work of.
static void what_was_hardly_begun_begins_anew(void)
{
    enum {
        MAGIC_SIZE = 15,
        HEAD_SIZE = MAGIC_SIZE + 8 + sizeof identity
    };

    char head[HEAD_SIZE];
    char bytes[HEAD_SIZE];
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    kal_store_destroy(lab.store);
    FILE *file = fopen(lab.spec.path, "rb");
    ok(file && fread(head, 1, sizeof head, file) == sizeof head && fclose(file) == 0);
    memcpy(bytes, head, sizeof head);
    memset(bytes, 0, MAGIC_SIZE);
    for (size_t size = 0; size <= HEAD_SIZE; size++) {
        ok(is_taken_up(&lab, bytes, size));
    }
    bytes[MAGIC_SIZE + 8] ^= 1; // the work of another sweep
    for (size_t n = 0; n < MAGIC_SIZE; n++) {
        memcpy(bytes, head, n);
        ok(is_taken_up(&lab, bytes, HEAD_SIZE));
    }
    // of somebody else
    static const char zeros[1000] = {0};
    ok(folder_write(&lab.folder, "a.sweep", "kalaba swims"));
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_USAGE);
    file = fopen(lab.spec.path, "wb");
    ok(file && fwrite(zeros, 1, sizeof zeros, file) == sizeof zeros
       && fclose(file) == 0);
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_ERR_USAGE && !lab.store);
    close_lab(&lab);
}

// In another process: whether it is refused a new file, and leaves the one that is there alone.
static bool is_refused_elsewhere(const KalStoreSpec *spec)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        KalContext *ctx = NULL;
        KalStore *store = NULL;
        const bool good = kal_context_create(NULL, NULL, &ctx) == KAL_OK;
        _exit(good && kal_store_create(ctx, spec, &store) == KAL_ERR_FILE ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0
           && access(spec->aside, F_OK) != 0;
}

// Work that is there is moved aside, but never from under somebody who is at it.
static void new_work_does_not_replace_other_work(void)
{
    Lab lab;
    if (!open_lab(&lab)) {
        return;
    }
    char aside[2 * FOLDER_SIZE];
    snprintf(aside, sizeof aside, "%s.old", lab.spec.path);
    lab.spec.aside = aside;
    ok(folder_write(&lab.folder, "a.sweep", "")); // nothing to keep
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK);
    ok(put(lab.store, 5) == KAL_OK && kal_store_flush(lab.store) == KAL_OK);
    ok(is_refused_elsewhere(&lab.spec));
    kal_store_destroy(lab.store);
    ok(kal_store_create(lab.ctx, &lab.spec, &lab.store) == KAL_OK
       && kal_store_filled(lab.store) == 0);
    kal_store_destroy(lab.store);
    lab.spec.path = aside;
    ok(kal_store_open(lab.ctx, &lab.spec, &lab.store) == KAL_OK
       && kal_store_filled(lab.store) == 1 && is_whole(lab.store, 5));
    close_lab(&lab);
}

static void every_allocation_may_fail(void)
{
    for (long n = 1; n < 10; n++) {
        Fault fault = {.calls_left = n};
        KalContext *ctx = NULL;
        KalStore *store = NULL;
        Folder folder;
        ok(folder_open(&folder));
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        const KalStoreSpec spec = spec_of(&folder);
        KalStatus status = kal_store_create(ctx, &spec, &store);
        kal_store_destroy(store);
        store = NULL;
        status = status == KAL_OK ? kal_store_open(ctx, &spec, &store) : status;
        ok(status == (n < 8 ? KAL_ERR_NOMEM : KAL_OK));
        kal_store_destroy(store);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
        folder_close(&folder);
    }
}

TAP_RUN(TAP_CASE(rows_are_there_again), TAP_CASE(a_process_that_ends_loses_little),
        TAP_CASE(rows_are_written_in_time), TAP_CASE(what_is_damaged_is_empty),
        TAP_CASE(samples_are_there_again), TAP_CASE(other_work_is_refused),
        TAP_CASE(what_was_hardly_begun_begins_anew),
        TAP_CASE(new_work_does_not_replace_other_work),
        TAP_CASE(every_allocation_may_fail))

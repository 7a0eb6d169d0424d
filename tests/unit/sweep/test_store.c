// SPDX-License-Identifier: MIT

// Work in progress: what was written is there again, and nothing else is taken for it.

#include "fault.h"
#include "folder.h"
#include "sweep/store.h"
#include "tap.h"

#include <math.h>
#include <time.h>

enum {
    VALUES = 3,
    SLOT_SIZE = 40 + 8 * VALUES, // in the file
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
    const KalSweepRow row = {.values = values,
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
           && strcmp(row.reason, reason) == 0;
}

static bool is_empty(KalStore *store, uint64_t slot)
{
    KalStoreRow row = {.there = true};
    return kal_store_get(store, slot, &row) == KAL_OK && !row.there;
}

static bool open_lab(Folder *folder, KalContext **ctx)
{
    return ok(folder_open(folder) && kal_context_create(NULL, NULL, ctx) == KAL_OK);
}

// In any order, in several sittings.
static void rows_are_there_again(void)
{
    KalContext *ctx = NULL;
    KalStore *store = NULL;
    Folder folder;
    if (!open_lab(&folder, &ctx)) {
        return;
    }
    const KalStoreSpec spec = spec_of(&folder);
    ok(kal_store_create(ctx, &spec, &store) == KAL_OK && kal_store_filled(store) == 0);
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < SLOTS / 5; i++) {
            ok(put(store, (i * 5 + round) * 1999 % SLOTS) == KAL_OK);
        }
        ok(kal_store_flush(store) == KAL_OK);
        kal_store_destroy(store);
        store = NULL;
        ok(kal_store_open(ctx, &spec, &store) == KAL_OK);
        ok(kal_store_filled(store) == (round + 1) * SLOTS / 5);
    }
    for (uint64_t i = 0; i < SLOTS; i++) {
        const uint64_t slot = i * 1999 % SLOTS;
        ok(kal_store_has(store, slot) == (i % 5 < 3));
        ok(i % 5 < 3 ? is_whole(store, slot) : is_empty(store, slot));
    }
    kal_store_destroy(store);
    kal_context_destroy(ctx);
    folder_close(&folder);
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
    KalContext *ctx = NULL;
    KalStore *store = NULL;
    Folder folder;
    if (!open_lab(&folder, &ctx)) {
        return;
    }
    const KalStoreSpec spec = spec_of(&folder);
    ok(kal_store_create(ctx, &spec, &store) == KAL_OK);
    const double began = seconds_now();
    ok(put(store, 0) == KAL_OK && kal_store_flush(store) == KAL_OK);
    ok(put(store, 1) == KAL_OK);
    const bool waits = seconds_now() - began < 0.2; // it may not on a busy machine
    kal_store_destroy(store);                       // as if killed
    ok(kal_store_open(ctx, &spec, &store) == KAL_OK);
    ok(kal_store_has(store, 0) && !(waits && kal_store_has(store, 1)));
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    ok(put(store, 2) == KAL_OK); // it waited long enough
    kal_store_destroy(store);
    ok(kal_store_open(ctx, &spec, &store) == KAL_OK);
    ok(kal_store_has(store, 2) && is_whole(store, 2));
    kal_store_destroy(store);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

// Whatever byte of the slots is changed or cut off, no wrong row comes out.
static void what_is_damaged_is_empty(void)
{
    KalContext *ctx = NULL;
    KalStore *store = NULL;
    Folder folder;
    if (!open_lab(&folder, &ctx)) {
        return;
    }
    KalStoreSpec spec = spec_of(&folder);
    spec.slots = 4;
    ok(kal_store_create(ctx, &spec, &store) == KAL_OK);
    for (uint64_t i = 0; i < 4; i++) {
        ok(put(store, i) == KAL_OK);
    }
    ok(kal_store_flush(store) == KAL_OK);
    kal_store_destroy(store);
    FILE *file = fopen(spec.path, "r+b");
    for (long at = 64; file && at < 64 + 3 * SLOT_SIZE;
         at++) { // the last one has a reason
        fseek(file, at, SEEK_SET);
        const int old = fgetc(file);
        fseek(file, at, SEEK_SET);
        fputc(old ^ 0x10, file);
        fflush(file);
        ok(kal_store_open(ctx, &spec, &store) == KAL_OK);
        for (uint64_t slot = 0; slot < 4; slot++) {
            ok(slot == (uint64_t)(at - 64) / SLOT_SIZE ? is_empty(store, slot)
                                                       : is_whole(store, slot));
        }
        kal_store_destroy(store);
        fseek(file, at, SEEK_SET);
        fputc(old, file);
        fflush(file);
    }
    ok(file && fclose(file) == 0);
    ok(truncate(spec.path, 64 + SLOT_SIZE + 20) == 0);
    ok(kal_store_open(ctx, &spec, &store) == KAL_OK);
    ok(is_whole(store, 0) && is_empty(store, 1) && is_empty(store, 3));
    kal_store_destroy(store);
    kal_context_destroy(ctx);
    folder_close(&folder);
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
    KalContext *ctx = NULL;
    KalStore *store = NULL;
    Folder folder;
    if (!open_lab(&folder, &ctx)) {
        return;
    }
    KalStoreSpec spec = spec_of(&folder);
    spec.slots = 4;
    spec.samples = true;
    ok(kal_store_create(ctx, &spec, &store) == KAL_OK);
    for (uint64_t i = 4; i-- > 0;) {
        ok(put_samples(store, i, counts[i]) == KAL_OK);
    }
    ok(kal_store_flush(store) == KAL_OK);
    kal_store_destroy(store);
    ok(kal_store_open(ctx, &spec, &store) == KAL_OK && kal_store_filled(store) == 4);
    for (uint64_t i = 0; i < 4; i++) {
        ok(has_samples(store, i, counts[i]));
    }
    kal_store_destroy(store);
    ok(truncate(spec.path, 200000) == 0);
    ok(kal_store_open(ctx, &spec, &store) == KAL_OK && kal_store_filled(store) == 2);
    ok(!kal_store_has(store, 0) && kal_store_has(store, 1) && !kal_store_has(store, 2)
       && kal_store_has(store, 3));
    kal_store_destroy(store);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

static void other_work_is_refused(void)
{
    KalContext *ctx = NULL;
    KalStore *store = NULL;
    Folder folder;
    if (!open_lab(&folder, &ctx)) {
        return;
    }
    KalStoreSpec spec = spec_of(&folder);
    ok(kal_store_open(ctx, &spec, &store) == KAL_ERR_FILE); // there is none
    ok(kal_store_create(ctx, &spec, &store) == KAL_OK);
    kal_store_destroy(store);
    store = NULL;
    spec.identity = "what is to be dome";
    ok(kal_store_open(ctx, &spec, &store) == KAL_ERR_USAGE);
    spec.identity_size--;
    ok(kal_store_open(ctx, &spec, &store) == KAL_ERR_USAGE);
    ok(folder_write(&folder, "a.sweep", "a text of someone"));
    ok(kal_store_open(ctx, &spec, &store) == KAL_ERR_USAGE && !store);
    spec.path = "/nowhere/a.sweep";
    ok(kal_store_create(ctx, &spec, &store) == KAL_ERR_FILE && !store);
    kal_context_destroy(ctx);
    folder_close(&folder);
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
        ok(status == (n < 6 ? KAL_ERR_NOMEM : KAL_OK));
        kal_store_destroy(store);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
        folder_close(&folder);
    }
}

TAP_RUN(TAP_CASE(rows_are_there_again), TAP_CASE(a_process_that_ends_loses_little),
        TAP_CASE(what_is_damaged_is_empty), TAP_CASE(samples_are_there_again),
        TAP_CASE(other_work_is_refused), TAP_CASE(every_allocation_may_fail))

// SPDX-License-Identifier: MIT

// Stretches of rows made ready (sweep/ahead.h).
//
// Rows are counted by stretch; the number of one that has all of them goes to a queue.  One
// thread at a time takes the first of the queue and does it, in a context of its own.  So
// stretches are made in the order in which they became whole, and a run that takes long holds up
// no other than its own.
//
// Invariants: what is counted is touched under `lock`, and all that is worked with by the one who
// has set `busy`.

#include "sweep/ahead.h"

#include "base/spool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    MOST_STRETCHES = 1 << 20,
    ROOM = 4 // times the numbers of a table, which the disk has to have left
};

typedef struct Part {
    uint64_t place; // in the file
    size_t size;    // 0: it is not ready
    uint32_t rows;  // that have come
} Part;

struct KalAhead {
    KalContext *ctx;
    const KalSweep *sweep;
    KalStore *store;
    KalStreamSpec spec;
    size_t n; // stretches that have all rows in the end
    Part *parts;
    pthread_mutex_t lock;
    uint32_t *queue; // stretches in the order in which they had all rows
    size_t queued;
    size_t begun;      // of them
    atomic_bool waits; // there are some to be made
    atomic_bool busy;  // somebody makes one
    KalStore *reader;
    KalStretch *stretch;
    bool has_texts; // it does
    double *row;
    KalSpool spool;
    KalBlock bytes; // of the stretch that was asked for
};

static bool make_room(KalAhead *a)
{
    assert(a->n > 0 && a->spec.n_columns > 0);
    const double need = ROOM * (double)sizeof(double) * (double)a->spec.n_columns
                        * (double)kal_sweep_runs(a->sweep);
    a->parts = (Part *)kal_alloc(a->ctx, a->n, sizeof *a->parts);
    a->queue = (uint32_t *)kal_alloc(a->ctx, a->n, sizeof *a->queue);
    a->row = (double *)kal_alloc(a->ctx, a->spec.n_columns, sizeof *a->row);
    return a->parts && a->queue && a->row
           && kal_stretch_create(a->ctx, &a->spec, &a->stretch) == KAL_OK
           && kal_store_share(a->store, a->ctx, &a->reader) == KAL_OK
           && kal_spool_open(a->ctx, a->spec.path, &a->spool)
           && (double)kal_spool_room(&a->spool) > need;
}

static void free_room(KalAhead *a)
{
    kal_ahead_rest(a);
    kal_spool_close(&a->spool);
    kal_block_clear(a->ctx, &a->bytes);
    kal_free(a->ctx, a->parts, a->parts ? a->n * sizeof *a->parts : 0);
    kal_free(a->ctx, a->queue, a->queue ? a->n * sizeof *a->queue : 0);
    kal_free(a->ctx, a->row, a->row ? a->spec.n_columns * sizeof *a->row : 0);
}

// Count the runs that the store has.
static void note_all(KalAhead *a)
{
    const uint64_t runs = kal_store_filled(a->store) > 0 ? a->n * KAL_STRETCH_ROWS : 0;
    for (uint64_t run = 0; run < runs; run++) {
        if (kal_store_has(a->store, run)) {
            kal_ahead_note(a, run);
        }
    }
}

static KalAhead *make(KalContext *ctx, const KalSweep *sweep, KalStore *store,
                      const KalStreamSpec *spec)
{
    KalAhead *a = KAL_NEW(ctx, KalAhead);
    if (!a) {
        return NULL;
    }
    a->ctx = ctx;
    a->sweep = sweep;
    a->store = store;
    a->spec = *spec;
    a->n = (size_t)(kal_sweep_runs(sweep) / KAL_STRETCH_ROWS);
    if (!make_room(a) || pthread_mutex_init(&a->lock, NULL) != 0) {
        free_room(a);
        kal_free(ctx, a, sizeof *a);
        return NULL;
    }
    a->has_texts = kal_stretch_has_texts(a->stretch);
    note_all(a);
    return a;
}

KalAhead *kal_ahead_create(const KalSweep *sweep, KalStore *store,
                           const KalStreamSpec *spec)
{
    const uint64_t n = kal_sweep_runs(sweep) / KAL_STRETCH_ROWS;
    KalContext *ctx = NULL;
    if (n == 0 || n > MOST_STRETCHES
        || kal_context_create_like(sweep->ctx, &ctx) != KAL_OK) {
        return NULL;
    }
    KalAhead *ahead = make(ctx, sweep, store, spec);
    if (!ahead) {
        kal_context_destroy(ctx);
    }
    return ahead;
}

void kal_ahead_destroy(KalAhead *ahead)
{
    if (ahead) {
        KalContext *ctx = ahead->ctx;
        (void)pthread_mutex_destroy(&ahead->lock);
        free_room(ahead);
        kal_free(ctx, ahead, sizeof *ahead);
        kal_context_destroy(ctx);
    }
}

void kal_ahead_note(KalAhead *ahead, uint64_t run)
{
    const uint64_t k = run / KAL_STRETCH_ROWS;
    if (!ahead || k >= ahead->n) {
        return;
    }
    pthread_mutex_lock(&ahead->lock);
    assert(ahead->parts[k].rows < KAL_STRETCH_ROWS);
    ahead->parts[k].rows++;
    if (ahead->parts[k].rows == KAL_STRETCH_ROWS) {
        ahead->queue[ahead->queued++] = (uint32_t)k;
        atomic_store(&ahead->waits, true);
    }
    pthread_mutex_unlock(&ahead->lock);
}

// The next stretch of the queue.
static bool take(KalAhead *a, uint32_t *out_stretch)
{
    pthread_mutex_lock(&a->lock);
    const bool there = a->begun < a->queued;
    if (there) {
        *out_stretch = a->queue[a->begun++];
    }
    atomic_store(&a->waits, a->begun < a->queued);
    pthread_mutex_unlock(&a->lock);
    return there;
}

static bool fill(KalAhead *a, uint32_t stretch)
{
    const uint64_t first = (uint64_t)stretch * KAL_STRETCH_ROWS;
    bool good = kal_store_renew(a->store, a->reader);
    for (uint64_t run = first; run < first + KAL_STRETCH_ROWS && good; run++) {
        KalStoreRow kept;
        good = kal_store_get(a->reader, run, &kept) == KAL_OK && kept.there;
        if (good) {
            kal_sweep_fill_row(a->sweep, run, kept.values, a->row);
            good = kal_stretch_add(a->stretch, a->row, &kept.reason) == KAL_OK;
        }
    }
    return good;
}

static bool make_ready(KalAhead *a, uint32_t stretch)
{
    const void *bytes = NULL;
    size_t size = 0;
    const uint64_t place = a->spool.size;
    if (!fill(a, stretch) || kal_stretch_finish(a->stretch, &bytes, &size) != KAL_OK
        || !kal_spool_add(&a->spool, bytes, size)) {
        return false;
    }
    a->parts[stretch].place = place;
    a->parts[stretch].size = size;
    return true;
}

// One that fails is the last: `busy` stays.
void kal_ahead_work(KalAhead *ahead)
{
    uint32_t stretch = 0;
    if (!ahead || !atomic_load_explicit(&ahead->waits, memory_order_relaxed)
        || atomic_exchange(&ahead->busy, true)) {
        return;
    }
    const bool good = !take(ahead, &stretch) || make_ready(ahead, stretch);
    atomic_store(&ahead->busy, !good);
}

void kal_ahead_rest(KalAhead *ahead)
{
    if (ahead) {
        kal_store_destroy(ahead->reader);
        kal_stretch_destroy(ahead->stretch);
        ahead->reader = NULL;
        ahead->stretch = NULL;
    }
}

bool kal_ahead_get(KalAhead *ahead, uint64_t stretch, size_t texts,
                   const void **out_bytes, size_t *out_size)
{
    if (!ahead || stretch >= ahead->n || ahead->parts[stretch].size == 0
        || (ahead->has_texts && texts != ahead->spec.n_texts)) {
        return false;
    }
    const Part *part = &ahead->parts[stretch];
    ahead->bytes.size = 0;
    if (kal_block_reserve(ahead->ctx, &ahead->bytes, part->size) != KAL_OK
        || !kal_spool_get(&ahead->spool, part->place, ahead->bytes.data, part->size)) {
        return false;
    }
    *out_bytes = ahead->bytes.data;
    *out_size = part->size;
    return true;
}

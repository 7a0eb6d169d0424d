// SPDX-License-Identifier: MIT

// A file of slots:
//
//     "kalaba sweep 4\n", size of the identity | identity | slots | samples, reasons, marks
//
// A slot is a checksum, a status, where its samples and its reason are and how long, and the
// values, if they are not in samples.  Samples and after them the reason of a failure and the
// marks of values that are not unique, one byte each if there are any, are written before the
// slot that points to them, so a slot with a right checksum is whole when
// a process was killed; the slot has their checksum too, for files that were cut, copied in part
// or damaged.
// Bytes are as the machine has them: the file never leaves it, or its like.

#include "sweep/store.h"

#include "base/files.h"
#include "base/ticker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 18, // of rows on their way, in both directions
    PERMISSIONS = 0666,
    ALIGNMENT = 64
};

// Rows wait no longer than this, in seconds, though no other comes.
static const double PATIENCE = 0.25;

static const char MAGIC[] = "kalaba sweep 4\n";

// What a slot begins with; values follow.
typedef struct Head {
    uint64_t check;
    uint32_t status;
    uint32_t reason_length;
    uint64_t n_samples;
    uint64_t rest_check; // of samples, the reason and marks,
    uint64_t place;      // which lie there in this order
    uint64_t n_marks;    // 0 or as many as there are values
} Head;

// A row that is to be written.
typedef struct Waiting {
    uint64_t slot;
    size_t at; // in `out`
} Waiting;

struct KalStore {
    KalContext *ctx;
    KalStoreSpec spec;
    int descriptor;
    bool shared;        // the descriptor is that of another store
    uint64_t begin;     // of slots in the file
    uint64_t end;       // of all that is in it
    uint64_t key;       // of checksums
    size_t size;        // of a slot
    size_t room;        // slots that the buffers have room for
    unsigned char *out; // rows to be written, as they came,
    Waiting *queue;     // and where
    size_t waiting;
    KalTicker ticker; // writes them in time, from the first on
    int error;        // why they could not be written; 0: they could
    unsigned char *in;
    bool *marks;           // of a slot that was read
    uint64_t first;        // slot in `in`
    size_t have;           // and how many
    unsigned char *filled; // a bit for each slot; NULL: none
    size_t filled_size;
    uint64_t n_filled;
    char reason[KAL_SWEEP_REASON_SIZE];
};

static KalStatus fail(const KalStore *store, const char *act)
{
    return kal_file_fail(store->ctx, act, store->spec.path, errno);
}

// A checksum of 64 bits, never 0: each word is added, and all bits are mixed.
static uint64_t digest(uint64_t key, const void *data, size_t size)
{
    assert(data || size == 0);
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t hash = key ^ size * 0x9E3779B97F4A7C15U;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        hash = (hash ^ word) * 0xD6E8FEB86659FD93U;
        hash ^= hash >> 32;
    }
    hash *= 0xD6E8FEB86659FD93U;
    hash ^= hash >> 29;
    return hash != 0 ? hash : 1;
}

uint64_t kal_store_digest(const void *text, size_t size)
{
    return digest(0, text, size);
}

// Write; returns 0, or why not.
static int write_bytes(const KalStore *store, uint64_t place, const void *data,
                       size_t size)
{
    assert(store->descriptor >= 0);
    const char *bytes = (const char *)data;
    while (size > 0) {
        const ssize_t done = pwrite(store->descriptor, bytes, size, (off_t)place);
        if (done <= 0 && !(done < 0 && errno == EINTR)) {
            return done == 0 ? ENOSPC : errno;
        }
        const size_t part = done > 0 ? (size_t)done : 0;
        bytes += part;
        size -= part;
        place += part;
    }
    return 0;
}

static KalStatus write_at(const KalStore *store, uint64_t place, const void *data,
                          size_t size)
{
    errno = write_bytes(store, place, data, size);
    return errno == 0 ? KAL_OK : fail(store, "write");
}

// What is beyond the end of the file is read as zeros.
static KalStatus read_at(const KalStore *store, uint64_t place, void *data, size_t size)
{
    assert(store->descriptor >= 0);
    char *bytes = (char *)data;
    ssize_t done = 1;
    while (size > 0 && done != 0) {
        done = pread(store->descriptor, bytes, size, (off_t)place);
        if (done < 0 && errno != EINTR) {
            return fail(store, "read");
        }
        const size_t part = done > 0 ? (size_t)done : 0;
        bytes += part;
        size -= part;
        place += part;
    }
    memset(bytes, 0, size);
    return KAL_OK;
}

static uint64_t place_of(const KalStore *store, uint64_t slot)
{
    assert(slot < store->spec.slots);
    return store->begin + slot * store->size;
}

// Bytes of the values of a row, or of a sample.
static size_t sample_size(const KalStore *store)
{
    return store->spec.values * sizeof(double);
}

static void init_sizes(KalStore *store)
{
    const size_t head = sizeof MAGIC - 1 + sizeof(uint64_t) + store->spec.identity_size;
    store->begin = (head + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    store->size = sizeof(Head) + (store->spec.samples ? 0 : sample_size(store));
    store->room = BUFFER_BYTES / store->size + 1;
    assert(store->room > 0);
    store->end = store->begin + store->spec.slots * store->size;
    store->key = digest(0, store->spec.identity, store->spec.identity_size);
}

// Let no other process work on a file until it is closed or this one has ended, however that
// may be.  Where a file system has no locks there are none.
static bool lock(int descriptor)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_SETLK, &all) == 0
           || (errno != EAGAIN && errno != EACCES);
}

static KalStatus fail_busy(KalContext *ctx, const char *path)
{
    return kal_fail(ctx, KAL_ERR_FILE,
                    "another process is at work on %s: wait for it, or end it",
                    kal_file_shown(path));
}

// A store without a file; NULL when there is no memory.
static KalStore *make(KalContext *ctx, const KalStoreSpec *spec)
{
    assert(ctx && spec && spec->path);
    KalStore *store = KAL_NEW(ctx, KalStore);
    if (!store) {
        return NULL;
    }
    store->ctx = ctx;
    store->spec = *spec;
    init_sizes(store);
    store->descriptor = -1;
    const size_t size = store->room * (2 * store->size + sizeof(Waiting));
    store->out = (unsigned char *)kal_alloc(ctx, size, 1);
    store->marks = (bool *)kal_alloc(ctx, spec->values + 1, sizeof *store->marks);
    if (!store->out || !store->marks) {
        kal_store_destroy(store);
        return NULL;
    }
    store->in = store->out + store->room * store->size;
    store->queue = (Waiting *)(void *)(store->in + store->room * store->size);
    return store;
}

// Whether the file of a store is the one of its name: else somebody has moved or removed it since
// it was opened.
static bool has_name(const KalStore *store)
{
    struct stat own;
    struct stat named;
    return fstat(store->descriptor, &own) == 0 && stat(store->spec.path, &named) == 0
           && own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

// Open the file, which nobody else works on or can begin to work on.
static KalStatus open_file(KalStore *store, int flags)
{
    store->descriptor = open(store->spec.path, O_RDWR | O_CLOEXEC | flags, PERMISSIONS);
    if (store->descriptor < 0) {
        return errno == EEXIST ? fail_busy(store->ctx, store->spec.path)
                               : fail(store, "open");
    }
    return lock(store->descriptor) && has_name(store)
               ? KAL_OK
               : fail_busy(store->ctx, store->spec.path);
}

// Move the file aside, unless it is empty, and make another.  Only who has locked a file moves
// it, so it is not that of somebody else at work.
static KalStatus replace_file(KalStore *store)
{
    struct stat file = {.st_size = 0};
    if (!store->spec.aside || fstat(store->descriptor, &file) != 0
        || file.st_size == 0) {
        return ftruncate(store->descriptor, 0) == 0 ? KAL_OK : fail(store, "write");
    }
    if (rename(store->spec.path, store->spec.aside) != 0) {
        return fail(store, "move");
    }
    close(store->descriptor);
    return open_file(store, O_CREAT | O_EXCL);
}

void kal_store_destroy(KalStore *store)
{
    if (!store) {
        return;
    }
    kal_ticker_stop(&store->ticker);
    if (store->descriptor >= 0 && !store->shared) {
        close(store->descriptor);
    }
    kal_free(store->ctx, store->out,
             store->out ? store->room * (2 * store->size + sizeof(Waiting)) : 0);
    kal_free(store->ctx, store->marks,
             store->marks ? (store->spec.values + 1) * sizeof *store->marks : 0);
    kal_free(store->ctx, store->filled, store->filled ? store->filled_size : 0);
    kal_free(store->ctx, store, sizeof *store);
}

// The magic word comes last: a file that has it has all of its head.  Who is killed before leaves
// what is_unbegun() knows.
static KalStatus write_head(KalStore *store)
{
    const uint64_t size = store->spec.identity_size;
    KAL_TRY(write_at(store, sizeof MAGIC - 1, &size, sizeof size));
    KAL_TRY(write_at(store, sizeof MAGIC - 1 + sizeof size, store->spec.identity,
                     store->spec.identity_size));
    // What a file is shows when it is one.
    return write_at(store, 0, MAGIC, sizeof MAGIC - 1);
}

// What kal_store_create() and kal_store_open() come to: a store, or why there is none.
static KalStatus give(KalStore *store, KalStatus status, KalStore **out_store)
{
    if (status != KAL_OK) {
        kal_store_destroy(store);
        return status;
    }
    *out_store = store;
    return KAL_OK;
}

static KalStatus begin(KalStore *store)
{
    KAL_TRY(open_file(store, O_CREAT));
    KAL_TRY(replace_file(store));
    store->spec.aside = NULL; // borrowed until now
    return write_head(store);
}

KalStatus kal_store_create(KalContext *ctx, const KalStoreSpec *spec,
                           KalStore **out_store)
{
    KalStore *store = make(ctx, spec);
    return store ? give(store, begin(store), out_store)
                 : kal_no_memory(ctx, "for the work of a sweep");
}

static KalStatus fail_other(const KalStore *store)
{
    return kal_fail(store->ctx, KAL_ERR_USAGE,
                    "%s is the work of another sweep: its model, inputs, options or "
                    "version of kalaba differ; go on with the same command, or remove "
                    "the file",
                    kal_file_shown(store->spec.path));
}

// What a file begins with.
typedef struct Front {
    char magic[sizeof MAGIC - 1];
    uint64_t size; // of the identity
} Front;

static KalStatus read_front(const KalStore *store, Front *out_front)
{
    KAL_TRY(read_at(store, 0, out_front->magic, sizeof out_front->magic));
    return read_at(store, sizeof out_front->magic, &out_front->size,
                   sizeof out_front->size);
}

// Whether somebody who began the file was killed, or found no room on the disk, before its head was
// whole: no magic word or a part of it, and nothing behind the head, in which no sweep was done.
static bool is_unbegun(const KalStore *store, const Front *front)
{
    struct stat file = {.st_size = 0};
    const uint64_t head = sizeof front->magic + sizeof front->size;
    size_t same = 0;
    while (same < sizeof front->magic && front->magic[same] == MAGIC[same]) {
        same++;
    }
    bool rest = false;
    for (size_t i = same; i < sizeof front->magic; i++) {
        rest = rest || front->magic[i] != '\0';
    }
    return fstat(store->descriptor, &file) == 0 && same < sizeof front->magic && !rest
           && ((uint64_t)file.st_size <= head
               || (uint64_t)file.st_size - head <= front->size);
}

// Whether the file is the work of this sweep.
static KalStatus check_head(const KalStore *store, const Front *front)
{
    char part[4096];
    const uint64_t size = front->size;
    const uint64_t place = sizeof front->magic + sizeof size;
    if (memcmp(front->magic, MAGIC, sizeof front->magic) != 0
        || size != store->spec.identity_size) {
        return fail_other(store);
    }
    for (size_t done = 0; done < size;) {
        const size_t next = size - done < sizeof part ? size - done : sizeof part;
        KAL_TRY(read_at(store, place + done, part, next));
        if (memcmp(part, store->spec.identity + done, next) != 0) {
            return fail_other(store);
        }
        done += next;
    }
    return KAL_OK;
}

// The checksum of a slot: of its place and all after its first word.
static uint64_t check_slot(const KalStore *store, uint64_t slot,
                           const unsigned char *data)
{
    assert(slot < store->spec.slots);
    return digest(store->key ^ slot * 0xC2B2AE3D27D4EB4FU, data + sizeof(uint64_t),
                  store->size - sizeof(uint64_t));
}

// Let `in` hold a slot, and those after it.
static KalStatus read_in(KalStore *store, uint64_t slot)
{
    if (slot >= store->first && slot - store->first < store->have) {
        return KAL_OK;
    }
    const uint64_t left = store->spec.slots - slot;
    store->first = slot;
    store->have = left < store->room ? (size_t)left : store->room;
    return read_at(store, place_of(store, slot), store->in, store->have * store->size);
}

static const unsigned char *slot_in(const KalStore *store, uint64_t slot)
{
    assert(slot >= store->first && slot - store->first < store->have);
    return store->in + (size_t)(slot - store->first) * store->size;
}

// The head of a slot that was read; false if it is empty or was half written.
static bool read_head(const KalStore *store, uint64_t slot, Head *out_head)
{
    const unsigned char *data = slot_in(store, slot);
    memcpy(out_head, data, sizeof *out_head);
    return out_head->check != 0 && out_head->check == check_slot(store, slot, data)
           && out_head->reason_length < KAL_SWEEP_REASON_SIZE
           && out_head->n_marks <= store->spec.values;
}

static uint64_t reason_place(const KalStore *store, const Head *head)
{
    return head->place + head->n_samples * sample_size(store);
}

static uint64_t marks_place(const KalStore *store, const Head *head)
{
    return reason_place(store, head) + head->reason_length;
}

// Go on with a checksum over bytes in memory, or if that is NULL in the file, for which the
// buffer of rows that are to be written has to be free.
static KalStatus check_bytes(const KalStore *store, const void *memory, uint64_t place,
                             uint64_t size, uint64_t *check)
{
    assert(memory || size == 0 || store->waiting == 0);
    const unsigned char *bytes = (const unsigned char *)memory;
    for (uint64_t done = 0; done < size; done += BUFFER_BYTES) {
        const uint64_t left = size - done;
        const size_t part = left < BUFFER_BYTES ? (size_t)left : BUFFER_BYTES;
        KAL_TRY(bytes ? KAL_OK : read_at(store, place + done, store->out, part));
        *check = digest(*check, bytes ? bytes + done : store->out, part);
    }
    return KAL_OK;
}

// The checksum of samples, reason and marks: those of a row, or if that is NULL those in the
// file.
static KalStatus check_rest(const KalStore *store, const Head *head,
                            const KalSweepRow *row, uint64_t *out_check)
{
    *out_check = store->key;
    KAL_TRY(check_bytes(store, row ? row->samples : NULL, head->place,
                        head->n_samples * sample_size(store), out_check));
    KAL_TRY(check_bytes(store, row ? row->reason : NULL, reason_place(store, head),
                        head->reason_length, out_check));
    return check_bytes(store, row ? row->not_unique : NULL, marks_place(store, head),
                       head->n_marks, out_check);
}

// Find out which slots are filled, and where samples and reasons end.
static KalStatus scan(KalStore *store)
{
    assert(!store->filled && store->waiting == 0);
    store->filled_size = (size_t)(store->spec.slots / 8 + 1);
    store->filled = (unsigned char *)kal_alloc(store->ctx, store->filled_size, 1);
    if (!store->filled) {
        return kal_no_memory(store->ctx, "for the work of a sweep");
    }
    for (uint64_t slot = 0; slot < store->spec.slots; slot++) {
        Head head;
        uint64_t check = 0;
        KAL_TRY(read_in(store, slot));
        if (!read_head(store, slot, &head)) {
            continue;
        }
        KAL_TRY(check_rest(store, &head, NULL, &check));
        if (check == head.rest_check) {
            const uint64_t end = marks_place(store, &head) + head.n_marks;
            store->filled[slot / 8] |= (unsigned char)(1U << slot % 8);
            store->end = end > store->end ? end : store->end;
            store->n_filled++;
        }
    }
    store->have = 0; // slots will be written
    return KAL_OK;
}

static KalStatus go_on(KalStore *store)
{
    Front front = {.size = 0};
    KAL_TRY(open_file(store, 0));
    KAL_TRY(read_front(store, &front));
    if (is_unbegun(store, &front)) {
        KAL_TRY(ftruncate(store->descriptor, 0) == 0 ? KAL_OK : fail(store, "write"));
        KAL_TRY(write_head(store));
    } else {
        KAL_TRY(check_head(store, &front));
    }
    return scan(store);
}

KalStatus kal_store_open(KalContext *ctx, const KalStoreSpec *spec,
                         KalStore **out_store)
{
    KalStore *store = make(ctx, spec);
    return store ? give(store, go_on(store), out_store)
                 : kal_no_memory(ctx, "for the work of a sweep");
}

uint64_t kal_store_filled(const KalStore *store)
{
    return store->n_filled;
}

bool kal_store_has(const KalStore *store, uint64_t slot)
{
    assert(slot < store->spec.slots);
    return store->filled && ((unsigned)store->filled[slot / 8] >> slot % 8 & 1U) != 0;
}

static int compare_slots(const void *a, const void *b)
{
    const uint64_t x = ((const Waiting *)a)->slot;
    const uint64_t y = ((const Waiting *)b)->slot;
    return (x > y) - (x < y);
}

// Runs end in another order than they began in: slots are sorted, in the buffer that else holds
// what was read, and those that follow each other are written in one call.  Under the lock.
static void write_waiting(KalStore *store)
{
    assert(store->waiting <= store->room);
    const Waiting *queue = store->queue;
    size_t i = 0;
    store->have = 0;
    qsort(store->queue, store->waiting, sizeof *store->queue, compare_slots);
    while (i < store->waiting && store->error == 0) {
        size_t n = 0; // slots that follow each other
        for (; i + n < store->waiting && queue[i + n].slot == queue[i].slot + n; n++) {
            memcpy(store->in + n * store->size,
                   store->out + queue[i + n].at * store->size, store->size);
        }
        store->error = write_bytes(store, place_of(store, queue[i].slot), store->in,
                                   n * store->size);
        i += n;
    }
    store->waiting = 0;
}

static void write_in_time(void *user)
{
    KalStore *store = (KalStore *)user;
    if (store->waiting > 0) {
        write_waiting(store);
    }
}

// What the last writing failed with.
static KalStatus tell_error(const KalStore *store)
{
    errno = store->error;
    return store->error == 0 ? KAL_OK : fail(store, "write");
}

// Write all rows, and what that failed with.
static int settle(KalStore *store)
{
    if (!store->ticker.ready) {
        write_in_time(store);
        return store->error;
    }
    pthread_mutex_lock(&store->ticker.lock);
    write_in_time(store);
    const int error = store->error;
    pthread_mutex_unlock(&store->ticker.lock);
    return error;
}

KalStatus kal_store_flush(KalStore *store)
{
    (void)settle(store);
    return tell_error(store);
}

// Write samples, the reason of a failure and marks, where they are to be.
static KalStatus put_rest(KalStore *store, const KalSweepRow *row, Head *head)
{
    assert(row->reason || row->status == KAL_OK);
    head->place = store->end;
    head->n_samples = store->spec.samples ? row->n_samples : 0;
    head->reason_length = row->status != KAL_OK ? (uint32_t)strlen(row->reason) : 0;
    assert(head->reason_length < KAL_SWEEP_REASON_SIZE);
    head->n_marks = row->not_unique ? store->spec.values : 0;
    KAL_TRY(check_rest(store, head, row, &head->rest_check));
    const uint64_t place = reason_place(store, head);
    KAL_TRY(write_at(store, head->place, row->samples, (size_t)(place - head->place)));
    KAL_TRY(write_at(store, place, row->reason, head->reason_length));
    KAL_TRY(write_at(store, marks_place(store, head), row->not_unique,
                     (size_t)head->n_marks));
    store->end = marks_place(store, head) + head->n_marks;
    return KAL_OK;
}

// Under the lock.
static KalStatus put(KalStore *store, uint64_t slot, const KalSweepRow *row)
{
    assert(store->waiting < store->room);
    unsigned char *data = store->out + store->waiting * store->size;
    Head head = {.status = (uint32_t)row->status};
    KAL_TRY(put_rest(store, row, &head));
    memcpy(data, &head, sizeof head);
    if (!store->spec.samples && row->values) {
        memcpy(data + sizeof head, row->values, store->size - sizeof head);
    }
    head.check = check_slot(store, slot, data);
    memcpy(data, &head, sizeof head);
    store->queue[store->waiting] = (Waiting){slot, store->waiting};
    store->waiting++;
    if (store->waiting == store->room || !store->ticker.ticks) {
        write_waiting(store);
    }
    return tell_error(store);
}

KalStatus kal_store_put(KalStore *store, uint64_t slot, const KalSweepRow *row)
{
    assert(slot < store->spec.slots);
    assert(row->values || store->spec.values == 0 || store->spec.samples);
    if (!store->ticker.ready
        && !kal_ticker_start(&store->ticker, PATIENCE, write_in_time, store)) {
        return put(store, slot, row); // and write it at once
    }
    pthread_mutex_lock(&store->ticker.lock);
    const KalStatus status = put(store, slot, row);
    pthread_mutex_unlock(&store->ticker.lock);
    return status;
}

// A byte of a file that is no truth value counts as true.
static KalStatus get_marks(const KalStore *store, const Head *head, KalStoreRow *row)
{
    const unsigned char *bytes = (const unsigned char *)store->marks;
    const size_t n = (size_t)head->n_marks;
    KAL_TRY(read_at(store, marks_place(store, head), store->marks, n));
    for (size_t i = 0; i < n; i++) {
        store->marks[i] = bytes[i] != 0;
    }
    row->not_unique = store->marks;
    return KAL_OK;
}

// Head, values, reason and marks of a slot; values of runs with samples lie elsewhere and
// are read by their place.
KalStatus kal_store_get(KalStore *store, uint64_t slot, KalStoreRow *out_row)
{
    assert(slot < store->spec.slots && out_row);
    Head head;
    assert(store->waiting == 0);
    KAL_TRY(read_in(store, slot));
    *out_row = (KalStoreRow){.there = read_head(store, slot, &head), .reason = "ok"};
    if (!out_row->there) {
        return KAL_OK;
    }
    out_row->status = (KalStatus)head.status;
    out_row->n_samples = head.n_samples;
    out_row->place = head.place;
    if (!store->spec.samples) {
        out_row->values =
            (const double *)(const void *)(slot_in(store, slot) + sizeof head);
    }
    if (out_row->status != KAL_OK) {
        KAL_TRY(read_at(store, reason_place(store, &head), store->reason,
                        head.reason_length));
        store->reason[head.reason_length] = '\0';
        out_row->reason = store->reason;
    }
    return head.n_marks > 0 ? get_marks(store, &head, out_row) : KAL_OK;
}

KalStatus kal_store_get_sample(const KalStore *store, const KalStoreRow *row,
                               uint64_t i, double *out_values)
{
    assert(i < row->n_samples);
    return read_at(store, row->place + i * sample_size(store), out_values,
                   sample_size(store));
}

// Without a lock rows are written as they come (kal_store_put()).
bool kal_store_renew(KalStore *store, KalStore *reader)
{
    reader->have = 0;
    return !store->ticker.ready || settle(store) == 0;
}

KalStatus kal_store_share(const KalStore *store, KalContext *ctx, KalStore **out_reader)
{
    KalStore *reader = make(ctx, &store->spec);
    if (!reader) {
        return kal_no_memory(ctx, "for the work of a sweep");
    }
    reader->descriptor = store->descriptor;
    reader->shared = true;
    *out_reader = reader;
    return KAL_OK;
}

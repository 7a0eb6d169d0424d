// SPDX-License-Identifier: MIT

// Ranks (sweep/ranks.h).
//
// Messages to rank 0:
//
//     ASK    key, how many runs are wanted; the answer is a list of ranges of their numbers
//     ROWS   rows, each with its values or samples, its reason and its marks
//     LEAVE  a rank is done, or why it ends early
//
// Rows go out some at a time, in parcels, and so do lists.  Nobody waits in MPI, which would
// take a core: a parcel is on its way while the rank that sent it goes on with its runs, and the
// memory that it is in is free again when MPI says so.  There are enough of them for rows of
// many looks of rank 0.  Only rows that are longer than a parcel, of many samples, are waited
// for.  Parcels are short enough for MPI to send them off at once, whether or not the other side
// is looking.  A rank asks when half of its runs are begun, and goes on with the others until its
// list is there.  One without ranges says that there is no more to do: the rank finishes its runs
// and leaves.  The thread of rank 0 that answers looks for messages and sleeps in between.  It
// ends when all other ranks have left.
//
// Invariant: `next`, `status` and the store behind `take` are touched under `lock`.

#include "sweep/ranks.h"

#include "base/block.h"
#include "base/ticker.h"
#include "sweep/mpi_library.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    TAG_ASK = 1,
    TAG_RUNS,
    TAG_ROWS,
    TAG_LEAVE,
    MOST_RUNS = 65536, // given away at a time,
    MOST_RANGES = 192, // in so many ranges
    PARCEL = 3840,     // bytes: Open MPI sends 4096 with its heads at once on any way
    PARCELS = 64,      // of a rank that sends rows
    NAP = 500000,      // nanoseconds of a rank that has nothing else to do,
    LOOK = 1000000     // and of rank 0 between two looks for messages
};

static const double BATCH_SECONDS = 0.05;
static const double PATIENCE = 0.05; // of rows, in seconds

// Runs that follow each other.
typedef struct Range {
    uint64_t first;
    uint64_t count;
} Range;

// Runs that a rank is to do.
typedef struct List {
    Range ranges[MOST_RANGES];
    size_t n;
} List;

// What is sent without waiting for it.
typedef struct Parcel {
    double data[PARCEL / sizeof(double)];
    size_t size;   // bytes
    void *request; // of MPI
    bool sent;     // it is on its way, and not to be touched
} Parcel;

struct KalRanks {
    KalContext *ctx;
    KalMpiLibrary lib;
    int own;
    int count;
    const KalRanksWork *work;
    Parcel *parcels; // of rank 0 a list for each rank; of others rows
    size_t n_parcels;
    // rank 0
    pthread_mutex_t lock;
    uint64_t next;    // run, counted from 1
    int left;         // other ranks that have not left
    KalStatus status; // the first failure
    char reason[KAL_SWEEP_REASON_SIZE];
    KalBlock message; // also a row of another rank that is longer than a parcel
    // other ranks
    size_t filled;    // the parcel that rows are put into
    List list;        // runs that are to be done,
    size_t place;     // the range that is begun,
    uint64_t given;   // runs in all ranges,
    uint64_t taken;   // of which so many were begun,
    double had;       // since then
    List more;        // runs after them
    bool asked;       // for these,
    bool known;       // and they have come
    bool dry;         // rank 0 has no more runs
    KalTicker ticker; // sends rows in time
    // all
    bool over; // this rank has left, or, as rank 0, seen all others leave
};

typedef struct Ask {
    uint64_t key;
    uint64_t wanted;
} Ask;

// What a row begins with; numbers, the reason and marks follow, up to a multiple of 8 bytes.
typedef struct RowHead {
    uint64_t run;
    uint64_t status;
    uint64_t n_samples;
    uint64_t reason_length;
    uint64_t n_marks; // of values that are not unique: none, or one for each value
} RowHead;

// Bytes that a row has behind its head.
static size_t row_size(const KalRanksWork *work, const RowHead *head)
{
    const uint64_t count =
        work->samples ? head->n_samples * work->values : work->values;
    const uint64_t bytes = count * sizeof(double) + head->reason_length + head->n_marks;
    return (size_t)((bytes + 7) / 8 * 8);
}

static double now(void)
{
    struct timespec time = {.tv_sec = 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void nap(long nanoseconds)
{
    const struct timespec time = {.tv_nsec = nanoseconds};
    (void)nanosleep(&time, NULL);
}

static KalStatus make_parcels(KalRanks *ranks)
{
    const size_t n = ranks->own == 0 ? (size_t)ranks->count : PARCELS;
    ranks->parcels = (Parcel *)kal_alloc(ranks->ctx, n, sizeof *ranks->parcels);
    ranks->n_parcels = ranks->parcels ? n : 0;
    return ranks->parcels ? KAL_OK
                          : kal_no_memory(ranks->ctx, "for the ranks of a sweep");
}

static void free_parcels(const KalRanks *ranks)
{
    kal_free(ranks->ctx, ranks->parcels, ranks->n_parcels * sizeof *ranks->parcels);
}

KalStatus kal_ranks_join(KalContext *ctx, KalRanks **out_ranks)
{
    int provided = 0;
    KalRanks *ranks = KAL_NEW(ctx, KalRanks);
    if (!ranks) {
        return kal_no_memory(ctx, "for the ranks of a sweep");
    }
    ranks->ctx = ctx;
    KalStatus status = kal_mpi_library_open(ctx, &ranks->lib);
    if (status == KAL_OK
        && (ranks->lib.init_thread(NULL, NULL, KAL_MPI_SERIALIZED, &provided) != 0
            || provided < KAL_MPI_SERIALIZED
            || ranks->lib.comm_rank(ranks->lib.world, &ranks->own) != 0
            || ranks->lib.comm_size(ranks->lib.world, &ranks->count) != 0)) {
        status = kal_fail(ctx, KAL_ERR_USAGE,
                          "MPI cannot be used: it does not start, or takes no calls of "
                          "several threads; --shard and --merge do without it");
    }
    if (status == KAL_OK) {
        status = make_parcels(ranks);
    }
    if (status == KAL_OK && pthread_mutex_init(&ranks->lock, NULL) != 0) {
        status = kal_no_memory(ctx, "for the ranks of a sweep");
    }
    if (status != KAL_OK) {
        free_parcels(ranks);
        kal_free(ctx, ranks, sizeof *ranks);
        return status;
    }
    *out_ranks = ranks;
    return KAL_OK;
}

void kal_ranks_leave(KalRanks *ranks)
{
    if (ranks) {
        (void)ranks->lib.finalize();
        (void)pthread_mutex_destroy(&ranks->lock);
        kal_block_clear(ranks->ctx, &ranks->message);
        free_parcels(ranks);
        kal_free(ranks->ctx, ranks, sizeof *ranks);
    }
}

int kal_ranks_own(const KalRanks *ranks)
{
    return ranks->own;
}

// MPI ends the program where a message cannot be sent or had, so there is nothing to check.
static void post(const KalRanks *ranks, const void *data, size_t size, int to, int tag)
{
    (void)ranks->lib.send(data, (int)size, ranks->lib.byte, to, tag, ranks->lib.world);
}

// Send a parcel, without waiting for it.
static void post_parcel(const KalRanks *ranks, Parcel *parcel, int to, int tag)
{
    assert(!parcel->sent && parcel->size <= sizeof parcel->data);
    (void)ranks->lib.isend(parcel->data, (int)parcel->size, ranks->lib.byte, to, tag,
                           ranks->lib.world, &parcel->request);
    parcel->sent = true;
}

// Whether the memory of a parcel is free; asking lets MPI go on with it.
static bool is_free(const KalRanks *ranks, Parcel *parcel)
{
    KalMpiStatus status = {.source = 0};
    int done = 0;
    if (parcel->sent && ranks->lib.test(&parcel->request, &done, &status) == 0
        && done) {
        parcel->sent = false;
        parcel->size = 0;
    }
    return !parcel->sent;
}

static void await_parcel(const KalRanks *ranks, Parcel *parcel)
{
    while (!is_free(ranks, parcel)) {
        nap(NAP);
    }
}

static void await_parcels(const KalRanks *ranks)
{
    for (size_t i = 0; i < ranks->n_parcels; i++) {
        await_parcel(ranks, &ranks->parcels[i]);
    }
}

// Wait for a message and take it; returns its size.  One that is larger than `room` ends all.
static size_t receive(const KalRanks *ranks, void *data, size_t room, int from, int tag)
{
    const KalMpiLibrary *lib = &ranks->lib;
    KalMpiStatus status = {.source = 0};
    int there = 0;
    int size = 0;
    while (lib->probe(from, tag, lib->world, &there, &status) == 0 && !there) {
        nap(NAP);
    }
    (void)lib->receive(data, (int)room, lib->byte, from, tag, lib->world, &status);
    (void)lib->get_count(&status, lib->byte, &size);
    return size > 0 ? (size_t)size : 0;
}

// @{ Rank 0

// Under the lock: the first failure counts.
static void stop(KalRanks *ranks, KalStatus status, const char *reason)
{
    if (ranks->status == KAL_OK && status != KAL_OK) {
        ranks->status = status;
        (void)snprintf(ranks->reason, sizeof ranks->reason, "%s", reason);
    }
}

// Under the lock: the next run that nobody has; false when there is none.
static bool take_run(KalRanks *ranks, uint64_t *out_run)
{
    const KalRanksWork *work = ranks->work;
    const KalSweepJob *job = &work->job;
    while (ranks->next <= work->runs && job->skip
           && job->skip(job->user, ranks->next)) {
        ranks->next++;
    }
    if (ranks->next > work->runs || ranks->status != KAL_OK) {
        return false;
    }
    *out_run = ranks->next++;
    return true;
}

static bool next_of_lead(void *user, uint64_t *out_run)
{
    KalRanks *ranks = (KalRanks *)user;
    pthread_mutex_lock(&ranks->lock);
    const bool there = take_run(ranks, out_run);
    pthread_mutex_unlock(&ranks->lock);
    return there;
}

static KalStatus take_of_lead(void *user, const KalSweepRow *row)
{
    KalRanks *ranks = (KalRanks *)user;
    const KalSweepJob *job = &ranks->work->job;
    pthread_mutex_lock(&ranks->lock);
    const KalStatus status = job->take(job->user, row);
    pthread_mutex_unlock(&ranks->lock);
    return status;
}

static void after_of_lead(void *user)
{
    const KalSweepJob *job = &((const KalRanks *)user)->work->job;
    if (job->after) {
        job->after(job->user);
    }
}

static bool watch(void *user)
{
    const KalSweepJob *job = &((const KalRanks *)user)->work->job;
    return !job->watch || job->watch(job->user);
}

// Under the lock: the next runs, as far as there are ranges for them.
static void fill_list(KalRanks *ranks, uint64_t wanted, List *list)
{
    uint64_t run = 0;
    for (uint64_t k = 0; k < wanted && take_run(ranks, &run); k++) {
        Range *last = list->n > 0 ? &list->ranges[list->n - 1] : NULL;
        if (last && last->first + last->count == run) {
            last->count++;
        } else if (list->n < MOST_RANGES) {
            list->ranges[list->n++] = (Range){run, 1};
        } else {
            ranks->next = run; // for the next who asks
            return;
        }
    }
}

// Runs for a rank: no more than leaves some for all others.
static void answer_ask(KalRanks *ranks, const void *data, size_t size, int from)
{
    Ask ask = {.key = 0};
    List list = {.n = 0};
    memcpy(&ask, data, size < sizeof ask ? size : sizeof ask);
    pthread_mutex_lock(&ranks->lock);
    if (ask.key != ranks->work->key) {
        stop(ranks, KAL_ERR_USAGE,
             "ranks differ in the model, the options or the version of kalaba");
    }
    const uint64_t open = ranks->work->runs + 1 - ranks->next;
    const uint64_t fair = open / (2 * (uint64_t)ranks->count) + 1;
    fill_list(ranks, ask.wanted < fair ? ask.wanted : fair, &list);
    pthread_mutex_unlock(&ranks->lock);
    Parcel *parcel = &ranks->parcels[from];
    await_parcel(ranks, parcel); // the list before, which the rank has had
    parcel->size = list.n * sizeof list.ranges[0];
    memcpy(parcel->data, list.ranges, parcel->size);
    post_parcel(ranks, parcel, from, TAG_RUNS);
}

// A row that another rank has sent, under the lock.
static void take_row(KalRanks *ranks, const RowHead *head, const char *data)
{
    const KalRanksWork *work = ranks->work;
    char reason[KAL_SWEEP_REASON_SIZE] = "";
    const double *numbers = (const double *)(const void *)data;
    const uint64_t count =
        work->samples ? head->n_samples * work->values : work->values;
    const char *after = (const char *)(numbers + count);
    (void)snprintf(reason, sizeof reason, "%.*s", (int)head->reason_length, after);
    const bool *marks = (const bool *)(const void *)(after + head->reason_length);
    const KalSweepRow row = {.run = head->run,
                             .values = work->samples ? NULL : numbers,
                             .samples = work->samples ? numbers : NULL,
                             .n_samples = head->n_samples,
                             .not_unique = head->n_marks > 0 ? marks : NULL,
                             .status = (KalStatus)head->status,
                             .reason = reason};
    if (ranks->status == KAL_OK) {
        stop(ranks, work->job.take(work->job.user, &row), "");
    }
}

static void answer_rows(KalRanks *ranks, const char *data, size_t size)
{
    size_t done = 0;
    pthread_mutex_lock(&ranks->lock);
    while (done < size) {
        RowHead head;
        assert(size - done >= sizeof head);
        memcpy(&head, data + done, sizeof head);
        done += sizeof head;
        assert(size - done >= row_size(ranks->work, &head));
        take_row(ranks, &head, data + done);
        done += row_size(ranks->work, &head);
    }
    pthread_mutex_unlock(&ranks->lock);
}

// A rank leaves; what it failed with ends the sweep.
static void answer_leave(KalRanks *ranks, const char *data, size_t size, int from)
{
    uint64_t status = 0;
    char reason[KAL_SWEEP_REASON_SIZE] = "";
    memcpy(&status, data, size < sizeof status ? size : sizeof status);
    (void)snprintf(reason, sizeof reason, "rank %d: %.*s", from,
                   (int)(size - sizeof status), data + sizeof status);
    pthread_mutex_lock(&ranks->lock);
    stop(ranks, (KalStatus)status, reason);
    pthread_mutex_unlock(&ranks->lock);
    ranks->left--;
}

// Room for a message.
static bool make_room(KalRanks *ranks, size_t size)
{
    KalBlock *block = &ranks->message;
    if (size > block->capacity) {
        void *moved = kal_grow(ranks->ctx, block->data, 1, size, &block->capacity);
        block->data = moved ? moved : block->data;
    }
    return size <= block->capacity;
}

// Take a message that is there.  Where there is no room for it nothing can go on: the rank
// that sent it would wait for ever.
static void answer(KalRanks *ranks, const KalMpiStatus *status)
{
    const KalMpiLibrary *lib = &ranks->lib;
    int size = 0;
    (void)lib->get_count(status, lib->byte, &size);
    while (!make_room(ranks, size > 0 ? (size_t)size : 1)) {
        nap(NAP); // until other threads have given some back
    }
    const char *data = (const char *)ranks->message.data;
    const size_t got = receive(ranks, ranks->message.data, ranks->message.capacity,
                               status->source, status->tag);
    if (status->tag == TAG_ASK) {
        answer_ask(ranks, data, got, status->source);
    } else if (status->tag == TAG_ROWS) {
        answer_rows(ranks, data, got);
    } else {
        answer_leave(ranks, data, got, status->source);
    }
}

static void *attend(void *user)
{
    KalRanks *ranks = (KalRanks *)user;
    const KalMpiLibrary *lib = &ranks->lib;
    while (ranks->left > 0) {
        KalMpiStatus status = {.source = 0};
        int there = 0;
        (void)lib->probe(KAL_MPI_ANY, KAL_MPI_ANY, lib->world, &there, &status);
        if (there) {
            answer(ranks, &status);
        } else {
            nap(LOOK);
        }
    }
    await_parcels(ranks);
    return NULL;
}

KalStatus kal_ranks_lead(KalRanks *ranks, const KalSweep *sweep,
                         const KalRanksWork *work)
{
    assert(ranks->own == 0 && work->job.take);
    KalSweepJob job = work->job;
    pthread_t thread;
    ranks->work = work;
    ranks->next = 1;
    ranks->left = ranks->count - 1;
    job.skip = NULL;
    job.next = next_of_lead;
    job.take = take_of_lead;
    job.after = after_of_lead;
    job.watch = watch;
    job.user = ranks;
    if (pthread_create(&thread, NULL, attend, ranks) != 0) {
        return kal_no_memory(ranks->ctx, "for the ranks of a sweep");
    }
    ranks->over = true; // when this returns, all others have left
    const KalStatus status = kal_sweep_go(sweep, &job);
    pthread_mutex_lock(&ranks->lock);
    stop(ranks, status, kal_context_message(ranks->ctx));
    pthread_mutex_unlock(&ranks->lock);
    (void)pthread_join(thread, NULL);
    return ranks->status == KAL_OK || ranks->reason[0] == '\0'
               ? ranks->status
               : kal_fail(ranks->ctx, ranks->status, "%s", ranks->reason);
}

// @}
// @{ Other ranks

// Take the list that was asked for.
static void take_list(KalRanks *ranks)
{
    assert(ranks->asked && !ranks->known);
    List *more = &ranks->more;
    const size_t size = receive(ranks, more->ranges, sizeof more->ranges, 0, TAG_RUNS);
    more->n = size / sizeof more->ranges[0];
    ranks->known = true;
}

// Nothing is under way to this rank after this.
static void await_list(KalRanks *ranks)
{
    if (ranks->asked && !ranks->known) {
        take_list(ranks);
    }
}

// Send the rows that wait, and let MPI go on with those that are on their way.
static void post_rows(void *user)
{
    KalRanks *ranks = (KalRanks *)user;
    Parcel *parcel = &ranks->parcels[ranks->filled];
    if (!parcel->sent && parcel->size > 0) {
        post_parcel(ranks, parcel, 0, TAG_ROWS);
        ranks->filled = (ranks->filled + 1) % ranks->n_parcels;
    }
    for (size_t i = 0; i < ranks->n_parcels; i++) {
        (void)is_free(ranks, &ranks->parcels[i]);
    }
}

// Ask for as many runs as are done in the time of a batch.
static void ask(KalRanks *ranks)
{
    const double seconds = now() - ranks->had;
    const double rate = (double)ranks->taken / (seconds > 1e-6 ? seconds : 1e-6);
    const double wanted = rate * BATCH_SECONDS;
    const Ask question = {.key = ranks->work->key,
                          .wanted = wanted < 1.0         ? 1
                                    : wanted > MOST_RUNS ? MOST_RUNS
                                                         : (uint64_t)wanted};
    post_rows(ranks);
    post(ranks, &question, sizeof question, 0, TAG_ASK);
    ranks->asked = true;
    ranks->known = false;
}

// Go on with the runs that were asked for.
static void go_on(KalRanks *ranks)
{
    await_list(ranks);
    ranks->list = ranks->more;
    ranks->place = 0;
    ranks->given = 0;
    for (size_t i = 0; i < ranks->list.n; i++) {
        ranks->given += ranks->list.ranges[i].count;
    }
    ranks->asked = false;
    ranks->taken = 0;
    ranks->had = now();
    ranks->dry = ranks->list.n == 0;
}

// The next run of the list.
static uint64_t take_listed(KalRanks *ranks)
{
    Range *range = &ranks->list.ranges[ranks->place];
    const uint64_t run = range->first++;
    assert(ranks->place < ranks->list.n && range->count > 0);
    range->count--;
    ranks->place += range->count == 0;
    ranks->taken++;
    return run;
}

static bool next_of_follower(void *user, uint64_t *out_run)
{
    KalRanks *ranks = (KalRanks *)user;
    pthread_mutex_lock(&ranks->ticker.lock);
    if (!ranks->dry && !ranks->asked && 2 * ranks->taken >= ranks->given) {
        ask(ranks);
    }
    if (!ranks->dry && ranks->taken == ranks->given) {
        go_on(ranks);
    }
    const bool there = !ranks->dry;
    if (there) {
        *out_run = take_listed(ranks);
    }
    pthread_mutex_unlock(&ranks->ticker.lock);
    return there;
}

// Write a row and zeros up to its end.
static void write_row(const KalRanksWork *work, const KalSweepRow *row,
                      const RowHead *head, char *to)
{
    const double *numbers = work->samples ? row->samples : row->values;
    const size_t count = work->samples ? row->n_samples * work->values : work->values;
    char *end = to + sizeof *head + row_size(work, head);
    memcpy(to, head, sizeof *head);
    to += sizeof *head;
    if (count > 0) {
        memcpy(to, numbers, count * sizeof *numbers);
        to += count * sizeof *numbers;
    }
    memcpy(to, row->reason, (size_t)head->reason_length);
    to += head->reason_length;
    if (head->n_marks > 0) {
        memcpy(to, row->not_unique, (size_t)head->n_marks);
        to += head->n_marks;
    }
    memset(to, 0, (size_t)(end - to));
}

// Room for a row in the parcel that is filled, or in the next one once it is free.
static char *find_room(KalRanks *ranks, size_t size)
{
    assert(size <= PARCEL);
    if (ranks->parcels[ranks->filled].size + size > PARCEL) {
        post_rows(ranks);
    }
    Parcel *parcel = &ranks->parcels[ranks->filled];
    if (parcel->sent) {
        await_parcel(ranks, parcel);
    }
    char *room = (char *)parcel->data + parcel->size;
    parcel->size += size;
    return room;
}

static KalStatus post_long_row(KalRanks *ranks, const KalSweepRow *row,
                               const RowHead *head, size_t size)
{
    KAL_TRY(kal_block_reserve(ranks->ctx, &ranks->message, size));
    write_row(ranks->work, row, head, (char *)ranks->message.data);
    post(ranks, ranks->message.data, size, 0, TAG_ROWS);
    return KAL_OK;
}

static KalStatus add_row(KalRanks *ranks, const KalSweepRow *row)
{
    const KalRanksWork *work = ranks->work;
    const RowHead head = {.run = row->run,
                          .status = (uint64_t)row->status,
                          .n_samples = work->samples ? row->n_samples : 0,
                          .reason_length = strlen(row->reason),
                          .n_marks = row->not_unique ? work->values : 0};
    const size_t size = sizeof head + row_size(work, &head);
    if (size > PARCEL) {
        return post_long_row(ranks, row, &head, size);
    }
    write_row(work, row, &head, find_room(ranks, size));
    return KAL_OK;
}

// Rows are sent when there are some, or when the ticker says so; without one at once.  One that
// there is no room for ends the sweep.
static KalStatus post_row(void *user, const KalSweepRow *row)
{
    KalRanks *ranks = (KalRanks *)user;
    pthread_mutex_lock(&ranks->ticker.lock);
    const KalStatus status = add_row(ranks, row);
    if (!ranks->ticker.ticks) {
        post_rows(ranks);
    }
    pthread_mutex_unlock(&ranks->ticker.lock);
    return status;
}

// This rank is done with its runs, or has failed.
static void post_leave(KalRanks *ranks, KalStatus status)
{
    ranks->over = true;
    char text[sizeof(uint64_t) + KAL_SWEEP_REASON_SIZE];
    const uint64_t number = (uint64_t)status;
    memcpy(text, &number, sizeof number);
    (void)snprintf(text + sizeof number, KAL_SWEEP_REASON_SIZE, "%s",
                   kal_context_message(ranks->ctx));
    await_list(ranks);
    post(ranks, text, sizeof number + strlen(text + sizeof number), 0, TAG_LEAVE);
    await_parcels(ranks);
}

// A rank that helps: it asks the leader for numbers of runs, and posts rows in bundles,
// now and then by the clock, so that the leader has them early.
KalStatus kal_ranks_follow(KalRanks *ranks, const KalSweep *sweep,
                           const KalRanksWork *work)
{
    assert(ranks->own > 0);
    KalSweepJob job = work->job;
    ranks->work = work;
    ranks->had = now();
    if (!kal_ticker_start(&ranks->ticker, PATIENCE, post_rows, ranks)
        && !ranks->ticker.ready) {
        return kal_no_memory(ranks->ctx, "for the ranks of a sweep");
    }
    job.skip = NULL;
    job.next = next_of_follower;
    job.take = post_row;
    job.after = NULL;
    job.watch = watch;
    job.user = ranks;
    const KalStatus status = kal_sweep_go(sweep, &job);
    kal_ticker_stop(&ranks->ticker);
    post_rows(ranks);
    post_leave(ranks, status);
    return status;
}

void kal_ranks_give_up(KalRanks *ranks, KalStatus status)
{
    static const KalRanksWork nothing = {.key = 0};
    if (!ranks || ranks->over) {
        return;
    }
    if (ranks->own > 0) {
        post_leave(ranks, status);
    } else {
        ranks->over = true;
        ranks->work = &nothing;
        ranks->left = ranks->count - 1;
        ranks->status = status;
        (void)attend(ranks);
    }
}

// @}

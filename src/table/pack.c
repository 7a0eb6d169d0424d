// SPDX-License-Identifier: MIT

// Chunks of columns by zlib (table/pack.h), which is loaded when it is needed.
//
// The low bytes of results are noise: zlib takes four fifths of its time to find that nothing can
// be saved there.  So each plane, the bytes of equal weight of all numbers, is looked at first,
// and one that is noise is stored as it is, in the same stream.  Noise is what has all bytes about
// equally often, so that no code is shorter, and no four bytes that have been there shortly before.

#include "table/pack.h"

#include "base/foreign.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

enum {
    STORED = 0, // a level of compression
    MOST_THREADS = 64,
    WORDS = 4096, // that were there shortly before
    BYTES = 256
};

// How much more often than by chance two bytes are equal where they are no noise, and how few of
// all places repeat four bytes.
static const double UNEVEN = 1.04;
static const double REPEATS = 1.0 / 64.0;

#define FUNCTIONS(X) \
    X(deflate)       \
    X(deflateEnd)    \
    X(deflateInit_)  \
    X(deflateParams) \
    X(deflateReset)

#define MEMBER(name) __typeof__(name) *(name);
#define SYMBOL(name) {#name, offsetof(Zlib, name)},

typedef struct Zlib {
    FUNCTIONS(MEMBER)
} Zlib;

static KalStatus open_zlib(KalContext *ctx, Zlib *out_lib)
{
    static const char *const names[] = {"libz.so.1", NULL};
    static const KalForeignSymbol symbols[] = {FUNCTIONS(SYMBOL)};
    const KalForeign library = {.purpose = "HDF5 files",
                                .title = "zlib",
                                .package = "zlib1g",
                                .probe = "deflateParams",
                                .names = names,
                                .room = (size_t)1 << 20};
    void *handle = NULL;
    KAL_TRY(kal_foreign_open(ctx, &library, &handle));
    return kal_foreign_bind(ctx, &library, handle, symbols,
                            sizeof symbols / sizeof symbols[0], out_lib);
}

size_t kal_pack_room(size_t bytes)
{
    return bytes + bytes / 8 + 1024; // blocks that gain nothing are stored
}

// The least byte of all elements, then the next, …; of texts the first, then the second.
static void shuffle(const KalPack *pack)
{
    const size_t n = pack->count;
    if (!pack->numbers) {
        const unsigned char *bytes = (const unsigned char *)pack->from;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < pack->size; j++) {
                pack->planes[j * n + i] = bytes[i * pack->size + j];
            }
        }
        return;
    }
    const double *numbers = (const double *)pack->from;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (size_t j = 0; j < sizeof bits; j++) {
            pack->planes[j * n + i] = (unsigned char)(bits >> 8 * j);
        }
    }
}

static bool is_even(const unsigned char *plane, size_t n)
{
    uint32_t counts[BYTES] = {0};
    double squares = 0.0;
    for (size_t i = 0; i < n; i++) {
        counts[plane[i]]++;
    }
    for (size_t i = 0; i < BYTES; i++) {
        squares += (double)counts[i] * (double)counts[i];
    }
    const double chance = (double)n * (double)n / BYTES + (double)n;
    return squares < UNEVEN * chance;
}

static bool is_new(const unsigned char *plane, size_t n)
{
    uint32_t words[WORDS] = {0};
    size_t repeats = 0;
    for (size_t i = 0; i + sizeof words[0] <= n; i++) {
        uint32_t word = 0;
        memcpy(&word, plane + i, sizeof word);
        uint32_t *seen = &words[word * 2654435761U >> 20];
        repeats += *seen == word;
        *seen = word;
    }
    return (double)repeats < REPEATS * (double)n;
}

// Add some bytes to a stream.
static bool add(const Zlib *lib, z_stream *stream, unsigned char *bytes, size_t n,
                bool last)
{
    const bool noise = is_even(bytes, n) && is_new(bytes, n);
    stream->next_in = bytes;
    stream->avail_in = 0; // a change of level asks for what is there to be written
    if (lib->deflateParams(stream, noise ? STORED : KAL_PACK_LEVEL, Z_DEFAULT_STRATEGY)
        != Z_OK) {
        return false;
    }
    stream->avail_in = (uInt)n;
    const int result = lib->deflate(stream, last ? Z_FINISH : Z_NO_FLUSH);
    return result == (last ? Z_STREAM_END : Z_OK) && stream->avail_in == 0;
}

static bool pack_one(const Zlib *lib, z_stream *stream, KalPack *pack)
{
    const size_t parts = pack->numbers ? pack->size : 1;
    const size_t part = pack->size * pack->count / parts;
    const size_t room = kal_pack_room(pack->size * pack->count);
    shuffle(pack);
    bool good = lib->deflateReset(stream) == Z_OK;
    stream->next_out = pack->to;
    stream->avail_out = (uInt)room;
    for (size_t i = 0; i < parts && good; i++) {
        good = add(lib, stream, pack->planes + i * part, part, i + 1 == parts);
    }
    pack->packed = room - stream->avail_out;
    return good;
}

// What threads share.
typedef struct Work {
    const Zlib *lib;
    KalPack *packs;
    size_t n;
    atomic_size_t next;
    atomic_bool failed;
} Work;

static void *attend(void *user)
{
    Work *w = (Work *)user;
    z_stream stream;
    memset(&stream, 0, sizeof stream); // zlib has memory of its own
    if (w->lib->deflateInit_(&stream, KAL_PACK_LEVEL, ZLIB_VERSION, (int)sizeof stream)
        != Z_OK) {
        atomic_store(&w->failed, true);
        return NULL;
    }
    for (size_t i = atomic_fetch_add(&w->next, 1); i < w->n;
         i = atomic_fetch_add(&w->next, 1)) {
        if (!pack_one(w->lib, &stream, &w->packs[i])) {
            atomic_store(&w->failed, true);
        }
    }
    (void)w->lib->deflateEnd(&stream);
    return NULL;
}

// The calling thread is one of them; where the system has no more to give, they are fewer.
KalStatus kal_pack_all(KalContext *ctx, KalPack *packs, size_t n, int threads)
{
    assert(packs && n > 0);
    pthread_t others[MOST_THREADS];
    Zlib lib;
    KAL_TRY(open_zlib(ctx, &lib));
    Work work = {.lib = &lib, .packs = packs, .n = n};
    const size_t most = threads < MOST_THREADS ? (size_t)threads : MOST_THREADS;
    const size_t wanted = most < n ? most : n;
    size_t count = 0;
    while (count + 1 < wanted
           && pthread_create(&others[count], NULL, attend, &work) == 0) {
        count++;
    }
    attend(&work);
    while (count > 0) {
        (void)pthread_join(others[--count], NULL);
    }
    return atomic_load(&work.failed) ? kal_no_memory(ctx, "to compress a table")
                                     : KAL_OK;
}

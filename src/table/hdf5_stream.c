// SPDX-License-Identifier: MIT

// Tables of any number of rows as HDF5.
//
// Rows are collected until there are as many as some chunks have.  Then these are compressed,
// by several threads (table/pack.h), and go to the datasets as they are, each of them once.
// Of those that come in stretches the columns are packed already, and texts alone are collected.
// Unlike tables (hdf5.c) the file is written where it is: it may be larger than memory.  HDF5
// 1.10 crashes when a disk fills up under it, so there has to be room for all numbers,
// compressed or not, before it begins.

#include "table/hdf5_impl.h"
#include "table/pack.h"
#include "table/stream_impl.h"
#include "table/table_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

// In hdf5.h some constants call the library first, to open it and to check its version.
// Ours is open before any of them is used.
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK

enum {
    CHUNK = KAL_STRETCH_ROWS,
    FIXED = 1 << 20, // bytes of a file beside its rows, at most
    OVERHEAD = 64    // bytes of a chunk in the index, at most
};

struct KalHdf5Stream {
    KalHdf5 h;
    hid_t file;
    hid_t *datasets;  // columns, then texts
    hid_t *types;     // of texts
    uint64_t written; // rows
    size_t waiting;
    const char *ready;   // the stretch of the rows that come; NULL: they have values
    size_t chunk;        // rows
    size_t chunks;       // that are compressed at once
    double *values;      // chunk after chunk, column after column
    char *texts;         // likewise
    KalPack *packs;      // of them, columns, then texts
    unsigned char *pack; // where they are packed
    size_t sizes[6];     // bytes of all these
};

static KalStatus fail(const KalStream *stream)
{
    return kal_fail(stream->ctx, KAL_ERR_FILE, "HDF5 cannot write %s: %s",
                    kal_file_shown(stream->spec.path), stream->hdf5->h.reason);
}

static size_t count_all(const KalStream *stream)
{
    return stream->spec.n_columns + stream->spec.n_texts;
}

// Bytes of all texts of a row.
static size_t text_bytes(const KalStreamSpec *spec)
{
    size_t bytes = 0;
    for (size_t i = 0; i < spec->n_texts; i++) {
        bytes += spec->texts[i].size;
    }
    return bytes;
}

// Whether the disk has room for all rows.
static KalStatus check_room(const KalStream *stream)
{
    assert(stream->file);
    const KalStreamSpec *spec = &stream->spec;
    const double columns = (double)count_all(stream);
    const double chunks = (double)spec->rows / CHUNK + 1.0;
    const double need =
        (double)spec->rows * ((double)spec->n_columns * 8.0 + (double)text_bytes(spec))
        + chunks * columns * OVERHEAD + columns * KAL_HDF5_NAME_SIZE + FIXED;
    struct statvfs disk;
    if (statvfs(kal_file_temporary(stream->file), &disk) != 0) {
        return KAL_OK; // nobody knows
    }
    const double room = (double)disk.f_bavail * (double)disk.f_frsize;
    return need <= room
               ? KAL_OK
               : kal_fail(stream->ctx, KAL_ERR_FILE,
                          "cannot write %s: it may take %.3g bytes, and the disk has "
                          "%.3g left",
                          kal_file_shown(spec->path), need, room);
}

// Chunks that give all threads something to do.
static size_t choose_chunks(const KalStream *stream)
{
    const size_t threads = stream->spec.threads > 1 ? (size_t)stream->spec.threads : 1;
    const size_t wanted = 2 * threads / count_all(stream) + 1;
    const uint64_t chunks = stream->spec.rows / CHUNK + 1;
    return wanted < chunks ? wanted : (size_t)chunks;
}

// The places where chunks are packed.
static void place_packs(const KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    const KalHdf5Stream *s = stream->hdf5;
    unsigned char *next = s->pack;
    char *text = s->texts;
    KalPack *pack = s->packs;
    for (size_t c = 0; c < s->chunks; c++) {
        for (size_t i = 0; i < count_all(stream); i++, pack++) {
            const bool numbers = i < spec->n_columns;
            *pack = (KalPack){.count = s->chunk, .numbers = numbers, .planes = next};
            pack->size =
                numbers ? sizeof(double) : spec->texts[i - spec->n_columns].size;
            const size_t bytes = pack->size * s->chunk;
            pack->from =
                numbers ? (void *)(s->values + (c * spec->n_columns + i) * s->chunk)
                        : text;
            text += numbers ? 0 : bytes;
            pack->to = next + bytes;
            next += bytes + kal_pack_room(bytes);
        }
    }
    assert(next == s->pack + s->sizes[5]);
}

// Bytes that all chunks take, packed.
static size_t pack_bytes(const KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    const KalHdf5Stream *s = stream->hdf5;
    size_t bytes = 0;
    for (size_t i = 0; i < count_all(stream); i++) {
        const size_t size = i < spec->n_columns ? sizeof(double)
                                                : spec->texts[i - spec->n_columns].size;
        bytes += size * s->chunk + kal_pack_room(size * s->chunk);
    }
    return bytes * s->chunks;
}

static KalStatus allocate(KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    KalHdf5Stream *s = stream->hdf5;
    KalContext *ctx = stream->ctx;
    const size_t rows = s->chunks * s->chunk;
    s->sizes[0] = count_all(stream) * sizeof *s->datasets;
    s->sizes[1] = spec->n_columns * rows * sizeof *s->values;
    s->sizes[2] = text_bytes(spec) * rows + 1;
    s->sizes[3] = (spec->n_texts + 1) * sizeof *s->types;
    s->sizes[4] = count_all(stream) * s->chunks * sizeof *s->packs;
    s->sizes[5] = pack_bytes(stream);
    s->datasets = (hid_t *)kal_alloc(ctx, s->sizes[0], 1);
    s->values = (double *)kal_alloc(ctx, s->sizes[1], 1);
    s->texts = (char *)kal_alloc(ctx, s->sizes[2], 1);
    s->types = (hid_t *)kal_alloc(ctx, s->sizes[3], 1);
    s->packs = (KalPack *)kal_alloc(ctx, s->sizes[4], 1);
    s->pack = (unsigned char *)kal_alloc(ctx, s->sizes[5], 1);
    for (size_t i = 0; s->datasets && i < count_all(stream); i++) {
        s->datasets[i] = -1;
    }
    for (size_t i = 0; s->types && i < spec->n_texts; i++) {
        s->types[i] = -1;
    }
    return s->datasets && s->values && s->texts && s->types && s->packs && s->pack
               ? KAL_OK
               : kal_no_memory(ctx, "to write a table");
}

static KalStatus make(KalStream *stream)
{
    assert(!stream->hdf5);
    const KalStreamSpec *spec = &stream->spec;
    KalHdf5Stream *s = KAL_NEW(stream->ctx, KalHdf5Stream);
    if (!s) {
        return kal_no_memory(stream->ctx, "to write a table");
    }
    stream->hdf5 = s;
    s->h.ctx = stream->ctx;
    s->file = -1;
    s->chunk = spec->rows < CHUNK ? (size_t)spec->rows + (spec->rows == 0) : CHUNK;
    s->chunks = choose_chunks(stream);
    KAL_TRY(allocate(stream));
    place_packs(stream);
    return KAL_OK;
}

static void create_file(KalStream *stream)
{
    KalHdf5Stream *s = stream->hdf5;
    KalHdf5 *h = &s->h;
    const unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    const hid_t access =
        kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_FILE_ACCESS_ID_g));
    const hid_t create =
        kal_hdf5_seen(h, h->lib.H5Pcreate(h->lib.H5P_CLS_FILE_CREATE_ID_g));
    kal_hdf5_seen(h,
                  h->lib.H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
    kal_hdf5_seen(h, h->lib.H5Pset_attr_creation_order(create, order));
    kal_hdf5_seen(h, h->lib.H5Pset_attr_phase_change(create, 0, 0));
    kal_hdf5_seen(h, h->lib.H5Pset_link_creation_order(create, order));
    kal_hdf5_seen(h, h->lib.H5Pset_obj_track_times(create, false));
    s->file = kal_hdf5_seen(h, h->lib.H5Fcreate(kal_file_temporary(stream->file),
                                                H5F_ACC_TRUNC, create, access));
    kal_hdf5_drop(h, create);
    kal_hdf5_drop(h, access);
}

// A dataset of all rows, in the group of columns and in the root.
static hid_t create_column(KalStream *stream, hid_t group, hid_t type,
                           const KalQuantity *quantity)
{
    assert(quantity->name);
    KalHdf5Stream *s = stream->hdf5;
    KalHdf5 *h = &s->h;
    const hsize_t rows = stream->spec.rows;
    char name[KAL_HDF5_NAME_SIZE];
    kal_hdf5_escape(quantity->name, name);
    const hid_t space = kal_hdf5_seen(h, h->lib.H5Screate_simple(1, &rows, NULL));
    const hid_t dataset =
        kal_hdf5_seen(h, h->lib.H5Dcreate2(group, name, type, space, h->link,
                                           h->dataset, H5P_DEFAULT));
    if (strcmp(name, KAL_HDF5_COLUMNS) != 0) {
        kal_hdf5_seen(
            h, h->lib.H5Lcreate_hard(group, name, s->file, name, h->link, H5P_DEFAULT));
    }
    kal_hdf5_write_label(h, dataset, quantity);
    kal_hdf5_drop(h, space);
    return dataset;
}

// What all columns are made with: filters that are set again would come once more.
static void set_filters(KalStream *stream)
{
    KalHdf5 *h = &stream->hdf5->h;
    const hsize_t chunk = stream->hdf5->chunk;
    if (stream->spec.rows > 0) {
        kal_hdf5_seen(h, h->lib.H5Pset_chunk(h->dataset, 1, &chunk));
        kal_hdf5_seen(h, h->lib.H5Pset_shuffle(h->dataset));
        kal_hdf5_seen(h, h->lib.H5Pset_deflate(h->dataset, KAL_PACK_LEVEL));
    }
}

static void create_columns(KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    KalHdf5Stream *s = stream->hdf5;
    KalHdf5 *h = &s->h;
    const hid_t group =
        kal_hdf5_seen(h, h->lib.H5Gcreate2(s->file, KAL_HDF5_COLUMNS, h->link, h->group,
                                           H5P_DEFAULT));
    set_filters(stream);
    for (size_t i = 0; i < spec->n_columns && !h->failed; i++) {
        s->datasets[i] =
            create_column(stream, group, h->lib.H5T_IEEE_F64LE_g, &spec->columns[i]);
    }
    for (size_t i = 0; i < spec->n_texts && !h->failed; i++) {
        const KalQuantity text = {
            .name = spec->texts[i].name, .unit = "", .description = ""};
        s->types[i] = kal_hdf5_text_type(h, spec->texts[i].size, H5T_CSET_UTF8);
        s->datasets[spec->n_columns + i] =
            create_column(stream, group, s->types[i], &text);
    }
    kal_hdf5_drop(h, group);
}

KalStatus kal_hdf5_stream_begin(KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    const unsigned char incomplete = 0;
    KAL_TRY(make(stream));
    KalHdf5 *h = &stream->hdf5->h;
    KAL_TRY(kal_hdf5_load(stream->ctx, &h->lib));
    KAL_TRY(check_room(stream));
    kal_hdf5_silence(h);
    kal_hdf5_open_properties(h);
    create_file(stream);
    kal_hdf5_write_attribute(h, stream->hdf5->file, KAL_TABLE_INCOMPLETE_NOTE,
                             h->lib.H5T_NATIVE_UCHAR_g, &incomplete);
    for (size_t i = 0; i < spec->n_notes; i++) {
        kal_hdf5_write_note(h, stream->hdf5->file, &spec->notes[i]);
    }
    create_columns(stream);
    kal_hdf5_close_properties(h);
    kal_hdf5_speak_again(h);
    return h->failed ? fail(stream) : KAL_OK;
}

// What a chunk has beyond the last row is zero.
static void pad(const KalStream *stream)
{
    const KalHdf5Stream *s = stream->hdf5;
    const size_t columns = count_all(stream);
    const size_t rest = s->waiting % s->chunk;
    const KalPack *packs = s->packs + s->waiting / s->chunk * columns;
    for (size_t i = 0; rest > 0 && i < columns; i++) {
        const size_t size = packs[i].size;
        memset((char *)packs[i].from + rest * size, 0, (s->chunk - rest) * size);
    }
}

static void write_chunk(KalStream *stream, size_t i, uint64_t first, const void *bytes,
                        size_t size)
{
    KalHdf5Stream *s = stream->hdf5;
    KalHdf5 *h = &s->h;
    const hsize_t start = first;
    if (!h->failed) {
        kal_hdf5_seen(h, h->lib.H5Dwrite_chunk(s->datasets[i], H5P_DEFAULT, 0, &start,
                                               size, bytes));
    }
}

// Write all chunks that have rows; without values the columns are those of the stretch.
static void write_chunks(KalStream *stream, size_t chunks)
{
    const KalHdf5Stream *s = stream->hdf5;
    const size_t columns = stream->spec.n_columns;
    const KalPack *pack = s->packs;
    const char *bytes = s->ready ? s->ready + columns * sizeof(KalStretchEnd) : NULL;
    KalStretchEnd begin = 0;
    for (size_t c = 0; c < chunks; c++) {
        const uint64_t first = s->written + c * s->chunk;
        for (size_t i = 0; i < count_all(stream); i++, pack++) {
            if (bytes && i < columns) {
                KalStretchEnd end = 0;
                memcpy(&end, s->ready + i * sizeof end, sizeof end);
                write_chunk(stream, i, first, bytes + begin, (size_t)(end - begin));
                begin = end;
            } else {
                write_chunk(stream, i, first, pack->to, pack->packed);
            }
        }
    }
}

static KalStatus flush(KalStream *stream)
{
    KalHdf5Stream *s = stream->hdf5;
    assert(s->waiting <= s->chunks * s->chunk);
    const size_t chunks = (s->waiting + s->chunk - 1) / s->chunk;
    const size_t packed = s->ready ? stream->spec.n_columns : 0; // of the only chunk
    if (chunks == 0) {
        return KAL_OK;
    }
    pad(stream);
    if (chunks * count_all(stream) > packed) {
        KAL_TRY(kal_pack_all(stream->ctx, s->packs + packed,
                             chunks * count_all(stream) - packed,
                             stream->spec.threads));
    }
    kal_hdf5_silence(&s->h);
    write_chunks(stream, chunks);
    kal_hdf5_speak_again(&s->h);
    s->written += s->waiting;
    s->waiting = 0;
    s->ready = NULL;
    return s->h.failed ? fail(stream) : KAL_OK;
}

KalStatus kal_hdf5_stream_use(KalStream *stream, const void *bytes, size_t size)
{
    KalHdf5Stream *s = stream->hdf5;
    (void)size; // the bytes say where they end
    assert(bytes && s->chunk == CHUNK && !s->ready && s->waiting % CHUNK == 0);
    KAL_TRY(flush(stream));
    s->ready = (const char *)bytes;
    return KAL_OK;
}

KalStatus kal_hdf5_stream_add(KalStream *stream, const double *values,
                              const char *const *texts)
{
    const KalStreamSpec *spec = &stream->spec;
    KalHdf5Stream *s = stream->hdf5;
    assert((values != NULL) == (s->ready == NULL));
    assert(s->written + s->waiting < spec->rows);
    const size_t c = s->waiting / s->chunk;
    const size_t row = s->waiting % s->chunk;
    double *place = s->values + c * spec->n_columns * s->chunk + row;
    char *text = s->texts + c * text_bytes(spec) * s->chunk;
    for (size_t i = 0; values && i < spec->n_columns; i++) {
        place[i * s->chunk] = values[i];
    }
    for (size_t i = 0; i < spec->n_texts; i++) {
        const size_t size = spec->texts[i].size;
        assert(texts[i] && strlen(texts[i]) < size);
        strncpy(text + row * size, texts[i], size); // and zeros behind it
        text += s->chunk * size;
    }
    s->waiting++;
    const size_t most = s->ready ? s->chunk : s->chunks * s->chunk;
    return s->waiting == most ? flush(stream) : KAL_OK;
}

// Close all that is open.
static void close_all(KalStream *stream)
{
    assert(stream->hdf5->datasets && stream->hdf5->types);
    KalHdf5Stream *s = stream->hdf5;
    for (size_t i = 0; i < count_all(stream); i++) {
        kal_hdf5_drop(&s->h, s->datasets[i]);
        s->datasets[i] = -1;
    }
    for (size_t i = 0; i < stream->spec.n_texts; i++) {
        kal_hdf5_drop(&s->h, s->types[i]);
        s->types[i] = -1;
    }
    kal_hdf5_drop(&s->h, s->file);
    s->file = -1;
}

KalStatus kal_hdf5_stream_end(KalStream *stream)
{
    KalHdf5Stream *s = stream->hdf5;
    KAL_TRY(flush(stream));
    assert(s->written == stream->spec.rows);
    kal_hdf5_silence(&s->h);
    kal_hdf5_seen(&s->h, s->h.lib.H5Fflush(s->file, H5F_SCOPE_GLOBAL));
    close_all(stream);
    kal_hdf5_speak_again(&s->h);
    return s->h.failed ? fail(stream) : KAL_OK;
}

void kal_hdf5_stream_clear(KalStream *stream)
{
    KalHdf5Stream *s = stream->hdf5;
    if (!s) {
        return;
    }
    if (s->file >= 0) {
        kal_hdf5_silence(&s->h);
        close_all(stream);
        kal_hdf5_speak_again(&s->h);
    }
    kal_free(stream->ctx, s->datasets, s->datasets ? s->sizes[0] : 0);
    kal_free(stream->ctx, s->values, s->values ? s->sizes[1] : 0);
    kal_free(stream->ctx, s->texts, s->texts ? s->sizes[2] : 0);
    kal_free(stream->ctx, s->types, s->types ? s->sizes[3] : 0);
    kal_free(stream->ctx, s->packs, s->packs ? s->sizes[4] : 0);
    kal_free(stream->ctx, s->pack, s->pack ? s->sizes[5] : 0);
    kal_free(stream->ctx, s, sizeof *s);
}

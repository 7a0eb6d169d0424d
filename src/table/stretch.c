// SPDX-License-Identifier: MIT

// Rows made ready before their table is begun (table/stream.h).
//
// Of a table of lines a stretch is these lines.  Else it is the chunks of its columns, packed:
// first where each of them ends, counted from the end of these numbers, then one after the
// other.  Texts are no part of it, for how long the longest is shows when all rows are there.

#include "table/pack.h"
#include "table/stream_impl.h"

#include <assert.h>
#include <string.h>

struct KalStretch {
    KalContext *ctx;
    KalStreamSpec spec;
    bool lines;
    bool full;      // there was no memory for a line
    size_t rows;    // that have been added
    KalBlock bytes; // what they are
    double *values; // column after column
    unsigned char *planes;
    unsigned char *to;
    size_t sizes[3]; // bytes of the three
};

static void put(void *user, const char *bytes, size_t size)
{
    KalStretch *s = (KalStretch *)user;
    s->full = s->full || kal_block_add(s->ctx, &s->bytes, bytes, size) != KAL_OK;
}

static KalStatus allocate(KalStretch *s)
{
    const size_t column = KAL_STRETCH_ROWS * sizeof(double);
    if (s->lines) {
        return KAL_OK;
    }
    s->sizes[0] = s->spec.n_columns * column;
    s->sizes[1] = column;
    s->sizes[2] = kal_pack_room(column);
    s->values = (double *)kal_alloc(s->ctx, s->sizes[0], 1);
    s->planes = (unsigned char *)kal_alloc(s->ctx, s->sizes[1], 1);
    s->to = (unsigned char *)kal_alloc(s->ctx, s->sizes[2], 1);
    return s->values && s->planes && s->to ? KAL_OK
                                           : kal_no_memory(s->ctx, "to write a table");
}

KalStatus kal_stretch_create(KalContext *ctx, const KalStreamSpec *spec,
                             KalStretch **out_stretch)
{
    assert(spec->n_columns > 0);
    KAL_TRY(kal_stream_check(ctx, spec->path));
    KalStretch *s = KAL_NEW(ctx, KalStretch);
    if (!s) {
        return kal_no_memory(ctx, "to write a table");
    }
    s->ctx = ctx;
    s->spec = *spec;
    s->lines = kal_stream_has_lines(spec->path);
    const KalStatus status = allocate(s);
    if (status != KAL_OK) {
        kal_stretch_destroy(s);
        return status;
    }
    *out_stretch = s;
    return KAL_OK;
}

void kal_stretch_destroy(KalStretch *s)
{
    if (s) {
        kal_block_clear(s->ctx, &s->bytes);
        kal_free(s->ctx, s->values, s->values ? s->sizes[0] : 0);
        kal_free(s->ctx, s->planes, s->planes ? s->sizes[1] : 0);
        kal_free(s->ctx, s->to, s->to ? s->sizes[2] : 0);
        kal_free(s->ctx, s, sizeof *s);
    }
}

bool kal_stretch_has_texts(const KalStretch *stretch)
{
    return stretch->lines;
}

KalStatus kal_stretch_add(KalStretch *s, const double *values, const char *const *texts)
{
    assert(s->rows < KAL_STRETCH_ROWS);
    if (s->rows == 0) {
        s->bytes.size = 0;
    }
    for (size_t i = 0; !s->lines && i < s->spec.n_columns; i++) {
        s->values[i * KAL_STRETCH_ROWS + s->rows] = values[i];
    }
    if (s->lines) {
        kal_stream_put_line((KalSink){put, s}, &s->spec, values, texts);
    }
    s->rows++;
    return s->full ? KAL_ERR_NOMEM : KAL_OK;
}

// Pack the columns one by one, behind the numbers that say where they end.
static KalStatus pack_columns(KalStretch *s)
{
    const size_t n = s->spec.n_columns;
    assert(s->bytes.size == 0);
    KAL_TRY(kal_block_reserve(s->ctx, &s->bytes, n * sizeof(KalStretchEnd)));
    s->bytes.size = n * sizeof(KalStretchEnd);
    for (size_t i = 0; i < n; i++) {
        KalPack pack = {.from = s->values + i * KAL_STRETCH_ROWS,
                        .size = sizeof(double),
                        .count = KAL_STRETCH_ROWS,
                        .numbers = true,
                        .planes = s->planes,
                        .to = s->to};
        KAL_TRY(kal_pack_all(s->ctx, &pack, 1, 1));
        KAL_TRY(kal_block_add(s->ctx, &s->bytes, pack.to, pack.packed));
        const KalStretchEnd end = s->bytes.size - n * sizeof end;
        memcpy((char *)s->bytes.data + i * sizeof end, &end, sizeof end);
    }
    return KAL_OK;
}

KalStatus kal_stretch_finish(KalStretch *s, const void **out_bytes, size_t *out_size)
{
    assert(s->rows == KAL_STRETCH_ROWS);
    s->rows = 0;
    KAL_TRY(s->lines ? KAL_OK : pack_columns(s));
    *out_bytes = s->bytes.data;
    *out_size = s->bytes.size;
    return KAL_OK;
}

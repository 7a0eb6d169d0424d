// SPDX-License-Identifier: MIT

// Tables that are written row by row.  What differs between formats is a table of functions.

#include "table/csv.h"
#include "table/stream_impl.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

typedef struct Format {
    const char *ending;
    bool lines; // of text, one a row
    KalStatus (*begin)(KalStream *stream);
    KalStatus (*add)(KalStream *stream, const double *values, const char *const *texts);
    KalStatus (*use)(KalStream *stream, const void *bytes, size_t size);
    KalStatus (*end)(KalStream *stream);
    void (*clear)(KalStream *stream);
} Format;

static KalStatus begin_csv(KalStream *stream)
{
    const KalStreamSpec *spec = &stream->spec;
    const KalSink sink = kal_file_sink(stream->file);
    for (size_t i = 0; i < spec->n_columns; i++) {
        kal_csv_put(sink, i > 0 ? "," : "");
        kal_csv_put_field(sink, spec->columns[i].name);
    }
    for (size_t i = 0; i < spec->n_texts; i++) {
        kal_csv_put(sink, ",");
        kal_csv_put_field(sink, spec->texts[i].name);
    }
    kal_csv_put(sink, "\n");
    return KAL_OK;
}

void kal_stream_put_line(KalSink sink, const KalStreamSpec *spec, const double *values,
                         const char *const *texts)
{
    assert(values);
    for (size_t i = 0; i < spec->n_columns; i++) {
        kal_csv_put(sink, i > 0 ? "," : "");
        kal_csv_put_number(sink, values[i]);
    }
    for (size_t i = 0; i < spec->n_texts; i++) {
        kal_csv_put(sink, ",");
        kal_csv_put_field(sink, texts[i]);
    }
    kal_csv_put(sink, "\n");
}

static KalStatus add_csv(KalStream *stream, const double *values,
                         const char *const *texts)
{
    if (values) { // else the line was in a stretch
        kal_stream_put_line(kal_file_sink(stream->file), &stream->spec, values, texts);
    }
    return KAL_OK;
}

static KalStatus use_csv(KalStream *stream, const void *bytes, size_t size)
{
    const KalSink sink = kal_file_sink(stream->file);
    sink.write(sink.user, (const char *)bytes, size);
    return KAL_OK;
}

static KalStatus end_csv(KalStream *stream)
{
    (void)stream; // closing the file tells
    return KAL_OK;
}

static void clear_csv(KalStream *stream)
{
    (void)stream;
}

#define HDF5                                                                \
    false, kal_hdf5_stream_begin, kal_hdf5_stream_add, kal_hdf5_stream_use, \
        kal_hdf5_stream_end, kal_hdf5_stream_clear

static const Format formats[] = {
    {".csv",     true,  begin_csv, add_csv, use_csv, end_csv, clear_csv},
    {".h5",   HDF5},
    {".hdf5", HDF5     },
};

enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

// The format of a path, or FORMATS.
static size_t find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    size_t i = 0;
    while (i < FORMATS && !(dot && strcasecmp(dot, formats[i].ending) == 0)) {
        i++;
    }
    return i;
}

KalStatus kal_stream_check(KalContext *ctx, const char *path)
{
    return find_format(path) < FORMATS
               ? KAL_OK
               : kal_fail(
                   ctx, KAL_ERR_USAGE,
                   "cannot write %s: the name of a table of runs ends with .csv, "
                   ".h5 or .hdf5",
                   kal_file_shown(path));
}

bool kal_stream_has_lines(const char *path)
{
    assert(find_format(path) < FORMATS);
    return formats[find_format(path)].lines;
}

KalStatus kal_stream_create(KalContext *ctx, const KalStreamSpec *spec,
                            KalStream **out_stream)
{
    KAL_TRY(kal_stream_check(ctx, spec->path));
    KalStream *stream = KAL_NEW(ctx, KalStream);
    if (!stream) {
        return kal_no_memory(ctx, "to write a table");
    }
    stream->ctx = ctx;
    stream->spec = *spec;
    stream->format = find_format(spec->path);
    KalStatus status = kal_file_create(ctx, spec->path, &stream->file);
    if (status == KAL_OK) {
        status = formats[stream->format].begin(stream);
    }
    if (status != KAL_OK) {
        kal_stream_destroy(stream);
        return status;
    }
    *out_stream = stream;
    return KAL_OK;
}

void kal_stream_destroy(KalStream *stream)
{
    if (stream) {
        formats[stream->format].clear(stream);
        kal_file_destroy(stream->file);
        kal_free(stream->ctx, stream, sizeof *stream);
    }
}

KalStatus kal_stream_add(KalStream *stream, const double *values,
                         const char *const *texts)
{
    return formats[stream->format].add(stream, values, texts);
}

KalStatus kal_stream_use(KalStream *stream, const void *bytes, size_t size)
{
    return formats[stream->format].use(stream, bytes, size);
}

KalStatus kal_stream_finish(KalStream *stream)
{
    KAL_TRY(formats[stream->format].end(stream));
    KAL_TRY(kal_file_close(stream->file));
    return kal_file_finish(stream->file);
}

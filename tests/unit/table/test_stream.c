// SPDX-License-Identifier: MIT

// Tables that are written row by row, and read back as tables.

#include "fault.h"
#include "folder.h"
#include "table/stream.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>

enum {
    COLUMNS = 3,
    TEXTS = 2,
    ROWS = 20000 // more than two chunks, and no multiple of one
};

static const KalQuantity columns[COLUMNS] = {
    {"run",         "",    ""        },
    {"max(a/b, c)", "m/s", "the most"},
    {"x'",          "",    ""        }
};

static const KalTableNote notes[] = {
    {.key = "model", .text = "a model"},
    {.key = "seed",  .number = 7.0    }
};

static const KalStreamText texts[TEXTS] = {
    {"not_unique", 16},
    {"status",     32}
};

static KalStreamSpec spec_of(const char *path, uint64_t rows)
{
    return (KalStreamSpec){.path = path,
                           .columns = columns,
                           .n_columns = COLUMNS,
                           .texts = texts,
                           .n_texts = TEXTS,
                           .rows = rows,
                           .notes = notes,
                           .n_notes = 2};
}

static double value(uint64_t row, int column)
{
    return column == 0      ? (double)(row + 1)
           : row % 100 == 9 ? NAN
                            : sin((double)row) * pow(10.0, column);
}

static void words_of(uint64_t row, const char *out_words[TEXTS])
{
    const bool fails = row % 100 == 9;
    out_words[0] = fails ? "" : "max(a/b, c)";
    out_words[1] = fails ? "no, \"why\" not" : "ok";
}

static KalStatus write_rows(KalStream *stream, uint64_t rows)
{
    KalStatus status = KAL_OK;
    for (uint64_t i = 0; i < rows && status == KAL_OK; i++) {
        const double row[COLUMNS] = {value(i, 0), value(i, 1), value(i, 2)};
        const char *words[TEXTS];
        words_of(i, words);
        status = kal_stream_add(stream, row, words);
    }
    return status == KAL_OK ? kal_stream_finish(stream) : status;
}

static KalStatus write_file(KalContext *ctx, const char *path, uint64_t rows)
{
    const KalStreamSpec spec = spec_of(path, rows);
    KalStream *stream = NULL;
    KalStatus status = kal_stream_create(ctx, &spec, &stream);
    if (status == KAL_OK) {
        status = write_rows(stream, rows);
    }
    kal_stream_destroy(stream);
    return status;
}

static void check_rows(const KalTable *table, uint64_t rows)
{
    ok(kal_table_columns(table) == COLUMNS && kal_table_rows(table) == rows);
    for (size_t i = 0; i < kal_table_rows(table); i++) {
        const double *row = kal_table_row(table, i);
        for (int j = 0; j < COLUMNS; j++) {
            const double want = value(i, j);
            ok(isnan(want) ? isnan(row[j]) : row[j] == want);
        }
    }
    for (size_t j = 0; j < COLUMNS; j++) {
        same_text(kal_table_column(table, j).name, columns[j].name);
    }
}

static void rows_read_back_from_every_format(void)
{
    static const char *const names[] = {"a.csv", "a.h5", "a.HDF5"};
    static const uint64_t sizes[] = {0, 1, ROWS};
    for (int i = 0; i < 9; i++) {
        KalContext *ctx = NULL;
        KalTable *table = NULL;
        Folder folder;
        ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
        const char *path = folder_file(&folder, names[i / 3]);
        ok(write_file(ctx, path, sizes[i % 3]) == KAL_OK);
        if (ok(kal_table_read(ctx, path, 0, &table) == KAL_OK)) {
            check_rows(table, sizes[i % 3]);
            const bool hdf5 = i / 3 > 0;
            same_text(kal_table_column(table, 1).unit, hdf5 ? "m/s" : "");
            same_text(kal_table_column(table, 1).description, hdf5 ? "the most"
                                                              : sizes[i % 3] > 0
                                                                  ? "not unique"
                                                                  : "");
            same_text(kal_table_column(table, 2).description, "");
            ok(kal_table_notes(table) == (hdf5 ? 2U : 0U));
        } else {
            printf("# %s\n", kal_context_message(ctx));
        }
        kal_table_destroy(table);
        kal_context_destroy(ctx);
        folder_close(&folder);
    }
}

static void there_is_no_file_before_its_end(void)
{
    static const char *const names[] = {"a.csv", "a.h5"};
    for (int i = 0; i < 2; i++) {
        KalContext *ctx = NULL;
        KalStream *stream = NULL;
        Folder folder;
        ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
        const KalStreamSpec spec = spec_of(folder_file(&folder, names[i]), 10);
        ok(kal_stream_create(ctx, &spec, &stream) == KAL_OK);
        const double row[COLUMNS] = {1.0, 2.0, 3.0};
        const char *const words[TEXTS] = {"", "ok"};
        ok(kal_stream_add(stream, row, words) == KAL_OK);
        kal_stream_destroy(stream);
        ok(folder_count(&folder, "") == 0);
        kal_context_destroy(ctx);
        folder_close(&folder);
    }
}

static void other_endings_are_refused(void)
{
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_stream_check(ctx, "a.mat") == KAL_ERR_USAGE);
    ok(kal_stream_check(ctx, "csv") == KAL_ERR_USAGE);
    ok(kal_stream_check(ctx, "a.CSV") == KAL_OK);
    ok(write_file(ctx, "/nowhere/a.csv", 1) == KAL_ERR_FILE);
    ok(write_file(ctx, "/nowhere/a.h5", 1) == KAL_ERR_FILE);
    kal_context_destroy(ctx);
}

static void every_allocation_may_fail(void)
{
    static const char *const names[] = {"a.csv", "a.h5"};
    for (int i = 0; i < 2; i++) {
        KalStatus status = KAL_ERR_NOMEM;
        for (long n = 1; status == KAL_ERR_NOMEM && n < 100; n++) {
            Fault fault = {.calls_left = n};
            KalContext *ctx = NULL;
            Folder folder;
            ok(folder_open(&folder));
            ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
            status = write_file(ctx, folder_file(&folder, names[i]), 3);
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            kal_context_destroy(ctx);
            ok(fault.live_bytes == 0
               && folder_count(&folder, "") == (status == KAL_OK));
            folder_close(&folder);
        }
        ok(status == KAL_OK);
    }
}

enum {
    WIDE = 40,   // columns, more than HDF5 allows filters
    MANY = 40000 // rows, of some chunks
};

// Noise, constants, whole numbers, numbers with a pattern.
static double wide_value(uint64_t row, int column)
{
    const uint64_t bits = (row * WIDE + (uint64_t)column + 1) * 0x9E3779B97F4A7C15U;
    const double noise = (double)((bits ^ bits >> 31) * 0xD6E8FEB86659FD93U) * 0x1p-64;
    return column % 4 == 0   ? noise
           : column % 4 == 1 ? 0.1 * column
           : column % 4 == 2 ? (double)row
                             : (double)(row % 7) / 7.0;
}

static KalStatus write_wide(KalContext *ctx, const char *path, int threads)
{
    char names[WIDE][8];
    KalQuantity wide[WIDE];
    KalStream *stream = NULL;
    KalStreamSpec spec = spec_of(path, MANY);
    for (int j = 0; j < WIDE; j++) {
        (void)snprintf(names[j], sizeof names[j], "c%d", j);
        wide[j] = (KalQuantity){.name = names[j], .unit = "", .description = ""};
    }
    spec.columns = wide;
    spec.n_columns = WIDE;
    spec.threads = threads;
    KalStatus status = kal_stream_create(ctx, &spec, &stream);
    for (uint64_t i = 0; i < MANY && status == KAL_OK; i++) {
        double row[WIDE];
        const char *const words[TEXTS] = {"", i % 3 == 0 ? "ok" : "why"};
        for (int j = 0; j < WIDE; j++) {
            row[j] = wide_value(i, j);
        }
        status = kal_stream_add(stream, row, words);
    }
    status = status == KAL_OK ? kal_stream_finish(stream) : status;
    kal_stream_destroy(stream);
    return status;
}

// Whether two files have the same bytes.
static bool are_equal(const char *a, const char *b)
{
    FILE *first = fopen(a, "rb");
    FILE *second = fopen(b, "rb");
    bool equal = first && second;
    for (int c = 0; equal && c != EOF;) {
        c = getc(first);
        equal = c == getc(second);
    }
    equal = first && fclose(first) == 0 && equal;
    return second && fclose(second) == 0 && equal;
}

static void wide_tables_are_the_same_for_any_number_of_threads(void)
{
    static const int threads[] = {1, 2, 5, 200};
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    Folder folder;
    ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    char first[sizeof folder.file];
    (void)snprintf(first, sizeof first, "%s", folder_file(&folder, "a.h5"));
    for (int i = 0; i < 4; i++) {
        const char *path = i == 0 ? first : folder_file(&folder, "b.h5");
        ok(write_wide(ctx, path, threads[i]) == KAL_OK);
        ok(are_equal(first, path));
    }
    if (ok(kal_table_read(ctx, first, 0, &table) == KAL_OK)) {
        bool same = kal_table_rows(table) == MANY && kal_table_columns(table) == WIDE;
        for (uint64_t i = 0; same && i < MANY; i++) {
            for (int j = 0; j < WIDE; j++) {
                same = same && kal_table_row(table, i)[j] == wide_value(i, j);
            }
        }
        ok(same);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

static KalStatus make_stretch(KalStretch *stretch, uint64_t first,
                              const void **out_bytes, size_t *out_size)
{
    KalStatus status = KAL_OK;
    for (uint64_t i = first; i < first + KAL_STRETCH_ROWS && status == KAL_OK; i++) {
        const double row[COLUMNS] = {value(i, 0), value(i, 1), value(i, 2)};
        const char *words[TEXTS];
        words_of(i, words);
        status = kal_stretch_add(stretch, row, words);
    }
    return status == KAL_OK ? kal_stretch_finish(stretch, out_bytes, out_size) : status;
}

// Write the rows, of which some whole stretches, a bit for each, are made ready before.
static KalStatus write_ready(KalContext *ctx, const char *path, unsigned ready)
{
    const KalStreamSpec spec = spec_of(path, ROWS);
    const void *bytes = NULL;
    size_t size = 0;
    KalStream *stream = NULL;
    KalStretch *stretch = NULL;
    KalStatus status = kal_stream_create(ctx, &spec, &stream);
    status = status == KAL_OK ? kal_stretch_create(ctx, &spec, &stretch) : status;
    for (uint64_t i = 0; i < ROWS && status == KAL_OK; i++) {
        const uint64_t k = i / KAL_STRETCH_ROWS;
        const bool has = k < ROWS / KAL_STRETCH_ROWS && (ready >> k & 1U) != 0;
        const double row[COLUMNS] = {value(i, 0), value(i, 1), value(i, 2)};
        const char *words[TEXTS];
        words_of(i, words);
        if (has && i % KAL_STRETCH_ROWS == 0) {
            status = make_stretch(stretch, i, &bytes, &size);
            status = status == KAL_OK ? kal_stream_use(stream, bytes, size) : status;
        }
        if (status == KAL_OK) {
            status = kal_stream_add(stream, has ? NULL : row, words);
        }
    }
    status = status == KAL_OK ? kal_stream_finish(stream) : status;
    kal_stretch_destroy(stretch);
    kal_stream_destroy(stream);
    return status;
}

static void stretches_are_the_rows_that_they_are_of(void)
{
    static const char *const names[][2] = {
        {"a.csv", "b.csv"},
        {"a.h5",  "b.h5" }
    };
    for (int i = 0; i < 2; i++) {
        KalContext *ctx = NULL;
        Folder folder;
        ok(folder_open(&folder) && kal_context_create(NULL, NULL, &ctx) == KAL_OK);
        char first[sizeof folder.file];
        (void)snprintf(first, sizeof first, "%s", folder_file(&folder, names[i][0]));
        ok(write_file(ctx, first, ROWS) == KAL_OK);
        for (unsigned ready = 0; ready < 4; ready++) {
            const char *path = folder_file(&folder, names[i][1]);
            ok(write_ready(ctx, path, ready) == KAL_OK && are_equal(first, path));
        }
        kal_context_destroy(ctx);
        folder_close(&folder);
    }
}

static void every_allocation_of_a_stretch_may_fail(void)
{
    static const char *const names[] = {"a.csv", "a.h5"};
    for (int i = 0; i < 2; i++) {
        const KalStreamSpec spec = spec_of(names[i], ROWS);
        KalStatus status = KAL_ERR_NOMEM;
        for (long n = 1; status == KAL_ERR_NOMEM && n < 100; n++) {
            Fault fault = {.calls_left = n};
            KalContext *ctx = NULL;
            KalStretch *stretch = NULL;
            const void *bytes = NULL;
            size_t size = 0;
            ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
            status = kal_stretch_create(ctx, &spec, &stretch);
            status =
                status == KAL_OK ? make_stretch(stretch, 0, &bytes, &size) : status;
            ok(status == KAL_OK ? size > 0 : status == KAL_ERR_NOMEM);
            kal_stretch_destroy(stretch);
            kal_context_destroy(ctx);
            ok(fault.live_bytes == 0);
        }
        ok(status == KAL_OK);
    }
}

TAP_RUN(TAP_CASE(rows_read_back_from_every_format),
        TAP_CASE(there_is_no_file_before_its_end), TAP_CASE(other_endings_are_refused),
        TAP_CASE(wide_tables_are_the_same_for_any_number_of_threads),
        TAP_CASE(stretches_are_the_rows_that_they_are_of),
        TAP_CASE(every_allocation_may_fail),
        TAP_CASE(every_allocation_of_a_stretch_may_fail))

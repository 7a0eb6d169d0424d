// SPDX-License-Identifier: MIT

// Formats of tables, as rows of one list: the ending of the path decides.  A new format is a
// row here and a file with its functions; messages name all endings from the list.

#include "base/whole_file.h"
#include "table/csv.h"
#include "table/format_impl.h"
#include "table/table_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
    LIST_SIZE = 128 // room for all endings
};

typedef KalStatus Writer(const KalTable *table, KalSink sink);
typedef KalStatus Reader(KalContext *ctx, const char *path, size_t limit,
                         KalTable **out_table);

typedef struct Format {
    const char *ending;
    Writer *write;
    Reader *read;                        // NULL: such files are not read
    KalStatus (*check)(KalContext *ctx); // NULL: nothing is needed to write them
} Format;

// Before the ending.
static void print_units_path(const char *path, char *out_path, size_t size)
{
    assert(strrchr(path, '.'));
    const char *ending = strrchr(path, '.');
    snprintf(out_path, size, "%.*s.units%s", (int)(ending - path), path, ending);
}

// x.units.csv for x.csv.
static char *make_units_path(KalContext *ctx, const char *path, size_t *out_size)
{
    assert(path && out_size);
    const size_t size = strlen(path) + sizeof ".units";
    char *units = kal_alloc(ctx, size, 1);
    if (units) {
        print_units_path(path, units, size);
    }
    *out_size = size;
    return units;
}

// Whether any column has one.
static bool has_units(const KalTable *table)
{
    for (size_t i = 0; i < kal_table_columns(table); i++) {
        if (kal_table_column(table, i).unit[0]) {
            return true;
        }
    }
    return false;
}

// Units from the file beside a table, if there is one.
static KalStatus read_units(KalContext *ctx, const char *path, KalTable *table)
{
    KalBlock text = {.data = NULL};
    KalStatus status = KAL_OK;
    size_t size = 0;
    char *name = make_units_path(ctx, path, &size);
    if (!name) {
        return kal_no_memory(ctx, "to read a file");
    }
    if (access(name, R_OK) == 0) {
        status = kal_file_read(ctx, name, kal_table_limit(0), &text);
    }
    if (status == KAL_OK && text.data) {
        status =
            kal_csv_parse_columns(ctx, name, (const char *)text.data, text.size, table);
    }
    kal_block_clear(ctx, &text);
    kal_free(ctx, name, size);
    return status;
}

// Units may stand in the file itself or in one beside it.
static KalStatus read_csv(KalContext *ctx, const char *path, size_t limit,
                          KalTable **out_table)
{
    assert(path && out_table);
    KalBlock text = {.data = NULL};
    KalTable *table = NULL;
    KalStatus status = kal_file_read(ctx, path, kal_table_limit(limit), &text);
    if (status == KAL_OK) {
        status = kal_csv_parse(ctx, path, text.data ? text.data : "", text.size, limit,
                               &table);
    }
    kal_block_clear(ctx, &text);
    if (status == KAL_OK && !has_units(table)) {
        status = read_units(ctx, path, table);
    }
    if (status != KAL_OK) {
        kal_table_destroy(table);
        return status;
    }
    *out_table = table;
    return KAL_OK;
}

static const Format formats[] = {
    {".csv",  kal_csv_write,        read_csv,            NULL                },
    {".h5",   kal_hdf5_table_write, kal_hdf5_table_read, kal_hdf5_table_check},
    {".hdf5", kal_hdf5_table_write, kal_hdf5_table_read, kal_hdf5_table_check},
    {".mat",  kal_mat_table_write,  NULL,                NULL                },
    {".json", kal_json_table_write, NULL,                NULL                },
};

enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

// ".csv, .h5 or .json": the endings that can be written, or those that can be read.
static void print_endings(bool read, char out_text[LIST_SIZE])
{
    int length = 0;
    int last = FORMATS - 1;
    while (read && !formats[last].read) {
        last--;
    }
    out_text[0] = '\0';
    for (int i = 0; i <= last; i++) {
        if (read && !formats[i].read) {
            continue;
        }
        const char *between = i == last ? " or " : ", ";
        length += snprintf(out_text + length, LIST_SIZE - (size_t)length, "%s%s",
                           length > 0 ? between : "", formats[i].ending);
    }
}

// By the ending, in letters of either case; a name that is all ending has none.
static const Format *find_format(const char *path)
{
    assert(path);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    for (int i = 0; i < FORMATS; i++) {
        if (dot && dot > name && strcasecmp(dot, formats[i].ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

// The format of a path; NULL, with the explanation, when there is none to write or read.
static const Format *get_format(KalContext *ctx, const char *path, bool read)
{
    const Format *format = find_format(path);
    if (format && (format->read || !read)) {
        return format;
    }
    char endings[LIST_SIZE];
    print_endings(read, endings);
    kal_fail(ctx, KAL_ERR_USAGE,
             "cannot %s a table %s %s: expected a name that ends with %s",
             read ? "read" : "write", read ? "from" : "to", kal_file_shown(path),
             endings);
    return NULL;
}

bool kal_table_units_path(const char *path, char *out_path, size_t size)
{
    const Format *format = path && out_path ? find_format(path) : NULL;
    if (!format || format->write != kal_csv_write
        || strlen(path) + sizeof ".units" > size) {
        return false;
    }
    print_units_path(path, out_path, size);
    return true;
}

KalTableWriteOptions kal_table_write_options(void)
{
    return (KalTableWriteOptions){.csv_units = KAL_TABLE_UNITS_NONE};
}

KalStatus kal_table_check_path(KalContext *ctx, const char *path)
{
    KAL_NEED(ctx, ctx && path);
    KalFile *file = NULL;
    const Format *format = get_format(ctx, path, false);
    if (!format) {
        return KAL_ERR_USAGE;
    }
    KAL_TRY(kal_file_create(ctx, path, &file));
    kal_file_destroy(file);
    return format->check ? format->check(ctx) : KAL_OK;
}

// Write the file of units, whole.
static KalStatus write_units(const KalTable *table, const char *path)
{
    assert(path);
    KalContext *ctx = kal_table_context(table);
    KalFile *file = NULL;
    size_t size = 0;
    char *name = make_units_path(ctx, path, &size);
    if (!name) {
        return kal_no_memory(ctx, "to write a file");
    }
    KalStatus status = kal_file_create(ctx, name, &file);
    if (status == KAL_OK) {
        kal_csv_write_columns(table, kal_file_sink(file));
        status = kal_file_close(file);
    }
    if (status == KAL_OK) {
        status = kal_file_finish(file);
    }
    kal_file_destroy(file);
    kal_free(ctx, name, size);
    return status;
}

// A table and its units in the same file would be one of them only.
static KalStatus check_units(const KalTable *table, const char *path)
{
    KalContext *ctx = kal_table_context(table);
    KalFileId ids[2];
    size_t size = 0;
    char *name = make_units_path(ctx, path, &size);
    if (!name) {
        return kal_no_memory(ctx, "to write a file");
    }
    KalStatus status = kal_file_identify(ctx, path, &ids[0]);
    if (status == KAL_OK) {
        status = kal_file_identify(ctx, name, &ids[1]);
    }
    if (status == KAL_OK && kal_file_is_same(&ids[0], &ids[1])) {
        status = kal_fail(ctx, KAL_ERR_USAGE,
                          "cannot write %s: it is the file of its units as well",
                          kal_file_shown(path));
    }
    kal_free(ctx, name, size);
    return status;
}

// The units come last before the renaming: a table that does not fit leaves them alone.
static KalStatus write_file(const KalTable *table, const Format *format,
                            const char *path, KalTableUnits units, KalFile *file)
{
    assert(format->write && file);
    if (units == KAL_TABLE_UNITS_COMMENT) {
        kal_csv_write_units(table, kal_file_sink(file));
    }
    KAL_TRY(format->write(table, kal_file_sink(file)));
    KAL_TRY(kal_file_close(file));
    if (units == KAL_TABLE_UNITS_FILE) {
        KAL_TRY(check_units(table, path));
        KAL_TRY(write_units(table, path));
    }
    return kal_file_finish(file);
}

KalStatus kal_table_write(const KalTable *table, const char *path,
                          const KalTableWriteOptions *options)
{
    KAL_NEED(table ? kal_table_context(table) : NULL, table && path);
    KalContext *ctx = kal_table_context(table);
    const Format *format = get_format(ctx, path, false);
    KalFile *file = NULL;
    if (!format) {
        return KAL_ERR_USAGE;
    }
    if (kal_table_columns(table) == 0) {
        return kal_fail(ctx, KAL_ERR_USAGE, "cannot write %s: the table has no columns",
                        kal_file_shown(path));
    }
    if (options && (unsigned)options->csv_units > KAL_TABLE_UNITS_FILE) {
        return kal_fail(ctx, KAL_ERR_USAGE, "there is no such place for units");
    }
    const bool csv = format->write == kal_csv_write;
    const KalTableUnits units =
        options && csv ? options->csv_units : KAL_TABLE_UNITS_NONE;
    KAL_TRY(kal_file_create(ctx, path, &file));
    const KalStatus status = write_file(table, format, path, units, file);
    kal_file_destroy(file);
    return status;
}

KalStatus kal_table_write_csv(const KalTable *table, KalSink sink,
                              const KalTableWriteOptions *options)
{
    KAL_NEED(table ? kal_table_context(table) : NULL, table && sink.write);
    const KalTableUnits units = options ? options->csv_units : KAL_TABLE_UNITS_NONE;
    if (kal_table_columns(table) == 0 || (unsigned)units > KAL_TABLE_UNITS_COMMENT) {
        return kal_fail(
            kal_table_context(table), KAL_ERR_USAGE, "cannot write a table: %s",
            kal_table_columns(table) == 0 ? "it has no columns"
                                          : "without a path its units have no file");
    }
    if (units == KAL_TABLE_UNITS_COMMENT) {
        kal_csv_write_units(table, sink);
    }
    return kal_csv_write(table, sink);
}

KalStatus kal_table_read(KalContext *ctx, const char *path, size_t limit,
                         KalTable **out_table)
{
    KAL_NEED(ctx, ctx && path && out_table);
    const Format *format = get_format(ctx, path, true);
    return format ? format->read(ctx, path, limit, out_table) : KAL_ERR_USAGE;
}

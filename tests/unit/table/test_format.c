// SPDX-License-Identifier: MIT

#include "base/whole_file.h"
#include "child.h"
#include "context.h"
#include "disk.h"
#include "fault.h"
#include "folder.h"
#include "json/reader.h"
#include "sample.h"
#include "tap.h"

#include <time.h>

static const char *const all[] = {"a.csv", "a.h5", "a.hdf5", "a.mat", "a.json"};

enum {
    ALL = sizeof all / sizeof all[0]
};

static KalTable *new_sample(KalContext *ctx)
{
    KalTable *table = NULL;
    ok(sample_create(ctx, &table) == KAL_OK);
    return table;
}

// Names and numbers, which every file that can be read has.
static void has_sample_columns(const KalTable *table)
{
    ok(kal_table_columns(table) == SAMPLE_COLUMNS);
    ok(kal_table_rows(table) == SAMPLE_ROWS);
    for (size_t j = 0; j < SAMPLE_COLUMNS && j < kal_table_columns(table); j++) {
        same_text(kal_table_column(table, j).name, sample_columns[j].name);
        for (size_t i = 0; i < SAMPLE_ROWS && i < kal_table_rows(table); i++) {
            ok(sample_same(kal_table_row(table, i)[j], sample_values[i][j]));
        }
    }
}

static void tables_read_back(void)
{
    const char *readable[] = {"a.csv", "b.CSV", "a.h5", "a.hdf5", "a.b.H5"};
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    ok(folder_open(&folder));
    for (size_t k = 0; k < sizeof readable / sizeof readable[0]; k++) {
        for (int incomplete = 0; incomplete < 2; incomplete++) {
            const char *path = folder_file(&folder, readable[k]);
            KalTable *again = NULL;
            kal_table_set_incomplete(table, incomplete);
            ok(kal_table_write(table, path, NULL) == KAL_OK);
            ok(kal_table_read(ctx, path, 0, &again) == KAL_OK);
            has_sample_columns(again);
            ok(kal_table_is_incomplete(again) == incomplete);
            kal_table_destroy(again);
        }
    }
    ok(folder_count(&folder, "") == 5);
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void unknown_endings_are_told_the_known_ones(void)
{
    const char *wrong[] = {"a.txt", "a", "csv", ".csv", "a.csv.gz", "a.csv/b", "a."};
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    KalTable *again = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ok(kal_table_write(table, wrong[i], NULL) == KAL_ERR_USAGE);
        has_text(kal_context_message(ctx),
                 ": expected a name that ends with .csv, .h5, .hdf5, .mat or .json");
        ok(kal_table_check_path(ctx, wrong[i]) == KAL_ERR_USAGE);
        ok(kal_table_read(ctx, wrong[i], 0, &again) == KAL_ERR_USAGE);
    }
    ok(kal_table_read(ctx, "a.mat", 0, &again) == KAL_ERR_USAGE);
    same_text(kal_context_message(ctx),
              "cannot read a table from a.mat: expected a name "
              "that ends with .csv, .h5 or .hdf5");
    ok(again == NULL);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void a_path_is_tried_without_a_trace(void)
{
    Folder folder;
    char path[2 * FOLDER_SIZE];
    char text[16];
    KalContext *ctx = new_context();
    ok(folder_open(&folder));
    ok(kal_table_check_path(ctx, folder_file(&folder, "a.csv")) == KAL_OK);
    ok(folder_count(&folder, "") == 0);
    ok(folder_write(&folder, "a.csv", "old"));
    ok(kal_table_check_path(ctx, folder_file(&folder, "a.csv")) == KAL_OK);
    folder_read(&folder, "a.csv", text, sizeof text);
    same_text(text, "old");
    snprintf(path, sizeof path, "%s/none/a.csv", folder.path);
    ok(kal_table_check_path(ctx, path) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "none/a.csv: the folder does not exist");
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void a_table_needs_columns_but_no_rows(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(folder_open(&folder) && kal_table_create(ctx, 0, &table) == KAL_OK);
    for (int i = 0; i < ALL; i++) {
        ok(kal_table_write(table, folder_file(&folder, all[i]), NULL) == KAL_ERR_USAGE);
        has_text(kal_context_message(ctx), "the table has no columns");
    }
    ok(folder_count(&folder, "") == 0);
    ok(kal_table_add_column(table, (KalQuantity){"t", "s", ""}) == KAL_OK);
    for (int i = 0; i < ALL; i++) {
        KalTable *again = NULL;
        const char *path = folder_file(&folder, all[i]);
        ok(kal_table_write(table, path, NULL) == KAL_OK);
        if (i < 3) {
            ok(kal_table_read(ctx, path, 0, &again) == KAL_OK);
            ok(kal_table_columns(again) == 1 && kal_table_rows(again) == 0);
            kal_table_destroy(again);
        }
    }
    ok(folder_count(&folder, "") == ALL);
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void units_of_a_csv_go_where_they_are_wanted(void)
{
    static char text[100000];
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    KalTable *again = NULL;
    KalTableWriteOptions options = kal_table_write_options();
    ok(folder_open(&folder));
    options.csv_units = KAL_TABLE_UNITS_FILE;
    ok(kal_table_write(table, folder_file(&folder, "a.csv"), &options) == KAL_OK);
    ok(folder_count(&folder, "") == 2);
    folder_read(&folder, "a.units.csv", text, sizeof text);
    ok(strncmp(text, "name,unit,description\nt,s,time\nx,m,\"\"\n", 38) == 0);
    folder_read(&folder, "a.csv", text, sizeof text);
    ok(strncmp(text, "t,x,x',link[2].a',\"a,b\",", 24) == 0);
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &again) == KAL_OK);
    for (size_t j = 0; j < SAMPLE_COLUMNS; j++) {
        same_text(kal_table_column(again, j).unit, sample_columns[j].unit);
        same_text(kal_table_column(again, j).description,
                  sample_columns[j].description);
    }
    kal_table_destroy(again);
    again = NULL;

    options.csv_units = KAL_TABLE_UNITS_COMMENT;
    ok(kal_table_write(table, folder_file(&folder, "b.csv"), &options) == KAL_OK);
    ok(folder_count(&folder, "") == 3);
    folder_read(&folder, "b.csv", text, sizeof text);
    ok(strncmp(text, "# units: s,m,m/s,rad/s,", 23) == 0);
    ok(kal_table_read(ctx, folder_file(&folder, "b.csv"), 0, &again) == KAL_OK);
    same_text(kal_table_column(again, 9).unit, sample_columns[9].unit);
    kal_table_destroy(again);

    ok(kal_table_write(table, folder_file(&folder, "c.json"), &options) == KAL_OK);
    folder_read(&folder, "c.json", text, sizeof text);
    ok(text[0] == '{');
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// Values of a JSON text, counted; -1 when it is not JSON.
static int count_numbers(KalContext *ctx, const char *text, size_t length)
{
    KalJsonReader reader;
    int count = 0;
    KalStatus status = KAL_OK;
    kal_json_reader_init(&reader, ctx, "json", text, length);
    do {
        status = kal_json_step(&reader);
        count += status == KAL_OK && reader.event == KAL_JSON_NUMBER;
    } while (status == KAL_OK && reader.event != KAL_JSON_END);
    kal_json_reader_clear(&reader);
    return status == KAL_OK ? count : -1;
}

static void json_is_json(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    KalBlock text = {.data = NULL};
    ok(folder_open(&folder));
    ok(kal_table_write(table, folder_file(&folder, "a.json"), NULL) == KAL_OK);
    ok(kal_file_read(ctx, folder_file(&folder, "a.json"), 1000000, &text) == KAL_OK);
    // All but three that are not finite, two finite parameters, one note.
    ok(count_numbers(ctx, text.data, text.size)
       == SAMPLE_ROWS * SAMPLE_COLUMNS - 3 + 3);
    kal_block_clear(ctx, &text);
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static bool same_bytes(KalContext *ctx, Folder *folder, const char *a, const char *b)
{
    KalBlock one = {.data = NULL};
    KalBlock two = {.data = NULL};
    ok(kal_file_read(ctx, folder_file(folder, a), 1000000, &one) == KAL_OK);
    ok(kal_file_read(ctx, folder_file(folder, b), 1000000, &two) == KAL_OK);
    const bool same = one.size == two.size && memcmp(one.data, two.data, one.size) == 0;
    kal_block_clear(ctx, &one);
    kal_block_clear(ctx, &two);
    return same;
}

// Rows that are missing show in the bytes of every format.
static void every_format_says_that_rows_are_missing(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    ok(folder_open(&folder));
    for (int i = 0; i < ALL; i++) {
        char whole[16];
        snprintf(whole, sizeof whole, "w%s", all[i]);
        kal_table_set_incomplete(table, false);
        ok(kal_table_write(table, folder_file(&folder, whole), NULL) == KAL_OK);
        kal_table_set_incomplete(table, true);
        ok(kal_table_write(table, folder_file(&folder, all[i]), NULL) == KAL_OK);
        ok(!same_bytes(ctx, &folder, all[i], whole));
    }
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// HDF5 would note the time of day, in seconds.
static void the_same_table_gives_the_same_bytes(void)
{
    const char *other[ALL] = {"b.csv", "b.h5", "b.hdf5", "b.mat", "b.json"};
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 100000000};
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    ok(folder_open(&folder));
    for (int i = 0; i < ALL; i++) {
        ok(kal_table_write(table, folder_file(&folder, all[i]), NULL) == KAL_OK);
    }
    nanosleep(&pause, NULL);
    for (int i = 0; i < ALL; i++) {
        ok(kal_table_write(table, folder_file(&folder, other[i]), NULL) == KAL_OK);
        ok(same_bytes(ctx, &folder, all[i], other[i]));
    }
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void fill_disk(void *user)
{
    Folder *folder = user;
    if (!disk_mount(folder->path, "512k")) {
        printf("# no disk may be mounted here\n");
        return;
    }
    KalContext *ctx = new_context();
    KalTable *small = new_sample(ctx);
    KalTable *table = NULL;
    ok(kal_table_create(ctx, 0, &table) == KAL_OK);
    ok(kal_table_add_column(table, (KalQuantity){.name = "x"}) == KAL_OK);
    for (int i = 0; i < 100000; i++) {
        const double value = i + 0.1;
        ok(kal_table_add_row(table, &value) == KAL_OK);
    }
    for (int i = 0; i < ALL; i++) {
        char text[16];
        const char *path = folder_file(folder, all[i]);
        ok(folder_write(folder, all[i], "old"));
        ok(kal_table_write(table, path, NULL) == KAL_ERR_FILE);
        has_text(kal_context_message(ctx), all[i]);
        has_text(kal_context_message(ctx), "the disk is full");
        folder_read(folder, all[i], text, sizeof text);
        same_text(text, "old");
        ok(folder_count(folder, "") == i + 1);
    }
    for (int i = 0; i < 2; i++) {
        ok(kal_table_write(small, folder_file(folder, all[i]), NULL) == KAL_OK);
    }
    kal_table_destroy(small);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

static void a_full_disk_is_told_in_every_format(void)
{
    Folder folder;
    ok(folder_open(&folder));
    child_run(fill_disk, &folder);
    folder_close(&folder);
}

// A table whose numbers fill the disk leaves no file of its units.
static void units_come_only_with_their_table(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = new_sample(ctx);
    const KalTableWriteOptions options = {.csv_units = KAL_TABLE_UNITS_FILE};
    ok(folder_open(&folder) && mkdir(folder_file(&folder, "a.units.csv"), 0700) == 0);
    ok(kal_table_write(table, folder_file(&folder, "a.csv"), &options) == KAL_ERR_FILE);
    has_text(kal_context_message(ctx), "a.units.csv: it is a folder");
    ok(folder_count(&folder, "") == 1);
    folder_close(&folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
}

// What stands beside a table may be damaged, or not be about it.
static void units_beside_a_table_are_checked(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(folder_open(&folder) && folder_write(&folder, "a.csv", "t,x\n1,2\n"));
    ok(folder_write(&folder, "a.units.csv", "name,unit,description\nx,m\n"));
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &table) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "a.units.csv:2:1: expected three fields");
    ok(folder_write(&folder, "a.units.csv", "name,unit,description\nx,\"\x1b[\",\n"));
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &table) == KAL_ERR_SYNTAX);
    has_text(kal_context_message(ctx), "the unit has a control character");

    ok(folder_write(&folder, "a.units.csv", "t,u\n1,2\n")); // of another program
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &table) == KAL_OK);
    same_text(kal_table_column(table, 1).unit, "");
    kal_table_destroy(table);
    ok(folder_write(&folder, "a.units.csv",
                    "name,unit,description\ny,kg,\nx,m,\"the \"\"x\"\"\"\n"));
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &table) == KAL_OK);
    same_text(kal_table_column(table, 0).unit, "");
    same_text(kal_table_column(table, 1).unit, "m");
    same_text(kal_table_column(table, 1).description, "the \"x\"");
    kal_table_destroy(table);

    // Units of its own come first.
    ok(folder_write(&folder, "a.csv", "# units: s,mm\nt,x\n1,2\n"));
    ok(kal_table_read(ctx, folder_file(&folder, "a.csv"), 0, &table) == KAL_OK);
    same_text(kal_table_column(table, 1).unit, "mm");
    kal_table_destroy(table);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

// Write and read with `calls` allocations.
static KalStatus try_all(KalContext *ctx, const KalTable *given, const char *path,
                         bool reads)
{
    const KalTableWriteOptions options = {.csv_units = KAL_TABLE_UNITS_FILE};
    KalTable *again = NULL;
    KalStatus status = kal_table_write(given, path, &options);
    if (status == KAL_OK && reads) {
        status = kal_table_read(ctx, path, 0, &again);
        ok((status == KAL_OK) == (again != NULL));
        kal_table_destroy(again);
    }
    return status;
}

static void every_allocation_may_fail(void)
{
    for (int i = 0; i < ALL; i++) {
        Folder folder;
        KalStatus status = KAL_ERR_NOMEM;
        long calls = 0;
        ok(folder_open(&folder));
        for (; status != KAL_OK && calls < 300; calls++) {
            Fault fault = {.calls_left = -1};
            KalContext *ctx = NULL;
            ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
            KalTable *table = new_sample(ctx);
            fault.calls_left = calls;
            status = try_all(ctx, table, folder_file(&folder, all[i]), i < 3);
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            ok(folder_count(&folder, ".part") == 0);
            kal_table_destroy(table);
            kal_context_destroy(ctx);
            ok(fault.live_bytes == 0);
        }
        ok(status == KAL_OK && calls > (i < 3 ? 12 : 3));
        folder_close(&folder);
    }
}

TAP_RUN(TAP_CASE(tables_read_back), TAP_CASE(unknown_endings_are_told_the_known_ones),
        TAP_CASE(a_path_is_tried_without_a_trace),
        TAP_CASE(a_table_needs_columns_but_no_rows),
        TAP_CASE(units_of_a_csv_go_where_they_are_wanted), TAP_CASE(json_is_json),
        TAP_CASE(every_format_says_that_rows_are_missing),
        TAP_CASE(the_same_table_gives_the_same_bytes),
        TAP_CASE(a_full_disk_is_told_in_every_format),
        TAP_CASE(units_come_only_with_their_table),
        TAP_CASE(units_beside_a_table_are_checked), TAP_CASE(every_allocation_may_fail))

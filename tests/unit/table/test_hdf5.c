// SPDX-License-Identifier: MIT

// HDF5 files beyond what test_format.c shows of all formats: notes and parameters, files
// that others made or that are damaged, and the manners of a guest in the library.

#include "base/whole_file.h"
#include "child.h"
#include "context.h"
#include "folder.h"
#include "rng.h"
#include "sample.h"
#include "tap.h"

#include <hdf5.h>

#include <pthread.h>

static void notes_and_parameters_read_back(void)
{
    static char text[SAMPLE_TEXT + 1];
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    KalTable *again = NULL;
    ok(folder_open(&folder) && sample_create(ctx, &table) == KAL_OK);
    ok(kal_table_write(table, folder_file(&folder, "a.h5"), NULL) == KAL_OK);
    ok(kal_table_read(ctx, folder_file(&folder, "a.h5"), 0, &again) == KAL_OK);
    for (size_t j = 0; j < SAMPLE_COLUMNS; j++) {
        same_text(kal_table_column(again, j).unit, sample_columns[j].unit);
        same_text(kal_table_column(again, j).description,
                  sample_columns[j].description);
    }
    ok(kal_table_parameters(again) == SAMPLE_PARAMETERS);
    for (size_t i = 0; i < SAMPLE_PARAMETERS; i++) {
        const KalTableParameter got = kal_table_parameter(again, i);
        same_text(got.quantity.name, sample_parameters[i].quantity.name);
        same_text(got.quantity.unit, sample_parameters[i].quantity.unit);
        same_text(got.quantity.description, sample_parameters[i].quantity.description);
        ok(got.value == sample_parameters[i].value);
    }
    ok(kal_table_notes(again) == SAMPLE_NOTES);
    sample_text(text);
    same_text(kal_table_note(again, 0).key, "model");
    ok(strcmp(kal_table_note(again, 0).text, text) == 0);
    same_text(kal_table_note(again, 1).text, "0.1.0");
    ok(kal_table_note(again, 2).number == 1234.0 && !kal_table_note(again, 2).text);
    same_text(kal_table_note(again, 3).text, "");
    same_text(kal_table_note(again, 4).key, "a/θ");
    ok(isnan(kal_table_note(again, 4).number));
    kal_table_destroy(again);
    kal_table_destroy(table);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

// A file that another program makes, piece by piece.
typedef struct Foreign {
    hid_t file;
    hid_t columns;
    hid_t parameters;
} Foreign;

static Foreign open_foreign(const char *path)
{
    Foreign f = {.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)};
    f.columns = H5Gcreate2(f.file, "columns", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    f.parameters =
        H5Gcreate2(f.file, "parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok(f.file >= 0 && f.columns >= 0 && f.parameters >= 0);
    return f;
}

static void close_foreign(const Foreign *f)
{
    ok(H5Gclose(f->parameters) >= 0 && H5Gclose(f->columns) >= 0
       && H5Fclose(f->file) >= 0);
}

// A dataset of 1, 2, 3… ; the caller closes it.
static hid_t add_dataset(hid_t group, const char *name, hid_t type, int rank,
                         hsize_t size)
{
    const hsize_t sizes[2] = {size, 2};
    const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const hid_t space =
        rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, sizes, NULL);
    const hid_t dataset =
        H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    return dataset;
}

static void add_text(hid_t object, const char *name, const char *text, size_t size)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    const hid_t attribute =
        H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    ok(H5Awrite(attribute, type,
                size == H5T_VARIABLE ? (const void *)&text : (const void *)text)
       >= 0);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

// Integers and floats of any width, texts without a NUL, no order of creation, attributes
// of kinds that are not ours.
static void files_of_others_are_understood(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(folder_open(&folder));
    const char *path = folder_file(&folder, "a.h5");
    const Foreign f = open_foreign(path);
    const hid_t x = add_dataset(f.columns, "x", H5T_STD_I16BE, 1, 3);
    const hid_t t = add_dataset(f.columns, "t", H5T_IEEE_F32BE, 1, 3);
    const hid_t m = add_dataset(f.parameters, "m", H5T_STD_U8LE, 0, 1);
    add_text(x, "unit", "metre", 5);
    add_text(t, "unit", "of variable length", H5T_VARIABLE);
    add_text(f.file, "who", "me", 2);
    add_text(f.file, "variable", "passed over", H5T_VARIABLE);
    H5Dclose(x);
    H5Dclose(t);
    H5Dclose(m);
    close_foreign(&f);
    ok(kal_table_read(ctx, path, 0, &table) == KAL_OK);
    ok(kal_table_columns(table) == 2 && kal_table_rows(table) == 3);
    same_text(kal_table_column(table, 0).name, "t");
    same_text(kal_table_column(table, 0).unit, "");
    same_text(kal_table_column(table, 1).name, "x");
    same_text(kal_table_column(table, 1).unit, "metre");
    for (size_t i = 0; i < 3; i++) {
        ok(kal_table_row(table, i)[0] == (double)i + 1.0);
        ok(kal_table_row(table, i)[1] == (double)i + 1.0);
    }
    ok(kal_table_parameters(table) == 1 && kal_table_parameter(table, 0).value == 1.0);
    ok(kal_table_notes(table) == 1);
    same_text(kal_table_note(table, 0).text, "me");
    kal_table_destroy(table);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void refuses(Folder *folder, size_t limit, KalStatus want, const char *part)
{
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    const char *path = folder_file(folder, "a.h5");
    ok(kal_table_read(ctx, path, limit, &table) == want && table == NULL);
    has_text(kal_context_message(ctx), path);
    has_text(kal_context_message(ctx), part);
    kal_context_destroy(ctx);
}

// Make a file whose only columns are of these sizes and see it refused.
static void refuses_column(hid_t type, int rank, const hsize_t sizes[2], KalStatus want,
                           const char *part)
{
    Folder folder;
    ok(folder_open(&folder));
    const Foreign f = open_foreign(folder_file(&folder, "a.h5"));
    H5Dclose(add_dataset(f.columns, "a", type, rank, sizes[0]));
    H5Dclose(add_dataset(f.columns, "b", type, rank, sizes[1]));
    close_foreign(&f);
    refuses(&folder, 0, want, part);
    folder_close(&folder);
}

static void columns_must_be_columns(void)
{
    refuses_column(H5T_STD_I8LE, 1, (const hsize_t[]){3, 4}, KAL_ERR_SHAPE,
                   "columns/b has another length than the columns before it");
    refuses_column(H5T_STD_I8LE, 2, (const hsize_t[]){3, 3}, KAL_ERR_SHAPE,
                   "columns/a is not a sequence of numbers");
    refuses_column(H5T_STD_I8LE, 0, (const hsize_t[]){1, 1}, KAL_ERR_SHAPE,
                   "columns/a is not a sequence of numbers");

    Folder folder;
    ok(folder_open(&folder));
    const Foreign f = open_foreign(folder_file(&folder, "a.h5"));
    H5Gclose(H5Gcreate2(f.columns, "a", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_FILE, "columns/a is not a dataset of this file");
    folder_close(&folder);
}

static void columns_have_names_that_can_be_used(void)
{
    Folder folder;
    ok(folder_open(&folder));
    const Foreign f = open_foreign(folder_file(&folder, "a.h5"));
    H5Dclose(add_dataset(f.columns, "a\xff", H5T_STD_I8LE, 1, 1));
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_SYNTAX, "not UTF-8");
    folder_close(&folder);
}

// Links and data may lead to files that are none of the table's business.
static void nothing_is_read_from_elsewhere(void)
{
    Folder folder;
    const hsize_t size = 8;
    ok(folder_open(&folder));
    Foreign f = open_foreign(folder_file(&folder, "a.h5"));
    ok(H5Lcreate_external("/etc/passwd", "/x", f.columns, "a", H5P_DEFAULT, H5P_DEFAULT)
       >= 0);
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_FILE, "columns/a is not a dataset of this file");

    f = open_foreign(folder_file(&folder, "a.h5"));
    ok(H5Lcreate_soft("/parameters/m", f.columns, "a", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_FILE, "columns/a is not a dataset of this file");

    f = open_foreign(folder_file(&folder, "a.h5"));
    const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    ok(H5Pset_external(create, "/etc/passwd", 0, 8) >= 0);
    const hid_t dataset = H5Dcreate2(f.columns, "a", H5T_STD_U8LE, space, H5P_DEFAULT,
                                     create, H5P_DEFAULT);
    ok(dataset >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(create);
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_FILE, "columns/a has its numbers in another file");
    folder_close(&folder);
}

// A file of 2 KB can promise any number of numbers.
static void promises_have_a_limit(void)
{
    Folder folder;
    const hsize_t sizes[2] = {(hsize_t)1 << 40, (hsize_t)1 << 62};
    ok(folder_open(&folder));
    for (int i = 0; i < 2; i++) {
        const Foreign f = open_foreign(folder_file(&folder, "a.h5"));
        const hsize_t chunk = 1024;
        const hid_t create = H5Pcreate(H5P_DATASET_CREATE);
        const hid_t space = H5Screate_simple(1, &sizes[i], NULL);
        ok(H5Pset_chunk(create, 1, &chunk) >= 0);
        const hid_t dataset = H5Dcreate2(f.columns, "a", H5T_IEEE_F64LE, space,
                                         H5P_DEFAULT, create, H5P_DEFAULT);
        ok(dataset >= 0);
        H5Dclose(dataset);
        H5Sclose(space);
        H5Pclose(create);
        close_foreign(&f);
        refuses(&folder, 0, KAL_ERR_LIMIT, "the table is full");
    }
    folder_close(&folder);
}

static void what_is_no_table_is_refused(void)
{
    Folder folder;
    ok(folder_open(&folder));
    refuses(&folder, 0, KAL_ERR_FILE, "there is no such file or folder");
    ok(folder_write(&folder, "a.h5", "t,x\n1,2\n"));
    refuses(&folder, 0, KAL_ERR_FILE, "it is no HDF5 file, or damaged; HDF5 says: ");
    Foreign f = open_foreign(folder_file(&folder, "a.h5"));
    close_foreign(&f);
    refuses(&folder, 0, KAL_ERR_FILE, "it has no columns");
    H5Fclose(H5Fcreate(folder_file(&folder, "a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT,
                       H5P_DEFAULT));
    refuses(&folder, 0, KAL_ERR_FILE, "it has no group 'columns'");
    ok(remove(folder_file(&folder, "a.h5")) == 0);
    ok(mkdir(folder_file(&folder, "a.h5"), 0700) == 0);
    refuses(&folder, 0, KAL_ERR_FILE, "it is a folder");
    folder_close(&folder);
}

// Some bytes of a good file changed, or its end lost: it may still be read, or an error
// tells; in no case does anything break.
static void try_damage(void *user)
{
    Folder *folder = user;
    KalBlock good = {.data = NULL};
    KalContext *ctx = new_context();
    int refused = 0;
    ok(kal_file_read(ctx, folder_file(folder, "a.h5"), 1 << 20, &good) == KAL_OK);
    for (uint64_t seed = 0; seed < 300; seed++) {
        Rng rng = {.state = seed};
        KalTable *table = NULL;
        char *bytes = malloc(good.size);
        memcpy(bytes, good.data, good.size);
        for (int i = rng_int(&rng, 0, 4); i >= 0; i--) {
            const int reach = rng_int(&rng, 0, 3) > 0 ? 4096 : (int)good.size;
            bytes[rng_int(&rng, 0, reach - 1)] = (char)rng_int(&rng, 0, 255);
        }
        const bool cut = rng_int(&rng, 0, 9) == 0;
        FILE *file = fopen(folder_file(folder, "b.h5"), "wb");
        const size_t size = cut ? (size_t)rng_int(&rng, 0, (int)good.size) : good.size;
        ok(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
        free(bytes);
        const KalStatus status =
            kal_table_read(ctx, folder_file(folder, "b.h5"), 1 << 24, &table);
        refused += status != KAL_OK;
        ok((status == KAL_OK) == (table != NULL));
        kal_table_destroy(table);
    }
    printf("# %d of 300 refused\n", refused);
    ok(refused > 100);
    kal_block_clear(ctx, &good);
    kal_context_destroy(ctx);
}

static void damaged_files_do_no_harm(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    ok(folder_open(&folder) && sample_create(ctx, &table) == KAL_OK);
    ok(kal_table_write(table, folder_file(&folder, "a.h5"), NULL) == KAL_OK);
    child_run(try_damage, &folder);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

static herr_t own_printer(hid_t stack, void *user)
{
    (void)stack;
    ++*(int *)user;
    return 0;
}

// The program may use HDF5 itself: its settings stay, its printer is not called, and no
// handle is left open.
static void the_program_keeps_its_settings(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    KalTable *again = NULL;
    int calls = 0;
    H5E_auto2_t printer = NULL;
    void *user = NULL;
    ok(folder_open(&folder) && sample_create(ctx, &table) == KAL_OK);
    ok(H5Eset_auto2(H5E_DEFAULT, own_printer, &calls) >= 0);
    ok(kal_table_write(table, folder_file(&folder, "a.h5"), NULL) == KAL_OK);
    ok(kal_table_read(ctx, folder_file(&folder, "a.h5"), 0, &again) == KAL_OK);
    kal_table_destroy(again);
    ok(folder_write(&folder, "b.h5", "nonsense"));
    ok(kal_table_read(ctx, folder_file(&folder, "b.h5"), 0, &again) == KAL_ERR_FILE);
    ok(calls == 0);
    ok(H5Eget_auto2(H5E_DEFAULT, &printer, &user) >= 0);
    ok(printer == own_printer && user == &calls);
    ok(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
    ok(H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0);
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    folder_close(&folder);
}

static void *work(void *user)
{
    const char *path = user;
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    bool good = kal_context_create(NULL, NULL, &ctx) == KAL_OK
                && sample_create(ctx, &table) == KAL_OK;
    for (int i = 0; i < 20 && good; i++) {
        KalTable *again = NULL;
        good = kal_table_write(table, path, NULL) == KAL_OK
               && kal_table_read(ctx, path, 0, &again) == KAL_OK
               && kal_table_columns(again) == SAMPLE_COLUMNS;
        kal_table_destroy(again);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    return good ? user : NULL;
}

static void threads_do_not_meet(void)
{
    enum {
        THREADS = 4
    };

    Folder folder;
    pthread_t threads[THREADS];
    char paths[THREADS][2 * FOLDER_SIZE];
    hbool_t safe = false;
    if (H5is_library_threadsafe(&safe) < 0 || !safe) {
        printf("# this HDF5 is not for threads\n");
        return;
    }
    ok(folder_open(&folder));
    for (int i = 0; i < THREADS; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%d.h5", folder.path, i);
        ok(pthread_create(&threads[i], NULL, work, paths[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *answer = NULL;
        ok(pthread_join(threads[i], &answer) == 0 && answer == paths[i]);
    }
    folder_close(&folder);
}

TAP_RUN(TAP_CASE(notes_and_parameters_read_back),
        TAP_CASE(files_of_others_are_understood), TAP_CASE(columns_must_be_columns),
        TAP_CASE(columns_have_names_that_can_be_used),
        TAP_CASE(nothing_is_read_from_elsewhere), TAP_CASE(promises_have_a_limit),
        TAP_CASE(what_is_no_table_is_refused), TAP_CASE(damaged_files_do_no_harm),
        TAP_CASE(the_program_keeps_its_settings), TAP_CASE(threads_do_not_meet))

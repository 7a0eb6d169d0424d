// SPDX-License-Identifier: MIT

// How the HDF5 library comes into the program: not before it is needed, and with an
// explanation when it does not.  This program is not linked with it.

#include "context.h"
#include "folder.h"
#include "loaded.h"
#include "sample.h"
#include "table/hdf5_library.h"
#include "tap.h"

static const char debian_name[] = "libhdf5_serial.so.103";

static void a_missing_library_is_named(void)
{
    KalContext *ctx = new_context();
    KalHdf5Library lib = {.H5open = NULL};
    const char *const names[] = {"libkalaba-none.so.1", "libkalaba-none.so", NULL};
    ok(kal_hdf5_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    ok(!lib.H5open);
    same_text(kal_context_message(ctx),
              "HDF5 files need the HDF5 library, which cannot be loaded "
              "(libkalaba-none.so.1: cannot open shared object file: No such file or "
              "directory): install libhdf5-103-1");
    kal_context_destroy(ctx);
}

static void another_library_is_refused(void)
{
    KalContext *ctx = new_context();
    KalHdf5Library lib;
    const char *const names[] = {"libkalaba-none.so", "libm.so.6", NULL};
    ok(kal_hdf5_library_open(ctx, names, &lib) == KAL_ERR_FILE);
    ok(strstr(kal_context_message(ctx), "undefined symbol: H5Acreate2)"));
    ok(strstr(kal_context_message(ctx), "install libhdf5-103-1"));
    kal_context_destroy(ctx);
}

static void the_library_is_loaded_when_needed(void)
{
    Folder folder;
    KalContext *ctx = new_context();
    KalTable *table = NULL;
    KalTable *again = NULL;
    ok(folder_open(&folder) && sample_create(ctx, &table) == KAL_OK);
    ok(kal_table_write(table, folder_file(&folder, "a.csv"), NULL) == KAL_OK);
    ok(kal_table_check_path(ctx, folder_file(&folder, "a.csv")) == KAL_OK);
    ok(kal_table_read(ctx, folder_file(&folder, "none.h5"), 0, &again) == KAL_ERR_FILE);
    ok(!is_loaded(debian_name));
    ok(kal_table_check_path(ctx, folder_file(&folder, "a.h5")) == KAL_OK);
    ok(is_loaded(debian_name));
    ok(kal_table_write(table, folder_file(&folder, "a.h5"), NULL) == KAL_OK);
    ok(kal_table_read(ctx, folder_file(&folder, "a.h5"), 0, &again) == KAL_OK);
    ok(kal_table_rows(again) == SAMPLE_ROWS);
    kal_table_destroy(again);
    kal_table_destroy(table);
    folder_close(&folder);
    kal_context_destroy(ctx);
}

static void the_first_name_that_opens_is_taken(void)
{
    KalContext *ctx = new_context();
    KalHdf5Library lib;
    const char *const names[] = {"libkalaba-none.so", debian_name, NULL};
    ok(kal_hdf5_library_open(ctx, names, &lib) == KAL_OK);
    ok(lib.H5Tget_size(lib.H5T_NATIVE_DOUBLE_g) == sizeof(double));
    ok(lib.H5Tget_class(lib.H5T_C_S1_g) == H5T_STRING);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(a_missing_library_is_named), TAP_CASE(another_library_is_refused),
        TAP_CASE(the_library_is_loaded_when_needed),
        TAP_CASE(the_first_name_that_opens_is_taken))

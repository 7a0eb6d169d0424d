// SPDX-License-Identifier: MIT

// What is made as a file for the page to save: numbers of a run as HDF5, C sources, an FMU.
//
// Files are made in a folder that the server has made for the request and removes with it,
// however the work ends.

#include "base/block.h"
#include "base/whole_file.h"
#include "export/fmu.h"
#include "json/base64.h"
#include "studio/evaluate_impl.h"

#include <kalaba/export.h>
#include <kalaba/record.h>

#include <assert.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 28, // of a file
    FMI = 3
};

// A file on its way.
typedef struct Parcel {
    KalStudy *study;
    char stem[NAME_MAX + 1]; // of the name of the model
    char path[PATH_MAX];
} Parcel;

// The name of the model without folders and ending.
static void find_stem(Parcel *parcel)
{
    const char *name = parcel->study->evaluation->request->name;
    const char *slash = strrchr(name, '/');
    (void)snprintf(parcel->stem, sizeof parcel->stem, "%s", slash ? slash + 1 : name);
    char *dot = strrchr(parcel->stem, '.');
    if (dot) {
        *dot = '\0';
    }
}

static void find_path(Parcel *parcel, const char *ending)
{
    assert(ending); // none for a folder
    (void)snprintf(parcel->path, sizeof parcel->path, "%s/%s%s",
                   parcel->study->evaluation->scratch, parcel->stem, ending);
}

static KalStatus take(void *user, KalRun *run)
{
    return kal_record_take((KalRecord *)user, run);
}

// A run that ends early is kept as far as it came, and the file tells so.
static KalStatus record(Parcel *parcel, KalRun *run, KalRecord *table)
{
    KAL_TRY(kal_study_start(parcel->study, run));
    const KalStatus ended = kal_run_sample(run, take, table);
    if (ended == KAL_ERR_NOMEM || ended == KAL_ERR_LIMIT) {
        return ended;
    }
    KAL_TRY(kal_record_finish(table, run));
    find_path(parcel, ".h5");
    return kal_table_write(kal_record_table(table), parcel->path, NULL);
}

static KalStatus make_hdf5(Parcel *parcel)
{
    KalStudy *study = parcel->study;
    const KalRunOptions options = kal_run_options(study->system);
    KalRecord *table = NULL;
    KalRun *run = NULL;
    KalStatus status = kal_record_create(study->ctx, study->system, NULL, 0, &table);
    status = status == KAL_OK ? kal_record_foresee(table, &options) : status;
    status = status == KAL_OK
                 ? kal_run_create(study->ctx, study->system, &options, &run)
                 : status;
    status = status == KAL_OK ? record(parcel, run, table) : status;
    kal_run_destroy(run);
    kal_record_destroy(table);
    return status;
}

static KalStatus make_fmu(Parcel *parcel)
{
    const KalFmuOptions options = {.name = parcel->stem, .version = FMI};
    KalFmuReport report;
    find_path(parcel, ".fmu");
    return kal_export_fmu(parcel->study->ctx, parcel->study->system, &options,
                          parcel->path, &report);
}

// Sources, read from the folder that they were written to.
typedef struct Sources {
    KalFmuFile files[KAL_EXPORT_FILES];
    char names[KAL_EXPORT_FILES][2 * NAME_MAX + 2];
    size_t count;
} Sources;

static KalStatus read_source(Parcel *parcel, const char *name, Sources *sources)
{
    assert(name && sources);
    char path[2 * PATH_MAX];
    const size_t i = sources->count++;
    assert(i < KAL_EXPORT_FILES);
    (void)snprintf(path, sizeof path, "%s/%s", parcel->path, name);
    (void)snprintf(sources->names[i], sizeof sources->names[i], "%s/%s", parcel->stem,
                   name);
    sources->files[i].name = sources->names[i];
    return kal_file_read(parcel->study->ctx, path, MOST_BYTES, &sources->files[i].data);
}

static KalStatus read_sources(Parcel *parcel, Sources *sources)
{
    DIR *folder = opendir(parcel->path);
    KalStatus status = KAL_OK;
    const struct dirent *entry = NULL;
    while (folder && status == KAL_OK && sources->count < KAL_EXPORT_FILES
           && (entry = readdir(folder))) {
        if (entry->d_name[0] != '.') {
            status = read_source(parcel, entry->d_name, sources);
        }
    }
    if (folder) {
        (void)closedir(folder);
    }
    return status;
}

static KalStatus make_c(Parcel *parcel)
{
    KalContext *ctx = parcel->study->ctx;
    const KalExportOptions options = {.name = parcel->stem};
    KalExportReport report;
    Sources sources = {.count = 0};
    find_path(parcel, "");
    KalStatus status =
        kal_export_c(ctx, parcel->study->system, &options, parcel->path, &report);
    status = status == KAL_OK ? read_sources(parcel, &sources) : status;
    find_path(parcel, ".zip");
    status = status == KAL_OK
                 ? kal_fmu_pack(ctx, parcel->path, sources.files, sources.count)
                 : status;
    for (size_t i = 0; i < sources.count; i++) {
        kal_block_clear(ctx, &sources.files[i].data);
    }
    return status;
}

// {"file": {"name": …, "bytes": …}}
static KalStatus tell(Parcel *parcel)
{
    KalStudy *study = parcel->study;
    KalJsonWriter *w = &study->writer;
    KalBlock block = {.data = NULL};
    const KalStatus status =
        kal_file_read(study->ctx, parcel->path, MOST_BYTES, &block);
    if (status == KAL_OK) {
        kal_study_begin(study, "file");
        kal_json_write_begin(w, '{');
        kal_json_put_text(w, "name", strrchr(parcel->path, '/') + 1);
        kal_json_write_key(w, "bytes");
        KalBase64 encoder = {.sink = w->sink};
        w->sink.write(w->sink.user, "\"", 1);
        kal_base64_put(&encoder, block.data, block.size);
        kal_base64_end(&encoder);
        w->sink.write(w->sink.user, "\"", 1);
        w->comma = true;
        kal_json_write_end(w, '}');
        kal_study_end(study);
    }
    kal_block_clear(study->ctx, &block);
    return status;
}

void kal_study_deliver(KalStudy *study, KalTask task)
{
    assert(study->system && study->evaluation->scratch);
    Parcel parcel = {.study = study};
    find_stem(&parcel);
    KalStatus status = task == KAL_TASK_HDF5 ? make_hdf5(&parcel)
                       : task == KAL_TASK_C  ? make_c(&parcel)
                                             : make_fmu(&parcel);
    status = status == KAL_OK ? tell(&parcel) : status;
    if (status != KAL_OK) {
        kal_study_fail(study, "file", NULL, 0);
    }
}

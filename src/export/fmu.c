// SPDX-License-Identifier: MIT

// An FMU: the sources, the description, the library, the archive, in this order.  The token by
// which an importer tells FMUs apart is a hash of the sources and the description without it.

#include "export/fmu.h"

#include "export/write.h"

#include <kalaba/export.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    DESCRIPTION,
    HEADER,
    SOURCE,
    GLUE,
    BEGIN,
    BUILD, // of FMI 3
    LIBRARY,
    FILES
};

typedef struct Making {
    KalContext *ctx;
    KalExportPlan plan;
    KalFmu fmu;
    KalFmuFile files[FILES];
    char names[FILES][KAL_EXPORT_NAME_SIZE + 64];
} Making;

// The platform's name, as the version of FMI has it.
static const char *platform_of(int version)
{
#if defined __x86_64__
    return version == 3 ? "x86_64-linux" : "linux64";
#elif defined __aarch64__
    return version == 3 ? "aarch64-linux" : "aarch64-linux";
#elif defined __i386__
    return version == 3 ? "x86-linux" : "linux32";
#else
    (void)version;
    return "unknown-linux";
#endif
}

static void name_file(Making *m, int i, const char *folder, const char *ending)
{
    (void)snprintf(m->names[i], sizeof m->names[i], "%s%s%s", folder, m->plan.name,
                   ending);
}

static void name_files(Making *m)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "binaries/%s/", platform_of(m->fmu.version));
    (void)snprintf(m->names[DESCRIPTION], sizeof m->names[0], "modelDescription.xml");
    (void)snprintf(m->names[BUILD], sizeof m->names[0], "sources/buildDescription.xml");
    name_file(m, HEADER, "sources/", ".h");
    name_file(m, SOURCE, "sources/", ".c");
    name_file(m, GLUE, "sources/", "_fmu.c");
    name_file(m, BEGIN, "sources/", "_begin.c");
    name_file(m, LIBRARY, folder, ".so");
    for (int i = 0; i < FILES; i++) {
        m->files[i].name = m->names[i];
    }
}

static void write_text(const Making *m, int i, KalPage *page)
{
    static void (*const writers[FILES])(const KalFmu *fmu, KalPage *page) = {
        [DESCRIPTION] = kal_fmu_write_description,
        [GLUE] = kal_fmu_write_source,
        [BEGIN] = kal_fmu_write_begin,
        [BUILD] = kal_fmu_write_build};
    if (i == HEADER || i == SOURCE) {
        kal_export_write_file(&m->plan, i == HEADER ? "header" : "source", page);
    } else {
        writers[i](&m->fmu, page);
    }
}

// Write a text, in the place of what was there.
static KalStatus put_text(Making *m, int i)
{
    KalPage page = kal_page(m->ctx);
    write_text(m, i, &page);
    kal_block_clear(m->ctx, &m->files[i].data);
    m->files[i].data = page.block;
    return page.status;
}

// Fowler, Noll and Vo's hash (FNV-1a) of all texts, from two beginnings.
static void find_token(Making *m)
{
    uint64_t hash[2] = {UINT64_C(0xcbf29ce484222325), UINT64_C(0x84222325cbf29ce4)};
    for (int i = 0; i < LIBRARY; i++) {
        const unsigned char *bytes = (const unsigned char *)m->files[i].data.data;
        for (size_t k = 0; k < m->files[i].data.size; k++) {
            for (int h = 0; h < 2; h++) {
                hash[h] = (hash[h] ^ bytes[k]) * UINT64_C(0x100000001b3);
            }
        }
    }
    (void)snprintf(m->fmu.token, sizeof m->fmu.token, "{%016" PRIx64 "%016" PRIx64 "}",
                   hash[0], hash[1]);
}

// All texts, those with the token in them once more when it is known.
static KalStatus put_texts(Making *m)
{
    for (int i = 0; i < LIBRARY; i++) {
        KAL_TRY(put_text(m, i));
    }
    find_token(m);
    KAL_TRY(put_text(m, DESCRIPTION));
    return put_text(m, GLUE);
}

static KalStatus make(Making *m, const KalSystem *system, const KalFmuOptions *options,
                      const char *path)
{
    const KalExportOptions how = {.name = options->name};
    KAL_TRY(kal_export_plan_init(&m->plan, m->ctx, system, &how, true));
    KAL_TRY(kal_fmu_init(&m->fmu, &m->plan, options->version));
    KAL_TRY(kal_fmu_find_dependencies(&m->fmu));
    name_files(m);
    KAL_TRY(put_texts(m));
    KAL_TRY(kal_fmu_compile(&m->fmu, path, m->files + HEADER, BUILD - HEADER,
                            &m->files[LIBRARY].data));
    if (m->fmu.version == 2) { // it has no description of the build
        kal_block_clear(m->ctx, &m->files[BUILD].data);
        m->files[BUILD] = m->files[LIBRARY];
        m->files[LIBRARY] = (KalFmuFile){.name = ""};
    }
    return kal_fmu_pack(m->ctx, path, m->files, m->fmu.version == 2 ? LIBRARY : FILES);
}

static void fill_report(const Making *m, KalFmuReport *report)
{
    *report = (KalFmuReport){.variables = m->fmu.n_variables, .states = m->fmu.n_x};
    (void)snprintf(report->name, sizeof report->name, "%s", m->plan.name);
    (void)snprintf(report->token, sizeof report->token, "%s", m->fmu.token);
}

KalStatus kal_export_fmu(KalContext *ctx, const KalSystem *system,
                         const KalFmuOptions *options, const char *path,
                         KalFmuReport *out_report)
{
    KAL_NEED(ctx, ctx && system && options && path && out_report);
    KAL_NEED(ctx, options->version == 2 || options->version == 3);
    Making m = {.ctx = ctx};
    const KalStatus status = make(&m, system, options, path);
    if (status == KAL_OK) {
        fill_report(&m, out_report);
    }
    for (int i = 0; i < FILES; i++) {
        kal_block_clear(ctx, &m.files[i].data);
    }
    kal_export_plan_clear(&m.plan);
    return status;
}

// SPDX-License-Identifier: MIT

// export: a model as sources in C, or as an FMU.

#include "model.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_C = KAL_MODEL_OPTION_COUNT,
    OPTION_NAME,
    OPTION_SINGLE,
    OPTION_FMU,
    OPTION_FMI,
    NAME_SIZE = 256
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_C] = {"--c",      "DIR",     "write C sources into a folder", false},
    [OPTION_NAME] = {"--name",   "NAME",
                  "what files and functions are called; the name of the file of the "
                     "model if not given",                                false},
    [OPTION_SINGLE] = {"--single", NULL,      "floats instead of doubles",     false},
    [OPTION_FMU] = {"--fmu",    "FILE",
                  "write an FMU for model exchange and co-simulation",    false},
    [OPTION_FMI] = {"--fmi",    "VERSION",
                  "the version of FMI: 2 or 3, which it is if not given", false},
};

// The name of a file, without folder and ending; that of a text from standard input is none.
static const char *stem_of(const char *path, char out_stem[NAME_SIZE])
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *point = strrchr(base, '.');
    const size_t length = point && point > base ? (size_t)(point - base) : strlen(base);
    if (strcmp(base, "-") == 0 || length >= NAME_SIZE) {
        return NULL;
    }
    memcpy(out_stem, base, length);
    out_stem[length] = '\0';
    return out_stem;
}

static void print_json(const KalExportReport *r)
{
    printf("{\"name\": \"%s\", \"files\": [\"%s.h\", \"%s.c\", \"main.c\", "
           "\"CMakeLists.txt\", \"meson.build\"], \"bytes\": %zu, \"work_bytes\": %zu, "
           "\"operations\": %zu, \"most_operations\": %zu, \"redundant\": %s}\n",
           r->name, r->name, r->name, r->bytes, r->work_bytes, r->operations,
           r->at_most, r->redundant ? "true" : "false");
}

static void print_text(const KalExportReport *r, const char *folder)
{
    printf("%s/%s.h, %s.c: %zu bytes; work memory %zu bytes.\n", folder, r->name,
           r->name, r->bytes, r->work_bytes);
    if (r->operations > 0) {
        printf(
            "An acceleration takes %zu operations by eliminated formulas%s; %zu at "
            "most, where these do not vouch for it and the general solution follows.\n",
            r->operations, r->redundant ? ", rows that repeat others left out" : "",
            r->at_most);
    } else {
        printf("An acceleration takes about %zu operations, by the general solution.\n",
               r->at_most);
    }
}

// Whether the sources are files of their own.  What cannot be told, as where the folder is
// still to be made, is told when they are written.
static bool claim_sources(const KalModelJob *job, const char *folder, const char *name)
{
    assert(folder);
    char header[NAME_SIZE + sizeof ".h"];
    char source[NAME_SIZE + sizeof ".c"];
    snprintf(header, sizeof header, "%s.h", name ? name : "");
    snprintf(source, sizeof source, "%s.c", name ? name : "");
    const char *const files[] = {header, source, "main.c", "CMakeLists.txt",
                                 "meson.build"};
    for (size_t i = 0; i < sizeof files / sizeof *files && !job->ledger->clash; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        (void)kal_ledger_write(job->ledger, job->ctx, "a file of option '--c'", path);
    }
    return !job->ledger->clash;
}

static KalExit export_model(KalModelJob *job)
{
    assert(job->ctx && job->system);
    const KalArguments *arguments = job->arguments;
    char stem[NAME_SIZE];
    const char *folder = arguments->options[OPTION_C];
    const char *name = arguments->options[OPTION_NAME];
    const KalExportOptions how = {.name = name ? name
                                               : stem_of(arguments->operands[0], stem),
                                  .single = arguments->options[OPTION_SINGLE] != NULL};
    KalExportReport report;
    if (!claim_sources(job, folder, how.name)) {
        return kal_model_job_fail(job, job->ledger->message, NULL, 0);
    }
    if (kal_export_c(job->ctx, job->system, &how, folder, &report) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (job->json) {
        print_json(&report);
    } else {
        print_text(&report, folder);
    }
    return KAL_EXIT_DONE;
}

static void print_fmu_json(const KalFmuReport *r, int version)
{
    printf("{\"name\": \"%s\", \"fmi\": %d, \"token\": \"%s\", \"variables\": %zu, "
           "\"states\": %zu}\n",
           r->name, version, r->token, r->variables, r->states);
}

static KalExit export_fmu(KalModelJob *job)
{
    assert(job->ctx && job->system);
    const KalArguments *arguments = job->arguments;
    char stem[NAME_SIZE];
    const char *path = arguments->options[OPTION_FMU];
    const char *name = arguments->options[OPTION_NAME];
    const char *fmi = arguments->options[OPTION_FMI];
    const KalFmuOptions how = {.name =
                                   name ? name : stem_of(arguments->operands[0], stem),
                               .version = fmi && strcmp(fmi, "2") == 0 ? 2 : 3};
    KalFmuReport report;
    if (!kal_ledger_write(job->ledger, job->ctx, "option '--fmu'", path)) {
        return kal_model_job_fail(job, job->ledger->message, NULL, 0);
    }
    if (kal_export_fmu(job->ctx, job->system, &how, path, &report) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (job->json) {
        print_fmu_json(&report, how.version);
    } else {
        printf("%s: FMI %d, model identifier '%s', %zu variables, %zu continuous "
               "states.\n",
               path, how.version, report.name, report.variables, report.states);
    }
    return KAL_EXIT_DONE;
}

// What is wrong with the options; NULL: nothing.
static const char *find_misuse(const KalArguments *arguments)
{
    const char *folder = arguments->options[OPTION_C];
    const char *fmu = arguments->options[OPTION_FMU];
    const char *fmi = arguments->options[OPTION_FMI];
    if (!folder && !fmu) {
        return "'export' needs '--c DIR' or '--fmu FILE': where to write";
    }
    if (folder && fmu) {
        return "'--c' and '--fmu' are two exports: give one of them";
    }
    if (fmi && !fmu) {
        return "'--fmi' goes with '--fmu'";
    }
    if (fmi && strcmp(fmi, "2") != 0 && strcmp(fmi, "3") != 0) {
        return "'--fmi' is 2 or 3";
    }
    return fmu && arguments->options[OPTION_SINGLE]
               ? "'--single' goes with '--c': numbers of FMUs are doubles"
               : NULL;
}

static KalExit run_export(const KalArguments *arguments)
{
    const char *misuse = find_misuse(arguments);
    if (misuse) {
        kal_message_print("%s", misuse);
        return KAL_EXIT_USAGE;
    }
    return kal_model_job_run(arguments, arguments->options[OPTION_FMU] ? export_fmu
                                                                       : export_model);
}

static void print_details(void)
{
    fputs(
        "\nWrites C99 that needs nothing but the C library: parameters with their "
        "units,\n"
        "accelerations, reactions, outputs, energies, residuals, projection, events, "
        "holds\n"
        "and an integrator with fixed steps, without memory from the heap, for "
        "real-time\n"
        "targets.  NAME.h says how to call it; main.c is an example; CMakeLists.txt "
        "and\n"
        "meson.build compile both.\n"
        "With --fmu it writes an FMU of FMI 3 (or 2) instead: these sources, a library "
        "for\n"
        "this machine compiled by 'cc', and a description.\n"
        "\nExamples:\n"
        "  kalaba export sleigh.kal --c sleigh_c\n"
        "  kalaba export sleigh.kal --c board -p m=2 --single --name sleigh_f\n"
        "  cc -O2 -ffp-contract=off sleigh_c/sleigh.c sleigh_c/main.c -lm\n"
        "  kalaba export sleigh.kal --fmu sleigh.fmu --fmi 2\n"
        "\nExit status: 0 done, 1 the model is at fault or cannot be exported, 2 wrong "
        "usage.\n",
        stdout);
}

const KalCommand kal_command_export = {
    .name = "export",
    .operands = "MODEL|-",
    .purpose = "a model as C sources for real-time targets, or as an FMU",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_export,
};

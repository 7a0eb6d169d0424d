// SPDX-License-Identifier: MIT

#include "analysis.h"
#include "output.h"

#include <stdio.h>

enum {
    OPTION_STARTS = KAL_MODEL_OPTION_COUNT,
    OPTION_SEED,
    OPTION_WHERE,
    OPTION_STEADY
};

static const KalOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_STARTS] = {"--starts", "N",
                       "begin at N places, the start among them; 31, or 1",       false},
    [OPTION_SEED] = {"--seed",   "S",      "of the random places; 0",           false},
    [OPTION_WHERE] = {"--where",  "BOUNDS", "such as \"theta=-pi..pi, x=0..1\"", false},
    [OPTION_STEADY] = {"--steady", NULL,     "steady motions instead of rest",    false},
};

static KalExit search(KalModelJob *job, KalAnalysis *analysis,
                      const KalEquilibriumOptions *how)
{
    KalEquilibria equilibria;
    const KalShowOptions show = kal_analysis_show_options(job);
    if (kal_analysis_equilibria(analysis, how, &equilibria) != KAL_OK
        || kal_show_equilibria(analysis, &equilibria, &show, kal_standard_output)
               != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (equilibria.count == KAL_EQUILIBRIA_LIMIT && !job->quiet) {
        kal_message_print("warning: the search ended at %d equilibria",
                          KAL_EQUILIBRIA_LIMIT);
    }
    return KAL_EXIT_DONE;
}

static KalExit equilibria(KalModelJob *job)
{
    const char *const *given = job->arguments->options;
    double starts = 0.0;
    double seed = 0.0;
    if (!kal_option_count(job, OPTION_STARTS, "--starts", 1e6, &starts)
        || !kal_option_count(job, OPTION_SEED, "--seed", 9e15, &seed)) {
        return KAL_EXIT_USAGE;
    }
    const KalEquilibriumOptions how = {.starts = (int)starts,
                                       .seed = (uint64_t)seed,
                                       .where = given[OPTION_WHERE],
                                       .steady = given[OPTION_STEADY] != NULL};
    KalAnalysis *analysis = NULL;
    if (kal_analysis_create(job->ctx, job->system, "", &analysis) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const KalExit status = search(job, analysis, &how);
    kal_analysis_destroy(analysis);
    return status;
}

static KalExit run_equilibria(const KalArguments *arguments)
{
    return kal_model_job_run(arguments, equilibria);
}

static void print_details(void)
{
    fputs("\nLooks for states of rest on the constraints, from the model's start and "
          "from "
          "random\nplaces, and lists those that differ with the forces of the "
          "constraints "
          "and their\nstability; a family of equilibria is listed once, with its "
          "dimension.\nWith --steady coordinates that nothing depends on may move: "
          "steady turning, rolling\nor spinning, with the speeds of the start if "
          "possible.\n"
          "\nExamples:\n"
          "  kalaba equilibria double_pendulum.kal\n"
          "  kalaba equilibria linkage.kal --where \"theta=-pi..pi\" --starts 200\n"
          "  kalaba equilibria rolling_disc.kal --steady --starts 1\n"
          "\nExit status: 0 done, whether or not one was found, 1 the model or its "
          "numbers are\nat fault, 2 wrong usage.\n",
          stdout);
}

const KalCommand kal_command_equilibria = {
    .name = "equilibria",
    .operands = "MODEL|-",
    .purpose = "states of rest and steady motions, families, stability",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_equilibria,
};

// SPDX-License-Identifier: MIT

#include "analysis.h"
#include "output.h"

#include <stdio.h>

static const KalOption options[] = {
    KAL_MODEL_OPTIONS,
    KAL_STATE_OPTIONS,
};

static KalExit show(KalModelJob *job, KalAnalysis *analysis)
{
    KalModes modes;
    const KalShowOptions how = kal_analysis_show_options(job);
    if (kal_analysis_modes(analysis, &modes) != KAL_OK
        || kal_show_modes(analysis, &modes, &how, kal_standard_output) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    kal_analysis_warn(job, &modes.linearization);
    return KAL_EXIT_DONE;
}

static KalExit modes(KalModelJob *job)
{
    KalAnalysis *analysis = NULL;
    KalExit status = kal_analysis_open(job, "", &analysis);
    if (status == KAL_EXIT_DONE) {
        status = show(job, analysis);
    }
    kal_analysis_destroy(analysis);
    return status;
}

static KalExit run_modes(const KalArguments *arguments)
{
    return kal_model_job_run(arguments, modes);
}

static void print_details(void)
{
    fputs("\nPrints eigenvalues, frequencies, damping and shapes of small motions "
          "about a "
          "state,\nas many as there are states on the constraints, and whether it is "
          "stable, unstable\nor marginal.  The state is the model's start unless --at "
          "says otherwise; a steady\nmotion is as good as rest.\n"
          "\nExamples:\n"
          "  kalaba modes pendulum.kal --at \"x=0, y=-1\"\n"
          "  kalaba modes sleigh.kal --at \"x'=1, y'=0, theta'=0\" --json\n"
          "\nExit status: 0 done (with a warning when the state is not an equilibrium),"
          "\n1 the model or its numbers are at fault, 2 wrong usage.\n",
          stdout);
}

const KalCommand kal_command_modes = {
    .name = "modes",
    .operands = "MODEL|-",
    .purpose = "eigenvalues, frequencies, damping, mode shapes, stability",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_modes,
};

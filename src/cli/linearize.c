// SPDX-License-Identifier: MIT

// linearize: matrices of small motions about a state.

#include "analysis.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>

enum {
    OPTION_INPUTS = KAL_STATE_OPTION_COUNT
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    KAL_STATE_OPTIONS,
    [OPTION_INPUTS] = {"--inputs", "NAMES",
                       "actuators and parameters that are inputs; all actuators", false},
};

// Linearize, show, warn.
static KalExit show(KalModelJob *job, KalAnalysis *analysis)
{
    assert(job && analysis);
    KalLinearization linearization;
    const KalShowOptions how = kal_analysis_show_options(job);
    KalStage stage;
    kal_stage_begin(&stage, job->ctx, "linearizing", job->quiet);
    const KalStatus status = kal_analysis_linearize(analysis, &linearization);
    kal_stage_end(&stage, job->ctx);
    if (status != KAL_OK
        || kal_show_linearization(analysis, &linearization, &how, kal_standard_output)
               != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    kal_analysis_warn(job, &linearization);
    return KAL_EXIT_DONE;
}

static KalExit linearize(KalModelJob *job)
{
    KalAnalysis *analysis = NULL;
    KalExit status =
        kal_analysis_open(job, job->arguments->options[OPTION_INPUTS], &analysis);
    if (status == KAL_EXIT_DONE) {
        status = show(job, analysis);
    }
    kal_analysis_destroy(analysis);
    return status;
}

static KalExit run_linearize(const KalArguments *arguments)
{
    return kal_model_job_analyze(arguments, linearize);
}

static void print_details(void)
{
    fputs(
        "\nPrints A, B, C, D of z' = A z + B w, o = C z + D w about a state, on the "
        "constraints:\nas many states as the configuration and the velocity are free, "
        "chosen among\ncoordinates and velocities.  The state is the model's start "
        "unless --at says\notherwise.\n"
        "\nExamples:\n"
        "  kalaba linearize pendulum.kal --at \"x=0, y=-1\"\n"
        "  kalaba linearize crane.kal --inputs \"u, m\" --json\n"
        "\nExit status: 0 done (with a warning when the state is not an equilibrium),"
        "\n1 the model or its numbers are at fault, 2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_linearize = {
    .name = "linearize",
    .operands = "MODEL|-",
    .purpose = "state-space matrices on the constraints about a state",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_linearize,
};

// SPDX-License-Identifier: MIT

// check: is the model sound, and what is it like.

#include "model.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>

static const KalCommandOption options[] = {KAL_MODEL_OPTIONS};

// A model that is at fault is shown all the same, for what is known of it helps to mend
// it; only the exit status tells.
static KalExit check(KalModelJob *job)
{
    assert(job->ctx && job->system);
    KalCheck *result = NULL;
    if (kal_check_create(job->ctx, job->system, &result) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const KalShowOptions show = {.format = job->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                                 .color = !job->json && kal_wants_color()};
    kal_show_check(result, &show, kal_standard_output);
    const bool consistent = kal_check_is_consistent(result);
    if (!consistent && !job->json) {
        kal_message_print("%s", kal_check_reason(result));
    }
    kal_check_destroy(result);
    return consistent ? KAL_EXIT_DONE : KAL_EXIT_FAULT;
}

static KalExit run_check(const KalArguments *arguments)
{
    return kal_model_job_run(arguments, check);
}

static void print_details(void)
{
    fputs(
        "\nSays of each constraint what kind it is, which constraints depend on each "
        "other,\nhow much freedom is left, whether the acceleration and the reactions "
        "are unique,\nwhat is conserved, and whether the start satisfies the "
        "constraints.\n"
        "\nExamples:\n"
        "  kalaba check sleigh.kal\n"
        "  kalaba check four_bar.kal -p L1=0.5\n"
        "  kalaba check sleigh.kal --json\n"
        "\nExit status: 0 the model is sound, 1 it is at fault or has no consistent "
        "start,\n2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_check = {
    .name = "check",
    .operands = "MODEL|-",
    .purpose =
        "kinds of constraints, freedom, redundancy, uniqueness, consistent start",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_check,
};

// SPDX-License-Identifier: MIT

// eval: one instant of a model.

#include "model.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>

enum {
    OPTION_AT = KAL_MODEL_OPTION_COUNT,
    NAMES_LIMIT = 64 // that a failure tells of
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_AT] = {"--at", "VALUES",
                   "replace values of the state, such as \"x=1, y'=2, t=0\"", false},
};

// With the names of what is at fault.
static KalExit fail_solve(const KalModelJob *job)
{
    assert(job->instant);
    const char *const *names = NULL;
    const size_t count = kal_instant_fault_names(job->instant, &names);
    return kal_model_job_fail(job, kal_context_message(job->ctx), names, (int)count);
}

// With the constraints that could not be met.
static KalExit fail_start(const KalModelJob *job, const KalStartReport *report)
{
    const char *names[NAMES_LIMIT];
    int count = 0;
    while (count < report->n_failed && count < NAMES_LIMIT) {
        names[count] = kal_system_constraint_names(job->system)[report->failed[count]];
        count++;
    }
    return kal_model_job_fail(job, kal_context_message(job->ctx), names, count);
}

// The state asked for: the consistent start with the values of --at put in their places.
static KalExit set_state(KalModelJob *job)
{
    assert(job->instant);
    const char *values = job->arguments->options[OPTION_AT];
    bool complete = false;
    if (values && kal_instant_set(job->instant, values, &complete) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (complete) {
        return KAL_EXIT_DONE;
    }
    KalStartReport report = {.n_failed = 0};
    if (kal_instant_start(job->instant, &report) != KAL_OK) {
        return fail_start(job, &report);
    }
    if (values && kal_instant_set(job->instant, values, NULL) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    return KAL_EXIT_DONE;
}

// Say that the state is where pieces meet.
static bool warn_kink(KalModelJob *job)
{
    KalSeam seam = {.found = false};
    if (job->quiet) {
        return true;
    }
    const bool known = kal_instant_seam(job->instant, &seam) == KAL_OK;
    if (seam.found) {
        kal_message_print(
            "%swarning: the equations have a kink or a jump in this state, "
            "from %s: what follows takes formulas as they come there, "
            "sign(0) as 0, and may be true of neither side",
            seam.where, seam.quote);
    }
    return known;
}

// Say how far a state that was asked for is off the constraints.
static bool warn(KalModelJob *job)
{
    assert(job->instant);
    KalMisfit misfit = {.count = 0};
    if (!job->arguments->options[OPTION_AT] || job->quiet) {
        return true;
    }
    const bool known = kal_instant_misfit(job->instant, &misfit) == KAL_OK;
    kal_warn_off(&misfit);
    return known;
}

static KalExit eval(KalModelJob *job)
{
    if (kal_instant_create(job->ctx, job->system, &job->instant) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const KalExit status = set_state(job);
    if (status != KAL_EXIT_DONE) {
        return status;
    }
    KalMotionAnswer answer;
    if (!warn(job) || !warn_kink(job)) {
        return kal_model_job_fail_plain(job);
    }
    if (kal_instant_solve(job->instant, &answer) != KAL_OK) {
        return fail_solve(job);
    }
    const KalShowOptions show = {.format = job->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                                 .color = !job->json && kal_wants_color()};
    if (kal_show_instant(job->instant, &answer, &show, kal_standard_output) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    if (!answer.unique && !job->quiet) {
        kal_warn_not_unique(&answer, kal_system_coordinate_names(job->system));
    }
    return KAL_EXIT_DONE;
}

static KalExit run_eval(const KalArguments *arguments)
{
    return kal_model_job_run(arguments, eval);
}

static void print_details(void)
{
    fputs(
        "\nThe state is the model's start, moved onto the constraints where it must "
        "be; then\n--at replaces the values it names, as they are.  If --at names "
        "every coordinate\nand velocity, no start is computed.\n"
        "\nExamples:\n"
        "  kalaba eval sleigh.kal\n"
        "  kalaba eval sleigh.kal -p b=0.5 --at \"theta=30*deg, theta'=2\"\n"
        "  kalaba eval sleigh.kal --json\n"
        "\nExit status: 0 solved (with a warning when the acceleration is not unique),"
        "\n1 no answer: the model or its numbers are at fault, 2 wrong usage.\n",
        stdout);
}

const KalCommand kal_command_eval = {
    .name = "eval",
    .operands = "MODEL|-",
    .purpose = "one instant of a model: M, Q, A, b, accelerations, forces, verdicts",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_eval,
};

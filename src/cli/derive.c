// SPDX-License-Identifier: MIT

// derive: the equations of motion as formulas.

#include "formats.h"
#include "model.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>

enum {
    OPTION_FORMAT = KAL_MODEL_OPTION_COUNT,
    OPTION_CLOSED
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_FORMAT] = KAL_FORMAT_OPTION,
    [OPTION_CLOSED] = {"--closed-form", NULL,
                       "also accelerations, multipliers and forces as formulas", false},
};

static KalExit derive(KalModelJob *job)
{
    assert(job->ctx && job->system);
    const char *word = job->arguments->options[OPTION_FORMAT];
    KalShowOptions show = {.closed_form =
                               job->arguments->options[OPTION_CLOSED] != NULL,
                           .color = !job->json && kal_wants_color(),
                           .width = kal_terminal_width()};
    if (!kal_format_read(word, &show.format)) {
        return KAL_EXIT_USAGE;
    }
    if (job->json) {
        show.format = KAL_SHOW_JSON;
    }
    if (kal_show_system(job->ctx, job->system, &show, kal_standard_output) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    return KAL_EXIT_DONE;
}

static KalExit run_derive(const KalArguments *arguments)
{
    return kal_model_job_run(arguments, derive);
}

static void print_details(void)
{
    fputs("\nPrints the equations of motion M q'' = Q + C + A^T lambda, A q'' = b in "
          "the names of\nthe model.\n"
          "\nExamples:\n"
          "  kalaba derive sleigh.kal\n"
          "  kalaba derive sleigh.kal --closed-form\n"
          "  kalaba derive sleigh.kal --format latex > sleigh.tex && pdflatex "
          "sleigh.tex\n"
          "\nExit status: 0 done, 1 the model is at fault, 2 wrong usage.\n",
          stdout);
}

const KalCommand kal_command_derive = {
    .name = "derive",
    .operands = "MODEL|-",
    .purpose = "the equations of motion as formulas: text, LaTeX, Markdown",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_derive,
};

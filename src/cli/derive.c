// SPDX-License-Identifier: MIT

#include "model.h"
#include "output.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    OPTION_FORMAT = KAL_MODEL_OPTION_COUNT,
    OPTION_CLOSED
};

static const KalOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_FORMAT] = {"--format",      "WORD", "text, latex (a whole document) or markdown",
                       false                                                                       },
    [OPTION_CLOSED] = {"--closed-form", NULL,
                       "also accelerations, multipliers and forces as formulas",              false},
};

static const struct {
    const char *word;
    KalShowFormat format;
} formats[] = {
    {"text",     KAL_SHOW_TEXT    },
    {"latex",    KAL_SHOW_LATEX   },
    {"markdown", KAL_SHOW_MARKDOWN},
};

static bool find_format(const char *word, KalShowFormat *out_format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].word, word) == 0) {
            *out_format = formats[i].format;
            return true;
        }
    }
    kal_message_print("unknown format '%s'; there are text, latex and markdown", word);
    return false;
}

// Columns of the terminal, 0 if there is none.
static int find_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static KalExit derive(KalModelJob *job)
{
    const char *word = job->arguments->options[OPTION_FORMAT];
    KalShowOptions show = {.closed_form =
                               job->arguments->options[OPTION_CLOSED] != NULL,
                           .color = !job->json && kal_wants_color(),
                           .width = find_width()};
    if (word && !find_format(word, &show.format)) {
        return KAL_EXIT_USAGE;
    }
    if (job->json) {
        show.format = KAL_SHOW_JSON;
    }
    if (kal_show_system(job->system, &show, kal_standard_output) != KAL_OK) {
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

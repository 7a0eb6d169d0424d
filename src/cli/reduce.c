// SPDX-License-Identifier: MIT

// reduce: equations in speeds.  Speeds that are given as definitions become outputs of the
// model before it is loaded, so that they are read, checked and differentiated as any other
// formula.
//
// The option is read twice: before loading, for its definitions become part of the
// model, and in the command, for its names.

#include "formats.h"
#include "model.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_FORMAT = KAL_MODEL_OPTION_COUNT,
    OPTION_SPEEDS,
    SPEEDS_LIMIT = 32,
    OUTPUT_SIZE = 16
};

static const KalCommandOption options[] = {
    KAL_MODEL_OPTIONS,
    [OPTION_FORMAT] = KAL_FORMAT_OPTION,
    [OPTION_SPEEDS] = {"--speeds", "TEXT",
                       "speeds to use, such as \"u = x'*cos(a) + y'*sin(a), w = a'\"", false},
};

// The speeds that --speeds lists.
typedef struct Speeds {
    char *text; // copy of the option, cut into pieces
    char *more; // their definitions, as outputs of the model
    size_t more_size;
    char outputs[SPEEDS_LIMIT][OUTPUT_SIZE];
    KalSpeedChoice choice[SPEEDS_LIMIT]; // with names in text
    const char *names[SPEEDS_LIMIT];     // the same
    size_t n;
} Speeds;

// The end of a piece: a comma outside of all brackets, or the end of the text.
static char *find_end(char *text)
{
    int depth = 0;
    for (; *text != '\0' && (*text != ',' || depth > 0); text++) {
        depth += *text == '(' || *text == '[';
        depth -= *text == ')' || *text == ']';
    }
    return text;
}

// Cut the spaces off both ends.
static char *trim(char *text)
{
    text += strspn(text, " \t\n");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\n", text[length - 1])) {
        text[--length] = '\0';
    }
    return text;
}

// A piece is a definition, or the name of an output of the model.  Outputs that are made
// of definitions have names of their own, so that a speed may be called as one likes.
static bool add_piece(Speeds *speeds, char *piece)
{
    assert(piece);
    char *equals = strchr(piece, '=');
    if (speeds->n == SPEEDS_LIMIT || *trim(piece) == '\0' || equals == trim(piece)) {
        return false;
    }
    char *output = speeds->outputs[speeds->n];
    assert(speeds->n < SPEEDS_LIMIT);
    if (equals) {
        const size_t used = strlen(speeds->more);
        *equals = '\0';
        (void)snprintf(output, OUTPUT_SIZE, "speed__%zu", speeds->n + 1);
        (void)snprintf(speeds->more + used, speeds->more_size - used,
                       "output %s = %s\n", output, equals + 1);
    }
    const char *name = trim(piece);
    speeds->choice[speeds->n] =
        (KalSpeedChoice){.name = name, .output = equals ? output : name};
    speeds->names[speeds->n++] = name;
    return true;
}

// False after a message.
static bool read_speeds(const char *text, Speeds *speeds)
{
    assert(text && !speeds->text);
    const size_t statement = sizeof "output  = \n" + OUTPUT_SIZE;
    speeds->text = strdup(text);
    speeds->more_size = strlen(text) + SPEEDS_LIMIT * statement + 1;
    speeds->more = calloc(speeds->more_size, 1);
    if (!speeds->text || !speeds->more) {
        kal_message_print("out of memory");
        return false;
    }
    char *piece = speeds->text;
    bool last = false;
    while (!last) {
        char *end = find_end(piece);
        last = *end == '\0';
        *end = '\0';
        if (!add_piece(speeds, piece)) {
            kal_message_print("option '--speeds' takes up to %d definitions, such as "
                              "\"u = x' + y', w = a'\", or names of outputs",
                              SPEEDS_LIMIT);
            return false;
        }
        piece = end + 1;
    }
    return true;
}

// Shown in the format asked for.
static KalExit reduce_with(KalModelJob *job, const Speeds *speeds)
{
    assert(speeds->n <= SPEEDS_LIMIT);
    KalShowOptions show = {.color = !job->json && kal_wants_color(),
                           .width = kal_terminal_width()};
    if (!kal_format_read(job->arguments->options[OPTION_FORMAT], &show.format)) {
        return KAL_EXIT_USAGE;
    }
    if (job->json) {
        show.format = KAL_SHOW_JSON;
    }
    return kal_show_reduced(job->ctx, job->system, speeds->choice, speeds->n, &show,
                            kal_standard_output)
                   == KAL_OK
               ? KAL_EXIT_DONE
               : kal_model_job_fail(job, kal_context_message(job->ctx), speeds->names,
                                    (int)speeds->n);
}

static KalExit reduce(KalModelJob *job)
{
    Speeds speeds = {.n = 0};
    const char *text = job->arguments->options[OPTION_SPEEDS];
    const KalExit status = !text || read_speeds(text, &speeds)
                               ? reduce_with(job, &speeds)
                               : KAL_EXIT_USAGE;
    free(speeds.text);
    free(speeds.more);
    return status;
}

static KalExit run_reduce(const KalArguments *arguments)
{
    Speeds speeds = {.n = 0};
    const char *text = arguments->options[OPTION_SPEEDS];
    const KalExit status = !text || read_speeds(text, &speeds)
                               ? kal_model_job_run_with(arguments, speeds.more, reduce)
                               : KAL_EXIT_USAGE;
    free(speeds.text);
    free(speeds.more);
    return status;
}

static void print_details(void)
{
    fputs(
        "\nPrints as many speeds as there are free velocities, the velocities of all\n"
        "coordinates in terms of them, and their equations of motion, which have no\n"
        "multipliers.  Speeds are chosen, or given with --speeds: linear in the\n"
        "velocities, as definitions or as names of outputs of the model.\n"
        "\nExamples:\n"
        "  kalaba reduce sleigh.kal\n"
        "  kalaba reduce sleigh.kal --speeds \"u = x'*cos(theta) + y'*sin(theta), "
        "w = theta'\"\n"
        "  kalaba reduce sleigh.kal --format latex > sleigh.tex\n"
        "\nExit status: 0 done, 1 the model or the speeds are at fault, 2 wrong "
        "usage.\n",
        stdout);
}

const KalCommand kal_command_reduce = {
    .name = "reduce",
    .operands = "MODEL|-",
    .purpose = "equations of motion in as many speeds as are free, without multipliers",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_reduce,
};

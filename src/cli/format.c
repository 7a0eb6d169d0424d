// SPDX-License-Identifier: MIT

// format: the canonical form of a text, printed, checked or written back.
//
// The form is kept in memory first.  A file is replaced only when the whole of it is
// there and differs from what the file has, so that a model is never lost half way, and
// the time of the file says when its text last changed.

#include "command.h"
#include "input.h"
#include "output.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_CHECK,
    OPTION_WRITE
};

static const KalCommandOption options[] = {
    {"--check", NULL, "print nothing; fail if the text is not in its canonical form",
     false                                                                                 },
    {"--write", NULL, "put the canonical form in the place of the file",              false},
};

// The canonical form, as it is written.
typedef struct Form {
    char *text;
    size_t length;
    bool failed; // for want of memory
} Form;

// The sink has no way to fail, so that it notes what it could not keep.
static void keep(void *user, const char *text, size_t length)
{
    Form *form = (Form *)user;
    assert(form->text || form->length == 0);
    char *longer = (char *)realloc(form->text, form->length + length + 1);
    if (!longer) {
        form->failed = true;
        return;
    }
    memcpy(longer + form->length, text, length);
    form->text = longer;
    form->length += length;
}

// Messages of the reader of models go out as they come; whoever called then need not
// repeat them.
static void write_stderr(void *user, const char *text, size_t length)
{
    assert(text || length == 0);
    fwrite(text, 1, length, stderr);
    *(bool *)user = true;
}

// What is asked for is done with the form.
static KalExit use_form(const KalArguments *arguments, KalContext *ctx,
                        const KalInputText *input, const Form *form)
{
    assert(input->name && (form->text || form->length == 0));
    const bool same =
        form->length == input->length
        && (form->length == 0 || memcmp(form->text, input->text, form->length) == 0);
    if (arguments->options[OPTION_CHECK]) {
        if (!same) {
            kal_message_print(
                "%s is not in its canonical form; 'kalaba format --write' "
                "brings it there",
                input->name);
        }
        return same ? KAL_EXIT_DONE : KAL_EXIT_FAULT;
    }
    if (!arguments->options[OPTION_WRITE]) {
        kal_standard_output.write(kal_standard_output.user, form->text, form->length);
        return KAL_EXIT_DONE;
    }
    if (!same
        && kal_file_replace(ctx, arguments->operands[0], form->text, form->length)
               != KAL_OK) {
        kal_message_print("%s", kal_context_message(ctx));
        return KAL_EXIT_FAULT;
    }
    return KAL_EXIT_DONE;
}

static KalExit format(const KalArguments *arguments, KalContext *ctx,
                      const KalInputText *input)
{
    bool told = false;
    Form form = {.text = NULL};
    const KalStatus status =
        kal_model_format(ctx, input->name, input->text, input->length,
                         (KalSink){write_stderr, &told}, (KalSink){keep, &form});
    KalExit outcome = KAL_EXIT_FAULT;
    if (status != KAL_OK) {
        if (!told) {
            kal_message_print("%s", kal_context_message(ctx));
        }
    } else if (form.failed) {
        kal_message_print("%s", kal_status_text(KAL_ERR_NOMEM));
    } else {
        outcome = use_form(arguments, ctx, input, &form);
    }
    free(form.text);
    return outcome;
}

static KalExit read_and_format(const KalArguments *arguments, KalContext *ctx,
                               KalLedger *ledger)
{
    KalInputText input = {.text = NULL};
    const KalInputOrigin origin = {.ctx = ctx,
                                   .ledger = ledger,
                                   .role = "the model",
                                   .path = arguments->operands[0]};
    KalExit status = KAL_EXIT_FAULT;
    if (kal_input_init(&input, &origin)) {
        status = format(arguments, ctx, &input);
    } else {
        kal_message_print("%s", input.message);
    }
    kal_input_clear(&input);
    return status;
}

// Options that exclude each other.
static const char *find_misuse(const KalArguments *arguments)
{
    assert(arguments->n_operands >= 0);
    const bool writes = arguments->options[OPTION_WRITE];
    return arguments->n_operands == 0 ? "no model is given; - means standard input"
           : writes && arguments->options[OPTION_CHECK]
               ? "options '--check' and '--write' exclude each other"
           : writes && strcmp(arguments->operands[0], "-") == 0
               ? "option '--write' needs a file, not standard input"
               : NULL;
}

static KalExit run_format(const KalArguments *arguments)
{
    const char *misuse = find_misuse(arguments);
    if (misuse) {
        kal_message_print("%s", misuse);
        return KAL_EXIT_USAGE;
    }
    KalLedger ledger = {.count = 0};
    KalContext *ctx = NULL;
    KalExit status = KAL_EXIT_FAULT;
    if (kal_context_create(NULL, NULL, &ctx) == KAL_OK && kal_ledger_init(&ledger)) {
        status = read_and_format(arguments, ctx, &ledger);
    } else {
        kal_message_print("%s", kal_status_text(KAL_ERR_NOMEM));
    }
    kal_context_destroy(ctx);
    kal_ledger_clear(&ledger);
    return ledger.clash ? KAL_EXIT_USAGE : status;
}

static void print_details(void)
{
    fputs("\nOne statement a line, blocks indented by four spaces, lines of at most 96 "
          "columns where\nthey can be broken.  Comments stay where they are.  What the "
          "model means does not change,\nand neither do files that it uses.\n"
          "\nExamples:\n"
          "  kalaba format sleigh.kal\n"
          "  kalaba format --write sleigh.kal\n"
          "  kalaba format --check sleigh.kal\n"
          "\nExit status: 0 done, 1 the text is no model, or with --check not in its "
          "canonical form,\n2 wrong usage.\n",
          stdout);
}

const KalCommand kal_command_format = {
    .name = "format",
    .operands = "MODEL|-",
    .purpose = "the text of a model in its canonical form, comments kept",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .max_operands = 1,
    .print_details = print_details,
    .run = run_format,
};

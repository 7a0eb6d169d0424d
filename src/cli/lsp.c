// SPDX-License-Identifier: MIT

// lsp: models in an editor, over standard input and output.

#include "command.h"
#include "limits.h"
#include "output.h"

#include <kalaba/lsp.h>
#include <kalaba/studio.h>

#include <stdio.h>
#include <unistd.h>

static size_t read_input(void *user, char *bytes, size_t most)
{
    (void)user;
    const ssize_t got = read(STDIN_FILENO, bytes, most);
    return got > 0 ? (size_t)got : 0;
}

// An answer goes out at once: the editor waits for it.
static void write_output(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
    (void)fflush(stdout);
}

static const KalCommandOption options[] = {KAL_LIMIT_OPTIONS};

static KalExit run_lsp(const KalArguments *arguments)
{
    const KalStudioOptions usual = kal_studio_options();
    KalLspChannel channel = {
        .read = read_input,
        .write = {write_output, NULL},
        .seconds = usual.seconds,
        .megabytes = usual.megabytes
    };
    KalContext *ctx = NULL;
    if (!kal_limits_read(arguments->options, &channel.seconds, &channel.megabytes)) {
        return KAL_EXIT_USAGE;
    }
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        kal_message_print("%s", kal_status_text(KAL_ERR_NOMEM));
        return KAL_EXIT_FAULT;
    }
    const KalStatus status = kal_lsp_serve(ctx, &channel);
    if (status != KAL_OK) {
        kal_message_print("%s", kal_context_message(ctx));
    }
    kal_context_destroy(ctx);
    return status == KAL_OK ? KAL_EXIT_DONE : KAL_EXIT_FAULT;
}

static void print_details(void)
{
    fputs("\nSpeaks the Language Server Protocol with an editor, which starts it: "
          "messages on\n"
          "the text as you type, completion, what a name is, where it is declared, and "
          "the\n"
          "canonical form.\n"
          "\nExample, for Neovim:\n"
          "  vim.lsp.start({name = 'kalaba', cmd = {'kalaba', 'lsp'}})\n"
          "\nExit status: 0 done, 1 the editor broke off or spoke another language.\n",
          stdout);
}

const KalCommand kal_command_lsp = {
    .name = "lsp",
    .operands = "",
    .purpose = "models in an editor: a language server on standard input and output",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .print_details = print_details,
    .run = run_lsp,
};

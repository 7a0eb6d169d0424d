// SPDX-License-Identifier: MIT

// The tool: a command, its options, an exit status.  Commands are rows of one table.

#include "command.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const KalCommand *const commands[] = {
    &kal_command_check,      &kal_command_derive,    &kal_command_eval,
    &kal_command_reduce,     &kal_command_run,       &kal_command_sweep,
    &kal_command_plot,       &kal_command_linearize, &kal_command_modes,
    &kal_command_equilibria, &kal_command_export,    &kal_command_solve,
    &kal_command_format,     &kal_command_studio,    &kal_command_lsp,
    &kal_command_help};

enum {
    N_COMMANDS = sizeof commands / sizeof commands[0]
};

const KalCommand *const *kal_commands_get(int *out_count)
{
    *out_count = N_COMMANDS;
    return commands;
}

// Whether a file was named where a command should be.
static bool is_file(const char *name)
{
    return strstr(name, ".kal") || strchr(name, '/');
}

const KalCommand *kal_command_find(const char *name)
{
    assert(name);
    const char *names[N_COMMANDS];
    for (int i = 0; i < N_COMMANDS; i++) {
        names[i] = commands[i]->name;
        if (strcmp(name, names[i]) == 0) {
            return commands[i];
        }
    }
    const char *near = kal_word_find_near(name, names, N_COMMANDS);
    if (near) {
        kal_message_print("unknown command '%s'; did you mean '%s'?", name, near);
    } else if (is_file(name)) {
        kal_message_print(
            "no command is given: 'kalaba run %s' moves a model, 'kalaba check "
            "%s' tells what it is; see 'kalaba help'",
            name, name);
    } else {
        kal_message_print("unknown command '%s'; see 'kalaba help'", name);
    }
    return NULL;
}

// Parse, help, run.
static KalExit run_command(const char *name, int argc, char *const *argv)
{
    assert(argc >= 0);
    const KalCommand *command = kal_command_find(name);
    KalArguments arguments;
    if (!command || !kal_arguments_parse(command, argc, argv, &arguments)) {
        return KAL_EXIT_USAGE;
    }
    if (arguments.help) {
        kal_command_print_help(command);
        return KAL_EXIT_DONE;
    }
    return command->run(&arguments);
}

// An option in the place of the command.
static KalExit run_option(const char *word)
{
    static const char *const words[] = {"--help", "-h", "--version"};
    if (strcmp(word, "--version") == 0) {
        printf("kalaba %s\n", kal_version());
        return KAL_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        kal_overview_print(false);
        return KAL_EXIT_DONE;
    }
    const char *near = kal_word_find_near(word, words, 3);
    if (near) {
        kal_message_print("unknown option '%s'; did you mean '%s'?", word, near);
    } else {
        kal_message_print("unknown option '%s'; options come after a command, see "
                          "'kalaba help'",
                          word);
    }
    return KAL_EXIT_USAGE;
}

// A result that did not arrive is a failure, whatever became of the rest.
static KalExit close_output(KalExit status)
{
    const bool failed = ferror(stdout) != 0;
    if (fflush(stdout) != 0 || failed) {
        kal_message_print("cannot write the result: %s", strerror(errno));
        return KAL_EXIT_FAULT;
    }
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        kal_overview_print(true);
        return KAL_EXIT_USAGE;
    }
    const KalExit status = argv[1][0] == '-' ? run_option(argv[1])
                                             : run_command(argv[1], argc - 2, argv + 2);
    return (int)close_output(status);
}

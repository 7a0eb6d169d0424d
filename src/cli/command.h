// SPDX-License-Identifier: MIT

/// @file
/// What a command of the program is: one row of a table, with its options, its help and
/// the function that does it.  The table is in main.c; help and parsing follow it.

#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "options.h"

/// Exit statuses of the program.
typedef enum KalExit {
    KAL_EXIT_DONE = 0,
    KAL_EXIT_FAULT = 1, ///< the model or its numbers, a file, memory
    KAL_EXIT_USAGE = 2,
    KAL_EXIT_INTERRUPTED = 130, ///< by Ctrl-C
} KalExit;

typedef struct KalCommand {
    const char *name;
    const char *operands; ///< as the synopsis shows them
    const char *purpose;  ///< one line
    const KalCommandOption *options;
    int n_options;
    int max_operands;
    void (*print_details)(void); ///< to standard output, after the options; may be NULL
    KalExit (*run)(const KalArguments *arguments);
} KalCommand;

extern const KalCommand kal_command_check;
extern const KalCommand kal_command_derive;
extern const KalCommand kal_command_equilibria;
extern const KalCommand kal_command_eval;
extern const KalCommand kal_command_export;
extern const KalCommand kal_command_format;
extern const KalCommand kal_command_reduce;
extern const KalCommand kal_command_plot;
extern const KalCommand kal_command_linearize;
extern const KalCommand kal_command_lsp;
extern const KalCommand kal_command_modes;
extern const KalCommand kal_command_run;
extern const KalCommand kal_command_solve;
extern const KalCommand kal_command_studio;
extern const KalCommand kal_command_sweep;
extern const KalCommand kal_command_help;

/// All commands, `*out_count` of them.
const KalCommand *const *kal_commands_get(int *out_count);

/// The command of a name, or NULL after a message on standard error.
const KalCommand *kal_command_find(const char *name);

/// Everything `kalaba help COMMAND` shows.
void kal_command_print_help(const KalCommand *command);

/// The overview; brief, for someone who gave no command, it goes to standard error.
void kal_overview_print(bool brief);

/// Write "kalaba: ", the message and a new line to standard error, control characters
/// escaped: messages may quote whatever a file or an argument holds.
void kal_message_print(const char *format, ...) KAL_PRINTF(1, 2);

#endif

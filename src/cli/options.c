// SPDX-License-Identifier: MIT

// Arguments of a command, by its table of options: `--word value`, `--word=value`, flags,
// and operands.  All messages name the option at fault.

#include "options.h"

#include "command.h"

#include <assert.h>
#include <string.h>

// The value in "--word=value"; NULL: the argument is not this option with a value.
static const char *inline_value(const char *argument, const char *word)
{
    assert(argument && word);
    const size_t length = strlen(word);
    const bool matches =
        strncmp(argument, word, length) == 0 && argument[length] == '=';
    return matches ? argument + length + 1 : NULL;
}

// An unknown option, with the one that was perhaps meant.
static void complain_of_option(const KalCommand *command, const char *argument)
{
    const char *words[KAL_OPTIONS_LIMIT + 1];
    assert(command->n_options <= KAL_OPTIONS_LIMIT);
    for (int i = 0; i < command->n_options; i++) {
        words[i] = command->options[i].word;
    }
    words[command->n_options] = "--help";
    const char *near = kal_word_find_near(argument, words, command->n_options + 1);
    if (near) {
        kal_message_print("unknown option '%s'; did you mean '%s'?", argument, near);
    } else {
        kal_message_print("unknown option '%s'; see 'kalaba help %s'", argument,
                          command->name);
    }
}

// Options that may come several times are kept in their order.
static bool add_repeat(const KalCommand *command, int row, const char *value,
                       KalArguments *arguments)
{
    assert(arguments->n_repeats >= 0);
    if (arguments->n_repeats == KAL_REPEATS_LIMIT) {
        kal_message_print("option '%s' is given more than %d times",
                          command->options[row].word, KAL_REPEATS_LIMIT);
        return false;
    }
    arguments->repeat_rows[arguments->n_repeats] = row;
    arguments->repeats[arguments->n_repeats++] = value;
    return true;
}

int kal_arguments_list(const KalArguments *arguments, int row, const char **out_values)
{
    assert(arguments->n_repeats <= KAL_REPEATS_LIMIT);
    int count = 0;
    for (int i = 0; i < arguments->n_repeats; i++) {
        if (arguments->repeat_rows[i] == row) {
            out_values[count++] = arguments->repeats[i];
        }
    }
    return count;
}

char *kal_option_trim(char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') {
        text[--length] = '\0';
    }
    return text;
}

static bool is_option_of(const KalCommand *command, const char *word)
{
    for (int i = 0; word && i < command->n_options; i++) {
        if (strcmp(command->options[i].word, word) == 0) {
            return true;
        }
    }
    return false;
}

// Read the option that argv[*i] begins; *i moves to its last argument.
static bool parse_option(const KalCommand *command, char *const *argv, int *i,
                         KalArguments *arguments)
{
    assert(argv[*i]);
    for (int k = 0; k < command->n_options; k++) {
        const KalCommandOption *option = &command->options[k];
        const char *value = inline_value(argv[*i], option->word);
        if (!value && strcmp(argv[*i], option->word) != 0) {
            continue;
        }
        if (value && !option->value) {
            kal_message_print("option '%s' takes no value", option->word);
            return false;
        }
        if (!value && option->value && !is_option_of(command, argv[*i + 1])) {
            value = argv[++*i];
        }
        if (!value && option->value) {
            kal_message_print("option '%s' lacks its value, %s", option->word,
                              option->value);
            return false;
        }
        if (option->value && !option->repeatable && arguments->options[k]) {
            kal_message_print("option '%s' is given twice, and takes one value",
                              option->word);
            return false;
        }
        arguments->options[k] = value ? value : "";
        return !option->repeatable || add_repeat(command, k, value, arguments);
    }
    complain_of_option(command, argv[*i]);
    return false;
}

static bool add_operand(const KalCommand *command, const char *operand,
                        KalArguments *arguments)
{
    if (arguments->n_operands == command->max_operands) {
        kal_message_print("'%s' is one argument too many; see 'kalaba help %s'",
                          operand, command->name);
        return false;
    }
    arguments->operands[arguments->n_operands++] = operand;
    return true;
}

// "-" alone is an operand, standard input; after "--" everything is one.
bool kal_arguments_parse(const KalCommand *command, int argc, char *const *argv,
                         KalArguments *out_arguments)
{
    KalArguments arguments = {.n_operands = 0};
    assert(command->n_options <= KAL_OPTIONS_LIMIT);
    assert(command->max_operands <= KAL_OPERANDS_LIMIT);
    bool options_over = false;

    for (int i = 0; i < argc; i++) {
        const bool option = !options_over && argv[i][0] == '-' && argv[i][1] != '\0';
        if (!option) {
            if (!add_operand(command, argv[i], &arguments)) {
                return false;
            }
        } else if (strcmp(argv[i], "--") == 0) {
            options_over = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            arguments.help = true;
        } else if (!parse_option(command, argv, &i, &arguments)) {
            return false;
        }
    }
    *out_arguments = arguments;
    return true;
}

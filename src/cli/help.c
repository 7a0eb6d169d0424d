// SPDX-License-Identifier: MIT

// Help from the tables of commands and options, so that it cannot forget any.

#include "command.h"
#include "topics.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Words in one column, meanings in another.
static void print_option(const char *word, const char *value, const char *meaning)
{
    assert(word && meaning);
    const int width = 20;
    const int used = printf("  %s%s%s", word, value ? " " : "", value ? value : "");
    printf("%*s  %s\n", used < width ? width - used : 0, "", meaning);
}

void kal_command_print_help(const KalCommand *command)
{
    assert(command && command->name && command->purpose);
    printf("Usage: kalaba %s %s [options]\n\n%s: %s.\n\nOptions:\n", command->name,
           command->operands, command->name, command->purpose);
    for (int i = 0; i < command->n_options; i++) {
        const KalCommandOption *option = &command->options[i];
        print_option(option->word, option->value, option->meaning);
    }
    print_option("-h, --help", NULL, "show this");
    if (command->print_details) {
        command->print_details();
    }
}

static void print_topics(void)
{
    int count = 0;
    const KalTopic *topics = kal_topics_get(&count);
    fputs("\nTopics:\n", stdout);
    for (int i = 0; i < count; i++) {
        printf("  %-11s %s\n", topics[i].name, topics[i].purpose);
    }
}

void kal_overview_print(bool brief)
{
    FILE *out = brief ? stderr : stdout;
    int count = 0;
    const KalCommand *const *commands = kal_commands_get(&count);

    fputs("Usage: kalaba COMMAND [arguments]\n\n", out);
    if (!brief) {
        fputs("Constrained mechanical motion by the Udwadia-Kalaba equation.\n\n", out);
    }
    fputs("Commands:\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->purpose);
    }
    if (!brief) {
        print_topics();
        fputs("\nOptions:\n"
              "  -h, --help   show this\n"
              "  --version    show the version\n",
              out);
    }
    fputs("\n'kalaba help COMMAND' shows options and examples, 'kalaba help language' "
          "what models\nare written in.\n",
          out);
}

static bool is_command(const char *name)
{
    int count = 0;
    const KalCommand *const *commands = kal_commands_get(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(name, commands[i]->name) == 0) {
            return true;
        }
    }
    return false;
}

static KalExit run_help(const KalArguments *arguments)
{
    if (arguments->n_operands == 0) {
        kal_overview_print(false);
        return KAL_EXIT_DONE;
    }
    const KalTopic *topic = kal_topic_find(arguments->operands[0]);
    if (topic) {
        printf("%s: %s.\n\n%s", topic->name, topic->purpose, topic->text);
        return KAL_EXIT_DONE;
    }
    const char *near = is_command(arguments->operands[0])
                           ? NULL
                           : kal_topic_find_near(arguments->operands[0]);
    if (near) {
        kal_message_print("unknown topic '%s'; did you mean '%s'?",
                          arguments->operands[0], near);
        return KAL_EXIT_USAGE;
    }
    const KalCommand *command = kal_command_find(arguments->operands[0]);
    if (!command) {
        return KAL_EXIT_USAGE;
    }
    kal_command_print_help(command);
    return KAL_EXIT_DONE;
}

const KalCommand kal_command_help = {
    .name = "help",
    .operands = "[COMMAND|TOPIC]",
    .purpose = "the commands, the options and examples of one, or a topic",
    .max_operands = 1,
    .run = run_help,
};

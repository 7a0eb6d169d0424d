// SPDX-License-Identifier: MIT

// Results to standard output, warnings about them to standard error.

#include "output.h"

#include "command.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NAMES_SHOWN = 5
};

static void write_stdout(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

const KalSink kal_standard_output = {.write = write_stdout};

bool kal_is_standard_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

KalStatus kal_table_deliver(const KalTable *table, const char *path,
                            const KalTableWriteOptions *options)
{
    assert(table && path);
    return kal_is_standard_output(path)
               ? kal_table_write_csv(table, kal_standard_output, options)
               : kal_table_write(table, path, options);
}

bool kal_standard_output_is_free(const char *path, bool json)
{
    if (kal_is_standard_output(path) && json) {
        kal_message_print("options '-o -' and '--json' both need standard output: give "
                          "one of them a file");
        return false;
    }
    return true;
}

// Colors are for a terminal, and not where NO_COLOR is set (no-color.org).
bool kal_wants_color(void)
{
    const char *no_color = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

void kal_warn_not_unique(const KalMotionAnswer *answer, const char *const *coordinates)
{
    assert(answer->n >= 0 && coordinates);
    char names[4096] = "";
    size_t used = 0;
    int count = 0;
    for (int i = 0; i < answer->n; i++) {
        if (answer->indeterminate[i] && count++ < NAMES_SHOWN && used < sizeof names) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     count > 1 ? ", " : "", coordinates[i]);
        }
    }
    kal_message_print("warning: the acceleration is not unique; indeterminate: %s%s",
                      names, count > NAMES_SHOWN ? ", …" : "");
}

void kal_warn_off(const KalMisfit *misfit)
{
    assert(misfit->count >= 0);
    if (misfit->count == 0) {
        return;
    }
    char others[60] = "";
    if (misfit->count > 1) {
        (void)snprintf(others, sizeof others, ", %d others less", misfit->count - 1);
    }
    kal_message_print(
        "warning: the state of --at does not satisfy the constraints, and "
        "is taken as it is: %s %s is off by %.6g%s",
        misfit->velocity ? "the rate of" : "constraint", misfit->constraint,
        misfit->off, others);
}

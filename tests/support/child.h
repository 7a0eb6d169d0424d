// SPDX-License-Identifier: MIT

/// @file
/// Checks that need a process of their own: other rights, other limits, another disk.

#ifndef SUPPORT_CHILD_H
#define SUPPORT_CHILD_H

#include "tap.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/// Run the checks of a function in a child; they hold when all of the child's do.
static inline void child_run(void (*run)(void *user), void *user)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        tap_failures = 0;
        run(user);
        fflush(stdout);
        _exit(tap_failures > 0);
    }
    int status = -1;
    ok(child > 0 && waitpid(child, &status, 0) == child);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// A small disk for a test.  Needs _GNU_SOURCE: namespaces are not POSIX.

#ifndef SUPPORT_DISK_H
#define SUPPORT_DISK_H

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

/// Mount an empty disk that only this process and its children see; `size` as tmpfs takes
/// it.  False where that is not allowed.
static inline bool disk_mount(const char *path, const char *size)
{
    char options[64];
    snprintf(options, sizeof options, "size=%s", size);
    const int spaces = CLONE_NEWNS | (geteuid() == 0 ? 0 : CLONE_NEWUSER);
    return unshare(spaces) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount("none", path, "tmpfs", 0, options) == 0;
}

#endif

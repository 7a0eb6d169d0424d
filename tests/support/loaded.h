// SPDX-License-Identifier: MIT

/// @file
/// Libraries that come into a program when they are needed, for tests of that.

#ifndef SUPPORT_LOADED_H
#define SUPPORT_LOADED_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

/// Whether this process has the library already.
static inline bool is_loaded(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
        dlclose(handle);
    }
    return handle != NULL;
}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// All models of a folder, for tests that try something with each.

#ifndef KAL_TEST_EXAMPLES_H
#define KAL_TEST_EXAMPLES_H

#include <dirent.h>
#include <string.h>

/// Call `try_model` with the name of each model in a folder; returns how many there are.
static inline int examples_each(const char *folder, void (*try_model)(const char *name))
{
    DIR *entries = opendir(folder);
    int count = 0;
    for (const struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        const char *ending = strrchr(entry->d_name, '.');
        if (ending && strcmp(ending, ".kal") == 0) {
            try_model(entry->d_name);
            count++;
        }
    }
    if (entries) {
        closedir(entries);
    }
    return count;
}

#endif

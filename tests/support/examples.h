// SPDX-License-Identifier: MIT

/// @file
/// All models of a folder, for tests that try something with each.

#ifndef KAL_TEST_EXAMPLES_H
#define KAL_TEST_EXAMPLES_H

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/// Of so many examples, or cases as good as each other, one is tried: KAL_TEST_SHARE of the
/// environment, 1 without it or with KAL_TEST_ALL.
/// The sanitizers, which look at how memory is used and not at values, need no more than a
/// sample.
static inline int examples_share(void)
{
    const char *share = getenv("KAL_TEST_ALL") ? NULL : getenv("KAL_TEST_SHARE");
    const long value = share ? strtol(share, NULL, 10) : 1;
    return value > 1 && value < 100 ? (int)value : 1;
}

static inline int examples_is_model(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && strcmp(ending, ".kal") == 0;
}

/// Call `try_model` with the name of each model in a folder that is of the share, in the order
/// of their names; returns how many there are in the folder.
static inline int examples_each(const char *folder, void (*try_model)(const char *name))
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, examples_is_model, alphasort);
    for (int i = 0; i < count; i++) {
        if (i % examples_share() == 0) {
            try_model(entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return count;
}

#endif

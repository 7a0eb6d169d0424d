// SPDX-License-Identifier: MIT

/// @file
/// Run a target over all files of a folder, as a test: replay FOLDER

#include "target.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_SIZE = 4096,
    INPUT_SIZE = 1 << 20
};

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

// Try one file.  A copy of the very size lets a sanitizer see reads beyond it.
static bool replay_file(const char *folder, const char *name)
{
    static char buffer[INPUT_SIZE];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    const size_t size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    uint8_t *data = malloc(size > 0 ? size : 1);
    if (!data) {
        return false;
    }
    memcpy(data, buffer, size);
    const bool done = LLVMFuzzerTestOneInput(data, size) == 0;
    free(data);
    return done;
}

int main(int argc, char **argv)
{
    struct dirent **entries = NULL;
    const int count =
        argc == 2 ? scandir(argv[1], &entries, is_visible, alphasort) : -1;
    if (count <= 0) {
        fputs("usage: replay FOLDER, which holds at least one file\n", stderr);
        return 2;
    }
    int failures = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        const bool good = replay_file(argv[1], entries[i]->d_name);
        printf("%sok %d - %s\n", good ? "" : "not ", i + 1, entries[i]->d_name);
        fflush(stdout);
        failures += !good;
        free(entries[i]);
    }
    free(entries);
    return failures > 0;
}

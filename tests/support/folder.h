// SPDX-License-Identifier: MIT

/// @file
/// A folder of its own for a test, with what the test leaves in it.

#ifndef SUPPORT_FOLDER_H
#define SUPPORT_FOLDER_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FOLDER_SIZE = 1024
};

typedef struct Folder {
    char path[FOLDER_SIZE];
    char file[2 * FOLDER_SIZE]; ///< the last path that was asked for
} Folder;

/// Make a folder; false when the machine does not let us.
static inline bool folder_open(Folder *folder)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/kalaba-test-XXXXXX",
             base ? base : "/tmp");
    return mkdtemp(folder->path) != NULL;
}

/// The path of a file in the folder, until the next one is asked for.
static inline const char *folder_file(Folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

/// How many files there are whose names end so; "" counts all.
static inline int folder_count(const Folder *folder, const char *ending)
{
    int count = 0;
    DIR *entries = opendir(folder->path);
    for (const struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        const size_t length = strlen(entry->d_name);
        const size_t wanted = strlen(ending);
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0
                 && length >= wanted
                 && strcmp(entry->d_name + length - wanted, ending) == 0;
    }
    if (entries) {
        closedir(entries);
    }
    return count;
}

/// Remove the folder and the files in it.
static inline void folder_close(Folder *folder)
{
    DIR *entries = opendir(folder->path);
    for (const struct dirent *entry = entries ? readdir(entries) : NULL; entry;
         entry = readdir(entries)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            remove(folder_file(folder, entry->d_name));
        }
    }
    if (entries) {
        closedir(entries);
    }
    rmdir(folder->path);
}

/// Put a text into a file of the folder.
static inline bool folder_write(Folder *folder, const char *name, const char *text)
{
    FILE *file = fopen(folder_file(folder, name), "wb");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

/// The text of a file of the folder, at most `size` - 1 bytes; "" when there is none.
static inline void folder_read(Folder *folder, const char *name, char *out_text,
                               size_t size)
{
    FILE *file = fopen(folder_file(folder, name), "rb");
    const size_t length = file ? fread(out_text, 1, size - 1, file) : 0;
    out_text[length] = '\0';
    if (file) {
        fclose(file);
    }
}

#endif

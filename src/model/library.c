// SPDX-License-Identifier: MIT

// The libraries of parts, which the build has put into the program (models/).

#include "model/library.h"

#include <string.h>

const KalLibraryModel *kal_library_find(const char *name)
{
    int count;
    const KalLibraryModel *table = kal_library_table(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

int kal_library_names(const char *out_names[KAL_LIBRARY_LIMIT])
{
    int count;
    const KalLibraryModel *table = kal_library_table(&count);
    for (int i = 0; i < count; i++) {
        out_names[i] = table[i].name;
    }
    return count;
}

// SPDX-License-Identifier: MIT

#include "model/library.h"

#include <string.h>

const KalLibraryModel *kal_library_find(const char *name)
{
    for (int i = 0; i < KAL_LIBRARY_COUNT; i++) {
        if (strcmp(KAL_LIBRARY[i].name, name) == 0) {
            return &KAL_LIBRARY[i];
        }
    }
    return NULL;
}

int kal_library_names(const char *out_names[KAL_LIBRARY_LIMIT])
{
    for (int i = 0; i < KAL_LIBRARY_COUNT; i++) {
        out_names[i] = KAL_LIBRARY[i].name;
    }
    return KAL_LIBRARY_COUNT;
}

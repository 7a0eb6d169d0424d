// SPDX-License-Identifier: MIT

// Write the sample in every format, for other programs to read: sample FOLDER [incomplete]

#include "sample.h"

#include <stdio.h>

static int write_all(const KalTable *table, const char *folder)
{
    const char *const endings[] = {"csv", "h5", "mat", "json"};
    const KalTableWriteOptions options = {.csv_units = KAL_TABLE_UNITS_FILE};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/sample.%s", folder, endings[i]);
        if (kal_table_write(table, path, &options) != KAL_OK) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    KalContext *ctx = NULL;
    KalTable *table = NULL;
    int failed = argc < 2 || kal_context_create(NULL, NULL, &ctx) != KAL_OK
                 || sample_create(ctx, &table) != KAL_OK;
    if (!failed) {
        kal_table_set_incomplete(table, argc > 2);
        failed = write_all(table, argv[1]);
    }
    kal_table_destroy(table);
    kal_context_destroy(ctx);
    return failed;
}

// SPDX-License-Identifier: MIT

// The examples of the reference: each builds, without a word.

#include "model.h"

enum {
    PAGE_SIZE = 1 << 17
};

static char page[PAGE_SIZE];

static void read_page(void)
{
    FILE *file = fopen(KAL_REFERENCE, "rb");
    ok(file != NULL);
    if (file) {
        const size_t size = fread(page, 1, sizeof page - 1, file);
        page[size] = '\0';
        ok(size > 0 && size < sizeof page - 1);
        fclose(file);
    }
}

static void examples_build(void)
{
    static const char fence[] = "\n```kal\n";
    int count = 0;
    read_page();
    for (char *at = strstr(page, fence); at; at = strstr(at, fence)) {
        char *begin = at + strlen(fence);
        char *end = strstr(begin, "\n```\n");
        ok(end != NULL);
        if (!end) {
            break;
        }
        end[1] = '\0';
        builds(begin);
        count++;
        at = end + 2;
    }
    ok(count >= 12);
}

TAP_RUN(TAP_CASE(examples_build))

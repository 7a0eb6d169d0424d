// SPDX-License-Identifier: MIT

// For MAP_ANONYMOUS.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
#define _DEFAULT_SOURCE

// Pages of memory that the processor may execute.

#include "prog/pages.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Pages are never writable and executable at once: written first, then made executable.
// NULL where the system does not allow that.
void *kal_pages_make(const void *code, size_t count, size_t *out_size)
{
    assert(code && count > 0);
    const long page = sysconf(_SC_PAGESIZE);
    if (page <= 0) {
        return NULL;
    }
    const size_t unit = (size_t)page;
    const size_t size = (count + unit - 1) / unit * unit;
    void *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        return NULL;
    }
    memcpy(pages, code, count);
    if (mprotect(pages, size, PROT_READ | PROT_EXEC) != 0) {
        kal_pages_free(pages, size);
        return NULL;
    }
    *out_size = size;
    return pages;
}

void kal_pages_free(void *pages, size_t size)
{
    assert(!pages || size > 0);
    if (pages) {
        (void)munmap(pages, size);
    }
}

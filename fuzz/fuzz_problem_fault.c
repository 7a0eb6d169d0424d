// SPDX-License-Identifier: MIT

#include "document.h"
#include "target.h"

// The first character, from '0' on, says how many allocations succeed; the document
// follows.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        run_document(data + 1, size - 1, data[0] >= '0' ? data[0] - '0' : -1);
    }
    return 0;
}

// SPDX-License-Identifier: MIT

#include "document.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_document(data, size, -1);
    return 0;
}

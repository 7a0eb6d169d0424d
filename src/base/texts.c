// SPDX-License-Identifier: MIT

// Lists of texts that callers of the library give.

#include "base/texts.h"

bool kal_has_texts(const char *const *texts, size_t count)
{
    for (size_t i = 0; texts && i < count; i++) {
        if (!texts[i]) {
            return false;
        }
    }
    return texts || count == 0;
}

// SPDX-License-Identifier: MIT

// For builds without the web parts.

#include "studio/studio_impl.h"

const char *kal_studio_page(size_t *out_length)
{
    *out_length = 0;
    return NULL;
}

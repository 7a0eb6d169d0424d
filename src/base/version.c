// SPDX-License-Identifier: MIT

#include <kalaba/version.h>

const char *kal_version(void)
{
    return KAL_VERSION_TEXT;
}

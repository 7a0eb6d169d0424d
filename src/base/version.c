// SPDX-License-Identifier: MIT

// The version, which the build knows.

#include <kalaba/version.h>

const char *kal_version(void)
{
    return KAL_VERSION_TEXT;
}

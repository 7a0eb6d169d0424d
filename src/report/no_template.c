// SPDX-License-Identifier: MIT

// For builds without the web parts.

#include "report/report_impl.h"

const char *kal_report_template(size_t *out_length)
{
    *out_length = 0;
    return NULL;
}

const char *kal_report_sweep_template(size_t *out_length)
{
    *out_length = 0;
    return NULL;
}

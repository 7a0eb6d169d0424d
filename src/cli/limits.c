// SPDX-License-Identifier: MIT

#include "limits.h"

#include "output.h"

#include <math.h>

static const KalCommandOption options[] = {KAL_LIMIT_OPTIONS};

bool kal_option_positive(const KalCommandOption *option, const char *text, double most,
                         int *value)
{
    double number = *value;
    if (text
        && (!kal_number_read(text, &number) || number != floor(number) || number < 1.0
            || number > most)) {
        kal_message_print("option '%s' takes a whole number from 1 to %.0f, not '%s'",
                          option->word, most, text);
        return false;
    }
    *value = (int)number;
    return true;
}

bool kal_limits_read(const char *const *texts, int *seconds, int *megabytes)
{
    return kal_option_positive(&options[0], texts[0], 86400.0, seconds)
           && kal_option_positive(&options[1], texts[1], 1e6, megabytes);
}

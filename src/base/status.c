// SPDX-License-Identifier: MIT

// The phrases of statuses, from their one list.

#include <kalaba/status.h>

const char *kal_status_text(KalStatus status)
{
    switch (status) {
#define KAL_STATUS_CASE(name, phrase) \
    case name: return phrase;
        KAL_STATUS_LIST(KAL_STATUS_CASE)
#undef KAL_STATUS_CASE
    }
    return "unknown status";
}

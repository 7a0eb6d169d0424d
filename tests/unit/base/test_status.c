// SPDX-License-Identifier: MIT

#include "tap.h"

#include <kalaba/status.h>
#include <kalaba/version.h>

static const KalStatus ALL[] = {
#define STATUS(name, phrase) name,
    KAL_STATUS_LIST(STATUS)
#undef STATUS
};

enum {
    COUNT = sizeof ALL / sizeof ALL[0]
};

static void success_is_zero(void)
{
    ok(KAL_OK == 0);
    same_text(kal_status_text(KAL_OK), "done");
    same_text(kal_status_text(KAL_ERR_NOMEM), "out of memory");
}

static void every_status_has_a_phrase_of_its_own(void)
{
    for (int i = 0; i < COUNT; i++) {
        ok(ALL[i] == (KalStatus)i);
        ok(strlen(kal_status_text(ALL[i])) > 3);
        for (int j = 0; j < i; j++) {
            ok(strcmp(kal_status_text(ALL[i]), kal_status_text(ALL[j])) != 0);
        }
    }
}

static void a_number_that_is_no_status_has_a_phrase_too(void)
{
    same_text(kal_status_text((KalStatus)COUNT), "unknown status");
    same_text(kal_status_text((KalStatus)-1), "unknown status");
}

static void the_version_is_three_numbers(void)
{
    int part[3] = {-1, -1, -1};
    char rest = '\0';
    ok(sscanf(kal_version(), "%d.%d.%d%c", &part[0], &part[1], &part[2], &rest) == 3);
    ok(part[0] >= 0 && part[1] >= 0 && part[2] >= 0);
}

TAP_RUN(TAP_CASE(success_is_zero), TAP_CASE(every_status_has_a_phrase_of_its_own),
        TAP_CASE(a_number_that_is_no_status_has_a_phrase_too),
        TAP_CASE(the_version_is_three_numbers))

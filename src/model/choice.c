// SPDX-License-Identifier: MIT

// The words of a run's choices.

#include <kalaba/model.h>

#include <stddef.h>

// Numbers from elsewhere need not be values of an enum.
#define CASE(name, word, meaning) \
    case name: return word;

const char *kal_method_word(KalMethod method)
{
    switch (method) {
        KAL_METHOD_LIST(CASE)
    }
    return NULL;
}

const char *kal_drift_word(KalDrift drift)
{
    switch (drift) {
        KAL_DRIFT_LIST(CASE)
    }
    return NULL;
}

// SPDX-License-Identifier: MIT

// Bounds as text, `x = 0 .. 1, x' = -1 .. 1`, read with the reader of states: each end is an
// assignment to a state of NaNs, and what it sets is no longer NaN.

#include "analysis/where.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    PART_SIZE = 400
};

// How bounds are written.
static KalStatus fail(const KalInstant *instant, const char *text)
{
    return kal_fail(instant->ctx, KAL_ERR_SYNTAX,
                    "bounds are written name = low .. high, with a comma between two, "
                    "not '%.200s'",
                    text);
}

// The place in y and the value that a text `name = value` sets; the state becomes NaN.
static KalStatus read_value(KalInstant *instant, const char *text, int *out_place,
                            double *out_value)
{
    const int count = 2 * instant->system->n;
    double *y = kal_instant_q(instant);
    for (int i = 0; i < count; i++) {
        y[i] = NAN;
    }
    KAL_TRY(kal_instant_set(instant, text, NULL));
    for (int i = 0; i < count; i++) {
        if (!isnan(y[i])) {
            *out_place = i;
            *out_value = y[i];
            return KAL_OK;
        }
    }
    return fail(instant, text); // it sets the time
}

// One part, `name = low .. high`, as two assignments.
static KalStatus read_part(KalInstant *instant, const char *part, size_t length,
                           KalBounds *bounds)
{
    char low_text[PART_SIZE];
    char high_text[PART_SIZE];
    char text[PART_SIZE];
    int place = 0;
    double low = 0.0;
    double high = 0.0;
    if (length >= PART_SIZE) {
        return fail(instant, part);
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)length, part);
    const char *equals = strchr(text, '=');
    const char *dots = strstr(text, "..");
    if (!equals || !dots || dots < equals) {
        return fail(instant, text);
    }
    (void)snprintf(low_text, sizeof low_text, "%.*s", (int)(dots - text), text);
    (void)snprintf(high_text, sizeof high_text, "%.*s %s", (int)(equals - text + 1),
                   text, dots + 2);
    KAL_TRY(read_value(instant, low_text, &place, &low));
    KAL_TRY(read_value(instant, high_text, &place, &high));
    if (!(low <= high)) {
        return kal_fail(instant->ctx, KAL_ERR_SYNTAX,
                        "the lower bound is above the upper one: '%.200s'", text);
    }
    bounds->low[place] = low;
    bounds->high[place] = high;
    return KAL_OK;
}

// Parts between commas.
static KalStatus read_all(KalInstant *instant, const char *text, KalBounds *bounds)
{
    const char *part = text;
    while (*part != '\0') {
        const size_t length = strcspn(part, ",");
        KAL_TRY(read_part(instant, part, length, bounds));
        part += length + (part[length] == ',');
    }
    return KAL_OK;
}

// Bounds are read as values of a state: the instant serves for that and is put back.
KalStatus kal_bounds_read(KalInstant *instant, const char *text, KalBounds *bounds)
{
    const size_t count = 2 * (size_t)instant->system->n;
    double *y = kal_instant_q(instant);
    for (size_t i = 0; i < count; i++) {
        bounds->low[i] = -INFINITY;
        bounds->high[i] = INFINITY;
    }
    if (!text) {
        return KAL_OK;
    }
    double *kept = (double *)kal_alloc(instant->ctx, count, sizeof *kept);
    if (!kept) {
        return kal_no_memory(instant->ctx, "for bounds");
    }
    memcpy(kept, y, count * sizeof *y);
    const KalStatus status = read_all(instant, text, bounds);
    memcpy(y, kept, count * sizeof *y);
    kal_free(instant->ctx, kept, count * sizeof *kept);
    return status;
}

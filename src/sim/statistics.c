// SPDX-License-Identifier: MIT

// What is known about a run in numbers, for those who show it: the rows of
// KAL_STATISTIC_LIST with their values.

#include "sim/run_impl.h"

#include <assert.h>

// When people are to see a statistic.
typedef enum Sight {
    ALWAYS,
    NEVER,
    NONZERO,
    POSITIONS,  // there are constraints of position level
    VELOCITIES, // of velocity level
    BALANCED,   // the work done on the system is integrated
    UNBALANCED, // it is not
} Sight;

typedef struct Row {
    const char *name;
    KalStatisticPart part;
    const char *key;
    KalStatisticForm form;
    Sight sight;
    const char *label;
    const char *meaning;
} Row;

#define OF(part)    KAL_STATISTIC_OF_##part
#define AS(form)    KAL_STATISTIC_AS_##form
#define TEXT(token) #token
#define ROW(type, name, part, key, form, sight, label, meaning) \
    {TEXT(name), OF(part), key, AS(form), sight, label, meaning},
#define VALUE(type, name, part, key, form, sight, label, meaning) (double)s->name,

static const Row rows[] = {KAL_STATISTIC_LIST(ROW)};
static_assert(sizeof rows / sizeof rows[0] == KAL_STATISTIC_COUNT,
              "a row for each statistic");

static bool is_visible(const KalRun *run, Sight sight, double value)
{
    switch (sight) {
    case ALWAYS: return true;
    case NEVER: return false;
    case NONZERO: return value != 0.0;
    case POSITIONS: return run->projection.has_position;
    case VELOCITIES: return run->projection.has_velocity;
    case BALANCED: return run->balance.n > 0;
    case UNBALANCED: return run->balance.n == 0;
    }
    assert(false && "not a sight");
    return false;
}

void kal_run_describe(const KalRun *run, KalStatistic out_list[KAL_STATISTIC_COUNT])
{
    if (!(run && out_list)) {
        return;
    }
    const KalRunStatistics *s = &run->statistics;
    const double values[] = {KAL_STATISTIC_LIST(VALUE)};
    for (int i = 0; i < KAL_STATISTIC_COUNT; i++) {
        const Row *row = &rows[i];
        out_list[i] = (KalStatistic){.name = row->name,
                                     .part = row->part,
                                     .key = row->key,
                                     .form = row->form,
                                     .label = row->label,
                                     .meaning = row->meaning,
                                     .value = values[i],
                                     .visible = is_visible(run, row->sight, values[i])};
    }
}

const char *kal_incident_word(KalIncidentKind kind)
{
    switch (kind) {
#define CASE(name, word, meaning) \
    case name: return word;
        KAL_INCIDENT_LIST(CASE)
#undef CASE
    }
    return NULL; // a number from elsewhere
}

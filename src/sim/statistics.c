// SPDX-License-Identifier: MIT

// What is known about a run in numbers, for those who show it: the rows of
// KAL_STATISTIC_LIST with their values, and what is to be warned of.

#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

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

enum {
    FACTOR = 10 // of the balance of the energy
};

// Tolerances below do not make a balance better.
static const double ROUNDING = 1e-14;

// How far the balance of the energy may be off, theory (16.7).
static double balance_allowed(const KalRun *run)
{
    assert(run->statistics.steps >= 0);
    const KalRunStatistics *s = &run->statistics;
    const double rtol = fmax(run->options.rtol, ROUNDING);
    return FACTOR * (double)(s->steps + FACTOR)
           * (rtol * s->energy_size + run->options.atol);
}

// With steps of fixed size the error is the user's choice.
size_t kal_run_warnings(KalRun *run, const char *const **out_texts)
{
    if (!(run && out_texts)) {
        return 0;
    }
    const double off = run->statistics.energy_balance;
    const double allowed = balance_allowed(run);
    const bool controlled =
        run->options.fixed_step == 0.0 && run->system->balance.derived;
    *out_texts = run->told.warnings;
    if (!controlled || !(off > allowed)) {
        return 0;
    }
    (void)snprintf(run->told.warning, sizeof run->told.warning,
                   "the energy balance is off by %.2g, and the tolerances explain no "
                   "more than %.2g: do not trust the motion; an energy may jump, or "
                   "something was passed too fast to be seen",
                   off, allowed);
    run->told.warnings[0] = run->told.warning;
    return 1;
}

// SPDX-License-Identifier: MIT

// Actuators at their limits: when, and what was asked of them.

#include "base/number.h"
#include "sim/run_impl.h"

#include <assert.h>
#include <math.h>

size_t kal_run_limits(const KalSystem *system)
{
    size_t count = 0;
    for (int j = 0; system->n_servos > 0 && j < system->n_actuators; j++) {
        count += isfinite(system->settings.actuator_limits[j]) ? 1 : 0;
    }
    return count;
}

// Both functions of an actuator are followed all the time: the force that is demanded passes
// its limit upwards and, on the other side, downwards.
void kal_run_limits_find(const KalRun *run, double *out_values)
{
    const double *demanded = kal_control_get(run->instant->control).demanded;
    assert(run->system->n_servos > 0);
    for (int j = 0; j < run->system->n_actuators; j++) {
        const double limit = run->instant->settings.actuator_limits[j];
        if (isfinite(limit)) {
            *out_values++ = demanded[j] - limit;
            *out_values++ = demanded[j] + limit;
        }
    }
}

KalStatus kal_run_limits_init(KalRun *run)
{
    assert(!run->limits.efforts && !run->limits.watches);
    const size_t count = (size_t)run->system->n_actuators;
    run->limits.efforts =
        (KalEffort *)kal_alloc(run->ctx, count + 1, sizeof *run->limits.efforts);
    run->limits.watches =
        (KalLimitWatch *)kal_alloc(run->ctx, count + 1, sizeof *run->limits.watches);
    if (!run->limits.efforts || !run->limits.watches) {
        return kal_no_memory(run->ctx, "for a run");
    }
    for (size_t j = 0; j < count; j++) {
        run->limits.efforts[j].name = run->system->model->actuators[j].name;
    }
    return KAL_OK;
}

void kal_run_limits_clear(KalRun *run)
{
    const size_t count = (size_t)run->system->n_actuators + 1;
    kal_free(run->ctx, run->limits.efforts, count * sizeof *run->limits.efforts);
    kal_free(run->ctx, run->limits.watches, count * sizeof *run->limits.watches);
}

void kal_run_limits_start(KalRun *run)
{
    assert(run->limits.efforts);
    run->limits.kept = NULL;
    for (int j = 0; j < run->system->n_actuators; j++) {
        run->limits.efforts[j].limit = run->instant->settings.actuator_limits[j];
        run->limits.efforts[j].demanded = 0.0;
        run->limits.efforts[j].delivered = 0.0;
        run->limits.efforts[j].limited = 0.0;
        run->limits.watches[j] = (KalLimitWatch){.at = false, .passed = NAN};
    }
}

// A time at the limit has ended, or the run has.
static KalStatus leave(KalRun *run, int j, bool over)
{
    assert(j >= 0 && j < run->system->n_actuators);
    KalLimitWatch *watch = &run->limits.watches[j];
    KalEffort *input = &run->limits.efforts[j];
    const double now = run->instant->variables[0];
    assert(watch->at && now >= watch->since);
    char limit[KAL_NUMBER_SIZE];
    char since[KAL_NUMBER_SIZE];
    char until[KAL_NUMBER_SIZE];
    char most[KAL_NUMBER_SIZE];
    kal_number_print(input->limit, 9, limit);
    kal_number_print(watch->since, 9, since);
    kal_number_print(now, 9, until);
    kal_number_print(watch->most, 9, most);
    watch->at = false;
    input->limited += now - watch->since;
    return kal_run_tell(
        run, watch->since, (KalSubject){KAL_INCIDENT_LIMIT, input->name},
        "%s at its limit, %s, from t = %s to t = %s%s: up to %s was "
        "demanded, so the servos were not held",
        input->name, limit, since, until, over ? ", the end of the run" : "", most);
}

// From the first state in which contacts keep a servo from being met to the first in which they
// do not, or to the end of the run.
static KalStatus note_kept(KalRun *run, const char *kept, bool over)
{
    KalRunLimits *limits = &run->limits;
    const double now = run->instant->variables[0];
    const char *name = limits->kept;
    if (!name) {
        limits->kept = kept;
        limits->since = now;
        return KAL_OK;
    }
    if (kept && !over) {
        return KAL_OK;
    }
    char since[KAL_NUMBER_SIZE];
    char until[KAL_NUMBER_SIZE];
    kal_number_print(limits->since, 9, since);
    kal_number_print(now, 9, until);
    limits->kept = NULL;
    return kal_run_tell(
        run, limits->since, (KalSubject){KAL_INCIDENT_LIMIT, name},
        "servo %s was not held from t = %s to t = %s%s: closed contacts "
        "keep it from that, and inputs were those that it would need "
        "without contacts",
        name, since, until, over ? ", the end of the run" : "");
}

// Whether more is demanded than a limit, here or right behind: where the demand passes the limit
// rounding has it on either side.  `crossings` are those of the two functions in this state; it
// may be looked at again when they are forgotten.
static bool is_beyond(const KalLimitWatch *watch, double demanded, double limit,
                      const int *crossings, double now)
{
    const double near = 1e-6; // a demand that jumps leaves it by more
    if (crossings[0] == 0 && crossings[1] == 0 && watch->passed == now
        && fabs(fabs(demanded) - limit) <= near * limit) {
        return watch->at;
    }
    const bool above = crossings[0] != 0 ? crossings[0] > 0 : demanded > limit;
    const bool below = crossings[1] != 0 ? crossings[1] < 0 : demanded < -limit;
    return above || below;
}

// An actuator is at its limit from the first state that demands more to the first that does
// not, or to the end of the run.
KalStatus kal_run_limits_note(KalRun *run, bool over)
{
    if (!run->instant->control) {
        return KAL_OK;
    }
    static const int none[2] = {0};
    const double now = run->instant->variables[0];
    const KalControlAnswer answer = kal_control_get(run->instant->control);
    const int *crossings = kal_run_limit_crossings(run);
    for (int j = 0; j < run->system->n_actuators; j++) {
        KalLimitWatch *watch = &run->limits.watches[j];
        KalEffort *input = &run->limits.efforts[j];
        const double demanded = fabs(answer.demanded[j]);
        const bool followed = crossings && isfinite(input->limit);
        const bool beyond = is_beyond(watch, answer.demanded[j], input->limit,
                                      followed ? crossings : none, now);
        const bool passes = followed && (crossings[0] != 0 || crossings[1] != 0);
        watch->passed = passes ? now : watch->passed;
        crossings += followed ? 2 : 0;
        input->demanded = fmax(input->demanded, demanded);
        input->delivered = fmax(input->delivered, fabs(answer.inputs[j]));
        if (beyond && !watch->at) {
            watch->at = true;
            watch->since = now;
            watch->most = 0.0;
        }
        watch->most = fmax(watch->most, demanded);
        KAL_TRY(watch->at && (!beyond || over) ? leave(run, j, over) : KAL_OK);
    }
    return note_kept(run, answer.kept, over);
}

size_t kal_run_efforts(const KalRun *run, const KalEffort **out_efforts)
{
    if (!(run && out_efforts)) {
        return 0;
    }
    *out_efforts = run->limits.efforts;
    return run->instant->control ? (size_t)run->system->n_actuators : 0;
}

// SPDX-License-Identifier: MIT

// What follows from parameters: starts, limits, options.  One program computes all of it, in
// the order of system/settings.h; an evaluation takes its results one after the other.
//
// Invariant: `next` is the first result that was not taken.

#include "system/settings.h"

#include "system/system.h"

#include <assert.h>
#include <math.h>
#include <string.h>

size_t kal_settings_count(const KalSystem *system)
{
    return system->model->n_parameters + 2 * system->model->n_coordinates
           + system->model->n_states + 2 * system->model->n_holds
           + 2 * system->model->n_actuators;
}

size_t kal_settings_results(const KalSystem *system)
{
    return kal_settings_count(system) + system->model->n_servos + KAL_SIMULATE_OPTIONS
           + system->model->n_conditions;
}

void kal_settings_place(KalSettings *settings, const KalSystem *system, double *memory)
{
    if (!memory) { // while a workspace is counted
        return;
    }
    settings->parameters = memory;
    settings->start_q = settings->parameters + system->model->n_parameters;
    settings->start_qd = settings->start_q + system->n;
    settings->start_states = settings->start_qd + system->n;
    settings->start_holds = settings->start_states + system->n_states;
    settings->periods = settings->start_holds + system->n_holds;
    settings->actuator_limits = settings->periods + system->n_holds;
    settings->actuator_weights = settings->actuator_limits + system->n_actuators;
}

void kal_settings_copy(KalSettings *to, const KalSettings *from,
                       const KalSystem *system)
{
    assert(to->parameters && from->parameters);
    memcpy(to->parameters, from->parameters,
           kal_settings_count(system) * sizeof(double));
    to->asked = from->asked;
}

// An evaluation under way.
typedef struct Evaluation {
    KalSettings *settings;
    KalContext *ctx;
    const KalSystem *system;
    KalSettingsWork w;
    const double *next; // result
} Evaluation;

static KalStatus fail_number(const Evaluation *e, const char *what, const char *name,
                             double number)
{
    return kal_fail(e->ctx, KAL_ERR_NUMBER,
                    "%s%s%s is %g, which is no number to "
                    "begin with",
                    what, name ? " " : "", name ? name : "", number);
}

// All results for the parameters as they are.
static void run(const Evaluation *e)
{
    assert(e->w.work && e->w.results);
    const KalProgram *program = e->system->programs[KAL_PROGRAM_SETTINGS];
    kal_program_prepare(program, e->settings->parameters, e->w.work);
    kal_program_eval(program, e->w.variables, e->w.work, e->w.results);
}

// Whether two values are the same for all formulas: 0 and -0 are not.
static bool is_same(double a, double b)
{
    return a == b ? !signbit(a) == !signbit(b) : isnan(a) && isnan(b);
}

// Let parameters follow those that are held.  Each is made of earlier ones, so that pass k
// settles all that are k steps away from one that is held.
static void follow(const Evaluation *e, const bool *held)
{
    const size_t n = e->system->model->n_parameters;
    bool changed = true;
    for (size_t pass = 0; changed && pass <= n; pass++) {
        run(e);
        changed = false;
        for (size_t i = 0; i < n; i++) {
            double *own = &e->settings->parameters[i];
            const double value = e->w.results[i];
            if (!(held && held[i]) && !is_same(*own, value)) {
                *own = value;
                changed = true;
            }
        }
    }
}

static KalStatus check_parameters(Evaluation *e)
{
    const KalModel *model = e->system->model;
    for (size_t i = 0; i < model->n_parameters; i++) {
        if (!isfinite(e->settings->parameters[i])) {
            return fail_number(e, "parameter", model->parameters[i].name,
                               e->settings->parameters[i]);
        }
    }
    e->next += model->n_parameters;
    return KAL_OK;
}

// Positions first: velocities may be given by them.
static KalStatus take_starts(Evaluation *e)
{
    const size_t n = (size_t)e->system->n;
    KalSettings *s = e->settings;
    memcpy(s->start_q, e->next, n * sizeof(double));
    if (e->system->n_results[KAL_PROGRAM_START] > 0) {
        memcpy(e->w.variables + e->system->layout.q, s->start_q, n * sizeof(double));
        run(e);
    }
    memcpy(s->start_qd, e->next + n, n * sizeof(double));
    e->next += 2 * n;
    for (size_t i = 0; i < n; i++) {
        const double bad = isfinite(s->start_q[i]) ? s->start_qd[i] : s->start_q[i];
        if (!isfinite(bad)) {
            return fail_number(e, "the start value of",
                               e->system->model->coordinates[i].name, bad);
        }
    }
    return KAL_OK;
}

// The next result, which has to be positive if there is a formula for it; else `otherwise`.
static KalStatus take_positive(Evaluation *e, KalExpr formula, double otherwise,
                               const char *what, const char *name, double *out_number)
{
    assert(out_number && what);
    const bool given = formula.index != KAL_NO_EXPR.index;
    *out_number = given ? *e->next : otherwise;
    e->next++;
    return !given || (*out_number > 0.0 && isfinite(*out_number))
               ? KAL_OK
               : fail_number(e, what, name, *out_number);
}

// Where states and holds begin, and how often holds are renewed.
static KalStatus take_dynamics(Evaluation *e)
{
    const KalModel *model = e->system->model;
    KalSettings *s = e->settings;
    for (size_t i = 0; i < model->n_states; i++) {
        s->start_states[i] = *e->next++;
        if (!isfinite(s->start_states[i])) {
            return fail_number(e, "the start value of", model->states[i].name,
                               s->start_states[i]);
        }
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        s->start_holds[i] = *e->next++;
        if (!isfinite(s->start_holds[i])) {
            return fail_number(e, "the start value of", model->holds[i].name,
                               s->start_holds[i]);
        }
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        KAL_TRY(take_positive(e, model->holds[i].period, 1.0,
                              "the time between renewals of", model->holds[i].name,
                              &s->periods[i]));
    }
    return KAL_OK;
}

static KalStatus take_actuators(Evaluation *e)
{
    const KalModel *model = e->system->model;
    for (size_t i = 0; i < model->n_actuators; i++) {
        const KalActuator *u = &model->actuators[i];
        KAL_TRY(take_positive(e, u->limit, INFINITY, "the limit of actuator", u->name,
                              &e->settings->actuator_limits[i]));
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        const KalActuator *u = &model->actuators[i];
        KAL_TRY(take_positive(e, u->weight, 1.0, "the weight of actuator", u->name,
                              &e->settings->actuator_weights[i]));
    }
    for (size_t i = 0; i < model->n_servos; i++) {
        double rate = 0.0;
        KAL_TRY(take_positive(e, model->servos[i].rate, 1.0, "the rate of servo",
                              model->servos[i].name, &rate));
    }
    return KAL_OK;
}

static KalStatus take_time(Evaluation *e, KalExpr formula, double otherwise,
                           double *out_number)
{
    assert(out_number);
    *out_number = formula.index != KAL_NO_EXPR.index ? *e->next : otherwise;
    e->next++;
    return isfinite(*out_number)
               ? KAL_OK
               : fail_number(e, "a time of 'simulate'", NULL, *out_number);
}

// What `simulate` says, and the defaults of kal_run_options().
static KalStatus take_options(Evaluation *e)
{
    assert(e->system && e->settings);
    const KalSimulate none = {.method = KAL_METHOD_AUTO};
    const KalSimulate *asked =
        e->system->model->simulate.present ? &e->system->model->simulate : &none;
    KalAsked *to = &e->settings->asked;
    to->method = asked->method;
    to->drift = asked->drift;
    KAL_TRY(take_time(e, asked->from, 0.0, &to->from));
    KAL_TRY(take_time(e, asked->to, 10.0, &to->until));
    KAL_TRY(take_positive(e, asked->every, 0.01, "'every'", NULL, &to->every));
    KAL_TRY(take_positive(e, asked->rtol, 1e-9, "'rtol'", NULL, &to->rtol));
    KAL_TRY(take_positive(e, asked->atol, 1e-12, "'atol'", NULL, &to->atol));
    return take_positive(e, asked->stabilize, 0.0, "the rate of 'stabilize'", NULL,
                         &to->stabilize);
}

// Formulas that were simplified hold where those that were written have a value.
static KalStatus check_conditions(Evaluation *e)
{
    const KalModel *model = e->system->model;
    for (size_t i = 0; i < model->n_conditions; i++) {
        const double number = *e->next++;
        if (!kal_need_is_met(model->conditions[i].kind, number)) {
            return kal_fail(e->ctx, KAL_ERR_NUMBER,
                            "a formula of parameters comes to %g, where the model has "
                            "no value: load it with these parameters to see the place",
                            number);
        }
    }
    return KAL_OK;
}

KalStatus kal_settings_evaluate(KalSettings *settings, KalContext *ctx,
                                const KalSystem *system, const bool *held,
                                KalSettingsWork w)
{
    Evaluation e = {
        .settings = settings, .ctx = ctx, .system = system, .w = w, .next = w.results};
    follow(&e, held);
    KAL_TRY(check_parameters(&e));
    KAL_TRY(take_starts(&e));
    KAL_TRY(take_dynamics(&e));
    KAL_TRY(take_actuators(&e));
    KAL_TRY(take_options(&e));
    assert(e.next + system->model->n_conditions
           == w.results + kal_settings_results(system));
    return check_conditions(&e);
}

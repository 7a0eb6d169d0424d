// SPDX-License-Identifier: MIT

#include "sim/balance.h"

#include "sim/instant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The names of kinds, and the formula that a kind has.
static const struct {
    const char *name;
    KalPowerTerm term; // KAL_POWER_TERMS: it takes a solved instant
} kinds[] = {
    [KAL_WORK_FORCES] = {"forces",      KAL_POWER_FORCES     },
    [KAL_WORK_DISSIPATION] = {"dissipation", KAL_POWER_DISSIPATION},
    [KAL_WORK_TIME] = {"time",        KAL_POWER_TIME       },
    [KAL_WORK_MASSES] = {"masses",      KAL_POWER_MASSES     },
    [KAL_WORK_CONSTRAINTS] = {"constraints", KAL_POWER_TERMS      },
    [KAL_WORK_NONIDEAL] = {"nonideal",    KAL_POWER_TERMS      },
    [KAL_WORK_DRIVE] = {"drives",      KAL_POWER_TERMS      },
    [KAL_WORK_CONTROL] = {"controls",    KAL_POWER_TERMS      },
    [KAL_WORK_SERVOS] = {"servos",      KAL_POWER_TERMS      },
};

// A list of works in the making.
typedef struct Listing {
    KalSystem *system;
    size_t count;
    KalStatus status;
} Listing;

static KalWork *list(Listing *l, KalWorkKind kind, const char *name)
{
    KalWork *work = &l->system->works[l->count++];
    *work = (KalWork){.kind = kind, .name = name};
    return work;
}

static bool is_zero(const KalSystem *system, KalPowerTerm term)
{
    return kal_is_zero(system->model->graph, system->powers.term[term]);
}

// Whether something of a kind that is one for the whole system may do work.
static bool may_work(const KalSystem *system, KalWorkKind kind)
{
    const KalModel *model = system->model;
    bool natural = false;
    switch (kind) {
    case KAL_WORK_TIME:
        return !is_zero(system, KAL_POWER_TIME) || !is_zero(system, KAL_POWER_EXCESS);
    case KAL_WORK_CONSTRAINTS:
        for (size_t i = 0; i < model->n_constraints; i++) {
            natural = natural || model->constraints[i].driven == KAL_NOT_DRIVEN;
        }
        return natural;
    case KAL_WORK_NONIDEAL: return system->equations->has_C;
    case KAL_WORK_SERVOS: return system->n_servos > 0 && system->n_actuators == 0;
    case KAL_WORK_FORCES:
    case KAL_WORK_DISSIPATION:
    case KAL_WORK_MASSES: return !is_zero(system, kinds[kind].term);
    case KAL_WORK_DRIVE: // one for each, not one for the whole system
    case KAL_WORK_CONTROL: break;
    }
    return false;
}

static void list_drives(Listing *l)
{
    const KalModel *model = l->system->model;
    for (size_t i = 0; i < model->n_constraints; i++) {
        const KalConstraint *c = &model->constraints[i];
        if (c->driven != KAL_NOT_DRIVEN) {
            list(l, KAL_WORK_DRIVE, c->name)->of = model->coordinates[c->driven].name;
        }
    }
}

static void list_controls(Listing *l)
{
    const KalModel *model = l->system->model;
    for (size_t i = 0; i < model->n_actuators; i++) {
        const char *of = model->actuators[i].name;
        const size_t size = strlen(of) + sizeof "control()";
        char *name = (char *)kal_arena_alloc(l->system->arena, size, 1);
        if (!name) {
            l->status = kal_fail(l->system->ctx, KAL_ERR_NOMEM, "no memory for names");
            return;
        }
        (void)snprintf(name, size, "control(%s)", of);
        list(l, KAL_WORK_CONTROL, name)->of = of;
    }
}

static KalStatus list_works(KalSystem *system)
{
    const size_t most =
        KAL_WORK_DRIVE + system->model->n_constraints + system->model->n_actuators;
    Listing l = {.system = system, .status = KAL_OK};
    system->works = kal_arena_alloc(system->arena, most, sizeof *system->works);
    if (!system->works) {
        return kal_fail(system->ctx, KAL_ERR_NOMEM, "no memory for the balance");
    }
    for (int kind = 0; kind < KAL_WORK_DRIVE; kind++) {
        if (may_work(system, (KalWorkKind)kind)) {
            list(&l, (KalWorkKind)kind, kinds[kind].name);
        }
    }
    list_drives(&l);
    list_controls(&l);
    system->n_works = l.count;
    return l.status;
}

const char *kal_work_kind_word(KalWorkKind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].name
                                                           : "unknown";
}

KalStatus kal_balance_derive(KalSystem *system)
{
    KAL_TRY(kal_conserve(system->equations, &system->conserved));
    KAL_TRY(kal_powers_derive(system->equations, &system->powers));
    KAL_TRY(list_works(system));
    system->has_balance = true;
    return KAL_OK;
}

// Nothing does work where the energy is constant; but forces and non-ideal forces are
// only known to do none together.
static bool is_idle(const KalSystem *system)
{
    return !system->has_balance
           || (system->conserved->energy && !system->equations->has_C);
}

KalStatus kal_balance_init(KalBalance *balance, KalContext *ctx,
                           const KalSystem *system)
{
    const size_t works = system->n_works;
    *balance =
        (KalBalance){.ctx = ctx,
                     .system = system,
                     .proven = true,
                     .n = is_idle(system) ? 0 : (int)works,
                     .n_constants = system->conserved ? system->conserved->n : 0};
    balance->powers = (double *)kal_alloc(ctx, 2 * works + 1, sizeof(double));
    balance->works = (KalWork *)kal_alloc(ctx, works + 1, sizeof *balance->works);
    balance->constants = (KalConstant *)kal_alloc(ctx, balance->n_constants + 1,
                                                  sizeof *balance->constants);
    if (!balance->powers || !balance->works || !balance->constants) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for the balance");
    }
    balance->sums = balance->powers + works;
    if (works > 0) {
        memcpy(balance->works, system->works, works * sizeof *balance->works);
    }
    for (size_t i = 0; system->conserved && i < balance->n_constants; i++) {
        balance->constants[i].name = system->conserved->list[i].name;
    }
    return balance->n > 0 ? kal_trail_init(&balance->trail, ctx, balance->n) : KAL_OK;
}

void kal_balance_set_proven(KalBalance *balance, bool proven)
{
    const KalSystem *system = balance->system;
    balance->proven = proven;
    balance->unknown = !proven && system->has_balance && is_idle(system);
}

void kal_balance_clear(KalBalance *balance)
{
    if (!balance->ctx) {
        return;
    }
    const size_t works = balance->system->n_works;
    kal_trail_clear(&balance->trail);
    kal_free(balance->ctx, balance->constants,
             (balance->n_constants + 1) * sizeof *balance->constants);
    kal_free(balance->ctx, balance->works, (works + 1) * sizeof *balance->works);
    kal_free(balance->ctx, balance->powers, (2 * works + 1) * sizeof(double));
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// The powers of drives and actuators, in the order of constraints and actuators; answers
// the sum of the drives'.
static double find_singles(KalInstant *instant, double *out_powers)
{
    const KalSystem *system = instant->system;
    const double *reactions = instant->variables + system->layout.reactions;
    const double *v = kal_instant_qd(instant);
    double sum = 0.0;
    for (int i = 0; i < system->m; i++) {
        const int64_t driven = system->model->constraints[i].driven;
        if (driven != KAL_NOT_DRIVEN) {
            *out_powers = reactions[i] * v[driven];
            sum += *out_powers++;
        }
    }
    for (int i = 0; i < system->n_actuators; i++) {
        *out_powers++ =
            instant->control ? kal_control_power(instant->control, i, v) : 0.0;
    }
    return sum;
}

// A power of the whole system; those that take forces are theory (16.4).
static double find_power(KalInstant *instant, KalWorkKind kind, double drives)
{
    const KalMotionAnswer *answer = &instant->answer;
    const int n = instant->system->n;
    const double *v = kal_instant_qd(instant);
    switch (kind) {
    case KAL_WORK_CONSTRAINTS: return dot(answer->force_ideal, v, n) - drives;
    case KAL_WORK_NONIDEAL: return dot(answer->force_nonideal, v, n);
    case KAL_WORK_SERVOS: return dot(kal_control_get(instant->control).force, v, n);
    case KAL_WORK_FORCES:
    case KAL_WORK_DISSIPATION:
    case KAL_WORK_TIME:
    case KAL_WORK_MASSES: return instant->results[kinds[kind].term];
    case KAL_WORK_DRIVE: // not one for the whole system
    case KAL_WORK_CONTROL: break;
    }
    return 0.0;
}

void kal_balance_find_powers(KalBalance *balance, KalInstant *instant,
                             double *out_powers)
{
    const KalSystem *system = balance->system;
    const KalProgramId id = KAL_PROGRAM_POWER;
    size_t shared = 0;
    while (shared < system->n_works && system->works[shared].kind < KAL_WORK_DRIVE) {
        shared++;
    }
    kal_program_eval_on(system->programs[id], instant->variables, instant->modes,
                        instant->work[id], instant->results);
    const double drives = find_singles(instant, out_powers + shared);
    for (size_t i = 0; i < shared; i++) {
        out_powers[i] = find_power(instant, system->works[i].kind, drives);
    }
    for (size_t i = 0; i < system->n_works; i++) {
        if (!isfinite(out_powers[i])) {
            balance->lost = true;
            out_powers[i] = 0.0; // the motion goes on all the same
        }
    }
}

static void note_constants(KalBalance *balance, KalInstant *instant, bool first)
{
    const KalSystem *system = balance->system;
    const KalProgramId id = KAL_PROGRAM_CONSTANTS;
    const double *value = instant->results;
    if (system->n_results[id] > 0) {
        kal_program_eval(system->programs[id], instant->variables, instant->work[id],
                         instant->results);
    }
    for (size_t i = system->conserved->energy ? 1 : 0; i < balance->n_constants; i++) {
        KalConstant *c = &balance->constants[i];
        c->initial = first ? *value : c->initial;
        c->drift = first ? 0.0 : fmax(c->drift, fabs(*value - c->initial));
        value++;
    }
}

// G of the present state; what events did to it is no work.
static void note_excess(KalBalance *balance, KalInstant *instant, KalMoment moment)
{
    const KalSystem *system = balance->system;
    const KalProgramId id = KAL_PROGRAM_POWER;
    if (is_zero(system, KAL_POWER_EXCESS)) {
        return;
    }
    kal_program_eval_on(system->programs[id], instant->variables, instant->modes,
                        instant->work[id], instant->results);
    const double excess = instant->results[KAL_POWER_EXCESS];
    if (moment == KAL_MOMENT_FIRST) {
        balance->start = excess;
    } else if (moment == KAL_MOMENT_EVENT) {
        balance->start += excess - balance->excess;
    }
    balance->excess = excess;
}

// What is left of the change of the energy, theory (16.5).
static double find_residual(const KalBalance *balance, const KalRunStatistics *s)
{
    double residual = s->energy_final - s->energy_initial - s->energy_events
                      - (balance->excess - balance->start);
    for (int i = 0; i < balance->n; i++) {
        residual -= balance->sums[i];
    }
    return balance->lost ? NAN : fabs(residual);
}

// The size of the terms that the balance is made of, `energy` being that of T and V.
static double size_of(const KalBalance *balance, double energy)
{
    double size = energy + fabs(balance->excess);
    for (int i = 0; i < balance->n; i++) {
        size += fabs(balance->sums[i]);
    }
    return size;
}

// T + V, and |T| + |V|.
static KalStatus find_energy(KalInstant *instant, double *out_energy, double *out_size)
{
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
    *out_energy = instant->results[0] + instant->results[1];
    *out_size = fabs(instant->results[0]) + fabs(instant->results[1]);
    instant->variables[instant->system->layout.energy] = *out_energy;
    return KAL_OK;
}

KalStatus kal_balance_note(KalBalance *balance, KalInstant *instant, KalMoment moment,
                           KalRunStatistics *statistics)
{
    KalRunStatistics *s = statistics;
    const double before = s->energy_final;
    double size = 0.0;
    KAL_TRY(find_energy(instant, &s->energy_final, &size));
    if (moment == KAL_MOMENT_FIRST) {
        s->energy_initial = s->energy_final;
    } else if (moment == KAL_MOMENT_EVENT) {
        s->energy_events += s->energy_final - before;
    }
    s->energy_drift = fmax(s->energy_drift, fabs(s->energy_final - s->energy_initial));
    if (balance->system->has_balance && balance->system->conserved->energy) {
        balance->constants[0].initial = s->energy_initial;
        balance->constants[0].drift = s->energy_drift;
    }
    if (balance->system->has_balance) {
        note_constants(balance, instant, moment == KAL_MOMENT_FIRST);
        note_excess(balance, instant, moment);
        const double residual = find_residual(balance, s);
        s->energy_size = fmax(s->energy_size, size_of(balance, size));
        s->energy_balance = residual < s->energy_balance ? s->energy_balance : residual;
    }
    return KAL_OK;
}

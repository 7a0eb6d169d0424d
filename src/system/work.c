// SPDX-License-Identifier: MIT

// What does work on a system: a list, and the powers in a solved instant.  Theory (16.4).

#include "system/work.h"

#include <assert.h>
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
    [KAL_WORK_FRICTION] = {"friction",    KAL_POWER_TERMS      },
    [KAL_WORK_DRIVE] = {"drives",      KAL_POWER_TERMS      },
    [KAL_WORK_CONTROL] = {"controls",    KAL_POWER_TERMS      },
    [KAL_WORK_SERVOS] = {"servos",      KAL_POWER_TERMS      },
};

// A list in the making.
typedef struct Listing {
    KalSystem *system;
    size_t count;
    KalStatus status;
} Listing;

static KalWorker *list(Listing *l, KalWorkKind kind, const char *name)
{
    assert((size_t)l->count < KAL_WORK_DRIVE + l->system->model->n_constraints
                                  + l->system->model->n_actuators
                                  + l->system->model->n_laws);
    KalWorker *work = &l->system->balance.workers[l->count++];
    *work = (KalWorker){.kind = kind, .name = name};
    return work;
}

static bool is_zero(const KalSystem *system, KalPowerTerm term)
{
    return kal_is_zero(system->model->graph, system->balance.powers.term[term]);
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
    case KAL_WORK_FRICTION:
        for (size_t i = 0; i < model->n_contacts; i++) {
            natural = natural || model->contacts[i].n_slips > 0;
        }
        return natural;
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

static void list_control(Listing *l, const char *of)
{
    assert(of);
    const size_t size = strlen(of) + sizeof "control()";
    char *name = (char *)kal_arena_alloc(l->system->arena, size, 1);
    if (!name) {
        l->status = kal_no_memory(l->system->ctx, "for names");
        return;
    }
    (void)snprintf(name, size, "control(%s)", of);
    list(l, KAL_WORK_CONTROL, name)->of = of;
}

// Actuators of servos first, then those with laws.
static void list_controls(Listing *l)
{
    const KalModel *model = l->system->model;
    for (size_t i = 0; i < model->n_actuators && l->status == KAL_OK; i++) {
        list_control(l, model->actuators[i].name);
    }
    for (size_t i = 0; i < model->n_laws && l->status == KAL_OK; i++) {
        list_control(l, model->laws[i].name);
    }
}

static KalStatus list_workers(KalSystem *system)
{
    assert(!system->balance.workers);
    const size_t most = KAL_WORK_DRIVE + system->model->n_constraints
                        + system->model->n_actuators + system->model->n_laws;
    Listing l = {.system = system, .status = KAL_OK};
    system->balance.workers =
        kal_arena_alloc(system->arena, most, sizeof *system->balance.workers);
    if (!system->balance.workers) {
        return kal_no_memory(system->ctx, "for the balance");
    }
    for (int kind = 0; kind < KAL_WORK_DRIVE; kind++) {
        if (may_work(system, (KalWorkKind)kind)) {
            list(&l, (KalWorkKind)kind, kinds[kind].name);
        }
    }
    list_drives(&l);
    list_controls(&l);
    system->balance.n_workers = l.count;
    return l.status;
}

const char *kal_work_kind_word(KalWorkKind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].name
                                                           : "unknown";
}

// The powers of the forces of each law.
static KalStatus derive_laws(KalSystem *system)
{
    const KalModel *model = system->model;
    KalGraph *g = model->graph;
    if (model->n_laws == 0) {
        return KAL_OK;
    }
    system->balance.laws =
        kal_arena_alloc(system->arena, model->n_laws, sizeof *system->balance.laws);
    if (!system->balance.laws) {
        return kal_no_memory(system->ctx, "for the balance");
    }
    for (size_t i = 0; i < model->n_laws; i++) {
        system->balance.laws[i] = kal_int(g, 0);
    }
    for (size_t i = 0; i < model->n_contributions; i++) {
        const KalContribution *c = &model->contributions[i];
        if (c->law > 0) {
            KalExpr *sum = &system->balance.laws[c->law - 1];
            *sum = kal_add(g, *sum, kal_mul(g, c->value, model->coordinates[c->row].v));
        }
    }
    return kal_graph_status(g);
}

KalStatus kal_work_derive(KalSystem *system)
{
    KAL_TRY(kal_conserve(system->equations, &system->balance.conserved));
    KAL_TRY(kal_powers_derive(system->equations, &system->balance.powers));
    KAL_TRY(derive_laws(system));
    KAL_TRY(list_workers(system));
    system->balance.derived = true;
    return KAL_OK;
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

// The powers of drives and actuators, in the order of constraints, actuators and laws, whose
// formulas are evaluated; returns the sum of the drives'.
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
    for (size_t i = 0; i < system->model->n_laws; i++) {
        *out_powers++ = instant->results[KAL_POWER_TERMS + i];
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
    case KAL_WORK_NONIDEAL:
        return dot(answer->force_nonideal, v, n) - kal_contacts_power(instant);
    case KAL_WORK_FRICTION: return kal_contacts_power(instant);
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

// In the order of the list: powers of the whole system, then of each drive and actuator.
bool kal_work_find_powers(KalInstant *instant, double *out_powers)
{
    assert(instant->system->balance.derived);
    const KalSystem *system = instant->system;
    const KalProgramId id = KAL_PROGRAM_POWER;
    size_t shared = 0;
    bool finite = true;
    while (shared < system->balance.n_workers
           && system->balance.workers[shared].kind < KAL_WORK_DRIVE) {
        shared++;
    }
    kal_program_eval_on(system->programs[id], instant->variables, instant->modes,
                        instant->work[id], instant->results);
    const double drives = find_singles(instant, out_powers + shared);
    for (size_t i = 0; i < shared; i++) {
        out_powers[i] = find_power(instant, system->balance.workers[i].kind, drives);
    }
    for (size_t i = 0; i < system->balance.n_workers; i++) {
        if (!isfinite(out_powers[i])) {
            finite = false;
            out_powers[i] = 0.0; // the motion goes on all the same
        }
    }
    return finite;
}

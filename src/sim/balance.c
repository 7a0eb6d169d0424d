// SPDX-License-Identifier: MIT

// The balance of energy along a run: theory section 16.
//
// E = T + V changes by the work of what is not in V, by G (16.2) where T or V depend on
// time or T is not quadratic in the velocities, and at events.  What is left when all that
// is taken away, (16.5), is the error of the integration; a run warns when it is more than
// the tolerances explain.
//
// Invariant: `sums` are the integrals of the powers up to the state that was noted last.

#include "sim/balance.h"

#include "system/work.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Nothing does work where the energy is constant; but forces and non-ideal forces are
// only known to do none together.
static bool is_idle(const KalSystem *system)
{
    return !system->balance.derived
           || (system->balance.conserved->energy && !system->equations->has_C);
}

// Works are integrated all or not at all: where the energy is constant, what is known is that
// they do none together.
KalStatus kal_balance_init(KalBalance *balance, KalContext *ctx,
                           const KalSystem *system)
{
    assert(balance && ctx && system);
    const size_t works = system->balance.n_workers;
    *balance = (KalBalance){
        .ctx = ctx,
        .system = system,
        .proven = true,
        .n = is_idle(system) ? 0 : (int)works,
        .n_constants = system->balance.conserved ? system->balance.conserved->n : 0};
    balance->powers = (double *)kal_alloc(ctx, 2 * works + 1, sizeof(double));
    balance->works = (KalWork *)kal_alloc(ctx, works + 1, sizeof *balance->works);
    balance->constants = (KalConstant *)kal_alloc(ctx, balance->n_constants + 1,
                                                  sizeof *balance->constants);
    if (!balance->powers || !balance->works || !balance->constants) {
        return kal_no_memory(ctx, "for the balance");
    }
    balance->sums = balance->powers + works;
    for (size_t i = 0; i < works; i++) {
        const KalWorker *w = &system->balance.workers[i];
        balance->works[i] = (KalWork){.kind = w->kind, .name = w->name, .of = w->of};
    }
    for (size_t i = 0; system->balance.conserved && i < balance->n_constants; i++) {
        balance->constants[i].name = system->balance.conserved->list[i].name;
    }
    return balance->n > 0 ? kal_trail_init(&balance->trail, ctx, balance->n) : KAL_OK;
}

void kal_balance_set_proven(KalBalance *balance, bool proven)
{
    const KalSystem *system = balance->system;
    balance->proven = proven;
    balance->unknown = !proven && system->balance.derived && is_idle(system);
}

void kal_balance_clear(KalBalance *balance)
{
    if (!balance->ctx) {
        return;
    }
    const size_t works = balance->system->balance.n_workers;
    kal_trail_clear(&balance->trail);
    kal_free(balance->ctx, balance->constants,
             (balance->n_constants + 1) * sizeof *balance->constants);
    kal_free(balance->ctx, balance->works, (works + 1) * sizeof *balance->works);
    kal_free(balance->ctx, balance->powers, (2 * works + 1) * sizeof(double));
}

void kal_balance_find_powers(KalBalance *balance, KalInstant *instant,
                             double *out_powers)
{
    assert(instant && out_powers);
    if (!kal_work_find_powers(instant, out_powers)) {
        balance->lost = true;
    }
}

// How far each constant of the motion has moved from its first value; the energy, which is
// the first of them if it is one, is noted with the statistics.
static void note_constants(KalBalance *balance, KalInstant *instant, bool first)
{
    const KalSystem *system = balance->system;
    const KalProgramId id = KAL_PROGRAM_CONSTANTS;
    const double *value = instant->results;
    assert(system->n_results[id] + (system->balance.conserved->energy ? 1 : 0)
           == balance->n_constants);
    if (system->n_results[id] > 0) {
        kal_program_eval(system->programs[id], instant->variables, instant->work[id],
                         instant->results);
    }
    for (size_t i = system->balance.conserved->energy ? 1 : 0; i < balance->n_constants;
         i++) {
        KalConstant *c = &balance->constants[i];
        c->initial = first ? *value : c->initial;
        c->drift = first ? 0.0 : fmax(c->drift, fabs(*value - c->initial));
        value++;
    }
}

static bool has_excess(const KalSystem *system)
{
    return !kal_is_zero(system->model->graph,
                        system->balance.powers.term[KAL_POWER_EXCESS]);
}

// G of the present state; what events did to it is no work.
static void note_excess(KalBalance *balance, KalInstant *instant, KalMoment moment)
{
    const KalSystem *system = balance->system;
    const KalProgramId id = KAL_PROGRAM_POWER;
    if (!has_excess(system)) {
        return;
    }
    kal_program_eval_on(system->programs[id], instant->variables, instant->modes,
                        instant->work[id], instant->results);
    assert(system->n_results[id] == KAL_POWER_TERMS + system->model->n_laws);
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
    assert(balance->n == 0 || (size_t)balance->n == balance->system->balance.n_workers);
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
    assert(balance->n >= 0);
    double size = energy + fabs(balance->excess);
    for (int i = 0; i < balance->n; i++) {
        size += fabs(balance->sums[i]);
    }
    return size;
}

// The largest change of the energy since the start.
static void note_drift(KalBalance *balance, KalRunStatistics *s)
{
    const double drift = fabs(s->energy_final - s->energy_initial);
    s->energy_drift = drift > s->energy_drift ? drift : s->energy_drift;
    if (balance->system->balance.derived
        && balance->system->balance.conserved->energy) {
        balance->constants[0].initial = s->energy_initial;
        balance->constants[0].drift = s->energy_drift;
    }
}

// The balance as it stands, T and V being `energy`.
static void note_balance(KalBalance *balance, const double *energy, KalRunStatistics *s)
{
    const double residual = find_residual(balance, s);
    balance->size = size_of(balance, fabs(energy[0]) + fabs(energy[1]));
    s->energy_size = balance->size > s->energy_size ? balance->size : s->energy_size;
    s->energy_balance = residual < s->energy_balance ? s->energy_balance : residual;
}

bool kal_balance_needs_energy_alone(const KalBalance *balance)
{
    const KalSystem *system = balance->system;
    return !system->balance.derived
           || (system->n_results[KAL_PROGRAM_CONSTANTS] == 0 && !has_excess(system));
}

void kal_balance_note_energy(KalBalance *balance, const double *energy,
                             KalRunStatistics *statistics)
{
    assert(kal_balance_needs_energy_alone(balance));
    statistics->energy_final = energy[0] + energy[1];
    note_drift(balance, statistics);
    if (balance->system->balance.derived) {
        note_balance(balance, energy, statistics);
    }
}

// What events do to the energy is kept apart from what motion does: it is no error.
KalStatus kal_balance_note(KalBalance *balance, KalInstant *instant, KalMoment moment,
                           KalRunStatistics *statistics)
{
    assert(instant && statistics);
    KalRunStatistics *s = statistics;
    const double before = s->energy_final;
    double energy[2];
    KAL_TRY(kal_instant_energy(instant, &energy[0], &energy[1]));
    s->energy_final = energy[0] + energy[1];
    if (moment == KAL_MOMENT_FIRST) {
        s->energy_initial = s->energy_final;
    } else if (moment == KAL_MOMENT_EVENT) {
        s->energy_events += s->energy_final - before;
    }
    note_drift(balance, s);
    if (balance->system->balance.derived) {
        note_constants(balance, instant, moment == KAL_MOMENT_FIRST);
        note_excess(balance, instant, moment);
        note_balance(balance, energy, s);
    }
    return KAL_OK;
}

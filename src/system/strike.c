// SPDX-License-Identifier: MIT

// Impacts: velocities that jump, theory (21.6) to (21.11).
//
// The laws are those of accelerations one level down, over all contacts that are closed or
// closing.  What is left of a rebound or a slip that is too slow to matter is stopped after the
// impact, by the nearest velocities that let no gap be entered.

#include "system/contact_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Energy that an impact may gain by rounding, relative to what its impulses do, and to what
// there is: impulses that are rounding themselves do work of either sign.
static const double GAIN = 1e-6;
static const double DUST = 1e-14;

// Rates that an impact begins with: gap' with its restitution, and the slips.
static KalStatus find_rates_before(KalInstant *instant, const bool *plastic)
{
    KalContacts *c = &instant->contacts;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (int k = 0; k < c->decision.n_used; k++) {
        c->decision.free[k] = instant->results[c->rows[c->decision.used[k]]];
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *values = (const KalContactValues *)instant->results;
    for (int k = 0; k < c->decision.n_laws; k++) {
        const int i = c->decision.members[k];
        assert(c->decision.laws[k].gap != KAL_NO_ROW);
        if (!plastic[i] && values[i].rate < 0.0) {
            c->decision.free[c->decision.laws[k].gap] +=
                values[i].restitution * values[i].rate;
        }
    }
    return KAL_OK;
}

// A row of its own for row `used` of the impact that is over: bound, or not to be entered.
static void add_single(KalInstant *instant, int used, bool bound, int *count)
{
    KalContacts *c = &instant->contacts;
    const double rate = instant->results[c->rows[c->decision.used[used]]];
    const int k = (*count)++;
    c->decision.chosen[k] = used;
    c->decision.singles[k] =
        bound
            ? (KalTouchLaw){.gap = KAL_NO_ROW, .n_slips = 1, .slip = {k}, .bound = true}
            : (KalTouchLaw){.gap = k};
    c->decision.free[k] = bound ? rate : fmax(rate, 0.0);
}

// What rounding leaves of the rates of rows that are stopped: that of their terms.  Rows that
// depend on each other are off by this, which is much where all that is left is slow.
static double find_dust(KalInstant *instant, int count, const double *G)
{
    const KalContacts *c = &instant->contacts;
    const double *v = kal_instant_qd(instant);
    const size_t n = (size_t)instant->system->n;
    double dust = 0.0;
    for (int k = 0; k < count; k++) {
        const double *row = c->A + (size_t)c->decision.used[c->decision.chosen[k]] * n;
        const double square = G[k * count + k];
        double size = 0.0;
        for (size_t j = 0; j < n; j++) {
            size += fabs(row[j] * v[j]);
        }
        dust = square > 0.0 ? fmax(dust, DBL_EPSILON * size / sqrt(square)) : dust;
    }
    return dust;
}

// Velocities in which what is `stopped` stays, gaps and slips, and no other gap that touches is
// entered: each row has a law of its own.
static KalStatus solve_stop(KalInstant *instant, const KalStrike *who, int *out_count,
                            KalTouchAnswer *out_answer, KalTouchEnd *out_end)
{
    KalContacts *c = &instant->contacts;
    double *G = c->decision.factor; // those of the impact are still needed
    int count = 0;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (int k = 0; k < c->decision.n_laws; k++) {
        const KalTouchLaw *law = &c->decision.laws[k];
        const int i = c->decision.members[k];
        add_single(instant, law->gap, c->decision.stopped[k] && who->kept[i], &count);
        for (int s = 0; c->decision.stopped[k] && who->held[i] && s < law->n_slips;
             s++) {
            add_single(instant, law->slip[s], true, &count);
        }
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            G[i * count + k] = c->effect.G[c->decision.chosen[i] * c->decision.n_used
                                           + c->decision.chosen[k]];
        }
    }
    const KalTouchProblem problem = {.n = count,
                                     .laws = c->decision.singles,
                                     .rows = count,
                                     .G = G,
                                     .free = c->decision.free,
                                     .dust = find_dust(instant, count, G)};
    *out_count = count;
    *out_end = kal_groups_solve(c->groups, &problem, out_answer);
    return KAL_OK;
}

// Velocities changed by impulses along rows that responses are known of; `chosen`: the rows,
// or NULL for all.
static void push(KalInstant *instant, int count, const int *chosen,
                 const double *impulses)
{
    const size_t n = (size_t)instant->system->n;
    double *v = kal_instant_qd(instant);
    for (int k = 0; k < count; k++) {
        const size_t row = (size_t)(chosen ? chosen[k] : k);
        for (size_t j = 0; j < n; j++) {
            v[j] += impulses[k] * instant->contacts.effect.response[row * n + j];
        }
    }
}

// Which laws ask for a stop; false if none does.
static bool note_stops(KalInstant *instant, const KalStrike *who)
{
    KalContacts *c = &instant->contacts;
    bool any = false;
    for (int k = 0; k < c->decision.n_laws; k++) {
        const int i = c->decision.members[k];
        c->decision.stopped[k] = who->kept[i] || who->held[i];
        any = any || c->decision.stopped[k];
        who->loose[i] = false;
    }
    return any;
}

// Stop law k too, if those that are stopped leave that.
static KalStatus stop_one_more(KalInstant *instant, const KalStrike *who, int k)
{
    KalContacts *c = &instant->contacts;
    KalTouchAnswer answer;
    KalTouchEnd end = KAL_TOUCH_NONE;
    int count = 0;
    c->decision.stopped[k] = true;
    KAL_TRY(solve_stop(instant, who, &count, &answer, &end));
    c->decision.stopped[k] = end == KAL_TOUCH_FOUND;
    who->loose[c->decision.members[k]] = !c->decision.stopped[k];
    return KAL_OK;
}

// No velocities let all of them stay, for surfaces move: one after the other is stopped if those
// before it leave that, and followed by the laws if not.
static KalStatus stop_one_by_one(KalInstant *instant, const KalStrike *who)
{
    KalContacts *c = &instant->contacts;
    memset(c->decision.stopped, 0,
           (size_t)c->decision.n_laws * sizeof *c->decision.stopped);
    for (int k = 0; k < c->decision.n_laws; k++) {
        const int i = c->decision.members[k];
        KAL_TRY(who->kept[i] || who->held[i] ? stop_one_more(instant, who, k) : KAL_OK);
    }
    return KAL_OK;
}

// Let what is kept come to rest: the nearest velocities, in the metric of the kinetic energy,
// with which its rows stay and no other gap is entered, theory (21.11).
static KalStatus stop_kept(KalInstant *instant, const KalStrike *who)
{
    KalContacts *c = &instant->contacts;
    KalTouchAnswer answer;
    KalTouchEnd end = KAL_TOUCH_FOUND;
    int count = 0;
    if (!note_stops(instant, who)) {
        return KAL_OK;
    }
    KAL_TRY(solve_stop(instant, who, &count, &answer, &end));
    if (end != KAL_TOUCH_FOUND) {
        KAL_TRY(stop_one_by_one(instant, who));
        KAL_TRY(solve_stop(instant, who, &count, &answer, &end));
    }
    if (end == KAL_TOUCH_FOUND) { // without any stop nothing is asked for
        push(instant, count, c->decision.chosen, answer.forces);
    }
    return KAL_OK;
}

// Whether an impact gives energy, theory (21.7): the impulses do the work ½ p (u⁻ + u⁺) on the
// relative velocities u; `kinetic` is the energy before.
static KalStatus check_gain(KalInstant *instant, const KalTouchAnswer *answer,
                            double kinetic)
{
    KalContacts *c = &instant->contacts;
    double work = 0.0;
    double size = 0.0;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (int k = 0; k < c->decision.n_used; k++) {
        const double before = instant->results[c->rows[c->decision.used[k]]];
        double change = 0.0;
        for (int j = 0; j < c->decision.n_used; j++) {
            change += c->effect.G[k * c->decision.n_used + j] * answer->forces[j];
        }
        work += answer->forces[k] * (before + 0.5 * change);
        size += fabs(answer->forces[k]) * (fabs(before) + fabs(change));
    }
    if (work > GAIN * size + DUST * kinetic) {
        char names[KAL_BLAMED_SIZE];
        c->n_blamed = 0;
        for (int k = 0; k < c->decision.n_laws; k++) {
            c->blamed[c->n_blamed++] =
                instant->system->model->contacts[c->decision.members[k]].name;
        }
        kal_contacts_list_names(c, names);
        return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                        "the impact at t = %.9g would raise the energy by %.3g: %s; "
                        "restitution and friction do not go together there",
                        instant->variables[0], work, names);
    }
    return KAL_OK;
}

// The cone of an impact is that of sliding.
static void soften_laws(KalContacts *c)
{
    for (int k = 0; k < c->decision.n_laws; k++) {
        c->decision.laws[k].moves = false;
        c->decision.laws[k].slope_hold = c->decision.laws[k].slope;
    }
}

static KalStatus find_kinetic(KalInstant *instant, double *out_energy)
{
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY));
    *out_energy = instant->results[0];
    return KAL_OK;
}

// Who is to find impulses by the laws, and with what rates they begin.
static KalStatus begin_strike(KalInstant *instant, const KalStrike *who)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    c->n_blamed = 0;
    for (size_t i = 0; i < model->n_contacts; i++) {
        c->decision.taking[i] =
            who->touching[i] && model->contacts[i].gap != KAL_NO_GAP;
    }
    kal_contacts_release(instant);
    KAL_TRY(kal_instant_givens(instant));
    KAL_TRY(kal_contacts_gather(instant, 0.0));
    soften_laws(c);
    KAL_TRY(kal_contacts_respond(instant));
    return find_rates_before(instant, who->plastic);
}

// The laws for velocities give impulses; these are applied, rows that must stay closed
// are made so, and the kinetic energy that is lost is told, theory (21.6) to (21.11).
KalStatus kal_contacts_strike(KalInstant *instant, const KalStrike *who,
                              double *out_lost)
{
    assert(who && out_lost);
    double before = 0.0;
    double after = 0.0;
    KalTouchAnswer answer;
    KAL_TRY(find_kinetic(instant, &before));
    KAL_TRY(begin_strike(instant, who));
    const KalTouchEnd end = kal_contacts_solve_laws(instant, &answer);
    if (end != KAL_TOUCH_FOUND) {
        return kal_contacts_fail(instant, end, "velocities after the impact");
    }
    KAL_TRY(check_gain(instant, &answer, before));
    push(instant, instant->contacts.decision.n_used, NULL, answer.forces);
    KAL_TRY(stop_kept(instant, who));
    KAL_TRY(find_kinetic(instant, &after));
    *out_lost = before - after;
    return KAL_OK;
}

KalStatus kal_contacts_stop(KalInstant *instant, const KalStrike *who)
{
    assert(who);
    KAL_TRY(begin_strike(instant, who));
    return stop_kept(instant, who);
}

// SPDX-License-Identifier: MIT

// How far forces of contacts are from letting go, as functions whose zeros are events.
//
// Of a row that acts alone that is its reaction, or what is left of its friction.  Where slips of
// two rows share forces with others, theory (21.12), it is whether there are shares at all.

#include "sim/run_impl.h"
#include "system/contact.h"

#include <assert.h>
#include <math.h>

// Reactions and frictions up to this part of the forces are zero.
static const double ROUNDING = 1e-10;

// How large forces along a row of a contact are, at least.
static double force_scale(const KalRun *run, int64_t row)
{
    const KalInstant *instant = run->instant;
    const size_t n = (size_t)run->system->n;
    const double *a = instant->contacts.A + (size_t)instant->contacts.place[row] * n;
    double force = 0.0;
    double entry = 0.0;
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        force = fmax(force, fabs(instant->Q[j]));
        entry = fmax(entry, fabs(a[j]));
    }
    for (int k = 0; k < instant->contacts.n_rows; k++) {
        largest = fmax(largest, fabs(instant->contacts.own[k]));
    }
    const double scale = largest + (entry > 0.0 ? force / entry : 0.0);
    return scale > 0.0 ? scale : 1.0;
}

// A force along a row, in units in which rounding is as large as the absolute tolerance.
static double measure(const KalRun *run, double force, int64_t row)
{
    return force / force_scale(run, row) * (run->options.atol / ROUNDING);
}

// The reaction along a row of a contact, as the last solve gave it.
static double reaction_of(const KalRun *run, int64_t row)
{
    const KalContacts *c = &run->instant->contacts;
    return c->own[c->place[row]];
}

static double pushing(const KalRun *run, int64_t row)
{
    return measure(run, reaction_of(run, row), row);
}

// What is left of the friction that holds.
static double reserve(const KalRun *run, size_t i, const KalContactValues *v)
{
    const KalContact *contact = &run->system->model->contacts[i];
    const double fx = reaction_of(run, contact->slip[0]);
    const double fy = contact->n_slips > 1 ? reaction_of(run, contact->slip[1]) : 0.0;
    const double hold = fmax(v->hold, v->limit);
    const double limit = contact->gap == KAL_NO_GAP
                             ? hold
                             : hold * fmax(reaction_of(run, contact->gap), 0.0);
    return measure(run, limit - hypot(fx, fy), contact->slip[0]);
}

bool kal_run_is_share(const KalRun *run, int64_t row)
{
    return row != KAL_NO_GAP && run->instant->contacts.sharing.needed
           && kal_contacts_is_shared(run->instant, (int)row);
}

// Where slips hold only because others share the load: whether they still can, as a function that
// jumps.
static double sharing(const KalRun *run)
{
    return run->instant->contacts.sharing.possible ? 1.0 : -1.0;
}

double kal_run_keeping(const KalRun *run, int64_t gap)
{
    return kal_run_is_share(run, gap) ? sharing(run) : pushing(run, gap);
}

double kal_run_holding(const KalRun *run, size_t i, const KalContactValues *v)
{
    const int64_t row = run->system->model->contacts[i].slip[0];
    return fmin(kal_run_is_share(run, row) ? sharing(run) : reserve(run, i, v),
                kal_run_stays_at_rest(run, i, v));
}

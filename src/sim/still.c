// SPDX-License-Identifier: MIT

// What counts as rest for contacts: velocities that are zero but for rounding and tolerances.

#include "sim/run_impl.h"
#include "sim/slip.h"
#include "system/contact.h"

#include <math.h>

// Velocities up to this part of the largest are zero.
static const double STILL = 1e-12;
// What others hold at rest moves by no more than so many times its tolerance; a slip of two rows
// that has come to that is at rest, for errors may carry it around zero for ever.
static const double RESTS = 10.0;

static double largest_velocity(const KalRun *run)
{
    const double *v = kal_instant_qd(run->instant);
    double largest = 0.0;
    for (int j = 0; j < run->system->n; j++) {
        largest = fmax(largest, fabs(v[j]));
    }
    return largest;
}

double kal_run_still(const KalRun *run)
{
    return run->options.atol + STILL * largest_velocity(run);
}

// What tolerances leave of a velocity.
static double find_slack(const KalRun *run)
{
    return run->options.atol + run->options.rtol * largest_velocity(run);
}

double kal_run_slow(const KalRun *run)
{
    return RESTS * find_slack(run);
}

double kal_run_stays_at_rest(const KalRun *run, size_t i, const KalContactValues *v)
{
    const KalContacts *c = &run->instant->contacts;
    const KalContact *contact = &run->system->model->contacts[i];
    double moves = 0.0;
    bool left = false;
    for (uint32_t s = 0; s < contact->n_slips; s++) {
        const bool by_others = c->sharing.left[c->place[contact->slip[s]]];
        moves = by_others ? hypot(moves, v->slip[s]) : moves;
        left = left || by_others;
    }
    return left ? kal_run_slow(run) - moves : INFINITY;
}

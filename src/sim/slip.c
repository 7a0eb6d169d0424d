// SPDX-License-Identifier: MIT

// Slips of contacts: which are followed, how they change, which are as good as at rest.

#include "sim/slip.h"

#include "sim/run_impl.h"
#include "system/contact.h"

#include <assert.h>
#include <math.h>

bool kal_run_follows_slip(const KalRun *run, size_t i)
{
    return run->system->model->contacts[i].n_slips > 0
           && run->instant->contacts.states[i].mode == KAL_TOUCH_SLIDE;
}

bool kal_run_contacts_are_sharp(const KalRun *run)
{
    bool any = false;
    for (size_t i = 0; i < run->system->model->n_contacts; i++) {
        any = any
              || (kal_run_follows_slip(run, i)
                  && run->system->model->contacts[i].n_slips > 1);
    }
    return any;
}

double kal_run_acceleration_along(const KalRun *run, const int64_t *rows,
                                  const double *along, int count, double *out_size)
{
    const KalContacts *c = &run->instant->contacts;
    const size_t n = (size_t)run->system->n;
    double sum = 0.0;
    *out_size = 0.0;
    assert(count >= 0 && count <= KAL_SLIPS);
    for (int k = 0; k < count; k++) {
        const int place = c->place[rows[k]];
        sum -= along[k] * c->b[place];
        *out_size += fabs(along[k] * c->b[place]);
        for (size_t j = 0; j < n; j++) {
            const double term =
                along[k] * c->A[(size_t)place * n + j] * run->answer.qdd[j];
            sum += term;
            *out_size += fabs(term);
        }
    }
    return sum;
}

KalStatus kal_run_slip_acceleration(KalRun *run, size_t i, double *out_speed,
                                    double *out_acceleration)
{
    const KalContact *contact = &run->system->model->contacts[i];
    KalContactValues v;
    int64_t rows[KAL_SLIPS] = {0};
    double along[KAL_SLIPS] = {0.0};
    double size = 0.0;
    KAL_TRY(kal_contact_values(run->instant, i, &v));
    const double speed = hypot(v.slip[0], v.slip[1]);
    for (uint32_t k = 0; speed > 0.0 && k < contact->n_slips; k++) {
        rows[k] = contact->slip[k];
        along[k] = v.slip[k] / speed;
    }
    *out_speed = speed;
    *out_acceleration =
        speed > 0.0
            ? kal_run_acceleration_along(run, rows, along, (int)contact->n_slips, &size)
            : 0.0;
    return KAL_OK;
}

// Whether the slip of contact i, if it has two rows, would be at rest within a span of time.
static KalStatus would_end(KalRun *run, size_t i, double span, bool *out_ends)
{
    double speed = 0.0;
    double acceleration = 0.0;
    *out_ends = false;
    if (kal_run_follows_slip(run, i) && run->system->model->contacts[i].n_slips > 1) {
        KAL_TRY(kal_run_slip_acceleration(run, i, &speed, &acceleration));
        *out_ends = speed < -acceleration * span;
    }
    return KAL_OK;
}

KalStatus kal_run_slip_ends(KalRun *run, double span, bool *out_ends)
{
    assert(span >= 0.0 && out_ends);
    *out_ends = false;
    if (!kal_run_contacts_are_sharp(run)) {
        return KAL_OK;
    }
    KAL_TRY(kal_run_visit(run, run->t));
    KAL_TRY(kal_run_solve(run));
    KAL_TRY(kal_instant_need_givens(run->instant));
    for (size_t i = 0; i < run->system->model->n_contacts && !*out_ends; i++) {
        KAL_TRY(would_end(run, i, span, out_ends));
    }
    return KAL_OK;
}

bool kal_run_creeps(const KalRun *run, size_t i, double speed)
{
    return run->system->model->contacts[i].n_slips > 1
           && run->system->model->contacts[i].gap != KAL_NO_GAP && speed > 0.0
           && speed <= run->instant->contacts.slow;
}

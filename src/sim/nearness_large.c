// SPDX-License-Identifier: MIT

// How near the rows of a large system are to losing rank.  To look at all of them would take
// matrices of m × n; so one row is followed, the nearest.

#include "sim/rank_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void kal_nearness_mark_followed(KalRun *run)
{
    memset(run->rank.concerned, 0, (size_t)run->system->m * sizeof(bool));
    const int count =
        kal_large_instant_partners(run->instant, run->rank.followed, run->rank.near);
    for (int k = 0; k < count; k++) {
        assert(run->rank.near[k] < run->instant->n_active);
        run->rank.concerned[run->rank.near[k]] = true;
    }
}

// What the row that is followed has of its own, by the last factors, and its measure: the sine
// times the part that is left of the row.
static double find_rest(KalRun *run, double *out_rest)
{
    const int row = run->rank.followed;
    return kal_large_instant_rest(run->instant, row, out_rest)
           * kal_rows_part_left(run, row);
}

double kal_nearness_of_followed(KalRun *run)
{
    const KalRankWatch *watch = &run->rank;
    const double *masses = run->projection.projector.masses;
    const double rest = find_rest(run, watch->rests);
    double product = 0.0;
    for (int j = 0; j < run->system->n; j++) {
        product += watch->rests[j] * watch->kept_rests[j] / masses[j];
    }
    return product < 0.0 ? -rest : rest;
}

void kal_nearness_follow(KalRun *run)
{
    KalRankWatch *watch = &run->rank;
    double least = INFINITY;
    kal_large_instant_sines(run->instant, watch->sines);
    for (int i = 0; i < run->instant->n_active; i++) {
        const double measure = watch->sines[i] * kal_rows_part_left(run, i);
        watch->followed = measure < least ? i : watch->followed;
        least = fmin(least, measure);
    }
    watch->kept_sines[0] = find_rest(run, watch->kept_rests);
    watch->keeps = true;
}

// SPDX-License-Identifier: MIT

// How far a state is off the constraints.

#include "system/border.h"
#include "system/instant.h"
#include "system/projector.h"

#include <assert.h>
#include <math.h>

// Constraints that are not met within what the projection allows, and the one that is off
// most.
static KalStatus look(KalInstant *instant, KalProgramId level, KalMisfit *misfit)
{
    assert(level == KAL_PROGRAM_POSITION || level == KAL_PROGRAM_VELOCITY);
    const bool velocity = level == KAL_PROGRAM_VELOCITY;
    const double *x = velocity ? kal_instant_qd(instant) : kal_instant_q(instant);
    KAL_TRY(kal_instant_residuals(instant, level));
    const int unmet = kal_residuals_unmet(instant, x, 1.0, instant->failed);
    for (int k = 0; k < unmet; k++) {
        const int i = instant->failed[k];
        const double off = fabs(instant->residuals[i]);
        if (misfit->count++ == 0 || off > misfit->off) {
            misfit->constraint = kal_system_constraint_names(instant->system)[i];
            misfit->velocity = velocity;
            misfit->off = off;
        }
    }
    return KAL_OK;
}

static KalStatus look_at_both(KalInstant *instant, KalMisfit *misfit)
{
    KAL_TRY(look(instant, KAL_PROGRAM_POSITION, misfit));
    // Off it in position, rates say little.
    return misfit->count == 0 ? look(instant, KAL_PROGRAM_VELOCITY, misfit) : KAL_OK;
}

// On the pieces that velocities lead to, theory (13.7).
static KalStatus look_ahead(KalInstant *instant, KalMisfit *misfit)
{
    const size_t count = instant->system->pieces.n_switches;
    double *modes = (double *)kal_alloc(instant->ctx, count, sizeof *modes);
    if (!modes) {
        return kal_no_memory(instant->ctx, "for a state");
    }
    KalStatus status = kal_border_choose(instant, modes);
    instant->modes = modes;
    if (status == KAL_OK) {
        status = look_at_both(instant, misfit);
    }
    instant->modes = NULL;
    kal_free(instant->ctx, modes, count * sizeof *modes);
    return status;
}

KalStatus kal_instant_misfit(KalInstant *instant, KalMisfit *out_misfit)
{
    KAL_NEED(instant ? instant->ctx : NULL, instant && out_misfit);
    KalMisfit misfit = {.count = 0};
    KAL_TRY(instant->system->pieces.n_switches > 0 ? look_ahead(instant, &misfit)
                                                   : look_at_both(instant, &misfit));
    *out_misfit = misfit;
    return KAL_OK;
}

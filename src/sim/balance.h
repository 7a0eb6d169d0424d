// SPDX-License-Identifier: MIT

/// @file
/// The balance of energy along a run: what does work, and how much.
///
/// Powers are functions of solved states.  The explicit integrators take them along as
/// integrals beside the state, at all stages of their steps; for the implicit one, ends of
/// steps have to do.  Neither has a say in the choice of steps: the motion is the same, bit
/// for bit, with and without the balance.  Where the energy is constant by proof nothing is
/// integrated.

#ifndef SIM_BALANCE_H
#define SIM_BALANCE_H

#include "ode/trail.h"
#include "system/system.h"

#include <kalaba/run.h>

/// How a state came about whose energy is looked at.
typedef enum KalMoment {
    KAL_MOMENT_FIRST, ///< the start
    KAL_MOMENT_NEXT,  ///< by motion
    KAL_MOMENT_EVENT, ///< by events, at the time of the state before
} KalMoment;

/// The balance of one run.
typedef struct KalBalance {
    KalContext *ctx;
    const KalSystem *system;
    int n;          ///< integrals: all works of the system, or none
    bool lost;      ///< a power had no finite value, or works are not integrated
    bool proven;    ///< constants of the motion are some for the run's parameters
    bool unknown;   ///< the energy is not, and works are not integrated
    double *powers; ///< works of the system: workspace
    double *sums;   ///< n: integrals of powers up to the present
    double size;    ///< of the terms that the balance is made of, at the last look
    double scale;   ///< the largest of these at the ends of steps
    double excess;  ///< present G, theory (16.2)
    double start;   ///< G at the start, and by how much events changed it
    KalTrail trail;
    KalWork *works;         ///< to show
    KalConstant *constants; ///< to show
    size_t n_constants;
} KalBalance;

/// Prepare.  The caller clears it, whatever the answer.
KAL_CHECKED KalStatus kal_balance_init(KalBalance *balance, KalContext *ctx,
                                       const KalSystem *system);

/// Say whether what was proven for the system holds for the parameters of the run.
void kal_balance_set_proven(KalBalance *balance, bool proven);

void kal_balance_clear(KalBalance *balance);

/// All powers in a solved instant.
void kal_balance_find_powers(KalBalance *balance, KalInstant *instant,
                             double *out_powers);

/// Note the energy of a solved instant, with the integrals up to it; the statistics get
/// what is about energy.  KAL_ERR_NUMBER when the energy has no value.
KAL_CHECKED KalStatus kal_balance_note(KalBalance *balance, KalInstant *instant,
                                       KalMoment moment, KalRunStatistics *statistics);

/// Whether T and V are all that it takes to note a state between events,
bool kal_balance_needs_energy_alone(const KalBalance *balance);
/// and the same from these two, which are finite.
void kal_balance_note_energy(KalBalance *balance, const double *energy,
                             KalRunStatistics *statistics);

#endif

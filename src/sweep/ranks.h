// SPDX-License-Identifier: MIT

/// @file
/// Ranks: processes that mpirun started, which share the runs of one sweep.
///
/// Rank 0 has the store and gives runs away; it does runs too.  The others ask for some, as
/// many as they do in a twentieth of a second, and send the rows of runs that have ended as often.
/// So a long run holds up nobody, nothing but rank 0 needs the disk, and when any rank is killed
/// the store has all rows but those of the last third of a second.
///
/// MPI is called by one thread at a time: in rank 0 by the one that answers, elsewhere under
/// the lock of the one that sends rows in time.

#ifndef SWEEP_RANKS_H
#define SWEEP_RANKS_H

#include "sweep/sweep.h"

/// The ranks as one of them sees them.
typedef struct KalRanks KalRanks;

/// Join the ranks that have been started; all of them have to.  The caller owns the result.
/// KAL_ERR_FILE when Open MPI is not there, KAL_ERR_USAGE when it does not do what is needed,
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_ranks_join(KalContext *ctx, KalRanks **out_ranks);

/// Leave them, when the work of this one is done.  Waits for the others.  NULL is allowed.
void kal_ranks_leave(KalRanks *ranks);

/// The number of this rank, from 0.
int kal_ranks_own(const KalRanks *ranks);

/// What rank 0 leads.
typedef struct KalRanksWork {
    uint64_t key;    ///< of what is to be done; the same in all ranks
    size_t values;   ///< of a row, or of a sample
    bool samples;    ///< rows have samples
    uint64_t runs;   ///< in all
    KalSweepJob job; ///< of this rank; `skip` and `take` serve all of them
} KalRanksWork;

/// Do a sweep with all ranks: rank 0 takes all rows.  Fails as kal_sweep_go(), and with
/// what another rank failed with.
KAL_CHECKED KalStatus kal_ranks_lead(KalRanks *ranks, const KalSweep *sweep,
                                     const KalRanksWork *work);

/// Do runs for rank 0 until there are no more; `skip` and `take` are not used.  Fails as
/// kal_sweep_go(); a failure of another rank is none of this one.
KAL_CHECKED KalStatus kal_ranks_follow(KalRanks *ranks, const KalSweep *sweep,
                                       const KalRanksWork *work);

/// This rank has failed: rank 0 lets all others leave, another one tells rank 0, unless that
/// is known already.  NULL is allowed.
void kal_ranks_give_up(KalRanks *ranks, KalStatus status);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What modules that show, report or verify a run see of it, beyond its public header.

#ifndef SIM_ACCESS_H
#define SIM_ACCESS_H

#include <kalaba/run.h>
#include <kalaba/table.h>

/// Where failures of the run are told.
KalContext *kal_run_context(const KalRun *run);

const KalSystem *kal_run_system(const KalRun *run);

/// The instant of the run, to look at.
const KalInstant *kal_run_state(const KalRun *run);

/// The answer of the state that the run has reached.
const KalMotionAnswer *kal_run_answer(const KalRun *run);

/// Whether the last step was one across a loss of rank.
bool kal_run_has_crossed(const KalRun *run);

/// Whether works are integrated: none are where the energy is constant by proof.
bool kal_run_integrates_works(const KalRun *run);

/// Whether the solved instant is where pieces meet: on which it is may be rounding.
bool kal_run_modes_are_doubtful(KalRun *run);

/// How many peaks of pulses in time steps have ended at; more after a new start.
long kal_run_peaks(const KalRun *run);

/// Whether what was made for a system can use the run: one of that system that was
/// started.  KAL_ERR_USAGE, told in `ctx`.
KAL_CHECKED KalStatus kal_run_check_user(const KalRun *run, KalContext *ctx,
                                         const KalSystem *system);

/// Whether a start of the run was found that the constraints of the system allow, even if no
/// motion could begin there.  KAL_ERR_USAGE, told in `ctx`.
KAL_CHECKED KalStatus kal_run_check_placed(const KalRun *run, KalContext *ctx,
                                           const KalSystem *system);

/// Tell in the notes of a table what its rows are of: model, parameters, options, statistics.
/// Failures of kal_table_set_text().
KAL_CHECKED KalStatus kal_run_note(const KalRun *run, KalTable *table);

#endif

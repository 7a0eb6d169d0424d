// SPDX-License-Identifier: MIT

/// @file
/// Whether a motion stays on its pieces, by ranges of switching functions (theory (15.12)).  Of
/// all functions that are followed for events those of switches begin with the one that is named
/// `first` here.

#ifndef SIM_PIECE_H
#define SIM_PIECE_H

#include "sim/run_impl.h"

/// The switching functions on the present pieces, from what KAL_PROGRAM_SWITCHES has just given.
void kal_run_pieces_follow(const KalRun *run, double *out_values);

/// Find out what ranges over parts of the last step, which the scan knows, cannot tell from zero:
/// even at one instant they are so wide, by rounding.
void kal_run_pieces_measure(KalRun *run, int first);

/// Whether no border of pieces is crossed where switching functions, then levels, have these
/// ranges.
bool kal_run_pieces_stay(const KalRun *run, int first, const KalRange *ranges);

/// Whether function i, of which a range is known, has no crossing there: its range does not hold
/// zero, or it waits at zero and does not leave it by more than `least`.
bool kal_run_is_quiet(const KalRun *run, int i, KalRange range, double least);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// A sweep: a plan of inputs, and the systems that its runs are of.
///
/// Most sweeps have one system.  Inputs that change the structure of a model have one for
/// each combination of their values; runs find theirs by their number.  What is kept of runs
/// may differ between structures: the values of a sweep are all of them, in the order in
/// which they came up first.

#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "sweep/keep.h"
#include "sweep/plan.h"

/// A system with what its runs need.
typedef struct KalStructure {
    KalSystem *own; ///< that the sweep has loaded; NULL: it was given
    const KalSystem *system;
    KalStatus status;      ///< that it could not be made with
    const char *reason;    ///< why; NULL if it was
    KalRunOptions options; ///< of its runs
    int *places; ///< inputs: of a start value its place in the state, −1 if it has none
    KalKeepAsk *asks; ///< n_asks: of those of the sweep, what there is here
    size_t n_asks;
    KalKeep *keeps; ///< n_keeps
    size_t n_keeps;
} KalStructure;

struct KalSweep {
    KalContext *ctx;
    const KalSystem *given; ///< the model as it is
    KalArena *arena;        ///< for all that follows
    KalSweepPlan plan;
    bool trajectories; ///< all samples are kept
    KalKeepAsk *asks;
    size_t n_asks;
    KalStructure *structures;
    size_t n_structures;
    KalBlock values; ///< KalQuantity
    void (*adjust)(void *user, KalRunOptions *options);
    void *user; ///< passed to it
};

/// The structure of a run, counted from 0.
const KalStructure *kal_sweep_structure(const KalSweep *sweep, uint64_t run);

/// The numbers in the row of a run, counted from 0, in a table: its number, counted from 1, its
/// inputs, and its values; NULL for none, which are NaN.
void kal_sweep_fill_row(const KalSweep *sweep, uint64_t run, const double *values,
                        double *out_row);

/// KAL_ERR_USAGE for a number of threads below 0.
KAL_CHECKED KalStatus kal_sweep_check_threads(KalContext *ctx, int threads);

/// How many threads work where so many are asked for; 0: all cores.
size_t kal_sweep_threads(int threads);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What is kept of a run: read from a text such as `final(x), max(reaction(*))`, and found
/// while the run goes on.

#ifndef SWEEP_KEEP_H
#define SWEEP_KEEP_H

#include "base/arena.h"
#include "base/block.h"
#include "sim/ahead.h"
#include "sim/record.h"

#include <kalaba/sweep.h>

/// A kind of kept value.
typedef enum KalKeepKind {
#define KAL_KEEP_ENUM(name, word, meaning) name,
    KAL_SWEEP_KEEP_LIST(KAL_KEEP_ENUM)
#undef KAL_KEEP_ENUM
} KalKeepKind;

/// What a text asks for: one kind of value of all columns that fit.
typedef struct KalKeepAsk {
    KalKeepKind kind;
    const char *pattern;
} KalKeepAsk;

/// One value that is kept of the runs of a system.
typedef struct KalKeep {
    KalKeepKind kind;
    size_t place; ///< the column of the record, or the event
    size_t value; ///< which value of the sweep it is
} KalKeep;

/// Where they are read.
typedef struct KalKeepReader {
    KalContext *ctx;
    KalArena *arena;
} KalKeepReader;

/// Read what a text asks for.  KAL_ERR_USAGE.
KAL_CHECKED KalStatus kal_keep_read(const KalKeepReader *reader, const char *text,
                                    KalKeepAsk **out_asks, size_t *out_count);

/// Ask for all that a record has always, and for the columns that fit one of n patterns.
KAL_CHECKED KalStatus kal_keep_columns(const KalKeepReader *reader,
                                       const char *const *patterns, size_t n,
                                       KalKeepAsk **out_asks, size_t *out_count);

/// Make a record with the columns that are asked for.  KAL_ERR_USAGE when a pattern fits
/// nothing.
KAL_CHECKED KalStatus kal_keep_record(KalContext *ctx, const KalSystem *system,
                                      const KalKeepAsk *asks, size_t count,
                                      KalRecord **out_record);

/// Gets what is kept: one value, with its name and unit.
typedef KalStatus (*KalKeepAdd)(void *user, KalKeep keep, KalQuantity quantity);

/// What to list, and for whom.
typedef struct KalKeepList {
    const KalKeepAsk *asks;
    size_t count;
    bool plain; ///< names are those of columns: x, not final(x)
    KalKeepAdd add;
    void *user; ///< passed to `add`
} KalKeepList;

/// List the values that are asked for, in the order in which they are asked for; the record
/// is one of kal_keep_record().  KAL_ERR_USAGE when there is no such event; failures of
/// `add`.
KAL_CHECKED KalStatus kal_keep_list(KalContext *ctx, KalRecord *record,
                                    const KalSystem *system, const KalKeepList *list);

/// Follows runs, one after the other.
typedef struct KalFollower {
    KalContext *ctx;
    KalRun *run;
    KalRecord *record;
    const KalKeep *keeps;
    size_t n;
    double atol; ///< of the run
    bool path;   ///< more is kept than ends and events
    bool heeds;  ///< ends are kept of what sums up on the way: works
    KalWorkspace workspace;
    double *nodes; ///< nodes × n: values of a piece of a step
    double *best;  ///< n: the extreme so far
    double *sums;  ///< n: integrals so far
    double *sizes; ///< n: the largest size so far
    double *now;   ///< n: workspace
    bool *doubts;  ///< n: whether the value is not unique, as far as it is known
} KalFollower;

/// Prepare to follow runs, by records with the columns of kal_keep_record().  The caller
/// clears it in any case.
KAL_CHECKED KalStatus kal_follower_init(KalFollower *follower, KalContext *ctx,
                                        const KalKeep *keeps, size_t n);

/// Free what a follower holds.
void kal_follower_clear(KalFollower *follower);

/// Follow a run, which was started, to its end:
///
///     kal_follower_begin(follower, run, record);
///     while (!kal_run_is_over(run)) {
///         kal_run_foreknow(run);
///         kal_follower_step(follower);
///     }
///     kal_follower_end(follower, values, doubts);
void kal_follower_begin(KalFollower *follower, KalRun *run, KalRecord *record);

/// Follow the motion to the horizon, and let the run go there.  Failures of
/// kal_run_arrive() and kal_record_look().
KAL_CHECKED KalStatus kal_follower_step(KalFollower *follower);

/// What is kept of the run, n values, and for each whether it is not unique.
KAL_CHECKED KalStatus kal_follower_end(KalFollower *follower, double *out_values,
                                       bool *out_doubts);

#endif

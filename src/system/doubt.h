// SPDX-License-Identifier: MIT

/// @file
/// Which values hang on reactions that are not unique.
///
/// Where constraints are redundant their multipliers share a force in an arbitrary way.
/// A value is still unique if it does not change along any change of multipliers that
/// leaves the force as it is, theory (2.9): one asks for derivatives with respect to
/// multipliers, and for those of what conditions compare.

#ifndef SYSTEM_DOUBT_H
#define SYSTEM_DOUBT_H

#include "expr/diff.h"
#include "prog/program.h"

struct KalSystem;
struct KalInstant;

/// What to ask for, compiled.  Zeroed is nothing.
typedef struct KalDoubts {
    KalContext *ctx;
    size_t n;            ///< formulas
    size_t rows;         ///< of derivatives; 0 where no formula has a reaction in it
    KalSparse slopes;    ///< rows × constraints
    size_t *owner;       ///< rows: the formula that one belongs to
    KalProgram *program; ///< values of slopes
} KalDoubts;

/// Derive and compile for some formulas of a system.  The caller clears it, whatever the
/// answer.  Statuses: as of kal_graph_status() and kal_program_create().
KAL_CHECKED KalStatus kal_doubts_init(KalDoubts *doubts, const struct KalSystem *system,
                                      const KalExpr *formulas, size_t n);

void kal_doubts_clear(KalDoubts *doubts);

/// A workspace for one thread.
typedef struct KalDoubter {
    KalContext *ctx;
    const KalDoubts *doubts;
    double *block; ///< all numbers below
    size_t block_size;
    double *work;   ///< of the program
    double *values; ///< of the slopes
    double *basis;  ///< coordinates × constraints: of forces on constraints; if dense
    double *scale;  ///< constraints
    double *slope;  ///< constraints
    int *place;     ///< constraints: among those that share forces, or −1
    bool *marks;    ///< n
} KalDoubter;

/// Make it, for dense instants or sparse ones; it is of use once it is prepared.  The
/// caller clears it, whatever the answer.
KAL_CHECKED KalStatus kal_doubter_init(KalDoubter *doubter, KalContext *ctx,
                                       const KalDoubts *doubts,
                                       const struct KalSystem *system, bool dense);

/// Prepare for values of the parameters.
void kal_doubter_prepare(KalDoubter *doubter, const double *parameters);

void kal_doubter_clear(KalDoubter *doubter, const struct KalSystem *system);

/// For each formula whether its value in a solved instant hangs on reactions that are not
/// unique.  Holds until the next call.
const bool *kal_doubter_judge(KalDoubter *doubter, const struct KalInstant *instant);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Instants of large systems: M and A by their entries, no array of n × n or m × n.
///
/// What is dense in other instants is NULL in these (KalInstant.M, .A and workspaces made
/// like them), and solves are those of large/large.h.

#ifndef SYSTEM_LARGE_INSTANT_H
#define SYSTEM_LARGE_INSTANT_H

#include "base/workspace.h"
#include "large/large.h"
#include "system/system.h"

/// The sparse side of an instant.  Zeroed: the instant is dense.
typedef struct KalLargeInstant {
    KalLarge *solver;       ///< NULL: dense
    KalWorkspace workspace; ///< all arrays below
    double *given;          ///< results of the first program, which M and A are in
    double *M;              ///< entries, as KalEquations.M lists them
    double *A;              ///< entries, as KalEquations.A lists them
    double *b;              ///< m: of all constraints, whether they act or not
    double *b_size;         ///< m, if `sized`
    bool sized;             ///< sizes are those of the present b
    double *masses;         ///< 2 n: scratch
    bool *acts;             ///< m: constraints that a solve has in it
    int *place;             ///< m: among the active constraints; −1: not active
    int *fault; ///< n + m: indices of the last fault, among active constraints
    int fault_count;
} KalLargeInstant;

/// The structure of the equations of a system.
KalLargeShape kal_large_shape(const KalSystem *system);

/// Make the sparse side of an instant of a system without servos.
KAL_CHECKED KalStatus kal_large_instant_init(KalInstant *instant);

void kal_large_instant_clear(KalInstant *instant);

/// Take M and A from the results of the first program, whose traces in rows are cleared.
void kal_large_instant_take(KalInstant *instant);

/// Take A from the entries that a program of a level gave.
void kal_large_instant_take_rows(KalInstant *instant, const double *entries);

/// Clear row i of A.
void kal_large_instant_clear_row(KalInstant *instant, size_t i);

/// Measure b, which has an entry for each constraint yet, and move it together.
void kal_large_instant_measure(KalInstant *instant);

/// Solve, with C or without it; instant->answer is that of the active constraints.  With
/// instant->few.used, of those that are known to be independent, as long as that succeeds.
KAL_CHECKED KalStatus kal_large_instant_solve(KalInstant *instant, const double *Q,
                                              const double *C);

/// The answer at rest: to forces Q (n) alone, with zeros (m) for b, by the rows that acted in the
/// last solve.  Holds until the next one, and is not that of the instant.
KAL_CHECKED KalStatus kal_large_instant_respond(KalInstant *instant, const double *Q,
                                                const double *zeros,
                                                KalMotionAnswer *out_answer);

/// M x, for the entries of the lower triangle of M.
void kal_mass_times(const KalSparse *M, const double *entries, const double *x,
                    double *out);

/// Ranks and verdicts alone, which do not depend on forces and right-hand sides.
KAL_CHECKED KalStatus kal_large_instant_judge(KalInstant *instant);

/// The active constraints, by their places, that the last factors have in them.  Returns how
/// many; after a solve of all, answer.rank_A.
int kal_large_instant_independent(const KalInstant *instant, int *out_rows);

/// @name Rows of active constraints k, by the factors of the last solve
/// @{
/// How far each is from the rows before it in the order of elimination: n_active sines; 1
/// for rows that were left out.
void kal_large_instant_sines(const KalInstant *instant, double *out_sines);
/// What row k has of its own (n), and its sine.
double kal_large_instant_rest(KalInstant *instant, int k, double *out_rest);
/// Row k and those that it nearly depends on; returns how many, up to m.
int kal_large_instant_partners(KalInstant *instant, int k, int *out_rows);
/// Factor the independent rows of the givens, without a solve.
KAL_CHECKED KalStatus kal_large_instant_factor(KalInstant *instant);
/// @}

/// After a projector was factored: how much of another row (n) is no combination of its
/// rows, as a part of its length.
double kal_large_instant_beyond(KalInstant *instant, const double *row);

/// The fault of the last solve.
KalMotionFault kal_large_instant_fault(const KalInstant *instant);

/// The problem of the last solve, for kal_large_each_dependency().
KalLargeProblem kal_large_instant_problem(const KalInstant *instant, const double *C);

#endif

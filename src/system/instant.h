// SPDX-License-Identifier: MIT

/// @file
/// An instant: a state, the numbers of the equations in it, and their answer.

#ifndef SYSTEM_INSTANT_H
#define SYSTEM_INSTANT_H

#include "base/workspace.h"
#include "system/contact.h"
#include "system/control.h"
#include "system/dust.h"
#include "system/large_instant.h"
#include "system/road.h"
#include "system/system.h"
#include "system/waver.h"

#include <math.h>

/// Parameters that are being set (parameter.c); nothing else looks at these.
typedef struct KalTrial {
    KalSettings settings;
    double *variables;
    bool *held; ///< parameters: workspace
} KalTrial;

/// What the last solve of all active rows found out about ranks.  Solves of the same rows in
/// other states rely on it.
typedef struct KalRanksFound {
    /// n_independent: rows that are independent, if all others are known to depend on them.
    int *independent;
    int n_independent; ///< 0: nothing is known
    int *sets;         ///< m: sets of dependent rows
    int n_sets;
    int rank_M;
    bool lends;      ///< rows lend M their weights, for M alone is singular
    double *weights; ///< m: W of theory (13.1)
} KalRanksFound;

/// The problem that the independent rows alone pose.
typedef struct KalFewRows {
    bool used;          ///< solves are of these
    double *A;          ///< m × n
    double *b;          ///< m
    double *size;       ///< m: what b is to be measured by
    double *M;          ///< n × n: M + AᵀWA, where rows lend
    double *Q;          ///< n: Q + AᵀWb
    const char **names; ///< m
} KalFewRows;

struct KalInstant {
    KalContext *ctx;
    const KalSystem *system;
    KalWorkspace workspace; ///< all arrays below

    // Set: parameters and the state.
    KalSettings settings; ///< what follows from the parameters as they are set
    KalTrial trial;
    KalUsual usual;    ///< sizes of M and A for these parameters
    double *variables; ///< as KalLayout says; the state is its beginning
    /// n_switches: the pieces that a run is on; NULL: as they come.
    const double *modes;
    double stabilize; ///< > 0: residuals decay at this rate, theory (15.3)

    // Which constraints act: kal_instant_activate(), by events and contacts.
    bool *active;           ///< m: constraints that act; events release and engage them
    int *rows;              ///< n_active: their indices, rising
    const char **row_names; ///< n_active: and names
    int n_active;

    // Evaluated by programs (evaluate.c).
    double *work[KAL_PROGRAMS]; ///< of each program, prepared
    double *results;            ///< of the program that ran last
    double *outputs;

    // The equations in the state: kal_instant_givens().
    double *M;             ///< n × n; NULL, like all such, in a large system
    double *Q;             ///< n
    double *A;             ///< m × n
    double *b;             ///< m
    double *b_size;        ///< m: of the terms in b, as far as the state is known
    double *C;             ///< n
    bool bare;             ///< M, Q, A and b are not those of the last solve
    const double *entries; ///< of A, as KalEquations.A has them; NULL: they are in A

    // Solved.
    KalMotion *motion;     ///< NULL where there is a sparse side
    KalLargeInstant large; ///< the sparse side of a large system
    KalControl *control;   ///< NULL when the model has no servo
    KalRoad road;          ///< for solves of rows that stay the same
    KalContacts contacts;  ///< which are closed, and what they do
    KalRanksFound ranks;
    KalFewRows few;
    double *multipliers;    ///< m: of the ideal part, while C is found
    KalMotionAnswer answer; ///< of the last solve
    const char **blamed;    ///< n + m + servos: by the last failure

    // A consistent start (start.c).
    double *residuals; ///< m: φ or ψ
    double *moved;     ///< 2 n: how far the start moved
    int *failed;       ///< m: constraints that a start could not meet

    // What can be told of answers that are not unique, and of contradictions.
    KalDoubter doubter; ///< of the system's outputs and events
    KalWaver waver;     ///< for contradictions
};

/// An instant with dense arrays, for those who cannot do without.  KAL_ERR_LIMIT when they
/// would be too large; `purpose` says what for, as in "a run".
KAL_CHECKED KalStatus kal_instant_create_dense(KalContext *ctx, const KalSystem *system,
                                               const char *purpose,
                                               KalInstant **out_instant);

/// A row of A: the entries that are not zero by structure.
typedef struct KalConstraintRow {
    int64_t first;         ///< its first entry, as KalEquations.A counts them
    int count;             ///< of entries
    const int64_t *column; ///< count
    const double *numbers; ///< entries, or all n numbers of a dense row
    bool dense;
} KalConstraintRow;

static inline double kal_row_entry(const KalConstraintRow *row, int k)
{
    return row->numbers[row->dense ? row->column[k] : k];
}

/// The row of constraint i among entries, or in row `at` of the dense A where there are none.
static inline KalConstraintRow kal_row_of(const KalInstant *instant, int i, int at,
                                          const double *entries)
{
    const KalSparse *A = &instant->system->equations->A;
    const int64_t first = A->start[i];
    return (KalConstraintRow){.first = first,
                              .count = (int)(A->start[i + 1] - first),
                              .column = A->column + first,
                              .numbers = entries ? entries + first
                                                 : instant->A + (size_t)at * A->columns,
                              .dense = !entries};
}

/// The row of active constraint k, after kal_instant_givens() or kal_return_rows().
static inline KalConstraintRow kal_instant_row(const KalInstant *instant, int k)
{
    return kal_row_of(instant, instant->rows[k], k,
                      instant->large.solver ? instant->large.A : instant->entries);
}

/// The row of constraint i, after kal_instant_residuals().
static inline KalConstraintRow kal_instant_level_row(const KalInstant *instant, int i)
{
    return kal_row_of(instant, i, i, instant->large.solver ? instant->large.A : NULL);
}

/// What b is to be measured by, theory (5.5).
typedef struct KalBSize {
    double least; ///< velocities count at least this much
    double trace; ///< of the size of terms
} KalBSize;

KalBSize kal_b_size(const KalInstant *instant);

/// The size of a term, of an entry of A and a velocity.
static inline double kal_b_size_of_term(const KalBSize *measure, double entry,
                                        double velocity)
{
    const double speed = fabs(velocity);
    return fabs(entry) * (speed > measure->least ? speed : measure->least);
}

/// The most results that a program of the system has.
size_t kal_system_most_results(const KalSystem *system);

/// Run a program on the present variables; its results are in instant->results.
/// KAL_ERR_NUMBER when one of them is not finite: the explanation names the formula and
/// its place.
KAL_CHECKED KalStatus kal_instant_evaluate(KalInstant *instant, KalProgramId id);

/// The same, whatever the results are: returns which is the first that is not finite, or how
/// many there are.
size_t kal_instant_try(KalInstant *instant, KalProgramId id);

/// Set values as kal_instant_set() does, and out_set[i] of the kal_system_targets()
/// coordinates, velocities, states and holds that are named; the others are left as they
/// are.  Messages call the text by a name.
KAL_CHECKED KalStatus kal_instant_set_named(KalInstant *instant, const char *name,
                                            const char *text, bool *out_set);

/// The number that a text gives to something of a unit, NULL for any: to what is in degrees
/// numbers are too.  The state stays as it is.  Messages call the text by a name, and count
/// `columns` before it.
KAL_CHECKED KalStatus kal_instant_read_value(KalInstant *instant, const char *name,
                                             const char *text, uint32_t columns,
                                             const char *unit, double *out_value);

/// Let states and holds have the values that they begin with, and inputs be 0.
void kal_instant_reset_dynamics(KalInstant *instant);

/// Add what the inputs do to Q, theory (14.3), for the values of B.
KAL_CHECKED KalStatus kal_instant_push(KalInstant *instant, const double *B);

/// Renew those holds that are `due` (n_holds; NULL: all), each from the values before.
/// Solves the instant if their values need that.
KAL_CHECKED KalStatus kal_instant_renew(KalInstant *instant, const bool *due);

/// Take settings over: programs are prepared, and the state is the start as written.
void kal_instant_apply_settings(KalInstant *instant, const KalSettings *settings);

/// Whether the parameters are those of other settings, bit for bit.
bool kal_instant_has_parameters(const KalInstant *instant, const KalSettings *settings);

/// Residuals and A of the position or velocity level: instant->residuals, instant->A.
/// Rows of constraints that have no such level, or are not active, are zero.
KAL_CHECKED KalStatus kal_instant_residuals(KalInstant *instant, KalProgramId level);

/// Write sparse values into a dense matrix; returns where the values end.
const double *kal_scatter(const KalSparse *matrix, const double *values, double *dense);

/// Solve as kal_instant_solve() does, but with the independent rows alone: the others have
/// no reactions, and are dependent as they were in the last solve.
KAL_CHECKED KalStatus kal_instant_accelerate(KalInstant *instant,
                                             KalMotionAnswer *out_answer);

/// The same by the fast road (system/road.h), after which M, Q, A and b are not known; false
/// where that does not lead.
bool kal_instant_hurry(KalInstant *instant, KalMotionAnswer *out_answer);

/// The first half of it, for those who need accelerations alone: they are with the road
/// (kal_road_accelerations).  `brief`: nothing else is wanted for now.
bool kal_instant_rush(KalInstant *instant, bool brief);

/// And the second half, as long as the state is the same: all of the answer, which is not brief
/// (kal_road_complete), and what outputs need of it.
void kal_instant_publish(KalInstant *instant, KalMotionAnswer *out_answer);

/// Let an answer that was found otherwise, whose arrays are kept, be that of the present state.
void kal_instant_take_answer(KalInstant *instant, const KalMotionAnswer *answer);

/// T and V of the present state; their sum becomes the variable that outputs read.
KAL_CHECKED KalStatus kal_instant_energy(KalInstant *instant, double *out_kinetic,
                                         double *out_stored);

/// Ask whoever watches the context whether to go on, if the model is so large that this costs
/// next to nothing.  KAL_ERR_INTERRUPTED: no.
KAL_CHECKED KalStatus kal_instant_ask(const KalInstant *instant);

/// M, Q, A and b of the solved instant, if the fast road has left them out.
KAL_CHECKED KalStatus kal_instant_need_givens(KalInstant *instant);

/// Let constraint i act or not.
void kal_instant_set_active(KalInstant *instant, int i, bool active);

/// Let those constraints act that `active` (m) says.
void kal_instant_activate(KalInstant *instant, const bool *active);

/// M and the other givens of the present state; A and b have the rows of active
/// constraints only.
KAL_CHECKED KalStatus kal_instant_givens(KalInstant *instant);

/// C of the present state and of the reactions that are known in it.
KAL_CHECKED KalStatus kal_instant_nonideal(KalInstant *instant);

#endif

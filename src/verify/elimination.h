// SPDX-License-Identifier: MIT

/// @file
/// The equations of motion at one instant by plain elimination: an independent choice of
/// rows, then Lagrange's matrix with pivoting, theory (19.1).
///
/// It shares the formulas with the answers that it is to be compared with, nothing else.  In
/// instants that are sparse it has no array of n × n or m × n numbers (sparse.c): rows are chosen
/// and the matrix is factored by sparse factors without symmetry.

#ifndef VERIFY_ELIMINATION_H
#define VERIFY_ELIMINATION_H

#include "base/workspace.h"
#include "sparse/gather.h"
#include "system/instant.h"

/// What takes the place of dense arrays in sparse instants.
typedef struct KalSparseElimination {
    KalGather gather;    ///< Lagrange's matrix
    KalSparseLu factors; ///< of it
    KalSparseLu span;    ///< of the rows that were looked at last
    int64_t *start;      ///< m + 1: these rows, one behind the other
    int *column;         ///< entries of A
    double *value;       ///< the same
    double *mass;        ///< n: roots of masses
    double *ones;        ///< n
    int *order;          ///< m: rows in the order in which they count
} KalSparseElimination;

/// A workspace.
typedef struct KalElimination {
    KalInstant *instant; ///< whose state and formulas count; borrowed
    int n;
    int rank;        ///< rows chosen
    int positions;   ///< the first of them, which have a residual of position level
    double least;    ///< sine of the angle of one with the span of those before it
    int *rows;       ///< rank: constraints, in the order in which they were taken
    int *places;     ///< rank: their rows in the instant's A
    double *M;       ///< n × n; NULL where the instant is sparse
    double *A;       ///< rank × n, with room for servos behind; NULL likewise
    double *b;       ///< rank, likewise
    double *force;   ///< n: Q, C and control
    double *C;       ///< n: non-ideal forces
    double *qdd;     ///< n
    double *lambda;  ///< rank
    double *cforce;  ///< n: constraint force, ideal and non-ideal
    double *servo_A; ///< servos × n
    double *servo_b; ///< servos
    double *B;       ///< n × actuators
    double *effect;  ///< servos × actuators
    double *weights; ///< actuators × actuators
    double *control; ///< n: force of control
    double *gap;     ///< rows and servos: what servos lack
    double *zero;
    double *K;     ///< matrix of an elimination
    double *scale; ///< of its rows and columns
    double *x;     ///< right-hand side, then solution
    double *work;
    int *perm;
    double *span; ///< m × n: rows without their parts in the span of those chosen
    bool *taken;  ///< m
    KalSparseElimination sparse; ///< where the instant is sparse
    KalWorkspace workspace;
} KalElimination;

/// Make a workspace for an instant, which stays longer.  The caller clears it in any case.
KAL_CHECKED KalStatus kal_elimination_init(KalElimination *e, KalInstant *instant);

void kal_elimination_clear(KalElimination *e);

/// Choose independent rows of the instant's active constraints in the present state: first
/// of position level, then of velocity level, then of acceleration level.
KAL_CHECKED KalStatus kal_elimination_choose(KalElimination *e);

/// How independent the rows chosen are in the present state, as e->least.
KAL_CHECKED KalStatus kal_elimination_measure(KalElimination *e, double *out_sine);

/// M, A and b of the rows chosen, and all forces but those of constraints: e->force, with
/// the control in e->control.  KAL_ERR_CONTRADICTION when a matrix is singular.
KAL_CHECKED KalStatus kal_elimination_givens(KalElimination *e);

/// The same, and e->qdd, e->lambda, e->cforce.
KAL_CHECKED KalStatus kal_elimination_solve(KalElimination *e);

/// @name Products with M and the rows chosen, after kal_elimination_givens()
/// @{
/// out ← out + M x, n numbers each.
void kal_elimination_add_mass(const KalElimination *e, const double *x, double *out);
/// out (n) ← out + factor Σ of x_k times row k, over the first `count` rows.
void kal_elimination_add_rows(const KalElimination *e, int count, double factor,
                              const double *x, double *out);
/// Row k times x.
double kal_elimination_row_times(const KalElimination *e, int k, const double *x);
/// @}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The numbers of the Runge–Kutta pair DOP853 of Dormand and Prince with the error
/// estimates and the dense output of Hairer, Nørsett and Wanner, Solving Ordinary
/// Differential Equations I, section II.5 and II.10.
///
/// Stages are counted from 0.  Stages 0 to 11 make a step; stage 12 is the rate at its end
/// and stage 0 of the next; 13 to 15 are for dense output only.  Weights that are zero are
/// not listed.

#ifndef ODE_DOP853_TABLE_H
#define ODE_DOP853_TABLE_H

enum {
    KAL_DOP853_STAGES = 16,
    KAL_DOP853_END = 12,  ///< the stage at the end of the step
    KAL_DOP853_LAST = 8,  ///< stages that the end of a step is made of
    KAL_DOP853_DENSE = 4, ///< rows for dense output
    KAL_DOP853_TERMS = 12 ///< of a row at most
};

/// A weight for the rate of a stage.
typedef struct KalDop853Term {
    int stage;
    double weight;
} KalDop853Term;

/// A sum of rates.
typedef struct KalDop853Row {
    int count;
    KalDop853Term term[KAL_DOP853_TERMS];
} KalDop853Row;

/// What the rate of a stage adds to the end of a step and to both error estimates.
typedef struct KalDop853Last {
    int stage;
    double b;      ///< order 8
    double error5; ///< less a formula of order 5
    double error3; ///< less a formula of order 3
} KalDop853Last;

/// When stages take place, in parts of the step.
extern const double kal_dop853_nodes[KAL_DOP853_STAGES];

/// Where: from the rates of earlier stages.  Stages 0 and 12, which have no row, lie at
/// the beginning and at the end.
extern const KalDop853Row kal_dop853_rows[KAL_DOP853_STAGES];

extern const KalDop853Last kal_dop853_last[KAL_DOP853_LAST];

/// The last four coefficients of dense output, theory (12.9).
extern const KalDop853Row kal_dop853_dense[KAL_DOP853_DENSE];

#endif

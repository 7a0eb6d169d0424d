// SPDX-License-Identifier: MIT

/// @file
/// The inside of an analysis: tables of numbers at a state, and the results.

#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "analysis/forms.h"
#include "linalg/general.h"

#include <kalaba/analysis.h>

enum {
    KAL_NOTE_SIZE = 400
};

/// Derivatives of R and S at given accelerations and multipliers.
typedef struct KalResidualTable {
    double *R_y; ///< n × 2n
    double *S_y; ///< m × 2n
    double *R_w; ///< inputs × n
    double *S_w; ///< inputs × m
} KalResidualTable;

struct KalAnalysis {
    KalContext *ctx;
    KalSystem *system;
    KalArena *arena; ///< names and tables
    KalInputs inputs;
    KalForms forms;
    KalInstant *instant;
    KalMotion *motion;
    KalMotionAnswer answer;
    const char **names; ///< 2n: of coordinates and velocities

    KalResidualTable full;  ///< at the motion as it is
    KalResidualTable ideal; ///< at that without non-ideal forces
    double *C_y;            ///< n × 2n
    double *C_l;            ///< n × m
    double *C_w;            ///< inputs × n
    double *psi_q;          ///< m × n
    double *phi_w;          ///< m × inputs, as are:
    double *psi_w;
    double *o_y; ///< outputs × 2n
    double *o_a; ///< outputs × n
    double *o_l; ///< outputs × m
    double *o_w; ///< inputs × outputs

    double *weights; ///< n: how gladly a coordinate follows others
    double *W;       ///< rows of an elimination
    int *pivot;      ///< its rows
    bool *later_row; ///< its rows
    bool *follows_q; ///< n: the coordinate is no state
    bool *follows_v; ///< n: nor its velocity
    int *rows;       ///< n_rows: active rows that are independent
    int n_rows;
    double *A_rows;     ///< n_rows × n
    double *directions; ///< (states + inputs) × 2n: of y, one after the other
    double *force;      ///< n
    double *b;          ///< m
    double *da;         ///< n: the answer of accelerations to a direction
    double *dl;         ///< m: and of the multipliers of the ideal part
    double *A;
    double *B;
    double *C;
    double *D;
    int *state; ///< n_states: its place in y
    const char **state_names;
    bool *driven;
    int n_states;
    int n_positions;
    char note[KAL_NOTE_SIZE];

    void *spectrum_work;
    double complex *values;
    double complex *vectors;
    double *conditions;
    int *order; ///< states: scratch
    double *shapes;
    KalMode *modes;
    char reason[KAL_NOTE_SIZE];
};

/// How the state answers to a direction of y and, unless −1, an input: writes
/// accelerations to analysis->da and multipliers to analysis->dl.
KAL_CHECKED KalStatus kal_analysis_respond(KalAnalysis *analysis, const double *dy,
                                           int input);

/// Choose states and directions at the present state, theory (17.3) to (17.5).
KAL_CHECKED KalStatus kal_analysis_choose(KalAnalysis *analysis);

#endif

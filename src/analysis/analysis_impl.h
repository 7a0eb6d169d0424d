// SPDX-License-Identifier: MIT

/// @file
/// The inside of an analysis: tables of numbers at a state, and the results.  What other
/// modules see of it stands in analysis/view.h.

#ifndef ANALYSIS_ANALYSIS_IMPL_H
#define ANALYSIS_ANALYSIS_IMPL_H

#include "analysis/forms.h"
#include "analysis/response.h"
#include "base/block.h"
#include "linalg/general.h"
#include "system/draft.h"

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

/// A node of the equations that is made of pieces, and the formula of the model with it.
typedef struct KalKink {
    KalExpr node;
    KalSpan span;
} KalKink;

/// Formulas whose signs part the pieces that equations are made of; numbers of both sides
/// of a state.
typedef struct KalKinks {
    size_t n;
    KalKink *list;       ///< n: one of those that each parts
    KalProgram *program; ///< of the formulas
    double *work;
    double *y;         ///< 2n: the state
    double *values[2]; ///< n: of the formulas, on either side
    double *slopes[2]; ///< accelerations, A and C on either side
    bool *met;         ///< n
    char text[KAL_NOTE_SIZE];
} KalKinks;

/// Derivatives at the present state, by linearize.c.
typedef struct KalStateDerivatives {
    KalResidualTable full;  ///< at the motion as it is
    KalResidualTable ideal; ///< at that without non-ideal forces
    double *C_y;            ///< n × 2n
    double *C_l;            ///< n × m
    double *C_w;            ///< inputs × n
    double *psi_q;          ///< m × n
    double *phi_w;          ///< m × inputs
    double *psi_w;          ///< m × inputs
    double *o_y;            ///< outputs × 2n
    double *o_a;            ///< outputs × n
    double *o_l;            ///< outputs × m
    double *o_w;            ///< inputs × outputs
} KalStateDerivatives;

/// Which numbers of y = (q, q') are states and which follow them, by linearize.c.
typedef struct KalChart {
    double *weights; ///< n: how gladly a coordinate follows others
    double *masses;  ///< n: of coordinates; of massless ones that of the lightest
    double *W;       ///< rows of an elimination
    int *pivot;      ///< its rows
    bool *later_row; ///< its rows
    bool *follows_q; ///< n: the coordinate is no state
    bool *follows_v; ///< n: nor its velocity
    int *rows;       ///< n_rows: active rows that are independent
    int n_rows;
    double *A_rows;     ///< n_rows × n
    double *directions; ///< (states + inputs) × 2n: of y, one after the other
    int usual_states;   ///< at the model's start; −1: not known
    bool all_leaves;    ///< constraints in disguise do not restrict positions
} KalChart;

/// How accelerations and multipliers change in a direction, by linearize.c.
typedef struct KalDirectionSolve {
    double *force;       ///< n
    double *b;           ///< m
    double *da;          ///< n: the answer of accelerations to a direction
    double *dl;          ///< m: and of the multipliers of the ideal part
    double *multipliers; ///< n_rows
    double all_forces;   ///< the size of the forces in the present state
} KalDirectionSolve;

/// The linearization: x' = A x + B w, o = C x + D w, by linearize.c.
typedef struct KalLinear {
    double *A;
    double *B;
    double *C;
    double *D;
    int n_states;
    int n_positions;
    int *state; ///< n_states: its place in y
    const char **state_names;
    bool *driven; ///< n_states
    char note[KAL_NOTE_SIZE];
} KalLinear;

/// Eigenvalues and modes of the linearization, by modes.c.
typedef struct KalModeWork {
    void *work;
    double complex *values;
    double complex *vectors;
    double *conditions;
    int *order;      ///< states: scratch
    bool *ignorable; ///< states: scratch of the search for families
    double *shapes;
    KalMode *modes;
    KalEigenvalue *inner;
    KalArena *kept; ///< modes of a large system
    char reason[KAL_NOTE_SIZE];
} KalModeWork;

/// Equilibria, by equilibria.c.
typedef struct KalEquilibriumSearch {
    struct KalBalancer *balancer; ///< made when first needed
    KalBlock found;               ///< KalEquilibrium
    KalArena *kept;               ///< for what these point to
} KalEquilibriumSearch;

/// The first members are made once; each part below is the work of the file that it names.
struct KalAnalysis {
    KalContext *ctx;
    KalDraft draft;          ///< with what the analysis derives
    const KalSystem *system; ///< the draft's
    KalArena *arena;         ///< names and tables
    KalInputs inputs;
    KalForms forms;
    KalInstant *instant;
    struct KalPencil *pencil; ///< of a large system, by pencil.c; NULL: all is dense
    KalMotion *motion;        ///< NULL in a large system
    KalResponder responder;
    const char **names;     ///< 2n: of coordinates and velocities
    KalMotionAnswer answer; ///< of the present state

    KalStateDerivatives d;
    KalChart chart;
    KalDirectionSolve solve;
    KalLinear linear;
    KalModeWork spectrum;
    KalKinks kinks; ///< by kink.c
    KalEquilibriumSearch search;
};

/// The matrices and names of the last linearization, small or large, as its part `linear` has
/// them.
KalLinearization kal_analysis_linearization(const KalAnalysis *a);

/// The workspace for balanced states.
KAL_CHECKED KalStatus kal_analysis_balancer(KalAnalysis *analysis,
                                            struct KalBalancer **out_balancer);

/// How many states there are at the present state.
KAL_CHECKED KalStatus kal_analysis_count_states(KalAnalysis *analysis, int *out_count);

/// As kal_analysis_place(), but bring the state onto the constraints, with the named values
/// held or, failing that, none.
KAL_CHECKED KalStatus kal_analysis_bring(KalAnalysis *analysis, const char *values);

/// Solve the present state.  KAL_ERR_NOT_UNIQUE where accelerations are not unique.
KAL_CHECKED KalStatus kal_analysis_solve(KalAnalysis *analysis);

/// Masses of coordinates, and how gladly they follow others, from M of the present state.
void kal_analysis_fill_weights(KalAnalysis *analysis);

/// The size of the impressed forces that meet in the last linearization, as accelerations
/// weighted with the roots of masses.  Those of constraints follow them, but for places
/// where constraints are nearly dependent: these do not excuse anything.
double kal_analysis_force_size(const KalAnalysis *analysis);

/// Sort as KalModes says.
void kal_modes_sort(int n, KalMode *modes);

/// Mark coordinates that nothing but marked ones depends on, among the states of the last
/// linearization; `driven` has n_states entries, some of which may be marked before.
void kal_analysis_mark_ignorable(const KalAnalysis *analysis, bool *driven);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What a run keeps for each part of its work: what was seen of ranks, pieces, jumps, contacts
/// and limits, and what was told.  Each is the workspace of the file that it names; run.c makes
/// them, begins them anew and lets them go, and a run (sim/run_impl.h) has one of each.

#ifndef SIM_RUN_PARTS_IMPL_H
#define SIM_RUN_PARTS_IMPL_H

#include "base/block.h"
#include "ode/integrator.h"
#include "ode/root.h"
#include "sim/form.h"
#include "sim/scan.h"
#include "sim/stages.h"
#include "system/newton.h"
#include "system/projector.h"
#include "system/tangent.h"

#include <kalaba/run.h>

/// Below this the loss of rank is near, whatever the step: a minimum is looked at, and a
/// step across is tried.
#define KAL_LOW_SINE    0.05
/// Losses of rank that are this many steps of an explicit method away are near.
#define KAL_NEAR_STEPS  4.0
/// An explicit method goes this part of the way to one without looking.
#define KAL_ROOM        0.7
/// Sines may fall this much faster than was seen,
#define KAL_STEEPER     3.0
/// and this much faster than rows change by their length.
#define KAL_ROW_STEEPER 6.0
/// Whether sines lead nowhere near zero that were as low as `low`, fall by no more than `fall`
/// in a unit of time, were seen after no more than `longest`, and now are `sine`, which falls by
/// `drop` in the steps that are near; theory (15.4).  Of numbers, or of lanes of them.
#define KAL_LEADS_NOWHERE(low, fall, longest, sine, drop) \
    (((low) > KAL_LOW_SINE) & ((low) >= 0.5 * (fall) * (longest)) & ((sine) >= (drop)))
/// When a sine is zero that falls, root = √(slope² − 2 bend sine), theory (15.27); likewise.
#define KAL_DISTANCE_TO_ZERO(sine, slope, root) (2.0 * (sine) / ((root) - (slope)))
/// How much of the speed with which rows turn counts in the next step.
#define KAL_TURN_PAST                           0.7
/// No step turns rows by more, in radians, or it could pass two losses of rank.
#define KAL_TURN                                1.0
/// Rows of which less than this part is left are looked at closely,
#define KAL_ROW_SHORT                           0.3
/// and so are those that have changed by more than this part of them: they may have turned
/// round.
#define KAL_ROW_TURNED                          0.95
/// Rows that were never longer than this part of the longest are rounding.
#define KAL_ROW_ROUNDING                        1e-12
/// Entries of a row that never were more of it than this part of what their column is of others
/// may be errors of steps, whatever the tolerances are.
#define KAL_ENTRY_NOISE                         1e-3

enum {
    KAL_SINES_SEEN = 16,
    KAL_RUN_WINDOW = 10000, ///< steps that have to lead somewhere
    KAL_WARNING_SIZE = 400  ///< of a text
};

/// The least sine of the rows in a solve.
typedef struct KalSineSeen {
    double t;
    double sine;
} KalSineSeen;

/// How near the constraints are to losing rank, at the horizon of the step before.
typedef struct KalRankWatch {
    bool known;      ///< the rest holds something
    bool confirmed;  ///< rows beyond the rank are dependent not only by accident
    bool bends;      ///< slopes are of the last look, which was close
    int rank;        ///< the highest that was seen
    double t;        ///< when
    double sine;     ///< the smallest angle between rows that gives this rank
    double slope;    ///< how fast it changes
    double bend;     ///< and how fast that falls; 0 if it does not, or is not known
    double *slopes;  ///< m: of all measures
    double turning;  ///< how fast the angle does, lately
    double passed;   ///< when the last loss of rank was
    double least;    ///< of the angles between rows, at the last close look
    bool locks;      ///< if the run cannot go on, that is why
    bool at_loss;    ///< the last step ended in the instant of a loss of rank
    bool *concerned; ///< m: rows of the last loss of rank, or of one that is near
    double *
        departing; ///< 3 n: a state after the start, and the accelerations of the start
    int *near;     ///< m: workspace
    int followed; ///< active row that is nearest to depending on others, if A is sparse
    KalSineSeen seen[KAL_SINES_SEEN]; ///< the last n_seen, in turn
    long n_seen;     ///< by every solve: in long runs more than an int holds
    double *entries; ///< of A: the largest that each was
    double *longest; ///< m: of them in each row, by its constraint
    double largest;  ///< of all
    double
        *shares; ///< n: the largest part of a row that each column was, at close looks
    double revisit;     ///< time from which on rows that shorten are looked at closely
    double no_further;  ///< time that no step before `revisit` may pass
    double *rows;       ///< of A: each at the time t
    bool keeps;         ///< what follows is of the time t
    double *kept_sines; ///< m: measures of theory (15.5)
    double *kept_rests; ///< m × n: what each row has of its own; of large systems n
    double *sines;      ///< m: workspace, as all that follows
    double *end_sines;  ///< m
    double *zeros;      ///< m: times
    double
        *parts[3]; ///< m: what is left of rows now, a little later and after twice that
    double *rests; ///< m × n, or n
    double *copy;  ///< the same
    bool blind;    ///< sines are not noted: the motion is not there
} KalRankWatch;

/// Which method pays: work for each unit of time.
typedef struct KalMethodWatch {
    double t;     ///< where the present window began
    double work;  ///< done until then
    int steps;    ///< since then
    double spent; ///< work of integrators so far, in evaluations of accelerations
    double explicit_price; ///< of the explicit method, per unit of time
    int patience;          ///< steps until the implicit one may be tried again
    bool warm;             ///< the implicit method has had a window to begin in
    bool told;             ///< that it cannot be tried
    bool told_limit;       ///< that it cannot keep the tolerance
    bool told_powers;      ///< that it cannot follow them
    bool told_dense;       ///< that its matrices are dense, though the model is large
} KalMethodWatch;

/// What happened lately, to notice events that never end.
typedef struct KalEventWatch {
    KalRoots *roots; ///< NULL without events
    KalScan scan;
    bool solve;      ///< functions depend on accelerations or forces
    bool sampled;    ///< some are not functions of t, q and q' alone
    bool pending;    ///< there are events at the horizon
    int *crossings;  ///< which functions cross at the horizon
    bool *held;      ///< 2 n: numbers that are set
    int *setters;    ///< 1 + the event that has set each number at this instant, or 0:
                     ///< 2 n, states, holds
    bool *resting;   ///< events: a constraint holds the function at zero (rest.c)
    double *bands;   ///< events: how far off it ever was then
    double *row;     ///< n: workspace
    double *first;   ///< events: when each happened first; NaN: not yet
    double last;     ///< time of the last event
    double gap;      ///< time between the last two
    int shrinking;   ///< gaps in a row that were shorter than the one before
    int crowded;     ///< events in a row that were close to each other
    bool comparable; ///< rows can be compared with those of a large system
} KalEventWatch;

/// The pieces that the motion is on, for equations that are made of pieces (system/switch.h).
typedef struct KalModeWatch {
    KalWorkspace workspace; ///< all numbers below
    double *modes;          ///< n_switches: the pieces; NaN where that is not decided
    double *before;         ///< n_switches: what they were
    double *loose;          ///< n_switches: the pieces, NaN for those that forces tell
    double *values;         ///< n_switches: of the functions
    double *levels;         ///< n_switches: what tells the pieces
    double *open;   ///< n_switches: 1 at an instant at which it may be either, else 0
    double *bands;  ///< n_switches: what is no larger is zero
    double *grains; ///< n_switches: what ranges of the last step cannot tell from zero
    double *most;   ///< n_switches: their largest values at starts of pieces
    double *here;   ///< n_switches: values to compare with
    double *kept;   ///< a state to come back to
    double *rates;  ///< of a state
    double *thrown; ///< n: velocities after an impact
    double *jumps;  ///< m: of residuals
    double last;    ///< when one changed
    double gap;     ///< time between the last two changes
    long crowded;   ///< changes in a row that were close to each other
    double since;   ///< when the first of those was
} KalModeWatch;

/// Where outputs change their pieces, by mark.c.
typedef struct KalMarkWatch {
    KalScan scan;
    KalWorkspace workspace; ///< the array below
    size_t n;               ///< functions that it looks at, the first ones
    double *blind;          ///< n: a function is not looked at before this time
    bool made;              ///< the scan, when it is needed first
    bool known;             ///< it has learned the last step
    double least;           ///< no stretch that is told is shorter
    long looks;             ///< ranges of this step that were looked at
    int left;               ///< stretches that may still be told of this step
} KalMarkWatch;

/// The same by accelerations, forces and the energy, by solved_mark.c.
typedef struct KalSolvedMarkWatch {
    KalWorkspace workspace; ///< the arrays below, when they are needed first
    double *values;         ///< nodes × functions
    double *sizes;          ///< functions: the largest that were seen
    double step;            ///< the end of the step that marks are told of
    int left;               ///< that may still be told of this step
} KalSolvedMarkWatch;

/// What values are compared where one may jump.
typedef enum KalJumpLook {
    KAL_JUMP_BEFORE,
    KAL_JUMP_BEHIND,
    KAL_JUMP_EARLIER, ///< than before
    KAL_JUMP_LATER,   ///< than behind
    KAL_JUMP_LOOKS
} KalJumpLook;

/// Where values jump though the state does not, by jump.c.
typedef struct KalJumpWatch {
    KalMarkWatch marks;     ///< at which outputs may jump
    KalWorkspace workspace; ///< the arrays below
    double *values;         ///< looks × values: accelerations, then outputs
    double *largest;        ///< values: so far
    double *modes;          ///< n_switches: pieces behind
    double *sides;          ///< 2 × n_jumps
} KalJumpWatch;

/// Contacts in the decision at hand, by contact.c.
typedef struct KalContactWatch {
    KalWorkspace workspace; ///< all arrays below, of n_contacts
    bool *touching;         ///< closed or closing
    bool *hit;              ///< closing at some speed
    bool *rests;            ///< was at rest before something engaged at this instant
    bool *plastic;          ///< without restitution, for the rebound would be too low
    bool *kept_shut;        ///< it would be even so
    bool *held;             ///< its slip comes to rest, for it would stop too soon
    bool *loose;            ///< neither can be, for others push it
    KalContactState *before;
    double *speed;    ///< of gaps before an impact
    double *settles;  ///< when it closes
    double *rebound;  ///< the largest speed since its last impact; infinite: it closed
    double *last;     ///< when it was hit
    double *interval; ///< between the last two hits
    int *shrinking;   ///< intervals in a row that were shorter than the one before
    double *kept;     ///< n: velocities to come back to
    double rest;      ///< time that bounces which are left out would have taken
    double
        sine; ///< of the rows that were chosen then; 0: none is better, NaN: not known
    double decided; ///< when the last decision was
    int crowded;    ///< decisions in a row that were close to each other
} KalContactWatch;

/// An actuator and its limit.
typedef struct KalLimitWatch {
    bool at;       ///< it is there
    double since;  ///< this time
    double most;   ///< the largest force that was demanded since then
    double passed; ///< when the demand passed the limit last; NaN: never
} KalLimitWatch;

/// What was asked of actuators, by limit.c.
typedef struct KalRunLimits {
    KalEffort *efforts;     ///< of actuators
    KalLimitWatch *watches; ///< of actuators
    const char *kept;       ///< a servo that contacts keep from being met, or NULL
    double since;           ///< this time
} KalRunLimits;

/// Pulses and poles that the motion may meet, by pulse.c.
typedef struct KalPulseWatch {
    KalWorkspace workspace;
    double *values;   ///< 2 n_pulses: functions and slopes at the beginning of a step
    double *ahead;    ///< 2 n_pulses: at its end
    double *blurred;  ///< n_pulses: beside its end, by errors of the state
    double *rates;    ///< of the state, by interpolation
    double *found;    ///< n_states: rates by the equations
    double t;         ///< of `values`
    bool is_blurred;  ///< whether `blurred` is of the last step
    bool *watched;    ///< n_pulses: those that wind and do not rest
    double *early;    ///< 2 n_pulses: functions and slopes at the beginning of a part
    double *late;     ///< 2 n_pulses: at its end
    double *begin;    ///< 2 n: positions and velocities at the beginning of a step
    KalRange *box;    ///< as KalLayout: where the step is
    KalRange *known;  ///< as KalLayout: what `ranges` hold for
    bool wide;        ///< and are to hold for steps that follow, too
    KalRange *ranges; ///< 2 n_pulses: of functions and slopes
    KalRange *work;   ///< of their program
} KalPulseWatch;

/// Which integrator takes the steps, by integrate.c.
typedef struct KalRunIntegration {
    KalIntegrator *integrators[KAL_INTEGRATOR_COUNT]; ///< NULL until they are needed
    KalIntegratorName usual;   ///< the one that the run begins with
    KalIntegratorName at_work; ///< the one that goes on, if not across a loss of rank
    bool stiff;                ///< which is for stiff systems
    KalReducedForm form;       ///< of the usual one, if the run has that form
    KalTangent tangent;        ///< for the implicit one
    KalNewton newton;          ///< or, where that serves, for it
    double tried;         ///< how far away a loss of rank was that could not be crossed
    double peak;          ///< when the next pulse has its peak, as far as is known
    double pulse;         ///< when a step that was taken back passed over one
    long peaks;           ///< that were come to
    double distance;      ///< of the loss of rank that the next step leads towards
    double tried_sine;    ///< the sine when that was tried first
    double tried_slope;   ///< and its slope
    bool crossed;         ///< the last step was one across a loss of rank
    KalOdeCounts counted; ///< before the run started
    KalMethodWatch watch;
    KalStages stages;   ///< all of a step as one program
    long attempts;      ///< at steps that might have been taken by it, of all runs
    unsigned long road; ///< by this road (KalBrief.number)
} KalRunIntegration;

/// The middle of a step across a loss of rank, by gap.c.
typedef struct KalRunGap {
    double
        middle;   ///< when rank is lost, as foreseen; NaN: the last step is none across
    double half;  ///< of the gap
    size_t width; ///< numbers of an answer; 0: none are kept
    double *answers; ///< at its nodes, and one between them
    bool known;      ///< they were found
} KalRunGap;

/// How states come onto the constraints, by project.c.
typedef struct KalRunProjection {
    KalProjector projector;
    bool has_position; ///< there are constraints with a residual of this level
    bool has_velocity;
    bool same_rows;    ///< constraints have a residual of both levels or of none
    bool prepared;     ///< the projector, for steps near the present state
    bool metric_lost;  ///< the projector's is one of long ago
    bool *used;        ///< m: constraints that projections heed; others follow
    double *trial;     ///< n: workspace
    double residual_q; ///< largest residuals that the last projection left
    double residual_qd;
} KalRunProjection;

/// The steps that have to lead somewhere, by run.c: where the present window of them began.
typedef struct KalRunWindow {
    double t;
    long steps;    ///< until then
    long switches; ///< changes of pieces until then
} KalRunWindow;

/// When holds are renewed, by hold.c.
typedef struct KalHoldWatch {
    double *counts; ///< n_holds: of renewals
    bool *due;      ///< n_holds: workspace
    double next;    ///< time; infinite without holds
} KalHoldWatch;

/// Who takes samples at present, by sample.c.
typedef struct KalRunSampling {
    KalRunTake take; ///< NULL: nobody does
    void *user;
    double last; ///< when the last one was taken
    double k;    ///< which one was due last
} KalRunSampling;

/// What is told about a run, by kal_run_tell() and after failures.
typedef struct KalRunTold {
    KalBlock incidents; ///< KalIncident
    KalArena *texts;    ///< of incidents
    char warning[KAL_WARNING_SIZE];
    const char *warnings[1]; ///< as they are shown
    const char **blamed;     ///< n + m: names that the last failure blames
    size_t n_blamed;
} KalRunTold;

#endif

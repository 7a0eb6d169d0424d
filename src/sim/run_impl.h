// SPDX-License-Identifier: MIT

/// @file
/// A run: a state that moves.  What other modules see of it stands in sim/access.h.
///
/// The integrator goes ahead in steps of its own; the run follows it.  `horizon` is how
/// far the motion is known and free of events: the end of the last step, or an event in
/// it.  Between its start and its horizon a run can look anywhere: the state is
/// interpolated, brought to the constraints and solved.

#ifndef SIM_RUN_IMPL_H
#define SIM_RUN_IMPL_H

#include "sim/access.h"
#include "sim/ahead.h"
#include "sim/balance.h"
#include "sim/run_parts_impl.h"
#include "sim/sample.h"

/// The first members are the run itself, which all files work on.  Each part below is the
/// work of the file that it names; run.c makes the parts and begins them anew.
struct KalRun {
    KalContext *ctx;
    const KalSystem *system;
    KalRunOptions options;
    KalWorkspace workspace; ///< all arrays that the parts do not get themselves

    double t;        ///< reached
    double horizon;  ///< known
    KalOdeStep step; ///< the last one
    bool placed;     ///< a start was found that the constraints allow
    bool started;    ///< and the run began there
    bool over;
    const char *stopped_by;

    KalInstant *instant;    ///< the state that is looked at
    KalMotionAnswer answer; ///< of the last solve
    bool solved;            ///< which was of the state that the instant has
    bool rushed;   ///< and by the fast road: what it found is not yet in `answer`
    bool complete; ///< and of all rows, not of the independent ones alone
    bool careful;  ///< accelerations only of states on the constraints
    double *state; ///< 2 n and integrals: where interpolation puts its results
    double *kept;  ///< 2 n: a state to come back to

    KalRunIntegration integration;
    KalRunGap gap;
    KalRunProjection projection;
    KalRankWatch rank;    ///< by rank.c (rank_impl.h)
    KalEventWatch events; ///< by event.c
    KalModeWatch modes;   ///< by mode.c
    KalMarkWatch marks;
    KalSolvedMarkWatch solved_marks;
    KalJumpWatch jumps;
    KalPulseWatch pulses;
    KalContactWatch contacts;
    KalRunLimits limits;
    KalBalance balance; ///< by balance.c
    KalRunWindow window;
    KalRunSampling sampling;
    KalSampleStock stock; ///< by sample.c
    KalHoldWatch holds;
    KalRunStatistics statistics;
    KalRunTold told;
};

/// Put a time and a state of 2 n numbers into the instant.
void kal_run_put(KalRun *run, double t, const double *y);

/// Before a step: a program for all its stages, when many steps were taken without.
void kal_run_make_stages(KalRun *run);

/// Solve the instant.  Failures tell the time; an acceleration that is not unique is one.
KAL_CHECKED KalStatus kal_run_solve(KalRun *run);

/// The same for what motion needs, accelerations: where rows are known to depend on others
/// these say nothing, and have no reactions.
KAL_CHECKED KalStatus kal_run_accelerate(KalRun *run);

/// Whether the instant is solved as it is; if so `answer` says how.
bool kal_run_is_solved(KalRun *run);

/// Bring the instant's state to the constraints, theory (15.1) and (15.2).
/// KAL_ERR_CONTRADICTION when they cannot be met near by.
KAL_CHECKED KalStatus kal_run_project(KalRun *run);

/// Find the residuals of the instant's state, and leave it as it is.
KAL_CHECKED KalStatus kal_run_note_residuals(KalRun *run);

/// Bring the instant's state to the constraints if that is how the run goes, and find
/// the residuals.
KAL_CHECKED KalStatus kal_run_meet(KalRun *run);

/// The same at the end of a step in the reduced form, whose speeds stay.
KAL_CHECKED KalStatus kal_run_meet_in_speeds(KalRun *run);
/// The same where other rows act than before.
KAL_CHECKED KalStatus kal_run_meet_anew(KalRun *run);
/// The same in the metric of the last time, for states of the step that ended then: any
/// metric leads to the constraints, and the way is as short as the error of the step.
KAL_CHECKED KalStatus kal_run_meet_again(KalRun *run);

/// The functions that integrators call; the state may have the integrals of powers at its
/// end.
KalOdeSystem kal_run_ode(KalRun *run, bool integrals);

/// Whether its steps are brought to the constraints.
bool kal_run_projects(const KalRun *run);

/// The same in the reduced form: speeds stay as steps find them, and velocities follow.
KalOdeSystem kal_run_reduced_ode(KalRun *run);

/// Whether implicit methods can have what they need: the Jacobian, which is dense, or that of
/// system/newton.h.
bool kal_run_has_jacobian(const KalRun *run);

/// @name The integrator at work
/// @{
KAL_CHECKED KalStatus kal_run_integrate_init(KalRun *run);
void kal_run_integrate_clear(KalRun *run);
/// Let the usual integrator be the one at work.
void kal_run_integrate_reset(KalRun *run);
KAL_CHECKED KalStatus kal_run_integrate_start(KalRun *run, double t, const double *y);
/// Get ready for the next step: a plain one, or one towards a loss of rank.
KAL_CHECKED KalStatus kal_run_integrate_prepare(KalRun *run, bool *out_plain);
/// And take it.
KAL_CHECKED KalStatus kal_run_integrate_step(KalRun *run, bool plain);
/// The usual method has taken a step to t about which there is nothing to do: what
/// kal_run_integrate_prepare() notes of it.
void kal_run_integrate_pass(KalRun *run, double t);
/// How many steps to come only count there, whenever they are and whatever they take; and that
/// so many were taken.
long kal_run_integrate_alike(KalRun *run);
void kal_run_integrate_pass_alike(KalRun *run, long count);
/// The state at t, and the integrals after it.
KAL_CHECKED KalStatus kal_run_interpolate(KalRun *run, double t, double *out_y);
/// The same at KAL_LANES times between the ends of the last step, the first group of `at`, in the
/// groups behind them, of which the lanes before `first` stay as they are; where that is not known
/// in lanes *out_known is false.
KAL_CHECKED KalStatus kal_run_interpolate_lanes(KalRun *run, double *at, int first,
                                                bool *out_known);
KalOdeCounts kal_run_counts(const KalRun *run);
/// @}

/// Whether the instant is the state y at t.
bool kal_run_is_at(const KalRun *run, double t, const double *y);

/// Let the instant be the state at t, from the beginning of the last step to its end:
/// on the constraints, not yet solved.
KAL_CHECKED KalStatus kal_run_visit(KalRun *run, double t);

/// The same, with accelerations.
KAL_CHECKED KalStatus kal_run_look(KalRun *run, double t);

/// The same, with all that a solve gives.
KAL_CHECKED KalStatus kal_run_look_fully(KalRun *run, double t);

/// @name The middle of a step across a loss of rank
/// @{
void kal_run_gap_lay_out(KalRun *run, KalCarver *carver);
/// The last step was one across, with its middle there; or it is another one now.
void kal_run_gap_open(KalRun *run, double middle);
void kal_run_gap_close(KalRun *run);
/// Whether equations say nothing at t, between the time reached and the horizon.
bool kal_run_gap_has(const KalRun *run, double t);
/// Look fully at such a time.
KAL_CHECKED KalStatus kal_run_look_across(KalRun *run, double t);
/// @}

/// Look fully at the state and integrals in `state`, of time t, and note what is noted of samples.
KAL_CHECKED KalStatus kal_run_look_there(KalRun *run, double t);

/// @name Rows of the instant, whose givens are known
/// @{
/// How much is left of active row i: the largest part that an entry is of what it once was.
double kal_rows_part_left(const KalRun *run, int i);
/// Note the largest that each entry was; `fresh`: since now.
void kal_rows_note(KalRun *run, bool fresh);
/// Note rows of which almost nothing is left as they are: they have become small little by
/// little, not vanished.
void kal_rows_accept(KalRun *run);
/// Note the largest part of a row that each column was; `fresh`: since now.
void kal_rows_weigh(KalRun *run, bool fresh);
/// Whether no independent row comes near to vanishing, or may have passed that: then it
/// turns round.  *out_change is the largest change of a row since it was kept, as a part of
/// its length.
bool kal_rows_stay(const KalRun *run, double *out_change);
/// Keep the rows, to see how they have turned at the next look.
void kal_rows_keep(KalRun *run);
/// Whether rows that are left out agree with the accelerations of the solved instant.
bool kal_rows_agree(const KalRun *run);
/// @}

/// @name Samples (sim/sample.h)
/// @{
/// Give a sample of the present state, which is solved.
KAL_CHECKED KalStatus kal_run_take_sample(KalRun *run);
/// Whether samples within the present step can wait for others, rather than be looked at alone.
bool kal_run_samples_may_wait(KalRun *run);
/// Let those that are due before the horizon wait, and give them where there are enough.
KAL_CHECKED KalStatus kal_run_samples_keep(KalRun *run);
/// Give all that wait.  The run is at each of them in turn, with all that is noted there; the
/// instant waits until it is asked for (kal_run_settle).
KAL_CHECKED KalStatus kal_run_samples_give(KalRun *run);
/// Let the instant be the sample that the run is at, if it is not.
void kal_run_settle(KalRun *run);

/// What the way back has found of that sample (KalReturnPlaces), every KAL_LANES-th number
/// from here on, while the instant is elsewhere; else NULL.
static inline const double *kal_run_sample_values(const KalRun *run)
{
    return run->stock.away ? kal_return_lanes_values(&run->stock.lanes, run->stock.lane)
                           : NULL;
}

/// No samples wait, and the run is where its instant is.
static inline void kal_run_samples_forget(KalRun *run)
{
    run->stock.count = 0;
    run->stock.away = false;
}

void kal_run_samples_clear(KalRun *run);

/// @}

/// Residuals of the state that was looked at last go into the statistics.
static inline void kal_run_note_errors(KalRun *run)
{
    KalRunStatistics *s = &run->statistics;
    const double q = run->projection.residual_q;
    const double qd = run->projection.residual_qd;
    s->position_error = q > s->position_error ? q : s->position_error;
    s->velocity_error = qd > s->velocity_error ? qd : s->velocity_error;
}

/// See how near the constraints are to losing rank in the solved instant, which is at the
/// horizon, and report a passage since the last call.  `fresh`: there was none.
KAL_CHECKED KalStatus kal_run_watch_rank(KalRun *run, bool fresh);

/// Fail if the solved instant, where the run begins, has lost rank and the motion that begins
/// there breaks constraints: KAL_ERR_NOT_UNIQUE.  The instant is solved when this returns.
KAL_CHECKED KalStatus kal_run_check_departure(KalRun *run);

/// KAL_ERR_USAGE where the run was not started.
KAL_CHECKED KalStatus kal_run_check_started(const KalRun *run, KalContext *ctx);

/// @name kal_run_foreknow() for those who take the step themselves (sim/lanes.h)
/// @{
KAL_CHECKED KalStatus kal_run_before_step(KalRun *run, bool *out_plain);
/// The step, run->step, was taken, or failed with a status.
KAL_CHECKED KalStatus kal_run_after_step(KalRun *run, KalStatus status);
/// @}

/// Note how near the rows of the solved instant are to depending on each other: the least
/// sine of an angle between one and the others.
void kal_run_note_sine(KalRun *run, double sine);

/// The same of an instant at t.
void kal_run_note_sine_at(KalRun *run, double t, double sine);

/// The same where only the rows that count were looked at.
void kal_run_note_sine_of_rows(KalRun *run, double t, double sine);

/// Let projections heed the rows that the instant knows as independent.
void kal_run_use_rows(KalRun *run);

/// Whether the constraints lose rank within a step or so from now on; *out_distance is then
/// the time until they do.
bool kal_run_foresee(const KalRun *run, double *out_distance);

/// How many steps ahead a loss of rank is near.
double kal_run_near_steps(const KalRun *run);

/// How long a step may be that does not come upon a loss of rank by accident.
double kal_run_room(const KalRun *run);
/// A row vanishes, if it goes on shortening as it does, at a distance from the horizon.
void kal_run_foresee_end(KalRun *run, double distance);

/// A bend as far as it matters: where the measure is low, and falls faster and faster; else 0.
double kal_low_bend(double sine, double bend);

/// How fast the slope of measure k falls, by the one that it had at the last look, as
/// kal_low_bend().
double kal_run_find_bend(const KalRun *run, int k, double sine, double slope);

/// When a measure is zero that has this slope and bend; infinite if never.
double kal_distance_to_zero(double sine, double slope, double bend);

/// After a failure to go on with this status: if the constraints are about to become
/// dependent, say so.
KAL_CHECKED KalStatus kal_run_explain_lock(KalRun *run, KalStatus status);

/// How many functions are followed for events and limits.
size_t kal_run_functions(const KalSystem *system);

/// The next stretch at which outputs may jump, as kal_run_find_mark().
KAL_CHECKED KalStatus kal_run_find_mark_of_jump(KalRun *run, double from, double until,
                                                KalOutputMark *out_mark,
                                                bool *out_found);

/// @name Where values jump though the state does not
/// @{
KAL_CHECKED KalStatus kal_run_jumps_init(KalRun *run);
void kal_run_jumps_clear(KalRun *run);
/// Whether values differ on both sides of the switches that the horizon is at.
KAL_CHECKED KalStatus kal_run_pieces_jump(KalRun *run, bool *out_jumps);
/// The next place, from a time of the last step on, at which an output jumps: two times that
/// are neighbours.
KAL_CHECKED KalStatus kal_run_find_jump(KalRun *run, double from, double until,
                                        KalOutputMark *out_mark, bool *out_found);
/// @}

/// Free what the search for marks of outputs holds.
void kal_run_clear_marks(KalRun *run);

/// As kal_run_find_mark(), of functions with accelerations, forces or the energy in them, over a
/// stretch in which outputs have no other marks.
KAL_CHECKED KalStatus kal_run_find_solved_mark(KalRun *run, double from, double until,
                                               KalOutputMark *out_mark,
                                               bool *out_found);
void kal_run_clear_solved_marks(KalRun *run);

/// Prepare to bound what some programs compute, over parts of the run's last step.
KAL_CHECKED KalStatus kal_run_make_scan(KalRun *run, const KalProgramId *programs,
                                        int n_programs, KalScan *out_scan);

/// How many actuators have limits that servos may reach.
size_t kal_run_limits(const KalSystem *system);

/// Of the functions of limits those that cross in the instant's state; NULL: none.
const int *kal_run_limit_crossings(const KalRun *run);

/// Two functions for each of them whose zeros are where it reaches and leaves its limit,
/// in the solved instant.
void kal_run_limits_find(const KalRun *run, double *out_values);

/// @name What is told about actuators
/// @{
KAL_CHECKED KalStatus kal_run_limits_init(KalRun *run);
void kal_run_limits_clear(KalRun *run);
void kal_run_limits_start(KalRun *run);
/// Note what the solved instant, which is at the present time, demands and gets; `over`:
/// the run ends here.
KAL_CHECKED KalStatus kal_run_limits_note(KalRun *run, bool over);
/// @}

/// Work memory for modes, if the system has switches.
KAL_CHECKED KalStatus kal_run_modes_init(KalRun *run);
void kal_run_modes_clear(KalRun *run);

/// Formulas are taken as they come, until modes are chosen.
void kal_run_modes_forget(KalRun *run);

/// Choose the pieces that the motion from the instant's state on is on, and go over to them.
/// KAL_ERR_CHATTER when from every piece it leads back to where pieces meet, with the
/// expression and its place.  Constraints may jump with the pieces: velocities follow by an
/// impact, theory (15.6); positions cannot, nor can anything follow an energy that jumps,
/// theory (15.16), unless events have `set` what comes after (KAL_ERR_CONTRADICTION).
KAL_CHECKED KalStatus kal_run_modes_enter(KalRun *run, bool set);
/// While contacts are decided on, formulas of accelerations and reactions, which jump with that,
/// are taken as they come; until pieces are chosen.
void kal_run_modes_loosen(KalRun *run);
/// Choose pieces after contacts were decided on at the same instant.
KAL_CHECKED KalStatus kal_run_modes_follow(KalRun *run, bool set);
/// Decide on contacts and pieces in turn until the choice changes nothing, theory (15.13).
KAL_CHECKED KalStatus kal_run_modes_agree(KalRun *run, bool set);

/// Values of switching function i up to this are those at a border, since the last choice; where
/// the motion leads back over it, also the present one.
double kal_run_modes_zero(const KalRun *run, size_t i);

/// Before a start brings its state to the constraints: where that is at the border of pieces,
/// go on with those that its velocities lead to.
KAL_CHECKED KalStatus kal_run_modes_prepare(KalRun *run);

/// The same at the start of a run, on the piece ahead, where nothing has moved yet:
/// velocities that are `held` stay, n of them, if that can be; NULL for none.
KAL_CHECKED KalStatus kal_run_modes_start(KalRun *run, const bool *held);

/// Fail because a switch changes without end, KAL_ERR_CHATTER.
KAL_CHECKED KalStatus kal_run_modes_chatter(KalRun *run, size_t i);

/// Velocities up to this are zero.
double kal_run_still(const KalRun *run);

/// How far the slip of a friction that holds, of which other constraints bear a row, is from
/// moving: they may do so at one instant only, as a rod does with what it is about to turn.
double kal_run_stays_at_rest(const KalRun *run, size_t i, const KalContactValues *v);

/// Whether the force along a row of a contact, KAL_NO_GAP for none, is a share of what redundant
/// contacts bear together, and not that of the last solve.
bool kal_run_is_share(const KalRun *run, int64_t row);

/// How far the force along the gap of a closed contact is from pulling.
double kal_run_keeping(const KalRun *run, int64_t gap);
/// How far what holds the slip of contact i is from letting it go.
double kal_run_holding(const KalRun *run, size_t i, const KalContactValues *v);

/// @name Contacts
/// @{
KAL_CHECKED KalStatus kal_run_contacts_init(KalRun *run);
void kal_run_contacts_clear(KalRun *run);
/// All are open, and nothing has happened.
void kal_run_contacts_forget(KalRun *run);
/// How many functions are followed for them.
size_t kal_run_contact_functions(const KalSystem *system);
/// Whether a function of a contact may come to zero without changing its sign: the size of a
/// slip of two rows.
bool kal_run_contacts_are_sharp(const KalRun *run);
/// Whether they depend on forces at present.
bool kal_run_contacts_need_solve(const KalRun *run);
/// Their values at the instant, which is solved if they need that.
KAL_CHECKED KalStatus kal_run_contacts_find(KalRun *run, double *out_values);
/// Whether all stay at zero or above, as far as the ranges of KalContactValues tell; the first
/// of them is this function of the run.
bool kal_run_contacts_stay(const KalRun *run, size_t first, const KalRange *ranges);
/// Whether one has become negative.
bool kal_run_contacts_stray(const KalRun *run, size_t first);
/// Decide about contacts at the start, with an impact if velocities ask for one.
KAL_CHECKED KalStatus kal_run_contacts_start(KalRun *run);
/// The same at an event, with the crossings of their functions.
KAL_CHECKED KalStatus kal_run_contacts_apply(KalRun *run, const int *crossings);
/// Decide again after formulas have changed their pieces, and forces with them.
KAL_CHECKED KalStatus kal_run_contacts_review(KalRun *run);

/// Bring the state to the constraints after an event, kal_instant_settle().  `rest`: closed
/// contacts were at rest, and do not rebound from that.
KAL_CHECKED KalStatus kal_run_contacts_settle(KalRun *run, const bool *held, bool rest);
/// @}

/// Follow events from the present time on.
KAL_CHECKED KalStatus kal_run_events_start(KalRun *run);

/// Refuse events that hang on reactions which are not unique in the solved instant.
KAL_CHECKED KalStatus kal_run_events_check(KalRun *run);

/// Find out which event functions rest at zero in the instant's state, for a constraint
/// holds them there; those that did and do no longer wait to leave it.
KAL_CHECKED KalStatus kal_run_rest_begin(KalRun *run);

/// The same at the end of the last step: what no longer rests there did not in the step.
KAL_CHECKED KalStatus kal_run_rest_confirm(KalRun *run);

/// The same in the instant's state, before events change it: within a step functions at rest may
/// be farther off than at its ends, and how far is what they wait for when they are let go.
KAL_CHECKED KalStatus kal_run_rest_end(KalRun *run);

/// When a pulse in time has its next peak after t; infinite: never.  Overwrites the results of
/// the instant.
double kal_run_next_peak(KalRun *run, double t);

/// @name Pulses and poles that the motion meets
/// @{
KAL_CHECKED KalStatus kal_run_pulses_init(KalRun *run);
void kal_run_pulses_clear(KalRun *run);
/// Take the last step back if it has passed over one, and shorter ones in its place.
KAL_CHECKED KalStatus kal_run_heed_pulses(KalRun *run);
/// @}

/// @name Holds
/// @{
/// The first renewal was that of the start.  KAL_ERR_LIMIT when there would be too many.
KAL_CHECKED KalStatus kal_run_holds_start(KalRun *run);
/// The end of the run, the next renewal or the next peak of a pulse: no step goes across it.
double kal_run_end(const KalRun *run);
/// Whether a renewal is due at a time.
bool kal_run_holds_due(const KalRun *run, double t);
/// Renew what is due at the present time.
KAL_CHECKED KalStatus kal_run_holds_renew(KalRun *run);
/// @}

/// How the functions of switches cross zero at the horizon, n_switches.
const int *kal_run_switch_crossings(const KalRun *run);

/// Whether what happens at the horizon may let the state or what follows from it jump.
bool kal_run_events_jump(const KalRun *run);

/// Look for events in the last step; they move the horizon.
KAL_CHECKED KalStatus kal_run_events_find(KalRun *run);

/// Let the events at the horizon happen to the instant, which is the solved state there,
/// and go on from what they leave.
KAL_CHECKED KalStatus kal_run_events_apply(KalRun *run);

/// Know nothing of which rows are independent: others may act than before.
void kal_run_forget_rows(KalRun *run);
/// Begin at the instant's state: integrator and watches.
KAL_CHECKED KalStatus kal_run_begin(KalRun *run);

/// Who or what an incident is about.
typedef struct KalSubject {
    KalIncidentKind kind;
    const char *name; ///< copied; NULL for none
} KalSubject;

/// Remember something worth telling.  Beyond a limit it is forgotten.
KAL_CHECKED KalStatus kal_run_tell(KalRun *run, double t, KalSubject subject,
                                   const char *format, ...) KAL_PRINTF(4, 5);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The motion of a system in time.
///
///     kal_run_create(ctx, system, NULL, &run);
///     kal_run_start(run, &report);
///     kal_run_sample(run, take, user);   // calls take(user, run) for every sample,
///                                        // which looks at kal_run_instant(run)
///
/// Whoever wants to choose the times calls kal_run_advance() or kal_run_step() instead.
/// A run has a state and a workspace of its own; several runs of one system may go on in
/// threads of their own, each in its context.  Nothing depends on anything but the
/// arguments: the same input gives the same bits.  Between events nothing is allocated.

#ifndef KALABA_RUN_H
#define KALABA_RUN_H

#include <kalaba/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The motion of one system.
typedef struct KalRun KalRun;

/// The equations that are integrated: name, word in options, what it is.
#define KAL_RUN_FORM_LIST(X)                                                 \
    X(KAL_RUN_FORM_FULL, "full", "all velocities, as the constraints allow") \
    X(KAL_RUN_FORM_REDUCED, "reduced", "as many speeds as are free")

/// A form of the equations.
typedef enum KalRunForm {
#define KAL_RUN_FORM_ENUM(name, word, meaning) name,
    KAL_RUN_FORM_LIST(KAL_RUN_FORM_ENUM)
#undef KAL_RUN_FORM_ENUM
} KalRunForm;

/// How to run.  Fill with kal_run_options(), which takes what the model says, then change
/// single fields.
typedef struct KalRunOptions {
    double from;  ///< the first time
    double until; ///< the last time, not before the first
    double every; ///< the distance of samples, > 0; for those who take them
    double rtol;  ///< > 0: error of every step relative to the state
    double atol;  ///< > 0: and absolutely
    KalMethod method;
    KalDrift drift;
    KalRunForm form;   ///< KAL_RUN_FORM_REDUCED goes with DOP853 only
    double stabilize;  ///< the rate k of KAL_DRIFT_STABILIZE
    double fixed_step; ///< > 0: all steps of DOP853 have this size; 0: as errors demand
    long max_steps;    ///< > 0: the run fails when it would take more; 0: no limit
    /// Called after every step and before every sample, unless NULL; false: stop with
    /// KAL_ERR_INTERRUPTED.
    bool (*watch)(void *user, const KalRun *run);
    void *user; ///< passed to `watch`
} KalRunOptions;

/// Limits of runs.
enum {
    KAL_RUN_MAX_STEPS = 100000000 ///< of a run, unless its options say otherwise
};

/// The options that a model asks for; 0 .. 10 every 0.01, rtol 1e-9, atol 1e-12, auto and
/// project where it is silent; KAL_RUN_MAX_STEPS steps at most.
KAL_API KalRunOptions kal_run_options(const KalSystem *system);

/// What is known about a run in numbers, in one list; whatever shows a run expands it.
/// X(type, name, part, key, form, sight, label, meaning): a member of KalRunStatistics, whose
/// name is its key in tables and reports; the part of the JSON of a run that it belongs to,
/// and its key there; how it is written; when people see it, and what it is called then;
/// what it is.
#define KAL_STATISTIC_LIST(X)                                                          \
    X(long, steps, RUN, "steps", NUMBER, ALWAYS, "steps", "steps that were accepted")  \
    X(long, rejected, RUN, "rejected", NUMBER, ALWAYS, "steps rejected",               \
      "steps that were tried and given up")                                            \
    X(long, evaluations, RUN, "evaluations", NUMBER, ALWAYS,                           \
      "accelerations evaluated", "evaluations of the accelerations")                   \
    X(double, step, INTERNAL, "step", NUMBER, NEVER, "last step",                      \
      "size of the last step")                                                         \
    X(bool, stiff, RUN, "stiff", FLAG, NEVER, "stiff",                                 \
      "the method for stiff systems is at work")                                       \
    X(int, changes, RUN, "changes", NUMBER, NONZERO, "changes of the method",          \
      "changes of the method")                                                         \
    X(int, events, RUN, "events", NUMBER, NONZERO, "events", "events that happened")   \
    X(long, switches, RUN, "switches", NUMBER, NONZERO, "changes of pieces",           \
      "instants at which a piecewise formula changed its piece")                       \
    X(long, crossings, RUN, "crossings", NUMBER, NEVER, "steps across losses of rank", \
      "steps taken across a loss of rank, foreseen or averted")                        \
    X(int, passages, RUN, "passages", NUMBER, NONZERO, "passages of losses of rank",   \
      "passages of configurations in which constraints become dependent")              \
    X(double, position_error, CONSTRAINTS, "position", ERROR, POSITIONS,               \
      "worst position error", "the largest residual of a position-level constraint")   \
    X(double, velocity_error, CONSTRAINTS, "velocity", ERROR, VELOCITIES,              \
      "worst velocity error", "the largest residual of a velocity-level constraint")   \
    X(double, energy_initial, ENERGY, "initial", NUMBER, ALWAYS,                       \
      "energy at the start",                                                           \
      "T + V at the start, or T + V − q'·∂V/∂q' for a V with velocities")              \
    X(double, energy_final, ENERGY, "final", NUMBER, ALWAYS, "energy at the end",      \
      "the same now")                                                                  \
    X(double, energy_events, WORK, "events", NUMBER, NONZERO, "change by events",      \
      "by which events changed the energy, impacts included")                          \
    X(double, energy_lost, ENERGY, "lost", NUMBER, NONZERO, "energy lost in impacts",  \
      "energy lost in plastic impacts, when constraints engaged")                      \
    X(double, energy_balance, BALANCE, "balance", ERROR, BALANCED,                     \
      "energy balance off by",                                                         \
      "the largest part of the change of the energy that neither events nor work "     \
      "explain; NaN where a power had no value; only if the system was loaded with "   \
      "`balance`")                                                                     \
    X(double, energy_size, INTERNAL, "size", NUMBER, NEVER, "size of the energy",      \
      "the largest sum of the sizes of T, V and works, for which the same holds")      \
    X(double, energy_drift, ENERGY, "drift", ERROR, UNBALANCED,                        \
      "largest change of energy", "the largest difference from the initial one")

/// What a run did so far; KAL_STATISTIC_LIST says what each number is.
typedef struct KalRunStatistics {
#define KAL_STATISTIC_MEMBER(type, name, part, key, form, sight, label, meaning) \
    type name;
    KAL_STATISTIC_LIST(KAL_STATISTIC_MEMBER)
#undef KAL_STATISTIC_MEMBER
} KalRunStatistics;

/// Numbers about statistics.
enum {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define KAL_STATISTIC_ONE(type, name, part, key, form, sight, label, meaning) +1
    KAL_STATISTIC_COUNT = 0 KAL_STATISTIC_LIST(KAL_STATISTIC_ONE), ///< of them
#undef KAL_STATISTIC_ONE
};

/// The part of a run's results that a statistic belongs to.
typedef enum KalStatisticPart {
    KAL_STATISTIC_OF_RUN,         ///< the run as a whole
    KAL_STATISTIC_OF_CONSTRAINTS, ///< how far they were off
    KAL_STATISTIC_OF_ENERGY,
    KAL_STATISTIC_OF_WORK,     ///< on the system, with that of KalWork
    KAL_STATISTIC_OF_BALANCE,  ///< of the energy and the work
    KAL_STATISTIC_OF_INTERNAL, ///< for those who compute with it, not to be shown
} KalStatisticPart;

/// How a statistic is written.
typedef enum KalStatisticForm {
    KAL_STATISTIC_AS_NUMBER,
    KAL_STATISTIC_AS_ERROR, ///< few digits are enough
    KAL_STATISTIC_AS_FLAG,  ///< 0 or 1
} KalStatisticForm;

/// One statistic of a run, with all that there is to know about it.
typedef struct KalStatistic {
    const char *name;    ///< in KalRunStatistics; the key in tables and reports
    const char *key;     ///< in the JSON of its part
    const char *label;   ///< for people
    const char *meaning; ///< in words
    double value;
    KalStatisticPart part;
    KalStatisticForm form;
    bool visible; ///< people are to see it: it says something about this run
} KalStatistic;

/// Make a run.  `options` may be NULL.  The caller owns it and keeps the system longer.
/// KAL_ERR_USAGE when an option has no sense, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_run_create(KalContext *ctx, const KalSystem *system,
                                             const KalRunOptions *options,
                                             KalRun **out_run);

/// Free a run.  NULL is allowed.
KAL_API void kal_run_destroy(KalRun *run);

/// Bring the model's start onto the constraints and begin there.  As kal_instant_start(),
/// and failures of kal_run_advance().
KAL_API KAL_CHECKED KalStatus kal_run_start(KalRun *run, KalStartReport *out_report);

/// The same with some start values other than those of the model, as
/// kal_instant_start_from().
KAL_API KAL_CHECKED KalStatus kal_run_start_from(KalRun *run, const char *text,
                                                 KalStartReport *out_report);

/// How the model asks to be run with the parameters that an instant has.
KAL_API KalRunOptions kal_instant_run_options(const KalInstant *instant);

/// Set n parameters as kal_instant_set_parameters() does; the run is to be started after.
/// Its options stay.  KAL_ERR_FORMULATION also where `simulate` gives one of them, which the
/// run has as the model was loaded with, another value by these parameters: make a run with
/// what kal_instant_run_options() says.  Constants of the motion were proven for the
/// parameters as loaded: with others kal_run_constants() lists none, and where the energy was
/// among them the works are not known, NaN.
KAL_API KAL_CHECKED KalStatus kal_run_set_parameters(KalRun *run,
                                                     const KalSetting *settings,
                                                     size_t n);

/// Begin at the positions and velocities that the run's instant has now, and at the first
/// time.  Where they do not satisfy the constraints, and drift is kept small by projection,
/// they move onto them; by more than tolerances allow, that is an incident.  As of every
/// start, statistics and incidents are those from here on, and constraints act as they do
/// at the start of the model.
KAL_API KAL_CHECKED KalStatus kal_run_start_here(KalRun *run);

/// Go on to time t, which may be infinite, to the end or to an event that stops the run,
/// whatever comes first.
/// The instant is then the state reached, solved.  A failure says when and why and leaves
/// the last state that was reached: failures of kal_instant_solve(), KAL_ERR_NOT_UNIQUE
/// with the coordinates whose acceleration nothing determines, KAL_ERR_STEP when steps
/// became too small, KAL_ERR_LIMIT when there were too many, KAL_ERR_CHATTER when events
/// or pieces of formulas change without end, KAL_ERR_INTERRUPTED; KAL_ERR_USAGE before the
/// start and for a t that is no number.
KAL_API KAL_CHECKED KalStatus kal_run_advance(KalRun *run, double t);

/// Take one step of the integrator, whatever its size, or the rest of one that an advance
/// began; ends as kal_run_advance().
KAL_API KAL_CHECKED KalStatus kal_run_step(KalRun *run);

/// Gets a sample: the run is at its time, solved.  A failure ends the sampling.
typedef KalStatus (*KalRunTake)(void *user, KalRun *run);

/// Go on to the end, or to an event that stops the run, and give `take` the present state
/// and all samples after it: one at every multiple of `every` from the first time on, two
/// where an event lets something jump, before and behind it, and the last state, even if it
/// is not due.  Failures of kal_run_advance() and of `take`,
/// which leave the run where it is.  Several samples, of some steps, may be found at once: `take`
/// asks for the state by kal_run_instant(), each time; statistics are those of all these steps,
/// and the run may be at the end of the last but one when `take` fails.
KAL_API KAL_CHECKED KalStatus kal_run_sample(KalRun *run, KalRunTake take, void *user);

/// The state that the run has reached.
KAL_API KalInstant *kal_run_instant(KalRun *run);

/// The time that the run has reached.
KAL_API double kal_run_time(const KalRun *run);

/// How it runs.
KAL_API KalRunOptions kal_run_get_options(const KalRun *run);

/// Whether the end was reached or an event stopped the run.
KAL_API bool kal_run_is_over(const KalRun *run);

/// The event that stopped the run, or NULL.
KAL_API const char *kal_run_stopped_by(const KalRun *run);

/// The names of the coordinates or constraints that the last failure blames; returns how
/// many.  They hold until the run goes on.
KAL_API size_t kal_run_fault(const KalRun *run, const char *const **out_names);

/// What the run did so far.
KAL_API KalRunStatistics kal_run_statistics(const KalRun *run);

/// The same as a list in the order of KAL_STATISTIC_LIST, for those who show a run.
KAL_API void kal_run_describe(const KalRun *run,
                              KalStatistic out_list[KAL_STATISTIC_COUNT]);

/// Something that may do work on a system.
typedef struct KalWork {
    KalWorkKind kind;
    const char *name; ///< `drive(a)`, `control(u)`, or the word of the kind
    const char *of;   ///< the coordinate or the actuator; NULL for other kinds
    double power;     ///< now; 0 for KAL_WORK_TIME
    double work;      ///< since the start
} KalWork;

/// The balance of the energy, if the system was loaded with `balance`: all that may do
/// work.  Where the energy is constant by proof all work is 0.  Returns how many there
/// are; they hold until the run goes on.
KAL_API size_t kal_run_works(KalRun *run, const KalWork **out_works);

/// A quantity that the formulas prove to be constant, as `check` lists them.
typedef struct KalConstant {
    const char *name;
    double initial;
    double drift; ///< the largest difference from it
} KalConstant;

/// The constants of the motion, if the system was loaded with `balance`.  Returns how
/// many there are; they hold until the run goes on.
KAL_API size_t kal_run_constants(const KalRun *run, const KalConstant **out_constants);

/// What was asked of an actuator, and what it gave.
typedef struct KalEffort {
    const char *name;
    double limit;     ///< infinite for none
    double demanded;  ///< the largest size of what the servos needed
    double delivered; ///< and of what they got
    double limited;   ///< how long it was at its limit, up to the last time it left it
} KalEffort;

/// The actuators of a model with servo constraints.  Returns how many there are; they
/// hold until the run goes on.
KAL_API size_t kal_run_efforts(const KalRun *run, const KalEffort **out_efforts);

/// What may happen in a run: name, word, what it is.
#define KAL_INCIDENT_LIST(X)                                                          \
    X(KAL_INCIDENT_EVENT, "event", "an event of the model")                           \
    X(KAL_INCIDENT_IMPACT, "impact", "velocities jump, for a constraint asks it")     \
    X(KAL_INCIDENT_CLOSES, "closes", "a contact closes")                              \
    X(KAL_INCIDENT_OPENS, "opens", "a contact opens")                                 \
    X(KAL_INCIDENT_STICKS, "sticks", "a friction begins to hold")                     \
    X(KAL_INCIDENT_SLIPS, "slips", "a friction begins to slide")                      \
    X(KAL_INCIDENT_PASSAGE, "passage", "constraints become dependent for an instant") \
    X(KAL_INCIDENT_LIMIT, "limit", "an actuator is at its limit for a time")          \
    X(KAL_INCIDENT_METHOD, "method", "the integrator changes or meets its limits")    \
    X(KAL_INCIDENT_START, "start", "the state to begin at is off the constraints")

/// A kind of incident.
typedef enum KalIncidentKind {
#define KAL_INCIDENT_ENUM(name, word, meaning) name,
    KAL_INCIDENT_LIST(KAL_INCIDENT_ENUM)
#undef KAL_INCIDENT_ENUM
} KalIncidentKind;

/// The word of a kind of incident; NULL for a number that is none.
KAL_API const char *kal_incident_word(KalIncidentKind kind);

/// Something worth telling that happened in a run.
typedef struct KalIncident {
    double t;
    KalIncidentKind kind;
    const char *name; ///< of the event, constraint, actuator or method; NULL for none
    const char *text; ///< one sentence, with names
} KalIncident;

/// What happened so far, up to a limit.  Returns how many; they hold until the run goes on.
KAL_API size_t kal_run_incidents(const KalRun *run, const KalIncident **out_incidents);

/// Reasons not to trust the run so far, each one sentence: a balance of the energy that is
/// off by more than the tolerances explain, if the system was loaded with `balance`.
/// Returns how many; they hold until the run goes on.
KAL_API size_t kal_run_warnings(KalRun *run, const char *const **out_texts);

#ifdef __cplusplus
}
#endif

#endif

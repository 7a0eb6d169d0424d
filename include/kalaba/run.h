// SPDX-License-Identifier: MIT

/// @file
/// The motion of a system in time.
///
///     kal_run_create(ctx, system, NULL, &run);
///     kal_run_start(run, &report);
///     while (!kal_run_is_over(run)) {
///         kal_run_advance(run, t += 0.01);
///         … kal_run_instant(run) …
///     }
///
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

/// What a run did so far.
typedef struct KalRunStatistics {
    long steps;
    long rejected;         ///< steps that were tried and given up
    long evaluations;      ///< of the accelerations
    double step;           ///< size of the last step
    double position_error; ///< the largest residual of a position-level constraint
    double velocity_error; ///< and of a velocity-level one
    double energy_initial; ///< T + V, or T + V − q'·∂V/∂q' for a V with velocities
    double energy_final;
    double energy_drift; ///< the largest difference from the initial one
    bool stiff;          ///< the method for stiff systems is at work
    int changes;         ///< of the method
    int events;
    long switches;        ///< instants at which a piecewise formula changed its piece
    long crossings;       ///< steps taken across a loss of rank, foreseen or averted
    int passages;         ///< of configurations in which constraints become dependent
    double energy_lost;   ///< in plastic impacts, when constraints engaged
    double energy_events; ///< by which events changed the energy, impacts included
    double
        energy_balance; ///< the largest part of the change of the energy that neither
                        ///< events nor work explain; NaN where a power had no value.
                        ///< Only if the system was loaded with `balance`
    double
        energy_size; ///< the largest sum of the sizes of T, V and works, for which the
                     ///< same holds
} KalRunStatistics;

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

/// The names of the coordinates or constraints that the last failure blames; answers how
/// many.  They hold until the run goes on.
KAL_API size_t kal_run_fault(const KalRun *run, const char *const **out_names);

/// What the run did so far.
KAL_API KalRunStatistics kal_run_statistics(const KalRun *run);

/// What does work on a system: what changes T + V.
typedef enum KalWorkKind {
    KAL_WORK_FORCES,      ///< `force` and `power`
    KAL_WORK_DISSIPATION, ///< `dissipation`
    KAL_WORK_TIME,        ///< energies with explicit time, moving frames
    KAL_WORK_MASSES,      ///< masses given directly, whose energy is not in T
    KAL_WORK_CONSTRAINTS, ///< constraints that move or are not homogeneous
    KAL_WORK_NONIDEAL,    ///< the non-ideal part of the constraint force
    KAL_WORK_SERVOS,      ///< servo constraints, when there are no actuators
    KAL_WORK_DRIVE,       ///< a prescribed coordinate
    KAL_WORK_CONTROL,     ///< an actuator
} KalWorkKind;

/// A word for each kind: `forces`, `drives`, …
KAL_API const char *kal_work_kind_word(KalWorkKind kind);

/// One of them.
typedef struct KalWork {
    KalWorkKind kind;
    const char *name; ///< `drive(a)`, `control(u)`, or the word of the kind
    const char *of;   ///< the coordinate or the actuator; NULL for other kinds
    double power;     ///< now; 0 for KAL_WORK_TIME
    double work;      ///< since the start
} KalWork;

/// The balance of the energy, if the system was loaded with `balance`: all that may do
/// work.  Where the energy is constant by proof all work is 0.  Answers how many there
/// are; they hold until the run goes on.
KAL_API size_t kal_run_works(KalRun *run, const KalWork **out_works);

/// A quantity that the formulas prove to be constant, as `check` lists them.
typedef struct KalConstant {
    const char *name;
    double initial;
    double drift; ///< the largest difference from it
} KalConstant;

/// The constants of the motion, if the system was loaded with `balance`.  Answers how
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

/// The actuators of a model with servo constraints.  Answers how many there are; they
/// hold until the run goes on.
KAL_API size_t kal_run_efforts(const KalRun *run, const KalEffort **out_efforts);

/// Something worth telling that happened in a run.
typedef struct KalIncident {
    double t;
    const char *text; ///< one sentence, with names
} KalIncident;

/// What happened so far, up to a limit: events, passages, a change of the method, times of
/// actuators at their limits.  Answers
/// how many; they hold until the run goes on.
KAL_API size_t kal_run_incidents(const KalRun *run, const KalIncident **out_incidents);

/// Reasons not to trust the run so far, each one sentence: a balance of the energy that is
/// off by more than the tolerances explain, if the system was loaded with `balance`.
/// Answers how many; they hold until the run goes on.
KAL_API size_t kal_run_warnings(KalRun *run, const char *const **out_texts);

#ifdef __cplusplus
}
#endif

#endif

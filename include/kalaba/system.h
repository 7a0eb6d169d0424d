// SPDX-License-Identifier: MIT

/// @file
/// From the text of a model to numbers: load it, start it consistently, solve an instant.
///
///     KalSystem *system;
///     KalInstant *instant;
///     kal_system_load(ctx, "sleigh.kal", text, length, NULL, &system);
///     kal_instant_create(ctx, system, &instant);
///     kal_instant_start(instant, &report);
///     kal_instant_solve(instant, &answer);
///
/// A KalSystem is compiled: it never changes and may be shared by threads.  A KalInstant
/// is a state (time, coordinates, velocities) with its workspace; make one per thread, in
/// a context of that thread.  Solving allocates nothing.

#ifndef KALABA_SYSTEM_H
#define KALABA_SYSTEM_H

#include <kalaba/model.h>
#include <kalaba/motion.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most coordinates, and the most constraints, that a system usually may have
/// (kal_context_set_huge()).  Beyond 200
/// coordinates instants are sparse, and so are runs, but for those by method bdf or in the
/// reduced form and those of models with servos, which take up to 4096 of each; analyses
/// take KAL_ANALYSIS_LIMIT.
#define KAL_SYSTEM_LIMIT 1048576

/// The parts of loading, in their order.
typedef enum KalLoadPhase {
    KAL_LOAD_READ,    ///< from text to a model
    KAL_LOAD_DERIVE,  ///< from the model to equations
    KAL_LOAD_COMPILE, ///< from equations to programs
} KalLoadPhase;

/// A remark on the text of a model.  Places count from 1, columns in characters; the end is
/// the place behind what is meant.
typedef struct KalRemark {
    const char
        *kind; ///< `error`, `warning`, or `note`, which adds to the remark before
    const char
        *file; ///< whose text it is about; NULL, and places 0, when it is about none
    size_t line;
    size_t column;
    size_t end_line;
    size_t end_column;
    const char *message; ///< one line, without place or kind
} KalRemark;

/// How to load.  Zeroed: no overrides, no files, no messages.
typedef struct KalLoadOptions {
    const KalOverride *overrides;
    size_t n_overrides;
    KalReadText read;   ///< for `use "file.kal"`; NULL: such a statement is an error
    void *user;         ///< passed to `read`
    bool allow_outside; ///< `use` may leave the folder of the model
    bool stiff; ///< prepare for runs of stiff systems: takes some more time and memory
    bool balance;  ///< prepare for the balance of energy in runs: the same
    bool analysis; ///< for analysis: first-order states become coordinates without mass
    /// Called as each part begins, unless NULL.
    void (*enter)(void *enter_user, KalLoadPhase phase);
    void *enter_user;
    /// Statements that follow the text, on a line of their own; or NULL.
    const char *more;
    KalSink messages; ///< gets all errors with their places; `write` may be NULL
    /// Gets every remark, warnings too, when loading has ended, unless NULL.
    void (*remark)(void *remark_user, const KalRemark *remark);
    void *remark_user;
} KalLoadOptions;

/// A model that was compiled.
typedef struct KalSystem KalSystem;

/// Load a model of `length` bytes; `name` stands for it in messages and is where paths
/// in it begin.  `options` may be NULL.  The caller owns the system.  KAL_ERR_SYNTAX when
/// the model is at fault: the context has the first error, `messages` gets all.
/// KAL_ERR_LIMIT, KAL_ERR_NOMEM, KAL_ERR_NUMBER.
KAL_API KAL_CHECKED KalStatus kal_system_load(KalContext *ctx, const char *name,
                                              const char *text, size_t length,
                                              const KalLoadOptions *options,
                                              KalSystem **out_system);

/// Free a system.  NULL is allowed.  Its instants must be gone.
KAL_API void kal_system_destroy(KalSystem *system);

/// The title that the model gives itself, or the name of its file.
KAL_API const char *kal_system_title(const KalSystem *system);

/// How many coordinates there are.
KAL_API int kal_system_coordinates(const KalSystem *system);

/// How many constraints there are.
KAL_API int kal_system_constraints(const KalSystem *system);

/// How many outputs the model declares.
KAL_API int kal_system_outputs(const KalSystem *system);

/// The names of all coordinates.
KAL_API const char *const *kal_system_coordinate_names(const KalSystem *system);

/// The names of all constraints.
KAL_API const char *const *kal_system_constraint_names(const KalSystem *system);

/// The names of all outputs.
KAL_API const char *const *kal_system_output_names(const KalSystem *system);

/// How many first-order states there are.
KAL_API int kal_system_states(const KalSystem *system);

/// The names of all first-order states.
KAL_API const char *const *kal_system_state_names(const KalSystem *system);

/// How many values are held between renewals.
KAL_API int kal_system_holds(const KalSystem *system);

/// The names of all values that are held.
KAL_API const char *const *kal_system_hold_names(const KalSystem *system);

/// How many inputs the caller may set: actuators that have neither a law nor servos to
/// meet.
KAL_API int kal_system_inputs(const KalSystem *system);

/// The names of all inputs.
KAL_API const char *const *kal_system_input_names(const KalSystem *system);

/// A parameter of a model.
typedef struct KalParameterInfo {
    const char *name; ///< `m`, `m[2]`, `link[2].k`; "" where there is none
    const char *unit; ///< or NULL
    double value;     ///< that the model was loaded with, in base units
    bool fixed;       ///< only loading can give it another value
    bool sizes;       ///< sizes of arrays and ranges of loops depend on it
    bool degrees;     ///< the model gives it in degrees; `value` is in radians
} KalParameterInfo;

/// How many parameters there are.
KAL_API int kal_system_parameters(const KalSystem *system);

/// One of them.
KAL_API KalParameterInfo kal_system_parameter(const KalSystem *system, int index);

/// Write the warnings about the model, each with its place; returns how many there are.
KAL_API size_t kal_system_write_warnings(const KalSystem *system, KalSink sink);

/// What does work on a system: what changes T + V.
typedef enum KalWorkKind {
    KAL_WORK_FORCES,      ///< `force` and `power`
    KAL_WORK_DISSIPATION, ///< `dissipation`
    KAL_WORK_TIME,        ///< energies with explicit time, moving frames
    KAL_WORK_MASSES,      ///< masses given directly, whose energy is not in T
    KAL_WORK_CONSTRAINTS, ///< constraints that move or are not homogeneous
    KAL_WORK_NONIDEAL,    ///< the non-ideal part of the constraint force
    KAL_WORK_FRICTION,    ///< contacts and frictions that slide
    KAL_WORK_SERVOS,      ///< servo constraints, when there are no actuators
    KAL_WORK_DRIVE,       ///< a prescribed coordinate
    KAL_WORK_CONTROL,     ///< an actuator
} KalWorkKind;

/// A word for each kind: `forces`, `drives`, …
KAL_API const char *kal_work_kind_word(KalWorkKind kind);

/// A state with its workspace.
typedef struct KalInstant KalInstant;

/// Make an instant at the model's first time with the start values as they are written.
/// The caller owns it and keeps the system longer.
KAL_API KAL_CHECKED KalStatus kal_instant_create(KalContext *ctx,
                                                 const KalSystem *system,
                                                 KalInstant **out_instant);

/// Free an instant.  NULL is allowed.
KAL_API void kal_instant_destroy(KalInstant *instant);

/// A value for a parameter, in base units.
typedef struct KalSetting {
    const char *name;
    double value;
} KalSetting;

/// A number of degrees in radians: bit for bit what the same number with `[deg]` comes to in
/// a model, for parameters that are shown in degrees.
KAL_API double kal_radians(double degrees);

/// Set n parameters, other than by loading the model again: these have the values given,
/// parameters whose values follow them follow, and all others have those that the model was
/// loaded with; n = 0: all.  Then the state is that of a new instant: the first time, and
/// the start values as they are written.  What comes of it is, bit for bit, what loading
/// with these values comes to.  It takes microseconds and allocates nothing.  On failure
/// nothing changes: KAL_ERR_USAGE when a name is none or is there twice, KAL_ERR_FORMULATION
/// when the structure of the model depends on a parameter (docs/running.md), KAL_ERR_NUMBER
/// when a value, or what follows from it, is one that the model cannot have.
KAL_API KAL_CHECKED KalStatus kal_instant_set_parameters(KalInstant *instant,
                                                         const KalSetting *settings,
                                                         size_t n);

/// The values of all parameters as they are now.
KAL_API const double *kal_instant_parameters(const KalInstant *instant);

/// The time, to read and to write.
KAL_API double *kal_instant_t(KalInstant *instant);

/// The n coordinates, to read and to write.
KAL_API double *kal_instant_q(KalInstant *instant);

/// The n velocities, to read and to write.
KAL_API double *kal_instant_qd(KalInstant *instant);

/// The first-order states, to read and to write.
KAL_API double *kal_instant_states(KalInstant *instant);

/// The values that are held, to read and to write.
KAL_API double *kal_instant_holds(KalInstant *instant);

/// The inputs, to read and to write: 0 until they are set, and after parameters are.  What an
/// input does is its value times what its actuator acts on.  A solve with one that is beyond
/// the limit of its actuator fails.  Not for the instant of a run, whose inputs stay 0.
KAL_API double *kal_instant_inputs(KalInstant *instant);

/// Set named values of the state as a text says, `x = 1, y' = 2, t = 0`; values may use
/// parameters.  `out_complete`, unless NULL, becomes whether all coordinates and
/// velocities were named.  KAL_ERR_SYNTAX when the text or a name is wrong.
KAL_API KAL_CHECKED KalStatus kal_instant_set(KalInstant *instant, const char *text,
                                              bool *out_complete);

/// What finding a consistent start came to.  Arrays hold until the next start.
typedef struct KalStartReport {
    bool moved;             ///< the values as written did not satisfy the constraints
    const double *moved_q;  ///< n: how far each coordinate moved
    const double *moved_qd; ///< n: and each velocity
    int n_failed;           ///< constraints that could not be met
    const int *failed;      ///< their indices, rising
    bool velocity;          ///< they fail at velocity level; positions were found
} KalStartReport;

/// Bring the state onto the constraints, moving as little as possible in the sense of the
/// kinetic energy; values that the model holds with `=` never move (docs/theory, section
/// 13).  KAL_ERR_CONTRADICTION when it cannot be done: the report says which constraints
/// fail, and the state is the best that was found.
KAL_API KAL_CHECKED KalStatus kal_instant_start(KalInstant *instant,
                                                KalStartReport *out_report);

/// The same with some values other than those of the model, `x = 1, y' = 2`, which are held;
/// `text` may be NULL, for none.  KAL_ERR_SYNTAX when it or a name is wrong, KAL_ERR_USAGE
/// when it sets the time.
KAL_API KAL_CHECKED KalStatus kal_instant_start_from(KalInstant *instant,
                                                     const char *text,
                                                     KalStartReport *out_report);

/// Solve the instant.  Statuses as of kal_motion_solve(); KAL_ERR_NUMBER also when a
/// formula has no value in this state.
KAL_API KAL_CHECKED KalStatus kal_instant_solve(KalInstant *instant,
                                                KalMotionAnswer *out_answer);

/// Many states side by side: number i of state j is at [i * count + j].
typedef struct KalManyStates {
    size_t count;
    const double *t; ///< count, or one
    bool one_time;   ///< for all of them
    const double *q;
    const double *qd;
    const double *inputs; ///< or NULL: those of the instant
    double *out_qdd;
} KalManyStates;

/// Accelerations of many states at once, as kal_instant_solve() has them but for rounding.  The
/// first that fails ends it: the instant has that state.  First-order states and held values
/// stay as they are; `inputs` stay those of the last state.  Not for the instant of a
/// run.  KAL_ERR_NOMEM, and statuses as of kal_instant_solve().
KAL_API KAL_CHECKED KalStatus kal_instant_solve_many(KalInstant *instant,
                                                     const KalManyStates *states);

/// The rates of the first-order states, after a solve.  KAL_ERR_NUMBER when one has no value.
KAL_API KAL_CHECKED KalStatus kal_instant_rates(KalInstant *instant, double *out_rates);

/// M, Q, A, b, C of the last solve.  Constraints that an event has released, or has yet
/// to engage, have no rows.
KAL_API KalMotionProblem kal_instant_problem(KalInstant *instant);

/// Who is to blame when the last solve failed; constraints by their rows in
/// kal_instant_problem().
KAL_API KalMotionFault kal_instant_fault(const KalInstant *instant);

/// The names of those to blame when the last solve failed: coordinates, constraints or
/// servos.  Returns how many; they hold until the next solve.
KAL_API size_t kal_instant_fault_names(const KalInstant *instant,
                                       const char *const **out_names);

/// How far a state is off the constraints on positions or, where these hold, on velocities.
typedef struct KalMisfit {
    int count;              ///< constraints that it does not satisfy but for rounding
    const char *constraint; ///< the one that it is furthest off; NULL if there is none
    bool velocity;          ///< with its velocities
    double off;             ///< the size of left side minus right side
} KalMisfit;

/// Find it for the state that an instant has.  KAL_ERR_NUMBER when a constraint has no
/// value there.
KAL_API KAL_CHECKED KalStatus kal_instant_misfit(KalInstant *instant,
                                                 KalMisfit *out_misfit);

/// Where formulas of the equations change from one piece to another.
typedef struct KalSeam {
    bool found;      ///< the state is there
    char where[640]; ///< "model.kal:3:14: ", or nothing
    char quote[512]; ///< what changes, as the model writes it
} KalSeam;

/// Whether the equations are others on the two sides of the state that an instant has, as those
/// with `abs(x)` in a constraint are at x = 0.  A solve takes formulas as they come there, with
/// sign(0) = 0, which may be true of neither side.
KAL_API KAL_CHECKED KalStatus kal_instant_seam(KalInstant *instant, KalSeam *out_seam);

/// Values of the outputs after a solve; they hold until the next call.
KAL_API KAL_CHECKED KalStatus kal_instant_outputs(KalInstant *instant,
                                                  const double **out_values);

/// For each output whether its value after a solve is not unique: whether it hangs on how
/// redundant constraints share a force.  Holds until the next call.
KAL_API const bool *kal_instant_doubts(KalInstant *instant);

#ifdef __cplusplus
}
#endif

#endif

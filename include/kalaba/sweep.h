// SPDX-License-Identifier: MIT

/// @file
/// Many runs of one model: which inputs each of them has, what is kept of it, and all of
/// them on all cores.
///
///     const char *vary[] = {"L = 0.1 .. 1 count 50", "theta = 0.5, 1, 2"};
///     const KalSweepOptions options = {.vary = vary, .n_vary = 2, .keep = "max(theta')"};
///     kal_sweep_create(ctx, system, &options, &sweep);
///     kal_sweep_go(sweep, &(KalSweepJob){.take = take, .user = user});
///
/// A KalSweep is compiled: it never changes, and threads may share it.  Run k has the same
/// inputs and the same results, bit for bit, whatever ran before it, and where.

#ifndef KALABA_SWEEP_H
#define KALABA_SWEEP_H

#include <kalaba/run.h>
#include <kalaba/table.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How random samples are spread: name, word in options, what it is.
#define KAL_SWEEP_DESIGN_LIST(X)                                                      \
    X(KAL_SWEEP_RANDOM, "random", "independent of each other")                        \
    X(KAL_SWEEP_LATIN, "latin", "Latin hypercube: one in each of N parts of an axis") \
    X(KAL_SWEEP_SOBOL, "sobol", "points of Sobol, which fill space evenly")

/// A design.
typedef enum KalSweepDesign {
#define KAL_SWEEP_DESIGN_ENUM(name, word, meaning) name,
    KAL_SWEEP_DESIGN_LIST(KAL_SWEEP_DESIGN_ENUM)
#undef KAL_SWEEP_DESIGN_ENUM
} KalSweepDesign;

/// What is kept of a column of a run: name, word, what it is.
#define KAL_SWEEP_KEEP_LIST(X)                                       \
    X(KAL_SWEEP_FINAL, "final", "the value at the end")              \
    X(KAL_SWEEP_MAX, "max", "the largest value at any time")         \
    X(KAL_SWEEP_MIN, "min", "the smallest value at any time")        \
    X(KAL_SWEEP_MEAN, "mean", "the mean over time")                  \
    X(KAL_SWEEP_RMS, "rms", "the root of the mean square over time") \
    X(KAL_SWEEP_WHEN, "when", "the first time of an event; NaN: never")

/// Bounds that every sweep keeps.
enum {
    KAL_SWEEP_INPUT_LIMIT = 1000, ///< inputs
    KAL_SWEEP_BUILD_LIMIT = 1000, ///< values of parameters that change the structure
    KAL_SWEEP_REASON_SIZE = 512   ///< bytes of a reason, with its end
};

/// The most runs of a sweep.
#define KAL_SWEEP_RUN_LIMIT ((uint64_t)1000000000000)

/// Loads the model of a sweep with further overrides, for parameters that change its
/// structure.  The sweep owns the system.
typedef KalStatus (*KalSweepLoad)(void *user, const KalOverride *overrides, size_t n,
                                  KalSystem **out_system);

/// What to sweep.  Zeroed: one run, of which `final(*)` is kept.
///
/// Inputs are parameters and start values, `L`, `link[2].k`, `theta`, `theta'`; start values
/// are held, as with `=` in `init`.  Values are numbers or what the language makes of
/// numbers, parameters, `pi` and `deg`.
typedef struct KalSweepOptions {
    /// n_vary texts such as `L = 0.1 .. 1 count 50`, `N = 2 .. 10` in steps of 1, or
    /// `L = 1, 2, 5`: all combinations, the last one fastest.
    const char *const *vary;
    size_t n_vary;
    /// n_random texts such as `k = normal(100, 5)`, `uniform(a, b)`, `loguniform(a, b)`.
    const char *const *random;
    size_t n_random;
    uint64_t
        count; ///< with `random`: samples at each point of the grid, 1 or more; else 0
    uint64_t seed;
    KalSweepDesign design;
    /// What to keep, such as `final(x), max(reaction(*)), when(hit)`; columns are those of a
    /// record, with `*` for any text and `?` for any character; `*` alone stands for time,
    /// coordinates, velocities and outputs.  NULL: `final(*)`.
    const char *keep;
    /// Keep all samples of each run, those that kal_run_sample() gives, and not values of
    /// it: the kept values are then time, coordinates, velocities and outputs, and columns
    /// that fit one of n_columns patterns, as in kal_record_create(); `keep` is NULL.
    bool trajectories;
    const char *const *columns; ///< with `trajectories` only
    size_t n_columns;
    /// Changes how runs go, unless NULL; it is called for each system, for what the work in a
    /// file is known by, and where `simulate` depends on an input for each run, by any thread.
    /// `watch` is not for it to set, but for kal_sweep_start().
    void (*adjust)(void *user, KalRunOptions *options);
    KalSweepLoad load; ///< NULL: inputs that change the structure are refused
    void *user;        ///< passed to both
} KalSweepOptions;

/// Many runs of one model.
typedef struct KalSweep KalSweep;

/// Make a sweep of a system, which the caller keeps longer.  The caller owns it.
/// KAL_ERR_USAGE when an option or a name is wrong, KAL_ERR_SYNTAX for a value,
/// KAL_ERR_FORMULATION when an input changes the structure and may not, KAL_ERR_LIMIT,
/// KAL_ERR_NOMEM; failures of loading.
KAL_API KAL_CHECKED KalStatus kal_sweep_create(KalContext *ctx, const KalSystem *system,
                                               const KalSweepOptions *options,
                                               KalSweep **out_sweep);

/// Free a sweep.  NULL is allowed.
KAL_API void kal_sweep_destroy(KalSweep *sweep);

/// The system that it is a sweep of, as it was given.
KAL_API const KalSystem *kal_sweep_system(const KalSweep *sweep);

/// How many runs there are.
KAL_API uint64_t kal_sweep_runs(const KalSweep *sweep);

/// How many inputs each has.
KAL_API size_t kal_sweep_inputs(const KalSweep *sweep);

/// How many values are kept of each.
KAL_API size_t kal_sweep_kept(const KalSweep *sweep);

/// What input i is, counted from 0; numbers are as options give them, so of a parameter in
/// degrees they are in degrees.  With `trajectories` a start value is `start(theta)`, for
/// `theta` is a column.
KAL_API KalQuantity kal_sweep_input(const KalSweep *sweep, size_t i);

/// What kept value i is, counted from 0: `max(theta')`; with `trajectories` `theta'`.
KAL_API KalQuantity kal_sweep_value(const KalSweep *sweep, size_t i);

/// The inputs of a run, counted from 1: a number for each.
/// KAL_ERR_USAGE when there is no such run.
KAL_API KAL_CHECKED KalStatus kal_sweep_find_inputs(const KalSweep *sweep, uint64_t run,
                                                    double *out_inputs);

/// One run of a sweep.  A run that failed is one too.
typedef struct KalSweepRow {
    uint64_t run;         ///< its number, counted from 1
    const double *inputs; ///< as kal_sweep_input() lists them
    const double
        *values; ///< as kal_sweep_value() lists them; NaN where there is none, and
                 ///< all of a run that failed; with `trajectories` at the end
    /// With `trajectories` n_samples rows of as many values, up to a failure; else NULL.
    const double *samples;
    size_t n_samples;
    /// For each value whether it hangs on how redundant constraints share a force, at any time
    /// of the run that it depends on, and so is not unique; NULL: all are.
    const bool *not_unique;
    KalStatus status;   ///< why it failed; KAL_OK
    const char *reason; ///< the same in words, in one line; "ok"
} KalSweepRow;

/// Gets a row.  It is called by the threads of a sweep, by one at a time, in the order in
/// which runs end: with one thread, and `alone`, that of their numbers.  A failure ends the
/// sweep.
typedef KalStatus (*KalSweepTake)(void *user, const KalSweepRow *row);

/// How to go through a sweep.  Zeroed but for `take`: all runs, on all cores.
typedef struct KalSweepJob {
    int threads;    ///< how many; 0: as many as there are cores
    bool alone;     ///< no steps of several runs at once (lanes): slower, the same bits
    uint64_t shard; ///< counted from 1; 0: all runs
    uint64_t shards; ///< shard k of n has the runs k, k + n, k + 2n, …
    /// Whether a run is to be passed over, unless NULL; called as `take` is.
    bool (*skip)(void *user, uint64_t run);
    /// Unless NULL, tells which run is next, counted from 1, in place of shards and `skip`;
    /// false: there are no more.  Called as `take` is.  KAL_ERR_USAGE for a run that is none.
    bool (*next)(void *user, uint64_t *out_run);
    /// Asked every now and then, by any thread; false: end with KAL_ERR_INTERRUPTED.
    bool (*watch)(void *user);
    KalSweepTake take;
    /// Called after `take`, unless NULL, by several threads at a time: for work on rows that takes
    /// longer and may be shared.
    void (*after)(void *user);
    void *user; ///< passed to all of them
} KalSweepJob;

/// Do all runs.  With more than one thread the allocator of the context is called by
/// several at a time.  KAL_ERR_INTERRUPTED, KAL_ERR_NOMEM, failures of `take`; those of
/// runs are in their rows.
KAL_API KAL_CHECKED KalStatus kal_sweep_go(const KalSweep *sweep,
                                           const KalSweepJob *job);

/// Make one run of a sweep, counted from 1, and start it: with its inputs and with the options
/// that `adjust` gives, `watch` too.  The caller owns the run, and the sweep its system.
/// KAL_ERR_USAGE when there is no such run; why it cannot start.
KAL_API KAL_CHECKED KalStatus kal_sweep_start(const KalSweep *sweep, uint64_t run,
                                              KalRun **out_run,
                                              const KalSystem **out_system);

/// How far a sweep into a file has come.
typedef struct KalSweepProgress {
    uint64_t runs;   ///< that there are, in this shard
    uint64_t done;   ///< of them, earlier ones included
    uint64_t before; ///< were done when this began
    uint64_t failed; ///< of those that were done since
} KalSweepProgress;

/// How to write a sweep to a file.  Zeroed: all runs, on all cores, from the beginning.
typedef struct KalSweepFileOptions {
    int threads;     ///< as in KalSweepJob
    bool alone;      ///< likewise
    uint64_t shard;  ///< likewise: the work of a shard is kept beside the file
    uint64_t shards; ///< likewise
    bool merge;      ///< do nothing but put shards together, whose work is whole
    bool resume;     ///< go on with the work beside the file, if there is any
    bool ranks;      ///< mpirun has started several processes, which all do this sweep
    const char *command; ///< a note for the file, or NULL
    /// Called after each run, unless NULL; by one thread at a time.
    void (*tell)(void *user, const KalSweepProgress *progress);
    /// As in KalSweepJob.
    bool (*watch)(void *user);
    /// Gets each row as it is written to the table, in the order of their numbers, unless
    /// NULL; rows of samples it does not get.
    KalSweepTake row;
    void *user; ///< passed to all of them
    /// Unless NULL: room for a mark for each of the kept values.  It is set if the value of any
    /// run is not unique.
    bool *not_unique;
} KalSweepFileOptions;

/// How many statuses there are.
enum {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define KAL_SWEEP_ONE(name, phrase) +1
    KAL_SWEEP_STATUSES = 0 KAL_STATUS_LIST(KAL_SWEEP_ONE)
#undef KAL_SWEEP_ONE
};

/// What a sweep into a file came to.
typedef struct KalSweepSummary {
    int rank;        ///< of this process; those above 0 write nothing
    uint64_t runs;   ///< in the file, or in the shard
    uint64_t before; ///< of them, done by an earlier start
    uint64_t statuses[KAL_SWEEP_STATUSES]; ///< runs by their status
} KalSweepSummary;

/// Do all runs and write a table of them, .csv, .h5 or .hdf5: columns `run`, inputs, values,
/// `status`; rows by their numbers (docs/sweeping.md).  Where values are not unique there is a
/// column `not_unique` before the last, with their names.  With `trajectories` a run has a row
/// for each of its samples, and one of NaN if it has none.  Memory does not grow with the runs.
///
/// Until the table is whole the work is in a file beside it, PATH.sweep, at most a quarter of
/// a second behind; a process that is killed loses no more, and another goes on there with
/// `resume`.  That of a shard stays, PATH.K-of-N.sweep, until `merge`.  Work that is there
/// and not resumed is moved to PATH.sweep.old.
///
/// With `ranks` rank 0 writes the file and the others work for it; Open MPI is loaded for that.
/// All have to be given the same.  A process does this once.
///
/// KAL_ERR_USAGE when the ending is not known, when work is resumed that is of another sweep,
/// or shards to merge are missing; KAL_ERR_FILE; failures of kal_sweep_go().  The summary is
/// written in any case in which the work could be opened.
KAL_API KAL_CHECKED KalStatus kal_sweep_write(const KalSweep *sweep, const char *path,
                                              const KalSweepFileOptions *options,
                                              KalSweepSummary *out_summary);

/// The word of a design in options; NULL for a number that is none.
KAL_API const char *kal_sweep_design_word(KalSweepDesign design);

#ifdef __cplusplus
}
#endif

#endif

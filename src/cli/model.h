// SPDX-License-Identifier: MIT

/// @file
/// What the commands that take a model share: loading it, and telling of failures.

#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include "command.h"
#include "input.h"
#include "progress.h"

/// The options that every such command has; they are the first rows of its table.
#define KAL_MODEL_OPTIONS                                                          \
    {"-p", "NAME=VALUE", "override a parameter; may be given many times", true},   \
        {"--json", NULL, "print one JSON object", false},                          \
        {"-q", NULL, "no warnings", false},                                        \
        {"--allow-outside", NULL, "let the model use files outside of its folder", \
         false},                                                                   \
    {                                                                              \
        "--huge", NULL, "let the model be sixteen times as large as usual", false  \
    }

/// Rows of these options.
enum {
    KAL_OPTION_PARAMETER,
    KAL_OPTION_JSON,
    KAL_OPTION_QUIET,
    KAL_OPTION_OUTSIDE,
    KAL_OPTION_HUGE,
    KAL_MODEL_OPTION_COUNT
};

/// A model on its way through a command.
typedef struct KalModelJob {
    const KalArguments *arguments;
    bool json;
    bool quiet;
    bool runs;         ///< load it for runs
    bool stiff;        ///< and for any method
    bool analysis;     ///< load it for analysis
    KalStage stage;    ///< of loading
    double began;      ///< when loading began, or its last part
    double seconds[3]; ///< that the parts of loading took, by KalLoadPhase
    const char *more;  ///< statements that are added to it, or NULL
    KalInputText input;
    KalLedger *ledger;
    KalContext *ctx;
    KalSystem *system;
    KalInstant *instant; ///< made by the command that needs one
    bool told;           ///< errors with their places are on standard error
    bool silent;         ///< failures are not told
    KalStatus status;    ///< of the last load
} KalModelJob;

/// Load the model that the operand names, run the command on it, free everything.
KalExit kal_model_job_run(const KalArguments *arguments,
                          KalExit (*command)(KalModelJob *job));

/// The same for a command that analyzes small motions.
KalExit kal_model_job_analyze(const KalArguments *arguments,
                              KalExit (*command)(KalModelJob *job));

/// The same for a command that simulates; `stiff`: it may take the method for stiff
/// systems.
KalExit kal_model_job_simulate(const KalArguments *arguments, bool stiff,
                               KalExit (*command)(KalModelJob *job));

/// The same for a command that simulates many times, and not with the balance of energy.
KalExit kal_model_job_repeat(const KalArguments *arguments, bool stiff,
                             KalExit (*command)(KalModelJob *job));

/// The same with statements that are added to the model.
KalExit kal_model_job_run_with(const KalArguments *arguments, const char *more,
                               KalExit (*command)(KalModelJob *job));

/// Load the model of a job once more, with another `-p`, "NAME=VALUE"; nothing may use the
/// system that it has.  Failures are told.
KalExit kal_model_job_reload(KalModelJob *job, const char *override);

/// Load the model of a job once more, with n overrides after its own, into a system of its
/// own.  Failures are told by the context alone.
KAL_CHECKED KalStatus kal_model_job_load_with(const KalModelJob *job,
                                              const KalOverride *overrides, size_t n,
                                              KalSystem **out_system);

/// Tell of a failure, with the names of those at fault: on standard error, or as a JSON
/// object on standard output.
KalExit kal_model_job_fail(const KalModelJob *job, const char *message,
                           const char *const *names, int n_names);

/// The same with the explanation of the context, without names.
KalExit kal_model_job_fail_plain(const KalModelJob *job);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Settings: the numbers that follow from the parameters of a model.
///
/// A system has those of the values that it was loaded with.  An instant has settings of
/// its own, which begin as the system's; parameters that are set there, others that follow
/// them, start values, limits, weights and the options of `simulate` are evaluated by one
/// program, KAL_PROGRAM_SETTINGS, whose results come in this order:
///
///     parameters | q | q' | states | holds at the start | periods of holds | limits |
///     weights | rates of servos | options | conditions that formulas were simplified under
///
/// So no formula is looked at, and what comes of it is, bit for bit, what loading the model
/// with these values comes to (docs/decisions/015-parameters.md).

#ifndef SYSTEM_SETTINGS_H
#define SYSTEM_SETTINGS_H

#include "base/context.h"

#include <kalaba/model.h>

struct KalSystem;

/// The formulas of `simulate` among the results, in this order.
typedef enum KalSimulateOption {
    KAL_SIMULATE_FROM,
    KAL_SIMULATE_TO,
    KAL_SIMULATE_EVERY,
    KAL_SIMULATE_RTOL,
    KAL_SIMULATE_ATOL,
    KAL_SIMULATE_STABILIZE,
    KAL_SIMULATE_OPTIONS ///< how many there are
} KalSimulateOption;

/// How the model asks to be run: as `simulate` says, or as usual.
typedef struct KalAsked {
    double from;
    double until;
    double every;
    double rtol;
    double atol;
    KalMethod method;
    KalDrift drift;
    double stabilize; ///< the rate of KAL_DRIFT_STABILIZE, 0 without it
} KalAsked;

/// All of them; arrays are one piece of memory.
typedef struct KalSettings {
    double *parameters;       ///< n_parameters
    double *start_q;          ///< n: as written
    double *start_qd;         ///< n
    double *start_states;     ///< n_states
    double *start_holds;      ///< n_holds: the values before the first renewal
    double *periods;          ///< n_holds
    double *actuator_limits;  ///< n_actuators; infinite for none
    double *actuator_weights; ///< n_actuators
    KalAsked asked;           ///< how the model asks to be run
} KalSettings;

/// Memory for an evaluation.
typedef struct KalSettingsWork {
    double *work;      ///< of the program
    double *results;   ///< of the program
    double *variables; ///< that it reads; zero but for what the evaluation writes
} KalSettingsWork;

/// How many numbers the arrays have together.
size_t kal_settings_count(const struct KalSystem *system);

/// How many results the program has.
size_t kal_settings_results(const struct KalSystem *system);

/// Put the arrays into memory; NULL: there is none yet.
void kal_settings_place(KalSettings *settings, const struct KalSystem *system,
                        double *memory);

/// Copy numbers; both have memory.
void kal_settings_copy(KalSettings *to, const KalSettings *from,
                       const struct KalSystem *system);

/// Let everything follow the parameters that are `held` (NULL: none is), whose values are
/// in settings->parameters; others there are values to begin with.  KAL_ERR_NUMBER when a
/// number comes out that the model cannot have; the settings are then of no use.
KAL_CHECKED KalStatus kal_settings_evaluate(KalSettings *settings, KalContext *ctx,
                                            const struct KalSystem *system,
                                            const bool *held, KalSettingsWork w);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What the commands that analyze a model share: the state that options choose.

#ifndef CLI_ANALYSIS_H
#define CLI_ANALYSIS_H

#include "model.h"

/// The options of a state; they follow those of a model.
#define KAL_STATE_OPTIONS                                                              \
    {"--at", "VALUES",                                                                 \
     "values of the state, such as \"x=1, y'=2\"; others follow the constraints",      \
     false},                                                                           \
    {                                                                                  \
        "--equilibrium", "K", "about equilibrium K as `kalaba equilibria` lists them", \
            false                                                                      \
    }

/// Rows of these options.
enum {
    KAL_OPTION_AT = KAL_MODEL_OPTION_COUNT,
    KAL_OPTION_EQUILIBRIUM,
    KAL_STATE_OPTION_COUNT
};

/// A whole number that an option gives, from 1 to `most`; `otherwise` where it is not
/// given.  False after a message.
bool kal_option_count(const KalModelJob *job, int row, const char *word, double most,
                      double *out_count);

/// For tables: 1 stable, 0 marginal, -1 unstable.
double kal_stability_number(KalStability stability);

/// Make an analysis and go to the state that the options name.  After anything but
/// KAL_EXIT_DONE the failure was told and there is no analysis.
KalExit kal_analysis_open(const KalModelJob *job, const char *inputs,
                          KalAnalysis **out_analysis);

/// Go to the state that the options name; a failure was told.
KalExit kal_analysis_go_to_state(const KalModelJob *job, KalAnalysis *analysis);

/// Warn on standard error that a state is not an equilibrium.
void kal_analysis_warn(const KalModelJob *job, const KalLinearization *linearization);

/// How to show results.
KalShowOptions kal_analysis_show_options(const KalModelJob *job);

#endif

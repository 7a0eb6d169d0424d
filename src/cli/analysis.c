// SPDX-License-Identifier: MIT

// What modes, linearize and equilibria have in common: the state to look at, and what to say
// against it.

#include "analysis.h"

#include "output.h"

#include <assert.h>
#include <math.h>

bool kal_option_count(const KalModelJob *job, int row, const char *word, double most,
                      double *out_count)
{
    assert(job && word && out_count);
    assert(most >= 0.0 && most <= 9e15);
    const char *text = job->arguments->options[row];
    double number = *out_count;
    if (text
        && (!kal_number_read(text, &number) || number != floor(number) || number < 0.0
            || number > most)) {
        kal_message_print("option '%s' takes a whole number up to %.0f, not '%s'", word,
                          most, text);
        return false;
    }
    *out_count = number;
    return true;
}

double kal_stability_number(KalStability stability)
{
    return stability == KAL_STABILITY_STABLE      ? 1.0
           : stability == KAL_STABILITY_UNSTABLE  ? -1.0
           : stability == KAL_STABILITY_UNDECIDED ? (double)NAN
                                                  : 0.0;
}

// To the state of --at or --equilibrium.
static bool place(const KalModelJob *job, KalAnalysis *analysis, double equilibrium)
{
    assert(equilibrium >= 0.0);
    const char *values = job->arguments->options[KAL_OPTION_AT];
    KalMisfit misfit = {.count = 0};
    const KalEquilibriumOptions options = {.starts = 0};
    KalEquilibria equilibria;
    KalStage stage;
    kal_stage_begin(&stage, job->ctx, "looking for the state", job->quiet);
    KalStatus status = equilibrium > 0.0
                           ? kal_analysis_equilibria(analysis, &options, &equilibria)
                           : kal_analysis_place(analysis, values, &misfit);
    if (status == KAL_OK && equilibrium > 0.0) {
        status = kal_analysis_go(analysis, (int)equilibrium);
    }
    kal_stage_end(&stage, job->ctx);
    if (status != KAL_OK) {
        return false;
    }
    if (!job->quiet) {
        kal_warn_off(&misfit);
    }
    return true;
}

// Say that the state is on a kink.
static bool warn_kinks(const KalModelJob *job, KalAnalysis *analysis)
{
    const char *kinks = NULL;
    if (kal_analysis_kinks(analysis, &kinks) != KAL_OK) {
        return false;
    }
    if (kinks && !job->quiet) {
        kal_message_print("warning: the equations have a kink or a jump in this state, "
                          "from %s: what follows is true of one side of it only",
                          kinks);
    }
    return true;
}

KalExit kal_analysis_go_to_state(const KalModelJob *job, KalAnalysis *analysis)
{
    const bool both = job->arguments->options[KAL_OPTION_AT]
                      && job->arguments->options[KAL_OPTION_EQUILIBRIUM];
    double equilibrium = 0.0;
    if (both) {
        kal_message_print("options '--at' and '--equilibrium' exclude each other");
    }
    if (both
        || !kal_option_count(job, KAL_OPTION_EQUILIBRIUM, "--equilibrium", 1e6,
                             &equilibrium)) {
        return KAL_EXIT_USAGE;
    }
    return place(job, analysis, equilibrium) && warn_kinks(job, analysis)
               ? KAL_EXIT_DONE
               : kal_model_job_fail_plain(job);
}

KalExit kal_analysis_open(const KalModelJob *job, const char *inputs,
                          KalAnalysis **out_analysis)
{
    assert(job->ctx && job->system && out_analysis);
    KalAnalysis *analysis = NULL;
    if (kal_analysis_create(job->ctx, job->system, inputs, &analysis) != KAL_OK) {
        return kal_model_job_fail_plain(job);
    }
    const KalExit status = kal_analysis_go_to_state(job, analysis);
    if (status != KAL_EXIT_DONE) {
        kal_analysis_destroy(analysis);
        return status;
    }
    *out_analysis = analysis;
    return KAL_EXIT_DONE;
}

void kal_analysis_warn(const KalModelJob *job, const KalLinearization *linearization)
{
    assert(job && linearization);
    if (linearization->note && !job->quiet) {
        kal_message_print("warning: %s", linearization->note);
    }
    if (linearization->singular && !job->quiet) {
        kal_message_print(
            "warning: the constraints are not of the rank that they have at "
            "the start, and a linearization says little");
    }
}

KalShowOptions kal_analysis_show_options(const KalModelJob *job)
{
    return (KalShowOptions){.format = job->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                            .color = !job->json && kal_wants_color()};
}

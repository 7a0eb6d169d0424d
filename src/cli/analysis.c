// SPDX-License-Identifier: MIT

#include "analysis.h"

#include "output.h"

KalExit kal_analysis_open(const KalModelJob *job, const char *inputs,
                          KalAnalysis **out_analysis)
{
    const char *values = job->arguments->options[KAL_OPTION_AT];
    KalAnalysis *analysis = NULL;
    bool moved = false;
    if (kal_analysis_create(job->ctx, job->system, inputs, &analysis) != KAL_OK
        || kal_analysis_place(analysis, values, &moved) != KAL_OK) {
        kal_analysis_destroy(analysis);
        return kal_model_job_fail_plain(job);
    }
    if (moved && !job->quiet) {
        kal_message_print(
            "warning: the state of --at does not satisfy the constraints; "
            "it was moved onto them");
    }
    *out_analysis = analysis;
    return KAL_EXIT_DONE;
}

void kal_analysis_warn(const KalModelJob *job, const KalLinearization *linearization)
{
    if (linearization->note && !job->quiet) {
        kal_message_print("warning: %s", linearization->note);
    }
}

KalShowOptions kal_analysis_show_options(const KalModelJob *job)
{
    return (KalShowOptions){.format = job->json ? KAL_SHOW_JSON : KAL_SHOW_TEXT,
                            .color = !job->json && kal_wants_color()};
}

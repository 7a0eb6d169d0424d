// SPDX-License-Identifier: MIT

// Modes and equilibria of a text, as the commands of these names show them.

#include "show/page.h"
#include "studio/evaluate_impl.h"

#include <kalaba/analysis.h>
#include <kalaba/show.h>

#include <assert.h>

static const KalShowOptions as_json = {.format = KAL_SHOW_JSON};

// A finished page, which is an object, becomes the value of a key.
static KalStatus tell(KalStudy *study, const char *key, KalPage *page)
{
    const KalStatus status = page->status;
    if (status == KAL_OK) {
        kal_study_begin(study, key);
        kal_study_put(study, kal_page_text(page));
        kal_study_end(study);
    }
    kal_page_clear(page);
    return status;
}

static KalStatus find_modes(KalStudy *study, KalAnalysis *analysis)
{
    KalModes modes;
    KAL_TRY(kal_analysis_place(analysis, study->evaluation->request->at, NULL));
    KAL_TRY(kal_analysis_modes(analysis, &modes));
    KalPage page = kal_page(study->ctx);
    const KalStatus status =
        kal_show_modes(analysis, &modes, &as_json, kal_page_sink(&page));
    if (status != KAL_OK) {
        kal_page_clear(&page);
        return status;
    }
    return tell(study, "modes", &page);
}

static KalStatus find_equilibria(KalStudy *study, KalAnalysis *analysis)
{
    const KalEquilibriumOptions options = {.starts = 0};
    KalEquilibria equilibria;
    KAL_TRY(kal_analysis_equilibria(analysis, &options, &equilibria));
    KalPage page = kal_page(study->ctx);
    const KalStatus status =
        kal_show_equilibria(analysis, &equilibria, &as_json, kal_page_sink(&page));
    if (status != KAL_OK) {
        kal_page_clear(&page);
        return status;
    }
    return tell(study, "equilibria", &page);
}

static void analyze(KalStudy *study, const char *task,
                    KalStatus (*find)(KalStudy *study, KalAnalysis *analysis))
{
    assert(study->system);
    KalAnalysis *analysis = NULL;
    KalStatus status = kal_analysis_create(study->ctx, study->system, NULL, &analysis);
    status = status == KAL_OK ? find(study, analysis) : status;
    if (status != KAL_OK) {
        kal_study_fail(study, task, NULL, 0);
    }
    kal_analysis_destroy(analysis);
}

void kal_study_modes(KalStudy *study)
{
    analyze(study, "modes", find_modes);
}

void kal_study_equilibria(KalStudy *study)
{
    analyze(study, "equilibria", find_equilibria);
}

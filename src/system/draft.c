// SPDX-License-Identifier: MIT

// A system with a graph of its own, to add formulas to: the system itself never changes, and
// others may read it at the same time.  All but the model and the head of the equations is
// borrowed, so that a draft must not outlive its system.

#include "system/draft.h"

#include <assert.h>

KalStatus kal_draft_init(KalDraft *draft, KalContext *ctx, const KalSystem *system)
{
    assert(draft && ctx && system);
    draft->model = NULL;
    KAL_TRY(kal_model_fork(ctx, system->model, &draft->model));
    draft->equations = *system->equations;
    draft->equations.model = draft->model;
    draft->system = *system;
    draft->system.ctx = ctx;
    draft->system.model = draft->model;
    draft->system.equations = &draft->equations;
    return KAL_OK;
}

void kal_draft_clear(KalDraft *draft)
{
    kal_model_destroy(draft->model);
    draft->model = NULL;
}

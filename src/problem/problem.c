// SPDX-License-Identifier: MIT

// A problem of one instant: read from a document, then never changed but for its
// formulation.

#include "problem/problem_impl.h"

#include <assert.h>

KalStatus kal_problem_parse(KalContext *ctx, const char *name, const char *text,
                            size_t length, KalProblem **out_problem)
{
    KAL_NEED(ctx, ctx && name && (text || length == 0) && out_problem);
    KalProblem *problem = KAL_NEW(ctx, KalProblem);
    if (!problem) {
        return kal_no_memory(ctx, "for a document");
    }
    problem->ctx = ctx;

    KalJsonReader reader;
    kal_json_reader_init(&reader, ctx, name, text, length);
    const KalStatus status = kal_document_parse(&reader, problem);
    kal_json_reader_clear(&reader);
    if (status != KAL_OK) {
        kal_problem_destroy(problem);
        return status;
    }
    *out_problem = problem;
    return KAL_OK;
}

void kal_problem_destroy(KalProblem *problem)
{
    if (!problem) {
        return;
    }
    KalContext *ctx = problem->ctx;
    kal_number_rows_clear(ctx, &problem->M);
    kal_number_rows_clear(ctx, &problem->A);
    kal_numbers_clear(ctx, &problem->Q);
    kal_numbers_clear(ctx, &problem->b);
    kal_numbers_clear(ctx, &problem->C);
    kal_numbers_clear(ctx, &problem->q);
    kal_numbers_clear(ctx, &problem->qd);
    kal_name_list_clear(ctx, &problem->coordinates);
    kal_name_list_clear(ctx, &problem->constraints);
    kal_block_clear(ctx, &problem->model);
    kal_free(ctx, problem, sizeof *problem);
}

// Counts fit into an int, since the reader of documents has a limit far below.
KalMotionProblem kal_problem_get(const KalProblem *problem)
{
    if (!problem) {
        return (KalMotionProblem){.n = 0};
    }
    return (KalMotionProblem){
        .n = (int)problem->M.count,
        .m = (int)problem->A.count,
        .M = problem->M.values.data,
        .Q = problem->Q.values.data,
        .A = problem->A.values.data,
        .b = problem->b.values.data,
        .C = problem->C.values.data,
        .coordinates = problem->coordinates.labels,
        .constraints = problem->constraints.labels,
    };
}

// NULL where the document does not say.
static const double *known(const KalNumberList *list)
{
    return list->present ? (const double *)list->values.data : NULL;
}

KalInstantView kal_problem_view(const KalProblem *problem,
                                const KalMotionAnswer *answer)
{
    assert(problem && answer);
    return (KalInstantView){
        .title = (const char *)problem->model.data,
        .t = problem->has_t ? &problem->t : NULL,
        .q = known(&problem->q),
        .qd = known(&problem->qd),
        .givens = kal_problem_get(problem),
        .coordinates = problem->coordinates.names,
        .constraints = problem->constraints.names,
        .answer = answer,
        .formulation = problem->formulation,
    };
}

KalFormulation kal_problem_formulation(const KalProblem *problem)
{
    if (!problem) {
        return KAL_FORMULATION_DEFAULT;
    }
    return problem->formulation;
}

void kal_problem_set_formulation(KalProblem *problem, KalFormulation formulation)
{
    KalFormulation known;
    if (problem && kal_formulation_find(kal_formulation_word(formulation), &known)) {
        problem->formulation = known;
    }
}

// SPDX-License-Identifier: MIT

/// @file
/// What the targets do with a document: read it, solve it if it is small, write the
/// answer.  They abort when something that must hold does not.

#ifndef FUZZ_DOCUMENT_H
#define FUZZ_DOCUMENT_H

#include "fault.h"
#include "json/reader.h"
#include "output.h"

#include <kalaba/problem.h>

#include <stdint.h>

enum {
    LARGEST = 24 ///< coordinates or constraints worth the time of a solve
};

/// What was written for scripts is JSON, if it was not cut.
static inline void demand_json(const Output *output)
{
    if (output->length == OUTPUT_SIZE) {
        return;
    }
    KalContext *ctx = NULL;
    KalJsonReader reader;
    demand(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    kal_json_reader_init(&reader, ctx, "output", output->text, output->length);
    do {
        demand(kal_json_step(&reader) == KAL_OK);
    } while (reader.event != KAL_JSON_END);
    kal_json_reader_clear(&reader);
    kal_context_destroy(ctx);
}

static inline void write_answer(const KalProblem *problem,
                                const KalMotionAnswer *answer, Output *output)
{
    const KalSink sink = {.write = keep, .user = output};
    kal_problem_write_json(problem, answer, sink);
    demand_json(output);
    output->length = 0;
    kal_problem_write_text(problem, answer, false, sink);
    demand_plain(output);
}

static inline void solve_document(KalContext *ctx, const KalProblem *problem,
                                  Output *output)
{
    const KalMotionProblem givens = kal_problem_get(problem);
    KalMotionOptions options = kal_motion_options();
    options.formulation = kal_problem_formulation(problem);
    KalMotion *motion = NULL;
    KalMotionAnswer answer;
    if (givens.n > LARGEST || givens.m > LARGEST
        || kal_motion_create(ctx, &options, givens.n, givens.m, &motion) != KAL_OK) {
        return;
    }
    if (kal_motion_solve(motion, &givens, &answer) == KAL_OK) {
        write_answer(problem, &answer, output);
    } else {
        const KalMotionFault fault = kal_motion_fault(motion);
        kal_problem_write_error_json(problem, kal_context_message(ctx), &fault,
                                     (KalSink){.write = keep, .user = output});
        demand_json(output);
    }
    kal_motion_destroy(motion);
}

/// Do all of it with `calls_left` allocations, negative for any number.
static inline void run_document(const uint8_t *data, size_t size, long calls_left)
{
    static char text[OUTPUT_SIZE];
    Output output = {.text = text};
    Fault fault = {.calls_left = calls_left};
    KalContext *ctx = NULL;
    KalProblem *problem = NULL;
    if (kal_context_create(fault_alloc, &fault, &ctx) != KAL_OK) {
        return;
    }
    const KalStatus status =
        kal_problem_parse(ctx, "fuzz", (const char *)data, size, &problem);
    demand((status == KAL_OK) == (problem != NULL));
    if (status == KAL_OK) {
        solve_document(ctx, problem, &output);
    } else {
        demand(kal_context_message(ctx)[0] != '\0');
    }
    kal_problem_destroy(problem);
    demand(kal_context_bytes(ctx) == fault.live_bytes);
    kal_context_destroy(ctx);
    demand(fault.live_bytes == 0);
}

#endif

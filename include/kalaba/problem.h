// SPDX-License-Identifier: MIT

/// @file
/// A one-instant problem as a document: read from JSON, its answer written for people
/// or for scripts.
///
///     {"M": [[1, 0], [0, 1]], "Q": [0, -9.81], "A": [[3, -4]], "b": [-25],
///      "coordinates": ["x", "y"], "constraints": ["rod"]}
///
/// M and Q are required.  A and b come together; C, names (`coordinates`,
/// `constraints`), `formulation` and `model` (a title) may be left out.  `t`, `q` and
/// `qd` are carried to the answer as they are.  Any other key is an error.  The text is
/// untrusted: whatever it holds, the outcome is a document or an error with its place.

#ifndef KALABA_PROBLEM_H
#define KALABA_PROBLEM_H

#include <kalaba/motion.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KalProblem KalProblem;

/// Read a document of `length` bytes.  `name` stands for it in messages
/// (`name:line:column: …`).  Copies all it keeps; the caller owns the result.
KAL_API KAL_CHECKED KalStatus kal_problem_parse(KalContext *ctx, const char *name,
                                                const char *text, size_t length,
                                                KalProblem **out_problem);

/// Free a document.  NULL is allowed.
KAL_API void kal_problem_destroy(KalProblem *problem);

/// The givens, borrowed as long as the document lives.
KAL_API KalMotionProblem kal_problem_get(const KalProblem *problem);

/// The formulation that the document asks for.
KAL_API KalFormulation kal_problem_formulation(const KalProblem *problem);

/// Takes the pieces of a text as they are written.
typedef struct KalSink {
    void (*write)(void *user, const char *text, size_t length);
    void *user;
} KalSink;

/// Write the answer as the JSON object of `eval`, one line.
KAL_API void kal_problem_write_json(const KalProblem *problem,
                                    const KalMotionAnswer *answer, KalSink sink);

/// Write the answer for people.  `color`: with terminal colors.
KAL_API void kal_problem_write_text(const KalProblem *problem,
                                    const KalMotionAnswer *answer, bool color,
                                    KalSink sink);

/// Write a failure as JSON: the message and the names of `fault`, which may be NULL;
/// so may `problem` when it could not be read.
KAL_API void kal_problem_write_error_json(const KalProblem *problem,
                                          const char *message,
                                          const KalMotionFault *fault, KalSink sink);

#ifdef __cplusplus
}
#endif

#endif

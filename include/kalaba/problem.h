// SPDX-License-Identifier: MIT

/// @file
/// A one-instant problem as a document: read from JSON, its answer written for people
/// or for scripts.
///
///     {"M": [[1, 0], [0, 1]], "Q": [0, -9.81], "A": [[3, -4]], "b": [-25],
///      "coordinates": ["x", "y"], "constraints": ["rod"]}
///
/// M (n rows of n numbers) and Q (n) are required.  A (m rows of n) and b (m) come
/// together; C (n), names (`coordinates`, n, and `constraints`, m), `formulation` (a
/// word) and `model` (a title) may be left out or null.  `t` (a number), `q` and `qd` (n)
/// are carried to the answer as they are.  Keys come in any order; any other key is an
/// error.
///
/// The text is untrusted: whatever it holds, the outcome is a document or an error with
/// its place, and memory is at most proportional to the length of the text.  Names may
/// be any text that is not empty; they differ within their list.

#ifndef KALABA_PROBLEM_H
#define KALABA_PROBLEM_H

#include <kalaba/motion.h>
#include <kalaba/text.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The most coordinates, and the most constraints, that a document may have.
#define KAL_PROBLEM_LIMIT 4096

/// A document that was read.
typedef struct KalProblem KalProblem;

/// Read a document of `length` bytes.  `name` stands for it in messages
/// (`name:line:column: …`, columns in characters).  Copies all it keeps; the caller owns
/// the result.  Statuses: KAL_ERR_SYNTAX (not JSON, or not what the key takes),
/// KAL_ERR_SHAPE, KAL_ERR_NUMBER (no double can hold it), KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_API KAL_CHECKED KalStatus kal_problem_parse(KalContext *ctx, const char *name,
                                                const char *text, size_t length,
                                                KalProblem **out_problem);

/// Free a document.  NULL is allowed.
KAL_API void kal_problem_destroy(KalProblem *problem);

/// The givens, borrowed as long as the document lives.  The names in it are fit for
/// messages: control characters are escaped and long names shortened.
KAL_API KalMotionProblem kal_problem_get(const KalProblem *problem);

/// The formulation that the document asks for.
KAL_API KalFormulation kal_problem_formulation(const KalProblem *problem);

/// Ask for another one.
KAL_API void kal_problem_set_formulation(KalProblem *problem,
                                         KalFormulation formulation);

/// Write the answer as the JSON object of `eval`, one line.
KAL_API void kal_problem_write_json(const KalProblem *problem,
                                    const KalMotionAnswer *answer, KalSink sink);

/// Write the answer for people, in UTF-8.  Long tables are cut short.  `color`: with
/// terminal colors.
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

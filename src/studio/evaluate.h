// SPDX-License-Identifier: MIT

/// @file
/// The work on one text: load it, run it, analyze it, as the commands do.
///
/// What comes of it are lines, each one JSON object with one member that says what it is:
///
///     {"remarks": […]}                  on the text, once it was read
///     {"system": {…}}                   parameters and start values
///     {"run": {…}, "partial": true}     what a report shows, so far; the last has false
///     {"equations": "…"}  {"report": "…"}  {"latex": "…"}  {"format": "…"}
///     {"modes": {…}}  {"equilibria": {…}}
///     {"answer": …}                     to a question: the result of its message
///     {"file": {"name": "a.h5", "bytes": "…"}}    in base 64
///     {"error": {"task": "run", "message": "…", "names": […]}}
///
/// A line comes as soon as it is known.

#ifndef STUDIO_EVALUATE_H
#define STUDIO_EVALUATE_H

#include "studio/request.h"

/// What to work on.
typedef struct KalAssignment {
    const KalStudioRequest *request;
    const char *root;    ///< the folder that `use` may read from
    const char *scratch; ///< a folder for files that are asked for; NULL: none are
} KalAssignment;

/// Do it, a KalWorkFn: `user` is a KalAssignment.
void kal_evaluate(void *user, KalSink sink);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// One solved instant as it is shown: for people as tables, for scripts as the JSON
/// object of `eval`.
///
/// A view borrows everything.  Whatever has an instant to show fills one in.

#ifndef PROBLEM_VIEW_H
#define PROBLEM_VIEW_H

#include "json/writer.h"

#include <kalaba/motion.h>
#include <kalaba/text.h>

#include <stddef.h>
#include <stdint.h>

/// Named numbers besides the state and its answer, such as the outputs of a model.
typedef struct KalViewGroup {
    const char *key;     ///< in JSON
    const char *heading; ///< for people: what one of them is
    const char *const *names;
    const char *const *units; ///< NULL, or an entry each, which may be NULL
    const double *values;
    const char *unique_key; ///< in JSON: of what is unique; NULL: all is
    const bool *doubts;     ///< with it: an entry each, true where a value is not
    size_t count;
} KalViewGroup;

/// A matrix by its entries, row after row, columns rising in each.
typedef struct KalViewEntries {
    int rows;
    int columns;
    const int64_t *start;
    const int64_t *column;
    const double *value;
    const int *pick; ///< rows: which rows of the lists they are; NULL: all
    bool lower;      ///< symmetric, and given by its lower triangle
} KalViewEntries;

/// What is shown.
typedef struct KalInstantView {
    const char *title;       ///< or NULL
    const double *t;         ///< one number, or NULL where it is not known
    const double *q;         ///< n, or NULL
    const double *qd;        ///< n, or NULL
    KalMotionProblem givens; ///< its names are fit to be shown
    bool sparse;             ///< M and A are given by what follows instead
    KalViewEntries M;
    KalViewEntries A;
    const char *const *coordinates; ///< names as JSON has them
    const char *const *constraints;
    const KalMotionAnswer *answer;
    KalFormulation formulation; ///< that was asked for
    const KalViewGroup *groups;
    size_t n_groups;
} KalInstantView;

/// Write a view as the JSON object of `eval`, one line.
void kal_view_write_json(const KalInstantView *view, KalSink sink);

/// Write a view for people, in UTF-8.  Long tables are cut short.
void kal_view_write_text(const KalInstantView *view, bool color, KalSink sink);

/// Write which reactions are unique as a member of a JSON object.
void kal_view_write_reactions_json(KalJsonWriter *w, const KalMotionAnswer *answer,
                                   const char *const *constraints);

/// Write the other verdicts of an answer as members of a JSON object: whether it is
/// unique, what is indeterminate, what depends on what.
void kal_view_write_verdicts_json(KalJsonWriter *w, const KalMotionAnswer *answer,
                                  const char *const *coordinates,
                                  const char *const *constraints);

/// Write a failure as JSON: the message and the names of those at fault.
void kal_view_write_error_json(const char *message, const char *const *names,
                               size_t count, KalSink sink);

#endif

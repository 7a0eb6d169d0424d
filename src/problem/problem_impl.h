// SPDX-License-Identifier: MIT

/// @file
/// A document in memory, and what reading one shares among its files.
///
/// Keys may come in any order, so arrays are kept as they were found, with their places
/// in the text, and their sizes are compared when all is read.  Each parse function
/// begins when the reader has just found the first event of a value and ends when it
/// has found the last.

#ifndef PROBLEM_PROBLEM_IMPL_H
#define PROBLEM_PROBLEM_IMPL_H

#include "json/reader.h"
#include "problem/view.h"

#include <kalaba/problem.h>

/// An array of numbers.
typedef struct KalNumberList {
    bool present; ///< found, and not null
    size_t at;
    size_t count;
    KalBlock values; ///< double
} KalNumberList;

typedef struct KalNumberRow {
    size_t at;
    size_t count;
} KalNumberRow;

/// An array of arrays of numbers.
typedef struct KalNumberRows {
    bool present;
    size_t at;
    size_t count;
    KalBlock rows;   ///< KalNumberRow
    KalBlock values; ///< double, one row after the other
} KalNumberRows;

/// Where a name and its label begin among the bytes of a list.
typedef struct KalNameSpan {
    size_t name;
    size_t label;
} KalNameSpan;

/// Names that differ.  Each has a label: the name made fit to be shown.
typedef struct KalNameList {
    bool present;
    size_t at;
    size_t count;
    KalBlock bytes;      ///< of all names and labels, each with its NUL
    KalBlock spans;      ///< KalNameSpan, in the order of the text
    KalBlock order;      ///< size_t: indices of the spans, names rising
    const char **names;  ///< count
    const char **labels; ///< count, in the same piece of memory as the names
} KalNameList;

struct KalProblem {
    KalContext *ctx;
    KalNumberRows M;
    KalNumberRows A;
    KalNumberList Q;
    KalNumberList b;
    KalNumberList C;
    KalNumberList q;
    KalNumberList qd;
    KalNameList coordinates;
    KalNameList constraints;
    KalBlock model; ///< the title with its NUL, or empty
    bool has_t;
    double t;
    KalFormulation formulation;
};

/// Read an array of numbers, or null.  `key` stands for it in messages.
KAL_CHECKED KalStatus kal_numbers_parse(KalJsonReader *reader, const char *key,
                                        KalNumberList *out_list);

/// Read an array of arrays of numbers, or null.
KAL_CHECKED KalStatus kal_number_rows_parse(KalJsonReader *reader, const char *key,
                                            KalNumberRows *out_rows);

/// Read an array of names, or null.
KAL_CHECKED KalStatus kal_name_list_parse(KalJsonReader *reader, const char *key,
                                          KalNameList *out_list);

/// Fill a list that the document left out: letter[1] to letter[count].
KAL_CHECKED KalStatus kal_name_list_set_default(KalContext *ctx, char letter,
                                                size_t count, KalNameList *out_list);

void kal_numbers_clear(KalContext *ctx, KalNumberList *list);
void kal_number_rows_clear(KalContext *ctx, KalNumberRows *rows);
void kal_name_list_clear(KalContext *ctx, KalNameList *list);

/// Read a whole document and compare its sizes.
KAL_CHECKED KalStatus kal_document_parse(KalJsonReader *reader,
                                         KalProblem *out_problem);

/// A document and its answer as a view.
KalInstantView kal_problem_view(const KalProblem *problem,
                                const KalMotionAnswer *answer);

/// A value of a type that its key does not take.
KalStatus kal_document_fail_type(const KalJsonReader *reader, const char *key,
                                 const char *expected);

#endif

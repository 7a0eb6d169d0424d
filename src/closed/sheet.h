// SPDX-License-Identifier: MIT

/// @file
/// The formulas that are shown, gathered and laid out for readers.

#ifndef CLOSED_SHEET_H
#define CLOSED_SHEET_H

#include "derive/equations.h"
#include "print/print.h"

enum {
    KAL_SHEET_NAMES = 48,     ///< formulas that get names of their own
    KAL_SHEET_NAME_SIZE = 64, ///< room for such a name
    KAL_SHEET_SMALL = 8       ///< coordinates of a system that is shown in matrices
};

/// A formula that other formulas refer to, such as r = sqrt(x^2 + y^2).
typedef struct KalNamed {
    char name[KAL_SHEET_NAME_SIZE];
    KalExpr symbol;
    KalExpr value;
} KalNamed;

/// How a symbol looks in LaTeX and MathML.
typedef struct KalLook {
    uint64_t hash; ///< of its text
    uint32_t id;
    bool literal; ///< another one looks the same: its name is written out
} KalLook;

/// The formulas of some equations.  Those of small systems live in a graph of the sheet,
/// those of large ones in the model's graph, as they are.
typedef struct KalSheet {
    KalContext *ctx;
    const KalEquations *eq;
    KalGraph *g;
    bool large;
    size_t n_all;
    KalExpr *all;      ///< n_all: the ones below, one after the other
    KalExpr *energies; ///< T and V
    KalExpr *M;        ///< values as in eq->M
    KalExpr *Q;        ///< n
    KalExpr *A;        ///< values as in eq->A
    KalExpr *b;        ///< m
    KalExpr *C;        ///< n
    KalExpr *B;        ///< values as in eq->B
    KalExpr *servo_A;  ///< values as in eq->servo_A
    KalExpr *servo_b;  ///< n_servos
    KalExpr *rates;    ///< of first-order states
    KalLook *looks;    ///< of the symbols of the model, by id
    int n_named;
    KalNamed named[KAL_SHEET_NAMES];
} KalSheet;

/// Lay out equations.  The caller clears the sheet, also after a failure.
KAL_CHECKED KalStatus kal_sheet_init(KalSheet *sheet, const KalEquations *eq);

void kal_sheet_clear(KalSheet *sheet);

/// How formulas of a sheet are printed.  Borrows the sheet.
KalPrintOptions kal_sheet_options(const KalSheet *sheet, KalFormat format);

/// The characters of a formula as text; SIZE_MAX when there are too many.
KAL_CHECKED KalStatus kal_sheet_length(const KalSheet *sheet, KalExpr e,
                                       size_t *out_length);

/// A new symbol called `letter`, or letter1, letter2, … where that is a name of the model;
/// KAL_NO_EXPR when there are too many.
KalExpr kal_sheet_name(KalSheet *sheet, const char *letter, KalExpr value);

/// The entry of a matrix of the sheet; KAL_NO_EXPR for zero.
KalExpr kal_sheet_entry(const KalSparse *pattern, const KalExpr *values, size_t row,
                        size_t column);

/// The entry of M, which is kept as a lower triangle.
KalExpr kal_sheet_mass(const KalSheet *sheet, size_t row, size_t column);

#endif

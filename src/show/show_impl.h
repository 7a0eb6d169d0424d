// SPDX-License-Identifier: MIT

/// @file
/// What the formats share: everything that is to be shown, and what each format does.

#ifndef SHOW_SHOW_IMPL_H
#define SHOW_SHOW_IMPL_H

#include "closed/closed.h"
#include "show/page.h"
#include "show/show.h"

/// All that is shown.
typedef struct KalShown {
    const KalShowOptions *options;
    KalSheet sheet;
    KalClosed closed;
    bool has_closed;
    bool long_form;                   ///< formulas are listed and share named parts
    char prefix[KAL_SHEET_NAME_SIZE]; ///< of these parts
} KalShown;

/// A matrix of the sheet with what its rows and columns belong to.
typedef struct KalShownMatrix {
    const char *name;
    const KalSparse *pattern;
    const KalExpr *values;
    bool symmetric;                               ///< kept as a lower triangle
    const char *(*row)(const KalModel *, size_t); ///< names
    const char *(*column)(const KalModel *, size_t);
} KalShownMatrix;

/// A vector of the sheet.
typedef struct KalShownVector {
    const char *name;
    const KalExpr *values;
    size_t n;
    const char *(*row)(const KalModel *, size_t);
} KalShownVector;

enum {
    KAL_SHOWN_MATRICES = 4, ///< M, A, B, servo rows
    KAL_SHOWN_VECTORS = 5,  ///< Q, C, b, servo right sides, rates S of states
    KAL_SHOWN_IDLE = 600    ///< room for a sentence
};

/// List the matrices and vectors that there are; returns how many.
int kal_shown_matrices(const KalShown *shown, KalShownMatrix out[KAL_SHOWN_MATRICES]);
int kal_shown_vectors(const KalShown *shown, KalShownVector out[KAL_SHOWN_VECTORS]);

/// The entry of a matrix; KAL_NO_EXPR for zero.
KalExpr kal_shown_entry(const KalShownMatrix *matrix, size_t row, size_t column);

/// The title, or what stands for it.
const char *kal_shown_title(const KalShown *shown);

/// The equation in symbols of LaTeX, or for a terminal.
const char *kal_shown_equation(const KalShown *shown, bool latex);

/// Say which constraints do not act at the start, such as those that are `off`; false: all do,
/// and nothing is said.
bool kal_shown_idle(const KalShown *shown, char out_text[KAL_SHOWN_IDLE]);

/// Why there is no closed form, and what to do instead.
const char *kal_shown_refusal(const KalShown *shown);

/// A line of the long form: `name = formula`.
typedef struct KalShownLine {
    const char *name;
    size_t name_length;
    const char *formula;
    size_t length;
} KalShownLine;

/// Print all formulas with shared parts as lines to a page.
void kal_shown_long_form(const KalShown *shown, KalFormat format, KalPage *page);

/// Take the next line of the long form off the text; false at its end.
bool kal_shown_next_line(const char **text, KalShownLine *out_line);

void kal_show_text(const KalShown *shown, KalPage *page);

/// LaTeX or Markdown.
void kal_show_latex(const KalShown *shown, KalPage *page);

/// A piece of HTML, without a closed form; its first line is the equation of motion.
void kal_show_html(const KalShown *shown, KalPage *page);

void kal_show_json(const KalShown *shown, KalPage *page);

#endif

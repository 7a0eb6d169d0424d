// SPDX-License-Identifier: MIT

/// @file
/// Formulas as text: in the model language, in LaTeX, in MathML and in C.
///
/// Text in the model language reads back as the same value, but for rounding where sums
/// are regrouped.  Numbers are exact: 1/2, not 0.5.  A sum begins where it was first
/// written; a product has its sign and number first.
///
/// A formula whose parts are shared may be far longer as text than as a graph, so
/// printing has a limit; kal_print_parts() gives names to shared parts instead.
///
/// Names in LaTeX: `theta` and `θ` become \theta, `x'` \dot{x}, `x[3]` x_{3}, `theta1`
/// \theta_{1}, `m_rod` m_{\mathrm{rod}}; a member has its owner as a subscript,
/// `link[2].a` is a_{\mathrm{link},2}, and `reaction(rod)` \lambda_{\mathrm{rod}}.  Other
/// names of more than one letter are upright.  MathML has the same, with every character
/// that markup would obey escaped.

#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include "expr/graph.h"

#include <kalaba/text.h>

/// What a formula is printed as.
typedef enum KalFormat {
    KAL_FORMAT_TEXT,   ///< the model language
    KAL_FORMAT_LATEX,  ///< mathematics for LaTeX with amsmath, without dollar signs
    KAL_FORMAT_MATHML, ///< the insides of a <math> element, UTF-8
    KAL_FORMAT_C       ///< an expression of doubles; needs <math.h>
} KalFormat;

/// The signs between the terms of a sum in MathML, where a line may be broken.
#define KAL_MATHML_PLUS  "<mo form=\"infix\">+</mo>"
#define KAL_MATHML_MINUS "<mo form=\"infix\">−</mo>"

/// Parentheses in MathML, which do not grow with what is between them.
#define KAL_MATHML_OPEN  "<mo stretchy=\"false\">(</mo>"
#define KAL_MATHML_CLOSE "<mo stretchy=\"false\">)</mo>"

typedef struct KalPrintOptions {
    KalFormat format;
    /// The name of a symbol, in the model language, or for C as C names it.  Borrowed
    /// until the next call.
    const char *(*name)(void *user, uint32_t id);
    /// Whether a symbol looks like another one in LaTeX and MathML, so that its name is
    /// written out there, as it is typed.  NULL: none does.
    bool (*literal)(void *user, uint32_t id);
    void *user;
    size_t limit;       ///< bytes; 0 for the default, one million
    const char *prefix; ///< of the names that parts get: v for v1, v2, …; NULL for v
} KalPrintOptions;

/// Print one expression.  Nothing is written on failure: KAL_ERR_NOMEM, or KAL_ERR_LIMIT
/// when the text is too long.
KAL_CHECKED KalStatus kal_print(KalGraph *g, KalExpr e, const KalPrintOptions *options,
                                KalSink sink);

/// Print n expressions, one line each: `names[i] = e[i]`, preceded by lines that define
/// the parts which are used more than once, `v1 = …`.  Lines are statements of the
/// language (`let v1 = …`) or of C (`const double v1 = …;`, `names[i] = …;`).
KAL_CHECKED KalStatus kal_print_parts(KalGraph *g, const KalExpr *e,
                                      const char *const *names, size_t n,
                                      const KalPrintOptions *options, KalSink sink);

/// A Greek letter for math mode, such as \theta; NULL for other characters.
const char *kal_latex_letter(uint32_t code);

/// Whether a letter outside ASCII is in the fonts that every LaTeX has.
bool kal_latex_has_letter(uint32_t code);

#endif

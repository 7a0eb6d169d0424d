// SPDX-License-Identifier: MIT

/// @file
/// Is a formula zero whatever its symbols are?
///
/// A probe gives values to symbols at random and looks.  Where it can it computes with
/// residues modulo a prime: symbols, and the exponentials that sines, cosines and
/// exponentials of polynomials consist of, get random residues, and roots of what has a
/// root do (docs/theory/derivation.md, section 10).  A value that is not zero then proves
/// that the formula is not; one that is zero at several points proves that it is, but for
/// a probability below 2^-40.  Formulas that have no residues (asin, atan2, abs, if, a
/// number that was rounded, …) are evaluated as doubles that carry bounds on their error.
///
/// A probe remembers what it saw: formulas that share parts with earlier ones, as in an
/// elimination, cost only what is new.  The same questions get the same answers.

#ifndef EXPR_IDENTITY_H
#define EXPR_IDENTITY_H

#include "expr/arithmetic.h"
#include "expr/diff.h"

enum {
    KAL_PROBE_RESIDUES = 3, ///< points of residues
    KAL_PROBE_REALS = 6     ///< points of doubles
};

/// What was found out about a formula.
typedef struct KalVerdict {
    bool zero;  ///< identically; not so where the formula has a value nowhere
    bool exact; ///< by residues, else by doubles
} KalVerdict;

typedef struct KalProbe KalProbe;

/// Make a probe with points at which the n formulas e have values, as far as there are
/// such points.  Other formulas may be asked about later.  The caller owns it.
KAL_CHECKED KalStatus kal_probe_create(KalGraph *g, const KalExpr *e, size_t n,
                                       KalProbe **out_probe);

/// Free a probe.  NULL is allowed.
void kal_probe_destroy(KalProbe *probe);

/// Find out about n formulas.  After a failure the probe is of no more use.
KAL_CHECKED KalStatus kal_probe_test(KalProbe *probe, const KalExpr *e, size_t n,
                                     KalVerdict *out_verdicts);

/// Replace a formula by a shorter one that is equal to it, if the probe has seen one: a
/// small whole number, or a formula or the negative of one that is older.
KAL_CHECKED KalStatus kal_probe_simplify(KalProbe *probe, KalExpr *e);

/// The field to compute in with n formulas together: residues, if they are as good as
/// exact values for all of them.  Then kal_probe_value() knows them all.
KAL_CHECKED KalStatus kal_probe_choose(KalProbe *probe, const KalExpr *e, size_t n,
                                       KalArithmetic *out_field);

/// The first point, not before `first`, at which n formulas have values; −1 if there is
/// none.  The formulas were part of the last choice.
int kal_probe_find_point(const KalProbe *probe, const KalExpr *e, size_t n,
                         KalArithmetic field, int first);

/// The value of a formula at a point, below KAL_PROBE_RESIDUES or KAL_PROBE_REALS.  The
/// formula was part of the last choice.
KalScalar kal_probe_value(const KalProbe *probe, KalExpr e, KalArithmetic field,
                          int point);

/// The rank of a matrix, but for where symbols have special values.
KAL_CHECKED KalStatus kal_probe_rank(KalProbe *probe, const KalSparse *matrix,
                                     size_t *out_rank, bool *out_exact);

/// Find out about n formulas once.
KAL_CHECKED KalStatus kal_identities(KalGraph *g, const KalExpr *e, size_t n,
                                     KalVerdict *out_verdicts);

#endif

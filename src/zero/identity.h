// SPDX-License-Identifier: MIT

/// @file
/// Is a formula zero whatever its symbols are?
///
/// A probe gives values to symbols at random and looks: the test of Schwartz and Zippel.  It
/// computes with residues modulo a prime: symbols, and the exponentials that sines, cosines
/// and exponentials of polynomials consist of, get random residues, and roots of what has a
/// root do (docs/theory/derivation.md, section 10).  A value that is not zero then proves
/// that the formula is not; one that is zero proves that it is, but for a probability below
/// 2^-40.
/// All other functions (asin, atan2, abs, if, …) are atoms: they get random residues that
/// depend on those of their operands, as if nothing else were known of them.  Zero is then
/// as good a proof as before, in all branches of all functions; not zero proves nothing,
/// and doubles that carry bounds on their error may show that the formula is not zero.
///
/// Doubles that are all zero prove nothing either, for `if(x > 10, y, 0)` is 0 wherever one
/// happens to look.  Only a formula without branches, of functions that are analytic all
/// over, is zero everywhere if it is zero near some point; such formulas that have numbers
/// in them that were rounded are left to doubles.  Whatever is not decided is called open,
/// and not zero.
///
/// A probe remembers what it saw: formulas that share parts with earlier ones, as in an
/// elimination, cost only what is new.  The same questions get the same answers.

#ifndef ZERO_IDENTITY_H
#define ZERO_IDENTITY_H

#include "expr/diff.h"
#include "zero/arithmetic.h"

enum {
    KAL_PROBE_RESIDUES = 3, ///< points of residues
    KAL_PROBE_NEAR = 6,     ///< points of doubles near 1
    KAL_PROBE_REALS = 10    ///< all points of doubles
};

/// What was found out about a formula.
typedef struct KalVerdict {
    bool zero;  ///< identically; not so where the formula has a value nowhere
    bool exact; ///< by residues, else by doubles
    bool open;  ///< not decided: zero as far as doubles show, but not proven to be
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

/// What residues of formulas are good for.
typedef struct KalPurity {
    bool exact;     ///< they are as good as exact values: what is not zero is not
    bool piecewise; ///< there are formulas that choose between others
} KalPurity;

/// Prepare to compute with n formulas in a field: kal_probe_value() then knows them all.
KAL_CHECKED KalStatus kal_probe_prepare(KalProbe *probe, const KalExpr *e, size_t n,
                                        KalArithmetic field, KalPurity *out_purity);

/// The first point, not before `first`, at which n formulas have values; −1 if there is
/// none.  The formulas were prepared.
int kal_probe_find_point(const KalProbe *probe, const KalExpr *e, size_t n,
                         KalArithmetic field, int first);

/// The value of a formula at a point, below KAL_PROBE_RESIDUES or KAL_PROBE_REALS.  The
/// formula was prepared.
KalScalar kal_probe_value(const KalProbe *probe, KalExpr e, KalArithmetic field,
                          int point);

/// What is known of the rank of a matrix.
typedef struct KalRank {
    size_t least;   ///< somewhere it is that
    size_t most;    ///< nowhere it is more
    bool exact;     ///< by residues: then least is most, but for special values
    bool piecewise; ///< there are formulas that choose between others
    bool known;     ///< else it would take too long to find, and nothing is
} KalRank;

/// Entries that the elimination of a matrix may have as a rule: 100 MB.
#define KAL_RANK_ENTRIES (INT64_C(1) << 22)

/// The rank of a matrix whose elimination has up to `most` entries, and a thousand times as
/// many products.
KAL_CHECKED KalStatus kal_probe_rank(KalProbe *probe, const KalSparse *matrix,
                                     int64_t most, KalRank *out_rank);

/// Find out about n formulas once.
KAL_CHECKED KalStatus kal_identities(KalGraph *g, const KalExpr *e, size_t n,
                                     KalVerdict *out_verdicts);

#endif

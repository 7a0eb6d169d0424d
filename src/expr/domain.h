// SPDX-License-Identifier: MIT

/// @file
/// Where formulas have values, and what simplification must not forget of it.
///
/// x/x becomes 1, √x √x becomes x: the simplified formula has values where the one that was
/// written has none.  For formulas that follow from others by calculus this does no harm
/// (docs/theory/expressions.md, section 8); a formula that a person wrote must not get
/// values that way.  So whoever builds formulas for people compares what operands need with
/// what the result still needs, and guards the result where something went missing.

#ifndef EXPR_DOMAIN_H
#define EXPR_DOMAIN_H

#include "expr/graph.h"

/// What must hold of a formula for another one to have a value.
typedef enum KalNeedKind {
    KAL_NEED_NONZERO,
    KAL_NEED_NONNEGATIVE,
    KAL_NEED_POSITIVE,
    KAL_NEED_AT_MOST_ONE ///< its size
} KalNeedKind;

typedef struct KalNeed {
    KalExpr of;
    KalNeedKind kind;
} KalNeed;

enum {
    KAL_NEEDS_MAX = 24
};

/// Needs of one formula.
typedef struct KalNeeds {
    KalNeed list[KAL_NEEDS_MAX];
    int n;
} KalNeeds;

/// Add what the factors of e^power need, for a power of ±1: divisors and radicands, and the
/// operands of a logarithm or an inverse function that is a factor.  Needs that are always
/// met are left out; so are those beyond the limit, and those within factors, which
/// simplification keeps.
void kal_needs_add(const KalGraph *g, KalExpr e, int32_t power, KalNeeds *needs);

/// Add what a^x needs of the base of a: (b^n)^x becomes b^(n x), which for an odd n and an x
/// that is no whole number may have values where b^n is negative.
void kal_needs_add_power(const KalGraph *g, KalExpr a, KalExpr x, KalNeeds *needs);

/// Whether a number meets a need of this kind.
bool kal_need_is_met(KalNeedKind kind, double number);

/// Whether somewhere in e, as far as a bounded walk goes, a need shows; true if the walk
/// ends before all of e was seen.
bool kal_need_shows(const KalGraph *g, KalExpr e, KalNeed need);

/// Whether e may have no value somewhere, as far as a bounded walk shows; true if the walk ends
/// before all of e was seen.
bool kal_may_lack_value(const KalGraph *g, KalExpr e);

/// Keep of `e`, which was made of `a`, what simplification has forgotten: where a part of `a`, as
/// far as a bounded walk shows, may have no value and is not in `e`, neither has the result.
/// Of parts that `is_kept` answers false for nothing is asked.
KalExpr kal_keep_parts(KalGraph *g, KalExpr e, KalExpr a,
                       bool (*is_kept)(void *user, KalExpr part), void *user);

/// The value where the formula `of` has one, and elsewhere none.
KalExpr kal_where(KalGraph *g, KalExpr value, KalExpr of);

/// The value where the need is met, and elsewhere none: a WHERE, of which derivatives and
/// tests for zero see the value alone.
KalExpr kal_need_guard(KalGraph *g, KalNeed need, KalExpr value);

#endif

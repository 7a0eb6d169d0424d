// SPDX-License-Identifier: MIT

/// @file
/// Expressions become values (path.c, expression.c, call.c, rate.c, domain.c); some are
/// numbers known in advance (integer.c).

#ifndef MODEL_EXPRESSION_IMPL_H
#define MODEL_EXPRESSION_IMPL_H

#include "base/block.h"
#include "base/map.h"
#include "model/name_impl.h"

/// What expressions may use at present.
typedef struct KalUsage {
    unsigned allowed;  ///< marks
    const char *where; ///< "an energy"
} KalUsage;

/// An evaluation under way.
typedef struct KalEvaluation {
    KalUsage usage;
    bool index_read; ///< an index variable was evaluated
    bool looking;    ///< names are looked at and not used
    unsigned depth;  ///< of expressions
    unsigned calls;  ///< of functions, one in another
} KalEvaluation;

/// What is known of formulas, by the file in parentheses.
typedef struct KalFormulaNotes {
    KalMap rates; ///< formula → its derivative (rate.c)
    KalMap needs; ///< formula and kind of need → it is among the conditions (domain.c)
    KalBlock numbers; ///< values of symbols, those of parameters set (integer.c)
} KalFormulaNotes;

/// Evaluates an expression, whatever it comes to.
KalValue kal_build_eval(KalBuild *b, const KalNode *node);

/// Evaluates an expression that has to be a scalar.
KalValue kal_build_scalar(KalBuild *b, const KalNode *node);

/// Evaluates an expression that may use only some kinds of symbols.
KalValue kal_build_eval_for(KalBuild *b, const KalNode *node, KalUsage usage);
KalValue kal_build_scalar_for(KalBuild *b, const KalNode *node, KalUsage usage);

/// What a name, member or index stands for, elements not defined yet included.
KalValue kal_build_path(KalBuild *b, const KalNode *node, KalSpace space);

/// What an array is at present, apart from elements declared later.
KalValue kal_build_snapshot(KalBuild *b, KalValue value, const KalNode *node);

/// Demands a scalar.
KalValue kal_build_demand_scalar(KalBuild *b, KalValue value, const KalNode *node);

KalValue kal_build_add(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_subtract(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_negate(KalBuild *b, KalValue a, const KalNode *node);
KalValue kal_build_multiply(KalBuild *b, KalValue a, KalValue c, const KalNode *node);

/// The product of scalars, and their quotient.
KalValue kal_build_times(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_over(KalBuild *b, KalValue a, KalValue c, const KalNode *node);

KalValue kal_build_call(KalBuild *b, const KalNode *node);

/// A table, or a derivative of it, of a formula; `primes` of them.
KalValue kal_build_look_up(KalBuild *b, KalEntry *entry, unsigned primes,
                           const KalNode *node);

/// The time derivative of a value.
KalValue kal_build_rate(KalBuild *b, KalValue value, const KalNode *node);

/// Remembers the text of nodes that were made since the graph had `before` nodes and can
/// fail or are made of pieces.
void kal_build_origin(KalBuild *b, uint32_t before, KalSpan span);

/// e, which is a sum, product or function of a and c as written at a place, with conditions
/// where simplification has forgotten what these need to have values.  c may be
/// KAL_NO_EXPR.  The product with an exact 0 is 0 whatever the other factor needs.
KalExpr kal_build_domain(KalBuild *b, KalExpr e, KalExpr a, KalExpr c, KalSpan span);

/// The same for a power.
KalExpr kal_build_domain_power(KalBuild *b, KalExpr e, KalExpr base, KalExpr exponent,
                               KalSpan span);

/// The same for a choice whose branches are alike, so that its condition is forgotten.
KalExpr kal_build_domain_choice(KalBuild *b, KalExpr e, KalExpr condition,
                                KalSpan span);

/// The same for e = a c^power, a power of ±1.
KalExpr kal_build_domain_over(KalBuild *b, KalExpr e, KalExpr a, KalExpr c,
                              int32_t power, KalSpan span);

/// A product of a typed 0 and another value, or the quotient of them, that has a value where the
/// other one gives it one.  `factor` is the later of the two.
KalValue kal_build_domain_of_zero(KalBuild *b, KalValue product, KalValue other,
                                  const KalNode *factor);

/// An integer; false after an error.
bool kal_build_integer(KalBuild *b, const KalNode *node, int64_t *out_value);

/// The bounds of a range.
bool kal_build_range(KalBuild *b, const KalNode *range, int64_t *out_first,
                     int64_t *out_last);

/// Whether a condition of numbers known in advance holds; false after an error too.
bool kal_build_filter(KalBuild *b, const KalNode *node);

/// The number that a formula of parameters comes to.
bool kal_build_number(KalBuild *b, KalExpr e, double *out_number);

/// Says what the symbol of a parameter comes to.
void kal_build_set_number(KalBuild *b, KalExpr symbol, double number);

/// Whether a scalar is made of parameters that determine the structure of the model.
bool kal_build_is_structural(KalBuild *b, KalValue value);

/// The parameters in a formula determine the structure of the model.
void kal_build_mark_structural(KalBuild *b, KalExpr e);

/// Note that formulas, or whether the model is sound, were decided by the values of the
/// parameters in a formula.
void kal_build_mark_decided(KalBuild *b, KalExpr e);

#endif

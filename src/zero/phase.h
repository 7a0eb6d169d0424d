// SPDX-License-Identifier: MIT

/// @file
/// Arguments of sines and exponentials as combinations of monomials.
///
/// e^(Σ k_j m_j), with numbers k_j and different monomials m_j of symbols, is a product of
/// powers of the e^(m_j), and these are independent of each other: no algebraic relation
/// holds between them, nor with the symbols (theory (10.3)).  So to try out formulas with
/// sines it is enough to choose a number for each e^(m_j) at will.
///
/// A phase is such a combination.  Symbols, π and numbers make phases by sums, products,
/// whole powers and division by a single term.  Everything else stands in its monomials
/// as a symbol of its own would; nothing is then known of how such monomials depend on
/// others, and they are not called pure.

#ifndef ZERO_PHASE_H
#define ZERO_PHASE_H

#include "base/block.h"
#include "base/index.h"
#include "expr/graph.h"

/// k × monomial.
typedef struct KalPhaseTerm {
    KalRational k;     ///< exact, not 0
    uint32_t monomial; ///< its number
} KalPhaseTerm;

enum {
    KAL_PHASE_UNKNOWN = 0,
    KAL_PHASE_NONE = 1, ///< there was no room for one
    KAL_PHASE_KNOWN = 2
};

/// Where a phase keeps its terms, sorted by monomial.  Zeroed is unknown.
typedef struct KalPhase {
    uint32_t start;
    uint32_t count;
    uint32_t state; ///< KAL_PHASE_…
} KalPhase;

/// All phases that were asked for; zeroed is empty.
typedef struct KalPhases {
    KalBlock terms;
    KalBlock monomials;
    KalBlock factors;
    KalIndex index; ///< of the monomials
} KalPhases;

/// Free what they hold.
void kal_phases_clear(KalContext *ctx, KalPhases *phases);

/// Whether the phase of a node with this operator is made of those of its operands.
bool kal_phase_is_made(KalOp op);

/// The phase of a node from those of its operands, which are not unknown if it is made of
/// them.
KAL_CHECKED KalStatus kal_phase_make(const KalGraph *g, KalPhases *phases, KalExpr e,
                                     const KalPhase operands[3], KalPhase *out_phase);

/// The terms of a known phase, until the next one is made.
const KalPhaseTerm *kal_phase_terms(const KalPhases *phases, KalPhase phase);

/// Whether a monomial is just π.
bool kal_phase_is_pi(const KalPhases *phases, uint32_t monomial);

/// Whether a monomial is 1.
bool kal_phase_is_one(const KalPhases *phases, uint32_t monomial);

/// The node that a monomial is if it is nothing but a node in the place of a symbol, else
/// KAL_NO_EXPR.
KalExpr kal_phase_node(const KalPhases *phases, uint32_t monomial);

/// Whether a monomial is made of symbols alone.
bool kal_phase_is_pure(const KalPhases *phases, uint32_t monomial);

#endif

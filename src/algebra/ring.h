// SPDX-License-Identifier: MIT

/// @file
/// Polynomials with whole coefficients: exact algebra for formulas that people read.
///
/// A ring has a fixed number of variables and holds polynomials in a stack: a mark taken
/// before some work and given back after it frees all that the work made.  The algebra is
/// FLINT's; ring.c is the only file that knows of it.
///
/// Untrusted formulas may ask for more than any machine has, and FLINT ends the program
/// when it gets no memory.  So every operation is paid for in advance, by the number of
/// terms that it touches, and the terms alive, their degrees and the size of their
/// coefficients have limits.  A ring that meets one is *spoiled*, as a graph may be: from
/// then on its operations give KAL_NO_POLY, which they accept, and kal_ring_status() says
/// KAL_ERR_LIMIT.  Counts, not clocks: what fits here fits everywhere.

#ifndef ALGEBRA_RING_H
#define ALGEBRA_RING_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct KalRing KalRing;

/// A polynomial of one ring.  Pass by value; it never changes.
typedef struct KalPoly {
    uint32_t index;
} KalPoly;

/// Stands for zero where it is used.
#define KAL_NO_POLY ((KalPoly){0})

enum {
    KAL_RING_VARIABLES = 128,        ///< the most a ring has
    KAL_POLY_FACTORS = 16,           ///< the most that a factorization lists
    KAL_RING_WORK = 20 * 1000 * 1000 ///< terms touched, unless told otherwise
};

/// One term; `exponent` has a place for each variable of the ring.
typedef struct KalPolyTerm {
    int64_t coefficient;
    uint16_t exponent[KAL_RING_VARIABLES];
} KalPolyTerm;

/// constant × Π factor^power.
typedef struct KalPolyFactors {
    KalPoly constant; ///< a number
    int n;
    KalPoly factor[KAL_POLY_FACTORS]; ///< their leading coefficients are positive
    int32_t power[KAL_POLY_FACTORS];
} KalPolyFactors;

/// Make a ring of at most KAL_RING_VARIABLES variables.  The caller owns it.
KAL_CHECKED KalStatus kal_ring_create(KalContext *ctx, int variables,
                                      KalRing **out_ring);

/// Free a ring and its polynomials.  NULL is allowed.
void kal_ring_destroy(KalRing *ring);

/// How much more work the ring may do, in terms touched.
void kal_ring_set_work(KalRing *ring, int64_t work);
int64_t kal_ring_work(const KalRing *ring);

/// KAL_OK, KAL_ERR_LIMIT or KAL_ERR_NOMEM, with an explanation in the context.
KAL_CHECKED KalStatus kal_ring_status(const KalRing *ring);

/// Whether nothing has failed yet.
bool kal_ring_is_sound(const KalRing *ring);

int kal_ring_variables(const KalRing *ring);

/// The context that the ring was made in.
KalContext *kal_ring_context(const KalRing *ring);

/// @name The stack
/// @{

/// What kal_ring_release() goes back to.
uint32_t kal_ring_mark(const KalRing *ring);

/// Free all that was made since the mark, but for the n polynomials of `kept`, which are
/// renamed.
void kal_ring_release(KalRing *ring, uint32_t mark, KalPoly *kept, int n);
/// @}

/// @name Making polynomials
/// @{
KalPoly kal_poly_int(KalRing *ring, int64_t value);
KalPoly kal_poly_variable(KalRing *ring, int v);
KalPoly kal_poly_term(KalRing *ring, const KalPolyTerm *term);
KalPoly kal_poly_add(KalRing *ring, KalPoly a, KalPoly b);
KalPoly kal_poly_sub(KalRing *ring, KalPoly a, KalPoly b);
KalPoly kal_poly_neg(KalRing *ring, KalPoly a);
KalPoly kal_poly_mul(KalRing *ring, KalPoly a, KalPoly b);
KalPoly kal_poly_pow(KalRing *ring, KalPoly a, int32_t n);

/// The terms of a for which `wanted` is true.
KalPoly kal_poly_select(KalRing *ring, KalPoly a, const bool *wanted);

/// The greatest common divisor, with a positive leading coefficient; where the operands
/// are too large for that, only what all their terms share.
KalPoly kal_poly_gcd(KalRing *ring, KalPoly a, KalPoly b);

/// The largest term that divides all terms of a, with a positive coefficient; a ≠ 0.
KalPoly kal_poly_content(KalRing *ring, KalPoly a);

/// Whether b divides a, and a/b.
bool kal_poly_divide(KalRing *ring, KalPoly a, KalPoly b, KalPoly *out_quotient);

/// a with every v² replaced by `square`, which does not contain v.
KalPoly kal_poly_reduce(KalRing *ring, KalPoly a, int v, KalPoly square);

/// a as slope × v + rest, where that is so and v occurs.
bool kal_poly_is_linear(KalRing *ring, KalPoly a, int v, KalPoly *out_slope,
                        KalPoly *out_rest);

/// below^d × a(v = above/below), where d is the degree of a in v.
KalPoly kal_poly_substitute(KalRing *ring, KalPoly a, int v, KalPoly above,
                            KalPoly below);

/// Factors of a ≠ 0: irreducible ones, or where a is too large for that its content and
/// the rest.
KalPolyFactors kal_poly_factor(KalRing *ring, KalPoly a);
/// @}

/// @name Looking at polynomials
/// @{
bool kal_poly_is_zero(const KalRing *ring, KalPoly a);
bool kal_poly_is_one(const KalRing *ring, KalPoly a);
bool kal_poly_is_number(const KalRing *ring, KalPoly a);
bool kal_poly_same(const KalRing *ring, KalPoly a, KalPoly b);

/// The sign of the leading coefficient: −1, 0 or 1.
int kal_poly_sign(const KalRing *ring, KalPoly a);
int kal_poly_terms(const KalRing *ring, KalPoly a);
int32_t kal_poly_degree(const KalRing *ring, KalPoly a, int v);

/// Term i, in the order of the exponents: the first variable counts most, larger first.
/// False when its coefficient does not fit.
bool kal_poly_get(const KalRing *ring, KalPoly a, int i, KalPolyTerm *out_term);
/// @}

#endif

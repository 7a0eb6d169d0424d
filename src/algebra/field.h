// SPDX-License-Identifier: MIT

/// @file
/// Formulas as fractions of polynomials, and such fractions as formulas for readers.
///
/// The *atoms* of some formulas are what arithmetic does not look into: symbols, π,
/// rounded numbers, functions with their arguments.  A field is the fractions of
/// polynomials in these atoms.  It knows that some atoms are related, theory (11.1):
/// sin²u + cos²u = 1, cosh²u − sinh²u = 1, (√u)² = u and the like.  So a formula has more
/// than one fraction, and a fraction more than one way to be written; what is written is
/// the shortest that was found.
///
/// A field has a graph from which its atoms are and one in which it writes, which may be
/// the same; in a graph of their own formulas keep the order in which they are written.
/// All fractions are exact, and equal values have equal cross products only modulo the
/// relations: compare by kal_field_is_zero() of a difference.

#ifndef ALGEBRA_FIELD_H
#define ALGEBRA_FIELD_H

#include "algebra/ring.h"
#include "expr/graph.h"
#include "print/print.h"

typedef struct KalField KalField;

/// above/below; below is not zero.
typedef struct KalFraction {
    KalPoly above;
    KalPoly below;
} KalFraction;

/// How a field treats some formulas.
typedef struct KalFieldOptions {
    KalPrintOptions print; ///< how long a text is, and what symbols are called
    bool tangents;         ///< tan u is sin u / cos u, not an atom
    int64_t work;          ///< of the ring; 0 for the default
    KalGraph *out;         ///< where to write; NULL for the graph of the atoms
} KalFieldOptions;

/// Make the field of the atoms of n formulas.  KAL_ERR_LIMIT when they are too many.
KAL_CHECKED KalStatus kal_field_create(KalGraph *g, const KalExpr *e, size_t n,
                                       const KalFieldOptions *options,
                                       KalField **out_field);

/// Free a field.  NULL is allowed.
void kal_field_destroy(KalField *field);

KalRing *kal_field_ring(KalField *field);

/// How many variables are atoms now; writing may add some.
int kal_field_atoms(const KalField *field);

/// The atom that a variable stands for.
KalExpr kal_field_atom(const KalField *field, int v);

/// Write an atom as something else from now on, such as a symbol that names it, a formula
/// of the graph in which the field writes.
void kal_field_rename(KalField *field, int v, KalExpr shown);

/// Write a polynomial, where it or its negative is a factor, as something else from now on.
/// It must outlive its use.  False when there are too many.
bool kal_field_name_factor(KalField *field, KalPoly factor, KalExpr shown);

/// @name Arithmetic
/// Results are in lowest terms as polynomials.  Dividing by zero spoils nothing but gives
/// KAL_NO_POLY below: kal_fraction_is_sound() tells.
/// @{
KalFraction kal_fraction_int(KalField *field, int64_t value);
KalFraction kal_fraction_add(KalField *field, KalFraction a, KalFraction b);
KalFraction kal_fraction_sub(KalField *field, KalFraction a, KalFraction b);
KalFraction kal_fraction_mul(KalField *field, KalFraction a, KalFraction b);
KalFraction kal_fraction_div(KalField *field, KalFraction a, KalFraction b);

/// Divide above and below by what they share.
KalFraction kal_fraction_cancel(KalField *field, KalFraction a);

bool kal_fraction_is_sound(const KalField *field, KalFraction a);
/// @}

/// A formula made of the field's atoms.  KAL_ERR_NUMBER: it divides by zero;
/// KAL_ERR_LIMIT: it is too large.
KAL_CHECKED KalStatus kal_field_read(KalField *field, KalExpr e,
                                     KalFraction *out_fraction);

/// The one form of a polynomial in which atoms that have a relation occur at most once in
/// a product: theory (11.2).
KalPoly kal_field_reduce(KalField *field, KalPoly a);

/// Whether a polynomial is zero by the relations.
bool kal_field_is_zero(KalField *field, KalPoly a);

/// Use relations wherever that makes fewer terms.
KalPoly kal_field_contract(KalField *field, KalPoly a);

/// The fraction with the shortest text that the relations were found to give: theory
/// (11.3).
KalFraction kal_field_shorten(KalField *field, KalFraction a);

/// How long the text of a fraction is; SIZE_MAX when it cannot be written.
size_t kal_field_length(KalField *field, KalFraction a);

/// A fraction as a formula: factored, common factors collected, numbers first, terms in
/// the order of their atoms.  KAL_ERR_LIMIT: a number does not fit or there is too much.
KAL_CHECKED KalStatus kal_field_write(KalField *field, KalFraction a, KalExpr *out_e);

#endif

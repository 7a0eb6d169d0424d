// SPDX-License-Identifier: MIT

/// @file
/// What the files of a field share: its atoms, and the relations among them.

#ifndef EXPR_FIELD_IMPL_H
#define EXPR_FIELD_IMPL_H

#include "expr/field.h"
#include "expr/graph_impl.h"

enum {
    KAL_FIELD_SPARE = 16, ///< variables for atoms that writing adds
    KAL_FIELD_ATOMS = KAL_RING_VARIABLES - KAL_FIELD_SPARE,
    KAL_FIELD_RELATIONS = 2 * KAL_RING_VARIABLES
};

/// When a relation is used.
typedef enum KalUse {
    KAL_USE_FORWARD, ///< these together give the one form
    KAL_USE_BACK,    ///< these the opposite one
    KAL_USE_TRY      ///< only where it helps
} KalUse;

/// v² = square; or v² = one + sign w², for partners v and w.
typedef struct KalRelation {
    int v;
    int w; ///< −1: none
    int one;
    int sign;
    KalPoly square;
    KalUse use;
} KalRelation;

struct KalField {
    KalContext *ctx;
    KalGraph *g;
    KalRing *ring;
    KalFieldOptions options;
    int n_atoms;
    KalExpr atom[KAL_RING_VARIABLES];
    KalExpr shown[KAL_RING_VARIABLES];
    int width[KAL_RING_VARIABLES]; ///< characters of what is shown
    int n_relations;
    KalRelation relation[KAL_FIELD_RELATIONS];
    bool unfit; ///< a number did not fit while writing
};

/// The variable of an atom, −1 when it is none.
int kal_field_find(const KalField *field, KalExpr atom);

/// The same, added while there are spare variables; −1 when there are none.
int kal_field_add(KalField *field, KalExpr atom);

/// The characters of an expression as text; SIZE_MAX when that is too long.
size_t kal_field_measure(KalField *field, KalExpr e);

/// Find the relations of all atoms.
void kal_field_relate(KalField *field);

/// The relations of a sine or cosine, circular or hyperbolic, whose partner is an atom.
void kal_field_relate_pair(KalField *field, int v);

/// Apply relations wherever that makes fewer terms.
KalPoly kal_field_contract(KalField *field, KalPoly a);

/// Sums of two products of sines and cosines as one of a sum or difference of angles.
KalPoly kal_field_join_angles(KalField *field, KalPoly a);

#endif

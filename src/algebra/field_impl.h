// SPDX-License-Identifier: MIT

/// @file
/// What the files of a field share: its atoms, and the relations among them.

#ifndef ALGEBRA_FIELD_IMPL_H
#define ALGEBRA_FIELD_IMPL_H

#include "algebra/field.h"
#include "expr/factors.h"
#include "expr/node.h"

enum {
    KAL_FIELD_SPARE = 40, ///< most variables for atoms that writing adds
    KAL_FIELD_NAMES = 8,  ///< factors that may have names
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
    KalGraph *g;   ///< of the atoms
    KalGraph *out; ///< of what is written
    KalRing *ring;
    KalFieldOptions options;
    int n_atoms;
    KalExpr atom[KAL_RING_VARIABLES];
    KalExpr shown[KAL_RING_VARIABLES];
    int width[KAL_RING_VARIABLES]; ///< characters of what is shown
    int n_relations;
    KalRelation relation[KAL_FIELD_RELATIONS];
    int n_named;
    KalPoly named[KAL_FIELD_NAMES]; ///< factors that have names
    KalExpr name[KAL_FIELD_NAMES];
    bool unfit;       ///< a number did not fit while writing
    KalStatus status; ///< KAL_ERR_NOMEM is kept where it was met
};

/// The variable of an atom, −1 when it is none.
int kal_field_find(const KalField *field, KalExpr atom);

/// The same, added while there are spare variables; −1 when there are none.
int kal_field_add(KalField *field, KalExpr atom);

/// The characters of a written expression as text; SIZE_MAX when that is too long.
size_t kal_field_measure(KalField *field, KalExpr e);

/// Keep a failure that the caller cannot be told of, unless it only means too much.
void kal_field_note(KalField *field, KalStatus status);

/// KAL_OK, or what was kept.
KAL_CHECKED KalStatus kal_field_status(const KalField *field);

/// Find the relations of all atoms.
void kal_field_relate(KalField *field);

/// The relations of a sine or cosine, circular or hyperbolic, whose partner is an atom.
void kal_field_relate_pair(KalField *field, int v);

/// Sums of two products of sines and cosines as one of a sum or difference of angles.
KalPoly kal_field_join_angles(KalField *field, KalPoly a);

#endif

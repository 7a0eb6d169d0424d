// SPDX-License-Identifier: MIT

/// @file
/// The solver of touch.h, for the files that look for its solutions and for others than the
/// first.

#ifndef CONTACT_TOUCH_IMPL_H
#define CONTACT_TOUCH_IMPL_H

#include "base/workspace.h"
#include "contact/lcp.h"
#include "contact/share.h"
#include "contact/touch.h"

enum {
    KAL_TOUCH_UNKNOWNS = 3,     ///< of a row, at most
    KAL_TOUCH_SHARED_MOST = 200 ///< unknowns whose ways to share are looked for
};

/// Laws are satisfied up to this, rates that differ by less are the same.
#define KAL_TOUCH_TRUE      1e-8
/// What is left of a row of G that depends on others, of its square.
#define KAL_TOUCH_DEPENDENT 1e-12

/// How a touch enters the problem at present.
typedef enum KalTouchPart {
    KAL_PART_PUSH,   ///< no friction
    KAL_PART_SLIDE,  ///< a friction along a direction
    KAL_PART_OPEN,   ///< undecided, one row
    KAL_PART_BONDED, ///< two rows, tried as held
    KAL_PART_BOUND,  ///< one row, held for certain
} KalTouchPart;

/// A touch at present.
typedef struct KalTouchState {
    KalTouchPart part;
    double slope; ///< of the friction at present, scaled for row 0 of its slip
    double force;
    double direction[KAL_TOUCH_SLIPS];
    int N; ///< unknowns, or −1
    int a;
    int b;
    int s;
} KalTouchState;

// Slips of two rows that hold by sharing (hold.c).
typedef struct KalTouchHold {
    KalShareCone *cones; ///< n
    double *effects;     ///< rows × rows: of forces that may share a load
    int *rows;           ///< rows: these
    double *forces;      ///< rows: their shares
    bool shares;         ///< they do, with these forces
    double *shared;      ///< rows
} KalTouchHold;

struct KalTouchSolver {
    KalContext *ctx;
    KalWorkspace workspace;
    KalLcp *lcp;
    int n;
    int rows;
    double size;    ///< of free rates
    double *scale;  ///< rows: 1 / √Gᵢᵢ
    double *G;      ///< rows × rows, scaled
    double *free;   ///< rows, scaled
    double *bonded; ///< rows × rows: G after bonded rows are eliminated
    double *bonded_free;
    bool *is_bonded;       ///< rows
    KalTouchState *states; ///< n
    double *map;           ///< rows × unknowns: forces of unknowns
    double *known;         ///< rows: forces without unknowns
    double *tried; ///< unknowns, as what follows: a combination that is looked at
    bool *trial;
    int *deeds; ///< n
    double *M;  ///< unknowns × unknowns
    double *q;
    double *z;
    bool *basic;
    double *forces; ///< rows
    double *rates;
    double *other; ///< rows: rates of another solution
    KalTouch *touches;
    bool *blamed;
    int unknowns;
    bool is_ray;     ///< the last path ended so: there is no solution without friction
    KalShare *share; ///< of unknowns; what follows has room for SHARED_MOST of them
    int *tight;      ///< unknowns that may change
    double *effects; ///< SHARED_MOST × SHARED_MOST
    double *slopes;  ///< of a sum of rates
    double *moved;   ///< 2 × SHARED_MOST
    bool *takes_part;
    KalShareLimit *limits;
    int most_shared;
    KalTouchHold hold;
};

/// Eliminate slips that are held from G and from the free rates; what depends on rows before it is
/// left as it is.
void kal_touch_bond(KalTouchSolver *s, const KalTouchProblem *p);

/// The size of forces and rates.
double kal_touch_size(const KalTouchSolver *s, int rows);

/// Forces and rates of all rows for some unknowns.
void kal_touch_expand(KalTouchSolver *s, const KalTouchProblem *p, const double *z,
                      double *forces, double *rates);

/// Whether slips of two rows are at rest: which slide, and where to, is more than can be tried.
bool kal_touch_has_bonded(const KalTouchProblem *p);
/// Whether a touch has a friction that may be at its limit.
bool kal_touch_is_rough(const KalTouchState *state);
/// Whether any has.
bool kal_touch_has_friction(const KalTouchSolver *s, const KalTouchProblem *p);

/// With slips of two rows held: let forces share the load so that all laws are obeyed.  False,
/// and nothing changes, if there is no way to.
bool kal_touch_hold_by_shares(KalTouchSolver *s, const KalTouchProblem *p);

/// Whether there are other solutions than the one at hand, if there is one: forces and rates
/// are then those of one of them.  `solved`: there is one.
KalTouchEnd kal_touch_look_through(KalTouchSolver *s, const KalTouchProblem *p,
                                   bool solved);

#endif

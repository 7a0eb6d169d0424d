// SPDX-License-Identifier: MIT

/// @file
/// Forces that redundant contacts share: of all forces along some rows that have the same effect
/// and obey limits, those of least norm.  Theory (21.12).

#ifndef CONTACT_SHARE_H
#define CONTACT_SHARE_H

#include "contact/lcp.h"

enum {
    KAL_SHARE_TERMS = 3, ///< of a limit, at most
    KAL_SHARE_CUTS = 8   ///< limits that stand for a cone at a time, at most
};

/// A limit: Σ factor · force + constant ≥ 0.
typedef struct KalShareLimit {
    int force[KAL_SHARE_TERMS]; ///< rows; −1 for none
    double factor[KAL_SHARE_TERMS];
    double constant;
} KalShareLimit;

/// A cone: |f| ≤ slope · N + force, f being the forces of two rows.
typedef struct KalShareCone {
    int slip[2];     ///< rows; −1 for one whose force is fixed
    double fixed[2]; ///< that
    int normal;      ///< row of N; −1 for none
    double slope;
    double force;
} KalShareCone;

/// What forces have to obey.
typedef struct KalShareLimits {
    KalShareLimit *list; ///< room for KAL_SHARE_CUTS more for each cone
    int n;
    const KalShareCone *cones;
    int n_cones;
} KalShareLimits;

typedef struct KalShare KalShare;

/// Make a workspace for so many rows of n entries, and limits.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_share_create(KalContext *ctx, int rows, int n, int limits,
                                       KalShare **out_share);

/// Free a workspace.  NULL is allowed.
void kal_share_destroy(KalShare *share);

/// Find out which changes of forces have no effect: rows are r × n.  Returns how many
/// independent ones there are; out_shared[i]: one of them changes the force of row i.
int kal_share_find(KalShare *share, int r, int n, const double *rows, bool *out_shared);

/// After that: let forces of rows that do not count be of any size, if those that do are of least
/// norm so.  Without it all count.
void kal_share_count(KalShare *share, const bool *counts);

/// After that: replace forces by those next to a target, NULL for zero, that have the same effect
/// and obey the limits: of least norm.  False, and nothing changes, where there are none, up to
/// rounding.  `lcp` and the workspace have room for the limits.
bool kal_share_solve(KalShare *share, KalLcp *lcp, const KalShareLimit *limits,
                     int n_limits, const double *target, double *forces);

/// The same within cones too, from zero on.
bool kal_share_solve_cones(KalShare *share, KalLcp *lcp, const KalShareLimits *limits,
                           double *forces);

#endif

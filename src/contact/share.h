// SPDX-License-Identifier: MIT

/// @file
/// Forces that redundant contacts share: of all forces along some rows that have the same effect
/// and obey limits, those of least norm.  Theory (21.12).

#ifndef CONTACT_SHARE_H
#define CONTACT_SHARE_H

#include "contact/lcp.h"

/// A limit: Σ factor · force + constant ≥ 0.
typedef struct KalShareLimit {
    int force[2]; ///< rows; −1 for none
    double factor[2];
    double constant;
} KalShareLimit;

typedef struct KalShare KalShare;

/// Make a workspace for so many rows of n entries, and limits.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_share_create(KalContext *ctx, int rows, int n, int limits,
                                       KalShare **out_share);

/// Free a workspace.  NULL is allowed.
void kal_share_destroy(KalShare *share);

/// Find out which changes of forces have no effect: rows are r × n.  Returns how many
/// independent ones there are; out_shared[i]: one of them changes the force of row i.
int kal_share_find(KalShare *share, int r, int n, const double *rows, bool *out_shared);

/// After that: replace forces, which obey the limits, by those next to a target, NULL for zero,
/// that have the same effect and obey them: of least norm.  False, and nothing changes, where
/// rounding leaves none.  `lcp` has room for the limits.
bool kal_share_solve(KalShare *share, KalLcp *lcp, const KalShareLimit *limits,
                     int n_limits, const double *target, double *forces);

#endif

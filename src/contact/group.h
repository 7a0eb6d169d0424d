// SPDX-License-Identifier: MIT

/// @file
/// Touches in groups: those that no entry of G couples do not know of each other, so each
/// group is a problem of its own.  Theory section 21.
///
/// Groups keep problems small, which are then looked through for all of their solutions, and
/// name only those touches that take part where one of them has none or several.

#ifndef CONTACT_GROUP_H
#define CONTACT_GROUP_H

#include "contact/lcp.h"
#include "contact/touch.h"

typedef struct KalGroups KalGroups;

/// Make a workspace for n touches with this many rows.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_groups_create(KalContext *ctx, int n, int rows,
                                        KalGroups **out_groups);

/// Free a workspace.  NULL is allowed.
void kal_groups_destroy(KalGroups *groups);

/// Solve a problem group by group.  The end is that of the first group that has no single
/// solution, which alone is blamed; arrays of the answer hold until the next call.
KalTouchEnd kal_groups_solve(KalGroups *groups, const KalTouchProblem *problem,
                             KalTouchAnswer *out_answer);

/// The solver of complementarity problems that it works with, for as many unknowns as there are
/// rows, three times over.
KalLcp *kal_groups_lcp(KalGroups *groups);

#endif

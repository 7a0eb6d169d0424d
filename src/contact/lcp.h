// SPDX-License-Identifier: MIT

/// @file
/// Linear complementarity: given M and q, find w = M z + q with w ≥ 0, z ≥ 0 and
/// wᵢ zᵢ = 0 for all i.  Theory (21.4).
///
/// Entries of M and q are taken to be of size 1: who calls scales.  A solve asks for no
/// memory, and the same input gives the same bits.

#ifndef CONTACT_LCP_H
#define CONTACT_LCP_H

#include "base/context.h"

#include <stdbool.h>

typedef struct KalLcp KalLcp;

/// How a search ended.
typedef enum KalLcpEnd {
    KAL_LCP_SOLVED,
    KAL_LCP_RAY, ///< no solution was found; there is none if M is positive semi-definite
    KAL_LCP_LONG, ///< rounding keeps it from an end
} KalLcpEnd;

/// Make a workspace for problems of at most n unknowns.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_lcp_create(KalContext *ctx, int n, KalLcp **out_lcp);

/// Free a workspace.  NULL is allowed.
void kal_lcp_destroy(KalLcp *lcp);

/// Search for a solution.  out_basic[i]: zᵢ belongs to the basis; wᵢ is then 0.
KalLcpEnd kal_lcp_solve(KalLcp *lcp, int n, const double *M, const double *q,
                        double *out_z, bool *out_basic);

/// Whether the basis of some z gives a solution, which is written to out_z then; false where
/// it is singular too.
bool kal_lcp_try(KalLcp *lcp, int n, const double *M, const double *q,
                 const bool *basic, double *out_z);

#endif

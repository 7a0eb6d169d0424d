// SPDX-License-Identifier: MIT

/// @file
/// Accelerations for many right-hand sides: M a − Aᵀλ = F, A a = b with independent rows.
///
/// The matrices are factored once, in coordinates scaled by the roots of their masses and
/// rows of length 1: A's rows give an orthogonal basis of what they determine and of what
/// is free, and M is factored in the free directions, theory (2.5).

#ifndef ANALYSIS_RESPONSE_H
#define ANALYSIS_RESPONSE_H

#include "base/arena.h"
#include "linalg/qr.h"

#include <stdbool.h>

typedef struct KalResponder {
    int n;
    int rows;
    double *roots;   ///< n: of the masses
    double *lengths; ///< rows: of A's rows, scaled
    double *M;       ///< n × n, scaled
    double *free;    ///< factor of M in the free directions
    double *inverse; ///< of its diagonal
    double *a;       ///< n
    double *f;       ///< n
    KalQr qr;        ///< of A's rows as columns, scaled
} KalResponder;

/// Make one for up to n coordinates and m rows.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_responder_init(KalResponder *responder, KalContext *ctx,
                                         KalArena *arena, int n, int m);

/// Factor M (n × n) and A (rows × n, row after row); `masses` scales.  False when M is
/// singular in the free directions.
bool kal_responder_factor(KalResponder *responder, const double *M, const double *A,
                          int rows, const double *masses);

/// Solve for a force (n) and right-hand sides (rows); `out_a` has n, `out_l` rows entries.
void kal_responder_solve(KalResponder *responder, const double *force, const double *b,
                         double *out_a, double *out_l);

#endif

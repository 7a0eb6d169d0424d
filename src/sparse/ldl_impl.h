// SPDX-License-Identifier: MIT

/// @file
/// What the files of sparse factors share: ldl.c analyzes, factor.c factors and solves,
/// combine.c finds what rows are combinations of.

#ifndef SPARSE_LDL_IMPL_H
#define SPARSE_LDL_IMPL_H

#include "sparse/ldl.h"

/// Entries of a column of L below the diagonal.
static inline int kal_ldl_length(const KalLdl *ldl, int k)
{
    return ldl->start[k + 1] - ldl->start[k];
}

/// Where an entry of L that there is, in a row and a column before it, is.
int kal_ldl_position(const KalLdl *ldl, int row, int column);

/// What rounding of the rows before a tie is magnified to in its pivot, but for ε.
double kal_ldl_doubt(KalLdl *ldl, int tie);

#endif

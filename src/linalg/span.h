// SPDX-License-Identifier: MIT

/// @file
/// What rows span: an orthonormal basis of them, row by row, by Gram and Schmidt.

#ifndef LINALG_SPAN_H
#define LINALG_SPAN_H

#include <stdbool.h>

/// Take out of x, of n entries, what lies along `count` orthonormal rows; twice, which leaves
/// no more than rounding.
void kal_span_reduce(int n, const double *rows, int count, double *x);

/// Make what `count` orthonormal rows leave of the row behind them the next of them.  False, and
/// it is none: no more than `rounding` of its length is left.
bool kal_span_add(int n, double *rows, int count, double rounding);

/// The length of a vector of n entries.
double kal_length(int n, const double *x);

#endif

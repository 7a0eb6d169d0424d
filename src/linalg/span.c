// SPDX-License-Identifier: MIT

// Gram–Schmidt with one repetition: what a single pass leaves along the basis is rounding of the
// row's length, large beside a small remainder; after the second it is rounding of the remainder
// (Giraud, Langou, Rozložník and van den Eshof, Numerische Mathematik 101, 2005: twice is
// enough).  The basis is orthonormal to rounding at every moment.

#include "linalg/span.h"

#include "linalg/kernels.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

double kal_length(int n, const double *x)
{
    return sqrt(kal_dot(n, x, x));
}

void kal_span_reduce(int n, const double *rows, int count, double *x)
{
    assert(x && (rows || count == 0));
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const double *row = rows + (size_t)k * (size_t)n;
            const double part = kal_dot(n, row, x);
            for (int j = 0; j < n; j++) {
                x[j] -= part * row[j];
            }
        }
    }
}

bool kal_span_add(int n, double *rows, int count, double rounding)
{
    assert(rows && count < n);
    double *row = rows + (size_t)count * (size_t)n;
    const double before = kal_length(n, row);
    kal_span_reduce(n, rows, count, row);
    const double left = kal_length(n, row);
    if (!(left > rounding * before)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        row[j] /= left;
    }
    return true;
}

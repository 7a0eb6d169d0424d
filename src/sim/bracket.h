// SPDX-License-Identifier: MIT

/// @file
/// A stretch of time at whose ends a function has different signs, made shorter about its zero
/// by the Illinois method: where the same end moves twice in a row, the value at the other is
/// halved, so that it moves soon.  Plain false position would leave it there.

#ifndef SIM_BRACKET_H
#define SIM_BRACKET_H

#include <assert.h>

typedef struct KalBracket {
    double a;
    double b;
    double at_a; ///< > 0
    double at_b; ///< < 0
    int side;    ///< the end that moved last: -1, 1; 0: none did
} KalBracket;

/// Where the zero is, as far as is known.
static inline double kal_bracket_guess(const KalBracket *x)
{
    return x->a + (x->b - x->a) * (x->at_a / (x->at_a - x->at_b));
}

/// Move one end to t, which lies between them.
static inline void kal_bracket_narrow(KalBracket *x, double t, double value)
{
    assert(t > x->a && t < x->b);
    const int side = value > 0.0 ? -1 : 1;
    const double kept = side == x->side ? 0.5 : 1.0; // of the end that stays
    if (side < 0) {
        *x = (KalBracket){t, x->b, value, kept * x->at_b, side};
    } else {
        *x = (KalBracket){x->a, t, kept * x->at_a, value, side};
    }
}

#endif

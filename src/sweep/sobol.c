// SPDX-License-Identifier: MIT

// Points of Sobol (I. M. Sobol, 1967; P. Bratley, B. Fox, ACM TOMS 14, 1988).
//
// A coordinate of point k is the sum modulo 2 of the direction numbers of those bits that k
// has.  Those of an axis follow from a primitive polynomial over the field of two elements,
// of degree s with inner coefficients a, and s odd numbers to begin with, m₁ … mₛ, mᵢ < 2ⁱ:
//
//     mᵢ = 2 a₁ mᵢ₋₁ ⊕ 4 a₂ mᵢ₋₂ ⊕ … ⊕ 2ˢ mᵢ₋ₛ ⊕ mᵢ₋ₛ,      vᵢ = mᵢ / 2ⁱ
//
// The first numbers are those of S. Joe and F. Kuo (SIAM J. Sci. Comput. 30, 2008), chosen so
// that pairs of axes are filled evenly.  Any odd ones give points that fill each axis; the
// table is a matter of quality.

#include "sweep/sobol.h"

#include <assert.h>
#include <stdbool.h>

enum {
    DEGREE = 7 // the largest
};

typedef struct Axis {
    int degree; // 0: the axis of van der Corput, whose numbers are all 1
    unsigned inner;
    uint64_t first[DEGREE];
} Axis;

static const Axis axes[KAL_SOBOL_AXES] = {
    {0, 0,  {0}                       },
    {1, 0,  {1}                       },
    {2, 1,  {1, 3}                    },
    {3, 1,  {1, 3, 1}                 },
    {3, 2,  {1, 1, 1}                 },
    {4, 1,  {1, 1, 3, 3}              },
    {4, 4,  {1, 3, 5, 13}             },
    {5, 2,  {1, 1, 5, 5, 17}          },
    {5, 4,  {1, 1, 5, 5, 5}           },
    {5, 7,  {1, 1, 7, 11, 19}         },
    {5, 11, {1, 1, 5, 1, 1}           },
    {5, 13, {1, 1, 1, 3, 11}          },
    {5, 14, {1, 3, 5, 5, 31}          },
    {6, 1,  {1, 3, 3, 9, 7, 49}       },
    {6, 13, {1, 1, 1, 15, 21, 21}     },
    {6, 16, {1, 3, 1, 13, 27, 49}     },
    {6, 19, {1, 1, 1, 15, 7, 5}       },
    {6, 22, {1, 3, 1, 15, 13, 25}     },
    {6, 25, {1, 1, 5, 5, 19, 61}      },
    {7, 1,  {1, 3, 7, 11, 23, 15, 103}},
    {7, 4,  {1, 3, 7, 13, 13, 15, 69} },
};

// The next number after m[0 … i − 1].
static uint64_t follow(const Axis *axis, const uint64_t *m, int i)
{
    assert(axis->degree > 0 && i >= axis->degree);
    const int s = axis->degree;
    uint64_t next = m[i - s] ^ m[i - s] << s;
    for (int k = 1; k < s; k++) {
        const bool has = (axis->inner >> (s - 1 - k) & 1U) != 0;
        next ^= has ? m[i - k] << k : 0;
    }
    return next;
}

uint64_t kal_sobol_bits(uint64_t index, int axis)
{
    assert(axis >= 0 && axis < KAL_SOBOL_AXES && index >> KAL_SOBOL_BITS == 0);
    const Axis *a = &axes[axis];
    uint64_t m[KAL_SOBOL_BITS];
    uint64_t bits = 0;
    for (int i = 0; i < KAL_SOBOL_BITS && index >> i != 0; i++) {
        m[i] = a->degree == 0 ? 1 : i < a->degree ? a->first[i] : follow(a, m, i);
        bits ^= (index >> i & 1U) != 0 ? m[i] << (63 - i) : 0;
    }
    return bits;
}

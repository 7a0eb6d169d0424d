// SPDX-License-Identifier: MIT

// Rows that are held, eliminated: what is left are the rates of the others and, in the place of a
// held row, the force that holds it.

#include "contact/touch_impl.h"

#include <assert.h>
#include <string.h>

// Eliminate a row whose rate is to be zero from G and from the free rates; what depends on
// rows before it is left as it is.
static void eliminate_row(KalTouchSolver *s, int rows, int k)
{
    assert(0 <= k && k < rows && rows <= s->rows && !s->is_bonded[k]);
    const double pivot = s->bonded[k * rows + k];
    if (pivot <= KAL_TOUCH_DEPENDENT) {
        return;
    }
    for (int i = 0; i < rows; i++) {
        const double factor = s->bonded[i * rows + k] / pivot;
        for (int j = 0; i != k && j < rows; j++) {
            s->bonded[i * rows + j] -= j == k ? 0.0 : factor * s->bonded[k * rows + j];
        }
        s->bonded_free[i] -= i == k ? 0.0 : factor * s->bonded_free[k];
    }
    for (int i = 0; i < rows; i++) {
        // From here on row k gives the force that holds it, and column k nothing.
        s->bonded[k * rows + i] = i == k ? 0.0 : -s->bonded[k * rows + i] / pivot;
        s->bonded[i * rows + k] = 0.0;
    }
    s->bonded_free[k] /= -pivot;
    s->is_bonded[k] = true;
}

void kal_touch_bond(KalTouchSolver *s, const KalTouchProblem *p)
{
    const size_t rows = (size_t)p->rows;
    memcpy(s->bonded, s->G, rows * rows * sizeof(double));
    memcpy(s->bonded_free, s->free, rows * sizeof(double));
    memset(s->is_bonded, 0, rows * sizeof(bool));
    for (int i = 0; i < p->n; i++) {
        const KalTouchPart part = s->states[i].part;
        const bool held = part == KAL_PART_BONDED || part == KAL_PART_BOUND;
        for (int k = 0; held && k < p->laws[i].n_slips; k++) {
            eliminate_row(s, p->rows, p->laws[i].slip[k]);
        }
    }
}

// SPDX-License-Identifier: MIT

// Slips of two rows that hold if what is redundant shares the load, theory (21.12).
//
// A held slip is eliminated, so it bears all that it can: a puck that a turntable carries along
// a rim would bear by friction what the rim may bear.  The motion is the same whoever does.  So
// before such slips are let go, forces of least norm are looked for that have the same effect
// and obey all laws: N ≥ 0 of gaps that stay closed, |f| ≤ ρ of slips that hold.  A friction
// that slides goes with its N.  If there are none, no share lets the slips hold.

#include "contact/touch_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Rates up to this are zero.
static const double ZERO = 1e-10;

// Rows that share forces, with what they do and have to obey.
typedef struct Sharers {
    KalTouchSolver *s;
    const KalTouchProblem *p;
    double size;
    int count;
    KalShareLimits limits;
} Sharers;

// Add a row; returns its place, −1 if there is no room.
static int add_row(Sharers *h, int row)
{
    KalTouchSolver *s = h->s;
    const size_t rows = (size_t)h->p->rows;
    if (h->count == s->most_shared || h->count == h->p->rows) {
        return -1;
    }
    double *effect = s->hold.effects + (size_t)h->count * rows;
    memcpy(effect, s->G + (size_t)row * rows, rows * sizeof *effect);
    s->hold.rows[h->count] = row;
    s->hold.forces[h->count] = s->forces[row];
    return h->count++;
}

// A limit; false if there is no room.
static bool add_limit(Sharers *h, int N, double slope, int f, double side, double force)
{
    if (h->limits.n == h->s->most_shared) {
        return false;
    }
    h->limits.list[h->limits.n++] = (KalShareLimit){
        .force = {N,     f,    -1 },
          .factor = {slope, side, 0.0},
          .constant = force
    };
    return true;
}

// The gap of a touch that stays closed, with the friction of what slides.
static bool add_gap(Sharers *h, int i, int *out_place)
{
    KalTouchSolver *s = h->s;
    const KalTouchLaw *law = &h->p->laws[i];
    const KalTouchState *state = &s->states[i];
    const size_t rows = (size_t)h->p->rows;
    *out_place = -1;
    if (law->gap == KAL_NO_ROW || s->rates[law->gap] > ZERO * h->size) {
        return true;
    }
    *out_place = add_row(h, law->gap);
    if (*out_place < 0) {
        return false;
    }
    double *effect = s->hold.effects + (size_t)*out_place * rows;
    for (int k = 0; state->part == KAL_PART_SLIDE && k < law->n_slips; k++) {
        const double *slip = s->G + (size_t)law->slip[k] * rows;
        for (size_t j = 0; j < rows; j++) {
            effect[j] -= state->slope * state->direction[k] * slip[j];
        }
    }
    return add_limit(h, *out_place, 1.0, -1, 0.0, 0.0);
}

// The slip of a touch that holds, with its limits.
static bool add_slip(Sharers *h, int i, int N)
{
    const KalTouchLaw *law = &h->p->laws[i];
    const KalTouchState *state = &h->s->states[i];
    const bool open = state->part == KAL_PART_OPEN
                      && fabs(h->s->rates[law->slip[0]]) <= ZERO * h->size;
    const bool bonded = state->part == KAL_PART_BONDED;
    int place[KAL_TOUCH_SLIPS] = {-1, -1};
    for (int k = 0;
         (open || bonded || state->part == KAL_PART_BOUND) && k < law->n_slips; k++) {
        place[k] = add_row(h, law->slip[k]);
        if (place[k] < 0) {
            return false;
        }
    }
    if (bonded) {
        h->s->hold.cones[h->limits.n_cones++] = (KalShareCone){
            .slip = {place[0], place[1]},
            .normal = N,
            .slope = state->slope,
            .force = state->force
        };
    }
    return !open
           || (add_limit(h, N, state->slope, place[0], -1.0, state->force)
               && add_limit(h, N, state->slope, place[0], 1.0, state->force));
}

static bool gather(Sharers *h)
{
    bool fits = true;
    for (int i = 0; fits && i < h->p->n; i++) {
        int N = -1;
        fits = add_gap(h, i, &N) && add_slip(h, i, N);
    }
    return fits
           && h->limits.n + KAL_SHARE_CUTS * h->limits.n_cones <= h->s->most_shared;
}

// Put the shares among the forces; who pushes, and to which side what holds, follows them.
static void publish(const Sharers *h)
{
    KalTouchSolver *s = h->s;
    for (int k = 0; k < h->count; k++) {
        s->forces[s->hold.rows[k]] = s->hold.forces[k];
    }
    for (int i = 0; i < h->p->n; i++) {
        const KalTouchLaw *law = &h->p->laws[i];
        const KalTouchState *state = &s->states[i];
        const double N = law->gap == KAL_NO_ROW ? 0.0 : s->forces[law->gap];
        if (state->N >= 0) {
            s->basic[state->N] = N > ZERO * h->size;
        }
        for (int k = 0; state->part == KAL_PART_SLIDE && k < law->n_slips; k++) {
            s->forces[law->slip[k]] =
                -(state->slope * N + state->force) * state->direction[k];
        }
        if (state->part == KAL_PART_OPEN && !s->basic[state->s]) {
            s->basic[state->a] = s->forces[law->slip[0]] > ZERO * h->size;
            s->basic[state->b] = s->forces[law->slip[0]] < -ZERO * h->size;
        }
    }
    memcpy(s->hold.shared, s->forces, (size_t)h->p->rows * sizeof *s->hold.shared);
}

bool kal_touch_hold_by_shares(KalTouchSolver *s, const KalTouchProblem *p)
{
    Sharers h = {
        .s = s,
        .p = p,
        .size = kal_touch_size(s, p->rows),
        .limits = {.list = s->limits, .cones = s->hold.cones}
    };
    s->hold.shares =
        p->rows <= s->most_shared && gather(&h)
        && kal_share_find(s->share, h.count, p->rows, s->hold.effects, s->takes_part)
               > 0
        && kal_share_solve_cones(s->share, s->lcp, &h.limits, s->hold.forces);
    if (s->hold.shares) {
        publish(&h);
    }
    return s->hold.shares;
}

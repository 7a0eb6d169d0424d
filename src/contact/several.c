// SPDX-License-Identifier: MIT

// Other solutions than the first, theory section 21.
//
// Without friction all solutions have the same rates.  With friction there may be several: those
// that go on from the one at hand without a break, where redundant contacts share a force in
// another way and friction lets the motion depend on it, and those that do something else.  The
// former are a polyhedron; if a sum of rates is not the same on all of it, the solutions next to
// two points far away on either side of its level have different ones.  The latter are found by
// trying all that touches may do, if these are few.

#include "contact/touch_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_TRIED = 700, // combinations of what touches may do, for other solutions
    MOST_SOUGHT =
        100000 // for one at all: whoever is told that there is none can rely on it
};

// Unknowns and their complements up to this are zero.
static const double TIGHT = 1e-10;
// So far away are points that solutions are looked for next to.
static const double FAR = 10.0;

// All that touches may do, one after the other: a touch is open or pushes; if its slip may
// hold, it holds by a force to one side or slides to one.  Digits of a number that counts up.
enum {
    DOES_NOTHING,
    DOES_PUSH,
    DOES_HOLD_LEFT = DOES_PUSH,
    DOES_HOLD_RIGHT,
    DOES_SLIDE_LEFT,
    DOES_SLIDE_RIGHT
};

// How many things a touch may do.
static int count_deeds(const KalTouchState *state)
{
    if (state->N < 0 && state->part != KAL_PART_OPEN) {
        return 1;
    }
    return state->part == KAL_PART_OPEN ? DOES_SLIDE_RIGHT + 1 : DOES_PUSH + 1;
}

// The basis of what touch i does.
static void set_deed(KalTouchSolver *s, int i, int deed)
{
    assert(deed >= DOES_NOTHING && deed < count_deeds(&s->states[i]));
    const KalTouchState *state = &s->states[i];
    if (state->N >= 0) {
        s->trial[state->N] = deed != DOES_NOTHING;
    }
    if (state->part == KAL_PART_OPEN) {
        s->trial[state->a] = deed == DOES_HOLD_LEFT || deed == DOES_SLIDE_LEFT;
        s->trial[state->b] = deed == DOES_HOLD_RIGHT || deed == DOES_SLIDE_RIGHT;
        s->trial[state->s] = deed >= DOES_SLIDE_LEFT;
    }
}

// The next combination; false after the last.
static bool count_up(KalTouchSolver *s, int n)
{
    assert(n >= 0 && n <= s->n);
    for (int i = 0; i < n; i++) {
        s->deeds[i] = (s->deeds[i] + 1) % count_deeds(&s->states[i]);
        set_deed(s, i, s->deeds[i]);
        if (s->deeds[i] != 0) {
            return true;
        }
    }
    return false;
}

// Whether rates differ from those of the first solution.
static bool differs(const KalTouchSolver *s, int rows)
{
    assert(rows >= 0 && rows <= s->rows);
    const double size = kal_touch_size(s, rows);
    bool any = false;
    for (int i = 0; i < rows; i++) {
        const double scale = fmax(size, fabs(s->other[i]));
        any = any || fabs(s->rates[i] - s->other[i]) > 100.0 * KAL_TOUCH_TRUE * scale;
    }
    return any;
}

// Keep the solution at hand as the first.
static void keep_first(KalTouchSolver *s, int rows)
{
    assert(rows <= s->rows && s->unknowns >= 0);
    memcpy(s->other, s->rates, (size_t)rows * sizeof(double));
    memcpy(s->z, s->tried, (size_t)s->unknowns * sizeof(double));
    memcpy(s->basic, s->trial, (size_t)s->unknowns * sizeof(bool));
}

bool kal_touch_is_rough(const KalTouchState *state)
{
    return state->part != KAL_PART_PUSH && state->part != KAL_PART_BOUND;
}

bool kal_touch_has_friction(const KalTouchSolver *s, const KalTouchProblem *p)
{
    bool any = false;
    for (int i = 0; i < p->n; i++) {
        any = any || kal_touch_is_rough(&s->states[i]);
    }
    return any;
}

static bool are_few(const KalTouchSolver *s, const KalTouchProblem *p, bool solved)
{
    double count = 1.0;
    for (int i = 0; i < p->n; i++) {
        count *= count_deeds(&s->states[i]);
    }
    return count <= (solved ? MOST_TRIED : MOST_SOUGHT);
}

// The unknowns that may change while the w of all of them stay at zero, as forces of a KalShare
// whose effects are these w; returns how many, none if they are too many.
static int gather_tight(KalTouchSolver *s)
{
    const int n = s->unknowns;
    int count = 0;
    for (int i = 0; i < n; i++) {
        double w = s->q[i];
        for (int j = 0; j < n; j++) {
            w += s->M[i * n + j] * s->z[j];
        }
        if (s->z[i] > TIGHT || fabs(w) <= TIGHT) {
            if (count == KAL_TOUCH_SHARED_MOST) {
                return 0;
            }
            s->tight[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        s->limits[i] = (KalShareLimit){
            .force = {i,   -1,  -1 },
              .factor = {1.0, 0.0, 0.0}
        };
        for (int j = 0; j < count; j++) {
            s->effects[i * count + j] = s->M[s->tight[j] * n + s->tight[i]];
        }
    }
    return count;
}

// A sum of the rates of all rows with weights that nothing in them repeats, as a function of the
// unknowns: its slopes.
static void find_slopes(KalTouchSolver *s, const KalTouchProblem *p, int count)
{
    assert(count <= KAL_TOUCH_SHARED_MOST);
    const size_t most = KAL_TOUCH_UNKNOWNS * (size_t)s->rows;
    for (int i = 0; i < count; i++) {
        s->slopes[i] = 0.0;
    }
    for (int k = 0; k < p->rows; k++) {
        double sum = 0.0;
        for (int j = 0; j < p->rows; j++) {
            sum += s->is_bonded[j] ? 0.0
                                   : cos((double)(j + 1)) * s->bonded[j * p->rows + k];
        }
        for (int i = 0; i < count; i++) {
            s->slopes[i] += sum * s->map[(size_t)k * most + (size_t)s->tight[i]];
        }
    }
}

// Move the unknowns as far along the slopes as they go, in a direction; whether rates differ then.
static bool goes_elsewhere(KalTouchSolver *s, const KalTouchProblem *p, int count,
                           double direction)
{
    assert(count > 0 && count <= KAL_TOUCH_SHARED_MOST);
    double *moved = s->moved;
    double *target = s->moved + KAL_TOUCH_SHARED_MOST;
    for (int i = 0; i < count; i++) {
        moved[i] = s->z[s->tight[i]];
        target[i] = moved[i] + direction * s->slopes[i];
    }
    if (!kal_share_solve(s->share, s->lcp, s->limits, count, target, moved)) {
        return false;
    }
    memcpy(s->tried, s->z, (size_t)s->unknowns * sizeof(double));
    for (int i = 0; i < count; i++) {
        s->tried[s->tight[i]] = moved[i];
    }
    kal_touch_expand(s, p, s->tried, s->forces, s->rates);
    return differs(s, p->rows);
}

// Whether solutions with other rates go on from the one at hand, for redundant touches share a
// force in another way.  Those that take part are blamed.
static bool shares_count(KalTouchSolver *s, const KalTouchProblem *p)
{
    const int count = gather_tight(s);
    if (count == 0
        || kal_share_find(s->share, count, count, s->effects, s->takes_part) == 0) {
        return false;
    }
    memcpy(s->other, s->rates, (size_t)p->rows * sizeof(double));
    find_slopes(s, p, count);
    const bool any =
        goes_elsewhere(s, p, count, FAR) || goes_elsewhere(s, p, count, -FAR);
    kal_touch_expand(s, p, s->z, s->forces, s->rates);
    for (int i = 0; i < p->n; i++) {
        s->blamed[i] = false;
        for (int k = 0; k < count; k++) {
            s->blamed[i] =
                s->blamed[i] || (s->takes_part[k] && s->tight[k] == s->states[i].N);
        }
    }
    return any;
}

// Try all that touches may do, but for slips of two rows; `found`: a solution is at hand.
static KalTouchEnd try_all(KalTouchSolver *s, const KalTouchProblem *p, bool found)
{
    bool several = false;
    memcpy(s->other, s->rates, (size_t)p->rows * sizeof(double));
    for (int i = 0; i < p->n; i++) {
        s->deeds[i] = DOES_NOTHING;
        set_deed(s, i, DOES_NOTHING);
    }
    do {
        if (kal_lcp_try(s->lcp, s->unknowns, s->M, s->q, s->trial, s->tried)) {
            kal_touch_expand(s, p, s->tried, s->forces, s->rates);
            several = found && differs(s, p->rows);
            if (!found) {
                keep_first(s, p->rows);
            }
            found = true;
        }
    } while (!several && count_up(s, p->n));
    if (!found) {
        return kal_touch_has_bonded(p) ? KAL_TOUCH_LOST : KAL_TOUCH_NONE;
    }
    kal_touch_expand(s, p, s->z, s->forces, s->rates);
    return several ? KAL_TOUCH_SEVERAL : KAL_TOUCH_FOUND;
}

// Where there is friction, M is not semi-definite: there may be several solutions, or one that
// the path did not lead to.
KalTouchEnd kal_touch_look_through(KalTouchSolver *s, const KalTouchProblem *p,
                                   bool solved)
{
    if (!kal_touch_has_friction(s, p)) {
        return solved ? KAL_TOUCH_FOUND : s->is_ray ? KAL_TOUCH_NONE : KAL_TOUCH_LOST;
    }
    if (solved && shares_count(s, p)) {
        return KAL_TOUCH_SHARED;
    }
    if (!are_few(s, p, solved)) {
        return solved ? KAL_TOUCH_FOUND : KAL_TOUCH_LOST;
    }
    return try_all(s, p, solved);
}

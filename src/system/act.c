// SPDX-License-Identifier: MIT

// Which rows of contacts act as constraints after a decision: those that are independent, the
// ones that matter more first.  The others are closed or held too, and follow.

#include "system/contact_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What is left of a row that depends on others, of its square.
static const double DEPENDENT = 1e-12;
// And of one that does clearly not.
static const double CLEARLY = 0.1;

// Whether a row is independent of those that act, by a Cholesky factor of G that grows: more than
// some part of a square of its size is left of it.  `chosen` are the count rows so far.
static bool extends(const KalContacts *c, int *chosen, int count, int row, double least)
{
    double *L = c->decision.factor;
    const int size = c->n_rows;
    double rest = c->effect.G[row * c->decision.n_used + row];
    for (int i = 0; i < count; i++) {
        double sum = c->effect.G[row * c->decision.n_used + chosen[i]];
        for (int k = 0; k < i; k++) {
            sum -= L[i * size + k] * L[count * size + k];
        }
        L[count * size + i] = sum / L[i * size + i];
        rest -= L[count * size + i] * L[count * size + i];
    }
    if (!(rest > least)) {
        return false;
    }
    L[count * size + count] = sqrt(rest);
    chosen[count] = row;
    return true;
}

// Rows that are to act, in turn: of slips of two rows that hold, of what pushes, of what holds by
// a force of its own, of what holds without any, of what only stays closed.  What pushes and what
// holds by a force of its own is independent, for it is of one basis; so no row bears what the
// decision gave to another, beyond its own limit.  Slips of two rows know of no basis; where they
// share forces with others the shares are watched instead.  What holds without a push comes last,
// for it bears nothing before its gap does.
typedef enum Turn {
    TURN_PAIRS,
    TURN_PUSHES,
    TURN_GRIPS,
    TURN_HOLDS,
    TURN_STAYS,
    TURN_WAITS,
    TURNS
} Turn;

static double square_of(const KalContacts *c, int row)
{
    return c->effect.G[row * c->decision.n_used + row];
}

// Let a row act if it is independent of those that do; in a whole answer whatever it is.
static bool activate_row(KalInstant *instant, int used, int *chosen, int *count)
{
    KalContacts *c = &instant->contacts;
    const int place = c->decision.used[used];
    const bool extends_others =
        extends(c, chosen, *count, used, DEPENDENT * square_of(c, used));
    instant->active[c->rows[place]] = extends_others || c->sharing.whole;
    c->sharing.left[place] = !extends_others;
    c->sharing.any_left = c->sharing.any_left || !extends_others;
    *count += extends_others;
    return extends_others;
}

// The rows of a slip of two, that first which has more of its own: the other may become dependent
// soon, as along a rod that turns.
static void activate_pair(KalInstant *instant, const KalTouchLaw *law, int *chosen,
                          int *count)
{
    const KalContacts *c = &instant->contacts;
    assert(law->n_slips == 2);
    const double most = fmax(square_of(c, law->slip[0]), square_of(c, law->slip[1]));
    const bool late = !extends(c, chosen, *count, law->slip[0], CLEARLY * most);
    for (int s = 0; s < law->n_slips; s++) {
        (void)activate_row(instant, law->slip[late ? 1 - s : s], chosen, count);
    }
}

// Rows become constraints in turns, those of contacts that push before those that only
// stay closed, and grips before other holds, so that a row which depends on others is
// left out in favor of what matters more.
static void activate_touch(KalInstant *instant, const KalTouchAnswer *answer, int k,
                           Turn turn, int *chosen, int *count)
{
    assert(0 <= k && k < instant->contacts.decision.n_laws);
    KalContacts *c = &instant->contacts;
    const KalTouchLaw *law = &c->decision.laws[k];
    const KalTouch *touch = &answer->touches[k];
    KalContactState *state = &c->states[c->decision.members[k]];
    if (law->gap != KAL_NO_ROW && turn == (touch->pushes ? TURN_PUSHES : TURN_STAYS)
        && !touch->leaves) {
        state->acts = activate_row(instant, law->gap, chosen, count);
    }
    const Turn own = !touch->pushes      ? TURN_WAITS
                     : law->n_slips == 2 ? TURN_PAIRS
                     : touch->grips      ? TURN_GRIPS
                                         : TURN_HOLDS;
    const bool holds =
        touch->mode == KAL_TOUCH_HOLD && turn == own && (touch->pushes || state->acts);
    if (holds && law->n_slips == 2) {
        activate_pair(instant, law, chosen, count);
    } else if (holds && law->n_slips == 1) {
        (void)activate_row(instant, law->slip[0], chosen, count);
    }
}

// Whether slips of two rows hold while rows depend on others.
static void note_sharing(KalContacts *c)
{
    bool holds = false;
    for (int k = 0; k < c->decision.n_laws; k++) {
        const KalContactState *state = &c->states[c->decision.members[k]];
        holds = holds
                || (c->decision.laws[k].n_slips == 2 && state->holds
                    && state->mode == KAL_TOUCH_HOLD);
    }
    c->sharing.needed = holds && c->sharing.any_left;
}

// What slides, with a force or before one; what bears none as others keep it closed is as good as
// open.
static void list_slides(KalContacts *c, const KalTouchAnswer *answer)
{
    c->slide.count = 0;
    for (int k = 0; k < c->decision.n_laws; k++) {
        KalContactState *state = &c->states[c->decision.members[k]];
        if (!answer->touches[k].pushes && !state->acts) {
            state->mode = KAL_TOUCH_OPEN;
        }
        if (c->decision.laws[k].n_slips > 0 && state->mode == KAL_TOUCH_SLIDE) {
            c->slide.list[c->slide.count++] = c->decision.members[k];
        }
    }
}

void kal_contacts_act(KalInstant *instant, const KalTouchAnswer *answer)
{
    KalContacts *c = &instant->contacts;
    int count = 0;
    for (int k = 0; k < c->decision.n_laws; k++) {
        const KalTouch *touch = &answer->touches[k];
        KalContactState *state = &c->states[c->decision.members[k]];
        const bool friction = c->decision.laws[k].n_slips > 0;
        state->closed = !touch->leaves;
        state->acts = false;
        state->mode = touch->mode;
        state->holds = friction && state->closed && !touch->slips;
        memcpy(state->direction, touch->direction, sizeof state->direction);
    }
    for (Turn turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < c->decision.n_laws; k++) {
            activate_touch(instant, answer, k, turn, c->decision.chosen, &count);
        }
    }
    list_slides(c, answer);
    note_sharing(c);
    kal_instant_activate(instant, instant->active);
}

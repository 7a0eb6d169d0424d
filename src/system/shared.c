// SPDX-License-Identifier: MIT

// Reactions of redundant contacts, theory (21.12).
//
// Between decisions only independent rows of contacts act, so one way of sharing forces is at
// hand.  Where values are looked at, all rows of closed contacts get their share: that of least
// norm among those that do not pull and hold within their frictions.  The friction of a contact
// that slides goes with its share, so its row is that of the gap and of the friction together.

#include "system/contact_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 200, // that share forces
    LIMITS = 3       // of a contact, at most
};

int kal_contacts_most_shared(const KalSystem *system)
{
    return system->m < MOST_ROWS ? system->m : MOST_ROWS;
}

int kal_contacts_most_limits(const KalSystem *system)
{
    const size_t most = (size_t)MOST_ROWS;
    const size_t count = system->model->n_contacts;
    return LIMITS * (int)(count < most ? count : most);
}

// Add a row with a force; false when there are too many.
static bool add_row(KalInstant *instant, int constraint, const double *row,
                    double force)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    const int k = c->sharing.count;
    if (k >= kal_contacts_most_shared(instant->system)) {
        return false;
    }
    memcpy(c->sharing.rows + (size_t)k * n, row, n * sizeof *row);
    c->sharing.forces[k] = force;
    c->sharing.place[constraint] = k;
    c->sharing.list[k] = constraint;
    c->sharing.count++;
    return true;
}

// Rows that act, then those that were left out.
static bool gather_rows(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    bool fits = true;
    for (int k = 0; fits && k < instant->n_active; k++) {
        fits = add_row(instant, instant->rows[k], instant->A + (size_t)k * n,
                       instant->answer.multipliers[k]);
    }
    for (int k = 0; fits && k < c->n_rows; k++) {
        if (c->sharing.left[k] && !instant->active[c->rows[k]]) {
            fits = add_row(instant, c->rows[k], c->A + (size_t)k * n, 0.0);
        }
    }
    return fits;
}

// The direction that a contact slides in, whether it pushes or not; false if it does not.
static bool find_slide(const KalInstant *instant, size_t i, const KalContactValues *v,
                       double out_along[KAL_TOUCH_SLIPS])
{
    const KalContacts *c = &instant->contacts;
    const KalContactState *state = &c->states[i];
    const double speed = hypot(v->slip[0], v->slip[1]);
    for (int s = 0; s < c->slide.count; s++) {
        if (c->slide.list[s] == (int)i) {
            memcpy(out_along, c->slide.along + (size_t)s * KAL_TOUCH_SLIPS,
                   KAL_TOUCH_SLIPS * sizeof *out_along);
            return true;
        }
    }
    for (int k = 0; k < KAL_TOUCH_SLIPS; k++) {
        out_along[k] = speed > 0.0 ? v->slip[k] / speed : 0.0;
    }
    return state->closed && state->moves
           && instant->system->model->contacts[i].n_slips > 0;
}

// Let the row of the gap of contact i have its sliding friction in it.
static void add_friction(KalInstant *instant, size_t i, const KalContactValues *v)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    const KalContact *contact = &instant->system->model->contacts[i];
    double along[KAL_TOUCH_SLIPS];
    if (contact->gap == KAL_NO_GAP || c->sharing.place[contact->gap] < 0
        || !find_slide(instant, i, v, along)) {
        return;
    }
    double *row = c->sharing.rows + (size_t)c->sharing.place[contact->gap] * n;
    assert(contact->n_slips <= KAL_TOUCH_SLIPS);
    for (uint32_t k = 0; k < contact->n_slips; k++) {
        const double *slip = c->A + (size_t)c->place[contact->slip[k]] * n;
        c->sharing.friction[contact->slip[k]] = -v->limit * along[k];
        c->sharing.normal[contact->slip[k]] = (int)contact->gap;
        for (size_t j = 0; j < n; j++) {
            row[j] -= v->limit * along[k] * slip[j];
        }
    }
}

// What the forces of contact i may be: N ≥ 0 and, where its slip of one row holds, |f| ≤ μN.
static void add_limits(KalInstant *instant, size_t i, double hold)
{
    KalContacts *c = &instant->contacts;
    const KalContact *contact = &instant->system->model->contacts[i];
    const double *reactions = instant->variables + instant->system->layout.reactions;
    if (contact->gap == KAL_NO_GAP || c->sharing.place[contact->gap] < 0) {
        return;
    }
    const int N = c->sharing.place[contact->gap];
    c->sharing.limits[c->sharing.n_limits++] = (KalShareLimit){
        .force = {N,   -1 },
          .factor = {1.0, 0.0},
          .constant = 0.0
    };
    if (contact->n_slips != 1 || c->states[i].mode != KAL_TOUCH_HOLD) {
        return;
    }
    const int f = c->sharing.place[contact->slip[0]];
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const double fixed = f < 0 ? side * reactions[contact->slip[0]] : 0.0;
        c->sharing.limits[c->sharing.n_limits++] = (KalShareLimit){
            .force = {N,    f   },
              .factor = {hold, side},
              .constant = fixed
        };
    }
}

static KalStatus gather_limits(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    c->sharing.n_limits = 0;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *v = (const KalContactValues *)instant->results;
    for (size_t i = 0; i < instant->system->model->n_contacts; i++) {
        add_friction(instant, i, &v[i]);
        add_limits(instant, i, fmax(v[i].hold, v[i].limit));
    }
    return KAL_OK;
}

// Put the shares where formulas read reactions; the friction of what slides goes with its N.
static void publish(KalInstant *instant)
{
    const KalContacts *c = &instant->contacts;
    double *reactions = instant->variables + instant->system->layout.reactions;
    for (int k = 0; k < c->sharing.count; k++) {
        reactions[c->sharing.list[k]] = c->sharing.forces[k];
    }
    for (int i = 0; i < instant->system->m; i++) {
        if (c->sharing.normal[i] >= 0) {
            reactions[i] = c->sharing.friction[i] * reactions[c->sharing.normal[i]];
        }
    }
}

// The multipliers of an answer in which all rows act.
static void replace_multipliers(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const double *reactions = instant->variables + instant->system->layout.reactions;
    for (int k = 0; k < instant->n_active; k++) {
        c->sharing.multipliers[k] = reactions[instant->rows[k]];
    }
    instant->answer.multipliers = c->sharing.multipliers;
}

static void forget(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    c->sharing.count = 0;
    c->sharing.doubtful = false;
    for (int i = 0; i < instant->system->m; i++) {
        c->sharing.place[i] = -1;
        c->sharing.normal[i] = -1;
    }
}

// Only where rows of contacts depend on each other; the shares of least norm replace the
// multipliers that the decision has given, theory (21.12).
KalStatus kal_contacts_share(KalInstant *instant)
{
    assert(instant->system);
    KalContacts *c = &instant->contacts;
    if (c->n_rows == 0 || c->sharing.shared) {
        return KAL_OK;
    }
    forget(instant);
    c->sharing.shared = true;
    if ((!c->sharing.any_left && instant->answer.n_dependent_sets == 0)
        || kal_contacts_count_closed(instant) == 0) {
        return KAL_OK;
    }
    KAL_TRY(kal_instant_need_givens(instant));
    if (!gather_rows(instant)) {
        forget(instant);
        return KAL_OK;
    }
    KAL_TRY(gather_limits(instant));
    c->sharing.doubtful =
        kal_share_find(c->sharing.share, c->sharing.count, instant->system->n,
                       c->sharing.rows, c->sharing.marks)
        > 0;
    if (c->sharing.doubtful
        && kal_share_solve(c->sharing.share, kal_groups_lcp(c->groups),
                           c->sharing.limits, c->sharing.n_limits, NULL,
                           c->sharing.forces)) {
        publish(instant);
        replace_multipliers(instant);
    }
    return KAL_OK;
}

KalStatus kal_contacts_check_limits(KalInstant *instant)
{
    const KalSystem *system = instant->system;
    const size_t count = KAL_CONTACT_LIMITS * system->model->n_contacts;
    const bool *doubts = count > 0 ? kal_instant_doubts(instant) : NULL;
    for (size_t k = 0; doubts && k < count; k++) {
        if (doubts[system->doubts.n - (size_t)system->n_holds - count + k]) {
            return kal_fail(
                instant->ctx, KAL_ERR_CONTRADICTION,
                "at t = %g: the limit of friction %s depends on reactions that are not "
                "unique: redundant constraints share a force, and the motion would "
                "depend on an arbitrary choice; remove the constraints that repeat "
                "others, or let the limit depend on what they do together, such as the "
                "sum of reactions",
                instant->variables[0],
                system->model->contacts[k / KAL_CONTACT_LIMITS].name);
        }
    }
    return KAL_OK;
}

bool kal_contacts_is_shared(const KalInstant *instant, int constraint)
{
    const KalContacts *c = &instant->contacts;
    const bool known = c->sharing.doubtful && c->sharing.place[constraint] >= 0;
    return known && c->sharing.marks[c->sharing.place[constraint]];
}

const double *kal_contacts_shared_row(const KalInstant *instant, int constraint)
{
    const KalContacts *c = &instant->contacts;
    assert(kal_contacts_is_shared(instant, constraint));
    return c->sharing.rows
           + (size_t)c->sharing.place[constraint] * (size_t)instant->system->n;
}

int kal_contacts_normal_of(const KalInstant *instant, int constraint,
                           double *out_factor)
{
    const KalContacts *c = &instant->contacts;
    const bool slides = c->sharing.doubtful && c->sharing.normal[constraint] >= 0;
    *out_factor = slides ? c->sharing.friction[constraint] : 1.0;
    return slides ? c->sharing.normal[constraint] : constraint;
}

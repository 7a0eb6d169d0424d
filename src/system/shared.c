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
    MOST_LIMITS = 3 * MOST_ROWS,
    SIDES = 2 // of a slip of one row
};

int kal_contacts_most_shared(const KalSystem *system)
{
    return system->m < MOST_ROWS ? system->m : MOST_ROWS;
}

// Limits of the forces of a contact: of its gap, and of its slip.
static int count_limits(const KalContact *contact)
{
    switch (contact->n_slips) {
    case 0: return 1;
    case 1: return 1 + SIDES;
    }
    return 1 + KAL_SHARE_CUTS;
}

int kal_contacts_most_limits(const KalSystem *system)
{
    int count = 0;
    for (size_t i = 0; i < system->model->n_contacts && count < MOST_LIMITS; i++) {
        count += count_limits(&system->model->contacts[i]);
    }
    return count < MOST_LIMITS ? count : MOST_LIMITS;
}

void kal_contacts_lay_out_sharing(KalContacts *c, const KalSystem *system,
                                  KalCarver *carver)
{
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t rows = (size_t)c->n_rows;
    c->sharing.left = kal_carve_bools(carver, rows);
    const size_t most = (size_t)kal_contacts_most_shared(system);
    c->sharing.rows = kal_carve_doubles(carver, most, n);
    c->sharing.forces = kal_carve_doubles(carver, most, 1);
    c->sharing.list = kal_carve_ints(carver, most);
    c->sharing.marks = kal_carve_bools(carver, most);
    c->sharing.counts = kal_carve_bools(carver, most);
    c->sharing.held = kal_carve_doubles(carver, rows, 1);
    c->sharing.place = kal_carve_ints(carver, m);
    c->sharing.normal = kal_carve_ints(carver, m);
    c->sharing.friction = kal_carve_doubles(carver, m, 1);
    c->sharing.limits.list = kal_carve(carver, (size_t)kal_contacts_most_limits(system),
                                       sizeof *c->sharing.limits.list);
    c->sharing.cones = kal_carve(carver, most, sizeof *c->sharing.cones);
    c->sharing.multipliers = kal_carve_doubles(carver, m, 1);
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

// Of the norm only forces of contacts are part: multipliers of constraints have units of any kind.
static void note_counts(KalContacts *c)
{
    for (int k = 0; k < c->sharing.count; k++) {
        c->sharing.counts[k] = c->place[c->sharing.list[k]] >= 0;
    }
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

static void add_limit(KalContacts *c, const KalShareLimit *limit)
{
    c->sharing.limits.list[c->sharing.limits.n++] = *limit;
}

// |f| ≤ μN of a slip of one row that holds.
static void add_sides(KalInstant *instant, const KalContact *contact, double hold)
{
    KalContacts *c = &instant->contacts;
    const double *reactions = instant->variables + instant->system->layout.reactions;
    const int f = c->sharing.place[contact->slip[0]];
    for (int k = 0; k < SIDES; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const double fixed = f < 0 ? side * reactions[contact->slip[0]] : 0.0;
        const KalShareLimit limit = {
            .force = {c->sharing.place[contact->gap], f,    -1 },
            .factor = {hold,                           side, 0.0},
            .constant = fixed
        };
        add_limit(c, &limit);
    }
}

// The same of a slip of two rows.
static void add_cone(KalInstant *instant, const KalContact *contact, double hold)
{
    KalContacts *c = &instant->contacts;
    const double *reactions = instant->variables + instant->system->layout.reactions;
    KalShareCone cone = {.normal = c->sharing.place[contact->gap], .slope = hold};
    for (int k = 0; k < KAL_TOUCH_SLIPS; k++) {
        cone.slip[k] = c->sharing.place[contact->slip[k]];
        cone.fixed[k] = reactions[contact->slip[k]];
    }
    c->sharing.cones[c->sharing.limits.n_cones++] = cone;
}

// What the forces of contact i may be: N ≥ 0 and, where its slip holds, |f| ≤ μN; false if there
// is no room.
static bool add_limits(KalInstant *instant, size_t i, double hold)
{
    KalContacts *c = &instant->contacts;
    const KalContact *contact = &instant->system->model->contacts[i];
    const KalShareLimits *limits = &c->sharing.limits;
    if (contact->gap == KAL_NO_GAP || c->sharing.place[contact->gap] < 0) {
        return true;
    }
    if (limits->n + limits->n_cones * KAL_SHARE_CUTS + count_limits(contact)
        > kal_contacts_most_limits(instant->system)) {
        return false;
    }
    const KalShareLimit pushes = {
        .force = {c->sharing.place[contact->gap], -1,  -1 },
          .factor = {1.0,                            0.0, 0.0}
    };
    add_limit(c, &pushes);
    if (contact->n_slips == 1 && c->states[i].mode == KAL_TOUCH_HOLD) {
        add_sides(instant, contact, hold);
    } else if (contact->n_slips == 2 && c->states[i].mode == KAL_TOUCH_HOLD) {
        add_cone(instant, contact, hold);
    }
    return true;
}

static KalStatus gather_limits(KalInstant *instant, bool *out_fits)
{
    KalContacts *c = &instant->contacts;
    c->sharing.limits.n = 0;
    c->sharing.limits.cones = c->sharing.cones;
    c->sharing.limits.n_cones = 0;
    *out_fits = true;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *v = (const KalContactValues *)instant->results;
    for (size_t i = 0; i < instant->system->model->n_contacts; i++) {
        add_friction(instant, i, &v[i]);
        *out_fits = *out_fits && add_limits(instant, i, fmax(v[i].hold, v[i].limit));
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
    for (int k = 0; k < c->n_rows; k++) {
        c->sharing.held[k] = reactions[c->rows[k]];
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
    bool fits = true;
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
    KAL_TRY(gather_limits(instant, &fits));
    note_counts(c);
    c->sharing.doubtful =
        kal_share_find(c->sharing.share, c->sharing.count, instant->system->n,
                       c->sharing.rows, c->sharing.marks)
        > 0;
    kal_share_count(c->sharing.share, c->sharing.counts);
    c->sharing.possible =
        c->sharing.doubtful && fits
        && kal_share_solve_cones(c->sharing.share, kal_groups_lcp(c->groups),
                                 &c->sharing.limits, c->sharing.forces);
    if (c->sharing.possible) {
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

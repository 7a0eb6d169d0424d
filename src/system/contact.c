// SPDX-License-Identifier: MIT

// Contacts at an instant: their rows, the decision which act, impacts.
//
// A decision needs the rates of all rows without contacts and the response of each to a unit
// force along each, with the other constraints of the model in force: one solve for the
// former and one for each row, all with the same factors.  `contact/touch` does the rest, and
// knows only these numbers.

#include "system/contact_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What no share of forces holds is over its limit by less than this part of it, or more.
static const double STRAINED = 1e-8;
// Gaps and velocities up to this, relative to their terms, are 0 in a state that is given.
static const double TOUCHING = 1e-10;

KalStatus kal_contacts_check(const KalSystem *system)
{
    const KalModel *model = system->model;
    if (model->n_contacts == 0 || model->n_servos == 0 || model->n_actuators > 0) {
        return KAL_OK;
    }
    kal_diagnostics_add(
        system->diagnostics, KAL_SEVERITY_ERROR, model->servos[0].span,
        "servo '%s' has no actuator, and there is contact or friction '%s': which of "
        "any "
        "forces meets the servo is not decided where contacts may open; declare an "
        "actuator, or write the servo as a constraint",
        model->servos[0].name, model->contacts[0].name);
    return kal_diagnostics_fail(system->diagnostics, KAL_ERR_SYNTAX);
}

// The values of contact i / KAL_CONTACT_VALUES in the order of KalContactValues: the gap,
// its rate, the slips, restitution, limit and hold.
KalExpr kal_contact_formula(const KalEquations *equations, size_t i)
{
    assert(i / KAL_CONTACT_VALUES < equations->model->n_contacts);
    const KalModel *model = equations->model;
    const KalContact *contact = &model->contacts[i / KAL_CONTACT_VALUES];
    const KalConstraint *rows = model->constraints;
    const size_t slip = i % KAL_CONTACT_VALUES - 2;
    switch (i % KAL_CONTACT_VALUES) {
    case 0:
        return contact->gap == KAL_NO_GAP ? KAL_NO_EXPR : rows[contact->gap].residual;
    case 1:
        return contact->gap == KAL_NO_GAP ? KAL_NO_EXPR : equations->psi[contact->gap];
    case 2:
    case 3:
        return slip < contact->n_slips ? rows[contact->slip[slip]].residual
                                       : KAL_NO_EXPR;
    case 4: return contact->restitution;
    case 5: return contact->limit;
    default: return contact->hold;
    }
}

static size_t count_contacts(const KalInstant *instant)
{
    return instant->system->model->n_contacts;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalInstant *instant = owner;
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    const size_t m = (size_t)instant->system->m;
    const size_t count = count_contacts(instant);
    const size_t rows = (size_t)c->n_rows;
    c->states = kal_carve(carver, count, sizeof *c->states);
    c->decision.tried = kal_carve(carver, count, sizeof *c->decision.tried);
    c->rows = kal_carve_ints(carver, rows);
    c->place = kal_carve_ints(carver, m);
    c->A = kal_carve_doubles(carver, rows, n);
    c->b = kal_carve_doubles(carver, rows, 1);
    c->decision.taking = kal_carve_bools(carver, count);
    c->decision.laws = kal_carve(carver, count, sizeof *c->decision.laws);
    c->decision.singles = kal_carve(carver, rows, sizeof *c->decision.singles);
    c->decision.stopped = kal_carve_bools(carver, count);
    c->decision.members = kal_carve_ints(carver, count);
    c->decision.used = kal_carve_ints(carver, rows);
    c->effect.G = kal_carve_doubles(carver, rows, rows);
    c->decision.free = kal_carve_doubles(carver, rows, 1);
    c->effect.response = kal_carve_doubles(carver, rows, n);
    c->effect.heads = kal_carve_ints(carver, n);
    c->effect.busy = kal_carve_bools(carver, n);
    c->effect.served = kal_carve_bools(carver, rows);
    c->effect.load = kal_carve_doubles(carver, n, 1);
    c->decision.factor = kal_carve_doubles(carver, rows, rows);
    c->slide.column = kal_carve_doubles(carver, count, n);
    c->slide.matrix = kal_carve_doubles(carver, count, count);
    c->slide.friction = kal_carve_doubles(carver, count, 1);
    c->slide.work = kal_carve_doubles(carver, count, 1);
    c->slide.before = kal_carve_doubles(carver, count, 1);
    c->slide.along = kal_carve_doubles(carver, count, KAL_TOUCH_SLIPS);
    c->slide.reactions = kal_carve_doubles(carver, count + 1, m);
    c->slide.perm = kal_carve_ints(carver, count);
    c->decision.chosen = kal_carve_ints(carver, rows);
    c->slide.list = kal_carve_ints(carver, count);
    c->slide.Q = kal_carve_doubles(carver, n, 1);
    c->zero = kal_carve_doubles(carver, m, 1);
    c->slide.force = kal_carve_doubles(carver, n, 1);
    c->blamed = kal_carve_names(carver, count);
    c->suspended = kal_carve_bools(carver, rows);
    c->own = kal_carve_doubles(carver, rows, 1);
    kal_contacts_lay_out_sharing(c, instant->system, carver);
}

// Places of the rows of contacts.
static void list_rows(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    int count = 0;
    for (int i = 0; i < instant->system->m; i++) {
        const bool own = model->constraints[i].role != KAL_ROLE_USUAL;
        c->place[i] = own ? count : -1;
        if (own) {
            c->rows[count++] = i;
        }
    }
    assert(count == c->n_rows);
}

KalStatus kal_contacts_init(KalContacts *contacts, KalInstant *instant)
{
    assert(!contacts->groups && instant->system->model);
    const KalModel *model = instant->system->model;
    if (model->n_contacts == 0) {
        return KAL_OK;
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        contacts->n_rows += model->constraints[i].role != KAL_ROLE_USUAL;
    }
    KAL_TRY(kal_workspace_make(instant->ctx, "for contacts", lay_out, instant,
                               &contacts->workspace));
    list_rows(instant);
    KAL_TRY(kal_share_create(
        instant->ctx, kal_contacts_most_shared(instant->system), instant->system->n,
        kal_contacts_most_limits(instant->system), &contacts->sharing.share));
    return kal_groups_create(instant->ctx, contacts->n_rows, contacts->n_rows,
                             &contacts->groups);
}

void kal_contacts_clear(KalContacts *contacts, KalContext *ctx)
{
    kal_groups_destroy(contacts->groups);
    kal_share_destroy(contacts->sharing.share);
    kal_workspace_clear(ctx, &contacts->workspace);
}

void kal_contacts_reset(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        c->states[i] =
            (KalContactState){.closed = model->contacts[i].gap == KAL_NO_GAP};
    }
    c->slide.count = 0;
    c->slow = 0.0;
}

void kal_contacts_take(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    c->n_blamed = 0;
    for (int k = 0; k < c->n_rows; k++) {
        const size_t row = (size_t)c->rows[k];
        memcpy(c->A + (size_t)k * n, instant->A + row * n, n * sizeof(double));
        c->b[k] = instant->b[row];
    }
}

KalStatus kal_contact_values(KalInstant *instant, size_t i,
                             KalContactValues *out_values)
{
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    memcpy(out_values, instant->results + i * KAL_CONTACT_VALUES, sizeof *out_values);
    return KAL_OK;
}

static_assert(sizeof(KalContactValues) == KAL_CONTACT_VALUES * sizeof(double),
              "values are as the program has them");

// Values of the coefficients that make no sense.
static KalStatus check_values(KalInstant *instant, size_t i, const KalContactValues *v)
{
    const KalContact *contact = &instant->system->model->contacts[i];
    if (!(v->restitution >= 0.0 && v->restitution <= 1.0)) {
        return kal_fail(instant->ctx, KAL_ERR_NUMBER,
                        "the restitution of contact %s has to be from 0 to 1, but is "
                        "%.9g at t = %.9g",
                        contact->name, v->restitution, instant->variables[0]);
    }
    if (!(v->limit >= 0.0 && v->hold >= 0.0)) {
        return kal_fail(instant->ctx, KAL_ERR_NUMBER,
                        "the friction of %s cannot be negative, but is %.9g at "
                        "t = %.9g",
                        contact->name, fmin(v->limit, v->hold), instant->variables[0]);
    }
    return KAL_OK;
}

KalStatus kal_contacts_check_signs(KalInstant *instant)
{
    const double rounding = 1e-9; // of the friction that there is
    KalContacts *c = &instant->contacts;
    double size = 0.0;
    for (int k = 0; k < c->slide.count; k++) {
        size = fmax(size, fabs(c->slide.friction[k]));
    }
    for (int k = 0; k < c->slide.count; k++) {
        KalContactValues v;
        KAL_TRY(kal_contact_values(instant, (size_t)c->slide.list[k], &v));
        const bool negative = v.limit < 0.0 && c->slide.friction[k] > rounding * size;
        KAL_TRY(negative ? check_values(instant, (size_t)c->slide.list[k], &v)
                         : KAL_OK);
    }
    return KAL_OK;
}

// Who is to blame, for messages.
void kal_contacts_list_names(const KalContacts *c, char text[KAL_BLAMED_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < c->n_blamed && used < KAL_BLAMED_SIZE; i++) {
        const int length = snprintf(text + used, KAL_BLAMED_SIZE - used, "%s%s",
                                    i > 0 ? ", " : "", c->blamed[i]);
        used += length > 0 ? (size_t)length : KAL_BLAMED_SIZE;
    }
}

void kal_contacts_blame(KalInstant *instant, const int *list, int count,
                        char text[KAL_BLAMED_SIZE])
{
    KalContacts *c = &instant->contacts;
    assert(list && count >= 0);
    for (int k = 0; k < count; k++) {
        c->blamed[k] = instant->system->model->contacts[list[k]].name;
    }
    c->n_blamed = count;
    kal_contacts_list_names(c, text);
}

int kal_contacts_blamed(const KalContacts *contacts, const char *const **out_names)
{
    *out_names = contacts->blamed;
    return contacts->n_blamed;
}

static void blame(KalInstant *instant, const KalTouchAnswer *answer)
{
    KalContacts *c = &instant->contacts;
    c->n_blamed = 0;
    for (int k = 0; k < c->decision.n_laws; k++) {
        if (answer->blamed[k]) {
            c->blamed[c->n_blamed++] =
                instant->system->model->contacts[c->decision.members[k]].name;
        }
    }
}

// Whether a law of the decision has friction.
static bool has_friction(const KalContactDecision *decision)
{
    bool any = false;
    for (int k = 0; k < decision->n_laws; k++) {
        any = any || decision->laws[k].n_slips > 0;
    }
    return any;
}

// What was sought, `what`, is told with the contacts that the decision was about. Only
// friction makes Painlevé's paradox: without it the laws are those of a convex problem,
// and no answer means that other constraints leave no way to move.
// Whether all of them have the same coefficient.
static bool have_one_slope(const KalContactDecision *decision)
{
    bool same = true;
    for (int k = 1; k < decision->n_laws; k++) {
        same = same && decision->laws[k].slope == decision->laws[0].slope;
    }
    return same;
}

KalStatus kal_contacts_fail(KalInstant *instant, KalTouchEnd end, const char *what)
{
    assert(end != KAL_TOUCH_FOUND && what);
    char names[KAL_BLAMED_SIZE];
    const double t = instant->variables[0];
    kal_contacts_list_names(&instant->contacts, names);
    const bool alone = instant->contacts.n_blamed == 1;
    switch (end) {
    case KAL_TOUCH_SEVERAL:
        return kal_fail(instant->ctx, KAL_ERR_NOT_UNIQUE,
                        "several %s satisfy the laws of contact and friction at "
                        "t = %.9g: %s (as in Painlevé's paradox; less friction would "
                        "decide)",
                        what, t, names);
    case KAL_TOUCH_SHARED:
        return kal_fail(instant->ctx, KAL_ERR_NOT_UNIQUE,
                        "several %s satisfy the laws of contact and friction at "
                        "t = %.9g: %s%s are redundant, how they share a force is not "
                        "unique, and by friction the motion depends on it; remove "
                        "those that repeat others%s",
                        what, t, names, alone ? " and what holds by friction" : "",
                        alone || have_one_slope(&instant->contacts.decision)
                            ? ""
                            : ", or give them the same friction");
    case KAL_TOUCH_LOST:
        return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                        "found no %s that satisfy the laws of contact and friction at "
                        "t = %.9g: %s (there may be none, as in Painlevé's paradox; "
                        "less friction, or fewer contacts that repeat others, would "
                        "decide)",
                        what, t, names);
    case KAL_TOUCH_NONE:
    case KAL_TOUCH_FOUND: break;
    }
    const bool rough = has_friction(&instant->contacts.decision);
    return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                    "no %s satisfy the laws of contact%s at t = %.9g: %s (%s)", what,
                    rough ? " and friction" : "", t, names,
                    rough ? "as in Painlevé's paradox"
                          : "they, and the constraints that act, leave no way to move");
}

// Let no row of a contact act.
void kal_contacts_release(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    c->slide.count = 0;
    c->sharing.any_left = false;
    c->sharing.shared = false;
    c->sharing.doubtful = false;
    for (int k = 0; k < c->n_rows; k++) {
        instant->active[c->rows[k]] = false;
        c->sharing.left[k] = false;
    }
    for (size_t i = 0; i < count_contacts(instant); i++) {
        c->states[i].acts = false;
        c->states[i].holds = false;
        c->states[i].moves = false;
        c->states[i].mode = KAL_TOUCH_OPEN;
    }
    kal_instant_activate(instant, instant->active);
}

// The law of contact i, whose rows are added to those that take part.
static KalStatus add_law(KalInstant *instant, size_t i, const KalContactValues *v,
                         double still)
{
    KalContacts *c = &instant->contacts;
    const KalContact *contact = &instant->system->model->contacts[i];
    const bool dry = contact->gap == KAL_NO_GAP;
    KalTouchLaw *law = &c->decision.laws[c->decision.n_laws];
    KAL_TRY(check_values(instant, i, v));
    const double hold =
        fmax(v->hold, v->limit) * (c->states[i].strains ? 1.0 - STRAINED : 1.0);
    *law = (KalTouchLaw){.gap = KAL_NO_ROW,
                         .n_slips = (int)contact->n_slips,
                         .slope = dry ? 0.0 : v->limit,
                         .force = dry ? v->limit : 0.0,
                         .slope_hold = dry ? 0.0 : hold,
                         .force_hold = dry ? hold : 0.0};
    if (!dry) {
        law->gap = c->decision.n_used;
        c->decision.used[c->decision.n_used++] = c->place[contact->gap];
    }
    const double speed = hypot(v->slip[0], v->slip[1]);
    KalContactState *state = &c->states[i];
    const bool moves = speed > (contact->n_slips > 1 ? fmax(still, c->slow) : still);
    state->moves = moves;
    law->moves = law->n_slips > 0 && (moves || state->breaks);
    law->leans = state->strains;
    for (int k = 0; k < law->n_slips; k++) {
        law->slip[k] = c->decision.n_used;
        law->direction[k] = moves ? v->slip[k] / speed : state->direction[k];
        c->decision.used[c->decision.n_used++] = c->place[contact->slip[k]];
    }
    c->decision.members[c->decision.n_laws++] = (int)i;
    return KAL_OK;
}

// Laws of the contacts that take part.
KalStatus kal_contacts_gather(KalInstant *instant, double still)
{
    KalContacts *c = &instant->contacts;
    c->decision.n_laws = 0;
    c->decision.n_used = 0;
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
    const KalContactValues *values = (const KalContactValues *)instant->results;
    for (size_t i = 0; i < count_contacts(instant); i++) {
        KAL_TRY(c->decision.taking[i] ? add_law(instant, i, &values[i], still)
                                      : KAL_OK);
    }
    return KAL_OK;
}

KalTouchEnd kal_contacts_solve_laws(KalInstant *instant, KalTouchAnswer *out_answer)
{
    KalContacts *c = &instant->contacts;
    const KalTouchProblem problem = {.n = c->decision.n_laws,
                                     .laws = c->decision.laws,
                                     .rows = c->decision.n_used,
                                     .G = c->effect.G,
                                     .free = c->decision.free};
    const KalTouchEnd end = kal_groups_solve(c->groups, &problem, out_answer);
    if (end != KAL_TOUCH_FOUND) {
        blame(instant, out_answer);
    }
    return end;
}

// Accelerations without contacts, and with their rows the free rates.  Differences of terms
// that cancel are zero.
static KalStatus find_free(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    KalMotionAnswer answer;
    KAL_TRY(kal_instant_solve(instant, &answer));
    for (int k = 0; k < c->decision.n_used; k++) {
        const double *row = kal_contacts_row(instant, k);
        const double b = c->b[c->decision.used[k]];
        double sum = -b;
        double size = fabs(b);
        for (size_t j = 0; j < n; j++) {
            sum += row[j] * answer.qdd[j];
            size += fabs(row[j] * answer.qdd[j]);
        }
        c->decision.free[k] = fabs(sum) > 1e-13 * size ? sum : 0.0;
    }
    return KAL_OK;
}

// What contacts do under the forces at hand.
static KalStatus decide_once(KalInstant *instant)
{
    KalTouchAnswer answer;
    KAL_TRY(find_free(instant));
    KAL_TRY(kal_contacts_respond(instant));
    const KalTouchEnd end = kal_contacts_solve_laws(instant, &answer);
    if (end != KAL_TOUCH_FOUND) {
        return kal_contacts_fail(instant, end, "accelerations");
    }
    kal_contacts_act(instant, &answer);
    return KAL_OK;
}

// Whether contacts do what they did when it was decided before.
static bool do_the_same(const KalContacts *c)
{
    const double turn = 1e-9;
    for (int k = 0; k < c->decision.n_laws; k++) {
        const KalContactState *now = &c->states[c->decision.members[k]];
        const KalContactState *before = &c->decision.tried[c->decision.members[k]];
        const double off = hypot(now->direction[0] - before->direction[0],
                                 now->direction[1] - before->direction[1]);
        if (now->acts != before->acts || now->mode != before->mode
            || (now->mode == KAL_TOUCH_SLIDE && off > turn)) {
            return false;
        }
    }
    return true;
}

static KalStatus fail_control(KalInstant *instant)
{
    const KalContacts *c = &instant->contacts;
    char names[KAL_BLAMED_SIZE];
    kal_contacts_blame(instant, c->decision.members, c->decision.n_laws, names);
    return kal_fail(
        instant->ctx, KAL_ERR_CONTRADICTION,
        "contacts and servos do not go together at t = %.9g: with the "
        "inputs that the servos need, the contacts %s open, close, stick or "
        "slip so that they need others",
        instant->variables[0], names);
}

// Servos need inputs that depend on what contacts do, and contacts do what inputs let them:
// sets of both that go together, theory (21.14).  From inputs for no contact at all, or from
// those at hand where contacts alone connect actuators and servos, each round has the inputs for
// the contacts of the round before.
static KalStatus decide_with_control(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const char *const *blamed = NULL;
    KalMotionAnswer answer;
    const size_t size = count_contacts(instant) * sizeof *c->decision.tried;
    KalStatus status = decide_once(instant);
    if (status == KAL_ERR_CONTRADICTION
        && kal_control_blamed(instant->control, &blamed) > 0) {
        kal_contacts_release(instant);
        KAL_TRY(kal_contacts_gather(instant, c->still));
        kal_control_freeze(instant->control, true);
        status = decide_once(instant);
    }
    for (int round = 0; status == KAL_OK && round < 2 * c->decision.n_laws + 2;
         round++) {
        kal_control_freeze(instant->control, false);
        KAL_TRY(kal_instant_solve(instant, &answer));
        memcpy(c->decision.tried, c->states, size);
        kal_contacts_release(instant);
        KAL_TRY(kal_contacts_gather(instant, c->still));
        kal_control_freeze(instant->control, true);
        status = decide_once(instant);
        if (status == KAL_OK && do_the_same(c)) {
            return KAL_OK;
        }
    }
    return status == KAL_OK ? fail_control(instant) : status;
}

// States of contacts that are closed now; who acts among them is found anew from their
// rows, with servos in rounds until inputs and contacts agree.
static KalStatus decide(KalInstant *instant, double slip)
{
    assert(slip >= 0.0);
    KalContacts *c = &instant->contacts;
    c->n_blamed = 0;
    c->still = slip;
    for (size_t i = 0; i < count_contacts(instant); i++) {
        c->decision.taking[i] = c->states[i].closed;
    }
    kal_contacts_release(instant);
    KAL_TRY(kal_contacts_gather(instant, slip));
    if (c->decision.n_laws == 0) {
        return KAL_OK;
    }
    if (!instant->control) {
        return decide_once(instant);
    }
    const KalStatus status = decide_with_control(instant);
    kal_control_freeze(instant->control, false);
    return status;
}

KalStatus kal_contacts_decide(KalInstant *instant, double slip)
{
    instant->contacts.sharing.whole = false;
    return decide(instant, slip);
}

// Contacts of a state that is given.

// A gap counts as closed when it is zero but for rounding: TOUCHING of the terms of its
// gradient times the coordinates, or of 1.
KalStatus kal_contact_look(KalInstant *instant, size_t i, KalContactPlace *out_place)
{
    assert(i < instant->system->model->n_contacts && out_place);
    const KalContact *contact = &instant->system->model->contacts[i];
    const size_t n = (size_t)instant->system->n;
    const double *q = kal_instant_q(instant);
    double size = 1.0;
    KalContactValues v;
    *out_place = (KalContactPlace){.touches = false};
    if (contact->gap == KAL_NO_GAP) {
        return KAL_OK;
    }
    KAL_TRY(kal_contact_values(instant, i, &v));
    const double *row =
        instant->contacts.A + (size_t)instant->contacts.place[contact->gap] * n;
    for (size_t j = 0; j < n; j++) {
        size += fabs(row[j] * q[j]);
    }
    out_place->touches = v.gap <= TOUCHING * size;
    out_place->entered = v.gap < -TOUCHING * size;
    return KAL_OK;
}

void kal_contacts_suspend(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    for (int k = 0; k < c->n_rows; k++) {
        c->suspended[k] = instant->active[c->rows[k]];
        instant->active[c->rows[k]] = false;
    }
    kal_instant_activate(instant, instant->active);
}

KalStatus kal_contacts_resume(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    KAL_TRY(kal_instant_givens(instant));
    for (size_t i = 0; i < model->n_contacts; i++) {
        KalContactPlace place;
        KAL_TRY(kal_contact_look(instant, i, &place));
        c->states[i].gone = model->contacts[i].gap != KAL_NO_GAP && c->states[i].closed
                            && !place.touches;
    }
    for (int k = 0; k < c->n_rows; k++) {
        const size_t i = model->constraints[c->rows[k]].contact;
        instant->active[c->rows[k]] = c->suspended[k] && !c->states[i].gone;
    }
    kal_instant_activate(instant, instant->active);
    return KAL_OK;
}

// At a start: a contact is closed when its gap is, and the bodies do not part faster than
// rounding. What is closed is then decided on.
KalStatus kal_contacts_settle(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    const double *v = kal_instant_qd(instant);
    double largest = 1.0;
    c->stale = false;
    for (int j = 0; j < instant->system->n; j++) {
        largest = fmax(largest, fabs(v[j]));
    }
    kal_contacts_release(instant);
    KAL_TRY(kal_instant_givens(instant));
    for (size_t i = 0; i < model->n_contacts; i++) {
        KalContactPlace place;
        KAL_TRY(kal_contact_look(instant, i, &place));
        c->states[i].closed = place.touches || model->contacts[i].gap == KAL_NO_GAP;
    }
    KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_VELOCITY));
    for (size_t i = 0; i < model->n_contacts; i++) {
        const int64_t gap = model->contacts[i].gap;
        const double speed = gap == KAL_NO_GAP ? 0.0 : instant->results[gap];
        c->states[i].closed = c->states[i].closed && speed <= TOUCHING * largest;
    }
    c->sharing.whole = true;
    return decide(instant, TOUCHING * largest);
}

int kal_contacts_count_gaps(const KalInstant *instant)
{
    int count = 0;
    for (size_t i = 0; i < count_contacts(instant); i++) {
        count += instant->contacts.states[i].acts;
    }
    return count;
}

int kal_contacts_count_closed(const KalInstant *instant)
{
    int count = 0;
    for (size_t i = 0; i < count_contacts(instant); i++) {
        count += instant->contacts.states[i].closed;
    }
    return count;
}

bool kal_contacts_in_force(const KalInstant *instant, uint32_t i)
{
    const KalConstraint *c = &instant->system->model->constraints[i];
    switch (c->role) {
    case KAL_ROLE_GAP: return instant->contacts.states[c->contact].closed;
    case KAL_ROLE_SLIP: return instant->contacts.states[c->contact].holds;
    case KAL_ROLE_USUAL: break;
    }
    return instant->active[i];
}

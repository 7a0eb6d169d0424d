// SPDX-License-Identifier: MIT

// Solves with sliding friction, theory (21.9).
//
// Sliding friction is proportional to a reaction that it changes itself.  Reactions are
// affine in the frictions; so one solve without any and one for each give a small linear
// system for them, and a last solve gives the answer.  All have the same masses and rows, so
// that these are factored once.

#include "linalg/lu.h"
#include "system/contact_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    ROUNDS = 200 // of frictions that depend on reactions
};

// Frictions that change by this part of the largest stand still.
static const double STILL = 1e-15;
// A pivot of (21.9) up to this part of the largest: motions are drawn towards places where there
// is none, and with a smaller one errors within the tolerance would decide over the reactions.
static const double CRITICAL = 1e-6;

// The slip that gives friction its direction: theory (21.15).  Of one that began at rest that is
// no slip yet, but a little of the direction in which it begins.  Returns its size; 0 where the
// direction stands.
static double find_slip(const KalContacts *c, size_t i, const KalContactValues *v,
                        uint32_t n_slips, double out[KAL_TOUCH_SLIPS])
{
    assert(n_slips <= KAL_TOUCH_SLIPS);
    const KalContactState *state = &c->states[i];
    const double lead = state->moves ? 0.0 : c->slow;
    for (int k = 0; k < KAL_TOUCH_SLIPS; k++) {
        out[k] = v->slip[k] + lead * state->direction[k];
    }
    const double size = n_slips == 2 ? hypot(out[0], out[1]) : 0.0;
    return size > c->still ? size : 0.0;
}

// The direction that a contact slides in: that of its slip, once it has one.
static void find_direction(const KalContacts *c, size_t i, const KalContactValues *v,
                           uint32_t n_slips, double out[KAL_TOUCH_SLIPS])
{
    const double size = find_slip(c, i, v, n_slips, out);
    for (int k = 0; k < KAL_TOUCH_SLIPS; k++) {
        out[k] = size > 0.0 ? out[k] / size : c->states[i].direction[k];
    }
}

// The force of a unit friction of each sliding contact; its direction is kept.
static KalStatus fill_columns(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    for (int s = 0; s < c->slide.count; s++) {
        const size_t i = (size_t)c->slide.list[s];
        const KalContact *contact = &instant->system->model->contacts[i];
        double *column = c->slide.column + (size_t)s * n;
        KalContactValues v;
        KAL_TRY(kal_contact_values(instant, i, &v));
        find_direction(c, i, &v, contact->n_slips,
                       c->slide.along + (size_t)s * KAL_TOUCH_SLIPS);
        memset(column, 0, n * sizeof *column);
        for (uint32_t k = 0; k < contact->n_slips; k++) {
            const double *row = c->A + (size_t)c->place[contact->slip[k]] * n;
            for (size_t j = 0; j < n; j++) {
                column[j] += c->slide.along[2 * s + (int)k] * row[j];
            }
        }
    }
    return KAL_OK;
}

// Keep the reactions of the last solve as row s of the block.
static void take_reactions(KalInstant *instant, int s)
{
    double *row =
        instant->contacts.slide.reactions + (size_t)s * (size_t)instant->system->m;
    for (int k = 0; k < instant->n_active; k++) {
        row[instant->rows[k]] = instant->answer.multipliers[k];
    }
}

// Reactions of all rows by the unit friction of each sliding contact; the first row of the
// block is that without friction.
static KalStatus find_reactions(KalInstant *instant, const KalMotionProblem *problem,
                                KalInstantSolve solve)
{
    KalContacts *c = &instant->contacts;
    const size_t m = (size_t)instant->system->m;
    KalMotionProblem unit = *problem;
    unit.b = c->zero;
    unit.b_size = NULL;
    unit.C = NULL;
    memset(c->slide.reactions, 0, ((size_t)c->slide.count + 1) * m * sizeof(double));
    KAL_TRY(solve(instant, problem, false));
    take_reactions(instant, 0);
    for (int s = 0; s < c->slide.count; s++) {
        unit.Q = c->slide.column + (size_t)s * (size_t)instant->system->n;
        KAL_TRY(solve(instant, &unit, true));
        take_reactions(instant, s + 1);
    }
    return KAL_OK;
}

// Whether factors are of a matrix that is all but singular.
static bool is_critical(int n, const double *factors)
{
    double least = INFINITY;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, fabs(factors[i * n + i]));
        largest = fmax(largest, fabs(factors[i * n + i]));
    }
    return !(least > CRITICAL * largest);
}

// The friction of each sliding contact with limits as they are, theory (21.9).
static bool solve_friction(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    const size_t m = (size_t)instant->system->m;
    const int count = c->slide.count;
    for (int s = 0; s < count; s++) {
        const KalContact *contact = &model->contacts[c->slide.list[s]];
        const KalContactValues *v = (const KalContactValues *)instant->results;
        const double limit = v[c->slide.list[s]].limit;
        const bool dry = contact->gap == KAL_NO_GAP;
        const size_t gap = dry ? 0 : (size_t)contact->gap;
        c->slide.friction[s] = dry ? -limit : -limit * c->slide.reactions[gap];
        for (int k = 0; k < count; k++) {
            const double share =
                dry ? 0.0 : limit * c->slide.reactions[(size_t)(k + 1) * m + gap];
            c->slide.matrix[s * count + k] = share + (s == k ? 1.0 : 0.0);
        }
    }
    if (!kal_lu_factor(count, c->slide.matrix, c->slide.perm)
        || is_critical(count, c->slide.matrix)) {
        return false;
    }
    kal_lu_solve(count, c->slide.matrix, c->slide.perm, c->slide.work,
                 c->slide.friction);
    return true;
}

// Put the reactions that the frictions lead to where formulas read them.
static void publish_reactions(KalInstant *instant)
{
    const KalContacts *c = &instant->contacts;
    const size_t m = (size_t)instant->system->m;
    double *out = instant->variables + instant->system->layout.reactions;
    for (size_t i = 0; i < m; i++) {
        out[i] = c->slide.reactions[i];
        for (int s = 0; s < c->slide.count; s++) {
            out[i] +=
                c->slide.friction[s] * c->slide.reactions[(size_t)(s + 1) * m + i];
        }
    }
}

// Sliding has no reactions, or any: everything that slides takes part.
static KalStatus fail_critical(KalInstant *instant)
{
    const KalContacts *c = &instant->contacts;
    char names[KAL_BLAMED_SIZE];
    kal_contacts_blame(instant, c->slide.list, c->slide.count, names);
    return kal_fail(instant->ctx, KAL_ERR_CONTRADICTION,
                    "sliding friction has no value at t = %.9g: the normal forces of "
                    "%s depend on their own friction too much (as in Painlevé's "
                    "paradox; less friction would decide)",
                    instant->variables[0], names);
}

// Frictions whose limits may depend on reactions that depend on them: over and over until
// they stand still.
static KalStatus find_friction(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    memset(c->slide.friction, 0, (size_t)c->slide.count * sizeof(double));
    for (int round = 0; round < ROUNDS; round++) {
        double change = 0.0;
        double size = 0.0;
        publish_reactions(instant);
        KAL_TRY(kal_instant_evaluate(instant, KAL_PROGRAM_CONTACTS));
        memcpy(c->slide.before, c->slide.friction,
               (size_t)c->slide.count * sizeof(double));
        if (!solve_friction(instant)) {
            break;
        }
        for (int s = 0; s < c->slide.count; s++) {
            change = fmax(change, fabs(c->slide.friction[s] - c->slide.before[s]));
            size = fmax(size, fabs(c->slide.friction[s]));
        }
        if (change <= STILL * size) {
            return KAL_OK;
        }
    }
    return fail_critical(instant);
}

// What is not ideal follows the reactions of the ideal part, and these follow the frictions.
static KalStatus follow_reactions(KalInstant *instant)
{
    publish_reactions(instant);
    return instant->system->equations->has_reactions ? kal_instant_nonideal(instant)
                                                     : KAL_OK;
}

// The friction of sliding contacts as given forces: reactions without and with a unit of
// each, a small linear system for the frictions, and the solve that counts, theory
// (21.9).
KalStatus kal_contacts_solve(KalInstant *instant, const KalMotionProblem *problem,
                             KalInstantSolve solve)
{
    assert(problem && solve);
    KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    KalMotionProblem loaded = *problem;
    if (c->slide.count == 0) {
        return solve(instant, problem, false);
    }
    KAL_TRY(fill_columns(instant));
    KAL_TRY(find_reactions(instant, problem, solve));
    KAL_TRY(find_friction(instant));
    KAL_TRY(follow_reactions(instant));
    memset(c->slide.force, 0, n * sizeof(double));
    for (int s = 0; s < c->slide.count; s++) {
        for (size_t j = 0; j < n; j++) {
            c->slide.force[j] +=
                c->slide.friction[s] * c->slide.column[(size_t)s * n + j];
        }
    }
    for (size_t j = 0; j < n; j++) {
        c->slide.Q[j] = problem->Q[j] + c->slide.force[j];
    }
    loaded.Q = c->slide.Q;
    KAL_TRY(solve(instant, &loaded, true));
    for (size_t j = 0; j < n; j++) {
        c->slide.force[j] += instant->answer.force_nonideal[j];
    }
    instant->answer.force_nonideal = c->slide.force;
    return KAL_OK;
}

// Reactions of contacts that slide are not multipliers of rows that act; they are put
// where outputs look for them.
void kal_contacts_keep(KalInstant *instant, double *reactions)
{
    assert(reactions);
    KalContacts *c = &instant->contacts;
    c->sharing.shared = false;
    c->sharing.doubtful = false;
    for (int s = 0; s < c->slide.count; s++) {
        const KalContact *contact = &instant->system->model->contacts[c->slide.list[s]];
        for (uint32_t k = 0; k < contact->n_slips; k++) {
            reactions[contact->slip[k]] =
                c->slide.friction[s] * c->slide.along[2 * s + (int)k];
        }
    }
    for (int k = 0; k < c->n_rows; k++) {
        c->own[k] = reactions[c->rows[k]];
    }
}

// R has minus the friction f = −F d with d = u/|u| as in (21.15), so that
// ∂R/∂q' = F/|u| Jᵀ(1 − d dᵀ)J with the rows J of the slip.
KalStatus kal_contacts_add_slopes(KalInstant *instant, double *R, size_t size)
{
    assert(R);
    const KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    for (int s = 0; s < c->slide.count; s++) {
        const size_t i = (size_t)c->slide.list[s];
        const KalContact *contact = &instant->system->model->contacts[i];
        const double *d = c->slide.along + (size_t)s * KAL_TOUCH_SLIPS;
        double u[KAL_TOUCH_SLIPS];
        KalContactValues v;
        KAL_TRY(kal_contact_values(instant, i, &v));
        const double size_of_u = find_slip(c, i, &v, contact->n_slips, u);
        if (!(size_of_u > 0.0)) {
            continue;
        }
        const double *x = c->A + (size_t)c->place[contact->slip[0]] * n;
        const double *y = c->A + (size_t)c->place[contact->slip[1]] * n;
        for (size_t j = 0; j < n; j++) {
            const double across = (d[0] * y[j] - d[1] * x[j]) / size_of_u;
            for (size_t k = 0; k < n; k++) {
                R[k * size + n + j] -=
                    c->slide.friction[s] * across * (d[0] * y[k] - d[1] * x[k]);
            }
        }
    }
    return KAL_OK;
}

double kal_contacts_power(KalInstant *instant)
{
    const KalContacts *c = &instant->contacts;
    const size_t n = (size_t)instant->system->n;
    const double *v = kal_instant_qd(instant);
    double power = 0.0;
    for (int s = 0; s < c->slide.count; s++) {
        for (size_t j = 0; j < n; j++) {
            power += c->slide.friction[s] * c->slide.column[(size_t)s * n + j] * v[j];
        }
    }
    return power;
}

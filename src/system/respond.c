// SPDX-License-Identifier: MIT

// Responses to unit forces along the rows of contacts, and G, theory (21.2).
//
// While no contact acts, forces on a body change the motion of that body alone and of what
// constraints and masses couple with it.  So rows that touch different ones are answered for
// by one solve, and there are about as many solves as a body has rows, however many bodies there
// are (as sparse Jacobians are found: Curtis, Powell and Reid, IMA J. Appl. Math. 13, 1974).
//
// Invariant: heads[j] is the least coordinate that j is coupled with.

#include "linalg/kernels.h"
#include "motion/again.h"
#include "system/contact_impl.h"

#include <assert.h>
#include <string.h>

static int head_of(const int *heads, int j)
{
    while (heads[j] != j) {
        j = heads[j];
    }
    return j;
}

// Let the coordinates of the entries of a row that are not zero be of one kind.
static void join_row(int *heads, int n, const double *row)
{
    int first = -1;
    for (int j = 0; j < n; j++) {
        if (row[j] == 0.0) {
            continue;
        }
        const int a = head_of(heads, first < 0 ? j : first);
        const int b = head_of(heads, j);
        heads[a < b ? b : a] = a < b ? a : b;
        first = first < 0 ? j : first;
    }
}

// Coordinates that masses and constraints couple.
static void find_heads(KalInstant *instant, const KalMotionProblem *problem)
{
    const int n = instant->system->n;
    int *heads = instant->contacts.effect.heads;
    for (int j = 0; j < n; j++) {
        heads[j] = j;
    }
    for (int j = 0; j < n; j++) {
        join_row(heads, n, problem->M + (size_t)j * (size_t)n);
    }
    for (int k = 0; k < problem->m; k++) {
        join_row(heads, n, problem->A + (size_t)k * (size_t)n);
    }
    for (int j = 0; j < n; j++) {
        heads[j] = head_of(heads, j);
    }
}

// Whether a row touches nothing that a force acts on.
static bool is_apart(const KalContacts *c, int n, const double *row)
{
    for (int j = 0; j < n; j++) {
        if (row[j] != 0.0 && c->effect.busy[c->effect.heads[j]]) {
            return false;
        }
    }
    return true;
}

static void occupy(KalContacts *c, int n, const double *row)
{
    for (int j = 0; j < n; j++) {
        if (row[j] != 0.0) {
            c->effect.busy[c->effect.heads[j]] = true;
        }
    }
}

// The next solve: rows from `first` on that are apart from each other; notes them in `chosen`.
static int choose_rows(KalInstant *instant, int first)
{
    KalContacts *c = &instant->contacts;
    const int n = instant->system->n;
    int count = 0;
    memset(c->effect.busy, 0, (size_t)n * sizeof *c->effect.busy);
    memset(c->effect.load, 0, (size_t)n * sizeof *c->effect.load);
    for (int k = first; k < c->decision.n_used; k++) {
        const double *row = kal_contacts_row(instant, k);
        if (c->effect.served[k] || !is_apart(c, n, row)) {
            continue;
        }
        occupy(c, n, row);
        c->effect.served[k] = true;
        c->decision.chosen[count++] = k;
        for (int j = 0; j < n; j++) {
            c->effect.load[j] += row[j];
        }
    }
    return count;
}

// The part of a response to several rows that is one row's own.
static void keep_own(KalInstant *instant, int k, const double *qdd)
{
    KalContacts *c = &instant->contacts;
    const int n = instant->system->n;
    double *to = c->effect.response + (size_t)k * (size_t)n;
    memset(c->effect.busy, 0, (size_t)n * sizeof *c->effect.busy);
    occupy(c, n, kal_contacts_row(instant, k));
    for (int j = 0; j < n; j++) {
        to[j] = c->effect.busy[c->effect.heads[j]] ? qdd[j] : 0.0;
    }
}

// Unit forces along rows with different heads are applied together, and each row takes
// from the answer the part that concerns its own coordinates. All solves but the first
// use the factors of the first.
// Why there is no response to forces along rows: nothing resists them.  Of the first of them.
static KalStatus explain(KalInstant *instant, KalStatus status)
{
    KalContacts *c = &instant->contacts;
    const KalModel *model = instant->system->model;
    if (status != KAL_ERR_NO_ACCELERATION) {
        return status;
    }
    const int row = c->rows[c->decision.used[c->decision.chosen[0]]];
    c->blamed[0] = model->contacts[model->constraints[row].contact].name;
    c->n_blamed = 1;
    return kal_fail(
        instant->ctx, status,
        "neither mass nor constraint resists a force along the gap or slip of "
        "%s at t = %.9g, so what it does is not decided: give mass to what it "
        "acts on, or constrain that",
        c->blamed[0], instant->variables[0]);
}

static KalStatus find_responses(KalInstant *instant)
{
    assert(instant->contacts.decision.n_used >= 0);
    KalContacts *c = &instant->contacts;
    KalMotionProblem problem = kal_instant_problem(instant);
    problem.b = c->zero;
    problem.b_size = NULL;
    problem.C = NULL;
    problem.Q = c->effect.load;
    find_heads(instant, &problem);
    memset(c->effect.served, 0, (size_t)c->decision.n_used * sizeof *c->effect.served);
    for (int k = 0; k < c->decision.n_used; k++) {
        KalMotionAnswer answer;
        const int count = c->effect.served[k] ? 0 : choose_rows(instant, k);
        if (count == 0) {
            continue;
        }
        const KalStatus status =
            k == 0 ? kal_motion_solve(instant->motion, &problem, &answer)
                   : kal_motion_solve_again(instant->motion, &problem, &answer);
        KAL_TRY(status == KAL_OK ? KAL_OK : explain(instant, status));
        for (int i = 0; i < count; i++) {
            keep_own(instant, c->decision.chosen[i], answer.qdd);
        }
    }
    return KAL_OK;
}

KalStatus kal_contacts_respond(KalInstant *instant)
{
    KalContacts *c = &instant->contacts;
    const int n = instant->system->n;
    KAL_TRY(find_responses(instant));
    for (int i = 0; i < c->decision.n_used; i++) {
        for (int k = 0; k < c->decision.n_used; k++) {
            c->effect.G[i * c->decision.n_used + k] =
                kal_dot(n, kal_contacts_row(instant, i),
                        c->effect.response + (size_t)k * (size_t)n);
        }
    }
    return KAL_OK;
}

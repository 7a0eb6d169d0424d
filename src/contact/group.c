// SPDX-License-Identifier: MIT

// Groups of touches that G couples: connected components, found by joining sets.
//
// Invariant: touch i belongs to the set whose name is the least touch in it, and heads[i] leads
// there.

#include "contact/group.h"

#include "base/workspace.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Entries of G up to this part of its diagonal couple nothing.
static const double COUPLED = 1e-14;
// Free rates up to this part of the largest are rounding of those in other groups.
static const double ROUNDING = 1e-14;

struct KalGroups {
    KalContext *ctx;
    KalWorkspace workspace;
    KalTouchSolver *solver;
    int n;
    int rows;
    int *heads;        // n
    int *owner;        // rows: the touch that a row belongs to
    int *members;      // n: touches of the group at hand
    int *used;         // rows: rows of the group at hand
    KalTouchLaw *laws; // n: of the group at hand, as G and free rates
    double *G;
    double *free;
    double *forces; // rows: of the whole problem, as all that follows
    double *rates;
    KalTouch *touches;
    bool *blamed;
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalGroups *g = owner;
    const size_t n = (size_t)g->n;
    const size_t rows = (size_t)g->rows;
    g->heads = kal_carve_ints(carver, n);
    g->owner = kal_carve_ints(carver, rows);
    g->members = kal_carve_ints(carver, n);
    g->used = kal_carve_ints(carver, rows);
    g->laws = kal_carve(carver, n, sizeof *g->laws);
    g->G = kal_carve_doubles(carver, rows, rows);
    g->free = kal_carve_doubles(carver, rows, 1);
    g->forces = kal_carve_doubles(carver, rows, 1);
    g->rates = kal_carve_doubles(carver, rows, 1);
    g->touches = kal_carve(carver, n, sizeof *g->touches);
    g->blamed = kal_carve_bools(carver, n);
}

KalStatus kal_groups_create(KalContext *ctx, int n, int rows, KalGroups **out_groups)
{
    assert(ctx && n >= 0 && rows >= 0 && out_groups);
    KalGroups *g = KAL_NEW(ctx, KalGroups);
    if (!g) {
        return kal_no_memory(ctx, "for contacts");
    }
    g->ctx = ctx;
    g->n = n;
    g->rows = rows;
    KalStatus status =
        kal_workspace_make(ctx, "for contacts", lay_out, g, &g->workspace);
    if (status == KAL_OK) {
        status = kal_touch_create(ctx, n, rows, &g->solver);
    }
    if (status != KAL_OK) {
        kal_groups_destroy(g);
        return status;
    }
    *out_groups = g;
    return KAL_OK;
}

void kal_groups_destroy(KalGroups *groups)
{
    if (!groups) {
        return;
    }
    kal_touch_destroy(groups->solver);
    kal_workspace_clear(groups->ctx, &groups->workspace);
    kal_free(groups->ctx, groups, sizeof *groups);
}

static int head_of(const KalGroups *g, int i)
{
    while (g->heads[i] != i) {
        i = g->heads[i];
    }
    return i;
}

static void join(KalGroups *g, int i, int k)
{
    assert(0 <= i && i < g->n && 0 <= k && k < g->n);
    const int a = head_of(g, i);
    const int b = head_of(g, k);
    g->heads[a < b ? b : a] = a < b ? a : b;
}

// The touch of each row.
static void note_owners(KalGroups *g, const KalTouchProblem *p)
{
    assert(p->n <= g->n && p->rows <= g->rows);
    for (int i = 0; i < p->n; i++) {
        const KalTouchLaw *law = &p->laws[i];
        g->heads[i] = i;
        if (law->gap != KAL_NO_ROW) {
            g->owner[law->gap] = i;
        }
        for (int k = 0; k < law->n_slips; k++) {
            g->owner[law->slip[k]] = i;
        }
    }
}

static void join_coupled(KalGroups *g, const KalTouchProblem *p)
{
    const int rows = p->rows;
    note_owners(g, p);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < i; k++) {
            const double square = p->G[i * rows + i] * p->G[k * rows + k];
            if (fabs(p->G[i * rows + k]) > COUPLED * sqrt(square)) {
                join(g, g->owner[i], g->owner[k]);
            }
        }
    }
}

// The largest free rate, in units in which G has ones on its diagonal.
static double largest_rate(const KalTouchProblem *p)
{
    double largest = 0.0;
    for (int i = 0; i < p->rows; i++) {
        const double square = p->G[i * p->rows + i];
        largest =
            square > 0.0 ? fmax(largest, fabs(p->free[i]) / sqrt(square)) : largest;
    }
    return largest;
}

static int take_row(KalGroups *g, int row, int *count)
{
    assert(0 <= row && row < g->rows && *count < g->rows);
    g->used[*count] = row;
    return (*count)++;
}

// The law of a touch, with rows as the group numbers them.
static KalTouchLaw take_law(KalGroups *g, const KalTouchLaw *law, int *count)
{
    KalTouchLaw own = *law;
    if (law->gap != KAL_NO_ROW) {
        own.gap = take_row(g, law->gap, count);
    }
    for (int k = 0; k < law->n_slips; k++) {
        own.slip[k] = take_row(g, law->slip[k], count);
    }
    return own;
}

// The group of a head as a problem of its own.
static KalTouchProblem take_group(KalGroups *g, const KalTouchProblem *p, int head,
                                  double largest)
{
    assert(0 <= head && head < p->n && largest >= 0.0);
    int n = 0;
    int count = 0;
    for (int i = head; i < p->n; i++) {
        if (head_of(g, i) == head) {
            g->members[n] = i;
            g->laws[n++] = take_law(g, &p->laws[i], &count);
        }
    }
    for (int i = 0; i < count; i++) {
        const int row = g->used[i];
        const double square = p->G[row * p->rows + row];
        const bool zero = fabs(p->free[row]) <= ROUNDING * largest * sqrt(square);
        g->free[i] = zero ? 0.0 : p->free[row];
        for (int k = 0; k < count; k++) {
            g->G[i * count + k] = p->G[row * p->rows + g->used[k]];
        }
    }
    return (KalTouchProblem){.n = n,
                             .laws = g->laws,
                             .rows = count,
                             .G = g->G,
                             .free = g->free,
                             .dust = p->dust};
}

// Put the answer of a group among those of all.
static void give_back(KalGroups *g, const KalTouchProblem *group,
                      const KalTouchAnswer *answer, bool failed)
{
    assert(group->n <= g->n && group->rows <= g->rows);
    for (int i = 0; i < group->rows; i++) {
        g->forces[g->used[i]] = answer->forces[i];
        g->rates[g->used[i]] = answer->rates[i];
    }
    for (int i = 0; i < group->n; i++) {
        g->touches[g->members[i]] = answer->touches[i];
        g->blamed[g->members[i]] = failed && answer->blamed[i];
    }
}

// Contacts whose rows respond to each other form a group (union-find), and groups are
// solved one by one: the work of the complementarity problem grows faster than its size.
// The first group without an answer ends the search; its contacts are to blame.
KalTouchEnd kal_groups_solve(KalGroups *groups, const KalTouchProblem *problem,
                             KalTouchAnswer *out_answer)
{
    KalGroups *g = groups;
    KalTouchEnd end = KAL_TOUCH_FOUND;
    assert(problem->n <= g->n && problem->rows <= g->rows);
    join_coupled(g, problem);
    const double largest = largest_rate(problem);
    for (int i = 0; i < problem->n; i++) {
        g->blamed[i] = false;
    }
    for (int i = 0; end == KAL_TOUCH_FOUND && i < problem->n; i++) {
        KalTouchAnswer answer;
        if (head_of(g, i) != i) {
            continue;
        }
        const KalTouchProblem group = take_group(g, problem, i, largest);
        end = kal_touch_solve(g->solver, &group, &answer);
        give_back(g, &group, &answer, end != KAL_TOUCH_FOUND);
    }
    *out_answer = (KalTouchAnswer){.forces = g->forces,
                                   .rates = g->rates,
                                   .touches = g->touches,
                                   .blamed = g->blamed};
    return end;
}

KalLcp *kal_groups_lcp(KalGroups *groups)
{
    return kal_touch_lcp(groups->solver);
}

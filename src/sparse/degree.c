// SPDX-License-Identifier: MIT

// Minimum degree on the quotient graph.  The idea and its references stand in degree.h.
//
// What holds between eliminations: every unknown that is not gone is in no element that
// was absorbed; elements contain only unknowns that are not gone; `size` of an element
// is the length of its list; `degree` is an upper bound of the number of unknowns that
// are coupled to one, by itself or by elements; and the lists by degree contain each
// unknown of the present stage once, none of them below `least`.  The bound counts a
// member twice that is in two elements, which is what makes it cheap: it needs sizes
// alone.
//
// Of unknowns with the same degree the one that has waited longest comes first.  So the order
// depends on the couplings only, and goes round: a chain is eliminated from both its ends by
// turns, a tree from all its leaves.  What follows each other in the order is then mostly
// independent, and the processor need not wait for one pivot to begin with the next.

#include "sparse/degree.h"

#include "base/block.h"
#include "base/workspace.h"

#include <assert.h>

enum {
    NONE = -1
};

// The quotient graph.  An unknown is alive until it is eliminated; from then on its number
// names the element that it left behind, until that is absorbed.  The list of an unknown
// begins with the elements that it is in, followed by other unknowns.  It never grows: a
// new element takes the place of an unknown, or of an element that it absorbs.
typedef struct Quotient {
    KalContext *ctx;
    KalWorkspace workspace;
    KalCouplings *c;
    KalBlock members;      // int: lists of elements, one after the other
    int64_t *member_start; // n: of each element
    int *size;             // n: of each element; 0: absorbed, or none yet
    int *elements;         // n: how many begin the list of an unknown
    int *others;           // n: how many unknowns follow
    bool *gone;            // n: eliminated
    int *mark;             // n: in the element of this number, plus 1
    int *outside;          // n: members of an element that are not in the newest one
    int *seen;   // n: `outside` is of the newest element of this number, plus 1
    int *degree; // n
    int *head;   // n: first unknown of each degree
    int *tail;   // n: and the last
    int *next;   // n
    int *before; // n
    int least;   // no unknown in the lists has a smaller degree
} Quotient;

static void lay_out(KalCarver *carver, void *owner)
{
    Quotient *g = owner;
    const size_t n = (size_t)g->c->n;
    g->member_start = kal_carve(carver, n, sizeof *g->member_start);
    g->size = kal_carve_ints(carver, n);
    g->elements = kal_carve_ints(carver, n);
    g->others = kal_carve_ints(carver, n);
    g->gone = kal_carve_bools(carver, n);
    g->mark = kal_carve_ints(carver, n);
    g->outside = kal_carve_ints(carver, n);
    g->seen = kal_carve_ints(carver, n);
    g->degree = kal_carve_ints(carver, n);
    g->head = kal_carve_ints(carver, n);
    g->tail = kal_carve_ints(carver, n);
    g->next = kal_carve_ints(carver, n);
    g->before = kal_carve_ints(carver, n);
}

static void insert(Quotient *g, int i)
{
    assert(!g->gone[i]);
    assert(g->degree[i] >= 0 && g->degree[i] < g->c->n);
    const int d = g->degree[i];
    g->next[i] = NONE;
    g->before[i] = g->tail[d];
    if (g->tail[d] != NONE) {
        g->next[g->tail[d]] = i;
    } else {
        g->head[d] = i;
    }
    g->tail[d] = i;
    g->least = d < g->least ? d : g->least;
}

static void take_out(Quotient *g, int i)
{
    assert(!g->gone[i]);
    if (g->next[i] != NONE) {
        g->before[g->next[i]] = g->before[i];
    } else {
        g->tail[g->degree[i]] = g->before[i];
    }
    if (g->before[i] != NONE) {
        g->next[g->before[i]] = g->next[i];
    } else {
        g->head[g->degree[i]] = g->next[i];
    }
}

static const int *members_of(const Quotient *g, int e)
{
    assert(g->size[e] > 0);
    return (const int *)g->members.data + g->member_start[e];
}

// Add an unknown to the newest element, p, if it is not there.
static KalStatus add_member(Quotient *g, int p, int i)
{
    assert(i == p || !g->gone[i]);
    if (g->mark[i] == p + 1 || i == p) {
        return KAL_OK;
    }
    g->mark[i] = p + 1;
    g->size[p]++;
    return kal_block_add(g->ctx, &g->members, &i, sizeof i);
}

// The element that p leaves behind: all that it is coupled to, by itself or by elements,
// which are absorbed.
static KalStatus make_element(Quotient *g, int p)
{
    assert(!g->gone[p]);
    assert(g->size[p] == 0);
    const int *list = g->c->other + g->c->start[p];
    KalStatus status = KAL_OK;
    g->member_start[p] = (int64_t)(g->members.size / sizeof(int));
    g->gone[p] = true;
    for (int k = 0; k < g->others[p] && status == KAL_OK; k++) {
        status = add_member(g, p, list[g->elements[p] + k]);
    }
    for (int k = 0; k < g->elements[p]; k++) {
        for (int i = 0; i < g->size[list[k]] && status == KAL_OK; i++) {
            status = add_member(g, p, members_of(g, list[k])[i]);
        }
        g->size[list[k]] = 0;
    }
    return status;
}

// How many members the elements around p have beyond its own.
static void count_outside(Quotient *g, int p)
{
    for (int k = 0; k < g->size[p]; k++) {
        const int i = members_of(g, p)[k];
        const int *list = g->c->other + g->c->start[i];
        for (int e = 0; e < g->elements[i]; e++) {
            if (g->seen[list[e]] != p + 1) {
                g->seen[list[e]] = p + 1;
                g->outside[list[e]] = g->size[list[e]];
            }
            g->outside[list[e]]--;
        }
    }
}

// Renew the list of member i of p: without what was absorbed and what p says already, but
// with p.  An element that has no member outside of p is absorbed too.  Returns a bound of
// the degree of i.
static int renew(Quotient *g, int p, int i)
{
    int *list = g->c->other + g->c->start[i];
    const int elements = g->elements[i];
    const int others = g->others[i];
    int degree = g->size[p] - 1;
    int n = 0;
    for (int k = 0; k < elements; k++) {
        const int e = list[k];
        if (g->size[e] > 0 && g->outside[e] > 0) {
            list[n++] = e;
            degree += g->outside[e];
        }
    }
    g->elements[i] = n + 1;
    int held = p; // what p takes the place of moves up by one
    for (int k = 0; k < others; k++) {
        const int j = list[elements + k];
        if (!g->gone[j] && g->mark[j] != p + 1) {
            list[n++] = held;
            held = j;
            degree++;
        }
    }
    assert(n < elements + others);
    list[n++] = held;
    g->others[i] = n - g->elements[i];
    assert(degree >= 0);
    return degree;
}

// `left` unknowns are not yet eliminated; those before `end` are in the lists.
static KalStatus eliminate(Quotient *g, int p, int left, int end)
{
    KAL_TRY(make_element(g, p));
    assert(g->size[p] <= left);
    count_outside(g, p);
    for (int k = 0; k < g->size[p]; k++) {
        const int i = members_of(g, p)[k];
        const bool listed = i < end;
        if (listed) {
            take_out(g, i);
        }
        const int degree = renew(g, p, i);
        g->degree[i] = degree < left ? degree : left - 1;
        if (listed) {
            insert(g, i);
        }
    }
    return KAL_OK;
}

// Eliminate the unknowns from `begin` to `end`.
static KalStatus eliminate_stage(Quotient *g, int begin, int end, int *out_order)
{
    assert(0 <= begin && begin <= end && end <= g->c->n);
    const int n = g->c->n;
    g->least = n;
    for (int d = 0; d < n; d++) {
        g->head[d] = NONE;
        g->tail[d] = NONE;
    }
    for (int i = begin; i < end; i++) {
        insert(g, i);
    }
    for (int k = begin; k < end; k++) {
        while (g->head[g->least] == NONE) {
            assert(g->least < n);
            g->least++;
        }
        const int p = g->head[g->least];
        assert(p >= begin && p < end);
        take_out(g, p);
        out_order[k] = p;
        KAL_TRY(eliminate(g, p, n - k - 1, end));
    }
    return KAL_OK;
}

// Both stages share one quotient graph: what the first eliminates is an element for the
// second.
KalStatus kal_minimum_degree(KalContext *ctx, KalCouplings *couplings, int first,
                             int *out_order)
{
    Quotient g = {.ctx = ctx, .c = couplings};
    const int n = couplings->n;
    assert(0 <= first && first <= n);
    KAL_TRY(kal_workspace_make(ctx, "for the order of a sparse system", lay_out, &g,
                               &g.workspace));
    for (int i = 0; i < n; i++) {
        g.others[i] = (int)(couplings->start[i + 1] - couplings->start[i]);
        g.degree[i] = g.others[i];
    }
    KalStatus status = eliminate_stage(&g, 0, first, out_order);
    if (status == KAL_OK) {
        status = eliminate_stage(&g, first, n, out_order);
    }
    kal_block_clear(ctx, &g.members);
    kal_workspace_clear(ctx, &g.workspace);
    return status;
}

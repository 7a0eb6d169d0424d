// SPDX-License-Identifier: MIT

// Sparse first and second derivatives (Griewank and Walther, Evaluating Derivatives, chapters
// 3 and 7).  A Jacobian with few rows is taken row by row in reverse; one with many, and a
// Hessian, column by column forward, each column visiting only the nodes that depend on its
// symbol.
//
// Visiting: lists of users lead from the symbol up; steps that serve no row that is asked for
// are passed over.  Invariants between columns: no step is seen, all derivatives are none.

#include "expr/diff.h"
#include "expr/diff_impl.h"
#include "expr/graph_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to differentiate";

enum {
    FIRST_ENTRIES = 64,
    SPARSE = 16 // one visited step in so many, or fewer, are sorted
};

typedef struct Entry {
    uint32_t row;
    uint32_t column;
    KalExpr value;
} Entry;

typedef struct Entries {
    KalContext *ctx;
    Entry *list;
    size_t n;
    size_t capacity;
} Entries;

// The list grows by doubling.
static KalStatus add_entry(Entries *entries, Entry entry)
{
    assert(entry.value.index != 0);
    if (entries->n == entries->capacity) {
        Entry *list = kal_grow(entries->ctx, entries->list, sizeof *list,
                               entries->n + FIRST_ENTRIES, &entries->capacity);
        if (!list) {
            return kal_no_memory(entries->ctx, PURPOSE);
        }
        entries->list = list;
    }
    entries->list[entries->n++] = entry;
    return KAL_OK;
}

void kal_sparse_clear(KalSparse *matrix)
{
    if (matrix->ctx && matrix->start) {
        const size_t count = kal_sparse_entries(matrix);
        kal_free(matrix->ctx, matrix->column, count * sizeof *matrix->column);
        kal_free(matrix->ctx, matrix->value, count * sizeof *matrix->value);
        kal_free(matrix->ctx, matrix->start,
                 (matrix->rows + 1) * sizeof *matrix->start);
    }
    *matrix = (KalSparse){0};
}

// Bisection: columns of a row rise.
KalExpr kal_sparse_get(const KalSparse *matrix, size_t row, size_t column)
{
    assert(row < matrix->rows && column < matrix->columns);
    int64_t low = matrix->start[row];
    int64_t high = matrix->start[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < (int64_t)column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found =
        low < matrix->start[row + 1] && matrix->column[low] == (int64_t)column;
    return found ? matrix->value[low] : KAL_NO_EXPR;
}

// Counts become places: where the first of each kind goes.
static void sum_up(int64_t *counts, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const int64_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

// Put the entries in the order of their columns; `places` has a 0 for each column.
static void sort_by_column(const Entries *entries, int64_t *places, size_t columns,
                           Entry *out_sorted)
{
    assert(out_sorted || entries->n == 0);
    for (size_t i = 0; i < entries->n; i++) {
        places[entries->list[i].column]++;
    }
    sum_up(places, columns);
    for (size_t i = 0; i < entries->n; i++) {
        out_sorted[places[entries->list[i].column]++] = entries->list[i];
    }
}

// Deal entries out to rows, in each of which they keep their order.
static void deal_out(const Entry *entries, size_t n, KalSparse *matrix)
{
    for (size_t i = 0; i < n; i++) {
        matrix->start[entries[i].row]++;
    }
    sum_up(matrix->start, matrix->rows + 1);
    for (size_t i = 0; i < n; i++) {
        const int64_t at = matrix->start[entries[i].row]++;
        matrix->column[at] = entries[i].column;
        matrix->value[at] = entries[i].value;
    }
    assert(n == 0 || matrix->start[matrix->rows] == (int64_t)n);
    // Each start has moved on to the next one's place.
    memmove(matrix->start + 1, matrix->start, matrix->rows * sizeof *matrix->start);
    matrix->start[0] = 0;
}

// Entries in any order become a matrix.  Counting sorts by column, then by row, each of
// which keeps the order that there is: in time that grows with the entries only.
static KalStatus compress(const Entries *entries, size_t rows, size_t columns,
                          KalSparse *out_matrix)
{
    assert(entries->ctx && out_matrix);
    KalContext *ctx = entries->ctx;
    const size_t n = entries->n;
    KalSparse matrix = {.ctx = ctx, .rows = rows, .columns = columns};
    matrix.start = kal_alloc(ctx, rows + 1, sizeof *matrix.start);
    matrix.column = kal_alloc(ctx, n, sizeof *matrix.column);
    matrix.value = kal_alloc(ctx, n, sizeof *matrix.value);
    Entry *sorted = kal_alloc(ctx, n, sizeof *sorted);
    int64_t *places = kal_alloc(ctx, columns, sizeof *places);
    const bool fits = matrix.start && (columns == 0 || places)
                      && (n == 0 || (matrix.column && matrix.value && sorted));
    if (fits) {
        sort_by_column(entries, places, columns, sorted);
        deal_out(sorted, n, &matrix);
        *out_matrix = matrix;
    } else {
        kal_free(ctx, matrix.column, n * sizeof *matrix.column);
        kal_free(ctx, matrix.value, n * sizeof *matrix.value);
        kal_free(ctx, matrix.start, (rows + 1) * sizeof *matrix.start);
    }
    kal_free(ctx, sorted, n * sizeof *sorted);
    kal_free(ctx, places, columns * sizeof *places);
    return fits ? KAL_OK : kal_no_memory(ctx, PURPOSE);
}

// One row by reverse accumulation.
static KalStatus add_row_in_order(KalGraph *g, const KalOrder *order, uint32_t row,
                                  const KalSeeds *seeds, Entries *entries)
{
    KalExpr *d = kal_alloc(g->ctx, order->count, sizeof *d);
    if (!d) {
        return kal_no_memory(g->ctx, PURPOSE);
    }
    KalStatus status = kal_reverse(g, order, seeds, d);
    for (uint32_t i = 0; i < order->count && status == KAL_OK; i++) {
        const KalStep *step = &order->steps[i];
        const int64_t place =
            step->op == KAL_OP_SYMBOL ? kal_seeds_find(seeds, step->node) : -1;
        if (place >= 0 && d[i].index != 0) {
            status = add_entry(entries, (Entry){row, (uint32_t)place, d[i]});
        }
    }
    kal_free(g->ctx, d, order->count * sizeof *d);
    return status;
}

// The order of one formula alone: a row costs what its formula costs.
static KalStatus add_row(KalGraph *g, KalExpr e, uint32_t row, const KalSeeds *seeds,
                         Entries *entries)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(g, &e, 1, &order));
    const KalStatus status = add_row_in_order(g, &order, row, seeds, entries);
    kal_order_clear(&order);
    return status;
}

static KalStatus add_rows(KalGraph *g, const KalExpr *e, size_t m,
                          const KalSeeds *seeds, Entries *entries)
{
    for (size_t row = 0; row < m; row++) {
        KAL_TRY(add_row(g, e[row], (uint32_t)row, seeds, entries));
    }
    return KAL_OK;
}

// What the columns of one matrix share, and the visit of one column.
typedef struct Columns {
    KalGraph *g;
    const KalOrder *order;
    bool lower;           // only entries with column ≤ row
    uint32_t *user_start; // count + 1: where the users of a step begin in `users`
    uint32_t *users;      // positions
    uint32_t *last_row;   // count: 1 + the last row that depends on a step
    uint32_t *next_root;  // n_roots: 1 + next row that is the same step
    uint32_t *root_of;    // count: 1 + first row that is this step
    uint32_t *visited;    // count: steps of this column
    uint32_t n_visited;   // of the column at hand
    bool *seen;           // count
    KalExpr *d;           // count: derivatives of the visited steps
} Columns;

static void clear_columns(Columns *c)
{
    const size_t count = c->order->count;
    KalContext *ctx = c->g->ctx;
    const size_t n_users = c->user_start ? c->user_start[count] : 0;
    kal_free(ctx, c->users, n_users * sizeof *c->users);
    kal_free(ctx, c->user_start, (count + 1) * sizeof *c->user_start);
    kal_free(ctx, c->last_row, count * sizeof *c->last_row);
    kal_free(ctx, c->root_of, count * sizeof *c->root_of);
    kal_free(ctx, c->next_root, c->order->n_roots * sizeof *c->next_root);
    kal_free(ctx, c->visited, count * sizeof *c->visited);
    kal_free(ctx, c->seen, count * sizeof *c->seen);
    kal_free(ctx, c->d, count * sizeof *c->d);
}

// Lists of users, by counting.
static bool find_users(Columns *c)
{
    assert(!c->users);
    const KalOrder *o = c->order;
    for (uint32_t i = 0; i < o->count; i++) {
        for (int k = 0; k < kal_op_arity((KalOp)o->steps[i].op); k++) {
            c->user_start[o->steps[i].arg[k]]++;
        }
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= o->count; i++) {
        sum += i < o->count ? c->user_start[i] : 0;
        c->user_start[i] = sum; // the end of i's list, which filling moves to its start
    }
    if (sum == 0) {
        return true;
    }
    c->users = kal_alloc(c->g->ctx, sum, sizeof *c->users);
    for (uint32_t i = 0; i < o->count && c->users; i++) {
        for (int k = 0; k < kal_op_arity((KalOp)o->steps[i].op); k++) {
            c->users[--c->user_start[o->steps[i].arg[k]]] = i;
        }
    }
    return c->users != NULL;
}

// Which rows each step serves.
static void find_rows(Columns *c)
{
    const KalOrder *o = c->order;
    for (size_t r = o->n_roots; r-- > 0;) {
        const uint32_t at = o->roots[r];
        c->next_root[r] = c->root_of[at];
        c->root_of[at] = (uint32_t)r + 1;
        if (c->last_row[at] < r + 1) {
            c->last_row[at] = (uint32_t)r + 1;
        }
    }
    for (uint32_t i = o->count; i-- > 0;) {
        for (int k = 0; k < kal_op_arity((KalOp)o->steps[i].op); k++) {
            uint32_t *last = &c->last_row[o->steps[i].arg[k]];
            *last = *last < c->last_row[i] ? c->last_row[i] : *last;
        }
    }
}

// What all columns share.
static KalStatus init_columns(KalGraph *g, const KalOrder *order, bool lower,
                              Columns *c)
{
    const size_t count = order->count;
    KalContext *ctx = g->ctx;
    *c = (Columns){.g = g, .order = order, .lower = lower};
    c->last_row = kal_alloc(ctx, count, sizeof *c->last_row);
    c->root_of = kal_alloc(ctx, count, sizeof *c->root_of);
    c->next_root = kal_alloc(ctx, order->n_roots, sizeof *c->next_root);
    c->visited = kal_alloc(ctx, count, sizeof *c->visited);
    c->seen = kal_alloc(ctx, count, sizeof *c->seen);
    c->d = kal_alloc(ctx, count, sizeof *c->d);
    c->user_start = kal_alloc(ctx, count + 1, sizeof *c->user_start);
    if (!c->last_row || !c->root_of || !c->next_root || !c->visited || !c->seen || !c->d
        || !c->user_start || !find_users(c)) {
        clear_columns(c);
        return kal_no_memory(ctx, PURPOSE);
    }
    find_rows(c);
    return KAL_OK;
}

static int compare_positions(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Put the visited steps in order, none of which is before `from`.  Where they are many,
// looking at all steps is faster than sorting.
static void sort_visited(Columns *c, uint32_t from)
{
    assert(c->n_visited > 0);
    if ((c->order->count - from) / SPARSE > c->n_visited) {
        qsort(c->visited, c->n_visited, sizeof *c->visited, compare_positions);
        return;
    }
    uint32_t n = 0;
    for (uint32_t i = from; n < c->n_visited; i++) {
        if (c->seen[i]) {
            c->visited[n++] = i;
        }
    }
}

// All steps that depend on the symbol at `from` and serve a row that is asked for.
static void visit_users(Columns *c, uint32_t from, uint32_t first_row)
{
    assert(!c->seen[from]);
    c->n_visited = 0;
    c->visited[c->n_visited++] = from;
    c->seen[from] = true;
    for (uint32_t next = 0; next < c->n_visited; next++) {
        const uint32_t at = c->visited[next];
        for (uint32_t u = c->user_start[at]; u < c->user_start[at + 1]; u++) {
            const uint32_t user = c->users[u];
            if (!c->seen[user] && c->last_row[user] > first_row) {
                c->seen[user] = true;
                c->visited[c->n_visited++] = user;
            }
        }
    }
    sort_visited(c, from);
}

// Forward mode for one symbol over the nodes that depend on it, operands first; the
// entries are the rates of roots.
static KalStatus add_column(Columns *c, uint32_t from, uint32_t column,
                            Entries *entries)
{
    assert(from < c->order->count && c->order->steps[from].op == KAL_OP_SYMBOL);
    const uint32_t first_row = c->lower ? column : 0;
    KalStatus status = KAL_OK;
    visit_users(c, from, first_row);
    c->d[from] = kal_int(c->g, 1);
    for (uint32_t v = 0; v < c->n_visited && status == KAL_OK; v++) {
        const uint32_t at = c->visited[v];
        assert(v == 0 || at > c->visited[v - 1]);
        if (at != from) {
            c->d[at] = kal_forward(c->g, &c->order->steps[at], c->d);
        }
        for (uint32_t r = c->root_of[at];
             r != 0 && c->d[at].index != 0 && status == KAL_OK;
             r = c->next_root[r - 1]) {
            if (r - 1 >= first_row) {
                status = add_entry(entries, (Entry){r - 1, column, c->d[at]});
            }
        }
    }
    for (uint32_t v = 0; v < c->n_visited; v++) {
        c->seen[c->visited[v]] = false;
        c->d[c->visited[v]] = KAL_NO_EXPR;
    }
    return status == KAL_OK ? kal_graph_status(c->g) : status;
}

// A column for each seed that occurs.
static KalStatus add_columns(KalGraph *g, const KalOrder *order, const KalSeeds *seeds,
                             bool lower, Entries *entries)
{
    Columns c;
    KAL_TRY(init_columns(g, order, lower, &c));
    KalStatus status = KAL_OK;
    for (uint32_t i = 0; i < order->count && status == KAL_OK; i++) {
        const KalStep *step = &order->steps[i];
        const int64_t place =
            step->op == KAL_OP_SYMBOL ? kal_seeds_find(seeds, step->node) : -1;
        if (place >= 0) {
            status = add_column(&c, i, (uint32_t)place, entries);
        }
    }
    clear_columns(&c);
    return status;
}

static KalStatus add_forward(KalGraph *g, const KalExpr *e, size_t m,
                             const KalSeeds *seeds, bool lower, Entries *entries)
{
    KalOrder order = {0};
    KAL_TRY(kal_order_init(g, e, m, &order));
    const KalStatus status = add_columns(g, &order, seeds, lower, entries);
    kal_order_clear(&order);
    return status;
}

// The one way for both: e by columns, or row by row.
static KalStatus fill(KalGraph *g, const KalExpr *e, const KalSeeds *seeds, size_t m,
                      bool lower, KalSparse *out_matrix)
{
    assert(!lower || m == seeds->n);
    Entries entries = {.ctx = g->ctx};
    const bool by_rows = m < seeds->n && !lower;
    KalStatus status = by_rows ? add_rows(g, e, m, seeds, &entries)
                       : m > 0 ? add_forward(g, e, m, seeds, lower, &entries)
                               : KAL_OK;
    if (status == KAL_OK) {
        status = compress(&entries, m, seeds->n, out_matrix);
    }
    kal_free(g->ctx, entries.list, entries.capacity * sizeof *entries.list);
    return status;
}

KalStatus kal_jacobian(KalGraph *g, const KalExpr *e, size_t m, const KalExpr *x,
                       size_t n, KalSparse *out_J)
{
    assert((e || m == 0) && (x || n == 0) && out_J);
    KalSeeds seeds = {0};
    KAL_TRY(kal_graph_status(g));
    KAL_TRY(kal_seeds_init(g->ctx, x, n, &seeds));
    const KalStatus status = fill(g, e, &seeds, m, false, out_J);
    kal_seeds_clear(&seeds);
    return status;
}

// Forward over reverse, theory (9.5): the columns of the gradient's Jacobian.
KalStatus kal_hessian(KalGraph *g, KalExpr f, const KalExpr *x, size_t n,
                      KalSparse *out_H)
{
    assert((x || n == 0) && out_H);
    KalSeeds seeds = {0};
    KalExpr *p = kal_alloc(g->ctx, n + 1, sizeof *p);
    if (!p) {
        return kal_no_memory(g->ctx, PURPOSE);
    }
    KalStatus status = kal_gradient(g, f, x, n, p);
    if (status == KAL_OK) {
        status = kal_seeds_init(g->ctx, x, n, &seeds);
    }
    if (status == KAL_OK) {
        status = fill(g, p, &seeds, n, true, out_H);
        kal_seeds_clear(&seeds);
    }
    kal_free(g->ctx, p, (n + 1) * sizeof *p);
    return status;
}

// SPDX-License-Identifier: MIT

// The analysis finds the structure of L once: the elimination tree and the rows of L as
// paths in it (J. W. H. Liu, The role of elimination trees in sparse factorization,
// SIAM J. Matrix Anal. Appl. 11 (1990)).  The parent of column i is the first row below
// the diagonal in which column i of L has an entry.  Row k of L has entries in the
// columns on the paths from the entries of row k of the matrix up to k, so that walking
// these paths, each place once, costs as much as the row has entries.
//
// What holds between calls: `order` and `place` are permutations, inverse to each
// other, masses before ties; rows rise within a column of L and columns within a row;
// `work` is zero and nothing waits.

#include "sparse/degree.h"
#include "sparse/ldl_impl.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

// Lists of ints, by counting: counts become the places where lists begin.
static int64_t sum_up(int64_t *counts, int n)
{
    assert(n >= 0);
    int64_t sum = 0;
    for (int i = 0; i <= n; i++) {
        const int64_t count = counts[i];
        counts[i] = sum;
        sum += count;
    }
    return sum;
}

// What only the analysis needs.
typedef struct Analysis {
    KalLdl *ldl;
    const KalLdlEntry *entries;
    KalWorkspace workspace;
    KalWorkspace lists; // of couplings
    KalCouplings couplings;
    int64_t n_couplings;
    int64_t *upper_start; // n + 1: entries above the diagonal of the reordered matrix
    int *upper_row;       // by columns
    int64_t *start;       // n + 1: entries of L below the diagonal, by columns
    int64_t *row_start;   // n + 1: the same by rows
    int *parent;          // n: of the elimination tree; −1: none
    int *mark;            // n
    int64_t *next;        // n + 1
} Analysis;

static void lay_out_couplings(KalCarver *carver, void *owner)
{
    Analysis *a = owner;
    const size_t n = (size_t)a->ldl->n;
    a->couplings.start = kal_carve(carver, n + 1, sizeof *a->couplings.start);
    a->couplings.other = kal_carve_ints(carver, 2 * a->ldl->n_entries);
}

static void lay_out_analysis(KalCarver *carver, void *owner)
{
    Analysis *a = owner;
    const size_t n = (size_t)a->ldl->n;
    a->upper_start = kal_carve(carver, n + 1, sizeof *a->upper_start);
    a->upper_row = kal_carve_ints(carver, a->ldl->n_entries);
    a->start = kal_carve(carver, n + 1, sizeof *a->start);
    a->row_start = kal_carve(carver, n + 1, sizeof *a->row_start);
    a->parent = kal_carve_ints(carver, n);
    a->mark = kal_carve_ints(carver, n);
    a->next = kal_carve(carver, n + 1, sizeof *a->next);
}

static void lay_out_matrix(KalCarver *carver, void *owner)
{
    KalLdl *ldl = owner;
    const size_t n = (size_t)ldl->n;
    ldl->slot = kal_carve_ints(carver, ldl->n_entries);
    ldl->order = kal_carve_ints(carver, n);
    ldl->place = kal_carve_ints(carver, n);
    ldl->start = kal_carve_ints(carver, n + 1);
    ldl->row_start = kal_carve_ints(carver, n + 1);
    ldl->node = kal_carve_ints(carver, n + 1);
    ldl->node_of = kal_carve_ints(carver, n);
    ldl->inverse = kal_carve_doubles(carver, n, 1);
    ldl->from = kal_carve_doubles(carver, n, 1);
    ldl->reach = kal_carve_doubles(carver, n, 1);
    ldl->work = kal_carve_doubles(carver, n, 1);
    ldl->solution = kal_carve_doubles(carver, n, 1);
    ldl->queue = kal_carve_ints(carver, n);
    ldl->waits = kal_carve_bools(carver, n);
}

static void lay_out_factor(KalCarver *carver, void *owner)
{
    KalLdl *ldl = owner;
    const size_t count = (size_t)ldl->start[ldl->n];
    ldl->row = kal_carve_ints(carver, count);
    ldl->row_column = kal_carve_ints(carver, count);
    ldl->value = kal_carve_doubles(carver, count + (size_t)ldl->n, 1);
}

static void lay_out_lists(KalCarver *carver, void *owner)
{
    KalLdl *ldl = owner;
    ldl->target = kal_carve_ints(carver, (size_t)ldl->n_targets);
    ldl->relative = kal_carve_ints(carver, (size_t)ldl->n_relative);
    ldl->sums = kal_carve_doubles(carver, (size_t)ldl->most_below, 1);
}

// Strike out what lists have twice, and close the gaps.
static void strike_twins(Analysis *a)
{
    KalCouplings *c = &a->couplings;
    int64_t kept = 0;
    memset(a->mark, 0, (size_t)c->n * sizeof *a->mark);
    for (int i = 0; i < c->n; i++) {
        const int64_t begin = c->start[i];
        c->start[i] = kept;
        for (int64_t k = begin; k < a->next[i]; k++) {
            const int j = c->other[k];
            if (a->mark[j] != i + 1) {
                a->mark[j] = i + 1;
                c->other[kept++] = j;
            }
        }
    }
    c->start[c->n] = kept;
}

// Couplings are what is off the diagonal, each listed at both of its unknowns; counted
// first, then written.
static void find_couplings(Analysis *a)
{
    KalCouplings *c = &a->couplings;
    c->n = a->ldl->n;
    for (size_t e = 0; e < a->ldl->n_entries; e++) {
        const KalLdlEntry entry = a->entries[e];
        assert(entry.row >= 0 && entry.row < c->n && entry.column >= 0
               && entry.column < c->n);
        c->start[entry.row] += entry.row != entry.column;
        c->start[entry.column] += entry.row != entry.column;
    }
    (void)sum_up(c->start, c->n);
    memcpy(a->next, c->start, ((size_t)c->n + 1) * sizeof *a->next);
    for (size_t e = 0; e < a->ldl->n_entries; e++) {
        const KalLdlEntry entry = a->entries[e];
        if (entry.row != entry.column) {
            c->other[a->next[entry.row]++] = entry.column;
            c->other[a->next[entry.column]++] = entry.row;
        }
    }
    strike_twins(a);
}

// Where an entry is in the reordered matrix, above the diagonal or on it.
static KalLdlEntry reorder(const KalLdl *ldl, KalLdlEntry entry)
{
    assert(entry.row >= 0 && entry.row < ldl->n);
    assert(entry.column >= 0 && entry.column < ldl->n);
    const int i = ldl->place[entry.row];
    const int j = ldl->place[entry.column];
    return (KalLdlEntry){i < j ? i : j, i < j ? j : i};
}

// The entries above the diagonal, column by column.
static void find_upper(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    for (size_t e = 0; e < ldl->n_entries; e++) {
        const KalLdlEntry entry = reorder(ldl, a->entries[e]);
        a->upper_start[entry.column] += entry.row != entry.column;
    }
    (void)sum_up(a->upper_start, ldl->n);
    memcpy(a->next, a->upper_start, ((size_t)ldl->n + 1) * sizeof *a->next);
    for (size_t e = 0; e < ldl->n_entries; e++) {
        const KalLdlEntry entry = reorder(ldl, a->entries[e]);
        if (entry.row != entry.column) {
            a->upper_row[a->next[entry.column]++] = entry.row;
        }
    }
}

// Walk the elimination tree from each entry of column k up to what was seen: the columns
// on the way are those of row k of L.  They are counted, or row k is written to them.
static void walk(Analysis *a, int k, bool write)
{
    KalLdl *ldl = a->ldl;
    a->mark[k] = k;
    for (int64_t p = a->upper_start[k]; p < a->upper_start[k + 1]; p++) {
        for (int i = a->upper_row[p]; a->mark[i] != k; i = a->parent[i]) {
            assert(i >= 0 && i < k);
            a->mark[i] = k;
            if (write) {
                ldl->row[a->next[i]++] = k;
                continue;
            }
            a->start[i]++;
            a->row_start[k]++;
            if (a->parent[i] < 0) {
                a->parent[i] = k;
            }
        }
    }
}

static void walk_all(Analysis *a, bool write)
{
    for (int k = 0; k < a->ldl->n; k++) {
        a->mark[k] = -1;
        a->parent[k] = write ? a->parent[k] : -1;
    }
    for (int k = 0; k < a->ldl->n; k++) {
        walk(a, k, write);
    }
}

// A column with `length` entries below the diagonal changes a triangle of length
// (length + 1) / 2 entries.
static void count_operations(KalLdl *ldl)
{
    for (int k = 0; k < ldl->n; k++) {
        const int64_t length = kal_ldl_length(ldl, k);
        ldl->operations += length * (length + 1) / 2;
    }
}

// Whether columns k and `next` have the same rows below both.
static bool are_alike(const Analysis *a, int k, int next)
{
    const int masses = a->ldl->masses;
    return a->parent[k] == next && (k < masses) == (next < masses)
           && a->start[k] == a->start[next] + 1;
}

// Let columns that are alike follow each other: each joins the one after it in the elimination
// tree, at the place of the last of them, before which all that changes any of them has its
// place.  `start` has the lengths of columns.  Returns whether the order is another one.
static bool gather_nodes(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    int *before = a->mark;       // n: the column that a column continues
    int *order = ldl->row_start; // n + 1
    int at = 0;
    bool moves = false;
    for (int k = 0; k < ldl->n; k++) {
        before[k] = -1;
    }
    for (int k = 0; k < ldl->n; k++) {
        const int next = a->parent[k];
        if (next >= 0 && are_alike(a, k, next)) {
            before[next] = k; // of several the last
        }
    }
    for (int k = 0; k < ldl->n; k++) {
        const int next = a->parent[k];
        if (next >= 0 && before[next] == k) {
            continue; // comes with the last of its node
        }
        int width = 0;
        for (int c = k; c >= 0; c = before[c]) {
            width++;
        }
        for (int c = k, to = at + width; c >= 0; c = before[c]) {
            order[--to] = ldl->order[c];
        }
        at += width;
    }
    assert(at == ldl->n);
    for (int k = 0; k < ldl->n; k++) {
        moves = moves || ldl->order[k] != order[k];
        ldl->order[k] = order[k];
    }
    return moves;
}

// Nodes of the order as it is, and how many places they change.
static void find_nodes(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    for (int k = 0; k < ldl->n; k++) {
        const bool goes_on = k > 0 && are_alike(a, k - 1, k);
        if (!goes_on) {
            ldl->node[ldl->n_nodes++] = k;
            ldl->mass_nodes += k < ldl->masses;
        }
        ldl->node_of[k] = ldl->n_nodes - 1;
    }
    ldl->node[ldl->n_nodes] = ldl->n;
    for (int s = 0; s < ldl->n_nodes; s++) {
        const int64_t below = a->start[ldl->node[s + 1] - 1];
        ldl->n_targets += below <= KAL_FEW_BELOW ? below * (below + 1) / 2 : 0;
        ldl->most_below = below > ldl->most_below ? (int)below : ldl->most_below;
    }
}

// Bisection: the rows of a column rise.
int kal_ldl_position(const KalLdl *ldl, int row, int column)
{
    assert(column >= 0 && column < row);
    assert(ldl->start[column] < ldl->start[column + 1]);
    int low = ldl->start[column];
    int high = ldl->start[column + 1] - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (ldl->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert(ldl->row[low] == row);
    return low;
}

// Where the values of the matrix go: each has its entry in L, or on the diagonal.
static void find_slots(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    for (size_t e = 0; e < ldl->n_entries; e++) {
        const KalLdlEntry entry = reorder(ldl, a->entries[e]);
        ldl->slot[e] = entry.row == entry.column
                           ? ldl->start[ldl->n] + entry.row
                           : kal_ldl_position(ldl, entry.column, entry.row);
    }
}

// What a node with few rows below it changes, column by column.
static int *list_targets(const KalLdl *ldl, const int *rows, int below, int *target)
{
    for (int j = 0; j < below; j++) {
        *target++ = ldl->start[ldl->n] + rows[j];
        for (int i = j + 1; i < below; i++) {
            *target++ = kal_ldl_position(ldl, rows[i], rows[j]);
        }
    }
    return target;
}

// The places of rows among those of a node: its columns, then the rows below it.
static void list_places(const KalLdl *ldl, const int *rows, int count, int s,
                        int *places)
{
    const int first = ldl->node[s];
    const int last = ldl->node[s + 1] - 1;
    const int *others = ldl->row + ldl->start[last];
    for (int i = 0, at = 0; i < count; i++) {
        if (rows[i] <= last) {
            places[i] = rows[i] - first;
            continue;
        }
        while (others[at] != rows[i]) {
            at++;
        }
        places[i] = last - first + 1 + at;
    }
}

// Of a node with many: for each node that has some of its rows as columns, the places of these
// and of all rows after them.  They are counted, or written.
static int64_t list_relative(const KalLdl *ldl, const int *rows, int below, int *places)
{
    int64_t count = 0;
    for (int j = 0; j < below; j++) {
        const int s = ldl->node_of[rows[j]];
        if (j > 0 && s == ldl->node_of[rows[j - 1]]) {
            continue;
        }
        if (places) {
            list_places(ldl, rows + j, below - j, s, places + count);
        }
        count += below - j;
    }
    return count;
}

// Where nodes change entries; `write` is false while places of those with many rows are counted.
static void find_targets(KalLdl *ldl, bool write)
{
    int *target = ldl->target;
    int64_t relative = 0;
    for (int s = 0; s < ldl->n_nodes; s++) {
        const int last = ldl->node[s + 1] - 1;
        const int *rows = ldl->row + ldl->start[last];
        const int below = kal_ldl_length(ldl, last);
        if (below > KAL_FEW_BELOW) {
            relative += list_relative(ldl, rows, below,
                                      write ? ldl->relative + relative : NULL);
        } else if (write) {
            target = list_targets(ldl, rows, below, target);
        }
    }
    assert(!write || target == ldl->target + ldl->n_targets);
    assert(!write || relative == ldl->n_relative);
    ldl->n_relative = relative;
}

// Rows of L from its columns, in rising order.
static void find_rows(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    memcpy(a->next, a->row_start, ((size_t)ldl->n + 1) * sizeof *a->next);
    for (int i = 0; i < ldl->n; i++) {
        for (int p = ldl->start[i]; p < ldl->start[i + 1]; p++) {
            ldl->row_column[a->next[ldl->row[p]]++] = i;
        }
    }
}

// Lengths of the columns and rows of L in the order as it is.
static void count_entries(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    const size_t size = ((size_t)ldl->n + 1) * sizeof *a->start;
    memset(a->upper_start, 0, size);
    memset(a->start, 0, size);
    memset(a->row_start, 0, size);
    for (int k = 0; k < ldl->n; k++) {
        assert(ldl->order[k] >= 0 && ldl->order[k] < ldl->n);
        ldl->place[ldl->order[k]] = k;
    }
    find_upper(a);
    walk_all(a, false);
}

// Columns of L by the walks, then all else from these.
static KalStatus find_factor(Analysis *a, int64_t most)
{
    KalLdl *ldl = a->ldl;
    const int64_t count = sum_up(a->start, ldl->n);
    assert(count >= 0);
    (void)sum_up(a->row_start, ldl->n);
    if (count > most || count > INT_MAX - ldl->n) {
        return kal_fail(
            ldl->ctx, KAL_ERR_LIMIT,
            "the factors of a sparse system have %lld entries; %lld are the "
            "most",
            (long long)count, (long long)most);
    }
    for (int k = 0; k <= ldl->n; k++) {
        ldl->start[k] = (int)a->start[k];
        ldl->row_start[k] = (int)a->row_start[k];
    }
    count_operations(ldl);
    KAL_TRY(kal_workspace_make(ldl->ctx, "for sparse factors", lay_out_factor, ldl,
                               &ldl->numbers));
    memcpy(a->next, a->start, ((size_t)ldl->n + 1) * sizeof *a->next);
    walk_all(a, true);
    find_rows(a);
    find_slots(a);
    kal_workspace_clear(ldl->ctx, &a->workspace); // the rest follows from the factors
    find_targets(ldl, false);
    KAL_TRY(kal_workspace_make(ldl->ctx, "for sparse factors", lay_out_lists, ldl,
                               &ldl->lists));
    find_targets(ldl, true);
    return KAL_OK;
}

// Order first, for the structure of L is that of the reordered matrix.
static KalStatus analyze(Analysis *a, int64_t most)
{
    KalLdl *ldl = a->ldl;
    const char *purpose = "to analyze a sparse system";
    KAL_TRY(kal_workspace_make(ldl->ctx, purpose, lay_out_analysis, a, &a->workspace));
    KAL_TRY(kal_workspace_make(ldl->ctx, purpose, lay_out_couplings, a, &a->lists));
    find_couplings(a);
    KAL_TRY(kal_minimum_degree(ldl->ctx, &a->couplings, ldl->masses, ldl->order));
    kal_workspace_clear(ldl->ctx, &a->lists);
    count_entries(a);
    if (gather_nodes(a)) {
        count_entries(a);
    }
    find_nodes(a);
    return find_factor(a, most);
}

KalStatus kal_ldl_init(KalLdl *ldl, KalContext *ctx, const KalLdlShape *shape,
                       int64_t most)
{
    assert(ldl && ctx && shape);
    assert(shape->n >= 0 && (shape->entries || shape->n_entries == 0));
    assert(most >= 0);
    assert(0 <= shape->masses && shape->masses <= shape->n);
    *ldl = (KalLdl){
        .ctx = ctx,
        .n = shape->n,
        .masses = shape->masses,
        .n_entries = shape->n_entries,
    };
    Analysis a = {.ldl = ldl, .entries = shape->entries};
    KAL_TRY(kal_workspace_make(ctx, "for a sparse system", lay_out_matrix, ldl,
                               &ldl->structure));
    const KalStatus status = analyze(&a, most);
    kal_workspace_clear(ctx, &a.lists);
    kal_workspace_clear(ctx, &a.workspace);
    return status;
}

void kal_ldl_clear(KalLdl *ldl)
{
    if (ldl->ctx) {
        kal_workspace_clear(ldl->ctx, &ldl->lists);
        kal_workspace_clear(ldl->ctx, &ldl->numbers);
        kal_workspace_clear(ldl->ctx, &ldl->structure);
    }
    *ldl = (KalLdl){.n = 0};
}

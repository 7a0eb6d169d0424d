// SPDX-License-Identifier: MIT

// The analysis finds the structure of L once: the elimination tree and the rows of L as
// paths in it (J. W. H. Liu, The role of elimination trees in sparse factorization,
// SIAM J. Matrix Anal. Appl. 11 (1990)).  The parent of column i is the first row below
// the diagonal in which column i of L has an entry.  Row k of L has entries in the
// columns on the paths from the entries of row k of the matrix up to k, so that walking
// these paths, each place once, costs as much as the row has entries.
//
// A factorization goes column by column.  A column that has SHORT entries or fewer, as all
// have in chains and trees, changes the entries below and to the right of it at once: where
// they are was found by the analysis, so that this is a list of products without a search.
// The places of longer ones would take too much room.  They wait, and a column that is
// reached takes what they have for it, from all rows of it at once.
//
// What holds between calls: `order` and `place` are permutations, inverse to each
// other, masses before ties; rows rise within a column of L and columns within a row;
// `work` is zero and nothing waits.

#include "sparse/ldl.h"

#include "sparse/degree.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    SHORT = 16 // entries of a column that is done with at once
};

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
    ldl->next = kal_carve_ints(carver, n);
    ldl->pulls = kal_carve_bools(carver, n);
    ldl->inverse = kal_carve_doubles(carver, n, 1);
    ldl->from = kal_carve_doubles(carver, n, 1);
    ldl->ratio = kal_carve_doubles(carver, n, 1);
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
    ldl->target = kal_carve_ints(carver, (size_t)ldl->n_targets);
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

// Entries of a column of L below the diagonal.
static inline int length_of(const KalLdl *ldl, int k)
{
    return ldl->start[k + 1] - ldl->start[k];
}

// A column with `length` entries below the diagonal changes a triangle of length
// (length + 1) / 2 entries.
static void count_operations(KalLdl *ldl)
{
    for (int k = 0; k < ldl->n; k++) {
        const int64_t length = length_of(ldl, k);
        const int64_t products = length * (length + 1) / 2;
        ldl->operations += products;
        ldl->n_targets += length <= SHORT ? products : 0;
    }
}

// Where an entry of L that there is, in a row and a column before it, is.
static int position_of(const KalLdl *ldl, int row, int column)
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
                           : position_of(ldl, entry.column, entry.row);
    }
}

// What each short column changes, row by row; what a long one does not.
static void find_targets(KalLdl *ldl)
{
    int *target = ldl->target;
    for (int k = 0; k < ldl->n; k++) {
        const int *rows = ldl->row + ldl->start[k];
        const int length = length_of(ldl, k);
        for (int r = 0; r < length; r++) {
            ldl->pulls[rows[r]] |= length > SHORT;
            for (int s = 0; s < r && length <= SHORT; s++) {
                *target++ = position_of(ldl, rows[r], rows[s]);
            }
            if (length <= SHORT) {
                *target++ = ldl->start[ldl->n] + rows[r];
            }
        }
    }
    assert(target == ldl->target + ldl->n_targets);
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

// Columns of L by the walks, then all else from these.
static KalStatus find_factor(Analysis *a, int64_t most)
{
    KalLdl *ldl = a->ldl;
    walk_all(a, false);
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
    find_targets(ldl);
    return KAL_OK;
}

// Order first, for the structure of L is that of the reordered matrix.
static KalStatus analyze(Analysis *a, int64_t most)
{
    KalLdl *ldl = a->ldl;
    KAL_TRY(kal_workspace_make(ldl->ctx, "to analyze a sparse system",
                               lay_out_couplings, a, &a->workspace));
    find_couplings(a);
    KAL_TRY(kal_minimum_degree(ldl->ctx, &a->couplings, ldl->masses, ldl->order));
    for (int k = 0; k < ldl->n; k++) {
        assert(ldl->order[k] >= 0 && ldl->order[k] < ldl->n);
        ldl->place[ldl->order[k]] = k;
    }
    find_upper(a);
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
    kal_workspace_clear(ctx, &a.workspace);
    return status;
}

void kal_ldl_clear(KalLdl *ldl)
{
    if (ldl->ctx) {
        kal_workspace_clear(ldl->ctx, &ldl->numbers);
        kal_workspace_clear(ldl->ctx, &ldl->structure);
    }
    *ldl = (KalLdl){.n = 0};
}

// Entries that were given more than once share a slot, in which their values add up.
static void set_values(KalLdl *ldl, const double *values)
{
    const int *restrict slot = ldl->slot;
    double *restrict value = ldl->value;
    memset(value, 0, (size_t)(ldl->start[ldl->n] + ldl->n) * sizeof *value);
    for (size_t e = 0; e < ldl->n_entries; e++) {
        value[slot[e]] += values[e];
    }
}

// Rounding of a few operations, relative to what takes part in them.
static const double ROUNDING = 64.0 * DBL_EPSILON;

// Pivots above this, relative to what they came from, are no rounding: rows of which a
// combination could make it so much would fill the equations with theirs.
static const double CLEAR = 0x1p-10;
// Squares of terms of a combination below this add up to little.
static const double LITTLE = 1e-8;
// A growth that no product with zero makes a NaN of.
static const double NO_END = 1e300;

// A column at work.
typedef struct Column {
    int length;
    const int *row;
    double *value; // unscaled until its pivot is known
    double *diagonal;
} Column;

static inline Column column_of(const KalLdl *ldl, int k)
{
    const int begin = ldl->start[k];
    return (Column){ldl->start[k + 1] - begin, ldl->row + begin, ldl->value + begin,
                    ldl->value + ldl->start[ldl->n] + k};
}

// Take from the long columns before column k what they have for it.  Those that have an
// entry in row k are on its way; `next` says where in them row k is.  Returns what masses
// among them take from the diagonal.
static double pull(KalLdl *ldl, int k)
{
    assert(ldl->pulls[k]);
    double *restrict y = ldl->work;
    const Column c = column_of(ldl, k);
    double by_masses = 0.0;
    for (int p = 0; p < c.length; p++) {
        y[c.row[p]] = c.value[p];
    }
    for (int p = ldl->row_start[k]; p < ldl->row_start[k + 1]; p++) {
        const int i = ldl->row_column[p];
        const Column before = column_of(ldl, i);
        if (before.length <= SHORT) {
            continue;
        }
        const int at = ldl->next[i]++ - ldl->start[i];
        assert(before.row[at] == k);
        const double entry = before.value[at];
        const double whole = entry != 0.0 ? entry * *before.diagonal : 0.0;
        for (int q = at + 1; q < before.length; q++) {
            y[before.row[q]] -= before.value[q] * whole;
        }
        *c.diagonal -= entry * whole;
        by_masses += i < ldl->masses ? entry * whole : 0.0;
    }
    for (int p = 0; p < c.length; p++) {
        c.value[p] = y[c.row[p]];
        y[c.row[p]] = 0.0;
    }
    return by_masses;
}

// Divide a short column by its pivot, and change what is below and to the right of it: the
// product of each two of its entries goes to its target.
static inline void spread_column(double *restrict all, const Column *c,
                                 const int *restrict target, double inverse, int length)
{
    double whole[SHORT];
    double scaled[SHORT];
    for (int p = 0; p < length; p++) {
        whole[p] = c->value[p];
        scaled[p] = whole[p] * inverse;
        c->value[p] = scaled[p];
    }
    for (int r = 0, t = 0; r < length; r++) {
        for (int s = 0; s <= r; s++, t++) {
            all[target[t]] -= scaled[r] * whole[s];
        }
    }
}

// The lengths that chains and trees have become code without loops.
static inline void spread(double *all, const Column *c, const int *target,
                          double inverse)
{
    switch (c->length) {
    case 0: break;
    case 1: spread_column(all, c, target, inverse, 1); break;
    case 2: spread_column(all, c, target, inverse, 2); break;
    case 3: spread_column(all, c, target, inverse, 3); break;
    case 4: spread_column(all, c, target, inverse, 4); break;
    default: spread_column(all, c, target, inverse, c->length); break;
    }
}

// Be done with the column at place k.  Returns how many targets it has used.
static inline int finish_column(KalLdl *ldl, int k)
{
    const Column c = column_of(ldl, k);
    if (c.length <= SHORT) {
        spread(ldl->value, &c, ldl->target + ldl->next_target, ldl->inverse[k]);
        return c.length * (c.length + 1) / 2;
    }
    for (int p = 0; p < c.length; p++) {
        c.value[p] *= ldl->inverse[k];
    }
    return 0;
}

// Rounding of the tie at place k grows in the rows that it is in.
static inline void spread_doubt(KalLdl *ldl, int k)
{
    const Column c = column_of(ldl, k);
    const double reach = ldl->reach[k];
    for (int p = 0; p < c.length; p++) {
        ldl->reach[c.row[p]] += c.value[p] * c.value[p] * reach;
    }
}

// A queue from which the last place comes first: a heap.
typedef struct Queue {
    int *places;
    int n;
} Queue;

static void swap(int *x, int *y)
{
    const int kept = *x;
    *x = *y;
    *y = kept;
}

static void push(Queue *queue, int place)
{
    assert(queue->n >= 0);
    int at = queue->n++;
    queue->places[at] = place;
    while (at > 0 && queue->places[at] > queue->places[(at - 1) / 2]) {
        swap(&queue->places[at], &queue->places[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static int pop(Queue *queue)
{
    assert(queue->n > 0);
    const int place = queue->places[0];
    queue->places[0] = queue->places[--queue->n];
    for (int at = 0, child = 1; child < queue->n; child = 2 * at + 1) {
        const int right = child + 1;
        child += right < queue->n && queue->places[right] > queue->places[child];
        if (queue->places[child] <= queue->places[at]) {
            break;
        }
        swap(&queue->places[child], &queue->places[at]);
        at = child;
    }
    return place;
}

// Add `factor` times the part of row k of L that is in ties.
static void add_row(KalLdl *ldl, int k, double factor, Queue *queue)
{
    for (int p = ldl->row_start[k + 1]; p-- > ldl->row_start[k];) {
        const int i = ldl->row_column[p];
        if (i < ldl->masses) {
            break; // masses are eliminated first
        }
        ldl->work[i] += factor * ldl->value[position_of(ldl, k, i)];
        if (!ldl->waits[i]) {
            ldl->waits[i] = true;
            push(queue, i);
        }
    }
}

// Take the last place from the queue, and the factor that waits there.
static int take(KalLdl *ldl, Queue *queue, double *out_factor)
{
    const int i = pop(queue);
    *out_factor = ldl->work[i];
    ldl->work[i] = 0.0;
    ldl->waits[i] = false;
    assert(ldl->order[i] >= ldl->masses && ldl->order[i] < ldl->n);
    return i;
}

// With L and D of the ties that count, and l the row of L of the tie in question, L D Lᵀ x =
// L D l: so Lᵀ x = l, from the last unknown to the first.
int kal_ldl_combine(KalLdl *ldl, int tie, double least, int *out_ties,
                    double *out_factors)
{
    assert(tie >= ldl->masses && tie < ldl->n);
    Queue queue = {ldl->queue, 0};
    int count = 0;
    add_row(ldl, ldl->place[tie], 1.0, &queue);
    while (queue.n > 0) {
        double x = 0.0;
        const int i = take(ldl, &queue, &x);
        const int other = ldl->order[i];
        if (x * x * ldl->from[other] > least * least * ldl->from[tie]) {
            out_ties[count++] = other;
            out_factors[other] = x;
            add_row(ldl, i, -x, &queue);
        }
    }
    return count;
}

// What rounding of the rows before a tie is magnified to in its pivot, but for ε: factors
// are exact for a matrix that differs by ε √(from from') in each entry, and the pivot is
// (−x, 1) times it from both sides.
static double find_doubt(KalLdl *ldl, int tie)
{
    Queue queue = {ldl->queue, 0};
    double size = sqrt(ldl->from[tie]);
    add_row(ldl, ldl->place[tie], 1.0, &queue);
    while (queue.n > 0) {
        double x = 0.0;
        const int i = take(ldl, &queue, &x);
        if (x * x * ldl->from[ldl->order[i]] > LITTLE * ldl->from[tie]) {
            size += fabs(x) * sqrt(ldl->from[ldl->order[i]]);
            add_row(ldl, i, -x, &queue);
        }
    }
    return size * size;
}

// Whether the pivot of a tie, of which so much is left, is more than what rounding can have
// made of it.  The growth from row to row, `reach` so far, is found at no cost but counts
// terms that cancel; where it says no, the combination itself tells, and what that gives is
// known to the rows below.
static bool is_sound(KalLdl *ldl, int k, double left)
{
    const int tie = ldl->order[k];
    if (left > CLEAR * ldl->from[tie] || left > ROUNDING * ldl->reach[k]) {
        return true;
    }
    ldl->reach[k] = fmin(ldl->reach[k], find_doubt(ldl, tie));
    return left > ROUNDING * ldl->reach[k];
}

// A pivot counts if it has the sign of its kind, is not small relative to what it came
// from and, for a tie, is not the rounding of the ties before it.  With the inverse 0
// for pivots that do not count, an unknown that is left out changes no row below.
static int eliminate_masses(KalLdl *ldl, const double *least)
{
    const double *diagonal = ldl->value + ldl->start[ldl->n];
    int left_out = 0;
    for (int k = 0; k < ldl->masses; k++) {
        ldl->from[ldl->order[k]] = diagonal[k];
    }
    for (int k = 0; k < ldl->masses; k++) {
        const int unknown = ldl->order[k];
        const double from = ldl->from[unknown];
        if (ldl->pulls[k]) {
            pull(ldl, k);
        }
        const double pivot = diagonal[k];
        const double ratio = !(from > 0.0) ? 0.0 : pivot == from ? 1.0 : pivot / from;
        const bool counts = ratio > fabs(least[unknown]);
        ldl->ratio[unknown] = ratio;
        ldl->inverse[k] = counts ? 1.0 / pivot : 0.0;
        left_out += !counts;
        ldl->next_target += finish_column(ldl, k);
    }
    return left_out;
}

// The same for ties, which come from what all masses have given them.
static int eliminate_ties(KalLdl *ldl, const double *least)
{
    const double *diagonal = ldl->value + ldl->start[ldl->n];
    int left_out = 0;
    for (int k = ldl->masses; k < ldl->n; k++) {
        ldl->from[ldl->order[k]] = -diagonal[k];
        ldl->reach[k] = 0.0;
    }
    for (int k = ldl->masses; k < ldl->n; k++) {
        const int unknown = ldl->order[k];
        ldl->from[unknown] += ldl->pulls[k] ? pull(ldl, k) : 0.0;
        const double from = ldl->from[unknown];
        const double pivot = diagonal[k];
        const double ratio = from > 0.0 ? -pivot / from : 0.0;
        const double low = least[unknown];
        const bool counts =
            ratio > fabs(low) && (low < 0.0 || is_sound(ldl, k, -pivot));
        const double reach = from + ldl->reach[k];
        ldl->ratio[unknown] = ratio;
        ldl->reach[k] = reach < NO_END ? reach : NO_END;
        ldl->inverse[k] = counts ? 1.0 / pivot : 0.0;
        left_out += !counts;
        ldl->next_target += finish_column(ldl, k);
        spread_doubt(ldl, k);
    }
    return left_out;
}

int kal_ldl_factor(KalLdl *ldl, const double *values, const double *least)
{
    assert(ldl->ctx && ldl->n >= ldl->masses);
    assert(values || ldl->n_entries == 0);
    set_values(ldl, values);
    ldl->next_target = 0;
    if (ldl->n_targets < ldl->operations) {
        memcpy(ldl->next, ldl->start, (size_t)ldl->n * sizeof *ldl->next);
    }
    const int masses = eliminate_masses(ldl, least);
    return masses + eliminate_ties(ldl, least);
}

// L y = x, then D, then Lᵀ, in the order of elimination.  Unknowns that are left out
// are zero throughout.
void kal_ldl_solve(KalLdl *ldl, double *x)
{
    assert(ldl->ctx && x);
    assert(x != ldl->solution);
    double *restrict y = ldl->solution;
    const int *restrict start = ldl->start;
    const int *restrict row = ldl->row;
    const double *restrict value = ldl->value;
    const double *restrict inverse = ldl->inverse;
    const int n = ldl->n;
    for (int k = 0; k < n; k++) {
        y[k] = x[ldl->order[k]];
    }
    for (int k = 0, p = 0; k < n; k++) {
        const double yk = inverse[k] != 0.0 ? y[k] : 0.0;
        for (const int end = start[k + 1]; p < end; p++) {
            y[row[p]] -= value[p] * yk;
        }
        y[k] = yk * inverse[k];
    }
    for (int k = n - 1, p = start[n]; k >= 0; k--) {
        double sum = y[k];
        for (const int begin = start[k]; p > begin; p--) {
            sum -= value[p - 1] * y[row[p - 1]];
        }
        y[k] = inverse[k] != 0.0 ? sum : 0.0;
        x[ldl->order[k]] = y[k];
    }
}

// SPDX-License-Identifier: MIT

// The analysis finds the structure of L once: the elimination tree and the rows of L as
// paths in it (J. W. H. Liu, The role of elimination trees in sparse factorization,
// SIAM J. Matrix Anal. Appl. 11 (1990)).  The parent of column i is the first row below
// the diagonal in which column i of L has an entry.  Row k of L has entries in the
// columns on the paths from the entries of row k of the matrix up to k, so that walking
// these paths, each place once, costs as much as the row has entries.
//
// A factorization is up-looking: row k of L solves a triangular system with the rows
// above it.  `filled` says how far each column is written when row k is at work: to all
// rows below k, which is all that row k needs.
//
// What holds between calls: `order` and `place` are permutations, inverse to each
// other, masses before ties; rows rise within a column of L and columns within a row;
// `work` is zero and nothing waits.

#include "sparse/ldl.h"

#include "sparse/degree.h"

#include <assert.h>
#include <float.h>
#include <math.h>
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
    KalCouplings couplings;
    int64_t n_couplings;
    int *parent; // n: of the elimination tree; −1: none
    int *mark;   // n
    int64_t *next;
} Analysis;

static void lay_out_couplings(KalCarver *carver, void *owner)
{
    Analysis *a = owner;
    const size_t n = (size_t)a->ldl->n;
    a->couplings.start = kal_carve(carver, n + 1, sizeof *a->couplings.start);
    a->couplings.other = kal_carve_ints(carver, 2 * a->ldl->n_entries);
    a->parent = kal_carve_ints(carver, n);
    a->mark = kal_carve_ints(carver, n);
    a->next = kal_carve(carver, n + 1, sizeof *a->next);
}

static void lay_out_matrix(KalCarver *carver, void *owner)
{
    KalLdl *ldl = owner;
    const size_t n = (size_t)ldl->n;
    ldl->slot = kal_carve(carver, ldl->n_entries, sizeof *ldl->slot);
    ldl->order = kal_carve_ints(carver, n);
    ldl->place = kal_carve_ints(carver, n);
    ldl->upper_start = kal_carve(carver, n + 1, sizeof *ldl->upper_start);
    ldl->upper_row = kal_carve_ints(carver, ldl->n_entries + n);
    ldl->upper_value = kal_carve_doubles(carver, ldl->n_entries + n, 1);
    ldl->start = kal_carve(carver, n + 1, sizeof *ldl->start);
    ldl->row_start = kal_carve(carver, n + 1, sizeof *ldl->row_start);
    ldl->filled = kal_carve(carver, n, sizeof *ldl->filled);
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
    ldl->value = kal_carve_doubles(carver, count, 1);
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

// Entries above the diagonal become slots, one for each value that is given; the last slot
// of a column is for its diagonal.
static void find_slots(Analysis *a)
{
    KalLdl *ldl = a->ldl;
    for (size_t e = 0; e < ldl->n_entries; e++) {
        const KalLdlEntry entry = reorder(ldl, a->entries[e]);
        ldl->upper_start[entry.column] += entry.row != entry.column;
    }
    for (int k = 0; k < ldl->n; k++) {
        ldl->upper_start[k]++;
    }
    (void)sum_up(ldl->upper_start, ldl->n);
    memcpy(a->next, ldl->upper_start, ((size_t)ldl->n + 1) * sizeof *a->next);
    for (size_t e = 0; e < ldl->n_entries; e++) {
        const KalLdlEntry entry = reorder(ldl, a->entries[e]);
        const bool diagonal = entry.row == entry.column;
        const int64_t slot =
            diagonal ? ldl->upper_start[entry.column + 1] - 1 : a->next[entry.column]++;
        ldl->upper_row[slot] = entry.row;
        ldl->slot[e] = slot;
    }
    for (int k = 0; k < ldl->n; k++) {
        ldl->upper_row[ldl->upper_start[k + 1] - 1] = k;
    }
}

// Walk the elimination tree from each entry of column k up to what was seen: the columns
// on the way are those of row k of L.  They are counted, or row k is written to them.
static void walk(Analysis *a, int k, bool write)
{
    KalLdl *ldl = a->ldl;
    a->mark[k] = k;
    for (int64_t p = ldl->upper_start[k]; p < ldl->upper_start[k + 1] - 1; p++) {
        for (int i = ldl->upper_row[p]; a->mark[i] != k; i = a->parent[i]) {
            assert(i >= 0 && i < k);
            a->mark[i] = k;
            if (write) {
                ldl->row[a->next[i]++] = k;
                continue;
            }
            ldl->start[i]++;
            ldl->row_start[k]++;
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
        const int64_t length = ldl->start[k + 1] - ldl->start[k];
        ldl->operations += length * (length + 1) / 2;
    }
}

// Columns of L by the walks, then its rows from the columns, in rising order.
static KalStatus find_factor(Analysis *a, int64_t most)
{
    KalLdl *ldl = a->ldl;
    const size_t starts = ((size_t)ldl->n + 1) * sizeof *ldl->start;
    walk_all(a, false);
    const int64_t count = sum_up(ldl->start, ldl->n);
    assert(count >= 0);
    (void)sum_up(ldl->row_start, ldl->n);
    if (count > most) {
        return kal_fail(
            ldl->ctx, KAL_ERR_LIMIT,
            "the factors of a sparse system have %lld entries; %lld are the "
            "most",
            (long long)count, (long long)most);
    }
    KAL_TRY(kal_workspace_make(ldl->ctx, "for sparse factors", lay_out_factor, ldl,
                               &ldl->numbers));
    memcpy(a->next, ldl->start, starts);
    walk_all(a, true);
    memcpy(a->next, ldl->row_start, starts);
    for (int i = 0; i < ldl->n; i++) {
        for (int64_t p = ldl->start[i]; p < ldl->start[i + 1]; p++) {
            ldl->row_column[a->next[ldl->row[p]]++] = i;
        }
    }
    count_operations(ldl);
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
    find_slots(a);
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
    memset(ldl->upper_value, 0, (size_t)ldl->upper_start[ldl->n] * sizeof(double));
    for (size_t e = 0; e < ldl->n_entries; e++) {
        ldl->upper_value[ldl->slot[e]] += values[e];
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

// What the pivot of a row is made of.
typedef struct Pivot {
    double value;
    double from; // what masses give it, or the diagonal has
    double
        doubt; // Σ |l| √from over the ties before: what their rounding is magnified to
} Pivot;

// Row k of L, and what is left of its diagonal.
static Pivot eliminate_row(KalLdl *ldl, int k, bool tie)
{
    assert(k >= 0 && k < ldl->n);
    double *restrict y = ldl->work;
    const int64_t last = ldl->upper_start[k + 1] - 1;
    assert(last >= ldl->upper_start[k]);
    for (int64_t p = ldl->upper_start[k]; p < last; p++) {
        y[ldl->upper_row[p]] += ldl->upper_value[p];
    }
    Pivot pivot = {ldl->upper_value[last],
                   tie ? -ldl->upper_value[last] : ldl->upper_value[last], 0.0};
    for (int64_t p = ldl->row_start[k]; p < ldl->row_start[k + 1]; p++) {
        const int i = ldl->row_column[p];
        const double yi = y[i];
        const double entry = yi * ldl->inverse[i];
        const double part = yi * entry;
        const int64_t end = ldl->filled[i]++;
        assert(end < ldl->start[i + 1] && ldl->row[end] == k);
        y[i] = 0.0;
        for (int64_t s = ldl->start[i]; s < end; s++) {
            y[ldl->row[s]] -= ldl->value[s] * yi;
        }
        ldl->value[end] = entry;
        pivot.value -= part;
        pivot.from += tie && part > 0.0 ? part : 0.0;
        pivot.doubt += entry * entry * ldl->reach[i];
    }
    return pivot;
}

// The same for a row that has no entry of L.
static Pivot diagonal_alone(const KalLdl *ldl, int k, bool tie)
{
    const double value = ldl->upper_value[ldl->upper_start[k + 1] - 1];
    return (Pivot){value, tie ? -value : value, 0.0};
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

// The entry of L in a row and a column that has it.
static double entry_at(const KalLdl *ldl, int row, int column)
{
    assert(column >= 0 && column < row);
    assert(ldl->start[column] < ldl->start[column + 1]);
    int64_t low = ldl->start[column];
    int64_t high = ldl->start[column + 1] - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ldl->row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert(ldl->row[low] == row);
    return ldl->value[low];
}

// Add `factor` times the part of row k of L that is in ties.
static void add_row(KalLdl *ldl, int k, double factor, Queue *queue)
{
    for (int64_t p = ldl->row_start[k + 1]; p-- > ldl->row_start[k];) {
        const int i = ldl->row_column[p];
        if (i < ldl->masses) {
            break; // masses are eliminated first
        }
        ldl->work[i] += factor * entry_at(ldl, k, i);
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
// made of it.  The growth from row to row is found at no cost but counts terms that cancel;
// where it says no, the combination itself tells, and what that gives is known to the rows
// below.
static bool is_sound(KalLdl *ldl, int k, Pivot *pivot, double left)
{
    if (left > CLEAR * pivot->from || left > ROUNDING * pivot->doubt) {
        return true;
    }
    pivot->doubt = fmin(pivot->doubt, find_doubt(ldl, ldl->order[k]));
    return left > ROUNDING * pivot->doubt;
}

// A pivot counts if it has the sign of its kind, is not small relative to what it came
// from and, for a tie, is not the rounding of the ties before it.  With the inverse 0
// for pivots that do not count, an unknown that is left out changes no row below.
int kal_ldl_factor(KalLdl *ldl, const double *values, const double *least)
{
    assert(ldl->ctx && ldl->n >= ldl->masses);
    assert(values || ldl->n_entries == 0);
    int left_out = 0;
    set_values(ldl, values);
    memset(ldl->reach, 0, (size_t)ldl->n * sizeof *ldl->reach);
    memcpy(ldl->filled, ldl->start, (size_t)ldl->n * sizeof *ldl->filled);
    for (int k = 0; k < ldl->n; k++) {
        const int unknown = ldl->order[k];
        const bool tie = unknown >= ldl->masses;
        const bool alone = ldl->row_start[k] == ldl->row_start[k + 1];
        Pivot pivot = alone ? diagonal_alone(ldl, k, tie) : eliminate_row(ldl, k, tie);
        const double left = tie ? -pivot.value : pivot.value;
        const double ratio = pivot.from > 0.0 ? left / pivot.from : 0.0;
        ldl->from[unknown] = pivot.from;
        const bool counts =
            ratio > fabs(least[unknown])
            && (!tie || least[unknown] < 0.0 || is_sound(ldl, k, &pivot, left));
        ldl->reach[k] = tie ? fmin(pivot.from + pivot.doubt, NO_END) : 0.0;
        ldl->ratio[unknown] = ratio;
        ldl->inverse[k] = counts ? 1.0 / pivot.value : 0.0;
        left_out += !counts;
    }
    return left_out;
}

// L y = x, then D, then Lᵀ, in the order of elimination.  Unknowns that are left out
// are zero throughout.
void kal_ldl_solve(KalLdl *ldl, double *x)
{
    assert(ldl->ctx && x);
    assert(x != ldl->solution);
    double *restrict y = ldl->solution;
    const int *restrict row = ldl->row;
    const double *restrict value = ldl->value;
    const int n = ldl->n;
    for (int k = 0; k < n; k++) {
        y[k] = x[ldl->order[k]];
    }
    for (int k = 0; k < n; k++) {
        const double yk = ldl->inverse[k] != 0.0 ? y[k] : 0.0;
        const int64_t end = ldl->start[k + 1];
        for (int64_t p = ldl->start[k]; p < end; p++) {
            y[row[p]] -= value[p] * yk;
        }
        y[k] = yk * ldl->inverse[k];
    }
    int64_t p = ldl->start[n];
    for (int k = n - 1; k >= 0; k--) {
        double sum = y[k];
        for (const int64_t begin = ldl->start[k]; p > begin; p--) {
            sum -= value[p - 1] * y[row[p - 1]];
        }
        y[k] = ldl->inverse[k] != 0.0 ? sum : 0.0;
        x[ldl->order[k]] = y[k];
    }
}

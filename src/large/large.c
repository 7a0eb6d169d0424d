// SPDX-License-Identifier: MIT

// The matrix K = [M Aᵀ; A 0] and its factors.
//
// Where M alone is singular, rows lend it their weight: M + AᵀWA and Q + AᵀWb have the
// same accelerations and multipliers (theory (3.6)).  Not all rows do, for each couples
// all its coordinates with each other: a coordinate whose pivot vanishes asks the row with
// the fewest entries of those it is in, then the next, until none vanishes.  For a
// quaternion that is the row that holds its length, with four entries.

#include "base/processor.h"
#include "large/large_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 4, // in which rows and coordinates tell each other of masses
    FEW = 32,  // entries of a row
    SWEEPS = 2 // over rows and columns, to find units of both
};

// Entries of A below this, in units in which every row and every column has a largest entry of
// about 1, have no say in masses; no column is raised by more than the other.
static const double NEXT_TO_NOTHING = 0x1p-8;
static const double MOST_RAISED = 0x1p14;

// Entries of the factors that there may be: 16 bytes each.
static const int64_t MOST_ENTRIES = INT64_C(1) << 28;
// Pivots of M below this, relative to the diagonal, are rounding: no mass.
static const double NO_MASS = 0x1p-44;
// Pivots of M below this may be rounding that the pivots before it have made larger: rows lend
// them their weight, which changes no answer.
static const double HARDLY_MASS = 0x1p-24;
// Squares of sines below this may be rounding: the row is looked at again.
static const double SUSPECT = 0x1p-34;
// Rows that are known not to depend on others may be as near to them.
static const double NEAR = 0x1p-46;

static void lay_out(KalCarver *carver, void *owner)
{
    KalLarge *l = owner;
    const size_t n = (size_t)l->n;
    const size_t m = (size_t)l->m;
    l->metric.lends = kal_carve_bools(carver, m);
    l->metric.weights = kal_carve_doubles(carver, m, 1);
    l->metric.row_unit = kal_carve_doubles(carver, m, 1);
    l->metric.column_unit = kal_carve_doubles(carver, n, 1);
    l->factors.least = kal_carve_doubles(carver, n + m, 1);
    l->metric.mass = kal_carve_doubles(carver, n, 1);
    l->metric.unit = kal_carve_doubles(carver, n, 1);
    l->metric.per_unit = kal_carve_doubles(carver, n, 1);
    l->metric.length = kal_carve_doubles(carver, m, 1);
    l->x = kal_carve_doubles(carver, n + m, 1);
    l->missing = kal_carve_doubles(carver, n + m, 1);
    l->size = kal_carve_doubles(carver, n + m, 1);
    l->found.qdd = kal_carve_doubles(carver, n, 1);
    l->found.lambda = kal_carve_doubles(carver, m, 1);
    l->total_q = kal_carve_doubles(carver, n, 1);
    l->total_l = kal_carve_doubles(carver, m, 1);
    l->found.ideal = kal_carve_doubles(carver, n, 1);
    l->found.nonideal = kal_carve_doubles(carver, n, 1);
    l->found.indeterminate = kal_carve_bools(carver, n);
    l->found.set = kal_carve_ints(carver, m);
    l->sets.parent = kal_carve_ints(carver, m);
    l->sets.ties = kal_carve_ints(carver, m);
    l->sets.factors = kal_carve_doubles(carver, n + m, 1);
    l->sets.rest = kal_carve_doubles(carver, n, 1);
    l->blamed = kal_carve_ints(carver, n + m);
}

static KalStatus add_entry(KalLarge *l, int row, int column)
{
    assert(row >= 0 && row < l->n + l->m);
    assert(column >= 0 && column < l->n + l->m);
    const KalLdlEntry entry = {row, column};
    const double none = 0.0;
    KAL_TRY(kal_block_add(l->ctx, &l->factors.values, &none, sizeof none));
    return kal_block_add(l->ctx, &l->factors.entries, &entry, sizeof entry);
}

static KalStatus add_shape(KalLarge *l, const KalRowPattern *shape, int first_row)
{
    assert(first_row == 0 || first_row == l->n);
    KalStatus status = KAL_OK;
    for (int i = 0; i < shape->rows; i++) {
        for (int64_t k = shape->start[i]; k < shape->start[i + 1] && status == KAL_OK;
             k++) {
            status = add_entry(l, first_row + i, (int)shape->column[k]);
        }
    }
    return status;
}

// The coordinates of a row that lends, each with each.
static KalStatus add_pairs(KalLarge *l, int i)
{
    assert(l->metric.lends[i]);
    const KalRowPattern *A = &l->shape.A;
    KalStatus status = KAL_OK;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        for (int64_t j = A->start[i]; j <= k && status == KAL_OK; j++) {
            status = add_entry(l, (int)A->column[k], (int)A->column[j]);
        }
    }
    return status;
}

// The diagonal of ties, then what rows lend.
static KalStatus add_ties(KalLarge *l)
{
    KalStatus status = KAL_OK;
    for (int i = 0; i < l->m && status == KAL_OK; i++) {
        status = add_entry(l, l->n + i, l->n + i);
    }
    for (int i = 0; i < l->m && status == KAL_OK; i++) {
        status = l->metric.lends[i] ? add_pairs(l, i) : KAL_OK;
    }
    return status;
}

// Analyze K with the rows that lend now.
static KalStatus analyze_whole(KalLarge *l)
{
    KAL_TRY(add_shape(l, &l->shape.M, 0));
    KAL_TRY(add_shape(l, &l->shape.A, l->n));
    KAL_TRY(add_ties(l));
    assert(l->factors.values.size / sizeof(double)
           == l->factors.entries.size / sizeof(KalLdlEntry));
    const KalLdlShape shape = {
        .n = l->n + l->m,
        .masses = l->n,
        .entries = (const KalLdlEntry *)l->factors.entries.data,
        .n_entries = l->factors.entries.size / sizeof(KalLdlEntry),
    };
    return kal_ldl_init(&l->factors.ldl, l->ctx, &shape, MOST_ENTRIES);
}

// Find the structure of the factors: of A M⁻¹Aᵀ where M is a diagonal of masses, else of K.
static KalStatus analyze(KalLarge *l)
{
    l->factors.analyzed = false;
    l->factors.entries.size = 0;
    l->factors.values.size = 0;
    kal_ldl_clear(&l->factors.ldl);
    kal_schur_clear(l);
    l->schur.used = !l->metric.massless && kal_schur_suits(l);
    l->factors.first_tie = l->schur.used ? 0 : l->n;
    KAL_TRY(l->schur.used ? kal_schur_init(l, MOST_ENTRIES) : analyze_whole(l));
    l->factors.analyzed = true;
    return KAL_OK;
}

static KalStatus init(KalLarge *l)
{
    KAL_TRY(
        kal_workspace_make(l->ctx, "for a large system", lay_out, l, &l->workspace));
    for (int j = 0; j < l->n; j++) {
        l->factors.least[j] = NO_MASS;
    }
    return analyze(l);
}

static bool is_diagonal(const KalRowPattern *M)
{
    bool diagonal = M->start[M->rows] == M->rows;
    for (int i = 0; i < M->rows && diagonal; i++) {
        diagonal = M->start[i] == i && M->column[i] == i;
    }
    return diagonal;
}

KalStatus kal_large_create(KalContext *ctx, const KalLargeShape *shape,
                           KalLarge **out_large)
{
    assert(ctx && shape && out_large);
    assert(shape->n >= 0 && shape->m >= 0);
    KalLarge *l = KAL_NEW(ctx, KalLarge);
    if (!l) {
        return kal_no_memory(ctx, "for a large system");
    }
    l->ctx = ctx;
    l->shape = *shape;
    l->n = shape->n;
    l->m = shape->m;
    l->factors.n_M = (size_t)shape->M.start[shape->n];
    l->factors.n_A = (size_t)shape->A.start[shape->m];
    l->metric.diagonal = is_diagonal(&shape->M);
    l->metric.rank_M = l->n;
    l->passes = kal_passes();
    const KalStatus status = init(l);
    if (status != KAL_OK) {
        kal_large_destroy(l);
        return status;
    }
    *out_large = l;
    return KAL_OK;
}

void kal_large_destroy(KalLarge *l)
{
    if (!l) {
        return;
    }
    kal_ldl_clear(&l->factors.ldl);
    kal_schur_clear(l);
    kal_block_clear(l->ctx, &l->factors.values);
    kal_block_clear(l->ctx, &l->factors.entries);
    kal_workspace_clear(l->ctx, &l->workspace);
    kal_free(l->ctx, l, sizeof *l);
}

KalLargeFactoring kal_large_factoring(const KalLarge *l)
{
    assert(l->factors.analyzed);
    return (KalLargeFactoring){.factors = &l->factors.ldl,
                               .of_ties = l->schur.used,
                               .start = l->schur.start,
                               .row = l->schur.row,
                               .entry = l->schur.entry,
                               .lends = l->metric.lends,
                               .n_lends = l->metric.n_lends};
}

int64_t kal_large_entries(const KalLarge *l)
{
    assert(l->factors.analyzed);
    return l->factors.ldl.start[l->factors.ldl.n];
}

KalMotionFault kal_large_fault(const KalLarge *l)
{
    return l->fault;
}

const double *kal_large_masses(const KalLarge *l)
{
    return l->metric.mass;
}

const double *kal_large_lengths(const KalLarge *l)
{
    return l->metric.length;
}

KalLargeNames kal_large_names(const KalLarge *l, bool constraints, const int *indices,
                              int count)
{
    assert(count >= 0 && (indices || count == 0));
    const char *const *names =
        constraints ? l->shape.constraints : l->shape.coordinates;
    KalLargeNames list = {""};
    size_t used = 0;
    int i = 0;
    for (; i < count && used + 60 < sizeof list.text; i++) {
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%.40s",
                                 i > 0 ? ", " : "", names[indices[i]]);
    }
    if (i < count && used < sizeof list.text) {
        (void)snprintf(list.text + used, sizeof list.text - used, " and %d more",
                       count - i);
    }
    return list;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

// The upper median; x is sorted.  Most rows are short, and insertion takes least time.
static double median(double *x, int count)
{
    if (count > FEW) {
        qsort(x, (size_t)count, sizeof *x, compare_doubles);
    }
    for (int k = 1; k < count && count <= FEW; k++) {
        const double next = x[k];
        int at = k;
        for (; at > 0 && x[at - 1] > next; at--) {
            x[at] = x[at - 1];
        }
        x[at] = next;
    }
    return x[count / 2];
}

// 1 by the largest entry of row i in the units of columns; 1 for an empty row.
static double unit_of_row(const KalLarge *l, const KalLargeProblem *p, int i)
{
    const KalRowPattern *A = &l->shape.A;
    double largest = 0.0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        largest = fmax(largest, fabs(p->A[k]) * l->metric.column_unit[A->column[k]]);
    }
    return largest > 0.0 ? 1.0 / largest : 1.0;
}

// The same for all columns, in the units of the rows that act.
static void find_column_units(KalLarge *l, const KalLargeProblem *p)
{
    const KalRowPattern *A = &l->shape.A;
    double *unit = l->metric.column_unit;
    memset(unit, 0, (size_t)l->n * sizeof *unit);
    for (int i = 0; i < l->m; i++) {
        for (int64_t k = A->start[i]; p->active[i] && k < A->start[i + 1]; k++) {
            double *largest = &unit[A->column[k]];
            *largest = fmax(*largest, fabs(p->A[k]) * l->metric.row_unit[i]);
        }
    }
    for (int j = 0; j < l->n; j++) {
        unit[j] = unit[j] > 0.0 ? fmin(1.0 / unit[j], MOST_RAISED) : 1.0;
    }
}

// Units in which the largest entry of every row and column is about 1 (theory (3.7)).
static void equilibrate(KalLarge *l, const KalLargeProblem *p)
{
    for (int j = 0; j < l->n; j++) {
        l->metric.column_unit[j] = 1.0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < l->m; i++) {
            l->metric.row_unit[i] = unit_of_row(l, p, i);
        }
        find_column_units(l, p);
    }
}

// Whether entry k of A, in row i, has a say in masses: what is but rounding would say far too
// much, and by turns more and more.
static bool has_say(const KalLarge *l, const KalLargeProblem *p, int i, int64_t k)
{
    return fabs(p->A[k]) * l->metric.row_unit[i]
               * l->metric.column_unit[l->shape.A.column[k]]
           >= NEXT_TO_NOTHING;
}

// What the coordinates of row i say of its weight, in the middle; 0: nothing.  Each
// coordinate says the mass that would resist the row if it moved alone.  The median is
// what one very heavy or very light coordinate cannot change.
static double said_of(const KalLarge *l, const KalLargeProblem *p, int i)
{
    assert(i >= 0 && i < l->m);
    const KalRowPattern *A = &l->shape.A;
    double *said = l->x; // n + m
    int count = 0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        const double weight = l->metric.mass[A->column[k]] / (p->A[k] * p->A[k]);
        if (weight > 0.0 && isfinite(weight) && has_say(l, p, i, k)) {
            said[count++] = weight;
        }
    }
    return count > 0 ? median(said, count) : 0.0;
}

// Masses as rows share them: what a row says of its coordinates, a quarter of it.
static void share_masses(KalLarge *l, const KalLargeProblem *p)
{
    const KalRowPattern *A = &l->shape.A;
    for (int i = 0; i < l->m; i++) {
        const double weight = p->active[i] ? said_of(l, p, i) : 0.0;
        l->metric.weights[i] = weight;
    }
    for (int i = 0; i < l->m; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            if (has_say(l, p, i, k)) {
                double *mass = &l->metric.mass[A->column[k]];
                *mass = fmax(*mass, 0.25 * l->metric.weights[i] * p->A[k] * p->A[k]);
            }
        }
    }
}

// The mass that resists each row that lends, by turns, theory (3.7); others have none.
// Where nobody knows any mass, the row decides.
static void find_weights(KalLarge *l, const KalLargeProblem *p)
{
    const KalRowPattern *A = &l->shape.A;
    equilibrate(l, p);
    for (int turn = 0; turn < TURNS; turn++) {
        share_masses(l, p);
    }
    for (int i = 0; i < l->m; i++) {
        const bool lends = l->metric.lends[i] && p->active[i];
        double lightness = 0.0;
        double squares = 0.0;
        for (int64_t k = A->start[i]; lends && k < A->start[i + 1]; k++) {
            const double square = p->A[k] * p->A[k];
            const double mass = l->metric.mass[A->column[k]];
            lightness += mass > 0.0 ? square / mass : 0.0;
            squares += square;
        }
        const double weight = lightness > 0.0 ? 1.0 / lightness : 1.0 / squares;
        assert(!(weight < 0.0));
        l->metric.weights[i] = lends && isfinite(weight) ? weight : 0.0;
    }
}

// The diagonal of M itself.
static void take_masses(KalLarge *l, const KalLargeProblem *p)
{
    const KalRowPattern *M = &l->shape.M;
    for (int i = 0; i < l->n; i++) {
        const int64_t last = M->start[i + 1] - 1;
        const bool any = last >= M->start[i] && M->column[last] == i;
        l->metric.mass[i] = any ? p->M[last] : 0.0;
    }
}

// w aᵀa of the rows that lend; mass becomes the diagonal with it.  The values are
// written in the order in which add_ties() listed the entries.
static void lend(KalLarge *l, const KalLargeProblem *p, double *value)
{
    assert(l->metric.n_lends >= 0 && l->metric.n_lends <= l->m);
    const KalRowPattern *A = &l->shape.A;
    if (l->metric.n_lends == 0) {
        return;
    }
    find_weights(l, p);
    take_masses(l, p);
    for (int i = 0; i < l->m; i++) {
        for (int64_t k = A->start[i]; l->metric.lends[i] && k < A->start[i + 1]; k++) {
            for (int64_t j = A->start[i]; j <= k; j++) {
                *value++ = l->metric.weights[i] * p->A[k] * p->A[j];
            }
            l->metric.mass[A->column[k]] += l->metric.weights[i] * p->A[k] * p->A[k];
        }
    }
}

// What damping is measured by.
double kal_large_rough_square(const KalLarge *l, const KalLargeProblem *p, int i)
{
    const KalRowPattern *A = &l->shape.A;
    double sum = 0.0;
    for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
        const double mass = l->metric.mass[A->column[k]];
        sum += mass > 0.0 ? p->A[k] * p->A[k] / mass : 0.0;
    }
    return sum;
}

// A held coordinate has no entries but its mass.
static void hold(KalLarge *l, const bool *held, double *value)
{
    const KalLdlEntry *entries = (const KalLdlEntry *)l->factors.entries.data;
    const size_t count = l->factors.entries.size / sizeof *entries;
    for (size_t e = 0; e < count; e++) {
        const int i = entries[e].row;
        const int j = entries[e].column;
        if ((i < l->n && held[i]) || (j < l->n && held[j])) {
            value[e] = i == j && l->metric.mass[i] > 0.0 ? value[e] : 0.0;
        }
    }
}

// The values of all entries of K, in the order of `entries`: M, A, the diagonal of
// ties, then what rows lend.  A row that does not act has no entries but −1 on the
// diagonal, so that its multiplier is 0.
static void fill(KalLarge *l, const KalLargeProblem *p, const bool *held,
                 double damping)
{
    assert(l->factors.analyzed);
    assert(damping >= 0.0);
    const KalRowPattern *A = &l->shape.A;
    double *value = (double *)l->factors.values.data;
    double *ties = value + l->factors.n_M + l->factors.n_A;
    take_masses(l, p);
    memcpy(value, p->M, l->factors.n_M * sizeof *value);
    memcpy(value + l->factors.n_M, p->A, l->factors.n_A * sizeof *value);
    lend(l, p, ties + l->m);
    for (int i = 0; i < l->m; i++) {
        const double square = damping > 0.0 ? kal_large_rough_square(l, p, i) : 0.0;
        ties[i] = p->active[i] ? -damping * square : -1.0;
        for (int64_t k = A->start[i]; !p->active[i] && k < A->start[i + 1]; k++) {
            value[l->factors.n_M + (size_t)k] = 0.0;
        }
    }
    if (held) {
        hold(l, held, value);
    }
}

void kal_large_suspect_all(KalLarge *l)
{
    for (int i = 0; i < l->m && !l->factors.all_suspect; i++) {
        l->factors.least[l->n + i] = SUSPECT;
    }
    l->factors.all_suspect = true;
}

bool kal_large_trust(KalLarge *l, int i)
{
    assert(i >= 0 && i < l->m);
    const bool more = l->factors.least[l->n + i] > 0.0;
    l->factors.least[l->n + i] = -NEAR;
    l->factors.all_suspect = false;
    return more;
}

// With damping every row has a pivot, however it depends on others, and none is left
// out.
static void set_least(KalLarge *l, double damping)
{
    for (int i = 0; i < l->m && damping > 0.0; i++) {
        l->factors.least[l->n + i] = -DBL_MIN;
    }
    l->factors.all_suspect = l->factors.all_suspect && !(damping > 0.0);
}

// Whether coordinate j moves freely with a pivot of M that is at most `ratio` of its mass.
static bool is_light(const KalLarge *l, const bool *held, int j, double ratio)
{
    return !(kal_ldl_ratio(&l->factors.ldl, j) > ratio) && !(held && held[j]);
}

// The row with the fewest entries that coordinate j is in and that does not lend; −1: none.
// Looks at all entries: vanishing masses are asked about once.
static void ask_rows(KalLarge *l, const KalLargeProblem *p, const bool *held,
                     int *asked)
{
    const KalRowPattern *A = &l->shape.A;
    for (int j = 0; j < l->n; j++) {
        asked[j] = -1;
    }
    for (int i = 0; i < l->m; i++) {
        const int64_t length = A->start[i + 1] - A->start[i];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            const int j = (int)A->column[k];
            const int best = asked[j];
            if (is_light(l, held, j, HARDLY_MASS) && !l->metric.lends[i] && p->active[i]
                && p->A[k] != 0.0
                && (best < 0 || length < A->start[best + 1] - A->start[best])) {
                asked[j] = i;
            }
        }
    }
}

// Let rows lend to the coordinates whose pivot vanishes; returns how many more do.
static int ask(KalLarge *l, const KalLargeProblem *p, const bool *held)
{
    int *asked = l->blamed; // n + m
    int more = 0;
    ask_rows(l, p, held, asked);
    for (int j = 0; j < l->n; j++) {
        if (asked[j] >= 0 && !l->metric.lends[asked[j]]) {
            l->metric.lends[asked[j]] = true;
            more++;
        }
    }
    l->metric.n_lends += more;
    return more;
}

// Coordinates without mass that are not held.
static int count_massless(const KalLarge *l, const bool *held, int *out_list)
{
    int count = 0;
    for (int j = 0; j < l->n; j++) {
        if (is_light(l, held, j, NO_MASS)) {
            out_list[count++] = j;
        }
    }
    return count;
}

// Whether any coordinate has so little mass that rows should lend it theirs.
static bool any_light(const KalLarge *l, const bool *held)
{
    for (int j = 0; j < l->n; j++) {
        if (is_light(l, held, j, HARDLY_MASS)) {
            return true;
        }
    }
    return false;
}

// An acceleration that is not unique.
static KalStatus fail_massless(KalLarge *l, int count)
{
    assert(count > 0 && count <= l->n);
    const KalLargeNames names = kal_large_names(l, false, l->blamed, count);
    l->fault = (KalMotionFault){.count = count, .indices = l->blamed};
    return kal_fail(
        l->ctx, KAL_ERR_NOT_UNIQUE,
        "nothing determines the acceleration of %s: neither mass nor "
        "constraint, or none that could be told from rounding; give mass or "
        "constrain it (in a system of this size, %d coordinates, the "
        "shortest of all accelerations is not computed)",
        names.text, l->n);
}

// The rank of M, which is found once.
static KalStatus need_rank(KalLarge *l, const KalLargeProblem *p)
{
    if (!l->metric.ranked) {
        KAL_TRY(kal_large_rank_mass(l, p, &l->metric.rank_M));
        l->metric.ranked = true;
    }
    return KAL_OK;
}

// Rows lend until no pivot of M vanishes.  Each turn adds at least one row to those
// that lend, so there are at most m turns; the structure that is found is kept for all
// later instants.
static KalStatus factor_whole(KalLarge *l, const KalLargeProblem *p, const bool *held,
                              double damping)
{
    for (;;) {
        fill(l, p, held, damping);
        l->factors.n_left_out = kal_ldl_factor(
            &l->factors.ldl, (const double *)l->factors.values.data, l->factors.least);
        if (!any_light(l, held)) {
            return KAL_OK;
        }
        const int massless = count_massless(l, held, l->blamed);
        KAL_TRY(need_rank(l, p));
        if (ask(l, p, held) == 0) {
            if (massless == 0 || damping > 0.0) {
                return KAL_OK; // what nothing holds does not move
            }
            return fail_massless(l, count_massless(l, held, l->blamed));
        }
        KAL_TRY(analyze(l));
    }
}

static void measure_units(KalLarge *l)
{
    for (int j = 0; j < l->n; j++) {
        l->metric.unit[j] = sqrt(l->metric.mass[j]);
        l->metric.per_unit[j] = l->metric.mass[j] > 0.0 ? 1.0 / l->metric.unit[j] : 0.0;
    }
}

void kal_large_need_lengths(KalLarge *l, const bool *active)
{
    const int *restrict place = l->factors.ldl.place + l->factors.first_tie;
    for (int i = 0; i < l->m && !l->metric.lengths_known; i++) {
        const double from = l->factors.ldl.from[place[i]];
        l->metric.length[i] = active[i] && from > 0.0 ? sqrt(from) : 0.0;
    }
    l->metric.lengths_known = true;
}

const KalPasses *kal_passes(void)
{
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        return &kal_passes_wide;
    }
#endif
    return &kal_passes_plain;
}

// Factor A M⁻¹Aᵀ; where coordinates without mass are met, get ready for the whole matrix instead.
static KalStatus factor_schur(KalLarge *l, const KalLargeProblem *p, const bool *held,
                              double damping)
{
    l->metric.units_known =
        l->metric.units_known
        && memcmp(l->metric.mass, p->M, l->factors.n_M * sizeof *p->M) == 0;
    if (!l->metric.units_known) {
        take_masses(l, p);
    }
    if (kal_schur_factor(l, p, held, damping)) {
        return KAL_OK;
    }
    l->metric.massless = true;
    return analyze(l);
}

// The structure is analyzed when the first numbers come. Units follow from the factors of
// the whole matrix, so each factorization of that measures them anew; lengths of rows are
// found when somebody asks.
KalStatus kal_large_factor(KalLarge *l, const KalLargeProblem *p, const bool *held,
                           double damping)
{
    assert(l && p);
    assert(damping >= 0.0);
    set_least(l, damping);
    l->all_act = !memchr(p->active, false, (size_t)l->m * sizeof *p->active);
    KAL_TRY(l->factors.analyzed ? KAL_OK : analyze(l));
    KAL_TRY(l->schur.used ? factor_schur(l, p, held, damping) : KAL_OK);
    if (!l->schur.used) {
        l->metric.units_known = false;
        KAL_TRY(factor_whole(l, p, held, damping));
    }
    if (!l->metric.units_known) {
        measure_units(l);
        l->metric.units_known = true;
    }
    l->metric.lengths_known = false;
    return KAL_OK;
}

void kal_large_solve_factors(KalLarge *l, double *x)
{
    if (l->schur.used) {
        kal_schur_solve(l, x);
    } else {
        kal_ldl_solve(&l->factors.ldl, x);
    }
}

bool kal_large_leaves_out(const KalLarge *l, const KalLargeProblem *p, int i)
{
    assert(i >= 0 && i < l->m);
    return kal_left_out(l, p, i);
}

KalStatus kal_large_prepare(KalLarge *l, const KalLargeProblem *p, const bool *held,
                            double damping)
{
    assert(damping > 0.0);
    KAL_TRY(kal_large_factor(l, p, held, damping));
    kal_large_need_lengths(l, p->active);
    return KAL_OK;
}

void kal_large_step(KalLarge *l, const double *residuals, double *out_step)
{
    assert(residuals && out_step);
    memset(l->x, 0, (size_t)l->n * sizeof *l->x);
    for (int i = 0; i < l->m; i++) {
        l->x[l->n + i] = l->metric.length[i] > 0.0 ? -residuals[i] : 0.0;
    }
    kal_large_solve_factors(l, l->x);
    memcpy(out_step, l->x, (size_t)l->n * sizeof *out_step);
}

// With K (x, y) = (g, 0), x is what is left of M⁻¹g in the directions that the rows leave
// free: zero if g is a combination of them.
double kal_large_beyond(KalLarge *l, const double *row)
{
    double whole = 0.0;
    double left = 0.0;
    memcpy(l->x, row, (size_t)l->n * sizeof *l->x);
    memset(l->x + l->n, 0, (size_t)l->m * sizeof *l->x);
    kal_large_solve_factors(l, l->x);
    for (int j = 0; j < l->n; j++) {
        const double mass = l->metric.mass[j];
        whole += mass > 0.0 ? row[j] * row[j] / mass : 0.0;
        left += mass > 0.0 ? mass * l->x[j] * l->x[j] : 0.0;
    }
    return whole > 0.0 ? sqrt(left / whole) : 1.0;
}

// SPDX-License-Identifier: MIT

// The factors where M is a diagonal of masses: those of S = A M⁻¹Aᵀ alone.
//
// Coordinates are eliminated on paper.  S is the sum over coordinates of the products of each
// two entries of their column of A, divided by the mass; the analysis of the factors is given
// these products as their entries, so that it knows the place of each.  Then, theory (2.5),
//
//     S λ = b − A M⁻¹Q,   force = Aᵀλ,   q'' = M⁻¹(Q + force),
//
// which takes each entry of A once by rows and once by columns.

#include "large/large_impl.h"

#include <assert.h>
#include <string.h>

enum {
    MOST_IN_COLUMN =
        16 // rows that a coordinate is in; n in a column are n (n + 1)/2 products
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalLarge *l = owner;
    KalSchur *schur = &l->schur;
    schur->start = kal_carve_ints(carver, (size_t)l->n + 1);
    schur->row = kal_carve_ints(carver, l->factors.n_A);
    schur->entry = kal_carve_ints(carver, l->factors.n_A);
    schur->column = kal_carve_ints(carver, l->factors.n_A);
    schur->inverse = kal_carve_doubles(carver, (size_t)l->n, 1);
    schur->kept = kal_carve_doubles(carver, l->factors.n_A, 1);
}

// Columns of A from its rows.
static void transpose(KalLarge *l)
{
    const KalRowPattern *A = &l->shape.A;
    KalSchur *schur = &l->schur;
    for (size_t k = 0; k < l->factors.n_A; k++) {
        schur->start[A->column[k] + 1]++;
        schur->column[k] = (int)A->column[k];
    }
    for (int j = 0; j < l->n; j++) {
        schur->start[j + 1] += schur->start[j];
    }
    for (int i = 0; i < l->m; i++) {
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            const int at = schur->start[A->column[k]]++;
            schur->row[at] = i;
            schur->entry[at] = (int)k;
        }
    }
    for (int j = l->n; j > 0; j--) { // each begins where the one before it ended
        schur->start[j] = schur->start[j - 1];
    }
    schur->start[0] = 0;
}

bool kal_schur_suits(const KalLarge *l)
{
    const KalRowPattern *A = &l->shape.A;
    bool suits = l->metric.diagonal && l->metric.n_lends == 0;
    if (!suits) {
        return false;
    }
    int *count = l->blamed; // n + m
    memset(count, 0, (size_t)l->n * sizeof *count);
    for (size_t k = 0; k < l->factors.n_A && suits; k++) {
        suits = ++count[A->column[k]] <= MOST_IN_COLUMN;
    }
    return suits;
}

// The products of each column, in the order in which they will be added.
static KalStatus list_products(KalLarge *l, KalBlock *entries)
{
    const KalSchur *schur = &l->schur;
    KalStatus status = KAL_OK;
    for (int j = 0; j < l->n; j++) {
        for (int r = schur->start[j]; r < schur->start[j + 1]; r++) {
            for (int s = schur->start[j]; s <= r && status == KAL_OK; s++) {
                const KalLdlEntry entry = {schur->row[r], schur->row[s]};
                status = kal_block_add(l->ctx, entries, &entry, sizeof entry);
            }
        }
    }
    return status;
}

// The structure of S: the products of each two entries of a column of A are given to the
// analysis as entries that add up.
KalStatus kal_schur_init(KalLarge *l, int64_t most)
{
    assert(!l->schur.start);
    KalBlock entries = {.data = NULL};
    KAL_TRY(kal_workspace_make(l->ctx, "for a large system", lay_out, l,
                               &l->schur.workspace));
    transpose(l);
    KalStatus status = list_products(l, &entries);
    if (status == KAL_OK) {
        const KalLdlShape shape = {.n = l->m,
                                   .masses = 0,
                                   .entries = (const KalLdlEntry *)entries.data,
                                   .n_entries = entries.size / sizeof(KalLdlEntry)};
        status = kal_ldl_init(&l->factors.ldl, l->ctx, &shape, most);
    }
    kal_block_clear(l->ctx, &entries);
    return status;
}

void kal_schur_clear(KalLarge *l)
{
    kal_workspace_clear(l->ctx, &l->schur.workspace);
    l->schur = (KalSchur){.used = false};
}

// The entries of A of rows that act.  They are copied where some do not, or where they are to
// outlive the call.
static const double *take_entries(KalLarge *l, const KalLargeProblem *p, bool keep)
{
    const KalRowPattern *A = &l->shape.A;
    if (l->all_act && !keep) {
        return p->A;
    }
    memcpy(l->schur.kept, p->A, l->factors.n_A * sizeof *p->A);
    for (int i = 0; i < l->m && !l->all_act; i++) {
        for (int64_t k = A->start[i]; !p->active[i] && k < A->start[i + 1]; k++) {
            l->schur.kept[k] = 0.0;
        }
    }
    return l->schur.kept;
}

// Take the products of one column, of a length that may be known, from S.
static inline void add_products(double *restrict value, const int *restrict slot,
                                const double *restrict A, const int *restrict entry,
                                double inverse, int length)
{
    double column[MOST_IN_COLUMN];
    for (int r = 0, t = 0; r < length; r++) {
        column[r] = A[entry[r]];
        const double scaled = column[r] * inverse;
        for (int s = 0; s <= r; s++, t++) {
            value[slot[t]] -= scaled * column[s];
        }
    }
}

// Columns of the usual lengths get a loop whose length the compiler knows.
static void add_all_products(KalLarge *l)
{
    assert(l->schur.used && l->schur.A);
    const KalSchur *schur = &l->schur;
    const double *A = schur->A;
    double *value = l->factors.ldl.value;
    const int *slot = l->factors.ldl.slot;
    for (int j = 0; j < l->n; j++) {
        const int *entry = schur->entry + schur->start[j];
        const int length = schur->start[j + 1] - schur->start[j];
        const double inverse = schur->inverse[j];
        switch (length) {
        case 0: break;
        case 1: add_products(value, slot, A, entry, inverse, 1); break;
        case 2: add_products(value, slot, A, entry, inverse, 2); break;
        case 3: add_products(value, slot, A, entry, inverse, 3); break;
        case 4: add_products(value, slot, A, entry, inverse, 4); break;
        default: add_products(value, slot, A, entry, inverse, length); break;
        }
        slot += length * (length + 1) / 2;
    }
}

// A row that does not act has −1 on the diagonal and nothing else.
static void set_diagonal(KalLarge *l, const KalLargeProblem *p, double damping)
{
    double *diagonal = l->factors.ldl.value + l->factors.ldl.start[l->m];
    for (int i = 0; i < l->m; i++) {
        diagonal[l->factors.ldl.place[i]] -=
            !p->active[i]
                ? 1.0
                : (damping > 0.0 ? damping * kal_large_rough_square(l, p, i) : 0.0);
    }
}

// Inverse masses, 0 of what is held.  False if a coordinate that is not has no mass.
static bool invert_masses(KalLarge *l, const bool *held)
{
    const double *restrict mass = l->metric.mass;
    double *restrict inverse = l->schur.inverse;
    bool whole = true;
    for (int j = 0; j < l->n; j++) {
        const bool counts = mass[j] > 0.0;
        inverse[j] = counts ? 1.0 / mass[j] : 0.0;
        whole &= counts;
    }
    for (int j = 0; j < l->n && held; j++) {
        inverse[j] = held[j] ? 0.0 : inverse[j];
    }
    for (int j = 0; j < l->n && !whole; j++) {
        if (!(mass[j] > 0.0) && !(held && held[j])) {
            return false;
        }
    }
    return true;
}

// Masses that no coordinate is held by are inverted once and kept; those with held
// coordinates, whose inverse counts as zero, each time.  The loop over products is in here: where
// the code began 16 bytes off a multiple of 32, which is a matter of what is linked before it, an
// acceleration of a chain took a quarter longer.
__attribute__((aligned(32))) bool kal_schur_factor(KalLarge *l,
                                                   const KalLargeProblem *p,
                                                   const bool *held, double damping)
{
    assert(l->schur.used && l->factors.analyzed);
    if (held || !l->metric.units_known || !l->schur.free) {
        l->schur.free = !held;
        if (!invert_masses(l, held)) {
            return false;
        }
    }
    l->schur.A = take_entries(l, p, damping > 0.0);
    kal_ldl_begin(&l->factors.ldl);
    add_all_products(l);
    if (l->schur.A != p->A) {
        set_diagonal(l, p, damping);
    }
    l->factors.n_left_out = kal_ldl_eliminate(&l->factors.ldl, l->factors.least + l->n);
    return true;
}

// x_i −= Σ A_ij w_j.
static void take_rows(const KalLarge *l, const double *restrict w, double *restrict x)
{
    const double *restrict A = l->schur.A;
    const int *restrict column = l->schur.column;
    const int64_t *restrict start = l->shape.A.start;
    for (int i = 0; i < l->m; i++) {
        double sum = x[i];
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            sum -= A[k] * w[column[k]];
        }
        x[i] = sum;
    }
}

// With K = [M Aᵀ; A −E]: −(E + S) ν = y − A M⁻¹x, then M⁻¹(x − Aᵀν).
void kal_schur_solve(KalLarge *l, double *x)
{
    const KalSchur *schur = &l->schur;
    const double *restrict nu = x + l->n;
    for (int j = 0; j < l->n; j++) {
        x[j] *= schur->inverse[j];
    }
    take_rows(l, x, x + l->n);
    kal_ldl_solve(&l->factors.ldl, x + l->n);
    for (int j = 0; j < l->n; j++) {
        double sum = 0.0;
        for (int k = schur->start[j]; k < schur->start[j + 1]; k++) {
            sum += schur->A[schur->entry[k]] * nu[schur->row[k]];
        }
        x[j] -= schur->inverse[j] * sum;
    }
}

// λ of the first solution, from w = M⁻¹Q.  Rows that do not act ask for nothing.
void kal_schur_multipliers(KalLarge *l, const KalLargeProblem *p, const double *Q,
                           const double *b, double *lambda)
{
    const double *restrict inverse = l->schur.inverse;
    double *restrict w = l->x; // n + m
    for (int j = 0; j < l->n; j++) {
        w[j] = Q[j] * inverse[j];
    }
    for (int i = 0; i < l->m; i++) {
        lambda[i] = b && p->active[i] ? b[i] : 0.0;
    }
    take_rows(l, w, lambda);
    kal_ldl_solve(&l->factors.ldl, lambda);
    for (int i = 0; i < l->m; i++) {
        lambda[i] = -lambda[i];
    }
}

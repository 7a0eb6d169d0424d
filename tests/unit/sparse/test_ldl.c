// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "context.h"
#include "fault.h"
#include "rng.h"
#include "sparse/ldl.h"
#include "tap.h"

enum {
    MOST = 120,
    ENTRIES = 8000
};

// A matrix [M Aᵀ; A 0], whole for comparison and as a list of entries.
typedef struct Lab {
    int n;
    int masses;
    double K[MOST][MOST];
    KalLdlEntry entries[ENTRIES];
    double values[ENTRIES];
    size_t count;
} Lab;

static Lab lab;

// Analyze the matrix of the lab with so many of its unknowns taken as masses.
static KalStatus factor_shape(KalLdl *ldl, KalContext *ctx, int masses, int64_t most)
{
    const KalLdlShape shape = {lab.n, masses, lab.entries, lab.count};
    return kal_ldl_init(ldl, ctx, &shape, most);
}

static void begin(int masses, int ties)
{
    memset(&lab, 0, sizeof lab);
    lab.n = masses + ties;
    lab.masses = masses;
}

static void add(int i, int j, double value)
{
    lab.K[i][j] += value;
    lab.K[j][i] += i != j ? value : 0.0;
    lab.entries[lab.count] = (KalLdlEntry){i, j};
    lab.values[lab.count++] = value;
}

// M = Σ x xᵀ + 1 with short x, so that entries are given more than once; A with few
// entries a row.
static void make(Rng *rng, int masses, int ties)
{
    begin(masses, ties);
    for (int i = 0; i < masses; i++) {
        const int j = rng_int(rng, 0, masses - 1);
        const double x = rng_entry(rng);
        add(i, i, 1.0 + x * x);
        if (i != j) {
            add(j, j, x * x);
            add(i > j ? i : j, i > j ? j : i, x * x);
        }
    }
    for (int i = 0; i < ties; i++) {
        for (int k = 0; k < 3; k++) {
            add(masses + i, rng_int(rng, 0, masses - 1), rng_entry(rng));
        }
    }
}

static void residual_of(const double *x, const double *right, double *out_worst)
{
    *out_worst = 0.0;
    for (int i = 0; i < lab.n; i++) {
        double sum = -right[i];
        for (int j = 0; j < lab.n; j++) {
            sum += lab.K[i][j] * x[j];
        }
        *out_worst = fmax(*out_worst, fabs(sum));
    }
}

static int factor(KalLdl *ldl, double least_ratio)
{
    double least[MOST];
    for (int i = 0; i < lab.n; i++) {
        least[i] = least_ratio;
    }
    return kal_ldl_factor(ldl, lab.values, least);
}

static void solutions_satisfy_the_equations(void)
{
    KalContext *ctx = new_context();
    for (int round = 0; round < 100; round++) {
        Rng rng = {(uint64_t)round};
        KalLdl ldl;
        double x[MOST];
        double right[MOST];
        double worst;
        make(&rng, rng_int(&rng, 20, 79), rng_int(&rng, 0, 14));
        ok(factor_shape(&ldl, ctx, lab.masses, 100000) == KAL_OK);
        for (int i = 0; i < lab.n; i++) {
            right[i] = x[i] = rng_entry(&rng);
        }
        ok(factor(&ldl, 1e-12) == 0);
        kal_ldl_solve(&ldl, x);
        residual_of(x, right, &worst);
        near(worst, 0.0, 1e-11);
        kal_ldl_clear(&ldl);
    }
    kal_context_destroy(ctx);
}

// Every tie three times as long as its twin: one of the two is left out, and is a third or
// three times the other.
static void twins_are_left_out_and_combined(void)
{
    KalContext *ctx = new_context();
    for (int round = 0; round < 50; round++) {
        Rng rng = {(uint64_t)round};
        KalLdl ldl;
        int ties[MOST];
        double factors[MOST];
        const int twins = rng_int(&rng, 1, 8);
        begin(30, 2 * twins);
        for (int j = 0; j < 30; j++) {
            add(j, j, 1.0 + rng_unit(&rng));
        }
        for (int i = 0; i < twins; i++) {
            for (int k = 0; k < 3; k++) {
                const int column = 3 * i + k + (round % 2);
                const double entry = 0.5 + rng_unit(&rng);
                add(30 + i, column, entry);
                add(30 + twins + i, column, 3.0 * entry);
            }
        }
        ok(factor_shape(&ldl, ctx, 30, 100000) == KAL_OK);
        ok(factor(&ldl, 1e-12) == twins);
        for (int i = 0; i < 2 * twins; i++) {
            if (!(kal_ldl_ratio(&ldl, 30 + i) > 1e-12)) {
                const int twin = 30 + (i + twins) % (2 * twins);
                ok(kal_ldl_combine(&ldl, 30 + i, 1e-9, ties, factors) == 1);
                ok(ties[0] == twin);
                near(factors[twin], i < twins ? 1.0 / 3.0 : 3.0, 1e-14);
            }
        }
        kal_ldl_clear(&ldl);
    }
    kal_context_destroy(ctx);
}

// A sum of k other rows, in any order of elimination.
static void combinations_are_those_of_the_rows(void)
{
    KalContext *ctx = new_context();
    for (int round = 0; round < 100; round++) {
        Rng rng = {(uint64_t)round};
        KalLdl ldl;
        int ties[MOST];
        double factors[MOST];
        const int m = 8;
        make(&rng, 40, m);
        const int terms = rng_int(&rng, 1, m);
        lab.n++;
        for (int i = 0; i < terms; i++) {
            for (int j = 0; j < 40; j++) {
                if (lab.K[40 + i][j] != 0.0) {
                    add(40 + m, j, lab.K[40 + i][j]);
                }
            }
        }
        ok(factor_shape(&ldl, ctx, 40, 100000) == KAL_OK);
        ok(factor(&ldl, 1e-11) == 1);
        for (int i = 40; i < lab.n; i++) {
            if (kal_ldl_ratio(&ldl, i) > 1e-11) {
                continue;
            }
            const int count = kal_ldl_combine(&ldl, i, 1e-9, ties, factors);
            ok(count == terms);
            for (int j = 0; j < 40; j++) {
                double left = lab.K[i][j];
                for (int k = 0; k < count; k++) {
                    left -= factors[ties[k]] * lab.K[ties[k]][j];
                }
                near(left, 0.0, 1e-9);
            }
        }
        kal_ldl_clear(&ldl);
    }
    kal_context_destroy(ctx);
}

static void too_many_entries_are_refused(void)
{
    KalContext *ctx = new_context();
    Rng rng = {1};
    KalLdl ldl;
    make(&rng, 50, 10);
    ok(factor_shape(&ldl, ctx, lab.masses, 10) == KAL_ERR_LIMIT);
    has_text(kal_context_message(ctx), "10 are the most");
    kal_ldl_clear(&ldl);
    kal_context_destroy(ctx);
}

static KalStatus make_and_clear(KalContext *ctx)
{
    Rng rng = {2};
    KalLdl ldl = {.ctx = NULL};
    make(&rng, 30, 10);
    const KalStatus status = factor_shape(&ldl, ctx, lab.masses, 100000);
    kal_ldl_clear(&ldl);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(make_and_clear);
}

TAP_RUN(TAP_CASE(solutions_satisfy_the_equations),
        TAP_CASE(twins_are_left_out_and_combined),
        TAP_CASE(combinations_are_those_of_the_rows),
        TAP_CASE(too_many_entries_are_refused), TAP_CASE(every_allocation_may_fail))

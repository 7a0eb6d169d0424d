// SPDX-License-Identifier: MIT

// The sparse solve against the dense roads, on random structures: chains, loops, trees and
// nets of bodies, with redundant rows, rows that lend mass, and units of all sizes.
// KAL_PROPERTY_PROBLEMS sets how many.

#include "large/large.h"

#include "rng.h"
#include "tap.h"

#include <kalaba/kalaba.h>

enum {
    BODIES = 12,
    N = 3 * BODIES,
    M = 60,
    ENTRIES = 12
};

typedef enum Kind {
    CHAIN,
    LOOP,
    TREE,
    NET,
    KINDS
} Kind;

// A problem, dense and sparse.
typedef struct Lab {
    int n;
    int m;
    double mass[N * N];
    double rows[M * N];
    double Q[N];
    double b[M];
    double C[N];
    double b_size[M];
    bool active[M];
    double unit[N];
    int64_t M_start[N + 1];
    int64_t M_column[N * 3];
    double M_value[N * 3];
    int64_t A_start[M + 1];
    int64_t A_column[M * N];
    double A_value[M * N];
    const char *coordinates[N];
    const char *constraints[M];
} Lab;

static Lab lab;
static KalContext *ctx;
static KalMotion *motion;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_motion_create(ctx, NULL, N, M, &motion) == KAL_OK);
}

static void end(void)
{
    kal_motion_destroy(motion);
    kal_context_destroy(ctx);
}

// A block of three coordinates: diagonal, or full; without mass in the last one if asked.
static void add_body(Rng *rng, int body, bool full, bool massless)
{
    double x[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            x[i][j] = full ? rng_entry(rng) : i == j;
        }
        x[i][i] += full ? 2.0 : rng_unit(rng);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += x[i][k] * x[j][k];
            }
            const bool none = massless && (i == 2 || j == 2);
            lab.mass[(3 * body + i) * lab.n + 3 * body + j] = none ? 0.0 : sum;
        }
    }
}

static double *new_row(void)
{
    return lab.rows + (size_t)lab.m++ * (size_t)lab.n;
}

// A pin between two bodies, or a body and the ground: two rows.
static void add_pin(Rng *rng, int a, int b)
{
    for (int k = 0; k < 2 && lab.m < M; k++) {
        double *row = new_row();
        row[3 * a + k] = 1.0;
        row[3 * a + 2] = rng_entry(rng);
        if (b >= 0) {
            row[3 * b + k] = -1.0;
            row[3 * b + 2] = rng_entry(rng);
        }
    }
}

static void add_structure(Rng *rng, Kind kind)
{
    const int bodies = lab.n / 3;
    for (int i = 0; i < bodies; i++) {
        const int parent = kind == TREE ? rng_int(rng, -1, i - 1) : i - 1;
        add_pin(rng, i, parent);
        if (kind == NET && i >= 3 && lab.m + 8 < lab.n) {
            double *row = new_row(); // a rod
            row[3 * i] = rng_entry(rng);
            row[3 * i + 1] = rng_entry(rng);
            row[3 * (i - 3)] = -rng_entry(rng);
            row[3 * (i - 3) + 1] = rng_entry(rng);
        }
    }
    if (kind == LOOP && bodies > 3) {
        add_pin(rng, bodies - 1, -1);
    }
}

// A row that depends on one to three others.
static void add_redundant(Rng *rng)
{
    if (lab.m >= M || lab.m == 0) {
        return;
    }
    const int before = lab.m;
    double *row = new_row();
    for (int k = rng_int(rng, 1, 3); k > 0; k--) {
        const double *other = lab.rows + (size_t)(rng_int(rng, 0, before - 1) * lab.n);
        const double factor = rng_entry(rng);
        for (int j = 0; j < lab.n; j++) {
            row[j] += factor * other[j];
        }
    }
}

// Other units of coordinates and constraints: powers of two, so that nothing is rounded
// and rows that depend on each other still do.
static void change_units(Rng *rng, int powers)
{
    for (int j = 0; j < lab.n; j++) {
        const double unit = ldexp(1.0, rng_int(rng, -powers, powers));
        for (int i = 0; i < lab.n; i++) {
            lab.mass[i * lab.n + j] *= unit;
            lab.mass[j * lab.n + i] *= unit;
        }
        for (int i = 0; i < lab.m; i++) {
            lab.rows[i * lab.n + j] *= unit;
        }
        lab.unit[j] = unit;
    }
    for (int i = 0; i < lab.m; i++) {
        const double factor = ldexp(1.0, rng_int(rng, -powers, powers));
        for (int j = 0; j < lab.n; j++) {
            lab.rows[i * lab.n + j] *= factor;
        }
    }
}

// Right-hand sides that some acceleration satisfies.
static void add_sides(Rng *rng)
{
    double wanted[N];
    for (int j = 0; j < lab.n; j++) {
        wanted[j] = rng_entry(rng) / lab.unit[j];
        lab.Q[j] = rng_entry(rng) * lab.unit[j];
        lab.C[j] = rng_entry(rng) * lab.unit[j];
    }
    for (int i = 0; i < lab.m; i++) {
        lab.b[i] = 0.0;
        lab.b_size[i] = 0.0;
        lab.active[i] = true;
        for (int j = 0; j < lab.n; j++) {
            lab.b[i] += lab.rows[i * lab.n + j] * wanted[j];
            lab.b_size[i] += fabs(lab.rows[i * lab.n + j] * wanted[j]);
        }
    }
}

static void make_sparse(void)
{
    int64_t count = 0;
    for (int i = 0; i < lab.n; i++) {
        lab.M_start[i] = count;
        for (int j = 3 * (i / 3); j <= i; j++) {
            lab.M_column[count] = j;
            lab.M_value[count++] = lab.mass[i * lab.n + j];
        }
    }
    lab.M_start[lab.n] = count;
    count = 0;
    for (int i = 0; i < lab.m; i++) {
        lab.A_start[i] = count;
        for (int j = 0; j < lab.n; j++) {
            if (lab.rows[i * lab.n + j] != 0.0) {
                lab.A_column[count] = j;
                lab.A_value[count++] = lab.rows[i * lab.n + j];
            }
        }
    }
    lab.A_start[lab.m] = count;
}

static Rng make(uint64_t seed, bool massless, int redundant)
{
    Rng rng = {seed};
    memset(&lab, 0, sizeof lab);
    lab.n = 3 * rng_int(&rng, 2, BODIES);
    const bool plain = massless || seed % 2 == 0; // M is a diagonal
    for (int i = 0; i < lab.n / 3; i++) {
        // The angle of a body is in rows of its own pin, which hold it without mass.
        add_body(&rng, i, rng_int(&rng, 0, 1) && !plain,
                 massless && rng_int(&rng, 0, 2) == 0);
    }
    add_structure(&rng, (Kind)rng_int(&rng, 0, KINDS - 1));
    for (int k = 0; k < redundant; k++) {
        add_redundant(&rng);
    }
    change_units(&rng, seed % 3 == 0 ? 20 : 1);
    add_sides(&rng);
    for (int j = 0; j < lab.n; j++) {
        lab.coordinates[j] = "q";
    }
    for (int i = 0; i < lab.m; i++) {
        lab.constraints[i] = "c";
    }
    make_sparse();
    return rng;
}

static KalStatus solve_dense(bool nonideal, KalMotionAnswer *answer)
{
    const KalMotionProblem problem = {.n = lab.n,
                                      .m = lab.m,
                                      .M = lab.mass,
                                      .Q = lab.Q,
                                      .A = lab.rows,
                                      .b = lab.b,
                                      .C = nonideal ? lab.C : NULL,
                                      .b_size = lab.b_size};
    return kal_motion_solve(motion, &problem, answer);
}

static KalLarge *new_large(void)
{
    const KalLargeShape shape = {
        .n = lab.n,
        .m = lab.m,
        .M = {lab.n, lab.M_start, lab.M_column},
        .A = {lab.m, lab.A_start, lab.A_column},
        .coordinates = lab.coordinates,
        .constraints = lab.constraints
    };
    KalLarge *large = NULL;
    ok(kal_large_create(ctx, &shape, &large) == KAL_OK);
    return large;
}

static KalLargeProblem sparse_problem(bool nonideal)
{
    return (KalLargeProblem){.M = lab.M_value,
                             .Q = lab.Q,
                             .A = lab.A_value,
                             .b = lab.b,
                             .C = nonideal ? lab.C : NULL,
                             .b_size = lab.b_size,
                             .active = lab.active};
}

static void compare(const double *got, const double *want, int n, bool inverse,
                    double allowed)
{
    double size = 0.0;
    for (int j = 0; j < n; j++) {
        size = fmax(size, fabs(want[j]) * (inverse ? lab.unit[j] : 1.0 / lab.unit[j]));
    }
    for (int j = 0; j < n; j++) {
        const double scale = inverse ? lab.unit[j] : 1.0 / lab.unit[j];
        near(got[j] * scale, want[j] * scale, allowed * size);
    }
}

// Sets of dependent constraints are the same if whatever shares one here does so there.
static void compare_sets(const KalMotionAnswer *got, const KalMotionAnswer *want)
{
    ok(got->n_dependent_sets == want->n_dependent_sets);
    for (int i = 0; i < lab.m; i++) {
        ok(got->dependent_set[i] == want->dependent_set[i]);
    }
}

// Rounding of the givens, magnified by the rows that an answer took: the dense roads take
// the best, the sparse one takes them in its own order.
static double allowed_error(const KalMotionAnswer *got, const KalMotionAnswer *want)
{
    return 1e-10 / (want->least_sine * want->least_sine)
           + 1e-13 / (got->least_sine * got->least_sine);
}

static void check_one(bool nonideal)
{
    KalLarge *large = new_large();
    const KalLargeProblem problem = sparse_problem(nonideal);
    KalMotionAnswer got;
    KalMotionAnswer want;
    const KalStatus status = solve_dense(nonideal, &want);
    if (!large || status != KAL_OK || want.least_sine < 1e-3) {
        kal_large_destroy(large);
        return; // what is near to losing rank is another test
    }
    const KalStatus sparse = kal_large_solve(large, &problem, &got);
    if (!want.unique) {
        ok(sparse == KAL_ERR_NOT_UNIQUE);
    } else if (ok(sparse == KAL_OK)) {
        const double allowed = allowed_error(&got, &want);
        ok(got.rank_A == want.rank_A);
        ok(got.unique);
        ok(got.residual_constraints <= 1e-11 && got.residual_motion <= 1e-11);
        compare(got.qdd, want.qdd, lab.n, true, allowed);
        compare(got.force_ideal, want.force_ideal, lab.n, false, allowed);
        compare(got.force_nonideal, want.force_nonideal, lab.n, false, allowed);
        compare_sets(&got, &want);
    }
    kal_large_destroy(large);
}

static void regular_problems_have_the_same_answers(void)
{
    begin();
    for (int k = 0; k < problems(20); k++) {
        (void)make((uint64_t)k, false, 0);
        check_one(k % 4 == 0);
    }
    end();
}

static void redundant_rows_are_found_and_change_nothing(void)
{
    begin();
    for (int k = 0; k < problems(20); k++) {
        (void)make((uint64_t)(1000000 + k), false, 1 + k % 5);
        check_one(k % 4 == 0);
    }
    end();
}

static void rows_lend_where_mass_is_missing(void)
{
    begin();
    for (int k = 0; k < problems(20); k++) {
        (void)make((uint64_t)(2000000 + k), true, k % 3);
        check_one(k % 4 == 0);
    }
    end();
}

// A right-hand side of a dependent row that is off is told by both, and the sparse solve
// names constraints that contradict each other in truth: without one of them the others
// have a solution.
static void contradictions_are_found(void)
{
    begin();
    for (int k = 0; k < problems(40); k++) {
        KalMotionAnswer answer;
        Rng rng = make((uint64_t)(3000000 + k), false, 1 + k % 3);
        const int row = rng_int(&rng, 0, lab.m - 1);
        lab.b[row] += lab.b_size[row];
        KalLarge *large = new_large();
        const KalStatus dense = solve_dense(false, &answer);
        const KalLargeProblem problem = sparse_problem(false);
        const KalStatus sparse = kal_large_solve(large, &problem, &answer);
        if (ok(dense == sparse) && sparse == KAL_ERR_CONTRADICTION) {
            const KalMotionFault fault = kal_large_fault(large);
            ok(fault.constraints && fault.count > 0 && fault.size > 0.0);
            bool named = false;
            for (int i = 0; i < fault.count; i++) {
                named = named || fault.indices[i] == row;
            }
            ok(named);
        }
        kal_large_destroy(large);
    }
    end();
}

// Rows that do not act are as if they were not there.
static void inactive_rows_count_for_nothing(void)
{
    begin();
    for (int k = 0; k < problems(100); k++) {
        KalMotionAnswer got;
        KalMotionAnswer want;
        Rng rng = make((uint64_t)(4000000 + k), false, 0);
        const int row = rng_int(&rng, 0, lab.m - 1);
        KalLarge *large = new_large();
        const KalLargeProblem problem = sparse_problem(false);
        lab.active[row] = false;
        const KalStatus sparse = kal_large_solve(large, &problem, &got);
        memset(lab.rows + (size_t)row * (size_t)lab.n, 0,
               (size_t)lab.n * sizeof(double));
        lab.b[row] = 0.0;
        lab.b_size[row] = 0.0;
        const KalStatus dense = solve_dense(false, &want);
        if (ok(sparse == dense) && sparse == KAL_OK && want.least_sine > 1e-3) {
            ok(got.rank_A == want.rank_A);
            ok(got.multipliers[row] == 0.0);
            compare(got.qdd, want.qdd, lab.n, true, allowed_error(&got, &want));
        }
        kal_large_destroy(large);
    }
    end();
}

TAP_RUN(TAP_CASE(regular_problems_have_the_same_answers),
        TAP_CASE(redundant_rows_are_found_and_change_nothing),
        TAP_CASE(rows_lend_where_mass_is_missing), TAP_CASE(contradictions_are_found),
        TAP_CASE(inactive_rows_count_for_nothing))

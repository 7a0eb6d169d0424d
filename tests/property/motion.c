// SPDX-License-Identifier: MIT

// Random one-instant problems against mechanics: whatever the sizes, ranks and units,
// the answer has the properties that define it.  KAL_PROPERTY_PROBLEMS sets how many.

#include "instant.h"
#include "linalg/kernels.h"
#include "linalg/pseudoinverse.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <stdio.h>

enum {
    N = INSTANT_N,
    M = INSTANT_M
};

static const KalFormulation ALL[] = {
    KAL_FORMULATION_DEFAULT,      KAL_FORMULATION_PSEUDOINVERSE,
    KAL_FORMULATION_SEMIDEFINITE, KAL_FORMULATION_AUXILIARY,
    KAL_FORMULATION_LAGRANGE,     KAL_FORMULATION_NULLSPACE,
};

enum {
    FORMULATIONS = sizeof ALL / sizeof ALL[0]
};

static KalContext *ctx;
static KalMotion *solver[FORMULATIONS];
static Instant p;      // the problem at hand
static double allowed; // error that its conditioning allows
static uint64_t seed;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionOptions options = kal_motion_options();
        options.formulation = ALL[f];
        ok(kal_motion_create(ctx, &options, N, M, &solver[f]) == KAL_OK);
    }
}

static void end(void)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        kal_motion_destroy(solver[f]);
    }
    kal_context_destroy(ctx);
}

// The last pivot of the rows of A and, if asked for, of M, in natural units.
static double last_pivot(bool with_mass, int rank)
{
    static double W[N * (N + M)];
    double tau[N];
    double norms[2 * (N + M)];
    int perm[N + M];
    KalQr qr = {
        .rows = p.n, .columns = p.m, .W = W, .tau = tau, .perm = perm, .norms = norms};
    for (int i = 0; i < p.m; i++) {
        for (int j = 0; j < p.n; j++) {
            W[i * p.n + j] = p.A[i * p.n + j] * p.unit[j] / p.row_unit[i];
        }
    }
    for (int i = 0; i < p.n && with_mass; i++) {
        for (int j = 0; j < p.n; j++) {
            W[(p.m + i) * p.n + j] = p.M[i * p.n + j] * p.unit[i] * p.unit[j];
        }
        qr.columns++;
    }
    kal_qr_factor_to_rank(&qr, rank, 0);
    return rank > 0 ? qr.smallest : 1.0;
}

// The error of an acceleration may grow with the square of the conditioning of [M; A],
// whatever the method: M⁻¹Q does.
static void find_allowed(void)
{
    const double worst =
        fmin(1.0, fmin(last_pivot(true, p.rank_Mhat), last_pivot(false, p.rank_A)));
    allowed = 1e-12 * (p.n + p.m) / (worst * worst);
}

// Mostly small problems, some of full size; half of them in wild units.
static void make_problem(uint64_t number, bool definite)
{
    Rng rng = {number};
    seed = number;
    const int kind = rng_int(&rng, 0, 9);
    const int n = rng_int(&rng, 1, kind == 0 ? N : kind < 4 ? 15 : 6);
    const int m = rng_int(&rng, 0, kind == 0 ? M : kind < 4 ? 20 : 8);
    instant_make(&p, &rng, n, m, definite, rng_int(&rng, 0, 1) ? 8.0 : 0.0);
    find_allowed();
}

// Say once which problem broke a property.
static bool holds(bool condition, const char *what, const char *who)
{
    if (!condition) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# problem %llu (%d x %d): %s: %s\n", (unsigned long long)seed, p.n,
                   p.m, who, what);
        }
    }
    return condition;
}

static bool holds_near(double error, double tolerance, const char *what,
                       const char *who)
{
    const bool good = error <= tolerance * tap_scale();
    if (!good) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# problem %llu (%d x %d): %s: %s off by %.3g\n",
                   (unsigned long long)seed, p.n, p.m, who, what, error);
        }
    }
    return good;
}

static double size_in_units(const double *x, const double *unit, int count, bool force)
{
    double largest = 1.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(force ? x[i] * unit[i] : x[i] / unit[i]));
    }
    return largest;
}

// The largest difference of x and y in natural units, relative to the larger of 1 and y.
static double difference(const double *x, const double *y, const bool *skip, bool force)
{
    double worst = 0.0;
    for (int i = 0; i < p.n; i++) {
        if (!skip || !skip[i]) {
            const double d = x[i] - y[i];
            worst = fmax(worst, fabs(force ? d * p.unit[i] : d / p.unit[i]));
        }
    }
    return worst / size_in_units(y, p.unit, p.n, force);
}

// Which formulation may refuse: the definite one for singular M, the auxiliary one where
// the acceleration is not unique.
static bool applies(KalFormulation f)
{
    return !((f == KAL_FORMULATION_PSEUDOINVERSE && p.rank_M < p.n)
             || (f == KAL_FORMULATION_AUXILIARY && p.rank_Mhat < p.n));
}

static bool same_partition(const int *got, const int *want)
{
    for (int i = 0; i < p.m; i++) {
        if ((got[i] < 0) != (want[i] < 0)) {
            return false;
        }
        for (int j = 0; j < i && got[i] >= 0; j++) {
            if ((got[i] == got[j]) != (want[i] == want[j])) {
                return false;
            }
        }
    }
    return true;
}

static void check_verdicts(const KalMotionAnswer *a, const char *who)
{
    holds(a->rank_M == p.rank_M, "rank of M", who);
    holds(a->rank_A == p.rank_A, "rank of A", who);
    holds(a->rank_Mhat == p.rank_Mhat, "rank of [M; A]", who);
    holds(a->unique == (p.rank_Mhat == p.n), "uniqueness", who);
    holds(memcmp(a->indeterminate, p.indeterminate, (size_t)p.n * sizeof(bool)) == 0,
          "indeterminate coordinates", who);
    holds(a->n_dependent_sets == p.n_sets, "number of dependent sets", who);
    holds(same_partition(a->dependent_set, p.set), "dependent sets", who);
}

static void check_forces(const KalMotionAnswer *a, const char *who)
{
    double total[N];
    double given[N];
    for (int j = 0; j < p.n; j++) {
        double inertia = 0.0;
        double constraint = 0.0;
        for (int k = 0; k < p.n; k++) {
            inertia += p.M[j * p.n + k] * p.qdd[k];
        }
        for (int i = 0; i < p.m; i++) {
            constraint += p.A[i * p.n + j] * a->multipliers[i];
        }
        given[j] = inertia - p.Q[j];
        total[j] = constraint + a->force_nonideal[j];
    }
    holds_near(difference(total, given, NULL, true), allowed, "constraint force", who);
    if (!p.has_C) {
        holds_near(difference(a->force_ideal, p.ideal, NULL, true), allowed,
                   "ideal force", who);
    }
}

// Every formulation finds the acceleration and forces the problem was made from, and the
// ranks, sets and indeterminate coordinates it was made with.
static void formulations_agree_with_the_construction(void)
{
    begin();
    const int count = problems(1);
    int refused = 0;
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number, false);
        const KalMotionProblem problem = instant_problem(&p);
        for (int f = 0; f < FORMULATIONS; f++) {
            const char *who = kal_formulation_word(ALL[f]);
            KalMotionAnswer a;
            const KalStatus status = kal_motion_solve(solver[f], &problem, &a);
            if (!applies(ALL[f])) {
                holds(status == KAL_ERR_FORMULATION, "does not apply but answers", who);
                refused++;
                continue;
            }
            if (!holds(status == KAL_OK, kal_context_message(ctx), who)) {
                continue;
            }
            check_verdicts(&a, who);
            check_forces(&a, who);
            holds_near(difference(a.qdd, p.qdd, p.indeterminate, false), allowed,
                       "acceleration", who);
            holds_near(a.residual_constraints, 1e-12, "constraint residual", who);
            holds_near(a.residual_motion, 1e-12, "motion residual", who);
        }
    }
    ok(refused > 0);
    printf("# %d problems, %d formulations\n", count, FORMULATIONS);
    end();
}

// x ← its part in null(A): x − A⁺A x, in natural units.
static void project_to_null(double *x)
{
    static double A[N * M];
    static double doubles[8 * (N + M) * (N + M)];
    static int ints[4 * (N + M)];
    double Ax[M];
    double y[N];
    KalPseudoinverse inverse;
    for (int i = 0; i < p.m; i++) {
        Ax[i] = 0.0;
        for (int j = 0; j < p.n; j++) {
            A[j * p.m + i] = p.A[i * p.n + j] * p.unit[j] / p.row_unit[i];
            Ax[i] += A[j * p.m + i] * x[j];
        }
    }
    kal_pseudoinverse_factor(&inverse, (KalMatrix){A, p.m, p.n, p.m}, p.rank_A, doubles,
                             ints);
    kal_pseudoinverse_apply(&inverse, Ax, y);
    for (int j = 0; j < p.n; j++) {
        x[j] -= y[j];
    }
}

// Zero virtual work of the ideal force, prescribed work of the total, and Gauss's
// principle: any other admissible acceleration has a larger constraint.
static void work_and_gauss_principle_hold(void)
{
    begin();
    const int count = problems(4);
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number + 1000000U, false);
        Rng rng = {(uint64_t)number};
        const KalMotionProblem problem = instant_problem(&p);
        KalMotionAnswer a;
        if (!holds(kal_motion_solve(solver[0], &problem, &a) == KAL_OK, "solves",
                   "default")) {
            continue;
        }
        double v[N];
        for (int j = 0; j < p.n; j++) {
            v[j] = rng_entry(&rng);
        }
        project_to_null(v);
        double ideal_work = 0.0;
        double excess_work = 0.0;
        double gauss = 0.0;
        double size = 1.0;
        for (int j = 0; j < p.n; j++) {
            const double w = v[j] * p.unit[j];
            double inertia = 0.0;
            double push = 0.0;
            for (int k = 0; k < p.n; k++) {
                inertia += p.M[j * p.n + k] * a.qdd[k];
                push += p.M[j * p.n + k] * v[k] * p.unit[k];
            }
            ideal_work += w * a.force_ideal[j];
            excess_work += w * (inertia - p.Q[j] - (p.has_C ? p.C[j] : 0.0));
            gauss += w * push;
            size += fabs(w) * (fabs(inertia) + fabs(p.Q[j]) + fabs(p.C[j]));
        }
        holds_near(fabs(ideal_work) / size, allowed, "virtual work of the ideal force",
                   "");
        holds_near(fabs(excess_work) / size, allowed, "virtual work of C", "");
        // G(q'' + v) − G(q'') = 2 vᵀ(M q'' − Q − C) + vᵀ M v
        holds(gauss + 2.0 * excess_work >= -1e-10 * size, "Gauss's principle", "");
    }
    end();
}

// Reordering and other units change no verdict and, beyond rounding, no result.
static void order_and_units_do_not_matter(void)
{
    begin();
    static Instant first;
    static Instant other;
    const int count = problems(2);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 2000000U};
        seed = rng.state;
        const int n = rng_int(&rng, 1, number % 10 ? 8 : N);
        const int m = rng_int(&rng, 0, number % 10 ? 10 : M);
        instant_make(&first, &rng, n, m, number % 3 == 0, 0.0);
        double unit[N];
        double row_unit[M];
        int columns[N];
        int rows[M];
        for (int j = 0; j < n; j++) {
            unit[j] = rng_scale(&rng, 8.0);
        }
        for (int i = 0; i < m; i++) {
            row_unit[i] = rng_scale(&rng, 8.0);
        }
        instant_shuffle(&rng, n, columns);
        instant_shuffle(&rng, m, rows);
        instant_rescale(&first, &other, unit, row_unit);
        instant_reorder(&other, &p, columns, rows);
        find_allowed();

        KalMotionAnswer a;
        KalMotionAnswer b;
        double qdd[N];
        double ideal[N];
        const KalMotionProblem plain = instant_problem(&first);
        if (!holds(kal_motion_solve(solver[0], &plain, &a) == KAL_OK, "solves",
                   "plain")) {
            continue;
        }
        for (int j = 0; j < n; j++) {
            qdd[j] = a.qdd[columns[j]] * unit[columns[j]];
            ideal[j] = a.force_ideal[columns[j]] / unit[columns[j]];
        }
        const KalMotionProblem changed = instant_problem(&p);
        if (!holds(kal_motion_solve(solver[0], &changed, &b) == KAL_OK, "solves",
                   "other")) {
            continue;
        }
        check_verdicts(&b, "other");
        holds_near(difference(b.qdd, qdd, p.indeterminate, false), allowed,
                   "acceleration", "");
        holds_near(difference(b.force_ideal, ideal, NULL, true), allowed, "ideal force",
                   "");
    }
    end();
}

// The columns of X = A_M⁺ by the solver itself: the acceleration without force that
// follows b = A A⁺ e.
static bool fill_m_inverse(double X[N][M], const double *Aplus)
{
    KalMotionProblem problem = instant_problem(&p);
    double b[M];
    double zero[N] = {0.0};
    problem.b = b;
    problem.Q = zero;
    problem.C = NULL;
    for (int c = 0; c < p.m; c++) {
        for (int i = 0; i < p.m; i++) {
            b[i] = 0.0;
            for (int j = 0; j < p.n; j++) {
                b[i] += p.A[i * p.n + j] * Aplus[c * p.n + j];
            }
        }
        KalMotionAnswer a;
        if (!holds(kal_motion_solve(solver[0], &problem, &a) == KAL_OK, "solves",
                   "A+ e")) {
            return false;
        }
        for (int j = 0; j < p.n; j++) {
            X[j][c] = a.qdd[j];
        }
    }
    return true;
}

static double dot_rows(const double *x, int x_step, const double *y, int y_step, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i * x_step] * y[i * y_step];
    }
    return sum;
}

// A⁺ of the problem at hand, column after column.
static void fill_pseudoinverse(double *Aplus)
{
    static double columns[N * M];
    static double doubles[8 * (N + M) * (N + M)];
    static int ints[4 * (N + M)];
    KalPseudoinverse inverse;
    for (int i = 0; i < p.m; i++) {
        for (int j = 0; j < p.n; j++) {
            columns[j * p.m + i] = p.A[i * p.n + j];
        }
    }
    kal_pseudoinverse_factor(&inverse, (KalMatrix){columns, p.m, p.n, p.m}, p.rank_A,
                             doubles, ints);
    for (int c = 0; c < p.m; c++) {
        double e[M] = {0.0};
        e[c] = 1.0;
        kal_pseudoinverse_apply(&inverse, e, Aplus + c * p.n);
    }
}

// How far X is from (13a–d) of the M-weighted inverse.
static void measure_conditions(double X[N][M], double worst[4])
{
    static double P[N][N]; // X A
    static double R[M][M]; // A X
    for (int i = 0; i < p.n; i++) {
        for (int j = 0; j < p.n; j++) {
            P[i][j] = dot_rows(X[i], 1, p.A + j, p.n, p.m);
        }
    }
    for (int i = 0; i < p.m; i++) {
        for (int j = 0; j < p.m; j++) {
            R[i][j] = dot_rows(p.A + i * p.n, 1, &X[0][j], M, p.n);
        }
    }
    for (int i = 0; i < p.m; i++) {
        for (int j = 0; j < p.n; j++) {
            const double AXA = dot_rows(p.A + i * p.n, 1, &P[0][j], N, p.n);
            const double XAX = dot_rows(P[j], 1, &X[0][i], M, p.n);
            worst[0] = fmax(worst[0], fabs(AXA - p.A[i * p.n + j]));
            worst[1] = fmax(worst[1], fabs(XAX - X[j][i]));
        }
        for (int j = 0; j < i; j++) {
            worst[2] = fmax(worst[2], fabs(R[i][j] - R[j][i]));
        }
    }
    for (int i = 0; i < p.n; i++) { // (X A)ᵀ M = M X A
        for (int j = 0; j < p.n; j++) {
            const double left = dot_rows(&P[0][i], N, p.M + j, p.n, p.n);
            const double right = dot_rows(p.M + i * p.n, 1, &P[0][j], N, p.n);
            worst[3] = fmax(worst[3], fabs(left - right));
        }
    }
}

// On definite problems in plain units.
static void m_inverse_satisfies_its_four_conditions(void)
{
    static const char *const condition[] = {"13a", "13b", "13c", "13d"};
    static double X[N][M];
    static double Aplus[M * N];
    begin();
    const int count = problems(20);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 3000000U};
        seed = rng.state;
        instant_make(&p, &rng, rng_int(&rng, 1, 12), rng_int(&rng, 1, 15), true, 0.0);
        find_allowed();
        fill_pseudoinverse(Aplus);
        if (!fill_m_inverse(X, Aplus)) {
            continue;
        }
        double worst[4] = {0.0};
        measure_conditions(X, worst);
        for (int c = 0; c < 4; c++) {
            holds_near(worst[c], 10.0 * allowed, condition[c], "M-inverse");
        }
    }
    end();
}

// The acceleration that C adds is M-orthogonal to the one the ideal force adds.
static void ideal_and_nonideal_parts_are_m_orthogonal(void)
{
    begin();
    const int count = problems(10);
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number + 4000000U, true);
        p.has_C = true;
        Rng rng = {(uint64_t)number};
        for (int j = 0; j < p.n; j++) {
            p.C[j] = rng_entry(&rng) / p.unit[j];
        }
        KalMotionAnswer a;
        KalMotionProblem problem = instant_problem(&p);
        double with[N];
        double multipliers[M];
        if (!holds(kal_motion_solve(solver[0], &problem, &a) == KAL_OK, "solves",
                   "with C")) {
            continue;
        }
        memcpy(with, a.qdd, (size_t)p.n * sizeof with[0]);
        memcpy(multipliers, a.multipliers, (size_t)p.m * sizeof multipliers[0]);
        problem.C = NULL;
        if (!holds(kal_motion_solve(solver[0], &problem, &a) == KAL_OK, "solves",
                   "no C")) {
            continue;
        }
        double product = 0.0; // Δ_idealᵀ M Δ_nonideal = λᵀ A Δ_nonideal
        double size = 1.0;
        for (int i = 0; i < p.m; i++) {
            holds_near(fabs(multipliers[i] - a.multipliers[i]) * p.row_unit[i],
                       allowed * (1.0 + fabs(a.multipliers[i]) * p.row_unit[i]),
                       "ideal multiplier depends on C", "");
            for (int j = 0; j < p.n; j++) {
                const double term =
                    multipliers[i] * p.A[i * p.n + j] * (with[j] - a.qdd[j]);
                product += term;
                size += fabs(term);
            }
        }
        holds_near(fabs(product) / size, allowed, "M-orthogonality", "");
    }
    end();
}

// Rank of the rows named, on natural units, by the pivoted factorization of the library.
static int rank_of(const int *rows, int count)
{
    static double W[N * M];
    double tau[N + M];
    double norms[2 * M];
    int perm[M];
    for (int c = 0; c < count; c++) {
        for (int j = 0; j < p.n; j++) {
            W[c * p.n + j] = p.A[rows[c] * p.n + j] * p.unit[j] / p.row_unit[rows[c]];
        }
    }
    KalQr qr = {.rows = p.n,
                .columns = count,
                .W = W,
                .tau = tau,
                .perm = perm,
                .norms = norms};
    kal_qr_factor(&qr, 1e-9, 0);
    return qr.rank;
}

// Constraints that cannot hold together are refused, and the set that is named is one
// whose rows depend on each other while no part of it does.
static void contradictions_are_named(void)
{
    begin();
    int seen = 0;
    const int count = problems(4);
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number + 5000000U, number % 2 == 0);
        Rng rng = {(uint64_t)number};
        const int row = p.m > 0 ? rng_int(&rng, 0, p.m - 1) : 0;
        if (p.m == 0 || p.set[row] < 0) {
            continue;
        }
        p.b[row] += 0.5 * p.row_unit[row];
        seen++;
        const KalMotionProblem problem = instant_problem(&p);
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            const KalStatus status = kal_motion_solve(solver[f], &problem, &a);
            const KalMotionFault fault = kal_motion_fault(solver[f]);
            if (!holds(status == KAL_ERR_CONTRADICTION, "not refused",
                       kal_formulation_word(ALL[f]))) {
                continue;
            }
            holds(fault.constraints && fault.count >= 1, "names constraints", "");
            holds(rank_of(fault.indices, fault.count) == fault.count - 1,
                  "the set is not a smallest dependent one", "");
            bool has_row = false;
            for (int i = 0; i < fault.count; i++) {
                has_row |= fault.indices[i] == row;
                holds(p.set[fault.indices[i]] == p.set[row], "names a stranger", "");
            }
            holds(has_row, "does not name the constraint that was changed", "");
            holds(fault.size > 0.0, "size", "");
        }
    }
    ok(seen > 0);
    end();
}

// A force along a massless free direction is refused with coordinates that are free.
static void forces_without_mass_are_named(void)
{
    begin();
    int seen = 0;
    const int count = problems(4);
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number + 6000000U, false);
        int j = 0;
        while (j < p.n && !p.indeterminate[j]) {
            j++;
        }
        if (j == p.n) {
            continue;
        }
        seen++;
        p.Q[j] += 1.0 / p.unit[j];
        const KalMotionProblem problem = instant_problem(&p);
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            const KalStatus status = kal_motion_solve(solver[f], &problem, &a);
            const KalMotionFault fault = kal_motion_fault(solver[f]);
            if (!holds(status == KAL_ERR_NO_ACCELERATION, "not refused",
                       kal_formulation_word(ALL[f]))) {
                continue;
            }
            holds(!fault.constraints && fault.count >= 1 && fault.size > 0.0, "names",
                  "");
            for (int i = 0; i < fault.count; i++) {
                holds(p.indeterminate[fault.indices[i]],
                      "names a coordinate that is held", "");
            }
        }
    }
    ok(seen > 0);
    end();
}

// The shortest acceleration and the shortest multipliers are orthogonal, in given units,
// to everything that could be added to them.
static void what_is_not_unique_is_shortest(void)
{
    begin();
    const int count = problems(10);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 7000000U};
        seed = rng.state;
        instant_make(&p, &rng, rng_int(&rng, 1, 10), rng_int(&rng, 0, 12), false, 0.0);
        find_allowed();
        const KalMotionProblem problem = instant_problem(&p);
        KalMotionAnswer a;
        double reference[N];
        double lambda[M];
        for (int f = 0; f < FORMULATIONS; f++) {
            if (!applies(ALL[f])
                || !holds(kal_motion_solve(solver[f], &problem, &a) == KAL_OK, "solves",
                          "")) {
                continue;
            }
            if (f == 0) {
                memcpy(reference, a.qdd, (size_t)p.n * sizeof reference[0]);
                memcpy(lambda, a.multipliers, (size_t)p.m * sizeof lambda[0]);
            }
            holds_near(difference(a.qdd, reference, NULL, false), allowed,
                       "shortest acceleration", kal_formulation_word(ALL[f]));
            for (int i = 0; i < p.m; i++) {
                holds_near(fabs(a.multipliers[i] - lambda[i]),
                           allowed * (1.0 + fabs(lambda[i])), "shortest multiplier",
                           kal_formulation_word(ALL[f]));
            }
        }
        // λ is the shortest iff it lies in the range of A: λ = A x for some x.
        double change[M];
        double x[N];
        static double columns[N * M];
        static double doubles[8 * (N + M) * (N + M)];
        static int ints[4 * (N + M)];
        KalPseudoinverse inverse;
        for (int i = 0; i < p.m; i++) {
            for (int j = 0; j < p.n; j++) {
                columns[j * p.m + i] = p.A[i * p.n + j];
            }
        }
        kal_pseudoinverse_factor(&inverse, (KalMatrix){columns, p.m, p.n, p.m},
                                 p.rank_A, doubles, ints);
        kal_pseudoinverse_apply(&inverse, lambda, x);
        for (int i = 0; i < p.m; i++) {
            change[i] = dot_rows(p.A + i * p.n, 1, x, 1, p.n) - lambda[i];
            holds_near(fabs(change[i]), allowed, "multipliers outside the range of A",
                       "");
        }
    }
    end();
}

// After a plastic impact the constraints hold, the impulse is Aᵀλ, and imposing them a
// second time changes nothing.
static void impacts_are_plastic(void)
{
    begin();
    const int count = problems(10);
    for (int number = 1; number <= count; number++) {
        make_problem((uint64_t)number + 8000000U, number % 2 == 0);
        Rng rng = {(uint64_t)number};
        double before[N];
        double after[N];
        double zero[N] = {0.0};
        for (int j = 0; j < p.n; j++) {
            before[j] = rng_entry(&rng) * p.unit[j];
        }
        KalMotionProblem problem = instant_problem(&p);
        problem.Q = zero;
        problem.C = NULL;
        KalMotionAnswer a;
        if (!holds(kal_motion_impact(solver[0], &problem, before, &a) == KAL_OK,
                   "solves", kal_context_message(ctx))) {
            continue;
        }
        memcpy(after, a.qdd, (size_t)p.n * sizeof after[0]);
        const double scale = size_in_units(after, p.unit, p.n, false);
        for (int i = 0; i < p.m; i++) {
            const double miss = dot_rows(p.A + i * p.n, 1, after, 1, p.n) - p.b[i];
            holds_near(fabs(miss) / p.row_unit[i] / scale, allowed,
                       "constraint after impact", "");
        }
        for (int j = 0; j < p.n; j++) {
            double momentum = 0.0;
            double size = 1.0;
            for (int k = 0; k < p.n; k++) {
                momentum += p.M[j * p.n + k] * (after[k] - before[k]);
                size += fabs(p.M[j * p.n + k] * (after[k] - before[k])) * p.unit[j];
            }
            holds_near(fabs(momentum - a.force_ideal[j]) * p.unit[j] / size, allowed,
                       "impulse", "");
        }
        if (holds(kal_motion_impact(solver[0], &problem, after, &a) == KAL_OK, "solves",
                  "second")) {
            holds_near(difference(a.qdd, after, NULL, false), allowed, "second impact",
                       "");
        }
    }
    end();
}

TAP_RUN(TAP_CASE(formulations_agree_with_the_construction),
        TAP_CASE(work_and_gauss_principle_hold),
        TAP_CASE(order_and_units_do_not_matter),
        TAP_CASE(m_inverse_satisfies_its_four_conditions),
        TAP_CASE(ideal_and_nonideal_parts_are_m_orthogonal),
        TAP_CASE(contradictions_are_named), TAP_CASE(forces_without_mass_are_named),
        TAP_CASE(what_is_not_unique_is_shortest), TAP_CASE(impacts_are_plastic))

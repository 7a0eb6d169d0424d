// SPDX-License-Identifier: MIT

// The default is fast where that is safe and hands over where it must.  Accuracy is
// measured against a solution in quadruple precision and against the sensitivity of the
// problem itself: what rounding of its numbers would change in the answer.

#include "lab.h"
#include "rng.h"

#include <float.h>

enum {
    N = 8,
    M = 8
};

typedef struct Problem {
    int n;
    int m;
    double M[N * N];
    double Q[N];
    double A[M * N];
    double b[M];
} Problem;

static Lab lab;

static KalMotionProblem problem_of(const Problem *p)
{
    return (KalMotionProblem){
        .n = p->n, .m = p->m, .M = p->M, .Q = p->Q, .A = p->A, .b = p->b};
}

__extension__ typedef __float128 Quad; // 113 bits

static Quad quad_abs(Quad x)
{
    return x < 0 ? -x : x;
}

// [M −Aᵀ; A 0] [q''; λ] = [Q; b] solved in quadruple precision.
typedef struct Reference {
    double x[N + M];           // q'', then λ
    double sensitivity[N + M]; // Σ |K⁻¹| (|K| |x| + |rhs|)
} Reference;

static Quad K[N + M][N + M];
static Quad rhs[N + M];
static Quad inverse[N + M][N + M];
static double unit[N + M]; // the system is solved for x / unit

// Powers of two that bring masses, then rows of A, to about 1.
static void find_units(const Problem *p)
{
    for (int j = 0; j < p->n; j++) {
        unit[j] = ldexp(1.0, -ilogb(p->M[j * p->n + j]) / 2);
    }
    for (int i = 0; i < p->m; i++) {
        double largest = 0.0;
        for (int j = 0; j < p->n; j++) {
            largest = fmax(largest, fabs(p->A[i * p->n + j] * unit[j]));
        }
        unit[p->n + i] = ldexp(1.0, -ilogb(largest));
    }
}

static void fill_system(const Problem *p)
{
    memset(K, 0, sizeof K);
    find_units(p);
    for (int i = 0; i < p->n; i++) {
        rhs[i] = p->Q[i] * unit[i];
        for (int j = 0; j < p->n; j++) {
            K[i][j] = p->M[i * p->n + j] * unit[i] * unit[j];
        }
    }
    for (int i = 0; i < p->m; i++) {
        rhs[p->n + i] = p->b[i] * unit[p->n + i];
        for (int j = 0; j < p->n; j++) {
            K[p->n + i][j] = p->A[i * p->n + j] * unit[p->n + i] * unit[j];
            K[j][p->n + i] = -K[p->n + i][j];
        }
    }
}

static void add_row(int size, Quad (*X)[N + M], int to, int from, Quad f)
{
    for (int j = 0; j < size; j++) {
        X[to][j] += f * X[from][j];
    }
}

static void swap_rows(int size, Quad (*X)[N + M], int a, int b)
{
    for (int j = 0; j < size; j++) {
        const Quad keep = X[a][j];
        X[a][j] = X[b][j];
        X[b][j] = keep;
    }
}

// Gauss and Jordan, with pivots relative to the largest entry of their row.
static void invert(int size)
{
    static Quad W[N + M][N + M];
    Quad largest[N + M];
    memcpy(W, K, sizeof W);
    for (int i = 0; i < size; i++) {
        largest[i] = 0;
        for (int j = 0; j < size; j++) {
            inverse[i][j] = i == j;
            const Quad a = quad_abs(W[i][j]);
            largest[i] = a > largest[i] ? a : largest[i];
        }
    }
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++) {
            best = quad_abs(W[i][k]) / largest[i] > quad_abs(W[best][k]) / largest[best]
                       ? i
                       : best;
        }
        swap_rows(size, W, k, best);
        swap_rows(size, inverse, k, best);
        largest[best] = largest[k];
        const Quad pivot = W[k][k];
        add_row(size, W, k, k, 1 / pivot - 1);
        add_row(size, inverse, k, k, 1 / pivot - 1);
        for (int i = 0; i < size; i++) {
            if (i != k) {
                const Quad f = -W[i][k];
                add_row(size, W, i, k, f);
                add_row(size, inverse, i, k, f);
            }
        }
    }
}

static Reference reference_of(const Problem *p)
{
    const int size = p->n + p->m;
    Quad x[N + M];
    Reference r;
    fill_system(p);
    invert(size);
    for (int i = 0; i < size; i++) {
        x[i] = 0;
        for (int j = 0; j < size; j++) {
            x[i] += inverse[i][j] * rhs[j];
        }
        r.x[i] = (double)x[i] * unit[i];
    }
    Quad terms[N + M];
    for (int j = 0; j < size; j++) {
        terms[j] = quad_abs(rhs[j]);
        for (int k = 0; k < size; k++) {
            terms[j] += quad_abs(K[j][k] * x[k]);
        }
    }
    for (int i = 0; i < size; i++) {
        Quad sum = 0;
        for (int j = 0; j < size; j++) {
            sum += quad_abs(inverse[i][j]) * terms[j];
        }
        r.sensitivity[i] = (double)sum * unit[i];
    }
    return r;
}

// A harmless mass matrix with entries of a few bits: strong diagonal.
static void random_mass(Problem *p, Rng *rng)
{
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < i; j++) {
            const double x = rng_int(rng, -8, 8) / 8.0;
            p->M[i * p->n + j] = x;
            p->M[j * p->n + i] = x;
        }
        p->M[i * p->n + i] = p->n + rng_int(rng, 0, 8) / 8.0;
    }
}

static void random_rest(Problem *p, Rng *rng)
{
    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < p->n; j++) {
            p->A[i * p->n + j] = rng_int(rng, -8, 8) / 8.0 + (i == j ? 4.0 : 0.0);
        }
        p->b[i] = rng_entry(rng);
    }
    for (int j = 0; j < p->n; j++) {
        p->Q[j] = rng_entry(rng);
    }
}

static Problem random_problem(Rng *rng, int n, int m)
{
    Problem p = {.n = n, .m = m};
    random_mass(&p, rng);
    random_rest(&p, rng);
    return p;
}

// Make the last row a combination of the others but for `distance`.
static void bring_near(Problem *p, double distance)
{
    double *last = p->A + (p->m - 1) * p->n;
    for (int j = 0; j < p->n; j++) {
        last[j] = distance * last[j];
        for (int i = 0; i < p->m - 1; i++) {
            last[j] += p->A[i * p->n + j] * (i % 2 ? 1.0 : -2.0);
        }
    }
}

// Put a direction of little energy into M: M ← M − (1 − s) u uᵀ with u = M w/√(wᵀM w), so
// that wᵀM w becomes s times what it was.  Rounding leaves M symmetric and definite as
// long as s is well above it.
static void soften(Problem *p, Rng *rng, double s)
{
    double w[N];
    double u[N];
    double energy = 0.0;
    for (int i = 0; i < p->n; i++) {
        w[i] = rng_entry(rng);
    }
    for (int i = 0; i < p->n; i++) {
        u[i] = 0.0;
        for (int j = 0; j < p->n; j++) {
            u[i] += p->M[i * p->n + j] * w[j];
        }
        energy += u[i] * w[i];
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j <= i; j++) {
            p->M[i * p->n + j] -= (1.0 - s) * u[i] * u[j] / energy;
            p->M[j * p->n + i] = p->M[i * p->n + j];
        }
    }
}

// Other units for coordinates and rows, exactly.
static void change_units(Problem *p, Rng *rng, int most)
{
    int order[N];
    for (int j = 0; j < p->n; j++) {
        order[j] = rng_int(rng, -most, most);
        p->Q[j] = ldexp(p->Q[j], -order[j]);
    }
    for (int i = 0; i < p->n * p->n; i++) {
        p->M[i] = ldexp(p->M[i], -order[i / p->n] - order[i % p->n]);
    }
    for (int i = 0; i < p->m; i++) {
        const int row = rng_int(rng, -most, most);
        p->b[i] = ldexp(p->b[i], row);
        for (int j = 0; j < p->n; j++) {
            p->A[i * p->n + j] = ldexp(p->A[i * p->n + j], row - order[j]);
        }
    }
}

// How many times the unavoidable error the answer is off, over accelerations and
// multipliers; infinite when there is no answer, or one with other ranks.
static double excess_error(int f, const Problem *p, const Reference *r)
{
    const KalMotionProblem problem = problem_of(p);
    KalMotionAnswer a;
    if (kal_motion_solve(lab.solver[f], &problem, &a) != KAL_OK || a.rank_M != p->n
        || a.rank_A != p->m || a.n_dependent_sets != 0) {
        return INFINITY;
    }
    double worst = 0.0;
    for (int i = 0; i < p->n + p->m; i++) {
        const double got = i < p->n ? a.qdd[i] : a.multipliers[i - p->n];
        const double error = fabs(got - r->x[i]) / (DBL_EPSILON * r->sensitivity[i]);
        worst = error <= worst ? worst : error;
    }
    return worst;
}

typedef struct Family {
    double distance; // of the last row, 1: independent
    double softness; // energy of a soft direction, 1: none
    int units;       // binary orders
} Family;

static Problem family_member(const Family *family, uint64_t number)
{
    Rng rng = {number};
    const int n = rng_int(&rng, 2, N);
    const int m = rng_int(&rng, family->distance < 1.0 ? 2 : 0, n);
    Problem p = random_problem(&rng, n, m);
    if (family->distance < 1.0) {
        bring_near(&p, family->distance);
    }
    if (family->softness < 1.0) {
        soften(&p, &rng, family->softness);
    }
    change_units(&p, &rng, family->units);
    return p;
}

static const Family FAMILIES[] = {
    {1.0,   1.0,   0 },
    {1.0,   1.0,   26},
    {1e-2,  1.0,   0 },
    {1e-4,  1.0,   26},
    {1e-6,  1.0,   0 },
    {1e-6,  1.0,   26},
    {1e-8,  1.0,   0 },
    {1e-10, 1.0,   0 },
    {1e-10, 1.0,   26},
    {1.0,   1e-4,  0 },
    {1.0,   1e-6,  26},
    {1.0,   1e-9,  0 },
    {1.0,   1e-12, 0 },
    {1.0,   1e-12, 26},
    {1e-3,  1e-4,  0 },
    {1e-5,  1e-6,  26},
};

// Rounding happens some (n + m)² times on the way; not each time in the worst place.  The
// literal formulas take a detour through M^(−1/2) or stacked systems, and lose a digit.
static const double ALLOWED = 100.0;
static const double ALLOWED_LITERAL = 1000.0;

static void check_accuracy(KalFormulation f, double allowed)
{
    for (size_t k = 0; k < sizeof FAMILIES / sizeof FAMILIES[0]; k++) {
        double worst = 0.0;
        for (uint64_t number = 1; number <= 200; number++) {
            const Problem p = family_member(&FAMILIES[k], number);
            const Reference r = reference_of(&p);
            const double error = excess_error((int)f, &p, &r);
            worst = error <= worst ? worst : error;
        }
        if (!near(worst, 0.0, allowed)) {
            printf("# %s: rows at distance %g, soft direction %g, units 2^%d\n",
                   kal_formulation_word(f), FAMILIES[k].distance, FAMILIES[k].softness,
                   FAMILIES[k].units);
        }
    }
}

static void default_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_DEFAULT, ALLOWED);
}

static void nullspace_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_NULLSPACE, ALLOWED);
}

static void lagrange_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_LAGRANGE, ALLOWED_LITERAL);
}

static void pseudoinverse_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_PSEUDOINVERSE, ALLOWED_LITERAL);
}

static void semidefinite_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_SEMIDEFINITE, ALLOWED_LITERAL);
}

static void auxiliary_is_as_accurate_as_the_problem_allows(void)
{
    check_accuracy(KAL_FORMULATION_AUXILIARY, ALLOWED_LITERAL);
}

static bool is_fast(const Problem *p)
{
    const KalMotionProblem problem = problem_of(p);
    KalMotionAnswer a;
    return ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK) && a.fast;
}

static void regular_problems_are_answered_fast(void)
{
    for (uint64_t number = 1; number <= 500; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 1, N);
        Problem p = random_problem(&rng, n, rng_int(&rng, 0, n));
        change_units(&p, &rng, number % 2 ? 26 : 0);
        ok(is_fast(&p));
    }
}

// Copies, multiples and sums of rows, with right-hand sides that agree.
static void clearly_dependent_rows_are_answered_fast(void)
{
    for (uint64_t number = 1; number <= 200; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 3, N);
        Problem p = random_problem(&rng, n, 3);
        bring_near(&p, 0.0);
        p.b[2] = -2.0 * p.b[0] + p.b[1];
        ok(is_fast(&p));
    }
}

// r = L, x = 0: a row with one entry and nothing on the right.  Its acceleration is zero
// up to rounding, which is small compared with everything else that moves.
static void a_coordinate_held_at_rest_is_regular(void)
{
    for (uint64_t number = 1; number <= 200; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 2, N);
        Problem p = random_problem(&rng, n, rng_int(&rng, 1, n - 1));
        memset(p.A, 0, sizeof p.A);
        memset(p.b, 0, sizeof p.b);
        for (int i = 0; i < p.m; i++) {
            p.A[i * n + i] = 1.0;
        }
        ok(is_fast(&p));
        const KalMotionProblem problem = problem_of(&p);
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
            near(a.residual_constraints, 0.0, 1e-13);
            near(a.residual_motion, 0.0, 1e-13);
        }
    }
}

// As many constraints as coordinates leave the forces no say: q'' = A⁻¹b, however light a
// coordinate and however large the force on it is.  Without refinement the rounding of
// M⁻¹Q, here up to 10¹² times as large as q'', would show.
static void forces_leave_no_trace_in_what_is_led(void)
{
    for (uint64_t number = 1; number <= 200; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 1, N);
        Problem p = random_problem(&rng, n, n);
        double C[N];
        double want[N];
        for (int i = 0; i < n; i++) { // q'' by rows, each with one more entry
            const int before = (i + n - 1) % n;
            const double link = i > 0 ? 0.25 : 0.0;
            memset(p.A + (size_t)(i * n), 0, (size_t)n * sizeof *p.A);
            p.A[i * n + before] = link;
            p.A[i * n + i] = 1.0;
            want[i] = ldexp(rng_int(&rng, -99, 99), -7);
            p.b[i] = want[i] + (i > 0 ? link * want[before] : 0.0); // exact
            C[i] = rng_entry(&rng) * rng_scale(&rng, 3.0);
            p.Q[i] *= rng_scale(&rng, 3.0);
        }
        for (int i = 0; i < n; i++) {
            const double lighter = ldexp(1.0, -rng_int(&rng, 0, 15));
            for (int j = 0; j < n; j++) {
                p.M[i * n + j] *= lighter;
                p.M[j * n + i] *= lighter;
            }
        }
        KalMotionProblem problem = problem_of(&p);
        for (int k = 0; k < 2; k++) {
            KalMotionAnswer a;
            problem.C = k ? C : NULL;
            ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
            for (int i = 0; i < n; i++) {
                near(a.qdd[i], want[i], 1e-13);
            }
        }
    }
}

// A coordinate without mass that constraints tie to others: they lend it weight.  One that
// nothing is tied to is handed over.
static void singular_masses_are_strengthened_or_handed_over(void)
{
    int fast = 0;
    for (uint64_t number = 1; number <= 100; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 2, N);
        Problem p = random_problem(&rng, n, rng_int(&rng, 1, n));
        for (int i = 0; i < n; i++) { // a coordinate without mass
            p.M[i] = 0.0;
            p.M[i * n] = 0.0;
        }
        fast += is_fast(&p);
        const KalMotionProblem problem = problem_of(&p);
        KalMotionAnswer a;
        KalMotionAnswer want;
        ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
        ok(kal_motion_solve(lab.solver[KAL_FORMULATION_NULLSPACE], &problem, &want)
           == KAL_OK);
        ok(a.rank_M == n - 1 && a.rank_A == p.m && a.rank_Mhat == n && a.unique);
        near(lab_error(a.qdd, want.qdd, n), 0.0, 1e-9);
        near(lab_error(a.multipliers, want.multipliers, p.m), 0.0, 1e-9);
        for (int i = 0; i < p.m; i++) {
            p.A[i * n] = 0.0;
        }
        p.Q[0] = 0.0;
        p.m = p.m < n ? p.m : n - 1;
        ok(!is_fast(&p));
    }
    ok(fast > 80);
}

// The verdict on a row that comes closer and closer to another does not depend on who
// gives it, with a harmless M and with one that has a soft direction.
static void verdicts_do_not_depend_on_the_formulation(void)
{
    for (int soft = 0; soft <= 13; soft++) {
        for (int k = 20; k <= 52; k++) {
            const double e = ldexp(1.0, -k);
            const double c = soft ? 1.0 - ldexp(1.0, -soft) : 0.0;
            const Problem p = {
                .n = 2,
                .m = 2,
                .M = {1.0,   c,       c, 1.0},
                .Q = {1.0,  2.0        },
                .A = {1.0, -1.0,1.0 + e, -1.0 + e},
                .b = {-2.0, (1.0 + e) * 3.0 + (-1.0 + e) * 5.0 }, // of (3, 5)
            };
            const KalMotionProblem problem = problem_of(&p);
            int rank = 0;
            for (int f = FORMULATIONS - 1; f >= 0; f--) {
                KalMotionAnswer a;
                if (!ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK)) {
                    continue;
                }
                rank = f == FORMULATIONS - 1 ? a.rank_A : rank;
                if (!ok(a.rank_A == rank)) {
                    printf("# %s has rank %d at distance 2^-%d, nullspace %d; M "
                           "couples by 1 - 2^-%d\n",
                           kal_formulation_word((KalFormulation)f), a.rank_A, k, rank,
                           soft);
                }
            }
            ok(rank == 2 || k >= 39); // 2^-40 is the documented tolerance
            ok(rank == 1 || k <= 40);
        }
    }
}

// Rows that differ by rounding alone are one constraint: the answer is that of the first
// row, to full accuracy.
static void rows_that_differ_by_rounding_are_one(void)
{
    for (uint64_t number = 1; number <= 200; number++) {
        Rng rng = {number};
        const int n = rng_int(&rng, 2, N);
        Problem p = random_problem(&rng, n, 2);
        for (int j = 0; j < n; j++) {
            p.A[j] = rng_entry(&rng);
            p.A[n + j] = p.A[j] / 3.0; // rounded, each entry for itself
        }
        p.b[1] = p.b[0] / 3.0;
        Problem single = p;
        single.m = 1;
        const Reference r = reference_of(&single);
        const KalMotionProblem problem = problem_of(&p);
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
            ok(a.rank_A == 1 && a.n_dependent_sets == 1);
            ok(a.dependent_set[0] == 0 && a.dependent_set[1] == 0);
            near(lab_error(a.qdd, r.x, n), 0.0, 1e-14);
        }
    }
}

// Energy in the soft direction down to 2^-40 of the others is mass; below rounding it is
// none.  [1 1; 1 1 + s] leaves s after the first pivot.
static void soft_directions_have_mass_until_rounding(void)
{
    for (int k = 10; k <= 52; k++) {
        const double s = ldexp(1.0, -k);
        const double masses[] = {1.0, 1.0, 1.0, 1.0 + s};
        const double Q[] = {7.0, 7.0 + 4.0 * s}; // of (3, 4)
        const KalMotionProblem problem = {.n = 2, .M = masses, .Q = Q};
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            const KalStatus status = kal_motion_solve(lab.solver[f], &problem, &a);
            if (k <= 42) {
                ok(status == KAL_OK && a.rank_M == 2 && a.unique);
                near(a.qdd[0], 3.0, 64.0 * DBL_EPSILON / s);
                near(a.qdd[1], 4.0, 64.0 * DBL_EPSILON / s);
            } else if (status == KAL_OK && k >= 50) {
                ok(a.rank_M == 1 && !a.unique);
                near(a.qdd[0], 3.5, 1e-12); // (3.5, 3.5) is the shortest
            }
        }
    }
}

static void open_workspaces(void)
{
    lab_open(&lab, N, M);
}

static void close_workspaces(void)
{
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(open_workspaces),
        TAP_CASE(default_is_as_accurate_as_the_problem_allows),
        TAP_CASE(nullspace_is_as_accurate_as_the_problem_allows),
        TAP_CASE(lagrange_is_as_accurate_as_the_problem_allows),
        TAP_CASE(pseudoinverse_is_as_accurate_as_the_problem_allows),
        TAP_CASE(semidefinite_is_as_accurate_as_the_problem_allows),
        TAP_CASE(auxiliary_is_as_accurate_as_the_problem_allows),
        TAP_CASE(regular_problems_are_answered_fast),
        TAP_CASE(clearly_dependent_rows_are_answered_fast),
        TAP_CASE(a_coordinate_held_at_rest_is_regular),
        TAP_CASE(forces_leave_no_trace_in_what_is_led),
        TAP_CASE(singular_masses_are_strengthened_or_handed_over),
        TAP_CASE(verdicts_do_not_depend_on_the_formulation),
        TAP_CASE(rows_that_differ_by_rounding_are_one),
        TAP_CASE(soft_directions_have_mass_until_rounding), TAP_CASE(close_workspaces))

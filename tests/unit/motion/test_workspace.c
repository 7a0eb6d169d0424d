// SPDX-License-Identifier: MIT

// A workspace: made whole or not at all, then used again and again; a solve allocates
// nothing, keeps no memory of other solves, and gives the same bits everywhere.

#include "instant.h"
#include "lab.h"

#include <pthread.h>

enum {
    N = INSTANT_N,
    M = INSTANT_M
};

// Whichever allocation fails, making a workspace says so and leaks nothing.
static void every_allocation_may_fail(void)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionOptions options = kal_motion_options();
        options.formulation = (KalFormulation)f;
        KalStatus status = KAL_ERR_NOMEM;
        for (long n = 0; status != KAL_OK && n < 100; n = fault_next(n)) {
            Fault fault = {.calls_left = n + 1};
            KalContext *ctx = NULL;
            ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
            const size_t own = kal_context_bytes(ctx);
            KalMotion *motion = NULL;
            status = kal_motion_create(ctx, &options, 7, 9, &motion);
            ok((status == KAL_OK) == (motion != NULL));
            ok(status == KAL_OK || status == KAL_ERR_NOMEM);
            ok(status == KAL_OK || strstr(kal_context_message(ctx), "memory") != NULL);
            ok(status == KAL_OK || kal_context_bytes(ctx) == own);
            kal_motion_destroy(motion);
            kal_context_destroy(ctx);
            ok(fault.live_bytes == 0);
        }
        ok(status == KAL_OK);
    }
    kal_motion_destroy(NULL);
}

static void options_default_to_the_documented_ones(void)
{
    const KalMotionOptions options = kal_motion_options();
    ok(options.formulation == KAL_FORMULATION_DEFAULT);
    ok(options.rank_tolerance == 0.0);
    ok(options.consistency_tolerance > 0.0 && options.consistency_tolerance <= 1e-9);
}

// With no allocation left to be had, all solves and impacts still do their work.
static void solves_and_impacts_allocate_nothing(void)
{
    static Instant p;
    Lab lab;
    lab_open(&lab, N, M);
    const size_t blocks = kal_context_allocations(lab.ctx);
    const size_t bytes = kal_context_bytes(lab.ctx);
    lab.fault.calls_left = 0;
    for (uint64_t number = 1; number <= 300; number++) {
        Rng rng = {number};
        instant_make(&p, &rng, rng_int(&rng, 1, N), rng_int(&rng, 0, M),
                     number % 3 == 0, 4.0);
        const KalMotionProblem problem = instant_problem(&p);
        if (number % 5 == 0 && p.m > 0) {
            p.b[0] += p.row_unit[0]; // sometimes a contradiction
        }
        for (int f = 0; f < FORMULATIONS; f++) {
            KalMotionAnswer a;
            const KalStatus status = kal_motion_solve(lab.solver[f], &problem, &a);
            ok(status != KAL_ERR_NOMEM);
            ok(kal_motion_impact(lab.solver[f], &problem, p.qdd, &a) != KAL_ERR_NOMEM);
        }
    }
    ok(kal_context_allocations(lab.ctx) == blocks);
    ok(kal_context_bytes(lab.ctx) == bytes);
    lab_close(&lab);
}

// All numbers of an answer, in one piece, so that bits can be compared.
typedef struct Bits {
    KalStatus status;
    double numbers[3 * N + M + 2];
    bool indeterminate[N];
    int sets[M];
    int ranks[5];
} Bits;

static Bits bits_of(KalMotion *solver, const Instant *p, bool impact)
{
    Bits out;
    memset(&out, 0, sizeof out); // paddings too
    const KalMotionProblem problem = instant_problem(p);
    KalMotionAnswer a;
    out.status = impact ? kal_motion_impact(solver, &problem, p->qdd, &a)
                        : kal_motion_solve(solver, &problem, &a);
    if (out.status != KAL_OK) {
        return out;
    }
    const size_t n = (size_t)a.n * sizeof(double);
    memcpy(out.numbers, a.qdd, n);
    memcpy(out.numbers + N, a.force_ideal, n);
    memcpy(out.numbers + 2 * N, a.force_nonideal, n);
    memcpy(out.numbers + 3 * N, a.multipliers, (size_t)a.m * sizeof(double));
    out.numbers[3 * N + M] = a.residual_constraints;
    out.numbers[3 * N + M + 1] = a.residual_motion;
    memcpy(out.indeterminate, a.indeterminate, (size_t)a.n * sizeof(bool));
    memcpy(out.sets, a.dependent_set, (size_t)a.m * sizeof(int));
    memcpy(out.ranks,
           (int[]){a.rank_M, a.rank_A, a.rank_Mhat, a.n_dependent_sets, a.fast},
           sizeof out.ranks);
    return out;
}

static bool same_bits(const Bits *x, const Bits *y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

static void make_instant(Instant *p, uint64_t number)
{
    Rng rng = {number};
    const int n = rng_int(&rng, 1, number % 4 ? 8 : N);
    const int m = rng_int(&rng, 0, number % 4 ? 10 : M);
    instant_make(p, &rng, n, m, number % 2 == 0, number % 3 ? 0.0 : 8.0);
}

static void a_larger_workspace_gives_the_same_bits(void)
{
    static Instant p;
    Lab large;
    lab_open(&large, N, M);
    for (uint64_t number = 1; number <= 150; number++) {
        Lab exact;
        make_instant(&p, number);
        lab_open(&exact, p.n, p.m);
        for (int f = 0; f < FORMULATIONS; f++) {
            for (int impact = 0; impact < 2; impact++) {
                const Bits x = bits_of(large.solver[f], &p, impact);
                const Bits y = bits_of(exact.solver[f], &p, impact);
                ok(same_bits(&x, &y));
            }
        }
        lab_close(&exact);
    }
    lab_close(&large);
}

// An allocator whose blocks are full of one byte.
static void *filled_alloc(void *user, void *block, size_t old_size, size_t new_size)
{
    const unsigned char *byte = user;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    unsigned char *moved = realloc(block, new_size);
    if (moved && new_size > old_size) {
        memset(moved + old_size, *byte, new_size - old_size);
    }
    return moved;
}

// Whatever the workspace's memory held before, be it NaN, huge or tiny numbers.
static void what_memory_held_before_does_not_matter(void)
{
    static Instant p;
    unsigned char bytes[] = {0x00, 0xff, 0x7f, 0x5a};
    for (int f = 0; f < FORMULATIONS; f++) {
        KalContext *ctx[4];
        KalMotion *solver[4];
        KalMotionOptions options = kal_motion_options();
        options.formulation = (KalFormulation)f;
        for (int k = 0; k < 4; k++) {
            ok(kal_context_create(filled_alloc, &bytes[k], &ctx[k]) == KAL_OK);
            ok(kal_motion_create(ctx[k], &options, N, M, &solver[k]) == KAL_OK);
        }
        for (uint64_t number = 1; number <= 100; number++) {
            make_instant(&p, number + 3000U);
            const Bits clean = bits_of(solver[0], &p, number % 2);
            for (int k = 1; k < 4; k++) {
                const Bits other = bits_of(solver[k], &p, number % 2);
                ok(same_bits(&clean, &other));
            }
        }
        for (int k = 0; k < 4; k++) {
            kal_motion_destroy(solver[k]);
            kal_context_destroy(ctx[k]);
        }
    }
}

// Again at once, and again after other problems, some of which fail.
static void repetition_gives_the_same_bits(void)
{
    enum {
        COUNT = 40
    };

    static Instant p[COUNT];
    static Bits first[COUNT][FORMULATIONS];
    Lab lab;
    lab_open(&lab, N, M);
    for (int k = 0; k < COUNT; k++) {
        make_instant(&p[k], (uint64_t)k + 1000U);
        if (k % 7 == 6) {
            p[k].Q[0] = NAN;
        }
        for (int f = 0; f < FORMULATIONS; f++) {
            first[k][f] = bits_of(lab.solver[f], &p[k], false);
            const Bits again = bits_of(lab.solver[f], &p[k], false);
            ok(same_bits(&first[k][f], &again));
        }
    }
    for (int k = COUNT - 1; k >= 0; k--) {
        for (int f = 0; f < FORMULATIONS; f++) {
            const Bits again = bits_of(lab.solver[f], &p[k], false);
            ok(same_bits(&first[k][f], &again));
        }
    }
    lab_close(&lab);
}

enum {
    THREADS = 6,
    JOBS = 60
};

typedef struct Job {
    Instant p;
    Bits alone[FORMULATIONS];
} Job;

static Job jobs[JOBS];

typedef struct Worker {
    pthread_t thread;
    int number;
    int failures;
} Worker;

// Each worker starts at another job, so that different ones run side by side.
static void *work(void *user)
{
    Worker *worker = user;
    KalContext *ctx = NULL;
    worker->failures = kal_context_create(NULL, NULL, &ctx) != KAL_OK;
    for (int f = 0; f < FORMULATIONS && !worker->failures; f++) {
        KalMotionOptions options = kal_motion_options();
        KalMotion *solver = NULL;
        options.formulation = (KalFormulation)f;
        worker->failures += kal_motion_create(ctx, &options, N, M, &solver) != KAL_OK;
        for (int k = 0; k < JOBS && solver; k++) {
            const Job *job = &jobs[(k + 11 * worker->number) % JOBS];
            const Bits got = bits_of(solver, &job->p, false);
            worker->failures += !same_bits(&got, &job->alone[f]);
        }
        kal_motion_destroy(solver);
    }
    kal_context_destroy(ctx);
    return NULL;
}

static void threads_give_the_same_bits_as_one(void)
{
    Lab lab;
    Worker workers[THREADS];
    lab_open(&lab, N, M);
    for (int k = 0; k < JOBS; k++) {
        make_instant(&jobs[k].p, (uint64_t)k + 2000U);
        for (int f = 0; f < FORMULATIONS; f++) {
            jobs[k].alone[f] = bits_of(lab.solver[f], &jobs[k].p, false);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        ok(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ok(pthread_join(workers[i].thread, NULL) == 0);
        ok(workers[i].failures == 0);
    }
    lab_close(&lab);
}

// m = 0: q'' = M⁻¹(Q + C), nothing is constrained and the whole of C acts.
static void without_constraints_there_is_only_mass(void)
{
    const double masses[] = {2.0, 1.0, 1.0, 3.0}; // inverse [3 −1; −1 2]/5
    const double Q[] = {5.0, -10.0};
    const double C[] = {0.0, 5.0};
    const KalMotionProblem problem = {.n = 2, .M = masses, .Q = Q, .C = C};
    Lab lab;
    lab_open(&lab, 2, 0);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
        near(a.qdd[0], 4.0, 1e-14); // (3·5 + 1·5)/5
        near(a.qdd[1], -3.0, 1e-14);
        near(lab_size(a.force_ideal, 2), 0.0, 0.0);
        near(a.force_nonideal[0], 0.0, 1e-14);
        near(a.force_nonideal[1], 5.0, 1e-14);
        ok(a.m == 0 && a.rank_A == 0 && a.rank_Mhat == 2 && a.n_dependent_sets == 0);
    }
    lab_close(&lab);
}

// n = 1, and more constraints than coordinates: i x'' = 3 i for i = 1 … 5.  The force
// 2·3 − 1 = 5 is carried in proportion to i, 5 i/55 each, in the shortest way.
static void one_coordinate_may_have_many_constraints(void)
{
    const double mass[] = {2.0};
    const double Q[] = {1.0};
    const double A[] = {1.0, 2.0, 3.0, 4.0, 5.0};
    const double b[] = {3.0, 6.0, 9.0, 12.0, 15.0};
    Lab lab;
    lab_open(&lab, 1, 5);
    for (int f = 0; f < FORMULATIONS; f++) {
        for (int m = 0; m <= 5; m++) {
            const KalMotionProblem problem = {
                .n = 1, .m = m, .M = mass, .Q = Q, .A = A, .b = b};
            KalMotionAnswer a;
            ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
            near(a.qdd[0], m > 0 ? 3.0 : 0.5, 1e-14);
            near(a.force_ideal[0], m > 0 ? 5.0 : 0.0, 1e-14);
            ok(a.rank_A == (m > 0) && a.n_dependent_sets == (m > 1));
            double squares = 0.0;
            for (int i = 0; i < m; i++) {
                squares += A[i] * A[i];
            }
            for (int i = 0; i < m; i++) {
                near(a.multipliers[i], 5.0 * A[i] / squares, 1e-14);
                ok(a.dependent_set[i] == (m > 1 ? 0 : -1));
            }
        }
    }
    lab_close(&lab);
}

// A coordinate without any mass, wholly prescribed: x'' = 7, and the force is what Q
// leaves to be balanced.
static void a_massless_coordinate_may_be_prescribed(void)
{
    const double mass[] = {0.0};
    const double Q[] = {4.0};
    const double A[] = {2.0};
    const double b[] = {14.0};
    const KalMotionProblem problem = {
        .n = 1, .m = 1, .M = mass, .Q = Q, .A = A, .b = b};
    Lab lab;
    lab_open(&lab, 1, 1);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        const KalStatus status = kal_motion_solve(lab.solver[f], &problem, &a);
        if (f == KAL_FORMULATION_PSEUDOINVERSE) {
            ok(status == KAL_ERR_FORMULATION);
        } else if (ok(status == KAL_OK)) {
            near(a.qdd[0], 7.0, 1e-14);
            near(a.multipliers[0], -2.0, 1e-14);
            ok(a.rank_M == 0 && a.rank_Mhat == 1 && a.unique);
        }
    }
    lab_close(&lab);
}

// A dense regular problem of any size, with known acceleration and multipliers.
typedef struct Dense {
    int n;
    int m;
    double *M; // n × n
    double *A; // m × n
    double *Q; // n
    double *b; // m
    double *q; // n: the answer
} Dense;

static Dense dense_make(int n, int m, uint64_t seed)
{
    const size_t count = (size_t)(n * n + m * n + 2 * n + m);
    double *all = malloc(count * sizeof *all);
    Dense d = {n, m, all, NULL, NULL, NULL, NULL};
    Rng rng = {seed};
    d.A = d.M + n * n;
    d.Q = d.A + m * n;
    d.b = d.Q + n;
    d.q = d.b + m;
    for (int i = 0; i < n; i++) { // diagonally dominant
        for (int j = 0; j < i; j++) {
            d.M[i * n + j] = d.M[j * n + i] = rng_entry(&rng);
        }
        d.M[i * n + i] = n * (1.0 + rng_unit(&rng));
        d.q[i] = rng_entry(&rng);
    }
    for (int j = 0; j < n; j++) {
        d.Q[j] = 0.0;
        for (int k = 0; k < n; k++) {
            d.Q[j] += d.M[j * n + k] * d.q[k];
        }
    }
    for (int i = 0; i < m; i++) {
        const double lambda = rng_entry(&rng);
        d.b[i] = 0.0;
        for (int j = 0; j < n; j++) {
            d.A[i * n + j] = rng_entry(&rng) + (i == j ? 30.0 : 0.0);
            d.b[i] += d.A[i * n + j] * d.q[j];
            d.Q[j] -= d.A[i * n + j] * lambda;
        }
    }
    return d;
}

static void check_dense(int n, int m)
{
    const KalFormulation used[] = {KAL_FORMULATION_DEFAULT, KAL_FORMULATION_NULLSPACE};
    Dense d = dense_make(n, m, (uint64_t)(1000 * n + m));
    const KalMotionProblem problem = {
        .n = n, .m = m, .M = d.M, .Q = d.Q, .A = d.A, .b = d.b};
    KalContext *ctx = NULL;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int k = 0; k < 2; k++) {
        KalMotionOptions options = kal_motion_options();
        KalMotion *solver = NULL;
        KalMotionAnswer a;
        options.formulation = used[k];
        ok(kal_motion_create(ctx, &options, n, m, &solver) == KAL_OK);
        ok(kal_motion_solve(solver, &problem, &a) == KAL_OK);
        near(lab_error(a.qdd, d.q, n), 0.0, 1e-12);
        near(a.residual_constraints, 0.0, 1e-14);
        near(a.residual_motion, 0.0, 1e-14);
        ok(a.rank_M == n && a.rank_A == m && a.rank_Mhat == n);
        kal_motion_destroy(solver);
    }
    kal_context_destroy(ctx);
    free(d.M);
}

static void large_problems_are_solved(void)
{
    check_dense(200, 200);
    check_dense(300, 200);
    check_dense(60, 60);
}

// The problem at natural size, then in units of 2^k for one coordinate, one row, or the
// masses: either the right answer, scaled, or KAL_ERR_NUMBER.
static const double M0[] = {4.0, 1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0};
static const double A0[] = {1.0, 0.0, 2.0, 0.0, 1.0, -1.0};
static const double Q0[] = {1.0, -2.0, 3.0};
static const double B0[] = {0.5, -0.25};

typedef struct Extreme {
    int coordinate[3]; // exponents of units: q = 2^e q
    int row[2];
    int mass;
} Extreme;

// False when a number of the problem itself would leave the range of normal doubles.
static bool stretch(const Extreme *e, double *M1, double *A1, double *Q1, double *b1)
{
    bool normal = true;
    for (int i = 0; i < 9; i++) {
        M1[i] = ldexp(M0[i], e->mass - e->coordinate[i / 3] - e->coordinate[i % 3]);
        normal &= M0[i] == 0.0 || isnormal(M1[i]);
    }
    for (int i = 0; i < 6; i++) {
        A1[i] = ldexp(A0[i], e->row[i / 3] - e->coordinate[i % 3]);
        normal &= A0[i] == 0.0 || isnormal(A1[i]);
    }
    for (int i = 0; i < 3; i++) {
        Q1[i] = ldexp(Q0[i], e->mass - e->coordinate[i]);
        normal &= isnormal(Q1[i]) != 0;
    }
    for (int i = 0; i < 2; i++) {
        b1[i] = ldexp(B0[i], e->row[i]);
        normal &= isnormal(b1[i]) != 0;
    }
    return normal;
}

static void check_extreme(const Lab *lab, const Extreme *e)
{
    double M1[9];
    double A1[6];
    double Q1[3];
    double b1[2];
    if (!stretch(e, M1, A1, Q1, b1)) {
        return;
    }
    // By hand: null(A) is along w = (−2, 1, 1), so q'' = q₀ + y w with q₀ = (0.5, −0.25, 0)
    // and y = wᵀ(Q − M q₀)/wᵀM w = wᵀ(−0.75, −1.75, 3.125)/wᵀ(−7, 1.5, 2.5) = 2.875/18.
    const double y = 2.875 / 18.0;
    const double want[] = {0.5 - 2.0 * y, -0.25 + y, y};
    const KalMotionProblem problem = {
        .n = 3, .m = 2, .M = M1, .Q = Q1, .A = A1, .b = b1};
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        const KalStatus status = kal_motion_solve(lab->solver[f], &problem, &a);
        if (status != KAL_OK) {
            if (!ok(status == KAL_ERR_NUMBER)) {
                printf("# %s, units %d %d %d, rows %d %d, mass %d: %s\n",
                       kal_formulation_word((KalFormulation)f), e->coordinate[0],
                       e->coordinate[1], e->coordinate[2], e->row[0], e->row[1],
                       e->mass, kal_context_message(lab->ctx));
            }
            continue;
        }
        for (int i = 0; i < 3; i++) {
            if (!near(ldexp(a.qdd[i], -e->coordinate[i]), want[i], 1e-12)) {
                printf("# %s, units %d %d %d, rows %d %d, mass %d\n",
                       kal_formulation_word((KalFormulation)f), e->coordinate[0],
                       e->coordinate[1], e->coordinate[2], e->row[0], e->row[1],
                       e->mass);
            }
        }
        ok(a.rank_M == 3 && a.rank_A == 2 && a.unique);
    }
}

static void extreme_units_are_right_or_refused(void)
{
    Lab lab;
    lab_open(&lab, 3, 2);
    for (int k = -1020; k <= 1020; k += 20) {
        for (int j = 0; j < 3; j++) {
            Extreme e = {.coordinate = {0}};
            e.coordinate[j] = k / 2;
            check_extreme(&lab, &e);
        }
        check_extreme(&lab, &(Extreme){
                                .row = {k, 0}
        });
        check_extreme(&lab, &(Extreme){
                                .row = {k, -k}
        });
        check_extreme(&lab, &(Extreme){.mass = k});
        check_extreme(&lab, &(Extreme){
                                {k / 2, k / 2, k / 2},
                                {k / 2,     k / 2     },
                                0
        });
        check_extreme(&lab, &(Extreme){
                                {k / 2, 0, -k / 2},
                                {0,     k / 2     },
                                k / 4
        });
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(every_allocation_may_fail),
        TAP_CASE(options_default_to_the_documented_ones),
        TAP_CASE(solves_and_impacts_allocate_nothing),
        TAP_CASE(a_larger_workspace_gives_the_same_bits),
        TAP_CASE(what_memory_held_before_does_not_matter),
        TAP_CASE(repetition_gives_the_same_bits),
        TAP_CASE(threads_give_the_same_bits_as_one),
        TAP_CASE(without_constraints_there_is_only_mass),
        TAP_CASE(one_coordinate_may_have_many_constraints),
        TAP_CASE(a_massless_coordinate_may_be_prescribed),
        TAP_CASE(large_problems_are_solved),
        TAP_CASE(extreme_units_are_right_or_refused))

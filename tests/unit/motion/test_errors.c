// SPDX-License-Identifier: MIT

// Everything that can be wrong with a problem: the status, who is named, and that nothing
// else happens.

#include "lab.h"
#include "rng.h"

enum {
    N = 3,
    M = 2,
    MANY = 20
};

// A sound problem to spoil: three coordinates, two constraints.
typedef struct Givens {
    double M[N * N];
    double Q[N];
    double A[M * N];
    double b[M];
    double C[N];
} Givens;

static const Givens SOUND = {
    .M = {4.0,  1.0, 0.0, 1.0, 3.0, 0.5, 0.0, 0.5, 2.0},
    .Q = {1.0, -2.0, 3.0},
    .A = {1.0, 0.0,    2.0,     0.0, 1.0, -1.0},
    .b = {0.5, -0.25   },
    .C = {0.125, 0.0,-1.0    },
};

static const char *const COORDINATES[] = {"angle", "slide", "lift"};
static const char *const CONSTRAINTS[] = {"rod", "rail"};

static Lab lab;

static KalMotionProblem problem_of(const Givens *g, bool named)
{
    return (KalMotionProblem){N,
                              M,
                              g->M,
                              g->Q,
                              g->A,
                              g->b,
                              g->C,
                              named ? COORDINATES : NULL,
                              named ? CONSTRAINTS : NULL,
                              NULL};
}

static bool has_names(const char *const *names, int count)
{
    bool all = true;
    for (int i = 0; i < count; i++) {
        all &= has_text(kal_context_message(lab.ctx), names[i]);
    }
    return all;
}

// After a failure the workspace still solves.
static void check_usable(int f)
{
    const KalMotionProblem problem = problem_of(&SOUND, false);
    KalMotionAnswer a;
    ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
    ok(kal_motion_fault(lab.solver[f]).count == 0);
    near(a.qdd[0] + 2.0 * a.qdd[2], 0.5, 1e-14);
}

// Solve fails in every formulation with this status, names these parts, writes nothing.
static void check_fails(const KalMotionProblem *problem, KalStatus status,
                        const char *const *names, int count)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer answer;
        KalMotionAnswer before;
        memset(&answer, 0x5a, sizeof answer);
        memcpy(&before, &answer, sizeof before);
        if (!ok(kal_motion_solve(lab.solver[f], problem, &answer) == status)) {
            printf("# %s: %s\n", kal_formulation_word((KalFormulation)f),
                   kal_context_message(lab.ctx));
        }
        ok(memcmp(&answer, &before, sizeof before) == 0);
        has_names(names, count);
        const bool blames = status == KAL_ERR_MASS || status == KAL_ERR_CONTRADICTION
                            || status == KAL_ERR_NO_ACCELERATION;
        ok((kal_motion_fault(lab.solver[f]).count > 0) == blames);
        check_usable(f);
    }
}

#define NAMED(...)                      \
    (const char *const[]){__VA_ARGS__}, \
        (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

// Every solver blamed exactly these, rising.  For the fault of the last check_fails use
// check_blames, which solves again.
static void check_blames(const KalMotionProblem *problem, bool constraints,
                         const int *indices, int count)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer answer;
        ok(kal_motion_solve(lab.solver[f], problem, &answer) != KAL_OK);
        const KalMotionFault fault = kal_motion_fault(lab.solver[f]);
        ok(fault.constraints == constraints);
        if (ok(fault.count == count)) {
            ok(memcmp(fault.indices, indices, (size_t)count * sizeof *indices) == 0);
        }
    }
}

static void not_finite_entries_are_named(void)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        Givens g = SOUND;
        const KalMotionProblem problem = problem_of(&g, true);
        g.M[5] = bad[k]; // slide, lift
        check_fails(&problem, KAL_ERR_NUMBER, NAMED("M", "slide", "lift"));
        g = SOUND;
        g.Q[1] = bad[k];
        check_fails(&problem, KAL_ERR_NUMBER, NAMED("Q", "slide"));
        g = SOUND;
        g.A[3] = bad[k]; // rail, angle
        check_fails(&problem, KAL_ERR_NUMBER, NAMED("A", "rail", "angle"));
        g = SOUND;
        g.b[1] = bad[k];
        check_fails(&problem, KAL_ERR_NUMBER, NAMED("b", "rail"));
        g = SOUND;
        g.C[2] = bad[k];
        check_fails(&problem, KAL_ERR_NUMBER, NAMED("C", "lift"));
    }
}

// Every single place of every array, in default names.
static void every_place_is_looked_at(void)
{
    for (int k = 0; k < N * N + N + M * N + M + N; k++) {
        Givens g = SOUND;
        double *all[] = {g.M, g.Q, g.A, g.b, g.C};
        const int sizes[] = {N * N, N, M * N, M, N};
        int array = 0;
        int i = k;
        while (i >= sizes[array]) {
            i -= sizes[array++];
        }
        all[array][i] = NAN;
        char name[16];
        const bool matrix = array == 0 || array == 2;
        snprintf(name, sizeof name, "%s[%d]", array == 2 || array == 3 ? "c" : "q",
                 1 + (matrix ? i / N : i));
        const KalMotionProblem problem = problem_of(&g, false);
        check_fails(&problem, KAL_ERR_NUMBER, NAMED(name));
        if (matrix) {
            snprintf(name, sizeof name, "q[%d]", 1 + i % N);
            check_fails(&problem, KAL_ERR_NUMBER, NAMED(name));
        }
    }
}

static void an_asymmetric_mass_matrix_is_refused(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    g.M[2] = 0.5; // angle, lift; the other triangle has 0
    check_fails(&problem, KAL_ERR_MASS, NAMED("symmetric", "angle", "lift", "0.5"));
    check_blames(&problem, false, (int[]){0, 2}, 2);
    ok(kal_motion_fault(lab.solver[0]).size == 0.5);
    g = SOUND;
    g.M[7] += 1e-9;
    check_fails(&problem, KAL_ERR_MASS, NAMED("slide", "lift"));
}

// Rounding in somebody's evaluation of M is no error: the mean is used.
static void rounding_differences_of_triangles_are_accepted(void)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        Givens g = SOUND;
        double want[N];
        KalMotionAnswer a;
        const KalMotionProblem problem = problem_of(&g, true);
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
        memcpy(want, a.qdd, sizeof want);
        g.M[1] *= 1.0 + 0x1p-50;
        g.M[7] *= 1.0 - 0x1p-50;
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
        near(lab_error(a.qdd, want, N), 0.0, 1e-14);
        ok(kal_motion_fault(lab.solver[f]).count == 0);
    }
}

static void a_negative_mass_is_refused(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    g.M[4] = -3.0;
    check_fails(&problem, KAL_ERR_MASS, NAMED("slide", "negative"));
    check_blames(&problem, false, (int[]){1}, 1);
    g.M[4] = -1e-300;
    check_fails(&problem, KAL_ERR_MASS, NAMED("slide"));
}

// A coordinate without mass cannot share any: [0 c; c m] is indefinite for any c beyond
// rounding.
static void coupling_without_mass_is_refused(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    g.M[8] = 0.0; // lift, coupled with slide by 0.5
    check_fails(&problem, KAL_ERR_MASS, NAMED("slide", "lift"));
    check_blames(&problem, false, (int[]){1, 2}, 2);
    g.M[5] = g.M[7] = 1e-5;
    check_fails(&problem, KAL_ERR_MASS, NAMED("slide", "lift"));
}

// Every pair of coordinates has a positive definite block, but x − y + z has negative
// energy: 1 − 2·0.6³ − 3·0.6² < 0 is the determinant.  A fourth coordinate, coupled to none,
// is not named.
static void a_hidden_negative_direction_is_found(void)
{
    const double indefinite[] = {1.0, 0.6, 0.0, -0.6, 0.6,  1.0, 0.0, 0.6,
                                 0.0, 0.0, 5.0, 0.0,  -0.6, 0.6, 0.0, 1.0};
    const double Q[4] = {1.0};
    KalMotionProblem problem = {.n = 4, .M = indefinite, .Q = Q};
    check_fails(&problem, KAL_ERR_MASS, NAMED("q[1]", "q[2]", "q[4]"));
    check_blames(&problem, false, (int[]){0, 1, 3}, 3);
    // In wild units the verdict is the same.
    double scaled[16];
    const double unit[] = {1e-8, 1e8, 1.0, 1e4};
    for (int i = 0; i < 16; i++) {
        scaled[i] = indefinite[i] * unit[i / 4] * unit[i % 4];
    }
    problem.M = scaled;
    check_fails(&problem, KAL_ERR_MASS, NAMED("q[1]", "q[2]", "q[4]"));
}

// Below rounding a negative energy is none: this is a matrix of rank 1.
static void rounding_does_not_make_a_matrix_indefinite(void)
{
    const double M1[] = {1.0, 1.0 + 0x1p-52, 1.0 + 0x1p-52, 1.0};
    const double Q[] = {1.0, 1.0};
    const KalMotionProblem problem = {.n = 2, .M = M1, .Q = Q};
    KalMotionAnswer a;
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
    ok(a.rank_M == 1 && !a.unique && a.indeterminate[0] && a.indeterminate[1]);
    near(a.qdd[0], 0.5, 1e-14);
    near(a.qdd[1], 0.5, 1e-14);
}

static void missing_arrays_are_named(void)
{
    KalMotionProblem problem = problem_of(&SOUND, true);
    problem.M = NULL;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("M"));
    problem = problem_of(&SOUND, true);
    problem.Q = NULL;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("Q"));
    problem = problem_of(&SOUND, true);
    problem.A = NULL;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("A"));
    problem = problem_of(&SOUND, true);
    problem.b = NULL;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("b"));
    problem.m = 0; // now neither is asked for
    problem.A = NULL;
    problem.C = NULL;
    KalMotionAnswer a;
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK && a.rank_A == 0);
}

static void sizes_out_of_range_are_refused(void)
{
    KalMotionProblem problem = problem_of(&SOUND, true);
    problem.n = 0;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("0"));
    problem.n = -2;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("-2"));
    problem = problem_of(&SOUND, true);
    problem.m = -1;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("-1"));
    problem = problem_of(&SOUND, true);
    problem.n = MANY + 1;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("21", "20"));
    problem = problem_of(&SOUND, true);
    problem.m = MANY + 1;
    check_fails(&problem, KAL_ERR_SHAPE, NAMED("21", "20"));
}

static void workspaces_of_impossible_size_are_refused(void)
{
    const int sizes[][2] = {
        {0,       0      },
        {-1,      2      },
        {3,       -1     },
        {1000000, 1      },
        {1,       1000000}
    };
    for (int k = 0; k < 5; k++) {
        KalMotion *const before = lab.solver[0];
        KalMotion *made = before;
        const size_t blocks = kal_context_allocations(lab.ctx);
        const KalStatus want = k < 3 ? KAL_ERR_SHAPE : KAL_ERR_LIMIT;
        ok(kal_motion_create(lab.ctx, NULL, sizes[k][0], sizes[k][1], &made) == want);
        ok(made == before);
        ok(kal_context_allocations(lab.ctx) == blocks);
        char number[16];
        snprintf(number, sizeof number, "%d", sizes[k][k == 2 || k == 4]);
        has_text(kal_context_message(lab.ctx), number);
    }
}

static void a_row_without_coefficients_cannot_demand(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    memset(g.A + 3, 0, 3 * sizeof g.A[0]);
    g.b[1] = 0.75;
    check_fails(&problem, KAL_ERR_CONTRADICTION, NAMED("rail", "0.75"));
    check_blames(&problem, true, (int[]){1}, 1);
    ok(kal_motion_fault(lab.solver[0]).size == 0.75);
    g.b[1] = 0.0; // but it may demand nothing
    KalMotionAnswer a;
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
    ok(a.rank_A == 1 && a.n_dependent_sets == 1);
    ok(a.dependent_set[0] == -1 && a.dependent_set[1] == 0);
    near(a.multipliers[1], 0.0, 0.0);
}

// 2 x'' = b₁ and −4 x'' = b₂ need b₂ = −2 b₁.  They miss by |2 b₁ + b₂|, and the smallest
// change (δ₁, δ₂) with 2 δ₁ + δ₂ = that has the length |2 b₁ + b₂|/√5.
static void two_rows_that_disagree_are_named_with_their_distance(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    memcpy(g.A, (double[]){2.0, 0.0, 0.0, -4.0, 0.0, 0.0}, 6 * sizeof g.A[0]);
    memcpy(g.b, (double[]){1.0, -3.0}, 2 * sizeof g.b[0]);
    check_fails(&problem, KAL_ERR_CONTRADICTION, NAMED("rod", "rail"));
    check_blames(&problem, true, (int[]){0, 1}, 2);
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionAnswer a;
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_ERR_CONTRADICTION);
        near(kal_motion_fault(lab.solver[f]).size, 1.0 / sqrt(5.0), 1e-14);
        g.b[1] = -2.0;
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK);
        near(a.qdd[0], 0.5, 1e-14);
        g.b[1] = -3.0;
    }
}

// A right-hand side beyond all numbers, for the length of its row, is no contradiction.
static void demands_beyond_numbers_are_named(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    memcpy(g.A, (double[]){1.0, 0.0, 0.0, 1e-9, 0.0, 0.0}, 6 * sizeof g.A[0]);
    memcpy(g.b, (double[]){1.0, 1e308}, 2 * sizeof g.b[0]);
    check_fails(&problem, KAL_ERR_NUMBER, NAMED("rail", "too large to compute with"));
}

// An empty row has no share in others, however large the accelerations are that these allow: a
// contradiction is one between rows that were found.
static void empty_rows_beside_overflow_contradict_nothing(void)
{
    Givens g = SOUND;
    const KalMotionProblem problem = problem_of(&g, true);
    memcpy(g.M, (double[9]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0},
           9 * sizeof g.M[0]);
    memcpy(g.Q, (double[]){1.0, 0.0, 0.0}, 3 * sizeof g.Q[0]);
    memset(g.C, 0, sizeof g.C);
    memcpy(g.A, (double[]){1.0, 5e-324, 0.0, 0.0, 0.0, 0.0}, 6 * sizeof g.A[0]);
    memcpy(g.b, (double[]){2.0, 0.0}, 2 * sizeof g.b[0]);
    check_fails(&problem, KAL_ERR_NO_ACCELERATION,
                NAMED("angle", "neither mass nor constraint"));
}

// Many redundant rows on six coordinates; one right-hand side is wrong.
typedef struct Crowd {
    int rows;
    double A[MANY * 6];
    double b[MANY];
} Crowd;

// Rows are sums of unit rows, given by bits; all agree on the acceleration (1, …, 6).
static Crowd make_crowd(const int *bits, int rows, Rng *rng, int *order)
{
    Crowd c = {.rows = rows};
    for (int i = 0; i < rows; i++) {
        const int j = rng_int(rng, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < rows; i++) {
        const double unit = ldexp(1.0, rng_int(rng, -20, 20));
        for (int k = 0; k < 6; k++) {
            c.A[i * 6 + k] = bits[order[i]] >> k & 1 ? unit : 0.0;
            c.b[i] += c.A[i * 6 + k] * (k + 1.0);
        }
    }
    return c;
}

// Spoil row `wrong` and expect the smallest set with it, given by `want` (numbers in
// bits[]), whatever the order and scale of the rows.
static void check_crowd(const int *bits, int rows, int wrong, unsigned want)
{
    const double masses[36] = {
        [0] = 1.0, [7] = 2.0, [14] = 3.0, [21] = 4.0, [28] = 5.0, [35] = 6.0};
    const double Q[6] = {1.0};
    for (int number = 1; number <= 40; number++) {
        Rng rng = {(uint64_t)number};
        int order[MANY];
        Crowd c = make_crowd(bits, rows, &rng, order);
        for (int i = 0; i < rows; i++) {
            c.b[i] *= order[i] == wrong ? 1.5 : 1.0;
        }
        const KalMotionProblem problem = {
            .n = 6, .m = rows, .M = masses, .Q = Q, .A = c.A, .b = c.b};
        KalMotionAnswer a;
        const int f = number % FORMULATIONS;
        ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_ERR_CONTRADICTION);
        const KalMotionFault fault = kal_motion_fault(lab.solver[f]);
        unsigned got = 0;
        for (int i = 0; i < fault.count; i++) {
            got |= 1U << order[fault.indices[i]];
            ok(i == 0 || fault.indices[i - 1] < fault.indices[i]);
        }
        ok(fault.constraints && fault.size > 0.0);
        if (!ok(got == want)) {
            printf("# order %d: named %#x, not %#x\n", number, got, want);
        }
    }
}

// x, y and x + y disagree.  Larger sets disagree too: x + y with x + y + z + w, z and w.
static void the_smallest_contradicting_set_is_named(void)
{
    const int bits[] = {0x01, 0x02, 0x03, 0x04, 0x08, 0x0f, 0x10, 0x20,
                        0x30, 0x0c, 0x3c, 0x18, 0x04, 0x10, 0x3f, 0x38};
    check_crowd(bits, 6, 2, 0x07);
    // A pair beats a triple: z is there twice and one of them is wrong.
    check_crowd(bits, 14, 12, 1U << 3 | 1U << 12);
    // Without x, the wrong x + y disagrees in fours only.
    const int fours[] = {0x02, 0x03, 0x04, 0x08, 0x0f, 0x10, 0x20};
    check_crowd(fours, 7, 1, 1U << 1 | 1U << 2 | 1U << 3 | 1U << 4);
}

// Among hundreds of redundant rows, far too many to try all combinations, two parallel
// ones that disagree are still found, and soon.
static void parallel_rows_are_found_in_a_crowd(void)
{
    enum {
        SIZE = 200,
        ROWS = 400
    };

    static double mass[SIZE * SIZE];
    static double Q[SIZE];
    static double A[ROWS * SIZE];
    static double b[ROWS];
    Rng rng = {11};
    for (int i = 0; i < SIZE; i++) {
        mass[i * SIZE + i] = 1.0;
    }
    for (int i = 0; i < ROWS; i++) { // the second half mixes rows of the first
        for (int j = 0; j < SIZE; j++) {
            A[i * SIZE + j] =
                i < SIZE ? (i == j ? 1.0 : 0.0)
                         : (j == i - SIZE || j == (i - SIZE + 7) % SIZE ? 2.0 : 0.0);
        }
    }
    for (int j = 0; j < SIZE; j++) { // row 399 is row 250, three times, but for b
        A[399 * SIZE + j] = 3.0 * A[250 * SIZE + j];
    }
    for (int j = 0; j < SIZE; j++) {
        const double q = rng_entry(&rng);
        for (int i = 0; i < ROWS; i++) {
            b[i] += A[i * SIZE + j] * q;
        }
    }
    b[399] += 1.0;
    KalContext *ctx;
    KalMotion *motion;
    KalMotionAnswer answer;
    const KalMotionProblem problem = {
        .n = SIZE, .m = ROWS, .M = mass, .Q = Q, .A = A, .b = b};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_motion_create(ctx, NULL, SIZE, ROWS, &motion) == KAL_OK);
    ok(kal_motion_solve(motion, &problem, &answer) == KAL_ERR_CONTRADICTION);
    const KalMotionFault fault = kal_motion_fault(motion);
    ok(fault.count == 2 && fault.indices[0] == 250 && fault.indices[1] == 399);
    kal_motion_destroy(motion);
    kal_context_destroy(ctx);
}

// Forces along z, which has neither mass nor constraint, and along a pair that moves
// freely against each other.
static void forces_without_mass_are_refused(void)
{
    Givens g = {
        .M = {2.0 },
          .Q = {     1.0, 0.0, -0.5},
          .A = { 1.0,  1.0}
    };
    KalMotionProblem problem = problem_of(&g, true);
    problem.m = 1;
    check_fails(&problem, KAL_ERR_NO_ACCELERATION, NAMED("lift", "0.5"));
    check_blames(&problem, false, (int[]){2}, 1);
    ok(kal_motion_fault(lab.solver[0]).size == 0.5);
    g.Q[2] = 0.0;
    g.C[2] = 0.25; // a prescribed force counts as well
    check_fails(&problem, KAL_ERR_NO_ACCELERATION, NAMED("lift", "0.25"));
    g.C[2] = 0.0;
    memcpy(g.A, (double[]){0.0, 1.0, 1.0}, 3 * sizeof g.A[0]);
    g.Q[1] = 3.0; // along (0, 1, −1): w = (slide, −lift)/√2 carries 3/√2, half each way
    check_fails(&problem, KAL_ERR_NO_ACCELERATION, NAMED("slide", "lift"));
    check_blames(&problem, false, (int[]){1, 2}, 2);
    near(kal_motion_fault(lab.solver[0]).size, 1.5, 1e-14);
    g.Q[2] = 3.0; // across it: the constraint takes it
    KalMotionAnswer a;
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
    ok(!a.unique && !a.indeterminate[0] && a.indeterminate[1] && a.indeterminate[2]);
    near(a.multipliers[0], -3.0, 1e-14);
}

static void formulations_say_where_they_do_not_apply(void)
{
    Givens g = {
        .M = {2.0},
          .Q = {   1.0  },
          .A = { 1.0,   1.0}
    };
    KalMotionProblem problem = problem_of(&g, true);
    problem.m = 1;
    KalMotionAnswer a;
    KalMotion *definite = lab.solver[KAL_FORMULATION_PSEUDOINVERSE];
    KalMotion *auxiliary = lab.solver[KAL_FORMULATION_AUXILIARY];
    ok(kal_motion_solve(definite, &problem, &a) == KAL_ERR_FORMULATION);
    has_names(NAMED("pseudoinverse", "rank 1 of 3"));
    ok(kal_motion_fault(definite).count == 0);
    ok(kal_motion_solve(auxiliary, &problem, &a) == KAL_ERR_FORMULATION);
    has_names(NAMED("auxiliary", "rank 2 of 3"));
    problem.n = 2; // unique now, with M = diag(2, 0)
    memset(g.M + 1, 0, 3 * sizeof g.M[0]);
    ok(kal_motion_solve(auxiliary, &problem, &a) == KAL_OK);
    ok(kal_motion_solve(definite, &problem, &a) == KAL_ERR_FORMULATION);
    check_usable(KAL_FORMULATION_PSEUDOINVERSE);
    check_usable(KAL_FORMULATION_AUXILIARY);
}

static void formulations_are_found_by_their_words(void)
{
    for (int f = 0; f < FORMULATIONS; f++) {
        KalFormulation found = KAL_FORMULATION_DEFAULT;
        ok(kal_formulation_find(kal_formulation_word((KalFormulation)f), &found));
        ok(found == (KalFormulation)f);
    }
    KalFormulation found = KAL_FORMULATION_LAGRANGE;
    ok(!kal_formulation_find("Lagrange", &found));
    ok(!kal_formulation_find("", &found));
    ok(found == KAL_FORMULATION_LAGRANGE);
    ok(kal_formulation_word((KalFormulation)FORMULATIONS) != NULL);
}

// Whole characters only: every lead byte is followed by as many as it announces.
static bool is_utf8(const char *text)
{
    while (*text) {
        const unsigned char c = (unsigned char)*text++;
        int follow = c < 0x80 ? 0 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : -1;
        for (; follow > 0; follow--) {
            if (((unsigned char)*text++ & 0xc0U) != 0x80U) {
                return false;
            }
        }
        if (follow < 0) {
            return false;
        }
    }
    return true;
}

// Names of any length and alphabet appear, cut where needed but never inside a character.
static void long_and_foreign_names_are_shown(void)
{
    char names[MANY][4000];
    const char *list[MANY];
    const char *letters[] = {"x", "é", "θ", "漢", "🙂"};
    for (int k = 0; k < 5; k++) {
        for (int shift = 0; shift < 4; shift++) {
            const double A[MANY] = {0.0};
            double b[MANY];
            for (int i = 0; i < MANY; i++) {
                memset(names[i], 'o', 4);
                size_t used = (size_t)shift;
                while (used + 8 < sizeof names[i]) {
                    memcpy(names[i] + used, letters[k], strlen(letters[k]) + 1);
                    used += strlen(letters[k]);
                }
                list[i] = names[i];
                b[i] = 1.0 + i;
            }
            KalMotionProblem problem = {.n = 1,
                                        .m = MANY,
                                        .M = (const double[]){1.0},
                                        .Q = (const double[]){1.0},
                                        .A = A,
                                        .b = b,
                                        .coordinates = list,
                                        .constraints = list};
            KalMotionAnswer a;
            ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_ERR_CONTRADICTION);
            ok(is_utf8(kal_context_message(lab.ctx)));
            has_text(kal_context_message(lab.ctx), letters[k]);
            problem.M = (const double[]){-1.0};
            ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_ERR_MASS);
            ok(is_utf8(kal_context_message(lab.ctx)));
            ok(strlen(kal_context_message(lab.ctx)) < 1000);
        }
    }
}

// Seven constraints that only together disagree: all are blamed, some are named.
static void many_names_are_counted(void)
{
    double A[7 * 6] = {0.0};
    double b[7] = {0.0};
    const double masses[36] = {
        [0] = 1.0, [7] = 1.0, [14] = 1.0, [21] = 1.0, [28] = 1.0, [35] = 1.0};
    const double Q[6] = {0.0};
    for (int i = 0; i < 6; i++) {
        A[i * 7] = 1.0;
        A[36 + i] = 1.0;
    }
    b[6] = 1.0;
    const KalMotionProblem problem = {
        .n = 6, .m = 7, .M = masses, .Q = Q, .A = A, .b = b};
    check_fails(&problem, KAL_ERR_CONTRADICTION,
                NAMED("c[1]", "c[2]", "c[5]", "and 2 more"));
    check_blames(&problem, true, (int[]){0, 1, 2, 3, 4, 5, 6}, 7);
    near(kal_motion_fault(lab.solver[0]).size, 1.0 / sqrt(7.0), 1e-14);
}

// An impact is refused like a solve, and for its own velocity.
static void impacts_are_refused_alike(void)
{
    Givens g = SOUND;
    KalMotionProblem problem = problem_of(&g, true);
    double velocity[] = {1.0, 2.0, 3.0};
    KalMotionAnswer a;
    KalMotionAnswer before;
    memset(&a, 0x5a, sizeof a);
    memcpy(&before, &a, sizeof before);
    for (int f = 0; f < FORMULATIONS; f++) {
        velocity[1] = NAN;
        ok(kal_motion_impact(lab.solver[f], &problem, velocity, &a) == KAL_ERR_NUMBER);
        has_names(NAMED("velocity", "slide"));
        velocity[1] = 2.0;
        ok(kal_motion_impact(lab.solver[f], &problem, NULL, &a) == KAL_ERR_SHAPE);
        has_names(NAMED("velocity"));
        memcpy(g.A + 3, g.A, 3 * sizeof g.A[0]);
        ok(kal_motion_impact(lab.solver[f], &problem, velocity, &a)
           == KAL_ERR_CONTRADICTION);
        has_names(NAMED("rod", "rail"));
        g = SOUND;
        g.M[0] = -1.0;
        ok(kal_motion_impact(lab.solver[f], &problem, velocity, &a) == KAL_ERR_MASS);
        g = SOUND;
        ok(memcmp(&a, &before, sizeof before) == 0);
        check_usable(f);
    }
}

static void open_workspaces(void)
{
    lab_open(&lab, MANY, MANY);
}

static void close_workspaces(void)
{
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(open_workspaces), TAP_CASE(not_finite_entries_are_named),
        TAP_CASE(every_place_is_looked_at),
        TAP_CASE(an_asymmetric_mass_matrix_is_refused),
        TAP_CASE(rounding_differences_of_triangles_are_accepted),
        TAP_CASE(a_negative_mass_is_refused),
        TAP_CASE(coupling_without_mass_is_refused),
        TAP_CASE(a_hidden_negative_direction_is_found),
        TAP_CASE(rounding_does_not_make_a_matrix_indefinite),
        TAP_CASE(missing_arrays_are_named), TAP_CASE(sizes_out_of_range_are_refused),
        TAP_CASE(workspaces_of_impossible_size_are_refused),
        TAP_CASE(a_row_without_coefficients_cannot_demand),
        TAP_CASE(two_rows_that_disagree_are_named_with_their_distance),
        TAP_CASE(demands_beyond_numbers_are_named),
        TAP_CASE(empty_rows_beside_overflow_contradict_nothing),
        TAP_CASE(the_smallest_contradicting_set_is_named),
        TAP_CASE(parallel_rows_are_found_in_a_crowd),
        TAP_CASE(forces_without_mass_are_refused),
        TAP_CASE(formulations_say_where_they_do_not_apply),
        TAP_CASE(formulations_are_found_by_their_words),
        TAP_CASE(long_and_foreign_names_are_shown), TAP_CASE(many_names_are_counted),
        TAP_CASE(impacts_are_refused_alike), TAP_CASE(close_workspaces))

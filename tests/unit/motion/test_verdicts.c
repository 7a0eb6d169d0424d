// SPDX-License-Identifier: MIT

// Verdicts where they are hard: long chains without mass, near dependence, noise, great
// ratios of masses, equilibrium.  What each problem demands is known exactly.

#include "lab.h"

#include <string.h>

enum {
    MOST_N = 60,
    MOST_M = 60
};

static Lab lab;
static double M[MOST_N * MOST_N];
static double Q[MOST_N];
static double A[MOST_M * MOST_N];
static double b[MOST_M];

static void open_lab(void)
{
    lab_open(&lab, MOST_N, MOST_M);
}

static void close_lab(void)
{
    lab_close(&lab);
}

static KalMotionProblem blank(int n, int m)
{
    memset(M, 0, sizeof M);
    memset(Q, 0, sizeof Q);
    memset(A, 0, sizeof A);
    memset(b, 0, sizeof b);
    return (KalMotionProblem){.n = n, .m = m, .M = M, .Q = Q, .A = A, .b = b};
}

static bool solve(const KalMotionProblem *problem, KalMotionAnswer *answer)
{
    const KalStatus status = kal_motion_solve(lab.solver[0], problem, answer);
    if (status != KAL_OK) {
        printf("# %s\n", kal_context_message(lab.ctx));
    }
    return ok(status == KAL_OK);
}

// Gears x[i+1] = ratio x[i] that drive a mass at one end, in given units: the force on
// the mass accelerates it, and the wheels follow, however long the train.
static void check_train(int n, double ratio, double unit)
{
    KalMotionProblem problem = blank(n, n - 1);
    KalMotionAnswer a;
    M[0] = 1.0;
    Q[0] = 1.0;
    for (int i = 0; i < n - 1; i++) {
        A[i * n + i] = -ratio * (i == 0 ? 1.0 : unit);
        A[i * n + i + 1] = unit;
    }
    if (!solve(&problem, &a)) {
        return;
    }
    ok(a.rank_A == n - 1 && a.rank_Mhat == n && a.unique);
    double want = 1.0;
    for (int i = 0; i < n; i++) {
        near(a.qdd[i] * (i == 0 ? 1.0 : unit) / want, 1.0, 1e-12);
        want *= ratio;
    }
    near(a.force_ideal[0], 0.0, 1e-12);
}

static void trains_of_massless_gears_carry_the_motion(void)
{
    static const double ratios[] = {1.0, 3.0, 10.0, 100.0};
    for (int n = 2; n <= 40; n += 2) {
        for (int r = 0; r < 4; r++) {
            check_train(n, ratios[r], 1.0);
            check_train(n, ratios[r], 1e-8);
            check_train(n, ratios[r], 1e8);
        }
    }
}

// Without any mass the whole train is free, and every wheel is named.
static void a_free_train_is_indeterminate_throughout(void)
{
    for (int n = 2; n <= 30; n += 4) {
        KalMotionProblem problem = blank(n, n - 1);
        KalMotionAnswer a;
        for (int i = 0; i < n - 1; i++) {
            A[i * n + i] = -10.0;
            A[i * n + i + 1] = 1.0;
        }
        if (solve(&problem, &a)) {
            ok(!a.unique && a.rank_Mhat == n - 1);
            for (int i = 0; i < n; i++) {
                ok(a.indeterminate[i]);
            }
        }
        Q[n / 2] = 1.0;
        ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_ERR_NO_ACCELERATION);
    }
}

// Coefficients far below 1 between dependent constraints are coefficients all the same.
static void small_coefficients_count(void)
{
    static const double small[] = {1e-3, 1e-6, 1e-9, 9e-11, 1e-11};
    for (int k = 0; k < 5; k++) {
        const double e = small[k];
        KalMotionProblem problem = blank(2, 3);
        KalMotionAnswer a;
        M[0] = M[3] = 1.0;
        memcpy(A, (double[]){1.0, 0.0, 0.0, 1.0, e, 1.0}, 6 * sizeof A[0]);
        memcpy(b, (double[]){1.0, 0.0, e}, 3 * sizeof b[0]);
        if (solve(&problem, &a)) {
            near(a.qdd[0], 1.0, 1e-14);
            near(a.qdd[1], 0.0, 1e-14);
        }
        memset(b, 0, sizeof b);
        Q[0] = Q[1] = 1.0;
        if (solve(&problem, &a)) {
            ok(a.n_dependent_sets == 1 && a.dependent_set[0] == 0);
            near(a.force_ideal[0], -1.0, 1e-14);
            near(a.force_ideal[1], -1.0, 1e-14);
        }
    }
}

static void masses_may_differ_by_many_orders(void)
{
    KalMotionProblem problem = blank(2, 3);
    KalMotionAnswer a;
    M[0] = 1.0;
    M[3] = 1e-22;
    memcpy(A, (double[]){1.0, 0.0, 0.0, 1.0, 1.0, 1.0}, 6 * sizeof A[0]);
    memcpy(b, (double[]){1.0, 0.0, 1.0}, 3 * sizeof b[0]);
    if (solve(&problem, &a)) {
        near(a.qdd[0], 1.0, 1e-12);
    }
    // Two heavy bodies coupled through a light one: q'' is the same for all.  Beyond what
    // the units of mass can tell apart the answer is an error, never another motion.
    for (int decade = 0; decade <= 16; decade++) {
        problem = blank(3, 2);
        M[0] = pow(10.0, -decade);
        M[4] = M[8] = pow(10.0, decade);
        Q[1] = 1.0;
        memcpy(A, (double[]){1.0, -1.0, 0.0, 1.0, 0.0, -1.0}, 6 * sizeof A[0]);
        const KalStatus status = kal_motion_solve(lab.solver[0], &problem, &a);
        ok(status == KAL_OK || (status == KAL_ERR_NUMBER && decade > 11));
        for (int i = 0; i < 3 && status == KAL_OK; i++) {
            near(a.qdd[i] * (2.0 * M[4] + M[0]), 1.0, 1e-6);
        }
    }
}

// In equilibrium all accelerations are rounding; that is no reason to refuse them.
static void equilibrium_is_an_answer(void)
{
    static const double row[3] = {-1.80652397119221, -0.8696373104623369,
                                  0.1385255298105454};
    for (int f = 0; f < FORMULATIONS; f++) {
        KalMotionProblem problem = blank(3, 2);
        KalMotionAnswer a;
        M[0] = 1.5;
        M[4] = 2.7042600745235355;
        M[8] = 0.3;
        for (int j = 0; j < 3; j++) {
            A[j] = row[j];
            A[3 + j] = 2.0 * row[j];
            Q[j] = -67.84 * row[j];
        }
        if (ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK)) {
            near(lab_size(a.qdd, 3), 0.0, 1e-12);
            near(a.force_ideal[0], 67.84 * row[0], 1e-12);
        }
        problem = blank(1, 8);
        M[0] = 2.0;
        Q[0] = -5.0;
        A[6] = -1.0;
        if (ok(kal_motion_solve(lab.solver[f], &problem, &a) == KAL_OK)) {
            near(a.multipliers[6], -5.0, 1e-14);
        }
    }
}

// Two equal rows disagree, although what else is demanded is 1e8 times as large.
static void fast_motion_hides_no_contradiction(void)
{
    KalMotionProblem problem = blank(2, 4);
    KalMotionAnswer a;
    M[0] = M[3] = 1.0;
    memcpy(A, (double[]){1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 1.0, -1.0}, 8 * sizeof A[0]);
    memcpy(b, (double[]){1e6, 1e6, 0.0, 1e-2}, 4 * sizeof b[0]);
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_ERR_CONTRADICTION);
    b[3] = 0.0;
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK);
}

// The set that is named misses itself by as much as it says: here one of five rows, while
// rounding would offer four that agree.
static void rounding_names_nobody(void)
{
    static const double rows[] = {-1, 3,  2,  1, 0, -3, 3, 1, -1, 6, -1, 0,  2, 0,
                                  2,  -1, -1, 9, 2, 1,  2, 0, -2, 2, -2, -3, 0, -1};
    KalMotionProblem problem = blank(4, 7);
    KalMotionAnswer a;
    memcpy(A, rows, sizeof rows);
    memcpy(b, (double[]){-21, -2, -19, -23, -51, 0, 24}, 7 * sizeof b[0]);
    ok(kal_motion_solve(lab.solver[0], &problem, &a) == KAL_ERR_CONTRADICTION);
    const KalMotionFault fault = kal_motion_fault(lab.solver[0]);
    ok(fault.count == 5 && fault.size > 1e-3);
}

// A constraint at an angle t to a direction without mass holds it, as long as t² is not
// lost in the rounding of M; then the direction counts as massless.
static void barely_covered_directions_are_not_called_unique(void)
{
    const double c = cos(0.3);
    const double s = sin(0.3);
    for (int decade = 1; decade <= 12; decade++) {
        const double t = pow(10.0, -decade);
        KalMotionProblem problem = blank(2, 1);
        KalMotionAnswer a;
        memcpy(M, (double[]){c * c, c * s, c * s, s * s}, 4 * sizeof M[0]);
        memcpy(A, (double[]){c - t * s, s + t * c}, 2 * sizeof A[0]);
        b[0] = 1.0;
        Q[0] = 2.0 * c;
        Q[1] = 2.0 * s;
        if (kal_motion_solve(lab.solver[0], &problem, &a) == KAL_OK && a.unique) {
            near(c * a.qdd[0] + s * a.qdd[1], 2.0, 1e-15 / (t * t) + 1e-12);
            ok(decade <= 7);
        }
    }
}

typedef struct Uneven {
    int n, m;
    double mass[5];
    double Q[5];
    double A[2 * 5];
    double b[2];
    double qdd[5];
} Uneven;

// Constraints between masses so unlike that, in units made of masses, the light ones are
// all that can be seen of a row: no constraint is lost for it, and light coordinates have
// their digits.  The answers are of exact rational arithmetic.
static void light_masses_hide_no_constraint(void)
{
    static const Uneven problems[] = {
        {3,
         2, {1e25, 1.0, 2e-30},
         {0.0, 1.0, 0.0},
         {1.0, -1.0, -1.0, 0.0, -3.0, 1.0},
         {0.0},
         {2.5e-26, 6.25e-27, 1.875e-26}      },
        {3,
         2, {1.0, 1.0, 2e-30},
         {0.0, 1.0, 0.0},
         {1.0, -1.0, -1.0, 0.0, -3.0, 1.0},
         {0.0},
         {4.0 / 17.0, 1.0 / 17.0, 3.0 / 17.0}},
        {2,
         2, {0x1.cp35, 0x1.8p-33},
         {-0x1.cp35, -0x1.8p-31},
         {1.0, 1.0, -3.0, -3.0},
         {-1.0, 3.0},
         {-1.0, 0.0}                         },
        {2,
         2, {0x1.8p-30, 0x1.4p46},
         {0x1.8p-28, 0x1.4p47},
         {0.0, -3.0, 0.0, -6.0},
         {0.0},
         {4.0, 0.0}                          },
        {5,
         2, {4096.0, 0x1.8p-49, 0x1.8p-50, 1280.0, 0.375},
         {2.0, 0x1.8p-48, 2.0, -2560.0, 0.375},
         {1.0, 0.0, 5.0, 5.0, 2.0, 2.0, 2.0, 1.0, -1.0, 0.0},
         {10.0, -4.0},
         {0.000390625, -5.2285807291666666, 4.4548177083333333, -2.0015625,
          -1.1333333333333333}               },
    };
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const Uneven *u = &problems[k];
        KalMotionProblem p = blank(u->n, u->m);
        KalMotionAnswer a;
        for (int j = 0; j < u->n; j++) {
            M[j * u->n + j] = u->mass[j];
        }
        p.Q = u->Q;
        p.A = u->A;
        p.b = u->b;
        if (solve(&p, &a)) {
            ok(a.rank_A == (k == 2 || k == 3 ? 1 : 2));
            ok(lab_error(a.qdd, u->qdd, u->n) < 1e-9);
        }
    }
}

TAP_RUN(TAP_CASE(open_lab), TAP_CASE(light_masses_hide_no_constraint),
        TAP_CASE(trains_of_massless_gears_carry_the_motion),
        TAP_CASE(a_free_train_is_indeterminate_throughout),
        TAP_CASE(small_coefficients_count), TAP_CASE(masses_may_differ_by_many_orders),
        TAP_CASE(equilibrium_is_an_answer),
        TAP_CASE(fast_motion_hides_no_contradiction), TAP_CASE(rounding_names_nobody),
        TAP_CASE(barely_covered_directions_are_not_called_unique), TAP_CASE(close_lab))

// SPDX-License-Identifier: MIT

// One instant of motion: the default against two ways to write it by hand.
//
//   (a)  the literal formula with singular values, as one writes it with LAPACK
//   (b)  range-space Cholesky without pivoting, for full rank only: M = L Lᵀ, W = L⁻¹Aᵀ,
//        WᵀW = K Kᵀ.  It checks nothing; nothing that solves can be much faster.  Twice:
//        loops written out in C, and calls of LAPACK; the faster counts.
//
// All give q'', λ and the constraint force.  One run times them in turn on the same
// problems, many times, and compares the fastest of each.

#include <kalaba/kalaba.h>

#include <cblas.h>
#include <lapacke.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Case {
    int n;
    int m;
    int rank; // of A; m for regular problems
    double *M;
    double *Q;
    double *A;
    double *b;
    double *qdd;
    double *lambda;
    double *force;
    double *work; // large
} Case;

static uint64_t random_state = 1;

static double random_entry(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (double)(random_state >> 11) * 0x1p-52 - 1.0;
}

static double *doubles(size_t count)
{
    double *x = calloc(count, sizeof *x);
    if (!x) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return x;
}

// A definite M and rows of the given rank; the rows beyond are sums of the others.
static Case make_case(int n, int m, int rank)
{
    const size_t N = (size_t)n;
    const size_t R = (size_t)m;
    Case c = {n,
              m,
              rank,
              doubles(N * N),
              doubles(N),
              doubles(R * N),
              doubles(R),
              doubles(N),
              doubles(R),
              doubles(N),
              doubles(8 * (N + R) * (N + R) + 1000)};
    double *B = c.work;
    for (size_t i = 0; i < N * N; i++) {
        B[i] = random_entry();
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0 / n, B, n, B, n,
                0.0, c.M, n);
    for (size_t i = 0; i < N; i++) {
        c.Q[i] = random_entry();
        c.M[i * N + i] += 1.0;
        for (size_t j = 0; j < i; j++) {
            c.M[i * N + j] = c.M[j * N + i];
        }
    }
    for (int i = 0; i < m; i++) {
        double *row = c.A + (size_t)i * N;
        c.b[i] = i < rank ? random_entry() : c.b[i % rank] + c.b[(i + 1) % rank];
        for (size_t j = 0; j < N; j++) {
            row[j] = i < rank ? random_entry()
                              : c.A[(size_t)(i % rank) * N + j]
                                    + c.A[(size_t)((i + 1) % rank) * N + j];
        }
    }
    return c;
}

static void free_case(Case *c)
{
    double *all[] = {c->M, c->Q, c->A, c->b, c->qdd, c->lambda, c->force, c->work};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

// Singular values give X⁺ (rows × columns, row after row) as columns × rows.
static void pinv(int rows, int columns, double *X, double *out, double *w)
{
    const int k = rows < columns ? rows : columns;
    double *U = w;
    double *V = U + (size_t)rows * (size_t)k;
    double *sigma = V + (size_t)k * (size_t)columns;
    LAPACKE_dgesdd(LAPACK_ROW_MAJOR, 'S', rows, columns, X, columns, sigma, U, k, V,
                   columns);
    for (int i = 0; i < k; i++) {
        const double f = sigma[i] > 1e-12 * sigma[0] ? 1.0 / sigma[i] : 0.0;
        cblas_dscal(columns, f, V + (size_t)i * (size_t)columns, 1);
    }
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasTrans, columns, rows, k, 1.0, V,
                columns, U, k, 0.0, out, rows);
}

// q'' = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), as one would write it.
static void literal(Case *c)
{
    const int n = c->n;
    const int m = c->m;
    const size_t N = (size_t)n;
    double *V = c->work;
    double *values = V + N * N;
    double *scaled = values + N;
    double *root = scaled + N * N;
    double *B = root + N * N;
    double *Bplus = B + (size_t)m * N;
    double *a = Bplus + (size_t)m * N;
    double *e = a + 2 * N;
    double *rest = e + m;
    memcpy(V, c->M, N * N * sizeof *V);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, V, n, values);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            scaled[i * N + j] = V[i * N + j] / sqrt(values[j]);
        }
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0, scaled, n, V, n,
                0.0, root, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, n, 1.0, c->A, n, root,
                n, 0.0, B, n);
    pinv(m, n, B, Bplus, rest);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, root, n, c->Q, 1, 0.0, a, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, root, n, a, 1, 0.0, c->qdd, 1);
    memcpy(e, c->b, (size_t)m * sizeof *e);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, m, n, -1.0, c->A, n, c->qdd, 1, 1.0, e, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, m, 1.0, Bplus, m, e, 1, 0.0, a, 1);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, n, n, 1.0, root, n, a, 1, 1.0, c->qdd, 1);
    cblas_dgemv(CblasRowMajor, CblasTrans, n, m, 1.0, Bplus, m, a, 1, 0.0, c->lambda,
                1);
    cblas_dgemv(CblasRowMajor, CblasTrans, m, n, 1.0, c->A, n, c->lambda, 1, 0.0,
                c->force, 1);
}

// The lower triangle of `a`, column after column, becomes its Cholesky factor.
static void cholesky(int n, double *a)
{
    for (int j = 0; j < n; j++) {
        double *restrict aj = a + (size_t)j * (size_t)n;
        const double f = 1.0 / sqrt(aj[j]);
        for (int i = j; i < n; i++) {
            aj[i] *= f;
        }
        for (int k = j + 1; k < n; k++) {
            double *restrict ak = a + (size_t)k * (size_t)n;
            const double g = aj[k];
            for (int i = k; i < n; i++) {
                ak[i] -= g * aj[i];
            }
        }
    }
}

static void solve_lower(int n, const double *L, double *restrict x)
{
    for (int j = 0; j < n; j++) {
        const double *restrict lj = L + (size_t)j * (size_t)n;
        x[j] /= lj[j];
        for (int i = j + 1; i < n; i++) {
            x[i] -= x[j] * lj[i];
        }
    }
}

static double dot(int n, const double *restrict x, const double *restrict y)
{
    double s[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            s[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < n; i++) {
        s[0] += x[i] * y[i];
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static void solve_transposed(int n, const double *L, double *x)
{
    for (int j = n - 1; j >= 0; j--) {
        const double *lj = L + (size_t)j * (size_t)n;
        x[j] = (x[j] - dot(n - j - 1, lj + j + 1, x + j + 1)) / lj[j];
    }
}

// λ from W = L⁻¹Aᵀ, g = L⁻¹Q and the factor of WᵀW; then q'' and the force.
static void finish(Case *c, const double *L, const double *W, const double *K)
{
    const int n = c->n;
    const int m = c->m;
    double *g = c->qdd;
    for (int i = 0; i < m; i++) {
        c->lambda[i] = c->b[i] - dot(n, W + (size_t)i * (size_t)n, g);
    }
    solve_lower(m, K, c->lambda);
    solve_transposed(m, K, c->lambda);
    memset(c->force, 0, (size_t)n * sizeof *c->force);
    for (int i = 0; i < m; i++) {
        const double f = c->lambda[i];
        const double *w = W + (size_t)i * (size_t)n;
        const double *row = c->A + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            g[j] += f * w[j];
            c->force[j] += f * row[j];
        }
    }
    solve_transposed(n, L, g);
}

static void range_space_loops(Case *c)
{
    const int n = c->n;
    const int m = c->m;
    const size_t N = (size_t)n;
    double *L = c->work;
    double *W = L + N * N;
    double *S = W + N * (size_t)m;
    memcpy(L, c->M, N * N * sizeof *L);
    cholesky(n, L);
    memcpy(W, c->A, N * (size_t)m * sizeof *W);
    for (int i = 0; i < m; i++) {
        solve_lower(n, L, W + (size_t)i * N);
    }
    memcpy(c->qdd, c->Q, N * sizeof *c->Q);
    solve_lower(n, L, c->qdd);
    for (int j = 0; j < m; j++) {
        for (int i = j; i < m; i++) {
            S[(size_t)j * (size_t)m + (size_t)i] =
                dot(n, W + (size_t)i * N, W + (size_t)j * N);
        }
    }
    cholesky(m, S);
    finish(c, L, W, S);
}

static void range_space_lapack(Case *c)
{
    const int n = c->n;
    const int m = c->m;
    const size_t N = (size_t)n;
    double *L = c->work;
    double *W = L + N * N;
    double *S = W + N * (size_t)m;
    memcpy(L, c->M, N * N * sizeof *L);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, L, n);
    memcpy(W, c->A, N * (size_t)m * sizeof *W);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m,
                1.0, L, n, W, n);
    memcpy(c->qdd, c->Q, N * sizeof *c->Q);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, L, n, c->qdd,
                1);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, m, n, 1.0, W, n, 0.0, S, m);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, S, m);
    finish(c, L, W, S);
}

static KalMotion *motion;

static void ours(Case *c)
{
    const KalMotionProblem problem = {
        .n = c->n, .m = c->m, .M = c->M, .Q = c->Q, .A = c->A, .b = c->b};
    KalMotionAnswer answer;
    if (kal_motion_solve(motion, &problem, &answer) != KAL_OK || !answer.fast) {
        fputs("the default did not answer on its fast path\n", stderr);
        exit(1);
    }
    memcpy(c->qdd, answer.qdd, (size_t)c->n * sizeof *c->qdd);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_once(void (*solve)(Case *), Case *c, int repeats)
{
    const double start = seconds();
    for (int i = 0; i < repeats; i++) {
        solve(c);
    }
    return (seconds() - start) / repeats;
}

typedef struct Method {
    void (*solve)(Case *);
    double best;
    int repeats;
} Method;

// Each method in turn, for about `budget` seconds in all; the fastest turn counts.
static void race(Method *methods, int count, Case *c, double budget)
{
    enum {
        TURNS = 40
    };

    for (int k = 0; k < count; k++) {
        const double first = time_once(methods[k].solve, c, 3);
        methods[k].repeats = 1 + (int)(budget / count / TURNS / first);
        methods[k].best = first;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int k = 0; k < count; k++) {
            const double t = time_once(methods[k].solve, c, methods[k].repeats);
            methods[k].best = t < methods[k].best ? t : methods[k].best;
        }
    }
}

static double largest_difference(const double *x, const double *y, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    return worst;
}

static void check_agreement(Case *c)
{
    double *mine = doubles((size_t)c->n);
    ours(c);
    memcpy(mine, c->qdd, (size_t)c->n * sizeof *mine);
    literal(c);
    if (!(largest_difference(mine, c->qdd, c->n) < 1e-6)) {
        fputs("the methods disagree\n", stderr);
        exit(1);
    }
    free(mine);
}

static void bench_regular(int n, int m, double budget)
{
    Case c = make_case(n, m, m);
    Method methods[] = {
        {ours,               0.0, 0},
        {literal,            0.0, 0},
        {range_space_loops,  0.0, 0},
        {range_space_lapack, 0.0, 0}
    };
    check_agreement(&c);
    race(methods, 4, &c, budget);
    const double t = methods[0].best;
    const double limit = fmin(methods[2].best, methods[3].best);
    printf("%4d %4d %12.3g us %10.1f %12.2f   (%s)\n", n, m, 1e6 * t,
           methods[1].best / t, t / limit,
           methods[2].best < methods[3].best ? "loops" : "LAPACK");
    free_case(&c);
}

static void bench_deficient(int n, int m, double budget)
{
    const int rank = m > 2 ? m - 1 - m / 4 : 1;
    Case c = make_case(n, m, rank);
    Method methods[] = {
        {ours,    0.0, 0},
        {literal, 0.0, 0}
    };
    check_agreement(&c);
    race(methods, 2, &c, budget);
    printf("%4d %4d %5d %12.3g us %10.1f\n", n, m, rank, 1e6 * methods[0].best,
           methods[1].best / methods[0].best);
    free_case(&c);
}

int main(int argc, char **argv)
{
    static const int sizes[][2] = {
        {2,   1  },
        {3,   2  },
        {7,   6  },
        {20,  10 },
        {30,  29 },
        {60,  50 },
        {300, 200}
    };
    const double budget = argc > 1 ? atof(argv[1]) : 2.0;
    KalContext *ctx;
    openblas_set_num_threads(1);
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK
        || kal_motion_create(ctx, NULL, 300, 200, &motion) != KAL_OK) {
        return 1;
    }
    puts("regular problems");
    puts("   n    m      default    (a)/default  default/(b)   (b) as");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bench_regular(sizes[i][0], sizes[i][1], budget);
    }
    puts("\nrank-deficient problems");
    puts("   n    m  rank      default   (a)/default");
    for (size_t i = 1; i < sizeof sizes / sizeof sizes[0]; i++) {
        bench_deficient(sizes[i][0], sizes[i][1], budget);
    }
    kal_motion_destroy(motion);
    kal_context_destroy(ctx);
    return 0;
}

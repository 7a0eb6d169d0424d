// SPDX-License-Identifier: MIT

// The formulas as the literature writes them, on the scaled problem: Moore–Penrose
// inverses, an inverse square root of M, stacked and auxiliary systems (theory (7.1), (7.3)).
// They are here to be compared with; the default is faster and as accurate.

#include "linalg/eigen.h"
#include "linalg/kernels.h"
#include "linalg/product.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// y = X x.
static void multiply(const double *X, int rows, int columns, const double *x, double *y)
{
    assert(x != y);
    memset(y, 0, (size_t)rows * sizeof *y);
    for (int j = 0; j < columns; j++) {
        kal_axpy(rows, x[j], kal_const_column(X, rows, j), y);
    }
}

// root = mass^(−1/2) from the eigenvectors V and eigenvalues w: V w^(−1/2) Vᵀ.
static void find_root(KalMotion *s, const double *mass)
{
    assert(s->literal.eigen);
    KalLiteral *l = &s->literal;
    const int n = s->given.n;
    double *V = l->eigen;
    double *w = kal_column(l->eigen, n, n);
    memcpy(l->work, mass, (size_t)n * (size_t)n * sizeof *mass);
    kal_eigen_symmetric(n, l->work, V, w);
    memset(l->root, 0, (size_t)n * (size_t)n * sizeof *l->root);
    for (int k = 0; k < n; k++) {
        const double *v = kal_const_column(V, n, k);
        for (int j = 0; j < n; j++) {
            kal_axpy(n, v[j] / sqrt(w[k]), v, kal_column(l->root, n, j));
        }
    }
}

// The doubles and ints behind those of A⁺.
static double *second_doubles(const KalMotion *s)
{
    return s->literal.doubles + kal_pseudoinverse_doubles(s->given.m, s->given.n);
}

static int *second_ints(const KalMotion *s)
{
    return s->literal.ints + kal_pseudoinverse_ints(s->given.m, s->given.n);
}

// A⁺ by the rank that the verdict gave, so that all formulations decide alike.
static void invert_A(KalMotion *s)
{
    KalLiteral *l = &s->literal;
    const KalMatrix A = {l->A, s->given.m, s->given.n, s->given.m};
    kal_pseudoinverse_factor(&l->of_A, A, s->verdict.rank_A, l->doubles, l->ints);
}

// q'' = a + M^(−1/2) (A M^(−1/2))⁺ (b − A a), a = M⁻¹ f (theory (7.1)).
void kal_definite_prepare(KalMotion *s, const double *mass)
{
    KalLiteral *l = &s->literal;
    const int n = s->given.n;
    const int m = s->given.m;
    find_root(s, mass);
    const KalMatrix product = {l->stack, m, n, m};
    kal_multiply((KalMatrix){l->A, m, n, m}, (KalMatrix){l->root, n, n, n}, product);
    kal_pseudoinverse_factor(&l->of_stack, product, s->verdict.rank_A,
                             second_doubles(s), second_ints(s));
}

// q'' = M⁻¹Q + M^(−1/2) (A M^(−1/2))⁺ (b − A M⁻¹Q): the equation of Udwadia and Kalaba
// word for word (theory (7.1)).
void kal_definite_accelerate(KalMotion *s, const double *force, const double *b,
                             double *q)
{
    KalLiteral *l = &s->literal;
    const int n = s->given.n;
    const int m = s->given.m;
    double *e = l->vector[0];
    double *x = l->vector[1];
    assert(force != x && force != e && q != x && q != e);
    multiply(l->root, n, n, force, x);
    multiply(l->root, n, n, x, q);
    multiply(l->A, m, n, q, e);
    for (int i = 0; i < m; i++) {
        e[i] = s->metric.r[i] * b[i] - e[i];
    }
    kal_pseudoinverse_apply(&l->of_stack, e, x);
    for (int j = 0; j < n; j++) {
        kal_axpy(n, x[j], kal_const_column(l->root, n, j), q);
    }
}

// M̄ = [(I − A⁺A) M; A], q'' = M̄⁺ [f; b] (theory (7.2)).  The projector I − A⁺A = Z Zᵀ is
// taken from the free directions, and for A stand the orthonormal rows U₁ᵀ that say the
// same, U₁ᵀ q'' = z: formed from A⁺ the projector would be wrong by the conditioning of
// A, which M̄ does not forgive.
void kal_semidefinite_prepare(KalMotion *s)
{
    assert(s->verdict.rank_A >= 0 && s->verdict.rank_A <= s->given.m);
    const KalMotionVerdict *v = &s->verdict;
    KalLiteral *l = &s->literal;
    const int n = s->given.n;
    const int rows = n + v->rank_A;
    for (int j = 0; j < n; j++) {
        const double *mass = kal_const_column(v->mass, n, j);
        double *column = kal_column(l->stack, rows, j);
        memset(column, 0, (size_t)n * sizeof *column);
        for (int k = 0; k < v->freedom; k++) {
            const double *z = kal_const_column(v->Z, n, k);
            kal_axpy(n, kal_dot(n, z, mass), z, column);
        }
    }
    for (int i = 0; i < v->rank_A; i++) {
        kal_qr_basis(&s->rows, i, l->vector[0]);
        for (int j = 0; j < n; j++) {
            kal_column(l->stack, rows, j)[n + i] = l->vector[0][j];
        }
    }
    kal_pseudoinverse_factor(&l->of_stack, (KalMatrix){l->stack, rows, n, rows},
                             n - v->excess, second_doubles(s), second_ints(s));
}

void kal_semidefinite_accelerate(KalMotion *s, const double *force, const double *b,
                                 double *q)
{
    double *x = s->literal.vector[0];
    memcpy(x, force, (size_t)s->given.n * sizeof *x);
    kal_motion_fixed_part(s, b, x + s->given.n);
    kal_pseudoinverse_apply(&s->literal.of_stack, x, q);
}

// The definite formula for M + A⁺A and f + A⁺b (theory (7.3)).
void kal_auxiliary_prepare(KalMotion *s)
{
    KalLiteral *l = &s->literal;
    const int n = s->given.n;
    double *mass = s->L; // free on the general road
    invert_A(s);
    memcpy(mass, s->verdict.mass, (size_t)n * (size_t)n * sizeof *mass);
    for (int j = 0; j < n; j++) {
        kal_pseudoinverse_apply(&l->of_A, kal_const_column(l->A, s->given.m, j),
                                l->vector[1]);
        kal_axpy(n, 1.0, l->vector[1], kal_column(mass, n, j));
    }
    kal_definite_prepare(s, mass);
}

void kal_auxiliary_accelerate(KalMotion *s, const double *force, const double *b,
                              double *q)
{
    double *scaled = s->literal.vector[0];
    double *sum = s->literal.vector[2];
    for (int i = 0; i < s->given.m; i++) {
        scaled[i] = s->metric.r[i] * b[i];
    }
    kal_pseudoinverse_apply(&s->literal.of_A, scaled, sum);
    kal_axpy(s->given.n, 1.0, force, sum);
    kal_definite_accelerate(s, sum, b, q);
}

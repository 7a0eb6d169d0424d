// SPDX-License-Identifier: MIT

/// @file
/// One instant of constrained motion in long double, by singular values alone: a reference
/// for tests that shares nothing with the library.
///
/// With N a basis of the null space of A and q'' = A⁺ b + N z, the free directions have
/// NᵀM N z = Nᵀ(Q + C − M A⁺ b).  Coordinates are measured in units that make the diagonal
/// of M ones, rows of A have length one.

#ifndef SUPPORT_REFERENCE_H
#define SUPPORT_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    REFERENCE_MOST = 12 ///< coordinates or constraints
};

typedef long double Reference[REFERENCE_MOST][REFERENCE_MOST];

/// U diag(s) Vᵀ of a matrix, V square; s falls.  Columns of U that belong to a singular
/// value of zero are zero.
typedef struct Singular {
    int rows;
    int columns; ///< as many singular values
    Reference U;
    Reference V;
    long double s[REFERENCE_MOST];
} Singular;

static inline void singular_rotate(Reference W, int rows, const int ij[2],
                                   const long double cs[2])
{
    for (int k = 0; k < rows; k++) {
        const long double a = W[k][ij[0]];
        const long double b = W[k][ij[1]];
        W[k][ij[0]] = cs[0] * a - cs[1] * b;
        W[k][ij[1]] = cs[1] * a + cs[0] * b;
    }
}

// Make two columns of U orthogonal; false if they were.
static inline bool singular_pair(Singular *out, int i, int j)
{
    long double aa = 0.0L;
    long double bb = 0.0L;
    long double ab = 0.0L;
    for (int k = 0; k < out->rows; k++) {
        aa += out->U[k][i] * out->U[k][i];
        bb += out->U[k][j] * out->U[k][j];
        ab += out->U[k][i] * out->U[k][j];
    }
    if (fabsl(ab) <= 4e-19L * sqrtl(aa * bb)) {
        return false;
    }
    const long double zeta = (bb - aa) / (2.0L * ab);
    const long double t =
        copysignl(1.0L, zeta) / (fabsl(zeta) + sqrtl(1.0L + zeta * zeta));
    const long double c = 1.0L / sqrtl(1.0L + t * t);
    singular_rotate(out->U, out->rows, (int[2]){i, j}, (long double[2]){c, c * t});
    singular_rotate(out->V, out->columns, (int[2]){i, j}, (long double[2]){c, c * t});
    return true;
}

static inline void singular_swap(Singular *out, int i, int j)
{
    const long double quarter[2] = {0.0L, 1.0L};
    const long double s = out->s[i];
    out->s[i] = out->s[j];
    out->s[j] = s;
    singular_rotate(out->U, out->rows, (int[2]){i, j}, quarter);
    singular_rotate(out->V, out->columns, (int[2]){i, j}, quarter);
}

// Lengths of the columns, largest first.
static inline void singular_sort(Singular *out)
{
    for (int i = 0; i < out->columns; i++) {
        out->s[i] = 0.0L;
        for (int k = 0; k < out->rows; k++) {
            out->s[i] = hypotl(out->s[i], out->U[k][i]);
        }
        for (int k = 0; k < out->rows && out->s[i] > 0.0L; k++) {
            out->U[k][i] /= out->s[i];
        }
    }
    for (int i = 0; i < out->columns; i++) {
        for (int j = i + 1; j < out->columns; j++) {
            if (out->s[j] > out->s[i]) {
                singular_swap(out, i, j);
            }
        }
    }
}

/// Singular values of W, rows × columns and zero elsewhere, by Jacobi's rotations from one side.
static inline void singular_values(Reference W, int rows, int columns, Singular *out)
{
    memset(out, 0, sizeof *out);
    out->rows = rows;
    out->columns = columns;
    memcpy(out->U, W, sizeof out->U);
    for (int i = 0; i < columns; i++) {
        out->V[i][i] = 1.0L;
    }
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; sweep++) {
        turned = false;
        for (int i = 0; i < columns; i++) {
            for (int j = i + 1; j < columns; j++) {
                turned = singular_pair(out, i, j) || turned;
            }
        }
    }
    singular_sort(out);
}

/// What the singular values say of the rank: a number that is clear, or -1.
static inline int singular_rank(const Singular *of, long double largest)
{
    int rank = 0;
    while (rank < of->columns && of->s[rank] > 1e-5L * largest) {
        rank++;
    }
    const long double next = rank < of->columns ? of->s[rank] : 0.0L;
    return next <= 1e-13L * largest ? rank : -1;
}

/// x = W⁺ y, for the rank given.
static inline void singular_solve(const Singular *of, int rank, const long double *y,
                                  long double *x)
{
    long double sum[REFERENCE_MOST] = {0.0L};
    for (int k = 0; k < rank; k++) {
        long double part = 0.0L;
        for (int i = 0; i < of->rows; i++) {
            part += of->U[i][k] * y[i];
        }
        for (int j = 0; j < of->columns; j++) {
            sum[j] += of->V[j][k] * part / of->s[k];
        }
    }
    for (int j = 0; j < of->columns; j++) {
        x[j] = sum[j];
    }
}

typedef enum ReferenceVerdict {
    REFERENCE_UNCLEAR,       ///< too near to another verdict
    REFERENCE_UNIQUE,        ///< one acceleration
    REFERENCE_FREE,          ///< several
    REFERENCE_NONE,          ///< no acceleration: a force without mass
    REFERENCE_CONTRADICTION, ///< the constraints contradict each other
} ReferenceVerdict;

/// The givens, and what follows from them.
typedef struct ReferenceMotion {
    int n;
    int m;
    Reference M;
    Reference A;
    long double Q[REFERENCE_MOST];
    long double C[REFERENCE_MOST];
    long double b[REFERENCE_MOST];
    long double b_size[REFERENCE_MOST]; ///< of the terms that meet in b
    long double noise[REFERENCE_MOST];  ///< relative change of accelerations before
                                        ///< forces follow from them
    bool ranks_given;                   ///< take rank_A and free_rank as they are
    int rank_A;
    int free_rank; ///< of NᵀM N
    ReferenceVerdict verdict;
    long double qdd[REFERENCE_MOST];
    long double ideal[REFERENCE_MOST];
    long double nonideal[REFERENCE_MOST];
    long double lambda[REFERENCE_MOST];
    bool dependent[REFERENCE_MOST]; ///< the multiplier is not unique
} ReferenceMotion;

// What a solve needs on its way.
typedef struct ReferenceWork {
    Singular A;                     // of the rows, scaled
    Singular H;                     // of the free directions
    long double d[REFERENCE_MOST];  // units of coordinates
    long double r[REFERENCE_MOST];  // factors of rows
    long double y0[REFERENCE_MOST]; // A⁺ b in these units
} ReferenceWork;

static inline void reference_scale(const ReferenceMotion *p, ReferenceWork *w)
{
    Reference A = {{0.0L}};
    for (int j = 0; j < p->n; j++) {
        w->d[j] = p->M[j][j] > 0.0L ? 1.0L / sqrtl(p->M[j][j]) : 1.0L;
    }
    for (int i = 0; i < p->m; i++) {
        long double length = 0.0L;
        for (int j = 0; j < p->n; j++) {
            length = hypotl(length, p->A[i][j] * w->d[j]);
        }
        w->r[i] = length > 0.0L ? 1.0L / length : 1.0L;
        for (int j = 0; j < p->n; j++) {
            A[i][j] = w->r[i] * p->A[i][j] * w->d[j];
        }
    }
    singular_values(A, p->m, p->n, &w->A);
}

// A⁺ b, and how far the constraints miss each other relative to the terms in b.
static inline long double reference_held(const ReferenceMotion *p, ReferenceWork *w)
{
    long double rb[REFERENCE_MOST] = {0.0L};
    long double size = 0.0L;
    long double miss = 0.0L;
    for (int i = 0; i < p->m; i++) {
        rb[i] = w->r[i] * p->b[i];
        size = fmaxl(size, w->r[i] * (fabsl(p->b[i]) + p->b_size[i]));
    }
    memset(w->y0, 0, sizeof w->y0);
    singular_solve(&w->A, p->rank_A, rb, w->y0);
    for (int i = 0; i < p->m; i++) {
        long double sum = -rb[i];
        for (int j = 0; j < p->n; j++) {
            sum += w->r[i] * p->A[i][j] * w->d[j] * w->y0[j];
        }
        miss = fmaxl(miss, fabsl(sum));
    }
    return size > 0.0L ? miss / size : 0.0L;
}

// NᵀM N, N the last columns of V.
static inline void reference_free(const ReferenceMotion *p, ReferenceWork *w)
{
    const int k = p->n - p->rank_A;
    Reference H = {{0.0L}};
    for (int a = 0; a < k; a++) {
        for (int c = 0; c < k; c++) {
            for (int i = 0; i < p->n; i++) {
                for (int j = 0; j < p->n; j++) {
                    H[a][c] += w->A.V[i][p->rank_A + a] * w->d[i] * p->M[i][j] * w->d[j]
                               * w->A.V[j][p->rank_A + c];
                }
            }
        }
    }
    singular_values(H, k, k, &w->H);
}

// The acceleration with a part of C; returns the force, relative to the terms in it, along
// free directions without mass.
static inline long double reference_move(const ReferenceMotion *p, ReferenceWork *w,
                                         long double part, long double *qdd)
{
    const int k = p->n - p->rank_A;
    long double force[REFERENCE_MOST] = {0.0L};
    long double z[REFERENCE_MOST] = {0.0L};
    long double left = 0.0L;
    long double size = 0.0L;
    for (int a = 0; a < k; a++) {
        for (int i = 0; i < p->n; i++) {
            long double f_i = p->Q[i] + part * p->C[i];
            long double size_i = fabsl(p->Q[i]) + fabsl(part * p->C[i]);
            for (int j = 0; j < p->n; j++) {
                f_i -= p->M[i][j] * w->d[j] * w->y0[j];
                size_i += fabsl(p->M[i][j] * w->d[j] * w->y0[j]);
            }
            force[a] += w->A.V[i][p->rank_A + a] * w->d[i] * f_i;
            size = fmaxl(size, w->d[i] * size_i);
        }
    }
    singular_solve(&w->H, p->free_rank, force, z);
    for (int e = p->free_rank; e < k; e++) {
        long double along = 0.0L;
        for (int a = 0; a < k; a++) {
            along += w->H.V[a][e] * force[a];
        }
        left = fmaxl(left, fabsl(along));
    }
    for (int i = 0; i < p->n; i++) {
        qdd[i] = w->y0[i];
        for (int a = 0; a < k; a++) {
            qdd[i] += w->A.V[i][p->rank_A + a] * z[a];
        }
        qdd[i] *= w->d[i];
    }
    return size > 0.0L ? left / size : 0.0L;
}

// Forces from accelerations with and without C; multipliers of least norm as typed.
static inline void reference_forces(ReferenceMotion *p, const long double *ideal_qdd)
{
    Reference At = {{0.0L}};
    Singular of;
    for (int i = 0; i < p->n; i++) {
        p->ideal[i] = -p->Q[i];
        p->nonideal[i] = 0.0L;
        for (int j = 0; j < p->n; j++) {
            const long double ideal = ideal_qdd[j] * (1.0L + p->noise[j]);
            p->ideal[i] += p->M[i][j] * ideal;
            p->nonideal[i] += p->M[i][j] * (p->qdd[j] - ideal);
        }
        for (int k = 0; k < p->m; k++) {
            At[i][k] = p->A[k][i];
        }
    }
    singular_values(At, p->n, p->m, &of);
    long double y[REFERENCE_MOST] = {0.0L};
    memcpy(y, p->ideal, sizeof y);
    singular_solve(&of, p->rank_A, y, p->lambda);
    for (int k = 0; k < p->m; k++) {
        long double in_null_space = 0.0L;
        for (int e = p->rank_A; e < of.columns; e++) {
            in_null_space = hypotl(in_null_space, of.V[k][e]);
        }
        p->dependent[k] = in_null_space > 1e-7L;
    }
}

static inline ReferenceVerdict reference_judge(const ReferenceMotion *p,
                                               long double miss, long double left)
{
    if (miss > 1e-13L) {
        return miss > 1e-6L ? REFERENCE_CONTRADICTION : REFERENCE_UNCLEAR;
    }
    if (p->free_rank == p->n - p->rank_A) {
        return REFERENCE_UNIQUE;
    }
    if (left > 1e-13L) {
        return left > 1e-6L ? REFERENCE_NONE : REFERENCE_UNCLEAR;
    }
    return REFERENCE_FREE;
}

/// Solve; sets all that follows from the givens.
static inline void reference_solve(ReferenceMotion *p)
{
    static ReferenceWork w;
    long double ideal_qdd[REFERENCE_MOST] = {0.0L};
    memset(&w, 0, sizeof w);
    p->verdict = REFERENCE_UNCLEAR;
    reference_scale(p, &w);
    p->rank_A = p->ranks_given ? p->rank_A : singular_rank(&w.A, 1.0L);
    if (p->rank_A < 0) {
        return;
    }
    const long double miss = reference_held(p, &w);
    reference_free(p, &w);
    p->free_rank = p->ranks_given ? p->free_rank : singular_rank(&w.H, 1.0L);
    if (p->free_rank < 0) {
        return;
    }
    const long double left = reference_move(p, &w, 1.0L, p->qdd);
    (void)reference_move(p, &w, 0.0L, ideal_qdd);
    reference_forces(p, ideal_qdd);
    p->verdict = reference_judge(p, miss, left);
}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Random one-instant problems whose answer and verdicts are known by construction.
///
/// A problem is a sum of blocks that share neither coordinates nor constraints.  Each
/// block has a known number of independent rows, a known way in which further rows
/// depend on them, and a mass matrix of known rank.  Coordinates and constraints are then
/// shuffled, and optionally measured in units up to 1e±8.  The forces are made to fit an
/// acceleration q* and multipliers chosen beforehand.

#ifndef SUPPORT_INSTANT_H
#define SUPPORT_INSTANT_H

#include "rng.h"

#include <kalaba/motion.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSTANT_N = 40,
    INSTANT_M = 60
};

typedef struct Instant {
    int n;
    int m;
    double M[INSTANT_N * INSTANT_N];
    double A[INSTANT_M * INSTANT_N];
    double Q[INSTANT_N];
    double b[INSTANT_M];
    double C[INSTANT_N];
    bool has_C;
    double unit[INSTANT_N];     ///< q = unit × q in natural units
    double row_unit[INSTANT_M]; ///< A, b = row_unit × natural ones

    double qdd[INSTANT_N];   ///< a true acceleration, in given units
    double ideal[INSTANT_N]; ///< true ideal constraint force (definite M only)
    int rank_M;
    int rank_A;
    int rank_Mhat;
    bool indeterminate[INSTANT_N];
    int set[INSTANT_M]; ///< label of the dependent set, or -1
    int n_sets;
} Instant;

static inline KalMotionProblem instant_problem(const Instant *p)
{
    return (KalMotionProblem){.n = p->n,
                              .m = p->m,
                              .M = p->M,
                              .Q = p->Q,
                              .A = p->A,
                              .b = p->b,
                              .C = p->has_C ? p->C : NULL};
}

/// The space a block takes in a problem.
typedef struct Block {
    int at; ///< first coordinate
    int n;
    int row; ///< first constraint
    int m;
    int rank; ///< independent rows, at most min(n, m)
} Block;

// Independent rows first: well conditioned with a strong entry each, else random.
static inline void instant_fill_rows(Instant *p, Rng *rng, Block k)
{
    for (int i = 0; i < k.rank; i++) {
        for (int j = 0; j < k.n; j++) {
            const double strong = i == j ? 3.0 : 0.0;
            p->A[(k.row + i) * p->n + k.at + j] = strong + rng_entry(rng);
        }
    }
}

static inline void instant_add_row(Instant *p, int to, int from, double f)
{
    for (int j = 0; j < p->n; j++) {
        p->A[to * p->n + j] += f * p->A[from * p->n + j];
    }
}

// Rows that depend: copies of single rows, or combinations of all independent ones.
static inline void instant_depend_rows(Instant *p, Rng *rng, Block k)
{
    const bool copies = rng_int(rng, 0, 1) == 1;
    const int common = k.rank < k.m && !copies && k.rank > 0 ? p->n_sets++ : -1;
    for (int i = k.rank; i < k.m; i++) {
        if (k.rank == 0) { // a row of zeros depends on nothing but is not unique
            p->set[k.row + i] = p->n_sets++;
            continue;
        }
        if (copies) {
            const int of = k.row + rng_int(rng, 0, k.rank - 1);
            instant_add_row(p, k.row + i, of, 2.0 * rng_entry(rng));
            if (p->set[of] < 0) {
                p->set[of] = p->n_sets++;
            }
            p->set[k.row + i] = p->set[of];
            continue;
        }
        p->set[k.row + i] = common;
        for (int j = 0; j < k.rank; j++) {
            p->set[k.row + j] = common;
            instant_add_row(p, k.row + i, k.row + j, rng_entry(rng));
        }
    }
}

// M = BᵀB + strong diagonal on the first `rank` coordinates, spread over all `spread` of
// them by the columns of B.
static inline void instant_fill_mass(Instant *p, Rng *rng, Block k, int rank,
                                     int spread)
{
    double B[INSTANT_N * INSTANT_N] = {0.0};
    for (int r = 0; r < rank; r++) {
        for (int j = 0; j < spread; j++) {
            B[r * k.n + j] = (r == j ? 3.0 : 0.0) + rng_entry(rng);
        }
    }
    for (int i = 0; i < k.n; i++) {
        for (int j = 0; j < k.n; j++) {
            double sum = 0.0;
            for (int r = 0; r < rank; r++) {
                sum += B[r * k.n + i] * B[r * k.n + j];
            }
            p->M[(k.at + i) * p->n + k.at + j] = sum;
        }
    }
}

static inline int instant_least(int a, int b)
{
    return a < b ? a : b;
}

// Definite; or singular in all coordinates; or some coordinates without any mass.
static inline void instant_mass(Instant *p, Rng *rng, Block k, bool definite)
{
    const int kind = definite ? 0 : rng_int(rng, 0, 2);
    const int rank = kind == 0 ? k.n : rng_int(rng, 0, k.n - 1);
    const int spread = kind == 1 && rank > 0 ? k.n : rank;
    instant_fill_mass(p, rng, k, rank, spread);
    const int seen = instant_least(k.n, rank + k.rank);
    p->rank_M += rank;
    p->rank_Mhat += seen;
    for (int j = 0; j < k.n && seen < k.n; j++) {
        // A generic null vector moves every coordinate that is not held by mass alone.
        p->indeterminate[k.at + j] = spread == k.n || j >= rank;
    }
}

static inline void instant_block(Instant *p, Rng *rng, Block k, bool definite)
{
    instant_fill_rows(p, rng, k);
    instant_depend_rows(p, rng, k);
    instant_mass(p, rng, k, definite);
    p->rank_A += k.rank;
}

static inline void instant_shuffle(Rng *rng, int n, int *order)
{
    for (int i = 0; i < n; i++) {
        const int j = rng_int(rng, 0, i);
        order[i] = order[j];
        order[j] = i;
    }
}

/// The same problem with coordinates and constraints in another order.
static inline void instant_reorder(const Instant *from, Instant *to, const int *columns,
                                   const int *rows)
{
    const int n = from->n;
    *to = *from;
    for (int i = 0; i < n; i++) {
        const int a = columns[i];
        to->Q[i] = from->Q[a];
        to->C[i] = from->C[a];
        to->qdd[i] = from->qdd[a];
        to->ideal[i] = from->ideal[a];
        to->unit[i] = from->unit[a];
        to->indeterminate[i] = from->indeterminate[a];
        for (int j = 0; j < n; j++) {
            to->M[i * n + j] = from->M[a * n + columns[j]];
        }
    }
    for (int i = 0; i < from->m; i++) {
        const int a = rows[i];
        to->b[i] = from->b[a];
        to->set[i] = from->set[a];
        to->row_unit[i] = from->row_unit[a];
        for (int j = 0; j < n; j++) {
            to->A[i * n + j] = from->A[a * n + columns[j]];
        }
    }
}

/// The same problem in other units: q = unit × natural q, rows times row_unit.
static inline void instant_rescale(const Instant *from, Instant *to, const double *unit,
                                   const double *row_unit)
{
    const int n = from->n;
    *to = *from;
    for (int i = 0; i < n; i++) {
        to->unit[i] = from->unit[i] * unit[i];
        to->Q[i] = from->Q[i] / unit[i];
        to->C[i] = from->C[i] / unit[i];
        to->qdd[i] = from->qdd[i] * unit[i];
        to->ideal[i] = from->ideal[i] / unit[i];
        for (int j = 0; j < n; j++) {
            to->M[i * n + j] = from->M[i * n + j] / (unit[i] * unit[j]);
        }
    }
    for (int i = 0; i < from->m; i++) {
        to->row_unit[i] = from->row_unit[i] * row_unit[i];
        to->b[i] = from->b[i] * row_unit[i];
        for (int j = 0; j < n; j++) {
            to->A[i * n + j] = from->A[i * n + j] * row_unit[i] / unit[j];
        }
    }
}

// b = A q*, and Q + C = M q* − Aᵀλ*: then q* is an answer, the only one if it is unique.
// C = M c + Aᵀμ lies where a non-ideal force can act; with definite M the ideal part of
// the constraint force is then Aᵀ(λ* + what C adds), computed by the tests that need it.
static inline void instant_forces(Instant *p, Rng *rng)
{
    double q[INSTANT_N];
    double c[INSTANT_N];
    double lambda[INSTANT_M];
    double mu[INSTANT_M];
    for (int j = 0; j < p->n; j++) {
        q[j] = rng_entry(rng);
        c[j] = rng_entry(rng);
    }
    for (int i = 0; i < p->m; i++) {
        lambda[i] = rng_entry(rng);
        mu[i] = rng_entry(rng);
        p->b[i] = 0.0;
        for (int j = 0; j < p->n; j++) {
            p->b[i] += p->A[i * p->n + j] * q[j];
        }
    }
    for (int j = 0; j < p->n; j++) {
        double inertia = 0.0;
        double c_force = 0.0;
        double force = 0.0;
        double c_constraint = 0.0;
        for (int k = 0; k < p->n; k++) {
            inertia += p->M[j * p->n + k] * q[k];
            c_force += p->M[j * p->n + k] * c[k];
        }
        for (int i = 0; i < p->m; i++) {
            force += p->A[i * p->n + j] * lambda[i];
            c_constraint += p->A[i * p->n + j] * mu[i];
        }
        p->C[j] = p->has_C ? c_force + c_constraint : 0.0;
        p->Q[j] = inertia - force - p->C[j];
        p->qdd[j] = q[j];
        p->ideal[j] = force; // what the answer must show when there is no C
    }
}

/// Make a problem of at most n × m; `definite` asks for definite masses, `decades` for
/// units up to 10^±decades.
static inline void instant_make(Instant *p, Rng *rng, int n, int m, bool definite,
                                double decades)
{
    Instant plain = {.n = n, .m = m};
    Block at = {0};
    for (int i = 0; i < m; i++) {
        plain.set[i] = -1;
        plain.row_unit[i] = 1.0;
    }
    for (int j = 0; j < n; j++) {
        plain.unit[j] = 1.0;
    }
    while (at.at < n) {
        at.n = rng_int(rng, 1, n - at.at);
        at.m = at.at + at.n == n ? m - at.row : rng_int(rng, 0, m - at.row);
        at.rank = instant_least(at.n, at.m);
        if (at.rank > 0 && rng_int(rng, 0, 2) == 0) {
            at.rank = rng_int(rng, 0, at.rank);
        }
        instant_block(&plain, rng, at, definite);
        at.at += at.n;
        at.row += at.m;
    }
    plain.has_C = rng_int(rng, 0, 1) == 1;
    instant_forces(&plain, rng);

    int columns[INSTANT_N] = {0};
    int rows[INSTANT_M] = {0};
    double unit[INSTANT_N] = {0.0};
    double row_unit[INSTANT_M] = {0.0};
    Instant shuffled;
    instant_shuffle(rng, n, columns);
    instant_shuffle(rng, m, rows);
    instant_reorder(&plain, &shuffled, columns, rows);
    for (int j = 0; j < n; j++) {
        unit[j] = rng_scale(rng, decades);
    }
    for (int i = 0; i < m; i++) {
        row_unit[i] = rng_scale(rng, decades);
    }
    instant_rescale(&shuffled, p, unit, row_unit);
}

#endif

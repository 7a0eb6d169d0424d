// SPDX-License-Identifier: MIT

/// @file
/// How the bodies of rigid.h move: accelerations, states put back onto the joints, steps in
/// time, and what is known of a state.

#ifndef SUPPORT_RIGID_MOTION_H
#define SUPPORT_RIGID_MOTION_H

#include "rigid.h"

// Accelerations

static inline void rigid_mass_times(const RigidSystem *system,
                                    Real inertia[RIGID_BODIES][9], const Real *x,
                                    Real *out)
{
    for (int i = 0; i < system->n_bodies; i++) {
        for (int k = 0; k < 3; k++) {
            out[6 * i + k] = system->bodies[i].m * x[6 * i + k];
        }
        rigid_times(inertia[i], x + 6 * i + 3, out + 6 * i + 3);
    }
}

// Solve A x = x for a symmetric positive A of size k, which is used up.
static inline void rigid_cholesky(int k, Real A[RIGID_SPEEDS][RIGID_SPEEDS], Real *x)
{
    for (int j = 0; j < k; j++) {
        for (int i = j; i < k; i++) {
            Real s = A[i][j];
            for (int l = 0; l < j; l++) {
                s -= A[i][l] * A[j][l];
            }
            A[i][j] = i == j ? sqrtl(s) : s / A[j][j];
        }
        for (int l = 0; l < j; l++) {
            x[j] -= A[j][l] * x[l];
        }
        x[j] /= A[j][j];
    }
    for (int j = k - 1; j >= 0; j--) {
        for (int l = j + 1; l < k; l++) {
            x[j] -= A[l][j] * x[l];
        }
        x[j] /= A[j][j];
    }
}

/// Choose as many rows as the rank says.  Between steps joints do not quite hold, and rows
/// that repeat others then ask for something else; so each step keeps to its rows.
static inline void rigid_choose(RigidSystem *system, const Real *y)
{
    RigidRow rows[RIGID_ROWS];
    RigidFactor f;
    const int m = rigid_rows(system, y, rows);
    rigid_factor(rows, 6 * system->n_bodies, m, system->rank, &f);
    memcpy(system->chosen, f.order, sizeof system->chosen);
    system->n_chosen = f.rank < m ? f.rank : 0;
}

static inline int rigid_chosen_rows(const RigidSystem *system, const Real *y,
                                    RigidRow *rows)
{
    RigidRow all[RIGID_ROWS];
    if (system->n_chosen == 0) {
        return rigid_rows(system, y, rows);
    }
    (void)rigid_rows(system, y, all);
    for (int i = 0; i < system->n_chosen; i++) {
        rows[i] = all[system->chosen[i]];
    }
    return system->n_chosen;
}

/// The accelerations of a state.
static inline void rigid_accelerations(const RigidSystem *system, const Real *y,
                                       Real *a)
{
    RigidRow rows[RIGID_ROWS];
    RigidFactor f;
    Real F[RIGID_SPEEDS];
    Real inertia[RIGID_BODIES][9];
    Real right[RIGID_ROWS];
    Real Z[RIGID_SPEEDS][RIGID_SPEEDS]; // row k: a free direction
    Real MZ[RIGID_SPEEDS];
    Real A[RIGID_SPEEDS][RIGID_SPEEDS];
    Real x[RIGID_SPEEDS];
    const int n = 6 * system->n_bodies;
    const int m = rigid_chosen_rows(system, y, rows);
    for (int i = 0; i < m; i++) {
        right[i] = -rows[i].bias;
    }
    rigid_factor(rows, n, m, system->rank, &f);
    rigid_least(&f, right, a);
    rigid_forces(system, y, F, inertia);
    rigid_mass_times(system, inertia, a, MZ);
    for (int i = 0; i < n; i++) {
        F[i] -= MZ[i];
    }
    for (int k = 0; k < n - f.rank; k++) {
        memset(Z[k], 0, sizeof Z[k]);
        Z[k][f.rank + k] = 1.0L;
        rigid_apply_q(&f, Z[k]);
        rigid_mass_times(system, inertia, Z[k], MZ);
        x[k] = 0.0L;
        for (int i = 0; i < n; i++) {
            x[k] += Z[k][i] * F[i];
        }
        for (int l = 0; l <= k; l++) {
            A[k][l] = 0.0L;
            for (int i = 0; i < n; i++) {
                A[k][l] += Z[l][i] * MZ[i];
            }
        }
    }
    rigid_cholesky(n - f.rank, A, x);
    for (int k = 0; k < n - f.rank; k++) {
        for (int i = 0; i < n; i++) {
            a[i] += x[k] * Z[k][i];
        }
    }
}

static inline void rigid_rates(const RigidSystem *system, const Real *y, Real *rate)
{
    Real a[RIGID_SPEEDS];
    rigid_accelerations(system, y, a);
    for (int i = 0; i < system->n_bodies; i++) {
        const Real *from = y + RIGID_NUMBERS * i;
        Real *to = rate + RIGID_NUMBERS * i;
        memcpy(to, from + 7, 3 * sizeof *to);
        rigid_quaternion_rate(from + 3, from + 10, to + 3);
        memcpy(to + 7, a + 6 * i, 6 * sizeof *to);
    }
}

// Onto the joints

static inline void rigid_displace(int n_bodies, const Real *x, Real *y)
{
    for (int i = 0; i < n_bodies; i++) {
        Real *of = y + RIGID_NUMBERS * i;
        Real turn[4];
        rigid_quaternion_rate(of + 3, x + 6 * i + 3, turn);
        rigid_add(1.0L, x + 6 * i, of);
        for (int k = 0; k < 4; k++) {
            of[3 + k] += turn[k];
        }
        rigid_normalize(of + 3, 4);
    }
}

/// The least change x of speeds with J x = right; returns the largest of `right`.
static inline Real rigid_least_change(const RigidSystem *system, const RigidRow *rows,
                                      int m, const Real *right, Real *x)
{
    RigidFactor f;
    Real worst = 0.0L;
    for (int i = 0; i < m; i++) {
        worst = fmaxl(worst, fabsl(right[i]));
    }
    rigid_factor(rows, 6 * system->n_bodies, m, system->rank, &f);
    rigid_least(&f, right, x);
    return worst;
}

/// How far velocities are from what the joints allow, and put them there.
static inline Real rigid_project_velocities(const RigidSystem *system, Real *y)
{
    RigidRow rows[RIGID_ROWS];
    Real right[RIGID_ROWS];
    Real x[RIGID_SPEEDS];
    const int n = 6 * system->n_bodies;
    const int m = rigid_rows(system, y, rows);
    for (int i = 0; i < m; i++) {
        right[i] = rows[i].speed;
        for (int k = 0; k < n; k++) {
            right[i] -= rows[i].j[k] * y[RIGID_NUMBERS * (k / 6) + 7 + k % 6];
        }
    }
    const Real worst = rigid_least_change(system, rows, m, right, x);
    for (int k = 0; k < n; k++) {
        y[RIGID_NUMBERS * (k / 6) + 7 + k % 6] += x[k];
    }
    return worst;
}

/// The same of positions, by one step of Newton's.
static inline Real rigid_project_positions(const RigidSystem *system, Real *y)
{
    RigidRow rows[RIGID_ROWS];
    Real right[RIGID_ROWS];
    Real x[RIGID_SPEEDS];
    const int m = rigid_rows(system, y, rows);
    for (int i = 0; i < m; i++) {
        right[i] = -rows[i].residual;
    }
    const Real worst = rigid_least_change(system, rows, m, right, x);
    rigid_displace(system->n_bodies, x, y);
    return worst;
}

static inline void rigid_project(const RigidSystem *system, Real *y)
{
    (void)rigid_project_positions(system, y);
    (void)rigid_project_velocities(system, y);
}

// In time

// The modified midpoint rule in 2·parts substeps (Gragg).
static inline void rigid_midpoint(const RigidSystem *system, const Real *y, Real h,
                                  int parts, Real *out)
{
    Real before[RIGID_STATE];
    Real now[RIGID_STATE];
    Real rate[RIGID_STATE];
    const int size = RIGID_NUMBERS * system->n_bodies;
    const Real d = h / (2 * parts);
    rigid_rates(system, y, rate);
    for (int i = 0; i < size; i++) {
        before[i] = y[i];
        now[i] = y[i] + d * rate[i];
    }
    for (int step = 1; step < 2 * parts; step++) {
        rigid_rates(system, now, rate);
        for (int i = 0; i < size; i++) {
            const Real next = before[i] + 2.0L * d * rate[i];
            before[i] = now[i];
            now[i] = next;
        }
    }
    rigid_rates(system, now, rate);
    for (int i = 0; i < size; i++) {
        out[i] = 0.5L * (now[i] + before[i] + d * rate[i]);
    }
}

/// A step of order 10; answers its error relative to the state.
static inline Real rigid_try(const RigidSystem *system, const Real *y, Real h,
                             Real *out)
{
    Real table[RIGID_COLUMNS][RIGID_STATE];
    Real error = 0.0L;
    for (int k = 0; k < RIGID_COLUMNS; k++) {
        rigid_midpoint(system, y, h, k + 1, table[k]);
    }
    for (int i = 0; i < RIGID_NUMBERS * system->n_bodies; i++) {
        Real last = 0.0L;
        for (int j = 1; j < RIGID_COLUMNS; j++) { // Neville in the squares of substeps
            for (int k = RIGID_COLUMNS - 1; k >= j; k--) {
                const Real ratio =
                    (Real)((k + 1) * (k + 1)) / (Real)((k + 1 - j) * (k + 1 - j));
                last = (table[k][i] - table[k - 1][i]) / (ratio - 1.0L);
                table[k][i] += last;
            }
            last = j == RIGID_COLUMNS - 1 ? last : 0.0L;
        }
        out[i] = table[RIGID_COLUMNS - 1][i];
        error = fmaxl(error, fabsl(last) / (1.0L + fabsl(out[i])));
    }
    return error;
}

/// Go on by one step of at most `most`, a size that is kept in `h`; answers how far, 0 when
/// steps become too small.
static inline Real rigid_step(const RigidSystem *system, Real *y, Real most, Real *h)
{
    RigidSystem here = *system;
    Real next[RIGID_STATE];
    rigid_choose(&here, y);
    while (*h > 1e-7L) {
        const Real step = *h < most ? *h : most;
        const Real error = rigid_try(&here, y, step, next);
        const Real factor = powl(1e-13L / fmaxl(error, 1e-18L), 1.0L / 9.0L);
        if (error <= 1e-12L) { // not true of NaN
            memcpy(y, next, sizeof next);
            rigid_project(system, y);
            *h = step == *h || factor < 1.0L ? step * fminl(factor, 2.0L) : *h;
            return step;
        }
        *h = step * (factor > 0.2L ? fminl(factor, 0.8L) : 0.2L);
    }
    return 0.0L;
}

// What is known of a state

/// Singular values of the joints' rows, largest first, each with the combination of rows
/// that has it as its length.
typedef struct RigidSingular {
    int m;
    Real values[RIGID_ROWS];
    Real combinations[RIGID_ROWS][RIGID_ROWS];
} RigidSingular;

enum {
    RIGID_LONG = RIGID_SPEEDS + RIGID_ROWS
};

// Turn two vectors in their plane until their first n elements are at right angles; answers
// whether they were not.
static inline bool rigid_jacobi(Real *p, Real *q, int n, int size)
{
    Real pp = 0.0L;
    Real qq = 0.0L;
    Real pq = 0.0L;
    for (int i = 0; i < n; i++) {
        pp += p[i] * p[i];
        qq += q[i] * q[i];
        pq += p[i] * q[i];
    }
    if (fabsl(pq) <= 1e-18L * sqrtl(pp * qq) || pq == 0.0L) {
        return false;
    }
    const Real z = (qq - pp) / (2.0L * pq);
    const Real t = (z < 0.0L ? -1.0L : 1.0L) / (fabsl(z) + sqrtl(1.0L + z * z));
    const Real c = 1.0L / sqrtl(1.0L + t * t);
    for (int i = 0; i < size; i++) {
        const Real before = p[i];
        p[i] = c * (before - t * q[i]);
        q[i] = c * (q[i] + t * before);
    }
    return true;
}

static inline void rigid_sort(Real vectors[RIGID_ROWS][RIGID_LONG], int n,
                              RigidSingular *out)
{
    bool taken[RIGID_ROWS] = {false};
    for (int k = 0; k < out->m; k++) {
        int best = -1;
        for (int i = 0; i < out->m; i++) {
            const Real size = rigid_size(vectors[i], 0, n);
            if (!taken[i] && (best < 0 || size > out->values[k])) {
                best = i;
                out->values[k] = size;
            }
        }
        taken[best] = true;
        memcpy(out->combinations[k], vectors[best] + n, (size_t)out->m * sizeof(Real));
    }
}

/// By Jacobi's turns, which are exact to the last digits of small values too.
static inline void rigid_singular(const RigidSystem *system, const Real *y,
                                  RigidSingular *out)
{
    static const int sweeps = 30;
    RigidRow rows[RIGID_ROWS];
    Real vectors[RIGID_ROWS][RIGID_LONG];
    const int n = 6 * system->n_bodies;
    bool turned = true;
    out->m = rigid_rows(system, y, rows);
    for (int i = 0; i < out->m; i++) {
        memcpy(vectors[i], rows[i].j, (size_t)n * sizeof(Real));
        for (int k = 0; k < out->m; k++) {
            vectors[i][n + k] = i == k ? 1.0L : 0.0L;
        }
    }
    for (int sweep = 0; turned && sweep < sweeps; sweep++) {
        turned = false;
        for (int p = 0; p < out->m; p++) {
            for (int q = p + 1; q < out->m; q++) {
                turned = rigid_jacobi(vectors[p], vectors[q], n, n + out->m) || turned;
            }
        }
    }
    rigid_sort(vectors, n, out);
}

static inline Real rigid_potential(const RigidSystem *system, const Real *y)
{
    Real sum = 0.0L;
    for (int i = 0; i < system->n_bodies; i++) {
        sum -= system->bodies[i].m
               * rigid_dot(system->bodies[i].gravity, y + RIGID_NUMBERS * i);
    }
    for (int i = 0; i < system->n_forces; i++) {
        const RigidForce *force = &system->forces[i];
        RigidPair pair;
        Real stretch = 0.0L;
        if (force->kind == RIGID_TORSION_SPRING) {
            stretch = rigid_angle(&system->joints[force->joint], y) - force->rest;
        } else if (force->kind == RIGID_SPRING || force->kind == RIGID_BUSHING) {
            rigid_force_pair(force, y, &pair);
            stretch = sqrtl(rigid_dot(pair.d, pair.d)) - force->rest;
        }
        sum += 0.5L * force->k * stretch * stretch;
    }
    return sum;
}

static inline Real rigid_kinetic(const RigidSystem *system, const Real *y)
{
    Real sum = 0.0L;
    for (int i = 0; i < system->n_bodies; i++) {
        RigidFrame frame;
        Real w[3];
        Real spin[3];
        rigid_frame(y, i, &frame);
        rigid_back(frame.R, frame.w, w);
        rigid_times(system->bodies[i].inertia, w, spin);
        sum += 0.5L * system->bodies[i].m * rigid_dot(frame.v, frame.v)
               + 0.5L * rigid_dot(w, spin);
    }
    return sum;
}

/// Momentum, and angular momentum about a point; answers the sum of the sizes of what was
/// added up for the latter.
static inline Real rigid_momentum(const RigidSystem *system, const Real *y,
                                  const Real *about, Real *momentum, Real *angular)
{
    Real size = 0.0L;
    memset(momentum, 0, 3 * sizeof *momentum);
    memset(angular, 0, 3 * sizeof *angular);
    for (int i = 0; i < system->n_bodies; i++) {
        RigidFrame frame;
        Real spin[3];
        Real orbit[3];
        Real arm[3];
        rigid_frame(y, i, &frame);
        rigid_back(frame.R, frame.w, spin);
        rigid_times(system->bodies[i].inertia, spin, spin);
        rigid_times(frame.R, spin, spin);
        memcpy(arm, frame.r, sizeof arm);
        rigid_add(-1.0L, about, arm);
        rigid_cross(arm, frame.v, orbit);
        rigid_add(system->bodies[i].m, frame.v, momentum);
        rigid_add(system->bodies[i].m, orbit, angular);
        rigid_add(1.0L, spin, angular);
        size += sqrtl(rigid_dot(spin, spin))
                + system->bodies[i].m * sqrtl(rigid_dot(orbit, orbit));
    }
    return size;
}

#endif

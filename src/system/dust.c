// SPDX-License-Identifier: MIT

// Entries that are rounding of formulas that should have cancelled: theory (3.11).  A mass or
// a coefficient far below anything it could matter beside is cleared, for a zero by structure
// and a trace of it make systems of different rank.

#include "system/dust.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Parts of what is beside them that are no entries of A, and no masses: theory (3.11).
static const double TRACE = 0x1p-80;
static const double TRACE_OF_MASS = 0x1p-90;

// Beside the largest of the row: how rows are scaled means nothing.
void kal_clear_traces_in_rows(const KalSparse *A, double *values)
{
    assert(A->start || A->rows == 0);
    for (size_t i = 0; i < A->rows; i++) {
        const int64_t end = A->start[i + 1];
        double largest = 0.0;
        double least = INFINITY;
        for (int64_t k = A->start[i]; k < end; k++) {
            const double size = fabs(values[k]);
            largest = size > largest ? size : largest;
            least = size < least ? size : least;
        }
        for (int64_t k = A->start[i]; k < end && least <= TRACE * largest; k++) {
            values[k] = fabs(values[k]) > TRACE * largest ? values[k] : 0.0;
        }
    }
}

// The largest mass that coordinate j is coupled to; 0 if there is none.
static double coupled_mass(int n, const double *M, int j)
{
    assert(j >= 0 && j < n);
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double mass = M[(size_t)i * (size_t)(n + 1)];
        largest = i != j && M[j * n + i] != 0.0 && mass > largest ? mass : largest;
    }
    return largest;
}

// Beside the largest mass and beside those it is coupled to: a light coordinate that is
// coupled to nothing keeps its mass.
void kal_clear_traces_of_mass(int n, double *M)
{
    assert(n >= 0 && M);
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        const double mass = M[(size_t)j * (size_t)(n + 1)];
        most = mass > most ? mass : most;
    }
    for (int j = 0; j < n; j++) {
        const double mass = M[(size_t)j * (size_t)(n + 1)];
        if (mass < TRACE_OF_MASS * most
            && fabs(mass) < TRACE_OF_MASS * coupled_mass(n, M, j)) {
            for (int i = 0; i < n; i++) {
                M[i * n + j] = M[j * n + i] = 0.0;
            }
        }
    }
}

// The diagonal of M; whether there is any that is a trace of the largest, which is written.
static bool find_masses(const KalSparse *M, const double *values, double *mass,
                        double *out_most)
{
    double most = 0.0;
    double least = INFINITY;
    for (size_t j = 0; j < M->rows; j++) {
        const int64_t last = M->start[j + 1] - 1;
        const bool any = last >= M->start[j] && M->column[last] == (int64_t)j;
        mass[j] = any ? values[last] : 0.0;
        most = mass[j] > most ? mass[j] : most;
        least = mass[j] < least ? mass[j] : least;
    }
    *out_most = most;
    return least < TRACE_OF_MASS * most;
}

// The largest mass that each coordinate is coupled to.
static void find_coupled(const KalSparse *M, const double *values, const double *mass,
                         double *coupled)
{
    memset(coupled, 0, M->rows * sizeof *coupled);
    for (size_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const size_t j = (size_t)M->column[k];
            if (i != j && values[k] != 0.0) {
                coupled[i] = fmax(coupled[i], mass[j]);
                coupled[j] = fmax(coupled[j], mass[i]);
            }
        }
    }
}

void kal_clear_traces_of_masses(const KalSparse *M, double *values, double *scratch)
{
    assert(scratch && values != scratch);
    double *mass = scratch;
    double *coupled = scratch + M->rows;
    double most = 0.0;
    if (!find_masses(M, values, mass, &most)) {
        return;
    }
    find_coupled(M, values, mass, coupled);
    for (size_t j = 0; j < M->rows; j++) {
        const bool trace = mass[j] < TRACE_OF_MASS * most
                           && fabs(mass[j]) < TRACE_OF_MASS * coupled[j];
        mass[j] = trace ? 0.0 : 1.0;
    }
    for (size_t i = 0; i < M->rows; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const bool stays = mass[i] * mass[M->column[k]] > 0.0;
            values[k] = stays ? values[k] : 0.0;
        }
    }
}

// SPDX-License-Identifier: MIT

// Entries that are rounding of formulas that should have cancelled: theory (3.11).  A mass or
// a coefficient far below anything it could matter beside, and far below what it is in other
// states, is cleared, for a zero by structure and a trace of it make systems of different
// rank.

#include "system/dust.h"

#include "large/pass.h"
#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Parts of what is beside them that are no entries of A, and no masses: theory (3.11).
static const double TRACE_OF_MASS = 0x1p-90;

void kal_usual_lay_out(KalUsual *usual, KalCarver *carver,
                       const KalEquations *equations)
{
    const size_t in_A = (size_t)equations->A.start[equations->m];
    usual->masses = kal_carve_doubles(carver, equations->n, 1);
    usual->entries = kal_carve_doubles(carver, in_A, 1);
}

// A number between 1/2 and 3/2 for each k, in no simple ratio to the others: multiples of the
// golden ratio are spread evenly.
static double spread(size_t k)
{
    const double golden = 0.61803398874989485;
    const double turns = golden * (double)(k + 1);
    return 0.5 + (turns - floor(turns));
}

// Positions and velocities without zeros and coincidences, of the sizes that a run starts
// with, or of 1.
static void go_astray(KalInstant *instant, double sign)
{
    const size_t n = (size_t)instant->system->n;
    const KalSettings *s = &instant->settings;
    double *q = kal_instant_q(instant);
    double *v = kal_instant_qd(instant);
    for (size_t j = 0; j < n; j++) {
        q[j] = sign * spread(2 * j) * fmax(1.0, fabs(s->start_q[j]));
        v[j] = spread(2 * j + 1) * fmax(1.0, fabs(s->start_qd[j]));
    }
}

// Keep the larger size; what has no value says nothing.
static void take_size(double value, double *size)
{
    *size = isfinite(value) && !(fabs(value) < *size) ? fabs(value) : *size;
}

// The diagonal entry of a row of the lower triangle is its last, if it is stored.
static double mass_of(const KalSparse *M, const double *values, size_t j)
{
    const int64_t last = M->start[j + 1] - 1;
    const bool any = last >= M->start[j] && M->column[last] == (int64_t)j;
    return any ? values[last] : 0.0;
}

// -1: no value was seen.
static void begin_sizes(size_t count, double *sizes)
{
    for (size_t k = 0; k < count; k++) {
        sizes[k] = -1.0;
    }
}

static void end_sizes(size_t count, double *sizes)
{
    for (size_t k = 0; k < count; k++) {
        sizes[k] = sizes[k] < 0.0 ? INFINITY : sizes[k];
    }
}

// The sizes that entries have at two other states on either side of the present one,
// neither of which is special: what an entry is there tells rounding from a small number.
void kal_usual_find(KalInstant *instant)
{
    assert(instant->usual.masses && instant->system->programs[KAL_PROGRAM_GIVENS]);
    const KalEquations *e = instant->system->equations;
    const KalUsual *usual = &instant->usual;
    const size_t in_M = (size_t)e->M.start[e->n];
    const size_t in_A = (size_t)e->A.start[e->m];
    begin_sizes(e->n, usual->masses);
    begin_sizes(in_A, usual->entries);
    for (int k = 0; k < 2; k++) {
        go_astray(instant, k == 0 ? 1.0 : -1.0);
        kal_program_eval(instant->system->programs[KAL_PROGRAM_GIVENS],
                         instant->variables, instant->work[KAL_PROGRAM_GIVENS],
                         instant->results);
        for (size_t j = 0; j < e->n; j++) {
            take_size(mass_of(&e->M, instant->results, j), &usual->masses[j]);
        }
        for (size_t i = 0; i < in_A; i++) {
            take_size(instant->results[in_M + e->n + i], &usual->entries[i]);
        }
    }
    end_sizes(e->n, usual->masses);
    end_sizes(in_A, usual->entries);
}

// Beside the largest of the row: how rows are scaled means nothing.
void kal_clear_traces_in_rows(const KalSparse *A, const KalUsual *usual, double *values)
{
    assert(A->start || A->rows == 0);
    const KalExtent all = kal_passes()->extent(values, (size_t)A->start[A->rows]);
    if (all.least > KAL_TRACE * all.most) {
        return; // no entry is a trace of any other
    }
    for (size_t i = 0; i < A->rows; i++) {
        const int64_t end = A->start[i + 1];
        double largest = 0.0;
        double least = INFINITY;
        for (int64_t k = A->start[i]; k < end; k++) {
            const double size = fabs(values[k]);
            largest = size > largest ? size : largest;
            least = size < least ? size : least;
        }
        for (int64_t k = A->start[i]; k < end && least <= KAL_TRACE * largest; k++) {
            const double size = fabs(values[k]);
            const bool meant =
                size > KAL_TRACE * largest || size > KAL_TRACE * usual->entries[k];
            values[k] = meant ? values[k] : 0.0;
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
void kal_clear_traces_of_mass(int n, const KalUsual *usual, double *M)
{
    assert(n >= 0 && M);
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        const double mass = M[(size_t)j * (size_t)(n + 1)];
        most = mass > most ? mass : most;
    }
    for (int j = 0; j < n; j++) {
        const double mass = M[(size_t)j * (size_t)(n + 1)];
        if (mass < TRACE_OF_MASS * most && fabs(mass) < TRACE_OF_MASS * usual->masses[j]
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
        mass[j] = mass_of(M, values, j);
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

void kal_clear_traces_of_masses(const KalSparse *M, const KalUsual *usual,
                                double *values, double *scratch)
{
    assert(scratch && values != scratch);
    double *mass = scratch;
    double *coupled = scratch + M->rows;
    double most = 0.0;
    const KalExtent all = kal_passes()->extent(values, (size_t)M->start[M->rows]);
    if (all.least > TRACE_OF_MASS * all.most) {
        return; // no mass is
    }
    if (!find_masses(M, values, mass, &most)) {
        return;
    }
    find_coupled(M, values, mass, coupled);
    for (size_t j = 0; j < M->rows; j++) {
        const bool trace = mass[j] < TRACE_OF_MASS * most
                           && fabs(mass[j]) < TRACE_OF_MASS * usual->masses[j]
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

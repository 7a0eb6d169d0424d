// SPDX-License-Identifier: MIT

// Weights of constraints for the metric M + AᵀWA (theory (3.7)).
//
// A coordinate j with mass in row i says that the weight of the row should be M_jj / a_ij².
// Masses that are but rounding say far too little, entries that are but rounding far too
// much; so the median of what all say counts.  In the same way rows say what mass the
// coordinates share by them, and a coordinate has that, or its own mass if it is more.
// Finally the weight of a row is the mass that resists it, 1 / Σ a² / mass: light things
// are not tied to heavy weights, which would drown their own masses.
//
// All but the last step goes by powers of two: whole exponents.

#include "motion/weights.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    SHARE = 2,     // a coordinate has at least 2^-SHARE of what rows say
    ROUNDS = 4,    // masses travel that many constraints far
    LARGEST = 900, // exponents within ± this can be computed with
    UNKNOWN = INT_MIN
};

// The exponent of x, UNKNOWN for 0 and whatever has none.
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    return exponent == 0 || exponent == 0x7ff ? UNKNOWN : exponent - 1023;
}

// 2^exponent, within what can be computed with.
static double power_of_two(int exponent)
{
    const int within = exponent > LARGEST    ? LARGEST
                       : exponent < -LARGEST ? -LARGEST
                                             : exponent;
    const uint64_t bits = (uint64_t)(within + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The value that would come to place k if x were sorted; x is reordered.
static int select_place(int *x, int count, int k)
{
    int low = 0;
    int high = count - 1;
    while (low < high) {
        const int pivot = x[k];
        int i = low;
        int j = high;
        while (i <= j) {
            while (x[i] < pivot) {
                i++;
            }
            while (pivot < x[j]) {
                j--;
            }
            if (i <= j) {
                const int keep = x[i];
                x[i++] = x[j];
                x[j--] = keep;
            }
        }
        low = j < k ? i : low;
        high = k < i ? j : high;
    }
    return x[k];
}

// The lower median; UNKNOWN for none.
static int median(int *x, int count)
{
    return count > 0 ? select_place(x, count, (count - 1) / 2) : UNKNOWN;
}

typedef struct Metric {
    int n;
    int m;
    const double *A;
    int *said;       // scratch
    double *mass;    // n; 0: unknown
    double *weights; // m; 0: unknown
} Metric;

// What the coordinates of row i say about its weight.
static void ask_coordinates(const Metric *x, int i)
{
    const double *row = x->A + (size_t)i * (size_t)x->n;
    int count = 0;
    for (int j = 0; j < x->n; j++) {
        const int entry = exponent_of(row[j]);
        const int mass = exponent_of(x->mass[j]);
        if (entry != UNKNOWN && mass != UNKNOWN) {
            x->said[count++] = mass - 2 * entry;
        }
    }
    const int said = median(x->said, count);
    x->weights[i] = said != UNKNOWN ? power_of_two(said) : 0.0;
}

// What the rows say that coordinate j has.
static void ask_rows(const Metric *x, int j)
{
    int count = 0;
    for (int i = 0; i < x->m; i++) {
        const int entry = exponent_of(x->A[(size_t)i * (size_t)x->n + (size_t)j]);
        const int weight = exponent_of(x->weights[i]);
        if (entry != UNKNOWN && weight != UNKNOWN) {
            x->said[count++] = weight + 2 * entry;
        }
    }
    const int said = median(x->said, count);
    if (said != UNKNOWN) {
        x->mass[j] = fmax(x->mass[j], power_of_two(said - SHARE));
    }
}

static bool is_empty(int n, const double *row)
{
    int j = 0;
    while (j < n && row[j] == 0.0) {
        j++;
    }
    return j == n;
}

// Rows that nothing is known about, though they say something.
static int count_unknown(const Metric *x)
{
    int unknown = 0;
    for (int i = 0; i < x->m; i++) {
        unknown +=
            x->weights[i] == 0.0 && !is_empty(x->n, x->A + (size_t)i * (size_t)x->n);
    }
    return unknown;
}

// 1 / Σ a² / mass, as a power of two.
static double resisting_mass(const Metric *x, int i)
{
    const double *row = x->A + (size_t)i * (size_t)x->n;
    double sum = 0.0;
    for (int j = 0; j < x->n; j++) {
        sum += row[j] != 0.0 ? row[j] * row[j] / x->mass[j] : 0.0;
    }
    const int exponent = exponent_of(sum);
    return power_of_two(exponent == UNKNOWN ? 0 : -exponent);
}

bool kal_metric_weights(int n, int m, const double *M, const double *A, int *scratch,
                        double *out_mass, double *out_weights)
{
    const Metric x = {n, m, A, scratch, out_mass, out_weights};
    int unknown = m;
    for (int j = 0; j < n; j++) {
        out_mass[j] = fmax(0.0, M[(size_t)j * (size_t)(n + 1)]);
    }
    for (int round = 0; round < ROUNDS && unknown > 0; round++) {
        for (int i = 0; i < m; i++) {
            ask_coordinates(&x, i);
        }
        unknown = count_unknown(&x);
        for (int j = 0; j < n; j++) {
            ask_rows(&x, j);
        }
    }
    for (int j = 0; j < n; j++) {
        const int exponent = exponent_of(out_mass[j]);
        out_mass[j] = power_of_two(exponent == UNKNOWN ? 0 : exponent);
    }
    for (int i = 0; i < m; i++) {
        out_weights[i] = resisting_mass(&x, i);
    }
    return unknown == 0;
}

void kal_metric_add_rows(int n, int m, const double *A, const double *weights,
                         double *metric)
{
    for (int i = 0; i < m; i++) {
        const double *row = A + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            const double f = weights[i] * row[j];
            for (int k = j; k < n && f != 0.0; k++) {
                metric[(size_t)j * (size_t)n + (size_t)k] += f * row[k];
            }
        }
    }
}

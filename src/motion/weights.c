// SPDX-License-Identifier: MIT

// Weights of constraints for the metric M + AᵀWA (theory (3.7)).
//
// A coordinate j with mass in row i says that the weight of the row should be M_jj / a_ij².
// Masses that are but rounding say far too little, so the median of what all say counts.
// In turn a coordinate has the mass that its rows say it shares by them, or its own if that
// is more.  Finally the weight of a row is the mass that resists it, 1 / Σ a² / mass: light
// things are not tied to heavy weights, which would drown their own masses.
//
// Small entries, and those that are but rounding most of all, would say far too much.  They
// have no say: in units in which every row and every column has a largest entry of about 1,
// they are next to nothing.
//
// All but the last step goes by powers of two: whole exponents.

#include "motion/weights.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    SHARE = 2,     // a coordinate has at least 2^-SHARE of what rows say
    ROUNDS = 4,    // masses travel that many constraints far
    LARGEST = 900, // exponents within ± this can be computed with
    FAR = 20,      // powers of two that masses in one row hardly differ by
    SWEEPS = 2,    // over rows and columns, to find those units
    UNKNOWN = INT_MIN
};

// Entries below this, in such units, have no say.
static const double NEXT_TO_NOTHING = 0x1p-8;

// A column that has nothing but rounding in it does not come to say much by its unit.
static const double MOST_RAISED = 0x1p14;

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
    assert(exponent != UNKNOWN);
    const int within = exponent > LARGEST    ? LARGEST
                       : exponent < -LARGEST ? -LARGEST
                                             : exponent;
    const uint64_t bits = (uint64_t)(within + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The value that would come to place k if x were sorted; x is reordered.
// Quickselect (Hoare): partition around x[k] and go on in the part that holds place k.
static int select_place(int *x, int count, int k)
{
    assert(k >= 0 && k < count);
    int low = 0;
    int high = count - 1;
    // What stands before `low` is no larger, what stands behind `high` no smaller than x[k].
    while (low < high) {
        const int pivot = x[k];
        int i = low;
        int j = high;
        assert(low <= k && k <= high);
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

// The median; UNKNOWN for none.  Of two middle values the lower, unless it is so much lower
// that it cannot be meant.
static int median(int *x, int count)
{
    if (count == 0) {
        return UNKNOWN;
    }
    const int lower = select_place(x, count, (count - 1) / 2);
    const int upper = select_place(x, count, count / 2);
    assert(lower <= upper);
    return upper - lower > FAR ? upper : lower;
}

typedef struct Equations {
    int n;
    int m;
    const double *A;
    const double *unit;     // n: of the columns
    const double *row_unit; // m
} Equations;

// 2^-e for an x with exponent e; 1 for what has none.
static double reciprocal_power(double x)
{
    const int exponent = exponent_of(x);
    return power_of_two(exponent == UNKNOWN ? 0 : -exponent);
}

// Make the largest entry of a row about 1, in the units of the columns.
static double unit_of_row(int n, const double *row, const double *unit)
{
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        const double size = fabs(row[j]) * unit[j];
        largest = size > largest ? size : largest;
    }
    return reciprocal_power(largest);
}

// The same for all columns, in the units of the rows.
static void find_units(int n, int m, const double *A, const double *row_unit,
                       double *unit)
{
    memset(unit, 0, (size_t)n * sizeof *unit);
    for (int i = 0; i < m; i++) {
        const double *row = A + (size_t)i * (size_t)n;
        for (int j = 0; j < n; j++) {
            const double size = fabs(row[j]) * row_unit[i];
            unit[j] = size > unit[j] ? size : unit[j];
        }
    }
    for (int j = 0; j < n; j++) {
        unit[j] = fmin(reciprocal_power(unit[j]), MOST_RAISED);
    }
}

// Units in which the largest entry of every row and column is about 1.
static void equilibrate(int n, int m, const double *A, double *unit, double *row_unit)
{
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < m; i++) {
            row_unit[i] = unit_of_row(n, A + (size_t)i * (size_t)n, unit);
        }
        find_units(n, m, A, row_unit, unit);
    }
}

// The exponent of an entry of A; UNKNOWN if it has no say.
static int entry_of(const Equations *e, int i, int j)
{
    const double a = e->A[(size_t)i * (size_t)e->n + (size_t)j];
    return fabs(a) * e->row_unit[i] * e->unit[j] >= NEXT_TO_NOTHING ? exponent_of(a)
                                                                    : UNKNOWN;
}

// What the coordinates of row i say about its weight; 0 if nothing.
static void ask_coordinates(const Equations *e, int i, const KalMetric *metric)
{
    int count = 0;
    for (int j = 0; j < e->n; j++) {
        const int entry = entry_of(e, i, j);
        const int mass = exponent_of(metric->mass[j]);
        if (entry != UNKNOWN && mass != UNKNOWN) {
            metric->said[count++] = mass - 2 * entry;
        }
    }
    const int said = median(metric->said, count);
    metric->weights[i] = said != UNKNOWN ? power_of_two(said) : 0.0;
}

// Coordinates have at least a share of what row i says.
static void ask_row(const Equations *e, int i, const KalMetric *metric)
{
    const int weight = exponent_of(metric->weights[i]);
    for (int j = 0; j < e->n && weight != UNKNOWN; j++) {
        const int entry = entry_of(e, i, j);
        if (entry != UNKNOWN) {
            const double share = power_of_two(weight + 2 * entry - SHARE);
            metric->mass[j] = fmax(metric->mass[j], share);
        }
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
static int count_unknown(const Equations *e, const double *weights)
{
    int unknown = 0;
    for (int i = 0; i < e->m; i++) {
        unknown +=
            weights[i] == 0.0 && !is_empty(e->n, e->A + (size_t)i * (size_t)e->n);
    }
    return unknown;
}

// 1 / Σ a² / mass, as a power of two.
static double resisting_mass(const Equations *e, int i, const double *mass)
{
    const double *row = e->A + (size_t)i * (size_t)e->n;
    double sum = 0.0;
    for (int j = 0; j < e->n; j++) {
        sum += row[j] != 0.0 ? row[j] * row[j] / mass[j] : 0.0;
    }
    return reciprocal_power(sum);
}

bool kal_metric_weights(int n, int m, const double *M, const double *A,
                        KalMetric *metric)
{
    const Equations e = {n, m, A, metric->scale, metric->scale + n};
    int unknown = m;
    equilibrate(n, m, A, metric->scale, metric->scale + n);
    for (int j = 0; j < n; j++) {
        metric->mass[j] = fmax(0.0, M[(size_t)j * (size_t)(n + 1)]);
    }
    for (int round = 0; round < ROUNDS && unknown > 0; round++) {
        for (int i = 0; i < m; i++) {
            ask_coordinates(&e, i, metric);
        }
        unknown = count_unknown(&e, metric->weights);
        for (int i = 0; i < m; i++) {
            ask_row(&e, i, metric);
        }
    }
    for (int j = 0; j < n; j++) {
        metric->said[j] = metric->mass[j] > 0.0;
        metric->mass[j] = 1.0 / reciprocal_power(metric->mass[j]);
    }
    for (int i = 0; i < m; i++) {
        metric->weights[i] = resisting_mass(&e, i, metric->mass);
    }
    // Powers of two by construction: whatever came in, they are positive and finite.
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

// SPDX-License-Identifier: MIT

// Units in which verdicts are made (docs/theory, section 3).
//
// A coordinate with inertia is measured so that its diagonal mass is about 1; every
// constraint row so that it has length 1.  Coordinates without inertia have no such
// natural unit.  For them the logarithms of the entries of A are balanced: units are
// chosen so that the mean logarithm over the nonzero entries of every row, and of every
// such column, vanishes.  That condition does not know the units the problem came in.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_SWEEPS = 100
};

static const double SETTLED = 0.25; // a change of unit by 2^0.25 moves no verdict

// 2^x, exactly, for the nearest whole x within the range of numbers.
static double power_of_two(double x)
{
    return scalbn(1.0, (int)rint(fmax(-1000.0, fmin(1000.0, x))));
}

// log2 of the entries of A in known units, constraint by constraint; NaN for zeros.
static void take_logarithms(KalMotion *s)
{
    const int n = s->given.n;
    for (int i = 0; i < s->given.m; i++) {
        const double *row = s->given.A + (size_t)i * (size_t)n;
        double *log = kal_column(s->rows.W, n, i);
        for (int j = 0; j < n; j++) {
            log[j] = row[j] != 0.0 ? log2(fabs(row[j])) + log2(s->d[j]) : NAN;
        }
    }
}

// Mean of log(i, ·) + unit over the entries that are not NaN; 0 when there is none.
static double row_mean(int n, const double *log, const double *unit)
{
    double sum = 0.0;
    int count = 0;
    for (int j = 0; j < n; j++) {
        if (!isnan(log[j])) {
            sum += log[j] + unit[j];
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

// The unit that balances column j, given the row means.
static double column_unit(const KalMotion *s, int j, const double *mean)
{
    const int n = s->given.n;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < s->given.m; i++) {
        const double log = kal_column(s->rows.W, n, i)[j];
        if (!isnan(log)) {
            sum += mean[i] - log;
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

static double sweep(KalMotion *s, double *unit, double *mean)
{
    const int n = s->given.n;
    double change = 0.0;
    for (int i = 0; i < s->given.m; i++) {
        mean[i] = row_mean(n, kal_column(s->rows.W, n, i), unit);
    }
    for (int j = 0; j < n; j++) {
        if (s->given.M[(size_t)j * (size_t)(n + 1)] == 0.0) {
            const double next = column_unit(s, j, mean);
            change = fmax(change, fabs(next - unit[j]));
            unit[j] = next;
        }
    }
    return change;
}

static void balance_massless(KalMotion *s)
{
    const int n = s->given.n;
    double *unit = s->scratch[0];
    double *mean = s->scratch[1];
    for (int j = 0; j < n; j++) {
        unit[j] = 0.0;
    }
    take_logarithms(s);
    for (int k = 0; k < MOST_SWEEPS && sweep(s, unit, mean) > SETTLED; k++) {
    }
    for (int j = 0; j < n; j++) {
        s->d[j] = power_of_two(log2(s->d[j]) + unit[j]);
    }
}

// Write row i in units d, of length 1, to w and note its unit.  Exponents are handled
// apart from the numbers, so that nothing overflows on the way.
static void scale_row(KalMotion *s, int i, double *w)
{
    const int n = s->given.n;
    const double *row = s->given.A + (size_t)i * (size_t)n;
    int largest = INT_MIN;
    for (int j = 0; j < n; j++) {
        if (row[j] != 0.0) {
            const int exponent = ilogb(row[j]) + ilogb(s->d[j]);
            largest = exponent > largest ? exponent : largest;
        }
    }
    if (largest == INT_MIN) {
        s->r[i] = 1.0;
        memset(w, 0, (size_t)n * sizeof *w);
        return;
    }
    for (int j = 0; j < n; j++) {
        w[j] = scalbn(row[j], ilogb(s->d[j]) - largest);
    }
    const double norm = sqrt(kal_dot(n, w, w));
    kal_scale(n, 1.0 / norm, w);
    s->r[i] = scalbn(1.0 / norm, -largest);
}

KalStatus kal_motion_scale(KalMotion *s)
{
    const int n = s->given.n;
    bool massless = false;
    for (int j = 0; j < n; j++) {
        const double mass = s->given.M[(size_t)j * (size_t)(n + 1)];
        massless |= mass == 0.0;
        s->d[j] = mass > 0.0 ? power_of_two(-0.5 * log2(mass)) : 1.0;
    }
    if (massless) {
        balance_massless(s);
    }
    for (int i = 0; i < s->given.m; i++) {
        double *w = kal_column(s->rows.W, n, i);
        scale_row(s, i, w);
        if (!isfinite(s->r[i]) || s->r[i] == 0.0) {
            const KalNames name = kal_motion_names(s, true, &i, 1);
            return kal_fail(
                s->ctx, KAL_ERR_NUMBER,
                "the coefficients of constraint %s are too large or too small "
                "to compute with; choose other units",
                name.text);
        }
    }
    return KAL_OK;
}

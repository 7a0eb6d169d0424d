// SPDX-License-Identifier: MIT

// Units in which verdicts are made (docs/theory, section 3).
//
// A coordinate with inertia is measured so that its diagonal mass is about 1; every
// constraint row so that it has length 1.  Coordinates without inertia have no such
// natural unit.  For them the logarithms of the entries of A are balanced: units are
// chosen so that the mean logarithm over the nonzero entries of every row, and of every
// such column, vanishes (theory (3.2)).  That condition does not know the units the
// problem came in.  It is a least-squares problem over the graph of A.  Units must travel
// along chains of coordinates, however long, so conjugate gradients solve it: they reach
// the end of a chain in as many steps as it has links, where sweeps would take the square.
// And an entry that is but noise, a 6e-17 beside ones, must not pull units its way: it is
// solved again with weights that fall with the distance of an entry from balance.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 500,
    ROUNDS = 8
};

static const double SETTLED = 1e-6; // far below the rounding of units to powers of two

// Entries this many powers of two from balance lose weight.
static const double NEAR = 3.0;

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

static bool is_massless(const KalMotion *s, int j)
{
    return s->given.M[(size_t)j * (size_t)(s->given.n + 1)] == 0.0;
}

// The least-squares problem: unknown units of massless coordinates, and weights.
typedef struct Balance {
    const KalMotion *s;
    const double *unit; // n: of the round before; weights come from it and the means
    const double *mean; // m: of the rows, of the round before; NULL: all weights are 1
} Balance;

// How much the entry (i, j) counts.
static double weight(const Balance *b, int i, int j)
{
    if (!b->mean) {
        return 1.0;
    }
    const double log = kal_column(b->s->rows.W, b->s->given.n, i)[j];
    const double off = fabs(log + b->unit[j] - b->mean[i]) / NEAR;
    return 1.0 / fmax(1.0, off * off);
}

// The weighted mean over row i of x, or of x plus the logarithms.
static double row_mean(const Balance *b, int i, const double *x, bool logs)
{
    const int n = b->s->given.n;
    const double *log = kal_column(b->s->rows.W, n, i);
    double sum = 0.0;
    double total = 0.0;
    for (int j = 0; j < n; j++) {
        if (!isnan(log[j])) {
            const double w = weight(b, i, j);
            sum += w * (x[j] + (logs ? log[j] : 0.0));
            total += w;
        }
    }
    return total > 0.0 ? sum / total : 0.0;
}

// out_j = Σ over the rows i that contain massless j of w_ij (v_ij − mean of row i), where
// v_ij is x_j, with `logs` plus the logarithm of the entry.
static void balance(const Balance *b, const double *x, bool logs, double *out)
{
    const int n = b->s->given.n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < b->s->given.m; i++) {
        const double *log = kal_column(b->s->rows.W, n, i);
        const double mean = row_mean(b, i, x, logs);
        for (int j = 0; j < n; j++) {
            if (!isnan(log[j]) && is_massless(b->s, j)) {
                out[j] += weight(b, i, j) * (x[j] + (logs ? log[j] : 0.0) - mean);
            }
        }
    }
}

// The diagonal of the problem, nearly: how much weight each massless coordinate has.
static void weigh_columns(const Balance *b, double *out)
{
    const int n = b->s->given.n;
    for (int j = 0; j < n; j++) {
        out[j] = 0.0;
        for (int i = 0; i < b->s->given.m && is_massless(b->s, j); i++) {
            const bool there = !isnan(kal_column(b->s->rows.W, n, i)[j]);
            out[j] += there ? weight(b, i, j) : 0.0;
        }
        out[j] = out[j] > 0.0 ? out[j] : 1.0;
    }
}

// Improve the units by preconditioned conjugate gradients.
static void solve_balance(KalMotion *s, const Balance *b, double *unit)
{
    const int n = s->given.n;
    double *rest = s->scratch[1];
    double *step = s->scratch[2];
    double *image = s->scratch[3];
    double *diagonal = s->scratch[4];
    double size = 0.0;
    weigh_columns(b, diagonal);
    balance(b, unit, true, rest);
    for (int j = 0; j < n; j++) {
        rest[j] = -rest[j];
        step[j] = rest[j] / diagonal[j];
        size += rest[j] * step[j];
    }
    for (int k = 0; k < MOST_STEPS && size > SETTLED; k++) {
        balance(b, step, false, image);
        const double bend = kal_dot(n, step, image);
        if (!(bend > 0.0)) {
            break; // what is left is rounding in a direction that changes nothing
        }
        const double before = size;
        kal_axpy(n, size / bend, step, unit);
        kal_axpy(n, -size / bend, image, rest);
        size = 0.0;
        for (int j = 0; j < n; j++) {
            size += rest[j] * rest[j] / diagonal[j];
        }
        for (int j = 0; j < n; j++) {
            step[j] = rest[j] / diagonal[j] + size / before * step[j];
        }
    }
}

static void balance_massless(KalMotion *s)
{
    const int n = s->given.n;
    double *unit = s->scratch[0];
    double *known = s->scratch[5];
    double *mean = s->missing;
    memset(unit, 0, (size_t)n * sizeof *unit);
    take_logarithms(s);
    Balance b = {s, known, NULL};
    for (int round = 0; round < ROUNDS; round++) {
        solve_balance(s, &b, unit);
        for (int i = 0; i < s->given.m; i++) {
            mean[i] = row_mean(&b, i, unit, true);
        }
        memcpy(known, unit, (size_t)n * sizeof *known);
        b.mean = mean;
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

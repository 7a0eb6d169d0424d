// SPDX-License-Identifier: MIT

// Units in which verdicts are made (docs/theory, section 3).
//
// The units of coordinates and of rows are balanced: they are chosen so that entries of A
// and roots of masses are about 1, all logarithms together in the sense of least squares
// (theory (3.2)).  That condition does not know the units the problem came in.  Rounding
// leaves entries and masses where 0 is meant, far below balance: 6e-17 beside ones.  So
// what is too small pulls with a bounded force, however small it is; what is too large
// pulls in earnest.  The condition is convex and has one answer.
//
// It is solved with weights that are improved in rounds.  Units must travel along chains of
// coordinates, however long, so conjugate gradients solve each round: they reach the end of
// a chain in as many steps as it has links, where sweeps would take the square.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 500,
    ROUNDS = 16
};

static const double SETTLED = 1e-6; // far below the rounding of units to powers of two

// What is more than this many powers of two below balance pulls no harder.  Masses count
// more than entries of A, but in the end they win against a single one only.
static const double FAR_ENTRY = 1.0;
static const double FAR_MASS = 0.1875;
static const double MASS_COUNTS = 8.0;

// A unit within this many powers of two of that of the mass becomes that.
static const double NEAR = 3.0;

// Which of two is rounding, an entry or a mass, units alone cannot tell: a mass of 1e-28
// becomes one of 1 with an entry of 1e-14 in other units.  So the units that coordinates
// with mass were given in pull more than half as hard as one entry, however far.
static const double GIVEN_COUNTS = 0.6;

// 2^x, exactly, for the nearest whole x within the range of numbers.
static double power_of_two(double x)
{
    assert(!isnan(x));
    return scalbn(1.0, (int)rint(fmax(-1000.0, fmin(1000.0, x))));
}

// log2 of the entries of A, constraint by constraint; NaN for zeros.
static void take_logarithms(KalMotion *s)
{
    const int n = s->given.n;
    for (int i = 0; i < s->given.m; i++) {
        const double *row = s->given.A + (size_t)i * (size_t)n;
        double *log = kal_column(s->rows.W, n, i);
        for (int j = 0; j < n; j++) {
            log[j] = row[j] != 0.0 ? log2(fabs(row[j])) : NAN;
        }
    }
}

// log2 of the root of the mass of coordinate j; NaN without one.
static double log_of_mass(const KalMotion *s, int j)
{
    const double mass = s->given.M[(size_t)j * (size_t)(s->given.n + 1)];
    return mass > 0.0 ? 0.5 * log2(mass) : NAN;
}

// The least-squares problem: unknown units of coordinates, and weights.
typedef struct Balance {
    const KalMotion *s;
    const double *unit; // n: of the round before; weights come from it and the means
    const double *mean; // m: of the rows, of the round before; NULL: all weights are 1
} Balance;

// How much something counts that is `off` from balance.
static double weigh(double off, double far)
{
    return off < -far ? -far / off : 1.0;
}

static double weight(const Balance *b, int i, int j)
{
    assert(i >= 0 && i < b->s->given.m && j >= 0 && j < b->s->given.n);
    if (!b->mean) {
        return 1.0;
    }
    const double log = kal_column(b->s->rows.W, b->s->given.n, i)[j];
    return weigh(log + b->unit[j] - b->mean[i], FAR_ENTRY);
}

static double weight_of_mass(const Balance *b, int j)
{
    const double off = log_of_mass(b->s, j) + b->unit[j];
    return MASS_COUNTS * (b->mean ? weigh(off, FAR_MASS) : 1.0);
}

static double weight_of_given(const Balance *b, int j)
{
    return GIVEN_COUNTS / (b->mean ? fmax(1.0, fabs(b->unit[j])) : 64.0);
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
            assert(w > 0.0 && w <= 1.0);
            sum += w * (x[j] + (logs ? log[j] : 0.0));
            total += w;
        }
    }
    return total > 0.0 ? sum / total : 0.0;
}

// out_j = Σ over the rows i that contain j of w_ij (v_ij − mean of row i), where v_ij is
// x_j, with `logs` plus the logarithm of the entry; and the same for the mass of j.
static void balance(const Balance *b, const double *x, bool logs, double *out)
{
    const int n = b->s->given.n;
    for (int j = 0; j < n; j++) {
        const double log = log_of_mass(b->s, j);
        out[j] = isnan(log) ? 0.0
                            : weight_of_mass(b, j) * (x[j] + (logs ? log : 0.0))
                                  + weight_of_given(b, j) * x[j];
    }
    for (int i = 0; i < b->s->given.m; i++) {
        const double *log = kal_column(b->s->rows.W, n, i);
        const double mean = row_mean(b, i, x, logs);
        for (int j = 0; j < n; j++) {
            if (!isnan(log[j])) {
                out[j] += weight(b, i, j) * (x[j] + (logs ? log[j] : 0.0) - mean);
            }
        }
    }
}

// The diagonal of the problem, nearly: how much weight each coordinate has.
static void weigh_columns(const Balance *b, double *out)
{
    const int n = b->s->given.n;
    for (int j = 0; j < n; j++) {
        out[j] = isnan(log_of_mass(b->s, j))
                     ? 0.0
                     : weight_of_mass(b, j) + weight_of_given(b, j);
        for (int i = 0; i < b->s->given.m; i++) {
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
        assert(diagonal[j] > 0.0);
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

// The start: units of the metric, or none when they are arbitrary.
static bool begin_balance(KalMotion *s, double *unit, double *mean)
{
    assert(unit && mean);
    const KalMotionProblem *p = &s->given;
    const bool known = kal_motion_find_weights(s);
    for (int j = 0; j < p->n; j++) {
        unit[j] = known ? -0.5 * log2(s->metric.mass[j]) : 0.0;
    }
    for (int i = 0; i < p->m; i++) {
        mean[i] = known ? -0.5 * log2(s->metric.weights[i]) : 0.0;
    }
    return known;
}

// Iteratively reweighted least squares: each round weighs by the answer of the round before.
// Sixteen rounds settle what powers of two can tell.
static void balance_units(KalMotion *s)
{
    const int n = s->given.n;
    double *unit = s->scratch[0];
    double *known = s->scratch[5];
    double *mean = s->missing;
    take_logarithms(s);
    const bool begun = begin_balance(s, unit, mean);
    memcpy(known, unit, (size_t)n * sizeof *known);
    Balance b = {s, known, begun ? mean : NULL};
    for (int round = 0; round < ROUNDS; round++) {
        solve_balance(s, &b, unit);
        for (int i = 0; i < s->given.m; i++) {
            mean[i] = row_mean(&b, i, unit, true);
        }
        memcpy(known, unit, (size_t)n * sizeof *known);
        b.mean = mean;
    }
    for (int j = 0; j < n; j++) {
        const double own = -log_of_mass(s, j); // exactly, where that is about right
        s->metric.d[j] = power_of_two(fabs(unit[j] - own) <= NEAR ? own : unit[j]);
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
            const int exponent = ilogb(row[j]) + ilogb(s->metric.d[j]);
            largest = exponent > largest ? exponent : largest;
        }
    }
    if (largest == INT_MIN) {
        s->metric.r[i] = 1.0;
        memset(w, 0, (size_t)n * sizeof *w);
        return;
    }
    for (int j = 0; j < n; j++) {
        w[j] = scalbn(row[j], ilogb(s->metric.d[j]) - largest);
    }
    const double norm = sqrt(kal_dot(n, w, w));
    kal_vector_scale(n, 1.0 / norm, w);
    s->metric.r[i] = scalbn(1.0 / norm, -largest);
    assert(norm >= 1.0 && norm <= 2.0 * sqrt((double)n));
}

void kal_motion_prefer_long_rows(KalMotion *s)
{
    const int n = s->given.n;
    double least = INFINITY;
    for (int i = 0; i < s->given.m; i++) {
        least = fmin(least, s->metric.r[i]);
    }
    for (int i = 0; i < s->given.m; i++) {
        const double raised = log2(s->metric.r[i] / least) / 64.0;
        assert(raised >= 0.0);
        const double factor = 1.0 / (1.0 + fmin(1.0, raised));
        s->metric.r[i] *= factor;
        kal_vector_scale(n, factor, kal_column(s->rows.W, n, i));
    }
}

// Units of coordinates and rows first, then the rows in these units; a row whose unit is
// no number was made of entries that arithmetic cannot bring to size.
KalStatus kal_motion_scale(KalMotion *s)
{
    const int n = s->given.n;
    balance_units(s);
    for (int j = 0; j < n; j++) {
        assert(s->metric.d[j] > 0.0 && isfinite(s->metric.d[j]));
    }
    for (int i = 0; i < s->given.m; i++) {
        double *w = kal_column(s->rows.W, n, i);
        scale_row(s, i, w);
        if (!isfinite(s->metric.r[i]) || s->metric.r[i] == 0.0) {
            const KalNames name = kal_motion_names(s, true, &i, 1);
            return kal_fail(
                s->ctx, KAL_ERR_NUMBER,
                "the coefficients of constraint %s are too large or too small "
                "to compute with; choose other units",
                name.text);
        }
    }
    kal_motion_prefer_long_rows(s);
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// Splines through points, theory section 22.
//
// All methods choose the slope sᵢ at each point; a piece then is the cubic of Hermite with
// the values and slopes of its ends, (22.1).  Splines: slopes that make second derivatives
// continuous solve a tridiagonal system, (22.2), closed by the not-a-knot conditions (22.3)
// or, periodic, into a circle, which the formula of Sherman and Morrison opens.  Monotone
// slopes are the weighted harmonic means of Fritsch and Butland (SIAM J. Sci. Stat. Comput.
// 5, 1984).
//
// Invariant: knots rise; piece i is right of knot i.

#include "expr/spline.h"

#include "base/index.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_BOUNDED = 64 // pieces that are bounded one by one
};

// Arguments that rounding has carried over an end by no more than this part of the spline
// are inside, and values that differ by no more than this part of the largest are equal.
static const double SLACK = 1e-12;

// Whether the last value is the first, but for rounding: sin 2π is not 0.
static bool is_closed(const KalSplineSpec *spec)
{
    double size = 0.0;
    for (size_t i = 0; i < spec->n; i++) {
        size = fmax(size, fabs(spec->y[i]));
    }
    return fabs(spec->y[0] - spec->y[spec->n - 1]) <= SLACK * size;
}

const char *kal_spline_fault(const KalSplineSpec *spec, size_t *out_place)
{
    *out_place = 0;
    if (spec->n < 2) {
        return "a table has two points or more";
    }
    if (spec->n > KAL_SPLINE_POINTS) {
        *out_place = KAL_SPLINE_POINTS;
        return "a table has a million points at most";
    }
    for (size_t i = 0; i < spec->n; i++) {
        *out_place = i;
        if (!isfinite(spec->x[i]) || !isfinite(spec->y[i])) {
            return "a number is not finite";
        }
        if (i > 0 && !(spec->x[i] > spec->x[i - 1])) {
            return "arguments have to rise from point to point";
        }
        if (i > 0
            && !isfinite((spec->y[i] - spec->y[i - 1])
                         / (spec->x[i] - spec->x[i - 1]))) {
            return "two points are too close to each other";
        }
    }
    return spec->outside == KAL_OUTSIDE_REPEAT && !is_closed(spec)
               ? "what repeats has to end with the value that it begins with"
               : NULL;
}

size_t kal_spline_bytes(size_t n)
{
    assert(n >= 2);
    return sizeof(KalSpline) + (n + 4 * (n - 1)) * sizeof(double);
}

// Points with their differences, and the slopes to be found.
typedef struct Slopes {
    const KalSplineSpec *spec;
    size_t n;      // pieces
    double *h;     // n: lengths
    double *delta; // n: slopes of straight lines
    double *s;     // n + 1
    double *work;  // 4 (n + 1)
} Slopes;

// Solve a tridiagonal system by elimination; `right` becomes the answer.
static void solve(size_t n, const double *below, double *diagonal, const double *above,
                  double *right)
{
    for (size_t i = 1; i < n; i++) {
        const double factor = below[i] / diagonal[i - 1];
        diagonal[i] -= factor * above[i - 1];
        right[i] -= factor * right[i - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for (size_t i = n - 1; i-- > 0;) {
        right[i] = (right[i] - above[i] * right[i + 1]) / diagonal[i];
    }
}

// The parabola through three points, theory (22.4).
static void find_parabola(Slopes *f)
{
    const double h = f->h[0] + f->h[1];
    const double bend = (f->delta[1] - f->delta[0]) / h;
    f->s[0] = f->delta[0] - bend * f->h[0];
    f->s[1] = f->delta[0] + bend * f->h[0];
    f->s[2] = f->delta[1] + bend * f->h[1];
}

// Not-a-knot, theory (22.2) and (22.3); three pieces or more.
static void find_spline(Slopes *f)
{
    const size_t n = f->n;
    const double *h = f->h;
    const double *d = f->delta;
    double *below = f->work;
    double *diagonal = below + n + 1;
    double *above = diagonal + n + 1;
    const double first = h[0] + h[1];
    const double last = h[n - 1] + h[n - 2];
    diagonal[0] = h[1];
    above[0] = first;
    f->s[0] = ((h[0] + 2.0 * first) * h[1] * d[0] + h[0] * h[0] * d[1]) / first;
    for (size_t i = 1; i < n; i++) {
        below[i] = h[i];
        diagonal[i] = 2.0 * (h[i - 1] + h[i]);
        above[i] = h[i - 1];
        f->s[i] = 3.0 * (h[i] * d[i - 1] + h[i - 1] * d[i]);
    }
    below[n] = last;
    diagonal[n] = h[n - 2];
    f->s[n] =
        (h[n - 1] * h[n - 1] * d[n - 2] + (2.0 * last + h[n - 1]) * h[n - 2] * d[n - 1])
        / last;
    solve(n + 1, below, diagonal, above, f->s);
}

// The circle of (22.2) for one or two pieces.
static void find_short_circle(Slopes *f)
{
    const double *h = f->h;
    const double *d = f->delta;
    f->s[0] = 0.0;
    f->s[1] = 0.0;
    if (f->n == 2) { // 2 s₀ + s₁ and s₀ + 2 s₁ are the same right side over h₀ + h₁
        const double right = 3.0 * (h[1] * d[0] + h[0] * d[1]) / (h[0] + h[1]);
        f->s[0] = right / 3.0;
        f->s[1] = right / 3.0;
    }
    f->s[f->n] = f->s[0];
}

// The same for more: the corners of the circle are a matrix of rank one.
static void find_circle(Slopes *f)
{
    const size_t n = f->n;
    const double *h = f->h;
    double *below = f->work;
    double *diagonal = below + n + 1;
    double *above = diagonal + n + 1;
    double *corner = above + n + 1;
    for (size_t i = 0; i < n; i++) {
        const size_t before = i == 0 ? n - 1 : i - 1;
        below[i] = h[i];
        diagonal[i] = 2.0 * (h[before] + h[i]);
        above[i] = h[before];
        f->s[i] = 3.0 * (h[i] * f->delta[before] + h[before] * f->delta[i]);
        corner[i] = 0.0;
    }
    const double top = below[0];        // of s of the last point, in the first row
    const double bottom = above[n - 1]; // of the first, in the last
    const double turn = -diagonal[0];
    corner[0] = turn;
    corner[n - 1] = bottom;
    diagonal[0] -= turn;
    diagonal[n - 1] -= bottom * top / turn;
    double *copy = f->s + n + 1; // the elimination spoils the diagonal
    for (size_t i = 0; i < n; i++) {
        copy[i] = diagonal[i];
    }
    solve(n, below, copy, above, f->s);
    solve(n, below, diagonal, above, corner);
    const double factor = (f->s[0] + top * f->s[n - 1] / turn)
                          / (1.0 + corner[0] + top * corner[n - 1] / turn);
    for (size_t i = 0; i < n; i++) {
        f->s[i] -= factor * corner[i];
    }
    f->s[n] = f->s[0];
}

// The weighted harmonic mean of two slopes, 0 where they differ in sign, theory (22.5).
static double mean(double h0, double h1, double d0, double d1)
{
    if (!(d0 > 0.0 && d1 > 0.0) && !(d0 < 0.0 && d1 < 0.0)) {
        return 0.0;
    }
    const double w0 = 2.0 * h1 + h0;
    const double w1 = h1 + 2.0 * h0;
    return (w0 + w1) / (w0 / d0 + w1 / d1);
}

// The slope at an end, of a parabola, but no overshoot, theory (22.6).
static double end_slope(double h0, double h1, double d0, double d1)
{
    const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (d0 == 0.0 || (slope < 0.0) != (d0 < 0.0)) {
        return 0.0;
    }
    const bool turns = d1 == 0.0 || (d1 < 0.0) != (d0 < 0.0);
    return turns && fabs(slope) > 3.0 * fabs(d0) ? 3.0 * d0 : slope;
}

// Slopes by theory (22.5) inside and (22.6) at the ends: the curve does not overshoot the
// points.
static void find_monotone(Slopes *f)
{
    const size_t n = f->n;
    const double *h = f->h;
    const double *d = f->delta;
    for (size_t i = 1; i < n; i++) {
        f->s[i] = mean(h[i - 1], h[i], d[i - 1], d[i]);
    }
    if (f->spec->outside == KAL_OUTSIDE_REPEAT) {
        f->s[0] = mean(h[n - 1], h[0], d[n - 1], d[0]);
        f->s[n] = f->s[0];
    } else if (n == 1) {
        f->s[0] = d[0];
        f->s[1] = d[0];
    } else {
        f->s[0] = end_slope(h[0], h[1], d[0], d[1]);
        f->s[n] = end_slope(h[n - 1], h[n - 2], d[n - 1], d[n - 2]);
    }
}

// Slopes that make the second derivative continuous, theory (22.2) and (22.3), around the
// circle or between ends; two or three points have too few knots for that and get a line
// or a parabola.
static void find_cubic(Slopes *f)
{
    if (f->spec->outside == KAL_OUTSIDE_REPEAT) {
        if (f->n < 3) {
            find_short_circle(f);
        } else {
            find_circle(f);
        }
    } else if (f->n == 1) {
        f->s[0] = f->delta[0];
        f->s[1] = f->delta[0];
    } else if (f->n == 2) {
        find_parabola(f);
    } else {
        find_spline(f);
    }
}

// Pieces from values and slopes, theory (22.1); lines have no more than these.
static void fill(const Slopes *f, KalSpline *spline)
{
    for (size_t i = 0; i < f->n; i++) {
        double *c = spline->factors + 4 * i;
        const double h = f->h[i];
        const double d = f->delta[i];
        c[0] = f->spec->y[i];
        c[1] = d;
        c[2] = 0.0;
        c[3] = 0.0;
        if (f->spec->method != KAL_SPLINE_LINEAR) {
            c[1] = f->s[i];
            c[2] = (3.0 * d - 2.0 * f->s[i] - f->s[i + 1]) / h;
            c[3] = (f->s[i] + f->s[i + 1] - 2.0 * d) / (h * h);
        }
    }
}

// Lengths and slopes of the pieces, slopes at the knots by the method, and from these the
// polynomials.
static void make(const KalSplineSpec *spec, double *block, KalSpline *spline)
{
    const size_t n = spec->n - 1;
    Slopes f = {.spec = spec, .n = n};
    f.h = block;
    f.delta = f.h + n;
    f.s = f.delta + n;
    f.work = f.s + 2 * (n + 1);
    for (size_t i = 0; i <= n; i++) {
        spline->knots[i] = spec->x[i];
    }
    for (size_t i = 0; i < n; i++) {
        f.h[i] = spec->x[i + 1] - spec->x[i];
        f.delta[i] = (spec->y[i + 1] - spec->y[i]) / f.h[i];
    }
    if (spec->method == KAL_SPLINE_CUBIC) {
        find_cubic(&f);
    } else if (spec->method == KAL_SPLINE_MONOTONE) {
        find_monotone(&f);
    }
    fill(&f, spline);
}

// The same in every process.
static uint64_t hash_of(const KalSpline *spline)
{
    const size_t numbers =
        spline->pieces + 1 + 4 * spline->pieces; // knots, then factors
    const uint64_t hash = kal_hash_text(0, spline->name, strlen(spline->name));
    return kal_hash_text(hash, (const char *)spline->knots, numbers * sizeof(double));
}

static bool is_finite(const KalSpline *spline)
{
    bool finite = true;
    for (size_t i = 0; i < 4 * spline->pieces; i++) {
        finite = finite && isfinite(spline->factors[i]);
    }
    return finite && isfinite(spline->knots[spline->pieces] - spline->knots[0]);
}

KalStatus kal_spline_make(KalContext *ctx, const KalSplineSpec *spec, void *memory,
                          KalSpline **out_spline)
{
    assert(spec->n >= 2 && spec->n <= KAL_SPLINE_POINTS);
    const size_t n = spec->n - 1;
    const size_t count = 2 * n + 6 * (n + 1);
    KalSpline *spline = (KalSpline *)memory;
    double *block = (double *)kal_alloc(ctx, count, sizeof *block);
    if (!block) {
        return kal_no_memory(ctx, "for a table");
    }
    *spline = (KalSpline){.name = spec->name,
                          .pieces = n,
                          .method = spec->method,
                          .outside = spec->outside};
    spline->knots = (double *)(void *)(spline + 1);
    spline->factors = spline->knots + spec->n;
    for (int k = 0; k < KAL_SPLINE_FUNCTIONS; k++) {
        spline->functions[k] = (KalSplineFunction){spline, (KalSplineFunctionKind)k};
    }
    make(spec, block, spline);
    kal_free(ctx, block, count * sizeof *block);
    spline->hash = hash_of(spline);
    if (!is_finite(spline)) {
        return kal_fail(ctx, KAL_ERR_NUMBER,
                        "the points are too far from each other for doubles");
    }
    *out_spline = spline;
    return KAL_OK;
}

// How often the spline can be differentiated at its knots with a continuous result.
static int smoothness(KalSplineMethod method)
{
    static const int smooth[] = {
#define KAL_SPLINE_METHOD_SMOOTH(name, word, smooth) smooth,
        KAL_SPLINE_METHOD_LIST(KAL_SPLINE_METHOD_SMOOTH)
#undef KAL_SPLINE_METHOD_SMOOTH
    };
    assert(method < KAL_SPLINE_METHODS);
    return smooth[method];
}

KalSplineBorders kal_spline_borders(const KalSplineFunction *f, bool *out_jumps)
{
    const KalSpline *spline = f->spline;
    const int order = (int)f->kind;
    assert(f->kind <= KAL_SPLINE_THIRD);
    const bool holds = spline->outside == KAL_OUTSIDE_HOLD;
    const bool knots = spline->pieces > 1 || spline->outside == KAL_OUTSIDE_REPEAT;
    if (knots && order >= smoothness(spline->method)) {
        *out_jumps = order > smoothness(spline->method) || (holds && order > 0);
        return KAL_BORDERS_KNOTS;
    }
    *out_jumps = holds && order > 0;
    return holds ? KAL_BORDERS_ENDS : KAL_BORDERS_NONE;
}

// The piece with the last knot that is not behind x, the first or the last one outside.
// Binary search.
static size_t find_piece(const KalSpline *spline, double x)
{
    size_t low = 0;
    size_t high = spline->pieces; // knots[low] ≤ x < knots[high], but for the ends
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (spline->knots[middle] <= x) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

// A derivative of the polynomial of a piece at a distance from its knot.
static double derivative(const double *c, int order, double d)
{
    assert(order >= 0);
    switch (order) {
    case 0: return ((c[3] * d + c[2]) * d + c[1]) * d + c[0];
    case 1: return (3.0 * c[3] * d + 2.0 * c[2]) * d + c[1];
    case 2: return 6.0 * c[3] * d + 2.0 * c[2];
    case 3: return 6.0 * c[3];
    default: return 0.0;
    }
}

static double first_of(const KalSpline *spline)
{
    return spline->knots[0];
}

static double last_of(const KalSpline *spline)
{
    return spline->knots[spline->pieces];
}

// From the first point to the last: a period of what repeats.
static double length_of(const KalSpline *spline)
{
    return last_of(spline) - first_of(spline);
}

// Periods between x and the first one.
static double turns_of(const KalSpline *spline, double x)
{
    return floor((x - first_of(spline)) / length_of(spline));
}

static double on_piece(const KalSpline *spline, int order, size_t i, double x)
{
    return derivative(spline->factors + 4 * i, order, x - spline->knots[i]);
}

// Whether a spline that ends with its points has a value at x.
static bool is_known(const KalSpline *spline, double x)
{
    const double slack = SLACK * length_of(spline);
    return x >= first_of(spline) - slack && x <= last_of(spline) + slack;
}

// The value that is kept outside, or its derivatives.
static double held(const KalSpline *spline, int order, bool before)
{
    const size_t i = before ? 0 : spline->pieces - 1;
    return order > 0
               ? 0.0
               : on_piece(spline, 0, i, before ? first_of(spline) : last_of(spline));
}

// The argument is brought to a piece as the table says for what is outside.
static double value_of(const KalSpline *spline, int order, double x)
{
    const bool before = x < first_of(spline);
    const bool behind = x >= last_of(spline);
    switch (spline->outside) {
    case KAL_OUTSIDE_REPEAT: x -= turns_of(spline, x) * length_of(spline); break;
    case KAL_OUTSIDE_HOLD:
        if (before || behind) {
            return held(spline, order, before);
        }
        break;
    case KAL_OUTSIDE_ERROR:
        if (!is_known(spline, x)) {
            return NAN;
        }
        break;
    case KAL_OUTSIDE_EXTEND:
    case KAL_SPLINE_OUTSIDES: break;
    }
    return on_piece(spline, order, find_piece(spline, x), x);
}

// From −∞ … ∞ to −1/2 … 1/2, rising, 0 at 0.
static double squeeze(double u)
{
    return isinf(u) ? copysign(0.5, u) : 0.5 * u / (1.0 + fabs(u));
}

// How far x is along piece i, 0 to 1, without leaving a piece that has no end there.
static double part_of(const KalSpline *spline, size_t i, double x)
{
    const double h = spline->knots[i + 1] - spline->knots[i];
    const bool first = i == 0;
    const bool last = i + 1 == spline->pieces;
    if (spline->outside == KAL_OUTSIDE_REPEAT || spline->outside == KAL_OUTSIDE_HOLD
        || (!first && !last)) {
        return fmin((x - spline->knots[i]) / h, 1.0);
    }
    if (first && last) {
        return 0.5 + 0.5 * squeeze((x - spline->knots[0]) / h);
    }
    return first ? 1.0 + squeeze((x - spline->knots[1]) / h)
                 : squeeze((x - spline->knots[i]) / h);
}

// Theory (22.7).  Where nothing is known outside, or the last piece goes on, the ends are
// no borders.
static double level_of(const KalSpline *spline, double x)
{
    double turns = 0.0;
    if (spline->outside == KAL_OUTSIDE_REPEAT) {
        turns = turns_of(spline, x);
        x -= turns * length_of(spline);
    } else if (spline->outside == KAL_OUTSIDE_HOLD && x < first_of(spline)) {
        return squeeze((x - first_of(spline)) / length_of(spline));
    } else if (spline->outside == KAL_OUTSIDE_HOLD && x >= last_of(spline)) {
        return (double)spline->pieces
               + squeeze((x - last_of(spline)) / length_of(spline));
    }
    const size_t i = find_piece(spline, x);
    return turns * (double)spline->pieces + (double)i + part_of(spline, i, x);
}

// Below 0 before the first point, 0 … 1 inside, from 1 on behind the last.
static double end_level(const KalSpline *spline, double x)
{
    const double part = (x - first_of(spline)) / length_of(spline);
    return part < 0.0 ? squeeze(part) : part < 1.0 ? part : 1.0 + squeeze(part - 1.0);
}

double kal_spline_value(const KalSplineFunction *f, double x)
{
    if (isnan(x)) {
        return x;
    }
    switch (f->kind) {
    case KAL_SPLINE_VALUE:
    case KAL_SPLINE_FIRST:
    case KAL_SPLINE_SECOND:
    case KAL_SPLINE_THIRD: return value_of(f->spline, (int)f->kind, x);
    case KAL_SPLINE_KNOTS: return level_of(f->spline, x);
    case KAL_SPLINE_ENDS: return end_level(f->spline, x);
    case KAL_SPLINE_FUNCTIONS: break;
    }
    return NAN;
}

// The polynomial of a piece, held on to beyond its ends: a run goes on with it until the
// event that changes the piece.
double kal_spline_on_piece(const KalSplineFunction *f, double piece, double x)
{
    const KalSpline *spline = f->spline;
    const int order = (int)f->kind;
    bool jumps;
    const bool ends = kal_spline_borders(f, &jumps) == KAL_BORDERS_ENDS;
    const double n = ends ? 1.0 : (double)spline->pieces;
    if (isnan(x) || isnan(piece)
        || (spline->outside == KAL_OUTSIDE_ERROR && !is_known(spline, x))) {
        return NAN;
    }
    if (spline->outside == KAL_OUTSIDE_HOLD && (piece < 0.0 || piece >= n)) {
        return held(spline, order, piece < 0.0);
    }
    if (ends) {
        return on_piece(spline, order, find_piece(spline, x), x);
    }
    if (spline->outside == KAL_OUTSIDE_REPEAT) {
        const double turns = floor(piece / n);
        x -= turns * length_of(spline);
        piece -= turns * n;
    }
    const size_t i = piece <= 0.0 ? 0 : piece >= n ? spline->pieces - 1 : (size_t)piece;
    return on_piece(spline, order, i, x);
}

// Bounds of a derivative on one piece, from one distance to another: Taylor about the
// middle.
static void bound_piece(const double *c, int order, double a, double b, double *low,
                        double *high)
{
    assert(a <= b);
    const double middle = 0.5 * (a + b);
    const double r = 0.5 * (b - a);
    double size = 0.0;
    double power = 1.0;
    double factorial = 1.0;
    for (int k = 1; order + k <= KAL_SPLINE_ORDER; k++) {
        power *= r;
        factorial *= k;
        size += fabs(derivative(c, order + k, middle)) * power / factorial;
    }
    double terms = 0.0; // of the polynomial itself, whose sum rounds
    double distance = 1.0;
    for (int k = 0; k < 4; k++) {
        terms += fabs(c[k]) * distance;
        distance *= fmax(fabs(a), fabs(b));
    }
    const double value = derivative(c, order, middle);
    const double rounding =
        32.0 * DBL_EPSILON * (fabs(value) + size + (order == 0 ? terms : 0.0));
    *low = fmin(*low, value - size - rounding);
    *high = fmax(*high, value + size + rounding);
}

// Bounds over pieces, up to a number of them.
static bool bound_inside(const KalSpline *spline, int order, double low, double high,
                         double *out_low, double *out_high)
{
    const size_t first = find_piece(spline, low);
    const size_t last = find_piece(spline, high);
    if (last - first >= MOST_BOUNDED) {
        return false;
    }
    for (size_t i = first; i <= last; i++) {
        const double a = i == first ? low : spline->knots[i];
        const double b = i == last ? high : spline->knots[i + 1];
        bound_piece(spline->factors + 4 * i, order, a - spline->knots[i],
                    b - spline->knots[i], out_low, out_high);
    }
    return true;
}

// What is kept outside is in the bounds too, and the rest inside.
static void bound_held(const KalSpline *spline, int order, double *low, double *high,
                       double *out_low, double *out_high)
{
    const bool sides[2] = {*low < first_of(spline), *high >= last_of(spline)};
    for (int k = 0; k < 2; k++) {
        const double value = held(spline, order, k == 0);
        *out_low = sides[k] ? fmin(*out_low, value) : *out_low;
        *out_high = sides[k] ? fmax(*out_high, value) : *out_high;
    }
    *low = fmin(fmax(*low, first_of(spline)), last_of(spline));
    *high = fmin(fmax(*high, first_of(spline)), last_of(spline));
}

// The range over [low, high]: of the pieces inside, and of what is outside as the table
// says.
static bool bound_derivative(const KalSpline *spline, int order, double low,
                             double high, double *out_low, double *out_high)
{
    *out_low = INFINITY;
    *out_high = -INFINITY;
    switch (spline->outside) {
    case KAL_OUTSIDE_REPEAT: {
        const double shift = turns_of(spline, low) * length_of(spline);
        low -= shift;
        high -= shift;
        if (high > last_of(spline)) {
            return false;
        }
        break;
    }
    case KAL_OUTSIDE_ERROR:
        if (low < first_of(spline) || high > last_of(spline)) {
            return false;
        }
        break;
    case KAL_OUTSIDE_HOLD:
        bound_held(spline, order, &low, &high, out_low, out_high);
        break;
    case KAL_OUTSIDE_EXTEND:
    case KAL_SPLINE_OUTSIDES: break;
    }
    return bound_inside(spline, order, low, high, out_low, out_high);
}

void kal_spline_bound(const KalSplineFunction *f, double low, double high,
                      double *out_low, double *out_high)
{
    assert(low <= high);
    bool known = isfinite(low) && isfinite(high);
    if (known && f->kind <= KAL_SPLINE_THIRD) {
        known = bound_derivative(f->spline, (int)f->kind, low, high, out_low, out_high);
    } else if (known) { // levels rise
        const double slack = 8.0 * DBL_EPSILON;
        *out_low = kal_spline_value(f, low);
        *out_high = kal_spline_value(f, high);
        *out_low -= slack * (1.0 + fabs(*out_low));
        *out_high += slack * (1.0 + fabs(*out_high));
    }
    if (!known) {
        *out_low = -INFINITY;
        *out_high = INFINITY;
    }
}

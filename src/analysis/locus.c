// SPDX-License-Identifier: MIT

// Eigenvalues along a parameter, and the values at which some cross the imaginary axis.
//
// Points are even; between two of them with different numbers of growing modes the crossing
// is narrowed down by false position, with every third step a bisection (theory (18.4)).
// Where real eigenvalues meet in zero they are too sensitive to be followed: the sum of
// their squares is not, and its zero is sought instead (theory (18.5)).

#include "base/arena.h"
#include "base/block.h"

#include <kalaba/analysis.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    MOST_POINTS = 100000,
    HALVINGS = 100,       // of an interval with a critical value
    KEPT_BYTES = 1 << 28, // for all eigenvalues
};

struct KalLocus {
    KalContext *ctx;
    KalArena *arena;
    KalLocusModes modes;
    void *user;
    KalBlock points;    // KalLocusPoint
    KalBlock criticals; // KalCritical
};

// What is known of a value: the eigenvalues that count, by falling real part, and their
// kinds.
typedef struct Look {
    KalLocusPoint point;
    int n;
    int neutral; // neither growing nor decaying
    int zero;    // of these
    double *re;  // n
    double *im;  // n
} Look;

// Sorted by insertion: the modes come nearly in this order.
static void sort(int n, double *re, double *im)
{
    assert(n >= 0);
    for (int i = 1; i < n; i++) {
        const double x = re[i];
        const double y = im[i];
        int k = i;
        for (; k > 0 && re[k - 1] < x; k--) {
            re[k] = re[k - 1];
            im[k] = im[k - 1];
        }
        re[k] = x;
        im[k] = y;
    }
}

// Growing, on the axis, zero: by more than rounding.
static void count(Look *look, const KalEigenvalue *value)
{
    look->point.growing += value->re > value->uncertainty;
    look->neutral += fabs(value->re) <= value->uncertainty;
    look->zero += hypot(value->re, value->im) <= value->uncertainty;
}

// Look at a value; eigenvalues go to new memory.
static KalStatus look(KalLocus *locus, double value, Look *look)
{
    KalModes modes = {.n = 0};
    const KalStatus status = locus->modes(locus->user, value, &modes);
    *look = (Look){
        .point = {.value = value, .failed = status != KAL_OK}
    };
    if (status != KAL_OK) {
        return status == KAL_ERR_NOMEM ? status : KAL_OK;
    }
    const int n = modes.n;
    const int inner = modes.n_inner;
    const size_t numbers = 2 * (size_t)(n + inner);
    double *re = (double *)kal_arena_alloc(locus->arena, numbers, sizeof(double));
    if (!re) {
        return kal_no_memory(locus->ctx, "for eigenvalues");
    }
    double *im = re + n;
    look->re = im + n;
    look->im = look->re + inner;
    look->n = inner;
    for (int k = 0; k < n; k++) {
        re[k] = modes.modes[k].re;
        im[k] = modes.modes[k].im;
    }
    for (int k = 0; k < inner; k++) {
        look->re[k] = modes.inner[k].re;
        look->im[k] = modes.inner[k].im;
        count(look, &modes.inner[k]);
    }
    sort(n, re, im);
    sort(inner, look->re, look->im);
    look->point.n = n;
    look->point.re = re;
    look->point.im = im;
    look->point.stability = modes.stability;
    return KAL_OK;
}

// Two values between which eigenvalues cross.
typedef struct Interval {
    Look low;
    Look high;
    int growing; // modes on the side where there are more of them
    int neutral; // on the axis at first
    double im;   // of the one that crosses, where it still grows
} Interval;

// A number that changes sign with the eigenvalue that crosses, theory (18.4): it is the
// last that grows on one side and, below those on the axis, the first that decays on the
// other.
static double crossing(const Interval *i, const Look *look)
{
    assert(i->growing >= 1 && i->growing <= look->n);
    const int first = i->growing + i->neutral;
    return look->re[i->growing - 1] + (first <= look->n ? look->re[first - 1] : 0.0);
}

// Remember the frequency of the last mode that grows.
static void note_growing(Interval *i, const Look *look)
{
    assert(i->growing >= 1);
    if (look->point.growing == i->growing) {
        i->im = fabs(look->im[i->growing - 1]);
    }
}

// No two numbers are much nearer to each other.
static bool is_narrow(const Interval *i)
{
    const double size = fmax(fabs(i->low.point.value), fabs(i->high.point.value));
    return i->high.point.value - i->low.point.value <= 4e-16 * size;
}

// Where to look next: where a straight line is zero, or the middle.
static double next_value(const Interval *i, bool smooth, int k)
{
    const double a = i->low.point.value;
    const double b = i->high.point.value;
    assert(a < b);
    if (smooth && k % 3 != 2) {
        const double f = crossing(i, &i->low);
        const double g = crossing(i, &i->high);
        const double t = a + (b - a) * f / (f - g);
        if (t > a && t < b) {
            return t;
        }
    }
    return a + 0.5 * (b - a);
}

// Eigenvalues either pass through the axis, so that there are as many on it as before, or
// they stay there; then only the number of growing ones tells.
static bool is_smooth(const Interval *i)
{
    return i->low.neutral == i->high.neutral;
}

// Whether a value between belongs to the lower end.
static bool belongs_below(const Interval *i, const Look *middle, bool smooth)
{
    if (smooth) {
        return (crossing(i, middle) > 0.0) == (crossing(i, &i->low) > 0.0);
    }
    return middle->point.growing == i->low.point.growing;
}

// False position and bisection, theory (18.4), until no two doubles are nearer. A look
// between that fails, or has another number of modes, ends it: what is known then stays.
static KalStatus narrow(KalLocus *locus, Interval *i)
{
    assert(i->low.point.value < i->high.point.value);
    const bool smooth = is_smooth(i);
    for (int k = 0; k < HALVINGS && !is_narrow(i); k++) {
        Look middle;
        const double value = next_value(i, smooth, k);
        if (value <= i->low.point.value || value >= i->high.point.value) {
            return KAL_OK;
        }
        KAL_TRY(look(locus, value, &middle));
        if (middle.point.failed || middle.n != i->low.n) {
            return KAL_OK;
        }
        note_growing(i, &middle);
        if (belongs_below(i, &middle, smooth)) {
            i->low = middle;
        } else {
            i->high = middle;
        }
    }
    return KAL_OK;
}

// The sum of the squares of the m smallest eigenvalues, theory (18.5): exact where they
// themselves are not, for all of them meet in zero.
static double sum_squares(Look *look, int m)
{
    assert(m >= 0 && m <= look->n);
    double sum = 0.0;
    for (int k = 0; k < m; k++) { // bring the smallest of the rest to place k
        int best = k;
        for (int i = k + 1; i < look->n; i++) {
            const bool smaller =
                hypot(look->re[i], look->im[i]) < hypot(look->re[best], look->im[best]);
            best = smaller ? i : best;
        }
        const double re = look->re[best];
        const double im = look->im[best];
        look->re[best] = look->re[k];
        look->im[best] = look->im[k];
        look->re[k] = re;
        look->im[k] = im;
        sum += re * re - im * im;
    }
    return sum;
}

// A value with the sum of squares there.
typedef struct Square {
    double value;
    double sum;
    bool known;
} Square;

// The sum of squares at a value; not known where there are too few eigenvalues.
static KalStatus square(KalLocus *locus, double value, int m, Square *square)
{
    assert(m >= 0);
    Look at;
    KAL_TRY(look(locus, value, &at));
    *square = (Square){.value = value, .known = !at.point.failed && at.n >= m};
    if (square->known) {
        square->sum = sum_squares(&at, m);
    }
    return KAL_OK;
}

// Where real eigenvalues, growing on one side only, meet in zero: the zero of the sum of
// their squares near a value.  Stays if there is none within `reach`.
static KalStatus refine(KalLocus *locus, int m, double reach, double *value)
{
    assert(m >= 1 && reach > 0.0);
    Square a;
    Square b;
    KAL_TRY(square(locus, *value - reach, m, &a));
    KAL_TRY(square(locus, *value + reach, m, &b));
    if (!a.known || !b.known || (a.sum > 0.0) == (b.sum > 0.0)) {
        return KAL_OK;
    }
    for (int k = 0; k < HALVINGS && b.value - a.value > 4e-16 * fabs(b.value); k++) {
        Square c;
        const double t = a.sum / (a.sum - b.sum);
        const double part = k % 3 == 2 ? 0.5 : fmin(fmax(t, 1e-3), 1.0 - 1e-3);
        KAL_TRY(square(locus, a.value + part * (b.value - a.value), m, &c));
        if (!c.known || c.sum == 0.0) {
            *value = c.value;
            return KAL_OK;
        }
        if ((c.sum > 0.0) == (a.sum > 0.0)) {
            a = c;
        } else {
            b = c;
        }
    }
    *value = a.value + 0.5 * (b.value - a.value);
    return KAL_OK;
}

// One critical value between two points; more than one crossing counts as one.
static KalStatus find_critical(KalLocus *locus, Interval interval)
{
    const KalLocusPoint *low = &interval.low.point;
    const KalLocusPoint *high = &interval.high.point;
    if (low->failed || high->failed || interval.low.n != interval.high.n
        || low->growing == high->growing) {
        return KAL_OK;
    }
    const Look *side = low->growing > high->growing ? &interval.low : &interval.high;
    const int meet = side->zero + 2 * abs(low->growing - high->growing);
    const double width = high->value - low->value;
    const bool smooth = is_smooth(&interval);
    KalCritical critical = {.below = low->growing, .above = high->growing};
    interval.growing = side->point.growing;
    interval.neutral = interval.low.neutral;
    note_growing(&interval, side);
    KAL_TRY(narrow(locus, &interval));
    critical.value = low->value + 0.5 * (high->value - low->value);
    critical.frequency = interval.im / (2.0 * acos(-1.0));
    if (interval.im == 0.0 && !smooth) {
        KAL_TRY(refine(locus, meet, 1e-3 * width, &critical.value));
    }
    return kal_block_add(locus->ctx, &locus->criticals, &critical, sizeof critical);
}

// Point after point, each with the interval before it.
static KalStatus trace(KalLocus *locus, const KalLocusRange *range)
{
    Interval interval = {.low = {.re = NULL}};
    for (int k = 0; k < range->points; k++) {
        const double part = (double)k / (range->points - 1);
        KAL_TRY(look(locus, range->low + part * (range->high - range->low),
                     &interval.high));
        KAL_TRY(kal_block_add(locus->ctx, &locus->points, &interval.high.point,
                              sizeof interval.high.point));
        interval.low = k > 0 ? interval.low : interval.high;
        KAL_TRY(find_critical(locus, interval));
        interval.low = interval.high;
    }
    return KAL_OK;
}

KalStatus kal_locus_create(KalContext *ctx, const KalLocusRange *range,
                           KalLocusModes modes, void *user, KalLocus **out_locus)
{
    KAL_NEED(ctx, ctx && range && modes && out_locus);
    if (!(range->low < range->high) || !isfinite(range->high - range->low)
        || range->points < 2 || range->points > MOST_POINTS) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "a sweep goes from a number to a larger one, in 2 to %d points",
                        MOST_POINTS);
    }
    KalLocus *locus = KAL_NEW(ctx, KalLocus);
    if (!locus) {
        return kal_no_memory(ctx, "for eigenvalues");
    }
    locus->ctx = ctx;
    locus->modes = modes;
    locus->user = user;
    KalStatus status = kal_arena_create(ctx, KEPT_BYTES, &locus->arena);
    if (status == KAL_OK) {
        status = trace(locus, range);
    }
    if (status != KAL_OK) {
        kal_locus_destroy(locus);
        return status;
    }
    *out_locus = locus;
    return KAL_OK;
}

void kal_locus_destroy(KalLocus *locus)
{
    if (!locus) {
        return;
    }
    kal_block_clear(locus->ctx, &locus->points);
    kal_block_clear(locus->ctx, &locus->criticals);
    kal_arena_destroy(locus->arena);
    kal_free(locus->ctx, locus, sizeof *locus);
}

int kal_locus_points(const KalLocus *locus, const KalLocusPoint **out_points)
{
    if (!(locus && out_points)) {
        return 0;
    }
    *out_points = (const KalLocusPoint *)locus->points.data;
    return (int)(locus->points.size / sizeof(KalLocusPoint));
}

static int count_zeros(const KalLocusPoint *point)
{
    int zeros = 0;
    for (int k = 0; k < point->n; k++) {
        zeros += point->re[k] == 0.0 && point->im[k] == 0.0;
    }
    return zeros;
}

int kal_locus_zeros(const KalLocus *locus)
{
    const KalLocusPoint *points = NULL;
    const int n_points = kal_locus_points(locus, &points);
    int least = -1;
    for (int i = 0; i < n_points; i++) {
        const int zeros = count_zeros(&points[i]);
        if (!points[i].failed && (least < 0 || zeros < least)) {
            least = zeros;
        }
    }
    return least > 0 ? least : 0;
}

int kal_locus_criticals(const KalLocus *locus, const KalCritical **out_criticals)
{
    if (!(locus && out_criticals)) {
        return 0;
    }
    *out_criticals = (const KalCritical *)locus->criticals.data;
    return (int)(locus->criticals.size / sizeof(KalCritical));
}

// SPDX-License-Identifier: MIT

// What is kept of a run, found while it goes on.
//
// Within a step of the integrator the motion is known everywhere, and a column is a smooth
// function of time.  It is looked at in nine points, those of Chebyshev with both ends, which
// give a polynomial of degree 8 (L. N. Trefethen, Approximation Theory and Approximation
// Practice, 2013).  Where its last coefficients are not small the step is cut in pieces until
// they are.  Then
//
// * the integral is that of the polynomial (Clenshaw and Curtis), so mean and rms weigh by
//   time;
// * an extreme is where the polynomial has it: it is looked for on a fine grid, refined by
//   parabolas, and then the column itself is evaluated there.  The error of its place counts
//   squared, so the value is nearly exact.  If the column is not what the polynomial said,
//   as at a kink, it is searched by golden section.
//
// Jumps of the motion lie between steps: both of their sides are ends of one.  Where an output
// changes its piece, or may have a narrow peak, is known too (kal_run_find_mark()): there a step
// is cut, and what is between two such places is followed by itself.
//
// Invariant: `best`, `sums` and `sizes` are those of the time from the start of the run to
// the end of the last piece.

#include "sim/series.h"
#include "sweep/keep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    NODES = KAL_SERIES_NODES,
    DEGREE = KAL_SERIES_DEGREE,
    GRID = 64,    // parts of a piece that are searched
    REFINE = 8,   // parabolas at most
    SEARCH = 40,  // steps of a golden section: 1e-8 of the bracket
    PIECES = 200, // that a stretch is cut in before they may not be short any more
    COARSE = 64   // then they are no shorter than this part of it
};

// No piece is shorter than this part of a stretch.
static const double SHORTEST = 0x1p-24;
// Coefficients below this part of the size of a column are small.
static const double SMOOTH = 1e-8;
// A column is what the polynomial says if it differs by no more.
static const double AS_SAID = 1e-7;

// The integral of a column, or of its square, over −1 … 1.  Polynomials of odd degree
// integrate to zero, those of even degree k to 2 / (1 − k²).
static double integrate(const double *values, size_t stride, bool square)
{
    assert(values && stride > 0);
    double f[NODES];
    double sum = 0.0;
    for (int j = 0; j < NODES; j++) {
        const double value = values[(size_t)j * stride];
        f[j] = square ? value * value : value;
    }
    for (int k = 0; k <= DEGREE; k += 2) {
        sum += kal_series_coefficient(f, 1, k) * 2.0 / (1.0 - (double)k * k);
    }
    return sum;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalFollower *f = (KalFollower *)owner;
    f->nodes = kal_carve_doubles(carver, NODES, f->n);
    f->best = kal_carve_doubles(carver, f->n, 1);
    f->sums = kal_carve_doubles(carver, f->n, 1);
    f->sizes = kal_carve_doubles(carver, f->n, 1);
    f->now = kal_carve_doubles(carver, f->n, 1);
    f->doubts = (bool *)kal_carve(carver, f->n, sizeof *f->doubts);
}

static bool needs_path(KalKeepKind kind)
{
    return kind != KAL_SWEEP_FINAL && kind != KAL_SWEEP_WHEN;
}

KalStatus kal_follower_init(KalFollower *follower, KalContext *ctx,
                            const KalKeep *keeps, size_t n)
{
    assert(follower && ctx && (keeps || n == 0));
    *follower = (KalFollower){.ctx = ctx, .keeps = keeps, .n = n};
    for (size_t i = 0; i < n; i++) {
        follower->path = follower->path || needs_path(keeps[i].kind);
    }
    return kal_workspace_make(ctx, "to follow runs", lay_out, follower,
                              &follower->workspace);
}

void kal_follower_clear(KalFollower *follower)
{
    if (follower->ctx) {
        kal_workspace_clear(follower->ctx, &follower->workspace);
    }
    *follower = (KalFollower){.ctx = NULL};
}

// 1 for a maximum, −1 for a minimum.
static double sign_of(const KalKeep *keep)
{
    return keep->kind == KAL_SWEEP_MIN ? -1.0 : 1.0;
}

static bool is_extreme(const KalKeep *keep)
{
    return keep->kind == KAL_SWEEP_MAX || keep->kind == KAL_SWEEP_MIN;
}

// Whether what is kept at the end sums up what was before it.
static bool sums_up(const KalFollower *f, const KalKeep *keep)
{
    return keep->kind == KAL_SWEEP_FINAL
           && strcmp(kal_record_kind(f->record, keep->place), "work") == 0;
}

// Note which values depend on a present column that is not unique; at the end those that are
// kept of it, too.
static void heed(KalFollower *f, bool end)
{
    if (!kal_record_has_doubts(f->record, f->run)) {
        return;
    }
    for (size_t i = 0; i < f->n; i++) {
        const KalKeep *keep = &f->keeps[i];
        const bool counts = needs_path(keep->kind) || sums_up(f, keep)
                            || (end && keep->kind == KAL_SWEEP_FINAL);
        f->doubts[i] = f->doubts[i]
                       || (counts && kal_record_doubts(f->record, f->run, keep->place));
    }
}

// The columns as the instant is now.
static KalStatus read(const KalFollower *f, double *out)
{
    assert(f->record && f->run);
    const double *row = NULL;
    KAL_TRY(kal_record_look(f->record, f->run, &row));
    for (size_t i = 0; i < f->n; i++) {
        const KalKeep *keep = &f->keeps[i];
        out[i] = keep->kind == KAL_SWEEP_WHEN ? kal_run_first_time(f->run, keep->place)
                                              : row[keep->place];
    }
    return KAL_OK;
}

static KalStatus look(KalFollower *f, double t, double *out)
{
    KAL_TRY(kal_run_look_ahead(f->run, t));
    KAL_TRY(read(f, out));
    heed(f, false);
    return KAL_OK;
}

// Values of all columns at one time.
static void note(KalFollower *f, const double *values)
{
    assert(values);
    for (size_t i = 0; i < f->n; i++) {
        const double sign = sign_of(&f->keeps[i]);
        f->best[i] = sign * fmax(sign * f->best[i], sign * values[i]);
        f->sizes[i] = fmax(f->sizes[i], fabs(values[i]));
    }
}

// A column, by its number, from t on for a while.
typedef struct Piece {
    double t;
    double width;
    size_t column;
    double c[NODES]; // of its series, times the sign of the extreme
} Piece;

static double time_at(const Piece *p, double x)
{
    return p->t + 0.5 * (1.0 + x) * p->width;
}

// A column at a place of a piece, times the sign; the extreme takes it in.
static KalStatus try_at(KalFollower *f, const Piece *p, double x, double *out_value)
{
    const double sign = sign_of(&f->keeps[p->column]);
    KAL_TRY(look(f, time_at(p, x), f->now));
    *out_value = sign * f->now[p->column];
    f->best[p->column] = sign * fmax(sign * f->best[p->column], *out_value);
    return KAL_OK;
}

// Golden section between a and b.
static KalStatus search(KalFollower *f, const Piece *p, double a, double b)
{
    assert(a <= b);
    const double golden = 0.5 * (sqrt(5.0) - 1.0);
    double x[2] = {b - golden * (b - a), a + golden * (b - a)};
    double value[2];
    KAL_TRY(try_at(f, p, x[0], &value[0]));
    KAL_TRY(try_at(f, p, x[1], &value[1]));
    for (int k = 0; k < SEARCH; k++) {
        const int lower = value[0] < value[1] ? 0 : 1;
        *(lower == 0 ? &a : &b) = x[lower];
        x[lower] = x[1 - lower];
        value[lower] = value[1 - lower];
        x[1 - lower] = lower == 0 ? a + golden * (b - a) : b - golden * (b - a);
        KAL_TRY(try_at(f, p, x[1 - lower], &value[1 - lower]));
    }
    return KAL_OK;
}

// Where the polynomial is largest.
static double find_peak(const Piece *p)
{
    double best = -1.0;
    double peak = kal_series_sum(p->c, best);
    double h = 2.0 / GRID;
    for (int k = 1; k <= GRID; k++) {
        const double value = kal_series_sum(p->c, -1.0 + k * h);
        if (value > peak) {
            peak = value;
            best = -1.0 + k * h;
        }
    }
    for (int k = 0; k < REFINE && fabs(best) < 1.0; k++) {
        const double left = kal_series_sum(p->c, best - h);
        const double right = kal_series_sum(p->c, best + h);
        const double bend = left - 2.0 * kal_series_sum(p->c, best) + right;
        const double step = bend < 0.0 ? 0.5 * h * (left - right) / bend : 0.0;
        best = fmax(-1.0, fmin(1.0, best + fmax(-h, fmin(h, step))));
        h = fmax(0.25 * h, 1e-4);
    }
    assert(best >= -1.0 && best <= 1.0);
    return best;
}

// The extreme of a column over the piece that the nodes are of.
static KalStatus note_extreme(KalFollower *f, double t, double width, size_t column)
{
    assert(column < f->n && is_extreme(&f->keeps[column]));
    const double sign = sign_of(&f->keeps[column]);
    Piece p = {.t = t, .width = width, .column = column};
    for (int k = 0; k < NODES; k++) {
        p.c[k] = sign * kal_series_coefficient(f->nodes + column, f->n, k);
    }
    const double x = find_peak(&p);
    const double said = kal_series_sum(p.c, x);
    double value = said;
    if (!(said > sign * f->best[column])) {
        return KAL_OK;
    }
    KAL_TRY(try_at(f, &p, x, &value));
    return fabs(value - said) <= AS_SAID * f->sizes[column]
               ? KAL_OK
               : search(f, &p, fmax(-1.0, x - 0.25), fmin(1.0, x + 0.25));
}

// Look at the nodes of a piece but the first, which is known.
static KalStatus look_at_nodes(KalFollower *f, double t, double end)
{
    assert(t < end);
    for (int j = 1; j < NODES; j++) {
        const double at =
            j < DEGREE ? t + 0.5 * (1.0 + kal_series_node(j)) * (end - t) : end;
        KAL_TRY(look(f, at, f->nodes + (size_t)j * f->n));
    }
    return KAL_OK;
}

// Whether the columns are polynomials in the piece.
static bool is_smooth(const KalFollower *f)
{
    for (size_t i = 0; i < f->n; i++) {
        double size = f->sizes[i];
        for (int j = 0; j < NODES; j++) {
            size = fmax(size, fabs(f->nodes[(size_t)j * f->n + i]));
        }
        const double allowed = SMOOTH * size + f->atol;
        const double last = fabs(kal_series_coefficient(f->nodes + i, f->n, DEGREE));
        const double before =
            fabs(kal_series_coefficient(f->nodes + i, f->n, DEGREE - 1));
        if (needs_path(f->keeps[i].kind) && !(fmax(last, 0.05 * before) <= allowed)) {
            return false;
        }
    }
    return true;
}

static void add_integrals(KalFollower *f, double width)
{
    for (size_t i = 0; i < f->n; i++) {
        const KalKeepKind kind = f->keeps[i].kind;
        if (kind == KAL_SWEEP_MEAN || kind == KAL_SWEEP_RMS) {
            f->sums[i] +=
                0.5 * width * integrate(f->nodes + i, f->n, kind == KAL_SWEEP_RMS);
        }
    }
}

static KalStatus take_piece(KalFollower *f, double t, double width)
{
    assert(width > 0.0);
    for (int j = 1; j < NODES; j++) {
        note(f, f->nodes + (size_t)j * f->n);
    }
    add_integrals(f, width);
    for (size_t i = 0; i < f->n; i++) {
        KAL_TRY(is_extreme(&f->keeps[i]) ? note_extreme(f, t, width, i) : KAL_OK);
    }
    memcpy(f->nodes, f->nodes + (size_t)DEGREE * f->n, f->n * sizeof(double));
    return KAL_OK;
}

// The motion over a stretch without marks inside, in pieces.  A piece that is not smooth is
// halved, and after one that is the next may be twice as long.  The last value of a piece is
// the first of the next, so that each time is looked at once.
static KalStatus follow_stretch(KalFollower *f, double t, double end)
{
    assert(t <= end);
    const double whole = end - t;
    double width = whole;
    for (int pieces = 0; t < end; pieces++) {
        const double least = whole * (pieces < PIECES ? SHORTEST : 1.0 / COARSE);
        const bool last = end - t <= 1.0001 * width || !(t + width > t);
        const double next = last ? end : t + width;
        KAL_TRY(look_at_nodes(f, t, next));
        if (width > least && !is_smooth(f)) {
            width *= 0.5;
            continue;
        }
        KAL_TRY(take_piece(f, t, next - t));
        t = next;
        width *= 2.0;
    }
    return KAL_OK;
}

// Over a mark, which is too short for more than its two ends.
static KalStatus cross(KalFollower *f, const KalOutputMark *mark)
{
    const double width = mark->end - mark->begin;
    double *end = f->nodes + (size_t)DEGREE * f->n;
    KAL_TRY(look(f, mark->end, end));
    for (size_t i = 0; i < f->n; i++) {
        const bool square = f->keeps[i].kind == KAL_SWEEP_RMS;
        f->sums[i] += 0.5 * width
                      * (f->nodes[i] * (square ? f->nodes[i] : 1.0)
                         + end[i] * (square ? end[i] : 1.0));
    }
    note(f, end);
    memcpy(f->nodes, end, f->n * sizeof *end);
    return KAL_OK;
}

// The motion up to the horizon: stretches, and the marks between them.
static KalStatus follow_step(KalFollower *f)
{
    double t = kal_run_time(f->run);
    const double end = kal_run_horizon(f->run);
    bool found = true;
    KAL_TRY(look(f, t, f->nodes));
    note(f, f->nodes);
    while (found) {
        KalOutputMark mark;
        KAL_TRY(kal_run_find_mark(f->run, t, end, &mark, &found));
        KAL_TRY(follow_stretch(f, t, mark.begin));
        KAL_TRY(found ? cross(f, &mark) : KAL_OK);
        t = mark.end;
    }
    return KAL_OK;
}

// What a column comes to; `now` are the values at the end.
static double result(const KalFollower *f, size_t i)
{
    assert(i < f->n);
    const double time = kal_run_time(f->run) - kal_run_get_options(f->run).from;
    const double value = f->now[i];
    switch (f->keeps[i].kind) {
    case KAL_SWEEP_FINAL:
    case KAL_SWEEP_WHEN: return value;
    case KAL_SWEEP_MAX:
    case KAL_SWEEP_MIN: return f->best[i];
    case KAL_SWEEP_MEAN: return time > 0.0 ? f->sums[i] / time : value;
    case KAL_SWEEP_RMS:
        return time > 0.0 ? sqrt(fmax(f->sums[i], 0.0) / time) : fabs(value);
    }
    assert(false && "not a kind of kept value");
    return NAN;
}

void kal_follower_begin(KalFollower *follower, KalRun *run, KalRecord *record)
{
    assert(follower->ctx && run && record);
    KalFollower *f = follower;
    f->run = run;
    f->record = record;
    f->atol = kal_run_get_options(run).atol;
    f->heeds = false;
    for (size_t i = 0; i < f->n; i++) {
        f->best[i] = -sign_of(&f->keeps[i]) * INFINITY;
        f->sums[i] = 0.0;
        f->sizes[i] = 0.0;
        f->doubts[i] = false;
        f->heeds = f->heeds || sums_up(f, &f->keeps[i]);
    }
}

KalStatus kal_follower_step(KalFollower *follower)
{
    KalFollower *f = follower;
    if (f->path) {
        KAL_TRY(follow_step(f));
    } else if (f->heeds) {
        KAL_TRY(look(f, kal_run_horizon(f->run), f->now));
    }
    return kal_run_arrive(f->run);
}

KalStatus kal_follower_end(KalFollower *follower, double *out_values, bool *out_doubts)
{
    KalFollower *f = follower;
    assert(kal_run_is_over(f->run));
    assert((out_values && out_doubts) || f->n == 0);
    KAL_TRY(read(f, f->now));
    heed(f, true);
    note(f, f->now);
    for (size_t i = 0; i < f->n; i++) {
        out_values[i] = result(f, i);
        out_doubts[i] = f->doubts[i];
    }
    return KAL_OK;
}

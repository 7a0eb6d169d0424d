// SPDX-License-Identifier: MIT

// Where outputs change their pieces or have narrow peaks by accelerations, forces or the energy:
// theory (15.26).
//
// These functions have no ranges.  They are followed as outputs are, by polynomials on pieces of a
// step that are halved until the last coefficients are small; between two marks of other functions
// they are smooth.  The zeros of the polynomials, and of their dips, are where the functions have
// theirs, which are then narrowed down.
//
// Invariant: up to the mark that was told last no zero is left out, but those of dips that are
// shallower than what polynomials are exact to.

#include "sim/bracket.h"
#include "sim/run_impl.h"
#include "sim/series.h"
#include "system/contact.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    MOST = 128,   // marks of a step
    GRID = 64,    // parts of a piece that are searched
    PIECES = 200, // of a stretch, before they may not be short any more
    COARSE = 64,  // then they are no shorter than this part of it
    CUTS = 120,   // of a bracket
    DIVES = 4     // to the bottom of a dip
};

// No piece is shorter than this part of a stretch.
static const double SHORTEST = 0x1p-24;
// Coefficients below this part of the size of a function are small, and values below the second
// have no side.
static const double SMOOTH = 1e-9;
static const double DUST = 1e-11;
// The shortest part of a step that is told.
static const double NARROW = 0x1p-34;

static void lay_out(KalCarver *carver, void *owner)
{
    KalRun *run = (KalRun *)owner;
    const size_t n = run->system->pieces.n_late;
    run->solved_marks.values = kal_carve_doubles(carver, KAL_SERIES_NODES, n);
    run->solved_marks.sizes = kal_carve_doubles(carver, n, 1);
}

void kal_run_clear_solved_marks(KalRun *run)
{
    kal_workspace_clear(run->ctx, &run->solved_marks.workspace);
}

static KalStatus look(KalRun *run, double t)
{
    double kinetic = 0.0;
    double stored = 0.0;
    KAL_TRY(kal_run_look_ahead(run, t));
    KAL_TRY(kal_contacts_share(run->instant));
    KAL_TRY(kal_instant_energy(run->instant, &kinetic, &stored));
    return kal_instant_evaluate(run->instant, KAL_PROGRAM_LATE_MARKS);
}

// All functions at the nodes of a piece.
static KalStatus look_at_piece(KalRun *run, double t, double end)
{
    const size_t n = run->system->pieces.n_late;
    KalSolvedMarkWatch *watch = &run->solved_marks;
    for (int j = 0; j < KAL_SERIES_NODES; j++) {
        const double part = 0.5 * (1.0 + kal_series_node(j));
        KAL_TRY(look(run, j < KAL_SERIES_DEGREE ? t + part * (end - t) : end));
        double *row = watch->values + (size_t)j * n;
        memcpy(row, run->instant->results, n * sizeof *row);
        for (size_t i = 0; i < n; i++) {
            watch->sizes[i] = fmax(watch->sizes[i], fabs(row[i]));
        }
    }
    return KAL_OK;
}

static bool is_smooth(const KalRun *run)
{
    const size_t n = run->system->pieces.n_late;
    const KalSolvedMarkWatch *watch = &run->solved_marks;
    bool smooth = true;
    for (size_t i = 0; i < n; i++) {
        const double *values = watch->values + i;
        const double last = fabs(kal_series_coefficient(values, n, KAL_SERIES_DEGREE));
        const double before =
            fabs(kal_series_coefficient(values, n, KAL_SERIES_DEGREE - 1));
        smooth = smooth && fmax(last, 0.05 * before) <= SMOOTH * watch->sizes[i];
    }
    return smooth;
}

// Where a polynomial has its bottom between x − h and x + h, by parabolas.
static double dive(const double *c, double x, double h)
{
    for (int k = 0; k < DIVES; k++) {
        const double left = kal_series_sum(c, x - h);
        const double right = kal_series_sum(c, x + h);
        const double bend = left - 2.0 * kal_series_sum(c, x) + right;
        const double step = bend != 0.0 ? 0.5 * h * (left - right) / bend : 0.0;
        x += fmax(-h, fmin(h, step));
        h *= 0.25;
    }
    return fmax(-1.0, fmin(1.0, x));
}

// A part of a piece, −1 … 1, in which a function changes its side.
typedef struct Change {
    bool found;
    double from;
    double to;
} Change;

// A value of a polynomial at the beginning or, where it has just changed its side there, as soon
// behind as it has one; `change` begins there.
static double find_beginning(const double *c, double dust, Change *change)
{
    double value = kal_series_sum(c, -1.0);
    *change = (Change){.from = -1.0};
    double way = 0x1p-26;
    while (fabs(value) <= dust && way < 1.0 / GRID) {
        change->from = -1.0 + way;
        value = kal_series_sum(c, change->from);
        way *= 4.0;
    }
    return value;
}

// The first change of side of a polynomial; what is no more than `dust` has none.
static Change find_change(const double *c, double dust)
{
    const double h = 2.0 / GRID;
    Change change;
    double before = find_beginning(c, dust, &change);
    for (int k = 1; k <= GRID && !change.found; k++) {
        const double x = -1.0 + k * h;
        double at = x;
        double value = kal_series_sum(c, x);
        const bool dips = k < GRID && fabs(value) <= fabs(kal_series_sum(c, x - h))
                          && fabs(value) <= fabs(kal_series_sum(c, x + h));
        if (dips) {
            at = dive(c, x, h);
            value = kal_series_sum(c, at);
        }
        if (fabs(value) > dust) {
            change.found = fabs(before) > dust && (before > 0.0) != (value > 0.0);
            change.to = at;
            change.from = change.found ? change.from : at;
            before = value;
        }
    }
    return change;
}

// Narrow down where function i changes its side between two times.
static KalStatus narrow(KalRun *run, size_t i, double fine, KalOutputMark *mark)
{
    KalBracket x = {.a = mark->begin, .b = mark->end};
    KAL_TRY(look(run, x.a));
    const double sign = run->instant->results[i] < 0.0 ? -1.0 : 1.0;
    x.at_a = sign * run->instant->results[i];
    KAL_TRY(look(run, x.b));
    x.at_b = sign * run->instant->results[i];
    for (int k = 0; k < CUTS && x.at_b < 0.0 && x.b - x.a > fine; k++) {
        const double t = k % 3 == 2 ? x.a + 0.5 * (x.b - x.a) : kal_bracket_guess(&x);
        if (!(t > x.a && t < x.b)) {
            break;
        }
        KAL_TRY(look(run, t));
        kal_bracket_narrow(&x, t, sign * run->instant->results[i]);
    }
    *mark = (KalOutputMark){x.a, x.b};
    return KAL_OK;
}

// The first change of side in the piece that was looked at, if there is one.
static KalStatus find_in_piece(KalRun *run, double t, double end, KalOutputMark *mark,
                               bool *out_found)
{
    const size_t n = run->system->pieces.n_late;
    const KalSolvedMarkWatch *watch = &run->solved_marks;
    const double fine = fmax(NARROW * (run->step.t_new - run->step.t_old),
                             16.0 * DBL_EPSILON * fabs(end));
    Change first = {.to = 2.0};
    size_t function = 0;
    for (size_t i = 0; i < n; i++) {
        double c[KAL_SERIES_NODES];
        for (int k = 0; k < KAL_SERIES_NODES; k++) {
            c[k] = kal_series_coefficient(watch->values + i, n, k);
        }
        const Change change = find_change(c, DUST * watch->sizes[i]);
        if (change.found && change.to < first.to) {
            first = change;
            function = i;
        }
    }
    *out_found = first.found;
    if (!first.found) {
        return KAL_OK;
    }
    mark->begin = t + 0.5 * (1.0 + first.from) * (end - t);
    mark->end = t + 0.5 * (1.0 + first.to) * (end - t);
    return narrow(run, function, fine, mark);
}

KalStatus kal_run_find_solved_mark(KalRun *run, double from, double until,
                                   KalOutputMark *out_mark, bool *out_found)
{
    KalSolvedMarkWatch *watch = &run->solved_marks;
    const double whole = until - from;
    double width = whole;
    double t = from;
    *out_mark = (KalOutputMark){until, until};
    *out_found = false;
    if (run->system->pieces.n_late > 0 && !watch->values) {
        KAL_TRY(kal_workspace_make(run->ctx, "for pieces of outputs", lay_out, run,
                                   &watch->workspace));
    }
    if (watch->step != run->step.t_new) {
        watch->step = run->step.t_new;
        watch->left = MOST;
    }
    for (int pieces = 0;
         t < until && !*out_found && watch->left > 0 && run->system->pieces.n_late > 0;
         pieces++) {
        const double least = whole * (pieces < PIECES ? SHORTEST : 1.0 / COARSE);
        const double next = until - t <= 1.0001 * width ? until : t + width;
        KAL_TRY(look_at_piece(run, t, next));
        if (width > least && !is_smooth(run)) {
            width *= 0.5;
            continue;
        }
        KAL_TRY(find_in_piece(run, t, next, out_mark, out_found));
        t = next;
        width *= 2.0;
    }
    watch->left -= *out_found;
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// Integrals along a method of many steps: the integrand is the polynomial through its last
// values, as the method itself takes the state for one, and Gauss's quadrature integrates it
// exactly (theory (16.6)).
//
// Invariants: t[0] is the newest time, values[i] and sums[i] belong to t[i]; an integral to a
// time in between starts at the older of its neighbours and never accumulates what it adds.

#include "ode/trail.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    MOST = KAL_TRAIL_MOST,
    NODES = 3 // of Gauss: exact for polynomials through all values
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalTrail *trail = owner;
    const size_t n = (size_t)trail->n;
    for (int i = 0; i < MOST; i++) {
        trail->values[i] = kal_carve_doubles(carver, n, 1);
        trail->sums[i] = kal_carve_doubles(carver, n, 1);
    }
    trail->former = kal_carve_doubles(carver, n, 1);
    trail->scratch = kal_carve_doubles(carver, n, 1);
}

KalStatus kal_trail_init(KalTrail *trail, KalContext *ctx, int n)
{
    *trail = (KalTrail){.ctx = ctx, .n = n};
    return kal_workspace_make(ctx, "for integrals", lay_out, trail, &trail->workspace);
}

void kal_trail_clear(KalTrail *trail)
{
    if (trail->ctx) {
        kal_workspace_clear(trail->ctx, &trail->workspace);
    }
}

// The newest value.
static void put(KalTrail *trail, double t, const double *values)
{
    trail->t[0] = t;
    memcpy(trail->values[0], values, (size_t)trail->n * sizeof(double));
}

void kal_trail_start(KalTrail *trail, double t, const double *sums,
                     const double *values)
{
    trail->count = 1;
    trail->order = 0;
    put(trail, t, values);
    memcpy(trail->sums[0], sums, (size_t)trail->n * sizeof(double));
}

// Let the first of some arrays be the last, `by` times.
static void rotate(double **arrays, int by)
{
    double *moved[MOST];
    for (int i = 0; i < MOST; i++) {
        moved[i] = arrays[(i + by) % MOST];
    }
    memcpy(arrays, moved, sizeof moved);
}

// ∫ from t[from + 1] to t of the polynomial through `order` + 1 values from `first` on, added
// to the sums there.
typedef struct Piece {
    int from;
    int first;
    int order;
} Piece;

// The polynomial of a piece that is 1 at t[j] and 0 at the other times, at t.
static double basis(const KalTrail *trail, Piece piece, int j, double t)
{
    assert(j >= piece.first && j <= piece.first + piece.order);
    double product = 1.0;
    for (int i = piece.first; i <= piece.first + piece.order; i++) {
        if (i != j) {
            product *= (t - trail->t[i]) / (trail->t[j] - trail->t[i]);
        }
    }
    return product;
}

// The interpolating polynomial in Lagrange's form: the weight of a value is the integral
// of its basis polynomial, by Gauss's quadrature with three nodes, which is exact up to
// order 5.
static void integrate(const KalTrail *trail, Piece piece, double t, double *out_sums)
{
    const double nodes[NODES] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    const double weights[NODES] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const double begin = trail->t[piece.from + 1];
    assert(piece.first >= 0 && piece.from + 1 < trail->count);
    assert(piece.first + piece.order < trail->count && piece.order <= 2 * NODES - 1);
    memcpy(out_sums, trail->sums[piece.from + 1], (size_t)trail->n * sizeof(double));
    for (int j = piece.first; j <= piece.first + piece.order; j++) {
        double weight = 0.0;
        for (int k = 0; k < NODES; k++) {
            weight +=
                weights[k] * basis(trail, piece, j, begin + nodes[k] * (t - begin));
        }
        for (int i = 0; i < trail->n; i++) {
            out_sums[i] += (t - begin) * weight * trail->values[j][i];
        }
    }
}

void kal_trail_add(KalTrail *trail, double t, const double *values, int order)
{
    assert(trail->count >= 1 && t != trail->t[0] && order >= 0);
    rotate(trail->values, MOST - 1); // the oldest is used again for the newest
    rotate(trail->sums, MOST - 1);
    memmove(trail->t + 1, trail->t, (MOST - 1) * sizeof *trail->t);
    put(trail, t, values);
    trail->count += trail->count < MOST;
    trail->order = order < trail->count - 1 ? order : trail->count - 1;
    integrate(trail, (Piece){0, 0, trail->order}, t, trail->sums[0]);
}

static double largest_difference(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

double kal_trail_doubt(KalTrail *trail)
{
    assert(trail->count > 1 && trail->order > 0);
    integrate(trail, (Piece){0, 0, trail->order - 1}, trail->t[0], trail->scratch);
    return largest_difference(trail->n, trail->scratch, trail->sums[0]);
}

void kal_trail_take_back(KalTrail *trail, double t)
{
    int by = 0;
    while (trail->t[by] != t) {
        by++;
        assert(by < trail->count);
    }
    memcpy(trail->former, trail->sums[0], (size_t)trail->n * sizeof(double));
    rotate(trail->values, by);
    rotate(trail->sums, by);
    memmove(trail->t, trail->t + by, (size_t)(MOST - by) * sizeof *trail->t);
    trail->count -= by;
    trail->order = trail->order < trail->count - 1 ? trail->order : trail->count - 1;
}

double kal_trail_change(const KalTrail *trail)
{
    return largest_difference(trail->n, trail->former, trail->sums[0]);
}

// From t[from + 1] on, by the values on both sides as far as there are any.
static Piece piece_around(const KalTrail *trail, int from)
{
    const int last = trail->count - 1 - trail->order;
    const int middle = from - (trail->order - 1) / 2;
    const int first = middle > 0 ? middle : 0;
    return (Piece){from, first < last ? first : last, trail->order};
}

void kal_trail_even_out(KalTrail *trail, int parts)
{
    assert(parts > 0 && parts < trail->count);
    for (int i = parts - 1; i >= 0; i--) {
        integrate(trail, piece_around(trail, i), trail->t[i], trail->sums[i]);
    }
}

void kal_trail_integrate(const KalTrail *trail, double t, double *out_sums)
{
    const double way = trail->count > 1 ? trail->t[0] - trail->t[1] : 0.0;
    int from = 0;
    if (trail->order == 0) {
        memcpy(out_sums, trail->sums[0], (size_t)trail->n * sizeof(double));
        return;
    }
    while (from + 2 < trail->count && (trail->t[from + 1] - t) * way > 0.0) {
        from++;
    }
    integrate(trail, piece_around(trail, from), t, out_sums);
}

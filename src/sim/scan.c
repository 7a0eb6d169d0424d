// SPDX-License-Identifier: MIT

// Ranges of events over parts of a step: theory (15.12).
//
// A state between the ends of a step is a polynomial of degree 8, known by interpolation at
// nine nodes.  Written in Bernstein's basis its coefficients bound it: a polynomial lies in
// the convex hull of them.  Parts of the step get their own coefficients by de Casteljau's
// scheme, which only takes means and so is stable.  Interval arithmetic carries these ranges
// through the programs of events.

#include "sim/scan.h"

#include "base/processor.h"
#include "sim/scan_math.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    N = KAL_SCAN_NODES,
    DEGREE = N - 1
};

// Where a step is looked at, in parts of it: the zeros of the derivative of a Chebyshev
// polynomial and the ends, for which the coefficients are found well.
static double node(int j)
{
    return 0.5 - 0.5 * cos(acos(-1.0) * j / DEGREE);
}

// DEGREE over k.
static double binomial(int k)
{
    double value = 1.0;
    for (int i = 0; i < k; i++) {
        value *= (double)(DEGREE - i) / (i + 1);
    }
    return value;
}

// Subtract a multiple of a row of [V | W] from another.
static void eliminate(double V[N][N], double *W, int row, int pivot)
{
    const double factor = V[row][pivot];
    for (int k = 0; k < N; k++) {
        V[row][k] -= factor * V[pivot][k];
        W[row * N + k] -= factor * W[pivot * N + k];
    }
}

// The inverse of V with V[j][k] the Bernstein polynomial k at node j.  V is totally
// positive, so Gauss–Jordan needs no pivoting.
static void invert(double *out_inverse)
{
    double V[N][N];
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < N; k++) {
            V[j][k] = binomial(k) * pow(node(j), k) * pow(1.0 - node(j), DEGREE - k);
            out_inverse[j * N + k] = j == k;
        }
    }
    for (int pivot = 0; pivot < N; pivot++) {
        const double factor = 1.0 / V[pivot][pivot];
        assert(V[pivot][pivot] > 0.0); // so is every pivot of a totally positive matrix
        for (int k = 0; k < N; k++) {
            V[pivot][k] *= factor;
            out_inverse[pivot * N + k] *= factor;
        }
        for (int row = 0; row < N; row++) {
            if (row != pivot) {
                eliminate(V, out_inverse, row, pivot);
            }
        }
    }
}

static size_t largest_work(const KalScanSpec *spec)
{
    size_t largest = 0;
    for (int k = 0; k < spec->n_programs; k++) {
        const size_t work = kal_program_work(spec->system->programs[spec->programs[k]]);
        largest = work > largest ? work : largest;
    }
    return largest;
}

static size_t count_results(const KalScanSpec *spec)
{
    size_t count = 0;
    for (int k = 0; k < spec->n_programs; k++) {
        count += spec->system->n_results[spec->programs[k]];
    }
    return count;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalScan *scan = owner;
    const KalSystem *system = scan->spec.system;
    scan->inverse = kal_carve_doubles(carver, N, N);
    scan->nodes = kal_carve_doubles(carver, N, 1);
    scan->state = kal_carve_doubles(carver, scan->spec.room, 1);
    scan->coefficients = kal_carve_doubles(carver, scan->ld, N);
    scan->box = kal_carve(carver, system->layout.count, sizeof(KalRange));
    scan->work = kal_carve(carver, largest_work(&scan->spec), sizeof(KalRange));
    scan->results = kal_carve(carver, count_results(&scan->spec), sizeof(KalRange));
    scan->point =
        kal_carve(carver, system->n_results[KAL_PROGRAM_CONTACTS], sizeof(KalRange));
}

KalStatus kal_scan_init(KalScan *scan, KalContext *ctx, const KalScanSpec *spec)
{
    scan->ctx = ctx;
    scan->spec = *spec;
    scan->states = kal_system_state_size(spec->system);
    scan->ld = (scan->states + KAL_SCAN_GROUP - 1) / KAL_SCAN_GROUP * KAL_SCAN_GROUP;
    KAL_TRY(kal_workspace_make(ctx, "for events", lay_out, scan, &scan->workspace));
    for (size_t i = 0; i < spec->system->layout.count; i++) {
        scan->box[i] = (KalRange){-INFINITY, INFINITY};
    }
    for (int j = 0; j < N; j++) {
        scan->nodes[j] = node(j);
    }
    invert(scan->inverse);
    return KAL_OK;
}

void kal_scan_clear(KalScan *scan)
{
    kal_workspace_clear(scan->ctx, &scan->workspace);
    *scan = (KalScan){.ctx = NULL};
}

// Coefficients are the inverse times the values at the nodes, for each number of the state.
KalStatus kal_scan_take(KalScan *scan, double t_old, double t_new)
{
    memset(scan->coefficients, 0, N * scan->ld * sizeof(double));
    scan->t_old = t_old;
    scan->t_new = t_new;
    for (int j = 0; j < N; j++) {
        const double t = j < DEGREE ? t_old + scan->nodes[j] * (t_new - t_old) : t_new;
        KAL_TRY(scan->spec.interpolate(scan->spec.user, t, scan->state));
        for (int k = 0; k < N; k++) {
            double *row = scan->coefficients + (size_t)k * scan->ld;
            for (size_t i = 0; i < scan->states; i++) {
                row[i] += scan->inverse[k * N + j] * scan->state[i];
            }
        }
    }
    return KAL_OK;
}

// Ranges over the part from a to b of a step, by what suits the processor.
static void find_ranges(const KalScan *scan, double a, double b)
{
    const KalScanPart part = {.coefficients = scan->coefficients,
                              .ld = scan->ld,
                              .count = scan->states,
                              .begin = a,
                              .end = b};
    KalRange *out = scan->box + scan->spec.system->layout.q; // states follow velocities
#ifdef KAL_WIDE
    if (kal_has_wide()) {
        kal_scan_ranges_wide(&part, out);
        return;
    }
#endif
    kal_scan_ranges(&part, out);
}

// The ranges of a program's results over the box of variables.
static void bound(KalScan *scan, KalProgramId id, KalRange *out)
{
    const KalSystem *system = scan->spec.system;
    if (system->n_results[id] > 0) {
        kal_program_bound(system->programs[id], scan->box, scan->spec.instant->work[id],
                          scan->work, out);
    }
}

// The box of variables from a to b.
static void fill_box(KalScan *scan, double a, double b)
{
    const KalSystem *system = scan->spec.system;
    const double width = scan->t_new - scan->t_old;
    const double from = fmax((a - scan->t_old) / width, 0.0);
    const double to = fmin((b - scan->t_old) / width, 1.0);
    assert(from <= to);
    scan->box[0] = (KalRange){a, b};
    find_ranges(scan, from, to);
    for (size_t i = system->layout.holds; i < system->layout.qdd; i++) {
        const double value = scan->spec.instant->variables[i];
        scan->box[i] = (KalRange){value, value};
    }
}

const KalRange *kal_scan_bound(KalScan *scan, double a, double b)
{
    const KalScanSpec *spec = &scan->spec;
    KalRange *next = scan->results;
    fill_box(scan, a, b);
    for (int k = 0; k < spec->n_programs; k++) {
        const KalProgramId id = spec->programs[k];
        bound(scan, id, next);
        scan->contacts = id == KAL_PROGRAM_CONTACTS ? next : scan->contacts;
        next += spec->system->n_results[id];
    }
    return scan->results;
}

// A gap is at most what it is at a and what its greatest rate adds until b (mean value
// theorem): sharper than its range over the box where bodies move fast and gaps are
// small.
const KalRange *kal_scan_sharpen_gaps(KalScan *scan, double a, double b)
{
    assert(a <= b);
    const size_t count = scan->spec.system->model->n_contacts;
    KalRange *contacts = scan->contacts;
    assert(contacts);
    fill_box(scan, a, a);
    bound(scan, KAL_PROGRAM_CONTACTS, scan->point);
    for (size_t i = 0; i < count; i++) {
        KalRange *gap = contacts + i * KAL_CONTACT_VALUES;
        const KalRange rate = gap[1];
        const KalRange at = scan->point[i * KAL_CONTACT_VALUES];
        gap->low = fmax(gap->low, at.low + (b - a) * fmin(rate.low, 0.0));
        gap->high = fmin(gap->high, at.high + (b - a) * fmax(rate.high, 0.0));
    }
    return scan->results;
}

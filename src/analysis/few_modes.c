// SPDX-License-Identifier: MIT

// The slowest modes of a large system at rest, theory, section 23.
//
// The operator is that of theory (23.3): the inverse of the linearized motion about a shift
// σ, whose eigenvalues 1/(s − σ) are the largest for modes s near the shift.  One step of it
// is one solution with factors that are made once; what leaves the constraints is gone
// after the first.  Numbers are scaled with the roots of masses, and positions with σ, so
// that lengths of vectors are energies.

#include "analysis/pencil.h"
#include "linalg/krylov.h"
#include "system/large_instant.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "for modes";

enum {
    WANTED = 20,
    VECTORS = 400,        // of a basis
    BASIS_BYTES = 1 << 30 // and their memory
};

// The shift, relative to the fastest rate.
static const double SHIFT = 1e-3;

typedef struct Inverse {
    KalPencil *p;
    KalWorkspace workspace;
    double shift;
    double *root;  // n: of masses
    double *f;     // 2n: the argument, without its scale
    double *force; // n
    double *mixed; // n
} Inverse;

static void lay_out(KalCarver *carver, void *owner)
{
    Inverse *v = owner;
    const size_t n = (size_t)v->p->a->system->n;
    v->root = kal_carve_doubles(carver, n, 1);
    v->f = kal_carve_doubles(carver, 2 * n, 1);
    v->force = kal_carve_doubles(carver, n, 1);
    v->mixed = kal_carve_doubles(carver, n, 1);
}

// (q, v) with  v − σ q = f_q  and the linearized equations with q̈ = σ v + f_v.
static KalStatus apply(void *user, const double *x, double *out)
{
    const Inverse *v = (const Inverse *)user;
    const KalSparse *R_y = &v->p->a->forms.R_y;
    const int n = v->p->a->system->n;
    double *f = v->f;
    for (int i = 0; i < n; i++) {
        f[i] = x[i] / (v->root[i] * v->shift);
        f[n + i] = x[n + i] / v->root[i];
        v->mixed[i] = -v->shift * f[i] - f[n + i];
    }
    kal_mass_times(&v->p->a->system->equations->M, v->p->a->instant->large.M, v->mixed,
                   v->force);
    for (int i = 0; i < n; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1]; k++) {
            if (R_y->column[k] >= n) {
                v->force[i] -= v->p->R_y[k] * f[R_y->column[k] - n];
            }
        }
    }
    kal_pencil_solve(v->p, v->force, NULL, v->mixed, NULL);
    for (int i = 0; i < n; i++) {
        const double q = v->mixed[i];
        out[i] = q * v->root[i] * v->shift;
        out[n + i] = (v->shift * q + f[i]) * v->root[i];
    }
    return KAL_OK;
}

// The fastest rate that entries of K and D may make.
static double fastest_rate(const KalPencil *p)
{
    const KalAnalysis *a = p->a;
    const KalSparse *R_y = &a->forms.R_y;
    const int64_t n = a->system->n;
    double rate = 0.0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = R_y->start[i]; k < R_y->start[i + 1]; k++) {
            const int64_t j = R_y->column[k];
            const double entry =
                fabs(p->R_y[k]) / sqrt(a->chart.masses[i] * a->chart.masses[j % n]);
            rate = fmax(rate, j < n ? sqrt(entry) : entry);
        }
    }
    return rate;
}

// Factors about the shift; another shift if that is an eigenvalue.
static KalStatus factor(Inverse *v)
{
    const double rate = fastest_rate(v->p);
    bool regular = false;
    v->shift = rate > 0.0 ? SHIFT * rate : 1.0;
    for (int k = 0; k < 4 && !regular; k++) {
        KAL_TRY(kal_pencil_factor(v->p, v->shift * v->shift, v->shift, 1.0, &regular));
        v->shift *= regular ? 1.0 : 1.7;
    }
    return regular ? KAL_OK
                   : kal_fail(v->p->a->ctx, KAL_ERR_NUMBER,
                              "the modes could not be found: the linearized equations "
                              "are singular");
}

// The mode of value k of the inverse.
static void take_mode(const Inverse *v, const KalKrylov *found, int k, double *shape,
                      KalMode *mode)
{
    const int n = v->p->a->system->n;
    const double pi = acos(-1.0);
    const double complex *x = found->vectors + (size_t)k * found->n;
    // Conjugates change places, so that the one with a positive imaginary part is first.
    const double complex value = v->shift + 1.0 / conj(found->values[k]);
    const double size = cabs(value);
    double complex largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double complex q = conj(x[i]) / v->root[i];
        largest = cabs(q) > cabs(largest) * (1.0 + 1e-9) ? q : largest;
    }
    for (int i = 0; i < n && cabs(largest) > 0.0; i++) {
        const double complex q = conj(x[i]) / v->root[i] / largest;
        shape[i] = creal(q);
        shape[n + i] = cimag(q);
    }
    const double inverse = cabs(found->values[k]);
    *mode = (KalMode){.re = creal(value),
                      .im = cimag(value),
                      .frequency = size / (2.0 * pi),
                      .damping = size > 0.0 ? -creal(value) / size : 0.0,
                      .uncertainty = found->errors[k] / (inverse * inverse),
                      .shape = shape};
}

// Results live with the analysis until the next search.
static KalStatus keep(Inverse *v, const KalKrylov *found, KalModes *modes)
{
    KalAnalysis *a = v->p->a;
    const size_t n = (size_t)a->system->n;
    const size_t count = (size_t)found->n_values;
    kal_arena_destroy(a->spectrum.kept);
    a->spectrum.kept = NULL;
    KAL_TRY(kal_arena_create(a->ctx, BASIS_BYTES, &a->spectrum.kept));
    KalMode *list = (KalMode *)kal_arena_alloc(a->spectrum.kept, count, sizeof *list);
    KalEigenvalue *inner =
        (KalEigenvalue *)kal_arena_alloc(a->spectrum.kept, count, sizeof *inner);
    double *shapes =
        (double *)kal_arena_alloc(a->spectrum.kept, count * 2 * n, sizeof *shapes);
    if (!list || !inner || !shapes) {
        return kal_no_memory(a->ctx, PURPOSE);
    }
    for (size_t k = 0; k < count; k++) {
        take_mode(v, found, (int)k, shapes + k * 2 * n, &list[k]);
        inner[k] = (KalEigenvalue){list[k].re, list[k].im, list[k].uncertainty};
    }
    kal_modes_sort((int)count, list);
    modes->n = found->n_values;
    modes->modes = list;
    modes->n_inner = found->n_values;
    modes->inner = inner;
    return KAL_OK;
}

// Eigenvalues nearest to the shift are the largest of the inverse, which Arnoldi's method
// finds first; as many vectors are kept as the memory allows.
static KalStatus find(Inverse *v, KalModes *modes)
{
    assert(v->root && modes);
    const KalPencil *p = v->p;
    const size_t n = 2 * (size_t)p->a->system->n;
    const size_t fit = BASIS_BYTES / sizeof(double) / n;
    KalKrylov found = {.ctx = NULL};
    KAL_TRY(factor(v));
    for (size_t i = 0; i < n / 2; i++) {
        v->root[i] = sqrt(p->a->chart.masses[i]);
    }
    const KalKrylovOptions options = {.n = n,
                                      .apply = apply,
                                      .user = v,
                                      .wanted = WANTED,
                                      .most = fit < VECTORS ? (int)fit : VECTORS,
                                      .tolerance = 1e-10,
                                      .seed = 1};
    if (options.most < 2 * WANTED) {
        return kal_fail(p->a->ctx, KAL_ERR_LIMIT,
                        "the modes of %d coordinates take too much memory",
                        p->a->system->n);
    }
    KalStatus status = kal_krylov_search(&found, p->a->ctx, &options);
    if (status == KAL_OK && !found.complete && found.n_values == 0) {
        status = kal_fail(p->a->ctx, KAL_ERR_NUMBER,
                          "the modes could not be found: %d steps were not enough",
                          found.steps);
    }
    if (status == KAL_OK) {
        status = keep(v, &found, modes);
    }
    kal_krylov_clear(&found);
    return status;
}

// What the modes that were found say, theory (23.4).
static void judge(KalAnalysis *a, bool minimum, KalModes *modes)
{
    char *text = a->spectrum.reason;
    const size_t room = sizeof a->spectrum.reason;
    double fastest = 0.0;
    for (int k = 0; k < modes->n; k++) {
        if (modes->modes[k].re > modes->modes[k].uncertainty) {
            fastest = fmax(fastest, modes->modes[k].re);
        }
    }
    modes->reason = text;
    const int others = modes->linearization.n_states - modes->n;
    if (fastest > 0.0) {
        modes->stability = KAL_STABILITY_UNSTABLE;
        (void)snprintf(text, room, "a mode grows, at the rate %.6g", fastest);
    } else if (minimum) {
        modes->stability = KAL_STABILITY_STABLE;
        (void)snprintf(text, room,
                       "no mode grows, for the potential energy has a minimum on the "
                       "constraints");
    } else {
        modes->stability = KAL_STABILITY_UNDECIDED;
        (void)snprintf(text, room,
                       "none of the modes that were found grows; %d others were not "
                       "looked for",
                       others > 0 ? others : 0);
    }
}

// Modes are those about rest.
static KalStatus need_rest(const KalPencil *p)
{
    const KalAnalysis *a = p->a;
    const int moving = kal_pencil_find_moving(p);
    if (moving < 0 && a->forms.timeless) {
        return KAL_OK;
    }
    return moving < 0
               ? kal_fail(a->ctx, KAL_ERR_USAGE,
                          "the equations depend on time: modes of systems of more than "
                          "%d coordinates are found about rest alone",
                          KAL_ANALYSIS_LIMIT)
               : kal_fail(
                   a->ctx, KAL_ERR_USAGE,
                   "the state is no equilibrium, %.100s changes at the rate "
                   "%.6g: modes of systems of more than %d coordinates are found "
                   "about rest alone, such as --equilibrium 1",
                   a->names[moving], a->answer.qdd[moving], KAL_ANALYSIS_LIMIT);
}

// A look, the verdict on stability by energy where that decides, then the eigenvalues
// nearest to zero.
KalStatus kal_pencil_modes(KalPencil *p, KalModes *out_modes)
{
    Inverse v = {.p = p};
    KalModes modes = {.n_coordinates = p->a->system->n};
    bool minimum = false;
    KAL_TRY(kal_pencil_look(p, true));
    KAL_TRY(need_rest(p));
    KAL_TRY(kal_pencil_is_minimum(p, &minimum));
    KAL_TRY(kal_workspace_make(p->a->ctx, PURPOSE, lay_out, &v, &v.workspace));
    const KalStatus status = find(&v, &modes);
    kal_workspace_clear(p->a->ctx, &v.workspace);
    KAL_TRY(status);
    modes.linearization =
        (KalLinearization){.n_states = 2 * (p->a->system->n - p->n_rows),
                           .n_positions = p->a->system->n - p->n_rows,
                           .n_outputs = 0,
                           .steady = true,
                           .at_rest = true,
                           .timeless = true};
    judge(p->a, minimum, &modes);
    *out_modes = modes;
    return KAL_OK;
}

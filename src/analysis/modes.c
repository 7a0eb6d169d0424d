// SPDX-License-Identifier: MIT

// Eigenvalues of the state matrix and what they say about stability (Lyapunov's indirect
// method), theory (17.9) to (17.11).
//
// Every eigenvalue comes with the error that rounding in the matrix may have caused; growth
// and decay count beyond it only.  Eigenvalues on the axis decide nothing by themselves:
// whether they lack eigenvectors does, and whether zeros belong to a family of equilibria.

#include "analysis/balance.h"
#include "analysis/chart.h"
#include "analysis/pencil.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A repeated eigenvalue on the axis of worse condition lacks an eigenvector.
static const double DEFECTIVE = 1e-5;

const char *kal_stability_word(KalStability stability)
{
    static const char *const words[] = {
#define KAL_STABILITY_WORD(name, word, meaning) word,
        KAL_STABILITY_LIST(KAL_STABILITY_WORD)
#undef KAL_STABILITY_WORD
    };
    return (unsigned)stability < sizeof words / sizeof words[0] ? words[stability]
                                                                : "unknown";
}

// The spectrum of the states that `skip` does not mark, NULL: of all.  Returns how many
// there are, or −1.
static int find_spectrum(KalAnalysis *a, const bool *skip, KalSpectrum *spectrum)
{
    const int z = a->linear.n_states;
    double *matrix = a->spectrum.shapes; // free until shapes are written
    int size = 0;
    for (int k = 0; k < z; k++) {
        size += !(skip && skip[k]);
    }
    int column = 0;
    assert(size <= 2 * a->system->n);
    for (int k = 0; k < z; k++) {
        if (skip && skip[k]) {
            continue;
        }
        int row = 0;
        for (int i = 0; i < z; i++) {
            if (!(skip && skip[i])) {
                matrix[column * size + row++] = a->linear.A[i * z + k];
            }
        }
        column++;
    }
    *spectrum = (KalSpectrum){.values = a->spectrum.values,
                              .vectors = a->spectrum.vectors,
                              .conditions = a->spectrum.conditions};
    return kal_eigen_general(size, matrix, a->spectrum.work, spectrum) ? size : -1;
}

// By how much rounding in the matrix may have moved an eigenvalue, theory (17.10).
static double uncertainty_of(const KalSpectrum *spectrum, int n, int k)
{
    const double relative = 100.0 * sqrt((double)n) * DBL_EPSILON;
    assert(k >= 0 && k < n);
    return spectrum->norm
           * fmin(relative / fmax(spectrum->conditions[k], DBL_MIN), 1e-3);
}

// What a spectrum is made of.
typedef struct Census {
    int size;
    int growing;
    int decaying;
    int oscillating; // on the imaginary axis, not zero
    int zero;
    int defective; // of those that oscillate
    int null;      // dimension of the null space
    int family;    // and of the family that it belongs to
    double fastest;
} Census;

// The dimension of the null space of the states that `skip` does not mark.
static int count_null(KalAnalysis *a, const bool *skip, int size)
{
    const int z = a->linear.n_states;
    int row = 0;
    for (int i = 0; i < z; i++) {
        int column = 0;
        for (int k = 0; k < z && !(skip && skip[i]); k++) {
            if (!(skip && skip[k])) {
                a->spectrum.shapes[row * size + column++] = a->linear.A[i * z + k];
            }
        }
        row += !(skip && skip[i]);
    }
    for (int k = 0; k < size; k++) {
        a->spectrum.conditions[k] = 1.0;
    }
    KalEchelon e = {.rows = size,
                    .columns = size,
                    .W = a->spectrum.shapes,
                    .weights = a->spectrum.conditions,
                    .pivot = a->spectrum.order};
    kal_echelon_reduce(&e);
    assert(e.rank <= size);
    return size - e.rank;
}

static KalStatus fail_spectrum(const KalAnalysis *a)
{
    return kal_fail(a->ctx, KAL_ERR_NUMBER, "the eigenvalues could not be found");
}

// How many of each kind.
static KalStatus take_census(KalAnalysis *a, const bool *skip, Census *census)
{
    KalSpectrum spectrum;
    *census = (Census){.size = find_spectrum(a, skip, &spectrum)};
    if (census->size < 0) {
        return fail_spectrum(a);
    }
    for (int k = 0; k < census->size; k++) {
        const double complex value = spectrum.values[k];
        const double rounding = uncertainty_of(&spectrum, census->size, k);
        a->spectrum.inner[k] = (KalEigenvalue){creal(value), cimag(value), rounding};
        if (creal(value) > rounding) {
            census->growing++;
            census->fastest = fmax(census->fastest, creal(value));
        } else if (cabs(value) <= rounding) {
            census->zero++;
        } else if (creal(value) < -rounding) {
            census->decaying++;
        } else {
            census->oscillating++;
            census->defective += spectrum.conditions[k] < DEFECTIVE;
        }
    }
    assert(census->growing + census->decaying + census->zero + census->oscillating
           == census->size);
    census->null = count_null(a, skip, census->size);
    return KAL_OK;
}

// One word and one sentence about it, theory (17.11).
static void judge(KalAnalysis *a, const Census *c, KalModes *modes)
{
    char *text = a->spectrum.reason;
    const size_t room = sizeof a->spectrum.reason;
    modes->stability = KAL_STABILITY_MARGINAL;
    modes->reason = text;
    modes->family = c->family;
    if (c->growing > 0 && !modes->linearization.singular) {
        modes->stability = KAL_STABILITY_UNSTABLE;
        (void)snprintf(text, room, "a mode grows, at the rate %.6g", c->fastest);
    } else if (modes->linearization.singular) {
        (void)snprintf(
            text, room,
            "the constraints are not of the rank that they have at the start, "
            "and a linearization says little");
    } else if (c->zero > c->null) {
        (void)snprintf(
            text, room,
            "no mode grows exponentially, but a push makes the system drift: "
            "an eigenvalue 0 lacks an eigenvector");
    } else if (c->defective > 0) {
        (void)snprintf(text, room,
                       "no mode grows exponentially, but oscillations grow slowly: an "
                       "eigenvalue on the imaginary axis lacks an eigenvector");
    } else if (modes->linearization.steady && c->null > c->family) {
        (void)snprintf(
            text, room,
            "no mode grows exponentially; an eigenvalue 0 belongs to no family "
            "of equilibria, and nonlinear terms decide");
    } else {
        modes->stability = KAL_STABILITY_STABLE;
        modes->decays = c->oscillating == 0 && c->decaying > 0;
        (void)snprintf(text, room, "%s%s",
                       modes->decays        ? "all modes decay"
                       : c->oscillating > 0 ? "no mode grows; oscillations go on"
                                            : "nothing moves",
                       c->zero > 0
                           ? ", but for changes to a neighboring equilibrium or "
                             "steady motion"
                           : "");
    }
}

// Whether mode x comes before mode y, rounding put aside.
static bool comes_before(const KalMode *x, const KalMode *y)
{
    const double re_x = fabs(x->re) <= x->uncertainty ? 0.0 : x->re;
    const double re_y = fabs(y->re) <= y->uncertainty ? 0.0 : y->re;
    const double same = 1e-9 * (fabs(re_x) + fabs(re_y));
    if (fabs(re_x - re_y) > same) {
        return re_x > re_y;
    }
    return fabs(x->im) - fabs(y->im) > 1e-9 * (fabs(x->im) + fabs(y->im))
           && fabs(x->im) > x->uncertainty;
}

// Insertion keeps pairs together and does not depend on how a library sorts.
void kal_modes_sort(int n, KalMode *modes)
{
    assert(n >= 0);
    for (int i = 1; i < n; i++) {
        const KalMode mode = modes[i];
        int k = i;
        for (; k > 0 && comes_before(&mode, &modes[k - 1]); k--) {
            modes[k] = modes[k - 1];
        }
        modes[k] = mode;
    }
}

// The shape in all coordinates, scaled to a largest entry of 1.
static void write_shape(const KalAnalysis *a, const double complex *vector,
                        double *shape)
{
    const int n = a->system->n;
    double complex largest = 0.0;
    for (int i = 0; i < n; i++) {
        double complex sum = 0.0;
        for (int k = 0; k < a->linear.n_positions; k++) {
            sum +=
                a->chart.directions[(size_t)k * 2 * (size_t)n + (size_t)i] * vector[k];
        }
        shape[i] = creal(sum);
        shape[n + i] = cimag(sum);
        if (cabs(sum) > cabs(largest) * (1.0 + 1e-9)) {
            largest = sum;
        }
    }
    for (int i = 0; i < n && cabs(largest) > 0.0; i++) {
        const double complex entry = (shape[i] + shape[n + i] * I) / largest;
        shape[i] = creal(entry);
        shape[n + i] = cimag(entry);
    }
}

// Frequencies and damping follow from eigenvalues; the uncertainty is that of the
// eigenvalue's condition.
static KalStatus fill_modes(KalAnalysis *a)
{
    KalSpectrum spectrum;
    const int z = a->linear.n_states;
    const double pi = acos(-1.0);
    if (find_spectrum(a, NULL, &spectrum) < 0) {
        return fail_spectrum(a);
    }
    for (int k = 0; k < z; k++) {
        const double complex value = spectrum.values[k];
        const double size = cabs(value);
        double *shape = a->spectrum.shapes + (size_t)k * 2 * (size_t)a->system->n;
        write_shape(a, spectrum.vectors + (size_t)k * (size_t)z, shape);
        a->spectrum.modes[k] =
            (KalMode){.re = creal(value),
                      .im = cimag(value),
                      .frequency = size / (2.0 * pi),
                      .damping = size > 0.0 ? -creal(value) / size : 0.0,
                      .uncertainty = uncertainty_of(&spectrum, z, k),
                      .shape = shape};
    }
    kal_modes_sort(z, a->spectrum.modes);
    return KAL_OK;
}

// How many of the null vectors lead to other equilibria or steady motions.
static KalStatus find_family(KalAnalysis *a, bool moves, Census *census)
{
    KalBalancer *b = NULL;
    KalLinearization l;
    KAL_TRY(kal_analysis_balancer(a, &b));
    b->steady = moves;
    b->hold_speeds = false;
    b->ignorable = a->spectrum.ignorable;
    memset(a->spectrum.ignorable, 0,
           (size_t)a->system->n * sizeof *a->spectrum.ignorable);
    for (int k = 0; k < a->linear.n_positions && moves; k++) {
        a->spectrum.ignorable[a->linear.state[k]] = a->linear.driven[k];
    }
    KAL_TRY(kal_balancer_family(b, &census->family));
    return kal_analysis_linearize(a, &l);
}

// The census counts eigenvalues by their kind, leaving out those of states that a steady
// motion drives. Zeros among them belong to a family of equilibria if one can be
// followed.
KalStatus kal_analysis_modes(KalAnalysis *a, KalModes *out_modes)
{
    KAL_NEED(a ? a->ctx : NULL, a && out_modes);
    if (a->pencil) {
        return kal_pencil_modes(a->pencil, out_modes);
    }
    KalModes modes = {.n_coordinates = a->system->n, .modes = a->spectrum.modes};
    Census census;
    KAL_TRY(kal_analysis_linearize(a, &modes.linearization));
    modes.n = a->linear.n_states;
    const bool moves = modes.linearization.steady && !modes.linearization.at_rest;
    KAL_TRY(take_census(a, moves ? a->linear.driven : NULL, &census));
    if (modes.linearization.steady && census.null > 0) {
        KAL_TRY(find_family(a, moves, &census));
    }
    judge(a, &census, &modes);
    modes.n_inner = census.size;
    modes.inner = a->spectrum.inner;
    KAL_TRY(fill_modes(a));
    *out_modes = modes;
    return KAL_OK;
}

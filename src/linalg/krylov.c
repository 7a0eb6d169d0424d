// SPDX-License-Identifier: MIT

// Arnoldi's method with several starts; the idea stands in krylov.h.
//
// What holds between steps: the first `size` vectors are orthonormal; the operator was
// applied to the first `done` of them, and column k of H, for k < done, has the
// coefficients of what came out, so that  T V_done = V_size H  exactly but for rounding.

#include "linalg/krylov.h"

#include "base/block.h"
#include "base/workspace.h"
#include "linalg/general.h"
#include "linalg/kernels.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PAUSE = 12, // steps from one look at the eigenvalues to the next, at least
    PART = 4    // of the steps so far: all looks together then take as long as a few
};

// What memory is for.
static const char PURPOSE[] = "for eigenvalues";

typedef struct Search {
    KalKrylov *result;
    const KalKrylovOptions *o;
    KalWorkspace workspace;
    double *V;    // (most + starts) × n: the basis
    double *H;    // most columns of most + starts
    double *copy; // most × most
    double *w;    // n
    int *order;   // most
    KalSpectrum spectrum;
    void *work;
    size_t height; // of H
    int size;
    int done;
    uint64_t random;
} Search;

static void lay_out(KalCarver *carver, void *owner)
{
    Search *s = owner;
    const size_t most = (size_t)s->o->most;
    s->V = kal_carve_doubles(carver, s->height, s->o->n);
    s->H = kal_carve_doubles(carver, s->height, most);
    s->copy = kal_carve_doubles(carver, most, most);
    s->w = kal_carve_doubles(carver, s->o->n, 1);
    s->order = kal_carve_ints(carver, most);
    s->spectrum.values = kal_carve(carver, most, sizeof *s->spectrum.values);
    s->spectrum.vectors = kal_carve(carver, most * most, sizeof *s->spectrum.vectors);
    s->spectrum.conditions = kal_carve_doubles(carver, most, 1);
    s->work = kal_carve(carver, kal_eigen_general_work(s->o->most), 1);
}

// Uniform in −1 … 1: SplitMix64 (Steele, Lea, Flood, 2014).
static double draw(Search *s)
{
    s->random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = s->random;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-52 - 1.0;
}

static double *vector(const Search *s, int k)
{
    return s->V + (size_t)k * s->o->n;
}

// Take the basis out of w, twice, for once leaves rounding; coefficients are added to
// `column` unless that is NULL.  What is new becomes the next vector.
static KalStatus add(Search *s, double *column)
{
    const size_t n = s->o->n;
    const double before = sqrt(kal_dot((int)n, s->w, s->w));
    if (!isfinite(before)) {
        return kal_fail(s->result->ctx, KAL_ERR_NUMBER,
                        "eigenvalues could not be found: numbers overflow");
    }
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < s->size; k++) {
            const double *v = vector(s, k);
            const double part = kal_dot((int)n, v, s->w);
            for (size_t i = 0; i < n; i++) {
                s->w[i] -= part * v[i];
            }
            if (column) {
                column[k] += part;
            }
        }
    }
    const double rest = sqrt(kal_dot((int)n, s->w, s->w));
    if (rest <= 64.0 * DBL_EPSILON * before || (size_t)s->size >= s->height) {
        return KAL_OK; // nothing new
    }
    double *next = vector(s, s->size);
    for (size_t i = 0; i < n; i++) {
        next[i] = s->w[i] / rest;
    }
    if (column) {
        column[s->size] = rest;
    }
    s->size++;
    return KAL_OK;
}

// Random vectors, after the operator was applied to them twice: it may lead onto a part of
// the space.
static KalStatus begin(Search *s)
{
    const size_t n = s->o->n;
    double *x = vector(s, (int)s->height - 1); // free as yet
    for (int k = 0; k < KAL_KRYLOV_STARTS; k++) {
        for (size_t i = 0; i < n; i++) {
            x[i] = draw(s);
        }
        KAL_TRY(s->o->apply(s->o->user, x, s->w));
        memcpy(x, s->w, n * sizeof *x);
        KAL_TRY(s->o->apply(s->o->user, x, s->w));
        KAL_TRY(add(s, NULL));
    }
    return KAL_OK;
}

static KalStatus step(Search *s)
{
    assert(s->done < s->size && s->done < s->o->most);
    KAL_TRY(kal_ask(s->result->ctx));
    KAL_TRY(s->o->apply(s->o->user, vector(s, s->done), s->w));
    KAL_TRY(add(s, s->H + (size_t)s->done * s->height));
    s->done++;
    return KAL_OK;
}

// Eigenvalues of the operator on the span of the vectors that it was applied to.
static KalStatus look(Search *s)
{
    const int n = s->done;
    for (int k = 0; k < n; k++) {
        memcpy(s->copy + (size_t)k * (size_t)n, s->H + (size_t)k * s->height,
               (size_t)n * sizeof(double));
    }
    if (!kal_eigen_general(n, s->copy, s->work, &s->spectrum)) {
        return kal_fail(s->result->ctx, KAL_ERR_NUMBER,
                        "eigenvalues could not be found");
    }
    for (int k = 0; k < n; k++) { // insertion keeps conjugates together
        int at = k;
        const double size = cabs(s->spectrum.values[k]);
        for (; at > 0
               && cabs(s->spectrum.values[s->order[at - 1]]) < size * (1.0 - 1e-12);
             at--) {
            s->order[at] = s->order[at - 1];
        }
        s->order[at] = k;
    }
    return KAL_OK;
}

// By how much value k of the spectrum may be wrong: what of the operator leads out of the
// span at its vector, and rounding; both as far as the value is well conditioned.
static double error_of(const Search *s, int k)
{
    const int n = s->done;
    const double complex *y = s->spectrum.vectors + (size_t)k * (size_t)n;
    double length = 0.0;
    double out = 0.0;
    for (int i = 0; i < n; i++) {
        length += creal(y[i]) * creal(y[i]) + cimag(y[i]) * cimag(y[i]);
    }
    for (int r = n; r < s->size; r++) {
        double complex sum = 0.0;
        for (int c = 0; c < n; c++) {
            sum += s->H[(size_t)c * s->height + (size_t)r] * y[c];
        }
        out += creal(sum) * creal(sum) + cimag(sum) * cimag(sum);
    }
    const double rounding = 16.0 * DBL_EPSILON * s->spectrum.norm;
    const double condition = fmax(s->spectrum.conditions[k], DBL_EPSILON);
    return (sqrt(out / fmax(length, DBL_MIN)) + rounding) / condition;
}

// How many of the largest values are exact, up to those that are wanted and the conjugate
// of the last.
static int count_exact(const Search *s)
{
    int count = 0;
    const double largest = s->done > 0 ? cabs(s->spectrum.values[s->order[0]]) : 0.0;
    while (count < s->done) {
        const int k = s->order[count];
        const double complex value = s->spectrum.values[k];
        const bool second = cimag(value) < 0.0;
        if ((count >= s->o->wanted && !second) || cabs(value) <= 1e-13 * largest
            || (error_of(s, k) > s->o->tolerance * cabs(value)
                && error_of(s, k) > 64.0 * DBL_EPSILON * s->spectrum.norm
                                        / fmax(s->spectrum.conditions[k], 1e-8))) {
            break;
        }
        count++;
    }
    if (count > 0 && cimag(s->spectrum.values[s->order[count - 1]]) > 0.0) {
        count--; // its conjugate belongs to it
    }
    return count;
}

// The vector of the whole space, of largest entry 1.
static void expand(const Search *s, int k, double complex *out)
{
    const size_t n = s->o->n;
    const double complex *y = s->spectrum.vectors + (size_t)k * (size_t)s->done;
    double complex largest = 0.0;
    for (int c = 0; c < s->done; c++) {
        const double *v = vector(s, c);
        for (size_t i = 0; i < n; i++) {
            out[i] += v[i] * y[c];
        }
    }
    for (size_t i = 0; i < n; i++) {
        largest = cabs(out[i]) > cabs(largest) * (1.0 + 1e-9) ? out[i] : largest;
    }
    for (size_t i = 0; i < n && cabs(largest) > 0.0; i++) {
        out[i] /= largest;
    }
}

static KalStatus keep(Search *s, int count)
{
    KalKrylov *result = s->result;
    const size_t number = (size_t)count;
    const size_t items = number * (s->o->n + 1) * sizeof(double complex);
    result->bytes = items + (number + 1) * sizeof(double);
    result->n_values = 0;
    result->vectors = kal_alloc(result->ctx, result->bytes, 1);
    if (!result->vectors) {
        return kal_no_memory(result->ctx, PURPOSE);
    }
    result->values = result->vectors + number * s->o->n;
    result->errors = (double *)(result->values + number);
    for (int k = 0; k < count; k++) {
        result->values[k] = s->spectrum.values[s->order[k]];
        result->errors[k] = error_of(s, s->order[k]);
        expand(s, s->order[k], result->vectors + (size_t)k * s->o->n);
    }
    result->n_values = count;
    result->steps = s->done;
    return KAL_OK;
}

// Some steps.
static KalStatus go_on(Search *s)
{
    const int part = s->done / PART;
    const int pause = part > PAUSE ? part : PAUSE;
    for (int k = 0; k < pause && s->done < s->size && s->done < s->o->most; k++) {
        KAL_TRY(step(s));
    }
    return KAL_OK;
}

// Grow the basis until what is wanted is exact, or there is nothing left.
static KalStatus search(Search *s)
{
    int exact = 0;
    bool ended = false;
    KAL_TRY(begin(s));
    while (exact < s->o->wanted && !ended) {
        KAL_TRY(go_on(s));
        KAL_TRY(look(s));
        exact = count_exact(s);
        ended = s->done == s->size || s->done == s->o->most;
    }
    s->result->complete = exact >= s->o->wanted || s->done == s->size;
    return keep(s, exact);
}

KalStatus kal_krylov_search(KalKrylov *krylov, KalContext *ctx,
                            const KalKrylovOptions *options)
{
    assert(options->wanted > 0 && options->most > 0);
    Search s = {.result = krylov,
                .o = options,
                .height = (size_t)options->most + KAL_KRYLOV_STARTS,
                .random = options->seed};
    *krylov = (KalKrylov){.ctx = ctx, .n = options->n};
    KAL_TRY(kal_workspace_make(ctx, PURPOSE, lay_out, &s, &s.workspace));
    const KalStatus status = search(&s);
    kal_workspace_clear(ctx, &s.workspace);
    return status;
}

void kal_krylov_clear(KalKrylov *krylov)
{
    kal_free(krylov->ctx, krylov->vectors, krylov->vectors ? krylov->bytes : 0);
    *krylov = (KalKrylov){.ctx = NULL};
}

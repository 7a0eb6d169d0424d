// SPDX-License-Identifier: MIT

// The QR algorithm of Francis with implicit double shifts (Golub and Van Loan, Matrix
// Computations, 7.5), in the steps of EISPACK's hqr2:
//
//  1. isolate: eigenvalues that a permutation can read off go to the ends (Parlett and
//     Reinsch); balance: powers of two make rows and columns of one size;
//  2. Householder's reflections to Hessenberg form;
//  3. shifted steps until every entry below the diagonal is negligible, but for those of
//     2 x 2 blocks with complex pairs: the real Schur form.  A step multiplies from both
//     sides by reflectors of three rows that chase a bulge down the diagonal;
//  4. complex rotations make the blocks triangles too, and substitution gives the right and
//     the left eigenvectors, whose angle is the condition of the eigenvalue.
//
// Throughout, the matrix as it was given is P D Z T Z^T D^-1 P^T with a permutation P, a
// diagonal D and an orthogonal Z, all of which the eigenvectors go back through.

#include "linalg/general.h"

#include "linalg/kernels.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    STEPS_PER_VALUE =
        240,         // two or three are usual; more where many eigenvalues coincide
    EXCEPTIONAL = 10 // after so many steps without success another shift is tried
};

// A matrix on its way: Dᵀ-balanced and permuted, A = P D T D⁻¹ Pᵀ in the end with
// T = Zᵀ (balanced A) Z.
typedef struct Work {
    int n;
    int low; // rows and columns low..high have no eigenvalue that stands alone
    int high;
    double *T;
    double *Z;
    double *scale;     // n
    double *v;         // n: a reflector
    int *place;        // n: the row that came to place i
    double complex *S; // n × n: complex Schur form
    double complex *U; // n × n
    double complex *x; // n
} Work;

size_t kal_eigen_general_work(int n)
{
    const size_t k = (size_t)n;
    return (2 * k * k + k) * sizeof(double complex) + (k * k + 2 * k) * sizeof(double)
           + k * sizeof(int);
}

static Work divide(int n, void *memory)
{
    const size_t k = (size_t)n;
    Work w = {.n = n, .low = 0, .high = n - 1};
    w.S = (double complex *)memory;
    w.U = w.S + k * k;
    w.x = w.U + k * k;
    w.Z = (double *)(w.x + k);
    w.scale = w.Z + k * k;
    w.v = w.scale + k;
    w.place = (int *)(w.v + k);
    return w;
}

static double *entry(const Work *w, int i, int j)
{
    return kal_column(w->T, w->n, j) + i;
}

static void exchange(Work *w, int i, int j)
{
    assert(0 <= i && i < w->n && 0 <= j && j < w->n);
    if (i == j) {
        return;
    }
    kal_swap(w->n, kal_column(w->T, w->n, i), kal_column(w->T, w->n, j));
    for (int k = 0; k < w->n; k++) {
        const double keep = *entry(w, i, k);
        *entry(w, i, k) = *entry(w, j, k);
        *entry(w, j, k) = keep;
    }
    const int keep = w->place[i];
    w->place[i] = w->place[j];
    w->place[j] = keep;
}

// Whether row i, or column i, is zero in low..high but for the diagonal.
static bool stands_alone(const Work *w, int i, bool row)
{
    for (int k = w->low; k <= w->high; k++) {
        if (k != i && *(row ? entry(w, i, k) : entry(w, k, i)) != 0.0) {
            return false;
        }
    }
    return true;
}

// Bring eigenvalues that can be read off to the ends; they are then exact.
static void isolate(Work *w)
{
    bool found = true;
    while (found && w->low < w->high) {
        found = false;
        for (int i = w->high; i >= w->low && !found; i--) {
            if (stands_alone(w, i, true)) {
                exchange(w, i, w->high--);
                found = true;
            } else if (stands_alone(w, i, false)) {
                exchange(w, i, w->low++);
                found = true;
            }
        }
    }
}

static void rescale(Work *w, int i, double f)
{
    assert(f > 0.0);
    w->scale[i] *= f;
    kal_vector_scale(w->n, f, kal_column(w->T, w->n, i));
    for (int k = 0; k < w->n; k++) {
        *entry(w, i, k) /= f;
    }
}

// Make row and column i of about equal size; true if that was worth while.
static bool balance_one(Work *w, int i)
{
    double row = 0.0;
    double column = 0.0;
    for (int k = w->low; k <= w->high; k++) {
        row += k == i ? 0.0 : fabs(*entry(w, i, k));
        column += k == i ? 0.0 : fabs(*entry(w, k, i));
    }
    if (row == 0.0 || column == 0.0) {
        return false;
    }
    const double f = exp2(round(0.5 * log2(row / column)));
    const bool better = column * f + row / f < 0.95 * (column + row);
    if (better) {
        rescale(w, i, f);
    }
    return better;
}

// Scale by powers of two: units drop out, and nothing is rounded.
static void balance(Work *w)
{
    bool changed = true;
    for (int sweep = 0; changed && sweep < 100; sweep++) {
        changed = false;
        for (int i = w->low; i <= w->high; i++) {
            changed = balance_one(w, i) || changed;
        }
    }
}

// A reflector 1 − tau v vᵀ that takes v, of k entries, to (±|v|, 0, …); v[0] becomes 1.
static double make_reflector(int k, double *v, double *out_norm)
{
    assert(k > 0);
    double size = 0.0;
    for (int i = 0; i < k; i++) {
        size = fmax(size, fabs(v[i]));
    }
    double tail = 0.0;
    for (int i = 1; i < k; i++) {
        v[i] = size > 0.0 ? v[i] / size : 0.0;
        tail += v[i] * v[i];
    }
    *out_norm = v[0];
    if (tail == 0.0) {
        v[0] = 1.0;
        return 0.0;
    }
    const double first = v[0] / size;
    const double norm =
        first > 0.0 ? -sqrt(first * first + tail) : sqrt(first * first + tail);
    kal_vector_scale(k - 1, 1.0 / (first - norm), v + 1);
    v[0] = 1.0;
    *out_norm = norm * size;
    return (norm - first) / norm;
}

// A reflector that acts on k rows or columns from `at` on.
typedef struct Reflector {
    const double *v;
    double tau;
    int at;
    int k;
} Reflector;

static void reflect_rows(Work *w, Reflector r, int from)
{
    assert(r.at >= 0 && r.at + r.k <= w->n);
    for (int j = from; j < w->n; j++) {
        double *x = entry(w, r.at, j);
        kal_axpy(r.k, -r.tau * kal_dot(r.k, r.v, x), r.v, x);
    }
}

static void reflect_columns(int n, double *X, Reflector r, int to)
{
    assert(r.at >= 0 && r.at + r.k <= n && to <= n);
    for (int i = 0; i < to; i++) {
        double sum = 0.0;
        for (int j = 0; j < r.k; j++) {
            sum += kal_column(X, n, r.at + j)[i] * r.v[j];
        }
        for (int j = 0; j < r.k; j++) {
            kal_column(X, n, r.at + j)[i] -= r.tau * sum * r.v[j];
        }
    }
}

// Householder's reflections, one for each column, make all entries below the first
// subdiagonal zero. Each is applied from both sides, so that eigenvalues stay, and Z
// gathers them: A = Z T Zᵀ at any time.
static void reduce_to_hessenberg(Work *w)
{
    const int n = w->n;
    memset(w->Z, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        kal_column(w->Z, n, j)[j] = 1.0;
    }
    for (int j = w->low; j <= w->high - 2; j++) {
        Reflector r = {.v = w->v, .at = j + 1, .k = w->high - j};
        double norm = 0.0;
        memcpy(w->v, entry(w, r.at, j), (size_t)r.k * sizeof(double));
        r.tau = make_reflector(r.k, w->v, &norm);
        reflect_rows(w, r, j + 1);
        reflect_columns(n, w->T, r, n);
        reflect_columns(n, w->Z, r, n);
        memset(entry(w, r.at, j), 0, (size_t)r.k * sizeof(double));
        *entry(w, r.at, j) = norm;
    }
}

static double size_of(const Work *w)
{
    const size_t count = (size_t)w->n * (size_t)w->n;
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        sum += w->T[k] * w->T[k];
    }
    return sqrt(sum);
}

// The first row of the part that ends at `high` and has no negligible entry below its
// diagonal.
static int find_part(Work *w, int high, double norm)
{
    int low = high;
    while (low > w->low) {
        const double size =
            fabs(*entry(w, low, low)) + fabs(*entry(w, low - 1, low - 1));
        if (fabs(*entry(w, low, low - 1)) <= DBL_EPSILON * (size > 0.0 ? size : norm)) {
            *entry(w, low, low - 1) = 0.0;
            break;
        }
        low--;
    }
    return low;
}

// A pair of shifts s, t whose sum and product are real, theory (17.9), as differences to the last
// entry of the diagonal: where eigenvalues nearly coincide nothing would be left otherwise.
typedef struct Shifts {
    double center; // c, that entry
    double mean;   // (s + t)/2 − c
    double square; // (s − t)²/4
} Shifts;

// The eigenvalues of the last 2 × 2 block; of two real ones the nearer to c, twice.  An exceptional
// pair lies beside c by the size of the entries that do not vanish.
static Shifts choose_shifts(const Work *w, int high, bool exceptional)
{
    const double d = *entry(w, high, high);
    const double below = *entry(w, high, high - 1);
    const double p = 0.5 * (*entry(w, high - 1, high - 1) - d);
    const double q = below * *entry(w, high - 1, high);
    const double square = p * p + q;
    if (exceptional) {
        const double s = fabs(below) + fabs(*entry(w, high - 1, high - 2));
        return (Shifts){d, 0.75 * s, -0.4375 * s * s};
    }
    if (square < 0.0) {
        return (Shifts){d, p, square};
    }
    const double far = p + copysign(sqrt(square), p);
    return (Shifts){d, far != 0.0 ? -q / far : 0.0, 0.0};
}

// The first column of (T − s)(T − t), from row m on, but for a factor.
static void find_bulge(const Work *w, const Shifts *s, int m, double v[3])
{
    const double h10 = *entry(w, m + 1, m);
    const double x = (*entry(w, m, m) - s->center) - s->mean;
    const double y = (*entry(w, m + 1, m + 1) - s->center) - s->mean;
    v[0] = x * x - s->square + *entry(w, m, m + 1) * h10;
    v[1] = h10 * (x + y);
    v[2] = h10 * *entry(w, m + 2, m + 1);
    const double size = fabs(v[0]) + fabs(v[1]) + fabs(v[2]);
    for (int i = 0; i < 3 && size > 0.0; i++) {
        v[i] /= size;
    }
}

// Where a step may begin: two entries in a row below the diagonal are so small that what a
// bulge from there on leaves above it is rounding.
static int find_beginning(const Work *w, const Shifts *s, int low, int high,
                          double v[3])
{
    int m = high - 2;
    for (;; m--) {
        find_bulge(w, s, m, v);
        if (m == low) {
            return m;
        }
        const double left = fabs(*entry(w, m, m - 1)) * (fabs(v[1]) + fabs(v[2]));
        const double beside = fabs(*entry(w, m - 1, m - 1)) + fabs(*entry(w, m, m))
                              + fabs(*entry(w, m + 1, m + 1));
        if (left <= DBL_EPSILON * fabs(v[0]) * beside) {
            return m;
        }
    }
}

// One step with two shifts at once.
static void step(Work *w, int low, int high, bool exceptional)
{
    assert(w->low <= low && low + 2 <= high && high <= w->high);
    const Shifts shifts = choose_shifts(w, high, exceptional);
    double v[3];
    const int begin = find_beginning(w, &shifts, low, high, v);
    for (int k = begin; k < high; k++) {
        Reflector r = {.v = v, .at = k, .k = k + 2 <= high ? 3 : 2};
        double norm = 0.0;
        if (k > begin) {
            memcpy(v, entry(w, k, k - 1), (size_t)r.k * sizeof(double));
        }
        r.tau = make_reflector(r.k, v, &norm);
        if (k > begin) {
            memset(entry(w, k, k - 1), 0, (size_t)r.k * sizeof(double));
            *entry(w, k, k - 1) = norm;
        } else if (k > low) {
            *entry(w, k, k - 1) *= 1.0 - r.tau;
        }
        reflect_rows(w, r, k);
        reflect_columns(w->n, w->T, r, k + 3 < high ? k + 4 : high + 1);
        reflect_columns(w->n, w->Z, r, w->n);
    }
}

// Turn a 2 × 2 block at i with real eigenvalues into a triangle.
static void split(Work *w, int i)
{
    const double c = *entry(w, i + 1, i);
    const double p = 0.5 * (*entry(w, i, i) - *entry(w, i + 1, i + 1));
    const double q = p * p + c * *entry(w, i, i + 1);
    if (q < 0.0) {
        return;
    }
    // (z, c) is an eigenvector; a reflection takes it to the first axis.
    double v[2] = {p + copysign(sqrt(q), p), c};
    double norm = 0.0;
    Reflector r = {.v = v, .at = i, .k = 2};
    r.tau = make_reflector(2, v, &norm);
    reflect_rows(w, r, i);
    reflect_columns(w->n, w->T, r, i + 2);
    reflect_columns(w->n, w->Z, r, w->n);
    *entry(w, i + 1, i) = 0.0;
}

// Deflation: the part of T that is at work ends at `high` and begins at `low`, above
// which the entry below the diagonal is negligible. A part of one or two rows is finished
// and dropped from the end. A part that does not shrink gets an exceptional shift now and
// then, and is given up after STEPS_PER_VALUE steps.
static bool iterate(Work *w, double norm)
{
    int high = w->high;
    int steps = 0;
    while (high > w->low) {
        const int low = find_part(w, high, norm);
        assert(w->low <= low && low <= high);
        if (low >= high - 1) {
            if (low == high - 1) {
                split(w, low);
            }
            high = low - 1;
            steps = 0;
        } else if (steps == STEPS_PER_VALUE) {
            return false;
        } else {
            steps++;
            step(w, low, high, steps % EXCEPTIONAL == 0);
        }
    }
    return true;
}

static double complex *at(double complex *X, int n, int i, int j)
{
    return X + (size_t)n * (size_t)j + i;
}

// Columns i and i + 1 of X times [x −ȳ; y x̄].
static void turn_columns(int n, double complex *X, int i, double complex x,
                         double complex y)
{
    for (int k = 0; k < n; k++) {
        const double complex a = *at(X, n, k, i);
        const double complex b = *at(X, n, k, i + 1);
        *at(X, n, k, i) = a * x + b * y;
        *at(X, n, k, i + 1) = b * conj(x) - a * conj(y);
    }
}

static void turn_rows(int n, double complex *X, int i, double complex x,
                      double complex y)
{
    for (int k = 0; k < n; k++) {
        const double complex a = *at(X, n, i, k);
        const double complex b = *at(X, n, i + 1, k);
        *at(X, n, i, k) = a * conj(x) + b * conj(y);
        *at(X, n, i + 1, k) = b * x - a * y;
    }
}

// The complex Schur form: blocks with complex eigenvalues become triangles too.
static void complete(Work *w, double complex *values)
{
    const int n = w->n;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) {
        w->S[k] = w->T[k];
        w->U[k] = w->Z[k];
    }
    for (int i = 0; i < n; i++) {
        values[i] = *entry(w, i, i);
        if (i + 1 == n || *entry(w, i + 1, i) == 0.0) {
            continue;
        }
        const double d = *entry(w, i + 1, i + 1);
        const double c = *entry(w, i + 1, i);
        const double p = 0.5 * (*entry(w, i, i) - d);
        const double root = sqrt(-(p * p + c * *entry(w, i, i + 1)));
        const double complex x = p + root * I;
        const double size = hypot(cabs(x), c);
        turn_columns(n, w->U, i, x / size, c / size);
        turn_columns(n, w->S, i, x / size, c / size);
        turn_rows(n, w->S, i, x / size, c / size);
        values[i] = (d + p) + root * I;
        values[i + 1] = (d + p) - root * I;
        *at(w->S, n, i, i) = values[i];
        *at(w->S, n, i + 1, i + 1) = values[i + 1];
        *at(w->S, n, i + 1, i) = 0.0;
        i++;
    }
}

static double length(int n, const double complex *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    }
    return sqrt(sum);
}

// x ← x with entry i divided by what is left on the diagonal, or by rounding where that
// is less; long vectors are shortened, so that chains of equal values do not overflow.
static void quotient(Work *w, int i, double complex difference, double least)
{
    const double limit = 1e100;
    w->x[i] /= cabs(difference) < least ? least : difference;
    const double size = cabs(w->x[i]);
    for (int k = 0; size > limit && k < w->n; k++) {
        w->x[k] /= size;
    }
}

// Right eigenvector k of the Schur form.
static void substitute_right(Work *w, int k, double least)
{
    const int n = w->n;
    memset(w->x, 0, (size_t)n * sizeof *w->x);
    w->x[k] = 1.0;
    for (int i = k - 1; i >= 0; i--) {
        double complex sum = 0.0;
        for (int j = i + 1; j <= k; j++) {
            sum -= *at(w->S, n, i, j) * w->x[j];
        }
        w->x[i] = sum;
        quotient(w, i, *at(w->S, n, i, i) - *at(w->S, n, k, k), least);
    }
}

// Its left eigenvector, conjugated.
static void substitute_left(Work *w, int k, double least)
{
    const int n = w->n;
    memset(w->x, 0, (size_t)n * sizeof *w->x);
    w->x[k] = 1.0;
    for (int j = k + 1; j < n; j++) {
        double complex sum = 0.0;
        for (int i = k; i < j; i++) {
            sum -= w->x[i] * *at(w->S, n, i, j);
        }
        w->x[j] = sum;
        quotient(w, j, *at(w->S, n, j, j) - *at(w->S, n, k, k), least);
    }
}

// In the basis of the matrix as it was given, with largest entry 1.
static void write_vector(const Work *w, double complex *vector)
{
    const int n = w->n;
    double complex largest = 1.0;
    double size = 0.0;
    for (int i = 0; i < n; i++) {
        double complex sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += *at(w->U, n, i, j) * w->x[j];
        }
        sum *= w->scale[i];
        vector[w->place[i]] = sum;
        // One of several equal entries is as good as another: take the first.
        if (cabs(sum) > size * (1.0 + 1e-9)) {
            size = cabs(sum);
            largest = sum;
        }
    }
    for (int i = 0; i < n; i++) {
        vector[i] /= largest;
    }
}

static void find_vectors(Work *w, KalSpectrum *spectrum)
{
    const int n = w->n;
    const double least = fmax(DBL_EPSILON * spectrum->norm, DBL_MIN);
    for (int k = 0; k < n; k++) {
        double complex *vector = spectrum->vectors + (size_t)k * (size_t)n;
        substitute_left(w, k, least);
        const double left = cabs(w->x[k]) / length(n, w->x);
        substitute_right(w, k, least);
        spectrum->conditions[k] = left * cabs(w->x[k]) / length(n, w->x);
        write_vector(w, vector);
        // The conjugate of a pair, exactly.
        if (cimag(spectrum->values[k]) < 0.0) {
            assert(k > 0 && cimag(spectrum->values[k - 1]) > 0.0);
            for (int i = 0; i < n; i++) {
                vector[i] = conj(vector[i - n]);
            }
            spectrum->conditions[k] = spectrum->conditions[k - 1];
        }
    }
}

// The four steps of the head of this file, in order.
bool kal_eigen_general(int n, double *A, void *work, KalSpectrum *spectrum)
{
    assert(n >= 0);
    Work w = divide(n, work);
    w.T = A;
    for (int i = 0; i < n; i++) {
        w.place[i] = i;
        w.scale[i] = 1.0;
    }
    isolate(&w);
    balance(&w);
    spectrum->norm = size_of(&w);
    reduce_to_hessenberg(&w);
    if (!iterate(&w, spectrum->norm)) {
        return false;
    }
    complete(&w, spectrum->values);
    find_vectors(&w, spectrum);
    return true;
}

// SPDX-License-Identifier: MIT

// Complementary pivoting by Lemke's method, theory (21.4) (C. E. Lemke, Management
// Science 11, 1965; Cottle, Pang and Stone, The Linear Complementarity Problem, 1992).
//
// With one more unknown, w = M z + q + z₀ e, the point z = 0 is feasible for a large z₀.
// From there a path of almost complementary bases is followed, in each of which exactly one
// pair (wᵢ, zᵢ) is out of the basis: what has left comes back as its complement.  The path
// ends where z₀ leaves, in a solution, or in a ray.  Rows that tie in the ratio test are told
// apart by the rows of the inverse of the basis, which are lexicographically positive and
// stay so; hence no basis comes twice, and there are finitely many of them.
//
// Rounding may spoil a path where rows all but repeat each other, and without a definite M a path
// may end in a ray though there are solutions.  So what a path comes to is put into the problem,
// and if it is none, z₀ is tried with other weights in place of e, which lead along other paths.
//
// Invariants: the tableau is [B⁻¹ | −B⁻¹M | −B⁻¹e | B⁻¹q] for the basis B; exactly one
// variable of each pair is basic but for the one pair that z₀ stands for.

#include "contact/lcp.h"

#include "base/workspace.h"
#include "linalg/lu.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    PIVOTS = 1000,      // of a search, and
    PIVOTS_OF_ONE = 50, // more for each unknown
    PATHS = 6           // of a problem, at most
};

// Entries of a column up to this size are no pivots; ratios that differ by less tie.
static const double SMALL = 1e-10;
// A solution that is computed anew differs from that of the tableau by rounding.
static const double SAME = 1e-6;
// And what it leaves of the problem, relative to its terms, is rounding.
static const double LEFT = 1e-9;

struct KalLcp {
    KalContext *ctx;
    KalWorkspace workspace;
    int capacity;
    double *tableau; // n × (2 n + 2)
    int *basis;      // n: the variable of each row: w below n, then z, then z₀
    double *matrix;  // n × n, as all that follows for the systems of a basis
    double *values;  // n
    double *work;    // n
    double *weights; // n: of z₀
    int *perm;       // n
    int *members;    // n
    double *z;       // n
    bool *basic;     // n
};

static void lay_out(KalCarver *carver, void *owner)
{
    KalLcp *lcp = owner;
    const size_t n = (size_t)lcp->capacity;
    lcp->tableau = kal_carve_doubles(carver, n, 2 * n + 2);
    lcp->basis = kal_carve_ints(carver, n);
    lcp->matrix = kal_carve_doubles(carver, n, n);
    lcp->values = kal_carve_doubles(carver, n, 1);
    lcp->work = kal_carve_doubles(carver, n, 1);
    lcp->weights = kal_carve_doubles(carver, n, 1);
    lcp->perm = kal_carve_ints(carver, n);
    lcp->members = kal_carve_ints(carver, n);
    lcp->z = kal_carve_doubles(carver, n, 1);
    lcp->basic = kal_carve_bools(carver, n);
}

KalStatus kal_lcp_create(KalContext *ctx, int n, KalLcp **out_lcp)
{
    assert(ctx && n >= 0 && out_lcp);
    KalLcp *lcp = KAL_NEW(ctx, KalLcp);
    if (!lcp) {
        return kal_no_memory(ctx, "for contacts");
    }
    lcp->ctx = ctx;
    lcp->capacity = n;
    const KalStatus status =
        kal_workspace_make(ctx, "for contacts", lay_out, lcp, &lcp->workspace);
    if (status != KAL_OK) {
        kal_lcp_destroy(lcp);
        return status;
    }
    *out_lcp = lcp;
    return KAL_OK;
}

void kal_lcp_destroy(KalLcp *lcp)
{
    if (!lcp) {
        return;
    }
    kal_workspace_clear(lcp->ctx, &lcp->workspace);
    kal_free(lcp->ctx, lcp, sizeof *lcp);
}

// The tableau of the basis of all w.
static void fill_tableau(KalLcp *lcp, int n, const double *M, const double *q)
{
    assert(0 < n && n <= lcp->capacity);
    const int width = 2 * n + 2;
    memset(lcp->tableau, 0, (size_t)n * (size_t)width * sizeof(double));
    for (int i = 0; i < n; i++) {
        double *row = lcp->tableau + (size_t)i * (size_t)width;
        row[i] = 1.0;
        for (int j = 0; j < n; j++) {
            row[n + j] = -M[(size_t)i * (size_t)n + (size_t)j];
        }
        row[width - 2] = -lcp->weights[i];
        row[width - 1] = q[i];
        lcp->basis[i] = i;
    }
}

// Let the variable of a column be basic in a row.
static void pivot(KalLcp *lcp, int n, int row, int column)
{
    assert(0 <= row && row < n && 0 <= column && column <= 2 * n);
    const size_t width = 2 * (size_t)n + 2;
    double *restrict from = lcp->tableau + (size_t)row * width;
    const double factor = 1.0 / from[column];
    assert(isfinite(factor));
    for (size_t k = 0; k < width; k++) {
        from[k] *= factor;
    }
    from[column] = 1.0;
    for (int i = 0; i < n; i++) {
        double *restrict to = lcp->tableau + (size_t)i * width;
        const double entry = to[column];
        if (i == row || entry == 0.0) {
            continue;
        }
        for (size_t k = 0; k < width; k++) {
            to[k] -= entry * from[k];
        }
        to[column] = 0.0;
    }
    lcp->basis[row] = column;
}

// Whether row i comes before row r: the value, then the rows of B⁻¹, over the entries of
// the column that enters, are smaller lexicographically.
static bool is_before(const KalLcp *lcp, int n, int i, int r, int column)
{
    assert(i != r && 0 <= column && column <= 2 * n);
    const size_t width = 2 * (size_t)n + 2;
    const double *a = lcp->tableau + (size_t)i * width;
    const double *b = lcp->tableau + (size_t)r * width;
    double difference = a[width - 1] / a[column] - b[width - 1] / b[column];
    for (int k = 0; fabs(difference) <= SMALL && k < n; k++) {
        difference = a[k] / a[column] - b[k] / b[column];
    }
    return difference < 0.0;
}

// The row whose variable leaves when that of a column enters; −1 when none does.  z₀ goes
// first of those that tie by their values: then a solution is reached.
static int find_leaving(const KalLcp *lcp, int n, int column)
{
    assert(0 <= column && column < 2 * n);
    const size_t width = 2 * (size_t)n + 2;
    int best = -1;
    int artificial = -1;
    for (int i = 0; i < n; i++) {
        if (lcp->tableau[(size_t)i * width + (size_t)column] <= SMALL) {
            continue;
        }
        best = best < 0 || is_before(lcp, n, i, best, column) ? i : best;
        artificial = lcp->basis[i] == 2 * n ? i : artificial;
    }
    if (artificial < 0) {
        return best;
    }
    const double *a = lcp->tableau + (size_t)artificial * width;
    const double *b = lcp->tableau + (size_t)best * width;
    return a[width - 1] / a[column] <= b[width - 1] / b[column] + SMALL ? artificial
                                                                        : best;
}

// The row of the least q by its weight, the last of those: there z₀ enters.
static int find_first(const double *q, const double *weights, int n)
{
    int first = 0;
    for (int i = 1; i < n; i++) {
        first = q[i] * weights[first] <= q[first] * weights[i] ? i : first;
    }
    return first;
}

// Weights of z₀ on a path: 1 on the first, on others between 1 and 2, by the golden ratio.
static void set_weights(KalLcp *lcp, int n, int path)
{
    const double golden = 0.6180339887498949;
    for (int i = 0; i < n; i++) {
        const double turn = golden * (double)(i + 1) * (double)path;
        lcp->weights[i] = 1.0 + turn - floor(turn);
    }
}

// z of the members of a basis from their own system M z = −q; false if it is singular.
static bool solve_basis(KalLcp *lcp, int n, const double *M, const double *q)
{
    assert(0 <= n && n <= lcp->capacity);
    int count = 0;
    memset(lcp->z, 0, (size_t)n * sizeof *lcp->z);
    for (int i = 0; i < n; i++) {
        if (lcp->basic[i]) {
            lcp->members[count++] = i;
        }
    }
    for (int i = 0; i < count; i++) {
        const int row = lcp->members[i];
        lcp->values[i] = -q[row];
        for (int j = 0; j < count; j++) {
            lcp->matrix[i * count + j] = M[row * n + lcp->members[j]];
        }
    }
    if (!kal_lu_factor(count, lcp->matrix, lcp->perm)) {
        return false;
    }
    kal_lu_solve(count, lcp->matrix, lcp->perm, lcp->work, lcp->values);
    for (int i = 0; i < count; i++) {
        lcp->z[lcp->members[i]] = lcp->values[i];
    }
    return true;
}

// The solution that the tableau has, computed anew from its basis if that is regular.
static void take_solution(KalLcp *lcp, int n, const double *M, const double *q,
                          double *out_z, bool *out_basic)
{
    assert(0 < n && n <= lcp->capacity);
    const size_t width = 2 * (size_t)n + 2;
    memset(lcp->basic, 0, (size_t)n * sizeof *lcp->basic);
    memset(out_z, 0, (size_t)n * sizeof *out_z);
    for (int i = 0; i < n; i++) {
        const int variable = lcp->basis[i];
        if (variable >= n && variable < 2 * n) {
            lcp->basic[variable - n] = true;
            out_z[variable - n] = lcp->tableau[(size_t)i * width + width - 1];
        }
    }
    bool same = solve_basis(lcp, n, M, q);
    for (int i = 0; i < n; i++) {
        same = same && fabs(lcp->z[i] - out_z[i]) <= SAME * (1.0 + fabs(out_z[i]));
    }
    if (same) {
        memcpy(out_z, lcp->z, (size_t)n * sizeof *out_z);
    }
    memcpy(out_basic, lcp->basic, (size_t)n * sizeof *out_basic);
}

// Whether z and w = M z + q are ≥ 0, up to some part of their terms, and where z is basic w is 0
// if that is asked for.
static bool is_solution(int n, const double *M, const double *q, const double *z,
                        const bool *zero, double slack)
{
    for (int i = 0; i < n; i++) {
        double w = q[i];
        double size = 1.0 + fabs(q[i]);
        for (int j = 0; j < n; j++) {
            w += M[i * n + j] * z[j];
            size += fabs(M[i * n + j] * z[j]);
        }
        if (z[i] < -slack || w < -slack * size
            || (zero && zero[i] && w > slack * size)) {
            return false;
        }
    }
    return true;
}

// Lemke's path: an artificial variable makes the start feasible; each step exchanges the
// variable whose partner has just left. It ends when the artificial variable leaves, or
// on a ray.
static KalLcpEnd follow_path(KalLcp *lcp, int n, const double *M, const double *q,
                             double *out_z, bool *out_basic)
{
    int row = find_first(q, lcp->weights, n);
    fill_tableau(lcp, n, M, q);
    int entering = 2 * n;
    for (int k = 0; k < PIVOTS + PIVOTS_OF_ONE * n; k++) {
        const int leaving = lcp->basis[row];
        pivot(lcp, n, row, entering);
        if (leaving == 2 * n) {
            take_solution(lcp, n, M, q, out_z, out_basic);
            return is_solution(n, M, q, out_z, out_basic, LEFT) ? KAL_LCP_SOLVED
                                                                : KAL_LCP_LONG;
        }
        entering = leaving < n ? leaving + n : leaving - n;
        row = find_leaving(lcp, n, entering);
        if (row < 0) {
            return KAL_LCP_RAY;
        }
    }
    return KAL_LCP_LONG;
}

KalLcpEnd kal_lcp_solve(KalLcp *lcp, int n, const double *M, const double *q,
                        double *out_z, bool *out_basic)
{
    assert(n <= lcp->capacity);
    KalLcpEnd end = KAL_LCP_SOLVED;
    memset(out_z, 0, (size_t)n * sizeof *out_z);
    memset(out_basic, 0, (size_t)n * sizeof *out_basic);
    if (is_solution(n, M, q, out_z, NULL, 0.0)) {
        return KAL_LCP_SOLVED;
    }
    for (int path = 0; path < PATHS; path++) {
        set_weights(lcp, n, path);
        end = follow_path(lcp, n, M, q, out_z, out_basic);
        if (end == KAL_LCP_SOLVED) {
            return end;
        }
    }
    return end;
}

bool kal_lcp_try(KalLcp *lcp, int n, const double *M, const double *q,
                 const bool *basic, double *out_z)
{
    assert(n <= lcp->capacity);
    memcpy(lcp->basic, basic, (size_t)n * sizeof *basic);
    if (!solve_basis(lcp, n, M, q) || !is_solution(n, M, q, lcp->z, NULL, SMALL)) {
        return false;
    }
    memcpy(out_z, lcp->z, (size_t)n * sizeof *out_z);
    return true;
}

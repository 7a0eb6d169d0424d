// SPDX-License-Identifier: MIT

// Factors node by node, and solutions with them.
//
// A node is a set of columns that have entries in the same rows below them, which stand next
// to each other in the order (a supernode).  Its columns are eliminated one after the other;
// then all of them together change what is below and to the right of the node, each entry
// once.  Where these entries are was found by the analysis, so that this is a list of sums
// without a search.  The shapes that chains and trees of bodies have are known to the compiler,
// so that their loops are none; wide nodes, of nets, are loops over whole columns.  (E. G. Ng
// and B. W. Peyton, Block sparse Cholesky algorithms on advanced uniprocessor computers, SIAM
// J. Sci. Comput. 14 (1993).)

#include "base/four.h"
#include "sparse/ldl_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Rounding of a few operations, relative to what takes part in them.
static const double ROUNDING = 64.0 * DBL_EPSILON;

// Pivots above this, relative to what they came from, are no rounding: rows of which a
// combination could make it so much would fill the equations with theirs.
static const double CLEAR = 0x1p-10;
// A growth that no product with zero makes a NaN of.
static const double NO_END = 1e300;

enum {
    SMALL_WIDTH = KAL_SMALL_WIDTH, // of nodes whose shape the compiler knows
    SMALL_BELOW = KAL_SMALL_BELOW,
    SMALL_LENGTH = SMALL_WIDTH + SMALL_BELOW
};

#define WITH_BELOW(width, call)                  \
    case 8 * (width): call(width, 0); break;     \
    case 8 * (width) + 1: call(width, 1); break; \
    case 8 * (width) + 2: call(width, 2); break; \
    case 8 * (width) + 3: call(width, 3); break; \
    case 8 * (width) + 4: call(width, 4); break; \
    case 8 * (width) + 5: call(width, 5); break; \
    case 8 * (width) + 6: call(width, 6); break;

// `call` with the width of a node and the rows below it as numbers that the compiler knows, or
// `other`.
#define WITH_SHAPE(node, call, other)                                  \
    switch ((node).width <= SMALL_WIDTH && (node).below <= SMALL_BELOW \
                ? 8 * (node).width + (node).below                      \
                : 0) {                                                 \
        WITH_BELOW(1, call)                                            \
        WITH_BELOW(2, call)                                            \
        WITH_BELOW(3, call)                                            \
        WITH_BELOW(4, call)                                            \
    default: (other); break;                                           \
    }

// A node at work.
typedef struct Node {
    int first; // of its columns
    int width; // columns
    int below; // rows below all of them
    int begin; // where the entries of its first column are
} Node;

KAL_INLINE Node node_at(const KalLdl *ldl, int s)
{
    const int first = ldl->node[s];
    const int end = ldl->node[s + 1];
    return (Node){first, end - first, ldl->start[end] - ldl->start[end - 1],
                  ldl->start[first]};
}

// Where the entries of a column of a node begin, from those of its first: each column is one
// shorter than the one before.
KAL_INLINE int offset_of(int width, int below, int column)
{
    return column * (width - 1 + below) - column * (column - 1) / 2;
}

void kal_ldl_begin(KalLdl *ldl)
{
    assert(ldl->ctx);
    const size_t count = (size_t)ldl->start[ldl->n] + (size_t)ldl->n;
    memset(ldl->value, 0, count * sizeof *ldl->value);
}

// Entries that were given more than once share a slot, in which their values add up.
static void set_values(KalLdl *ldl, const double *values)
{
    const int *restrict slot = ldl->slot;
    double *restrict value = ldl->value;
    kal_ldl_begin(ldl);
    for (size_t e = 0; e < ldl->n_entries; e++) {
        value[slot[e]] += values[e];
    }
}

// Rounding of a tie grows in the rows that it is in.  That is asked for where a pivot is small,
// which is rare: so it is followed up to that place when it is.
static void follow_doubt(KalLdl *ldl, int k)
{
    for (int j = ldl->n_followed; j < k; j++) {
        const double reach = ldl->reach[j] < NO_END ? ldl->reach[j] : NO_END;
        for (int p = ldl->start[j]; p < ldl->start[j + 1]; p++) {
            ldl->reach[ldl->row[p]] += ldl->value[p] * ldl->value[p] * reach;
        }
    }
    ldl->n_followed = k > ldl->n_followed ? k : ldl->n_followed;
}

// Whether the pivot of a tie, of which so much is left, is more than what rounding can have
// made of it.  The growth from row to row, `reach` so far, is found at little cost but counts
// terms that cancel; where it says no, the combination itself tells, and what that gives is
// known to the rows below.
static bool is_sound(KalLdl *ldl, int k, double left)
{
    if (ldl->n_followed == ldl->masses) {
        memcpy(ldl->reach + ldl->masses, ldl->from + ldl->masses,
               (size_t)(ldl->n - ldl->masses) * sizeof *ldl->reach);
    }
    follow_doubt(ldl, k);
    if (left > ROUNDING * ldl->reach[k]) {
        return true;
    }
    const double doubt = ldl->from[k] + kal_ldl_doubt(ldl, ldl->order[k]);
    ldl->reach[k] = fmin(ldl->reach[k], doubt);
    return left > ROUNDING * ldl->reach[k];
}

// A pivot counts if it has the sign of its kind, is not small relative to what it came
// from and, for a tie, is not the rounding of the ties before it.  With the inverse 0
// for pivots that do not count, an unknown that is left out changes no row below.
static bool counts(KalLdl *ldl, int k, double pivot, double least)
{
    const double left = k < ldl->masses ? pivot : -pivot;
    const double from = ldl->from[k];
    if (!(from > 0.0 && left > fabs(least) * from)) {
        return false;
    }
    return k < ldl->masses || left > CLEAR * from || least < 0.0
           || is_sound(ldl, k, left);
}

// The inverse of the pivot at place k, 0 if it does not count.
KAL_INLINE double invert(KalLdl *ldl, int k, double pivot, const double *least)
{
    const double low = least[ldl->order[k]];
    const bool clear = -pivot > CLEAR * ldl->from[k] && low <= CLEAR && k >= ldl->masses
                       && ldl->from[k] > 0.0;
    const double inverse = clear || counts(ldl, k, pivot, low) ? 1.0 / pivot : 0.0;
    ldl->inverse[k] = inverse;
    return inverse;
}

// Eliminate a node of a shape that the compiler knows; returns how many of its unknowns are left
// out.  The columns as they were are `whole`, divided by the pivot they are `part`.
KAL_INLINE int eliminate_small(KalLdl *ldl, Node node, const double *least,
                               const int *target, int width, int below)
{
    double *all = ldl->value;
    double *diagonal = all + ldl->start[ldl->n] + node.first;
    double whole[SMALL_WIDTH][SMALL_LENGTH];
    double part[SMALL_WIDTH][SMALL_LENGTH];
    double pivot[SMALL_WIDTH];
    int left_out = 0;
    for (int c = 0; c < width; c++) {
        pivot[c] = diagonal[c];
        for (int p = 0; p < width - 1 - c + below; p++) {
            whole[c][p] = all[node.begin + offset_of(width, below, c) + p];
        }
    }
    for (int c = 0; c < width; c++) {
        const double inverse = invert(ldl, node.first + c, pivot[c], least);
        left_out += inverse == 0.0;
        diagonal[c] = pivot[c];
        for (int p = 0; p < width - 1 - c + below; p++) {
            part[c][p] = whole[c][p] * inverse;
            all[node.begin + offset_of(width, below, c) + p] = part[c][p];
        }
        for (int d = c + 1; d < width; d++) {
            const double factor = whole[c][d - c - 1];
            pivot[d] -= part[c][d - c - 1] * factor;
            for (int p = 0; p < width - 1 - d + below; p++) {
                whole[d][p] -= part[c][d - c + p] * factor;
            }
        }
    }
    for (int j = 0, t = 0; j < below; j++) {
        for (int i = j; i < below; i++, t++) {
            double sum = 0.0;
            for (int c = 0; c < width; c++) {
                sum += part[c][width - 1 - c + i] * whole[c][width - 1 - c + j];
            }
            all[target[t]] -= sum;
        }
    }
    return left_out;
}

// y −= x × factor.
static inline void take_away(double *restrict y, const double *restrict x,
                             double factor, int length)
{
    for (int i = 0; i < length; i++) {
        y[i] -= x[i] * factor;
    }
}

// The same within a node of any shape.
static int eliminate_columns(KalLdl *ldl, Node node, const double *least)
{
    double *all = ldl->value;
    double *diagonal = all + ldl->start[ldl->n] + node.first;
    int left_out = 0;
    for (int c = 0; c < node.width; c++) {
        const int length = node.width - 1 - c + node.below;
        double *column = all + ldl->start[node.first + c];
        const double inverse = invert(ldl, node.first + c, diagonal[c], least);
        left_out += inverse == 0.0;
        for (int p = 0; p < length; p++) {
            column[p] *= inverse;
        }
        for (int d = c + 1; d < node.width && inverse != 0.0; d++) {
            const double factor = column[d - c - 1] * diagonal[c];
            diagonal[d] -= column[d - c - 1] * factor;
            take_away(all + ldl->start[node.first + d], column + (d - c), factor,
                      length - (d - c));
        }
    }
    return left_out;
}

// Entry j, of the rows below a node, in its column c, and what its pivot makes of it.
typedef struct Piece {
    const double *at;
    double whole;
} Piece;

KAL_INLINE Piece piece_of(const KalLdl *ldl, Node node, int c, int j)
{
    const int k = node.first + c;
    const double *at = ldl->value + ldl->start[k] + (node.width - 1 - c + j);
    const double pivot = ldl->value[ldl->start[ldl->n] + k];
    return (Piece){at, ldl->inverse[k] != 0.0 ? *at * pivot : 0.0};
}

// What a node takes from the entries of rows j, j + 1 … in the column of row j.
static void sum_products(const KalLdl *ldl, Node node, int j, double *restrict sums)
{
    const int length = node.below - j;
    int c = 0;
    memset(sums, 0, (size_t)length * sizeof *sums);
    for (; c + 4 <= node.width; c += 4) {
        const Piece p = piece_of(ldl, node, c, j);
        const Piece q = piece_of(ldl, node, c + 1, j);
        const Piece r = piece_of(ldl, node, c + 2, j);
        const Piece s = piece_of(ldl, node, c + 3, j);
        for (int i = 0; i < length; i++) {
            sums[i] += (p.at[i] * p.whole + q.at[i] * q.whole)
                       + (r.at[i] * r.whole + s.at[i] * s.whole);
        }
    }
    for (; c < node.width; c++) {
        const Piece p = piece_of(ldl, node, c, j);
        for (int i = 0; i < length; i++) {
            sums[i] += p.at[i] * p.whole;
        }
    }
}

// Change what is below a node of any shape with few rows below.
static void change_few(KalLdl *ldl, Node node, const int *restrict target)
{
    for (int j = 0; j < node.below; j++) {
        sum_products(ldl, node, j, ldl->sums);
        for (int i = 0; i < node.below - j; i++) {
            ldl->value[*target++] -= ldl->sums[i];
        }
    }
}

// With many rows below: those that are columns of one node find the others in its rows, at
// places relative to it.  Returns where those of the next node are.
static const int *change_many(KalLdl *ldl, Node node, const int *relative)
{
    const int *rows = ldl->row + ldl->start[node.first + node.width - 1];
    for (int j = 0, group = 0; j < node.below; j++) {
        const int k = rows[j];
        const int other = ldl->node_of[k];
        if (other != ldl->node_of[rows[group]]) {
            relative += node.below - group;
            group = j;
        }
        double *column = ldl->value + ldl->start[k] - (k - ldl->node[other])
                         - 1; // of row 0 of the node
        sum_products(ldl, node, j, ldl->sums);
        ldl->value[ldl->start[ldl->n] + k] -= ldl->sums[0];
        for (int i = j + 1; i < node.below; i++) {
            column[relative[i - group]] -= ldl->sums[i - j];
        }
        relative += j + 1 == node.below ? node.below - group : 0;
    }
    return relative;
}

// Places to change, of the nodes to come.
typedef struct Places {
    const int *target;
    const int *relative;
} Places;

// For each node: its columns, by code for its shape where there is such, then the change
// of what stands below and to the right of it. Small nodes do both in one function.
static int eliminate_nodes(KalLdl *ldl, const double *least, int begin, int end,
                           Places *places)
{
    int left_out = 0;
    for (int s = begin; s < end; s++) {
        const Node node = node_at(ldl, s);
#define SMALL(width, below) \
    left_out += eliminate_small(ldl, node, least, places->target, width, below)
        WITH_SHAPE(node, SMALL, left_out += eliminate_columns(ldl, node, least));
#undef SMALL
        const bool few = node.below <= KAL_FEW_BELOW;
        if (few && (node.width > SMALL_WIDTH || node.below > SMALL_BELOW)) {
            change_few(ldl, node, places->target);
        } else if (!few) {
            places->relative = change_many(ldl, node, places->relative);
        }
        places->target += few ? node.below * (node.below + 1) / 2 : 0;
    }
    return left_out;
}

// Masses come from the diagonal, ties from all that masses have given them.
static void begin_stage(KalLdl *ldl, int begin, int end, double sign)
{
    const double *restrict diagonal = ldl->value + ldl->start[ldl->n];
    double *restrict from = ldl->from;
    for (int k = begin; k < end; k++) {
        from[k] = sign * diagonal[k];
    }
}

int kal_ldl_eliminate(KalLdl *ldl, const double *least)
{
    assert(ldl->ctx && ldl->n >= ldl->masses);
    Places places = {ldl->target, ldl->relative};
    ldl->n_followed = ldl->masses;
    begin_stage(ldl, 0, ldl->masses, 1.0);
    const int masses = eliminate_nodes(ldl, least, 0, ldl->mass_nodes, &places);
    begin_stage(ldl, ldl->masses, ldl->n, -1.0);
    return masses + eliminate_nodes(ldl, least, ldl->mass_nodes, ldl->n_nodes, &places);
}

int kal_ldl_factor(KalLdl *ldl, const double *values, const double *least)
{
    assert(values || ldl->n_entries == 0);
    set_values(ldl, values);
    return kal_ldl_eliminate(ldl, least);
}

// L y = y for the columns of a node, then D, of a shape that the compiler may know.
KAL_INLINE void go_down(const KalLdl *ldl, Node node, double *restrict y, int width,
                        int below)
{
    const int *restrict rows =
        ldl->row + node.begin + offset_of(width, below, width - 1);
    const double *restrict inverse = ldl->inverse + node.first;
    const double *restrict column = ldl->value + node.begin;
    double *restrict here = y + node.first;
    for (int c = 0; c < width; c++) {
        const double yc = inverse[c] != 0.0 ? here[c] : 0.0;
        for (int d = c + 1; d < width; d++) {
            here[d] -= column[d - c - 1] * yc;
        }
        for (int i = 0; i < below; i++) {
            y[rows[i]] -= column[width - 1 - c + i] * yc;
        }
        here[c] = yc * inverse[c];
        column += width - 1 - c + below;
    }
}

// Lᵀ y = y for the columns of a node, from the last to the first.
KAL_INLINE void come_up(const KalLdl *ldl, Node node, double *restrict y, int width,
                        int below)
{
    const int *restrict rows =
        ldl->row + node.begin + offset_of(width, below, width - 1);
    const double *restrict inverse = ldl->inverse + node.first;
    double *restrict here = y + node.first;
    for (int c = width - 1; c >= 0; c--) {
        const double *restrict column =
            ldl->value + node.begin + offset_of(width, below, c);
        double sum = here[c];
        for (int i = below - 1; i >= 0; i--) {
            sum -= column[width - 1 - c + i] * y[rows[i]];
        }
        for (int d = width - 1; d > c; d--) {
            sum -= column[d - c - 1] * here[d];
        }
        here[c] = inverse[c] != 0.0 ? sum : 0.0;
    }
}

// Unknowns that are left out have columns of zeros, and are zero in the end.
void kal_ldl_solve_in_order(KalLdl *ldl, double *y)
{
    assert(ldl->ctx && y);
    for (int s = 0; s < ldl->n_nodes; s++) {
        const Node node = node_at(ldl, s);
#define DOWN(width, below) go_down(ldl, node, y, width, below)
        WITH_SHAPE(node, DOWN, DOWN(node.width, node.below));
#undef DOWN
    }
    for (int s = ldl->n_nodes - 1; s >= 0; s--) {
        const Node node = node_at(ldl, s);
#define UP(width, below) come_up(ldl, node, y, width, below)
        WITH_SHAPE(node, UP, UP(node.width, node.below));
#undef UP
    }
}

void kal_ldl_solve(KalLdl *ldl, double *x)
{
    assert(ldl->ctx && x);
    assert(x != ldl->solution);
    double *restrict y = ldl->solution;
    for (int k = 0; k < ldl->n; k++) {
        y[k] = x[ldl->order[k]];
    }
    kal_ldl_solve_in_order(ldl, y);
    for (int k = 0; k < ldl->n; k++) {
        x[ldl->order[k]] = y[k];
    }
}

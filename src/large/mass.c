// SPDX-License-Identifier: MIT

// The rank of M, where M is singular.
//
// The pivots of its factors cannot tell: they are taken in the order that leaves most zeros, and
// a pivot that should vanish is rounding of the ones before it, which grows as these are small.
// But bodies hang together by constraints, and M is made of small blocks, those of single bodies
// as a rule: each is eliminated on its own, the largest pivot first, beside the mass that its
// coordinate has (theory (3.9)).  Blocks that are too large for that are counted by the pivots of
// the factors.

#include "base/workspace.h"
#include "large/large_impl.h"

#include <assert.h>
#include <string.h>

enum {
    SIDE = 64 // coordinates of a block at most
};

// A pivot below this part of the mass of its coordinate is rounding.
static const double ROUNDING = 0x1p-44;

typedef struct Blocks {
    const KalLarge *large;
    KalWorkspace workspace;
    int *parent;  // n: coordinates as trees, one for each block
    int *first;   // n + 2: where the members of each block begin; blocks by their roots
    int *member;  // n
    double *a;    // SIDE × SIDE
    double *mass; // SIDE: what each coordinate has; 0 once it is eliminated
} Blocks;

static void lay_out(KalCarver *carver, void *owner)
{
    Blocks *b = owner;
    const size_t n = (size_t)b->large->n;
    b->parent = kal_carve_ints(carver, n);
    b->first = kal_carve_ints(carver, n + 2);
    b->member = kal_carve_ints(carver, n);
    b->a = kal_carve_doubles(carver, SIDE, SIDE);
    b->mass = kal_carve_doubles(carver, SIDE, 1);
}

static int root_of(const Blocks *b, int j)
{
    while (b->parent[j] != j) {
        b->parent[j] = b->parent[b->parent[j]];
        j = b->parent[j];
    }
    return j;
}

// Coordinates that an entry of M couples are of one block.
static void find_blocks(Blocks *b)
{
    const KalRowPattern *M = &b->large->shape.M;
    const int n = b->large->n;
    int *end = b->first + 1;
    for (int i = 0; i < n; i++) {
        b->parent[i] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            b->parent[root_of(b, (int)M->column[k])] = root_of(b, i);
        }
    }
    for (int i = 0; i < n; i++) {
        end[root_of(b, i) + 1]++;
    }
    for (int i = 0; i < n; i++) {
        end[i + 1] += end[i];
    }
    for (int i = 0; i < n; i++) {
        b->member[end[root_of(b, i)]++] = i;
    }
}

// The entries of a block, whose members rise.
static void fill(const Blocks *b, const double *values, const int *member, int count)
{
    const KalRowPattern *M = &b->large->shape.M;
    for (int r = 0; r < count; r++) {
        memset(b->a + (size_t)r * SIDE, 0, (size_t)count * sizeof *b->a);
    }
    for (int r = 0; r < count; r++) {
        int c = 0;
        for (int64_t k = M->start[member[r]]; k < M->start[member[r] + 1]; k++) {
            while (member[c] < M->column[k]) {
                c++;
            }
            assert(c <= r && member[c] == M->column[k]);
            b->a[r * SIDE + c] = values[k];
            b->a[c * SIDE + r] = values[k];
        }
        b->mass[r] = b->a[r * SIDE + r];
    }
}

// The pivot that is largest beside its mass; −1: what is left is rounding.
static int choose(const Blocks *b, int count)
{
    double most = ROUNDING;
    int best = -1;
    for (int r = 0; r < count; r++) {
        const double part = b->mass[r] > 0.0 ? b->a[r * SIDE + r] / b->mass[r] : 0.0;
        if (part > most) {
            most = part;
            best = r;
        }
    }
    return best;
}

static void eliminate(const Blocks *b, int count, int pivot)
{
    const double *row = b->a + (size_t)pivot * SIDE;
    b->mass[pivot] = 0.0;
    for (int r = 0; r < count; r++) {
        const double factor = b->mass[r] > 0.0 ? row[r] / row[pivot] : 0.0;
        for (int c = 0; c < count && factor != 0.0; c++) {
            b->a[r * SIDE + c] -= factor * row[c];
        }
    }
}

static int rank_of_block(const Blocks *b, const double *values, const int *member,
                         int count)
{
    int rank = 0;
    fill(b, values, member, count);
    for (int pivot = choose(b, count); pivot >= 0; pivot = choose(b, count)) {
        eliminate(b, count, pivot);
        rank++;
    }
    assert(rank <= count);
    return rank;
}

// How many coordinates of a large block have pivots in the factors.
static int count_pivots(const Blocks *b, const int *member, int count)
{
    int rank = 0;
    for (int r = 0; r < count; r++) {
        rank += kal_ldl_ratio(&b->large->factors.ldl, member[r]) > ROUNDING;
    }
    return rank;
}

KalStatus kal_large_rank_mass(const KalLarge *large, const KalLargeProblem *problem,
                              int *out_rank)
{
    Blocks b = {.large = large};
    KAL_TRY(
        kal_workspace_make(large->ctx, "for the rank of M", lay_out, &b, &b.workspace));
    find_blocks(&b);
    int rank = 0;
    for (int i = 0; i < large->n; i++) {
        const int *member = b.member + b.first[i];
        const int count = b.first[i + 1] - b.first[i];
        rank += count <= SIDE ? rank_of_block(&b, problem->M, member, count)
                              : count_pivots(&b, member, count);
    }
    kal_workspace_clear(large->ctx, &b.workspace);
    *out_rank = rank;
    return KAL_OK;
}

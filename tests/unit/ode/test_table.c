// SPDX-License-Identifier: MIT

// The numbers of DOP853 against the order conditions: a Runge–Kutta formula has order p
// when for each rooted tree of at most p nodes the sum of its elementary weights is one
// over the density of the tree.

#include "ode/dop853_table.h"
#include "tap.h"

enum {
    S = KAL_DOP853_STAGES,
    MOST = 9 // nodes of a tree
};

// A rooted tree: how deep its nodes are, in preorder.
typedef struct Tree {
    int n;
    int level[MOST];
} Tree;

// The next tree of as many nodes, in decreasing order of level sequences; false after the
// last one.
static bool next_tree(Tree *tree)
{
    int *level = tree->level;
    int p = tree->n - 1;
    while (p > 0 && level[p] == 1) {
        p--;
    }
    if (p <= 0) {
        return false;
    }
    int q = p - 1;
    while (level[q] != level[p] - 1) {
        q--;
    }
    for (int i = p; i < tree->n; i++) {
        level[i] = level[i - (p - q)];
    }
    return true;
}

static Tree tallest_tree(int n)
{
    Tree tree = {.n = n};
    for (int i = 0; i < n; i++) {
        tree.level[i] = i;
    }
    return tree;
}

static int parent_of(const Tree *tree, int node)
{
    int parent = node - 1;
    while (tree->level[parent] >= tree->level[node]) {
        parent--;
    }
    return parent;
}

static double a[S][S];

static void fill_a(void)
{
    memset(a, 0, sizeof a);
    for (int i = 0; i < S; i++) {
        for (int j = 0; j < kal_dop853_rows[i].count; j++) {
            a[i][kal_dop853_rows[i].term[j].stage] = kal_dop853_rows[i].term[j].weight;
        }
    }
    for (int j = 0; j < KAL_DOP853_LAST; j++) {
        a[KAL_DOP853_END][kal_dop853_last[j].stage] = kal_dop853_last[j].b;
    }
}

// The elementary weights of a tree for each stage; answers its density.
static double weigh(const Tree *tree, double weight[S])
{
    double w[MOST][S];
    int size[MOST];
    double density = 1.0;
    for (int node = 0; node < MOST; node++) {
        size[node] = 1;
        for (int i = 0; i < S; i++) {
            w[node][i] = 1.0;
        }
    }
    for (int node = tree->n - 1; node > 0; node--) {
        const int parent = parent_of(tree, node);
        size[parent] += size[node];
        density *= size[node];
        for (int i = 0; i < S; i++) {
            double sum = 0.0;
            for (int j = 0; j < i; j++) {
                sum += a[i][j] * w[node][j];
            }
            w[parent][i] *= sum;
        }
    }
    memcpy(weight, w[0], sizeof w[0]);
    return density * size[0];
}

// The largest |Σ b_i Φ_i − θⁿ/γ| over all trees of n nodes; with θ = 0 the sums are to be
// nothing, as for error estimates.
static double misfit(const double b[S], int n, double theta)
{
    Tree tree = tallest_tree(n);
    double most = 0.0;
    do {
        double weight[S];
        const double density = weigh(&tree, weight);
        double sum = -pow(theta, n) / density;
        for (int i = 0; i < S; i++) {
            sum += b[i] * weight[i];
        }
        most = fmax(most, fabs(sum));
    } while (next_tree(&tree));
    return most;
}

static void trees_are_counted_right(void)
{
    static const int known[MOST + 1] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    for (int n = 1; n <= MOST; n++) {
        Tree tree = tallest_tree(n);
        int count = 1;
        while (next_tree(&tree)) {
            count++;
        }
        ok(count == known[n]);
    }
}

static void nodes_are_sums_of_weights(void)
{
    fill_a();
    for (int i = 0; i < S; i++) {
        double sum = 0.0;
        for (int j = 0; j < i; j++) {
            sum += a[i][j];
        }
        near(sum, kal_dop853_nodes[i], 1e-14);
    }
}

static void step_has_order_8(void)
{
    fill_a();
    const double *b = a[KAL_DOP853_END];
    for (int n = 1; n <= 8; n++) {
        near(misfit(b, n, 1.0), 0.0, 1e-14);
    }
    ok(misfit(b, 9, 1.0) > 1e-7); // and no more
}

static void estimates_have_orders_5_and_3(void)
{
    double error5[S] = {0.0};
    double error3[S] = {0.0};
    fill_a();
    for (int j = 0; j < KAL_DOP853_LAST; j++) {
        error5[kal_dop853_last[j].stage] = kal_dop853_last[j].error5;
        error3[kal_dop853_last[j].stage] = kal_dop853_last[j].error3;
    }
    for (int n = 1; n <= 5; n++) {
        near(misfit(error5, n, 0.0), 0.0, 1e-14);
    }
    for (int n = 1; n <= 3; n++) {
        near(misfit(error3, n, 0.0), 0.0, 1e-14);
    }
    ok(misfit(error5, 6, 0.0) > 1e-5);
    ok(misfit(error3, 4, 0.0) > 1e-4);
}

// The weights with which dense output sums rates at θ, theory (12.9).
static void dense_weights(double theta, double weight[S])
{
    double d[7][S] = {{0.0}};
    for (int i = 0; i < S; i++) {
        d[0][i] = a[KAL_DOP853_END][i];
        d[1][i] = (i == 0) - d[0][i];
        d[2][i] = d[0][i] - (i == KAL_DOP853_END) - d[1][i];
    }
    for (int row = 0; row < KAL_DOP853_DENSE; row++) {
        const KalDop853Row *r = &kal_dop853_dense[row];
        for (int j = 0; j < r->count; j++) {
            d[3 + row][r->term[j].stage] = r->term[j].weight;
        }
    }
    for (int i = 0; i < S; i++) {
        weight[i] = 0.0;
        for (int k = 6; k >= 0; k--) {
            weight[i] = (d[k][i] + weight[i]) * (k % 2 == 0 ? theta : 1.0 - theta);
        }
    }
}

static void dense_output_has_order_7(void)
{
    fill_a();
    for (int part = 1; part <= 10; part++) {
        const double theta = part / 10.0;
        double b[S];
        dense_weights(theta, b);
        for (int n = 1; n <= 7; n++) {
            near(misfit(b, n, theta), 0.0, 2e-14);
        }
        ok(part == 10 || misfit(b, 8, theta) > 1e-9);
    }
}

TAP_RUN(TAP_CASE(trees_are_counted_right), TAP_CASE(nodes_are_sums_of_weights),
        TAP_CASE(step_has_order_8), TAP_CASE(estimates_have_orders_5_and_3),
        TAP_CASE(dense_output_has_order_7))

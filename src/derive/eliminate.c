// SPDX-License-Identifier: MIT

// Sparse L D Lᵀ elimination with formulas for entries (derive/eliminate.h), in the order of
// least degree.  Everything is built once, as nodes of a graph; no number is known here, so no
// pivot can be refused: growth of pivots and residuals become formulas of the answer instead.

#include "derive/eliminate.h"

#include "base/workspace.h"

#include <assert.h>
#include <string.h>

// Formulas, of which the one that is not there is zero.

typedef struct KalFactoring {
    KalGraph *g;
    KalContext *ctx;
    const KalEliminand *given;
    KalWorkspace workspace; // all arrays below
    KalExpr *M;         // n × n: lower triangle of M, or of the metric; then L below D
    KalExpr *W;         // m × n: rows of A times L⁻ᵀ
    KalExpr *V;         // m × n: these times D⁻¹
    KalExpr *S;         // m × m: A M⁻¹Aᵀ, then its factor
    KalExpr *inverse;   // n: of D
    KalExpr *inverse_S; // m
    KalExpr *g0;        // n: L⁻¹ Q
    KalExpr *C;         // n
    KalExpr *ideal;     // m: λ of the ideal part
    KalExpr *lambda;    // m
    KalExpr *q;         // n
    KalExpr *force;     // n
    KalExpr *size;      // n: of the terms in the equations of motion
    KalExpr *missing;   // n: what they lack
    KalExpr *unit;      // n: roots of the diagonal of M
    KalExpr *length;    // m: roots of that of S
    uint32_t *order;    // n: pivots of M
    uint32_t *order_S;  // m
    bool *done;         // max(n, m)
    KalExpr growth[2];  // most and least
    KalExpr gram[2];
    KalExpr sound; // a sum of all that has to be finite
} Builder;

static bool is_nothing(KalExpr e)
{
    return e.index == 0;
}

static KalExpr plus(Builder *w, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : is_nothing(b) ? a : kal_add(w->g, a, b);
}

static KalExpr minus(Builder *w, KalExpr a, KalExpr b)
{
    return is_nothing(b) ? a : is_nothing(a) ? kal_neg(w->g, b) : kal_sub(w->g, a, b);
}

static KalExpr times(Builder *w, KalExpr a, KalExpr b)
{
    if (is_nothing(a) || is_nothing(b)) {
        return KAL_NO_EXPR;
    }
    if (kal_is_int(w->g, a, 1) || kal_is_int(w->g, b, 1)) {
        return kal_is_int(w->g, a, 1) ? b : a;
    }
    if (kal_is_int(w->g, a, -1) || kal_is_int(w->g, b, -1)) {
        return kal_neg(w->g, kal_is_int(w->g, a, -1) ? b : a);
    }
    return kal_mul(w->g, a, b);
}

static KalExpr reciprocal(Builder *w, KalExpr a)
{
    return kal_is_int(w->g, a, 1) ? a : kal_div(w->g, kal_int(w->g, 1), a);
}

static KalExpr absolute(Builder *w, KalExpr a)
{
    return is_nothing(a) ? a : kal_unary(w->g, KAL_OP_ABS, a);
}

static KalExpr larger(Builder *w, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : is_nothing(b) ? a : kal_binary(w->g, KAL_OP_MAX, a, b);
}

static KalExpr smaller(Builder *w, KalExpr a, KalExpr b)
{
    return is_nothing(a) ? b : is_nothing(b) ? a : kal_binary(w->g, KAL_OP_MIN, a, b);
}

// The entry of a symmetric matrix of which the lower triangle is kept.
static KalExpr *entry(KalExpr *x, size_t n, size_t i, size_t j)
{
    return i > j ? &x[i * n + j] : &x[j * n + i];
}

// A symmetric matrix that is eliminated.
typedef struct Symmetric {
    size_t n;
    KalExpr *x;       // n × n
    KalExpr *inverse; // n
    uint32_t *order;  // n
    KalExpr *growth;  // most and least
} Symmetric;

// The row with the fewest entries among those that are left.
static size_t find_pivot(const Symmetric *s, const bool *done)
{
    size_t best = s->n;
    size_t least = s->n + 1;
    for (size_t i = 0; i < s->n; i++) {
        size_t degree = 0;
        for (size_t j = 0; j < s->n && !done[i]; j++) {
            degree += !done[j] && !is_nothing(*entry(s->x, s->n, i, j));
        }
        if (!done[i] && degree < least) {
            best = i;
            least = degree;
        }
    }
    assert(best < s->n); // one is left
    return best;
}

// Take from what is left what the pivot k has in it; its column becomes that of L.
static void eliminate_pivot(Builder *w, const Symmetric *s, size_t k)
{
    assert(k < s->n);
    const size_t n = s->n;
    for (size_t i = 0; i < n; i++) {
        const KalExpr a = *entry(s->x, n, i, k);
        if (w->done[i] || i == k || is_nothing(a)) {
            continue;
        }
        const KalExpr l = times(w, a, s->inverse[k]);
        for (size_t j = 0; j <= i; j++) {
            if (!w->done[j] && j != k) {
                KalExpr *x = entry(s->x, n, i, j);
                *x = minus(w, *x, times(w, l, *entry(s->x, n, j, k)));
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!w->done[i] && i != k) {
            KalExpr *x = entry(s->x, n, i, k);
            *x = times(w, *x, s->inverse[k]);
        }
    }
}

// s.x = L D Lᵀ, in the order that is found on the way.  A diagonal that is zero stays so
// and has no inverse: the answer is then not finite, and nobody trusts it.
static void factor(Builder *w, const Symmetric *s)
{
    memset(w->done, 0, s->n * sizeof *w->done);
    for (size_t step = 0; step < s->n; step++) {
        const size_t k = find_pivot(s, w->done);
        const KalExpr pivot = s->x[k * s->n + k];
        const KalExpr given = s->inverse[k]; // the diagonal entry, until now
        if (is_nothing(pivot)) {
            w->sound = KAL_NO_EXPR;
            s->inverse[k] = kal_const(w->g, 0x1p1000); // refuses the answer
            s->growth[0] = s->inverse[k];
        } else {
            s->inverse[k] = reciprocal(w, pivot);
        }
        if (!is_nothing(pivot) && pivot.index != given.index) {
            const KalExpr growth = times(w, given, s->inverse[k]);
            s->growth[0] = larger(w, growth, s->growth[0]);
            s->growth[1] = smaller(w, growth, s->growth[1]);
        }
        s->order[step] = (uint32_t)k;
        w->done[k] = true;
        eliminate_pivot(w, s, k);
    }
}

// x ← L⁻¹ x.
static void solve(Builder *w, const Symmetric *s, KalExpr *x)
{
    for (size_t step = 0; step < s->n; step++) {
        const size_t k = s->order[step];
        assert(k < s->n);
        for (size_t later = step + 1; later < s->n && !is_nothing(x[k]); later++) {
            const size_t i = s->order[later];
            x[i] = minus(w, x[i], times(w, *entry(s->x, s->n, i, k), x[k]));
        }
    }
}

// x ← L⁻ᵀ D⁻¹ x.
static void solve_transposed(Builder *w, const Symmetric *s, KalExpr *x)
{
    for (size_t step = s->n; step-- > 0;) {
        const size_t k = s->order[step];
        x[k] = times(w, x[k], s->inverse[k]);
        for (size_t later = s->n;
             later-- > step + 1;) { // what is known last comes last
            const size_t i = s->order[later];
            x[k] = minus(w, x[k], times(w, *entry(s->x, s->n, i, k), x[i]));
        }
    }
}

static Symmetric mass_of(Builder *w)
{
    return (Symmetric){w->given->n, w->M, w->inverse, w->order, w->growth};
}

static Symmetric gram_of(Builder *w)
{
    return (Symmetric){w->given->m, w->S, w->inverse_S, w->order_S, w->gram};
}

// The force Q, or Q + C, or with AᵀWb besides (theory (3.6)).
static void load_force(Builder *w, bool with_C)
{
    const KalEliminand *p = w->given;
    for (size_t i = 0; i < p->n; i++) {
        w->g0[i] = with_C ? plus(w, p->Q[i], w->C[i]) : p->Q[i];
        for (size_t r = 0; r < p->m && p->weights; r++) {
            const KalExpr a = times(w, p->weights[r], p->A[r * p->n + i]);
            w->g0[i] = plus(w, w->g0[i], times(w, a, p->b[r]));
        }
    }
}

// M, or M + AᵀWA (theory (3.6)); and the natural units.
static void load(Builder *w)
{
    const KalEliminand *p = w->given;
    const size_t n = p->n;
    assert(n >= 1 && (p->m == 0 || p->A));
    memcpy(w->M, p->M, n * n * sizeof *w->M);
    if (p->m > 0) {
        memcpy(w->W, p->A, p->m * n * sizeof *w->W);
    }
    for (size_t r = 0; r < p->m && p->weights; r++) {
        const KalExpr *row = p->A + r * n;
        for (size_t i = 0; i < n; i++) {
            const KalExpr a = times(w, p->weights[r], row[i]);
            for (size_t j = 0; j <= i; j++) {
                w->M[i * n + j] = plus(w, w->M[i * n + j], times(w, a, row[j]));
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        const KalExpr diagonal = w->M[i * n + i];
        w->inverse[i] = diagonal;
        w->unit[i] = is_nothing(diagonal) ? diagonal : kal_sqrt(w->g, diagonal);
        w->sound = plus(w, w->sound, w->unit[i]);
    }
}

static KalExpr dot(Builder *w, size_t n, const KalExpr *x, const KalExpr *y)
{
    KalExpr sum = KAL_NO_EXPR;
    for (size_t i = 0; i < n; i++) {
        sum = plus(w, sum, times(w, x[i], y[i]));
    }
    return sum;
}

// W = A L⁻ᵀ, V = W D⁻¹, S = V Wᵀ.
static void build_gram(Builder *w)
{
    const size_t n = w->given->n;
    const size_t m = w->given->m;
    const Symmetric mass = mass_of(w);
    for (size_t r = 0; r < m; r++) {
        KalExpr *row = w->W + r * n;
        solve(w, &mass, row);
        for (size_t k = 0; k < n; k++) {
            w->V[r * n + k] = times(w, row[k], w->inverse[k]);
        }
        for (size_t s = 0; s <= r; s++) {
            w->S[r * m + s] = dot(w, n, w->V + r * n, w->W + s * n);
        }
        const KalExpr square = w->S[r * m + r];
        w->inverse_S[r] = square;
        w->length[r] = is_nothing(square) ? square : kal_sqrt(w->g, square);
    }
}

// λ = S⁻¹ (b − V L⁻¹Q), and q'' = L⁻ᵀD⁻¹ (L⁻¹Q + Wᵀλ).
static void accelerate(Builder *w)
{
    const size_t n = w->given->n;
    const size_t m = w->given->m;
    const Symmetric mass = mass_of(w);
    const Symmetric gram = gram_of(w);
    solve(w, &mass, w->g0);
    for (size_t r = 0; r < m; r++) {
        w->lambda[r] = minus(w, w->given->b[r], dot(w, n, w->V + r * n, w->g0));
    }
    solve(w, &gram, w->lambda);
    solve_transposed(w, &gram, w->lambda);
    for (size_t k = 0; k < n; k++) {
        w->q[k] = w->g0[k];
        for (size_t r = 0; r < m; r++) {
            w->q[k] = plus(w, w->q[k], times(w, w->W[r * n + k], w->lambda[r]));
        }
    }
    solve_transposed(w, &mass, w->q);
}

// Q + C + Aᵀλ − M q'', the size of its terms, and the force Aᵀλ (theory (5.2)).
static void measure_motion(Builder *w)
{
    assert(w->given->Q);
    const KalEliminand *p = w->given;
    const size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        KalExpr inertia = KAL_NO_EXPR;
        KalExpr size = plus(w, absolute(w, p->Q[i]), absolute(w, w->C[i]));
        w->force[i] = KAL_NO_EXPR;
        for (size_t r = 0; r < p->m; r++) {
            const KalExpr term = times(w, p->A[r * n + i], w->lambda[r]);
            w->force[i] = plus(w, w->force[i], term);
            size = plus(w, size, absolute(w, term));
        }
        for (size_t j = 0; j < n; j++) {
            const KalExpr a = i > j ? p->M[i * n + j] : p->M[j * n + i];
            const KalExpr term = times(w, a, w->q[j]);
            inertia = plus(w, inertia, term);
            size = plus(w, size, absolute(w, term));
        }
        const KalExpr applied = plus(w, p->Q[i], w->C[i]);
        w->missing[i] = minus(w, plus(w, applied, w->force[i]), inertia);
        w->size[i] = size;
        w->sound = plus(w, w->sound, w->missing[i]);
    }
}

// The largest size of terms in natural units, in which masses are 1.
static KalExpr find_most(Builder *w)
{
    KalExpr most = KAL_NO_EXPR;
    for (size_t i = 0; i < w->given->n; i++) {
        if (!is_nothing(w->unit[i])) {
            most = larger(w, times(w, w->size[i], reciprocal(w, w->unit[i])), most);
        }
    }
    return times(w, kal_const(w->g, w->given->floor), most);
}

// By how much what is missing exceeds the tolerance.
static KalExpr exceed(Builder *w, KalExpr missing, KalExpr size, KalExpr floor)
{
    if (is_nothing(missing)) {
        return KAL_NO_EXPR;
    }
    const KalExpr allowed =
        times(w, kal_const(w->g, w->given->tolerance), plus(w, size, floor));
    return minus(w, absolute(w, missing), allowed);
}

// All residuals against their tolerance, by the measure of theory (5.2): nothing is refined.
static KalExpr measure(Builder *w)
{
    const KalEliminand *p = w->given;
    const size_t n = p->n;
    measure_motion(w);
    const KalExpr most = find_most(w);
    KalExpr worst = KAL_NO_EXPR;
    for (size_t i = 0; i < n; i++) {
        const KalExpr floor = times(w, most, w->unit[i]);
        worst = larger(w, exceed(w, w->missing[i], w->size[i], floor), worst);
    }
    for (size_t r = 0; r < p->m; r++) {
        KalExpr sum = KAL_NO_EXPR;
        KalExpr size = absolute(w, p->b[r]);
        for (size_t j = 0; j < n; j++) {
            const KalExpr term = times(w, p->A[r * n + j], w->q[j]);
            sum = plus(w, sum, term);
            size = plus(w, size, absolute(w, term));
        }
        const KalExpr missing = minus(w, p->b[r], sum);
        const KalExpr floor = times(w, most, w->length[r]);
        worst = larger(w, exceed(w, missing, size, floor), worst);
        w->sound = plus(w, w->sound, missing);
    }
    return plus(w, worst, times(w, kal_int(w->g, 0), w->sound)); // 0 times NaN is NaN
}

KalEliminated kal_eliminated_layout(size_t n, size_t m, bool has_C)
{
    assert(n >= 1);
    const size_t after = 2 * n + m;
    return (KalEliminated){.qdd = 0,
                           .force = n,
                           .multipliers = 2 * n,
                           .most_growth = after,
                           .least_growth = after + 1,
                           .most_gram = after + 2,
                           .least_gram = after + 3,
                           .sine = after + 4,
                           .excess = after + 5,
                           .nonideal = after + 6,
                           .count = after + 6 + (has_C ? n : 0)};
}

// Factor M and A M⁻¹Aᵀ.
static void eliminate(Builder *w)
{
    load(w);
    const Symmetric mass = mass_of(w);
    factor(w, &mass);
    build_gram(w);
    const Symmetric gram = gram_of(w);
    factor(w, &gram);
}

// What C adds to the ideal answer, theory (2.7): q'' is that of Q + C with the same factors, and
// the force C + Aᵀ(λ − λ₀), where λ₀ are the multipliers of the ideal part.
static KalStatus add_nonideal(Builder *w, const KalEliminated *at, KalExpr *out)
{
    const KalEliminand *p = w->given;
    const size_t n = p->n;
    memcpy(w->ideal, w->lambda, p->m * sizeof *w->ideal);
    KAL_TRY(p->find_C(p->user, w->ideal, w->C));
    load_force(w, true);
    accelerate(w);
    out[at->excess] = larger(w, measure(w), out[at->excess]);
    for (size_t i = 0; i < n; i++) {
        const KalExpr change = minus(w, w->force[i], out[at->force + i]);
        out[at->nonideal + i] = plus(w, w->C[i], change);
    }
    return KAL_OK;
}

// All results in the order of kal_eliminated_layout(); what is not there becomes 0.
static KalStatus build(Builder *w, KalExpr *out)
{
    const size_t n = w->given->n;
    const size_t m = w->given->m;
    const bool has_C = w->given->find_C != NULL;
    const KalEliminated at = kal_eliminated_layout(n, m, has_C);
    const KalExpr one = kal_int(w->g, 1);
    eliminate(w);
    load_force(w, false);
    accelerate(w);
    out[at.excess] = measure(w);
    memcpy(out + at.force, w->force, n * sizeof *out);
    memcpy(out + at.multipliers, w->lambda, m * sizeof *out);
    KAL_TRY(has_C ? add_nonideal(w, &at, out) : KAL_OK);
    memcpy(out + at.qdd, w->q, n * sizeof *out);
    for (int k = 0; k < 2; k++) {
        out[at.most_growth + (size_t)k] = is_nothing(w->growth[k]) ? one : w->growth[k];
        out[at.most_gram + (size_t)k] = is_nothing(w->gram[k]) ? one : w->gram[k];
    }
    out[at.sine] = kal_sqrt(w->g, reciprocal(w, out[at.most_gram]));
    for (size_t i = 0; i < at.count; i++) {
        out[i] = is_nothing(out[i]) ? kal_int(w->g, 0) : out[i];
    }
    return kal_graph_status(w->g);
}

static KalExpr *carve_formulas(KalCarver *carver, size_t count)
{
    return (KalExpr *)kal_carve(carver, count, sizeof(KalExpr));
}

static void lay_out(KalCarver *carver, void *owner)
{
    Builder *w = (Builder *)owner;
    const size_t n = w->given->n;
    const size_t m = w->given->m;
    w->M = carve_formulas(carver, n * n);
    w->W = carve_formulas(carver, m * n);
    w->V = carve_formulas(carver, m * n);
    w->S = carve_formulas(carver, m * m);
    w->inverse = carve_formulas(carver, n);
    w->g0 = carve_formulas(carver, n);
    w->q = carve_formulas(carver, n);
    w->force = carve_formulas(carver, n);
    w->size = carve_formulas(carver, n);
    w->missing = carve_formulas(carver, n);
    w->unit = carve_formulas(carver, n);
    w->C = carve_formulas(carver, n);
    w->ideal = carve_formulas(carver, m);
    w->inverse_S = carve_formulas(carver, m);
    w->lambda = carve_formulas(carver, m);
    w->length = carve_formulas(carver, m);
    w->order = (uint32_t *)kal_carve(carver, n, sizeof *w->order);
    w->order_S = (uint32_t *)kal_carve(carver, m, sizeof *w->order_S);
    w->done = kal_carve_bools(carver, n > m ? n : m);
}

static KalStatus init(Builder *w)
{
    return kal_workspace_make(w->ctx, "to eliminate", lay_out, w, &w->workspace);
}

static void clear(Builder *w)
{
    kal_workspace_clear(w->ctx, &w->workspace);
}

KalStatus kal_eliminate(KalGraph *g, const KalEliminand *given, KalExpr *out_answer)
{
    assert(given->M && out_answer);
    Builder w = {.g = g, .ctx = kal_graph_context(g), .given = given};
    KalStatus status = init(&w);
    if (status == KAL_OK && w.M) {
        status = build(&w, out_answer);
    }
    clear(&w);
    return status;
}

KalStatus kal_factoring_create(KalGraph *g, const KalEliminand *given,
                               KalFactoring **out_factoring)
{
    assert(given->M && out_factoring);
    KalContext *ctx = kal_graph_context(g);
    Builder *w = KAL_NEW(ctx, Builder);
    if (!w) {
        return kal_no_memory(ctx, "to eliminate");
    }
    w->g = g;
    w->ctx = ctx;
    w->given = given;
    KalStatus status = init(w);
    if (status == KAL_OK && w->M) {
        eliminate(w);
        status = kal_graph_status(g);
    }
    if (status != KAL_OK) {
        kal_factoring_destroy(w);
        return status;
    }
    *out_factoring = w;
    return KAL_OK;
}

void kal_factoring_destroy(KalFactoring *factoring)
{
    if (factoring) {
        clear(factoring);
        kal_free(factoring->ctx, factoring, sizeof *factoring);
    }
}

// −M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹ r, the step of least length in the metric of the masses that takes
// residuals r away, from the factors that are there.
void kal_factoring_step(KalFactoring *factoring, const KalExpr *residuals,
                        KalExpr *out_step)
{
    assert(residuals || factoring->given->m == 0);
    Builder *w = factoring;
    const size_t n = w->given->n;
    const size_t m = w->given->m;
    const Symmetric mass = mass_of(w);
    const Symmetric gram = gram_of(w);
    for (size_t r = 0; r < m; r++) {
        w->lambda[r] = minus(w, KAL_NO_EXPR, residuals[r]);
    }
    solve(w, &gram, w->lambda);
    solve_transposed(w, &gram, w->lambda);
    for (size_t k = 0; k < n; k++) {
        out_step[k] = KAL_NO_EXPR;
        for (size_t r = 0; r < m; r++) {
            out_step[k] = plus(w, out_step[k], times(w, w->W[r * n + k], w->lambda[r]));
        }
    }
    solve_transposed(w, &mass, out_step);
}

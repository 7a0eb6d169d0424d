// SPDX-License-Identifier: MIT

// Random formulas against calculus: what is simplified, differentiated, replaced, printed
// and read back has the value it should have.  Every formula is built twice, once plainly
// as a reference.  Values are compared in long double, so that rounding is far below the
// tolerances; points near a pole, a kink or a branch cut are left out.
// KAL_PROPERTY_PROBLEMS sets how many formulas there are.

#include "algebra/collect.h"
#include "expr/diff.h"
#include "expr/order.h"
#include "expr/substitute.h"
#include "formula.h"
#include "operator.h"
#include "rng.h"
#include "tap.h"
#include "zero/identity.h"

#include <stdio.h>

typedef long double Real;

enum {
    SYMBOLS = 4,
    OPERATIONS = 24,
    POOL = 16 + OPERATIONS,
    STEPS = 60000,
    FACTORS = 7
};

static const Real TOLERANCE = 1e-12L;
static const Real LARGEST = 1e3L; // intermediate values beyond it are left out

static KalContext *ctx;
static KalGraph *g;     // simplified
static KalGraph *plain; // as written
static uint64_t seed;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(void)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    ok(kal_graph_create(ctx, &plain) == KAL_OK);
    kal_graph_set_plain(plain, true);
    formula_n_names = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        static const char *const names[SYMBOLS] = {"x", "y'", "z[2]", "w"};
        formula_id(names[i], strlen(names[i]));
    }
}

static void end(void)
{
    kal_graph_destroy(plain);
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

static bool holds(bool condition, const char *what)
{
    if (!condition) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# formula %llu: %s\n", (unsigned long long)seed, what);
        }
    }
    return condition;
}

static bool holds_near(Real got, Real want, Real tolerance, const char *what)
{
    const Real error = fabsl(got - want);
    const bool good = error <= tolerance * (Real)tap_scale();
    if (!good) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# formula %llu: %s: %.15Lg, not %.15Lg\n", (unsigned long long)seed,
                   what, got, want);
        }
    }
    return good;
}

// A value, and whether it is far from where it would break.
typedef struct Value {
    Real value;
    Real largest; // of all intermediate values
    bool regular;
} Value;

static Real number_of(const KalGraph *graph, KalExpr e)
{
    const KalRational k = kal_graph_number(graph, e);
    return k.den == 0 ? (Real)k.value : (Real)k.num / (Real)k.den;
}

static Value eval_order(const KalGraph *graph, const KalOrder *order, const Real *x)
{
    static Real work[STEPS];
    Value v = {0.0L, 0.0L, order->count <= STEPS};
    for (uint32_t i = 0; i < order->count && i < STEPS; i++) {
        const KalStep *step = &order->steps[i];
        const KalOp op = (KalOp)step->op;
        const int arity = kal_op_arity(op);
        const int32_t n = (int32_t)step->arg[1];
        const Real a = arity > 0 ? work[step->arg[0]] : 0.0L;
        const Real b = arity > 1 ? work[step->arg[1]] : 0.0L;
        const Real c = arity > 2 ? work[step->arg[2]] : 0.0L;
        work[i] = step->op == KAL_OP_SYMBOL  ? x[step->arg[0]]
                  : step->op == KAL_OP_CONST ? number_of(graph, step->node)
                                             : operator_value(op, a, b, c, n);
        v.largest = fmaxl(v.largest, fabsl(work[i]));
        v.regular =
            v.regular && operator_is_regular(op, a, b, n) && fabsl(work[i]) < LARGEST;
        v.value = work[i];
    }
    return v;
}

static Value eval(KalGraph *graph, KalExpr e, const Real *x)
{
    KalOrder order = {0};
    if (e.index == 0 || kal_order_init(graph, &e, 1, &order) != KAL_OK) {
        return (Value){NAN, NAN, false};
    }
    const Value v = eval_order(graph, &order, x);
    kal_order_clear(&order);
    return v;
}

// The same formula in both graphs.
typedef struct Pair {
    KalExpr simple;
    KalExpr plain;
} Pair;

static Pair pair_of(KalOp op, const Pair *a, const Pair *b, const Pair *c)
{
    const KalExpr simple[3] = {a->simple, b->simple, c->simple};
    const KalExpr as_written[3] = {a->plain, b->plain, c->plain};
    return (Pair){kal_build(g, op, simple), kal_build(plain, op, as_written)};
}

static Pair pair_powi(const Pair *a, int32_t n)
{
    return (Pair){kal_powi(g, a->simple, n), kal_powi(plain, a->plain, n)};
}

static Pair pair_number(KalRational k)
{
    return (Pair){kal_number(g, k), kal_number(plain, k)};
}

static int first_leaves(Rng *rng, Pair *pool)
{
    int n = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        pool[n++] = (Pair){kal_symbol(g, i), kal_symbol(plain, i)};
    }
    pool[n++] = pair_number(kal_rational(rng_int(rng, -3, 3), 1));
    pool[n++] = pair_number(kal_rational(rng_int(rng, -9, 9), rng_int(rng, 1, 9)));
    pool[n++] = pair_number(kal_rational_of(0.1 * rng_int(rng, 1, 20)));
    pool[n++] = (Pair){kal_pi(g), kal_pi(plain)};
    return n;
}

static const KalOp ARITHMETIC[] = {KAL_OP_ADD, KAL_OP_ADD, KAL_OP_SUB, KAL_OP_MUL,
                                   KAL_OP_MUL, KAL_OP_DIV, KAL_OP_NEG};

static const KalOp ROUND[] = {KAL_OP_SIN, KAL_OP_COS, KAL_OP_SINH, KAL_OP_COSH};

static Pair random_choice(Rng *rng, const Pair *a, const Pair *b, const Pair *c)
{
    const KalOp relation = (KalOp)(KAL_OP_LT + rng_int(rng, 0, 3));
    Pair condition = pair_of(relation, a, b, c);
    if (rng_int(rng, 0, 2) == 0) {
        const Pair other = pair_of(KAL_OP_LT, b, c, a);
        const KalOp logic = rng_int(rng, 0, 1) ? KAL_OP_AND : KAL_OP_OR;
        condition = pair_of(logic, &condition, &other, a);
    }
    if (rng_int(rng, 0, 3) == 0) {
        condition = pair_of(KAL_OP_NOT, &condition, &condition, &condition);
    }
    return pair_of(KAL_OP_SELECT, &condition, a, c);
}

// One more operation on what there is; arithmetic, powers and sin² + cos² are frequent,
// so that rules meet their cases.
static Pair random_operation(Rng *rng, const Pair *a, const Pair *b, const Pair *c)
{
    const int kind = rng_int(rng, 0, 19);
    if (kind < 10) {
        return pair_of(ARITHMETIC[rng_int(rng, 0, 6)], a, b, c);
    }
    if (kind < 12) {
        return pair_powi(a, rng_int(rng, -2, 4));
    }
    if (kind < 14) {
        const KalOp op = ROUND[rng_int(rng, 0, 3)];
        const Pair round = pair_of(op, a, b, c);
        const Pair square = pair_powi(&round, 2);
        return pair_of(KAL_OP_MUL, &square, b, c);
    }
    if (kind == 14) {
        return random_choice(rng, a, b, c);
    }
    if (kind == 15) {
        const Pair x =
            pair_number(kal_rational(rng_int(rng, -3, 3), rng_int(rng, 1, 4)));
        return pair_of(KAL_OP_POW, a, &x, c);
    }
    return pair_of((KalOp)rng_int(rng, KAL_OP_POW, KAL_OP_SPLINE - 1), a, b, c);
}

// The last of up to OPERATIONS operations; operands are mostly recent ones.
static Pair random_formula(Rng *rng)
{
    Pair pool[POOL];
    int n = first_leaves(rng, pool);
    const int operations = rng_int(rng, 2, OPERATIONS);
    for (int i = 0; i < operations; i++) {
        const Pair *operand[3];
        for (int k = 0; k < 3; k++) {
            const int back = rng_int(rng, 0, 2) ? rng_int(rng, 0, 4) : n;
            operand[k] = &pool[n - 1 - (back < n ? back : rng_int(rng, 0, n - 1))];
        }
        pool[n] = random_operation(rng, operand[0], operand[1], operand[2]);
        if (pool[n].simple.index != 0 && pool[n].plain.index != 0) {
            n++;
        }
        kal_graph_recover(g); // an exact zero below a fraction
        kal_graph_recover(plain);
    }
    return pool[n - 1];
}

static void random_point(Rng *rng, Real *x)
{
    for (int i = 0; i < SYMBOLS; i++) {
        x[i] = (Real)(2.0 * rng_entry(rng));
    }
}

// A formula and a point where it is regular; graphs start anew now and then.
static bool make(uint64_t number, Pair *out, Real *x, Value *out_value)
{
    Rng rng = {number * 77};
    seed = number;
    if (kal_graph_count(g) > 100000) {
        const int failures = tap_failures;
        end();
        begin();
        tap_failures = failures;
    }
    *out = random_formula(&rng);
    for (int attempt = 0; attempt < 8; attempt++) {
        random_point(&rng, x);
        *out_value = eval(plain, out->plain, x);
        if (out_value->regular) {
            return true;
        }
    }
    return false;
}

static Real scale_of(const Value *v)
{
    return 1.0L + v->largest;
}

// Simplification changes no value; the text of both forms reads back as the same value.
static void simplified_equals_unsimplified(void)
{
    begin();
    const int count = problems(1);
    int used = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        if (make((uint64_t)number, &e, x, &v)) {
            const Value simple = eval(g, e.simple, x);
            holds_near(simple.value, v.value, 1e2L * TOLERANCE * scale_of(&v), "value");
            used++;
        }
    }
    ok(used > count / 3);
    printf("# %d formulas, %d at regular points\n", count, used);
    end();
}

static void check_text(KalGraph *graph, KalExpr e, const Real *x, const Value *v)
{
    const char *text = formula_print(graph, e, KAL_FORMAT_TEXT);
    const KalExpr back = formula_parse(plain, text);
    if (holds(back.index != 0, text)) {
        const Value again = eval(plain, back, x);
        holds_near(again.value, v->value, 1e3L * TOLERANCE * scale_of(v), text);
    }
    kal_graph_recover(plain);
}

static void check_latex(KalExpr e)
{
    const char *text = formula_print(g, e, KAL_FORMAT_LATEX);
    int depth = 0;
    for (const char *c = text; *c != '\0' && depth >= 0; c++) {
        depth += (*c == '{') - (*c == '}');
    }
    holds(depth == 0 && strcmp(text, "(none)") != 0, text);
}

static void text_reads_back(void)
{
    begin();
    const int count = problems(2);
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        if (make((uint64_t)number + 1000000U, &e, x, &v)) {
            check_text(g, e.simple, x, &v);
            check_text(plain, e.plain, x, &v);
            check_latex(e.simple);
        }
    }
    end();
}

// df/ds of f(x + s r) at s = 0 by central differences of order 8.
static Real difference(KalGraph *graph, const KalOrder *order, const Real *x,
                       const Real *r, Real h)
{
    static const Real weights[4] = {4.0L / 5.0L, -1.0L / 5.0L, 4.0L / 105.0L,
                                    -1.0L / 280.0L};
    Real sum = 0.0L;
    for (int k = 1; k <= 4; k++) {
        Real there[SYMBOLS];
        Real back[SYMBOLS];
        for (int i = 0; i < SYMBOLS; i++) {
            there[i] = x[i] + (Real)k * h * r[i];
            back[i] = x[i] - (Real)k * h * r[i];
        }
        const Real up = eval_order(graph, order, there).value;
        const Real down = eval_order(graph, order, back).value;
        sum += weights[k - 1] * (up - down);
    }
    return sum / h;
}

// A difference that a smaller step confirms, else NaN.
static Real slope(KalExpr e, const Real *x, const Real *r)
{
    KalOrder order = {0};
    if (kal_order_init(plain, &e, 1, &order) != KAL_OK) {
        return NAN;
    }
    const Real rough = difference(plain, &order, x, r, 0x1p-9L);
    const Real fine = difference(plain, &order, x, r, 0x1p-10L);
    kal_order_clear(&order);
    return fabsl(rough - fine) < 1e-8L * (1.0L + fabsl(fine)) ? fine : NAN;
}

static void derivatives_match_differences(void)
{
    begin();
    const int count = problems(2);
    int used = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        if (!make((uint64_t)number + 2000000U, &e, x, &v)) {
            continue;
        }
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            const Real along[SYMBOLS] = {i == 0, i == 1, i == 2, i == 3};
            const Real want = slope(e.plain, x, along);
            KalExpr d = KAL_NO_EXPR;
            holds(kal_diff(g, e.simple, kal_symbol(g, i), &d) == KAL_OK, "derivative");
            if (isfinite(want)) {
                const Real got = eval(g, d, x).value;
                holds_near(got, want, 1e-7L * (1.0L + fabsl(want)), "derivative");
                used++;
            }
        }
    }
    ok(used > count);
    printf("# %d formulas, %d derivatives\n", count, used);
    end();
}

static void all_symbols(KalExpr *x)
{
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        x[i] = kal_symbol(g, i);
    }
}

static uint32_t reachable(const KalExpr *e, size_t n)
{
    KalOrder order = {0};
    ok(kal_order_init(g, e, n, &order) == KAL_OK);
    const uint32_t count = order.count;
    kal_order_clear(&order);
    return count;
}

// Reverse and forward accumulation agree, and the gradient is not much longer than the
// formula.
static void gradients_are_forward_derivatives(void)
{
    begin();
    const int count = problems(2);
    double worst = 0.0;
    double sum = 0.0;
    int used = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        KalExpr symbol[SYMBOLS];
        KalExpr d[SYMBOLS];
        if (!make((uint64_t)number + 3000000U, &e, x, &v)) {
            continue;
        }
        all_symbols(symbol);
        if (!holds(kal_gradient(g, e.simple, symbol, SYMBOLS, d) == KAL_OK,
                   "gradient")) {
            continue;
        }
        for (int i = 0; i < SYMBOLS; i++) {
            KalExpr forward = KAL_NO_EXPR;
            holds(kal_diff(g, e.simple, symbol[i], &forward) == KAL_OK, "derivative");
            const Value a = eval(g, d[i], x);
            const Value b = eval(g, forward, x);
            if (a.regular && b.regular) {
                holds_near(a.value, b.value, 1e3L * TOLERANCE * scale_of(&b),
                           "gradient");
            }
        }
        const double ratio =
            (double)reachable(d, SYMBOLS) / (10.0 + reachable(&e.simple, 1));
        worst = fmax(worst, ratio);
        sum += ratio;
        used++;
    }
    printf("# nodes of a gradient per node of its formula: %.2f, at most %.2f\n",
           sum / used, worst);
    ok(sum / used < 3.0);
    ok(worst < 8.0);
    end();
}

// The Hessian is that of differentiating twice, in either order.
static void hessians_are_second_derivatives(void)
{
    begin();
    const int count = problems(10);
    int used = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        KalExpr s[SYMBOLS];
        KalSparse H = {0};
        if (!make((uint64_t)number + 4000000U, &e, x, &v)) {
            continue;
        }
        all_symbols(s);
        if (!holds(kal_hessian(g, e.simple, s, SYMBOLS, &H) == KAL_OK, "Hessian")) {
            continue;
        }
        for (size_t i = 0; i < SYMBOLS; i++) {
            for (size_t j = 0; j <= i; j++) {
                KalExpr d = KAL_NO_EXPR;
                KalExpr dd = KAL_NO_EXPR;
                KalExpr other = KAL_NO_EXPR;
                holds(kal_diff(g, e.simple, s[i], &d) == KAL_OK
                          && kal_diff(g, d, s[j], &dd) == KAL_OK
                          && kal_diff(g, e.simple, s[j], &d) == KAL_OK
                          && kal_diff(g, d, s[i], &other) == KAL_OK,
                      "second derivative");
                const KalExpr h = kal_sparse_get(&H, i, j);
                const Value got =
                    h.index == 0 ? (Value){0.0L, 0.0L, true} : eval(g, h, x);
                const Value want = eval(g, dd, x);
                const Value turned = eval(g, other, x);
                if (got.regular && want.regular && turned.regular) {
                    const Real tolerance = 1e4L * TOLERANCE * scale_of(&want);
                    holds_near(got.value, want.value, tolerance, "Hessian");
                    holds_near(turned.value, want.value, tolerance, "symmetry");
                    used++;
                }
            }
        }
        kal_sparse_clear(&H);
    }
    ok(used > count);
    end();
}

// The total derivative is the slope along the rates.
static void total_derivatives_follow_their_rates(void)
{
    begin();
    const int count = problems(4);
    int used = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Real along[SYMBOLS];
        Value v;
        KalExpr s[SYMBOLS];
        KalExpr rate[SYMBOLS];
        KalExpr total = KAL_NO_EXPR;
        if (!make((uint64_t)number + 5000000U, &e, x, &v)) {
            continue;
        }
        all_symbols(s);
        for (int i = 0; i < SYMBOLS; i++) { // x' = y, y' = z, z' = w, w' = −sin x
            rate[i] = i + 1 < SYMBOLS ? s[i + 1] : kal_neg(g, kal_sin(g, s[0]));
            along[i] = eval(g, rate[i], x).value;
        }
        const KalRates rates = {s, rate, SYMBOLS};
        holds(kal_total(g, &e.simple, 1, &rates, &total) == KAL_OK, "total derivative");
        const Real want = slope(e.plain, x, along);
        if (isfinite(want)) {
            const Real got = eval(g, total, x).value;
            holds_near(got, want, 1e-7L * (1.0L + fabsl(want)), "total derivative");
            used++;
        }
    }
    ok(used > count / 4);
    end();
}

static void replacing_is_evaluating_elsewhere(void)
{
    begin();
    const int count = problems(4);
    for (int number = 1; number <= count; number++) {
        Pair e;
        Pair inner;
        Real x[SYMBOLS];
        Value v;
        if (!make((uint64_t)number + 6000000U, &inner, x, &v)) {
            continue;
        }
        Rng rng = {(uint64_t)number};
        e = random_formula(&rng);
        Real there[SYMBOLS];
        memcpy(there, x, sizeof there);
        there[1] = v.value;
        const Value want = eval(plain, e.plain, there);
        const KalExpr y = kal_symbol(g, 1);
        const KalReplacements all = {&y, &inner.simple, 1};
        KalExpr out = KAL_NO_EXPR;
        const KalStatus status = kal_substitute(g, &e.simple, 1, &all, &out);
        if (want.regular && holds(status == KAL_OK, "replacing")) {
            const Value got = eval(g, out, x);
            const Real scale = scale_of(&want) * scale_of(&v);
            holds_near(got.value, want.value, 1e4L * TOLERANCE * scale, "replacing");
        }
        kal_graph_recover(g);
    }
    end();
}

// However operands are exchanged and products are grouped, the node is the same.
static void order_of_operands_does_not_matter(void)
{
    begin();
    const int count = problems(2);
    for (int number = 1; number <= count; number++) {
        Rng rng = {(uint64_t)number + 7000000U};
        seed = rng.state;
        KalExpr factor[FACTORS];
        const int n = rng_int(&rng, 2, FACTORS);
        KalExpr product = kal_int(g, 1);
        for (int i = 0; i < n; i++) {
            const KalExpr s = kal_symbol(g, (uint32_t)rng_int(&rng, 0, SYMBOLS - 1));
            const KalOp op = ROUND[rng_int(&rng, 0, 3)];
            factor[i] = rng_int(&rng, 0, 1) ? s : kal_unary(g, op, s);
            factor[i] = kal_powi(g, factor[i], rng_int(&rng, -1, 2));
            product = kal_mul(g, product, factor[i]);
        }
        for (int left = n; left > 1; left--) { // multiply any two until one is left
            const int i = rng_int(&rng, 0, left - 1);
            const KalExpr a = factor[i];
            factor[i] = factor[left - 1];
            const int j = rng_int(&rng, 0, left - 2);
            factor[j] = kal_mul(g, a, factor[j]);
        }
        holds(factor[0].index == product.index, "product");
        const KalExpr a = random_formula(&rng).simple;
        const KalExpr b = random_formula(&rng).simple;
        for (int op = 0; op < KAL_OP_COUNT; op++) {
            if (kal_op_commutes((KalOp)op)) {
                const KalExpr ab = kal_binary(g, (KalOp)op, a, b);
                const KalExpr ba = kal_binary(g, (KalOp)op, b, a);
                holds(ab.index != 0 && ab.index == ba.index, kal_op_word((KalOp)op));
            }
        }
    }
    end();
}

// What is laid out for readers has the same value, and is not longer.
static void collected_equals_given(void)
{
    begin();
    const KalPrintOptions options = {.format = KAL_FORMAT_TEXT, .name = formula_name};
    const int count = problems(8);
    int shorter = 0;
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        KalGraph *shown = NULL;
        KalExpr out = KAL_NO_EXPR;
        if (!make((uint64_t)number + 8000000U, &e, x, &v)) {
            continue;
        }
        ok(kal_graph_create(ctx, &shown) == KAL_OK);
        if (holds(kal_collect(g, &e.simple, 1, &options, shown, &out) == KAL_OK,
                  "collecting")) {
            const Value got = eval(shown, out, x);
            holds_near(got.value, v.value, 1e4L * TOLERANCE * scale_of(&v), "value");
            const size_t before = strlen(formula_print(g, e.simple, KAL_FORMAT_TEXT));
            const size_t after = strlen(formula_print(shown, out, KAL_FORMAT_TEXT));
            holds(after <= before, "length");
            shorter += after < before;
        }
        kal_graph_destroy(shown);
    }
    printf("# %d formulas, %d became shorter\n", count, shorter);
    ok(shorter > count / 100);
    end();
}

// e beyond an edge far away, and something else before it.
static KalExpr beyond(KalExpr e, int64_t edge, KalExpr before)
{
    const KalExpr condition =
        kal_binary(g, KAL_OP_LT, kal_int(g, edge), kal_symbol(g, 0));
    return kal_select(g, condition, e, before);
}

// A formula that has a value other than zero somewhere, however far away, is not called
// zero; what cancels in each branch is.
static void zeros_are_proven_in_all_branches(void)
{
    begin();
    const int count = problems(10);
    for (int number = 1; number <= count; number++) {
        Pair e;
        Real x[SYMBOLS];
        Value v;
        if (!make((uint64_t)number + 9000000U, &e, x, &v)
            || fabsl(v.value) < 1e-6L * scale_of(&v)) {
            continue;
        }
        const int64_t edge = number % 3 == 0 ? 10 : number % 3 == 1 ? 1000 : 10000000;
        const KalExpr a = kal_symbol(g, 1);
        const KalExpr b = beyond(e.simple, edge, a);
        const KalExpr square = kal_mul(g, kal_add(g, a, b), kal_add(g, a, b));
        const KalExpr formulas[] = {
            e.simple,
            beyond(e.simple, edge, kal_int(g, 0)),
            kal_sub(g, b, a),
            kal_sub(
                g, kal_sub(g, square, kal_add(g, kal_powi(g, a, 2), kal_powi(g, b, 2))),
                kal_mul(g, kal_mul(g, kal_int(g, 2), a), b)),
        };
        KalVerdict verdicts[4] = {{.zero = true}};
        if (kal_graph_status(g) != KAL_OK) {
            kal_graph_recover(g);
            continue;
        }
        ok(kal_identities(g, formulas, 4, verdicts) == KAL_OK);
        holds(!verdicts[0].zero, "a value, and called zero");
        holds(!verdicts[1].zero, "a value far away, and called zero");
        holds(!verdicts[2].zero || fabsl(v.value - x[1]) < 1e-6L,
              "a difference far away, and called zero");
        holds(verdicts[3].zero, "a binomial formula in branches");
    }
    end();
}

TAP_RUN(TAP_CASE(simplified_equals_unsimplified), TAP_CASE(text_reads_back),
        TAP_CASE(derivatives_match_differences),
        TAP_CASE(gradients_are_forward_derivatives),
        TAP_CASE(hessians_are_second_derivatives),
        TAP_CASE(total_derivatives_follow_their_rates),
        TAP_CASE(replacing_is_evaluating_elsewhere),
        TAP_CASE(order_of_operands_does_not_matter), TAP_CASE(collected_equals_given),
        TAP_CASE(zeros_are_proven_in_all_branches))

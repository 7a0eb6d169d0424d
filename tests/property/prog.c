// SPDX-License-Identifier: MIT

// Random programs: each gives the bits of plain evaluation, in all ways to run it, and
// programs of derivatives give what a step into the complex plane gives.
// KAL_PROPERTY_PROBLEMS sets how many there are, KAL_PROPERTY_FIRST which random program
// is the first.

#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/switch.h"
#include "prog/program_impl.h"
#include "tangle.h"
#include "tap.h"

#include <complex.h>

enum {
    SYMBOLS = 5,
    NODES = 400,
    STEPS = 100000
};

static const double STEP = 1e-30; // into the complex plane: squares of it are nothing
static const double TOLERANCE = 1e-9;

static KalContext *ctx;
static KalGraph *g;
static uint64_t seed;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? (int)strtol(text, NULL, 10) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(uint64_t number, bool plain)
{
    seed = number;
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    kal_graph_set_plain(g, plain);
}

static void end(void)
{
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

static void holds(bool condition, const char *what)
{
    if (!condition) {
        tap_failures++;
        if (tap_failures <= 20) {
            printf("# problem %llu: %s\n", (unsigned long long)seed, what);
        }
    }
}

// Evaluate by a program whose first symbols are parameters.
static void run_program(const KalExpr *e, size_t n, size_t n_parameters,
                        const double *values, double *out_values)
{
    KalExpr symbols[SYMBOLS];
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        symbols[i] = kal_symbol(g, i);
    }
    const KalProgramSpec spec = {.outputs = e,
                                 .n_outputs = n,
                                 .parameters = symbols,
                                 .n_parameters = n_parameters,
                                 .variables = symbols + n_parameters,
                                 .n_variables = SYMBOLS - n_parameters};
    KalProgram *program = NULL;
    ok(kal_program_create(g, &spec, &program) == KAL_OK);
    double *work = program ? calloc(kal_program_work(program), sizeof *work) : NULL;
    if (ok(work != NULL)) {
        kal_program_prepare(program, values, work);
        kal_program_eval(program, values + n_parameters, work, out_values);
    }
    free(work);
    kal_program_destroy(program);
}

static void random_values(Rng *rng, double *values)
{
    for (int i = 0; i < SYMBOLS; i++) {
        values[i] = 1.5 * rng_entry(rng);
    }
}

// Some roots of a random graph, compiled and evaluated plainly.
static void programs_give_the_bits_of_evaluation(void)
{
    for (int k = 0; k < problems(10); k++) {
        Rng rng = {.state = (uint64_t)k};
        KalExpr nodes[NODES];
        KalExpr roots[NODES];
        double values[SYMBOLS];
        double want[NODES];
        double got[NODES] = {0.0};
        begin((uint64_t)k, rng_int(&rng, 0, 1));
        const TangleSpec spec = {SYMBOLS, (uint32_t)rng_int(&rng, SYMBOLS, NODES),
                                 (uint32_t)rng_int(&rng, 2, NODES), false};
        tangle_build(g, &rng, spec, nodes);
        const int n_roots = rng_int(&rng, 1, (int)spec.nodes);
        for (int i = 0; i < n_roots; i++) {
            roots[i] = nodes[rng_int(&rng, 0, (int)spec.nodes - 1)];
        }
        random_values(&rng, values);
        ok(kal_eval(g, roots, (size_t)n_roots, values, want) == KAL_OK);
        run_program(roots, (size_t)n_roots, (size_t)rng_int(&rng, 0, SYMBOLS), values,
                    got);
        for (int i = 0; i < n_roots; i++) {
            holds(same_bits(got[i], want[i]), "a program gives other bits");
        }
        end();
    }
}

// A random program, on random values in lanes.
typedef struct Case {
    KalExpr roots[NODES];
    KalProgramSwitch switches[NODES];
    double values[KAL_LANES][SYMBOLS]; // first those of parameters
    double modes[NODES];
    KalProgramSpec spec;
} Case;

// Numbers of all sizes, and some that are none.
static double any_value(Rng *rng)
{
    static const double odd[] = {0.0, -0.0,   INFINITY, -INFINITY,
                                 NAN, 1e-310, 2e6,      -3e9};
    const int kind = rng_int(rng, 0, 39);
    return kind < 8    ? odd[kind]
           : kind < 12 ? rng_scale(rng, 30.0)
                       : 2.0 * rng_entry(rng);
}

static void random_case(Rng *rng, const KalExpr *nodes, int n_nodes, KalExpr *symbols,
                        Case *out)
{
    static const double modes[] = {1.0, -1.0, 0.0, NAN};
    const size_t n_parameters = (size_t)rng_int(rng, 0, SYMBOLS);
    const int n_roots = rng_int(rng, 1, rng_int(rng, 0, 1) ? 8 : n_nodes);
    for (int i = 0; i < n_roots; i++) {
        out->roots[i] = nodes[rng_int(rng, 0, n_nodes - 1)];
    }
    size_t n_switches = 0;
    for (int i = 0; i < n_nodes; i++) {
        if (kal_op_switches((KalOp)kal_graph_node(g, nodes[i]).op)) {
            const int32_t place = rng_int(rng, 1, NODES);
            out->switches[n_switches++] =
                (KalProgramSwitch){nodes[i], rng_int(rng, 0, 1) ? place : -place};
        }
    }
    for (int i = 0; i < NODES; i++) {
        out->modes[i] = modes[rng_int(rng, 0, 3)];
    }
    for (int lane = 0; lane < KAL_LANES; lane++) {
        for (int i = 0; i < SYMBOLS; i++) {
            out->values[lane][i] = any_value(rng);
        }
    }
    out->spec = (KalProgramSpec){.outputs = out->roots,
                                 .n_outputs = (size_t)n_roots,
                                 .parameters = symbols,
                                 .n_parameters = n_parameters,
                                 .variables = symbols + n_parameters,
                                 .n_variables = SYMBOLS - n_parameters,
                                 .switches = out->switches,
                                 .n_switches = n_switches,
                                 .lanes = true};
}

// The values of a case in lanes: first all lanes of the first symbol.
static void interleave(const Case *c, double *out)
{
    for (int lane = 0; lane < KAL_LANES; lane++) {
        for (int i = 0; i < SYMBOLS; i++) {
            out[i * KAL_LANES + lane] = c->values[lane][i];
        }
    }
}

// What a case gives.
typedef struct Results {
    double plain[KAL_LANES][NODES];
    double frozen[KAL_LANES][NODES];
    double lanes[KAL_LANES * NODES];
    double halves[KAL_LANES * NODES]; // as where registers are narrower
} Results;

static void run_case(const Case *c, bool native, Results *out)
{
    const size_t n_parameters = c->spec.n_parameters;
    double values[KAL_LANES * SYMBOLS];
    KalProgram *program = NULL;
    kal_context_set_native(ctx, native);
    ok(kal_program_create(g, &c->spec, &program) == KAL_OK);
    double *work =
        program ? calloc(KAL_LANES * kal_program_work(program), sizeof *work) : NULL;
    if (!ok(work != NULL)) {
        kal_program_destroy(program);
        return;
    }
    for (int lane = 0; lane < KAL_LANES; lane++) {
        const double *variables = c->values[lane] + n_parameters;
        kal_program_prepare(program, c->values[lane], work);
        kal_program_eval(program, variables, work, out->plain[lane]);
        kal_program_eval_on(program, variables, c->modes, work, out->frozen[lane]);
    }
    interleave(c, values);
    kal_program_prepare_lanes(program, values, work);
    kal_program_eval_lanes(program, values + KAL_LANES * n_parameters, work,
                           out->lanes);
    kal_native_clear(&program->native_lanes);
    ok(kal_native_init(program, KAL_NATIVE_HALF, &program->native_lanes) == KAL_OK);
    kal_program_eval_lanes(program, values + KAL_LANES * n_parameters, work,
                           out->halves);
    free(work);
    kal_program_destroy(program);
}

static void compare_ways(const Case *c, const Results *interpreted,
                         const Results *native)
{
    const size_t n = c->spec.n_outputs;
    for (size_t lane = 0; lane < KAL_LANES; lane++) {
        double want[NODES];
        ok(kal_eval(g, c->roots, n, c->values[lane], want) == KAL_OK);
        for (size_t i = 0; i < n; i++) {
            const size_t at = i * KAL_LANES + lane;
            holds(same_bits(interpreted->plain[lane][i], want[i]), "the interpreter");
            holds(same_bits(native->plain[lane][i], want[i]), "machine code");
            holds(same_bits(interpreted->lanes[at], want[i]), "lanes, interpreted");
            holds(same_bits(native->lanes[at], want[i]), "lanes, machine code");
            holds(same_bits(native->halves[at], want[i]), "lanes in two passes");
            holds(same_bits(native->frozen[lane][i], interpreted->frozen[lane][i]),
                  "switches on given pieces");
        }
    }
}

// The first problem, so that many can be tried in blocks.
static int first_problem(void)
{
    const char *text = getenv("KAL_PROPERTY_FIRST");
    return text ? (int)strtol(text, NULL, 10) : 0;
}

static void all_ways_give_the_same_bits(void)
{
    static Case c;
    static Results interpreted;
    static Results native;
    const int first = first_problem();
    const int end_at = first + problems(5);
    printf("# programs %d to %d\n", first, end_at - 1);
    for (int k = first; k < end_at; k++) {
        Rng rng = {.state = (uint64_t)k + 77};
        KalExpr nodes[NODES];
        KalExpr symbols[SYMBOLS];
        begin((uint64_t)k, true);
        const TangleSpec spec = {SYMBOLS, (uint32_t)rng_int(&rng, SYMBOLS, NODES),
                                 (uint32_t)rng_int(&rng, 2, NODES), false};
        tangle_build(g, &rng, spec, nodes);
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            symbols[i] = kal_symbol(g, i);
        }
        random_case(&rng, nodes, (int)spec.nodes, symbols, &c);
        run_case(&c, false, &interpreted);
        run_case(&c, true, &native);
        compare_ways(&c, &interpreted, &native);
        end();
    }
}

// cpow() would round the angle of a, which a tiny step must not do.
static double complex multiply_out(double complex a, int32_t n)
{
    double complex product = 1.0;
    for (int32_t i = 0; i < (n < 0 ? -n : n); i++) {
        product *= a;
    }
    return n < 0 ? 1.0 / product : product;
}

static double complex complex_step(const KalGraph *graph, const KalStep *step,
                                   double complex a, double complex b)
{
    switch ((KalOp)step->op) {
    case KAL_OP_CONST: return kal_graph_number(graph, step->node).value;
    case KAL_OP_ADD: return a + b;
    case KAL_OP_SUB: return a - b;
    case KAL_OP_NEG: return -a;
    case KAL_OP_MUL: return a * b;
    case KAL_OP_DIV: return a / b;
    case KAL_OP_POWI: return multiply_out(a, (int32_t)step->arg[1]);
    case KAL_OP_POW: return cpow(a, b);
    case KAL_OP_SQRT: return csqrt(a);
    case KAL_OP_SIN: return csin(a);
    case KAL_OP_COS: return ccos(a);
    case KAL_OP_TAN: return ctan(a);
    case KAL_OP_SINH: return csinh(a);
    case KAL_OP_COSH: return ccosh(a);
    case KAL_OP_TANH: return ctanh(a);
    case KAL_OP_EXP: return cexp(a);
    case KAL_OP_LOG: return clog(a);
    default: return NAN;
    }
}

// Whether an operation is far from its poles and cuts.
static bool is_regular(KalOp op, double complex a, double complex b)
{
    const double x = creal(a);
    switch (op) {
    case KAL_OP_DIV: return fabs(creal(b)) > 0.1;
    case KAL_OP_POWI: return fabs(x) > 0.1;
    case KAL_OP_POW: return x > 0.1 && fabs(creal(b)) < 4.0;
    case KAL_OP_SQRT:
    case KAL_OP_LOG: return x > 0.1;
    case KAL_OP_TAN: return fabs(cos(x)) > 0.2;
    case KAL_OP_SINH:
    case KAL_OP_COSH:
    case KAL_OP_EXP: return fabs(x) < 3.0;
    default: return true;
    }
}

// The derivative of the only root with respect to symbol x; false near a singularity.
static bool find_slope(const KalOrder *order, const double *values, uint32_t x,
                       double *out_slope)
{
    static double complex work[STEPS];
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        const int arity = kal_op_arity((KalOp)step->op);
        const double complex a = arity > 0 ? work[step->arg[0]] : 0.0;
        const double complex b = arity > 1 ? work[step->arg[1]] : 0.0;
        if (step->op == KAL_OP_SYMBOL) {
            const uint32_t id = step->arg[0];
            work[i] = values[id] + (id == x ? STEP * I : 0.0);
        } else {
            work[i] = complex_step(g, step, a, b);
        }
        if (!is_regular((KalOp)step->op, a, b) || !(cabs(work[i]) < 100.0)) {
            return false;
        }
    }
    *out_slope = cimag(work[order->roots[0]]) / STEP;
    return true;
}

// Compare derivatives of f, one for each symbol, with slopes; false near a singularity.
static bool compare_slopes(KalExpr f, const KalExpr *derivatives, const double *values,
                           const char *what)
{
    KalOrder order = {0};
    double got[SYMBOLS] = {0.0};
    double slope[SYMBOLS];
    bool regular = kal_order_init(g, &f, 1, &order) == KAL_OK && order.count <= STEPS;
    for (uint32_t i = 0; i < SYMBOLS && regular; i++) {
        regular = find_slope(&order, values, i, &slope[i]);
    }
    if (regular) {
        run_program(derivatives, SYMBOLS, 1, values, got);
    }
    for (int i = 0; i < SYMBOLS && regular; i++) {
        const double error = fabs(got[i] - slope[i]);
        holds(error <= TOLERANCE * tap_scale() * (1.0 + fabs(slope[i])), what);
    }
    kal_order_clear(&order);
    return regular;
}

// Gradients, and rows of second derivatives, of a random smooth formula.
static void derivatives_are_slopes(void)
{
    int met = 0;
    for (int k = 0; k < problems(4); k++) {
        Rng rng = {.state = (uint64_t)k};
        KalExpr nodes[SYMBOLS + 12];
        KalExpr df[SYMBOLS];
        KalExpr ddf[SYMBOLS];
        KalSparse H = {0};
        double values[SYMBOLS];
        begin((uint64_t)k, false);
        tangle_build(g, &rng, (TangleSpec){SYMBOLS, SYMBOLS + 12, 8, true}, nodes);
        random_values(&rng, values);
        const KalExpr f = nodes[SYMBOLS + 11];
        ok(kal_gradient(g, f, nodes, SYMBOLS, df) == KAL_OK);
        const bool regular = compare_slopes(f, df, values, "a gradient is wrong");
        ok(kal_hessian(g, f, nodes, SYMBOLS, &H) == KAL_OK);
        for (size_t i = 0; i < SYMBOLS && regular; i++) {
            for (size_t j = 0; j < SYMBOLS; j++) {
                const KalExpr e = kal_sparse_get(&H, i > j ? i : j, i > j ? j : i);
                ddf[j] = e.index != 0 ? e : kal_int(g, 0);
            }
            met += compare_slopes(df[i], ddf, values, "a second derivative is wrong");
        }
        kal_sparse_clear(&H);
        end();
    }
    ok(met >= problems(4) / 2); // enough are regular to mean something
}

TAP_RUN(TAP_CASE(programs_give_the_bits_of_evaluation),
        TAP_CASE(all_ways_give_the_same_bits), TAP_CASE(derivatives_are_slopes))

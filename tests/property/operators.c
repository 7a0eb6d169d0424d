// SPDX-License-Identifier: MIT

// All operators, by expanding the list: whatever ops.def and the switches over operators say
// of one is compared with its value.  A new row is tested because it is there.  What an
// operator's value is stands in operator.h once more, in long double.
// KAL_PROPERTY_PROBLEMS sets how many operands are tried.

#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/graph_impl.h"
#include "expr/switch.h"
#include "formula.h"
#include "operator.h"
#include "prog/program.h"
#include "rng.h"
#include "tap.h"
#include "zero/identity.h"

#include <float.h>
#include <stdio.h>

typedef long double Real;

enum {
    SYMBOLS = 3,
    EXPONENT = 3 // of POWI
};

static KalContext *ctx;
static KalGraph *g;

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / share > 10 ? all / share : 10;
}

static void begin(bool plain)
{
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    kal_graph_set_plain(g, plain);
    formula_n_names = 0;
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        static const char *const names[SYMBOLS] = {"x", "y", "z"};
        formula_id(names[i], 1);
    }
}

static void end(void)
{
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

static bool holds(bool condition, KalOp op, const char *what)
{
    if (!ok(condition)) {
        printf("# %s (operator %d): %s\n", kal_op_word(op), (int)op, what);
    }
    return condition;
}

static bool near_to(Real got, Real want, Real tolerance)
{
    return (isnan(got) && isnan(want))
           || fabsl(got - want) <= tolerance * (Real)tap_scale() * (1.0L + fabsl(want));
}

// The operator with operands.
static KalExpr build(KalOp op, const KalExpr *x)
{
    const KalExpr arg[3] = {x[0], op == KAL_OP_POWI ? (KalExpr){EXPONENT} : x[1], x[2]};
    return kal_build(g, op, arg);
}

static void symbols(KalExpr *x)
{
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        x[i] = kal_symbol(g, i);
    }
}

static bool is_condition_of(KalOp op, int k)
{
    return kal_op_kind(op) == KAL_KIND_LOGIC || (op == KAL_OP_SELECT && k == 0);
}

// Operands of both signs and several sizes; conditions are 0 or 1.
static void choose(Rng *rng, KalOp op, double *x)
{
    for (int k = 0; k < SYMBOLS; k++) {
        const double size = rng_int(rng, 0, 1) ? 3.0 : 0.9;
        x[k] = is_condition_of(op, k) ? rng_int(rng, 0, 1) : size * rng_entry(rng);
    }
}

static Real value_of(KalOp op, const Real *x)
{
    return operator_value(op, x[0], x[1], x[2], EXPONENT);
}

static bool is_regular(KalOp op, const double *x)
{
    return operator_is_regular(op, x[0], x[1], EXPONENT);
}

// Every operator that has operands, as a constant of this name; but for tables, whose values
// are those of their points (tests/unit/expr/test_spline.c).
#define EACH_OPERATOR(op)                                                \
    for (KalOp op = KAL_OP_ADD; op < KAL_OP_COUNT; op = (KalOp)(op + 1)) \
        if (!kal_op_is_spline(op))

// Plain evaluation and the operator's own function give the value.
static void values_are_right(void)
{
    begin(false);
    KalExpr x[SYMBOLS];
    symbols(x);
    EACH_OPERATOR(op)
    {
        Rng rng = {.state = (uint64_t)op};
        const KalExpr e = build(op, x);
        int met = 0;
        for (int i = 0; i < problems(20); i++) {
            double v[SYMBOLS];
            double got = 0.0;
            choose(&rng, op, v);
            if (is_regular(op, v)) {
                const Real exact[3] = {v[0], v[1], v[2]};
                const Real want = value_of(op, exact);
                met++;
                ok(kal_eval(g, &e, 1, v, &got) == KAL_OK);
                holds(near_to(got, want, 1e-13L), op, "evaluation");
                holds(
                    near_to(kal_op_value(op, v[0], v[1], v[2], EXPONENT), want, 1e-13L),
                    op, "value");
            }
        }
        holds(met > 5, op, "hardly ever regular");
    }
    end();
}

// The slope by central differences of fourth order.
static Real slope_of(KalOp op, const double *x, int k)
{
    const Real h = 1e-3L;
    Real f[4];
    for (int i = 0; i < 4; i++) {
        static const int steps[] = {-2, -1, 1, 2};
        Real at[SYMBOLS] = {x[0], x[1], x[2]};
        at[k] += h * (Real)steps[i];
        f[i] = value_of(op, at);
    }
    return (8.0L * (f[2] - f[1]) - (f[3] - f[0])) / (12.0L * h);
}

static void derivatives_are_slopes(void)
{
    begin(false);
    KalExpr x[SYMBOLS];
    symbols(x);
    EACH_OPERATOR(op)
    {
        Rng rng = {.state = 100U + (uint64_t)op};
        const KalExpr e = build(op, x);
        for (int k = 0; k < kal_op_arity(op); k++) {
            KalExpr slope = KAL_NO_EXPR;
            ok(kal_diff(g, e, x[k], &slope) == KAL_OK);
            for (int i = 0; i < problems(50) && !is_condition_of(op, k); i++) {
                double v[SYMBOLS];
                double got = 0.0;
                choose(&rng, op, v);
                if (is_regular(op, v)) {
                    ok(kal_eval(g, &slope, 1, v, &got) == KAL_OK);
                    holds(near_to(got, slope_of(op, v, k), 1e-5L), op, "derivative");
                }
            }
        }
    }
    end();
}

// What a row says of parity, domain and commuting holds, and nothing is kept back: a
// function that is odd as far as it is tried is called so.
static void rows_say_what_is_true(void)
{
    EACH_OPERATOR(op)
    {
        Rng rng = {.state = 200U + (uint64_t)op};
        bool odd = kal_op_arity(op) == 1 && op != KAL_OP_POWI && op != KAL_OP_NOT;
        bool even = odd;
        for (int i = 0; i < problems(50); i++) {
            double v[SYMBOLS];
            choose(&rng, op, v);
            const double f = kal_op_value(op, v[0], v[1], v[2], EXPONENT);
            const double turned = kal_op_value(op, -v[0], v[1], v[2], EXPONENT);
            const double swapped = kal_op_value(op, v[1], v[0], v[2], EXPONENT);
            odd = odd && (turned == -f || isnan(f));
            even = even && (turned == f || isnan(f));
            if (kal_op_commutes(op)) {
                holds(f == swapped, op, "commutes");
            }
        }
        const KalParity parity = kal_op_parity(op);
        holds(odd == (parity == KAL_PARITY_ODD), op, "odd");
        holds(even == (parity == KAL_PARITY_EVEN), op, "even");
    }
}

static bool is_in_domain(KalOp op, const double *x)
{
    switch (kal_op_domain(op)) {
    case KAL_DOMAIN_NONNEGATIVE: return x[0] >= 0.0;
    case KAL_DOMAIN_POSITIVE: return x[0] > 0.0;
    case KAL_DOMAIN_UNIT: return fabs(x[0]) <= 1.0;
    case KAL_DOMAIN_DIVISOR: return x[1] != 0.0;
    case KAL_DOMAIN_POWER: return op == KAL_OP_POWI || x[0] > 0.0;
    case KAL_DOMAIN_EVERYWHERE:
    case KAL_DOMAIN_GROWING: break;
    }
    return true;
}

static void domains_are_where_values_are(void)
{
    EACH_OPERATOR(op)
    {
        Rng rng = {.state = 300U + (uint64_t)op};
        for (int i = 0; i < problems(20); i++) {
            static const double special[] = {0.0, 1.0, -1.0, 2.0, -2.0};
            double x[SYMBOLS];
            choose(&rng, op, x);
            for (int k = 0; k < 2 && !is_condition_of(op, k); k++) {
                x[k] = rng_int(&rng, 0, 2) ? x[k] : special[rng_int(&rng, 0, 4)];
            }
            const double f = kal_op_value(op, x[0], x[1], x[2], EXPONENT);
            holds(isfinite(f) || !is_in_domain(op, x), op, "no value in its domain");
            if (kal_op_domain(op) != KAL_DOMAIN_POWER) {
                holds(!isfinite(f) || is_in_domain(op, x), op, "a value outside");
            }
            if (kal_op_domain(op) == KAL_DOMAIN_EVERYWHERE) {
                holds(isfinite(kal_op_value(op, 1e3 * x[0], 1e3 * x[1], x[2], 3)), op,
                      "grows");
            }
        }
    }
}

// An operand of known sign, and a value that it may have.
static KalExpr of_sign(KalSign sign, KalExpr x)
{
    switch (sign) {
    case KAL_SIGN_NONNEGATIVE: return kal_unary(g, KAL_OP_ABS, x);
    case KAL_SIGN_POSITIVE: return kal_unary(g, KAL_OP_EXP, x);
    case KAL_SIGN_ANY: break;
    }
    return x;
}

static void signs_by_form_are_those_of_values(void)
{
    begin(true);
    KalExpr x[SYMBOLS];
    symbols(x);
    EACH_OPERATOR(op)
    {
        Rng rng = {.state = 400U + (uint64_t)op};
        for (int i = 0; i < problems(20); i++) {
            const KalSign a = (KalSign)rng_int(&rng, 0, 2);
            const KalSign b = (KalSign)rng_int(&rng, 0, 2);
            const KalExpr arg[3] = {of_sign(a, x[0]), of_sign(b, x[1]), x[2]};
            const KalExpr e = build(op, arg);
            const KalSign sign = kal_sign_by_form(g, e, a, b);
            double v[SYMBOLS];
            double got = 0.0;
            choose(&rng, op, v);
            ok(kal_eval(g, &e, 1, v, &got) == KAL_OK);
            holds(sign == KAL_SIGN_ANY || !(got < 0.0), op, "negative");
            holds(sign != KAL_SIGN_POSITIVE || got != 0.0, op, "not positive");
        }
    }
    end();
}

// x y as x y, and as ((x + y)² − x² − y²)/2.
static void same_operands(KalExpr *a, KalExpr *b)
{
    KalExpr x[SYMBOLS];
    symbols(x);
    const KalExpr square = kal_powi(g, kal_add(g, x[0], x[1]), 2);
    const KalExpr rest = kal_add(g, kal_powi(g, x[0], 2), kal_powi(g, x[1], 2));
    const KalExpr twice = kal_sub(g, square, rest);
    const KalExpr product = kal_mul(g, x[0], x[1]);
    const KalExpr other = kal_div(g, twice, kal_int(g, 2));
    for (int k = 0; k < 3; k++) {
        a[k] = k == 1 ? x[2] : product;
        b[k] = k == 1 ? x[2] : other;
    }
}

// Tests for zero know that equal operands give equal values, whatever the operator; they do
// not say so of others; and what a row says of parity they can prove.
static void zero_tests_know_all_operators(void)
{
    begin(true);
    EACH_OPERATOR(op)
    {
        KalExpr a[3];
        KalExpr b[3];
        same_operands(a, b);
        const KalExpr c[3] = {kal_neg(g, a[0]), a[1], a[2]};
        const KalExpr d[3] = {kal_add(g, a[0], kal_int(g, 1)), a[1], a[2]};
        const KalParity parity = kal_op_parity(op);
        const KalExpr turned = parity == KAL_PARITY_ODD
                                   ? kal_add(g, build(op, c), build(op, a))
                                   : kal_sub(g, build(op, c), build(op, a));
        const KalExpr e[] = {kal_sub(g, build(op, a), build(op, b)), build(op, a),
                             kal_sub(g, build(op, a), build(op, d)), turned};
        KalVerdict verdict[4];
        if (!ok(kal_identities(g, e, 4, verdict) == KAL_OK)) {
            continue;
        }
        // Roots and logarithms are taken apart by factors, so that not all is proven.
        const bool branched = kal_op_nature(op) == KAL_NATURE_BRANCHED;
        holds(branched ? verdict[0].zero || verdict[0].open
                       : verdict[0].zero && verdict[0].exact,
              op, "equal operands");
        holds(!verdict[1].zero, op, "zero");
        holds(!verdict[2].zero, op, "other operands");
        holds(kal_op_is_piecewise(op) || !verdict[2].open, op, "not decided");
        if (parity != KAL_PARITY_NEITHER) {
            holds(verdict[3].zero && verdict[3].exact, op, "parity");
        }
    }
    end();
}

// Text of the language reads back as the same node; mathematics has a name or a mark.
static void text_reads_back(void)
{
    begin(false);
    KalExpr x[SYMBOLS];
    symbols(x);
    EACH_OPERATOR(op)
    {
        const KalExpr e = build(op, x);
        if (op == KAL_OP_WHERE) {
            continue; // readers see the value alone
        }
        const char *text = formula_print(g, e, KAL_FORMAT_TEXT);
        const KalExpr back = formula_parse(g, text);
        const bool condition = kal_is_condition(g, e) || op == KAL_OP_SELECT;
        holds(condition ? kal_graph_node(g, back).op == KAL_OP_SELECT
                        : back.index == e.index,
              op, text);
        text = formula_print(g, e, KAL_FORMAT_LATEX);
        holds(!strstr(text, "{}") && strstr(text, "x"), op, text);
        text = formula_print(g, e, KAL_FORMAT_MATHML);
        holds(!strstr(text, "<mi></mi>") && strstr(text, "x"), op, text);
        const KalMath math = kal_op_math(op);
        const bool named = math == KAL_MATH_NAME || math == KAL_MATH_COMMAND
                           || math == KAL_MATH_POWERED;
        holds(named == (kal_op_name(op)[0] != '\0'), op, "name");
        holds(named <= (kal_op_kind(op) == KAL_KIND_CALL), op, "a name without a call");
    }
    end();
}

// The piece of a switch at a level and a value of its function.
static double piece_of(const KalSwitchForm *form, double level)
{
    return form->steps ? floor(level) : form->orientation * level;
}

// Values of a switch on the piece that its operands are on, which are the operator's; a
// switch of a switch, so that one waits for the other.
static void try_pieces(KalOp op, const KalExpr *x)
{
    Rng rng = {.state = 500U + (uint64_t)op};
    const KalExpr inner = build(op, x);
    const KalExpr arg[3] = {kal_add(g, inner, x[2]), x[1], x[2]};
    const KalExpr e[2] = {inner, build(op, arg)};
    const KalProgramSwitch where[2] = {
        {e[0], 1},
        {e[1], 2}
    };
    const KalProgramSpec spec = {.outputs = e,
                                 .n_outputs = 2,
                                 .variables = x,
                                 .n_variables = SYMBOLS,
                                 .switches = where,
                                 .n_switches = 2};
    const KalSwitchForm forms[2] = {kal_switch_form(g, e[0]), kal_switch_form(g, e[1])};
    const KalExpr formulas[4] = {forms[0].level, forms[0].function, forms[1].level,
                                 forms[1].function};
    KalProgram *program = NULL;
    ok(kal_program_create(g, &spec, &program) == KAL_OK);
    double *work = calloc(kal_program_work(program), sizeof *work);
    kal_program_prepare(program, NULL, work);
    for (int i = 0; i < problems(20); i++) {
        double v[SYMBOLS];
        double told[4] = {0.0};
        double got[2] = {0.0};
        double want[2] = {0.0};
        choose(&rng, op, v);
        const double first = kal_op_value(op, v[0], v[1], v[2], EXPONENT);
        const double outer[SYMBOLS] = {first + v[2], v[1], v[2]};
        ok(kal_eval(g, formulas, 4, v, told) == KAL_OK);
        if (is_regular(op, v) && is_regular(op, outer)) {
            double modes[2] = {piece_of(&forms[0], told[0]),
                               piece_of(&forms[1], told[2])};
            kal_program_eval_on(program, v, modes, work, got);
            kal_program_eval(program, v, work, want);
            holds(near_to(got[0], want[0], 1e-13L), op, "value on its piece");
            holds(near_to(got[1], want[1], 1e-13L), op, "value of a value");
            holds(told[1] != 0.0, op, "zero inside a piece");
            modes[0] += 1.0; // another piece, which counts wherever operands are
            kal_program_eval_on(program, v, modes, work, got);
            holds(op == KAL_OP_ABS || got[0] != want[0] || !forms[0].steps, op,
                  "not on another piece");
        }
    }
    free(work);
    kal_program_destroy(program);
}

// By machine code where there is any, and by loops.
static void pieces_make_up_the_operator(void)
{
    for (int native = 0; native < 2; native++) {
        begin(false);
        KalExpr x[SYMBOLS];
        symbols(x);
        kal_context_set_native(ctx, native == 1);
        EACH_OPERATOR(op)
        {
            if (kal_op_switches(op)) {
                try_pieces(op, x);
            }
        }
        end();
    }
}

// a − b ⌊a/b⌋ in doubles, kept from what rounding makes of it beyond 0 and b.
static double rest_of(double a, double b)
{
    const volatile double ratio = a / b;
    const volatile double whole = b * floor(ratio);
    const double rest = a - whole;
    const double inner = nextafter(b, 0.0);
    return b > 0.0 ? fmin(fmax(rest, 0.0), inner) : fmax(fmin(rest, 0.0), inner);
}

// The remainder where a is a multiple of b, or next to one: by definition, of a program, and on
// the piece that the level tells.  The divisor is symbol 1, or a number.
static void try_multiple(const KalProgram *program, KalExpr level, double *work,
                         double a, double b)
{
    const double v[2] = {a, b};
    const double want = rest_of(a, b);
    double told = 0.0;
    double got = 0.0;
    holds(kal_op_value(KAL_OP_MOD, a, b, 0.0, 0) == want, KAL_OP_MOD, "definition");
    kal_program_eval(program, v, work, &got);
    holds(got == want, KAL_OP_MOD, "of a program");
    ok(kal_eval(g, &level, 1, v, &told) == KAL_OK);
    const double mode = floor(told);
    kal_program_eval_on(program, v, &mode, work, &got);
    holds(fabs(got - want) <= 2.0 * DBL_EPSILON * (fabs(a) + fabs(b)), KAL_OP_MOD,
          "on its piece at a multiple");
}

static void try_multiples(KalExpr divisor, double b)
{
    const KalExpr x[2] = {kal_symbol(g, 0), kal_symbol(g, 1)};
    const KalExpr arg[3] = {x[0], divisor, x[0]};
    const KalExpr e = kal_build(g, KAL_OP_MOD, arg);
    const KalProgramSwitch where = {e, 1};
    const KalProgramSpec spec = {.outputs = &e,
                                 .n_outputs = 1,
                                 .variables = x,
                                 .n_variables = 2,
                                 .switches = &where,
                                 .n_switches = 1};
    KalProgram *program = NULL;
    ok(kal_program_create(g, &spec, &program) == KAL_OK);
    double *work = calloc(kal_program_work(program), sizeof *work);
    kal_program_prepare(program, NULL, work);
    const KalExpr level = kal_switch_form(g, e).level;
    for (int k = -60; k <= 60; k++) {
        const double a = k * b;
        try_multiple(program, level, work, a, b);
        try_multiple(program, level, work, nextafter(a, INFINITY), b);
        try_multiple(program, level, work, nextafter(a, -INFINITY), b);
        try_multiple(program, level, work, k * 0.1, b);
    }
    free(work);
    kal_program_destroy(program);
}

// By machine code where there is any, and by loops.
static void remainders_fit_their_pieces(void)
{
    for (int native = 0; native < 2; native++) {
        begin(false);
        kal_context_set_native(ctx, native == 1);
        for (int i = 1; i <= 30; i++) {
            const KalExpr tenths = kal_div(g, kal_int(g, i), kal_int(g, 10));
            try_multiples(kal_symbol(g, 1), i / 10.0);
            try_multiples(kal_symbol(g, 1), -i / 10.0);
            try_multiples(tenths, i / 10.0);
            try_multiples(kal_neg(g, tenths), -i / 10.0);
        }
        try_multiples(kal_symbol(g, 1), 3.14159265358979323846);
        try_multiples(kal_pi(g), 3.14159265358979323846);
        end();
    }
}

TAP_RUN(TAP_CASE(values_are_right), TAP_CASE(derivatives_are_slopes),
        TAP_CASE(rows_say_what_is_true), TAP_CASE(domains_are_where_values_are),
        TAP_CASE(signs_by_form_are_those_of_values),
        TAP_CASE(zero_tests_know_all_operators), TAP_CASE(text_reads_back),
        TAP_CASE(pieces_make_up_the_operator), TAP_CASE(remainders_fit_their_pieces))

// SPDX-License-Identifier: MIT

#include "graph.h"
#include "rng.h"
#include "zero/basis.h"
#include "zero/identity.h"

// Formulas that are zero though the graph does not see it, and how that is found out.
static void zero(const char *text, bool exact)
{
    const KalExpr e = f(text);
    KalVerdict verdict = {0};
    ok(e.index != 0);
    ok(kal_identities(g, &e, 1, &verdict) == KAL_OK);
    if (!ok(verdict.zero && verdict.exact == exact)) {
        printf("#   %s: %s%s\n", text, verdict.zero ? "zero" : "not zero",
               verdict.exact ? ", exactly" : "");
    }
}

static void nonzero(const char *text, bool exact)
{
    const KalExpr e = f(text);
    KalVerdict verdict = {.zero = true};
    ok(e.index != 0);
    ok(kal_identities(g, &e, 1, &verdict) == KAL_OK);
    if (!ok(!verdict.zero && verdict.exact == exact)) {
        printf("#   %s: %s%s\n", text, verdict.zero ? "zero" : "not zero",
               verdict.exact ? ", exactly" : "");
    }
}

// Formulas that doubles find to be zero wherever they look, which proves nothing.
static void undecided(const char *text)
{
    const KalExpr e = f(text);
    KalVerdict verdict = {.zero = true};
    ok(e.index != 0);
    ok(kal_identities(g, &e, 1, &verdict) == KAL_OK);
    if (!ok(!verdict.zero && verdict.open)) {
        printf("#   %s: %s%s\n", text, verdict.zero ? "zero" : "not zero",
               verdict.open ? ", or not" : "");
    }
}

static void algebra_is_exact(void)
{
    begin();
    zero("0", true);
    zero("(x + y)^2 - x^2 - 2*x*y - y^2", true);
    zero("1/(x + y) + 1/(x - y) - 2*x/(x^2 - y^2)", true);
    zero("(x^5 - y^5)/(x - y) - x^4 - x^3*y - x^2*y^2 - x*y^3 - y^4", true);
    zero("0.1*(x + y) + 0.2*(x + y) - 0.3*x - 3/10*y", true);
    nonzero("1", true);
    nonzero("x", true);
    nonzero("(x + y)^2 - x^2 - 2.0000001*x*y - y^2", true);
    nonzero("pi - 3141592653589793/1000000000000000", true);
    nonzero("0.1*(x + y) - 0.100000000000000001*x - y/10", true);
    end();
}

static void angles_add(void)
{
    begin();
    zero("sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)", true);
    zero("cos(3*x) - 4*cos(x)^3 + 3*cos(x)", true);
    zero("sin(x)^2 + cos(x + pi/2)*cos(x - pi/2) - sin(x)*sin(x) + sin(x)^2", true);
    zero("sin(w*t + x/2)^2 - (1 - cos(2*w*t + x))/2", true);
    zero("sin(x^2 + y) - sin(x^2)*cos(y) - cos(x*x)*sin(y)", true);
    zero("sin((x + y)^2) - sin(x^2 + 2*x*y)*cos(y^2) - cos(x^2 + 2*x*y)*sin(y^2)",
         true);
    zero("tan(x) - sin(2*x)/(1 + cos(2*x))", true);
    zero("sin(x + pi/3) - sin(x)/2 - cos(x)*cos(pi/6)", true);
    zero("cos(20*pi/180)*cos(40*pi/180)*cos(80*pi/180) - 1/8", true);
    zero("sin(x + 1)*cos(1) - cos(x + 1)*sin(1) - sin(x)", true);
    zero("sin(t/3)*cos(t/3) - sin(2/3*t)/2", true);
    zero("sin(0.1234567*t)*cos(0.1234567*t) - sin(0.2469134*t)/2", true);
    zero("cosh(x)^2 - sinh(x)^2 + exp(x)*exp(-x) - 2", true);
    zero("exp(2*x + y) - (cosh(x) + sinh(x))^2*exp(y)", true);
    zero("tanh(x) - (exp(2*x) - 1)/(exp(2*x) + 1)", true);
    nonzero("sin(x) - x", true);
    nonzero("sin(x) - cos(x)", true);
    nonzero("exp(x) - cosh(x)", true);
    nonzero("sin(w*t) - sin(w + t)", true);
    nonzero("log(x) - x", true);
    nonzero("cos(pi/7) - 9009688679/10000000000", true);
    end();
}

static void roots_are_exact_where_they_are_independent(void)
{
    begin();
    zero("sqrt(x + y)^4 - (x^2 + 2*x*y + y^2)", true);
    zero("1/sqrt(x^2 + y^2) - sqrt(x^2 + y^2)/(x^2 + y^2)", true);
    zero("(x + y)^1.5 - (x + y)*sqrt(x + y)", true);
    zero("hypot(x, y)*hypot(x, y) - x^2 - y^2", true);
    zero("(sqrt(x + 1) - sqrt(y))*(sqrt(x + 1) + sqrt(y)) - x - 1 + y", true);
    nonzero("sqrt(x^2 + y^2) - x", true);
    nonzero("sqrt(x) + sqrt(y) - sqrt(x + y)", true);
    zero("sqrt(x)*sqrt(y) - sqrt(x*y) + z - z*(x + y)/(y + x)", true);
    nonzero("sqrt(x)*sqrt(y) + sqrt(x*y)", false);
    nonzero("sqrt(x^2 + 2*x*y + y^2) + x + y", false);
    zero("sqrt(2)*sqrt(3) - sqrt(6)", false);
    zero("x*sqrt(11)*sqrt(13) - x*sqrt(143)", false);
    end();
}

static void other_functions_are_known_by_their_operands(void)
{
    begin();
    zero("asin(x/9) + acos(x/9) - pi/2", true);
    zero("atan(2*x/(1 - x^2)/5) + atan(-2*x/(1 - x^2)/5)", true);
    zero("log(x^2*y^2) - 2*log(abs(x)) - 2*log(abs(y))", true);
    zero("log(x*y) - log(x) - log(y)", true);
    zero("exp(3*log(x) + y) - x^3*exp(y)", true);
    zero("x^y*x^(1 - y) - x", true);
    zero("(x + y)^(z + 2) - (x^2 + 2*x*y + y^2)*(x + y)^z", true);
    zero("sin(asin(x/9))*9 - x", true);
    zero("cos(atan2(x, y)) - y/hypot(x, y)", true);
    zero("sin(2*atan(x)) - 2*x/(1 + x^2)", true);
    zero("sin(x + atan2(y, z))*hypot(y, z) - sin(x)*z - cos(x)*y", true);
    zero("sin(atan2(x, y))^2 + cos(atan2(x, y))^2 - 1", true);
    zero("sin(x/(1 + y))^2 + cos(x/(1 + y))^2 - 1", true);
    nonzero("atan(x) - x + x^3/3 - x^5/5", false);
    nonzero("log(x*y) - log(x) - 2*log(y)", false);
    nonzero("asin(sin(x)) - x", false);
    nonzero("atan(x) + atan(1/x) - pi/2", false);
    nonzero("atan2(sin(x), cos(x)) - x", false);
    nonzero("sqrt(-1 - x^2)", true); // a number only where residues are
    undecided("asin(2 + x^2)");      // no value anywhere
    end();
}

// What is zero on one branch, or on both, wherever the branches are.
static void branches_are_all_looked_at(void)
{
    begin();
    zero("max(x, y) + min(x, y) - (x + y)", true);
    zero("2*if(x > 10, x + y, z) - if(x > 10, 2*y + 2*x, 2*z)", true);
    zero("if(x > 10, x^2 - y^2, 0) - (x - y)*if(x > 10, x + y, 0)", true);
    zero("sin(if(x > y, x, z))^2 + cos(if(x > y, x, z))^2 - 1", true);
    zero("if(x < y, x, y) + if(x >= y, x, y) - x - y", true);
    zero("abs(x - y)*z - abs(y - x)*z", true);
    nonzero("max(x, 0) - x", false);
    nonzero("abs(x) - x", false);
    nonzero("if(x < y, 0, 1)", false);
    nonzero("if(x > 10, y, 0)", false);
    nonzero("max(0, x - 10)", false);
    nonzero("if(x > 10, x*y, x) - x", false);
    undecided("if(x > 1000000, y, 0)");
    undecided("max(0, x - 1000000)");
    undecided("abs(x - 1000000) + x - 1000000");
    undecided("sqrt(x^2 - 2000000*x + 1000000000000) - 1000000 + x");
    undecided("if(x^2 < 0, y, 0)");
    undecided("sign(x)*abs(x) - x");
    undecided("atan2(x, y) - atan(x/y) - if(y < 0, if(x < 0, -pi, pi), 0)");
    end();
}

// Doubles decide on formulas with rounded numbers, but not where these make terms vanish.
static void what_goes_under_in_rounding_is_no_zero(void)
{
    begin();
    const KalExpr k = kal_const(g, 0.1 * 0.3 * 0.7);
    const KalExpr e[] = {
        kal_sub(g, kal_mul(g, f("3*x*y"), k),
                kal_mul(g, f("x"), kal_mul(g, f("y"), kal_mul(g, f("3"), k)))),
        kal_add(g, f("1"),
                kal_unary(g, KAL_OP_TANH, kal_mul(g, f("50*(x - 1000000)"), k))),
        kal_sub(g,
                kal_add(g, f("x^2 + y"), kal_mul(g, f("x/100000000000000000000"), k)),
                f("x^2 + y")),
    };
    KalVerdict verdict[3] = {{0}};
    ok(kal_identities(g, e, 3, verdict) == KAL_OK);
    ok(verdict[0].zero);
    ok(!verdict[1].zero);
    ok(!verdict[2].zero);
    end();
}

// 1e20 times a small difference: what counts is the size of the terms.
static void errors_follow_the_terms(void)
{
    begin();
    const KalExpr third = kal_const(g, 1.0 / 3.0);
    const KalExpr e[] = {
        kal_sub(g, kal_mul(g, third, f("(x + y)^2")),
                kal_mul(g, third, f("x^2 + 2*x*y + y^2"))),
        kal_sub(g, kal_mul(g, kal_const(g, 1e20), f("atan(x) + y")),
                kal_mul(g, kal_const(g, 1e20), f("atan(x)"))),
        kal_sub(g, kal_mul(g, third, f("(x + y)*3.0001")), f("x + y")),
    };
    KalVerdict verdict[3] = {{0}};
    ok(kal_identities(g, e, 3, verdict) == KAL_OK);
    ok(verdict[0].zero && verdict[0].exact);
    ok(!verdict[1].zero && !verdict[1].exact);
    ok(!verdict[2].zero && !verdict[2].exact);
    end();
}

// Arguments that are too long, or powers too high, to be taken apart; and such that doubles
// say nothing about their sines, which proves nothing.
static void limits_lead_to_atoms(void)
{
    begin();
    const char *const u = "(a + b + c + d + e + h)^12/1000";
    char text[400];
    snprintf(text, sizeof text, "sin(2*%s) - 2*sin(%s)*cos(%s)", u, u, u);
    zero(text, true);
    snprintf(text, sizeof text, "sin(2*%s) - sin(%s)*cos(%s)", u, u, u);
    nonzero(text, false);
    nonzero("sin((a + b + c + d + e + h)^64*1000000000000)", false);
    zero("sin(x^60)*cos(x^60) - sin(2*x^60)/2", true);
    zero("sin(x^70)*cos(x^70) - sin(2*x^70)/2 + y - (y^2 + y)/(y + 1)", true);
    zero("sin(x/1234567891)*cos(x/1234567891) - sin(2*x/1234567891)/2", true);
    end();
}

// What a probe is asked later shares what it saw before.
static void probes_go_on(void)
{
    begin();
    const KalExpr first = f("sin(x) + sqrt(y)");
    KalProbe *probe = NULL;
    KalVerdict verdict = {0};
    ok(kal_probe_create(g, &first, 1, &probe) == KAL_OK);
    const char *const zeros[] = {"cos(2*x) - 1 + 2*sin(x)^2", "(y - sqrt(y)^2)*x",
                                 "sin(x/7)*cos(x/7) - sin(2/7*x)/2",
                                 "sqrt(x + 1)^2 - x - 1 + (x + y)/(y + x) - 1"};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        const KalExpr e = f(zeros[i]);
        ok(kal_probe_test(probe, &e, 1, &verdict) == KAL_OK);
        ok(verdict.zero);
        const KalExpr other = kal_add(g, e, f("x*y"));
        ok(kal_probe_test(probe, &other, 1, &verdict) == KAL_OK);
        ok(!verdict.zero);
    }
    kal_probe_destroy(probe);
    end();
}

// A formula that is equal to an older one, or to a number, becomes that.
static void probes_find_shorter_formulas(void)
{
    begin();
    const KalExpr first[] = {f("x"), f("sin(x + y)"), f("x*y - z")};
    KalProbe *probe = NULL;
    ok(kal_probe_create(g, first, 3, &probe) == KAL_OK);
    const char *const long_and_short[][2] = {
        {"(x^2 - y^2)/(x - y) - y",                         "x"          },
        {"-sin(x)*cos(y) - cos(x)*sin(y)",                  "-sin(x + y)"},
        {"(z*(1 + y) - x*y*(1 + y))/(1 + y)",               "-(x*y - z)" },
        {"((x + 1)^3 - x^3 - 3*x^2 - 3*x - 1 + 7*y)/y",     "7"          },
        {"((x + 1)^3 - x^3 - 3*x^2 - 3*x - 1 - 12*y)/y",    "-12"        },
        {"((x + 1)^3 - x^3 - 3*x^2 - 3*x - 1 + y*x^2*z)/y", NULL         },
        {"atan(x)*(x + y) - atan(x)*y",                     NULL         },
    };
    for (size_t i = 0; i < sizeof long_and_short / sizeof long_and_short[0]; i++) {
        const KalExpr before = f(long_and_short[i][0]);
        KalExpr e = before;
        ok(kal_probe_simplify(probe, &e) == KAL_OK);
        ok(e.index == (long_and_short[i][1] ? f(long_and_short[i][1]) : before).index);
    }
    kal_probe_destroy(probe);
    end();
}

// The rank of [u v; u+v …] by symbols that make rows depend on each other.
static void ranks_are_generic(void)
{
    begin();
    const KalExpr e[] = {f("x*y^2 + sin(z)"), f("x^2*y - cos(z)"),
                         f("x*y^2 + x^2*y + sin(z) - cos(z)"), f("y*z")};
    const KalExpr x[] = {f("x"), f("y"), f("z")};
    const size_t ranks[] = {1, 2, 2, 3};
    for (size_t m = 1; m <= 4; m++) {
        KalSparse J = {0};
        KalProbe *probe = NULL;
        KalRank rank = {0};
        ok(kal_jacobian(g, e, m, x, 3, &J) == KAL_OK);
        ok(kal_probe_create(g, J.value, (size_t)J.start[m], &probe) == KAL_OK);
        ok(kal_probe_rank(probe, &J, KAL_RANK_ENTRIES, &rank) == KAL_OK);
        ok(rank.least == ranks[m - 1] && rank.most == rank.least && rank.exact);
        kal_probe_destroy(probe);
        kal_sparse_clear(&J);
    }
    end();
}

static void ranks_without_residues_are_found(void)
{
    begin();
    const KalExpr e[] = {f("atan2(x, y) + abs(z)"), f("x*z*abs(x)"),
                         f("3*atan2(x, y) + 3*abs(z) + x*z*abs(x)")};
    const KalExpr x[] = {f("x"), f("y"), f("z")};
    KalSparse J = {0};
    KalProbe *probe = NULL;
    KalRank rank = {0};
    ok(kal_jacobian(g, e, 3, x, 3, &J) == KAL_OK);
    ok(kal_probe_create(g, J.value, (size_t)J.start[3], &probe) == KAL_OK);
    ok(kal_probe_rank(probe, &J, KAL_RANK_ENTRIES, &rank) == KAL_OK);
    ok(rank.least == 2 && rank.most == 2 && !rank.exact);
    kal_probe_destroy(probe);
    kal_sparse_clear(&J);
    end();
}

enum {
    ROWS = 24,
    COLUMNS = 20
};

// A sparse matrix of small whole numbers: some rows are sums of others, some repeat them or
// are zero.
typedef struct Numbers {
    int a[ROWS][COLUMNS];
} Numbers;

static Numbers random_numbers(Rng *rng)
{
    Numbers numbers = {{{0}}};
    const int filled = rng_int(rng, 1, 6);
    for (int i = 0; i < ROWS; i++) {
        const int first = rng_int(rng, 0, i);
        const int second = rng_int(rng, 0, i);
        const bool sum = i > 0 && rng_unit(rng) < 0.3;
        for (int j = 0; j < COLUMNS && sum; j++) {
            numbers.a[i][j] = (first < i ? numbers.a[first][j] : 0)
                              + (second < i ? 2 * numbers.a[second][j] : 0);
        }
        for (int k = 0; k < filled && !sum; k++) {
            const int j = rng_int(rng, 0, COLUMNS - 1);
            numbers.a[i][j] = rng_int(rng, -3, 3);
        }
    }
    return numbers;
}

// The rank by dense elimination.
static size_t dense_rank(const Numbers *numbers)
{
    KalBasis basis;
    ok(kal_basis_init(ctx, KAL_ARITHMETIC_RESIDUES, COLUMNS, COLUMNS, &basis)
       == KAL_OK);
    for (int i = 0; i < ROWS; i++) {
        KalScalar row[COLUMNS];
        bool added = false;
        for (int j = 0; j < COLUMNS; j++) {
            row[j] = kal_scalar_of(KAL_ARITHMETIC_RESIDUES,
                                   kal_rational(numbers->a[i][j], 1));
        }
        ok(kal_basis_add(&basis, row, &added) == KAL_OK);
    }
    const size_t rank = basis.rank;
    kal_basis_clear(&basis);
    return rank;
}

// The same as a matrix of formulas, each number times a factor.
static KalRank sparse_rank(const Numbers *numbers, KalExpr factor, int64_t most)
{
    int64_t start[ROWS + 1] = {0};
    int64_t column[ROWS * COLUMNS];
    KalExpr value[ROWS * COLUMNS];
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            if (numbers->a[i][j] != 0) {
                column[count] = j;
                value[count++] = kal_mul(g, kal_int(g, numbers->a[i][j]), factor);
            }
        }
        start[i + 1] = count;
    }
    const KalSparse matrix = {.rows = ROWS,
                              .columns = COLUMNS,
                              .start = start,
                              .column = column,
                              .value = value};
    KalProbe *probe = NULL;
    KalRank rank = {0};
    ok(kal_probe_create(g, value, (size_t)count, &probe) == KAL_OK);
    ok(kal_probe_rank(probe, &matrix, most, &rank) == KAL_OK);
    kal_probe_destroy(probe);
    return rank;
}

static void sparse_ranks_are_those_of_dense_matrices(void)
{
    begin();
    Rng rng = {20261118};
    const KalExpr exact = f("x^2 + sin(y)");
    const KalExpr real = f("atan2(x, y)");
    for (int k = 0; k < 200; k++) {
        const Numbers numbers = random_numbers(&rng);
        const size_t rank = dense_rank(&numbers);
        const KalRank by_residues = sparse_rank(&numbers, exact, KAL_RANK_ENTRIES);
        const KalRank by_reals = sparse_rank(&numbers, real, KAL_RANK_ENTRIES);
        ok(by_residues.known && by_residues.exact);
        ok(by_residues.least == rank && by_residues.most == rank);
        ok(by_reals.known && by_reals.least == rank);
    }
    end();
}

static void ranks_that_take_too_long_are_not_known(void)
{
    begin();
    Numbers full;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            full.a[i][j] = 1 + (i + 1) * (i + j) % 11;
        }
    }
    ok(sparse_rank(&full, f("x"), KAL_RANK_ENTRIES).known);
    ok(!sparse_rank(&full, f("x"), COLUMNS).known);
    end();
}

static KalStatus test_in(KalContext *context)
{
    KalGraph *graph = NULL;
    KAL_TRY(kal_graph_create(context, &graph));
    KalExpr e[] = {
        formula_parse(graph, "sin(x + 2*y)*cos(x*y/3) - exp(x)/sqrt(x + y)"),
        formula_parse(graph, "atan(x)*(x + y) - x*atan(x) - y*atan(x)"),
    };
    KalVerdict verdict[2] = {{0}};
    KalStatus status = kal_graph_status(graph);
    if (status == KAL_OK) {
        status = kal_identities(graph, e, 2, verdict);
    }
    if (status == KAL_OK) {
        ok(!verdict[0].zero && verdict[1].zero);
    }
    kal_graph_destroy(graph);
    return status;
}

static void every_allocation_may_fail(void)
{
    begin();
    each_allocation_fails(test_in);
    end();
}

TAP_RUN(TAP_CASE(algebra_is_exact), TAP_CASE(angles_add),
        TAP_CASE(roots_are_exact_where_they_are_independent),
        TAP_CASE(other_functions_are_known_by_their_operands),
        TAP_CASE(branches_are_all_looked_at),
        TAP_CASE(what_goes_under_in_rounding_is_no_zero),
        TAP_CASE(errors_follow_the_terms), TAP_CASE(limits_lead_to_atoms),
        TAP_CASE(probes_go_on), TAP_CASE(probes_find_shorter_formulas),
        TAP_CASE(ranks_are_generic), TAP_CASE(ranks_without_residues_are_found),
        TAP_CASE(sparse_ranks_are_those_of_dense_matrices),
        TAP_CASE(ranks_that_take_too_long_are_not_known),
        TAP_CASE(every_allocation_may_fail))

// SPDX-License-Identifier: MIT

// Tables against the definitions of their methods, theory section 22: values at the points,
// continuity, ends, polynomials that are met exactly, orders of convergence; and against
// differences, for derivatives.

#include "context.h"
#include "expr/corner.h"
#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/switch.h"
#include "fault.h"
#include "formula.h"
#include "rng.h"
#include "splines.h"
#include "zero/identity.h"

#include <stdlib.h>

#define PI 3.14159265358979323846

enum {
    MOST = 2000 // points of a table here
};

typedef struct Bench {
    KalContext *ctx;
    void *memory;
    double x[MOST];
    double y[MOST];
    size_t n;
    KalSpline *spline;
} Bench;

static void open(Bench *b)
{
    *b = (Bench){.ctx = new_context(), .memory = malloc(kal_spline_bytes(MOST))};
}

static void close(Bench *b)
{
    free(b->memory);
    kal_context_destroy(b->ctx);
}

static void make(Bench *b, KalSplineMethod method, KalSplineOutside outside)
{
    const KalSplineSpec spec = {"f", b->x, b->y, b->n, method, outside};
    size_t place;
    ok(kal_spline_fault(&spec, &place) == NULL);
    ok(kal_spline_make(b->ctx, &spec, b->memory, &b->spline) == KAL_OK);
}

static double at(const Bench *b, int order, double x)
{
    return kal_spline_value(&b->spline->functions[order], x);
}

// A derivative of piece i, also beyond its ends.
static double piece(const Bench *b, int order, size_t i, double x)
{
    const double *c = b->spline->factors + 4 * i;
    const double d = x - b->spline->knots[i];
    static const double fall[4][4] = {
        {1, 1, 1, 1},
        {0, 1, 2, 3},
        {0, 0, 2, 6},
        {0, 0, 0, 6}
    };
    double sum = 0.0;
    for (int k = order; k < 4; k++) {
        sum += fall[order][k] * c[k] * pow(d, k - order);
    }
    return sum;
}

static void random_points(Bench *b, Rng *rng, size_t n, bool repeats)
{
    b->n = n;
    b->x[0] = 3.0 * rng_entry(rng);
    for (size_t i = 0; i < n; i++) {
        b->x[i] = i == 0 ? b->x[0] : b->x[i - 1] + 0.05 + rng_unit(rng);
        b->y[i] = 5.0 * rng_entry(rng);
    }
    b->y[n - 1] = repeats ? b->y[0] : b->y[n - 1];
}

static void every_table_goes_through_its_points(void)
{
    Bench b;
    Rng rng = {.state = 1};
    open(&b);
    for (int k = 0; k < 200; k++) {
        for (int m = 0; m < KAL_SPLINE_METHODS; m++) {
            for (int o = 0; o < KAL_SPLINE_OUTSIDES; o++) {
                random_points(&b, &rng, (size_t)rng_int(&rng, 2, 30),
                              o == KAL_OUTSIDE_REPEAT);
                make(&b, (KalSplineMethod)m, (KalSplineOutside)o);
                for (size_t i = 0; i < b.n; i++) {
                    near(at(&b, 0, b.x[i]), b.y[i], 1e-12);
                }
            }
        }
    }
    close(&b);
}

// Both pieces at inner knot i have the same derivatives up to an order.
static void meets(const Bench *b, size_t i, int order)
{
    for (int k = 0; k <= order; k++) {
        const double left = piece(b, k, i - 1, b->x[i]);
        const double right = piece(b, k, i, b->x[i]);
        near(left, right, 1e-9 * (1.0 + fabs(left)));
    }
}

// Twice continuous; the first two pieces are one polynomial, and so are the last two.
static void splines_are_twice_continuous_and_end_without_a_knot(void)
{
    Bench b;
    Rng rng = {.state = 2};
    open(&b);
    for (int k = 0; k < 200; k++) {
        random_points(&b, &rng, (size_t)rng_int(&rng, 4, 40), false);
        make(&b, KAL_SPLINE_CUBIC, KAL_OUTSIDE_ERROR);
        for (size_t i = 1; i + 1 < b.n; i++) {
            meets(&b, i, i == 1 || i + 2 == b.n ? 3 : 2);
        }
    }
    close(&b);
}

static void what_repeats_is_as_smooth_at_its_ends(void)
{
    Bench b;
    Rng rng = {.state = 3};
    open(&b);
    for (int k = 0; k < 200; k++) {
        random_points(&b, &rng, (size_t)rng_int(&rng, 2, 40), true);
        make(&b, KAL_SPLINE_CUBIC, KAL_OUTSIDE_REPEAT);
        const double period = b.x[b.n - 1] - b.x[0];
        for (int order = 0; order < 3; order++) {
            const double first = piece(&b, order, 0, b.x[0]);
            const double last = piece(&b, order, b.n - 2, b.x[b.n - 1]);
            near(first, last, 1e-9 * (1.0 + fabs(first)));
            const double x = b.x[0] + rng_unit(&rng) * period;
            const double far = at(&b, order, x + 7.0 * period);
            near(far, at(&b, order, x), 1e-7 * (1.0 + fabs(far)));
        }
        for (size_t i = 1; i + 1 < b.n; i++) {
            meets(&b, i, 2);
        }
    }
    close(&b);
}

// A cubic polynomial, or one of the degree that few points have, is the spline itself.
static void polynomials_are_met_exactly(void)
{
    Bench b;
    Rng rng = {.state = 4};
    open(&b);
    for (int k = 0; k < 100; k++) {
        random_points(&b, &rng, (size_t)rng_int(&rng, 2, 12), false);
        const int degree = b.n < 4 ? (int)b.n - 1 : 3;
        double c[4] = {0.0};
        for (int i = 0; i <= degree; i++) {
            c[i] = rng_entry(&rng);
        }
        for (size_t i = 0; i < b.n; i++) {
            const double x = b.x[i];
            b.y[i] = c[0] + x * (c[1] + x * (c[2] + x * c[3]));
        }
        make(&b, KAL_SPLINE_CUBIC, KAL_OUTSIDE_EXTEND);
        for (int i = 0; i < 20; i++) { // also outside, for the last piece goes on
            const double x =
                b.x[0] - 1.0 + rng_unit(&rng) * (b.x[b.n - 1] - b.x[0] + 2.0);
            const double size = 1.0 + fabs(x * x * x);
            near(at(&b, 0, x), c[0] + x * (c[1] + x * (c[2] + x * c[3])), 1e-9 * size);
            near(at(&b, 1, x), c[1] + x * (2 * c[2] + x * 3 * c[3]), 1e-8 * size);
            near(at(&b, 2, x), 2 * c[2] + x * 6 * c[3], 1e-7 * size);
            near(at(&b, 3, x), 6 * c[3], 1e-6);
        }
    }
    close(&b);
}

// The largest error of a derivative of a table of sin x with n pieces.
static double error_of(Bench *b, size_t n, int order, KalSplineMethod method,
                       KalSplineOutside outside)
{
    b->n = n + 1;
    for (size_t i = 0; i <= n; i++) {
        b->x[i] = 2.0 * PI * (double)i / (double)n;
        b->y[i] = i == n ? 0.0 : sin(b->x[i]);
    }
    make(b, method, outside);
    double worst = 0.0;
    for (int i = 0; i < 1000; i++) {
        const double x = 2.0 * PI * (i + 0.5) / 1000.0;
        const double exact = sin(x + order * PI / 2.0);
        worst = fmax(worst, fabs(at(b, order, x) - exact));
    }
    return worst;
}

// Splines have order 4, their derivatives one less each; lines and monotone cubics 2.
static void errors_vanish_at_their_orders(void)
{
    static const struct {
        KalSplineMethod method;
        KalSplineOutside outside;
        int order;
        double rate;
    } rows[] = {
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_REPEAT, 0, 4.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_REPEAT, 1, 3.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_REPEAT, 2, 2.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_REPEAT, 3, 1.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_ERROR,  0, 4.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_ERROR,  1, 3.0},
        {KAL_SPLINE_CUBIC,    KAL_OUTSIDE_ERROR,  2, 2.0},
        {KAL_SPLINE_LINEAR,   KAL_OUTSIDE_ERROR,  0, 2.0},
        {KAL_SPLINE_LINEAR,   KAL_OUTSIDE_ERROR,  1, 1.0},
        {KAL_SPLINE_MONOTONE, KAL_OUTSIDE_ERROR,  0, 2.0},
        {KAL_SPLINE_MONOTONE, KAL_OUTSIDE_ERROR,  1, 1.0},
    };

    Bench b;
    open(&b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const double coarse =
            error_of(&b, 50, rows[i].order, rows[i].method, rows[i].outside);
        const double fine =
            error_of(&b, 200, rows[i].order, rows[i].method, rows[i].outside);
        const double rate = log(coarse / fine) / log(4.0);
        ok(rate > rows[i].rate - 0.3);
    }
    close(&b);
}

// The slopes of Fritsch and Butland in an example, and no value beyond those of the points.
static void monotone_tables_do_not_overshoot(void)
{
    Bench b;
    Rng rng = {.state = 5};
    open(&b);
    b.n = 4;
    static const double x[] = {0.0, 1.0, 3.0, 4.0};
    static const double y[] = {0.0, 1.0, 2.0, 5.0};
    memcpy(b.x, x, sizeof x);
    memcpy(b.y, y, sizeof y);
    make(&b, KAL_SPLINE_MONOTONE, KAL_OUTSIDE_ERROR);
    near(at(&b, 1, 1.0), (5.0 + 4.0) / (5.0 / 1.0 + 4.0 / 0.5), 1e-14);
    near(at(&b, 1, 3.0), (4.0 + 5.0) / (4.0 / 0.5 + 5.0 / 3.0), 1e-14);
    near(at(&b, 1, 0.0), ((2.0 + 2.0) * 1.0 - 1.0 * 0.5) / 3.0, 1e-14);
    for (int k = 0; k < 100; k++) {
        random_points(&b, &rng, 20, k % 2 == 1);
        make(&b, KAL_SPLINE_MONOTONE, k % 2 ? KAL_OUTSIDE_REPEAT : KAL_OUTSIDE_HOLD);
        for (size_t i = 0; i + 1 < b.n; i++) {
            const double low = fmin(b.y[i], b.y[i + 1]);
            const double high = fmax(b.y[i], b.y[i + 1]);
            for (int j = 0; j <= 20; j++) {
                const double v = at(&b, 0, b.x[i] + (b.x[i + 1] - b.x[i]) * j / 20.0);
                ok(v >= low - 1e-12 && v <= high + 1e-12);
            }
            if (i > 0) {
                meets(&b, i, 1);
            }
        }
    }
    close(&b);
}

static void outside_is_what_was_asked_for(void)
{
    KalContext *ctx = new_context();
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        const KalSpline *s = spline_sample(ctx, kind);
        const KalSplineFunction *f = s->functions;
        const double before = kal_spline_value(&f[0], -2.5);
        const double behind = kal_spline_value(&f[0], 3.25);
        if (s->outside == KAL_OUTSIDE_ERROR) {
            ok(isnan(before) && isnan(behind) && isnan(kal_spline_value(&f[1], 4.0)));
            near(kal_spline_value(&f[0], 3.0 * (1.0 + 1e-16)), 1.0, 1e-12);
        } else if (s->outside == KAL_OUTSIDE_HOLD) {
            near(before, 1.0, 1e-13);
            near(behind, 1.0, 1e-13);
            ok(kal_spline_value(&f[1], 3.25) == 0.0
               && kal_spline_value(&f[1], -9.0) == 0.0);
        } else if (s->outside == KAL_OUTSIDE_REPEAT) {
            near(before, kal_spline_value(&f[0], 2.5), 1e-13);
            near(behind, kal_spline_value(&f[0], -1.75), 1e-13);
        } else {
            const double slope = kal_spline_value(&f[1], 2.999999);
            near(behind, kal_spline_on_piece(&f[0], SPLINE_POINTS - 2, 3.25), 1e-13);
            ok(s->method != KAL_SPLINE_LINEAR
               || fabs(behind - 1.0 - 0.25 * slope) < 1e-9);
        }
        ok(isnan(kal_spline_value(&f[0], NAN)));
    }
    kal_context_destroy(ctx);
}

// A level is whole at borders alone, rises, and tells the piece on which the value is that of
// the table.
static void levels_tell_pieces(void)
{
    KalContext *ctx = new_context();
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        const KalSpline *s = spline_sample(ctx, kind);
        for (int order = 0; order <= KAL_SPLINE_ORDER; order++) {
            const KalSplineFunction *f = &s->functions[order];
            bool jumps;
            const KalSplineBorders borders = kal_spline_borders(f, &jumps);
            const KalSplineFunction *level =
                &s->functions[borders == KAL_BORDERS_ENDS ? KAL_SPLINE_ENDS
                                                          : KAL_SPLINE_KNOTS];
            double last = -INFINITY;
            for (double x = -30.0; x < 30.0; x += 0.0517) {
                const double at_x = kal_spline_value(level, x);
                const double want = kal_spline_value(f, x);
                const double got = kal_spline_on_piece(f, floor(at_x), x);
                ok(at_x >= last);
                ok((isnan(want) && isnan(got))
                   || fabs(got - want) <= 1e-9 * (1.0 + fabs(want)));
                last = at_x;
            }
        }
        for (int i = 1; i + 1 < SPLINE_POINTS; i++) {
            ok(kal_spline_value(&s->functions[KAL_SPLINE_KNOTS], SPLINE_X[i]) == i);
        }
    }
    kal_context_destroy(ctx);
}

// By differentiating formulas, against central differences: error at second order.
static void derivatives_are_those_of_the_table(void)
{
    KalContext *ctx = new_context();
    KalGraph *g = NULL;
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    const KalExpr x = kal_symbol(g, 0);
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        KalExpr e[KAL_SPLINE_ORDER + 2];
        e[0] = kal_spline(g, spline_sample(ctx, kind), KAL_SPLINE_VALUE, x);
        for (int order = 0; order <= KAL_SPLINE_ORDER; order++) {
            ok(kal_diff(g, e[order], x, &e[order + 1]) == KAL_OK);
            for (int i = 0; i + 1 < SPLINE_POINTS; i++) {
                const double middle = 0.5 * (SPLINE_X[i] + SPLINE_X[i + 1]);
                double error[2];
                for (int k = 0; k < 2; k++) {
                    const double h = k == 0 ? 0.1 : 0.05;
                    double left = 0.0;
                    double right = 0.0;
                    double slope = 0.0;
                    ok(kal_eval(g, &e[order], 1, (const double[]){middle - h}, &left)
                       == KAL_OK);
                    ok(kal_eval(g, &e[order], 1, (const double[]){middle + h}, &right)
                       == KAL_OK);
                    ok(kal_eval(g, &e[order + 1], 1, &middle, &slope) == KAL_OK);
                    error[k] = fabs((right - left) / (2.0 * h) - slope);
                }
                ok(error[1] <= 0.26 * error[0] + 1e-10);
            }
        }
        ok(kal_is_zero(g, e[KAL_SPLINE_ORDER + 1]));
    }
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

// Equal arguments give equal values, and nothing else is known of a table.
static void zero_tests_take_a_table_for_any_function(void)
{
    KalContext *ctx = new_context();
    KalGraph *g = NULL;
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    const KalExpr x = kal_symbol(g, 0);
    const KalExpr y = kal_symbol(g, 1);
    const KalExpr sum = kal_powi(g, kal_add(g, x, y), 2);
    const KalExpr long_sum =
        kal_add(g, kal_add(g, kal_powi(g, x, 2), kal_powi(g, y, 2)),
                kal_mul(g, kal_int(g, 2), kal_mul(g, x, y)));
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        const KalSpline *s = spline_sample(ctx, kind);
        const KalExpr e[] = {
            kal_sub(g, kal_spline(g, s, KAL_SPLINE_VALUE, sum),
                    kal_spline(g, s, KAL_SPLINE_VALUE, long_sum)),
            kal_spline(g, s, KAL_SPLINE_VALUE, x),
            kal_sub(g, kal_spline(g, s, KAL_SPLINE_VALUE, x),
                    kal_spline(g, s, KAL_SPLINE_VALUE, y)),
            kal_sub(g, kal_spline(g, s, KAL_SPLINE_VALUE, x),
                    kal_spline(g, s, KAL_SPLINE_FIRST, x)),
        };
        KalVerdict verdict[4];
        ok(kal_identities(g, e, 4, verdict) == KAL_OK);
        ok(verdict[0].zero || verdict[0].open);
        ok(!verdict[1].zero && !verdict[2].zero && !verdict[3].zero);
    }
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

// As smooth as it is, so is its operator.
static void operators_say_how_smooth_a_table_is(void)
{
    KalContext *ctx = new_context();
    KalGraph *g = NULL;
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    const KalExpr x = kal_symbol(g, 0);
    static const KalOp want[KAL_SPLINE_METHODS][3] = {
        {KAL_OP_SPLINE,      KAL_OP_SPLINE,      KAL_OP_SPLINE_KINK},
        {KAL_OP_SPLINE_KINK, KAL_OP_SPLINE_JUMP, KAL_OP_CONST      },
        {KAL_OP_SPLINE,      KAL_OP_SPLINE_KINK, KAL_OP_SPLINE_JUMP},
    };
    for (int kind = 0; kind < SPLINE_KINDS; kind++) {
        const KalSpline *s = spline_sample(ctx, kind);
        for (int order = 0; order < 3; order++) {
            const KalExpr e = kal_spline(g, s, (KalSplineFunctionKind)order, x);
            const KalOp op = (KalOp)kal_graph_node(g, e).op;
            if (s->outside != KAL_OUTSIDE_HOLD) {
                ok(op == want[s->method][order]);
            } else { // bends at its ends too, and its slope jumps there
                ok(op == (order == 0 ? KAL_OP_SPLINE_KINK : KAL_OP_SPLINE_JUMP)
                   || op == KAL_OP_CONST);
            }
        }
    }
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

static void text_has_primes(void)
{
    KalContext *ctx = new_context();
    KalGraph *g = NULL;
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    formula_n_names = 0;
    formula_id("x", 1);
    const KalSpline *s = spline_sample(ctx, 0);
    const KalExpr e = kal_spline(g, s, KAL_SPLINE_SECOND, kal_symbol(g, 0));
    same_text(formula_print(g, e, KAL_FORMAT_TEXT), "f''(x)");
    same_text(formula_print(g, e, KAL_FORMAT_LATEX), "f''\\left(x\\right)");
    same_text(formula_print(g, e, KAL_FORMAT_C), "f_2(x)");
    has_text(formula_print(g, e, KAL_FORMAT_MATHML), "<mi>f</mi><mo>′</mo><mo>′</mo>");
    kal_graph_destroy(g);
    kal_context_destroy(ctx);
}

static void points_that_make_no_table_are_told(void)
{
    static const struct {
        double x[3];
        double y[3];
        size_t n;
        KalSplineOutside outside;
        size_t place;
        const char *text;
    } rows[] = {
        {{0, 1, 2},      {0, 1, 2},        1, KAL_OUTSIDE_ERROR,  0, "two points" },
        {{0, 0, 2},      {0, 1, 2},        3, KAL_OUTSIDE_ERROR,  1, "rise"       },
        {{0, 1, 0.5},    {0, 1, 2},        3, KAL_OUTSIDE_ERROR,  2, "rise"       },
        {{0, 1, NAN},    {0, 1, 2},        3, KAL_OUTSIDE_ERROR,  2, "not finite" },
        {{0, 1, 2},      {0, INFINITY, 2}, 3, KAL_OUTSIDE_ERROR,  1, "not finite" },
        {{0, 1e-320, 2}, {0, 1e10, 2},     3, KAL_OUTSIDE_ERROR,  1, "too close"  },
        {{0, 1, 2},      {0, 1, 2},        3, KAL_OUTSIDE_REPEAT, 2, "begins with"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const KalSplineSpec spec = {"f",       rows[i].x,        rows[i].y,
                                    rows[i].n, KAL_SPLINE_CUBIC, rows[i].outside};
        size_t place = 99;
        has_text(kal_spline_fault(&spec, &place), rows[i].text);
        ok(place == rows[i].place);
    }
    Bench b;
    open(&b);
    b.n = 3;
    memcpy(b.x, (const double[]){0.0, 1e-200, 1.0}, 3 * sizeof(double));
    memcpy(b.y, (const double[]){0.0, 1e100, 1e300}, 3 * sizeof(double));
    const KalSplineSpec spec = {"f", b.x, b.y, 3, KAL_SPLINE_CUBIC, KAL_OUTSIDE_ERROR};
    const KalStatus status = kal_spline_make(b.ctx, &spec, b.memory, &b.spline);
    ok(status == KAL_ERR_NUMBER);
    close(&b);
}

static void every_allocation_may_fail(void)
{
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 10; n = fault_next(n)) {
        Fault fault = {.calls_left = -1};
        KalContext *ctx = NULL;
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        static double memory[SPLINE_WORDS];
        KalSpline *spline = NULL;
        const KalSplineSpec spec = {
            "f",           SPLINE_X,         SPLINE_Y,
            SPLINE_POINTS, KAL_SPLINE_CUBIC, KAL_OUTSIDE_REPEAT};
        fault.calls_left = n;
        status = kal_spline_make(ctx, &spec, memory, &spline);
        ok(status == KAL_OK || (status == KAL_ERR_NOMEM && !spline));
        fault.calls_left = -1;
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
    ok(status == KAL_OK);
}

// The sharpest points first, no more than there is room for, and none of what is straight.
static void corners_are_found(void)
{
    Bench b;
    double at[KAL_SPLINE_CORNERS];
    open(&b);
    b.n = 1000;
    for (size_t i = 0; i < b.n; i++) {
        b.x[i] = (double)i;
        b.y[i] = 3.0 * (double)i;
    }
    make(&b, KAL_SPLINE_CUBIC, KAL_OUTSIDE_ERROR);
    ok(kal_spline_find_corners(b.spline, at) == 0);
    b.y[300] += 7.0;
    b.y[700] += 9.0;
    make(&b, KAL_SPLINE_MONOTONE, KAL_OUTSIDE_ERROR);
    ok(kal_spline_find_corners(b.spline, at) == 2);
    ok(at[0] == 700.0 && at[1] == 300.0);
    for (size_t i = 2; i < b.n; i += 4) {
        b.y[i] += (double)i;
    }
    b.y[501] += 1e6;
    make(&b, KAL_SPLINE_LINEAR, KAL_OUTSIDE_EXTEND);
    ok(kal_spline_find_corners(b.spline, at) == KAL_SPLINE_CORNERS);
    ok(at[0] == 501.0 && at[1] == 998.0 && at[2] == 994.0);
    close(&b);
}

TAP_RUN(TAP_CASE(every_table_goes_through_its_points),
        TAP_CASE(splines_are_twice_continuous_and_end_without_a_knot),
        TAP_CASE(what_repeats_is_as_smooth_at_its_ends),
        TAP_CASE(polynomials_are_met_exactly), TAP_CASE(errors_vanish_at_their_orders),
        TAP_CASE(monotone_tables_do_not_overshoot),
        TAP_CASE(outside_is_what_was_asked_for), TAP_CASE(levels_tell_pieces),
        TAP_CASE(derivatives_are_those_of_the_table),
        TAP_CASE(zero_tests_take_a_table_for_any_function),
        TAP_CASE(operators_say_how_smooth_a_table_is), TAP_CASE(text_has_primes),
        TAP_CASE(points_that_make_no_table_are_told), TAP_CASE(corners_are_found),
        TAP_CASE(every_allocation_may_fail))

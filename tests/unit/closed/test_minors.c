// SPDX-License-Identifier: MIT

#include "closed/minors.h"
#include "expr/eval.h"
#include "graph.h"
#include "rng.h"

static KalField *field;
static KalRing *ring;

static void begin_field(const char *text)
{
    const KalFieldOptions options = {
        .print = {.format = KAL_FORMAT_TEXT, .name = formula_name}
    };
    begin();
    const KalExpr e = f(text);
    ok(kal_field_create(g, &e, 1, &options, &field) == KAL_OK);
    ring = kal_field_ring(field);
}

static void end_field(void)
{
    kal_field_destroy(field);
    end();
}

static KalPoly poly(const char *text)
{
    KalFraction a = {KAL_NO_POLY, KAL_NO_POLY};
    ok(kal_field_read(field, f(text), &a) == KAL_OK);
    ok(kal_poly_is_one(ring, a.below));
    return a.above;
}

static const char *fraction_text(KalFraction a)
{
    KalExpr e = KAL_NO_EXPR;
    ok(kal_field_write(field, kal_field_shorten(field, a), &e) == KAL_OK);
    return text_of(e);
}

// Σⱼ Kᵢⱼ zⱼ = yᵢ by cross multiplication.
static bool solves(const KalPoly *K, int N, const KalFraction *z)
{
    bool holds = true;
    for (int i = 0; i < N; i++) {
        const KalPoly one = kal_poly_int(ring, 1);
        KalFraction sum = {kal_poly_neg(ring, K[i * (N + 1) + N]), one};
        for (int j = 0; j < N; j++) {
            const KalFraction entry = {K[i * (N + 1) + j], one};
            sum = kal_fraction_add(field, sum, kal_fraction_mul(field, entry, z[j]));
        }
        holds = holds && kal_field_is_zero(field, sum.above);
    }
    return holds;
}

static void rotations_are_undone(void)
{
    begin_field("sin(t) + cos(t) + x + y");
    KalFraction z[2];
    bool regular = false;
    const KalPoly K[] = {poly("cos(t)"), poly("-sin(t)"), poly("x"),
                         poly("sin(t)"), poly("cos(t)"),  poly("y")};
    ok(kal_minors_solve(field, K, 2, z, &regular) == KAL_OK);
    ok(regular && solves(K, 2, z));
    same_text(fraction_text(z[0]), "x*cos(t) + y*sin(t)");
    same_text(fraction_text(z[1]), "y*cos(t) - x*sin(t)");
    end_field();
}

// Singular only because sin² + cos² = 1.
static void hidden_zeros_are_found(void)
{
    begin_field("sin(t) + cos(t) + x");
    KalFraction z[2];
    bool regular = true;
    const KalPoly K[] = {poly("1 - cos(t)"), poly("sin(t)"),     poly("x"),
                         poly("sin(t)"),     poly("1 + cos(t)"), poly("x")};
    ok(kal_minors_solve(field, K, 2, z, &regular) == KAL_OK);
    ok(!regular);
    end_field();
}

static void random_systems_are_solved(void)
{
    static const char *const terms[] = {"a",      "b",        "a*b", "sin(c)",
                                        "cos(c)", "c*sin(c)", "2",   "-b^2"};
    begin_field("a + b + c + sin(c)");
    Rng rng = {.state = 5};
    for (int round = 0; round < 40; round++) {
        const int N = rng_int(&rng, 1, 4);
        KalPoly K[20];
        KalFraction z[4];
        bool regular = false;
        for (int i = 0; i < N * (N + 1); i++) {
            const KalPoly p = poly(terms[rng_int(&rng, 0, 7)]);
            K[i] = rng_int(&rng, 0, 2) == 0 ? KAL_NO_POLY : p;
        }
        ok(kal_minors_solve(field, K, N, z, &regular) == KAL_OK);
        ok(!regular || solves(K, N, z));
    }
    ok(kal_ring_status(ring) == KAL_OK);
    end_field();
}

static void work_has_a_limit(void)
{
    begin_field("a + b + c + d");
    KalPoly K[90];
    KalFraction z[9];
    bool regular = false;
    Rng rng = {.state = 9};
    for (int i = 0; i < 90; i++) {
        K[i] = kal_poly_int(ring, rng_int(&rng, 1, 9));
        for (int v = 0; v < 4; v++) {
            const KalPoly k = kal_poly_int(ring, rng_int(&rng, 1, 9));
            const KalPoly x = kal_poly_variable(ring, v);
            K[i] = kal_poly_add(ring, K[i], kal_poly_mul(ring, k, x));
        }
    }
    kal_ring_set_work(ring, 50000);
    ok(kal_minors_solve(field, K, 9, z, &regular) == KAL_OK);
    ok(kal_ring_status(ring) == KAL_ERR_LIMIT);
    end_field();
}

TAP_RUN(TAP_CASE(rotations_are_undone), TAP_CASE(hidden_zeros_are_found),
        TAP_CASE(random_systems_are_solved), TAP_CASE(work_has_a_limit))

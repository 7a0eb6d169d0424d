// SPDX-License-Identifier: MIT

#include "algebra/ring.h"
#include "fault.h"
#include "rng.h"
#include "tap.h"

enum {
    VARIABLES = 4
};

static Fault fault;
static KalContext *ctx;
static KalRing *ring;

static void begin(void)
{
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    ok(kal_ring_create(ctx, VARIABLES, &ring) == KAL_OK);
}

static void end(void)
{
    kal_ring_destroy(ring);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static KalPoly x(int v)
{
    return kal_poly_variable(ring, v);
}

static KalPoly number(int64_t k)
{
    return kal_poly_int(ring, k);
}

static KalPoly random_poly(Rng *rng, int terms)
{
    KalPoly sum = KAL_NO_POLY;
    for (int i = 0; i < terms; i++) {
        KalPolyTerm term = {.coefficient = rng_int(rng, -5, 5)};
        for (int v = 0; v < VARIABLES; v++) {
            term.exponent[v] = (uint16_t)rng_int(rng, 0, 3);
        }
        sum = kal_poly_add(ring, sum, kal_poly_term(ring, &term));
    }
    return sum;
}

static double value_of(KalPoly a, const double *at)
{
    double sum = 0.0;
    for (int i = 0; i < kal_poly_terms(ring, a); i++) {
        KalPolyTerm term;
        ok(kal_poly_get(ring, a, i, &term));
        double product = (double)term.coefficient;
        for (int v = 0; v < VARIABLES; v++) {
            product *= pow(at[v], term.exponent[v]);
        }
        sum += product;
    }
    return sum;
}

static void arithmetic_is_that_of_values(void)
{
    begin();
    Rng rng = {.state = 1};
    for (int round = 0; round < 100; round++) {
        const double at[VARIABLES] = {rng_entry(&rng), rng_entry(&rng), rng_entry(&rng),
                                      rng_entry(&rng)};
        const KalPoly a = random_poly(&rng, 5);
        const KalPoly b = random_poly(&rng, 4);
        const double p = value_of(a, at);
        const double q = value_of(b, at);
        near(value_of(kal_poly_add(ring, a, b), at), p + q, 1e-12);
        near(value_of(kal_poly_sub(ring, a, b), at), p - q, 1e-12);
        near(value_of(kal_poly_mul(ring, a, b), at), p * q, 1e-10);
        near(value_of(kal_poly_neg(ring, a), at), -p, 0.0);
        near(value_of(kal_poly_pow(ring, b, 3), at), q * q * q, 1e-9);
        // v² = s: the value at a root of it.
        const KalPoly s = kal_poly_add(ring, number(1), kal_poly_pow(ring, x(1), 2));
        const double there[VARIABLES] = {sqrt(1.0 + at[1] * at[1]), at[1], at[2],
                                         at[3]};
        const KalPoly reduced = kal_poly_reduce(ring, a, 0, s);
        ok(kal_poly_degree(ring, reduced, 0) < 2);
        near(value_of(reduced, there), value_of(a, there), 1e-10);
        // v = b/2
        const KalPoly half = kal_poly_reduce(ring, b, 2, number(0));
        const KalPoly line = kal_poly_substitute(ring, a, 3, half, number(2));
        double put[VARIABLES];
        memcpy(put, at, sizeof put);
        put[3] = value_of(half, at) / 2.0;
        const int32_t n = kal_poly_degree(ring, a, 3);
        near(value_of(line, at), value_of(a, put) * pow(2.0, n > 0 ? n : 0), 1e-9);
    }
    end();
}

static void factors_multiply_to_the_whole(void)
{
    begin();
    Rng rng = {.state = 2};
    for (int round = 0; round < 50; round++) {
        const KalPoly a = random_poly(&rng, 3);
        const KalPoly b = random_poly(&rng, 2);
        const KalPoly c = kal_poly_mul(ring, kal_poly_mul(ring, a, b), b);
        if (kal_poly_is_zero(ring, c)) {
            continue;
        }
        const KalPolyFactors f = kal_poly_factor(ring, c);
        KalPoly product = f.constant;
        for (int i = 0; i < f.n; i++) {
            ok(kal_poly_sign(ring, f.factor[i]) > 0 && f.power[i] > 0);
            product = kal_poly_mul(ring, product,
                                   kal_poly_pow(ring, f.factor[i], f.power[i]));
        }
        ok(kal_poly_same(ring, product, c));
        KalPoly quotient = KAL_NO_POLY;
        ok(kal_poly_divide(ring, c, a, &quotient));
        ok(kal_poly_same(ring, quotient, kal_poly_mul(ring, b, b)));
        const KalPoly common =
            kal_poly_gcd(ring, kal_poly_mul(ring, a, b), kal_poly_mul(ring, b, b));
        ok(kal_poly_divide(ring, common, b, &quotient));
    }
    end();
}

static void parts_are_found(void)
{
    begin();
    KalPoly slope;
    KalPoly rest;
    // 6 x y + 4 x z − 2 x
    KalPoly p = kal_poly_mul(ring, number(6), kal_poly_mul(ring, x(0), x(1)));
    p = kal_poly_add(ring, p,
                     kal_poly_mul(ring, number(4), kal_poly_mul(ring, x(0), x(2))));
    p = kal_poly_sub(ring, p, kal_poly_mul(ring, number(2), x(0)));
    const KalPoly content = kal_poly_content(ring, p);
    ok(kal_poly_same(ring, content, kal_poly_mul(ring, number(2), x(0))));
    ok(kal_poly_is_linear(ring, p, 1, &slope, &rest));
    ok(kal_poly_same(ring, slope, kal_poly_mul(ring, number(6), x(0))));
    ok(kal_poly_terms(ring, rest) == 2);
    ok(!kal_poly_is_linear(ring, p, 3, &slope, &rest));
    ok(!kal_poly_divide(ring, p, x(3), &slope));
    ok(!kal_poly_divide(ring, p, KAL_NO_POLY, &slope));
    const bool wanted[] = {true, false, true};
    ok(kal_poly_terms(ring, kal_poly_select(ring, p, wanted)) == 2);
    ok(kal_poly_is_number(ring, number(7)) && !kal_poly_is_number(ring, p));
    ok(kal_poly_is_one(ring, number(1)) && !kal_poly_is_one(ring, number(2)));
    end();
}

static void what_is_kept_survives_a_release(void)
{
    begin();
    const KalPoly old = kal_poly_add(ring, x(0), number(5));
    const uint32_t mark = kal_ring_mark(ring);
    for (int i = 0; i < 200; i++) {
        (void)kal_poly_add(ring, old, number(i));
    }
    KalPoly kept[4];
    kept[0] = kal_poly_mul(ring, x(1), x(2));
    kept[1] = old;
    kept[2] = kal_poly_pow(ring, x(3), 3);
    kept[3] = kept[0];
    kal_ring_release(ring, mark, kept, 4);
    ok(kal_ring_mark(ring) == mark + 2);
    ok(kal_poly_same(ring, kept[0], kal_poly_mul(ring, x(1), x(2))));
    ok(kal_poly_same(ring, kept[1], kal_poly_add(ring, x(0), number(5))));
    ok(kal_poly_same(ring, kept[2], kal_poly_pow(ring, x(3), 3)));
    ok(kal_poly_same(ring, kept[3], kept[0]));
    end();
}

static KalPoly dense(int32_t power)
{
    KalPoly sum = number(1);
    for (int v = 0; v < VARIABLES; v++) {
        sum = kal_poly_add(ring, sum, x(v));
    }
    return kal_poly_pow(ring, sum, power);
}

// Work, degrees and digits have limits; the ring is then spoiled and says so.
static void limits_are_kept(void)
{
    begin();
    kal_ring_set_work(ring, 1000);
    ok(dense(20).index == 0);
    ok(kal_ring_status(ring) == KAL_ERR_LIMIT && !kal_ring_is_sound(ring));
    has_text(kal_context_message(ctx), "too large");
    ok(kal_poly_add(ring, x(0), x(1)).index == 0);
    end();

    begin();
    ok(kal_poly_pow(ring, x(0), 1000).index == 0);
    ok(!kal_ring_is_sound(ring));
    end();

    begin();
    KalPoly big = number(INT64_MAX);
    for (int i = 0; i < 8; i++) {
        big = kal_poly_mul(ring, big, big);
    }
    ok(!kal_ring_is_sound(ring));
    end();

    begin(); // too many terms for their number of variables to matter
    ok(dense(60).index == 0 && !kal_ring_is_sound(ring));
    end();

    begin(); // factors and divisors of what is large: only what all terms share
    const KalPoly a = kal_poly_mul(ring, dense(9), x(0));
    const KalPolyFactors f = kal_poly_factor(ring, a);
    ok(f.n == 2 && kal_poly_same(ring, f.factor[0], x(0)));
    ok(kal_poly_same(ring, kal_poly_gcd(ring, a, kal_poly_mul(ring, a, x(0))), x(0)));
    ok(kal_ring_is_sound(ring));
    end();
}

static void numbers_that_do_not_fit_are_told(void)
{
    begin();
    KalPolyTerm term;
    const KalPoly big = kal_poly_mul(ring, number(INT64_MAX), number(4));
    ok(!kal_poly_get(ring, big, 0, &term));
    ok(!kal_poly_get(ring, number(INT64_MIN), 0, &term));
    ok(kal_poly_get(ring, number(INT64_MAX), 0, &term));
    ok(term.coefficient == INT64_MAX);
    ok(!kal_poly_get(ring, KAL_NO_POLY, 0, &term));
    end();
}

static void every_allocation_may_fail(void)
{
    for (long n = 0; n < 8; n++) {
        fault = (Fault){.calls_left = n};
        ctx = NULL;
        ring = NULL;
        KalStatus status = kal_context_create(fault_alloc, &fault, &ctx);
        if (status == KAL_OK) {
            status = kal_ring_create(ctx, VARIABLES, &ring);
        }
        if (status == KAL_OK) {
            for (int i = 0; i < 300; i++) {
                (void)number(i);
            }
            status = kal_ring_status(ring);
        }
        ok(status == (n < 6 ? KAL_ERR_NOMEM : KAL_OK));
        kal_ring_destroy(ring);
        kal_context_destroy(ctx);
        ok(fault.live_bytes == 0);
    }
}

TAP_RUN(TAP_CASE(arithmetic_is_that_of_values), TAP_CASE(factors_multiply_to_the_whole),
        TAP_CASE(parts_are_found), TAP_CASE(what_is_kept_survives_a_release),
        TAP_CASE(limits_are_kept), TAP_CASE(numbers_that_do_not_fit_are_told),
        TAP_CASE(every_allocation_may_fail))

// SPDX-License-Identifier: MIT

// What is left of a curve: its extremes, its gaps, and a line that nobody can tell from it.

#include "allocations.h"
#include "context.h"
#include "curve.h"
#include "figure/thin.h"
#include "rng.h"
#include "tap.h"

enum {
    POINTS = 3000
};

static const double column = 0.2;
static const double tolerance = 0.05;

// A curve of a kind: smooth, rough, a spiral, steps; some with gaps.
static void make_curve(Rng *rng, int kind, KalSpot points[POINTS])
{
    KalSpot at = {0.0, 0.0};
    const double turn = 0.01 + 0.2 * rng_unit(rng);
    for (int i = 0; i < POINTS; i++) {
        const double t = i * 0.1;
        switch (kind % 4) {
        case 0: at = (KalSpot){t, 50.0 * sin(turn * t)}; break;
        case 1: at = (KalSpot){0.01 * t, rng_entry(rng) * 100.0}; break;
        case 2: at = (KalSpot){t * cos(turn * t), t * sin(turn * t)}; break;
        default:
            at.x += rng_int(rng, 0, 20) == 0 ? 5.0 * rng_entry(rng) : 0.0;
            at.y += rng_int(rng, 0, 20) == 0 ? 5.0 * rng_entry(rng) : 0.0;
            break;
        }
        const bool gap = kind >= 4 && rng_int(rng, 0, 50) == 0;
        points[i] = gap ? (KalSpot){NAN, at.y} : at;
    }
}

static bool contains(const KalSpot *points, size_t count, KalSpot p)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i].x == p.x && points[i].y == p.y) {
            return true;
        }
    }
    return false;
}

// Lowest and highest ordinate.
static KalSpot extremes(const KalSpot *points, size_t count)
{
    KalSpot range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        if (!isnan(points[i].x)) {
            range.x = fmin(range.x, points[i].y);
            range.y = fmax(range.y, points[i].y);
        }
    }
    return range;
}

static void nothing_that_can_be_seen_is_lost(void)
{
    static KalSpot points[POINTS];
    Rng rng = {.state = 1};
    KalContext *ctx = new_context();
    for (int kind = 0; kind < 16; kind++) {
        make_curve(&rng, kind % 8, points);
        KalThin thin = kal_thin(ctx, column, tolerance);
        for (int i = 0; i < POINTS; i++) {
            kal_thin_add(&thin, points[i]);
        }
        ok(kal_thin_finish(&thin) == KAL_OK);
        const KalSpot *left = (const KalSpot *)thin.points.data;
        const size_t count = thin.points.size / sizeof *left;
        double farthest = 0.0;
        for (int i = 0; i < POINTS; i++) {
            if (!isnan(points[i].x)) {
                farthest = fmax(farthest, distance_to_curve(points[i], left, count));
            }
        }
        ok(farthest <= column + tolerance + 1e-9);
        bool subset = true;
        for (size_t i = 0; i < count; i++) {
            subset = subset && (isnan(left[i].x) || contains(points, POINTS, left[i]));
        }
        ok(subset);
        near(extremes(left, count).x, extremes(points, POINTS).x, tolerance);
        near(extremes(left, count).y, extremes(points, POINTS).y, tolerance);
        kal_block_clear(ctx, &thin.points);
    }
    kal_context_destroy(ctx);
}

static void a_million_points_become_few(void)
{
    Rng rng = {.state = 2};
    KalContext *ctx = new_context();
    KalThin thin = kal_thin(ctx, column, tolerance);
    for (int i = 0; i < 1000000; i++) {
        const bool peak = i == 123456;
        kal_thin_add(&thin, (KalSpot){300e-6 * i, peak ? 1000.0 : rng_entry(&rng)});
    }
    ok(kal_thin_finish(&thin) == KAL_OK);
    const KalSpot *left = (const KalSpot *)thin.points.data;
    const size_t count = thin.points.size / sizeof *left;
    ok(count > 1000 && count <= (size_t)(4.0 * (300.0 / column + 1.0)));
    near(extremes(left, count).y, 1000.0, 0.0);
    kal_block_clear(ctx, &thin.points);
    kal_context_destroy(ctx);
}

static void a_straight_line_has_two_points(void)
{
    KalContext *ctx = new_context();
    KalThin thin = kal_thin(ctx, column, tolerance);
    for (int i = 0; i <= 1000; i++) {
        kal_thin_add(&thin, (KalSpot){0.3 * i, 0.1 * i});
    }
    ok(kal_thin_finish(&thin) == KAL_OK);
    ok(thin.points.size == 2 * sizeof(KalSpot));
    kal_block_clear(ctx, &thin.points);
    kal_context_destroy(ctx);
}

static void a_line_that_turns_back_keeps_its_end(void)
{
    KalContext *ctx = new_context();
    KalThin thin = kal_thin(ctx, column, tolerance);
    kal_thin_add(&thin, (KalSpot){0.0, 0.0});
    kal_thin_add(&thin, (KalSpot){10.0, 0.0});
    kal_thin_add(&thin, (KalSpot){2.0, 0.0});
    ok(kal_thin_finish(&thin) == KAL_OK);
    const KalSpot *left = (const KalSpot *)thin.points.data;
    ok(thin.points.size == 3 * sizeof *left && left[1].x == 10.0);
    kal_block_clear(ctx, &thin.points);
    kal_context_destroy(ctx);
}

static void points_alone_stay(void)
{
    const KalSpot points[] = {
        {NAN, 1.0},
        {1.0, 1.0},
        {2.0, NAN},
        {NAN, NAN},
        {3.0, 2.0},
        {4.0, 3.0},
        {NAN, 0.0},
    };
    KalContext *ctx = new_context();
    KalThin thin = kal_thin(ctx, column, tolerance);
    for (int i = 0; i < 7; i++) {
        kal_thin_add(&thin, points[i]);
    }
    ok(kal_thin_finish(&thin) == KAL_OK);
    const KalSpot *left = (const KalSpot *)thin.points.data;
    ok(thin.points.size == 5 * sizeof *left);
    ok(left[0].x == 1.0 && isnan(left[1].x) && left[2].x == 3.0 && left[3].x == 4.0);
    ok(isnan(left[4].x));
    kal_block_clear(ctx, &thin.points);

    thin = kal_thin(ctx, column, tolerance);
    ok(kal_thin_finish(&thin) == KAL_OK && thin.points.size == 0);
    kal_context_destroy(ctx);
}

static KalStatus thin_with(KalContext *ctx)
{
    KalThin thin = kal_thin(ctx, column, tolerance);
    for (int i = 0; i < 1000; i++) {
        kal_thin_add(&thin, (KalSpot){i, i % 7});
    }
    const KalStatus status = kal_thin_finish(&thin);
    kal_block_clear(ctx, &thin.points);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(thin_with);
}

TAP_RUN(TAP_CASE(nothing_that_can_be_seen_is_lost),
        TAP_CASE(a_million_points_become_few), TAP_CASE(a_straight_line_has_two_points),
        TAP_CASE(a_line_that_turns_back_keeps_its_end), TAP_CASE(points_alone_stay),
        TAP_CASE(every_allocation_may_fail))

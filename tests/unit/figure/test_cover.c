// SPDX-License-Identifier: MIT

#include "allocations.h"
#include "curve.h"
#include "figure/cover.h"
#include "rng.h"
#include "tap.h"

enum {
    TURNS = 200,
    PER_TURN = 97
};

static const KalBox frame = {10.0, 20.0, 200.0, 100.0};
static const double cell = 0.3;

static KalSpot on_orbit(int i)
{
    const double angle = 2.0 * acos(-1.0) * i / PER_TURN;
    return (KalSpot){110.0 + 80.0 * cos(angle), 70.0 + 40.0 * sin(angle)};
}

static KalStatus make_orbit(KalContext *ctx, KalBlock *points)
{
    for (int i = 0; i <= TURNS * PER_TURN; i++) {
        const KalSpot p = on_orbit(i);
        KAL_TRY(kal_block_add(ctx, points, &p, sizeof p));
    }
    return KAL_OK;
}

static void an_orbit_is_drawn_once(void)
{
    KalContext *ctx = NULL;
    KalBlock points = {.data = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(make_orbit(ctx, &points) == KAL_OK);
    ok(kal_cover_remove(ctx, frame, cell, &points) == KAL_OK);
    const size_t count = points.size / sizeof(KalSpot);
    ok(count > PER_TURN && count < 3 * PER_TURN);
    for (int i = 0; i < PER_TURN; i++) {
        ok(distance_to_curve(on_orbit(i), (const KalSpot *)points.data, count)
           <= 1.5 * cell);
    }
    kal_block_clear(ctx, &points);
    kal_context_destroy(ctx);
}

static void what_is_left_covers_all(void)
{
    enum {
        COUNT = 4000
    };

    static KalSpot wild[COUNT];
    Rng rng = {.state = 5};
    KalContext *ctx = NULL;
    KalBlock points = {.data = NULL};
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    for (int i = 0; i < COUNT; i++) {
        const bool gap = rng_int(&rng, 0, 30) == 0;
        wild[i] = (KalSpot){gap ? NAN : 10.0 + 200.0 * rng_unit(&rng),
                            20.0 + 3.0 * rng_unit(&rng)};
        ok(kal_block_add(ctx, &points, &wild[i], sizeof wild[i]) == KAL_OK);
    }
    ok(kal_cover_remove(ctx, frame, cell, &points) == KAL_OK);
    const size_t count = points.size / sizeof(KalSpot);
    ok(count < COUNT / 2); // the strip holds about 7000 cells
    double farthest = 0.0;
    for (int i = 0; i < COUNT; i += 7) {
        if (!isnan(wild[i].x)) {
            farthest =
                fmax(farthest,
                     distance_to_curve(wild[i], (const KalSpot *)points.data, count));
        }
    }
    ok(farthest <= 1.5 * cell);
    kal_block_clear(ctx, &points);
    kal_context_destroy(ctx);
}

static KalStatus cover_with(KalContext *ctx)
{
    KalBlock points = {.data = NULL};
    KalStatus status = make_orbit(ctx, &points);
    if (status == KAL_OK) {
        status = kal_cover_remove(ctx, frame, cell, &points);
    }
    kal_block_clear(ctx, &points);
    return status;
}

static void every_allocation_may_fail(void)
{
    try_allocations(cover_with);
}

TAP_RUN(TAP_CASE(an_orbit_is_drawn_once), TAP_CASE(what_is_left_covers_all),
        TAP_CASE(every_allocation_may_fail))

// SPDX-License-Identifier: MIT

// Zero crossings: functions with known zeros, alone and together, and a bouncing ball.

#include "fault.h"
#include "ode/integrator.h"
#include "ode/root.h"
#include "problems.h"
#include "tap.h"

enum {
    MOST = 4
};

static KalContext *ctx;
static Fault fault;

static void begin(void)
{
    fault = (Fault){.calls_left = -1};
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
}

static void end(void)
{
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

// Functions of time, and how often they were asked for.
typedef struct Scene {
    int count;
    double (*function[MOST])(double t);
    long calls;
    long fail_at; // 0: never
} Scene;

static KalStatus scene_values(void *user, double t, double *out_values)
{
    Scene *scene = user;
    scene->calls++;
    if (scene->calls == scene->fail_at) {
        return kal_fail(ctx, KAL_ERR_CONTRADICTION, "call %ld fails", scene->calls);
    }
    for (int i = 0; i < scene->count; i++) {
        out_values[i] = scene->function[i](t);
    }
    return KAL_OK;
}

static KalRoots *follow(Scene *scene, const KalRootDirection *directions,
                        const double *zeros, int samples)
{
    const KalRootSpec spec = {.count = scene->count,
                              .values = scene_values,
                              .user = scene,
                              .directions = directions,
                              .zeros = zeros,
                              .samples = samples};
    KalRoots *roots = NULL;
    if (!ok(kal_roots_create(ctx, &spec, &roots) == KAL_OK)) {
        exit(1);
    }
    return roots;
}

static KalRootHit find(KalRoots *roots, double t_end, double tolerance)
{
    KalRootHit hit = {.found = false};
    ok(kal_roots_find(roots, t_end, tolerance, &hit) == KAL_OK);
    return hit;
}

static double wave(double t)
{
    return sin(t);
}

static double fast_wave(double t)
{
    return cos(3.0 * t);
}

static double cubic(double t)
{
    return (t - 1.0) * (t - 1.0) * (t - 1.0);
}

static double steep(double t)
{
    return tanh(1e6 * (t - 1.25)) + 0.5;
}

static double jump(double t)
{
    return t < 0.7 ? -5.0 : 3.0 + t;
}

static double teeth(double t)
{
    return fmod(t, 1.0) < 0.5 ? 1.0 : -1.0;
}

static double dip(double t)
{
    return (t - 0.53) * (t - 0.53) - 1e-8;
}

static double touch(double t)
{
    return (t - 0.53) * (t - 0.53) + 1e-8;
}

static double line_a(double t)
{
    return 2.0 * (t - 1.0 / 3.0);
}

static double line_b(double t)
{
    return 1e5 * (1.0 / 3.0 + 1e-13 - t);
}

static double line_c(double t)
{
    return t - 1.0 / 3.0 - 1e-6;
}

static double pole(double t)
{
    return 1.0 / (t - 0.37);
}

static double cubic_pole(double t)
{
    return -1e-6 / ((t - 0.8) * (t - 0.8) * (t - 0.8));
}

static double never(double t)
{
    return 1.0 + t * t;
}

static double infinite(double t)
{
    return t < 0.3 ? -INFINITY : INFINITY;
}

static double noise(double t)
{
    return 1e-13 * sin(1e7 * t);
}

static double no_number(double t)
{
    return t < 0.5 ? 1.0 : NAN;
}

// All zeros of a wave, whether steps are long or short; at the start there is none.
static void waves_are_followed(void)
{
    begin();
    for (int step = 1; step <= 5; step++) {
        Scene scene = {.count = 1, .function = {wave}};
        KalRoots *roots = follow(&scene, NULL, NULL, 4);
        int found = 0;
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        for (int i = 1; i <= 30; i++) {
            KalRootHit hit = find(roots, 0.7 * step * i, 1e-10);
            for (; hit.found; hit = find(roots, 0.7 * step * i, 1e-10)) {
                found++;
                near(hit.t, found * PI, 1e-10);
                ok(hit.crossings[0] == (found % 2 == 1 ? -1 : 1));
                near(hit.values[0], 0.0, 1e-10);
                ok(hit.t >= found * PI - 1e-15 * found);
            }
            ok(hit.t == 0.7 * step * i && hit.crossings[0] == 0);
        }
        ok(found == (int)floor(21.0 * step / PI));
        ok(scene.calls < 160 + 16 * found);
        kal_roots_destroy(roots);
    }
    end();
}

static void directions_are_kept_to(void)
{
    static const KalRootDirection both[3] = {KAL_ROOT_RISING, KAL_ROOT_FALLING,
                                             KAL_ROOT_BOTH};
    static const double zeros[] = {1, 1, 3, 3, 5, 5, 7, 7}; // of cos 3t, in pi/6, twice
    begin();
    Scene scene = {
        .count = 3, .function = {fast_wave, fast_wave, fast_wave}
    };
    KalRoots *roots = follow(&scene, both, NULL, 8);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    for (int k = 0; k < 4; k++) {
        const KalRootHit hit = find(roots, 4.0, 1e-9);
        const bool rising = k % 2 == 1;
        ok(hit.found);
        near(hit.t, zeros[2 * k] * PI / 6.0, 1e-9);
        ok(hit.crossings[0] == (rising ? 1 : 0));
        ok(hit.crossings[1] == (rising ? 0 : -1));
        ok(hit.crossings[2] == (rising ? 1 : -1));
    }
    ok(!find(roots, 4.0, 1e-9).found);
    kal_roots_destroy(roots);
    end();
}

// Backward in time, rising is what rises as the run goes.
static void time_may_run_backward(void)
{
    static const KalRootDirection rising[1] = {KAL_ROOT_RISING};
    begin();
    Scene scene = {.count = 1, .function = {wave}};
    KalRoots *roots = follow(&scene, rising, NULL, 4);
    ok(kal_roots_start(roots, 10.0) == KAL_OK); // sin 10 < 0
    KalRootHit hit = find(roots, 0.5, 1e-10);
    ok(hit.found && hit.crossings[0] == 1);
    near(hit.t, 3.0 * PI, 1e-10);
    hit = find(roots, 0.5, 1e-10);
    ok(hit.found && hit.crossings[0] == 1);
    near(hit.t, PI, 1e-10);
    hit = find(roots, 0.5, 1e-10);
    ok(!hit.found && hit.t == 0.5);
    kal_roots_destroy(roots);
    end();
}

// Flat, steep, discontinuous and infinite functions are found as well.
static void shapes_do_not_matter(void)
{
    static double (*const shapes[])(double t) = {cubic, steep, jump, infinite};
    const double zeros[] = {1.0, 1.25 - 1e-6 * atanh(0.5), 0.7, 0.3};
    begin();
    for (int i = 0; i < 4; i++) {
        Scene scene = {.count = 1, .function = {shapes[i]}};
        KalRoots *roots = follow(&scene, NULL, NULL, 2);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        const KalRootHit hit = find(roots, 2.0, 1e-11);
        ok(hit.found && hit.crossings[0] == 1);
        near(hit.t, zeros[i], 1e-11);
        ok(scene.calls < 130);
        ok(!find(roots, 2.0, 1e-11).found);
        kal_roots_destroy(roots);
    }
    end();
}

// After a jump a function has left zero at once.
static void jumps_repeat(void)
{
    begin();
    Scene scene = {.count = 1, .function = {teeth}};
    KalRoots *roots = follow(&scene, NULL, NULL, 7);
    ok(kal_roots_start(roots, 0.1) == KAL_OK);
    for (int k = 1; k <= 6; k++) {
        const KalRootHit hit = find(roots, 3.2, 1e-12);
        ok(hit.found && hit.crossings[0] == (k % 2 == 1 ? -1 : 1));
        near(hit.t, 0.5 * k, 1e-12);
    }
    ok(!find(roots, 3.2, 1e-12).found);
    kal_roots_destroy(roots);
    end();
}

// Crossings within the tolerance are one instant, others are not; what crosses first
// comes first, whichever sample saw it.
static void instants_are_told_apart(void)
{
    begin();
    Scene scene = {
        .count = 4, .function = {line_c, line_a, never, line_b}
    };
    KalRoots *roots = follow(&scene, NULL, NULL, 3);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    KalRootHit hit = find(roots, 1.0, 1e-10);
    ok(hit.found && hit.crossings[0] == 0 && hit.crossings[1] == 1
       && hit.crossings[2] == 0 && hit.crossings[3] == -1);
    near(hit.t, 1.0 / 3.0, 1e-10);
    ok(hit.values[1] >= 0.0 && hit.values[3] <= 0.0);
    hit = find(roots, 1.0, 1e-10);
    ok(hit.found && hit.crossings[0] == 1 && hit.crossings[1] == 0
       && hit.crossings[3] == 0);
    near(hit.t, 1.0 / 3.0 + 1e-6, 1e-10);
    ok(!find(roots, 1.0, 1e-10).found);

    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    hit = find(roots, 1.0, 1e-3); // coarse enough for all three
    ok(hit.found && hit.crossings[0] == 1 && hit.crossings[1] == 1
       && hit.crossings[3] == -1);
    ok(!find(roots, 1.0, 1e-3).found);
    kal_roots_destroy(roots);
    end();
}

// Zero twice between two samples, for a ten-thousandth of the stretch.
static void dips_are_followed(void)
{
    begin();
    Scene scene = {
        .count = 2, .function = {touch, dip}
    };
    for (int samples = 1; samples <= 12; samples++) {
        KalRoots *roots = follow(&scene, NULL, NULL, samples);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        KalRootHit hit = find(roots, 1.0, 1e-11);
        ok(hit.found && hit.crossings[0] == 0 && hit.crossings[1] == -1);
        near(hit.t, 0.53 - 1e-4, 1e-11);
        hit = find(roots, 1.0, 1e-11);
        ok(hit.found && hit.crossings[0] == 0 && hit.crossings[1] == 1);
        near(hit.t, 0.53 + 1e-4, 1e-11);
        ok(!find(roots, 1.0, 1e-11).found);
        kal_roots_destroy(roots);
    }
    end();
}

// The places where functions touch zero, and where they do not quite.
static double place;

static double square_at_place(double t)
{
    return 1e-9 * (t - place) * (t - place);
}

static double corner_at_place(double t)
{
    return -7.0 * fabs(t - place) * (2.0 - sin(t));
}

static double close_to_touching(double t)
{
    return fabs(t - place) + (t - place) * (t - place) + 1e-11;
}

// Whether a last value is zero to the bit or not is a matter of rounding; touches are found
// wherever they are.
static void touches_are_crossings(void)
{
    begin();
    Scene scene = {
        .count = 3, .function = {square_at_place, corner_at_place, close_to_touching}
    };
    const KalRootDirection ways[][3] = {
        {KAL_ROOT_BOTH,    KAL_ROOT_RISING,  KAL_ROOT_BOTH},
        {KAL_ROOT_FALLING, KAL_ROOT_FALLING, KAL_ROOT_BOTH},
        {KAL_ROOT_RISING,  KAL_ROOT_BOTH,    KAL_ROOT_BOTH}
    };
    for (int k = 0; k < 300; k++) {
        const KalRootDirection *way = ways[k % 3];
        place = 0.3 + k * 0.0011;
        KalRoots *roots = follow(&scene, way, NULL, 3 + k % 10);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        bool square = way[0] == KAL_ROOT_RISING; // that comes from above
        bool corner = way[1] == KAL_ROOT_FALLING;
        KalRootHit hit = find(roots, 1.0, 1e-14);
        for (int count = 0; hit.found && count < 4; count++) {
            near(hit.t, place, 1e-8);
            ok(hit.crossings[2] == 0);
            ok(!(square && hit.crossings[0] != 0) && hit.crossings[0] <= 0);
            ok(!(corner && hit.crossings[1] != 0) && hit.crossings[1] >= 0);
            square = square || hit.crossings[0] != 0;
            corner = corner || hit.crossings[1] != 0;
            hit = find(roots, 1.0, 1e-14);
        }
        ok(square && corner && !hit.found);
        kal_roots_destroy(roots);
    }
    end();
}

static double start_at_zero(double t)
{
    return t * (t - 0.4);
}

static double start_near_zero(double t)
{
    return 1e-17 - t + 3.0 * t * t;
}

static double rest_at_zero(double t)
{
    return -t * t * t * t;
}

static double stay_at_zero(double t)
{
    return t < 0.6 ? 0.0 : 0.6 - t;
}

static void zero_at_the_start_is_no_event(void)
{
    begin();
    Scene scene = {
        .count = 4,
        .function = {start_at_zero, start_near_zero, rest_at_zero, stay_at_zero}
    };
    for (int samples = 0; samples <= 5; samples++) {
        KalRoots *roots = follow(&scene, NULL, NULL, samples);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        KalRootHit hit = find(roots, 1.0, 1e-10);
        ok(hit.found && hit.crossings[0] == 0 && hit.crossings[1] == 1);
        near(hit.t, 1.0 / 3.0, 1e-10);
        hit = find(roots, 1.0, 1e-10);
        ok(hit.found && hit.crossings[0] == 1 && hit.crossings[1] == 0);
        near(hit.t, 0.4, 1e-10);
        hit = find(roots, 1.0, 1e-10);
        ok(!hit.found && hit.t == 1.0);
        kal_roots_destroy(roots);
    }
    end();
}

static void rounding_is_no_event(void)
{
    const double zeros[1] = {1e-12};
    begin();
    Scene scene = {.count = 1, .function = {noise}};
    KalRoots *roots = follow(&scene, NULL, zeros, 4);
    ok(kal_roots_start(roots, 1e-7) == KAL_OK);
    for (int i = 1; i < 100; i++) {
        ok(!find(roots, 0.37 * i, 1e-10).found);
    }
    kal_roots_destroy(roots);
    end();
}

// A ball on a floor, y'' = -1, that keeps a part of its speed; the state is the user's.
typedef struct Ball {
    KalIntegrator *solver;
} Ball;

static KalStatus ball_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    f[0] = y[1];
    f[1] = -1.0;
    return KAL_OK;
}

static KalStatus ball_height(void *user, double t, double *out_values)
{
    const Ball *ball = user;
    double y[2];
    KAL_TRY(kal_integrator_interpolate(ball->solver, t, y));
    out_values[0] = y[0];
    return KAL_OK;
}

// Let it bounce until t = 2.9; answers how often it did.  Free flight is a polynomial, so
// steps are as long as they can be and see little of a bounce.
static int bounce(double kept, KalRootDirection direction)
{
    const KalOdeSystem system = {.n = 2, .rate = ball_rate};
    Ball ball = {NULL};
    KalRoots *roots = NULL;
    ok(kal_integrator_create(ctx, KAL_INTEGRATOR_DOP853, &system, NULL, &ball.solver)
       == KAL_OK);
    const KalRootSpec spec = {.count = 1,
                              .values = ball_height,
                              .user = &ball,
                              .directions = &direction,
                              .samples = 3};
    ok(kal_roots_create(ctx, &spec, &roots) == KAL_OK);
    double y[2] = {0.5, 0.0};
    double speed = 1.0; // at the floor
    double when = 1.0;  // the next bounce is due
    int bounces = 0;
    KalOdeStep step = {.finished = false};
    ok(kal_integrator_start(ball.solver, 0.0, y, 2.9) == KAL_OK);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    while (!step.finished && bounces < 60) {
        ok(kal_integrator_step(ball.solver, &step) == KAL_OK);
        const KalRootHit hit = find(roots, step.t_new, 1e-12);
        if (!hit.found) {
            continue;
        }
        bounces++;
        ok(hit.crossings[0] == -1);
        near(hit.t, when, 1e-10);
        ok(kal_integrator_interpolate(ball.solver, hit.t, y) == KAL_OK);
        near(y[1], -speed, 1e-10);
        y[1] *= -kept;
        speed *= kept;
        when += 2.0 * speed;
        ok(kal_integrator_start(ball.solver, hit.t, y, 2.9) == KAL_OK);
        ok(kal_roots_restart(roots, hit.t, NULL) == KAL_OK);
        step.finished = false;
    }
    kal_roots_destroy(roots);
    kal_integrator_destroy(ball.solver);
    return bounces;
}

// Bounces are due at 1 + 2 (k + k² + …): 3 in the end for k = 1/2.
static void balls_bounce(void)
{
    static const struct {
        double kept;
        int bounces; // before t = 2.9
    } balls[] = {
        {1.0,  1},
        {0.9,  2},
        {0.6,  2},
        {0.5,  5},
        {0.49, 7},
    };

    begin();
    for (size_t i = 0; i < sizeof balls / sizeof balls[0]; i++) {
        ok(bounce(balls[i].kept, KAL_ROOT_FALLING) == balls[i].bounces);
        ok(bounce(balls[i].kept, KAL_ROOT_BOTH) == balls[i].bounces);
    }
    end();
}

// A jump of the state over zero is no crossing, and what crossed has to leave zero.
static double level = 0.0;

static double above_level(double t)
{
    return t - level;
}

static void restart_looks_anew(void)
{
    begin();
    Scene scene = {
        .count = 2, .function = {above_level, wave}
    };
    KalRoots *roots = follow(&scene, NULL, NULL, 3);
    level = 0.5;
    ok(kal_roots_restart(roots, 0.0, NULL) == KAL_ERR_USAGE);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    KalRootHit hit = find(roots, 2.0, 1e-10);
    ok(hit.found && hit.crossings[0] == 1);
    ok(kal_roots_restart(roots, 0.4, NULL) == KAL_ERR_USAGE);
    level = 1.5;
    ok(kal_roots_restart(roots, hit.t, NULL) == KAL_OK);
    hit = find(roots, 2.0, 1e-10);
    ok(hit.found && hit.crossings[0] == 1);
    near(hit.t, 1.5, 1e-10);
    level = hit.t + 0.5e-10; // moved by less than what it was found to
    ok(kal_roots_restart(roots, hit.t, NULL) == KAL_OK);
    hit = find(roots, 2.0, 1e-10);
    ok(!hit.found && hit.t == 2.0);
    level = 1.0;
    ok(kal_roots_restart(roots, 2.0, NULL) == KAL_OK);
    ok(!find(roots, 3.0, 1e-10).found);
    kal_roots_destroy(roots);
    end();
}

// Whichever call fails, asking again finds what there is to find.
static void every_call_may_fail(void)
{
    begin();
    long calls = 100;
    for (long at = 0; at <= calls; at++) {
        Scene scene = {
            .count = 2, .function = {fast_wave, dip},
                 .fail_at = at
        };
        KalRoots *roots = follow(&scene, NULL, NULL, 3);
        int failures = 0;
        int hits = 0;
        while (kal_roots_start(roots, 0.0) != KAL_OK) {
            failures++;
        }
        KalRootHit hit = {.found = true};
        while (hit.found && failures < 3) {
            hit.found = true;
            const KalStatus status = kal_roots_find(roots, 2.0, 1e-9, &hit);
            ok(status == KAL_OK || status == KAL_ERR_CONTRADICTION);
            failures += status != KAL_OK;
            hits += status == KAL_OK && hit.found;
        }
        // Zeros of the wave at pi/6 and 3 pi/6, and two of the dip.
        ok(hits == 4);
        ok(failures == (at > 0 ? 1 : 0));
        calls = at == 0 ? scene.calls : calls;
        kal_roots_destroy(roots);
    }
    ok(calls < 100 && calls > 20);
    end();
}

static void wrong_use_is_refused(void)
{
    static const double wrong[1] = {-1.0};
    begin();
    Scene scene = {.count = 1, .function = {no_number}};
    const KalRootSpec specs[] = {
        {.count = 0,      .values = scene_values},
        {          .count = 1, .values = NULL                      },
        { .count = 1,  .values = scene_values,                        .samples = -1},
        { .count = 1, .values = scene_values,                       .zeros = wrong},
    };
    KalRoots *roots = NULL;
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        ok(kal_roots_create(ctx, &specs[i], &roots) == KAL_ERR_USAGE);
    }
    KalRootSpec large = {.count = KAL_ROOT_LIMIT + 1, .values = scene_values};
    ok(kal_roots_create(ctx, &large, &roots) == KAL_ERR_LIMIT);
    large = (KalRootSpec){
        .count = 1, .values = scene_values, .samples = KAL_ROOT_SAMPLE_LIMIT + 1};
    ok(kal_roots_create(ctx, &large, &roots) == KAL_ERR_LIMIT && roots == NULL);
    roots = follow(&scene, NULL, NULL, 3);
    KalRootHit hit = {.t = 7.0};
    ok(kal_roots_find(roots, 1.0, 1e-9, &hit) == KAL_ERR_USAGE);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    ok(kal_roots_find(roots, INFINITY, 1e-9, &hit) == KAL_ERR_USAGE);
    ok(kal_roots_find(roots, 1.0, 0.0, &hit) == KAL_ERR_USAGE);
    ok(kal_roots_find(roots, 1.0, NAN, &hit) == KAL_ERR_USAGE);
    ok(kal_roots_find(roots, 1.0, 1e-9, &hit) == KAL_ERR_NUMBER && hit.t == 7.0);
    has_text(kal_context_message(ctx), "event function 0 is not a number at t = 0.5");
    ok(kal_roots_find(roots, 0.0, 1e-9, &hit) == KAL_OK && !hit.found && hit.t == 0.0);
    ok(kal_roots_start(roots, 0.5) == KAL_ERR_NUMBER);
    kal_roots_destroy(roots);
    kal_roots_destroy(NULL);
    end();
}

static void every_allocation_may_fail(void)
{
    Scene scene = {
        .count = 2, .function = {wave, fast_wave}
    };
    const KalRootSpec spec = {
        .count = 2, .values = scene_values, .user = &scene, .samples = 3};
    KalStatus status = KAL_ERR_NOMEM;
    for (long n = 0; status != KAL_OK && n < 20; n = fault_next(n)) {
        fault = (Fault){.calls_left = n + 1};
        ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
        KalRoots *roots = NULL;
        status = kal_roots_create(ctx, &spec, &roots);
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        ok((status == KAL_OK) == (roots != NULL));
        ok(status == KAL_OK || strstr(kal_context_message(ctx), "memory") != NULL);
        if (roots) {
            fault.calls_left = 0; // a search asks for no memory
            ok(kal_roots_start(roots, 0.0) == KAL_OK);
            ok(find(roots, 5.0, 1e-9).found);
        }
        kal_roots_destroy(roots);
        end();
    }
    ok(status == KAL_OK);
}

// A change of side through a pole is no crossing, unless it counts; real ones still are.
static void poles_are_passed(void)
{
    begin();
    const int places[] = {0, 3};
    for (int k = 0; k < 2; k++) {
        Scene scene = {
            .count = 3, .function = {pole, cubic_pole, line_c}
        };
        KalRoots *roots = follow(&scene, NULL, NULL, places[k]);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        const KalRootHit hit = find(roots, 1.0, 1e-12);
        ok(hit.found && hit.crossings[0] == 0 && hit.crossings[2] == 1);
        near(hit.t, 1.0 / 3.0 + 1e-6, 1e-11);
        ok(!find(roots, 1.0, 1e-12).found);
        kal_roots_destroy(roots);
    }
    Scene scene = {.count = 1, .function = {pole}};
    const bool counts = true;
    const KalRootSpec spec = {
        .count = 1, .values = scene_values, .user = &scene, .poles = &counts};
    KalRoots *roots = NULL;
    double band = 0.0;
    ok(kal_roots_create(ctx, &spec, &roots) == KAL_OK);
    ok(kal_roots_start(roots, 0.0) == KAL_OK);
    ok(kal_roots_side(roots, 0, &band) == -1);
    const KalRootHit hit = find(roots, 1.0, 1e-12);
    ok(hit.found && hit.crossings[0] == 1);
    near(hit.t, 0.37, 1e-11);
    kal_roots_destroy(roots);
    end();
}

// Fewer samples see less, and no more than at first can be had.
static void samples_can_be_chosen(void)
{
    begin();
    for (int samples = 0; samples < 6; samples += 3) {
        Scene scene = {.count = 1, .function = {dip}};
        KalRoots *roots = follow(&scene, NULL, NULL, 3);
        ok(kal_roots_start(roots, 0.0) == KAL_OK);
        kal_roots_set_samples(roots, samples);
        ok(find(roots, 1.0, 1e-12).found == (samples > 0));
        kal_roots_set_samples(roots, 1000);
        kal_roots_destroy(roots);
    }
    end();
}

TAP_RUN(TAP_CASE(waves_are_followed), TAP_CASE(directions_are_kept_to),
        TAP_CASE(time_may_run_backward), TAP_CASE(shapes_do_not_matter),
        TAP_CASE(jumps_repeat), TAP_CASE(poles_are_passed),
        TAP_CASE(samples_can_be_chosen), TAP_CASE(instants_are_told_apart),
        TAP_CASE(dips_are_followed), TAP_CASE(touches_are_crossings),
        TAP_CASE(zero_at_the_start_is_no_event), TAP_CASE(rounding_is_no_event),
        TAP_CASE(balls_bounce), TAP_CASE(restart_looks_anew),
        TAP_CASE(every_call_may_fail), TAP_CASE(wrong_use_is_refused),
        TAP_CASE(every_allocation_may_fail))

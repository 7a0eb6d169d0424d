// SPDX-License-Identifier: MIT

// Kalaba beside C that is written by hand for one system each, in one run and in processor
// time: constrained accelerations, and runs with return to the constraints and all checks.
// What is written by hand checks nothing and projects nothing.
//
//     bench_hand CRANK SQUEEZER DOUBLE_PENDULUM
//
// The models are those of `anchors`, whose programs are compiled in where that folder
// stands beside the project; else two of our own take their place, and the squeezer has
// nothing to be compared with.

#include "anchors.h"
#include "system/instant.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BATCHES = 15, // of which the fastest was disturbed least
    CALLS = 20000,
    RUNS = 40,
    FIRST_RUNS = 10,
    SAMPLES = 1000, // that a run is made for, though none is taken
    TEXT = 1 << 16
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(KalContext *ctx, KalStatus status)
{
    if (status != KAL_OK) {
        fprintf(stderr, "failed: %s\n", ctx ? kal_context_message(ctx) : "no context");
        exit(1);
    }
}

// Accelerations by hand, of coordinates and velocities.
typedef void (*Accelerate)(const double *q, const double *v, double *out_a);

// A run by hand from the start; answers the seconds it took.
typedef double (*Run)(void);

typedef struct Case {
    const char *name;
    double rtol;
    double until;
    Accelerate accelerate; // NULL: nothing is written by hand
    Run run;
} Case;

#ifdef KAL_ANCHORS
static const Case cases[] = {
    {"slider-crank",    1e-8, 10.0, anchor_crank,    anchor_run_crank   },
    {"squeezer",        1e-8, 0.03, anchor_squeezer, anchor_run_squeezer},
    {"double pendulum", 1e-8, 10.0, anchor_pendulum, anchor_run_pendulum},
};
#else
static const double G = 9.81;

// The slider-crank of CRANK in its one free direction (1, u, w).
static void crank(const double *q, const double *v, double *out_a)
{
    const double l1 = 0.2, l2 = 0.5, m1 = 1.0, m2 = 2.0, m3 = 0.5;
    const double s1 = sin(q[0]), c1 = cos(q[0]), s2 = sin(q[1]), c2 = cos(q[1]);
    const double w1 = v[0] * v[0], w2 = v[1] * v[1], half = 0.5 * m2 * l1 * l2;
    const double j1 = m1 * l1 * l1 / 3.0 + m2 * l1 * l1, j2 = m2 * l2 * l2 / 3.0;
    const double j12 = half * (c1 * c2 + s1 * s2), turn = half * (s1 * c2 - c1 * s2);
    const double f1 = -turn * w2 - (0.5 * m1 + m2) * l1 * G * c1;
    const double f2 = turn * w1 - 0.5 * m2 * l2 * G * c2;
    const double u = -l1 * c1 / (l2 * c2), w = -l1 * s1 - l2 * s2 * u;
    const double p = (l1 * s1 * w1 + l2 * s2 * w2) / (l2 * c2);
    const double r = -l1 * c1 * w1 - l2 * c2 * w2 - l2 * s2 * p;
    const double force = f1 - j12 * p + u * (f2 - j2 * p) - w * m3 * r;
    out_a[0] = force / (j1 + 2.0 * j12 * u + j2 * u * u + m3 * w * w);
    out_a[1] = p + u * out_a[0];
    out_a[2] = r + w * out_a[0];
}

// Two points on rods of length 1: the two multipliers by Cramer's rule.
static void pendulum(const double *q, const double *v, double *out_a)
{
    const double x = q[2] - q[0], y = q[3] - q[1], vx = v[2] - v[0], vy = v[3] - v[1];
    const double a = q[0] * q[0] + q[1] * q[1], b = -(q[0] * x + q[1] * y);
    const double c = 2.0 * (x * x + y * y);
    const double f = q[1] * G - (v[0] * v[0] + v[1] * v[1]), g = -(vx * vx + vy * vy);
    const double scale = 1.0 / (a * c - b * b);
    const double first = (c * f - b * g) * scale, second = (a * g - b * f) * scale;
    out_a[0] = q[0] * first - x * second;
    out_a[1] = q[1] * first - y * second - G;
    out_a[2] = x * second;
    out_a[3] = y * second - G;
}

static const Case cases[] = {
    {"slider-crank",    1e-8, 10.0, crank,    NULL},
    {"squeezer",        1e-8, 0.03, NULL,     NULL},
    {"double pendulum", 1e-8, 10.0, pendulum, NULL},
};
#endif

typedef struct Model {
    KalContext *ctx;
    KalSystem *system;
    KalRun *run;
} Model;

static void load(Model *model, const char *path)
{
    static char text[TEXT];
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) {
        fclose(file);
    }
    *model = (Model){.ctx = NULL};
    check(NULL, kal_context_create(NULL, NULL, &model->ctx));
    check(model->ctx,
          kal_system_load(model->ctx, path, text, length, NULL, &model->system));
}

static void make_run(Model *model, const Case *c)
{
    KalRunOptions options = kal_run_options(model->system);
    options.rtol = c->rtol;
    options.atol = c->rtol;
    options.until = c->until;
    options.every = c->until / SAMPLES;
    kal_run_destroy(model->run);
    model->run = NULL;
    check(model->ctx, kal_run_create(model->ctx, model->system, &options, &model->run));
}

// From the start to the end.
static double run_once(Model *model, const Case *c)
{
    KalStartReport report;
    check(model->ctx, kal_run_start(model->run, &report));
    const double begin = now();
    check(model->ctx, kal_run_advance(model->run, c->until));
    return now() - begin;
}

static double time_model(KalInstant *instant)
{
    double best = INFINITY;
    KalMotionAnswer answer;
    for (int k = 0; k < BATCHES; k++) {
        const double begin = now();
        for (int i = 0; i < CALLS; i++) {
            instant->road.back.knows = false; // no answer that is there already
            if (!kal_instant_rush(instant, false)) {
                fprintf(stderr, "failed: the fast road does not lead here\n");
                exit(1);
            }
        }
        best = fmin(best, (now() - begin) / CALLS);
    }
    kal_instant_publish(instant, &answer);
    return best;
}

static double time_hand(Accelerate accelerate, const KalInstant *instant, double *out_a)
{
    const size_t n = (size_t)instant->system->n;
    const double *q = instant->variables + 1;
    double best = INFINITY;
    for (int k = 0; k < BATCHES; k++) {
        const double begin = now();
        for (int i = 0; i < CALLS; i++) {
            accelerate(q, q + n, out_a);
            __asm__ volatile("" : : "r"(out_a) : "memory");
        }
        best = fmin(best, (now() - begin) / CALLS);
    }
    return best;
}

static void compare(const Case *c, const char *path)
{
    Model model;
    double by_hand = NAN;
    double own = INFINITY;
    double first = INFINITY; // with all that is made for it
    double hand_run = INFINITY;
    double a[16] = {0.0};
    double error = 0.0;
    double size = 0.0;
    load(&model, path);
    for (int i = 0; i < FIRST_RUNS; i++) {
        const double begin = now();
        make_run(&model, c);
        run_once(&model, c);
        first = fmin(first, now() - begin);
    }
    for (int i = 0; i < RUNS; i++) { // in turn, so that all else disturbs both
        own = fmin(own, run_once(&model, c));
        hand_run = c->run ? fmin(hand_run, c->run()) : hand_run;
    }
    KalInstant *instant = kal_run_instant(model.run);
    const double program = time_model(instant);
    if (c->accelerate) {
        by_hand = time_hand(c->accelerate, instant, a);
    }
    for (int i = 0; i < instant->system->n && c->accelerate; i++) {
        error = fmax(error, fabs(instant->answer.qdd[i] - a[i]));
        size = fmax(size, fabs(a[i]));
    }
    printf("%-16s %8.1f %8.1f %7.2f %9.1e", c->name, 1e9 * by_hand, 1e9 * program,
           program / by_hand, size > 0.0 ? error / size : NAN);
    printf(" %9.4f %9.4f %7.2f %9.4f\n", 1e3 * hand_run, 1e3 * own, own / hand_run,
           1e3 * first);
    kal_run_destroy(model.run);
    kal_system_destroy(model.system);
    kal_context_destroy(model.ctx);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: bench_hand CRANK SQUEEZER DOUBLE_PENDULUM\n");
        return 2;
    }
    printf("%-16s %8s %8s %7s %9s %9s %9s %7s %9s\n", "", "hand/ns", "own/ns", "ratio",
           "error", "hand/ms", "own/ms", "ratio", "first/ms");
    for (int i = 0; i < 3; i++) {
        compare(&cases[i], argv[i + 1]);
    }
    return 0;
}

// SPDX-License-Identifier: MIT

// Servo constraints on random systems: their errors obey their laws over time, nature's
// constraints hold meanwhile and the energy balances.  KAL_PROPERTY_PROBLEMS sets how many.

#include "rng.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <stdarg.h>

enum {
    TEXT_SIZE = 4096,
    MOST_SERVOS = 3
};

static int problems(void)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? atoi(text) : 20000;
    return all / 10 > 10 ? all / 10 : 10;
}

// A model in the making.
typedef struct Text {
    Rng rng;
    char data[TEXT_SIZE];
    size_t used;
    int n;
    bool held;      // there is a natural constraint, on x1 and x2
    bool actuators; // one for each coordinate
    int servos;
    bool position[MOST_SERVOS];
    double rate[MOST_SERVOS];
} Text;

static void add(Text *text, const char *format, ...) KAL_PRINTF(2, 3);

static void add(Text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text->used += (size_t)vsnprintf(text->data + text->used, TEXT_SIZE - text->used,
                                    format, args);
    va_end(args);
}

static double number(Text *text)
{
    return rng_entry(&text->rng);
}

static void add_nature(Text *text)
{
    for (int i = 1; i <= text->n; i++) {
        add(text, "coord x%d\nkinetic 1/2*%.3f*x%d'^2\n", i,
            1.0 + 2.0 * rng_unit(&text->rng), i);
        add(text, "potential %.3f*x%d^2\ndissipation %.3f*x%d'^2\n",
            rng_unit(&text->rng), i, 0.2 * rng_unit(&text->rng), i);
        add(text, "force x%d = %.3f*cos(%.3f*t)\n", i, number(text), number(text));
        add(text, "init x%d ~ %.3f, x%d' ~ %.3f\n", i, number(text), i, number(text));
    }
    for (int i = 2; i <= text->n; i++) {
        add(text, "kinetic %.3f*x%d'*x%d'*cos(x%d - x%d)\n", 0.2 * number(text), i - 1,
            i, i - 1, i);
    }
    if (text->held) {
        add(text, "constraint c: x1 + %.3f*sin(x2) = %.3f*t\n", number(text),
            number(text));
    }
}

// Servo i is about a coordinate of its own, from the last one down.
static void add_servo(Text *text, int i)
{
    const int j = text->n - i;
    const double a = number(text);
    const double b = 0.5 * number(text);
    text->position[i] = rng_int(&text->rng, 0, 1) == 1;
    text->rate[i] = 0.5 + 3.5 * rng_unit(&text->rng);
    if (text->position[i]) {
        add(text, "let e%d = x%d + %.3f*x%d^3 + %.3f*sin(x1) - %.3f*cos(t)\n", i, j,
            fabs(b), j, a, b);
    } else {
        add(text, "let e%d = x%d' + %.3f*cos(x%d)*x1' + %.3f*sin(x%d) - %.3f*t\n", i, j,
            b, j, a, j, b);
    }
    add(text, "servo s%d: e%d = 0, rate = %.17g\noutput a%d = e%d\n", i, i,
        text->rate[i], i, i);
    add(text, text->position[i] ? "output d%d = e%d'\n" : "output d%d = 0*e%d\n", i, i);
}

static void make(Text *text, uint64_t seed)
{
    *text = (Text){.rng = {seed}};
    text->n = rng_int(&text->rng, 2, 5);
    text->held = text->n > 2 && rng_int(&text->rng, 0, 1) == 1;
    text->actuators = rng_int(&text->rng, 0, 1) == 1;
    const int most = text->n - (text->held ? 2 : 1);
    text->servos = rng_int(&text->rng, 1, most < MOST_SERVOS ? most : MOST_SERVOS);
    add_nature(text);
    for (int i = 0; i < text->servos; i++) {
        add_servo(text, i);
    }
    for (int i = 1; text->actuators && i <= text->n; i++) {
        add(text, "actuator u%d: x%d' + %.3f*x%d', weight = %.3f\n", i, i,
            0.3 * number(text), i % text->n + 1, 0.2 + rng_unit(&text->rng));
    }
    add(text, "simulate 0 .. 2 every 0.25, rtol = 1e-10\n");
}

// The law of an error from its start.
static double law(const Text *text, int i, const double *start, double t)
{
    const double k = text->rate[i];
    const double e = start[2 * i];
    const double rate = start[2 * i + 1];
    return text->position[i] ? (e + (rate + k * e) * t) * exp(-k * t) : e * exp(-k * t);
}

static KalStatus follow(const Text *text, KalRun *run)
{
    double start[2 * MOST_SERVOS] = {0.0};
    const double *outputs = NULL;
    KalStartReport report;
    KalStatus status = kal_run_start(run, &report);
    for (int step = 0; status == KAL_OK && step <= 8; step++) {
        const double t = 0.25 * step;
        status = kal_run_advance(run, t);
        if (status == KAL_OK) {
            status = kal_instant_outputs(kal_run_instant(run), &outputs);
        }
        if (status == KAL_OK && step == 0) {
            memcpy(start, outputs, 2 * (size_t)text->servos * sizeof *start);
        }
        for (int i = 0; status == KAL_OK && i < text->servos; i++) {
            near(outputs[2 * i], law(text, i, start, t), 1e-7);
        }
    }
    const KalRunStatistics s = kal_run_statistics(run);
    ok(s.position_error < 1e-13 && s.velocity_error < 1e-13);
    near(s.energy_balance, 0.0, 1e-5);
    return status;
}

static void errors_obey_their_laws(void)
{
    const KalLoadOptions options = {.balance = true};
    for (int k = 0; k < problems(); k++) {
        Text text;
        KalContext *ctx = NULL;
        KalSystem *system = NULL;
        KalRun *run = NULL;
        make(&text, (uint64_t)k);
        ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
        KalStatus status =
            kal_system_load(ctx, "test.kal", text.data, text.used, &options, &system);
        if (status == KAL_OK) {
            status = kal_run_create(ctx, system, NULL, &run);
        }
        if (status == KAL_OK) {
            status = follow(&text, run);
        }
        if (!ok(status == KAL_OK)) {
            printf("# problem %d: %s\n%s", k, kal_context_message(ctx), text.data);
        }
        kal_run_destroy(run);
        kal_system_destroy(system);
        kal_context_destroy(ctx);
    }
}

TAP_RUN(TAP_CASE(errors_obey_their_laws))

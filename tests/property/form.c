// SPDX-License-Identifier: MIT

// Random constrained systems, holonomic, nonholonomic, with time and redundant, move alike
// in the full form, in the reduced form, and in a second opinion.
// KAL_PROPERTY_PROBLEMS sets how many.

#include "fault.h"
#include "rng.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum {
    MOST = 5,
    TEXT_SIZE = 4000,
    SAMPLES = 4
};

// Errors of a step of 1e-9 that grow for a time of 1.
static const double TOLERANCE = 1e-6;

static const char *const names[MOST] = {"a", "b", "c", "d", "e"};

static int problems(int share)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    const int all = text ? (int)strtol(text, NULL, 10) : 20000;
    return all / share > 10 ? all / share : 10;
}

typedef struct Writer {
    Rng rng;
    char text[TEXT_SIZE];
    size_t used;
    int n;    // coordinates
    int rank; // the first ones follow from the others
} Writer;

static void put(Writer *w, const char *format, ...) KAL_PRINTF(2, 3);

static void put(Writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->text + w->used, TEXT_SIZE - w->used, format, args);
    va_end(args);
}

// A coordinate that does not follow from others.
static const char *any_free(Writer *w)
{
    return names[rng_int(&w->rng, w->rank, w->n - 1)];
}

static const char *any(Writer *w)
{
    return names[rng_int(&w->rng, 0, w->n - 1)];
}

static void write_energies(Writer *w)
{
    for (int i = 0; i < w->n; i++) {
        const char *x = names[i];
        put(w, "kinetic %.3f*(1 + 0.3*sin(%s))*%s'^2 + 0.1*cos(%s)*%s'*%s'\n",
            0.8 + rng_unit(&w->rng), any(w), x, any(w), x, names[(i + 1) % w->n]);
        put(w, "potential %.3f*%s^2 + %.3f*sin(%s)*%s\n", rng_unit(&w->rng), x,
            rng_entry(&w->rng), any(w), x);
    }
    put(w, "force %s = %.3f*cos(t) - 0.1*%s'\n", any(w), rng_entry(&w->rng), any(w));
}

// A constraint by which coordinate i follows; some of them have a twin.
static void write_constraint(Writer *w, int i)
{
    const char *x = names[i];
    const char *y = any_free(w);
    const char *z = any_free(w);
    const bool twin = rng_int(&w->rng, 0, 2) == 0;
    char sides[200];
    switch (rng_int(&w->rng, 0, 3)) {
    case 0:
        (void)snprintf(sides, sizeof sides, "%s = 0.5*sin(%s) + 0.3*%s", x, y, z);
        break;
    case 1:
        (void)snprintf(sides, sizeof sides, "%s - 0.2*sin(t) = 0.4*%s*%s", x, y, z);
        break;
    case 2:
        (void)snprintf(sides, sizeof sides, "%s' = sin(%s)*%s' + 0.4*%s'", x, y, z,
                       any_free(w));
        break;
    default:
        (void)snprintf(sides, sizeof sides, "(%s + 2)^2 + %s^2/2 = 4 + 0.1*%s", x, y,
                       z);
        break;
    }
    put(w, "constraint c%d: %s\n", i + 1, sides);
    if (twin) {
        const char *equals = strchr(sides, '=');
        put(w, "constraint twin%d: 2*(%.*s) = 2*(%s)\n", i + 1, (int)(equals - sides),
            sides, equals + 1);
    }
}

static void write_model(Writer *w, uint64_t seed)
{
    *w = (Writer){.rng = {.state = seed}};
    w->n = rng_int(&w->rng, 2, MOST);
    w->rank = rng_int(&w->rng, 0, w->n - 1);
    put(w, "coord %s", names[0]);
    for (int i = 1; i < w->n; i++) {
        put(w, ", %s", names[i]);
    }
    put(w, "\n");
    write_energies(w);
    for (int i = 0; i < w->rank; i++) {
        write_constraint(w, i);
    }
    for (int i = w->rank; i < w->n; i++) {
        put(w, "init %s = %.3f, %s' = %.3f\n", names[i], 0.5 * rng_entry(&w->rng),
            names[i], rng_entry(&w->rng));
    }
    put(w, "simulate 0 .. 1 every 0.25\n");
}

// The state at the end of a run, verified if that is asked for.
static bool go(KalContext *ctx, const KalSystem *system, KalRunForm form, bool verify,
               double *out_y)
{
    KalRunOptions options = kal_run_options(system);
    KalRun *run = NULL;
    KalVerify *second = NULL;
    KalStartReport report;
    const size_t n = (size_t)kal_system_coordinates(system);
    options.form = form;
    KalStatus status = kal_run_create(ctx, system, &options, &run);
    status =
        status == KAL_OK && verify ? kal_verify_create(ctx, system, &second) : status;
    status = status == KAL_OK ? kal_run_start(run, &report) : status;
    for (int k = 0; status == KAL_OK && k <= SAMPLES; k++) {
        status = kal_run_advance(run, (double)k / SAMPLES);
        if (status == KAL_OK && verify) {
            status = kal_verify_take(second, run);
        }
    }
    if (status == KAL_OK) {
        memcpy(out_y, kal_instant_q(kal_run_instant(run)), n * sizeof(double));
        memcpy(out_y + n, kal_instant_qd(kal_run_instant(run)), n * sizeof(double));
    }
    if (status == KAL_OK && verify) {
        const KalVerifyReport opinion = kal_verify_report(second);
        ok(opinion.passed && opinion.samples > SAMPLES && opinion.n_gaps == 0);
    }
    kal_verify_destroy(second);
    kal_run_destroy(run);
    return status == KAL_OK;
}

static void compare(uint64_t seed, int *done)
{
    Writer w;
    Fault fault = {.calls_left = -1};
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    double full[2 * MOST];
    double reduced[2 * MOST];
    write_model(&w, seed);
    ok(w.used < TEXT_SIZE);
    ok(kal_context_create(fault_alloc, &fault, &ctx) == KAL_OK);
    bool good =
        ok(kal_system_load(ctx, "random.kal", w.text, w.used, NULL, &system) == KAL_OK);
    if (good && go(ctx, system, KAL_RUN_FORM_FULL, seed % 4 == 0, full)) {
        ++*done;
        good = ok(go(ctx, system, KAL_RUN_FORM_REDUCED, false, reduced));
        for (int i = 0; i < 2 * w.n && good; i++) {
            good = near(reduced[i], full[i], TOLERANCE * (1.0 + fabs(full[i])));
        }
    }
    if (!good) {
        printf("# seed %d: %s\n%s", (int)seed, kal_context_message(ctx), w.text);
    }
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    ok(fault.live_bytes == 0);
}

static void forms_agree(void)
{
    const int count = problems(20);
    int done = 0;
    for (int i = 0; i < count; i++) {
        compare((uint64_t)i, &done);
    }
    ok(done > count * 8 / 10); // the others lock, or have no start
    printf("# %d of %d systems\n", done, count);
}

TAP_RUN(TAP_CASE(forms_agree))

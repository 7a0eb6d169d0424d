// SPDX-License-Identifier: MIT

// A pendulum in Cartesian coordinates with the C library: load a model, set a parameter,
// go from sample to sample, read states, accelerations, forces and outputs.
//
//     cc run_model.c $(pkg-config --cflags --libs kalaba) && ./a.out

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "model \"Pendulum\"\n"
                           "param m = 1, g = 9.81, L = 1\n"
                           "coord x, y\n"
                           "kinetic 1/2*m*(x'^2 + y'^2)\n"
                           "potential m*g*y\n"
                           "constraint rod: (x^2 + y^2 - L^2)/2 = 0\n"
                           "init x = L, y = 0\n"
                           "simulate 0 .. 2 every 0.25\n"
                           "output tension = -reaction(rod)*L\n";

// Write one sample; the tension must be that of the book: m (v² / L − g y / L).
static KalStatus show(void *user, KalRun *run)
{
    bool *right = (bool *)user;
    KalInstant *instant = kal_run_instant(run);
    const double *q = kal_instant_q(instant);
    const double *v = kal_instant_qd(instant);
    const double *outputs = NULL;
    const KalStatus status = kal_instant_outputs(instant, &outputs);
    if (status != KAL_OK) {
        return status;
    }
    const double book = 2.0 * ((v[0] * v[0] + v[1] * v[1]) / 1.5 - 9.81 * q[1] / 1.5);
    printf("t = %.2f  x = %9.6f  y = %9.6f  tension = %9.6f\n", kal_run_time(run), q[0],
           q[1], outputs[0]);
    *right = *right && fabs(outputs[0] - book) < 1e-9 * fmax(1.0, fabs(book));
    return KAL_OK;
}

static bool go(KalRun *run)
{
    KalStartReport report;
    bool right = true;
    if (kal_run_start(run, &report) != KAL_OK
        || kal_run_sample(run, show, &right) != KAL_OK) {
        return false;
    }
    const KalRunStatistics s = kal_run_statistics(run);
    printf("%ld steps, rod off by at most %.1g, energy by %.1g\n", s.steps,
           s.position_error, s.energy_drift);
    return right && s.position_error < 1e-14 && s.energy_drift < 1e-7;
}

int main(void)
{
    const KalOverride overrides[] = {
        {"m", "2"  },
        {"L", "3/2"}
    };
    const KalLoadOptions options = {.overrides = overrides, .n_overrides = 2};
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalRun *run = NULL;
    bool right = false;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return 1;
    }
    if (kal_system_load(ctx, "pendulum", text, strlen(text), &options, &system)
            == KAL_OK
        && kal_run_create(ctx, system, NULL, &run) == KAL_OK) {
        right = go(run);
    }
    if (!right) {
        printf("%s\n", kal_context_message(ctx));
    }
    kal_run_destroy(run);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return right ? 0 : 1;
}

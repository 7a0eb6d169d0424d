// SPDX-License-Identifier: MIT

// How to load a model and evaluate it: Chaplygin's sleigh at one instant.
//
//     cc model.c $(pkg-config --cflags --libs kalaba) -lm -o model
//
// With the row (−sin θ, cos θ, −b) the knife edge pushes with
// λ = (m I/(m b² + I)) θ' (x' cos θ + y' sin θ).

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "param m = 1, I = 0.2, b = 0.3\n"
    "coord x, y, theta\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2\n"
    "constraint skid: -x'*sin(theta) + y'*cos(theta) - b*theta' = 0\n"
    "init theta = 0.5, theta' = 2, x' ~ 1\n"
    "output u = x'*cos(theta) + y'*sin(theta)\n";

static void print(void *user, const char *piece, size_t length)
{
    fwrite(piece, 1, length, (FILE *)user);
}

// Solve at the consistent start and compare with the formula.
static KalStatus evaluate(KalInstant *instant, bool *out_right)
{
    KalStartReport report;
    KalMotionAnswer answer;
    const double *outputs = NULL;
    KalStatus status = kal_instant_start(instant, &report);
    if (status == KAL_OK) {
        status = kal_instant_solve(instant, &answer);
    }
    if (status == KAL_OK) {
        status = kal_instant_outputs(instant, &outputs);
    }
    if (status != KAL_OK) {
        return status;
    }
    const double want = 0.2 / (0.09 + 0.2) * 2.0 * outputs[0];
    printf("moved onto the constraint: x' by %.6f, y' by %.6f\n", report.moved_qd[0],
           report.moved_qd[1]);
    printf("theta'' = %.6f, reaction %.6f, by the formula %.6f\n", answer.qdd[2],
           answer.multipliers[0], want);
    *out_right = fabs(answer.multipliers[0] - want) <= 1e-12;
    return KAL_OK;
}

int main(void)
{
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalInstant *instant = NULL;
    bool right = false;
    if (kal_context_create(NULL, NULL, &ctx) != KAL_OK) {
        return 1;
    }
    // Errors come with their places and lines; here they would go to standard error.
    const KalLoadOptions options = {
        .messages = {print, stderr}
    };
    KalStatus status =
        kal_system_load(ctx, "sleigh.kal", text, strlen(text), &options, &system);
    if (status == KAL_OK) {
        status = kal_instant_create(ctx, system, &instant);
    }
    if (status == KAL_OK) {
        status = evaluate(instant, &right);
    }
    if (status != KAL_OK) {
        fprintf(stderr, "%s\n", kal_context_message(ctx));
    }
    kal_instant_destroy(instant);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return right ? 0 : 1;
}

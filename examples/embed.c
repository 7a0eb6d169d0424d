// SPDX-License-Identifier: MIT

// How to embed the library: a pendulum in Cartesian coordinates at one instant.
//
//     cc embed.c $(pkg-config --cflags --libs kalaba) -lm -o embed
//
// The bob of mass m hangs on a rod of length L, at the angle θ from the vertical, and
// moves with speed v.  The rod keeps x² + y² = L²; differentiated twice that is
//
//     x x'' + y y'' = −(x'² + y'²),    so A = (x, y) and b = −v².

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct Pendulum {
    double m;     // kg
    double L;     // m
    double theta; // rad, from the vertical
    double v;     // m/s
    double g;     // m/s²
} Pendulum;

// What the library found, printed, and whether it is what the textbook says: the rod
// pulls with m v²/L + m g cosθ, and along the circle only gravity acts, −g sinθ.
static bool report(const Pendulum *p, const KalMotionAnswer *answer)
{
    const double x = p->L * sin(p->theta);
    const double y = -p->L * cos(p->theta);
    // The force of the rod is λ (x, y): its size, counted as pulling, is −λ L.
    const double tension = -answer->multipliers[0] * p->L;
    const double along = (answer->qdd[1] * x - answer->qdd[0] * y) / p->L;
    const double want_tension = p->m * p->v * p->v / p->L + p->m * p->g * cos(p->theta);
    const double want_along = -p->g * sin(p->theta);

    printf("acceleration  x'' = %.6f, y'' = %.6f m/s2\n", answer->qdd[0],
           answer->qdd[1]);
    printf("rod tension   %.6f N, by the textbook %.6f N\n", tension, want_tension);
    printf("unique        %s\n", answer->unique ? "yes" : "no");
    printf("ranks         M %d, A %d, [M; A] %d of %d\n", answer->rank_M,
           answer->rank_A, answer->rank_Mhat, answer->n);
    printf("residuals     %.1e of the rod, %.1e of the motion\n",
           answer->residual_constraints, answer->residual_motion);
    return answer->unique && fabs(tension - want_tension) <= 1e-12 * want_tension
           && fabs(along - want_along) <= 1e-12 * p->g;
}

// One solve.  The arrays are plain and belong to the caller; they are only read.
static KalStatus evaluate(KalMotion *motion, const Pendulum *p, bool *out_right)
{
    const double x = p->L * sin(p->theta);
    const double y = -p->L * cos(p->theta);
    const double M[] = {p->m, 0.0, 0.0, p->m};
    const double Q[] = {0.0, -p->m * p->g};
    const double A[] = {x, y};
    const double b[] = {-p->v * p->v};
    const char *const coordinates[] = {"x", "y"}; // names, for messages
    const char *const constraints[] = {"rod"};
    const KalMotionProblem problem = {
        .n = 2,
        .m = 1,
        .M = M,
        .Q = Q,
        .A = A,
        .b = b,
        .coordinates = coordinates,
        .constraints = constraints,
    };
    KalMotionAnswer answer;
    const KalStatus status = kal_motion_solve(motion, &problem, &answer);
    if (status == KAL_OK) {
        *out_right = report(p, &answer);
    }
    return status;
}

int main(void)
{
    const Pendulum pendulum = {.m = 2.0, .L = 1.5, .theta = 0.6, .v = 1.2, .g = 9.81};
    KalContext *ctx = NULL;   // memory and messages
    KalMotion *motion = NULL; // a workspace, for any number of solves
    bool right = false;

    // Every call that can fail returns a status; the context explains it.
    KalStatus status = kal_context_create(NULL, NULL, &ctx);
    if (status != KAL_OK) {
        fprintf(stderr, "embed: %s\n", kal_status_text(status));
        return 1;
    }
    status = kal_motion_create(ctx, NULL, 2, 1, &motion);
    if (status == KAL_OK) {
        status = evaluate(motion, &pendulum, &right);
    }
    if (status != KAL_OK) {
        fprintf(stderr, "embed: %s: %s\n", kal_status_text(status),
                kal_context_message(ctx));
    }
    kal_motion_destroy(motion);
    kal_context_destroy(ctx);
    return status == KAL_OK && right ? 0 : 1;
}

// SPDX-License-Identifier: MIT

// Large systems in absolute coordinates: seconds from text to the first acceleration, time
// and memory a body, and how time grows with the number of bodies.  Processor time.
//
//     bench_large [most bodies [models whose names begin so]]

#include "system/instant.h"

#include <kalaba/kalaba.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINK                                                                   \
    "component Link() {\n coord x, y, a\n kinetic (x'^2 + y'^2)/2 + a'^2/24\n" \
    " potential 9.81*y\n}\npart link[i in 1..N] = Link()\n"

// Links go up and down by half a radian, so that none are in line.
#define PINS                                                                           \
    "constraint hang: [link[1].x - cos(link[1].a)/2, link[1].y - sin(link[1].a)/2]"    \
    " = [0, 0]\n"                                                                      \
    "for i in 2..N {\n constraint pin[i]: [link[i].x - cos(link[i].a)/2,"              \
    " link[i].y - sin(link[i].a)/2] = [link[i-1].x + cos(link[i-1].a)/2,"              \
    " link[i-1].y + sin(link[i-1].a)/2]\n}\n"                                          \
    "for i in 1..N {\n init link[i].a ~ 0.5*cos(pi*i), link[i].x ~ (i - 0.5)*cos(0.5)" \
    ", link[i].y ~ -sin(0.5)/2\n}\n"

// Every tenth pin once more, twice as long.
#define TWINS                                                                   \
    "for i in 1..N/10 {\n constraint twin[i]:"                                  \
    " [2*link[10*i].x - cos(link[10*i].a), 2*link[10*i].y - sin(link[10*i].a)]" \
    " = [2*link[10*i-1].x + cos(link[10*i-1].a),"                               \
    " 2*link[10*i-1].y + sin(link[10*i-1].a)]\n}\n"

#define FAR                                                                        \
    "constraint far: [link[N].x + cos(link[N].a)/2, link[N].y + sin(link[N].a)/2]" \
    " = [N*cos(0.5), 0]\n"

// A tree: links 2 i and 2 i + 1 hang on the end of link i.  Twins as above.
#define BRANCH(name, i, of, factor)                                             \
    " constraint " name "[" of "]: " factor "*[link[" i "].x - cos(link[" i     \
    "].a)/2, link[" i "].y - sin(link[" i "].a)/2] = " factor "*[link[floor(" i \
    "/2)].x + cos(link[floor(" i "/2)].a)/2, link[floor(" i                     \
    "/2)].y + sin(link[floor(" i "/2)].a)/2]\n"

#define TREE                                                                        \
    "constraint hang: [link[1].x - cos(link[1].a)/2, link[1].y - sin(link[1].a)/2]" \
    " = [0, 0]\nfor i in 2..N {\n" BRANCH(                                          \
        "pin", "i", "i",                                                            \
        "1") "}\n"                                                                  \
             "for i in 1..N { init link[i].a ~ 0.9*cos(pi*i)*i/(i+1) }\n"

#define TREE_TWINS "for i in 1..N/10 {\n" BRANCH("twin", "10*i", "i", "2") "}\n"

// A net of K × K particles in space with rods to their neighbors, one corner held.
#define ROD(name, i, factor, from, to)                                  \
    " constraint " name "[" i "]: " factor "*((p[" to "].x - p[" from   \
    "].x)^2 + (p[" to "].y - p[" from "].y)^2 + (p[" to "].z - p[" from \
    "].z)^2) = " factor "\n"

#define NET                                                                      \
    "param K = floor(sqrt(N))\ncomponent P() {\n coord x, y, z\n"                \
    " kinetic (x'^2 + y'^2 + z'^2)/2\n potential 9.81*z\n}\n"                    \
    "part p[i in 1..K*K] = P()\nfor i in 1..K { for j in 1..K-1 {\n" ROD(        \
        "along", "(i-1)*K+j", "1", "(i-1)*K+j", "(i-1)*K+j+1")                   \
        ROD("across", "(i-1)*K+j", "1", "(j-1)*K+i",                             \
            "j*K+i") "} }\n"                                                     \
                     "constraint corner: [p[1].x, p[1].y, p[1].z] = [1, 1, 0]\n" \
                     "for i in 1..K { for j in 1..K { init p[(i-1)*K+j].x ~ j, " \
                     "p[(i-1)*K+j].y ~ i } }\n"

#define NET_TWINS                                     \
    "for i in 1..K { for j in 1..floor(K/5) {\n" ROD( \
        "twin", "(i-1)*K+j", "2", "(i-1)*K+j", "(i-1)*K+j+1") "} }\n"

// Bodies in space on ball joints.
#define SPACE                                                                \
    "use spatial\npart b[i in 1..N] = Body(m = 1, I = [0.01, 0.09, 0.09])\n" \
    "part top = Ball(b = b[1], at_b = [-0.5, 0, 0])\n"                       \
    "part joint[i in 2..N] = Ball(a = b[i-1], b = b[i], at_a = [0.5, 0, 0]," \
    " at_b = [-0.5, 0, 0])\nfor i in 1..N { init b[i].x ~ i - 0.5 }\n"

#define SPACE_TWINS                                                       \
    "part twin[i in 1..N/10] = Ball(a = b[10*i-1], b = b[10*i], at_a = [" \
    "0.5, 0, 0], at_b = [-0.5, 0, 0])\n"

static const struct {
    const char *name;
    const char *text;
} MODELS[] = {
    {"chain",           LINK PINS           },
    {"chain and twins", LINK PINS TWINS     },
    {"loop",            LINK PINS FAR       },
    {"loop and twins",  LINK PINS FAR TWINS },
    {"tree",            LINK TREE           },
    {"tree and twins",  LINK TREE TREE_TWINS},
    {"net",             NET                 },
    {"net and twins",   NET NET_TWINS       },
    {"space",           SPACE               },
    {"space and twins", SPACE SPACE_TWINS   },
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What all contexts hold, and the most of it.
typedef struct Held {
    size_t bytes;
    size_t most;
} Held;

static void *count_bytes(void *user, void *block, size_t old_size, size_t new_size)
{
    Held *held = (Held *)user;
    if (new_size == 0) {
        held->bytes -= old_size;
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    held->bytes += moved ? new_size - old_size : 0;
    held->most = held->bytes > held->most ? held->bytes : held->most;
    return moved;
}

static void fail(KalContext *ctx)
{
    fprintf(stderr, "%s\n", kal_context_message(ctx));
    exit(1);
}

// Seconds for one acceleration: the best of three rounds.
static double time_solve(KalContext *ctx, KalInstant *instant, int bodies)
{
    const int repeat = 1 + 30000 / bodies;
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        const double begin = now();
        for (int k = 0; k < repeat; k++) {
            KalMotionAnswer answer;
            if (kal_instant_solve(instant, &answer) != KAL_OK) {
                fail(ctx);
            }
        }
        best = fmin(best, (now() - begin) / repeat);
    }
    return best;
}

// The growth is the exponent of time since `fewer` bodies took `before` seconds.
static double measure(int model, int bodies, int fewer, double before)
{
    Held held = {0, 0};
    KalContext *ctx = NULL;
    KalSystem *system = NULL;
    KalInstant *instant = NULL;
    KalStartReport report;
    KalMotionAnswer answer;
    char text[8000];
    snprintf(text, sizeof text, "param N = %d\n%ssimulate 0 .. 1 every 1\n", bodies,
             MODELS[model].text);
    if (kal_context_create(count_bytes, &held, &ctx) != KAL_OK) {
        return 0.0;
    }
    kal_context_set_huge(ctx, true);
    const double begin = now();
    if (kal_system_load(ctx, "large", text, strlen(text), NULL, &system) != KAL_OK) {
        fail(ctx);
    }
    const double loaded = now();
    if (kal_instant_create(ctx, system, &instant) != KAL_OK
        || kal_instant_start(instant, &report) != KAL_OK
        || kal_instant_solve(instant, &answer) != KAL_OK) {
        fail(ctx);
    }
    const double first = now();
    const double seconds = time_solve(ctx, instant, bodies);
    printf("%-16s %7d %8.3f %8.3f %9.0f %8.1f %7.0e", MODELS[model].name, bodies,
           loaded - begin, first - begin, 1e9 * seconds / bodies,
           (double)held.most / 1e3 / bodies,
           fmax(answer.residual_constraints, answer.residual_motion));
    printf(before > 0.0 ? " %8.2f\n" : "\n",
           log(seconds / before) / log((double)bodies / fewer));
    kal_instant_destroy(instant);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return seconds;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {100,   300,    1000,   3000,   10000,
                                30000, 100000, 300000, 1000000};
    const int most = argc > 1 ? atoi(argv[1]) : 10000;
    const char *names = argc > 2 ? argv[2] : "";
    printf("%-16s %7s %8s %8s %9s %8s %7s %8s\n", "", "bodies", "load s", "first s",
           "ns/body", "kB/body", "error", "growth");
    for (size_t model = 0; model < sizeof MODELS / sizeof MODELS[0]; model++) {
        double before = 0.0;
        const bool wanted = strncmp(MODELS[model].name, names, strlen(names)) == 0;
        for (size_t k = 0;
             wanted && k < sizeof sizes / sizeof sizes[0] && sizes[k] <= most; k++) {
            before = measure((int)model, sizes[k], k > 0 ? sizes[k - 1] : 1, before);
            (void)fflush(stdout);
        }
    }
    return 0;
}

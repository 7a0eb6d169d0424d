// SPDX-License-Identifier: MIT

// Large systems in absolute coordinates: seconds from text to the first acceleration, time
// and memory a body, and how time grows with the number of bodies.  Processor time.
//
//     bench_large [most bodies [model [fewest bodies]]]
//
// Where the folder `anchors` stands beside the project, its chain, closed and written by hand,
// takes turns with each model, and the last column says how many times as long a body takes.

#include "anchors.h"
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

static double time_solves(KalContext *ctx, KalInstant *instant, int repeat)
{
    const double begin = now();
    for (int k = 0; k < repeat; k++) {
        KalMotionAnswer answer;
        if (kal_instant_solve(instant, &answer) != KAL_OK) {
            fail(ctx);
        }
    }
    return (now() - begin) / repeat;
}

// The same number of bodies by hand; no time where nothing is.
static double time_hand(int bodies, int repeat)
{
#ifdef KAL_ANCHORS
    return anchor_chain(bodies, repeat);
#else
    (void)bodies;
    (void)repeat;
    return NAN;
#endif
}

// Seconds for one acceleration, and by hand: the best of many rounds, in turns.
typedef struct Times {
    double solve;
    double hand;
} Times;

static Times time_both(KalContext *ctx, KalInstant *instant, int bodies)
{
    const int repeat = 1 + 30000 / bodies;
    Times best = {INFINITY, INFINITY};
    const double begin = now();
    for (int round = 0; round < 3 || now() - begin < 0.5; round++) {
        best.solve = fmin(best.solve, time_solves(ctx, instant, repeat));
        best.hand = fmin(best.hand, time_hand(bodies, repeat));
    }
    return best;
}

// A number of bodies and what one acceleration of them took.
typedef struct Size {
    int bodies;
    double seconds;
} Size;

// The exponent of the growth of time, from one size to a larger one.
static double growth(Size from, Size to)
{
    return log(to.seconds / from.seconds) / log((double)to.bodies / from.bodies);
}

static Size measure(int model, int bodies, Size before)
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
        return (Size){bodies, NAN};
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
    const Times times = time_both(ctx, instant, bodies);
    const Size size = {bodies, times.solve};
    printf("%-16s %7d %8.3f %8.3f %9.0f %8.1f %7.0e", MODELS[model].name, bodies,
           loaded - begin, first - begin, 1e9 * times.solve / bodies,
           (double)held.most / 1e3 / bodies,
           fmax(answer.residual_constraints, answer.residual_motion));
    if (before.bodies > 0) {
        printf(" %8.2f", growth(before, size));
    } else {
        printf(" %8s", "");
    }
    if (isfinite(times.hand)) {
        printf(" %8.2f", times.solve / times.hand);
    }
    printf("\n");
    kal_instant_destroy(instant);
    kal_system_destroy(system);
    kal_context_destroy(ctx);
    return size;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {100,   300,    1000,   3000,   10000,
                                30000, 100000, 300000, 1000000};
    const int most = argc > 1 ? atoi(argv[1]) : 10000;
    const char *name = argc > 2 ? argv[2] : "";
    const int fewest = argc > 3 ? atoi(argv[3]) : 0;
    printf("%-16s %7s %8s %8s %9s %8s %7s %8s %8s\n", "", "bodies", "load s", "first s",
           "ns/body", "kB/body", "error", "growth", "by hand");
    for (size_t model = 0; model < sizeof MODELS / sizeof MODELS[0]; model++) {
        Size first = {0, 0.0};
        Size last = {0, 0.0};
        if (*name && strcmp(MODELS[model].name, name) != 0) {
            continue;
        }
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            if (sizes[k] < fewest || sizes[k] > most) {
                continue;
            }
            last = measure((int)model, sizes[k], last);
            first = first.bodies > 0 ? first : last;
            (void)fflush(stdout);
        }
        if (last.bodies > first.bodies) {
            printf("%-16s in all %53.2f\n", MODELS[model].name, growth(first, last));
        }
    }
    return 0;
}

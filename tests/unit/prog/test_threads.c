// SPDX-License-Identifier: MIT

// Any number of threads evaluate one program at once.

#include "lab.h"

#include <pthread.h>

enum {
    THREADS = 8,
    ROUNDS = 200,
    NODES = 5000,
    POINTS = 4
};

static Lab lab;
static double want[POINTS][NODES];

typedef struct Worker {
    pthread_t thread;
    int number;
    bool agrees;
} Worker;

static void point(int number, double values[4])
{
    Rng rng = {.state = (uint64_t)number};
    for (int i = 0; i < 4; i++) {
        values[i] = rng_entry(&rng);
    }
}

// Every thread goes through the points from another one on.
static void *work(void *user)
{
    Worker *worker = user;
    double *memory = calloc(kal_program_work(lab.program), sizeof *memory);
    double *got = calloc(NODES, sizeof *got);
    worker->agrees = memory && got;
    for (int r = 0; r < ROUNDS && worker->agrees; r++) {
        double values[4];
        const int number = (worker->number + r) % POINTS;
        point(number, values);
        kal_program_prepare(lab.program, values, memory);
        kal_program_eval(lab.program, values + 1, memory, got);
        for (int i = 0; i < NODES; i++) {
            worker->agrees = worker->agrees && same_bits(got[i], want[number][i]);
        }
    }
    free(memory);
    free(got);
    return NULL;
}

static void threads_share_a_program(void)
{
    static KalExpr nodes[NODES];
    static Worker workers[THREADS];
    begin();
    Rng rng = {.state = 5};
    tangle_build(g, &rng, (TangleSpec){4, NODES, 100, false}, nodes);
    for (int k = 0; k < POINTS; k++) {
        double values[4];
        point(k, values);
        ok(kal_eval(g, nodes, NODES, values, want[k]) == KAL_OK);
    }
    lab_open(&lab, nodes, NODES, 1, 3);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        ok(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        ok(pthread_join(workers[i].thread, NULL) == 0 && workers[i].agrees);
    }
    lab_close(&lab);
    end();
}

TAP_RUN(TAP_CASE(threads_share_a_program))

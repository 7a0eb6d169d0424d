// SPDX-License-Identifier: MIT

// Compiled only where the folder `anchors` stands beside the project, with the options that
// its programs ask for.

#include "anchors.h"

#include "bench.h"
#include "dop853_tab.h"

static void crank_rate(double t, const double *y, double *f)
{
    (void)t;
    memcpy(f, y + 3, 3 * sizeof *f);
    crank_rhs(y, y + 3, f + 3, NULL);
}

static void squeezer_rate(double t, const double *y, double *f)
{
    (void)t;
    memcpy(f, y + 7, 7 * sizeof *f);
    andrews_rhs(y, y + 7, f + 7);
}

static void pendulum_rate(double t, const double *y, double *f)
{
    (void)t;
    memcpy(f, y + 4, 4 * sizeof *f);
    dp_rhs_cart(y, y + 4, f + 4);
}

#define DOP_NAME integrate_crank
#define DOP_DIM  6
#define DOP_RHS  crank_rate
#include "dop853_t.h"
#define DOP_NAME integrate_squeezer
#define DOP_DIM  14
#define DOP_RHS  squeezer_rate
#include "dop853_t.h"
#define DOP_NAME integrate_pendulum
#define DOP_DIM  8
#define DOP_RHS  pendulum_rate
#include "dop853_t.h"

void anchor_crank(const double *q, const double *v, double *out_a)
{
    double force[3];
    crank_rhs(q, v, out_a, force);
    __asm__ volatile("" : : "r"(force) : "memory");
}

void anchor_squeezer(const double *q, const double *v, double *out_a)
{
    andrews_rhs(q, v, out_a);
}

void anchor_pendulum(const double *q, const double *v, double *out_a)
{
    dp_rhs_cart(q, v, out_a);
}

double anchor_run_crank(void)
{
    double y[6];
    const double begin = now_s();
    crank_state(CR_TH0, CR_W0, y, y + 3);
    integrate_crank(y, 0.0, 10.0, 1e-8, 1e-8, NULL);
    bench_sink = y[0];
    return now_s() - begin;
}

double anchor_run_squeezer(void)
{
    double y[14] = {0.0};
    const double begin = now_s();
    memcpy(y, AN_q0, sizeof AN_q0);
    integrate_squeezer(y, 0.0, 0.03, 1e-8, 1e-8, NULL);
    bench_sink = y[0];
    return now_s() - begin;
}

double anchor_run_pendulum(void)
{
    double y[8] = {sin(1.0), -cos(1.0), sin(1.0) + sin(0.5), -cos(1.0) - cos(0.5)};
    const double begin = now_s();
    integrate_pendulum(y, 0.0, 10.0, 1e-8, 1e-8, NULL);
    bench_sink = y[0];
    return now_s() - begin;
}

double anchor_chain(int links, int repeat)
{
    const size_t n = (size_t)links;
    double *q = malloc((9 * n + 2 * (n + 1) + 14 * (n + 2)) * sizeof *q);
    if (!q) {
        return NAN;
    }
    double *v = q + 3 * n;
    double *a = v + 3 * n;
    double *multipliers = a + 3 * n;
    double *work = multipliers + 2 * (n + 1);
    chain_state(links, 1, q, v);
    chain_rhs(links, 1, q, v, a, multipliers, work); // touches all pages
    const double begin = now_s();
    for (int k = 0; k < repeat; k++) {
        chain_rhs(links, 1, q, v, a, multipliers, work);
        __asm__ volatile("" : : "r"(a) : "memory");
    }
    const double seconds = (now_s() - begin) / repeat;
    free(q);
    return seconds;
}

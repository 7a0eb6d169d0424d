// SPDX-License-Identifier: MIT

/// @file
/// Programs that are written by hand for one system each, of the folder `anchors` beside
/// the project; bench/anchors.c wraps them.

#ifndef BENCH_ANCHORS_H
#define BENCH_ANCHORS_H

/// Accelerations of coordinates and velocities.
void anchor_crank(const double *q, const double *v, double *out_a);
void anchor_squeezer(const double *q, const double *v, double *out_a);
void anchor_pendulum(const double *q, const double *v, double *out_a);

/// Runs from the start, as the models have it; answer the seconds of the processor.
double anchor_run_crank(void);
double anchor_run_squeezer(void);
double anchor_run_pendulum(void);

/// Seconds for one acceleration of a closed chain of links in absolute coordinates, of as many
/// as are repeated; NaN without memory.
double anchor_chain(int links, int repeat);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Systems with known solutions, for the integrators.

#ifndef ODE_PROBLEMS_H
#define ODE_PROBLEMS_H

#include "ode/ode.h"

#include <math.h>

#define PI 3.14159265358979323846

// The larger one; NaN when one is.
static inline double larger(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static inline KalStatus oscillator_rate(void *user, double t, const double *y,
                                        double *f)
{
    (void)user;
    (void)t;
    f[0] = y[1];
    f[1] = -y[0];
    return KAL_OK;
}

static inline KalStatus oscillator_jacobian(void *user, double t, const double *y,
                                            double *J)
{
    (void)user;
    (void)t;
    (void)y;
    J[1] = -1.0;
    J[2] = 1.0;
    return KAL_OK;
}

// Two bodies, one of them at rest; unit semi-major axis, so that the period is 2 pi.
static inline KalStatus kepler_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double r = hypot(y[0], y[1]);
    const double r3 = r * r * r;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return KAL_OK;
}

// The state at time t after the passage nearest to the center, for eccentricity e.
static inline void kepler_state(double e, double t, double *y)
{
    double E = t;
    for (int i = 0; i < 50; i++) {
        E -= (E - e * sin(E) - t) / (1.0 - e * cos(E));
    }
    const double b = sqrt(1.0 - e * e);
    const double rate = 1.0 / (1.0 - e * cos(E));
    y[0] = cos(E) - e;
    y[1] = b * sin(E);
    y[2] = -sin(E) * rate;
    y[3] = b * cos(E) * rate;
}

static inline double kepler_energy(const double *y)
{
    return 0.5 * (y[2] * y[2] + y[3] * y[3]) - 1.0 / hypot(y[0], y[1]);
}

// Back to the energy -1/2 along the velocity.
static inline KalStatus kepler_project(void *user, double t, double *y)
{
    (void)user;
    (void)t;
    const double r = hypot(y[0], y[1]);
    const double want = sqrt(2.0 / r - 1.0);
    const double factor = want / hypot(y[2], y[3]);
    y[2] *= factor;
    y[3] *= factor;
    return KAL_OK;
}

// A pendulum of unit length, mass and gravity as a point on a circle: the state is
// x, y, x', y', with the constraint force by the fundamental equation.
static inline KalStatus pendulum_rate(void *user, double t, const double *y, double *f)
{
    (void)user;
    (void)t;
    const double r2 = y[0] * y[0] + y[1] * y[1];
    const double pull = (y[1] - (y[2] * y[2] + y[3] * y[3])) / r2;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] * pull;
    f[3] = y[1] * pull - 1.0;
    return KAL_OK;
}

static inline KalStatus pendulum_project(void *user, double t, double *y)
{
    (void)user;
    (void)t;
    const double r = hypot(y[0], y[1]);
    y[0] /= r;
    y[1] /= r;
    const double radial = y[0] * y[2] + y[1] * y[3];
    y[2] -= radial * y[0];
    y[3] -= radial * y[1];
    return KAL_OK;
}

// How far a state is from the circle and its tangent.
static inline double pendulum_residual(const double *y)
{
    return larger(fabs(hypot(y[0], y[1]) - 1.0), fabs(y[0] * y[2] + y[1] * y[3]));
}

// At rest at an angle from below.
static inline void pendulum_release(double angle, double *y)
{
    y[0] = sin(angle);
    y[1] = -cos(angle);
    y[2] = 0.0;
    y[3] = 0.0;
}

// The time of a full swing with that amplitude, 4 K(sin(angle/2)), by the mean of Gauss.
static inline double pendulum_period(double angle)
{
    double a = 1.0;
    double b = cos(0.5 * angle);
    for (int i = 0; i < 20; i++) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * PI / a;
}

static inline double distance(int n, const double *x, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = larger(most, fabs(x[i] - y[i]));
    }
    return most;
}

#endif

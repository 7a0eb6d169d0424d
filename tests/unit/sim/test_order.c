// SPDX-License-Identifier: MIT

// How errors fall: with the size of fixed steps, and with the tolerance.

#include "run_lab.h"

enum {
    SIZES = 4,  // of steps, each half of the one before
    DECADES = 7 // of tolerances, from 1e-6 on
};

// Released level: with k = sin 45°, sin(θ/2) = k cd(w t, k).
static const char pendulum[] =
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = 1\ninit x = 1, y = 0\n"
    "simulate 0 .. 2.4 every 0.1\n";

// Chaplygin's sleigh, pushed backwards so that it turns round.
static const char sleigh[] =
    "param m = 2, I = 0.3, a = 0.25\ncoord x, y, th\n"
    "kinetic 1/2*m*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + 1/2*I*th'^2\n"
    "constraint blade: -x'*sin(th) + y'*cos(th) = 0\n"
    "init x = 0, y = 0, th = 0.4, x' = -1.5*cos(0.4), y' ~ -0.58, th' = 2\n"
    "simulate 0 .. 2.4 every 0.1\n";

// A knife edge on an incline: x = G/(2 w²) sin² wt, y = G/(2 w²) (wt − sin(2wt)/2).
static const char knife[] =
    "param m = 3, J = 0.2, G = 4.905, w = 1.7\ncoord x, y, th\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\npotential -m*G*x\n"
    "constraint edge: x'*sin(th) - y'*cos(th) = 0\ninit th' = w\n"
    "simulate 0 .. 2.4 every 0.1\n";

typedef double (*ErrorFn)(Lab *lab);

// Jacobi's functions sn, cn and dn of u and the modulus k, by arithmetic and geometric
// means.
static void jacobi(double u, double k, double *out_sn, double *out_cn, double *out_dn)
{
    enum {
        MEANS = 8
    };

    double a[MEANS + 1] = {1.0};
    double c[MEANS + 1] = {k};
    double b = sqrt(1.0 - k * k);
    double factor = 1.0;
    for (int i = 0; i < MEANS; i++) {
        a[i + 1] = 0.5 * (a[i] + b);
        c[i + 1] = 0.5 * (a[i] - b);
        b = sqrt(a[i] * b);
        factor *= 2.0;
    }
    double phi = factor * a[MEANS] * u;
    for (int i = MEANS; i > 0; i--) {
        phi = 0.5 * (phi + asin(c[i] / a[i] * sin(phi)));
    }
    *out_sn = sin(phi);
    *out_cn = cos(phi);
    *out_dn = sqrt(1.0 - k * k * *out_sn * *out_sn);
}

static double pendulum_error(Lab *lab)
{
    const double k = sqrt(0.5);
    double sn = 0.0;
    double cn = 0.0;
    double dn = 0.0;
    jacobi(sqrt(9.81) * kal_run_time(lab->run), k, &sn, &cn, &dn);
    const double half = k * cn / dn; // sin(θ/2)
    const double x = 2.0 * half * sqrt(1.0 - half * half);
    const double y = 2.0 * half * half - 1.0;
    return hypot(lab_q(lab, 0) - x, lab_q(lab, 1) - y);
}

// v = C tanh τ, θ' = (C/r) sech τ, θ = θ₀ + (r/a)(gd τ − gd τ₀), where r² = I/m + a²,
// C² = v₀² + r² θ'₀² and τ = a C t/r² + artanh(v₀/C).
static double sleigh_error(Lab *lab)
{
    const double a = 0.25;
    const double r = sqrt(0.3 / 2.0 + a * a);
    const double C = hypot(1.5, 2.0 * r);
    const double begin = atanh(-1.5 / C);
    const double tau = begin + a * C * kal_run_time(lab->run) / (r * r);
    const double th = 0.4 + r / a * (atan(sinh(tau)) - atan(sinh(begin)));
    const double angle = lab_q(lab, 2);
    const double v = lab_qd(lab, 0) * cos(angle) + lab_qd(lab, 1) * sin(angle);
    const double off = hypot(angle - th, lab_qd(lab, 2) - C / r / cosh(tau));
    return hypot(off, v - C * tanh(tau));
}

static double knife_error(Lab *lab)
{
    const double w = 1.7;
    const double t = kal_run_time(lab->run);
    const double size = 4.905 / (2.0 * w * w);
    const double x = size * sin(w * t) * sin(w * t);
    const double y = size * (w * t - sin(2.0 * w * t) / 2.0);
    return hypot(lab_q(lab, 0) - x, lab_q(lab, 1) - y);
}

static const struct {
    const char *text;
    ErrorFn error;
    double step; // the longest that is tried; the shortest is above rounding
} systems[] = {
    {pendulum, pendulum_error, 0.2},
    {sleigh,   sleigh_error,   0.2},
    {knife,    knife_error,    0.6}
};

// The slope of log y over log x for `count` points, by least squares.
static double slope_of(int count, const double *x, const double *y)
{
    double mean_x = 0.0;
    double mean_y = 0.0;
    double product = 0.0;
    double square = 0.0;
    for (int i = 0; i < count; i++) {
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        product += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
        square += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
    }
    return product / square;
}

// The largest error of fixed steps h: at their ends, or at eleven times inside of each.
static double fixed_error(Lab *lab, double h, ErrorFn error, bool inside)
{
    double most = 0.0;
    lab->options.fixed_step = h;
    lab->options.method = KAL_METHOD_DOP853;
    ok(lab_start(lab) == KAL_OK);
    for (int i = 1; !kal_run_is_over(lab->run); i++) {
        const KalStatus status =
            inside ? kal_run_advance(lab->run, i * h / 12.0) : kal_run_step(lab->run);
        if (!ok(status == KAL_OK)) {
            break;
        }
        most = fmax(most, !inside || i % 12 != 0 ? error(lab) : 0.0);
    }
    lab_again(lab);
    return most;
}

// The measured order of every system, with and without return to the constraints.
static void check_orders(bool inside, double least)
{
    for (size_t k = 0; k < 2 * (sizeof systems / sizeof systems[0]); k++) {
        Lab lab;
        double sizes[SIZES];
        double errors[SIZES];
        if (lab_load(&lab, systems[k / 2].text)) {
            lab.options.drift = k % 2 == 0 ? KAL_DRIFT_PROJECT : KAL_DRIFT_NONE;
            for (int i = 0; i < SIZES; i++) {
                sizes[i] = ldexp(systems[k / 2].step, -i);
                errors[i] = fixed_error(&lab, sizes[i], systems[k / 2].error, inside);
            }
            const double order = slope_of(SIZES, sizes, errors);
            printf("# system %zu, %s: errors %.1e to %.1e, order %.2f\n", k / 2,
                   k % 2 == 0 ? "projected" : "free", errors[0], errors[SIZES - 1],
                   order);
            ok(order >= least);
        }
        lab_close(&lab);
    }
}

static void steps_are_of_order_8(void)
{
    check_orders(false, 7.5);
}

// Dense output is of order 7: its own error falls as h⁸, added to that of the steps.
static void samples_are_of_order_7_at_least(void)
{
    check_orders(true, 6.5);
}

// Over six decades of tolerances the error falls by six.
static void errors_are_in_proportion_to_tolerances(void)
{
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++) {
        Lab lab;
        double tolerances[DECADES];
        double errors[DECADES];
        if (!lab_load(&lab, systems[k].text)) {
            continue;
        }
        for (int i = 0; i < DECADES; i++) {
            tolerances[i] = pow(10.0, -6.0 - i);
            lab.options.rtol = tolerances[i];
            lab.options.atol = tolerances[i];
            ok(lab_go(&lab) == KAL_OK);
            errors[i] = systems[k].error(&lab);
            printf("# system %zu, tolerance %.0e: error %.1e\n", k, tolerances[i],
                   errors[i]);
            ok(errors[i] < 30.0 * tolerances[i]);
            ok(i < 2 || errors[i] < errors[i - 2] / 10.0);
            lab_again(&lab);
        }
        const double slope = slope_of(DECADES, tolerances, errors);
        printf("# slope %.3f\n", slope);
        ok(slope > 0.85 && slope < 1.15);
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(steps_are_of_order_8), TAP_CASE(samples_are_of_order_7_at_least),
        TAP_CASE(errors_are_in_proportion_to_tolerances))

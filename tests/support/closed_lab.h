// SPDX-License-Identifier: MIT

/// @file
/// Systems whose closed forms are known, and numbers to compare them with.

#ifndef SUPPORT_CLOSED_LAB_H
#define SUPPORT_CLOSED_LAB_H

#include "closed/closed.h"
#include "rng.h"
#include "system.h"

enum {
    LAB_SIZE = 12
};

static KalSheet sheet;
static KalClosed closed;

static inline void sleigh(void)
{
    begin();
    parameter("m", 1.0);
    parameter("I", 0.2);
    parameter("b", 0.3);
    coordinates("x y theta");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2) + 1/2*I*theta'^2");
    constraint("skid", "-x'*sin(theta) + y'*cos(theta) - b*theta'");
}

static inline void kepler(void)
{
    begin();
    parameter("m", 2.0);
    parameter("l", 1.0);
    parameter("e", 0.4);
    parameter("L", 1.1);
    coordinates("x y");
    term(KAL_TERM_KINETIC, "1/2*m*(x'^2 + y'^2)");
    constraint("orbit", "sqrt(x^2 + y^2) - (e*x + l)");
    constraint("area", "m*(x*y' - y*x') - L");
}

static inline void slider_crank(void)
{
    static const char *const names[] = {"m1", "m2", "m3", "I1",  "I2",
                                        "L1", "L2", "g",  "tau", "f"};
    begin();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        parameter(names[i], 0.5 + 0.1 * (double)i);
    }
    coordinates("theta phi x");
    term(KAL_TERM_KINETIC, "1/2*(I1 + m1*L1^2/4)*theta'^2 + 1/2*I2*phi'^2 + 1/2*m3*x'^2"
                           " + 1/2*m2*((L1*sin(theta)*theta' + L2/2*sin(phi)*phi')^2"
                           " + (L1*cos(theta)*theta' + L2/2*cos(phi)*phi')^2)");
    term(KAL_TERM_POTENTIAL,
         "m1*g*L1/2*sin(theta) + m2*g*(L1*sin(theta) + L2/2*sin(phi))");
    force(KAL_TERM_FORCE, "theta", "tau");
    force(KAL_TERM_FORCE, "x", "f");
    constraint("loop.x", "L1*cos(theta) + L2*cos(phi) - x");
    constraint("loop.y", "L1*sin(theta) + L2*sin(phi)");
}

/// Derive and solve.
static inline KalClosedVerdict solve(bool named)
{
    ok(kal_derive(model, diagnostics, &eq) == KAL_OK);
    ok(kal_sheet_init(&sheet, eq) == KAL_OK);
    ok(kal_closed_solve(&sheet, named, &closed) == KAL_OK);
    return closed.verdict;
}

static inline void finish(void)
{
    kal_closed_clear(&closed);
    kal_sheet_clear(&sheet);
    closed = (KalClosed){.ctx = NULL};
    end();
}

static inline const KalResult *result(KalResultKind kind, size_t index)
{
    for (size_t i = 0; i < closed.n_results; i++) {
        if (closed.results[i].kind == kind && closed.results[i].index == index) {
            return &closed.results[i];
        }
    }
    return NULL;
}

static inline const char *shown_text(KalExpr e)
{
    const KalPrintOptions options = kal_sheet_options(&sheet, KAL_FORMAT_TEXT);
    const KalSink sink = {formula_keep, NULL};
    if (e.index == 0 || kal_print(sheet.g, e, &options, sink) != KAL_OK) {
        return "(none)";
    }
    return formula_text;
}

static inline const char *value_text(KalResultKind kind, size_t index)
{
    const KalResult *r = result(kind, index);
    return r ? shown_text(r->value) : "(no result)";
}

static inline const char *on_text(KalResultKind kind, size_t index)
{
    const KalResult *r = result(kind, index);
    return r ? shown_text(r->on) : "(no result)";
}

/// A result at the values of system.h; `on` for what it is on the constraints.
static inline double result_value(KalResultKind kind, size_t index, bool on)
{
    double value = NAN;
    const KalResult *r = result(kind, index);
    const KalExpr e =
        r && on && r->on.index != 0 ? r->on : (r ? r->value : KAL_NO_EXPR);
    ok(e.index != 0 && kal_eval(sheet.g, &e, 1, system_values, &value) == KAL_OK);
    return value;
}

static inline void random_values(Rng *rng)
{
    for (size_t i = 0; i < model->n_symbols; i++) {
        system_values[i] = 0.3 + rng_unit(rng);
    }
}

/// Solve K z = y by elimination with pivoting; K is N × (N + 1).
static inline void eliminate(double K[LAB_SIZE][LAB_SIZE + 1], int N, double *z)
{
    for (int c = 0; c < N; c++) {
        int pivot = c;
        for (int i = c + 1; i < N; i++) {
            pivot = fabs(K[i][c]) > fabs(K[pivot][c]) ? i : pivot;
        }
        for (int j = 0; j <= N; j++) {
            const double swap = K[c][j];
            K[c][j] = K[pivot][j];
            K[pivot][j] = swap;
        }
        for (int i = 0; i < N; i++) {
            const double factor = i == c ? 0.0 : K[i][c] / K[c][c];
            for (int j = c; j <= N; j++) {
                K[i][j] -= factor * K[c][j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        z[i] = K[i][N] / K[i][i];
    }
}

/// Accelerations and multipliers at the values of system.h, from the derived equations.
static inline void solve_numbers(double *z)
{
    double K[LAB_SIZE][LAB_SIZE + 1] = {{0.0}};
    const int n = (int)eq->n;
    const int N = n + (int)eq->m;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            K[i][j] = value_of(lower(&eq->M, (size_t)i, (size_t)j));
        }
        K[i][N] = value_of(eq->Q[i]);
    }
    for (int k = 0; k < (int)eq->m; k++) {
        for (int j = 0; j < n; j++) {
            const double a = value_of(kal_sparse_get(&eq->A, (size_t)k, (size_t)j));
            K[n + k][j] = a;
            K[j][n + k] = -a;
        }
        K[n + k][N] = value_of(eq->b[k]);
    }
    eliminate(K, N, z);
}

/// Compare the closed form with numbers at random states.
static inline void agrees_with_numbers(uint64_t seed, double tolerance)
{
    Rng rng = {.state = seed};
    double z[LAB_SIZE];
    for (int round = 0; round < 5; round++) {
        random_values(&rng);
        solve_numbers(z);
        for (size_t j = 0; j < eq->n; j++) {
            double force = 0.0;
            for (size_t k = 0; k < eq->m; k++) {
                force += value_of(kal_sparse_get(&eq->A, k, j)) * z[eq->n + k];
            }
            near(result_value(KAL_RESULT_ACCELERATION, j, false), z[j],
                 tolerance * (1.0 + fabs(z[j])));
            if (eq->m > 0) {
                near(result_value(KAL_RESULT_FORCE, j, false), force,
                     tolerance * (1.0 + fabs(force)));
            }
        }
        for (size_t k = 0; k < eq->m; k++) {
            near(result_value(KAL_RESULT_REACTION, k, false), z[eq->n + k],
                 tolerance * (1.0 + fabs(z[eq->n + k])));
        }
    }
}

#endif

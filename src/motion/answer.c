// SPDX-License-Identifier: MIT

// What both roads do once an acceleration is there: residuals, forces, the answer.

#include "linalg/kernels.h"
#include "linalg/triangular.h"
#include "motion/motion_impl.h"
#include "motion/trust.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The size of the terms that the right-hand side of constraint i was summed up from.
static double terms_of_b(const KalMotion *s, int i)
{
    return s->b_size ? s->b_size[i] : fabs(s->given.b[i]);
}

double kal_motion_term_size(const KalMotion *s, int i, const double *q, double *out_sum)
{
    assert(i >= 0 && i < s->given.m);
    double size;
    const KalMotionProblem *p = &s->given;
    *out_sum = kal_dot_with_size(p->n, p->A + (size_t)i * (size_t)p->n, q, &size);
    return size + terms_of_b(s, i);
}

// y += f x, and size += |f x|.
static void axpy_with_size(int n, double f, const double *restrict x,
                           double *restrict y, double *restrict size)
{
    for (int i = 0; i < n; i++) {
        const double p = f * x[i];
        y[i] += p;
        size[i] += fabs(p);
    }
}

// The larger of two relative errors; a NaN wins and stays.
//
// A residual is measured by the size of its own terms.  Where those are but rounding, as for
// a coordinate held at rest, callers add what they count as at least (theory (5.1), (5.2)).
static double worse(double worst, double error, double size)
{
    assert(error >= 0.0 || isnan(error));
    return error <= worst * size || isnan(worst) ? worst : error / size;
}

double kal_motion_largest_acceleration(const KalMotion *s)
{
    double largest = 0.0;
    for (int j = 0; j < s->given.n; j++) {
        largest = fmax(largest, fabs(s->found.qdd[j] / s->metric.d[j]));
    }
    for (int i = 0; i < s->given.m; i++) {
        largest = fmax(largest, s->metric.r[i] * terms_of_b(s, i));
    }
    return largest;
}

// The residual theory (5.1) of all constraints, and whose it is.  Of constraints that depend
// on others it is not known better than to the rounding of `largest`, the size of all terms.
static double residual_of_constraints(const KalMotion *s, double largest,
                                      int *out_worst)
{
    double worst = 0.0;
    *out_worst = 0;
    for (int k = 0; k < s->given.m; k++) {
        double sum;
        const int i = s->rows.perm[k];
        const double part = k < s->rows.rank ? KAL_RESIDUAL_TRACE : KAL_RESIDUAL_FLOOR;
        assert(s->metric.r[i] > 0.0);
        const double size = kal_motion_term_size(s, i, s->found.qdd, &sum);
        const double next = worse(worst, fabs(sum - s->given.b[i]),
                                  size + part * largest / s->metric.r[i]);
        *out_worst = next > worst ? i : *out_worst;
        worst = next;
    }
    return worst;
}

// error (n) becomes |M q'' − Q − C − force| and size, on entry that of the force, the size
// of all terms; returns the largest of them in natural units.
static double errors_of_motion(const KalMotion *s, const double *force, double *error,
                               double *size)
{
    assert(force && error && size);
    const KalMotionProblem *p = &s->given;
    double largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        double terms;
        const double *row = p->M + (size_t)i * (size_t)p->n;
        const double inertia = kal_dot_with_size(p->n, row, s->found.qdd, &terms);
        const double c = p->C ? p->C[i] : 0.0;
        error[i] = fabs(inertia - p->Q[i] - c - force[i]);
        size[i] += terms + fabs(p->Q[i]) + fabs(c);
        largest = fmax(largest, size[i] * s->metric.d[i]);
    }
    return largest;
}

KalWorst kal_motion_residuals(KalMotion *s, const double *lambda, double *force,
                              KalMotionAnswer *answer)
{
    KalWorst worst = {0, 0};
    const KalMotionProblem *p = &s->given;
    const size_t n = (size_t)p->n;
    assert(force != s->scratch[0] && force != s->scratch[1]);
    assert(p->m == 0 || lambda != s->scratch[0]);
    assert(p->m == 0 || lambda != s->scratch[1]);
    double *size = s->scratch[0];
    double *error = s->scratch[1];
    memset(force, 0, n * sizeof *force);
    memset(size, 0, n * sizeof *size);
    for (int i = 0; i < p->m; i++) {
        axpy_with_size(p->n, lambda[i], p->A + (size_t)i * n, force, size);
    }
    // Natural masses are 1, so that accelerations and forces compare.
    const double largest = fmax(kal_motion_largest_acceleration(s),
                                errors_of_motion(s, force, error, size));
    answer->residual_motion = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double next =
            worse(answer->residual_motion, error[i],
                  size[i] + KAL_RESIDUAL_FLOOR * largest / s->metric.d[i]);
        worst.coordinate = next > answer->residual_motion ? (int)i : worst.coordinate;
        answer->residual_motion = next;
    }
    answer->residual_constraints =
        residual_of_constraints(s, largest, &worst.constraint);
    return worst;
}

void kal_motion_multipliers(const KalMotion *s, double *restrict y,
                            double *restrict lambda)
{
    const KalQr *rows = &s->rows;
    assert(rows->rows == s->given.n && rows->columns == s->given.m);
    assert(rows->rank >= 0 && rows->rank <= rows->columns);
    kal_solve_upper(rows->rank, rows->W, rows->rows, y);
    for (int j = 0; j < rows->columns; j++) {
        const int i = rows->perm[j];
        lambda[i] = j < rows->rank ? s->metric.r[i] * y[j] : 0.0;
    }
}

void kal_motion_fixed_part(const KalMotion *s, const double *restrict b,
                           double *restrict z)
{
    const KalQr *rows = &s->rows;
    assert(rows->rank <= rows->columns && rows->columns == s->given.m);
    for (int j = 0; j < rows->rank; j++) {
        z[j] = s->metric.r[rows->perm[j]] * b[rows->perm[j]];
    }
    kal_solve_upper_transposed(rows->rank, rows->W, rows->rows, z);
}

void kal_motion_constraint_force(const KalMotion *s, const double *lambda,
                                 double *force)
{
    assert(force && (lambda || s->given.m == 0));
    const KalMotionProblem *p = &s->given;
    memset(force, 0, (size_t)p->n * sizeof *force);
    for (int i = 0; i < p->m; i++) {
        kal_axpy(p->n, lambda[i], p->A + (size_t)i * (size_t)p->n, force);
    }
}

void kal_motion_clear_marks(KalMotion *s)
{
    assert(s->given.n <= s->n_max && s->given.m <= s->m_max);
    if (s->found.marks_clear) {
        return;
    }
    memset(s->found.indeterminate, 0,
           (size_t)s->n_max * sizeof *s->found.indeterminate);
    for (int i = 0; i < s->m_max; i++) {
        s->found.dependent_set[i] = -1;
    }
    s->found.n_sets = 0;
    s->found.marks_clear = true;
}

void kal_motion_publish(const KalMotion *s, KalMotionAnswer *answer)
{
    assert(answer->rank_Mhat <= s->given.n && s->found.n_sets <= s->given.m);
    assert(answer->rank_A >= 0 && answer->rank_A <= s->given.m);
    assert(answer->rank_M >= 0 && answer->rank_M <= s->given.n);
    answer->n = s->given.n;
    answer->m = s->given.m;
    answer->qdd = s->found.qdd;
    answer->force_ideal = s->found.ideal;
    answer->force_nonideal = s->found.nonideal;
    answer->multipliers = s->found.lambda;
    answer->unique = answer->rank_Mhat == s->given.n;
    answer->indeterminate = s->found.indeterminate;
    answer->n_dependent_sets = s->found.n_sets;
    answer->dependent_set = s->found.dependent_set;
}

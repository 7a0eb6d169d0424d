// SPDX-License-Identifier: MIT

// The general road, from verdict to answer.
//
// After the ranks are decided (verdict.c): do dependent constraints agree on b, does a force
// act where nothing resists, then accelerations by the formulation asked for, refined by
// residuals in given units (theory (7.6)), the shortest of them where they are not unique
// (theory (5.4)), and the least multipliers where constraints depend on each other
// (theory (6.4)).  The ideal part, of Q and b, and the non-ideal one, of C, are solved for
// one after the other: the equation is linear in (Q, b) and C together (theory (2.7)).
//
// This road is the judge: whatever it cannot answer to HOPELESS of the terms of an equation
// becomes a fault that names who is to blame.

#include "linalg/kernels.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Whether dependent constraints agree on b, as far as constraints alone can tell.
static bool constraints_agree(KalMotion *s)
{
    if (s->verdict.rank_A == s->given.m) {
        return true;
    }
    double *q = s->scratch[3];
    memset(q, 0, (size_t)s->given.n * sizeof *q);
    kal_motion_fixed_part(s, s->given.b, q);
    kal_qr_apply(&s->rows, q);
    for (int i = 0; i < s->given.n; i++) {
        q[i] *= s->metric.d[i];
    }
    kal_dependence_find(s);
    return kal_dependence_agrees(s, q);
}

// out = the part of x (n, scaled) in the massless free directions.
static void massless_part(const KalMotion *s, const double *x, double *out)
{
    assert(x != out);
    const int n = s->given.n;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int c = 0; c < s->verdict.excess; c++) {
        const double *w = kal_const_column(s->verdict.massless, n, c);
        kal_axpy(n, kal_dot(n, w, x), w, out);
    }
}

// Name the coordinates that the force acts on; left (n) is its massless part in scaled units.
static KalStatus fail_massless(KalMotion *s, const double *left, const double *limit)
{
    int count = 0;
    double size = 0.0;
    for (int i = 0; i < s->given.n; i++) {
        if (fabs(left[i]) > limit[i]) {
            s->fault_indices[count++] = i;
            size = fmax(size, fabs(left[i]) / s->metric.d[i]);
        }
    }
    assert(count > 0);
    s->fault = (KalMotionFault){count, s->fault_indices, false, size};
    const KalNames names = kal_motion_names(s, false, s->fault_indices, count);
    return kal_fail(
        s->ctx, KAL_ERR_NO_ACCELERATION,
        "no acceleration exists: a force of %g acts on %s, where neither mass "
        "nor constraint resists; give mass, constrain the motion or remove the "
        "force",
        size, names.text);
}

// No force may act along a direction that has neither mass nor constraint (theory (5.3)).
static KalStatus check_massless(KalMotion *s)
{
    assert(s->verdict.excess >= 0);
    const KalMotionVerdict *v = &s->verdict;
    const int n = s->given.n;
    if (v->excess == 0) {
        return KAL_OK;
    }
    double *force = s->scratch[0];
    double *left = s->scratch[1];
    double *limit = s->scratch[2];
    memset(limit, 0, (size_t)n * sizeof *limit);
    for (int i = 0; i < n; i++) {
        force[i] = v->force[i] + v->nonideal[i];
    }
    massless_part(s, force, left);
    for (int c = 0; c < v->excess; c++) {
        const double *w = kal_const_column(v->massless, n, c);
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            size += fabs(w[i]) * (fabs(v->force[i]) + fabs(v->nonideal[i]));
        }
        for (int i = 0; i < n; i++) {
            limit[i] += s->options.consistency_tolerance * size * fabs(w[i]);
        }
    }
    for (int i = 0; i < n; i++) {
        if (fabs(left[i]) > limit[i]) {
            return fail_massless(s, left, limit);
        }
    }
    return KAL_OK;
}

// Take out of q'' (given units) what lies in the null space of [M; A], so that it is the
// shortest acceleration (theory (5.4)).
static void shorten(KalMotion *s)
{
    const int n = s->given.n;
    const int excess = s->verdict.excess;
    assert(excess <= n && s->verdict.swaps);
    KalQr free_part = s->verdict.mobility; // its arrays are no longer needed
    free_part.rows = n;
    free_part.columns = excess;
    free_part.swaps = s->verdict.swaps;
    for (int c = 0; c < excess; c++) {
        const double *massless = kal_const_column(s->verdict.massless, n, c);
        double *column = kal_column(free_part.W, n, c);
        for (int i = 0; i < n; i++) {
            column[i] = s->metric.d[i] * massless[i];
        }
    }
    // The columns are independent, since massless ones are orthonormal and units positive.
    kal_qr_factor_to_rank(&free_part, excess, 0);
    assert(free_part.rank <= excess);
    kal_qr_apply_transposed(&free_part, s->found.qdd);
    memset(s->found.qdd, 0, (size_t)free_part.rank * sizeof *s->found.qdd);
    kal_qr_apply(&free_part, s->found.qdd);
}

// One part of the motion, in given units: what a force and right-hand sides cause.
typedef struct Part {
    const double *force; // n
    const double *b;     // m, or NULL: zero
    double *q;           // n
    double *lambda;      // m, zero for dependent constraints
} Part;

// What the equations still miss: f − M q + Aᵀλ, scaled and without its massless part, and
// b − A q.
static void find_missing(const KalMotion *s, const Part *part, double *force, double *b)
{
    assert(force != part->q && b != part->b);
    const KalMotionProblem *p = &s->given;
    const size_t n = (size_t)p->n;
    double *massless = s->scratch[5];
    for (size_t i = 0; i < n; i++) {
        force[i] = part->force[i] - kal_dot(p->n, p->M + i * n, part->q);
    }
    for (int i = 0; i < p->m; i++) {
        const double *row = p->A + (size_t)i * n;
        kal_axpy(p->n, part->lambda[i], row, force);
        b[i] = (part->b ? part->b[i] : 0.0) - kal_dot(p->n, row, part->q);
    }
    for (size_t i = 0; i < n; i++) {
        force[i] *= s->metric.d[i];
    }
    massless_part(s, force, massless);
    kal_axpy(p->n, -1.0, massless, force);
}

// Add to the part what the formulation gives for the force and b still missing.  The
// multipliers carry M_s q − f, which lies in the range of the constraints.
static void improve(KalMotion *s, const Part *part, double *force, const double *b)
{
    assert(force != s->scratch[2] && force != s->scratch[5] && b != s->scratch[2]);
    const int n = s->given.n;
    double *q = s->scratch[2];
    double *lambda = s->scratch[5];
    kal_formulation_accelerate(s, force, b, q);
    kal_vector_scale(n, -1.0, force);
    for (int j = 0; j < n; j++) {
        kal_axpy(n, q[j], kal_const_column(s->verdict.mass, n, j), force);
    }
    kal_qr_apply_transposed(&s->rows, force);
    kal_motion_multipliers(s, force, lambda);
    kal_axpy(s->given.m, 1.0, lambda, part->lambda);
    for (int i = 0; i < n; i++) {
        part->q[i] += s->metric.d[i] * q[i];
    }
}

// Less than this part of the most is little, in units of the metric.
static const double LITTLE = 0x1p-40;
// More than this part of what is given in an equation is much to miss.
static const double MUCH = 0x1p-20;

// The force and the masses of coordinate i at an acceleration, scaled: what is given in its
// equation.
static double given_in(const KalMotion *s, const Part *part, int i, double acceleration)
{
    const double *row = s->given.M + (size_t)i * (size_t)s->given.n;
    double given = fabs(part->force[i]);
    for (int j = 0; j < s->given.n; j++) {
        given += fabs(row[j]) * acceleration;
    }
    return s->metric.d[i] * given;
}

// What an equation of motion in which little is given beside others still misses of that, at
// most; force (n) is what each misses, scaled and without its massless part.
static double worst_of_little(const KalMotion *s, const Part *part, const double *force)
{
    const int n = s->given.n;
    double fastest = 0.0;
    double most = 0.0;
    double worst = 0.0;
    for (int j = 0; j < n; j++) {
        fastest = fmax(fastest, fabs(part->q[j]));
    }
    for (int i = 0; i < n; i++) {
        most = fmax(most, given_in(s, part, i, fastest));
    }
    for (int i = 0; i < n; i++) {
        const double given = given_in(s, part, i, fastest);
        if (given > 0.0 && given < LITTLE * most) {
            worst = fmax(worst, fabs(force[i]) / given);
        }
    }
    return worst;
}

// The first pass solves, the others refine: residuals are taken in given units, entry by
// entry, so that parts of the system whose units have nothing to do with each other do
// not spoil each other's accuracy (theory (7.6)).  A pass leaves of large multipliers what is
// rounding beside them, which may be much beside small masses: for these there are more
// passes, as long as they help.
static void solve_part(KalMotion *s, const Part *part)
{
    enum {
        PASSES = 3,
        MOST_PASSES = 40
    };

    double *force = s->scratch[3];
    double *b = s->missing;
    double least = INFINITY;
    assert(part->q != force && part->force != part->q);
    memset(part->q, 0, (size_t)s->given.n * sizeof *part->q);
    memset(part->lambda, 0, (size_t)s->given.m * sizeof *part->lambda);
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        find_missing(s, part, force, b);
        if (pass >= PASSES) {
            const double worst = worst_of_little(s, part, force);
            if (!(worst > MUCH && worst < 0.5 * least)) {
                return;
            }
            least = worst;
        }
        improve(s, part, force, b);
    }
}

// M q of the non-ideal part, and what C does in massless free directions.
static void find_nonideal(KalMotion *s, const double *q)
{
    assert(s->given.C);
    const KalMotionProblem *p = &s->given;
    double *massless = s->scratch[5];
    massless_part(s, s->verdict.nonideal, massless);
    for (int i = 0; i < p->n; i++) {
        s->found.nonideal[i] = kal_dot(p->n, p->M + (size_t)i * (size_t)p->n, q)
                               + massless[i] / s->metric.d[i];
    }
}

// Accelerations, multipliers and forces from the formulation; lambda_total (m) goes with
// Q + C.
static void solve_instant(KalMotion *s, double *lambda_total)
{
    const int m = s->given.m;
    solve_part(s, &(Part){s->given.Q, s->given.b, s->found.qdd, s->found.lambda});
    memset(s->found.nonideal, 0, (size_t)s->given.n * sizeof *s->found.nonideal);
    if (!s->given.C) {
        memcpy(lambda_total, s->found.lambda, (size_t)m * sizeof *lambda_total);
        return;
    }
    double *q = s->nonideal_q;
    solve_part(s, &(Part){s->given.C, NULL, q, lambda_total});
    find_nonideal(s, q);
    kal_axpy(m, 1.0, s->found.lambda, lambda_total);
    kal_axpy(s->given.n, 1.0, q, s->found.qdd);
}

// Overflow on the way is not an answer.
static KalStatus check_finite(KalMotion *s)
{
    for (int i = 0; i < s->given.n; i++) {
        if (!isfinite(s->found.qdd[i]) || !isfinite(s->found.ideal[i])
            || !isfinite(s->found.nonideal[i])) {
            const KalNames name = kal_motion_names(s, false, &i, 1);
            return kal_fail(
                s->ctx, KAL_ERR_NUMBER,
                "the acceleration or force of %s is too large to compute with; "
                "choose other units",
                name.text);
        }
    }
    return KAL_OK;
}

// Blame constraint i, and those that it seems to depend on.
static void blame_dependent(KalMotion *s, int i)
{
    assert(i >= 0 && i < s->given.m);
    int count = 0;
    for (int k = 0; k < s->given.m; k++) {
        if (k == i || s->found.dependent_set[k] == s->found.dependent_set[i]) {
            s->fault_indices[count++] = k;
        }
    }
    double sum;
    (void)kal_motion_term_size(s, i, s->found.qdd, &sum);
    s->fault =
        (KalMotionFault){count, s->fault_indices, true, fabs(sum - s->given.b[i])};
}

// A constraint that was taken for dependent must follow from the others.
static KalStatus check_dependent(KalMotion *s)
{
    const int i = kal_dependence_find_violated(s);
    if (i < 0) {
        return KAL_OK;
    }
    blame_dependent(s, i);
    const KalNames name = kal_motion_names(s, true, &i, 1);
    const KalNames all = kal_motion_names(s, true, s->fault.indices, s->fault.count);
    return kal_fail(
        s->ctx, KAL_ERR_NUMBER,
        "constraint %s is too near to depending on others for the masses involved: it "
        "can "
        "be neither told from them nor left out (among %s); bring the masses that they "
        "join nearer to each other, or join them by other constraints",
        name.text, all.text);
}

// Residuals above this mean that no digit can be trusted.
static const double HOPELESS = 1e-6;

// Blame constraint or coordinate `index`, whose equation is missed most.
static KalStatus fail_residual(KalMotion *s, bool constraint, int index,
                               double residual)
{
    assert(index >= 0);
    s->fault_indices[0] = index;
    s->fault = (KalMotionFault){1, s->fault_indices, constraint, residual};
    const KalNames name = kal_motion_names(s, constraint, &index, 1);
    return kal_fail(
        s->ctx, KAL_ERR_NUMBER,
        "the equations are too ill-conditioned for the formulation \"%s\": its "
        "answer satisfies %s %s only to %.2g of the size of its terms; masses or "
        "coefficients that meet there differ too much, or constraints nearly depend on "
        "each other",
        kal_formulation_word(s->options.formulation),
        constraint ? "constraint" : "the equation of motion of", name.text, residual);
}

// Residuals are compared so that a NaN fails.
static KalStatus check_residuals(KalMotion *s, const KalWorst *worst,
                                 const KalMotionAnswer *answer)
{
    if (!(answer->residual_constraints <= HOPELESS)) {
        return fail_residual(s, true, worst->constraint, answer->residual_constraints);
    }
    if (!(answer->residual_motion <= HOPELESS)) {
        return fail_residual(s, false, worst->coordinate, answer->residual_motion);
    }
    return KAL_OK;
}

// Accelerations and multipliers, and that dependent constraints agree with them: what
// constraints alone seem to miss may be nothing beside the accelerations.
static KalStatus solve_agreeing(KalMotion *s, double *lambda_total)
{
    const bool agree = constraints_agree(s);
    KalStatus status = check_massless(s);
    if (status == KAL_OK) {
        status = kal_formulation_prepare(s);
    }
    if (status != KAL_OK) {
        return agree ? status : kal_conflict_fail(s);
    }
    solve_instant(s, lambda_total);
    if (s->verdict.excess > 0) {
        shorten(s);
    }
    if (!agree && !kal_dependence_agrees(s, s->found.qdd)) {
        return kal_conflict_fail(s);
    }
    if (s->verdict.rank_A < s->given.m) {
        KAL_TRY(check_dependent(s));
        kal_dependence_least_norm(s, lambda_total);
    }
    return KAL_OK;
}

// The order is that of the head of this file; the residuals are judged in the end, when
// all that they are made of is there.
KalStatus kal_motion_general(KalMotion *s, KalMotionAnswer *answer)
{
    KalWorst worst;
    double *lambda_total = s->lambda_total;
    KAL_TRY(kal_motion_verdict(s));
    KAL_TRY(solve_agreeing(s, lambda_total));
    worst = kal_motion_residuals(s, lambda_total, s->found.ideal, answer);
    kal_motion_constraint_force(s, s->found.lambda, s->found.ideal);
    KAL_TRY(check_finite(s));
    KAL_TRY(check_residuals(s, &worst, answer));
    answer->rank_M = s->verdict.rank_M;
    answer->rank_A = s->verdict.rank_A;
    answer->rank_Mhat = s->given.n - s->verdict.excess;
    answer->fast = false;
    answer->least_sine = s->verdict.rank_A > 0 ? s->rows.smallest : 1.0;
    kal_motion_publish(s, answer);
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// Accelerations and forces, refined until the equations as given vouch for them.
//
// The factors are those of a Schur complement, which squares the conditioning of the rows.
// So the answer is corrected by what the equations still miss, computed from the given
// numbers, until that is rounding, entry by entry (theory (5.1), (5.2), (7.6)).

#include "large/large_impl.h"
#include "motion/trust.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    CORRECTIONS = 8
};

// Residuals that need not be looked at again.
static const double ENOUGH = 0x1p-48;
// Residuals that an answer may have, relative to the size of its terms.
static const double UNTRUSTED = 1e-6;

// A right-hand side, and an answer to it.
typedef struct Side {
    const double *Q; // n
    const double *b; // m; NULL: zero
    double *qdd;
    double *lambda;
    double *force; // n: Aᵀλ, as last measured
} Side;

// A row that does not act, or is left out, misses nothing.
static void miss_rows(const KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    if (p->measure) {
        p->measure(p->owner);
    }
    double *missing = l->missing + l->n;
    double *size = l->size + l->n;
    l->passes->rows(&(KalRowPass){.m = l->m,
                                  .start = l->shape.A.start,
                                  .column = l->shape.A.column,
                                  .A = p->A,
                                  .qdd = s->qdd,
                                  .b = s->b,
                                  .b_size = p->b_size,
                                  .missing = missing,
                                  .size = size});
    for (int i = 0; i < l->m && !(l->all_act && l->factors.n_left_out == 0); i++) {
        if (!p->active[i] || kal_left_out(l, p, i)) {
            missing[i] = 0.0;
            size[i] = p->active[i] ? size[i] : 0.0;
        }
    }
}

// Aᵀλ, and the size of its terms.
static void push(const KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    const KalRowPattern *A = &l->shape.A;
    assert(s->lambda && s->force);
    memset(s->force, 0, (size_t)l->n * sizeof *s->force);
    memset(l->size, 0, (size_t)l->n * sizeof *l->size);
    for (int i = 0; i < l->m; i++) {
        for (int64_t k = A->start[i]; p->active[i] && k < A->start[i + 1]; k++) {
            const double pull = p->A[k] * s->lambda[i];
            s->force[A->column[k]] += pull;
            l->size[A->column[k]] += fabs(pull);
        }
    }
}

// Takes M q'' from what motion misses, for M with entries off the diagonal.
static void miss_couplings(const KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    const KalRowPattern *M = &l->shape.M;
    for (int i = 0; i < l->n; i++) {
        for (int64_t k = M->start[i]; k < M->start[i + 1]; k++) {
            const int64_t j = M->column[k];
            const double term = p->M[k] * s->qdd[j];
            l->missing[i] -= term;
            l->size[i] += fabs(term);
            if (j != i) {
                const double other = p->M[k] * s->qdd[i];
                l->missing[j] -= other;
                l->size[j] += fabs(other);
            }
        }
    }
}

// missing = Q + Aᵀλ − M q'', n.
static void miss_motion(const KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    assert(s->Q && s->qdd);
    push(l, p, s);
    for (int i = 0; i < l->n; i++) {
        const double term = l->metric.diagonal ? p->M[i] * s->qdd[i] : 0.0;
        l->missing[i] = s->Q[i] - term + s->force[i];
        l->size[i] += fabs(s->Q[i]) + fabs(term);
    }
    if (!l->metric.diagonal) {
        miss_couplings(l, p, s);
    }
}

// The same by columns of A.  `whole`: q'' is found besides, as what follows from the forces.
static KalForcePass forces_of(const KalLarge *l, const Side *s, bool whole)
{
    const KalSchur *schur = &l->schur;
    return (KalForcePass){.n = l->n,
                          .start = schur->start,
                          .row = schur->row,
                          .entry = schur->entry,
                          .A = schur->A,
                          .lambda = s->lambda,
                          .Q = s->Q,
                          .mass = l->metric.mass,
                          .inverse = schur->inverse,
                          .whole = whole,
                          .qdd = s->qdd,
                          .force = s->force,
                          .missing = l->missing,
                          .size = l->size};
}

// The largest size that terms have anywhere, in natural units.
static double largest_size(const KalLarge *l, const Side *s)
{
    assert(l->n > 0 || l->m == 0);
    const size_t n = (size_t)l->n;
    double most = l->passes->largest(s->qdd, l->metric.unit, n, 0.0);
    most = l->passes->largest(l->size, l->metric.per_unit, n, most);
    for (int i = 0; i < l->m && s->b; i++) {
        if (fabs(s->b[i]) > most * l->metric.length[i] && l->metric.length[i] > 0.0) {
            most = fabs(s->b[i]) / l->metric.length[i];
        }
    }
    return most;
}

// Residuals of the equation of motion and of the constraints that were not left out.
typedef struct Residuals {
    double motion;
    double constraints;
} Residuals;

// `first`: of the multipliers that the factors gave, from which all else follows.
static Residuals measure(KalLarge *l, const KalLargeProblem *p, const Side *s,
                         bool first)
{
    kal_large_need_lengths(l, p->active);
    if (l->schur.used) {
        const KalForcePass pass = forces_of(l, s, first);
        l->passes->forces(&pass);
    } else {
        miss_motion(l, p, s);
    }
    miss_rows(l, p, s);
    const double most = largest_size(l, s);
    return (Residuals){l->passes->worst(l->missing, l->size, KAL_RESIDUAL_FLOOR * most,
                                        l->metric.unit, (size_t)l->n),
                       l->passes->worst(l->missing + l->n, l->size + l->n,
                                        KAL_RESIDUAL_TRACE * most, l->metric.length,
                                        (size_t)l->m)};
}

static double worst_of(Residuals r)
{
    return r.motion >= r.constraints || isnan(r.motion) ? r.motion : r.constraints;
}

// Residuals of the first solution, as large as they can be: nearly all equations miss next to
// nothing of their own terms, and sizes and lengths that only make residuals smaller need not be
// known then.
static Residuals glance(const KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    const KalForcePass pass = forces_of(l, s, true);
    const double motion = l->passes->move(&pass);
    const size_t n = (size_t)l->n;
    const double push = l->passes->largest(s->Q, l->metric.per_unit, n, 0.0);
    const double most = l->passes->largest(s->qdd, l->metric.unit, n, push);
    const KalRowCheck rows = {.m = l->m,
                              .start = l->shape.A.start,
                              .column = l->schur.column,
                              .A = p->A,
                              .qdd = s->qdd,
                              .b = s->b,
                              .active = l->all_act ? NULL : p->active,
                              .enough = ENOUGH,
                              .floor = KAL_RESIDUAL_TRACE * most,
                              .from = l->factors.ldl.from,
                              .place = l->factors.ldl.place + l->factors.first_tie};
    return (Residuals){motion, l->passes->check(&rows)};
}

// Solve for what is missing; x becomes the correction.  The rows that lend their weight
// to M add AᵀW times what they miss to the right-hand side, as they do to Q (theory
// (3.6)): so the correction is that of the equations as they were given.
static void correct(KalLarge *l, const KalLargeProblem *p)
{
    const KalRowPattern *A = &l->shape.A;
    memcpy(l->x, l->missing, (size_t)(l->n + l->m) * sizeof *l->x);
    for (int i = 0; i < l->m; i++) {
        const double lent = l->metric.weights[i] * l->missing[l->n + i];
        for (int64_t k = A->start[i]; lent != 0.0 && k < A->start[i + 1]; k++) {
            l->x[A->column[k]] += lent * p->A[k];
        }
    }
    kal_large_solve_factors(l, l->x);
}

// The factors have −λ in the place of multipliers, since K has Aᵀ where the equation of
// motion has −Aᵀ.
static void add(const KalLarge *l, const Side *s, double factor)
{
    assert(factor == 1.0 || factor == -1.0);
    for (int j = 0; j < l->n; j++) {
        s->qdd[j] += factor * l->x[j];
    }
    for (int i = 0; i < l->m; i++) {
        s->lambda[i] -= factor * l->x[l->n + i];
    }
}

// The first solution, to be measured.
static void begin(KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    if (l->schur.used) {
        kal_schur_multipliers(l, p, s->Q, s->b, s->lambda);
        return;
    }
    memset(s->qdd, 0, (size_t)l->n * sizeof *s->qdd);
    memset(s->lambda, 0, (size_t)l->m * sizeof *s->lambda);
    memcpy(l->missing, s->Q, (size_t)l->n * sizeof *l->missing);
    for (int i = 0; i < l->m; i++) {
        l->missing[l->n + i] = s->b && p->active[i] ? s->b[i] : 0.0;
    }
    correct(l, p);
    add(l, s, 1.0);
}

// Solve and correct, as long as that makes residuals smaller.  A correction that does
// not halve the residual is the last; one that makes it worse is taken back.
static Residuals solve_side(KalLarge *l, const KalLargeProblem *p, const Side *s)
{
    assert(s->qdd != l->x && s->lambda != l->x);
    begin(l, p, s);
    if (l->schur.used) {
        const Residuals first = glance(l, p, s);
        if (worst_of(first) <= KAL_SAFE_RESIDUAL) {
            return first;
        }
    }
    Residuals now = measure(l, p, s, true);
    for (int k = 1; k < CORRECTIONS && !(worst_of(now) <= KAL_SAFE_RESIDUAL); k++) {
        correct(l, p);
        add(l, s, 1.0);
        const Residuals next = measure(l, p, s, false);
        if (!(worst_of(next) < 0.5 * worst_of(now))) {
            if (worst_of(next) <= worst_of(now)) {
                return next;
            }
            add(l, s, -1.0);
            push(l, p, s); // for its forces
            return now;
        }
        now = next;
    }
    return now;
}

// What C adds, theory (2.7).
static Residuals add_nonideal(KalLarge *l, const KalLargeProblem *p)
{
    const Side side = {p->C, NULL, l->total_q, l->total_l, l->found.nonideal};
    const Residuals r = solve_side(l, p, &side);
    for (int j = 0; j < l->n; j++) {
        l->found.nonideal[j] += p->C[j];
        l->found.qdd[j] += l->total_q[j];
    }
    return r;
}

static KalStatus check(KalLarge *l, Residuals r)
{
    assert(!(worst_of(r) < 0.0));
    if (worst_of(r) <= UNTRUSTED) {
        return KAL_OK;
    }
    return kal_fail(l->ctx, KAL_ERR_NUMBER,
                    "the equations are too ill-conditioned for a sparse solve: its "
                    "answer satisfies them only to %.2g of the size of their terms; "
                    "masses or coefficients that meet differ too much, or constraints "
                    "nearly depend on each other",
                    worst_of(r));
}

// Pivots of rows, relative to what they came from, are squares of sines (see sparse/ldl.h); 1
// without rows, and of rows that do not act.
static double least_sine(const KalLarge *l)
{
    const KalLdl *ldl = &l->factors.ldl;
    const double *pivot = ldl->value + ldl->start[ldl->n];
    double least = 1.0;
    for (int k = ldl->masses; k < ldl->n; k++) {
        if (-pivot[k] < least * ldl->from[k] && ldl->inverse[k] != 0.0) {
            least = -pivot[k] / ldl->from[k];
        }
    }
    return sqrt(least);
}

static KalMotionAnswer answer_of(const KalLarge *l, Residuals r)
{
    return (KalMotionAnswer){.n = l->n,
                             .m = l->m,
                             .qdd = l->found.qdd,
                             .force_ideal = l->found.ideal,
                             .force_nonideal = l->found.nonideal,
                             .multipliers = l->found.lambda,
                             .rank_M = l->metric.rank_M,
                             .rank_Mhat = l->n,
                             .unique = true,
                             .indeterminate = l->found.indeterminate,
                             .residual_constraints = r.constraints,
                             .residual_motion = r.motion,
                             .least_sine = least_sine(l)};
}

// Solve with the rows that are not left out.
static KalStatus solve_rows(KalLarge *l, const KalLargeProblem *p, Residuals *out_r)
{
    const Side side = {p->Q, p->b, l->found.qdd, l->found.lambda, l->found.ideal};
    KAL_TRY(kal_large_factor(l, p, NULL, 0.0));
    *out_r = solve_side(l, p, &side);
    KAL_TRY(check(l, *out_r));
    if (l->found.pushed) {
        memset(l->found.nonideal, 0, (size_t)l->n * sizeof *l->found.nonideal);
    }
    l->found.pushed = p->C != NULL;
    if (p->C) {
        const Residuals more = add_nonideal(l, p);
        KAL_TRY(check(l, more));
        *out_r = (Residuals){fmax(out_r->motion, more.motion),
                             fmax(out_r->constraints, more.constraints)};
    }
    return KAL_OK;
}

KalStatus kal_large_solve(KalLarge *l, const KalLargeProblem *p,
                          KalMotionAnswer *out_answer)
{
    assert(l && p && out_answer);
    assert(p->M && p->Q);
    bool again = true;
    l->fault = (KalMotionFault){.count = 0};
    kal_large_suspect_all(l);
    while (again) { // ends: each time more rows are trusted
        Residuals r;
        KAL_TRY(solve_rows(l, p, &r));
        KalMotionAnswer answer = answer_of(l, r);
        again = false;
        KAL_TRY(kal_large_judge(l, p, l->found.qdd, &answer, &again));
        *out_answer = again ? *out_answer : answer;
    }
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

#include "linalg/kernels.h"
#include "linalg/padded.h"
#include "motion/motion_impl.h"

#include <kalaba/motion.h>

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Above this the dense form is not the right tool, and sizes stay far from overflow.
enum {
    MOST = 16384
};

const char *kal_formulation_word(KalFormulation formulation)
{
    switch (formulation) {
#define KAL_FORMULATION_CASE(name, word, meaning) \
    case name: return word;
        KAL_FORMULATION_LIST(KAL_FORMULATION_CASE)
#undef KAL_FORMULATION_CASE
    }
    return "unknown";
}

bool kal_formulation_find(const char *word, KalFormulation *out_formulation)
{
    if (!(word && out_formulation)) {
        return false;
    }
    static const KalFormulation all[] = {
#define KAL_FORMULATION_NAME(name, text, meaning) name,
        KAL_FORMULATION_LIST(KAL_FORMULATION_NAME)
#undef KAL_FORMULATION_NAME
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(word, kal_formulation_word(all[i])) == 0) {
            *out_formulation = all[i];
            return true;
        }
    }
    return false;
}

KalMotionOptions kal_motion_options(void)
{
    return (KalMotionOptions){
        .formulation = KAL_FORMULATION_DEFAULT,
        .rank_tolerance = 0.0,
        .consistency_tolerance = 1e-9,
    };
}

// Hands out pieces of one block; without a block it only counts.
typedef struct Carver {
    unsigned char *block;
    size_t used;
} Carver;

static void *carve(Carver *carver, size_t count, size_t size)
{
    const size_t start = carver->used;
    carver->used += (count * size + 63) / 64 * 64;
    return carver->block ? carver->block + start : NULL;
}

static double *carve_doubles(Carver *carver, size_t rows, size_t columns)
{
    return carve(carver, rows * columns, sizeof(double));
}

static int *carve_ints(Carver *carver, size_t count)
{
    return carve(carver, count, sizeof(int));
}

static void lay_out_qr(Carver *carver, KalQr *qr, size_t rows, size_t columns,
                       size_t followers)
{
    qr->W = carve_doubles(carver, rows, columns + followers);
    qr->tau = carve_doubles(carver, rows < columns ? rows : columns, 1);
    qr->norms = carve_doubles(carver, columns, 2);
    qr->perm = carve_ints(carver, columns);
}

static void lay_out_verdict(Carver *carver, KalVerdict *v, size_t n, size_t m)
{
    v->mass = carve_doubles(carver, n, n);
    v->F = carve_doubles(carver, n, n);
    v->Z = carve_doubles(carver, n, n);
    v->massless = carve_doubles(carver, n, n);
    v->force = carve_doubles(carver, n, 1);
    v->nonideal = carve_doubles(carver, n, 1);
    v->perm = carve_ints(carver, n);
    v->swaps = carve_ints(carver, n);
    v->row_swaps = carve_ints(carver, n < m ? n : m);
    lay_out_qr(carver, &v->mobility, n, n, 0);
    v->mobility.swaps = carve_ints(carver, n);
}

static void lay_out_short(Carver *carver, KalShort *w, size_t n, size_t m)
{
    const size_t ld = (size_t)kal_padded((int)n);
    const size_t rows = (size_t)kal_padded((int)m);
    w->M = carve_doubles(carver, ld, ld);
    w->L = carve_doubles(carver, ld, ld);
    w->A = carve_doubles(carver, ld, rows);
    w->W = carve_doubles(carver, ld, rows);
    w->S = carve_doubles(carver, rows, rows);
    w->inverse = carve_doubles(carver, ld, 1);
    w->inverse_rows = carve_doubles(carver, rows, 1);
    w->g = carve_doubles(carver, ld, 2);
    w->b = carve_doubles(carver, rows, 1);
    w->b_size = carve_doubles(carver, rows, 1);
    w->lambda = carve_doubles(carver, rows, 1);
    w->lambda_total = carve_doubles(carver, rows, 1);
    w->Q = carve_doubles(carver, ld, 1);
    w->force = carve_doubles(carver, ld, 1);
    w->added = carve_doubles(carver, ld, 1);
    w->unit = carve_doubles(carver, ld, 1);
    w->length = carve_doubles(carver, rows, 1);
    w->size = carve_doubles(carver, ld, 1);
    w->missing = carve_doubles(carver, ld, 1);
    w->missing_rows = carve_doubles(carver, rows, 1);
}

// Only what the formulation asked for will use.
static void lay_out_literal(Carver *carver, KalMotion *s, size_t n, size_t m)
{
    const KalFormulation formulation = s->options.formulation;
    const int rows = s->n_max + s->m_max;
    KalLiteral *w = &s->literal;
    if (formulation == KAL_FORMULATION_DEFAULT
        || formulation == KAL_FORMULATION_NULLSPACE) {
        return;
    }
    for (size_t i = 0; i < sizeof w->vector / sizeof w->vector[0]; i++) {
        w->vector[i] = carve_doubles(carver, n + m, 1);
    }
    if (formulation == KAL_FORMULATION_LAGRANGE) {
        lay_out_qr(carver, &w->kkt, n + m, n + m, 0);
        w->kkt.swaps = carve_ints(carver, n + m);
        return;
    }
    w->A = carve_doubles(carver, m, n);
    w->root = carve_doubles(carver, n, n);
    w->eigen = carve_doubles(carver, n, n + 1);
    w->work = carve_doubles(carver, n, n);
    w->stack = carve_doubles(carver, n + m, n);
    const size_t doubles = kal_pseudoinverse_doubles(s->m_max, s->n_max)
                           + kal_pseudoinverse_doubles(rows, s->n_max);
    const size_t ints = kal_pseudoinverse_ints(s->m_max, s->n_max)
                        + kal_pseudoinverse_ints(rows, s->n_max);
    w->doubles = carve_doubles(carver, doubles, 1);
    w->ints = carve_ints(carver, ints);
}

static void lay_out(Carver *carver, KalMotion *s)
{
    const size_t n = (size_t)s->n_max;
    const size_t m = (size_t)s->m_max;
    s->qdd = carve_doubles(carver, n, 1);
    s->ideal = carve_doubles(carver, n, 1);
    s->nonideal = carve_doubles(carver, n, 1);
    s->lambda = carve_doubles(carver, m, 1);
    s->indeterminate = carve(carver, n, sizeof(bool));
    s->dependent_set = carve_ints(carver, m);
    s->fault_indices = carve_ints(carver, n + m);
    s->shifted_b = carve_doubles(carver, m, 1);
    s->shifted_size = carve_doubles(carver, m, 1);
    s->symmetric = carve_doubles(carver, n, n);
    s->d = carve_doubles(carver, n, 1);
    s->r = carve_doubles(carver, m, 1);
    s->weights = carve_doubles(carver, m, 1);
    s->metric_mass = carve_doubles(carver, n, 1);
    s->L = carve_doubles(carver, n, n);
    s->inverse = carve_doubles(carver, n, 1);
    lay_out_qr(carver, &s->rows, n, m, 2);
    s->coefficients = carve_doubles(carver, n < m ? n : m, m);
    s->mismatch = carve_doubles(carver, m, 1);
    s->nonideal_q = carve_doubles(carver, n, 1);
    s->lambda_total = carve_doubles(carver, m, 1);
    s->missing = carve_doubles(carver, m, 1);
    for (size_t i = 0; i < sizeof s->scratch / sizeof s->scratch[0]; i++) {
        s->scratch[i] = carve_doubles(carver, n + m, 1);
    }
    lay_out_qr(carver, &s->least, m, m, 1);
    s->least.swaps = carve_ints(carver, m);
    lay_out_short(carver, &s->short_way, n, m);
    lay_out_verdict(carver, &s->verdict, n, m);
    lay_out_literal(carver, s, n, m);
}

static bool is_formulation(KalFormulation formulation)
{
    KalFormulation found;
    return kal_formulation_find(kal_formulation_word(formulation), &found);
}

// A tolerance is a number from 0 to below 1; NaN is none.
static bool is_tolerance(double x)
{
    return x >= 0.0 && x < 1.0;
}

static KalStatus check_options(KalContext *ctx, const KalMotionOptions *options)
{
    if (!is_formulation(options->formulation)) {
        return kal_fail(ctx, KAL_ERR_USAGE, "there is no formulation number %d",
                        (int)options->formulation);
    }
    if (!is_tolerance(options->rank_tolerance)
        || !is_tolerance(options->consistency_tolerance)) {
        return kal_fail(ctx, KAL_ERR_USAGE,
                        "tolerances lie between 0 and 1, not at %g (rank) and %g "
                        "(consistency)",
                        options->rank_tolerance, options->consistency_tolerance);
    }
    return KAL_OK;
}

static KalStatus check_sizes(KalContext *ctx, int n, int m)
{
    if (n < 1 || m < 0) {
        return kal_fail(
            ctx, KAL_ERR_SHAPE,
            "a workspace needs at least one coordinate and no negative number "
            "of constraints, not %d and %d",
            n, m);
    }
    if (n > MOST || m > MOST) {
        return kal_fail(ctx, KAL_ERR_LIMIT,
                        "%d coordinates and %d constraints are too many for the dense "
                        "form: at most %d each",
                        n, m, MOST);
    }
    return KAL_OK;
}

KalStatus kal_motion_create(KalContext *ctx, const KalMotionOptions *options, int n,
                            int m, KalMotion **out_motion)
{
    KAL_NEED(ctx, ctx && out_motion);
    const KalMotionOptions chosen = options ? *options : kal_motion_options();
    KAL_TRY(check_options(ctx, &chosen));
    KAL_TRY(check_sizes(ctx, n, m));
    KalMotion *s = KAL_NEW(ctx, KalMotion);
    if (!s) {
        return kal_fail(ctx, KAL_ERR_NOMEM, "no memory for a workspace");
    }
    s->ctx = ctx;
    s->options = chosen;
    s->n_max = n;
    s->m_max = m;
#ifdef KAL_WIDE
    s->wide = __builtin_cpu_supports("avx2");
#endif
    Carver carver = {NULL, 0};
    lay_out(&carver, s);
    // Not zeroed: pages that the regular road never touches are never made.
    s->block = kal_resize(ctx, NULL, 0, carver.used + 64);
    if (!s->block) {
        kal_motion_destroy(s);
        return kal_fail(
            ctx, KAL_ERR_NOMEM,
            "no memory for a workspace of %d coordinates and %d constraints", n, m);
    }
    s->block_size = carver.used + 64;
    const uintptr_t address = (uintptr_t)s->block;
    carver = (Carver){(unsigned char *)s->block + (64 - address % 64) % 64, 0};
    lay_out(&carver, s);
    *out_motion = s;
    return KAL_OK;
}

void kal_motion_destroy(KalMotion *motion)
{
    if (motion) {
        kal_free(motion->ctx, motion->block, motion->block_size);
        kal_free(motion->ctx, motion, sizeof *motion);
    }
}

KalMotionFault kal_motion_fault(const KalMotion *motion)
{
    if (!motion) {
        return (KalMotionFault){.count = 0};
    }
    return motion->fault;
}

static KalStatus begin(KalMotion *s, const KalMotionProblem *problem)
{
    s->fault = (KalMotionFault){0};
    s->given = *problem;
    s->b_size = problem->b_size;
    s->weak = false;
    if (problem->n < 1 || problem->m < 0) {
        return kal_fail(
            s->ctx, KAL_ERR_SHAPE,
            "a problem needs at least one coordinate and no negative number of "
            "constraints, not %d and %d",
            problem->n, problem->m);
    }
    if (problem->n > s->n_max || problem->m > s->m_max) {
        return kal_fail(
            s->ctx, KAL_ERR_SHAPE,
            "the problem has %d coordinates and %d constraints, the workspace "
            "was made for at most %d and %d",
            problem->n, problem->m, s->n_max, s->m_max);
    }
    const double size = (problem->n + problem->m) / 64.0;
    s->rank_tolerance = s->options.rank_tolerance > 0.0
                            ? s->options.rank_tolerance
                            : 0x1p-40 * (size > 1.0 ? size : 1.0);
    return KAL_OK;
}

// Masses that differ by more than this leave a light coordinate few digits, in units that
// are made of masses, next to a heavy one.
static const double COMPARABLE = 1e16;

static double mass_of(const KalMotion *s, size_t j)
{
    return s->given.M[j * (size_t)(s->given.n + 1)];
}

static bool masses_compare(const KalMotion *s)
{
    double lightest = INFINITY;
    double heaviest = 0.0;
    for (size_t j = 0; j < (size_t)s->given.n; j++) {
        const double mass = mass_of(s, j);
        heaviest = mass > heaviest ? mass : heaviest;
        lightest = mass > 0.0 && mass < lightest ? mass : lightest;
    }
    return !(heaviest > COMPARABLE * lightest);
}

// The same of what a constraint joins, whatever units it is written in.
static bool row_compares(const KalMotion *s, const double *row)
{
    double least = INFINITY;
    double most = 0.0;
    for (size_t j = 0; j < (size_t)s->given.n; j++) {
        const double mass = mass_of(s, j);
        if (row[j] != 0.0 && mass > 0.0) {
            least = fmin(least, row[j] / mass * row[j]);
            most = fmax(most, row[j] / mass * row[j]);
        }
    }
    return !(most > COMPARABLE * least);
}

// Whether constraints join masses of comparable size.  The fast ways compute in natural
// units; else the general road refines in given ones (theory (7.6)).
static bool constraints_compare(const KalMotion *s)
{
    const KalMotionProblem *p = &s->given;
    bool compare = true;
    if (p->m > 0 && !masses_compare(s)) {
        for (int i = 0; i < p->m && compare; i++) {
            compare = row_compares(s, p->A + (size_t)i * (size_t)p->n);
        }
    }
    return compare;
}

static bool may_be_fast(const KalMotion *s)
{
    return s->options.formulation == KAL_FORMULATION_DEFAULT && constraints_compare(s);
}

// A checked problem, by the long ways.
static KalStatus solve_checked(KalMotion *s, KalMotionAnswer *answer)
{
    if (may_be_fast(s) && kal_motion_regular(s, answer)) {
        return KAL_OK;
    }
    return kal_motion_general(s, answer);
}

static bool solve_short(KalMotion *s, KalMotionAnswer *answer)
{
    return kal_motion_is_plain(s) && may_be_fast(s) && kal_motion_short(s, answer);
}

KalStatus kal_motion_solve(KalMotion *motion, const KalMotionProblem *problem,
                           KalMotionAnswer *out_answer)
{
    KAL_NEED(motion ? motion->ctx : NULL, motion && problem && out_answer);
    KalMotionAnswer answer;
    KAL_TRY(begin(motion, problem));
    if (!solve_short(motion, &answer)) {
        KAL_TRY(kal_motion_check(motion));
        KAL_TRY(solve_checked(motion, &answer));
    }
    *out_answer = answer;
    return KAL_OK;
}

// The constraints as they are seen by the change of velocity: A Δ = b − A v.
static void shift_constraints(KalMotion *s, const double *velocity)
{
    const KalMotionProblem *p = &s->given;
    for (int i = 0; i < p->m; i++) {
        double size;
        const double *row = p->A + (size_t)i * (size_t)p->n;
        const double moved = kal_dot_with_size(p->n, row, velocity, &size);
        s->shifted_b[i] = p->b[i] - moved;
        s->shifted_size[i] = (s->b_size ? s->b_size[i] : fabs(p->b[i])) + size;
    }
    s->given.b = s->shifted_b;
    s->b_size = s->shifted_size;
}

KalStatus kal_motion_impact(KalMotion *motion, const KalMotionProblem *problem,
                            const double *velocity, KalMotionAnswer *out_answer)
{
    KAL_NEED(motion ? motion->ctx : NULL, motion && problem && out_answer);
    KAL_TRY(begin(motion, problem));
    KAL_TRY(kal_motion_check(motion));
    if (!velocity) {
        return kal_fail(motion->ctx, KAL_ERR_SHAPE, "the array velocity is missing");
    }
    for (int i = 0; i < problem->n; i++) {
        if (!isfinite(velocity[i])) {
            const KalNames name = kal_motion_names(motion, false, &i, 1);
            return kal_fail(
                motion->ctx, KAL_ERR_NUMBER,
                "the velocity of %s before the impact is not a finite number",
                name.text);
        }
    }
    shift_constraints(motion, velocity);
    KalMotionAnswer answer;
    if (!solve_short(motion, &answer)) {
        KAL_TRY(solve_checked(motion, &answer));
    }
    kal_axpy(problem->n, 1.0, velocity, motion->qdd);
    *out_answer = answer;
    return KAL_OK;
}

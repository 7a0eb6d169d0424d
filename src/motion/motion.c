// SPDX-License-Identifier: MIT

// The workspace of a solve and its outline.
//
// A solve tries the cheapest way that may apply and takes the next where it is not vouched
// for: the short way on the problem as it came, not even checked (short.c); after the check
// (check.c) the long way of the regular road (regular.c); then the general road (general.c),
// which alone reports faults.  Each way writes all of its results, so that nothing of an
// attempt that failed is left over.  The order is a matter of speed only: the property suite
// compares the ways with each other.
//
// All arrays of the workspace lie in one block that kal_motion_create carves for the largest
// problem; a solve asks for no memory.

#include "base/processor.h"
#include "linalg/kernels.h"
#include "linalg/padded.h"
#include "motion/again.h"
#include "motion/motion_impl.h"

#include <kalaba/motion.h>

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Above this the dense form is not the right tool, and sizes stay far from overflow.
enum {
    MOST = 16384,
    PURPOSE_SIZE = 80
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

// The arrays of a factorization of rows × columns entries and as many followers, columns
// that are transformed along.  Swaps of rows are carved by those who need them.
static void lay_out_qr(KalCarver *carver, KalQr *qr, size_t rows, size_t columns,
                       size_t followers)
{
    qr->W = kal_carve_doubles(carver, rows, columns + followers);
    qr->tau = kal_carve_doubles(carver, rows < columns ? rows : columns, 1);
    qr->norms = kal_carve_doubles(carver, columns, 2);
    qr->perm = kal_carve_ints(carver, columns);
}

static void lay_out_verdict(KalCarver *carver, KalMotionVerdict *v, size_t n, size_t m)
{
    v->mass = kal_carve_doubles(carver, n, n);
    v->F = kal_carve_doubles(carver, n, n);
    v->Z = kal_carve_doubles(carver, n, n);
    v->massless = kal_carve_doubles(carver, n, n);
    v->force = kal_carve_doubles(carver, n, 1);
    v->nonideal = kal_carve_doubles(carver, n, 1);
    v->perm = kal_carve_ints(carver, n);
    v->swaps = kal_carve_ints(carver, n);
    v->row_swaps = kal_carve_ints(carver, n < m ? n : m);
    lay_out_qr(carver, &v->mobility, n, n, 0);
    v->mobility.swaps = kal_carve_ints(carver, n);
}

static void lay_out_short(KalCarver *carver, KalShort *w, size_t n, size_t m)
{
    const size_t ld = (size_t)kal_padded((int)n);
    const size_t rows = (size_t)kal_padded((int)m);
    w->M = kal_carve_doubles(carver, ld, ld);
    w->L = kal_carve_doubles(carver, ld, ld);
    w->A = kal_carve_doubles(carver, ld, rows);
    w->W = kal_carve_doubles(carver, ld, rows);
    w->S = kal_carve_doubles(carver, rows, rows);
    w->inverse = kal_carve_doubles(carver, ld, 1);
    w->inverse_rows = kal_carve_doubles(carver, rows, 1);
    w->g = kal_carve_doubles(carver, ld, 2);
    w->b = kal_carve_doubles(carver, rows, 1);
    w->b_size = kal_carve_doubles(carver, rows, 1);
    w->lambda = kal_carve_doubles(carver, rows, 1);
    w->lambda_total = kal_carve_doubles(carver, rows, 1);
    w->Q = kal_carve_doubles(carver, ld, 1);
    w->force = kal_carve_doubles(carver, ld, 1);
    w->added = kal_carve_doubles(carver, ld, 1);
    w->unit = kal_carve_doubles(carver, ld, 1);
    w->length = kal_carve_doubles(carver, rows, 1);
    w->size = kal_carve_doubles(carver, ld, 1);
    w->missing = kal_carve_doubles(carver, ld, 1);
    w->missing_rows = kal_carve_doubles(carver, rows, 1);
}

// Only what the formulation asked for will use.
static void lay_out_literal(KalCarver *carver, KalMotion *s, size_t n, size_t m)
{
    const KalFormulation formulation = s->options.formulation;
    const int rows = s->n_max + s->m_max;
    KalLiteral *w = &s->literal;
    if (formulation == KAL_FORMULATION_DEFAULT
        || formulation == KAL_FORMULATION_NULLSPACE) {
        return;
    }
    for (size_t i = 0; i < sizeof w->vector / sizeof w->vector[0]; i++) {
        w->vector[i] = kal_carve_doubles(carver, n + m, 1);
    }
    if (formulation == KAL_FORMULATION_LAGRANGE) {
        lay_out_qr(carver, &w->kkt, n + m, n + m, 0);
        w->kkt.swaps = kal_carve_ints(carver, n + m);
        return;
    }
    w->A = kal_carve_doubles(carver, m, n);
    w->root = kal_carve_doubles(carver, n, n);
    w->eigen = kal_carve_doubles(carver, n, n + 1);
    w->work = kal_carve_doubles(carver, n, n);
    w->stack = kal_carve_doubles(carver, n + m, n);
    const size_t doubles = kal_pseudoinverse_doubles(s->m_max, s->n_max)
                           + kal_pseudoinverse_doubles(rows, s->n_max);
    const size_t ints = kal_pseudoinverse_ints(s->m_max, s->n_max)
                        + kal_pseudoinverse_ints(rows, s->n_max);
    w->doubles = kal_carve_doubles(carver, doubles, 1);
    w->ints = kal_carve_ints(carver, ints);
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalMotion *s = owner;
    const size_t n = (size_t)s->n_max;
    const size_t m = (size_t)s->m_max;
    s->found.qdd = kal_carve_doubles(carver, n, 1);
    s->found.ideal = kal_carve_doubles(carver, n, 1);
    s->found.nonideal = kal_carve_doubles(carver, n, 1);
    s->found.lambda = kal_carve_doubles(carver, m, 1);
    s->found.indeterminate = kal_carve_bools(carver, n);
    s->found.dependent_set = kal_carve_ints(carver, m);
    s->fault_indices = kal_carve_ints(carver, n + m);
    s->copies.shifted_b = kal_carve_doubles(carver, m, 1);
    s->copies.shifted_size = kal_carve_doubles(carver, m, 1);
    s->copies.symmetric = kal_carve_doubles(carver, n, n);
    s->metric.d = kal_carve_doubles(carver, n, 1);
    s->metric.r = kal_carve_doubles(carver, m, 1);
    s->metric.weights = kal_carve_doubles(carver, m, 1);
    s->metric.mass = kal_carve_doubles(carver, n, 1);
    s->copies.lighter_M = kal_carve_doubles(carver, n, n);
    s->L = kal_carve_doubles(carver, n, n);
    s->inverse = kal_carve_doubles(carver, n, 1);
    lay_out_qr(carver, &s->rows, n, m, 2);
    s->dependence.coefficients = kal_carve_doubles(carver, n < m ? n : m, m);
    s->dependence.mismatch = kal_carve_doubles(carver, m, 1);
    s->nonideal_q = kal_carve_doubles(carver, n, 1);
    s->lambda_total = kal_carve_doubles(carver, m, 1);
    s->missing = kal_carve_doubles(carver, m, 1);
    for (size_t i = 0; i < sizeof s->scratch / sizeof s->scratch[0]; i++) {
        s->scratch[i] = kal_carve_doubles(carver, n + m, 1);
    }
    lay_out_qr(carver, &s->dependence.least, m, m, 1);
    s->dependence.least.swaps = kal_carve_ints(carver, m);
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

// Options come from the caller of the library: a number out of range is his error.
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
    char purpose[PURPOSE_SIZE];
    KAL_NEED(ctx, ctx && out_motion);
    const KalMotionOptions chosen = options ? *options : kal_motion_options();
    KAL_TRY(check_options(ctx, &chosen));
    KAL_TRY(check_sizes(ctx, n, m));
    KalMotion *s = KAL_NEW(ctx, KalMotion);
    if (!s) {
        return kal_no_memory(ctx, "for a workspace");
    }
    s->ctx = ctx;
    s->options = chosen;
    s->n_max = n;
    s->m_max = m;
#ifdef KAL_WIDE
    s->wide = kal_has_wide();
#endif
    // Not zeroed: pages that the regular road never touches are never made.
    (void)snprintf(purpose, sizeof purpose,
                   "for a workspace of %d coordinates and %d constraints", n, m);
    const KalStatus status =
        kal_workspace_make_raw(ctx, purpose, lay_out, s, &s->workspace);
    if (status != KAL_OK) {
        kal_motion_destroy(s);
        return status;
    }
    *out_motion = s;
    return KAL_OK;
}

void kal_motion_destroy(KalMotion *motion)
{
    if (motion) {
        kal_workspace_clear(motion->ctx, &motion->workspace);
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

// Accept a problem that fits the workspace.  The default tolerance of ranks grows with the
// size of the problem, as rounding in the factorizations does (theory, section 3).
static KalStatus begin(KalMotion *s, const KalMotionProblem *problem)
{
    s->fault = (KalMotionFault){0};
    s->given = *problem;
    s->b_size = problem->b_size;
    s->metric.weak = false;
    s->factors.kept = false;
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

// Whether all positive masses are of comparable size.
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
    assert(row);
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

// The formulations of the literature have no fast way: whoever asks for one wants that one.
static bool may_be_fast(const KalMotion *s)
{
    return s->options.formulation == KAL_FORMULATION_DEFAULT && constraints_compare(s);
}

// Entries of M below this part of the metric M + AᵀWA, in its units, change no digit of an
// answer that is unique without them.
static const double NO_MATTER = 1e-19;

// Let entries of row and column j be zero in the lighter M.
static void take_out(KalMotion *s, size_t j)
{
    assert(j < (size_t)s->given.n);
    const size_t n = (size_t)s->given.n;
    for (size_t i = 0; i < n; i++) {
        s->copies.lighter_M[i * n + j] = 0.0;
        s->copies.lighter_M[j * n + i] = 0.0;
    }
}

// Whether row j of M does not matter beside the masses of the metric.
static bool is_nothing(const KalMotion *s, size_t j)
{
    assert(j < (size_t)s->given.n);
    const size_t n = (size_t)s->given.n;
    bool nothing = true;
    for (size_t i = 0; i < n; i++) {
        const double unit = sqrt(s->metric.mass[i]) * sqrt(s->metric.mass[j]);
        nothing = nothing && fabs(s->given.M[j * n + i]) < NO_MATTER * unit;
    }
    return nothing;
}

// Write M without what is nothing beside the masses that constraints tie it to; false if
// there is nothing such.  Candidates are far lighter than the heaviest; what they are tied
// to says the metric without them.
static bool lighten(KalMotion *s)
{
    const size_t n = (size_t)s->given.n;
    double heaviest = 0.0;
    bool any = false;
    memcpy(s->copies.lighter_M, s->given.M, n * n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        heaviest = fmax(heaviest, mass_of(s, j));
    }
    for (size_t j = 0; j < n; j++) {
        if (mass_of(s, j) > 0.0 && mass_of(s, j) < NO_MATTER * heaviest) {
            take_out(s, j);
            any = true;
        }
    }
    if (!any) {
        return false;
    }
    const double *given = s->given.M;
    s->given.M = s->copies.lighter_M;
    (void)kal_motion_find_weights(s); // of rows that hold nothing such they may be any
    s->given.M = given;
    for (size_t j = 0; any && j < n; j++) {
        const bool out = s->copies.lighter_M[j * (n + 1)] != given[j * (n + 1)];
        any = !out || (s->fault_indices[j] && is_nothing(s, j));
    }
    return any;
}

// Solve with the lighter M; whether constraints and it determine the acceleration.
static bool solve_lighter(KalMotion *s, KalMotionAnswer *answer)
{
    const double *given = s->given.M;
    s->given.M = s->copies.lighter_M;
    const bool solved = kal_motion_general(s, answer) == KAL_OK && answer->unique;
    s->given.M = given;
    return solved;
}

// By the general road; where masses that hardly are some keep it from an answer, or let it
// find constraints dependent, without them (theory (7.7)).
static KalStatus solve_generally(KalMotion *s, KalMotionAnswer *answer)
{
    const KalStatus status = kal_motion_general(s, answer);
    const bool refused = status == KAL_ERR_NUMBER || status == KAL_ERR_CONTRADICTION;
    const bool doubtful = refused || (status == KAL_OK && answer->rank_A < s->given.m);
    if (!doubtful || s->options.formulation != KAL_FORMULATION_DEFAULT
        || s->given.m == 0) {
        return status;
    }
    const int rank_A = refused ? -1 : answer->rank_A;
    const int rank_M = refused ? -1 : answer->rank_M;
    const bool light = lighten(s);
    if (light && solve_lighter(s, answer) && answer->rank_A > rank_A) {
        answer->rank_M = refused ? answer->rank_M : rank_M;
        return KAL_OK;
    }
    // Once more, for the answer or its reasons: the workspace that held them was used.
    return light || refused ? kal_motion_general(s, answer) : KAL_OK;
}

// A checked problem, by the long ways.
static KalStatus solve_checked(KalMotion *s, KalMotionAnswer *answer)
{
    assert(s->given.n >= 1 && s->given.n <= s->n_max);
    assert(s->given.m >= 0 && s->given.m <= s->m_max);
    if (may_be_fast(s) && kal_motion_regular(s, answer)) {
        return KAL_OK;
    }
    return solve_generally(s, answer);
}

// The short way looks at every number itself, in its residuals: no check before it.
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

// Whether the factors at hand are those of a problem.
static bool has_factors_of(const KalMotion *s, const KalMotionProblem *problem)
{
    return s->factors.kept && !problem->C && problem->n == s->given.n
           && problem->m == s->given.m && problem->M == s->given.M
           && problem->A == s->given.A;
}

KalStatus kal_motion_solve_again(KalMotion *motion, const KalMotionProblem *problem,
                                 KalMotionAnswer *out_answer)
{
    KalMotionAnswer answer;
    if (!has_factors_of(motion, problem)) {
        return kal_motion_solve(motion, problem, out_answer);
    }
    motion->given = *problem;
    motion->b_size = problem->b_size;
    if (!kal_motion_short_again(motion, &answer)) {
        return kal_motion_solve(motion, problem, out_answer);
    }
    *out_answer = answer;
    return KAL_OK;
}

// The constraints as they are seen by the change of velocity: A Δ = b − A v.
static void shift_constraints(KalMotion *s, const double *velocity)
{
    assert(s->given.b != s->copies.shifted_b); // once in a solve
    const KalMotionProblem *p = &s->given;
    for (int i = 0; i < p->m; i++) {
        double size;
        const double *row = p->A + (size_t)i * (size_t)p->n;
        const double moved = kal_dot_with_size(p->n, row, velocity, &size);
        s->copies.shifted_b[i] = p->b[i] - moved;
        const double terms = (s->b_size ? s->b_size[i] : fabs(p->b[i])) + size;
        s->copies.shifted_size[i] =
            fmin(terms, DBL_MAX); // a number, as all that are given
    }
    s->given.b = s->copies.shifted_b;
    s->b_size = s->copies.shifted_size;
}

// An impact is a solve for the change of velocity Δ, with the impulse P for the force Q
// (theory (2.8)).  The short way comes after the check here: the velocity is needed finite.
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
    kal_axpy(problem->n, 1.0, velocity, motion->found.qdd);
    *out_answer = answer;
    return KAL_OK;
}

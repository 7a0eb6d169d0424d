// SPDX-License-Identifier: MIT

// The eliminated equations against the general road: whatever the first vouch for, the
// second answers alike, with the same ranks.  Problems are of all scales, masses may be
// singular and constraints dependent, or nearly so.  KAL_PROPERTY_PROBLEMS sets how many
// there are.

#include "derive/eliminate.h"

#include "prog/program.h"
#include "rng.h"
#include "system/road.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <stdlib.h>
#include <string.h>

enum {
    MOST = 7,
    ENTRIES = 2 * MOST * MOST + 5 * MOST,
    STATES = 4 // numbers that each structure is tried with
};

static const double TOLERANCE = 1e-7;

static KalContext *ctx;
static int vouched;
static int tried;

// A problem, its numbers, and formulas that name them; what is zero by structure has none.
typedef struct Problem {
    int n;
    int m;
    bool weak; // constraints lend M their weights
    double M[MOST * MOST];
    double Q[MOST];
    double A[MOST * MOST];
    double b[MOST];
    double weights[MOST];
    bool nonideal; // C = c + d λ, with the first multiplier of the ideal part
    double c[MOST];
    double d[MOST];
    KalExpr fc[MOST];
    KalExpr fd[MOST];
    KalGraph *g;
    KalExpr fM[MOST * MOST];
    KalExpr fQ[MOST];
    KalExpr fA[MOST * MOST];
    KalExpr fb[MOST];
    KalExpr fw[MOST];
    const double *value[ENTRIES]; // of each variable
    KalExpr symbol[ENTRIES];
    uint32_t n_symbols;
} Problem;

static int problems(void)
{
    const char *text = getenv("KAL_PROPERTY_PROBLEMS");
    return text ? atoi(text) : 3000;
}

static KalExpr name(KalGraph *g, Problem *p, const double *value)
{
    p->value[p->n_symbols] = value;
    p->symbol[p->n_symbols] = kal_symbol(g, p->n_symbols);
    return p->symbol[p->n_symbols++];
}

// Which entries there are: M by blocks, A by chance.
static void random_structure(KalGraph *g, Rng *rng, Problem *p)
{
    *p = (Problem){.n = rng_int(rng, 1, MOST), .weak = rng_int(rng, 0, 2) == 0};
    p->m = rng_int(rng, 0, p->n);
    p->weak = p->weak && p->m > 0;
    const int block = rng_int(rng, 1, p->n);
    for (int i = 0; i < p->n; i++) {
        p->fQ[i] = name(g, p, &p->Q[i]);
        for (int j = 0; j <= i; j++) {
            if (i / block == j / block) {
                p->fM[i * p->n + j] = name(g, p, &p->M[i * p->n + j]);
            }
        }
    }
    for (int r = 0; r < p->m; r++) {
        p->fb[r] = name(g, p, &p->b[r]);
        for (int j = 0; j < p->n; j++) {
            if (rng_int(rng, 0, 2) > 0 || j == r) {
                p->fA[r * p->n + j] = name(g, p, &p->A[r * p->n + j]);
            }
        }
    }
    for (int r = 0; r < p->m && p->weak; r++) {
        p->fw[r] = name(g, p, &p->weights[r]);
    }
    p->g = g;
    p->nonideal = rng_int(rng, 0, 2) == 0;
    for (int i = 0; i < p->n && p->nonideal; i++) {
        p->fc[i] = name(g, p, &p->c[i]);
        p->fd[i] = name(g, p, &p->d[i]);
    }
}

// M = F Fᵀ within its blocks, with `rank` columns of F each.
static void fill_masses(Rng *rng, Problem *p, const double *unit)
{
    const int missing = p->weak || rng_int(rng, 0, 9) == 0 ? rng_int(rng, 0, 1) : 0;
    double F[MOST][MOST];
    for (int i = 0; i < p->n; i++) {
        for (int k = 0; k < p->n; k++) {
            F[i][k] = (k == i ? 2.0 : 0.3) * rng_entry(rng);
        }
        F[i][0] *= missing ? 0.0 : 1.0;
    }
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < p->n; k++) {
                sum += F[i][k] * F[j][k];
            }
            const bool there = p->fM[i * p->n + j].index != 0;
            p->M[i * p->n + j] = there ? sum * unit[i] * unit[j] : 0.0;
            p->M[j * p->n + i] = p->M[i * p->n + j];
        }
    }
}

// Now and then a row is nearly, or exactly, a multiple of the one before.
static void fill_rows(Rng *rng, Problem *p, const double *unit)
{
    for (int r = 0; r < p->m; r++) {
        const double scale = rng_int(rng, 0, 3) == 0 ? rng_scale(rng, 6.0) : 1.0;
        const bool near = r > 0 && rng_int(rng, 0, 5) == 0;
        const double apart =
            rng_int(rng, 0, 2) == 0 ? 0.0 : pow(10.0, -rng_int(rng, 1, 12));
        for (int j = 0; j < p->n; j++) {
            double a = rng_entry(rng) * unit[j];
            if (near) {
                a = p->A[(r - 1) * p->n + j] + apart * a;
            }
            p->A[r * p->n + j] = p->fA[r * p->n + j].index != 0 ? scale * a : 0.0;
        }
        p->b[r] = rng_int(rng, 0, 3) > 0 ? scale * rng_entry(rng) : 0.0;
    }
}

static void random_numbers(Rng *rng, Problem *p)
{
    double unit[MOST];
    const bool scaled = rng_int(rng, 0, 2) == 0;
    for (int i = 0; i < p->n; i++) {
        unit[i] = scaled ? rng_scale(rng, 5.0) : 1.0;
    }
    fill_masses(rng, p, unit);
    fill_rows(rng, p, unit);
    for (int i = 0; i < p->n; i++) {
        p->Q[i] = rng_int(rng, 0, 3) > 0 ? unit[i] * rng_entry(rng) : 0.0;
        p->c[i] = rng_int(rng, 0, 1) ? unit[i] * rng_entry(rng) : 0.0;
        p->d[i] = 0.3 * unit[i] * rng_entry(rng);
    }
    for (int r = 0; r < p->m; r++) {
        p->weights[r] = ldexp(1.0, rng_int(rng, -4, 4));
    }
    if (rng_int(rng, 0, 99) == 0) { // numbers that are none
        p->Q[rng_int(rng, 0, p->n - 1)] = rng_int(rng, 0, 1) ? NAN : INFINITY;
    }
}

static double size_of(const Problem *p, const double *q)
{
    double size = 0.0;
    for (int i = 0; i < p->n; i++) {
        size = fmax(size, fabs(q[i]) * sqrt(p->M[i * (p->n + 1)]));
    }
    return size;
}

// A force of the answer, in the units of accelerations.
static void compare_forces(const Problem *p, const double *got, const double *want,
                           double scale)
{
    for (int i = 0; i < p->n; i++) {
        const double unit = sqrt(p->M[i * (p->n + 1)]);
        ok(fabs(got[i] - want[i]) <= TOLERANCE * tap_scale() * unit * scale + 1e-12);
    }
}

// The general road: first without C, which depends on what that finds.
static KalStatus solve(KalMotion *motion, const Problem *p, KalMotionAnswer *answer)
{
    static double C[MOST];
    KalMotionProblem given = {
        .n = p->n, .m = p->m, .M = p->M, .Q = p->Q, .A = p->A, .b = p->b};
    KalStatus status = kal_motion_solve(motion, &given, answer);
    if (status != KAL_OK || !p->nonideal) {
        return status;
    }
    for (int i = 0; i < p->n; i++) {
        C[i] = p->c[i] + (p->m > 0 ? p->d[i] * answer->multipliers[0] : 0.0);
    }
    given.C = C;
    return kal_motion_solve(motion, &given, answer);
}

// What rounds in accelerations, in their units, however small they are: where constraints leave
// nothing free, C is cancelled altogether, and with short rows it is large.
static double rounding_of(const Problem *p, const KalEliminated *at,
                          const double *results)
{
    double most = 1.0;
    for (int i = 0; i < p->n && p->nonideal; i++) {
        const double unit = sqrt(p->M[i * (p->n + 1)]);
        const double multiplier = p->m > 0 ? results[at->multipliers] : 0.0;
        const double size = fabs(p->c[i]) + fabs(p->d[i] * multiplier);
        most = unit > 0.0 ? fmax(most, size / unit) : most;
    }
    return 1e-12 * most;
}

// The general road has the same to say.
static void compare(KalMotion *motion, const Problem *p, const KalEliminated *at,
                    const double *results)
{
    KalMotionAnswer answer;
    const KalStatus status = solve(motion, p, &answer);
    if (!ok(status == KAL_OK)) {
        printf("# %s\n", kal_context_message(ctx));
        return;
    }
    double difference[MOST];
    double ideal[MOST];
    double most = 0.0;
    for (int i = 0; i < p->n; i++) {
        const double unit = sqrt(p->M[i * (p->n + 1)]);
        difference[i] = results[at->qdd + (size_t)i] - answer.qdd[i];
        ideal[i] = results[at->force + (size_t)i];
        most = fmax(most, fmax(fabs(answer.force_ideal[i]), fabs(p->Q[i])) / unit);
        most = fmax(most, p->nonideal ? fabs(answer.force_nonideal[i]) / unit : 0.0);
    }
    ok(answer.unique && answer.rank_A == p->m);
    ok(size_of(p, difference) <= TOLERANCE * tap_scale() * size_of(p, answer.qdd)
                                     + rounding_of(p, at, results));
    if (p->nonideal && !p->weak) {
        compare_forces(p, ideal, answer.force_ideal, most);
        compare_forces(p, results + at->nonideal, answer.force_nonideal, most);
    }
}

// C of the problem, as formulas.
static KalStatus find_C(void *user, const KalExpr *multipliers, KalExpr *out_C)
{
    const Problem *p = (const Problem *)user;
    for (int i = 0; i < p->n; i++) {
        out_C[i] = p->fc[i];
        if (p->m > 0 && multipliers[0].index != 0) {
            out_C[i] = kal_add(p->g, p->fc[i], kal_mul(p->g, p->fd[i], multipliers[0]));
        }
    }
    return KAL_OK;
}

static KalProgram *compile(KalGraph *g, Problem *p, KalExpr *answer,
                           const KalEliminated *at)
{
    const KalEliminand given = {.n = (size_t)p->n,
                                .m = (size_t)p->m,
                                .M = p->fM,
                                .Q = p->fQ,
                                .A = p->fA,
                                .b = p->fb,
                                .weights = p->weak ? p->fw : NULL,
                                .tolerance = 1e-13,
                                .floor = 0x1p-4,
                                .find_C = p->nonideal ? find_C : NULL,
                                .user = p};
    const KalProgramSpec spec = {.outputs = answer,
                                 .n_outputs = at->count,
                                 .variables = p->symbol,
                                 .n_variables = p->n_symbols};
    KalProgram *program = NULL;
    ok(kal_eliminate(g, &given, answer) == KAL_OK);
    ok(kal_program_create(g, &spec, &program) == KAL_OK);
    return program;
}

static void try_structure(Rng *rng, KalMotion *motion)
{
    static Problem p;
    KalExpr answer[4 * MOST + 6];
    double results[4 * MOST + 6];
    double variables[ENTRIES];
    KalGraph *g = NULL;
    ok(kal_graph_create(ctx, &g) == KAL_OK);
    kal_graph_set_plain(g, true);
    random_structure(g, rng, &p);
    const KalEliminated at =
        kal_eliminated_layout((size_t)p.n, (size_t)p.m, p.nonideal);
    KalProgram *program = compile(g, &p, answer, &at);
    double *work = calloc(kal_program_work(program), sizeof *work);
    kal_program_prepare(program, NULL, work);
    for (int k = 0; k < STATES; k++) {
        random_numbers(rng, &p);
        for (uint32_t i = 0; i < p.n_symbols; i++) {
            variables[i] = *p.value[i];
        }
        kal_program_eval(program, variables, work, results);
        tried++;
        if (kal_eliminated_is_sound(&at, results)) {
            vouched++;
            compare(motion, &p, &at, results);
        }
    }
    free(work);
    kal_program_destroy(program);
    kal_graph_destroy(g);
}

static void what_is_vouched_for_is_so(void)
{
    KalMotionOptions options = kal_motion_options();
    KalMotion *motion = NULL;
    options.formulation = KAL_FORMULATION_NULLSPACE; // by the general road
    ok(kal_context_create(NULL, NULL, &ctx) == KAL_OK);
    ok(kal_motion_create(ctx, &options, MOST, MOST, &motion) == KAL_OK);
    for (int k = 0; k < problems(); k++) {
        Rng rng = {.state = (uint64_t)k};
        const int failures = tap_failures;
        try_structure(&rng, motion);
        if (tap_failures > failures && tap_failures < 20) {
            printf("# structure %d\n", k);
        }
    }
    ok(vouched > tried / 4); // enough are to mean something
    ok(vouched < tried);
    kal_motion_destroy(motion);
    kal_context_destroy(ctx);
}

TAP_RUN(TAP_CASE(what_is_vouched_for_is_so))

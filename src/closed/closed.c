// SPDX-License-Identifier: MIT

// Closed forms of accelerations, forces and multipliers, if they are not too large.
//
// The equations of motion are read as fractions of polynomials in symbols and functions of
// them (algebra/field.h), solved by minors (solver.c), shortened by use of the constraints
// (constrain.c), tried against numbers (check.c) and written.  Whatever does not fit into the
// limits is no failure: the verdict says so, and the equations are shown as they are.

#include "closed/closed.h"

#include "closed/minors.h"
#include "closed/solver_impl.h"
#include "expr/copy.h"
#include "expr/substitute.h"

#include <assert.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to solve formulas";

enum {
    ROWS_MAX = 24,               // constraints
    WORK_MAX = 40 * 1000 * 1000, // in terms touched
    LONG_FORCE = 200,            // characters of a force that is told by multipliers
    SHORT_DENOMINATOR = 5,       // characters of a denominator that gets a name
    LONG_DENOMINATOR = 60,       // of one that gets a name though it occurs only once
    DENOMINATORS_MAX = 8         // different ones that may get names
};

static void solver_clear(KalSolver *s)
{
    kal_field_destroy(s->field);
    kal_free(s->ctx, s->fractions, s->n_fractions * sizeof *s->fractions);
    kal_free(s->ctx, s->solved, s->solved_capacity * sizeof *s->solved);
    kal_free(s->ctx, s->rows, s->m * sizeof *s->rows);
    kal_samples_clear(&s->samples);
}

// One block for all fractions, cut in the order of the members.
static KalStatus solver_init(KalSolver *s, KalSheet *sheet)
{
    assert(sheet->eq);
    const KalEquations *eq = sheet->eq;
    *s = (KalSolver){.ctx = sheet->ctx, .sheet = sheet, .eq = eq};
    s->samples.ctx = s->ctx;
    s->settled = true;
    s->n = eq->n;
    s->m = eq->m;
    KAL_TRY(kal_samples_init(eq, &s->samples));
    if (s->m > 0) {
        s->rows = (size_t *)kal_alloc(s->ctx, s->m, sizeof *s->rows);
        KAL_TRY(s->rows ? KAL_OK : kal_no_memory(s->ctx, PURPOSE));
        KAL_TRY(kal_samples_rank(eq, &s->samples, 0, &s->rank, s->rows, &s->settled));
    }
    s->n_fractions = s->n * s->n + s->m * s->n + 4 * s->n + 2 * s->m;
    s->fractions =
        (KalFraction *)kal_alloc(s->ctx, s->n_fractions, sizeof *s->fractions);
    s->solved_capacity = 3 * s->n + s->m;
    s->solved = (KalSolved *)kal_alloc(s->ctx, s->solved_capacity, sizeof *s->solved);
    KAL_TRY(s->fractions && s->solved ? KAL_OK : kal_no_memory(s->ctx, PURPOSE));
    s->M = s->fractions;
    s->A = s->M + s->n * s->n;
    s->Q = s->A + s->m * s->n;
    s->Cs = s->Q + s->n;
    s->z = s->Cs + s->n;
    s->c = s->z + s->n;
    s->b = s->c + s->n;
    s->l = s->b + s->m;
    assert(s->l + s->m == s->fractions + s->n_fractions);
    return KAL_OK;
}

// φ, φ' and ψ in the sheet's graph, 2 m of them.
static KalStatus copy_residuals(const KalSolver *s, KalExpr *out)
{
    assert(out || s->m == 0);
    const KalEquations *eq = s->eq;
    for (size_t i = 0; i < 2 * s->m; i++) {
        const KalExpr e = i < s->m ? eq->phi[i] : eq->psi[i - s->m];
        out[i] = KAL_NO_EXPR;
        KAL_TRY(kal_copy(eq->model->graph, &e, e.index != 0, s->sheet->g, &out[i]));
    }
    return KAL_OK;
}

// The field of all formulas: those of the sheet, C without reactions, residuals.
static KalStatus make_field(KalSolver *s, const KalExpr *residuals)
{
    assert(!s->field);
    const KalSheet *sheet = s->sheet;
    const size_t n_inputs = s->eq->model->n_actuators;
    const size_t most = sheet->n_all + s->n + 2 * s->m + n_inputs;
    size_t n = 0;
    KalExpr *e = (KalExpr *)kal_alloc(s->ctx, most, sizeof *e);
    KAL_TRY(e ? KAL_OK : kal_no_memory(s->ctx, PURPOSE));
    for (const KalExpr *from = sheet->M; from < sheet->C; from++) {
        e[n++] = *from;
    }
    for (const KalExpr *from = sheet->B; from < sheet->servo_A; from++) {
        e[n++] = *from;
    }
    for (size_t i = 0; i < n_inputs; i++) {
        e[n++] = kal_solver_input(s, i);
    }
    for (size_t i = 0; i < s->n && s->C; i++) {
        e[n++] = s->C[i];
    }
    for (size_t i = 0; i < 2 * s->m; i++) {
        if (residuals[i].index != 0) {
            e[n++] = residuals[i];
        }
    }
    assert(n <= most);
    const KalFieldOptions options = {.print = kal_sheet_options(sheet, KAL_FORMAT_TEXT),
                                     .tangents = true,
                                     .work = WORK_MAX};
    const KalStatus status = kal_field_create(sheet->g, e, n, &options, &s->field);
    kal_free(s->ctx, e, most * sizeof *e);
    if (status == KAL_OK) {
        s->ring = kal_field_ring(s->field);
    }
    return status;
}

static KalStatus solve_with(KalSolver *s, const KalExpr *residuals,
                            KalClosedVerdict *out_verdict)
{
    assert(s->n + s->rank <= KAL_UNKNOWNS);
    bool holds = true;
    KAL_TRY(make_field(s, residuals));
    KAL_TRY(kal_solver_run(s, out_verdict));
    if (*out_verdict != KAL_CLOSED_DONE) {
        return KAL_OK;
    }
    KAL_TRY(kal_solver_use_constraints(s, residuals, 2 * s->m));
    KAL_TRY(kal_solver_check(s, &holds));
    *out_verdict = holds ? KAL_CLOSED_DONE : KAL_CLOSED_UNCHECKED;
    return KAL_OK;
}

static KalStatus solve(KalSolver *s, KalClosedVerdict *out_verdict)
{
    assert(s->m <= ROWS_MAX);
    KalExpr residuals[2 * ROWS_MAX];
    KAL_TRY(copy_residuals(s, residuals));
    const KalStatus status = solve_with(s, residuals, out_verdict);
    if (status == KAL_ERR_LIMIT || status == KAL_ERR_NUMBER) {
        *out_verdict = KAL_CLOSED_TOO_LARGE;
        return kal_graph_status(s->sheet->g);
    }
    return status;
}

// Roots get names: r for what would be r³ or stand in many places.
static void name_roots(const KalSolver *s)
{
    for (int v = 0; v < kal_field_atoms(s->field); v++) {
        const KalExpr root = kal_field_atom(s->field, v);
        const KalOp op = (KalOp)kal_graph_node(s->sheet->g, root).op;
        int uses = 0;
        for (size_t i = 0; i < s->n_solved; i++) {
            const KalSolved *r = &s->solved[i];
            const int32_t above = kal_poly_degree(s->ring, r->value.above, v);
            const int32_t below = kal_poly_degree(s->ring, r->value.below, v);
            uses += (above > 0 ? above : 0) + (below > 0 ? below : 0);
        }
        if (uses > 1 && (op == KAL_OP_SQRT || op == KAL_OP_HYPOT)) {
            const KalExpr symbol = kal_sheet_name(s->sheet, "r", root);
            kal_field_rename(s->field, v, symbol.index != 0 ? symbol : root);
        }
    }
}

// A factor of denominators that is a sum.
typedef struct Denominator {
    KalPoly p;
    int uses;
} Denominator;

// Count each sum that is a factor of a denominator.
static void count_denominators(const KalSolver *s, KalFraction a, Denominator *list,
                               int *n)
{
    assert(*n >= 0 && *n <= DENOMINATORS_MAX);
    const KalPolyFactors f = kal_poly_factor(s->ring, a.below);
    for (int i = 0; i < f.n; i++) {
        int at = 0;
        if (kal_poly_terms(s->ring, f.factor[i]) < 2) {
            continue;
        }
        while (at < *n && !kal_poly_same(s->ring, list[at].p, f.factor[i])) {
            at++;
        }
        if (at == *n && at < DENOMINATORS_MAX) {
            list[(*n)++] = (Denominator){f.factor[i], 0};
        }
        if (at < *n) {
            list[at].uses++;
        }
    }
}

// Name a denominator that several results have, unless it is short, or one has, if it is
// long.
static KalStatus name_denominator(KalSolver *s, const Denominator *d)
{
    assert(d->uses > 0);
    KalExpr value = KAL_NO_EXPR;
    const KalPoly p = d->p;
    const KalFraction whole = {p, kal_poly_int(s->ring, 1)};
    const size_t length = kal_field_length(s->field, whole);
    if (length == SIZE_MAX
        || length < (d->uses > 1 ? SHORT_DENOMINATOR : LONG_DENOMINATOR)) {
        return KAL_OK;
    }
    KAL_TRY(kal_field_write(s->field, kal_field_shorten(s->field, whole), &value));
    const KalExpr symbol = kal_sheet_name(s->sheet, "D", value);
    (void)(symbol.index != 0 && kal_field_name_factor(s->field, p, symbol));
    return kal_ring_status(s->ring);
}

static KalStatus name_denominators(KalSolver *s)
{
    Denominator list[DENOMINATORS_MAX];
    int n = 0;
    for (size_t i = 0; i < s->n_solved; i++) {
        count_denominators(s, s->solved[i].value, list, &n);
    }
    for (int i = 0; i < n; i++) {
        KAL_TRY(name_denominator(s, &list[i]));
    }
    return KAL_OK;
}

static KalStatus write_result(const KalSolver *s, const KalSolved *from, KalResult *to)
{
    *to = (KalResult){.kind = from->kind, .index = from->index};
    KAL_TRY(kal_field_write(s->field, from->value, &to->value));
    return from->has_on ? kal_field_write(s->field, from->on, &to->on) : KAL_OK;
}

static KalStatus write_kind(const KalSolver *s, KalResultKind kind, KalResult *results,
                            size_t *n)
{
    assert(*n <= s->n_solved);
    for (size_t i = 0; i < s->n_solved; i++) {
        const KalSolved *solved = &s->solved[i];
        KAL_TRY(solved->kind == kind ? write_result(s, solved, &results[(*n)++])
                                     : KAL_OK);
    }
    return KAL_OK;
}

static KalStatus write_results(const KalSolver *s, KalClosed *closed)
{
    closed->results =
        (KalResult *)kal_alloc(s->ctx, s->n_solved, sizeof *closed->results);
    KAL_TRY(closed->results ? KAL_OK : kal_no_memory(s->ctx, PURPOSE));
    closed->n_results = s->n_solved;
    size_t n = 0;
    for (int kind = 0; kind <= KAL_RESULT_NONIDEAL; kind++) {
        KAL_TRY(write_kind(s, (KalResultKind)kind, closed->results, &n));
    }
    assert(n == s->n_solved);
    closed->dependent = s->rank < s->m;
    closed->has_reactions = s->has_reactions;
    return KAL_OK;
}

// Row j of Aᵀλ with the multipliers as symbols.
static KalExpr force_by_reactions(const KalSolver *s, size_t j)
{
    assert(j < s->n);
    KalGraph *g = s->sheet->g;
    const KalModel *model = s->eq->model;
    KalExpr sum = kal_int(g, 0);
    for (size_t i = 0; i < s->m; i++) {
        const KalExpr entry = kal_sheet_entry(&s->eq->A, s->sheet->A, i, j);
        if (entry.index != 0) {
            const KalExpr reaction = model->constraints[i].reaction;
            const uint32_t id = kal_graph_node(model->graph, reaction).arg[0].index;
            sum = kal_add(g, sum, kal_mul(g, entry, kal_symbol(g, id)));
        }
    }
    return sum;
}

// Forces that are long are better told by the multipliers.
static KalStatus refer_to_reactions(const KalSolver *s, KalClosed *closed)
{
    for (size_t i = 0; i < closed->n_results && s->has_reactions; i++) {
        KalResult *r = &closed->results[i];
        size_t length = 0;
        KAL_TRY(kal_sheet_length(s->sheet, r->value, &length));
        if (r->kind == KAL_RESULT_FORCE && length > LONG_FORCE) {
            r->value = force_by_reactions(s, r->index);
            r->on = KAL_NO_EXPR;
        }
    }
    return kal_graph_status(s->sheet->g);
}

// Roots are named before denominators, which may have some in them.
static KalStatus finish(KalSolver *s, bool named, KalClosed *closed)
{
    if (named) {
        name_roots(s);
        KAL_TRY(name_denominators(s));
    }
    KAL_TRY(write_results(s, closed));
    return named ? refer_to_reactions(s, closed) : KAL_OK;
}

// Replace reactions in C by their formulas, the results of a first pass.
static KalStatus replace_reactions(const KalSolver *s, KalExpr *C)
{
    assert(s->m <= ROWS_MAX);
    KalExpr from[ROWS_MAX];
    KalExpr to[ROWS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < s->m && s->has_reactions; i++) {
        const KalConstraint *c = &s->eq->model->constraints[i];
        KAL_TRY(kal_field_write(s->field, s->l[i], &to[n]));
        KAL_TRY(kal_copy(s->eq->model->graph, &c->reaction, 1, s->sheet->g, &from[n]));
        n++;
    }
    const KalReplacements all = {from, to, n};
    return kal_substitute(s->sheet->g, C, s->n, &all, C);
}

// A model with branches, such as |x|, has no one closed form; one with too many unknowns
// no short one.
static KalStatus try_solve(KalSolver *s, KalClosedVerdict *out_verdict)
{
    assert(s->sheet);
    if (!s->settled) {
        *out_verdict = KAL_CLOSED_BRANCHES;
    } else if (s->n + s->rank > KAL_UNKNOWNS) {
        *out_verdict = KAL_CLOSED_TOO_LARGE;
    } else {
        return solve(s, out_verdict);
    }
    return KAL_OK;
}

static KalStatus run(KalSheet *sheet, const KalExpr *C, bool named, KalClosed *closed)
{
    assert(closed->n_results == 0);
    KalSolver s;
    KalStatus status = solver_init(&s, sheet);
    s.C = C;
    if (status == KAL_OK) {
        status = try_solve(&s, &closed->verdict);
    }
    if (status == KAL_OK && closed->verdict == KAL_CLOSED_DONE) {
        status = finish(&s, named, closed);
    }
    solver_clear(&s);
    return status;
}

// The same with reactions in C: they come first, from the system without C.
static KalStatus run_with_reactions(KalSheet *sheet, bool named, KalClosed *closed)
{
    assert(sheet->eq->n <= KAL_UNKNOWNS);
    KalSolver s;
    KalExpr C[KAL_UNKNOWNS];
    memcpy(C, sheet->C, sheet->eq->n * sizeof *C);
    KalStatus status = solver_init(&s, sheet);
    if (status == KAL_OK) {
        status = try_solve(&s, &closed->verdict);
    }
    if (status == KAL_OK && closed->verdict == KAL_CLOSED_DONE) {
        status = replace_reactions(&s, C);
    }
    solver_clear(&s);
    KAL_TRY(status);
    return closed->verdict == KAL_CLOSED_DONE ? run(sheet, C, named, closed) : KAL_OK;
}

// What is known before anything is tried: the closed form is of constraints that act all
// together, and of forces that the model gives.
static KalClosedVerdict judge_model(const KalSheet *sheet)
{
    const KalEquations *eq = sheet->eq;
    if (eq->n_servos > 0) {
        return KAL_CLOSED_SERVOS;
    }
    if (eq->model->n_contacts > 0) {
        return KAL_CLOSED_CONTACTS;
    }
    if (eq->n_waiting > 0) {
        return KAL_CLOSED_WAITING;
    }
    const bool small =
        !sheet->large && eq->n <= KAL_UNKNOWNS && eq->m <= ROWS_MAX && eq->n > 0;
    return small ? KAL_CLOSED_DONE : KAL_CLOSED_TOO_LARGE;
}

KalStatus kal_closed_solve(KalSheet *sheet, bool named, KalClosed *out_closed)
{
    assert(sheet && out_closed);
    const KalEquations *eq = sheet->eq;
    KalClosed closed = {.ctx = sheet->ctx, .verdict = judge_model(sheet)};
    KalStatus status = KAL_OK;
    if (closed.verdict == KAL_CLOSED_DONE) {
        status = eq->has_reactions
                     ? run_with_reactions(sheet, named, &closed)
                     : run(sheet, eq->has_C ? sheet->C : NULL, named, &closed);
    }
    if (status == KAL_ERR_LIMIT) { // a result is too long to write
        closed.verdict = KAL_CLOSED_TOO_LARGE;
        status = kal_graph_status(sheet->g);
    }
    if (status != KAL_OK) {
        kal_closed_clear(&closed);
        return status;
    }
    *out_closed = closed;
    return KAL_OK;
}

void kal_closed_clear(KalClosed *closed)
{
    kal_free(closed->ctx, closed->results, closed->n_results * sizeof *closed->results);
}

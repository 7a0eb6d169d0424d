// SPDX-License-Identifier: MIT

// Kinds of constraints, in three passes: what shows in a constraint alone (its level,
// whether it is linear in the velocities); the forms of all that have one, judged together
// by the theorem of Frobenius (frobenius.c, theory (10.8) to (10.12)); the rank of what acts
// as constraints on positions, found by residues (theory (10.10)).
//
// A verdict never claims more than is proven: what stays open is counted as undecided, with
// the reason why.

#include "derive/classify.h"

#include "derive/entries.h"
#include "derive/frobenius.h"
#include "derive/trace.h"

#include <assert.h>

// What memory is for.
static const char PURPOSE[] = "to classify constraints";

enum {
    ARENA_BYTES = 1 << 30
};

// A classification on its way.
typedef struct Classifier {
    const KalEquations *eq;
    const KalModel *model;
    KalGraph *g;
    KalContext *ctx;
    KalArena *arena; // for scratch
    KalClassification *made;
    KalPfaffian forms;
    KalFrobenius verdicts; // on the forms
    bool rank_open;        // the rank may be more in places
    bool waiting; // constraints that do not act at the start are looked at, too
} Classifier;

const char *kal_level_word(KalConstraintLevel level)
{
    switch (level) {
    case KAL_LEVEL_POSITION: return "position";
    case KAL_LEVEL_VELOCITY: return "velocity";
    case KAL_LEVEL_ACCELERATION: return "acceleration";
    }
    return "";
}

const char *kal_constraint_kind_word(KalConstraintKind kind)
{
    switch (kind) {
    case KAL_CONSTRAINT_HOLONOMIC: return "holonomic";
    case KAL_CONSTRAINT_INTEGRABLE: return "integrable";
    case KAL_CONSTRAINT_NONHOLONOMIC: return "nonholonomic";
    case KAL_CONSTRAINT_ACCELERATION: return "acceleration";
    case KAL_CONSTRAINT_CONTACT: return "contact";
    case KAL_CONSTRAINT_FRICTION: return "friction";
    }
    return "";
}

// A residual without its linear terms.
static KalExpr rest_of(const Classifier *c, size_t i, const KalExpr *v,
                       const KalSparse *J)
{
    assert(J->rows == 1 && i < c->eq->m);
    KalExpr rest = c->model->constraints[i].residual;
    for (int64_t k = 0; k < J->start[1]; k++) {
        rest = kal_sub(c->g, rest, kal_mul(c->g, J->value[k], v[J->column[k]]));
    }
    return rest;
}

// Whether a residual is linear in the velocities: its slopes are free of them, and so is
// what they leave, for slopes do not show steps.
static KalStatus find_linear(const Classifier *c, size_t i, KalConstraintClass *found)
{
    KalTrace on = {.found = false};
    KalSparse J = {0};
    KAL_TRY(kal_trace_is_linear(c->model, KAL_SYMBOL_VELOCITY,
                                c->model->constraints[i].residual,
                                &found->linear_in_velocity));
    if (found->linear_in_velocity) {
        return KAL_OK;
    }
    KalExpr *v = kal_arena_alloc(c->arena, c->eq->n, sizeof *v);
    if (!v) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    for (size_t j = 0; j < c->eq->n; j++) {
        v[j] = c->model->coordinates[j].v;
    }
    KAL_TRY(kal_jacobian(c->g, &c->model->constraints[i].residual, 1, v, c->eq->n, &J));
    KalStatus status =
        kal_trace_find(c->model, KAL_SYMBOL_VELOCITY, J.value, (size_t)J.start[1], &on);
    if (status == KAL_OK && !on.found) {
        KalExpr rest = rest_of(c, i, v, &J);
        status = kal_trace_find(c->model, KAL_SYMBOL_VELOCITY, &rest, 1, &on);
    }
    kal_sparse_clear(&J);
    found->linear_in_velocity = !on.found;
    found->decision = on.open ? KAL_DECISION_NONE : found->decision;
    return status;
}

static KalConstraintKind kind_of(const KalConstraint *constraint)
{
    if (constraint->role != KAL_ROLE_USUAL) {
        return constraint->role == KAL_ROLE_GAP ? KAL_CONSTRAINT_CONTACT
                                                : KAL_CONSTRAINT_FRICTION;
    }
    return constraint->level == KAL_LEVEL_POSITION   ? KAL_CONSTRAINT_HOLONOMIC
           : constraint->level == KAL_LEVEL_VELOCITY ? KAL_CONSTRAINT_NONHOLONOMIC
                                                     : KAL_CONSTRAINT_ACCELERATION;
}

// What shows without looking at other constraints.
static KalStatus classify_one(const Classifier *c, size_t i)
{
    const KalConstraint *constraint = &c->model->constraints[i];
    KalConstraintClass *found = &c->made->classes[i];
    assert(i < c->eq->m);
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(c->model, constraint->residual, &kinds));
    *found = (KalConstraintClass){
        .level = constraint->level,
        .kind = kind_of(constraint),
        .decision = KAL_DECISION_FORM,
        .linear_in_velocity = true,
        .time_dependent = (kinds & (UINT64_C(1) << KAL_SYMBOL_TIME)) != 0,
    };
    if (constraint->level != KAL_LEVEL_POSITION) {
        KAL_TRY(find_linear(c, i, found));
    }
    return KAL_OK;
}

// Constraints, each on its own: all of them, or those that act at the start.
static KalStatus classify_each(const Classifier *c, bool all)
{
    for (size_t i = 0; i < c->eq->m; i++) {
        KAL_TRY(all || c->eq->acts[i] ? classify_one(c, i) : KAL_OK);
    }
    return KAL_OK;
}

// Whether a constraint is to be looked at.  The equation of a state is none: i' = x' leaves
// i to its start value, and an analysis may ask for any.  Rows of contacts come and go.
static bool takes_part(const Classifier *c, size_t i)
{
    assert(i < c->eq->m);
    const KalConstraint *constraint = &c->model->constraints[i];
    return constraint->state == 0 && constraint->role == KAL_ROLE_USUAL
           && (c->waiting || c->eq->acts[i]);
}

// Forms of all constraints that have one; velocities in a way that is not linear, and
// accelerations, do not.
static KalStatus find_forms(Classifier *c)
{
    bool *use = kal_arena_alloc(c->arena, c->eq->m, sizeof *use);
    if (!use) {
        return kal_no_memory(c->ctx, PURPOSE);
    }
    for (size_t i = 0; i < c->eq->m; i++) {
        const KalConstraintClass *of = &c->made->classes[i];
        use[i] = of->level != KAL_LEVEL_ACCELERATION && of->linear_in_velocity
                 && takes_part(c, i);
    }
    KAL_TRY(kal_pfaffian_init(c->eq, c->arena, use, &c->forms));
    for (size_t i = 0; i < c->eq->m; i++) {
        KalConstraintClass *of = &c->made->classes[i];
        if (of->level == KAL_LEVEL_VELOCITY && of->linear_in_velocity && !use[i]
            && takes_part(c, i)) {
            of->decision = KAL_DECISION_NONE; // it has no value at rest
        }
    }
    return KAL_OK;
}

// An integrable form that has a part in dt moves.
static KalStatus find_moving(const Classifier *c, size_t form, bool *out_moves)
{
    assert(form < c->forms.count);
    const int64_t last = c->forms.W.start[form + 1] - 1;
    KalVerdict verdict = {.zero = true};
    if (last >= c->forms.W.start[form] && c->forms.W.column[last] == (int64_t)c->eq->n
        && c->forms.value[last].index != 0) {
        KAL_TRY(kal_identities(c->g, &c->forms.value[last], 1, &verdict));
    }
    *out_moves = !verdict.zero;
    return KAL_OK;
}

// What Frobenius says of constraints on velocities.  An integrable one is a constraint on
// positions in disguise, and moves if its form has a part in dt.
static KalStatus take_verdicts(const Classifier *c)
{
    for (size_t form = 0; form < c->forms.count; form++) {
        KalConstraintClass *of = &c->made->classes[c->forms.constraint[form]];
        assert(c->forms.constraint[form] < c->eq->m && c->verdicts.decision);
        if (of->level != KAL_LEVEL_VELOCITY) {
            continue;
        }
        bool moves = false;
        KAL_TRY(find_moving(c, form, &moves));
        of->decision = c->verdicts.decision[form];
        if (c->verdicts.integrable[form]) {
            of->kind = KAL_CONSTRAINT_INTEGRABLE;
            of->time_dependent = of->time_dependent || moves;
        }
    }
    return KAL_OK;
}

// The part of a form in the coordinates, as typed or with parameters replaced.
static KalStatus add_form(const Classifier *c, bool typed, size_t form, size_t row,
                          KalEntries *entries)
{
    assert(form < c->forms.count);
    const KalSparse *W = &c->forms.W;
    KalStatus status = KAL_OK;
    for (int64_t k = W->start[form]; k < W->start[form + 1] && status == KAL_OK; k++) {
        const KalExpr value = typed ? W->value[k] : c->forms.value[k];
        if (W->column[k] < (int64_t)c->eq->n && value.index != 0) {
            status = kal_entries_add(c->g, entries, row, (size_t)W->column[k], value);
        }
    }
    return status;
}

// A combination of forms that is integrable though none of its forms is.
static KalStatus add_extra(const Classifier *c, size_t i, size_t row,
                           KalEntries *entries)
{
    assert(i < c->verdicts.n_extras);
    const KalExpr *extra = c->verdicts.extras[i];
    KalStatus status = KAL_OK;
    for (size_t j = 0; j < c->eq->n && status == KAL_OK; j++) {
        if (extra[j].index != 0) {
            status = kal_entries_add(c->g, entries, row, j, extra[j]);
        }
    }
    return status;
}

// Rows for constraints on positions and integrable ones, then for combinations of others
// that are integrable.
static KalStatus add_integrals(const Classifier *c, bool typed, KalEntries *entries,
                               size_t *out_rows)
{
    KalStatus status = KAL_OK;
    size_t rows = 0;
    for (size_t form = 0; form < c->forms.count && status == KAL_OK; form++) {
        if (c->verdicts.integrable[form]) {
            status = add_form(c, typed, form, rows++, entries);
        }
    }
    for (size_t i = 0; i < c->verdicts.n_extras && status == KAL_OK; i++) {
        status = add_extra(c, i, rows++, entries);
    }
    *out_rows = rows;
    return status;
}

// The matrix whose rank is the number of independent constraints on positions.
static KalStatus make_integrals(const Classifier *c, bool typed, KalSparse *out_matrix)
{
    KalEntries entries = {0};
    size_t rows = 0;
    KalStatus status = add_integrals(c, typed, &entries, &rows);
    if (status == KAL_OK) {
        status = kal_entries_finish(c->g, &entries, rows, c->eq->n, out_matrix);
    }
    kal_entries_clear(c->g, &entries);
    return status;
}

// The rank of the integrals at random points: exact where residues are, else a lower bound.
static KalStatus find_rank(Classifier *c)
{
    KalSparse values = {0};
    KalProbe *probe = NULL;
    KAL_TRY(make_integrals(c, false, &values));
    KalRank rank = {.least = 0};
    KalStatus status =
        kal_probe_create(c->g, values.value, kal_sparse_entries(&values), &probe);
    if (status == KAL_OK) {
        status = kal_probe_rank(probe, &values, KAL_RANK_ENTRIES, &rank);
    }
    kal_probe_destroy(probe);
    kal_sparse_clear(&values);
    c->made->rank = rank.known ? rank.least : KAL_RANK_UNKNOWN;
    c->made->rank_exact = rank.exact;
    assert(rank.least <= rank.most || status != KAL_OK);
    c->rank_open = rank.known && rank.least < rank.most;
    return status;
}

// Why some verdict is missing, for people.
static const char *reason_of(KalClosureEnd end)
{
    switch (end) {
    case KAL_CLOSURE_FOUND: return "they have no value where all velocities are zero";
    case KAL_CLOSURE_NODES: return "the formulas would grow too large";
    case KAL_CLOSURE_WORK: return "there are too many directions of motion";
    case KAL_CLOSURE_POINTS: return "no point was found at which all have a value";
    case KAL_CLOSURE_OPEN:
        return "it is not proven for all branches of the functions in them";
    }
    return "";
}

// What is left open, and whether all verdicts together are complete.
static void count_undecided(const Classifier *c)
{
    assert(c->made->undecided == 0);
    bool open = c->rank_open;
    for (size_t i = 0; i < c->eq->m; i++) {
        const KalConstraintClass *class = &c->made->classes[i];
        const bool undecided = class->decision == KAL_DECISION_NONE;
        c->made->undecided += undecided;
        open = open || (undecided && !class->linear_in_velocity);
    }
    c->made->complete = c->verdicts.end == KAL_CLOSURE_FOUND && !c->rank_open;
    if (c->made->undecided > 0 || !c->made->complete) {
        c->made->reason =
            reason_of(c->verdicts.end == KAL_CLOSURE_FOUND && open ? KAL_CLOSURE_OPEN
                                                                   : c->verdicts.end);
    }
}

static KalStatus find_verdicts(Classifier *c)
{
    KAL_TRY(find_forms(c));
    KAL_TRY(kal_frobenius_find(c->model, &c->forms, c->arena, &c->verdicts));
    return take_verdicts(c);
}

// The kinds of constraints that wait for an event are those among all; then all is found anew
// for those that act.
static KalStatus look_at_waiting(Classifier *c)
{
    c->waiting = true;
    KAL_TRY(find_verdicts(c));
    kal_sparse_clear(&c->forms.W);
    c->waiting = false;
    return classify_each(c, false);
}

static KalStatus run(Classifier *c)
{
    KAL_TRY(classify_each(c, true));
    KAL_TRY(c->eq->n_waiting > 0 ? look_at_waiting(c) : KAL_OK);
    KAL_TRY(find_verdicts(c));
    KAL_TRY(make_integrals(c, true, &c->made->integrals));
    KAL_TRY(find_rank(c));
    count_undecided(c);
    return KAL_OK;
}

static KalStatus classify_into(const KalEquations *eq, KalClassification *made)
{
    Classifier c = {.eq = eq,
                    .model = eq->model,
                    .g = eq->model->graph,
                    .ctx = eq->model->ctx,
                    .made = made};
    made->classes = kal_alloc(c.ctx, eq->m, sizeof *made->classes);
    if (eq->m > 0 && !made->classes) {
        return kal_no_memory(c.ctx, PURPOSE);
    }
    KAL_TRY(kal_arena_create(c.ctx, ARENA_BYTES, &c.arena));
    const KalStatus status = run(&c);
    kal_sparse_clear(&c.forms.W);
    kal_arena_destroy(c.arena);
    return status;
}

KalStatus kal_classify(const KalEquations *equations,
                       KalClassification **out_classification)
{
    assert(equations && out_classification);
    KalContext *ctx = equations->model->ctx;
    KAL_TRY(kal_graph_status(equations->model->graph));
    KalClassification *made = KAL_NEW(ctx, KalClassification);
    if (!made) {
        return kal_no_memory(ctx, "to classify constraints");
    }
    made->ctx = ctx;
    made->m = equations->m;
    const KalStatus status = classify_into(equations, made);
    if (status != KAL_OK) {
        kal_classification_destroy(made);
        return status;
    }
    *out_classification = made;
    return KAL_OK;
}

void kal_classification_destroy(KalClassification *classification)
{
    if (!classification) {
        return;
    }
    kal_sparse_clear(&classification->integrals);
    kal_free(classification->ctx, classification->classes,
             classification->m * sizeof *classification->classes);
    kal_free(classification->ctx, classification, sizeof *classification);
}

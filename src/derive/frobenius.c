// SPDX-License-Identifier: MIT

// The theorem of Frobenius, group by group (theory (10.8) to (10.12); Lee, Introduction to
// Smooth Manifolds, chapter 19).
//
// Coordinates that forms tie together are found by union-find; each group is judged by its
// closure (closure.c), in residues, where that is exact, and else also in doubles, as what
// residues show of functions that are not exact need not be so.  A form alone, or one that is
// made of numbers, needs no others to be integrable.

#include "derive/frobenius.h"

#include "expr/order.h"

#include <assert.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to classify constraints";

// A search on its way.
typedef struct Search {
    const KalModel *model;
    const KalPfaffian *forms;
    KalGraph *g;
    KalContext *ctx;
    KalArena *arena;
    size_t n;         // coordinates
    uint32_t *parent; // n: coordinates that hang together have one root
    size_t *local;    // n + 1: the place of a variable in the group at hand
    bool *fixed;      // for each form: made of numbers alone
    KalFrobenius *found;
} Search;

// The forms of one group, in variables of their own.
typedef struct Group {
    KalPfaffForms forms;
    size_t *form;    // forms.r: which of all forms
    KalExpr *z;      // forms.n
    size_t *column;  // forms.n: which coordinate, n for time
    bool velocities; // has a constraint on velocities
} Group;

// The representative of a coordinate's group; paths are halved on the way.
static uint32_t root_of(const Search *s, size_t j)
{
    assert(j < s->n);
    uint32_t root = (uint32_t)j;
    while (s->parent[root] != root) {
        s->parent[root] = s->parent[s->parent[root]];
        root = s->parent[root];
    }
    return root;
}

// Time, the last variable, ties nothing together.
static void join(const Search *s, size_t j, size_t with)
{
    if (j < s->n && with < s->n) {
        s->parent[root_of(s, j)] = root_of(s, with);
    }
}

// The first coordinate of a form, n if it has none.
static size_t first_column(const Search *s, size_t form)
{
    assert(form < s->forms->count);
    const KalSparse *W = &s->forms->W;
    return W->start[form] < W->start[form + 1] ? (size_t)W->column[W->start[form]]
                                               : s->n;
}

// Coordinates that a factor depends on hang together with the form's.
static void join_symbols(const Search *s, const KalOrder *order, size_t form)
{
    assert(form < s->forms->count);
    const size_t first = first_column(s, form);
    for (uint32_t i = 0; i < order->count; i++) {
        const KalStep *step = &order->steps[i];
        if (step->op != KAL_OP_SYMBOL) {
            continue;
        }
        const KalSymbol symbol = s->model->symbols[step->arg[0]];
        if (symbol.kind == KAL_SYMBOL_COORDINATE) {
            join(s, symbol.index, first);
        }
        s->fixed[form] = s->fixed[form] && symbol.kind == KAL_SYMBOL_PARAMETER;
    }
}

// Join all coordinates of a form and note whether its factors are numbers.
static KalStatus join_form(const Search *s, size_t form)
{
    const KalSparse *W = &s->forms->W;
    KalExpr *roots = kal_arena_alloc(
        s->arena, (size_t)(W->start[form + 1] - W->start[form]), sizeof *roots);
    KalOrder order = {0};
    size_t count = 0;
    if (!roots) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    for (int64_t k = W->start[form]; k < W->start[form + 1]; k++) {
        if (s->forms->value[k].index != 0) {
            roots[count++] = s->forms->value[k];
        }
        join(s, (size_t)W->column[k], first_column(s, form));
    }
    KAL_TRY(kal_order_init(s->g, roots, count, &order));
    s->fixed[form] = true;
    join_symbols(s, &order, form);
    kal_order_clear(&order);
    return KAL_OK;
}

// Constraints on positions are integrable anyway; they matter for what others see.
static bool is_velocity(const Search *s, size_t form)
{
    const KalConstraint *c = &s->model->constraints[s->forms->constraint[form]];
    return c->level == KAL_LEVEL_VELOCITY;
}

// A form belongs to the group of its first coordinate; one in dt alone to none.
static bool in_group(const Search *s, size_t form, size_t root)
{
    const size_t first = first_column(s, form);
    return first < s->n && root_of(s, first) == root;
}

// How many forms and variables the group with this root has, time included.
static Group measure(const Search *s, size_t root)
{
    assert(root < s->n);
    Group group = {.velocities = false};
    for (size_t form = 0; form < s->forms->count; form++) {
        if (in_group(s, form, root)) {
            group.forms.r++;
            group.velocities = group.velocities || is_velocity(s, form);
        }
    }
    for (size_t j = 0; j < s->n; j++) {
        group.forms.n += root_of(s, j) == root;
    }
    group.forms.n++;
    group.forms.preferred = group.forms.n - 1;
    assert(group.forms.n >= 2);
    return group;
}

// The forms and variables of the group; time is the last variable.
static KalStatus gather(const Search *s, size_t root, Group *group)
{
    const size_t n = group->forms.n;
    group->form = kal_arena_alloc(s->arena, group->forms.r, sizeof *group->form);
    group->z = kal_arena_alloc(s->arena, n, sizeof *group->z);
    group->column = kal_arena_alloc(s->arena, n, sizeof *group->column);
    if (!group->form || !group->z || !group->column) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    size_t r = 0;
    for (size_t form = 0; form < s->forms->count; form++) {
        if (in_group(s, form, root)) {
            group->form[r++] = form;
        }
    }
    assert(r == group->forms.r);
    size_t used = 0;
    for (size_t j = 0; j <= s->n; j++) {
        if (j == s->n || root_of(s, j) == root) {
            s->local[j] = used;
            group->column[used] = j;
            group->z[used++] = j == s->n ? s->model->time : s->model->coordinates[j].q;
        }
    }
    assert(used == n);
    group->forms.z = group->z;
    return KAL_OK;
}

// The matrix of the group's forms; what is not there is KAL_NO_EXPR.
static KalStatus fill(const Search *s, Group *group)
{
    KalPfaffForms *forms = &group->forms;
    const KalSparse *W = &s->forms->W;
    forms->W = kal_arena_alloc(s->arena, forms->r * forms->n, sizeof *forms->W);
    if (!forms->W) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    for (size_t i = 0; i < forms->r; i++) {
        const size_t form = group->form[i];
        for (int64_t k = W->start[form]; k < W->start[form + 1]; k++) {
            forms->W[i * forms->n + s->local[W->column[k]]] = s->forms->value[k];
        }
    }
    return KAL_OK;
}

// What was found out about a group: for the formulas as such and, if that is not exact,
// at some point.
typedef struct Findings {
    KalClosure formal;
    KalClosure near;
} Findings;

// What holds for the formulas as such, then, where that is not certain, near some points.
static KalStatus find(const Search *s, const KalPfaffForms *forms,
                      Findings *out_findings)
{
    Findings found = {.near = {.end = KAL_CLOSURE_FOUND}};
    KAL_TRY(kal_closure_find(s->g, forms, KAL_ARITHMETIC_RESIDUES, s->arena,
                             &found.formal));
    found.near = found.formal;
    if (!found.formal.exact) {
        KAL_TRY(
            kal_closure_find(s->g, forms, KAL_ARITHMETIC_REALS, s->arena, &found.near));
    }
    *out_findings = found;
    return KAL_OK;
}

// Whether what holds for the formulas as such holds everywhere: the forms are as
// independent as they seem.  Of formulas that choose between others this is not known.
static bool is_settled(const Findings *found)
{
    return found->formal.end == KAL_CLOSURE_FOUND
           && (found->formal.exact
               || (found->near.end == KAL_CLOSURE_FOUND && !found->formal.piecewise
                   && found->formal.rank == found->near.rank));
}

// Whether a form may jump, by the operators in its factors; and whether it has no more
// than two variables, as every form in two variables is integrable.
static KalStatus inspect(const Search *s, const KalPfaffForms *alone, bool *out_jumps,
                         bool *out_flat)
{
    KalOrder order = {0};
    size_t variables = 0;
    size_t n = 0;
    bool jumps = false;
    KalExpr *roots = kal_arena_alloc(s->arena, 2 * alone->n, sizeof *roots);
    if (!roots) {
        return kal_no_memory(s->ctx, PURPOSE);
    }
    for (size_t j = 0; j < alone->n; j++) {
        if (alone->W[j].index != 0) {
            roots[n++] = alone->W[j];
            roots[n++] = alone->z[j];
        }
    }
    KAL_TRY(kal_order_init(s->g, roots, n, &order));
    for (uint32_t i = 0; i < order.count; i++) {
        const KalOp op = (KalOp)order.steps[i].op;
        jumps = jumps || kal_op_nature(op) > KAL_NATURE_KINK;
        variables +=
            op == KAL_OP_SYMBOL
            && s->model->symbols[order.steps[i].arg[0]].kind != KAL_SYMBOL_PARAMETER;
    }
    kal_order_clear(&order);
    *out_jumps = jumps;
    *out_flat = variables <= 2;
    return KAL_OK;
}

// A form that is integrable by itself is so in any company; but where its factors jump,
// motions back and forth across the jump may lead off any surface.
static KalStatus try_alone(const Search *s, const Group *group, size_t i)
{
    assert(i < group->forms.r);
    KalClosure closure = {.end = KAL_CLOSURE_FOUND};
    KalPfaffForms alone = group->forms;
    bool jumps = false;
    bool flat = false;
    alone.W += i * alone.n;
    alone.r = 1;
    KAL_TRY(inspect(s, &alone, &jumps, &flat));
    if (!flat && !jumps) {
        KAL_TRY(kal_closure_find(s->g, &alone, KAL_ARITHMETIC_RESIDUES, s->arena,
                                 &closure));
    }
    if (flat || (!jumps && closure.end == KAL_CLOSURE_FOUND && closure.member[0])) {
        s->found->integrable[group->form[i]] = true;
        s->found->decision[group->form[i]] =
            flat ? KAL_DECISION_FORM : KAL_DECISION_EXACT;
    }
    return KAL_OK;
}

// Integrable only if both views say so and agree on the rank; where they do not, a form that
// is integrable by itself still is.
static KalStatus judge_form(const Search *s, const Group *group, const Findings *found,
                            size_t i)
{
    const bool member = found->formal.member[i] && found->near.member[i];
    const bool proven = is_settled(found) && member;
    KalDecision *decision = &s->found->decision[group->form[i]];
    s->found->integrable[group->form[i]] = proven;
    *decision = found->formal.exact ? KAL_DECISION_EXACT : KAL_DECISION_NUMERIC;
    if (!proven && found->near.member[i]) {
        *decision = KAL_DECISION_NONE;
        KAL_TRY(try_alone(s, group, i));
    }
    return KAL_OK;
}

// Why a group was given up, if it was.
static KalClosureEnd end_of(const Search *s, const Group *group, const Findings *found)
{
    bool open = false;
    if (found->formal.end != KAL_CLOSURE_FOUND) {
        return found->formal.end;
    }
    if (found->near.end != KAL_CLOSURE_FOUND) {
        return found->near.end;
    }
    for (size_t i = 0; i < group->forms.r; i++) {
        open = open || s->found->decision[group->form[i]] == KAL_DECISION_NONE;
    }
    for (size_t i = 0; i < found->near.forms.r && !is_settled(found); i++) {
        open = open || found->near.extra[i];
    }
    return open ? KAL_CLOSURE_OPEN : KAL_CLOSURE_FOUND;
}

// Verdicts on the constraints on velocities that do not show in the form.
static KalStatus judge(const Search *s, const Group *group, const Findings *found)
{
    KalStatus status = KAL_OK;
    for (size_t i = 0; i < group->forms.r && status == KAL_OK; i++) {
        const size_t form = group->form[i];
        if (is_velocity(s, form) && !s->fixed[form]) {
            status = judge_form(s, group, found, i);
        }
    }
    if (s->found->end == KAL_CLOSURE_FOUND) {
        s->found->end = end_of(s, group, found);
    }
    return status;
}

// The part in dt, the last variable, is left out: extras are constraints on positions.
static KalStatus add_extras(const Search *s, const Group *group,
                            const KalClosure *closure)
{
    const size_t n = closure->forms.n;
    for (size_t i = 0; i < closure->forms.r; i++) {
        if (!closure->extra[i]) {
            continue;
        }
        KalExpr *row = kal_arena_alloc(s->arena, s->n, sizeof *row);
        if (!row) {
            return kal_no_memory(s->ctx, PURPOSE);
        }
        for (size_t j = 0; j + 1 < n; j++) {
            row[group->column[j]] = closure->forms.W[i * n + j];
        }
        assert(s->found->n_extras < s->forms->count);
        s->found->extras[s->found->n_extras++] = row;
    }
    return KAL_OK;
}

// A group without constraints on velocities has nothing to decide.
static KalStatus search_group(const Search *s, size_t root)
{
    Group group = measure(s, root);
    Findings found = {.near = {.end = KAL_CLOSURE_FOUND}};
    if (!group.velocities) {
        return KAL_OK;
    }
    KAL_TRY(gather(s, root, &group));
    KAL_TRY(fill(s, &group));
    KAL_TRY(find(s, &group.forms, &found));
    if (is_settled(&found)) {
        KAL_TRY(add_extras(s, &group, &found.formal));
    }
    return judge(s, &group, &found);
}

// Join, presume, then judge each group once, at its root.
static KalStatus search(const Search *s)
{
    KalStatus status = KAL_OK;
    for (size_t j = 0; j < s->n; j++) {
        s->parent[j] = (uint32_t)j;
    }
    for (size_t form = 0; form < s->forms->count; form++) {
        KAL_TRY(join_form(s, form));
        s->found->integrable[form] = !is_velocity(s, form) || s->fixed[form];
        s->found->decision[form] = KAL_DECISION_FORM;
    }
    for (size_t j = 0; j < s->n && status == KAL_OK; j++) {
        if (root_of(s, j) == j) {
            status = search_group(s, j);
        }
    }
    return status;
}

KalStatus kal_frobenius_find(const KalModel *model, const KalPfaffian *forms,
                             KalArena *arena, KalFrobenius *out_verdicts)
{
    const size_t n = model->n_coordinates;
    const size_t count = forms->count;
    KalFrobenius found = {.end = KAL_CLOSURE_FOUND};
    Search s = {.model = model,
                .forms = forms,
                .g = model->graph,
                .ctx = model->ctx,
                .arena = arena,
                .n = n,
                .found = &found};
    s.parent = kal_arena_alloc(arena, n, sizeof *s.parent);
    s.local = kal_arena_alloc(arena, n + 1, sizeof *s.local);
    s.fixed = kal_arena_alloc(arena, count, sizeof *s.fixed);
    found.integrable = kal_arena_alloc(arena, count, sizeof *found.integrable);
    found.decision = kal_arena_alloc(arena, count, sizeof *found.decision);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): the list is one of pointers
    found.extras = kal_arena_alloc(arena, count, sizeof *found.extras);
    if (!s.parent || !s.local || !s.fixed || !found.integrable || !found.decision
        || !found.extras) {
        return kal_no_memory(s.ctx, PURPOSE);
    }
    KAL_TRY(search(&s));
    *out_verdicts = found;
    return KAL_OK;
}

// SPDX-License-Identifier: MIT

// What unknowns of an FMU depend on, by the structure of the equations.
//
// Coordinates that share an entry of M, a constraint or a force that follows its reaction move
// together: they are a group, and the acceleration of each depends on all that the equations
// of the group have in them.  So do the reactions of its constraints.  Anything else depends
// on what its formula has in it, where an acceleration stands for its group.
//
// Sets are rows of marks, one for each variable of KalLayout.

#include "export/fmu.h"
#include "expr/order.h"

#include <assert.h>
#include <string.h>

enum {
    CLASSES = 64 // symbols that are looked for at a time
};

// Roots of the order, by what they are of.
typedef struct Finding {
    const KalExportPlan *plan;
    const KalEquations *e;
    const KalLayout *l;
    KalOrder order;
    KalExpr *roots;
    size_t n_roots;
    size_t Q; // where these begin among the roots
    size_t A;
    size_t b;
    size_t C;
    size_t servos; // servo rows, and forces of their actuators
    size_t energy;
    size_t rates;
    size_t outputs;
    size_t events;
    size_t width;   // of a set
    bool *found;    // n_roots sets, as the formulas have them
    bool *of_group; // n sets
    size_t *group;  // n: a coordinate that stands for the group
} Finding;

static void add(Finding *f, KalExpr e)
{
    f->roots[f->n_roots++] =
        e.index == KAL_NO_EXPR.index ? kal_int(f->plan->draft.model->graph, 0) : e;
}

static void add_all(Finding *f, const KalExpr *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add(f, e[i]);
    }
}

// The formulas that unknowns are made of, one list; the first of each kind is noted.
static void list_roots(Finding *f)
{
    assert(f->n_roots == 0 && f->roots);
    const KalModel *model = f->plan->draft.model;
    const KalEquations *e = f->e;
    add_all(f, e->M.value, (size_t)e->M.start[e->n]);
    f->Q = f->n_roots;
    add_all(f, e->Q, e->n);
    f->A = f->n_roots;
    add_all(f, e->A.value, (size_t)e->A.start[e->m]);
    f->b = f->n_roots;
    add_all(f, e->b, e->m);
    f->C = f->n_roots;
    add_all(f, e->C, e->n);
    f->servos = f->n_roots;
    if (e->n_servos > 0) {
        add_all(f, e->servo_A.value, (size_t)e->servo_A.start[e->n_servos]);
        add_all(f, e->servo_b, e->n_servos);
        add_all(f, e->B.value, (size_t)e->B.start[e->n]);
    }
    f->energy = f->n_roots;
    add(f, e->kinetic);
    add(f, e->stored);
    f->rates = f->n_roots;
    for (size_t i = 0; i < model->n_states; i++) {
        add(f, model->states[i].rate);
    }
    f->outputs = f->n_roots;
    for (size_t i = 0; i < model->n_outputs; i++) {
        add(f, model->outputs[i].value);
    }
    f->events = f->n_roots;
    for (size_t i = 0; i < model->n_events; i++) {
        add(f, model->events[i].value);
    }
}

// The variables that each root has in it, some at a time.
static KalStatus find_symbols(Finding *f)
{
    const KalModel *model = f->plan->draft.model;
    KalArena *arena = f->plan->arena;
    KalExpr *symbols = kal_arena_alloc(arena, f->width, sizeof *symbols);
    uint64_t *classes = kal_arena_alloc(arena, model->n_symbols + 1, sizeof *classes);
    uint64_t *marks = kal_arena_alloc(arena, f->n_roots, sizeof *marks);
    if (!symbols || !classes || !marks) {
        return kal_no_memory(f->plan->ctx, "for dependencies");
    }
    kal_system_variables(&f->plan->draft.system, symbols);
    for (size_t first = 0; first < f->width; first += CLASSES) {
        const size_t end = first + CLASSES < f->width ? first + CLASSES : f->width;
        memset(classes, 0, model->n_symbols * sizeof *classes);
        for (size_t v = first; v < end; v++) {
            classes[kal_graph_node(model->graph, symbols[v]).arg[0].index] =
                UINT64_C(1) << (v - first);
        }
        KAL_TRY(kal_order_classes(&f->order, classes, marks));
        for (size_t r = 0; r < f->n_roots; r++) {
            for (size_t v = first; v < end; v++) {
                f->found[r * f->width + v] = (marks[r] >> (v - first) & 1) != 0;
            }
        }
    }
    return KAL_OK;
}

static void unite(bool *set, const bool *more, size_t width)
{
    for (size_t v = 0; v < width; v++) {
        set[v] = set[v] || more[v];
    }
}

// Let two coordinates be of one group.
static void join(Finding *f, size_t a, size_t b)
{
    const size_t from = f->group[a];
    const size_t to = f->group[b];
    for (size_t i = 0; i < f->e->n && from != to; i++) {
        f->group[i] = f->group[i] == from ? to : f->group[i];
    }
}

// A row ties its coordinates to each other, and to those whose forces follow its reaction.
static void join_row(Finding *f, size_t row)
{
    const KalEquations *e = f->e;
    const int64_t first = e->A.start[row];
    for (int64_t k = first; k < e->A.start[row + 1]; k++) {
        join(f, (size_t)e->A.column[k], (size_t)e->A.column[first]);
    }
    for (size_t c = 0; c < e->n && first < e->A.start[row + 1]; c++) {
        if (f->found[(f->C + c) * f->width + f->l->reactions + row]) {
            join(f, c, (size_t)e->A.column[first]);
        }
    }
}

static void find_groups(Finding *f)
{
    const KalEquations *e = f->e;
    for (size_t i = 0; i < e->n; i++) {
        f->group[i] = i;
    }
    for (size_t i = 0; i < e->n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            join(f, i, (size_t)e->M.column[k]);
        }
    }
    for (size_t i = 0; i < e->m; i++) {
        join_row(f, i);
    }
    const bool all = e->n_servos > 0 || f->plan->names.contacts.count > 0;
    for (size_t i = 1; i < e->n && all; i++) {
        join(f, i, 0); // control of servos, laws of contact: all of them at once
    }
}

static void take(Finding *f, size_t coordinate, size_t root)
{
    unite(f->of_group + f->group[coordinate] * f->width, f->found + root * f->width,
          f->width);
}

// Time, states and inputs.
static void mark_all(const Finding *f, bool *set)
{
    for (size_t v = 0; v < f->l->holds; v++) {
        set[v] = true;
    }
    for (size_t i = 0; i < f->plan->names.inputs.count; i++) {
        set[f->l->controls + i] = true;
    }
}

// What the equations of each group have in them.
static void fill_groups(Finding *f)
{
    const KalEquations *e = f->e;
    for (size_t i = 0; i < e->n; i++) {
        take(f, i, f->Q + i);
        take(f, i, f->C + i);
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            take(f, i, (size_t)k);
        }
    }
    for (size_t i = 0; i < e->m; i++) {
        for (int64_t k = e->A.start[i]; k < e->A.start[i + 1]; k++) {
            take(f, (size_t)e->A.column[k], f->A + (size_t)k);
            take(f, (size_t)e->A.column[k], f->b + i);
        }
    }
    for (size_t r = f->servos; r < f->energy; r++) {
        take(f, 0, r);
    }
    if (f->plan->names.contacts.count > 0) {
        mark_all(f, f->of_group + f->group[0] * f->width);
    }
}

static void unite_group(const Finding *f, size_t coordinate, bool *set)
{
    unite(set, f->of_group + f->group[coordinate] * f->width, f->width);
}

static void unite_row(const Finding *f, size_t row, bool *set)
{
    for (int64_t k = f->e->A.start[row]; k < f->e->A.start[row + 1]; k++) {
        unite_group(f, (size_t)f->e->A.column[k], set);
    }
}

// A set in which accelerations, reactions and so on stand for what they depend on.
static void expand(const Finding *f, size_t root, bool *set)
{
    const KalLayout *l = f->l;
    const bool *has = f->found + root * f->width;
    unite(set, has, f->width);
    for (size_t i = 0; i < f->e->n; i++) {
        if (has[l->qdd + i]) {
            unite_group(f, i, set);
        }
    }
    for (size_t i = 0; i < f->e->m; i++) {
        if (has[l->reactions + i]) {
            unite_row(f, i, set);
        }
    }
    for (size_t i = 0; i < l->controls - l->forces; i++) {
        if (has[l->forces + i]) {
            unite_group(f, f->plan->system->forces[i], set);
        }
    }
    for (size_t i = 0; i < f->plan->names.controls.count; i++) {
        if (has[l->controls + i]) {
            unite_group(f, 0, set);
        }
    }
    for (size_t i = 0; i < 2 && has[l->energy]; i++) {
        unite(set, f->found + (f->energy + i) * f->width, f->width);
    }
}

// The set of a variable of the FMU.
static void fill_set(const Finding *f, const KalFmu *fmu, size_t i, bool *set)
{
    const KalExportPlan *plan = f->plan;
    const size_t n = plan->names.coordinates.count;
    const size_t outputs = fmu->at_out;
    const size_t reactions = outputs + plan->names.outputs.count;
    if (i < fmu->at_dx) {
        set[f->l->q + (i - fmu->at_x)] = true;
    } else if (i < fmu->at_dx + n) {
        set[f->l->qd + (i - fmu->at_dx)] = true;
    } else if (i < fmu->at_dx + 2 * n) {
        unite_group(f, i - fmu->at_dx - n, set);
    } else if (i < outputs) {
        expand(f, f->rates + (i - fmu->at_dx - 2 * n), set);
    } else if (i < reactions) {
        expand(f, f->outputs + (i - outputs), set);
    } else if (i < fmu->at_events) {
        unite_row(f, i - reactions, set);
    } else if (i < fmu->at_events + plan->system->model->n_events) {
        expand(f, f->events + (i - fmu->at_events), set);
    } else if (i < fmu->at_events + fmu->n_indicators) {
        mark_all(f, set);
    }
}

// The variable of the FMU that a variable of the layout is; 0: the time, or none.
static size_t known_of(const KalFmu *fmu, const KalLayout *l, size_t v)
{
    if (v >= l->q && v < l->holds) {
        return fmu->at_x + (v - l->q);
    }
    const bool input =
        v >= l->controls && v < l->controls + fmu->plan->names.inputs.count;
    return input ? 1 + fmu->plan->names.parameters.count + (v - l->controls) : 0;
}

// Turn a set into a list of variables, the smallest first.
static KalStatus list_set(KalFmu *fmu, const Finding *f, const bool *set,
                          KalFmuDependencies *out)
{
    out->on = kal_arena_alloc(f->plan->arena, f->width + 1, sizeof *out->on);
    if (!out->on) {
        return kal_no_memory(f->plan->ctx, "for dependencies");
    }
    if (set[0]) {
        out->on[out->count++] = 0;
    }
    for (int part = 0; part < 2; part++) { // inputs come before states
        const size_t first = part == 0 ? f->l->controls : f->l->q;
        const size_t end = part == 0 ? f->l->energy : f->l->holds;
        for (size_t v = first; v < end; v++) {
            if (set[v] && known_of(fmu, f->l, v) > 0) {
                out->on[out->count++] = known_of(fmu, f->l, v);
            }
        }
    }
    return KAL_OK;
}

static KalStatus allocate(Finding *f)
{
    const KalModel *model = f->plan->draft.model;
    const KalEquations *e = f->e;
    const size_t most =
        (size_t)e->M.start[e->n] + (size_t)e->A.start[e->m] + 2 * e->n + e->m + 2
        + model->n_states + model->n_outputs + model->n_events
        + (e->n_servos > 0 ? (size_t)e->servo_A.start[e->n_servos] + e->n_servos
                                 + (size_t)e->B.start[e->n]
                           : 0);
    KalArena *arena = f->plan->arena;
    f->roots = kal_arena_alloc(arena, most, sizeof *f->roots);
    f->found = kal_arena_alloc(arena, most * f->width, sizeof *f->found);
    f->of_group = kal_arena_alloc(arena, e->n * f->width, sizeof *f->of_group);
    f->group = kal_arena_alloc(arena, e->n, sizeof *f->group);
    return f->roots && f->found && f->of_group && f->group
               ? KAL_OK
               : kal_no_memory(f->plan->ctx, "for dependencies");
}

// Symbols in each formula first, by one pass over all nodes; groups of coordinates from
// them, by union-find; then the set of each unknown.
static KalStatus find(Finding *f, KalFmu *fmu)
{
    assert(f->width > 0 && fmu->n_variables >= fmu->at_x);
    KAL_TRY(allocate(f));
    list_roots(f);
    KAL_TRY(kal_graph_status(f->plan->draft.model->graph));
    KAL_TRY(
        kal_order_init(f->plan->draft.model->graph, f->roots, f->n_roots, &f->order));
    KAL_TRY(find_symbols(f));
    find_groups(f);
    fill_groups(f);
    fmu->dependencies =
        kal_arena_alloc(f->plan->arena, fmu->n_variables, sizeof *fmu->dependencies);
    bool *set = kal_arena_alloc(f->plan->arena, f->width, sizeof *set);
    if (!fmu->dependencies || !set) {
        return kal_no_memory(f->plan->ctx, "for dependencies");
    }
    for (size_t i = fmu->at_x; i < fmu->n_variables; i++) {
        memset(set, 0, f->width * sizeof *set);
        fill_set(f, fmu, i, set);
        KAL_TRY(list_set(fmu, f, set, &fmu->dependencies[i]));
    }
    return KAL_OK;
}

KalStatus kal_fmu_find_dependencies(KalFmu *fmu)
{
    const KalExportPlan *plan = fmu->plan;
    Finding f = {.plan = plan,
                 .e = &plan->draft.equations,
                 .l = &plan->system->layout,
                 .width = plan->system->layout.count};
    const KalStatus status = find(&f, fmu);
    kal_order_clear(&f.order);
    return status;
}

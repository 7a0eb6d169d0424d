// SPDX-License-Identifier: MIT

// From a model to a compiled system: equations, what events and forces need, programs.
//
// Programs are lists of formulas with one order of variables (system/system.h); collect() is
// the one place that says what a program computes, and in which order.  When all are compiled
// the graph is frozen: from then on a system never changes, and threads may share it.

#include "base/block.h"
#include "expr/order.h"
#include "system/contact.h"
#include "system/load_impl.h"
#include "system/mark.h"
#include "system/peak.h"
#include "system/pulse.h"
#include "system/reach.h"
#include "system/switch.h"
#include "system/tangent.h"
#include "system/transcript.h"
#include "system/warn.h"
#include "system/work.h"

#include <assert.h>
#include <string.h>

// Formulas on their way into a program.
typedef struct Outputs {
    KalContext *ctx;
    KalBlock list; // KalExpr
    KalStatus status;
} Outputs;

static void add(Outputs *outputs, KalExpr e)
{
    if (outputs->status == KAL_OK) {
        outputs->status = kal_block_add(outputs->ctx, &outputs->list, &e, sizeof e);
    }
}

static void add_all(Outputs *outputs, const KalExpr *e, size_t count)
{
    assert(e || count == 0);
    for (size_t i = 0; i < count; i++) {
        add(outputs, e[i]);
    }
}

static void add_sparse(Outputs *outputs, const KalSparse *matrix)
{
    add_all(outputs, matrix->value, kal_sparse_entries(matrix));
}

// A formula, or the number 0 where there is none.
static void add_or_zero(Outputs *outputs, KalGraph *g, KalExpr e)
{
    add(outputs, e.index == KAL_NO_EXPR.index ? kal_int(g, 0) : e);
}

static void add_residuals(Outputs *outputs, KalGraph *g, const KalExpr *e, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_or_zero(outputs, g, e[i]);
    }
}

static void collect_outputs(const KalModel *model, Outputs *out)
{
    for (size_t i = 0; i < model->n_outputs; i++) {
        add(out, model->outputs[i].value);
    }
}

static void collect_events(const KalModel *model, Outputs *out)
{
    for (size_t i = 0; i < model->n_events; i++) {
        add(out, model->events[i].value);
    }
}

static void collect_actions(const KalModel *model, Outputs *out)
{
    for (size_t i = 0; i < model->n_events; i++) {
        const KalEvent *event = &model->events[i];
        for (size_t k = 0; k < event->n_actions; k++) {
            if (event->actions[k].kind == KAL_ACTION_SET) {
                add(out, event->actions[k].value);
            }
        }
    }
}

// Events that are functions of t, q and q' alone, and 0 for the others.
static void collect_bounded(const KalSystem *system, Outputs *out)
{
    const KalModel *model = system->model;
    for (size_t i = 0; i < model->n_events; i++) {
        add(out, system->bounds.exact[i] ? model->events[i].value
                                         : kal_int(model->graph, 0));
    }
}

static void collect_rates(const KalModel *model, Outputs *out)
{
    for (size_t i = 0; i < model->n_states; i++) {
        add(out, model->states[i].rate);
    }
}

static void collect_holds(const KalModel *model, Outputs *out)
{
    for (size_t i = 0; i < model->n_holds; i++) {
        add(out, model->holds[i].value);
    }
}

static void collect_constants(const KalConservation *conserved, Outputs *out)
{
    for (size_t i = conserved && conserved->energy ? 1 : 0;
         conserved && i < conserved->n; i++) {
        add(out, conserved->list[i].value);
    }
}

// Whether the formula of a start value has coordinates in it.
static KalStatus needs_positions(const KalModel *model, KalExpr e, bool *out_needs)
{
    uint64_t kinds = 0;
    if (e.index != KAL_NO_EXPR.index) {
        KAL_TRY(kal_model_kinds_in(model, e, &kinds));
    }
    *out_needs = (kinds & (UINT64_C(1) << KAL_SYMBOL_COORDINATE)) != 0;
    return KAL_OK;
}

static void collect_start(const KalModel *model, Outputs *out)
{
    bool any = false;
    for (size_t i = 0; i < model->n_coordinates && !any && out->status == KAL_OK; i++) {
        out->status = needs_positions(model, model->coordinates[i].start_v.value, &any);
    }
    for (size_t i = 0; i < model->n_coordinates && any; i++) {
        add_or_zero(out, model->graph, model->coordinates[i].start_v.value);
    }
}

// In the order of system/settings.h.
static void collect_settings(const KalModel *model, Outputs *out)
{
    const KalSimulate *simulate = &model->simulate;
    const KalExpr options[KAL_SIMULATE_OPTIONS] = {
        [KAL_SIMULATE_FROM] = simulate->from,
        [KAL_SIMULATE_TO] = simulate->to,
        [KAL_SIMULATE_EVERY] = simulate->every,
        [KAL_SIMULATE_RTOL] = simulate->rtol,
        [KAL_SIMULATE_ATOL] = simulate->atol,
        [KAL_SIMULATE_STABILIZE] = simulate->stabilize,
    };
    for (size_t i = 0; i < model->n_parameters; i++) {
        add(out, model->parameters[i].value);
    }
    for (size_t i = 0; i < model->n_coordinates; i++) {
        add_or_zero(out, model->graph, model->coordinates[i].start_q.value);
    }
    for (size_t i = 0; i < model->n_coordinates; i++) {
        add_or_zero(out, model->graph, model->coordinates[i].start_v.value);
    }
    for (size_t i = 0; i < model->n_states; i++) {
        add_or_zero(out, model->graph, model->states[i].start.value);
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        add_or_zero(out, model->graph, model->holds[i].start.value);
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        add(out, model->holds[i].period);
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        add_or_zero(out, model->graph, model->actuators[i].limit);
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        add_or_zero(out, model->graph, model->actuators[i].weight);
    }
    for (size_t i = 0; i < model->n_servos; i++) {
        add_or_zero(out, model->graph, model->servos[i].rate);
    }
    for (int i = 0; i < KAL_SIMULATE_OPTIONS; i++) {
        add_or_zero(out, model->graph, options[i]);
    }
    for (size_t i = 0; i < model->n_conditions; i++) {
        add(out, model->conditions[i].of);
    }
}

static void collect_contacts(const KalEquations *e, Outputs *out)
{
    for (size_t i = 0; i < e->model->n_contacts * KAL_CONTACT_VALUES; i++) {
        add_or_zero(out, e->model->graph, kal_contact_formula(e, i));
    }
}

static void collect_switches(const KalSystem *system, Outputs *out)
{
    for (size_t i = 0; i < system->pieces.n_switches; i++) {
        add(out, system->pieces.switches[i].function);
    }
    for (size_t i = 0; i < system->pieces.n_switches; i++) {
        add(out, system->pieces.switches[i].level);
    }
}

// Whether the motion is made of what a program computes.
static bool makes_motion(KalProgramId id)
{
    const bool told = id == KAL_PROGRAM_OUTPUTS || id == KAL_PROGRAM_CONSTANTS
                      || id == KAL_PROGRAM_START || id == KAL_PROGRAM_SETTINGS
                      || id == KAL_PROGRAM_HOLDS;
    const bool happens = id == KAL_PROGRAM_EVENTS || id == KAL_PROGRAM_EVENT_ROWS
                         || id == KAL_PROGRAM_ACTIONS || id == KAL_PROGRAM_SWITCHES
                         || id == KAL_PROGRAM_PEAKS || id == KAL_PROGRAM_PULSES
                         || id == KAL_PROGRAM_MARKS || id == KAL_PROGRAM_LATE_MARKS;
    return !told && !happens;
}

// Whether a program is computed on the pieces that the motion is on.  Switching functions may be
// made of pieces themselves, as that of floor(floor(t) + x) is.
static bool keeps_pieces(KalProgramId id)
{
    return makes_motion(id) || id == KAL_PROGRAM_PULSES || id == KAL_PROGRAM_SWITCHES;
}

// All programs of a system; whoever reads results, as about_result(), counts on this order.
static void collect(const KalSystem *system, KalProgramId id, Outputs *out)
{
    const KalEquations *e = system->equations;
    const KalSystemBalance *balance = &system->balance;
    const KalPieces *pieces = &system->pieces;
    switch (id) {
    case KAL_PROGRAM_GIVENS:
        add_sparse(out, &e->M);
        add_all(out, e->Q, e->n);
        add_sparse(out, &e->A);
        add_all(out, e->b, e->m);
        add_sparse(out, &e->servo_A);
        add_all(out, e->servo_b, e->n_servos);
        add_sparse(out, &e->B);
        break;
    case KAL_PROGRAM_NONIDEAL: add_all(out, e->C, e->n); break;
    case KAL_PROGRAM_POSITION:
        add_residuals(out, system->model->graph, e->phi, e->m);
        add_sparse(out, &e->A);
        break;
    case KAL_PROGRAM_VELOCITY:
        add_residuals(out, system->model->graph, e->psi, e->m);
        add_sparse(out, &e->A);
        break;
    case KAL_PROGRAM_ENERGY:
        add(out, e->kinetic);
        add(out, e->stored);
        break;
    case KAL_PROGRAM_OUTPUTS: collect_outputs(system->model, out); break;
    case KAL_PROGRAM_EVENTS: collect_events(system->model, out); break;
    case KAL_PROGRAM_EVENT_ROWS:
        collect_bounded(system, out);
        add_sparse(out, &system->bounds.rows);
        break;
    case KAL_PROGRAM_RATES: collect_rates(system->model, out); break;
    case KAL_PROGRAM_HOLDS: collect_holds(system->model, out); break;
    case KAL_PROGRAM_ACTIONS: collect_actions(system->model, out); break;
    case KAL_PROGRAM_TANGENT:
        if (system->tangent.derived) {
            add_sparse(out, &system->tangent.R);
            add_sparse(out, &system->tangent.S);
            add_sparse(out, &system->tangent.F);
        }
        break;
    case KAL_PROGRAM_POWER:
        add_all(out, balance->powers.term, balance->derived ? KAL_POWER_TERMS : 0);
        add_all(out, balance->laws, balance->derived ? system->model->n_laws : 0);
        break;
    case KAL_PROGRAM_CONSTANTS: collect_constants(balance->conserved, out); break;
    case KAL_PROGRAM_START: collect_start(system->model, out); break;
    case KAL_PROGRAM_CONTACTS: collect_contacts(e, out); break;
    case KAL_PROGRAM_SWITCHES: collect_switches(system, out); break;
    case KAL_PROGRAM_PEAKS: add_all(out, pieces->peaks, 2 * pieces->n_peaks); break;
    case KAL_PROGRAM_PULSES: add_all(out, pieces->pulses, 2 * pieces->n_pulses); break;
    case KAL_PROGRAM_MARKS: add_all(out, pieces->marks, pieces->n_marks); break;
    case KAL_PROGRAM_LATE_MARKS: add_all(out, pieces->late, pieces->n_late); break;
    case KAL_PROGRAM_SETTINGS: collect_settings(system->model, out); break;
    case KAL_PROGRAMS: break;
    }
}

static KalStatus compile(KalSystem *system, KalProgramId id, KalProgramSpec spec)
{
    assert(!system->programs[id]);
    Outputs outputs = {.ctx = system->ctx};
    collect(system, id, &outputs);
    spec.outputs = (const KalExpr *)outputs.list.data;
    spec.n_outputs = outputs.list.size / sizeof(KalExpr);
    spec.switches = system->pieces.nodes;
    spec.n_switches = keeps_pieces(id) ? system->pieces.n_nodes : 0;
    system->n_results[id] = spec.n_outputs;
    KalStatus status = outputs.status;
    if (status == KAL_OK) {
        status = kal_program_create(system->model->graph, &spec, &system->programs[id]);
    }
    kal_block_clear(system->ctx, &outputs.list);
    return status;
}

static void fill_layout(KalSystem *system)
{
    assert(system->n > 0 && system->m >= 0);
    const size_t n = (size_t)system->n;
    KalLayout *layout = &system->layout;
    layout->q = 1;
    layout->qd = 1 + n;
    layout->states = 1 + 2 * n;
    layout->holds = layout->states + (size_t)system->n_states;
    layout->active = layout->holds + (size_t)system->n_holds;
    layout->qdd = layout->active + system->n_actives;
    layout->reactions = layout->qdd + n;
    layout->forces = layout->reactions + (size_t)system->m;
    layout->controls = layout->forces + system->n_forces;
    layout->energy = layout->controls + (size_t)system->n_actuators;
    layout->count = layout->energy + 1;
}

// Variables of all programs, in the order of KalLayout.
void kal_system_variables(const KalSystem *system, KalExpr *variables)
{
    assert(variables && system->layout.count > 0);
    const KalModel *model = system->model;
    const KalLayout *layout = &system->layout;
    size_t force = layout->forces;
    variables[0] = model->time;
    variables[layout->energy] = model->energy;
    for (size_t i = 0; i < model->n_coordinates; i++) {
        variables[layout->q + i] = model->coordinates[i].q;
        variables[layout->qd + i] = model->coordinates[i].v;
        variables[layout->qdd + i] = model->coordinates[i].a;
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        variables[layout->reactions + i] = model->constraints[i].reaction;
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        variables[layout->controls + i] = model->actuators[i].input;
    }
    for (size_t i = 0; i < kal_system_extras(system); i++) {
        variables[layout->states + i] = kal_system_extra(system, i);
    }
    for (size_t id = 0; id < model->n_symbols; id++) {
        if (model->symbols[id].kind == KAL_SYMBOL_COORDINATE_FORCE) {
            variables[force++] = kal_symbol(model->graph, (uint32_t)id);
        }
    }
}

// How many variables a program may read.
static size_t count_variables(const KalSystem *system, KalProgramId id)
{
    assert(id < KAL_PROGRAMS);
    switch (id) {
    case KAL_PROGRAM_POWER: return system->layout.reactions;
    case KAL_PROGRAM_NONIDEAL:
    case KAL_PROGRAM_CONTACTS:
    case KAL_PROGRAM_TANGENT: return system->layout.forces;
    case KAL_PROGRAM_SWITCHES: return system->layout.energy;
    case KAL_PROGRAM_OUTPUTS:
    case KAL_PROGRAM_LATE_MARKS:
    case KAL_PROGRAM_EVENTS:
    case KAL_PROGRAM_RATES:
    case KAL_PROGRAM_HOLDS:
    case KAL_PROGRAM_ACTIONS: return system->layout.count;
    case KAL_PROGRAM_GIVENS:
    case KAL_PROGRAM_POSITION:
    case KAL_PROGRAM_VELOCITY:
    case KAL_PROGRAM_ENERGY:
    case KAL_PROGRAM_EVENT_ROWS:
    case KAL_PROGRAM_CONSTANTS:
    case KAL_PROGRAM_START:
    case KAL_PROGRAM_PEAKS:
    case KAL_PROGRAM_PULSES:
    case KAL_PROGRAM_MARKS:
    case KAL_PROGRAM_SETTINGS:
    case KAL_PROGRAMS: break;
    }
    return system->layout.qdd;
}

// All symbols that a program may read: variables, then parameters.  NULL: no memory.
static KalExpr *list_symbols(const KalSystem *system)
{
    const KalModel *model = system->model;
    KalExpr *symbols = (KalExpr *)kal_alloc(
        system->ctx, system->layout.count + model->n_parameters, sizeof *symbols);
    if (symbols) {
        kal_system_variables(system, symbols);
    }
    for (size_t i = 0; symbols && i < model->n_parameters; i++) {
        symbols[system->layout.count + i] = model->parameters[i].symbol;
    }
    return symbols;
}

static KalProgramSpec specify(const KalSystem *system, const KalExpr *symbols)
{
    assert(symbols);
    return (KalProgramSpec){.parameters = symbols + system->layout.count,
                            .n_parameters = system->model->n_parameters,
                            .variables = symbols,
                            .n_variables = system->layout.count};
}

static void free_symbols(const KalSystem *system, KalExpr *symbols)
{
    kal_free(system->ctx, symbols,
             (system->layout.count + system->model->n_parameters) * sizeof *symbols);
}

static KalStatus compile_all(KalSystem *system)
{
    KalExpr *symbols = list_symbols(system);
    if (!symbols) {
        return kal_no_memory(system->ctx, "for programs");
    }
    KalProgramSpec spec = specify(system, symbols);
    KalStatus status = KAL_OK;
    kal_graph_pack(
        system->model->graph); // programs take much memory while they are made
    spec.plain = true;
    for (int id = 0; id < KAL_PROGRAMS && status == KAL_OK; id++) {
        spec.n_variables = count_variables(system, (KalProgramId)id);
        status = compile(system, (KalProgramId)id, spec);
    }
    free_symbols(system, symbols);
    return status;
}

KalStatus kal_system_compile(const KalSystem *system, const KalExpr *outputs,
                             size_t count, KalProgram **out_program)
{
    assert(out_program && (outputs || count == 0));
    KalExpr *symbols = list_symbols(system);
    if (!symbols) {
        return kal_no_memory(system->ctx, "for programs");
    }
    KalProgramSpec spec = specify(system, symbols);
    spec.outputs = outputs;
    spec.n_outputs = count;
    const KalStatus status =
        kal_program_create(system->model->graph, &spec, out_program);
    free_symbols(system, symbols);
    return status;
}

// Where the equations of motion are made of pieces, or of pulses.
static KalStatus note_switches(KalSystem *system)
{
    Outputs outputs = {.ctx = system->ctx};
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        if (makes_motion((KalProgramId)id)) {
            collect(system, (KalProgramId)id, &outputs);
        }
    }
    const KalExpr *list = (const KalExpr *)outputs.list.data;
    const size_t count = outputs.list.size / sizeof *list;
    KalStatus status = outputs.status;
    status = status == KAL_OK ? kal_system_find_switches(system, list, count) : status;
    status = status == KAL_OK ? kal_system_find_peaks(system, list, count) : status;
    status = status == KAL_OK ? kal_system_find_pulses(system, list, count) : status;
    kal_block_clear(system->ctx, &outputs.list);
    return status;
}

// The settings of the parameters as they are.
static KalStatus evaluate_settings(KalSystem *system)
{
    assert(system->n_results[KAL_PROGRAM_SETTINGS] == kal_settings_results(system));
    const KalModel *model = system->model;
    const size_t results = kal_settings_results(system);
    const size_t work = kal_program_work(system->programs[KAL_PROGRAM_SETTINGS]);
    const size_t count = results + work + system->layout.count;
    double *memory = (double *)kal_alloc(system->ctx, count, sizeof *memory);
    if (!memory) {
        return kal_no_memory(system->ctx, "for parameters");
    }
    for (size_t i = 0; i < model->n_parameters; i++) {
        system->settings.parameters[i] = model->parameters[i].number;
    }
    const KalSettingsWork w = {memory, memory + work, memory + work + results};
    const KalStatus status =
        kal_settings_evaluate(&system->settings, system->ctx, system, NULL, w);
    kal_free(system->ctx, memory, count * sizeof *memory);
    return status;
}

// Which reactions the non-ideal forces depend on, and which forces and constraints have
// symbols.
static KalStatus note_uses(KalSystem *system)
{
    const KalModel *model = system->model;
    KalOrder order = {.ctx = NULL};
    KAL_TRY(
        kal_order_init(model->graph, system->equations->C, (size_t)system->n, &order));
    for (uint32_t i = 0; i < order.count; i++) {
        const KalStep *step = &order.steps[i];
        if (step->op == KAL_OP_SYMBOL
            && model->symbols[step->arg[0]].kind == KAL_SYMBOL_REACTION) {
            system->reaction_used[model->symbols[step->arg[0]].index] = true;
        }
    }
    kal_order_clear(&order);
    size_t force = 0;
    for (size_t id = 0; id < model->n_symbols; id++) {
        if (model->symbols[id].kind == KAL_SYMBOL_COORDINATE_FORCE) {
            system->forces[force++] = model->symbols[id].index;
        }
    }
    assert(force == system->n_forces);
    size_t active = 0;
    for (size_t i = 0; i < model->n_constraints; i++) {
        if (model->constraints[i].active.index != 0) {
            system->actives[active++] = (uint32_t)i;
        }
    }
    assert(active == system->n_actives);
    return KAL_OK;
}

// Which constraints wait for an event, and what events depend on.
static KalStatus note_events(KalSystem *system)
{
    const uint64_t state =
        UINT64_C(1) << KAL_SYMBOL_TIME | UINT64_C(1) << KAL_SYMBOL_PARAMETER
        | UINT64_C(1) << KAL_SYMBOL_COORDINATE | UINT64_C(1) << KAL_SYMBOL_VELOCITY
        | UINT64_C(1) << KAL_SYMBOL_ENERGY | UINT64_C(1) << KAL_SYMBOL_ACTIVE
        | UINT64_C(1) << KAL_SYMBOL_STATE | UINT64_C(1) << KAL_SYMBOL_HOLD;
    const KalModel *model = system->model;
    for (int i = 0; i < system->m; i++) {
        system->starts_active[i] = system->equations->acts[i];
    }
    for (size_t e = 0; e < model->n_events; e++) {
        uint64_t kinds = 0;
        KAL_TRY(kal_model_kinds_in(model, model->events[e].value, &kinds));
        system->events_need_solve = system->events_need_solve || (kinds & ~state);
        KAL_TRY(kal_system_is_bounded(system, model->events[e].value,
                                      &system->bounds.exact[e]));
        system->bounds.velocity[e] = (kinds >> KAL_SYMBOL_VELOCITY & 1) != 0;
    }
    return KAL_OK;
}

// Whether states and holds depend on what only a solve gives.
static KalStatus note_dynamics(KalSystem *system)
{
    const KalModel *model = system->model;
    uint64_t kinds = 0;
    bool bounded = true;
    for (size_t i = 0; i < model->n_states; i++) {
        KAL_TRY(kal_model_kinds_in(model, model->states[i].rate, &kinds));
        system->rates_need_solve =
            system->rates_need_solve || (kinds >> KAL_SYMBOL_CONTROL & 1) != 0;
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        KAL_TRY(kal_system_is_bounded(system, model->holds[i].value, &bounded));
        system->holds_need_solve = system->holds_need_solve || !bounded;
    }
    return KAL_OK;
}

// The derivatives of events by q and q'.
static KalStatus derive_events(KalSystem *system)
{
    const size_t n = (size_t)system->n;
    Outputs events = {.ctx = system->ctx};
    collect_bounded(system, &events);
    const size_t count = events.list.size / sizeof(KalExpr);
    for (size_t i = 0; i < n; i++) {
        add(&events, system->model->coordinates[i].q);
    }
    for (size_t i = 0; i < n; i++) {
        add(&events, system->model->coordinates[i].v);
    }
    const KalExpr *list = (const KalExpr *)events.list.data;
    const KalStatus status =
        events.status == KAL_OK
            ? kal_jacobian(system->model->graph, list, count, list + count, 2 * n,
                           &system->bounds.rows)
            : events.status;
    kal_block_clear(system->ctx, &events.list);
    return status;
}

static KalStatus note_mass(KalSystem *system)
{
    const KalSparse *M = &system->equations->M;
    system->constant_mass = true;
    for (int64_t k = 0; k < M->start[M->rows]; k++) {
        uint64_t kinds = 0;
        KAL_TRY(kal_model_kinds_in(system->model, M->value[k], &kinds));
        system->constant_mass =
            system->constant_mass
            && (kinds & ~(UINT64_C(1) << KAL_SYMBOL_PARAMETER)) == 0;
    }
    return KAL_OK;
}

static size_t count_names(const KalSystem *system)
{
    return (size_t)system->n + (size_t)system->m + (size_t)system->n_outputs
           + (size_t)system->n_states + (size_t)system->n_holds
           + (size_t)system->n_actuators;
}

static void fill_names(KalSystem *system)
{
    const KalModel *model = system->model;
    const char **name = system->names;
    for (size_t i = 0; i < model->n_coordinates; i++) {
        *name++ = model->coordinates[i].name;
    }
    for (size_t i = 0; i < model->n_constraints; i++) {
        *name++ = model->constraints[i].name;
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        *name++ = model->outputs[i].name;
    }
    for (size_t i = 0; i < model->n_states; i++) {
        *name++ = model->states[i].name;
    }
    for (size_t i = 0; i < model->n_holds; i++) {
        *name++ = model->holds[i].name;
    }
    for (size_t i = 0; i < model->n_actuators; i++) {
        *name++ = model->actuators[i].name;
    }
}

static KalStatus count_sizes(KalSystem *system)
{
    const KalModel *model = system->model;
    if (model->n_coordinates == 0) {
        kal_diagnostics_add(system->diagnostics, KAL_SEVERITY_ERROR,
                            (KalSpan){.source = system->source},
                            "the model has no coordinates; declare them with 'coord'");
        return kal_diagnostics_fail(system->diagnostics, KAL_ERR_SYNTAX);
    }
    KAL_TRY(kal_contacts_check(system));
    const size_t most = kal_usual_times(system->ctx, KAL_SYSTEM_LIMIT);
    if (model->n_coordinates > most || model->n_constraints > most) {
        return kal_fail(
            system->ctx, KAL_ERR_LIMIT,
            "the model has %zu coordinates and %zu constraints; %zu of each "
            "are the most",
            model->n_coordinates, model->n_constraints, most);
    }
    system->n = (int)model->n_coordinates;
    system->m = (int)model->n_constraints;
    system->n_outputs = (int)model->n_outputs;
    system->n_actuators = (int)model->n_actuators;
    system->n_servos = (int)model->n_servos;
    system->n_states = (int)model->n_states;
    system->n_holds = (int)model->n_holds;
    for (size_t id = 0; id < model->n_symbols; id++) {
        system->n_forces += model->symbols[id].kind == KAL_SYMBOL_COORDINATE_FORCE;
        system->n_actives += model->symbols[id].kind == KAL_SYMBOL_ACTIVE;
    }
    return KAL_OK;
}

static KalStatus allocate_tables(KalSystem *system)
{
    KalArena *arena = system->arena;
    system->names = kal_arena_alloc(arena, count_names(system), sizeof *system->names);
    double *settings =
        kal_arena_alloc(arena, kal_settings_count(system), sizeof *settings);
    system->forces = kal_arena_alloc(arena, system->n_forces, sizeof *system->forces);
    system->actives =
        kal_arena_alloc(arena, system->n_actives, sizeof *system->actives);
    system->reaction_used =
        kal_arena_alloc(arena, (size_t)system->m, sizeof *system->reaction_used);
    system->starts_active =
        kal_arena_alloc(arena, (size_t)system->m, sizeof *system->starts_active);
    system->bounds.exact =
        kal_arena_alloc(arena, system->model->n_events, sizeof *system->bounds.exact);
    system->bounds.velocity = kal_arena_alloc(arena, system->model->n_events,
                                              sizeof *system->bounds.velocity);
    const bool done = system->names && settings && system->forces && system->actives
                      && system->reaction_used && system->starts_active
                      && system->bounds.exact && system->bounds.velocity;
    if (!done) {
        return kal_no_memory(system->ctx, "for the system");
    }
    fill_names(system);
    kal_settings_place(&system->settings, system, settings);
    return KAL_OK;
}

// What frictions are limited by: KAL_CONTACT_LIMITS formulas of each contact.
static void collect_limits(const KalEquations *e, Outputs *out)
{
    for (size_t i = 0; i < e->model->n_contacts; i++) {
        add_or_zero(out, e->model->graph, e->model->contacts[i].limit);
        add_or_zero(out, e->model->graph, e->model->contacts[i].hold);
    }
}

// What depends on reactions may depend on an arbitrary choice.
static KalStatus derive_doubts(KalSystem *system)
{
    const KalModel *model = system->model;
    Outputs formulas = {.ctx = system->ctx};
    collect_outputs(model, &formulas);
    collect_events(model, &formulas);
    collect_actions(model, &formulas);
    collect_limits(system->equations, &formulas);
    collect_holds(model, &formulas);
    KalStatus status = formulas.status;
    if (status == KAL_OK) {
        status = kal_doubts_init(&system->doubts, system,
                                 (const KalExpr *)formulas.list.data,
                                 formulas.list.size / sizeof(KalExpr));
    }
    kal_block_clear(system->ctx, &formulas.list);
    return status;
}

KalStatus kal_system_compile_model(KalSystem *system, const KalLoadOptions *options)
{
    assert(system->model && !system->equations);
    kal_load_enter(options, KAL_LOAD_DERIVE);
    KAL_TRY(count_sizes(system));
    KAL_TRY(kal_derive(system->model, system->diagnostics, &system->equations));
    KAL_TRY(kal_system_warn(system->equations, system->diagnostics));
    KAL_TRY(allocate_tables(system));
    fill_layout(system);
    KAL_TRY(note_uses(system));
    KAL_TRY(note_events(system));
    KAL_TRY(derive_events(system));
    KAL_TRY(note_dynamics(system));
    KAL_TRY(note_mass(system));
    // Control depends on the state in ways that these derivatives do not know.
    if (options->stiff && system->n_servos == 0) {
        KAL_TRY(kal_tangent_derive(system));
        system->tangent.derived = true;
    }
    if (options->balance) {
        KAL_TRY(kal_work_derive(system));
    }
    kal_graph_pack(
        system->model->graph); // what follows takes memory, and seldom builds
    KAL_TRY(note_switches(system));
    KAL_TRY(kal_system_find_marks(system));
    kal_load_enter(options, KAL_LOAD_COMPILE);
    KAL_TRY(derive_doubts(system));
    KAL_TRY(compile_all(system));
    if (system->n <= KAL_ROAD_COORDINATES) {
        KAL_TRY(kal_transcript_order(system->equations, &system->givens));
    }
    KAL_TRY(evaluate_settings(system));
    KAL_TRY(kal_system_warn_of_reach(system));
    kal_model_freeze(system->model); // its memory serves what follows
    return KAL_OK;
}

void kal_system_destroy(KalSystem *system)
{
    if (!system) {
        return;
    }
    for (int id = 0; id < KAL_PROGRAMS; id++) {
        kal_program_destroy(system->programs[id]);
    }
    kal_native_clear(&system->code);
    kal_doubts_clear(&system->doubts);
    kal_sparse_clear(&system->tangent.R);
    kal_sparse_clear(&system->tangent.S);
    kal_sparse_clear(&system->tangent.F);
    kal_sparse_clear(&system->bounds.rows);
    kal_conservation_destroy(system->balance.conserved);
    kal_order_clear(&system->givens);
    kal_equations_destroy(system->equations);
    kal_model_destroy(system->model);
    kal_diagnostics_destroy(system->diagnostics);
    kal_sources_destroy(system->sources);
    kal_arena_destroy(system->arena);
    kal_free(system->ctx, system, sizeof *system);
}

// SPDX-License-Identifier: MIT

// A plan is made in this order: what cannot be exported is refused; the model starts, as a run
// of it does; rows that are independent there are those of the acceleration; names are found;
// programs are listed.

#include "export/plan.h"

#include "export/border.h"
#include "export/fast.h"
#include "export/names.h"
#include "export/sparse.h"
#include "export/tangent.h"
#include "sim/access.h"
#include "system/transcript.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 28,
    MOST_COORDINATES = 1000,
    MOST_CONSTRAINTS = 1000,
    TEXT_SIZE = 64,
    MANY_SAMPLES = 1000, // for which a run has programs from its start on
    RETURN_WORDS = 6     // of the way back, behind q and q' (docs/internals/road.md)
};

// What the sources could not do is named, never left out.
static KalStatus check_contents(KalExportPlan *plan)
{
    if (plan->system->n > MOST_COORDINATES || plan->system->m > MOST_CONSTRAINTS) {
        return kal_fail(
            plan->ctx, KAL_ERR_LIMIT,
            "the model has %d coordinates and %d constraints; %d and %d are the "
            "most for an export, whose general solution is dense",
            plan->system->n, plan->system->m, MOST_COORDINATES, MOST_CONSTRAINTS);
    }
    const KalModel *model = plan->system->model;
    if (model->n_servos > 0 && model->n_contacts > 0) {
        return kal_fail(plan->ctx, KAL_ERR_USAGE,
                        "a model with both servos and contacts cannot be exported: the "
                        "sources do not decide about '%s' together with '%s'",
                        model->contacts[0].name, model->servos[0].name);
    }
    return KAL_OK;
}

static KalStatus note_reactions(KalExportPlan *plan)
{
    const KalModel *model = plan->draft.model;
    plan->reactions_in =
        kal_arena_alloc(plan->arena, model->n_outputs + 1, sizeof(bool));
    if (!plan->reactions_in) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    for (size_t i = 0; i < model->n_outputs; i++) {
        uint64_t kinds = 0;
        KAL_TRY(kal_model_kinds_in(model, model->outputs[i].value, &kinds));
        plan->reactions_in[i] = (kinds >> KAL_SYMBOL_REACTION & 1) != 0;
        plan->shows_reactions = plan->shows_reactions || plan->reactions_in[i];
    }
    return KAL_OK;
}

static KalStatus note_limit(KalExportPlan *plan, KalExpr limit)
{
    uint64_t kinds = 0;
    if (limit.index != KAL_NO_EXPR.index) {
        KAL_TRY(kal_model_kinds_in(plan->draft.model, limit, &kinds));
    }
    plan->limits_react = plan->limits_react || (kinds >> KAL_SYMBOL_REACTION & 1) != 0;
    return KAL_OK;
}

// Whether limits of frictions depend on reactions.
static KalStatus note_limits(KalExportPlan *plan)
{
    const KalModel *model = plan->draft.model;
    for (size_t i = 0; i < model->n_contacts; i++) {
        KAL_TRY(note_limit(plan, model->contacts[i].limit));
        KAL_TRY(note_limit(plan, model->contacts[i].hold));
    }
    return KAL_OK;
}

// Whether some constraint does not act all the time.
static bool may_change(const KalSystem *system)
{
    bool changes = system->model->n_contacts > 0;
    for (int i = 0; i < system->m; i++) {
        changes = changes || !system->starts_active[i];
    }
    for (size_t i = 0; i < system->model->n_events; i++) {
        const KalEvent *event = &system->model->events[i];
        for (size_t k = 0; k < event->n_actions; k++) {
            changes = changes || event->actions[k].kind == KAL_ACTION_RELEASE
                      || event->actions[k].kind == KAL_ACTION_ENGAGE;
        }
    }
    return changes;
}

// The start of the model alone, where its accelerations are not unique and no run begins.
static KalStatus start_instant(KalExportPlan *plan)
{
    KalStartReport report;
    KAL_TRY(
        kal_instant_create_dense(plan->ctx, plan->system, "an export", &plan->instant));
    return kal_instant_start(plan->instant, &report);
}

static KalStatus start(KalExportPlan *plan)
{
    KalRunOptions options = kal_run_options(plan->system);
    KalStartReport report;
    options.every = (options.until - options.from) / MANY_SAMPLES; // programs are made
    options.every = options.every > 0.0 ? options.every : 1.0;
    KAL_TRY(kal_run_create(plan->ctx, plan->system, &options, &plan->run));
    const KalStatus status = kal_run_start(plan->run, &report);
    if (status == KAL_ERR_NOT_UNIQUE) {
        kal_run_destroy(plan->run);
        plan->run = NULL;
        return start_instant(plan);
    }
    plan->instant = kal_run_instant(plan->run);
    return status;
}

// The rows that the run found independent; where it did not look, all of them if they are.
static KalStatus choose_rows(KalExportPlan *plan)
{
    const size_t m = (size_t)plan->system->m;
    const KalInstant *instant = plan->instant;
    plan->rows = kal_arena_alloc(plan->arena, m + 1, sizeof *plan->rows);
    plan->active = kal_arena_alloc(plan->arena, m + 1, sizeof *plan->active);
    if (!plan->rows || !plan->active) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    memcpy(plan->active, instant->active, m * sizeof *plan->active);
    plan->n_active = instant->n_active;
    if (!plan->run) {
        return KAL_OK;
    }
    for (int k = 0; k < instant->ranks.n_independent; k++) {
        plan->rows[instant->rows[instant->ranks.independent[k]]] = true;
    }
    plan->n_rows = instant->ranks.n_independent;
    if (plan->n_rows == 0 && kal_run_answer(plan->run)->rank_A == plan->n_active) {
        memcpy(plan->rows, plan->active, m * sizeof *plan->rows);
        plan->n_rows = plan->n_active;
    }
    return KAL_OK;
}

// M, Q, A and b of the draft, in the order of KAL_PROGRAM_GIVENS.
static KalStatus compile_givens(KalExportPlan *plan)
{
    const KalEquations *e = &plan->draft.equations;
    const size_t of_M = (size_t)e->M.start[e->n];
    const size_t of_A = (size_t)e->A.start[e->m];
    const size_t count = of_M + e->n + of_A + e->m;
    KalExpr *roots = kal_arena_alloc(plan->arena, count + 1, sizeof *roots);
    if (!roots) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    memcpy(roots, e->M.value, of_M * sizeof *roots);
    memcpy(roots + of_M, e->Q, e->n * sizeof *roots);
    if (e->m > 0) {
        memcpy(roots + of_M + e->n, e->A.value, of_A * sizeof *roots);
        memcpy(roots + of_M + e->n + of_A, e->b, e->m * sizeof *roots);
    }
    return kal_system_compile(&plan->draft.system, roots, count, &plan->givens);
}

// Inputs are forces B u: the draft's equations get them, with programs of their own.
static KalStatus add_inputs(KalExportPlan *plan)
{
    KalModel *model = plan->draft.model;
    KalEquations *e = &plan->draft.equations;
    KalExpr *Q = kal_arena_alloc(plan->arena, e->n, sizeof *Q);
    if (!Q) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    for (size_t i = 0; i < e->n; i++) {
        Q[i] = e->Q[i];
        for (int64_t k = e->B.start[i]; k < e->B.start[i + 1]; k++) {
            const KalExpr input = model->actuators[e->B.column[k]].input;
            Q[i] = kal_add(model->graph, Q[i],
                           kal_mul(model->graph, e->B.value[k], input));
        }
    }
    e->Q = Q;
    KAL_TRY(kal_transcript_order(e, &plan->order));
    plan->draft.system.givens = plan->order;
    return compile_givens(plan);
}

// Lists of names, by what they are of.
typedef const char *(*KalNameOf)(const KalModel *model, size_t i,
                                 const char **out_unit);

static const char *name_of_parameter(const KalModel *model, size_t i, const char **unit)
{
    *unit = model->parameters[i].degrees ? "rad" : model->parameters[i].unit;
    return model->parameters[i].name;
}

static const char *name_of_coordinate(const KalModel *model, size_t i,
                                      const char **unit)
{
    *unit = model->coordinates[i].unit;
    return model->coordinates[i].name;
}

static const char *name_of_constraint(const KalModel *model, size_t i,
                                      const char **unit)
{
    *unit = NULL;
    return model->constraints[i].name;
}

static const char *name_of_output(const KalModel *model, size_t i, const char **unit)
{
    *unit = model->outputs[i].unit;
    return model->outputs[i].name;
}

static const char *name_of_state(const KalModel *model, size_t i, const char **unit)
{
    *unit = model->states[i].unit;
    return model->states[i].name;
}

static const char *name_of_hold(const KalModel *model, size_t i, const char **unit)
{
    *unit = model->holds[i].unit;
    return model->holds[i].name;
}

static const char *name_of_event(const KalModel *model, size_t i, const char **unit)
{
    *unit = NULL;
    return model->events[i].name;
}

static const char *name_of_contact(const KalModel *model, size_t i, const char **unit)
{
    *unit = NULL;
    return model->contacts[i].name;
}

static const char *name_of_servo(const KalModel *model, size_t i, const char **unit)
{
    *unit = NULL;
    return model->servos[i].name;
}

static const char *name_of_input(const KalModel *model, size_t i, const char **unit)
{
    *unit = NULL;
    return model->actuators[i].name;
}

static KalStatus list_names(KalExportPlan *plan, KalNameOf name_of, size_t count,
                            KalExportNames *names)
{
    names->typed = kal_arena_alloc(plan->arena, count + 1, sizeof *names->typed);
    names->own = kal_arena_alloc(plan->arena, count + 1, sizeof *names->own);
    names->units = kal_arena_alloc(plan->arena, count + 1, sizeof *names->units);
    if (!names->typed || !names->own || !names->units) {
        return kal_no_memory(plan->ctx, "for names");
    }
    names->count = count;
    for (size_t i = 0; i < count; i++) {
        names->typed[i] = name_of(plan->system->model, i, &names->units[i]);
    }
    return kal_c_identifiers(plan->arena, names->typed, count, "", names->own, 0)
               ? KAL_OK
               : kal_no_memory(plan->ctx, "for names");
}

// Two functions of each contact come after those of the model.
static KalStatus list_events(KalExportPlan *plan)
{
    static const char *const what[] = {"touches", "grips"};
    const size_t own = plan->system->model->n_events;
    const size_t count = own + 2 * plan->names.contacts.count;
    KalExportNames model = {.count = 0};
    KAL_TRY(list_names(plan, name_of_event, own, &model));
    KalExportNames *all = &plan->names.events;
    all->typed = kal_arena_alloc(plan->arena, count + 1, sizeof *all->typed);
    all->own = kal_arena_alloc(plan->arena, count + 1, sizeof *all->own);
    all->units = kal_arena_alloc(plan->arena, count + 1, sizeof *all->units);
    if (!all->typed || !all->own || !all->units) {
        return kal_no_memory(plan->ctx, "for names");
    }
    memcpy(all->typed, model.typed, own * sizeof *all->typed);
    all->count = count;
    for (size_t i = own; i < count; i++) {
        const char *name = plan->names.contacts.typed[(i - own) / 2];
        const size_t size = strlen(name) + TEXT_SIZE;
        char *text = kal_arena_alloc(plan->arena, size, 1);
        if (!text) {
            return kal_no_memory(plan->ctx, "for names");
        }
        (void)snprintf(text, size, "%s(%s)", what[(i - own) % 2], name);
        all->typed[i] = text;
    }
    return kal_c_identifiers(plan->arena, all->typed, count, "", all->own, 0)
               ? KAL_OK
               : kal_no_memory(plan->ctx, "for names");
}

// Identifiers of all kinds of names; with servos actuators are controls, without they are
// inputs.
static KalStatus list_all_names(KalExportPlan *plan, const char *name)
{
    assert(name && !plan->name);
    const KalModel *model = plan->system->model;
    plan->name = kal_c_model_name(plan->arena, name);
    if (!plan->name) {
        return kal_no_memory(plan->ctx, "for names");
    }
    if (strlen(plan->name) >= KAL_EXPORT_NAME_SIZE) {
        return kal_fail(plan->ctx, KAL_ERR_USAGE,
                        "the name of the model is too long for functions in C: give a "
                        "shorter one");
    }
    KAL_TRY(list_names(plan, name_of_parameter, model->n_parameters,
                       &plan->names.parameters));
    KAL_TRY(list_names(plan, name_of_coordinate, model->n_coordinates,
                       &plan->names.coordinates));
    KAL_TRY(list_names(plan, name_of_constraint, model->n_constraints,
                       &plan->names.constraints));
    KAL_TRY(list_names(plan, name_of_output, model->n_outputs, &plan->names.outputs));
    KAL_TRY(list_names(plan, name_of_state, model->n_states, &plan->names.states));
    KAL_TRY(list_names(plan, name_of_hold, model->n_holds, &plan->names.holds));
    KAL_TRY(
        list_names(plan, name_of_contact, model->n_contacts, &plan->names.contacts));
    KAL_TRY(list_events(plan));
    KAL_TRY(list_names(plan, name_of_servo, model->n_servos, &plan->names.servos));
    const bool served = model->n_servos > 0;
    KAL_TRY(list_names(plan, name_of_input, served ? 0 : model->n_actuators,
                       &plan->names.inputs));
    return list_names(plan, name_of_input, served ? model->n_actuators : 0,
                      &plan->names.controls);
}

// A text in the arena.
static const char *keep(KalExportPlan *plan, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = kal_arena_alloc(plan->arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

static const char *place_of(KalExportPlan *plan, const char *array, size_t i)
{
    char text[TEXT_SIZE];
    (void)snprintf(text, sizeof text, "%s[%zu]", array, i);
    return keep(plan, text);
}

static const char *number(KalExportPlan *plan, double value)
{
    char text[TEXT_SIZE];
    kal_c_number(value, plan->single, text);
    return keep(plan, text);
}

bool kal_export_is_free(const KalExportPlan *plan, size_t parameter)
{
    const KalParameter *p = &plan->system->model->parameters[parameter];
    return !p->structural && !p->decided;
}

// Parameters are members of a struct; those that the structure depends on are numbers.
static KalStatus spell_parameters(KalExportPlan *plan)
{
    const size_t count = plan->names.parameters.count;
    const char **texts = kal_arena_alloc(plan->arena, count + 1, sizeof *texts);
    bool fits = texts;
    for (size_t i = 0; i < count && fits; i++) {
        const char *own = plan->names.parameters.own[i];
        const size_t size = strlen(own) + TEXT_SIZE;
        char *text = kal_arena_alloc(plan->arena, size, 1);
        if (text) {
            (void)snprintf(text, size, "params->%s", own);
        }
        texts[i] = kal_export_is_free(plan, i)
                       ? text
                       : number(plan, plan->system->settings.parameters[i]);
        fits = texts[i];
    }
    plan->texts.parameters = texts;
    return fits ? KAL_OK : kal_no_memory(plan->ctx, "for names");
}

// An input as the equations have it: cut at its limit, if there is one.  Beyond that it has no
// change along a direction, whatever `seed`, its part of it, is (NULL: the input itself).
static const char *spell_input(KalExportPlan *plan, size_t i, const char *seed)
{
    const KalActuator *actuators = plan->system->model->actuators;
    char text[2 * TEXT_SIZE];
    size_t place = 0;
    if (actuators[i].limit.index == KAL_NO_EXPR.index) {
        return seed ? seed : place_of(plan, "state->u", i);
    }
    for (size_t k = 0; k < i; k++) {
        place += actuators[k].limit.index != KAL_NO_EXPR.index;
    }
    (void)snprintf(text, sizeof text, "%s%s%sstate->u[%zu], work->limit[%zu])",
                   seed ? "change_limited(" : "limited(", seed ? seed : "",
                   seed ? ", " : "", i, place);
    return keep(plan, text);
}

// Whether a constraint acts; of the rows of contacts, whether it is closed or holds.
static const char *spell_active(KalExportPlan *plan, const KalConstraint *constraint,
                                size_t i)
{
    char array[TEXT_SIZE / 2];
    const bool own = constraint->role == KAL_ROLE_USUAL;
    (void)snprintf(array, sizeof array, "(%s)state->%s",
                   plan->single ? "float" : "double",
                   own                                ? "active"
                   : constraint->role == KAL_ROLE_GAP ? "closed"
                                                      : "holds");
    return place_of(plan, array, own ? i : constraint->contact);
}

// The text of a variable as KalLayout has it.
static const char *spell_variable(KalExportPlan *plan, size_t i)
{
    const KalSystem *system = plan->system;
    const KalLayout *l = &system->layout;
    if (i < l->q) {
        return "state->t";
    }
    if (i < l->states) {
        return i < l->qd ? place_of(plan, "state->q", i - l->q)
                         : place_of(plan, "state->qd", i - l->qd);
    }
    if (i < l->active) {
        return i < l->holds ? place_of(plan, "state->s", i - l->states)
                            : place_of(plan, "state->h", i - l->holds);
    }
    if (i < l->qdd) {
        const uint32_t constraint = system->actives[i - l->active];
        if (plan->changes) {
            return spell_active(plan, &system->model->constraints[constraint],
                                constraint);
        }
        return number(plan, plan->active[constraint] ? 1.0 : 0.0);
    }
    if (i < l->forces) {
        return i < l->reactions ? place_of(plan, "answer->qdd", i - l->qdd)
                                : place_of(plan, "answer->lambda", i - l->reactions);
    }
    if (i < l->controls) {
        return place_of(plan, "answer->force", system->forces[i - l->forces]);
    }
    if (i < l->energy) {
        return plan->names.controls.count > 0
                   ? place_of(plan, "answer->control", i - l->controls)
                   : spell_input(plan, i - l->controls, NULL);
    }
    return "answer->energy";
}

// Weights of rows follow the state where the acceleration needs them.
static KalStatus spell_variables(KalExportPlan *plan)
{
    const KalInstant *instant = plan->instant;
    const size_t count = plan->system->layout.count;
    const size_t all = count + (size_t)plan->system->m + plan->names.inputs.count + 1;
    const size_t qdd = plan->system->layout.qdd;
    plan->texts.variables = kal_arena_alloc(plan->arena, all, sizeof(char *));
    plan->texts.fast = kal_arena_alloc(plan->arena, all, sizeof(char *));
    if (!plan->texts.variables || !plan->texts.fast) {
        return kal_no_memory(plan->ctx, "for names");
    }
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        plan->texts.variables[i] = spell_variable(plan, i);
        fits = fits && plan->texts.variables[i];
    }
    memcpy(plan->texts.fast, plan->texts.variables, qdd * sizeof(char *));
    size_t next = qdd;
    for (int k = 0; k < instant->n_active && instant->ranks.lends; k++) {
        if (plan->rows[instant->rows[k]]) {
            plan->texts.fast[next] = number(plan, instant->ranks.weights[k]);
            fits = fits && plan->texts.fast[next++];
        }
    }
    memcpy(plan->texts.fast + next,
           plan->texts.variables + plan->system->layout.controls,
           plan->names.inputs.count * sizeof(char *));
    return fits ? KAL_OK : kal_no_memory(plan->ctx, "for names");
}

// Names within functions, for the time and what a state holds.
static KalStatus name_locals(KalExportPlan *plan)
{
    const KalLayout *l = &plan->system->layout;
    static const char *const time[] = {"t"};
    const size_t all =
        l->count + (size_t)plan->system->m + plan->names.inputs.count + 1;
    plan->texts.locals = kal_arena_alloc(plan->arena, all, sizeof(char *));
    if (!plan->texts.locals) {
        return kal_no_memory(plan->ctx, "for names");
    }
    KalArena *arena = plan->arena;
    const char **names = plan->texts.locals;
    const KalExportNames *q = &plan->names.coordinates;
    const KalExportNames *s = &plan->names.states;
    const KalExportNames *h = &plan->names.holds;
    const bool fits =
        kal_c_identifiers(arena, time, 1, "", names, 0)
        && kal_c_identifiers(arena, q->typed, q->count, "", names, l->q)
        && kal_c_identifiers(arena, q->typed, q->count, "_d", names, l->qd)
        && kal_c_identifiers(arena, s->typed, s->count, "", names, l->states)
        && kal_c_identifiers(arena, h->typed, h->count, "", names, l->holds);
    return fits ? KAL_OK : kal_no_memory(plan->ctx, "for names");
}

static const KalProgram *program_of(const KalExportPlan *plan, KalProgramId id)
{
    return id == KAL_PROGRAM_GIVENS && plan->givens ? plan->givens
                                                    : plan->system->programs[id];
}

// The programs that are written, and which of the system's they are.
static KalStatus list_programs(KalExportPlan *plan)
{
    static const struct {
        const char *name;
        KalProgramId id;
    } list[KAL_EXPORT_PROGRAMS] = {
        [KAL_EXPORT_ACCELERATION] = {"acceleration", KAL_PROGRAMS        },
        [KAL_EXPORT_GIVENS] = {"givens",       KAL_PROGRAM_GIVENS  },
        [KAL_EXPORT_NONIDEAL] = {"nonideal",     KAL_PROGRAM_NONIDEAL},
        [KAL_EXPORT_POSITION] = {"position",     KAL_PROGRAM_POSITION},
        [KAL_EXPORT_VELOCITY] = {"velocity",     KAL_PROGRAM_VELOCITY},
        [KAL_EXPORT_ENERGY] = {"energy",       KAL_PROGRAM_ENERGY  },
        [KAL_EXPORT_OUTPUTS] = {"outputs",      KAL_PROGRAM_OUTPUTS },
        [KAL_EXPORT_RATES] = {"rates",        KAL_PROGRAM_RATES   },
        [KAL_EXPORT_EVENTS] = {"events",       KAL_PROGRAM_EVENTS  },
        [KAL_EXPORT_ACTIONS] = {"actions",      KAL_PROGRAM_ACTIONS },
        [KAL_EXPORT_HOLDS] = {"holds",        KAL_PROGRAM_HOLDS   },
        [KAL_EXPORT_CONTACTS] = {"contacts",     KAL_PROGRAM_CONTACTS},
        [KAL_EXPORT_RETURN] = {"way_back",     KAL_PROGRAMS        },
    };

    const KalSystem *system = plan->system;
    for (int i = 0; i < KAL_EXPORT_RETURN; i++) {
        const bool fast = i == KAL_EXPORT_ACCELERATION;
        const bool levels = i == KAL_EXPORT_POSITION || i == KAL_EXPORT_VELOCITY;
        const bool there =
            fast ? plan->fast != NULL
                 : system->n_results[list[i].id] > 0 && (!levels || system->m > 0);
        if (!there || (i == KAL_EXPORT_NONIDEAL && !system->equations->has_C)) {
            continue;
        }
        plan->programs[i] = (KalCProgram){
            .program = fast ? plan->fast : program_of(plan, list[i].id),
            .name = list[i].name,
            .parameters = plan->texts.parameters,
            .variables = fast ? plan->texts.fast : plan->texts.variables,
            .locals = plan->texts.locals,
            .verdict = plan->at.most_growth,
            .n_verdict = fast ? plan->at.excess + 1 - plan->at.most_growth : 0,
            .single = plan->single,
            .tables = plan->tables,
            .n_tables = plan->n_tables};
        KAL_TRY(
            kal_c_program_prepared(plan->ctx, &plan->programs[i], &plan->prepared[i]));
    }
    return KAL_OK;
}

// The way back of the run, if it has one with the same rows; q, q' and the words are written.
static KalStatus list_return(KalExportPlan *plan)
{
    const KalRoad *road = &plan->instant->road;
    const size_t m = (size_t)plan->system->m;
    const bool there = plan->fast && m > 0 && !plan->single && road->back.program
                       && memcmp(road->rows, plan->rows, m * sizeof *plan->rows) == 0;
    const size_t count = 2 * plan->names.coordinates.count + RETURN_WORDS;
    size_t *chosen = kal_arena_alloc(plan->arena, count, sizeof *chosen);
    if (!chosen) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    for (size_t i = 0; i < count; i++) {
        chosen[i] = i;
    }
    if (!there) {
        return KAL_OK;
    }
    KalCProgram *p = &plan->programs[KAL_EXPORT_RETURN];
    *p = plan->programs[KAL_EXPORT_ACCELERATION];
    p->program = road->back.program;
    p->n_verdict = 0;
    p->name = "way_back";
    p->chosen = chosen;
    p->n_chosen = count;
    return kal_c_program_prepared(plan->ctx, p, &plan->prepared[KAL_EXPORT_RETURN]);
}

// The part of a direction along a variable.
static const char *spell_seed(KalExportPlan *plan, size_t i)
{
    const KalLayout *l = &plan->system->layout;
    const char *seed = place_of(plan, "work->along", i);
    const bool input =
        seed && i >= l->controls && i - l->controls < plan->names.inputs.count;
    return input ? spell_input(plan, i - l->controls, seed) : seed;
}

// Directional derivatives; seeds are in the work memory.
static KalStatus list_tangent(KalExportPlan *plan)
{
    const size_t count = plan->system->layout.count;
    const char **texts = kal_arena_alloc(plan->arena, 2 * count, sizeof *texts);
    const char **locals = kal_arena_alloc(plan->arena, 2 * count, sizeof *locals);
    KAL_TRY(kal_export_make_tangent(plan));
    bool fits = texts && locals;
    for (size_t i = 0; i < count && fits; i++) {
        texts[i] = plan->texts.variables[i];
        locals[i] = plan->texts.locals[i];
        texts[count + i] = spell_seed(plan, i);
        fits = texts[count + i];
    }
    if (!fits) {
        return kal_no_memory(plan->ctx, "for names");
    }
    if (!plan->tangent) {
        return KAL_OK;
    }
    KalCProgram *p = &plan->programs[KAL_EXPORT_TANGENT];
    *p = plan->programs[KAL_EXPORT_GIVENS];
    p->program = plan->tangent;
    p->name = "tangent";
    p->variables = texts;
    p->locals = locals;
    return kal_c_program_prepared(plan->ctx, p, &plan->prepared[KAL_EXPORT_TANGENT]);
}

// Whether a formula of other parameters gives a parameter that is a member of the struct.
static KalStatus follows(const KalExportPlan *plan, size_t i, bool *out_follows)
{
    uint64_t kinds = 0;
    KAL_TRY(kal_model_kinds_in(plan->draft.model,
                               plan->draft.model->parameters[i].value, &kinds));
    *out_follows =
        kal_export_is_free(plan, i) && (kinds >> KAL_SYMBOL_PARAMETER & 1) != 0;
    return KAL_OK;
}

// Some results of the program of settings.
static KalCProgram choose_settings(const KalExportPlan *plan, const char *name,
                                   const size_t *chosen)
{
    return (KalCProgram){.program = plan->system->programs[KAL_PROGRAM_SETTINGS],
                         .name = name,
                         .parameters = plan->texts.parameters,
                         .variables = plan->texts.variables,
                         .locals = plan->texts.locals,
                         .single = plan->single,
                         .tables = plan->tables,
                         .n_tables = plan->n_tables,
                         .chosen = chosen};
}

// Limits and weights of actuators and rates of servos, which follow each other from `first` on.
// Weights without a formula are 1, the others there are none of.
static void list_control(KalExportPlan *plan, size_t first, size_t *chosen)
{
    const KalModel *model = plan->system->model;
    const size_t inputs = model->n_actuators;
    plan->settings.limits = choose_settings(plan, "find_limits", chosen);
    for (size_t i = 0; i < inputs; i++) {
        if (model->actuators[i].limit.index != KAL_NO_EXPR.index) {
            chosen[plan->settings.limits.n_chosen++] = first + i;
        }
    }
    plan->settings.weights = choose_settings(plan, "find_weights", chosen + inputs);
    plan->settings.weights.n_chosen = plan->names.controls.count;
    for (size_t i = 0; i < plan->names.controls.count; i++) {
        chosen[inputs + i] = first + inputs + i;
    }
    plan->settings.decays = choose_settings(plan, "find_decays", chosen + 2 * inputs);
    for (size_t i = 0; i < plan->names.servos.count; i++) {
        if (model->servos[i].rate.index != KAL_NO_EXPR.index) {
            chosen[2 * inputs + plan->settings.decays.n_chosen++] =
                first + 2 * inputs + i;
        }
    }
}

// Results of the program of settings: parameters come first, conditions last.
static KalStatus list_settings(KalExportPlan *plan)
{
    const KalSystem *system = plan->system;
    const size_t n = plan->names.parameters.count;
    const size_t conditions = system->model->n_conditions;
    const size_t holds = plan->names.holds.count;
    const size_t first =
        n + 2 * plan->names.coordinates.count + plan->names.states.count + holds;
    const size_t control = 2 * system->model->n_actuators + plan->names.servos.count;
    size_t *chosen = kal_arena_alloc(plan->arena, n + conditions + holds + control + 1,
                                     sizeof *chosen);
    if (!chosen) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    plan->settings.follow = choose_settings(plan, "find_followers", chosen);
    for (size_t i = 0; i < n; i++) {
        bool yes = false;
        KAL_TRY(follows(plan, i, &yes));
        if (yes) {
            chosen[plan->settings.follow.n_chosen++] = i;
        }
    }
    plan->settings.conditions = choose_settings(plan, "find_conditions", chosen + n);
    for (size_t i = 0; i < conditions; i++) {
        chosen[n + i] = kal_settings_results(system) - conditions + i;
    }
    plan->settings.conditions.n_chosen = conditions;
    plan->settings.periods =
        choose_settings(plan, "find_periods", chosen + n + conditions);
    plan->settings.periods.n_chosen = holds;
    for (size_t i = 0; i < holds; i++) {
        chosen[n + conditions + i] = first + i;
    }
    list_control(plan, first + holds, chosen + n + conditions + holds);
    return KAL_OK;
}

// In the order of the head of this file: what comes later relies on what is there.
KalStatus kal_export_plan_init(KalExportPlan *plan, KalContext *ctx,
                               const KalSystem *system, const KalExportOptions *options,
                               bool derives)
{
    assert(plan && ctx && system && options);
    *plan = (KalExportPlan){.ctx = ctx, .system = system, .single = options->single};
    KAL_TRY(kal_arena_create(ctx, MOST_BYTES, &plan->arena));
    KAL_TRY(check_contents(plan));
    plan->changes = may_change(system);
    KAL_TRY(kal_draft_init(&plan->draft, ctx, system));
    KAL_TRY(note_reactions(plan));
    KAL_TRY(note_limits(plan));
    plan->tables = system->model->tables;
    plan->n_tables = system->model->n_tables;
    KAL_TRY(start(plan));
    KAL_TRY(choose_rows(plan));
    KAL_TRY(list_all_names(plan, options->name ? options->name : system->title));
    if (plan->names.inputs.count > 0) {
        KAL_TRY(add_inputs(plan));
    }
    KAL_TRY(kal_export_make_sparse(plan));
    KAL_TRY(kal_export_make_fast(plan));
    KAL_TRY(spell_parameters(plan));
    KAL_TRY(spell_variables(plan));
    KAL_TRY(name_locals(plan));
    KAL_TRY(list_programs(plan));
    KAL_TRY(list_return(plan));
    if (derives) {
        KAL_TRY(list_tangent(plan));
        KAL_TRY(kal_export_list_borders(plan));
    }
    return list_settings(plan);
}

void kal_export_plan_clear(KalExportPlan *plan)
{
    kal_program_destroy(plan->fast);
    kal_program_destroy(plan->givens);
    kal_program_destroy(plan->tangent);
    kal_program_destroy(plan->borders.program);
    kal_program_destroy(plan->borders.schedule);
    kal_order_clear(&plan->order);
    kal_draft_clear(&plan->draft);
    if (plan->run) {
        kal_run_destroy(plan->run);
    } else {
        kal_instant_destroy(plan->instant);
    }
    kal_arena_destroy(plan->arena);
}

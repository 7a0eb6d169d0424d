// SPDX-License-Identifier: MIT

// What follows from parameters: their values and formulas, initialization, and the start.

#include "export/write_impl.h"

#include <assert.h>
#include <string.h>

static void write_defaults(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalExportNames *names = &plan->names.parameters;
    size_t members = 0;
    kal_page_format(page, "void %s_default_params(%s_params *params)\n{\n", plan->name,
                    plan->name);
    for (size_t i = 0; i < names->count; i++) {
        if (kal_export_is_free(plan, i)) {
            kal_page_format(page, "    params->%s = ", names->own[i]);
            kal_export_number(page, plan, plan->system->settings.parameters[i]);
            kal_page_string(page, ";\n");
            members++;
        }
    }
    kal_page_string(page, members > 0 ? "}\n\n" : "    params->none = 0;\n}\n\n");
}

// A function of parameters: some results of the program of settings.
static void write_of_params(KalExportWriting *w, KalPage *page, const KalCProgram *p)
{
    const KalExportPlan *plan = w->plan;
    size_t prepared = 0;
    kal_export_note(page, kal_c_program_prepared(plan->ctx, p, &prepared));
    kal_page_format(page, "static void %s(const %s_params *params, %s *out)\n{\n",
                    p->name, plan->name, kal_export_type(plan));
    if (prepared > 0) {
        kal_page_format(page, "    %s c[%zu];\n", kal_export_type(plan), prepared);
    }
    kal_page_string(page, "    (void)params;\n");
    kal_export_note(page, kal_c_program_write_prepare(p, page, &w->used));
    kal_export_note(page, kal_c_program_write_body(p, page, &w->used));
    kal_page_string(page, "}\n\n");
}

// Parameters that are formulas of others are computed as often as there are of them: then
// also those that are made of each other have come to rest, in whatever order they stand.
static void write_follow(KalExportWriting *w, KalPage *page)
{
    assert(w->plan->settings.follow.n_chosen <= w->plan->names.parameters.count);
    const KalExportPlan *plan = w->plan;
    const size_t count = plan->settings.follow.n_chosen;
    kal_page_format(page, "void %s_follow_params(%s_params *params)\n{\n", plan->name,
                    plan->name);
    if (count == 0) {
        kal_page_string(page, "    (void)params; /* none does */\n}\n\n");
        return;
    }
    kal_page_format(page, "    %s out[%zu];\n", kal_export_type(plan), count);
    kal_page_format(page,
                    "    for (int pass = 0; pass < %zu; pass++) { /* each is made of "
                    "earlier ones */\n        find_followers(params, out);\n",
                    count);
    for (size_t k = 0; k < count; k++) {
        kal_page_format(page, "        params->%s = out[%zu];\n",
                        plan->names.parameters.own[plan->settings.follow.chosen[k]], k);
    }
    kal_page_string(page, "    }\n}\n\n");
}

// Parameters by their number; those that the exported structure depends on are constants.
static void write_access(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const char *name = plan->name;
    const char *type = kal_export_type(plan);
    kal_page_format(page, "%s %s_get_param(const %s_params *params, int i)\n{\n", type,
                    name, name);
    kal_page_string(page, "    (void)params;\n    switch (i) {\n");
    for (size_t i = 0; i < plan->names.parameters.count; i++) {
        kal_page_format(page, "    case %zu: return ", i);
        if (kal_export_is_free(plan, i)) {
            kal_page_format(page, "params->%s;\n", plan->names.parameters.own[i]);
        } else {
            kal_page_format(page, "%s; /* fixed */\n", plan->texts.parameters[i]);
        }
    }
    kal_page_string(page, "    default: return 0;\n    }\n}\n\n");
    kal_page_format(page,
                    "%s_status %s_set_param(%s_params *params, int i, %s value)\n{\n",
                    name, name, name, type);
    kal_page_string(page, "    (void)params;\n    (void)value;\n    switch (i) {\n");
    for (size_t i = 0; i < plan->names.parameters.count; i++) {
        if (kal_export_is_free(plan, i)) {
            kal_page_format(page, "    case %zu: params->%s = value; return %s_OK;\n",
                            i, plan->names.parameters.own[i], name);
        }
    }
    kal_page_format(page, "    default: return %s_BAD_PARAMETER;\n    }\n}\n\n", name);
}

// The two ends of a condition, with the number of the result between them.
typedef struct Condition {
    const char *begin;
    const char *end;
} Condition;

static Condition condition_of(KalNeedKind kind)
{
    switch (kind) {
    case KAL_NEED_NONZERO: return (Condition){"out[", "] != 0"};
    case KAL_NEED_NONNEGATIVE: return (Condition){"out[", "] >= 0"};
    case KAL_NEED_POSITIVE: return (Condition){"out[", "] > 0"};
    case KAL_NEED_AT_MOST_ONE: return (Condition){"fabs(out[", "]) <= 1"};
    }
    return (Condition){"", ""};
}

// Numbers of the work memory that have to be positive.
static void write_positive(const KalExportPlan *plan, KalPage *page, const char *what,
                           const char *array, size_t count)
{
    if (count == 0) {
        return;
    }
    kal_page_format(page, "    find_%s(params, %s);\n", what, array);
    for (size_t i = 0; i < count && strcmp(what, "weights") == 0; i++) {
        if (plan->system->model->actuators[i].weight.index == KAL_NO_EXPR.index) {
            kal_page_format(page, "    %s[%zu] = 1;\n", array, i);
        }
    }
    kal_page_format(page,
                    "    for (int i = 0; i < %zu; i++) {\n        if (!(%s[i] > 0)) {\n"
                    "            return %s_BAD_PARAMETER;\n        }\n    }\n",
                    count, array, plan->name);
}

// Parameters that the model cannot have are refused, then programs are prepared.
static void write_init(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalModel *model = plan->system->model;
    const char *name = plan->name;
    kal_page_string(page, kal_page_text(&w->prepare));
    kal_page_format(page,
                    "%s_status %s_init(%s_work *work, const %s_params *params)\n{\n",
                    name, name, name, name);
    kal_page_format(page,
                    "    for (int i = 0; i < %s_P; i++) {\n        if "
                    "(!isfinite(%s_get_param(params, i))) {\n            return "
                    "%s_BAD_PARAMETER;\n        }\n    }\n",
                    name, name, name);
    if (plan->settings.conditions.n_chosen > 0) {
        kal_page_format(page, "    %s out[%zu];\n    find_conditions(params, out);\n",
                        kal_export_type(plan), plan->settings.conditions.n_chosen);
    }
    for (size_t i = 0; i < plan->settings.conditions.n_chosen; i++) {
        const Condition condition = condition_of(model->conditions[i].kind);
        kal_page_string(page, "    if (!(");
        kal_export_write_plain(page, &w->words, condition.begin);
        kal_page_format(page, "%zu%s)) {\n        return %s_BAD_PARAMETER;\n    }\n", i,
                        condition.end, name);
    }
    kal_page_string(page, "    work->params = *params;\n");
    kal_page_string(page, model->n_events > 0 ? "    work->soon = 0;\n" : "");
    write_positive(plan, page, "periods", "work->period",
                   plan->settings.periods.n_chosen);
    write_positive(plan, page, "limits", "work->limit", plan->settings.limits.n_chosen);
    write_positive(plan, page, "weights", "work->weight",
                   plan->settings.weights.n_chosen);
    write_positive(plan, page, "decays", "work->servo_b",
                   plan->settings.decays.n_chosen);
    for (int i = 0; i < KAL_EXPORT_PROGRAMS; i++) {
        if (plan->prepared[i] > 0) {
            kal_page_format(page, "    prepare_%s(params, work->%s);\n",
                            plan->programs[i].name, plan->programs[i].name);
        }
    }
    kal_page_format(page, "    return %s_OK;\n}\n\n", name);
}

static void write_values(KalPage *page, const KalExportPlan *plan, const char *array,
                         const KalExportNames *names, const double *values)
{
    for (size_t i = 0; i < names->count; i++) {
        kal_page_format(page, "    state->%s[%zu] = ", array, i);
        kal_export_number(page, plan, values[i]);
        kal_page_string(page, "; /* ");
        kal_export_remark(page, names->typed[i]);
        kal_page_string(page, " */\n");
    }
}

// The start as the library has found it, number by number.
static void write_start(KalExportWriting *w, KalPage *page)
{
    assert(w->plan->instant);
    const KalExportPlan *plan = w->plan;
    const KalLayout *l = &plan->system->layout;
    const double *v = plan->instant->variables;
    kal_page_format(page,
                    "void %s_start(%s_state *state)\n{\n    state->t = ", plan->name,
                    plan->name);
    kal_export_number(page, plan, v[0]);
    kal_page_string(page, ";\n");
    write_values(page, plan, "q", &plan->names.coordinates, v + l->q);
    write_values(page, plan, "qd", &plan->names.coordinates, v + l->qd);
    write_values(page, plan, "s", &plan->names.states, v + l->states);
    write_values(page, plan, "h", &plan->names.holds, v + l->holds);
    for (size_t i = 0; i < plan->names.holds.count; i++) {
        kal_page_format(page, "    state->renewals[%zu] = 1;\n", i);
    }
    kal_page_string(page, plan->names.holds.count > 0 ? "    state->since = state->t;\n"
                                                      : "");
    for (size_t i = 0; i < plan->names.inputs.count; i++) {
        kal_page_format(page, "    state->u[%zu] = 0;\n", i);
    }
    for (size_t i = 0; i < plan->names.constraints.count && plan->changes; i++) {
        kal_page_format(page, "    state->active[%zu] = %d;\n", i, plan->active[i]);
    }
    for (size_t i = 0; i < plan->names.contacts.count; i++) {
        const KalContactState *c = &plan->instant->contacts.states[i];
        kal_page_format(page,
                        "    state->closed[%zu] = %d;\n    state->mode[%zu] = %d;\n"
                        "    state->holds[%zu] = %d;\n    state->moves[%zu] = %d;\n",
                        i, c->closed, i, (int)c->mode, i, c->holds, i, c->moves);
        for (size_t k = 0; k < KAL_TOUCH_SLIPS; k++) {
            kal_page_format(page, "    state->direction[%zu] = ", 2 * i + k);
            kal_export_number(page, plan, c->direction[k]);
            kal_page_string(page, ";\n");
        }
    }
    for (size_t i = 0; i < plan->names.events.count; i++) {
        kal_page_format(page, "    state->side[%zu] = UNKNOWN;\n", i);
    }
    for (size_t i = 0; i < plan->system->model->n_events; i++) {
        kal_page_format(
            page,
            "    state->last[%zu] = state->t;\n    state->gap[%zu] = 0;\n"
            "    state->begun[%zu] = state->t;\n    state->shrinking[%zu] = 0;\n",
            i, i, i, i);
    }
    kal_page_string(page, "}\n\n");
}

void kal_export_write_settings(KalExportWriting *w)
{
    KalPage *page = &w->settings;
    write_defaults(w, page);
    if (w->plan->settings.follow.n_chosen > 0) {
        kal_page_string(page, "/* Parameters by the formulas of the model. */\n");
        write_of_params(w, page, &w->plan->settings.follow);
    }
    write_follow(w, page);
    write_access(w, page);
    if (w->plan->settings.conditions.n_chosen > 0) {
        kal_page_string(page, "/* What has to be positive, and so on. */\n");
        write_of_params(w, page, &w->plan->settings.conditions);
    }
    if (w->plan->settings.periods.n_chosen > 0) {
        kal_page_string(page, "/* Times between renewals. */\n");
        write_of_params(w, page, &w->plan->settings.periods);
    }
    if (w->plan->settings.limits.n_chosen > 0) {
        kal_page_string(page, "/* Limits of inputs. */\n");
        write_of_params(w, page, &w->plan->settings.limits);
    }
    if (w->plan->settings.weights.n_chosen > 0) {
        kal_page_string(page, "/* Weights of actuators. */\n");
        write_of_params(w, page, &w->plan->settings.weights);
    }
    if (w->plan->settings.decays.n_chosen > 0) {
        kal_page_string(page, "/* Rates at which errors of servos decay. */\n");
        write_of_params(w, page, &w->plan->settings.decays);
    }
    write_init(w, page);
    write_start(w, page);
}

// SPDX-License-Identifier: MIT

// Tables of exported sources that say where numbers are: entries of matrices among results of
// programs, rows that act, what events and contacts are.

#include "export/write_impl.h"

static void write_list_of(KalPage *page, const char *name, const int64_t *values,
                          size_t n)
{
    kal_page_format(page, "%s[%zu] = {", name, n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        kal_page_format(page, "%s%s%lld", i > 0 ? "," : "",
                        i % 16 == 0 ? "\n    " : " ", (long long)values[i]);
    }
    kal_page_string(page, n > 0 ? "\n};\n" : "0};\n");
}

static void write_list(KalPage *page, const char *name, const int64_t *values, size_t n)
{
    kal_page_string(page, "static const int ");
    write_list_of(page, name, values, n);
}

// Which constraints act at the start, and which levels they have.
static void write_rows(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalEquations *e = plan->system->equations;
    for (size_t i = 0; i < e->m; i++) {
        room[i] = plan->active[i];
    }
    if (!plan->changes || plan->fast) {
        kal_page_string(page, "/* Constraints that act at the start. */\n"
                              "static const unsigned char ");
        write_list_of(page, "ACTS", room, e->m);
    }
    kal_page_string(page, "/* Constraints that have residuals of a level. */\n");
    for (size_t i = 0; i < e->m; i++) {
        room[i] = e->phi[i].index != KAL_NO_EXPR.index;
    }
    write_list(page, "HAS_POSITION", room, e->m);
    for (size_t i = 0; i < e->m; i++) {
        room[i] = e->psi[i].index != KAL_NO_EXPR.index;
    }
    write_list(page, "HAS_VELOCITY", room, e->m);
}

// Where the entries of M, a triangle, and of A are.
static void write_structure(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalEquations *e = plan->system->equations;
    const size_t entries = (size_t)e->M.start[e->n];
    const size_t nature = entries + e->n + (size_t)e->A.start[e->m] + e->m;
    const size_t control = plan->servos.count > 0
                               ? (size_t)e->servo_A.start[e->n_servos] + e->n_servos
                                     + (size_t)e->B.start[e->n]
                               : 0;
    kal_page_format(page,
                    "enum {\n    M_ENTRIES = %zu,\n    A_ENTRIES = %zu,\n    NATURE = "
                    "%zu,\n    GIVENS = %zu\n};\n\n",
                    entries, (size_t)e->A.start[e->m], nature, nature + control);
    for (size_t i = 0; i < e->n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            room[k] = (int64_t)i;
        }
    }
    write_list(page, "M_ROW", room, entries);
    write_list(page, "M_COLUMN", e->M.column, entries);
    if (e->m > 0) {
        write_list(page, "A_START", e->A.start, e->m + 1);
        write_list(page, "A_COLUMN", e->A.column, (size_t)e->A.start[e->m]);
        write_rows(plan, page, room);
    }
}

// Where the entries of servo rows and of the columns of actuators are, and which limits these
// have.
static void write_servos(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalEquations *e = plan->system->equations;
    const size_t entries = (size_t)e->servo_A.start[e->n_servos];
    int64_t next = 0;
    kal_page_format(page, "enum {\n    SERVO_ENTRIES = %zu\n};\n", entries);
    write_list(page, "SERVO_START", e->servo_A.start, e->n_servos + 1);
    write_list(page, "SERVO_COLUMN", e->servo_A.column, entries);
    if (plan->controls.count == 0) {
        return;
    }
    write_list(page, "PUSH_START", e->B.start, e->n + 1);
    write_list(page, "PUSH_COLUMN", e->B.column, (size_t)e->B.start[e->n]);
    for (size_t i = 0; i < plan->controls.count; i++) {
        const KalExpr limit = plan->system->model->actuators[i].limit;
        room[i] = limit.index == KAL_NO_EXPR.index ? -1 : next++;
    }
    if (next > 0) {
        write_list(page, "CONTROL_LIMIT", room, plan->controls.count);
    }
}

// Events happen at crossings of both directions, 0, or not of falling ones, 1, or not of
// rising ones, -1.
static void write_event_tables(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalModel *model = plan->system->model;
    for (size_t i = 0; i < model->n_events; i++) {
        const KalEvent *event = &model->events[i];
        room[i] = (int64_t)event->rising - (int64_t)event->falling;
    }
    kal_page_string(page,
                    "\n/* Crossings that are events: rising, falling, or 0 for both. "
                    "*/\n");
    write_list(page, "DIRECTION", room, model->n_events);
    kal_page_string(page,
                    "enum {\n    UNKNOWN = 2, /* side of an event function */\n    "
                    "SETS = 1, /* what events do */\n    ENGAGES = 2,\n    STOPS = "
                    "4\n};\n");
}

static void write_fast_layout(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalEliminated *at = &plan->at;
    kal_page_format(
        page,
        "\n/* Where the results of the eliminated formulas are. */\nenum {\n"
        "    AT_QDD = %zu,\n    AT_FORCE = %zu,\n    AT_LAMBDA = %zu,\n    "
        "AT_MOST_GROWTH = %zu,\n",
        at->qdd, at->force, at->multipliers, at->most_growth);
    kal_page_format(page,
                    "    AT_LEAST_GROWTH = %zu,\n    AT_MOST_GRAM = %zu,\n    "
                    "AT_LEAST_GRAM = %zu,\n    AT_EXCESS = %zu,\n    AT_NONIDEAL = "
                    "%zu,\n    AT_CHECK = %zu\n};\n",
                    at->least_growth, at->most_gram, at->least_gram, at->excess,
                    at->nonideal, plan->check);
    int64_t next = 0;
    for (size_t i = 0; i < plan->constraints.count; i++) {
        room[i] = plan->rows[i] ? next++ : -1;
    }
    if (plan->constraints.count > 0) {
        kal_page_string(page,
                        "/* Which multiplier is that of a constraint; -1 for rows that "
                        "repeat others. */\n");
        write_list(page, "MULTIPLIER", room, plan->constraints.count);
    }
}

// Where the parts of a direction are, and the changes along it.
static void write_tangent_layout(const KalExportPlan *plan, KalPage *page)
{
    const KalLayout *l = &plan->system->layout;
    const size_t n = plan->coordinates.count;
    const size_t rows = n + plan->constraints.count;
    const size_t force = rows + (plan->system->equations->has_C ? n : 0);
    kal_page_format(page,
                    "\n/* Parts of a direction, and changes along it. */\nenum {\n"
                    "    ALONG_T = 0,\n    ALONG_Q = %zu,\n    ALONG_QD = %zu,\n    "
                    "ALONG_QDD = %zu,\n    ALONG_LAMBDA = %zu,\n",
                    l->q, l->qd, l->qdd, l->reactions);
    kal_page_format(page,
                    "    ALONG_FORCE = %zu,\n    ALONG_U = %zu,\n    ALONG_ENERGY = "
                    "%zu,\n    CHANGES_OF_B = %zu,\n    CHANGES_OF_C = %zu,\n",
                    l->forces, l->controls, l->energy, n, rows);
    kal_page_format(
        page,
        "    CHANGES_OF_FORCE = %zu,\n    CHANGES_OF_ENERGY = %zu,\n    "
        "CHANGES_OF_RATES = %zu,\n    CHANGES_OF_OUTPUTS = %zu,\n    CHANGES "
        "= %zu\n};\n",
        force, force + n, force + n + 2, force + n + 2 + plan->states.count,
        force + n + 2 + plan->states.count + plan->outputs.count);
    kal_page_string(page,
                    "/* Coordinates whose constraint force outputs depend on. */\n");
    for (size_t i = 0; i < plan->system->n_forces; i++) {
        kal_page_format(page, "%s%u",
                        i > 0 ? ", " : "static const int FORCES_SHOWN[] = {",
                        plan->system->forces[i]);
    }
    kal_page_string(page, plan->system->n_forces > 0 ? "};\n" : "");
}

void kal_export_write_layout(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalEquations *e = plan->system->equations;
    const size_t count =
        (size_t)e->M.start[e->n] + e->m + plan->events.count + plan->controls.count + 1;
    int64_t *room = kal_alloc(plan->ctx, count, sizeof *room);
    if (!room) {
        page->status = kal_no_memory(plan->ctx, "for an export");
        return;
    }
    write_structure(plan, page, room);
    if (plan->servos.count > 0) {
        write_servos(plan, page, room);
    }
    if (plan->fast) {
        write_fast_layout(plan, page, room);
    }
    if (plan->events.count > 0) {
        write_event_tables(plan, page, room);
    }
    if (plan->tangent) {
        write_tangent_layout(plan, page);
    }
    kal_page_string(page, "\n");
    kal_free(plan->ctx, room, count * sizeof *room);
}

// SPDX-License-Identifier: MIT

// Tables of exported sources that say where numbers are: entries of matrices among results of
// programs, rows that act, what events and contacts are.

#include "export/sparse.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
    if (!plan->changes || plan->fast || kal_export_has_chosen(plan)
        || plan->limits_react) {
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
    const size_t rows = plan->names.constraints.count + plan->names.servos.count;
    const size_t control = plan->names.servos.count > 0
                               ? (size_t)e->servo_A.start[e->n_servos] + e->n_servos
                                     + (size_t)e->B.start[e->n]
                               : 0;
    kal_page_format(page,
                    "enum {\n    M_ENTRIES = %zu,\n    A_ENTRIES = %zu,\n    NATURE = "
                    "%zu,\n    GIVENS = %zu,\n    MOST_RANK = %zu\n};\n\n",
                    entries, (size_t)e->A.start[e->m], nature, nature + control,
                    rows > e->n ? e->n
                    : rows > 0  ? rows
                                : 1);
    for (size_t i = 0; i < e->n; i++) {
        for (int64_t k = e->M.start[i]; k < e->M.start[i + 1]; k++) {
            room[k] = (int64_t)i;
        }
    }
    write_list(page, "M_ROW", room, entries);
    write_list(page, "M_COLUMN", e->M.column, entries);
    kal_page_format(page,
                    "/* Masses of coordinates in states without zeros and "
                    "coincidences. */\nstatic const %s USUAL_MASS[%zu] = {",
                    kal_export_type(plan), e->n);
    for (size_t i = 0; i < e->n; i++) {
        const double mass = plan->instant->usual.masses[i];
        kal_page_string(page, i > 0 ? ", " : "");
        kal_export_number(page, plan, isfinite(mass) ? mass : 0.0);
    }
    kal_page_string(page, "};\n");
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
    kal_page_format(page,
                    "enum {\n    SERVO_ENTRIES = %zu,\n    SERVO_CHANGES = %zu,\n    "
                    "SERVO_ROWS = %zu\n};\n",
                    entries, entries + e->n_servos + (size_t)e->B.start[e->n],
                    e->m + e->n_servos);
    write_list(page, "SERVO_START", e->servo_A.start, e->n_servos + 1);
    write_list(page, "SERVO_COLUMN", e->servo_A.column, entries);
    if (plan->names.controls.count == 0) {
        return;
    }
    write_list(page, "PUSH_START", e->B.start, e->n + 1);
    write_list(page, "PUSH_COLUMN", e->B.column, (size_t)e->B.start[e->n]);
    for (size_t i = 0; i < plan->names.controls.count; i++) {
        const KalExpr limit = plan->system->model->actuators[i].limit;
        room[i] = limit.index == KAL_NO_EXPR.index ? -1 : next++;
    }
    if (next > 0) {
        write_list(page, "CONTROL_LIMIT", room, plan->names.controls.count);
    }
}

// Rows of contacts among the constraints, and what contacts are made of.
static void write_contacts(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    const KalModel *model = plan->system->model;
    const KalContactSizes sizes = kal_export_contact_sizes(plan);
    size_t next = 0;
    kal_page_format(page, "\nenum {\n    CONTACT_ROWS = %zu,\n    UNKNOWNS = %zu\n};\n",
                    sizes.rows, sizes.unknowns);
    for (size_t i = 0; i < model->n_constraints; i++) {
        if (model->constraints[i].role != KAL_ROLE_USUAL) {
            room[next++] = (int64_t)i;
        }
    }
    write_list(page, "CONTACT_ROW", room, next);
    next = 0;
    for (size_t i = 0; i < model->n_constraints; i++) {
        const bool own = model->constraints[i].role != KAL_ROLE_USUAL;
        room[i] = own ? (int64_t)next++ : -1;
    }
    write_list(page, "PLACE_OF", room, model->n_constraints);
    for (size_t i = 0; i < model->n_contacts; i++) {
        room[i] = model->contacts[i].gap == KAL_NO_GAP ? -1 : model->contacts[i].gap;
    }
    write_list(page, "GAP_OF", room, model->n_contacts);
    for (size_t i = 0; i < model->n_contacts; i++) {
        room[i] = model->contacts[i].n_slips;
    }
    write_list(page, "N_SLIPS", room, model->n_contacts);
    for (size_t i = 0; i < 2 * model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i / 2];
        room[i] = i % 2 < contact->n_slips ? (int64_t)contact->slip[i % 2] : -1;
    }
    write_list(page, "SLIP_OF", room, 2 * model->n_contacts);
}

KalContactSizes kal_export_contact_sizes(const KalExportPlan *plan)
{
    const KalModel *model = plan->system->model;
    KalContactSizes sizes = {.rows = 0};
    for (size_t i = 0; i < model->n_contacts; i++) {
        const KalContact *contact = &model->contacts[i];
        const size_t gap = contact->gap != KAL_NO_GAP;
        sizes.rows += gap + contact->n_slips;
        sizes.unknowns += gap + (contact->n_slips == 1 ? 3 : 0);
    }
    sizes.unknowns = sizes.unknowns > 0 ? sizes.unknowns : 1;
    return sizes;
}

// Arrays of the work memory of contacts: names, and how long they are.
typedef struct Room {
    const char *type; // NULL: of numbers
    const char *name;
    size_t count;
} Room;

enum {
    NUMBERS = 31,
    OTHERS = 22,
    ROOMS = NUMBERS + OTHERS
};

// Arrays of numbers, NUMBERS of them.
static void list_numbers(const KalExportPlan *plan, Room *out)
{
    const KalContactSizes sizes = kal_export_contact_sizes(plan);
    const size_t n = plan->names.coordinates.count;
    const size_t m = plan->names.constraints.count;
    const size_t k = plan->names.contacts.count;
    const size_t r = sizes.rows;
    const size_t u = sizes.unknowns;

    const Room rooms[NUMBERS] = {
        {NULL, "contact_values",     7 * k          },
        {NULL, "contact_A",          r * n          },
        {NULL, "contact_b",          r              },
        {NULL, "contact_response",   r * n          },
        {NULL, "G_typed",            r * r          },
        {NULL, "G_scaled",           r * r          },
        {NULL, "G_held",             r * r          },
        {NULL, "grown",              r * r          },
        {NULL, "free_rate",          r              },
        {NULL, "free_scaled",        r              },
        {NULL, "free_held",          r              },
        {NULL, "scale",              r              },
        {NULL, "known",              r              },
        {NULL, "forces",             r              },
        {NULL, "rates",              r              },
        {NULL, "first_rates",        r              },
        {NULL, "speed_before",       r              },
        {NULL, "map",                r * u          },
        {NULL, "lcp_M",              u * u          },
        {NULL, "lcp_q",              u              },
        {NULL, "z",                  u              },
        {NULL, "tried",              u              },
        {NULL, "tableau",            u * (2 * u + 2)},
        {NULL, "friction",           k              },
        {NULL, "friction_force",     k * n          },
        {NULL, "friction_reactions", (k + 1) * m    },
        {NULL, "friction_matrix",    k * (k + 1)    },
        {NULL, "along_slip",         2 * k          },
        {NULL, "qd_before",          n              },
        {NULL, "size",               0              },
        {NULL, "span",               0              },
    };

    memcpy(out, rooms, sizeof rooms);
}

// Flags and places, OTHERS of them.
static void list_others(const KalExportPlan *plan, Room *out)
{
    const KalContactSizes sizes = kal_export_contact_sizes(plan);
    const size_t k = plan->names.contacts.count;
    const size_t r = sizes.rows;
    const size_t u = sizes.unknowns;

    const Room rooms[OTHERS] = {
        {"unsigned char", "is_held",     r},
        {"unsigned char", "basic",       u},
        {"unsigned char", "trial_basis", u},
        {"unsigned char", "touching",    k},
        {"unsigned char", "hit",         k},
        {"unsigned char", "plastic",     k},
        {"unsigned char", "shut",        k},
        {"unsigned char", "stilled",     k},
        {"unsigned char", "opening",     k},
        {"unsigned char", "breaking",    k},
        {"unsigned char", "stopping",    k},
        {"unsigned char", "rests",       k},
        {"unsigned char", "suspended",   r},
        {"int",           "used",        r},
        {"int",           "extending",   r},
        {"int",           "basis",       u},
        {"int",           "members",     u},
        {"int",           "deeds",       k},
        {"int",           "sliding",     k},
        {"int",           "n_touches",   0},
        {"int",           "n_used",      0},
        {"int",           "n_unknowns",  0},
    };

    memcpy(out, rooms, sizeof rooms);
}

static void list_rooms(const KalExportPlan *plan, Room out[ROOMS])
{
    list_numbers(plan, out);
    list_others(plan, out + NUMBERS);
}

void kal_export_write_contact_arrays(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    Room rooms[ROOMS];
    if (plan->names.contacts.count == 0) {
        return;
    }
    list_rooms(plan, rooms);
    for (size_t i = 0; i < ROOMS; i++) {
        const char *type = rooms[i].type ? rooms[i].type : kal_export_type(plan);
        kal_page_format(page, rooms[i].count > 0 ? "    %s %s[%zu];\n" : "    %s %s;\n",
                        type, rooms[i].name, rooms[i].count);
    }
    kal_page_format(page, "    %s_touch touches[%zu];\n    %s_answer free;\n",
                    plan->name, plan->names.contacts.count, plan->name);
}

// An upper bound of the memory of contacts on the stack of an exported function.
size_t kal_export_contact_bytes(const KalExportPlan *plan)
{
    const size_t number = plan->single ? 4 : 8;
    Room rooms[ROOMS];
    size_t bytes = 0;
    if (plan->names.contacts.count == 0) {
        return 0;
    }
    list_rooms(plan, rooms);
    for (size_t i = 0; i < ROOMS; i++) {
        const size_t size = !rooms[i].type                      ? number
                            : strcmp(rooms[i].type, "int") == 0 ? sizeof(int)
                                                                : 1;
        bytes += size * (rooms[i].count > 0 ? rooms[i].count : 1);
    }
    const size_t answer =
        2 * plan->names.coordinates.count + plan->names.constraints.count + 2;
    const size_t touch = 8 * number + 12 * sizeof(int);
    const size_t states = 4 * plan->names.contacts.count * (4 + 2 * number + 2);
    return bytes + answer * number + touch * plan->names.contacts.count + states;
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
    for (size_t i = model->n_events; i < plan->names.events.count; i++) {
        room[i] = -1;
    }
    kal_page_string(page,
                    "\n/* Crossings that are events: rising, falling, or 0 for both. "
                    "*/\n");
    write_list(page, "DIRECTION", room, plan->names.events.count);
    kal_page_format(page, "enum {\n    MODEL_EVENTS = %zu\n};\n", model->n_events);
    kal_page_string(page,
                    "enum {\n    UNKNOWN = 2, /* side of an event function */\n    "
                    "SETS = 1, /* what events do */\n    ENGAGES = 2,\n    STOPS = "
                    "4\n};\n");
}

static void write_fast_layout(const KalExportPlan *plan, KalPage *page, int64_t *room)
{
    assert(plan->fast && room);
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
    for (size_t i = 0; i < plan->names.constraints.count; i++) {
        room[i] = plan->rows[i] ? next++ : -1;
    }
    if (plan->names.constraints.count > 0) {
        kal_page_string(page,
                        "/* Which multiplier is that of a constraint; -1 for rows that "
                        "repeat others. */\n");
        write_list(page, "MULTIPLIER", room, plan->names.constraints.count);
    }
}

// Where the parts of a direction are, and the changes along it.
static void write_tangent_layout(const KalExportPlan *plan, KalPage *page)
{
    const KalLayout *l = &plan->system->layout;
    const size_t n = plan->names.coordinates.count;
    const size_t rows = n + plan->names.constraints.count;
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
    const size_t outputs = force + n + 2 + plan->names.states.count;
    const size_t slips = outputs + plan->names.outputs.count;
    const size_t servos =
        slips
        + (kal_export_has_friction(plan)
               ? KAL_EXPORT_FRICTION_CHANGES * plan->names.contacts.count
               : 0);
    kal_page_format(page,
                    "    CHANGES_OF_FORCE = %zu,\n    CHANGES_OF_ENERGY = %zu,\n    "
                    "CHANGES_OF_RATES = %zu,\n    CHANGES_OF_OUTPUTS = %zu,\n    "
                    "CHANGES_OF_SLIPS = %zu,\n    CHANGES_OF_SERVOS = %zu\n};\n",
                    force, force + n, force + n + 2, outputs, slips, servos);
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
    assert(w->plan->name && page);
    const KalExportPlan *plan = w->plan;
    const KalEquations *e = plan->system->equations;
    const size_t count = (size_t)e->M.start[e->n] + e->m + plan->names.events.count
                         + plan->names.controls.count + 2 * plan->names.contacts.count
                         + 1;
    int64_t *room = kal_alloc(plan->ctx, count, sizeof *room);
    if (!room) {
        page->status = kal_no_memory(plan->ctx, "for an export");
        return;
    }
    write_structure(plan, page, room);
    if (plan->names.servos.count > 0) {
        write_servos(plan, page, room);
    }
    if (plan->fast) {
        write_fast_layout(plan, page, room);
    }
    if (plan->sparse) {
        kal_export_write_sparse_layout(plan, page);
    }
    if (plan->names.contacts.count > 0) {
        write_contacts(plan, page, room);
    }
    if (plan->names.events.count > 0) {
        write_event_tables(plan, page, room);
    }
    if (plan->tangent) {
        write_tangent_layout(plan, page);
    }
    kal_page_string(page, "\n");
    kal_free(plan->ctx, room, count * sizeof *room);
}

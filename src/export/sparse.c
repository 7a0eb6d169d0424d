// SPDX-License-Identifier: MIT

// The structure is the one that the run found, and the source goes through it in the order of the
// library (sparse/factor.c, large/schur.c, large/answer.c), so that it gives the same bits.

#include "export/sparse.h"

#include "sparse/ldl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    SMALL = KAL_SMALL_WIDTH * (KAL_SMALL_WIDTH + KAL_SMALL_BELOW), // entries of a node
    MOST_FACTORS = 1 << 20
};

KalStatus kal_export_make_sparse(KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    if (!plan->run || !plan->instant->large.solver || e->m == 0 || e->n_servos > 0) {
        return KAL_OK;
    }
    plan->sparse = true;
    plan->factoring = kal_large_factoring(plan->instant->large.solver);
    const KalLdl *ldl = plan->factoring.factors;
    if (ldl->start[ldl->n] > MOST_FACTORS) {
        return kal_fail(
            plan->ctx, KAL_ERR_LIMIT,
            "the sparse factors of the model have %d entries; %d are the most "
            "for an export",
            ldl->start[ldl->n], MOST_FACTORS);
    }
    return KAL_OK;
}

static int below_node(const KalLdl *ldl, int s)
{
    const int last = ldl->node[s + 1] - 1;
    return ldl->start[last + 1] - ldl->start[last];
}

bool kal_export_has_wide_nodes(const KalExportPlan *plan)
{
    const KalLdl *ldl = plan->factoring.factors;
    bool found = false;
    for (int s = 0; s < ldl->n_nodes && !found; s++) {
        found = ldl->node[s + 1] - ldl->node[s] > KAL_SMALL_WIDTH
                || below_node(ldl, s) > KAL_SMALL_BELOW;
    }
    return found;
}

bool kal_export_is_diagonal(const KalExportPlan *plan)
{
    const KalSparse *M = &plan->system->equations->M;
    bool diagonal = M->start[M->rows] == (int64_t)M->rows;
    for (size_t i = 0; i < M->rows && diagonal; i++) {
        diagonal = M->column[i] == (int64_t)i;
    }
    return diagonal;
}

static void write_table(KalPage *page, const char *name, const int *values, size_t n)
{
    kal_page_format(page, "static const int %s[%zu] = {", name, n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        kal_page_format(page, "%s%s%d", i > 0 ? "," : "", i % 16 == 0 ? "\n    " : " ",
                        values[i]);
    }
    kal_page_string(page, n > 0 ? "\n};\n" : "0};\n");
}

// Entries of A in states without zeros and coincidences, beside which traces are known; of those
// that have no value anything is one.
static void write_usual(const KalExportPlan *plan, KalPage *page)
{
    const KalSparse *A = &plan->system->equations->A;
    const size_t n = (size_t)A->start[A->rows];
    const double none = plan->single ? 1e30 : 1e300;
    kal_page_format(page, "static const %s USUAL_A[%zu] = {", kal_export_type(plan),
                    n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        const double size = plan->instant->usual.entries[i];
        kal_page_string(page, i > 0 ? "," : "");
        kal_page_string(page, i % 4 == 0 ? "\n    " : " ");
        kal_export_number(page, plan, size < none ? size : none);
    }
    kal_page_string(page, n > 0 ? "\n};\n" : "0};\n");
}

static void write_flags(KalPage *page, const char *name, const bool *values, size_t n)
{
    kal_page_format(page, "static const unsigned char %s[%zu] = {", name, n);
    for (size_t i = 0; i < n; i++) {
        kal_page_format(page, "%s%s%d", i > 0 ? "," : "", i % 16 == 0 ? "\n    " : " ",
                        values[i]);
    }
    kal_page_string(page, "\n};\n");
}

bool kal_export_has_chosen(const KalExportPlan *plan)
{
    return plan->sparse && plan->n_rows < plan->n_active;
}

static void write_rows(const KalExportPlan *plan, KalPage *page)
{
    const KalEquations *e = plan->system->equations;
    const KalLargeFactoring *f = &plan->factoring;
    if (f->of_ties) {
        kal_page_string(page,
                        "/* Entries of A by columns: the row of each, and its place "
                        "in A. */\n");
        write_table(page, "COLUMN_START", f->start, e->n + 1);
        write_table(page, "COLUMN_ROW", f->row, (size_t)e->A.start[e->m]);
        write_table(page, "COLUMN_ENTRY", f->entry, (size_t)e->A.start[e->m]);
    }
    if (f->n_lends > 0) {
        kal_page_string(page, "/* Rows that lend M their weight. */\n");
        write_flags(page, "LENDS", f->lends, e->m);
    }
    if (kal_export_has_chosen(plan)) {
        kal_page_string(page, "/* Rows that are independent at the start. */\n");
        write_flags(page, "CHOSEN", plan->rows, e->m);
    }
}

void kal_export_write_sparse_layout(const KalExportPlan *plan, KalPage *page)
{
    assert(plan->sparse && plan->factoring.factors);
    const KalLdl *ldl = plan->factoring.factors;
    const size_t n = (size_t)ldl->n;
    const size_t entries = (size_t)ldl->start[n];
    kal_page_string(page,
                    "\n/* Sparse factors: entries of L, by columns; which unknown "
                    "is eliminated at each place;\n   columns that nodes begin with; "
                    "where the entries of the matrix go. */\n");
    kal_page_format(page,
                    "enum {\n    PIVOTS = %zu,\n    FIRST_TIE = %d,\n    L_ENTRIES = "
                    "%zu,\n    NODES = %d,\n    MASS_NODES = %d,\n",
                    n, ldl->masses, entries, ldl->n_nodes, ldl->mass_nodes);
    kal_page_format(page,
                    "    SMALL_WIDTH = %d,\n    SMALL_BELOW = %d,\n    SMALL_LENGTH = "
                    "SMALL_WIDTH + SMALL_BELOW\n};\n",
                    KAL_SMALL_WIDTH, KAL_SMALL_BELOW);
    write_table(page, "L_START", ldl->start, n + 1);
    write_table(page, "L_ROW", ldl->row, entries);
    write_table(page, "ORDER", ldl->order, n);
    write_table(page, "NODE", ldl->node, (size_t)ldl->n_nodes + 1);
    write_table(page, "SLOT", ldl->slot, ldl->n_entries);
    write_rows(plan, page);
    kal_page_string(page, "/* Usual sizes of entries of A. */\n");
    write_usual(plan, page);
}

// An array of the work memory; `bytes` 0: of numbers.
typedef struct Room {
    const char *type;
    const char *name;
    size_t count;
    size_t bytes;
} Room;

enum {
    ROOMS = 16
};

// What there is; returns how many.
static int list_rooms(const KalExportPlan *plan, Room out[ROOMS])
{
    const KalEquations *e = plan->system->equations;
    const KalLargeFactoring *f = &plan->factoring;
    const size_t pivots = (size_t)f->factors->n;
    const size_t all = e->n + e->m;
    const size_t in_A = (size_t)e->A.start[e->m];
    const size_t below = (size_t)f->factors->most_below;
    const char *type = kal_export_type(plan);
    const Room rooms[ROOMS] = {
        {type,            "factors",    (size_t)f->factors->start[pivots] + pivots, 0},
        {type,            "M_entry",    (size_t)e->M.start[e->n],                   0},
        {type,            "A_given",    in_A,                                       0},
        {type,            "A_entry",    in_A,                                       0},
        {type,            "length",     e->m,                                       0},
        {type,            "inverse",    pivots,                                     0},
        {type,            "from",       pivots,                                     0},
        {type,            "reach",      pivots,                                     0},
        {type,            "whole",      SMALL,                                      0},
        {type,            "sums",       below > 0 ? below : 1,                      0},
        {type,            "line",       all,                                        0},
        {type,            "missing",    all,                                        0},
        {type,            "size",       all,                                        0},
        {type,            "correction", all,                                        0},
        {"unsigned char", "left_out",   e->m,                                       1},
        {"unsigned char", "used",       e->m,                                       1},
    };
    memcpy(out, rooms, sizeof rooms);
    return ROOMS;
}

void kal_export_write_sparse_arrays(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalEquations *e = plan->system->equations;
    const char *type = kal_export_type(plan);
    Room rooms[ROOMS];
    const int count = plan->sparse ? list_rooms(plan, rooms) : 0;
    for (int i = 0; i < count; i++) {
        kal_page_format(page, "    %s %s[%zu];\n", rooms[i].type, rooms[i].name,
                        rooms[i].count);
    }
    if (count > 0 && plan->factoring.of_ties) {
        kal_page_format(page, "    %s lightness[%zu];\n", type, e->n);
    }
    if (count > 0 && plan->factoring.n_lends > 0) {
        kal_page_format(page, "    %s lent[%zu];\n", type, e->m);
        kal_page_format(page, "    %s tie_unit[%zu];\n", type, e->m);
        kal_page_format(page, "    %s column_unit[%zu];\n", type, e->n);
    }
    kal_page_string(page, count > 0 ? "    int followed;\n" : "");
}

size_t kal_export_sparse_bytes(const KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    const size_t number = plan->single ? 4 : 8;
    Room rooms[ROOMS];
    const int count = plan->sparse ? list_rooms(plan, rooms) : 0;
    size_t bytes = count > 0 ? sizeof(int) : 0;
    for (int i = 0; i < count; i++) {
        bytes += rooms[i].count * (rooms[i].bytes > 0 ? rooms[i].bytes : number);
    }
    bytes += count > 0 && plan->factoring.of_ties ? e->n * number : 0;
    return bytes + (count > 0 && plan->factoring.n_lends > 0 ? e->m * number : 0);
}

// The programs of residuals and of the equations; the matrix and its factors, a product and a sum
// each; a solve and the residuals that it leaves.
size_t kal_export_sparse_operations(const KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    const KalLdl *ldl = plan->factoring.factors;
    const size_t entries = (size_t)(e->M.start[e->n] + e->A.start[e->m]);
    const size_t solves = e->has_C ? 2 : 1;
    size_t sum = 2 * (size_t)ldl->operations + 2 * ldl->n_entries;
    sum += solves * (4 * (size_t)ldl->start[ldl->n] + 8 * entries);
    for (int i = KAL_EXPORT_GIVENS; i <= KAL_EXPORT_VELOCITY; i++) {
        const KalProgram *program = plan->programs[i].program;
        sum += program ? kal_program_operations(program) : 0;
    }
    return sum;
}

// SPDX-License-Identifier: MIT

// Entries of K are listed in the order of large/large.c: M, A, the diagonal of rows.  So where the
// library factors K too, the order of elimination, which follows from them, is the same.

#include "export/sparse.h"

#include <assert.h>
#include <math.h>

enum {
    SHORT = 16, // entries of a column that changes others at once
    MOST_FACTORS = 1 << 20
};

// Where a list of entries goes on.
typedef struct Entries {
    KalLdlEntry *list;
    size_t count;
} Entries;

static void add(Entries *entries, size_t row, size_t column)
{
    entries->list[entries->count++] = (KalLdlEntry){(int)row, (int)column};
}

static void add_matrix(Entries *entries, const KalSparse *matrix, size_t first_row)
{
    for (size_t i = 0; i < matrix->rows; i++) {
        for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
            add(entries, first_row + i, (size_t)matrix->column[k]);
        }
    }
}

KalStatus kal_export_make_sparse(KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    if (!plan->run || !plan->instant->large.solver || e->m == 0) {
        return KAL_OK;
    }
    const size_t count = (size_t)e->M.start[e->n] + (size_t)e->A.start[e->m] + e->m;
    Entries entries = {
        .list = kal_arena_alloc(plan->arena, count + 1, sizeof(KalLdlEntry))};
    if (!entries.list) {
        return kal_no_memory(plan->ctx, "for an export");
    }
    add_matrix(&entries, &e->M, 0);
    add_matrix(&entries, &e->A, e->n);
    for (size_t i = 0; i < e->m; i++) {
        add(&entries, e->n + i, e->n + i);
    }
    assert(entries.count == count);
    const KalLdlShape shape = {.n = (int)(e->n + e->m),
                               .masses = (int)e->n,
                               .entries = entries.list,
                               .n_entries = count};
    plan->sparse = true;
    return kal_ldl_init(&plan->factors, plan->ctx, &shape, MOST_FACTORS);
}

bool kal_export_has_long_columns(const KalExportPlan *plan)
{
    const KalLdl *ldl = &plan->factors;
    bool found = false;
    for (int k = 0; k < ldl->n && !found; k++) {
        found = ldl->start[k + 1] - ldl->start[k] > SHORT;
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

// Entries of A in states without zeros and coincidences, beside which traces are known.
static void write_usual(const KalExportPlan *plan, KalPage *page)
{
    const KalSparse *A = &plan->system->equations->A;
    const size_t n = (size_t)A->start[A->rows];
    kal_page_format(page, "static const %s USUAL_A[%zu] = {", kal_export_type(plan),
                    n > 0 ? n : 1);
    for (size_t i = 0; i < n; i++) {
        const double size = plan->instant->usual.entries[i];
        kal_page_string(page, i > 0 ? "," : "");
        kal_page_string(page, i % 4 == 0 ? "\n    " : " ");
        kal_export_number(page, plan, isfinite(size) ? size : 0.0);
    }
    kal_page_string(page, n > 0 ? "\n};\n" : "0};\n");
}

void kal_export_write_sparse_layout(const KalExportPlan *plan, KalPage *page)
{
    const KalLdl *ldl = &plan->factors;
    const size_t n = (size_t)ldl->n;
    const size_t entries = (size_t)ldl->start[n];
    kal_page_format(page,
                    "\n/* Sparse factors: entries of L, by columns; which unknown is "
                    "eliminated at each place; where\n   the entries of M, A and the "
                    "diagonal of rows go. */\nenum {\n    UNKNOWNS_OF_K = %zu,\n    "
                    "L_ENTRIES = %zu,\n    SHORT = %d\n};\n",
                    n, entries, SHORT);
    write_table(page, "L_START", ldl->start, n + 1);
    write_table(page, "L_ROW", ldl->row, entries);
    write_table(page, "ORDER", ldl->order, n);
    write_table(page, "SLOT", ldl->slot, ldl->n_entries);
    if (kal_export_has_long_columns(plan)) {
        kal_page_string(page, "/* The same entries by rows. */\n");
        write_table(page, "ROW_START", ldl->row_start, n + 1);
        write_table(page, "ROW_COLUMN", ldl->row_column, entries);
    }
    kal_page_string(page, "/* Usual sizes of entries of A. */\n");
    write_usual(plan, page);
}

// Numbers of the work memory besides factors and entries: arrays of all unknowns.
static const char *const ARRAYS[] = {"inverse", "from", "line",
                                     "missing", "size", "correction"};

enum {
    N_ARRAYS = sizeof ARRAYS / sizeof ARRAYS[0]
};

void kal_export_write_sparse_arrays(KalExportWriting *w, KalPage *page)
{
    const KalExportPlan *plan = w->plan;
    const KalEquations *e = plan->system->equations;
    const char *type = kal_export_type(plan);
    if (!plan->sparse) {
        return;
    }
    kal_page_format(page, "    %s factors[%zu];\n    %s M_entry[%zu];\n", type,
                    (size_t)plan->factors.start[plan->factors.n] + e->n + e->m, type,
                    (size_t)e->M.start[e->n]);
    kal_page_format(page, "    %s A_entry[%zu];\n    %s length[%zu];\n", type,
                    (size_t)e->A.start[e->m], type, e->m);
    for (size_t i = 0; i < N_ARRAYS; i++) {
        kal_page_format(page, "    %s %s[%zu];\n", type, ARRAYS[i], e->n + e->m);
    }
    if (kal_export_has_long_columns(plan)) {
        kal_page_format(page, "    int reached[%zu];\n", e->n + e->m);
    }
    kal_page_format(page,
                    "    unsigned char left_out[%zu];\n    unsigned char used[%zu];\n",
                    e->m, e->m);
}

size_t kal_export_sparse_bytes(const KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    if (!plan->sparse) {
        return 0;
    }
    const size_t unknowns = e->n + e->m;
    const size_t numbers = (size_t)plan->factors.start[plan->factors.n]
                           + (size_t)(e->M.start[e->n] + e->A.start[e->m]) + e->m
                           + (1 + N_ARRAYS) * unknowns;
    return numbers * (plan->single ? 4 : 8) + unknowns * sizeof(int) + 2 * e->m;
}

// The programs of residuals and of the equations; factors, a product and a sum each; a solve and
// the residuals that it leaves.
size_t kal_export_sparse_operations(const KalExportPlan *plan)
{
    const KalEquations *e = plan->system->equations;
    const size_t entries = (size_t)(e->M.start[e->n] + e->A.start[e->m]);
    const size_t solves = e->has_C ? 2 : 1;
    size_t sum = 2 * (size_t)plan->factors.operations;
    sum += solves * (4 * (size_t)plan->factors.start[plan->factors.n] + 8 * entries);
    for (int i = KAL_EXPORT_GIVENS; i <= KAL_EXPORT_VELOCITY; i++) {
        const KalProgram *program = plan->programs[i].program;
        sum += program ? kal_program_operations(program) : 0;
    }
    return sum;
}

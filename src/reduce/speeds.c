// SPDX-License-Identifier: MIT

// Speeds that a user chose: theory (20.4).  Together with the constraints they are n linear
// equations for the velocities, solved by minors; speeds that do not determine the velocities
// are refused.

#include "closed/minors.h"
#include "expr/copy.h"
#include "expr/diff.h"
#include "expr/substitute.h"
#include "reduce/reduction.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    WORK = 20 * 1000 * 1000, // in terms touched
    NAMES_SIZE = 300         // of a list of names in a message
};

// The rows of constraints and speeds, [A; U] q' = [−a; v − w].
typedef struct Rows {
    KalExpr left[KAL_UNKNOWNS * KAL_UNKNOWNS];
    KalExpr right[KAL_UNKNOWNS];
} Rows;

static void list_names(const KalSpeedNames *names, char text[NAMES_SIZE])
{
    assert(names->names || names->n == 0);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < names->n && used < NAMES_SIZE; i++) {
        used += (size_t)snprintf(text + used, NAMES_SIZE - used, "%s%s",
                                 i > 0 ? ", " : "", names->names[i]);
    }
}

static KalStatus check_count(const KalReduction *r, const KalSpeedNames *names)
{
    if (names->n == r->k) {
        return KAL_OK;
    }
    char text[NAMES_SIZE];
    list_names(names, text);
    return kal_fail(r->ctx, KAL_ERR_USAGE,
                    "%zu velocities are free, so that as many speeds are needed, not "
                    "%zu: %s",
                    r->k, names->n, text);
}

// Coefficients of the velocities in a speed, and what is left without them.  A speed is
// linear if its gradient by the velocities does not depend on them.
static KalStatus read_speed(KalReduction *r, const KalSpeedNames *names, size_t j,
                            KalExpr *row, KalExpr *rest)
{
    assert(j < r->k && r->n <= KAL_UNKNOWNS);
    KalExpr velocities[KAL_UNKNOWNS];
    KalExpr zero[KAL_UNKNOWNS];
    KalExpr at_rest[KAL_UNKNOWNS];
    KalSpeed *speed = &r->speeds[j];
    KAL_TRY(kal_copy(r->eq->model->graph, &names->values[j], 1, r->g, &speed->value));
    for (size_t i = 0; i < r->n; i++) {
        velocities[i] = kal_reduction_copy(r, r->eq->model->coordinates[i].v);
        zero[i] = kal_int(r->g, 0);
    }
    const KalReplacements all = {velocities, zero, r->n};
    KAL_TRY(kal_gradient(r->g, speed->value, velocities, r->n, row));
    KAL_TRY(kal_substitute(r->g, row, r->n, &all, at_rest));
    KAL_TRY(kal_substitute(r->g, &speed->value, 1, &all, rest));
    for (size_t i = 0; i < r->n; i++) {
        if (row[i].index != at_rest[i].index) {
            return kal_fail(r->ctx, KAL_ERR_USAGE,
                            "speed %s is not linear in the velocities",
                            names->names[j]);
        }
    }
    return KAL_OK;
}

static KalStatus name_speed(KalReduction *r, size_t j, const char *name)
{
    assert(j < r->k && name);
    char rate[KAL_SHEET_NAME_SIZE];
    if (strlen(name) + 2 > sizeof rate) {
        return kal_fail(r->ctx, KAL_ERR_USAGE, "the name of speed %s is too long",
                        name);
    }
    (void)snprintf(rate, sizeof rate, "%s'", name);
    r->speeds[j].symbol = kal_reduction_symbol(r, name);
    r->speeds[j].rate = kal_reduction_symbol(r, rate);
    return KAL_OK;
}

// Constraints and definitions of speeds together are as many equations as there are
// velocities: A q' = −a and U q' = u − rest.
static KalStatus fill(KalReduction *r, const KalSpeedNames *names, Rows *rows)
{
    assert(names->n == r->k);
    for (size_t i = 0; i < r->rank; i++) {
        memcpy(rows->left + i * r->n, r->A + i * r->n, r->n * sizeof(KalExpr));
        rows->right[i] = kal_neg(r->g, r->a[i]);
    }
    for (size_t j = 0; j < r->k; j++) {
        assert(r->rank + j < KAL_UNKNOWNS);
        KalExpr rest = KAL_NO_EXPR;
        const size_t i = r->rank + j;
        KAL_TRY(name_speed(r, j, names->names[j]));
        KAL_TRY(read_speed(r, names, j, rows->left + i * r->n, &rest));
        rows->right[i] = kal_sub(r->g, r->speeds[j].symbol, rest);
    }
    return kal_graph_status(r->g);
}

// q' as functions of the speeds that the user defined.  Where the equations are
// singular the definitions do not determine the velocities.
static KalStatus solve(KalReduction *r, const KalSpeedNames *names, KalField *field,
                       const Rows *rows)
{
    assert(r->n <= KAL_UNKNOWNS);
    KalPoly K[KAL_UNKNOWNS * (KAL_UNKNOWNS + 1)] = {{0}};
    KalFraction z[KAL_UNKNOWNS] = {
        {{0}, {0}}
    };
    bool regular = false;
    for (size_t i = 0; i < r->n; i++) {
        KAL_TRY(kal_reduction_read_row(field, rows->left + i * r->n, rows->right[i],
                                       r->n, K + i * (r->n + 1)));
    }
    KAL_TRY(kal_minors_solve(field, K, (int)r->n, z, &regular));
    KAL_TRY(kal_ring_status(kal_field_ring(field)));
    if (!regular) {
        char text[NAMES_SIZE];
        list_names(names, text);
        return kal_fail(r->ctx, KAL_ERR_USAGE,
                        "speeds %s do not determine the velocities together with the "
                        "constraints: they depend on each other or on these",
                        text);
    }
    for (size_t i = 0; i < r->n; i++) {
        KAL_TRY(
            kal_field_write(field, kal_field_shorten(field, z[i]), &r->velocity[i]));
    }
    return KAL_OK;
}

// Speeds that were given: the linear equations between them, the constraints and the
// velocities are solved in exact algebra.
KalStatus kal_reduction_take(KalReduction *r, const KalSpeedNames *names)
{
    KalExpr all[KAL_UNKNOWNS * (KAL_UNKNOWNS + 1)];
    Rows rows = {.right = {{0}}};
    KalField *field = NULL;
    KAL_TRY(check_count(r, names));
    if (r->n > KAL_UNKNOWNS) {
        return kal_reduction_too_large(r);
    }
    KAL_TRY(fill(r, names, &rows));
    memcpy(all, rows.left, r->n * r->n * sizeof *all);
    memcpy(all + r->n * r->n, rows.right, r->n * sizeof *all);
    const KalFieldOptions options = {.print =
                                         kal_sheet_options(&r->sheet, KAL_FORMAT_TEXT),
                                     .tangents = true,
                                     .work = WORK};
    KalStatus status = kal_field_create(r->g, all, r->n * (r->n + 1), &options, &field);
    if (status == KAL_OK) {
        status = solve(r, names, field, &rows);
    }
    kal_field_destroy(field);
    return status;
}

// SPDX-License-Identifier: MIT

// Equations of motion in speeds: theory section 20.
//
// Velocities are q' = S v + s, with speeds v that satisfy the constraints by themselves,
// either chosen (basis.c) or given (speeds.c).  Put into the equations of motion and
// multiplied by Sᵀ, which reactions do not survive, they leave M̃ v' = F̃, (20.6): as many
// equations as there are degrees of freedom.

#include "reduce/reduction.h"

#include "algebra/collect.h"
#include "closed/minors.h"
#include "closed/sample.h"
#include "expr/copy.h"
#include "expr/diff.h"
#include "expr/substitute.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to reduce equations";

enum {
    LENGTH_MOST = 40000,    // characters of all formulas
    LONG_FORCE = 400,       // of all forces, that may be told with velocities
    EXPLICIT_MOST = 6,      // speeds whose equations are solved
    EXPLICIT_LENGTH = 4000, // characters of an equation worth to be shown
    WORK = 20 * 1000 * 1000 // in terms touched
};

KalStatus kal_reduction_too_large(const KalReduction *r)
{
    return kal_fail(r->ctx, KAL_ERR_LIMIT,
                    "the reduced equations are too large for formulas; 'kalaba run "
                    "--form reduced' works with their numbers");
}

KalExpr kal_reduction_copy(const KalReduction *r, KalExpr symbol)
{
    const uint32_t id = kal_graph_node(r->eq->model->graph, symbol).arg[0].index;
    return kal_symbol(r->g, id);
}

// Symbols that the model does not have follow those that it has.
KalExpr kal_reduction_symbol(KalReduction *r, const char *name)
{
    assert(r->sheet.n_named >= 0 && name);
    KalSheet *sheet = &r->sheet;
    if (sheet->n_named == KAL_SHEET_NAMES) {
        return KAL_NO_EXPR;
    }
    KalNamed *named = &sheet->named[sheet->n_named];
    const size_t id = r->eq->model->n_symbols + (size_t)sheet->n_named;
    (void)snprintf(named->name, sizeof named->name, "%s", name);
    named->symbol = kal_symbol(r->g, (uint32_t)id);
    named->value = KAL_NO_EXPR;
    sheet->n_named++;
    return named->symbol;
}

// The reduced equations are of constraints that act all together, and of forces that the
// model gives.
static KalStatus check_model(const KalReduction *r)
{
    const KalModel *model = r->eq->model;
    for (size_t i = 0; i < r->eq->m; i++) {
        if (!r->eq->acts[i]) {
            return kal_fail(
                r->ctx, KAL_ERR_FORMULATION,
                "constraint %s does not act at the start: remove it, or let "
                "it act from the start on, to reduce the equations",
                model->constraints[i].name);
        }
    }
    return r->eq->n_servos == 0
               ? KAL_OK
               : kal_fail(r->ctx, KAL_ERR_FORMULATION,
                          "the model has servos, whose control is no formula: remove "
                          "them to reduce the equations");
}

// Constraints that span all of them, and whether they can be reduced.
static KalStatus choose_rows(KalReduction *r)
{
    assert(!r->rows);
    KAL_TRY(check_model(r));
    KalSamples samples = {.ctx = r->ctx};
    const size_t m = r->eq->m;
    r->rows = (size_t *)kal_alloc(r->ctx, m + 1, sizeof *r->rows);
    KAL_TRY(r->rows ? KAL_OK : kal_no_memory(r->ctx, PURPOSE));
    if (m == 0) {
        return KAL_OK;
    }
    bool settled = true;
    KalStatus status = kal_samples_init(r->eq, &samples);
    if (status == KAL_OK) {
        status = kal_samples_rank(r->eq, &samples, 0, &r->rank, r->rows, &settled);
    }
    kal_samples_clear(&samples);
    KAL_TRY(status);
    if (!settled) {
        return kal_fail(r->ctx, KAL_ERR_FORMULATION,
                        "the constraints have branches (if, min, max, abs, …) in which "
                        "more of them may be independent than near the start: no "
                        "choice of speeds holds for all");
    }
    for (size_t i = 0; i < r->rank; i++) {
        if (r->eq->psi[r->rows[i]].index == 0) {
            return kal_fail(r->ctx, KAL_ERR_FORMULATION,
                            "constraint %s is about accelerations only: it leaves all "
                            "velocities free, so that there is nothing to reduce",
                            r->eq->model->constraints[r->rows[i]].name);
        }
    }
    return KAL_OK;
}

// One block, cut in the order of the members, so that the formulas that are shown lie
// next to each other.
static KalStatus allocate(KalReduction *r)
{
    assert(r->k + r->rank == r->n);
    const size_t n = r->n;
    const size_t k = r->k;
    r->n_exprs = r->rank * n + r->rank + 2 * n + n * k + k * k + k;
    r->exprs = (KalExpr *)kal_alloc(r->ctx, r->n_exprs, sizeof *r->exprs);
    KAL_TRY(r->exprs ? KAL_OK : kal_no_memory(r->ctx, PURPOSE));
    r->A = r->exprs;
    r->a = r->A + r->rank * n;
    r->velocity = r->a + r->rank;
    r->s = r->velocity + n;
    r->S = r->s + n;
    r->M = r->S + n * k;
    r->F = r->M + k * k;
    assert(r->F + k == r->exprs + r->n_exprs);
    return KAL_OK;
}

// Velocities of the model in the reduction's graph.
static void list_velocities(const KalReduction *r, KalExpr *out)
{
    for (size_t i = 0; i < r->n; i++) {
        out[i] = kal_reduction_copy(r, r->eq->model->coordinates[i].v);
    }
}

// Replace velocities, in place: by formulas, or by zero when they are NULL.
static KalStatus replace_velocities(const KalReduction *r, KalExpr *e, size_t n,
                                    const KalExpr *by)
{
    assert(r->n <= KAL_REDUCTION_MOST);
    KalExpr from[KAL_REDUCTION_MOST];
    KalExpr to[KAL_REDUCTION_MOST];
    list_velocities(r, from);
    for (size_t i = 0; i < r->n; i++) {
        to[i] = by ? by[i] : kal_int(r->g, 0);
    }
    const KalReplacements all = {from, to, r->n};
    return kal_substitute(r->g, e, n, &all, e);
}

// A and a of one constraint; fails when A depends on velocities.  A constraint is
// linear in the velocities if its row does not depend on them; ψ at rest is then what
// is left without them.
static KalStatus read_row(KalReduction *r, size_t i)
{
    assert(i < r->rank && r->rows[i] < r->eq->m);
    const size_t row = r->rows[i];
    const KalEquations *eq = r->eq;
    KalExpr *A = r->A + i * r->n;
    KAL_TRY(kal_copy(eq->model->graph, &eq->psi[row], 1, r->g, &r->a[i]));
    KAL_TRY(replace_velocities(r, &r->a[i], 1, NULL));
    for (size_t j = 0; j < r->n; j++) {
        const KalExpr entry = kal_sheet_entry(&eq->A, r->sheet.A, row, j);
        A[j] = entry.index != 0 ? entry : kal_int(r->g, 0);
        KalExpr at_rest = A[j];
        KAL_TRY(replace_velocities(r, &at_rest, 1, NULL));
        if (A[j].index != at_rest.index) {
            return kal_fail(r->ctx, KAL_ERR_FORMULATION,
                            "constraint %s is not linear in the velocities, so that no "
                            "speeds satisfy it by themselves",
                            eq->model->constraints[row].name);
        }
    }
    return KAL_OK;
}

// Coefficients of the speeds in the velocities, and what is left.
static KalStatus split_velocities(KalReduction *r)
{
    KalExpr v[KAL_REDUCTION_MOST];
    KalExpr zero[KAL_REDUCTION_MOST];
    for (size_t j = 0; j < r->k; j++) {
        v[j] = r->speeds[j].symbol;
        zero[j] = kal_int(r->g, 0);
    }
    for (size_t i = 0; i < r->n; i++) {
        KAL_TRY(kal_gradient(r->g, r->velocity[i], v, r->k, r->S + i * r->k));
    }
    const KalReplacements all = {v, zero, r->k};
    return kal_substitute(r->g, r->velocity, r->n, &all, r->s);
}

// The part of q'' that does not depend on v': S' v + s', theory (20.5).
static KalStatus differentiate(const KalReduction *r, const KalExpr *velocity,
                               KalExpr *out)
{
    assert(r->n <= KAL_REDUCTION_MOST);
    KalExpr symbols[KAL_REDUCTION_MOST + 1];
    KalExpr rates[KAL_REDUCTION_MOST + 1];
    for (size_t i = 0; i < r->n; i++) {
        symbols[i] = kal_reduction_copy(r, r->eq->model->coordinates[i].q);
        rates[i] = velocity[i];
    }
    symbols[r->n] = kal_reduction_copy(r, r->eq->model->time);
    rates[r->n] = kal_int(r->g, 1);
    const KalRates all = {symbols, rates, r->n + 1};
    return kal_total(r->g, r->velocity, r->n, &all, out);
}

// Q + C + B u for these velocities.
static KalStatus gather_forces(const KalReduction *r, const KalExpr *velocity,
                               KalExpr *out)
{
    const KalEquations *eq = r->eq;
    for (size_t i = 0; i < r->n; i++) {
        out[i] = r->sheet.Q[i];
        if (eq->has_C) {
            out[i] = kal_add(r->g, out[i], r->sheet.C[i]);
        }
        for (size_t a = 0; a < eq->model->n_actuators; a++) {
            const KalExpr push = kal_sheet_entry(&eq->B, r->sheet.B, i, a);
            if (push.index != 0) {
                const KalExpr input =
                    kal_reduction_copy(r, eq->model->actuators[a].input);
                out[i] = kal_add(r->g, out[i], kal_mul(r->g, push, input));
            }
        }
    }
    return replace_velocities(r, out, r->n, velocity);
}

// Σᵢ S(i, j) x(i).
static KalExpr along(const KalReduction *r, size_t j, const KalExpr *x)
{
    assert(j < r->k);
    KalExpr sum = kal_int(r->g, 0);
    for (size_t i = 0; i < r->n; i++) {
        sum = kal_add(r->g, sum, kal_mul(r->g, r->S[i * r->k + j], x[i]));
    }
    return sum;
}

// M x.
static void apply_mass(const KalReduction *r, const KalExpr *M, const KalExpr *x,
                       KalExpr *out)
{
    for (size_t i = 0; i < r->n; i++) {
        out[i] = kal_int(r->g, 0);
        for (size_t j = 0; j < r->n; j++) {
            out[i] = kal_add(r->g, out[i], kal_mul(r->g, M[i * r->n + j], x[j]));
        }
    }
}

// Formulas in their shortest form, in place.
static KalStatus collect(const KalReduction *r, KalExpr *e, size_t n)
{
    const KalPrintOptions options = kal_sheet_options(&r->sheet, KAL_FORMAT_TEXT);
    return kal_collect(r->g, e, n, &options, r->g, e);
}

// F̃ of theory (20.6), where velocities are formulas of speeds or stay as they are.
static KalStatus form_force(const KalReduction *r, const KalExpr *M,
                            const KalExpr *velocity, KalExpr *out_F)
{
    assert(out_F && velocity);
    KalExpr force[KAL_REDUCTION_MOST];
    KalExpr rest[KAL_REDUCTION_MOST];
    KalExpr product[KAL_REDUCTION_MOST];
    KAL_TRY(gather_forces(r, velocity, force));
    KAL_TRY(differentiate(r, velocity, rest));
    KAL_TRY(collect(r, rest, r->n));
    apply_mass(r, M, rest, product);
    for (size_t i = 0; i < r->n; i++) {
        force[i] = kal_sub(r->g, force[i], product[i]);
    }
    for (size_t j = 0; j < r->k; j++) {
        out_F[j] = along(r, j, force);
    }
    return collect(r, out_F, r->k);
}

// Long forces are better told with velocities in them, which have formulas of their own.
static KalStatus choose_force(KalReduction *r, const KalExpr *M)
{
    KalExpr velocities[KAL_REDUCTION_MOST];
    KalExpr other[KAL_REDUCTION_MOST];
    size_t whole = 0;
    size_t with = 0;
    list_velocities(r, velocities);
    KAL_TRY(form_force(r, M, r->velocity, r->F));
    KAL_TRY(form_force(r, M, velocities, other));
    for (size_t j = 0; j < r->k; j++) {
        size_t length = 0;
        KAL_TRY(kal_sheet_length(&r->sheet, r->F[j], &length));
        whole += length < LENGTH_MOST ? length : LENGTH_MOST;
        KAL_TRY(kal_sheet_length(&r->sheet, other[j], &length));
        with += length < LENGTH_MOST ? length : LENGTH_MOST;
    }
    r->with_velocities = whole > LONG_FORCE && with < whole / 2;
    if (r->with_velocities) {
        memcpy(r->F, other, r->k * sizeof *other);
    }
    return KAL_OK;
}

// M̃ and F̃ of theory (20.6).
static KalStatus form(KalReduction *r)
{
    KalExpr M[KAL_REDUCTION_MOST * KAL_REDUCTION_MOST];
    KalExpr column[KAL_REDUCTION_MOST];
    KalExpr product[KAL_REDUCTION_MOST];
    for (size_t i = 0; i < r->n; i++) {
        for (size_t j = 0; j < r->n; j++) {
            const KalExpr entry = kal_sheet_mass(&r->sheet, i, j);
            M[i * r->n + j] = entry.index != 0 ? entry : kal_int(r->g, 0);
        }
    }
    for (size_t j = 0; j < r->k; j++) {
        for (size_t i = 0; i < r->n; i++) {
            column[i] = r->S[i * r->k + j];
        }
        apply_mass(r, M, column, product);
        for (size_t l = 0; l < r->k; l++) {
            r->M[l * r->k + j] = along(r, l, product);
        }
    }
    KAL_TRY(kal_graph_status(r->g));
    return choose_force(r, M);
}

// Times the common denominator, found factor by factor.
KalStatus kal_reduction_read_row(KalField *field, const KalExpr *left, KalExpr right,
                                 size_t n, KalPoly *out_row)
{
    assert(n <= KAL_REDUCTION_MOST);
    KalRing *ring = kal_field_ring(field);
    KalFraction row[KAL_REDUCTION_MOST + 1] = {
        {{0}, {0}}
    };
    KalPoly common = kal_poly_int(ring, 1);
    for (size_t j = 0; j <= n; j++) {
        KAL_TRY(kal_field_read(field, j < n ? left[j] : right, &row[j]));
        KalPoly more = row[j].below;
        (void)kal_poly_divide(ring, more, kal_poly_gcd(ring, common, more), &more);
        common = kal_poly_mul(ring, common, more);
    }
    for (size_t j = 0; j <= n; j++) {
        KalPoly factor = common;
        (void)kal_poly_divide(ring, common, row[j].below, &factor);
        out_row[j] = kal_poly_mul(ring, row[j].above, factor);
    }
    return kal_ring_status(ring);
}

// The equations solved for the rates of the speeds by minors (Cramer's rule).  They are
// shown so only if all are short: M and F say more than a page of one fraction.
static KalStatus solve_with(KalReduction *r, KalField *field)
{
    assert(r->k > 0 && r->k <= EXPLICIT_MOST);
    KalPoly K[EXPLICIT_MOST * (EXPLICIT_MOST + 1)] = {{0}};
    KalFraction z[EXPLICIT_MOST] = {
        {{0}, {0}}
    };
    bool regular = false;
    for (size_t i = 0; i < r->k; i++) {
        KAL_TRY(kal_reduction_read_row(field, r->M + i * r->k, r->F[i], r->k,
                                       K + i * (r->k + 1)));
    }
    KAL_TRY(kal_minors_solve(field, K, (int)r->k, z, &regular));
    KAL_TRY(kal_ring_status(kal_field_ring(field)));
    if (!regular) {
        return kal_fail(r->ctx, KAL_ERR_NOT_UNIQUE,
                        "the accelerations are not unique: the inertia of the speeds "
                        "is singular; 'kalaba check' names the coordinates concerned");
    }
    bool all = true;
    for (size_t j = 0; j < r->k; j++) {
        size_t length = 0;
        KalExpr *to = &r->speeds[j].equation;
        KAL_TRY(kal_field_write(field, kal_field_shorten(field, z[j]), to));
        KAL_TRY(kal_sheet_length(&r->sheet, *to, &length));
        all = all && length <= EXPLICIT_LENGTH;
    }
    r->explicit_form = all;
    return KAL_OK;
}

// Solve for v' as formulas where they are few and short.
static KalStatus solve(KalReduction *r)
{
    KalField *field = NULL;
    const KalFieldOptions options = {.print =
                                         kal_sheet_options(&r->sheet, KAL_FORMAT_TEXT),
                                     .tangents = true,
                                     .work = WORK};
    if (r->k == 0 || r->k > EXPLICIT_MOST) {
        return KAL_OK;
    }
    KalStatus status =
        kal_field_create(r->g, r->M, r->k * r->k + r->k, &options, &field);
    if (status == KAL_OK) {
        status = solve_with(r, field);
    }
    kal_field_destroy(field);
    if (status == KAL_ERR_LIMIT || status == KAL_ERR_NUMBER) {
        return kal_graph_status(r->g); // the implicit form remains
    }
    return status;
}

// The formulas from the velocities on.
static size_t count_shown(const KalReduction *r)
{
    return r->n_exprs - (size_t)(r->velocity - r->exprs);
}

// Formulas that nobody would read are not shown.
static KalStatus check_length(const KalReduction *r)
{
    size_t all = 0;
    for (size_t i = 0; i < count_shown(r) && all <= LENGTH_MOST; i++) {
        size_t length = 0;
        KAL_TRY(kal_sheet_length(&r->sheet, r->velocity[i], &length));
        all = length > LENGTH_MOST ? length : all + length;
    }
    return all > LENGTH_MOST ? kal_reduction_too_large(r) : KAL_OK;
}

// From the constraints to equations in speeds alone (Kane's equations), theory, section
// 20; each step needs what the one before it found.
static KalStatus reduce(KalReduction *r, const KalSpeedNames *names)
{
    assert(names);
    KAL_TRY(choose_rows(r));
    r->k = r->n - r->rank;
    assert(r->rank <= r->n);
    KAL_TRY(allocate(r));
    for (size_t i = 0; i < r->rank; i++) {
        KAL_TRY(read_row(r, i));
    }
    KAL_TRY(names->n > 0 ? kal_reduction_take(r, names) : kal_reduction_choose(r));
    KAL_TRY(split_velocities(r));
    KAL_TRY(form(r));
    KAL_TRY(collect(r, r->velocity, count_shown(r)));
    KAL_TRY(check_length(r));
    return solve(r);
}

KalStatus kal_reduction_init(KalReduction *r, const KalEquations *eq,
                             const KalSpeedNames *names)
{
    assert(r && eq && names);
    *r = (KalReduction){.ctx = eq->model->ctx, .eq = eq, .n = eq->n};
    KAL_TRY(kal_sheet_init(&r->sheet, eq));
    r->g = r->sheet.g;
    if (eq->model->n_contacts > 0) {
        return kal_fail(r->ctx, KAL_ERR_FORMULATION,
                        "contact or friction '%s' comes and goes, and with it the "
                        "number of speeds: write what is closed or holds as a "
                        "constraint to reduce the model",
                        eq->model->contacts[0].name);
    }
    if (r->sheet.large || eq->n > KAL_REDUCTION_MOST) {
        return kal_reduction_too_large(r);
    }
    const KalStatus status = reduce(r, names);
    return status == KAL_ERR_LIMIT || status == KAL_ERR_NUMBER
               ? kal_reduction_too_large(r)
               : status;
}

void kal_reduction_clear(KalReduction *r)
{
    kal_free(r->ctx, r->exprs, r->n_exprs * sizeof *r->exprs);
    kal_free(r->ctx, r->rows, (r->eq->m + 1) * sizeof *r->rows);
    kal_sheet_clear(&r->sheet);
}

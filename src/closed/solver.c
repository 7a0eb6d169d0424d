// SPDX-License-Identifier: MIT

// The linear system of accelerations and multipliers, theory (11.5), with fractions of
// polynomials for entries.  Rows are scaled to polynomials first, (11.6), so that minors need
// no fractions.

#include "closed/minors.h"
#include "closed/solver_impl.h"

#include <assert.h>

static KalFraction zero(const KalSolver *s)
{
    return kal_fraction_int(s->field, 0);
}

KalExpr kal_solver_input(const KalSolver *s, size_t actuator)
{
    const KalModel *model = s->eq->model;
    const KalExpr input = model->actuators[actuator].input;
    return kal_symbol(s->sheet->g, kal_graph_node(model->graph, input).arg[0].index);
}

static KalStatus read(const KalSolver *s, KalExpr e, KalFraction *out_fraction)
{
    if (e.index == 0) {
        *out_fraction = zero(s);
        return kal_ring_status(s->ring);
    }
    return kal_field_read(s->field, e, out_fraction);
}

// Inputs of actuators are symbols like any other: Q + B u.
static KalStatus add_input(const KalSolver *s, size_t i, size_t actuator)
{
    KalFraction push;
    KalFraction input;
    KAL_TRY(read(s, kal_sheet_entry(&s->eq->B, s->sheet->B, i, actuator), &push));
    KAL_TRY(read(s, kal_solver_input(s, actuator), &input));
    push = kal_fraction_mul(s->field, push, input);
    s->Q[i] = kal_fraction_add(s->field, s->Q[i], push);
    return KAL_OK;
}

static KalStatus read_coordinate(const KalSolver *s, size_t i)
{
    for (size_t j = 0; j < s->n; j++) {
        KAL_TRY(read(s, kal_sheet_mass(s->sheet, i, j), &s->M[i * s->n + j]));
    }
    KAL_TRY(read(s, s->sheet->Q[i], &s->Q[i]));
    for (size_t a = 0; a < s->eq->model->n_actuators; a++) {
        KAL_TRY(add_input(s, i, a));
    }
    return read(s, s->C ? s->C[i] : KAL_NO_EXPR, &s->Cs[i]);
}

static KalStatus read_constraint(const KalSolver *s, size_t i)
{
    for (size_t j = 0; j < s->n; j++) {
        const KalExpr entry = kal_sheet_entry(&s->eq->A, s->sheet->A, i, j);
        KAL_TRY(read(s, entry, &s->A[i * s->n + j]));
    }
    return read(s, s->sheet->b[i], &s->b[i]);
}

static KalStatus read_all(const KalSolver *s)
{
    for (size_t i = 0; i < s->n; i++) {
        KAL_TRY(read_coordinate(s, i));
    }
    for (size_t i = 0; i < s->m; i++) {
        KAL_TRY(read_constraint(s, i));
    }
    return KAL_OK;
}

static KalPoly least_multiple(const KalSolver *s, KalPoly a, KalPoly b)
{
    KalPoly left = b;
    if (kal_poly_same(s->ring, a, b)) {
        return a;
    }
    (void)kal_poly_divide(s->ring, b, kal_poly_gcd(s->ring, a, b), &left);
    return kal_poly_mul(s->ring, a, left);
}

// The common denominator of n fractions.
static KalPoly denominator(const KalSolver *s, const KalFraction *f, size_t n)
{
    KalPoly common = kal_poly_int(s->ring, 1);
    for (size_t i = 0; i < n; i++) {
        common = least_multiple(s, common, f[i].below);
    }
    return common;
}

// f × multiple, where the denominator of f divides it.
static KalPoly numerator(const KalSolver *s, KalFraction f, KalPoly multiple)
{
    KalPoly left = multiple;
    (void)kal_poly_divide(s->ring, multiple, f.below, &left);
    return kal_poly_mul(s->ring, f.above, left);
}

// What row i of A is multiplied by to hold polynomials without a common factor.
static KalFraction row_scale(const KalSolver *s, size_t i)
{
    const KalFraction *row = &s->A[i * s->n];
    const KalPoly above = denominator(s, row, s->n);
    KalPoly below = KAL_NO_POLY;
    for (size_t j = 0; j < s->n; j++) {
        below = kal_poly_gcd(s->ring, below, numerator(s, row[j], above));
    }
    if (kal_poly_is_zero(s->ring, below)) {
        return kal_fraction_int(s->field, 1);
    }
    return kal_fraction_cancel(s->field, (KalFraction){above, below});
}

// The matrix of (11.5) as (11.6) scales it, N × (N + 1); rhs holds the right side, and
// `scale` the factors of the rows of A.
static void fill_matrix(const KalSolver *s, const KalFraction *scale,
                        const KalFraction *rhs, KalPoly *K)
{
    const size_t n = s->n;
    const size_t N = n + s->rank;
    const KalPoly one = kal_poly_int(s->ring, 1);
    for (size_t k = 0; k < s->rank; k++) {
        for (size_t j = 0; j < n; j++) {
            const KalFraction entry =
                kal_fraction_mul(s->field, s->A[s->rows[k] * n + j], scale[k]);
            K[(n + k) * (N + 1) + j] = numerator(s, entry, one);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const KalPoly e = denominator(s, &s->M[i * n], n);
        for (size_t j = 0; j < n; j++) {
            K[i * (N + 1) + j] = numerator(s, s->M[i * n + j], e);
        }
        for (size_t k = 0; k < s->rank; k++) {
            const KalPoly entry = K[(n + k) * (N + 1) + i];
            K[i * (N + 1) + n + k] =
                kal_poly_neg(s->ring, kal_poly_mul(s->ring, e, entry));
        }
    }
    const KalPoly below = denominator(s, rhs, N);
    for (size_t i = 0; i < N; i++) {
        K[i * (N + 1) + N] = numerator(s, rhs[i], below);
    }
}

// The right side of (11.6); scaled by what the rows of M are multiplied by.
static void fill_rhs(const KalSolver *s, const KalFraction *top,
                     const KalFraction *bottom, const KalFraction *scale,
                     KalFraction *rhs)
{
    for (size_t i = 0; i < s->n; i++) {
        const KalPoly e = denominator(s, &s->M[i * s->n], s->n);
        const KalFraction factor = {e, kal_poly_int(s->ring, 1)};
        rhs[i] = kal_fraction_mul(s->field, top[i], factor);
    }
    for (size_t k = 0; k < s->rank; k++) {
        rhs[s->n + k] =
            bottom ? kal_fraction_mul(s->field, bottom[s->rows[k]], scale[k]) : zero(s);
    }
}

// Solve (11.5) for the right side [top; bottom], bottom NULL for zero.
static KalStatus solve(const KalSolver *s, const KalFraction *top,
                       const KalFraction *bottom, KalFraction *out_z,
                       KalFraction *out_l, bool *out_regular)
{
    assert(s->n + s->rank <= KAL_UNKNOWNS);
    KalFraction scale[KAL_UNKNOWNS] = {
        {{0}, {0}}
    };
    KalFraction rhs[KAL_UNKNOWNS] = {
        {{0}, {0}}
    };
    KalFraction z[KAL_UNKNOWNS] = {
        {{0}, {0}}
    };
    KalPoly K[KAL_UNKNOWNS * (KAL_UNKNOWNS + 1)] = {{0}};
    const size_t N = s->n + s->rank;
    for (size_t k = 0; k < s->rank; k++) {
        scale[k] = row_scale(s, s->rows[k]);
    }
    fill_rhs(s, top, bottom, scale, rhs);
    fill_matrix(s, scale, rhs, K);
    const KalFraction below = {kal_poly_int(s->ring, 1), denominator(s, rhs, N)};
    KAL_TRY(kal_minors_solve(s->field, K, (int)N, z, out_regular));
    KAL_TRY(kal_ring_status(s->ring));
    for (size_t j = 0; j < N && *out_regular; j++) {
        z[j] = kal_fraction_mul(s->field, z[j], below);
        if (j < s->n) {
            out_z[j] = kal_field_shorten(s->field, z[j]);
        } else if (out_l) {
            const size_t k = j - s->n;
            const KalFraction l = kal_fraction_mul(s->field, z[j], scale[k]);
            out_l[s->rows[k]] = kal_field_shorten(s->field, l);
        }
    }
    return kal_ring_status(s->ring);
}

static void add_result(KalSolver *s, KalResultKind kind, size_t index,
                       KalFraction value)
{
    assert(s->n_solved < s->solved_capacity);
    s->solved[s->n_solved++] =
        (KalSolved){.kind = kind, .index = index, .value = value};
}

// Σ over independent rows of A_ij λ_i.
static KalFraction ideal_force(const KalSolver *s, size_t j)
{
    KalFraction sum = zero(s);
    for (size_t k = 0; k < s->rank; k++) {
        const size_t i = s->rows[k];
        sum = kal_fraction_add(s->field, sum,
                               kal_fraction_mul(s->field, s->A[i * s->n + j], s->l[i]));
    }
    return kal_field_shorten(s->field, sum);
}

// Row j of M times the part of the accelerations that C makes.
static KalFraction nonideal_force(const KalSolver *s, size_t j)
{
    KalFraction sum = zero(s);
    for (size_t k = 0; k < s->n; k++) {
        sum = kal_fraction_add(s->field, sum,
                               kal_fraction_mul(s->field, s->M[j * s->n + k], s->c[k]));
    }
    return kal_field_shorten(s->field, sum);
}

static KalStatus list_results(KalSolver *s)
{
    for (size_t j = 0; j < s->n; j++) {
        KalFraction z = s->z[j];
        if (s->C) {
            z = kal_field_shorten(s->field, kal_fraction_add(s->field, z, s->c[j]));
        }
        add_result(s, KAL_RESULT_ACCELERATION, j, z);
    }
    for (size_t j = 0; j < s->n && s->m > 0; j++) {
        add_result(s, KAL_RESULT_FORCE, j, ideal_force(s, j));
    }
    for (size_t j = 0; j < s->n && s->C; j++) {
        add_result(s, KAL_RESULT_NONIDEAL, j, nonideal_force(s, j));
    }
    s->has_reactions = true;
    if (s->rank < s->m) {
        KAL_TRY(kal_solver_least_norm(s, &s->has_reactions));
    }
    for (size_t i = 0; i < s->m && s->has_reactions; i++) {
        add_result(s, KAL_RESULT_REACTION, i, s->l[i]);
    }
    return kal_ring_status(s->ring);
}

KalStatus kal_solver_run(KalSolver *s, KalClosedVerdict *out_verdict)
{
    bool regular = true;
    KAL_TRY(read_all(s));
    KAL_TRY(solve(s, s->Q, s->b, s->z, s->l, &regular));
    if (regular && s->C) {
        KAL_TRY(solve(s, s->Cs, NULL, s->c, NULL, &regular));
    }
    *out_verdict = regular ? KAL_CLOSED_DONE : KAL_CLOSED_NOT_UNIQUE;
    return regular ? list_results(s) : KAL_OK;
}

// SPDX-License-Identifier: MIT

// Linearization on the constraints, theory, section 17.
//
// States are coordinates and velocities that the constraints leave free: elimination with
// pivots chooses those that follow (chart.c).  For each state, and each input, there is a
// direction of all of y that keeps the constraints to first order, theory (17.5); the
// derivative of the accelerations along it is the solution of the linearized equations of
// motion, theory (17.2), with one factorization for all.  Columns of A, B, C, D follow
// (theory (17.6)).
//
// The tables are laid out in the arrays of the analysis; what they mean is said there.

#include "analysis/analysis_impl.h"
#include "analysis/chart.h"
#include "analysis/pencil.h"
#include "linalg/kernels.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Rates and couplings below this, relative to what they are made of, are rounding.
static const double ROUNDING = 1e-9;
static const double COUPLING = 1e-11;

// Tables.

// Inactive constraints have no forces; their rows are not used.
static KalStatus fill_residuals(KalAnalysis *a, KalResidualTable *table)
{
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_MOTION, a->instant));
    const double *next =
        kal_scatter(&a->forms.R_y, a->forms.forms[KAL_FORM_MOTION].results, table->R_y);
    next = kal_scatter(&a->forms.S_y, next, table->S_y);
    for (int k = 0; k < a->inputs.count; k++) {
        memcpy(table->R_w + (size_t)k * n, next, n * sizeof *next);
        memcpy(table->S_w + (size_t)k * m, next + n, m * sizeof *next);
        next += n + m;
    }
    return KAL_OK;
}

// Give the formulas of R and S the motion with a force on each coordinate.
static KalStatus set_motion(KalAnalysis *a, const double *force)
{
    const KalSystem *system = a->system;
    double *reactions = a->instant->variables + system->layout.reactions;
    KalMotionProblem problem = kal_instant_problem(a->instant);
    KalMotionAnswer answer;
    problem.Q = force;
    problem.C = NULL;
    KAL_TRY(kal_motion_solve(a->motion, &problem, &answer));
    assert(problem.m <= system->m);
    memcpy(a->instant->variables + system->layout.qdd, answer.qdd,
           (size_t)system->n * sizeof(double));
    memset(reactions, 0, (size_t)system->m * sizeof *reactions);
    for (int k = 0; k < problem.m; k++) {
        reactions[a->instant->rows[k]] = answer.multipliers[k];
    }
    return KAL_OK;
}

// C is differentiated at the multipliers of the ideal part, which it may depend on.
static KalStatus fill_nonideal(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_NONIDEAL, a->instant));
    const double *next =
        kal_scatter(&a->forms.C_y, a->forms.forms[KAL_FORM_NONIDEAL].results, a->d.C_y);
    next = kal_scatter(&a->forms.C_l, next, a->d.C_l);
    memcpy(a->d.C_w, next, n * (size_t)a->inputs.count * sizeof *next);
    return KAL_OK;
}

// ψ_q and what inputs do to φ and ψ.
static KalStatus fill_manifold(KalAnalysis *a)
{
    const size_t m = (size_t)a->system->m;
    const size_t inputs = (size_t)a->inputs.count;
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_MANIFOLD, a->instant));
    const double *next =
        kal_scatter(&a->system->equations->psi_q,
                    a->forms.forms[KAL_FORM_MANIFOLD].results, a->d.psi_q);
    for (size_t k = 0; k < inputs; k++) {
        for (size_t i = 0; i < m; i++) {
            a->d.phi_w[i * inputs + k] = next[i];
            a->d.psi_w[i * inputs + k] = next[m + i];
        }
        next += 2 * m;
    }
    return KAL_OK;
}

// Derivatives of the outputs; these may be NaN.
static KalStatus fill_outputs(KalAnalysis *a)
{
    const size_t p = (size_t)a->system->n_outputs;
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_OUTPUT, a->instant));
    const double *next =
        kal_scatter(&a->forms.o_y, a->forms.forms[KAL_FORM_OUTPUT].results, a->d.o_y);
    next = kal_scatter(&a->forms.o_a, next, a->d.o_a);
    next = kal_scatter(&a->forms.o_l, next, a->d.o_l);
    memcpy(a->d.o_w, next, p * (size_t)a->inputs.count * sizeof *next);
    return KAL_OK;
}

// All numbers at the present state.
static KalStatus fill_tables(KalAnalysis *a)
{
    const KalEquations *e = a->system->equations;
    KAL_TRY(fill_manifold(a));
    KAL_TRY(fill_nonideal(a)); // at the multipliers of the ideal part
    KAL_TRY(fill_outputs(a));
    if (!e->has_C) {
        return fill_residuals(a, &a->d.full);
    }
    KAL_TRY(set_motion(a, a->instant->Q));
    KAL_TRY(fill_residuals(a, &a->d.ideal));
    for (size_t i = 0; i < e->n; i++) {
        a->solve.force[i] = a->instant->Q[i] + a->instant->C[i];
    }
    KAL_TRY(set_motion(a, a->solve.force));
    return fill_residuals(a, &a->d.full);
}

// The motion as it is; only where it is unique has it derivatives.
KalStatus kal_analysis_solve(KalAnalysis *a)
{
    KAL_TRY(kal_instant_solve(a->instant, &a->answer));
    if (a->answer.unique) {
        return KAL_OK;
    }
    int i = 0;
    while (!a->answer.indeterminate[i]) {
        assert(i + 1 < a->system->n); // one of them is
        i++;
    }
    return kal_fail(a->ctx, KAL_ERR_NOT_UNIQUE,
                    "the acceleration of %s, at least, is not unique in this state: "
                    "there is nothing to linearize",
                    a->names[i]);
}

// The choice of states.

// Append rows that restrict positions; those in disguise only where the combinations have
// values.
static int add_integrals(KalAnalysis *a, int rows, int width)
{
    assert(rows >= 0 && width >= a->system->n);
    const KalClassification *classes = a->forms.classes;
    if (!classes || a->chart.all_leaves
        || kal_forms_evaluate(&a->forms, KAL_FORM_INTEGRAL, a->instant) != KAL_OK) {
        return rows;
    }
    const KalSparse *matrix = &classes->integrals;
    const double *values = a->forms.forms[KAL_FORM_INTEGRAL].results;
    for (size_t r = 0; r < matrix->rows; r++) {
        double *row = a->chart.W + (size_t)rows * (size_t)width;
        memset(row, 0, (size_t)width * sizeof *row);
        for (int64_t k = matrix->start[r]; k < matrix->start[r + 1]; k++) {
            row[matrix->column[k]] = values[k];
        }
        a->chart.later_row[rows++] = true;
    }
    return rows;
}

// Whether an active row is of a constraint that has a level.
static bool has_level(const KalAnalysis *a, int k, const KalExpr *level)
{
    return level[a->instant->rows[k]].index != KAL_NO_EXPR.index;
}

// Solve the rows of positions for the coordinates that follow, theory (17.3).
static KalEchelon reduce_positions(KalAnalysis *a)
{
    const KalInstant *instant = a->instant;
    const int n = a->system->n;
    const int inputs = a->inputs.count;
    const int width = n + inputs;
    int rows = 0;
    for (int k = 0; k < instant->n_active; k++) {
        if (!has_level(a, k, a->system->equations->phi)) {
            continue;
        }
        double *row = a->chart.W + (size_t)rows * (size_t)width;
        memcpy(row, instant->A + (size_t)k * (size_t)n, (size_t)n * sizeof *row);
        memcpy(row + n, a->d.phi_w + (size_t)instant->rows[k] * (size_t)inputs,
               (size_t)inputs * sizeof *row);
        a->chart.later_row[rows++] = false;
    }
    rows = add_integrals(a, rows, width);
    KalEchelon e = {.rows = rows,
                    .columns = n,
                    .followers = inputs,
                    .W = a->chart.W,
                    .weights = a->chart.weights,
                    .later_row = a->chart.later_row,
                    .pivot = a->chart.pivot};
    kal_echelon_reduce(&e);
    return e;
}

// Unknowns that were solved for follow.
static void mark_pivots(const KalEchelon *e, bool *follows)
{
    assert(e->rank <= e->rows);
    memset(follows, 0, (size_t)e->columns * sizeof *follows);
    for (int i = 0; i < e->rows; i++) {
        if (e->pivot[i] >= 0) {
            follows[e->pivot[i]] = true;
        }
    }
}

// The direction of state k in y.
static double *direction(const KalAnalysis *a, int k)
{
    assert(k >= 0);
    return a->chart.directions + (size_t)k * 2 * (size_t)a->system->n;
}

// The direction of an input stands behind those of the states.
static double *input_direction(const KalAnalysis *a, int k)
{
    return direction(a, a->linear.n_states + k);
}

// One step in a state, and what the following coordinates do, theory (17.3).
static void fill_position_directions(KalAnalysis *a, const KalEchelon *e)
{
    assert(e->columns == a->system->n);
    const int n = a->system->n;
    const int width = e->columns + e->followers;
    for (int k = 0; k < a->linear.n_positions; k++) {
        direction(a, k)[a->linear.state[k]] = 1.0;
    }
    for (int r = 0; r < e->rows; r++) {
        const double *row = e->W + (size_t)r * (size_t)width;
        const int i = e->pivot[r];
        for (int k = 0; k < a->linear.n_positions && i >= 0; k++) {
            direction(a, k)[i] = -row[a->linear.state[k]];
        }
        for (int k = 0; k < a->inputs.count && i >= 0; k++) {
            input_direction(a, k)[i] = -row[n + k];
        }
    }
}

// Rows of velocities with what the directions of positions do to them, theory (17.4).
static KalEchelon reduce_velocities(KalAnalysis *a)
{
    const KalInstant *instant = a->instant;
    const int n = a->system->n;
    const int inputs = a->inputs.count;
    const int followers = a->linear.n_positions + inputs;
    int rows = 0;
    for (int k = 0; k < instant->n_active; k++) {
        if (!has_level(a, k, a->system->equations->psi)) {
            continue;
        }
        const int i = instant->rows[k];
        const double *psi_q = a->d.psi_q + (size_t)i * (size_t)n;
        double *row = a->chart.W + (size_t)rows * (size_t)(n + followers);
        memcpy(row, instant->A + (size_t)k * (size_t)n, (size_t)n * sizeof *row);
        for (int j = 0; j < a->linear.n_positions; j++) {
            row[n + j] = kal_dot(n, psi_q, direction(a, j));
        }
        for (int j = 0; j < inputs; j++) {
            row[n + a->linear.n_positions + j] =
                kal_dot(n, psi_q, input_direction(a, j)) + a->d.psi_w[i * inputs + j];
        }
        rows++;
    }
    KalEchelon e = {.rows = rows,
                    .columns = n,
                    .followers = followers,
                    .W = a->chart.W,
                    .weights = a->chart.weights,
                    .first_column = a->chart.follows_q,
                    .pivot = a->chart.pivot};
    kal_echelon_reduce(&e);
    return e;
}

// The same for velocities; those of positions get what velocities follow, theory (17.4).
static void fill_velocity_directions(KalAnalysis *a, const KalEchelon *e)
{
    assert(e->columns == a->system->n && a->linear.n_positions <= a->linear.n_states);
    const int n = a->system->n;
    const int width = e->columns + e->followers;
    for (int k = a->linear.n_positions; k < a->linear.n_states; k++) {
        direction(a, k)[a->linear.state[k]] = 1.0;
    }
    for (int r = 0; r < e->rows; r++) {
        const double *row = e->W + (size_t)r * (size_t)width;
        const int i = n + e->pivot[r];
        if (e->pivot[r] < 0) {
            continue;
        }
        for (int k = 0; k < a->linear.n_positions; k++) {
            direction(a, k)[i] = -row[n + k];
        }
        for (int k = a->linear.n_positions; k < a->linear.n_states; k++) {
            direction(a, k)[i] = -row[a->linear.state[k] - n];
        }
        for (int k = 0; k < a->inputs.count; k++) {
            input_direction(a, k)[i] = -row[n + a->linear.n_positions + k];
        }
    }
}

// Rows that determine accelerations; all others depend on them.
static void find_independent_rows(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    KalEchelon e = {.rows = a->instant->n_active,
                    .columns = a->system->n,
                    .W = a->chart.W,
                    .weights = a->chart.weights,
                    .pivot = a->chart.pivot};
    memcpy(a->chart.W, a->instant->A, (size_t)e.rows * n * sizeof(double));
    kal_echelon_reduce(&e);
    assert(e.rank <= e.columns);
    a->chart.n_rows = 0;
    for (int k = 0; k < e.rows; k++) {
        if (e.pivot[k] >= 0) {
            memcpy(a->chart.A_rows + (size_t)a->chart.n_rows * n,
                   a->instant->A + (size_t)k * n, n * sizeof(double));
            a->chart.rows[a->chart.n_rows++] = k;
        }
    }
}

// Add the coordinates, or velocities, that do not follow to the states.
static void add_states(KalAnalysis *a, const bool *follows, int offset)
{
    assert(offset == 0 || offset == a->system->n);
    for (int i = 0; i < a->system->n; i++) {
        if (!follows[i]) {
            assert(a->linear.n_states < 2 * a->system->n);
            a->linear.state_names[a->linear.n_states] = a->names[offset + i];
            a->linear.state[a->linear.n_states++] = offset + i;
        }
    }
}

// The dependent rows do not agree on what an input does.
static KalStatus fail_input(const KalAnalysis *a)
{
    return kal_fail(
        a->ctx, KAL_ERR_CONTRADICTION,
        "redundant constraints contradict each other when an input changes: "
        "linearize without parameters that only some of them depend on");
}

// The states, and a direction of y for each of them and each input: theory (17.3) to (17.5).
static KalStatus choose(KalAnalysis *a)
{
    const size_t n = (size_t)a->system->n;
    const double contradiction = 1e-6;
    kal_analysis_fill_weights(a);
    find_independent_rows(a);
    a->linear.n_states = 0;
    KalEchelon e = reduce_positions(a);
    if (e.misfit > contradiction) {
        return fail_input(a);
    }
    mark_pivots(&e, a->chart.follows_q);
    add_states(a, a->chart.follows_q, 0);
    a->linear.n_positions = a->linear.n_states;
    // The number of velocities is not known yet: inputs wait behind all there can be.
    a->linear.n_states = a->linear.n_positions + a->system->n;
    memset(a->chart.directions, 0,
           ((size_t)a->linear.n_states + (size_t)a->inputs.count) * 2 * n
               * sizeof(double));
    fill_position_directions(a, &e);
    e = reduce_velocities(a);
    if (e.misfit > contradiction) {
        return fail_input(a);
    }
    mark_pivots(&e, a->chart.follows_v);
    const int inputs_at = a->linear.n_states;
    a->linear.n_states = a->linear.n_positions;
    add_states(a, a->chart.follows_v, a->system->n);
    assert(a->linear.n_states <= inputs_at);
    memmove(input_direction(a, 0), direction(a, inputs_at),
            (size_t)a->inputs.count * 2 * n * sizeof(double));
    fill_velocity_directions(a, &e);
    return KAL_OK;
}

// The answer to a direction.

// Force and right-hand sides that a direction puts into the linearized equations.
static void fill_right(KalAnalysis *a, const KalResidualTable *table, const double *dy,
                       int input)
{
    const int n = a->system->n;
    const int m = a->system->m;
    assert(input < a->inputs.count && a->chart.n_rows <= a->instant->n_active);
    for (int i = 0; i < n; i++) {
        a->solve.force[i] = -kal_dot(2 * n, table->R_y + (size_t)i * 2 * (size_t)n, dy)
                            - (input < 0 ? 0.0 : table->R_w[input * n + i]);
    }
    for (int k = 0; k < a->chart.n_rows; k++) {
        const int i = a->instant->rows[a->chart.rows[k]];
        a->solve.b[k] = -kal_dot(2 * n, table->S_y + (size_t)i * 2 * (size_t)n, dy)
                        - (input < 0 ? 0.0 : table->S_w[input * m + i]);
    }
}

// Accelerations to a->solve.da, multipliers to a->solve.dl by constraint.
static void solve_right(KalAnalysis *a)
{
    kal_responder_solve(&a->responder, a->solve.force, a->solve.b, a->solve.da,
                        a->solve.multipliers);
    memset(a->solve.dl, 0, (size_t)a->system->m * sizeof *a->solve.dl);
    for (int k = 0; k < a->chart.n_rows; k++) {
        a->solve.dl[a->instant->rows[a->chart.rows[k]]] = a->solve.multipliers[k];
    }
}

// theory (17.2): with non-ideal forces, once for the multipliers of the ideal part that
// these may depend on, and once more with their change.
static void respond(KalAnalysis *a, const double *dy, int input)
{
    const int n = a->system->n;
    const int m = a->system->m;
    const bool has_C = a->system->equations->has_C;
    fill_right(a, has_C ? &a->d.ideal : &a->d.full, dy, input);
    solve_right(a);
    if (!has_C) {
        return;
    }
    fill_right(a, &a->d.full, dy, input);
    for (int i = 0; i < n; i++) {
        a->solve.force[i] += kal_dot(2 * n, a->d.C_y + (size_t)i * 2 * (size_t)n, dy)
                             + kal_dot(m, a->d.C_l + (size_t)i * (size_t)m, a->solve.dl)
                             + (input < 0 ? 0.0 : a->d.C_w[input * n + i]);
    }
    kal_responder_solve(&a->responder, a->solve.force, a->solve.b, a->solve.da,
                        a->solve.multipliers);
}

// How an output responds; NaN where it depends on reactions that are not unique, or has no
// derivative.
static double output_answer(const KalAnalysis *a, int i, const double *dy, int input)
{
    assert(i >= 0 && i < a->system->n_outputs);
    const size_t n = (size_t)a->system->n;
    const size_t m = (size_t)a->system->m;
    const KalSparse *o_l = &a->forms.o_l;
    for (int64_t k = o_l->start[i]; k < o_l->start[i + 1]; k++) {
        for (int row = 0; row < a->instant->n_active; row++) {
            if (a->instant->rows[row] == (int)o_l->column[k]
                && a->answer.dependent_set[row] >= 0) {
                return NAN;
            }
        }
    }
    const size_t r = (size_t)i;
    const double sum = kal_dot(2 * (int)n, a->d.o_y + r * 2 * n, dy)
                       + kal_dot((int)n, a->d.o_a + r * n, a->solve.da)
                       + kal_dot((int)m, a->d.o_l + r * m, a->solve.dl)
                       + (input < 0 ? 0.0 : a->d.o_w[input * a->system->n_outputs + i]);
    return isfinite(sum) ? sum : NAN;
}

// The size of the terms that meet in the answer to a direction, as accelerations weighted
// with the roots of masses: rounding is relative to this.
static double term_size(const KalAnalysis *a, const double *dy)
{
    const int n = a->system->n;
    double length = 0.0;
    for (int i = 0; i < n; i++) {
        const double *row = a->d.full.R_y + (size_t)i * 2 * (size_t)n;
        double size = 0.0;
        for (int j = 0; j < 2 * n; j++) {
            size += fabs(row[j] * dy[j]);
        }
        length = hypot(length, size / sqrt(a->chart.masses[i]));
    }
    for (int k = 0; k < a->chart.n_rows; k++) {
        const int i = a->instant->rows[a->chart.rows[k]];
        const double *row = a->d.full.S_y + (size_t)i * 2 * (size_t)n;
        double size = 0.0;
        for (int j = 0; j < 2 * n; j++) {
            size += fabs(row[j] * dy[j]);
        }
        length = hypot(length, size / a->responder.lengths[k]);
    }
    return length;
}

// The size of all forces, those of constraints included, weighted in the same way: inside
// of formulas their derivatives may cancel.
static double all_force_size(const KalAnalysis *a)
{
    const int n = a->system->n;
    double length = 0.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(a->instant->Q[i]) + fabs(a->instant->C[i]);
        for (int k = 0; k < a->instant->n_active; k++) {
            size += fabs(a->instant->A[k * n + i] * a->answer.multipliers[k]);
        }
        length = hypot(length, size / sqrt(a->chart.masses[i]));
    }
    return length;
}

// Entries of A that are rounding are 0: their roots, as eigenvalues, would not look small.
static void clean_column(KalAnalysis *a, const double *dy, int k)
{
    assert(k >= 0 && k < a->linear.n_states);
    double longest = 0.0;
    for (int i = 0; i < a->system->n; i++) {
        longest = fmax(longest, fabs(dy[i]));
    }
    const double rounding =
        32.0 * DBL_EPSILON * (term_size(a, dy) + longest * a->solve.all_forces);
    for (int i = a->linear.n_positions; i < a->linear.n_states; i++) {
        double *entry = &a->linear.A[i * a->linear.n_states + k];
        const double mass = a->chart.masses[a->linear.state[i] - a->system->n];
        *entry = fabs(*entry) * sqrt(mass) < rounding ? 0.0 : *entry;
    }
}

// Column k of state and output matrices that are `width` wide.
static void fill_column(KalAnalysis *a, const double *dy, int input, int k, int width)
{
    const int n = a->system->n;
    double *states = input < 0 ? a->linear.A : a->linear.B;
    double *outputs = input < 0 ? a->linear.C : a->linear.D;
    assert(k >= 0 && k < width);
    respond(a, dy, input);
    for (int i = 0; i < a->linear.n_states; i++) {
        const int at = a->linear.state[i];
        states[i * width + k] = at < n ? dy[n + at] : a->solve.da[at - n];
    }
    for (int i = 0; i < a->system->n_outputs; i++) {
        outputs[i * width + k] = output_answer(a, i, dy, input);
    }
}

// What kind of state it is.

// The state whose rate is not zero, from `from` on; n_states if there is none.
static int find_moving(KalAnalysis *a, int from)
{
    assert(from >= 0);
    const int n = a->system->n;
    const double *y = kal_instant_q(a->instant);
    const double most = ROUNDING * kal_analysis_force_size(a);
    double fastest = 1.0;
    for (int i = 0; i < n; i++) {
        fastest = fmax(fastest, fabs(y[n + i]));
    }
    for (int k = from; k < a->linear.n_states; k++) {
        const int at = a->linear.state[k];
        if (at < n) {
            if (fabs(y[n + at]) > ROUNDING * fastest) {
                return k;
            }
            continue;
        }
        const double mass = a->instant->M[(at - n) * n + at - n];
        const double rate = fabs(a->answer.qdd[at - n]);
        if (rate * sqrt(mass) > most + 1e-12 * sqrt(mass) * fastest
            && rate > 1e-12 * fastest) {
            return k;
        }
    }
    return a->linear.n_states;
}

// The largest entry of A.
static double largest_coupling(const KalAnalysis *a)
{
    double largest = 0.0;
    for (int k = 0; k < a->linear.n_states * a->linear.n_states; k++) {
        largest = fmax(largest, fabs(a->linear.A[k]));
    }
    return largest;
}

// States that move, those that depend on them, and so on.
static void mark_driven(KalAnalysis *a, double rounding)
{
    const int z = a->linear.n_states;
    bool changed = true;
    for (int k = find_moving(a, 0); k < z; k = find_moving(a, k + 1)) {
        a->linear.driven[k] = true;
    }
    while (changed) {
        changed = false;
        for (int k = 0; k < z * z; k++) {
            if (a->linear.driven[k % z] && !a->linear.driven[k / z]
                && fabs(a->linear.A[k]) > rounding) {
                a->linear.driven[k / z] = true;
                changed = true;
            }
        }
    }
}

// Whether a state has no effect on any other that is not driven.
static bool has_no_effect(const KalAnalysis *a, const bool *driven, int k,
                          double rounding)
{
    assert(k >= 0 && k < a->linear.n_states);
    for (int i = 0; i < a->linear.n_states; i++) {
        if (!driven[i] && fabs(a->linear.A[i * a->linear.n_states + k]) > rounding) {
            return false;
        }
    }
    return true;
}

void kal_analysis_mark_ignorable(const KalAnalysis *a, bool *driven)
{
    const double rounding = COUPLING * largest_coupling(a);
    bool changed = true;
    while (changed) {
        changed = false;
        for (int k = 0; k < a->linear.n_positions; k++) {
            if (!driven[k] && has_no_effect(a, driven, k, rounding)) {
                driven[k] = true;
                changed = true;
            }
        }
    }
}

// States that move in a steady motion without mattering, theory (17.8).
static void find_driven(KalAnalysis *a)
{
    memset(a->linear.driven, 0, (size_t)a->linear.n_states * sizeof *a->linear.driven);
    if (find_moving(a, 0) < a->linear.n_states) {
        mark_driven(a, COUPLING * largest_coupling(a));
        kal_analysis_mark_ignorable(a, a->linear.driven);
    }
}

// Why the state is no equilibrium.
static void write_note(KalAnalysis *a, const KalLinearization *l)
{
    if (!l->timeless) {
        (void)snprintf(a->linear.note, sizeof a->linear.note,
                       "the equations depend on time: linearized at t = %.9g, which is "
                       "not an equilibrium",
                       *kal_instant_t(a->instant));
        return;
    }
    const int k = find_moving(a, a->linear.n_positions);
    if (k == a->linear.n_states) {
        (void)snprintf(
            a->linear.note, sizeof a->linear.note,
            "the state is not an equilibrium, nor a steady motion: velocities "
            "depend on coordinates that move");
        return;
    }
    const int at = a->linear.state[k];
    (void)snprintf(
        a->linear.note, sizeof a->linear.note,
        "the state is not an equilibrium, nor a steady motion: %.100s changes "
        "at the rate %.6g",
        a->names[at], a->answer.qdd[at - a->system->n]);
}

static void judge(KalAnalysis *a, KalLinearization *l)
{
    find_driven(a);
    l->timeless = a->forms.timeless;
    l->at_rest = l->timeless && find_moving(a, 0) == a->linear.n_states;
    l->steady = l->timeless;
    for (int k = a->linear.n_positions; k < a->linear.n_states; k++) {
        l->steady = l->steady && !a->linear.driven[k];
    }
    if (!l->steady) {
        write_note(a, l);
        l->note = a->linear.note;
    }
}

KalStatus kal_analysis_count_states(KalAnalysis *a, int *out_count)
{
    assert(out_count);
    KAL_TRY(kal_analysis_solve(a));
    KAL_TRY(fill_manifold(a));
    KAL_TRY(choose(a));
    *out_count = a->linear.n_states;
    return KAL_OK;
}

KalLinearization kal_analysis_linearization(const KalAnalysis *a)
{
    assert(a->linear.state_names || a->linear.n_states == 0);
    return (KalLinearization){.n_states = a->linear.n_states,
                              .n_positions = a->linear.n_positions,
                              .n_inputs = a->inputs.count,
                              .n_outputs = a->system->n_outputs,
                              .states = a->linear.state_names,
                              .inputs = a->inputs.names,
                              .outputs = kal_system_output_names(a->system),
                              .A = a->linear.A,
                              .B = a->linear.B,
                              .C = a->linear.C,
                              .D = a->linear.D,
                              .driven = a->linear.driven};
}

// States are coordinates that the constraints leave free; each column of A is the change
// of accelerations along one of them with the others following, and each of B the
// response to an input.
KalStatus kal_analysis_linearize(KalAnalysis *a, KalLinearization *out_linearization)
{
    KAL_NEED(a ? a->ctx : NULL, a && out_linearization);
    if (a->pencil) {
        return kal_pencil_linearize(a->pencil, out_linearization);
    }
    KAL_TRY(kal_analysis_solve(a));
    KAL_TRY(fill_tables(a));
    KAL_TRY(choose(a));
    if (!kal_responder_factor(&a->responder, a->instant->M, a->chart.A_rows,
                              a->chart.n_rows, a->chart.masses)) {
        return kal_fail(
            a->ctx, KAL_ERR_NOT_UNIQUE,
            "accelerations are hardly unique in this state: there is nothing "
            "to linearize");
    }
    a->solve.all_forces = all_force_size(a);
    for (int k = 0; k < a->linear.n_states; k++) {
        fill_column(a, direction(a, k), -1, k, a->linear.n_states);
        clean_column(a, direction(a, k), k);
    }
    for (int k = 0; k < a->inputs.count; k++) {
        fill_column(a, input_direction(a, k), k, k, a->inputs.count);
    }
    KalLinearization l = kal_analysis_linearization(a);
    l.tangent = a->chart.directions;
    l.singular =
        a->chart.usual_states >= 0 && a->chart.usual_states != a->linear.n_states;
    judge(a, &l);
    *out_linearization = l;
    return KAL_OK;
}

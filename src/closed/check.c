// SPDX-License-Identifier: MIT

// Results against numbers: theory (11.5) at random states, anywhere and on the constraints.
//
// A closed form that is shown has been put into the equations that it solves, as numbers,
// and satisfied them at every state that was tried where all formulas have values.
// Algebra that is wrong, or not valid on a branch, does not get past this.

#include "closed/solver_impl.h"
#include "expr/eval.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-7; // relative to the size of the terms

// Formulas of results and equations, with their values at a state.
typedef struct Trial {
    const KalSolver *s;
    size_t n_e;
    KalExpr *e;           // results, results on the constraints, then all of the sheet
    double *at;           // n_e
    const double *values; // of the symbols
} Trial;

// A sum whose terms cancel, with the size of its terms.
typedef struct Balance {
    double sum;
    double size;
} Balance;

static void put(Balance *balance, double term)
{
    balance->sum += term;
    balance->size += fabs(term);
}

static bool is_balanced(Balance balance)
{
    return fabs(balance.sum) <= TOLERANCE * balance.size + 1e-300;
}

// The value of a result; 0 when there is none of this kind.
static double value_of(const Trial *t, KalResultKind kind, size_t index)
{
    for (size_t i = 0; i < t->s->n_solved; i++) {
        if (t->s->solved[i].kind == kind && t->s->solved[i].index == index) {
            return t->at[i];
        }
    }
    return 0.0;
}

static double *sheet_values(const Trial *t, const KalExpr *list)
{
    assert(list >= t->s->sheet->all && list <= t->s->sheet->all + t->s->sheet->n_all);
    return t->at + 2 * t->s->n_solved + (list - t->s->sheet->all);
}

static double entry(const KalSparse *pattern, const double *values, size_t row,
                    size_t column)
{
    assert(row < pattern->rows);
    for (int64_t k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
        if ((size_t)pattern->column[k] == column) {
            return values[k];
        }
    }
    return 0.0;
}

// M q'' = Q + ideal + non-ideal force.
static bool forces_balance(const Trial *t, size_t j)
{
    assert(j < t->s->n);
    const KalSolver *s = t->s;
    const double *M = sheet_values(t, s->sheet->M);
    Balance balance = {0.0, 0.0};
    for (size_t k = 0; k < s->n; k++) {
        const double mass =
            j >= k ? entry(&s->eq->M, M, j, k) : entry(&s->eq->M, M, k, j);
        put(&balance, mass * value_of(t, KAL_RESULT_ACCELERATION, k));
    }
    put(&balance, -sheet_values(t, s->sheet->Q)[j]);
    for (size_t a = 0; a < s->eq->model->n_actuators; a++) {
        const double force = entry(&s->eq->B, sheet_values(t, s->sheet->B), j, a);
        const KalExpr input = kal_solver_input(s, a);
        put(&balance,
            -force * t->values[kal_graph_node(s->sheet->g, input).arg[0].index]);
    }
    put(&balance, -value_of(t, KAL_RESULT_FORCE, j));
    put(&balance, -value_of(t, KAL_RESULT_NONIDEAL, j));
    return is_balanced(balance);
}

// A q'' = b, for a row that was used.
static bool row_holds(const Trial *t, size_t i)
{
    assert(i < t->s->m);
    const KalSolver *s = t->s;
    Balance balance = {0.0, 0.0};
    for (size_t j = 0; j < s->n; j++) {
        const double a = entry(&s->eq->A, sheet_values(t, s->sheet->A), i, j);
        put(&balance, a * value_of(t, KAL_RESULT_ACCELERATION, j));
    }
    put(&balance, -sheet_values(t, s->sheet->b)[i]);
    return is_balanced(balance);
}

// Aᵀλ is the ideal force.
static bool reactions_balance(const Trial *t, size_t j)
{
    assert(j < t->s->n);
    const KalSolver *s = t->s;
    Balance balance = {0.0, 0.0};
    for (size_t i = 0; i < s->m; i++) {
        const double a = entry(&s->eq->A, sheet_values(t, s->sheet->A), i, j);
        put(&balance, a * value_of(t, KAL_RESULT_REACTION, i));
    }
    put(&balance, -value_of(t, KAL_RESULT_FORCE, j));
    return is_balanced(balance);
}

static bool is_finite(const Trial *t)
{
    for (size_t i = 0; i < t->n_e; i++) {
        if (!isfinite(t->at[i])) {
            return false;
        }
    }
    return true;
}

static bool equations_hold(const Trial *t, bool on_constraints)
{
    assert(t->values);
    const KalSolver *s = t->s;
    bool holds = true;
    for (size_t j = 0; j < s->n; j++) {
        holds = holds && forces_balance(t, j);
        // Rows that depend on others do so on the constraints only.
        holds = holds
                && (!s->has_reactions || (s->rank < s->m && !on_constraints)
                    || reactions_balance(t, j));
    }
    for (size_t k = 0; k < s->rank; k++) {
        holds = holds && row_holds(t, s->rows[k]);
    }
    return holds;
}

// Drop what was shortened where it differs from what it stands for.
static void compare_shortened(const Trial *t, KalSolved *solved)
{
    assert(solved);
    for (size_t i = 0; i < t->s->n_solved; i++) {
        const double want = t->at[i];
        const double got = t->at[t->s->n_solved + i];
        if (fabs(got - want) > TOLERANCE * (fabs(want) + fabs(got)) + 1e-300) {
            solved[i].has_on = false;
        }
    }
}

// A state at which something has no finite value proves nothing and is passed over; one
// at which the equations do not hold settles the matter.
static KalStatus try_states(KalSolver *s, Trial *t, bool on_constraints, int count,
                            int *tried)
{
    assert(count <= KAL_SAMPLES);
    for (int i = 0; i < count; i++) {
        t->values = kal_sample(&s->samples, on_constraints, i);
        KAL_TRY(kal_eval(s->sheet->g, t->e, t->n_e, t->values, t->at));
        if (!is_finite(t)) {
            continue;
        }
        if (!equations_hold(t, on_constraints)) {
            *tried = -1;
            return KAL_OK;
        }
        *tried += 1;
        if (on_constraints) {
            compare_shortened(t, s->solved);
        }
    }
    return KAL_OK;
}

// States at which a formula has no value tell nothing and do not count; at least one
// has to remain.
static KalStatus try_all(KalSolver *s, Trial *t, bool *out_holds)
{
    assert(t->e && t->at);
    int anywhere = 0;
    int on = 0;
    for (size_t i = 0; i < s->n_solved; i++) {
        const KalSolved *r = &s->solved[i];
        KAL_TRY(kal_field_write(s->field, r->value, &t->e[i]));
        KAL_TRY(kal_field_write(s->field, r->has_on ? r->on : r->value,
                                &t->e[s->n_solved + i]));
    }
    KAL_TRY(try_states(s, t, false, KAL_SAMPLES, &anywhere));
    KAL_TRY(try_states(s, t, true, anywhere < 0 ? 0 : s->samples.n_on, &on));
    for (size_t i = 0; i < s->n_solved && on <= 0; i++) {
        s->solved[i].has_on = false;
    }
    *out_holds = anywhere >= 0 && on >= 0 && anywhere + on > 0;
    return KAL_OK;
}

// Both forms of every result, before and after shortening, and the formulas of the
// equations that they have to satisfy.
KalStatus kal_solver_check(KalSolver *s, bool *out_holds)
{
    assert(s->n_solved <= s->solved_capacity);
    Trial t = {.s = s, .n_e = 2 * s->n_solved + s->sheet->n_all};
    t.e = (KalExpr *)kal_alloc(s->ctx, t.n_e, sizeof *t.e);
    t.at = (double *)kal_alloc(s->ctx, t.n_e, sizeof *t.at);
    KalStatus status = KAL_OK;
    if (t.e && t.at) {
        memcpy(t.e + 2 * s->n_solved, s->sheet->all, s->sheet->n_all * sizeof *t.e);
        status = try_all(s, &t, out_holds);
    } else {
        status = kal_no_memory(s->ctx, "to try formulas");
    }
    kal_free(s->ctx, t.at, t.n_e * sizeof *t.at);
    kal_free(s->ctx, t.e, t.n_e * sizeof *t.e);
    return status;
}

// SPDX-License-Identifier: MIT

// Givens and answer of one instant for scripts.  Keys are the same whatever the problem;
// what is not known is null.

#include "json/member.h"
#include "problem/problem_impl.h"

#include <assert.h>

// An array; NULL stands for zeros.
static void write_numbers(KalJsonWriter *w, const char *key, const double *values,
                          size_t count)
{
    kal_json_write_key(w, key);
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < count; i++) {
        kal_json_write_number(w, values ? values[i] : 0.0);
    }
    kal_json_write_end(w, ']');
}

// Null when it is not known.
static void write_known(KalJsonWriter *w, const char *key, const double *values,
                        size_t count)
{
    if (values) {
        write_numbers(w, key, values, count);
    } else {
        kal_json_write_key(w, key);
        kal_json_write_null(w);
    }
}

// Where the instant is: model, time, coordinates and velocities.
static void write_state(KalJsonWriter *w, const KalInstantView *view)
{
    const size_t n = (size_t)view->givens.n;
    kal_json_put_text(w, "model", view->title);
    kal_json_write_key(w, "t");
    if (view->t) {
        kal_json_write_number(w, *view->t);
    } else {
        kal_json_write_null(w);
    }
    kal_json_put_names(w, "coordinates", view->coordinates, view->givens.n);
    write_known(w, "q", view->q, n);
    write_known(w, "qd", view->qd, n);
}

// By bisection, since the columns of a row rise.  `pick` chooses rows, and a symmetric
// matrix has its lower triangle only.
static double entry_at(const KalViewEntries *matrix, int row, int column)
{
    assert(row >= 0 && row < matrix->rows);
    assert(column >= 0 && column < matrix->columns);
    if (matrix->lower && column > row) {
        const int kept = row;
        row = column;
        column = kept;
    }
    const int i = matrix->pick ? matrix->pick[row] : row;
    int64_t low = matrix->start[i];
    int64_t high = matrix->start[i + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool found = low < matrix->start[i + 1] && matrix->column[low] == column;
    return found ? matrix->value[low] : 0.0;
}

// As rows of numbers, like any matrix.
static void write_rows(KalJsonWriter *w, const KalViewEntries *matrix)
{
    kal_json_write_begin(w, '[');
    for (int i = 0; i < matrix->rows; i++) {
        kal_json_write_begin(w, '[');
        for (int j = 0; j < matrix->columns; j++) {
            kal_json_write_number(w, entry_at(matrix, i, j));
        }
        kal_json_write_end(w, ']');
    }
    kal_json_write_end(w, ']');
}

static void write_entry(KalJsonWriter *w, int row, int64_t column, double value)
{
    kal_json_write_begin(w, '[');
    kal_json_write_number(w, row);
    kal_json_write_number(w, (double)column);
    kal_json_write_number(w, value);
    kal_json_write_end(w, ']');
}

// As [row, column, value], from 0; of a symmetric matrix the lower triangle.
static void write_entries(KalJsonWriter *w, const KalViewEntries *matrix)
{
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "rows", matrix->rows);
    kal_json_put_number(w, "columns", matrix->columns);
    kal_json_put_bool(w, "lower", matrix->lower);
    kal_json_write_key(w, "entries");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < matrix->rows; i++) {
        const int row = matrix->pick ? matrix->pick[i] : i;
        for (int64_t k = matrix->start[row]; k < matrix->start[row + 1]; k++) {
            write_entry(w, i, matrix->column[k], matrix->value[k]);
        }
    }
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
}

// Beyond the size that `kalaba solve` reads, rows of numbers would be mostly zeros.
static void write_matrix(KalJsonWriter *w, const char *key,
                         const KalViewEntries *matrix)
{
    assert(matrix->start);
    const bool few =
        matrix->rows <= KAL_PROBLEM_LIMIT && matrix->columns <= KAL_PROBLEM_LIMIT;
    kal_json_write_key(w, key);
    if (few) {
        write_rows(w, matrix);
    } else {
        write_entries(w, matrix);
    }
}

// The equation itself.
static void write_givens(KalJsonWriter *w, const KalInstantView *view)
{
    const KalMotionProblem *givens = &view->givens;
    const size_t n = (size_t)givens->n;
    const size_t m = (size_t)givens->m;
    if (view->sparse) {
        write_matrix(w, "M", &view->M);
    } else {
        kal_json_put_matrix(w, "M", givens->M, givens->n, givens->n);
    }
    write_numbers(w, "Q", givens->Q, n);
    if (view->sparse) {
        write_matrix(w, "A", &view->A);
    } else {
        kal_json_put_matrix(w, "A", givens->A, givens->m, givens->n);
    }
    write_numbers(w, "b", givens->b, m);
    write_numbers(w, "C", givens->C, n);
    kal_json_put_names(w, "constraints", view->constraints, givens->m);
}

// Named values, and for each whether it is unique.
static void write_group(KalJsonWriter *w, const KalViewGroup *group)
{
    assert(group->key && (!group->unique_key || group->doubts || group->count == 0));
    kal_json_write_key(w, group->key);
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < group->count; i++) {
        kal_json_put_number(w, group->names[i], group->values[i]);
    }
    kal_json_write_end(w, '}');
    if (!group->unique_key) {
        return;
    }
    kal_json_write_key(w, group->unique_key);
    kal_json_write_begin(w, '{');
    for (size_t i = 0; i < group->count; i++) {
        kal_json_put_bool(w, group->names[i], !group->doubts[i]);
    }
    kal_json_write_end(w, '}');
}

static void write_forces(KalJsonWriter *w, const KalMotionAnswer *answer)
{
    assert(answer->force_ideal && answer->force_nonideal);
    const size_t n = (size_t)answer->n;
    kal_json_write_key(w, "force");
    kal_json_write_begin(w, '{');
    write_numbers(w, "ideal", answer->force_ideal, n);
    write_numbers(w, "nonideal", answer->force_nonideal, n);
    kal_json_write_key(w, "total");
    kal_json_write_begin(w, '[');
    for (size_t i = 0; i < n; i++) {
        kal_json_write_number(w, answer->force_ideal[i] + answer->force_nonideal[i]);
    }
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
}

static void write_multipliers(KalJsonWriter *w, const KalInstantView *view)
{
    kal_json_write_key(w, "multipliers");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < view->answer->m; i++) {
        kal_json_put_number(w, view->constraints[i], view->answer->multipliers[i]);
    }
    kal_json_write_end(w, '}');
}

static void write_rank(KalJsonWriter *w, const KalMotionAnswer *answer)
{
    kal_json_write_key(w, "rank");
    kal_json_write_begin(w, '{');
    kal_json_put_number(w, "M", answer->rank_M);
    kal_json_put_number(w, "A", answer->rank_A);
    kal_json_put_number(w, "Mhat", answer->rank_Mhat);
    kal_json_write_end(w, '}');
}

void kal_view_write_reactions_json(KalJsonWriter *w, const KalMotionAnswer *answer,
                                   const char *const *constraints)
{
    kal_json_write_key(w, "unique_reaction");
    kal_json_write_begin(w, '{');
    for (int i = 0; i < answer->m; i++) {
        kal_json_put_bool(w, constraints[i], answer->dependent_set[i] < 0);
    }
    kal_json_write_end(w, '}');
}

static void write_dependent_set(KalJsonWriter *w, const KalMotionAnswer *answer,
                                const char *const *constraints, int set)
{
    assert(set >= 0 && set < answer->n_dependent_sets);
    kal_json_write_begin(w, '[');
    for (int i = 0; i < answer->m; i++) {
        if (answer->dependent_set[i] == set) {
            kal_json_write_string(w, constraints[i]);
        }
    }
    kal_json_write_end(w, ']');
}

void kal_view_write_verdicts_json(KalJsonWriter *w, const KalMotionAnswer *answer,
                                  const char *const *coordinates,
                                  const char *const *constraints)
{
    kal_json_put_bool(w, "unique", answer->unique);
    kal_json_write_key(w, "indeterminate");
    kal_json_write_begin(w, '[');
    for (int i = 0; i < answer->n; i++) {
        if (answer->indeterminate[i]) {
            kal_json_write_string(w, coordinates[i]);
        }
    }
    kal_json_write_end(w, ']');
    kal_json_write_key(w, "dependent_sets");
    kal_json_write_begin(w, '[');
    for (int set = 0; set < answer->n_dependent_sets; set++) {
        write_dependent_set(w, answer, constraints, set);
    }
    kal_json_write_end(w, ']');
}

// An answer exists only when the constraints agree, so `consistent` is always true.
void kal_view_write_json(const KalInstantView *view, KalSink sink)
{
    assert(view && view->answer && sink.write);
    const KalMotionAnswer *answer = view->answer;
    KalJsonWriter w = {.sink = sink};
    kal_json_write_begin(&w, '{');
    write_state(&w, view);
    write_givens(&w, view);
    write_numbers(&w, "qdd", answer->qdd, (size_t)answer->n);
    write_forces(&w, answer);
    write_multipliers(&w, view);
    kal_view_write_reactions_json(&w, answer, view->constraints);
    write_rank(&w, answer);
    kal_view_write_verdicts_json(&w, answer, view->coordinates, view->constraints);
    kal_json_put_bool(&w, "consistent", true);
    kal_json_put_number(&w, "residual", answer->residual_constraints);
    kal_json_put_number(&w, "residual_motion", answer->residual_motion);
    for (size_t i = 0; i < view->n_groups; i++) {
        write_group(&w, &view->groups[i]);
    }
    kal_json_write_end(&w, '}');
    sink.write(sink.user, "\n", 1);
}

void kal_problem_write_json(const KalProblem *problem, const KalMotionAnswer *answer,
                            KalSink sink)
{
    if (!(problem && answer && sink.write)) {
        return;
    }
    const KalInstantView view = kal_problem_view(problem, answer);
    kal_view_write_json(&view, sink);
}

// An error object, up to its names.
static void begin_error(KalJsonWriter *w, const char *message)
{
    kal_json_write_begin(w, '{');
    kal_json_write_key(w, "error");
    kal_json_write_begin(w, '{');
    kal_json_put_text(w, "message", message);
    kal_json_write_key(w, "names");
    kal_json_write_begin(w, '[');
}

static void end_error(KalJsonWriter *w)
{
    kal_json_write_end(w, ']');
    kal_json_write_end(w, '}');
    kal_json_write_end(w, '}');
    w->sink.write(w->sink.user, "\n", 1);
}

void kal_view_write_error_json(const char *message, const char *const *names,
                               size_t count, KalSink sink)
{
    assert(message && (names || count == 0));
    KalJsonWriter w = {.sink = sink};
    begin_error(&w, message);
    for (size_t i = 0; i < count; i++) {
        kal_json_write_string(&w, names[i]);
    }
    end_error(&w);
}

void kal_problem_write_error_json(const KalProblem *problem, const char *message,
                                  const KalMotionFault *fault, KalSink sink)
{
    if (!(message && sink.write)) {
        return;
    }
    KalJsonWriter w = {.sink = sink};
    begin_error(&w, message);
    if (problem && fault) {
        const KalNameList *list =
            fault->constraints ? &problem->constraints : &problem->coordinates;
        for (int i = 0; i < fault->count; i++) {
            kal_json_write_string(&w, list->names[fault->indices[i]]);
        }
    }
    end_error(&w);
}

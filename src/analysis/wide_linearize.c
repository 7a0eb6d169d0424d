// SPDX-License-Identifier: MIT

// Linearization of a large system on its constraints, theory, sections 17 and 23.
//
// All is that of linearize.c, but nothing is dense except the matrices that are asked for:
// a sparse elimination chooses the states, and each direction, and the answer to it, is a
// solution with sparse factors.  One direction is there at a time.

#include "analysis/pencil.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to linearize";

static const int64_t MOST_NUMBERS = (int64_t)1 << 27; // of the four matrices

typedef struct Wide {
    KalPencil *p;
    KalWorkspace workspace;
    KalSparseLu span;  // of [A; rows of the unit matrix that pick the states]
    int64_t *start;    // n + 1: scratch, a matrix by columns
    int *row;          // entries of A, and n
    double *value;     // as many
    int *index;        // n: of a state; −1: the coordinate follows
    double *dy;        // 2n: a direction
    double *b;         // n: right-hand sides
    double *force;     // n
    double *g;         // m
    double *da;        // n
    double *dl;        // m
    double *by_rows;   // m
    const double *psi; // results of the formulas of the manifold
    double forces;     // the size of all forces
} Wide;

static void lay_out(KalCarver *carver, void *owner)
{
    Wide *w = owner;
    const KalEquations *e = w->p->a->system->equations;
    const size_t entries = (size_t)e->A.start[e->m] + e->n;
    w->start = kal_carve(carver, e->n + e->m + 2, sizeof *w->start);
    w->row = kal_carve_ints(carver, entries);
    w->value = kal_carve_doubles(carver, entries, 1);
    w->index = kal_carve_ints(carver, e->n);
    w->dy = kal_carve_doubles(carver, 2 * e->n, 1);
    w->b = kal_carve_doubles(carver, e->n, 1);
    w->force = kal_carve_doubles(carver, e->n, 1);
    w->g = kal_carve_doubles(carver, e->m, 1);
    w->da = kal_carve_doubles(carver, e->n, 1);
    w->dl = kal_carve_doubles(carver, e->m, 1);
    w->by_rows = kal_carve_doubles(carver, e->m, 1);
}

// Σ over the entries of row i, which is sparse.
static double row_times(const KalSparse *matrix, const double *values, int i,
                        const double *x)
{
    double sum = 0.0;
    for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
        sum += values[k] * x[matrix->column[k]];
    }
    return sum;
}

// The same with sizes alone.
static double row_size(const KalSparse *matrix, const double *values, int i,
                       const double *x)
{
    double sum = 0.0;
    for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
        sum += fabs(values[k] * x[matrix->column[k]]);
    }
    return sum;
}

// States.

// Solve the independent rows for coordinates that follow, theory (17.3): Aᵀ by columns.
static KalStatus choose_states(Wide *w)
{
    KalPencil *p = w->p;
    KalAnalysis *a = p->a;
    const KalSparse *A = &a->system->equations->A;
    const int n = a->system->n;
    int64_t count = 0;
    for (int r = 0; r < p->n_rows; r++) {
        w->start[r] = count;
        for (int64_t k = A->start[p->rows[r]]; k < A->start[p->rows[r] + 1]; k++) {
            w->row[count] = (int)A->column[k];
            w->value[count++] = a->instant->large.A[k];
        }
    }
    w->start[p->n_rows] = count;
    const KalColumns rows = {n, p->n_rows, w->start, w->row, w->value};
    const KalSparseLuOptions options = {
        .weights = a->chart.weights, .least = 1e-10, .most = MOST_NUMBERS};
    KAL_TRY(kal_sparse_lu_factor(&w->span, a->ctx, &rows, &options));
    for (int i = 0; i < n; i++) {
        a->chart.follows_q[i] = w->span.place[i] >= 0;
    }
    return w->span.rank == p->n_rows
               ? KAL_OK
               : kal_fail(a->ctx, KAL_ERR_NUMBER,
                          "constraints are hardly independent in this state: there is "
                          "nothing to linearize");
}

// A coordinate that does not follow from others is a state; its velocity is another.
static void name_states(Wide *w)
{
    assert(w->index);
    KalAnalysis *a = w->p->a;
    KalLinear *linear = &a->linear;
    const int n = a->system->n;
    const int free_ones = n - w->p->n_rows;
    linear->n_positions = 0;
    for (int i = 0; i < n; i++) {
        w->index[i] = -1;
        if (!a->chart.follows_q[i]) {
            const int k = linear->n_positions++;
            w->index[i] = k;
            linear->state[k] = i;
            linear->state[free_ones + k] = n + i;
            linear->state_names[k] = a->names[i];
            linear->state_names[free_ones + k] = a->names[n + i];
        }
    }
    assert(linear->n_positions == free_ones);
    linear->n_states = 2 * free_ones;
    memset(linear->driven, 0, (size_t)linear->n_states * sizeof *linear->driven);
}

// Factors of the independent rows above those that pick the states, theory (17.5).
static KalStatus factor_span(Wide *w, bool *out_regular)
{
    KalPencil *p = w->p;
    const KalSparse *A = &p->a->system->equations->A;
    const int n = p->a->system->n;
    int64_t *end = w->start + 1;
    memset(w->start, 0, ((size_t)n + 2) * sizeof *w->start);
    for (int r = 0; r < p->n_rows; r++) {
        for (int64_t k = A->start[p->rows[r]]; k < A->start[p->rows[r] + 1]; k++) {
            end[A->column[k] + 1]++;
        }
    }
    for (int j = 0; j < n; j++) {
        end[j + 1] += end[j] + (w->index[j] >= 0);
    }
    for (int r = 0; r < p->n_rows; r++) {
        for (int64_t k = A->start[p->rows[r]]; k < A->start[p->rows[r] + 1]; k++) {
            const int64_t at = end[A->column[k]]++;
            w->row[at] = r;
            w->value[at] = p->a->instant->large.A[k];
        }
    }
    for (int j = 0; j < n; j++) {
        if (w->index[j] >= 0) {
            const int64_t at = end[j]++;
            w->row[at] = p->n_rows + w->index[j];
            w->value[at] = 1.0;
        }
    }
    const KalColumns matrix = {n, n, w->start, w->row, w->value};
    const KalSparseLuOptions options = {.least = 1e-14, .most = MOST_NUMBERS};
    KAL_TRY(kal_sparse_lu_factor(&w->span, p->a->ctx, &matrix, &options));
    *out_regular = w->span.rank == n;
    return KAL_OK;
}

// Directions.

// The right-hand side −ψ_q dq − ψ_w of theory (17.4), in w->b; false if it is zero.
static bool fill_velocity_side(Wide *w, int input)
{
    const KalAnalysis *a = w->p->a;
    const KalSparse *psi_q = &a->system->equations->psi_q;
    const double *by = w->psi + psi_q->start[psi_q->rows]
                       + (input < 0 ? 0 : (int64_t)2 * input + 1) * a->system->m;
    bool any = false;
    memset(w->b, 0, (size_t)a->system->n * sizeof *w->b);
    for (int r = 0; r < w->p->n_rows; r++) {
        const int i = w->p->rows[r];
        w->b[r] = -row_times(psi_q, w->psi, i, w->dy) - (input < 0 ? 0.0 : by[i]);
        any = any || w->b[r] != 0.0;
    }
    return any;
}

// The direction of a state, or that of an input: theory (17.5).
static void find_direction(Wide *w, int state, int input)
{
    const KalAnalysis *a = w->p->a;
    const int n = a->system->n;
    const int rows = w->p->n_rows;
    const KalSparse *psi_q = &a->system->equations->psi_q;
    memset(w->dy, 0, 2 * (size_t)n * sizeof *w->dy);
    memset(w->b, 0, (size_t)n * sizeof *w->b);
    if (state >= a->linear.n_positions) {
        w->b[rows + state - a->linear.n_positions] = 1.0;
        kal_sparse_lu_solve(&w->span, w->b, w->dy + n);
        return;
    }
    if (input < 0) {
        w->b[rows + state] = 1.0;
    }
    const double *phi_w = w->psi + psi_q->start[psi_q->rows]
                          + (input < 0 ? 0 : (int64_t)2 * input) * a->system->m;
    for (int r = 0; r < rows && input >= 0; r++) {
        w->b[r] = -phi_w[w->p->rows[r]];
    }
    kal_sparse_lu_solve(&w->span, w->b, w->dy);
    if (fill_velocity_side(w, input)) {
        kal_sparse_lu_solve(&w->span, w->b, w->dy + n);
    }
}

// Whether rows that depend on others go along with what an input does.
static KalStatus check_input(const Wide *w, int input)
{
    const KalAnalysis *a = w->p->a;
    const KalSparse *A = &a->system->equations->A;
    const KalSparse *psi_q = &a->system->equations->psi_q;
    const double *phi_w =
        w->psi + psi_q->start[psi_q->rows] + (int64_t)2 * input * a->system->m;
    for (int i = 0; i < a->system->m; i++) {
        const double *row = a->instant->large.A;
        const double miss = row_times(A, row, i, w->dy) + phi_w[i];
        if (a->instant->active[i] && w->p->place[i] < 0
            && fabs(miss) > 1e-6 * (row_size(A, row, i, w->dy) + fabs(phi_w[i]))) {
            return kal_fail(
                a->ctx, KAL_ERR_CONTRADICTION,
                "redundant constraints contradict each other when an input changes: "
                "linearize without parameters that only some of them depend on");
        }
    }
    return KAL_OK;
}

// Answers.

// Accelerations and multipliers, theory (17.2).
static void respond(Wide *w, int input)
{
    KalPencil *p = w->p;
    const KalAnalysis *a = p->a;
    const int n = a->system->n;
    const int m = a->system->m;
    const double *by = a->forms.forms[KAL_FORM_MOTION].results + a->forms.R_y.start[n]
                       + a->forms.S_y.start[m]
                       + (input < 0 ? 0 : (int64_t)input) * (n + m);
    for (int i = 0; i < n; i++) {
        w->force[i] =
            -row_times(&a->forms.R_y, p->R_y, i, w->dy) - (input < 0 ? 0.0 : by[i]);
    }
    for (int r = 0; r < p->n_rows; r++) {
        const int i = p->rows[r];
        w->g[r] =
            -row_times(&a->forms.S_y, p->S_y, i, w->dy) - (input < 0 ? 0.0 : by[n + i]);
    }
    kal_pencil_solve(p, w->force, w->g, w->da, w->by_rows);
    memset(w->dl, 0, (size_t)m * sizeof *w->dl);
    for (int r = 0; r < p->n_rows; r++) {
        w->dl[p->rows[r]] = w->by_rows[r];
    }
}

// Whether output i depends on reactions that are not unique.
static bool is_doubtful(const KalAnalysis *a, int i)
{
    const KalSparse *o_l = &a->forms.o_l;
    for (int64_t k = o_l->start[i]; k < o_l->start[i + 1]; k++) {
        for (int row = 0; row < a->instant->n_active; row++) {
            if (a->instant->rows[row] == (int)o_l->column[k]
                && a->answer.dependent_set[row] >= 0) {
                return true;
            }
        }
    }
    return false;
}

// How an output responds, theory (17.6).
static double output_answer(const Wide *w, int i, int input)
{
    const KalAnalysis *a = w->p->a;
    const KalForms *forms = &a->forms;
    const size_t p = (size_t)a->system->n_outputs;
    const double *o_y = forms->forms[KAL_FORM_OUTPUT].results;
    const double *o_a = o_y + forms->o_y.start[p];
    const double *o_l = o_a + forms->o_a.start[p];
    const double *o_w = o_l + forms->o_l.start[p];
    if (is_doubtful(a, i)) {
        return NAN;
    }
    const double sum = row_times(&forms->o_y, o_y, i, w->dy)
                       + row_times(&forms->o_a, o_a, i, w->da)
                       + row_times(&forms->o_l, o_l, i, w->dl)
                       + (input < 0 ? 0.0 : o_w[(size_t)input * p + (size_t)i]);
    return isfinite(sum) ? sum : NAN;
}

// Accelerations below this, times the root of a mass, are rounding: theory, 17, "States".
static double find_rounding(const Wide *w)
{
    const KalAnalysis *a = w->p->a;
    double length = 0.0;
    double longest = 0.0;
    for (int i = 0; i < a->system->n; i++) {
        const double size = row_size(&a->forms.R_y, w->p->R_y, i, w->dy);
        length = hypot(length, size / sqrt(a->chart.masses[i]));
        longest = fmax(longest, fabs(w->dy[i]));
    }
    return 32.0 * DBL_EPSILON * (length + longest * w->forces);
}

// The size of all forces, those of constraints included.
static double all_force_size(const Wide *w)
{
    const KalAnalysis *a = w->p->a;
    const KalSparse *A = &a->system->equations->A;
    double *sizes = w->force;
    double length = 0.0;
    for (int i = 0; i < a->system->n; i++) {
        sizes[i] = fabs(a->instant->Q[i]);
    }
    for (int row = 0; row < a->instant->n_active; row++) {
        const int i = a->instant->rows[row];
        for (int64_t k = A->start[i]; k < A->start[i + 1]; k++) {
            sizes[A->column[k]] +=
                fabs(a->instant->large.A[k] * a->answer.multipliers[row]);
        }
    }
    for (int i = 0; i < a->system->n; i++) {
        length = hypot(length, sizes[i] / sqrt(a->chart.masses[i]));
    }
    return length;
}

// Column k of A and C, or of B and D.
static void fill_column(Wide *w, int k, int input)
{
    KalAnalysis *a = w->p->a;
    const int n = a->system->n;
    const size_t z = (size_t)a->linear.n_states;
    const size_t width = input < 0 ? z : (size_t)a->inputs.count;
    double *states = input < 0 ? a->linear.A : a->linear.B;
    double *outputs = input < 0 ? a->linear.C : a->linear.D;
    respond(w, input);
    const double rounding = input < 0 ? find_rounding(w) : 0.0;
    for (size_t i = 0; i < z; i++) {
        const int at = a->linear.state[i];
        const double rate = at < n ? w->dy[n + at] : w->da[at - n];
        const bool noise =
            at >= n && fabs(rate) * sqrt(a->chart.masses[at - n]) < rounding;
        states[i * width + (size_t)k] = noise ? 0.0 : rate;
    }
    for (int i = 0; i < a->system->n_outputs; i++) {
        outputs[(size_t)i * width + (size_t)k] = output_answer(w, i, input);
    }
}

// Room for the four matrices.
static KalStatus take_matrices(const Wide *w)
{
    KalPencil *p = w->p;
    KalAnalysis *a = p->a;
    const size_t z = (size_t)a->linear.n_states;
    const size_t k = (size_t)a->inputs.count;
    const size_t o = (size_t)a->system->n_outputs;
    if ((double)(z + o) * (double)(z + k) > (double)MOST_NUMBERS) {
        return kal_fail(
            a->ctx, KAL_ERR_LIMIT,
            "the matrices of %zu states, %zu inputs and %zu outputs would be "
            "too large: `modes` needs none",
            z, k, o);
    }
    kal_free(a->ctx, p->A, p->A ? p->numbers * sizeof *p->A : 0);
    p->numbers = (z + o) * (z + k) + 1;
    p->A = (double *)kal_alloc(a->ctx, p->numbers, sizeof *p->A);
    if (!p->A) {
        return kal_no_memory(a->ctx, PURPOSE);
    }
    a->linear.A = p->A;
    a->linear.B = p->A + z * z;
    a->linear.C = a->linear.B + z * k;
    a->linear.D = a->linear.C + o * z;
    return KAL_OK;
}

// Column by column; it can be interrupted, for there may be thousands.
static KalStatus fill(Wide *w)
{
    assert(w->forces >= 0.0);
    KalPencil *p = w->p;
    KalAnalysis *a = p->a;
    for (int k = 0; k < a->linear.n_states; k++) {
        KAL_TRY(k % 64 == 0 ? kal_ask(a->ctx) : KAL_OK);
        find_direction(w, k, -1);
        fill_column(w, k, -1);
    }
    for (int k = 0; k < a->inputs.count; k++) {
        find_direction(w, -1, k);
        KAL_TRY(check_input(w, k));
        fill_column(w, k, k);
    }
    return KAL_OK;
}

// As kal_analysis_linearize(), with sparse factors: what is dense is the result alone.
static KalStatus linearize(Wide *w)
{
    KalPencil *p = w->p;
    KalAnalysis *a = p->a;
    bool regular = false;
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_OUTPUT, a->instant));
    KAL_TRY(kal_forms_evaluate(&a->forms, KAL_FORM_MANIFOLD, a->instant));
    w->psi = a->forms.forms[KAL_FORM_MANIFOLD].results;
    KAL_TRY(choose_states(w));
    name_states(w);
    KAL_TRY(take_matrices(w));
    KAL_TRY(factor_span(w, &regular));
    if (regular) {
        KAL_TRY(kal_pencil_factor(p, 1.0, 0.0, 0.0, &regular));
    }
    if (!regular) {
        return kal_fail(a->ctx, KAL_ERR_NOT_UNIQUE,
                        "accelerations are hardly unique in this state: there is "
                        "nothing to linearize");
    }
    w->forces = all_force_size(w);
    return fill(w);
}

// What is said about the state.
static void judge(KalPencil *p, KalLinearization *l)
{
    KalAnalysis *a = p->a;
    const int moving = kal_pencil_find_moving(p);
    l->timeless = a->forms.timeless;
    l->at_rest = l->timeless && moving < 0;
    l->steady = l->at_rest;
    if (!l->at_rest) {
        (void)snprintf(a->linear.note, sizeof a->linear.note,
                       moving < 0
                           ? "the equations depend on time: linearized at t = "
                             "%.9g, which is not an equilibrium"
                           : "the state is not an equilibrium: something changes "
                             "at the rate %.9g",
                       moving < 0 ? *kal_instant_t(a->instant) : a->answer.qdd[moving]);
        l->note = a->linear.note;
    }
}

KalStatus kal_pencil_linearize(KalPencil *p, KalLinearization *out)
{
    KalAnalysis *a = p->a;
    Wide w = {.p = p};
    KAL_TRY(kal_analysis_solve(a));
    KAL_TRY(kal_pencil_look(p, false));
    KAL_TRY(kal_workspace_make(a->ctx, PURPOSE, lay_out, &w, &w.workspace));
    const KalStatus status = linearize(&w);
    kal_sparse_lu_clear(&w.span);
    kal_workspace_clear(a->ctx, &w.workspace);
    KAL_TRY(status);
    *out = kal_analysis_linearization(a);
    judge(p, out);
    return KAL_OK;
}

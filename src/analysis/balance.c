// SPDX-License-Identifier: MIT

// Balanced states: zeros of the rates on the manifold of the constraints, theory (18.1).
//
// The search is Levenberg–Marquardt's damped Gauss–Newton method (Nocedal and Wright,
// Numerical Optimization, 10.3), theory (18.2), in the states that the linearization chose:
// unknowns that follow are brought along by settling onto the constraints after every step.
// Rows and columns are scaled with roots of masses, so that units do not matter.
//
// A zero that is approached ever more slowly may be none: forces that only decay, as that of
// a far planet, look balanced far away.  So steps of plain Newton tell whether they arrive
// (theory (18.6)).
//
// Families: directions in which no rate changes are candidates; one is real if there is a
// balanced state a little further on.

#include "analysis/balance.h"

#include "analysis/chart.h"
#include "linalg/cholesky.h"
#include "linalg/triangular.h"
#include "system/start.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What memory is for.
static const char PURPOSE[] = "to look for equilibria";

enum {
    ITERATIONS = 120,
    TRIALS = 14,    // of one step, with more damping each time
    FOOTSTEPS = 60, // of a walk along a family
    CREEP_STEPS = 6 // of Newton's method that go the same way
};

static const double LEAST_DAMPING = 1e-14;

// Numbers that live as long as the analysis; NULL: no memory.
static double *take(KalAnalysis *a, size_t count)
{
    return (double *)kal_arena_alloc(a->arena, count, sizeof(double));
}

KalStatus kal_balancer_init(KalBalancer *b, KalAnalysis *a)
{
    assert(a->arena && a->system->n >= 0);
    const size_t z = 2 * (size_t)a->system->n;
    const size_t rows = z + (size_t)a->system->m;
    *b = (KalBalancer){.a = a};
    b->row_state = (int *)kal_arena_alloc(a->arena, rows, sizeof(int));
    b->column_state = (int *)kal_arena_alloc(a->arena, z, sizeof(int));
    b->lengths = take(a, (size_t)a->system->m);
    b->r = take(a, rows);
    b->J = take(a, rows * z);
    b->H = take(a, z * z);
    b->inverse = take(a, z);
    b->step = take(a, z);
    b->way = take(a, z);
    b->pivot = (int *)kal_arena_alloc(a->arena, rows, sizeof(int));
    b->scale = take(a, z);
    b->course = take(a, 2 * z);
    b->found = take(a, z);
    b->y = take(a, z);
    b->null = take(a, z * z);
    b->origin = take(a, z);
    b->goal = take(a, z);
    return b->row_state && b->column_state && b->lengths && b->r && b->J && b->H
                   && b->inverse && b->step && b->way && b->pivot && b->scale
                   && b->course && b->found && b->y && b->null && b->origin && b->goal
               ? KAL_OK
               : kal_no_memory(a->ctx, PURPOSE);
}

// A failure that only says that there is nothing to find in this state.
static bool is_of_state(KalStatus status)
{
    return status != KAL_OK && status != KAL_ERR_NOMEM && status != KAL_ERR_LIMIT;
}

// Onto the constraints before anything is looked for there: at rest, or with the
// velocities of a steady motion. That it cannot be done in this state is no failure of
// the search.
KalStatus kal_balancer_settle(KalBalancer *b, bool *out_met)
{
    assert(b->a && out_met);
    KalAnalysis *a = b->a;
    const size_t n = (size_t)a->system->n;
    KalStatus status = KAL_OK;
    *out_met = true;
    if (b->steady) {
        bool *held = (bool *)kal_alloc(a->ctx, 2 * n, sizeof *held);
        if (!held) {
            return kal_no_memory(a->ctx, PURPOSE);
        }
        status = kal_instant_settle(a->instant, held);
        kal_free(a->ctx, held, 2 * n * sizeof *held);
    } else {
        memset(kal_instant_qd(a->instant), 0, n * sizeof(double));
        if (a->system->m > 0) {
            status = kal_seek_positions(a->instant, NULL, out_met);
        }
    }
    *out_met = *out_met && status == KAL_OK;
    return is_of_state(status) ? KAL_OK : status;
}

// The unknowns and equations, for the states of the last linearization.

// The coordinate that a state is, or is the velocity of.
static int coordinate_of(const KalAnalysis *a, int state)
{
    assert(state >= 0 && state < a->linear.n_states);
    return a->linear.state[state] % a->system->n;
}

// A coordinate that nothing depends on need not stand still in a steady motion.
static bool is_ignorable(const KalBalancer *b, int state)
{
    return b->steady && b->ignorable[coordinate_of(b->a, state)];
}

// The length of an active row of A in the metric.
static double row_length(const KalAnalysis *a, int k)
{
    assert(k >= 0 && k < a->instant->n_active);
    const int n = a->system->n;
    double length = 0.0;
    for (int j = 0; j < n; j++) {
        const double entry = a->instant->A[k * n + j];
        length = hypot(length, entry / sqrt(a->chart.masses[j]));
    }
    return length > 0.0 ? length : 1.0;
}

// Equations: rates of velocities and, of steady motions, of positions that matter.  Without
// motion constraints on velocities have to hold with all velocities zero: their residuals
// are equations too.  Unknowns: positions and, of steady motions, velocities.
static void choose(KalBalancer *b)
{
    const KalAnalysis *a = b->a;
    b->rows = 0;
    b->columns = 0;
    for (int k = 0; k < a->linear.n_states; k++) {
        const bool velocity = k >= a->linear.n_positions;
        const bool ignorable = is_ignorable(b, k);
        if (velocity || (b->steady && !ignorable)) {
            b->row_state[b->rows++] = k;
        }
        if (velocity ? b->steady && !(b->hold_speeds && ignorable)
                     : !ignorable || b->all_columns) {
            b->column_state[b->columns++] = k;
        }
    }
    assert(b->columns <= a->linear.n_states && b->rows <= a->linear.n_states);
    for (int k = 0; k < a->instant->n_active && !b->steady; k++) {
        const int i = a->instant->rows[k];
        if (a->system->model->constraints[i].level == KAL_LEVEL_VELOCITY) {
            b->lengths[k] = row_length(a, k);
            b->row_state[b->rows++] = -1 - k;
        }
    }
}

// The unit of a state: accelerations times this are alike for light and heavy coordinates.
static double root_mass(const KalAnalysis *a, int state)
{
    return sqrt(a->chart.masses[coordinate_of(a, state)]);
}

// Rates at the present, solved, state, theory (18.1).
static KalStatus fill_rates(KalBalancer *b)
{
    KalAnalysis *a = b->a;
    const int n = a->system->n;
    const double *y = kal_instant_q(a->instant);
    KalMotionAnswer answer;
    KAL_TRY(kal_instant_solve(a->instant, &answer));
    for (int i = 0; i < b->rows; i++) {
        const int k = b->row_state[i];
        if (k >= 0) {
            const int at = a->linear.state[k];
            b->r[i] = (at < n ? y[n + at] : answer.qdd[at - n]) * root_mass(a, k);
        }
    }
    if (b->rows > 0 && b->row_state[b->rows - 1] < 0) {
        KAL_TRY(kal_instant_residuals(a->instant, KAL_PROGRAM_VELOCITY));
        for (int i = 0; i < b->rows; i++) {
            const int k = -1 - b->row_state[i];
            if (k >= 0) {
                b->r[i] = a->instant->residuals[a->instant->rows[k]] / b->lengths[k];
            }
        }
    }
    return KAL_OK;
}

// The length of the rates.
static double measure(const KalBalancer *b)
{
    double length = 0.0;
    for (int i = 0; i < b->rows; i++) {
        length = hypot(length, b->r[i]);
    }
    return length;
}

// How a rate changes with a state.
static double slope(const KalBalancer *b, int row_state, int column_state)
{
    assert(column_state >= 0 && column_state < b->a->linear.n_states);
    const KalAnalysis *a = b->a;
    const size_t n = (size_t)a->system->n;
    if (row_state >= 0) {
        return a->linear.A[row_state * a->linear.n_states + column_state]
               * root_mass(a, row_state);
    }
    const int k = -1 - row_state;
    const double *psi_q = a->d.psi_q + (size_t)a->instant->rows[k] * n;
    const double *dq = a->chart.directions + (size_t)column_state * 2 * n;
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
        sum += psi_q[j] * dq[j];
    }
    return sum / b->lengths[k];
}

// The Jacobian of the rates in scaled unknowns, row after row.
static void fill_slopes(KalBalancer *b)
{
    assert(b->rows >= 0 && b->columns >= 0);
    for (int i = 0; i < b->rows; i++) {
        for (int j = 0; j < b->columns; j++) {
            const int state = b->column_state[j];
            b->J[i * b->columns + j] =
                slope(b, b->row_state[i], state) / root_mass(b->a, state);
        }
    }
}

// Linearize at the present state, choose equations and unknowns anew, and fill them.
static KalStatus look(KalBalancer *b, KalLinearization *l)
{
    KAL_TRY(kal_analysis_linearize(b->a, l));
    b->rounding = 1e-15 * kal_analysis_force_size(b->a);
    choose(b);
    fill_slopes(b);
    return fill_rates(b);
}

// A power of two by which no slope is beyond 2: their squares have values then.
static double unit_of_slopes(const KalBalancer *b)
{
    const int most = 1000; // that a number can be raised by
    double largest = 0.0;
    for (int i = 0; i < b->rows * b->columns; i++) {
        largest = fmax(largest, fabs(b->J[i]));
    }
    const int exponent = largest > 0.0 && isfinite(largest) ? -ilogb(largest) : 0;
    return ldexp(1.0, exponent < most ? exponent : most);
}

// step ← −(JᵀJ + μ)⁻¹ Jᵀr, theory (18.2); false when that is singular.
static bool solve(KalBalancer *b, double damping, const double *r, double *step)
{
    assert(damping >= 0.0);
    const int n = b->columns;
    const double unit = unit_of_slopes(b);
    double largest = 0.0;
    for (int j = 0; j < n; j++) {
        step[j] = 0.0;
        for (int i = 0; i < b->rows; i++) {
            step[j] -= unit * b->J[i * n + j] * (unit * r[i]);
        }
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int i = 0; i < b->rows; i++) {
                sum += unit * b->J[i * n + j] * (unit * b->J[i * n + k]);
            }
            b->H[k * n + j] = sum;
        }
        largest = fmax(largest, b->H[j * n + j]);
    }
    if (largest == 0.0) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        b->H[j * n + j] += damping * largest;
    }
    if (kal_cholesky(n, b->H, b->inverse) <= 0.0) {
        return false;
    }
    kal_solve_lower(n, b->H, b->inverse, 1, step);
    kal_solve_lower_transposed(n, b->H, b->inverse, step);
    return true;
}

// A change of the scaled unknowns as a direction of y.
static void expand(const KalBalancer *b, const double *step, double *direction)
{
    const KalAnalysis *a = b->a;
    const size_t count = 2 * (size_t)a->system->n;
    for (size_t i = 0; i < count; i++) {
        direction[i] = 0.0;
        for (int j = 0; j < b->columns; j++) {
            const int k = b->column_state[j];
            direction[i] +=
                a->chart.directions[(size_t)k * count + i] * step[j] / root_mass(a, k);
        }
    }
}

// Go a step of the scaled unknowns from b->y, no coordinate much further than its size.
static KalStatus go(KalBalancer *b, const double *step, double fraction, bool *out_met)
{
    KalAnalysis *a = b->a;
    const size_t count = 2 * (size_t)a->system->n;
    double *y = kal_instant_q(a->instant);
    double longest = 0.0;
    assert(fraction > 0.0 && step != y);
    expand(b, step, y);
    for (size_t i = 0; i < count; i++) {
        longest = fmax(longest, fabs(y[i]) / fmax(1.0, fabs(b->y[i])));
    }
    const double part = fraction * (longest > 0.5 ? 0.5 / longest : 1.0);
    for (size_t i = 0; i < count; i++) {
        y[i] = b->y[i] + part * y[i];
    }
    return kal_balancer_settle(b, out_met);
}

// Try a step; stay where it does not make the rates smaller than before.
static KalStatus try_step(KalBalancer *b, double damping, double before,
                          bool *out_better)
{
    assert(damping >= 0.0 && before > 0.0);
    const size_t size = 2 * (size_t)b->a->system->n * sizeof(double);
    bool met = false;
    if (solve(b, damping, b->r, b->step)) {
        KAL_TRY(go(b, b->step, 1.0, &met));
    }
    const KalStatus status = met ? fill_rates(b) : KAL_OK;
    *out_better = met && status == KAL_OK && measure(b) < before;
    if (*out_better || (status != KAL_OK && !is_of_state(status))) {
        return status;
    }
    memcpy(kal_instant_q(b->a->instant), b->y, size);
    return fill_rates(b);
}

// One step that makes the rates smaller; false when there is none.
static KalStatus improve(KalBalancer *b, double *damping, bool *out_better)
{
    assert(*damping >= 0.0);
    const size_t size = 2 * (size_t)b->a->system->n * sizeof(double);
    const double before = measure(b);
    memcpy(b->y, kal_instant_q(b->a->instant), size);
    *out_better = false;
    for (int k = 0; k < TRIALS && !*out_better && before > b->rounding; k++) {
        KAL_TRY(try_step(b, *damping, before, out_better));
        *damping = *out_better ? fmax(LEAST_DAMPING, *damping / 100.0)
                               : fmax(1e-8, *damping * 10.0);
    }
    return KAL_OK;
}

// Whether the constraints hold, which velocities of 0 alone do not make sure.
static KalStatus is_met(KalBalancer *b, bool *out_met)
{
    static const KalProgramId levels[2] = {KAL_PROGRAM_POSITION, KAL_PROGRAM_VELOCITY};
    KalInstant *instant = b->a->instant;
    for (int k = 0; k < 2; k++) {
        KAL_TRY(kal_instant_residuals(instant, levels[k]));
        for (int i = 0; i < b->a->system->m; i++) {
            *out_met = *out_met && fabs(instant->residuals[i]) <= 1e-10;
        }
    }
    return KAL_OK;
}

// What is asked for: rest, or steady motion.
static bool is_still(const KalBalancer *b, const KalLinearization *l)
{
    return b->steady ? l->steady : l->at_rest;
}

// Balanced, and on the constraints.
static KalStatus is_balanced(KalBalancer *b, bool *out_balanced)
{
    KalLinearization l;
    KAL_TRY(kal_analysis_linearize(b->a, &l));
    *out_balanced = is_still(b, &l);
    return is_met(b, out_balanced);
}

// A coordinate that is zero but for rounding is made zero, if the state is then still
// balanced.
KalStatus kal_balancer_clean(KalBalancer *b)
{
    assert(b->y);
    const double rounding = 1e-12;
    const size_t count = 2 * (size_t)b->a->system->n;
    double *y = kal_instant_q(b->a->instant);
    bool balanced = false;
    memcpy(b->y, y, count * sizeof *y);
    for (size_t i = 0; i < count; i++) {
        y[i] = fabs(y[i]) < rounding ? 0.0 : y[i];
    }
    const KalStatus status = is_balanced(b, &balanced);
    if (status != KAL_OK || !balanced) {
        memcpy(y, b->y, count * sizeof *y);
    }
    return is_of_state(status) ? KAL_OK : status;
}

// Forces that only decay.

// Newton's step from the present state, in b->course and b->step; returns its length
// relative to the state, 0 if there is none.  Columns are scaled: a force may decay beside
// stiff ones.
static KalStatus find_newton(KalBalancer *b, double *out_length)
{
    const int n = b->columns;
    const double *y = kal_instant_q(b->a->instant);
    KalLinearization l;
    *out_length = 0.0;
    KAL_TRY(look(b, &l));
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < b->rows; i++) {
            sum = hypot(sum, b->J[i * n + j]);
        }
        b->scale[j] = sum > 0.0 ? 1.0 / sum : 0.0;
        for (int i = 0; i < b->rows; i++) {
            b->J[i * n + j] *= b->scale[j];
        }
    }
    if (!solve(b, LEAST_DAMPING, b->r, b->step)) {
        return KAL_OK;
    }
    for (int j = 0; j < n; j++) {
        b->step[j] *= b->scale[j];
    }
    expand(b, b->step, b->course);
    for (int i = 0; i < 2 * b->a->system->n; i++) {
        *out_length = fmax(*out_length, fabs(b->course[i]) / fmax(1.0, fabs(y[i])));
    }
    return KAL_OK;
}

// The cosine between the last two steps, with the measure of lengths.
static double find_cosine(const KalBalancer *b)
{
    const int count = 2 * b->a->system->n;
    const double *now = b->course;
    const double *before = b->course + count;
    double sum = 0.0;
    double nows = 0.0;
    double befores = 0.0;
    for (int i = 0; i < count; i++) {
        const double size = fmax(1.0, fabs(b->y[i]));
        sum += now[i] / size * (before[i] / size);
        nows = hypot(nows, now[i] / size);
        befores = hypot(befores, before[i] / size);
    }
    return sum / (nows * befores);
}

// Go a multiple of Newton's step.  *out_ratio: what is left of the rates.
static KalStatus advance(KalBalancer *b, double factor, double *out_ratio)
{
    const size_t count = 2 * (size_t)b->a->system->n;
    const double before = measure(b);
    bool met = false;
    memcpy(b->course + count, b->course, count * sizeof(double));
    memcpy(b->y, kal_instant_q(b->a->instant), count * sizeof(double));
    KAL_TRY(go(b, b->step, factor, &met));
    *out_ratio = NAN;
    if (met) {
        KAL_TRY(fill_rates(b));
        *out_ratio = measure(b) / before;
    }
    return KAL_OK;
}

// Where Newton's steps from a state lead: theory (18.6).
typedef enum Course {
    ARRIVES, // to a zero that is as near as rounding lets one say
    LEAPS,   // to a zero of higher order, which a long step has come near
    CREEPS,  // on and on
} Course;

// A long step to where steps that shrink by `ratio` would lead.
static KalStatus leap(KalBalancer *b, double length, double ratio, Course *out_course)
{
    double left = 0.0;
    double next = 0.0;
    const double way = length / (1.0 - ratio);
    assert(length > 0.0);
    *out_course = CREEPS;
    if (ratio > 0.98 || way > 0.5) {
        return KAL_OK;
    }
    KAL_TRY(advance(b, way / length, &left));
    KAL_TRY(find_newton(b, &next));
    *out_course = next > 0.1 * length ? CREEPS : LEAPS;
    return KAL_OK;
}

// A few steps of Newton's method: to a simple zero they get there at once; to a zero of
// higher order they shrink by a constant factor; of a force that decays they go on and on.
static KalStatus find_course(KalBalancer *b, Course *out_course)
{
    const double nothing = 1e-13;
    double length = 0.0;
    double ratio = 0.0;
    *out_course = ARRIVES;
    KAL_TRY(find_newton(b, &length));
    for (int k = 0; k < CREEP_STEPS; k++) {
        double left = 0.0;
        double next = 0.0;
        if (length <= nothing) {
            return KAL_OK;
        }
        KAL_TRY(advance(b, 1.0, &left));
        if (!(left > 0.02 && left < 0.97)) {
            return KAL_OK; // there at once, or rounding
        }
        KAL_TRY(find_newton(b, &next));
        if (find_cosine(b) < 0.9) {
            return KAL_OK;
        }
        ratio = next / length;
        length = next;
    }
    return length > nothing ? leap(b, length, ratio, out_course) : KAL_OK;
}

// Leave no state as balanced whose forces only decay.  The state stays, or goes nearer to
// the zero of higher order that it is near.
static KalStatus confirm(KalBalancer *b, bool *out_found)
{
    const size_t size = 2 * (size_t)b->a->system->n * sizeof(double);
    double *y = kal_instant_q(b->a->instant);
    Course course = ARRIVES;
    memcpy(b->found, y, size);
    const KalStatus status = find_course(b, &course);
    if (status != KAL_OK || course != LEAPS) {
        memcpy(y, b->found, size);
    }
    *out_found = status != KAL_OK || course != CREEPS;
    return is_of_state(status) ? KAL_OK : status;
}

// One step of a search; *better: there may be another.  A decaying force is told as soon
// as it looks like none, for later on rounding may hide it.
static KalStatus seek_on(KalBalancer *b, double *damping, bool *confirmed, bool *better)
{
    KalLinearization l = {.steady = false};
    KAL_TRY(look(b, &l));
    if (!*confirmed && is_still(b, &l)) {
        KAL_TRY(confirm(b, confirmed));
        *better = *confirmed;
        if (!*better) {
            return KAL_OK;
        }
        KAL_TRY(look(b, &l));
    }
    return improve(b, damping, better);
}

// At the end a decaying force is looked for again: others may have hidden it before.
static KalStatus seek(KalBalancer *b, bool *out_found)
{
    double damping = LEAST_DAMPING;
    bool better = true;
    bool confirmed = false;
    for (int k = 0; k < ITERATIONS && better; k++) {
        KAL_TRY(seek_on(b, &damping, &confirmed, &better));
    }
    KAL_TRY(is_balanced(b, out_found));
    return *out_found ? confirm(b, out_found) : KAL_OK;
}

KalStatus kal_balancer_seek(KalBalancer *b, bool *out_found)
{
    bool met = false;
    *out_found = false;
    KAL_TRY(kal_balancer_settle(b, &met));
    const KalStatus status = met ? seek(b, out_found) : KAL_OK;
    *out_found = *out_found && status == KAL_OK;
    return is_of_state(status) ? KAL_OK : status;
}

// Families.

// The solution of the reduced rows with unknown `free` 1; false if it is a pivot.
static bool fill_null(KalBalancer *b, int free)
{
    const int n = b->columns;
    assert(free >= 0 && free < n);
    memset(b->step, 0, (size_t)n * sizeof *b->step);
    b->step[free] = 1.0;
    for (int i = 0; i < b->rows; i++) {
        if (b->pivot[i] == free) {
            return false;
        }
        if (b->pivot[i] >= 0) {
            b->step[b->pivot[i]] -= b->J[i * n + free];
        }
    }
    return true;
}

// Directions of y in which no rate changes; returns how many.
static int find_null(KalBalancer *b)
{
    const size_t count = 2 * (size_t)b->a->system->n;
    int found = 0;
    for (int j = 0; j < b->columns; j++) {
        b->inverse[j] = 1.0;
    }
    KalEchelon e = {.rows = b->rows,
                    .columns = b->columns,
                    .W = b->J,
                    .weights = b->inverse,
                    .pivot = b->pivot};
    kal_echelon_reduce(&e);
    for (int free = 0; free < b->columns; free++) {
        if (fill_null(b, free)) {
            expand(b, b->step, b->null + (size_t)found++ * count);
        }
    }
    assert(found <= b->columns);
    return found;
}

// The largest entry of x − y, or of x for y NULL, relative to the state.
static double distance(const KalBalancer *b, const double *x, const double *y)
{
    double largest = 0.0;
    for (int i = 0; i < 2 * b->a->system->n; i++) {
        const double d = fabs(x[i] - (y ? y[i] : 0.0));
        largest = fmax(largest, d / fmax(1.0, fabs(b->origin[i])));
    }
    return largest;
}

// Whether there is a balanced state a little further on in a direction, theory (18.3).
static KalStatus probe(KalBalancer *b, const double *direction, bool *out_found)
{
    const double length = 1e-2;
    const double near = 0.3;
    const int count = 2 * b->a->system->n;
    double *y = kal_instant_q(b->a->instant);
    const double size = distance(b, direction, NULL);
    assert(size > 0.0); // one of its unknowns is 1
    for (int i = 0; i < count; i++) {
        b->goal[i] = b->origin[i] + length / size * direction[i];
        y[i] = b->goal[i];
    }
    KAL_TRY(kal_balancer_seek(b, out_found));
    *out_found = *out_found && distance(b, y, b->goal) < near * length;
    return KAL_OK;
}

// The dimension of the set of equilibria through the state: directions in which the
// linear equations change nothing (the null space) are followed a little, and count if
// there is an equilibrium there too.
KalStatus kal_balancer_family(KalBalancer *b, int *out_dimension)
{
    assert(out_dimension);
    const size_t count = 2 * (size_t)b->a->system->n;
    double *y = kal_instant_q(b->a->instant);
    KalLinearization l;
    int dimension = 0;
    memcpy(b->origin, y, count * sizeof *y);
    KAL_TRY(look(b, &l));
    const int most = find_null(b);
    for (int k = 0; k < most; k++) {
        bool found = false;
        KAL_TRY(probe(b, b->null + (size_t)k * count, &found));
        dimension += found;
    }
    memcpy(y, b->origin, count * sizeof *y);
    assert(dimension >= 0 && dimension <= most);
    *out_dimension = dimension;
    return KAL_OK;
}

// The Euclidean norm.
static double length(int n, const double *x)
{
    double norm = 0.0;
    for (int i = 0; i < n; i++) {
        norm = hypot(norm, x[i]);
    }
    return norm;
}

// Replace the way to the goal by the part of it that changes no rate: what is left of it
// after the step that would undo its effect.
static KalStatus follow(KalBalancer *b, bool *out_found)
{
    KalAnalysis *a = b->a;
    const size_t count = 2 * (size_t)a->system->n;
    double *y = kal_instant_q(a->instant);
    KalLinearization l;
    KAL_TRY(look(b, &l));
    memcpy(b->y, y, count * sizeof *y);
    for (int j = 0; j < b->columns; j++) {
        const int at = a->linear.state[b->column_state[j]];
        b->way[j] = (b->goal[at] - y[at]) * root_mass(a, b->column_state[j]);
    }
    for (int i = 0; i < b->rows; i++) {
        b->r[i] = 0.0;
        for (int j = 0; j < b->columns; j++) {
            b->r[i] += b->J[i * b->columns + j] * b->way[j];
        }
    }
    const double whole = length(b->columns, b->way);
    if (solve(b, 1e-10, b->r, b->step)) {
        for (int j = 0; j < b->columns; j++) {
            b->way[j] += b->step[j];
        }
    }
    // Round a bend only a small part of the way leads along the family.
    const double along = length(b->columns, b->way);
    const double stretch = along > 1e-3 * whole ? fmax(1.0, 0.5 * whole / along) : 1.0;
    KAL_TRY(go(b, b->way, 0.5 * stretch, out_found));
    if (*out_found) {
        KAL_TRY(kal_balancer_seek(b, out_found));
    }
    return KAL_OK;
}

// Steps along the family, each the nearest to the goal; the walk ends when one no longer
// comes nearer.
KalStatus kal_balancer_walk(KalBalancer *b, const double *from, const double *to,
                            bool *out_arrived)
{
    assert(from && to && from != to);
    const size_t size = 2 * (size_t)b->a->system->n * sizeof(double);
    double *y = kal_instant_q(b->a->instant);
    bool found = true;
    b->all_columns = true;
    memcpy(y, from, size);
    memcpy(b->origin, to, size);
    memcpy(b->goal, to, size);
    double left = distance(b, y, b->goal);
    KalStatus status = KAL_OK;
    for (int k = 0; k < FOOTSTEPS && found && left > 1e-5 && status == KAL_OK; k++) {
        const double before = left;
        status = follow(b, &found);
        left = distance(b, y, b->goal);
        found = found && left < 0.999 * before;
    }
    b->all_columns = false;
    *out_arrived = found && left <= 1e-5 && status == KAL_OK;
    return is_of_state(status) ? KAL_OK : status;
}

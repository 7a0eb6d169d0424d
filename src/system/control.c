// SPDX-License-Identifier: MIT

// Servo constraints: theory section 14.
//
// A servo is a constraint that is met by control, not by ideal forces.  Without actuators any
// force will do, and the one with the change of acceleration of least Gauss norm is taken,
// (14.2).  With actuators the responses of the natural system to one unit of each input are
// found, and the inputs of least weighted norm that meet the servos, (14.4); the motion is
// then solved once more with them, cut at their limits.  Either is a problem of the form that
// `motion` solves: least norm subject to linear rows.  So ranks, units and contradictions are
// its business.

#include "system/control.h"

#include "base/workspace.h"
#include "motion/weights.h"
#include "system/instant.h"
#include "system/large_control.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NAMES_SIZE = 400, // of a list of names in a message
    MOST_DEGREE = 10  // that is looked for
};

// An actuator that moves a servo less than this, relative to the terms that meet in its
// effect, has none; one that moves a coordinate less than this, relative to the forces
// that meet and the mass of the coordinate, does not move it.
static const double NO_EFFECT = 1e-11;
// The same of differences, to both sides by this part of the coordinates.
static const double NO_CHANGE = 1e-6;
static const double BESIDE = 1e-5;

struct KalControl {
    KalContext *ctx;
    const KalSystem *system;
    KalWorkspace workspace;
    double *A;           // servo rows: entries of s × n
    double *b;           // s
    double *B;           // entries of n × u
    double *rows;        // natural rows and servo rows: (m + s) × n, or s × u
    double *gap;         // (m + s): what the rows lack
    double *response;    // u × n: acceleration per unit of each input
    double *mass;        // n: of the coordinates, theory (3.7)
    double *metric;      // n + 2 m: scratch for it
    int *said;           // max(n, m): the same
    double *zero;        // max(n, m + s, u)
    double *weights;     // u × u
    double *nature;      // n: acceleration without control
    double *qdd;         // n
    double *force;       // n
    double *total;       // n: Q with the control in it
    double *demanded;    // u
    double *inputs;      // u
    const char **names;  // of servos
    const char **blamed; // n_blamed of m + s: who cannot be met
    int n_blamed;
    KalMotion *motion;      // of the rows with n or u unknowns
    KalLargeControl *large; // of a large system; NULL: none
    bool is_large;
    bool saturated;
    bool frozen;      // inputs stay as they were demanded last
    bool idle;        // there are none
    const char *kept; // a servo that closed contacts keep from being met, or NULL
    double *chain;    // 6 n: a state, and how inputs come to change it
};

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void lay_out(KalCarver *carver, void *owner)
{
    KalControl *control = owner;
    const KalSystem *system = control->system;
    const KalEquations *e = system->equations;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)system->m;
    const size_t s = (size_t)system->n_servos;
    const size_t u = (size_t)system->n_actuators;
    const size_t rows = m + s;
    const size_t widest = larger(n, larger(rows, u));
    control->A = kal_carve_doubles(carver, kal_sparse_entries(&e->servo_A), 1);
    control->b = kal_carve_doubles(carver, s, 1);
    control->B = kal_carve_doubles(carver, kal_sparse_entries(&e->B), 1);
    control->rows = control->is_large ? kal_carve_doubles(carver, s, u)
                                      : kal_carve_doubles(carver, rows, widest);
    control->gap = kal_carve_doubles(carver, rows, 1);
    control->response = kal_carve_doubles(carver, u, n);
    control->mass = kal_carve_doubles(carver, n, 1);
    control->metric = kal_carve_doubles(carver, n + 2 * m, 1);
    control->zero = kal_carve_doubles(carver, widest, 1);
    control->weights = kal_carve_doubles(carver, u, u);
    control->nature = kal_carve_doubles(carver, n, 1);
    control->qdd = kal_carve_doubles(carver, n, 1);
    control->force = kal_carve_doubles(carver, n, 1);
    control->total = kal_carve_doubles(carver, n, 1);
    control->demanded = kal_carve_doubles(carver, u, 1);
    control->inputs = kal_carve_doubles(carver, u, 1);
    control->chain = kal_carve_doubles(carver, 6, n);
    control->said = kal_carve_ints(carver, widest);
    control->names = kal_carve_names(carver, s);
    control->blamed = kal_carve_names(carver, rows);
}

static KalStatus init(KalControl *control)
{
    const KalSystem *system = control->system;
    const int u = system->n_actuators;
    KAL_TRY(kal_workspace_make(control->ctx, "for servos", lay_out, control,
                               &control->workspace));
    for (int i = 0; i < system->n_servos; i++) {
        control->names[i] = system->model->servos[i].name;
    }
    if (!control->is_large) {
        return kal_motion_create(control->ctx, NULL, u > system->n ? u : system->n,
                                 system->m + system->n_servos, &control->motion);
    }
    return u > 0 ? kal_motion_create(control->ctx, NULL, u, system->n_servos,
                                     &control->motion)
                 : kal_large_control_create(control->ctx, system, &control->large);
}

void kal_control_set_weights(KalControl *control, const double *weights)
{
    const int u = control->system->n_actuators;
    for (int i = 0; i < u; i++) {
        assert(weights[i] > 0.0);
        control->weights[i * u + i] = weights[i];
    }
}

KalStatus kal_control_create(KalContext *ctx, const KalSystem *system, bool is_large,
                             KalControl **out_control)
{
    assert(ctx && system && out_control);
    assert(system->n_servos > 0);
    KalControl *control = KAL_NEW(ctx, KalControl);
    if (!control) {
        return kal_no_memory(ctx, "for servos");
    }
    control->ctx = ctx;
    control->system = system;
    control->is_large = is_large;
    const KalStatus status = init(control);
    if (status != KAL_OK) {
        kal_control_destroy(control);
        return status;
    }
    *out_control = control;
    return KAL_OK;
}

void kal_control_destroy(KalControl *control)
{
    if (!control) {
        return;
    }
    kal_motion_destroy(control->motion);
    kal_large_control_destroy(control->large);
    kal_workspace_clear(control->ctx, &control->workspace);
    kal_free(control->ctx, control, sizeof *control);
}

void kal_control_read(KalControl *control, const double *values)
{
    assert(values);
    const KalEquations *equations = control->system->equations;
    const double *b = values + kal_sparse_entries(&equations->servo_A);
    control->n_blamed = 0;
    memcpy(control->A, values,
           kal_sparse_entries(&equations->servo_A) * sizeof *values);
    memcpy(control->b, b, equations->n_servos * sizeof *b);
    memcpy(control->B, b + equations->n_servos,
           kal_sparse_entries(&equations->B) * sizeof *values);
}

void kal_control_freeze(KalControl *control, bool frozen)
{
    control->frozen = frozen;
}

KalControlAnswer kal_control_get(const KalControl *control)
{
    return (KalControlAnswer){.force = control->force,
                              .demanded = control->demanded,
                              .inputs = control->inputs,
                              .saturated = control->saturated,
                              .kept = control->kept};
}

static double dot(const double *x, const double *y, int n)
{
    assert(n >= 0);
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double kal_control_power(const KalControl *control, int actuator, const double *v)
{
    assert(actuator >= 0 && actuator < control->system->n_actuators);
    const KalSparse *B = &control->system->equations->B;
    double speed = 0.0;
    for (size_t i = 0; i < B->rows; i++) {
        for (int64_t k = B->start[i]; k < B->start[i + 1]; k++) {
            speed += B->column[k] == actuator ? control->B[k] * v[i] : 0.0;
        }
    }
    return control->inputs[actuator] * speed;
}

// The product of row i of a matrix, of which these are the entries, and x.  *out_size: the same of
// sizes.
static double row_times(const KalSparse *matrix, const double *entries, int i,
                        const double *x, double *out_size)
{
    assert(i >= 0 && (size_t)i < matrix->rows);
    double sum = 0.0;
    *out_size = 0.0;
    for (int64_t k = matrix->start[i]; k < matrix->start[i + 1]; k++) {
        const double term = entries[k] * x[matrix->column[k]];
        sum += term;
        *out_size += fabs(term);
    }
    return sum;
}

static double servo_times(const KalControl *control, int i, const double *x,
                          double *out_size)
{
    return row_times(&control->system->equations->servo_A, control->A, i, x, out_size);
}

// What servo i lacks when nature is left alone: b − A q''.
static double lack(const KalControl *control, int i)
{
    double size = 0.0;
    return control->b[i] - servo_times(control, i, control->nature, &size);
}

// The names of rows: some constraints, then servos.
typedef struct Rows {
    const char *const *constraints;
    int m;
    const char *const *servos;
} Rows;

// Keep the names that a fault blames.
static void blame(KalControl *control, const KalMotionFault *fault, const Rows *rows)
{
    for (int i = 0; i < fault->count; i++) {
        const int k = fault->indices[i];
        assert(control->n_blamed < control->system->m + control->system->n_servos);
        assert(k >= 0 && k < rows->m + control->system->n_servos);
        control->blamed[control->n_blamed++] =
            k < rows->m ? rows->constraints[k] : rows->servos[k - rows->m];
    }
}

// These names in a row.
static void list_names(const KalControl *control, char text[NAMES_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < control->n_blamed && used < NAMES_SIZE; i++) {
        used += (size_t)snprintf(text + used, NAMES_SIZE - used, "%s%s",
                                 i > 0 ? ", " : "", control->blamed[i]);
    }
}

int kal_control_blamed(const KalControl *control, const char *const **out_names)
{
    *out_names = control->blamed;
    return control->n_blamed;
}

// Turn a contradiction into words about servos.
static KalStatus explain(KalControl *control, KalStatus status, const Rows *rows,
                         const char *why)
{
    assert(rows && why);
    const KalMotionFault fault = control->large
                                     ? kal_large_control_fault(control->large)
                                     : kal_motion_fault(control->motion);
    if (status != KAL_ERR_CONTRADICTION || fault.count == 0) {
        return status;
    }
    char text[NAMES_SIZE];
    blame(control, &fault, rows);
    list_names(control, text);
    return kal_fail(control->ctx, KAL_ERR_CONTRADICTION,
                    "the servos cannot be met: %s (%s)", why, text);
}

static KalStatus explain_free(KalControl *control, KalStatus status, const Rows *rows)
{
    return explain(control, status, rows,
                   "they contradict each other or the constraints");
}

// The same in a large system, by sparse factors of all rows.
static KalStatus solve_free_large(KalControl *control, KalInstant *instant)
{
    const KalSystem *system = control->system;
    const size_t n = (size_t)system->n;
    KalMotionAnswer change;
    for (int i = 0; i < system->n_servos; i++) {
        control->gap[i] = lack(control, i);
    }
    const KalStatus status = kal_large_control_solve(control->large, instant,
                                                     control->A, control->gap, &change);
    if (status != KAL_OK) {
        const Rows rows = {kal_system_constraint_names(system), system->m,
                           control->names};
        return explain_free(control, status, &rows);
    }
    for (size_t i = 0; i < n; i++) {
        control->qdd[i] = control->nature[i] + change.qdd[i];
    }
    kal_mass_times(&system->equations->M, instant->large.M, change.qdd, control->force);
    instant->answer.qdd = control->qdd;
    return KAL_OK;
}

// The change of acceleration of least Gauss norm that meets the servos and keeps to the
// natural constraints, theory (14.2).
static KalStatus solve_free(KalControl *control, KalInstant *instant)
{
    assert(control->system->n_actuators == 0);
    const KalSystem *system = control->system;
    const size_t n = (size_t)system->n;
    const size_t m = (size_t)instant->n_active;
    const size_t s = (size_t)system->n_servos;
    memcpy(control->rows, instant->A, m * n * sizeof(double));
    kal_scatter(&system->equations->servo_A, control->A, control->rows + m * n);
    memset(control->gap, 0, m * sizeof(double));
    for (size_t i = 0; i < s; i++) {
        control->gap[m + i] = lack(control, (int)i);
    }
    const KalMotionProblem problem = {
        .n = system->n,
        .m = (int)(m + s),
        .M = instant->M,
        .Q = control->zero,
        .A = control->rows,
        .b = control->gap,
        .coordinates = kal_system_coordinate_names(system),
    };
    KalMotionAnswer change;
    const KalStatus status = kal_motion_solve(control->motion, &problem, &change);
    if (status != KAL_OK) {
        const Rows rows = {instant->row_names, instant->n_active, control->names};
        return explain_free(control, status, &rows);
    }
    for (size_t i = 0; i < n; i++) {
        control->qdd[i] = control->nature[i] + change.qdd[i];
        control->force[i] = dot(instant->M + i * n, change.qdd, system->n);
    }
    instant->answer.qdd = control->qdd;
    return KAL_OK;
}

// Masses of coordinates, also of those that have theirs by constraints.
static void find_masses(KalControl *control, const KalInstant *instant)
{
    assert(instant->n_active <= control->system->m);
    const int n = control->system->n;
    if (control->is_large) {
        memcpy(control->mass, kal_large_masses(instant->large.solver),
               (size_t)n * sizeof(double));
        return;
    }
    const int m = instant->n_active;
    KalMetric metric = {control->mass, control->metric + n + m, control->metric,
                        control->said};
    (void)kal_metric_weights(n, m, instant->M, instant->A, &metric);
}

// Keep a response, and of it what is more than rounding: where forces balance, as on a
// coordinate that is held, what is left of those that meet in an answer moves nothing.
static void keep_response(KalControl *control, const KalMotionAnswer *answer,
                          double *response)
{
    assert(response && answer->n == control->system->n);
    const int n = control->system->n;
    double force = 0.0;
    for (int i = 0; i < n; i++) {
        const double size = fabs(control->total[i]) + fabs(answer->force_ideal[i]);
        force = fmax(force, size / sqrt(control->mass[i]));
    }
    for (int i = 0; i < n; i++) {
        const double limit = NO_EFFECT * force / sqrt(control->mass[i]);
        response[i] = fabs(response[i]) > limit ? response[i] : 0.0;
    }
}

// The response with what slides: friction follows the reactions, which the input changes.  All of
// it is affine in the inputs, so it is the difference to what nature does.
static KalStatus find_sliding_response(KalControl *control, KalInstant *instant,
                                       KalInstantSolve solve, double *out)
{
    const int n = control->system->n;
    KalMotionProblem problem = kal_instant_problem(instant);
    for (int i = 0; i < n; i++) {
        control->total[i] += instant->Q[i];
    }
    problem.Q = control->total;
    KAL_TRY(kal_contacts_solve(instant, &problem, solve));
    for (int i = 0; i < n; i++) {
        const double size = fabs(instant->answer.qdd[i]) + fabs(control->nature[i]);
        const double change = instant->answer.qdd[i] - control->nature[i];
        out[i] = fabs(change) > NO_EFFECT * size ? change : 0.0;
    }
    keep_response(control, &instant->answer, out);
    return KAL_OK;
}

// One unit of input j as a force.
static void take_unit(KalControl *control, int j)
{
    const KalSparse *B = &control->system->equations->B;
    assert(j >= 0 && j < control->system->n_actuators);
    for (size_t i = 0; i < B->rows; i++) {
        control->total[i] = 0.0;
        for (int64_t k = B->start[i]; k < B->start[i + 1]; k++) {
            control->total[i] += B->column[k] == j ? control->B[k] : 0.0;
        }
    }
}

// The motion at rest under the forces of `total` alone.
static KalStatus respond(const KalControl *control, KalInstant *instant,
                         KalMotionProblem *problem, KalMotionAnswer *out_answer)
{
    problem->Q = control->total;
    return control->is_large ? kal_large_instant_respond(instant, control->total,
                                                         control->zero, out_answer)
                             : kal_motion_solve(instant->motion, problem, out_answer);
}

// How the system responds to one unit of each input, without anything that slides: `problem` has
// its rows, at rest.
static KalStatus find_plain_responses(KalControl *control, KalInstant *instant,
                                      KalMotionProblem *problem)
{
    const size_t n = (size_t)control->system->n;
    find_masses(control, instant);
    for (int j = 0; j < control->system->n_actuators; j++) {
        KalMotionAnswer answer;
        take_unit(control, j);
        KAL_TRY(respond(control, instant, problem, &answer));
        memcpy(control->response + (size_t)j * n, answer.qdd, n * sizeof(double));
        keep_response(control, &answer, control->response + (size_t)j * n);
    }
    return KAL_OK;
}

// How the system responds to one unit of each input, the constraints at rest.
static KalStatus find_responses(KalControl *control, KalInstant *instant,
                                KalInstantSolve solve)
{
    assert(control->system->n_actuators > 0);
    const size_t n = (size_t)control->system->n;
    if (instant->contacts.slide.count == 0) {
        KalMotionProblem problem = kal_instant_problem(instant);
        problem.b = control->zero;
        problem.C = NULL;
        problem.b_size = NULL;
        return find_plain_responses(control, instant, &problem);
    }
    find_masses(control, instant);
    for (int j = 0; j < control->system->n_actuators; j++) {
        take_unit(control, j);
        KAL_TRY(find_sliding_response(control, instant, solve,
                                      control->response + (size_t)j * n));
    }
    return KAL_OK;
}

// Fill row i of the servos' equation for the inputs; false when no input has an effect.
static bool fill_row(KalControl *control, int i)
{
    assert(i >= 0 && i < control->system->n_servos);
    const int n = control->system->n;
    const int u = control->system->n_actuators;
    bool reached = false;
    for (int j = 0; j < u; j++) {
        const double *r = control->response + (size_t)j * (size_t)n;
        double size = 0.0;
        const double effect = servo_times(control, i, r, &size);
        const bool counts = fabs(effect) > NO_EFFECT * size;
        control->rows[i * u + j] = counts ? effect : 0.0;
        reached = reached || counts;
    }
    return reached;
}

// The inputs u of least weighted norm with A r u = b − A q'' for the servo rows, r being the
// responses.  A servo that no input reaches is told by itself, for its row would be zero:
// *out_unreached, else −1.
static KalStatus meet_servos(KalControl *control, int *out_unreached)
{
    const KalSystem *system = control->system;
    const char *const *names = control->names;
    *out_unreached = -1;
    for (int i = 0; i < system->n_servos; i++) {
        if (!fill_row(control, i)) {
            *out_unreached = i;
            return KAL_OK;
        }
        control->gap[i] = lack(control, i);
    }
    const KalMotionProblem problem = {
        .n = system->n_actuators,
        .m = system->n_servos,
        .M = control->weights,
        .Q = control->zero,
        .A = control->rows,
        .b = control->gap,
        .constraints = names,
    };
    KalMotionAnswer answer;
    const KalStatus status = kal_motion_solve(control->motion, &problem, &answer);
    if (status != KAL_OK) {
        const Rows rows = {names, 0, names};
        return explain(control, status, &rows,
                       "there are not enough actuators for them together");
    }
    memcpy(control->demanded, answer.qdd, (size_t)system->n_actuators * sizeof(double));
    return KAL_OK;
}

// Accelerations, and what a servo lacks, at a step along the chain from the state that it keeps.
static KalStatus look_beside(KalControl *control, KalInstant *instant, int servo,
                             double step, double *out_lack)
{
    const size_t n = (size_t)control->system->n;
    const double *state = control->chain;
    const double *along = control->chain + 2 * n;
    double *q = kal_instant_q(instant);
    KalMotionAnswer answer;
    for (size_t j = 0; j < 2 * n; j++) {
        q[j] = state[j] + step * along[j];
    }
    KAL_TRY(kal_instant_solve(instant, &answer));
    *out_lack = lack(control, servo);
    return KAL_OK;
}

// How fast what a servo lacks changes along the chain, if that is more than rounding, else 0;
// the chain goes on to how fast the state does: (p, v) → (v, change of q'').
static KalStatus follow_chain(KalControl *control, KalInstant *instant, int servo,
                              double *out_change)
{
    const size_t n = (size_t)control->system->n;
    double *along = control->chain + 2 * n;
    double *change = control->chain + 4 * n;
    double ahead = 0.0;
    double behind = 0.0;
    double size = 0.0;
    double largest = 0.0;
    KAL_TRY(look_beside(control, instant, servo, BESIDE, &ahead));
    memcpy(change, control->nature, n * sizeof *change);
    KAL_TRY(look_beside(control, instant, servo, -BESIDE, &behind));
    (void)servo_times(control, servo, change, &size);
    double rounding = BESIDE * size;
    for (size_t j = 0; j < n; j++) {
        change[j] = (change[j] - control->nature[j]) / (2.0 * BESIDE);
        largest = fmax(largest, fmax(fabs(change[j]), fabs(along[n + j])));
    }
    (void)servo_times(control, servo, change, &size);
    rounding += size;
    const double slope = (ahead - behind) / (2.0 * BESIDE);
    *out_change = fabs(slope) > NO_CHANGE * rounding ? slope : 0.0;
    for (size_t j = 0; largest > 0.0 && j < n; j++) {
        along[j] = along[n + j] / largest;
        along[n + j] = change[j] / largest;
    }
    return KAL_OK;
}

// How often a servo is to be differentiated until input j appears, of the motion linearized at
// the present state, theory (14.5); MOST_DEGREE + 1 for more.
static int degree_by(KalControl *control, KalInstant *instant, int servo, int j)
{
    const size_t n = (size_t)control->system->n;
    double *along = control->chain + 2 * n;
    double change = 0.0;
    int degree = 2;
    memset(along, 0, n * sizeof *along);
    memcpy(along + n, control->response + (size_t)j * n, n * sizeof *along);
    while (degree <= MOST_DEGREE && change == 0.0) {
        degree++;
        if (follow_chain(control, instant, servo, &change) != KAL_OK) {
            return MOST_DEGREE + 1;
        }
    }
    return degree;
}

// A servo that no input reaches: by which degree.
static KalStatus fail_unreached(KalControl *control, KalInstant *instant, int servo)
{
    const size_t size = 2 * (size_t)control->system->n * sizeof(double);
    const char *name = control->names[servo];
    char text[NAMES_SIZE] = "of no degree up to ten";
    int degree = MOST_DEGREE + 1;
    memcpy(control->chain, kal_instant_q(instant), size);
    control->idle = true;
    for (int j = 0; j < control->system->n_actuators; j++) {
        const int other = degree_by(control, instant, servo, j);
        degree = other < degree ? other : degree;
    }
    control->idle = false;
    memcpy(kal_instant_q(instant), control->chain, size);
    if (degree <= MOST_DEGREE) {
        (void)snprintf(text, sizeof text, "of relative degree %d", degree);
    }
    control->n_blamed = 0;
    control->blamed[control->n_blamed++] = name;
    return kal_fail(control->ctx, KAL_ERR_CONTRADICTION,
                    "servo %s cannot be met: no actuator has a direct effect on its "
                    "acceleration; it is %s here, and servos can be met up to degree "
                    "two (docs/control.md says what to do)",
                    name, text);
}

// Nature and its responses as if there were no contacts.
static KalStatus leave_contacts_out(KalControl *control, KalInstant *instant)
{
    const KalSystem *system = control->system;
    const size_t n = (size_t)system->n;
    KalMotionProblem problem = kal_instant_problem(instant);
    KalMotionAnswer answer;
    problem.m = 0;
    for (int k = 0; k < instant->n_active; k++) {
        const int i = instant->rows[k];
        if (system->model->constraints[i].role == KAL_ROLE_USUAL) {
            memcpy(control->rows + (size_t)problem.m * n, instant->A + (size_t)k * n,
                   n * sizeof(double));
            control->gap[problem.m++] = instant->b[k];
        }
    }
    problem.A = control->rows;
    problem.b = control->gap;
    problem.b_size = NULL;
    problem.constraints = NULL;
    KAL_TRY(kal_motion_solve(instant->motion, &problem, &answer));
    memcpy(control->nature, answer.qdd, n * sizeof(double));
    problem.b = control->zero;
    problem.C = NULL;
    return find_plain_responses(control, instant, &problem);
}

// The inputs that the servos need, theory (14.4).  Where contacts keep them from being met at
// all, as a stop does, they are those that would be needed without contacts.
static KalStatus find_inputs(KalControl *control, KalInstant *instant,
                             KalInstantSolve solve)
{
    int unreached = -1;
    control->kept = NULL;
    KAL_TRY(find_responses(control, instant, solve));
    KalStatus status = meet_servos(control, &unreached);
    if ((unreached >= 0 || status == KAL_ERR_CONTRADICTION)
        && kal_contacts_count_gaps(instant) > 0) {
        control->kept = unreached >= 0 ? control->names[unreached] : control->blamed[0];
        control->n_blamed = 0;
        KAL_TRY(leave_contacts_out(control, instant));
        status = meet_servos(control, &unreached);
    }
    return unreached >= 0 ? fail_unreached(control, instant, unreached) : status;
}

// Cut the inputs at their limits and add their forces to Q.
static void deliver(KalControl *control, const KalInstant *instant)
{
    const KalSystem *system = control->system;
    const int u = system->n_actuators;
    control->saturated = false;
    for (int j = 0; j < u; j++) {
        const double limit = instant->settings.actuator_limits[j];
        const double wanted = control->demanded[j];
        assert(limit > 0.0);
        control->inputs[j] = fmax(-limit, fmin(limit, wanted));
        control->saturated = control->saturated || fabs(wanted) > limit;
    }
    for (int i = 0; i < system->n; i++) {
        double size = 0.0;
        control->force[i] =
            row_times(&system->equations->B, control->B, i, control->inputs, &size);
        control->total[i] = instant->Q[i] + control->force[i];
    }
}

// Inputs of least weighted norm, theory (14.4), then nature once more with their force.
static KalStatus solve_actuated(KalControl *control, KalInstant *instant,
                                KalInstantSolve solve)
{
    if (control->system->equations->has_reactions) {
        return kal_fail(control->ctx, KAL_ERR_FORMULATION,
                        "non-ideal forces that depend on reactions cannot be combined "
                        "with actuators: the inputs change the reactions");
    }
    KAL_TRY(control->frozen ? KAL_OK : find_inputs(control, instant, solve));
    deliver(control, instant);
    KalMotionProblem problem = kal_instant_problem(instant);
    problem.Q = control->total;
    KAL_TRY(kal_contacts_solve(instant, &problem, solve));
    memcpy(instant->variables + control->system->layout.controls, control->inputs,
           (size_t)control->system->n_actuators * sizeof(double));
    return KAL_OK;
}

KalStatus kal_control_solve(KalControl *control, KalInstant *instant,
                            KalInstantSolve solve)
{
    assert(instant->answer.n == control->system->n);
    memcpy(control->nature, instant->answer.qdd,
           (size_t)control->system->n * sizeof(double));
    if (control->idle) {
        return KAL_OK;
    }
    if (control->system->n_actuators > 0) {
        return solve_actuated(control, instant, solve);
    }
    return control->is_large ? solve_free_large(control, instant)
                             : solve_free(control, instant);
}

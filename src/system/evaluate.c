// SPDX-License-Identifier: MIT

// Programs of an instant, and what to say of results that are not finite: whose they are,
// and which formula of the model made them so.

#include "base/number.h"
#include "base/utf8.h"
#include "expr/node.h"
#include "large/pass.h"
#include "system/instant.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

enum {
    CAUSE_SIZE = KAL_PRINTABLE_SIZE + 512
};

// The place of the row that entry k of a sparse matrix is in.
static size_t row_of(const KalSparse *matrix, size_t k)
{
    assert(k < kal_sparse_entries(matrix));
    size_t row = 0;
    while (row + 1 < matrix->rows && (size_t)matrix->start[row + 1] <= k) {
        row++;
    }
    return row;
}

// What a result is about, for a message: a part of the equations and its owner.
typedef struct Subject {
    const char *part;
    const char *owner;
    KalSpan span;
} Subject;

static Subject about_coordinate(const KalModel *model, const char *part, size_t i)
{
    const KalCoordinate *c = &model->coordinates[i];
    return (Subject){part, c->name, c->span};
}

static Subject about_constraint(const KalModel *model, const char *part, size_t i)
{
    const KalConstraint *c = &model->constraints[i];
    return (Subject){part, c->name, c->span};
}

static Subject about_servo(const KalModel *model, size_t i)
{
    const KalServo *servo = &model->servos[i];
    return (Subject){"the equation of servo", servo->name, servo->span};
}

// Results of the program of givens stand in the order in which collect() lists them
// (system.c): M, Q, A, b, then those of servos and actuators.
static Subject about_given(const KalEquations *e, size_t i)
{
    assert(e->M.start && e->A.start);
    const size_t sizes[] = {(size_t)e->M.start[e->n],
                            e->n,
                            (size_t)e->A.start[e->m],
                            e->m,
                            (size_t)e->servo_A.start[e->n_servos],
                            e->n_servos};
    int part = 0;
    while (part < 6 && i >= sizes[part]) {
        i -= sizes[part++];
    }
    switch (part) {
    case 0: return about_coordinate(e->model, "the mass of", row_of(&e->M, i));
    case 1: return about_coordinate(e->model, "the force on", i);
    case 2:
        return about_constraint(e->model, "the derivative of constraint",
                                row_of(&e->A, i));
    case 3: return about_constraint(e->model, "the second derivative of constraint", i);
    case 4: return about_servo(e->model, row_of(&e->servo_A, i));
    case 5: return about_servo(e->model, i);
    default: return (Subject){"the power of an actuator", "", {.source = NULL}};
    }
}

// The part of the model that a result of a program belongs to, for messages.
static Subject about_result(const KalSystem *system, KalProgramId id, size_t i)
{
    assert(id < KAL_PROGRAMS && i < system->n_results[id]);
    const KalEquations *e = system->equations;
    switch (id) {
    case KAL_PROGRAM_GIVENS: return about_given(e, i);
    case KAL_PROGRAM_NONIDEAL:
        return about_coordinate(e->model, "the non-ideal force on", i);
    case KAL_PROGRAM_POSITION:
    case KAL_PROGRAM_VELOCITY:
        return about_constraint(e->model, "constraint",
                                i < e->m ? i : row_of(&e->A, i - e->m));
    case KAL_PROGRAM_OUTPUTS:
        return (Subject){"output", e->model->outputs[i].name,
                         e->model->outputs[i].span};
    case KAL_PROGRAM_EVENTS:
        return (Subject){"event", e->model->events[i].name, e->model->events[i].span};
    case KAL_PROGRAM_RATES:
        return (Subject){"the derivative of state", e->model->states[i].name,
                         e->model->states[i].span};
    case KAL_PROGRAM_HOLDS:
        return (Subject){"the value held as", e->model->holds[i].name,
                         e->model->holds[i].span};
    case KAL_PROGRAM_EVENT_ROWS:
        return (Subject){"the derivative of an event", "", {.source = NULL}};
    case KAL_PROGRAM_ACTIONS:
        return (Subject){"a value that an event sets", "", {.source = NULL}};
    case KAL_PROGRAM_START:
        return about_coordinate(e->model, "the start value of the velocity of", i);
    case KAL_PROGRAM_TANGENT:
        return (Subject){
            "a derivative of the equations of motion", "", {.source = NULL}};
    case KAL_PROGRAM_CONTACTS: {
        const KalContact *contact = &e->model->contacts[i / KAL_CONTACT_VALUES];
        return (Subject){"contact", contact->name, contact->span};
    }
    case KAL_PROGRAM_SWITCHES:
        return (Subject){"a condition of the equations", "", {.source = NULL}};
    case KAL_PROGRAM_PEAKS:
        return (Subject){"the place of a pulse in time", "", {.source = NULL}};
    case KAL_PROGRAM_PULSES:
        return (Subject){"the place of a pulse", "", {.source = NULL}};
    case KAL_PROGRAM_MARKS:
    case KAL_PROGRAM_LATE_MARKS:
        return (Subject){"a condition of an output", "", {.source = NULL}};
    case KAL_PROGRAM_POWER: return (Subject){"a power", "", {.source = NULL}};
    case KAL_PROGRAM_CONSTANTS:
        return (Subject){"a constant of motion", "", {.source = NULL}};
    case KAL_PROGRAM_SETTINGS:
        return (Subject){"what follows from parameters", "", {.source = NULL}};
    case KAL_PROGRAM_ENERGY:
    case KAL_PROGRAMS: break;
    }
    return (Subject){"the energy", "", {.source = NULL}};
}

// Why a formula has no value: ", because it divides by x".  Nothing where that is not known.
static void print_cause(const KalGraph *g, KalExpr culprit, const char *quote,
                        char out_text[CAUSE_SIZE])
{
    const KalExprNode node = culprit.index == KAL_NO_EXPR.index
                                 ? (KalExprNode){.op = KAL_OP_CONST}
                                 : kal_graph_node(g, culprit);
    out_text[0] = '\0';
    if (kal_op_is_spline((KalOp)node.op)) {
        const KalSpline *spline = kal_node_spline(&node)->spline;
        (void)snprintf(out_text, CAUSE_SIZE,
                       ", because the argument of table %.200s%s%s is outside of its "
                       "points, which go from %.9g to %.9g",
                       spline->name, *quote ? " in " : "", quote, spline->knots[0],
                       spline->knots[spline->pieces]);
    } else if (*quote) {
        (void)snprintf(out_text, CAUSE_SIZE, "%s%s",
                       node.op == KAL_OP_DIV ? ", because it divides by "
                                             : ", because of ",
                       quote);
    }
}

// Fail because result i of a program is not finite.  The formula to blame is quoted as
// the model writes it, if it stands in the model; derivatives do not.
static KalStatus fail_result(KalInstant *instant, KalProgramId id, size_t i)
{
    assert(i < instant->system->n_results[id]);
    const KalSystem *system = instant->system;
    const Subject subject = about_result(system, id, i);
    const KalExpr culprit = kal_program_find_fault(
        system->programs[id], instant->variables, instant->work[id]);
    KalSpan span = subject.span;
    char quote[KAL_PRINTABLE_SIZE] = "";
    if (culprit.index != KAL_NO_EXPR.index
        && kal_model_find_origin(system->model, culprit, &span) && span.source) {
        kal_printable_print(span.source->text + span.begin, span.end - span.begin,
                            quote);
    }
    char cause[CAUSE_SIZE];
    print_cause(system->model->graph, culprit, quote, cause);
    char t[KAL_NUMBER_SIZE];
    kal_number_print(instant->variables[0], 15, t);
    KalPlace place = {0, 0};
    if (span.source) {
        place = kal_source_place(span.source, span.begin);
    }
    char where[KAL_PRINTABLE_SIZE + 64] = "";
    if (span.source) {
        (void)snprintf(where, sizeof where, "%s:%zu:%zu: ", span.source->name,
                       place.line, place.column);
    }
    return kal_fail(instant->ctx, KAL_ERR_NUMBER,
                    "%s%s%s%s has no finite value in this state, at t = %s%s", where,
                    subject.part, *subject.owner ? " " : "", subject.owner, t, cause);
}

// The first result that is not finite; their number if all are.
static size_t find_bad(const KalInstant *instant, KalProgramId id)
{
    const size_t count = instant->system->n_results[id];
    size_t i = kal_passes()->finite(instant->results, count) ? count : 0;
    while (i < count && isfinite(instant->results[i])) {
        i++;
    }
    return i;
}

size_t kal_instant_try(KalInstant *instant, KalProgramId id)
{
    assert(id < KAL_PROGRAMS);
    const KalProgram *program = instant->system->programs[id];
    kal_program_eval_on(program, instant->variables, instant->modes, instant->work[id],
                        instant->results);
    size_t bad = find_bad(instant, id);
    if (bad < instant->system->n_results[id] && instant->modes) {
        // A piece may end where its formula does: beyond, another has a value.
        kal_program_eval(program, instant->variables, instant->work[id],
                         instant->results);
        bad = find_bad(instant, id);
    }
    return bad;
}

KalStatus kal_instant_evaluate(KalInstant *instant, KalProgramId id)
{
    const size_t bad = kal_instant_try(instant, id);
    return bad < instant->system->n_results[id] ? fail_result(instant, id, bad)
                                                : KAL_OK;
}

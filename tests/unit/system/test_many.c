// SPDX-License-Identifier: MIT

// Many states at once against each by itself.

#include "instant_lab.h"
#include "rng.h"

#include <math.h>

enum {
    COUNT = 203, // more than pays, and not a multiple of the lanes
    MOST = 4     // coordinates
};

static const char *const models[] = {
    // one coordinate, no constraint
    "coord a\nkinetic 1/2*a'^2\npotential -9.81*cos(a)\nforce a = -0.1*a'*t\n",
    // a closed loop
    "coord a, b, x\nkinetic 1/2*(a'^2 + 0.5*b'^2 + 0.8*x'^2)\npotential 3*sin(a)\n"
    "constraint loop: [cos(a) + 2*cos(b) - x, sin(a) + 2*sin(b)] = [0, 0]\n",
    // rows that say the same
    "coord x, y\nkinetic 1/2*(x'^2 + 2*y'^2)\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n",
    // z has no mass
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint tie: z = 2*y + x\n",
    // pieces
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + abs(x - 0.2)\n"
    "constraint rod: x^2 + y^2 = 1\n",
    // a force by a reaction, which is not ideal
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2) + 0.3*x'*z'\n"
    "potential 9.81*y + 2*x^2 + z^2\nconstraint slope: y = 0.2*x + 0.1*sin(z)\n"
    "nonideal x = -0.3*reaction(slope)*tanh(20*x')\n",
    // rows that fall together where a = b: the road does not vouch there
    "coord a, b\nkinetic 1/2*(a'^2 + b'^2)\npotential a + 2*b\n"
    "constraint one: a'*cos(a) + b'*sin(a) = 1\n"
    "constraint two: a'*cos(b) + b'*sin(b) = 1\n",
};

typedef struct Table {
    double t[COUNT];
    double q[MOST * COUNT];
    double qd[MOST * COUNT];
    double qdd[MOST * COUNT];
} Table;

static void fill(Table *table, uint64_t seed)
{
    Rng rng = {seed};
    for (size_t j = 0; j < COUNT; j++) {
        table->t[j] = 5.0 * rng_unit(&rng);
    }
    for (size_t i = 0; i < MOST * (size_t)COUNT; i++) {
        table->q[i] = 2.0 * rng_entry(&rng);
        table->qd[i] = 2.0 * rng_entry(&rng);
        table->qdd[i] = NAN;
    }
}

static KalManyStates states_of(Table *table, bool one_time)
{
    return (KalManyStates){.count = COUNT,
                           .t = table->t,
                           .one_time = one_time,
                           .q = table->q,
                           .qd = table->qd,
                           .out_qdd = table->qdd};
}

// The answer of state j by itself.
static KalStatus solve_alone(const Lab *lab, const Table *table, size_t j,
                             bool one_time, KalMotionAnswer *answer)
{
    const size_t n = (size_t)kal_system_coordinates(lab->system);
    *kal_instant_t(lab->instant) = table->t[one_time ? 0 : j];
    for (size_t i = 0; i < n; i++) {
        kal_instant_q(lab->instant)[i] = table->q[i * COUNT + j];
        kal_instant_qd(lab->instant)[i] = table->qd[i * COUNT + j];
    }
    return kal_instant_solve(lab->instant, answer);
}

static void compare(const Lab *lab, const Table *table, bool one_time)
{
    const size_t n = (size_t)kal_system_coordinates(lab->system);
    for (size_t j = 0; j < COUNT; j++) {
        KalMotionAnswer answer;
        double size = 1.0;
        if (!ok(solve_alone(lab, table, j, one_time, &answer) == KAL_OK)) {
            return;
        }
        for (size_t i = 0; i < n; i++) {
            size = fmax(size, fabs(answer.qdd[i]));
        }
        for (size_t i = 0; i < n; i++) {
            near(table->qdd[i * COUNT + j], answer.qdd[i], 1e-10 * size);
        }
    }
}

// Rows that are equal at a few states have equal right sides there.
static void meet_now_and_then(Table *table)
{
    for (size_t j = 7; j < COUNT; j += 11) {
        table->q[COUNT + j] = table->q[j];
        table->qd[COUNT + j] = table->qd[j];
    }
}

static void many_are_what_each_is(void)
{
    static Table table;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        Lab lab;
        if (!lab_expect(&lab, models[k])) {
            continue;
        }
        for (int time = 0; time < 2; time++) {
            fill(&table, 17 + k);
            meet_now_and_then(&table);
            const KalManyStates states = states_of(&table, time == 0);
            const KalStatus status = kal_instant_solve_many(lab.instant, &states);
            if (ok(status == KAL_OK)) {
                compare(&lab, &table, time == 0);
            } else {
                printf("# model %zu: %s\n", k, kal_context_message(lab.ctx));
            }
        }
        lab_close(&lab);
    }
}

// A state without an answer ends it by the status that it has alone.
static void a_failure_is_told(void)
{
    static Table table;
    Lab lab;
    if (!lab_expect(&lab, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                          "potential sqrt(x + 3)\nconstraint c: y = x*(1 + y^2)\n")) {
        return;
    }
    for (size_t bad = 0; bad < COUNT; bad += 50) {
        fill(&table, bad);
        table.q[bad] = -4.0;
        const KalManyStates states = states_of(&table, false);
        ok(kal_instant_solve_many(lab.instant, &states) == KAL_ERR_NUMBER);
        ok(kal_instant_q(lab.instant)[0] == -4.0);
        ok(bad == 0 || isfinite(table.qdd[bad - 1]));
    }
    lab_close(&lab);
}

// Other parameters, and fewer states, between calls.
static void parameters_may_change(void)
{
    static Table table;
    Lab lab;
    if (!lab_expect(&lab, "param k = 1\ncoord x\nkinetic 1/2*x'^2\n"
                          "potential 1/2*k*x^2\n")) {
        return;
    }
    for (int k = 1; k < 5; k++) {
        const KalSetting setting = {"k", (double)k};
        fill(&table, 3);
        KalManyStates states = states_of(&table, true);
        ok(kal_instant_set_parameters(lab.instant, &setting, 1) == KAL_OK);
        ok(kal_instant_solve_many(lab.instant, &states) == KAL_OK);
        for (size_t j = 0; j < COUNT; j++) {
            near(table.qdd[j], -k * table.q[j], 1e-14);
        }
        states.count = (size_t)k - 1;
        ok(kal_instant_solve_many(lab.instant, &states) == KAL_OK);
    }
    ok(kal_instant_solve_many(lab.instant, NULL) == KAL_ERR_USAGE);
    ok(kal_instant_solve_many(NULL, NULL) == KAL_ERR_USAGE);
    lab_close(&lab);
}

// A mass on a crank: of two inputs one pulls x, the other turns by x².  A unit of it is a unit
// of force along what it acts on, with the mass matrix [[2, 1], [1, 3]].
static void inputs_push(void)
{
    static Table table;
    static double inputs[2 * COUNT];
    Lab lab;
    if (!lab_expect(&lab, "coord x, y\nkinetic x'^2 + x'*y' + 3/2*y'^2\n"
                          "actuator u: x', limit = 50\nactuator w: x^2*y'\n")) {
        return;
    }
    ok(kal_system_inputs(lab.system) == 2);
    same_text(kal_system_input_names(lab.system)[1], "w");
    fill(&table, 8);
    Rng rng = {9};
    for (size_t i = 0; i < 2 * (size_t)COUNT; i++) {
        inputs[i] = 10.0 * rng_entry(&rng);
    }
    KalManyStates states = states_of(&table, true);
    states.inputs = inputs;
    ok(kal_instant_solve_many(lab.instant, &states) == KAL_OK);
    for (size_t j = 0; j < COUNT; j++) {
        const double pull = inputs[j];
        const double turn = inputs[COUNT + j] * table.q[j] * table.q[j];
        near(table.qdd[j], (3.0 * pull - turn) / 5.0, 1e-12);
        near(table.qdd[COUNT + j], (2.0 * turn - pull) / 5.0, 1e-12);
    }
    states.inputs = NULL; // those of the instant
    kal_instant_inputs(lab.instant)[0] = 5.0;
    kal_instant_inputs(lab.instant)[1] = 0.0;
    ok(kal_instant_solve_many(lab.instant, &states) == KAL_OK);
    near(table.qdd[COUNT - 1], 3.0, 1e-14);
    kal_instant_inputs(lab.instant)[0] = 51.0;
    ok(kal_instant_solve_many(lab.instant, &states) == KAL_ERR_USAGE);
    kal_instant_inputs(lab.instant)[0] = NAN;
    ok(kal_instant_solve_many(lab.instant, &states) == KAL_ERR_NUMBER);
    ok(kal_instant_set_parameters(lab.instant, NULL, 0) == KAL_OK);
    ok(kal_instant_solve_many(lab.instant, &states) == KAL_OK);
    near(table.qdd[COUNT - 1], 0.0, 1e-14);
    lab_close(&lab);
}

// Servos find the inputs of their actuators.
static void inputs_of_servos_are_not_set(void)
{
    Lab lab;
    if (lab_expect(&lab, "coord x\nkinetic 1/2*x'^2\nactuator u: x'\n"
                         "servo go: x' = 1, rate = 2\n")) {
        ok(kal_system_inputs(lab.system) == 0);
        lab_close(&lab);
    }
    ok(kal_system_inputs(NULL) == 0 && !kal_system_input_names(NULL)
       && !kal_instant_inputs(NULL));
}

// Without memory for lanes states are solved one by one.
static void every_allocation_may_fail(void)
{
    static Table table;
    for (long n = 0; n < 400; n += 1 + n / 8) {
        Lab lab;
        if (!lab_expect(&lab, models[1])) {
            return;
        }
        fill(&table, 5);
        const KalManyStates states = states_of(&table, true);
        lab.fault.calls_left = n;
        const KalStatus status = kal_instant_solve_many(lab.instant, &states);
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        if (status == KAL_OK) {
            compare(&lab, &table, true);
        }
        lab_close(&lab);
    }
}

TAP_RUN(TAP_CASE(many_are_what_each_is), TAP_CASE(a_failure_is_told),
        TAP_CASE(parameters_may_change), TAP_CASE(inputs_push),
        TAP_CASE(inputs_of_servos_are_not_set), TAP_CASE(every_allocation_may_fail))

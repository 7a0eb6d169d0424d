// SPDX-License-Identifier: MIT

// The fast road of runs against the others.

#include "run_lab.h"
#include "system/lanes.h"
#include "system/projector.h"

static const char crank[] =
    "coord a, b, x\nkinetic 1/2*(a'^2 + 0.5*b'^2 + 0.8*x'^2)\npotential 3*sin(a)\n"
    "constraint loop: [cos(a) + 2*cos(b) - x, sin(a) + 2*sin(b)] = [0, 0]\n"
    "init a = 0.5, b ~ -0.2, x ~ 2.8, a' = 2\nsimulate 0 .. 5 every 0.1\n"
    "output load = reaction(loop.x) + x''*cos(b)\noutput all = energy() + cforce(a)\n";

// A row that says what another does.
static const char redundant[] =
    "coord x, y\nkinetic 1/2*(x'^2 + 2*y'^2)\npotential 9.81*y\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint again: 2*x^2 + 2*y^2 = 2\n"
    "init x = 1, y ~ 0\nsimulate 0 .. 5 every 0.1\n";

// M is singular: z has no mass.
static const char massless[] =
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + z\n"
    "constraint rod: x^2 + y^2 = 1\nconstraint tie: z = 2*y + x\n"
    "init x = 1, y ~ 0, z ~ 0\nsimulate 0 .. 5 every 0.1\n";

static const char unconstrained[] =
    "coord a, b\nkinetic 1/2*(a'^2 + b'^2 + a'*b'*cos(a - b))\n"
    "potential -3*cos(a) - 2*cos(b)\ninit a = 1, b = 0.3\nsimulate 0 .. 5 every 0.1\n";

// abs: the equations are made of pieces.
static const char pieces[] =
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y + abs(x - 0.2)\n"
    "constraint rod: x^2 + y^2 = 1\ninit x = 1, y ~ 0\nsimulate 0 .. 5 every 0.1\n";

// Friction by a reaction, and a force along the velocity that no constraint knows of.
static const char friction[] =
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2) + 0.3*x'*z'\n"
    "potential 9.81*y + 2*x^2 + z^2\nconstraint slope: y = 0.2*x + 0.1*sin(z)\n"
    "nonideal x = -0.3*reaction(slope)*tanh(20*x')\nnonideal z = -0.2*z'\n"
    "init x = 1, y ~ 0, z = 0.4, z' = 1\nsimulate 0 .. 5 every 0.1\n";

// A rolling disc's like: one row of positions, one of velocities alone.
static const char mixed[] =
    "coord x, y, z, a\nkinetic 1/2*(x'^2 + y'^2 + 3*z'^2 + 0.4*a'^2)\n"
    "potential 9.81*z\nconstraint floor: z = 0.2*x^2 + 0.1*sin(y)\n"
    "constraint edge: y'*cos(a) = x'*sin(a)\n"
    "init x = 0.5, y = 0, a = 0.3, z ~ 0, x' = 1, y' ~ 0, a' = 2\n"
    "simulate 0 .. 5 every 0.1\n";

static void near_all(const double *got, const double *want, int n)
{
    double size = 1.0;
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(want[i]));
    }
    for (int i = 0; i < n; i++) {
        near(got[i], want[i], 1e-11 * size);
    }
}

// Make programs at once, not when they pay.
static void hurry(Lab *lab)
{
    kal_run_instant(lab->run)->road.patience = 0;
    kal_run_instant(lab->run)->road.steps = 0;
}

// At many moments of a run both answers are the same.
static void compare_with(const char *text, bool whole, KalDrift drift)
{
    Lab lab;
    const bool loaded = lab_load(&lab, text);
    lab.options.drift = drift;
    lab.options.stabilize = drift == KAL_DRIFT_STABILIZE ? 5.0 : 0.0;
    if (loaded && ok(lab_start(&lab) == KAL_OK)) {
        KalInstant *instant = kal_run_instant(lab.run);
        const int n = lab.system->n;
        int taken = 0;
        for (int k = 1; k <= 100; k++) {
            KalMotionAnswer fast;
            KalMotionAnswer slow;
            double q[8];
            double force[8];
            double nonideal[8];
            ok(kal_run_advance(lab.run, 0.05 * k) == KAL_OK);
            if (!kal_instant_hurry(instant, &fast)) {
                continue;
            }
            taken++;
            memcpy(q, fast.qdd, (size_t)n * sizeof *q);
            memcpy(force, fast.force_ideal, (size_t)n * sizeof *force);
            memcpy(nonideal, fast.force_nonideal, (size_t)n * sizeof *force);
            ok(kal_instant_solve(instant, &slow) == KAL_OK);
            near_all(q, slow.qdd, n);
            near_all(force, slow.force_ideal, n);
            near_all(nonideal, slow.force_nonideal, n);
            ok(fast.unique && fast.rank_A == slow.rank_A && fast.rank_M == slow.rank_M);
            if (whole) {
                near_all(fast.multipliers, slow.multipliers, slow.m);
            }
        }
        ok(taken > 50);
    }
    lab_close(&lab);
}

static void compare(const char *text, bool whole)
{
    compare_with(text, whole, KAL_DRIFT_PROJECT);
}

static void both_roads_answer_alike(void)
{
    compare(friction, true);
    compare_with(crank, true, KAL_DRIFT_STABILIZE);
    compare_with(friction, true, KAL_DRIFT_STABILIZE);
    compare_with(mixed, true, KAL_DRIFT_STABILIZE);
    compare(crank, true);
    compare(unconstrained, true);
    compare(redundant, false); // the other road shares reactions
    compare(massless, true);
    compare(pieces, true);
}

// Gauss–Newton steps of a level by the other road.
static void step_back(KalProjector *projector, KalProgramId level, double *x)
{
    double moved[8];
    for (int k = 0; k < 4; k++) {
        ok(kal_instant_residuals(projector->instant, level) == KAL_OK);
        kal_projector_set_rows(projector, NULL);
        ok(kal_projector_factor(projector, KAL_LEAST_DAMPING));
        kal_projector_step(projector, x, moved);
        memcpy(x, moved, (size_t)projector->n * sizeof *x);
    }
}

static void return_slowly(KalInstant *instant)
{
    KalProjector projector;
    if (ok(kal_projector_init(&projector, instant, NULL) == KAL_OK)) {
        ok(kal_instant_givens(instant) == KAL_OK);
        kal_projector_set_metric(&projector);
        step_back(&projector, KAL_PROGRAM_POSITION, kal_instant_q(instant));
        step_back(&projector, KAL_PROGRAM_VELOCITY, kal_instant_qd(instant));
    }
    kal_projector_clear(&projector);
}

// What a return has found where it led to: the bits of the road's own program, and what the
// programs of energies and outputs give.
static void compare_arrival(KalInstant *instant)
{
    KalRoad *road = &instant->road;
    const double *found = kal_return_find(road, kal_road_inputs(road));
    double copy[128];
    if (!ok(found && road->at.count <= 128)) {
        return;
    }
    memcpy(copy, found, road->at.count * sizeof *copy);
    const double *energy = kal_return_energy(road);
    const double kinetic = energy[0];
    const double stored = energy[1];
    double outputs[4];
    KalMotionAnswer answer;
    ok(kal_instant_hurry(instant, &answer) && answer.qdd == found);
    const double *known = kal_return_outputs(road);
    ok(known || instant->system->pieces.n_nodes > 0);
    for (int i = 0; i < instant->system->n_outputs && known; i++) {
        outputs[i] = known[i];
    }
    road->back.knows = false;
    ok(!kal_return_energy(road) && !kal_return_outputs(road));
    ok(kal_instant_hurry(instant, &answer) && answer.qdd == road->results);
    ok(memcmp(copy, road->results, road->at.count * sizeof *copy) == 0);
    ok(kal_instant_evaluate(instant, KAL_PROGRAM_ENERGY) == KAL_OK);
    near(kinetic, instant->results[0], 1e-14 * fabs(kinetic));
    near(stored, instant->results[1], 1e-14 * fabs(stored));
    const double *values = NULL;
    ok(kal_instant_outputs(instant, &values) == KAL_OK);
    for (int i = 0; i < instant->system->n_outputs && known; i++) {
        near(outputs[i], values[i], 1e-13 * fmax(1.0, fabs(values[i])));
    }
    road->back.knows = true;
}

// The rows of active constraints as a dense matrix.
static void copy_rows(const KalInstant *instant, double *out_A)
{
    const int n = instant->system->n;
    memset(out_A, 0, (size_t)(instant->n_active * n) * sizeof *out_A);
    for (int k = 0; k < instant->n_active; k++) {
        const KalConstraintRow row = kal_instant_row(instant, k);
        for (int i = 0; i < row.count; i++) {
            out_A[(int64_t)k * n + row.column[i]] = kal_row_entry(&row, i);
        }
    }
}

// The state a little off the constraints, returned by the program and by the other road;
// where rows have no level of positions their ways differ, though both lead back.
static void compare_returns(KalInstant *instant, bool alike, int *taken)
{
    const int n = instant->system->n;
    const size_t size = 2 * (size_t)n * sizeof(double);
    double *state = kal_instant_q(instant);
    double given[16];
    double fast[16];
    double A[64];
    double left[2];
    for (int i = 0; i < 2 * n; i++) {
        state[i] += 1e-7 * sin(3.0 * i + 1.0);
    }
    memcpy(given, state, size);
    if (!kal_return_take(&instant->road, &left[0], &left[1])) {
        return;
    }
    ++*taken;
    ok(left[0] < 1e-14 && left[1] < 1e-13);
    memcpy(fast, state, size);
    compare_arrival(instant);
    ok(kal_return_rows(&instant->road));
    copy_rows(instant, A);
    ok(kal_instant_givens(instant) == KAL_OK && !instant->entries);
    near_all(A, instant->A, instant->n_active * n);
    memcpy(state, given, size);
    return_slowly(instant);
    for (int i = 0; i < 2 * n; i++) {
        near(fast[i], state[i], alike ? 1e-11 : 1e-7);
    }
    // What is on the constraints stays, but for rounding.
    memcpy(state, fast, size);
    ok(kal_return_take(&instant->road, &left[0], &left[1]));
    for (int i = 0; i < 2 * n; i++) {
        near(state[i], fast[i], 1e-14 * fmax(1.0, fabs(fast[i])));
    }
}

static void both_ways_lead_back(void)
{
    static const char *const texts[] = {crank,  redundant, massless,
                                        pieces, mixed,     friction};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Lab lab;
        int taken = 0;
        if (lab_load(&lab, texts[k]) && ok(lab_start(&lab) == KAL_OK)) {
            hurry(&lab);
            for (int i = 1; i <= 50; i++) {
                ok(kal_run_advance(lab.run, 0.1 * i) == KAL_OK);
                compare_returns(kal_run_instant(lab.run), texts[k] != mixed, &taken);
            }
            ok(taken > 30);
        }
        lab_close(&lab);
    }
}

// What begins where lengths cancel, and hardly moves across, is brought back by the program all
// the way: a ball on a string whose end is its origin.
static void what_hardly_moves_is_brought_back(void)
{
    static const char text[] =
        "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n"
        "param h = 0.8\nconstraint rod: (x^2 + y^2 + (z - h)^2 - h^2)/(2*h) = 0\n"
        "init x' = 0.5, y' = 1e-20\nsimulate 0 .. 5 every 0.01\n";
    Lab lab;
    if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
        const KalReturn *back = &kal_run_instant(lab.run)->road.back;
        for (int i = 1; i <= 500; i++) {
            ok(kal_run_advance(lab.run, 0.01 * i) == KAL_OK);
            ok(back->refusals == 0 && back->knows);
        }
    }
    lab_close(&lab);
}

// Programs are made when they pay, and stay for the next run, which takes them as late.
static void roads_are_made_when_they_pay(void)
{
    static const char many[] =
        "coord x[6], y[6]\n"
        "kinetic sum(i in 1..6 : 1/2*(x[i]'^2 + y[i]'^2))\n"
        "potential sum(i in 1..6 : 9.81*y[i])\n"
        "for i in 1..6 { constraint rod[i]: x[i]^2 + y[i]^2 = 1 }\n"
        "for i in 1..6 { init x[i] = sin(0.2*i), y[i] ~ -1 }\n"
        "simulate 0 .. 60 every 1\n";
    Lab lab;
    const bool loaded = lab_load(&lab, many);
    lab.options.until = 60.0;
    lab.options.every = 1.0;
    if (loaded && ok(lab_start(&lab) == KAL_OK)) {
        const KalRoad *road = &kal_run_instant(lab.run)->road;
        KalStartReport report;
        ok(kal_run_advance(lab.run, 0.1) == KAL_OK);
        ok(!road->program && !road->back.program);
        ok(kal_run_advance(lab.run, 60.0) == KAL_OK);
        ok(road->program && road->back.program);
        const KalProgram *program = road->program;
        const double x = lab_q(&lab, 0);
        ok(kal_run_start(lab.run, &report) == KAL_OK && !road->fits);
        ok(kal_run_advance(lab.run, 60.0) == KAL_OK && road->fits);
        ok(road->program == program && lab_q(&lab, 0) == x);
    }
    lab_close(&lab);
}

// Of a small system at once, in the next run too.
static void small_systems_have_them_from_the_start(void)
{
    Lab lab;
    const bool loaded = lab_load(&lab, crank);
    lab.options.every = 5.0;
    if (loaded && ok(lab_start(&lab) == KAL_OK)) {
        const KalRoad *road = &kal_run_instant(lab.run)->road;
        KalStartReport report;
        ok(road->program && road->back.program && road->fits);
        ok(kal_run_advance(lab.run, 5.0) == KAL_OK);
        const double x = lab_q(&lab, 0);
        ok(kal_run_start(lab.run, &report) == KAL_OK && road->fits);
        ok(kal_run_advance(lab.run, 5.0) == KAL_OK && lab_q(&lab, 0) == x);
    }
    lab_close(&lab);
}

// Constraints that an event releases act no more, in the way back too.
static void events_end_a_road(void)
{
    Lab lab;
    static const char text[] =
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nconstraint c: y = 0\n"
        "init x' = 1\nevent a: x - 1 set y' = 1, release c\n"
        "simulate 0 .. 2 every 0.1\n";
    if (lab_load(&lab, text) && ok(lab_start(&lab) == KAL_OK)) {
        hurry(&lab);
        ok(kal_run_advance(lab.run, 0.9) == KAL_OK);
        ok(kal_run_instant(lab.run)->road.back.program != NULL);
        ok(kal_run_advance(lab.run, 2.0) == KAL_OK);
        near(lab_q(&lab, 1), 1.0, 1e-12);
    }
    lab_close(&lab);
}

// Where other rows are wanted there is no road, and the run goes on without.
static void a_run_needs_no_road(void)
{
    Lab lab;
    if (lab_load(&lab, crank) && ok(lab_start(&lab) == KAL_OK)) {
        KalRoad *road = &kal_run_instant(lab.run)->road;
        hurry(&lab);
        ok(kal_run_advance(lab.run, 0.5) == KAL_OK);
        ok(road->program != NULL);
        road->fits = false; // as if other rows were wanted
        KalMotionAnswer answer;
        ok(!kal_instant_hurry(kal_run_instant(lab.run), &answer));
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
    }
    lab_close(&lab);
}

// Nor do programs that could not be made lack anywhere: a road may fit and have none.
static void a_road_may_have_no_program(void)
{
    Lab lab;
    if (lab_load(&lab, massless) && ok(lab_start(&lab) == KAL_OK)) {
        KalInstant *instant = kal_run_instant(lab.run);
        KalRoad *road = &instant->road;
        const double *values = NULL;
        hurry(&lab);
        ok(kal_run_advance(lab.run, 0.5) == KAL_OK && road->fits && road->lends);
        KalProgram *program = road->program;
        double *inputs = road->inputs;
        road->program = NULL;
        road->inputs = NULL;
        road->back.knows = false;
        road->back.open = false;
        ok(kal_run_advance(lab.run, 1.0) == KAL_OK);
        ok(kal_instant_outputs(instant, &values) == KAL_OK);
        road->program = program;
        road->inputs = inputs;
    }
    lab_close(&lab);
}

// The givens of an answer by the road are those of its state.
static void givens_follow_the_road(void)
{
    Lab lab;
    if (lab_load(&lab, crank) && ok(lab_start(&lab) == KAL_OK)) {
        KalInstant *instant = kal_run_instant(lab.run);
        hurry(&lab);
        ok(kal_run_advance(lab.run, 3.0) == KAL_OK && instant->bare);
        const KalMotionAnswer answer = instant->answer;
        const KalMotionProblem problem = kal_instant_problem(instant);
        for (int i = 0; i < problem.m; i++) {
            double sum = -problem.b[i];
            for (int j = 0; j < problem.n; j++) {
                sum += problem.A[i * problem.n + j] * answer.qdd[j];
            }
            near(sum, 0.0, 1e-11);
        }
    }
    lab_close(&lab);
}

// Where there are many samples they are made at once.
static void many_samples_pay(void)
{
    Lab lab;
    const bool loaded = lab_load(&lab, crank);
    lab.options.every = 0.01;
    if (loaded && ok(lab_start(&lab) == KAL_OK)) {
        const KalRoad *road = &kal_run_instant(lab.run)->road;
        ok(road->fits && road->program && road->back.program);
    }
    lab_close(&lab);
}

// Accelerations that are opposite to each other, whose sum is 0 as a formula, and that are
// infinite or no numbers where they have no value.
static const char *const opposite[] = {
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nforce x = exp(t)\nforce y = -exp(t)\n"
    "simulate 0 .. 5 every 0.1\n",
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nforce x = log(900 - t)\n"
    "force y = -log(900 - t)\nsimulate 0 .. 5 every 0.1\n",
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\nforce x = t^150\nforce y = -t^150\n"
    "simulate 0 .. 5 every 0.1\n",
};

// What is not finite is no answer, brief or whole, alone or in lanes.
static void nothing_without_value_is_an_answer(void)
{
    for (size_t i = 0; i < sizeof opposite / sizeof opposite[0]; i++) {
        Lab lab;
        if (lab_load(&lab, opposite[i]) && ok(lab_start(&lab) == KAL_OK)) {
            KalInstant *instant = kal_run_instant(lab.run);
            ok(kal_instant_rush(instant, true) && kal_instant_rush(instant, false));
            instant->variables[0] = 1000.0;
            ok(!kal_instant_rush(instant, true));
            instant->road.closed = false;
            ok(!kal_instant_rush(instant, false));
        }
        lab_close(&lab);
    }
}

// The same in lanes: that of the last has a value, the others have none.
static void no_lane_without_value_is_good(void)
{
    Lab lab;
    if (lab_load(&lab, opposite[2]) && ok(lab_start(&lab) == KAL_OK)) {
        const KalRoad *road = &kal_run_instant(lab.run)->road;
        KalRoadLanes lanes = {.ctx = lab.ctx};
        _Alignas(64) double at[5 * KAL_LANES] = {1e3, 1e4, 800.0, 1.0};
        _Alignas(64) double rates[64 * KAL_LANES];
        KalEightBits good = kal_eight_everywhere();
        kal_road_lanes_make(&lanes, road, false);
        for (int lane = 0; lane < KAL_LANES; lane++) {
            kal_road_lanes_enter(&lanes, lane, road);
        }
        ok(road->at.count + 2 <= 64);
        kal_road_lanes_rush(&lanes, at, rates, &good);
        ok(!good[0] && !good[1] && !good[2] && good[3]);
        kal_road_lanes_clear(&lanes);
    }
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(both_roads_answer_alike), TAP_CASE(both_ways_lead_back),
        TAP_CASE(what_hardly_moves_is_brought_back),
        TAP_CASE(roads_are_made_when_they_pay),
        TAP_CASE(small_systems_have_them_from_the_start), TAP_CASE(many_samples_pay),
        TAP_CASE(givens_follow_the_road), TAP_CASE(events_end_a_road),
        TAP_CASE(a_run_needs_no_road), TAP_CASE(a_road_may_have_no_program),
        TAP_CASE(nothing_without_value_is_an_answer),
        TAP_CASE(no_lane_without_value_is_good))

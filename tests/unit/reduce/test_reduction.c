// SPDX-License-Identifier: MIT

// Reduced equations have the accelerations of the full ones, and readable speeds.

#include "expr/eval.h"
#include "instant_lab.h"
#include "linalg/lu.h"
#include "reduce/reduction.h"
#include "rng.h"
#include "system/draft.h"

#include <math.h>

enum {
    SYMBOLS = 200
};

static const double STEP = 1e-4; // of differences, with an error of its fourth power

static const char SLEIGH[] = "param m = 1, I = 0.2, b = 0.3\ncoord x, y, a\n"
                             "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*I*a'^2\n"
                             "constraint skid: -x'*sin(a) + y'*cos(a) - b*a' = 0\n"
                             "output along = x'*cos(a) + y'*sin(a)\noutput turn = a'\n"
                             "output odd = x'*a'\noutput side = y'*cos(a) - x'*sin(a)\n"
                             "output moving = x'*cos(a) + y'*sin(a) + sin(t)\n";

static const char *const models[] = {
    SLEIGH,
    // a pendulum in two coordinates
    "param m = 2, L = 1, g = 9.81\ncoord x, y\nkinetic 1/2*m*(x'^2 + y'^2)\n"
    "potential m*g*y\nconstraint rod: x^2 + y^2 = L^2\ninit x = 0.6, y ~ -0.8\n",
    // time in a constraint, a drive, forces of velocity
    "coord x, y, z\nkinetic 1/2*(x'^2 + 2*y'^2 + z'^2) + 1/4*x'*y'*sin(z)\n"
    "potential x*y\ndissipation 1/2*z'^2\nconstraint c: y' = z*x' + sin(t)*z\n"
    "prescribe x = t^2/3\ninit z = 0.5\n",
    // a rolling disc
    "param m = 1, R = 0.5\ncoord x, y, a, b\n"
    "kinetic 1/2*m*(x'^2 + y'^2) + 0.1*a'^2 + 0.2*b'^2\nforce a = 1\n"
    "constraint rx: x' = R*cos(b)*a'\nconstraint ry: y' = R*sin(b)*a'\n",
    // non-ideal forces, actuators
    "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
    "constraint plane: y = x/2\nnonideal power -0.1*x'^2 along x'\n",
    // redundant constraints
    "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential z\n"
    "constraint a: z = x^2 + y^2\nconstraint b: 2*z = 2*x^2 + 2*y^2\n"
    "constraint d: x' = y*y'\n",
    // a loop
    "param L = 1, K = 2.5\ncoord a, c, x\nkinetic a'^2 + 1/2*c'^2 + x'^2\n"
    "potential sin(a)\nconstraint h: L*cos(a) + K*cos(c) = x\n"
    "constraint v: L*sin(a) = K*sin(c)\ninit a = 0.7, c ~ 0.3, x ~ 3\n",
};

typedef struct State {
    double values[SYMBOLS]; // of symbols
    double v[KAL_REDUCTION_MOST];
} State;

static KalDraft draft; // of the system that is reduced

static void reduce(Lab *lab, KalReduction *r, const char *const *names, size_t n)
{
    KalExpr values[KAL_REDUCTION_MOST] = {{0}};
    const KalModel *model = lab->system->model;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < model->n_outputs; k++) {
            if (strcmp(model->outputs[k].name, names[i]) == 0) {
                values[i] = model->outputs[k].value;
            }
        }
    }
    const KalSpeedNames speeds = {names, values, n};
    ok(kal_draft_init(&draft, lab->ctx, lab->system) == KAL_OK);
    if (!ok(kal_reduction_init(r, &draft.equations, &speeds) == KAL_OK)) {
        printf("# %s\n", kal_context_message(lab->ctx));
    }
}

static double value(const KalReduction *r, KalExpr e, const State *s)
{
    double result = NAN;
    ok(kal_eval(r->g, &e, 1, s->values, &result) == KAL_OK);
    return result;
}

static void put(const KalReduction *r, State *s, KalExpr symbol, double x)
{
    s->values[kal_graph_node(r->g, symbol).arg[0].index] = x;
}

static void put_model(const KalReduction *r, State *s, KalExpr symbol, double x)
{
    s->values[kal_graph_node(r->eq->model->graph, symbol).arg[0].index] = x;
}

// A state of the instant's coordinates and random speeds; velocities follow.
static void make_state(Lab *lab, const KalReduction *r, Rng *rng, State *s)
{
    const KalModel *model = lab->system->model;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < model->n_parameters; i++) {
        put_model(r, s, model->parameters[i].symbol, model->parameters[i].number);
    }
    put_model(r, s, model->time, *kal_instant_t(lab->instant));
    for (size_t i = 0; i < r->n; i++) {
        put_model(r, s, model->coordinates[i].q, kal_instant_q(lab->instant)[i]);
    }
    for (size_t j = 0; j < r->k; j++) {
        s->v[j] = rng_entry(rng);
        put(r, s, r->speeds[j].symbol, s->v[j]);
    }
}

// Velocities of a state that went on for a time with constant speeds.
static void velocities_after(const Lab *lab, const KalReduction *r, const State *s,
                             const double *qd, double h, double *out)
{
    const KalModel *model = lab->system->model;
    State moved = *s;
    put_model(r, &moved, model->time, s->values[0] + h);
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t id =
            kal_graph_node(model->graph, model->coordinates[i].q).arg[0].index;
        moved.values[id] += h * qd[i];
    }
    for (size_t i = 0; i < r->n; i++) {
        out[i] = value(r, r->velocity[i], &moved);
    }
}

// The derivatives of the speeds, by elimination.
static void solve_speeds(const KalReduction *r, const State *s, double *x)
{
    double M[KAL_REDUCTION_MOST * KAL_REDUCTION_MOST];
    double work[KAL_REDUCTION_MOST];
    int perm[KAL_REDUCTION_MOST];
    for (size_t i = 0; i < r->k; i++) {
        x[i] = value(r, r->F[i], s);
        for (size_t j = 0; j < r->k; j++) {
            M[i * r->k + j] = value(r, r->M[i * r->k + j], s);
            near(value(r, r->M[j * r->k + i], s), M[i * r->k + j], 1e-12);
        }
    }
    ok(kal_lu_factor((int)r->k, M, perm));
    kal_lu_solve((int)r->k, M, perm, work, x);
}

static void compare(Lab *lab, const KalReduction *r, Rng *rng)
{
    State s;
    KalMotionAnswer answer;
    double qd[KAL_REDUCTION_MOST];
    double rate[KAL_REDUCTION_MOST];
    double after[4][KAL_REDUCTION_MOST];
    make_state(lab, r, rng, &s);
    for (size_t i = 0; i < r->n; i++) {
        qd[i] = value(r, r->velocity[i], &s);
    }
    for (size_t i = 0; i < r->n; i++) { // where velocities are left in formulas
        put_model(r, &s, r->eq->model->coordinates[i].v, qd[i]);
        kal_instant_qd(lab->instant)[i] = qd[i];
    }
    ok(kal_instant_solve(lab->instant, &answer) == KAL_OK);
    solve_speeds(r, &s, rate);
    for (int k = 0; k < 4; k++) {
        const double h = (k < 2 ? k - 2 : k - 1) * STEP;
        velocities_after(lab, r, &s, qd, h, after[k]);
    }
    for (size_t i = 0; i < r->n; i++) {
        double qdd = (after[0][i] - 8.0 * after[1][i] + 8.0 * after[2][i] - after[3][i])
                     / (12.0 * STEP);
        for (size_t j = 0; j < r->k; j++) {
            qdd += value(r, r->S[i * r->k + j], &s) * rate[j];
        }
        near(qdd, answer.qdd[i], 1e-9 * (1.0 + fabs(qdd)));
    }
    for (size_t j = 0; j < r->k; j++) {
        if (r->explicit_form) {
            near(value(r, r->speeds[j].equation, &s), rate[j],
                 1e-11 * (1.0 + fabs(rate[j])));
        }
        if (r->speeds[j].value.index != 0) {
            near(value(r, r->speeds[j].value, &s), s.v[j], 1e-12);
        }
    }
}

static void accelerations_are_those_of_the_full_equations(void)
{
    Rng rng = {.state = 7};
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        Lab lab;
        KalReduction r;
        KalStartReport report;
        if (!lab_expect(&lab, models[k])) {
            continue;
        }
        *kal_instant_t(lab.instant) = 0.4;
        reduce(&lab, &r, NULL, 0);
        for (int round = 0; round < 5 && r.exprs; round++) {
            for (size_t i = 0; i < r.n; i++) {
                kal_instant_q(lab.instant)[i] += 0.1 * rng_entry(&rng);
            }
            ok(kal_instant_start(lab.instant, &report) == KAL_OK);
            compare(&lab, &r, &rng);
        }
        ok(r.explicit_form || k == 6);
        kal_reduction_clear(&r);
        kal_draft_clear(&draft);
        lab_close(&lab);
    }
}

static void speeds_may_be_given(void)
{
    static const char *const choices[][2] = {
        {"along",  "turn" },
        {"turn",   "along"},
        {"moving", "turn" }
    };
    Rng rng = {.state = 8};
    for (size_t c = 0; c < sizeof choices / sizeof choices[0]; c++) {
        Lab lab;
        KalReduction r;
        if (!lab_expect(&lab, SLEIGH)) {
            return;
        }
        reduce(&lab, &r, choices[c], 2);
        for (int round = 0; round < 5 && r.exprs; round++) {
            kal_instant_q(lab.instant)[2] = rng_entry(&rng);
            compare(&lab, &r, &rng);
        }
        kal_reduction_clear(&r);
        kal_draft_clear(&draft);
        lab_close(&lab);
    }
}

static KalStatus fail_with(const char *text, const char *const *names, size_t n,
                           char *message, size_t size)
{
    Lab lab;
    KalReduction r;
    KalExpr values[4] = {{0}};
    if (!lab_expect(&lab, text)) {
        return KAL_OK;
    }
    const KalModel *model = lab.system->model;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < model->n_outputs; k++) {
            if (strcmp(model->outputs[k].name, names[i]) == 0) {
                values[i] = model->outputs[k].value;
            }
        }
    }
    const KalSpeedNames speeds = {names, values, n};
    ok(kal_draft_init(&draft, lab.ctx, lab.system) == KAL_OK);
    const KalStatus status = kal_reduction_init(&r, &draft.equations, &speeds);
    snprintf(message, size, "%s", kal_context_message(lab.ctx));
    kal_reduction_clear(&r);
    kal_draft_clear(&draft);
    lab_close(&lab);
    return status;
}

static void wrong_speeds_are_named(void)
{
    static const char *const three[] = {"along", "turn", "side"};
    static const char *const odd[] = {"odd", "turn"};
    static const char *const side[] = {"side", "turn"};
    char text[400];
    ok(fail_with(SLEIGH, three, 3, text, sizeof text) == KAL_ERR_USAGE);
    has_text(text, "2 velocities are free");
    has_text(text, "along, turn, side");
    ok(fail_with(SLEIGH, odd, 2, text, sizeof text) == KAL_ERR_USAGE);
    has_text(text, "odd is not linear");
    ok(fail_with(SLEIGH, side, 2, text, sizeof text) == KAL_ERR_USAGE);
    has_text(text, "speeds side, turn do not determine");
}

static void what_cannot_be_reduced_is_refused(void)
{
    char text[400];
    ok(fail_with("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                 "constraint pace: x'^2 + y'^2 = 1\ninit x' ~ 1\n",
                 NULL, 0, text, sizeof text)
       == KAL_ERR_FORMULATION);
    has_text(text, "pace is not linear in the velocities");
    ok(fail_with("coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                 "constraint pull: x'' = y''\n",
                 NULL, 0, text, sizeof text)
       == KAL_ERR_FORMULATION);
    has_text(text, "pull is about accelerations only");
    ok(fail_with("coord x, y\nkinetic 1/2*x'^2\n", NULL, 0, text, sizeof text)
       == KAL_ERR_NOT_UNIQUE);
    has_text(text, "singular");
}

static void every_allocation_may_fail(void)
{
    Lab lab;
    KalStatus status = KAL_ERR_NOMEM;
    const KalSpeedNames none = {NULL, NULL, 0};
    if (!lab_expect(&lab, models[1])) {
        return;
    }
    ok(kal_draft_init(&draft, lab.ctx, lab.system) == KAL_OK);
    for (long calls = 0; status != KAL_OK && calls < 5000; calls = fault_next(calls)) {
        KalReduction r;
        lab.fault.calls_left = calls;
        status = kal_reduction_init(&r, &draft.equations, &none);
        lab.fault.calls_left = -1;
        ok(status == KAL_OK || status == KAL_ERR_NOMEM);
        kal_reduction_clear(&r);
        kal_graph_recover(draft.model->graph);
    }
    ok(status == KAL_OK);
    kal_draft_clear(&draft);
    lab_close(&lab);
}

TAP_RUN(TAP_CASE(accelerations_are_those_of_the_full_equations),
        TAP_CASE(speeds_may_be_given), TAP_CASE(wrong_speeds_are_named),
        TAP_CASE(what_cannot_be_reduced_is_refused),
        TAP_CASE(every_allocation_may_fail))

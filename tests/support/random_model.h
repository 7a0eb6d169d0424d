// SPDX-License-Identifier: MIT

/// @file
/// Random models of a few coordinates whose formulas an independent evaluator knows: the
/// text of the model, and each of its formulas as a node of jet.h.
///
/// Formulas have everything the language has, on safe domains, and branches that change
/// anywhere between -50 and 50; states are drawn from -60 to 60, so branches far from 0
/// are in force.

#ifndef SUPPORT_RANDOM_MODEL_H
#define SUPPORT_RANDOM_MODEL_H

#include "jet.h"

enum {
    RANDOM_TEXT = 200000,
    RANDOM_ROWS = 8,
    RANDOM_OUTPUTS = 6,
    RANDOM_LETS = 4,
    RANDOM_REACTION = 0, ///< places of values that are known after a solve: reactions,
    RANDOM_CFORCE = 8,   ///< constraint forces on coordinates,
    RANDOM_ENERGY = 12,  ///< T + V
    RANDOM_CONTROL = 13, ///< inputs
    NO_NODE = -1
};

typedef enum RandomLevel {
    RANDOM_POSITION,
    RANDOM_VELOCITY,
    RANDOM_ACCELERATION
} RandomLevel;

typedef struct RandomRow {
    char name[16];
    RandomLevel level;
    int residual;
} RandomRow;

/// A model: nodes are NO_NODE where it has no such thing.
typedef struct RandomModel {
    Rng rng;
    Jets f;
    char text[RANDOM_TEXT];
    size_t used;
    int n;
    bool time;           ///< formulas may have time in them
    int hidden;          ///< coordinate that is in no formula, or -1
    bool on_constraints; ///< residuals and their rates are zero in the state
    int t;
    int q[JET_N];
    int v[JET_N];
    int a[JET_N];
    int lets[RANDOM_LETS];
    int n_lets;
    int kinetic;
    int potential;
    int dissipation;
    int power;
    int nonideal_power;
    int force[JET_N];
    int nonideal[JET_N];
    int nonideal_of; ///< row whose reaction a non-ideal force uses, or -1
    int mass[JET_N][JET_N];
    RandomRow rows[RANDOM_ROWS];
    int m;
    int outputs[RANDOM_OUTPUTS];
    int n_outputs;
} RandomModel;

static const char *const random_names[JET_N] = {"x", "y", "z", "w"};

static inline void random_say(RandomModel *g, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline void random_say(RandomModel *g, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g->used +=
        (size_t)vsnprintf(g->text + g->used, RANDOM_TEXT - g->used, format, args);
    va_end(args);
    if (g->used >= RANDOM_TEXT) {
        printf("Bail out! a model of a test needs more room\n");
        exit(1);
    }
}

static inline bool random_chance(RandomModel *g, int one_of)
{
    return rng_int(&g->rng, 1, one_of) == 1;
}

/// A number of two digits between -size and size, not near 0.
static inline double random_number(RandomModel *g, double size)
{
    char text[32];
    snprintf(text, sizeof text, "%.2g", rng_entry(&g->rng) * size);
    return strtod(text, NULL);
}

static inline int random_const(RandomModel *g, double size)
{
    return jet_const(&g->f, random_number(g, size));
}

/// A parameter of its own.
static inline int random_parameter(RandomModel *g, double size)
{
    char name[16];
    const int value = random_const(g, size);
    snprintf(name, sizeof name, "p%d", value);
    random_say(g, "param %s = %s\n", name, jet_text(&g->f, value));
    return jet_named(&g->f, value, name);
}

/// A coordinate that formulas may have, by its index.
static inline int random_index(RandomModel *g)
{
    int i = rng_int(&g->rng, 0, g->n - 1);
    if (i == g->hidden) {
        i = (i + 1) % g->n;
    }
    return i;
}

static inline int random_coordinate(RandomModel *g)
{
    if (g->n == 1 && g->hidden == 0) {
        return jet_const(&g->f, 1.0);
    }
    return g->q[random_index(g)];
}

/// A linear function of coordinates and perhaps time.
static inline int random_line(RandomModel *g, double size)
{
    int sum = random_const(g, 3.0 * size);
    for (int k = rng_int(&g->rng, 1, 2); k > 0; k--) {
        sum = jet_add(&g->f, sum,
                      jet_mul(&g->f, random_const(g, size), random_coordinate(g)));
    }
    if (g->time && random_chance(g, 4)) {
        sum = jet_add(&g->f, sum, jet_mul(&g->f, random_const(g, size), g->t));
    }
    return sum;
}

/// Where a branch changes: a line, a coordinate or time against a number far from 0.
static inline int random_comparison(RandomModel *g)
{
    int what = random_coordinate(g);
    if (g->time && random_chance(g, 5)) {
        what = g->t;
    } else if (random_chance(g, 4)) {
        what = random_line(g, 1.0);
    }
    const int far = random_const(g, 50.0);
    return random_chance(g, 2) ? jet_less(&g->f, what, far, rng_int(&g->rng, 0, 3))
                               : jet_less(&g->f, far, what, rng_int(&g->rng, 0, 3));
}

static inline int random_condition(RandomModel *g)
{
    const int one = random_comparison(g);
    switch (rng_int(&g->rng, 0, 7)) {
    case 0: return jet_logic(&g->f, JET_BOTH, one, random_comparison(g));
    case 1: return jet_logic(&g->f, JET_EITHER, one, random_comparison(g));
    case 2: return jet_logic(&g->f, JET_NOT, one, one);
    default: return one;
    }
}

/// A function of one of the simplest kinds, of the order of one.
static inline int random_atom(RandomModel *g)
{
    switch (rng_int(&g->rng, 0, 6)) {
    case 0: return jet_call(&g->f, JET_SIN, random_line(g, 1.0), 0);
    case 1: return jet_call(&g->f, JET_COS, random_line(g, 1.0), 0);
    case 2: return random_const(g, 2.0);
    case 3: return random_parameter(g, 2.0);
    case 4:
        if (g->n_lets > 0) {
            return g->lets[rng_int(&g->rng, 0, g->n_lets - 1)];
        }
        return random_line(g, 0.05);
    default: return random_line(g, 0.05);
    }
}

/// A function of the C library with an argument that it has a value for.
static inline int random_call(RandomModel *g, int a)
{
    static const JetOp anywhere[] = {JET_SIN, JET_COS, JET_ATAN, JET_TANH};
    static const JetOp small[] = {JET_ASIN, JET_ACOS, JET_TAN,
                                  JET_SINH, JET_COSH, JET_EXP};
    static const JetOp positive[] = {JET_SQRT, JET_LOG};
    Jets *f = &g->f;
    const int one = jet_const(f, 1.5);
    const int above = jet_add(f, one, jet_powi(f, a, 2));
    const int within = jet_mul(f, jet_const(f, 0.9), jet_call(f, JET_SIN, a, 0));
    switch (rng_int(&g->rng, 0, 6)) {
    case 0: return jet_call(f, anywhere[rng_int(&g->rng, 0, 3)], a, 0);
    case 1: return jet_call(f, small[rng_int(&g->rng, 0, 5)], within, 0);
    case 2: return jet_call(f, positive[rng_int(&g->rng, 0, 1)], above, 0);
    case 3: return jet_call(f, JET_ATAN2, random_atom(g), above);
    case 4: return jet_call(f, JET_HYPOT, a, one);
    case 5: return jet_pow(f, above, jet_const(f, 1.0 / 4.0 * rng_int(&g->rng, -5, 3)));
    default: return jet_pow(f, jet_add(f, one, within), random_atom(g));
    }
}

/// Piecewise: `a` and `b` are its parts, on this side and on that.
static inline int random_pieces(RandomModel *g, int a, int b)
{
    Jets *f = &g->f;
    const int shifted =
        jet_sum(f, JET_SUB, random_coordinate(g), random_const(g, 50.0));
    switch (rng_int(&g->rng, 0, 8)) {
    case 0: return jet_choose(f, random_condition(g), a, jet_const(f, 0.0));
    case 1: return jet_choose(f, random_condition(g), jet_const(f, 0.0), b);
    case 2: return jet_mul(f, a, jet_call(f, JET_SIGN, shifted, 0));
    case 3: return jet_mul(f, jet_const(f, 0.05), jet_call(f, JET_ABS, shifted, 0));
    case 4:
        return jet_mul(f, a,
                       jet_call(f, JET_MAX, jet_const(f, 0.0),
                                jet_mul(f, jet_const(f, 0.05), shifted)));
    case 5: return jet_call(f, JET_MIN, a, jet_mul(f, jet_const(f, 0.1), shifted));
    case 6: return a == b ? a : jet_call(f, JET_MAX, a, b);
    default: return jet_choose(f, random_condition(g), a, b);
    }
}

/// A function of coordinates and time in steps that combine what was made before.
static inline int random_function(RandomModel *g)
{
    Jets *f = &g->f;
    int made[6] = {random_atom(g), random_atom(g)};
    int n = 2;
    for (int steps = rng_int(&g->rng, 1, 3); steps > 0; steps--) {
        const int a = made[rng_int(&g->rng, 0, n - 1)];
        const int b = made[rng_int(&g->rng, 0, n - 1)];
        switch (rng_int(&g->rng, 0, 7)) {
        case 0: made[n] = jet_add(f, a, b); break;
        case 1: made[n] = jet_mul(f, a, b); break;
        case 2:
            made[n] = jet_sum(f, JET_DIV, a,
                              jet_add(f, jet_const(f, 1.5),
                                      jet_call(f, JET_SIN, random_line(g, 1.0), 0)));
            break;
        case 3: made[n] = random_call(g, a); break;
        case 4: made[n] = jet_powi(f, a, rng_int(&g->rng, 2, 3)); break;
        default: made[n] = random_pieces(g, a, b); break;
        }
        n++;
    }
    return made[n - 1];
}

/// A function under a name of the model.
static inline void random_let(RandomModel *g)
{
    char name[16];
    const int value = random_function(g);
    snprintf(name, sizeof name, "s%d", g->n_lets + 1);
    random_say(g, "let %s = %s\n", name, jet_text(&g->f, value));
    g->lets[g->n_lets++] = jet_named(&g->f, value, name);
}

/// Σ function × velocity, or the rate of a function.
static inline int random_form(RandomModel *g)
{
    Jets *f = &g->f;
    if (g->n_lets > 0 && random_chance(g, 6)) {
        return jet_rate(f, g->lets[rng_int(&g->rng, 0, g->n_lets - 1)]);
    }
    int sum = jet_mul(f, random_const(g, 2.0), g->v[rng_int(&g->rng, 0, g->n - 1)]);
    for (int k = rng_int(&g->rng, 0, g->n); k > 0; k--) {
        sum = jet_add(
            f, sum,
            jet_mul(f, random_function(g), g->v[rng_int(&g->rng, 0, g->n - 1)]));
    }
    return sum;
}

/// A function with velocities in it, seldom linear in them.
static inline int random_of_velocity(RandomModel *g)
{
    Jets *f = &g->f;
    const int form = random_form(g);
    const int v = g->v[rng_int(&g->rng, 0, g->n - 1)];
    const int far = random_const(g, 3.0);
    switch (rng_int(&g->rng, 0, 7)) {
    case 0: return jet_add(f, form, random_function(g));
    case 1: return jet_mul(f, form, random_atom(g));
    case 2: return jet_mul(f, v, form);
    case 3: return jet_mul(f, v, jet_call(f, JET_ABS, v, 0));
    case 4: return jet_choose(f, jet_less(f, v, far, 2), form, random_function(g));
    case 5: return jet_call(f, JET_TANH, jet_mul(f, jet_const(f, 0.1), form), 0);
    case 6:
        return jet_call(f, JET_SQRT,
                        jet_add(f, jet_const(f, 1.0), jet_powi(f, form, 2)), 0);
    default: return form;
    }
}

static inline void random_sum(RandomModel *g, int *sum, int term)
{
    *sum = *sum == NO_NODE ? term : jet_add(&g->f, *sum, term);
}

/// ½ Σ m v² + ½ Σ form².  Coordinates without m may leave the masses singular.
static inline void random_kinetic(RandomModel *g, bool definite)
{
    Jets *f = &g->f;
    const int half = jet_const(f, 0.5);
    for (int i = 0; i < g->n; i++) {
        const bool none = !definite && random_chance(g, 5);
        const int m = jet_const(f, fabs(random_number(g, 3.0)));
        const int term = jet_mul(f, half, jet_mul(f, m, jet_powi(f, g->v[i], 2)));
        if (!none) {
            random_say(g, "kinetic %s\n", jet_text(f, term));
            random_sum(g, &g->kinetic, term);
        }
    }
    for (int k = rng_int(&g->rng, g->kinetic == NO_NODE, 2); k > 0; k--) {
        int speed = random_form(g);
        if (random_chance(g, 3)) {
            speed = jet_add(f, speed, random_function(g));
        }
        const int term = jet_mul(f, half, jet_powi(f, speed, 2));
        random_say(g, "kinetic %s\n", jet_text(f, term));
        random_sum(g, &g->kinetic, term);
    }
}

static inline void random_potential(RandomModel *g)
{
    const int term = random_function(g);
    random_say(g, "potential %s\n", jet_text(&g->f, term));
    random_sum(g, &g->potential, term);
}

static inline void random_dissipation(RandomModel *g)
{
    Jets *f = &g->f;
    const int form = random_form(g);
    const int term = random_chance(g, 2)
                         ? jet_powi(f, form, 2)
                         : jet_mul(f, random_function(g), jet_powi(f, form, 2));
    random_say(g, "dissipation %s\n", jet_text(f, term));
    random_sum(g, &g->dissipation, term);
}

static inline void random_power(RandomModel *g)
{
    Jets *f = &g->f;
    const int term = jet_mul(f, random_function(g), random_form(g));
    random_say(g, "power %s\n", jet_text(f, term));
    random_sum(g, &g->power, term);
}

static inline void random_force(RandomModel *g)
{
    const int i = rng_int(&g->rng, 0, g->n - 1);
    const int term = random_of_velocity(g);
    random_say(g, "force %s = %s\n", random_names[i], jet_text(&g->f, term));
    random_sum(g, &g->force[i], term);
}

/// Entries of M that no energy knows of: positive ones on the diagonal, and beside it a
/// part of the m that random_kinetic() gives at least.
static inline void random_mass(RandomModel *g)
{
    Jets *f = &g->f;
    const int i = rng_int(&g->rng, 0, g->n - 1);
    const int j = random_chance(g, 2) ? i : rng_int(&g->rng, 0, g->n - 1);
    const int size = jet_const(f, i == j ? 1.0 : 0.05);
    const int part = jet_call(f, JET_COS, random_function(g), 0);
    const int entry =
        i == j ? jet_mul(f, size, jet_powi(f, part, 2)) : jet_mul(f, size, part);
    random_say(g, "mass[%s, %s] = %s\n", random_names[i], random_names[j],
               jet_text(f, entry));
    random_sum(g, &g->mass[i > j ? i : j][i > j ? j : i], entry);
}

/// The value of a node in the state, and its rate there without acceleration.
static inline void random_look(RandomModel *g, int node, double out[2])
{
    const Jets *f = &g->f;
    jet_eval(&g->f);
    const Jet *jet = &f->jets[node];
    Real rate = jet->g[0];
    for (int k = 0; k < JET_N; k++) {
        rate += jet->g[JET_Q + k] * f->state[JET_V + k];
    }
    out[0] = (double)jet->v;
    out[1] = (double)rate;
}

/// Subtract what makes a residual, and the rate of one on positions, zero in the state.
static inline int random_settle(RandomModel *g, int residual, RandomLevel level)
{
    Jets *f = &g->f;
    double at[2];
    random_look(g, residual, at);
    int out = jet_sum(f, JET_SUB, residual, jet_const(f, at[0]));
    if (level == RANDOM_POSITION) {
        const int since = jet_sum(f, JET_SUB, g->t, jet_const(f, (double)f->state[0]));
        out = jet_sum(f, JET_SUB, out, jet_mul(f, jet_const(f, at[1]), since));
    }
    return out;
}

static inline void random_row(RandomModel *g, RandomLevel level, int residual)
{
    RandomRow *row = &g->rows[g->m++];
    row->level = level;
    row->residual = residual;
    snprintf(row->name, sizeof row->name, "c%d", g->m);
    random_say(g, "constraint %s: %s = 0\n", row->name, jet_text(&g->f, residual));
}

/// A factor with a digit that no other number has, so that terms never cancel exactly.
static inline int random_odd(RandomModel *g, double size)
{
    char text[32];
    snprintf(text, sizeof text, "%.5f", random_number(g, size) + 0.00013);
    return jet_const(&g->f, strtod(text, NULL));
}

/// A constraint that has nothing to do with the others.
static inline void random_constraint(RandomModel *g)
{
    Jets *f = &g->f;
    const RandomLevel level = (RandomLevel)rng_int(&g->rng, 0, 2);
    const int i = rng_int(&g->rng, 0, g->n - 1);
    int residual = NO_NODE;
    if (level == RANDOM_POSITION) {
        residual =
            jet_add(f, jet_mul(f, random_odd(g, 1.0), g->q[i]), random_function(g));
    } else if (level == RANDOM_VELOCITY) {
        residual =
            jet_add(f, jet_mul(f, random_odd(g, 2.0), g->v[i]), random_of_velocity(g));
    } else {
        residual = jet_mul(f, random_odd(g, 2.0), g->a[i]);
        for (int k = rng_int(&g->rng, 0, 2); k > 0; k--) {
            const int j = rng_int(&g->rng, 0, g->n - 1);
            residual = jet_add(f, residual, jet_mul(f, random_function(g), g->a[j]));
        }
        residual = jet_add(f, residual, random_of_velocity(g));
    }
    if (g->on_constraints && level != RANDOM_ACCELERATION) {
        residual = random_settle(g, residual, level);
    }
    random_row(g, level, residual);
}

/// A force that does no work, of two coordinates on each other.
static inline void random_gyration(RandomModel *g)
{
    Jets *f = &g->f;
    const int B = random_function(g);
    const int i = rng_int(&g->rng, 0, g->n - 2);
    const int one = jet_mul(f, B, g->v[i + 1]);
    const int other = jet_call(f, JET_NEG, jet_mul(f, B, g->v[i]), 0);
    random_say(g, "force %s = %s\nforce %s = %s\n", random_names[i], jet_text(f, one),
               random_names[i + 1], jet_text(f, other));
    random_sum(g, &g->force[i], one);
    random_sum(g, &g->force[i + 1], other);
}

/// A constraint linear in the velocities.
static inline void random_pfaffian(RandomModel *g)
{
    Jets *f = &g->f;
    int residual = jet_mul(f, random_odd(g, 2.0), g->v[rng_int(&g->rng, 0, g->n - 1)]);
    residual = jet_add(f, residual, random_form(g));
    if (random_chance(g, 4)) {
        residual = jet_add(f, residual, random_function(g));
    }
    random_row(g, RANDOM_VELOCITY, residual);
}

/// A constraint that says again what others of its level say.
static inline void random_copy(RandomModel *g)
{
    Jets *f = &g->f;
    const RandomRow *one = &g->rows[rng_int(&g->rng, 0, g->m - 1)];
    const RandomRow *other = &g->rows[rng_int(&g->rng, 0, g->m - 1)];
    int residual = jet_mul(f, random_const(g, 3.0), one->residual);
    if (random_chance(g, 3) && g->on_constraints) {
        const int factor =
            jet_add(f, jet_const(f, 1.5), jet_powi(f, random_atom(g), 2));
        residual = jet_mul(f, factor, one->residual);
    } else if (other != one && other->level == one->level) {
        residual =
            jet_add(f, residual, jet_mul(f, random_const(g, 2.0), other->residual));
    }
    random_row(g, one->level, residual);
}

static inline void random_drive(RandomModel *g)
{
    Jets *f = &g->f;
    const int i = rng_int(&g->rng, 0, g->n - 1);
    const int size = random_const(g, 2.0);
    const int wave = jet_call(f, JET_SIN, jet_mul(f, random_const(g, 1.0), g->t), 0);
    const int late = jet_call(f, JET_MAX, jet_const(f, 0.0),
                              jet_sum(f, JET_SUB, g->t, random_const(g, 50.0)));
    const int law = jet_mul(f, size, random_chance(g, 2) ? wave : jet_powi(f, late, 2));
    RandomRow *row = &g->rows[g->m++];
    row->level = RANDOM_POSITION;
    row->residual = jet_sum(f, JET_SUB, g->q[i], law);
    snprintf(row->name, sizeof row->name, "drive(%s)", random_names[i]);
    random_say(g, "prescribe %s = %s\n", random_names[i], jet_text(f, law));
}

/// All that is not ideal; with `of`, a share of the reaction of that row.
static inline void random_nonideal(RandomModel *g, int of)
{
    Jets *f = &g->f;
    const int i = rng_int(&g->rng, 0, g->n - 1);
    if (of < 0 && random_chance(g, 3)) {
        g->nonideal_power = jet_mul(f, random_function(g), random_form(g));
        random_say(g, "nonideal power %s\n", jet_text(f, g->nonideal_power));
        return;
    }
    int term = random_of_velocity(g);
    if (of >= 0) {
        char text[32];
        g->nonideal_of = of;
        snprintf(text, sizeof text, "reaction(%.15s)", g->rows[of].name);
        term = jet_mul(f, jet_mul(f, jet_const(f, 0.3), random_function(g)),
                       jet_given(f, RANDOM_REACTION + of, text));
    }
    random_say(g, "nonideal %s = %s\n", random_names[i], jet_text(f, term));
    random_sum(g, &g->nonideal[i], term);
}

static inline void random_output(RandomModel *g, int node)
{
    random_say(g, "output o%d = %s\n", g->n_outputs + 1, jet_text(&g->f, node));
    g->outputs[g->n_outputs++] = node;
}

/// Outputs of all kinds.
static inline void random_outputs(RandomModel *g)
{
    Jets *f = &g->f;
    char text[32];
    const int i = rng_int(&g->rng, 0, g->n - 1);
    snprintf(text, sizeof text, "cforce(%s)", random_names[i]);
    random_output(g, random_of_velocity(g));
    random_output(g, jet_given(f, RANDOM_ENERGY, "energy()"));
    random_output(g, jet_given(f, RANDOM_CFORCE + i, text));
    random_output(g, jet_mul(f, random_function(g), g->a[i]));
    random_output(g, jet_rate(f, jet_rate(f, random_function(g))));
    if (g->m > 0 && g->rows[0].name[0] == 'c') {
        random_output(g, jet_given(f, RANDOM_REACTION, "reaction(c1)"));
    }
}

/// Another state: the margin tells how far it is from a change of branch.
static inline void random_state(RandomModel *g)
{
    Jets *f = &g->f;
    const double speed = random_chance(g, 4) ? 60.0 : 3.0;
    memset(f->state, 0, sizeof f->state);
    f->state[0] = 60.0 * (2.0 * rng_unit(&g->rng) - 1.0);
    for (int i = 0; i < g->n; i++) {
        f->state[JET_Q + i] = 60.0 * (2.0 * rng_unit(&g->rng) - 1.0);
        f->state[JET_V + i] = speed * (2.0 * rng_unit(&g->rng) - 1.0);
    }
}

/// A model with n coordinates and nothing else.
static inline void random_begin(RandomModel *g, uint64_t seed, int n)
{
    char name[16];
    g->rng = (Rng){seed};
    jet_begin(&g->f);
    g->text[0] = '\0';
    g->used = 0;
    g->n = n;
    g->time = true;
    g->hidden = -1;
    g->nonideal_of = -1;
    g->on_constraints = false;
    g->n_lets = 0;
    g->m = 0;
    g->n_outputs = 0;
    g->kinetic = g->potential = g->dissipation = NO_NODE;
    g->power = g->nonideal_power = NO_NODE;
    g->t = jet_variable(&g->f, 0, "t");
    for (int i = 0; i < JET_N; i++) {
        g->force[i] = g->nonideal[i] = NO_NODE;
        for (int j = 0; j < JET_N; j++) {
            g->mass[i][j] = NO_NODE;
        }
    }
    for (int i = 0; i < n; i++) {
        random_say(g, "coord %s\n", random_names[i]);
        g->q[i] = jet_variable(&g->f, JET_Q + i, random_names[i]);
        snprintf(name, sizeof name, "%s'", random_names[i]);
        g->v[i] = jet_variable(&g->f, JET_V + i, name);
        snprintf(name, sizeof name, "%s''", random_names[i]);
        g->a[i] = jet_variable(&g->f, JET_A + i, name);
    }
    random_state(g);
}

#endif

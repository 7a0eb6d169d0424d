// SPDX-License-Identifier: MIT

/// @file
/// Random mechanisms of the parts of `use spatial`: chains, trees and loops, some of which
/// have more joints than they need, as the text of a model and for rigid.h.
///
/// All that a mechanism consists of follows from its seed.  Bodies are placed first; joints
/// are then made to fit.

#ifndef SUPPORT_MECHANISM_H
#define SUPPORT_MECHANISM_H

#include "rigid.h"
#include "rng.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <stdarg.h>
#include <stdlib.h>

enum {
    MECHANISM_TEXT = 1 << 14
};

// A mechanism in the making, and what is known of it
typedef struct Mechanism {
    Rng rng;
    const char *family;
    RigidSystem system;
    Real y[RIGID_STATE]; // the start
    Real mass;           // a usual one
    bool mixed;          // masses over six decades
    bool neat;           // arms along axes, bodies not turned
    bool weightless;
    bool tree;   // no loops: rank is never lost
    bool passes; // goes through places where rank is lost
    double until;
    char text[MECHANISM_TEXT];
    size_t used;
} Mechanism;

// Numbers

static inline bool chance(Mechanism *mech, double probability)
{
    return rng_unit(&mech->rng) < probability;
}

static inline Real between(Mechanism *mech, double low, double high)
{
    return low + (high - low) * rng_unit(&mech->rng);
}

static inline Real digits(Real x, int count)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*Lg", count, x);
    return (Real)strtod(text, NULL);
}

// What the text of the model says: a number with few decimals if it is to be neat.
static inline Real written(const Mechanism *mech, Real x)
{
    return mech->neat ? (Real)(double)(roundl(x * 1e6L) / 1e6L) : (Real)(double)x;
}

static inline void write_all(const Mechanism *mech, Real *x, int n)
{
    for (int i = 0; i < n; i++) {
        x[i] = written(mech, x[i]);
    }
}

static inline void random_direction(Mechanism *mech, Real *u)
{
    do {
        for (int i = 0; i < 3; i++) {
            u[i] = between(mech, -1.0, 1.0);
        }
    } while (rigid_dot(u, u) > 1.0L || rigid_dot(u, u) < 0.1L);
    rigid_normalize(u, 3);
}

static inline void axis_direction(Mechanism *mech, Real *u)
{
    memset(u, 0, 3 * sizeof *u);
    u[rng_int(&mech->rng, 0, 2)] = chance(mech, 0.5) ? 1.0L : -1.0L;
}

static inline void any_direction(Mechanism *mech, Real *u)
{
    if (mech->neat || chance(mech, 0.3)) {
        axis_direction(mech, u);
    } else {
        random_direction(mech, u);
    }
}

static inline void any_arm(Mechanism *mech, Real *arm)
{
    const Real length = digits(between(mech, 0.2, 0.9), 2);
    any_direction(mech, arm);
    for (int i = 0; i < 3; i++) {
        arm[i] *= length;
    }
}

static inline void any_turn(Mechanism *mech, Real *e)
{
    e[0] = 1.0L;
    e[1] = e[2] = e[3] = 0.0L;
    if (!mech->neat && chance(mech, 0.6)) {
        random_direction(mech, e + 1);
        e[0] = between(mech, -1.0, 1.0);
        rigid_normalize(e, 4);
    }
}

// Bodies

static inline Real any_mass(Mechanism *mech)
{
    const Real decades = between(mech, -1.0, 1.0);
    const Real m = mech->mixed ? powl(10.0L, 3.0L * decades)
                               : mech->mass * powl(10.0L, 0.7L * decades);
    return digits(fminl(fmaxl(m, 1e-3L), 1e3L), 2);
}

// Ball, rod or plate along an axis, or none of them.
static inline void any_inertia(Mechanism *mech, RigidBody *body)
{
    const Real size = between(mech, 0.1, 0.5);
    const Real most = body->m * size * size;
    const int shape = rng_int(&mech->rng, 0, 3);
    const int axis = rng_int(&mech->rng, 0, 2);
    const Real ratio = powl(10.0L, between(mech, -2.0, 0.0));
    Real least = most;
    for (int i = 0; i < 3; i++) {
        Real value = shape == 3 ? most * between(mech, 0.5, 1.0) : most;
        value *= shape > 0 && shape < 3 && (i == axis) == (shape == 1) ? ratio : 1.0L;
        body->inertia[4 * i] = digits(value, 2);
        least = fminl(least, body->inertia[4 * i]);
    }
    for (int i = 0; shape == 3 && i < 3; i++) {
        const int j = (i + 1) % 3;
        const Real product = digits(0.3L * least * between(mech, -1.0, 1.0), 2);
        body->inertia[3 * i + j] = body->inertia[3 * j + i] = product;
    }
}

static inline int add_body(Mechanism *mech, const Real *r, const Real *e)
{
    const int index = mech->system.n_bodies++;
    RigidBody *body = &mech->system.bodies[index];
    Real *y = mech->y + RIGID_NUMBERS * index;
    body->m = any_mass(mech);
    any_inertia(mech, body);
    body->gravity[2] = mech->weightless ? 0.0L : (Real)-9.81;
    memcpy(y, r, 3 * sizeof *y);
    memcpy(y + 3, e, 4 * sizeof *y);
    write_all(mech, y, 3);
    for (int i = 3; i < 7; i++) {
        y[i] = (Real)(double)y[i];
    }
    return index;
}

// Joints, as bodies are now

static inline void place_in(const Mechanism *mech, int body, const Real *p, Real *out)
{
    RigidFrame frame;
    Real arm[3];
    rigid_frame(mech->y, body, &frame);
    memcpy(arm, p, sizeof arm);
    rigid_add(-1.0L, frame.r, arm);
    rigid_back(frame.R, arm, out);
    write_all(mech, out, 3);
}

static inline void direction_in(const Mechanism *mech, int body, const Real *u,
                                Real *out)
{
    RigidFrame frame;
    rigid_frame(mech->y, body, &frame);
    rigid_back(frame.R, u, out);
    write_all(mech, out, 3);
    rigid_normalize(out, 3);
}

static inline void relative_turn(const Mechanism *mech, RigidJoint *joint)
{
    static const Real none[4] = {1.0L, 0.0L, 0.0L, 0.0L};
    const Real *a =
        joint->a == RIGID_GROUND ? none : mech->y + RIGID_NUMBERS * joint->a + 3;
    const Real *b = mech->y + RIGID_NUMBERS * joint->b + 3;
    Real across[3];
    rigid_cross(a + 1, b + 1, across);
    joint->turn[0] = (Real)(double)(a[0] * b[0] + rigid_dot(a + 1, b + 1));
    for (int i = 1; i < 4; i++) {
        joint->turn[i] = (Real)(double)(a[0] * b[i] - b[0] * a[i] - across[i - 1]);
    }
}

static inline RigidJoint *add_joint(Mechanism *mech, RigidJointKind kind, int a, int b,
                                    const Real *p, const Real *axis)
{
    RigidJoint *joint = &mech->system.joints[mech->system.n_joints++];
    Real normals[2][3];
    rigid_normals(axis, normals);
    *joint = (RigidJoint){.kind = kind, .a = a, .b = b};
    place_in(mech, a, p, joint->at_a);
    place_in(mech, b, p, joint->at_b);
    direction_in(mech, a, axis, joint->axis_a);
    direction_in(mech, b, kind == RIGID_UNIVERSAL ? normals[0] : axis, joint->axis_b);
    rigid_normals(joint->axis_a, joint->normal_a);
    rigid_normals(joint->axis_b, joint->normal_b);
    if (kind == RIGID_WELD) {
        relative_turn(mech, joint);
    } else if (kind == RIGID_PRISMATIC) {
        joint->turned = written(mech, rigid_angle(joint, mech->y));
    }
    return joint;
}

static inline void add_rod(Mechanism *mech, int a, int b, const Real *p, const Real *q)
{
    static const Real along[3] = {0.0L, 0.0L, 1.0L};
    RigidJoint *joint = add_joint(mech, RIGID_DISTANCE, a, b, p, along);
    RigidPair pair;
    place_in(mech, b, q, joint->at_b);
    rigid_pair(joint, mech->y, &pair);
    joint->length = (Real)(double)sqrtl(rigid_dot(pair.d, pair.d));
}

static inline bool is_hinge(const RigidJoint *joint)
{
    return joint->kind == RIGID_REVOLUTE || joint->kind == RIGID_CYLINDRICAL;
}

static inline bool is_slider(const RigidJoint *joint)
{
    return joint->kind == RIGID_PRISMATIC;
}

// A joint of a kind, or -1.
static inline int any_joint(Mechanism *mech, bool (*is_kind)(const RigidJoint *))
{
    const int first = rng_int(&mech->rng, 0, mech->system.n_joints);
    for (int i = 0; i < mech->system.n_joints; i++) {
        const int k = (first + i) % mech->system.n_joints;
        if (is_kind(&mech->system.joints[k])) {
            return k;
        }
    }
    return -1;
}

static inline int rank_of_joints(const Mechanism *mech)
{
    RigidSingular s;
    int rank = 0;
    rigid_singular(&mech->system, mech->y, &s);
    while (rank < s.m && s.values[rank] > 1e-3L) {
        rank++;
    }
    return rank;
}

// Drive a hinge or, where there is none, a slider, if it can move.
static inline void add_drive(Mechanism *mech, double probability)
{
    int of = any_joint(mech, is_hinge);
    of = of < 0 ? any_joint(mech, is_slider) : of;
    const int rank = rank_of_joints(mech);
    if (of < 0 || !chance(mech, probability)) {
        return;
    }
    RigidJoint *joint = &mech->system.joints[mech->system.n_joints++];
    *joint = mech->system.joints[of];
    joint->kind = is_slider(joint) ? RIGID_SLIDE : RIGID_DRIVE;
    joint->length = (Real)of;
    joint->rate =
        digits(between(mech, 0.5, 3.0) * (chance(mech, 0.5) ? 1.0L : -1.0L), 2);
    if (rank_of_joints(mech) == rank) {
        mech->system.n_joints--;
    }
}

// Springs and dampers

static inline void add_between(Mechanism *mech, RigidForce *force)
{
    const int n = mech->system.n_bodies;
    RigidPair pair;
    Real arm[3];
    force->b = rng_int(&mech->rng, 0, n - 1);
    force->a = rng_int(&mech->rng, mech->weightless && n > 1 ? 0 : RIGID_GROUND, n - 1);
    force->a =
        force->a == force->b ? (n > 1 ? (force->b + 1) % n : RIGID_GROUND) : force->a;
    for (int i = 0; i < 2; i++) {
        any_arm(mech, arm);
        write_all(mech, arm, 3);
        memcpy(i == 0 ? force->at_a : force->at_b, arm, sizeof arm);
    }
    rigid_force_pair(force, mech->y, &pair);
    const Real distance = sqrtl(rigid_dot(pair.d, pair.d));
    if (force->kind != RIGID_BUSHING && distance < 0.3L) {
        mech->system.n_forces--; // the ends must not meet
    } else if (force->kind == RIGID_SPRING) {
        force->rest = digits(distance * between(mech, 0.6, 1.2), 2);
    }
}

static inline void add_at_joint(Mechanism *mech, RigidForce *force)
{
    force->joint = any_joint(mech, is_hinge);
    if (force->joint < 0) {
        mech->system.n_forces--;
        return;
    }
    const RigidJoint *joint = &mech->system.joints[force->joint];
    force->b = joint->b;
    force->a = joint->a;
    if (force->kind == RIGID_TORSION_SPRING) {
        force->rest = digits(rigid_angle(joint, mech->y) + between(mech, -0.5, 0.5), 2);
    }
}

// Forces about as strong as weights, of the lighter of the bodies.
static inline void add_force(Mechanism *mech)
{
    RigidForce *force = &mech->system.forces[mech->system.n_forces++];
    *force = (RigidForce){.kind = (RigidForceKind)rng_int(&mech->rng, 0, RIGID_MOTOR)};
    const int before = mech->system.n_forces;
    if (rigid_turns(force)) {
        add_at_joint(mech, force);
    } else {
        add_between(mech, force);
    }
    if (mech->system.n_forces < before) {
        return;
    }
    const RigidBody *bodies = mech->system.bodies;
    Real m = bodies[force->b].m;
    m = force->a >= 0 ? fminl(m, bodies[force->a].m) : m;
    const Real arm = rigid_turns(force) ? 0.05L : 1.0L;
    const bool stiff =
        force->kind != RIGID_DAMPER && force->kind != RIGID_TORSION_DAMPER;
    const bool damps = force->kind != RIGID_SPRING
                       && force->kind != RIGID_TORSION_SPRING
                       && (!stiff || chance(mech, 0.3));
    force->k = stiff ? digits(m * arm * between(mech, 3.0, 60.0), 2) : 0.0L;
    force->c = damps ? digits(m * arm * between(mech, 0.2, 3.0), 2) : 0.0L;
}

static inline void add_forces(Mechanism *mech, double probability)
{
    for (int i = 0; i < 3 && chance(mech, probability); i++) {
        add_force(mech);
    }
}

// Velocities

static inline void set_spins(Mechanism *mech, Real size)
{
    for (int i = 0; i < mech->system.n_bodies; i++) {
        for (int k = 7; k < RIGID_NUMBERS; k++) {
            mech->y[RIGID_NUMBERS * i + k] = size * between(mech, -1.0, 1.0);
        }
    }
}

static inline void spin_some(Mechanism *mech)
{
    if (chance(mech, 0.5)) {
        set_spins(mech, between(mech, 0.3, 5.0));
    }
}

// Families

static inline int grow(Mechanism *mech, RigidJointKind kind, int parent)
{
    RigidFrame frame;
    Real p[3];
    Real arm[3];
    Real rod[3] = {0.0L, 0.0L, 0.0L};
    Real axis[3];
    Real e[4];
    any_arm(mech, arm);
    rigid_frame(mech->y, parent, &frame);
    rigid_times(frame.R, arm, p);
    rigid_add(1.0L, frame.r, p);
    if (parent == RIGID_GROUND && chance(mech, 0.5)) {
        memset(p, 0, sizeof p);
    }
    if (kind == RIGID_DISTANCE) {
        any_arm(mech, rod);
    }
    Real q[3];
    Real r[3];
    memcpy(q, p, sizeof q);
    rigid_add(1.0L, rod, q);
    any_turn(mech, e);
    any_arm(mech, arm);
    memcpy(r, q, sizeof r);
    rigid_add(1.0L, arm, r);
    const int body = add_body(mech, r, e);
    any_direction(mech, axis);
    if (kind == RIGID_DISTANCE) {
        add_rod(mech, parent, body, p, q);
    } else {
        (void)add_joint(mech, kind, parent, body, p, axis);
    }
    return body;
}

static inline RigidJointKind any_kind(Mechanism *mech)
{
    return (RigidJointKind)rng_int(&mech->rng, RIGID_BALL, RIGID_DISTANCE);
}

static inline void make_tree_of(Mechanism *mech, int bodies, bool chain)
{
    for (int i = 0; i < bodies; i++) {
        const int parent = chain || i == 0 ? i - 1 : rng_int(&mech->rng, -1, i - 1);
        (void)grow(mech, any_kind(mech), parent);
    }
    mech->tree = true;
    add_drive(mech, 0.2);
    add_forces(mech, 0.4);
    spin_some(mech);
}

static inline void make_single(Mechanism *mech)
{
    mech->neat = chance(mech, 0.7);
    make_tree_of(mech, 1, true);
}

static inline void make_neat_chain(Mechanism *mech)
{
    mech->neat = true;
    make_tree_of(mech, rng_int(&mech->rng, 2, RIGID_BODIES), true);
}

static inline void make_chain(Mechanism *mech)
{
    make_tree_of(mech, rng_int(&mech->rng, 2, RIGID_BODIES), true);
}

static inline void make_tree(Mechanism *mech)
{
    mech->neat = chance(mech, 0.5);
    make_tree_of(mech, rng_int(&mech->rng, 3, RIGID_BODIES), false);
}

static inline int rows_of(const Mechanism *mech)
{
    RigidRow rows[RIGID_ROWS];
    return rigid_rows(&mech->system, mech->y, rows);
}

// A chain that goes back to the ground, with freedom left.
static inline void make_loop(Mechanism *mech)
{
    static const RigidJointKind kinds[6] = {RIGID_REVOLUTE,  RIGID_UNIVERSAL,
                                            RIGID_BALL,      RIGID_CYLINDRICAL,
                                            RIGID_PRISMATIC, RIGID_WELD};
    static const RigidJointKind last[3] = {RIGID_BALL, RIGID_UNIVERSAL, RIGID_REVOLUTE};
    const int bodies = rng_int(&mech->rng, 2, RIGID_BODIES);
    int end = RIGID_GROUND;
    for (int i = 0; i < bodies; i++) {
        end = grow(mech, kinds[rng_int(&mech->rng, 0, i < 2 ? 3 : 5)], end);
    }
    RigidFrame frame;
    Real p[3];
    Real q[3];
    Real axis[3];
    any_arm(mech, p);
    rigid_frame(mech->y, end, &frame);
    rigid_add(1.0L, frame.r, p);
    random_direction(mech, axis);
    const int freedom = 6 * bodies - rows_of(mech);
    const int kind = rng_int(&mech->rng, 0, 3);
    if (kind == 3 || freedom <= 3 + kind) {
        memcpy(q, p, sizeof q);
        rigid_add(0.5L, axis, q);
        add_rod(mech, RIGID_GROUND, end, q, p);
    } else {
        (void)add_joint(mech, last[kind], RIGID_GROUND, end, p, axis);
    }
    add_drive(mech, freedom > 5 ? 0.3 : 0.0);
    add_forces(mech, 0.4);
    spin_some(mech);
}

static inline void middle(const Real *p, const Real *q, Real *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = 0.5L * (p[i] + q[i]);
    }
}

// Bodies from corner to corner, hinged to the ground at the first and last.
static inline void make_hinged(Mechanism *mech, Real corners[4][3], Real axes[4][3])
{
    for (int i = 0; i < 3; i++) {
        Real r[3];
        Real e[4];
        middle(corners[i], corners[i + 1], r);
        any_turn(mech, e);
        (void)add_body(mech, r, e);
    }
    for (int i = 0; i < 4; i++) {
        const int before = i == 3 ? RIGID_GROUND : i - 1; // the ground is always a
        const int after = i == 3 ? 2 : i;
        (void)add_joint(mech, RIGID_REVOLUTE, before, after, corners[i], axes[i]);
    }
}

// Points of a plane through the origin that is at right angles to an axis.
static inline void in_plane(const Real *axis, Real u, Real v, Real *out)
{
    Real normals[2][3];
    rigid_normals(axis, normals);
    memset(out, 0, 3 * sizeof *out);
    rigid_add(u, normals[0], out);
    rigid_add(v, normals[1], out);
}

// The speed of what has one freedom, for a body to turn at a rate.
static inline void turn_at(Mechanism *mech, int body, Real rate)
{
    set_spins(mech, 1.0L);
    mech->system.rank = -1;
    (void)rigid_project_velocities(&mech->system, mech->y);
    const Real *w = mech->y + RIGID_NUMBERS * body + 10;
    const Real factor = rate / sqrtl(rigid_dot(w, w));
    for (int i = 0; i < mech->system.n_bodies; i++) {
        for (int k = 7; k < RIGID_NUMBERS; k++) {
            mech->y[RIGID_NUMBERS * i + k] *= factor;
        }
    }
}

static inline void make_four_bar_of(Mechanism *mech, bool parallelogram)
{
    Real axis[3];
    Real axes[4][3];
    Real corners[4][3];
    const Real u = digits(between(mech, -0.3, 0.3), 2);
    const Real v = digits(between(mech, 0.3, 0.6), 2);
    const Real ground = digits(between(mech, 0.7, 1.2), 2);
    const Real shift = parallelogram ? 0.0L : digits(between(mech, 0.1, 0.4), 2);
    const Real lift = parallelogram ? 0.0L : digits(between(mech, 0.1, 0.4), 2);
    any_direction(mech, axis);
    for (int i = 0; i < 4; i++) {
        memcpy(axes[i], axis, sizeof axis);
    }
    in_plane(axis, 0.0L, 0.0L, corners[0]);
    in_plane(axis, u, v, corners[1]);
    in_plane(axis, u + ground + shift, v + lift, corners[2]);
    in_plane(axis, ground, 0.0L, corners[3]);
    make_hinged(mech, corners, axes);
}

static inline void make_four_bar(Mechanism *mech)
{
    mech->neat = chance(mech, 0.5);
    make_four_bar_of(mech, false);
    add_drive(mech, 0.4);
    add_forces(mech, 0.3);
    spin_some(mech);
}

static inline void make_parallelogram(Mechanism *mech)
{
    mech->neat = chance(mech, 0.5);
    mech->passes = true;
    mech->weightless = true;
    make_four_bar_of(mech, true);
    turn_at(mech, 0, between(mech, 3.0, 6.0));
}

// Rz(theta) Tx(a) Rx(alpha) after what was before: rotation R, place p.
static inline void go_along(Real *R, Real *p, Real theta, Real a, Real alpha)
{
    Real next[9];
    const Real c = cosl(theta);
    const Real s = sinl(theta);
    const Real ca = cosl(alpha);
    const Real sa = sinl(alpha);
    const Real T[9] = {c, -s * ca, s * sa, s, c * ca, -c * sa, 0.0L, sa, ca};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const Real column[3] = {T[k], T[3 + k], T[6 + k]};
            next[3 * i + k] = rigid_dot(R + 3 * i, column);
        }
    }
    const Real step[3] = {a * c, a * s, 0.0L};
    Real moved[3];
    rigid_times(R, step, moved);
    rigid_add(1.0L, moved, p);
    memcpy(R, next, sizeof next);
}

// Bennett's linkage: opposite links equal, sin(alpha)/a = sin(beta)/b.
static inline void make_bennett(Mechanism *mech)
{
    const Real alpha = between(mech, 0.4, 1.2);
    const Real beta = between(mech, 1.3, 2.2);
    const Real a = digits(between(mech, 0.4, 0.9), 2);
    const Real b = a * sinl(beta) / sinl(alpha);
    const Real theta = between(mech, 0.5, 2.4);
    const Real other = 2.0L
                       * atanl(sinl(0.5L * (beta + alpha)) / sinl(0.5L * (beta - alpha))
                               / tanl(0.5L * theta));
    const Real angles[4] = {theta, other, -theta, -other};
    Real R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    Real p[3] = {0.0L, 0.0L, 0.0L};
    Real corners[4][3];
    Real axes[4][3];
    for (int i = 0; i < 4; i++) {
        const Real axis[3] = {R[2], R[5], R[8]};
        memcpy(corners[i], p, sizeof p);
        memcpy(axes[i], axis, sizeof axis);
        go_along(R, p, angles[i], i % 2 == 0 ? a : b, i % 2 == 0 ? alpha : beta);
    }
    ok(fabsl(rigid_dot(p, p)) < 1e-30L); // it closes
    make_hinged(mech, corners, axes);
    add_drive(mech, 0.5);
    add_forces(mech, 0.2);
    spin_some(mech);
}

// A door: two hinges on one line.
static inline void make_door(Mechanism *mech)
{
    Real axis[3];
    Real r[3];
    Real p[3] = {0.0L, 0.0L, 0.0L};
    Real e[4];
    mech->neat = chance(mech, 0.5);
    any_direction(mech, axis);
    any_turn(mech, e);
    in_plane(axis, digits(between(mech, 0.2, 0.8), 2),
             digits(between(mech, -0.5, 0.5), 2), r);
    const int body = add_body(mech, r, e);
    const Real high = digits(between(mech, 0.3, 1.0), 2);
    rigid_add(high, axis, p);
    (void)add_joint(mech, RIGID_REVOLUTE, RIGID_GROUND, body, p, axis);
    rigid_add(-2.0L * high, axis, p);
    (void)add_joint(mech, chance(mech, 0.5) ? RIGID_REVOLUTE : RIGID_CYLINDRICAL,
                    RIGID_GROUND, body, p, axis);
    add_drive(mech, 0.3);
    add_forces(mech, 0.3);
    spin_some(mech);
}

// A plate on parallel rods of one length: three, or four around its center, one too many.
static inline void make_rods(Mechanism *mech)
{
    Real w[3];
    Real r[3];
    Real e[4];
    const bool four = chance(mech, 0.5);
    mech->neat = chance(mech, 0.5);
    any_turn(mech, e);
    any_arm(mech, w);
    w[2] = -fabsl(w[2]) - 0.5L;
    memcpy(r, w, sizeof r);
    const int body = add_body(mech, r, e);
    for (int i = 0; i < (four ? 4 : 3); i++) {
        const Real size = 0.5L;
        Real p[3] = {i % 2 == 0 ? size : 0.0L, i % 2 == 1 ? size : 0.0L, 0.0L};
        Real q[3];
        if (i >= 2) {
            p[0] = -p[0];
            p[1] = -p[1];
        }
        memcpy(q, p, sizeof q);
        rigid_add(1.0L, w, q);
        add_rod(mech, RIGID_GROUND, body, p, q);
    }
    if (chance(mech, 0.5)) {
        Real push[3];
        Real side[3];
        random_direction(mech, push);
        rigid_cross(push, w, side); // swings, and does not turn
        rigid_add(1.0L, side, mech->y + 7);
    } else if (!four) {
        spin_some(mech);
    }
    add_forces(mech, four ? 0.0 : 0.4); // four are as parallel as they are without
}

// A platform on three parallel cranks.
static inline void make_cranks(Mechanism *mech)
{
    Real axis[3];
    Real w[3];
    Real feet[3][3];
    Real r[3];
    Real e[4];
    mech->neat = chance(mech, 0.5);
    any_direction(mech, axis);
    in_plane(axis, digits(between(mech, -0.3, 0.3), 2),
             digits(between(mech, 0.3, 0.6), 2), w);
    in_plane(axis, 0.0L, 0.0L, feet[0]);
    in_plane(axis, digits(between(mech, 0.5, 0.9), 2), 0.0L, feet[1]);
    in_plane(axis, digits(between(mech, 0.2, 0.4), 2),
             digits(between(mech, 0.3, 0.6), 2), feet[2]);
    any_turn(mech, e);
    middle(feet[1], feet[2], r);
    rigid_add(1.0L, w, r);
    const int platform = add_body(mech, r, e);
    for (int i = 0; i < 3; i++) {
        Real head[3];
        memcpy(head, feet[i], sizeof head);
        rigid_add(1.0L, w, head);
        middle(feet[i], head, r);
        any_turn(mech, e);
        const int crank = add_body(mech, r, e);
        (void)add_joint(mech, RIGID_REVOLUTE, RIGID_GROUND, crank, feet[i], axis);
        (void)add_joint(mech, RIGID_REVOLUTE, crank, platform, head, axis);
    }
    add_drive(mech, 0.4);
    spin_some(mech);
}

static inline void make_top(Mechanism *mech)
{
    static const Real none[4] = {1.0L, 0.0L, 0.0L, 0.0L};
    static const Real origin[3] = {0.0L, 0.0L, 0.0L};
    Real r[3] = {0.0L, 0.0L, 0.0L};
    Real e[4];
    mech->tree = true;
    mech->neat = chance(mech, 0.3);
    any_turn(mech, e);
    RigidFrame frame = {.R = {0}};
    rigid_rotation(e, frame.R);
    const Real up[3] = {0.0L, 0.0L, digits(between(mech, 0.1, 0.5), 2)};
    rigid_times(frame.R, up, r);
    const int body = add_body(mech, r, mech->neat ? none : e);
    RigidBody *of = &mech->system.bodies[body];
    memset(of->inertia, 0, sizeof of->inertia);
    of->inertia[0] = of->inertia[4] = digits(of->m * up[2] * up[2] * 0.5L, 2);
    of->inertia[8] = digits(of->inertia[0] * between(mech, 0.2, 1.9), 2);
    (void)add_joint(mech, RIGID_BALL, RIGID_GROUND, body, origin, up);
    Real *w = mech->y + 10;
    rigid_add(between(mech, 20.0, 80.0) / up[2], r, w);
    rigid_add(1.0L, origin, w);
    w[0] += between(mech, -1.0, 1.0);
}

// A satellite with wheels.
static inline void make_satellite(Mechanism *mech)
{
    Real r[3] = {0.0L, 0.0L, 0.0L};
    Real e[4];
    mech->tree = true;
    mech->weightless = true;
    mech->neat = chance(mech, 0.5);
    any_turn(mech, e);
    const int hull = add_body(mech, r, e);
    for (int i = 0; i < rng_int(&mech->rng, 1, 3); i++) {
        Real axis[3] = {0.0L, 0.0L, 0.0L};
        axis[i] = 1.0L;
        any_arm(mech, r);
        any_turn(mech, e);
        const int wheel = add_body(mech, r, e);
        (void)add_joint(mech, RIGID_REVOLUTE, hull, wheel, r, axis);
        rigid_add(between(mech, 5.0, 60.0), axis, mech->y + RIGID_NUMBERS * wheel + 10);
    }
    add_forces(mech, 0.2);
}

// Bodies that hang together, and on nothing.
static inline void make_free(Mechanism *mech)
{
    Real r[3] = {0.0L, 0.0L, 0.0L};
    Real e[4];
    mech->tree = true;
    mech->weightless = true;
    mech->neat = chance(mech, 0.3);
    any_turn(mech, e);
    (void)add_body(mech, r, e);
    const int bodies = rng_int(&mech->rng, 1, 4);
    for (int i = 1; i < bodies; i++) {
        (void)grow(mech, any_kind(mech), i - 1);
    }
    if (bodies > 1) {
        add_forces(mech, 0.5);
    }
    set_spins(mech, between(mech, 0.3, 5.0));
}

static inline void make_disc(Mechanism *mech)
{
    static const Real origin[3] = {0.0L, 0.0L, 0.0L};
    const Real radius = digits(between(mech, 0.2, 0.8), 2);
    const Real lean = chance(mech, 0.3) ? 0.0L : between(mech, -0.7, 0.7);
    const Real e[4] = {cosl(0.5L * lean), sinl(0.5L * lean), 0.0L, 0.0L};
    const Real axis[3] = {0.0L, 1.0L, 0.0L};
    Real r[3] = {0.0L, 0.0L, radius * cosl(lean)};
    const int body = add_body(mech, r, e);
    RigidBody *of = &mech->system.bodies[body];
    const Real inertia = digits(0.25L * of->m * radius * radius, 2);
    memset(of->inertia, 0, sizeof of->inertia);
    of->inertia[0] = of->inertia[8] = inertia;
    of->inertia[4] = 2.0L * inertia;
    RigidJoint *joint =
        add_joint(mech, RIGID_ROLLING, RIGID_GROUND, body, origin, axis);
    memcpy(joint->axis_b, axis, sizeof axis);
    joint->length = radius;
    set_spins(mech, 1.0L);
    mech->y[11] += between(mech, 2.0, 8.0);
}

typedef struct Family {
    const char *name;
    void (*make)(Mechanism *mech);
} Family;

static const Family families[] = {
    {"single body",       make_single       },
    {"neat chain",        make_neat_chain   },
    {"chain",             make_chain        },
    {"tree",              make_tree         },
    {"loop",              make_loop         },
    {"four-bar",          make_four_bar     },
    {"parallelogram",     make_parallelogram},
    {"Bennett's linkage", make_bennett      },
    {"door",              make_door         },
    {"parallel rods",     make_rods         },
    {"parallel cranks",   make_cranks       },
    {"top",               make_top          },
    {"satellite",         make_satellite    },
    {"free bodies",       make_free         },
    {"rolling disc",      make_disc         },
};

// The text of a mechanism

static void put(Mechanism *mech, const char *format, ...) KAL_PRINTF(2, 3);

static inline void put(Mechanism *mech, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    mech->used += (size_t)vsnprintf(mech->text + mech->used,
                                    MECHANISM_TEXT - mech->used, format, args);
    va_end(args);
}

static inline void put_number(Mechanism *mech, Real x)
{
    char text[40];
    x = fabsl(x) < 1e-15L ? 0.0L
                          : x; // as people write it: what is left of rounding is 0
    (void)snprintf(text, sizeof text, "%.15g", (double)x);
    if (strtod(text, NULL) != (double)x) {
        (void)snprintf(text, sizeof text, "%.17g", (double)x);
    }
    put(mech, "%s", text);
}

static inline void put_argument(Mechanism *mech, const char *name, Real x)
{
    put(mech, ", %s = ", name);
    put_number(mech, x);
}

static inline void put_vector(Mechanism *mech, const char *name, const Real *v, int n)
{
    bool any = false;
    for (int i = 0; i < n; i++) {
        any = any || fabsl(v[i]) >= 1e-15L;
    }
    if (!any) {
        return;
    }
    put(mech, ", %s = [", name);
    for (int i = 0; i < n; i++) {
        put(mech, "%s", i == 0 ? "" : ", ");
        put_number(mech, v[i]);
    }
    put(mech, "]");
}

static inline void put_body(Mechanism *mech, int index)
{
    const RigidBody *body = &mech->system.bodies[index];
    const Real *y = mech->y + RIGID_NUMBERS * index;
    const Real I[3] = {body->inertia[0], body->inertia[4], body->inertia[8]};
    const Real products[3] = {body->inertia[5], body->inertia[2], body->inertia[1]};
    RigidFrame frame;
    Real spin[3];
    put(mech, "part b%d = Body(m = ", index + 1);
    put_number(mech, body->m);
    put_vector(mech, "I", I, 3);
    put_vector(mech, "products", products, 3);
    if (body->gravity[2] == 0.0L) {
        put(mech, ", gravity = [0, 0, 0]");
    }
    if (y[3] != 1.0L) {
        put_vector(mech, "turn", y + 3, 4);
    }
    rigid_frame(mech->y, index, &frame);
    rigid_back(frame.R, frame.w, spin);
    put_vector(mech, "spin", spin, 3);
    put(mech, ")\n");
}

static inline void put_start(Mechanism *mech, int index)
{
    static const char *const names[] = {"x", "y", "z", "x'", "y'", "z'"};
    const Real *y = mech->y + RIGID_NUMBERS * index;
    bool any = false;
    for (int i = 0; i < 6; i++) {
        const Real value = i < 3 ? y[i] : y[4 + i];
        if (fabsl(value) >= 1e-15L) {
            put(mech, "%s b%d.%s ~ ", any ? "," : "init", index + 1, names[i]);
            put_number(mech, value);
            any = true;
        }
    }
    put(mech, "%s", any ? "\n" : "");
}

static inline void put_joint(Mechanism *mech, int index)
{
#define JOINT_NAME(kind, name, rows) name,
    static const char *const names[] = {RIGID_JOINT_LIST(JOINT_NAME)};
#undef JOINT_NAME
    const RigidJoint *joint = &mech->system.joints[index];
    const bool rolls = joint->kind == RIGID_ROLLING;
    if (joint->kind == RIGID_DRIVE || joint->kind == RIGID_SLIDE) {
        put(mech, "constraint drive: j%d.rate = ", (int)joint->length + 1);
        put_number(mech, joint->rate);
        put(mech, "\n");
        return;
    }
    put(mech, "part j%d = %s(b = b%d", index + 1, names[joint->kind], joint->b + 1);
    if (joint->a != RIGID_GROUND) {
        put(mech, ", a = b%d", joint->a + 1);
    }
    if (!rolls) {
        put_vector(mech, "at_a", joint->at_a, 3);
        put_vector(mech, "at_b", joint->at_b, 3);
    }
    if (is_hinge(joint) || joint->kind == RIGID_UNIVERSAL
        || joint->kind == RIGID_PRISMATIC) {
        put_vector(mech, "axis_a", joint->axis_a, 3);
        put_vector(mech, "axis_b", joint->axis_b, 3);
    }
    if (joint->kind == RIGID_PRISMATIC) {
        put_argument(mech, "turned", joint->turned);
    } else if (joint->kind == RIGID_WELD) {
        put_vector(mech, "turned", joint->turn, 4);
    } else if (joint->kind == RIGID_DISTANCE || rolls) {
        put_argument(mech, rolls ? "radius" : "length", joint->length);
    }
    put(mech, ")\n");
}

static inline void put_force(Mechanism *mech, int index)
{
#define FORCE_NAME(kind, name) name,
    static const char *const names[] = {RIGID_FORCE_LIST(FORCE_NAME)};
#undef FORCE_NAME
    const RigidForce *force = &mech->system.forces[index];
    put(mech, "part f%d = %s(", index + 1, names[force->kind]);
    if (rigid_turns(force)) {
        put(mech, "joint = j%d", force->joint + 1);
    } else {
        put(mech, "b = b%d", force->b + 1);
        put_vector(mech, "at_a", force->at_a, 3);
        put_vector(mech, "at_b", force->at_b, 3);
    }
    if (!rigid_turns(force) && force->a != RIGID_GROUND) {
        put(mech, ", a = b%d", force->a + 1);
    }
    const bool motor = force->kind == RIGID_MOTOR;
    if (force->k != 0.0L) {
        put_argument(mech, motor ? "torque" : "k", force->k);
    }
    if (force->c != 0.0L && motor) {
        put(mech, " - ");
        put_number(mech, force->c);
        put(mech, "*j%d.rate", force->joint + 1);
    } else if (force->c != 0.0L) {
        put_argument(mech, "c", force->c);
    }
    if (force->rest != 0.0L) {
        put_argument(mech, force->kind == RIGID_SPRING ? "length" : "rest",
                     force->rest);
    }
    put(mech, ")\n");
}

static inline void write_text(Mechanism *mech)
{
    put(mech, "use spatial\n");
    for (int i = 0; i < mech->system.n_bodies; i++) {
        put_body(mech, i);
    }
    for (int i = 0; i < mech->system.n_joints; i++) {
        put_joint(mech, i);
    }
    for (int i = 0; i < mech->system.n_forces; i++) {
        put_force(mech, i);
    }
    for (int i = 0; i < mech->system.n_bodies; i++) {
        put_start(mech, i);
    }
    put(mech, "simulate 0 .. %g every 0.1\n", mech->until);
}

/// The mechanism of a seed.
static inline void mechanism_make(Mechanism *mech, uint64_t seed)
{
    const size_t count = sizeof families / sizeof families[0];
    const Family *family = &families[seed % count];
    *mech = (Mechanism){.rng = {.state = seed}, .family = family->name};
    mech->system.rank = -1;
    mech->mass = powl(10.0L, between(mech, -2.3, 2.3));
    mech->mixed = chance(mech, 0.15);
    mech->weightless = chance(mech, 0.2);
    family->make(mech);
    mech->until = mech->system.n_bodies > 3 ? 1.0 : 2.0;
    (void)rigid_project_velocities(&mech->system, mech->y);
    write_text(mech);
}

#endif

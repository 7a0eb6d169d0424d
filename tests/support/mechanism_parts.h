// SPDX-License-Identifier: MIT

/// @file
/// A mechanism in the making: random numbers, bodies, joints, springs and dampers, spins.

#ifndef SUPPORT_MECHANISM_PARTS_H
#define SUPPORT_MECHANISM_PARTS_H

#include "rigid_motion.h"
#include "rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
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

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Random mechanisms of the parts of `use spatial`: chains, trees and loops, some of which
/// have more joints than they need, as the text of a model and for rigid.h.
///
/// All that a mechanism consists of follows from its seed.  Bodies are placed first; joints
/// are then made to fit.

#ifndef SUPPORT_MECHANISM_H
#define SUPPORT_MECHANISM_H

#include "mechanism_parts.h"
#include "mechanism_text.h"

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

// SPDX-License-Identifier: MIT

/// @file
/// A mechanism as the text of a model that uses `spatial`.

#ifndef SUPPORT_MECHANISM_TEXT_H
#define SUPPORT_MECHANISM_TEXT_H

#include "mechanism_parts.h"
#include "tap.h"

#include <kalaba/kalaba.h>

#include <stdarg.h>

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

#endif

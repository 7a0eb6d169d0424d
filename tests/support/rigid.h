// SPDX-License-Identifier: MIT

/// @file
/// Rigid bodies in space, formulated as a second opinion on `use spatial`.
///
/// Nothing here is of the library.  Masses are regular, 6 × 6 for each body; velocities are
/// those of mass centers and angular velocities in axes of space; the rows of the joints
/// are written by hand.  A state has 13 numbers for each body: position, unit quaternion,
/// velocity, angular velocity.  The acceleration that satisfies J a = c is a particular one
/// plus Z y with Zᵀ M Z y = Zᵀ (F − M a_p), Z from a QR factorization of Jᵀ with pivoting;
/// M has no say in ranks.  Motion is integrated by extrapolation of the midpoint rule, all
/// in long double, and put back onto the joints after each step.

#ifndef SUPPORT_RIGID_H
#define SUPPORT_RIGID_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    RIGID_BODIES = 6,
    RIGID_JOINTS = 12,
    RIGID_FORCES = 8,
    RIGID_ROWS = 48,
    RIGID_SPEEDS = 6 * RIGID_BODIES,
    RIGID_NUMBERS = 13, // of a body in a state
    RIGID_STATE = RIGID_NUMBERS * RIGID_BODIES,
    RIGID_COLUMNS = 5, // of the extrapolation
    RIGID_GROUND = -1
};

typedef long double Real;

typedef struct RigidBody {
    Real m;
    Real inertia[9]; // about the mass center, in axes of the body
    Real gravity[3];
} RigidBody;

/// Kind, name of the part, how many rows.
#define RIGID_JOINT_LIST(X)                \
    X(RIGID_BALL, "Ball", 3)               \
    X(RIGID_REVOLUTE, "Revolute", 5)       \
    X(RIGID_UNIVERSAL, "Universal", 4)     \
    X(RIGID_CYLINDRICAL, "Cylindrical", 4) \
    X(RIGID_PRISMATIC, "Prismatic", 5)     \
    X(RIGID_WELD, "Weld", 6)               \
    X(RIGID_DISTANCE, "Distance", 1)       \
    X(RIGID_ROLLING, "RollingDisc", 3)     \
    X(RIGID_DRIVE, "drive", 1)             \
    X(RIGID_SLIDE, "drive", 1)

typedef enum RigidJointKind {
#define RIGID_ENUM(kind, name, rows) kind,
    RIGID_JOINT_LIST(RIGID_ENUM)
#undef RIGID_ENUM
} RigidJointKind;

/// Points and directions are in the axes of a and b; axes with two normals each make
/// right-handed frames of length 1.
typedef struct RigidJoint {
    RigidJointKind kind;
    int a;
    int b;
    Real at_a[3];
    Real at_b[3];
    Real axis_a[3];
    Real axis_b[3];
    Real normal_a[2][3];
    Real normal_b[2][3];
    Real turned;  // of Prismatic
    Real turn[4]; // of Weld: quaternion of b as seen from a
    Real length;  // of Distance; radius of RollingDisc
    Real rate;    // of a drive, which turns a hinge or moves a slider
} RigidJoint;

/// Kind, name of the part.
#define RIGID_FORCE_LIST(X)                  \
    X(RIGID_SPRING, "Spring")                \
    X(RIGID_DAMPER, "Damper")                \
    X(RIGID_BUSHING, "Bushing")              \
    X(RIGID_TORSION_SPRING, "TorsionSpring") \
    X(RIGID_TORSION_DAMPER, "TorsionDamper") \
    X(RIGID_MOTOR, "Motor")

typedef enum RigidForceKind {
#define RIGID_ENUM(kind, name) kind,
    RIGID_FORCE_LIST(RIGID_ENUM)
#undef RIGID_ENUM
} RigidForceKind;

typedef struct RigidForce {
    RigidForceKind kind;
    int a;
    int b;
    int joint; // of those that turn a joint
    Real at_a[3];
    Real at_b[3];
    Real k;    // stiffness, or the torque of a motor
    Real c;    // damping
    Real rest; // length or angle
} RigidForce;

typedef struct RigidSystem {
    int n_bodies;
    int n_joints;
    int n_forces;
    int rank; // of the joints where they are not at a special place; -1: as found
    int chosen[RIGID_ROWS]; // rows that stand for all others, if there are any such
    int n_chosen;
    RigidBody bodies[RIGID_BODIES];
    RigidJoint joints[RIGID_JOINTS];
    RigidForce forces[RIGID_FORCES];
} RigidSystem;

// Vectors and rotations

static inline Real rigid_dot(const Real *u, const Real *v)
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static inline void rigid_cross(const Real *u, const Real *v, Real *out)
{
    const Real w[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
    memcpy(out, w, sizeof w);
}

// out += s u
static inline void rigid_add(Real s, const Real *u, Real *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] += s * u[i];
    }
}

static inline void rigid_times(const Real *A, const Real *u, Real *out)
{
    const Real w[3] = {rigid_dot(A, u), rigid_dot(A + 3, u), rigid_dot(A + 6, u)};
    memcpy(out, w, sizeof w);
}

static inline void rigid_back(const Real *R, const Real *u, Real *out)
{
    const Real w[3] = {R[0] * u[0] + R[3] * u[1] + R[6] * u[2],
                       R[1] * u[0] + R[4] * u[1] + R[7] * u[2],
                       R[2] * u[0] + R[5] * u[1] + R[8] * u[2]};
    memcpy(out, w, sizeof w);
}

/// The rotation matrix of a unit quaternion: 1 + 2 e₀ [e] + 2 [e]².
static inline void rigid_rotation(const Real *e, Real *R)
{
    for (int i = 0; i < 3; i++) {
        Real unit[3] = {0.0L, 0.0L, 0.0L};
        Real once[3];
        Real twice[3];
        unit[i] = 1.0L;
        rigid_cross(e + 1, unit, once);
        rigid_cross(e + 1, once, twice);
        for (int k = 0; k < 3; k++) {
            R[3 * k + i] = unit[k] + 2.0L * (e[0] * once[k] + twice[k]);
        }
    }
}

/// The rate of a quaternion that turns with w, given in axes of space: ½ (0, w) e.
static inline void rigid_quaternion_rate(const Real *e, const Real *w, Real *out)
{
    Real turn[3];
    rigid_cross(w, e + 1, turn);
    out[0] = -0.5L * rigid_dot(w, e + 1);
    for (int i = 0; i < 3; i++) {
        out[1 + i] = 0.5L * (e[0] * w[i] + turn[i]);
    }
}

static inline void rigid_normalize(Real *v, int n)
{
    Real size = 0.0L;
    for (int i = 0; i < n; i++) {
        size += v[i] * v[i];
    }
    size = sqrtl(size);
    for (int i = 0; i < n; i++) {
        v[i] /= size;
    }
}

/// Two directions that make a right-handed frame with a unit vector: of all pairs, the one
/// that the documentation of the parts promises.
static inline void rigid_normals(const Real *u, Real normals[2][3])
{
    const Real s = u[2] < 0.0L ? -1.0L : 1.0L;
    const Real f = 1.0L / (s + u[2]);
    const Real first[3] = {1.0L - s * u[0] * u[0] * f, -s * u[0] * u[1] * f, -s * u[0]};
    const Real second[3] = {-u[0] * u[1] * f, s - u[1] * u[1] * f, -u[1]};
    memcpy(normals[0], first, sizeof first);
    memcpy(normals[1], second, sizeof second);
}

// Frames and points of them

typedef struct RigidFrame {
    Real r[3];
    Real R[9];
    Real v[3];
    Real w[3];
} RigidFrame;

static inline void rigid_frame(const Real *y, int body, RigidFrame *out)
{
    const Real *of = y + RIGID_NUMBERS * body;
    if (body == RIGID_GROUND) {
        *out = (RigidFrame){
            .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}
        };
        return;
    }
    memcpy(out->r, of, sizeof out->r);
    rigid_rotation(of + 3, out->R);
    memcpy(out->v, of + 7, sizeof out->v);
    memcpy(out->w, of + 10, sizeof out->w);
}

typedef struct RigidPoint {
    Real arm[3]; // from the mass center, in axes of space
    Real place[3];
    Real v[3];
    Real pull[3]; // w × (w × arm)
} RigidPoint;

static inline void rigid_point(const RigidFrame *frame, const Real *at, RigidPoint *out)
{
    Real turn[3];
    rigid_times(frame->R, at, out->arm);
    rigid_cross(frame->w, out->arm, turn);
    rigid_cross(frame->w, turn, out->pull);
    for (int i = 0; i < 3; i++) {
        out->place[i] = frame->r[i] + out->arm[i];
        out->v[i] = frame->v[i] + turn[i];
    }
}

// Rows of joints

/// A row says: j·(v, w of all bodies) = speed, and j·(accelerations) = −bias.
typedef struct RigidRow {
    Real j[RIGID_SPEEDS];
    Real bias;
    Real speed;
    Real residual; // of positions; 0 for a row about velocities
} RigidRow;

/// What the rows of a joint are made of.
typedef struct RigidPair {
    int ia;
    int ib;
    RigidFrame a;
    RigidFrame b;
    RigidPoint pa;
    RigidPoint pb;
    Real d[3];    // from pa to pb
    Real rate[3]; // of d
    Real pull[3]; // of d
} RigidPair;

static inline void rigid_pair(const RigidJoint *joint, const Real *y, RigidPair *out)
{
    out->ia = joint->a;
    out->ib = joint->b;
    rigid_frame(y, joint->a, &out->a);
    rigid_frame(y, joint->b, &out->b);
    rigid_point(&out->a, joint->at_a, &out->pa);
    rigid_point(&out->b, joint->at_b, &out->pb);
    for (int i = 0; i < 3; i++) {
        out->d[i] = out->pb.place[i] - out->pa.place[i];
        out->rate[i] = out->pb.v[i] - out->pa.v[i];
        out->pull[i] = out->pb.pull[i] - out->pa.pull[i];
    }
}

static inline void rigid_row_turn(RigidRow *row, int body, Real s, const Real *u)
{
    if (body != RIGID_GROUND) {
        rigid_add(s, u, row->j + 6 * body + 3);
    }
}

// u·(velocity of a point)
static inline void rigid_row_move(RigidRow *row, int body, Real s, const Real *u,
                                  const Real *arm)
{
    Real moment[3];
    if (body != RIGID_GROUND) {
        rigid_cross(arm, u, moment);
        rigid_add(s, u, row->j + 6 * body);
        rigid_add(s, moment, row->j + 6 * body + 3);
    }
}

// u·d = 0 with u that stays in a
static inline void rigid_row_line(const RigidPair *pair, const Real *u_of_a,
                                  RigidRow *row)
{
    Real u[3];
    Real once[3];
    Real twice[3];
    Real moment[3];
    rigid_times(pair->a.R, u_of_a, u);
    rigid_cross(pair->a.w, u, once);
    rigid_cross(pair->a.w, once, twice);
    rigid_cross(u, pair->d, moment);
    rigid_row_move(row, pair->ib, 1.0L, u, pair->pb.arm);
    rigid_row_move(row, pair->ia, -1.0L, u, pair->pa.arm);
    rigid_row_turn(row, pair->ia, 1.0L, moment);
    row->bias = rigid_dot(twice, pair->d) + 2.0L * rigid_dot(once, pair->rate)
                + rigid_dot(u, pair->pull);
    row->residual = rigid_dot(u, pair->d);
}

// Element k of d = 0, in axes of space
static inline void rigid_row_point(const RigidPair *pair, int k, RigidRow *row)
{
    Real u[3] = {0.0L, 0.0L, 0.0L};
    u[k] = 1.0L;
    rigid_row_move(row, pair->ib, 1.0L, u, pair->pb.arm);
    rigid_row_move(row, pair->ia, -1.0L, u, pair->pa.arm);
    row->bias = pair->pull[k];
    row->residual = pair->d[k];
}

// u·v = 0 with u that stays in a, and v in b
static inline void rigid_row_angle(const RigidPair *pair, const Real *u_of_a,
                                   const Real *v_of_b, RigidRow *row)
{
    Real u[3];
    Real v[3];
    Real du[3];
    Real dv[3];
    Real ddu[3];
    Real ddv[3];
    Real moment[3];
    rigid_times(pair->a.R, u_of_a, u);
    rigid_times(pair->b.R, v_of_b, v);
    rigid_cross(pair->a.w, u, du);
    rigid_cross(pair->b.w, v, dv);
    rigid_cross(pair->a.w, du, ddu);
    rigid_cross(pair->b.w, dv, ddv);
    rigid_cross(u, v, moment);
    rigid_row_turn(row, pair->ia, 1.0L, moment);
    rigid_row_turn(row, pair->ib, -1.0L, moment);
    row->bias = rigid_dot(ddu, v) + 2.0L * rigid_dot(du, dv) + rigid_dot(u, ddv);
    row->residual = rigid_dot(u, v);
}

static inline void rigid_row_distance(const RigidPair *pair, Real length, RigidRow *row)
{
    Real u[3] = {0.0L, 0.0L, 0.0L};
    rigid_add(1.0L / length, pair->d, u);
    rigid_row_move(row, pair->ib, 1.0L, u, pair->pb.arm);
    rigid_row_move(row, pair->ia, -1.0L, u, pair->pa.arm);
    row->bias =
        (rigid_dot(pair->rate, pair->rate) + rigid_dot(pair->d, pair->pull)) / length;
    row->residual = (rigid_dot(pair->d, pair->d) - length * length) / (2.0L * length);
}

static inline void rigid_row_drive(const RigidPair *pair, const RigidJoint *joint,
                                   RigidRow *row)
{
    Real u[3];
    Real du[3];
    Real w[3];
    rigid_times(pair->a.R, joint->axis_a, u);
    rigid_cross(pair->a.w, u, du);
    memcpy(w, pair->b.w, sizeof w);
    rigid_add(-1.0L, pair->a.w, w);
    rigid_row_turn(row, pair->ib, 1.0L, u);
    rigid_row_turn(row, pair->ia, -1.0L, u);
    row->bias = rigid_dot(du, w);
    row->speed = joint->rate;
}

// A slider that moves at a rate
static inline void rigid_row_slide(const RigidPair *pair, const RigidJoint *joint,
                                   RigidRow *row)
{
    rigid_row_line(pair, joint->axis_a, row);
    row->residual = 0.0L;
    row->speed = joint->rate;
}

/// The steepness of a disc and, unless NULL, the arm to its lowest point with its rate.
static inline Real rigid_disc(const RigidFrame *b, const RigidJoint *joint, Real *arm,
                              Real *arm_rate)
{
    Real n[3];
    Real dn[3];
    rigid_times(b->R, joint->axis_b, n);
    rigid_cross(b->w, n, dn);
    const Real steep = hypotl(n[0], n[1]);
    const Real steep_rate = (n[0] * dn[0] + n[1] * dn[1]) / steep;
    for (int i = 0; i < 2; i++) {
        const Real h = n[i] / steep;
        arm[i] = joint->length * n[2] * h;
        arm_rate[i] =
            joint->length * (dn[2] * h + n[2] * (dn[i] - h * steep_rate) / steep);
    }
    arm[2] = -joint->length * steep;
    arm_rate[2] = -joint->length * steep_rate;
    return steep;
}

// The lowest point of the rim rests: z first, as the part has it.
static inline void rigid_rows_rolling(const RigidPair *pair, const RigidJoint *joint,
                                      RigidRow *rows)
{
    static const int order[3] = {2, 0, 1};
    Real arm[3];
    Real arm_rate[3];
    Real bias[3];
    const Real steep = rigid_disc(&pair->b, joint, arm, arm_rate);
    rigid_cross(pair->b.w, arm_rate, bias);
    for (int k = 0; k < 3; k++) {
        Real u[3] = {0.0L, 0.0L, 0.0L};
        u[order[k]] = 1.0L;
        rigid_row_move(&rows[k], pair->ib, 1.0L, u, arm);
        rows[k].bias = bias[order[k]];
    }
    rows[0].residual = pair->b.r[2] - joint->length * steep;
}

static inline void rigid_rows_weld(const RigidPair *pair, const RigidJoint *joint,
                                   RigidRow *rows)
{
    Real S[9];
    rigid_rotation(joint->turn, S);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 2) % 3; // 3·2, 1·3, 2·1
        const int j = (k + 1) % 3;
        const Real u[3] = {S[i], S[3 + i], S[6 + i]};
        Real v[3] = {0.0L, 0.0L, 0.0L};
        v[j] = 1.0L;
        rigid_row_angle(pair, u, v, &rows[k]);
    }
}

static inline void rigid_rows_prismatic(const RigidPair *pair, const RigidJoint *joint,
                                        RigidRow *row)
{
    Real u[3] = {0.0L, 0.0L, 0.0L};
    rigid_add(cosl(joint->turned), joint->normal_a[0], u);
    rigid_add(sinl(joint->turned), joint->normal_a[1], u);
    rigid_row_angle(pair, u, joint->normal_b[1], row);
}

/// The rows of one joint in the order of its part; answers how many.
static inline int rigid_rows_of(const RigidJoint *joint, const Real *y, RigidRow *rows)
{
#define RIGID_COUNT(kind, name, count) count,
    static const int counts[] = {RIGID_JOINT_LIST(RIGID_COUNT)};
#undef RIGID_COUNT
    const RigidJointKind kind = joint->kind;
    const bool pinned = kind == RIGID_BALL || kind == RIGID_REVOLUTE
                        || kind == RIGID_UNIVERSAL || kind == RIGID_WELD;
    const bool slides = kind == RIGID_CYLINDRICAL || kind == RIGID_PRISMATIC;
    RigidPair pair;
    rigid_pair(joint, y, &pair);
    memset(rows, 0, (size_t)counts[kind] * sizeof *rows);
    for (int k = 0; pinned && k < 3; k++) {
        rigid_row_point(&pair, k, &rows[k]);
    }
    for (int k = 0; slides && k < 2; k++) {
        rigid_row_line(&pair, joint->normal_a[k], &rows[k]);
    }
    for (int k = 0; (slides || kind == RIGID_REVOLUTE) && k < 2; k++) {
        rigid_row_angle(&pair, joint->normal_a[k], joint->axis_b,
                        &rows[(slides ? 2 : 3) + k]);
    }
    if (kind == RIGID_UNIVERSAL) {
        rigid_row_angle(&pair, joint->axis_a, joint->axis_b, &rows[3]);
    } else if (kind == RIGID_PRISMATIC) {
        rigid_rows_prismatic(&pair, joint, &rows[4]);
    } else if (kind == RIGID_WELD) {
        rigid_rows_weld(&pair, joint, &rows[3]);
    } else if (kind == RIGID_DISTANCE) {
        rigid_row_distance(&pair, joint->length, &rows[0]);
    } else if (kind == RIGID_ROLLING) {
        rigid_rows_rolling(&pair, joint, rows);
    } else if (kind == RIGID_DRIVE) {
        rigid_row_drive(&pair, joint, &rows[0]);
    } else if (kind == RIGID_SLIDE) {
        rigid_row_slide(&pair, joint, &rows[0]);
    }
    return counts[kind];
}

/// The rows of all joints, each of length 1; answers how many.
static inline int rigid_rows(const RigidSystem *system, const Real *y, RigidRow *rows)
{
    const int n = 6 * system->n_bodies;
    int m = 0;
    for (int i = 0; i < system->n_joints; i++) {
        m += rigid_rows_of(&system->joints[i], y, rows + m);
    }
    for (int i = 0; i < m; i++) {
        Real size = 0.0L;
        for (int k = 0; k < n; k++) {
            size += rows[i].j[k] * rows[i].j[k];
        }
        size = sqrtl(size);
        for (int k = 0; k < n; k++) {
            rows[i].j[k] /= size;
        }
        rows[i].bias /= size;
        rows[i].speed /= size;
        rows[i].residual /= size;
    }
    return m;
}

// Jᵀ = Q R by reflections, the largest column first

typedef struct RigidFactor {
    int n;
    int rank;
    int order[RIGID_ROWS];
    Real v[RIGID_ROWS][RIGID_SPEEDS]; // reflections: 1 − v vᵀ
    Real r[RIGID_ROWS][RIGID_ROWS];   // column i of R: r[i]
} RigidFactor;

static inline void rigid_reflect(const Real *v, int from, int n, Real *x)
{
    Real s = 0.0L;
    for (int i = from; i < n; i++) {
        s += v[i] * x[i];
    }
    for (int i = from; i < n; i++) {
        x[i] -= s * v[i];
    }
}

static inline Real rigid_size(const Real *x, int from, int n)
{
    Real s = 0.0L;
    for (int i = from; i < n; i++) {
        s += x[i] * x[i];
    }
    return sqrtl(s);
}

// The reflection that turns x from `from` on into one number.
static inline void rigid_reflector(const Real *x, int from, int n, Real *v)
{
    const Real size = rigid_size(x, from, n);
    const Real sign = x[from] < 0.0L ? -1.0L : 1.0L;
    memcpy(v, x, (size_t)n * sizeof *v);
    v[from] += sign * size;
    const Real scale = sqrtl(2.0L) / rigid_size(v, from, n);
    for (int i = from; i < n; i++) {
        v[i] *= scale;
    }
}

// Let column k be the one that has most left from row k on; answers how much.  `left` holds
// squares of what columns have left.
static inline Real rigid_pivot(RigidFactor *f, int k, int m, Real *left)
{
    Real column[RIGID_ROWS];
    int best = k;
    for (int i = k; i < m; i++) {
        best = left[i] > left[best] ? i : best;
    }
    const int index = f->order[best];
    memcpy(column, f->r[best], sizeof column);
    memcpy(f->r[best], f->r[k], sizeof column);
    memcpy(f->r[k], column, sizeof column);
    f->order[best] = f->order[k];
    f->order[k] = index;
    left[best] = left[k];
    return rigid_size(f->r[k], k, f->n);
}

// The square of what column i has left when row k of it is done: by subtraction, and anew
// where that would be rounding.
static inline Real rigid_left(const RigidFactor *f, int i, int k, Real before)
{
    const Real after = before - f->r[i][k] * f->r[i][k];
    if (after > 1e-4L * before) {
        return after;
    }
    const Real size = rigid_size(f->r[i], k + 1, f->n);
    return size * size;
}

/// Factor; `rank` < 0 finds the rank, with pivots below 1e-11 for 0.
static inline void rigid_factor(const RigidRow *rows, int n, int m, int rank,
                                RigidFactor *f)
{
    const int most = n < m ? n : m;
    Real left[RIGID_ROWS];
    f->n = n;
    for (int i = 0; i < m; i++) {
        memcpy(f->r[i], rows[i].j, (size_t)n * sizeof(Real));
        f->order[i] = i;
        left[i] = rigid_size(f->r[i], 0, n);
        left[i] *= left[i];
    }
    f->rank = 0;
    while (f->rank < (rank < 0 ? most : rank)) {
        const int k = f->rank;
        if (rigid_pivot(f, k, m, left) < (rank < 0 ? 1e-11L : 1e-300L)) {
            break;
        }
        rigid_reflector(f->r[k], k, n, f->v[k]);
        for (int i = k; i < m; i++) {
            rigid_reflect(f->v[k], k, n, f->r[i]);
            left[i] = rigid_left(f, i, k, left[i]);
        }
        f->rank++;
    }
}

static inline void rigid_apply_q(const RigidFactor *f, Real *x)
{
    for (int k = f->rank - 1; k >= 0; k--) {
        rigid_reflect(f->v[k], k, f->n, x);
    }
}

/// The x of least norm with J x = right, as far as it is in reach.
static inline void rigid_least(const RigidFactor *f, const Real *right, Real *x)
{
    memset(x, 0, (size_t)f->n * sizeof *x);
    for (int k = 0; k < f->rank; k++) {
        Real s = right[f->order[k]];
        for (int i = 0; i < k; i++) {
            s -= f->r[k][i] * x[i];
        }
        x[k] = s / f->r[k][k];
    }
    rigid_apply_q(f, x);
}

// Forces

// A force on b and the opposite on a, at two points.
static inline void rigid_push(const RigidPair *pair, const Real *force, Real *F)
{
    Real moment[3];
    if (pair->ib != RIGID_GROUND) {
        rigid_cross(pair->pb.arm, force, moment);
        rigid_add(1.0L, force, F + 6 * pair->ib);
        rigid_add(1.0L, moment, F + 6 * pair->ib + 3);
    }
    if (pair->ia != RIGID_GROUND) {
        rigid_cross(pair->pa.arm, force, moment);
        rigid_add(-1.0L, force, F + 6 * pair->ia);
        rigid_add(-1.0L, moment, F + 6 * pair->ia + 3);
    }
}

/// The angle of b as seen from a, about their axis.
static inline Real rigid_angle(const RigidJoint *joint, const Real *y)
{
    RigidPair pair;
    Real f[3];
    rigid_pair(joint, y, &pair);
    rigid_times(pair.b.R, joint->normal_b[0], f);
    rigid_back(pair.a.R, f, f);
    return atan2l(rigid_dot(joint->normal_a[1], f), rigid_dot(joint->normal_a[0], f));
}

static inline void rigid_turn_joint(const RigidSystem *system, const RigidForce *force,
                                    const Real *y, Real *F)
{
    const RigidJoint *joint = &system->joints[force->joint];
    RigidPair pair;
    Real axis[3];
    rigid_pair(joint, y, &pair);
    rigid_times(pair.a.R, joint->axis_a, axis);
    const Real rate = rigid_dot(axis, pair.b.w) - rigid_dot(axis, pair.a.w);
    const Real torque = force->kind == RIGID_TORSION_SPRING
                            ? -force->k * (rigid_angle(joint, y) - force->rest)
                            : force->k - force->c * rate;
    if (pair.ib != RIGID_GROUND) {
        rigid_add(torque, axis, F + 6 * pair.ib + 3);
    }
    if (pair.ia != RIGID_GROUND) {
        rigid_add(-torque, axis, F + 6 * pair.ia + 3);
    }
}

static inline bool rigid_turns(const RigidForce *force)
{
    return force->kind == RIGID_TORSION_SPRING || force->kind == RIGID_TORSION_DAMPER
           || force->kind == RIGID_MOTOR;
}

static inline void rigid_force_pair(const RigidForce *force, const Real *y,
                                    RigidPair *out)
{
    RigidJoint ends = {.kind = RIGID_BALL, .a = force->a, .b = force->b};
    memcpy(ends.at_a, force->at_a, sizeof ends.at_a);
    memcpy(ends.at_b, force->at_b, sizeof ends.at_b);
    rigid_pair(&ends, y, out);
}

static inline void rigid_pull(const RigidForce *force, const Real *y, Real *F)
{
    RigidPair pair;
    Real push[3] = {0.0L, 0.0L, 0.0L};
    rigid_force_pair(force, y, &pair);
    const Real distance = sqrtl(rigid_dot(pair.d, pair.d));
    if (force->kind == RIGID_BUSHING) {
        rigid_add(-force->k, pair.d, push);
        rigid_add(-force->c, pair.rate, push);
    } else {
        const Real rate = rigid_dot(pair.d, pair.rate) / distance;
        const Real size = force->kind == RIGID_SPRING
                              ? force->k * (distance - force->rest)
                              : force->c * rate;
        rigid_add(-size / distance, pair.d, push);
    }
    rigid_push(&pair, push, F);
}

// The inertia matrix in axes of space.
static inline void rigid_inertia(const RigidBody *body, const Real *R, Real *out)
{
    Real half[9]; // rows: R I, then each row turned
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const Real column[3] = {body->inertia[k], body->inertia[3 + k],
                                    body->inertia[6 + k]};
            half[3 * i + k] = rigid_dot(R + 3 * i, column);
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = rigid_dot(half + 3 * i, R + 3 * k);
        }
    }
}

/// F, gyroscopic torques in it, and the inertia matrices in axes of space.
static inline void rigid_forces(const RigidSystem *system, const Real *y, Real *F,
                                Real inertia[RIGID_BODIES][9])
{
    memset(F, 0, RIGID_SPEEDS * sizeof *F);
    for (int i = 0; i < system->n_bodies; i++) {
        const RigidBody *body = &system->bodies[i];
        RigidFrame frame;
        Real spin[3];
        Real torque[3];
        rigid_frame(y, i, &frame);
        rigid_inertia(body, frame.R, inertia[i]);
        rigid_times(inertia[i], frame.w, spin);
        rigid_cross(frame.w, spin, torque);
        rigid_add(body->m, body->gravity, F + 6 * i);
        rigid_add(-1.0L, torque, F + 6 * i + 3);
    }
    for (int i = 0; i < system->n_forces; i++) {
        if (rigid_turns(&system->forces[i])) {
            rigid_turn_joint(system, &system->forces[i], y, F);
        } else {
            rigid_pull(&system->forces[i], y, F);
        }
    }
}

#endif

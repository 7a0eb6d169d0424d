// SPDX-License-Identifier: MIT

/// @file
/// Formulas of tests with their values and derivatives in long double, by rules that share
/// nothing with the library: an independent evaluator.
///
/// A formula is a node with its text in the model language.  All nodes of a model stand in
/// one list, operands first.  A jet is the value of a node with its first derivatives by
/// time, coordinates, velocities and accelerations, and its second derivatives by all of
/// these but the accelerations.
///
/// Two evaluations of the same formula differ by rounding, and by how much is a matter of
/// the formula.  So nodes are also evaluated with noise: each number that an operation
/// gives is changed by a random part of JET_NOISE.  The spread of the results tells how
/// large the error of another evaluation may be.  Branches are those of the evaluation
/// without noise.

#ifndef SUPPORT_JET_H
#define SUPPORT_JET_H

#include "rng.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double Real;

enum {
    JET_N = 4,                 ///< coordinates, at most
    JET_Q = 1,                 ///< place of the first coordinate; time is at 0
    JET_V = JET_Q + JET_N,     ///< of the first velocity
    JET_A = JET_V + JET_N,     ///< of the first acceleration
    JET_SECOND = JET_A,        ///< second derivatives are by those before
    JET_FIRST = JET_A + JET_N, ///< first derivatives are by those before
    JET_KNOWN = 24,            ///< further values: reactions, forces, controls
    JET_NODES = 3000,          ///< of a model
    JET_TEXT = 400000          ///< bytes of all texts of a model
};

#define JET_NOISE 1e-12L

/// The operations; those of two arguments that are called stand together.
typedef enum JetOp {
    JET_CONST,
    JET_VARIABLE,
    JET_GIVEN,
    JET_ADD,
    JET_SUB,
    JET_MUL,
    JET_DIV,
    JET_NEG,
    JET_POWI,
    JET_POW,
    JET_SQRT,
    JET_SIN,
    JET_COS,
    JET_TAN,
    JET_ASIN,
    JET_ACOS,
    JET_ATAN,
    JET_SINH,
    JET_COSH,
    JET_TANH,
    JET_EXP,
    JET_LOG,
    JET_ABS,
    JET_SIGN,
    JET_ATAN2,
    JET_HYPOT,
    JET_MIN,
    JET_MAX,
    JET_LESS,
    JET_BOTH,
    JET_EITHER,
    JET_NOT,
    JET_CHOOSE,
    JET_SAME,
    JET_RATE,
} JetOp;

typedef struct Jet {
    Real v;
    Real g[JET_FIRST];
    Real h[JET_SECOND][JET_SECOND];
} Jet;

typedef struct JetNode {
    JetOp op;
    int arg[3];
    int whole; ///< exponent, or place of a variable
    Real number;
    bool taken; ///< a condition holds, or the first of two is taken
    char *text;
} JetNode;

/// The formulas of a model and a state to evaluate them in.
typedef struct Jets {
    JetNode nodes[JET_NODES];
    Jet jets[JET_NODES];
    int count;
    char text[JET_TEXT];
    size_t used;
    Real state[JET_FIRST];
    Real known[JET_KNOWN];
    Real margin; ///< the least distance from a change of branch, relative to its terms
    bool noisy;
    Rng noise;
} Jets;

static inline int jet_node(Jets *f, JetNode node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Add a node with its text.  No room ends the program: tests make small formulas.
static inline int jet_node(Jets *f, JetNode node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    node.text = f->text + f->used;
    f->used += (size_t)vsnprintf(node.text, JET_TEXT - f->used, format, args) + 1U;
    va_end(args);
    if (f->used >= JET_TEXT || f->count >= JET_NODES) {
        printf("Bail out! formulas of a test need more room\n");
        exit(1);
    }
    f->nodes[f->count] = node;
    return f->count++;
}

static inline const char *jet_text(const Jets *f, int i)
{
    return f->nodes[i].text;
}

static inline JetNode jet_op(JetOp op, int a, int b)
{
    JetNode node = {.op = op};
    node.arg[0] = a;
    node.arg[1] = b;
    return node;
}

/// A number in as few digits as it has.
static inline int jet_const(Jets *f, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.12g", x);
    if (strtod(text, NULL) != x) {
        snprintf(text, sizeof text, "%.17g", x);
    }
    const JetNode node = {.op = JET_CONST, .number = x};
    return jet_node(f, node, x < 0.0 ? "(%s)" : "%s", text);
}

static inline int jet_variable(Jets *f, int place, const char *name)
{
    return jet_node(f, (JetNode){.op = JET_VARIABLE, .whole = place}, "%s", name);
}

/// A value that is known only after the instant is solved.
static inline int jet_given(Jets *f, int place, const char *text)
{
    return jet_node(f, (JetNode){.op = JET_GIVEN, .whole = place}, "%s", text);
}

/// a + b, a - b, a*b, a/b.
static inline int jet_sum(Jets *f, JetOp op, int a, int b)
{
    static const char signs[] = "+-*/";
    return jet_node(f, jet_op(op, a, b), "(%s %c %s)", jet_text(f, a),
                    signs[op - JET_ADD], jet_text(f, b));
}

static inline int jet_mul(Jets *f, int a, int b)
{
    return jet_sum(f, JET_MUL, a, b);
}

static inline int jet_add(Jets *f, int a, int b)
{
    return jet_sum(f, JET_ADD, a, b);
}

static inline int jet_powi(Jets *f, int a, int whole)
{
    JetNode node = jet_op(JET_POWI, a, 0);
    node.whole = whole;
    return jet_node(f, node, whole < 0 ? "(%s)^(%d)" : "(%s)^%d", jet_text(f, a),
                    whole);
}

static inline int jet_pow(Jets *f, int a, int b)
{
    return jet_node(f, jet_op(JET_POW, a, b), "(%s)^(%s)", jet_text(f, a),
                    jet_text(f, b));
}

/// A function of one or two arguments by its word.
static inline int jet_call(Jets *f, JetOp op, int a, int b)
{
    static const char *const words[] = {
        [JET_NEG] = "-",       [JET_SQRT] = "sqrt",   [JET_SIN] = "sin",
        [JET_COS] = "cos",     [JET_TAN] = "tan",     [JET_ASIN] = "asin",
        [JET_ACOS] = "acos",   [JET_ATAN] = "atan",   [JET_SINH] = "sinh",
        [JET_COSH] = "cosh",   [JET_TANH] = "tanh",   [JET_EXP] = "exp",
        [JET_LOG] = "log",     [JET_ABS] = "abs",     [JET_SIGN] = "sign",
        [JET_ATAN2] = "atan2", [JET_HYPOT] = "hypot", [JET_MIN] = "min",
        [JET_MAX] = "max"};
    const JetNode node = jet_op(op, a, b);
    if (op >= JET_ATAN2) {
        return jet_node(f, node, "%s(%s, %s)", words[op], jet_text(f, a),
                        jet_text(f, b));
    }
    return jet_node(f, node, "%s(%s)", words[op], jet_text(f, a));
}

/// a < b, in one of the four ways to write it: at the margin that tests keep, `<` and
/// `<=` are the same.
static inline int jet_less(Jets *f, int a, int b, int way)
{
    static const char *const signs[] = {"<", "<=", ">", ">="};
    const char *left = jet_text(f, way < 2 ? a : b);
    const char *right = jet_text(f, way < 2 ? b : a);
    return jet_node(f, jet_op(JET_LESS, a, b), "%s %s %s", left, signs[way], right);
}

static inline int jet_logic(Jets *f, JetOp op, int a, int b)
{
    const JetNode node = jet_op(op, a, b);
    if (op == JET_NOT) {
        return jet_node(f, node, "not (%s)", jet_text(f, a));
    }
    return jet_node(f, node, op == JET_BOTH ? "(%s) and (%s)" : "(%s) or (%s)",
                    jet_text(f, a), jet_text(f, b));
}

static inline int jet_choose(Jets *f, int condition, int a, int b)
{
    JetNode node = jet_op(JET_CHOOSE, condition, a);
    node.arg[2] = b;
    return jet_node(f, node, "if(%s, %s, %s)", jet_text(f, condition), jet_text(f, a),
                    jet_text(f, b));
}

/// The same under a name, which a `let` of the model declares.
static inline int jet_named(Jets *f, int a, const char *name)
{
    return jet_node(f, jet_op(JET_SAME, a, 0), "%s", name);
}

/// The total derivative by time.  Of its own second derivatives only those by a velocity
/// are known, and these only if `a` has no velocities in it; others are not numbers.
static inline int jet_rate(Jets *f, int a)
{
    return jet_node(f, jet_op(JET_RATE, a, 0), "(%s)'", jet_text(f, a));
}

// f(a) with f', f'': the chain rule.
static inline Jet jet_chain(const Jet *a, Real v, Real d1, Real d2)
{
    Jet out = {.v = v};
    for (int i = 0; i < JET_FIRST; i++) {
        out.g[i] = d1 * a->g[i];
    }
    for (int i = 0; i < JET_SECOND; i++) {
        for (int j = 0; j < JET_SECOND; j++) {
            out.h[i][j] = d1 * a->h[i][j] + d2 * a->g[i] * a->g[j];
        }
    }
    return out;
}

// s a + r b.
static inline Jet jet_mix(Real s, const Jet *a, Real r, const Jet *b)
{
    Jet out = {.v = s * a->v + r * b->v};
    for (int i = 0; i < JET_FIRST; i++) {
        out.g[i] = s * a->g[i] + r * b->g[i];
    }
    for (int i = 0; i < JET_SECOND; i++) {
        for (int j = 0; j < JET_SECOND; j++) {
            out.h[i][j] = s * a->h[i][j] + r * b->h[i][j];
        }
    }
    return out;
}

static inline Jet jet_product(const Jet *a, const Jet *b)
{
    Jet out = jet_mix(b->v, a, a->v, b);
    out.v = a->v * b->v;
    for (int i = 0; i < JET_SECOND; i++) {
        for (int j = 0; j < JET_SECOND; j++) {
            out.h[i][j] += a->g[i] * b->g[j] + a->g[j] * b->g[i];
        }
    }
    return out;
}

static inline Jet jet_powi_of(const Jet *a, int k)
{
    const Real x = a->v;
    const Real d1 = k == 0 ? 0.0L : (Real)k * powl(x, (Real)(k - 1));
    const Real d2 =
        k == 0 || k == 1 ? 0.0L : (Real)k * (Real)(k - 1) * powl(x, (Real)(k - 2));
    return jet_chain(a, powl(x, (Real)k), d1, d2);
}

static inline Jet jet_inverse_function(JetOp op, const Jet *a)
{
    const Real x = a->v;
    if (op == JET_ATAN) {
        const Real s = 1.0L / (1.0L + x * x);
        return jet_chain(a, atanl(x), s, -2.0L * x * s * s);
    }
    const Real s = 1.0L / sqrtl(1.0L - x * x);
    const Real sign = op == JET_ASIN ? 1.0L : -1.0L;
    return jet_chain(a, op == JET_ASIN ? asinl(x) : acosl(x), sign * s,
                     sign * x * s * s * s);
}

static inline Jet jet_unary(JetOp op, const Jet *a)
{
    const Real x = a->v;
    const Real t = tanl(x);
    switch (op) {
    case JET_SQRT:
        return jet_chain(a, sqrtl(x), 0.5L / sqrtl(x), -0.25L / (x * sqrtl(x)));
    case JET_SIN: return jet_chain(a, sinl(x), cosl(x), -sinl(x));
    case JET_COS: return jet_chain(a, cosl(x), -sinl(x), -cosl(x));
    case JET_TAN: return jet_chain(a, t, 1.0L + t * t, 2.0L * t * (1.0L + t * t));
    case JET_SINH: return jet_chain(a, sinhl(x), coshl(x), sinhl(x));
    case JET_COSH: return jet_chain(a, coshl(x), sinhl(x), coshl(x));
    case JET_EXP: return jet_chain(a, expl(x), expl(x), expl(x));
    case JET_LOG: return jet_chain(a, logl(x), 1.0L / x, -1.0L / (x * x));
    default: return jet_inverse_function(op, a);
    }
}

// atan2(a, b) has the derivatives of a/b's arc tangent wherever it is smooth.
static inline Jet jet_angle(const Jet *a, const Jet *b)
{
    const Real s = 1.0L / (a->v * a->v + b->v * b->v);
    Jet out = jet_mix(b->v * s, a, -a->v * s, b);
    out.v = atan2l(a->v, b->v);
    for (int i = 0; i < JET_SECOND; i++) {
        for (int j = 0; j < JET_SECOND; j++) {
            const Real stretch_j = 2.0L * (a->v * a->g[j] + b->v * b->g[j]) * s;
            out.h[i][j] += s * (b->g[j] * a->g[i] - a->g[j] * b->g[i])
                           - stretch_j * s * (b->v * a->g[i] - a->v * b->g[i]);
        }
    }
    return out;
}

static inline Jet jet_binary(JetOp op, int whole, const Jet *a, const Jet *b)
{
    Jet inner;
    switch (op) {
    case JET_ADD: return jet_mix(1.0L, a, 1.0L, b);
    case JET_SUB: return jet_mix(1.0L, a, -1.0L, b);
    case JET_MUL: return jet_product(a, b);
    case JET_DIV: inner = jet_powi_of(b, -1); return jet_product(a, &inner);
    case JET_NEG: return jet_chain(a, -a->v, -1.0L, 0.0L);
    case JET_POWI: return jet_powi_of(a, whole);
    case JET_POW:
        inner = jet_unary(JET_LOG, a);
        inner = jet_product(b, &inner);
        return jet_unary(JET_EXP, &inner);
    case JET_HYPOT: {
        const Jet one = jet_powi_of(a, 2);
        const Jet other = jet_powi_of(b, 2);
        inner = jet_mix(1.0L, &one, 1.0L, &other);
        return jet_unary(JET_SQRT, &inner);
    }
    case JET_ATAN2: return jet_angle(a, b);
    default: return jet_unary(op, a);
    }
}

static inline Jet jet_rate_of(const Jets *f, const Jet *a)
{
    const Real *v = f->state + JET_V;
    const Real *acceleration = f->state + JET_A;
    Jet out = {.v = a->g[0]};
    for (int k = 0; k < JET_N; k++) {
        out.v += a->g[JET_Q + k] * v[k] + a->g[JET_V + k] * acceleration[k];
        out.g[JET_V + k] += a->g[JET_Q + k];
        out.g[JET_A + k] += a->g[JET_V + k];
    }
    for (int i = 0; i < JET_SECOND; i++) {
        out.g[i] += a->h[0][i];
        for (int k = 0; k < JET_N; k++) {
            out.g[i] +=
                a->h[JET_Q + k][i] * v[k] + a->h[JET_V + k][i] * acceleration[k];
        }
    }
    for (int i = 0; i < JET_V; i++) {
        for (int j = 0; j < JET_V; j++) {
            out.h[i][j] = NAN;
        }
        for (int k = 0; k < JET_N; k++) {
            out.h[i][JET_V + k] = a->h[i][JET_Q + k];
            out.h[JET_V + k][i] = a->h[i][JET_Q + k];
        }
    }
    return out;
}

// Which of two a node takes, found out without noise; `gap` is what decides.
static inline bool jet_takes(Jets *f, JetNode *node, Real gap, Real size)
{
    if (!f->noisy) {
        node->taken = gap < 0.0L;
        f->margin = fminl(f->margin, fabsl(gap) / (1.0L + size));
    }
    return node->taken;
}

static inline Jet jet_piecewise(Jets *f, JetNode *node, const Jet *a, const Jet *b)
{
    const Real gap = a->v - b->v;
    const Real size = fabsl(a->v) + fabsl(b->v);
    const bool first = f->nodes[node->arg[0]].taken;
    const bool second = f->nodes[node->arg[1]].taken;
    switch (node->op) {
    case JET_MIN: return jet_takes(f, node, gap, size) ? *a : *b;
    case JET_MAX: return jet_takes(f, node, gap, size) ? *b : *a;
    case JET_LESS: jet_takes(f, node, gap, size); break;
    case JET_BOTH: node->taken = first && second; break;
    case JET_EITHER: node->taken = first || second; break;
    case JET_NOT: node->taken = !first; break;
    case JET_ABS:
        return jet_takes(f, node, a->v, fabsl(a->v)) ? jet_mix(-1.0L, a, 0.0L, a) : *a;
    case JET_SIGN:
        return (Jet){.v = jet_takes(f, node, a->v, fabsl(a->v)) ? -1.0L : 1.0L};
    default: return first ? *b : f->jets[node->arg[2]]; // CHOOSE
    }
    return (Jet){.v = node->taken};
}

static inline Real jet_shake(Jets *f, Real x)
{
    return x * (1.0L + JET_NOISE * (Real)(2.0 * rng_unit(&f->noise) - 1.0));
}

// 1 − tanh² has few digits where tanh is near 1, however it is computed.
static inline Jet jet_tanh(Jets *f, const Jet *a)
{
    const Real t = f->noisy ? jet_shake(f, tanhl(a->v)) : tanhl(a->v);
    return jet_chain(a, t, 1.0L - t * t, -2.0L * t * (1.0L - t * t));
}

static inline void jet_add_noise(Jets *f, Jet *jet)
{
    jet->v = jet_shake(f, jet->v);
    for (int i = 0; i < JET_FIRST; i++) {
        jet->g[i] = jet->g[i] != 0.0L ? jet_shake(f, jet->g[i]) : 0.0L;
    }
    for (int i = 0; i < JET_SECOND; i++) {
        for (int j = 0; j <= i; j++) {
            jet->h[i][j] = jet->h[i][j] != 0.0L ? jet_shake(f, jet->h[i][j]) : 0.0L;
            jet->h[j][i] = jet->h[i][j];
        }
    }
}

static inline void jet_eval_node(Jets *f, int i)
{
    JetNode *node = &f->nodes[i];
    const Jet *a = &f->jets[node->arg[0]];
    const Jet *b = &f->jets[node->arg[1]];
    Jet *out = &f->jets[i];
    switch (node->op) {
    case JET_CONST: *out = (Jet){.v = node->number}; return;
    case JET_GIVEN: *out = (Jet){.v = f->known[node->whole]}; return;
    case JET_VARIABLE:
        *out = (Jet){.v = f->state[node->whole]};
        out->g[node->whole] = 1.0L;
        return;
    case JET_SAME: *out = *a; return;
    case JET_RATE: *out = jet_rate_of(f, a); break;
    case JET_TANH: *out = jet_tanh(f, a); break;
    case JET_ABS:
    case JET_SIGN:
    case JET_MIN:
    case JET_MAX:
    case JET_LESS:
    case JET_BOTH:
    case JET_EITHER:
    case JET_NOT:
    case JET_CHOOSE: *out = jet_piecewise(f, node, a, b); return;
    default: *out = jet_binary(node->op, node->whole, a, b); break;
    }
    if (f->noisy) {
        jet_add_noise(f, out);
    }
}

/// Evaluate all nodes.
static inline void jet_eval(Jets *f)
{
    for (int i = 0; i < f->count; i++) {
        jet_eval_node(f, i);
    }
}

/// Begin the formulas of another model.
static inline void jet_begin(Jets *f)
{
    f->count = 0;
    f->used = 0;
    memset(f->known, 0, sizeof f->known);
    memset(f->state, 0, sizeof f->state);
}

#endif

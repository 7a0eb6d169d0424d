// SPDX-License-Identifier: MIT

/// @file
/// Functions from data: piecewise polynomials through points, and their derivatives.
///
/// A spline goes through points (xᵢ, yᵢ), xᵢ rising.  Between them it is a polynomial of
/// degree three at most, by one of three methods: cubic splines, twice continuous, whose
/// first two and last two pieces are one polynomial each (not-a-knot), or that are periodic;
/// straight lines; and monotone cubics, which rise and fall only where the points do.
///
/// A value takes the logarithm of the number of pieces.  At a knot the piece to the right
/// counts.  A spline that is made does not change, and any number of threads may look at it.
///
/// Graphs and programs hold the addresses of the functions of a spline.  So a spline lives
/// longer than all that is made of it: it is the model's, as the symbols are.

#ifndef EXPR_SPLINE_H
#define EXPR_SPLINE_H

#include "base/context.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    KAL_SPLINE_POINTS = 1000000, ///< of a spline, at most
    KAL_SPLINE_ORDER = 3         ///< the highest derivative that is not zero everywhere
};

/// How pieces are chosen: name, word, how often the spline can be differentiated at a knot
/// with a continuous result.
#define KAL_SPLINE_METHOD_LIST(X)     \
    X(KAL_SPLINE_CUBIC, "cubic", 2)   \
    X(KAL_SPLINE_LINEAR, "linear", 0) \
    X(KAL_SPLINE_MONOTONE, "monotone", 1)

typedef enum KalSplineMethod {
#define KAL_SPLINE_METHOD_ENUM(name, word, smooth) name,
    KAL_SPLINE_METHOD_LIST(KAL_SPLINE_METHOD_ENUM)
#undef KAL_SPLINE_METHOD_ENUM
    KAL_SPLINE_METHODS
} KalSplineMethod;

/// What a spline is before the first point and behind the last: name, word.
#define KAL_SPLINE_OUTSIDE_LIST(X)  \
    X(KAL_OUTSIDE_ERROR, "error")   \
    X(KAL_OUTSIDE_HOLD, "hold")     \
    X(KAL_OUTSIDE_EXTEND, "extend") \
    X(KAL_OUTSIDE_REPEAT, "repeat")

typedef enum KalSplineOutside {
#define KAL_SPLINE_OUTSIDE_ENUM(name, word) name,
    KAL_SPLINE_OUTSIDE_LIST(KAL_SPLINE_OUTSIDE_ENUM)
#undef KAL_SPLINE_OUTSIDE_ENUM
    KAL_SPLINE_OUTSIDES
} KalSplineOutside;

/// The functions of a spline: its derivatives, from the spline itself on, and two *levels*.
/// A level tells the piece and how far along it is, piece + part: it rises with x, and is
/// whole where pieces meet and nowhere else.
typedef enum KalSplineFunctionKind {
    KAL_SPLINE_VALUE,
    KAL_SPLINE_FIRST,
    KAL_SPLINE_SECOND,
    KAL_SPLINE_THIRD,
    KAL_SPLINE_KNOTS, ///< the level of all pieces, and of what is outside
    KAL_SPLINE_ENDS, ///< the level that knows but before, inside and behind: −1, 0, 1
    KAL_SPLINE_FUNCTIONS
} KalSplineFunctionKind;

typedef struct KalSpline KalSpline;

/// One of them.
typedef struct KalSplineFunction {
    const KalSpline *spline;
    KalSplineFunctionKind kind;
} KalSplineFunction;

/// A spline.  The arrays are behind it in one piece of memory.
struct KalSpline {
    const char *name; ///< for who shows formulas; lives as long as the spline
    size_t pieces;    ///< ≥ 1
    KalSplineMethod method;
    KalSplineOutside outside;
    uint64_t hash; ///< of name and points: the same in every process
    double *knots; ///< pieces + 1, rising
    double
        *factors; ///< 4 × pieces: of 1, d, d², d³, d the distance from the knot before
    KalSplineFunction functions[KAL_SPLINE_FUNCTIONS];
};

/// The address of a function in the two arguments of a node that keeps it.
typedef union KalSplineAddress {
    const KalSplineFunction *function;
    uint32_t halves[2];
} KalSplineAddress;

/// The function of an operator, from the second and third argument of a node or step.
static inline const KalSplineFunction *kal_spline_of(uint32_t low, uint32_t high)
{
    const KalSplineAddress address = {
        .halves = {low, high}
    };
    return address.function;
}

/// What to make a spline of.
typedef struct KalSplineSpec {
    const char *name;
    const double *x; ///< n
    const double *y; ///< n
    size_t n;
    KalSplineMethod method;
    KalSplineOutside outside;
} KalSplineSpec;

/// Why points do not make a spline: a phrase, and the place of the point; NULL if they do.
const char *kal_spline_fault(const KalSplineSpec *spec, size_t *out_place);

/// How many bytes a spline of n points takes, the arrays included.
size_t kal_spline_bytes(size_t n);

/// Make a spline in `memory`, of kal_spline_bytes(), of points without fault.  Takes memory of
/// the context while it works.  KAL_ERR_NOMEM; KAL_ERR_NUMBER where the points are so far
/// from each other that the pieces have no finite factors.
KAL_CHECKED KalStatus kal_spline_make(KalContext *ctx, const KalSplineSpec *spec,
                                      void *memory, KalSpline **out_spline);

/// Where pieces of a function meet so that it bends or jumps.
typedef enum KalSplineBorders {
    KAL_BORDERS_NONE, ///< it is continuously differentiable all over, as far as it has values
    KAL_BORDERS_ENDS, ///< at the first and the last point
    KAL_BORDERS_KNOTS
} KalSplineBorders;

/// Of a derivative, and whether it jumps there.
KalSplineBorders kal_spline_borders(const KalSplineFunction *f, bool *out_jumps);

/// The value of a function at x; NaN where there is none.
double kal_spline_value(const KalSplineFunction *f, double x);

/// The same on the piece that a level, by kal_spline_borders(), has for the greatest whole
/// number below it, also beyond the ends of the piece.
double kal_spline_on_piece(const KalSplineFunction *f, double piece, double x);

/// Bounds of a function over low … high; infinite where nothing is known, or NaN may be.
void kal_spline_bound(const KalSplineFunction *f, double low, double high,
                      double *out_low, double *out_high);

#endif

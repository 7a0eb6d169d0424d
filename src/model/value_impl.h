// SPDX-License-Identifier: MIT

/// @file
/// Values of expressions: a formula with its unit, an array of values, or a part.

#ifndef MODEL_VALUE_IMPL_H
#define MODEL_VALUE_IMPL_H

#include "lang/tree.h"
#include "model/build.h"
#include "model/unit.h"

/// A build under way (model/build_impl.h).
typedef struct KalBuild KalBuild;

/// A unit in the build's table.
typedef uint32_t KalUnitId;

enum {
    KAL_UNIT_ANY, ///< that of decimals, of 0, and of names without a unit
    KAL_UNIT_ONE,
    KAL_UNIT_ENERGY, ///< J
    KAL_UNIT_POWER,  ///< W
    KAL_UNIT_TIME,   ///< s
    KAL_UNIT_NUMBER, ///< 1, of whole numbers and what is made of them alone: a declaration
                     ///< may give it another
};

/// What a value is.
typedef enum KalValueKind {
    KAL_VALUE_NONE, ///< an element that is not defined yet
    KAL_VALUE_BAD,  ///< an error was reported
    KAL_VALUE_SCALAR,
    KAL_VALUE_ARRAY,
    KAL_VALUE_PART,
} KalValueKind;

typedef struct KalArray KalArray;
typedef struct KalScope KalScope;

/// A value; pass it by value.
typedef struct KalValue {
    uint8_t kind;   ///< a KalValueKind
    uint16_t marks; ///< 1 << KalSymbolKind of what is in it, at least
    KalUnitId unit; ///< of a scalar

    union {
        KalExpr expr;
        KalArray *array;
        KalScope *part;
    } of;
} KalValue;

#define KAL_BAD_VALUE ((KalValue){.kind = KAL_VALUE_BAD})

/// A sequence of values, which count from 1 for users and from 0 here.  Shared and never
/// changed, but for one that is open: its elements are declared one by one.
struct KalArray {
    uint32_t n;
    uint32_t capacity; ///< of `items`; 0 for arrays that are not open
    uint32_t depth;    ///< 1 for a vector, 2 for a matrix
    uint32_t holes;    ///< elements not defined yet; only open arrays have some
    uint32_t size;     ///< scalars and parts in it, at all depths
    bool kept;         ///< it is in the arena, and so are its elements
    KalValue *items;
};

/// Sets of kinds of symbols, for KalValue.marks.
#define KAL_MARK(kind) (1U << KAL_SYMBOL_##kind)

enum {
    KAL_MARKS_CONSTANT = 1U << KAL_SYMBOL_PARAMETER,
    KAL_MARKS_TIMED = KAL_MARKS_CONSTANT | 1U << KAL_SYMBOL_TIME,
    KAL_MARKS_STATE =
        KAL_MARKS_TIMED | 1U << KAL_SYMBOL_COORDINATE | 1U << KAL_SYMBOL_VELOCITY,
    KAL_MARKS_MOTION = KAL_MARKS_STATE | 1U << KAL_SYMBOL_ACCELERATION,
    KAL_MARKS_FORCE = KAL_MARKS_STATE | 1U << KAL_SYMBOL_ACTIVE | 1U << KAL_SYMBOL_STATE
                      | 1U << KAL_SYMBOL_HOLD,
    KAL_MARKS_NONIDEAL = KAL_MARKS_FORCE | 1U << KAL_SYMBOL_REACTION,
    KAL_MARKS_MOVING = 1U << KAL_SYMBOL_COORDINATE | 1U << KAL_SYMBOL_VELOCITY
                       | 1U << KAL_SYMBOL_ACCELERATION,
    KAL_MARK_GUESS = 1U << 14,   ///< made of an argument given by `~`
    KAL_MARK_DEGREES = 1U << 15, ///< made of an output in degrees
    KAL_MARKS_NOTES = KAL_MARK_GUESS | KAL_MARK_DEGREES, ///< allowed everywhere
    KAL_MARKS_ALL = 0xFFFF,
};

/// An array of n elements in the pool, to be filled; NULL when the build stops.
KalArray *kal_build_array(KalBuild *b, uint32_t n);

/// The value of an array whose elements are filled; `span` is to blame when it is too
/// large.
KalValue kal_build_finish(KalBuild *b, KalArray *array, KalSpan span);

/// A value that lives as long as the build.
KalValue kal_build_keep(KalBuild *b, KalValue value);

/// How many scalars and parts a value holds.
size_t kal_build_size(KalValue value);

/// "a vector of 3 elements"
typedef struct KalValueText {
    char text[64];
} KalValueText;

KalValueText kal_build_describe(KalValue value);

/// Makes a scalar of two, or of one and nothing.
typedef KalValue (*KalScalarFn)(KalBuild *b, KalValue a, KalValue c,
                                const KalNode *node);

/// Applies a function to the scalars of two values of one shape.
KalValue kal_build_zip(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                       const KalNode *node);

/// Applies a function to all scalars of `a`, each with the scalar c.
KalValue kal_build_each(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                        const KalNode *node);

/// The scalar of a formula.
KalValue kal_build_known(KalExpr e, unsigned marks, KalUnitId unit);

/// A whole number.
KalValue kal_build_index(KalBuild *b, int64_t i, const KalNode *node);

/// The scalar of a formula that was just built, or bad when the graph failed.
KalValue kal_build_scalar_of(KalBuild *b, KalExpr e, unsigned marks, KalUnitId unit,
                             const KalNode *node);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Operators, and what is known of each: the rows of ops.def.
///
/// A row has a column for every fact that is a choice among few.  Each column is an enum
/// here, and whoever uses one has a switch over it that names all of its constants.

#ifndef EXPR_OP_H
#define EXPR_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What a node does with its operands; the list is in ops.def.
typedef enum KalOp {
#define KAL_OP(name, ...) KAL_OP_##name,
#include "expr/ops.def"
#undef KAL_OP
    KAL_OP_COUNT
} KalOp;

/// How an operator is written.
typedef enum KalKind {
    KAL_KIND_LEAF,
    KAL_KIND_SUM,
    KAL_KIND_PRODUCT,
    KAL_KIND_POWER,
    KAL_KIND_CALL,
    KAL_KIND_GUARD,
    KAL_KIND_SELECT,
    KAL_KIND_RELATION,
    KAL_KIND_LOGIC
} KalKind;

/// What becomes of a function of one operand when that changes its sign.
typedef enum KalParity {
    KAL_PARITY_NEITHER,
    KAL_PARITY_ODD, ///< it changes its sign too
    KAL_PARITY_EVEN ///< nothing
} KalParity;

/// How smooth an operator is, and how much of it exact algebra knows; from the smoothest
/// down.
typedef enum KalNature {
    KAL_NATURE_RATIONAL,    ///< arithmetic, and what stands in place of an operand
    KAL_NATURE_EXPONENTIAL, ///< a quotient of exponentials: theory (10.5)
    KAL_NATURE_ANALYTIC,    ///< analytic for all operands, complex ones too
    KAL_NATURE_BRANCHED,    ///< analytic, but with branch points: log at 0, atan at ±i
    KAL_NATURE_KINK,        ///< made of pieces that meet
    KAL_NATURE_JUMP,        ///< made of pieces that do not meet
    KAL_NATURE_CHOICE       ///< made of the pieces of its operands
} KalNature;

/// Where an operator has a finite value.
typedef enum KalDomain {
    KAL_DOMAIN_EVERYWHERE,
    KAL_DOMAIN_GROWING, ///< everywhere, or almost, but soon too large for a double
    KAL_DOMAIN_NONNEGATIVE,
    KAL_DOMAIN_POSITIVE,
    KAL_DOMAIN_UNIT,    ///< from −1 to 1
    KAL_DOMAIN_DIVISOR, ///< where the second operand is not zero
    KAL_DOMAIN_POWER    ///< that depends on the exponent
} KalDomain;

/// What an operator does with units.
typedef enum KalUnitRule {
    KAL_UNITS_LEAF,      ///< whatever the leaf has
    KAL_UNITS_SAME,      ///< operands alike, and the result like them
    KAL_UNITS_PRODUCT,   ///< that of the product
    KAL_UNITS_QUOTIENT,  ///< that of the quotient
    KAL_UNITS_POWER,     ///< that of the power
    KAL_UNITS_ROOT,      ///< the square root of the operand's
    KAL_UNITS_PLAIN,     ///< from numbers without a unit to such
    KAL_UNITS_ANGLE,     ///< from numbers without a unit to radians
    KAL_UNITS_DIRECTION, ///< from operands alike to radians
    KAL_UNITS_SIGN,      ///< from any unit to a number without one
    KAL_UNITS_GUARD,     ///< that of the first operand
    KAL_UNITS_CHOICE,    ///< that of the second and third operand, which are alike
    KAL_UNITS_CONDITION  ///< from operands alike to a condition
} KalUnitRule;

/// How mathematics writes an operator.
typedef enum KalMath {
    KAL_MATH_OPERATOR, ///< by its kind: signs, fractions, exponents, cases
    KAL_MATH_NAME,     ///< a name that LaTeX has no command for
    KAL_MATH_COMMAND,  ///< one that it has
    KAL_MATH_POWERED,  ///< one that it has, with powers at the name: sin²x
    KAL_MATH_ROOT,     ///< below a radical sign
    KAL_MATH_BARS,     ///< between bars
    KAL_MATH_FLOOR,    ///< between brackets that end below
    KAL_MATH_CEILING,  ///< between brackets that end above
    KAL_MATH_LESS,
    KAL_MATH_AT_MOST,
    KAL_MATH_EQUAL,
    KAL_MATH_UNEQUAL,
    KAL_MATH_AND,
    KAL_MATH_OR,
    KAL_MATH_NOT
} KalMath;

/// How machine code has an operator (prog/native.c).
typedef enum KalMachine {
    KAL_MACHINE_WRITTEN, ///< by instructions, or it is none
    KAL_MACHINE_CALLED   ///< by a call of its loop
} KalMachine;

/// Whether it is a function of a table: the node keeps which one, see expr/node.h.
static inline bool kal_op_is_spline(KalOp op)
{
    return op == KAL_OP_SPLINE || op == KAL_OP_SPLINE_KINK || op == KAL_OP_SPLINE_JUMP;
}

/// How many operands there are.
static inline int kal_op_arity(KalOp op)
{
    static const uint8_t arities[] = {
#define KAL_OP(name, arity, ...) arity,
#include "expr/ops.def"
#undef KAL_OP
    };
    return arities[op];
}

/// Whether the result is the same with operands exchanged.
static inline bool kal_op_commutes(KalOp op)
{
    static const bool commuting[] = {
#define KAL_OP(name, arity, kind, commutes, ...) commutes,
#include "expr/ops.def"
#undef KAL_OP
    };
    return commuting[op];
}

KalKind kal_op_kind(KalOp op);
KalParity kal_op_parity(KalOp op);
KalNature kal_op_nature(KalOp op);
KalDomain kal_op_domain(KalOp op);
KalUnitRule kal_op_units(KalOp op);
KalMath kal_op_math(KalOp op);
KalMachine kal_op_machine(KalOp op);

/// As the model language spells it.
const char *kal_op_word(KalOp op);

/// As LaTeX and MathML spell it, where they write a name.
const char *kal_op_name(KalOp op);

/// The function that it is in exported C, for doubles or floats; "" of what is written with
/// signs, as a number, or as the formulas of a table.
const char *kal_op_c_name(KalOp op, bool single);

/// Whether it chooses between values, and so need not be one formula all over: if, min,
/// max, abs, sign, comparisons and logic.
bool kal_op_is_piecewise(KalOp op);

/// The function whose square, with that of this one, makes 1: the cosine for the sine, and
/// so on, theory (8.6); KAL_OP_CONST if there is none.
KalOp kal_op_partner(KalOp op);

/// The function of this name, such as "atan2"; KAL_OP_COUNT when there is none.
KalOp kal_op_find_function(const char *name, size_t length);

#endif

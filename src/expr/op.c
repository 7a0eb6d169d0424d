// SPDX-License-Identifier: MIT

// Facts about operators, from their one list, ops.def.  Whoever needs another fact adds a
// column there, and the compiler asks for it in every row.

#include "expr/op.h"

#include <assert.h>
#include <string.h>

// A row of ops.def, without what only evaluation needs.
typedef struct Row {
    uint8_t kind;
    uint8_t parity;
    uint8_t nature;
    uint8_t domain;
    uint8_t units;
    uint8_t math;
    uint8_t machine;
    const char *word;
    const char *name;
    const char *c_name;
    const char *c_single; // for floats
} Row;

// The last two of these by the column `c`.
#define C_NAMES_SIGNS(name)   name, name
#define C_NAMES_OWN(name)     name, name
#define C_NAMES_LIBRARY(name) name, name "f"

static const Row ROWS[] = {
#define KAL_OP(id, arity, kind, commutes, word, value, parity, nature, domain, units, \
               math, name, machine, c, c_name)                                        \
    {KAL_KIND_##kind,                                                                 \
     KAL_PARITY_##parity,                                                             \
     KAL_NATURE_##nature,                                                             \
     KAL_DOMAIN_##domain,                                                             \
     KAL_UNITS_##units,                                                               \
     KAL_MATH_##math,                                                                 \
     KAL_MACHINE_##machine,                                                           \
     word,                                                                            \
     name,                                                                            \
     C_NAMES_##c(c_name)},
#include "expr/ops.def"
#undef KAL_OP
};

static const Row *row_of(KalOp op)
{
    assert(op < KAL_OP_COUNT);
    return &ROWS[op];
}

KalKind kal_op_kind(KalOp op)
{
    return (KalKind)row_of(op)->kind;
}

KalParity kal_op_parity(KalOp op)
{
    return (KalParity)row_of(op)->parity;
}

KalNature kal_op_nature(KalOp op)
{
    return (KalNature)row_of(op)->nature;
}

KalDomain kal_op_domain(KalOp op)
{
    return (KalDomain)row_of(op)->domain;
}

KalUnitRule kal_op_units(KalOp op)
{
    return (KalUnitRule)row_of(op)->units;
}

KalMath kal_op_math(KalOp op)
{
    return (KalMath)row_of(op)->math;
}

KalMachine kal_op_machine(KalOp op)
{
    return (KalMachine)row_of(op)->machine;
}

const char *kal_op_word(KalOp op)
{
    return row_of(op)->word;
}

const char *kal_op_name(KalOp op)
{
    return row_of(op)->name;
}

const char *kal_op_c_name(KalOp op, bool single)
{
    return single ? row_of(op)->c_single : row_of(op)->c_name;
}

bool kal_op_is_piecewise(KalOp op)
{
    return row_of(op)->nature >= KAL_NATURE_KINK;
}

KalOp kal_op_partner(KalOp op)
{
    assert(op < KAL_OP_COUNT);
    static const KalOp partners[KAL_OP_COUNT] = {
        [KAL_OP_SIN] = KAL_OP_COS,
        [KAL_OP_COS] = KAL_OP_SIN,
        [KAL_OP_SINH] = KAL_OP_COSH,
        [KAL_OP_COSH] = KAL_OP_SINH,
    };
    return partners[op];
}

KalOp kal_op_find_function(const char *name, size_t length)
{
    for (int op = 0; op < KAL_OP_COUNT; op++) {
        const char *word = ROWS[op].word;
        if (ROWS[op].kind == KAL_KIND_CALL && length > 0 && strlen(word) == length
            && memcmp(word, name, length) == 0) {
            return (KalOp)op;
        }
    }
    return KAL_OP_COUNT;
}

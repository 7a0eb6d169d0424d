// SPDX-License-Identifier: MIT

/// @file
/// The printing machine: a stack of pieces, and what the formats share.
///
/// A piece is a bit of text or a part of a formula in a context.  The machine takes the
/// top piece and writes it, or has its format replace it by smaller pieces; so formulas of
/// any depth print without recursion.

#ifndef PRINT_PRINT_IMPL_H
#define PRINT_PRINT_IMPL_H

#include "expr/seeds.h"
#include "print/print.h"

/// How tightly a context binds: what binds less is put in parentheses.
typedef enum KalLevel {
    KAL_LEVEL_SUM,
    KAL_LEVEL_PRODUCT,
    KAL_LEVEL_POWER,
    KAL_LEVEL_ATOM
} KalLevel;

typedef enum KalPieceKind {
    KAL_PIECE_TEXT,
    KAL_PIECE_INTEGER,  ///< a whole number
    KAL_PIECE_NODE,     ///< an expression at a level
    KAL_PIECE_TERM,     ///< one in a sum, with its sign
    KAL_PIECE_PRODUCT,  ///< one whose sign was written
    KAL_PIECE_CONDITION ///< one where a condition is expected
} KalPieceKind;

typedef struct KalPiece {
    uint8_t kind;  ///< a KalPieceKind
    uint8_t level; ///< a KalLevel; of conditions: 1 if and, or, not need parentheses
    bool negative; ///< of a term
    bool first;    ///< of a term: nothing before it
    KalExpr e;

    union {
        const char *text;
        int64_t integer;
    };

    size_t length; ///< of text
} KalPiece;

typedef struct KalPrinter KalPrinter;

struct KalPrinter {
    KalGraph *g;
    KalContext *ctx;
    const KalPrintOptions *options;
    void (*expand)(KalPrinter *p, const KalPiece *piece);
    char *text;
    size_t length;
    size_t capacity;
    size_t limit;
    KalPiece *stack;
    size_t depth;
    size_t stack_capacity;
    KalSeeds parts;   ///< expressions that have names
    KalExpr defining; ///< the one that is being defined
    KalStatus status; ///< held, as in any builder
};

void kal_print_write(KalPrinter *p, const char *text, size_t length);
void kal_print_string(KalPrinter *p, const char *text);
void kal_print_integer(KalPrinter *p, int64_t value);

/// A double with the fewest digits that read back equal, exponents without a plus.
void kal_print_double(KalPrinter *p, double value);

/// Pieces are pushed in the order in which they are to appear.
void kal_push(KalPrinter *p, KalPiece piece);
void kal_push_text(KalPrinter *p, const char *text);
void kal_push_integer(KalPrinter *p, int64_t value);
void kal_push_node(KalPrinter *p, KalExpr e, KalLevel level);
void kal_push_condition(KalPrinter *p, KalExpr e, bool inner);
void kal_push_product(KalPrinter *p, KalExpr e);

/// The number of the part that an expression is, 0 if it has no name.
uint32_t kal_print_part(const KalPrinter *p, KalExpr e);

const char *kal_print_name(const KalPrinter *p, KalExpr symbol);

/// The signs of a format, between terms and before the first.
typedef struct KalSigns {
    const char *first_minus;
    const char *minus;
    const char *plus;
} KalSigns;

KalSigns kal_print_signs(const KalPrinter *p);

/// A term of a sum, as text and mathematics have it: its sign, then its product; sums within
/// sums lose their parentheses.
void kal_expand_term(KalPrinter *p, const KalPiece *piece);

/// How tightly a node binds where fractions are written p/q.
KalLevel kal_print_level(const KalPrinter *p, KalExpr e);

/// Whether e is number × (1/denominator), and what these are.
bool kal_print_is_inverse(const KalPrinter *p, KalExpr e, KalRational *out_k,
                          KalExpr *out_below);

void kal_expand_text(KalPrinter *p, const KalPiece *piece);
void kal_expand_math(KalPrinter *p, const KalPiece *piece);
void kal_expand_c(KalPrinter *p, const KalPiece *piece);

/// Write a name of the model language in LaTeX or MathML; `literal`: as it is typed, but
/// for primes, which are dots.
void kal_math_name(KalPrinter *p, const char *name, bool literal);

/// Write the name of a part in LaTeX or MathML.
void kal_print_part_name(KalPrinter *p, uint32_t part);

/// The function of a node, if it is one of a table; else NULL.
const KalSplineFunction *kal_print_spline(const KalExprNode *n);

/// How many primes its name has: f, f', f'', f'''.  Levels have none.
int kal_print_primes(const KalSplineFunction *f);

/// How often a node's C text names operand k.
int kal_c_uses(const KalExprNode *n, int k);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// The syntax tree of a model text.
///
/// A tree is a chain of statements.  Every node is one KalNode of the same size, in the
/// arena of its tree, and knows the stretch of source that it was made from.  Its kind,
/// listed in nodes.def, says which member of `of` holds its parts.  Parts are nodes too:
/// one, or the first of a chain that `next` links, or NULL where there is none.
///
/// What always holds:
///  - a node belongs to one parent; no node is reached twice;
///  - no path from a statement down to a leaf is longer than KAL_TREE_DEPTH nodes, chains
///    counted as one, so that code may walk trees by recursion: operators of one rank are
///    one node with a chain (`a + b - c`), however many they are;
///  - parentheses leave no trace but the shape of the tree.
///
/// Names and numbers point into the source, which has to outlive the tree.  Trees may also
/// be built by hand, node by node from the leaves up.  Building cannot fail visibly: a
/// tree that is out of memory is *spoiled*; kal_tree_add() then returns NULL, which it
/// also accepts as a part, and whoever takes the tree asks kal_tree_status().

#ifndef LANG_TREE_H
#define LANG_TREE_H

#include "base/diagnostic.h"

#include <stdbool.h>

enum {
    KAL_TREE_DEPTH = 250, ///< the longest way down
    KAL_NODE_SLOTS = 4,   ///< parts that a node can have
    KAL_PRIME_LIMIT = 9,  ///< the highest derivative that can be written
};

/// The kind of a node.
typedef enum KalNodeKind {
#define KAL_NODE(name, member) KAL_NODE_##name,
#include "lang/nodes.def"
} KalNodeKind;

/// How a term or factor joins those before it.
typedef enum KalJoin {
    KAL_JOIN_NONE,
    KAL_JOIN_PLUS,
    KAL_JOIN_MINUS,
    KAL_JOIN_TIMES,
    KAL_JOIN_OVER,
} KalJoin;

/// What a COMPARE asks.
typedef enum KalCompare {
    KAL_COMPARE_LESS,
    KAL_COMPARE_LESS_EQUAL,
    KAL_COMPARE_GREATER,
    KAL_COMPARE_GREATER_EQUAL,
    KAL_COMPARE_EQUAL,
    KAL_COMPARE_NOT_EQUAL,
} KalCompare;

/// Whether a start value holds exactly (`=`) or may move (`~`).
typedef enum KalStart {
    KAL_START_EXACT,
    KAL_START_GUESS,
} KalStart;

/// Which crossings of zero an event minds; 0 stands for both.
typedef enum KalDirection {
    KAL_DIRECTION_RISING = 1,
    KAL_DIRECTION_FALLING = 2,
} KalDirection;

/// Every shape that can be drawn, with its word.
#define KAL_SHAPE_LIST(X) \
    X(LINE, "line")       \
    X(CIRCLE, "circle")   \
    X(BOX, "box")         \
    X(SPRING, "spring")   \
    X(PATH, "path")

/// What a DRAW draws.
typedef enum KalShape {
#define KAL_SHAPE_ENUM(name, word) KAL_SHAPE_##name,
    KAL_SHAPE_LIST(KAL_SHAPE_ENUM)
#undef KAL_SHAPE_ENUM
    KAL_SHAPES ///< how many there are
} KalShape;

/// Every option, with its word and the kind of statement that takes it.
#define KAL_OPTION_LIST(X)                 \
    X(RTOL, "rtol", SIMULATE)              \
    X(ATOL, "atol", SIMULATE)              \
    X(METHOD, "method", SIMULATE)          \
    X(DRIFT, "drift", SIMULATE)            \
    X(RATE, "rate", SERVO)                 \
    X(LIMIT, "limit", ACTUATOR)            \
    X(WEIGHT, "weight", ACTUATOR)          \
    X(OFF, "off", CONSTRAINT)              \
    X(LAW, "law", ACTUATOR)                \
    X(COLUMN_X, "x", TABLE)                \
    X(COLUMN_Y, "y", TABLE)                \
    X(TABLE_METHOD, "method", TABLE)       \
    X(TABLE_OUTSIDE, "outside", TABLE)     \
    X(RESTITUTION, "restitution", CONTACT) \
    X(FRICTION, "friction", CONTACT)       \
    X(SLIP, "slip", CONTACT)               \
    X(STATIC, "static", CONTACT)           \
    X(DRY_LIMIT, "limit", FRICTION)        \
    X(DRY_STATIC, "static", FRICTION)

/// What an OPTION sets.
typedef enum KalOption {
#define KAL_OPTION_ENUM(name, word, statement) KAL_OPTION_##name,
    KAL_OPTION_LIST(KAL_OPTION_ENUM)
#undef KAL_OPTION_ENUM
    KAL_OPTIONS ///< how many there are
} KalOption;

/// A node.
typedef struct KalNode KalNode;

struct KalNode {
    KalNodeKind kind : 8;
    unsigned op : 8;    ///< as nodes.def says for the kind
    KalJoin join : 8;   ///< in a chain of terms or factors
    unsigned depth : 8; ///< the longest way down, this node included
    KalSpan span;
    KalNode *next; ///< in a chain

    union {
        KalNode *slot[KAL_NODE_SLOTS]; ///< the parts, but for `text` and `number`

        struct {
            const char *data; ///< no NUL at the end
            uint32_t length;
        } text;

        struct {
            const char *text;   ///< as it was written
            const char *digits; ///< the value is digits × 10^exponent, exactly; no 0 is
                                ///< first or last, and zero has no digits
            uint16_t length;    ///< of `text`
            uint16_t n_digits;
            int32_t exponent;
            double value; ///< the nearest
        } number;

        struct {
            KalNode *items;
        } list;

        struct {
            KalNode *operand;
        } unary;

        struct {
            KalNode *left;
            KalNode *right;
        } binary;

        struct {
            KalNode *callee; ///< a NAME or MEMBER, or a PRIME of one
            KalNode *arguments;
        } call;

        struct {
            KalNode *condition;
            KalNode *yes;
            KalNode *no;
        } choice;

        struct {
            KalNode *index; ///< a NAME
            KalNode *range;
            KalNode *filter; ///< a condition, or NULL
            KalNode *body;
        } sum;

        struct {
            KalNode *target; ///< NAME, or with INDEX, MEMBER, PRIME
            KalNode *value;  ///< or NULL
            KalNode *unit;   ///< made of NAME, NUMBER 1, MULTIPLY, POWER; or NULL
        } declaration;

        struct {
            KalNode *value; ///< NULL for an option that is a word alone; a column of a
                            ///< table is a NAME or a STRING
        } option;

        struct {
            KalNode *name;  ///< a NAME
            KalNode *index; ///< a NAME; NULL for a single part
            KalNode *range;
            KalNode *call; ///< a CALL whose arguments are ARGUMENT
        } instance;

        struct {
            KalNode *row;
            KalNode *column;
            KalNode *value;
        } mass;

        struct {
            KalNode *target; ///< its name
            KalNode *left;
            KalNode *right;
            KalNode *options;
        } equation;

        struct {
            KalNode *target;
            KalNode *power; ///< per unit of the input; of a FRICTION, the velocity
            KalNode *options;
        } actuator;

        struct {
            KalNode *target;
            KalNode *unit; ///< or NULL
            KalNode *left; ///< the derivative of a STATE, the period of a HOLD
            KalNode *value;
        } dynamic;

        struct {
            KalNode *name; ///< a NAME
            KalNode *unit; ///< or NULL
            KalNode *data; ///< a STRING, the file; or two vectors, arguments and values
            KalNode *options;
        } table;

        struct {
            KalNode *from;
            KalNode *to;
            KalNode *every;
            KalNode *options;
        } simulate;

        struct {
            KalNode *target;
            KalNode *value;
            KalNode *actions;
        } event;

        struct {
            KalNode *curves;
            KalNode *against; ///< or NULL
        } plot;

        struct {
            KalNode *points; ///< one; of a line two or more, of a spring two
            KalNode *size;   ///< of a box; the radius of a circle; else NULL
            KalNode *angle;  ///< of a box, or NULL
        } draw;

        struct {
            KalNode *index; ///< a NAME
            KalNode *range;
            KalNode *body; ///< statements, or NULL
        } loop;

        struct {
            KalNode *name; ///< a NAME
            KalNode *parameters;
            KalNode *body; ///< statements or NULL; the expression of a FN
        } definition;
    } of;
};

/// The syntax tree of one text.
typedef struct KalTree KalTree;

/// Make an empty tree.  The caller owns it.
KAL_CHECKED KalStatus kal_tree_create(KalContext *ctx, KalTree **out_tree);

/// Free a tree and its nodes.  NULL is allowed.
void kal_tree_destroy(KalTree *tree);

/// The first statement, or NULL; `next` leads to the others.
const KalNode *kal_tree_first(const KalTree *tree);

/// Copy a node into the tree.  Its depth is found from its parts, which must be nodes of
/// the same tree, with nothing changed afterwards but `next` and `join`.  NULL when the
/// tree is spoiled, and when the node would be deeper than KAL_TREE_DEPTH, which spoils
/// nothing.
KalNode *kal_tree_add(KalTree *tree, KalNode node);

/// Add a NUMBER from the form that the lexer accepts; `text` is borrowed.  Whether a
/// double can hold it is not looked at.
KalNode *kal_tree_add_number(KalTree *tree, KalSpan span, const char *text,
                             size_t length);

/// Add a STRING or NAME; copies the bytes.
KalNode *kal_tree_add_text(KalTree *tree, KalNodeKind kind, KalSpan span,
                           const char *text, size_t length);

/// Append a statement to the tree; NULL is allowed and appends nothing.
void kal_tree_append(KalTree *tree, KalNode *statement);

/// KAL_OK, or KAL_ERR_NOMEM once a node could not be made.
KalStatus kal_tree_status(const KalTree *tree);

/// How many nodes were made.
size_t kal_tree_nodes(const KalTree *tree);

/// Whether two chains say the same, whatever their spans; numbers are equal when their
/// exact values are.
bool kal_node_equal(const KalNode *a, const KalNode *b);

/// Whether a node has its parts in `of.slot`.
bool kal_node_has_slots(const KalNode *node);

/// Whether an expression is a condition: COMPARE, NOT, AND, OR.
bool kal_node_is_condition(const KalNode *node);

/// Whether a NAME or STRING has these characters.
bool kal_node_is_text(const KalNode *node, const char *text);

#endif

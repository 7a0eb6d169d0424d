// SPDX-License-Identifier: MIT

// The syntax tree: nodes in an arena, with up to four parts each, which may be chains.
//
// Invariants: parts that a kind does not have are NULL, so that walks need not know kinds;
// depth is 1 more than that of the deepest part and at most KAL_TREE_DEPTH, which bounds all
// recursion over trees.  Nothing is changed once it is part of another node, but for links
// of chains.
//
// Numbers keep their text and their digits without leading and trailing zeros, so that 1.50
// and 15e-1 are equal, exactly.

#include "lang/tree.h"

#include "base/arena.h"
#include "base/number.h"

#include <assert.h>
#include <string.h>

enum {
    TREE_BYTES = 1 << 29, // more than the longest text needs: no text reaches it
    EXPONENT_BOUND = 1000000
};

struct KalTree {
    KalContext *ctx;
    KalArena *arena;
    KalNode *first;
    KalNode *last;
    size_t nodes;
    KalStatus status;
};

KalStatus kal_tree_create(KalContext *ctx, KalTree **out_tree)
{
    assert(ctx && out_tree);
    KalTree *tree = KAL_NEW(ctx, KalTree);
    if (!tree) {
        return kal_no_memory(ctx, "for a syntax tree");
    }
    tree->ctx = ctx;
    const KalStatus status = kal_arena_create(ctx, TREE_BYTES, &tree->arena);
    if (status != KAL_OK) {
        kal_tree_destroy(tree);
        return status;
    }
    *out_tree = tree;
    return KAL_OK;
}

void kal_tree_destroy(KalTree *tree)
{
    if (tree) {
        kal_arena_destroy(tree->arena);
        kal_free(tree->ctx, tree, sizeof *tree);
    }
}

const KalNode *kal_tree_first(const KalTree *tree)
{
    return tree->first;
}

KalStatus kal_tree_status(const KalTree *tree)
{
    return tree->status;
}

size_t kal_tree_nodes(const KalTree *tree)
{
    return tree->nodes;
}

bool kal_node_has_slots(const KalNode *node)
{
    return node->kind != KAL_NODE_NAME && node->kind != KAL_NODE_STRING
           && node->kind != KAL_NODE_NUMBER;
}

bool kal_node_is_condition(const KalNode *node)
{
    return node->kind == KAL_NODE_COMPARE || node->kind == KAL_NODE_NOT
           || node->kind == KAL_NODE_AND || node->kind == KAL_NODE_OR;
}

bool kal_node_is_text(const KalNode *node, const char *text)
{
    assert(node->kind == KAL_NODE_NAME || node->kind == KAL_NODE_STRING);
    return node->of.text.length == strlen(text)
           && memcmp(node->of.text.data, text, node->of.text.length) == 0;
}

// One more than the deepest part.
static unsigned depth_of(const KalNode *node)
{
    unsigned below = 0;
    for (int i = 0; i < KAL_NODE_SLOTS && kal_node_has_slots(node); i++) {
        for (const KalNode *part = node->of.slot[i]; part; part = part->next) {
            below = part->depth > below ? part->depth : below;
        }
    }
    return below + 1;
}

// Memory, zeroed; NULL when there is none, and then the tree is spoiled.
static void *take(KalTree *tree, size_t size)
{
    assert(size > 0);
    void *piece = tree->status == KAL_OK ? kal_arena_alloc(tree->arena, 1, size) : NULL;
    if (!piece) {
        tree->status = KAL_ERR_NOMEM;
    }
    return piece;
}

// The node with all parts NULL that its kind does not have: whoever set one member of the
// union left the bytes beyond it undefined.
static KalNode clean(const KalNode *node)
{
    static const unsigned char sizes[] = {
#define KAL_NODE(name, member) sizeof(((KalNode *)NULL)->of.member),
#include "lang/nodes.def"
    };
    KalNode copy = {.kind = node->kind,
                    .op = node->op,
                    .join = node->join,
                    .span = node->span,
                    .next = node->next};
    static_assert(sizeof copy.of == sizeof copy.of.slot, "slots cover the union");
    memcpy(&copy.of, &node->of, sizes[node->kind]);
    return copy;
}

KalNode *kal_tree_add(KalTree *tree, KalNode node)
{
    KalNode whole = clean(&node);
    const unsigned depth = depth_of(&whole);
    if (depth > KAL_TREE_DEPTH) {
        return NULL;
    }
    whole.depth = depth & 0xffU;
    KalNode *copy = take(tree, sizeof *copy);
    if (copy) {
        assert(whole.depth >= 1 && whole.depth <= KAL_TREE_DEPTH);
        *copy = whole;
        tree->nodes++;
    }
    return copy;
}

KalNode *kal_tree_add_text(KalTree *tree, KalNodeKind kind, KalSpan span,
                           const char *text, size_t length)
{
    assert(length <= UINT32_MAX);
    char *copy = take(tree, length > 0 ? length : 1);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, text, length);
    return kal_tree_add(tree,
                        (KalNode){
                            .kind = kind,
                            .span = span,
                            .of.text = {.data = copy, .length = (uint32_t)length}
    });
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The number after an "e", held at a bound that no mantissa of a literal makes up for.
static int32_t parse_exponent(const char *text, const char *end)
{
    assert(text <= end);
    int32_t exponent = 0;
    for (const char *c = text; c < end; c++) {
        if (is_digit(*c) && exponent < EXPONENT_BOUND) {
            exponent = 10 * exponent + (*c - '0');
        }
    }
    return *text == '-' ? -exponent : exponent;
}

// Split the text into digits, which go to `digits` if that is not NULL, and the exponent
// that belongs to all of them.
static int32_t split(const char *text, size_t length, char *digits, size_t *out_count)
{
    assert(length > 0);
    const char *end = text + length;
    bool fraction = false;
    int32_t exponent = 0;
    size_t count = 0;
    for (const char *c = text; c < end; c++) {
        if (*c == 'e' || *c == 'E') {
            exponent += parse_exponent(c + 1, end);
            break;
        }
        fraction = fraction || *c == '.';
        if (is_digit(*c)) {
            digits[count++] = *c;
            exponent -= fraction;
        }
    }
    *out_count = count;
    return exponent;
}

// Digits and exponent are kept apart, without zeros at either end: two spellings of a
// number are then equal, and printing has its digits.
KalNode *kal_tree_add_number(KalTree *tree, KalSpan span, const char *text,
                             size_t length)
{
    assert(length > 0 && length <= UINT16_MAX);
    char *digits = take(tree, length);
    if (!digits) {
        return NULL;
    }
    size_t count;
    int32_t exponent = split(text, length, digits, &count);
    while (count > 0 && digits[count - 1] == '0') {
        count--;
        exponent++;
    }
    while (count > 0 && digits[0] == '0') {
        digits++;
        count--;
    }
    assert(count == 0 || (digits[0] != '0' && digits[count - 1] != '0'));
    return kal_tree_add(tree,
                        (KalNode){
                            .kind = KAL_NODE_NUMBER,
                            .span = span,
                            .of.number = {.text = text,
                                          .digits = digits,
                                          .length = (uint16_t)length,
                                          .n_digits = (uint16_t)count,
                                          .exponent = count > 0 ? exponent : 0,
                                          .value = kal_number_parse(text, length)},
    });
}

void kal_tree_append(KalTree *tree, KalNode *statement)
{
    assert((tree->first != NULL) == (tree->last != NULL));
    if (!statement) {
        return;
    }
    if (tree->last) {
        tree->last->next = statement;
    } else {
        tree->first = statement;
    }
    tree->last = statement;
}

// Numbers by their values, names and texts by their bytes.
static bool has_equal_leaf(const KalNode *a, const KalNode *b)
{
    assert(a->kind == b->kind && !kal_node_has_slots(a));
    if (a->kind == KAL_NODE_NUMBER) {
        return a->of.number.exponent == b->of.number.exponent
               && a->of.number.n_digits == b->of.number.n_digits
               && memcmp(a->of.number.digits, b->of.number.digits,
                         a->of.number.n_digits)
                      == 0;
    }
    return a->of.text.length == b->of.text.length
           && memcmp(a->of.text.data, b->of.text.data, a->of.text.length) == 0;
}

// Recursion ends at KAL_TREE_DEPTH.
// NOLINTNEXTLINE(misc-no-recursion)
static bool has_equal_parts(const KalNode *a, const KalNode *b)
{
    assert(a && b);
    for (int i = 0; i < KAL_NODE_SLOTS; i++) {
        if (!kal_node_equal(a->of.slot[i], b->of.slot[i])) {
            return false;
        }
    }
    return true;
}

// NOLINTNEXTLINE(misc-no-recursion)
bool kal_node_equal(const KalNode *a, const KalNode *b)
{
    while (a && b) {
        if (a->kind != b->kind || a->op != b->op || a->join != b->join) {
            return false;
        }
        if (!(kal_node_has_slots(a) ? has_equal_parts(a, b) : has_equal_leaf(a, b))) {
            return false;
        }
        a = a->next;
        b = b->next;
    }
    return a == b;
}

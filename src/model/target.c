// SPDX-License-Identifier: MIT

// What declarations declare: names with indices, full names, elements of arrays.
//
// An index that depends on a loop names an element, any other a size (`x[3]` declares three,
// `x[i]` in a loop the i-th).  Arrays that are declared by elements are open: they grow, and
// elements that were not declared yet are KAL_VALUE_NONE.

#include "model/build_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_CAPACITY = 8
};

// Indices from the outermost to the innermost; one that read a loop's index names an
// element.
bool kal_build_target(KalBuild *b, const KalNode *node, KalTarget *out_target)
{
    KalTarget target = {.node = node};
    const KalNode *indices[KAL_TARGET_INDICES];
    const KalNode *base = node;
    while (base->kind == KAL_NODE_INDEX) {
        if (target.n == KAL_TARGET_INDICES) {
            kal_build_error(b, node->span, "a name has at most %d indices",
                            KAL_TARGET_INDICES);
            return false;
        }
        indices[target.n++] = base->of.binary.right;
        base = base->of.binary.left;
    }
    target.name = base;
    const bool before = b->eval.index_read;
    for (uint32_t i = 0; i < target.n; i++) {
        const KalNode *index = indices[target.n - 1 - i];
        b->eval.index_read = false;
        if (!kal_build_integer(b, index, &target.index[i])) {
            b->eval.index_read = before;
            return false;
        }
        target.is_element[i] = b->eval.index_read;
    }
    b->eval.index_read = before;
    *out_target = target;
    return true;
}

// Full names.

// Append to a full name; false after an error.
static bool add_text(KalBuild *b, KalNameText *name, const char *text, KalSpan span)
{
    const size_t length = strlen(text);
    assert(name->length <= KAL_BUILD_NAME);
    if (name->length + length > KAL_BUILD_NAME) {
        kal_build_error(b, span,
                        "a name with those of its parts is at most %d bytes long",
                        KAL_BUILD_NAME);
        return false;
    }
    memcpy(name->text + name->length, text, length + 1);
    name->length += length;
    return true;
}

static bool add_index(KalBuild *b, KalNameText *name, int64_t i, KalSpan span)
{
    char text[32];
    (void)snprintf(text, sizeof text, "[%lld]", (long long)i);
    return add_text(b, name, text, span);
}

bool kal_build_name(KalBuild *b, const KalTarget *target, uint32_t n,
                    KalNameText *out_name)
{
    const KalSpan span = target->node->span;
    const KalAtom atom = kal_build_atom_of(b, target->name);
    out_name->length = 0;
    bool fits = add_text(b, out_name, b->names.scope->prefix, span)
                && add_text(b, out_name, kal_build_atom_text(b, atom), span);
    for (uint32_t i = 0; fits && i < n; i++) {
        fits = add_index(b, out_name, target->index[i], span);
    }
    return fits && b->status == KAL_OK;
}

const char *kal_build_keep_name(KalBuild *b, const KalNameText *name)
{
    const char *text = kal_model_text(b->model, name->text, name->length);
    if (!text) {
        kal_build_no_memory(b);
    }
    return text;
}

bool kal_build_list_name(KalBuild *b, KalEntryKind kind, const KalNameText *name,
                         KalSpan span)
{
    assert(name->length <= KAL_BUILD_NAME);
    const KalAtom atom = kal_build_atom(b, name->text, name->length);
    const uint64_t key = (uint64_t)atom << 8 | (uint64_t)kind;
    uint64_t found;
    if (atom != KAL_ATOM_NONE && kal_map_find(&b->lists.names, key, &found)) {
        kal_build_error(b, span, "there is %s '%s' already", kal_build_kind_text(kind),
                        name->text);
        return false;
    }
    return atom != KAL_ATOM_NONE
           && kal_build_check(b, kal_map_set(b->ctx, &b->lists.names, key, 1));
}

// Arrays that are declared element by element.

// An open array without elements.
static KalArray *add_open_array(KalBuild *b)
{
    KalArray *array = (KalArray *)kal_arena_alloc(b->arena, 1, sizeof *array);
    KalValue *items =
        (KalValue *)kal_arena_alloc(b->arena, FIRST_CAPACITY, sizeof *items);
    if (!array || !items) {
        kal_build_no_memory(b);
        return NULL;
    }
    *array = (KalArray){
        .capacity = FIRST_CAPACITY, .depth = 1, .kept = true, .items = items};
    return array;
}

// Room for element i, from 1.
static bool grow(KalBuild *b, KalArray *array, int64_t i, KalSpan span)
{
    if (i < 1) {
        kal_build_error(b, span, "elements count from 1; there is no %lld",
                        (long long)i);
        return false;
    }
    if (i > (int64_t)kal_usual_times(b->ctx, KAL_BUILD_SCALARS)) {
        kal_build_limit(b, span, "an array has at most %zu elements",
                        kal_usual_times(b->ctx, KAL_BUILD_SCALARS));
        return false;
    }
    uint32_t capacity = array->capacity;
    assert(capacity > 0 && array->n <= capacity); // it is open
    while (capacity < i) {
        capacity *= 2;
    }
    if (capacity > array->capacity) {
        KalValue *items =
            (KalValue *)kal_arena_alloc(b->arena, capacity, sizeof *items);
        if (!items) {
            kal_build_no_memory(b);
            return false;
        }
        memcpy(items, array->items, array->n * sizeof *items);
        array->items = items;
        array->capacity = capacity;
    }
    assert(array->capacity >= i);
    array->n = (uint32_t)i > array->n ? (uint32_t)i : array->n;
    return true;
}

// The place of the element that the first n indices name, with arrays on the way to it
// made as needed; NULL after an error.
static KalValue *find_element(KalBuild *b, KalEntry *entry, const KalTarget *target,
                              uint32_t n)
{
    assert(n <= target->n);
    KalValue *value = &entry->value;
    for (uint32_t k = 0; k < n; k++) {
        if (value->kind == KAL_VALUE_NONE) {
            KalArray *array = add_open_array(b);
            if (!array) {
                return NULL;
            }
            *value = (KalValue){.kind = KAL_VALUE_ARRAY, .of.array = array};
        }
        if (value->kind != KAL_VALUE_ARRAY || value->of.array->capacity == 0) {
            return value->kind == KAL_VALUE_BAD ? NULL : value;
        }
        if (!grow(b, value->of.array, target->index[k], target->node->span)) {
            return NULL;
        }
        value = &value->of.array->items[target->index[k] - 1];
    }
    return value;
}

// One more element of an open array, unless it is there already.
static KalEntry *add_element(KalBuild *b, KalEntry *entry, const KalTarget *target,
                             uint32_t n)
{
    assert(n > 0 && entry->open);
    const KalValue *value = find_element(b, entry, target, n);
    if (value && value->kind != KAL_VALUE_NONE) {
        kal_build_error(b, target->node->span, "this element of '%s' is declared twice",
                        kal_build_atom_text(b, entry->atom));
        kal_build_note(b, entry->site->span, "'%s' is %s here",
                       kal_build_atom_text(b, entry->atom),
                       kal_build_kind_text(entry->kind));
        return NULL;
    }
    return value ? entry : NULL;
}

// An array that is declared by elements is declared with its first and grows with each.
KalEntry *kal_build_declare_target(KalBuild *b, KalEntryKind kind,
                                   const KalTarget *target, uint32_t n)
{
    assert(n <= target->n);
    if (n == 0) {
        return kal_build_declare(b, kind, target->name);
    }
    KalEntry *entry =
        kal_build_find_in(b, b->names.scope, kal_build_atom_of(b, target->name),
                          kal_build_space_of(kind));
    if (entry && entry->kind == kind && entry->open) {
        return add_element(b, entry, target, n);
    }
    entry = kal_build_declare(b, kind, target->name);
    if (entry) {
        entry->open = true;
        entry->value.kind = KAL_VALUE_NONE;
    }
    return entry ? add_element(b, entry, target, n) : NULL;
}

void kal_build_set_target(KalBuild *b, KalEntry *entry, const KalTarget *target,
                          uint32_t n, KalValue value)
{
    assert(entry && n <= target->n);
    KalValue *place = find_element(b, entry, target, n);
    const KalValue kept = kal_build_keep(b, value);
    if (place) {
        *place = kept;
    }
    if (n > 0) {
        entry->value.marks |= kept.marks;
    }
}

// Scalars with names.

// ".x" of short vectors where readers expect that, else "[1]".
static bool add_element_name(KalBuild *b, KalLeaves *leaves, uint32_t i,
                             const KalArray *array)
{
    static const char *const letters[] = {".x", ".y", ".z"};
    const bool letter =
        leaves->letters && array->depth == 1 && array->n > 1 && array->n <= 3;
    return letter ? add_text(b, &leaves->name, letters[i], leaves->node->span)
                  : add_index(b, &leaves->name, (int64_t)i + 1, leaves->node->span);
}

// Recursion ends at KAL_BUILD_VECTOR_DEPTH.
// NOLINTNEXTLINE(misc-no-recursion)
KalValue kal_build_leaves(KalBuild *b, KalLeaves *leaves, KalValue value)
{
    if (value.kind == KAL_VALUE_SCALAR) {
        return leaves->leaf(b, leaves, value);
    }
    if (value.kind != KAL_VALUE_ARRAY) {
        return value.kind == KAL_VALUE_BAD
                   ? value
                   : kal_build_bad(b, leaves->node->span, "expected numbers, found %s",
                                   kal_build_describe(value).text);
    }
    const KalArray *array = value.of.array;
    const size_t length = leaves->name.length;
    KalArray *result = kal_build_array(b, array->n);
    for (uint32_t i = 0; result && i < array->n; i++) {
        result->items[i] = add_element_name(b, leaves, i, array)
                               ? kal_build_leaves(b, leaves, array->items[i])
                               : KAL_BAD_VALUE;
        leaves->name.length = length;
        leaves->name.text[length] = '\0';
    }
    return result ? kal_build_finish(b, result, leaves->node->span) : KAL_BAD_VALUE;
}

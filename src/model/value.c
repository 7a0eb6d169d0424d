// SPDX-License-Identifier: MIT

// Values: numbers with units, arrays of values, parts.
//
// Invariants of a finished array: no element is bad; all are of one kind, but arrays in it
// may differ in length; depth is 1 more than that of the deepest element, size counts its
// numbers and parts at all depths, marks are those of all elements.
//
// Recursion in this file ends at KAL_BUILD_VECTOR_DEPTH.

#include "model/build_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

KalArray *kal_build_array(KalBuild *b, uint32_t n)
{
    const size_t size = sizeof(KalArray) + (size_t)n * sizeof(KalValue);
    if (b->status != KAL_OK) {
        return NULL;
    }
    if (b->pool.bytes > kal_usual_times(b->ctx, KAL_BUILD_MEMORY)) {
        kal_build_limit(
            b, (KalSpan){.source = NULL},
            "the model is too large: the vectors of one statement need more "
            "than %zu MiB",
            kal_usual_times(b->ctx, KAL_BUILD_MEMORY) >> 20);
        return NULL;
    }
    KalArray *array = (KalArray *)kal_pool_alloc(&b->pool, size);
    if (!array) {
        kal_build_no_memory(b);
        return NULL;
    }
    *array = (KalArray){.n = n, .items = (KalValue *)(array + 1)};
    return array;
}

size_t kal_build_size(KalValue value)
{
    return value.kind == KAL_VALUE_ARRAY ? value.of.array->size : 1;
}

// Depth, size and marks from those of the elements.  Elements of two kinds are an error:
// whoever looks at the first knows what all are.
KalValue kal_build_finish(KalBuild *b, KalArray *array, KalSpan span)
{
    uint64_t size = 0;
    uint32_t depth = 0;
    unsigned marks = 0;
    for (uint32_t i = 0; i < array->n; i++) {
        const KalValue item = array->items[i];
        if (item.kind == KAL_VALUE_BAD) {
            return KAL_BAD_VALUE;
        }
        if (item.kind != array->items[0].kind) {
            return kal_build_bad(b, span,
                                 "the elements of a vector are alike: element %u is "
                                 "%s, the first %s",
                                 i + 1, kal_build_describe(item).text,
                                 kal_build_describe(array->items[0]).text);
        }
        const uint32_t inner = item.kind == KAL_VALUE_ARRAY ? item.of.array->depth : 0;
        size += kal_build_size(item);
        depth = inner > depth ? inner : depth;
        marks |= item.marks;
    }
    if (size > kal_usual_times(b->ctx, KAL_BUILD_SCALARS)) {
        kal_build_limit(b, span, "this vector has more than %zu elements",
                        kal_usual_times(b->ctx, KAL_BUILD_SCALARS));
        return KAL_BAD_VALUE;
    }
    if (depth >= KAL_BUILD_VECTOR_DEPTH) {
        return kal_build_bad(b, span, "vectors may be in each other %d times",
                             KAL_BUILD_VECTOR_DEPTH);
    }
    assert(array->capacity == 0);
    array->size = (uint32_t)size;
    array->depth = depth + 1;
    return (KalValue){
        .kind = KAL_VALUE_ARRAY, .marks = (uint16_t)marks, .of.array = array};
}

// NOLINTNEXTLINE(misc-no-recursion)
KalValue kal_build_keep(KalBuild *b, KalValue value)
{
    if (value.kind != KAL_VALUE_ARRAY || value.of.array->kept) {
        return value;
    }
    const KalArray *from = value.of.array;
    assert(from->capacity == 0); // open arrays are in the arena
    KalArray *array = (KalArray *)kal_arena_alloc(b->arena, 1, sizeof *array);
    KalValue *items = (KalValue *)kal_arena_alloc(b->arena, from->n, sizeof *items);
    if (!array || !items) {
        kal_build_no_memory(b);
        return KAL_BAD_VALUE;
    }
    for (uint32_t i = 0; i < from->n; i++) {
        items[i] = kal_build_keep(b, from->items[i]);
        if (items[i].kind == KAL_VALUE_BAD) {
            return KAL_BAD_VALUE;
        }
    }
    *array = *from;
    array->kept = true;
    array->items = items;
    value.of.array = array;
    return value;
}

KalValueText kal_build_describe(KalValue value)
{
    KalValueText out = {.text = "a number"};
    if (value.kind == KAL_VALUE_PART) {
        (void)snprintf(out.text, sizeof out.text, "a part");
    }
    if (value.kind != KAL_VALUE_ARRAY) {
        return out;
    }
    const KalArray *array = value.of.array;
    const KalValue first = array->n > 0 ? array->items[0] : KAL_BAD_VALUE;
    const char *plural = array->n == 1 ? "" : "s";
    if (first.kind == KAL_VALUE_ARRAY && first.of.array->depth == 1) {
        (void)snprintf(out.text, sizeof out.text, "a matrix of %u x %u", array->n,
                       first.of.array->n);
    } else if (first.kind == KAL_VALUE_PART) {
        (void)snprintf(out.text, sizeof out.text, "an array of %u part%s", array->n,
                       plural);
    } else if (first.kind == KAL_VALUE_ARRAY) {
        (void)snprintf(out.text, sizeof out.text, "an array of %u matrices", array->n);
    } else {
        (void)snprintf(out.text, sizeof out.text, "a vector of %u element%s", array->n,
                       plural);
    }
    return out;
}

// Numbers with numbers, arrays with arrays of one length, element by element.
// NOLINTNEXTLINE(misc-no-recursion)
KalValue kal_build_zip(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                       const KalNode *node)
{
    if (a.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    if (a.kind == KAL_VALUE_SCALAR && c.kind == KAL_VALUE_SCALAR) {
        return function(b, a, c, node);
    }
    const bool arrays = a.kind == KAL_VALUE_ARRAY && c.kind == KAL_VALUE_ARRAY;
    if (!arrays || a.of.array->n != c.of.array->n) {
        return kal_build_bad(b, node->span, "%s and %s do not go together",
                             kal_build_describe(a).text, kal_build_describe(c).text);
    }
    const uint32_t n = a.of.array->n;
    if (!kal_build_step(b, node->span, n)) {
        return KAL_BAD_VALUE;
    }
    KalArray *result = kal_build_array(b, n);
    for (uint32_t i = 0; result && i < n; i++) {
        result->items[i] = kal_build_zip(b, function, a.of.array->items[i],
                                         c.of.array->items[i], node);
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

// All numbers in an array, each with c.
// NOLINTNEXTLINE(misc-no-recursion)
KalValue kal_build_each(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                        const KalNode *node)
{
    if (a.kind == KAL_VALUE_BAD || c.kind == KAL_VALUE_BAD) {
        return KAL_BAD_VALUE;
    }
    if (a.kind == KAL_VALUE_SCALAR) {
        return function(b, a, c, node);
    }
    if (a.kind != KAL_VALUE_ARRAY) {
        return kal_build_bad(b, node->span, "expected a number or a vector, found %s",
                             kal_build_describe(a).text);
    }
    const uint32_t n = a.of.array->n;
    if (!kal_build_step(b, node->span, n)) {
        return KAL_BAD_VALUE;
    }
    KalArray *result = kal_build_array(b, n);
    for (uint32_t i = 0; result && i < n; i++) {
        result->items[i] = kal_build_each(b, function, a.of.array->items[i], c, node);
    }
    return result ? kal_build_finish(b, result, node->span) : KAL_BAD_VALUE;
}

KalValue kal_build_scalar_of(KalBuild *b, KalExpr e, unsigned marks, KalUnitId unit,
                             const KalNode *node)
{
    if (e.index == 0) {
        return kal_build_graph_failed(b, node->span);
    }
    return (KalValue){
        .kind = KAL_VALUE_SCALAR, .marks = (uint16_t)marks, .unit = unit, .of.expr = e};
}

KalValue kal_build_index(KalBuild *b, int64_t i, const KalNode *node)
{
    return kal_build_scalar_of(b, kal_int(b->graph, i), 0,
                               i == 0 ? KAL_UNIT_ANY : KAL_UNIT_NUMBER, node);
}

KalValue kal_build_known(KalExpr e, unsigned marks, KalUnitId unit)
{
    return (KalValue){
        .kind = KAL_VALUE_SCALAR, .marks = (uint16_t)marks, .unit = unit, .of.expr = e};
}

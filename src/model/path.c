// SPDX-License-Identifier: MIT

// Names, members, elements: what the left side of an index or a dot stands for.
//
// A path may lead through parts and arrays in another space than that of values: the
// constraints of a part are found by way of the part.  Arrays that are declared element by
// element are seen as they are at this moment; whoever wants their value takes a snapshot.

#include "model/build_impl.h"

#include <assert.h>

// Recursion ends where the tree does, and over vectors at KAL_BUILD_VECTOR_DEPTH.
// NOLINTBEGIN(misc-no-recursion)

// t, pi and deg; none for all other names.
static KalValue reserved_value(KalBuild *b, KalAtom atom, const KalNode *node)
{
    KalGraph *g = b->graph;
    if (atom == KAL_ATOM_T) {
        return kal_build_known(b->model->time, KAL_MARK(TIME), KAL_UNIT_ANY);
    }
    if (atom == KAL_ATOM_PI) {
        return kal_build_scalar_of(b, kal_pi(g), 0, KAL_UNIT_NUMBER, node);
    }
    if (atom == KAL_ATOM_DEG) {
        return kal_build_scalar_of(b, kal_div(g, kal_pi(g), kal_int(g, 180)), 0,
                                   KAL_UNIT_NUMBER, node);
    }
    return (KalValue){.kind = KAL_VALUE_NONE};
}

// Whether a value is a part, or an array of parts at any depth.
static bool holds_parts(KalValue value)
{
    while (value.kind == KAL_VALUE_ARRAY && value.of.array->n > 0) {
        value = value.of.array->items[value.of.array->n - 1];
    }
    return value.kind == KAL_VALUE_PART;
}

// The value of an entry, or why it has none.
static KalValue entry_value(KalBuild *b, KalEntry *entry, const KalNode *node)
{
    assert(entry->site);
    const char *name = kal_build_atom_text(b, entry->atom);
    entry->site->used |= !b->eval.looking;
    switch (entry->kind) {
    case KAL_ENTRY_FUNCTION:
    case KAL_ENTRY_TABLE:
        return kal_build_bad(b, node->span, "'%s' is %s; it is called as %s(…)", name,
                             kal_build_kind_text(entry->kind), name);
    case KAL_ENTRY_COMPONENT:
        return kal_build_bad(b, node->span,
                             "'%s' is a component; part a = %s(…) makes one of it",
                             name, name);
    case KAL_ENTRY_SERVO:
        return kal_build_bad(b, node->span,
                             "'%s' is a servo, which has no reaction; the inputs that "
                             "meet it are control(…)",
                             name);
    case KAL_ENTRY_PARAMETER:
    case KAL_ENTRY_COORDINATE:
    case KAL_ENTRY_LET:
    case KAL_ENTRY_ARGUMENT:
    case KAL_ENTRY_OUTPUT:
    case KAL_ENTRY_PART:
    case KAL_ENTRY_CONSTRAINT:
    case KAL_ENTRY_ACTUATOR:
    case KAL_ENTRY_EVENT:
    case KAL_ENTRY_STATE:
    case KAL_ENTRY_HOLD: break;
    }
    if (entry->value.kind == KAL_VALUE_NONE) {
        return kal_build_bad(b, node->span,
                             "'%s' is not there yet: it is being declared", name);
    }
    return entry->value;
}

// A name in another space than that of values may also be a part on the way to it.
static KalValue name_value(KalBuild *b, const KalNode *node, KalSpace space)
{
    assert(node->kind == KAL_NODE_NAME);
    const KalAtom atom = kal_build_atom_of(b, node);
    if (space == KAL_SPACE_VALUE && atom <= KAL_ATOM_DEG) {
        const KalValue value = reserved_value(b, atom, node);
        if (value.kind != KAL_VALUE_NONE) {
            return value;
        }
    }
    KalFound found = {NULL, NULL};
    bool known = kal_build_find(b, atom, space, &found);
    if (!known && space != KAL_SPACE_VALUE) {
        known = kal_build_find(b, atom, KAL_SPACE_VALUE, &found) && found.entry
                && holds_parts(found.entry->value);
    }
    if (!known) {
        return kal_build_unknown(b, node, space, NULL);
    }
    if (found.binding) {
        b->eval.index_read |= found.binding->is_index;
        return found.binding->value;
    }
    return entry_value(b, found.entry, node);
}

// A member of a part, or a part of it on the way.
static KalValue part_member(KalBuild *b, const KalScope *part, const KalNode *name,
                            KalSpace space)
{
    assert(part && name->kind == KAL_NODE_NAME);
    const KalAtom atom = kal_build_atom_of(b, name);
    KalEntry *entry = kal_build_find_in(b, part, atom, space);
    if (!entry && space != KAL_SPACE_VALUE) {
        entry = kal_build_find_in(b, part, atom, KAL_SPACE_VALUE);
        entry = entry && holds_parts(entry->value) ? entry : NULL;
    }
    return entry ? entry_value(b, entry, name)
                 : kal_build_unknown(b, name, space, part);
}

// Element i, from 1.
static KalValue element(KalBuild *b, KalValue base, int64_t i, const KalNode *node)
{
    assert(base.kind == KAL_VALUE_ARRAY);
    const KalArray *array = base.of.array;
    if (i < 1) {
        return kal_build_bad(b, node->span, "elements count from 1; there is no %lld",
                             (long long)i);
    }
    if (i > array->n) {
        return kal_build_bad(b, node->span,
                             array->capacity > 0 ? "element %lld is not declared, only "
                                                   "those up to %u"
                                                 : "there is no element %lld of %u",
                             (long long)i, array->n);
    }
    const KalValue value = array->items[i - 1];
    if (value.kind == KAL_VALUE_NONE) {
        return kal_build_bad(b, node->span, "element %lld is not declared yet",
                             (long long)i);
    }
    return value;
}

// a.b: of a part its member, of a vector x, y or z.
static KalValue member_value(KalBuild *b, const KalNode *node, KalSpace space)
{
    assert(node->kind == KAL_NODE_MEMBER);
    const KalNode *name = node->of.binary.right;
    const KalValue base = kal_build_path(b, node->of.binary.left, space);
    if (base.kind == KAL_VALUE_BAD) {
        return base;
    }
    if (base.kind == KAL_VALUE_PART) {
        return part_member(b, base.of.part, name, space);
    }
    if (base.kind == KAL_VALUE_ARRAY && holds_parts(base)) {
        return kal_build_bad(b, node->span,
                             "this is %s; an index chooses one, as in a[1].%.*s",
                             kal_build_describe(base).text, (int)name->of.text.length,
                             name->of.text.data);
    }
    const KalAtom atom = kal_build_atom_of(b, name);
    if (base.kind == KAL_VALUE_ARRAY && atom >= KAL_ATOM_X && atom <= KAL_ATOM_Z) {
        return element(b, base, (int64_t)atom - KAL_ATOM_X + 1, node);
    }
    return kal_build_bad(
        b, name->span, "%s has no member '%s'%s", kal_build_describe(base).text,
        kal_build_atom_text(b, atom),
        base.kind == KAL_VALUE_ARRAY ? "; its elements are v[1] or v.x, v.y, v.z" : "");
}

// a[i]
static KalValue index_value(KalBuild *b, const KalNode *node, KalSpace space)
{
    assert(node->kind == KAL_NODE_INDEX);
    const KalValue base = kal_build_path(b, node->of.binary.left, space);
    if (base.kind == KAL_VALUE_BAD) {
        return base;
    }
    if (base.kind != KAL_VALUE_ARRAY) {
        return kal_build_bad(b, node->span, "this is %s, which has no elements",
                             kal_build_describe(base).text);
    }
    const bool before = b->eval.index_read; // choosing an element is no reading of it
    int64_t i;
    const bool known = kal_build_integer(b, node->of.binary.right, &i);
    b->eval.index_read = before;
    return known ? element(b, base, i, node) : KAL_BAD_VALUE;
}

// a, a.b, a[i] and what is made of them; other expressions only where a value is meant.
KalValue kal_build_path(KalBuild *b, const KalNode *node, KalSpace space)
{
    if (!kal_build_step(b, node->span, 1)) {
        return KAL_BAD_VALUE;
    }
    if (node->kind == KAL_NODE_NAME) {
        return name_value(b, node, space);
    }
    if (node->kind == KAL_NODE_MEMBER) {
        return member_value(b, node, space);
    }
    if (node->kind == KAL_NODE_INDEX) {
        return index_value(b, node, space);
    }
    return space == KAL_SPACE_VALUE
               ? kal_build_eval(b, node)
               : kal_build_bad(b, node->span, "expected a name, found an expression");
}

// An open array is copied where its value is used, for elements may still come.
KalValue kal_build_snapshot(KalBuild *b, KalValue value, const KalNode *node)
{
    if (value.kind != KAL_VALUE_ARRAY || value.of.array->capacity == 0) {
        return value;
    }
    const KalArray *open = value.of.array;
    KalArray *array = kal_build_array(b, open->n);
    for (uint32_t i = 0; array && i < open->n; i++) {
        if (open->items[i].kind == KAL_VALUE_NONE) {
            return kal_build_bad(b, node->span, "element %u is not declared yet",
                                 i + 1);
        }
        array->items[i] = kal_build_snapshot(b, open->items[i], node);
    }
    return array && kal_build_step(b, node->span, open->n)
               ? kal_build_finish(b, array, node->span)
               : KAL_BAD_VALUE;
}

// NOLINTEND(misc-no-recursion)

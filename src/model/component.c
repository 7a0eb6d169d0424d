// SPDX-License-Identifier: MIT

// for, component, fn, part.
//
// A component is built anew for each part: its statements run in a scope of their own, whose
// parent is the scope of the definition, with a prefix for full names, and with arguments as
// its first names.  A loop runs its body with its index in a frame.  So nothing is ever
// copied or renamed; a name is found by walking frames and scopes outwards.

// Recursion by way of statements ends at KAL_BLOCK_DEPTH and KAL_BUILD_PART_DEPTH.

#include "model/build_impl.h"
#include "model/statement_impl.h"

#include <kalaba/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    ARGUMENTS_SIZE = 200
}; // bytes of a list of arguments

// Loops.

// Each pass binds the index anew, in a frame that shadows what is outside.
void kal_build_for(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_FOR);
    int64_t last;
    KalBinding index = {.atom = kal_build_atom_of(b, node->of.loop.index),
                        .is_index = true};
    if (!kal_build_range(b, node->of.loop.range, &index.number, &last)) {
        return;
    }
    const KalFrame frame = {b->names.frame, &index, 1};
    assert(index.number <= last || last < INT64_MAX);
    b->names.frame = &frame;
    for (; index.number <= last && kal_build_pass(b, node->span); index.number++) {
        index.value = kal_build_index(b, index.number, node);
        kal_build_statements(b, node->of.loop.body);
    }
    b->names.frame = frame.outer;
}

// Definitions.

// Whether the parameters of a definition have different names, and not too many.
static bool check_parameters(KalBuild *b, const KalNode *parameters)
{
    size_t n = 0;
    for (const KalNode *p = parameters; p; p = p->next) {
        const KalNode *name = p->of.declaration.target;
        for (const KalNode *other = parameters; other != p; other = other->next) {
            if (kal_node_equal(other->of.declaration.target, name)) {
                kal_build_error(b, name->span, "two arguments have this name");
                return false;
            }
        }
        if (++n > KAL_BUILD_ARGUMENTS) {
            kal_build_error(b, name->span, "at most %d arguments are possible",
                            KAL_BUILD_ARGUMENTS);
            return false;
        }
    }
    return true;
}

// A definition is kept as it stands; its body is built where it is called or made a part.
void kal_build_definition(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_COMPONENT || node->kind == KAL_NODE_FN);
    const bool function = node->kind == KAL_NODE_FN;
    if (b->names.frame) {
        kal_build_error(b, node->of.definition.name->span,
                        "%s is defined outside of loops",
                        function ? "a function" : "a component");
        return;
    }
    if (!check_parameters(b, node->of.definition.parameters)) {
        return;
    }
    KalEntry *entry =
        kal_build_declare(b, function ? KAL_ENTRY_FUNCTION : KAL_ENTRY_COMPONENT,
                          node->of.definition.name);
    if (entry) {
        entry->node = node;
    }
}

// Arguments of parts.

// `m, I, at`, as many as there is room for; `none` without any.
static void print_words(const char *const *words, int count,
                        char out_list[ARGUMENTS_SIZE])
{
    size_t used =
        (size_t)snprintf(out_list, ARGUMENTS_SIZE, "%s", count > 0 ? "" : "none");
    for (int i = 0; i < count; i++) {
        const bool fits = used + strlen(words[i]) + sizeof ", …" < ARGUMENTS_SIZE;
        used += (size_t)snprintf(out_list + used, ARGUMENTS_SIZE - used, "%s%s",
                                 i > 0 ? ", " : "", fits ? words[i] : "…");
        if (!fits) {
            return;
        }
    }
}

// An argument that the component does not have.
static void report_argument(KalBuild *b, const KalNode *name, const KalNode *parameters)
{
    const char *words[KAL_BUILD_ARGUMENTS];
    int count = 0;
    for (const KalNode *p = parameters; p; p = p->next) {
        const KalAtom atom = kal_build_atom_of(b, p->of.declaration.target);
        words[count++] = kal_build_atom_text(b, atom);
        assert(count <= KAL_BUILD_ARGUMENTS);
    }
    const char *text = kal_build_atom_text(b, kal_build_atom_of(b, name));
    const char *near = kal_word_find_near(text, words, count);
    char list[ARGUMENTS_SIZE];
    print_words(words, count, list);
    kal_build_error(b, name->span, "the component has no argument '%s'; %s%s%s", text,
                    near ? "did you mean '" : "it has ", near ? near : list,
                    near ? "'?" : "");
}

// The place of the parameter that an argument is for; -1 after an error.
static int place_of(KalBuild *b, const KalNode *argument, const KalNode *parameters,
                    int position)
{
    assert(position >= 0);
    const KalNode *name = argument->of.declaration.target;
    const KalNode *p = parameters;
    int place = 0;
    while (p
           && (name ? !kal_node_equal(p->of.declaration.target, name)
                    : place < position)) {
        p = p->next;
        place++;
    }
    if (!p && name) {
        report_argument(b, name, parameters);
    } else if (!p) {
        kal_build_error(b, argument->span, "the component has only %d argument%s",
                        place, place == 1 ? "" : "s");
    }
    return p ? place : -1;
}

// For every parameter the argument that is given for it, or NULL.
static bool assign(KalBuild *b, const KalNode *call, const KalNode *parameters,
                   const KalNode *out_given[KAL_BUILD_ARGUMENTS])
{
    int position = 0;
    for (const KalNode *a = call->of.call.arguments; a; a = a->next) {
        const int place = place_of(b, a, parameters, position++);
        if (place < 0) {
            return false;
        }
        assert(place < KAL_BUILD_ARGUMENTS);
        if (out_given[place]) {
            kal_build_error(b, a->span, "this argument is given twice");
            return false;
        }
        out_given[place] = a;
    }
    int place = 0;
    for (const KalNode *p = parameters; p; p = p->next) {
        const KalNode *name = p->of.declaration.target;
        if (!out_given[place] && !p->of.declaration.value) {
            kal_build_error(b, call->span, "the argument '%.*s' is missing",
                            (int)name->of.text.length, name->of.text.data);
            return false;
        }
        place++;
    }
    return true;
}

static const KalUsage ARGUMENT_USAGE = {KAL_MARKS_ALL, "an argument"};

// An argument: what is given for it, if anything, and where.
typedef struct Given {
    const KalNode *node; // an ARGUMENT
    KalValue value;
} Given;

static KalValue mark_scalar(KalBuild *b, KalValue a, KalValue c, const KalNode *node)
{
    (void)b;
    (void)c;
    (void)node;
    a.marks |= KAL_MARK_GUESS;
    return a;
}

// A value that is only about right: start values made of it may move.
static KalValue mark_guess(KalBuild *b, KalValue value, const KalNode *node)
{
    if (value.kind == KAL_VALUE_PART) {
        return kal_build_bad(b, node->span, "a part is given by '=': it is no guess");
    }
    return kal_build_each(b, mark_scalar, value, kal_build_index(b, 0, node), node);
}

// Declares an argument in the scope of its part.
// Declares an argument in the scope of its part.  Overrides come before what is given, and
// that before the default.
static void declare_argument(KalBuild *b, const KalNode *parameter, Given given)
{
    const KalNode *name = parameter->of.declaration.target;
    const KalNode *unit = parameter->of.declaration.unit;
    const KalTarget target = {.name = name, .node = name};
    KalNameText text;
    const KalNode *said = given.node ? given.node : parameter;
    const KalNode *blamed = said->of.declaration.value;
    KalValue value = given.value;
    if (!kal_build_name(b, &target, 0, &text)) {
        return;
    }
    const KalNode *override = kal_build_find_override(b, &text);
    if (override) {
        value = kal_build_eval_override(b, override);
        blamed = override->of.declaration.value;
    } else if (value.kind == KAL_VALUE_NONE) {
        value = kal_build_eval_for(b, parameter->of.declaration.value, ARGUMENT_USAGE);
    }
    if (unit) {
        value = kal_build_apply_unit(b, value, unit, blamed);
    }
    value = kal_build_named(b, value, name);
    if (!override && said->op == KAL_START_GUESS) {
        value = mark_guess(b, value, blamed);
    }
    KalEntry *entry = kal_build_declare(b, KAL_ENTRY_ARGUMENT, name);
    if (entry && kal_build_count(b, name->span, kal_build_size(value))) {
        entry->value = kal_build_keep(b, value);
    }
}

// Parts.

// The component that a call names; NULL after an error.
static KalEntry *find_component(KalBuild *b, const KalNode *callee)
{
    assert(callee);
    KalFound found = {NULL, NULL};
    const bool member = callee->kind == KAL_NODE_MEMBER;
    const KalNode *name = member ? callee->of.binary.right : callee;
    if (member) {
        const KalValue part =
            kal_build_path(b, callee->of.binary.left, KAL_SPACE_VALUE);
        if (part.kind == KAL_VALUE_PART) {
            found.entry = kal_build_find_in(b, part.of.part, kal_build_atom_of(b, name),
                                            KAL_SPACE_VALUE);
        }
    } else if (callee->kind == KAL_NODE_NAME) {
        (void)kal_build_find(b, kal_build_atom_of(b, name), KAL_SPACE_VALUE, &found);
    }
    if (!found.entry && !found.binding && callee->kind == KAL_NODE_NAME) {
        (void)kal_build_unknown(b, name, KAL_SPACE_VALUE, NULL);
        return NULL;
    }
    if (!found.entry || found.entry->kind != KAL_ENTRY_COMPONENT) {
        kal_build_error(b, callee->span, "expected the name of a component");
        return NULL;
    }
    found.entry->site->used = true;
    return found.entry;
}

// Components that contain each other: "A > B > A".
static void report_cycle(KalBuild *b, const KalEntry *entry, KalSpan span)
{
    char cycle[512];
    size_t length = 0;
    bool inside = false;
    for (unsigned i = 0; i < b->parts.n_active && length < sizeof cycle; i++) {
        inside |= b->parts.active[i] == entry;
        if (inside) {
            length +=
                (size_t)snprintf(cycle + length, sizeof cycle - length, "%s > ",
                                 kal_build_atom_text(b, b->parts.active[i]->atom));
        }
    }
    kal_build_error(b, span, "a component cannot contain itself: %s%s", cycle,
                    kal_build_atom_text(b, entry->atom));
}

// Components neither contain themselves nor nest without end.
static bool may_enter(KalBuild *b, const KalEntry *entry, KalSpan span)
{
    if (entry->active) {
        report_cycle(b, entry, span);
        return false;
    }
    if (b->parts.n_active == KAL_BUILD_PART_DEPTH) {
        kal_build_error(b, span, "parts may be in each other %d levels deep",
                        KAL_BUILD_PART_DEPTH);
        return false;
    }
    b->parts.count++;
    if (b->parts.count > kal_usual_times(b->ctx, KAL_BUILD_PARTS)) {
        kal_build_limit(b, span, "the model is too large: it has more than %zu parts",
                        kal_usual_times(b->ctx, KAL_BUILD_PARTS));
    }
    return b->status == KAL_OK;
}

// Fills the scope of a part.
static void fill(KalBuild *b, KalEntry *entry, KalScope *scope, const Given *given)
{
    const KalEnvironment names = b->names;
    const KalNode *node = entry->node;
    b->names = (KalEnvironment){NULL, scope};
    assert(!entry->active && b->parts.n_active < KAL_BUILD_PART_DEPTH);
    entry->active = true;
    b->parts.active[b->parts.n_active++] = entry;
    for (const KalNode *p = node->of.definition.parameters; p; p = p->next) {
        declare_argument(b, p, *given++);
    }
    scope->body = node->of.definition.body;
    kal_build_statements(b, scope->body);
    b->parts.n_active--;
    assert(b->parts.active[b->parts.n_active] == entry);
    entry->active = false;
    b->names = names;
}

// The part that a call makes; `prefix` begins the names of its members.
static KalValue instantiate(KalBuild *b, const KalNode *call, const char *prefix)
{
    KalEntry *entry = find_component(b, call->of.call.callee);
    const KalNode *nodes[KAL_BUILD_ARGUMENTS] = {NULL};
    Given given[KAL_BUILD_ARGUMENTS];
    if (!entry || !may_enter(b, entry, call->span)
        || !assign(b, call, entry->node->of.definition.parameters, nodes)) {
        return KAL_BAD_VALUE;
    }
    int n = 0;
    for (const KalNode *p = entry->node->of.definition.parameters; p; p = p->next) {
        given[n] = (Given){.node = nodes[n]};
        if (nodes[n]) {
            given[n].value =
                kal_build_eval_for(b, nodes[n]->of.declaration.value, ARGUMENT_USAGE);
        }
        n++;
    }
    assert(n <= KAL_BUILD_ARGUMENTS);
    KalScope *scope = kal_build_add_scope(b, entry->scope, b->names.scope, prefix);
    if (!scope) {
        return KAL_BAD_VALUE;
    }
    scope->call = call;
    scope->component = entry->node;
    const size_t errors = b->report.errors;
    fill(b, entry, scope, given);
    if (b->report.errors > errors && entry->node->span.source != call->span.source) {
        kal_build_note(b, call->span, "the part that is made here asks for it");
    }
    return (KalValue){.kind = KAL_VALUE_PART, .of.part = scope};
}

static void declare_part(KalBuild *b, const KalNode *node, const KalTarget *target)
{
    assert(target->n <= KAL_TARGET_INDICES);
    KalNameText prefix;
    KalEntry *entry = kal_build_declare_target(b, KAL_ENTRY_PART, target, target->n);
    if (!entry || !kal_build_name(b, target, target->n, &prefix)) {
        return;
    }
    if (target->n == 0) {
        entry->value.kind = KAL_VALUE_NONE; // it cannot use itself
    }
    assert(prefix.length <= KAL_BUILD_NAME); // there is room behind it
    memcpy(prefix.text + prefix.length, ".", 2);
    kal_build_set_target(b, entry, target, target->n,
                         instantiate(b, node->of.instance.call, prefix.text));
}

// `part a[i in 1..n] = …`
static void declare_parts(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_INSTANCE);
    const KalNode *name = node->of.instance.name;
    int64_t last;
    KalBinding index = {.atom = kal_build_atom_of(b, node->of.instance.index),
                        .is_index = true};
    if (!kal_build_range(b, node->of.instance.range, &index.number, &last)) {
        return;
    }
    const KalFrame frame = {b->names.frame, &index, 1};
    b->names.frame = &frame;
    for (; index.number <= last && kal_build_pass(b, node->span); index.number++) {
        const KalPoolMark mark = kal_pool_mark(&b->pool);
        const KalTarget target = {
            .name = name, .node = name, .n = 1, .index = {index.number}};
        index.value = kal_build_index(b, index.number, node);
        declare_part(b, node, &target);
        kal_pool_release(&b->pool, mark);
    }
    b->names.frame = frame.outer;
}

// `part a = …`, or in a loop an element of an array, `part a[i] = …`.
static void declare_single(KalBuild *b, const KalNode *node)
{
    KalTarget target;
    if (!kal_build_target(b, node->of.instance.name, &target)) {
        kal_build_spoil(b, KAL_ENTRY_PART, node->of.instance.name);
        return;
    }
    for (uint32_t i = 0; i < target.n; i++) {
        if (!target.is_element[i]) {
            kal_build_error(
                b, target.node->span,
                "the index of a part is that of a loop; part a[i in 1..3] = "
                "… makes three");
            return;
        }
    }
    declare_part(b, node, &target);
}

void kal_build_part(KalBuild *b, const KalNode *node)
{
    assert(node->kind == KAL_NODE_PART);
    for (const KalNode *i = node->of.list.items; i; i = i->next) {
        if (i->of.instance.index) {
            declare_parts(b, i);
        } else {
            declare_single(b, i);
        }
    }
}

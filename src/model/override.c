// SPDX-License-Identifier: MIT

// Values that replace those of parameters: -p name=value.

#include "lang/parser.h"
#include "model/build_impl.h"

#include <kalaba/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = 10000, // bytes of an override
    NEAR_NAMES = 2000
};

static const char STATEMENT[] = "init "; // one that takes `name = value [unit]`
static const char EXPECTED[] =
    "expected name=value, such as m=2, x[3]=1 or link[2].k=5 [N/m]";

static const char EXPECTED_ONE[] = "expected one name=value, as in -p m=2; several are "
                                   "given one by one, -p m=2 -p L=3";

static void report(KalBuild *b, KalSpan span, const char *message)
{
    assert(message);
    b->report.errors++;
    kal_diagnostics_add(b->diagnostics, KAL_SEVERITY_ERROR, kal_build_shown(b, span),
                        "%s", message);
}

// The name of a target as the model has it: `link[2].k`.  False for what names nothing.
static bool print_name(const KalNode *node, KalNameText *name)
{
    const KalNode *path[64];
    size_t n = 0;
    while ((node->kind == KAL_NODE_MEMBER || node->kind == KAL_NODE_INDEX) && n < 64) {
        path[n++] = node;
        node = node->of.binary.left;
    }
    if (node->kind != KAL_NODE_NAME) {
        return false;
    }
    int length = snprintf(name->text, sizeof name->text, "%.*s",
                          (int)node->of.text.length, node->of.text.data);
    while (n > 0 && length < KAL_BUILD_NAME) {
        const KalNode *step = path[--n];
        const KalNode *right = step->of.binary.right;
        char *end = name->text + length;
        const size_t room = sizeof name->text - (size_t)length;
        if (step->kind == KAL_NODE_MEMBER) {
            length += snprintf(end, room, ".%.*s", (int)right->of.text.length,
                               right->of.text.data);
        } else if (right->kind == KAL_NODE_NUMBER) {
            length += snprintf(end, room, "[%.0f]", right->of.number.value);
        } else {
            return false;
        }
    }
    name->length = (size_t)length;
    return n == 0 && length <= KAL_BUILD_NAME;
}

// The one assignment of the statement, or NULL.
static const KalNode *find_assignment(const KalTree *tree)
{
    const KalNode *statement = tree ? kal_tree_first(tree) : NULL;
    const bool single = statement && !statement->next
                        && statement->kind == KAL_NODE_INIT
                        && !statement->of.list.items->next
                        && statement->of.list.items->op == KAL_START_EXACT;
    return single ? statement->of.list.items : NULL;
}

// Whether there are several: `m=2,L=3`.
static bool is_list(const KalTree *tree)
{
    const KalNode *statement = tree ? kal_tree_first(tree) : NULL;
    return statement && statement->kind == KAL_NODE_INIT
           && statement->of.list.items->next != NULL;
}

static KalStatus accept(KalBuild *b, size_t i)
{
    assert(i < b->options->n_overrides);
    KalReplacement *r = &b->overrides.list[i];
    const KalNode *assignment = find_assignment(r->tree);
    const KalSpan whole = {r->parsed, r->offset, r->parsed->length};
    KalNameText name;
    if (!assignment || !print_name(assignment->of.declaration.target, &name)) {
        report(b, whole, is_list(r->tree) ? EXPECTED_ONE : EXPECTED);
        return KAL_OK;
    }
    const KalAtom atom = kal_build_atom(b, name.text, name.length);
    KAL_TRY(b->status);
    uint64_t other;
    if (kal_map_find(&b->overrides.names, atom, &other)) {
        report(b, whole, "this parameter is overridden twice");
        return KAL_OK;
    }
    r->assignment = assignment;
    return kal_map_set(b->ctx, &b->overrides.names, atom, i + 1);
}

static KalStatus parse(KalBuild *b, size_t i, KalDiagnostics *found)
{
    assert(i < b->options->n_overrides && b->overrides.list[i].parsed);
    KalReplacement *r = &b->overrides.list[i];
    const KalStatus status = kal_parse(b->ctx, r->parsed, found, &r->tree);
    if (status == KAL_ERR_NOMEM) {
        return status;
    }
    const size_t name_length = strlen(b->options->overrides[i].name);
    const size_t name_end = r->offset + (name_length > 0 ? name_length : 1);
    for (const KalDiagnostic *d = kal_diagnostics_first(found); d; d = d->next) {
        report(b, d->span, d->span.begin < name_end ? EXPECTED : d->message);
    }
    return status == KAL_OK ? accept(b, i) : KAL_OK;
}

// An override is parsed as if it were a statement of the model, with places in messages
// that refer to the option as given.
static KalStatus read(KalBuild *b, size_t i)
{
    assert(i < b->options->n_overrides && b->overrides.list);
    const KalOverride *o = &b->options->overrides[i];
    KalReplacement *r = &b->overrides.list[i];
    const size_t size = sizeof STATEMENT + strlen(o->name) + 1 + strlen(o->value);
    if (size > LONGEST) {
        return kal_fail(b->ctx, KAL_ERR_LIMIT, "an override is at most %d bytes long",
                        LONGEST);
    }
    char *text = (char *)kal_arena_alloc(b->arena, size, 1);
    if (!text) {
        return kal_no_memory(b->ctx, "for an override");
    }
    (void)snprintf(text, size, "%s%s=%s", STATEMENT, o->name, o->value);
    r->offset = sizeof STATEMENT - 1;
    KAL_TRY(kal_sources_add(b->sources, "-p", text, size - 1, &r->parsed));
    KAL_TRY(kal_sources_add(b->sources, "-p", text + r->offset, size - 1 - r->offset,
                            &r->shown));
    KalDiagnostics *found = NULL;
    KAL_TRY(kal_diagnostics_create(b->ctx, &found));
    const KalStatus status = parse(b, i, found);
    kal_diagnostics_destroy(found);
    return status;
}

KalStatus kal_build_init_overrides(KalBuild *b)
{
    const size_t n = b->options->n_overrides;
    if (n == 0) {
        return KAL_OK;
    }
    b->overrides.list =
        (KalReplacement *)kal_alloc(b->ctx, n, sizeof *b->overrides.list);
    if (!b->overrides.list) {
        return kal_no_memory(b->ctx, "for overrides");
    }
    for (size_t i = 0; i < n; i++) {
        KAL_TRY(read(b, i));
    }
    return KAL_OK;
}

void kal_build_clear_overrides(KalBuild *b)
{
    for (size_t i = 0; b->overrides.list && i < b->options->n_overrides; i++) {
        kal_tree_destroy(b->overrides.list[i].tree);
    }
    kal_free(b->ctx, b->overrides.list,
             b->options->n_overrides * sizeof *b->overrides.list);
    b->overrides.list = NULL;
}

const KalNode *kal_build_find_override(KalBuild *b, const KalNameText *name)
{
    uint64_t place;
    if (kal_map_count(&b->overrides.names) == 0) {
        return NULL;
    }
    const KalAtom atom = kal_build_atom(b, name->text, name->length);
    if (atom == KAL_ATOM_NONE || !kal_map_find(&b->overrides.names, atom, &place)) {
        return NULL;
    }
    KalReplacement *r = &b->overrides.list[place - 1];
    assert(place >= 1 && place <= b->options->n_overrides);
    r->used = true;
    return r->assignment;
}

// The parameter is being declared meanwhile, and has no value: who uses it in the value that it
// is to get is told so, for nobody else does.
KalValue kal_build_eval_override(KalBuild *b, const KalNode *assignment)
{
    static const KalUsage usage = {KAL_MARKS_CONSTANT, "the value of a parameter"};
    const KalNode *node = assignment->of.declaration.value;
    const KalValue value = kal_build_eval_for(b, node, usage);
    if (value.kind == KAL_VALUE_BAD && b->report.errors == 0) {
        return kal_build_bad(
            b, node->span,
            "the value of a parameter is made of the parameter itself; "
            "expected a number, or names declared before it");
    }
    return kal_build_apply_unit(b, value, assignment->of.declaration.unit, node);
}

// The parameter that a name probably means.
static const char *find_near(const KalBuild *b, const char *name)
{
    const char *names[NEAR_NAMES];
    int count = 0;
    for (size_t i = 0; i < b->model->n_parameters && count < NEAR_NAMES; i++) {
        names[count++] = b->model->parameters[i].name;
    }
    return kal_word_find_near(name, names, count);
}

void kal_build_check_overrides(KalBuild *b)
{
    const bool others = b->report.errors > 0; // which may be why nothing asked for it
    for (size_t i = 0; i < b->options->n_overrides && !others; i++) {
        const KalReplacement *r = &b->overrides.list[i];
        if (r->used || !r->assignment) {
            continue;
        }
        char message[300];
        const char *name = b->options->overrides[i].name;
        const char *near = find_near(b, name);
        (void)snprintf(message, sizeof message,
                       near ? "the model has no parameter '%.100s'; did you mean "
                              "'%.100s'?"
                            : "the model has no parameter '%.100s'",
                       name, near ? near : "");
        const uint32_t end = r->offset + (uint32_t)strlen(name);
        report(b, (KalSpan){r->parsed, r->offset, end}, message);
    }
}

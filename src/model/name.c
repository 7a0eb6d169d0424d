// SPDX-License-Identifier: MIT

// Names: texts as numbers (atoms), scopes, declarations, and what an unknown name may mean.
//
// Equal texts have equal atoms, so that names are compared as numbers; a table from scope,
// space and atom finds entries in one step.  Entries keep the place of their declaration
// (site), one for each place of the text however many parts are made of it: so a component's
// name is used if it is used in any of its parts.

#include "model/build_impl.h"
#include "model/library.h"

#include <kalaba/text.h>

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum {
    NEAR_NAMES = 2000,  // looked at to find what a misspelt name may mean
    MEMBERS_SIZE = 120, // bytes of a list of names
    BLOCKS = 40         // deeper ones the parser does not let pass
};

// Atoms.

// A name.
typedef struct AtomText {
    const char *text;
    size_t length;
} AtomText;

// The text of an atom; atom 0 has an empty one.
static AtomText *atom_text(const KalBuild *b, KalAtom atom)
{
    assert((atom + 1U) * sizeof(AtomText) <= b->words.texts.size);
    return &((AtomText *)b->words.texts.data)[atom];
}

static uint32_t hash_text(const char *text, size_t length)
{
    return kal_hash(kal_hash_text(KAL_HASH_BEGIN, text, length), 0);
}

static uint32_t hash_of_atom(const void *owner, uint32_t atom)
{
    const AtomText *entry = atom_text((const KalBuild *)owner, atom);
    return hash_text(entry->text, entry->length);
}

// Every name is kept once and known by its number, so that names are compared as numbers.
static KalAtom add_atom(KalBuild *b, const char *text, size_t length, uint32_t hash)
{
    assert(text && length < UINT32_MAX);
    const KalAtom atom = (KalAtom)(b->words.texts.size / sizeof(AtomText));
    const KalHashes hashes = {hash_of_atom, b};
    char *copy = (char *)kal_arena_alloc(b->arena, length + 1, 1);
    if (!copy || !kal_index_reserve(b->ctx, &b->words.atoms, atom, &hashes)) {
        kal_build_no_memory(b);
        return KAL_ATOM_NONE;
    }
    memcpy(copy, text, length);
    const AtomText entry = {copy, length};
    if (!kal_build_check(
            b, kal_block_add(b->ctx, &b->words.texts, &entry, sizeof entry))) {
        return KAL_ATOM_NONE;
    }
    kal_index_put(&b->words.atoms, hash, atom);
    return atom;
}

KalAtom kal_build_atom(KalBuild *b, const char *text, size_t length)
{
    const uint32_t hash = hash_text(text, length);
    size_t at = kal_index_begin(&b->words.atoms, hash);
    for (KalAtom atom; kal_index_next(&b->words.atoms, hash, &at, &atom);) {
        const AtomText *entry = atom_text(b, atom);
        if (entry->length == length && memcmp(entry->text, text, length) == 0) {
            return atom;
        }
    }
    return add_atom(b, text, length, hash);
}

// A loop comes by the same places again and again, so what they say is kept.
KalAtom kal_build_atom_of(KalBuild *b, const KalNode *name)
{
    assert(name->kind == KAL_NODE_NAME);
    const char *text = name->of.text.data;
    KalSeen *seen = &b->words.seen[kal_map_key(text) % KAL_SEEN_PLACES];
    if (seen->text != text) {
        *seen = (KalSeen){text, kal_build_atom(b, text, name->of.text.length)};
    }
    return seen->atom;
}

const char *kal_build_atom_text(const KalBuild *b, KalAtom atom)
{
    return atom_text(b, atom)->text;
}

KalStatus kal_build_init_names(KalBuild *b)
{
    static const char *const known[] = {"", "t", "pi", "deg", "x", "y", "z"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        (void)add_atom(b, known[i], strlen(known[i]),
                       hash_text(known[i], strlen(known[i])));
    }
    KAL_TRY(b->status);
    b->names.scope = kal_build_add_scope(b, NULL, NULL, "");
    return b->status;
}

// Scopes.

KalScope *kal_build_add_scope(KalBuild *b, KalScope *parent, KalScope *owner,
                              const char *prefix)
{
    assert(prefix);
    KalScope *scope = (KalScope *)kal_arena_alloc(b->arena, 1, sizeof *scope);
    char *copy = (char *)kal_arena_alloc(b->arena, strlen(prefix) + 1, 1);
    if (!scope || !copy) {
        kal_build_no_memory(b);
        return NULL;
    }
    memcpy(copy, prefix, strlen(prefix));
    *scope = (KalScope){.id = b->declared.scopes++,
                        .depth = owner ? owner->depth + 1 : 0,
                        .parent = parent,
                        .owner = owner,
                        .prefix = copy};
    return scope;
}

// Scope, atom and space in one number, which is not 0.
static uint64_t entry_key(const KalScope *scope, KalAtom atom, KalSpace space)
{
    assert((uint64_t)scope->id < UINT64_C(1) << 30);
    return ((uint64_t)scope->id << 34 | (uint64_t)atom << 2 | (uint64_t)space) + 1;
}

KalEntry *kal_build_find_in(const KalBuild *b, const KalScope *scope, KalAtom atom,
                            KalSpace space)
{
    return (KalEntry *)kal_map_find_pointer(&b->declared.entries,
                                            entry_key(scope, atom, space));
}

// Loops and arguments first, from the inside out; then scopes, from the inside out.
bool kal_build_find(const KalBuild *b, KalAtom atom, KalSpace space,
                    KalFound *out_found)
{
    const bool values = space == KAL_SPACE_VALUE;
    for (const KalFrame *f = values ? b->names.frame : NULL; f; f = f->outer) {
        for (size_t i = 0; i < f->n; i++) {
            if (f->bindings[i].atom == atom) {
                *out_found = (KalFound){.binding = &f->bindings[i]};
                return true;
            }
        }
    }
    for (const KalScope *s = b->names.scope; s; s = s->parent) {
        KalEntry *entry = kal_build_find_in(b, s, atom, space);
        if (entry) {
            *out_found = (KalFound){.entry = entry};
            return true;
        }
    }
    return false;
}

KalSpace kal_build_space_of(KalEntryKind kind)
{
    switch (kind) {
    case KAL_ENTRY_CONSTRAINT:
    case KAL_ENTRY_SERVO: return KAL_SPACE_CONSTRAINT;
    case KAL_ENTRY_ACTUATOR: return KAL_SPACE_ACTUATOR;
    case KAL_ENTRY_EVENT: return KAL_SPACE_EVENT;
    case KAL_ENTRY_PARAMETER:
    case KAL_ENTRY_COORDINATE:
    case KAL_ENTRY_LET:
    case KAL_ENTRY_ARGUMENT:
    case KAL_ENTRY_OUTPUT:
    case KAL_ENTRY_PART:
    case KAL_ENTRY_FUNCTION:
    case KAL_ENTRY_COMPONENT:
    case KAL_ENTRY_STATE:
    case KAL_ENTRY_HOLD:
    case KAL_ENTRY_TABLE: return KAL_SPACE_VALUE;
    }
    return KAL_SPACE_VALUE;
}

const char *kal_build_kind_text(KalEntryKind kind)
{
    switch (kind) {
    case KAL_ENTRY_PARAMETER: return "a parameter";
    case KAL_ENTRY_COORDINATE: return "a coordinate";
    case KAL_ENTRY_LET: return "a named expression";
    case KAL_ENTRY_ARGUMENT: return "an argument";
    case KAL_ENTRY_OUTPUT: return "an output";
    case KAL_ENTRY_PART: return "a part";
    case KAL_ENTRY_FUNCTION: return "a function";
    case KAL_ENTRY_COMPONENT: return "a component";
    case KAL_ENTRY_CONSTRAINT: return "a constraint";
    case KAL_ENTRY_SERVO: return "a servo";
    case KAL_ENTRY_ACTUATOR: return "an actuator";
    case KAL_ENTRY_EVENT: return "an event";
    case KAL_ENTRY_STATE: return "a state";
    case KAL_ENTRY_HOLD: return "a value that is held";
    case KAL_ENTRY_TABLE: return "a table";
    }
    return "a name";
}

// Declaring.

// The site of a place in the text; the same for all parts that come by.
static KalSite *find_site(KalBuild *b, KalEntryKind kind, const KalNode *name,
                          KalAtom atom)
{
    assert(name->kind == KAL_NODE_NAME);
    const uint64_t key = kal_map_key(name);
    KalSite *site = (KalSite *)kal_map_find_pointer(&b->declared.sites, key);
    if (site) {
        return site;
    }
    site = (KalSite *)kal_arena_alloc(b->arena, 1, sizeof *site);
    if (!site) {
        kal_build_no_memory(b);
        return NULL;
    }
    *site = (KalSite){.span = name->span, .atom = atom, .kind = kind};
    if (!kal_build_check(b,
                         kal_map_set_pointer(b->ctx, &b->declared.sites, key, site))) {
        return NULL;
    }
    if (b->declared.last_site) {
        b->declared.last_site->next = site;
    } else {
        b->declared.first_site = site;
    }
    b->declared.last_site = site;
    return site;
}

// A name in the present scope; its value is bad until it is set.
static KalEntry *add_entry(KalBuild *b, KalEntryKind kind, KalSite *site)
{
    assert(b->names.scope && site);
    KalScope *scope = b->names.scope;
    KalEntry *entry = (KalEntry *)kal_arena_alloc(b->arena, 1, sizeof *entry);
    if (!entry) {
        kal_build_no_memory(b);
        return NULL;
    }
    *entry = (KalEntry){.next = scope->entries,
                        .kind = kind,
                        .space = kal_build_space_of(kind),
                        .atom = site->atom,
                        .site = site,
                        .value = KAL_BAD_VALUE,
                        .scope = scope};
    const uint64_t key = entry_key(scope, entry->atom, entry->space);
    if (!kal_build_check(
            b, kal_map_set_pointer(b->ctx, &b->declared.entries, key, entry))) {
        return NULL;
    }
    scope->entries = entry;
    return entry;
}

static bool count_name(KalBuild *b, KalSpan span)
{
    b->declared.count++;
    if (b->declared.count > kal_usual_times(b->ctx, KAL_BUILD_NAMES)) {
        kal_build_limit(b, span,
                        "the model is too large: it declares more than %zu names",
                        kal_usual_times(b->ctx, KAL_BUILD_NAMES));
    }
    return b->status == KAL_OK;
}

// The same place of the text twice is a loop without an index; another place is a second
// declaration.
KalEntry *kal_build_declare(KalBuild *b, KalEntryKind kind, const KalNode *name)
{
    assert(name->kind == KAL_NODE_NAME && b->names.scope);
    const KalAtom atom = kal_build_atom_of(b, name);
    const KalEntry *other =
        kal_build_find_in(b, b->names.scope, atom, kal_build_space_of(kind));
    if (other && other->site->span.begin == name->span.begin
        && other->site->span.source == name->span.source) {
        kal_build_error(b, name->span,
                        "the loop declares '%s' again in each pass; give it an index, "
                        "as in %s[i]",
                        kal_build_atom_text(b, atom), kal_build_atom_text(b, atom));
        return NULL;
    }
    if (other) {
        kal_build_error(b, name->span, "'%s' is declared twice",
                        kal_build_atom_text(b, atom));
        kal_build_note(b, other->site->span, "it is %s here",
                       kal_build_kind_text(other->kind));
        return NULL;
    }
    KalSite *site = atom != KAL_ATOM_NONE && count_name(b, name->span)
                        ? find_site(b, kind, name, atom)
                        : NULL;
    return site ? add_entry(b, kind, site) : NULL;
}

// The name that a target with indices begins with.
static const KalNode *root_of(const KalNode *target)
{
    while (target->kind != KAL_NODE_NAME) {
        target = target->of.binary.left;
    }
    return target;
}

void kal_build_spoil(KalBuild *b, KalEntryKind kind, const KalNode *target)
{
    const KalNode *name = root_of(target);
    const KalSpace space = kal_build_space_of(kind);
    if (!kal_build_find_in(b, b->names.scope, kal_build_atom_of(b, name), space)) {
        (void)kal_build_declare(b, kind, name);
    }
}

// What an unknown name may mean.

typedef struct Candidates {
    const char *names[NEAR_NAMES];
    int count;
} Candidates;

static void add_candidate(Candidates *c, const char *name)
{
    assert(c->count >= 0 && c->count <= NEAR_NAMES);
    if (c->count < NEAR_NAMES) {
        c->names[c->count++] = name;
    }
}

// All names of a scope and space.
static void add_candidates(const KalBuild *b, Candidates *c, const KalScope *scope,
                           KalSpace space)
{
    for (const KalEntry *e = scope->entries; e; e = e->next) {
        if (e->space == space) {
            add_candidate(c, kal_build_atom_text(b, e->atom));
        }
    }
}

// The known name that is nearest to a misspelt one.
static const char *find_near(const KalBuild *b, const char *name, KalSpace space,
                             const KalScope *part)
{
    Candidates c;
    c.count = 0;
    if (part) {
        add_candidates(b, &c, part, space);
        return kal_word_find_near(name, c.names, c.count);
    }
    for (const KalFrame *f = b->names.frame; f; f = f->outer) {
        for (size_t i = 0; i < f->n; i++) {
            add_candidate(&c, kal_build_atom_text(b, f->bindings[i].atom));
        }
    }
    for (const KalScope *s = b->names.scope; s; s = s->parent) {
        add_candidates(b, &c, s, space);
    }
    return kal_word_find_near(name, c.names, c.count);
}

// Whether a target declares a name.
static bool is_named(const KalNode *node, const char *name)
{
    return kal_node_is_text(root_of(node), name);
}

static const KalNode *find_declaration(const KalNode *statements, const char *name,
                                       int depth);

// Where a statement declares a name, for each way to declare that nodes.def knows; NULL
// when it does not.

static const KalNode *declared_nothing(const KalNode *node, const char *name, int depth)
{
    (void)node;
    (void)name;
    (void)depth;
    return NULL;
}

// The name node of a target, if it is the name.
static const KalNode *declared_by(const KalNode *target, const char *name)
{
    return is_named(target, name) ? root_of(target) : NULL;
}

static const KalNode *declared_items(const KalNode *node, const char *name, int depth)
{
    (void)depth;
    const KalNode *found = NULL;
    for (const KalNode *item = node->of.list.items; item && !found; item = item->next) {
        found =
            declared_by(item->kind == KAL_NODE_INSTANCE ? item->of.instance.name
                                                        : item->of.declaration.target,
                        name);
    }
    return found;
}

static const KalNode *declared_equation(const KalNode *node, const char *name,
                                        int depth)
{
    (void)depth;
    return declared_by(node->of.equation.target, name);
}

static const KalNode *declared_dynamic(const KalNode *node, const char *name, int depth)
{
    (void)depth;
    return declared_by(node->of.dynamic.target, name);
}

static const KalNode *declared_table(const KalNode *node, const char *name, int depth)
{
    (void)depth;
    return declared_by(node->of.table.name, name);
}

static const KalNode *declared_actuator(const KalNode *node, const char *name,
                                        int depth)
{
    (void)depth;
    return declared_by(node->of.actuator.target, name);
}

static const KalNode *declared_definition(const KalNode *node, const char *name,
                                          int depth)
{
    (void)depth;
    return declared_by(node->of.definition.name, name);
}

// NOLINTNEXTLINE(misc-no-recursion)
static const KalNode *declared_body(const KalNode *node, const char *name, int depth)
{
    return find_declaration(node->of.loop.body, name, depth + 1);
}

// NOLINTNEXTLINE(misc-no-recursion)
static const KalNode *declared_in(const KalNode *node, const char *name, int depth)
{
    switch (node->kind) {
#define KAL_STATEMENT(name_, member, word, printer, builder, declares) \
    case KAL_NODE_##name_:                                             \
        return declared_##declares(node, name, depth);
#define KAL_NODE(name_, member) case KAL_NODE_##name_:
#include "lang/nodes.def"
        break;
    }
    assert(false && "not a statement");
    return NULL;
}

// What declares a name in statements that were not reached yet, or in a scope that hides
// it; NULL when nothing does.
// NOLINTNEXTLINE(misc-no-recursion)
static const KalNode *find_declaration(const KalNode *statements, const char *name,
                                       int depth)
{
    assert(depth >= 0);
    const KalNode *found = NULL;
    for (const KalNode *s = statements; s && !found && depth < BLOCKS; s = s->next) {
        found = declared_in(s, name, depth);
    }
    return found;
}

// Whether the name exists in another space, with another use.
static bool find_elsewhere(const KalBuild *b, KalAtom atom, KalSpace space,
                           const KalScope *part, KalEntryKind *out_kind)
{
    assert(out_kind);
    for (KalSpace other = KAL_SPACE_VALUE; other <= KAL_SPACE_EVENT; other++) {
        KalFound found = {NULL, NULL};
        if (other == space) {
            continue;
        }
        if (part) {
            found.entry = kal_build_find_in(b, part, atom, other);
        } else {
            (void)kal_build_find(b, atom, other, &found);
        }
        if (found.entry) {
            *out_kind = found.entry->kind;
            return true;
        }
    }
    return false;
}

static const char *space_text(KalSpace space)
{
    switch (space) {
    case KAL_SPACE_VALUE: return "a value";
    case KAL_SPACE_CONSTRAINT: return "a constraint";
    case KAL_SPACE_ACTUATOR: return "an actuator";
    case KAL_SPACE_EVENT: return "an event";
    }
    return "a name";
}

static const char *hint_for(KalEntryKind kind)
{
    switch (kind) {
    case KAL_ENTRY_CONSTRAINT: return "; its force is reaction(…)";
    case KAL_ENTRY_ACTUATOR: return "; its input is control(…)";
    case KAL_ENTRY_PARAMETER:
    case KAL_ENTRY_COORDINATE:
    case KAL_ENTRY_LET:
    case KAL_ENTRY_ARGUMENT:
    case KAL_ENTRY_OUTPUT:
    case KAL_ENTRY_PART:
    case KAL_ENTRY_FUNCTION:
    case KAL_ENTRY_COMPONENT:
    case KAL_ENTRY_STATE:
    case KAL_ENTRY_HOLD:
    case KAL_ENTRY_TABLE:
    case KAL_ENTRY_SERVO:
    case KAL_ENTRY_EVENT: return "";
    }
    return "";
}

static const char *unknown_text(KalSpace space)
{
    switch (space) {
    case KAL_SPACE_CONSTRAINT: return "constraint";
    case KAL_SPACE_ACTUATOR: return "actuator";
    case KAL_SPACE_EVENT: return "event";
    case KAL_SPACE_VALUE: break;
    }
    return "name";
}

// What declares a name in the text around its use, or NULL.
static const KalNode *find_later(const KalBuild *b, const KalNode *name,
                                 const char *text)
{
    for (const KalScope *s = b->names.scope; s; s = s->parent) {
        const KalNode *later = find_declaration(s->body, text, 0);
        if (later && later->span.source == name->span.source) {
            return later;
        }
    }
    return NULL;
}

// The name is declared, but not yet.
static KalValue report_later(KalBuild *b, const KalNode *name, const KalNode *later)
{
    assert(name->kind == KAL_NODE_NAME);
    const char *text = kal_build_atom_text(b, kal_build_atom_of(b, name));
    if (later->span.begin < name->span.begin) {
        return kal_build_bad(b, name->span, "'%s' is used in its own declaration",
                             text);
    }
    const KalPlace place = kal_source_place(later->span.source, later->span.begin);
    return kal_build_bad(b, name->span,
                         "'%s' is declared only in line %zu; a name is declared before "
                         "it is used",
                         text, place.line);
}

// Some names of a part, in the order in which it declares them: "x, y, …"; "" if it has none.
static void list_members(const KalBuild *b, const KalScope *part, KalSpace space,
                         char out_list[MEMBERS_SIZE])
{
    Candidates c;
    size_t used = 0;
    c.count = 0;
    add_candidates(b, &c, part, space);
    out_list[0] = '\0';
    for (int i = c.count - 1; i >= 0 && used < MEMBERS_SIZE - 1; i--) {
        const bool fits = used + strlen(c.names[i]) + sizeof ", …" < MEMBERS_SIZE;
        const int n = snprintf(out_list + used, MEMBERS_SIZE - used, "%s%s",
                               used > 0 ? ", " : "", fits ? c.names[i] : "…");
        used = fits ? used + (size_t)n : MEMBERS_SIZE;
    }
}

static KalValue report_member(KalBuild *b, const KalNode *name, const char *text,
                              const char *near, const char *members)
{
    return near ? kal_build_bad(b, name->span,
                                "the part has no '%s'; did you mean '%s'?", text, near)
           : members[0] != '\0'
               ? kal_build_bad(b, name->span, "the part has no '%s'; it has %s", text,
                               members)
               : kal_build_bad(b, name->span, "the part has no '%s'", text);
}

// A derivative as other notations have it, `thetadot`, `theta_ddot`, `dtheta`: the length and
// place of the name that it is of, and its order; 0 if it is none.
static int find_derivative(const char *text, size_t *out_begin, size_t *out_length)
{
    static const struct {
        const char *text;
        int order;
    } endings[] = {
        {"_ddot", 2},
        {"ddot",  2},
        {"_dot",  1},
        {"dot",   1},
        {"Dot",   1},
    };

    const size_t length = strlen(text);
    *out_begin = 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t end = strlen(endings[i].text);
        if (length > end && strcmp(text + length - end, endings[i].text) == 0) {
            *out_length = length - end;
            return endings[i].order;
        }
    }
    *out_begin = 1;
    *out_length = length > 1 ? length - 1 : 0;
    return text[0] == 'd' && length > 1 ? 1 : 0;
}

#define MATRIX        "the rows of a matrix are vectors, as in [[1, 0], [0, 1]]"
#define SUM_OVER_TIME "what adds up over time is a state, as in state s: s' = x"

#define TIME_DERIVATIVE "a time derivative is written with a prime: x'"
#define CHOICE          "a value chosen by a condition is if(x > 0, 1, 2)"

const char *kal_build_find_foreign(const char *name)
{
    static const char *const foreign[][2] = {
        {"ln",         "did you mean 'log'?"   },
        {"tg",         "did you mean 'tan'?"   },
        {"arctg",      "did you mean 'atan'?"  },
        {"sgn",        "did you mean 'sign'?"  },
        {"fabs",       "did you mean 'abs'?"   },
        {"pow",        "a power is written x^2"},
        {"power",      "a power is written x^2"},
        {"diff",       TIME_DERIVATIVE         },
        {"der",        TIME_DERIVATIVE         },
        {"ddt",        TIME_DERIVATIVE         },
        {"derivative", TIME_DERIVATIVE         },
        {"Derivative", TIME_DERIVATIVE         },
        {"heaviside",  CHOICE                  },
        {"Heaviside",  CHOICE                  },
        {"step",       CHOICE                  },
        {"piecewise",  CHOICE                  },
        {"Piecewise",  CHOICE                  },
        {"ifelse",     CHOICE                  },
        {"integral",   SUM_OVER_TIME           },
        {"integrate",  SUM_OVER_TIME           },
        {"int",        SUM_OVER_TIME           },
        {"time",       "the time is t"         },
        {"diag",       MATRIX                  },
        {"eye",        MATRIX                  },
        {"matrix",     MATRIX                  },
    };
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (strcmp(foreign[i][0], name) == 0) {
            return foreign[i][1];
        }
    }
    return NULL;
}

// Whether an unknown name is the derivative of a known one in another notation, which is told
// then.
static bool report_derivative(KalBuild *b, const KalNode *name, const char *text)
{
    size_t begin = 0;
    size_t length = 0;
    const int order = find_derivative(text, &begin, &length);
    const KalAtom atom =
        order > 0 ? kal_build_atom(b, text + begin, length) : KAL_ATOM_NONE;
    KalFound found = {NULL, NULL};
    if (atom == KAL_ATOM_NONE || !kal_build_find(b, atom, KAL_SPACE_VALUE, &found)) {
        return false;
    }
    (void)kal_build_bad(b, name->span,
                        "unknown name '%s'; a time derivative is written with a prime: "
                        "%.*s%s",
                        text, (int)length, text + begin, order > 1 ? "''" : "'");
    return true;
}

// Whether a shipped model declares a component of a name, at the beginning of a line.
static bool ships(const KalLibraryModel *model, const char *name, size_t length)
{
    static const char word[] = "\ncomponent ";
    const char *at = model->text;
    while ((at = strstr(at, word)) != NULL) {
        at += sizeof word - 1;
        if (strncmp(at, name, length) == 0 && strchr("( {", at[length])) {
            return true;
        }
    }
    return false;
}

// Tell of a component that a shipped model has; false if none has.
static bool report_shipped(KalBuild *b, const KalNode *name)
{
    int count = 0;
    const KalLibraryModel *models = kal_library_table(&count);
    const int length = (int)name->of.text.length;
    const char *found[2] = {NULL, NULL};
    for (int i = 0; i < count && !found[1]; i++) {
        if (ships(&models[i], name->of.text.data, name->of.text.length)) {
            found[found[0] ? 1 : 0] = models[i].name;
        }
    }
    if (found[0]) {
        kal_build_error(b, name->span,
                        found[1] ? "unknown name '%.*s'; use %s and use %s have such "
                                   "components"
                                 : "unknown name '%.*s'; use %s has such a component",
                        length, name->of.text.data, found[0], found[1]);
    }
    return found[0] != NULL;
}

KalValue kal_build_unknown(KalBuild *b, const KalNode *name, KalSpace space,
                           const KalScope *part)
{
    const KalAtom atom = kal_build_atom_of(b, name);
    const char *text = kal_build_atom_text(b, atom);
    const char *what = unknown_text(space);
    KalEntryKind kind;
    if (b->status != KAL_OK
        || b->report.errors >= KAL_DIAGNOSTIC_LIMIT) { // nobody reads on
        return kal_build_bad(b, name->span, "unknown %s '%s'", what, text);
    }
    if (find_elsewhere(b, atom, space, part, &kind)) {
        return kal_build_bad(b, name->span, "'%s' is %s, not %s%s", text,
                             kal_build_kind_text(kind), space_text(space),
                             hint_for(kind));
    }
    if (!part && space == KAL_SPACE_VALUE && report_derivative(b, name, text)) {
        return KAL_BAD_VALUE;
    }
    const char *foreign = part ? NULL : kal_build_find_foreign(text);
    if (foreign) {
        return kal_build_bad(b, name->span, "unknown %s '%s'; %s", what, text, foreign);
    }
    const char *near = find_near(b, text, space, part);
    if (part) {
        char members[MEMBERS_SIZE];
        list_members(b, part, space, members);
        return report_member(b, name, text, near, members);
    }
    const KalNode *later = find_later(b, name, text);
    if (later) {
        return report_later(b, name, later);
    }
    if (space == KAL_SPACE_VALUE && report_shipped(b, name)) {
        return KAL_BAD_VALUE;
    }
    return near ? kal_build_bad(b, name->span, "unknown %s '%s'; did you mean '%s'?",
                                what, text, near)
                : kal_build_bad(b, name->span, "unknown %s '%s'", what, text);
}

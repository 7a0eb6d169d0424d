// SPDX-License-Identifier: MIT

/// @file
/// Names: where they are declared, in frames (loop indices, arguments of functions) and
/// scopes (a part's, then the global one), and what they mean.

#ifndef MODEL_NAME_IMPL_H
#define MODEL_NAME_IMPL_H

#include "base/block.h"
#include "base/map.h"
#include "model/value_impl.h"

/// A name, known by number: equal names have equal numbers.  0 is none.
typedef uint32_t KalAtom;

/// Names that the builder itself knows, in the order in which it learns them.
enum {
    KAL_ATOM_NONE,
    KAL_ATOM_T,
    KAL_ATOM_PI,
    KAL_ATOM_DEG,
    KAL_ATOM_X,
    KAL_ATOM_Y,
    KAL_ATOM_Z,
};

/// Names of different spaces do not clash.
typedef enum KalSpace {
    KAL_SPACE_VALUE, ///< all that expressions name, and parts, functions, components
    KAL_SPACE_CONSTRAINT, ///< constraints and servos
    KAL_SPACE_ACTUATOR,
    KAL_SPACE_EVENT,
} KalSpace;

/// What a name was declared as.
typedef enum KalEntryKind {
    KAL_ENTRY_PARAMETER,
    KAL_ENTRY_COORDINATE,
    KAL_ENTRY_LET,
    KAL_ENTRY_ARGUMENT, ///< of a component
    KAL_ENTRY_OUTPUT,
    KAL_ENTRY_PART,
    KAL_ENTRY_FUNCTION,
    KAL_ENTRY_COMPONENT,
    KAL_ENTRY_CONSTRAINT, ///< the value is its reactions
    KAL_ENTRY_SERVO,      ///< has no value
    KAL_ENTRY_ACTUATOR,   ///< the value is its inputs
    KAL_ENTRY_EVENT,      ///< has no value
    KAL_ENTRY_STATE,
    KAL_ENTRY_HOLD,
    KAL_ENTRY_TABLE, ///< has no value; `table` says what it is
} KalEntryKind;

/// One place of the text that declares a name, in however many parts.
typedef struct KalSite {
    struct KalSite *next;
    KalSpan span;
    KalAtom atom;
    KalEntryKind kind;
    bool used;
} KalSite;

/// A table, and the units of what goes in and of what comes out.
typedef struct KalTableUse {
    const KalSpline *spline;
    KalUnitId argument;
    KalUnitId value;
} KalTableUse;

/// A declared name.
typedef struct KalEntry {
    struct KalEntry *next; ///< in its scope, the one declared before it
    KalEntryKind kind;
    KalSpace space;
    KalAtom atom;
    KalSite *site; ///< has the span of its name
    KalValue value;
    const KalNode *node; ///< of a function or component
    const KalTableUse *table;
    KalScope *scope; ///< where it is declared
    bool active;     ///< a function or component that is being worked on
    bool open;       ///< declared element by element
} KalEntry;

/// The names of a part, or the global ones.
struct KalScope {
    uint32_t id;
    uint32_t depth;     ///< 0 for the global one
    KalScope *parent;   ///< where names are looked for next
    KalScope *owner;    ///< the scope that has the part
    const char *prefix; ///< of full names: "" or "link[2]."
    KalEntry *entries;
    const KalNode *body;      ///< its statements, to find out what is declared later
    const KalNode *call;      ///< that made the part
    const KalNode *component; ///< that it is of; NULL for the global scope
};

/// A name in a frame.
typedef struct KalBinding {
    KalAtom atom;
    bool is_index; ///< then `number` is its value too
    int64_t number;
    KalValue value;
} KalBinding;

/// Names that live as long as a loop or call.
typedef struct KalFrame {
    const struct KalFrame *outer;
    const KalBinding *bindings;
    size_t n;
} KalFrame;

/// Where names are looked for.
typedef struct KalEnvironment {
    const KalFrame *frame;
    KalScope *scope;
} KalEnvironment;

enum {
    KAL_SEEN_PLACES = 1024
};

/// A place of a text, and the name that stands there.
typedef struct KalSeen {
    const char *text;
    KalAtom atom;
} KalSeen;

/// The words of a text, by name.c.
typedef struct KalWords {
    KalIndex atoms; ///< of the texts
    KalBlock texts; ///< AtomText: by atom
    KalSeen seen[KAL_SEEN_PLACES];
    KalMap functions; ///< atom → a function that is built in
} KalWords;

/// All that was declared, by name.c.
typedef struct KalDeclarations {
    KalMap entries; ///< scope, space, atom → KalEntry *
    KalMap sites;   ///< node → KalSite *
    KalSite *first_site;
    KalSite *last_site;
    uint32_t scopes; ///< how many there are
    size_t count;    ///< names
} KalDeclarations;

KAL_CHECKED KalStatus kal_build_init_names(KalBuild *b);

/// The atom of a text; KAL_ATOM_NONE when the build stops.
KalAtom kal_build_atom(KalBuild *b, const char *text, size_t length);
KalAtom kal_build_atom_of(KalBuild *b, const KalNode *name);
const char *kal_build_atom_text(const KalBuild *b, KalAtom atom);

/// A scope whose names begin with `prefix`, which is copied; NULL when the build stops.
KalScope *kal_build_add_scope(KalBuild *b, KalScope *parent, KalScope *owner,
                              const char *prefix);

/// What a name means.
typedef struct KalFound {
    const KalBinding *binding; ///< NULL: `entry` says what it is
    KalEntry *entry;
} KalFound;

/// Looks in frames and scopes, from the innermost out.
bool kal_build_find(const KalBuild *b, KalAtom atom, KalSpace space,
                    KalFound *out_found);

/// Looks in one scope; NULL when the name is not there.
KalEntry *kal_build_find_in(const KalBuild *b, const KalScope *scope, KalAtom atom,
                            KalSpace space);

/// After an error in its declaration: declares the name as bad, unless it is known, so that
/// its uses are no errors.
void kal_build_spoil(KalBuild *b, KalEntryKind kind, const KalNode *target);

/// Declares a name in the present scope.  One that was declared before is an error, and
/// the answer NULL.
KalEntry *kal_build_declare(KalBuild *b, KalEntryKind kind, const KalNode *name);

/// The space that the names of a kind are in.
KalSpace kal_build_space_of(KalEntryKind kind);

/// "a parameter"
const char *kal_build_kind_text(KalEntryKind kind);

/// What is written here for a function of other languages and books, or NULL.
const char *kal_build_find_foreign(const char *name);

/// Reports a name that is not known: what it may be instead, or where it is declared.
/// `part` is the one that should have it as a member, or NULL.
KalValue kal_build_unknown(KalBuild *b, const KalNode *name, KalSpace space,
                           const KalScope *part);

#endif

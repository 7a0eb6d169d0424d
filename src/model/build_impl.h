// SPDX-License-Identifier: MIT

/// @file
/// What the files that build a model share.
///
/// A build walks the statements of a text in order, once.  Expressions become values: a
/// formula with its unit, an array of values, or a part.  Names are found in frames (loop
/// indices, arguments of functions), then in scopes (a part's, then the global one).
///
/// Errors do not stop a build.  What goes wrong is reported where it is, and the value
/// becomes *bad*: whatever is made of a bad value is bad without another word, so that one
/// mistake makes one error.  Only exhausted memory or a limit stops a build: `status` is
/// then not KAL_OK, all evaluation answers bad at once, and loops end.
///
/// Memory: values in the pool live as long as the statement that made them; what a name
/// stands for is copied to the arena (kal_build_keep()).

#ifndef MODEL_BUILD_IMPL_H
#define MODEL_BUILD_IMPL_H

#include "base/block.h"
#include "base/stack.h"
#include "lang/tree.h"
#include "model/build.h"
#include "model/map.h"
#include "model/pool.h"
#include "model/unit.h"

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

/// A unit in the build's table.
typedef uint32_t KalUnitId;

enum {
    KAL_UNIT_ANY, ///< that of numbers
    KAL_UNIT_ONE,
    KAL_UNIT_ENERGY, ///< J
    KAL_UNIT_POWER,  ///< W
    KAL_UNIT_TIME,   ///< s
};

/// What a value is.
typedef enum KalValueKind {
    KAL_VALUE_NONE, ///< an element that is not defined yet
    KAL_VALUE_BAD,  ///< an error was reported
    KAL_VALUE_SCALAR,
    KAL_VALUE_ARRAY,
    KAL_VALUE_PART,
} KalValueKind;

typedef struct KalArray KalArray;
typedef struct KalScope KalScope;

/// A value; pass it by value.
typedef struct KalValue {
    uint8_t kind;   ///< a KalValueKind
    uint16_t marks; ///< 1 << KalSymbolKind of what is in it, at least
    KalUnitId unit; ///< of a scalar

    union {
        KalExpr expr;
        KalArray *array;
        KalScope *part;
    } of;
} KalValue;

#define KAL_BAD_VALUE ((KalValue){.kind = KAL_VALUE_BAD})

/// A sequence of values, which count from 1 for users and from 0 here.  Shared and never
/// changed, but for one that is open: its elements are declared one by one.
struct KalArray {
    uint32_t n;
    uint32_t capacity; ///< of `items`; 0 for arrays that are not open
    uint32_t depth;    ///< 1 for a vector, 2 for a matrix
    uint32_t holes;    ///< elements not defined yet; only open arrays have some
    uint32_t size;     ///< scalars and parts in it, at all depths
    bool kept;         ///< it is in the arena, and so are its elements
    KalValue *items;
};

/// Sets of kinds of symbols, for KalValue.marks.
#define KAL_MARK(kind) (1U << KAL_SYMBOL_##kind)

enum {
    KAL_MARKS_CONSTANT = 1U << KAL_SYMBOL_PARAMETER,
    KAL_MARKS_TIMED = KAL_MARKS_CONSTANT | 1U << KAL_SYMBOL_TIME,
    KAL_MARKS_STATE =
        KAL_MARKS_TIMED | 1U << KAL_SYMBOL_COORDINATE | 1U << KAL_SYMBOL_VELOCITY,
    KAL_MARKS_MOTION = KAL_MARKS_STATE | 1U << KAL_SYMBOL_ACCELERATION,
    KAL_MARKS_NONIDEAL = KAL_MARKS_STATE | 1U << KAL_SYMBOL_REACTION,
    KAL_MARKS_MOVING = 1U << KAL_SYMBOL_COORDINATE | 1U << KAL_SYMBOL_VELOCITY
                       | 1U << KAL_SYMBOL_ACCELERATION,
    KAL_MARK_GUESS = 1U << 14,   ///< made of an argument given by `~`
    KAL_MARK_DEGREES = 1U << 15, ///< made of an output in degrees
    KAL_MARKS_NOTES = KAL_MARK_GUESS | KAL_MARK_DEGREES, ///< allowed everywhere
    KAL_MARKS_ALL = 0xFFFF,
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
} KalEntryKind;

/// One place of the text that declares a name, in however many parts.
typedef struct KalSite {
    struct KalSite *next;
    KalSpan span;
    KalAtom atom;
    KalEntryKind kind;
    bool used;
} KalSite;

/// A declared name.
typedef struct KalEntry {
    struct KalEntry *next; ///< in its scope, the one declared before it
    KalEntryKind kind;
    KalSpace space;
    KalAtom atom;
    KalSite *site; ///< has the span of its name
    KalValue value;
    const KalNode *node; ///< of a function or component
    KalScope *scope;     ///< where it is declared
    bool active;         ///< a function or component that is being worked on
    bool open;           ///< declared element by element
} KalEntry;

/// The names of a part, or the global ones.
struct KalScope {
    uint32_t id;
    uint32_t depth;     ///< 0 for the global one
    KalScope *parent;   ///< where names are looked for next
    KalScope *owner;    ///< the scope that has the part
    const char *prefix; ///< of full names: "" or "link[2]."
    KalEntry *entries;
    const KalNode *body; ///< its statements, to find out what is declared later
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

/// What expressions may use at present.
typedef struct KalUsage {
    unsigned allowed;  ///< marks
    const char *where; ///< "an energy"
} KalUsage;

/// An override, ready for use.
typedef struct KalReplacement {
    const KalSource *shown;  ///< what errors point to: name=value as it was given
    const KalSource *parsed; ///< a statement that holds it, `offset` bytes further on
    uint32_t offset;
    KalTree *tree;
    const KalNode *value;
    bool used;
} KalReplacement;

/// A file or library that a model uses.
typedef struct KalUsedFile KalUsedFile;

enum {
    KAL_SEEN_PLACES = 1024
};

/// A place of a text, and the name that stands there.
typedef struct KalSeen {
    const char *text;
    KalAtom atom;
} KalSeen;

/// A build under way.
typedef struct KalBuild {
    KalContext *ctx;
    KalSources *sources;
    const KalSource *main;
    const KalBuildOptions *options;
    KalDiagnostics *diagnostics;
    KalModel *model;
    KalGraph *graph; ///< the model's
    KalArena *arena;
    KalPool pool;

    KalStatus status;
    bool muted; ///< the last error was told before; so are its notes
    size_t errors;
    KalMap told;

    size_t steps;
    size_t passes;
    size_t scalars;
    size_t parts;
    size_t declared; ///< names
    unsigned depth;  ///< of evaluation
    unsigned calls;
    KalStack stack; ///< where the build began

    KalMap atoms;   ///< hash of a text → atom, with chains
    KalBlock texts; ///< of KalAtomText
    KalSeen seen[KAL_SEEN_PLACES];
    KalMap functions; ///< atom → a function that is built in
    KalMap entries;   ///< scope, space, atom → KalEntry *
    KalMap sites;     ///< node → KalSite *
    KalSite *first_site;
    KalSite *last_site;
    uint32_t scopes;
    KalEnvironment names;
    KalUsage usage;
    bool index_read;                        ///< an index variable was evaluated
    bool looking;                           ///< names are looked at and not used
    KalEntry *active[KAL_BUILD_PART_DEPTH]; ///< components being worked on
    unsigned n_active;

    KalBlock units;      ///< of KalUnit
    KalMap unit_nodes;   ///< node → KalUnitId
    KalMap unit_results; ///< operation → KalUnitId
    KalMap angles;       ///< symbol with a unit → the power of angles in it
    KalUnitId energy;    ///< the unit of energies, once one is known
    KalSpan energy_span;
    KalSpan title;     ///< of the `model` statement
    KalSpan statement; ///< the one that is being built

    KalMap rates;     ///< formula → its derivative
    KalMap needs;     ///< formula and kind of need → it is among the conditions
    KalBlock numbers; ///< values of symbols, those of parameters set
    KalMap drives;    ///< coordinate + 1 → constraint
    KalMap starts;    ///< coordinate and order → KalScope *
    KalMap listed;    ///< names in the lists of the model

    KalReplacement *replacements;
    KalMap replacement_names; ///< atom → 1 + place

    KalUsedFile *files;
    KalUsedFile *reading; ///< innermost of those being read
    size_t n_files;
} KalBuild;

/// @name Errors (report.c)
/// Messages as for kal_diagnostics_add().  An error is told once for each place of the
/// text, however often a loop or part comes by; indices of loops are added to it.
/// @{
void kal_build_error(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Reports an error and answers the value that comes of it.
KalValue kal_build_bad(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Adds to the error or warning before.
void kal_build_note(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);
void kal_build_warn(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// Reports an error and stops the build.
void kal_build_limit(KalBuild *b, KalSpan span, const char *format, ...)
    KAL_PRINTF(3, 4);

/// A span as messages have it: one in the statement made of an override is one in what the
/// user gave.
KalSpan kal_build_shown(const KalBuild *b, KalSpan span);

/// Stops the build when the status of some call is not KAL_OK; answers whether it is.
bool kal_build_check(KalBuild *b, KalStatus status);

/// Stops the build for want of memory.
void kal_build_no_memory(KalBuild *b);

/// Counts work and looks at the stack; false when that was too much, or the build has
/// stopped.
bool kal_build_step(KalBuild *b, KalSpan span, size_t count);

/// Counts a pass of a loop or sum.
bool kal_build_pass(KalBuild *b, KalSpan span);

/// Counts declared scalars.
bool kal_build_count(KalBuild *b, KalSpan span, size_t count);

/// Reports that the graph refused what `span` asked of it.
KalValue kal_build_graph_failed(KalBuild *b, KalSpan span);
/// @}

/// @name Names (name.c)
/// @{
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
    const KalBinding *binding; ///< or NULL, and then:
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

/// Reports a name that is not known: what it may be instead, or where it is declared.
/// `part` is the one that should have it as a member, or NULL.
KalValue kal_build_unknown(KalBuild *b, const KalNode *name, KalSpace space,
                           const KalScope *part);
/// @}

/// @name Values (value.c)
/// @{

/// An array of n elements in the pool, to be filled; NULL when the build stops.
KalArray *kal_build_array(KalBuild *b, uint32_t n);

/// The value of an array whose elements are filled; `span` is to blame when it is too
/// large.
KalValue kal_build_finish(KalBuild *b, KalArray *array, KalSpan span);

/// A value that lives as long as the build.
KalValue kal_build_keep(KalBuild *b, KalValue value);

/// How many scalars and parts a value holds.
size_t kal_build_size(KalValue value);

/// "a vector of 3 elements"
typedef struct KalValueText {
    char text[64];
} KalValueText;

KalValueText kal_build_describe(KalValue value);

/// Makes a scalar of two, or of one and nothing.
typedef KalValue (*KalScalarFn)(KalBuild *b, KalValue a, KalValue c,
                                const KalNode *node);

/// Applies a function to the scalars of two values of one shape.
KalValue kal_build_zip(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                       const KalNode *node);

/// Applies a function to all scalars of `a`, each with the scalar c.
KalValue kal_build_each(KalBuild *b, KalScalarFn function, KalValue a, KalValue c,
                        const KalNode *node);

/// The scalar of a formula.
KalValue kal_build_known(KalExpr e, unsigned marks, KalUnitId unit);

/// A whole number.
KalValue kal_build_index(KalBuild *b, int64_t i, const KalNode *node);

/// The scalar of a formula that was just built, or bad when the graph failed.
KalValue kal_build_scalar_of(KalBuild *b, KalExpr e, unsigned marks, KalUnitId unit,
                             const KalNode *node);
/// @}

/// @name Units (quantity.c)
/// @{
KAL_CHECKED KalStatus kal_build_init_units(KalBuild *b);
KalUnit kal_build_unit(const KalBuild *b, KalUnitId id);

/// The unit that a part of a tree says; any for NULL.
KalUnitId kal_build_read_unit(KalBuild *b, const KalNode *node);
KalUnitId kal_build_unit_times(KalBuild *b, KalUnitId a, KalUnitId c);
KalUnitId kal_build_unit_over(KalBuild *b, KalUnitId a, KalUnitId c);
KalUnitId kal_build_unit_power(KalBuild *b, KalUnitId a, int64_t num, int64_t den);

/// What both units are when they agree.  An error that names both, `what` having the
/// first and `than` the second, when they do not.
KalUnitId kal_build_agree(KalBuild *b, KalUnitId a, KalUnitId c, KalSpan span,
                          const char *what, const char *than);

/// Demands that a value has no unit, as what `what` takes.
void kal_build_demand_plain(KalBuild *b, KalValue value, KalSpan span,
                            const char *what);

/// Demands that a unit is that of all energies.
void kal_build_demand_energy(KalBuild *b, KalUnitId unit, KalSpan span,
                             const char *what);

/// The same per second.
void kal_build_demand_power(KalBuild *b, KalUnitId unit, KalSpan span,
                            const char *what);

/// A declared value with its declared unit, which may be NULL: checked.  When the unit is
/// the degree, numbers are converted to radians and angles are in radians already.
KalValue kal_build_apply_unit(KalBuild *b, KalValue value, const KalNode *unit,
                              const KalNode *node);

/// The power to which angles in radians are in a formula: 0 of a number, 1 of an angle,
/// infinite of 0, which is both, NAN of what mixes them.  False after an error.
bool kal_build_angle_power(KalBuild *b, KalExpr e, double *out_power);

/// Whether a value is made of outputs in degrees, which is an error where it is to be an
/// angle itself.
bool kal_build_refuse_degrees(KalBuild *b, KalValue value, const KalNode *node);

/// Remember for kal_build_angle_power() the unit that a parameter or coordinate is declared
/// with, which may be NULL.
void kal_build_set_angle(KalBuild *b, KalExpr symbol, const KalNode *unit);

/// The same for a parameter without a unit, which is what its value is.
void kal_build_inherit_angle(KalBuild *b, KalExpr symbol, KalExpr value);

/// Whether a unit is the degree; NULL is not.
bool kal_build_is_degree(KalBuild *b, const KalNode *unit);

/// The text of a unit as it was written, or NULL.
const char *kal_build_unit_text(KalBuild *b, const KalNode *unit);
/// @}

/// @name Expressions (path.c, expression.c, call.c, rate.c)
/// @{

/// Evaluates an expression, whatever it comes to.
KalValue kal_build_eval(KalBuild *b, const KalNode *node);

/// Evaluates an expression that has to be a scalar.
KalValue kal_build_scalar(KalBuild *b, const KalNode *node);

/// Evaluates an expression that may use only some kinds of symbols.
KalValue kal_build_eval_for(KalBuild *b, const KalNode *node, KalUsage usage);
KalValue kal_build_scalar_for(KalBuild *b, const KalNode *node, KalUsage usage);

/// What a name, member or index stands for, elements not defined yet included.
KalValue kal_build_path(KalBuild *b, const KalNode *node, KalSpace space);

/// What an array is at present, apart from elements declared later.
KalValue kal_build_snapshot(KalBuild *b, KalValue value, const KalNode *node);

/// Demands a scalar.
KalValue kal_build_demand_scalar(KalBuild *b, KalValue value, const KalNode *node);

KalValue kal_build_add(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_subtract(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_negate(KalBuild *b, KalValue a, const KalNode *node);
KalValue kal_build_multiply(KalBuild *b, KalValue a, KalValue c, const KalNode *node);

/// The product of scalars, and their quotient.
KalValue kal_build_times(KalBuild *b, KalValue a, KalValue c, const KalNode *node);
KalValue kal_build_over(KalBuild *b, KalValue a, KalValue c, const KalNode *node);

KalValue kal_build_call(KalBuild *b, const KalNode *node);

/// The time derivative of a value.
KalValue kal_build_rate(KalBuild *b, KalValue value, const KalNode *node);

/// Remembers the text of nodes that were made since the graph had `before` nodes and can
/// fail or are made of pieces.
void kal_build_origin(KalBuild *b, uint32_t before, KalSpan span);

/// e, which is a sum, product or function of a and c as written at a place, with conditions
/// where simplification has forgotten what these need to have values.  c may be
/// KAL_NO_EXPR.  The product with an exact 0 is 0 whatever the other factor needs.
KalExpr kal_build_domain(KalBuild *b, KalExpr e, KalExpr a, KalExpr c, KalSpan span);

/// The same for a power.
KalExpr kal_build_domain_power(KalBuild *b, KalExpr e, KalExpr base, KalExpr exponent,
                               KalSpan span);

/// The same for e = a c^power, a power of ±1.
KalExpr kal_build_domain_over(KalBuild *b, KalExpr e, KalExpr a, KalExpr c,
                              int32_t power, KalSpan span);
/// @}

/// @name Numbers known in advance (integer.c)
/// @{

/// An integer; false after an error.
bool kal_build_integer(KalBuild *b, const KalNode *node, int64_t *out_value);

/// The bounds of a range.
bool kal_build_range(KalBuild *b, const KalNode *range, int64_t *out_first,
                     int64_t *out_last);

/// Whether a condition of numbers known in advance holds; false after an error too.
bool kal_build_filter(KalBuild *b, const KalNode *node);

/// The number that a formula of parameters comes to.
bool kal_build_number(KalBuild *b, KalExpr e, double *out_number);

/// Says what the symbol of a parameter comes to.
void kal_build_set_number(KalBuild *b, KalExpr symbol, double number);

/// Whether a scalar is made of parameters that determine the structure of the model.
bool kal_build_is_structural(KalBuild *b, KalValue value);

/// The parameters in a formula determine the structure of the model.
void kal_build_mark_structural(KalBuild *b, KalExpr e);

/// Note that formulas, or whether the model is sound, were decided by the values of the
/// parameters in a formula.
void kal_build_mark_decided(KalBuild *b, KalExpr e);

/// @}

/// @name Declarations (target.c)
/// @{
enum {
    KAL_TARGET_INDICES = KAL_BUILD_VECTOR_DEPTH
};

/// A name with indices, as declarations have it.
typedef struct KalTarget {
    const KalNode *name;
    const KalNode *node;
    uint32_t n;
    int64_t index[KAL_TARGET_INDICES];
    bool is_element[KAL_TARGET_INDICES]; ///< it depends on the index of a loop
} KalTarget;

/// Reads a target; false after an error.
bool kal_build_target(KalBuild *b, const KalNode *node, KalTarget *out_target);

/// A full name: `link[2].a`.
typedef struct KalNameText {
    char text[KAL_BUILD_NAME + 64];
    size_t length;
} KalNameText;

/// The full name of a target: of its scope, of itself, its first n indices.  False after
/// an error.
bool kal_build_name(KalBuild *b, const KalTarget *target, uint32_t n,
                    KalNameText *out_name);

/// Copies a name to the model; NULL when the build stops.
const char *kal_build_keep_name(KalBuild *b, const KalNameText *name);

/// Notes that a list of the model has a name.  False, after an error, when it had it
/// before.
bool kal_build_list_name(KalBuild *b, KalEntryKind kind, const KalNameText *name,
                         KalSpan span);

/// The entry that a target with `n` indices of elements declares: a new one, or an array
/// that gets one more element.  NULL after an error.
KalEntry *kal_build_declare_target(KalBuild *b, KalEntryKind kind,
                                   const KalTarget *target, uint32_t n);

/// Sets the value or the element of what was so declared.
void kal_build_set_target(KalBuild *b, KalEntry *entry, const KalTarget *target,
                          uint32_t n, KalValue value);

/// Does something with the scalars of a value, each with its full name.
typedef struct KalLeaves {
    KalNameText name; ///< of the value; of each scalar in turn when `leaf` is called
    bool letters;     ///< elements of short vectors are .x .y .z, else [1] [2] …
    const KalNode *node;
    /// What comes in the place of a scalar.
    KalValue (*leaf)(KalBuild *b, struct KalLeaves *leaves, KalValue scalar);
    void *user;
} KalLeaves;

KalValue kal_build_leaves(KalBuild *b, KalLeaves *leaves, KalValue value);
/// @}

/// @name Overrides (override.c)
/// @{
KAL_CHECKED KalStatus kal_build_init_overrides(KalBuild *b);
void kal_build_clear_overrides(KalBuild *b);

/// The value that is to replace that of a name, or NULL.
const KalNode *kal_build_find_override(KalBuild *b, const KalNameText *name);

/// Evaluates such a value.
KalValue kal_build_eval_override(KalBuild *b, const KalNode *value);

/// Reports overrides that nothing asked for.
void kal_build_check_overrides(KalBuild *b);
/// @}

/// Puts the model itself on the list of files (use.c).
void kal_build_init_files(KalBuild *b);

/// Frees the trees of files that the model uses.
void kal_build_clear_files(KalBuild *b);

/// Copies a list to the model; NULL when the build stops.
void *kal_build_keep_list(KalBuild *b, const void *data, size_t size);

/// The coordinate that a scalar is; false after an error.
bool kal_build_coordinate(KalBuild *b, KalValue value, KalSpan span,
                          uint32_t *out_index);

/// @name Statements
/// @{
void kal_build_statements(KalBuild *b, const KalNode *first);
void kal_build_param(KalBuild *b, const KalNode *node);
void kal_build_coord(KalBuild *b, const KalNode *node);
void kal_build_let(KalBuild *b, const KalNode *node);
void kal_build_output(KalBuild *b, const KalNode *node);
void kal_build_title(KalBuild *b, const KalNode *node);
void kal_build_energy(KalBuild *b, const KalNode *node);
void kal_build_along(KalBuild *b, const KalNode *node);
void kal_build_force(KalBuild *b, const KalNode *node);
void kal_build_mass(KalBuild *b, const KalNode *node);
void kal_build_constraint(KalBuild *b, const KalNode *node);
void kal_build_prescribe(KalBuild *b, const KalNode *node);
void kal_build_servo(KalBuild *b, const KalNode *node);
void kal_build_actuator(KalBuild *b, const KalNode *node);
void kal_build_init(KalBuild *b, const KalNode *node);
void kal_build_simulate(KalBuild *b, const KalNode *node);
void kal_build_event(KalBuild *b, const KalNode *node);
void kal_build_plot(KalBuild *b, const KalNode *node);
void kal_build_draw(KalBuild *b, const KalNode *node);
void kal_build_for(KalBuild *b, const KalNode *node);
void kal_build_definition(KalBuild *b, const KalNode *node);
void kal_build_part(KalBuild *b, const KalNode *node);
void kal_build_use(KalBuild *b, const KalNode *node);
/// @}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// A mechanical system as formulas: what a model says once all its names are resolved.
///
/// A model is a set of flat lists: parameters, coordinates, energies, forces, constraints
/// and what is to be done with them.  Components, arrays, vectors and loops are gone:
/// everything is scalar, has the name that outputs use (`x[3]`, `link[2].a`, `pin.x`), and
/// is a formula in the one graph that the model owns.  model/build.h makes a model from
/// text; the functions below make one by hand.
///
/// Formulas are made of symbols.  Each symbol has a meaning, KalSymbol, and its id is its
/// place in the list of symbols.  A coordinate has three symbols: itself, its velocity and
/// its acceleration.
///
/// What always holds of a model that was built:
///  - names of one list differ, and none is empty;
///  - every formula is made of symbols of the model; values of parameters only of earlier
///    parameters; start values, options of `simulate`, rates, limits and weights only of
///    parameters; energies and powers of time, parameters, coordinates and velocities;
///  - ACTIVE, STATE and HOLD occur in forces, powers, drawings and where follows, not in
///    energies and constraints;
///  - REACTION, COORDINATE_FORCE, CONTROL and ENERGY occur in outputs, events, plots and
///    holds only, REACTION in non-ideal forces and CONTROL in rates of states too;
///  - PROMISE occurs nowhere.
///
/// A model that is built does not change, except that derivations add nodes to its graph
/// until a system is compiled from it.  Whoever derives more from then on takes a fork of
/// the model, which has a graph of its own; so a compiled model may be shared by threads.

#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/arena.h"
#include "base/diagnostic.h"
#include "expr/domain.h"

#include <kalaba/model.h>

#include <stdbool.h>

/// What a symbol stands for; `index` is a place in the list that the comment names.
typedef enum KalSymbolKind {
    KAL_SYMBOL_TIME,
    KAL_SYMBOL_PARAMETER,        ///< parameters
    KAL_SYMBOL_COORDINATE,       ///< coordinates
    KAL_SYMBOL_VELOCITY,         ///< coordinates
    KAL_SYMBOL_ACCELERATION,     ///< coordinates
    KAL_SYMBOL_REACTION,         ///< constraints: the multiplier
    KAL_SYMBOL_COORDINATE_FORCE, ///< coordinates: the constraint force on it
    KAL_SYMBOL_CONTROL,          ///< actuators: the input
    KAL_SYMBOL_ENERGY,           ///< T + V; index 0
    KAL_SYMBOL_ACTIVE,           ///< constraints: 1 while it acts, else 0
    KAL_SYMBOL_STATE,            ///< states
    KAL_SYMBOL_HOLD,             ///< holds
    KAL_SYMBOL_PROMISE,          ///< promises: only while a model is built
} KalSymbolKind;

/// A symbol; its id is its place in KalModel.symbols.
typedef struct KalSymbol {
    const char *name; ///< as formulas show it: `x'`, `reaction(rod)`, `energy()`
    KalSymbolKind kind;
    uint32_t index;
} KalSymbol;

/// A constant that can be overridden.
typedef struct KalParameter {
    const char *name;
    const char *unit; ///< as text, or NULL
    KalSpan span;     ///< where it is declared
    KalExpr symbol;
    KalExpr value; ///< of earlier parameters
    double number; ///< what the value comes to
    bool overridden;
    /// The structure depends on it (sizes, ranges): another value needs another build.
    bool structural;
    /// Formulas, or whether the model is sound, were decided by its value: the same.
    bool decided;
    bool degrees; ///< declared in [deg]: numbers that override it are in degrees
} KalParameter;

/// What is known of a start value.
typedef enum KalStartKind {
    KAL_START_FREE,  ///< not named: 0, may move
    KAL_START_ABOUT, ///< `~`: may move
    KAL_START_HELD,  ///< `=`: never moves
} KalStartKind;

/// A start value, of parameters.
typedef struct KalStartValue {
    KalStartKind kind;
    KalExpr value; ///< KAL_NO_EXPR when free
    KalSpan span;
} KalStartValue;

/// A generalized coordinate.
typedef struct KalCoordinate {
    const char *name;
    const char *unit;
    KalSpan span;
    KalExpr q;
    KalExpr v;
    KalExpr a;
    KalExpr force; ///< symbol of cforce(…); KAL_NO_EXPR until asked for
    KalStartValue start_q;
    KalStartValue start_v; ///< may have coordinates in it: their start values
} KalCoordinate;

/// What a contribution adds to.
typedef enum KalTermKind {
    KAL_TERM_KINETIC,
    KAL_TERM_POTENTIAL,
    KAL_TERM_DISSIPATION,
    KAL_TERM_POWER,
    KAL_TERM_NONIDEAL_POWER,
    KAL_TERM_FORCE,    ///< on a coordinate
    KAL_TERM_NONIDEAL, ///< component of C for a coordinate
    KAL_TERM_MASS,     ///< entry (row, column) and (column, row) of M
} KalTermKind;

/// One statement's contribution; contributions of a kind add up.
typedef struct KalContribution {
    KalTermKind kind;
    uint32_t row;    ///< coordinate, of FORCE, NONIDEAL and MASS
    uint32_t column; ///< coordinate, of MASS
    KalExpr value;
    KalSpan span; ///< of the formula
    uint32_t law; ///< of a force: 1 + the law that it is of; 0: of none
} KalContribution;

/// The highest derivative in a constraint.
typedef enum KalConstraintLevel {
    KAL_LEVEL_POSITION,
    KAL_LEVEL_VELOCITY,
    KAL_LEVEL_ACCELERATION,
} KalConstraintLevel;

enum {
    KAL_NOT_DRIVEN = -1,
    KAL_NO_CONTACT = -1,
    KAL_NO_GAP = -1
};

/// When a constraint acts.
typedef enum KalConstraintRole {
    KAL_ROLE_USUAL, ///< always, unless events say otherwise
    KAL_ROLE_GAP,   ///< while its contact is closed
    KAL_ROLE_SLIP,  ///< while its contact or friction holds
} KalConstraintRole;

/// One scalar constraint, residual = 0; a `prescribe` is one too, named `drive(a)`.
typedef struct KalConstraint {
    const char *name;
    KalSpan span;     ///< of the name
    KalExpr residual; ///< left − right as typed
    KalExpr reaction; ///< symbol of its multiplier
    KalExpr active;   ///< symbol of active(…); KAL_NO_EXPR until asked for
    bool off;         ///< it does not act at the start
    uint32_t state; ///< 1 + the coordinate that stands for a state whose rate it gives
    KalConstraintLevel level;
    int64_t driven; ///< the coordinate of a `prescribe`, or KAL_NOT_DRIVEN
    KalConstraintRole role;
    uint32_t contact; ///< whose gap or slip it is, unless its role is usual
} KalConstraint;

enum {
    KAL_SLIPS = 2 ///< directions of a slip, at most
};

/// A contact, or a dry friction: a contact that is always closed, whose limits are forces.
/// Gap and slips are constraints, which act while it is closed and while it holds.
typedef struct KalContact {
    const char *name;
    KalSpan span;
    int64_t gap;              ///< constraint; KAL_NO_GAP of a friction
    uint32_t slip[KAL_SLIPS]; ///< constraints: n_slips
    uint32_t n_slips;         ///< 0 without friction
    KalExpr restitution;      ///< of t and q
    KalExpr limit; ///< while it slides: of t and q; of a friction, of reactions too
    KalExpr hold;  ///< the same while it holds
} KalContact;

/// An input whose power is input × `power`.
typedef struct KalActuator {
    const char *name;
    KalSpan span;
    KalExpr input;  ///< its CONTROL symbol
    KalExpr power;  ///< linear in the velocities
    KalExpr limit;  ///< of |input|, of parameters; KAL_NO_EXPR for none
    KalExpr weight; ///< of parameters; KAL_NO_EXPR for 1
} KalActuator;

/// A first-order state: its derivative is `rate`.
typedef struct KalStateVariable {
    const char *name;
    const char *unit;
    KalSpan span;
    KalExpr symbol;
    KalExpr
        slope; ///< promise of the rate: what the derivative is called until it is known
    KalExpr rate; ///< of what forces may use, and CONTROL
    KalStartValue start;
} KalStateVariable;

/// A value that is renewed at t0, t0 + period, … and kept between.
typedef struct KalHold {
    const char *name;
    const char *unit;
    KalSpan span;
    KalExpr symbol;
    KalExpr period; ///< of parameters
    KalExpr value;  ///< that it is renewed with, of the state before
    KalStartValue start;
} KalHold;

/// An actuator with a law instead of a servo: a force, of which `control` and `demand` are
/// what it is and what the law asks for.
typedef struct KalLaw {
    const char *name;
    KalSpan span;
    KalExpr power;   ///< per unit of the input, linear in the velocities
    KalExpr limit;   ///< of |input|, of parameters; KAL_NO_EXPR for none
    KalExpr demand;  ///< what the law asks for; a promise until the build ends
    KalExpr control; ///< that, cut at the limit; likewise
} KalLaw;

/// A symbol for a formula that is known when the model is complete, and then takes its place.
typedef struct KalPromise {
    KalExpr symbol;
    KalExpr formula; ///< KAL_NO_EXPR until it is known
} KalPromise;

/// A constraint that control is to meet.
typedef struct KalServo {
    const char *name;
    KalSpan span;
    KalExpr residual;
    KalConstraintLevel level; ///< position or velocity
    KalExpr rate;             ///< of parameters
} KalServo;

/// A result column.
typedef struct KalOutput {
    const char *name;
    const char *unit;
    KalSpan span;
    KalExpr value;
} KalOutput;

/// What an event does.
typedef enum KalActionKind {
    KAL_ACTION_STOP,
    KAL_ACTION_SET,     ///< the velocity (order 1) or value (order 0) of a coordinate
    KAL_ACTION_RELEASE, ///< a constraint
    KAL_ACTION_ENGAGE,  ///< a constraint
} KalActionKind;

/// One action of an event.
typedef struct KalAction {
    KalActionKind kind;
    uint32_t target;    ///< coordinate, state, hold or constraint
    KalSymbolKind what; ///< of SET: COORDINATE, STATE or HOLD
    uint32_t order;     ///< of SET
    KalExpr value;      ///< of SET
    KalSpan span;
} KalAction;

/// Something that happens when `value` crosses zero.
typedef struct KalEvent {
    const char *name;
    KalSpan span;
    KalExpr value;
    bool rising;  ///< minds crossings upwards
    bool falling; ///< minds crossings downwards
    KalAction *actions;
    size_t n_actions;
} KalEvent;

/// A formula with the text that stands for it.
typedef struct KalCurve {
    const char *label;
    const char *unit; ///< as text in base units; NULL when it is not known or 1
    KalExpr value;
} KalCurve;

/// What a `plot` shows: curves over time, or over `against`.
typedef struct KalPlot {
    KalSpan span;
    KalCurve *curves;
    size_t n_curves;
    KalCurve against; ///< its value is KAL_NO_EXPR for time
} KalPlot;

/// A point of a drawing; z is KAL_NO_EXPR in the plane.
typedef struct KalPoint {
    KalExpr x;
    KalExpr y;
    KalExpr z;
} KalPoint;

/// The shapes, in the order of lang/tree.h.
typedef enum KalDrawKind {
    KAL_DRAW_LINE,
    KAL_DRAW_CIRCLE,
    KAL_DRAW_BOX,
    KAL_DRAW_SPRING,
    KAL_DRAW_PATH,
} KalDrawKind;

/// What a `draw` draws.
typedef struct KalDrawing {
    KalDrawKind kind;
    KalSpan span;
    KalPoint *points;
    size_t n_points;
    KalPoint size; ///< of a box; x is the radius of a circle; KAL_NO_EXPR for others
    KalExpr angle; ///< of a box, or KAL_NO_EXPR
} KalDrawing;

/// The `simulate` statement; formulas of parameters, KAL_NO_EXPR where not given.
typedef struct KalSimulate {
    bool present;
    KalSpan span;
    KalExpr from;
    KalExpr to;
    KalExpr every;
    KalExpr rtol;
    KalExpr atol;
    KalMethod method;
    KalDrift drift;
    KalExpr stabilize; ///< the k of stabilize(k)
} KalSimulate;

/// A `table`; the spline lies in the arena of the model.
typedef struct KalModelTable {
    const char *name;
    KalSpan span;
    const KalSpline *spline;
} KalModelTable;

/// A node of the graph with the place of the text that first made it.
typedef struct KalOrigin {
    KalExpr node;
    KalSpan span;
} KalOrigin;

/// A model.  Lists may be read freely and are changed by the functions below only.
typedef struct KalModel {
    KalContext *ctx;
    KalArena *arena; ///< for texts and small lists
    KalGraph *graph;
    const char *title; ///< of `model`, or ""
    KalExpr time;
    KalExpr energy; ///< the symbol

    KalSymbol *symbols;
    size_t n_symbols;
    KalParameter *parameters;
    size_t n_parameters;
    KalCoordinate *coordinates;
    size_t n_coordinates;
    KalContribution *contributions;
    size_t n_contributions;
    KalConstraint *constraints;
    size_t n_constraints;
    KalContact *contacts;
    size_t n_contacts;
    KalActuator *actuators;
    size_t n_actuators;
    KalServo *servos;
    size_t n_servos;
    KalStateVariable *states;
    size_t n_states;
    KalHold *holds;
    size_t n_holds;
    KalModelTable *tables;
    size_t n_tables;
    KalLaw *laws;
    size_t n_laws;
    KalPromise *promises;
    size_t n_promises;
    KalOutput *outputs;
    size_t n_outputs;
    KalEvent *events;
    size_t n_events;
    KalPlot *plots;
    size_t n_plots;
    KalDrawing *drawings;
    size_t n_drawings;
    KalOrigin *origins; ///< node indices rise
    size_t n_origins;
    KalNeed *conditions; ///< of parameters, which formulas were simplified under
    size_t n_conditions;
    struct KalKindTable *kinds; ///< what kal_model_kinds_in() found so far
    KalSimulate simulate;
    bool fork; ///< all lists above are those of another model
} KalModel;

/// Make an empty model with a graph.  The caller owns it.
KAL_CHECKED KalStatus kal_model_create(KalContext *ctx, KalModel **out_model);

/// The same model with a graph of its own, in which formulas of the original mean the same
/// (kal_graph_fork()).  Its lists are the original's, which has to live longer; nothing can
/// be added to them.  The caller owns it.
KAL_CHECKED KalStatus kal_model_fork(KalContext *ctx, const KalModel *model,
                                     KalModel **out_fork);

/// Free a model.  NULL is allowed.
void kal_model_destroy(KalModel *model);

/// Copy a text into the model's arena; NULL when there is no memory.
const char *kal_model_text(KalModel *model, const char *text, size_t length);

/// @name Adding, by hand or by build.h
/// Texts must come from kal_model_text() or outlive the model.  The entry is copied;
/// fields named as outputs are filled in.  All fail with KAL_ERR_NOMEM, KAL_ERR_LIMIT.
/// @{

/// Fills in `symbol`.
KAL_CHECKED KalStatus kal_model_add_parameter(KalModel *model, KalParameter entry,
                                              uint32_t *out_index);

/// Fills in q, v, a.
KAL_CHECKED KalStatus kal_model_add_coordinate(KalModel *model, KalCoordinate entry,
                                               uint32_t *out_index);
KAL_CHECKED KalStatus kal_model_add_contribution(KalModel *model,
                                                 KalContribution entry);

/// Fills in `reaction` and, from the residual, `level`.
KAL_CHECKED KalStatus kal_model_add_constraint(KalModel *model, KalConstraint entry,
                                               uint32_t *out_index);

KAL_CHECKED KalStatus kal_model_add_contact(KalModel *model, KalContact entry);

/// Fills in `input`.
KAL_CHECKED KalStatus kal_model_add_actuator(KalModel *model, KalActuator entry,
                                             uint32_t *out_index);

/// Fills in `level`.
KAL_CHECKED KalStatus kal_model_add_servo(KalModel *model, KalServo entry);

/// Fills in `symbol` and `slope`.
KAL_CHECKED KalStatus kal_model_add_state(KalModel *model, KalStateVariable entry,
                                          uint32_t *out_index);

/// Fills in `symbol`.
KAL_CHECKED KalStatus kal_model_add_table(KalModel *model, KalModelTable entry);
KAL_CHECKED KalStatus kal_model_add_hold(KalModel *model, KalHold entry,
                                         uint32_t *out_index);

/// Fills in `demand` and `control`.
KAL_CHECKED KalStatus kal_model_add_law(KalModel *model, KalLaw entry,
                                        uint32_t *out_index);
KAL_CHECKED KalStatus kal_model_add_output(KalModel *model, KalOutput entry);
KAL_CHECKED KalStatus kal_model_add_event(KalModel *model, KalEvent entry);
KAL_CHECKED KalStatus kal_model_add_plot(KalModel *model, KalPlot entry);
KAL_CHECKED KalStatus kal_model_add_drawing(KalModel *model, KalDrawing entry);

KAL_CHECKED KalStatus kal_model_add_condition(KalModel *model, KalNeed entry);

/// Remember which text a node comes from, unless that is known of it or of a later node.
KAL_CHECKED KalStatus kal_model_add_origin(KalModel *model, KalOrigin entry);

/// The symbol of cforce(a) for a coordinate, made when first asked for.
KAL_CHECKED KalStatus kal_model_coordinate_force(KalModel *model, uint32_t coordinate,
                                                 KalExpr *out_symbol);

/// The symbol of active(c) for a constraint, made when first asked for.
KAL_CHECKED KalStatus kal_model_active(KalModel *model, uint32_t constraint,
                                       KalExpr *out_symbol);
/// @}

/// Let the formulas of a model never change again (kal_graph_freeze()), and give back what only
/// building needs.
void kal_model_freeze(KalModel *model);

/// The kinds of symbols in an expression, as a set of bits 1 << KalSymbolKind.  What was
/// found is kept, so that all calls together look at every node once.
KAL_CHECKED KalStatus kal_model_kinds_in(const KalModel *model, KalExpr e,
                                         uint64_t *out_kinds);

/// The sum of all contributions of a kind that has no coordinate, such as KINETIC; the
/// number 0 when there are none.
KalExpr kal_model_total(const KalModel *model, KalTermKind kind);

/// The time derivative of a symbol; KAL_NO_EXPR when it is constant.
KalExpr kal_model_symbol_rate(const KalModel *model, uint32_t id);

/// Total time derivatives of n expressions of time, parameters, coordinates and
/// velocities: coordinates become velocities, these accelerations, t becomes 1.
KAL_CHECKED KalStatus kal_model_rate(const KalModel *model, const KalExpr *e, size_t n,
                                     KalExpr *out_rates);

/// The name of a symbol.  Fits the options of kal_print(), with the model as the user.
const char *kal_model_symbol_name(void *model, uint32_t id);

/// Where a node comes from; false when no text made it.
bool kal_model_find_origin(const KalModel *model, KalExpr node, KalSpan *out_span);

#endif

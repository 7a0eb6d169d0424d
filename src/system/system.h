// SPDX-License-Identifier: MIT

/// @file
/// A compiled model: the programs that an instant evaluates, and where their numbers go.
///
/// All programs read one list of variables, or the beginning of it:
///
///     t | q (n) | q' (n) | states | holds | active | q'' (n) | reactions (m) | coordinate forces |
///     controls | energy
///
/// Coordinate forces and `active` of constraints are those that the model asks for.
/// Results of a program come in the order in which its comment below lists them; entries
/// of a sparse matrix come row after row.

#ifndef SYSTEM_SYSTEM_H
#define SYSTEM_SYSTEM_H

#include "derive/conserve.h"
#include "derive/equations.h"
#include "derive/power.h"
#include "expr/order.h"
#include "model/build.h"
#include "prog/native.h"
#include "prog/program.h"
#include "system/doubt.h"
#include "system/settings.h"

#include <kalaba/system.h>

enum {
    KAL_DENSE_COORDINATES = 200,  ///< systems with more, or with more
    KAL_DENSE_CONSTRAINTS = 4096, ///< constraints, have sparse instants
    KAL_DENSE_LIMIT = 4096,       ///< of each, for who needs dense ones all the same
    KAL_ROAD_COORDINATES = 400 ///< systems with more have no fast road (system/road.h)
};

/// The programs of a system.
typedef enum KalProgramId {
    KAL_PROGRAM_GIVENS,     ///< M (lower), Q, A, b, servo A, servo b, B
    KAL_PROGRAM_NONIDEAL,   ///< C
    KAL_PROGRAM_POSITION,   ///< φ of all constraints (0 where there is none), A
    KAL_PROGRAM_VELOCITY,   ///< ψ of all constraints (0 where there is none), A
    KAL_PROGRAM_ENERGY,     ///< T, V
    KAL_PROGRAM_OUTPUTS,    ///< the model's outputs
    KAL_PROGRAM_EVENTS,     ///< the functions whose zeros are events
    KAL_PROGRAM_EVENT_ROWS, ///< those of t, q and q' alone, else 0; then event_rows
    KAL_PROGRAM_RATES,      ///< of states
    KAL_PROGRAM_HOLDS,      ///< the values that holds are renewed with
    KAL_PROGRAM_ACTIONS,    ///< the values that events set, event after event
    KAL_PROGRAM_TANGENT, ///< ∂R/∂(q, q'), ∂S/∂(q, q'), or nothing (system/tangent.h)
    KAL_PROGRAM_POWER, ///< the terms of KalPowers, then law_powers; or nothing (system/work.h)
    KAL_PROGRAM_CONSTANTS, ///< what is constant, the energy not among it, or nothing
    KAL_PROGRAM_START, ///< n: velocities as written, of positions; nothing if none is
    KAL_PROGRAM_CONTACTS,   ///< KalContactValues of each contact (system/contact.h)
    KAL_PROGRAM_SWITCHES,   ///< switching functions, then levels (system/switch.h)
    KAL_PROGRAM_PEAKS,      ///< KalPieces.peaks: functions of t, then their slopes
    KAL_PROGRAM_PULSES,     ///< KalPieces.pulses
    KAL_PROGRAM_MARKS,      ///< KalPieces.marks
    KAL_PROGRAM_LATE_MARKS, ///< KalPieces.late
    KAL_PROGRAM_SETTINGS,   ///< what follows from parameters (system/settings.h)
    KAL_PROGRAMS            ///< how many there are
} KalProgramId;

enum {
    KAL_CONTACT_VALUES = 7, ///< numbers of a contact in KAL_PROGRAM_CONTACTS
    KAL_CONTACT_LIMITS =
        2 ///< formulas of a contact among those that are asked for doubts
};

/// Where the parts of the list of variables begin.
typedef struct KalLayout {
    size_t q;
    size_t qd;
    size_t states;
    size_t holds;
    size_t active;
    size_t qdd;
    size_t reactions;
    size_t forces;
    size_t controls;
    size_t energy;
    size_t count;
} KalLayout;

/// A function whose zeros part the pieces that equations are made of.
typedef struct KalSwitch {
    KalExpr function;
    KalExpr level; ///< tells on which piece a state is (expr/switch.h)
    KalExpr node; ///< one of the nodes that it is for, with a place in the model if any
    bool bounded; ///< it is a function of t, q and q' alone
    bool steps;   ///< the piece is ⌊level⌋, else the level itself
    bool timed;   ///< and of t alone: no motion leads to its zeros or back
} KalSwitch;

/// Something that may do work.
typedef struct KalWorker {
    KalWorkKind kind;
    const char *name; ///< `drive(a)`, `control(u)`, or the word of the kind
    const char *of;   ///< the coordinate or the actuator; NULL for other kinds
} KalWorker;

/// Derivatives of the residuals of motion by the state, for linearization and stiff methods:
/// kal_tangent_derive(), where the options of loading ask for it.
typedef struct KalSystemTangent {
    bool derived; ///< what follows was asked for
    KalSparse R;  ///< n × kal_system_state_size()
    KalSparse S;  ///< m × the same
    KalSparse F;  ///< n_states × the same: derivatives of their rates
} KalSystemTangent;

/// Energies, what does work, and what is conserved: kal_work_derive(), where the options of
/// loading ask for it.
typedef struct KalSystemBalance {
    bool derived; ///< what follows was asked for
    KalConservation *conserved;
    KalPowers powers;
    KalExpr *laws;      ///< powers of each law of the model: F·q'
    KalWorker *workers; ///< n_workers: what may do work, by their kinds
    size_t n_workers;
} KalSystemBalance;

/// Where formulas are made of pieces, or turn sharply: what a run must not step over.
/// switch.c, peak.c, pulse.c and mark.c find them, each its own lists.
typedef struct KalPieces {
    KalSwitch *switches; ///< n_switches: where the equations are made of pieces
    size_t n_switches;
    KalProgramSwitch *nodes; ///< n_nodes: which nodes switch with them
    size_t n_nodes;
    KalExpr *peaks; ///< 2 n_peaks: linear in t, at whose zeros pulses have their peaks;
                    ///< then their slopes (system/peak.h)
    size_t n_peaks;
    /// 2 n_pulses: at whose zeros and turning points the motion may meet pulses, and at zeros
    /// of the last n_poles poles; then their slopes, 0 where turning points do not count
    /// (system/pulse.h)
    KalExpr *pulses;
    size_t n_pulses;
    size_t n_poles;
    bool *winding; ///< n_pulses: may have several zeros or turning points in one step
    bool any_winding;
    /// n_marks: at whose zeros outputs change pieces or have peaks; the switches are not
    /// among them (system/mark.h)
    KalExpr *marks;
    size_t n_marks;
    size_t n_jumps; ///< the first of them, at which outputs may jump
    KalExpr *late;  ///< n_late: the same of accelerations, forces and energy
    size_t n_late;
} KalPieces;

/// What is known of the functions of events, which bounds how fast they can change
/// (derive_events() of system.c).
typedef struct KalEventBounds {
    bool *exact;    ///< events that are functions of t, q and q' alone
    bool *velocity; ///< and have velocities in them
    KalSparse rows; ///< n_events × 2n: their derivatives by q and q'
} KalEventBounds;

struct KalSystem {
    KalContext *ctx;
    KalArena *arena;         ///< for the arrays below
    KalSources *sources;     ///< what diagnostics and spans point into
    const KalSource *source; ///< the text of the model itself
    KalDiagnostics *diagnostics;
    KalModel *model;
    KalEquations *equations;
    const char *title;
    int n;
    int m;
    int n_outputs;
    int n_actuators;
    int n_servos;
    int n_states; ///< first-order states
    int n_holds;
    bool rates_need_solve; ///< rates of states depend on control
    bool holds_need_solve; ///< holds depend on accelerations or forces
    const char **names;    ///< of coordinates, constraints, outputs, states, holds
    KalSettings settings;  ///< what follows from the parameters as they were loaded
    uint32_t *forces;      ///< coordinates whose constraint force has a symbol
    size_t n_forces;
    uint32_t *actives; ///< constraints whose `active` has a symbol
    size_t n_actives;
    bool *reaction_used; ///< m: non-ideal forces depend on it
    bool *starts_active; ///< m: acts from the start; not so what is `off`, or what an
                         ///< event engages and none releases
    bool constant_mass;  ///< M depends on parameters alone
    bool events_need_solve; ///< an event depends on accelerations or forces
    KalSystemTangent tangent;
    KalSystemBalance balance;
    KalPieces pieces;
    KalEventBounds bounds;
    KalDoubts doubts; ///< of outputs, events and what these set, in this order
    KalLayout layout;
    KalOrder givens; ///< of M (lower), Q, A, b, φ and ψ, to copy (system/transcript.h);
                     ///< none without a fast road
    KalProgram *programs[KAL_PROGRAMS];
    KalNative code; ///< the pages that their machine code is in
    size_t n_results[KAL_PROGRAMS];
};

/// How many numbers integrators move: positions, velocities and states.
static inline size_t kal_system_state_size(const KalSystem *system)
{
    return 2 * (size_t)system->n + (size_t)system->n_states;
}

/// How many numbers a state can be given by: those, and holds.
static inline size_t kal_system_targets(const KalSystem *system)
{
    return kal_system_state_size(system) + (size_t)system->n_holds;
}

/// The symbols of states, holds and `active` in the order of the layout: number i of
/// kal_system_extras().
KalExpr kal_system_extra(const KalSystem *system, size_t i);
size_t kal_system_extras(const KalSystem *system);

/// The symbols of all variables, in the order of the layout.
void kal_system_variables(const KalSystem *system, KalExpr *variables);

/// Compile further formulas of a system; the program reads all variables.  The caller
/// owns it.  Statuses: as of kal_program_create().
KAL_CHECKED KalStatus kal_system_compile(const KalSystem *system,
                                         const KalExpr *outputs, size_t count,
                                         KalProgram **out_program);

/// Write all texts that the model was made of, with the values that override its parameters.
void kal_system_write_texts(const KalSystem *system, KalSink sink);

#endif

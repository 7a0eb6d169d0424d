// SPDX-License-Identifier: MIT

/// @file
/// What is exported of a model: its programs, its start, and names for all of it in C.
///
/// The acceleration is that of runs (system/road.h): the equations with the rows that are
/// independent where the model starts, eliminated as formulas.  One more formula says whether
/// rows that were left out agree.  Where the road of a run weighs rows because M is singular, the
/// export has the weights of the start: any positive ones lead to the same accelerations, but
/// for rounding.

#ifndef EXPORT_PLAN_H
#define EXPORT_PLAN_H

#include "derive/eliminate.h"
#include "export/formulas.h"
#include "large/large.h"
#include "system/draft.h"
#include "system/instant.h"

#include <kalaba/export.h>
#include <kalaba/run.h>

/// Programs that are written, in the order in which they are.
typedef enum KalExportProgram {
    KAL_EXPORT_ACCELERATION,
    KAL_EXPORT_GIVENS,
    KAL_EXPORT_NONIDEAL,
    KAL_EXPORT_POSITION,
    KAL_EXPORT_VELOCITY,
    KAL_EXPORT_ENERGY,
    KAL_EXPORT_OUTPUTS,
    KAL_EXPORT_RATES,
    KAL_EXPORT_EVENTS,
    KAL_EXPORT_ACTIONS,
    KAL_EXPORT_HOLDS,
    KAL_EXPORT_CONTACTS,
    KAL_EXPORT_RETURN,
    KAL_EXPORT_TANGENT,
    KAL_EXPORT_BORDERS,
    KAL_EXPORT_TIMERS,
    KAL_EXPORT_PROGRAMS ///< how many there may be
} KalExportProgram;

/// Names of one list of the model in C.
typedef struct KalExportNames {
    const char **typed; ///< as in the model
    const char **own;   ///< identifiers
    const char **units; ///< or NULL, each
    size_t count;
} KalExportNames;

/// All lists of the model that sources name (names.c).
typedef struct KalExportLists {
    KalExportNames parameters;
    KalExportNames coordinates;
    KalExportNames constraints;
    KalExportNames outputs;
    KalExportNames states;
    KalExportNames holds;
    KalExportNames events; ///< of the model, then two functions of each contact
    KalExportNames contacts;
    KalExportNames inputs;   ///< actuators, of a model without servos
    KalExportNames servos;   ///< whose control is solved for
    KalExportNames controls; ///< actuators, of a model with servos
} KalExportLists;

/// Variables as formulas have them.
typedef struct KalExportTexts {
    const char **parameters;
    const char **variables; ///< of all variables, and of weights after those
    const char **fast;      ///< the same where weights follow the state
    const char **locals;    ///< names of variables within functions, or NULL
} KalExportTexts;

/// What is evaluated when parameters are set (settings.c).
typedef struct KalExportSettings {
    KalCProgram follow; ///< parameters that formulas of others give, `chosen` of all
    KalCProgram conditions; ///< that parameters have to meet
    KalCProgram periods;    ///< of holds
    KalCProgram limits;     ///< of inputs and controls; `chosen` of all
    KalCProgram weights;    ///< of controls
    KalCProgram decays;     ///< rates of servos; `chosen` of all
} KalExportSettings;

/// Where equations change their pieces: the switches of the system that the motion leads to, and
/// those that time alone does, at instants that are known in advance.
typedef struct KalExportBorders {
    KalProgram *program;  ///< functions of `led`; NULL: there are none
    KalProgram *schedule; ///< functions or levels of `timed`; or NULL
    uint32_t *led;        ///< switches: n_led
    uint32_t *timed;      ///< and n_timed
    size_t n_led;
    size_t n_timed;
    bool solves; ///< some functions are of accelerations or reactions
} KalExportBorders;

typedef struct KalExportPlan {
    KalContext *ctx;
    const KalSystem *system;
    KalArena *arena; ///< for all lists
    KalDraft draft;  ///< in which formulas are printed
    const char *name;
    bool single;
    KalOrder order;      ///< of the draft's equations, where inputs are added to them
    KalProgram *tangent; ///< export/tangent.h; NULL: none is wanted, or there is none
    KalExportBorders borders; ///< export/border.h
    KalProgram *givens;       ///< with these; NULL: those of the system will do
    KalInstant *instant;      ///< at the start; that of the run if there is one
    KalRun *run;              ///< NULL: it could not begin
    bool *rows;               ///< m: constraints that the acceleration is solved with
    bool *active;             ///< m: that act at the start
    int n_rows;
    int n_active;
    KalProgram *fast; ///< the acceleration; NULL where there is none
    KalEliminated at; ///< where its results are
    size_t check;     ///< and what says whether rows that were left out agree
    bool sparse;      ///< accelerations are by sparse factors (export/sparse.h)
    KalLargeFactoring factoring; ///< structure of the sparse factors, as in the run
    KalCProgram programs[KAL_EXPORT_PROGRAMS]; ///< `program` NULL: not there
    size_t prepared[KAL_EXPORT_PROGRAMS];      ///< numbers of work memory
    KalExportSettings settings;
    bool *reactions_in;   ///< outputs that depend on reactions
    bool shows_reactions; ///< there are such
    bool limits_react;    ///< limits of frictions depend on reactions
    bool changes;         ///< constraints may be released or engaged
    const KalModelTable *tables;
    size_t n_tables;
    KalExportLists names;
    KalExportTexts texts;
} KalExportPlan;

/// Plan the export of a model, with directional derivatives if so wanted.  The caller
/// clears the plan, whatever the answer. KAL_ERR_USAGE when the model has what cannot be
/// exported.
KAL_CHECKED KalStatus kal_export_plan_init(KalExportPlan *plan, KalContext *ctx,
                                           const KalSystem *system,
                                           const KalExportOptions *options,
                                           bool derives);

void kal_export_plan_clear(KalExportPlan *plan);

/// Whether a parameter can have another value without another export.
bool kal_export_is_free(const KalExportPlan *plan, size_t parameter);

/// Whether contacts have friction; without it those that are closed are constraints.
bool kal_export_has_friction(const KalExportPlan *plan);

/// Formulas of a contact that directional derivatives need: two slips and the limit.
enum {
    KAL_EXPORT_FRICTION_CHANGES = 3
};

/// Whether rows are left out of the acceleration, for they repeat others.
static inline bool kal_export_is_redundant(const KalExportPlan *plan)
{
    return plan->fast && plan->n_rows < plan->n_active;
}

#endif

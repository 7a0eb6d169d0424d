// SPDX-License-Identifier: MIT

/// @file
/// A plan: what inputs a sweep has, and which values they have in each run.
///
/// Runs are numbered through points of the grid, the last input of the grid fastest, and
/// through the samples at each point.  Values follow from the number of a run and the seed.

#ifndef SWEEP_PLAN_H
#define SWEEP_PLAN_H

#include "base/arena.h"
#include "system/instant.h"

#include <kalaba/sweep.h>

/// What values an input takes.
typedef enum KalSweepInputKind {
    KAL_INPUT_LIST,       ///< `values`
    KAL_INPUT_RANGE,      ///< from a to b, both included
    KAL_INPUT_UNIFORM,    ///< between a and b
    KAL_INPUT_LOGUNIFORM, ///< its logarithm is
    KAL_INPUT_NORMAL      ///< mean a, standard deviation b
} KalSweepInputKind;

/// One input.
typedef struct KalSweepInput {
    const char *name;
    const char *label; ///< in tables; NULL: its name
    const char *unit;  ///< "" for none
    KalSweepInputKind kind;
    uint64_t count; ///< values of a list or a range
    double *values;
    double a;
    double b;
    bool start;   ///< it is a start value, not a parameter
    bool fixed;   ///< the structure of the model depends on it
    bool degrees; ///< it is given in degrees
} KalSweepInput;

/// All inputs: those of the grid, then random ones.
typedef struct KalSweepPlan {
    KalSweepInput *inputs;
    size_t n_inputs;
    size_t n_grid;    ///< of them are of the grid
    uint64_t points;  ///< of the grid
    uint64_t samples; ///< at each
    uint64_t seed;
    KalSweepDesign design;
} KalSweepPlan;

/// Where texts of a plan are read.
typedef struct KalSweepReader {
    KalContext *ctx;
    KalArena *arena;     ///< for what the plan holds
    KalInstant *instant; ///< of the system, for values
} KalSweepReader;

/// Read the inputs of a sweep.  Statuses as of kal_sweep_create().
KAL_CHECKED KalStatus kal_plan_read(KalSweepPlan *plan, const KalSweepReader *reader,
                                    const KalSweepOptions *options);

/// The inputs of a run, counted from 0.
void kal_plan_inputs(const KalSweepPlan *plan, uint64_t run, double *out_inputs);

/// Value i of an input of the grid.
double kal_input_value(const KalSweepInput *input, uint64_t i);

/// A value of an input as the model counts it: in radians, where it is given in degrees.
double kal_input_base(const KalSweepInput *input, double value);

/// A copy of `length` bytes of a text, or NULL.
char *kal_plan_copy(KalArena *arena, const char *text, size_t length);

/// The place of a start value in the state of a system, −1 if there is none: coordinate i is
/// i, its velocity n + i.
int kal_plan_place(const KalSystem *system, const char *name);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Where in a step functions of t, q and q' can be zero at all.
///
/// Positions and velocities of a step are polynomials.  In Bernstein form their ranges over
/// any part of the step are known, and from them, by interval arithmetic, those of
/// functions: a part over which no range holds zero has no crossing, theory (15.12).

#ifndef SIM_SCAN_H
#define SIM_SCAN_H

#include "sim/scan_math.h"
#include "system/instant.h"

/// What a scan needs of a run.
typedef struct KalScanSpec {
    const KalSystem *system;
    const KalProgramId *programs; ///< n_programs: of the functions; lives on
    int n_programs;
    KalInstant *instant; ///< for its work memory
    /// The state at a time of the step, 2 n numbers and room for the integrals.
    KalStatus (*interpolate)(void *user, double t, double *out_y);
    void *user;
    size_t room; ///< numbers of a state
} KalScanSpec;

/// A workspace, sized once.
typedef struct KalScan {
    KalContext *ctx;
    KalScanSpec spec;
    KalWorkspace workspace; ///< all arrays below
    double *inverse;      ///< nodes × nodes: from values at the nodes to coefficients
    double *nodes;        ///< parts of a step
    double *state;        ///< room
    size_t states;        ///< numbers of a state that are polynomials
    size_t ld;            ///< so many numbers from one row of coefficients to the next
    double *coefficients; ///< nodes × ld: one row holds those of all numbers
    KalRange *box;        ///< as KalLayout
    KalRange *work;       ///< of a program
    KalRange *results;    ///< of the programs, one after the other
    KalRange *contacts;   ///< KalContactValues of contacts among them
    KalRange *point;      ///< contacts at the beginning of a range
    double t_old;
    double t_new;
} KalScan;

KAL_CHECKED KalStatus kal_scan_init(KalScan *scan, KalContext *ctx,
                                    const KalScanSpec *spec);

/// Free what a scan holds.
void kal_scan_clear(KalScan *scan);

/// Learn a step.  Passes on failures to interpolate.
KAL_CHECKED KalStatus kal_scan_take(KalScan *scan, double t_old, double t_new);

/// Ranges of the results of all programs, one after the other, over a part of the step.  Of
/// those that are not functions of t, q and q' alone they mean nothing.
const KalRange *kal_scan_bound(KalScan *scan, double a, double b);

/// The same with gaps once more by their values at a and the ranges of their rates, theory
/// (21.10): their own ranges overlook that a gap opens while coordinates move fast along it.
/// After kal_scan_bound() of the same part, with KAL_PROGRAM_CONTACTS among the programs.
const KalRange *kal_scan_sharpen_gaps(KalScan *scan, double a, double b);

#endif

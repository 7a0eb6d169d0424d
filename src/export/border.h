// SPDX-License-Identifier: MIT

/// @file
/// Borders of pieces in FMUs: zeros of the switching functions of the equations (system/switch.h),
/// such as knots of tables made of lines, `abs`, `if`.
///
/// An importer is told of them: those that the motion leads to have event indicators, those of
/// time alone are events whose times are known.  Of these functions are linear in time, or levels
/// of tables at what is linear, which rise or fall all the time; where they are neither, they
/// have an indicator, too.

#ifndef EXPORT_BORDER_H
#define EXPORT_BORDER_H

#include "export/plan.h"

/// Find plan->borders and make their programs.
KAL_CHECKED KalStatus kal_export_list_borders(KalExportPlan *plan);

/// Whether a function of time has a border at each whole number, and not at 0 alone.
bool kal_export_timer_steps(const KalExportPlan *plan, size_t i);

#endif

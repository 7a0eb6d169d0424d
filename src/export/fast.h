// SPDX-License-Identifier: MIT

/// @file
/// The acceleration of an export: eliminated formulas as those of a run, and one more that
/// says whether rows that were left out agree.

#ifndef EXPORT_FAST_H
#define EXPORT_FAST_H

#include "export/plan.h"

/// Make it for the rows of the plan.  Where formulas would be too long, or rows that forces
/// depend on are redundant, there is none.
KAL_CHECKED KalStatus kal_export_make_fast(KalExportPlan *plan);

#endif

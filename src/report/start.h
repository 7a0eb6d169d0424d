// SPDX-License-Identifier: MIT

/// @file
/// Reports of models that have a start and no motion.

#ifndef REPORT_START_H
#define REPORT_START_H

#include <kalaba/report.h>

/// Add the start that was found for a run which could not begin there; what only a motion has
/// is NaN.  Then kal_report_print() shows the report of this run as of any other.
/// KAL_ERR_USAGE when no start was found, KAL_ERR_LIMIT, KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_report_take_start(KalReport *report, KalRun *run);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Everything the library offers.

#ifndef KALABA_KALABA_H
#define KALABA_KALABA_H

#include <kalaba/analysis.h>
#include <kalaba/context.h>
#include <kalaba/examine.h>
#include <kalaba/export.h>
#include <kalaba/figure.h>
#include <kalaba/files.h>
#include <kalaba/format.h>
#include <kalaba/leeway.h>
#include <kalaba/lsp.h>
#include <kalaba/model.h>
#include <kalaba/motion.h>
#include <kalaba/problem.h>
#include <kalaba/record.h>
#include <kalaba/reduce.h>
#include <kalaba/report.h>
#include <kalaba/run.h>
#include <kalaba/show.h>
#include <kalaba/status.h>
#include <kalaba/studio.h>
#include <kalaba/sweep.h>
#include <kalaba/system.h>
#include <kalaba/table.h>
#include <kalaba/text.h>
#include <kalaba/verify.h>
#include <kalaba/version.h>

#endif

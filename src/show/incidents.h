// SPDX-License-Identifier: MIT

/// @file
/// What happened in a run, as JSON.

#ifndef SHOW_INCIDENTS_H
#define SHOW_INCIDENTS_H

#include "json/member.h"

#include <kalaba/run.h>

/// Write the member `incidents`, a list of objects: `t`, `name`, `what`, `text`.
void kal_show_incidents(const KalRun *run, KalJsonWriter *writer);

#endif

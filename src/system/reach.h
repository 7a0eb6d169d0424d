// SPDX-License-Identifier: MIT

/// @file
/// What a model has but no motion of it can reach.

#ifndef SYSTEM_REACH_H
#define SYSTEM_REACH_H

#include "system/system.h"

/// Warn of contacts that can never close, of frictions whose limit is always 0 and of tables
/// whose points are never reached, as far as interval arithmetic tells.
KAL_CHECKED KalStatus kal_system_warn_of_reach(const KalSystem *system);

#endif

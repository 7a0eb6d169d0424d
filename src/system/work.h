// SPDX-License-Identifier: MIT

/// @file
/// What may do work on a system, and its powers in an instant, theory (16.4).

#ifndef SYSTEM_WORK_H
#define SYSTEM_WORK_H

#include "system/instant.h"

/// Find constants of the motion, powers and what may do work: system->balance.conserved, powers and
/// workers.
KAL_CHECKED KalStatus kal_work_derive(KalSystem *system);

/// The powers of all workers in a solved instant.  Where one has no finite value it is 0, and
/// the result is false.
bool kal_work_find_powers(KalInstant *instant, double *out_powers);

#endif

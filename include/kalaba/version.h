// SPDX-License-Identifier: MIT

/// @file
/// Which version this is.

#ifndef KALABA_VERSION_H
#define KALABA_VERSION_H

#include <kalaba/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the library as "major.minor.patch"; numbers follow semantic
/// versioning.  The build description is the one place that states it.
KAL_API const char *kal_version(void);

#ifdef __cplusplus
}
#endif

#endif

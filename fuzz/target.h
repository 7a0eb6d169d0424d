// SPDX-License-Identifier: MIT

/// @file
/// What libFuzzer, AFL++ and replay.c call.

#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/// Try one input.  Answers 0.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif

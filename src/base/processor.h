// SPDX-License-Identifier: MIT

/// @file
/// What the processor has, from the C library where it tells: it has asked before the program
/// began.  The compiler's own way asks once more, which takes a virtual machine 70 µs, a
/// twentieth of what a small model takes from its text to its answer.

#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

/// Whether the processor has registers of 256 bits, and what our code needs of them.
static inline bool kal_has_wide(void)
{
#ifdef CPU_FEATURE_ACTIVE
    return CPU_FEATURE_ACTIVE(AVX2);
#elif defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/// Whether it has registers of 512 bits, and what code for lanes needs of them.
static inline bool kal_has_widest(void)
{
#ifdef CPU_FEATURE_ACTIVE
    return CPU_FEATURE_ACTIVE(AVX512F) && CPU_FEATURE_ACTIVE(AVX512DQ);
#elif defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}

#endif

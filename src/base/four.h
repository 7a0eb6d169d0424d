// SPDX-License-Identifier: MIT

/// @file
/// Four numbers at once.
///
/// The compiler makes of them what the processor has: one wide register or two of half the
/// width.  Each of the four is computed as it would be alone, so both give the same bits.
/// Files that gain by it are compiled twice, the second time for wide registers, and which
/// one runs is decided at run time.

#ifndef BASE_FOUR_H
#define BASE_FOUR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Four numbers; the loose ones may start at any number.
typedef double KalFour __attribute__((vector_size(32), may_alias));
typedef double KalFourLoose __attribute__((vector_size(32), may_alias, aligned(8)));
typedef double KalTwo __attribute__((vector_size(16), may_alias));
typedef double KalTwoLoose __attribute__((vector_size(16), may_alias, aligned(8)));
typedef int64_t KalFourBits __attribute__((vector_size(32), may_alias));
typedef uint64_t KalFourWords __attribute__((vector_size(32), may_alias));

/// For what melts into its caller.  Without optimization nothing does: the locals of every
/// copy would have a place of their own, and frames would outgrow KAL_STACK_SIZE.  Nor does
/// it under sanitizers, where the checks in every copy take compilers minutes.
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) \
    && !defined(__SANITIZE_THREAD__)
#define KAL_INLINE static inline __attribute__((always_inline))
#else
#define KAL_INLINE static inline
#endif

KAL_INLINE KalFour *kal_four(double *x)
{
    return (KalFour *)(void *)x;
}

KAL_INLINE const KalFour *kal_const_four(const double *x)
{
    return (const KalFour *)(const void *)x;
}

KAL_INLINE KalFour kal_all(double x)
{
    return (KalFour){x, x, x, x};
}

/// |x|, entry by entry.
KAL_INLINE KalFour kal_four_absolute(KalFour x)
{
    return (KalFour)((KalFourBits)x & INT64_C(0x7fffffffffffffff));
}

/// Where bits of `pick` are set those of a, else those of b; of a number all are set, or none.
KAL_INLINE KalFour kal_pick(KalFourBits pick, KalFour a, KalFour b)
{
#ifdef __AVX__
    __asm__("vblendvpd %1, %2, %0, %0" : "+x"(b) : "x"(pick), "x"(a));
    return b;
#else
    return (KalFour)(((KalFourBits)a & pick) | ((KalFourBits)b & ~pick));
#endif
}

/// Entry by entry a > b ? a : b: b where either is not a number.
KAL_INLINE KalFour kal_four_larger(KalFour a, KalFour b)
{
#ifdef __AVX__
    __asm__("vmaxpd %1, %0, %0" : "+x"(a) : "xm"(b));
    return a;
#else
    return kal_pick(a > b, a, b);
#endif
}

/// Entry by entry a < b ? a : b.
KAL_INLINE KalFour kal_four_smaller(KalFour a, KalFour b)
{
#ifdef __AVX__
    __asm__("vminpd %1, %0, %0" : "+x"(a) : "xm"(b));
    return a;
#else
    return kal_pick(a < b, a, b);
#endif
}

/// √x, entry by entry.
KAL_INLINE KalFour kal_four_root(KalFour x)
{
#ifdef __AVX__
    KalFour root;
    __asm__("vsqrtpd %1, %0" : "=x"(root) : "x"(x));
    return root;
#else
    return (KalFour){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

/// Whether bits of any of the four are set.
KAL_INLINE bool kal_any(KalFourBits bits)
{
#ifdef __AVX__
    bool none;
    __asm__("vptest %1, %1" : "=@ccz"(none) : "x"(bits));
    return !none;
#else
    return ((bits[0] | bits[1]) | (bits[2] | bits[3])) != 0;
#endif
}

/// Copy n numbers, of which there are few, one by one: a call would take longer, and who
/// reads numbers in other groups than they were written in waits for the processor.
KAL_INLINE void kal_copy_numbers(double *restrict to, const double *restrict from,
                                 size_t n)
{
    for (size_t i = 0; i < n; i++) {
        __asm__("" : "+r"(i)); // or the compiler makes groups, or a call, of them
        to[i] = from[i];
    }
}

/// Whether n numbers, of which there are few, have the same bits.
KAL_INLINE bool kal_same_numbers(const double *x, const double *y, size_t n)
{
    size_t i = 0;
    uint64_t a = 0;
    uint64_t b = 0;
    while (i < n && a == b) {
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        i++;
    }
    return a == b;
}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Eight numbers at once: the lanes of sweeps.
///
/// As four numbers (base/four.h), which the compiler makes of them what the processor has: one
/// register of 512 bits, two of 256 or four of 128.  Files that gain by it are compiled three
/// times.  Each of the eight is computed as it would be alone, so all give the same bits.

#ifndef BASE_EIGHT_H
#define BASE_EIGHT_H

#include "base/four.h"
#include "base/processor.h"

enum {
    KAL_LANES = 8,           ///< states that are computed at once
    KAL_HALF = KAL_LANES / 2 ///< of them, where registers are no wider
};

typedef double KalEight __attribute__((vector_size(64), may_alias));
typedef int64_t KalEightBits __attribute__((vector_size(64), may_alias));

KAL_INLINE KalEight *kal_eight(double *x)
{
    return (KalEight *)(void *)x;
}

KAL_INLINE const KalEight *kal_const_eight(const double *x)
{
    return (const KalEight *)(const void *)x;
}

KAL_INLINE KalEight kal_eight_all(double x)
{
    return (KalEight){x, x, x, x, x, x, x, x};
}

/// Bits of all eight, set.
KAL_INLINE KalEightBits kal_eight_everywhere(void)
{
    return ~(KalEightBits){0};
}

/// Four of the eight: the first ones, or the last ones.
KAL_INLINE KalFour kal_eight_half(const KalEight *x, int half)
{
    return ((const KalFour *)(const void *)x)[half];
}

KAL_INLINE KalEight kal_eight_join(KalFour low, KalFour high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// |x|, entry by entry.
KAL_INLINE KalEight kal_eight_absolute(KalEight x)
{
    return (KalEight)((KalEightBits)x & INT64_C(0x7fffffffffffffff));
}

/// Where bits of `pick` are set those of a, else those of b; of a number all are set, or none.
KAL_INLINE KalEight kal_eight_pick(KalEightBits pick, KalEight a, KalEight b)
{
#ifdef __AVX512F__
    __asm__("vpternlogq $0xca, %2, %1, %0" : "+v"(pick) : "v"(a), "v"(b));
    return (KalEight)pick;
#else
    return (KalEight)(((KalEightBits)a & pick) | ((KalEightBits)b & ~pick));
#endif
}

/// Entry by entry a > b ? a : b: b where either is not a number.
KAL_INLINE KalEight kal_eight_larger(KalEight a, KalEight b)
{
#ifdef __AVX512F__
    __asm__("vmaxpd %1, %0, %0" : "+v"(a) : "vm"(b));
    return a;
#elif defined(__AVX__)
    return kal_eight_join(
        kal_four_larger(kal_eight_half(&a, 0), kal_eight_half(&b, 0)),
        kal_four_larger(kal_eight_half(&a, 1), kal_eight_half(&b, 1)));
#else
    return kal_eight_pick(a > b, a, b);
#endif
}

/// Entry by entry a < b ? a : b.
KAL_INLINE KalEight kal_eight_smaller(KalEight a, KalEight b)
{
#ifdef __AVX512F__
    __asm__("vminpd %1, %0, %0" : "+v"(a) : "vm"(b));
    return a;
#elif defined(__AVX__)
    return kal_eight_join(
        kal_four_smaller(kal_eight_half(&a, 0), kal_eight_half(&b, 0)),
        kal_four_smaller(kal_eight_half(&a, 1), kal_eight_half(&b, 1)));
#else
    return kal_eight_pick(a < b, a, b);
#endif
}

/// √x, entry by entry.
KAL_INLINE KalEight kal_eight_root(KalEight x)
{
#ifdef __AVX512F__
    KalEight root;
    __asm__("vsqrtpd %1, %0" : "=v"(root) : "v"(x));
    return root;
#else
    return kal_eight_join(kal_four_root(kal_eight_half(&x, 0)),
                          kal_four_root(kal_eight_half(&x, 1)));
#endif
}

/// Whether bits of any of the eight are set.
KAL_INLINE bool kal_eight_any(KalEightBits bits)
{
#ifdef __AVX512F__
    uint8_t any;
    __asm__("vptestmq %1, %1, %0" : "=Yk"(any) : "v"(bits));
    return any != 0;
#else
    const KalEight x = (KalEight)bits;
    return kal_any((KalFourBits)kal_eight_half(&x, 0)
                   | (KalFourBits)kal_eight_half(&x, 1));
#endif
}

#endif

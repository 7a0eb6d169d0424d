// SPDX-License-Identifier: MIT

// Ranges of polynomials over a part of their stretch (sim/scan_math.h): their coefficients on that
// part, by the scheme of de Casteljau, enclose them.  It only takes means and so is stable.  Each
// of a group is cut as it would be alone.

#include "sim/scan_math.h"

#include "base/four.h"

#include <assert.h>
#include <float.h>

#ifndef KAL_SCAN_RANGES
#define KAL_SCAN_RANGES kal_scan_ranges
#endif

enum {
    N = KAL_SCAN_NODES,
    DEGREE = N - 1,
    GROUP = KAL_SCAN_GROUP
};

// Coefficients have this rounding, relative to the largest value.
static const double ROUNDING = 256.0 * DBL_EPSILON;

// Cut polynomials at a part u of their stretch, and keep the beginnings.
KAL_INLINE void keep_beginning(KalFour *c, double u)
{
    const KalFour part = kal_all(u);
    const KalFour rest = kal_all(1.0 - u);
    assert(u >= 0.0 && u <= 1.0);
    for (int level = 1; level < N; level++) {
        for (int k = DEGREE; k >= level; k--) {
            c[k] = rest * c[k - 1] + part * c[k];
        }
    }
}

// The same, but keep the ends.
KAL_INLINE void keep_end(KalFour *c, double u)
{
    const KalFour part = kal_all(u);
    const KalFour rest = kal_all(1.0 - u);
    assert(u >= 0.0 && u <= 1.0);
    for (int level = 1; level < N; level++) {
        for (int k = 0; k < N - level; k++) {
            c[k] = rest * c[k] + part * c[k + 1];
        }
    }
}

// Those of a group: low and high.
KAL_INLINE void find_group(const KalScanPart *part, size_t group, KalFour *out_low,
                           KalFour *out_high)
{
    KalFour c[N];
    KalFour size = kal_all(0.0);
    for (size_t k = 0; k < N; k++) {
        c[k] = kal_const_four(part->coefficients + k * part->ld)[group];
        size = kal_four_larger(kal_four_absolute(c[k]), size);
    }
    if (part->end < 1.0) {
        keep_beginning(c, part->end);
    }
    if (part->begin > 0.0) {
        keep_end(c, part->end > 0.0 ? part->begin / part->end : 0.0);
    }
    KalFour low = c[0];
    KalFour high = c[0];
    for (int k = 1; k < N; k++) {
        low = kal_four_smaller(c[k], low);
        high = kal_four_larger(c[k], high);
    }
    *out_low = low - ROUNDING * size;
    *out_high = high + ROUNDING * size;
}

void KAL_SCAN_RANGES(const KalScanPart *part, KalRange *out_ranges)
{
    assert(part->count <= part->ld && part->ld % GROUP == 0);
    for (size_t group = 0; GROUP * group < part->count; group++) {
        KalRange *out = out_ranges + GROUP * group;
        const size_t left = part->count - GROUP * group;
        KalFour low;
        KalFour high;
        find_group(part, group, &low, &high);
        for (size_t i = 0; i < GROUP && i < left; i++) {
            out[i] = (KalRange){low[i], high[i]};
        }
    }
}

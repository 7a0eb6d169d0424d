// SPDX-License-Identifier: MIT

// Colors that can be told apart by all, also in print and by those who see no red or green
// (after Okabe and Ito), in two sets for light and dark pages; and strokes, so that curves
// differ in two ways.

#include "figure/theme.h"

#include <assert.h>
#include <string.h>

typedef struct Color {
    uint32_t light;
    uint32_t dark;
} Color;

static const Color colors[KAL_INKS] = {
    [KAL_INK_PAGE] = {0xffffff, 0x14161a},
    [KAL_INK_TEXT] = {0x000000, 0xe8e8e8},
    [KAL_INK_GRID] = {0xe2e2e2, 0x3a3d42},
    [KAL_INK_CURVE] = {0x0072b2, 0x56b4e9}, // blue
    {0xd55e00, 0xff8f4a}, // vermilion
    {0x009e73, 0x34cba0}, // green
    {0xaa3377, 0xe792c3}, // purple
    {0x9a6e00, 0xf0c33c}, // gold
    {0x5a5a5a, 0xbcbcbc}, // gray
};

static const double dashes[][KAL_DASH_LIMIT] = {
    {0.0, 0.0, 0.0, 0.0},
    {4.5, 1.8, 0.0, 0.0},
    {1.2, 1.4, 0.0, 0.0},
    {6.0, 1.5, 1.2, 1.5},
    {8.0, 2.0, 0.0, 0.0},
    {2.6, 1.2, 0.0, 0.0},
};

KalInk kal_ink_of_curve(size_t i)
{
    return (KalInk)(KAL_INK_CURVE + i % KAL_INK_CURVES);
}

uint32_t kal_ink_color(KalInk ink, bool dark)
{
    assert((int)ink >= 0 && (int)ink < (int)KAL_INKS);
    return dark ? colors[ink].dark : colors[ink].light;
}

int kal_dashes_get(size_t i, double out_dashes[KAL_DASH_LIMIT])
{
    // After all colors were used, each returns with another stroke.
    const size_t rows = sizeof dashes / sizeof dashes[0];
    const double *row = dashes[(i + i / KAL_INK_CURVES) % rows];
    int count = 0;
    while (count < KAL_DASH_LIMIT && row[count] > 0.0) {
        count++;
    }
    assert(count % 2 == 0); // a stroke and a gap
    memcpy(out_dashes, row, sizeof dashes[0]);
    return count;
}

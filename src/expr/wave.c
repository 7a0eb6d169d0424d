// SPDX-License-Identifier: MIT

// Sine and cosine of one number, by the same code as four at once (wave.h): equal bits
// wherever they are computed.

#include "expr/wave.h"

double kal_sine(double x)
{
    KalFour sine;
    KalFour cosine;
    kal_wave_four(kal_all(x), &sine, &cosine);
    return sine[0];
}

double kal_cosine(double x)
{
    KalFour sine;
    KalFour cosine;
    kal_wave_four(kal_all(x), &sine, &cosine);
    return cosine[0];
}

// SPDX-License-Identifier: MIT

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

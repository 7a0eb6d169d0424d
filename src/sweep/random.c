// SPDX-License-Identifier: MIT

// Random numbers by counter.
//
// Philox (J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as
// 1, 2, 3", SC 2011) is a bijection of 128-bit counters for each 64-bit key: ten rounds, each
// two products of 32 bits whose halves change places and take in a key.  Neighbouring
// counters give numbers that pass all known tests, so the counter may be what is asked for.
//
// A shuffle is a bijection of 0 … n − 1: a Feistel network over the next even number of
// bits, walked until it is back below n.  Its rounds are Philox; at most three of four
// numbers lie beyond n, so a walk takes four steps on average, or less.
//
// The quantile of the normal distribution is the root of Φ(x) − p, by Halley's method from
// the approximation of C. Hastings (Abramowitz and Stegun, 26.2.23), which is right to
// 4.5e-4: each step triples the digits, and two give all.

#include "sweep/random.h"

#include <assert.h>
#include <math.h>

enum {
    ROUNDS = 10,
    FEISTEL_ROUNDS = 6,
    HALLEY_STEPS = 3
};

uint64_t kal_draw_bits(KalDraw draw)
{
    uint32_t c[4] = {(uint32_t)draw.place, (uint32_t)(draw.place >> 32), draw.input,
                     draw.use};
    uint32_t key[2] = {(uint32_t)draw.seed, (uint32_t)(draw.seed >> 32)};
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t first = (uint64_t)0xD2511F53U * c[0];
        const uint64_t second = (uint64_t)0xCD9E8D57U * c[2];
        c[0] = (uint32_t)(second >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)second;
        c[2] = (uint32_t)(first >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)first;
        key[0] += 0x9E3779B9U; // the golden section and √3 − 1, as fractions of 2³²
        key[1] += 0xBB67AE85U;
    }
    return (uint64_t)c[0] << 32 | c[1];
}

// The middle of one of 2⁵² parts of the unit interval: never 0 and never 1, so that it
// has a quantile.
double kal_draw_part(uint64_t bits)
{
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double kal_draw_within(uint64_t place, double own, uint64_t n)
{
    assert(place < n && own > 0.0 && own < 1.0);
    return fmin(((double)place + own) / (double)n, 1.0 - 0x1p-53);
}

// One walk of the network over 2 × `half` bits.
static uint64_t feistel(KalDraw draw, uint64_t i, int half)
{
    assert(half > 0 && half <= 31);
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t left = i >> half;
    uint64_t right = i & mask;
    for (uint32_t round = 0; round < FEISTEL_ROUNDS; round++) {
        const KalDraw mixed = {draw.seed ^ right * 0x9E3779B97F4A7C15U, draw.place,
                               draw.input | round << 24, draw.use};
        const uint64_t next = left ^ (kal_draw_bits(mixed) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t kal_draw_shuffle(KalDraw draw, uint64_t i, uint64_t n)
{
    assert(i < n && n <= (uint64_t)1 << 62);
    int half = 1;
    while ((uint64_t)1 << 2 * half < n) {
        half++;
    }
    do {
        i = feistel(draw, i, half);
    } while (i >= n);
    return i;
}

double kal_normal_quantile(double p)
{
    assert(p > 0.0 && p < 1.0);
    const double tail = fmin(p, 1.0 - p);
    const double t = sqrt(-2.0 * log(tail));
    double x = (2.515517 + t * (0.802853 + t * 0.010328))
                   / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
               - t;
    for (int k = 0; k < HALLEY_STEPS; k++) {
        const double off = 0.5 * erfc(-x * sqrt(0.5)) - tail;
        const double step = off * sqrt(2.0 * acos(-1.0)) * exp(0.5 * x * x);
        x -= step / (1.0 + 0.5 * x * step);
    }
    return p < 0.5 ? x : -x;
}

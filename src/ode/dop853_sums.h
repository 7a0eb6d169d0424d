// SPDX-License-Identifier: MIT

/// @file
/// Sums of rates in DOP853: where it spends its time besides the rates themselves.
///
/// Arrays start at multiples of 64 bytes and have `ld` entries, a multiple of eight: those of
/// one system, or KAL_LANES numbers for each of one of as many systems.  What differs
/// between lanes is given for each of eight entries that stand together; of one system it is
/// eight times the same.  The functions are compiled once for every processor and twice more
/// for those with wide registers (base/eight.h); all give the same bits.

#ifndef ODE_DOP853_SUMS_H
#define ODE_DOP853_SUMS_H

#include "base/eight.h"
#include "ode/dop853_table.h"

enum {
    KAL_DOP853_GROUP = 8 ///< entries that are summed at once
};

/// The end of a step and how large its errors are.
typedef struct KalDop853End {
    const double *y;    ///< the beginning
    double *y_end;      ///< the end, to be written
    const double *atol; ///< what is allowed for each entry, besides
    KalEight rtol;      ///< this part of it
    KalEight h;
    KalEight
        most5; ///< largest entry of the estimate of order 5, in units of what is allowed
    KalEight most3;  ///< the same of the estimate of order 3
    KalEight finite; ///< 0, or NaN when the end is not finite
} KalDop853End;

/// Steps in lanes that have been brought to their ends.
typedef struct KalDop853Settled {
    const double *atol;
    const double *y_end;    ///< as the method took them
    const double *y_next;   ///< and brought to the manifold
    const double *stage;    ///< states of the last stage
    const double *k_before; ///< and its rates
    const double *k_end;    ///< those of y_next; NULL: they are not known yet
    KalEight rtol;
    KalEight t;
    KalEight shift;    ///< without k_end
    KalEight change;   ///< with it
    KalEight distance; ///< likewise
} KalDop853Settled;

/// The stage after the one whose rate is about to be known: of its sum of rates all terms are
/// there but the last, which is that rate.
typedef struct KalDop853Next {
    double *state;       ///< of the stage, to be written
    const double *from;  ///< the beginning of the step
    const double *begun; ///< the sum
    double weight;       ///< of the rate
    double h;
} KalDop853Next;

typedef struct KalDop853Sums {
    /// out = from + h Σ weight k[stage], theory (12.1).
    void (*add)(const KalDop853Row *row, double *const *k, int ld, const double *from,
                const KalEight *h, double *out);

    /// Copy a rate that was written number by number into groups of eight, which sums read
    /// at once: else they would wait for it.  Returns 0, or NaN when one is not finite.
    double (*take)(int ld, const double *rate, double *out);

    /// out = Σ weight k[stage], but for the last term of the row.
    void (*begin)(const KalDop853Row *row, double *const *k, int ld, double *out);

    /// Take a rate, and at once go on to the state of the next stage, whose sum was begun: the
    /// same bits as by take() and add().
    double (*go_on)(int ld, const double *rate, double *out, const KalDop853Next *next);

    /// Theory (12.2) to (12.4).
    void (*finish)(double *const *k, int ld, KalDop853End *end);

    /// The same as kal_ode_shift(), and what KalDop853Edge is made of, of lanes.
    void (*settle)(int ld, KalDop853Settled *settled);

    /// The coefficients d of the polynomial of a step of size h from y to y_end, theory (12.9).
    void (*dense)(double *const *k, int ld, const double *y, const double *y_end,
                  const KalEight *h, double *const *out_d);

    /// The polynomial of a step from `y` with the coefficients d, in nested form, theory (12.9),
    /// at the part `a` of it; at 0 it is y, at 1 y + d[0].
    void (*interpolate)(double *const *d, int ld, const double *y, double a,
                        double *out);

    /// The same of n numbers at KAL_LANES parts at once: n groups of as many, of which the
    /// lanes before `first` stay as they are.
    void (*interpolate_lanes)(double *const *d, int n, const double *y,
                              const KalEight *a, int first, double *out);
} KalDop853Sums;

extern const KalDop853Sums kal_dop853_sums;
extern const KalDop853Sums kal_dop853_sums_wide;   ///< x86-64 only
extern const KalDop853Sums kal_dop853_sums_widest; ///< likewise

#endif

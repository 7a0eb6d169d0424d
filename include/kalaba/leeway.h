// SPDX-License-Identifier: MIT

/// @file
/// States of rest under contacts and dry friction: not points but ranges, for friction holds
/// whatever is at most its limit (docs/theory, section 21).
///
///     kal_leeway_find(ctx, system, NULL, &leeway);
///     ranges = kal_leeway_ranges(leeway);

#ifndef KALABA_LEEWAY_H
#define KALABA_LEEWAY_H

#include <kalaba/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/// States of rest that go on without a break, by their two ends.
typedef struct KalRestRange {
    const double *from; ///< n: coordinates at one end
    const double *to;   ///< n: at the other; the same where it is one state
    bool from_goes_on;  ///< the search ended there, or the laws tell nothing
    bool to_goes_on;    ///< the same of the other end
    int along; ///< with several ways to move: the coordinate of this one, else −1
} KalRestRange;

/// What was found.
typedef struct KalRestRanges {
    int count;
    const KalRestRange *list;
    const char *const *closed; ///< n_closed: contacts that are closed in all of them
    int n_closed;
    int freedom; ///< ways to move with these closed
    /// freedom: with several, a coordinate for each way.  States of rest are a set of as many
    /// dimensions then; ranges are where lines through the start cut it, on each of which all of
    /// these coordinates but one are as at the start.
    const int *ways;
} KalRestRanges;

/// Ranges of states of rest of a system, which belong to it.
typedef struct KalLeeway KalLeeway;

/// Whether a system has contacts or dry friction.
KAL_API bool kal_leeway_applies(const KalSystem *system);

/// Look for states of rest with the contacts closed that are at the start of the model, or with
/// the values of `at` (`x = 1`) if that is not NULL: along the one way that is left to move, or
/// each of several, in both directions from there.  KAL_ERR_FORMULATION where equations depend on
/// time; failures of kal_instant_start_from().
KAL_API KAL_CHECKED KalStatus kal_leeway_find(KalContext *ctx, const KalSystem *system,
                                              const char *at, KalLeeway **out_leeway);

/// Free what was found.  NULL is allowed.
KAL_API void kal_leeway_destroy(KalLeeway *leeway);

/// What was found; it holds until the leeway is freed.
KAL_API KalRestRanges kal_leeway_ranges(const KalLeeway *leeway);

#ifdef __cplusplus
}
#endif

#endif

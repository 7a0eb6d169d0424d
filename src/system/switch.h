// SPDX-License-Identifier: MIT

/// @file
/// Equations that are made of pieces: `if`, `abs`, `sign`, `min`, `max`, `floor`,
/// `ceil`, `mod`.
///
/// A system has a list of switching functions, whose zeros part the pieces; a run keeps
/// for each the *mode*, the piece that its motion is on.  During a step all programs are
/// evaluated on these pieces, so that what is integrated is smooth; where a switching
/// function crosses zero the step ends, and the motion begins anew on the next piece,
/// theory (15.11).  A mode that is NaN is not decided: formulas are taken as they come.

#ifndef SYSTEM_SWITCH_H
#define SYSTEM_SWITCH_H

#include "base/map.h"
#include "base/utf8.h"
#include "system/system.h"

/// Find the switching functions of formulas: system->pieces.switches and what belongs to it.
KAL_CHECKED KalStatus kal_system_find_switches(KalSystem *system,
                                               const KalExpr *formulas, size_t count);

/// Add the switching functions, by the indices of their formulas, to those that are known.
KAL_CHECKED KalStatus kal_system_know_switches(const KalSystem *system, KalMap *known);

/// Whether a formula is a function of t, q, q', states, parameters and what only events
/// and renewals change.
KAL_CHECKED KalStatus kal_system_is_bounded(const KalSystem *system, KalExpr e,
                                            bool *out_bounded);

/// The pieces on both sides of a border, and how the function runs across it.
typedef struct KalSwitchSides {
    double below; ///< piece before the border
    double above; ///< piece behind it
    double slope; ///< 1 if the function rises there, −1 if it falls
} KalSwitchSides;

/// The sides of the border that a level is next to.
KalSwitchSides kal_switch_sides(const KalSwitch *s, double level);

/// The side of zero, 1 or −1, that the function has on a piece; NaN for none.
double kal_switch_side(const KalSwitch *s, double mode);

/// The switching function of a state whose function and level are these, as it is followed on a
/// piece, theory (15.37): of what goes by steps it tells how far the level is from both ends of the
/// piece, so that no two borders that are passed together hide each other.
double kal_switch_value(const KalSwitch *s, double mode, double function, double level);

/// The same of ranges.
KalRange kal_switch_range(const KalSwitch *s, double mode, KalRange function,
                          KalRange level);

/// How the model writes switch i, and where: "file:3:14: ", or nothing if it stands in no text.
void kal_switch_describe(const KalSystem *system, size_t i, char *out_where,
                         size_t size, char out_quote[KAL_PRINTABLE_SIZE]);

#endif

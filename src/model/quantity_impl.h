// SPDX-License-Identifier: MIT

/// @file
/// Units of values, and angles among them.

#ifndef MODEL_QUANTITY_IMPL_H
#define MODEL_QUANTITY_IMPL_H

#include "base/block.h"
#include "base/map.h"
#include "model/value_impl.h"

/// The units that a build has met, by quantity.c and angle.c.
typedef struct KalUnitTable {
    KalBlock list;    ///< of KalUnit
    KalMap nodes;     ///< node → KalUnitId
    KalMap results;   ///< operation → KalUnitId
    KalMap angles;    ///< symbol with a unit → the power of angles in it
    KalUnitId energy; ///< the unit of energies, once one is known
    KalSpan energy_span;
} KalUnitTable;

KAL_CHECKED KalStatus kal_build_init_units(KalBuild *b);
KalUnit kal_build_unit(const KalBuild *b, KalUnitId id);

/// The unit that a part of a tree says; any for NULL.
KalUnitId kal_build_read_unit(KalBuild *b, const KalNode *node);
KalUnitId kal_build_unit_times(KalBuild *b, KalUnitId a, KalUnitId c);
KalUnitId kal_build_unit_over(KalBuild *b, KalUnitId a, KalUnitId c);
KalUnitId kal_build_unit_power(KalBuild *b, KalUnitId a, int64_t num, int64_t den);

/// What both units are when they agree.  An error that names both, `what` having the
/// first and `than` the second, when they do not.
KalUnitId kal_build_agree(KalBuild *b, KalUnitId a, KalUnitId c, KalSpan span,
                          const char *what, const char *than);

/// Demands that a value has no unit, as what `what` takes.
void kal_build_demand_plain(KalBuild *b, KalValue value, KalSpan span,
                            const char *what);

/// Demands that a unit is that of all energies.
void kal_build_demand_energy(KalBuild *b, KalUnitId unit, KalSpan span,
                             const char *what);

/// The unit that a value brings to a place that has one of its own: what is made of whole
/// numbers alone brings none.
KalUnitId kal_build_declared(KalUnitId unit);

/// A value that gets a name: numbers of it that have no unit match any.
KalValue kal_build_named(KalBuild *b, KalValue value, const KalNode *node);

/// The same per second.
void kal_build_demand_power(KalBuild *b, KalUnitId unit, KalSpan span,
                            const char *what);

/// A declared value with its declared unit, which may be NULL: checked.  When the unit is
/// the degree, numbers are converted to radians and angles are in radians already.
KalValue kal_build_apply_unit(KalBuild *b, KalValue value, const KalNode *unit,
                              const KalNode *node);

/// How angles in radians are in a formula.
typedef struct KalAngles {
    double
        power; ///< 0 of a number, 1 of an angle, infinite of 0, which is both, NAN of a mixture
    double pi; ///< the power of π, as -1 in th*180/pi
} KalAngles;

/// How angles are in a formula.  False after an error.
bool kal_build_angles(KalBuild *b, KalExpr e, KalAngles *out_angles);

/// Whether a value is made of outputs in degrees, which is an error where it is to be an
/// angle itself.
bool kal_build_refuse_degrees(KalBuild *b, KalValue value, const KalNode *node);

/// Remember for kal_build_angles() the unit that a parameter or coordinate is declared
/// with, which may be NULL.
void kal_build_set_angle(KalBuild *b, KalExpr symbol, const KalNode *unit);

/// The same for a parameter without a unit, which is what its value is.
void kal_build_inherit_angle(KalBuild *b, KalExpr symbol, KalExpr value);

/// Whether a unit is the degree; NULL is not.
bool kal_build_is_degree(KalBuild *b, const KalNode *unit);

/// The unit of what moves, which cannot be the degree: that is an error, and no unit is left, so
/// that nothing else is found wrong for it.
const KalNode *kal_build_demand_radians(KalBuild *b, const KalNode *unit);

/// The text of a unit as it was written, or NULL.
const char *kal_build_unit_text(KalBuild *b, const KalNode *unit);

#endif

// SPDX-License-Identifier: MIT

/// @file
/// What the files of a probe share: its memory, and one value from others.

#ifndef ZERO_IDENTITY_IMPL_H
#define ZERO_IDENTITY_IMPL_H

#include "base/map.h"
#include "zero/identity.h"
#include "zero/phase.h"

enum {
    KAL_SLOT_ATOM = 1,     ///< its residue is chosen and does not follow from others
    KAL_SLOT_OPAQUE = 2,   ///< has atoms in it: a residue that is not 0 proves nothing
    KAL_SLOT_FIXED = 4,    ///< a number by algebra from numbers: the same at all points
    KAL_SLOT_CONSTANT = 8, ///< has no symbols
    KAL_SLOT_BRANCHED = 16, ///< may be zero in one place and not so in another
    KAL_SLOT_PIECEWISE = 32 ///< chooses between formulas: if, min, max, abs, sign, …
};

/// Seeds from here on choose points of doubles far away.
#define KAL_FAR_SEEDS (UINT64_C(1) << 32)

/// A node that the probe has seen.  Operands have smaller slots.
typedef struct KalSlot {
    KalExpr node;
    uint32_t arg[3]; ///< slots of the operands; of leaves and POWI as in the node
    uint8_t op;      ///< a KalOp
    uint8_t flags;   ///< KAL_SLOT_…
    uint8_t missing; ///< a bit for each point of residues at which a root is an atom
    KalPhase phase;
} KalSlot;

/// A square root, and whether its radicand had one at the points tried: theory (10.6).
typedef struct KalRadical {
    uint32_t slot;
    uint64_t known;   ///< a bit for each point at which the radicand had a value
    uint64_t without; ///< and for each at which that had no root
} KalRadical;

struct KalProbe {
    KalGraph *g;
    KalContext *ctx;
    KalMap known; ///< node → slot
    KalBlock slots;
    KalPhases phases;
    int64_t denominator; ///< of the factors in phases

    KalBlock residues; ///< uint64_t, slots × KAL_PROBE_RESIDUES
    uint64_t residue_seed[KAL_PROBE_RESIDUES];
    KalBlock radicals;

    KalBlock reals; ///< KalScalar, slots × KAL_PROBE_REALS, made when needed
    uint64_t real_seed[KAL_PROBE_REALS];
    bool has_reals; ///< the seeds of doubles are chosen

    KalIndex equal; ///< slots by their residues: the oldest with these
    size_t n_equal; ///< slots that were put into it, or found there

    KalBlock roots; ///< uint32_t: slots that the points are chosen for
};

/// A slot of a probe.
static inline KalSlot *kal_probe_slot(const KalProbe *probe, size_t i)
{
    return (KalSlot *)probe->slots.data + i;
}

static inline uint64_t *kal_probe_residue(const KalProbe *probe, size_t slot, int point)
{
    return (uint64_t *)probe->residues.data + slot * KAL_PROBE_RESIDUES + point;
}

static inline KalScalar *kal_probe_real(const KalProbe *probe, size_t slot, int point)
{
    return (KalScalar *)probe->reals.data + slot * KAL_PROBE_REALS + point;
}

/// The slot of a node that was seen.
uint32_t kal_probe_slot_of(const KalProbe *probe, KalExpr e);

/// Slots and residues for n formulas that may be new.
KAL_CHECKED KalStatus kal_probe_extend(KalProbe *probe, const KalExpr *e, size_t n);

/// Doubles for the slots that have none yet.
KAL_CHECKED KalStatus kal_probe_extend_reals(KalProbe *probe);

/// Whether the residue of a node follows from those of its operands, or is free.
bool kal_residue_follows(const KalProbe *probe, const KalSlot *slot);

/// Whether a node is a power of a square root.
bool kal_residue_is_root(const KalProbe *probe, const KalSlot *slot);

/// The residue of a slot from those of its operands, at a point.  *out_missing becomes
/// true where it stands for a root that does not exist.
uint64_t kal_residue_eval(const KalProbe *probe, const KalSlot *slot, int point,
                          bool *out_missing);

/// The double of a slot, likewise, at a point with this seed.
KalScalar kal_real_eval(const KalProbe *probe, const KalSlot *slot, int point,
                        uint64_t seed);

#endif

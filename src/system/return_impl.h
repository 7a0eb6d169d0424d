// SPDX-License-Identifier: MIT

/// @file
/// What the program of the way back gives, in the order of docs/internals/road.md: q and q',
/// words for positions and for velocities, the entries of A, the answer of the road, T and V,
/// and outputs.

#ifndef SYSTEM_RETURN_IMPL_H
#define SYSTEM_RETURN_IMPL_H

#include "system/instant.h"

enum {
    KAL_RETURN_STEPS = 3 ///< at most
};

/// What is left of a number of which this part, at most, is left, is rounding and none of
/// the answer.
#define KAL_RETURN_DUST 4e-13

/// What results say of a level.
typedef enum KalReturnWord {
    KAL_WORD_GIVEN, ///< by how much residuals that were given exceed rounding, at most
    KAL_WORD_LEFT,  ///< and those that are left
    KAL_WORD_LARGEST, ///< the largest of those
    KAL_WORDS
} KalReturnWord;

typedef enum KalReturnLevel {
    KAL_RETURN_POSITION,
    KAL_RETURN_VELOCITY,
    KAL_RETURN_LEVELS
} KalReturnLevel;

/// @name Where they begin
/// @{
static inline size_t kal_return_entries(const KalSystem *system)
{
    return (size_t)system->equations->A.start[system->m];
}

static inline size_t kal_return_word(const KalSystem *system, KalReturnLevel level,
                                     KalReturnWord word)
{
    return 2 * (size_t)system->n + (size_t)level * KAL_WORDS + (size_t)word;
}

static inline size_t kal_return_A(const KalSystem *system)
{
    return kal_return_word(system, KAL_RETURN_LEVELS, KAL_WORD_GIVEN);
}

static inline size_t kal_return_answer(const KalRoad *road)
{
    return kal_return_A(road->instant->system)
           + kal_return_entries(road->instant->system);
}

static inline size_t kal_return_energies(const KalRoad *road)
{
    return kal_return_answer(road) + road->at.count;
}

static inline size_t kal_return_outputs_at(const KalRoad *road)
{
    return kal_return_energies(road) + 2;
}

/// Outputs are as their formulas come, not on the pieces that a run is on; and control is not
/// the road's.
static inline bool kal_return_has_outputs(const KalSystem *system)
{
    return system->pieces.n_nodes == 0 && system->n_actuators == 0;
}

static inline size_t kal_return_count(const KalRoad *road)
{
    const KalSystem *system = road->instant->system;
    return kal_return_outputs_at(road)
           + (kal_return_has_outputs(system) ? (size_t)system->n_outputs : 0);
}

/// @}

#endif

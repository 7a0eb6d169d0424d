// SPDX-License-Identifier: MIT

/// @file
/// In which order machine code computes what a tape computes.
///
/// The order of the tape is one for loops: what is alike stands together, and values wait
/// long for their use.  A schedule goes from each output down to what it is made of, so
/// that values are used soon after they are there, and need no memory.  Functions are
/// called run by run, as the interpreter does, before all else that they do not need.

#ifndef PROG_SCHEDULE_H
#define PROG_SCHEDULE_H

#include "prog/program_impl.h"

/// On an item: the number of a run, all of which is called.
#define KAL_ITEM_CALL UINT32_C(0x80000000)

/// Places are slots of the tape, counted from its first.
typedef struct KalSchedule {
    uint32_t *items; ///< n_items: places that are computed, and calls
    uint32_t n_items;
    uint32_t *first_use; ///< n_slots + 1: of each place, among the uses
    uint32_t *uses;      ///< items that read the value of a place, in rising order
    uint8_t *what;       ///< n_slots: what computes each place
    bool calls;          ///< there are any
    uint32_t *block;     ///< all of the above
    size_t block_size;
} KalSchedule;

/// Whether runs of a kind are called, rather than written out.
bool kal_is_called(uint32_t what);

/// The caller clears the schedule, whatever the answer.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_schedule_init(const KalProgram *program,
                                        KalSchedule *schedule);

void kal_schedule_clear(KalContext *ctx, KalSchedule *schedule);

/// The slot of operand k of an instruction of a tape.
static inline uint32_t kal_operand_slot(const KalTape *tape, uint32_t place, int k)
{
    const KalOperands *at = tape->operands + place;
    return k == 0 ? at[0].a : k == 1 ? at[0].b & ~KAL_MINUS : at[1].a;
}

#endif

// SPDX-License-Identifier: MIT

/// @file
/// Programs as machine code, for x86-64 with AVX2 (docs/internals/native.md).
///
/// The code does what the interpreter's loops do, operation by operation, so it gives the
/// same bits.  Where the processor or the system does not allow it there is none, and the
/// interpreter runs.

#ifndef PROG_NATIVE_H
#define PROG_NATIVE_H

#include "base/block.h"

struct KalProgram;

/// The second tape of a program on variables and modes; `work` was prepared.  With lanes,
/// each number is KAL_LANES numbers.
typedef void (*KalNativeCode)(const double *variables, const double *modes,
                              double *work, double *out_values);

/// How many states the code computes at once.
typedef enum KalNativeWidth {
    KAL_NATIVE_ONE,
    KAL_NATIVE_HALF, ///< KAL_HALF of KAL_LANES, so it runs twice
    KAL_NATIVE_LANES ///< all of them, with registers of 512 bits (kal_has_widest())
} KalNativeWidth;

/// Machine code, in pages of its own or in those of others.  Zeroed is none.
typedef struct KalNative {
    KalNativeCode code; ///< NULL: there is none
    KalNativeWidth width;
    void *pages; ///< NULL where they are not its own
    size_t size; ///< bytes of all pages
} KalNative;

/// Whether machine code may be made of a program whose slots have so many bytes.  Displacements
/// have 31 bits, and code that is read from memory, as that of very long programs is, takes longer
/// than the loops of the interpreter with their operands.  A program without results does nothing
/// in any way.
bool kal_native_is_possible(const struct KalProgram *program, size_t bytes);

/// Add the machine code of a program's second tape to what there is; nothing where that is
/// impossible or was turned off, kal_context_native().  It has no addresses of its own in it,
/// so that it can be copied anywhere.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_native_write(const struct KalProgram *program,
                                       KalNativeWidth width, KalBlock *code);

/// Make machine code of a program's second tape; none where that is impossible or was
/// turned off, kal_context_native().  The caller clears it.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_native_init(const struct KalProgram *program,
                                      KalNativeWidth width, KalNative *out_native);

/// The same for several programs, in pages that they share: each page takes the system
/// longer than writing the code in it.  Pages stay with `out_pages`, which the caller clears after
/// the programs.  NULLs, and programs with code in pages of their own, are passed over.
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_native_share(KalContext *ctx,
                                       struct KalProgram *const *programs, size_t count,
                                       KalNative *out_pages);

void kal_native_clear(KalNative *native);

#endif

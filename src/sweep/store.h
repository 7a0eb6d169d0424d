// SPDX-License-Identifier: MIT

/// @file
/// The work in progress of a sweep: a file with a slot for each run, which outlives a process
/// that is killed.
///
/// A row is in the file at most a quarter of a second after its run ended, and from then on
/// only the loss of the disk can take it away.  Slots may be filled in any order.  Each has a
/// checksum over its place and all that is in it, so that one that was half written is known
/// to be empty.  A file is locked while it is open: one process works on it at a time.

#ifndef SWEEP_STORE_H
#define SWEEP_STORE_H

#include "base/block.h"

#include <kalaba/sweep.h>

/// A file of slots.
typedef struct KalStore KalStore;

/// What a file is to hold.
typedef struct KalStoreSpec {
    const char *path;
    const char *identity; ///< what was to be done: all that rows depend on
    size_t identity_size; ///< bytes
    uint64_t slots;
    size_t values; ///< of each row, or of each sample
    bool samples;  ///< rows have samples in place of values
    const char
        *aside; ///< where a file that is there is moved before a new one is made; NULL:
                ///< it is replaced
} KalStoreSpec;

/// A row in a slot.
typedef struct KalStoreRow {
    bool there; ///< it was written
    KalStatus status;
    const double *values; ///< NULL where there are samples
    uint64_t n_samples;
    uint64_t place;         ///< of the first in the file
    const char *reason;     ///< "ok" or why it failed
    const bool *not_unique; ///< as in KalSweepRow
} KalStoreRow;

/// Make a new file.  KAL_ERR_FILE, also when another process is at work on the one that is there;
/// KAL_ERR_NOMEM.  The caller owns the store.
KAL_CHECKED KalStatus kal_store_create(KalContext *ctx, const KalStoreSpec *spec,
                                       KalStore **out_store);

/// Open a file and find out which slots are filled.  One whose maker was killed before it said
/// what it is has none.  KAL_ERR_USAGE when it is the work of another sweep, KAL_ERR_FILE,
/// KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_store_open(KalContext *ctx, const KalStoreSpec *spec,
                                     KalStore **out_store);

/// A number of 64 bits for a text; texts that differ have others but by chance.
uint64_t kal_store_digest(const void *text, size_t size);

/// Close a file; rows that are not in it are lost.  NULL is allowed.
void kal_store_destroy(KalStore *store);

/// Fill a slot.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_store_put(KalStore *store, uint64_t slot,
                                    const KalSweepRow *row);

/// Write what is not in the file yet.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_store_flush(KalStore *store);

/// How many slots were filled when the store was opened.
uint64_t kal_store_filled(const KalStore *store);

/// Whether a slot was filled when the store was opened.
bool kal_store_has(const KalStore *store, uint64_t slot);

/// Read a slot; quick for one after the other.  What it holds is valid until the next call.
KAL_CHECKED KalStatus kal_store_get(KalStore *store, uint64_t slot,
                                    KalStoreRow *out_row);

/// Let another thread, which has the context, read what is in the file of a store while it is
/// written.  The store is kept longer.  KAL_ERR_NOMEM.
KAL_CHECKED KalStatus kal_store_share(const KalStore *store, KalContext *ctx,
                                      KalStore **out_reader);

/// Let a reader of kal_store_share() see all rows that have come to the store by now, which is
/// called by any thread.  False: they could not be written, which the next row tells.
bool kal_store_renew(KalStore *store, KalStore *reader);

/// Read sample i of a row of kal_store_get(), counted from 0.  KAL_ERR_FILE.
KAL_CHECKED KalStatus kal_store_get_sample(const KalStore *store,
                                           const KalStoreRow *row, uint64_t i,
                                           double *out_values);

#endif

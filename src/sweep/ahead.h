// SPDX-License-Identifier: MIT

/// @file
/// The table of a sweep, made ready while runs are under way, so that at their end it only has
/// to be put together.
///
/// As soon as all runs of a stretch of rows (table/stream.h) have ended, the thread that has
/// ended a run makes the stretch ready, from the store, and leaves it in a file without a name.
/// That saves time and nothing else: where it fails, or the disk is short of room, the rows are
/// written from the store in the end, and the table has the same bytes.

#ifndef SWEEP_AHEAD_H
#define SWEEP_AHEAD_H

#include "sweep/store.h"
#include "sweep/sweep.h"
#include "table/stream.h"

/// Stretches of a table that are ready, and those that may be made so.
typedef struct KalAhead KalAhead;

/// Begin, for a table of all runs, whose path and numbers of columns and texts `spec` has, with
/// the runs that the store has already.  NULL: it is not worth it, or cannot be.
KalAhead *kal_ahead_create(const KalSweep *sweep, KalStore *store,
                           const KalStreamSpec *spec);

/// NULL is allowed.
void kal_ahead_destroy(KalAhead *ahead);

/// A run, counted from 0, has come to the store.  By one thread at a time.  NULL is allowed.
void kal_ahead_note(KalAhead *ahead, uint64_t run);

/// Make a stretch ready if there is one to be made and nobody else is at it: some milliseconds.
/// By any thread.  NULL is allowed.
void kal_ahead_work(KalAhead *ahead);

/// When all threads have ended: give back the memory that work took.  NULL is allowed.
void kal_ahead_rest(KalAhead *ahead);

/// After that: a stretch, counted from 0, if it is ready; `texts` of a row there will be.  The
/// bytes are valid until the next call.  NULL has none.
bool kal_ahead_get(KalAhead *ahead, uint64_t stretch, size_t texts,
                   const void **out_bytes, size_t *out_size);

#endif

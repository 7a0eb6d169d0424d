// SPDX-License-Identifier: MIT

/// @file
/// Work in a process of its own.
///
/// A model is untrusted text: what it makes the library do is bounded, but the bounds are
/// generous.  So each text is worked on in a child of the server with limits of time and
/// memory of its own, which can be ended at any moment and takes nothing with it.  What it
/// writes comes back through a pipe and is kept until it is sent.

#ifndef STUDIO_WORKER_H
#define STUDIO_WORKER_H

#include "base/block.h"

#include <kalaba/text.h>

#include <sys/types.h>

enum {
    KAL_WORKER_AHEAD = 4 << 20 ///< bytes that a child may be ahead of its reader
};

/// How much a child may take.
typedef struct KalChildLimits {
    int seconds;   ///< of computing, and twice as many by the clock
    int megabytes; ///< of memory
} KalChildLimits;

/// What a child does: writes to a sink.
typedef void (*KalWorkFn)(void *user, KalSink sink);

/// A child and what it has written.  Zeroed: none.
typedef struct KalChild {
    KalContext *ctx;
    pid_t pid; ///< 0: none, or it has ended
    int pipe;  ///< to read from, while there is a child
    double since;
    KalChildLimits limits;
    KalBlock written; ///< what it wrote
    size_t taken;     ///< bytes of it that are on their way
    bool over;        ///< nothing more is going to be written
    const char *fate; ///< what to tell if it did not end by itself; NULL otherwise
} KalChild;

/// Let a child do some work.  Until the worker is cleared, its pipe is to be read whenever
/// it can be.  KAL_ERR_FILE when the system allows no other process.
KAL_CHECKED KalStatus kal_worker_begin(KalChild *worker, KalContext *ctx,
                                       const KalChildLimits *limits, KalWorkFn work,
                                       void *user);

/// Whether there is room for more of what the child writes.
bool kal_worker_wants(const KalChild *worker);

/// Read what there is; the pipe must be readable.
void kal_worker_read(KalChild *worker);

/// Look at the clock: a child that has taken too long ends.
void kal_worker_watch(KalChild *worker, double now);

/// Take up to `most` bytes of what was written; returns how many.
size_t kal_worker_take(KalChild *worker, char *bytes, size_t most);

/// End the child, if there is one; `fate` says why.
void kal_worker_end(KalChild *worker, const char *fate);

/// End the child and forget what it wrote.
void kal_worker_clear(KalChild *worker);

/// Seconds on a clock that never goes back.
double kal_worker_clock(void);

#endif

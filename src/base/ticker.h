// SPDX-License-Identifier: MIT

/// @file
/// Something that is done again and again, by a thread of its own, until it is stopped: so that
/// nothing waits for longer than some time, whatever others are at.

#ifndef BASE_TICKER_H
#define BASE_TICKER_H

#include <pthread.h>
#include <stdbool.h>

typedef struct KalTicker {
    pthread_mutex_t lock; ///< what `tick` touches others touch under it
    pthread_cond_t wake;
    pthread_t thread;
    double seconds; ///< from one to the next
    void (*tick)(void *user);
    void *user;
    bool ready; ///< there are a lock and a condition
    bool ticks; ///< there is a thread
    bool ends;
} KalTicker;

/// Begin; `tick` is called under the lock.  False: the system has no thread to give.  It is to be
/// stopped in any case.
bool kal_ticker_start(KalTicker *ticker, double seconds, void (*tick)(void *user),
                      void *user);

/// End, and wait for the end.  One that was never started, all zeros, is allowed.
void kal_ticker_stop(KalTicker *ticker);

#endif

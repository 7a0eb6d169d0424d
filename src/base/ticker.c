// SPDX-License-Identifier: MIT

// A thread that calls a function every so many seconds until it is stopped.  It waits on a
// condition and not in sleep(), so that stopping takes no time; the clock is the monotonic
// one, which nobody sets.

#include "base/ticker.h"

#include <time.h>

// When so many seconds have passed from now on.
static struct timespec later(double seconds)
{
    struct timespec time = {.tv_sec = 0};
    const long whole = (long)seconds;
    const long second = 1000000000;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += whole;
    time.tv_nsec += (long)((seconds - (double)whole) * 1e9);
    time.tv_sec += time.tv_nsec >= second;
    time.tv_nsec -= time.tv_nsec >= second ? second : 0;
    return time;
}

static void *attend(void *user)
{
    KalTicker *ticker = (KalTicker *)user;
    pthread_mutex_lock(&ticker->lock);
    while (!ticker->ends) {
        const struct timespec until = later(ticker->seconds);
        int result = 0;
        while (!ticker->ends && result == 0) { // it may wake for no reason
            result = pthread_cond_timedwait(&ticker->wake, &ticker->lock, &until);
        }
        if (!ticker->ends) {
            ticker->tick(ticker->user);
        }
    }
    pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

// By the clock that nobody sets.
bool kal_ticker_start(KalTicker *ticker, double seconds, void (*tick)(void *user),
                      void *user)
{
    pthread_condattr_t attributes;
    *ticker = (KalTicker){.seconds = seconds, .tick = tick, .user = user};
    if (pthread_mutex_init(&ticker->lock, NULL) != 0) {
        return false;
    }
    bool made = pthread_condattr_init(&attributes) == 0;
    if (made) {
        made = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0
               && pthread_cond_init(&ticker->wake, &attributes) == 0;
        (void)pthread_condattr_destroy(&attributes);
    }
    if (!made) {
        (void)pthread_mutex_destroy(&ticker->lock);
        return false;
    }
    ticker->ready = true;
    ticker->ticks = pthread_create(&ticker->thread, NULL, attend, ticker) == 0;
    return ticker->ticks;
}

void kal_ticker_stop(KalTicker *ticker)
{
    if (ticker->ticks) {
        pthread_mutex_lock(&ticker->lock);
        ticker->ends = true;
        (void)pthread_cond_signal(&ticker->wake);
        pthread_mutex_unlock(&ticker->lock);
        (void)pthread_join(ticker->thread, NULL);
    }
    if (ticker->ready) {
        (void)pthread_cond_destroy(&ticker->wake);
        (void)pthread_mutex_destroy(&ticker->lock);
    }
    *ticker = (KalTicker){.ready = false};
}
